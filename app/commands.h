/* The sub-commands, as tables; their options are in options.def. */
#pragma once

/* X (id, name, command, most files, what it does) */
#define LS_CLI_MOST_FILES 6
#define LS_CLI_COMMAND_TABLE(X) \
  X (RUN, "run", ls_cli_run, 1, "Runs a program and prints what it prints.") \
  X (SHOW, "show", ls_cli_show, 1, "Shows a stage, a pass or a step as text, JSON, DOT or a picture.") \
  X (SHARE, "share", ls_cli_share, 1, "Writes a pass, a step or the walk of a program as one HTML page.") \
  X (EXPORT, "export", ls_cli_export, 1, "Writes a run as one C file that prints the same values.") \
  X (STEPS, "steps", ls_cli_steps, 1, "Lists the rewrite steps.") \
  X (VERIFY, "verify", ls_cli_verify, 1, "Re-executes a recording and reports every mismatch.") \
  X (BENCH, "bench", ls_cli_bench, 1, "Measures the time of each stage and of each kernel.") \
  X (OPTIONS, "options", ls_cli_kernel_options, 1, "Lists the options that a kernel can take, and explains those it has.") \
  X (COMPARE, "compare", ls_cli_compare, LS_CLI_MOST_FILES, \
     "Compiles, runs and times a kernel in several variants or from several recordings.") \
  X (SEARCH, "search", ls_cli_search, 1, "Searches for the fastest options of a kernel.") \
  X (KNOBS, "knobs", ls_cli_knobs, 1, "Times a kernel with each setting, target, compiler, flag and option alone.") \
  X (BLAME, "blame", ls_cli_blame, 1, "Traces a line of source back to the program, or a program line to its code.") \
  X (VALUES, "values", ls_cli_values, 1, "Shows the values that a node computes, at any step.") \
  X (BISECT, "bisect", ls_cli_bisect, 1, "Finds the first step that changed a result.") \
  X (DIFF, "diff", ls_cli_diff, 2, "Shows how two recordings, programs or variants differ.") \
  X (WHY_NOT, "why-not", ls_cli_why_not, 1, "Explains why a rule did not fire on a node.") \
  X (WHY_NOT_FUSED, "why-not-fused", ls_cli_why_not_fused, 1, "Explains why two kernels were not made one.") \
  X (WHAT_IF, "what-if", ls_cli_what_if, 1, "Runs a program with decisions of its schedules turned around.") \
  X (FACTS, "facts", ls_cli_facts, 1, "Lists the fields of tensors, with the calls that wrote them.") \
  X (RULES, "rules", ls_cli_rules, 1, "Reports what each rule did: tries, hits, time.")
/* Modes of a command, chosen by its arguments, with options of their own. X (id, the command's id, name) */
#define LS_CLI_MODE_TABLE(X) \
  X (SLOW, RUN, "run --slow") \
  X (SEARCHED, RUN, "run --search") \
  X (PLACES, DIFF, "diff FILE#PLACE FILE#PLACE")

typedef enum {
#define X(id, ...) LS_CLI_##id,
  LS_CLI_COMMAND_TABLE (X)
#undef X
#define X(id, of, name) LS_CLI_##id,
  LS_CLI_MODE_TABLE (X)
#undef X
  LS_CLI_N_MODES
} LsCliMode;
