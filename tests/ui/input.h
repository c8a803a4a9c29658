/* Real input for widget tests: keys and clicks through XTest, widgets found by name, and waiting on the main loop. */
#pragma once
#include <gtk/gtk.h>

/* TRUE when there is a display and it takes fake input. */
gboolean   input_init      (void);
/* Gives the window the X focus; there is no window manager to do it. */
void       input_focus     (GtkWindow *window);
void       input_key       (guint keyval, GdkModifierType modifiers);
void       input_text      (const char *text);
/* A click in the middle of the widget. */
void       input_click     (GtkWidget *widget);
/* The widget of that name below root, or NULL. */
GtkWidget *find_widget     (GtkWidget *root, const char *name);
/* Runs the main loop until condition (data) holds or five seconds have passed; gives what condition said last. */
gboolean   wait_until      (gboolean (*condition) (gpointer data), gpointer data);
void       settle          (void);      /* what is due now, a frame included */
