/* The primitives of tensors: what each takes, refuses and makes. Values are checked end to end in tests/cases. */
#include <string.h>

#include "fixture.h"
#include "tensor/tensor.h"

typedef struct { LsSession *session; LsTensors *t; LsContext *ctx; } Fixture;

static void
setup (Fixture *f, gconstpointer data)
{
  f->session = fixture_session (&(FixtureRun) { NULL });
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
#define INTS(...) G_N_ELEMENTS (((gint64[]) { __VA_ARGS__ })), (gint64[]) { __VA_ARGS__ }
#define HOST(f, dtype, ...) host (f, dtype, INTS (__VA_ARGS__))

static void
assert_is (Fixture *f, LsUOp *x, LsOp op, LsDType dtype, const char *shape)
{
  g_autoptr (GError) error = ls_tensors_take_error (f->t);
  g_assert_no_error (error);
  g_assert_nonnull (x);
  g_autofree char *text = ls_shape_to_string (ls_uop_shape (f->ctx, x));
  g_assert_cmpstr (text, ==, shape);
  g_assert_cmpstr (ls_op_name (x->op), ==, ls_op_name (op));
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

static void
test_movement (Fixture *f, gconstpointer data)
{
  LsUOp *x = HOST (f, LS_FLOAT, 2, 3, 4);
  assert_is (f, ls_tensor_reshape (f->t, x, INTS (6, 4)), LS_OP_RESHAPE, LS_FLOAT, "(6, 4)");
  assert_is (f, ls_tensor_permute (f->t, x, INTS (2, 0, 1)), LS_OP_PERMUTE, LS_FLOAT, "(4, 2, 3)");
  assert_is (f, ls_tensor_flip (f->t, x, INTS (1)), LS_OP_FLIP, LS_FLOAT, "(2, 3, 4)");
  assert_is (f, ls_tensor_shrink (f->t, x, INTS (0, 1, 1, 3, 0, 4)), LS_OP_SHRINK, LS_FLOAT, "(1, 2, 4)");
  assert_is (f, ls_tensor_pad (f->t, x, INTS (0, 0, 1, 2, 0, 0)), LS_OP_PAD, LS_FLOAT, "(2, 6, 4)");
  LsUOp *thin = ls_tensor_reshape (f->t, x, INTS (2, 1, 12));
  assert_is (f, ls_tensor_expand (f->t, thin, INTS (2, 5, 12)), LS_OP_EXPAND, LS_FLOAT, "(2, 5, 12)");
  /* what changes nothing makes no node */
  g_assert_true (ls_tensor_reshape (f->t, x, INTS (2, 3, 4)) == x);
  g_assert_true (ls_tensor_expand (f->t, x, INTS (2, 3, 4)) == x);
  g_assert_true (ls_tensor_permute (f->t, x, INTS (0, 1, 2)) == x);
  g_assert_true (ls_tensor_flip (f->t, x, 0, NULL) == x);
  g_assert_true (ls_tensor_shrink (f->t, x, INTS (0, 2, 0, 3, 0, 4)) == x);
  g_assert_true (ls_tensor_pad (f->t, x, INTS (0, 0, 0, 0, 0, 0)) == x);
}

static void
test_refusals (Fixture *f, gconstpointer data)
{
  LsUOp *x = HOST (f, LS_FLOAT, 2, 3), *y = HOST (f, LS_FLOAT, 3, 2), *i = HOST (f, LS_INT32, 2, 3);
  assert_fails (f, ls_tensor_reshape (f->t, x, INTS (4)), LS_ERROR_SHAPE,
                "reshape: shape (2, 3) cannot become (4,): the numbers of elements differ");
  assert_fails (f, ls_tensor_reshape (f->t, x, INTS (-6)), LS_ERROR_SHAPE, "reshape: shape (-6,) has a negative size");
  assert_fails (f, ls_tensor_expand (f->t, x, INTS (4, 3)), LS_ERROR_SHAPE, "expand: shape (2, 3) cannot be expanded to (4, 3)");
  assert_fails (f, ls_tensor_expand (f->t, x, INTS (2, 3, 1)), LS_ERROR_SHAPE, "expand: shape (2, 3) cannot be expanded to (2, 3, 1)");
  assert_fails (f, ls_tensor_permute (f->t, x, INTS (0, 0)), LS_ERROR_SHAPE, "permute: the axes of shape (2, 3) cannot be ordered (0, 0)");
  assert_fails (f, ls_tensor_flip (f->t, x, INTS (2)), LS_ERROR_SHAPE, "flip: shape (2, 3) does not have each of the axes (2,) once");
  assert_fails (f, ls_tensor_shrink (f->t, x, INTS (0, 3, 0, 3)), LS_ERROR_SHAPE,
                "shrink: the bounds are outside shape (2, 3): (0, 3, 0, 3)");
  assert_fails (f, ls_tensor_shrink (f->t, x, INTS (0, 1)), LS_ERROR_SHAPE, "shrink: the bounds are outside shape (2, 3): (0, 1)");
  assert_fails (f, ls_tensor_pad (f->t, x, INTS (0, -1, 0, 0)), LS_ERROR_SHAPE, "pad: shape (2, 3) cannot be padded by (0, -1, 0, 0)");
  assert_fails (f, ls_tensor_binary (f->t, LS_OP_ADD, x, y), LS_ERROR_SHAPE, "ADD: operands float (2, 3) and float (3, 2) do not match");
  assert_fails (f, ls_tensor_binary (f->t, LS_OP_ADD, x, i), LS_ERROR_DTYPE, "ADD: operands float (2, 3) and int (2, 3) do not match");
  assert_fails (f, ls_tensor_binary (f->t, LS_OP_SHL, x, x), LS_ERROR_DTYPE, "SHL does not take float");
  assert_fails (f, ls_tensor_unary (f->t, LS_OP_SQRT, i), LS_ERROR_DTYPE, "SQRT does not take int");
  assert_fails (f, ls_tensor_where (f->t, i, x, x), LS_ERROR_SHAPE, "WHERE: the condition is int (2, 3), not bool (2, 3)");
  assert_fails (f, ls_tensor_reduce (f->t, LS_OP_ADD, x, INTS (2)), LS_ERROR_SHAPE, "reduce: axis 2 is out of range for shape (2, 3)");
  assert_fails (f, ls_tensor_reduce (f->t, LS_OP_ADD, x, INTS (1, 1)), LS_ERROR_SHAPE, "reduce: axis 1 is given twice for shape (2, 3)");
  assert_fails (f, ls_tensor_reduce (f->t, LS_OP_SUB, x, INTS (1)), LS_ERROR_DTYPE, "SUB is not a reduce op; ADD, MUL and MAX are");
  assert_fails (f, ls_tensor_bitcast (f->t, x, LS_INT64), LS_ERROR_DTYPE, "bitcast: float cannot be read as long");
  /* the first failure is the one that is kept, and nothing is made of nothing */
  LsUOp *none = ls_tensor_unary (f->t, LS_OP_SQRT, ls_tensor_reshape (f->t, x, INTS (4)));
  assert_fails (f, none, LS_ERROR_SHAPE, "reshape: shape (2, 3) cannot become (4,): the numbers of elements differ");
}

/* Sizes whose product overflows are refused before memory is touched. */
static void
test_sizes (Fixture *f, gconstpointer data)
{
  LsUOp *one = HOST (f, LS_FLOAT, 1, 1, 1);
  gint64 large = (gint64) 1 << 30;
  assert_fails (f, ls_tensor_expand (f->t, one, INTS (large, large, large)), LS_ERROR_SHAPE,
                "expand: a tensor of shape (1073741824, 1073741824, 1073741824) is too large");
  gint64 many[LS_MAX_DIMS + 1];
  for (guint i = 0; i < G_N_ELEMENTS (many); i++)
    many[i] = 1;
  assert_fails (f, ls_tensor_reshape (f->t, one, G_N_ELEMENTS (many), many), LS_ERROR_SHAPE, "reshape: too many axes: 65 (at most 64)");
}

static void
test_alu (Fixture *f, gconstpointer data)
{
  LsUOp *x = HOST (f, LS_FLOAT, 2, 3), *b = HOST (f, LS_BOOL, 2, 3);
  assert_is (f, ls_tensor_unary (f->t, LS_OP_SQRT, x), LS_OP_SQRT, LS_FLOAT, "(2, 3)");
  assert_is (f, ls_tensor_binary (f->t, LS_OP_MUL, x, x), LS_OP_MUL, LS_FLOAT, "(2, 3)");
  assert_is (f, ls_tensor_binary (f->t, LS_OP_CMPLT, x, x), LS_OP_CMPLT, LS_BOOL, "(2, 3)");
  assert_is (f, ls_tensor_binary (f->t, LS_OP_ADD, b, b), LS_OP_OR, LS_BOOL, "(2, 3)");
  assert_is (f, ls_tensor_binary (f->t, LS_OP_MUL, b, b), LS_OP_AND, LS_BOOL, "(2, 3)");
  assert_is (f, ls_tensor_where (f->t, b, x, x), LS_OP_WHERE, LS_FLOAT, "(2, 3)");
  assert_is (f, ls_tensor_cast (f->t, x, LS_HALF), LS_OP_CAST, LS_HALF, "(2, 3)");
  assert_is (f, ls_tensor_bitcast (f->t, x, LS_INT32), LS_OP_BITCAST, LS_INT32, "(2, 3)");
  g_assert_true (ls_tensor_cast (f->t, x, LS_FLOAT) == x);
  g_assert_true (ls_tensor_contiguous (f->t, x) == x);
  assert_is (f, ls_tensor_contiguous (f->t, ls_tensor_permute (f->t, x, INTS (1, 0))), LS_OP_CONTIGUOUS, LS_FLOAT, "(3, 2)");
  assert_is (f, ls_tensor_clone (f->t, x), LS_OP_CONTIGUOUS, LS_FLOAT, "(2, 3)");
}

static void
test_reduce (Fixture *f, gconstpointer data)
{
  LsUOp *x = HOST (f, LS_INT32, 2, 1, 4), *none = HOST (f, LS_FLOAT, 2, 0);
  LsUOp *sum = ls_tensor_reduce (f->t, LS_OP_ADD, x, INTS (2, 1));
  assert_is (f, sum, LS_OP_REDUCE_AXIS, LS_INT32, "(2, 1, 1)");
  g_assert_cmpuint (sum->arg.n, ==, 1);      /* an axis of size 1 is reduced already */
  g_assert_true (ls_tensor_reduce (f->t, LS_OP_MAX, x, INTS (1)) == x);
  assert_is (f, ls_tensor_reduce (f->t, LS_OP_ADD, none, INTS (1)), LS_OP_EXPAND, LS_FLOAT, "(2, 1)");
}

/* Nodes belong to the call that was innermost when they were made; one that is asked for again belongs to that call too. */
static void
test_calls (Fixture *f, gconstpointer data)
{
  LsUOp *x = HOST (f, LS_FLOAT, 2, 3);
  LsTrace *trace = f->session->trace;
  guint before = trace->node_calls->len;
  ls_tensors_open_call (f->t, &(LsCall) { .name = "outer", .args = "", .file = -1, .def_file = -1 });
  LsUOp *a = ls_tensor_unary (f->t, LS_OP_NEG, x);
  ls_tensors_open_call (f->t, &(LsCall) { .name = "inner", .args = "", .file = -1, .def_file = -1 });
  LsUOp *b = ls_tensor_unary (f->t, LS_OP_SQRT, a);
  ls_tensors_call_result (f->t, b);
  ls_tensors_close_call (f->t);
  LsUOp *c = ls_tensor_unary (f->t, LS_OP_NEG, x);
  ls_tensors_close_call (f->t);
  g_assert_true (a == c);
  g_assert_cmpuint (trace->calls->len, ==, 2);
  g_assert_cmpint (g_array_index (trace->calls, LsCall, 1).parent, ==, 0);
  g_assert_cmpuint (g_array_index (trace->calls, LsCall, 1).node, ==, b->id);
  g_assert_cmpuint (g_array_index (trace->calls, LsCall, 0).node, ==, b->id);
  const struct { guint32 node; guint call; } expected[] = { { a->id, 0 }, { b->id, 1 }, { a->id, 0 } };
  guint n = 0;
  for (guint i = before; i < trace->node_calls->len; i++) {
    const LsNodeCall *nc = &g_array_index (trace->node_calls, LsNodeCall, i);
    g_assert_cmpuint (n, <, G_N_ELEMENTS (expected));
    g_assert_cmpuint (nc->node, ==, expected[n].node);
    g_assert_cmpuint (nc->call, ==, expected[n].call);
    n++;
  }
  g_assert_cmpuint (n, ==, G_N_ELEMENTS (expected));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/tensor/movement", Fixture, NULL, setup, test_movement, teardown);
  g_test_add ("/tensor/refusals", Fixture, NULL, setup, test_refusals, teardown);
  g_test_add ("/tensor/sizes", Fixture, NULL, setup, test_sizes, teardown);
  g_test_add ("/tensor/alu", Fixture, NULL, setup, test_alu, teardown);
  g_test_add ("/tensor/reduce", Fixture, NULL, setup, test_reduce, teardown);
  g_test_add ("/tensor/calls", Fixture, NULL, setup, test_calls, teardown);
  return g_test_run ();
}
