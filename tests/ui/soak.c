/* Random use of the real window: soak [SECONDS [SEED]].
 *
 * Keys, clicks, drags, wheels and resizes go through the X server; recordings and programs, sound and broken, are opened; programs are
 * run, edited and cancelled; colours, contrast, motion and size change meanwhile. It fails on any warning or critical message, on a
 * window or session that outlives its closing, and on memory that grows: every so often all windows are closed, and what the process
 * holds then is compared. The longest turn of the main loop is told with what had been done just before. A crash, or a main loop that
 * stands still for a minute, ends it with the last things done. LS_SOAK_LOG=1 prints each of them.
 */
#include "application.h"
#include "input.h"
#include "soak-files.h"

#include <execinfo.h>
#include <glib/gstdio.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define REST_EVERY 20      /* seconds of use between two looks at memory */
#define WARM_UP 3          /* looks that do not count: caches fill */
#define RESIDENT_MB 192    /* what may be held more at the end than after the warm-up: by the process, torn heap and caches included; */
#define ALLOCATED_MB 96    /* by what was allocated */
#define STANDSTILL 60      /* seconds */

static LsApplication *app;
static GRand *rng;
static guint n_messages, n_outlived, n_done;
static gboolean loud;

/* --- what was done, for the end --- */

static char done[16][160];

static void G_GNUC_PRINTF (1, 2)
say (const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_vsnprintf (done[n_done++ % G_N_ELEMENTS (done)], sizeof done[0], format, args);
  va_end (args);
  if (loud)
    g_printerr ("%u %s\n", n_done, done[(n_done - 1) % G_N_ELEMENTS (done)]);
}

static const char *
last_done (void)
{
  return n_done ? done[(n_done - 1) % G_N_ELEMENTS (done)] : "start";
}

static void
put (const char *text)
{
  if (write (STDERR_FILENO, text, strlen (text)) < 0)
    _exit (3);
}

static void
print_done (void)
{
  put ("soak: last things done, the latest last:\n");
  for (guint i = n_done > G_N_ELEMENTS (done) ? n_done - G_N_ELEMENTS (done) : 0; i < n_done; i++) {
    put ("  ");
    put (done[i % G_N_ELEMENTS (done)]);
    put ("\n");
  }
}

static void
on_signal (int number)
{
  void *frames[64];
  put (number == SIGALRM ? "soak: the main loop stands still\n" : "soak: crashed\n");
  print_done ();
  backtrace_symbols_fd (frames, backtrace (frames, G_N_ELEMENTS (frames)), STDERR_FILENO);
  _exit (1);
}

/* GTK names a widget by type and address. */
static GtkWidget *
named_widget (const char *message)
{
  const char *at = strstr (message, " 0x");
  if (!at || !(strstr (message, "Trying to snapshot") || strstr (message, "reported min") || strstr (message, "attempt to allocate")))
    return NULL;
  return GTK_WIDGET ((gpointer) (gsize) g_ascii_strtoull (at + 1, NULL, 16));
}

static gboolean
has_text_view (GtkWidget *widget)
{
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child; child = gtk_widget_get_next_sibling (child))
    if (has_text_view (child))
      return TRUE;
  return GTK_IS_TEXT_VIEW (widget) && gtk_widget_get_mapped (widget);
}

static gint64 dialog_seen;      /* when a file dialog was last used: its insides have faults of their own */

/* What GTK 4.8 says of itself, and what nobody who uses it can help. */
static gboolean
is_of_gtk (const char *message)
{
  if (g_str_has_prefix (message, "Broken accounting of active state") || strstr (message, "did not receive a focus-out event") || strstr (message, "unexpected blinking selection"))      /* a window goes while it is used */
    return TRUE;
  if (g_get_monotonic_time () - dialog_seen < 2 * G_USEC_PER_SEC && strstr (message, "gtk_widget_is_ancestor"))
    return TRUE;
  GtkWidget *widget = named_widget (message);
  if (widget && strstr (message, "Trying to snapshot")) {      /* a text view lays its text out while it is drawn, and tells all around it */
    GtkWidget *around = gtk_widget_get_ancestor (widget, GTK_TYPE_SCROLLED_WINDOW);
    return has_text_view (around ? around : widget);
  }
  return widget && strstr (message, "reported min") && gtk_widget_get_ancestor (widget, GTK_TYPE_SHORTCUTS_WINDOW);      /* small text */
}

static GLogWriterOutput
on_message (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  if ((level & G_LOG_LEVEL_MASK) > G_LOG_LEVEL_WARNING)
    return G_LOG_WRITER_HANDLED;
  for (gsize i = 0; i < n_fields; i++)
    if (g_str_equal (fields[i].key, "MESSAGE") && is_of_gtk (fields[i].value))
      return G_LOG_WRITER_HANDLED;
  static GHashTable *seen;
  g_autofree char *text = g_log_writer_format_fields (level, fields, n_fields, FALSE), *kind = g_strdup (strstr (text, "): ") ? strstr (text, "): ") : text);
  for (char *p = kind; *p; p++)
    if (g_ascii_isxdigit (*p))      /* addresses and sizes are not what tells messages apart */
      *p = '0';
  n_messages++;
  if (!seen)
    seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (g_hash_table_add (seen, g_steal_pointer (&kind)) && n_messages <= 100) {
    g_printerr ("%s\n", text);
    for (GtkWidget *w = named_widget (text); w; w = gtk_widget_get_parent (w))
      g_printerr ("  in %s \"%s\" (%s)\n", G_OBJECT_TYPE_NAME (w), gtk_widget_get_name (w), gtk_widget_get_css_name (w));
    print_done ();
    void *frames[48];
    backtrace_symbols_fd (frames, backtrace (frames, G_N_ELEMENTS (frames)), STDERR_FILENO);
  }
  return G_LOG_WRITER_HANDLED;
}

/* --- the main loop, watched --- */

typedef struct { double work, wall; char what[160]; } Stall;      /* milliseconds: of this thread's own work; by the clock */
static Stall stalls[5];
static double longest_wall;

static void
note_stall (double work, double wall)
{
  guint least = 0;
  longest_wall = MAX (longest_wall, wall);
  for (guint i = 0; i < G_N_ELEMENTS (stalls); i++) {
    if (stalls[i].work > 0 && g_str_equal (stalls[i].what, last_done ())) {
      least = i;
      break;
    }
    if (stalls[i].work < stalls[least].work)
      least = i;
  }
  if (work > stalls[least].work) {
    stalls[least].work = work;
    stalls[least].wall = wall;
    g_strlcpy (stalls[least].what, last_done (), sizeof stalls[least].what);
  }
}

static double
thread_ms (void)
{
  struct timespec t;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return (double) t.tv_sec * 1e3 + (double) t.tv_nsec / 1e6;
}

static void
spin (double ms)
{
  gint64 end = g_get_monotonic_time () + (gint64) (ms * 1000);
  do {
    gint64 wall = g_get_monotonic_time ();
    double work = thread_ms ();
    gboolean any = g_main_context_iteration (NULL, FALSE);
    note_stall (thread_ms () - work, (double) (g_get_monotonic_time () - wall) / 1000);
    if (!any)
      g_usleep (1000);
  } while (g_get_monotonic_time () < end);
  alarm (STANDSTILL);
}

/* --- windows --- */

static int
pick (int n)
{
  return g_rand_int_range (rng, 0, n);
}

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
  watch (ls_window_get_session (window));
  ls_window_show_start (window);
  gtk_window_present (GTK_WINDOW (window));
  spin (50);
  return window;
}

/* A window of ours, or any that is open: dialogs too. */
static GtkWindow *
any_window (gboolean ours)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new ();
  GListModel *all = gtk_window_get_toplevels ();
  for (guint i = 0; i < g_list_model_get_n_items (all); i++) {
    g_autoptr (GtkWindow) window = g_list_model_get_item (all, i);
    if (gtk_widget_get_mapped (GTK_WIDGET (window)) && (!ours || LS_IS_WINDOW (window)))
      g_ptr_array_add (found, window);
  }
  for (guint i = 0; i < found->len; i++)
    if (GTK_IS_FILE_CHOOSER_DIALOG (found->pdata[i]))
      return found->pdata[i];
  return found->len ? found->pdata[pick ((int) found->len)] : NULL;
}

/* GTK 4.8 sometimes keeps a widget that the pointer was over, and with it what is below; but windows must go, and no session may keep a recording. */
static void
close_all (void)
{
  gint64 end = g_get_monotonic_time () + 10 * G_USEC_PER_SEC;
  guint left;
  do {
    GtkWindow *window = any_window (FALSE);
    if (window)
      gtk_window_close (window);
    spin (30);
    left = 0;
    for (guint i = 0; i < alive->len; i++)
      left += LS_IS_WINDOW (alive->pdata[i]) || ls_view_session_get_trace (alive->pdata[i]) != NULL;
  } while ((any_window (FALSE) || left) && g_get_monotonic_time () < end);
  for (guint i = alive->len; i-- > 0;) {
    GObject *object = alive->pdata[i];
    if (LS_IS_WINDOW (object) || ls_view_session_get_trace (LS_VIEW_SESSION (object))) {
      g_printerr ("soak: a %s outlives its closing, held %u times\n", G_OBJECT_TYPE_NAME (object), object->ref_count);
      print_done ();
      n_outlived++;
    }
    g_object_set_data (object, "soak", NULL);
  }
}

typedef struct { double resident, allocated; } Memory;      /* MB: of the process; handed out by malloc and not given back */

static Memory
memory (void)
{
  g_autofree char *text = NULL;
  glong pages = 0;
  malloc_trim (0);
  if (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL) && strchr (text, ' '))
    pages = strtol (strchr (text, ' '), NULL, 10);
  struct mallinfo2 m = mallinfo2 ();
  return (Memory) { (double) pages * (double) sysconf (_SC_PAGESIZE) / (1 << 20), (double) (m.uordblks + m.hblkhd) / (1 << 20) };
}

/* --- things to do --- */

static void
send_key (void)
{
  static const struct { guint key; GdkModifierType mods; } keys[] = {
#define K(name) { GDK_KEY_##name, 0 }
#define S(name) { GDK_KEY_##name, GDK_SHIFT_MASK }
#define C(name) { GDK_KEY_##name, GDK_CONTROL_MASK }
    K (n), K (n), K (n), K (p), S (n), S (p), K (c), S (c), K (f), K (period), K (b), K (g), K (slash), K (space), K (k), S (k), K (x), K (r), K (d), S (d), K (m), K (v), K (o), K (t),
    K (Up), K (Down), K (Left), K (Right), K (Return), K (Escape), K (Tab), K (Tab), S (Tab), K (Home), K (End), K (Page_Up), K (Page_Down), K (BackSpace), K (Delete),
    S (Down), S (F10), K (Menu), K (F9), K (F1), K (F6), K (F8), K (F10), K (F11), K (1), K (3), K (0), K (a), K (e), K (minus), K (plus),
    C (Page_Up), C (Page_Down), C (1), C (2), C (3), C (4), C (5), C (f), C (Return), C (o), C (s), C (c), C (a), C (v), C (z), C (plus), C (minus), C (0), C (w), C (n), C (question), C (Tab),
#undef K
#undef S
#undef C
    { GDK_KEY_Left, GDK_ALT_MASK }, { GDK_KEY_Right, GDK_ALT_MASK }, { GDK_KEY_c, GDK_CONTROL_MASK | GDK_SHIFT_MASK }, { GDK_KEY_n, GDK_CONTROL_MASK | GDK_SHIFT_MASK },
  };
  int i = pick (G_N_ELEMENTS (keys)), times = pick (6) ? 1 : pick (30) + 1;
  say ("key %s, modifiers %x, %d times", gdk_keyval_name (keys[i].key), keys[i].mods, times);
  while (times-- > 0)
    input_send_key (keys[i].key, keys[i].mods);
}

static void
point (GtkWindow *window)
{
  input_move (GTK_WIDGET (window), pick (MAX (gtk_widget_get_width (GTK_WIDGET (window)), 1)), pick (MAX (gtk_widget_get_height (GTK_WIDGET (window)), 1)));
}

static void
click (GtkWindow *window)
{
  guint button = pick (6) ? 1 : pick (2) ? 3 : 2, times = pick (4) ? 1 : 2;
  say ("click of button %u, %u times", button, times);
  point (window);
  while (times-- > 0) {
    input_button (button, TRUE);
    input_button (button, FALSE);
  }
}

static void
collect (GtkWidget *widget, GPtrArray *found)
{
  if (!gtk_widget_get_mapped (widget) || !gtk_widget_get_sensitive (widget))
    return;
  if (gtk_widget_get_focusable (widget))
    g_ptr_array_add (found, widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child; child = gtk_widget_get_next_sibling (child))
    collect (child, found);
}

/* Something that takes the focus: a button, a row, a menu's item. */
static void
click_widget (GtkWindow *window)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new ();
  collect (GTK_WIDGET (window), found);
  if (found->len == 0)
    return;
  GtkWidget *widget = found->pdata[pick ((int) found->len)];
  say ("click on a %s \"%s\"", G_OBJECT_TYPE_NAME (widget), gtk_widget_get_name (widget));
  input_move (widget, gtk_widget_get_width (widget) / 2.0, gtk_widget_get_height (widget) / 2.0);
  guint button = pick (8) ? 1 : 3;
  input_button (button, TRUE);
  input_button (button, FALSE);
}

static void
drag (GtkWindow *window)
{
  guint button = pick (5) ? 1 : 2;
  say ("drag with button %u", button);
  point (window);
  input_button (button, TRUE);
  for (int i = pick (8) + 1; i > 0; i--) {
    point (window);
    spin (8);
    if (!g_list_model_get_n_items (gtk_window_get_toplevels ()) || any_window (FALSE) != window)
      break;      /* it may be gone */
  }
  input_button (button, FALSE);
  spin (8);
  GtkWindow *ours = any_window (TRUE);      /* nobody but the window itself moves it here, out of sight too */
  if (ours)
    input_place (ours, 0, 0);
}

static void
wheel (GtkWindow *window)
{
  guint button = 4 + (guint) pick (4), times = (guint) pick (12) + 1;
  say ("wheel %u, %u times", button, times);
  point (window);
  while (times-- > 0) {
    input_button (button, TRUE);
    input_button (button, FALSE);
  }
}

static void
resize (GtkWindow *window)
{
  int width = 1000 + pick (700), height = 600 + pick (500);
  say ("resize to %dx%d", width, height);
  gtk_window_set_default_size (window, width, height);
}

static void
look (void)
{
  GtkSettings *settings = gtk_settings_get_default ();
  switch (pick (4)) {
    case 0:
      say ("other colours");
      adw_style_manager_set_color_scheme (adw_style_manager_get_default (), pick (2) ? ADW_COLOR_SCHEME_FORCE_DARK : ADW_COLOR_SCHEME_FORCE_LIGHT);
      break;
    case 1: {
      gboolean high = pick (2);
      say (high ? "high contrast" : "usual contrast");
      g_object_set (settings, "gtk-theme-name", high ? "HighContrast" : "Adwaita", NULL);
      break;
    }
    case 2: {
      gboolean moves = pick (2);
      say (moves ? "motion" : "no motion");
      g_object_set (settings, "gtk-enable-animations", moves, NULL);
      break;
    }
    default: {
      int direction = pick (2) ? 1 : -1;
      say ("size %+d", direction);
      GtkWindow *window = any_window (TRUE);
      if (window)
        gtk_widget_activate_action (GTK_WIDGET (window), direction > 0 ? "win.larger" : "win.smaller", NULL);
    }
  }
}

static void
act (GtkWindow *window)
{
  GtkWidgetClass *class = GTK_WIDGET_GET_CLASS (window);
  GPtrArray *names = g_ptr_array_new ();
  const char *name, *property;
  const GVariantType *type;
  GType owner;
  for (guint i = 0; gtk_widget_class_query_action (class, i, &owner, &name, &type, &property); i++)
    if (!type)
      g_ptr_array_add (names, (gpointer) name);
  name = names->pdata[pick ((int) names->len)];
  g_ptr_array_free (names, TRUE);
  say ("action %s", name);
  gtk_widget_activate_action (GTK_WIDGET (window), name, NULL);
}

static void
edit (LsWindow *window)
{
  LsProgramView *program = ls_window_get_program (window);
  g_autofree char *text = ls_program_view_dup_text (program), *other = NULL;
  g_file_get_contents (soak_files_program (rng), &other, NULL, NULL);
  say ("another text, and run");
  if (other && g_utf8_validate (other, -1, NULL)) {
    GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (find_widget (GTK_WIDGET (window), "program")));
    gtk_text_buffer_set_text (buffer, pick (2) ? other : text, -1);
    gtk_text_buffer_insert_at_cursor (buffer, "# a line more\n", -1);
  }
  gtk_widget_activate_action (GTK_WIDGET (window), "win.run", NULL);
}

static void
open_file (LsWindow *window)
{
  int which = pick (20);
  const char *path = which < 9 ? soak_files_sound (rng) : which < 15 ? soak_files_broken (rng) : which < 18 ? soak_files_program (rng) : soak_files_nonsense (rng);
  static const char *const passes[] = { "ast", "lower", "simplify", "simplify#2", "expand", "devectorize", "linearize", "render", "tensor", "program", "nowhere" };
  g_autofree char *position = pick (2) ? g_strdup_printf ("#%d/%s/%d", pick (5), passes[pick (G_N_ELEMENTS (passes))], pick (40)) : g_strdup ("");
  g_autofree char *link = g_strconcat (path, position, NULL), *name = g_path_get_basename (path);
  say ("open %s%s", name, position);
  ls_window_open (window, link);
}

static void
go (LsWindow *window)
{
  LsViewSession *session = ls_window_get_session (window);
  LsTrace *trace = ls_view_session_get_trace (session);
  if (!trace || trace->passes->len == 0)
    return;
  int pass = pick ((int) trace->passes->len);
  guint step = (guint) pick ((int) ls_pass_n_steps (trace->passes->pdata[pass]) + 1);
  say ("go to pass %d, step %u", pass, step);
  ls_view_session_go (session, pass, step);
}

/* The dialogs that a person would get rid of. File dialogs are closed at once: used at random they crash inside GTK 4.8. */
static void
dismiss (void)
{
  GtkWindow *window = any_window (FALSE);
  if (!window || LS_IS_WINDOW (window))
    return;
  if (GTK_IS_FILE_CHOOSER_DIALOG (window))
    dialog_seen = g_get_monotonic_time ();
  say ("close a %s", G_OBJECT_TYPE_NAME (window));
  gtk_window_close (window);
}

static void
do_one (void)
{
  LsWindow *ours = LS_WINDOW (any_window (TRUE));
  if (!ours)
    ours = new_window ();
  GtkWindow *any = any_window (FALSE);
  if (GTK_IS_FILE_CHOOSER_DIALOG (any)) {
    dismiss ();
    spin (20);
    return;
  }
  input_give_focus (any);
  int which = pick (100);
  if (which < 38)
    send_key ();
  else if (which < 48)
    click (any);
  else if (which < 62)
    click_widget (any);
  else if (which < 67)
    drag (any);
  else if (which < 73)
    wheel (any);
  else if (which < 76)
    resize (GTK_WINDOW (ours));
  else if (which < 79)
    look ();
  else if (which < 84)
    act (GTK_WINDOW (ours));
  else if (which < 89)
    go (ours);
  else if (which < 95)
    open_file (ours);
  else if (which < 96)
    edit (ours);
  else
    dismiss ();
  spin (pick (3) ? 10 : pick (120));
}

static void
rest (void)
{
  g_object_set (gtk_settings_get_default (), "gtk-theme-name", "Adwaita", NULL);
  for (guint button = 1; button <= 3; button++)
    input_button (button, FALSE);
  close_all ();
}

int
main (int argc, char **argv)
{
  int seconds = argc > 1 ? atoi (argv[1]) : 60;
  guint32 seed = argc > 2 ? (guint32) strtoul (argv[2], NULL, 10) : 1;
  g_autofree char *folder = g_dir_make_tmp ("lazyscope-soak-XXXXXX", NULL), *state = g_build_filename (folder, "state", NULL);
  static const int fatal[] = { SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGTRAP, SIGALRM };
  loud = g_getenv ("LS_SOAK_LOG") != NULL;
  g_set_prgname ("lazyscope");
  g_setenv ("XDG_STATE_HOME", state, TRUE);
  g_setenv ("XDG_DATA_HOME", state, TRUE);      /* GTK's list of recent files */
  g_setenv ("TMPDIR", folder, TRUE);
  for (gsize i = 0; i < G_N_ELEMENTS (fatal); i++)
    signal (fatal[i], on_signal);
  if (!gtk_init_check () || !input_init ()) {
    g_print ("1..0 # SKIP no X display to show a window on: install xvfb\n");
    return 77;
  }
  if (!soak_files_make (folder) || g_chdir (folder) != 0) {
    g_printerr ("soak: lazyscope-cli records nothing (LAZYSCOPE_CLI, LAZYSCOPE_PROGRAMS)\n");
    return 1;
  }
  g_log_set_writer_func (on_message, NULL, NULL);
  adw_init ();
  rng = g_rand_new_with_seed (seed);
  alive = g_ptr_array_new ();
  app = ls_application_new (&(LsScreenshot) { NULL });
  g_application_set_flags (G_APPLICATION (app), G_APPLICATION_NON_UNIQUE | G_APPLICATION_HANDLES_COMMAND_LINE);
  if (!g_application_register (G_APPLICATION (app), NULL, NULL))
    return 1;
  g_application_hold (G_APPLICATION (app));

  g_autoptr (GArray) held = g_array_new (FALSE, FALSE, sizeof (Memory));
  gint64 start = g_get_monotonic_time (), end = start + (gint64) seconds * G_USEC_PER_SEC, next = start;
  while (g_get_monotonic_time () < end) {
    if (g_get_monotonic_time () >= next) {
      rest ();
      Memory m = memory ();
      g_array_append_val (held, m);
      g_print ("soak: %3.0f s, %u things done, %.0f MB resident, %.1f MB allocated\n", (double) (g_get_monotonic_time () - start) / G_USEC_PER_SEC, n_done, m.resident, m.allocated);
      next = g_get_monotonic_time () + REST_EVERY * G_USEC_PER_SEC;
    }
    do_one ();
  }
  rest ();
  Memory m = memory (), more = { 0, 0 };
  if (held->len > WARM_UP)
    more = (Memory) { m.resident - g_array_index (held, Memory, WARM_UP).resident, m.allocated - g_array_index (held, Memory, WARM_UP).allocated };
  g_print ("soak: end, seed %u, %u things done, %.0f MB resident, %.1f MB allocated: %+.0f and %+.1f since the warm-up\n", seed, n_done, m.resident, m.allocated,
           more.resident, more.allocated);
  for (guint i = 0; i < G_N_ELEMENTS (stalls); i++)
    g_print ("soak: a turn of the main loop worked %.0f ms (took %.0f) after: %s\n", stalls[i].work, stalls[i].wall, stalls[i].what);
  g_print ("soak: the longest turn of the main loop took %.0f ms by the clock\n", longest_wall);
  const char *any = g_getenv ("LS_SOAK_ANY_MEMORY");
  gboolean grows = (more.resident > RESIDENT_MB || more.allocated > ALLOCATED_MB) && !(any && *any);
  if (grows)
    g_print ("soak: memory grows\n");
  const char *remove[] = { "rm", "-rf", folder, NULL };
  g_spawn_sync (NULL, (char **) remove, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
  g_print ("soak: %u messages, %u outlived\n", n_messages, n_outlived);
  return n_messages || n_outlived || grows;
}
