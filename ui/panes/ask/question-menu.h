/* The questions one may ask about a node, as a context menu: secondary click, the Menu key or Shift+F10. */
#pragma once
#include <gtk/gtk.h>

/* The menu's items: actions of the window about what is chosen; line: of the kernel's source, 0: about a node. */
GMenuModel *ls_question_menu_model (guint line);
/* Selects the item at (x, y) of widget, so that the questions are about it; x < 0: by the keyboard, the selection stays. FALSE: nothing
 * to ask about. */
typedef gboolean (*LsQuestionPick) (GtkWidget *widget, double x, double y, gpointer data);
/* Gives widget, a list inside host, the menu. host lays its children out by a layout manager. */
void        ls_question_menu_attach (GtkWidget *widget, GtkWidget *host, LsQuestionPick pick, gpointer data);
