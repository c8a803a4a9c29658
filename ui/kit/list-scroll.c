/* A list scrolls by the action list.scroll-to-item, which knows only rows that have been laid out: right after its model changed, or
 * before it is mapped, the action goes astray. The row is therefore remembered and shown twice, at the next two frames of the list;
 * the second time, when that frame is drawn and all rows have their height, with the ones before and after it. */
#include "list-scroll.h"

#include <math.h>

#define AROUND 2      /* rows */

/* stays: a block that was in view when it was asked for; n: rows that the list had when it was last drawn after a request */
typedef struct { guint row, after, frames, tick, n; gboolean stays; } Scroll;

/* Rows are of one height here, in whole pixels; before all of them are laid out, GTK's height of the list differs from theirs by about a
 * pixel. */
static double
row_height (GtkWidget *list, guint *n)
{
  GtkSelectionModel *model = gtk_list_view_get_model (GTK_LIST_VIEW (list));
  *n = model ? g_list_model_get_n_items (G_LIST_MODEL (model)) : 0;
  return *n ? round (gtk_adjustment_get_upper (gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (list))) / *n) : 0;
}

/* A single row moves the list no further than it must, as when one goes from row to row. A block begins at the top, so that its position
 * does not depend on the list's earlier position. */
static void
show_around (GtkWidget *list, Scroll *s)
{
  GtkAdjustment *v = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (list));
  guint n;
  double height = row_height (list, &n),
         around = MAX (0, height * MIN (AROUND, (gtk_adjustment_get_page_size (v) / MAX (height, 1) - 1) / 2));
  if (s->after > 0 && !s->stays)
    gtk_adjustment_set_value (v, s->row * height - around);
  else
    /* the row itself before those behind it */
    gtk_adjustment_clamp_page (v, s->row * height - around, MIN (s->row + 1 + s->after, n) * height + around);
  s->n = n;
}

/* Where rows were added or taken away the height of all is still that of before. */
static gboolean
is_in_view (GtkWidget *list, guint row, guint after, guint n_drawn)
{
  GtkAdjustment *v = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (list));
  guint n;
  double height = row_height (list, &n), top = gtk_adjustment_get_value (v);
  return gtk_widget_get_mapped (list) && n == n_drawn && row * height >= top && MIN (row + 1 + after,
                                                                                     n) * height <= top + gtk_adjustment_get_page_size (v);
}

static void
on_painted (GdkFrameClock *clock, GtkWidget *list)
{
  Scroll *s = g_object_get_data (G_OBJECT (list), "ls-scroll");
  g_signal_handlers_disconnect_by_func (clock, on_painted, list);
  if (gtk_widget_get_mapped (list))
    show_around (list, s);
}

static gboolean
on_frame (GtkWidget *list, GdkFrameClock *clock, gpointer data)
{
  Scroll *s = data;
  if (!gtk_widget_get_mapped (list) || gtk_widget_get_height (list) <= 0)
    return G_SOURCE_CONTINUE;
  if (s->frames > 1)
    gtk_widget_activate_action (list, "list.scroll-to-item", "u", s->row);
  else
    g_signal_connect_object (clock, "after-paint", G_CALLBACK (on_painted), list, 0);
  if (--s->frames > 0)
    return G_SOURCE_CONTINUE;
  s->tick = 0;
  return G_SOURCE_REMOVE;
}

void
ls_list_scroll_to (GtkListView *list, guint row)
{
  ls_list_scroll_to_block (list, row, 0);
}

void
ls_list_scroll_to_block (GtkListView *list, guint row, guint after)
{
  if (row == GTK_INVALID_LIST_POSITION)
    return;
  Scroll *s = g_object_get_data (G_OBJECT (list), "ls-scroll");
  if (!s) {
    s = g_new0 (Scroll, 1);
    g_object_set_data_full (G_OBJECT (list), "ls-scroll", s, g_free);
  }
  s->row = row;
  s->after = after;
  s->stays = is_in_view (GTK_WIDGET (list), row, after, s->n);
  s->frames = 2;
  if (!s->tick)
    s->tick = gtk_widget_add_tick_callback (GTK_WIDGET (list), on_frame, s, NULL);
}
