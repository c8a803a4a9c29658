/* Shared by the two files of linearize: linearize-nesting.c determines the loops of each node and the nesting of loops, linearize.c
 * orders the nodes. The types are theirs alone. */
#pragma once
#include "linearize.h"

#define ROOT 0               /* block of the nodes outside all loops; range r is block r + 1 */
#define NOWHERE G_MAXUINT

typedef struct {
  LsUOp  *node;
  guint   before;        /* place in the order of nesting */
  guint   parent;        /* block around the loop */
  guint   depth;
  guint  *outer;         /* ranges that enclose it, ascending in before; n_outer of them */
  guint   n_outer;
  GArray *needs;         /* items that must be there before the loop */
  GArray *items;         /* positions of the block's own nodes, in depth-first order */
  GArray *loops;         /* ranges directly inside, in order of first appearance */
  GArray *accs, *phis;   /* accumulators defined before this loop, PHIs at its end */
  guint8  state;         /* of the loop as an item */
  guint8  late;
} Range;

typedef struct { guint n; guint *ranges; } Set;      /* ascending in range number */

typedef struct {
  guint   set;         /* ranges the node is computed in */
  guint   outside;     /* set its users inherit */
  guint   block;       /* where it stands */
  guint   home;        /* block where its value is known: block, but for a PHI the block around its loops */
  guint8  state;       /* 0, 1 entered, 2 emitted */
  guint8  late;        /* depends on an inner loop of its block */
} Node;

typedef struct { guint item, next; } Frame;      /* an item being emitted, and which of its needs is next */

typedef struct {
  LsContext  *ctx;
  GPtrArray  *topo;
  LsNodeMap  *position;
  gboolean    items;        /* work items count as loops, around all others */
  Node       *nodes;
  GArray     *ranges;       /* Range; number 0 is block 1 */
  Range       root;         /* the block outside of all loops */
  GPtrArray  *sets;         /* Set */
  GHashTable *set_index, *unions;
  GArray     *stack;        /* Frame */
  GPtrArray  *out;
  GError    **error;
} Lin;

/* The sources of a node before the ranges that it names: a PHI, REDUCE, AFTER and a register's STORE end these, a DEFINE_ACC comes
 * before them. */
static inline guint
n_values (const LsUOp *u)
{
  guint n = u->op == LS_OP_PHI || u->op == LS_OP_STORE ? 2 : u->op == LS_OP_DEFINE_ACC || u->op == LS_OP_REDUCE ? 1 : 0;
  if (u->op == LS_OP_STORE || u->op == LS_OP_AFTER)
    while (n < u->n_src && u->src[n]->op != LS_OP_RANGE)
      n++;
  return n > 0 || u->op == LS_OP_AFTER ? MIN (n, u->n_src) : u->n_src;
}
/* Who reads such a node is outside of the loops that it ends. */
static inline gboolean ends_loops (const LsUOp *u) { return u->op != LS_OP_DEFINE_ACC && n_values (u) < u->n_src; }

static inline Range *range_at (Lin *l, guint r)     { return &g_array_index (l->ranges, Range, r); }
static inline Range *block_at (Lin *l, guint block) { return block == ROOT ? &l->root : range_at (l, block - 1); }
static inline LsUOp *node_at  (Lin *l, guint i)     { return l->topo->pdata[i]; }

guint    ls_lin_position  (Lin *l, const LsUOp *u);                      /* in depth-first order */
gboolean ls_lin_fail      (Lin *l, const char *why, LsUOp *u);           /* FALSE, with LS_ERROR_SPEC */
guint    ls_lin_set       (Lin *l, guint n, const guint *ranges);        /* the number of a set; 0: the empty one */
int      ls_lin_range     (Lin *l, const LsUOp *range);                  /* its number, or -1 */
/* the set of ranges that a DEFINE_ACC, PHI or AFTER names from that source on */
guint    ls_lin_named     (Lin *l, const LsUOp *u, guint first);
guint    ls_lin_outermost (Lin *l, guint set);                           /* range, or NOWHERE */
guint    ls_lin_innermost (Lin *l, guint set);
void     ls_lin_sets_init (Lin *l);
void     ls_lin_sets_clear (Lin *l);
/* Fills set and outside of every node, and before, outer, parent and depth of every range. */
gboolean ls_lin_settle    (Lin *l);
