/* One run of one program: from tensor nodes to buffers with numbers in them.
 *
 * ls_session_realize sends the wanted nodes through tensor, schedule, codegen, linearize, procedure, render, compile and run. What has a
 * buffer is replaced by it first, so that a graph that grows over many statements costs only what is new. Kernels whose graph (over numbered
 * arguments) was met before use the earlier code.
 */
#include "session.h"

#include "codegen/codegen.h"
#include "codegen/linearize.h"
#include "ir/eval.h"
#include "ir/spec.h"
#include "schedule/memory.h"
#include "schedule/schedule.h"

#include <math.h>
#include <string.h>
#include <time.h>

static guint64
now_ns (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (guint64) t.tv_sec * 1000000000u + (guint64) t.tv_nsec;
}

/* A kernel's number and its linear list, by the id of its graph. */
typedef struct { guint number; GPtrArray *list; } CachedCode;

static void
cached_free (gpointer data)
{
  g_ptr_array_unref (((CachedCode *) data)->list);
  g_free (data);
}

LsSession *
ls_session_new (const LsSettings *settings, const LsTarget *target, const char *compiler, LsRuleLibrary *library)
{
  LsSession *s = g_new0 (LsSession, 1);
  s->ctx = ls_context_new ();
  s->trace = ls_trace_new (s->ctx);
  ls_context_check_nodes (s->ctx, settings->SPEC >= 2);
  s->recording = TRUE;
  s->settings = *settings;
  s->target = target;
  s->compiler = compiler;
  s->library = ls_rule_library_ref (library);
  s->runner = ls_runner_new ();
  s->buffers = g_ptr_array_new ();
  s->realized = g_hash_table_new (NULL, NULL);
  s->copied = g_hash_table_new (NULL, NULL);
  s->code_cache = g_hash_table_new_full (NULL, NULL, NULL, cached_free);
  s->rendered = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ls_rendered_free);
  s->out = g_string_new (NULL);
  s->execute = TRUE;
  for (const LsSettingInfo *i = ls_setting_infos; i->name; i++)
    g_ptr_array_add (s->trace->settings, g_strdup_printf ("%s=%" G_GINT64_FORMAT, i->name, G_STRUCT_MEMBER (gint64, settings, i->offset)));
  return s;
}

void
ls_session_free (LsSession *s)
{
  if (!s)
    return;
  g_hash_table_unref (s->realized);
  g_hash_table_unref (s->copied);
  g_hash_table_unref (s->rendered);
  g_hash_table_unref (s->code_cache);
  g_ptr_array_unref (s->buffers);
  g_string_free (s->out, TRUE);
  ls_runner_free (s->runner);
  ls_rule_library_unref (s->library);
  ls_trace_unref (s->trace);
  ls_context_unref (s->ctx);
  g_free (s->options);
  g_free (s->record_error);
  g_free (s);
}

static void
stage_time (LsSession *s, const char *stage, guint kernel, guint64 start)
{
  LsStageTime t = { stage, kernel, now_ns () - start };
  g_array_append_val (s->trace->stage_times, t);
}

static LsBuffer *
buffer_get (LsSession *s, LsUOp *node, GError **error)
{
  guint id = (guint) node->arg.ints[0];
  while (s->buffers->len <= id)
    g_ptr_array_add (s->buffers, NULL);
  if (!s->buffers->pdata[id])
    s->buffers->pdata[id] = ls_runner_buffer_new (s->runner, id, ls_dtype_strong (node->dtype), (guint64) node->arg.ints[1], error);
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

LsUOp *
ls_session_host_data (LsSession *s, LsDType dtype, guint n_dims, const gint64 *dims, const void *data, GError **error)
{
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

/* The graph below the nodes with what is realized replaced by its buffer. */
static LsUOp *
over_buffers (LsSession *s, guint n, LsUOp *const *nodes)
{
  LsContext *ctx = s->ctx;
  LsNodeMap *map = ls_node_map_acquire (ctx);
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  g_autoptr (GPtrArray) src = g_ptr_array_new ();
  LsPass *pass = NULL;
  guint64 start = now_ns ();
  for (guint i = n; i-- > 0;)
    g_ptr_array_add (stack, nodes[i]);
  while (stack->len > 0) {
    LsUOp *u = stack->pdata[stack->len - 1];
    if (ls_node_map_has (map, u)) {
      g_ptr_array_set_size (stack, (int) stack->len - 1);
      continue;
    }
    LsUOp *v = g_hash_table_lookup (s->realized, GUINT_TO_POINTER (u->id));
    if (v) {
      if (u->op == LS_OP_COPY && g_hash_table_add (s->copied, GUINT_TO_POINTER (u->id)))
        s->trace->n_copies++;
      LsShape shape = ls_uop_shape (ctx, u);
      if (!ls_shape_equal (shape, ls_uop_shape (ctx, v)))
        v = ls_uop_new1 (ctx, LS_OP_RESHAPE, v->dtype, v, ls_arg_ints (ctx, shape.n, shape.dims));
    } else {
      gboolean ready = TRUE, changed = FALSE;
      for (guint k = u->n_src; k-- > 0;)
        if (!ls_node_map_has (map, u->src[k])) {
          g_ptr_array_add (stack, u->src[k]);
          ready = FALSE;
        }
      if (!ready)
        continue;
      g_ptr_array_set_size (src, 0);
      for (guint k = 0; k < u->n_src; k++) {
        LsUOp *m = ls_node_map_get_node (map, u->src[k]);
        changed |= m != u->src[k];
        g_ptr_array_add (src, m);
      }
      v = changed ? ls_uop_with_src (ctx, u, u->n_src, (LsUOp **) src->pdata) : u;
    }
    ls_node_map_set_node (map, u, v);
    if (v != u && s->recording) {
      if (!pass)
        pass = ls_trace_add_map_pass (s->trace, 0, "program", NULL, NULL, 0);
      gboolean realized = g_hash_table_contains (s->realized, GUINT_TO_POINTER (u->id));
      LsMapEntry e = { v->id, u->id, realized ? "realized" : "over buffers" };
      g_array_append_val (ls_pass_map (pass), e);
      if (realized && v->op == LS_OP_RESHAPE) {
        e.new_node = v->src[0]->id;
        g_array_append_val (ls_pass_map (pass), e);
      }
    }
    g_ptr_array_set_size (stack, (int) stack->len - 1);
  }
  g_ptr_array_set_size (src, 0);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (src, ls_node_map_get_node (map, nodes[i]));
  ls_node_map_release (ctx, map);
  LsUOp *sink = ls_uop_new (ctx, LS_OP_SINK, LS_VOID, n, (LsUOp **) src->pdata, ls_arg_none ());
  if (pass) {
    pass->input = pass->output = sink->id;
    pass->ns = now_ns () - start;
  }
  return sink;
}

static GArray *
new_array (gsize size)
{
  return g_array_new (FALSE, FALSE, size);
}

/* "v17": a printf a row would be what recording costs most. */
static char *
put_register (char *p, int number)
{
  char digits[12];
  int n = 0;
  *p++ = 'v';
  do
    digits[n++] = (char) ('0' + number % 10);
  while ((number /= 10) > 0);
  while (n > 0)
    *p++ = digits[--n];
  return p;
}

/* The rows of a procedure, nested. */
static void
procedure_rows (LsSession *s, const GArray *body, guint depth, GArray *rows)
{
  static const char *const kinds[LS_N_INS] = { "const", "compute", "load", "store", "loop", "if", "accumulator", "accumulate", "special", "barrier", "local" };
  for (guint i = 0; i < body->len; i++) {
    const LsIns *ins = &g_array_index (body, LsIns, i);
    char text[192], *p = text, *end = text + sizeof text - 40;
    if (ins->dest >= 0) {
      p = put_register (p, ins->dest);
      p = g_stpcpy (p, " = ");
    }
    p = g_stpcpy (p, ins->kind == LS_INS_COMPUTE ? ls_op_name (ins->node->op) : kinds[ins->kind]);
    for (guint k = 0; k < ins->n_src && p < end; k++)
      if (ins->src[k] >= 0) {
        *p++ = ' ';
        p = put_register (p, ins->src[k]);
      }
    *p = 0;
    LsProcRow row = { depth, ins->node ? ins->node->id : LS_NO_NODE, g_string_chunk_insert_len (s->trace->strings, text, p - text) };
    g_array_append_val (rows, row);
    if (ins->body)
      procedure_rows (s, ins->body, depth + 1, rows);
  }
}

/* Source links and expressions of a kernel from what its renderer left. */
static void
take_rendered (LsSession *s, LsKernel *k)
{
  LsRendered *text = g_hash_table_lookup (s->rendered, k);
  if (!text)
    return;
  g_array_set_size (k->source_links, text->lines->len);
  for (guint i = 0; i < text->lines->len; i++) {
    const LsRenderedLine *l = &g_array_index (text->lines, LsRenderedLine, i);
    g_array_index (k->source_links, LsSourceLink, i) = (LsSourceLink) { l->line, l->node->id };
  }
  g_array_set_size (k->exprs, text->exprs->len);
  for (guint i = 0; i < text->exprs->len; i++) {
    const LsRenderedExpr *e = &g_array_index (text->exprs, LsRenderedExpr, i);
    g_array_index (k->exprs, LsExpr, i) = (LsExpr) { e->node->id, e->row, e->line, e->assigned, g_string_chunk_insert (s->trace->strings, e->expr ? e->expr : ""), e->why };
  }
  g_hash_table_remove (s->rendered, k);
}

/* linearize, procedure and render; fills the kernel. The list is kept for the interpreter. */
static GPtrArray *
make_text (LsSession *s, LsKernel *k, LsUOp *final, GError **error)
{
  guint64 start = now_ns ();
  gboolean keep = FALSE;
  LsTrace *rec = s->recording ? s->trace : NULL;
  GPtrArray *list = ls_linearize (s->ctx, final, &s->settings, error);
  if (!list)
    return NULL;
  LsPass *pass = ls_trace_add_map_pass (rec, k->number, "linearize", final, final, now_ns () - start);
  for (guint i = 0; i < list->len; i++) {
    LsUOp *u = list->pdata[i];
    g_array_append_val (k->listing, u->id);
    if (pass && u->op == LS_OP_ENDRANGE) {
      LsMapEntry e = { u->id, u->src[0]->id, "end of the loop" };
      g_array_append_val (ls_pass_map (pass), e);
    }
  }
  stage_time (s, "linearize", k->number, start);
  start = now_ns ();
  LsProcedure *proc = ls_procedure_new (s->ctx, k->name, list->len, (LsUOp **) list->pdata, error);
  if (!proc) {
    g_ptr_array_unref (list);
    return NULL;
  }
  if (rec) {
    ls_trace_add_map_pass (rec, k->number, "procedure", final, final, now_ns () - start);
    /* rows are text for people: those of a recording that is written as it goes are made now, others at the end */
    if (s->writer)
      procedure_rows (s, proc->body, 0, k->procedure);
  }
  stage_time (s, "procedure", k->number, start);
  start = now_ns ();
  LsRendered *text = ls_render (s->ctx, proc, list->len, (LsUOp **) list->pdata, s->target, &s->settings, error);
  ls_procedure_free (proc);
  if (!text) {
    g_ptr_array_unref (list);
    return NULL;
  }
  if (rec) {
    ls_trace_add_map_pass (rec, k->number, "render", final, final, now_ns () - start);
    keep = TRUE;
  }
  k->source = g_steal_pointer (&text->source);
  /* the renderer's tables are kept as they are; the recording's form of them is made when it is written or finished */
  if (keep)
    g_hash_table_insert (s->rendered, k, text);
  else
    ls_rendered_free (text);
  if (keep && s->writer)
    take_rendered (s, k);
  stage_time (s, "render", k->number, start);
  return list;
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
  k->stage_ns = new_array (sizeof (LsStageTime));
  k->name = "";
  k->options = "";
  k->ast = k->final_root = LS_NO_NODE;
  k->target = ls_trace_string (s->trace, s->target->name);
  k->compiler = ls_trace_string (s->trace, s->compiler);
  k->compile_message = g_strdup ("");
  g_ptr_array_add (s->trace->kernels, k);
  k->number = s->trace->kernels->len;
  return k;
}

/* A recording that cannot be written does not stop the program: what it prints stays valid, and the reason is kept. */
static void
flush (gpointer data)
{
  LsSession *s = data;
  g_autoptr (GError) error = NULL;
  if (s->writer && !s->record_error && !ls_trace_writer_flush (s->writer, &error))
    s->record_error = g_strdup (error->message);
}

static gboolean
uses_half (GPtrArray *list)
{
  for (guint i = 0; i < list->len; i++) {
    LsBase base = ls_dtype_base (((LsUOp *) list->pdata[i])->dtype);
    if (base == LS_BASE_HALF || base == LS_BASE_BFLOAT16)
      return TRUE;
  }
  return FALSE;
}

/* Compiles and runs a kernel on its buffers. */
static gboolean
launch (LsSession *s, LsKernel *k, GPtrArray *list, LsScheduleItem *item, GError **error)
{
  g_autofree LsBuffer **buffers = g_new0 (LsBuffer *, item->inputs->len + 1);
  if (!(buffers[0] = buffer_get (s, item->buffer, error)))
    return FALSE;
  for (guint i = 0; i < item->inputs->len; i++)
    if (!(buffers[i + 1] = buffer_get (s, g_array_index (item->inputs, LsUOp *, i), error)))
      return FALSE;
  /* the classic and modern dialects lean on names that are not part of the text shown; half in them is a type that tcc lacks */
  const char *prelude = ls_render_prelude (s->target, &s->settings), *compiler = s->compiler;
  g_autofree char *source = prelude && *prelude ? g_strconcat ("#line 1 \"prelude.c\"\n", prelude, "\n#line 1 \"kernel.c\"\n", k->source, NULL) : NULL;
  if (source && strcmp (compiler, "tcc") == 0 && uses_half (list)) {
    compiler = "interp";
    k->compiler = ls_trace_string (s->trace, compiler);
    g_free (k->compile_message);
    k->compile_message = g_strdup ("tcc has no half, which this profile writes as a type: run by the interpreter");
  }
  guint n_buffers = item->inputs->len + 1;
  if (strcmp (compiler, "interp") != 0) {
    /* a function takes the buffers that are left in it; the interpreter knows them by number */
    gboolean *used = g_newa0 (gboolean, n_buffers);
    for (guint i = 0; i < list->len; i++) {
      LsUOp *u = list->pdata[i];
      if (u->op == LS_OP_DEFINE_GLOBAL && u->arg.i >= 0 && u->arg.i < n_buffers)
        used[u->arg.i] = TRUE;
    }
    guint n = 0;
    for (guint i = 0; i < n_buffers; i++)
      if (used[i])
        buffers[n++] = buffers[i];
    n_buffers = n;
  }
  LsLaunch l = { .compiler = compiler, .name = k->name, .source = source ? source : k->source, .n_uops = list->len, .uops = (LsUOp **) list->pdata,
                 .n_buffers = n_buffers, .buffers = buffers, .repeats = (guint) s->settings.REPEATS, .timeout_ms = (guint) s->settings.TIMEOUT_MS,
                 .lines = s->recording };
  LsLaunchResult r = { 0 };
  gboolean ok = ls_runner_launch (s->runner, &l, &r, error);
  k->compile_ms = r.compile_ms;
  if (r.message && *r.message) {
    g_free (k->compile_message);
    k->compile_message = g_steal_pointer (&r.message);
  }
  if (r.run_ns)
    g_array_append_vals (k->run_ns, r.run_ns, r.n_runs);
  k->code = g_steal_pointer (&r.code);
  k->n_code = r.n_code;
  k->code_address = r.code_address;
  if (r.lines)
    g_array_append_vals (k->code_lines, r.lines->data, r.lines->len);
  if (!ok && error && *error)
    k->run_error = g_strdup ((*error)->message);
  ls_launch_result_clear (&r);
  return ok;
}

static gboolean
run_item (LsSession *s, LsScheduleItem *item, GError **error)
{
  LsTrace *t = s->trace, *rec = s->recording ? t : NULL;
  LsKernel *k = kernel_new (s);
  GPtrArray *list;
  note_buffer (s, item->buffer, "intermediate", k->number);
  guint id = (guint) item->buffer->arg.ints[0];
  g_array_append_val (k->buffers, id);
  for (guint i = 0; i < item->inputs->len; i++) {
    LsUOp *in = g_array_index (item->inputs, LsUOp *, i);
    note_buffer (s, in, "intermediate", k->number);
    id = (guint) in->arg.ints[0];
    g_array_append_val (k->buffers, id);
  }
  if (rec) {
    LsPass *pass = ls_trace_add_map_pass (rec, k->number, "schedule", item->node, item->graph, 0);
    pass->map = g_steal_pointer (&item->map);      /* the item's map becomes the pass's */
  }
  CachedCode *cached = g_hash_table_lookup (s->code_cache, GUINT_TO_POINTER (item->graph->id));
  if (cached) {
    LsKernel *o = ls_trace_kernel (t, cached->number);
    k->same_as = (gint) o->number;
    k->name = o->name;
    k->ast = o->ast;
    k->final_root = o->final_root;
    k->options = o->options;
    k->flops = o->flops;
    k->bytes = o->bytes;
    k->source = g_strdup (o->source);
    g_array_append_vals (k->listing, o->listing->data, o->listing->len);
    g_array_append_vals (k->procedure, o->procedure->data, o->procedure->len);
    g_array_append_vals (k->source_links, o->source_links->data, o->source_links->len);
    g_array_append_vals (k->exprs, o->exprs->data, o->exprs->len);
    list = cached->list;
  } else {
    LsCodegen cg = { s->ctx, s->library, &s->settings, s->target, rec, k->number, s->options, t->stage_times, s->writer ? flush : NULL, s };
    LsKernelCode *code = ls_codegen_run (&cg, item->graph, error);
    if (!code)
      return FALSE;
    if (code->refused->len && !s->quiet)
      g_printerr ("warning: kernel %u (%s): %s", k->number, code->name, code->refused->str);
    k->name = ls_trace_string (t, code->name);
    k->ast = code->ast->id;
    k->final_root = code->final->id;
    k->options = ls_trace_string (t, code->options);
    k->flops = code->flops;
    k->bytes = code->bytes;
    list = make_text (s, k, code->final, error);
    ls_kernel_code_free (code);
    if (!list)
      return FALSE;
    CachedCode *c = g_new (CachedCode, 1);
    *c = (CachedCode) { k->number, list };
    g_hash_table_insert (s->code_cache, GUINT_TO_POINTER (item->graph->id), c);
  }
  if (s->on_kernel)
    s->on_kernel (s, k, s->on_kernel_data);
  gboolean ok = !s->execute || launch (s, k, list, item, error);
  if (s->on_ran && s->execute)
    s->on_ran (s, k, s->on_kernel_data);
  flush (s);
  return ok;
}

gboolean
ls_session_realize (LsSession *s, guint n, LsUOp *const *nodes, GError **error)
{
  g_autoptr (GPtrArray) wanted = g_ptr_array_new ();
  for (guint i = 0; i < n; i++) {
    LsUOp *u = nodes[i];
    LsShape shape;
    if (!ls_uop_get_shape (s->ctx, u, &shape, error))
      return FALSE;
    while (u->op == LS_OP_RESHAPE && !g_hash_table_contains (s->realized, GUINT_TO_POINTER (u->id)))
      u = u->src[0];
    if (u->op == LS_OP_CONST)
      u = nodes[i];
    if (!g_hash_table_contains (s->realized, GUINT_TO_POINTER (u->id)) && u->op != LS_OP_BUFFER && !g_ptr_array_find (wanted, u, NULL))
      g_ptr_array_add (wanted, u);
  }
  if (wanted->len == 0)
    return TRUE;
  guint64 start = now_ns ();
  LsUOp *sink = over_buffers (s, wanted->len, (LsUOp **) wanted->pdata);
  LsCodegen cg = { s->ctx, s->library, &s->settings, s->target, s->recording ? s->trace : NULL, 0, NULL, NULL, s->writer ? flush : NULL, s };
  LsUOp *simple = ls_codegen_pass (&cg, "tensor", "tensor", LS_REWRITE_BOTTOM_UP, NULL, sink, error);
  if (!simple)
    return FALSE;
  stage_time (s, "tensor", 0, start);
  start = now_ns ();
  LsSchedule *schedule = ls_schedule_new (s->ctx, simple->n_src, simple->src, &s->settings, s->recording ? s->trace : NULL, s->trace->kernels->len);
  stage_time (s, "schedule", 0, start);
  if (s->on_schedule)
    s->on_schedule (s, schedule->items->len, s->on_kernel_data);
  gboolean ok = TRUE;
  for (guint i = 0; i < schedule->items->len && ok; i++) {
    LsScheduleItem *item = schedule->items->pdata[i];
    if (item->buffer->arg.ints[1] == 0)
      ok = buffer_get (s, item->buffer, error) != NULL;
    else
      ok = run_item (s, item, error);
  }
  for (guint i = 0; i < wanted->len && ok; i++) {
    LsUOp *u = wanted->pdata[i], *b = schedule->results[i];
    g_hash_table_insert (s->realized, GUINT_TO_POINTER (u->id), b);
    if (b->arg.ints[0] < (gint64) s->trace->buffers->len) {
      LsTraceBuffer *tb = s->trace->buffers->pdata[b->arg.ints[0]];
      if (g_str_equal (tb->role, "intermediate"))
        tb->role = "output";
    }
  }
  ls_schedule_free (schedule);
  return ok;
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
  if (!b) {
    g_set_error (error, LS_ERROR, LS_ERROR_INTERNAL, "node %u was realized but has no buffer", node->id);
    return NULL;
  }
  return buffer_get (s, b, error);
}

GArray *
ls_session_check_options (const char *text, GError **error)
{
  return ls_opts_parse (text, error);
}

/* What kernels still lack: the tables of their text, and the rows of their procedure. */
static void
finish_kernels (LsSession *s)
{
  for (guint i = 0; i < s->trace->kernels->len; i++) {
    LsKernel *k = s->trace->kernels->pdata[i];
    take_rendered (s, k);
    if (k->same_as > 0 && k->exprs->len == 0) {
      const LsKernel *first = ls_trace_kernel (s->trace, (guint) k->same_as);
      g_array_append_vals (k->source_links, first->source_links->data, first->source_links->len);
      g_array_append_vals (k->exprs, first->exprs->data, first->exprs->len);
    }
    if (k->procedure->len > 0 || k->listing->len == 0)
      continue;
    if (k->same_as > 0) {
      const LsKernel *o = ls_trace_kernel (s->trace, (guint) k->same_as);
      g_array_append_vals (k->procedure, o->procedure->data, o->procedure->len);
      continue;
    }
    g_autoptr (GPtrArray) list = g_ptr_array_new ();
    for (guint n = 0; n < k->listing->len; n++)
      g_ptr_array_add (list, ls_context_node (s->ctx, g_array_index (k->listing, guint32, n)));
    LsProcedure *proc = ls_procedure_new (s->ctx, k->name, list->len, (LsUOp **) list->pdata, NULL);
    if (proc) {
      procedure_rows (s, proc->body, 0, k->procedure);
      ls_procedure_free (proc);
    }
  }
}

#define KEEP_BYTES (64 * 1024)
#define MEASURE_BYTES ((gsize) 1 << 30)      /* over larger buffers statistics and digest would take minutes */

void
ls_session_finish (LsSession *s)
{
  LsTrace *t = s->trace;
  g_free (t->std_out);
  t->std_out = g_strdup (s->out->str);
  t->complete = TRUE;
  if (s->recording)
    finish_kernels (s);
  ls_memory_plan (t->buffers);
  for (guint i = 0; i < t->buffers->len && i < s->buffers->len; i++) {
    LsTraceBuffer *tb = t->buffers->pdata[i];
    LsBuffer *b = s->buffers->pdata[i];
    if (!b || tb->data || tb->digest || tb->dtype == LS_VOID)
      continue;
    LsDType d = ls_dtype_strong (tb->dtype);
    double sum = 0;
    tb->min = tb->max = tb->mean = NAN;
    if (b->nbytes > MEASURE_BYTES)
      continue;
    gsize step = ls_dtype_itemsize (d);
    guint64 n_finite = 0;
    for (guint64 e = 0; e < b->n; e++) {
      LsScalar v = ls_scalar_load (d, b->data + e * step);
      double x = ls_dtype_is_float (d) ? v.f : (double) v.i;
      if (isnan (x)) {
        tb->n_nan++;
        continue;
      }
      if (isinf (x))
        tb->n_inf++;
      tb->min = isnan (tb->min) || x < tb->min ? x : tb->min;
      tb->max = isnan (tb->max) || x > tb->max ? x : tb->max;
      sum += x;
      n_finite++;
    }
    if (n_finite)
      tb->mean = sum / (double) n_finite;
    if (b->nbytes <= KEEP_BYTES) {
      tb->data = g_memdup2 (b->data, b->nbytes);
      tb->n_data = b->nbytes;
    } else {
      tb->digest = g_compute_checksum_for_data (G_CHECKSUM_SHA256, b->data, b->nbytes);
    }
  }
  flush (s);
}
