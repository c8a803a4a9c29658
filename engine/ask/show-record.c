/* The stages of a recording as rows. See show.h. */
#include "show.h"

#include "ir/sentence.h"
#include "pipeline/memory.h"
#include "run/run.h"
#include "trace/in-place.h"
#include "trace/realizations.h"
#include "trace/row-steps.h"
#include "trace/statements.h"
#include "trace/what-if.h"

#define KEEP(value, free_value) ls_answer_keep (answer, value, (GDestroyNotify) (free_value))

const LsKernel *
ls_shown_code (LsTrace *trace, const LsKernel *k)
{
  const LsKernel *same = k->same_as > 0 ? ls_trace_kernel (trace, (guint) k->same_as) : NULL;
  return same ? same : k;
}

char *
ls_shown_shape (LsTrace *trace, const LsUOp *u)
{
  LsShape shape;
  return u && ls_uop_get_shape (trace->ctx, (LsUOp *) u, &shape, NULL) ? ls_shape_to_string (shape) : g_strdup ("");
}

/* The ids of a node's sources. */
static LsList
sources_of (const LsAnswering *answer, const LsUOp *u)
{
  gint64 *ids = KEEP (g_new (gint64, u->n_src + 1), g_free);
  for (guint i = 0; i < u->n_src; i++)
    ids[i] = u->src[i]->id;
  return ls_list_of (u->n_src, ids, sizeof *ids);
}

/* --- overview --- */

#define KERNELS "The kernels, in order of launches."

#define OVERVIEW_KERNEL(X) \
  X (kernel, INT, k->number, TRUE, "Number of the kernel, from 1 in order of launches.") \
  X (name, TEXT, k->name, TRUE, "Its name.") \
  X (options, TEXT, k->options, TRUE, "The options that it was made with, such as UPCAST:0:4; \"\" for none.") \
  X (target, TEXT, k->target, TRUE, "The target of its source.") \
  X (compiler, TEXT, k->compiler, TRUE, "The compiler of its code and its times.") \
  X (same_as, INT, k->same_as, TRUE, "Number of the earlier kernel whose code it uses, or 0.") \
  X (by_hand, TEXT, ls_kernel_by_hand (k), TRUE, "The C file whose function replaces its code, or null.") \
  X (uops, INT, k->listing->len, TRUE, "Number of UOps in its listing.")
LS_INNER_RECORD (overview_kernel, OVERVIEW_KERNEL, const LsKernel *k = row;)

#define OVERVIEW_PASS(X) \
  X (kernel, INT, p->kernel, TRUE, "Number of the pass's kernel; 0: the tensor level.") \
  X (name, TEXT, p->name, TRUE, "Its name, with a number if the kernel has several passes of that name.") \
  X (sentence, TEXT, ls_pass_sentence (p), TRUE, "Its purpose.") \
  X (stage, TEXT, p->stage, TRUE, "Its stage.") \
  X (set, TEXT, p->set, TRUE, "The rule sets that it applies, \"\" for none.") \
  X (steps, INT, ls_pass_n_steps (p), TRUE, "Number of its steps.") \
  X (links, INT, p->links->len, TRUE, "Number of its links: steps, and nodes that were rebuilt around them.") \
  X (input, INT, p->input, TRUE, "Id of the root of the graph before it.") \
  X (output, INT, p->output, p->output != LS_NO_NODE, "Id of the root of the graph after it, if it ended.") \
  X (stopped, BOOL, TRUE, p->output == LS_NO_NODE, "true if the run ended during the pass.") \
  X (ns, INT, p->ns, TRUE, "Its time in nanoseconds.") \
  X (parent, TEXT, ((LsPass *) shown->trace->passes->pdata[p->parent])->name, p->parent >= 0, "The pass that it is nested in.") \
  X (parent_step, INT, p->step, p->step != 0, "The step of that pass that it is nested in.")
LS_INNER_RECORD (overview_pass, OVERVIEW_PASS, const LsPass *p = row; const LsShown *shown = answer->data;)

gboolean
ls_shown_has (const LsShown *shown, guint kernel)
{
  return shown->kernel < 0 || (guint) shown->kernel == kernel;
}

static LsList
kernels_of (const LsShown *shown)
{
  const GPtrArray *kernels = shown->trace->kernels;
  return shown->kernel < 0 ? ls_list_pointers (kernels) : shown->kernel == 0 ? (LsList) { 0 }
                                                                             : ls_list_of (1, kernels->pdata + shown->kernel - 1, 0);
}

static LsList
passes_of (const LsAnswering *answer, const LsShown *shown)
{
  GPtrArray *out = KEEP (g_ptr_array_new (), g_ptr_array_unref);
  for (guint i = 0; i < shown->trace->passes->len; i++)
    if (ls_shown_has (shown, ((LsPass *) shown->trace->passes->pdata[i])->kernel))
      g_ptr_array_add (out, shown->trace->passes->pdata[i]);
  return ls_list_pointers (out);
}

#define OVERVIEW(X) \
  X (program, TEXT, t->program_name, TRUE, "Name of the program.") \
  X (statements, INT, t->statements->len, TRUE, "Number of statements recorded.") \
  X (copies, INT, t->n_copies, TRUE, "Number of copies into buffers.") \
  X (complete, BOOL, t->complete, TRUE, "false if the process was killed before the recording was complete.") \
  X (error, TEXT, t->error, TRUE, "The error that the program failed with, or null.") \
  X (kernels, LIST, kernels_of (shown), TRUE, KERNELS, .of = &overview_kernel) \
  X (passes, LIST, passes_of (answer, shown), TRUE, "The passes, in order.", .of = &overview_pass, .lines = TRUE)
LS_RECORD (ls_show_overview_answer, OVERVIEW, const LsShown *shown = row; const LsTrace *t = shown->trace;)

/* --- program --- */

static LsTrace *
answer_trace (const LsAnswering *answer)
{
  return ((const LsShown *) answer->data)->trace;
}

#define PROGRAM_FILE(X) \
  X (name, TEXT, f->name, TRUE, "Name of a file that ran.") \
  X (library, BOOL, f->library, TRUE, "true for a file of the tensor library.")
LS_INNER_RECORD (program_file, PROGRAM_FILE, const LsProgramFile *f = row;)

#define STATEMENT(X) \
  X (line, INT, s->line, TRUE, "First line of the statement, from 1.") \
  X (end_line, INT, s->end_line, TRUE, "Last line of the statement.") \
  X (ns, INT, s->ns, TRUE, "Its time in nanoseconds.") \
  X (file, INT, s->file, TRUE, "Its file, as a number in files, from 0.") \
  X (turn, INT, s->turn, TRUE, "Number of this execution of the statement, from 1.") \
  X (times, INT, s->times, TRUE, "Total number of executions, in its last row.")
LS_INNER_RECORD (statement, STATEMENT, const LsStatement *s = row;)

#define CALL(X) \
  X (parent, INT, c->parent, TRUE, "The parent call, as a number in calls, from 0; -1: the program itself.") \
  X (line, INT, c->line, TRUE, "Line of the program with the call.") \
  X (name, TEXT, c->name, TRUE, "The function's name.") \
  X (args, TEXT, c->args, TRUE, "Its arguments, as text.") \
  X (statement, INT, c->statement, TRUE, "The statement that made it, as a number in statements, from 0.") \
  X (file, INT, c->file, TRUE, "The file that it was called in, or -1.") \
  X (file_line, INT, c->file_line, TRUE, "The line of that file.") \
  X (file_col, INT, c->file_column, TRUE, "The column of that line.") \
  X (def_file, INT, c->def_file, TRUE, "The file that the function is defined in, or -1.") \
  X (def_line, INT, c->def_line, TRUE, "The line of that file.") \
  X (node, INT, c->node, c->node != LS_NO_NODE, "Id of the last node that it made, if it made one.")
LS_INNER_RECORD (program_call, CALL, const LsCall *c = row;)

typedef struct { const LsNameBinding *name; LsBoundName value; } Bound;

#define BINDING(X) \
  X (statement, INT, n->statement, TRUE, "The statement that bound the name, as a number in statements, from 0.") \
  X (name, TEXT, n->name, TRUE, "The name.") \
  X (node, INT, n->node, TRUE, "Id of the node of the tensor or UOp.") \
  X (device, TEXT, LS_SHOWN_DEVICE, !bound->value.expr, "The tensor's device.") \
  X (op, TEXT, ls_op_name (u->op), TRUE, "Op of the node.") \
  X (dtype, TEXT, ls_dtype_name (u->dtype), TRUE, "Its dtype.") \
  X (shape, LIST, ls_list_of (bound->value.shape.n, bound->value.shape.dims, sizeof *bound->value.shape.dims), !bound->value.expr, \
     "A tensor's shape.", .item = LS_CELL_INT) \
  X (size, INT, ls_shape_size (bound->value.shape), !bound->value.expr, "Number of its elements.") \
  X (expression, TEXT, bound->value.expr, bound->value.expr != NULL, "A UOp as an expression.") \
  X (arg, OWNED, ls_arg_print (u->arg), TRUE, "Argument of the node, as text.") \
  X (src, LIST, sources_of (answer, u), TRUE, "Ids of its sources.", .item = LS_CELL_INT) \
  X (base, INT, bound->value.base->id, bound->value.base != NULL, "Id of the node that it is a view of, if that is recorded.") \
  X (st, TEXT, bound->value.view, bound->value.view != NULL, "Its view of the base, if that is recorded.") \
  X (buffer, INT, n->buffer, n->buffer != G_MAXUINT, "The buffer of the base, if it was computed by then.")
LS_INNER_RECORD (program_binding, BINDING,
                 const Bound *bound = row; const LsNameBinding *n = bound->name; const LsUOp *u = bound->value.node;)

static void
bound_clear (gpointer data)
{
  ls_bound_name_clear (&((Bound *) data)->value);
}

static LsList
bindings_of (const LsAnswering *answer, LsTrace *t)
{
  GArray *out = KEEP (g_array_new (FALSE, FALSE, sizeof (Bound)), g_array_unref);
  g_array_set_clear_func (out, bound_clear);
  for (guint i = 0; i < t->bindings->len; i++) {
    Bound bound = { &g_array_index (t->bindings, LsNameBinding, i) };
    if (ls_bound_name (t, bound.name, &bound.value))
      g_array_append_val (out, bound);
  }
  return ls_list_array (out);
}

#define STOP(X) \
  X (statement, INT, stop->row, TRUE, "The statement, as a number in statements, from 0.") \
  X (sentence, OWNED, ls_stop_sentence (answer_trace (answer), stop, FALSE), TRUE, "The effect of the statement.") \
  X (binding, INT, stop->binding, stop->n_bindings > 0, "The first name that it bound, as a number in bindings, from 0.") \
  X (names, INT, stop->n_bindings, TRUE, "Number of the names that it bound.")
LS_INNER_RECORD (program_stop, STOP, const LsStop *stop = row;)

static char *
did_text (LsTrace *trace, const LsDid *did)
{
  g_autofree char *sentence = ls_did_sentence (trace, did);
  return ls_sentence_text (sentence);
}

#define DID(X) \
  X (call, INT, did->call, TRUE, "The call that asked for it, as a number in calls, from 0.") \
  X (kind, NAME, did->kind, TRUE, "The schedule, a copy of host data, a kernel, or its launch.", .names = ls_did_kinds) \
  X (kernel, INT, did->kernel, did->kernel != 0, "Number of the kernel.") \
  X (buffer, INT, did->buffer, did->kind == LS_DID_COPY || did->kind == LS_DID_KERNEL, \
     "The buffer of the host that is copied, or the buffer that the kernel writes.") \
  X (sentence, OWNED, did_text (answer_trace (answer), did), TRUE, "The same in words.") \
  X (place, OWNED, ls_did_place (answer_trace (answer), did), did->kernel != 0, "Where it is shown, such as 1/schedule.")
LS_INNER_RECORD (program_did, DID, const LsDid *did = row;)

static LsList
did_of (const LsAnswering *answer, LsTrace *t)
{
  GArray *out = KEEP (g_array_new (FALSE, FALSE, sizeof (LsDid)), g_array_unref);
  const GPtrArray *all = ls_trace_realizations (t);
  for (guint i = 0; i < all->len; i++)
    if (((const LsRealization *) all->pdata[i])->call >= 0)
      ls_realization_list (t, all->pdata[i], G_MAXUINT, out);
  return ls_list_array (out);
}

#define PROGRAM(X) \
  X (files, LIST, ls_list_array (t->files), TRUE, "The files that ran, the program first.", .of = &program_file) \
  X (program, TEXT, t->program_name, TRUE, "Name of the program.") \
  X (text, TEXT, t->program_text, TRUE, "Its text.") \
  X (statements, LIST, ls_list_array (t->statements), TRUE, "Executions of statements that called a function or bound a name.", \
     .of = &statement, .lines = TRUE) \
  X (calls, LIST, ls_list_array (t->calls), TRUE, "Calls of tensor methods.", .of = &program_call) \
  X (bindings, LIST, bindings_of (answer, t), TRUE, "Names that statements bound to tensors or UOps.", .of = &program_binding) \
  X (stops, LIST, ls_list_array (ls_trace_stops (t)), TRUE, "The walk: the executions in the order in which they ended, at most 4,096.", \
     .of = &program_stop) \
  X (did, LIST, did_of (answer, t), TRUE, "The copies, kernels and launches that calls led to, in order.", .of = &program_did)
LS_RECORD (ls_show_program_answer, PROGRAM, LsTrace *t = ((const LsShown *) row)->trace;)

/* --- schedule --- */

typedef struct { LsTrace *trace; const LsDecision *d; const LsPass *pass; guint step; LsRowWords words; gboolean costs; LsDecisionCost cost;
                 char *what_if; } Decided;

/* The program's line of the call that made a node last, and that call; G_MAXUINT: no call is known. */
static guint
call_of (const Decided *d, guint32 node)
{
  g_autoptr (GArray) calls = node == LS_NO_NODE ? NULL : ls_schedule_calls (d->pass, node);
  return calls && calls->len ? g_array_index (calls, guint, calls->len - 1) : G_MAXUINT;
}

static gint64
line_of (const Decided *d, guint32 node)
{
  guint call = call_of (d, node);
  return call == G_MAXUINT ? 0 : g_array_index (d->trace->calls, LsCall, call).line;
}

static char *
path_of (const Decided *d, guint32 node)
{
  guint call = call_of (d, node);
  return call == G_MAXUINT ? NULL : ls_call_path (d->trace, call);
}

#define DECISION(X) \
  X (pass, TEXT, s->pass->name, TRUE, "Name of the schedule's pass.") \
  X (step, INT, s->step, TRUE, "The decision as a step of the pass, from 1.") \
  X (kernel, INT, d->kernel, TRUE, "Number of the kernel that writes the node's buffer because of it, or 0.") \
  X (node, INT, d->node, TRUE, "Id of the tensor's node.") \
  X (op, TEXT, u ? ls_op_name (u->op) : "?", TRUE, "Its op.") \
  X (shape, OWNED, ls_shown_shape (s->trace, u), TRUE, "Its shape, as text.") \
  X (line, INT, line_of (s, d->node), TRUE, "Line of the program that made it last, or 0.") \
  X (call, OWNED, path_of (s, d->node), TRUE, "The call that made it, with its parents, or null.") \
  X (user, INT, d->user, d->user != LS_NO_NODE, "Id of the node that uses it, of a decision about one use.") \
  X (user_op, TEXT, v ? ls_op_name (v->op) : "?", d->user != LS_NO_NODE, "The op of the user.") \
  X (user_line, INT, line_of (s, d->user), d->user != LS_NO_NODE, "Line of the program that made the user last, or 0.") \
  X (user_kernel, INT, d->user_kernel, d->user != LS_NO_NODE, "The first kernel that computes the user, or 0.") \
  X (realized, BOOL, d->realized, TRUE, "true if the decision gave the node its own buffer.") \
  X (key, TEXT, ls_reason_keys[d->key], TRUE, "The name of the reason.") \
  X (reason, TEXT, d->reason, TRUE, "The reason of the decision, in short.") \
  X (why, TEXT, ls_reasons[d->key].sentence, TRUE, "The reason as a sentence.") \
  X (sentence, TEXT, s->words.change, TRUE, "The decision as a sentence.") \
  X (what_if, OWNED, g_strdup (s->what_if), s->what_if != NULL, "The schedule= of a variant that turns it around.") \
  X (other_bytes_stored, INT, s->cost.stored, s->costs, "Bytes that the other choice stores more; negative: less.") \
  X (other_bytes_loaded, INT, s->cost.loaded, s->costs, "Bytes that it loads more.") \
  X (other_operations, INT, s->cost.work, s->costs, "Operations on elements that it does more.") \
  X (other_accumulators, INT, s->cost.accumulators, s->costs, "Accumulators of reduces that the user's kernel would need more.") \
  X (other_parallel, INT, s->cost.parallel, s->costs, \
     "Results of the user's kernel, where the value would be computed; 0: not known, or it is computed there.")
LS_INNER_RECORD (schedule_decision, DECISION, const Decided *s = row; const LsDecision *d = s->d;
                 const LsUOp *u = ls_context_node (s->trace->ctx, d->node); const LsUOp *v = d->user == LS_NO_NODE ? NULL :
                 ls_context_node (s->trace->ctx, d->user);)

gboolean
ls_shown_decides (const LsShown *shown, const LsDecision *d)
{
  return shown->kernel < 0 || (shown->kernel > 0 && (d->kernel == (guint) shown->kernel || d->user_kernel == (guint) shown->kernel));
}

static void
decided_clear (gpointer data)
{
  ls_row_words_clear (&((Decided *) data)->words);
  g_free (((Decided *) data)->what_if);
}

static LsList
decisions_of (const LsAnswering *answer, const LsShown *shown)
{
  GArray *out = KEEP (g_array_new (FALSE, FALSE, sizeof (Decided)), g_array_unref);
  g_array_set_clear_func (out, decided_clear);
  for (guint i = 0; i < shown->trace->passes->len; i++) {
    const LsPass *pass = shown->trace->passes->pdata[i];
    const LsDecision *d;
    for (guint step = 1; (d = ls_schedule_step_decision (pass, step)); step++) {
      Decided s = { shown->trace, d, pass, step };
      if (!ls_shown_decides (shown, d))
        continue;
      ls_row_step_words (pass, step, FALSE, &s.words);
      s.costs = ls_schedule_step_cost (pass, step, &s.cost);
      s.what_if = ls_what_if_text (pass, step);
      g_array_append_val (out, s);
    }
  }
  return ls_list_array (out);
}

GArray *
ls_shown_copies (const LsShown *shown)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (LsDid));
  GArray *out = g_array_new (FALSE, FALSE, sizeof (LsDid));
  const GPtrArray *realizations = ls_trace_realizations (shown->trace);
  for (guint i = 0; i < realizations->len; i++)
    ls_realization_list (shown->trace, realizations->pdata[i], G_MAXUINT, all);
  for (guint i = 0; i < all->len; i++) {
    const LsDid *did = &g_array_index (all, LsDid, i);
    if (did->kind == LS_DID_COPY && ls_shown_has (shown, did->kernel))
      g_array_append_val (out, *did);
  }
  return out;
}

#define COPY(X) \
  X (kernel, INT, did->kernel, did->kernel != 0, "The first kernel that reads it.") \
  X (host, INT, did->buffer, TRUE, "The buffer of the host's data.") \
  X (buffer, INT, did->buffer + 1, TRUE, "The buffer that it is copied to.") \
  X (sentence, OWNED, did_text (answer_trace (answer), did), TRUE, "The same in words.")
LS_INNER_RECORD (schedule_copy, COPY, const LsDid *did = row;)

/* A buffer of the memory plan; over: the input whose bytes it takes, or -1. */
typedef struct { const LsTraceBuffer *b; gint64 over; } Planned;

static LsList
planned_of (const LsAnswering *answer, LsTrace *t)
{
  GArray *out = KEEP (g_array_new (FALSE, FALSE, sizeof (Planned)), g_array_unref);
  for (guint i = 0; i < t->buffers->len; i++) {
    Planned p = { t->buffers->pdata[i], -1 };
    const LsKernel *k = ls_trace_kernel (t, p.b->first_use);
    gint output = ls_kernel_output_number (k, i);
    for (guint a = ls_kernel_n_outputs (k); p.b->offset >= 0 && output >= 0 && a < k->buffers->len; a++) {
      guint id = g_array_index (k->buffers, guint, a);
      if (id < t->buffers->len && ((const LsTraceBuffer *) t->buffers->pdata[id])->offset == p.b->offset &&
          ls_in_place (t, k, (guint) output, a) == LS_IN_PLACE_NONE)
        p.over = id;
    }
    if (p.b->offset >= 0)
      g_array_append_val (out, p);
  }
  return ls_list_array (out);
}

#define PLANNED(X) \
  X (buffer, INT, p->b->id, TRUE, "The buffer.") \
  X (bytes, INT, ls_planned_bytes (p->b), TRUE, "Its bytes, a multiple of 64.") \
  X (offset, INT, p->b->offset, TRUE, "Where it lies.") \
  X (first, INT, p->b->first_use, TRUE, "The kernel that writes it first.") \
  X (last, INT, p->b->last_use, TRUE, "The kernel that uses it last.") \
  X (over, INT, p->over, p->over >= 0, "The input of its kernel that it is written over.")
LS_INNER_RECORD (planned_answer, PLANNED, const Planned *p = row;)

#define MEMORY(X) \
  X (bytes, INT, m.bytes, TRUE, "Bytes of the memory plan of intermediate buffers.") \
  X (side_by_side, INT, m.side_by_side, TRUE, "Bytes of all of them side by side.") \
  X (alive, INT, m.alive, TRUE, "The most bytes of them that one kernel needs.") \
  X (kernel, INT, m.kernel, TRUE, "That kernel, or 0.") \
  X (buffers, LIST, planned_of (answer, ((const LsShown *) row)->trace), TRUE, "They.", .of = &planned_answer)
LS_INNER_RECORD (memory_answer, MEMORY, LsShownMemory m = ls_shown_memory (row);)

LsShownMemory
ls_shown_memory (const LsShown *shown)
{
  LsShownMemory m = { 0 };
  for (guint i = 0; i < shown->trace->buffers->len; i++) {
    const LsTraceBuffer *b = shown->trace->buffers->pdata[i];
    if (b->offset < 0)
      continue;
    m.n++;
    m.bytes = MAX (m.bytes, b->offset + ls_planned_bytes (b));
    m.side_by_side += ls_planned_bytes (b);
  }
  m.alive = ls_memory_alive (shown->trace->buffers, &m.kernel);
  return m;
}

#define SCHEDULE(X) \
  X (decisions, LIST, decisions_of (answer, row), TRUE, "The schedule's decisions, in order.", .of = &schedule_decision, \
     .lines = TRUE) \
  X (copies, LIST, ls_list_array (KEEP (ls_shown_copies (row), g_array_unref)), TRUE, "Copies of host data.", .of = &schedule_copy) \
  X (memory, ROW, row, TRUE, "The memory plan.", .of = &memory_answer)
LS_RECORD (ls_show_schedule_answer, SCHEDULE)

/* --- stages of kernels --- */

#define KERNEL(X) \
  X (kernel, INT, k->number, TRUE, "Number of the kernel.") \
  X (name, TEXT, k->name, TRUE, "Its name.")
#define OF_KERNEL \
  const LsKernel *k = row; \
  const LsShown *shown G_GNUC_UNUSED = answer->data; \
  const LsKernel *code G_GNUC_UNUSED = ls_shown_code (shown->trace, k);

static void
kernels_get (const LsAnswering *answer, gconstpointer row, guint index, LsValue *value)
{
  *value = (LsValue) { TRUE, .list = kernels_of (row) };
}

/* The answer of a stage: its kernels, with rows of KERNEL and of their own. */
#define STAGE(NAME, ROWS) \
  LS_INNER_RECORD (NAME##_kernel, ROWS, OF_KERNEL) \
  static const LsField NAME##_fields = { .name = "kernels", .kind = LS_CELL_LIST, .sentence = KERNELS, .of = &NAME##_kernel, \
                                          .lines = TRUE }; \
  const LsRecord ls_show_##NAME##_answer = { "ls_show_" #NAME "_answer", 1, &NAME##_fields, kernels_get };

static char *
tree_text (LsTrace *t, const LsKernel *code)
{
  LsUOp *ast = ls_context_node (t->ctx, code->ast);
  return ast ? ls_tree_print (t->ctx, ast) : g_strdup ("");
}

#define TREE_KERNEL(X) \
  KERNEL (X) \
  X (text, OWNED, tree_text (shown->trace, code), TRUE, "The kernel's graph before its first rewrite, as a tree.")
STAGE (tree, TREE_KERNEL)

#define LISTING_ROW(X) \
  X (node, INT, r->node, TRUE, "Id of the node that the row shows.") \
  X (op, TEXT, r->op, TRUE, "Its op.") \
  X (dtype, TEXT, r->dtype, TRUE, "Its dtype.") \
  X (src, TEXT, r->src, TRUE, "The rows of its sources, as text.") \
  X (arg, TEXT, r->arg, TRUE, "Its argument, as text.")
LS_INNER_RECORD (listing_row, LISTING_ROW, const LsListingRow *r = row;)

static LsList
listing_of (const LsAnswering *answer, const LsShown *shown, const LsKernel *code)
{
  LsTrace *t = shown->trace;
  g_autoptr (GPtrArray) list = ls_kernel_list (t, code);
  return ls_list_array (KEEP (ls_listing_rows (t->ctx, list->len, (LsUOp **) list->pdata, shown->style), g_array_unref));
}

#define LISTING_KERNEL(X) \
  KERNEL (X) \
  X (rows, LIST, listing_of (answer, shown, code), TRUE, "Rows of its listing.", .of = &listing_row, .lines = TRUE)
STAGE (listing, LISTING_KERNEL)

#define PROCEDURE_ROW(X) \
  X (kind, NAME, r->kind, TRUE, "Kind of the row.", .names = ls_proc_kind_names) \
  X (depth, INT, r->depth, TRUE, "Number of loops and ifs around it.") \
  X (node, INT, r->node, r->node != LS_NO_NODE, "Id of the node that it shows.") \
  X (op, TEXT, ls_op_name (r->op), r->op < LS_N_OPS, "The node's op.") \
  X (dest, INT, r->dest, r->dest != LS_NO_REGISTER, "The register that it writes.") \
  X (dtype, DTYPE, r->dtype, r->dtype != LS_VOID, "Dtype of the value that it writes or stores, or of a buffer's pointer.") \
  X (value, OWNED, ls_arg_print (r->value), r->value.kind != LS_ARG_NONE, "Its argument, as text.") \
  X (sources, LIST, ls_list_of (r->sources.n, r->sources.ints, sizeof *r->sources.ints), r->sources.kind == LS_ARG_INTS, \
     "The registers that it reads.", .item = LS_CELL_INT) \
  X (buffer, TEXT, r->buffer, r->buffer != NULL, "The buffer that it declares or accesses.") \
  X (bound, INT, r->bound, r->bound >= 0 && r->kind != LS_PROC_TEXT, "Upper bound (exclusive) of the register of a loop or work item.") \
  X (text, OWNED, ls_proc_row_text (r), TRUE, "The row as text.")
LS_INNER_RECORD (procedure_row, PROCEDURE_ROW, const LsProcRow *r = row;)

#define PROCEDURE_KERNEL(X) \
  KERNEL (X) \
  X (signature, OWNED, ls_proc_signature (code->name, code->procedure), TRUE, "Its name with its arguments.") \
  X (rows, LIST, ls_list_array (code->procedure), TRUE, "Rows of its procedure.", .of = &procedure_row, .lines = TRUE)
STAGE (procedure, PROCEDURE_KERNEL)

#define SOURCE_LINK(X) \
  X (line, INT, l->line, TRUE, "A line of the source, from 1.") \
  X (node, INT, l->node, TRUE, "Id of a node that the line shows.")
LS_INNER_RECORD (source_link, SOURCE_LINK, const LsSourceLink *l = row;)

#define SOURCE_KERNEL(X) \
  KERNEL (X) \
  X (text, TEXT, code->source ? code->source : "", TRUE, "Its source.") \
  X (links, LIST, ls_list_array (code->source_links), TRUE, "The nodes that each line shows.", .of = &source_link)
STAGE (source, SOURCE_KERNEL)

/* An expression of a kernel, and the number of its row. */
typedef struct { const LsExpr *expr; gint row; } Expr;

static LsList
exprs_of (const LsAnswering *answer, const LsShown *shown, const LsKernel *code)
{
  g_autoptr (GHashTable) numbers = ls_kernel_rows (shown->trace, code, shown->style);
  Expr *out = KEEP (g_new (Expr, code->exprs->len + 1), g_free);
  for (guint i = 0; i < code->exprs->len; i++) {
    const LsExpr *e = &g_array_index (code->exprs, LsExpr, i);
    out[i] = (Expr) { e, ls_row_number (numbers, e->node) };
  }
  return ls_list_of (code->exprs->len, out, sizeof *out);
}

static LsList
lines_of (const LsAnswering *answer, const char *text)
{
  char **lines = KEEP (g_strsplit (text ? text : "", "\n", -1), g_strfreev);
  return ls_list_of (g_strv_length (lines), lines, 0);
}

#define EXPR(X) \
  X (node, INT, e->node, TRUE, "Id of the node.") \
  X (row, INT, ((const Expr *) row)->row, TRUE, "Its row in the listing, or -1.") \
  X (line, INT, e->line, TRUE, "Line of the source at which its variable is assigned.") \
  X (assigned, BOOL, e->assigned, TRUE, "true if it is assigned to a variable; false if it is inlined.") \
  X (expr, TEXT, e->expr, TRUE, "Its expression.") \
  X (why, TEXT, e->why, TRUE, "Why it is assigned or inlined.") \
  X (name, TEXT, e->name, TRUE, "The name that its users write, \"\" for the expression; null: not recorded.") \
  X (inputs, LIST, lines_of (answer, e->inputs), TRUE, "The expressions of its sources.", .item = LS_CELL_TEXT) \
  X (asked, TEXT, e->asked, TRUE, "Fields of the dialect that it depends on, separated by spaces; null: not recorded.")
LS_INNER_RECORD (expr_row, EXPR, const LsExpr *e = ((const Expr *) row)->expr;)

#define EXPRS_KERNEL(X) \
  KERNEL (X) \
  X (rows, LIST, exprs_of (answer, shown, code), TRUE, "The renderer's table.", .of = &expr_row, .lines = TRUE)
STAGE (exprs, EXPRS_KERNEL)

static const char *const spells[] = { "any", "floats", "others", "numbers", "integers", "bools", NULL };

#define DIALECT_ROW(X) \
  X (group, TEXT, use->says.group, TRUE, "Group of the field.") \
  X (field, TEXT, use->says.name, TRUE, "A field of the dialect, or an operation.") \
  X (of, NAME, use->says.of, use->says.op < LS_N_OPS, "For an operation: the dtypes of its values.", .names = spells) \
  X (value, TEXT, use->says.value, TRUE, "The field's value in the dialect, or null.") \
  X (meaning, TEXT, use->says.sentence, TRUE, "Meaning of the field.") \
  X (rows, INT, use->n_rows, TRUE, "Number of rows of the renderer's table that depend on it.") \
  X (function, BOOL, use->by_function, TRUE, "true if text outside those rows depends on it.")
LS_INNER_RECORD (dialect_row, DIALECT_ROW, const LsDialectUse *use = row;)

const char *
ls_shown_profile (LsTrace *trace)
{
  LsSettings settings;
  ls_trace_settings (trace, &settings);
  return ls_profile_name (ls_settings_profile (&settings));
}

#define DIALECT_KERNEL(X) \
  KERNEL (X) \
  X (target, TEXT, k->target, TRUE, "The target.") \
  X (profile, TEXT, ls_shown_profile (shown->trace), TRUE, "The profile of the dialect.") \
  X (rows, LIST, ls_list_array (KEEP (ls_kernel_dialect (shown->trace, k), g_array_unref)), TRUE, "The fields of the dialect.", \
     .of = &dialect_row, .lines = TRUE)
STAGE (dialect, DIALECT_KERNEL)

static char *
code_bytes (const LsInstruction *ins)
{
  GString *bytes = g_string_new (NULL);
  for (guint i = 0; i < MIN (ins->size, sizeof ins->bytes); i++)
    g_string_append_printf (bytes, "%02x", ins->bytes[i]);
  return g_string_free (bytes, FALSE);
}

#define INSTRUCTION(X) \
  X (address, OWNED, g_strdup_printf ("%" G_GINT64_MODIFIER "x", ins->address), TRUE, "Address, in hexadecimal digits.") \
  X (bytes, OWNED, code_bytes (ins), TRUE, "The instruction's bytes, in hexadecimal digits.") \
  X (text, TEXT, ins->text, TRUE, "The instruction.") \
  X (line, INT, ins->line, ins->line != 0, "The line of the source that it belongs to, if known.")
LS_INNER_RECORD (instruction_row, INSTRUCTION, const LsInstruction *ins = row;)

GArray *
ls_shown_instructions (const LsKernel *code)
{
  return code->code ? ls_disassemble (code->code, code->n_code, code->code_address, code->code_lines) : NULL;
}

#define COMPILE_KERNEL(X) \
  KERNEL (X) \
  X (compiler, TEXT, code->compiler, TRUE, "The compiler.") \
  X (version, TEXT, code->compiler_version, TRUE, "Its version.") \
  X (flags, TEXT, code->flags, TRUE, "The compiler's flags.") \
  X (values_compiler, TEXT, code->values_compiler, TRUE, "The compiler whose code computed the values.") \
  X (message, TEXT, code->compile_message, TRUE, "The compiler's messages.") \
  X (bytes, INT, code->n_code, TRUE, "Size of the machine code in bytes.") \
  X (compile_ms, NUMBER, code->compile_ms, TRUE, "Compile time in milliseconds.") \
  X (code, LIST, ls_list_array (KEEP (ls_shown_instructions (code), g_array_unref)), TRUE, "The machine code.", .of = &instruction_row, \
     .lines = TRUE)
STAGE (compile, COMPILE_KERNEL)

#define TIMING_KERNEL(X) \
  KERNEL (X) \
  X (run_ns, LIST, ls_list_array (k->run_ns), TRUE, "Nanoseconds of each timed launch.", .item = LS_CELL_INT) \
  X (compiler, TEXT, k->compiler, TRUE, "The compiler whose code was timed.") \
  X (version, TEXT, k->compiler_version, TRUE, "Its version.") \
  X (flags, TEXT, k->flags, TRUE, "The compiler's flags.") \
  X (machine, TEXT, shown->trace->machine, TRUE, "The machine.") \
  X (error, TEXT, k->run_error, TRUE, "Why it did not run, or null.")
STAGE (timing, TIMING_KERNEL)

/* --- a pass --- */

#define PASS_NODE(X) \
  X (id, INT, u->id, TRUE, "Id of the node.") \
  X (op, TEXT, ls_op_name (u->op), TRUE, "Its op.") \
  X (dtype, DTYPE, u->dtype, TRUE, "Its dtype.") \
  X (src, LIST, sources_of (answer, u), TRUE, "Ids of its sources.", .item = LS_CELL_INT) \
  X (arg, OWNED, ls_uop_arg_print (u), TRUE, "Its argument, as text.") \
  X (change, TEXT, ls_diff_kind_name (changed->kind), changed != NULL, "For a step: what it did to the node.")
LS_INNER_RECORD (pass_node, PASS_NODE,
                 const LsShownPass *pass = answer->data;
                 const LsDiffNode *changed = pass->diff ? row : NULL; LsUOp *u = changed ? changed->node : (LsUOp *) row;)

static char *
mark_text (char mark)
{
  return g_strndup (&mark, 1);
}

#define PASS_ROW(X) \
  X (mark, OWNED, mark_text (r->mark), TRUE, "A space: before and after the pass or step; -: only before it; +: only after it.") \
  X (text, TEXT, r->text, TRUE, "The row.") \
  X (node, INT, r->node, r->node != LS_NO_NODE, "Id of the node that it shows.") \
  X (reason, TEXT, r->reason, TRUE, "The reason for the row, or null.")
LS_INNER_RECORD (pass_row, PASS_ROW, const LsProcDiffRow *r = row;)

#define PASS(X) \
  X (root, INT, pass->graph->root->id, pass->graph != NULL, "Id of the graph's root.") \
  X (nodes, LIST, pass->diff ? ls_list_array (pass->diff->nodes) : ls_list_pointers (pass->graph->nodes), pass->graph != NULL, \
     "The graph's nodes, sources first; for a step also the nodes that it removed.", .of = &pass_node, .lines = TRUE) \
  X (rows, LIST, ls_list_array (pass->rows), pass->rows != NULL, \
     "For a pass over the procedure: the rows before and after it; for a step of a list, procedure or table: its rows up to the step.", \
     .of = &pass_row, .lines = TRUE)
LS_RECORD (ls_show_pass_answer, PASS, const LsShownPass *pass = row;)
