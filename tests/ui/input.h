/* Real input for widget tests: keys and clicks through XTest, widgets found by name, and waiting on the main loop. */
#pragma once
#include <gtk/gtk.h>

/* TRUE when there is a display and it takes fake input. */
gboolean   input_init       (void);
/* Gives the window the X focus; there is no window manager to do it. The first waits until it has it. */
void       input_focus      (GtkWindow *window);
void       input_give_focus (GtkWindow *window);
void       input_place      (GtkWindow *window, int x, int y);
void       input_key        (guint keyval, GdkModifierType modifiers);
/* A key that stays down, or comes up. */
void       input_hold       (guint keyval, gboolean down);
void       input_text       (const char *text);
/* A click in the middle of the widget. */
void       input_click      (GtkWidget *widget);
/* The same in parts, which run no main loop: a key; the pointer, to a place in a mapped widget; one of its buttons (4 to 7 are the
 * wheel). */
void       input_send_key   (guint keyval, GdkModifierType modifiers);
void       input_move       (GtkWidget *widget, double x, double y);
void       input_button     (guint button, gboolean down);
/* The widget of that name below root, or NULL. */
GtkWidget *find_widget      (GtkWidget *root, const char *name);
/* For messages: its name, else what its template calls it. */
const char *widget_called   (GtkWidget *widget);
/* What the template of widget's type calls id: the object, what a label says, how many rows a list has. */
gpointer   template_part    (gpointer widget, const char *id);
const char *template_text   (gpointer widget, const char *id);
guint      template_rows    (gpointer widget, const char *id);
/* The text of a text view. Free with g_free. */
char      *buffer_text      (gpointer view);
/* Runs the main loop until condition (data) holds or two minutes have passed, which stops hanging tests; returns the last value of
 * condition. */
gboolean   wait_until       (gboolean (*condition) (gpointer data), gpointer data);
/* Runs the main loop until every event that the X server has sent is handled, and every shown window has drawn what that leads to.
 * It takes no time but frames: what a timer or a thread does later is waited for with wait_until. */
void       settle           (void);
/* One turn of the window's frame clock, with or without anything to draw. */
void       input_frame      (GtkWindow *window);
