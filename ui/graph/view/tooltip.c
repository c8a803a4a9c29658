/* What a node is, beside it, when the pointer rests on it after it was moved there: a node that came under a pointer at rest says
 * nothing.
 *
 * It is drawn in the picture and not a GtkTooltip: GTK puts those below the pointer, where they cover what a step changed. This one
 * stands in the first place around its node that covers nothing of the change, or nowhere. */
#include "graph-view-private.h"

#define DELAY   500      /* milliseconds, as GTK's */
#define GAP     6.0f     /* to boxes */
#define PAD     8.0      /* around the text */
#define EDGE    6.0
#define WIDEST  460

static gboolean
on_rest (gpointer data)
{
  LsGraphView *view = data;
  view->tip_timeout = 0;
  view->tip = view->hover;
  gtk_widget_queue_draw (GTK_WIDGET (view));
  return G_SOURCE_REMOVE;
}

void
ls_graph_tooltip_hide (LsGraphView *view)
{
  g_clear_handle_id (&view->tip_timeout, g_source_remove);
  if (view->tip >= 0)
    gtk_widget_queue_draw (GTK_WIDGET (view));
  view->tip = -1;
}

void
ls_graph_tooltip_pointed (LsGraphView *view)
{
  if (view->tip >= 0 && view->tip == view->hover)
    return;
  ls_graph_tooltip_hide (view);
  if (view->hover >= 0)
    view->tip_timeout = g_timeout_add (DELAY, on_rest, view);
}

static LsBox
shown_box (LsGraphView *view, guint node, float around)
{
  LsBox b = ls_graph_view_node_box (view, node);
  const LsViewport *v = &view->viewport;
  return (LsBox) { (float) (b.x0 * v->zoom + v->x) - around, (float) (b.y0 * v->zoom + v->y) - around,
                   (float) (b.x1 * v->zoom + v->x) + around, (float) (b.y1 * v->zoom + v->y) + around };
}

static gboolean
covers_change (LsGraphView *view, LsBox tip)
{
  gboolean covers = FALSE;
  for (guint i = 0; i < view->scene->n_nodes && !covers; i++)
    covers = ls_scene_changed (view->scene, i, ls_graph_view_sides (view)) && !ls_box_outside (shown_box (view, i, GAP / 2), tip);
  return covers;
}

/* Below the node, above, beside it, in the corners: where it lies in the picture and covers neither node nor change. */
static gboolean
find_place (LsGraphView *view, double w, double h, double width, double height, LsBox *at)
{
  LsBox node = shown_box (view, (guint) view->tip, GAP);
  double bottom = height - (view->scene->is_diff ? LS_LEGEND : 0), left = EDGE, right = width - EDGE - w, low = bottom - EDGE - h,
         x = CLAMP ((node.x0 + node.x1) / 2 - w / 2, left, MAX (right, left)),
         y = CLAMP ((node.y0 + node.y1) / 2 - h / 2, EDGE, MAX (low, EDGE));
  const double places[][2] = { { x, node.y1 }, { x, node.y0 - h }, { node.x1, y }, { node.x0 - w, y }, { right, EDGE }, { left, EDGE },
                               { right, low }, { left, low } };
  for (gsize i = 0; i < G_N_ELEMENTS (places); i++) {
    LsBox b = { (float) places[i][0], (float) places[i][1], (float) (places[i][0] + w), (float) (places[i][1] + h) };
    LsBox inner = { b.x0 + 1, b.y0 + 1, b.x1 - 1, b.y1 - 1 };      /* it may touch its node's room */
    if (b.x0 < EDGE - 1 || b.y0 < EDGE - 1 || b.x1 > width - EDGE + 1 || b.y1 > bottom - EDGE + 1 || !ls_box_outside (node, inner) ||
        covers_change (view, inner))
      continue;
    *at = b;
    return TRUE;
  }
  return FALSE;
}

void
ls_graph_tooltip (LsGraphView *view, cairo_t *cr, const LsPalette *p, double width, double height)
{
  view->tip_box = (LsBox) { 0, 0, -1, -1 };
  if (view->tip < 0 || view->animation_tick)
    return;
  g_autofree char *markup = ls_scene_tooltip (view->scene, (guint) view->tip);
  g_autoptr (PangoLayout) text = gtk_widget_create_pango_layout (GTK_WIDGET (view), NULL);
  int w, h;
  pango_layout_set_markup (text, markup, -1);
  pango_layout_set_width (text, (int) CLAMP (width - 2 * EDGE - 2 * PAD, 40, WIDEST) * PANGO_SCALE);
  pango_layout_set_wrap (text, PANGO_WRAP_WORD_CHAR);
  pango_layout_get_pixel_size (text, &w, &h);
  if (!find_place (view, w + 2 * PAD, h + 2 * PAD, width, height, &view->tip_box))
    return;
  const LsBox *b = &view->tip_box;
  ls_graph_rounded (cr, b->x0 + 0.5, b->y0 + 0.5, b->x1 - b->x0 - 1, b->y1 - b->y0 - 1, 6);
  ls_graph_source (cr, &p->panel, 1);
  cairo_fill_preserve (cr);
  ls_graph_source (cr, &p->text, 0.7);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
  ls_graph_source (cr, &p->text, 1);
  cairo_move_to (cr, b->x0 + PAD, b->y0 + PAD);
  pango_cairo_show_layout (cr, text);
}
