/* From a diff to boxes and arrows.
 *
 * Every node of the two graphs gets a record, nodes in both graphs one together; first those of the graph after, then the others of
 * the one before, in the orders of the graphs, so that sources come before their consumers and each question about folding is one sweep
 * up or down:
 *
 *   down  do all users of this node compute indices? which box is it drawn in?
 *   up    may it be drawn inside? Constants, ranges and views always may; index arithmetic when all of its sources are; an INDEX
 *         when its expressions are and only loads and stores use it.
 *
 * Lanes of an expansion (scene-lanes.c) are one box, a stack: unchanged lanes are one stack, added or removed ones are one, those that
 * changed to another op or dtype are one, and each other changed lane is separate. Fewer than MIN_LANES lanes are not stacked.
 *
 * Changes of the step are never folded: a node that changed, was added, removed or moved keeps its box, and so do the nodes between it
 * and the consumer with it. So counted changes are drawn changes. A node that differs only because a source was rebuilt is the same node
 * by lineage and is drawn as one.
 */
#include "scene-private.h"
#include "codegen/linearize.h"
#include "ir/names.h"
#include "trace/row-steps.h"

typedef struct {
  LsUOp   *u;
  guint32  item;          /* in Build.items */
  guint8   side;
  gboolean used;          /* something consumes it */
  gboolean indexish;      /* only index arithmetic and memory ops use it */
  gboolean pointer;       /* only loads and stores use it, as their place */
  gboolean folded;
  guint8   near;          /* how near below the node of the step: a node that is drawn in several boxes is found in the nearest */
  guint8   host_near;     /* of the consumer that host is of */
  guint32  host;          /* scene node that it is drawn in, or LS_NO_NODE */
  LsLane   lane;
  guint16  loop[2];       /* as in LsSceneNode */
} Record;

#define MIN_LANES 4

/* Names are unique in a graph, and two graphs may have one for different nodes. */
enum { BEFORE, AFTER };

typedef struct { LsUOp *node, *before; guint8 kind; gboolean other, lineage; guint32 place, stack, next; guint n_lanes; gboolean opened;
                 } Item;
/* other: node and before are two records; stack: the item that it is drawn in as one of its lanes, or LS_NO_NODE; next: of a stack's
 * lanes, or LS_NO_NODE */

/* Words depend on the node and on its sources that are drawn inside: their widths are cached, for recorded nodes by id, up to a limit. */
#define N_WIDTHS 16384
typedef struct { guint32 id, folded; const LsNames *names; float width; gboolean known; } Width;

typedef struct {
  LsScene    *scene;
  LsContext  *ctx;
  GArray     *items;      /* Item */
  GArray     *records;    /* Record */
  guint       n_after;    /* of them, of the graph after */
  LsNodeMap  *by_node[2]; /* index in records, of nodes of either graph */
  guint       words;      /* the graph whose node is being put in words */
  gboolean    bare;       /* without words */
  guint      *n_lanes;    /* by place */
  guint32    *met;        /* by place: for which consumer's sources it has been met last */
  guint32     n_met;
  Width      *widths;
} Build;

static Record *
record_of (const Build *b, guint graph, const LsUOp *u)
{
  guint64 i;
  return ls_node_map_get (b->by_node[graph], u, &i) ? &g_array_index (b->records, Record, i) : NULL;
}

/* The graph that a record's sources are of. */
static guint
graph_of (const Record *r)
{
  return r->side == LS_IN_BEFORE ? BEFORE : AFTER;
}

static void
add_record (Build *b, LsUOp *u, guint item, LsSceneSide side)
{
  Record r = { .u = u, .item = item, .side = side, .indexish = TRUE, .pointer = TRUE, .host = LS_NO_NODE };
  ls_node_map_set (b->by_node[graph_of (&r)], u, b->records->len);
  g_array_append_val (b->records, r);
}

static void
make_records (Build *b, const LsGraph *before)
{
  for (guint i = 0; i < b->items->len; i++) {
    const Item *item = &g_array_index (b->items, Item, i);
    if (item->kind == LS_DIFF_REMOVED)
      continue;
    add_record (b, item->node, i, item->before && !item->other ? LS_IN_BOTH : LS_IN_AFTER);
    if (item->before && !item->other)
      ls_node_map_set (b->by_node[BEFORE], item->before, b->records->len - 1);
  }
  b->n_after = b->records->len;
  LsNodeMap *item_of = ls_node_map_acquire (b->ctx);
  for (guint i = 0; i < b->items->len; i++) {
    const Item *item = &g_array_index (b->items, Item, i);
    if (item->kind == LS_DIFF_REMOVED || (item->before && item->other))
      ls_node_map_set (item_of, item->before, i);
  }
  for (guint i = 0; before && i < before->nodes->len; i++) {
    guint64 item;
    if (ls_node_map_get (item_of, before->nodes->pdata[i], &item))
      add_record (b, before->nodes->pdata[i], (guint) item, LS_IN_BEFORE);
  }
  ls_node_map_release (b->ctx, item_of);
}

/* Changed nodes that continue their old nodes over sources that continue theirs. */
static void
find_rebuilt (Build *b, guint32 focus)
{
  for (guint i = 0; i < b->items->len; i++) {
    Item *item = &g_array_index (b->items, Item, i);
    if ((item->kind != LS_DIFF_CHANGED && item->kind != LS_DIFF_MOVED) || !item->other)
      continue;
    item->lineage = TRUE;
    if (item->node->id == focus || item->kind == LS_DIFF_MOVED)
      continue;
    const LsUOp *x = item->before, *y = item->node;
    gboolean rebuilt = x->op == y->op && x->dtype == y->dtype && x->tag == y->tag && x->n_src == y->n_src && ls_arg_equal (x->arg, y->arg);
    for (guint s = 0; rebuilt && s < x->n_src; s++) {
      const Record *p = record_of (b, BEFORE, x->src[s]), *q = record_of (b, AFTER, y->src[s]);
      rebuilt = p && q && p->item == q->item;
    }
    if (rebuilt)
      item->kind = LS_DIFF_SAME;
  }
}

static gboolean
is_index_alu (const LsUOp *u)
{
  return ls_op_is_alu (u->op) && (ls_dtype_is_int (u->dtype) || ls_dtype_is_bool (u->dtype)) && !ls_dtype_is_ptr (u->dtype);
}

static void
sweep_down (Build *b)
{
  for (guint i = b->records->len; i-- > 0; ) {
    const Record *r = &g_array_index (b->records, Record, i);
    const LsUOp *u = r->u;
    for (guint s = 0; s < u->n_src; s++) {
      Record *q = record_of (b, graph_of (r), u->src[s]);
      if (!q)
        continue;
      q->used = TRUE;
      if (!((u->op == LS_OP_INDEX && s > 0) || (is_index_alu (u) && (r->indexish || ls_dtype_base (u->dtype) == LS_BASE_INDEX))))
        q->indexish = FALSE;
      if (!((u->op == LS_OP_LOAD || u->op == LS_OP_STORE) && s == 0))
        q->pointer = FALSE;
    }
  }
}

static gboolean
may_fold (const Build *b, const Record *r)
{
  const Item *item = &g_array_index (b->items, Item, r->item);
  const LsUOp *u = r->u;
  if (!r->used || item->lineage || item->kind != LS_DIFF_SAME || u->tag)      /* an expression has no place for a tag */
    return FALSE;
  gboolean leaf = u->op == LS_OP_CONST || u->op == LS_OP_VCONST || u->op == LS_OP_RANGE || u->op == LS_OP_SPECIAL || u->op == LS_OP_VIEW;
  gboolean arithmetic = is_index_alu (u) && (ls_dtype_base (u->dtype) == LS_BASE_INDEX || r->indexish);
  gboolean pointer = u->op == LS_OP_INDEX && r->pointer && u->n_src > 1;
  if (!leaf && !arithmetic && !pointer)
    return FALSE;
  for (guint s = pointer ? 1 : 0; s < u->n_src; s++) {
    const Record *q = record_of (b, graph_of (r), u->src[s]);
    if (!q || !q->folded)
      return FALSE;
  }
  return TRUE;
}

static void
sweep_up (Build *b)
{
  for (guint i = 0; i < b->records->len; i++) {
    Record *r = &g_array_index (b->records, Record, i);
    r->folded = may_fold (b, r);
    b->scene->n_folded += r->folded;
  }
}

static gboolean
is_folded (const LsUOp *u, gpointer data)
{
  const Record *r = record_of (data, ((const Build *) data)->words, u);
  return r && r->folded;
}

/* The record of a box that an item may have. */
static Record *
record_of_item (const Build *b, const Item *item)
{
  return record_of (b, item->kind == LS_DIFF_REMOVED ? BEFORE : AFTER, item->node);
}

static gboolean
find_signatures (Build *b)
{
  gboolean lowered = FALSE;
  g_autoptr (GArray) sources = g_array_new (FALSE, FALSE, sizeof (LsLane));
  for (guint i = 0; i < b->records->len; i++) {
    Record *r = &g_array_index (b->records, Record, i);
    g_array_set_size (sources, r->u->n_src);
    for (guint s = 0; s < r->u->n_src; s++) {
      const Record *q = record_of (b, graph_of (r), r->u->src[s]);
      g_array_index (sources, LsLane, s) = q ? q->lane : (LsLane) { 0, 0, FALSE };
    }
    r->lane = ls_scene_lane (r->u, (LsLane *) (gpointer) sources->data);
    r->lane.own += graph_of (r);      /* lanes of one graph */
    lowered |= r->u->op == LS_OP_INDEX;
  }
  return lowered;
}

/* Which boxes are drawn as one. opened: ids of nodes that are not, with all of their lanes; or NULL. */
static void
find_stacks (Build *b, GHashTable *opened)
{
  if (!find_signatures (b))      /* nothing is expanded before INDEX nodes exist */
    return;
  g_autoptr (GHashTable) count = g_hash_table_new (g_int64_hash, g_int64_equal), open = g_hash_table_new (g_int64_hash, g_int64_equal);
  g_autoptr (GHashTable) first = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autofree guint *last = g_new (guint, MAX (b->items->len, 1));      /* of each stack */
  for (guint i = 0; i < b->items->len; i++) {
    Item *item = &g_array_index (b->items, Item, i);
    Record *r = record_of_item (b, item);
    if (!r || r->folded)
      continue;
    g_hash_table_insert (count, &r->lane.own, GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (count, &r->lane.own)) + 1));
    if (opened && (g_hash_table_contains (opened, GUINT_TO_POINTER (item->node->id)) ||
                   (item->before && g_hash_table_contains (opened, GUINT_TO_POINTER (item->before->id)))))
      g_hash_table_add (open, &r->lane.own);
  }
  for (guint i = 0; i < b->items->len; i++) {
    Item *item = &g_array_index (b->items, Item, i);
    const Record *r = record_of_item (b, item);
    if (!r || r->folded || GPOINTER_TO_UINT (g_hash_table_lookup (count, &r->lane.own)) < MIN_LANES)
      continue;
    gboolean changed = item->kind == LS_DIFF_CHANGED,
             becomes = changed && (item->before->op != item->node->op || item->before->dtype != item->node->dtype);
    if (changed && !becomes)
      continue;
    if (g_hash_table_contains (open, &r->lane.own)) {
      item->opened = TRUE;
      continue;
    }
    guint64 key = (r->lane.own * 31 + item->kind) * 1000003 + (becomes ? item->before->op * 65599u + item->before->dtype : 0);
    guint at = GPOINTER_TO_UINT (g_hash_table_lookup (first, &key));
    if (at) {
      item->stack = at - 1;
      g_array_index (b->items, Item, at - 1).n_lanes++;
      g_array_index (b->items, Item, last[at - 1]).next = i;
    } else
      g_hash_table_insert (first, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER ((at = i + 1)));
    last[at - 1] = i;
  }
}

#define NEAR 8      /* levels: no rule's pattern is deeper */

/* Each graph from its root. A record that is only in the graph before can be a source of one in the graph after, never the reverse. */
static Record *
nth_from_root (const Build *b, guint k, gboolean before_first)
{
  guint n = b->records->len, n_before = n - b->n_after;
  if (before_first)
    k = k < n_before ? b->n_after + k : k - n_before;
  return &g_array_index (b->records, Record, k < b->n_after ? b->n_after - 1 - k : n - 1 - (k - b->n_after));
}

static void
find_near (Build *b, const LsUOp *matched, const LsUOp *result)
{
  for (guint k = 0; matched && k < b->records->len; k++) {
    Record *r = nth_from_root (b, k, TRUE);
    if (r->u == matched || r->u == result)
      r->near = NEAR;
    for (guint s = 0; r->near > 1 && s < r->u->n_src; s++) {
      Record *q = record_of (b, graph_of (r), r->u->src[s]);
      if (q)
        q->near = MAX (q->near, r->near - 1);
    }
  }
}

/* The box that a folded node is drawn in: of a consumer, of one that the step's rule matched where there is one. */
static void
find_hosts (Build *b, gboolean before_first)
{
  for (guint k = 0; k < b->records->len; k++) {
    Record *r = nth_from_root (b, k, before_first);
    if (!r->folded)
      r->host = g_array_index (b->items, Item, r->item).place;
    for (guint s = 0; s < r->u->n_src; s++) {
      Record *q = record_of (b, graph_of (r), r->u->src[s]);
      if (!q || !q->folded || (q->host != LS_NO_NODE && (r->near == 0 || r->near < q->host_near)))
        continue;
      q->host = r->host;
      q->host_near = r->near;
    }
  }
}

/* Gives every node that keeps its box a place, and every folded one the box that it is found in. */
static void
place_nodes (Build *b, const LsUOp *matched, const LsUOp *result)
{
  LsScene *scene = b->scene;
  for (guint i = 0; i < b->items->len; i++) {
    Item *item = &g_array_index (b->items, Item, i);
    const Record *r = record_of_item (b, item);
    item->place = r && r->folded ? LS_NO_NODE : item->stack != LS_NO_NODE ? g_array_index (b->items, Item, item->stack).place
                                                                          : scene->n_nodes++;
    scene->n_folded += item->stack != LS_NO_NODE;
  }
  b->n_lanes = g_new0 (guint, MAX (scene->n_nodes, 1));
  b->met = g_new0 (guint32, MAX (scene->n_nodes, 1));
  for (guint i = 0; i < b->items->len; i++) {
    const Item *item = &g_array_index (b->items, Item, i);
    if (item->place != LS_NO_NODE)
      b->n_lanes[item->place]++;
  }
  find_near (b, matched, result);
  find_hosts (b, FALSE);
  if (matched)
    find_hosts (b, TRUE);
  for (guint k = 0; k < b->records->len; k++) {
    const Record *r = nth_from_root (b, k, FALSE);
    gpointer id = GUINT_TO_POINTER (r->u->id);
    if (r->host != LS_NO_NODE && (k < b->n_after || !g_hash_table_contains (scene->places, id)))
      g_hash_table_insert (scene->places, id, GUINT_TO_POINTER (r->host + 1));
  }
}

/* Which of the sources that a node's words can name are drawn inside it; FALSE when there are too many to say. */
static gboolean
fold_bits (const Build *b, const LsUOp *u, guint32 *bits)
{
  *bits = 0;
  for (guint s = 0; s < u->n_src && s < 24; s++)
    *bits |= (guint32) is_folded (u->src[s], (gpointer) b) << s;
  for (guint s = 0; *bits & 1 && s < u->src[0]->n_src && s < 8; s++)
    *bits |= (guint32) is_folded (u->src[0]->src[s], (gpointer) b) << (24 + s);
  return u->n_src <= 24;
}

static Width *
widths_of (LsTrace *trace)
{
  GQuark quark = g_quark_from_static_string ("ls-scene-widths");
  Width *widths = g_dataset_id_get_data (trace, quark);
  if (!widths)
    g_dataset_id_set_data_full (trace, quark, widths = g_new0 (Width, N_WIDTHS), g_free);
  return widths;
}

/* Cuts the words to the space of a box; returns their width. */
static float
set_words (Build *b, LsSceneNode *node, guint version, GString *title, GString *detail)
{
  ls_scene_cut (title, LS_SCENE_MAX_CHARS);
  ls_scene_cut (detail, LS_SCENE_MAX_CHARS + 2);      /* the smaller letters of the second line */
  if (!b->bare) {
    node->title[version] = g_string_chunk_insert_const (b->scene->strings, title->str);
    node->detail[version] = g_string_chunk_insert_const (b->scene->strings, detail->str);
  }
  glong chars = MAX (g_utf8_strlen (title->str, -1), (g_utf8_strlen (detail->str, -1) * 9 + 9) / 10);
  chars = CLAMP (chars, 6, LS_SCENE_MAX_CHARS);
  float width = (float) (chars * LS_SCENE_ADVANCE + 24);
  node->width = MAX (node->width, width);
  return width;
}

static const LsNames *
names_in (const Build *b, guint graph)
{
  return (graph == BEFORE ? b->scene->before : b->scene->after)->names;
}

static void
write_words (Build *b, guint graph, LsUOp *u, LsSceneNode *node, guint version, GString *title, GString *detail)
{
  guint32 bits;
  b->words = graph;
  Width *known = fold_bits (b, u, &bits) && ls_context_node (b->ctx, u->id) == u ? &b->widths[u->id % N_WIDTHS] : NULL;
  if (b->bare && known && known->known && known->id == u->id && known->folded == bits &&
      known->names == names_in (b, graph)) {
    node->width = MAX (node->width, known->width);
    return;
  }
  ls_scene_words (b->ctx, names_in (b, graph), u, is_folded, b, title, detail);
  float width = set_words (b, node, version, title, detail);
  if (known)
    *known = (Width) { u->id, bits, names_in (b, graph), width, TRUE };
}

static guint32
before_of (const Item *item)
{
  return item->kind == LS_DIFF_ADDED ? LS_NO_NODE : item->before ? item->before->id : item->node->id;
}

/* "LOAD ×4", and the differences between the first lane and the last. */
static void
write_stack (Build *b, const Item *stack, LsSceneNode *node, GString *title, GString *detail)
{
  LsScene *scene = b->scene;
  g_autofree char *times = g_strdup_printf (" ×%u", stack->n_lanes);
  g_autoptr (GString) last_title = g_string_new (NULL), last_detail = g_string_new (NULL);
  node->first_lane = scene->lanes->len;
  b->words = stack->kind == LS_DIFF_REMOVED ? BEFORE : AFTER;
  ls_scene_words (b->ctx, names_in (b, b->words), stack->node, is_folded, b, title, detail);
  for (const Item *item = stack; item; item = item->next == LS_NO_NODE ? NULL : &g_array_index (b->items, Item, item->next)) {
    LsSceneLane lane = { item->node->id, before_of (item) };
    g_array_append_val (scene->lanes, lane);
    if (item->next == LS_NO_NODE)
      ls_scene_words (b->ctx, names_in (b, b->words), item->node, is_folded, b, last_title, last_detail);
  }
  ls_scene_span (title, last_title->str);
  ls_scene_span (detail, last_detail->str);
  ls_scene_cut (title, LS_SCENE_MAX_CHARS - (guint) g_utf8_strlen (times, -1));
  g_string_append (title, times);
  set_words (b, node, 1, title, detail);
}

/* The changed parts of a changed node: from the diff, not from the two lines, which show the nodes drawn inside. */
static void
write_change (Build *b, const Item *item, LsSceneNode *node, GString *line, GString *whole)
{
  LsSceneChange c = { item->before, item->node, 0, 0, names_in (b, AFTER) };
  for (guint s = 0; s < MIN (c.was->n_src, c.is->n_src); s++) {
    const Record *p = record_of (b, BEFORE, c.was->src[s]), *q = record_of (b, AFTER, c.is->src[s]);
    if (p && q && p->item == q->item)
      continue;
    if (c.n_sources++ == 0)
      c.source = s;
  }
  ls_scene_change (b->ctx, &c, LS_SCENE_MAX_CHARS + 2, line, b->bare ? NULL : whole);
  if (!line->len)
    return;
  glong chars = MIN ((g_utf8_strlen (line->str, -1) * 9 + 9) / 10, LS_SCENE_MAX_CHARS);
  node->width = MAX (node->width, (float) (chars * LS_SCENE_ADVANCE + 24));
  if (!b->bare) {
    node->change = g_string_chunk_insert_const (b->scene->strings, line->str);
    node->whole_change = g_string_chunk_insert_const (b->scene->strings, whole->str);
  }
}

/* A stack feeds a box once, and any box feeds one of many lanes once. */
static void
add_source (Build *b, const LsUOp *u, const Record *r, GArray *out)
{
  if ((b->n_lanes[r->host] > 1 || u->op == LS_OP_VECTORIZE) && b->met[r->host] == b->n_met)
    return;
  b->met[r->host] = b->n_met;
  g_array_append_val (out, r->host);
}

/* The boxes that feed u, in source order: those of its sources, and those behind an INDEX drawn inside it. */
static void
collect_sources (Build *b, guint graph, const LsUOp *u, GArray *out)
{
  g_array_set_size (out, 0);
  b->n_met++;
  for (guint s = 0; s < u->n_src; s++) {
    const Record *q = record_of (b, graph, u->src[s]);
    if (!q)
      continue;
    if (!q->folded)
      add_source (b, u, q, out);
    else
      for (guint k = 0; k < q->u->n_src; k++) {
        const Record *p = record_of (b, graph_of (q), q->u->src[k]);
        if (p && !p->folded)
          add_source (b, u, p, out);
      }
  }
}

typedef struct {
  GArray     *edges;            /* LsSceneEdge */
  GArray     *before, *after;   /* guint32: boxes that feed the node at hand */
  GHashTable *first;            /* box -> 1 + the first of its edges not yet found in before */
  GArray     *next;             /* guint: 1 + the next edge from the same box, by place among the node's edges */
} EdgeWork;

static guint16
port16 (guint n)
{
  return (guint16) MIN (n, G_MAXUINT16);
}

static LsSceneSide
side_of (const Item *item)
{
  return item->kind == LS_DIFF_ADDED ? LS_IN_AFTER : item->kind == LS_DIFF_REMOVED ? LS_IN_BEFORE : LS_IN_BOTH;
}

static void
meet (EdgeWork *w, guint begin, guint to, const GArray *sources, LsSceneSide side)
{
  for (guint i = 0; i < sources->len; i++) {
    guint32 from = g_array_index (sources, guint32, i);
    guint at = GPOINTER_TO_UINT (g_hash_table_lookup (w->first, GUINT_TO_POINTER (from)));
    if (at) {
      g_array_index (w->edges, LsSceneEdge, begin + at - 1).side |= side;
      continue;
    }
    LsSceneEdge e = { .from = from, .to = to, .side = side };
    g_array_append_val (w->edges, e);
    g_hash_table_insert (w->first, GUINT_TO_POINTER (from), GUINT_TO_POINTER (w->edges->len - begin));
  }
}

/* Edges into a stack: a node that feeds any of its lanes feeds it. */
static void
add_stack_edges (Build *b, const Item *stack, LsSceneNode *node, EdgeWork *w)
{
  node->first_edge = w->edges->len;
  g_hash_table_remove_all (w->first);
  for (const Item *item = stack; item; item = item->next == LS_NO_NODE ? NULL : &g_array_index (b->items, Item, item->next)) {
    collect_sources (b, item->kind == LS_DIFF_REMOVED ? BEFORE : AFTER, item->node, w->after);
    meet (w, node->first_edge, item->place, w->after, item->lineage ? LS_IN_AFTER : side_of (item));
    if (item->lineage) {
      collect_sources (b, BEFORE, item->before, w->before);
      meet (w, node->first_edge, item->place, w->before, LS_IN_BEFORE);
    }
  }
  node->n_edges = w->edges->len - node->first_edge;
  if (node->n_edges)
    ls_scene_number_ports (&g_array_index (w->edges, LsSceneEdge, node->first_edge), node->n_edges);
}

/* Edges into a node; those in both graphs once. */
static void
add_edges (Build *b, const Item *item, LsSceneNode *node, EdgeWork *w)
{
  guint to = item->place, begin = w->edges->len;
  guint8 side = side_of (item);
  collect_sources (b, item->kind == LS_DIFF_REMOVED ? BEFORE : AFTER, item->node, w->after);
  for (guint i = 0; i < w->after->len; i++) {
    LsSceneEdge e = { g_array_index (w->after, guint32, i), to, item->lineage ? LS_IN_AFTER : side, { port16 (i), port16 (i) },
                      { port16 (w->after->len), port16 (w->after->len) } };
    g_array_append_val (w->edges, e);
  }
  if (item->lineage) {
    g_hash_table_remove_all (w->first);
    g_array_set_size (w->next, w->after->len);
    for (guint i = w->after->len; i-- > 0; ) {
      gpointer from = GUINT_TO_POINTER (g_array_index (w->after, guint32, i));
      g_array_index (w->next, guint, i) = GPOINTER_TO_UINT (g_hash_table_lookup (w->first, from));
      g_hash_table_insert (w->first, from, GUINT_TO_POINTER (i + 1));
    }
    collect_sources (b, BEFORE, item->before, w->before);
    for (guint i = 0; i < w->before->len; i++) {
      guint32 from = g_array_index (w->before, guint32, i);
      guint at = GPOINTER_TO_UINT (g_hash_table_lookup (w->first, GUINT_TO_POINTER (from)));
      if (at) {
        LsSceneEdge *e = &g_array_index (w->edges, LsSceneEdge, begin + at - 1);
        e->side = LS_IN_BOTH;
        e->port[0] = port16 (i);
        e->n_ports[0] = port16 (w->before->len);
        g_hash_table_insert (w->first, GUINT_TO_POINTER (from), GUINT_TO_POINTER (g_array_index (w->next, guint, at - 1)));
      } else {
        LsSceneEdge e = { from, to, LS_IN_BEFORE, { port16 (i), port16 (i) }, { port16 (w->before->len), port16 (w->before->len) } };
        g_array_append_val (w->edges, e);
      }
    }
  }
  node->first_edge = begin;
  node->n_edges = w->edges->len - begin;
}

/* --- loops --- */

gboolean
ls_scene_loop_is_in (const LsScene *scene, guint version, guint loop, guint outer)
{
  while (loop > outer)      /* outer loops come first */
    loop = g_array_index (scene->loops[version], LsSceneLoop, loop - 1).parent;
  return loop == outer;
}

char *
ls_scene_loop_title (const LsScene *scene, guint version, guint loop, guint outer)
{
  GString *text = g_string_new (NULL);
  for (;;) {
    const LsSceneLoop *l = &g_array_index (scene->loops[version], LsSceneLoop, loop - 1);
    g_string_prepend (text, l->title);
    if (loop == outer)
      return g_string_free (text, FALSE);
    g_string_prepend (text, ", ");
    loop = l->parent;
  }
}

/* The innermost loop that two are in. */
static guint16
common_loop (const LsScene *scene, guint version, guint16 a, guint16 b)
{
  while (a != b)
    *(a > b ? &a : &b) = g_array_index (scene->loops[version], LsSceneLoop, MAX (a, b) - 1).parent;
  return a;
}

/* The kernels of a graph that was scheduled, or of the program's graph at one of its stops. */
static void
find_kernels_of (Build *b, LsGraph *graph, guint version)
{
  LsScene *scene = b->scene;
  g_autoptr (LsRegions) of_program = scene->trace->of ? ls_program_regions (scene->trace, graph->nodes) : NULL;
  const LsRegions *regions = of_program ? of_program : ls_schedule_regions (scene->trace, graph->root->id, graph->nodes);
  if (!regions || regions->kernels->len == 0)
    return;
  scene->loops[version] = g_array_new (FALSE, FALSE, sizeof (LsSceneLoop));
  for (guint i = 0; i < regions->kernels->len; i++) {
    const LsRegion *region = &g_array_index (regions->kernels, LsRegion, i);
    LsSceneLoop kernel = { region->node, 0, -1, TRUE, g_string_chunk_insert_const (scene->strings, region->title) };
    g_array_append_val (scene->loops[version], kernel);
  }
  for (guint i = 0; i < graph->nodes->len; i++) {
    Record *r = record_of (b, version, graph->nodes->pdata[i]);
    if (r)
      r->loop[version] = (guint16) GPOINTER_TO_UINT (g_hash_table_lookup (regions->of_node, graph->nodes->pdata[i]));
  }
}

static void
find_loops_of (Build *b, LsGraph *graph, guint version)
{
  LsScene *scene = b->scene;
  g_autoptr (LsLoops) loops = ls_loops_new (graph->ctx, graph->nodes);
  if (!loops) {
    find_kernels_of (b, graph, version);
    return;
  }
  scene->loops[version] = g_array_new (FALSE, FALSE, sizeof (LsSceneLoop));
  for (guint i = 0; i < loops->n; i++) {
    const LsUOp *range = loops->loops[i].range;
    g_autofree char *title = ls_text_of_loop (graph->names, range);
    LsSceneLoop loop = { range->id, (guint16) loops->loops[i].parent, (gint8) ls_type_of_loop (graph->names, range), FALSE,
                         g_string_chunk_insert_const (scene->strings, title) };
    g_array_append_val (scene->loops[version], loop);
  }
  for (guint i = 0; i < graph->nodes->len; i++) {
    Record *r = record_of (b, version, graph->nodes->pdata[i]);
    if (r)
      r->loop[version] = (guint16) loops->in[i];
  }
}

/* A removed node is in the loops of the graph after that were around it. */
static void
keep_loops (Build *b)
{
  const GArray *before = b->scene->loops[BEFORE], *after = b->scene->loops[AFTER];
  g_autofree guint16 *now = g_new0 (guint16, before ? before->len + 1 : 1);
  for (guint i = 0; before && after && i < before->len; i++) {
    const LsSceneLoop *loop = &g_array_index (before, LsSceneLoop, i);
    const LsUOp *range = ls_graph_node (b->scene->before, loop->id);
    const Record *r = range ? record_of (b, BEFORE, range) : NULL;
    const Item *item = r ? &g_array_index (b->items, Item, r->item) : NULL;
    now[i + 1] = now[loop->parent];
    for (guint k = 0; item && item->kind != LS_DIFF_REMOVED && k < after->len; k++)
      if (g_array_index (after, LsSceneLoop, k).id == item->node->id)
        now[i + 1] = (guint16) (k + 1);
  }
  for (guint i = b->n_after; i < b->records->len; i++) {
    Record *r = &g_array_index (b->records, Record, i);
    r->loop[AFTER] = now[r->loop[BEFORE]];
  }
}

static void
find_loops (Build *b, LsGraph *before)
{
  find_loops_of (b, b->scene->after, AFTER);
  if (before) {
    find_loops_of (b, before, BEFORE);
    keep_loops (b);
    return;
  }
  b->scene->loops[BEFORE] = b->scene->loops[AFTER] ? g_array_ref (b->scene->loops[AFTER]) : NULL;
  for (guint i = 0; i < b->records->len; i++)
    g_array_index (b->records, Record, i).loop[BEFORE] = g_array_index (b->records, Record, i).loop[AFTER];
}

/* A stack is where all of its lanes are. */
static void
write_loops (Build *b, const Item *item, LsSceneNode *node)
{
  for (guint v = 0; v < 2; v++) {
    gboolean first = TRUE;
    for (const Item *lane = item; lane; lane = lane->next == LS_NO_NODE ? NULL : &g_array_index (b->items, Item, lane->next)) {
      const Record *r = v || !lane->before || !lane->other ? record_of_item (b, lane) : record_of (b, BEFORE, lane->before);
      guint16 loop = r ? r->loop[v] : 0;
      node->loop[v] = first ? loop : common_loop (b->scene, v, node->loop[v], loop);
      first = FALSE;
    }
  }
}

static void
write_nodes (Build *b)
{
  LsScene *scene = b->scene;
  scene->nodes = g_new0 (LsSceneNode, MAX (scene->n_nodes, 1));
  GString *title = g_string_new (NULL), *detail = g_string_new (NULL);
  EdgeWork w = { g_array_new (FALSE, FALSE, sizeof (LsSceneEdge)), g_array_new (FALSE, FALSE, sizeof (guint32)),
                 g_array_new (FALSE, FALSE, sizeof (guint32)), g_hash_table_new (NULL, NULL), g_array_new (FALSE, FALSE, sizeof (guint)) };
  for (guint i = 0; i < b->items->len; i++) {
    const Item *item = &g_array_index (b->items, Item, i);
    scene->n_kind[item->kind]++;
    if (item->place == LS_NO_NODE || item->stack != LS_NO_NODE)
      continue;
    LsSceneNode *node = &scene->nodes[item->place];
    LsUOp *u = item->node;
    node->id = u->id;
    node->before = before_of (item);
    node->kind = item->kind;
    node->side = side_of (item);
    node->n_lanes = item->n_lanes;
    node->opened = item->opened;
    node->op_class = (guint8) ls_op_info (u->op)->op_class;
    node->axis = u->op == LS_OP_RANGE && u->arg.kind == LS_ARG_INTS && u->arg.n > 1 ? (gint8) CLAMP (u->arg.ints[1], 0, LS_N_AXIS - 1) : -1;
    if (!b->bare)
      write_loops (b, item, node);
    if (item->n_lanes > 1)
      write_stack (b, item, node, title, detail);
    else
      write_words (b, item->kind == LS_DIFF_REMOVED ? BEFORE : AFTER, u, node, 1, title, detail);
    node->title[0] = node->title[1];
    node->detail[0] = node->detail[1];
    if (item->lineage && item->n_lanes == 1)
      write_words (b, BEFORE, item->before, node, 0, title, detail);
    if (item->lineage && item->kind == LS_DIFF_CHANGED)
      write_change (b, item, node, title, detail);
    if (item->n_lanes > 1)
      add_stack_edges (b, item, node, &w);
    else
      add_edges (b, item, node, &w);
  }
  scene->n_edges = w.edges->len;
  scene->edges = (LsSceneEdge *) (gpointer) g_array_free (w.edges, FALSE);
  g_array_unref (w.before);
  g_array_unref (w.after);
  g_array_unref (w.next);
  g_hash_table_unref (w.first);
  g_string_free (title, TRUE);
  g_string_free (detail, TRUE);
}

/* before: NULL: all is of one graph. */
static LsScene *
build (LsTrace *trace, LsGraph *before, LsGraph *after, GArray *items, gboolean fold, gboolean bare, const LsUOp *matched,
       const LsUOp *result, GHashTable *opened)
{
  guint32 focus = result ? result->id : LS_NO_NODE;
  LsScene *scene = g_new0 (LsScene, 1);
  scene->trace = ls_trace_ref (trace);
  scene->places = g_hash_table_new (NULL, NULL);
  scene->strings = g_string_chunk_new (4096);
  scene->lanes = g_array_new (FALSE, FALSE, sizeof (LsSceneLane));
  scene->before = ls_graph_ref (before ? before : after);
  scene->after = ls_graph_ref (after);
  scene->root_before = scene->before->root->id;
  scene->root_after = scene->after->root->id;
  Build b = { .scene = scene, .ctx = trace->ctx, .items = items, .records = g_array_sized_new (FALSE, FALSE, sizeof (Record), items->len),
              .by_node = { ls_node_map_acquire (trace->ctx), ls_node_map_acquire (trace->ctx) }, .bare = bare,
              .widths = widths_of (trace) };
  make_records (&b, before);
  find_rebuilt (&b, focus);
  if (fold) {
    sweep_down (&b);
    sweep_up (&b);
    find_stacks (&b, opened);
  }
  place_nodes (&b, matched, result);
  if (!bare)
    find_loops (&b, before);
  write_nodes (&b);
  int place = focus == LS_NO_NODE ? -1 : ls_scene_find (scene, focus);
  scene->focus = place < 0 ? LS_NO_NODE : (guint32) place;
  g_free (b.n_lanes);
  g_free (b.met);
  g_array_unref (b.records);
  ls_node_map_release (trace->ctx, b.by_node[AFTER]);
  ls_node_map_release (trace->ctx, b.by_node[BEFORE]);
  return scene;
}

static LsScene *
new_diff (LsTrace *trace, const LsGraphDiff *diff, gboolean fold, gboolean bare, GHashTable *opened)
{
  g_autoptr (GArray) items = g_array_sized_new (FALSE, FALSE, sizeof (Item), diff->nodes->len);
  for (guint i = 0; i < diff->nodes->len; i++) {
    const LsDiffNode *n = &g_array_index (diff->nodes, LsDiffNode, i);
    Item item = { n->node, n->before, (guint8) n->kind, n->other, FALSE, LS_NO_NODE, LS_NO_NODE, LS_NO_NODE, 1, FALSE };
    if (!item.before && item.kind != LS_DIFF_REMOVED)
      item.kind = LS_DIFF_ADDED;
    g_array_append_val (items, item);
  }
  LsScene *scene = build (trace, diff->before, diff->after, items, fold, bare, diff->matched, diff->result, opened);
  scene->is_diff = TRUE;
  if (scene->focus == LS_NO_NODE && diff->matched) {
    int place = ls_scene_find (scene, diff->matched->id);
    scene->focus = place < 0 ? LS_NO_NODE : (guint32) place;
  }
  return scene;
}

/* What to draw of two graphs whose nodes are of trace; linear in nodes and edges. fold: constants, ranges and index arithmetic are drawn
 * inside their consumers. Free with ls_scene_free. */
LsScene *
ls_scene_new_diff (LsTrace *trace, const LsGraphDiff *diff, gboolean fold)
{
  g_return_val_if_fail (trace != NULL && diff != NULL, NULL);
  return new_diff (trace, diff, fold, FALSE, NULL);
}

LsScene *
ls_scene_new_diff_bare (LsTrace *trace, const LsGraphDiff *diff, gboolean fold)
{
  g_return_val_if_fail (trace != NULL && diff != NULL, NULL);
  return new_diff (trace, diff, fold, TRUE, NULL);
}

static LsScene *
new_root (LsTrace *trace, LsNames *names, LsUOp *root, gboolean fold, gboolean bare, GHashTable *opened)
{
  g_autoptr (LsGraph) graph = ls_graph_new (trace->ctx, root);
  graph->names = names ? ls_names_ref (names) : NULL;
  g_autoptr (GArray) items = g_array_sized_new (FALSE, FALSE, sizeof (Item), graph->nodes->len);
  for (guint i = 0; i < graph->nodes->len; i++) {
    Item item = { graph->nodes->pdata[i], graph->nodes->pdata[i], LS_DIFF_SAME, FALSE, FALSE, LS_NO_NODE, LS_NO_NODE, LS_NO_NODE, 1,
                  FALSE };
    g_array_append_val (items, item);
  }
  return build (trace, NULL, graph, items, fold, bare, NULL, NULL, opened);
}

LsScene *
ls_scene_new_root (LsTrace *trace, LsNames *names, LsUOp *root, gboolean fold)
{
  g_return_val_if_fail (trace != NULL && root != NULL, NULL);
  return new_root (trace, names, root, fold, FALSE, NULL);
}

LsScene *
ls_scene_new_root_bare (LsTrace *trace, LsNames *names, LsUOp *root, gboolean fold)
{
  g_return_val_if_fail (trace != NULL && root != NULL, NULL);
  return new_root (trace, names, root, fold, TRUE, NULL);
}

LsScene *
ls_scene_open (LsScene *closed, const LsGraphDiff *diff, LsUOp *root, GHashTable *ids)
{
  g_return_val_if_fail (closed != NULL && (diff || root), closed);
  GHashTableIter iter;
  gpointer id;
  guint hash = 0;
  for (g_hash_table_iter_init (&iter, ids); g_hash_table_iter_next (&iter, &id, NULL);) {
    int at = ls_scene_find (closed, GPOINTER_TO_UINT (id));
    if (at >= 0 && closed->nodes[at].n_lanes > 1)
      hash += closed->nodes[at].id * 2246822519u | 1;
  }
  if (!hash)
    return closed;
  LsScene *scene = diff ? new_diff (closed->trace, diff, TRUE, FALSE, ids)
                        : new_root (closed->trace, closed->after->names, root, TRUE, FALSE, ids);
  scene->whole = closed;
  scene->collapsed = hash;
  return scene;
}

const LsScene *
ls_scene_closed (const LsScene *scene)
{
  while (scene->whole)
    scene = scene->whole;
  return scene;
}

void
ls_scene_free (LsScene *scene)
{
  if (!scene)
    return;
  ls_trace_unref (scene->trace);
  g_free (scene->nodes);
  g_free (scene->edges);
  g_hash_table_unref (scene->places);
  g_string_chunk_free (scene->strings);
  if (scene->lanes)
    g_array_unref (scene->lanes);
  for (guint v = 0; v < 2; v++)
    if (scene->loops[v])
      g_array_unref (scene->loops[v]);
  ls_graph_unref (scene->before);
  ls_graph_unref (scene->after);
  ls_scene_free (scene->whole);
  g_free (scene);
}

const char *
ls_scene_second_line (const LsScene *scene, guint node, guint side)
{
  const LsSceneNode *n = &scene->nodes[node];
  return side == LS_IN_BOTH && n->change && !n->n_inside ? n->change : n->detail[side == LS_IN_BEFORE ? 0 : 1];
}

int
ls_scene_find (const LsScene *scene, guint32 id)
{
  return GPOINTER_TO_INT (g_hash_table_lookup (scene->places, GUINT_TO_POINTER (id))) - 1;
}

/* Whether the node is a source of u, or of sources of u that are drawn in its box. */
static gboolean
is_drawn_below (const LsScene *scene, const LsUOp *u, guint32 id, guint levels)
{
  for (guint i = 0; i < u->n_src; i++) {
    int at = ls_scene_find (scene, u->src[i]->id);
    gboolean has_box = at >= 0 && (scene->nodes[at].id == u->src[i]->id || scene->nodes[at].n_lanes > 1);
    if (u->src[i]->id == id || (!has_box && levels && is_drawn_below (scene, u->src[i], id, levels - 1)))
      return TRUE;
  }
  return FALSE;
}

gboolean
ls_scene_draws (const LsScene *scene, guint box, guint32 id)
{
  const LsSceneNode *n = &scene->nodes[box];
  const LsGraph *graph = n->side == LS_IN_BEFORE ? scene->before : scene->after;
  const LsUOp *u = graph ? ls_graph_node (graph, n->id) : NULL;
  return u && is_drawn_below (scene, u, id, NEAR);
}
