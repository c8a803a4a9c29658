/* Reduced motion, and held keys: with animations off nothing is drawn once a step is there, and steps that come faster than
 * they are shown are one.
 *
 * Counted are iterations of the frame clock in which something was drawn, out of those that the test asks for: a busy machine has fewer
 * of them in a second and as many in a row.
 */
#include "fixture.h"

#define TURNS 24      /* 400 ms of a machine with nothing else to do */

static guint frames;

static void
on_paint (GdkFrameClock *clock, gpointer data)
{
  frames++;
}

static void
watch (LsWindow *window)
{
  g_signal_connect (gtk_widget_get_frame_clock (GTK_WIDGET (window)), "paint", G_CALLBACK (on_paint), NULL);
}

/* How many of the next n turns draw. */
static guint
frames_in (LsWindow *window, guint n)
{
  frames = 0;
  for (guint i = 0; i < n; i++)
    input_frame (GTK_WINDOW (window));
  return frames;
}

/* Until three turns one after the other draw nothing. */
static void
rest (LsWindow *window)
{
  for (guint turn = 0, quiet = 0; quiet < 3; turn++) {
    quiet = frames_in (window, 1) ? 0 : quiet + 1;
    if (turn == 2000)
      g_error ("the window never comes to rest: something is drawn in every frame");
  }
}

static void
test_still (void)
{
  static const struct { guint key; GdkModifierType modifiers; } keys[] = {
    { GDK_KEY_n, 0 }, { GDK_KEY_p, 0 }, { GDK_KEY_n, GDK_SHIFT_MASK }, { GDK_KEY_f, 0 }, { GDK_KEY_period, 0 },
    { GDK_KEY_Page_Down, GDK_CONTROL_MASK }, { GDK_KEY_d, 0 }, { GDK_KEY_t, 0 },
    { GDK_KEY_h, 0 }, { GDK_KEY_s, 0 },
  };
  LsWindow *window = open_at ("3/simplify#2/5");
  watch (window);
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++) {
    input_key (keys[i].key, keys[i].modifiers);
    wait_window (window);
    frames_in (window, 6);      /* lists scroll to their row for some frames */
    guint n = frames_in (window, TURNS);
    if (n > 2)      /* a message may come or go; motion of 180 ms is ten */
      g_error ("%s: %u of %u frames are drawn, with animations off", gdk_keyval_name (keys[i].key), n, TURNS);
  }
  close_window (window);
}

/* The whole is shown, from the change; how many frames it takes. */
static guint
frames_to_whole (LsWindow *window)
{
  gtk_widget_activate_action (GTK_WIDGET (window), "win.focus-change", NULL);
  rest (window);
  input_send_key (GDK_KEY_f, 0);
  gdk_display_sync (gtk_widget_get_display (GTK_WIDGET (window)));
  guint n = frames_in (window, TURNS);
  rest (window);
  return n;
}

/* With animations on, what is seen goes to its new place in some frames, and ends where it is without; with them off, or when steps
 * are hurried, it is there at once. */
static void
test_animation (void)
{
  LsWindow *window = open_at ("3/simplify#2/5");
  LsGraphView *graph = ls_steps_view_get_graph (window->steps);
  guint node = ls_view_session_diff (window->session)->after->root->id, with = 0;
  graphene_rect_t there, at;
  watch (window);
  guint without = frames_to_whole (window);
  g_assert_cmpuint (without, <=, 3);
  g_assert_true (ls_graph_view_node_rect (graph, node, &there));
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", TRUE, NULL);
  /* ten on an idle machine; a machine whose 180 ms pass between two iterations shows none */
  for (guint tries = 0; tries < 100 && with < without + 3; tries++) {
    with = frames_to_whole (window);
    g_assert_true (ls_graph_view_node_rect (graph, node, &at));
    g_assert_true (graphene_rect_equal (&at, &there));
  }
  g_test_message ("%u frames without motion, %u with", without, with);
  g_assert_cmpuint (with, >=, without + 3);
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE, NULL);
  close_window (window);
}

static gboolean
is_thirty_on (gpointer window)
{
  g_autofree char *link = ls_view_session_get_link (LS_WINDOW (window)->session);
  return g_str_equal (link, "3/simplify#2/35");
}

/* A window that nobody touches draws nothing, with animations on, too. */
static void
test_rest (void)
{
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", TRUE, NULL);
  LsWindow *window = open_at ("3/simplify#2/5");
  watch (window);
  rest (window);
  g_assert_cmpuint (frames_in (window, TURNS), ==, 0);
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE, NULL);
  close_window (window);
}

/* Thirty steps asked for at once: all are taken, few are drawn. */
static void
test_held (void)
{
  LsWindow *window = open_at ("3/simplify#2/5");
  watch (window);
  rest (window);
  frames = 0;
  for (guint i = 0; i < 30; i++)
    input_send_key (GDK_KEY_n, 0);
  g_assert_true (wait_until (is_thirty_on, window));
  wait_window (window);
  g_test_message ("30 steps in %u frames", frames);
  g_assert_cmpuint (frames, <, 30);
  close_window (window);
}

int
main (int argc, char **argv)
{
  if (!fixture_begin (&argc, &argv))
    return 0;
  g_test_add_func ("/motion/still", test_still);
  g_test_add_func ("/motion/glide", test_animation);
  g_test_add_func ("/motion/rest", test_rest);
  g_test_add_func ("/motion/held", test_held);
  return fixture_end ();
}
