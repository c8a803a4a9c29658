/* A list that is being written from another one (procedure-rows.h). */
#include "procedure-rows.h"

static LsUOp *
buffer_of (const LsUOp *access)
{
  LsUOp *u = access->n_src ? access->src[0] : NULL;
  while (u && u->n_src && (u->op == LS_OP_INDEX || u->op == LS_OP_CAST))
    u = u->src[0];
  return u;
}

void
ls_rows_begin (LsRows *r, LsContext *ctx, GPtrArray *list, GArray *changes)
{
  *r = (LsRows) { .ctx = ctx, .list = list, .changes = changes };
  r->end = g_new0 (guint, list->len + 1);
  r->blocks = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  r->openers = g_ptr_array_new ();
  r->floors = g_array_new (FALSE, FALSE, sizeof (guint));
  LsNodeMap **maps[] = { &r->map, &r->accs, &r->loops, &r->placed, &r->body, &r->written };
  for (guint i = 0; i < G_N_ELEMENTS (maps); i++)
    *maps[i] = ls_node_map_acquire (ctx);
  guint none = 0;
  g_ptr_array_add (r->blocks, g_ptr_array_new ());
  g_array_append_val (r->floors, none);
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < list->len; i++) {
    LsUOp *u = list->pdata[i], *buffer = u->op == LS_OP_STORE ? buffer_of (u) : NULL;
    if (buffer)
      ls_node_map_set (r->written, buffer, 1);
    if (u->op == LS_OP_RANGE || u->op == LS_OP_IF)
      g_array_append_val (open, i);
    if ((u->op == LS_OP_ENDRANGE || u->op == LS_OP_ENDIF) && open->len) {
      r->end[g_array_index (open, guint, open->len - 1)] = i;
      g_array_set_size (open, open->len - 1);
    }
  }
}

LsUOp *
ls_rows_now (LsRows *r, LsUOp *u)
{
  LsUOp *v = ls_node_map_get_node (r->map, u);
  return v ? v : u;
}

/* Accumulators are named, not read, by PHI, and so are loops by what ends with them. */
LsUOp *
ls_rows_over (LsRows *r, LsUOp *u)
{
  LsUOp *few[8] = { NULL }, **src = u->n_src > G_N_ELEMENTS (few) ? g_new (LsUOp *, u->n_src) : few;
  guint n = 0, first_named = u->op == LS_OP_DEFINE_ACC ? 1 : u->op == LS_OP_PHI || u->op == LS_OP_STORE ? 2 : G_MAXUINT;
  for (guint s = 0; s < u->n_src; s++) {
    LsUOp *acc = s == 0 && u->op == LS_OP_PHI ? ls_node_map_get_node (r->accs, u->src[0]) : NULL;
    gboolean names = s >= first_named && u->src[s]->op == LS_OP_RANGE && ls_node_map_has (r->loops, u->src[s]);
    LsUOp *v = acc ? acc : names ? ls_node_map_get_node (r->loops, u->src[s]) : ls_rows_now (r, u->src[s]);
    if (v)
      src[n++] = v;
  }
  LsUOp *v = ls_uop_with_src (r->ctx, u, n, src);
  if (src != few)
    g_free (src);
  return v;
}

gboolean
ls_rows_is_pure (LsRows *r, const LsUOp *u)
{
  LsOpClass c = ls_op_info (u->op)->op_class;
  if (u->op == LS_OP_LOAD) {
    LsUOp *buffer = buffer_of (u);
    return buffer && buffer->op == LS_OP_DEFINE_GLOBAL && !ls_node_map_has (r->written, buffer);
  }
  return u->op == LS_OP_CONST || u->op == LS_OP_VCONST || u->op == LS_OP_INDEX || c == LS_CLASS_VECTOR || c >= LS_CLASS_UNARY;
}

/* The block in which its value is known. */
static guint
depth_of (LsRows *r, LsUOp *u)
{
  guint64 depth = 0;
  if (u->op == LS_OP_RANGE) {
    ls_node_map_get (r->body, u, &depth);
    return (guint) depth;
  }
  if (u->op == LS_OP_DEFINE_ACC) {      /* who reads it reads it in its loops */
    guint inner = 0;
    for (guint s = 1; s < u->n_src; s++)
      inner = MAX (inner, depth_of (r, u->src[s]));
    return inner;
  }
  if (u->op == LS_OP_PHI && u->n_src)      /* it is known where the accumulator stands, after the loops */
    u = u->src[0];
  return ls_node_map_get (r->placed, u, &depth) && depth ? (guint) depth - 1 : 0;
}

void
ls_rows_place (LsRows *r, LsUOp *u, LsUOp *v, const char *reason)
{
  guint depth = r->blocks->len - 1;
  ls_node_map_set_node (r->map, u, v);
  if (u->op == LS_OP_DEFINE_ACC)
    ls_node_map_set_node (r->accs, u, v);
  if (ls_node_map_has (r->placed, v))
    return;
  gboolean moved = FALSE;
  if (v->op == LS_OP_CONST)
    depth = 0;
  else if (ls_rows_is_pure (r, v)) {
    guint least = g_array_index (r->floors, guint, depth);
    for (guint s = 0; s < v->n_src; s++)
      least = MAX (least, depth_of (r, v->src[s]));
    moved = least < depth;
    depth = MIN (least, depth);
  }
  ls_node_map_set (r->placed, v, depth + 1);
  g_ptr_array_add (r->blocks->pdata[depth], v);
  r->n_rows++;
  LsRowChange change = { v, u, u == v ? "the same in every turn" : reason };
  if (r->changes && (u != v || moved))
    g_array_append_val (r->changes, change);
}

void
ls_rows_open (LsRows *r, LsUOp *opener)
{
  guint depth = r->blocks->len, floor = opener->op == LS_OP_IF ? depth : g_array_index (r->floors, guint, depth - 1);
  ls_node_map_set (r->body, opener, depth);
  g_ptr_array_add (r->blocks, g_ptr_array_new ());
  g_ptr_array_add (r->openers, opener);
  g_array_append_val (r->floors, floor);
}

void
ls_rows_close (LsRows *r, LsUOp *end)
{
  GPtrArray *inner = g_ptr_array_steal_index (r->blocks, r->blocks->len - 1), *outer = r->blocks->pdata[r->blocks->len - 1];
  LsUOp *opener = g_ptr_array_steal_index (r->openers, r->openers->len - 1);
  g_array_set_size (r->floors, r->floors->len - 1);
  g_ptr_array_add (outer, opener);
  g_ptr_array_extend (outer, inner, NULL, NULL);
  g_ptr_array_add (outer, ls_uop_with_src (r->ctx, end, 1, &opener));
  g_ptr_array_unref (inner);
}

void
ls_rows_copy (LsRows *r, LsUOp *u, const char *reason)
{
  if (u->op == LS_OP_SINK)
    return;
  if (u->op == LS_OP_ENDRANGE || u->op == LS_OP_ENDIF) {
    ls_rows_close (r, u);
    return;
  }
  LsUOp *v = u->op == LS_OP_RANGE ? ls_rows_now (r, u) : NULL;      /* one that was put in its place, or itself */
  v = v && v != u ? v : ls_rows_over (r, u);
  if (u->op == LS_OP_RANGE || u->op == LS_OP_IF) {
    LsRowChange change = { v, u, reason };
    if (r->changes && u != v)
      g_array_append_val (r->changes, change);
    ls_node_map_set_node (r->map, u, v);
    ls_rows_open (r, v);
    return;
  }
  ls_rows_place (r, u, v, reason);
}

GPtrArray *
ls_rows_end (LsRows *r)
{
  GPtrArray *all = r->blocks->pdata[0], *out = g_ptr_array_sized_new (all->len + 1);
  LsNodeMap *wanted = ls_node_map_acquire (r->ctx);
  g_autoptr (GPtrArray) stores = g_ptr_array_new ();
  for (guint i = all->len; i-- > 0;) {
    LsUOp *u = all->pdata[i];
    if (!ls_rows_is_pure (r, u) || ls_node_map_has (wanted, u)) {
      ls_node_map_set (wanted, u, 1);
      for (guint s = 0; s < u->n_src; s++)
        ls_node_map_set (wanted, u->src[s], 1);
    }
  }
  for (guint i = 0; i < all->len; i++) {
    LsUOp *u = all->pdata[i];
    if (!ls_node_map_has (wanted, u))
      continue;
    g_ptr_array_add (out, u);
    if (u->op == LS_OP_STORE)
      g_ptr_array_add (stores, u);
  }
  ls_node_map_release (r->ctx, wanted);

  LsUOp *sink = r->list->len ? r->list->pdata[r->list->len - 1] : NULL;
  if (sink && sink->op == LS_OP_SINK) {
    gboolean same = TRUE;
    for (guint i = 0; i < sink->n_src; i++)
      same &= g_ptr_array_find (stores, sink->src[i], NULL);
    g_ptr_array_add (out, same && sink->n_src == stores->len ? sink : ls_uop_with_src (r->ctx, sink, stores->len,
                                                                                       (LsUOp *const *) stores->pdata));
  }
  LsNodeMap *maps[] = { r->written, r->body, r->placed, r->loops, r->accs, r->map };
  for (guint i = 0; i < G_N_ELEMENTS (maps); i++)
    ls_node_map_release (r->ctx, maps[i]);
  g_ptr_array_unref (r->blocks);
  g_ptr_array_unref (r->openers);
  g_array_unref (r->floors);
  g_free (r->end);
  return out;
}
