/* Running a kernel: its compiler, its buffers, and the data for the recording. */
#pragma once
#include "render/render.h"
#include "run/run.h"
#include "trace/trace.h"

typedef struct {
  LsRunner         *runner;
  const LsTarget   *target;
  const LsSettings *settings;
  const char       *compiler;      /* whose code gives the values, */
  const char       *flags;         /* and its flags besides the fixed ones; NULL: the defaults */
  const char       *timer;         /* whose code is timed, with which flags; NULL: the same */
  const char       *timer_flags;
  gboolean          lines;         /* which line of source code came from is wanted */
  const char       *by_hand;       /* the kernel's source was written by hand, and this is its function; NULL: it is as it was rendered */
} LsLauncher;

/* Compiles and runs a kernel on its n buffers, by number of argument; list is its linear list. The kernel has the results also when this
 * is FALSE, with LS_ERROR_COMPILE or LS_ERROR_RUN. A timer that fails leaves the values' compiler with its times, and compile_message
 * says why. */
gboolean ls_kernel_launch (const LsLauncher *launcher, LsTrace *trace, LsKernel *kernel, const GPtrArray *list, guint n,
                           LsBuffer *const *buffers, GError **error);

/* A compiled function takes the buffers that are left in its list (the interpreter knows them by number): moves these to the front
 * and gives their number. */
guint    ls_launch_keep_used (const GPtrArray *list, guint n, LsBuffer **buffers);
/* How many threads a kernel of this list has; 0: it takes no thread's number. */
guint    ls_launch_threads   (const GPtrArray *list);
/* The text that a compiler reads for a kernel; free with g_free. */
char    *ls_launch_source    (const LsTarget *target, const LsSettings *settings, const char *source);
/* The text to which a user makes a hand-written kernel of it, and what a compiler reads for one; free with g_free. */
char    *ls_launch_source_to_edit (const LsTarget *target, const LsSettings *settings, const char *source);
char    *ls_launch_source_by_hand (const char *source);
