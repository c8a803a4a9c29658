/* Over many positions, what replay made for those that were left goes; what is chosen and on screen stays what it was. */
#include "fixture.h"
#include "graph/graph-view-private.h"
#include "ir/print.h"

#include <glib/gstdio.h>

#define STATEMENTS "300"
#define LOOSE      20000

static char *chain;      /* a recording whose steps each make most of their graph anew */

static void
record_chain (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *program = g_build_filename (folder, "chain.py", NULL);
  int status;
  chain = g_build_filename (folder, "chain.lscope", NULL);
  g_file_set_contents (program, "from tinygrad import Tensor\na = Tensor([1, 2, 3, 4])\nb = Tensor([4, 3, 2, 1])\nfor i in range(" STATEMENTS "):\n"
                                "  a = a * (i % 7 + 2) + b\nprint(a.sum().item())\n", -1, &error);
  g_assert_no_error (error);
  const char *argv[] = { g_getenv ("LAZYSCOPE_CLI"), "run", program, "--compiler", "interp", "--record", chain, NULL };
  g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, NULL, &status, &error);
  g_assert_no_error (error);
  g_assert_cmpint (status, ==, 0);
  g_unlink (program);
}

/* Where every box is, and what stands in it. */
static char *
picture (LsGraphView *graph)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < graph->scene->n_nodes; i++)
    g_string_append_printf (out, "%s %s at %g, %g%s\n", graph->scene->nodes[i].title[1], graph->scene->nodes[i].detail[1], graph->layout->x[i], graph->layout->y[i],
                            graph->marks[i] & LS_MARK_SELECTED ? ", chosen" : "");
  return g_string_free (out, FALSE);
}

static char *
chosen_text (LsViewSession *session)
{
  LsContext *ctx = ls_view_session_get_trace (session)->ctx;
  LsUOp *u = ls_context_node (ctx, ls_view_session_get_selection (session));
  g_assert_nonnull (u);
  return ls_pyrender (ctx, u);
}

static void
test_trim (void)
{
  LsWindow *window = open_recording (chain, "1/ast/300", 1600, 1000);
  LsViewSession *session = ls_window_get_session (window);
  LsGraphView *graph = ls_steps_view_get_graph (ls_window_get_steps (window));
  LsContext *ctx = ls_view_session_get_trace (session)->ctx;
  ls_view_session_set_most_loose (session, LOOSE);
  guint recorded = ls_context_n_nodes (ctx) - ls_context_n_loose (ctx), n = ls_view_session_n_steps (session), chosen = LS_NO_NODE, trims = 0, boxes = graph->scene->n_nodes;
  int pass = ls_view_session_get_pass (session);
  for (guint i = 0; i < boxes; i++)
    if (graph->scene->nodes[i].id >= recorded)
      chosen = graph->scene->nodes[i].id;      /* one that only replay makes */
  g_assert_cmpuint (chosen, !=, LS_NO_NODE);
  ls_view_session_select (session, LS_CHOSEN_IN_GRAPH, &chosen, 1);
  wait_window (window);
  g_autofree char *before = picture (graph), *text = chosen_text (session);
  g_assert_nonnull (strstr (before, ", chosen"));
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  for (guint k = 0, was = 0; k < 300 && trims < 5; k++) {
    ls_view_session_go (session, pass, (guint) g_rand_int_range (rand, 1, (gint32) n + 1));
    wait_window (window);
    guint loose = ls_context_n_loose (ctx);
    trims += loose < was;
    was = loose;
    g_assert_cmpuint (loose, <=, LOOSE + 16 * boxes);      /* one position's own may come on top */
    g_autofree char *now = chosen_text (session);
    g_assert_cmpstr (now, ==, text);
  }
  g_assert_cmpuint (trims, ==, 5);
  ls_view_session_go (session, pass, 300);
  wait_window (window);
  g_autofree char *after = picture (graph);
  g_assert_cmpstr (after, ==, before);
  close_window (window);
}

/* What was found by the search is found after it, and play that follows a node goes on. */
static void
test_found (void)
{
  LsWindow *window = open_recording (chain, "1/ast/400", 1600, 1000);
  LsViewSession *session = ls_window_get_session (window);
  LsSearchBar *search = ls_steps_view_get_search (ls_window_get_steps (window));
  LsContext *ctx = ls_view_session_get_trace (session)->ctx;
  int pass = ls_view_session_get_pass (session);
  ls_view_session_set_most_loose (session, LOOSE);
  input_key (GDK_KEY_f, GDK_CONTROL_MASK);
  input_text ("mul int");
  input_key (GDK_KEY_Return, 0);
  wait_window (window);
  guint hits = ls_search_bar_n_hits (search), was = 0;
  g_assert_cmpuint (hits, >, 0);
  g_autofree char *text = chosen_text (session);
  for (guint k = 0; k < 400 && ls_context_n_loose (ctx) >= was; k++) {
    was = ls_context_n_loose (ctx);
    ls_view_session_go (session, pass, 1 + 37 * k % 600);
    wait_window (window);
  }
  g_assert_cmpuint (ls_context_n_loose (ctx), <, was);
  guint32 none = LS_NO_NODE;
  ls_view_session_select (session, LS_CHOSEN_NOWHERE, &none, 0);
  input_key (GDK_KEY_Return, GDK_SHIFT_MASK);
  input_key (GDK_KEY_Return, 0);
  wait_window (window);
  g_assert_cmpuint (ls_search_bar_n_hits (search), ==, hits);
  g_assert_cmpuint (ls_view_session_get_step (session), ==, 400);
  g_autofree char *again = chosen_text (session);
  g_assert_cmpstr (again, ==, text);
  close_window (window);
}

int
main (int argc, char **argv)
{
  if (!fixture_begin (&argc, &argv))
    return 0;
  record_chain ();
  g_test_add_func ("/trim/positions", test_trim);
  g_test_add_func ("/trim/found", test_found);
  int status = fixture_end ();
  g_free (chain);
  return status;
}
