/* From a linear list to the interpreter's plan.
 *
 * Every value gets a slot per lane. A PHI shares the slots of its accumulator: it assigns them, and its users read their values after
 * the loops. An accumulator is set to its first value where the outermost of its ranges begins, wherever the list defines it, so that an
 * inner reduce starts afresh on each iteration of the loops around it. Pointers have no value: INDEX and CAST of pointers are resolved
 * here (also where VECTORIZE puts several together), and LOAD and STORE carry buffer, unit and slot of the index. An INDEX by a number
 * is an address, with the lanes of the access side by side; one by a vector is an address a lane.
 *
 * Lists are validated, since they come from recordings, too: sources must come before their uses, loops must nest, lanes must fit.
 */
#include "interp-private.h"

#include "fault.h"

#include <string.h>

#define MOST_LOCAL ((guint64) 1 << 28)      /* bytes of local memory */

typedef struct { LsPlanOp plan; LsUOp *node; guint at; } Block;

typedef struct {
  LsInterp   *interp;
  GHashTable *rows;         /* node -> row + 1 */
  guint32    *slots;        /* by row; LS_NO_SLOT: no value */
  GArray     *blocks;       /* Block: open RANGEs and IFs */
  GArray     *first_acc;    /* by row: accumulators (rows + 1) set before it, 0 for none … */
  GArray     *next_acc;     /* … and by accumulator's row the next one */
  guint       row;
  GError    **error;
} Planner;

G_GNUC_PRINTF (2, 3) static gboolean
fail (Planner *p, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (p->error, LS_ERROR, LS_ERROR_RUN, "node %u (%s): %s", p->interp->uops[p->row]->id, ls_op_name (p->interp->uops[p->row]->op),
               what);
  return FALSE;
}

static gboolean
fail_buffer (Planner *p)
{
  g_set_error (p->error, LS_FAULT, LS_FAULT_NO_BUFFER, "node %u (%s): there is no buffer of that number", p->interp->uops[p->row]->id,
               ls_op_name (p->interp->uops[p->row]->op));
  return FALSE;
}

static guint
row_of (Planner *p, const LsUOp *u)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (p->rows, u)) - 1;      /* G_MAXUINT: not in the list */
}

static guint32
new_slots (Planner *p, guint lanes)
{
  guint32 slot = p->interp->initial->len;
  g_array_set_size (p->interp->initial, slot + lanes);
  return slot;
}

static void
set_constant (Planner *p, const LsUOp *u, guint32 slot)
{
  for (guint k = 0; k < ls_dtype_lanes (u->dtype); k++) {
    LsArg arg = u->op == LS_OP_VCONST ? ls_arg_int (k < u->arg.n ? u->arg.ints[k] : 0) : u->arg;
    g_array_index (p->interp->initial, LsScalar, slot + k) = ls_scalar_from_arg (ls_dtype_scalar (u->dtype), arg);
  }
}

/* The slot of source k's value. A constant need not be in the list. */
static gboolean
source (Planner *p, const LsUOp *u, guint k, guint32 *slot)
{
  if (k >= u->n_src)
    return fail (p, "source %u is missing", k);
  const LsUOp *s = u->src[k];
  guint row = row_of (p, s);
  if (row == G_MAXUINT && s->op == LS_OP_CONST) {
    *slot = new_slots (p, ls_dtype_lanes (s->dtype));
    set_constant (p, s, *slot);
    return TRUE;
  }
  if (row >= p->row)
    return fail (p, row == G_MAXUINT ? "source %u is not in the list" : "source %u comes after it", k);
  if (p->slots[row] == LS_NO_SLOT)
    return fail (p, "source %u, a %s, has no value", k, ls_op_name (s->op));
  *slot = p->slots[row];
  return TRUE;
}

/* Source k as an operand of a value with that number of lanes. */
static gboolean
operand (Planner *p, LsPlan *plan, guint at, const LsUOp *u, guint k)
{
  if (!source (p, u, k, &plan->src[at]))
    return FALSE;
  guint lanes = ls_dtype_lanes (u->src[k]->dtype);
  plan->step[at] = lanes > 1;
  return lanes == 1 || lanes == plan->lanes ? TRUE : fail (p, "source %u has %u lanes, but needs %u", k, lanes, plan->lanes);
}

static guint
emit (Planner *p, LsPlan plan)
{
  plan.row = p->row;
  g_array_append_val (p->interp->code, plan);
  return p->interp->code->len - 1;
}

/* The INDEX behind a pointer, NULL if there is none, and its buffer: CASTs, at most one INDEX, DEFINE_*. */
static gboolean
find_index (Planner *p, const LsUOp *pointer, const LsUOp **index, const LsUOp **buffer)
{
  *index = NULL;
  for (; pointer->op == LS_OP_CAST || pointer->op == LS_OP_INDEX; pointer = pointer->src[0]) {
    if (pointer->n_src == 0 || !ls_dtype_is_ptr (pointer->src[0]->dtype))
      return fail (p, "a %s is not a pointer", ls_op_name (pointer->op));
    if (pointer->op == LS_OP_INDEX && *index)
      return fail (p, "the pointer is indexed twice");
    if (pointer->op == LS_OP_INDEX)
      *index = pointer;
  }
  *buffer = pointer;
  return TRUE;
}

static gboolean
set_buffer (Planner *p, const LsUOp *buffer, LsPlan *plan)
{
  guint row = row_of (p, buffer);
  if (buffer->op == LS_OP_DEFINE_GLOBAL && buffer->arg.kind == LS_ARG_INT && buffer->arg.i >= 0 && buffer->arg.i < p->interp->n_buffers)
    plan->buffer = (guint32) buffer->arg.i;
  else if ((buffer->op == LS_OP_DEFINE_LOCAL || buffer->op == LS_OP_DEFINE_REG) && row < p->row)
    plan->buffer = p->interp->n_buffers + p->slots[row];
  else if (buffer->op == LS_OP_DEFINE_GLOBAL)
    return fail_buffer (p);
  else
    return fail (p, "a %s is not a buffer", ls_op_name (buffer->op));
  return TRUE;
}

/* Slots brought together as the lanes of source at of the plan. */
static void
gather (Planner *p, LsPlan *plan, guint at, guint n, const guint32 *slots)
{
  LsPlan first = { .plan = LS_PLAN_GATHER, .op = plan->op, .lanes = (guint16) n, .helps = TRUE, .dst = new_slots (p, n),
                   .jump = p->interp->lanes->len };
  g_array_append_vals (p->interp->lanes, slots, n);
  emit (p, first);
  plan->src[at] = first.dst;
  plan->step[at] = n > 1;
}

/* Pointers that were put together, one a lane, all into the same buffer. */
static gboolean
lane_addresses (Planner *p, const LsUOp *pointers, LsPlan *plan)
{
  guint n = pointers->n_src;
  g_autofree guint32 *places = g_new (guint32, n), *gates = g_new (guint32, n);
  const LsUOp *first = NULL;
  for (guint k = 0; k < n; k++) {
    const LsUOp *index, *buffer;
    if (!find_index (p, pointers->src[k], &index, &buffer))
      return FALSE;
    if (!index || index->n_src < 2 || (first && first->src[0] != index->src[0]) || ls_dtype_lanes (index->src[1]->dtype) != 1 ||
        (first && first->n_src != index->n_src))
      return fail (p, "its pointers have different dtypes");
    if (!source (p, index, 1, &places[k]) || (index->n_src > 2 && !source (p, index, 2, &gates[k])) ||
        (!first && !set_buffer (p, buffer, plan)))
      return FALSE;
    first = index;
  }
  if (n != plan->lanes)
    return fail (p, "it has %u pointers, but needs %u", n, plan->lanes);
  plan->unit = ls_dtype_itemsize (first->src[0]->dtype) * ls_dtype_lanes (first->src[0]->dtype);
  plan->has_gate = first->n_src > 2;
  gather (p, plan, 0, n, places);
  if (plan->has_gate)
    gather (p, plan, 1, n, gates);
  return TRUE;
}

/* Buffer, unit and index behind a pointer. */
static gboolean
address (Planner *p, const LsUOp *pointer, LsPlan *plan)
{
  const LsUOp *index, *buffer;
  if (pointer->op == LS_OP_VECTORIZE)
    return lane_addresses (p, pointer, plan);
  if (!find_index (p, pointer, &index, &buffer) || !set_buffer (p, buffer, plan))
    return FALSE;
  LsDType counted = index ? index->src[0]->dtype : buffer->dtype;
  plan->unit = ls_dtype_itemsize (counted) * ls_dtype_lanes (counted);
  plan->src[0] = LS_NO_SLOT;
  if (index == NULL)
    return TRUE;
  plan->has_gate = index->n_src > 2;
  if (!operand (p, plan, 0, index, 1) || (plan->has_gate && !operand (p, plan, 1, index, 2)))
    return FALSE;
  return plan->step[0] || !plan->step[1] ? TRUE : fail (p, "one address has a gate for each lane");
}

static gboolean
plan_memory (Planner *p, const LsUOp *u)
{
  gboolean is_load = u->op == LS_OP_LOAD;
  if (u->n_src < (is_load ? 1 : 2) || !ls_dtype_is_ptr (u->src[0]->dtype))
    return fail (p, "its first source is not a pointer");
  LsDType value = is_load ? u->dtype : u->src[1]->dtype;
  LsPlan plan = { .plan = is_load ? LS_PLAN_LOAD : LS_PLAN_STORE, .op = (guint8) u->op, .lanes = (guint16) ls_dtype_lanes (value) };
  plan.dtype = ls_dtype_scalar (u->src[0]->dtype);
  if (ls_dtype_scalar (value) != plan.dtype)
    return fail (p, "a value of %s through a pointer to %s", ls_dtype_name (value), ls_dtype_name (plan.dtype));
  if (ls_dtype_itemsize (plan.dtype) == 0 || !address (p, u->src[0], &plan))
    return ls_dtype_itemsize (plan.dtype) ? FALSE : fail (p, "memory has no elements of void");
  if (is_load) {
    if (plan.has_gate && !operand (p, &plan, 2, u, 1))
      return FALSE;
    plan.dst = p->slots[p->row] = new_slots (p, plan.lanes);
  } else if (!operand (p, &plan, 2, u, 1))
    return FALSE;
  emit (p, plan);
  return TRUE;
}

static gboolean
plan_alu (Planner *p, const LsUOp *u)
{
  guint arity = (guint) ls_op_info (u->op)->arity;
  LsPlan plan = { .plan = LS_PLAN_ALU, .op = (guint8) u->op, .lanes = (guint16) ls_dtype_lanes (u->dtype),
                  .library = u->library && (u->op == LS_OP_EXP2 || u->op == LS_OP_LOG2 || u->op == LS_OP_SIN) };
  if (u->n_src != arity)
    return fail (p, "it has %u sources, not %u", u->n_src, arity);
  for (guint k = 0; k < arity; k++)
    if (!operand (p, &plan, k, u, k))
      return FALSE;
  plan.dtype = ls_dtype_scalar (u->dtype);
  plan.src_dtype = ls_dtype_scalar (u->src[arity - 1]->dtype);
  if (u->op == LS_OP_BITCAST && ls_dtype_itemsize (plan.dtype) != ls_dtype_itemsize (plan.src_dtype))
    return fail (p, "%s and %s differ in size", ls_dtype_name (plan.src_dtype), ls_dtype_name (plan.dtype));
  plan.dst = p->slots[p->row] = new_slots (p, plan.lanes);
  emit (p, plan);
  return TRUE;
}

static gboolean
plan_gather (Planner *p, const LsUOp *u)
{
  LsPlan plan = { .plan = LS_PLAN_GATHER, .op = (guint8) u->op, .lanes = (guint16) ls_dtype_lanes (u->dtype),
                  .jump = p->interp->lanes->len };
  guint n = 0;
  guint32 slot;
  if (u->op == LS_OP_VECTORIZE)
    for (guint k = 0; k < u->n_src; k++) {
      if (!source (p, u, k, &slot))
        return FALSE;
      for (guint lane = 0; lane < ls_dtype_lanes (u->src[k]->dtype); lane++, slot++, n++)
        g_array_append_val (p->interp->lanes, slot);
    }
  else {
    if (!source (p, u, 0, &slot))
      return FALSE;
    const gint64 *wanted = u->arg.kind == LS_ARG_INTS ? u->arg.ints : &u->arg.i;
    for (n = 0; n < (u->arg.kind == LS_ARG_INTS ? u->arg.n : u->arg.kind == LS_ARG_INT ? 1 : 0); n++) {
      if (wanted[n] < 0 || wanted[n] >= ls_dtype_lanes (u->src[0]->dtype))
        return fail (p, "lane %" G_GINT64_FORMAT " of %u", wanted[n], ls_dtype_lanes (u->src[0]->dtype));
      guint32 lane = slot + (guint32) wanted[n];
      g_array_append_val (p->interp->lanes, lane);
    }
  }
  if (n != plan.lanes)
    return fail (p, "it has %u lanes, but needs %u", n, plan.lanes);
  plan.dst = p->slots[p->row] = new_slots (p, plan.lanes);
  emit (p, plan);
  return TRUE;
}

/* The first value of an accumulator, put before the plan of the current row. */
static gboolean
plan_acc_start (Planner *p, guint acc_row)
{
  const LsUOp *acc = p->interp->uops[acc_row];
  LsPlan plan = { .plan = LS_PLAN_COPY, .op = LS_OP_DEFINE_ACC, .lanes = (guint16) ls_dtype_lanes (acc->dtype), .dst = p->slots[acc_row] };
  if (!operand (p, &plan, 0, acc, 0))
    return FALSE;
  guint at = emit (p, plan);
  g_array_index (p->interp->code, LsPlan, at).row = acc_row;
  return TRUE;
}

/* Where source k of the vector is held: it is an accumulator, or a lane of one. */
static gboolean
accumulator_slot (Planner *p, const LsUOp *accs, guint k, guint32 *slot)
{
  const LsUOp *a = accs->src[k];
  if (a->op == LS_OP_DEFINE_ACC)
    return source (p, accs, k, slot);
  if (a->op != LS_OP_GEP || a->src[0]->op != LS_OP_DEFINE_ACC || a->arg.n != 1 || a->arg.ints[0] < 0 ||
      a->arg.ints[0] >= ls_dtype_lanes (a->src[0]->dtype) || !source (p, a, 0, slot))
    return FALSE;
  *slot += (guint32) a->arg.ints[0];
  return TRUE;
}

/* Combined accumulators: each takes its lane, and the PHI has their values. */
static gboolean
plan_phi_lanes (Planner *p, const LsUOp *u)
{
  const LsUOp *accs = u->src[0];
  guint n = accs->n_src;
  LsPlan all = { .plan = LS_PLAN_GATHER, .op = LS_OP_PHI, .lanes = (guint16) n, .dst = new_slots (p, n) }, next = all;
  g_autofree guint32 *slots = g_new (guint32, n);
  if (n != ls_dtype_lanes (u->dtype) || !operand (p, &next, 0, u, 1))
    return n != ls_dtype_lanes (u->dtype) ? fail (p, "its number of lanes differs from its number of accumulators") : FALSE;
  for (guint k = 0; k < n; k++) {
    LsPlan copy = { .plan = LS_PLAN_COPY, .op = LS_OP_PHI, .lanes = 1, .helps = TRUE, .src = { next.src[0] + k * next.step[0] } };
    if (!accumulator_slot (p, accs, k, &slots[k]))
      return fail (p, "source 0 must consist of accumulators only");
    copy.dst = slots[k];
    emit (p, copy);
  }
  for (guint k = 2; k < u->n_src; k++)
    if (u->src[k]->op == LS_OP_RANGE && (u->src[k]->n_src == 0 || u->src[k]->src[0]->vmin < 1))
      return fail (p, "its loop may have no iteration");
  all.jump = p->interp->lanes->len;
  g_array_append_vals (p->interp->lanes, slots, n);
  p->slots[p->row] = all.dst;
  emit (p, all);
  return TRUE;
}

static gboolean
plan_phi (Planner *p, const LsUOp *u)
{
  LsPlan plan = { .plan = LS_PLAN_COPY, .op = LS_OP_PHI, .lanes = (guint16) ls_dtype_lanes (u->dtype) };
  const LsUOp *acc = u->n_src > 0 ? u->src[0] : NULL;
  if (acc != NULL && acc->op == LS_OP_VECTORIZE)
    return plan_phi_lanes (p, u);
  if (acc == NULL || (acc->op != LS_OP_DEFINE_ACC && acc->op != LS_OP_PHI))
    return fail (p, "its first source is not an accumulator");
  if (acc->dtype != u->dtype)
    return fail (p, "its dtype differs from its accumulator's");
  if (!source (p, u, 0, &plan.dst) || !operand (p, &plan, 0, u, 1))
    return FALSE;
  p->slots[p->row] = plan.dst;
  emit (p, plan);
  return TRUE;
}

static gboolean
open_block (Planner *p, LsUOp *u, LsPlanOp kind)
{
  LsPlan plan = { .plan = kind, .op = (guint8) u->op, .lanes = 1 };
  if (!operand (p, &plan, 0, u, 0))
    return FALSE;
  if (kind == LS_PLAN_RANGE) {
    if (!ls_dtype_is_int (u->src[0]->dtype))
      return fail (p, "its size is not an integer");
    plan.dst = p->slots[p->row] = new_slots (p, 1);
  }
  Block block = { kind, u, emit (p, plan) };
  g_array_append_val (p->blocks, block);
  return TRUE;
}

static gboolean
close_block (Planner *p, const LsUOp *u, LsPlanOp kind)
{
  Block *block = p->blocks->len ? &g_array_index (p->blocks, Block, p->blocks->len - 1) : NULL;
  if (block == NULL || block->plan != kind || u->n_src < 1 || u->src[0] != block->node)
    return fail (p, "it does not end the innermost open block");
  LsPlan *open = &g_array_index (p->interp->code, LsPlan, block->at);
  if (kind == LS_PLAN_RANGE) {
    LsPlan plan = { .plan = LS_PLAN_ENDRANGE, .op = (guint8) u->op, .dst = open->dst, .src = { open->src[0] }, .jump = block->at + 1 };
    guint at = block->at;
    emit (p, plan);
    open = &g_array_index (p->interp->code, LsPlan, at);
  }
  open->jump = p->interp->code->len;
  g_array_set_size (p->blocks, p->blocks->len - 1);
  return TRUE;
}

static gboolean
plan_special (Planner *p, const LsUOp *u)
{
  if (u->n_src != 1 || u->src[0]->op != LS_OP_CONST || u->src[0]->arg.kind != LS_ARG_INT || u->arg.kind != LS_ARG_STR)
    return fail (p, "it has no name or no constant size");
  LsPlanItem item = { new_slots (p, 1), u->src[0]->arg.i, u->arg.str[0] == 'l' };
  p->slots[p->row] = item.slot;
  g_array_append_val (p->interp->items, item);
  return TRUE;
}

static gboolean
plan_local (Planner *p, const LsUOp *u)
{
  guint64 item = (guint64) ls_dtype_itemsize (u->dtype) * ls_dtype_lanes (u->dtype);
  if (!ls_dtype_is_ptr (u->dtype) || item == 0 || ls_dtype_ptr_size (u->dtype) > MOST_LOCAL / item)
    return fail (p, "there is no local memory of that size");
  gsize size = (gsize) (ls_dtype_ptr_size (u->dtype) * item);
  p->slots[p->row] = p->interp->locals->len;      /* not a slot: only address() reads it */
  g_array_append_val (p->interp->locals, size);
  return TRUE;
}

/* Its value does not change while the kernel runs. */
static gboolean
plan_variable (Planner *p, const LsUOp *u)
{
  const LsVar *var = u->arg.kind == LS_ARG_VAR ? u->arg.var : NULL;
  const LsBuffer *b = var && var->position >= 0 && var->position < p->interp->n_buffers ? p->interp->buffers[var->position] : NULL;
  if (!b || b->n < 1 || !b->data)
    return fail (p, "it has no value");
  LsScalar value = ls_scalar_load (b->dtype, b->data);
  if (value.i < var->min || value.i > var->max)
    return fail (p, "its value is outside its bounds");
  p->slots[p->row] = new_slots (p, 1);
  g_array_index (p->interp->initial, LsScalar, p->slots[p->row]) = value;
  return TRUE;
}

static gboolean
plan_row (Planner *p)
{
  LsUOp *u = p->interp->uops[p->row];
  for (guint acc = g_array_index (p->first_acc, guint, p->row); acc; acc = g_array_index (p->next_acc, guint, acc - 1))
    if (!plan_acc_start (p, acc - 1))
      return FALSE;
  LsPlan barrier = { .plan = LS_PLAN_BARRIER, .op = LS_OP_BARRIER };
  gboolean is_pointer = ls_dtype_is_ptr (u->dtype);
  switch ((int) u->op) {
  case LS_OP_CONST:
  case LS_OP_VCONST:
    p->slots[p->row] = new_slots (p, ls_dtype_lanes (u->dtype));
    set_constant (p, u, p->slots[p->row]);
    return TRUE;
  case LS_OP_DEFINE_VAR:   return plan_variable (p, u);
  case LS_OP_DEFINE_ACC:      /* has its slots since before the first row */
  case LS_OP_DEFINE_GLOBAL:
  case LS_OP_INDEX:
  case LS_OP_NOOP:
  case LS_OP_AFTER:
  case LS_OP_SINK:
    return TRUE;
  case LS_OP_DEFINE_LOCAL:
  case LS_OP_DEFINE_REG:   return plan_local (p, u);
  case LS_OP_SPECIAL:      return plan_special (p, u);
  case LS_OP_LOAD:
  case LS_OP_STORE:        return plan_memory (p, u);
  case LS_OP_PHI:          return plan_phi (p, u);
  case LS_OP_VECTORIZE:
  case LS_OP_GEP:          return is_pointer ? TRUE : plan_gather (p, u);
  case LS_OP_RANGE:        return open_block (p, u, LS_PLAN_RANGE);
  case LS_OP_IF:           return open_block (p, u, LS_PLAN_IF);
  case LS_OP_ENDRANGE:     return close_block (p, u, LS_PLAN_RANGE);
  case LS_OP_ENDIF:        return close_block (p, u, LS_PLAN_IF);
  case LS_OP_BARRIER:
    p->interp->has_barrier = TRUE;
    emit (p, barrier);
    return TRUE;
  default:
    if (is_pointer && u->op == LS_OP_CAST)
      return TRUE;
    if (!is_pointer && (ls_op_is_alu (u->op) || u->op == LS_OP_CAST || u->op == LS_OP_BITCAST || u->op == LS_OP_PRECAST))
      return plan_alu (p, u);
    return fail (p, "it is not allowed in a linear list");
  }
}

/* Slots of accumulators, and before which row each is set. */
static void
place_accumulators (Planner *p)
{
  LsInterp *interp = p->interp;
  for (guint row = 0; row < interp->n_uops; row++) {
    const LsUOp *u = interp->uops[row];
    if (u->op != LS_OP_DEFINE_ACC)
      continue;
    p->slots[row] = new_slots (p, ls_dtype_lanes (u->dtype));
    guint at = G_MAXUINT;
    for (guint k = 1; k < u->n_src; k++)
      at = MIN (at, row_of (p, u->src[k]));
    at = at == G_MAXUINT ? row : at;
    g_array_index (p->next_acc, guint, row) = g_array_index (p->first_acc, guint, at);
    g_array_index (p->first_acc, guint, at) = row + 1;
  }
}

static gboolean
plan_list (Planner *p)
{
  LsInterp *interp = p->interp;
  place_accumulators (p);
  for (p->row = 0; p->row < interp->n_uops; p->row++)
    if (!plan_row (p))
      return FALSE;
  if (p->blocks->len) {
    p->row = row_of (p, g_array_index (p->blocks, Block, p->blocks->len - 1).node);
    return fail (p, "it has no end");
  }
  LsPlan end = { .plan = LS_PLAN_END };
  emit (p, end);
  return TRUE;
}

LsInterp *
ls_interp_new (guint n_uops, LsUOp *const *uops, guint n_buffers, LsBuffer *const *buffers, GError **error)
{
  LsInterp *interp = g_new0 (LsInterp, 1);
  interp->code = g_array_new (FALSE, TRUE, sizeof (LsPlan));
  interp->lanes = g_array_new (FALSE, TRUE, sizeof (guint32));
  interp->initial = g_array_new (FALSE, TRUE, sizeof (LsScalar));
  interp->items = g_array_new (FALSE, TRUE, sizeof (LsPlanItem));
  interp->locals = g_array_new (FALSE, TRUE, sizeof (gsize));
  interp->n_uops = n_uops;
  interp->uops = uops;
  interp->n_buffers = n_buffers;
  interp->buffers = buffers;

  g_autoptr (GHashTable) rows = g_hash_table_new (NULL, NULL);
  for (guint row = n_uops; row-- > 0;)
    g_hash_table_insert (rows, uops[row], GUINT_TO_POINTER (row + 1));
  g_autoptr (GArray) blocks = g_array_new (FALSE, FALSE, sizeof (Block));
  g_autoptr (GArray) first_acc = g_array_new (FALSE, TRUE, sizeof (guint));
  g_autoptr (GArray) next_acc = g_array_new (FALSE, TRUE, sizeof (guint));
  g_array_set_size (first_acc, n_uops);
  g_array_set_size (next_acc, n_uops);
  g_autofree guint32 *slots = g_new (guint32, n_uops + 1);
  memset (slots, 0xff, (n_uops + 1) * sizeof *slots);

  Planner planner = { interp, rows, slots, blocks, first_acc, next_acc, 0, error };
  if (!plan_list (&planner))
    g_clear_pointer (&interp, ls_interp_free);
  return interp;
}

void
ls_interp_free (LsInterp *interp)
{
  g_array_unref (interp->code);
  g_array_unref (interp->lanes);
  g_array_unref (interp->initial);
  g_array_unref (interp->items);
  g_array_unref (interp->locals);
  g_free (interp);
}
