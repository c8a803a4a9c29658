/* What stands twice in a recording, or must agree with other rows: kernels with the digest of what they say, calls with the nodes that they made, outputs with the calls that read them, searches
 * with their candidates, an error with its place. */
#include "verify.h"

#include <string.h>

/* Settings, compilers and errors against the digest that was made when the kernel had run. */
static void
verify_facts (LsTrace *trace, LsVerify *v)
{
  guint n = 0;
  for (guint i = 0; i < trace->kernels->len; i++) {
    const LsKernel *k = trace->kernels->pdata[i];
    if (!k->facts)
      continue;
    n++;
    if (strcmp (k->facts, ls_trace_kernel_facts (trace, k)) != 0)
      ls_verify_differs (v, "kernel %u (%s): settings, compilers and messages have another digest than when it ran", k->number, k->name);
    if (k->run_error && trace->complete && !trace->error)
      ls_verify_differs (v, "kernel %u (%s) did not run, but the program went on", k->number, k->name);
  }
  if (n && n < trace->kernels->len)
    ls_verify_differs (v, "%u kernels of %u have no digest of what they say", trace->kernels->len - n, trace->kernels->len);
  if (n == 0 && trace->kernels->len)
    ls_verify_unjudged (v, "settings, compilers, flags and errors: before schema 8 they stand nowhere else");
}

/* A call's node is one that it made or asked for itself, or that of a call within it. */
static void
verify_results (LsTrace *trace, LsVerify *v)
{
  g_autoptr (GHashTable) made = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);      /* call << 32 | node */
  g_autofree gboolean *holds = g_new0 (gboolean, trace->calls->len + 1);
  for (guint i = 0; i < trace->node_calls->len; i++) {
    const LsNodeCall *c = &g_array_index (trace->node_calls, LsNodeCall, i);
    gint64 *key = g_new (gint64, 1);
    *key = (gint64) c->call << 32 | c->node;
    g_hash_table_add (made, key);
  }
  for (guint i = 0; i < trace->calls->len; i++) {
    const LsCall *c = &g_array_index (trace->calls, LsCall, i);
    const gint64 key = (gint64) i << 32 | c->node;
    holds[i] |= c->node == LS_NO_NODE || g_hash_table_contains (made, &key);
    if (c->parent >= 0 && c->node != LS_NO_NODE)
      holds[c->parent] |= g_array_index (trace->calls, LsCall, c->parent).node == c->node;
  }
  for (guint i = 0; i < trace->calls->len; i++)
    if (!holds[i])
      ls_verify_differs (v, "call %u (%s): node %u is not one that it made or asked for", i, g_array_index (trace->calls, LsCall, i).name, g_array_index (trace->calls, LsCall, i).node);
}

/* An output was read by a call, at that call's line. */
static void
verify_readers (LsTrace *trace, LsVerify *v)
{
  for (guint i = 0; i < trace->outputs->len; i++) {
    const LsOutput *o = &g_array_index (trace->outputs, LsOutput, i);
    const LsCall *c = o->call < trace->calls->len ? &g_array_index (trace->calls, LsCall, o->call) : NULL;
    if (c && c->line != o->line)
      ls_verify_differs (v, "output %u: it was read at line %u, by a call of line %u", i, o->line, c->line);
  }
}

static void
verify_error (LsTrace *trace, LsVerify *v)
{
  g_autofree char *place = g_strdup_printf (":%u:%u: ", trace->error_line, trace->error_column), *line = g_strdup_printf (":%u: ", trace->error_line);
  gboolean placed = trace->error_line || trace->error_column;
  if (placed && (!trace->error || !(strstr (trace->error, place) || (!trace->error_column && strstr (trace->error, line)))))
    ls_verify_differs (v, "the error's place is not the one that its message names");
}

/* Options are their parent's and one more. */
static gboolean
extends (const LsTraceCandidate *parent, const LsTraceCandidate *c)
{
  gsize n = strlen (parent->options);
  const char *rest = c->options + n + (n > 0);
  return g_str_has_prefix (c->options, parent->options) && (n == 0 || c->options[n] == ',') && *rest && !strchr (rest, ',');
}

static void
verify_search (LsTrace *trace, LsVerify *v, guint search)
{
  const LsTraceSearch *s = &g_array_index (trace->searches, LsTraceSearch, search);
  const LsKernel *k = ls_trace_kernel (trace, s->kernel);
  const LsTraceCandidate *all = k ? (const LsTraceCandidate *) (gconstpointer) k->candidates->data : NULL;
  guint n = k ? k->candidates->len : 0, n_chosen = 0;
  gboolean holds = k != NULL && (search == 0 || s[-1].kernel < s->kernel) && s->heuristic >= -1 && s->heuristic < (gint) n && (s->heuristic < 0 || all[s->heuristic].by_heuristic);
  for (guint i = 0; i < n && holds; i++) {
    const LsTraceCandidate *parent = all[i].parent >= 0 ? &all[all[i].parent] : NULL;
    n_chosen += all[i].chosen != 0;
    holds = (parent != NULL) == (i > 0) && (parent ? all[i].layer == parent->layer + 1 && extends (parent, &all[i]) : all[i].layer == 0 && !*all[i].options) &&
            (!all[i].chosen || strcmp (all[i].options, k->options) == 0);
    /* the heuristic's choice, and what leads to it */
    gboolean leads = s->heuristic >= 0 && (i == (guint) s->heuristic || (g_str_has_prefix (all[s->heuristic].options, all[i].options) && (!*all[i].options || all[s->heuristic].options[strlen (all[i].options)] == ',')));
    holds = holds && !all[i].by_heuristic == !leads;
  }
  if (!holds || n_chosen > 1)
    ls_verify_differs (v, "search %u: its candidates are not one tree of the kernel's options", search);
}

void
ls_verify_doubled (LsTrace *trace, LsVerify *v)
{
  verify_facts (trace, v);
  verify_results (trace, v);
  verify_readers (trace, v);
  verify_error (trace, v);
  for (guint i = 0; i < trace->searches->len; i++)
    verify_search (trace, v, i);
}
