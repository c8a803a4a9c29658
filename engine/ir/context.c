/* The context: memory of nodes and of what they point to, and maps from nodes to values.
 *
 * Everything lives in an arena. What replay makes of a recording has one of its own, which is cut back when nobody looks at it any more: the
 * nodes made last are dropped first, so that the table of nodes is then what it was before they were made. Maps are arrays indexed by id whose
 * slots carry the epoch in which they were written, so that a fresh map costs nothing: passes over small kernels in a context of many nodes stay
 * proportional to the kernel.
 */
#include "context-private.h"

#include <string.h>

#define CHUNK_SIZE (256 * 1024)

typedef struct { char *end, data[]; } Chunk;

void *
ls_pool_alloc (LsPool *pool, gsize size)
{
  size = (size + 7) & ~(gsize) 7;
  if (G_UNLIKELY ((gsize) (pool->end - pool->top) < size)) {
    gsize n = sizeof (Chunk) + MAX (size, pool->chunks->len == 0 ? 64 * 1024 : CHUNK_SIZE);
    Chunk *chunk = g_malloc (n);
    chunk->end = pool->end = (char *) chunk + n;
    pool->top = chunk->data;
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
  guint32 slot = h & ctx->interned_mask;
  while (ctx->interned[slot].data) {
    if (ctx->interned[slot].hash == h && ctx->interned[slot].size == size && (size == 0 || memcmp (ctx->interned[slot].data, data, size) == 0))
      return ctx->interned[slot].data;
    slot = (slot + 1) & ctx->interned_mask;
  }
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

LsContext *
ls_context_new (void)
{
  LsContext *ctx = g_new0 (LsContext, 1);
  ctx->ref_count = 1;
  ctx->arena.chunks = g_ptr_array_new_with_free_func (g_free);
  ctx->loose.chunks = g_ptr_array_new_with_free_func (g_free);
  ctx->nodes_size = 512;
  ctx->nodes = g_new (LsUOp *, ctx->nodes_size);
  ctx->table_mask = 1023;
  ctx->table = g_new0 (guint32, ctx->table_mask + 1);
  ctx->interned_mask = 255;
  ctx->interned = g_malloc0 (sizeof *ctx->interned * (ctx->interned_mask + 1));
  ctx->free_maps = g_ptr_array_new ();
  return ctx;
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
  g_ptr_array_unref (ctx->loose.chunks);
  g_free (ctx->nodes);
  g_free (ctx->table);
  g_free (ctx->interned);
  g_free (ctx->breach);
  g_free (ctx);
}

guint  ls_context_n_nodes (LsContext *ctx) { return ctx->n_nodes; }
LsUOp *ls_context_node (LsContext *ctx, guint32 id) { return id < ctx->n_nodes ? ctx->nodes[id] : NULL; }
LsUOp **ls_context_dup_nodes (LsContext *ctx, guint n) { return g_memdup2 (ctx->nodes, (gsize) n * sizeof *ctx->nodes); }
guint  ls_context_n_loose (LsContext *ctx) { return ctx->keeps ? ctx->n_nodes - ctx->n_kept : 0; }
guint64 ls_context_n_made (LsContext *ctx) { return ctx->n_made; }
guint  ls_context_next_buffer (LsContext *ctx) { return ctx->next_buffer++; }

void
ls_context_keep (LsContext *ctx)
{
  ctx->keeps = TRUE;
  ctx->n_kept = ctx->n_nodes;
  if (ctx->loose.chunks->len) {      /* what was loose is kept from now on */
    g_ptr_array_extend_and_steal (ctx->arena.chunks, ctx->loose.chunks);
    ctx->loose = (LsPool) { g_ptr_array_new_with_free_func (g_free), NULL, NULL };
  }
}

void
ls_context_drop (LsContext *ctx, guint n)
{
  n = MAX (n, ctx->n_kept);
  if (!ctx->keeps || n >= ctx->n_nodes)
    return;
  char *from = (char *) ctx->nodes[n];
  for (guint32 id = ctx->n_nodes; id-- > n;) {      /* what came last into the table stands in nobody's way */
    guint32 slot = ctx->nodes[id]->hash & ctx->table_mask;
    while (ctx->table[slot] != id + 1)
      slot = (slot + 1) & ctx->table_mask;
    ctx->table[slot] = 0;
  }
  ctx->n_nodes = n;
  LsPool *loose = &ctx->loose;
  Chunk *last;
  while (last = loose->chunks->pdata[loose->chunks->len - 1], from < last->data || from >= last->end)
    g_ptr_array_set_size (loose->chunks, (int) loose->chunks->len - 1);
  loose->end = last->end;
  loose->top = from;
}

static int
by_id (gconstpointer a, gconstpointer b)
{
  guint32 x = (*(LsUOp *const *) a)->id, y = (*(LsUOp *const *) b)->id;
  return x < y ? -1 : x > y;
}

LsRenumbering *
ls_context_compact (LsContext *ctx, guint n, const guint32 *ids)
{
  LsRenumbering *r = g_new (LsRenumbering, 1);
  *r = (LsRenumbering) { ctx->keeps ? ctx->n_kept : ctx->n_nodes, g_hash_table_new (NULL, NULL) };
  g_autoptr (GPtrArray) roots = g_ptr_array_new (), copies = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < n; i++)
    if (ids[i] >= r->n_kept && ids[i] < ctx->n_nodes)
      g_ptr_array_add (roots, ctx->nodes[ids[i]]);
  g_autoptr (GPtrArray) nodes = ls_uop_toposort_many (ctx, (LsUOp *const *) roots->pdata, roots->len);
  g_ptr_array_sort (nodes, by_id);      /* sources before what stands over them */
  for (guint i = 0; i < nodes->len; i++) {
    const LsUOp *u = nodes->pdata[i];
    LsUOp *copy = u->id < r->n_kept ? NULL : g_memdup2 (u, sizeof *u + u->n_src * sizeof (LsUOp *));
    for (guint k = 0; copy && k < u->n_src; k++)
      copy->src[k] = GUINT_TO_POINTER (u->src[k]->id);
    if (copy)
      g_ptr_array_add (copies, copy);
  }
  ls_context_drop (ctx, r->n_kept);
  for (guint i = 0; i < copies->len; i++) {
    LsUOp *copy = copies->pdata[i];
    for (guint k = 0; k < copy->n_src; k++)
      copy->src[k] = ctx->nodes[ls_renumbering_get (r, GPOINTER_TO_UINT (copy->src[k]))];
    LsUOp *u = ls_uop_new_tag (ctx, copy->op, copy->dtype, copy->n_src, copy->src, copy->arg, copy->tag);
    g_hash_table_insert (r->ids, GUINT_TO_POINTER (copy->id), GUINT_TO_POINTER (u->id));
  }
  return r;
}

void
ls_renumbering_free (LsRenumbering *r)
{
  g_hash_table_unref (r->ids);
  g_free (r);
}

guint32
ls_renumbering_get (const LsRenumbering *r, guint32 id)
{
  gpointer now;
  return id < r->n_kept ? id : g_hash_table_lookup_extended (r->ids, GUINT_TO_POINTER (id), NULL, &now) ? GPOINTER_TO_UINT (now) : G_MAXUINT32;
}

LsNodeMap *
ls_node_map_acquire (LsContext *ctx)
{
  LsNodeMap *map;
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
  g_ptr_array_add (ctx->free_maps, map);
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
