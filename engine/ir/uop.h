/* LsUOp: the only node of the IR, from tensor graph to linear list, and LsContext, which owns nodes.
 *
 * Nodes are immutable and hash-consed: within a context equal nodes are the same pointer, so equality is ==. A node
 * is named outside the engine by its id, which counts up from 0 in order of creation: the sources of a recorded node have
 * smaller ids, and ids are the same in every run of the same program. Node and argument memory belongs to the context.
 * No function here recurses on the depth of a graph.
 */
#pragma once
#include <glib.h>
#include "dtype.h"
#include "op.h"
#include "tag.h"

typedef struct _LsContext LsContext;
typedef struct _LsUOp     LsUOp;
typedef struct _LsTracker LsTracker;    /* shape tracker, view.h */
typedef struct _LsNames   LsNames;      /* what loops are called, names.h */

typedef enum {
  LS_ARG_NONE,
  LS_ARG_INT,      /* i: CONST of integers and bool, ids, positions */
  LS_ARG_FLOAT,    /* f: CONST of floats, compared by bits */
  LS_ARG_INTS,     /* ints[n]: shapes, axes, permutations, pairs */
  LS_ARG_STR,      /* str: names */
  LS_ARG_OP_INTS,  /* op and ints[n]: REDUCE_AXIS (op, axes), REDUCE (op) */
  LS_ARG_TRACKER,  /* tracker: VIEW */
  LS_ARG_VAR,      /* var: BIND, DEFINE_VAR */
} LsArgKind;

/* A variable: its name, its least and largest value and, where it is an argument of a kernel, its position, else -1. */
typedef struct {
  const char *name;
  gint64      min, max, position;
} LsVar;

/* The argument of a node. ints, str, tracker and var point to memory interned in the context. */
typedef struct {
  guint8  kind;
  guint8  op;      /* LS_ARG_OP_INTS */
  union {
    guint32 n;     /* LS_ARG_INTS, LS_ARG_OP_INTS */
    gint32  rest;  /* LS_ARG_FLOAT: by how many of a double's last places the written number is beyond f; arguments that differ in it
                    * alone are equal */
  };
  union {
    gint64           i;
    double           f;
    const gint64    *ints;
    const char      *str;
    const LsTracker *tracker;
    const LsVar     *var;
    guint64          bits;
  };
} LsArg;

#define LS_MAX_DIMS 64      /* axes of any shape, intermediate ones included */

/* How many of an axis there are where a variable says so: of times as many; of NULL: as many as the axis has in memory. */
typedef struct {
  LsUOp  *of;
  gint64  times;
} LsSize;

/* dims: how many of each axis there are in memory, which is the most that a variable allows; sizes: how many there are, or NULL where
 * no variable says. */
typedef struct {
  guint         n;
  const gint64 *dims;
  const LsSize *sizes;
} LsShape;

struct _LsUOp {
  guint32   id;
  guint16   op;        /* LsOp */
  guint16   tag;       /* told apart by equality (tag.h); 0 for most */
  guint32   n_src;
  guint32   hash;
  LsDType   dtype;
  LsArg     arg;
  /* cached properties; use the functions below */
  gint64    vmin, vmax;
  guint8    bounds_state;
  guint8    shape_state;
  guint8    sized;          /* are the sizes that variables say behind dims? */
  guint8    library;        /* EXP2, LOG2, SIN: the C library's function? (ls_context_use_library) */
  guint32   n_dims;
  const gint64 *dims;
  LsUOp    *src[];
};

/* For n_dims axes, if a variable bounds one; else NULL. */
static inline const LsSize *
ls_uop_sizes (const LsUOp *u)
{
  return u->sized ? (const LsSize *) (u->dims + u->n_dims) : NULL;
}

typedef enum {
#define X(NAME, ...) LS_AXIS_##NAME,
#include "axis.def"
#undef X
  LS_N_AXIS
} LsAxisType;

/* A row of axis.def. */
typedef struct {
  const char *name;                        /* "loop" */
  guint8      place, appended_place;       /* among the axes of a kernel's name */
  const char *info_name;                   /* in KernelInfo, and its number and terminal colour there */
  guint       info_number, info_color;
  guint32     colors[4];                   /* 0xrrggbb: light, dark, and both with high contrast */
} LsAxisInfo;
extern const LsAxisInfo ls_axis_types[LS_N_AXIS];
const char *ls_axis_type_name (LsAxisType type);

LsContext *ls_context_new      (void);
LsContext *ls_context_new_over (LsContext *base);
LsContext *ls_context_ref      (LsContext *ctx);
void       ls_context_unref    (LsContext *ctx);
guint      ls_context_n_nodes  (LsContext *ctx);
/* The node of that id, or NULL. */
LsUOp     *ls_context_node     (LsContext *ctx, guint32 id);
/* Whether constants that are made by ls_uop_const_f from now on keep the digits that they were written with; contexts over it do as
 * it does. */
void       ls_context_keep_digits (LsContext *ctx, gboolean keep);
/* Whether EXP2, LOG2 and SIN of nodes that are made from now on are the C library's functions (TRANSCENDENTAL=0, and recordings before
 * schema 13), not the engine's own; contexts over it do as it does. */
void       ls_context_use_library (LsContext *ctx, gboolean use);
/* Memory that lives as long as the context, 8-aligned. */
void      *ls_context_alloc    (LsContext *ctx, gsize size);
/* How much was made since the context was: nodes, each with its sources and the numbers in its argument. */
guint64    ls_context_n_made  (LsContext *ctx);
guint64    ls_context_bytes   (LsContext *ctx);      /* of memory, without that of the one it lies over */
/* The next unused number of a kind of named thing (buffers, ranges, accumulators): 0, 1, 2, … */
guint      ls_context_next_buffer (LsContext *ctx);
/* From now on the ids (guint32) of nodes that are asked for and are there already are added to found, the caller's; NULL: no more.
 * Returns the earlier value. */
GArray    *ls_context_note_found  (LsContext *ctx, GArray *found);
/* Buffers that are made from now on are numbered from there on: in a context over another one, to make what that one has once more. */
void       ls_context_number_buffers (LsContext *ctx, guint next);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsContext, ls_context_unref)

/* The node with these fields; an existing one when there is an equal one. src and arg memory is copied or interned. */
LsUOp *ls_uop_new       (LsContext *ctx, LsOp op, LsDType dtype, guint n_src, LsUOp *const *src, LsArg arg);
LsUOp *ls_uop_new_tag   (LsContext *ctx, LsOp op, LsDType dtype, guint n_src, LsUOp *const *src, LsArg arg, guint16 tag);
/* The node with u's fields over these sources, or NULL where the context has none: nothing is made. */
LsUOp *ls_uop_find      (LsContext *ctx, const LsUOp *u, LsUOp *const *src);
/* A new node with u's fields over these sources, named id: for a graph whose nodes are named by the nodes that they continue
 * (trace/graph.h). The context has no equal one of its own. */
LsUOp *ls_uop_new_named (LsContext *ctx, const LsUOp *u, LsUOp *const *src, guint32 id);
LsUOp *ls_uop_new0      (LsContext *ctx, LsOp op, LsDType dtype, LsArg arg);
LsUOp *ls_uop_new1      (LsContext *ctx, LsOp op, LsDType dtype, LsUOp *a, LsArg arg);
LsUOp *ls_uop_new2      (LsContext *ctx, LsOp op, LsDType dtype, LsUOp *a, LsUOp *b, LsArg arg);
LsUOp *ls_uop_new3      (LsContext *ctx, LsOp op, LsDType dtype, LsUOp *a, LsUOp *b, LsUOp *c, LsArg arg);
/* ALU with the dtype that the op gives: bool (of as many lanes) for comparisons, the second source's for WHERE, else the first's. */
LsUOp *ls_uop_alu       (LsContext *ctx, LsOp op, guint n_src, LsUOp *const *src);
LsUOp *ls_uop_alu1      (LsContext *ctx, LsOp op, LsUOp *a);
LsUOp *ls_uop_alu2      (LsContext *ctx, LsOp op, LsUOp *a, LsUOp *b);
LsUOp *ls_uop_alu3      (LsContext *ctx, LsOp op, LsUOp *a, LsUOp *b, LsUOp *c);
/* Integer and bool constants are wrapped to the dtype, floats rounded to it. A vector dtype gives VECTORIZE of equal lanes. */
LsUOp *ls_uop_const_i   (LsContext *ctx, LsDType dtype, gint64 value);
LsUOp *ls_uop_const_f   (LsContext *ctx, LsDType dtype, double value);
/* A shallow copy with other sources (n_src of them may differ from u's); u itself when they are the same. */
LsUOp *ls_uop_with_src  (LsContext *ctx, LsUOp *u, guint n_src, LsUOp *const *src);
LsUOp *ls_uop_cast      (LsContext *ctx, LsUOp *u, LsDType dtype);      /* u itself when it has the dtype */

LsArg ls_arg_none    (void);
LsArg ls_arg_int     (gint64 i);
LsArg ls_arg_float   (double f);
/* The number of further numbers in an argument. */
static inline guint ls_arg_count (LsArg arg) { return arg.kind == LS_ARG_FLOAT ? 0 : arg.n; }
/* For floats: f is value rounded to it, and rest the lost part, so that the digits stay as they were written; other dtypes keep no rest. */
LsArg ls_arg_written (LsDType dtype, double value);
/* f, or the number that was written for it. */
double ls_arg_as_written (LsArg arg);
LsArg ls_arg_ints    (LsContext *ctx, guint n, const gint64 *ints);
LsArg ls_arg_str     (LsContext *ctx, const char *str);
LsArg ls_arg_op_ints (LsContext *ctx, LsOp op, guint n, const gint64 *ints);
LsArg ls_arg_tracker (LsContext *ctx, const LsTracker *tracker);
LsArg ls_arg_var     (LsContext *ctx, const char *name, gint64 min, gint64 max, gint64 position);
gboolean ls_arg_equal (LsArg a, LsArg b);

static inline gboolean ls_uop_is_const (const LsUOp *u) { return u->op == LS_OP_CONST; }
/* CONST (or a vector of equal ones) with that value, whatever its dtype; out may be NULL. */
gboolean ls_uop_const_value (const LsUOp *u, LsArg *out);

/* Nodes below root in post-order (sources first, in source order), root last; each once. Free with g_ptr_array_unref. */
GPtrArray *ls_uop_toposort    (LsContext *ctx, LsUOp *root);
GPtrArray *ls_uop_toposort_many (LsContext *ctx, LsUOp *const *roots, guint n);
/* The same without the sources of the nodes at which it ends. ends: or NULL. */
GPtrArray *ls_uop_toposort_down_to (LsContext *ctx, LsUOp *const *roots, guint n, gboolean (*ends) (gpointer data, const LsUOp *u),
                                    gpointer data);

/* The shape of a node, computed by its op's rule without recursion and cached. FALSE and error (LS_ERROR_SHAPE) on
 * misuse; ls_uop_shape asserts that there is one. Kernel-level nodes after `lower` have no shape. */
gboolean ls_uop_get_shape (LsContext *ctx, LsUOp *u, LsShape *shape, GError **error);
LsShape  ls_uop_shape     (LsContext *ctx, LsUOp *u);
static inline gboolean ls_uop_has_shape (const LsUOp *u) { return u->shape_state == 1; }
gint64   ls_shape_size    (LsShape shape);
gboolean ls_shape_equal   (LsShape a, LsShape b);
char    *ls_shape_to_string (LsShape shape);      /* "(2, 3)", "(3,)", "()", "(n, 3)" */
/* The size of an axis as an index node, or NULL: it is its number. */
LsUOp   *ls_shape_size_of (LsContext *ctx, LsShape shape, guint axis);
/* The number of a size, where bound gives the value of each BIND's BUFFER, or DEFINE_VAR: index arithmetic of ADD and MUL. */
gint64   ls_size_number   (const LsUOp *size, gint64 (*bound) (gpointer data, const LsUOp *variable), gpointer data);
/* A shape without a variable. */
static inline LsShape ls_shape_of_memory (LsShape shape) { return (LsShape) { shape.n, shape.dims, NULL }; }

/* Inclusive bounds of an integer, bool or index node's values (each lane of it); the dtype's range when nothing is known.
 * For uint64 the bounds are of the value seen as int64 when it is known to fit, else the whole int64 range. */
void ls_uop_bounds (LsContext *ctx, LsUOp *u, gint64 *vmin, gint64 *vmax);
/* The largest integer known to divide every value of u (1 when nothing is known; 0 for the constant 0). */
gint64 ls_uop_divisor (LsUOp *u);

/* A map from nodes of one context to 64-bit values, cleared in no time. Maps nest: acquire, use, release in stack order.
 * get returns FALSE where nothing was set since acquire. */
typedef struct _LsNodeMap LsNodeMap;
LsNodeMap *ls_node_map_acquire (LsContext *ctx);
void       ls_node_map_release (LsContext *ctx, LsNodeMap *map);
struct _LsNodeMap {
  guint32  epoch, capacity;
  struct { guint32 epoch; guint32 pad; guint64 value; } *slots;
  LsContext *ctx;
};
void ls_node_map_grow (LsNodeMap *map, guint32 id);
static inline gboolean
ls_node_map_get (LsNodeMap *map, const LsUOp *u, guint64 *value)
{
  if (u->id >= map->capacity || map->slots[u->id].epoch != map->epoch)
    return FALSE;
  *value = map->slots[u->id].value;
  return TRUE;
}
static inline void
ls_node_map_set (LsNodeMap *map, const LsUOp *u, guint64 value)
{
  if (u->id >= map->capacity)
    ls_node_map_grow (map, u->id);
  map->slots[u->id].epoch = map->epoch;
  map->slots[u->id].value = value;
}
static inline gboolean ls_node_map_has (LsNodeMap *map, const LsUOp *u) { return u->id < map->capacity &&
                                                                          map->slots[u->id].epoch == map->epoch; }
static inline LsUOp *
ls_node_map_get_node (LsNodeMap *map, const LsUOp *u)
{
  return ls_node_map_has (map, u) ? (LsUOp *) (gsize) map->slots[u->id].value : NULL;
}
static inline void ls_node_map_set_node (LsNodeMap *map, const LsUOp *u, LsUOp *v) { ls_node_map_set (map, u, (guint64) (gsize) v); }
/* u over the replacements of its sources, which are all in the map; u itself if none changed. */
LsUOp *ls_uop_over_changed (LsContext *ctx, LsUOp *u, LsNodeMap *map);
static inline LsUOp *
ls_uop_over (LsContext *ctx, LsUOp *u, LsNodeMap *map)
{
  for (guint i = 0; i < u->n_src; i++)
    if (ls_node_map_get_node (map, u->src[i]) != u->src[i])
      return ls_uop_over_changed (ctx, u, map);
  return u;
}

/* Errors a user, a file, a compiler or the system can cause. */
#define LS_ERROR (ls_error_quark ())
GQuark ls_error_quark (void);
typedef enum {
  LS_ERROR_SHAPE,      /* a shape does not fit an op */
  LS_ERROR_DTYPE,      /* a dtype does not fit an op */
  LS_ERROR_SYNTAX,     /* a program, rule file or text form does not parse */
  LS_ERROR_PROGRAM,    /* a program is wrong when run: name, type, value */
  LS_ERROR_RULE,       /* a rule or rule set is wrong */
  LS_ERROR_REWRITE,    /* a rewrite does not end */
  LS_ERROR_SPEC,       /* a graph breaks its stage's spec */
  LS_ERROR_SCHEDULE,   /* no schedule: a cycle */
  LS_ERROR_COMPILE,    /* the compiler refused the source */
  LS_ERROR_RUN,        /* the kernel crashed, timed out or exited */
  LS_ERROR_FILE,       /* a recording cannot be read or written */
  LS_ERROR_USAGE,      /* a setting, option or argument that does not exist */
  LS_ERROR_INTERNAL,   /* an invariant broke */
} LsError;
