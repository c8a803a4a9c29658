/* One step of the chain rule judged separately: GRADIENT[i](u, g) has no value of its own, but a definition, against which its
 * replacement is checked.
 *
 * The gradient of source i is a tensor r with this property: for any direction v, the sum of r·v is the rate of change of the sum of g·u
 * when source i moves along v. Both are computed in double at random values of u's sources and of g, the second as a difference of two
 * evaluations of u. The values are between 1/2 and 2 and no two are equal, so that roots, logarithms and quotients are smooth there and
 * a maximum has one place. There are two rounds with other values and directions, since sums of wrong terms can be right by chance. A
 * bool has each of its values in one of them, so that both sources of a WHERE are looked at everywhere. Not checked are functions that
 * are not smooth, nodes that are not floats, and results that depend on more than u's sources and g.
 */
#include "reference.h"

#include <math.h>

#define FIRST      (G_GINT64_CONSTANT (1) << 40)      /* ids of buffers that no program has */
#define MOST       (1 << 16)                          /* elements of the sources and of g */
#define STEP       1e-5
#define TOLERANCE  1e-5                               /* the difference quotient itself is off by 1.4e-9 at most, over 28 functions */

/* Values that are not in the graph: those of bools are the others in the second round. */
typedef struct { GRand *rand, *bools; gboolean second; GArray *buffers; } Free;      /* bools: the same in both rounds */

/* A tensor of them. */
static LsUOp *
free_tensor (LsContext *ctx, LsUOp *like, guint number, Free *f)
{
  LsShape shape;
  LsDType d = ls_dtype_is_float (like->dtype) ? LS_DOUBLE : like->dtype;
  if (!ls_uop_get_shape (ctx, like, &shape, NULL) || shape.sizes || ls_shape_size (shape) < 1 || ls_shape_size (shape) > MOST ||
      ls_dtype_is_ptr (d) || ls_dtype_lanes (d) > 1)
    return NULL;
  guint64 n = (guint64) ls_shape_size (shape);
  gint64 id[2] = { FIRST + number, (gint64) n };
  LsEvalBuffer b = { id[0], d, n, g_malloc0 (n * 8) };
  for (guint64 i = 0; i < n; i++) {
    LsScalar v = ls_dtype_is_float (d) ? (LsScalar) { .f = exp2 (g_rand_double_range (f->rand, -1, 1)) } :
                 ls_dtype_is_bool (d)  ? (LsScalar) { .i = g_rand_boolean (f->bools) ^ f->second }
                                       : (LsScalar) { .i = g_rand_int_range (f->rand, 0, 2) };
    ls_scalar_store (d, b.data + i * ls_dtype_itemsize (d), ls_scalar_fit (d, v));
  }
  g_array_append_val (f->buffers, b);
  LsUOp *u = ls_uop_new0 (ctx, LS_OP_BUFFER, d, ls_arg_ints (ctx, 2, id));
  return shape.n == 1 ? u : ls_uop_new1 (ctx, LS_OP_RESHAPE, d, u, ls_arg_ints (ctx, shape.n, shape.dims));
}

/* The node over other sources, its floats doubles. NULL: its bits are defined by its dtype. */
static LsUOp *
in_double (LsContext *ctx, LsUOp *u, LsUOp *const *src)
{
  LsDType d = ls_dtype_is_float (u->dtype) ? LS_DOUBLE : u->dtype;
  if (u->op == LS_OP_BITCAST || ls_dtype_lanes (u->dtype) > 1 || u->n_src > 3)
    return NULL;
  if (u->op == LS_OP_CONST && u->n_src == 0 && ls_dtype_is_float (u->dtype))
    return ls_uop_const_f (ctx, d, u->arg.f);
  return ls_uop_new_tag (ctx, u->op, d, u->n_src, src, u->arg, u->tag);
}

static LsUOp *
graph_in_double (LsContext *ctx, LsUOp *root, LsNodeMap *map)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root);
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i], *src[3] = { NULL };
    gboolean whole = u->n_src <= 3;
    if (ls_node_map_has (map, u))
      continue;
    for (guint k = 0; k < u->n_src && whole; k++)
      whole = (src[k] = ls_node_map_get_node (map, u->src[k])) != NULL;
    LsUOp *made = whole ? in_double (ctx, u, src) : NULL;
    if (made)
      ls_node_map_set_node (map, u, made);
  }
  return ls_node_map_get_node (map, root);
}

/* The sum of a·b. FALSE: a has no values, or others than there are in b. */
static gboolean
inner_product (LsContext *ctx, const GArray *eb, LsUOp *a, const LsEvalBuffer *b, double *sum, double *size)
{
  g_autoptr (LsEvaluation) e = ls_evaluate (ctx, a, eb->len, (const LsEvalBuffer *) (gconstpointer) eb->data, 50 * MOST, FALSE, NULL);
  guint64 n = 0;
  const LsScalar *v = e ? ls_evaluation_values (e, a, &n) : NULL;
  *sum = *size = 0;
  for (guint64 i = 0; v && n == b->n && i < n; i++) {
    double term = v[i].f * ((const double *) (gconstpointer) b->data)[i];
    *sum += term;
    *size += fabs (term);
  }
  return v && n == b->n && isfinite (*sum);
}

static void
move (LsEvalBuffer *b, const double *from, const LsEvalBuffer *along, double by)
{
  for (guint64 i = 0; i < b->n; i++)
    ((double *) (gpointer) b->data)[i] = from[i] + by * ((const double *) (gconstpointer) along->data)[i];
}

/* One value everywhere: it stays constant, because a rule may write the same constant. */
static gboolean
is_constant (const LsUOp *u)
{
  while (ls_op_is_movement (u->op))
    u = u->src[0];
  return u->op == LS_OP_CONST;
}

#define MOST_FREE 8

/* The gradient that reaches u may depend on u, and a rule may use that: then all other nodes that it depends on are free, with their
 * values there. A constant stays one. NULL: neither, or it cannot be computed. */
static LsUOp *
reaching (LsContext *ctx, LsUOp *g, LsUOp *u, LsNodeMap *map, Free *f)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, g);
  g_autoptr (GHashTable) made_of_u = g_hash_table_new (NULL, NULL);
  guint n = 0;
  g_hash_table_add (made_of_u, u);
  for (guint i = 0; i < order->len; i++) {
    LsUOp *w = order->pdata[i];
    for (guint k = 0; k < w->n_src; k++)
      if (g_hash_table_contains (made_of_u, w->src[k]))
        g_hash_table_add (made_of_u, w);
  }
  for (guint i = 0; i < order->len; i++) {
    LsUOp *w = order->pdata[i];
    for (guint k = 0; w != u && k < w->n_src && g_hash_table_contains (made_of_u, w); k++) {
      LsUOp *s = w->src[k];
      if (g_hash_table_contains (made_of_u, s) || ls_node_map_has (map, s) || is_constant (s))
        continue;
      LsUOp *free = n < MOST_FREE ? free_tensor (ctx, s, 10 + n++, f) : NULL;
      if (!free)
        return NULL;
      ls_node_map_set_node (map, s, free);
    }
  }
  return g_hash_table_contains (made_of_u, g) || is_constant (g) ? graph_in_double (ctx, g, map) : NULL;
}

static void
check_round (LsTrace *trace, guint32 before, guint32 after, gboolean second, LsStepCheck *check)
{
  g_autoptr (LsContext) ctx = ls_context_new_over (trace->ctx);
  LsUOp *asked = ls_context_node (ctx, before), *result = ls_context_node (ctx, after);
  if (!asked || !result || asked->op != LS_OP_GRADIENT || asked->n_src != 2 || asked->arg.i < 0 || asked->arg.i >= asked->src[0]->n_src ||
      asked->src[0]->n_src > 3)
    return;
  LsUOp *u = asked->src[0], *g = asked->src[1], *over[3], *moved;
  guint i = (guint) asked->arg.i;
  if (!ls_dtype_is_float (u->dtype) || !ls_dtype_is_float (u->src[i]->dtype))
    return;
  g_autoptr (GRand) rand = g_rand_new_with_seed (2 * before + second);
  g_autoptr (GRand) bools = g_rand_new_with_seed (before);
  g_autoptr (GArray) eb = g_array_new (FALSE, FALSE, sizeof (LsEvalBuffer));
  Free f = { rand, bools, second, eb };
  LsNodeMap *map = ls_node_map_acquire (ctx);
  gboolean free = TRUE;
  for (guint k = 0; k < u->n_src && free; k++) {
    if (is_constant (u->src[k]))
      free = (over[k] = graph_in_double (ctx, u->src[k], map)) != NULL;
    else if (!ls_node_map_has (map, u->src[k]))
      free = (over[k] = free_tensor (ctx, u->src[k], k, &f)) != NULL;
    else
      over[k] = ls_node_map_get_node (map, u->src[k]);
    if (free)
      ls_node_map_set_node (map, u->src[k], over[k]);
  }
  /* source i by itself, the gradient that reaches u, and a direction */
  guint first = eb->len;
  free = free && (moved = free_tensor (ctx, u->src[i], 3, &f)) && free_tensor (ctx, u, 4, &f) && free_tensor (ctx, u->src[i], 5, &f);
  LsUOp *u_there = free ? in_double (ctx, u, over) : NULL;
  if (free && u_there && !ls_node_map_has (map, g)) {
    LsShape shape;
    gint64 id[2] = { FIRST + 4, (gint64) g_array_index (eb, LsEvalBuffer, first + 1).n };
    LsUOp *flat = ls_uop_new0 (ctx, LS_OP_BUFFER, LS_DOUBLE, ls_arg_ints (ctx, 2, id));
    ls_node_map_set_node (map, u, u_there);
    LsUOp *made = reaching (ctx, g, u, map, &f);
    g_autoptr (LsEvaluation) e = made ? ls_evaluate (ctx, made, eb->len, (const LsEvalBuffer *) (gconstpointer) eb->data, 50 * MOST, FALSE,
                                                     NULL) : NULL;
    guint64 n = 0;
    const LsScalar *values = e ? ls_evaluation_values (e, made, &n) : NULL;
    for (guint64 k = 0; values && n == (guint64) id[1] && k < n; k++)
      ((double *) (gpointer) g_array_index (eb, LsEvalBuffer, first + 1).data)[k] = values[k].f;
    if (!made && ls_uop_get_shape (ctx, g, &shape, NULL) && !shape.sizes && ls_shape_size (shape) == id[1])
      ls_node_map_set_node (map, g, shape.n == 1 ? flat : ls_uop_new1 (ctx, LS_OP_RESHAPE, LS_DOUBLE, flat,
                                                                       ls_arg_ints (ctx, shape.n, shape.dims)));
    over[i] = moved;
    gboolean known = !made || (values && n == (guint64) id[1]);
    LsUOp *r = known ? graph_in_double (ctx, result, map) : NULL, *u_moved = in_double (ctx, u, over);
    LsEvalBuffer *b = (LsEvalBuffer *) (gpointer) eb->data, *at = &b[first], *direction = &b[first + 2];
    const LsUOp *base = ls_node_map_get_node (map, u->src[i]);
    const LsEvalBuffer *from = NULL;
    while (base->op == LS_OP_RESHAPE)
      base = base->src[0];
    for (guint k = 0; k < first && base->op == LS_OP_BUFFER; k++)
      if (b[k].id == base->arg.ints[0])
        from = &b[k];
    double rate, more = 0, less = 0, size, size_more = 0, size_less;
    for (guint64 k = 0; k < direction->n; k++)
      if (g_rand_boolean (rand))
        ((double *) (gpointer) direction->data)[k] *= -1;
    if (r && u_moved && from && ls_dtype_is_float (r->dtype) && inner_product (ctx, eb, r, direction, &rate, &size)) {
      move (at, (const double *) (gconstpointer) from->data, direction, STEP);
      gboolean ok = inner_product (ctx, eb, u_moved, &b[first + 1], &more, &size_more);
      move (at, (const double *) (gconstpointer) from->data, direction, -STEP);
      ok = ok && inner_product (ctx, eb, u_moved, &b[first + 1], &less, &size_less);
      double want = (more - less) / (2 * STEP);
      check->judged = ok;
      check->dtype = LS_DOUBLE;
      check->differs = ok && fabs (want - rate) > TOLERANCE * (size + fabs (want)) + 1e-9 * size_more / STEP;
      check->want.f = want;
      check->got.f = rate;
      if (check->differs)
        check->where = g_strdup ("random values: directional derivative of the sum of u times the result, along one direction of the "
                                 "source");
    }
  }
  for (guint k = 0; k < eb->len; k++)
    g_free (g_array_index (eb, LsEvalBuffer, k).data);
  ls_node_map_release (ctx, map);
}

void
ls_check_gradient_step (LsTrace *trace, guint32 before, guint32 after, LsStepCheck *check)
{
  check_round (trace, before, after, FALSE, check);
  if (check->judged && !check->differs)
    check_round (trace, before, after, TRUE, check);
}
