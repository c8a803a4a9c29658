/* Source and graph, expression by expression: a click on an operator chooses its node and no more, the pointer marks it, and a node
 * chosen in the graph is marked where it is written. */
#include "fixture.h"
#include "graph/view/graph-view-private.h"
#include "session/source-spans.h"

#include <string.h>

typedef struct { LsWindow *window; LsViewSession *session; LsKernel *kernel; GtkTextView *source; LsGraphView *graph; } Case;

static Case
open_case (void)
{
  Case c = { .window = open_at ("3/render") };
  c.session = c.window->session;
  c.kernel = ls_view_session_kernel (c.session);
  c.source = GTK_TEXT_VIEW (find_widget (GTK_WIDGET (c.window), "source"));
  while (!GTK_IS_TEXT_VIEW (c.source))
    c.source = GTK_TEXT_VIEW (find_widget (gtk_widget_get_first_child (GTK_WIDGET (c.source)), "source"));
  c.graph = ls_steps_view_get_graph (c.window->steps);
  return c;
}

/* The place of a text's character, in the source. */
static GtkTextIter
place_of (const Case *c, const char *text, int character)
{
  GtkTextIter start, from, to;
  gtk_text_buffer_get_start_iter (gtk_text_view_get_buffer (c->source), &start);
  g_assert_true (gtk_text_iter_forward_search (&start, text, 0, &from, &to, NULL));
  gtk_text_iter_forward_chars (&from, character);
  return from;
}

static void
point_at (const Case *c, const char *text, int character)
{
  GtkTextIter at = place_of (c, text, character);
  GdkRectangle r;
  int x, y;
  gtk_text_view_get_iter_location (c->source, &at, &r);
  gtk_text_view_buffer_to_window_coords (c->source, GTK_TEXT_WINDOW_WIDGET, r.x + r.width / 2, r.y + r.height / 2, &x, &y);
  input_move (GTK_WIDGET (c->source), x, y);
  settle ();
}

static void
assert_tagged (const Case *c, const char *name, const char *text, gboolean marked)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (c->source);
  GtkTextTag *tag = gtk_text_tag_table_lookup (gtk_text_buffer_get_tag_table (buffer), name);
  for (gsize i = 0; i < strlen (text); i++) {
    GtkTextIter at = place_of (c, text, (int) i);
    g_assert_cmpint (gtk_text_iter_has_tag (&at, tag), ==, marked);
  }
}

static void
assert_marked (const Case *c, const char *text, gboolean marked)
{
  assert_tagged (c, "expression", text, marked);
}

static LsOp
chosen_op (const Case *c)
{
  GArray *nodes = ls_view_session_final_nodes (c->session);
  g_assert_cmpuint (nodes->len, ==, 1);
  return ls_context_node (ls_view_session_get_trace (c->session)->ctx, g_array_index (nodes, guint32, 0))->op;
}

static void
test_choosing (void)
{
  static const struct { const char *text; int at; LsOp op; const char *marked; } clicks[] = {
    { "(val0*val4)", 5, LS_OP_MUL, "(val0*val4)" }, { "((val0*val4)+acc0)", 12, LS_OP_ADD, "((val0*val4)+acc0)" },
    { "data1[alu3+64]", 10, LS_OP_ADD, "alu3+64" },
    { "(i*256)", 4, LS_OP_CONST, "256" },
  };
  Case c = open_case ();
  for (gsize i = 0; i < G_N_ELEMENTS (clicks); i++) {
    point_at (&c, clicks[i].text, clicks[i].at);
    input_button (1, TRUE);
    input_button (1, FALSE);
    wait_window (c.window);
    g_assert_cmpstr (ls_op_name (chosen_op (&c)), ==, ls_op_name (clicks[i].op));
    assert_marked (&c, clicks[i].marked, TRUE);
  }
  assert_marked (&c, "(val0*val4)", FALSE);
  close_window (c.window);
}

static void
test_graph (void)
{
  Case c = open_case ();
  const LsExpr *mul = NULL;
  for (guint i = 0; i < c.kernel->exprs->len && !mul; i++)
    if (g_str_equal (g_array_index (c.kernel->exprs, LsExpr, i).expr, "(val0*val4)"))
      mul = &g_array_index (c.kernel->exprs, LsExpr, i);
  g_assert_nonnull (mul);
  ls_view_session_select (c.session, LS_CHOSEN_IN_GRAPH, &mul->node, 1);
  wait_window (c.window);
  assert_marked (&c, "(val0*val4)", TRUE);
  /* the pointer over it, and next to it */
  point_at (&c, "(val0*val4)", 5);
  g_assert_cmpint (c.graph->hover, ==, ls_scene_find (c.graph->scene, mul->node));
  point_at (&c, "(val0*val4)", -8);
  g_assert_cmpint (c.graph->hover, !=, ls_scene_find (c.graph->scene, mul->node));
  /* the pointer over a box marks its operator, in an early pass, too */
  ls_view_session_select (c.session, LS_CHOSEN_NOWHERE, NULL, 0);
  wait_window (c.window);
  ls_graph_view_hover (c.graph, ls_scene_find (c.graph->scene, mul->node));
  ls_graph_view_tell_hover (c.graph);
  assert_tagged (&c, "over", "(val0*val4)", TRUE);
  assert_tagged (&c, "over", "(i*256)", FALSE);
  ls_graph_view_hover (c.graph, -1);
  ls_graph_view_tell_hover (c.graph);
  assert_tagged (&c, "over", "(val0*val4)", FALSE);
  g_assert_true (ls_view_session_go_link (c.session, "3/expand/1"));
  wait_window (c.window);
  guint32 early = ls_view_session_in_graph (c.session, mul->node);
  g_assert_cmpuint (early, !=, LS_NO_NODE);
  g_autoptr (GArray) late = ls_view_session_in_final (c.session, early);
  gboolean found = FALSE;
  for (guint i = 0; i < late->len; i++)
    found |= g_array_index (late, guint32, i) == mul->node;
  g_assert_true (found);
  point_at (&c, "(val0*val4)", 5);
  g_assert_cmpint (c.graph->hover, ==, ls_scene_find (c.graph->scene, early));
  close_window (c.window);
}

/* For every kernel of an example: each expression that a line shows is found in it, and the text at its position is the expression. */
static void
test_all (void)
{
  static const char *const programs[] = { "matmul", "softmax", "layernorm", "mlp", "views" };
  guint n = 0, found = 0;
  for (gsize p = 0; p < G_N_ELEMENTS (programs); p++) {
    g_autofree char *path = fixture_record (programs[p]);
    g_autoptr (LsTrace) trace = ls_trace_load (path, NULL);
    for (guint k = 0; k < trace->kernels->len; k++) {
      const LsKernel *kernel = trace->kernels->pdata[k];
      g_auto (GStrv) lines = g_strsplit (kernel->source, "\n", -1);
      for (guint l = 1; l <= g_strv_length (lines); l++) {
        g_autoptr (GArray) spans = ls_source_spans_of_line (kernel, l);
        for (guint i = 0; i < spans->len; i++) {
          const LsSourceSpan *s = &g_array_index (spans, LsSourceSpan, i);
          g_assert_cmpuint (s->from, <, s->to);
          g_assert_cmpuint (s->to, <=, strlen (lines[l - 1]));
        }
        for (guint i = 0; i < kernel->exprs->len; i++) {
          const LsExpr *e = &g_array_index (kernel->exprs, LsExpr, i);
          gboolean here = FALSE;
          for (guint k2 = 0; k2 < spans->len; k2++)
            here |= g_array_index (spans, LsSourceSpan, k2).node == e->node;
          n += e->line == l;
          found += e->line == l && here;
        }
      }
    }
  }
  g_test_message ("%u of %u expressions stand in their line", found, n);
  g_assert_cmpuint (found * 100, >=, n * 97);
}

/* A loop of the source is selected where its range was just split: the new range is marked, not the nodes before all ranges. */
static void
test_made_here (void)
{
  LsWindow *window = open_at ("3/options/1");
  LsViewSession *session = window->session;
  LsTrace *trace = ls_view_session_get_trace (session);
  const LsKernel *k = ls_view_session_kernel (session);
  guint n = 0;
  for (guint i = 0; i < k->listing->len; i++) {
    guint32 row = g_array_index (k->listing, guint32, i);
    const LsUOp *u = ls_context_node (trace->ctx, row);
    if (u->op != LS_OP_RANGE || u->arg.ints[0] != 1)      /* the axis that the step splits */
      continue;
    ls_view_session_select (session, LS_CHOSEN_IN_FINAL, &row, 1);
    wait_window (window);
    GArray *nodes = ls_view_session_graph_nodes (session);
    g_assert_cmpuint (nodes->len, ==, 1);
    g_assert_cmpint (ls_context_node (trace->ctx, g_array_index (nodes, guint32, 0))->op, ==, LS_OP_RANGE);
    n++;
  }
  g_assert_cmpuint (n, ==, 1);
  close_window (window);
}

int
main (int argc, char **argv)
{
  if (!fixture_begin (&argc, &argv))
    return 0;
  g_test_add_func ("/expressions/choosing", test_choosing);
  g_test_add_func ("/expressions/graph", test_graph);
  g_test_add_func ("/expressions/all", test_all);
  g_test_add_func ("/expressions/made-here", test_made_here);
  return fixture_end ();
}
