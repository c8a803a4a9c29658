/* The commands that read a recording, on recordings that were edited (trace/edit.h), in the process of the test: each ends with one
 * of the exit statuses that the manual names. With COUNT recordings from seed FIRST on each has a process of its own, and those that
 * break down are left in FOLDER: what was edited, the command, what it said.
 *
 * Usage: fuzz-commands [--hunt FIRST COUNT [FOLDER]]
 */
#include "../../app/cli.h"

#include <sys/wait.h>

#include "../trace/edit.h"

#define MOST_WORDS 16
#define SECONDS    60      /* of a recording, with all commands */

static const char *const passes[] = { "simplify", "simplify#2", "ast", "lower", "expand", "accumulate", "devectorize", "decompose", "index",
                                      "tensor", "schedule", "linearize", "procedure", "render", "program" };
static const char *const stages[] = { "program", "schedule", "tree", "listing", "procedure", "source", "exprs", "compile", "timing" };
static const char *const rules[] = { "add-zero", "factor", "view-movement", "lower-load", "fold-unary", "mul-one", "nosuch" };

/* Commands as a person types them. Words that begin with % stand for: F the recording, G the one that it was made of, K, N, L, T
 * numbers (a kernel's, a node's, a line's, a step's), P a pass, S a stage, R a rule. */
static const char *const lines[] = {
  "show %F", "show %F --json", "show %F --stage %S", "show %F --kernel %K --stage %S --json", "show %F --kernel %K --pass %P",
      "show %F --kernel %K --pass %P --step %T --format json",
  "show %F --kernel %K --pass %P --step %T --format dot", "show %F --kernel %K --stage listing --set profile=modern", "steps %F",
  "steps %F --json", "steps %F --kernel %K --pass %P --rule %R", "verify %F",
  "verify %F --json", "blame %F --kernel %K --line %L", "blame %F --kernel %K --line %L --json", "blame %F --kernel %K --uop %N",
  "blame %F --from %L", "blame %F --from %L --json",
  "blame %F --kernel %K --pass %P --step %T --node %N", "blame %F --kernel %K --instruction +%N",
  "values %F --kernel %K --pass %P --step %T --node %N", "values %F --kernel %K --pass %P --find nan",
  "values %F --kernel %K --pass %P --find >3 --json", "values %F --kernel %K --element %N", "values %F --kernel %K --element 1,%T --json",
  "values %F --element %T", "values %F --kernel %K --pass %P --step %T --node %N --element %T --json", "bisect %F", "bisect %F --json",
  "why-not %F --kernel %K --pass %P --node %N --rule %R", "why-not %F --kernel %K --pass %P --step %T --node %N --rule %R --json",
  "rules %F", "rules %F --json", "diff %F %G", "diff %G %F --json", "diff %F %F", "options %F --kernel %K", "options %F --kernel %K --json",
  "facts %F", "facts %F --json", "facts %F --node %N", "facts %F --stop %T --csv",
  "run %F --slow --kernel %K --rows 1:40", "run %F --slow --kernel %K --rows 40:1 --json",
};

static const char *const commands[] = {
#define X(id, name, ...) name,
  LS_CLI_COMMAND_TABLE (X)
#undef X
};

static char *
word_of (const char *word, const char *file, const char *other, GRand *rand)
{
  const char *at = strchr (word, '%');
  if (!at)
    return g_strdup (word);
  static const gint most[] = { ['N'] = 240, ['L'] = 12, ['T'] = 3 };
  switch (at[1]) {
  case 'F': return g_strdup (file);
  case 'K': return g_strdup_printf ("%d", MAX (g_rand_int_range (rand, 0, 8) / 2, g_rand_int_range (rand, 0, 2)));
  case 'G': return g_strdup (other);
  case 'P': return g_strdup (passes[g_rand_int_range (rand, 0, G_N_ELEMENTS (passes))]);
  case 'S': return g_strdup (stages[g_rand_int_range (rand, 0, G_N_ELEMENTS (stages))]);
  case 'R': return g_strdup (rules[g_rand_int_range (rand, 0, G_N_ELEMENTS (rules))]);
  default:  return g_strdup_printf ("%.*s%d", (int) (at - word), word, g_rand_int_range (rand, 0, most[(guint8) at[1]]));
  }
}

/* The exit status, or -1 for one that the manual does not know, or that says that an invariant broke. */
static int
run_line (const char *line, const char *file, const char *other, GRand *rand, FILE *log)
{
  g_auto (GStrv) words = g_strsplit (line, " ", -1);
  char *argv[MOST_WORDS + 1] = { NULL }, *kept[MOST_WORDS + 1];      /* parsing takes words out of argv */
  int argc = 0, status = -1;
  for (; words[argc] && argc < MOST_WORDS; argc++)
    argv[argc] = kept[argc] = word_of (words[argc], file, other, rand);
  if (log) {
    for (int i = 0; i < argc; i++)
      fprintf (log, "%s%s", i ? " " : "", argv[i]);
    fputc ('\n', log);
    fflush (log);
  }
  const int n = argc;
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    if (strcmp (commands[i], argv[0]) == 0)
      status = ls_cli_command ((LsCliMode) i, argc, argv);
  if (status > LS_EXIT_INCOMPLETE || (status == LS_EXIT_BROKEN && strcmp (kept[0], "verify") != 0))
    status = -1;
  for (int i = 0; i < n; i++)
    g_free (kept[i]);
  return status;
}

/* All commands on the recording of a seed. FALSE: one gave a status that it must not. */
static gboolean
ask_all (const char *file, const char *other, guint32 seed, FILE *log)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  gboolean ok = TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (lines) && ok; i++)
    ok = run_line (lines[i], file, other, rand, log) >= 0;
  return ok;
}

/* A process of its own for the seed's recording: TRUE, or FALSE with what it said left in the folder. */
static gboolean
try_seed (char *const *from, guint32 seed, const char *folder)
{
  g_autofree char *path = g_strdup_printf ("%s/commands-%d.lscope", g_get_tmp_dir (), (int) getpid ());
  g_autofree char *log = g_strdup_printf ("%s/%u.log", folder, seed), *sql = g_strdup_printf ("%s/%u.sql", folder, seed),
                  *asked = g_strdup_printf ("%s/%u.asked", folder, seed);
  g_autoptr (GString) said = g_string_new (NULL);
  edit (from[seed % 2], seed, path, said);
  fflush (NULL);
  pid_t child = fork ();
  if (child == 0) {
    FILE *to = fopen (asked, "w");
    if (!to || !freopen (log, "w", stderr) || !freopen ("/dev/null", "w", stdout))
      _exit (3);
    alarm (SECONDS);
    _exit (ask_all (path, from[seed % 2], seed, to) ? 0 : 42);
  }
  int status = 0;
  waitpid (child, &status, 0);
  g_unlink (path);
  if (status == 0) {
    g_unlink (log);
    g_unlink (asked);
    return TRUE;
  }
  g_string_append_printf (said, "status %x\n", (guint) status);
  g_file_set_contents (sql, said->str, -1, NULL);
  return FALSE;
}

static guint
hunt (guint32 first, guint32 count, const char *folder)
{
  char *from[] = { make_recording (0), make_recording (1) };
  guint n_found = 0;
  g_mkdir_with_parents (folder, 0700);
  for (guint32 seed = first; seed < first + count; seed++)
    n_found += !try_seed (from, seed, folder);
  for (guint i = 0; i < G_N_ELEMENTS (from); i++) {
    g_unlink (from[i]);
    g_free (from[i]);
  }
  return n_found;
}

static void
edited (void)
{
  g_autofree char *folder = g_dir_make_tmp ("lazyscope-commands-XXXXXX", NULL);
  guint n_found = hunt (1, 40, folder);
  if (n_found)
    g_test_fail_printf ("%u recordings, see %s", n_found, folder);
  else
    g_rmdir (folder);
}

/* Half way through a pass a node may have axes where its sources have ranges already: it has no values there, which is not a fault of
 * this program. In a process of its own, as its answers are not TAP. */
static void
half_lowered (void)
{
  g_autofree char *path = make_recording (1);
  fflush (NULL);
  pid_t child = fork ();
  if (child == 0) {
    g_autoptr (GRand) rand = g_rand_new_with_seed (1);
    guint n_without = 0;
    int status = freopen ("/dev/null", "w", stdout) && freopen ("/dev/null", "w", stderr) ? 0 : -1;
    for (guint node = 0; node < 200 && status >= 0; node++) {
      g_autofree char *line = g_strdup_printf ("values %%F --kernel 2 --pass lower --step 2 --node %u", node);
      status = run_line (line, path, path, rand, NULL);
      n_without += status == LS_EXIT_WRONG;
    }
    _exit (status < 0 ? 1 : n_without == 0 ? 2 : 0);
  }
  int status = -1;
  waitpid (child, &status, 0);
  g_assert_cmpint (status, ==, 0);
  g_unlink (path);
}

int
main (int argc, char **argv)
{
  if (argc >= 4 && strcmp (argv[1], "--hunt") == 0) {
    guint n_found = hunt ((guint32) atoi (argv[2]), (guint32) atoi (argv[3]), argc > 4 ? argv[4] : "commands");
    g_print ("%s recordings edited, each asked %u commands, %u broke down\n", argv[3], (guint) G_N_ELEMENTS (lines), n_found);
    return n_found != 0;
  }
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fuzz/commands/edited", edited);
  g_test_add_func ("/fuzz/commands/half-lowered", half_lowered);
  return g_test_run ();
}
