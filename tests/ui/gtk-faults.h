/* Messages that GTK 4.8 brings about itself. */
#pragma once
#include <gtk/gtk.h>

/* The widget that a message names by type and address, or NULL. */
GtkWidget *gtk_fault_widget   (const char *message);
/* TRUE when the message is that a text, or what is around it, was drawn before it was placed, or that the shortcuts window measured a
 * label wrong: nobody who uses them can help it. */
gboolean   gtk_fault_is_known (const char *message);
