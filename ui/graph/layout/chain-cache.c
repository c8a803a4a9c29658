/* The cache of a chain: the layouts that were seen last, and only the positions for those on the way to them. */
#include "chain-private.h"

#include <math.h>

#define MAX_COST 3000000      /* boxes, edges and bends that are remembered */
#define MAX_KEPT 2000000      /* boxes whose places alone are remembered */

static guint
key_hash (gconstpointer p)
{
  const LsChainKey *k = p;
  return k->pass * 2654435761u ^ k->step * 40503u ^ (guint) k->fold;
}

static gboolean
key_equal (gconstpointer a, gconstpointer b)
{
  const LsChainKey *x = a, *y = b;
  return x->pass == y->pass && x->step == y->step && !x->fold == !y->fold;
}

static void
entry_free (LsChainEntry *e)
{
  ls_layout_unref (e->layout);
  g_free (e);
}

LsLayout *
ls_chain_find (LsChain *chain, LsChainKey key)
{
  LsChainEntry *e = g_hash_table_lookup (chain->entries, &key);
  if (!e)
    return NULL;
  g_queue_unlink (&chain->order, &e->link);
  g_queue_push_tail_link (&chain->order, &e->link);
  return e->layout;
}

void
ls_chain_remember (LsChain *chain, LsChainKey key, LsLayout *layout)
{
  LsChainEntry *old = g_hash_table_lookup (chain->entries, &key), *e = g_new0 (LsChainEntry, 1);
  *e = (LsChainEntry) { .key = key, .layout = layout, .cost = 64 + 2 * layout->n + layout->first[layout->n_edges] };
  e->link.data = e;
  if (old) {
    g_queue_unlink (&chain->order, &old->link);
    chain->cost -= old->cost;
    g_hash_table_remove (chain->entries, &key);
  }
  g_hash_table_insert (chain->entries, &e->key, e);
  g_queue_push_tail_link (&chain->order, &e->link);
  chain->cost += e->cost;
  while (chain->cost > MAX_COST && chain->order.length > 1) {
    LsChainEntry *oldest = g_queue_pop_head_link (&chain->order)->data;
    chain->cost -= oldest->cost;
    g_hash_table_remove (chain->entries, &oldest->key);
  }
}

void
ls_chain_places_unref (LsChainCoordinates *p)
{
  if (!p || --p->ref_count)
    return;
  g_free (p->id);
  g_free (p->box);
  g_free (p->x);
  g_free (p->rank);
  ls_outline_unref (p->outline);
  g_free (p);
}

LsChainCoordinates *
ls_chain_find_places (LsChain *chain, LsChainKey key)
{
  LsChainCoordinates *p = g_hash_table_lookup (chain->kept, &key);
  if (!p)
    return NULL;
  g_queue_unlink (&chain->kept_order, &p->link);
  g_queue_push_tail_link (&chain->kept_order, &p->link);
  p->ref_count++;
  return p;
}

LsChainCoordinates *
ls_chain_keep_places (LsChain *chain, LsChainKey key, LsChainPlan *plan, const LsLayout *l)
{
  guint n = plan->in->n;
  LsChainCoordinates *p = g_new0 (LsChainCoordinates, 1), *old = g_hash_table_lookup (chain->kept, &key);
  *p = (LsChainCoordinates) { .ref_count = 2, .key = key, .n = n, .n_ids = plan->n_ids, .id = g_steal_pointer (&plan->id),
                         .box = g_steal_pointer (&plan->box), .x = g_new (float, MAX (n, 1)), .rank = g_new (gint32, MAX (n, 1)),
                  .outline = ls_outline_ref (l->outline) };
  p->link.data = p;
  for (guint i = 0; i < n; i++) {
    p->x[i] = l->x[i] + plan->in->width[i] / 2;
    p->rank[i] = (gint32) lroundf (l->y[i] / LS_RANK_PITCH);
  }
  if (old) {
    g_queue_unlink (&chain->kept_order, &old->link);
    chain->n_kept -= old->n;
    g_hash_table_remove (chain->kept, &key);
  }
  g_hash_table_insert (chain->kept, &p->key, p);
  g_queue_push_tail_link (&chain->kept_order, &p->link);
  chain->n_kept += n;
  while (chain->n_kept > MAX_KEPT && chain->kept_order.length > 1) {
    LsChainCoordinates *oldest = g_queue_pop_head_link (&chain->kept_order)->data;
    chain->n_kept -= oldest->n;
    g_hash_table_remove (chain->kept, &oldest->key);
  }
  return p;
}

LsLayout *
ls_chain_peek (LsChain *chain, const LsPass *pass, guint step, gboolean fold)
{
  return ls_chain_find (chain, (LsChainKey) { pass->index, step, fold });
}

LsChain *
ls_chain_new (LsTrace *trace)
{
  g_return_val_if_fail (trace != NULL, NULL);
  LsChain *chain = g_new0 (LsChain, 1);
  chain->ref_count = 1;
  chain->trace = ls_trace_ref (trace);
  chain->entries = g_hash_table_new_full (key_hash, key_equal, NULL, (GDestroyNotify) entry_free);
  g_queue_init (&chain->order);
  chain->kept = g_hash_table_new_full (key_hash, key_equal, NULL, (GDestroyNotify) ls_chain_places_unref);
  g_queue_init (&chain->kept_order);
  return chain;
}

LsChain *
ls_chain_ref (LsChain *chain)
{
  chain->ref_count++;
  return chain;
}

void
ls_chain_unref (LsChain *chain)
{
  if (!chain || --chain->ref_count)
    return;
  g_hash_table_unref (chain->entries);
  g_hash_table_unref (chain->kept);
  g_free (chain->starts);
  ls_trace_unref (chain->trace);
  g_free (chain);
}
