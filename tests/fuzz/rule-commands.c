/* run, diff and bisect of a program with rules that are wrong (rewrite/wrong-rules.h), in the process of the test: each command ends
 * with one of the exit statuses that the manual names. With COUNT rule files from seed FIRST on each has a process of its own, and
 * those that break down are left in FOLDER with what was said.
 *
 * Usage: fuzz-rule-commands [--hunt FIRST COUNT [FOLDER]]
 */
#include <glib/gstdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../app/cli.h"
#include "../rewrite/wrong-rules.h"

#define SECONDS 60      /* of a rule file, with all commands */

static const char program[] =
  "from tinygrad import Tensor, dtypes\n"
  "a = Tensor([[1, 2, 3, 4], [5, 6, 7, 8]]).realize()\n"
  "b = (a.permute(1, 0).flip(0).pad(((1, 0), (0, 2))) * 3 + 1) // 2\n"
  "print(b.sum(axis=0).tolist(), (a.float().sqrt() @ a.float().permute(1, 0)).tolist())\n"
  "print((a < 4).where(a, a - 1).max(axis=1).tolist(), Tensor.arange(6).reshape(2, 3).expand(2, 3).cumsum(0).tolist())\n";

typedef struct { char *folder, *program, *rules; } Files;

static gboolean
run_command (LsCliMode command, const char *const *words)
{
  char *argv[24] = { NULL };
  int argc = 0;
  for (; words[argc]; argc++)
    argv[argc] = (char *) words[argc];
  int status = ls_cli_command (command, argc, argv);
  return status >= 0 && status <= LS_EXIT_INCOMPLETE && status != LS_EXIT_BROKEN;
}

static gboolean
ask_all (const Files *f, guint32 seed)
{
  const char *compiler = seed % 5 == 0 ? "tcc" : "interp", *spec = seed % 3 == 0 ? "SPEC=2" : "SPEC=0";
#define LIMITS "--compiler", compiler, "--set", "STEP_LIMIT=3000", "--set", "NODE_LIMIT=20000", "--set", "TIME_S=20", "--set", spec
  return run_command (LS_CLI_RUN, (const char *const[]) { "run", f->program, "--rules", f->rules, LIMITS, NULL }) &&
         run_command (LS_CLI_DIFF, (const char *const[]) { "diff", f->program, "--rules", f->rules, LIMITS, NULL }) &&
         run_command (LS_CLI_BISECT, (const char *const[]) { "bisect", f->program, "--rules", f->rules, LIMITS, NULL }) &&
         (seed % 4 || run_command (LS_CLI_RULES, (const char *const[]) { "rules", f->program, "--rules", f->rules, "--json", LIMITS,
                                                                         NULL }));
#undef LIMITS
}

static gboolean
try_seed (const Files *f, guint32 seed, const char *folder)
{
  const LsRuleSetInfo *sets = ls_pipeline_rules ()->sets;
  g_autofree char *text = write_rules (seed, sets, count_sets (sets)), *log = g_strdup_printf ("%s/%u.log", folder, seed),
                  *kept = g_strdup_printf ("%s/%u.rules", folder, seed);
  g_assert_true (g_file_set_contents (f->rules, text, -1, NULL));
  fflush (NULL);
  pid_t child = fork ();
  if (child == 0) {
    if (!freopen (log, "w", stderr) || !freopen ("/dev/null", "w", stdout))
      _exit (43);
    alarm (SECONDS);
    _exit (ask_all (f, seed) ? 0 : 42);
  }
  int status = 0;
  waitpid (child, &status, 0);
  if (status == 0) {
    g_unlink (log);
    return TRUE;
  }
  g_printerr ("seed %u: status %x\n", seed, (guint) status);
  g_file_set_contents (kept, text, -1, NULL);
  return FALSE;
}

static guint
hunt (guint32 first, guint32 count, const char *folder)
{
  g_autofree char *own = g_dir_make_tmp ("lazyscope-rules-XXXXXX", NULL), *path = g_build_filename (own, "p.py", NULL),
                  *rules = g_build_filename (own, "wrong.rules", NULL);
  Files f = { own, path, rules };
  guint n_found = 0;
  g_mkdir_with_parents (folder, 0700);
  g_assert_true (g_file_set_contents (path, program, -1, NULL));
  for (guint32 seed = first; seed < first + count; seed++)
    n_found += !try_seed (&f, seed, folder);
  g_unlink (path);
  g_unlink (rules);
  g_rmdir (own);
  return n_found;
}

static void
made_up (void)
{
  g_autofree char *folder = g_dir_make_tmp ("lazyscope-wrong-XXXXXX", NULL);
  guint n_found = hunt (1, 200, folder);
  if (n_found)
    g_test_fail_printf ("%u rule files, see %s", n_found, folder);
  else
    g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  if (argc >= 4 && strcmp (argv[1], "--hunt") == 0) {
    guint n_found = hunt ((guint32) atoi (argv[2]), (guint32) atoi (argv[3]), argc > 4 ? argv[4] : "wrong");
    g_print ("%s rule files, %u broke down\n", argv[3], n_found);
    return n_found != 0;
  }
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fuzz/rule-commands/made-up", made_up);
  return g_test_run ();
}
