/* Layouts of graphs that are not a step, and dot's, by their inputs: the position or the two roots, the base that they follow, folding
 * and collapsing, the engine. The oldest goes first. */
#include "graph-view-private.h"

#define CACHED     64
#define CACHE_SIZE 4000      /* nodes; larger layouts are not kept */

typedef struct {
  guint32       before, after;
  guint         pass, step, base, base_step, collapsed, hidden;
  gboolean      fold, diff;
  LsGraphEngine engine;
} LayoutKey;

static guint
key_hash (gconstpointer p)
{
  const LayoutKey *k = p;
  return k->before * 2654435761u ^ k->after * 40503u ^ k->step
         * 2246822519u ^ (guint) (k->fold * 2 + k->diff) ^ (guint) k->engine << 4 ^ k->collapsed;
}

static gboolean
key_equal (gconstpointer a, gconstpointer b)
{
  const LayoutKey *x = a, *y = b;
  return x->before == y->before && x->after == y->after && x->pass == y->pass && x->step == y->step && x->base == y->base &&
         x->base_step == y->base_step && x->collapsed == y->collapsed && x->hidden == y->hidden &&
         x->fold == y->fold && x->diff == y->diff && x->engine == y->engine;
}

static LayoutKey
key_of (LsGraphView *view, const LsScene *scene)
{
  return (LayoutKey) { scene->root_before, scene->root_after, view->pass ? view->pass->index + 1 : 0, view->step,
                       view->base ? view->base->index + 1 : 0, view->base_step, scene->collapsed, scene->hidden, view->fold,
                       scene->is_diff, view->engine };
}

void
ls_graph_cache_forget (LsGraphView *view)
{
  g_queue_clear (&view->cache_order);
  g_hash_table_remove_all (view->cache);
}

void
ls_graph_cache_put (LsGraphView *view, const LsScene *scene, LsLayout *layout)
{
  LayoutKey key = key_of (view, scene);
  if (layout->n > CACHE_SIZE || g_hash_table_contains (view->cache, &key))
    return;
  LayoutKey *k = g_memdup2 (&key, sizeof key);
  g_hash_table_insert (view->cache, k, ls_layout_ref (layout));
  g_queue_push_tail (&view->cache_order, k);
  if (g_queue_get_length (&view->cache_order) > CACHED)
    g_hash_table_remove (view->cache, g_queue_pop_head (&view->cache_order));
}

LsLayout *
ls_graph_cache_get (LsGraphView *view, const LsScene *scene)
{
  LayoutKey key = key_of (view, scene);
  LsLayout *known = g_hash_table_lookup (view->cache, &key);
  return known && known->n == scene->n_nodes && known->n_edges == scene->n_edges ? known : NULL;
}

void
ls_graph_cache_init (LsGraphView *view)
{
  view->cache = g_hash_table_new_full (key_hash, key_equal, g_free, (GDestroyNotify) ls_layout_unref);
  g_queue_init (&view->cache_order);
}

void
ls_graph_cache_free (LsGraphView *view)
{
  g_queue_clear (&view->cache_order);
  g_hash_table_unref (view->cache);
}
