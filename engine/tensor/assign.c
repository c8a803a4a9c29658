/* Memory that is written to: assignments as nodes, and memory that nothing was written to.
 *
 * A target is a chain of movements over its memory. The same chain over the ASSIGN is the target afterwards.
 */
#include "tensor.h"

gboolean
ls_tensor_is_memory (const LsUOp *base)
{
  return base->op == LS_OP_COPY || base->op == LS_OP_BUFFER || base->op == LS_OP_ASSIGN ||
         (base->op == LS_OP_CONTIGUOUS && base->tag != 0 && base->tag < LS_TAG_AGAIN);
}

static gboolean
has_memory (LsTensors *t, LsUOp *x)
{
  const LsTensorHost *host = ls_tensors_host (t);
  return ls_tensor_is_memory (x) || (host->has_memory && host->has_memory (host->self, x));
}

/* Does a write to u continue to its source? */
static gboolean
is_view (LsTensors *t, LsUOp *u)
{
  return (u->op == LS_OP_BITCAST || u->op == LS_OP_RESHAPE || u->op == LS_OP_PERMUTE || u->op == LS_OP_SHRINK || u->op == LS_OP_FLIP ||
          ls_op_is_slice (u->op) || u->op == LS_OP_DETACH) && !has_memory (t, u);
}

gboolean
ls_tensor_is_same (const LsUOp *x, const LsUOp *y)
{
  while (x != y) {
    gboolean views = ls_op_is_movement (x->op) || ls_op_is_slice (x->op) || x->op == LS_OP_BITCAST;
    if (!views || x->op != y->op || x->dtype != y->dtype || !ls_arg_equal (x->arg, y->arg) ||
        (x->n_src > 1 && x->src[1] != y->src[1]))
      return FALSE;
    x = x->src[0];
    y = y->src[0];
  }
  return TRUE;
}

/* x as a view of to, if it is a view of from; else NULL. */
static LsUOp *
over (LsTensors *t, LsUOp *x, LsUOp *from, LsUOp *to)
{
  LsContext *ctx = ls_tensors_context (t);
  g_autoptr (GPtrArray) chain = g_ptr_array_new ();
  for (; x != from; x = x->src[0])
    if (!is_view (t, x))
      return NULL;
    else if (x->op != LS_OP_DETACH)
      g_ptr_array_add (chain, x);
  for (guint i = chain->len; i-- > 0;) {
    const LsUOp *u = chain->pdata[i];
    LsUOp *src[2] = { to, u->n_src > 1 ? u->src[1] : NULL };
    to = ls_uop_new (ctx, u->op, u->op == LS_OP_BITCAST ? u->dtype : to->dtype, u->n_src, src, u->arg);
  }
  return to;
}

/* The view without the bitcasts on its way to the memory. */
static LsUOp *
without_bitcasts (LsTensors *t, LsUOp *x)
{
  LsContext *ctx = ls_tensors_context (t);
  g_autoptr (GPtrArray) chain = g_ptr_array_new ();
  LsUOp *plain = x;
  gboolean any = FALSE;
  for (; is_view (t, plain); plain = plain->src[0]) {
    any |= plain->op == LS_OP_BITCAST;
    if (plain->op != LS_OP_BITCAST && plain->op != LS_OP_DETACH)
      g_ptr_array_add (chain, plain);
  }
  for (guint i = chain->len; any && i-- > 0;) {
    const LsUOp *u = chain->pdata[i];
    LsUOp *src[2] = { plain, u->n_src > 1 ? u->src[1] : NULL };
    plain = ls_uop_new (ctx, u->op, plain->dtype, u->n_src, src, u->arg);
  }
  return any ? plain : x;
}

LsUOp *
ls_tensor_after (LsTensors *t, LsUOp *x, LsUOp *base, LsUOp *now)
{
  LsUOp *after = x ? over (t, x, base, now) : NULL;
  return after ? after : x;
}

LsUOp *
ls_tensor_assign (LsTensors *t, LsUOp *target, LsUOp *value, LsUOp **base, LsUOp **now)
{
  LsUOp *memory = target;
  if (base)
    *base = NULL;
  if (now)
    *now = NULL;
  if (!target || !value)
    return NULL;
  LsShape shape = ls_tensors_shape (t, target), other = ls_tensors_shape (t, value);
  if (!ls_shape_equal (shape, other) && (shape.sizes || other.sizes)) {      /* of sizes that are the same in number only */
    target = ls_tensor_fixed (t, target);
    value = ls_tensor_fixed (t, value);
    shape = ls_tensors_shape (t, target);
    other = ls_tensors_shape (t, value);
  }
  if (!ls_shape_equal (shape, other)) {
    g_autofree char *a = ls_shape_to_string (shape), *b = ls_shape_to_string (other);
    return ls_tensors_fail (t, LS_ERROR_SHAPE, "assign: a value of shape %s does not fit a target of shape %s", b, a);
  }
  if (target->dtype != value->dtype)
    return ls_tensors_fail (t, LS_ERROR_DTYPE, "assign: a value of %s does not fit a target of %s", ls_dtype_name (value->dtype),
                            ls_dtype_name (target->dtype));
  if (target == value)
    return target;
  /* bits are written in the memory's dtype: a view as another dtype is written through the same movements of the memory itself */
  LsUOp *plain = without_bitcasts (t, target);
  if (plain != target) {
    LsUOp *written = ls_tensor_assign (t, plain, ls_tensor_bitcast (t, value, plain->dtype), base, now);
    return written ? ls_tensor_bitcast (t, written, target->dtype) : NULL;
  }
  gboolean sliced = FALSE;
  for (; is_view (t, memory); memory = memory->src[0])
    sliced |= ls_op_is_slice (memory->op);
  gint64 size = ls_shape_size (shape);
  gboolean whole = !sliced && size == ls_shape_size (ls_tensors_shape (t, memory)), mine = has_memory (t, memory);
  if (size == 0)
    return target;
  if (whole && !mine)      /* the old contents are not needed */
    return ls_tensors_node1 (t, LS_OP_CONTIGUOUS, value->dtype, value, ls_arg_none ());
  LsUOp *m = mine || memory->op == LS_OP_CONTIGUOUS ? memory :
             ls_tensors_node1 (t, LS_OP_CONTIGUOUS, memory->dtype, memory, ls_arg_none ());
  LsUOp *src[] = { m, over (t, target, memory, m), value };
  LsUOp *after = ls_tensors_node (t, LS_OP_ASSIGN, m->dtype, 3, src, ls_arg_none ());
  if (base)
    *base = memory;
  if (now)
    *now = after;
  return over (t, target, memory, after);
}

LsUOp *
ls_tensor_empty (LsTensors *t, LsDType dtype, guint n, const gint64 *dims)
{
  const LsTensorHost *host = ls_tensors_host (t);
  GError *error = NULL;
  LsUOp *memory = host->empty (host->self, dtype, ls_shape_size ((LsShape) { n, dims }), &error);
  if (!memory) {
    ls_tensors_fail (t, error ? error->code : LS_ERROR_RUN, "empty: %s", error ? error->message : "no memory");
    g_clear_error (&error);
  }
  return ls_tensor_reshape (t, memory, n, dims);
}
