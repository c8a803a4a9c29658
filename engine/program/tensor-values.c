/* Tensors from Python values and back: the constructor, reading results, and arguments of the Tensor API. */
#include "evaluator-private.h"

#include <string.h>
#include <time.h>

gboolean
ls_take_integer (LsEvaluator *ev, LsValue v, const char *what, gint64 *out)
{
  if (v.kind != LS_VALUE_INT && v.kind != LS_VALUE_BOOL)
    return ls_ev_fail_here (ev, v.kind == LS_VALUE_UINT ? "%s is too large" : "%s must be an int, not a %s", what, ls_value_type_name (v));
  *out = v.i;
  return TRUE;
}

gboolean
ls_take_number (LsEvaluator *ev, LsValue v, const char *what, double *out)
{
  if (!ls_value_is_number (v))
    return ls_ev_fail_here (ev, "%s must be a number, not a %s", what, ls_value_type_name (v));
  *out = ls_value_number (v);
  return TRUE;
}

gboolean
ls_take_operand (LsEvaluator *ev, LsValue v, LsOperand *out)
{
  switch ((LsValueKind) v.kind) {
  case LS_VALUE_TENSOR: *out = ls_operand_node (v.tensor->node); return TRUE;
  case LS_VALUE_BOOL: *out = ls_operand_bool (v.i != 0); return TRUE;
  case LS_VALUE_INT: *out = ls_operand_int (v.i); return TRUE;
  case LS_VALUE_FLOAT: *out = ls_operand_float (v.f); return TRUE;
  case LS_VALUE_UINT: return ls_ev_fail_here (ev, "integer out of range: a constant in a tensor goes up to 2**63 - 1");
  default: return ls_ev_fail_here (ev, "a tensor or a number is expected, not a %s", ls_value_type_name (v));
  }
}

gboolean
ls_take_node (LsEvaluator *ev, LsValue v, LsUOp **out)
{
  LsOperand operand;
  if (!ls_take_operand (ev, v, &operand))
    return FALSE;
  *out = operand.node ? operand.node : ls_tensor_const (ev->tensors, operand, 0);
  return TRUE;
}

gboolean
ls_take_dtype (LsEvaluator *ev, LsValue v, LsDType *out)
{
  *out = 0;
  if (v.kind == LS_VALUE_NONE)
    return TRUE;
  if (v.kind == LS_VALUE_DTYPE)
    *out = v.dtype;
  else if (v.kind == LS_VALUE_STR) {
    g_autofree char *name = g_ascii_strdown (v.str->text, -1);
    LsDType dtype = ls_dtype_from_name (name);
    if (dtype != LS_VOID && dtype != LS_INDEX)
      *out = dtype;
  }
  if (*out == 0)
    return v.kind == LS_VALUE_STR ? ls_ev_fail_here (ev, "'%.40s' is no dtype", v.str->text)
                                  : ls_ev_fail_here (ev, "a dtype is expected, not a %s", ls_value_type_name (v));
  return TRUE;
}

gboolean
ls_take_axes (LsEvaluator *ev, LsValue v, LsAxes *out)
{
  *out = (LsAxes) { .all = v.kind == LS_VALUE_NONE };
  if (out->all)
    return TRUE;
  if (!ls_value_is_sequence (v)) {
    out->n = 1;
    return ls_take_integer (ev, v, "an axis", &out->axes[0]);
  }
  if (v.list->n > LS_MAX_DIMS)
    return ls_ev_fail_here (ev, "too many axes");
  for (guint i = 0; i < v.list->n; i++)
    if (!ls_take_integer (ev, v.list->items[i], "an axis", &out->axes[i]))
      return FALSE;
  out->n = v.list->n;
  return TRUE;
}

gboolean
ls_take_ints (LsEvaluator *ev, LsValue v, const char *what, guint *n, gint64 ints[LS_MAX_DIMS])
{
  if (ls_value_is_sequence (v) && v.list->n == 1 && ls_value_is_sequence (v.list->items[0]))
    v = v.list->items[0];
  *n = 0;
  if (!ls_value_is_sequence (v)) {
    *n = 1;
    return ls_take_integer (ev, v, what, &ints[0]);
  }
  if (v.list->n > LS_MAX_DIMS)
    return ls_ev_fail_here (ev, "too many sizes: %u", v.list->n);
  for (guint i = 0; i < v.list->n; i++) {
    if (v.list->items[i].kind == LS_VALUE_NONE)
      ints[i] = -1;
    else if (!ls_take_integer (ev, v.list->items[i], what, &ints[i]))
      return FALSE;
  }
  *n = v.list->n;
  return TRUE;
}

/* What a nested list holds, found before its elements are stored. */
typedef struct { guint n; gint64 dims[LS_MAX_DIMS]; gboolean bools, ints; gint64 count; } Nested;

static gboolean
as_list (LsEvaluator *ev, LsValue v, LsValue *out)
{
  if (v.kind == LS_VALUE_RANGE)
    return ls_ev_items (ev, v, LS_VALUE_LIST, out);
  *out = v.kind == LS_VALUE_ARRAY ? v.array->list : v;
  return TRUE;
}

/* Every list at one depth must be as long as the first one there. */
static gboolean
survey (LsEvaluator *ev, LsValue v, guint depth, Nested *nested)
{
  if (!as_list (ev, v, &v))
    return FALSE;
  if (ls_value_is_sequence (v)) {
    if (depth == LS_MAX_DIMS)
      return ls_ev_fail_here (ev, "this list is nested too deeply");
    if (depth == nested->n && nested->count == 0) {
      nested->dims[nested->n++] = v.list->n;
    } else if (depth >= nested->n || nested->dims[depth] != v.list->n) {
      return ls_ev_fail_here (ev, depth >= nested->n ? "a list stands beside numbers" : "lists of %" G_GINT64_FORMAT " and %u items stand side by side",
                              nested->dims[depth], v.list->n);
    }
    if (!ls_ev_charge (ev, ev->pos, v.list->n))
      return FALSE;
    for (guint i = 0; i < v.list->n; i++)
      if (!survey (ev, v.list->items[i], depth + 1, nested))
        return FALSE;
    return TRUE;
  }
  if (!ls_value_is_number (v)) {
    const char *hint = v.kind == LS_VALUE_TENSOR ? "join tensors with Tensor.stack or cat" : NULL;
    return ls_ev_fail (ev, ev->pos, LS_ERROR_PROGRAM, hint, "a tensor cannot be made of a %s", ls_value_type_name (v));
  }
  if (depth != nested->n)
    return ls_ev_fail_here (ev, "a number stands beside lists");
  nested->count++;
  nested->bools = nested->bools && v.kind == LS_VALUE_BOOL;
  nested->ints = nested->ints && ls_value_is_integer (v);
  return TRUE;
}

static guint8 *
store (LsEvaluator *ev, LsValue v, LsDType dtype, guint8 *at)
{
  if (!as_list (ev, v, &v))
    return at;
  if (ls_value_is_sequence (v)) {
    for (guint i = 0; i < v.list->n; i++)
      at = store (ev, v.list->items[i], dtype, at);
    return at;
  }
  LsScalar scalar;
  if (v.kind == LS_VALUE_FLOAT)
    scalar = ls_eval_cast (dtype, LS_DOUBLE, (LsScalar) { .f = v.f });
  else
    scalar = ls_eval_cast (dtype, v.kind == LS_VALUE_UINT ? LS_UINT64 : LS_INT64, (LsScalar) { .i = v.i });
  ls_scalar_store (dtype, at, scalar);
  return at + ls_dtype_itemsize (dtype);
}

static gboolean
construct (LsEvaluator *ev, const LsValue *a, LsValue *out)      /* data, device, dtype, requires_grad */
{
  LsDType dtype;
  LsValue data = a[0].kind == LS_VALUE_ARRAY ? a[0].array->list : a[0];
  if (!ls_take_dtype (ev, a[2], &dtype))
    return FALSE;
  if (data.kind == LS_VALUE_TENSOR)
    return ls_ev_tensor (ev, ls_tensor_cast (ev->tensors, data.tensor->node, dtype ? dtype : data.tensor->node->dtype), out);
  if (data.kind == LS_VALUE_NONE)
    data = ls_value_float (0);
  if (ls_value_is_number (data)) {
    LsOperand operand;
    if (!ls_take_operand (ev, data, &operand))
      return FALSE;
    if (!dtype && data.kind == LS_VALUE_INT && (data.i < G_MININT32 || data.i > G_MAXINT32))
      dtype = LS_INT64;
    ls_tensors_begin (ev->tensors, "Tensor", "o", &operand);
    return ls_ev_tensor (ev, ls_tensors_end (ev->tensors, ls_tensor_const (ev->tensors, operand, dtype)), out);
  }
  if (data.kind == LS_VALUE_ARRAY || (!dtype && a[0].kind == LS_VALUE_ARRAY))
    dtype = a[0].array->dtype;
  Nested nested = { .bools = TRUE, .ints = TRUE };
  if (!ls_value_is_sequence (data) && data.kind != LS_VALUE_RANGE)
    return ls_ev_fail_here (ev, "a tensor cannot be made of a %s", ls_value_type_name (data));
  if (!survey (ev, data, 0, &nested))
    return FALSE;
  if (!dtype)
    dtype = nested.count == 0 ? LS_FLOAT : nested.bools ? LS_BOOL : nested.ints ? LS_INT32 : LS_FLOAT;
  if (ls_dtype_is_weak (dtype))
    return ls_ev_fail_here (ev, "a tensor of several elements cannot have the dtype %s", ls_dtype_name (dtype));
  if (nested.count == 0)
    return ls_ev_tensor (ev, ls_tensor_full (ev->tensors, nested.n, nested.dims, ls_operand_int (0), dtype), out);
  g_autofree guint8 *memory = g_malloc (nested.count * ls_dtype_itemsize (dtype));
  store (ev, data, dtype, memory);
  return ls_ev_tensor (ev, ls_tensor_host (ev->tensors, dtype, nested.n, nested.dims, memory), out);
}

static const LsBuiltin constructor = { "Tensor", "data=None, device=None, dtype=None, requires_grad=None", LS_BUILTIN_FUNCTION, construct, NULL, NULL };

gboolean
ls_tensor_construct (LsEvaluator *ev, const LsArguments *args, LsValue *out)
{
  return ls_builtin_call (ev, &constructor, NULL, args, out);
}

/* A failure of the session at the call being made. */
static gboolean
session_failed (LsEvaluator *ev, GError *error)
{
  ls_ev_fail (ev, ev->pos, error ? error->code : LS_ERROR_INTERNAL, NULL, "%s", error ? error->message : "the tensor could not be computed");
  g_clear_error (&error);
  return FALSE;
}

static guint64
now_ns (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (guint64) t.tv_sec * 1000000000 + t.tv_nsec;
}

static LsValue
element (LsDType dtype, const guint8 *memory)
{
  LsScalar scalar = ls_scalar_load (dtype, memory);
  if (ls_dtype_is_float (dtype))
    return ls_value_float (scalar.f);
  if (ls_dtype_is_bool (dtype))
    return ls_value_bool (scalar.i != 0);
  return ls_dtype_base (dtype) == LS_BASE_UINT64 ? ls_value_uint ((guint64) scalar.i) : ls_value_int (scalar.i);
}

static LsValue
nested_list (LsEvaluator *ev, LsDType dtype, LsShape shape, const guint8 **memory)
{
  if (shape.n == 0) {
    LsValue v = element (dtype, *memory);
    *memory += ls_dtype_itemsize (dtype);
    return v;
  }
  LsValue list = ls_value_list (&ev->arena, LS_VALUE_LIST, shape.dims[0], NULL);
  for (gint64 i = 0; i < shape.dims[0]; i++)
    list.list->items[i] = nested_list (ev, dtype, (LsShape) { shape.n - 1, shape.dims + 1 }, memory);
  return list;
}

gboolean
ls_tensor_read (LsEvaluator *ev, LsTensor *tensor, LsValue *out)
{
  LsUOp *node = tensor->node;
  LsShape shape = ls_uop_shape (ev->ctx, node);
  gint64 size = ls_shape_size (shape), outer = 1;
  guint line, column, buffer = G_MAXUINT;
  for (guint i = 0; i < shape.n && size == 0; i++)      /* empty lists can be many */
    if (shape.dims[i] == 0 || !ls_ev_charge (ev, ev->pos, outer *= MIN (shape.dims[i], LS_MAX_STEPS)))
      break;
  if (ev->error || !ls_ev_charge (ev, ev->pos, size / 2 + 1))
    return FALSE;
  LsDType dtype = ls_dtype_strong (node->dtype);
  const guint8 *memory = NULL;
  if (size > 0) {
    GError *error = NULL;
    guint64 start = now_ns ();
    LsBuffer *data = ls_session_data (ev->session, node, &error);
    ev->realize_ns += now_ns () - start;
    if (!data || !data->data)
      return session_failed (ev, error);
    if (data->n < (guint64) size)
      return ls_ev_fail (ev, ev->pos, LS_ERROR_INTERNAL, NULL, "the tensor's buffer is too small");
    dtype = data->dtype;
    memory = data->data;
    buffer = data->id;
  }
  *out = nested_list (ev, dtype, shape, &memory);
  ls_source_place (&ev->source, ev->pos, &line, &column);
  LsOutput output = { .line = line, .node = node->id, .buffer = buffer, .n_dims = shape.n, .dtype = node->dtype, .printed = TRUE };
  output.dims = g_memdup2 (shape.dims, shape.n * sizeof (gint64));
  g_array_append_val (ev->session->trace->outputs, output);
  return TRUE;
}

gboolean
ls_tensor_realize_many (LsEvaluator *ev, guint n, const LsValue *tensors)
{
  g_autofree LsUOp **nodes = g_new (LsUOp *, MAX (n, 1));
  guint m = 0;
  for (guint i = 0; i < n; i++) {
    if (tensors[i].kind != LS_VALUE_TENSOR)
      return ls_ev_fail_here (ev, "a tensor is expected, not a %s", ls_value_type_name (tensors[i]));
    LsUOp *node = tensors[i].tensor->node;
    if (ls_shape_size (ls_uop_shape (ev->ctx, node)) > 0)
      nodes[m++] = node;
  }
  GError *error = NULL;
  guint64 start = now_ns ();
  gboolean ok = m == 0 || ls_session_realize (ev->session, m, nodes, &error);
  ev->realize_ns += now_ns () - start;
  return ok || session_failed (ev, error);
}
