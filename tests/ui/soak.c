/* Random use of the real window: soak [SECONDS [SEED]]; 30 seconds or LS_SOAK_SECONDS, and seed 1, when nothing is said.
 *
 * Keys, clicks, drags, wheels and resizes go through the X server; recordings and programs, sound and broken, are opened; programs are
 * run, edited and cancelled; colours, contrast, motion and size change meanwhile. It fails on any warning or critical message, on a
 * window or session that outlives its closing, and on growing memory: at intervals all windows are closed, and the memory of the process
 * is compared. The longest iteration of the main loop is printed with the last actions. A crash, or a main loop that stands still for a
 * minute, ends it with the last things done. LS_SOAK_LOG=1 prints each of them, and where the longest turns were.
 */
#include "window/application.h"
#include "window/window-private.h"
#include "input.h"
#include "soak-files.h"
#include "soak.h"

#include <glib/gstdio.h>
#include <stdlib.h>

#define REST_EVERY 20      /* seconds of use between two looks at memory */
#define WARM_UP 3          /* looks that do not count: caches fill */
#define NEAR 3             /* looks at each end, of which the least counts */
#define RESIDENT_MB 192    /* what may be held more at the end than after the warm-up: by the process, torn heap and caches included; */
#define ALLOCATED_MB 96    /* by allocated memory */

static LsApplication *app;
static GRand *rng;
static guint n_outlived;

static GPtrArray *alive;      /* windows and sessions that have not been finalized */

static void
on_died (gpointer object)
{
  g_ptr_array_remove_fast (alive, object);
}

static void
watch (gpointer object)
{
  g_ptr_array_add (alive, object);
  g_object_set_data_full (object, "soak", object, on_died);      /* let go when it is finalized */
}

static LsWindow *
new_window (void)
{
  LsWindow *window = ls_window_new (GTK_APPLICATION (app));
  watch (window);
  watch (window->session);
  ls_window_show_start (window);
  gtk_window_present (GTK_WINDOW (window));
  soak_spin (50);
  return window;
}

/* Windows that were not closed, with the reason. */
static void
print_windows (void)
{
  GListModel *all = gtk_window_get_toplevels ();
  for (guint i = 0; i < g_list_model_get_n_items (all); i++) {
    g_autoptr (GtkWidget) w = g_list_model_get_item (all, i);
    g_printerr ("soak: open is a %s \"%s\", %s, %s, %s\n", G_OBJECT_TYPE_NAME (w), gtk_window_get_title (GTK_WINDOW (w)),
                gtk_widget_get_mapped (w) ? "mapped" : "not mapped",
                gtk_widget_get_realized (w) ? "realized" : "not realized", LS_IS_WINDOW (w) && !ls_window_is_idle (LS_WINDOW (w))
                ? "busy" : "idle");
  }
}

/* GTK 4.8 sometimes keeps a widget that the pointer was over, and with it what is below; but windows must go, and no session may keep
 * a recording. */
static void
close_all (void)
{
  gint64 end = g_get_monotonic_time () + 30 * G_USEC_PER_SEC;      /* a load or an answer that is under way holds its window */
  guint left;
  do {
    GtkWindow *window = soak_any_window (rng, FALSE);
    if (LS_IS_WINDOW (window))      /* no question about unsaved text */
      ls_program_view_set_modified (LS_WINDOW (window)->program, FALSE);
    if (window)
      gtk_window_close (window);
    soak_spin (30);
    left = 0;
    for (guint i = 0; i < alive->len; i++)
      left += LS_IS_WINDOW (alive->pdata[i]) || ls_view_session_get_trace (alive->pdata[i]) != NULL;
  } while ((soak_any_window (rng, FALSE) || left) && g_get_monotonic_time () < end);
  for (guint i = alive->len; i-- > 0;) {
    GObject *object = alive->pdata[i];
    if (LS_IS_WINDOW (object) || ls_view_session_get_trace (LS_VIEW_SESSION (object))) {
      g_printerr ("soak: a %s outlives its closing, held %u times\n", G_OBJECT_TYPE_NAME (object), object->ref_count);
      print_windows ();
      soak_print_done ();
      n_outlived++;
    }
    g_object_set_data (object, "soak", NULL);
  }
}

/* A thread that still reads or frees a recording which nobody looks at any longer takes as long as the machine lets it: until memory
 * is steady, at most half a minute. */
static void
wait_for_memory (void)
{
  double before = soak_memory ().allocated;
  for (guint steady = 0, i = 0; steady < 3 && i < 150; i++) {
    soak_spin (200);
    double now = soak_memory ().allocated;
    steady = ABS (now - before) < 0.5 ? steady + 1 : 0;
    before = now;
  }
}

static void
rest (void)
{
  g_object_set (gtk_settings_get_default (), "gtk-theme-name", "Adwaita", NULL);
  for (guint button = 1; button <= 3; button++)
    input_button (button, FALSE);
  GListModel *all = gtk_window_get_toplevels ();
  for (guint i = 0; i < g_list_model_get_n_items (all); i++) {
    g_autoptr (GtkWidget) window = g_list_model_get_item (all, i);
    soak_kept_watch (window);
  }
  close_all ();
  for (guint i = 0; i < 20 && (i == 0 || soak_kept_any ()); i++)      /* a thread that reads a recording has its window until it is done */
    soak_spin (100);
  wait_for_memory ();
  soak_kept_report ();
}

/* The least of n looks from the first on. A thread that is stopped by other processes may hold a recording at one look; what grows is
 * more at each. */
static SoakMemory
least (GArray *looks, guint first, guint n)
{
  SoakMemory found = g_array_index (looks, SoakMemory, first);
  for (guint i = first + 1; i < MIN (looks->len, first + n); i++) {
    const SoakMemory *m = &g_array_index (looks, SoakMemory, i);
    found = (SoakMemory) { MIN (found.resident, m->resident), MIN (found.allocated, m->allocated) };
  }
  return found;
}

int
main (int argc, char **argv)
{
  const char *length = argc > 1 ? argv[1] : g_getenv ("LS_SOAK_SECONDS");
  int seconds = length ? atoi (length) : 30;
  guint32 seed = argc > 2 ? (guint32) strtoul (argv[2], NULL, 10) : 1;
  g_autofree char *folder = g_dir_make_tmp ("lazyscope-soak-XXXXXX", NULL), *state = g_build_filename (folder, "state", NULL);
  g_set_prgname ("lazyscope");
  g_setenv ("XDG_STATE_HOME", state, TRUE);
  g_setenv ("XDG_DATA_HOME", state, TRUE);      /* GTK's list of recent files */
  g_setenv ("TMPDIR", folder, TRUE);
  if (!gtk_init_check () || !input_init ()) {
    g_print ("1..0 # SKIP no X display to show a window on: install xvfb\n");
    return 77;
  }
  if (!soak_files_make (folder) || g_chdir (folder) != 0) {
    g_printerr ("soak: lazyscope-cli records nothing (LAZYSCOPE_CLI, LAZYSCOPE_PROGRAMS)\n");
    return 1;
  }
  soak_watch_start ();
  adw_init ();
  rng = g_rand_new_with_seed (seed);
  alive = g_ptr_array_new ();
  app = ls_application_new (&(LsScreenshot) { NULL });
  g_application_set_flags (G_APPLICATION (app), G_APPLICATION_NON_UNIQUE | G_APPLICATION_HANDLES_COMMAND_LINE);
  if (!g_application_register (G_APPLICATION (app), NULL, NULL))
    return 1;
  g_application_hold (G_APPLICATION (app));

  g_autoptr (GArray) held = g_array_new (FALSE, FALSE, sizeof (SoakMemory));
  gint64 start = g_get_monotonic_time (), end = start + (gint64) seconds * G_USEC_PER_SEC, next = start;
  while (g_get_monotonic_time () < end) {
    if (g_get_monotonic_time () >= next) {
      rest ();
      SoakMemory m = soak_memory ();
      g_array_append_val (held, m);
      g_print ("soak: %3.0f s, %u things done, %.0f MB resident, %.1f MB allocated\n",
               (double) (g_get_monotonic_time () - start) / G_USEC_PER_SEC, soak_n_done (), m.resident, m.allocated);
      next = g_get_monotonic_time () + REST_EVERY * G_USEC_PER_SEC;
    }
    soak_do_one (rng, new_window);
  }
  rest ();
  SoakMemory m = soak_memory (), more = { 0, 0 };
  g_array_append_val (held, m);
  if (held->len > WARM_UP) {
    SoakMemory before = least (held, WARM_UP, NEAR), now = least (held, MAX (held->len - NEAR, WARM_UP), NEAR);
    more = (SoakMemory) { now.resident - before.resident, now.allocated - before.allocated };
  }
  g_print ("soak: end, seed %u, %u things done, %.0f MB resident, %.1f MB allocated: %+.0f and %+.1f since the warm-up\n", seed,
           soak_n_done (), m.resident, m.allocated,
           more.resident, more.allocated);
  soak_print_stalls ();
  const char *any = g_getenv ("LS_SOAK_ANY_MEMORY");
  gboolean grows = (more.resident > RESIDENT_MB || more.allocated > ALLOCATED_MB) && !(any && *any);
  if (grows)
    g_print ("soak: memory grows\n");
  const char *remove[] = { "rm", "-rf", folder, NULL };
  g_spawn_sync (NULL, (char **) remove, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
  gboolean kept = soak_kept_too_many ();
  g_print ("soak: %u messages, %u outlived\n", soak_n_messages (), n_outlived);
  return soak_n_messages () || n_outlived || kept || grows;
}
