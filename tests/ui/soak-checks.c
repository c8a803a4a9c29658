/* The checks of the soak: messages, crashes, iterations of the main loop, memory. Each finding is printed with the last actions. */
#include "input.h"
#include "window/application.h"
#include "gtk-faults.h"
#include "soak.h"

#include <execinfo.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define STANDSTILL 60      /* seconds */

static guint n_messages, n_done;
static gboolean loud;

/* --- the last actions --- */

static char done[16][160];

void
soak_say (const char *format, ...)
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

/* The widgets that determine a widget's natural size: the child with the largest, and so on down. */
static void
print_largest (GtkWidget *widget, GtkOrientation orientation)
{
  while (widget) {
    GtkWidget *largest = NULL;
    int most = -1, least;
    for (GtkWidget *child = gtk_widget_get_first_child (widget); child; child = gtk_widget_get_next_sibling (child)) {
      if (!gtk_widget_should_layout (child))
        continue;
      gtk_widget_measure (child, orientation, -1, &least, NULL, NULL, NULL);
      if (least > most) {
        most = least;
        largest = child;
      }
    }
    if (largest)
      g_printerr ("  wants %d: %s \"%s\"%s%.60s\n", most, G_OBJECT_TYPE_NAME (largest), widget_called (largest),
                  GTK_IS_LABEL (largest) ? " " : "",
                  GTK_IS_LABEL (largest) ? gtk_label_get_text (GTK_LABEL (largest)) : "");
    widget = largest;
  }
}

static gint64 dialog_seen;      /* when a file dialog was last used: its insides have faults of their own */

void
soak_saw_dialog (void)
{
  dialog_seen = g_get_monotonic_time ();
}

/* TRUE when code of ours is on the way from the main loop to the message. */
static gboolean
is_called_by_us (void)
{
  void *frames[128];
  int n = backtrace (frames, G_N_ELEMENTS (frames));
  char **names = backtrace_symbols (frames, n);
  gboolean ours = FALSE, outside = FALSE;
  for (int i = 0; i < n && !strstr (names[i], "soak_spin"); i++) {
    gboolean library = strstr (names[i], ".so") != NULL;
    if (strstr (names[i], "libasan"))      /* it comes before those, not behind them */
      continue;
    ours |= outside && !library;      /* the first are those that take the message */
    outside |= library;
  }
  free (names);
  return ours;
}

/* GTK 4.8's own messages, which programs cannot prevent. */
static gboolean
is_of_gtk (const char *message)
{
  /* a window goes while it is used */
  if (g_str_has_prefix (message, "Broken accounting of active state") || strstr (message, "did not receive a focus-out event") ||
      strstr (message, "unexpected blinking selection"))
    return TRUE;
  if (strstr (message, "gtk_widget_is_ancestor"))      /* a key in a file dialog that has no focus */
    return g_get_monotonic_time () - dialog_seen < 2 * G_USEC_PER_SEC || !is_called_by_us ();
  if (strstr (message, "failed to scroll to given position"))      /* a wheel or key on a list whose rows are not laid out yet */
    return !is_called_by_us ();
  /* a tooltip's time comes when the popover that it belongs to is hidden and has no surface (gtk_tooltip_popup_timeout looks at neither) */
  if (strstr (message, "gdk_surface_get_device_position: assertion 'GDK_IS_SURFACE") ||
      strstr (message, "_gtk_widget_find_at_coords: assertion 'GDK_IS_SURFACE"))
    return !is_called_by_us ();
  /* GtkSourceView shows its completion in an idle callback; the window may have been dragged off the monitor */
  if (strstr (message, "gdk_monitor_get_geometry: assertion 'GDK_IS_MONITOR"))
    return !is_called_by_us ();
  return gtk_fault_is_known (message);
}

/* Down to those that are higher at some width than they say they are at any. */
static void
print_unequal (GtkWidget *widget)
{
  int any, wide;
  gtk_widget_measure (widget, GTK_ORIENTATION_VERTICAL, -1, &any, NULL, NULL, NULL);
  gtk_widget_measure (widget, GTK_ORIENTATION_VERTICAL, 1 << 20, &wide, NULL, NULL, NULL);
  if (any >= wide)
    return;
  g_printerr ("  at least %d high, at any width %d: %s \"%s\" (%s)\n", wide, any, G_OBJECT_TYPE_NAME (widget), widget_called (widget),
              gtk_widget_get_css_name (widget));
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child; child = gtk_widget_get_next_sibling (child))
    if (gtk_widget_get_child_visible (child) && gtk_widget_get_visible (child))
      print_unequal (child);
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
  g_autofree char *text = g_log_writer_format_fields (level, fields, n_fields, FALSE),
                  *kind = g_strdup (strstr (text, "): ") ? strstr (text, "): ") : text);
  for (char *p = kind; *p; p++)
    if (g_ascii_isxdigit (*p))      /* addresses and sizes do not distinguish messages */
      *p = '0';
  n_messages++;
  if (!seen)
    seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (g_hash_table_add (seen, g_steal_pointer (&kind)) && n_messages <= 100) {
    g_printerr ("%s\n", text);
    for (GtkWidget *w = gtk_fault_widget (text); w; w = gtk_widget_get_parent (w))
      g_printerr ("  in %s \"%s\" (%s)\n", G_OBJECT_TYPE_NAME (w), widget_called (w), gtk_widget_get_css_name (w));
    if (strstr (text, "needs at least") && gtk_fault_widget (text))
      print_largest (gtk_fault_widget (text), strstr (text, "width too small") ? GTK_ORIENTATION_HORIZONTAL : GTK_ORIENTATION_VERTICAL);
    if (strstr (text, "reports a minimum height"))
      print_unequal (GTK_WIDGET ((gpointer) (gsize) g_ascii_strtoull (strstr (text, " 0x") + 1, NULL, 16)));
    print_done ();
    void *frames[48];
    backtrace_symbols_fd (frames, backtrace (frames, G_N_ELEMENTS (frames)), STDERR_FILENO);
  }
  return G_LOG_WRITER_HANDLED;
}

/* --- the main loop, watched --- */

#define SAMPLE_AFTER 100      /* milliseconds that an iteration has taken, and between two samples of it */
#define N_SAMPLES 4

typedef struct { void *frames[48]; int n; } Sample;      /* a stack sample of an iteration */
typedef struct {
  double work, wall;             /* milliseconds: of this thread's own work; by the clock */
  long   n_waits, n_preempted;   /* times that the thread gave its processor up, to wait for something, and that it was taken away */
  long   n_read;                 /* pages that had to come from the disk */
  char   what[160];
  Sample samples[N_SAMPLES];
  guint  n_samples, n_windows;
} Turn;
static Turn worked[5], waited[5];      /* the turns that worked longest; that did not work longest while they lasted */
static double longest_wall;

static Sample samples[N_SAMPLES];      /* of this turn; written by the signal's handler, which interrupts it */
static guint n_samples;
static gint64 turn_start;              /* 0: no turn is under way */
static pthread_t main_thread;

static void
on_sample (int number)
{
  Sample *sample = &samples[n_samples++ % N_SAMPLES];
  sample->n = backtrace (sample->frames, G_N_ELEMENTS (sample->frames));
}

static gpointer
watch_turns (gpointer data)
{
  for (;;) {
    g_usleep (SAMPLE_AFTER * 1000);
    gint64 start = __atomic_load_n (&turn_start, __ATOMIC_RELAXED);
    if (start && g_get_monotonic_time () - start > SAMPLE_AFTER * 1000)
      pthread_kill (main_thread, SIGUSR2);
  }
  return NULL;
}

/* Keeps an iteration among the longest, one for each action. */
static void
keep (Turn *turns, guint n, double (*length) (const Turn *), const Turn *turn)
{
  guint least = 0;
  for (guint i = 0; i < n; i++) {
    if (length (&turns[i]) > 0 && g_str_equal (turns[i].what, last_done ())) {
      least = i;
      break;
    }
    if (length (&turns[i]) < length (&turns[least]))
      least = i;
  }
  if (length (turn) <= length (&turns[least]))
    return;
  turns[least] = *turn;
  turns[least].n_windows = g_list_model_get_n_items (gtk_window_get_toplevels ());
  g_strlcpy (turns[least].what, last_done (), sizeof turns[least].what);
  memcpy (turns[least].samples, samples, sizeof samples);
  turns[least].n_samples = MIN (n_samples, N_SAMPLES);
}

static double
turn_work (const Turn *turn)
{
  return turn->work;
}

static double
turn_wait (const Turn *turn)
{
  return turn->wall - turn->work;
}

/* The resources that this thread has used so far. */
static Turn
used (void)
{
  struct timespec t;
  struct rusage r;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  getrusage (RUSAGE_THREAD, &r);
  return (Turn) { .work = (double) t.tv_sec * 1e3 + (double) t.tv_nsec / 1e6, .wall = (double) g_get_monotonic_time () / 1e3,
                  .n_waits = r.ru_nvcsw,
                  .n_preempted = r.ru_nivcsw, .n_read = r.ru_majflt };
}

void
soak_spin (double ms)
{
  gint64 end = g_get_monotonic_time () + (gint64) (ms * 1000);
  do {
    Turn before = used ();
    n_samples = 0;
    __atomic_store_n (&turn_start, g_get_monotonic_time (), __ATOMIC_RELAXED);
    gboolean any = g_main_context_iteration (NULL, FALSE);
    __atomic_store_n (&turn_start, 0, __ATOMIC_RELAXED);
    Turn turn = used ();
    turn.work -= before.work;
    turn.wall -= before.wall;
    turn.n_waits -= before.n_waits;
    turn.n_preempted -= before.n_preempted;
    turn.n_read -= before.n_read;
    keep (worked, G_N_ELEMENTS (worked), turn_work, &turn);
    keep (waited, G_N_ELEMENTS (waited), turn_wait, &turn);
    longest_wall = MAX (longest_wall, turn.wall);
    if (!any)
      g_usleep (1000);
  } while (g_get_monotonic_time () < end);
  alarm (STANDSTILL);
}

/* --- memory --- */

SoakMemory
soak_memory (void)
{
  g_autofree char *text = NULL;
  glong pages = 0;
  malloc_trim (0);
  if (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL) && strchr (text, ' '))
    pages = strtol (strchr (text, ' '), NULL, 10);
  struct mallinfo2 m = mallinfo2 ();
  return (SoakMemory) { (double) pages * (double) sysconf (_SC_PAGESIZE) / (1 << 20), (double) (m.uordblks + m.hblkhd) / (1 << 20) };
}

/* --- for the driver --- */

void
soak_watch_start (void)
{
  static const int fatal[] = { SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGTRAP, SIGALRM };
  loud = g_getenv ("LS_SOAK_LOG") != NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (fatal); i++)
    signal (fatal[i], on_signal);
  g_log_set_writer_func (on_message, NULL, NULL);
  void *frame;
  backtrace (&frame, 1);      /* what it loads is loaded now, not in a handler */
  main_thread = pthread_self ();
  signal (SIGUSR2, on_sample);
  g_thread_unref (g_thread_new ("turns", watch_turns, NULL));
}

guint soak_n_done (void) { return n_done; }
guint soak_n_messages (void) { return n_messages; }

void
soak_print_done (void)
{
  print_done ();
}

static void
print_turns (const Turn *turns, guint n, const char *how)
{
  for (guint i = 0; i < n && turns[i].wall > 0; i++) {
    const Turn *t = &turns[i];
    g_print ("soak: a turn of the main loop %s: worked %.0f ms of %.0f, waited %ld times, was interrupted %ld, read %ld pages, with %u "
             "windows, after: %s\n", how, t->work, t->wall, t->n_waits,
             t->n_preempted, t->n_read, t->n_windows, t->what);
    for (guint k = 0; loud && k < t->n_samples; k++) {
      put ("  it was at\n");
      backtrace_symbols_fd (t->samples[k].frames, t->samples[k].n, STDERR_FILENO);
    }
  }
}

void
soak_print_stalls (void)
{
  print_turns (worked, G_N_ELEMENTS (worked), "that worked long");
  print_turns (waited, G_N_ELEMENTS (waited), "that waited long");
  g_print ("soak: the longest turn of the main loop took %.0f ms by the clock\n", longest_wall);
}
