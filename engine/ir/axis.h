/* What the arguments of RANGE and UNROLL say: the one place that knows how they are laid out. */
#pragma once
#include "uop.h"

G_BEGIN_DECLS

/* RANGE: ints {axis, type, part}. */
static inline gint64     ls_range_axis (const LsUOp *r) { return r->arg.ints[0]; }
static inline LsAxisType ls_range_type (const LsUOp *r) { return (LsAxisType) r->arg.ints[1]; }
static inline gint64     ls_range_size (const LsUOp *r) { return r->src[0]->vmax; }
/* Ranges ascend in it as their loops nest: by axis, the outer part of a split one first. */
static inline gint64     ls_range_order (const LsUOp *r) { return r->arg.ints[0] * 16 + (r->arg.n > 2 ? r->arg.ints[2] : 0); }

/* UNROLL: ints, a pair {key, size} for each axis, the last running fastest. The key says which part of which axis it is. */
static inline guint      ls_unroll_n_axes (const LsUOp *u) { return u->arg.n / 2; }
static inline gint64     ls_unroll_key  (const LsUOp *u, guint i) { return u->arg.ints[2 * i]; }
static inline gint64     ls_unroll_size (const LsUOp *u, guint i) { return u->arg.ints[2 * i + 1]; }
/* As ls_range_order of the range that it was. */
static inline gint64     ls_unroll_order (const LsUOp *u, guint i) { return ls_unroll_key (u, i) / LS_N_AXIS * 16 + 1 + ls_unroll_key (u, i) % LS_N_AXIS; }

G_END_DECLS
