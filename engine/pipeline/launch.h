/* Running a kernel: its compiler, its buffers, and the data for the recording. */
#pragma once
#include "render/render.h"
#include "run/run.h"
#include "trace/trace.h"

/* A text, and for each row of its procedure, from 1, the line of the kernel's source that shows it first; 0: none. */
typedef struct { char *text; guint32 *lines; guint n_lines; } LsLaunchText;
void     ls_launch_text_clear (LsLaunchText *text);

typedef struct {
  LsRunner         *runner;
  const LsTarget   *target;
  const LsSettings *settings;
  const char       *compiler;      /* whose code gives the values, */
  const char       *flags;         /* and its flags besides the fixed ones; NULL: the defaults */
  const char       *timer;         /* whose code is timed, with which flags; NULL: the same */
  const char       *timer_flags;
  const char       *quick;         /* whose code gives the values of a kernel that takes long without optimization, with which flags; NULL:
                                    * the same */
  const char       *quick_flags;
  gboolean          lines;         /* which line of source code came from is wanted */
  LsLaunchText     *own;           /* the kernel in the language of a compiler that does not read the target's: filled when it is needed,
                                    * cleared by the caller; NULL: it is not kept */
  const LsRendered *rendered;      /* the kernel's text with its lines, or NULL: the kernel itself has them */
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
/* The same for a compiler that may read another language than the target's: the kernel is written in that, from its list. NULL and
 * LS_ERROR_COMPILE: that language cannot express something. Free with g_free. */
char    *ls_launch_text      (LsContext *ctx, const char *name, const LsTarget *target, const LsSettings *settings,
                              const LsCompiler *compiler, const char *source, const GPtrArray *list, GError **error);
/* About how long the code of a compiler that does not optimize takes for one launch, in nanoseconds. */
double   ls_launch_plain_ns  (const GPtrArray *list);
/* A function ls_nothing, of one pointer, that does nothing, in the compiler's language. */
const char *ls_launch_nothing (const LsCompiler *compiler);
