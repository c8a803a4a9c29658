/* The state behind the Tensor API: first error, the stack of calls, and which call made which node.
 *
 * Nodes are numbered in order of creation, so a call does not report its nodes: when one is opened or closed, the nodes made since the
 * last time belong to the innermost call at that time.
 */
#include "tensor.h"

struct _LsTensors {
  const LsTensorHost *host;
  GError    *error;
  GArray    *stack;          /* guint: indices of open calls */
  GArray    *own_stack;
  guint32    n_own;          /* nodes that are made to be distinct */
  guint32    mark;           /* nodes below it are attributed */
  GArray    *found;          /* guint32: nodes that were asked for since then, and there before */
  GHashTable *last_tag;      /* id of a node -> the last tag of those that differ from it in their tags alone */
};

LsTensors *
ls_tensors_new (const LsTensorHost *host)
{
  LsTensors *t = g_new0 (LsTensors, 1);
  t->host = host;
  t->stack = t->own_stack = g_array_new (FALSE, FALSE, sizeof (guint));
  t->found = g_array_new (FALSE, FALSE, sizeof (guint32));
  t->last_tag = g_hash_table_new (NULL, NULL);
  t->mark = ls_context_n_nodes (host->ctx);
  return t;
}

void
ls_tensors_free (LsTensors *t)
{
  g_clear_error (&t->error);
  g_array_unref (t->own_stack);
  g_array_unref (t->found);
  g_hash_table_unref (t->last_tag);
  g_free (t);
}

LsContext *ls_tensors_context (LsTensors *t) { return t->host->ctx; }
const LsTensorHost *ls_tensors_host (LsTensors *t) { return t->host; }
guint32    ls_tensors_next_own   (LsTensors *t) { return ++t->n_own; }
GError    *ls_tensors_take_error (LsTensors *t) { return g_steal_pointer (&t->error); }

LsUOp *
ls_tensors_fail (LsTensors *t, LsError code, const char *format, ...)
{
  if (!t->error) {
    va_list args;
    va_start (args, format);
    t->error = g_error_new_valist (LS_ERROR, code, format, args);
    va_end (args);
  }
  return NULL;
}

/* A node like u with a tag that no equal one has. */
static LsUOp *
another (LsTensors *t, LsUOp *u)
{
  LsContext *ctx = t->host->ctx;
  guint last = GPOINTER_TO_UINT (g_hash_table_lookup (t->last_tag, GUINT_TO_POINTER (u->id)));
  guint tag = MAX (last, u->op == LS_OP_CONTIGUOUS ? LS_TAG_AGAIN : 0);
  guint32 before = ls_context_n_nodes (ctx);
  LsUOp *made = u;
  while (made->id < before && tag + 1 < LS_TAG_TEXTS)
    made = ls_uop_new_tag (ctx, u->op, u->dtype, u->n_src, u->src, u->arg, (guint16) ++tag);
  g_hash_table_insert (t->last_tag, GUINT_TO_POINTER (u->id), GUINT_TO_POINTER (tag));
  return made;
}

LsUOp *
ls_tensors_node (LsTensors *t, LsOp op, LsDType dtype, guint n_src, LsUOp *const *src, LsArg arg)
{
  LsContext *ctx = t->host->ctx;
  if (!t->host->shares || *t->host->shares)
    return ls_uop_new (ctx, op, dtype, n_src, src, arg);
  GArray *found = ls_context_note_found (ctx, NULL);      /* a node that is there already is not the call's */
  guint32 before = ls_context_n_nodes (ctx);
  LsUOp *u = ls_uop_new (ctx, op, dtype, n_src, src, arg);
  if (u->id < before)
    u = another (t, u);
  ls_context_note_found (ctx, found);
  return u;
}

LsUOp *
ls_tensors_node1 (LsTensors *t, LsOp op, LsDType dtype, LsUOp *a, LsArg arg)
{
  return ls_tensors_node (t, op, dtype, 1, &a, arg);
}

LsShape
ls_tensors_shape (LsTensors *t, LsUOp *x)
{
  return ls_uop_shape (t->host->ctx, x);
}

static void
attribute_nodes (LsTensors *t)
{
  guint32 n = ls_context_n_nodes (t->host->ctx);
  if (t->stack->len > 0) {
    guint call = g_array_index (t->stack, guint, t->stack->len - 1);
    GArray *made = t->host->node_calls;
    if (n > t->mark)
      g_array_append_val (made, ((LsNodeCall) { .node = t->mark, .call = call, .more = n - t->mark - 1 }));
    guint at = made->len;
    /* the node that it would have made if it had not existed */
    for (guint i = 0; i < t->found->len; i++) {
      LsNodeCall again = { .node = g_array_index (t->found, guint32, i), .call = call };
      gboolean have = again.node >= t->mark;
      for (guint k = at; k < made->len && !have; k++)
        have = g_array_index (made, LsNodeCall, k).node == again.node;
      if (!have)
        g_array_append_val (made, again);
    }
  }
  g_array_set_size (t->found, 0);
  t->mark = n;
}

guint
ls_tensors_open_call (LsTensors *t, const LsCall *call)
{
  attribute_nodes (t);
  guint index = t->host->calls->len;
  g_array_set_size (t->host->calls, index + 1);
  LsCall *opened = &g_array_index (t->host->calls, LsCall, index);
  *opened = *call;
  opened->parent = t->stack->len ? (gint) g_array_index (t->stack, guint, t->stack->len - 1) : -1;
  opened->node = G_MAXUINT32;
  g_array_append_val (t->stack, index);
  if (t->stack->len == 1)
    ls_context_note_found (t->host->ctx, t->found);
  return index;
}

void
ls_tensors_switch_calls (LsTensors *t, GArray *open)
{
  attribute_nodes (t);
  t->stack = open ? open : t->own_stack;
  ls_context_note_found (t->host->ctx, t->stack->len > 0 ? t->found : NULL);
}

void
ls_tensors_close_call (LsTensors *t)
{
  attribute_nodes (t);
  guint index = g_array_index (t->stack, guint, t->stack->len - 1);
  guint32 node = g_array_index (t->host->calls, LsCall, index).node;
  g_array_set_size (t->stack, t->stack->len - 1);
  if (t->stack->len == 0)
    ls_context_note_found (t->host->ctx, NULL);
  else if (node != G_MAXUINT32)
    g_array_index (t->host->calls, LsCall, g_array_index (t->stack, guint, t->stack->len - 1)).node = node;
}

guint
ls_tensors_inner_call (const LsTensors *t)
{
  return t->stack->len ? g_array_index (t->stack, guint, t->stack->len - 1) : G_MAXUINT;
}

void
ls_tensors_call_result (LsTensors *t, LsUOp *result)
{
  if (t->stack->len > 0)
    g_array_index (t->host->calls, LsCall, g_array_index (t->stack, guint, t->stack->len - 1)).node = result->id;
}
