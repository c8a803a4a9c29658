/* Names of nodes: unique in each graph, the same at every step until a link says otherwise, whatever was looked at before; and
 * looking makes no node. */
#include "fixture.h"

#include <string.h>

static LsTrace *
run_file (const char *name)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.file = name);
  return ls_trace_ref (s->trace);
}

typedef struct { guint graphs, nodes, own, nameless; } Count;

/* Sources come before their users, and no name occurs twice. */
static void
check_graph (LsTrace *t, LsGraph *g, Count *count)
{
  g_autoptr (GHashTable) names = g_hash_table_new (NULL, NULL), seen = g_hash_table_new (NULL, NULL);
  guint n = ls_context_n_nodes (t->ctx);
  for (guint i = 0; i < g->nodes->len; i++) {
    LsUOp *u = g->nodes->pdata[i];
    for (guint k = 0; k < u->n_src; k++)
      g_assert_true (g_hash_table_contains (seen, u->src[k]));
    g_hash_table_add (seen, u);
    g_assert_true (g_hash_table_add (names, GUINT_TO_POINTER (u->id)));
    g_assert_true (ls_graph_node (g, u->id) == u);
    count->nameless += u->id >= n;
    if (u->id < n && ls_context_node (t->ctx, u->id) != u) {      /* what it continues, over other sources */
      const LsUOp *named = ls_context_node (t->ctx, u->id);
      g_assert_true (named->op == u->op && named->dtype == u->dtype && ls_arg_equal (named->arg, u->arg) && named->n_src == u->n_src);
      count->own++;
    }
  }
  for (guint i = 0; i < g->aliases->len; i++)
    g_assert_false (g_hash_table_contains (names, GUINT_TO_POINTER (g_array_index (g->aliases, LsAlias, i).id)) &&
                    g_array_index (g->aliases, LsAlias, i).id == g_array_index (g->aliases, LsAlias, i).name);
  g_assert_true (g->root == g->nodes->pdata[g->nodes->len - 1]);
  count->graphs++;
  count->nodes += g->nodes->len;
}

static gboolean
has_link (const LsPass *pass, guint from, guint to, guint32 node)
{
  for (guint i = from; i < to; i++)
    if (g_array_index (pass->links, LsLink, i).before == node)
      return TRUE;
  return FALSE;
}

static guint
links_at (const LsPass *pass, guint step)
{
  return step >= pass->steps->len ? pass->links->len : g_array_index (pass->steps, guint32, step);
}

/* Where no link speaks of a node it has its name in the next graph as well, or is part of another one by then, or out of the graph. */
static void
check_stable (const LsPass *pass, guint step, LsGraph *a, LsGraph *b)
{
  g_autofree LsUOp **same = ls_graph_find_same (a, b);
  for (guint i = 0; i < b->nodes->len; i++) {
    const LsUOp *u = b->nodes->pdata[i];
    if (!same[i] || same[i]->id == u->id)
      continue;
    gboolean told = has_link (pass, links_at (pass, step - 1), links_at (pass, step), same[i]->id), alias = FALSE;
    for (guint k = 0; k < b->aliases->len; k++)
      alias |= g_array_index (b->aliases, LsAlias, k).id == same[i]->id && g_array_index (b->aliases, LsAlias, k).name == u->id;
    if (!told && !alias)
      g_error ("%u/%s/%u: node %u is named %u, and no link says so", pass->kernel, pass->name, step, same[i]->id, u->id);
  }
}

static void
test_names (void)
{
  static const char *const files[] = { "add_const.py", "cast.py", "layernorm.py", "matmul.py", "mlp.py", "softmax.py", "views.py" };
  Count count = { 0 };
  for (guint f = 0; f < G_N_ELEMENTS (files); f++) {
    g_autoptr (LsTrace) t = run_file (files[f]);
    guint n = ls_context_n_nodes (t->ctx);
    for (guint i = 0; i < t->passes->len; i++) {
      const LsPass *pass = t->passes->pdata[i];
      LsGraph *former = NULL;
      for (guint step = 0; step <= ls_pass_n_rewrites (pass); step++) {
        LsGraph *g = ls_pass_graph (t, pass, step);
        check_graph (t, g, &count);
        if (former && pass->kind == LS_PASS_REWRITE)
          check_stable (pass, step, former, g);
        ls_graph_unref (former);
        former = g;
      }
      /* both ends of a pass are recorded as they are */
      LsUOp *output = ls_context_node (t->ctx, pass->output);
      g_assert_true (pass->kind == LS_PASS_MAP || !output || former->root == output);
      ls_graph_unref (former);
    }
    g_assert_cmpuint (ls_context_n_nodes (t->ctx), ==, n);
  }
  g_test_message ("%u graphs, %u nodes, %u of them over other sources than the ones they continue, %u without a name", count.graphs,
                  count.nodes, count.own, count.nameless);
  g_assert_cmpuint (count.own, >, 0);
  g_assert_cmpuint (count.nameless, ==, 0);
}

static char *
text_of (LsTrace *t, const LsPass *pass, guint step)
{
  g_autoptr (LsGraph) g = ls_pass_graph (t, pass, step);
  GString *s = g_string_new (NULL);
  for (guint k = 0; k < g->nodes->len; k++) {
    const LsUOp *u = g->nodes->pdata[k];
    g_string_append_printf (s, "%u %s", u->id, ls_op_name (u->op));
    for (guint q = 0; q < u->n_src; q++)
      g_string_append_printf (s, " %u", u->src[q]->id);
    g_string_append_c (s, '\n');
  }
  return g_string_free (s, FALSE);
}

/* The graph at a position does not depend on the way to it, and a question leaves the recording unchanged. */
static void
test_any_way (void)
{
  g_autoptr (LsTrace) t = run_file ("softmax.py");
  guint n = ls_context_n_nodes (t->ctx);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  for (guint i = 0; i < t->passes->len; i++) {
    const LsPass *pass = t->passes->pdata[i];
    guint last = ls_pass_n_rewrites (pass);
    g_autofree char **text = g_new0 (char *, last + 2);
    for (guint step = 0; step <= last; step++)
      text[step] = text_of (t, pass, step);
    for (guint round = 0; round < 20; round++) {
      guint step = (guint) g_rand_int_range (rand, 0, (gint32) last + 1);
      ls_graph_diff_unref (ls_pass_diff_step (t, pass, (guint) g_rand_int_range (rand, 0, (gint32) last + 1)));
      g_autofree char *again = text_of (t, pass, step);
      g_assert_cmpstr (again, ==, text[step]);
    }
    for (guint step = 0; step <= last; step++)
      g_free (text[step]);
  }
  g_assert_cmpuint (ls_context_n_nodes (t->ctx), ==, n);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/graph/names", test_names);
  g_test_add_func ("/graph/any-way", test_any_way);
  return g_test_run ();
}
