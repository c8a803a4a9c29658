#include "text-scroll.h"

/* Setting a value at once, even the same, ends the way to another. */
static void
on_unmap (GtkScrollable *view)
{
  GtkAdjustment *both[] = { gtk_scrollable_get_hadjustment (view), gtk_scrollable_get_vadjustment (view) };
  for (guint i = 0; i < G_N_ELEMENTS (both); i++)
    if (both[i])
      gtk_adjustment_set_value (both[i], gtk_adjustment_get_value (both[i]));
}

void
ls_text_scroll_end_when_hidden (GtkTextView *view)
{
  g_signal_connect (view, "unmap", G_CALLBACK (on_unmap), NULL);
}
