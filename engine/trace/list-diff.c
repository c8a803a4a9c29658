/* Two lists of UOps side by side, and the same as a tree.
 *
 * Which row continues which is decided beforehand (match.c, or a graph's diff); here rows are only laid out and judged. Operands are
 * compared by the rows that are aligned with them, so that another numbering is not a change. The aligned rows with the same order in
 * both lists, as many as possible (the longest increasing sequence), keep their place; the others have moved.
 */
#include "diff.h"
#include "place.h"
#include "row-steps.h"

#include "ir/print.h"

#include <string.h>

const char *
ls_diff_kind_name (LsDiffKind kind)
{
  static const char *const names[LS_N_DIFF] = { "same", "added", "removed", "changed", "moved" };
  return (guint) kind < LS_N_DIFF ? names[kind] : "";
}

const char *
ls_diff_kind_glyph (LsDiffKind kind)
{
  static const char *const glyphs[LS_N_DIFF] = { "·", "+", "−", "△", "=" };
  return (guint) kind < LS_N_DIFF ? glyphs[kind] : "";
}

static void
find_operands (const LsPosition *of, GPtrArray *rows, guint32 **first, guint32 **src)
{
  guint n_edges = 0;
  LsContext *ctx = of->trace->ctx;
  g_autoptr (GHashTable) instead = ls_row_steps_instead (of->pass, of->step);
  LsNodeMap *row = ls_node_map_acquire (ctx);
  for (guint i = 0; i < rows->len; i++) {
    ls_node_map_set (row, rows->pdata[i], i);
    n_edges += ((LsUOp *) rows->pdata[i])->n_src;
  }
  *first = g_new0 (guint32, rows->len + 1);
  *src = g_new (guint32, MAX (n_edges, 1));
  for (guint i = 0; i < rows->len; i++) {
    const LsUOp *u = rows->pdata[i];
    guint64 at;
    (*first)[i + 1] = (*first)[i] + u->n_src;
    for (guint k = 0; k < u->n_src; k++) {
      const LsUOp *s = u->src[k], *by = instead && !ls_node_map_has (row, s) ? g_hash_table_lookup (instead, s) : NULL;
      (*src)[(*first)[i] + k] = ls_node_map_get (row, by ? by : s, &at) ? (guint32) at : LS_NO_NODE;
    }
  }
  ls_node_map_release (ctx, row);
}

guint32 *
ls_position_numbers (const LsPosition *of, const LsGraph *rows)
{
  g_autoptr (GHashTable) numbers = ls_row_steps_numbers (of->pass, of->step);
  const GPtrArray *nodes = rows->nodes;
  guint32 *out = g_new (guint32, nodes->len + 1);
  for (guint i = 0; i < nodes->len; i++)
    out[i] = numbers ? GPOINTER_TO_UINT (g_hash_table_lookup (numbers, GUINT_TO_POINTER (((LsUOp *) nodes->pdata[i])->id + 1))) - 1 : i;
  return out;
}

static gboolean
same_operands (const LsListDiff *d, guint32 i, guint32 j)
{
  guint n = d->first_a[i + 1] - d->first_a[i];
  if (n != d->first_b[j + 1] - d->first_b[j])
    return FALSE;
  for (guint k = 0; k < n; k++) {
    guint32 p = d->src_a[d->first_a[i] + k], q = d->src_b[d->first_b[j] + k];
    if (p == LS_NO_NODE || q == LS_NO_NODE ? p != q : d->to_a[q] != p)
      return FALSE;
  }
  return TRUE;
}

void
ls_keep_ascending (guint n, const guint32 *partner, gboolean *kept)
{
  guint length = 0;
  g_autofree guint32 *end = g_new (guint32, n + 1), *previous = g_new (guint32, n + 1);      /* ends of sequences by length: n log n */
  for (guint j = 0; j < n; j++) {
    guint low = 0, high = length;
    if (partner[j] == LS_NO_NODE)
      continue;
    while (low < high) {
      guint middle = (low + high) / 2;
      if (partner[end[middle]] < partner[j])
        low = middle + 1;
      else
        high = middle;
    }
    previous[j] = low ? end[low - 1] : LS_NO_NODE;
    end[low] = j;
    length = MAX (length, low + 1);
  }
  for (guint32 j = length ? end[length - 1] : LS_NO_NODE; j != LS_NO_NODE; j = previous[j])
    kept[j] = TRUE;
}

static void
add_row (LsListDiff *d, LsDiffKind kind, guint32 a, guint32 b)
{
  LsListRow row = { kind, a, b };
  g_array_append_val (d->rows, row);
  d->n_kind[kind]++;
}

/* Takes the rows and match, the rows of a by rows of b. */
static LsListDiff *
list_diff_new (const LsPosition *from, LsGraph *graph_a, const LsPosition *to, LsGraph *graph_b, guint32 *match)
{
  LsTrace *ta = from->trace, *tb = to->trace;
  LsListDiff *d = g_new (LsListDiff, 1);
  GPtrArray *a = graph_a->nodes, *b = graph_b->nodes;
  guint next = 0;
  *d = (LsListDiff) { .from = *from, .to = *to, .a = a, .b = b, .graph_a = graph_a, .graph_b = graph_b };
  d->rows = g_array_new (FALSE, FALSE, sizeof (LsListRow));
  d->to_a = match;
  d->to_b = g_new (guint32, MAX (a->len, 1));
  memset (d->to_b, 0xff, MAX (a->len, 1) * sizeof *d->to_b);
  for (guint j = 0; j < b->len; j++)
    if (match[j] != LS_NO_NODE)
      d->to_b[match[j]] = j;
  find_operands (from, a, &d->first_a, &d->src_a);
  d->number_a = ls_position_numbers (from, graph_a);
  d->number_b = ls_position_numbers (to, graph_b);
  find_operands (to, b, &d->first_b, &d->src_b);
  g_autofree gboolean *kept = g_new0 (gboolean, b->len + 1);
  ls_keep_ascending (b->len, d->to_a, kept);
  for (guint j = 0; j <= b->len; j++) {
    /* removed rows, up to the next row that kept its place */
    guint32 until = j == b->len ? a->len : kept[j] ? match[j] : next;
    for (; next < until; next++)
      if (d->to_b[next] == LS_NO_NODE)
        add_row (d, LS_DIFF_REMOVED, next, LS_NO_NODE);
    if (j == b->len)
      break;
    guint32 i = match[j];
    const LsUOp *y = b->pdata[j], *x = i == LS_NO_NODE ? NULL : a->pdata[i];
    gboolean same = x == y || (x && (ta == tb ? x->op == y->op && x->dtype == y->dtype && x->tag == y->tag && ls_arg_equal (x->arg, y->arg)
                                              : ls_hash_fields (x) == ls_hash_fields (y)));
    add_row (d, !x ? LS_DIFF_ADDED : !same || !same_operands (d, i, j) ? LS_DIFF_CHANGED : kept[j] ? LS_DIFF_SAME : LS_DIFF_MOVED, i, j);
  }
  return d;
}

LsListDiff *
ls_list_diff (const LsPosition *a, const LsPosition *b)
{
  g_autoptr (LsGraph) x = ls_position_rows (a), y = ls_position_rows (b);
  gboolean by_lineage;
  guint n_ambiguous;
  if (!x || !y)
    return NULL;
  guint32 *match = ls_match_rows (a, x, b, y, &by_lineage, &n_ambiguous);
  LsListDiff *d = list_diff_new (a, g_steal_pointer (&x), b, g_steal_pointer (&y), match);
  d->by_lineage = by_lineage;
  d->n_ambiguous = n_ambiguous;
  return d;
}

/* For a step, moved rows are nodes that gained or lost a user in the graph, as in its picture and its sentence: the order of a graph's
 * rows has no meaning. */
static void
take_moved (LsListDiff *d, LsContext *ctx, const LsGraphDiff *diff)
{
  LsNodeMap *kind = ls_node_map_acquire (ctx);
  for (guint i = 0; i < diff->nodes->len; i++) {
    const LsDiffNode *n = &g_array_index (diff->nodes, LsDiffNode, i);
    if (n->kind != LS_DIFF_REMOVED)      /* a node that was decided about is the same, and marked */
      ls_node_map_set (kind, n->node, n->kind == LS_DIFF_CHANGED && n->before != n->node ? LS_DIFF_SAME : n->kind);
  }
  for (guint i = 0; i < d->rows->len; i++) {
    LsListRow *row = &g_array_index (d->rows, LsListRow, i);
    guint64 in_graph;
    if ((row->kind != LS_DIFF_SAME && row->kind != LS_DIFF_MOVED) || !ls_node_map_get (kind, d->b->pdata[row->b], &in_graph))
      continue;
    d->n_kind[row->kind]--;
    row->kind = in_graph == LS_DIFF_MOVED || in_graph == LS_DIFF_CHANGED ? (LsDiffKind) in_graph : LS_DIFF_SAME;
    d->n_kind[row->kind]++;
  }
  ls_node_map_release (ctx, kind);
}

LsListDiff *
ls_list_diff_graph (const LsPosition *a, const LsPosition *b, const LsGraphDiff *diff)
{
  g_return_val_if_fail (a->trace == b->trace, NULL);
  LsContext *ctx = a->trace->ctx;
  g_autoptr (LsGraph) x = ls_position_rows (a), y = ls_position_rows (b);
  if (!x || !y)
    return NULL;
  guint32 *match = g_new (guint32, MAX (y->nodes->len, 1));
  LsNodeMap *former = ls_node_map_acquire (ctx), *row = ls_node_map_acquire (ctx), *in_graph = ls_node_map_acquire (ctx);
  for (guint i = 0; i < diff->nodes->len; i++) {
    const LsDiffNode *n = &g_array_index (diff->nodes, LsDiffNode, i);
    if (n->kind == LS_DIFF_REMOVED)
      continue;
    ls_node_map_set (in_graph, n->node, 1);
    if (n->before)
      ls_node_map_set_node (former, n->node, n->before);
  }
  for (guint i = 0; i < x->nodes->len; i++)
    ls_node_map_set (row, x->nodes->pdata[i], i);
  for (guint j = 0; j < y->nodes->len; j++) {
    const LsUOp *v = y->nodes->pdata[j], *u = ls_node_map_get_node (former, v);
    guint64 at;
    /* a listing has rows that no graph has */
    match[j] = (u || !ls_node_map_has (in_graph, v)) && ls_node_map_get (row, u ? u : v, &at) ? (guint32) at : LS_NO_NODE;
  }
  LsRowStep step;
  guint64 at;
  if (a->pass == b->pass && b->step == a->step + 1 && ls_row_step (b->pass, b->step, &step) && step.kind == LS_DIFF_CHANGED &&
      ls_node_map_get (row, ls_context_node (ctx, step.other), &at))
    for (guint j = 0; j < y->nodes->len; j++)
      if (((LsUOp *) y->nodes->pdata[j])->id == step.node)
        match[j] = (guint32) at;
  ls_node_map_release (ctx, in_graph);
  ls_node_map_release (ctx, row);
  ls_node_map_release (ctx, former);
  LsListDiff *d = list_diff_new (a, g_steal_pointer (&x), b, g_steal_pointer (&y), match);
  d->by_lineage = TRUE;
  d->n_ambiguous = diff->n_ambiguous;
  if (diff->result || ls_schedule_step_decision (b->pass, b->step))
    take_moved (d, ctx, diff);
  return d;
}

void
ls_list_diff_free (LsListDiff *d)
{
  if (!d)
    return;
  ls_graph_unref (d->graph_a);
  ls_graph_unref (d->graph_b);
  g_array_unref (d->rows);
  g_free (d->to_a);
  g_free (d->to_b);
  g_free (d->number_a);
  g_free (d->number_b);
  g_free (d->first_a);
  g_free (d->src_a);
  g_free (d->first_b);
  g_free (d->src_b);
  g_free (d);
}

/* --- a row --- */

LsUOp *
ls_list_diff_node (const LsListDiff *d, guint row)
{
  const LsListRow *r = &g_array_index (d->rows, LsListRow, row);
  return r->b != LS_NO_NODE ? d->b->pdata[r->b] : d->a->pdata[r->a];
}

gboolean
ls_list_diff_operands_differ (const LsListDiff *d, guint row)
{
  const LsListRow *r = &g_array_index (d->rows, LsListRow, row);
  return r->kind == LS_DIFF_CHANGED && !same_operands (d, r->a, r->b);
}

/* "12"; of a node without a row in the listing its op. */
static void
append_number (GString *s, const guint32 *number, GPtrArray *rows, guint32 at)
{
  if (number[at] == LS_NO_NODE)
    g_string_append (s, ls_op_name (((LsUOp *) rows->pdata[at])->op));
  else
    g_string_append_printf (s, "%u", number[at]);
}

char *
ls_list_diff_number (const LsListDiff *d, guint row)
{
  const LsListRow *r = &g_array_index (d->rows, LsListRow, row);
  guint32 number = r->b == LS_NO_NODE ? d->number_a[r->a] : d->number_b[r->b];
  return number == LS_NO_NODE ? g_strdup ("") : g_strdup_printf (r->b == LS_NO_NODE ? LS_ROW_REMOVED "%u" : "%u", number);
}

char *
ls_list_diff_operands (const LsListDiff *d, guint row, gboolean before)
{
  const LsListRow *r = &g_array_index (d->rows, LsListRow, row);
  GString *s = g_string_new (NULL);
  before |= r->b == LS_NO_NODE;
  if (before && r->a == LS_NO_NODE)
    return g_string_free (s, FALSE);
  const guint32 *first = before ? d->first_a : d->first_b, *src = before ? d->src_a : d->src_b;
  guint at = before ? r->a : r->b;
  for (guint e = first[at]; e < first[at + 1]; e++) {
    guint32 q = src[e];
    if (s->len)
      g_string_append_c (s, ' ');
    if (q == LS_NO_NODE)
      g_string_append_c (s, '?');
    else if (!before)
      append_number (s, d->number_b, d->b, q);
    else if (d->to_b[q] != LS_NO_NODE)
      append_number (s, d->number_b, d->b, d->to_b[q]);
    else {
      g_string_append (s, LS_ROW_REMOVED);
      append_number (s, d->number_a, d->a, q);
    }
  }
  return g_string_free (s, FALSE);
}

/* --- the tree --- */

typedef struct {
  const LsListDiff *d;
  guint32 *row_a, *row_b;      /* rows of the diff by rows of the lists */
  guint32 *first, *below;      /* the rows below each row of the diff: its sources, then its removed sources */
} Union;

static void
union_init (Union *u, const LsListDiff *d)
{
  guint n = d->rows->len, most = d->first_a[d->a->len] + d->first_b[d->b->len];
  *u = (Union) { d, g_new (guint32, MAX (d->a->len, 1)), g_new (guint32, MAX (d->b->len, 1)), g_new0 (guint32, n + 1),
                 g_new (guint32, MAX (most, 1)) };
  for (guint i = 0; i < n; i++) {
    const LsListRow *r = &g_array_index (d->rows, LsListRow, i);
    if (r->a != LS_NO_NODE)
      u->row_a[r->a] = i;
    if (r->b != LS_NO_NODE)
      u->row_b[r->b] = i;
  }
  guint at = 0;
  for (guint i = 0; i < n; i++) {
    const LsListRow *r = &g_array_index (d->rows, LsListRow, i);
    u->first[i] = at;
    for (guint e = r->b == LS_NO_NODE ? 0 : d->first_b[r->b]; r->b != LS_NO_NODE && e < d->first_b[r->b + 1]; e++)
      if (d->src_b[e] != LS_NO_NODE)
        u->below[at++] = u->row_b[d->src_b[e]];
    for (guint e = r->a == LS_NO_NODE ? 0 : d->first_a[r->a]; r->a != LS_NO_NODE && e < d->first_a[r->a + 1]; e++)
      if (d->src_a[e] != LS_NO_NODE && (r->b == LS_NO_NODE || d->to_b[d->src_a[e]] == LS_NO_NODE))
        u->below[at++] = u->row_a[d->src_a[e]];
  }
  u->first[n] = at;
}

static void
union_clear (Union *u)
{
  g_free (u->row_a);
  g_free (u->row_b);
  g_free (u->first);
  g_free (u->below);
}

/* Rows without changes in them or below them: sources come before their consumers in a list, so one sweep is enough. */
static gboolean *
find_clean (const Union *u)
{
  const LsListDiff *d = u->d;
  gboolean *clean = g_new0 (gboolean, d->rows->len + 1);
  for (guint i = 0; i < d->rows->len; i++) {
    clean[i] = g_array_index (d->rows, LsListRow, i).kind == LS_DIFF_SAME;
    for (guint e = u->first[i]; e < u->first[i + 1] && clean[i]; e++)
      clean[i] = u->below[e] < i && clean[u->below[e]];
  }
  return clean;
}

GArray *
ls_list_diff_tree (const LsListDiff *d)
{
  guint n = d->rows->len;
  GArray *out = g_array_new (FALSE, FALSE, sizeof (LsTreeRow)), *stack = g_array_new (FALSE, FALSE, sizeof (LsTreeRow));
  g_autofree gboolean *used = g_new0 (gboolean, n + 1), *shown = g_new0 (gboolean, n + 1);
  Union u;
  union_init (&u, d);
  g_autofree gboolean *clean = find_clean (&u);
  for (guint e = 0; e < u.first[n]; e++)
    used[u.below[e]] = TRUE;
  for (guint round = 0; round < 2; round++)      /* rows without users; then rows in a cycle of old and new users only */
    for (guint i = n; i-- > 0;) {
      if (shown[i] || (round == 0 ? used[i] : clean[i]))
        continue;
      LsTreeRow root = { 0, i, LS_TREE_NODE };
      g_array_append_val (stack, root);
      while (stack->len > 0) {
        LsTreeRow r = g_array_index (stack, LsTreeRow, stack->len - 1);
        g_array_set_size (stack, stack->len - 1);
        gboolean leaf = u.first[r.row] == u.first[r.row + 1];
        r.state = leaf ? LS_TREE_NODE : clean[r.row] ? LS_TREE_SAME : shown[r.row] ? LS_TREE_AGAIN : LS_TREE_NODE;
        shown[r.row] = TRUE;
        g_array_append_val (out, r);
        for (guint e = u.first[r.row + 1]; r.state == LS_TREE_NODE && e-- > u.first[r.row];) {
          LsTreeRow next = { r.depth + 1, u.below[e], LS_TREE_NODE };
          g_array_append_val (stack, next);
        }
      }
    }
  g_array_unref (stack);
  union_clear (&u);
  return out;
}

/* --- the answer --- */

/* The numbers of a row's sources; -1: the listing prints none. */
static LsList
source_numbers (const LsAnswering *answer, guint n, const guint32 *src, const guint32 *number)
{
  gint64 *out = ls_answer_keep (answer, g_new (gint64, n + 1), g_free);
  for (guint i = 0; i < n; i++)
    out[i] = src[i] == LS_NO_NODE || number[src[i]] == LS_NO_NODE ? -1 : (gint64) number[src[i]];
  return ls_list_of (n, out, sizeof *out);
}

static LsList
source_nodes (const LsAnswering *answer, const LsUOp *u)
{
  gint64 *out = ls_answer_keep (answer, g_new (gint64, u->n_src + 1), g_free);
  for (guint i = 0; i < u->n_src; i++)
    out[i] = u->src[i]->id;
  return ls_list_of (u->n_src, out, sizeof *out);
}

/* A row of one of the lists. */
#define SIDE(X) \
  X (row, INT, number[at], number[at] != LS_NO_NODE, "Number of the row in the listing; missing: the listing does not print it") \
  X (node, INT, u->id, TRUE, "Id of the node") \
  X (op, TEXT, ls_op_name (u->op), TRUE, "Its op") \
  X (dtype, DTYPE, u->dtype, TRUE, "Its dtype") \
  X (src, LIST, source_numbers (answer, first[at + 1] - first[at], src + first[at], number), TRUE, "Numbers of the rows of its " \
                                                                                                   "sources; -1: not printed", \
     .item = LS_CELL_INT) \
  X (src_nodes, LIST, source_nodes (answer, u), TRUE, "Ids of its sources", .item = LS_CELL_INT) \
  X (arg, OWNED, ls_arg_print (u->arg), TRUE, "Its argument")
LS_INNER_RECORD (side_a_answer, SIDE, const LsListDiff *d = answer->data; guint at = ((const LsListRow *) row)->a;
                 const LsUOp *u = d->a->pdata[at]; const guint32 *first = d->first_a; const guint32 *src = d->src_a;
                 const guint32 *number = d->number_a;)
LS_INNER_RECORD (side_b_answer, SIDE, const LsListDiff *d = answer->data; guint at = ((const LsListRow *) row)->b;
                 const LsUOp *u = d->b->pdata[at]; const guint32 *first = d->first_b; const guint32 *src = d->src_b;
                 const guint32 *number = d->number_b;)

#define ROW(X) \
  X (kind, TEXT, ls_diff_kind_name (r->kind), TRUE, "same, added, removed, changed or moved") \
  X (a, ROW, r, r->a != LS_NO_NODE, "The row in A, if A has it", .of = &side_a_answer) \
  X (b, ROW, r, r->b != LS_NO_NODE, "The row in B, if B has it", .of = &side_b_answer)
LS_INNER_RECORD (list_row_answer, ROW, const LsListRow *r = row;)

#define LIST_DIFF(X) \
  X (a, OWNED, ls_position_print (&d->from), TRUE, "The place of A") \
  X (b, OWNED, ls_position_print (&d->to), TRUE, "The place of B") \
  X (equal, BOOL, d->n_kind[LS_DIFF_SAME] == d->rows->len, TRUE, "True if all rows are the same") \
  X (matched_by, TEXT, d->by_lineage ? "lineage" : "structure", TRUE, "How nodes were matched: lineage or structure") \
  X (ambiguous, INT, d->n_ambiguous, TRUE, "Number of nodes with several possible matches") \
  X (same, INT, d->n_kind[LS_DIFF_SAME], TRUE, "Number of rows that are the same") \
  X (added, INT, d->n_kind[LS_DIFF_ADDED], TRUE, "Number of rows that only B has") \
  X (removed, INT, d->n_kind[LS_DIFF_REMOVED], TRUE, "Number of rows that only A has") \
  X (changed, INT, d->n_kind[LS_DIFF_CHANGED], TRUE, "Number of rows that changed") \
  X (moved, INT, d->n_kind[LS_DIFF_MOVED], TRUE, "Number of rows that moved") \
  X (rows, LIST, ls_list_array (d->rows), TRUE, "The rows in the order of B; a removed row follows its predecessor in A", \
     .of = &list_row_answer, .lines = TRUE)
LS_RECORD (ls_list_diff_answer, LIST_DIFF, const LsListDiff *d = row;)
