/* The sub-commands, as tables; options.def says what each is given. */
#pragma once

/* X (id, name, command, most files, what it does) */
#define LS_CLI_MOST_FILES 6
#define LS_CLI_COMMAND_TABLE(X) \
  X (RUN, "run", ls_cli_run, 1, "Runs a program and prints what it prints.") \
  X (SHOW, "show", ls_cli_show, 1, "Shows a stage, a pass or a step as text, JSON, DOT or a picture.") \
  X (SHARE, "share", ls_cli_share, 1, "Writes a pass, a step or a program's walk as one HTML page.") \
  X (STEPS, "steps", ls_cli_steps, 1, "Lists the rewrite steps.") \
  X (VERIFY, "verify", ls_cli_verify, 1, "Executes a recording again and compares.") \
  X (BENCH, "bench", ls_cli_bench, 1, "Measures the time of each stage and of each kernel.") \
  X (OPTIONS, "options", ls_cli_kernel_options, 1, "Lists the options that a kernel can take, and why it has those it has.") \
  X (COMPARE, "compare", ls_cli_compare, LS_CLI_MOST_FILES, \
     "Compiles, runs and times a kernel in several variants, or of several recordings.") \
  X (SEARCH, "search", ls_cli_search, 1, "Searches the fastest options of a kernel.") \
  X (BLAME, "blame", ls_cli_blame, 1, "Tells where a line of source comes from, and what became of a program line.") \
  X (VALUES, "values", ls_cli_values, 1, "Tells what is computed at a node of any step.") \
  X (BISECT, "bisect", ls_cli_bisect, 1, "Names the first step that changed a result.") \
  X (DIFF, "diff", ls_cli_diff, 2, "Tells how two recordings, programs or variants differ.") \
  X (WHY_NOT, "why-not", ls_cli_why_not, 1, "Tells why a rule did not fire on a node.") \
  X (RULES, "rules", ls_cli_rules, 1, "Tells what each rule did: tries, hits, time.")
/* What a command becomes by what it is given, with options of its own. X (id, the command's id, name) */
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
