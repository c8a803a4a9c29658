/* Blame: from a line of generated source back to the program, and from a program line forward to its generated code.
 *
 * The renderer says which nodes a line shows; lineage says from which nodes of each pass's input those descend, and so on down to the
 * nodes that API calls made. Nothing is guessed: a node whose chain ends nowhere is unmapped, one on which several program lines meet is
 * ambiguous (equal nodes are one node), and a constant that a rule wrote is synthetic.
 */
#include "ask.h"
#include "ir/sentence.h"
#include "trace/lineage.h"

#include <string.h>

const char *
ls_blame_kind_name (LsBlameKind kind)
{
  static const char *const names[LS_N_BLAME] = { LS_TEMPLATE ("mapped"), LS_TEMPLATE ("ambiguous"), LS_TEMPLATE ("synthetic"),
                                                 LS_TEMPLATE ("unmapped") };
  return kind < LS_N_BLAME ? names[kind] : "?";
}

void
ls_blame_free (LsBlame *b)
{
  if (!b)
    return;
  g_array_unref (b->nodes);
  g_array_unref (b->origins);
  g_array_unref (b->ast);
  g_array_unref (b->decisions);
  g_array_unref (b->program);
  g_array_unref (b->calls);
  g_array_unref (b->lines);
  g_free (b);
}

/* Classifies the origin of one node. */
static LsBlameKind
classify (LsTrace *trace, const LsCallIndex *calls, guint32 node, const GArray *origins, const GArray *ends)
{
  LsUOp *u = ls_context_node (trace->ctx, node);
  g_autoptr (GArray) lines = ls_call_index_lines (calls, trace, ends->len, (const guint32 *) ends->data);
  if (lines->len == 0)
    return LS_BLAME_UNMAPPED;
  if (u && (u->op == LS_OP_CONST || u->op == LS_OP_VCONST)) {
    /* written by a rule, or by a stage for something that is not a constant itself? */
    for (guint i = 0; i < origins->len; i++) {
      const LsOrigin *o = &g_array_index (origins, LsOrigin, i);
      LsUOp *from = ls_context_node (trace->ctx, o->node);
      if (o->made == node && from && from->op != LS_OP_CONST && from->op != LS_OP_VCONST)
        return LS_BLAME_SYNTHETIC;
    }
  }
  return lines->len > 1 ? LS_BLAME_AMBIGUOUS : LS_BLAME_MAPPED;
}

static guint
place_of (const LsKernel *k, guint32 node)
{
  for (guint i = 0; i < k->listing->len; i++)
    if (g_array_index (k->listing, guint32, i) == node)
      return i;
  return G_MAXUINT;
}

/* Latest first. A kernel that runs another's code came to its graph after that one's passes were recorded, so the chain determines the
 * order. */
static int
by_place (gconstpointer a, gconstpointer b, gpointer data)
{
  const LsOrigin *x = a, *y = b;
  const guint *order = data;      /* by number of a pass */
  if (x->pass != y->pass)
    return order[x->pass] > order[y->pass] ? -1 : 1;
  if (x->step != y->step)
    return x->step > y->step ? -1 : 1;
  return x->made != y->made ? (x->made < y->made ? -1 : 1) : x->node < y->node ? -1 : x->node > y->node;
}

static int
by_place_in_list (gconstpointer a, gconstpointer b)
{
  const LsBlameNode *x = a, *y = b;
  return x->place < y->place ? -1 : x->place > y->place;
}

static LsBlame *
blame_new (LsTrace *trace, guint kernel, guint line)
{
  LsBlame *b = g_new0 (LsBlame, 1);
  b->trace = trace;
  b->kernel = kernel;
  b->line = line;
  b->nodes = g_array_new (FALSE, FALSE, sizeof (LsBlameNode));
  b->origins = g_array_new (FALSE, FALSE, sizeof (LsOrigin));
  b->decisions = g_array_new (FALSE, FALSE, sizeof (guint));
  return b;
}

/* The passes of a kernel, other than the one that put its graph together. */
static gboolean
is_within_kernel (const LsPass *pass)
{
  return pass->kernel > 0 && (pass->kind == LS_PASS_REWRITE || strcmp (pass->stage, "schedule") != 0);
}

/* nodes are there; everything else follows. The chain's passes are latest first. k: NULL at tensor level. stand_for: the recorded
 * nodes that each node stands for, or NULL where nodes are recorded themselves. */
static void
trace_back (LsTrace *trace, LsBlame *b, const LsKernel *k, GPtrArray *chain, const GArray *stand_for)
{
  g_autoptr (GArray) start = g_array_new (FALSE, FALSE, sizeof (guint32));
  LsCallIndex calls;
  ls_call_index_init (&calls, trace);
  for (guint i = 0; i < b->nodes->len; i++) {
    LsBlameNode *n = &g_array_index (b->nodes, LsBlameNode, i);
    g_autoptr (GArray) origins = g_array_new (FALSE, FALSE, sizeof (LsOrigin));
    const guint32 *from = stand_for ? (const guint32 *) stand_for->data : &n->node;
    guint n_from = stand_for ? stand_for->len : 1;
    g_autoptr (GArray) ends = ls_lineage_walk (trace, chain, n_from, from, origins);
    n->kind = classify (trace, &calls, n->node, origins, ends);
    b->n_kind[n->kind]++;
    g_array_append_vals (start, from, n_from);
  }
  /* down to the kernel's graph, then on to the program */
  guint split = 0;
  while (split < chain->len && is_within_kernel (chain->pdata[split]))
    split++;
  g_autoptr (GPtrArray) upper = g_ptr_array_new (), lower = g_ptr_array_new ();
  for (guint i = 0; i < chain->len; i++)
    g_ptr_array_add (i < split ? upper : lower, chain->pdata[i]);
  b->ast = ls_lineage_walk (trace, upper, start->len, (guint32 *) start->data, b->origins);
  b->program = ls_lineage_walk (trace, lower, b->ast->len, (guint32 *) b->ast->data, b->origins);
  g_autofree guint *order = g_new0 (guint, trace->passes->len + 1);
  for (guint i = 0; i < chain->len; i++)
    order[((LsPass *) chain->pdata[i])->index] = chain->len - i;
  g_array_sort_with_data (b->origins, by_place, order);
  b->calls = ls_call_index_calls (&calls, b->program->len, (guint32 *) b->program->data);
  b->lines = ls_trace_lines_of_calls (trace, b->calls);
  for (guint i = 0; i < trace->decisions->len; i++)
    if (k && g_array_index (trace->decisions, LsDecision, i).kernel == k->number)
      g_array_append_val (b->decisions, i);
  ls_call_index_clear (&calls);
}

static void
trace_kernel_back (LsTrace *trace, LsBlame *b, const LsKernel *k)
{
  g_autoptr (GPtrArray) chain = ls_lineage_chain_kernel (trace, k);
  trace_back (trace, b, k, chain, NULL);
}

static LsKernel *
find_kernel (LsTrace *trace, guint kernel, GError **error)
{
  LsKernel *k = ls_trace_kernel (trace, kernel);
  if (!k)
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "there is no kernel %u; the recording has %u, numbered from 1", kernel,
                 trace->kernels->len);
  return k;
}

static guint
count_lines (const char *text)
{
  guint n = 0;
  for (const char *p = text; p && *p; p++)
    n += *p == '\n' || p[1] == 0;
  return n;
}

LsBlame *
ls_blame_line (LsTrace *trace, guint kernel, guint line, GError **error)
{
  LsKernel *k = find_kernel (trace, kernel, error);
  if (!k)
    return NULL;
  guint n = count_lines (k->source);
  if (line < 1 || line > n) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "the source of kernel %u has lines 1 to %u; there is no line %u", kernel, n, line);
    return NULL;
  }
  LsBlame *b = blame_new (trace, kernel, line);
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < k->source_links->len; i++) {
    const LsSourceLink *l = &g_array_index (k->source_links, LsSourceLink, i);
    LsBlameNode node = { l->node, place_of (k, l->node), LS_BLAME_UNMAPPED };
    if (l->line == line && g_hash_table_add (seen, GUINT_TO_POINTER (l->node + 1)))
      g_array_append_val (b->nodes, node);
  }
  g_array_sort (b->nodes, by_place_in_list);
  trace_kernel_back (trace, b, k);
  return b;
}

LsBlame *
ls_blame_instruction (LsTrace *trace, guint kernel, guint64 address, GError **error)
{
  LsKernel *k = find_kernel (trace, kernel, error);
  if (!k)
    return NULL;
  if (!k->code || k->n_code == 0)
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "kernel %u has no machine code: its compiler is %s", kernel, k->compiler);
  else if (address < k->code_address || address - k->code_address >= k->n_code)
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE,
                 "the code of kernel %u has addresses %" G_GINT64_MODIFIER "x to %"
                  G_GINT64_MODIFIER "x; there is no %" G_GINT64_MODIFIER "x", kernel,
                 k->code_address, k->code_address + k->n_code - 1, address);
  else if (k->code_lines->len == 0)
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "the recording has no line table for the code of kernel %u", kernel);
  else {
    guint line = ls_code_line_at (k->code_lines, address - k->code_address);
    LsBlame *b = line ? ls_blame_line (trace, kernel, line, error) : blame_new (trace, kernel, 0);
    if (!line)
      trace_kernel_back (trace, b, k);
    return b;
  }
  return NULL;
}

LsBlame *
ls_blame_node (LsTrace *trace, guint kernel, guint32 node, GError **error)
{
  LsKernel *k = find_kernel (trace, kernel, error);
  if (!k)
    return NULL;
  LsBlameNode n = { node, place_of (k, node), LS_BLAME_UNMAPPED };
  if (n.place == G_MAXUINT) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "node %u is not in the listing of kernel %u", node, kernel);
    return NULL;
  }
  LsBlame *b = blame_new (trace, kernel, 0);
  g_array_append_val (b->nodes, n);
  trace_kernel_back (trace, b, k);
  return b;
}

/* The recorded nodes that are this one in the graph after the step, or were before it: the one that names it, and those that are the
 * same by then. */
static GArray *
recorded_as (LsTrace *trace, const LsPass *pass, guint step, guint32 node)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_array_append_val (out, node);
  for (guint back = 0; back < 2 && back <= step && pass->kind == LS_PASS_REWRITE; back++) {
    g_autoptr (LsGraph) graph = ls_pass_graph (trace, pass, step - back);
    if (!graph || !ls_graph_node (graph, node))
      continue;
    for (guint i = 0; i < graph->aliases->len; i++)
      if (g_array_index (graph->aliases, LsAlias, i).name == node)
        g_array_append_val (out, g_array_index (graph->aliases, LsAlias, i).id);
    break;
  }
  return out;
}

LsBlame *
ls_blame_in_pass (LsTrace *trace, const LsPass *pass, guint step, guint32 node, GError **error)
{
  if (!ls_context_node (trace->ctx, node)) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "there is no node %u; the recording has %u, numbered from 0", node,
                 ls_context_n_nodes (trace->ctx));
    return NULL;
  }
  const LsKernel *k = pass->kernel ? ls_trace_kernel (trace, pass->kernel) : NULL;
  LsBlameNode n = { node, k ? place_of (k, node) : G_MAXUINT, LS_BLAME_UNMAPPED };
  LsBlame *b = blame_new (trace, pass->kernel, 0);
  g_array_append_val (b->nodes, n);
  g_autoptr (GPtrArray) chain = ls_lineage_chain (trace, pass);
  g_autoptr (GArray) stand_for = recorded_as (trace, pass, step, node);
  trace_back (trace, b, k, chain, stand_for);
  return b;
}

void
ls_blame_coverage (LsTrace *trace, guint kernel, guint n_kind[LS_N_BLAME], GArray *unmapped)
{
  LsKernel *k = ls_trace_kernel (trace, kernel);
  memset (n_kind, 0, LS_N_BLAME * sizeof *n_kind);
  if (!k)
    return;
  g_autoptr (GPtrArray) chain = ls_lineage_chain_kernel (trace, k);
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  LsCallIndex calls;
  ls_call_index_init (&calls, trace);
  for (guint i = 0; i < k->source_links->len; i++) {
    guint32 node = g_array_index (k->source_links, LsSourceLink, i).node;
    if (!g_hash_table_add (seen, GUINT_TO_POINTER (node + 1)))
      continue;
    g_autoptr (GArray) origins = g_array_new (FALSE, FALSE, sizeof (LsOrigin));
    g_autoptr (GArray) ends = ls_lineage_walk (trace, chain, 1, &node, origins);
    LsBlameKind kind = classify (trace, &calls, node, origins, ends);
    n_kind[kind]++;
    if (kind == LS_BLAME_UNMAPPED && unmapped)
      g_array_append_val (unmapped, node);
  }
  ls_call_index_clear (&calls);
}

GArray *
ls_blame_from (LsTrace *trace, guint program_line, GError **error)
{
  guint n = count_lines (trace->program_text);
  if (program_line < 1 || program_line > n) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "the program has lines 1 to %u; there is no line %u", n, program_line);
    return NULL;
  }
  GArray *out = g_array_new (FALSE, FALSE, sizeof (LsDescendant));
  LsCallIndex calls;
  ls_call_index_init (&calls, trace);
  for (guint i = 0; i < trace->kernels->len; i++) {
    const LsKernel *k = trace->kernels->pdata[i];
    g_autoptr (GPtrArray) chain = ls_lineage_chain_kernel (trace, k);
    g_autoptr (GHashTable) descends = g_hash_table_new (NULL, NULL);      /* node id + 1 -> 1 no, 2 yes */
    for (guint j = 0; j < k->source_links->len; j++) {
      const LsSourceLink *l = &g_array_index (k->source_links, LsSourceLink, j);
      gpointer key = GUINT_TO_POINTER (l->node + 1);
      guint known = GPOINTER_TO_UINT (g_hash_table_lookup (descends, key));
      if (!known) {
        g_autoptr (GArray) ends = ls_lineage_walk (trace, chain, 1, &l->node, NULL);
        known = 1;
        for (guint e = 0; e < ends->len && known == 1; e++)
          known += ls_call_index_is_of_line (&calls, trace, g_array_index (ends, guint32, e), program_line);
        g_hash_table_insert (descends, key, GUINT_TO_POINTER (known));
      }
      LsDescendant d = { k->number, l->line, l->node };
      if (known == 2)
        g_array_append_val (out, d);
    }
  }
  ls_call_index_clear (&calls);
  return out;
}
