/* A list that is being written from another one (list-writer.h). */
#include "list-writer.h"

static LsUOp *
buffer_of (const LsUOp *access)
{
  LsUOp *u = access->n_src ? access->src[0] : NULL;
  while (u && u->n_src && (u->op == LS_OP_INDEX || u->op == LS_OP_CAST))
    u = u->src[0];
  return u;
}

void
ls_list_writer_begin (LsListWriter *w, LsContext *ctx, GPtrArray *list, GArray *changes)
{
  *w = (LsListWriter) { .ctx = ctx, .list = list, .changes = changes };
  w->end = g_new0 (guint, list->len + 1);
  w->blocks = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  w->openers = g_ptr_array_new ();
  w->floors = g_array_new (FALSE, FALSE, sizeof (guint));
  LsNodeMap **maps[] = { &w->map, &w->accs, &w->loops, &w->placed, &w->body, &w->written };
  for (guint i = 0; i < G_N_ELEMENTS (maps); i++)
    *maps[i] = ls_node_map_acquire (ctx);
  guint none = 0;
  g_ptr_array_add (w->blocks, g_ptr_array_new ());
  g_array_append_val (w->floors, none);
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < list->len; i++) {
    LsUOp *u = list->pdata[i], *buffer = u->op == LS_OP_STORE ? buffer_of (u) : NULL;
    if (buffer)
      ls_node_map_set (w->written, buffer, 1);
    if (u->op == LS_OP_RANGE || u->op == LS_OP_IF)
      g_array_append_val (open, i);
    if ((u->op == LS_OP_ENDRANGE || u->op == LS_OP_ENDIF) && open->len) {
      w->end[g_array_index (open, guint, open->len - 1)] = i;
      g_array_set_size (open, open->len - 1);
    }
  }
}

LsUOp *
ls_list_writer_now (LsListWriter *w, LsUOp *u)
{
  LsUOp *v = ls_node_map_get_node (w->map, u);
  return v ? v : u;
}

/* PHI names accumulators and does not read them; ends of loops name their loops. */
LsUOp *
ls_list_writer_over (LsListWriter *w, LsUOp *u)
{
  LsUOp *few[8] = { NULL }, **src = u->n_src > G_N_ELEMENTS (few) ? g_new (LsUOp *, u->n_src) : few;
  guint n = 0, first_named = u->op == LS_OP_DEFINE_ACC ? 1 : u->op == LS_OP_PHI || u->op == LS_OP_STORE ? 2 : G_MAXUINT;
  for (guint s = 0; s < u->n_src; s++) {
    LsUOp *acc = s == 0 && u->op == LS_OP_PHI ? ls_node_map_get_node (w->accs, u->src[0]) : NULL;
    gboolean names = s >= first_named && u->src[s]->op == LS_OP_RANGE && ls_node_map_has (w->loops, u->src[s]);
    LsUOp *v = acc ? acc : names ? ls_node_map_get_node (w->loops, u->src[s]) : ls_list_writer_now (w, u->src[s]);
    if (v)
      src[n++] = v;
  }
  LsUOp *v = ls_uop_with_src (w->ctx, u, n, src);
  if (src != few)
    g_free (src);
  return v;
}

gboolean
ls_list_writer_is_pure (LsListWriter *w, const LsUOp *u)
{
  LsOpClass c = ls_op_info (u->op)->op_class;
  if (u->op == LS_OP_LOAD) {
    LsUOp *buffer = buffer_of (u);
    return buffer && buffer->op == LS_OP_DEFINE_GLOBAL && !ls_node_map_has (w->written, buffer);
  }
  return u->op == LS_OP_CONST || u->op == LS_OP_VCONST || u->op == LS_OP_INDEX || c == LS_CLASS_VECTOR || c >= LS_CLASS_UNARY;
}

/* The block in which its value is known. */
static guint
depth_of (LsListWriter *w, LsUOp *u)
{
  guint64 depth = 0;
  if (u->op == LS_OP_RANGE) {
    ls_node_map_get (w->body, u, &depth);
    return (guint) depth;
  }
  if (u->op == LS_OP_DEFINE_ACC) {      /* its readers are in its loops */
    guint inner = 0;
    for (guint s = 1; s < u->n_src; s++)
      inner = MAX (inner, depth_of (w, u->src[s]));
    return inner;
  }
  if (u->op == LS_OP_PHI && u->n_src)      /* it is known at the accumulator, after the loops */
    u = u->src[0];
  return ls_node_map_get (w->placed, u, &depth) && depth ? (guint) depth - 1 : 0;
}

void
ls_list_writer_place (LsListWriter *w, LsUOp *u, LsUOp *v, const char *reason)
{
  guint depth = w->blocks->len - 1;
  ls_node_map_set_node (w->map, u, v);
  if (u->op == LS_OP_DEFINE_ACC)
    ls_node_map_set_node (w->accs, u, v);
  if (ls_node_map_has (w->placed, v))
    return;
  gboolean moved = FALSE;
  if (v->op == LS_OP_CONST)
    depth = 0;
  else if (ls_list_writer_is_pure (w, v)) {
    guint least = g_array_index (w->floors, guint, depth);
    for (guint s = 0; s < v->n_src; s++)
      least = MAX (least, depth_of (w, v->src[s]));
    moved = least < depth;
    depth = MIN (least, depth);
  }
  ls_node_map_set (w->placed, v, depth + 1);
  g_ptr_array_add (w->blocks->pdata[depth], v);
  w->n_rows++;
  LsRowChange change = { v, u, u == v ? "the same in every iteration" : reason };
  if (w->changes && (u != v || moved))
    g_array_append_val (w->changes, change);
}

void
ls_list_writer_open (LsListWriter *w, LsUOp *opener)
{
  guint depth = w->blocks->len, floor = opener->op == LS_OP_IF ? depth : g_array_index (w->floors, guint, depth - 1);
  ls_node_map_set (w->body, opener, depth);
  g_ptr_array_add (w->blocks, g_ptr_array_new ());
  g_ptr_array_add (w->openers, opener);
  g_array_append_val (w->floors, floor);
}

void
ls_list_writer_close (LsListWriter *w, LsUOp *end)
{
  GPtrArray *inner = g_ptr_array_steal_index (w->blocks, w->blocks->len - 1), *outer = w->blocks->pdata[w->blocks->len - 1];
  LsUOp *opener = g_ptr_array_steal_index (w->openers, w->openers->len - 1);
  g_array_set_size (w->floors, w->floors->len - 1);
  g_ptr_array_add (outer, opener);
  g_ptr_array_extend (outer, inner, NULL, NULL);
  g_ptr_array_add (outer, ls_uop_with_src (w->ctx, end, 1, &opener));
  g_ptr_array_unref (inner);
}

void
ls_list_writer_copy (LsListWriter *w, LsUOp *u, const char *reason)
{
  if (u->op == LS_OP_SINK)
    return;
  if (u->op == LS_OP_ENDRANGE || u->op == LS_OP_ENDIF) {
    ls_list_writer_close (w, u);
    return;
  }
  LsUOp *v = u->op == LS_OP_RANGE ? ls_list_writer_now (w, u) : NULL;      /* one that was put in its place, or itself */
  v = v && v != u ? v : ls_list_writer_over (w, u);
  if (u->op == LS_OP_RANGE || u->op == LS_OP_IF) {
    LsRowChange change = { v, u, reason };
    if (w->changes && u != v)
      g_array_append_val (w->changes, change);
    ls_node_map_set_node (w->map, u, v);
    ls_list_writer_open (w, v);
    return;
  }
  ls_list_writer_place (w, u, v, reason);
}

GPtrArray *
ls_list_writer_end (LsListWriter *w)
{
  GPtrArray *all = w->blocks->pdata[0], *out = g_ptr_array_sized_new (all->len + 1);
  LsNodeMap *wanted = ls_node_map_acquire (w->ctx);
  g_autoptr (GPtrArray) stores = g_ptr_array_new ();
  for (guint i = all->len; i-- > 0;) {
    LsUOp *u = all->pdata[i];
    if (!ls_list_writer_is_pure (w, u) || ls_node_map_has (wanted, u)) {
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
  ls_node_map_release (w->ctx, wanted);

  LsUOp *sink = w->list->len ? w->list->pdata[w->list->len - 1] : NULL;
  if (sink && sink->op == LS_OP_SINK) {
    gboolean same = TRUE;
    for (guint i = 0; i < sink->n_src; i++)
      same &= g_ptr_array_find (stores, sink->src[i], NULL);
    g_ptr_array_add (out, same && sink->n_src == stores->len ? sink : ls_uop_with_src (w->ctx, sink, stores->len,
                                                                                       (LsUOp *const *) stores->pdata));
  }
  LsNodeMap *maps[] = { w->written, w->body, w->placed, w->loops, w->accs, w->map };
  for (guint i = 0; i < G_N_ELEMENTS (maps); i++)
    ls_node_map_release (w->ctx, maps[i]);
  g_ptr_array_unref (w->blocks);
  g_ptr_array_unref (w->openers);
  g_array_unref (w->floors);
  g_free (w->end);
  return out;
}
