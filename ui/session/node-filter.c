/* Which nodes of a graph are index arithmetic, constants or movement.
 *
 *   up    what is made of constants, ranges and variables alone may be index arithmetic, as long as it is an integer or a condition
 *   down  it is, unless something uses it as data: a store's value, an operand of what is not index arithmetic. What only hidden
 *         constants and index arithmetic use goes with them; of movement the sources are kept, and take its place.
 */
#include "node-filter.h"

#include <glib/gi18n.h>

#define X(name, word, title) { word, title },
const LsHiddenClass ls_hidden_classes[LS_N_HIDDEN] = {
#include "session/node-filter.def"
};
#undef X

enum { PLAIN = 1, USED = 2, KEPT = 4, DATA = 8 };

static gboolean
is_leaf (const LsUOp *u)
{
  return u->op == LS_OP_CONST || u->op == LS_OP_VCONST || u->op == LS_OP_RANGE || u->op == LS_OP_SPECIAL || u->op == LS_OP_DEFINE_VAR ||
         u->op == LS_OP_BIND;
}

/* Arithmetic, casts and vectors put together. */
static gboolean
computes (const LsUOp *u)
{
  return ls_op_info (u->op)->op_class >= LS_CLASS_VECTOR;
}

static guint
flags_of (LsNodeMap *map, const LsUOp *u)
{
  guint64 flags;
  return ls_node_map_get (map, u, &flags) ? (guint) flags : 0;
}

static void
find_plain (const LsGraph *graph, LsNodeMap *map)
{
  for (guint i = 0; i < graph->nodes->len; i++) {
    LsUOp *u = graph->nodes->pdata[i];
    gboolean plain = is_leaf (u) || (u->n_src && computes (u));
    for (guint s = 0; s < u->n_src && plain && !is_leaf (u); s++)
      plain = flags_of (map, u->src[s]) & PLAIN;
    ls_node_map_set (map, u, plain ? PLAIN : 0);
  }
}

static guint
class_of (const LsUOp *u, guint flags)
{
  if ((ls_op_is_movement (u->op) || ls_op_is_slice (u->op) || u->op == LS_OP_VIEW) && u->n_src)
    return LS_HIDE_MOVEMENT;
  gboolean whole = (ls_dtype_is_int (u->dtype) || ls_dtype_is_bool (u->dtype)) && !ls_dtype_is_ptr (u->dtype);
  if (u->op == LS_OP_CONST || u->op == LS_OP_VCONST)
    return LS_HIDE_CONSTANTS | (whole && !(flags & DATA) ? LS_HIDE_INDEX : 0);
  return flags & PLAIN && whole && !(flags & DATA) ? LS_HIDE_INDEX : 0;
}

/* Whether a node that is not hidden takes a source as data. */
static gboolean
is_data (const LsUOp *user, guint source)
{
  const LsUOp *u = user->src[source];
  return (user->op == LS_OP_STORE && source > 0 && u->op != LS_OP_RANGE && !ls_dtype_is_bool (u->dtype)) ||
         (computes (user) && !(user->op == LS_OP_WHERE && source == 0));
}

/**
 * ls_node_filter:
 * @graph: a graph
 * @classes: LsHidden
 *
 * Returns: (transfer full): of the nodes of @graph that belong to one of @classes the id + 1, and the class; never the graph's root
 */
GHashTable *
ls_node_filter (const LsGraph *graph, guint classes)
{
  GHashTable *hidden = g_hash_table_new (NULL, NULL);
  if (!graph || !(classes & LS_HIDE_ALL))
    return hidden;
  LsNodeMap *map = ls_node_map_acquire (graph->ctx);
  find_plain (graph, map);
  for (guint i = graph->nodes->len; i-- > 0; ) {
    const LsUOp *u = graph->nodes->pdata[i];
    guint flags = flags_of (map, u), class = flags & USED ? class_of (u, flags) & classes : 0;
    if (!class && flags & USED && !(flags & KEPT))
      class = classes & LS_HIDE_INDEX ? LS_HIDE_INDEX : LS_HIDE_CONSTANTS;
    class &= ~(class - 1);      /* of two the first */
    if (class)
      g_hash_table_insert (hidden, GUINT_TO_POINTER (u->id + 1), GUINT_TO_POINTER (class));
    for (guint s = 0; s < u->n_src; s++) {
      guint was = flags_of (map, u->src[s]);
      gboolean kept = !class || class == LS_HIDE_MOVEMENT;
      gboolean data = class_of (u, flags) & LS_HIDE_INDEX ? FALSE : is_data (u, s);
      ls_node_map_set (map, u->src[s], was | USED | (kept ? KEPT : 0) | (data ? DATA : 0));
    }
  }
  ls_node_map_release (graph->ctx, map);
  return hidden;
}

guint
ls_node_hidden (GHashTable *hidden, guint32 id)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (hidden, GUINT_TO_POINTER (id + 1)));
}
