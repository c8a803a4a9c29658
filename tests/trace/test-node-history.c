/* A node's history found from its pass's links is the one that the diffs of all steps tell: each change, in both directions, through all
 * passes of a kernel. */
#include "../bench/million.h"
#include "../sample.h"
#include "fixture.h"
#include "trace/node-history.h"

static LsSession *
run (const char *rules, guint step_limit, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *settings = step_limit ? g_strdup_printf ("STEP_LIMIT=%u", step_limit) : NULL;
  LsSession *s = fixture_run (&(FixtureRun) { .text = text, .rules = rules, .settings = settings }, &error);
  g_assert_true ((error != NULL) == (rules != NULL));      /* planted rules do not end */
  return s;
}

/* --- the long way: every step's diff --- */

typedef struct { GPtrArray **diffs; } Diffs;      /* by pass and step, made when asked for */

static LsGraphDiff *
diff_of (Diffs *d, LsTrace *trace, const LsPass *pass, guint step)
{
  if (!d->diffs[pass->index]) {
    d->diffs[pass->index] = g_ptr_array_new_with_free_func ((GDestroyNotify) ls_graph_diff_unref);
    g_ptr_array_set_size (d->diffs[pass->index], (int) ls_pass_n_rewrites (pass) + 1);
  }
  gpointer *at = &d->diffs[pass->index]->pdata[step];
  if (!*at)
    *at = ls_pass_diff_step (trace, pass, step);
  return *at;
}

typedef enum { NOTHING, CHANGES, ENDS } Turn;

/* The step's replacement of the node of that name, or the node that it replaced; the name then continues as the node after the step, or
 * before it. */
static Turn
turn (const LsGraphDiff *d, guint32 *node, int direction)
{
  for (guint i = 0; d && i < d->nodes->len; i++) {
    const LsDiffNode *n = &g_array_index (d->nodes, LsDiffNode, i);
    const LsUOp *from = direction > 0 ? n->before : n->kind == LS_DIFF_REMOVED ? NULL : n->node, *to = direction > 0 ? n->node : n->before;
    if (!from || from->id != *node)
      continue;
    if (n->kind == LS_DIFF_REMOVED && d->matched == from && d->result && d->result != from) {
      *node = d->result->id;
      return CHANGES;
    }
    if (n->kind == LS_DIFF_REMOVED || n->kind == LS_DIFF_ADDED)
      return ENDS;
    *node = to->id;
    return n->other && !n->rebuilt ? CHANGES : NOTHING;
  }
  return NOTHING;
}

static gboolean
in_pass (LsTrace *trace, const LsPass *pass, guint32 node, int direction)
{
  g_autoptr (LsGraph) graph = ls_pass_graph (trace, pass, direction > 0 ? 0 : ls_pass_n_rewrites (pass));
  return graph && ls_graph_node (graph, node);
}

/* --- both ways in parallel --- */

typedef struct { guint walks, changes; } Count;

/* From one change of the node to the next until it ends, or the recording does. */
static void
walk (LsTrace *trace, Diffs *diffs, const LsPass *from, guint step, guint32 node, int direction, Count *count)
{
  LsNodeHistory f = ls_node_history_start (trace, from, step, node, direction);
  guint32 now = node;
  LsGraphDiff *start = step > 0 ? diff_of (diffs, trace, from, step) : NULL;
  /* the step that led here, too: it made the node, or the node is its ghost */
  if (start && (direction < 0 || !ls_graph_node (start->after, node)))
    g_assert_true (f.ended == ((direction > 0 || ls_graph_node (start->after, node)) && turn (start, &now, direction) == ENDS));
  gboolean absent = FALSE, first = TRUE;
  count->walks++;
  for (int i = (int) from->index; i >= 0 && i < (int) trace->passes->len && !f.ended; i += direction) {
    const LsPass *pass = trace->passes->pdata[i];
    guint n = ls_pass_n_rewrites (pass), k = !first ? (direction > 0 ? 1 : n) : direction > 0 ? step + 1 : step - 1;
    absent = !first && pass->kernel == from->kernel && pass->parent == from->parent && n > 0 && !in_pass (trace, pass, now, direction);
    for (; k >= 1 && k <= n && !f.ended; k += (guint) direction) {
      Turn to = pass->kernel != from->kernel || pass->parent != from->parent ||
                absent ? NOTHING : turn (diff_of (diffs, trace, pass, k), &now, direction);
      gboolean told = ls_node_history_follow (&f, trace, pass, k);
      if (told != (to != NOTHING))
        g_error ("%u/%s/%u, node %u from %u/%s/%u in direction %d: %s", pass->kernel, pass->name, k, now, from->kernel, from->name, step,
                 direction, to ? "a change is missed" : "nothing changes");
      if (!told)
        continue;
      count->changes++;
      g_assert_true (f.ended == (to == ENDS));
      g_assert_cmpuint (f.node, ==, now);
    }
    first = FALSE;
  }
  ls_node_history_clear (&f);
}

/* per_step nodes of each position of the trace, ghosts included, at most so many positions of a pass. */
static void
check (LsTrace *trace, guint per_step, guint positions, Count *count)
{
  Diffs diffs = { g_new0 (GPtrArray *, trace->passes->len) };
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  for (guint i = 0; i < trace->passes->len; i++) {
    const LsPass *pass = trace->passes->pdata[i];
    guint n = ls_pass_n_rewrites (pass);
    for (guint m = 0; n > 0 && m < MIN (n + 1, positions); m++) {
      guint step = n + 1 <= positions ? m : (guint) g_rand_int_range (rand, 0, (gint32) n + 1);
      g_autoptr (LsGraphDiff) d = ls_pass_diff_step (trace, pass, step);
      for (guint j = 0; d && j < per_step; j++) {
        guint32 node = g_array_index (d->nodes, LsDiffNode, (guint) g_rand_int_range (rand, 0, (gint32) d->nodes->len)).node->id;
        walk (trace, &diffs, pass, step, node, 1, count);
        walk (trace, &diffs, pass, step, node, -1, count);
      }
    }
  }
  for (guint i = 0; i < trace->passes->len; i++)
    g_clear_pointer (&diffs.diffs[i], g_ptr_array_unref);
  g_free (diffs.diffs);
}

static void
test_examples (void)
{
  static const char *const names[] = { "add_const.py", "cast.py", "layernorm.py", "matmul.py", "mlp.py", "softmax.py", "views.py" };
  Count count = { 0, 0 };
  guint share = fixture_sample (6, "nodes of a step");
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = g_build_filename (g_getenv ("LAZYSCOPE_PROGRAMS"), names[i], NULL), *text = NULL;
    g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
    g_autoptr (LsSession) s = run (NULL, 0, text);
    check (s->trace, 6 / share, G_MAXUINT - 1, &count);
  }
  g_test_message ("%u walks, %u changes", count.walks, count.changes);
  g_assert_cmpuint (count.walks, >, 10000 / share);
  g_assert_cmpuint (count.changes, >, 10000 / share);
}

/* One kernel of a long chain of statements, so that most paths are long and break at each step. */
static void
test_chain (void)
{
  g_autoptr (LsSession) s = run (NULL, 0, "from tinygrad import Tensor\na = Tensor([1, 2, 3, 4])\nb = Tensor([4, 3, 2, 1])\nfor i in "
                                          "range(60):\n  a = a * (i % 7 + 2) + b\nprint(a.sum().item())\n");
  Count count = { 0, 0 };
  guint share = fixture_sample (5, "positions");
  check (s->trace, 3, 40 / share, &count);
  g_assert_cmpuint (count.changes, >, 200 / share);
}

/* A pass of many steps over many terms. */
static void
test_long (void)
{
  g_autoptr (LsTrace) trace = million_new (4000, 40);
  Count count = { 0, 0 };
  guint share = fixture_sample (10, "positions");
  check (trace, 4, 100 / share, &count);
  g_assert_cmpuint (count.changes, >, 1000 / share);
}

/* A pass that was stopped goes in circles. */
static void
test_stopped (void)
{
  static const char *const rules[] = { "set symbolic\n# There.\nthere: x:sint + 2 -> x - (-2)\n# And back.\nback: x:sint - (-2) -> x + 2\n",
                                       "set symbolic\n# Counts.\nup: x:sint + $a -> x + ($a + 1)\n" };
  Count count = { 0, 0 };
  for (guint i = 0; i < G_N_ELEMENTS (rules); i++) {
    g_autoptr (LsSession) s = run (rules[i], 100, "from tinygrad import Tensor\nprint((Tensor([1, 2, 3]) + 2).tolist())\n");
    check (s->trace, 4, 60, &count);
  }
  g_assert_cmpuint (count.changes, >, 100);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/node-history/examples", test_examples);
  g_test_add_func ("/node-history/chain", test_chain);
  g_test_add_func ("/node-history/long", test_long);
  g_test_add_func ("/node-history/stopped", test_stopped);
  return g_test_run ();
}
