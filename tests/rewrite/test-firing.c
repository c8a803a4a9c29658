/* Every built-in rule fires in some program: those in firing/, the cases and the examples, each under several settings. The programs
 * in firing/ fire all of them; a rule that none of them fires is searched for in the others, which takes ten times as long.
 * LS_SLOWLY=1 runs all.
 *
 * A rule that never fires is either dead or untested. Where a rule's case is rare, firing/ has a program made for it; where the Tensor API
 * never makes it, because it leaves out what changes nothing, a graph is written here.
 */
#include "program/program.h"
#include "../pass.h"
#include "pipeline/pipeline.h"
#include "rewrite/driver.h"
#include "ir/print.h"
#include "pipeline/session.h"

#include <string.h>

static const struct { const char *target, *compiler, *options, *settings[4]; } ways[] = {
  { "c", "tcc", NULL, { NULL } },
  { "c", "tcc", NULL, { "profile=classic" } },
  { "c", "tcc", NULL, { "NOOPT=1", "MERGE_VIEWS=0" } },
  { "c", "tcc", "UPCAST:0:4,UNROLL:1:4", { NULL } },
  { "c", "tcc", NULL, { "EXPAND_SSA=1" } },
  { "c", "interp", NULL, { "DEVECTORIZE=0", NULL } },
  { "c", "interp", "UPCAST:0:4,UPCAST:1:4,UNROLL:2:4", { "DEVECTORIZE=0", NULL } },
  { "c", "interp", NULL, { "FMA=1", NULL } },
  { "c", "interp", NULL, { "WELFORD=1", "SPLIT_REDUCEOP=1", "REDUCEOP_SPLIT_THRESHOLD=64", NULL } },
  { "c", "interp", NULL, { "FAST_IDIV=1", NULL } },
  { "c", "interp", NULL, { "profile=modern", NULL } },
  { "c", "interp", "UNROLL:0:2", { "profile=modern", NULL } },
  { "c", "interp", "UNROLL:0:4", { "profile=modern", NULL } },
  { "c", "interp", "TILE:0:1,TILE:1:2", { NULL } },
  { "c", "interp", "SWAP:0:1,SWAP:1:2,SWAP:0:2,PADTO:0:3,"
                   "PADTO:0:7,PADTO:1:7,PADTO:2:7,GROUP:0:2,GROUP:1:2,GROUP:2:2,THREAD:0:2,THREAD:1:2,UPCAST:0:7,UPCAST:1:7", { NULL } },
  { "metal", "interp", NULL, { NULL } },
  { "metal", "interp", "PADTO:0:3,PADTO:0:7,GROUP:0:2,GROUP:1:2,GROUP:2:2,UPCAST:0:7,UPCAST:0:2", { NULL } },
};

/* c0: a variable of int; c1: it as an index */
#define A "c0 = UOp(Ops.DEFINE_VAR, dtypes.int, arg=('a', 0, 9))\nc1 = UOp(Ops.CAST, dtypes.index, (c0,))\n"
#define TWO "UOp(Ops.CONST, dtypes.index, arg=2)"
#define NARROW(node) A "root = UOp(Ops.CAST, dtypes.int, (" node ",))"
static const struct { const char *rule, *set, *graph; } graphs[] = {
  { "widen-neg", "widen", A "root = UOp(Ops.NEG, dtypes.int, (c0,))" },
  { "widen-compare", "widen", A "root = UOp(Ops.CMPLT, dtypes.bool, (c0, UOp(Ops.CONST, dtypes.int, arg=2)))" },
  { "widen-where", "widen", A "root = UOp(Ops.WHERE, dtypes.int, (UOp(Ops.DEFINE_VAR, dtypes.bool, arg=('b', 0, 1)), c0, UOp(Ops.CONST, "
                              "dtypes.int, arg=2)))" },
  { "narrow-cast-same", "narrow", NARROW ("c1") },
  { "narrow-cast", "narrow", A "root = UOp(Ops.CAST, dtypes.long, (c1,))" },
  { "narrow-const", "narrow", NARROW (TWO) },
  { "narrow-ring", "narrow", NARROW ("UOp(Ops.MUL, dtypes.index, (c1, " TWO "))") },
  { "narrow-neg", "narrow", NARROW ("UOp(Ops.NEG, dtypes.index, (c1,))") },
  { "narrow-where", "narrow", NARROW ("UOp(Ops.WHERE, dtypes.index, (UOp(Ops.DEFINE_VAR, dtypes.bool, arg=('b', 0, 1)), c1, " TWO "))") },
  { "narrow-whole", "narrow", NARROW ("UOp(Ops.FLOORDIV, dtypes.index, (c1, " TWO "))") },
  { "narrow-whole-long", "narrow", NARROW ("UOp(Ops.FLOORDIV, dtypes.index, (c1, UOp(Ops.CONST, dtypes.index, arg=8589934592)))") },
  { "narrow-compare", "narrow", A "root = UOp(Ops.CMPLT, dtypes.bool, (c1, " TWO "))" },
  { "narrow-compare-int", "narrow", A "root = UOp(Ops.CMPLT, dtypes.bool, (UOp(Ops.MUL, dtypes.index, (c1, c1)), " TWO "))" },
  { "narrow-compare-long", "narrow", A "root = UOp(Ops.CMPLT, dtypes.bool, (c1, UOp(Ops.CONST, dtypes.index, arg=8589934592)))" },
  { "narrow-other", "narrow", A "root = UOp(Ops.CAST, dtypes.float, (c1,))" },
  { "expand-same", "tensor", "UOp(Ops.EXPAND, dtypes.int, (UOp(Ops.BUFFER, dtypes.int, arg=(0, 6)),), arg=(6,))" },
  { "shrink-same", "tensor", "UOp(Ops.SHRINK, dtypes.int, (UOp(Ops.BUFFER, dtypes.int, arg=(0, 6)),), arg=(0, 6))" },
  { "pad-same", "tensor", "UOp(Ops.PAD, dtypes.int, (UOp(Ops.BUFFER, dtypes.int, arg=(0, 6)),), arg=(0, 0))" },
  { "tensor-cast-same", "tensor", "UOp(Ops.CAST, dtypes.int, (UOp(Ops.BUFFER, dtypes.int, arg=(0, 6)),))" },
  { "contiguous-contiguous", "tensor", "UOp(Ops.CONTIGUOUS, dtypes.int, (UOp(Ops.CONTIGUOUS, dtypes.int, (UOp(Ops.BUFFER, dtypes.int, "
                                       "arg=(0, 6)),)),))" },
  { "drop-detach", "tensor", "UOp(Ops.DETACH, dtypes.int, (UOp(Ops.BUFFER, dtypes.int, arg=(0, 6)),))" },
  { "assign-reshape", "tensor", "c0 = UOp(Ops.BUFFER, dtypes.int, arg=(0, 6))\nc1 = UOp(Ops.RESHAPE, dtypes.int, (c0,), arg=(2, 3))\nroot "
                                "= UOp(Ops.ASSIGN, dtypes.int, (c0, c1, UOp(Ops.NEG, dtypes.int, (c1,))))" },
  { "assign-permute", "tensor", "c0 = UOp(Ops.RESHAPE, dtypes.int, (UOp(Ops.BUFFER, dtypes.int, arg=(0, 6)),), arg=(2, 3))\nc1 = "
                                "UOp(Ops.PERMUTE, dtypes.int, (c0,), arg=(1, 0))\n"
    "root = UOp(Ops.ASSIGN, dtypes.int, (c0, c1, UOp(Ops.NEG, dtypes.int, (c1,))))" },
  { "assign-flip", "tensor", "c0 = UOp(Ops.BUFFER, dtypes.int, arg=(0, 6))\nc1 = UOp(Ops.FLIP, dtypes.int, (c0,), arg=(1,))\nroot = "
                             "UOp(Ops.ASSIGN, dtypes.int, (c0, c1, UOp(Ops.NEG, dtypes.int, (c1,))))" },
  { "assign-shrink", "tensor", "c0 = UOp(Ops.BUFFER, dtypes.int, arg=(0, 6))\nc1 = UOp(Ops.SHRINK, dtypes.int, (c0,), arg=(1, 3))\nroot = "
                               "UOp(Ops.ASSIGN, dtypes.int, (c0, c1, UOp(Ops.NEG, dtypes.int, (c1,))))" },
  { "reduce-empty", "tensor", "UOp(Ops.REDUCE_AXIS, dtypes.int, (UOp(Ops.BUFFER, dtypes.int, arg=(0, 0)),), arg=(Ops.ADD, (0,)))" },
  { "reduce-ones", "tensor", "UOp(Ops.REDUCE_AXIS, dtypes.int, (UOp(Ops.BUFFER, dtypes.int, arg=(0, 1)),), arg=(Ops.ADD, (0,)))" },
  { "less-mul-negative", "symbolic", "c0 = UOp(Ops.RANGE, dtypes.index, (UOp(Ops.CONST, dtypes.index, arg=8),), arg=(0, 0, 0))\n"
    "root = UOp(Ops.CMPLT, dtypes.bool, (UOp(Ops.MUL, dtypes.index, (c0, UOp(Ops.CONST, dtypes.index, arg=-3))), UOp(Ops.CONST, "
    "dtypes.index, arg=-5)))" },
  { "less-gcd", "symbolic", "c0 = UOp(Ops.RANGE, dtypes.index, (UOp(Ops.CONST, dtypes.index, arg=8),), arg=(0, 0, 0))\n"
    "c1 = UOp(Ops.RANGE, dtypes.index, (UOp(Ops.CONST, dtypes.index, arg=4),), arg=(1, 0, 0))\n"
    "c2 = UOp(Ops.ADD, dtypes.index, (UOp(Ops.MUL, dtypes.index, (c0, UOp(Ops.CONST, dtypes.index, arg=4))), UOp(Ops.MUL, dtypes.index, "
    "(c1, UOp(Ops.CONST, dtypes.index, arg=6)))))\n"
    "root = UOp(Ops.CMPLT, dtypes.bool, (c2, UOp(Ops.CONST, dtypes.index, arg=9)))" },
  { "max-left", "symbolic", "c0 = UOp(Ops.RANGE, dtypes.index, (UOp(Ops.CONST, dtypes.index, arg=8),), arg=(0, 0, 0))\n"
    "root = UOp(Ops.MAX, dtypes.index, (UOp(Ops.ADD, dtypes.index, (c0, UOp(Ops.CONST, dtypes.index, arg=5))), UOp(Ops.CONST, "
    "dtypes.index, arg=3)))" },
  { "reduce-count", "gates", "c0 = UOp(Ops.RANGE, dtypes.index, (UOp(Ops.CONST, dtypes.index, arg=8),), arg=(0, 3, 0))\n"
    "c1 = UOp(Ops.WHERE, dtypes.int, (UOp(Ops.CMPLT, dtypes.bool, (c0, UOp(Ops.CONST, dtypes.index, arg=3))), UOp(Ops.CONST, dtypes.int, "
    "arg=1), UOp(Ops.CONST, dtypes.int, arg=0)))\n"
    "root = UOp(Ops.REDUCE, dtypes.int, (c1, c0), arg=(Ops.ADD, ()))" },
  { "add-same-sum", "symbolic", "c0 = UOp(Ops.RANGE, dtypes.index, (UOp(Ops.CONST, dtypes.index, arg=8),), arg=(0, 0, 0))\n"
    "c1 = UOp(Ops.RANGE, dtypes.index, (UOp(Ops.CONST, dtypes.index, arg=4),), arg=(1, 0, 0))\n"
    "root = UOp(Ops.ADD, dtypes.index, (UOp(Ops.ADD, dtypes.index, (c0, c1)), c1))" },
  { "factor-one", "symbolic", "c0 = UOp(Ops.RANGE, dtypes.index, (UOp(Ops.CONST, dtypes.index, arg=8),), arg=(0, 0, 0))\n"
    "root = UOp(Ops.ADD, dtypes.index, (UOp(Ops.MUL, dtypes.index, (c0, UOp(Ops.CONST, dtypes.index, arg=3))), c0))" },
  { "factor-sum", "symbolic", "c0 = UOp(Ops.RANGE, dtypes.index, (UOp(Ops.CONST, dtypes.index, arg=8),), arg=(0, 0, 0))\n"
    "c1 = UOp(Ops.RANGE, dtypes.index, (UOp(Ops.CONST, dtypes.index, arg=4),), arg=(1, 0, 0))\n"
    "c2 = UOp(Ops.ADD, dtypes.index, (c0, UOp(Ops.MUL, dtypes.index, (c1, UOp(Ops.CONST, dtypes.index, arg=3)))))\n"
    "root = UOp(Ops.ADD, dtypes.index, (c2, UOp(Ops.MUL, dtypes.index, (c1, UOp(Ops.CONST, dtypes.index, arg=5)))))" },
  { "divmod-whole-sum", "symbolic", "c0 = UOp(Ops.RANGE, dtypes.index, (UOp(Ops.CONST, dtypes.index, arg=8),), arg=(0, 0, 0))\n"
    "c1 = UOp(Ops.RANGE, dtypes.index, (UOp(Ops.CONST, dtypes.index, arg=16),), arg=(1, 0, 0))\nc2 = UOp(Ops.CONST, dtypes.index, arg=4)\n"
    "c3 = UOp(Ops.ADD, dtypes.index, (c0, UOp(Ops.MUL, dtypes.index, (UOp(Ops.FLOORDIV, dtypes.index, (c1, c2)), c2))))\n"
    "root = UOp(Ops.ADD, dtypes.index, (c3, UOp(Ops.FLOORMOD, dtypes.index, (c1, c2))))" },
  { "divmod-whole-sum-right", "symbolic", "c0 = UOp(Ops.RANGE, dtypes.index, (UOp(Ops.CONST, dtypes.index, arg=8),), arg=(0, 0, 0))\n"
    "c1 = UOp(Ops.RANGE, dtypes.index, (UOp(Ops.CONST, dtypes.index, arg=16),), arg=(1, 0, 0))\nc2 = UOp(Ops.CONST, dtypes.index, arg=4)\n"
    "c3 = UOp(Ops.ADD, dtypes.index, (c0, UOp(Ops.FLOORMOD, dtypes.index, (c1, c2))))\n"
    "root = UOp(Ops.ADD, dtypes.index, (c3, UOp(Ops.MUL, dtypes.index, (UOp(Ops.FLOORDIV, dtypes.index, (c1, c2)), c2))))" },
};

static void
count_hits (const LsTrace *trace, guint n, guint64 *hits)      /* those after the first n are a program's own */
{
  for (guint p = 0; p < trace->passes->len; p++) {
    const LsPass *pass = trace->passes->pdata[p];
    for (guint k = 0; k < pass->stats->len; k++) {
      const LsRuleStat *stat = &g_array_index (pass->stats, LsRuleStat, k);
      if (stat->rule < n)
        hits[stat->rule] += stat->hits;
    }
  }
}

/* A graph rewritten by one set, which must let the rule fire. */
static void
rewrite_graph (LsRuleLibrary *library, gsize index, guint64 *hits)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LsContext) ctx = ls_context_new ();
  g_autoptr (LsTrace) trace = ls_trace_new (ctx);
  g_autofree char *text = strstr (graphs[index].graph, "root = ") ? g_strdup (graphs[index].graph)
                                                                  : g_strconcat ("root = ", graphs[index].graph, NULL);
  LsUOp *root = ls_pyrender_parse (ctx, text, &error);
  g_assert_no_error (error);
  LsRewrite rw = { ctx, library, graphs[index].set, LS_REWRITE_BOTTOM_UP, 1000, NULL, NULL };
  rw.log = begin_pass (trace, 0, graphs[index].set, graphs[index].set, rw.mode, root, library);
  LsUOp *out = ls_graph_rewrite (&rw, root, &error);
  g_assert_no_error (error);
  end_pass (trace, rw.log, out, 0);
  count_hits (trace, ls_rule_library_n_rules (library), hits);
  for (guint i = 0; i < ls_rule_library_n_rules (library); i++)
    if (g_str_equal (ls_rule_library_rule (library, i)->name, graphs[index].rule) && hits[i] == 0)
      g_error ("%s does not fire on\n%s", graphs[index].rule, text);
}

static gboolean
is_silent (LsRuleLibrary *library, const guint64 *hits, guint rule)      /* pipeline/gradient tries the set of gradients */
{
  return hits[rule] == 0 && !g_str_equal (ls_rule_library_rule (library, rule)->set, "gradient");
}

static guint
n_silent (LsRuleLibrary *library, const guint64 *hits)
{
  guint n = 0;
  for (guint i = 0; i < ls_rule_library_n_rules (library); i++)
    n += is_silent (library, hits, i);
  return n;
}

static void
add_programs (GPtrArray *paths, const char *folder)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, &error);
  g_assert_no_error (error);
  for (const char *name; (name = g_dir_read_name (dir));)
    if (g_str_has_suffix (name, ".py"))
      g_ptr_array_add (paths, g_build_filename (folder, name, NULL));
}

/* A program whose schedule has a choice: a reduce that is used along its axis in the same kernel. */
static void
run_chosen (LsRuleLibrary *library, guint64 *hits)
{
  g_autoptr (GError) error = NULL;
  LsSettings settings;
  ls_settings_init (&settings);
  settings.FUSE = 0;
  g_autoptr (LsSession) s = ls_session_new (&settings, ls_target_find ("c"), "tcc", library);
  s->schedule_choices = g_strdup ("r1:fuse:expand-of-reduce@3.sum");
  s->execute = FALSE;
  ls_session_run_program (s, "from tinygrad import Tensor\nx = Tensor([[1., 2.], [3., 4.]])\n"
                             "(x * x.sum(axis=1, keepdim=True)).realize()\n",
                          "chosen.py", &error);
  g_assert_no_error (error);
  count_hits (s->trace, ls_rule_library_n_rules (library), hits);
}

static void
test_firing (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LsRuleLibrary) library = ls_rule_library_new (ls_pipeline_rules (), NULL, NULL, &error);
  g_assert_no_error (error);
  guint n_rules = ls_rule_library_n_rules (library), n_runs = 0;
  g_autofree guint64 *hits = g_new0 (guint64, n_rules);
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *own = g_test_build_filename (G_TEST_DIST, "firing", NULL);
  add_programs (paths, own);
  add_programs (paths, g_getenv ("LAZYSCOPE_CASES"));
  add_programs (paths, g_getenv ("LAZYSCOPE_PROGRAMS"));
  for (gsize i = 0; i < G_N_ELEMENTS (graphs); i++)
    rewrite_graph (library, i, hits);
  run_chosen (library, hits);
  for (guint i = 0; i < paths->len && (n_silent (library, hits) > 0 || g_getenv ("LS_SLOWLY")); i++)
    for (gsize w = 0; w < G_N_ELEMENTS (ways); w++, n_runs++) {
      g_autofree char *text = NULL;
      LsSettings settings;
      ls_settings_init (&settings);
      for (const char *const *set = ways[w].settings; *set; set++)
        g_assert_true (ls_settings_set (&settings, *set, NULL));
      g_assert_true (g_file_get_contents (paths->pdata[i], &text, NULL, NULL));
      g_autoptr (LsSession) s = ls_session_new (&settings, ls_target_find (ways[w].target), ways[w].compiler, library);
      s->options = g_strdup (ways[w].options);
      s->quiet = TRUE;
      s->execute = FALSE;      /* the graphs are the same whatever the buffers hold */
      ls_session_run_program (s, text, paths->pdata[i], NULL);
      count_hits (s->trace, n_rules, hits);
    }
  for (guint i = 0; i < n_rules; i++)
    if (is_silent (library, hits, i)) {
      const LsRule *r = ls_rule_library_rule (library, i);
      g_test_message ("%s:%u: %s never fires", r->file, r->line, r->name);
    }
  g_test_message ("%u runs of %u programs, %u rules", n_runs, paths->len, n_rules);
  g_assert_cmpuint (n_silent (library, hits), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rules/firing", test_firing);
  return g_test_run ();
}
