/* Rules that are wrong: made up from templates, thousands of them, and named ones. Each ends as a program that works or as an error
 * that says which rule, never otherwise.
 *
 * wrong-rules.h makes them up. test-hostile --hunt FIRST COUNT [FOLDER] runs each rule in a process of its own and leaves those that
 * break down in FOLDER.
 */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../fuzz/rules-program.h"
#include "../sample.h"
#include "wrong-rules.h"

static int
hunt (guint32 first, guint32 count, const char *folder)
{
  const LsRuleSetInfo *sets = ls_pipeline_rules ()->sets;
  guint n_sets = count_sets (sets), n_found = 0, parsed = 0;
  g_mkdir_with_parents (folder, 0700);
  for (guint32 seed = first; seed < first + count; seed++) {
    g_autofree char *text = write_rules (seed, sets, n_sets), *path = g_strdup_printf ("%s/%u.rules", folder, seed),
                    *log = g_strdup_printf ("%s/%u.log", folder, seed);
    g_autoptr (LsRuleLibrary) library = ls_rule_library_parse (ls_pipeline_rules (), text, "fuzz.rules", NULL);
    parsed += library != NULL;
    if (!library && seed % 16)
      continue;
    pid_t child = fork ();
    if (child == 0) {
      if (!freopen (log, "w", stderr))
        _exit (3);
      alarm (20);
      rules_run (text);
      _exit (0);
    }
    int status = 0;
    waitpid (child, &status, 0);
    if (status == 0) {
      g_unlink (log);
      continue;
    }
    n_found++;
    g_file_set_contents (path, text, -1, NULL);
  }
  g_print ("%u rule files, %u of them parsed, %u broke down\n", count, parsed, n_found);
  return n_found != 0;
}

/* --- tests --- */

/* The error in each, and its message: for a text alone with line, column and caret, for a run with rule, step and both nodes. */
static const struct { const char *name, *text, *message; } named[] = {
  { "term-of-another-pass", "set symbolic\n# x\nw: LOAD(g=DEFINE_GLOBAL(), VIEW[v]()) -> LOAD(INDEX(g, index(v)))\n",
    "wrong.rules:3:56: error: 'index' needs the context of the passes of 'lower', and the rule belongs to the set symbolic\n    w: "
    "LOAD(g=DEFINE_GLOBAL(), VIEW[v]()) -> LOAD(INDEX(g, index(v)))\n                                                           ^" },
  { "argument-kind", "set lower\n# x\nw: LOAD(g=DEFINE_GLOBAL(), VIEW[v]()) -> LOAD(INDEX(g, index(g)))\n",
    "wrong.rules:3:56: error: expected index (view) -> node or index (view, nodes) -> node, not index (node)\n" },
  { "too-few-written", "set symbolic\n# x\nw: ADD(x, y) -> MUL(x)\n",
    "wrong.rules:3:17: error: MUL takes 2 sources, not 1\n    w: ADD(x, y) -> MUL(x)\n                    ^" },
  { "no-such-set", "set simplification\n# x\nw: x + 0 -> x\n",
    "wrong.rules:1:1: error: no pass uses the rule set 'simplification'; there are widen, narrow, text, gradient, quotient, tensor, "
    "variance, split, ast, lower, symbolic, gates, options, expand, accumulate, dims, lanes, devectorize, tile, coalesce, decompose, "
    "contract, index, spell, registers\n" },
  { "too-few", "set symbolic\n# x\nw: o=ADD(x, y) -> o(x)\n",
    "wrong.rules:3: rule w, step 1: the result for ADD node 138: ADD: it has the wrong number of sources" },
  { "too-many", "set symbolic\n# x\nw: o=ADD(xs*) -> o(xs*, xs*)\n",
    "wrong.rules:3: rule w, step 1: the result for ADD node 138: ADD: it has the wrong number of sources" },
  { "reshape", "set tensor\n# x\nw: RESHAPE(x) -> x\n", "wrong.rules:3: rule w, step 1: it makes BUFFER node 0 from RESHAPE node 1, "
                                                        "and shape (24,) from (4, 6); a result must have the shape of the node that it "
                                                        "replaces" },
  { "expand", "set tensor\n# x\nw: EXPAND(x) -> x\n", "from EXPAND node" },
  { "reduce", "set tensor\n# x\nw: REDUCE_AXIS(x) -> x\n", "from REDUCE_AXIS node" },
  { "other-dtype", "set symbolic\n# x\nw: ADD(x:int, y) -> CAST(x):float\n",
    "and dtype dtypes.float from dtypes.index; a result must have the dtype of the node that it replaces" },
  { "float-op-of-int", "set tensor\n# x\nw: FLOORDIV(x, y) -> SQRT(x)\n", "its dtype must be a float" },
  { "no-such-reduce", "set tensor\n# x\nw: REDUCE_AXIS[op, a*](x) -> REDUCE_AXIS[SIN, a*](x)\n",
    "the op of a reduce must be ADD, MUL or MAX" },
  { "no-such-argument", "set decompose\n# x\nw: INDEX(g=DEFINE_GLOBAL[0](), i) -> INDEX(DEFINE_GLOBAL[7]():g, i)\n",
    "the kernel has no such argument" },
  { "left-behind", "set decompose\n# x\nw: SQRT(CAST(x)) -> SQRT(GEP[0](VECTORIZE(CAST(x):float)))\n", "rule w" },
  { "range-replaced", "set decompose\n# x\nw: RANGE(n) -> PERMUTE[1, 0](n)\n",
    "wrong.rules:3: rule w, step 3: it breaks DEFINE_ACC node 161: node 161 (DEFINE_ACC): it reduces over a node that is not a range" },
  { "no-lanes", "set expand\n# x\nw: LOAD(i) -> GEP[5](LOAD(i))\n", "its source does not have these lanes" },
  { "several-in-argument", "set tensor\n# x\nw: RESHAPE[a*](x) -> RESHAPE[k + 1 for k in 3](x)\n",
    "rule w, step 1: it makes RESHAPE node" },
  { "too-wide", "set expand\n# x\nw: ADD(x, y) -> VECTORIZE(VECTORIZE(x for j in 1000) for k in 1000)\n",
    "the result is too large" },
  { "grows", "set symbolic\n# x\nw: RANGE(n) * $a -> RANGE[9, 0, 0](3) * ($a + 1) + RANGE[8, 0, 0](2) * ($a + 2)\n",
    "w would fire endlessly" },
  { "no-end", "set symbolic\n# x\nw: r=RANGE[a, t, p]($n) -> RANGE[a, t, p]($n + 1)\n", "w would fire endlessly" },
  { "comes-round", "set symbolic\n# x\nw: ADD(x, y) -> (x + y) * 1\n", "the result of w contains its own match (ADD" },
};

/* An error in the text, or, without limits but the default ones, in the run. */
static char *
error_of (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp (NULL, NULL), *path = g_build_filename (folder, "wrong.rules", NULL);
  const char *files[] = { path, NULL };
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_autoptr (LsRuleLibrary) library = ls_rule_library_new (ls_pipeline_rules (), files, NULL, &error);
  g_unlink (path);
  g_rmdir (folder);
  if (error)
    return g_strdup (strstr (error->message, "wrong.rules"));
  LsSettings settings;
  ls_settings_init (&settings);
  settings.NODE_LIMIT = 100000;
  GError *ran = rules_run_program (library, "c", NULL, &settings);
  char *message = ran ? g_strdup (ran->message) : NULL;
  g_assert_true (!ran || ran->code == LS_ERROR_RULE || ran->code == LS_ERROR_REWRITE);
  g_clear_error (&ran);
  return message;
}

static void
by_name (gconstpointer data)
{
  gsize i = GPOINTER_TO_SIZE (data);
  g_autofree char *message = error_of (named[i].text);
  if (!message || !strstr (message, named[i].message))
    g_error ("%s: '%s' instead of '%s'", named[i].name, message ? message : "no error", named[i].message);
}

/* A recording's rule is matched and never run, whatever its text was made to say. */
static void
recorded_text (void)
{
  static const char *const texts[] = { "LOAD(*) -> build lower_load", "RANGE(n) -> build reduce_to_acc(self)",
                                       "LOAD(INDEX(b, i)) -> LOAD(INDEX(b, index(b)))", "o=ADD(xs*) -> o(xs*, xs*)",
                                       "o=ALU(xs*) -> o(lane(xs, 99)*):vec(o, 4095)" };
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autofree char *text = g_strdup_printf ("set symbolic\n# x\nw: %s\n", texts[i]);
    g_autoptr (LsRuleLibrary) library = ls_rule_library_parse (NULL, text, "recorded", NULL);
    if (library)
      ask (library);
  }
}

static void
made_up (void)
{
  const LsRuleSetInfo *sets = ls_pipeline_rules ()->sets;
  guint n_sets = count_sets (sets);
  for (guint32 seed = 1, share = fixture_sample (6, "rule files"); seed <= 1500; seed += share) {
    g_autofree char *text = write_rules (seed, sets, n_sets);
    rules_run (text);
  }
}

int
main (int argc, char **argv)
{
  if (argc >= 4 && strcmp (argv[1], "--hunt") == 0)
    return hunt ((guint32) atoi (argv[2]), (guint32) atoi (argv[3]), argc > 4 ? argv[4] : "hostile");
  if (argc >= 3 && strcmp (argv[1], "--run") == 0) {
    g_autofree char *text = NULL;
    if (!g_file_get_contents (argv[2], &text, NULL, NULL))
      return 1;
    rules_run (text);
    return 0;
  }
  if (argc >= 3 && strcmp (argv[1], "--show") == 0) {
    const LsRuleSetInfo *sets = ls_pipeline_rules ()->sets;
    g_autofree char *text = write_rules ((guint32) atoi (argv[2]), sets, count_sets (sets));
    g_print ("%s", text);
    return 0;
  }
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (named); i++) {
    g_autofree char *path = g_strdup_printf ("/rewrite/hostile/named/%s", named[i].name);
    g_test_add_data_func (path, GSIZE_TO_POINTER (i), by_name);
  }
  g_test_add_func ("/rewrite/hostile/recorded-text", recorded_text);
  g_test_add_func ("/rewrite/hostile/made-up", made_up);
  return g_test_run ();
}
