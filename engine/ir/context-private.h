/* Inside of LsContext: arenas, intern table, node table, node maps. For engine/ir only. */
#pragma once
#include "uop.h"

/* Where a node with that hash stands among the nodes, + 1; 0: nowhere. */
typedef struct { guint32 hash, at; } LsNodePlace;

/* Chunks are never moved. */
typedef struct { GPtrArray *chunks; char *top, *end; gsize bytes; } LsPool;      /* bytes: of all chunks */

struct _LsContext {
  gint        ref_count;
  LsContext  *base;        /* what it lies over, or NULL */
  guint32     first;       /* id of its first node: so many are below */
  LsPool      arena;
  /* nodes by id less first, and the open-addressing table of their places by hash; with the hashes there, a search touches no other node */
  LsUOp     **nodes;
  guint32     n_nodes, nodes_size;
  LsNodePlace *table;
  guint32     table_mask;
  /* interned byte strings (int arrays, names, views, trackers) */
  struct { const void *data; guint32 size, hash; } *interned;
  guint32     n_interned, interned_mask;
  /* node maps that are not in use */
  GPtrArray  *free_maps;
  guint       next_buffer;
  guint64     n_made;
  GArray     *found;       /* guint32: nodes that were asked for and there already; NULL: nobody wants to know */
  /* SPEC=2: nodes are checked when they are made; the first breach waits here */
  gboolean    checks;
  gboolean    keeps_digits;
  gboolean    library;     /* exp2, log2 and sin are the C library's */
  char       *breach;
};

void       *ls_pool_alloc    (LsPool *pool, gsize size);
/* The one copy of these bytes in the context, 8-aligned. */
const void *ls_context_intern (LsContext *ctx, const void *data, guint32 size);
/* Fills the cached properties of a new node from its sources'. */
void        ls_uop_init_bounds (LsUOp *u);
void        ls_uop_init_shape  (LsContext *ctx, LsUOp *u);
/* Notes a breach of the spec by a new node. */
void        ls_uop_check_new    (LsContext *ctx, const LsUOp *u);

static inline guint32
ls_context_mix (guint32 h, guint64 v)
{
  guint64 x = (h ^ v) * G_GUINT64_CONSTANT (0x9E3779B97F4A7C15);
  return (guint32) (x ^ (x >> 32));
}
