/* Recomputes contents of buffers: a kernel's text, made again from the recorded graph, must compute the recorded result from the
 * kernel's inputs.
 *
 * Only texts that were made again and equal the recorded ones run, in the runner's process, with a compiler and flags that this program
 * would choose itself: a recording must not control the machine. Contents that the recording keeps are compared byte by byte, others by
 * their digest and statistics. A kernel's inputs are recorded contents, or results computed before, which are released after their last
 * reader has run. Where results of the same text may be others (another machine, compiler, version, C library), those that are others
 * are not judged.
 */
#include "verify.h"

#include "kernel-bounds.h"
#include "pipeline/launch.h"
#include "run/measure.h"

#include <string.h>

#define MOST_BYTES ((guint64) 2 << 30)                   /* of buffers that are held at a time */
#define MOST_US    (60 * (gint64) G_TIME_SPAN_SECOND)      /* over all kernels */

typedef struct {
  LsTrace    *trace;
  LsVerify   *v;
  LsRunner   *runner;
  guint      *writer;          /* by buffer: the kernel that writes it, 0: none, or more than one */
  guint      *last_reader;     /* by buffer: the last kernel that runs and reads it */
  gboolean   *runs;            /* by kernel: it is computed again */
  LsBuffer  **held;            /* by buffer: results that are still to be read */
  guint64     held_bytes;
  gint64      deadline;
} Contents;

static guint
buffer_at (const Contents *c, const LsKernel *k, guint i)
{
  guint id = g_array_index (k->buffers, guint, i);
  return id < c->trace->buffers->len ? id : G_MAXUINT;
}

static const LsTraceBuffer *
buffer_of (const Contents *c, guint id)
{
  return c->trace->buffers->pdata[id];
}

static gsize
size_of (const LsTraceBuffer *b)
{
  return (gsize) b->n_elements * ls_dtype_itemsize (ls_dtype_strong (b->dtype));
}

static gboolean
is_kept (const LsTraceBuffer *b)
{
  return b->data && b->n_data == size_of (b);
}

/* A recording of a program that was only compiled has no results. */
static gboolean
has_run (const LsKernel *k)
{
  return !k->run_error && (k->run_ns->len || k->code || *k->compiler_version);
}

/* The flags that the values' compiler is given again. FALSE: why has the reason. */
static gboolean
flags_of (const LsKernel *k, char **flags, char **why)
{
  const LsCompiler *compiler = ls_compiler_find (k->values_compiler);
  gboolean own = g_strcmp0 (k->compiler, k->values_compiler) == 0;      /* of the other one the flags are not recorded */
  *flags = *why = NULL;
  if (!compiler || !ls_compiler_available (compiler->name, why)) {
    if (!*why)
      *why = g_strdup_printf ("there is no compiler '%s'", k->values_compiler);
    return FALSE;
  }
  if (!compiler->optimizes || !own || !*k->flags)
    return TRUE;
  for (guint native = 0; native < 2 && !*flags; native++) {
    g_autofree char *known = ls_compiler_options (compiler, native, NULL);
    if (strcmp (known, k->flags) == 0)
      *flags = g_steal_pointer (&known);
  }
  if (!*flags)
    *why = g_strdup_printf ("%s was given %s, and flags from a recording are not passed to a compiler", compiler->name, k->flags);
  return *flags != NULL;
}

/* Why the same text may give another result here than in the run, or NULL: it may not. Free with g_free. */
static char *
why_apart (const Contents *c, const LsKernel *k, const char *version)
{
  g_autofree char *machine = ls_machine_name ();
  gboolean own = g_strcmp0 (k->compiler, k->values_compiler) == 0,
           program = ls_compiler_find (k->values_compiler)->how == LS_COMPILER_PROGRAM;
  if (g_strcmp0 (machine, c->trace->machine) != 0)
    return g_strdup_printf ("the run was on %s, this is %s", c->trace->machine ? c->trace->machine : "an unknown machine", machine);
  if (g_strcmp0 (ls_c_library (), c->trace->c_library) != 0)
    return g_strdup_printf ("the run used %s, this is %s", c->trace->c_library ? c->trace->c_library : "an unknown C library",
                            ls_c_library ());
  if (own ? strcmp (version, k->compiler_version) != 0 : program)
    return g_strdup_printf ("the run's %s was %s, this is %s", k->values_compiler, own ? k->compiler_version : "an unknown version",
                            *version ? version : "an unknown version");
  return NULL;
}

/* --- kernels to run --- */

/* A kernel's results are recomputed if one is recorded and cheap, if one's digest is recorded, or if such a kernel reads one. */
static void
plan (Contents *c)
{
  guint n = c->trace->buffers->len;
  g_autofree gboolean *needed = g_new0 (gboolean, n + 1), *twice = g_new0 (gboolean, n + 1);
  for (guint number = 1; number <= c->trace->kernels->len; number++) {
    const LsKernel *k = ls_trace_kernel (c->trace, number);
    for (guint i = 0; i < ls_kernel_n_outputs (k); i++) {
      guint id = buffer_at (c, k, i);
      if (id == G_MAXUINT)
        continue;
      twice[id] |= c->writer[id] > 0;
      c->writer[id] = number;
    }
  }
  for (guint id = 0; id < n; id++)
    if (twice[id])
      c->writer[id] = 0;
  for (guint number = c->trace->kernels->len; number > 0; number--) {
    const LsKernel *k = ls_trace_kernel (c->trace, number);
    const LsCompiler *compiler = ls_compiler_find (k->values_compiler);
    gboolean cheap = compiler && compiler->how != LS_COMPILER_PROGRAM && k->flops + k->bytes < 1e6;
    for (guint i = 0; i < ls_kernel_n_outputs (k) && has_run (k); i++) {
      guint id = buffer_at (c, k, i);
      const LsTraceBuffer *b = id == G_MAXUINT ? NULL : buffer_of (c, id);
      c->runs[number] |= b && c->writer[id] == number && (needed[id] || b->digest || (is_kept (b) && cheap));
    }
    for (guint i = ls_kernel_n_outputs (k); c->runs[number] && i < k->buffers->len; i++) {
      guint in = buffer_at (c, k, i);
      if (in == G_MAXUINT)
        continue;
      needed[in] |= !is_kept (buffer_of (c, in));
      c->last_reader[in] = MAX (c->last_reader[in], number);
    }
  }
}

/* --- one kernel --- */

static void
release (Contents *c, LsBuffer *b)
{
  if (!b)
    return;
  c->held_bytes -= b->nbytes;
  ls_runner_buffer_free (c->runner, b);
}

static LsBuffer *
new_buffer (Contents *c, guint id, char **why)
{
  const LsTraceBuffer *b = buffer_of (c, id);
  g_autoptr (GError) error = NULL;
  if (c->held_bytes + size_of (b) > MOST_BYTES) {
    *why = g_strdup_printf ("more than %" G_GUINT64_FORMAT " MiB of buffers would be needed at once", MOST_BYTES >> 20);
    return NULL;
  }
  LsBuffer *made = ls_runner_buffer_new (c->runner, id, ls_dtype_strong (b->dtype), b->n_elements, &error);
  if (!made)
    *why = g_strdup (error->message);
  else
    c->held_bytes += made->nbytes;
  return made;
}

/* The contents of the kernel's input: computed before, or recorded. own: the caller releases it after the launch. */
static LsBuffer *
input_of (Contents *c, guint id, gboolean *own, char **why)
{
  const LsTraceBuffer *b = id == G_MAXUINT ? NULL : buffer_of (c, id);
  *own = FALSE;
  if (b && c->held[id])
    return c->held[id];
  if (!b || !is_kept (b)) {
    *why = id == G_MAXUINT ? g_strdup ("it reads a buffer that is not recorded") :
           c->writer[id] ? g_strdup_printf ("it reads buffer %u, which could not be recomputed", id) :
                           g_strdup_printf ("it reads buffer %u, whose contents were not kept (run --keep-buffers keeps them)", id);
    return NULL;
  }
  LsBuffer *made = new_buffer (c, id, why);
  *own = made != NULL;
  if (made)
    memcpy (made->data, b->data, b->n_data);
  return made;
}

/* Runs it on its buffers. FALSE: why has the reason. */
static gboolean
launch (Contents *c, const LsKernel *k, guint n, LsBuffer *const *all, LsLaunchResult *result, char **why)
{
  const LsTarget *target = ls_target_find (k->target);
  g_autofree char *flags = NULL;
  gint64 left = (c->deadline - g_get_monotonic_time ()) / 1000;
  if (ls_kernel_by_hand (k) || !target || !k->source) {
    *why = g_strdup ("its code is hand-written");
    return FALSE;
  }
  if (left <= 0) {
    *why = g_strdup_printf ("the kernels before it used up the time limit of %d s", (int) (MOST_US / G_TIME_SPAN_SECOND));
    return FALSE;
  }
  if (!flags_of (k, &flags, why))
    return FALSE;
  LsSettings settings;
  g_auto (GStrv) changed = g_strsplit (k->settings ? k->settings : "", ",", -1);
  ls_trace_settings (c->trace, &settings);
  for (char **one = changed; *one; one++)
    ls_settings_set (&settings, *one, NULL);
  const LsCompiler *compiler = ls_compiler_find (k->values_compiler);
  g_autoptr (GPtrArray) list = ls_kernel_list (c->trace, k);
  g_autofree LsBuffer **buffers = g_memdup2 (all, n * sizeof *all);
  g_autoptr (GError) error = NULL;
  /* anybody may have written the graph */
  if (compiler->how != LS_COMPILER_INTERPRETER && !ls_kernel_stays_inside (c->trace->ctx, list, n, buffers, &error)) {
    *why = g_strdup (error->message);
    return FALSE;
  }
  g_autoptr (LsContext) scratch = ls_context_new_over (c->trace->ctx);
  g_autofree char *source = ls_launch_text (scratch, k->name, target, &settings, compiler, k->source, list, &error);
  if (!source) {
    *why = g_strdup (error->message);
    return FALSE;
  }
  for (guint i = 0; i < ls_kernel_n_outputs (k); i++)      /* asking that may have executed it */
    memset (all[i]->data, 0, all[i]->nbytes);
  LsLaunch how = {
    .compiler = compiler->name, .name = k->name, .source = source, .n_uops = list->len, .uops = (LsUOp **) list->pdata, .buffers = buffers,
                .threads = ls_launch_threads (list), .flags = flags,
    .n_buffers = compiler->how == LS_COMPILER_INTERPRETER ? n : ls_launch_keep_used (list, n, buffers),
    .timeout_ms = (guint) MIN (left, settings.TIMEOUT_MS > 0 ? settings.TIMEOUT_MS : G_MAXUINT16),
  };
  if (ls_runner_launch (c->runner, &how, result, &error))
    return TRUE;
  *why = g_strdup (error->message);
  return FALSE;
}

/* Compares the kernel's result with the recorded buffer. */
static void
compare (Contents *c, const LsKernel *k, const LsBuffer *now, const char *version)
{
  const LsTraceBuffer *then = buffer_of (c, now->id);
  g_autofree char *digest = is_kept (then) ? NULL : g_compute_checksum_for_data (G_CHECKSUM_SHA256, now->data, now->nbytes);
  gboolean same = digest ? g_strcmp0 (then->digest, digest) == 0 : memcmp (then->data, now->data, now->nbytes) == 0;
  if (same) {
    c->v->recomputed++;
    if (digest) {
      c->v->by_digest++;
      ls_verify_statistics (c->v, then, now->data);
    }
    return;
  }
  g_autofree char *apart = why_apart (c, k, version);
  if (apart)
    ls_verify_unjudged (c->v, digest ? "digest of buffer %u differs from the result of kernel %u (%s) here, but %s"
                                     : "contents of buffer %u differ from the result of kernel %u (%s) here, but %s", now->id, k->number,
                        k->name, apart);
  else
    ls_verify_differs (c->v, digest ? "buffer %u: its digest is not that of the result of kernel %u (%s) on its inputs"
                                    : "buffer %u: its contents are not the result of kernel %u (%s) on its inputs", now->id, k->number,
                       k->name);
}

/* A result is compared with the recorded one, and held for later kernels if that was not kept. ok: it was computed. */
static void
look_at_result (Contents *c, const LsKernel *k, LsBuffer *made, guint id, gboolean ok, const char *version, const char *why)
{
  const LsTraceBuffer *then = buffer_of (c, id);
  gboolean own = c->writer[id] == k->number;
  if (ok && own && (is_kept (then) || then->digest))
    compare (c, k, made, version);
  else if (!ok && own && then->digest && !is_kept (then))
    ls_verify_unjudged (c->v, "digest of buffer %u: kernel %u (%s), which wrote it, was not re-executed: %s", id, k->number, k->name, why);
  if (ok && !is_kept (then) && c->last_reader[id] > k->number)
    c->held[id] = made;
  else
    release (c, made);
}

static void
compute (Contents *c, const LsKernel *k)
{
  guint n = k->buffers->len, n_outputs = ls_kernel_n_outputs (k);
  g_autofree LsBuffer **buffers = g_new0 (LsBuffer *, n);
  g_autofree gboolean *own = g_new0 (gboolean, n);
  g_autofree char *why = NULL;
  LsLaunchResult result = { 0 };
  gboolean ok = TRUE;
  for (guint i = 0; i < n && ok; i++) {
    guint id = buffer_at (c, k, i);
    if (i >= n_outputs)
      buffers[i] = input_of (c, id, &own[i], &why);
    else if (id != G_MAXUINT)
      buffers[i] = new_buffer (c, id, &why);
    else
      why = g_strdup ("it writes a buffer that is not recorded");
    ok = buffers[i] != NULL;
  }
  ok = ok && launch (c, k, n, buffers, &result, &why);
  for (guint i = 0; i < n_outputs; i++)
    if (buffer_at (c, k, i) != G_MAXUINT)
      look_at_result (c, k, buffers[i], buffer_at (c, k, i), ok, result.version, why);
  for (guint i = n_outputs; i < n; i++) {
    guint in = buffer_at (c, k, i);
    if (own[i]) {
      release (c, buffers[i]);
    } else if (in != G_MAXUINT && c->last_reader[in] == k->number) {
      release (c, c->held[in]);
      c->held[in] = NULL;
    }
  }
  ls_launch_result_clear (&result);
}

void
ls_verify_contents (LsTrace *trace, LsVerify *v)
{
  guint n = trace->buffers->len;
  g_autofree guint *writer = g_new0 (guint, n + 1), *last_reader = g_new0 (guint, n + 1);
  g_autofree gboolean *runs = g_new0 (gboolean, trace->kernels->len + 1);
  g_autofree LsBuffer **held = g_new0 (LsBuffer *, n + 1);
  g_autoptr (LsRunner) runner = ls_runner_new ();
  Contents c = { trace, v, runner, writer, last_reader, runs, held, 0, g_get_monotonic_time () + MOST_US };
  plan (&c);
  for (guint number = 1; number <= trace->kernels->len; number++)
    if (runs[number])
      compute (&c, ls_trace_kernel (trace, number));
}
