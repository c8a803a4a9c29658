/* LsRunner: buffers in shared memory, and launches.
 *
 * A launch is one exchange with the runner process: source and buffer offsets go out, the compiler's answer and the times come back.
 * A process that is gone when a launch begins is replaced without a word; one that goes while the kernel runs is the kernel's
 * doing and is reported. Buffers are in the memory of neither: they survive.
 *
 * A runner is used by one thread at a time, and by the process that made it: a child of a fork has the same memory and the same socket
 * until ls_runner_forked gives it its own. Before that a launch there would write into its parent's buffers, and is an error.
 */
#include "run.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "arena-private.h"
#include "cache.h"
#include "fault.h"
#include "interp-private.h"
#include "llvm-library.h"
#include "process-private.h"

#define COMPILE_LIMIT_S 120
#define MOST_AHEAD      16      /* processes that compile side by side */
#ifdef __x86_64__
#define LLVM_RUNS_HERE TRUE
#else
#define LLVM_RUNS_HERE FALSE
#endif

struct _LsRunner {
  pid_t       pid;           /* of the process that may use it */
  LsArena    *arena;         /* NULL before the first buffer */
  GHashTable *buffers;       /* LsBuffer, as a set */
  struct {
    LsProcess *process;      /* NULL: none is running */
    guint      n_launches;   /* of this process */
  } of[2];                   /* lazyscope-runner, lazyscope-runner-llvm */
  char       *directory;     /* for the installed compilers' files; NULL before the first of them */
  struct {
    LsProcess *process[2];   /* as in of */
    char      *directory;
  } ahead[MOST_AHEAD];       /* that compile only */
};

LsRunner *
ls_runner_new (void)
{
  LsRunner *runner = g_new0 (LsRunner, 1);
  runner->pid = getpid ();
  runner->buffers = g_hash_table_new_full (NULL, NULL, g_free, NULL);
  return runner;
}

static void
remove_directory (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  for (const char *name; dir && (name = g_dir_read_name (dir));) {
    g_autofree char *file = g_build_filename (path, name, NULL);
    g_unlink (file);
  }
  g_rmdir (path);
}

static void
free_ahead (LsRunner *runner, guint k, gboolean own)
{
  for (guint i = 0; i < G_N_ELEMENTS (runner->of); i++)
    g_clear_pointer (&runner->ahead[k].process[i], own ? ls_process_free : ls_process_leave);
  if (own && runner->ahead[k].directory)
    remove_directory (runner->ahead[k].directory);
  g_clear_pointer (&runner->ahead[k].directory, g_free);
}

void
ls_runner_free (LsRunner *runner)
{
  gboolean own = runner->pid == getpid ();      /* else its processes and files are the parent's */
  for (guint k = 0; k < G_N_ELEMENTS (runner->of); k++)
    g_clear_pointer (&runner->of[k].process, own ? ls_process_free : ls_process_leave);
  for (guint k = 0; k < MOST_AHEAD; k++)
    free_ahead (runner, k, own);
  g_hash_table_unref (runner->buffers);
  g_clear_pointer (&runner->arena, ls_arena_free);
  if (own && runner->directory)
    remove_directory (runner->directory);
  g_free (runner->directory);
  g_free (runner);
}

gboolean
ls_runner_forked (LsRunner *runner, GError **error)
{
  for (guint k = 0; k < G_N_ELEMENTS (runner->of); k++)
    g_clear_pointer (&runner->of[k].process, ls_process_leave);
  for (guint k = 0; k < MOST_AHEAD; k++)
    free_ahead (runner, k, FALSE);
  g_clear_pointer (&runner->directory, g_free);
  if (runner->arena && !ls_arena_copy (runner->arena, error))
    return FALSE;
  runner->pid = getpid ();
  return TRUE;
}

static gboolean
ensure_arena (LsRunner *runner, GError **error)
{
  if (runner->arena == NULL)
    runner->arena = ls_arena_new (error);
  return runner->arena != NULL;
}

LsBuffer *
ls_runner_buffer_new (LsRunner *runner, guint id, LsDType dtype, guint64 n, GError **error)
{
  guint64 item = (guint64) ls_dtype_itemsize (dtype) * ls_dtype_lanes (dtype), nbytes = 0, offset = 0;
  if (!g_uint64_checked_mul (&nbytes, n, item)) {
    g_set_error (error, LS_ERROR, LS_ERROR_RUN, "a buffer of %" G_GUINT64_FORMAT " elements of %" G_GUINT64_FORMAT " bytes is too large", n,
                 item);
    return NULL;
  }
  if (!ensure_arena (runner, error) || !ls_arena_alloc (runner->arena, nbytes, &offset, error))
    return NULL;
  LsBuffer *buffer = g_new0 (LsBuffer, 1);
  *buffer = (LsBuffer) { .id = id, .dtype = dtype, .n = n, .nbytes = nbytes, .data = runner->arena->base + offset, .offset = offset };
  g_hash_table_add (runner->buffers, buffer);
  return buffer;
}

void
ls_runner_buffer_free (LsRunner *runner, LsBuffer *buffer)
{
  g_return_if_fail (g_hash_table_contains (runner->buffers, buffer));
  ls_arena_release (runner->arena, buffer->offset, buffer->nbytes);
  g_hash_table_remove (runner->buffers, buffer);
}

void
ls_runner_free_buffers (LsRunner *runner)
{
  GHashTableIter iter;
  gpointer buffer;
  g_hash_table_iter_init (&iter, runner->buffers);
  while (g_hash_table_iter_next (&iter, &buffer, NULL)) {
    ls_arena_release (runner->arena, ((LsBuffer *) buffer)->offset, ((LsBuffer *) buffer)->nbytes);
    g_hash_table_iter_remove (&iter);
  }
}

void
ls_launch_result_clear (LsLaunchResult *result)
{
  g_free (result->message);
  g_free (result->version);
  g_free (result->run_ns);
  g_free (result->code);
  g_clear_pointer (&result->lines, g_array_unref);
  memset (result, 0, sizeof *result);
}

/* "10 s", "300 ms" */
static char *
limit_text (guint ms)
{
  return ms % 1000 == 0 ? g_strdup_printf ("%u s", ms / 1000) : g_strdup_printf ("%u ms", ms);
}

static void
set_timeout_error (const LsLaunch *launch, GError **error)
{
  g_autofree char *limit = limit_text (launch->timeout_ms);
  g_set_error (error, LS_FAULT, LS_FAULT_TIME, "kernel %s ran past its limit of %s (--set TIMEOUT_MS=N allows more)", launch->name, limit);
}

static gint64
deadline_of (const LsLaunch *launch)
{
  return launch->timeout_ms ? g_get_monotonic_time () + (gint64) launch->timeout_ms * 1000 : G_MAXINT64;
}

static gboolean
launch_interp (const LsLaunch *launch, LsLaunchResult *result, GError **error)
{
  LsInterpHow how = { .deadline = deadline_of (launch) };
  guint repeats = MAX (launch->repeats, 1), batch = MAX (launch->batch, 1);
  g_autoptr (LsInterp) interp = ls_interp_new (launch->n_uops, launch->uops, launch->n_buffers, launch->buffers, error);
  if (interp == NULL) {
    g_prefix_error (error, "kernel %s: ", launch->name);
    return FALSE;
  }
  result->run_ns = g_new0 (guint64, repeats);
  for (guint k = 0; k < repeats; k++) {
    gint64 begin = g_get_monotonic_time ();
    for (guint b = 0; b < batch; b++)
      switch (ls_interp_execute (interp, &how, error)) {
      case LS_INTERP_DONE:
        break;
      case LS_INTERP_DEADLINE:
        set_timeout_error (launch, error);
        return FALSE;
      default:
        g_prefix_error (error, "kernel %s: ", launch->name);
        return FALSE;
      }
    result->run_ns[result->n_runs++] = (guint64) (g_get_monotonic_time () - begin) * 1000;
  }
  return TRUE;
}

static gboolean
ensure_directory (char **directory, GError **error)
{
  g_autoptr (GError) local = NULL;
  if (*directory == NULL || !g_file_test (*directory, G_FILE_TEST_IS_DIR)) {
    g_free (*directory);
    *directory = g_dir_make_tmp ("lazyscope-XXXXXX", &local);
  }
  if (*directory == NULL)
    g_set_error (error, LS_ERROR, LS_ERROR_COMPILE, "no directory for the compiler's files: %s", local->message);
  return *directory != NULL;
}

gboolean
ls_compiler_available (const char *name, char **why_not)
{
  const LsCompiler *compiler = ls_compiler_find (name);
  char *why = NULL;
  if (!compiler) {
    g_autofree char *known = ls_compiler_list (NULL, ", ");
    why = g_strdup_printf ("there is no compiler \"%s\"; known are %s", name, known);
  } else if (compiler->how != LS_COMPILER_INTERPRETER) {
    gboolean loaded = compiler->how == LS_COMPILER_LOADED;
    g_autofree char *runner = ls_process_find_runner (loaded);
    g_autofree char *program = compiler->how == LS_COMPILER_PROGRAM ? g_find_program_in_path (name) : NULL;
    if (!runner && loaded)
      why = g_strdup ("lazyscope-runner-llvm, which runs LLVM's kernels, is not installed");
    else if (!runner)
      why = g_strdup ("lazyscope-runner, which runs compiled kernels, is not installed");
    else if (loaded && !LLVM_RUNS_HERE)
      why = g_strdup ("code of LLVM's library is loaded on x86-64 only");
    else if (loaded && !ls_llvm_library ())
      why = g_strdup_printf ("libLLVM (version %d to %d) is not installed", LS_LLVM_OLDEST, LS_LLVM_NEWEST);
    else if (!program && compiler->how == LS_COMPILER_PROGRAM)
      why = g_strdup_printf ("%s is not installed", name);
  }
  gboolean available = why == NULL;
  if (why_not)
    *why_not = g_steal_pointer (&why);
  g_free (why);
  return available;
}

const LsCompiler *
ls_compiler_for_times (const char *target)
{
  for (const LsCompiler *c = ls_compilers; c->name; c++)
    if (c->optimizes && ls_compiler_takes (c, target) && ls_compiler_available (c->name, NULL))
      return c;
  return ls_compiler_default (target);
}

const LsCompiler *
ls_compiler_for_text (const char *target)
{
  for (const LsCompiler *c = ls_compilers; c->name; c++)
    if (c->optimizes && ls_compiler_reads (c, target) && ls_compiler_available (c->name, NULL))
      return c;
  return ls_compiler_default (target);
}

static GByteArray *
launch_payload (const LsLaunch *launch, const char *directory, gboolean only_compiles)
{
  GByteArray *payload = g_byte_array_new ();
  LsMessageLaunch head = { launch->n_buffers, MAX (launch->repeats, 1), MAX (launch->batch, 1), launch->lines, launch->warm_ups,
                           launch->cold, launch->copy, launch->threads, launch->n_touched, only_compiles };
  g_byte_array_append (payload, (const guint8 *) &head, sizeof head);
  for (guint k = 0; k < launch->n_buffers; k++)
    g_byte_array_append (payload, (const guint8 *) &launch->buffers[k]->offset, sizeof (guint64));
  for (guint k = 0; k < launch->n_buffers; k++) {
    guint64 nbytes = launch->buffers[k]->nbytes;
    g_byte_array_append (payload, (const guint8 *) &nbytes, sizeof nbytes);
  }
  g_byte_array_append (payload, (const guint8 *) launch->touched, launch->n_touched * (guint) sizeof (LsTouch));
  const char *strings[] = { launch->compiler, launch->flags ? launch->flags : "-O2", directory ? directory : "",
                            launch->name, launch->source };
  for (guint k = 0; k < G_N_ELEMENTS (strings); k++)
    g_byte_array_append (payload, (const guint8 *) strings[k], (guint) strlen (strings[k]) + 1);
  return payload;
}

/* NULL when they are not in order or not within the code. */
static GArray *
take_lines (const guint8 *bytes, guint n, guint n_code)
{
  GArray *lines = g_array_sized_new (FALSE, FALSE, sizeof (LsCodeLine), n);
  for (guint k = 0; k < n; k++) {
    LsProtocolLine from;
    memcpy (&from, bytes + k * sizeof from, sizeof from);
    LsCodeLine line = { from.offset, from.line };
    if (line.offset >= n_code || (k > 0 && line.offset <= g_array_index (lines, LsCodeLine, k - 1).offset)) {
      g_array_unref (lines);
      return NULL;
    }
    g_array_append_val (lines, line);
  }
  return lines;
}

/* The compiler's output, into result. FALSE if the bytes are invalid. */
static gboolean
take_compiled (const GByteArray *bytes, LsLaunchResult *result)
{
  LsMessageCompiled compiled;
  if (bytes->len < sizeof compiled)
    return FALSE;
  memcpy (&compiled, bytes->data, sizeof compiled);
  if (compiled.n_message == 0 || compiled.n_version == 0 || (guint64) compiled.n_message + compiled.n_version + compiled.n_code
      + (guint64) compiled.n_lines * sizeof (LsProtocolLine) != bytes->len - sizeof compiled)
    return FALSE;
  const guint8 *at = bytes->data + sizeof compiled;
  result->message = g_utf8_make_valid ((const char *) at, compiled.n_message - 1);
  at += compiled.n_message;
  result->version = g_utf8_make_valid ((const char *) at, compiled.n_version - 1);
  at += compiled.n_version;
  result->compile_ms = (double) compiled.ns / 1e6;
  result->compile_failed = !compiled.ok;
  result->n_static = compiled.n_static;
  if (compiled.n_code) {
    result->code = g_memdup2 (at, compiled.n_code);
    result->n_code = compiled.n_code;
    result->code_address = compiled.address;
    if (compiled.n_lines)
      result->lines = take_lines (at + compiled.n_code, compiled.n_lines, compiled.n_code);
  }
  return TRUE;
}

static gboolean
take_times (const GByteArray *bytes, LsLaunchResult *result)
{
  LsMessageRan ran;
  if (bytes->len < sizeof ran)
    return FALSE;
  memcpy (&ran, bytes->data, sizeof ran);
  if ((guint64) ran.n * sizeof (guint64) != bytes->len - sizeof ran)
    return FALSE;
  result->run_ns = g_memdup2 (bytes->data + sizeof ran, ran.n * sizeof (guint64));
  result->n_runs = ran.n;
  return TRUE;
}

static void
start_process (LsRunner *runner, gboolean llvm, GError **error)
{
  runner->of[llvm].process = ls_process_new (llvm, runner->arena->fd, runner->arena->reserved, error);
  runner->of[llvm].n_launches = 0;
}

void
ls_runner_prepare (LsRunner *runner, gboolean process)
{
  if (ensure_arena (runner, NULL) && process && !runner->of[0].process)
    start_process (runner, FALSE, NULL);
}

/* Sends the launch and takes the compiler's answer, with a new process when the one there was had ended (or an earlier kernel broke it). */
static LsReply
compile_in_process (LsRunner *runner, gboolean llvm, const LsLaunch *launch, const GByteArray *payload, GByteArray **answer,
                    GError **error)
{
  LsProcess **process = &runner->of[llvm].process;
  for (;;) {
    if (*process && !ls_process_alive (*process))
      g_clear_pointer (process, ls_process_free);
    if (*process == NULL)
      start_process (runner, llvm, error);
    if (*process && !ls_process_wait_ready (*process, error))
      g_clear_pointer (process, ls_process_free);
    if (*process == NULL)
      return LS_REPLY_GONE;
    gboolean fresh = runner->of[llvm].n_launches++ == 0;
    LsReply reply = LS_REPLY_GONE;
    if (ls_process_send (*process, LS_MESSAGE_LAUNCH, payload))
      reply = ls_process_receive (*process, LS_MESSAGE_COMPILED, g_get_monotonic_time () + COMPILE_LIMIT_S * G_TIME_SPAN_SECOND,
                                  answer);
    if (reply == LS_REPLY_OK)
      return reply;
    g_autofree char *end = reply != LS_REPLY_TIMEOUT ? ls_process_end (*process) : NULL;
    g_clear_pointer (process, ls_process_free);
    if (reply == LS_REPLY_GONE && !fresh)
      continue;
    if (reply == LS_REPLY_TIMEOUT)
      g_set_error (error, LS_ERROR, LS_ERROR_COMPILE, "%s did not compile kernel %s within %d s", launch->compiler, launch->name,
                   COMPILE_LIMIT_S);
    else
      g_set_error (error, LS_ERROR, LS_ERROR_COMPILE, "%s, compiling kernel %s, %s", launch->compiler, launch->name, end);
    return reply;
  }
}

/* --- compiled side by side --- */

typedef struct { LsRunner *runner; guint n; const LsLaunch *launches; double *compile_ms; gint next, next_process; } Ahead;

/* FALSE: the process is of no use any more. */
static gboolean
compile_one (Ahead *a, guint at, LsProcess **process, gboolean llvm, const char *directory)
{
  const LsLaunch *launch = &a->launches[at];
  g_autoptr (GByteArray) payload = launch_payload (launch, directory, TRUE), answer = NULL;
  LsLaunchResult result = { 0 };
  if (*process == NULL)
    *process = ls_process_new (llvm, a->runner->arena->fd, a->runner->arena->reserved, NULL);
  gboolean ok = *process && ls_process_wait_ready (*process, NULL) && ls_process_send (*process, LS_MESSAGE_LAUNCH, payload) &&
                ls_process_receive (*process, LS_MESSAGE_COMPILED, g_get_monotonic_time () + COMPILE_LIMIT_S * G_TIME_SPAN_SECOND, &answer)
                == LS_REPLY_OK && take_compiled (answer, &result);
  if (ok)
    a->compile_ms[at] = result.compile_ms;
  ls_launch_result_clear (&result);
  return ok;
}

static gpointer
compile_some (gpointer data)
{
  Ahead *a = data;
  guint k = (guint) g_atomic_int_add (&a->next_process, 1), at;
  while ((at = (guint) g_atomic_int_add (&a->next, 1)) < a->n) {
    LsCompilerHow how = ls_compiler_find (a->launches[at].compiler)->how;
    gboolean llvm = how == LS_COMPILER_LOADED;
    LsProcess **process = &a->runner->ahead[k].process[llvm];
    if (how == LS_COMPILER_PROGRAM && !ensure_directory (&a->runner->ahead[k].directory, NULL))
      return NULL;
    if (how != LS_COMPILER_INTERPRETER && how != LS_COMPILER_LIBRARY &&
        !compile_one (a, at, process, llvm, how == LS_COMPILER_PROGRAM ? a->runner->ahead[k].directory : NULL))
      g_clear_pointer (process, ls_process_free);
  }
  return NULL;
}

void
ls_runner_compile (LsRunner *runner, guint n, const LsLaunch *launches, double *compile_ms)
{
  static const LsCacheKind kind = { .folder = "code" };
  g_autofree char *folder = ls_cache_folder (&kind);
  guint n_processes = MIN (MIN (g_get_num_processors (), MOST_AHEAD), n);
  GThread *threads[MOST_AHEAD];
  Ahead a = { runner, n, launches, compile_ms };
  for (guint k = 0; k < n; k++)
    compile_ms[k] = NAN;
  if (!folder || n_processes < 2 || runner->pid != getpid () || !ensure_arena (runner, NULL))
    return;
  for (guint k = 0; k < n_processes; k++)
    threads[k] = g_thread_new ("compile", compile_some, &a);
  for (guint k = 0; k < n_processes; k++)
    g_thread_join (threads[k]);
}

static gboolean
launch_compiled (LsRunner *runner, const LsLaunch *launch, LsLaunchResult *result, GError **error)
{
  g_autofree char *why_not = NULL;
  if (!ls_compiler_available (launch->compiler, &why_not)) {
    g_set_error_literal (error, LS_ERROR, LS_ERROR_COMPILE, why_not);
    return FALSE;
  }
  if (launch->threads > LS_MOST_THREADS) {
    g_set_error (error, LS_ERROR, LS_ERROR_RUN, "kernel %s needs %u threads; the maximum is %u", launch->name, launch->threads,
                 LS_MOST_THREADS);
    return FALSE;
  }
  LsCompilerHow kind = ls_compiler_find (launch->compiler)->how;
  gboolean needs_files = kind == LS_COMPILER_PROGRAM, llvm = launch->beside_llvm || kind == LS_COMPILER_LOADED;
  if (!ensure_arena (runner, error) || (needs_files && !ensure_directory (&runner->directory, error)))
    return FALSE;

  LsProcess **process = &runner->of[llvm].process;
  g_autoptr (GByteArray) payload = launch_payload (launch, runner->directory, FALSE);
  g_autoptr (GByteArray) answer = NULL;
  g_autoptr (GByteArray) times = NULL;
  if (compile_in_process (runner, llvm, launch, payload, &answer, error) != LS_REPLY_OK)
    return FALSE;
  gboolean understood = take_compiled (answer, result);
  if (understood && result->compile_failed) {
    g_set_error (error, LS_ERROR, LS_ERROR_COMPILE, "%s refused kernel %s: %s", launch->compiler, launch->name, result->message);
    return FALSE;
  }
  LsReply reply = understood ? ls_process_receive (*process, LS_MESSAGE_RAN, deadline_of (launch), &times) : LS_REPLY_GONE;
  if (reply == LS_REPLY_OK && take_times (times, result))
    return TRUE;
  if (reply == LS_REPLY_TIMEOUT)
    set_timeout_error (launch, error);
  else {
    g_autofree char *end = ls_process_end (*process);
    g_set_error (error, LS_ERROR, LS_ERROR_RUN, "kernel %s %s", launch->name, end);
    result->divided = ls_process_divided (*process);
  }
  g_clear_pointer (process, ls_process_free);
  return FALSE;
}

gboolean
ls_runner_launch (LsRunner *runner, const LsLaunch *launch, LsLaunchResult *result, GError **error)
{
  memset (result, 0, sizeof *result);
  const LsCompiler *compiler = ls_compiler_find (launch->compiler);
  gboolean ok = FALSE;
  if (runner->pid != getpid ())
    g_set_error (error, LS_ERROR, LS_ERROR_RUN,
                 "kernel %s: process %d was forked from process %d and has no buffers of its own; fork with os.fork", launch->name,
                 (int) getpid (), (int) runner->pid);
  else if (compiler && compiler->how == LS_COMPILER_INTERPRETER)
    ok = launch_interp (launch, result, error);
  else
    ok = launch_compiled (runner, launch, result, error);
  if (result->message == NULL)
    result->message = g_strdup ("");
  if (result->version == NULL)
    result->version = g_strdup ("");
  return ok;
}
