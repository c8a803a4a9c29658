/* Scrolling of texts. */
#pragma once
#include <gtk/gtk.h>

/* Ends the scrolling that is under way when the text goes out of sight. Without this GTK 4.8 ends it itself, twice: validating the lines in
 * sight scrolls again from inside, and the frame clock's count of who needs it is wrong from then on. */
void ls_text_scroll_end_when_hidden (GtkTextView *view);
