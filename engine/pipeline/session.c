/* One run of one program: from tensor nodes to buffers with numbers in them.
 *
 * ls_session_realize sends the wanted nodes through tensor, schedule, codegen, linearize, procedure, render, compile and run. Nodes with
 * a buffer are replaced by it first, so that a graph that grows over many statements costs only its new nodes. Kernels whose graph (over
 * numbered arguments) was met before use the earlier code.
 *
 * The file is long because a session is one state: its buffers, the code of its kernels by graph and settings, and their data for the
 * recording change together.
 */
#include "session.h"

#include "ir/clock.h"
#include "ir/progress.h"
#include "ir/eval.h"
#include "ir/print.h"
#include "ir/rebuild.h"
#include "ir/sentence.h"
#include "ir/spec.h"
#include "ir/view.h"
#include "launch.h"
#include "text.h"
#include "memory.h"
#include "trace/row-steps.h"
#include "pipeline.h"
#include "run/measure.h"
#include "signature.h"
#include "trace/realizations.h"
#include "variant.h"

#include <math.h>
#include <string.h>

/* A kernel's number, its graph, its linear list and, of one that was written by hand, its function. */
/* own: its text in the language of a compiler that does not read the target's. */
typedef struct { guint number; LsUOp *graph; GPtrArray *list; char *by_hand; LsLaunchText own; } CachedCode;

static void
cached_free (gpointer data)
{
  g_ptr_array_unref (((CachedCode *) data)->list);
  g_free (((CachedCode *) data)->by_hand);
  ls_launch_text_clear (&((CachedCode *) data)->own);
  g_free (data);
}

static GHashTable *
code_cache_of (LsSession *s, const char *differences)
{
  GHashTable *cache = g_hash_table_lookup (s->code_caches, differences);
  if (!cache) {
    cache = g_hash_table_new_full (NULL, NULL, NULL, cached_free);
    g_hash_table_insert (s->code_caches, g_strdup (differences), cache);
  }
  return cache;
}

/* The settings that change code and are not as the run was given them: "NOOPT=1,DEVECTORIZE=0". Free with g_free. */
static char *
settings_differences (const LsSession *s)
{
  GString *text = g_string_new (NULL);
  for (const LsSettingInfo *i = ls_setting_infos; i->name; i++)
    if (i->of_code && G_STRUCT_MEMBER (gint64, &s->settings, i->offset) != G_STRUCT_MEMBER (gint64, &s->given, i->offset)) {
      g_autofree char *one = ls_setting_text (&s->settings, i);
      g_string_append_printf (text, "%s%s", text->len ? "," : "", one);
    }
  return g_string_free (text, FALSE);
}

gboolean
ls_session_change_setting (LsSession *s, const char *name, const char *value, char **before)
{
  /* that programs change by Context */
  static const char *const changing[] = { "DEBUG", "SPEC", "NOOPT", "DEVECTORIZE", "TRANSCENDENTAL", "NOLOCALS", "MEMORY_PLAN",
                                         "LAZYCACHE", NULL };
  if (!g_strv_contains (changing, name))
    return FALSE;
  const LsSettingInfo *info = ls_setting_infos;
  while (strcmp (info->name, name) != 0)
    info++;
  g_autofree char *assignment = value ? g_strdup_printf ("%s=%s", name, value) : ls_setting_text (&s->given, info),
                  *was = ls_setting_text (&s->settings, info);
  if (!ls_settings_set (&s->settings, assignment, NULL))
    return FALSE;
  *before = g_strdup (strchr (was, '=') + 1);
  if (s->settings.MEMORY_PLAN == 0 && strcmp (name, "MEMORY_PLAN") == 0 && ls_memory_how (s->trace).reuse)      /* of the whole run */
    g_ptr_array_add (s->trace->settings, g_strdup (assignment));
  ls_context_check_nodes (s->ctx, s->settings.SPEC >= 2);
  g_autofree char *differences = settings_differences (s);
  s->code_cache = code_cache_of (s, differences);
  return TRUE;
}

void
ls_session_note (LsSession *s, const char *text)
{
  for (guint i = 0; i < s->notes->len; i++)
    if (strcmp (s->notes->pdata[i], text) == 0)
      return;
  g_ptr_array_add (s->notes, g_strdup (text));
}

LsSession *
ls_session_new (const LsSettings *settings, const LsTarget *target, const char *compiler, LsRuleLibrary *library)
{
  LsSession *s = g_new0 (LsSession, 1);
  s->ctx = ls_context_new ();
  s->trace = ls_trace_new (s->ctx);
  ls_context_check_nodes (s->ctx, settings->SPEC >= 2);
  ls_context_keep_digits (s->ctx, ls_settings_profile_info (settings)->digits);
  ls_context_use_library (s->ctx, settings->TRANSCENDENTAL == 0);
  s->recording = TRUE;
  s->settings = s->given = *settings;
  s->target = target;
  s->compiler = compiler;
  s->library = ls_rule_library_ref (library);
  s->runner = ls_runner_new ();
  s->buffers = g_ptr_array_new ();
  s->realized = g_hash_table_new (NULL, NULL);
  s->kept = g_hash_table_new (NULL, NULL);
  s->wholes = g_hash_table_new (NULL, NULL);
  s->freed = g_hash_table_new (NULL, NULL);
  s->parts = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  s->copied = g_hash_table_new (NULL, NULL);
  s->variables = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  s->unbound = g_hash_table_new (NULL, NULL);
  s->told = g_hash_table_new (g_str_hash, g_str_equal);
  s->code_caches = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_hash_table_unref);
  s->code_cache = code_cache_of (s, "");
  s->reuse = ls_pipeline_reuses (settings) ? ls_reuse_new () : NULL;
  s->notes = g_ptr_array_new_with_free_func (g_free);
  s->rendered = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ls_rendered_free);
  s->out = g_string_new (NULL);
  s->execute = TRUE;
  for (const LsSettingInfo *i = ls_setting_infos; i->name; i++)
    g_ptr_array_add (s->trace->settings, ls_setting_text (settings, i));
  return s;
}

void
ls_session_take_library (LsSession *s, LsRuleLibrary *library)
{
  if (s->trace->library)
    ls_trace_set_library (s->trace, library);
  ls_rule_library_unref (s->library);
  s->library = library;
}

void
ls_session_free (LsSession *s)
{
  if (!s)
    return;
  g_hash_table_unref (s->realized);
  g_hash_table_unref (s->kept);
  g_hash_table_unref (s->parts);
  g_hash_table_unref (s->wholes);
  g_hash_table_unref (s->freed);
  g_hash_table_unref (s->copied);
  g_hash_table_unref (s->variables);
  g_hash_table_unref (s->unbound);
  g_hash_table_unref (s->told);
  g_hash_table_unref (s->rendered);
  g_hash_table_unref (s->code_caches);
  ls_reuse_free (s->reuse);
  g_ptr_array_unref (s->notes);
  g_ptr_array_unref (s->buffers);
  g_string_free (s->out, TRUE);
  ls_runner_free (s->runner);
  ls_rule_library_unref (s->library);
  ls_trace_unref (s->trace);
  ls_context_unref (s->ctx);
  g_free (s->folder);
  g_free (s->options);
  g_free (s->c_files);
  g_free (s->schedule_choices);
  g_free (s->flags);
  g_free (s->timer_flags);
  g_free (s->quick_flags);
  g_free (s->record_error);
  g_free (s);
}

static void
stage_time (LsSession *s, const char *stage, guint kernel, guint64 start)
{
  LsStageTime t = { stage, kernel, ls_now_ns () - start };
  g_array_append_val (s->trace->stage_times, t);
}

static LsBuffer *
buffer_get (LsSession *s, LsUOp *node, GError **error)
{
  guint id = (guint) node->arg.ints[0];
  while (s->buffers->len <= id)
    g_ptr_array_add (s->buffers, NULL);
  if (!s->buffers->pdata[id] && g_hash_table_contains (s->freed, GUINT_TO_POINTER (id))) {
    g_set_error (error, LS_ERROR, LS_ERROR_INTERNAL, "buffer %u is read after it was freed", id);
    return NULL;
  }
  if (!s->buffers->pdata[id]) {
    guint64 start = ls_now_ns ();
    LsBuffer *made = s->buffers->pdata[id] = ls_runner_buffer_new (s->runner, id, ls_dtype_strong (node->dtype),
                                                                   (guint64) node->arg.ints[1], error);
    s->buffer_bytes += made ? made->nbytes : 0;
    s->memory_ns += ls_now_ns () - start;
  }
  return s->buffers->pdata[id];
}

static void
note_buffer (LsSession *s, LsUOp *node, const char *role, guint kernel)
{
  LsTrace *t = s->trace;
  guint id = (guint) node->arg.ints[0];
  while (t->buffers->len <= id) {
    LsTraceBuffer *b = g_new0 (LsTraceBuffer, 1);
    b->id = t->buffers->len;
    b->role = "unused";
    b->dtype = LS_VOID;
    b->offset = -1;
    b->min = b->max = b->mean = NAN;      /* not measured */
    g_ptr_array_add (t->buffers, b);
  }
  LsTraceBuffer *b = t->buffers->pdata[id];
  if (b->dtype == LS_VOID) {
    b->dtype = ls_dtype_strong (node->dtype);
    b->n_elements = (guint64) node->arg.ints[1];
    b->role = ls_trace_string (t, role);
    b->first_use = kernel;
  }
  b->last_use = kernel;
}

/* A node for host data: COPY(BUFFER) reshaped. */
static LsUOp *
host_data (gpointer self, LsDType dtype, guint n_dims, const gint64 *dims, const void *data, GError **error)
{
  LsSession *s = self;
  LsShape shape = { n_dims, dims };
  gint64 n = ls_shape_size (shape), arg[2] = { ls_context_next_buffer (s->ctx), n };
  LsUOp *host = ls_uop_new0 (s->ctx, LS_OP_BUFFER, dtype, ls_arg_ints (s->ctx, 2, arg));
  arg[0] = ls_context_next_buffer (s->ctx);
  LsUOp *device = ls_uop_new0 (s->ctx, LS_OP_BUFFER, dtype, ls_arg_ints (s->ctx, 2, arg));
  LsUOp *copy = ls_uop_new1 (s->ctx, LS_OP_COPY, dtype, host, ls_arg_int (n * ls_dtype_itemsize (dtype)));
  LsBuffer *b = buffer_get (s, device, error);
  if (!b)
    return NULL;
  if (n > 0)
    memcpy (b->data, data, b->nbytes);
  note_buffer (s, host, "host", 0);
  note_buffer (s, device, "input", 0);
  g_hash_table_insert (s->realized, GUINT_TO_POINTER (copy->id), device);
  if (n_dims == 1)
    return copy;
  return ls_uop_new1 (s->ctx, LS_OP_RESHAPE, dtype, copy, ls_arg_ints (s->ctx, n_dims, dims));
}

guint64
ls_session_memory (LsSession *s)
{
  return s->buffer_bytes + ls_context_bytes (s->ctx);
}

static gboolean
has_memory (gpointer self, LsUOp *x)
{
  return g_hash_table_contains (((LsSession *) self)->realized, GUINT_TO_POINTER (x->id));
}

static LsUOp *
empty (gpointer self, LsDType dtype, gint64 n, GError **error)
{
  LsSession *s = self;
  gint64 arg[2] = { ls_context_next_buffer (s->ctx), n };
  LsUOp *u = ls_uop_new0 (s->ctx, LS_OP_BUFFER, dtype, ls_arg_ints (s->ctx, 2, arg));
  LsBuffer *b = buffer_get (s, u, error);
  if (!b)
    return NULL;
  note_buffer (s, u, "empty", 0);
  return u;
}

/* A bound variable is memory of one int, which kernels take as an argument: its value is stored and passed as every buffer is. */
static LsUOp *
variable (gpointer self, const char *name, gint64 min, gint64 max, gint64 value, GError **error)
{
  LsSession *s = self;
  gboolean none = value > max;
  g_autofree char *key = g_strdup_printf ("%s %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT, name, min, max, value);
  LsUOp *bind = g_hash_table_lookup (s->variables, key);
  if (bind)
    return bind;
  gint64 arg[2] = { ls_context_next_buffer (s->ctx), 1 };
  LsUOp *u = ls_uop_new0 (s->ctx, LS_OP_BUFFER, LS_INT32, ls_arg_ints (s->ctx, 2, arg));
  LsBuffer *b = buffer_get (s, u, error);
  if (!b)
    return NULL;
  ls_scalar_store (LS_INT32, b->data, (LsScalar) { .i = none ? max : value });
  note_buffer (s, u, "variable", 0);
  bind = ls_uop_new1 (s->ctx, LS_OP_BIND, LS_INDEX, u, ls_arg_var (s->ctx, name, min, max, -1));
  g_hash_table_insert (s->variables, g_steal_pointer (&key), bind);
  if (none)
    g_hash_table_insert (s->unbound, GUINT_TO_POINTER (u->id), bind);
  return bind;
}

static gboolean unbound (gpointer self, const LsUOp *buffer) { return g_hash_table_contains (((LsSession *) self)->unbound,
                                                                                             GUINT_TO_POINTER (buffer->id)); }

static gint64
bound (gpointer self, const LsUOp *buffer)
{
  const LsBuffer *b = ((LsSession *) self)->buffers->pdata[buffer->arg.ints[0]];
  return ls_scalar_load (LS_INT32, b->data).i;
}

const LsTensorHost *
ls_session_tensor_host (LsSession *s)
{
  s->tensor_host = (LsTensorHost) { .ctx = s->ctx, .host_data = host_data, .self = s, .has_memory = has_memory, .empty = empty,
                                    .variable = variable, .bound = bound, .unbound = unbound, .shares = &s->settings.LAZYCACHE };
  if (s->recording) {
    s->tensor_host.calls = s->trace->calls;
    s->tensor_host.node_calls = s->trace->node_calls;
  }
  return &s->tensor_host;
}

/* Host data is copied when it is first needed. */
static void
note_copy (LsSession *s, LsUOp *u)
{
  if (u->op != LS_OP_COPY || !g_hash_table_add (s->copied, GUINT_TO_POINTER (u->id)))
    return;
  s->trace->n_copies++;
  s->counters.kernels++;
  s->counters.bytes += (double) ls_shape_size (ls_uop_shape (s->ctx, u)) * ls_dtype_itemsize (u->dtype);
}

/* State of making a graph over the buffers of realized nodes. */
typedef struct {
  LsSession *s;
  LsNodeMap *map;
  gboolean   computes;
  LsPass    *pass;      /* where changes are recorded, from the first on */
} OverBuffers;

static void
record_over (OverBuffers *o, const LsUOp *made, const LsUOp *of, const char *reason)
{
  if (made == of || !o->computes || !o->s->recording)
    return;
  if (!o->pass)
    o->pass = ls_trace_add_map_pass (o->s->trace, 0, "program", NULL, NULL, 0);
  LsMapEntry e = { made->id, of->id, reason };
  g_array_append_val (ls_pass_map (o->pass), e);
}

/* The buffer of a realized node, in its shape. */
static LsUOp *
realized_as (gpointer data, LsUOp *u)
{
  OverBuffers *o = data;
  LsContext *ctx = o->s->ctx;
  LsUOp *v = g_hash_table_lookup (o->s->realized, GUINT_TO_POINTER (u->id));
  if (!v)
    return NULL;
  if (o->computes)
    note_copy (o->s, u);
  LsShape shape = ls_uop_shape (ctx, u);
  if (!ls_shape_equal (ls_shape_of_memory (shape), ls_uop_shape (ctx, v)))
    v = ls_uop_new1 (ctx, LS_OP_RESHAPE, v->dtype, v, ls_arg_ints (ctx, shape.n, shape.dims));
  for (gint64 k = 0; k < shape.n && shape.sizes; k++) {
    LsUOp *size = ls_shape_size_of (ctx, shape, (guint) k);
    if (size)
      v = ls_uop_new2 (ctx, LS_OP_LIMIT, v->dtype, v, size, ls_arg_ints (ctx, 1, &k));
  }
  record_over (o, v, u, LS_TEMPLATE ("realized"));
  for (LsUOp *below = v; v != u && (below->op == LS_OP_RESHAPE || below->op == LS_OP_LIMIT);) {
    below = below->src[0];
    record_over (o, below, u, LS_TEMPLATE ("realized"));
  }
  return v;
}

static LsUOp *
over_buffer (gpointer data, LsUOp *u, LsUOp **src)
{
  OverBuffers *o = data;
  LsUOp *v = ls_uop_over (o->s->ctx, u, o->map);
  record_over (o, v, u, "over buffers");
  return v;
}

/* The graph below the nodes with realized nodes replaced by their buffers. computes: it will be computed, and so recorded. */
static LsUOp *
over_buffers (LsSession *s, guint n, LsUOp *const *nodes, gboolean computes)
{
  OverBuffers over = { s, ls_node_map_acquire (s->ctx), computes, NULL };
  g_autoptr (GPtrArray) src = g_ptr_array_new ();
  guint64 start = ls_now_ns ();
  ls_graph_rebuild (s->ctx, n, nodes, over.map, realized_as, over_buffer, &over);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (src, ls_node_map_get_node (over.map, nodes[i]));
  ls_node_map_release (s->ctx, over.map);
  LsUOp *sink = ls_uop_new (s->ctx, LS_OP_SINK, LS_VOID, n, (LsUOp **) src->pdata, ls_arg_none ());
  if (over.pass) {
    over.pass->input = over.pass->output = sink->id;
    over.pass->ns = ls_now_ns () - start;
  }
  return sink;
}

static GArray *
new_array (gsize size)
{
  return g_array_new (FALSE, FALSE, size);
}

static LsKernel *
kernel_new (LsSession *s)
{
  LsKernel *k = g_new0 (LsKernel, 1);
  k->listing = new_array (sizeof (guint32));
  k->procedure = new_array (sizeof (LsProcRow));
  k->source_links = new_array (sizeof (LsSourceLink));
  k->exprs = new_array (sizeof (LsExpr));
  k->code_lines = new_array (sizeof (LsCodeLine));
  k->run_ns = new_array (sizeof (guint64));
  k->buffers = new_array (sizeof (guint));
  k->passes = new_array (sizeof (guint));
  k->choices = new_array (sizeof (LsKernelOption));
  k->candidates = new_array (sizeof (LsCandidate));
  k->name = "";
  k->options = "";
  k->ast = k->final_root = LS_NO_NODE;
  k->target = ls_trace_string (s->trace, s->target->name);
  k->compiler = k->values_compiler = ls_trace_string (s->trace, s->compiler);
  k->compiler_version = k->flags = "";
  g_autofree char *differences = settings_differences (s);
  k->settings = *differences ? ls_trace_string (s->trace, differences) : NULL;
  k->compile_message = g_strdup ("");
  k->facts = ls_trace_kernel_facts (s->trace, k);
  g_ptr_array_add (s->trace->kernels, k);
  k->number = s->trace->kernels->len;
  return k;
}

#define FLUSH_US 50000      /* a process that is killed loses at most the work of that time */

/* A recording that cannot be written does not stop the program: its output stays valid, and the reason is kept. */
static void
flush (gpointer data)
{
  LsSession *s = data;
  g_autoptr (GError) error = NULL;
  if (!s->writer || s->record_error || g_get_monotonic_time () < s->next_flush)
    return;
  if (!ls_trace_writer_flush (s->writer, &error))
    s->record_error = g_strdup (error->message);
  s->next_flush = g_get_monotonic_time () + FLUSH_US;
}

/* Whether this must be reported: each message once. what must live as long as the session. Equal texts of the trace are one. */
static gboolean
is_news (LsSession *s, const char *what)
{
  return !s->quiet && g_hash_table_add (s->told, (gpointer) what);
}

static void
warn (guint kernel, const char *name, const char *text)
{
  g_autofree char *line = ls_sentence ("warning: kernel %u (%s): %s", kernel, name, text), *shown = ls_sentence_shown (line);
  g_printerr ("%s\n", shown);
}

static gboolean
launch (LsSession *s, LsKernel *k, CachedCode *code, LsScheduleItem *item, GError **error)
{
  guint n = ls_schedule_n_arguments (item);
  g_autofree LsBuffer **buffers = g_new0 (LsBuffer *, n);
  for (guint i = 0; i < n; i++)
    if (!(buffers[i] = buffer_get (s, ls_schedule_argument (item, i), error)))
      return FALSE;
  if (!s->trace->machine) {
    s->trace->machine = ls_machine_name ();
    s->trace->c_library = g_strdup (ls_c_library ());
  }
  LsLauncher launcher = { s->runner, s->target, &s->settings, s->compiler, s->flags, s->timer, s->timer_flags, s->quick,
                          s->quick_flags, s->recording,
                          &code->own, g_hash_table_lookup (s->rendered, k), code->by_hand };
  gboolean ok = ls_kernel_launch (&launcher, s->trace, k, code->list, n, buffers, error);
  k->facts = ls_trace_kernel_facts (s->trace, k);
  if (s->recording && (k->run_ns->len || k->run_error))
    ls_trace_add_launch_passes (s->trace, k);
  gboolean left = g_strcmp0 (k->values_compiler, s->compiler) != 0 && g_strcmp0 (k->values_compiler, s->quick) != 0;
  if ((left || (ok && s->timer && g_strcmp0 (k->compiler, s->timer) != 0)) &&
      k->compile_message && is_news (s, ls_trace_string (s->trace, k->compile_message)))
    warn (k->number, k->name, k->compile_message);
  return ok;
}

/* A recording that is written as it goes has all of a kernel at once, others at the end. */
static void
take_rendered (LsSession *s, LsKernel *k)
{
  LsRendered *rendered = g_hash_table_lookup (s->rendered, k);
  if (!rendered)
    return;
  ls_kernel_take_rendered (s->trace, k, rendered);
  g_hash_table_remove (s->rendered, k);
}

/* The sources of the profiles are as they were, and some leave behavior undefined that ours define. */
static void
tell_departure (LsSession *s, const LsKernel *k, const LsRendered *rendered)
{
  const LsCompiler *compiler = ls_compiler_find (s->compiler);
  if (!rendered || !rendered->departs || !s->execute || !compiler || compiler->how == LS_COMPILER_INTERPRETER ||
      !is_news (s, rendered->departs))
    return;
  g_autofree char *text = g_strdup_printf ("the source of profile=%s relies on behavior that C leaves undefined: %s. Results may differ; "
                                           "compiler=interp gives the defined ones", ls_profile_name (ls_settings_profile (&s->settings)),
                                           rendered->departs);
  warn (k->number, k->name, text);
}

/* Who chose which options (by: where it is not the heuristic), and why; refused ones are reported once. */
static void
take_choices (LsSession *s, LsKernel *k, const LsPipeline *p, const char *by, const char *by_why)
{
  for (guint i = 0; i < p->choices->len; i++) {
    const LsOptionChoice *c = &g_array_index (p->choices, LsOptionChoice, i);
    const char *why = c->why ? c->why : by_why ? by_why : "";
    g_autofree char *text = ls_sentence_text (why);
    LsKernelOption option = { ls_trace_string (s->trace, c->text), c->by_user ? by : "heuristic", ls_trace_string (s->trace, text),
                              c->refusal ? ls_trace_string (s->trace, c->refusal) : NULL,
                              strchr (why, LS_SENTENCE_MARK) ? ls_trace_string (s->trace, why) : NULL };
    g_autofree char *said = c->refusal ? g_strdup_printf ("%s refused: %s", c->text, c->refusal) : NULL;
    g_array_append_val (k->choices, option);
    if (said && is_news (s, ls_trace_string (s->trace, said)))
      warn (k->number, p->name, said);
  }
}

/* A file's function replaces the rendered one: its lines have no nodes. FALSE: there is no such file, or it takes other arguments. */
static gboolean
take_by_hand (LsSession *s, LsKernel *k, const char *file, char **by_hand, GError **error)
{
  const LsCompiler *compiler = ls_compiler_find (s->compiler);
  g_autofree char *text = NULL, *item = g_strconcat (LS_BY_HAND, file, NULL);
  if (compiler && (compiler->how == LS_COMPILER_INTERPRETER || compiler->how == LS_COMPILER_LOADED)) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "c=%s: %s does not compile C; choose another compiler", file, compiler->name);
    return FALSE;
  }
  if (!ls_by_hand_read (file, k->source, &text, by_hand, error)) {
    g_prefix_error (error, "kernel %u: ", k->number);
    return FALSE;
  }
  g_free (k->source);
  k->source = g_steal_pointer (&text);
  LsKernelOption option = { ls_trace_string (s->trace, item), "you", "", NULL, NULL };
  g_array_append_val (k->choices, option);
  return TRUE;
}

/* From a kernel's graph to its text. FALSE: nothing is to be launched. */
static gboolean
make_kernel (LsSession *s, LsKernel *k, LsUOp *graph, CachedCode *code, GError **error)
{
  gboolean named;
  g_autofree char *given = ls_options_of_kernel (s->options, k->number, &named), *why = NULL,
                  *found = given || !s->on_options ? NULL : s->on_options (s, k, &why, s->on_options_data);
  g_autofree char *file = ls_c_file_of_kernel (s->c_files, k->number, NULL);
  const char *options = given ? given : found;
  g_auto (LsPipeline) p = { s->ctx, s->library, &s->settings, s->target, options, s->trace, s->recording, k->number,
                            s->writer ? flush : NULL, s };
  p.graph = graph;
  p.earlier = s->trace->kernels;
  if (!ls_pipeline_run (&p, LS_STAGE_AST, LS_STAGE_LINEARIZE - 1, error))
    return FALSE;
  take_choices (s, k, &p, found ? "search" : "you", why);
  k->name = ls_trace_string (s->trace, p.name);
  k->ast = p.ast->id;
  k->final_root = p.graph->id;
  k->options = ls_trace_string (s->trace, p.applied->str);
  k->flops = p.flops;
  k->bytes = p.bytes;
  gboolean ok = ls_pipeline_run (&p, LS_STAGE_LINEARIZE, LS_STAGE_RENDER, error);
  ls_kernel_take_text (k, &p);
  if (ok && file && !take_by_hand (s, k, file, &code->by_hand, error))
    return FALSE;
  if (!file)
    tell_departure (s, k, p.rendered);
  if (!ok)
    return FALSE;
  if (s->recording && !file)
    g_hash_table_insert (s->rendered, k, g_steal_pointer (&p.rendered));
  if (s->writer)
    take_rendered (s, k);
  code->list = g_steal_pointer (&p.list);
  return TRUE;
}

/* The kernel reads and writes the item's buffers: those that it stores to come first. */
static void
take_buffers (LsSession *s, LsKernel *k, const LsScheduleItem *item)
{
  k->n_outputs = item->outputs->len;
  for (guint i = 0; i < ls_schedule_n_arguments (item); i++) {
    LsUOp *buffer = ls_schedule_argument (item, i);
    guint id = (guint) buffer->arg.ints[0];
    note_buffer (s, buffer, "intermediate", k->number);
    g_array_append_val (k->buffers, id);
  }
}

/* The code of an equal kernel that was made before. NULL: there is none. */
static CachedCode *
share_code (LsSession *s, LsKernel *k, const LsUOp *graph)
{
  CachedCode *cached = g_hash_table_lookup (s->code_cache, GUINT_TO_POINTER (graph->id));
  if (!cached)
    return NULL;
  LsKernel *o = ls_trace_kernel (s->trace, cached->number);
  k->same_as = (gint) o->number;
  k->name = o->name;
  k->ast = o->ast;
  k->final_root = o->final_root;
  k->options = o->options;
  k->flops = o->flops;
  k->bytes = o->bytes;
  ls_kernel_share_text (k, o);
  return cached;
}

/* Code of a kernel: an equal one's, but where the user gave this one options or a text. NULL and error: it cannot be made. */
static CachedCode *
code_of_kernel (LsSession *s, LsKernel *k, LsUOp *graph, GError **error)
{
  gboolean own_options, own_file;
  g_free (ls_options_of_kernel (s->options, k->number, &own_options));
  g_free (ls_c_file_of_kernel (s->c_files, k->number, &own_file));
  gboolean own = own_options || own_file;
  CachedCode *cached = own ? NULL : share_code (s, k, graph);
  if (cached)
    return cached;
  CachedCode made = { .number = k->number, .graph = graph };
  if (!make_kernel (s, k, graph, &made, error))
    return NULL;
  cached = g_memdup2 (&made, sizeof made);
  /* its own is kept, and not found by others */
  g_hash_table_insert (s->code_cache, GUINT_TO_POINTER (own ? G_MAXUINT - k->number : graph->id), cached);
  return cached;
}

/* Every variable of the kernel needs a value. */
static gboolean
check_bound (LsSession *s, const LsKernel *k, const LsScheduleItem *item, GError **error)
{
  for (guint i = 0; i < item->inputs->len; i++) {
    const LsUOp *bind = g_hash_table_lookup (s->unbound, GUINT_TO_POINTER (g_array_index (item->inputs, LsUOp *, i)->id));
    if (!bind)
      continue;
    const LsVar *v = bind->arg.var;
    g_set_error (error, LS_ERROR, LS_ERROR_PROGRAM, "kernel %s: variable %s has no value: bind it, as in %s.bind(%" G_GINT64_FORMAT ")",
                 k->name, v->name, v->name, v->min);
    return FALSE;
  }
  return TRUE;
}

static gboolean
run_item (LsSession *s, LsScheduleItem *item, GError **error)
{
  LsKernel *k = kernel_new (s);
  take_buffers (s, k, item);
  if (s->recording) {
    LsPass *pass = ls_trace_add_map_pass (s->trace, k->number, "schedule", ls_schedule_values (s->ctx, item), item->graph, 0);
    pass->map = g_steal_pointer (&item->map);      /* the item's map becomes the pass's */
  }
  CachedCode *code = code_of_kernel (s, k, item->graph, error);
  if (!code || !check_bound (s, k, item, error))
    return FALSE;
  if (s->on_kernel)
    s->on_kernel (s, k, s->on_kernel_data);
  if (s->execute)      /* it may take long, and be killed */
    flush (s);
  ls_progress_stage (ls_stage_infos[LS_STAGE_RUN].name, k->number);
  gboolean ok = !s->execute || launch (s, k, code, item, error);
  s->counters.kernels++;
  s->counters.ops += k->flops;
  s->counters.bytes += k->bytes;
  s->counters.ns += k->run_ns->len ? g_array_index (k->run_ns, guint64, 0) : 0;
  if (s->on_ran && s->execute)
    s->on_ran (s, k, s->on_kernel_data);
  flush (s);
  return ok;
}

/* --- views of memory --- */

/* The slice that a variable selects now, as an argument of SHRINK: for LIMIT in memory the maximum. */
static LsArg
box_of (LsSession *s, const LsUOp *slice)
{
  gint64 pairs[2 * LS_MAX_DIMS], at = slice->op == LS_OP_AT ? ls_size_number (slice->src[1], bound, s) : 0;
  for (guint i = 0; i < slice->n_dims; i++) {
    pairs[2 * i] = i == slice->arg.ints[0] ? at : 0;
    pairs[2 * i + 1] = pairs[2 * i] + slice->dims[i];
  }
  return ls_arg_ints (s->ctx, 2 * slice->n_dims, pairs);
}

static gboolean
is_unbound (LsSession *s, LsUOp *u)
{
  gboolean found = FALSE;
  if (g_hash_table_size (s->unbound) == 0)
    return FALSE;
  g_autoptr (GPtrArray) order = ls_uop_toposort (s->ctx, u);
  for (guint i = 0; i < order->len && !found; i++)
    found = unbound (s, order->pdata[i]);
  return found;
}

/* The buffer that holds u's elements consecutively, from *offset on; NULL: there is none. */
static LsUOp *
lies_in (LsSession *s, LsUOp *u, gint64 *offset)
{
  LsUOp *moves[64], *b = NULL;
  guint n = 0;
  for (; !(b = g_hash_table_lookup (s->realized, GUINT_TO_POINTER (u->id))) && u->op != LS_OP_BUFFER; u = u->src[0])
    if ((u->op != LS_OP_RESHAPE && u->op != LS_OP_SHRINK && u->op != LS_OP_PERMUTE && u->op != LS_OP_DETACH && !ls_op_is_slice (u->op)) ||
        n == G_N_ELEMENTS (moves) || (ls_op_is_slice (u->op) && is_unbound (s, u->src[1])))
      return NULL;
    else if (u->op != LS_OP_DETACH)
      moves[n++] = u;
  const LsTracker *t = ls_tracker_contiguous (s->ctx, ls_uop_shape (s->ctx, u));
  while (n-- > 0)
    t = ls_tracker_movement (s->ctx, t, ls_op_is_slice (moves[n]->op) ? LS_OP_SHRINK : moves[n]->op,
                             ls_op_is_slice (moves[n]->op) ? box_of (s, moves[n]) : moves[n]->arg, TRUE);
  const LsView *v = t->views[0];
  gint64 stride = 1;
  if (t->n_views != 1 || v->mask)
    return NULL;
  for (guint i = v->n; i-- > 0; stride *= v->shape[i])
    if (v->shape[i] == 0 || (v->shape[i] != 1 && v->strides[i] != stride))
      return NULL;
  *offset = v->offset;
  return b ? b : u;
}

/* A buffer that is a part of another one's memory. */
static LsBuffer *
part_of (LsSession *s, LsUOp *u, LsUOp *whole, gint64 offset, GError **error)
{
  LsBuffer *b = buffer_get (s, whole, error), *part = g_hash_table_lookup (s->parts, GUINT_TO_POINTER (u->id));
  if (!b || part)
    return part;
  gint64 id[2] = { ls_context_next_buffer (s->ctx), ls_shape_size (ls_uop_shape (s->ctx, u)) };
  LsUOp *node = ls_uop_new0 (s->ctx, LS_OP_BUFFER, whole->dtype, ls_arg_ints (s->ctx, 2, id));
  gsize size = ls_dtype_itemsize (b->dtype);
  part = g_new (LsBuffer, 1);
  *part = *b;
  part->id = (guint) id[0];
  part->n = (guint64) id[1];
  part->nbytes = part->n * size;
  part->data = b->data + (gsize) offset * size;
  part->offset = b->offset + (guint64) offset * size;
  note_buffer (s, node, "part", s->trace->kernels->len);
  LsTraceBuffer *noted = s->trace->buffers->pdata[id[0]];
  noted->whole = b->id + 1;
  noted->start = (guint64) offset;
  while (s->buffers->len <= part->id)
    g_ptr_array_add (s->buffers, NULL);
  s->buffers->pdata[part->id] = part;
  g_hash_table_insert (s->parts, GUINT_TO_POINTER (u->id), part);
  g_hash_table_insert (s->wholes, GUINT_TO_POINTER (part->id), GUINT_TO_POINTER (b->id + 1));
  return part;
}

/* Adds to wanted which nodes, below reshapes, must be computed. */
static gboolean
find_wanted (LsSession *s, guint n, LsUOp *const *nodes, gboolean computes, GPtrArray *wanted, GError **error)
{
  for (guint i = 0; i < n; i++) {
    LsUOp *u = nodes[i];
    LsShape shape;
    if (!ls_uop_get_shape (s->ctx, u, &shape, error))
      return FALSE;
    while (u->op == LS_OP_RESHAPE && !g_hash_table_contains (s->realized, GUINT_TO_POINTER (u->id)))
      u = u->src[0];
    if (u->op == LS_OP_CONST)
      u = nodes[i];
    if (computes)
      note_copy (s, u);
    gint64 offset;
    if ((ls_op_is_movement (u->op) || ls_op_is_slice (u->op)) && lies_in (s, u, &offset))
      continue;
    if (!g_hash_table_contains (s->realized, GUINT_TO_POINTER (u->id)) && u->op != LS_OP_BUFFER && !g_ptr_array_find (wanted, u, NULL))
      g_ptr_array_add (wanted, u);
  }
  return TRUE;
}

static gboolean
schedule_asts (LsSession *s, GPtrArray *wanted, LsSchedule **schedule, GPtrArray *asts, GError **error)
{
  g_auto (LsPipeline) p = { .ctx = s->ctx, .library = s->library, .settings = &s->settings, .target = s->target, .reuse = s->reuse };
  p.graph = over_buffers (s, wanted->len, (LsUOp **) wanted->pdata, FALSE);
  if (!ls_pipeline_run (&p, LS_STAGE_QUOTIENT, LS_STAGE_SCHEDULE, error))
    return FALSE;
  *schedule = g_steal_pointer (&p.schedule);
  for (guint i = 0; i < (*schedule)->items->len; i++) {
    const LsScheduleItem *item = (*schedule)->items->pdata[i];
    g_auto (LsPipeline) kernel = { .ctx = s->ctx, .library = s->library, .settings = &s->settings, .target = s->target, .kernel = i + 1 };
    kernel.graph = item->graph;
    if (!ls_pipeline_run (&kernel, LS_STAGE_AST, LS_STAGE_AST, error))
      return FALSE;
    g_ptr_array_add (asts, kernel.graph);
  }
  return TRUE;
}

gboolean
ls_session_schedule (LsSession *s, guint n, LsUOp *const *nodes, LsSchedule **schedule, GPtrArray *asts, GError **error)
{
  g_autoptr (GPtrArray) wanted = g_ptr_array_new ();
  g_autoptr (LsSchedule) made = NULL;
  GArray *found = ls_context_note_found (s->ctx, NULL);
  guint next = ls_context_next_buffer (s->ctx);
  ls_context_number_buffers (s->ctx, next);
  gboolean ok = find_wanted (s, n, nodes, FALSE, wanted, error) && (wanted->len == 0 || schedule_asts (s, wanted, &made, asts, error));
  ls_context_number_buffers (s->ctx, next);
  ls_context_note_found (s->ctx, found);
  *schedule = ok ? g_steal_pointer (&made) : NULL;
  return ok;
}

#define MOST_NAMED 3      /* values of a schedule that is too large */

static guint64
item_bytes (const LsScheduleItem *item)
{
  guint64 bytes = 0;
  for (guint i = 0; i < item->outputs->len; i++) {
    const LsUOp *buffer = ls_schedule_output (item, i)->buffer;
    bytes += (guint64) buffer->arg.ints[1] * ls_dtype_itemsize (ls_dtype_strong (buffer->dtype));
  }
  return bytes;
}

static int
by_bytes (gconstpointer a, gconstpointer b)
{
  guint64 x = item_bytes (*(LsScheduleItem *const *) a), y = item_bytes (*(LsScheduleItem *const *) b);
  return x > y ? -1 : x < y;
}

/* Before any of its memory is touched: the values that the schedule stores, besides what is there. */
static gboolean
check_memory (LsSession *s, const LsSchedule *schedule, GError **error)
{
  guint64 most = (guint64) s->settings.MEMORY_MB << 20, bytes = 0;
  for (guint i = 0; i < schedule->items->len; i++)
    bytes += item_bytes (schedule->items->pdata[i]);
  s->scheduled = schedule;
  if (most > 0 && s->execute && s->buffer_bytes + bytes > most && s->on_full)
    s->on_full (s);
  s->scheduled = NULL;
  if (most == 0 || !s->execute || s->buffer_bytes + bytes <= most)
    return TRUE;
  g_autoptr (GPtrArray) sorted = g_ptr_array_new ();
  g_ptr_array_extend (sorted, schedule->items, NULL, NULL);
  g_autoptr (GString) largest = g_string_new (NULL);
  const LsPass *pass = s->recording && s->trace->passes->len ? s->trace->passes->pdata[s->trace->passes->len - 1] : NULL;
  g_ptr_array_sort (sorted, by_bytes);
  for (guint i = 0; i < MIN (sorted->len, MOST_NAMED) && 10 * item_bytes (sorted->pdata[i]) > bytes; i++) {
    const LsScheduleItem *item = sorted->pdata[i];
    LsUOp *node = ls_schedule_output (item, 0)->node;
    g_autoptr (GString) place = g_string_new (NULL);
    g_autofree char *name = pass ? ls_schedule_node_text (pass, node->id, FALSE) : ls_uop_summary (node);
    g_string_append_printf (largest, "\n%s: %" G_GUINT64_FORMAT " bytes", name, item_bytes (item));
    if (pass)
      ls_schedule_say_places (pass, node->id, name, LS_NO_NODE, NULL, FALSE, place);
    if (place->len)
      g_string_append_printf (largest, "\n%s", place->str);
  }
  g_set_error (error, LS_ERROR, LS_ERROR_RUN,
               "the schedule stores %u values in %" G_GUINT64_FORMAT " MB, but the limit is %" G_GINT64_FORMAT " MB, and %" G_GUINT64_FORMAT
               " MB are in use (--set MEMORY_MB=N allows more). The largest values:%s",
               schedule->items->len, (bytes + (1 << 20) - 1) >> 20, s->settings.MEMORY_MB, s->buffer_bytes >> 20, largest->str);
  return FALSE;
}

static gboolean
realize (LsSession *s, guint n, LsUOp *const *nodes, GError **error)
{
  g_autoptr (GPtrArray) wanted = g_ptr_array_new ();
  if (!find_wanted (s, n, nodes, TRUE, wanted, error))
    return FALSE;
  if (wanted->len == 0)
    return TRUE;
  guint64 start = ls_now_ns ();
  LsUOp *sink = over_buffers (s, wanted->len, (LsUOp **) wanted->pdata, TRUE);
  stage_time (s, "program", 0, start);
  g_auto (LsPipeline) p = { s->ctx, s->library, &s->settings, s->target, NULL, s->trace, s->recording, 0, s->writer ? flush : NULL, s };
  p.graph = sink;
  p.schedule_choices = s->schedule_choices;
  p.reuse = s->reuse;
  if (!ls_pipeline_run (&p, LS_STAGE_QUOTIENT, LS_STAGE_SCHEDULE, error))
    return FALSE;
  LsSchedule *schedule = p.schedule;
  if (!check_memory (s, schedule, error))
    return FALSE;
  if (s->on_schedule)
    s->on_schedule (s, schedule->items->len, s->on_kernel_data);
  gboolean ok = TRUE;
  for (guint i = 0; i < schedule->items->len && ok; i++) {
    LsScheduleItem *item = schedule->items->pdata[i];
    if (ls_schedule_is_empty (item))
      ok = buffer_get (s, ls_schedule_output (item, 0)->buffer, error) != NULL;
    else
      ok = run_item (s, item, error);
  }
  if (ok && s->reuse)
    ls_reuse_add (s->reuse, p.graph, schedule);
  for (guint i = 0; i < wanted->len && ok; i++) {
    LsUOp *u = wanted->pdata[i], *b = schedule->results[i];
    g_hash_table_insert (s->realized, GUINT_TO_POINTER (u->id), b);
    if (b->arg.ints[0] < (gint64) s->trace->buffers->len) {
      LsTraceBuffer *tb = s->trace->buffers->pdata[b->arg.ints[0]];
      if (g_str_equal (tb->role, "intermediate"))
        tb->role = "output";
    }
  }
  return ok;
}

/* Nodes that stages make do not belong to a call. */
gboolean
ls_session_realize (LsSession *s, guint n, LsUOp *const *nodes, GError **error)
{
  GArray *found = ls_context_note_found (s->ctx, NULL);
  gboolean ok = realize (s, n, nodes, error);
  ls_progress_stage ("", 0);
  ls_context_note_found (s->ctx, found);
  return ok;
}

LsUOp *
ls_session_computed (LsSession *s, LsUOp *u)
{
  while (u->op == LS_OP_RESHAPE && !g_hash_table_contains (s->realized, GUINT_TO_POINTER (u->id)))
    u = u->src[0];
  return g_hash_table_contains (s->realized, GUINT_TO_POINTER (u->id)) ? u : NULL;
}

void
ls_session_keep (LsSession *s, LsUOp *computed, LsUOp *memory)
{
  g_hash_table_insert (s->realized, GUINT_TO_POINTER (memory->id), g_hash_table_lookup (s->realized, GUINT_TO_POINTER (computed->id)));
  g_hash_table_insert (s->kept, GUINT_TO_POINTER (memory->id), memory == computed ? NULL : computed);
}

LsBuffer *
ls_session_data (LsSession *s, LsUOp *node, GError **error)
{
  if (!ls_session_realize (s, 1, &node, error))
    return NULL;
  LsUOp *u = node, *b = g_hash_table_lookup (s->realized, GUINT_TO_POINTER (u->id));
  while (!b && u->op == LS_OP_RESHAPE) {
    u = u->src[0];
    b = g_hash_table_lookup (s->realized, GUINT_TO_POINTER (u->id));
  }
  if (!b && u->op == LS_OP_BUFFER)
    b = u;
  gint64 offset;
  if (!b && (b = lies_in (s, u, &offset)))
    return part_of (s, u, b, offset, error);
  if (!b) {
    g_set_error (error, LS_ERROR, LS_ERROR_INTERNAL, "node %u was realized but has no buffer", node->id);
    return NULL;
  }
  return buffer_get (s, b, error);
}

/* The kernel's tree, options, text and compiled source under these settings. NULL: a stage fails. Free with g_free. */
static char *
text_of (LsSession *s, const LsSettings *settings, LsUOp *graph, const char *options)
{
  g_autoptr (LsContext) ctx = ls_context_new_over (s->ctx);
  g_autoptr (LsTrace) trace = ls_trace_new (ctx);
  g_auto (LsPipeline) p = { ctx, s->library, settings, s->target, options, trace, FALSE, 1 };
  p.graph = graph;
  if (!ls_pipeline_run (&p, LS_STAGE_AST, LS_STAGE_RENDER, NULL) || !p.rendered)
    return NULL;
  g_autofree char *launched = ls_launch_source (s->target, settings, p.rendered->source), *tree = ls_tree_print (ctx, p.ast);
  return g_strconcat (tree, p.applied->str, "\n", p.rendered->source, "\n", launched, NULL);
}

static gboolean
settings_set_all (LsSettings *settings, const char *differences)
{
  g_auto (GStrv) items = g_strsplit (differences, ",", -1);
  gboolean ok = TRUE;
  for (char **item = items; *item && ok; item++)
    ok = ls_settings_set (settings, *item, NULL);
  return ok;
}

/* Whether the kernels of a cache, made under with, would be others under without. */
static LsSettingEffect
effect_on (LsSession *s, GHashTable *cache, const LsSettings *with, const LsSettings *without, guint most, guint *looked)
{
  GHashTableIter iter;
  gpointer key, value;
  LsSettingEffect effect = LS_EFFECT_NONE;
  g_hash_table_iter_init (&iter, cache);
  while (g_hash_table_iter_next (&iter, &key, &value)) {
    const CachedCode *code = value;
    gboolean named;
    if (code->by_hand)      /* its text is the user's under all settings */
      continue;
    if (++*looked > most)
      return LS_EFFECT_UNKNOWN;
    g_autofree char *options = ls_options_of_kernel (s->options, code->number, &named);
    const LsKernel *k = ls_trace_kernel (s->trace, code->number);
    const char *chosen = options || !s->on_options || !k ? options : k->options;      /* a search's choice */
    g_autofree char *made = text_of (s, with, code->graph, chosen), *other = made ? text_of (s, without, code->graph, chosen) : NULL;
    if (made && other && strcmp (made, other) != 0)
      return LS_EFFECT_ACTS;
    if (!made || !other)
      effect = LS_EFFECT_UNKNOWN;
  }
  return effect;
}

LsSettingEffect
ls_session_setting_effect (LsSession *s, const LsSettingInfo *info, const char *changed, guint most, guint *looked)
{
  GHashTableIter iter;
  gpointer differences, cache;
  LsSettingEffect effect = LS_EFFECT_NONE;
  *looked = 0;
  if (strcmp (info->name, "CLASSIC") == 0 || strcmp (info->name, "MODERN") == 0)      /* another style of listing at least */
    return LS_EFFECT_ACTS;
  g_hash_table_iter_init (&iter, s->code_caches);
  while (effect != LS_EFFECT_ACTS && g_hash_table_iter_next (&iter, &differences, &cache)) {
    LsSettings with = s->given, without;
    if (!settings_set_all (&with, differences))
      return LS_EFFECT_UNKNOWN;
    gint64 there = G_STRUCT_MEMBER (gint64, &with, info->offset), given = G_STRUCT_MEMBER (gint64, &s->given, info->offset);
    g_autofree char *here = ls_setting_text (&with, info);
    if (changed ? strcmp (here, changed) != 0 : there != given)
      continue;
    without = with;
    G_STRUCT_MEMBER (gint64, &without, info->offset) = changed ? given : info->def;
    LsSettingEffect one = effect_on (s, cache, &with, &without, most, looked);
    effect = one == LS_EFFECT_NONE ? effect : one;
  }
  return effect;
}

GPtrArray *
ls_session_changed_settings (LsSession *s)
{
  GPtrArray *out = g_ptr_array_new_with_free_func (g_free);
  GHashTableIter iter;
  gpointer differences;
  g_hash_table_iter_init (&iter, s->code_caches);
  while (g_hash_table_iter_next (&iter, &differences, NULL)) {
    g_auto (GStrv) items = g_strsplit (differences, ",", -1);
    for (char **item = items; *item; item++)
      if (!g_ptr_array_find_with_equal_func (out, *item, g_str_equal, NULL))
        g_ptr_array_add (out, g_strdup (*item));
  }
  return out;
}

GArray *
ls_session_check_options (const char *text, GError **error)
{
  return ls_opts_parse (text, error);
}

#define KEEP_BYTES (64 * 1024)
#define KEEP_MOST ((gsize) 512 << 20)      /* a BLOB of SQLite holds at most 10⁹ bytes */
#define MEASURE_BYTES ((gsize) 1 << 30)      /* over larger buffers statistics and digest would take minutes */

/* The contents of a buffer that the recording keeps: those of its last version, once, when its memory is freed or the program has ended. */
static void
keep_contents (LsSession *s, guint id)
{
  LsTraceBuffer *tb = id < s->trace->buffers->len ? s->trace->buffers->pdata[id] : NULL;
  const LsBuffer *b = s->buffers->pdata[id];
  if (!s->recording || !tb || !b || tb->data || tb->digest || tb->dtype == LS_VOID)
    return;
  tb->min = tb->max = tb->mean = NAN;
  if (b->nbytes > MEASURE_BYTES)
    return;
  ls_trace_buffer_measure (tb, b->data);
  gboolean all = s->keep_buffers && b->nbytes <= KEEP_MOST &&
                 (s->given.MEMORY_MB == 0 || s->kept_bytes + b->nbytes <= (guint64) s->given.MEMORY_MB << 20);
  if (b->nbytes <= KEEP_BYTES || all) {
    s->kept_bytes += b->nbytes;
    tb->data = g_memdup2 (b->data, b->nbytes);
    tb->n_data = b->nbytes;
  } else {
    tb->digest = g_compute_checksum_for_data (G_CHECKSUM_SHA256, b->data, b->nbytes);
  }
}

/* Marks the buffers that the nodes lead to. Nodes below a realized one are not visited, as no gradient goes past it. */
static void
mark_buffers (LsSession *s, guint n, LsUOp *const *nodes, gboolean *used)
{
  LsNodeMap *seen = ls_node_map_acquire (s->ctx);
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (stack, nodes[i]);
  while (stack->len > 0) {
    LsUOp *u = g_ptr_array_steal_index_fast (stack, stack->len - 1), *b = g_hash_table_lookup (s->realized, GUINT_TO_POINTER (u->id));
    if (ls_node_map_has (seen, u))
      continue;
    ls_node_map_set (seen, u, 1);
    if (b || u->op == LS_OP_BUFFER) {
      gint64 id = (b ? b : u)->arg.ints[0];
      if (id >= 0 && id < (gint64) s->buffers->len)
        used[id] = TRUE;
      if (u->op == LS_OP_ASSIGN || g_hash_table_contains (s->kept, GUINT_TO_POINTER (u->id)))
        continue;
    }
    for (guint i = 0; i < u->n_src; i++)
      g_ptr_array_add (stack, u->src[i]);
  }
  ls_node_map_release (s->ctx, seen);
}

/* Host data cannot be recomputed: a later reader gets an error. */
static gboolean
is_to_be_made_again (gpointer id, gpointer buffer, gpointer data)
{
  const LsSession *s = data;
  guint64 b = (guint64) ((LsUOp *) buffer)->arg.ints[0];
  return (b >= s->buffers->len || !s->buffers->pdata[b]) && ls_context_node (s->ctx, GPOINTER_TO_UINT (id))->op != LS_OP_COPY;
}

guint64
ls_session_collect (LsSession *s, guint n, LsUOp *const *live)
{
  g_autofree gboolean *used = g_new0 (gboolean, s->buffers->len + 1);
  guint64 freed = 0;
  mark_buffers (s, n, live, used);
  for (guint i = 0; i < s->trace->outputs->len; i++) {
    guint id = g_array_index (s->trace->outputs, LsOutput, i).buffer;
    if (id < s->buffers->len)
      used[id] = TRUE;
  }
  for (guint i = 0; s->scheduled && i < s->scheduled->items->len; i++) {
    const LsScheduleItem *item = s->scheduled->items->pdata[i];
    for (guint k = 0; k < item->inputs->len; k++) {
      gint64 id = g_array_index (item->inputs, LsUOp *, k)->arg.ints[0];
      if (id < (gint64) s->buffers->len)
        used[id] = TRUE;
    }
  }
  GHashTableIter iter;
  gpointer bind;
  g_hash_table_iter_init (&iter, s->variables);
  while (g_hash_table_iter_next (&iter, NULL, &bind))
    used[((LsUOp *) bind)->src[0]->arg.ints[0]] = TRUE;
  for (guint i = 0; i < s->buffers->len; i++) {
    guint whole = GPOINTER_TO_UINT (g_hash_table_lookup (s->wholes, GUINT_TO_POINTER (i)));
    if (whole)      /* parts are small, and stay: their buffers stay with them */
      used[i] = used[whole - 1] = TRUE;
  }
  for (guint i = 0; i < s->buffers->len; i++) {
    LsBuffer *b = s->buffers->pdata[i];
    if (!b || used[i])
      continue;
    keep_contents (s, i);
    freed += b->nbytes;
    s->buffer_bytes -= b->nbytes;
    ls_runner_buffer_free (s->runner, b);
    g_hash_table_add (s->freed, GUINT_TO_POINTER (i));
    if (s->reuse)
      ls_reuse_forget (s->reuse, i);
    s->buffers->pdata[i] = NULL;
  }
  if (freed)
    g_hash_table_foreach_remove (s->realized, is_to_be_made_again, s);
  return freed;
}

gboolean
ls_session_forked (LsSession *s, GError **error)
{
  if (s->writer)
    ls_trace_writer_forked (s->writer);
  s->writer = NULL;      /* the file is the parent's: a connection to it must not even be closed here */
  s->recording = FALSE;
  s->quiet = TRUE;
  return ls_runner_forked (s->runner, error);
}

void
ls_session_expect_kernels (LsSession *session)
{
  const LsCompiler *compiler = ls_compiler_find (session->compiler);
  ls_runner_prepare (session->runner, session->execute && compiler && compiler->how != LS_COMPILER_INTERPRETER);
}

/* Data of the host has the statistics of its copy, unless a kernel wrote to that. */
static void
measure_host (LsTrace *t)
{
  g_autofree gboolean *written = g_new0 (gboolean, t->buffers->len + 1);
  for (guint i = 0; i < t->kernels->len; i++) {
    const LsKernel *k = t->kernels->pdata[i];
    for (guint j = 0; j < ls_kernel_n_outputs (k); j++)
      if (ls_kernel_output (k, j) < t->buffers->len)
        written[ls_kernel_output (k, j)] = TRUE;
  }
  for (guint i = 0; i < t->buffers->len; i++) {
    const LsTraceBuffer *copy = t->buffers->pdata[i];
    guint id = written[i] ? G_MAXUINT : ls_buffer_host (t, i);
    LsTraceBuffer *host = id == G_MAXUINT ? NULL : t->buffers->pdata[id];
    if (!host)
      continue;
    host->min = copy->min;
    host->max = copy->max;
    host->mean = copy->mean;
    host->n_nan = copy->n_nan;
    host->n_inf = copy->n_inf;
  }
}

void
ls_session_finish (LsSession *s)
{
  LsTrace *t = s->trace;
  g_free (t->std_out);
  t->std_out = g_strdup (s->out->str);
  t->complete = TRUE;
  for (guint i = 0; i < t->kernels->len; i++)
    take_rendered (s, t->kernels->pdata[i]);
  ls_memory_plan (t, t->buffers, ls_memory_how (t));
  if (s->recording)
    ls_trace_add_memory_pass (t);
  for (guint i = 0; i < t->buffers->len && i < s->buffers->len; i++)
    keep_contents (s, i);
  measure_host (t);
  flush (s);
}
