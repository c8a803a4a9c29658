/* The Shapes tab.
 *
 * The buffer is drawn as a grid of its elements; those that the node touches are coloured by when they are touched first, dark to light,
 * the others are grey. A slider for each axis holds it at an index. Larger buffers have several elements in a cell, which the text says.
 */
#include "shapes-pane.h"
#include "kit/class.h"
#include "session/trace-text.h"
#include "panes/panes.h"
#include "kit/heat-map.h"
#include "ir/print.h"
#include "kit/paragraph.h"
#include "kit/text.h"
#include "kit/tip.h"
#include "ask/ask.h"

#include <glib/gi18n.h>
#include <math.h>

#define MOST_SLIDERS 6
#define MOST_WIDE    96
#define MOST_HIGH    48

struct _LsShapesPane {
  GtkWidget      parent_instance;
  LsViewSession *session;
  GtkWidget     *box, *sliders;
  GtkLabel      *title, *text, *picture_text;
  LsHeatMap     *map;
  GtkWidget     *scale[MOST_SLIDERS];
  GtkLabel      *scale_text[MOST_SLIDERS];
  gint64         fixed[MOST_SLIDERS];
  gboolean       filling;
  LsTrace       *trace;
  guint32        node;
  LsGraph       *graph;      /* that shows the node … */
  LsUOp         *as;         /* … as this, or NULL */
};

G_DEFINE_FINAL_TYPE (LsShapesPane, ls_shapes_pane, GTK_TYPE_WIDGET)

/* A row of the grid is the buffer's last axis; if it has no shape, or one that would be a sliver, a length that divides it and makes an
 * oblong. */
static guint64
row_length (guint64 n, guint64 last_axis)
{
  if (last_axis > 1 && n % last_axis == 0 && n / last_axis <= 4 * last_axis && last_axis <= 16 * (n / last_axis))
    return last_axis;
  guint64 wanted = (guint64) ceil (sqrt (3.0 * (double) MAX (n, 1)));
  for (guint64 w = wanted; w >= MAX (wanted / 3, 1) && w > 1 && wanted - w < 4096; w--)
    if (n % w == 0)
      return w;
  return MAX (wanted, 1);
}

static void
draw (LsShapesPane *self, const LsAccess *a)
{
  guint64 n = MAX (a->n_elements, 1), length = row_length (n, a->row_length);
  guint64 per_column = (length + MOST_WIDE - 1) / MOST_WIDE, n_rows = (n + length - 1) / length,
          per_row = (n_rows + MOST_HIGH - 1) / MOST_HIGH;
  guint wide = (guint) ((length + per_column - 1) / per_column), high = (guint) ((n_rows + per_row - 1) / per_row);
  g_autofree double *cells = g_new (double, (gsize) wide * high);
  g_autoptr (GHashTable) touched = g_hash_table_new (g_int64_hash, g_int64_equal);
  guint masked = 0;
  for (gsize i = 0; i < (gsize) wide * high; i++)
    cells[i] = LS_HEAT_MAP_NOTHING;
  for (guint i = 0; i < a->points->len; i++) {
    gint64 *element = &g_array_index (a->points, gint64, i);
    if (*element == LS_ACCESS_MASKED) {
      masked++;
      continue;
    }
    g_hash_table_add (touched, element);
    gsize cell = (gsize) ((guint64) *element / length / per_row) * wide + (gsize) ((guint64) *element % length / per_column);
    if (cells[cell] == LS_HEAT_MAP_NOTHING)
      cells[cell] = i;
  }
  gsize last = (gsize) ((n - 1) / length / per_row) * wide + (per_row == 1 ? (gsize) ((n - 1) % length / per_column) : wide - 1);
  ls_heat_map_set (self->map, high, wide, cells, last + 1, 0, MAX (a->points->len, 1) - 1);

  g_autofree char *elements = ls_text_count (a->n_elements), *different = ls_text_count (g_hash_table_size (touched)),
                  *points = ls_text_count (a->points->len - masked);      /* a masked access does not happen */
  g_autoptr (GString) text = g_string_new (NULL);
  g_string_append_printf (text, ngettext ("%s access touches %s of %s elements, coloured by first access",
                                          "%s accesses touch %s of %s elements, coloured by first access", a->points->len - masked),
                          points, different, elements);
  if (masked)
    g_string_append_printf (text, ngettext (" · %u more is masked: no access", " · %u more are masked: no access", masked), masked);
  if (a->every > 1)
    g_string_append_printf (text, _(" · sampled: one in %d"), (int) a->every);
  if (per_row > 1 || per_column > 1)
    g_string_append_printf (text, _(" · a cell is %d × %d elements"), (int) per_row, (int) per_column);
  gtk_label_set_text (self->picture_text, text->str);
  ls_tip_set (GTK_WIDGET (self->picture_text), text->str);
}

static char *
summary_of (LsShapesPane *self, guint32 node)
{
  LsUOp *u = self->trace && node != LS_NO_NODE ? ls_context_node (self->trace->ctx, node) : NULL;
  /* a view's argument is shown in full below */
  g_autofree char *summary = !u ? g_strdup ("") : u->op == LS_OP_VIEW ? g_strdup (ls_op_name (u->op))
                            : ls_text_node (self->graph ? self->graph->names : NULL, u);
  return ls_text_cut (summary, 48);
}

static void
describe (LsShapesPane *self, const LsAccess *a)
{
  g_autofree char *buffer = summary_of (self, a->buffer);
  g_autoptr (GString) text = g_string_new (NULL);
  if (*buffer)
    g_string_append_printf (text, _("over %s\n"), buffer);
  for (guint v = 0; v < a->views->len; v++) {
    g_autofree char *view = ls_text_cut (g_array_index (a->views, char *, v), 400);
    if (a->views->len > 1)
      g_string_append_printf (text, _("view %u: %s\n"), v + 1, view);
    else
      g_string_append_printf (text, "%s\n", view);
  }
  if (a->index) {
    g_autofree char *index = ls_text_cut (a->index, 400);
    g_string_append_printf (text, _("index %s\n"), index);
  }
  g_autofree char *valid = a->valid ? ls_text_cut (a->valid, 400) : NULL;
  g_string_append_printf (text, valid ? _("valid where %s") : _("valid everywhere"), valid);
  gtk_label_set_text (self->text, text->str);
}

static void
fill_sliders (LsShapesPane *self, const LsAccess *a)
{
  self->filling = TRUE;
  for (guint k = 0; k < MOST_SLIDERS; k++) {
    gboolean used = a && k < a->axes->len && g_array_index (a->axes, LsAccessAxis, k).size > 1;
    gtk_widget_set_visible (gtk_widget_get_parent (self->scale[k]), used);
    if (!used)
      continue;
    const LsAccessAxis *axis = &g_array_index (a->axes, LsAccessAxis, k);
    g_autofree char *name = ls_text_cut (axis->name, 12);
    g_autofree char *label = self->fixed[k] < 0 ? g_strdup_printf ("%s = 0…%" G_GINT64_FORMAT, name, axis->size - 1)
                                                : g_strdup_printf ("%s = %" G_GINT64_FORMAT, name, self->fixed[k]);
    gtk_label_set_text (self->scale_text[k], label);
    gtk_range_set_range (GTK_RANGE (self->scale[k]), -1, (double) (axis->size - 1));
    gtk_range_set_value (GTK_RANGE (self->scale[k]), (double) self->fixed[k]);
  }
  self->filling = FALSE;
}

static void
show (LsShapesPane *self)
{
  LsUOp *u = self->as;
  g_autoptr (GError) error = NULL;
  g_autoptr (LsAccess) a = u ? ls_access (self->graph->ctx, self->graph->names, u, self->fixed, MOST_SLIDERS, &error) : NULL;
  g_autofree char *summary = summary_of (self, self->node);
  LsShape shape;
  g_autofree char *shape_text = u && ls_uop_get_shape (self->graph->ctx, u, &shape, NULL) ? ls_shape_to_string (shape) : NULL;
  g_autofree char *title = shape_text ? g_strdup_printf (_("%s · shape %s"), summary, shape_text) : g_strdup (summary);
  gtk_label_set_text (self->title, title);
  fill_sliders (self, a);
  if (a) {
    describe (self, a);
    draw (self, a);
    return;
  }
  ls_heat_map_set (self->map, 0, 0, NULL, 0, 0, 0);
  gtk_label_set_text (self->picture_text, "");
  g_autofree char *why = error ? ls_text_error (error, 300) : g_strdup (_("Select a node to see its shape and its accesses"));
  gtk_label_set_text (self->text, why);
}

static void
look_at (LsShapesPane *self, LsTrace *trace, guint32 node, LsUOp *as, LsGraph *graph)
{
  LsGraph *old = self->graph;
  self->trace = trace;
  self->node = node;
  self->as = as;
  self->graph = graph ? ls_graph_ref (graph) : NULL;
  ls_graph_unref (old);
}

static void
update (LsShapesPane *self)
{
  if (!self->session || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  LsTrace *trace = ls_view_session_get_trace (self->session);
  guint32 node = ls_view_session_asked_node (self->session);
  LsGraph *graph = NULL;
  LsUOp *as = node != LS_NO_NODE ? ls_view_session_node (self->session, node, &graph) : NULL;
  if (trace == self->trace && node == self->node && as == self->as)
    return;
  for (guint k = 0; k < MOST_SLIDERS && (trace != self->trace || node != self->node); k++)
    self->fixed[k] = -1;
  look_at (self, trace, node, as, graph);
  show (self);
}

void
ls_shapes_pane_changed (gpointer pane, LsWatch what)
{
  if (what != LS_WATCH_TRACE) {
    update (pane);
    return;
  }
  look_at (pane, NULL, LS_NO_NODE, NULL, NULL);
  show (pane);
}

static void
on_scale (LsShapesPane *self)
{
  if (self->filling)
    return;
  for (guint k = 0; k < MOST_SLIDERS; k++)
    if (gtk_widget_get_visible (gtk_widget_get_parent (self->scale[k])))
      self->fixed[k] = (gint64) lrint (gtk_range_get_value (GTK_RANGE (self->scale[k])));
  show (self);
}

GtkWidget *
ls_shapes_pane_new (LsViewSession *session)
{
  LsShapesPane *self = g_object_new (LS_TYPE_SHAPES_PANE, NULL);
  self->session = g_object_ref (session);
  return GTK_WIDGET (self);
}

static void
ls_shapes_pane_class_init (LsShapesPaneClass *class)
{
  LS_USES (LS_TYPE_PARAGRAPH, LS_TYPE_HEAT_MAP);
  LS_UI_BINDS (class, LsShapesPane, "shapes-pane", box, title, sliders, text, picture_text, map);
  LS_CALLBACKS (class, update);
  LS_OWNS (class, LsShapesPane, gtk_widget_unparent, box);
  LS_OWNS (class, LsShapesPane, ls_graph_unref, graph);
  LS_OWNS (class, LsShapesPane, g_object_unref, session);
}

static void
add_sliders (LsShapesPane *self)
{
  for (guint k = 0; k < MOST_SLIDERS; k++) {
    GtkWidget *one = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 2);
    g_autofree char *name = g_strdup_printf ("axis-%u", k);
    self->scale_text[k] = GTK_LABEL (gtk_label_new (NULL));
    self->scale[k] = gtk_scale_new_with_range (GTK_ORIENTATION_HORIZONTAL, -1, 1, 1);
    gtk_widget_set_name (self->scale[k], name);
    gtk_widget_set_size_request (self->scale[k], 84, -1);
    gtk_widget_set_tooltip_text (self->scale[k], _("Fix the axis at an index; at the left end it varies"));
    gtk_scale_set_draw_value (GTK_SCALE (self->scale[k]), FALSE);
    gtk_box_append (GTK_BOX (one), GTK_WIDGET (self->scale_text[k]));
    gtk_box_append (GTK_BOX (one), self->scale[k]);
    gtk_widget_set_visible (one, FALSE);
    g_signal_connect_swapped (self->scale[k], "value-changed", G_CALLBACK (on_scale), self);
    gtk_box_append (GTK_BOX (self->sliders), one);
  }
}

static void
ls_shapes_pane_init (LsShapesPane *self)
{
  self->node = LS_NO_NODE;
  gtk_widget_init_template (GTK_WIDGET (self));
  add_sliders (self);
}
