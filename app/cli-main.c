/* lazyscope-cli: the sub-commands' table, and help. */
#include "cli.h"
#include "share/words.h"

#include <errno.h>
#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>

static const struct { const char *name, *sentence; } commands[] = {
#define X(id, name, run, files, sentence) { name, sentence },
  LS_CLI_COMMAND_TABLE (X)
#undef X
};

static void
usage (FILE *to)
{
  fputs (_("Usage: lazyscope-cli COMMAND FILE [OPTIONS]\n\nFILE is a program (.py) or a recording (.lscope).\n\n"), to);
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    fprintf (to, "  %-8s %s\n", commands[i].name, ls_shown (commands[i].sentence));
  fprintf (to, "  %-8s %s\n", "doc", _("Shows the documentation of a NAME of the tensor library: softmax, nn.Linear."));
  fputs (_("\nlazyscope-cli COMMAND --help lists the options of a command; lazyscope-cli(1) is the manual.\n"), to);
}

/* A failed write to stdout is an error, such as a full disk behind a redirection. */
static int
close_stdout (int status)
{
  if (fflush (stdout) == 0 && !ferror (stdout))
    return status;
  fprintf (stderr, _("lazyscope-cli: cannot write to stdout: %s\n"), g_strerror (errno));
  return status == LS_EXIT_DONE ? LS_EXIT_WRONG : status;
}

int
main (int argc, char **argv)
{
  setlocale (LC_ALL, "");
  setlocale (LC_NUMERIC, "C");
  ls_words_bind ();
  g_set_prgname ("lazyscope-cli");
  ls_cli_supervises = TRUE;
  signal (SIGXFSZ, SIG_IGN);      /* a file that may not grow is an error of writing, as a full disk is */
  /* a run reuses the memory that it frees: keep it in the process instead of asking the kernel for zeroed pages each time */
  mallopt (M_MMAP_THRESHOLD, 64 << 20);
  mallopt (M_TRIM_THRESHOLD, 512 << 20);
  mallopt (M_TOP_PAD, 4 << 20);
  if (argc < 2) {
    usage (stderr);
    return LS_EXIT_USAGE;
  }
  /* "help COMMAND" is "COMMAND --help" */
  char *help[] = { argv[1], argc > 2 ? argv[2] : NULL, (char *) "--help", NULL };
  if (argc == 3 && strcmp (argv[1], "help") == 0) {
    argv = help;
    argv[0] = (char *) "lazyscope-cli";
  }
  if (strcmp (argv[1], "--help") == 0 || strcmp (argv[1], "-h") == 0 || strcmp (argv[1], "help") == 0) {
    usage (stdout);
    return LS_EXIT_DONE;
  }
  if (strcmp (argv[1], "doc") == 0)
    return close_stdout (ls_cli_doc (argc, argv));
  if (strcmp (argv[1], "--version") == 0) {
    printf ("lazyscope %s\n", LS_VERSION);
    return LS_EXIT_DONE;
  }
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    if (strcmp (argv[1], commands[i].name) == 0)
      return close_stdout (ls_cli_command ((LsCliMode) i, argc - 1, argv + 1));
  g_autoptr (GString) names = g_string_new (NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    g_string_append_printf (names, "%s%s", i ? ", " : "", commands[i].name);
  fprintf (stderr, g_file_test (argv[1], G_FILE_TEST_EXISTS)
           ? _("lazyscope-cli: there is no command '%s'; the commands are %s. To run a program, use lazyscope-cli run FILE\n")
           : _("lazyscope-cli: there is no command '%s'; the commands are %s\n"), argv[1], names->str);
  return LS_EXIT_USAGE;
}
