/* A pattern drawn in the graph's own language, smaller: inputs above, the root below, captures as purple badges with the letters that
 * the graph shows.
 *
 * Places come from the graph's layout in ranks; a side has a dozen boxes at most, so that it is laid out when the rule changes and drawn
 * in less than a tenth of a millisecond. A pattern that does not fit is drawn smaller.
 */
#include "pattern-view.h"
#include "kit/code-font.h"
#include "kit/class.h"
#include "graph/layout/layout.h"
#include "graph/view/palette.h"
#include "ir/print.h"
#include "kit/text.h"

#include <math.h>

#define BOX_H     19.0
#define PITCH     31.0
#define ADVANCE    6.2
#define ARROW     34.0
#define TALL      84.0      /* higher pictures are drawn smaller */
#define LEAST      0.5      /* scale below which it is cut off rather than made smaller */

typedef struct { double x, y, w; LsRulePartKind kind; char *title, *capture; guint8 op_class; guint32 node; } Box;
typedef struct { guint from, to; } Arc;

struct _LsPatternView {
  GtkWidget    parent_instance;
  GArray      *boxes;       /* Box: those of the side before, then those after */
  GArray      *arcs;
  guint        n_before;
  double       width, height, arrow_x;
  int          less;      /* of its height */
  int          hover;
  PangoLayout *text;
};

G_DEFINE_FINAL_TYPE (LsPatternView, ls_pattern_view, GTK_TYPE_WIDGET)

static void
clear_box (gpointer data)
{
  g_free (((Box *) data)->title);
  g_free (((Box *) data)->capture);
}

guint
ls_pattern_view_n_boxes (LsPatternView *self)
{
  return self->boxes->len;
}

void
ls_pattern_view_set_less (LsPatternView *self, int less)
{
  if (less == self->less)
    return;
  self->less = less;
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

static double
badge_width (const Box *b)
{
  return b->capture ? (double) g_utf8_strlen (b->capture, -1) * ADVANCE + 9 : 0;
}

static void
add_box (LsPatternView *self, const LsRulePart *part, const LsBinding *bindings, guint n)
{
  Box b = { 0, 0, 0, part->kind, part->title ? ls_text_cut (part->title, 60) : g_strdup (""),
            part->capture ? ls_text_valid (part->capture) : NULL, 0, LS_NO_NODE };
  b.op_class = part->op < LS_N_OPS ? (guint8) ls_op_info ((LsOp) part->op)->op_class : 0xff;
  for (guint i = 0; i < n && part->capture; i++)
    if (bindings[i].node && g_strcmp0 (bindings[i].name, part->capture) == 0) {
      LsArg v;
      b.node = bindings[i].node->id;
      if (part->kind == LS_PART_CONST && ls_uop_const_value (bindings[i].node, &v)) {
        g_autofree char *value = ls_arg_print (v);
        g_free (b.title);
        b.title = ls_text_cut (value, 12);
      }
    }
  gsize chars = (gsize) g_utf8_strlen (b.title, -1);
  b.w = badge_width (&b) + (chars ? (double) chars * ADVANCE + (part->kind == LS_PART_OP || part->kind == LS_PART_BUILDER ? 20 : 10) : 0);
  g_array_append_val (self->boxes, b);
}

/* One side's boxes and arcs, laid out, from x on; gives the side's width. */
static double
add_side (LsPatternView *self, const LsRulePicture *p, double x, const LsBinding *bindings, guint n)
{
  guint first = self->boxes->len;
  if (!p || p->parts->len == 0)
    return 0;
  for (guint i = 0; i < p->parts->len; i++)
    add_box (self, &g_array_index (p->parts, LsRulePart, i), bindings, n);
  g_autoptr (LsLayoutInput) input = ls_layout_input_new (p->parts->len, p->arcs->len);
  for (guint i = 0; i < p->parts->len; i++)
    input->width[i] = (float) MAX (g_array_index (self->boxes, Box, first + i).w, 14);
  for (guint i = 0; i < p->arcs->len; i++) {
    const LsRuleArc *arc = &g_array_index (p->arcs, LsRuleArc, i);
    input->from[i] = arc->from;
    input->to[i] = arc->to;
    Arc a = { first + arc->from, first + arc->to };
    g_array_append_val (self->arcs, a);
  }
  g_autoptr (LsLayout) layout = ls_ranks_layout (input, NULL);
  float left = layout->left;
  for (guint i = 0; i < p->parts->len; i++) {
    Box *b = &g_array_index (self->boxes, Box, first + i);
    double rank = (layout->y[i] - layout->top) / LS_RANK_PITCH;
    b->x = x + (layout->x[i] - left);
    b->y = rank * PITCH;
    self->height = MAX (self->height, b->y + BOX_H);
  }
  return layout->width;
}

void
ls_pattern_view_set (LsPatternView *self, const LsRulePicture *before, const LsRulePicture *after, const LsBinding *bindings, guint n)
{
  g_array_set_size (self->boxes, 0);
  g_array_set_size (self->arcs, 0);
  self->height = 0;
  self->hover = -1;
  double w = add_side (self, before, 2, bindings, n);
  self->n_before = self->boxes->len;
  self->arrow_x = w + 2;
  self->width = w + 4;
  if (after && after->parts->len)
    self->width = 2 + w + ARROW + add_side (self, after, 2 + w + ARROW, bindings, n) + 2;
  /* both roots on one line: results are read off at the bottom */
  double low[2] = { 0, 0 };
  for (guint i = 0; i < self->boxes->len; i++)
    low[i >= self->n_before] = MAX (low[i >= self->n_before], g_array_index (self->boxes, Box, i).y + BOX_H);
  for (guint i = 0; i < self->boxes->len; i++)
    g_array_index (self->boxes, Box, i).y += (self->height - low[i >= self->n_before]) + 1;
  self->height += 2;
  gtk_widget_queue_resize (GTK_WIDGET (self));
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* --- drawing --- */

static double
scale_of (LsPatternView *self)
{
  double w = gtk_widget_get_width (GTK_WIDGET (self)), h = gtk_widget_get_height (GTK_WIDGET (self));
  return CLAMP (MIN (w / MAX (self->width, 1), h / MAX (self->height, 1)), LEAST, 1);
}

static void
make_text (LsPatternView *self)
{
  if (self->text)
    return;
  PangoRectangle r;
  self->text = gtk_widget_create_pango_layout (GTK_WIDGET (self), "MMMMMMMMMM");
  PangoFontDescription *font = pango_font_description_from_string (LS_CODE_FONT);
  pango_font_description_set_absolute_size (font, 10.5 * PANGO_SCALE);
  pango_font_description_set_weight (font, PANGO_WEIGHT_BOLD);
  pango_layout_set_font_description (self->text, font);
  pango_layout_get_extents (self->text, NULL, &r);
  double advance = r.width / (double) PANGO_SCALE / 10;
  if (advance > ADVANCE) {
    pango_font_description_set_absolute_size (font, 10.5 * ADVANCE / advance * PANGO_SCALE);
    pango_layout_set_font_description (self->text, font);
  }
  pango_font_description_free (font);
}

static void
show_text (LsPatternView *self, cairo_t *cr, const char *text, double x, double middle)
{
  PangoRectangle r;
  pango_layout_set_text (self->text, text, -1);
  pango_layout_get_extents (self->text, NULL, &r);
  cairo_move_to (cr, x, middle - r.height / (2.0 * PANGO_SCALE));
  pango_cairo_show_layout (cr, self->text);
}

static void
draw_box (LsPatternView *self, cairo_t *cr, const LsPalette *p, const Box *b, gboolean after, gboolean hover)
{
  double x = b->x, badge = badge_width (b);
  gboolean framed = b->kind == LS_PART_OP || b->kind == LS_PART_BUILDER || b->kind == LS_PART_VALUE || *b->title;
  LsDiffKind kind = after ? LS_DIFF_ADDED : LS_DIFF_REMOVED;
  gboolean changes = b->kind == LS_PART_OP || b->kind == LS_PART_BUILDER;
  static const double dashes[2] = { 4, 2.5 };
  if (framed) {
    ls_graph_rounded (cr, x + 0.75, b->y + 0.75, b->w - 1.5, BOX_H - 1.5, 4);
    ls_graph_source (cr, changes ? &p->kinds[kind].fill : &p->kinds[LS_DIFF_SAME].fill, 1);
    cairo_fill_preserve (cr);
    ls_graph_source (cr, changes ? &p->kinds[kind].border : &p->kinds[LS_DIFF_SAME].border, 1);
    cairo_set_line_width (cr, changes ? 1.5 : 1);
    cairo_set_dash (cr, dashes, changes && !after ? 2 : 0, 0);
    cairo_stroke (cr);
    cairo_set_dash (cr, NULL, 0, 0);
    if (changes && b->op_class < G_N_ELEMENTS (p->classes)) {
      ls_graph_source (cr, &p->classes[b->op_class], 1);
      ls_graph_rounded (cr, x + 4, b->y + 4, 3, BOX_H - 8, 1.5);
      cairo_fill (cr);
    }
    ls_graph_source (cr, &p->text, 1);
    show_text (self, cr, b->title, x + (changes ? 11 : 5) + badge, b->y + BOX_H / 2);
  }
  if (b->capture) {
    double bx = x + (changes ? 8 : framed ? 1 : 0);
    ls_graph_rounded (cr, bx, b->y + 2, badge, BOX_H - 4, 4);
    ls_graph_source (cr, &p->capture, 1);
    cairo_fill (cr);
    ls_graph_source (cr, &p->ground, 1);
    show_text (self, cr, b->capture, bx + 4.5, b->y + BOX_H / 2);
  }
  if (hover) {
    ls_graph_rounded (cr, x - 1.5, b->y - 1.5, b->w + 3, BOX_H + 3, 5);
    ls_graph_source (cr, &p->accent, 1);
    cairo_set_line_width (cr, 2);
    cairo_stroke (cr);
  }
}

static void
draw_arc (LsPatternView *self, cairo_t *cr, const LsPalette *p, guint i)
{
  const Arc *a = &g_array_index (self->arcs, Arc, i);
  const Box *from = &g_array_index (self->boxes, Box, a->from), *to = &g_array_index (self->boxes, Box, a->to);
  guint port = 0, ports = 0;
  for (guint k = 0; k < self->arcs->len; k++)
    if (g_array_index (self->arcs, Arc, k).to == a->to) {
      port += k < i;
      ports++;
    }
  double x0 = from->x + from->w / 2, y0 = from->y + BOX_H, x1 = to->x + 5 + (to->w - 10) * (port + 1) / (ports + 1), y1 = to->y,
         d = MAX ((y1 - y0) * 0.5, 5);
  cairo_move_to (cr, x0, y0);
  cairo_curve_to (cr, x0, y0 + d, x1, y1 - d, x1, y1 - 2);
  cairo_stroke (cr);
  cairo_move_to (cr, x1, y1);
  cairo_line_to (cr, x1 - 2.6, y1 - 4.5);
  cairo_line_to (cr, x1 + 2.6, y1 - 4.5);
  cairo_close_path (cr);
  cairo_fill (cr);
}

static void
snapshot (GtkWidget *widget, GtkSnapshot *snap)
{
  LsPatternView *self = LS_PATTERN_VIEW (widget);
  float w = (float) gtk_widget_get_width (widget), h = (float) gtk_widget_get_height (widget);
  if (self->boxes->len == 0)
    return;
  LsPalette palette;
  ls_graph_palette (widget, &palette);
  make_text (self);
  cairo_t *cr = gtk_snapshot_append_cairo (snap, &GRAPHENE_RECT_INIT (0, 0, w, h));
  double s = scale_of (self);
  cairo_scale (cr, s, s);
  ls_graph_source (cr, &palette.edge, 1);
  cairo_set_line_width (cr, 1.1);
  for (guint i = 0; i < self->arcs->len; i++)
    draw_arc (self, cr, &palette, i);
  if (self->n_before < self->boxes->len) {
    double x = self->arrow_x, y = self->height - BOX_H / 2 - 1;
    ls_graph_source (cr, &palette.dim, 1);
    cairo_set_line_width (cr, 1.5);
    cairo_move_to (cr, x + 9, y);
    cairo_line_to (cr, x + ARROW - 9, y);
    cairo_move_to (cr, x + ARROW - 14, y - 4);
    cairo_line_to (cr, x + ARROW - 9, y);
    cairo_line_to (cr, x + ARROW - 14, y + 4);
    cairo_stroke (cr);
  }
  for (guint i = 0; i < self->boxes->len; i++)
    draw_box (self, cr, &palette, &g_array_index (self->boxes, Box, i), i >= self->n_before, (int) i == self->hover);
  cairo_destroy (cr);
}

static void
measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *min, int *nat, int *min_baseline, int *nat_baseline)
{
  LsPatternView *self = LS_PATTERN_VIEW (widget);
  double tall = TALL - self->less, size = orientation == GTK_ORIENTATION_HORIZONTAL ? self->width : self->height,
         scale = CLAMP (tall / MAX (self->height, 1), LEAST, 1);
  *nat = self->boxes->len ? (int) MIN (ceil (size * scale), orientation == GTK_ORIENTATION_VERTICAL ? tall : G_MAXINT) : 0;
  *min = (int) MIN (*nat, orientation == GTK_ORIENTATION_VERTICAL ? tall : ceil (size * LEAST * scale));
}

/* --- pointer --- */

static int
box_at (LsPatternView *self, double x, double y)
{
  double s = scale_of (self);
  for (guint i = 0; i < self->boxes->len; i++) {
    const Box *b = &g_array_index (self->boxes, Box, i);
    if (b->node != LS_NO_NODE && x / s >= b->x - 2 && x / s < b->x + b->w + 2 && y / s >= b->y - 2 && y / s < b->y + BOX_H + 2)
      return (int) i;
  }
  return -1;
}

static void
set_hover (LsPatternView *self, int box)
{
  if (self->hover == box)
    return;
  self->hover = box;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_signal_emit_by_name (self, "capture-hovered", box < 0 ? LS_NO_NODE : g_array_index (self->boxes, Box, box).node);
}

static void
motion (GtkEventControllerMotion *controller, double x, double y, LsPatternView *self)
{
  set_hover (self, box_at (self, x, y));
}

static void
leave (GtkEventControllerMotion *controller, LsPatternView *self)
{
  set_hover (self, -1);
}

static void
released (GtkGestureClick *gesture, int n_press, double x, double y, LsPatternView *self)
{
  int box = box_at (self, x, y);
  if (box >= 0)
    g_signal_emit_by_name (self, "capture-chosen", g_array_index (self->boxes, Box, box).node);
}

static void
system_setting_changed (GtkWidget *widget, GtkSystemSetting setting)
{
  GTK_WIDGET_CLASS (ls_pattern_view_parent_class)->system_setting_changed (widget, setting);
  g_clear_object (&LS_PATTERN_VIEW (widget)->text);
}

static void
ls_pattern_view_class_init (LsPatternViewClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);
  widget_class->snapshot = snapshot;
  widget_class->measure = measure;
  widget_class->system_setting_changed = system_setting_changed;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  ls_class_signal (class, "capture-chosen", 1, G_TYPE_UINT);
  ls_class_signal (class, "capture-hovered", 1, G_TYPE_UINT);
  LS_KEEPS (class, LsPatternView, g_object_unref, text);
  LS_KEEPS (class, LsPatternView, g_array_unref, boxes, arcs);
}

static void
ls_pattern_view_init (LsPatternView *self)
{
  self->boxes = g_array_new (FALSE, TRUE, sizeof (Box));
  self->arcs = g_array_new (FALSE, FALSE, sizeof (Arc));
  self->hover = -1;
  g_array_set_clear_func (self->boxes, clear_box);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  GtkEventController *pointer = gtk_event_controller_motion_new ();
  g_signal_connect (pointer, "motion", G_CALLBACK (motion), self);
  g_signal_connect (pointer, "leave", G_CALLBACK (leave), self);
  gtk_widget_add_controller (GTK_WIDGET (self), pointer);
  GtkGesture *click = gtk_gesture_click_new ();
  g_signal_connect (click, "released", G_CALLBACK (released), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
}
