/* Elementwise operations that map to one ALU op, and the promotion and broadcasting that precede it.
 *
 * Both operands are brought to the least dtype that holds them and to one shape; a Python number becomes a constant of
 * that dtype directly. Compositions of these are in functions.c.
 */
#include "tensor.h"

#include <math.h>

#define N(x) ls_operand_node (x)
#define I(x) ls_operand_int (x)
#define F(x) ls_operand_float (x)

static LsUOp *
broadcast_to (LsTensors *t, LsUOp *x, LsShape shape)
{
  return x && ls_shape_equal (ls_tensors_shape (t, x), shape) ? x : ls_tensor_expand (t, x, shape.n, shape.dims);
}

/* The shape that a and b are both expanded to, in dims. */
static gboolean
common_shape (LsTensors *t, const char *name, LsShape a, LsShape b, LsShape *shape, gint64 *dims)
{
  guint n = MAX (a.n, b.n);
  for (guint i = 0; i < n; i++) {
    gint64 x = i < n - a.n ? 1 : a.dims[i - (n - a.n)], y = i < n - b.n ? 1 : b.dims[i - (n - b.n)];
    if (x != y && x != 1 && y != 1) {
      g_autofree char *left = ls_shape_to_string (a), *right = ls_shape_to_string (b);
      ls_tensors_fail (t, LS_ERROR_SHAPE, "%s: shapes %s and %s cannot be broadcast", name, left, right);
      return FALSE;
    }
    dims[i] = x == 1 ? y : x;
  }
  *shape = (LsShape) { n, dims };
  return TRUE;
}

static LsShape
operand_shape (LsTensors *t, LsOperand o)
{
  return o.node ? ls_tensors_shape (t, o.node) : (LsShape) { 0, NULL };
}

/* An integer that dtype cannot hold as it stands. */
static gboolean
does_not_fit (LsOperand o, LsDType dtype)
{
  if (o.node || o.weak == LS_WEAKFLOAT || !ls_dtype_is_int (dtype))
    return FALSE;
  return o.value.i < ls_dtype_min_i (dtype) || (o.value.i > 0 && (guint64) o.value.i > ls_dtype_max_u (dtype));
}

static gboolean
broadcasted (LsTensors *t, const char *name, LsOperand a, LsOperand b, gboolean compare, LsUOp **x, LsUOp **y)
{
  if (!ls_operand_dtype (a) || !ls_operand_dtype (b))
    return FALSE;
  gint64 dims[LS_MAX_DIMS];
  LsShape shape;
  if (!common_shape (t, name, operand_shape (t, a), operand_shape (t, b), &shape, dims))
    return FALSE;
  LsDType dtype = ls_dtype_promote (ls_operand_dtype (a), ls_operand_dtype (b));
  if (compare && (does_not_fit (a, dtype) || does_not_fit (b, dtype)))
    dtype = LS_INT64;      /* 300 is larger than any uint8, not 44 */
  ls_tensors_begin (t, "_broadcasted", "oo", &a, &b);
  *x = broadcast_to (t, ls_tensor_const (t, a, dtype), shape);
  *y = broadcast_to (t, ls_tensor_const (t, b, dtype), shape);
  ls_tensors_end (t, NULL);
  return *x && *y;
}

static LsUOp *
alu1 (LsTensors *t, LsOp op, LsUOp *x)
{
  return x ? ls_uop_alu1 (ls_tensors_context (t), op, x) : NULL;
}

static LsUOp *
alu2 (LsTensors *t, LsOp op, LsUOp *x, LsUOp *y)
{
  return x && y ? ls_uop_alu2 (ls_tensors_context (t), op, x, y) : NULL;
}

/* An op that takes any dtype; of bools, bool_op says the same. */
static LsUOp *
binary (LsTensors *t, const char *name, LsOp op, LsOp bool_op, LsOperand a, LsOperand b)
{
  LsUOp *x, *y, *result = NULL;
  ls_tensors_begin (t, name, "oo", &a, &b);
  if (broadcasted (t, name, a, b, ls_op_is_comparison (op), &x, &y))
    result = alu2 (t, ls_dtype_is_bool (x->dtype) ? bool_op : op, x, y);
  return ls_tensors_end (t, result);
}

/* An op of integers (and bools, when bools is set). */
static LsUOp *
integer_binary (LsTensors *t, const char *name, LsOp op, gboolean bools, LsOperand a, LsOperand b)
{
  LsUOp *x, *y, *result = NULL;
  ls_tensors_begin (t, name, "oo", &a, &b);
  if (broadcasted (t, name, a, b, FALSE, &x, &y)) {
    if (ls_dtype_is_int (x->dtype) || (bools && ls_dtype_is_bool (x->dtype)))
      result = alu2 (t, op, x, y);
    else
      ls_tensors_fail (t, LS_ERROR_DTYPE, "%s: needs integers%s, not %s", name, bools ? " or bools" : "", ls_dtype_name (x->dtype));
  }
  return ls_tensors_end (t, result);
}

#define BINARY(name, op, bool_op) \
  LsUOp *ls_tensor_##name (LsTensors *t, LsOperand a, LsOperand b) { return binary (t, #name, LS_OP_##op, LS_OP_##bool_op, a, b); }
BINARY (add, ADD, OR)
BINARY (mul, MUL, AND)
BINARY (maximum, MAX, OR)
BINARY (eq, CMPEQ, CMPEQ)
BINARY (ne, CMPNE, CMPNE)
BINARY (lt, CMPLT, CMPLT)

#define INTEGER(name, op, bools) \
  LsUOp *ls_tensor_##name (LsTensors *t, LsOperand a, LsOperand b) { return integer_binary (t, #name, LS_OP_##op, bools, a, b); }
INTEGER (bitwise_and, AND, TRUE)
INTEGER (bitwise_or, OR, TRUE)
INTEGER (bitwise_xor, XOR, TRUE)
INTEGER (lshift, SHL, FALSE)
INTEGER (rshift, SHR, FALSE)

LsUOp *
ls_tensor_sub (LsTensors *t, LsOperand a, LsOperand b)
{
  LsUOp *x, *y, *result = NULL;
  ls_tensors_begin (t, "sub", "oo", &a, &b);
  if (broadcasted (t, "sub", a, b, FALSE, &x, &y))
    result = ls_dtype_is_bool (x->dtype) ? alu2 (t, LS_OP_OR, x, alu1 (t, LS_OP_NOT, y)) : alu2 (t, LS_OP_SUB, x, y);
  return ls_tensors_end (t, result);
}

/* a > b is b < a; "not less" is how >= and <= are said, so that they hold where a NaN is compared. */
LsUOp *
ls_tensor_gt (LsTensors *t, LsOperand a, LsOperand b)
{
  LsUOp *x, *y, *result = NULL;
  ls_tensors_begin (t, "gt", "oo", &a, &b);
  if (broadcasted (t, "gt", a, b, TRUE, &x, &y))
    result = alu2 (t, LS_OP_CMPLT, y, x);
  return ls_tensors_end (t, result);
}

LsUOp *
ls_tensor_ge (LsTensors *t, LsOperand a, LsOperand b)
{
  ls_tensors_begin (t, "ge", "oo", &a, &b);
  return ls_tensors_end (t, ls_tensor_logical_not (t, ls_tensor_lt (t, a, b)));
}

LsUOp *
ls_tensor_le (LsTensors *t, LsOperand a, LsOperand b)
{
  ls_tensors_begin (t, "le", "oo", &a, &b);
  return ls_tensors_end (t, ls_tensor_logical_not (t, ls_tensor_gt (t, a, b)));
}

/* Floats: -max(-a, -b). Integers: complement reverses their order, signed or not. */
LsUOp *
ls_tensor_minimum (LsTensors *t, LsOperand a, LsOperand b)
{
  LsUOp *x, *y, *result = NULL;
  ls_tensors_begin (t, "minimum", "oo", &a, &b);
  if (broadcasted (t, "minimum", a, b, FALSE, &x, &y)) {
    LsOp inverse = ls_dtype_is_float (x->dtype) ? LS_OP_NEG : LS_OP_NOT;
    if (ls_dtype_is_bool (x->dtype))
      result = alu2 (t, LS_OP_AND, x, y);
    else
      result = alu1 (t, inverse, alu2 (t, LS_OP_MAX, alu1 (t, inverse, x), alu1 (t, inverse, y)));
  }
  return ls_tensors_end (t, result);
}

LsUOp *
ls_tensor_div (LsTensors *t, LsOperand a, LsOperand b)
{
  LsUOp *x, *y, *result = NULL;
  ls_tensors_begin (t, "div", "oo", &a, &b);
  LsDType dtype = ls_operand_dtype (a) && ls_operand_dtype (b) ? ls_dtype_promote (ls_operand_dtype (a), ls_operand_dtype (b)) : 0;
  if (dtype && !ls_dtype_is_float (dtype)) {
    /* A number stays one, so that it becomes a float constant instead of a cast. */
    a = a.node ? N (ls_tensor_cast (t, a.node, LS_FLOAT)) : F ((double) a.value.i);
    b = b.node ? N (ls_tensor_cast (t, b.node, LS_FLOAT)) : F ((double) b.value.i);
  }
  if (broadcasted (t, "div", a, b, FALSE, &x, &y))
    result = alu2 (t, LS_OP_FDIV, x, y);
  return ls_tensors_end (t, result);
}

/* int_op of integers, else the quotient rounded by round. */
static LsUOp *
rounded_div (LsTensors *t, const char *name, LsOp int_op, LsUOp *(*rounding) (LsTensors *, LsUOp *), LsOperand a, LsOperand b)
{
  LsUOp *x, *y, *result = NULL;
  ls_tensors_begin (t, name, "oo", &a, &b);
  if (broadcasted (t, name, a, b, FALSE, &x, &y)) {
    if (ls_dtype_is_int (x->dtype))
      result = alu2 (t, int_op, x, y);
    else
      result = rounding (t, ls_tensor_div (t, a, b));
  }
  return ls_tensors_end (t, result);
}

LsUOp *ls_tensor_floordiv (LsTensors *t, LsOperand a, LsOperand b) { return rounded_div (t, "floordiv", LS_OP_FLOORDIV, ls_tensor_floor, a, b); }
LsUOp *ls_tensor_truncdiv (LsTensors *t, LsOperand a, LsOperand b) { return rounded_div (t, "truncdiv", LS_OP_IDIV, ls_tensor_trunc, a, b); }

static LsUOp *
remainder_of (LsTensors *t, const char *name, LsOp int_op, LsUOp *(*divide) (LsTensors *, LsOperand, LsOperand), LsOperand a, LsOperand b)
{
  LsUOp *x, *y, *result = NULL;
  ls_tensors_begin (t, name, "oo", &a, &b);
  if (broadcasted (t, name, a, b, FALSE, &x, &y)) {
    if (ls_dtype_is_int (x->dtype))
      result = alu2 (t, int_op, x, y);
    else
      result = ls_tensor_sub (t, N (x), N (ls_tensor_mul (t, N (divide (t, N (x), N (y))), N (y))));
  }
  return ls_tensors_end (t, result);
}

LsUOp *ls_tensor_mod  (LsTensors *t, LsOperand a, LsOperand b) { return remainder_of (t, "mod", LS_OP_FLOORMOD, ls_tensor_floordiv, a, b); }
LsUOp *ls_tensor_fmod (LsTensors *t, LsOperand a, LsOperand b) { return remainder_of (t, "fmod", LS_OP_MOD, ls_tensor_truncdiv, a, b); }

/* x to the power n > 0, by repeated squaring. */
static LsUOp *
integer_power (LsTensors *t, LsUOp *x, guint n)
{
  LsUOp *result = NULL;
  for (; n > 0; n >>= 1) {
    if (n & 1)
      result = result ? ls_tensor_mul (t, N (result), N (x)) : x;
    if (n > 1)
      x = ls_tensor_mul (t, N (x), N (x));
  }
  return result;
}

static LsUOp *
constant_power (LsTensors *t, LsUOp *x, double e)
{
  double whole = floor (fabs (e));
  gboolean half = fabs (e) - whole == 0.5;
  LsUOp *result = whole > 0 ? integer_power (t, x, (guint) whole) : NULL;
  if (half) {
    LsUOp *root = ls_tensor_sqrt (t, x);
    result = result ? ls_tensor_mul (t, N (result), N (root)) : root;
  }
  if (!result)
    return ls_tensor_full_like (t, x, I (1), 0);
  return e < 0 ? ls_tensor_reciprocal (t, result) : result;
}

LsUOp *
ls_tensor_pow (LsTensors *t, LsOperand a, LsOperand b)
{
  LsUOp *x, *y, *result = NULL;
  ls_tensors_begin (t, "pow", "oo", &a, &b);
  if (!broadcasted (t, "pow", a, b, FALSE, &x, &y))
    return ls_tensors_end (t, NULL);
  gboolean is_float = ls_dtype_is_float (x->dtype);
  double e = b.node ? NAN : b.weak == LS_WEAKFLOAT ? b.value.f : (double) b.value.i;
  if (!is_float && !b.node && e < 0)
    ls_tensors_fail (t, LS_ERROR_DTYPE, "pow: the base needs to be a float for a negative exponent");
  else if (fabs (e) <= 32 && (e * 2 == floor (e * 2)))
    result = constant_power (t, x, e);
  else if (is_float && !a.node && (a.weak == LS_WEAKFLOAT ? a.value.f == 2 : a.value.i == 2))
    result = ls_tensor_exp2 (t, y);
  else
    result = alu2 (t, LS_OP_POW, x, y);
  return ls_tensors_end (t, result);
}

LsUOp *
ls_tensor_where (LsTensors *t, LsUOp *condition, LsOperand a, LsOperand b)
{
  LsUOp *x, *y, *result = NULL;
  if (!condition)
    return NULL;
  ls_tensors_begin (t, "where", "xoo", condition, &a, &b);
  if (broadcasted (t, "where", a, b, FALSE, &x, &y)) {
    gint64 dims[LS_MAX_DIMS];
    LsShape shape;
    condition = ls_tensor_cast (t, condition, LS_BOOL);
    if (common_shape (t, "where", ls_tensors_shape (t, condition), ls_tensors_shape (t, x), &shape, dims)) {
      condition = broadcast_to (t, condition, shape);
      x = broadcast_to (t, x, shape);
      y = broadcast_to (t, y, shape);
      if (condition && x && y)
        result = ls_uop_alu3 (ls_tensors_context (t), LS_OP_WHERE, condition, x, y);
    }
  }
  return ls_tensors_end (t, result);
}

LsUOp *
ls_tensor_neg (LsTensors *t, LsUOp *x)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "neg", "x", x);
  return ls_tensors_end (t, alu1 (t, ls_dtype_is_bool (x->dtype) ? LS_OP_NOT : LS_OP_NEG, x));
}

LsUOp *
ls_tensor_logical_not (LsTensors *t, LsUOp *x)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, "logical_not", "x", x);
  return ls_tensors_end (t, alu1 (t, LS_OP_NOT, ls_tensor_cast (t, x, LS_BOOL)));
}

LsUOp *
ls_tensor_bitwise_not (LsTensors *t, LsUOp *x)
{
  if (!x)
    return NULL;
  if (ls_dtype_is_float (x->dtype))
    return ls_tensors_fail (t, LS_ERROR_DTYPE, "bitwise_not: needs integers or bools, not %s", ls_dtype_name (x->dtype));
  ls_tensors_begin (t, "bitwise_not", "x", x);
  return ls_tensors_end (t, alu1 (t, LS_OP_NOT, x));
}

/* Ops of floats; other dtypes are converted first, weak ints to weak floats. */
static LsUOp *
float_unary (LsTensors *t, const char *name, LsOp op, LsUOp *x)
{
  if (!x)
    return NULL;
  ls_tensors_begin (t, name, "x", x);
  if (!ls_dtype_is_float (x->dtype))
    x = ls_tensor_cast (t, x, x->dtype == LS_WEAKINT ? LS_WEAKFLOAT : LS_FLOAT);
  return ls_tensors_end (t, alu1 (t, op, x));
}

LsUOp *ls_tensor_sqrt       (LsTensors *t, LsUOp *x) { return float_unary (t, "sqrt", LS_OP_SQRT, x); }
LsUOp *ls_tensor_reciprocal (LsTensors *t, LsUOp *x) { return float_unary (t, "reciprocal", LS_OP_RECIP, x); }
LsUOp *ls_tensor_exp2       (LsTensors *t, LsUOp *x) { return float_unary (t, "exp2", LS_OP_EXP2, x); }
LsUOp *ls_tensor_log2       (LsTensors *t, LsUOp *x) { return float_unary (t, "log2", LS_OP_LOG2, x); }
LsUOp *ls_tensor_sin        (LsTensors *t, LsUOp *x) { return float_unary (t, "sin", LS_OP_SIN, x); }

LsUOp *
ls_tensor_trunc (LsTensors *t, LsUOp *x)
{
  return x && ls_dtype_is_float (x->dtype) ? float_unary (t, "trunc", LS_OP_TRUNC, x) : x;
}
