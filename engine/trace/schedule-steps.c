/* Steps of the schedule: its decisions about one realization, then its kernels in the order in which they are launched. */
#include "row-steps-private.h"
#include "lineage.h"
#include "realizations.h"

#include "ir/sentence.h"
#include "ir/short.h"
#include "rewrite/stage.h"

#include <string.h>

#define MOST_LINES 2       /* of the program that are named of a node */
#define MOST_TEXT  60      /* characters of such a line; with the calls below, four of them fit into a card */
#define MOST_CALLS 4       /* of the path of calls: its ends */

/* Of one schedule, made once for all of its steps. */
typedef struct {
  guint       n_decisions, n_kernels;      /* of the recording when it was made */
  guint       first, n;      /* the decisions */
  GArray     *order;         /* guint: of them those that gave a kernel its first result, in the order of launches */
  GHashTable *stored;        /* node + 1 of those that the decisions gave memory */
  GHashTable *nodes;         /* kernel -> node + 1 of its first result */
  GHashTable *writers;       /* buffer + 1 -> the kernel of this schedule that writes it */
  LsRegions   regions;       /* made when they are asked for */
  GPtrArray  *chain;         /* the passes before; with calls: where nodes are from */
  LsCallIndex calls;
} Facts;

static void
facts_free (gpointer data)
{
  Facts *f = data;
  g_array_unref (f->order);
  g_hash_table_unref (f->stored);
  g_hash_table_unref (f->nodes);
  g_hash_table_unref (f->writers);
  g_clear_pointer (&f->regions.kernels, g_array_unref);
  g_clear_pointer (&f->regions.of_node, g_hash_table_unref);
  if (f->chain) {
    g_ptr_array_unref (f->chain);
    ls_call_index_clear (&f->calls);
  }
  g_free (f);
}

static const LsDecision *
decision (const LsTrace *trace, guint i)
{
  return &g_array_index (trace->decisions, LsDecision, i);
}

static int
by_kernel (gconstpointer a, gconstpointer b, gpointer trace)
{
  guint x = decision (trace, *(const guint *) a)->kernel, y = decision (trace, *(const guint *) b)->kernel;
  return x < y ? -1 : x > y;
}

static Facts *
facts_new (LsTrace *trace, const LsPass *pass)
{
  Facts *f = g_new0 (Facts, 1);
  f->n_decisions = trace->decisions->len;
  f->n_kernels = trace->kernels->len;
  f->order = g_array_new (FALSE, FALSE, sizeof (guint));
  f->stored = g_hash_table_new (NULL, NULL);
  f->nodes = g_hash_table_new (NULL, NULL);
  f->writers = g_hash_table_new (NULL, NULL);
  for (guint end = trace->decisions->len; f->first < end; ) {      /* they are in the order of schedules */
    guint middle = f->first + (end - f->first) / 2;
    if (decision (trace, middle)->pass < pass->index)
      f->first = middle + 1;
    else
      end = middle;
  }
  for (guint i = f->first; i < trace->decisions->len && decision (trace, i)->pass == pass->index; i++, f->n++) {
    const LsDecision *d = decision (trace, i);
    const LsKernel *k = d->realized ? ls_trace_kernel (trace, d->kernel) : NULL;
    if (d->realized || d->key == LS_REASON_EARLIER)
      g_hash_table_add (f->stored, GUINT_TO_POINTER (d->node + 1));
    if (!k || (ls_kernel_n_outputs (k) > 1 && d->node != ls_kernel_value (trace, k, 0)))
      continue;
    g_hash_table_insert (f->nodes, GUINT_TO_POINTER (d->kernel), GUINT_TO_POINTER (d->node + 1));
    g_array_append_val (f->order, i);
    for (guint o = 0; o < ls_kernel_n_outputs (k); o++)
      g_hash_table_insert (f->writers, GUINT_TO_POINTER (ls_kernel_output (k, o) + 1), GUINT_TO_POINTER (k->number));
  }
  g_array_sort_with_data (f->order, by_kernel, trace);
  return f;
}

static Facts *
facts_of (const LsPass *pass)
{
  GQuark quark = g_quark_from_static_string ("ls-schedule-facts");
  Facts *f = g_dataset_id_get_data (pass, quark);
  if (!f || f->n_decisions != pass->trace->decisions->len || f->n_kernels != pass->trace->kernels->len)
    g_dataset_id_set_data_full (pass, quark, f = facts_new (pass->trace, pass), facts_free);
  return f;
}

guint
ls_schedule_n_steps (const LsPass *pass)
{
  const Facts *f = facts_of (pass);
  return f->n + f->order->len;
}

/* The decision of a step, and whether the step is the turn of its kernel. */
static const LsDecision *
decision_of (const LsPass *pass, guint step, gboolean *turn)
{
  const Facts *f = facts_of (pass);
  *turn = step > f->n;
  return decision (pass->trace, *turn ? g_array_index (f->order, guint, step - f->n - 1) : f->first + step - 1);
}

const LsDecision *
ls_schedule_step_decision (const LsPass *pass, guint step)
{
  gboolean turn;
  gboolean is_step = ls_rows_of (pass) == LS_ROWS_SCHEDULE && step >= 1 && step <= ls_schedule_n_steps (pass);
  const LsDecision *d = is_step ? decision_of (pass, step, &turn) : NULL;
  return d && !turn ? d : NULL;
}

gboolean
ls_schedule_step (const LsPass *pass, guint step, LsRowStep *out)
{
  gboolean turn;
  const LsDecision *d = decision_of (pass, step, &turn);
  out->node = d->node;
  out->row = step - 1;
  out->kind = d->realized || turn ? LS_DIFF_ADDED : LS_DIFF_SAME;
  out->reason = turn ? NULL : d->reason;
  return TRUE;
}

GArray *
ls_schedule_overrides (const LsPass *pass)
{
  const Facts *f = facts_of (pass);
  return ls_overrides_of (f->n ? decision (pass->trace, f->first) : NULL, f->n);
}

GHashTable *
ls_schedule_earlier (const LsPass *pass)
{
  const Facts *f = facts_of (pass);
  GHashTable *out = g_hash_table_new (NULL, NULL);
  for (guint i = f->first; i < f->first + f->n; i++) {
    const LsDecision *d = decision (pass->trace, i);
    LsUOp *u = d->key == LS_REASON_EARLIER ? ls_context_node (pass->trace->ctx, d->node) : NULL;
    if (u)
      g_hash_table_insert (out, u, u);
  }
  return out;
}

/* The last kernel before the schedule that stored the value, or 0. */
static guint
stored_by (const LsPass *pass, guint32 node)
{
  for (guint i = facts_of (pass)->first; i-- > 0; ) {
    const LsDecision *d = decision (pass->trace, i);
    if (d->realized && d->node == node)
      return d->kernel;
  }
  return 0;
}

gboolean
ls_schedule_stored (gpointer pass, const LsUOp *u)
{
  return u->op == LS_OP_BUFFER || g_hash_table_contains (facts_of (pass)->stored, GUINT_TO_POINTER (u->id + 1));
}

gboolean
ls_schedule_step_cost (const LsPass *pass, guint step, LsDecisionCost *cost)
{
  const LsDecision *d = ls_schedule_step_decision (pass, step);
  if (!d)
    return FALSE;
  const Facts *f = facts_of (pass);
  guint kernel = GPOINTER_TO_UINT (g_hash_table_lookup (f->nodes, GUINT_TO_POINTER (d->user_kernel)));
  return ls_decision_cost (pass->trace->ctx, d, kernel ? ls_context_node (pass->trace->ctx, kernel - 1) : NULL, ls_schedule_stored,
                           (gpointer) pass, cost);
}

/* --- words --- */

static void
say_line (GString *out)
{
  if (out->len)
    g_string_append_c (out, '\n');
}

char *
ls_schedule_node_text (const LsPass *pass, guint32 id, gboolean shown)
{
  LsUOp *u = ls_context_node (pass->trace->ctx, id);
  GString *out = g_string_new (NULL);
  LsShape shape;
  if (!u)
    return g_string_free (out, FALSE);
  if (u->op == LS_OP_BUFFER && u->arg.kind == LS_ARG_INTS && u->arg.n && (guint64) u->arg.ints[0] < pass->trace->buffers->len) {
    g_autofree char *buffer = ls_buffer_text (pass->trace, (guint) u->arg.ints[0]), *text = shown ? ls_sentence_shown (buffer) :
                    ls_sentence_text (buffer);
    g_string_append (out, text);
  } else {
    ls_short_node (out, ls_trace_names (pass->trace, 0), u, shown);
  }
  if (u->op != LS_OP_SINK && !ls_op_is_movement (u->op) && ls_uop_get_shape (pass->trace->ctx, u, &shape, NULL) && shape.n) {
    g_string_append (out, " [");
    for (guint i = 0; i < shape.n; i++)
      g_string_append_printf (out, "%s%" G_GINT64_FORMAT, i ? "," : "", shape.dims[i]);
    g_string_append_c (out, ']');
  }
  return g_string_free (out, FALSE);
}

GArray *
ls_schedule_calls (const LsPass *pass, guint32 node)
{
  Facts *f = facts_of (pass);
  if (!f->chain) {
    f->chain = ls_lineage_chain (pass->trace, pass);
    ls_call_index_init (&f->calls, pass->trace);
  }
  g_autoptr (GArray) from = ls_lineage_walk (pass->trace, f->chain, 1, &node, NULL);
  GArray *calls = ls_call_index_calls (&f->calls, from->len, (const guint32 *) from->data);
  const LsRealization *r = f->order->len ? ls_kernel_realization (pass->trace, decision (pass->trace, g_array_index (f->order, guint,
                                                                                                                   0))->kernel) : NULL;
  for (guint i = calls->len; r && r->call >= 0 && i-- > 0; )      /* later ones made equal nodes again */
    if (g_array_index (calls, guint, i) > (guint) r->call && calls->len > 1)
      g_array_remove_index (calls, i);
  return calls;
}

/* "Transformer > Block > … > sum > _reduced". */
static char *
ends_of_path (LsTrace *trace, guint call)
{
  g_autofree char *path = ls_call_path (trace, call);
  g_auto (GStrv) parts = g_strsplit (path, " > ", -1);
  guint n = g_strv_length (parts);
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < n; i++) {
    gboolean left_out = n > MOST_CALLS && i >= MOST_CALLS / 2 && i < n - MOST_CALLS / 2;
    if (!left_out || i == MOST_CALLS / 2)
      g_string_append_printf (out, "%s%s", i ? " > " : "", left_out ? "…" : parts[i]);
  }
  return g_string_free (out, FALSE);
}

/* The last calls that made a node, one of each line. Returns how many. */
static guint
calls_of_lines (const LsPass *pass, guint32 node, guint out[MOST_LINES])
{
  g_autoptr (GArray) calls = ls_schedule_calls (pass, node);
  guint n = 0, last = 0;
  for (guint i = calls->len; i-- > 0 && n < MOST_LINES; ) {
    guint call = g_array_index (calls, guint, i), line = g_array_index (pass->trace->calls, LsCall, call).line;
    if (!line || line == last)
      continue;
    out[n++] = call;
    last = line;
  }
  return n;
}

/* "line 6, softmax > sum: y = x.softmax()"; without the program's text where that was said already. */
static char *
place_text (LsTrace *trace, guint call, gboolean with_text, gboolean shown)
{
  guint line = g_array_index (trace->calls, LsCall, call).line;
  g_autofree char *path = ends_of_path (trace, call), *whole = ls_source_line (trace->program_text, line),
                  *text = ls_short_text (whole, MOST_TEXT);
  GString *place = g_string_new (NULL);
  if (with_text)
    ls_sentence_append (place, shown, "line %u, %s: %s", line, path, text);
  else
    ls_sentence_append (place, shown, "line %u, %s", line, path);
  return g_string_free (place, FALSE);
}

void
ls_schedule_say_places (const LsPass *pass, guint32 node, const char *name, guint32 user, const char *user_name, gboolean shown,
                        GString *more)
{
  LsTrace *trace = pass->trace;
  guint calls[MOST_LINES], of_user[MOST_LINES], n = calls_of_lines (pass, node, calls),
        n_user = user == LS_NO_NODE ? 0 : calls_of_lines (pass, user, of_user);
  gboolean same = n == n_user, said = FALSE;      /* said: the line of the user's place is one of the node's */
  for (guint i = 0; i < n && n_user; i++) {
    g_autofree char *a = place_text (trace, calls[i], TRUE, FALSE), *b = same ? place_text (trace, of_user[i], TRUE, FALSE) : NULL;
    same = same && g_str_equal (a, b);
    said |= g_array_index (trace->calls, LsCall, calls[i]).line == g_array_index (trace->calls, LsCall, of_user[0]).line;
  }
  for (guint i = 0; i < n; i++) {
    g_autofree char *place = place_text (trace, calls[i], i == 0, shown);
    say_line (more);
    if (same)
      ls_sentence_append (more, shown, "%s and %s are from %s", name, user_name, place);
    else
      ls_sentence_append (more, shown, "%s is from %s", name, place);
  }
  if (n_user && !same) {
    g_autofree char *place = place_text (trace, of_user[0], !said, shown);
    say_line (more);
    ls_sentence_append (more, shown, "%s is from %s", user_name, place);
  }
}

/* --- kernels as parts of the graph --- */

/* Asked for each graph that is drawn, most of which are of kernels and end in a store. */
static const LsPass *
schedule_of_graph (LsTrace *trace, guint32 root)
{
  const LsUOp *sink = ls_context_node (trace->ctx, root);
  if (!sink || sink->op != LS_OP_SINK || sink->n_src == 0 || sink->src[0]->op == LS_OP_STORE)
    return NULL;
  for (guint i = trace->passes->len; i-- > 0; ) {
    const LsPass *pass = trace->passes->pdata[i];
    if (pass->kernel == 0 && pass->input == root && ls_rows_of (pass) == LS_ROWS_SCHEDULE)
      return pass;
  }
  return NULL;
}

/* "softmax > sum", and *line: what the program called on that line, and what did it in the end. NULL: no call is known. */
static char *
call_names (const LsPass *pass, guint32 node, guint *line)
{
  guint calls[MOST_LINES];
  if (calls_of_lines (pass, node, calls) == 0)
    return NULL;
  const LsCall *call = &g_array_index (pass->trace->calls, LsCall, calls[0]), *first = call, *last = NULL;
  for (const LsCall *c = call; c && c->line == call->line; ) {
    first = c;
    last = last || *c->name == '_' ? last : c;
    c = c->parent >= 0 ? &g_array_index (pass->trace->calls, LsCall, c->parent) : NULL;
  }
  *line = call->line;
  return last && last != first ? g_strdup_printf ("%s > %s", first->name, last->name) : g_strdup (first->name);
}

/* "kernel 3: softmax > sum, line 6", of several results the first one of each line. */
static char *
region_title (const LsPass *pass, guint number, guint32 node)
{
  const LsKernel *k = ls_trace_kernel (pass->trace, number);
  GString *out = g_string_new (NULL);
  guint line = 0, last = 0;
  g_autofree char *names = call_names (pass, node, &line);
  if (names)
    ls_sentence_append (out, TRUE, "kernel %u: %s, line %u", number, names, line);
  else
    ls_sentence_append (out, TRUE, "kernel %u", number);
  for (guint i = 1; names && i < ls_kernel_n_outputs (k); i++) {
    guint own = 0;
    g_autofree char *more = call_names (pass, ls_kernel_value (pass->trace, k, i), &own);
    if (!more || own == line || own == last)
      continue;
    last = own;
    g_string_append (out, "; ");
    ls_sentence_append (out, TRUE, "%s, line %u", more, own);
  }
  return g_string_free (out, FALSE);
}

static void
region_clear (gpointer data)
{
  g_free (((LsRegion *) data)->title);
}

GArray *
ls_regions_new (void)
{
  GArray *regions = g_array_new (FALSE, FALSE, sizeof (LsRegion));
  g_array_set_clear_func (regions, region_clear);
  return regions;
}

static LsRegions
find_regions (const LsPass *pass, const Facts *f, const GPtrArray *nodes)
{
  LsRegions out = { ls_regions_new (), g_hash_table_new (NULL, NULL) };
  g_autoptr (GHashTable) stored = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < f->order->len; i++) {
    const LsDecision *d = decision (pass->trace, g_array_index (f->order, guint, i));
    LsRegion region = { d->node, region_title (pass, d->kernel, d->node) };
    g_array_append_val (out.kernels, region);
    g_hash_table_insert (stored, GUINT_TO_POINTER (d->node + 1), GUINT_TO_POINTER (i + 1));
    const LsKernel *k = ls_trace_kernel (pass->trace, d->kernel);
    for (guint o = 1; o < ls_kernel_n_outputs (k); o++)
      g_hash_table_insert (stored, GUINT_TO_POINTER (ls_kernel_value (pass->trace, k, o) + 1), GUINT_TO_POINTER (i + 1));
  }
  g_autoptr (GHashTable) several = g_hash_table_new (NULL, NULL), earlier = ls_schedule_earlier (pass);
  for (guint i = nodes->len; i-- > 0; ) {      /* users first */
    LsUOp *u = nodes->pdata[i];
    gpointer own = g_hash_table_lookup (stored, GUINT_TO_POINTER (u->id + 1));
    if (own)
      g_hash_table_insert (out.of_node, u, own);
    else if (u->op == LS_OP_BUFFER || g_hash_table_contains (several, u) || g_hash_table_contains (earlier, u))
      g_hash_table_remove (out.of_node, u);
    gpointer of = g_hash_table_lookup (out.of_node, u);
    for (guint k = 0; k < u->n_src; k++) {
      LsUOp *source = u->src[k];
      gpointer other = g_hash_table_lookup (out.of_node, source);
      if ((!of && u->op != LS_OP_SINK) || (other && other != of))      /* its users are of several kernels, or it is below such a node */
        g_hash_table_add (several, source);
      else if (of)
        g_hash_table_insert (out.of_node, source, of);
    }
  }
  return out;
}

const LsRegions *
ls_schedule_regions (LsTrace *trace, guint32 root, const GPtrArray *nodes)
{
  const LsPass *pass = schedule_of_graph (trace, root);
  Facts *f = pass ? facts_of (pass) : NULL;
  if (!f || f->order->len == 0 || f->order->len >= G_MAXUINT16)
    return NULL;
  if (!f->regions.kernels)
    f->regions = find_regions (pass, f, nodes);
  return &f->regions;
}

/* The kernels of the schedule that a kernel waits for. */
static GArray *
waits_for (const Facts *f, const LsKernel *k)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = ls_kernel_n_outputs (k); i < k->buffers->len; i++) {
    guint writer = GPOINTER_TO_UINT (g_hash_table_lookup (f->writers, GUINT_TO_POINTER (g_array_index (k->buffers, guint, i) + 1)));
    gboolean known = writer == 0 || writer >= k->number;
    for (guint j = 0; j < out->len && !known; j++)
      known = g_array_index (out, guint, j) == writer;
    if (!known)
      g_array_append_val (out, writer);
  }
  return out;
}

static char *
numbers_text (const GArray *numbers)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < numbers->len && i < 8; i++)
    g_string_append_printf (out, "%s%u", i ? ", " : "", g_array_index (numbers, guint, i));
  if (numbers->len > 8)
    g_string_append (out, ", …");
  return g_string_free (out, FALSE);
}

/* All that a kernel stores. */
static char *
values_text (const LsPass *pass, const LsKernel *k, guint32 first, gboolean shown)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < MAX (ls_kernel_n_outputs (k), 1); i++) {
    g_autofree char *one = ls_schedule_node_text (pass, i ? ls_kernel_value (pass->trace, k, i) : first, shown);
    g_string_append_printf (out, "%s%s", i ? ", " : "", one);
  }
  return g_string_free (out, FALSE);
}

/* A kernel's turn: of those whose inputs are there the first in the order of the graph. */
static void
say_turn (const LsPass *pass, const LsDecision *d, gboolean shown, LsRowTexts *out)
{
  const Facts *f = facts_of (pass);
  const LsKernel *k = ls_trace_kernel (pass->trace, d->kernel);
  g_autoptr (GArray) before = waits_for (f, k), ready = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree char *node = ls_schedule_node_text (pass, d->node, shown), *values = values_text (pass, k, d->node, shown),
                  *waited = numbers_text (before);
  ls_sentence_append (out->name, shown, "kernel %u", k->number);
  ls_sentence_append (out->change, shown, "Kernel %u, %s, is next: it stores %s", k->number, k->name, values);
  if (before->len)
    ls_sentence_append (out->why, shown, "the kernels that it waited for are done (%u): %s", before->len, waited);
  else
    ls_sentence_append (out->why, shown, "it waits for no kernel of this schedule");
  for (guint i = 0; i < f->order->len; i++) {
    const LsKernel *other = ls_trace_kernel (pass->trace, decision (pass->trace, g_array_index (f->order, guint, i))->kernel);
    g_autoptr (GArray) its = other->number > k->number ? waits_for (f, other) : NULL;
    gboolean is_ready = its != NULL;
    for (guint j = 0; its && j < its->len; j++)
      is_ready = is_ready && g_array_index (its, guint, j) < k->number;
    if (is_ready)
      g_array_append_val (ready, other->number);
  }
  if (ready->len) {
    g_autofree char *text = numbers_text (ready);
    ls_sentence_append (out->more, shown,
                        "Ready as well: %s. Kernels come in the order of the graph, and those that one waits for before it.", text);
  }
  ls_schedule_say_places (pass, d->node, node, LS_NO_NODE, NULL, shown, out->more);
}

/* The other choice. */
static void
say_cost (const LsPass *pass, guint step, gboolean shown, GString *more)
{
  LsDecisionCost c;
  if (!ls_schedule_step_cost (pass, step, &c))
    return;
  say_line (more);
  if (ls_reasons[ls_schedule_step_decision (pass, step)->key].action == LS_DECISION_TAKES)
    ls_sentence_append (more, shown, c.loaded < 0 ? "Computed again instead: %" G_GINT64_FORMAT " operations more, and %" G_GINT64_FORMAT
                        " bytes less to load." : "Computed again instead: %" G_GINT64_FORMAT " operations more, and %" G_GINT64_FORMAT
                        " bytes more to load.", c.work, ABS (c.loaded));
  else if (c.stored < 0 && c.times > 1)
    ls_sentence_append (more, shown, "Fused instead: %" G_GINT64_FORMAT " bytes less to store and to load, and each element computed %"
                        G_GINT64_FORMAT " times, %" G_GINT64_FORMAT " operations more.", -c.stored, c.times, c.work);
  else if (c.stored < 0)
    ls_sentence_append (more, shown, "Fused instead: %" G_GINT64_FORMAT " bytes less to store and to load, with no operation done twice.",
                        -c.stored);
  else if (c.stored == 0)
    ls_sentence_append (more, shown, "In two kernels instead: %" G_GINT64_FORMAT " bytes more to load.", c.loaded);
  else if (c.work < 0)
    ls_sentence_append (more, shown, "Stored instead: %" G_GINT64_FORMAT " bytes more to store and to load, and %" G_GINT64_FORMAT
                        " operations less.", c.stored, -c.work);
  else
    ls_sentence_append (more, shown, "Stored instead: %" G_GINT64_FORMAT " bytes more to store and to load, and no operation less.",
                        c.stored);
  if (c.accumulators && c.parallel) {
    say_line (more);
    ls_sentence_append (more, shown, "In the user's kernel, accumulators: %u more; results that can be computed side by side: %"
                        G_GINT64_FORMAT " instead of %" G_GINT64_FORMAT ".", c.accumulators, c.parallel, c.parallel_now);
  }
}

void
ls_schedule_step_words (const LsPass *pass, guint step, gboolean shown, LsRowTexts *out)
{
  gboolean turn;
  const LsDecision *d = decision_of (pass, step, &turn);
  if (turn) {
    say_turn (pass, d, shown, out);
    return;
  }
  g_autofree char *node = ls_schedule_node_text (pass, d->node, shown),
                  *user = d->user == LS_NO_NODE ? NULL : ls_schedule_node_text (pass, d->user, shown);
  const LsReasonInfo *reason = &ls_reasons[d->key];
  if (reason->action == LS_DECISION_STORES && d->realized)
    ls_sentence_append (out->name, shown, "store %s", node);
  else if (reason->action == LS_DECISION_FUSES)
    ls_sentence_append (out->name, shown, "fuse %s", node);
  else if (reason->action == LS_DECISION_JOINS)
    ls_sentence_append (out->name, shown, "join %s", user ? user : node);
  else if (reason->action == LS_DECISION_TAKES)
    ls_sentence_append (out->name, shown, "read %s", node);
  else
    ls_sentence_append (out->name, shown, "leave %s", node);
  gboolean of_result = d->key == LS_REASON_RESULT;
  if (d->realized && d->kernel && user && !of_result)
    ls_sentence_append (out->change, shown, "%s is stored by kernel %u, and %s reads it", node, d->kernel, user);
  else if (d->realized && d->kernel)
    ls_sentence_append (out->change, shown, "%s is stored by kernel %u", node, d->kernel);
  else if (d->realized)
    ls_sentence_append (out->change, shown, "%s is stored", node);
  else if (d->key == LS_REASON_CHOSEN_JOINED && user)
    ls_sentence_append (out->change, shown, "%s is stored by kernel %u, which also stores %s", user, d->user_kernel, node);
  else if (reason->action == LS_DECISION_JOINS && user)
    ls_sentence_append (out->change, shown, "%s is stored by kernel %u, which has several results; it is made of %s", user, d->user_kernel,
                        node);
  else if (reason->action == LS_DECISION_TAKES)
    ls_sentence_append (out->change, shown, "%s was stored by kernel %u, and is read from there", node, stored_by (pass, d->node));
  else if (d->key == LS_REASON_CHOSEN_AGAIN)
    ls_sentence_append (out->change, shown, "%s was stored by kernel %u, and is not read from there", node, stored_by (pass, d->node));
  else if (d->key == LS_REASON_MEMORY)
    ls_sentence_append (out->change, shown, "%s is memory that kernels read", node);
  else if (reason->action == LS_DECISION_FUSES && user && d->user_kernel)
    ls_sentence_append (out->change, shown, "%s is not stored: it is computed for its user %s in kernel %u", node, user, d->user_kernel);
  else if (reason->action == LS_DECISION_FUSES)
    ls_sentence_append (out->change, shown, "%s is not stored", node);
  else if (user)
    ls_sentence_append (out->change, shown, "%s is stored already; its user is %s", node, user);
  else
    ls_sentence_append (out->change, shown, "%s is stored already", node);
  g_string_append (out->why, shown ? ls_shown (reason->sentence) : reason->sentence);
  ls_schedule_say_places (pass, d->node, node, of_result ? LS_NO_NODE : d->user, user, shown, out->more);
  say_cost (pass, step, shown, out->more);
}
