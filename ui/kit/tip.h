/* Tooltips that change with every step, and those of buttons that open menus. */
#pragma once
#include <gtk/gtk.h>

/* The text that is shown over the widget; NULL or "": none. */
void        ls_tip_set (GtkWidget *widget, const char *text);
const char *ls_tip_get (GtkWidget *widget);
/* No tooltip is shown over a menu: those of the menu buttons below root are hidden while their menus are open. */
void        ls_tip_hide_under_menus (GtkWidget *root);
