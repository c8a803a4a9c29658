/* The context: memory of nodes and of their data, and maps from nodes to values.
 *
 * Everything lives in an arena. A context over another one finds that one's nodes and keeps only new ones, so that a recording can be
 * asked and replayed without growing. Maps are arrays indexed by id whose slots carry the epoch in which they were written, so that a
 * fresh map costs nothing: passes over small kernels in a context of many nodes stay proportional to the kernel. Contexts over another
 * one use its maps.
 */
#include "context-private.h"

#include <string.h>

#define FIRST_CHUNK (8 * 1024)      /* each is twice the one before, up to 32 times this */

typedef struct { char *end, data[]; } Chunk;

void *
ls_pool_alloc (LsPool *pool, gsize size)
{
  size = (size + 7) & ~(gsize) 7;
  if (G_UNLIKELY ((gsize) (pool->end - pool->top) < size)) {
    gsize n = sizeof (Chunk) + MAX (size, (gsize) FIRST_CHUNK << MIN (pool->chunks->len, 5));
    Chunk *chunk = g_malloc (n);
    chunk->end = pool->end = (char *) chunk + n;
    pool->top = chunk->data;
    pool->bytes += n;
    g_ptr_array_add (pool->chunks, chunk);
  }
  void *p = pool->top;
  pool->top += size;
  return p;
}

void *
ls_context_alloc (LsContext *ctx, gsize size)
{
  return ls_pool_alloc (&ctx->arena, size);
}

static const void *
find_interned (const LsContext *ctx, const void *data, guint32 size, guint32 h)
{
  for (; ctx; ctx = ctx->base)
    for (guint32 slot = h & ctx->interned_mask; ctx->interned[slot].data; slot = (slot + 1) & ctx->interned_mask)
      if (ctx->interned[slot].hash == h && ctx->interned[slot].size == size &&
          (size == 0 || memcmp (ctx->interned[slot].data, data, size) == 0))
        return ctx->interned[slot].data;
  return NULL;
}

const void *
ls_context_intern (LsContext *ctx, const void *data, guint32 size)
{
  guint32 h = ls_context_mix (0x51ed270b, size);
  const guchar *bytes = data;
  guint32 i = 0;
  for (; i + 8 <= size; i += 8) {
    guint64 v;
    memcpy (&v, bytes + i, 8);
    h = ls_context_mix (h, v);
  }
  for (; i < size; i++)
    h = ls_context_mix (h, bytes[i]);
  const void *known = find_interned (ctx, data, size, h);
  if (known)
    return known;
  guint32 slot = h & ctx->interned_mask;
  while (ctx->interned[slot].data)
    slot = (slot + 1) & ctx->interned_mask;
  void *copy = ls_context_alloc (ctx, MAX (size, 1));
  if (size > 0)
    memcpy (copy, data, size);
  ctx->interned[slot].data = copy;
  ctx->interned[slot].size = size;
  ctx->interned[slot].hash = h;
  if (++ctx->n_interned * 2 > ctx->interned_mask) {
    guint32 old_size = ctx->interned_mask + 1, mask = old_size * 2 - 1;
    typeof (ctx->interned) old = ctx->interned;
    ctx->interned = g_malloc0 (sizeof *old * (mask + 1));
    for (guint32 k = 0; k < old_size; k++) {
      if (!old[k].data)
        continue;
      guint32 s = old[k].hash & mask;
      while (ctx->interned[s].data)
        s = (s + 1) & mask;
      ctx->interned[s] = old[k];
    }
    ctx->interned_mask = mask;
    g_free (old);
  }
  return copy;
}

static LsContext *
context_new (LsContext *base, guint n)
{
  LsContext *ctx = g_new0 (LsContext, 1);
  ctx->ref_count = 1;
  ctx->base = base;
  ctx->arena.chunks = g_ptr_array_new_with_free_func (g_free);
  ctx->nodes_size = n;
  ctx->nodes = g_new (LsUOp *, ctx->nodes_size);
  ctx->table_mask = 2 * n - 1;
  ctx->table = g_new0 (LsNodePlace, ctx->table_mask + 1);
  ctx->interned_mask = n / 2 - 1;
  ctx->interned = g_malloc0 (sizeof *ctx->interned * (ctx->interned_mask + 1));
  ctx->free_maps = g_ptr_array_new ();
  return ctx;
}

LsContext *
ls_context_new (void)
{
  return context_new (NULL, 512);
}

/* *
 * ls_context_new_over:
 * @base: another context, referenced; nothing may be made in it while this one lives
 *
 * Nodes made in it that @base has are those of @base; the others go with it, and their ids follow those of @base.
 *
 * Returns: (transfer full): a context for temporary nodes
 */
LsContext *
ls_context_new_over (LsContext *base)
{
  LsContext *ctx = context_new (ls_context_ref (base), 64);
  ctx->first = ls_context_n_nodes (base);
  ctx->next_buffer = base->next_buffer;
  ctx->keeps_digits = base->keeps_digits;
  ctx->library = base->library;
  return ctx;
}

void
ls_context_use_library (LsContext *ctx, gboolean use)
{
  ctx->library = use;
}

void
ls_context_keep_digits (LsContext *ctx, gboolean keep)
{
  ctx->keeps_digits = keep;
}

LsContext *
ls_context_ref (LsContext *ctx)
{
  g_atomic_int_inc (&ctx->ref_count);
  return ctx;
}

void
ls_context_unref (LsContext *ctx)
{
  if (ctx == NULL || !g_atomic_int_dec_and_test (&ctx->ref_count))
    return;
  for (guint i = 0; i < ctx->free_maps->len; i++) {
    LsNodeMap *map = ctx->free_maps->pdata[i];
    g_free (map->slots);
    g_free (map);
  }
  g_ptr_array_unref (ctx->free_maps);
  g_ptr_array_unref (ctx->arena.chunks);
  g_free (ctx->nodes);
  g_free (ctx->table);
  g_free (ctx->interned);
  g_free (ctx->breach);
  ls_context_unref (ctx->base);
  g_free (ctx);
}

guint  ls_context_n_nodes (LsContext *ctx) { return ctx->first + ctx->n_nodes; }
guint64 ls_context_n_made (LsContext *ctx) { return ctx->n_made; }

guint64
ls_context_bytes (LsContext *ctx)
{
  guint64 tables = ctx->nodes_size * sizeof *ctx->nodes + (ctx->table_mask + (guint64) 1) * sizeof *ctx->table
                   + (ctx->interned_mask + (guint64) 1) * sizeof *ctx->interned;
  return ctx->arena.bytes + tables;
}
guint  ls_context_next_buffer (LsContext *ctx) { return ctx->next_buffer++; }

GArray *
ls_context_note_found (LsContext *ctx, GArray *found)
{
  GArray *before = ctx->found;
  ctx->found = found;
  return before;
}

void   ls_context_number_buffers (LsContext *ctx, guint next) { ctx->next_buffer = next; }

LsUOp *
ls_context_node (LsContext *ctx, guint32 id)
{
  while (id < ctx->first)
    ctx = ctx->base;
  return id - ctx->first < ctx->n_nodes ? ctx->nodes[id - ctx->first] : NULL;
}

LsNodeMap *
ls_node_map_acquire (LsContext *ctx)
{
  LsNodeMap *map;
  while (ctx->base)
    ctx = ctx->base;
  if (ctx->free_maps->len > 0) {
    map = ctx->free_maps->pdata[--ctx->free_maps->len];
  } else {
    map = g_new0 (LsNodeMap, 1);
    map->ctx = ctx;
  }
  if (++map->epoch == 0) {
    if (map->slots)
      memset (map->slots, 0, map->capacity * sizeof *map->slots);
    map->epoch = 1;
  }
  return map;
}

void
ls_node_map_release (LsContext *ctx, LsNodeMap *map)
{
  g_ptr_array_add (map->ctx->free_maps, map);
}

/* Zeroed memory of that size is the kernel's, and comes page by page as it is written: a map of a few nodes among many touches few. */
void
ls_node_map_grow (LsNodeMap *map, guint32 id)
{
  guint32 capacity = MAX (MAX (map->capacity * 2, id + 1), map->ctx->n_nodes + map->ctx->n_nodes / 2 + 64);
  gpointer slots = g_malloc0_n (capacity, sizeof *map->slots);
  if (map->slots)
    memcpy (slots, map->slots, map->capacity * sizeof *map->slots);
  g_free (map->slots);
  map->slots = slots;
  map->capacity = capacity;
}
