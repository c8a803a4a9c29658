/* The loops of a graph (ls_loops_new): against the rows of listings, which are made in other ways, and at every step of every pass. */
#include "codegen/linearize.h"
#include "fixture.h"
#include "ir/axis.h"
#include "trace/trace.h"

#include <string.h>

#define MOST 64

typedef struct { LsUOp *ranges[MOST]; guint n; GHashTable *needs; } Dependence;      /* needs: node -> bits of ranges */

static guint64
bit_of (Dependence *d, LsUOp *range)
{
  for (guint i = 0; i < d->n; i++)
    if (d->ranges[i] == range)
      return (guint64) 1 << i;
  g_assert_cmpuint (d->n, <, MOST);
  d->ranges[d->n] = range;
  return (guint64) 1 << d->n++;
}

static guint64
needs_of (Dependence *d, const LsUOp *u)
{
  guint64 *bits = g_hash_table_lookup (d->needs, u);
  return bits ? *bits : 0;
}

static guint64
ended_by (Dependence *d, const LsUOp *u)
{
  guint64 bits = 0;
  for (guint s = u->op == LS_OP_PHI || u->op == LS_OP_STORE ? 2 : 1; s < u->n_src; s++)
    if ((u->op == LS_OP_PHI || u->op == LS_OP_STORE || u->op == LS_OP_AFTER) && u->src[s]->op == LS_OP_RANGE)
      bits |= bit_of (d, u->src[s]);
  return bits;
}

/* The ranges that each node's value depends on, from its sources alone. */
static void
find_needs (Dependence *d, const GPtrArray *order)
{
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i];
    guint64 bits = 0;
    for (guint s = 0; u->op != LS_OP_SINK && s < u->n_src; s++) {
      LsUOp *x = u->src[s];
      if (u->op == LS_OP_DEFINE_ACC && x->op == LS_OP_RANGE)      /* it is made before them */
        continue;
      bits |= x->op == LS_OP_RANGE ? bit_of (d, x) | needs_of (d, x) : needs_of (d, x) & ~ended_by (d, x);
      for (guint k = 1; x->op == LS_OP_DEFINE_ACC && k < x->n_src; k++)      /* its value is another one in each iteration */
        bits |= bit_of (d, x->src[k]);
    }
    g_hash_table_insert (d->needs, u, g_memdup2 (&bits, sizeof bits));
  }
}

/* Rows are in exactly the loops that LsLoops says, which are those that they depend on and those around these. How many rows. */
static guint
check_listing (LsContext *ctx, const GArray *listing)
{
  guint n = 0;
  LsUOp *sink = ls_context_node (ctx, g_array_index (listing, guint32, listing->len - 1));
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, sink);
  g_autoptr (LsLoops) loops = ls_loops_new (ctx, order);
  Dependence d = { .needs = g_hash_table_new_full (NULL, NULL, NULL, g_free) };
  g_autoptr (GHashTable) at = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) open = g_ptr_array_new ();
  find_needs (&d, order);
  for (guint i = 0; i < order->len; i++)
    g_hash_table_insert (at, order->pdata[i], GUINT_TO_POINTER (i + 1));
  for (guint i = 0; i < listing->len; i++) {
    LsUOp *u = ls_context_node (ctx, g_array_index (listing, guint32, i));
    guint place = GPOINTER_TO_UINT (g_hash_table_lookup (at, u));
    if (u->op == LS_OP_ENDRANGE) {
      g_assert_true (open->len && open->pdata[open->len - 1] == u->src[0]);
      g_ptr_array_set_size (open, (int) open->len - 1);
    } else if (place && u->op != LS_OP_SINK) {
      guint64 in = 0, around = 0;
      for (guint loop = loops ? loops->in[place - 1] : 0; loop; loop = loops->loops[loop - 1].parent)
        if (loops->loops[loop - 1].range->op == LS_OP_RANGE && loops->loops[loop - 1].range != u)
          in |= bit_of (&d, loops->loops[loop - 1].range);
      for (guint k = 0; k < open->len; k++)
        around |= bit_of (&d, open->pdata[k]);
      if (in != around || needs_of (&d, u) & ~in)
        g_error ("node %u (%s): loops %" G_GINT64_MODIFIER "x, rows %" G_GINT64_MODIFIER "x, depends on %" G_GINT64_MODIFIER "x", u->id,
                 ls_op_name (u->op), in, around, needs_of (&d, u));
      n++;
    }
    if (u->op == LS_OP_RANGE)
      g_ptr_array_add (open, u);
  }
  g_hash_table_unref (d.needs);
  return n;
}

/* At each step: what is stored to memory is outside of the loops of reduces, and each loop is around those that it encloses. */
static guint
check_steps (LsTrace *trace, const LsPass *pass)
{
  guint n = 0;
  for (guint step = 0; step <= ls_pass_n_rewrites (pass); step++) {
    g_autoptr (LsGraph) graph = ls_pass_graph (trace, pass, step);
    g_autoptr (LsLoops) loops = graph ? ls_loops_new (graph->ctx, graph->nodes) : NULL;
    for (guint i = 0; loops && i < loops->n; i++)
      g_assert_cmpuint (loops->loops[i].parent, <=, i);
    for (guint i = 0; loops && i < graph->nodes->len; i++) {
      const LsUOp *u = graph->nodes->pdata[i];
      if (u->op == LS_OP_STORE && u->n_src == 2 && u->src[0]->op == LS_OP_INDEX && u->src[0]->src[0]->op == LS_OP_DEFINE_GLOBAL)
        for (guint loop = loops->in[i]; loop; loop = loops->loops[loop - 1].parent) {
          const LsUOp *range = loops->loops[loop - 1].range;
          g_assert_false (range->op == LS_OP_RANGE && ls_range_type (range) == LS_AXIS_REDUCE);
          n++;
        }
    }
  }
  return n;
}

static void
test_program (gconstpointer data)
{
  static const struct { const char *settings, *target; } ways[] = { { NULL, NULL }, { "profile=modern", NULL }, { "profile=classic", NULL },
                                                                    { NULL, "metal" } };
  guint stored = 0;
  for (guint w = 0; w < G_N_ELEMENTS (ways); w++) {
    g_autoptr (LsSession) s = FIXTURE_RUN (.file = data, .settings = ways[w].settings, .target = ways[w].target, .only_text = TRUE);
    guint rows = 0;
    for (guint k = 0; k < s->trace->kernels->len; k++) {
      const LsKernel *kernel = s->trace->kernels->pdata[k];
      if (kernel->listing && kernel->listing->len)
        rows += check_listing (s->trace->ctx, kernel->listing);
    }
    for (guint p = 0; p < s->trace->passes->len; p++) {
      const LsPass *pass = s->trace->passes->pdata[p];
      if (pass->kernel && ls_pass_n_rewrites (pass) < 60)
        stored += check_steps (s->trace, pass);
    }
    g_assert_cmpuint (rows, >, 0);
  }
  g_assert_true (stored > 0 || !g_str_equal (data, "matmul.py"));      /* others may be unrolled */
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  static const char *const programs[] = { "matmul.py", "softmax.py", "layernorm.py", "attention.py", "convnet.py", "random_numbers.py",
                                          "sum.py", "mlp.py", "views.py", "cast.py", "add_const.py", "add_ints.py", "training.py" };
  for (guint i = 0; i < G_N_ELEMENTS (programs); i++) {
    g_autofree char *path = g_strconcat ("/loops/", programs[i], NULL);
    g_test_add_data_func (path, programs[i], test_program);
  }
  return g_test_run ();
}
