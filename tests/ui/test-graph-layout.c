/* Layouts of any graph: in simple ranks and by dot, if dot takes too long, is missing or returns garbage, and cancelling one. */
#include <gtk/gtk.h>
#include <math.h>
#include <string.h>

#include "graph/layout/scene.h"
#include "graphs.h"

typedef struct { float x, y, w; } Place;

static int
by_place (gconstpointer a, gconstpointer b)
{
  const Place *p = a, *q = b;
  return p->y < q->y ? -1 : p->y > q->y ? 1 : p->x < q->x ? -1 : p->x > q->x;
}

static void
check_ranks (const LsLayoutInput *in, const LsLayout *l)
{
  g_autofree Place *places = g_new (Place, MAX (in->n, 1));
  for (guint i = 0; i < in->n; i++) {
    g_assert_true (isfinite (l->x[i]) && l->x[i] >= -0.5f && l->x[i] + in->width[i] <= l->width + 0.5f);
    places[i] = (Place) { l->x[i], l->y[i], in->width[i] };
  }
  qsort (places, in->n, sizeof (Place), by_place);
  for (guint i = 1; i < in->n; i++) {
    if (places[i].y == places[i - 1].y)
      g_assert_cmpfloat (places[i].x - places[i - 1].x - places[i - 1].w, >=, LS_NODE_GAP * 0.5);
    else
      g_assert_cmpfloat (places[i].y - places[i - 1].y, >=, LS_SCENE_HEIGHT + LS_RANK_GAP - 0.5);
  }
  for (guint e = 0; e < in->n_edges; e++) {
    g_assert_cmpfloat (l->y[in->from[e]], <, l->y[in->to[e]]);
    guint n = l->first[e + 1] - l->first[e];
    g_assert_cmpuint (n % 3, ==, 1);
  }
}

static void
test_plain_ranks (void)
{
  static const guint sizes[] = { 0, 1, 2, 50, 1000, 10000 };
  for (guint k = 0; k < G_N_ELEMENTS (sizes); k++) {
    g_autoptr (LsLayoutInput) in = make_layout_input (sizes[k], 2);
    g_autoptr (LsLayout) l = ls_ranks_layout (in, NULL);
    g_assert_nonnull (l);
    check_ranks (in, l);
  }
}

static void
test_ranks_extremes (void)
{
  /* a chain, which must not recurse; a fan into one node; a cycle, as unions of two graphs can have */
  g_autoptr (LsLayoutInput) chain = ls_layout_input_new (20000, 19999);
  for (guint v = 0; v < 20000; v++) {
    chain->width[v] = 80;
    if (v) {
      chain->from[v - 1] = v - 1;
      chain->to[v - 1] = v;
    }
  }
  g_autoptr (LsLayout) a = ls_ranks_layout (chain, NULL);
  check_ranks (chain, a);
  g_autoptr (LsLayoutInput) fan = ls_layout_input_new (5001, 5000);
  for (guint v = 0; v <= 5000; v++) {
    fan->width[v] = 80;
    if (v) {
      fan->from[v - 1] = v;
      fan->to[v - 1] = 0;
    }
  }
  g_autoptr (LsLayout) b = ls_ranks_layout (fan, NULL);
  check_ranks (fan, b);
  g_autoptr (LsLayoutInput) cycle = ls_layout_input_new (3, 4);
  for (guint e = 0; e < 3; e++) {
    cycle->width[e] = 60;
    cycle->from[e] = e;
    cycle->to[e] = (e + 1) % 3;
  }
  cycle->from[3] = cycle->to[3] = 1;
  g_autoptr (LsLayout) c = ls_ranks_layout (cycle, NULL);
  g_assert_nonnull (c);
  for (guint i = 0; i < 3; i++)
    g_assert_true (isfinite (c->x[i]) && isfinite (c->y[i]));
}

typedef struct { GMainLoop *loop; LsLayout *layout; GError *error; } Answer;

static void
on_answer (GObject *source, GAsyncResult *result, gpointer data)
{
  Answer *a = data;
  a->layout = ls_layout_finish (result, &a->error);
  g_main_loop_quit (a->loop);
}

static Answer
lay_out (const LsLayoutInput *in, guint limit_ms, GCancellable *cancellable)
{
  Answer a = { g_main_loop_new (NULL, FALSE), NULL, NULL };
  ls_layout_async (in, limit_ms, cancellable, on_answer, &a);
  g_main_loop_run (a.loop);
  g_main_loop_unref (a.loop);
  return a;
}

static void
test_dot (void)
{
  g_autoptr (LsLayoutInput) in = make_layout_input (60, 2);
  Answer a = lay_out (in, 20000, NULL);
  g_autoptr (LsLayout) l = a.layout;
  g_assert_no_error (a.error);
  g_assert_true (l->by_dot);
  g_assert_null (l->note);
  for (guint i = 0; i < in->n; i++)
    for (guint j = 0; j < i; j++) {
      gboolean apart = l->x[i] >= l->x[j] + in->width[j] || l->x[j] >= l->x[i] + in->width[i] ||
                       fabsf (l->y[i] - l->y[j]) >= LS_SCENE_HEIGHT;
      g_assert_true (apart);
    }
  for (guint e = 0; e < in->n_edges; e++) {
    g_assert_cmpfloat (l->y[in->from[e]], <, l->y[in->to[e]]);
    g_assert_cmpuint (l->first[e + 1] - l->first[e], >=, 4);
  }
}

static void
test_dot_too_slow (void)
{
  g_autoptr (LsLayoutInput) in = make_layout_input (LS_LAYOUT_DOT_NODES, 3);
  Answer a = lay_out (in, 5, NULL);
  g_autoptr (LsLayout) l = a.layout;
  g_assert_no_error (a.error);
  g_assert_false (l->by_dot);
  g_assert_nonnull (strstr (l->note, "longer than"));
  check_ranks (in, l);
}

static void
test_large_goes_to_ranks (void)
{
  g_autoptr (LsLayoutInput) in = make_layout_input (LS_LAYOUT_DOT_NODES + 1, 2);
  Answer a = lay_out (in, 20000, NULL);
  g_autoptr (LsLayout) l = a.layout;
  g_assert_false (l->by_dot);
  g_assert_null (l->note);
}

static void
test_no_helper (void)
{
  g_autofree char *was = g_strdup (g_getenv ("LAZYSCOPE_LAYOUT"));
  g_setenv ("LAZYSCOPE_LAYOUT", "/nonexistent/lazyscope-layout", TRUE);
  g_autoptr (LsLayoutInput) in = make_layout_input (20, 2);
  Answer a = lay_out (in, 20000, NULL);
  g_autoptr (LsLayout) l = a.layout;
  g_assert_no_error (a.error);
  g_assert_false (l->by_dot);
  g_assert_nonnull (strstr (l->note, "not installed"));
  /* a helper that says nothing sensible */
  g_setenv ("LAZYSCOPE_LAYOUT", "/bin/echo", TRUE);
  Answer b = lay_out (in, 20000, NULL);
  g_autoptr (LsLayout) m = b.layout;
  g_assert_nonnull (strstr (m->note, "failed"));
  if (was)
    g_setenv ("LAZYSCOPE_LAYOUT", was, TRUE);
  else
    g_unsetenv ("LAZYSCOPE_LAYOUT");
}

static gboolean
cancel (gpointer cancellable)
{
  g_cancellable_cancel (cancellable);
  return G_SOURCE_REMOVE;
}

static void
test_cancel (void)
{
  static const guint sizes[] = { LS_LAYOUT_DOT_NODES, 20000 };
  for (guint k = 0; k < 2; k++) {
    g_autoptr (GCancellable) cancellable = g_cancellable_new ();
    g_autoptr (LsLayoutInput) in = make_layout_input (sizes[k], 3);
    g_timeout_add_full (G_PRIORITY_HIGH, 3, cancel, cancellable, NULL);      /* before an answer is looked at, if one is there by then */
    Answer a = lay_out (in, 60000, cancellable);
    g_assert_error (a.error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
    g_assert_null (a.layout);
    g_clear_error (&a.error);
  }
}

static void
test_parse (void)
{
  g_autoptr (LsLayoutInput) in = ls_layout_input_new (2, 1);
  in->width[0] = in->width[1] = 60;
  in->to[0] = 1;
  g_autoptr (LsLayout) good = ls_layout_parse (in, "2 1\n0 0\n0 66\n4 30 38 30 50 30 60 30 66\n");
  g_assert_nonnull (good);
  g_assert_cmpfloat (good->height, ==, 66 + LS_SCENE_HEIGHT);
  static const char *const bad[] = { "", "2", "3 1\n0 0\n0 0\n0\n", "2 1\n0 0\n0 nan\n0\n", "2 1\n0 0\n0 66\n3 1 1 1 1 1 1\n",
                                     "2 1\n0 0\n0 66\n4 1 1\n",
                                     "2 1\n0 0\n0 66\n-4\n", "2 1\n0 0\n0 66\n1e9\n" };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    g_assert_null (ls_layout_parse (in, bad[i]));
}

int
main (int argc, char **argv)
{
  gtk_test_init (&argc, &argv);
  g_test_add_func ("/graph/layout/ranks", test_plain_ranks);
  g_test_add_func ("/graph/layout/extremes", test_ranks_extremes);
  g_test_add_func ("/graph/layout/dot", test_dot);
  g_test_add_func ("/graph/layout/too-slow", test_dot_too_slow);
  g_test_add_func ("/graph/layout/large", test_large_goes_to_ranks);
  g_test_add_func ("/graph/layout/no-helper", test_no_helper);
  g_test_add_func ("/graph/layout/cancel", test_cancel);
  g_test_add_func ("/graph/layout/parse", test_parse);
  return g_test_run ();
}
