/* What a person at the window waits for, measured on the screen: from the wish to the frame that shows it.
 *
 *   bench-screen [--steps N] [--terms N] [--jumps N] [--boxes N] [RECORDING…]
 *
 * For each recording and for a made one of N steps (million.h; 0: none): the first frame, random jumps and neighbouring steps (from
 * the position being set to the frame clock's end of a frame in which the graph of that step was painted), memory on the way,
 * scrolling through the list of steps, and the longest time that the main loop was away (stall.h). Then panning over a graph of that
 * many boxes by the frame clock. Run it under xvfb-run with GSK_RENDERER=cairo. Nothing else should be running.
 */
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "panes/step/step-list.h"
#include "window/application.h"
#include "graph/view/graph-view-private.h"
#include "million.h"
#include "kit/scale.h"
#include "stall.h"
#include "window/window-private.h"

static int steps = 1000000, terms = 1000, jumps = 1000, boxes = 5000;
static LsApplication *app;
static LsWindow *window;
static gint64 painted;      /* when the last frame ended */
static guint frames;

static double
now_ms (void)
{
  return (double) g_get_monotonic_time () / 1000;
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return x < y ? -1 : x > y;
}

/* Time that this process has had a processor: what is left of a measurement on a machine with other work to do. */
static double
cpu_ms (void)
{
  struct timespec t;
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double) t.tv_sec * 1e3 + (double) t.tv_nsec / 1e6;
}

static double cpu_start;

static void
begin (void)
{
  stall_take ();
  cpu_start = cpu_ms ();
}

static void
report (const char *what, double *ms, guint n)
{
  if (!n)
    return;
  double cpu = (cpu_ms () - cpu_start) / n;
  qsort (ms, n, sizeof *ms, compare);
  printf ("  %-22s median %7.1f ms   p99 %7.1f ms   max %7.1f ms   longest stall %6.1f ms   processor %5.1f ms each\n", what, ms[n / 2],
          ms[MIN (n * 99 / 100, n - 1)], ms[n - 1], stall_take (), cpu);
  begin ();
  fflush (stdout);
}

static double
resident (void)
{
  g_autofree char *text = NULL;
  long pages = 0;
  if (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL))
    sscanf (text, "%*d %ld", &pages);
  return (double) pages * 4096 / 1e6;
}

static void
on_after_paint (GdkFrameClock *clock, gpointer data)
{
  painted = g_get_monotonic_time ();
  frames++;
}

static void
next_frame (void)
{
  guint was = frames;
  gtk_widget_queue_draw (GTK_WIDGET (window));
  while (frames == was)
    g_main_context_iteration (NULL, TRUE);
}

/* Until a frame ended in which the graph of the position was on screen; the time since start. */
static double
wait_for (guint step, gint64 start)
{
  LsGraphView *graph = ls_steps_view_get_graph (window->steps);
  const LsPass *pass = ls_view_session_pass (window->session);
  for (;;) {
    next_frame ();
    if (graph->shown_pass == pass && graph->shown_step == step && graph->scene && !graph->coming)
      return (double) (painted - start) / 1000;
  }
}

static double
go (guint step)
{
  LsViewSession *session = window->session;
  gint64 start = g_get_monotonic_time ();
  ls_view_session_go (session, ls_view_session_get_pass (session), step);
  return wait_for (step, start);
}

static void
wait_idle (void)
{
  do
    g_main_context_iteration (NULL, TRUE);
  while (!ls_window_is_idle (window) || !g_str_equal (ls_window_get_page (window), "steps"));
  next_frame ();
}

static GtkWidget *
find_list (GtkWidget *root)
{
  if (g_strcmp0 (gtk_buildable_get_buildable_id (GTK_BUILDABLE (root)), "step_list") == 0)
    return GTK_WIDGET (ls_step_list_get_view (LS_STEP_LIST (root)));
  for (GtkWidget *child = gtk_widget_get_first_child (root); child; child = gtk_widget_get_next_sibling (child)) {
    GtkWidget *found = find_list (child);
    if (found)
      return found;
  }
  return NULL;
}

static gboolean
scale_step (gpointer direction)
{
  ls_scale_step (GPOINTER_TO_INT (direction));
  return G_SOURCE_REMOVE;
}

/* The pass with the most steps. */
static void
go_longest (void)
{
  LsViewSession *session = window->session;
  LsTrace *trace = ls_view_session_get_trace (session);
  const LsPass *best = NULL;
  for (guint i = 0; i < trace->passes->len; i++) {
    const LsPass *pass = trace->passes->pdata[i];
    if (!best || ls_pass_n_rewrites (pass) > ls_pass_n_rewrites (best))
      best = pass;
  }
  if (best)
    ls_view_session_go (session, (int) best->index, MIN (ls_pass_n_rewrites (best), 1));
}

static gboolean
close_window (gpointer other)
{
  gtk_window_destroy (other);
  return G_SOURCE_REMOVE;
}

static void
spin (double ms)
{
  double end = now_ms () + ms;
  while (now_ms () < end)
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (500);
}

/* A window that shows a recording goes, and the recording with it. */
static void
measure_closing (const char *path)
{
  LsWindow *other = ls_window_new (GTK_APPLICATION (app));
  gtk_window_set_default_size (GTK_WINDOW (other), 1600, 1000);
  gtk_window_present (GTK_WINDOW (other));
  ls_window_open (other, path);
  do
    spin (300);
  while (!ls_window_is_idle (other) || !g_str_equal (ls_window_get_page (other), "steps"));
  stall_take ();
  g_idle_add (close_window, other);
  spin (1500);
  printf ("  closing a window that shows it: longest stall %.1f ms\n", stall_take ());
}

/* What is written while the window is used. */
static void
measure_saving (const char *what, void (*save) (LsWindow *, const char *), const char *name)
{
  g_autofree char *path = g_build_filename (g_getenv ("XDG_STATE_HOME"), name, NULL);
  stall_take ();
  double t = now_ms ();
  save (window, path);
  while (window->saving)
    g_main_context_iteration (NULL, TRUE);
  printf ("  %-22s %.0f ms, longest stall %.1f ms\n", what, now_ms () - t, stall_take ());
}

static void
measure (const char *path)
{
  LsViewSession *session = window->session;
  gboolean first_of_all = !ls_view_session_get_trace (session);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  double before = resident ();
  stall_take ();
  gint64 start = g_get_monotonic_time ();
  ls_window_open (window, path);
  while (!ls_view_session_get_trace (session) || !g_str_equal (ls_window_get_page (window), "steps"))
    g_main_context_iteration (NULL, TRUE);
  double first = wait_for (ls_view_session_get_step (session), start);
  wait_idle ();
  printf ("%s: first frame %.0f ms, all of it %.0f ms, longest stall %.1f ms, %.0f MB in use (%+.0f)\n", path, first,
          (double) (g_get_monotonic_time () - start) / 1000, stall_take (), resident (), resident () - (first_of_all ? 0 : before));
  fflush (stdout);
  go_longest ();
  wait_idle ();
  guint n = ls_view_session_n_steps (session);
  LsGraphView *graph = ls_steps_view_get_graph (window->steps);
  printf ("  longest pass: %u steps, %u boxes\n", n, graph->scene ? graph->scene->n_nodes : 0);
  if (n < 2)
    return;
  g_autofree double *ms = g_new (double, (gsize) jumps + 6);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  g_autoptr (GString) growth = g_string_new ("  in use after each quarter of the jumps:");
  begin ();
  for (int k = 0; k < jumps; k++) {
    ms[k] = go ((guint) g_rand_int_range (rand, 1, (gint32) n + 1));
    if (4 * (k + 1) / jumps > 4 * k / jumps)
      g_string_append_printf (growth, " %.0f MB,", resident ());
  }
  report ("jump", ms, (guint) jumps);
  g_string_truncate (growth, growth->len - 1);
  puts (growth->str);
  guint m = MIN (n, (guint) jumps), from = n / 3;
  go (from);
  begin ();
  for (guint k = 0; k < m; k++)
    ms[k] = go ((from + k) % n + 1);
  report ("step on", ms, m);
  for (guint k = 0; k < m; k++)
    ms[k] = go ((from + m - k) % n + 1);
  report ("step back", ms, m);
  GtkWidget *list = find_list (GTK_WIDGET (window));
  GtkAdjustment *a = list ? gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (list)) : NULL;
  m = MIN (300, (guint) jumps);
  for (guint k = 0; a && k < m; k++) {
    double t = now_ms ();
    gtk_adjustment_set_value (a, (gtk_adjustment_get_upper (a) - gtk_adjustment_get_page_size (a)) * k / m);
    next_frame ();
    ms[k] = now_ms () - t;
  }
  report ("scroll the steps", ms, a ? m : 0);
  m = MIN (20, (guint) jumps);
  for (guint k = 0; k < m; k++) {
    double t = now_ms ();
    guint32 node = graph->scene->nodes[g_rand_int_range (rand, 0, (gint32) graph->scene->n_nodes)].id;
    ls_view_session_select (session, LS_CHOSEN_IN_GRAPH, &node, 1);
    next_frame ();
    ms[k] = now_ms () - t;
  }
  report ("choose a node", ms, m);
  for (guint k = 0; k < 6; k++) {
    double t = now_ms ();
    g_idle_add (scale_step, GINT_TO_POINTER (k < 3 ? 1 : -1));      /* a turn of its own, as the key that does it */
    g_main_context_iteration (NULL, TRUE);
    next_frame ();
    wait_idle ();
    ms[k] = now_ms () - t;
  }
  report ("scale", ms, 6);
  measure_saving ("save it", ls_window_save_recording, "saved.lscope");
  measure_saving ("save its graph, SVG", ls_window_export_graph, "saved.svg");
  measure_saving ("save its graph, DOT", ls_window_export_graph, "saved.dot");
  measure_closing (path);
  printf ("  %.0f MB in use\n", resident ());
}

/* From one thing to the next until it is on screen: idle, and drawn once more. */
static double
until_drawn (gint64 start)
{
  while (!ls_window_is_idle (window))
    g_main_context_iteration (NULL, TRUE);
  next_frame ();
  return (double) (painted - start) / 1000;
}

/* Runs that were saved together: their memory, and ways between workspaces and runs. */
static void
measure_runs (const char *path)
{
  static const char *const pages[] = { "program", "steps", "compare" };
  double before = resident (), ms[60];
  ls_window_open (window, path);
  while (!ls_runs_n (window->runs))
    g_main_context_iteration (NULL, TRUE);
  until_drawn (0);
  printf ("%s: %u runs, %.0f MB in use (%+.0f)\n", path, ls_runs_n (window->runs), resident (), resident () - before);
  for (int pass = 0; pass < 2; pass++) {      /* at first each is made */
    begin ();
    for (guint i = 0; i < G_N_ELEMENTS (ms); i++) {
      gint64 start = g_get_monotonic_time ();
      gtk_widget_activate_action (GTK_WIDGET (window), "win.workspace", "s", pages[i % 3]);
      ms[i] = until_drawn (start);
    }
    if (pass)
      report ("switch workspaces", ms, G_N_ELEMENTS (ms));
  }
  gtk_widget_activate_action (GTK_WIDGET (window), "win.workspace", "s", "steps");
  until_drawn (0);
  begin ();
  for (guint i = 0; i < G_N_ELEMENTS (ms); i++) {
    gint64 start = g_get_monotonic_time ();
    gtk_widget_activate_action (GTK_WIDGET (window), "win.next-run", NULL);
    ms[i] = until_drawn (start);
  }
  report ("another run", ms, G_N_ELEMENTS (ms));
  printf ("  %.0f MB in use\n", resident ());
}

/* A program that is run with another setting, and another rule left out: from the wish to the picture of the same place. */
static void
measure_program (const char *path)
{
  static const LsRunOptions changes[] = { { .settings = (char *) "NOOPT=1" }, { .disabled = (char *) "factor" }, { NULL } };
  double ms[12];
  ls_window_open (window, path);
  until_drawn (0);
  printf ("%s\n", path);
  begin ();
  for (guint i = 0; i < G_N_ELEMENTS (ms); i++) {
    gint64 start = g_get_monotonic_time ();
    ls_window_run_with (window, &changes[i % G_N_ELEMENTS (changes)]);
    ms[i] = until_drawn (start);
  }
  report ("a change to its effect", ms, G_N_ELEMENTS (ms));
}

/* A window more, with the start page: it is built and drawn in one turn or two. */
static void
measure_windows (void)
{
  double ms[10];
  begin ();
  for (guint k = 0; k < G_N_ELEMENTS (ms); k++) {
    double t = now_ms ();
    LsWindow *other = ls_window_new (GTK_APPLICATION (app));
    ls_window_show_start (other);
    gtk_window_present (GTK_WINDOW (other));
    while (!gtk_widget_get_mapped (GTK_WIDGET (other)))
      g_main_context_iteration (NULL, TRUE);
    next_frame ();
    ms[k] = now_ms () - t;
    gtk_window_destroy (GTK_WINDOW (other));
    while (g_main_context_iteration (NULL, FALSE))
      ;
  }
  report ("a window more", ms, G_N_ELEMENTS (ms));
}

/* --- panning --- */

static LsUOp *
large_graph (LsContext *c, guint n)
{
  g_autoptr (GPtrArray) pool = g_ptr_array_new ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  for (int i = 0; i < 8; i++) {
    LsUOp *g = ls_uop_new0 (c, LS_OP_DEFINE_GLOBAL, ls_dtype_ptr (LS_FLOAT, LS_SPACE_GLOBAL, 4096), ls_arg_int (i));
    LsUOp *at = ls_uop_new2 (c, LS_OP_INDEX, g->dtype, g, ls_uop_const_i (c, LS_INDEX, i), ls_arg_none ());
    g_ptr_array_add (pool, ls_uop_new1 (c, LS_OP_LOAD, LS_FLOAT, at, ls_arg_none ()));
  }
  while (pool->len < n) {
    gint32 last = (gint32) pool->len, from = last > 60 ? last - 60 : 0;
    LsUOp *a = pool->pdata[g_rand_int_range (rand, from, last)], *b = pool->pdata[g_rand_int_range (rand, from, last)];
    g_ptr_array_add (pool, ls_uop_alu2 (c, pool->len % 2 ? LS_OP_ADD : LS_OP_MUL, a, b));
  }
  return ls_uop_new (c, LS_OP_SINK, LS_VOID, pool->len, (LsUOp *const *) pool->pdata, ls_arg_none ());
}

static void
pan (double zoom)
{
  LsGraphView *graph = ls_steps_view_get_graph (window->steps);
  next_frame ();
  stall_take ();
  LsBox e = ls_graph_view_extents (graph);
  double ms[200], w = gtk_widget_get_width (GTK_WIDGET (graph));
  if (zoom > 0)
    ls_graph_view_zoom_at (graph, zoom / graph->viewport.zoom, w / 2, 300);
  else
    ls_graph_view_fit (graph);
  ls_graph_view_center_on (graph, (e.x0 + e.x1) / 2, (e.y0 + e.y1) / 2);
  next_frame ();
  printf ("  zoom to %.2f: longest stall %.1f ms\n", graph->viewport.zoom, stall_take ());
  begin ();
  double start = now_ms ();
  for (guint k = 0; k < G_N_ELEMENTS (ms); k++) {
    double t = now_ms ();
    ls_graph_view_pan_to (graph, graph->viewport.x + (k / 20 % 2 ? -9 : 9), graph->viewport.y + (k / 30 % 2 ? 5 : -5));
    next_frame ();
    ms[k] = now_ms () - t;
  }
  g_autofree char *what = g_strdup_printf ("pan at %.2f, %.0f/s", graph->viewport.zoom, G_N_ELEMENTS (ms) * 1000 / (now_ms () - start));
  report (what, ms, G_N_ELEMENTS (ms));
}

static void
measure_panning (guint n)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  g_autoptr (LsTrace) trace = ls_trace_new (ctx);
  LsGraphView *graph = ls_steps_view_get_graph (window->steps);
  LsUOp *root = large_graph (ctx, n);
  g_main_context_iteration (NULL, FALSE);      /* making it is not part of showing it */
  stall_take ();
  ls_graph_view_set_root (graph, trace, root);
  while (ls_graph_view_get_busy (graph))
    g_main_context_iteration (NULL, TRUE);
  next_frame ();
  printf ("a graph of %u boxes, %u edges: longest stall %.1f ms\n", graph->scene->n_nodes, graph->scene->n_edges, stall_take ());
  static const double zooms[] = { 0, 0.1, 0.3, 0.6, 1 };
  for (guint i = 0; i < G_N_ELEMENTS (zooms); i++)
    pan (zooms[i]);
}

int
main (int argc, char **argv)
{
  static const GOptionEntry entries[] = { { "steps", 0, 0, G_OPTION_ARG_INT, &steps, NULL, "N" }, { "terms", 0, 0, G_OPTION_ARG_INT, &terms,
                                                                                                    NULL, "N" },
                                          { "jumps", 0, 0, G_OPTION_ARG_INT, &jumps, NULL, "N" },
                                          { "boxes", 0, 0, G_OPTION_ARG_INT, &boxes, NULL, "N" }, { NULL } };
  g_autoptr (GOptionContext) context = g_option_context_new ("[RECORDING…]");
  g_option_context_add_main_entries (context, entries, NULL);
  g_autoptr (GError) error = NULL;
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    g_printerr ("bench-screen: %s\n", error->message);
    return 2;
  }
  g_autofree char *folder = g_dir_make_tmp ("lazyscope-bench-XXXXXX", NULL);
  g_setenv ("XDG_STATE_HOME", folder, TRUE);
  g_autofree char *made = g_build_filename (folder, "made.lscope", NULL);
  adw_init ();
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE, NULL);
  app = ls_application_new (&(LsScreenshot) { NULL });
  g_application_set_flags (G_APPLICATION (app), G_APPLICATION_NON_UNIQUE | G_APPLICATION_HANDLES_COMMAND_LINE);
  g_application_register (G_APPLICATION (app), NULL, NULL);
  stall_watch ();
  window = ls_window_new (GTK_APPLICATION (app));
  gtk_window_set_default_size (GTK_WINDOW (window), 1600, 1000);
  ls_window_show_start (window);
  gtk_window_present (GTK_WINDOW (window));
  while (!gtk_widget_get_frame_clock (GTK_WIDGET (window)))
    g_main_context_iteration (NULL, TRUE);
  g_signal_connect (gtk_widget_get_frame_clock (GTK_WIDGET (window)), "after-paint", G_CALLBACK (on_after_paint), NULL);
  next_frame ();
  for (int i = 1; i < argc; i++)
    (g_str_has_suffix (argv[i], ".runs") ? measure_runs : g_str_has_suffix (argv[i], ".py") ? measure_program : measure) (argv[i]);
  if (steps > 0) {
    LsTrace *trace = million_new ((guint) steps, (guint) terms);
    g_assert_true (ls_trace_save (trace, made, &error));
    ls_trace_unref (trace);
    measure (made);
  }
  measure_windows ();
  if (boxes > 0)
    measure_panning ((guint) boxes);
  gtk_window_destroy (GTK_WINDOW (window));
  const char *remove[] = { "rm", "-rf", folder, NULL };
  g_spawn_sync (NULL, (char **) remove, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
  return 0;
}
