/* Specs: the ops that a graph may have after each stage, and the conditions of each op on its sources.
 *
 * A stage's spec is the set of ops that must be gone after it (pipeline.def). The conditions of an op (arity, dtypes, argument) hold at
 * every stage.
 */
#include "spec.h"
#include "axis.h"
#include "context-private.h"
#include "view.h"

#include <string.h>

#define MAX_AXES  64      /* of a view; axis numbers stay below it */
#define MAX_LANES 1024
#define MAX_SIZE  G_GINT64_CONSTANT (0xffffffffff)      /* the number of elements of a pointer's dtype */

static gboolean
has_form (const LsUOp *u, LsArgForm form)
{
  switch (form) {
  case LS_FORM_NONE:    return u->arg.kind == LS_ARG_NONE;
  case LS_FORM_INT:     return u->arg.kind == LS_ARG_INT;
  case LS_FORM_INTS:    return u->arg.kind == LS_ARG_INTS;
  case LS_FORM_SCALAR:  return u->arg.kind == (ls_dtype_is_float (u->dtype) ? LS_ARG_FLOAT : LS_ARG_INT);
  case LS_FORM_STR:     return u->arg.kind == LS_ARG_STR && u->arg.str;
  case LS_FORM_OP_INTS: return u->arg.kind == LS_ARG_OP_INTS;
  case LS_FORM_TRACKER: return u->arg.kind == LS_ARG_TRACKER && u->arg.tracker;
  case LS_FORM_VAR:     return u->arg.kind == LS_ARG_VAR && u->arg.var;
  }
  return FALSE;
}

/* Is its dtype one of numbers that are computed with? */
static gboolean
is_number (LsDType d)
{
  return !ls_dtype_is_ptr (d) && ls_dtype_base (d) != LS_BASE_VOID;
}

static gboolean
is_over_text (const LsUOp *u)
{
  for (guint i = 0; i < u->n_src; i++)
    if (ls_uop_is_text (u->src[i]))
      return TRUE;
  return FALSE;
}

/* A pointer to an element: INDEX, or several as lanes. */
static gboolean
is_address (const LsUOp *u)
{
  return ls_dtype_is_ptr (u->dtype) && (u->op == LS_OP_INDEX || u->op == LS_OP_VECTORIZE || u->op == LS_OP_GEP || u->op == LS_OP_UNROLL ||
                                        u->op == LS_OP_CAST);
}

static gboolean
all_within (const LsArg *arg, gint64 below)
{
  for (guint i = 0; i < arg->n; i++)
    if (arg->ints[i] < 0 || arg->ints[i] >= below)
      return FALSE;
  return TRUE;
}

static const char *
breach_of_reduce (const LsUOp *u)
{
  if (u->arg.op != LS_OP_ADD && u->arg.op != LS_OP_MUL && u->arg.op != LS_OP_MAX)
    return "the op of a reduce must be ADD, MUL or MAX";
  if (u->n_src == 0 || !is_number (u->dtype) || ls_dtype_scalar (u->src[0]->dtype) != ls_dtype_scalar (u->dtype) ||
      !is_number (u->src[0]->dtype))
    return "its source has a different dtype";
  if (u->op == LS_OP_REDUCE_AXIS)
    return all_within (&u->arg, MAX_AXES) ? NULL : "there is no such axis";
  if (ls_dtype_lanes (u->src[0]->dtype) % ls_dtype_lanes (u->dtype) != 0)
    return "the lanes of its source are not a multiple of its own";
  for (guint i = 1; i < u->n_src; i++)
    if (!ls_dtype_is_int (u->src[i]->dtype))
      return "it reduces over a node that is not a range";
  return NULL;
}

/* An integer that no range changes. */
static gboolean
is_variable (const LsUOp *u)
{
  return ls_dtype_is_int (u->dtype) && ls_dtype_lanes (u->dtype) == 1 && (ls_op_is_alu (u->op) || u->op == LS_OP_BIND ||
                                                                          u->op == LS_OP_DEFINE_VAR || u->op == LS_OP_CONST);
}

static const char *
breach_of_view (const LsUOp *u)
{
  guint shows = u->dtype != LS_VOID && u->n_src > 0, n = ls_tracker_shape (u->arg.tracker).n;
  if (n > MAX_AXES || n < u->n_src - shows)
    return "a view has one source, up to 64 axes, and variables as indices of the first axes only";
  for (guint i = shows; i < u->n_src; i++)
    if (!is_variable (u->src[i]))
      return "a view has one source, and integers as indices";
  if (!shows)
    return u->dtype == LS_VOID ? NULL : "a view without a source must have no dtype";
  return u->dtype == u->src[0]->dtype && is_number (u->dtype) ? NULL : "its source has a different dtype";
}

static const char *
breach_of_range (const LsUOp *u)
{
  const LsUOp *size = u->src[0];
  if (!ls_dtype_is_int (u->dtype) || ls_dtype_lanes (u->dtype) != 1)
    return "it must have an integer dtype";
  if (!is_variable (size) || (size->op == LS_OP_CONST && (size->arg.kind != LS_ARG_INT || size->arg.i < 1)) || size->vmin < 0 ||
      size->vmax < 1)
    return "its size must be a constant, at least 1, or an expression of non-negative variables";
  if (u->op == LS_OP_RANGE && (u->arg.n < 2 || u->arg.n > 4 || u->arg.ints[0] < 0 || u->arg.ints[0] >= MAX_AXES || u->arg.ints[1] < 0 ||
                               u->arg.ints[1] >= LS_N_AXIS ||
                               ls_range_part (u) < 0 || ls_range_part (u) >= LS_MAX_PARTS || ls_range_place (u) < 0 ||
                               ls_range_place (u) >= MAX_AXES))
    return "its argument must be axis, type, part and optionally a position, or a number and a type";
  return NULL;
}

static const char *
breach_of_lanes (const LsUOp *u)
{
  guint lanes = ls_dtype_lanes (u->dtype);
  if (u->op == LS_OP_VCONST)
    return u->arg.n == lanes && (ls_dtype_is_int (u->dtype) || ls_dtype_is_bool (u->dtype)) ? NULL : "it needs an integer for each lane";
  if (u->op == LS_OP_VECTORIZE) {
    if (u->n_src != lanes)
      return "it needs a source for each lane";
    for (guint i = 0; i < u->n_src; i++)
      if (u->src[i]->dtype != ls_dtype_vec (u->dtype, 1))
        return "a lane has a different dtype";
    return NULL;
  }
  const LsUOp *x = u->src[0];
  if (ls_dtype_vec (x->dtype, 1) != ls_dtype_vec (u->dtype, 1))
    return "its source has a different dtype";
  if (u->op == LS_OP_GEP)
    return u->arg.n == lanes && all_within (&u->arg, ls_dtype_lanes (x->dtype)) ? NULL : "its source does not have these lanes";
  gint64 n = 1;
  if (u->arg.n == 0 || u->arg.n % 3 != 0 || u->arg.n > 3 * 16)
    return "its argument must be axes, parts and sizes";
  for (guint i = 0; i < u->arg.n; i += 3) {
    const gint64 *a = &u->arg.ints[i];
    if (a[0] < 0 || a[0] >= MAX_AXES || a[1] < 0 || a[1] >= LS_MAX_PARTS || a[2] < 1 || a[2] > MAX_LANES || (n *= a[2]) > MAX_LANES)
      return "its argument must be axes, parts and sizes";
  }
  return lanes == 1 && n == ls_dtype_lanes (x->dtype) ? NULL : "its source has a different number of lanes";
}

/* A load of a register waits for a store, or a NOOP over stores, in loops; a store ends loops, or waits for a NOOP over the loops around
 * it. */
static const char *
breach_of_register (const LsUOp *u)
{
  gboolean store = u->op == LS_OP_STORE;
  if (u->n_src < 2 || !is_address (u->src[0]) || (store ? u->src[1]->dtype : u->dtype) != ls_dtype_deref (u->src[0]->dtype))
    return "its value must have the dtype of its register";
  if (!store && u->src[1]->op != LS_OP_STORE && u->src[1]->op != LS_OP_NOOP)
    return "it must load after a store";
  for (guint i = 2; i < u->n_src; i++)
    if (u->src[i]->op != LS_OP_RANGE && !(store && u->src[i]->op == LS_OP_NOOP))
      return "a node around it is not a loop";
  return NULL;
}

static const char *
breach_of_memory (const LsUOp *u)
{
  const LsUOp *p = u->n_src > 0 ? u->src[0] : NULL;
  const char *pointer = "it needs a pointer, an index and optionally a gate";
  if (u->op == LS_OP_INDEX) {
    if (u->n_src < 2 || u->n_src > 3 || !ls_dtype_is_ptr (p->dtype) || (p->op != LS_OP_DEFINE_GLOBAL && p->op != LS_OP_DEFINE_LOCAL &&
                                                                        p->op != LS_OP_DEFINE_REG))
      return pointer;
    if (!ls_dtype_is_int (u->src[1]->dtype) || ls_dtype_is_ptr (u->src[1]->dtype) ||
        (u->n_src == 3 && (!ls_dtype_is_bool (u->src[2]->dtype) || ls_dtype_is_ptr (u->src[2]->dtype))))
      return "an index must be an integer and a gate must be a bool";
    if (p->op == LS_OP_DEFINE_REG)      /* an element of it may be a vector */
      return u->n_src == 2 && u->dtype == p->dtype && ls_dtype_lanes (u->src[1]->dtype) == 1
             ? NULL : "it must be a pointer to one element of its register array";
    guint lanes = ls_dtype_lanes (u->dtype);
    if (u->dtype != ls_dtype_vec (p->dtype, lanes) || ls_dtype_lanes (u->src[1]->dtype) != lanes ||
        (u->n_src == 3 && ls_dtype_lanes (u->src[2]->dtype) != lanes))
      return "it must be a pointer to its buffer's dtype, with as many lanes as its index";
    return NULL;
  }
  if (p && ls_dtype_space (p->dtype) == LS_SPACE_REG)
    return breach_of_register (u);
  guint value = u->op == LS_OP_LOAD ? 1 : u->n_src - 1;
  /* the kernel's AST sees memory through a view */
  if (u->n_src == 2 + (u->op == LS_OP_STORE) && p->op == LS_OP_DEFINE_GLOBAL && u->src[1]->op == LS_OP_VIEW && u->src[1]->dtype == LS_VOID)
    return ls_dtype_deref (p->dtype) == (u->op == LS_OP_LOAD ? u->dtype : u->src[2]->dtype) ? NULL : "the buffer has a different dtype";
  const LsUOp *first = p && p->op == LS_OP_VECTORIZE ? p->src[0] : p;
  if (u->op == LS_OP_LOAD && u->n_src == 2 && (u->src[1]->op == LS_OP_AFTER || u->src[1]->op == LS_OP_BARRIER) && is_address (p) &&
      first->op == LS_OP_INDEX && first->src[0]->op == LS_OP_DEFINE_LOCAL)
    return u->dtype == ls_dtype_deref (p->dtype) && first->n_src == 2 ? NULL : "the buffer has a different dtype";
  if (u->op == LS_OP_LOAD && (u->n_src == 0 || u->n_src > 2 || !is_address (p)))
    return "its sources must be an INDEX and optionally an alternative";
  if (u->op == LS_OP_STORE && (u->n_src != 2 || !is_address (p)))
    return "its sources must be an INDEX and a value";
  if (u->op == LS_OP_LOAD && p->op == LS_OP_INDEX && (p->n_src == 3) != (u->n_src == 2))
    return "a load must have an alternative if and only if its index has a gate";
  if (u->op == LS_OP_LOAD && u->dtype != ls_dtype_deref (p->dtype))
    return "the buffer has a different dtype";
  if (u->n_src > value && u->src[value]->dtype != ls_dtype_deref (p->dtype))
    return "the dtype of the value differs from the buffer's";
  return NULL;
}

static const char *
breach_of_alu (const LsUOp *u)
{
  LsBase base = ls_dtype_base (u->dtype);
  gboolean of_float = FALSE, of_int = FALSE, comparison = ls_op_is_comparison (u->op);
  if (u->op == LS_OP_CAST && ls_dtype_is_ptr (u->dtype))      /* a vector of the elements from there on */
    return u->src[0]->op == LS_OP_INDEX && ls_dtype_lanes (u->src[0]->src[1]->dtype) == 1 &&
           ls_dtype_scalar (ls_dtype_deref (u->dtype)) == ls_dtype_deref (u->src[0]->dtype) ?
           NULL : "it must be a vector of the dtype that its index points to";
  for (guint i = 0; i < u->n_src; i++) {
    if (!is_number (u->src[i]->dtype) || !is_number (u->dtype))
      return "its sources are not numbers";
    if (ls_dtype_lanes (u->src[i]->dtype) != ls_dtype_lanes (u->dtype))
      return "its sources have a different number of lanes";
  }
  switch ((int) u->op) {
  case LS_OP_CAST: return NULL;
  case LS_OP_PRECAST: return u->src[0]->dtype == u->dtype ? NULL : "its source has a different dtype";
  case LS_OP_BITCAST: return ls_dtype_bits (u->src[0]->dtype) == ls_dtype_bits (u->dtype) ? NULL : "the two dtypes differ in size";
  case LS_OP_WHERE:
    if (!ls_dtype_is_bool (u->src[0]->dtype))
      return "its condition is not bool";
    break;
  case LS_OP_RECIP: case LS_OP_SQRT: case LS_OP_EXP2: case LS_OP_LOG2: case LS_OP_SIN: case LS_OP_TRUNC: case LS_OP_FDIV: of_float = TRUE;
  break;
  case LS_OP_IDIV: case LS_OP_MOD: case LS_OP_FLOORDIV: case LS_OP_FLOORMOD: case LS_OP_NOT: case LS_OP_AND: case LS_OP_OR: case LS_OP_XOR:
  case LS_OP_SHL:
  case LS_OP_SHR: of_int = TRUE; break;
  default: break;
  }
  if ((of_float && !ls_dtype_is_float (u->dtype)) || (of_int && ls_dtype_is_float (u->dtype)))
    return of_float ? "its dtype must be a float" : "its dtype must be an integer";
  if (comparison && !ls_dtype_is_bool (u->dtype))
    return "a comparison must have dtype bool";
  /* an index op is over machine integers until the pass that makes them reaches it */
  LsDType want = comparison ? u->src[0]->dtype : u->dtype;
  gboolean index = base == LS_BASE_INDEX;
  for (guint i = 0; comparison && i < u->n_src; i++)
    index |= ls_dtype_base (u->src[i]->dtype) == LS_BASE_INDEX;
  for (guint i = u->op == LS_OP_WHERE; i < u->n_src; i++) {
    LsDType dtype = u->src[i]->dtype;
    if (index && !ls_dtype_is_int (dtype) && !ls_dtype_is_bool (dtype))
      return "its sources are not integers";
    if (index || dtype == want)
      continue;
    if (comparison)
      return "its sources have different dtypes";
    if (u->op == LS_OP_WHERE)
      return "its branches have a different dtype";
    return u->n_src == 1 ? "its source has a different dtype" : "its sources have a different dtype";
  }
  return NULL;
}

/* Sources and names of kernels are made of it. */
static gboolean
is_identifier (const char *name)
{
  for (const char *p = name; *p; p++)
    if (!g_ascii_isalpha (*p) && *p != '_' && (p == name || !g_ascii_isdigit (*p)))
      return FALSE;
  return *name != '\0';
}

/* CONST and IOTA */
static const char *
breach_of_constant (const LsUOp *u)
{
  gboolean shaped = u->n_src == 0 || (u->n_src == 1 && u->src[0]->op == LS_OP_VIEW), one = ls_dtype_lanes (u->dtype) == 1;
  if (u->op == LS_OP_CONST)
    return is_number (u->dtype) && one && shaped ? NULL : "a constant must be one number, optionally with a view";
  return ls_dtype_is_int (u->dtype) && one && u->arg.i >= 0 && shaped ? NULL : "its dtype must be an integer, optionally with a view";
}

/* Arguments of kernels, memory and variables. */
static const char *
breach_of_define (const LsUOp *u)
{
  LsArg arg = u->arg;
  gboolean bounded;
  switch ((int) u->op) {
  case LS_OP_BUFFER:
    return arg.n == 2 && arg.ints[1] >= 0 && arg.ints[1] <= MAX_SIZE && is_number (u->dtype)
           ? NULL : "its argument must be a number and a size";
  case LS_OP_DEFINE_REG:
    return ls_dtype_space (u->dtype) == LS_SPACE_REG && arg.n == 1 && arg.ints[0] >= 0 && arg.ints[0] < G_MAXINT32
           ? NULL : "it must be a numbered pointer to registers";
  case LS_OP_BIND:
    bounded = ls_dtype_is_int (u->dtype) && arg.var->min <= arg.var->max;
    return bounded && u->src[0]->op == LS_OP_BUFFER ? NULL : "it must be an integer in a buffer";
  case LS_OP_DEFINE_VAR:
    bounded = ls_dtype_is_int (u->dtype) && arg.var->min <= arg.var->max;
    return bounded && ls_dtype_lanes (u->dtype) == 1 && arg.var->position >= -1 && arg.var->position < G_MAXINT32 &&
           is_identifier (arg.var->name) ? NULL : "it must be an integer with a name and bounds";
  default:
    return ls_dtype_is_ptr (u->dtype) && ls_dtype_lanes (u->dtype) == 1 && arg.i >= 0 && arg.i < G_MAXINT32
           ? NULL : "it must be a numbered pointer";
  }
}

/* Ops of tensors: all but the first have their first source's dtype. */
static const char *
breach_of_tensor (const LsUOp *u)
{
  switch ((int) u->op) {
  case LS_OP_GRADIENT:
    if (u->arg.i < 0 || u->arg.i >= u->src[0]->n_src)
      return "there is no such source";
    return u->dtype == u->src[0]->src[u->arg.i]->dtype && is_number (u->dtype) ? NULL : "it must have the dtype of the source whose "
                                                                                        "gradient it is";
  case LS_OP_ASSIGN:
    for (guint i = 0; i < u->n_src; i++)
      if (u->dtype != u->src[i]->dtype)
        return "its sources have a different dtype";
    return is_number (u->dtype) ? NULL : "its sources have a different dtype";
  case LS_OP_RESHAPE: case LS_OP_PERMUTE: case LS_OP_EXPAND: case LS_OP_PAD: case LS_OP_SHRINK: case LS_OP_FLIP:
    if (u->arg.n > 2 * MAX_AXES)
      return "a shape may have at most 64 axes";
    break;
  case LS_OP_LIMIT: case LS_OP_AT:
    if (u->arg.n != 1 || u->arg.ints[0] < 0 || u->arg.ints[0] >= MAX_AXES || !is_variable (u->src[1]))
      return "it needs an axis and an integer";
    break;
  default: break;
  }
  return u->dtype == u->src[0]->dtype && is_number (u->dtype) ? NULL : "its source has a different dtype";
}

/* AFTER and BARRIER */
static const char *
breach_of_order (const LsUOp *u)
{
  gboolean after_range = FALSE;
  for (guint i = 0; i < u->n_src; i++) {
    LsOp op = u->src[i]->op;
    if (u->op == LS_OP_BARRIER && op != LS_OP_STORE && op != LS_OP_SINK)
      return "its sources must be stores";
    if (u->op == LS_OP_AFTER && op != LS_OP_RANGE && op != LS_OP_SPECIAL && ((op != LS_OP_STORE && op != LS_OP_BARRIER) || after_range))
      return "its sources must be stores or a barrier, then the ranges of their loops";
    after_range = op == LS_OP_RANGE;
  }
  return u->dtype == LS_VOID && u->n_src > 0 ? NULL : "it must have no dtype";
}

/* DEFINE_ACC and PHI */
static const char *
breach_of_accumulator (const LsUOp *u)
{
  guint first = u->op == LS_OP_PHI ? 2 : 1;
  if (u->n_src < first || !is_number (u->dtype) || u->src[0]->dtype != u->dtype || u->src[first - 1]->dtype != u->dtype)
    return "its sources have a different dtype";
  for (guint i = first; i < u->n_src; i++)
    if (u->src[i]->op != LS_OP_RANGE && u->src[i]->op != LS_OP_CONST)
      return "it reduces over a node that is not a range";
  if (u->op == LS_OP_PHI && u->src[0]->op != LS_OP_DEFINE_ACC && u->src[0]->op != LS_OP_VECTORIZE)
    return "its first source must be an accumulator";
  return NULL;
}

/* Conditions for all ops: sources, lanes and argument. */
static const char *
breach_of_form (const LsUOp *u)
{
  const LsOpInfo *info = ls_op_info (u->op);
  if (info->arity >= 0 && (int) u->n_src != info->arity)
    return "it has the wrong number of sources";
  if (ls_dtype_base (u->dtype) >= LS_N_BASES || ls_dtype_lanes (u->dtype) < 1 || ls_dtype_lanes (u->dtype) > MAX_LANES)
    return "it has more lanes than a vector may have";
  gboolean is_marked = u->op == LS_OP_LOAD && u->arg.kind == LS_ARG_INT && u->arg.i >= 0 && u->arg.i < MAX_AXES;      /* of a tile */
  gboolean is_named = (u->op == LS_OP_SINK && u->arg.kind == LS_ARG_STR) || ls_uop_is_text (u);
  if (has_form (u, is_named ? LS_FORM_STR : info->form) || is_marked)
    return NULL;
  if (u->op == LS_OP_CONST)
    return "its argument does not fit its dtype";
  return info->form == LS_FORM_NONE ? "it must have no argument" : "its argument is of the wrong kind";
}

/* Conditions that every later pass relies on without testing. */
static const char *
breach (const LsUOp *u)
{
  const char *what = breach_of_form (u);
  if (what || is_over_text (u))
    return what;
  if (ls_op_info (u->op)->op_class >= LS_CLASS_UNARY)
    return breach_of_alu (u);
  switch ((int) u->op) {
  case LS_OP_SINK: case LS_OP_NOOP: return ls_uop_is_text (u) || u->dtype == LS_VOID ? NULL : "it must have no dtype";
  case LS_OP_CONST: case LS_OP_IOTA: return breach_of_constant (u);
  case LS_OP_BUFFER: case LS_OP_DEFINE_GLOBAL: case LS_OP_DEFINE_LOCAL: case LS_OP_DEFINE_REG: case LS_OP_BIND:
  case LS_OP_DEFINE_VAR: return breach_of_define (u);
  case LS_OP_ASSIGN: case LS_OP_GRADIENT: case LS_OP_COPY: case LS_OP_CONTIGUOUS: case LS_OP_CONTIGUOUS_BACKWARD: case LS_OP_DETACH:
  case LS_OP_RESHAPE: case LS_OP_PERMUTE: case LS_OP_EXPAND: case LS_OP_PAD: case LS_OP_SHRINK: case LS_OP_FLIP:
  case LS_OP_LIMIT: case LS_OP_AT: return breach_of_tensor (u);
  case LS_OP_REDUCE_AXIS: case LS_OP_REDUCE: return breach_of_reduce (u);
  case LS_OP_VIEW: return breach_of_view (u);
  case LS_OP_RANGE: case LS_OP_SPECIAL: return breach_of_range (u);
  case LS_OP_VCONST: case LS_OP_VECTORIZE: case LS_OP_GEP: case LS_OP_UNROLL: return breach_of_lanes (u);
  case LS_OP_INDEX: case LS_OP_LOAD: case LS_OP_STORE: return breach_of_memory (u);
  case LS_OP_AFTER: case LS_OP_BARRIER: return breach_of_order (u);
  case LS_OP_ENDRANGE: return u->src[0]->op == LS_OP_RANGE ? NULL : "its source must be a range";
  case LS_OP_DEFINE_ACC: case LS_OP_PHI: return breach_of_accumulator (u);
  default: return "rules must not make this op";
  }
}

const char *
ls_spec_breach (const LsUOp *u)
{
  const char *what = breach (u);
  return !what && u->shape_state > 1 ? "the shapes of its sources do not fit it" : what;
}

LsUOp *
ls_spec_find (LsContext *ctx, LsUOp *root, const guint64 *gone, const char **what)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root);
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i];
    *what = ls_spec_breach (u);
    if (!*what && u->op == LS_OP_ENDRANGE)
      *what = "ENDRANGE is allowed in a kernel's list only, not in its graph";
    for (guint k = 0; gone && u->op == LS_OP_SINK && k < u->n_src && !*what; k++)
      if (u->src[k]->op != LS_OP_STORE && u->src[k]->op != LS_OP_SINK)
        *what = "the sources of a kernel's SINK must be stores";
    if (!*what && gone && ls_uop_is_text (u))
      *what = "a text is not allowed in a kernel";
    if (!*what && gone && u->op == LS_OP_DEFINE_VAR && u->arg.var->position < 0)      /* one that a program made */
      *what = "a kernel's variable must be one of its arguments";
    if (!*what && gone && u == root && u->op != LS_OP_SINK)
      *what = "the root of a kernel must be a SINK";
    if (!*what && gone && gone[u->op >> 6] >> (u->op & 63) & 1)
      *what = "this op is not allowed after the stage";
    if (*what)
      return u;
  }
  return NULL;
}

gboolean
ls_spec_check (LsContext *ctx, LsUOp *root, const char *stage, const guint64 *gone, GError **error)
{
  const char *what;
  const LsUOp *u = ls_spec_find (ctx, root, gone, &what);
  if (u)
    g_set_error (error, LS_ERROR, LS_ERROR_SPEC, "spec of %s: node %u (%s): %s", *stage ? stage : "every stage", u->id, ls_op_name (u->op),
                 what);
  return u == NULL;
}

void
ls_context_check_nodes (LsContext *ctx, gboolean check)
{
  ctx->checks = check;
}

gboolean ls_context_is_checked (LsContext *ctx) { return ctx->checks; }

void
ls_context_note_breach (LsContext *ctx, LsOp op, const char *what)
{
  if (ctx->checks && !ctx->breach)
    ctx->breach = g_strdup_printf ("%s: %s", ls_op_name (op), what);
}

gboolean ls_context_has_breach (LsContext *ctx) { return ctx->breach != NULL; }

char *
ls_context_take_breach (LsContext *ctx)
{
  return g_steal_pointer (&ctx->breach);
}

void
ls_uop_check_new (LsContext *ctx, const LsUOp *u)
{
  const char *what = ctx->breach ? NULL : breach (u);
  if (what)
    ctx->breach = g_strdup_printf ("node %u (%s): %s", u->id, ls_op_name (u->op), what);
}
