/* The Tensor API: shapes, dtypes and the graphs that it builds. Values are checked end to end in tests/cases. */
#include <string.h>

#include "fixture.h"
#include "tensor/tensor.h"

#define N(x) ls_operand_node (x)
#define I(x) ls_operand_int (x)
#define F(x) ls_operand_float (x)

typedef struct { LsSession *session; LsTensors *t; LsContext *ctx; } Fixture;

static void
setup (Fixture *f, gconstpointer data)
{
  f->session = fixture_session (&(FixtureRun) { NULL });
  f->session->recording = FALSE;
  f->t = ls_tensors_new (ls_session_tensor_host (f->session));
  f->ctx = f->session->ctx;
}

static void
teardown (Fixture *f, gconstpointer data)
{
  ls_tensors_free (f->t);
  ls_session_free (f->session);
}

/* A tensor of host data of that shape. */
static LsUOp *
host (Fixture *f, LsDType dtype, guint n, const gint64 *dims)
{
  g_autofree guint8 *zeros = g_malloc0 (ls_shape_size ((LsShape) { n, dims }) * ls_dtype_itemsize (dtype) + 1);
  LsUOp *x = ls_tensor_host (f->t, dtype, n, dims, zeros);
  g_assert_nonnull (x);
  return x;
}
#define HOST(f, dtype, ...) host (f, dtype, G_N_ELEMENTS (((gint64[]) { __VA_ARGS__ })), (gint64[]) { __VA_ARGS__ })
#define DIMS(...) G_N_ELEMENTS (((gint64[]) { __VA_ARGS__ })), (gint64[]) { __VA_ARGS__ }

static void
assert_is (Fixture *f, LsUOp *x, LsDType dtype, const char *shape)
{
  g_autoptr (GError) error = ls_tensors_take_error (f->t);
  g_assert_no_error (error);
  g_assert_nonnull (x);
  g_autofree char *text = ls_shape_to_string (ls_uop_shape (f->ctx, x));
  g_assert_cmpstr (text, ==, shape);
  g_assert_cmpstr (ls_dtype_name (x->dtype), ==, ls_dtype_name (dtype));
}

static void
assert_fails (Fixture *f, LsUOp *x, LsError code, const char *message)
{
  g_autoptr (GError) error = ls_tensors_take_error (f->t);
  g_assert_null (x);
  g_assert_error (error, LS_ERROR, (int) code);
  g_assert_cmpstr (error->message, ==, message);
}

/* Ops on the way from root down the first sources: "ADD EXPAND RESHAPE". */
static char *
spine (LsUOp *x)
{
  GString *s = g_string_new (ls_op_name (x->op));
  while (x->n_src > 0) {
    x = x->src[0];
    g_string_append_printf (s, " %s", ls_op_name (x->op));
  }
  return g_string_free (s, FALSE);
}

static void
assert_spine (LsUOp *x, const char *expected)
{
  g_autofree char *text = spine (x);
  g_assert_cmpstr (text, ==, expected);
}

/* Every ALU node below root has sources of its own shape; no movement node changes nothing; no REDUCE_AXIS over no axes. */
static void
assert_well_made (Fixture *f, LsUOp *root)
{
  g_autoptr (GPtrArray) nodes = ls_uop_toposort (f->ctx, root);
  for (guint i = 0; i < nodes->len; i++) {
    LsUOp *u = nodes->pdata[i];
    LsShape shape = ls_uop_shape (f->ctx, u);
    for (guint k = 0; ls_op_is_alu (u->op) && k < u->n_src; k++)
      g_assert_true (ls_shape_equal (shape, ls_uop_shape (f->ctx, u->src[k])));
    for (guint k = 1; ls_op_is_alu (u->op) && u->op != LS_OP_WHERE && k < u->n_src; k++)
      g_assert_cmpuint (u->src[k]->dtype, ==, u->src[0]->dtype);
    if (u->op == LS_OP_RESHAPE || u->op == LS_OP_EXPAND || u->op == LS_OP_SHRINK || u->op == LS_OP_PAD)
      g_assert_false (ls_shape_equal (shape, ls_uop_shape (f->ctx, u->src[0])));
    if (u->op == LS_OP_REDUCE_AXIS)
      g_assert_cmpuint (u->arg.n, >, 0);
  }
}

static void
test_broadcast (Fixture *f, gconstpointer data)
{
  LsUOp *a = HOST (f, LS_FLOAT, 3, 1), *b = HOST (f, LS_FLOAT, 4), *i = HOST (f, LS_INT32, 3), *u = HOST (f, LS_UINT8, 3);
  assert_is (f, ls_tensor_add (f->t, N (a), N (b)), LS_FLOAT, "(3, 4)");
  assert_is (f, ls_tensor_add (f->t, N (i), I (2)), LS_INT32, "(3,)");
  assert_is (f, ls_tensor_add (f->t, N (i), F (0.5)), LS_WEAKFLOAT, "(3,)");
  assert_is (f, ls_tensor_add (f->t, N (u), N (i)), LS_INT32, "(3,)");
  assert_is (f, ls_tensor_div (f->t, N (i), I (2)), LS_FLOAT, "(3,)");
  assert_is (f, ls_tensor_lt (f->t, N (i), F (0.5)), LS_BOOL, "(3,)");
  assert_is (f, ls_tensor_where (f->t, ls_tensor_gt (f->t, N (a), I (0)), I (1), I (0)), LS_WEAKINT, "(3, 1)");
  assert_is (f, ls_tensor_where (f->t, ls_tensor_gt (f->t, N (a), I (0)), F (1), I (2)), LS_WEAKFLOAT, "(3, 1)");
  assert_is (f, ls_tensor_where (f->t, ls_tensor_gt (f->t, N (a), I (0)), N (u), I (2)), LS_UINT8, "(3, 3)");
  LsUOp *largest = ls_tensor_maximum (f->t, N (b), F (-2));
  g_assert_true (largest->op == LS_OP_MAX && largest->src[0] == b);
  assert_spine (largest->src[1], "EXPAND RESHAPE CONST");
  assert_is (f, ls_tensor_sqrt (f->t, i), LS_FLOAT, "(3,)");
  assert_spine (ls_tensor_add (f->t, I (2), N (i)), "ADD EXPAND RESHAPE CONST");
  assert_well_made (f, ls_tensor_softmax (f->t, ls_tensor_mul (f->t, N (a), N (b)), &(LsAxes) { .n = 1, .axes = { -1 } }, 0));
  /* x + 2 for a scalar x needs no movement. */
  assert_spine (ls_tensor_add (f->t, N (host (f, LS_FLOAT, 0, NULL)), I (2)), "ADD RESHAPE COPY BUFFER");
  assert_fails (f, ls_tensor_add (f->t, N (a), N (HOST (f, LS_FLOAT, 2, 4))), LS_ERROR_SHAPE, "add: shapes (3, 1) and (2, 4) cannot be broadcast");
  assert_fails (f, ls_tensor_bitwise_and (f->t, N (a), N (b)), LS_ERROR_DTYPE, "bitwise_and: needs integers or bools, not float");
}

static void
test_movement (Fixture *f, gconstpointer data)
{
  LsUOp *x = HOST (f, LS_INT32, 2, 3, 4);
  g_assert_true (ls_tensor_reshape (f->t, x, DIMS (2, 3, 4)) == x);
  g_assert_true (ls_tensor_permute (f->t, x, DIMS (0, -2, 2)) == x);
  g_assert_true (ls_tensor_flip (f->t, x, 0, NULL) == x);
  g_assert_true (ls_tensor_shrink (f->t, x, (gint64[]) { 0, 2, 0, 3, 0, 4 }) == x);
  g_assert_true (ls_tensor_pad (f->t, x, (gint64[]) { 0, 0, 0, 0, 0, 0 }, I (0)) == x);
  g_assert_true (ls_tensor_expand (f->t, x, DIMS (-1, 3, 4)) == x);
  assert_is (f, ls_tensor_reshape (f->t, x, DIMS (4, -1)), LS_INT32, "(4, 6)");
  assert_is (f, ls_tensor_permute (f->t, x, DIMS (2, 0, 1)), LS_INT32, "(4, 2, 3)");
  assert_is (f, ls_tensor_transpose (f->t, x, 0, -1), LS_INT32, "(4, 3, 2)");
  assert_is (f, ls_tensor_expand (f->t, x, DIMS (5, 2, 3, 4)), LS_INT32, "(5, 2, 3, 4)");
  assert_is (f, ls_tensor_pad (f->t, x, (gint64[]) { 1, 0, -1, 2, 0, 0 }, I (0)), LS_INT32, "(3, 4, 4)");
  assert_is (f, ls_tensor_pad (f->t, x, (gint64[]) { 1, 0, 0, 0, 0, 0 }, I (7)), LS_INT32, "(3, 3, 4)");
  assert_is (f, ls_tensor_flatten (f->t, x, 1, -1), LS_INT32, "(2, 12)");
  assert_is (f, ls_tensor_unflatten (f->t, x, -1, DIMS (2, -1)), LS_INT32, "(2, 3, 2, 2)");
  assert_is (f, ls_tensor_unsqueeze (f->t, x, -1), LS_INT32, "(2, 3, 4, 1)");
  assert_is (f, ls_tensor_squeeze (f->t, ls_tensor_unsqueeze (f->t, x, 1), TRUE, 0), LS_INT32, "(2, 3, 4)");
  assert_is (f, ls_tensor_repeat (f->t, x, DIMS (2, 1, 1, 3)), LS_INT32, "(2, 2, 3, 12)");
  assert_is (f, ls_tensor_roll (f->t, x, 1, (gint64[]) { 1 }, (gint64[]) { 2 }), LS_INT32, "(2, 3, 4)");
  assert_is (f, ls_tensor_cat (f->t, 2, (LsUOp *[]) { x, x }, 1), LS_INT32, "(2, 6, 4)");
  assert_is (f, ls_tensor_stack (f->t, 2, (LsUOp *[]) { x, x }, -1), LS_INT32, "(2, 3, 4, 2)");
  assert_spine (ls_tensor_flip (f->t, x, DIMS (1)), "FLIP RESHAPE COPY BUFFER");
  assert_fails (f, ls_tensor_reshape (f->t, x, DIMS (5, 5)), LS_ERROR_SHAPE, "reshape: shape (2, 3, 4) has 24 elements and cannot become (5, 5)");
  assert_fails (f, ls_tensor_expand (f->t, x, DIMS (2, 5, 4)), LS_ERROR_SHAPE, "expand: shape (2, 3, 4) cannot be expanded to (2, 5, 4)");
  assert_fails (f, ls_tensor_permute (f->t, x, DIMS (0, 0, 1)), LS_ERROR_SHAPE, "permute: (0, 0, 1) is no order of the axes of shape (2, 3, 4)");
  assert_fails (f, ls_tensor_shrink (f->t, x, (gint64[]) { 0, 3, 0, 3, 0, 4 }), LS_ERROR_SHAPE, "shrink: (0, 3) is no part of axis 0 of shape (2, 3, 4)");
  assert_fails (f, ls_tensor_cat (f->t, 2, (LsUOp *[]) { x, HOST (f, LS_INT32, 2, 2, 4) }, 0), LS_ERROR_SHAPE,
                "cat: shapes (2, 3, 4) and (2, 2, 4) cannot be joined along axis 0");
}

static void
test_index (Fixture *f, gconstpointer data)
{
  LsUOp *x = HOST (f, LS_INT32, 4, 6);
  LsIndexItem all = { .kind = LS_INDEX_SLICE, .step = 1 }, at = { .kind = LS_INDEX_INT, .start = -1 }, every = { .kind = LS_INDEX_SLICE, .step = 4 };
  LsIndexItem back = { .kind = LS_INDEX_SLICE, .step = -1 }, fresh = { .kind = LS_INDEX_NEW_AXIS }, rest = { .kind = LS_INDEX_ELLIPSIS };
  LsIndexItem none = { .kind = LS_INDEX_SLICE, .start = 3, .stop = 1, .step = 1, .has_start = TRUE, .has_stop = TRUE };
  LsIndexItem huge = { .kind = LS_INDEX_SLICE, .step = G_MAXINT64 };
  g_assert_true (ls_tensor_index (f->t, x, 1, &all) == x);
  assert_is (f, ls_tensor_index (f->t, x, 1, &at), LS_INT32, "(6,)");
  assert_is (f, ls_tensor_index (f->t, x, 2, (LsIndexItem[]) { rest, at }), LS_INT32, "(4,)");
  assert_is (f, ls_tensor_index (f->t, x, 2, (LsIndexItem[]) { all, every }), LS_INT32, "(4, 2)");
  assert_is (f, ls_tensor_index (f->t, x, 2, (LsIndexItem[]) { back, huge }), LS_INT32, "(4, 1)");
  assert_is (f, ls_tensor_index (f->t, x, 3, (LsIndexItem[]) { fresh, none, fresh }), LS_INT32, "(1, 0, 1, 6)");
  assert_is (f, ls_tensor_index (f->t, x, 0, NULL), LS_INT32, "(4, 6)");
  at.start = 4;
  assert_fails (f, ls_tensor_index (f->t, x, 1, &at), LS_ERROR_SHAPE, "index 4 is out of range for axis 0 of shape (4, 6)");
  assert_fails (f, ls_tensor_index (f->t, x, 3, (LsIndexItem[]) { all, all, all }), LS_ERROR_SHAPE, "3 indices are too many for shape (4, 6)");
}

static void
test_reduce (Fixture *f, gconstpointer data)
{
  LsUOp *x = HOST (f, LS_FLOAT, 2, 3, 1), *h = HOST (f, LS_HALF, 3), *u = HOST (f, LS_UINT8, 3), *b = HOST (f, LS_BOOL, 2, 2), *e = ls_tensor_full (f->t, DIMS (0, 3), I (0), LS_FLOAT);
  LsAxes all = ls_axes_all (), last = ls_axes_one (-1), first = ls_axes_one (0);
  assert_is (f, ls_tensor_sum (f->t, x, &all, FALSE, 0), LS_FLOAT, "()");
  assert_is (f, ls_tensor_sum (f->t, x, &all, TRUE, 0), LS_FLOAT, "(1, 1, 1)");
  assert_is (f, ls_tensor_sum (f->t, h, &all, FALSE, 0), LS_HALF, "()");
  assert_is (f, ls_tensor_sum (f->t, u, &all, FALSE, 0), LS_UINT32, "()");
  assert_is (f, ls_tensor_sum (f->t, b, &first, FALSE, 0), LS_INT32, "(2,)");
  assert_is (f, ls_tensor_max (f->t, b, &first, FALSE), LS_BOOL, "(2,)");
  assert_is (f, ls_tensor_mean (f->t, u, &all, FALSE), LS_FLOAT, "()");
  assert_is (f, ls_tensor_var (f->t, h, &all, FALSE, 1), LS_HALF, "()");
  assert_is (f, ls_tensor_argmax (f->t, x, FALSE, 1, TRUE), LS_INT32, "(2, 1, 1)");
  assert_is (f, ls_tensor_argmax (f->t, x, TRUE, 0, FALSE), LS_INT32, "()");
  assert_spine (ls_tensor_sum (f->t, x, &all, FALSE, 0), "RESHAPE REDUCE_AXIS RESHAPE COPY BUFFER");
  assert_spine (ls_tensor_sum (f->t, x, &last, FALSE, 0), "RESHAPE RESHAPE COPY BUFFER");      /* one element: no reduction */
  assert_spine (ls_tensor_sum (f->t, e, &first, FALSE, 0), "EXPAND RESHAPE CONST");             /* none: the neutral element */
  assert_fails (f, ls_tensor_argmax (f->t, e, FALSE, 0, FALSE), LS_ERROR_SHAPE, "argmax: axis 0 of shape (0, 3) is empty");
  assert_fails (f, ls_tensor_sum (f->t, x, &(LsAxes) { .n = 1, .axes = { 3 } }, FALSE, 0), LS_ERROR_SHAPE, "sum: axis 3 is out of range for a tensor of 3 axes");
}

static void
test_products (Fixture *f, gconstpointer data)
{
  LsUOp *a = HOST (f, LS_FLOAT, 2, 3), *b = HOST (f, LS_FLOAT, 3, 5), *v = HOST (f, LS_FLOAT, 3), *batch = HOST (f, LS_FLOAT, 7, 3, 5), *i = HOST (f, LS_UINT8, 3);
  assert_is (f, ls_tensor_dot (f->t, a, b, 0), LS_FLOAT, "(2, 5)");
  assert_is (f, ls_tensor_dot (f->t, a, v, 0), LS_FLOAT, "(2,)");
  assert_is (f, ls_tensor_dot (f->t, v, b, 0), LS_FLOAT, "(5,)");
  assert_is (f, ls_tensor_dot (f->t, v, v, 0), LS_FLOAT, "()");
  assert_is (f, ls_tensor_dot (f->t, a, batch, 0), LS_FLOAT, "(7, 2, 5)");
  assert_is (f, ls_tensor_dot (f->t, i, i, 0), LS_UINT8, "()");
  assert_is (f, ls_tensor_linear (f->t, a, b, HOST (f, LS_FLOAT, 5)), LS_FLOAT, "(2, 5)");
  assert_well_made (f, ls_tensor_dot (f->t, a, batch, 0));
  assert_spine (ls_tensor_dot (f->t, a, b, 0), "RESHAPE REDUCE_AXIS MUL EXPAND RESHAPE RESHAPE COPY BUFFER");
  assert_fails (f, ls_tensor_dot (f->t, a, a, 0), LS_ERROR_SHAPE, "matmul: shapes (2, 3) and (2, 3) do not fit: 3 columns against 2 rows");
}

static void
test_creation (Fixture *f, gconstpointer data)
{
  assert_is (f, ls_tensor_arange (f->t, I (0), I (10), I (1), 0), LS_INT32, "(10,)");
  assert_is (f, ls_tensor_arange (f->t, F (0), F (1), F (0.25), 0), LS_FLOAT, "(4,)");
  assert_is (f, ls_tensor_arange (f->t, I (5), I (0), I (1), 0), LS_INT32, "(0,)");
  assert_is (f, ls_tensor_arange (f->t, I (0), I ((gint64) 1 << 40), I ((gint64) 1 << 38), 0), LS_INT64, "(4,)");
  assert_is (f, ls_tensor_eye (f->t, 3, 5, 0), LS_FLOAT, "(3, 5)");
  assert_is (f, ls_tensor_eye (f->t, 5, 3, LS_INT8), LS_INT8, "(5, 3)");
  assert_is (f, ls_tensor_linspace (f->t, I (0), I (1), 5, 0), LS_FLOAT, "(5,)");
  assert_is (f, ls_tensor_full (f->t, DIMS (2, 3), I (7), 0), LS_INT32, "(2, 3)");
  assert_is (f, ls_tensor_triu (f->t, HOST (f, LS_INT32, 2, 3, 4), 1), LS_INT32, "(2, 3, 4)");
  assert_is (f, ls_tensor_cumulative (f->t, HOST (f, LS_FLOAT, 3, 700), LS_OP_ADD, 1), LS_FLOAT, "(3, 700)");
  assert_is (f, ls_tensor_cumulative (f->t, HOST (f, LS_FLOAT, 3, 5), LS_OP_MAX, 0), LS_FLOAT, "(3, 5)");
  assert_well_made (f, ls_tensor_arange (f->t, I (3), I (100), I (2), 0));
  assert_fails (f, ls_tensor_arange (f->t, I (0), I (3), I (0), 0), LS_ERROR_SHAPE, "arange: the step is 0");
}

/* Equal expressions are the same nodes, and an error passes through what follows. */
static void
test_sharing (Fixture *f, gconstpointer data)
{
  LsUOp *x = HOST (f, LS_FLOAT, 4);
  LsUOp *a = ls_tensor_gelu (f->t, x, TRUE);
  guint n = ls_context_n_nodes (f->ctx);
  g_assert_true (ls_tensor_gelu (f->t, x, TRUE) == a);
  g_assert_cmpuint (ls_context_n_nodes (f->ctx), ==, n);
  g_assert_true (ls_tensor_contiguous (f->t, x) == x);
  g_assert_cmpint (ls_tensor_clone (f->t, x)->op, ==, LS_OP_CONTIGUOUS);
  LsUOp *bad = ls_tensor_reshape (f->t, x, DIMS (3));
  assert_fails (f, ls_tensor_relu (f->t, ls_tensor_add (f->t, N (bad), I (1))), LS_ERROR_SHAPE, "reshape: shape (4,) has 4 elements and cannot become (3,)");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add ("/tensor/" #name, Fixture, NULL, setup, test_##name, teardown)
  ADD (broadcast);
  ADD (movement);
  ADD (index);
  ADD (reduce);
  ADD (products);
  ADD (creation);
  ADD (sharing);
  return g_test_run ();
}
