/* Messages that GTK 4.8 brings about itself. */
#pragma once
#include <gtk/gtk.h>

/* The widget that a message names by type and address, or NULL. */
GtkWidget *gtk_fault_widget   (const char *message);
/* TRUE if the message is that a text, or its parent, was drawn before its allocation, or that the shortcuts window measured a label
 * wrong: programs cannot prevent these. */
gboolean   gtk_fault_is_known (const char *message);
