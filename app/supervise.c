/* A command that runs a program has two processes: a worker, which continues with the command, and a supervisor, which enforces the
 * budgets and reports the worker's death.
 *
 * The worker stops a program by itself (program/python.c: TIME_S, MEMORY_MB, Ctrl+C) whenever Python checks for it. Inside C code
 * Python does not: then the supervisor kills the worker, two seconds after the deadline, when it takes more than twice its memory, or
 * after a second Ctrl+C, and with it the processes that the program forked. The recording stays readable up to its last flush.
 */
#include "cli.h"

#include "ir/progress.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICK_US       50000
#define GRACE_US      (2 * G_TIME_SPAN_SECOND)      /* for a program to stop by itself: it is asked once a second */
#define MORE_MEMORY   ((guint64) 256 << 20)         /* for Python, the compiler and the recording */

typedef struct {
  pid_t       worker;
  gint64      kill_at;        /* when to kill it; 0: no reason yet */
  guint       interrupts;     /* Ctrl+C so far */
  int         passed_on;      /* the last forwarded signal, which may end it */
  const char *why;            /* the reason for killing it, or NULL */
  gboolean    asked;          /* for a traceback */
} Supervisor;

/* GLib aborts when memory runs out, which is not a bug in this program: it ends with an error instead. */
static void
on_message (const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
  if (level & G_LOG_LEVEL_ERROR)
    ls_progress_end (strstr (message, "failed to allocate") ? _("out of memory") : message);
  g_log_default_handler (domain, level, message, data);
}

static void
become_worker (LsProgress *shared, pid_t supervisor, const sigset_t *before)
{
  const struct rlimit none = { 0, 0 };
  ls_progress = shared;
  sigprocmask (SIG_SETMASK, before, NULL);
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (getppid () != supervisor)
    _exit (LS_EXIT_WRONG);
  setrlimit (RLIMIT_CORE, &none);
  g_log_set_default_handler (on_message, NULL);
}

/* --- the report --- */

/* "model.py:12": the program's innermost line in the traceback that Python wrote, else another file's; "" without a traceback. Free
 * with g_free. */
static char *
program_place (const LsProgress *shared)
{
  char text[16384];
  char *found = g_strdup ("");
  gssize n = shared->traceback < 0 ? 0 : pread (shared->traceback, text, sizeof text - 1, 0);
  text[MAX (n, 0)] = 0;
  for (char *line = strtok (text, "\n"); line; line = strtok (NULL, "\n")) {
    char *file = strstr (line, "File \""), *end = file ? strstr (file + 6, "\", line ") : NULL;
    if (!end)
      continue;
    *end = 0;
    gboolean own = strcmp (file + 6, shared->program) == 0, other = !g_str_has_prefix (file + 6, "library/") && *(file + 6) != '<';
    if (!own && (!other || *found))
      continue;
    g_free (found);
    found = g_strdup_printf ("%s:%u", file + 6, (guint) g_ascii_strtoull (end + strlen ("\", line "), NULL, 10));
    if (own)
      break;
  }
  return found;
}

/* Prints why the worker did not end by itself, and where it was. */
static void
report (const LsProgress *shared, const char *what)
{
  g_autofree char *place = program_place (shared);
  g_autofree char *stage = !*shared->stage || shared->phase != LS_PROGRESS_RUNS ? g_strdup ("")
                           : shared->kernel ? g_strdup_printf (_(", in stage %s of kernel %u"), shared->stage, shared->kernel)
                                            : g_strdup_printf (_(", in stage %s"), shared->stage);
  fprintf (stderr, "%s: error: %s%s\n", *place ? place : "lazyscope-cli", what, stage);
  if (*shared->recording)
    fprintf (stderr, _("lazyscope-cli: %s has the recording up to that point\n"), shared->recording);
}

/* --- the end --- */

/* Kills the children of this process until there are none: their own children become its children (PR_SET_CHILD_SUBREAPER). */
static void
kill_children (void)
{
  for (guint round = 0; round < 64; round++) {
    g_autoptr (GDir) processes = g_dir_open ("/proc", 0, NULL);
    guint n = 0;
    for (const char *name; processes && (name = g_dir_read_name (processes));) {
      g_autofree char *path = g_strdup_printf ("/proc/%s/stat", name), *text = NULL;
      const char *end = g_ascii_isdigit (*name) && g_file_get_contents (path, &text, NULL, NULL) ? strrchr (text, ')') : NULL;
      int parent;
      char state;
      if (end && sscanf (end, ") %c %d", &state, &parent) == 2 && parent == getpid () && state != 'Z' &&
          kill ((pid_t) atoi (name), SIGKILL) == 0)
        n++;
    }
    while (waitpid (-1, NULL, n ? 0 : WNOHANG) > 0)
      ;
    if (n == 0)
      return;
  }
}

static int
finish (const Supervisor *s, const LsProgress *shared, int status)
{
  if (s->why) {
    report (shared, s->why);
    kill_children ();
    return s->interrupts > 1 ? 128 + SIGINT : LS_EXIT_WRONG;
  }
  if (*shared->end) {
    g_autofree char *shown = ls_sentence_shown (shared->end);
    report (shared, shown);
    return LS_EXIT_WRONG;
  }
  if (WIFEXITED (status))
    return WEXITSTATUS (status);
  int number = WTERMSIG (status);
  if (number == s->passed_on || number == SIGPIPE) {      /* as if there were one process */
    sigset_t set;
    sigemptyset (&set);
    sigaddset (&set, number);
    signal (number, SIG_DFL);
    raise (number);
    sigprocmask (SIG_UNBLOCK, &set, NULL);
  }
  g_autofree char *what = number == SIGKILL ? g_strdup (_("the program's process was killed: the machine may be out of memory")) :
                          g_strdup_printf (_("the program's process died: %s"), g_strsignal (number));
  report (shared, what);
  return LS_EXIT_WRONG;
}

/* --- while it runs --- */

static void
take_signal (Supervisor *s, const siginfo_t *info)
{
  if (info->si_signo == SIGCHLD)
    return;
  s->passed_on = info->si_signo;
  if (info->si_code != SI_KERNEL)      /* the terminal's reaches both */
    kill (s->worker, info->si_signo);
  if (info->si_signo == SIGINT && ++s->interrupts == 2 && !s->kill_at) {
    s->kill_at = g_get_monotonic_time () + G_TIME_SPAN_SECOND;
    s->why = _("the program was interrupted twice and killed");
  }
}

static void
keep_budgets (Supervisor *s, const LsProgress *shared, char *text, gsize size)
{
  gint64 now = g_get_monotonic_time ();
  if (s->kill_at || g_atomic_int_get (&shared->phase) != LS_PROGRESS_RUNS)
    return;
  if (shared->deadline && now > shared->deadline + GRACE_US) {
    g_snprintf (text, size, _("the program ran longer than %" PRId64 " s (--set TIME_S=N allows more)"), shared->seconds);
    s->why = text;
    s->kill_at = now;
  }
#ifndef __SANITIZE_ADDRESS__      /* whose memory is many times that */
  if (shared->memory && ls_resident_bytes (s->worker) > 2 * shared->memory + MORE_MEMORY) {
    g_snprintf (text, size, _("the program's process takes more than twice its budget of %" PRIu64 " MB (--set MEMORY_MB=N allows more)"),
                shared->memory >> 20);
    s->why = text;
    s->kill_at = now;
  }
#endif
}

/* Kills the worker when it is time; just before, it is asked for a traceback. */
static void
end_worker (Supervisor *s, const LsProgress *shared)
{
  gint64 now = g_get_monotonic_time ();
  if (!s->kill_at || now < s->kill_at)
    return;
  if (!s->asked && shared->traceback >= 0) {
    s->asked = TRUE;
    s->kill_at = now + 2 * TICK_US;
    kill (s->worker, LS_PROGRESS_WHERE);
    return;
  }
  kill (s->worker, SIGKILL);
}

static int
supervise (Supervisor *s, LsProgress *shared, const sigset_t *signals)
{
  const struct timespec tick = { 0, TICK_US * 1000 };
  char text[256];
  int status;
  prctl (PR_SET_CHILD_SUBREAPER, 1);
  for (;;) {
    siginfo_t info;
    if (sigtimedwait (signals, &info, &tick) > 0)
      take_signal (s, &info);
    for (pid_t ended; (ended = waitpid (-1, &status, WNOHANG)) > 0;)
      if (ended == s->worker)
        return finish (s, shared, status);
    keep_budgets (s, shared, text, sizeof text);
    end_worker (s, shared);
  }
}

gboolean ls_cli_supervises;

/* Those that the process was started to ignore, as under nohup or in a shell's background, are not its business. */
static void
choose_signals (sigset_t *signals)
{
  static const int watched[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 };
  struct sigaction action;
  sigemptyset (signals);
  sigaddset (signals, SIGCHLD);
  for (gsize i = 0; i < G_N_ELEMENTS (watched); i++)
    if (sigaction (watched[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
      sigaddset (signals, watched[i]);
}

void
ls_cli_supervise (void)
{
  LsProgress *shared = ls_cli_supervises ? mmap (NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
                                         : MAP_FAILED;
  sigset_t signals, before;
  if (shared == MAP_FAILED)
    return;
  ls_cli_supervises = FALSE;
  choose_signals (&signals);
  sigprocmask (SIG_BLOCK, &signals, &before);
  *shared = (LsProgress) { .traceback = memfd_create ("traceback", MFD_CLOEXEC) };
  pid_t supervisor = getpid (), worker = fork ();
  if (worker > 0)
    _exit (supervise (&(Supervisor) { .worker = worker }, shared, &signals));
  if (worker == 0)
    become_worker (shared, supervisor, &before);
  else
    sigprocmask (SIG_SETMASK, &before, NULL);      /* no process can be made: one is enough */
}
