/* Is a recording true? Every pass replays to its output, passes of a kernel join, every line of source descends from the program, facts
 * with two records agree, and the results of the stages are made again (verify-execution.c).
 *
 * The class of each column of the schema says which of that it is held to. Measured times, machine code, a program's output, the call
 * that made a node: these cannot be made again. They are only compared with the file's seals, which show later edits, and the verdict
 * says so.
 */
#include "verify.h"

#include "ir/sentence.h"
#include "ir/spec.h"
#include "rewrite/stage.h"
#include "trace/lineage.h"

#include <math.h>
#include <string.h>

void
ls_verify_free (LsVerify *v)
{
  if (!v)
    return;
  g_ptr_array_unref (v->messages);
  g_ptr_array_unref (v->unjudged);
  g_ptr_array_unref (v->scope);
  g_free (v);
}

static void
take_message (LsVerify *v, char *text)
{
  if (v->messages->len < 100)
    g_ptr_array_add (v->messages, text);
  else
    g_free (text);
}

#define message(v, ...) take_message (v, g_strdup_printf (__VA_ARGS__))

void
ls_verify_take_difference (LsVerify *v, char *text)
{
  v->differences++;
  take_message (v, text);
}

void
ls_verify_take_unjudged (LsVerify *v, char *text)
{
  if (g_ptr_array_find_with_equal_func (v->unjudged, text, g_str_equal, NULL))
    g_free (text);
  else
    g_ptr_array_add (v->unjudged, text);
}

static void
verify_pass (LsTrace *trace, LsVerify *v, const LsPass *pass)
{
  v->passes++;
  v->steps += pass->steps->len;
  if (pass->kind == LS_PASS_MAP)
    return;
  g_autoptr (LsGraph) at_first = ls_pass_graph (trace, pass, 0), at_last = ls_pass_graph (trace, pass, pass->steps->len);
  LsUOp *first = at_first ? at_first->root : NULL, *last = at_last ? at_last->root : NULL;
  if (pass->output == LS_NO_NODE) {
    /* it was stopped: it has no output, but its steps are there to be looked at */
    if (!first || !last || first != ls_context_node (trace->ctx, pass->input)) {
      v->replay_failures++;
      message (v, "pass %s of kernel %u, which was stopped, cannot be replayed to its last step", pass->name, pass->kernel);
    }
    return;
  }
  if (!first || first != ls_context_node (trace->ctx, pass->input) || !last || last != ls_context_node (trace->ctx, pass->output)) {
    v->replay_failures++;
    message (v, "pass %s of kernel %u: replay gives "
                "node %u, but node %u is recorded", pass->name, pass->kernel, last ? last->id : LS_NO_NODE,
             pass->output);
  }
}

static void
verify_kernel (LsTrace *trace, LsVerify *v, const LsKernel *k, const LsCallIndex *calls)
{
  guint32 at = LS_NO_NODE;
  for (guint i = 0; i < k->passes->len; i++) {
    const LsPass *pass = trace->passes->pdata[g_array_index (k->passes, guint, i)];
    if (pass->parent >= 0)      /* a part of another pass */
      continue;
    gboolean of_other = k->same_as > 0 && g_str_equal (pass->stage, ls_stage_infos[LS_STAGE_RUN].name);      /* of the code's kernel */
    if (at != LS_NO_NODE && pass->input != at && !of_other) {
      v->replay_failures++;
      message (v, "pass %s of kernel %u begins with node %u, but the pass before ended with %u", pass->name, k->number, pass->input, at);
    }
    at = pass->output;
    if (pass->kind == LS_PASS_REWRITE && pass->output != LS_NO_NODE) {
      LsUOp *out = ls_context_node (trace->ctx, pass->output);
      GError *error = NULL;
      const LsStageInfo *stage = ls_pass_stage (pass);
      if (!ls_spec_check (trace->ctx, out, pass->stage, stage && stage->kernel ? stage->gone : NULL, &error)) {
        v->spec_failures++;
        message (v, "after %s of kernel %u: %s", pass->name, k->number, error->message);
        g_clear_error (&error);
      }
    }
  }
  if (!k->source)
    return;
  /* every node a line shows comes from the program; one that several of its lines share is ambiguous */
  g_autoptr (GHashTable) checked = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) chain = ls_lineage_chain_kernel (trace, k);
  for (guint i = 0; i < k->source_links->len; i++) {
    const LsSourceLink *l = &g_array_index (k->source_links, LsSourceLink, i);
    LsUOp *u = ls_context_node (trace->ctx, l->node);
    if (!u || !g_hash_table_add (checked, u))
      continue;
    g_autoptr (GArray) ends = ls_lineage_walk (trace, chain, 1, &u->id, NULL);
    g_autoptr (GArray) lines = ls_call_index_lines (calls, trace, ends->len, (const guint32 *) ends->data);
    v->lineage_ambiguous += lines->len > 1;
    if (lines->len == 0) {
      v->lineage_unmapped++;
      message (v, "kernel %u line %u: node %u (%s) has no program line", k->number, l->line, u->id, ls_op_name (u->op));
    }
  }
  for (guint i = 0; i < k->passes->len; i++)      /* the lineage of a kernel that others share is made once more */
    ls_lineage_forget (trace->passes->pdata[g_array_index (k->passes, guint, i)]);
}

void
ls_verify_statistics (LsVerify *v, const LsTraceBuffer *b, const void *data)
{
  LsTraceBuffer now = { .dtype = b->dtype, .n_elements = b->n_elements };
  ls_trace_buffer_measure (&now, data);
  const double then[] = { b->min, b->max, b->mean }, again[] = { now.min, now.max, now.mean };
  gboolean same = b->n_nan == now.n_nan && b->n_inf == now.n_inf;
  for (guint i = 0; i < 3; i++)
    same = same && (then[i] == again[i] || (isnan (then[i]) && isnan (again[i])));
  if (!same)
    ls_verify_differs (v, "buffer %u: its statistics do not match its contents", b->id);
}

/* Contents agree with their statistics and digest. Large contents are not kept: their statistics and digest are sealed, not compared. */
static void
verify_buffer (LsVerify *v, const LsTraceBuffer *b)
{
  gsize size = b->dtype == LS_VOID ? 0 : (gsize) b->n_elements * ls_dtype_itemsize (ls_dtype_strong (b->dtype));
  if (b->digest && (strlen (b->digest) != 64 || strspn (b->digest, "0123456789abcdef") != 64))
    ls_verify_differs (v, "buffer %u: its digest is not a SHA-256 digest", b->id);
  if (!b->data)
    return;
  g_autofree char *digest = b->digest && b->n_data == size ? g_compute_checksum_for_data (G_CHECKSUM_SHA256, b->data, b->n_data) : NULL;
  if (b->n_data != size || (digest && strcmp (digest, b->digest) != 0)) {
    if (digest)
      ls_verify_differs (v, "buffer %u: its contents have another digest than is recorded", b->id);
    else
      ls_verify_differs (v, "buffer %u: %" G_GSIZE_FORMAT " bytes of contents for %" G_GUINT64_FORMAT " elements", b->id, b->n_data,
                         b->n_elements);
    return;
  }
  ls_verify_statistics (v, b, b->data);
}

static void
verify_output (LsTrace *trace, LsVerify *v, guint i)
{
  const LsOutput *o = &g_array_index (trace->outputs, LsOutput, i);
  LsUOp *u = ls_context_node (trace->ctx, o->node);
  LsShape shape;
  if (!u || !ls_uop_get_shape (trace->ctx, u, &shape, NULL))
    return;
  if (!ls_shape_equal (shape, (LsShape) { o->n_dims, o->dims }) || ls_dtype_strong (u->dtype) != ls_dtype_strong (o->dtype))
    ls_verify_differs (v, "output %u: its shape and dtype differ from node %u", i, o->node);
}

static gboolean
is_within (const LsTrace *trace, gint call, gint ancestor)
{
  while (call > ancestor)
    call = g_array_index (trace->calls, LsCall, call).parent;
  return call == ancestor;
}

/* Nodes are in the order in which they were made or requested again, each by the innermost open call: between two nodes calls begin or
 * end, so the next one is a later call or a parent. */
static void
verify_makers (LsTrace *trace, LsVerify *v)
{
  gint before = -1;
  for (guint i = 0; i < trace->node_calls->len; i++) {
    const LsNodeCall *c = &g_array_index (trace->node_calls, LsNodeCall, i);
    if ((gint) c->call < before && !is_within (trace, before, (gint) c->call)) {
      ls_verify_differs (v, "node %u: call %u did not make it", c->node, c->call);
      return;
    }
    before = (gint) c->call;
  }
}

static void
verify_seals (LsTrace *trace, LsVerify *v)
{
  g_autoptr (GPtrArray) changes = g_ptr_array_new_with_free_func (g_free);
  v->sealed = ls_trace_check_seals (trace, &v->n_flushes, changes);
  for (guint i = 0; i < changes->len; i++)
    ls_verify_differs (v, "%s", (char *) changes->pdata[i]);
}

/* How many rows each table has is written when the run has ended. Tables without seals may be another tool's, which do not count. */
static void
verify_row_counts (LsTrace *trace, LsVerify *v)
{
  g_autofree char *now = trace->complete && trace->path ? ls_trace_row_counts (trace) : NULL;
  if (now && (trace->row_counts ? strcmp (now, trace->row_counts) != 0 : v->sealed != LS_UNSEALED))
    ls_verify_differs (v, "rows of tables: %s when the run ended, but %s now", trace->row_counts ? trace->row_counts : "not counted", now);
  else if (now && !trace->row_counts)
    ls_verify_unjudged (v, "rows of tables: before schema 8 their number was not recorded");
  if (ls_trace_has_old_words (trace))
    ls_verify_unjudged (v, "sentences: before schema 11 their wording may differ");
}

/* Counts the columns and values of each class. Digests and statistics of contents that are neither kept nor computed again are
 * witnesses: sealed only. */
static void
count_classes (LsTrace *trace, LsVerify *v)
{
  static const char *const names[] = { "derived", "doubled", "witness" };
  for (guint i = 0; i < trace->buffers->len; i++) {
    const LsTraceBuffer *b = trace->buffers->pdata[i];
    v->kept += b->data != NULL;
    v->sealed_only += !b->data && b->digest;
  }
  v->sealed_only -= MIN (v->sealed_only, v->by_digest);
  for (guint i = 0; i < G_N_ELEMENTS (v->classes); i++) {
    v->classes[i].name = names[i];
    ls_trace_count_class (trace, i + 1, v->sealed_only, &v->classes[i].columns, &v->classes[i].values);
  }
}

const char *
ls_verdict_name (LsVerdict verdict)
{
  static const char *const names[] = { LS_TEMPLATE ("proved"), LS_TEMPLATE ("differs"), LS_TEMPLATE ("not judged"),
                                       LS_TEMPLATE ("incomplete") };
  return names[verdict];
}

const char *
ls_sealed_name (LsSealed sealed)
{
  static const char *const names[] = { "sealed", "unsealed", "broken" };
  return names[sealed];
}

static void
add_scope (GPtrArray *lines, const LsVerify *v, guint class, const char *how)
{
  const LsVerifyScope *s = &v->classes[class];
  g_ptr_array_add (lines, g_strdup_printf (class == 0 ? "derived: %u columns, %" G_GUINT64_FORMAT " values: %s" :
                                           class == 1 ? "doubled: %u columns, %" G_GUINT64_FORMAT " values: %s"
                                                      : "witness: %u columns, %" G_GUINT64_FORMAT " values: %s",
                                           s->columns, s->values, how));
}

static GPtrArray *
scope_of (const LsVerify *v)
{
  static const char *const verdicts[] = { "all proved", "some are wrong", "proved as far as they can be judged",
                                          "proved as far as the recording goes" };
  GPtrArray *lines = g_ptr_array_new_with_free_func (g_free);
  const char *sealed = v->sealed == LS_SEALED ? "sealed, not proved" : v->sealed == LS_UNSEALED ? "neither sealed nor proved"
                                                                                           : "the seal is broken";
  g_autofree char *derived = g_strdup_printf ("made again from the rest of the recording, %s", verdicts[v->verdict]);
  g_autofree char *doubled = g_strdup_printf ("compared with their second record, %s", verdicts[v->verdict]);
  g_autofree char *witness = g_strdup_printf ("times, machine code, output, arguments, contents that the program brought: %s", sealed);
  add_scope (lines, v, 0, derived);
  add_scope (lines, v, 1, doubled);
  add_scope (lines, v, 2, witness);
  g_ptr_array_add (lines, g_strdup_printf ("contents: %u buffers kept; %u computed again and equal, %u of these by digest; %u digests not "
                                           "compared", v->kept, v->recomputed, v->by_digest,
                                           v->sealed_only));
  g_ptr_array_add (lines, g_strdup_printf ("lineage: the call that made a node, and the "
                                           "tensor that a name was bound to: %s", sealed));
  if (v->sealed != LS_SEALED)
    g_ptr_array_add (lines, g_strdup (v->sealed == LS_UNSEALED ? "seal: there is none" : "seal: it is broken"));
  else
    g_ptr_array_add (lines, g_strdup_printf (v->verdict == LS_VERIFY_INCOMPLETE
                                             ? "seal: %" G_GUINT64_FORMAT " flushes, incomplete: the run was killed after the last"
                                             : "seal: %" G_GUINT64_FORMAT " flushes", v->n_flushes));
  return lines;
}

LsVerify *
ls_trace_verify (LsTrace *trace)
{
  LsVerify *v = g_new0 (LsVerify, 1);
  g_autoptr (GError) error = NULL;
  v->messages = g_ptr_array_new_with_free_func (g_free);
  v->unjudged = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < trace->passes->len; i++)
    verify_pass (trace, v, trace->passes->pdata[i]);
  LsCallIndex calls;
  ls_call_index_init (&calls, trace);
  for (guint i = 0; i < trace->kernels->len; i++)
    verify_kernel (trace, v, trace->kernels->pdata[i], &calls);
  ls_call_index_clear (&calls);
  for (guint i = 0; i < trace->buffers->len; i++)
    verify_buffer (v, trace->buffers->pdata[i]);
  for (guint i = 0; i < trace->outputs->len; i++)
    verify_output (trace, v, i);
  ls_verify_program (trace, v);
  verify_makers (trace, v);
  ls_verify_doubled (trace, v);
  verify_seals (trace, v);
  verify_row_counts (trace, v);
  if (!ls_trace_check_steps (trace, &error))
    ls_verify_differs (v, "%s", error->message);
  if (v->replay_failures + v->spec_failures == 0)
    ls_verify_execution (trace, v);
  count_classes (trace, v);
  v->verdict = v->replay_failures + v->spec_failures + v->lineage_unmapped + v->differences ? LS_VERIFY_DIFFERS : !trace->complete
               ? LS_VERIFY_INCOMPLETE :
               v->unjudged->len ? LS_VERIFY_UNJUDGED : LS_VERIFY_PROVED;
  v->scope = scope_of (v);
  return v;
}

/* --- the answer --- */

#define SCOPE(X) \
  X (class, TEXT, s->name, TRUE, "derived: made again from the rest; doubled: compared with a second record; witness: only sealed") \
  X (columns, INT, s->columns, TRUE, "Number of columns of that class") \
  X (values, INT, s->values, TRUE, "Number of values in them")
LS_INNER_RECORD (scope_answer, SCOPE, const LsVerifyScope *s = row;)

#define VERIFY(X) \
  X (passes, INT, v->passes, TRUE, "Number of passes checked") \
  X (steps, INT, v->steps, TRUE, "Number of steps checked") \
  X (replay_failures, INT, v->replay_failures, TRUE, "Number of steps and passes whose replay differs from the recording") \
  X (lineage_unmapped, INT, v->lineage_unmapped, TRUE, "Number of source nodes without a known program line") \
  X (lineage_ambiguous, INT, v->lineage_ambiguous, TRUE, "Number of source nodes made by several program lines") \
  X (spec_failures, INT, v->spec_failures, TRUE, "Number of graphs that violate the spec of their stage") \
  X (remade, INT, v->remade, TRUE, "Number of passes made again from their inputs") \
  X (recomputed, INT, v->recomputed, TRUE, "Number of buffers whose contents were recomputed and are equal") \
  X (by_digest, INT, v->by_digest, TRUE, "Number of these that were compared by digest") \
  X (differences, INT, v->differences, TRUE, "Number of differences from passes made again, or between two records of a fact") \
  X (classes, LIST, ls_list_of (G_N_ELEMENTS (v->classes), v->classes, sizeof *v->classes), TRUE, "The classes of columns", \
     .of = &scope_answer) \
  X (seal, TEXT, ls_sealed_name (v->sealed), TRUE, "sealed, unsealed or broken") \
  X (flushes, INT, v->n_flushes, TRUE, "Number of sealed flushes") \
  X (verdict, TEXT, ls_verdict_name (v->verdict), TRUE, "proved, differs, not judged or incomplete") \
  X (scope, LIST, ls_list_pointers (v->scope), TRUE, "The scope of the verdict, a sentence for each class", .item = LS_CELL_TEXT) \
  X (messages, LIST, ls_list_pointers (v->messages), TRUE, "The failures, at most 100", .item = LS_CELL_TEXT) \
  X (not_judged, LIST, ls_list_pointers (v->unjudged), TRUE, "The facts that could not be judged, with reasons", .item = LS_CELL_TEXT)
LS_RECORD (ls_verify_answer, VERIFY, const LsVerify *v = row;)
