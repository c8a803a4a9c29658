/* The meaning of the arguments of RANGE and UNROLL: the only code that knows their layout. */
#pragma once
#include "uop.h"

#include <string.h>

/* RANGE: ints {axis, type, part} or {axis, type, part, place}. If options have split an axis, part 0 is the remaining range, and each
 * part that was split off has its own number. A loop that changed places with another axis' nests as if it had the number of its place;
 * options go on to call it by its axis. */
static inline gint64     ls_range_axis (const LsUOp *r) { return r->arg.ints[0]; }
static inline LsAxisType ls_range_type (const LsUOp *r) { return (LsAxisType) r->arg.ints[1]; }
static inline gint64     ls_range_part (const LsUOp *r) { return r->arg.n > 2 ? r->arg.ints[2] : 0; }
static inline gint64     ls_range_place (const LsUOp *r) { return r->arg.n > 3 ? r->arg.ints[3] : r->arg.ints[0]; }
static inline gint64     ls_range_size (const LsUOp *r) { return r->src[0]->vmax; }
/* Parts ascend in it as their loops nest: by axis, of an axis first what is left, then the parts from the one that was split off
 * last, so that counting through them all in this order counts through the axis. */
#define LS_MAX_PARTS    4096      /* of an axis */
#define LS_PART_AGAIN   2048      /* from here on: the loop over what the items of the part, less this, have put together (partials.c) */
#define LS_PART_TILE    4095      /* from here down: the loops that fill tiles, the first one first (tile.c) */
static inline gint64
ls_part_order (gint64 axis, gint64 part)
{
  return axis * LS_MAX_PARTS + (part > 0 ? LS_MAX_PARTS - part : 0);
}
static inline gint64 ls_range_order (const LsUOp *r) { return ls_part_order (ls_range_place (r), ls_range_part (r)); }

/* The SPECIAL that numbers a kernel's threads. Those of work items are called gidx… and lidx…. */
#define LS_THREAD_INDEX "core_id"
static inline gboolean ls_is_thread_index (const LsUOp *u) { return u->op == LS_OP_SPECIAL && u->arg.kind == LS_ARG_STR &&
                                                             strcmp (u->arg.str, LS_THREAD_INDEX) == 0; }

/* UNROLL: ints, {axis, part, size} for each range that its lanes run along, the last running fastest. */
static inline guint      ls_unroll_n_axes (const LsUOp *u) { return u->arg.n / 3; }
static inline gint64     ls_unroll_axis (const LsUOp *u, guint i) { return u->arg.ints[3 * i]; }
static inline gint64     ls_unroll_part (const LsUOp *u, guint i) { return u->arg.ints[3 * i + 1]; }
static inline gint64     ls_unroll_size (const LsUOp *u, guint i) { return u->arg.ints[3 * i + 2]; }
/* As ls_range_order of the range that it was; equal keys are one range. */
static inline gint64     ls_unroll_key  (const LsUOp *u, guint i) { return ls_part_order (u->arg.ints[3 * i], u->arg.ints[3 * i + 1]); }
