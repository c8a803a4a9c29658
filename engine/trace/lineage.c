/* Lineage: from which nodes of a pass's input a node of its output descends, and so on down to the program.
 *
 * A rebuilt node descends from its former self. A node that a rule made descends from the nodes that the rule matched (of its own kind,
 * where there are such), and through them from everything that was replaced to make those; nodes that were there before descend from
 * themselves. For a pass this gives, for each node that its links made, the nodes of its input; stages that are not rewrites say it in
 * their maps. The table of a pass has only the pass's own nodes, so that all tables together are no larger than the recording.
 */
#include "lineage.h"
#include "realizations.h"

#include <string.h>

static void
lineage_free (gpointer data)
{
  LsLineage *l = data;
  if (l->known)
    ls_node_map_release (l->known->ctx, l->known);
  g_hash_table_unref (l->first);
  g_hash_table_unref (l->in_input);
  g_free (l->entries);
  g_free (l);
}

static void
add_entry (LsLineage *l, guint32 node, guint32 parent, gint rule, guint step)
{
  if (node == parent)
    return;
  guint32 first = ls_lineage_first (l, node);
  for (guint32 e = first; e; e = l->entries[e].next)
    if (l->entries[e].parent == parent)
      return;
  if (l->n == l->capacity) {
    l->capacity *= 2;
    l->entries = g_renew (LsLineageEntry, l->entries, l->capacity);
  }
  l->entries[l->n] = (LsLineageEntry) { first, parent, rule, step };
  g_hash_table_insert (l->first, GUINT_TO_POINTER (node + 1), GUINT_TO_POINTER (l->n++));
}

/* Kinds of ops that correspond across a rewrite: memory for memory, movement for movement, arithmetic for arithmetic. */
static guint
family (LsOp op)
{
  LsOpClass c = ls_op_info (op)->op_class;
  return c == LS_CLASS_BUFFER || c == LS_CLASS_DEFINE || c == LS_CLASS_MEMORY ? 1 : c >= LS_CLASS_UNARY ? 2 : 3 + (guint) c;
}

/* A node that a step made descends from those of the matched nodes that are of its kind, and from all of them where none is. */
static void
add_made (LsLineage *l, const LsUOp *u, const LsLink *link, guint step, guint n, LsUOp *const *matched)
{
  gboolean any = FALSE;
  for (guint i = 0; i < n; i++)
    if (family (matched[i]->op) == family (u->op)) {
      add_entry (l, u->id, matched[i]->id, link->rule, step);
      any = TRUE;
    }
  for (guint i = 0; i < n && !any; i++)
    if (matched[i]->op != LS_OP_CONST)
      add_entry (l, u->id, matched[i]->id, link->rule, step);
  if (n == 0)
    add_entry (l, u->id, link->before, link->rule, step);
}

/* Every node of a result that was not there before was made by its step; a constant, range, buffer or array of registers that an
 * earlier step made as well has two makers. */
static void
add_result (LsLineage *l, LsTrace *trace, const LsLink *link, guint step, LsNodeMap *known, GPtrArray *stack)
{
  LsUOp *matched[16], *before = ls_context_node (trace->ctx, link->before), *after = ls_context_node (trace->ctx, link->after);
  guint index, n = 0;
  LsRuleLibrary *library = before ? ls_trace_rule_library (trace, (guint) link->rule, &index) : NULL;
  if (library)
    n = ls_rule_matched (library, index, before, matched, G_N_ELEMENTS (matched));
  if (ls_node_map_has (known, after))
    add_entry (l, link->after, link->before, link->rule, step);
  g_ptr_array_set_size (stack, 0);
  g_ptr_array_add (stack, after);
  while (stack->len > 0) {
    LsUOp *u = stack->pdata[stack->len - 1];
    guint64 maker;
    g_ptr_array_set_size (stack, (int) stack->len - 1);
    if (ls_node_map_get (known, u, &maker)) {
      gboolean leaf = u->op == LS_OP_CONST || u->op == LS_OP_DEFINE_GLOBAL || u->op == LS_OP_DEFINE_REG ||
                      (u->op == LS_OP_RANGE && u->src[0]->op == LS_OP_CONST);
      gboolean bound = u == before;
      for (guint i = 0; i < n && !bound; i++)
        for (guint k = 0; k < matched[i]->n_src && !bound; k++)
          bound = matched[i]->src[k] == u;
      if (maker > 0 && maker < step && leaf && !bound)
        add_made (l, u, link, step, n, matched);
      continue;
    }
    ls_node_map_set (known, u, step);
    add_made (l, u, link, step, n, matched);
    for (guint k = 0; k < u->n_src; k++)
      g_ptr_array_add (stack, u->src[k]);
  }
}

static LsLineage *
lineage_new (LsTrace *trace, const LsPass *pass)
{
  LsLineage *l = g_new0 (LsLineage, 1);
  LsUOp *input = ls_context_node (trace->ctx, pass->input);
  l->first = g_hash_table_new (NULL, NULL);
  l->in_input = g_hash_table_new (NULL, NULL);
  l->capacity = 64;
  l->entries = g_new (LsLineageEntry, l->capacity);
  l->n = 1;
  if (pass->kind == LS_PASS_MAP) {
    for (guint i = 0; i < pass->map->len; i++) {
      const LsMapEntry *m = &g_array_index (pass->map, LsMapEntry, i);
      add_entry (l, m->new_node, m->old_node, LS_LINK_REBUILD, i);
    }
  } else if (input && pass->links->len > 0) {
    g_autoptr (GPtrArray) order = ls_uop_toposort (trace->ctx, input);
    l->known = ls_node_map_acquire (trace->ctx);
    for (guint i = 0; i < order->len; i++)
      ls_node_map_set (l->known, order->pdata[i], 0);
  }
  return l;
}

static void
add_link (LsLineage *l, LsTrace *trace, const LsLink *link, GPtrArray *stack)
{
  LsUOp *after = ls_context_node (trace->ctx, link->after);
  guint64 had;
  if (!after)
    return;
  if (link->rule == LS_LINK_REBUILD) {
    add_entry (l, link->after, link->before, LS_LINK_REBUILD, 0);
    if (!ls_node_map_has (l->known, after))
      ls_node_map_set (l->known, after, G_MAXUINT32);
  } else {
    l->n_steps++;
    add_result (l, trace, link, l->n_steps, l->known, stack);
  }
  if (ls_node_map_get (l->known, after, &had) && had == 0)
    g_hash_table_add (l->in_input, GUINT_TO_POINTER (after->id + 1));
}

gboolean
ls_lineage_work (LsTrace *trace, const LsPass *pass, gint64 microseconds)
{
  GQuark quark = g_quark_from_static_string ("ls-lineage");
  LsLineage *l = g_dataset_id_get_data (pass, quark);
  gint64 end = microseconds < G_MAXINT64 ? g_get_monotonic_time () + microseconds : G_MAXINT64;
  if (!l)
    g_dataset_id_set_data_full (pass, quark, l = lineage_new (trace, pass), lineage_free);
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  while (l->known && l->n_links < pass->links->len) {
    add_link (l, trace, &g_array_index (pass->links, LsLink, l->n_links++), stack);
    if (l->n_links % 256 == 0 && g_get_monotonic_time () > end)
      return FALSE;
  }
  if (l->known)
    ls_node_map_release (trace->ctx, g_steal_pointer (&l->known));
  return TRUE;
}

const LsLineage *
ls_lineage_of (LsTrace *trace, const LsPass *pass)
{
  GQuark quark = g_quark_from_static_string ("ls-lineage");
  const LsLineage *l = g_dataset_id_get_data (pass, quark);
  if (l && !l->known)
    return l;
  ls_lineage_work (trace, pass, G_MAXINT64);
  return g_dataset_id_get_data (pass, quark);
}

void
ls_lineage_forget (const LsPass *pass)
{
  g_dataset_destroy (pass);
}

/* The passes at tensor level that made the input graph of pass number first, latest first, and the map before them. They are
 * adjacent: a kernel's pass between two of them ends a realization. */
static void
add_tensor_level (LsTrace *trace, gint first, GPtrArray *out)
{
  const LsPass *after = NULL;
  for (gint i = first; i >= 0; i--) {
    LsPass *p = trace->passes->pdata[i];
    if (p->kernel > 0 && after)
      return;
    gboolean decides = p->kind == LS_PASS_MAP && g_str_equal (p->stage, ls_stage_infos[LS_STAGE_SCHEDULE].name);
    if (p->kernel > 0 || p->parent >= 0 || decides)      /* the schedule makes no node */
      continue;
    if (after && p->kind == LS_PASS_REWRITE && p->output != after->input)
      return;
    g_ptr_array_add (out, p);
    if (p->kind == LS_PASS_MAP)
      return;
    after = p;
  }
}

GPtrArray *
ls_lineage_chain (LsTrace *trace, const LsPass *pass)
{
  GPtrArray *out = g_ptr_array_new ();
  for (; pass->parent >= 0; pass = trace->passes->pdata[pass->parent])      /* nested nodes descend from the step that contains their
                                                                             * pass */
    g_ptr_array_add (out, trace->passes->pdata[pass->index]);
  gint first = (gint) pass->index;
  for (gint i = first; i >= 0 && pass->kernel > 0; i--) {
    LsPass *p = trace->passes->pdata[i];
    if (p->kernel == pass->kernel && p->parent < 0) {
      g_ptr_array_add (out, p);
      first = i;
    }
  }
  add_tensor_level (trace, first, out);
  return out;
}

GPtrArray *
ls_lineage_chain_kernel (LsTrace *trace, const LsKernel *kernel)
{
  const LsKernel *code = kernel->same_as > 0 ? ls_trace_kernel (trace, (guint) kernel->same_as) : kernel;
  GPtrArray *out = g_ptr_array_new ();
  gint first = -1;
  for (guint i = code->passes->len; i-- > 0;) {
    LsPass *p = trace->passes->pdata[g_array_index (code->passes, guint, i)];
    if (p->parent >= 0)
      continue;
    if (code == kernel || p->kind == LS_PASS_REWRITE || strcmp (p->stage, "schedule") != 0)
      g_ptr_array_add (out, p);
    first = (gint) p->index;
  }
  for (guint i = kernel->passes->len; i-- > 0 && code != kernel;) {
    LsPass *p = trace->passes->pdata[g_array_index (kernel->passes, guint, i)];
    if (p->parent < 0)
      g_ptr_array_add (out, p);
    first = (gint) p->index;
  }
  add_tensor_level (trace, first, out);
  return out;
}

/* From nodes of the input of a nested pass to those of its parent: nodes below the node that the step replaced are themselves, all
 * others come from the replaced one. */
static void
leave_nested (LsTrace *trace, const LsPass *pass, GArray *at, GArray *origins)
{
  const LsPass *parent = trace->passes->pdata[pass->parent];
  const LsLink *link = pass->step ? ls_pass_step_link (parent, pass->step) : NULL;
  LsUOp *replaced = link ? ls_context_node (trace->ctx, link->before) : NULL;
  if (!replaced)
    return;
  g_autoptr (GPtrArray) order = ls_uop_toposort (trace->ctx, replaced);
  g_autoptr (GHashTable) below = g_hash_table_new (NULL, NULL);
  gboolean made = FALSE;
  for (guint i = 0; i < order->len; i++)
    g_hash_table_add (below, GUINT_TO_POINTER (((LsUOp *) order->pdata[i])->id + 1));
  guint n = 0;
  for (guint i = 0; i < at->len; i++) {
    guint32 u = g_array_index (at, guint32, i);
    LsOrigin o = { parent->index, replaced->id, link->rule, pass->step, u };
    if (g_hash_table_contains (below, GUINT_TO_POINTER (u + 1))) {
      g_array_index (at, guint32, n++) = u;
      continue;
    }
    made = TRUE;
    if (origins)
      g_array_append_val (origins, o);
  }
  g_array_set_size (at, n);
  if (made)
    g_array_append_val (at, replaced->id);
}

GArray *
ls_lineage_walk (LsTrace *trace, GPtrArray *chain, guint n, const guint32 *nodes, GArray *origins)
{
  GArray *at = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_array_append_vals (at, nodes, n);
  for (guint i = 0; i < chain->len; i++) {
    const LsPass *pass = chain->pdata[i];
    const LsLineage *lineage = ls_lineage_of (trace, pass);
    g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
    GArray *before = g_array_new (FALSE, FALSE, sizeof (guint32));
    g_array_set_size (stack, 0);
    for (guint k = at->len; k-- > 0;)
      if (g_hash_table_add (seen, GUINT_TO_POINTER (g_array_index (at, guint32, k) + 1)))
        g_array_append_val (stack, g_array_index (at, guint32, k));
    while (stack->len > 0) {
      guint32 u = g_array_index (stack, guint32, stack->len - 1);
      g_array_set_size (stack, stack->len - 1);
      guint32 first = ls_lineage_first (lineage, u);
      for (guint32 e = first; e; e = lineage->entries[e].next) {
        const LsLineageEntry *entry = &lineage->entries[e];
        LsOrigin o = { pass->index, entry->parent, entry->rule, entry->step, u };
        if (origins)
          g_array_append_val (origins, o);
        if (g_hash_table_add (seen, GUINT_TO_POINTER (entry->parent + 1)))
          g_array_append_val (stack, entry->parent);
      }
      /* a node that no link made was there at the start; so, perhaps, was one that a link made again */
      if (!first || ls_lineage_in_input (lineage, u))
        g_array_append_val (before, u);
    }
    g_array_unref (at);
    at = before;
    if (pass->parent >= 0)
      leave_nested (trace, pass, at, origins);
  }
  return at;
}

/* --- calls --- */

/* The line, unless it is 0 or there from that place on. */
static void
add_line (guint line, guint from, GArray *lines)
{
  gboolean have = line == 0;
  for (guint k = lines->len; k-- > from && !have;)
    have = g_array_index (lines, guint, k) == line;
  if (!have)
    g_array_append_val (lines, line);
}

/* Behind the last node of those that a call made in a row; those of a call that is not there are none. */
static guint32
end_of_run (const LsCallIndex *index, const LsTrace *trace, const LsNodeCall *nc)
{
  return nc->call >= trace->calls->len || nc->node >= index->n ? nc->node : nc->node + MIN (nc->more, index->n - 1 - nc->node) + 1;
}

void
ls_call_index_init (LsCallIndex *index, LsTrace *trace)
{
  index->n = ls_context_n_nodes (trace->ctx);
  index->call = g_new (gint32, MAX (index->n, 1));
  g_autofree gboolean *taken = g_new0 (gboolean, MAX (index->n, 1));
  memset (index->call, 0xff, index->n * sizeof *index->call);
  index->first = g_new0 (guint32, index->n + 2);
  for (guint i = 0; i < trace->node_calls->len; i++) {
    const LsNodeCall *nc = &g_array_index (trace->node_calls, LsNodeCall, i);
    for (guint32 node = nc->node; node < end_of_run (index, trace, nc); node++) {
      if (index->call[node] < 0)
        index->call[node] = (gint32) nc->call;
      index->first[node + 2]++;
    }
  }
  for (guint i = 2; i < index->n + 2; i++)
    index->first[i] += index->first[i - 1];
  index->more = g_new (gint32, MAX (index->first[index->n + 1], 1));
  for (guint i = 0; i < trace->node_calls->len; i++) {
    const LsNodeCall *nc = &g_array_index (trace->node_calls, LsNodeCall, i);
    for (guint32 node = nc->node; node < end_of_run (index, trace, nc); node++)
      index->more[index->first[node + 1]++] = (gint32) nc->call;
  }
  index->first_line = g_new0 (guint32, index->n + 1);
  index->lines = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < index->n; i++) {
    index->first_line[i] = index->lines->len;
    for (guint32 k = index->first[i]; k < index->first[i + 1]; k++)
      add_line (g_array_index (trace->calls, LsCall, index->more[k]).line, index->first_line[i], index->lines);
  }
  index->first_line[index->n] = index->lines->len;
  /* a node that was there before, from an earlier kernel, say, was taken up by the call that made the first node above it */
  for (guint i = index->n; i-- > 0;) {
    const LsUOp *u = index->call[i] >= 0 ? ls_context_node (trace->ctx, i) : NULL;
    for (guint k = 0; u && k < u->n_src; k++)
      if (u->src[k]->id < i && (index->call[u->src[k]->id] < 0 || taken[u->src[k]->id])) {
        index->call[u->src[k]->id] = index->call[i];
        taken[u->src[k]->id] = TRUE;
      }
  }
}

void
ls_call_index_clear (LsCallIndex *index)
{
  g_clear_pointer (&index->call, g_free);
  g_clear_pointer (&index->first, g_free);
  g_clear_pointer (&index->more, g_free);
  g_clear_pointer (&index->first_line, g_free);
  g_clear_pointer (&index->lines, g_array_unref);
  index->n = 0;
}

static int
compare_uint (gconstpointer a, gconstpointer b)
{
  guint x = *(const guint *) a, y = *(const guint *) b;
  return x < y ? -1 : x > y;
}

gboolean
ls_call_index_is_of_line (const LsCallIndex *index, LsTrace *trace, guint32 node, guint line)
{
  gint call = ls_call_index_get (index, node);
  gboolean found = call >= 0 && g_array_index (trace->calls, LsCall, call).line == line;
  for (guint32 k = node < index->n ? index->first[node] : 0; node < index->n && k < index->first[node + 1] && !found; k++)
    found = g_array_index (trace->calls, LsCall, index->more[k]).line == line;
  return found;
}

static void
add_once (GArray *numbers, GHashTable *seen, guint number)
{
  if (g_hash_table_add (seen, GUINT_TO_POINTER (number)))
    g_array_append_val (numbers, number);
}

GArray *
ls_call_index_calls (const LsCallIndex *index, guint n, const guint32 *nodes)
{
  GArray *calls = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < n; i++) {
    gint call = ls_call_index_get (index, nodes[i]);
    if (call >= 0)
      add_once (calls, seen, (guint) call);
    for (guint32 k = nodes[i] < index->n ? index->first[nodes[i]] : 0; nodes[i] < index->n && k < index->first[nodes[i] + 1]; k++)
      add_once (calls, seen, (guint) index->more[k]);
  }
  return calls;
}

char *
ls_source_line (const char *text, guint line)
{
  for (; text && line > 1 && *text; line--) {
    const char *end = strchr (text, '\n');
    text = end ? end + 1 : text + strlen (text);
  }
  while (text && *text == ' ')
    text++;
  return text ? g_strndup (text, strcspn (text, "\n")) : g_strdup ("");
}

char *
ls_call_path (LsTrace *t, guint call)
{
  GString *s = g_string_new (NULL);
  gint at = (gint) call;
  for (guint depth = 0; at >= 0 && depth < 64; depth++) {
    const LsCall *c = &g_array_index (t->calls, LsCall, at);
    g_autofree char *part = g_strdup_printf ("%s%s", c->name, s->len ? " > " : "");
    g_string_prepend (s, part);
    at = c->parent;
  }
  return g_string_free (s, FALSE);
}

GArray *
ls_trace_lines_of_calls (LsTrace *trace, const GArray *calls)
{
  GArray *lines = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < calls->len; i++) {
    guint line = g_array_index (trace->calls, LsCall, g_array_index (calls, guint, i)).line;
    if (line > 0)
      add_once (lines, seen, line);
  }
  g_array_sort (lines, compare_uint);
  return lines;
}

GArray *
ls_call_index_lines (const LsCallIndex *index, LsTrace *trace, guint n, const guint32 *nodes)
{
  GArray *lines = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < n; i++) {
    gint call = ls_call_index_get (index, nodes[i]);
    add_line (call >= 0 ? g_array_index (trace->calls, LsCall, call).line : 0, 0, lines);
    for (guint32 k = nodes[i] < index->n ? index->first_line[nodes[i]] : 0; nodes[i] < index->n && k < index->first_line[nodes[i] + 1]; k++)
      add_line (g_array_index (index->lines, guint, k), 0, lines);
  }
  g_array_sort (lines, compare_uint);
  return lines;
}

struct _LsProgramIndex {
  LsTrace    *trace;
  LsCallIndex calls;
  gconstpointer of;          /* the pass or kernel that chain is of */
  GPtrArray  *chain;
};

LsProgramIndex *
ls_program_index_new (LsTrace *trace)
{
  LsProgramIndex *index = g_new0 (LsProgramIndex, 1);
  index->trace = ls_trace_ref (trace);
  ls_call_index_init (&index->calls, trace);
  return index;
}

void
ls_program_index_free (LsProgramIndex *index)
{
  if (!index)
    return;
  ls_call_index_clear (&index->calls);
  g_clear_pointer (&index->chain, g_ptr_array_unref);
  ls_trace_unref (index->trace);
  g_free (index);
}

GArray *
ls_program_index_calls (LsProgramIndex *index, const LsPass *pass, const LsKernel *kernel, guint32 node)
{
  gconstpointer of = pass ? (gconstpointer) pass : kernel;
  if (index->of != of) {
    g_clear_pointer (&index->chain, g_ptr_array_unref);
    index->chain = pass ? ls_lineage_chain (index->trace, pass) : ls_lineage_chain_kernel (index->trace, kernel);
    index->of = of;
  }
  g_autoptr (GArray) ends = ls_lineage_walk (index->trace, index->chain, 1, &node, NULL);
  return ls_call_index_calls (&index->calls, ends->len, (const guint32 *) ends->data);
}

GArray *
ls_program_index_lines (LsProgramIndex *index, const LsPass *pass, const LsKernel *kernel, guint32 node)
{
  g_autoptr (GArray) calls = ls_program_index_calls (index, pass, kernel, node);
  return ls_trace_lines_of_calls (index->trace, calls);
}

/* Without the calls that began when a kernel had run: they made nodes again that it had computed. */
static void
leave_out_later (LsTrace *trace, const LsKernel *kernel, GArray *calls)
{
  const LsRealization *r = ls_kernel_realization (trace, kernel->number);
  for (guint i = calls->len; r && r->call >= 0 && i-- > 0;)
    if (g_array_index (calls, guint, i) > (guint) r->call && calls->len > 1)
      g_array_remove_index (calls, i);
}

guint
ls_program_index_kernel_line (LsProgramIndex *index, const LsKernel *kernel)
{
  LsTrace *trace = index->trace;
  guint first = kernel->passes->len ? g_array_index (kernel->passes, guint, 0) : G_MAXUINT;
  const LsPass *pass = first < trace->passes->len ? trace->passes->pdata[first] : NULL;
  const LsUOp *value = pass ? ls_context_node (trace->ctx, pass->output) : NULL;
  while (value && value->n_src && (value->op == LS_OP_SINK || value->op == LS_OP_STORE))
    value = value->src[value->op == LS_OP_SINK ? 0 : value->n_src - 1];
  if (!value)
    return 0;
  g_autoptr (GArray) calls = ls_program_index_calls (index, pass, NULL, value->id);
  leave_out_later (trace, kernel, calls);
  g_autoptr (GArray) lines = ls_trace_lines_of_calls (trace, calls);
  return lines->len ? g_array_index (lines, guint, lines->len - 1) : 0;
}

GArray *
ls_trace_program_lines (LsTrace *trace, const LsPass *pass, LsUOp *node)
{
  LsProgramIndex *index = ls_program_index_new (trace);
  GArray *lines = ls_program_index_lines (index, pass, NULL, node->id);
  ls_program_index_free (index);
  return lines;
}
