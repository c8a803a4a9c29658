/* Input as a person gives it: events go through the X server, so that focus, grabs and phases are those of the real program. */
#include "input.h"

#include <X11/XKBlib.h>
#include <X11/Xlib.h>
#include <X11/extensions/XTest.h>
#include <gdk/x11/gdkx.h>

#define HANGS (120 * (gint64) G_USEC_PER_SEC)      /* a test waits for a state; this is the end of one that never comes */

static Display *display;

gboolean
input_init (void)
{
  int a, b, c, d;
  display = XOpenDisplay (NULL);
  return display && XTestQueryExtension (display, &a, &b, &c, &d);
}

static void
handle_events (void)
{
  gdk_display_sync (gdk_display_get_default ());
  while (g_main_context_iteration (NULL, FALSE))
    ;
}

static void
on_frame (GdkFrameClock *clock, gboolean *done)
{
  *done = TRUE;
}

/* The clock of a window that goes stands still. */
void
input_frame (GtkWindow *window)
{
  GdkFrameClock *its = gtk_widget_get_frame_clock (GTK_WIDGET (window));
  if (!its)
    return;
  g_autoptr (GtkWidget) widget = GTK_WIDGET (g_object_ref (window));
  g_autoptr (GdkFrameClock) clock = g_object_ref (its);
  gboolean done = FALSE;
  gint64 end = g_get_monotonic_time () + HANGS;
  gulong handler = g_signal_connect (clock, "after-paint", G_CALLBACK (on_frame), &done);
  gdk_frame_clock_request_phase (clock, GDK_FRAME_CLOCK_PHASE_AFTER_PAINT);
  while (!done && gtk_widget_get_mapped (widget) && g_get_monotonic_time () < end)
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (200);
  if (g_signal_handler_is_connected (clock, handler))      /* a clock whose window has gone has none */
    g_signal_handler_disconnect (clock, handler);
}

void
settle (void)
{
  for (int frame = 0; frame < 2; frame++) {
    handle_events ();
    g_autoptr (GList) windows = gtk_window_list_toplevels ();
    g_list_foreach (windows, (GFunc) (void *) g_object_ref, NULL);
    for (GList *window = windows; window; window = window->next) {
      if (gtk_widget_get_mapped (window->data))
        input_frame (window->data);
      g_object_unref (window->data);
    }
  }
  handle_events ();
}

gboolean
wait_until (gboolean (*condition) (gpointer), gpointer data)
{
  gint64 end = g_get_monotonic_time () + HANGS;
  while (!condition (data) && g_get_monotonic_time () < end) {
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (1000);
  }
  return condition (data);
}

static gboolean
is_active (gpointer window)
{
  return gtk_window_is_active (window);
}

static void
wait_for_server (GdkDisplay *gdk)
{
  if (gdk_x11_display_error_trap_pop (gdk) != Success)
    g_debug ("a window is gone");
}

/* The X window of a window that is shown, or None. It may no longer exist when the server receives the request: see below. */
static Window
shown_window (GtkWindow *window)
{
  GdkSurface *surface = gtk_native_get_surface (GTK_NATIVE (window));
  return surface && gdk_surface_get_mapped (surface) ? gdk_x11_surface_get_xid (surface) : None;
}

void
input_give_focus (GtkWindow *window)
{
  GdkDisplay *gdk = gtk_widget_get_display (GTK_WIDGET (window));
  Window xid = shown_window (window);
  if (xid == None)
    return;
  gdk_x11_display_error_trap_push (gdk);
  XSetInputFocus (gdk_x11_display_get_xdisplay (gdk), xid, RevertToParent, CurrentTime);
  wait_for_server (gdk);
}

void
input_place (GtkWindow *window, int x, int y)
{
  GdkDisplay *gdk = gtk_widget_get_display (GTK_WIDGET (window));
  Window xid = shown_window (window);
  if (xid == None)
    return;
  gdk_x11_display_error_trap_push (gdk);
  XMoveWindow (gdk_x11_display_get_xdisplay (gdk), xid, x, y);
  wait_for_server (gdk);
}

void
input_focus (GtkWindow *window)
{
  settle ();
  input_give_focus (window);
  g_assert_true (wait_until (is_active, window));
}

void
input_send_key (guint keyval, GdkModifierType modifiers)
{
  static const struct { GdkModifierType mask; KeySym key; } held[] = { { GDK_CONTROL_MASK, XK_Control_L }, { GDK_SHIFT_MASK, XK_Shift_L },
                                                                       { GDK_ALT_MASK, XK_Alt_L } };
  KeyCode code = XKeysymToKeycode (display, keyval);      /* X's and GDK's symbols are the same numbers */
  if (XkbKeycodeToKeysym (display, code, 0, 0) != keyval && XkbKeycodeToKeysym (display, code, 0, 1) == keyval)
    modifiers |= GDK_SHIFT_MASK;
  for (guint i = 0; i < G_N_ELEMENTS (held); i++)
    if (modifiers & held[i].mask)
      XTestFakeKeyEvent (display, XKeysymToKeycode (display, held[i].key), True, CurrentTime);
  XTestFakeKeyEvent (display, code, True, CurrentTime);
  XTestFakeKeyEvent (display, code, False, CurrentTime);
  for (guint i = 0; i < G_N_ELEMENTS (held); i++)
    if (modifiers & held[i].mask)
      XTestFakeKeyEvent (display, XKeysymToKeycode (display, held[i].key), False, CurrentTime);
  XSync (display, False);
}

void
input_hold (guint keyval, gboolean down)
{
  XTestFakeKeyEvent (display, XKeysymToKeycode (display, keyval), down, CurrentTime);
  XSync (display, False);
}

void
input_key (guint keyval, GdkModifierType modifiers)
{
  input_send_key (keyval, modifiers);
  settle ();
}

void
input_text (const char *text)
{
  for (; *text; text++)
    input_key (gdk_unicode_to_keyval ((guchar) *text), 0);
}

void
input_move (GtkWidget *widget, double x, double y)
{
  graphene_point_t at;
  GtkWidget *native = GTK_WIDGET (gtk_widget_get_native (widget));
  if (!gtk_widget_compute_point (widget, native, &GRAPHENE_POINT_INIT ((float) x, (float) y), &at))
    return;
  double dx, dy;
  gtk_native_get_surface_transform (GTK_NATIVE (native), &dx, &dy);
  GdkDisplay *gdk = gtk_widget_get_display (widget);
  Window xid = gdk_x11_surface_get_xid (gtk_native_get_surface (GTK_NATIVE (native))), child;
  int root_x = 0, root_y = 0;
  gdk_x11_display_error_trap_push (gdk);
  XTranslateCoordinates (gdk_x11_display_get_xdisplay (gdk), xid, DefaultRootWindow (display), (int) (at.x + dx), (int) (at.y + dy),
                         &root_x, &root_y, &child);
  wait_for_server (gdk);
  XTestFakeMotionEvent (display, -1, root_x, root_y, CurrentTime);
  XSync (display, False);
}

void
input_button (guint button, gboolean down)
{
  XTestFakeButtonEvent (display, button, down, CurrentTime);
  XSync (display, False);
}

void
input_click (GtkWidget *widget)
{
  settle ();
  g_assert_true (gtk_widget_get_mapped (widget));
  input_move (widget, gtk_widget_get_width (widget) / 2.0, gtk_widget_get_height (widget) / 2.0);
  input_button (1, TRUE);
  input_button (1, FALSE);
  settle ();
}

const char *
widget_called (GtkWidget *widget)
{
  const char *name = gtk_widget_get_name (widget), *id = gtk_buildable_get_buildable_id (GTK_BUILDABLE (widget));
  return id && g_str_equal (name, G_OBJECT_TYPE_NAME (widget)) ? id : name;
}

gpointer
template_part (gpointer widget, const char *id)
{
  GObject *part = gtk_widget_get_template_child (widget, G_OBJECT_TYPE (widget), id);
  g_assert_nonnull (part);
  return part;
}

const char *
template_text (gpointer widget, const char *id)
{
  return gtk_label_get_text (template_part (widget, id));
}

guint
template_rows (gpointer widget, const char *id)
{
  return g_list_model_get_n_items (G_LIST_MODEL (gtk_list_view_get_model (template_part (widget, id))));
}

char *
buffer_text (gpointer view)
{
  GtkTextIter start, end;
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (view);
  gtk_text_buffer_get_bounds (buffer, &start, &end);
  return gtk_text_buffer_get_text (buffer, &start, &end, TRUE);
}

/* One that is seen before one that is not: workspaces have panes of the same kind. */
GtkWidget *
find_widget (GtkWidget *root, const char *name)
{
  GtkWidget *hidden = NULL;
  if (g_strcmp0 (gtk_widget_get_name (root), name) == 0)
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child; child = gtk_widget_get_next_sibling (child)) {
    GtkWidget *found = find_widget (child, name);
    if (found && gtk_widget_get_mapped (found))
      return found;
    hidden = hidden ? hidden : found;
  }
  return hidden;
}
