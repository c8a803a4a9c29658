/* The sub-commands, as tables; options.def says what each is given. */
#pragma once

/* X (id, name, function, most files, what it does, what --help says of it) */
#define LS_CLI_MOST_FILES 6
#define LS_CLI_COMMAND_TABLE(X) \
  X (RUN, "run", ls_cli_run, 1, "Runs a program and prints what it prints.", \
     "Runs a program and prints what it prints, and only that, on stdout.") \
  X (SHOW, "show", ls_cli_show, 1, "Shows a stage, a pass or a step as text, JSON, DOT or a picture.", \
     "Without --stage or --pass: an overview of the passes. FILE may end in a place, such as FILE#2/simplify/117.") \
  X (SHARE, "share", ls_cli_share, 1, "Writes a pass, a step or a program's walk as one HTML page.", \
     "Writes one HTML page that needs no network: FILE#KERNEL/PASS/STEP as the steps of that pass, with ~BASE compared with another " \
     "place, FILE alone as the program's statements.") \
  X (STEPS, "steps", ls_cli_steps, 1, "Lists the rewrite steps.", \
     "Lists the rewrite steps, all or of one kernel, pass or rule.") \
  X (VERIFY, "verify", ls_cli_verify, 1, "Executes a recording again and compares.", \
     "Executes what is recorded again: replays every pass, rewrites, schedules, linearizes and renders anew, and compares. Exit " \
     "status 0: proved; 3: something is not true; 5: some of it cannot be judged; 6: the recording is not whole.") \
  X (BENCH, "bench", ls_cli_bench, 1, "Measures the time of each stage and of each kernel.", \
     "Measures every stage but compile and run, the median of interleaved runs with and without recording; then each kernel's code, " \
     "in turns, with made up inputs.") \
  X (OPTIONS, "options", ls_cli_kernel_options, 1, "Lists the options that a kernel can take, and why it has those it has.", \
     "Lists the axes of a kernel, and the options that it can take, cannot take and has, with reasons.") \
  X (COMPARE, "compare", ls_cli_compare, LS_CLI_MOST_FILES, \
     "Compiles, runs and times a kernel in several variants, or of several recordings.", \
     "Compiles, runs and times one kernel in any number of variants, and tells where they part. Of more files than one, the kernel " \
     "like it of each is a variant, too.") \
  X (SEARCH, "search", ls_cli_search, 1, "Searches the fastest options of a kernel.", \
     "Searches the fastest options of a kernel, and prints every candidate with its time or why it was dropped.") \
  X (BLAME, "blame", ls_cli_blame, 1, "Tells where a line of source comes from, and what became of a program line.", \
     "Where a line of generated source comes from: --kernel K --line N; or a node of any step: FILE#KERNEL/PASS/STEP?node=N. " \
     "Forward: --from LINE.") \
  X (VALUES, "values", ls_cli_values, 1, "Tells what is computed at a node of any step.", \
     "What is computed at a node: --pass P [--step N] --node M, or --find WHAT. Without --step: after the pass. " \
     "FILE#KERNEL/PASS/STEP?node=M names all of it. Exit status of --find: 0 found; 4 there is none; 5 there is none among the " \
     "values that could be computed.") \
  X (BISECT, "bisect", ls_cli_bisect, 1, "Names the first step that changed a result.", \
     "Names the first step that changed a result, judged by interpretation. Exit status 0: all agree; 4: one differs; 5: some could " \
     "not be judged.") \
  X (DIFF, "diff", ls_cli_diff, 2, "Tells how two recordings, programs or variants differ.", \
     "Compares two recordings or programs. One file: two --variant SPEC, or --rules and --disable, which then apply to the second " \
     "run only.\nFILE#PLACE twice: the UOps at two places, row by row; FILE#PLACE~BASE is FILE#BASE against FILE#PLACE. Exit status " \
     "4: they differ.") \
  X (WHY_NOT, "why-not", ls_cli_why_not, 1, "Tells why a rule did not fire on a node.", \
     "Why a rule did not fire on a node: --pass P --node N --rule R [--kernel K] [--step N], or a place in FILE#KERNEL/PASS?node=N. " \
     "Without --node: at which nodes the rule came nearest; without --rule: which rules came nearest there.") \
  X (RULES, "rules", ls_cli_rules, 1, "Tells what each rule did: tries, hits, time.", \
     "Tries, hits and time of each rule, and the pairs of rules that undo each other.")
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
