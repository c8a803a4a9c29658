/* The messages of lazyscope-cli about errors: the error, its place, the remedy, and an exit status that is not 0. */
#include "spawn.h"

#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

static void
test_usage (void)
{
  g_auto (Spawned) s = { 0 };
  g_autofree char *cast = program_path ("cast.py");
  spawn_cli (&s, "run", cast, "--record", "c.lscope", NULL);
  assert_status (&s, 0);
  /* arguments, and a part of the message */
  const struct { const char *args[7]; const char *says; } wrong[] = {
    { { "nope" }, "there is no command 'nope'; the commands are run, show" },
    { { cast }, "lazyscope-cli run FILE" },
    { { "run" }, "a file is needed" },
    { { "run", cast, "c.lscope" }, "too many files: 'c.lscope'" },
    { { "run", "--nope", cast }, "Unknown option --nope" },
    { { "run", "--record" }, "Missing argument for --record" },
    { { "run", "--set", "X=1", cast }, "there is no setting 'X'; there are profile, DEBUG" },
    { { "run", "--set", "NOOPT", cast }, "a setting must be NAME=VALUE" },
    { { "run", "--set", "NOOPT=x", cast }, "must be 0 or 1" },
    { { "run", "--set", "DEBUG=9", cast }, "must be a whole number from 0 to 7" },
    { { "run", "--set", "UPCAST_MAX=0", cast }, "must be a whole number from 1 to 4096" },
    { { "run", "--set", "REPEATS=-1", cast }, "must be a whole number from 1" },
    { { "run", "--set", "profile=x", cast }, "classic, modern and default" },
    { { "run", "--target", "nope", cast }, "there is no target 'nope'; there are c, llvm, metal" },
    { { "run", "--compiler", "nope", cast }, "there is no compiler 'nope'; there are tcc" },
    { { "run", "--target", "metal", "--compiler", "tcc", cast }, "use --compiler interp" },
    { { "run", "--variant", "nope", cast }, "'nope' is not one of" },
    { { "run", "--variant", "opt=NOPE:0:4", cast }, "there is no option 'NOPE'; the options are UPCAST" },
    { { "run", "--variant", "opt=UPCAST", cast }, "NAME:AXIS:AMOUNT" },
    { { "run", "--variant", "opt=SWAP:0:64", cast }, "SWAP:AXIS:OTHER, with an axis from 0 and OTHER from 0 to 63" },
    { { "run", "--variant", "target=x", cast }, "there is no target 'x'" },
    { { "run", "--debug", "9", cast }, "--debug takes 0 to 7" },
    { { "run", "--debug", "x", cast }, "--debug" },
    { { "run", "--disable", "nope", cast }, "there is no rule 'nope'" },
    { { "bench", "--repeats", "0", cast }, "--repeats takes a number of at least 1" },
    { { "show", "c.lscope", "--kernel", "99" }, "there is no kernel 99; there is 1" },
    { { "show", "c.lscope", "--kernel", "99", "--stage", "source" }, "there is no kernel 99" },
    { { "show", "c.lscope", "--kernel", "0", "--stage", "source" }, "there is no kernel 0" },
    { { "show", "c.lscope", "--kernel", "-1" }, "--kernel takes a number of at least 0" },
    { { "show", "c.lscope", "--pass", "nope" }, "has no pass 'nope'; it has schedule, ast, lower" },
    { { "show", "c.lscope", "--stage", "nope" }, "has no pass 'nope'" },
    { { "show", "c.lscope", "--pass", "ast", "--step", "99" }, "so there is no step 99" },
    { { "show", "c.lscope", "--pass", "ast", "--step", "-1" }, "--step takes a number of at least 0" },
    { { "show", "c.lscope", "--step", "1" }, "--step needs --pass" },
    { { "blame", "c.lscope", "--instruction", "zz" }, "'zz' is not an address" },
    { { "blame", "c.lscope", "--instruction", "+fffff" }, "the code of kernel 1 has addresses 0 to" },
    { { "blame", "c.lscope", "--line", "1", "--instruction", "0" }, "one of --line N, --uop ROW, --instruction ADDR" },
    { { "show", "c.lscope", "--pass", "ast", "--stage", "tree" }, "cannot be given together" },
    { { "show", "c.lscope", "--format", "nope" }, "there is no format 'nope'; the formats are text" },
    { { "show", "c.lscope", "--format", "svg" }, "needs --pass" },
    { { "show", "c.lscope#9" }, "there is no kernel 9" },
    { { "steps", "c.lscope", "--rule", "nope" }, "there is no rule 'nope'" },
    { { "steps", "c.lscope", "--kernel", "99" }, "there is no kernel 99" },
    { { "steps", "c.lscope", "--pass", "nope" }, "has no pass 'nope'" },
    { { "run", "--record", "", cast }, "--record takes the name of a file" },
    /* what a command does not look at it does not take */
    { { "rules", "c.lscope", "--kernel", "1" }, "rules does not use --kernel, which is for show, share, steps, " },
    { { "bisect", "c.lscope", "--pass", "ast" }, "bisect does not use --pass" },
    { { "diff", "c.lscope", "c.lscope", "--kernel", "1" }, "diff does not use --kernel" },
    { { "blame", "c.lscope", "--line", "1", "--rule", "factor" }, "blame does not use --rule" },
    { { "values", cast, "--pass", "ast", "--record", "v.lscope" }, "values does not use --record" },
    { { "show", "c.lscope", "--record", "d.lscope" }, "is a recording, which is not run again; --record is for a program" },
    { { "steps", "c.lscope", "--variant", "NOOPT=1" }, "--variant is for a program" },
    { { "diff", "c.lscope", "--variant", "NOOPT=1" }, "--variant is for a program" },
    { { "diff", cast, "c.lscope", "--disable", "factor" }, "--disable is for a program" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++) {
    const char *const *a = wrong[i].args;
    spawn_cli (&s, a[0], a[1], a[2], a[3], a[4], a[5], a[6], NULL);
    if (s.status != 2 || *s.out || !g_str_has_prefix (s.err, "lazyscope-cli: "))
      g_error ("row %d: exit status %d, stdout '%s', stderr '%s'", (int) i, s.status, s.out, s.err);
    assert_contains (s.err, wrong[i].says);
    g_assert_cmpuint (n_lines (s.err), ==, 1);
  }
  spawn_cli (&s, NULL);
  assert_status (&s, 2);
  assert_contains (s.err, "Usage: lazyscope-cli COMMAND");
  static const char *const help[][3] = { { "--help" }, { "-h" }, { "help" }, { "run", "--help" }, { "help", "show" }, { "steps", "-h" },
                                         { "verify", "--help" }, { "bench", "--help" } };
  for (gsize i = 0; i < G_N_ELEMENTS (help); i++) {
    spawn_cli (&s, help[i][0], help[i][1], NULL);
    assert_status (&s, 0);
    assert_contains (s.out, "Usage:");
    g_assert_cmpstr (s.err, ==, "");
  }
  spawn_cli (&s, "--version", NULL);
  assert_status (&s, 0);
  g_assert_true (g_str_has_prefix (s.out, "lazyscope "));
}

/* A wrong program: position, line, caret; earlier output stays. */
static void
test_program_errors (void)
{
  g_auto (Spawned) s = { 0 };
  const struct { const char *text, *out, *err; } wrong[] = {
    { "a = 1\nb = a +* 2\n", "", "p.py:2:8: error: " },
    { "print('so far')\nx = [1, 2][5]\n", "so far\n", "p.py:2:" },
    { "from tinygrad import Tensor\nprint(1)\nc = Tensor([1, 2, 3]) + Tensor([1, 2])\n", "1\n",
      "p.py:3:5: error: add: shapes (3,) and (2,) cannot be broadcast\nc = Tensor([1, 2, 3]) + Tensor([1, 2])\n    ^~~~" },
    { "from tinygrad import Tensor\nTensor.ones(2, 3) @ Tensor.ones(4, 5)\n", "", "(2, 3)" },
    { "from tinygrad import Tensor\nTensor.ones(2, 3).reshape(7)\n", "", "reshape" },
    { "print(nope)\n", "", "p.py:1:7: error: NameError" },
    { "open('/nonexistent')\n", "", "p.py:1:1: error: FileNotFoundError" },
    { "print(1 / 0)\n", "", "p.py:1:7: error: ZeroDivisionError: division by zero" },
    { "print(\xff)\n", "", "p.py:1:" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++) {
    write_file ("p.py", wrong[i].text);
    spawn_cli (&s, "run", "p.py", NULL);
    if (s.status != 1 || strcmp (s.out, wrong[i].out) != 0 || !strstr (s.err, wrong[i].err) || !strchr (s.err, '^'))
      g_error ("row %d: exit status %d, stdout '%s', stderr '%s'", (int) i, s.status, s.out, s.err);
  }
  spawn_cli (&s, "run", "p.py", "--json", NULL);
  assert_status (&s, 1);
  g_autoptr (JsonObject) o = spawned_json (&s);
  assert_members (o, "stdout kernels outputs error");
  spawn_cli (&s, "run", "nofile.py", NULL);
  assert_status (&s, 1);
  g_assert_cmpstr (s.err, ==, "lazyscope-cli: nofile.py: No such file or directory\n");
  spawn_cli (&s, "run", ".", NULL);
  assert_status (&s, 1);
  assert_contains (s.err, ". is a directory");
  write_file ("p.py", "");
  spawn_cli (&s, "run", "p.py", NULL);
  assert_status (&s, 0);
  g_assert_cmpstr (s.out, ==, "");
  spawn_cli (&s, "run", "p.py", "--rules", "nofile.rules", NULL);
  assert_status (&s, 1);
  assert_contains (s.err, "nofile.rules");
  write_file ("bytes.rules", "\x1b[31m\xff: x\n");
  spawn_cli (&s, "run", "p.py", "--rules", "bytes.rules", NULL);
  assert_status (&s, 1);
  g_assert_cmpstr (s.err, ==, "lazyscope-cli: bytes.rules is not a rule file: it is not valid UTF-8 text\n");
  write_file ("bad.rules", "# One.\none: x:int + -> x\n");
  spawn_cli (&s, "run", "p.py", "--rules", "bad.rules", NULL);
  assert_status (&s, 1);
  assert_contains (s.err, "bad.rules:2:");
  assert_contains (s.err, "^");
}

static void
test_recordings (void)
{
  g_auto (Spawned) s = { 0 };
  g_autofree char *matmul = program_path ("matmul.py"), *bytes = NULL;
  static const char *const commands[] = { "show", "steps", "verify" };
  gsize n;
  spawn_cli (&s, "run", matmul, "--record", "m.lscope", NULL);
  assert_status (&s, 0);
  g_assert_true (g_file_get_contents ("m.lscope", &bytes, &n, NULL));
  exec_sql ("foreign.lscope", "CREATE TABLE t(a); INSERT INTO t VALUES (1)");
  g_assert_true (g_file_set_contents ("newer.lscope", bytes, (gssize) n, NULL));
  exec_sql ("newer.lscope", "PRAGMA user_version = 999");
  g_assert_true (g_file_set_contents ("truncated.lscope", bytes, (gssize) n / 3, NULL));
  g_assert_true (g_file_set_contents ("corrupt.lscope", bytes, (gssize) n, NULL));
  exec_sql ("corrupt.lscope", "UPDATE nodes SET op = 'NOPE' WHERE id = 5");
  write_file ("text.lscope", "print(1)\n");
  write_file ("empty.lscope", "");
  const struct { const char *file, *says; } wrong[] = {
    { "none.lscope", "No such file or directory" }, { "foreign.lscope", "is not a Lazyscope recording" }, { "newer.lscope", "version" },
    { "truncated.lscope", "is damaged or incomplete: record the program again" }, { "corrupt.lscope", "nodes: row 5" },
    { "corrupt.lscope", "is damaged or incomplete: record the program again" }, { "text.lscope", "text.lscope" },
    { "empty.lscope", "empty.lscope" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    for (gsize c = 0; c < G_N_ELEMENTS (commands); c++) {
      spawn_cli (&s, commands[c], wrong[i].file, NULL);
      if (s.status != 1 || *s.out || !strstr (s.err, wrong[i].says))
        g_error ("%s %s: exit status %d, stdout '%s', stderr '%s'", commands[c], wrong[i].file, s.status, s.out, s.err);
    }
  spawn_cli (&s, "run", "m.lscope", NULL);
  assert_status (&s, 1);
  assert_contains (s.err, "is a recording, not a program");
  g_assert_true (g_file_set_contents ("m.runs", "[runs]\nversion=1\n", -1, NULL));
  spawn_cli (&s, "show", "m.runs", NULL);
  assert_status (&s, 1);
  assert_contains (s.err, "give one of the recordings");
  /* a recording is recognized by its contents */
  g_assert_cmpint (g_rename ("m.lscope", "m.data"), ==, 0);
  spawn_cli (&s, "verify", "m.data", NULL);
  assert_status (&s, 0);
}

/* A place where a recording cannot be written: an error, and the existing file is unchanged. */
static void
test_record_errors (void)
{
  g_auto (Spawned) s = { 0 };
  g_autofree char *cast = program_path ("cast.py"), *kept = NULL;
  write_file ("kept.txt", "kept\n");
  g_mkdir ("closed", 0500);
  const struct { const char *to, *says; } wrong[] = {
    { "no/such/folder.lscope", "no/such/folder.lscope" }, { "kept.txt", "was not overwritten" }, { ".", "directory" },
    { "/dev/full", "/dev/full" }, { "closed/a.lscope", "closed/a.lscope" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++) {
    if (i == 4 && geteuid () == 0) {
      g_test_message ("a folder without write permission is not tried: root may write anywhere");
      break;
    }
    spawn_cli (&s, "run", cast, "--record", wrong[i].to, NULL);
    assert_status (&s, 1);
    assert_contains (s.err, wrong[i].says);
  }
  g_assert_true (g_file_get_contents ("kept.txt", &kept, NULL, NULL));
  g_assert_cmpstr (kept, ==, "kept\n");
  g_rmdir ("closed");
  /* a full disk behind stdout */
  g_autofree char *to_full = g_strdup_printf ("\"$0\" run %s > /dev/full", cast);
  spawn_argv (&s, (const char *const[]) { "sh", "-c", to_full, g_getenv ("LAZYSCOPE_CLI"), NULL });
  assert_status (&s, 1);
  assert_contains (s.err, "No space left on device");
}

/* The disk fills up while a recording is written: the program's output stays valid, and the recording so far can be read. */
static void
test_disk_full (void)
{
  g_auto (Spawned) s = { 0 }, whole = { 0 };
  g_autofree char *mlp = program_path ("mlp.py");
  spawn_argv (&s, (const char *const[]) { "unshare", "-rm", "sh", "-c", "mkdir full && mount -t tmpfs -o size=64k none full", NULL });
  if (s.status != 0) {
    g_test_skip ("a small file system cannot be mounted here (unshare -rm)");
    return;
  }
  spawn_cli (&whole, "run", mlp, NULL);
  static const char *const sizes[] = { "220k", "300k", "400k" };
  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++) {
    g_autofree char *script = g_strdup_printf ("mount -t tmpfs -o size=%s none full && cd full && \"$0\" run %s --record a.lscope; rc=$?; "
                                               "\"$0\" verify a.lscope >&2; [ $? = 6 ] || exit 9; exit $rc", sizes[i], mlp);
    spawn_argv (&s, (const char *const[]) { "unshare", "-rm", "sh", "-c", script, g_getenv ("LAZYSCOPE_CLI"), NULL });
    assert_status (&s, 1);
    assert_contains (s.err, "a.lscope: ");
    assert_contains (s.err, "disk is full");
    g_assert_cmpstr (s.out, ==, whole.out);
  }
  /* a file system that takes nothing: said before the program runs */
  g_autofree char *script = g_strdup_printf ("mount -t tmpfs -o ro none full && \"$0\" run %s --record full/a.lscope", mlp);
  spawn_argv (&s, (const char *const[]) { "unshare", "-rm", "sh", "-c", script, g_getenv ("LAZYSCOPE_CLI"), NULL });
  assert_status (&s, 1);
  g_assert_cmpstr (s.out, ==, "");
  assert_contains (s.err, "full/a.lscope: ");
  g_rmdir ("full");
}

/* A compiler that is not here: what there is instead, and not the same again. */
static void
test_no_runner (void)
{
  g_auto (Spawned) s = { 0 };
  g_autofree char *cast = program_path ("cast.py"), *was = g_strdup (g_getenv ("LAZYSCOPE_RUNNER"));
  g_setenv ("LAZYSCOPE_RUNNER", "/nonexistent/lazyscope-runner", TRUE);
  spawn_cli (&s, "run", cast, NULL);
  assert_status (&s, 1);
  assert_contains (s.err, "compiler tcc: lazyscope-runner, which runs compiled kernels, is not installed; the available ones: "
                          "--compiler interp\n");
  spawn_cli (&s, "run", cast, "--compiler", "interp", NULL);
  assert_status (&s, 0);
  g_setenv ("LAZYSCOPE_RUNNER", was, TRUE);
}

static int
take_number (void *number, int n, char **values, char **names)
{
  *(gint64 *) number = g_ascii_strtoll (values[0], NULL, 10);
  return 0;
}

/* A buffer of more than a gigabyte keeps neither statistics nor a digest, which would take longer than any limit of its kernel. */
static void
test_large_buffer (void)
{
  g_auto (Spawned) s = { 0 };
  write_file ("large.py", "from tinygrad import Tensor\n(Tensor.ones(20000, 20000) + 1).contiguous().realize()\n");
  spawn_cli (&s, "run", "large.py", "--set", "TIMEOUT_MS=20", "--record", "large.lscope", NULL);
  assert_status (&s, 1);
  assert_contains (s.err, "large.py:2:");
  assert_contains (s.err, "ran past its limit of 20 ms");
  sqlite3 *db;
  gint64 n = 0;
  g_assert_cmpint (sqlite3_open ("large.lscope", &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, "SELECT count(*) FROM buffers WHERE n_elements = 400000000 AND digest IS NULL AND data IS NULL AND "
                                     "min IS NULL", take_number, &n, NULL), ==, SQLITE_OK);
  sqlite3_close (db);
  g_assert_cmpint (n, ==, 1);
  spawn_cli (&s, "verify", "large.lscope", NULL);
  assert_status (&s, 0);
}

/* A recording whose rules were made to say something else: they are matched, not run. */
static void
test_edited_rules (void)
{
  static const char *const texts[] = { "LOAD(*) -> build lower_load", "LOAD(INDEX(b, i)) -> LOAD(INDEX(b, index(b)))",
                                       "o=ALU(xs*) -> o(xs*, xs*)", "o=ALU(xs*) -> o(lane(xs, 99)*):vec(o, 4095)",
                                       "ALU(*) -> build reduce_to_acc(self)",
                                       "ADD(x, y) -> build index(x)", "x ->" };
  static const char *const commands[] = { "rules", "verify", "bisect", "steps" };
  g_auto (Spawned) s = { 0 };
  write_file ("edited.py", "from tinygrad import Tensor\na = Tensor.arange(12).reshape(3, 4)\nprint((a * 2 + 1).sum(axis=1).tolist())\n");
  spawn_cli (&s, "run", "edited.py", "--compiler", "interp", "--record", "edited.lscope", NULL);
  assert_status (&s, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autofree char *sql = g_strdup_printf ("UPDATE rules SET text = '%s'", texts[i]);
    exec_sql ("edited.lscope", sql);
    for (gsize k = 0; k < G_N_ELEMENTS (commands); k++) {
      spawn_cli (&s, commands[k], "edited.lscope", NULL);
      assert_status (&s, strcmp (commands[k], "verify") == 0 ? 3 : 0);
    }
    for (guint node = 30; node < 45; node++) {
      g_autofree char *number = g_strdup_printf ("%u", node);
      spawn_cli (&s, "why-not", "edited.lscope", "--kernel", "1", "--pass", "simplify", "--node", number, "--rule", "add-zero",
                 node % 2 ? "--json" : NULL, NULL);
      assert_status (&s, 0);
    }
  }
}

/* A rule that breaks a graph ends each command that runs it in the same way, and the recording of that run opens. */
static void
test_broken_by_rules (void)
{
  g_auto (Spawned) s = { 0 };
  write_file ("broken.py", "from tinygrad import Tensor; a = Tensor.arange(12).reshape(3, 4)\nprint((a * 2 + 1).sum(axis=1).tolist())\n");
  write_file ("wrong.rules", "set symbolic\n# It loses a source.\nloses: o=ADD(x, y) -> o(x)\n");
  static const char *const commands[] = { "run", "bench", "bisect", "show" };
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++) {
    spawn_cli (&s, commands[i], "broken.py", "--rules", "wrong.rules", NULL);
    assert_status (&s, 1);
    assert_contains (s.err, "wrong.rules:3: rule loses, step 1: the result for ADD node");
  }
  spawn_cli (&s, "run", "broken.py", "--rules", "wrong.rules", "--record", "broken.lscope", NULL);
  assert_status (&s, 1);
  for (gsize i = 0; i < 2; i++) {
    spawn_cli (&s, i ? "verify" : "steps", "broken.lscope", NULL);
    assert_status (&s, i ? 5 : 0);
  }
}

int
main (int argc, char **argv)
{
  static const struct { const char *path; void (*test) (void); } tests[] = {
    { "/cli/usage", test_usage }, { "/cli/program-errors", test_program_errors }, { "/cli/recordings", test_recordings },
    { "/cli/record-errors", test_record_errors }, { "/cli/disk-full", test_disk_full }, { "/cli/no-runner", test_no_runner },
    { "/cli/large-buffer", test_large_buffer }, { "/cli/edited-rules", test_edited_rules },
    { "/cli/broken-by-rules", test_broken_by_rules },
  };
  g_test_init (&argc, &argv, NULL);
  enter_folder ();
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add_func (tests[i].path, tests[i].test);
  int status = g_test_run ();
  leave_folder ();
  return status;
}
