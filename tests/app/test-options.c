/* Every option with every command, for a program and for a recording, by the table that lazyscope-cli is made of: used options are
 * accepted, any other is wrong usage with the option, the command, and the option's purpose. */
#include "spawn.h"

#include "../sample.h"
#include "options.h"

#include <string.h>

static const struct { const char *name; LsCliKind kind; guint program, recording; const char *help; } options[] = {
#define X(member, name, letter, kind, least, program, recording, arg, help) { name, kind, program, recording, help },
#include "options.def"
#undef X
};

/* A value that the option takes. */
static const struct { const char *name, *value; } values[] = {
  { "stage", "source" }, { "pass", "ast" }, { "rule", "add-zero" }, { "format", "json" }, { "layout", "own" }, { "find", "nan" },
  { "element", "0" },
  { "instruction", "0" },
  { "expect", "p.json" }, { "rows", "1:2" },
  { "record", "o.lscope" }, { "html", "o.html" }, { "output", "o.c" }, { "folder", "." },
  { "target", "c" }, { "compiler", "interp" }, { "variant", "NOOPT=1" },
  { "set", "profile=modern" }, { "rules", "p.rules" }, { "disable", "add-zero" }, { "command", "print(1)" }, { "name", "x" },
};

static const char *
value_of (gsize option)
{
  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    if (strcmp (values[i].name, options[option].name) == 0)
      return values[i].value;
  g_assert_cmpint (options[option].kind, ==, NUMBER);
  return "1";
}

/* The command in this mode, with the option unless that is -1; FALSE where there is no such command: these take no recording. */
static gboolean
spawn_mode (Spawned *s, guint mode, gboolean recording, gssize option)
{
  const char *file = recording ? "r.lscope" : "p.py";
  g_autofree char *place = g_strconcat (file, "#1", NULL), *base = g_strconcat (file, "#1/ast/0", NULL);
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  if (recording && (mode == LS_CLI_RUN || mode == LS_CLI_SEARCHED || mode == LS_CLI_BENCH))
    return FALSE;
  g_ptr_array_add (argv, (gpointer) g_getenv ("LAZYSCOPE_CLI"));
  g_ptr_array_add (argv, (gpointer) (mode == LS_CLI_SLOW || mode == LS_CLI_SEARCHED ? "run" : mode == LS_CLI_PLACES
                                     ? "diff" : ls_cli_mode_names[mode]));
  if (mode == LS_CLI_SLOW)
    g_ptr_array_add (argv, (gpointer) "--slow");
  if (mode == LS_CLI_SEARCHED)
    g_ptr_array_add (argv, (gpointer) "--search=1");
  /* a command that uses it has its program from it */
  if (option < 0 || strcmp (options[option].name, "command") != 0 || !(options[option].program >> mode & 1) || recording)
    g_ptr_array_add (argv, mode == LS_CLI_PLACES ? place : (gpointer) file);
  if (mode == LS_CLI_DIFF || mode == LS_CLI_PLACES)
    g_ptr_array_add (argv, mode == LS_CLI_PLACES ? base : (gpointer) file);
  g_autofree char *word = option < 0 ? NULL : g_strdup_printf ("--%s", options[option].name);
  g_ptr_array_add (argv, word);
  if (word && options[option].kind != FLAG)
    g_ptr_array_add (argv, (gpointer) value_of ((gsize) option));
  g_ptr_array_add (argv, NULL);
  spawn_argv (s, (const char *const *) argv->pdata);
  return TRUE;
}

static void
test_pairs (void)
{
  g_auto (Spawned) s = { 0 };
  guint n_used = 0, n_unused = 0, share = fixture_sample (12, "pairs used"), share_unused = fixture_share (4, 24, "pairs not used");
  write_file ("p.py", "from tinygrad import Tensor\nprint((Tensor([1, 2, 3]) + Tensor([4, 5, 6])).tolist())\n");
  write_file ("p.rules", "set symbolic\n# One.\none: x:int + 77 -> x + 77 when x == 78\n");
  spawn_cli (&s, "run", "p.py", "--record", "r.lscope", NULL);
  assert_status (&s, 0);
  spawn_cli (&s, "run", "p.py", "--json", NULL);
  write_file ("p.json", s.out);
  for (guint mode = 0; mode < LS_CLI_N_MODES; mode++)
    for (int recording = 0; recording < 2; recording++)
      for (gsize i = 0; i < G_N_ELEMENTS (options); i++) {
        gboolean used = (recording ? options[i].recording : options[i].program) >> mode & 1;
        gboolean changes = strcmp (options[i].name, "slow") == 0 ? mode == LS_CLI_RUN || mode == LS_CLI_SEARCHED
                                                                 : strcmp (options[i].name, "search") == 0 && mode == LS_CLI_RUN;
        if ((i + mode) % (used ? share : share_unused) || changes || !spawn_mode (&s, mode, recording, (gssize) i))
          continue;      /* it makes it another mode */
        g_autofree char *option = g_strdup_printf ("--%s", options[i].name);
        gboolean refused = s.status == 2 && g_str_has_prefix (s.err, "lazyscope-cli: ") && strstr (s.err, option) &&
                           strstr (s.err, ls_cli_mode_names[mode]) && (!options[i].help || strstr (s.err, options[i].help)) &&
                           (strstr (s.err, "does not use") || strstr (s.err, "is a recording, which is not run again"));
        if (used == refused || (refused && (*s.out || n_lines (s.err) != 1)))
          g_error ("%s of a %s: --%s is %s: exit status %d, '%s'", ls_cli_mode_names[mode], recording ? "recording" : "program",
                   options[i].name, used ? "refused" : "not refused", s.status, s.err);
        *(used ? &n_used : &n_unused) += 1;
      }
  g_test_message ("%u pairs used, %u not", n_used, n_unused);
  g_assert_cmpuint (n_used, >, 150 / share);
  g_assert_cmpuint (n_unused, >, 600 / share_unused);
}

/* Each is used by some command, for a recording only if for a program, listed by the help of its commands and no others, and in the
 * manual. */
static void
test_table (void)
{
  g_autofree char *manual = NULL;
  g_assert_true (g_file_get_contents (g_getenv ("LAZYSCOPE_MANUAL"), &manual, NULL, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (options); i++) {
    g_autofree char *in_manual = g_strdup_printf ("\\-\\-%s", options[i].name);
    g_assert_cmpuint (options[i].program, !=, 0);
    g_assert_cmpuint (options[i].recording & ~options[i].program, ==, 0);
    if (!strstr (manual, in_manual))
      g_error ("--%s is not in the manual", options[i].name);
  }
  for (guint mode = 0; mode < LS_CLI_N_MODES; mode++) {
    g_auto (Spawned) s = { 0 };
    if (mode == LS_CLI_SLOW || mode == LS_CLI_SEARCHED || mode == LS_CLI_PLACES)
      continue;
    spawn_cli (&s, ls_cli_mode_names[mode], "--help", NULL);
    assert_status (&s, 0);
    guint bits = 1u << mode | (mode == LS_CLI_RUN ? SLOW | SEARCHED : mode == LS_CLI_DIFF ? PLACES : 0);
    for (gsize i = 0; i < G_N_ELEMENTS (options); i++) {
      g_autofree char *plain = g_strdup_printf ("--%s ", options[i].name), *with = g_strdup_printf ("--%s=", options[i].name);
      if ((strstr (s.out, plain) || strstr (s.out, with)) != ((options[i].program & bits) != 0))
        g_error ("%s --help: --%s", ls_cli_mode_names[mode], options[i].name);
    }
  }
}

/* Combinations of options. */
static void
test_together (void)
{
  static const struct { const char *args[8]; const char *says; } wrong[] = {
    { { "bench", "p.py", "--variant", "NOOPT=0", "--variant", "NOOPT=1" }, "bench runs one variant" },
    { { "run", "p.py", "--variant", "NOOPT=0", "--variant", "NOOPT=1" }, "run runs one variant" },
    { { "run", "p.py", "--no-cache" }, "run does not use --no-cache" },
    { { "run", "p.py", "--slow", "--search", "1" }, "run --slow does not use --search" },
    { { "diff", "p.py", "--variant", "A=0", "--variant", "A=1", "--variant", "A=2" }, "--variant can be given twice" },
    { { "show", "r.lscope", "--kernel", "1", "--kernel", "2" }, "--kernel is given twice" },
    { { "show", "r.lscope#1/ast", "--kernel", "1" }, "'r.lscope#1/ast' and --kernel both name the kernel" },
    { { "show", "r.lscope#1/ast", "--pass", "ast" }, "both name the pass" },
    { { "why-not", "r.lscope#1/ast?node=3", "--node", "3" }, "both name the node" },
    { { "verify", "r.lscope#1" }, "verify does not use --kernel" },
    { { "show", "r.lscope#1/ast?node=3" }, "show does not use --node" },
    { { "show", "r.lscope#1~1/ast" }, "show uses one place" },
    { { "show", "r.lscope#1/ast/x" }, "'1/ast/x' is not a place: 'x' is not a step's number" },
    { { "show", "r.lscope", "--set", "NOOPT=1", "--stage", "listing" }, "--set NOOPT=1 is for a program" },
    { { "show", "r.lscope", "--set", "profile=modern" }, "it needs --stage listing or exprs" },
    { { "show", "r.lscope", "--json", "--format", "text" }, "cannot be given together" },
    { { "show", "r.lscope", "--stage", "program", "--kernel", "1" }, "does not belong to a kernel" },
    { { "blame", "r.lscope", "--from", "2", "--kernel", "1" }, "omit the kernel" },
    { { "blame", "r.lscope#1/ast", "--line", "2" }, "--pass needs --node" },
    { { "blame", "r.lscope", "--from", "2", "--set", "profile=modern" }, "--from has no rows" },
    { { "values", "r.lscope#1/ast", "--find", "nan", "--max", "3" }, "--max limits the values of a node" },
    { { "values", "r.lscope#1/ast", "--find", "nan", "--element", "0" }, "they are not used with --find" },
    { { "steps", "r.lscope#1/ast/0" }, "its steps are numbered from 1" },
    { { "steps", "r.lscope", "--step", "1" }, "--step needs --pass" },
    { { "diff", "r.lscope#1", "r.lscope" }, "a place can only be compared with a place" },
    { { "diff", "r.lscope#1" }, "a place can only be compared with a place" },
    { { "diff", "r.lscope#1~1/ast", "r.lscope#1" }, "a place can only be compared with a place" },
    { { "diff", "r.lscope#1~1/ast?node=3" }, "does not use the node" },
    { { "diff", "r.lscope#1~1/ast", "--json", "--context", "1" }, "does not use --context" },
    { { "diff", "r.lscope#1~1/nope" }, "kernel 1 has no pass 'nope'; it has schedule, ast" },
  };
  g_auto (Spawned) s = { 0 };
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++) {
    const char *const *a = wrong[i].args;
    spawn_cli (&s, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], NULL);
    if (s.status != 2 || *s.out || !strstr (s.err, wrong[i].says) || n_lines (s.err) != 1)
      g_error ("row %d: exit status %d, stdout '%s', stderr '%s'", (int) i, s.status, s.out, s.err);
  }
}

/* A place says what options say, in each command that takes one. */
static void
test_places (void)
{
  static const struct { const char *place[5], *options[10]; } same[] = {
    { { "show", "r.lscope#1/lower/2" }, { "show", "r.lscope", "--kernel", "1", "--pass", "lower", "--step", "2" } },
    { { "show", "r.lscope#1/lower" }, { "show", "r.lscope", "--kernel", "1", "--pass", "lower" } },
    { { "steps", "r.lscope#1/lower" }, { "steps", "r.lscope", "--kernel", "1", "--pass", "lower" } },
    { { "steps", "r.lscope#1/lower/2" }, { "steps", "r.lscope", "--kernel", "1", "--pass", "lower", "--step", "2" } },
    { { "steps", "r.lscope#1" }, { "steps", "r.lscope", "--kernel", "1" } },
    { { "blame", "r.lscope#1", "--line", "3" }, { "blame", "r.lscope", "--kernel", "1", "--line", "3" } },
    { { "diff", "r.lscope#1/lower/2~1/lower/0" }, { "diff", "r.lscope#1/lower/0", "r.lscope#1/lower/2" } },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (same); i++) {
    g_auto (Spawned) x = { 0 }, y = { 0 };
    const char *const *a = same[i].place, *const *b = same[i].options;
    spawn_cli (&x, a[0], a[1], a[2], a[3], NULL);
    spawn_cli (&y, b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], NULL);
    assert_status (&x, y.status);
    g_assert_cmpstr (x.out, ==, y.out);
    g_assert_true (*x.out && !*x.err);
  }
  /* a kernel alone is its last rewrites, whose output is the graph that the listing is made of */
  g_auto (Spawned) kernel = { 0 }, last = { 0 }, node = { 0 };
  spawn_cli (&kernel, "show", "r.lscope#1", NULL);
  spawn_cli (&last, "show", "r.lscope#1/index", NULL);
  assert_status (&kernel, 0);
  g_assert_cmpstr (kernel.out, ==, last.out);
  spawn_cli (&node, "blame", "r.lscope#1/ast/0?node=2", NULL);
  assert_status (&node, 0);
  assert_contains (node.out, "node 2 ");
  assert_contains (node.out, "line 2: print(");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  enter_folder ();
  g_test_add_func ("/options/pairs", test_pairs);
  g_test_add_func ("/options/table", test_table);
  g_test_add_func ("/options/together", test_together);
  g_test_add_func ("/options/places", test_places);
  int status = g_test_run ();
  leave_folder ();
  return status;
}
