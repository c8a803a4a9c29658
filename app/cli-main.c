/* lazyscope-cli: the sub-commands' table, and help. */
#include "cli.h"

#include <locale.h>
#include <string.h>

static const struct { const char *name; int (*run) (int argc, char **argv); const char *sentence; } commands[] = {
  { "run", ls_cli_run, "Runs a program and prints what it prints." },
  { "show", ls_cli_show, "Shows a stage, a pass or a step as text, JSON, DOT or a picture." },
  { "steps", ls_cli_steps, "Lists the rewrite steps." },
  { "verify", ls_cli_verify, "Checks the invariants of a recording." },
  { "bench", ls_cli_bench, "Measures the time of each stage." },
};

static void
usage (FILE *to)
{
  fprintf (to, "Usage: lazyscope-cli COMMAND FILE [OPTIONS]\n\nFILE is a program (.py) or a recording (.lscope).\n\n");
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    fprintf (to, "  %-8s %s\n", commands[i].name, commands[i].sentence);
  fprintf (to, "\nlazyscope-cli COMMAND --help tells the options of a command; lazyscope-cli(1) is the manual.\n");
}

int
main (int argc, char **argv)
{
  setlocale (LC_ALL, "");
  setlocale (LC_NUMERIC, "C");
  g_set_prgname ("lazyscope-cli");
  if (argc < 2) {
    usage (stderr);
    return LS_EXIT_USAGE;
  }
  if (strcmp (argv[1], "--help") == 0 || strcmp (argv[1], "-h") == 0 || strcmp (argv[1], "help") == 0) {
    usage (stdout);
    return LS_EXIT_DONE;
  }
  if (strcmp (argv[1], "--version") == 0) {
    printf ("lazyscope %s\n", LS_VERSION);
    return LS_EXIT_DONE;
  }
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    if (strcmp (argv[1], commands[i].name) == 0)
      return commands[i].run (argc - 1, argv + 1);
  fprintf (stderr, "lazyscope-cli: there is no command '%s'\n\n", argv[1]);
  usage (stderr);
  return LS_EXIT_USAGE;
}
