/* Why two kernels are two: the use of one's value by the other, the reason that was decided, and those that hold besides. */
#include "ask.h"
#include "reference.h"

#include "answer/answer.h"

#include "ir/sentence.h"
#include "ir/spec.h"
#include "trace/row-steps.h"
#include "trace/what-if.h"

#include <string.h>

/* The schedule's step that gave a kernel's value memory, or 0. */
static guint
deciding_step (const LsPass *schedule, guint kernel, guint32 node)
{
  const LsDecision *d;
  for (guint step = 1; (d = ls_schedule_step_decision (schedule, step)); step++)
    if (d->realized && d->kernel == kernel && d->node == node)
      return step;
  return 0;
}

static const LsPass *
schedule_of (LsTrace *trace, guint kernel)
{
  for (guint i = 0; i < trace->decisions->len; i++) {
    const LsDecision *d = &g_array_index (trace->decisions, LsDecision, i);
    if (d->realized && d->kernel == kernel && d->pass < trace->passes->len)
      return trace->passes->pdata[d->pass];
  }
  return NULL;
}

typedef struct { LsUOp *user; gboolean reduces; } Looked;

/* Is it a value that a kernel stores? root: the only one, or a SINK of them. */
static gboolean
is_own (const LsUOp *root, const LsUOp *u)
{
  gboolean own = u == root;
  for (guint i = 0; root->op == LS_OP_SINK && i < root->n_src; i++)
    own |= root->src[i] == u;
  return own;
}

/* The expression of what a kernel stores, down to memory, which inputs gets: who uses the value there, if value is given. */
static Looked
look_at (LsTrace *trace, const LsPass *schedule, LsUOp *root, const LsUOp *value, GHashTable *inputs)
{
  LsNodeMap *seen = ls_node_map_acquire (trace->ctx);
  g_autoptr (GPtrArray) todo = g_ptr_array_new ();
  Looked found = { NULL };
  g_ptr_array_add (todo, root);
  ls_node_map_set (seen, root, 1);
  while (todo->len > 0) {
    LsUOp *u = g_ptr_array_steal_index_fast (todo, todo->len - 1);
    if (!is_own (root, u) && ls_schedule_stored ((gpointer) schedule, u)) {
      g_hash_table_add (inputs, u);
      continue;
    }
    found.reduces |= u->op == LS_OP_REDUCE_AXIS;
    for (guint i = 0; i < u->n_src; i++) {
      const LsUOp *below = u->src[i];
      while (below != value && (ls_op_is_movement (below->op) || ls_op_is_slice (below->op)))
        below = below->src[0];
      gboolean moves = ls_op_is_movement (u->op) || ls_op_is_slice (u->op);
      if (below == value && value && (!moves || is_own (root, u)))
        found.user = u;
      if (!ls_node_map_has (seen, u->src[i])) {
        ls_node_map_set (seen, u->src[i], 1);
        g_ptr_array_add (todo, u->src[i]);
      }
    }
  }
  ls_node_map_release (trace->ctx, seen);
  return found;
}

/* Which of a kernel's results a later one reads, or -1. */
static gint
reads (const LsKernel *k, const LsKernel *earlier)
{
  for (guint i = ls_kernel_n_outputs (k); i < k->buffers->len; i++) {
    gint output = ls_kernel_output_number (earlier, g_array_index (k->buffers, guint, i));
    if (output >= 0)
      return output;
  }
  return -1;
}

/* The kernels on a way from one to a later one that needs it, both left out; FALSE: it does not need it. */
static gboolean
find_way (LsTrace *trace, guint from, guint to, GArray *way)
{
  g_autofree guint *before = g_new0 (guint, to + 1);
  before[from] = from;
  for (guint k = from + 1; k <= to; k++)
    for (guint j = from; j < k && !before[k]; j++)
      if (before[j] && reads (ls_trace_kernel (trace, k), ls_trace_kernel (trace, j)) >= 0)
        before[k] = j;
  for (guint k = before[to]; k && k != from; k = before[k])
    g_array_prepend_val (way, k);
  return before[to] != 0;
}

static guint
n_readers (LsTrace *trace, guint kernel, guint output)
{
  guint n = 0, buffer = ls_kernel_output (ls_trace_kernel (trace, kernel), output);
  for (guint number = kernel + 1; number <= trace->kernels->len; number++) {
    const LsKernel *k = ls_trace_kernel (trace, number);
    for (guint i = ls_kernel_n_outputs (k); i < k->buffers->len; i++)
      n += g_array_index (k->buffers, guint, i) == buffer;
  }
  return n;
}

/* The use of from's value in to, and the reasons. */
static void
find_use (LsWhyNotFused *w)
{
  LsTrace *trace = w->trace;
  LsContext *ctx = trace->ctx;
  const LsKernel *a = ls_trace_kernel (trace, w->from), *b = ls_trace_kernel (trace, w->to);
  guint output = (guint) MAX (reads (b, a), 0);
  LsUOp *value = ls_context_node (ctx, ls_kernel_value (trace, a, output)), *root = ls_context_node (ctx, ls_kernel_values (trace, b));
  if (!value || !root)
    return;
  g_autoptr (GHashTable) inputs = g_hash_table_new (NULL, NULL);
  Looked user = look_at (trace, w->schedule, root, value, inputs);
  look_at (trace, w->schedule, value, NULL, inputs);
  g_hash_table_remove (inputs, value);
  w->step = deciding_step (w->schedule, w->from, value->id);
  if (!user.user || !w->step)      /* of a damaged recording */
    return;
  w->kind = LS_NOT_FUSED_USE;
  w->node = value->id;
  w->user = user.user->id;
  w->n_readers = n_readers (trace, w->from, output);
  w->n_inputs = g_hash_table_size (inputs);
  w->reasons = ls_use_reasons (ctx, value, user.user, user.reduces, w->n_readers > 1, ls_schedule_stored, (gpointer) w->schedule);
  const guint32 of_use = w->reasons;
  const LsDecision *d;
  for (guint step = 1; (d = ls_schedule_step_decision (w->schedule, step)); step++)
    if (d->node == w->node && ls_reasons[d->key].action == LS_DECISION_STORES &&
        (d->user == LS_NO_NODE || ls_context_node (ctx, d->user)->op == LS_OP_SINK || d->realized))
      w->reasons |= 1u << d->key;
  const LsDecision *decided = ls_schedule_step_decision (w->schedule, w->step);
  w->passed = decided && ls_reasons_of_use >> decided->key & ~of_use >> decided->key & 1;
  LsDecision use = { .node = w->node, .user = w->user, .realized = TRUE, .key = LS_REASON_SECOND_REDUCE };
  w->costs = ls_decision_cost (ctx, &use, root, ls_schedule_stored, (gpointer) w->schedule, &w->cost);
}

/* The kernels as the schedule made them: why one of them does not store what the other one stores, too, and whether it can. */
static void
find_apart (LsWhyNotFused *w)
{
  LsContext *ctx = w->trace->ctx;
  g_autoptr (GArray) chosen = ls_schedule_overrides (w->schedule);
  g_autoptr (GHashTable) earlier = ls_schedule_earlier (w->schedule);
  LsSettings settings;
  ls_trace_settings (w->trace, &settings);
  LsScheduleHow how = ls_recorded_schedule_how (w->trace, &settings, chosen);
  how.stored = earlier;
  LsUOp *sink = ls_context_node (ctx, w->schedule->input),
        *a = ls_context_node (ctx, ls_kernel_value (w->trace, ls_trace_kernel (w->trace, w->from), 0)),
        *b = ls_context_node (ctx, ls_kernel_value (w->trace, ls_trace_kernel (w->trace, w->to), 0));
  gboolean known = sink && sink->op == LS_OP_SINK && a && b && ls_spec_check (ctx, sink, "tensor", NULL, NULL);
  gboolean can = known && ls_settings_profile (&settings) == LS_PROFILE_DEFAULT;
  LsApartPair pair = { a, b, LS_APART_UNKNOWN };
  if (known)
    pair = ls_outputs_why_apart (ctx, sink, how, a, b, can ? &w->never : NULL);
  w->apart = pair.why;
  if (!can)
    w->never = w->apart;
  else if (w->never == LS_APART_NOT)
    w->together = ls_what_if_pair_text (w->schedule, sink, how, &pair);
}

/**
 * ls_why_not_fused:
 * @trace: a recording
 * @a: the number of a kernel
 * @b: another one
 *
 * Returns: (transfer full) (nullable): why they are two; NULL with LS_ERROR_USAGE: there is no such kernel, or it is the same; with
 * LS_ERROR_FILE: the recording is damaged. Free with ls_why_not_fused_free.
 */
LsWhyNotFused *
ls_why_not_fused (LsTrace *trace, guint a, guint b, GError **error)
{
  guint absent = !ls_trace_kernel (trace, a) ? a : b;
  if (!ls_trace_kernel (trace, absent)) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "there is no kernel %u; the recording has %u, numbered from 1", absent,
                 trace->kernels->len);
    return NULL;
  }
  if (a == b) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "kernel %u is one kernel: name two", a);
    return NULL;
  }
  LsWhyNotFused *w = g_new0 (LsWhyNotFused, 1);
  *w = (LsWhyNotFused) { .trace = trace, .from = MIN (a, b), .to = MAX (a, b), .node = LS_NO_NODE, .user = LS_NO_NODE,
                         .way = g_array_new (FALSE, FALSE, sizeof (guint)) };
  w->schedule = schedule_of (trace, w->from);
  if (!w->schedule || schedule_of (trace, w->to) != w->schedule) {
    w->kind = LS_NOT_FUSED_SCHEDULES;
    return w;
  }
  gboolean needs = find_way (trace, w->from, w->to, w->way);
  w->kind = needs ? LS_NOT_FUSED_WAY : LS_NOT_FUSED_APART;
  if (needs && w->way->len == 0)
    find_use (w);
  if (!needs || w->kind == LS_NOT_FUSED_USE)
    find_apart (w);
  if (needs && w->way->len == 0 && w->kind != LS_NOT_FUSED_USE) {
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "the recording does not say which value kernel %u reads from kernel %u", w->to, w->from);
    g_clear_pointer (&w, ls_why_not_fused_free);
  }
  return w;
}

void
ls_why_not_fused_free (LsWhyNotFused *w)
{
  g_array_unref (w->way);
  g_free (w->together);
  g_free (w);
}

/* --- in words --- */

static char *
way_text (const LsWhyNotFused *w)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < w->way->len; i++)
    g_string_append_printf (out, "%s%u", i ? ", " : "", g_array_index (w->way, guint, i));
  return g_string_free (out, FALSE);
}

/* Whether one kernel can store both values, where it does not. */
static void
say_together (const LsWhyNotFused *w, gboolean shown, GString *out)
{
  if (!w->together && (w->never == w->apart || w->never == LS_APART_NOT))
    return;
  g_string_append_c (out, '\n');
  if (w->together)
    ls_sentence_append (out, shown, "One kernel that stores both can be tried and timed: what-if FILE --seconds 2 --variant schedule=%s",
                        w->together);
  else
    ls_sentence_append (out, shown, "It would not compute the same: %s.",
                        shown ? ls_shown (ls_apart[w->never].sentence) : ls_apart[w->never].sentence);
}

static void
say_use (const LsWhyNotFused *w, gboolean shown, GString *out)
{
  const LsDecision *d = ls_schedule_step_decision (w->schedule, w->step);
  g_autofree char *value = ls_schedule_node_text (w->schedule, w->node, shown), *user = ls_schedule_node_text (w->schedule, w->user, shown);
  ls_sentence_append (out, shown, "Kernel %u stores %s; kernel %u reads it for %s.", w->from, value, w->to, user);
  ls_schedule_say_places (w->schedule, w->node, value, w->user, user, shown, out);
  g_string_append_c (out, '\n');
  ls_sentence_append (out, shown, "Decided in step %u of %s: %s.", w->step, w->schedule->name,
                      shown ? ls_shown (ls_reasons[d->key].sentence) : ls_reasons[d->key].sentence);
  if (w->passed) {
    g_string_append_c (out, '\n');
    ls_sentence_append (out, shown, "It does not hold in the end: the part of the value that it is about was stored later.");
  }
  guint n = 0;
  for (guint r = 0; r < LS_N_REASONS; r++)
    if (w->reasons >> r & 1 && r != d->key) {
      g_string_append_c (out, '\n');
      n++;
      ls_sentence_append (out, shown, "Without that: %s.", shown ? ls_shown (ls_reasons[r].sentence) : ls_reasons[r].sentence);
    }
  g_string_append_c (out, '\n');
  if (n == 0) {
    ls_sentence_append (out, shown, "No other reason holds.");
    g_string_append_c (out, '\n');
  }
  g_autofree char *what_if = ls_what_if_text (w->schedule, w->step);
  if (what_if) {
    ls_sentence_append (out, shown, "It can be tried and timed: what-if FILE --seconds 2 --variant schedule=%s", what_if);
    g_string_append_c (out, '\n');
  }
  if (w->n_readers > 1)
    ls_sentence_append (out, shown, "One kernel of both would read buffers: %u. The value would be stored all the same, since other "
                        "kernels read it: %u.", w->n_inputs, w->n_readers - 1);
  else
    ls_sentence_append (out, shown, "One kernel of both would read buffers: %u, and store what kernel %u stores.", w->n_inputs, w->to);
  g_string_append_c (out, '\n');
  ls_sentence_append (out, shown, "One kernel does not store both values: %s.",
                      shown ? ls_shown (ls_apart[w->apart].sentence) : ls_apart[w->apart].sentence);
  say_together (w, shown, out);
  if (!w->costs)
    return;
  g_string_append_c (out, '\n');
  if (w->cost.times > 1)
    ls_sentence_append (out, shown, "It would compute each element of the value %" G_GINT64_FORMAT " times: %" G_GINT64_FORMAT
                        " operations more.", w->cost.times, w->cost.work);
  else
    ls_sentence_append (out, shown, "It would compute nothing twice.");
  if (w->n_readers == 1) {
    g_string_append_c (out, ' ');
    ls_sentence_append (out, shown, "%" G_GINT64_FORMAT " bytes less would be stored, and as many less loaded.", -w->cost.stored);
  }
}

char *
ls_why_not_fused_text (const LsWhyNotFused *w, gboolean shown)
{
  GString *out = g_string_new (NULL);
  g_autofree char *way = way_text (w);
  switch (w->kind) {
  case LS_NOT_FUSED_SCHEDULES:
    ls_sentence_append (out, shown, "Kernels %u and %u are of two schedules: the program asked for values in between.", w->from, w->to);
    break;
  case LS_NOT_FUSED_APART:
    ls_sentence_append (out, shown, "Kernel %u does not need what kernel %u stores, and they are not one kernel with several results: %s.",
                        w->to, w->from, shown ? ls_shown (ls_apart[w->apart].sentence) : ls_apart[w->apart].sentence);
    say_together (w, shown, out);
    break;
  case LS_NOT_FUSED_WAY:
    ls_sentence_append (out, shown, "Kernel %u needs what kernel %u stores only by way of other kernels: %s. Ask about neighbours.", w->to,
                        w->from, way);
    break;
  case LS_NOT_FUSED_USE:
    say_use (w, shown, out);
    break;
  }
  return g_string_free (out, FALSE);
}

static const char *const kinds[] = { "use", "way", "apart", "schedules" };

static LsList
reasons_of (const LsAnswering *answer, const LsWhyNotFused *w)
{
  GArray *out = ls_answer_keep (answer, g_array_new (FALSE, FALSE, sizeof (LsReasonInfo)), (GDestroyNotify) g_array_unref);
  for (guint r = 0; r < LS_N_REASONS; r++)
    if (w->reasons >> r & 1)
      g_array_append_val (out, ls_reasons[r]);
  return ls_list_array (out);
}

#define REASON(X) \
  X (key, TEXT, r->key, TRUE, "The name of the reason") \
  X (why, TEXT, r->sentence, TRUE, "The reason as a sentence")
LS_INNER_RECORD (reason_answer, REASON, const LsReasonInfo *r = row;)

#define IS_USE (w->kind == LS_NOT_FUSED_USE)
#define WHY_NOT_FUSED(X) \
  X (kernel, INT, w->from, TRUE, "The kernel of the two that is launched first") \
  X (with, INT, w->to, TRUE, "The other one") \
  X (kind, TEXT, kinds[w->kind], TRUE, "use: it uses the value; way: by way of other kernels; apart: not at all; schedules: they are of " \
                                       "two") \
  X (pass, TEXT, w->schedule->name, IS_USE, "The pass of the schedule") \
  X (step, INT, w->step, IS_USE, "Its step that gave the value memory") \
  X (node, NODE, w->node, IS_USE, "The value") \
  X (user, NODE, w->user, IS_USE, "The node that uses it") \
  X (reasons, LIST, reasons_of (answer, w), IS_USE, "All reasons that hold, each without the others", .of = &reason_answer) \
  X (what_if, OWNED, ls_what_if_text (w->schedule, w->step), IS_USE, "The schedule= of a variant that turns the decision around, or null") \
  X (passed, BOOL, w->passed, IS_USE, "true if the decided reason does not hold in the end") \
  X (apart, TEXT, ls_apart[w->apart].sentence, IS_USE || w->kind == LS_NOT_FUSED_APART, \
     "Why one kernel does not store the values of both") \
  X (together, TEXT, w->together, IS_USE || w->kind == LS_NOT_FUSED_APART, \
     "The schedule= of a variant in which one kernel stores both, or null") \
  X (readers, INT, w->n_readers, IS_USE, "Kernels that read the value") \
  X (inputs, INT, w->n_inputs, IS_USE, "Buffers that one kernel of both would read") \
  X (times, INT, w->cost.times, w->costs, "How often that would compute each element of the value") \
  X (operations, INT, w->cost.work, w->costs, "Operations that it would do more") \
  X (bytes, INT, -w->cost.stored, w->costs, "Bytes of the value") \
  X (text, OWNED, ls_why_not_fused_text (w, FALSE), TRUE, "The same in sentences")
LS_RECORD (ls_why_not_fused_answer, WHY_NOT_FUSED, const LsWhyNotFused *w = row;)
