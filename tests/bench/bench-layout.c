/* Milliseconds from a graph to its picture: scene, dot in its helper, our layers, a layout that follows another one, and a frame of
 * each scale.
 *
 *   bench-layout [NODES…]
 *
 * The graphs are random with the habits of unrolled kernels: two sources a node, most of them near. Frames are rendered to a texture
 * without a window, at 1280 × 766.
 */
#include <adwaita.h>
#include <stdio.h>
#include <stdlib.h>

#include "graph/layout/follow.h"
#include "graph/view/graph-view-private.h"

static LsUOp *
make_graph (LsContext *c, guint n)
{
  g_autoptr (GPtrArray) pool = g_ptr_array_new ();
  GRand *rand = g_rand_new_with_seed (n);
  for (int i = 0; i < 8; i++) {
    gint64 ints[3] = { i, 0, 0 };
    LsUOp *k = ls_uop_new1 (c, LS_OP_RANGE, LS_INDEX, ls_uop_const_i (c, LS_INDEX, 64), ls_arg_ints (c, 3, ints));
    LsUOp *b = ls_uop_new0 (c, LS_OP_DEFINE_GLOBAL, ls_dtype_ptr (LS_FLOAT, LS_SPACE_GLOBAL, 4096), ls_arg_int (i));
    LsUOp *at = ls_uop_new2 (c, LS_OP_INDEX, b->dtype, b, k, ls_arg_none ());
    g_ptr_array_add (pool, ls_uop_new1 (c, LS_OP_LOAD, LS_FLOAT, at, ls_arg_none ()));
  }
  for (guint i = 0; pool->len + 9 < n; i++) {
    gint32 last = (gint32) pool->len, from = MAX (last - 60, 0);
    g_ptr_array_add (pool, ls_uop_alu2 (c, i % 2 ? LS_OP_ADD : LS_OP_MUL, pool->pdata[g_rand_int_range (rand, from, last)],
                                        pool->pdata[g_rand_int_range (rand, from, last)]));
  }
  LsUOp *stores[8];
  for (guint i = 0; i < 8; i++)
    stores[i] = ls_uop_new2 (c, LS_OP_STORE, LS_VOID, ((LsUOp *) pool->pdata[i])->src[0], pool->pdata[pool->len - 1 - i], ls_arg_none ());
  g_rand_free (rand);
  return ls_uop_new (c, LS_OP_SINK, LS_VOID, 8, stores, ls_arg_none ());
}

typedef struct { GMainLoop *loop; LsLayout *layout; } Answer;

static void
on_answer (GObject *source, GAsyncResult *result, gpointer data)
{
  Answer *a = data;
  a->layout = ls_layout_finish (result, NULL);
  g_main_loop_quit (a->loop);
}

static double
frame (LsGraphView *view, GskRenderer *renderer, double zoom)
{
  view->viewport.zoom = zoom;
  LsBox e = ls_graph_view_extents (view);
  view->viewport.x = 640 - (e.x0 + e.x1) / 2 * zoom;
  view->viewport.y = 383 - (e.y0 + e.y1) / 2 * zoom;
  LsPalette palette;
  ls_graph_palette (GTK_WIDGET (view), &palette);
  gint64 best = G_MAXINT64;
  for (guint i = 0; i < 5; i++) {
    gint64 start = g_get_monotonic_time ();
    GtkSnapshot *snapshot = gtk_snapshot_new ();
    graphene_rect_t all = GRAPHENE_RECT_INIT (0, 0, 1280, 766);
    gtk_snapshot_append_color (snapshot, &palette.ground, &all);
    ls_graph_canvas_forget (view);
    cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &all);
    ls_graph_canvas (view, cr, &palette, 1280, 766);
    ls_graph_overlay (view, cr, &palette, 1280, 766);
    cairo_destroy (cr);
    GskRenderNode *node = gtk_snapshot_free_to_node (snapshot);
    g_autoptr (GdkTexture) texture = gsk_renderer_render_texture (renderer, node, &all);
    gsk_render_node_unref (node);
    best = MIN (best, g_get_monotonic_time () - start);
  }
  return (double) best / 1000;
}

static void
bench (guint n, GskRenderer *renderer)
{
  LsContext *ctx = ls_context_new ();
  g_autoptr (LsTrace) trace = ls_trace_new (ctx);
  LsUOp *root = make_graph (ctx, n);
  gint64 start = g_get_monotonic_time ();
  LsScene *scene = ls_scene_new_root (trace, NULL, root, TRUE);
  double scene_ms = (double) (g_get_monotonic_time () - start) / 1000;
  g_autoptr (LsLayoutInput) in = ls_layout_input_new (scene->n_nodes, scene->n_edges);
  for (guint i = 0; i < scene->n_nodes; i++)
    in->width[i] = scene->nodes[i].width;
  for (guint e = 0; e < scene->n_edges; e++) {
    in->from[e] = scene->edges[e].from;
    in->to[e] = scene->edges[e].to;
  }
  printf ("%6u nodes  scene %7.1f ms", scene->n_nodes, scene_ms);
  if (n <= LS_LAYOUT_DOT_NODES) {
    Answer a = { g_main_loop_new (NULL, FALSE), NULL };
    ls_layout_async (in, 60000, NULL, on_answer, &a);
    g_main_loop_run (a.loop);
    g_main_loop_unref (a.loop);
    printf ("  dot %8.1f ms%s", a.layout->ms, a.layout->by_dot ? "" : " (failed)");
    ls_layout_unref (a.layout);
  } else
    printf ("  %15s", "");
  g_autoptr (LsLayout) l = ls_ranks_layout (in, NULL);
  printf ("  layered %8.1f ms  %.0f × %.0f", l->ms, l->width, l->height);
  g_autoptr (LsKeep) keep = ls_keep_new (in->n);
  for (guint i = 0; i < in->n; i++)
    if (i % 100 != 50) {
      keep->x[i] = l->x[i] + in->width[i] / 2;
      keep->rank[i] = (gint32) (l->y[i] / LS_RANK_PITCH + 0.5f);
      keep->n_kept++;
    }
  g_autoptr (LsLayout) next = ls_follow_layout (in, keep, NULL);
  printf ("  one in 100 new %6.1f ms", next->ms);
  LsGraphView *view = g_object_ref_sink (LS_GRAPH_VIEW (ls_graph_view_new ()));
  ls_graph_measure (view);
  ls_graph_view_show_scene (view, scene, l);
  static const double zooms[] = { 1, 0.45, 0.2, 0.05 };
  printf ("  frames");
  for (guint i = 0; i < G_N_ELEMENTS (zooms); i++)
    printf (" %g: %.1f ms", zooms[i], frame (view, renderer, zooms[i]));
  printf ("\n");
  g_object_unref (view);
  ls_context_unref (ctx);
}

int
main (int argc, char **argv)
{
  gtk_init ();
  adw_init ();
  GskRenderer *renderer = gsk_cairo_renderer_new ();
  if (!gsk_renderer_realize (renderer, NULL, NULL))
    return 1;
  static const guint sizes[] = { 500, 1000, 2000, 10000 };
  if (argc > 1)
    for (int i = 1; i < argc; i++)
      bench ((guint) CLAMP (atoi (argv[i]), 20, 1000000), renderer);
  else
    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
      bench (sizes[i], renderer);
  gsk_renderer_unrealize (renderer);
  g_object_unref (renderer);
  return 0;
}
