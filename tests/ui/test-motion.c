/* Reduced motion, and held keys: with animations off nothing is drawn once a step is there, and steps that come faster than they are shown are one. */
#include "fixture.h"

static guint frames;

static void
on_frame (GdkFrameClock *clock, gpointer data)
{
  frames++;
}

static void
watch (LsWindow *window)
{
  g_signal_connect (gtk_widget_get_frame_clock (GTK_WIDGET (window)), "after-paint", G_CALLBACK (on_frame), NULL);
}

static void
run_for (guint ms)
{
  gint64 end = g_get_monotonic_time () + ms * 1000;
  while (g_get_monotonic_time () < end)
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (1000);
}

/* Frames that are drawn after what was asked for is on screen. */
static guint
frames_after (LsWindow *window, guint key, GdkModifierType modifiers)
{
  input_key (key, modifiers);
  wait_window (window);
  run_for (100);      /* lists scroll to their row for some frames */
  frames = 0;
  run_for (400);
  return frames;
}

static void
test_still (void)
{
  static const struct { guint key; GdkModifierType modifiers; } keys[] = {
    { GDK_KEY_n, 0 }, { GDK_KEY_p, 0 }, { GDK_KEY_n, GDK_SHIFT_MASK }, { GDK_KEY_f, 0 }, { GDK_KEY_period, 0 }, { GDK_KEY_Page_Down, GDK_CONTROL_MASK }, { GDK_KEY_d, 0 }, { GDK_KEY_t, 0 },
    { GDK_KEY_h, 0 }, { GDK_KEY_s, 0 },
  };
  LsWindow *window = open_at ("3/simplify#2/5");
  watch (window);
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++) {
    guint n = frames_after (window, keys[i].key, keys[i].modifiers);
    if (n > 2)      /* a message may come or go; motion of 180 ms is ten */
      g_error ("%s: %u frames in 400 ms, with animations off", gdk_keyval_name (keys[i].key), n);
  }
  close_window (window);
}

static guint
frames_while (LsWindow *window, guint key, guint ms)
{
  frames = 0;
  input_send_key (key, 0);
  run_for (ms);
  return frames;
}

/* With animations on, what is seen goes to its new place in some frames, and ends where it is without; with them off, or when steps are hurried, it is there at once. */
static void
test_glide (void)
{
  LsWindow *window = open_at ("3/simplify#2/5");
  LsGraphView *graph = ls_steps_view_get_graph (ls_window_get_steps (window));
  guint node = ls_view_session_diff (ls_window_get_session (window))->after->root->id;
  graphene_rect_t there, at;
  guint n[2];
  watch (window);
  for (guint moves = 0; moves < 2; moves++) {
    g_object_set (gtk_settings_get_default (), "gtk-enable-animations", moves != 0, NULL);
    gtk_widget_activate_action (GTK_WIDGET (window), "win.focus-change", NULL);
    run_for (400);
    n[moves] = frames_while (window, GDK_KEY_f, 400);      /* the whole */
    g_assert_true (ls_graph_view_node_rect (graph, node, &at));
    if (moves == 0)
      there = at;
    else
      g_assert_true (graphene_rect_equal (&at, &there));
  }
  g_test_message ("%u frames without motion, %u with", n[0], n[1]);
  g_assert_cmpuint (n[0], <=, 3);
  g_assert_cmpuint (n[1], >=, n[0] + 3);      /* ten on a machine with nothing else to do */
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE, NULL);
  close_window (window);
}

/* Thirty steps asked for at once: all are taken, few are drawn. */
static void
test_held (void)
{
  LsWindow *window = open_at ("3/simplify#2/5");
  watch (window);
  run_for (100);
  frames = 0;
  for (guint i = 0; i < 30; i++)
    input_send_key (GDK_KEY_n, 0);
  wait_window (window);
  run_for (200);
  assert_at (window, "3/simplify#2/35");
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
  g_test_add_func ("/motion/glide", test_glide);
  g_test_add_func ("/motion/held", test_held);
  return fixture_end ();
}
