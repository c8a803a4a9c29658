/* Tooltips that change with every step. */
#pragma once
#include <gtk/gtk.h>

/* The text that is shown over the widget; NULL or "": none. */
void        ls_tip_set (GtkWidget *widget, const char *text);
const char *ls_tip_get (GtkWidget *widget);
