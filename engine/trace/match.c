/* Which row of one list continues which row of another.
 *
 * A node that is in both is itself: nodes are hash-consed, and equal with all nodes below them. Then:
 *
 *   lineage     Every node of the former position is followed through the links of the passes on the way and through the maps of
 *               stages that are not rewrites. If several end in one node, the one that is most alike continues (the same except for
 *               its sources, then the same op), then the one nearest the root; if a map makes several nodes from one, the one with
 *               its op, then the first. Other nodes that rules made descend from the nodes that they matched, by op.
 *   structure   Between kernels or recordings: the same program lines over an equal structure; an equal structure; the only nodes of
 *               their program lines with these fields; then neighbours: sources of matched consumers by port and op, consumers of
 *               matched sources by op, best score first. Nodes with another candidate that is as good are counted as ambiguous.
 *
 * Everything is a sweep over rows in their order or a sort: linear up to logarithms, without recursion, and no order depends on an
 * address or an id.
 */
#include "diff.h"
#include "lineage.h"
#include "replay.h"
#include "ir/print.h"

#include <stdlib.h>
#include <string.h>

#define MAX_CANDIDATES     64          /* consumers of one source that are looked at */
#define MAX_DESCENT        100000      /* limit of visited nodes on the way back, for nodes without lineage by links */
#define MAX_DESCENT_OF_ONE 256

guint64
ls_hash_mix (guint64 h, guint64 v)
{
  h ^= v + G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) + (h << 6) + (h >> 2);
  return h * G_GUINT64_CONSTANT (0xff51afd7ed558ccd);
}

guint64
ls_hash_fields (const LsUOp *u)
{
  guint64 h = ls_hash_mix (u->op + 1, u->dtype);
  if (u->op == LS_OP_BUFFER && u->arg.kind == LS_ARG_INTS && u->arg.n > 1 && u->arg.ints[0] >= 0) {
    h = ls_hash_mix (h, (guint64) u->arg.ints[1]);
  } else if (u->arg.kind == LS_ARG_INT || u->arg.kind == LS_ARG_FLOAT) {
    h = ls_hash_mix (ls_hash_mix (h, u->arg.kind), u->arg.bits);
  } else if (u->arg.kind == LS_ARG_INTS || u->arg.kind == LS_ARG_OP_INTS) {
    h = ls_hash_mix (h, u->arg.kind == LS_ARG_OP_INTS ? u->arg.op + 1u : 0);
    for (guint k = 0; k < u->arg.n; k++)
      h = ls_hash_mix (h, (guint64) u->arg.ints[k]);
  } else if (u->arg.kind != LS_ARG_NONE) {
    g_autofree char *arg = ls_arg_print (u->arg);
    for (const char *p = arg; *p; p++)
      h = ls_hash_mix (h, (guint8) *p);
  }
  return ls_hash_mix (h, u->tag);
}

/* --- lineage --- */

/* The results of the pass, up to step "to", for the nodes that are named in ids. Nodes that leave the graph on the way keep the name
 * that the links gave them last. */
static gboolean
follow_rewrite (LsTrace *trace, const LsPass *pass, guint to, guint n, guint32 *ids)
{
  g_autoptr (LsGraph) graph = ls_pass_graph (trace, pass, to);
  LsJoin join;
  if (!graph)
    return FALSE;
  ls_join_init (&join, trace, pass, graph, to);
  for (guint i = 0; i < n; i++) {
    const LsUOp *u = ls_join_follow (&join, ids[i], &ids[i]);
    ids[i] = u ? u->id : ids[i];
  }
  ls_join_clear (&join);
  return TRUE;
}

static void
follow_map (LsTrace *trace, const LsPass *pass, guint n, guint32 *ids)
{
  LsNodeMap *next = ls_node_map_acquire (trace->ctx);
  for (guint i = 0; i < pass->map->len; i++) {
    const LsMapEntry *m = &g_array_index (pass->map, LsMapEntry, i);
    LsUOp *x = ls_context_node (trace->ctx, m->old_node), *y = ls_context_node (trace->ctx, m->new_node);
    if (!x || !y)
      continue;
    LsUOp *had = ls_node_map_get_node (next, x);
    if (!had || (had->op != x->op && y->op == x->op))
      ls_node_map_set_node (next, x, y);
  }
  for (guint i = 0; i < n; i++) {
    const LsUOp *u = ls_context_node (trace->ctx, ids[i]), *to = u ? ls_node_map_get_node (next, u) : NULL;
    ids[i] = to ? to->id : ids[i];
  }
  ls_node_map_release (trace->ctx, next);
}

/* The passes from a to b, in order, or NULL when b does not descend from a. */
static GPtrArray *
way (const LsPosition *a, const LsPosition *b)
{
  g_autoptr (GPtrArray) chain = ls_lineage_chain (b->trace, b->pass);
  GPtrArray *out = g_ptr_array_new ();
  gboolean found = FALSE;
  for (guint i = 0; i < chain->len && !found; i++) {
    LsPass *p = chain->pdata[i];
    found = p == a->pass;
    if (found || i == 0 || p->parent < 0)      /* passes that a builder ran are part of its step */
      g_ptr_array_insert (out, 0, p);
  }
  gboolean inside = found && a->pass != b->pass && (a->pass->parent >= 0 || b->pass->parent >= 0);
  if (!found || inside || (a->pass == b->pass && a->step > b->step))
    g_clear_pointer (&out, g_ptr_array_unref);
  return out;
}

static int
likeness (const LsUOp *x, const LsUOp *y)
{
  if (x->op != y->op)
    return 1;
  return x->dtype == y->dtype && x->tag == y->tag && ls_arg_equal (x->arg, y->arg) ? 3 : 2;
}

/* Remaining nodes are searched in the lineage of rules: a node that a rule made, other than its result, descends from the nodes that the
 * rule matched. The first node of its op that is left, most alike first, in order of rows; a graph has few of these, and far descent is
 * cut off rather than waited for. */
static void
match_descent (const LsPosition *a, GPtrArray *from, const LsPosition *b, GPtrArray *to, GPtrArray *passes, guint32 *former)
{
  LsTrace *trace = a->trace;
  LsContext *ctx = trace->ctx;
  g_autoptr (GArray) here = g_array_new (FALSE, FALSE, sizeof (guint32)), earlier = g_array_new (FALSE, FALSE, sizeof (guint32));
  LsNodeMap *left = ls_node_map_acquire (ctx);
  guint budget = MAX_DESCENT;
  g_autofree gboolean *taken = g_new0 (gboolean, from->len + 1);
  for (guint j = 0; j < to->len; j++)
    if (former[j] != LS_NO_NODE)
      taken[former[j]] = TRUE;
  for (guint k = 0; k < from->len; k++)
    if (!taken[k])
      ls_node_map_set (left, from->pdata[k], k);
  for (guint j = 0; j < to->len && budget > 0; j++) {
    LsUOp *y = to->pdata[j];
    guint32 best = LS_NO_NODE;
    if (former[j] != LS_NO_NODE)
      continue;
    g_array_set_size (here, 0);
    g_array_append_val (here, y->id);
    for (guint i = passes->len + 1; i-- > 0 && budget > 0;) {      /* 0: the result of the first pass */
      const LsPass *p = i ? passes->pdata[i - 1] : NULL;
      const LsLineage *l = !p || (p == a->pass && p->kind == LS_PASS_MAP) ? NULL : ls_lineage_of (trace, p);
      guint first = p == a->pass ? a->step : 0, last = p == b->pass && p->kind == LS_PASS_REWRITE ? b->step : G_MAXUINT;
      LsNodeMap *seen = ls_node_map_acquire (ctx);
      g_array_set_size (earlier, 0);
      for (guint at = 0; at < here->len && at < MAX_DESCENT_OF_ONE && budget > 0; at++, budget--) {
        LsUOp *x = ls_context_node (ctx, g_array_index (here, guint32, at));
        guint64 row;
        gboolean made = FALSE;
        if (!x || ls_node_map_has (seen, x))
          continue;
        ls_node_map_set (seen, x, 1);
        if (i <= 1 && x->op == y->op && ls_node_map_get (left, x, &row) && !taken[row] &&
            (best == LS_NO_NODE || likeness (x, y) > likeness (from->pdata[best], y) ||
             (likeness (x, y) == likeness (from->pdata[best], y) && row < best)))
          best = (guint32) row;
        for (guint32 e = l ? ls_lineage_first (l, x->id) : 0; e; e = l->entries[e].next) {
          const LsLineageEntry *entry = &l->entries[e];
          if (p->kind == LS_PASS_REWRITE && entry->rule != LS_LINK_REBUILD && (entry->step <= first || entry->step > last))
            continue;
          made = TRUE;
          g_array_append_val (here, entry->parent);
        }
        if (!made || ls_lineage_in_input (l, x->id))
          g_array_append_val (earlier, x->id);
      }
      ls_node_map_release (ctx, seen);
      GArray *swap = here;
      here = earlier;
      earlier = swap;
    }
    if (best != LS_NO_NODE) {
      former[j] = best;
      taken[best] = TRUE;
    }
  }
  ls_node_map_release (ctx, left);
}

/* from: rows at the former position; of each row of the latter the former one. same: rows of the latter that are in both. FALSE when
 * there is no way. */
static gboolean
match_lineage (const LsPosition *a, GPtrArray *from, const LsPosition *b, GPtrArray *to, const gboolean *same, guint32 *former)
{
  LsContext *ctx = a->trace->ctx;
  g_autoptr (GPtrArray) passes = way (a, b);
  if (!passes)
    return FALSE;
  g_autofree guint32 *now = g_new (guint32, MAX (from->len, 1));
  for (guint k = 0; k < from->len; k++)
    now[k] = ((LsUOp *) from->pdata[k])->id;
  gboolean ok = TRUE;
  for (guint i = 0; i < passes->len && ok; i++) {
    LsPass *p = passes->pdata[i];
    if (p->kind == LS_PASS_MAP ? p == a->pass : p->links->len == 0)      /* a map's graph is its output */
      continue;
    if (p->kind == LS_PASS_MAP)
      follow_map (a->trace, p, from->len, now);
    else
      ok = follow_rewrite (a->trace, p, p == b->pass ? b->step : ls_pass_n_rewrites (p), from->len, now);
  }
  LsNodeMap *row = ls_node_map_acquire (ctx), *taken = ls_node_map_acquire (ctx);
  for (guint j = 0; j < to->len; j++) {
    ls_node_map_set (row, to->pdata[j], j);
    if (former[j] != LS_NO_NODE)
      ls_node_map_set (taken, from->pdata[former[j]], 1);
  }
  for (guint k = 0; k < from->len && ok; k++) {
    guint64 j;
    LsUOp *x = from->pdata[k];
    const LsUOp *named = ls_context_node (ctx, now[k]);
    if (ls_node_map_has (taken, x) || !named || !ls_node_map_get (row, named, &j) || same[j])
      continue;
    if (former[j] == LS_NO_NODE || likeness (x, to->pdata[j]) >= likeness (from->pdata[former[j]], to->pdata[j]))
      former[j] = k;
  }
  ls_node_map_release (ctx, taken);
  ls_node_map_release (ctx, row);
  if (ok)
    match_descent (a, from, b, to, passes, former);
  return ok;
}

/* --- structure --- */

typedef struct {
  const LsPosition *at;
  GPtrArray *rows;
  guint      n;
  guint32   *first, *src;      /* operands by row; LS_NO_NODE: not among the rows */
  guint32   *first_user, *user;
  guint64   *fields, *deep, *lines;
  guint32   *match;
} Side;

/* For each row a set of the program lines it descends from, as bits by line modulo 64. */
static guint64 *
find_lines (const LsPosition *at, GPtrArray *rows)
{
  LsTrace *trace = at->trace;
  LsCallIndex index;
  ls_call_index_init (&index, trace);
  guint64 *out = g_new0 (guint64, MAX (rows->len, 1));
  guint n = ls_context_n_nodes (trace->ctx);
  g_autofree guint64 *lines = g_new0 (guint64, MAX (n, 1));
  for (guint i = 0; i < n; i++) {
    gint call = ls_call_index_get (&index, i);
    if (call >= 0)
      lines[i] = G_GUINT64_CONSTANT (1) << (g_array_index (trace->calls, LsCall, call).line % 64);
  }
  ls_call_index_clear (&index);
  g_autoptr (GPtrArray) chain = ls_lineage_chain (trace, at->pass);
  g_autofree guint8 *state = g_new (guint8, MAX (n, 1));      /* 1: being worked out, 2: known */
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint c = chain->len; c-- > 0;) {
    const LsLineage *l = ls_lineage_of (trace, chain->pdata[c]);
    memset (state, 0, n);
    GHashTableIter iter;
    gpointer key;
    g_hash_table_iter_init (&iter, l->first);
    while (g_hash_table_iter_next (&iter, &key, NULL)) {
      guint32 u = GPOINTER_TO_UINT (key) - 1;
      g_array_append_val (stack, u);
      while (stack->len > 0) {
        u = g_array_index (stack, guint32, stack->len - 1);
        if (u >= n || state[u] == 2) {
          g_array_set_size (stack, stack->len - 1);
        } else if (state[u] == 0) {
          state[u] = 1;
          for (guint32 e = ls_lineage_first (l, u); e; e = l->entries[e].next) {
            guint32 p = l->entries[e].parent;
            if (p < n && state[p] == 0 && ls_lineage_first (l, p))
              g_array_append_val (stack, p);
          }
        } else {
          guint64 made = ls_lineage_in_input (l, u) ? lines[u] : 0;
          for (guint32 e = ls_lineage_first (l, u); e; e = l->entries[e].next)
            made |= l->entries[e].parent < n ? lines[l->entries[e].parent] : 0;
          lines[u] = made;
          state[u] = 2;
          g_array_set_size (stack, stack->len - 1);
        }
      }
    }
  }
  for (guint i = 0; i < rows->len; i++)
    out[i] = ((LsUOp *) rows->pdata[i])->id < n ? lines[((LsUOp *) rows->pdata[i])->id] : 0;
  return out;
}

static void
side_init (Side *s, const LsPosition *at, GPtrArray *rows, guint32 *match)
{
  guint n = rows->len, n_edges = 0;
  *s = (Side) { .at = at, .rows = rows, .n = n, .match = match };
  LsNodeMap *row = ls_node_map_acquire (at->trace->ctx);
  for (guint i = 0; i < n; i++) {
    ls_node_map_set (row, rows->pdata[i], i);
    n_edges += ((LsUOp *) rows->pdata[i])->n_src;
  }
  s->first = g_new0 (guint32, n + 1);
  s->src = g_new (guint32, MAX (n_edges, 1));
  s->first_user = g_new0 (guint32, n + 2);
  s->user = g_new (guint32, MAX (n_edges, 1));
  s->fields = g_new (guint64, MAX (n, 1));
  s->deep = g_new (guint64, MAX (n, 1));
  for (guint i = 0; i < n; i++) {
    const LsUOp *u = rows->pdata[i];
    s->fields[i] = s->deep[i] = ls_hash_fields (u);
    s->first[i + 1] = s->first[i] + u->n_src;
    for (guint k = 0; k < u->n_src; k++) {
      guint64 at_row;
      guint32 q = ls_node_map_get (row, u->src[k], &at_row) ? (guint32) at_row : LS_NO_NODE;
      s->src[s->first[i] + k] = q;
      s->deep[i] = ls_hash_mix (s->deep[i], q < i ? s->deep[q] : ls_hash_fields (u->src[k]));
      if (q != LS_NO_NODE)
        s->first_user[q + 2]++;
    }
  }
  for (guint i = 0; i < n; i++)
    s->first_user[i + 2] += s->first_user[i + 1];
  for (guint i = 0; i < n; i++)      /* filling moves each start to its place */
    for (guint e = s->first[i]; e < s->first[i + 1]; e++)
      if (s->src[e] != LS_NO_NODE)
        s->user[s->first_user[s->src[e] + 1]++] = i;
  ls_node_map_release (at->trace->ctx, row);
  s->lines = find_lines (at, rows);
}

static void
side_clear (Side *s)
{
  g_free (s->first);
  g_free (s->src);
  g_free (s->first_user);
  g_free (s->user);
  g_free (s->fields);
  g_free (s->deep);
  g_free (s->lines);
}

typedef struct { guint64 key; guint32 row; } Keyed;

static int
by_key (gconstpointer a, gconstpointer b)
{
  const Keyed *x = a, *y = b;
  return x->key != y->key ? (x->key < y->key ? -1 : 1) : x->row < y->row ? -1 : x->row > y->row;
}

typedef enum { BY_LINES_AND_STRUCTURE, BY_STRUCTURE, BY_LINES_AND_FIELDS } Round;

static Keyed *
keyed (const Side *s, Round round, guint *n)
{
  Keyed *out = g_new (Keyed, MAX (s->n, 1));
  *n = 0;
  for (guint i = 0; i < s->n; i++)
    if (s->match[i] == LS_NO_NODE && (round == BY_STRUCTURE || s->lines[i]))
      out[(*n)++] = (Keyed) { round == BY_STRUCTURE ? s->deep[i] : ls_hash_mix (s->lines[i], round == BY_LINES_AND_FIELDS
                                                                                ? s->fields[i] : s->deep[i]), i };
  qsort (out, *n, sizeof *out, by_key);
  return out;
}

static void
pair (Side *a, Side *b, guint32 i, guint32 j)
{
  a->match[i] = j;
  b->match[j] = i;
}

/* Rows with equal keys, in order; only_ones: where each side has one. Returns the number of pairs that could have been others. */
static guint
match_keys (Side *a, Side *b, Round round, gboolean only_ones)
{
  guint n, m, ambiguous = 0;
  g_autofree Keyed *x = keyed (a, round, &n), *y = keyed (b, round, &m);
  for (guint i = 0, j = 0; i < n && j < m;) {
    if (x[i].key != y[j].key) {
      *(x[i].key < y[j].key ? &i : &j) += 1;
      continue;
    }
    guint p = i, q = j;
    while (p < n && x[p].key == x[i].key)
      p++;
    while (q < m && y[q].key == y[j].key)
      q++;
    gboolean ones = p == i + 1 && q == j + 1;
    for (guint k = 0; (ones || !only_ones) && k < MIN (p - i, q - j); k++) {
      pair (a, b, x[i + k].row, y[j + k].row);
      ambiguous += !ones;
    }
    i = p;
    j = q;
  }
  return ambiguous;
}

static LsOp
op_at (const Side *s, guint32 row)
{
  return (LsOp) ((LsUOp *) s->rows->pdata[row])->op;
}

/* Sources of matched consumers, by port. */
static void
match_down (Side *a, Side *b)
{
  for (guint j = b->n; j-- > 0;) {
    guint32 i = b->match[j];
    if (i == LS_NO_NODE)
      continue;
    guint ports = MIN (a->first[i + 1] - a->first[i], b->first[j + 1] - b->first[j]);
    for (guint k = 0; k < ports; k++) {
      guint32 p = a->src[a->first[i] + k], q = b->src[b->first[j] + k];
      if (p != LS_NO_NODE && q != LS_NO_NODE && a->match[p] == LS_NO_NODE && b->match[q] == LS_NO_NODE && op_at (a, p) == op_at (b, q))
        pair (a, b, p, q);
    }
  }
}

/* How well unmatched rows fit: each operand that corresponds counts. */
static guint
score (const Side *a, const Side *b, guint32 i, guint32 j)
{
  guint s = 0, ports = MIN (a->first[i + 1] - a->first[i], b->first[j + 1] - b->first[j]);
  for (guint k = 0; k < ports; k++) {
    guint32 q = b->src[b->first[j] + k];
    s += q != LS_NO_NODE && b->match[q] != LS_NO_NODE && b->match[q] == a->src[a->first[i] + k] ? 4 : 0;
  }
  return s + (a->fields[i] == b->fields[j] ? 2 : 0) + (a->lines[i] == b->lines[j]);
}

/* Consumers of matched sources. */
static guint
match_up (Side *a, Side *b)
{
  guint ambiguous = 0;
  for (guint j = 0; j < b->n; j++) {
    guint32 best = LS_NO_NODE, seed = LS_NO_NODE;
    guint most = 0, equals = 0;
    if (b->match[j] != LS_NO_NODE)
      continue;
    for (guint e = b->first[j]; e < b->first[j + 1]; e++) {      /* the source with the fewest consumers names the candidates */
      guint32 q = b->src[e], p = q == LS_NO_NODE ? LS_NO_NODE : b->match[q];
      if (p != LS_NO_NODE && (seed == LS_NO_NODE ||
                              a->first_user[p + 1] - a->first_user[p] < a->first_user[seed + 1] - a->first_user[seed]))
        seed = p;
    }
    for (guint e = seed == LS_NO_NODE ? 0 : a->first_user[seed], n = 0; seed != LS_NO_NODE && e < a->first_user[seed + 1] &&
         n < MAX_CANDIDATES; e++, n++) {
      guint32 i = a->user[e];
      if (a->match[i] != LS_NO_NODE || op_at (a, i) != op_at (b, j) || i == best)
        continue;
      guint s = score (a, b, i, j);
      equals = s == most && best != LS_NO_NODE ? equals + 1 : s > most ? 0 : equals;
      if (best == LS_NO_NODE || s > most) {
        best = i;
        most = s;
      }
    }
    if (best == LS_NO_NODE)
      continue;
    pair (a, b, best, j);
    ambiguous += equals > 0;
  }
  return ambiguous;
}

static guint
match_structure (const LsPosition *a, GPtrArray *rows_a, const LsPosition *b, GPtrArray *rows_b, guint32 *former)
{
  g_autofree guint32 *latter = g_new (guint32, MAX (rows_a->len, 1));
  memset (latter, 0xff, MAX (rows_a->len, 1) * sizeof *latter);
  for (guint j = 0; j < rows_b->len; j++)
    if (former[j] != LS_NO_NODE)
      latter[former[j]] = j;
  Side x, y;
  side_init (&x, a, rows_a, latter);
  side_init (&y, b, rows_b, former);
  guint ambiguous = match_keys (&x, &y, BY_LINES_AND_STRUCTURE, FALSE);
  ambiguous += match_keys (&x, &y, BY_STRUCTURE, FALSE);
  ambiguous += match_keys (&x, &y, BY_LINES_AND_FIELDS, TRUE);
  if (x.n && y.n && latter[x.n - 1] == LS_NO_NODE && former[y.n - 1] == LS_NO_NODE && op_at (&x, x.n - 1) == op_at (&y, y.n - 1))
    pair (&x, &y, x.n - 1, y.n - 1);      /* the roots */
  match_down (&x, &y);
  ambiguous += match_up (&x, &y);
  match_down (&x, &y);
  side_clear (&x);
  side_clear (&y);
  return ambiguous;
}

/**
 * ls_match_rows:
 * @a: a position
 * @rows_a: its nodes, sources first
 * @b: another, also of another recording
 * @rows_b: its nodes
 * @by_lineage: (out): whether one descends from the other
 * @n_ambiguous: (out): rows that could as well have been matched with another
 *
 * Returns: (transfer full): for each row of b the row of a that it continues, or LS_NO_NODE; no row of a twice
 */
guint32 *
ls_match_rows (const LsPosition *a, const LsGraph *rows_a, const LsPosition *b, const LsGraph *rows_b, gboolean *by_lineage,
               guint *n_ambiguous)
{
  GPtrArray *from = rows_a->nodes, *to = rows_b->nodes;
  guint32 *former = g_new (guint32, MAX (to->len, 1));
  guint64 i;
  memset (former, 0xff, MAX (to->len, 1) * sizeof *former);
  *by_lineage = FALSE;
  *n_ambiguous = 0;
  if (a->trace == b->trace) {
    LsNodeMap *row = ls_node_map_acquire (a->trace->ctx);
    g_autofree LsUOp **equal = ls_graph_find_same (rows_a, rows_b);
    g_autofree gboolean *same = g_new0 (gboolean, to->len + 1);
    for (guint k = 0; k < from->len; k++)
      ls_node_map_set (row, from->pdata[k], k);
    for (guint j = 0; j < to->len; j++)
      if (equal[j] && (same[j] = ls_node_map_get (row, equal[j], &i)))
        former[j] = (guint32) i;
    ls_node_map_release (a->trace->ctx, row);
    *by_lineage = match_lineage (a, from, b, to, same, former);
    if (!*by_lineage) {
      g_autofree guint32 *latter = g_new (guint32, MAX (from->len, 1));
      g_autofree gboolean *same_a = g_new0 (gboolean, from->len + 1);
      memset (latter, 0xff, MAX (from->len, 1) * sizeof *latter);
      for (guint j = 0; j < to->len; j++)
        if (former[j] != LS_NO_NODE) {
          latter[former[j]] = j;
          same_a[former[j]] = TRUE;
        }
      if ((*by_lineage = match_lineage (b, to, a, from, same_a, latter)))
        for (guint k = 0; k < from->len; k++)
          if (latter[k] != LS_NO_NODE)
            former[latter[k]] = k;
    }
  }
  if (!*by_lineage)
    *n_ambiguous = match_structure (a, from, b, to, former);
  return former;
}
