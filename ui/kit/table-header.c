#include "table-header.h"
#include "class.h"

#define GRIP 5      /* pixels left and right of a line where it can be taken */

struct _LsTableHeader {
  GtkWidget      parent_instance;
  GtkAdjustment *horizontal;
  guint          n, spacing;
  GtkWidget     *titles[LS_CELLS_MAX];
  char          *texts[LS_CELLS_MAX];      /* of the titles, without the mark of the sorted one */
  LsColumn       columns[LS_CELLS_MAX];
  guint          drawn;           /* the column whose line is held, or n */
  int            drawn_from;      /* its width when it was taken */
};

G_DEFINE_FINAL_TYPE (LsTableHeader, ls_table_header, GTK_TYPE_WIDGET)

/* --- places --- */

/* The position of the columns in a row, which is as wide as it needs to be and is scrolled; returns the scroll offset. */
static int
place (LsTableHeader *self, int *x, int *w)
{
  int width = gtk_widget_get_width (GTK_WIDGET (self)), least = ls_columns_width (self->columns, self->n, self->spacing);
  ls_columns_place (self->columns, self->n, self->spacing, MAX (width, least), x, w);
  return least > width ? (int) gtk_adjustment_get_value (self->horizontal) : 0;
}

static void
ls_table_header_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural, int *minimum_baseline,
                         int *natural_baseline)
{
  LsTableHeader *self = LS_TABLE_HEADER (widget);
  *minimum = *natural = 0;
  for (guint i = 0; orientation == GTK_ORIENTATION_VERTICAL && i < self->n; i++) {
    int least;
    gtk_widget_measure (self->titles[i], GTK_ORIENTATION_VERTICAL, -1, &least, NULL, NULL, NULL);
    *minimum = *natural = MAX (*minimum, least);
  }
}

static void
ls_table_header_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  LsTableHeader *self = LS_TABLE_HEADER (widget);
  int x[LS_CELLS_MAX], w[LS_CELLS_MAX];
  place (self, x, w);
  for (guint i = 0; i < self->n; i++) {
    int least;
    gboolean hidden = self->columns[i].flags & LS_CELL_HIDDEN;
    gtk_widget_set_child_visible (self->titles[i], !hidden);
    if (hidden)
      continue;
    gtk_widget_measure (self->titles[i], GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
    gtk_widget_size_allocate (self->titles[i], &(GtkAllocation) { x[i], 0, MAX (w[i], least), height }, -1);
  }
}

/* The titles are laid out like the rows and drawn scrolled: the rows' scrolling changes during their layout, when no new layout may
 * start. */
static void
ls_table_header_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  int x[LS_CELLS_MAX], w[LS_CELLS_MAX];
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT ((float) -place (LS_TABLE_HEADER (widget), x, w), 0));
  GTK_WIDGET_CLASS (ls_table_header_parent_class)->snapshot (widget, snapshot);
}

/* --- drawing a line --- */

/* The column whose right edge is at x, or n. */
static guint
line_at (LsTableHeader *self, double x)
{
  int at[LS_CELLS_MAX], w[LS_CELLS_MAX];
  x += place (self, at, w);
  for (guint i = 0; i < self->n; i++)
    if (!(self->columns[i].flags & LS_CELL_HIDDEN) && ABS (x - (at[i] + w[i] + self->spacing / 2.0)) <= GRIP)
      return i;
  return self->n;
}

static void
on_drag_begin (GtkGestureDrag *drag, double x, double y, LsTableHeader *self)
{
  int at[LS_CELLS_MAX], w[LS_CELLS_MAX];
  self->drawn = line_at (self, x);
  if (self->drawn == self->n) {
    gtk_gesture_set_state (GTK_GESTURE (drag), GTK_EVENT_SEQUENCE_DENIED);
    return;
  }
  place (self, at, w);
  self->drawn_from = w[self->drawn];
  gtk_gesture_set_state (GTK_GESTURE (drag), GTK_EVENT_SEQUENCE_CLAIMED);
}

static void
on_drag_update (GtkGestureDrag *drag, double x, double y, LsTableHeader *self)
{
  if (self->drawn < self->n)
    g_signal_emit_by_name (self, "column-drawn", self->drawn, MAX (self->drawn_from + (int) x, 2 * GRIP));
}

/* A click that is not on a line and not a drag. */
static void
on_released (GtkGestureClick *click, int n_press, double x, double y, LsTableHeader *self)
{
  int at[LS_CELLS_MAX], w[LS_CELLS_MAX];
  double in_rows = x + place (self, at, w);
  if (line_at (self, x) < self->n)
    return;
  for (guint i = 0; i < self->n; i++)
    if (!(self->columns[i].flags & LS_CELL_HIDDEN) && in_rows >= at[i] && in_rows < at[i] + w[i])
      g_signal_emit_by_name (self, "column-clicked", i);
}

static void
on_motion (GtkEventControllerMotion *motion, double x, double y, LsTableHeader *self)
{
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), line_at (self, x) < self->n ? "col-resize" : NULL);
}

/* --- the widget --- */

int
ls_table_header_title_width (LsTableHeader *self, guint column)
{
  int width;
  g_return_val_if_fail (column < self->n, 0);
  gtk_widget_measure (self->titles[column], GTK_ORIENTATION_HORIZONTAL, -1, NULL, &width, NULL, NULL);
  return width;
}

void
ls_table_header_set_columns (LsTableHeader *self, const LsColumn *columns)
{
  for (guint i = 0; i < self->n; i++)
    self->columns[i] = columns[i];
  gtk_widget_queue_allocate (GTK_WIDGET (self));
}

void
ls_table_header_append (LsTableHeader *self, const char *title, gboolean number, gboolean cut)
{
  g_return_if_fail (self->n < LS_CELLS_MAX);
  GtkWidget *label = g_object_new (GTK_TYPE_LABEL, "label", title, "xalign", number ? 1.0f : 0.0f, "accessible-role",
                                   GTK_ACCESSIBLE_ROLE_COLUMN_HEADER,
                                   "ellipsize", cut ? PANGO_ELLIPSIZE_MIDDLE : PANGO_ELLIPSIZE_END, "single-line-mode", TRUE,
                                   "tooltip-text", cut ? title : NULL, NULL);
  gtk_widget_set_parent (label, GTK_WIDGET (self));
  self->texts[self->n] = g_strdup (title);
  self->titles[self->n++] = label;
}

void
ls_table_header_set_sorted (LsTableHeader *self, guint column, gboolean descending)
{
  for (guint i = 0; i < self->n; i++) {
    GtkAccessibleSort sort = i != column ? GTK_ACCESSIBLE_SORT_NONE : descending ? GTK_ACCESSIBLE_SORT_DESCENDING
                                                                                 : GTK_ACCESSIBLE_SORT_ASCENDING;
    g_autofree char *text = i == column ? g_strconcat (self->texts[i], descending ? " ▾" : " ▴", NULL) : g_strdup (self->texts[i]);
    gtk_label_set_text (GTK_LABEL (self->titles[i]), text);
    gtk_accessible_update_property (GTK_ACCESSIBLE (self->titles[i]), GTK_ACCESSIBLE_PROPERTY_SORT, sort, -1);
  }
}

static void
forget_titles (LsTableHeader *self)
{
  for (guint i = 0; i < self->n; i++) {
    g_clear_pointer (&self->titles[i], gtk_widget_unparent);
    g_free (self->texts[i]);
  }
  self->n = 0;
}

static void
ls_table_header_class_init (LsTableHeaderClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);
  LS_ON_DISPOSE (class, forget_titles);
  LS_OWNS (class, LsTableHeader, g_object_unref, horizontal);
  widget_class->measure = ls_table_header_measure;
  widget_class->size_allocate = ls_table_header_size_allocate;
  widget_class->snapshot = ls_table_header_snapshot;
  gtk_widget_class_set_css_name (widget_class, "tableheader");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_ROW);
  ls_class_signal (class, "column-drawn", 2, G_TYPE_UINT, G_TYPE_INT);
  ls_class_signal (class, "column-clicked", 1, G_TYPE_UINT);
}

static void
ls_table_header_init (LsTableHeader *self)
{
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  GtkGesture *drag = gtk_gesture_drag_new ();
  g_signal_connect (drag, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (on_drag_update), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
  GtkGesture *click = gtk_gesture_click_new ();
  g_signal_connect (click, "released", G_CALLBACK (on_released), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
  GtkEventController *motion = gtk_event_controller_motion_new ();
  g_signal_connect (motion, "motion", G_CALLBACK (on_motion), self);
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
}

LsTableHeader *
ls_table_header_new (GtkAdjustment *horizontal, guint spacing)
{
  LsTableHeader *self = g_object_new (LS_TYPE_TABLE_HEADER, NULL);
  self->horizontal = g_object_ref (horizontal);
  self->spacing = spacing;
  g_signal_connect_object (horizontal, "value-changed", G_CALLBACK (gtk_widget_queue_draw), self, G_CONNECT_SWAPPED);
  return self;
}
