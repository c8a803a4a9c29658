#include "source-view.h"
#include "kit/class.h"
#include "ir/names.h"
#include "session/source-loops.h"
#include "session/trace-text.h"

#define NAME_GAP 8      /* pixels between a line's text and the loop's name */

struct _LsSourceView {
  GtkSourceView parent_instance;
  LsTrace      *trace;
  LsNames      *names;
  GArray       *loops;      /* LsSourceLoop, or NULL */
};

G_DEFINE_FINAL_TYPE (LsSourceView, ls_source_view, GTK_SOURCE_TYPE_VIEW)

void
ls_source_view_set_kernel (LsSourceView *self, LsTrace *trace, const LsKernel *kernel)
{
  g_clear_pointer (&self->loops, g_array_unref);
  g_clear_pointer (&self->names, ls_names_unref);
  g_clear_pointer (&self->trace, ls_trace_unref);
  if (kernel) {
    self->trace = ls_trace_ref (trace);
    self->names = ls_names_ref (ls_trace_names (trace, kernel->number));
    self->loops = ls_source_loops (trace, kernel);
  }
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

const GArray *
ls_source_view_get_loops (LsSourceView *self)
{
  return self->loops;
}

/* The text's rectangle at a byte of a line, from 1; FALSE where there is none. */
static gboolean
place_of (LsSourceView *self, guint line, guint column, gboolean at_end, GdkRectangle *place)
{
  GtkTextIter at;
  if (!gtk_text_buffer_get_iter_at_line (gtk_text_view_get_buffer (GTK_TEXT_VIEW (self)), &at, (int) line - 1))
    return FALSE;
  if (at_end && !gtk_text_iter_ends_line (&at))
    gtk_text_iter_forward_to_line_end (&at);
  else if (!at_end && column < (guint) gtk_text_iter_get_bytes_in_line (&at))
    gtk_text_iter_set_line_index (&at, (int) column);
  gtk_text_view_get_iter_location (GTK_TEXT_VIEW (self), &at, place);
  return TRUE;
}

static void
draw_name (LsSourceView *self, GtkSnapshot *snapshot, const LsSourceLoop *loop, const GdkRGBA *color)
{
  GdkRectangle end;
  if (!place_of (self, loop->first, 0, TRUE, &end))
    return;
  g_autofree char *name = ls_name_of_loop (self->names, ls_context_node (self->trace->ctx, loop->node)),
                  *text = g_strconcat (name, " ", loop->type < 0 ? NULL : ls_axis_type_name ((LsAxisType) loop->type), NULL);
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), text);
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT ((float) (end.x + NAME_GAP), (float) end.y));
  gtk_snapshot_append_layout (snapshot, layout, color);
  gtk_snapshot_restore (snapshot);
}

/* In the coordinates of the text; only what is in view. */
static void
draw_loops (LsSourceView *self, GtkSnapshot *snapshot)
{
  GdkRectangle visible;
  GtkTextIter top, bottom;
  GtkStyleContext *style = gtk_widget_get_style_context (GTK_WIDGET (self));
  gtk_text_view_get_visible_rect (GTK_TEXT_VIEW (self), &visible);
  gtk_text_view_get_line_at_y (GTK_TEXT_VIEW (self), &top, visible.y, NULL);
  gtk_text_view_get_line_at_y (GTK_TEXT_VIEW (self), &bottom, visible.y + visible.height, NULL);
  guint from = (guint) gtk_text_iter_get_line (&top) + 1, to = (guint) gtk_text_iter_get_line (&bottom) + 1;
  for (guint i = 0; i < self->loops->len; i++) {
    const LsSourceLoop *loop = &g_array_index (self->loops, LsSourceLoop, i);
    GdkRGBA color;
    GdkRectangle first, last;
    if (loop->type < 0 || !gtk_style_context_lookup_color (style, ls_text_axis_color ((LsAxisType) loop->type), &color))
      gtk_style_context_get_color (style, &color);
    if (from <= loop->first && loop->first <= to)
      draw_name (self, snapshot, loop, &color);
    guint above = MAX (loop->first + 1, from), below = MIN (loop->last, to);
    if (above <= below && place_of (self, above, loop->column, FALSE, &first) && place_of (self, below, 0, FALSE, &last))
      gtk_snapshot_append_color (snapshot, &color, &GRAPHENE_RECT_INIT ((float) first.x, (float) first.y, 2,
                                                                        (float) (last.y + last.height - first.y)));
  }
}

static void
ls_source_view_snapshot_layer (GtkTextView *view, GtkTextViewLayer layer, GtkSnapshot *snapshot)
{
  LsSourceView *self = LS_SOURCE_VIEW (view);
  GTK_TEXT_VIEW_CLASS (ls_source_view_parent_class)->snapshot_layer (view, layer, snapshot);
  if (layer == GTK_TEXT_VIEW_LAYER_BELOW_TEXT && self->loops)
    draw_loops (self, snapshot);
}

static void
ls_source_view_class_init (LsSourceViewClass *class)
{
  GTK_TEXT_VIEW_CLASS (class)->snapshot_layer = ls_source_view_snapshot_layer;
  LS_OWNS (class, LsSourceView, g_array_unref, loops);
  LS_OWNS (class, LsSourceView, ls_names_unref, names);
  LS_OWNS (class, LsSourceView, ls_trace_unref, trace);
}

static void ls_source_view_init (LsSourceView *self) {}
