/* Memory shared with the runner: one memfd, mapped once over a large reserved range, from which buffers are cut. */
#pragma once
#include <glib.h>

typedef struct {
  int      fd;
  guint8  *base;
  guint64  reserved;      /* bytes of address space; no buffer ends behind it */
  guint64  end;           /* bytes of the file that are backed */
  GArray  *free;          /* LsArenaBlock by offset, no two touching */
} LsArena;

typedef struct { guint64 offset, size; } LsArenaBlock;

/* NULL and LS_ERROR_RUN when the system gives no shared memory. */
LsArena *ls_arena_new     (GError **error);
void     ls_arena_free    (LsArena *arena);
/* In the child of a fork: the same contents at the same addresses, in memory that the parent does not share. FALSE and LS_ERROR_RUN
 * when there is none. */
gboolean ls_arena_copy    (LsArena *arena, GError **error);
/* Zeroed memory at a multiple of 64 bytes (of 4096 from that size on). FALSE and LS_ERROR_RUN when there is no room. */
gboolean ls_arena_alloc   (LsArena *arena, guint64 size, guint64 *offset, GError **error);
/* size as it was asked for. */
void     ls_arena_release (LsArena *arena, guint64 offset, guint64 size);
