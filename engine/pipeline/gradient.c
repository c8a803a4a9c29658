/* Gradients: the chain rule as a graph, and the pass that makes arithmetic of it.
 *
 * The gradient of a node is the sum of the contributions of its users: GRADIENT[i](user, gradient of the user), where the node is the
 * user's source i. That sum is built for all nodes between the target and the requested ones, from the target back, so that each node is
 * visited once and the graph is linear in their number. The rules of gradient.rules then replace each GRADIENT, sources first: the pass
 * is recorded and stepped like every other.
 *
 * No gradient flows through DETACH, nor past a realized tensor, whose history has ended: a weight that is assigned in each iteration of
 * a loop does not lead back through all earlier iterations. The target's own value may have been looked at.
 */
#include "pipeline.h"
#include "session.h"

/* Which nodes lead to one that is asked for: the flag of each in order. */
enum { ASKED = 1, LEADS = 2 };

static gboolean
ends_here (LsSession *s, const LsUOp *u, const LsUOp *target)
{
  if (u->op == LS_OP_DETACH)
    return TRUE;
  return u != target && (g_hash_table_contains (s->kept, GUINT_TO_POINTER (u->id)) ||
                         (u->op == LS_OP_ASSIGN && g_hash_table_contains (s->realized, GUINT_TO_POINTER (u->id))));
}

/* Nodes between the target and the requested ones, sources first, each with its flag in the map. Nodes below an ended history are not
 * visited. */
static GPtrArray *
find_way (LsSession *s, LsUOp *target, LsNodeMap *flags)
{
  GPtrArray *order = g_ptr_array_new ();
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  LsNodeMap *done = ls_node_map_acquire (s->ctx);
  g_ptr_array_add (stack, target);
  while (stack->len > 0) {
    LsUOp *u = stack->pdata[stack->len - 1];
    guint n_src = ends_here (s, u, target) ? 0 : u->n_src;
    gboolean ready = TRUE;
    guint64 flag = 0, below;
    if (ls_node_map_has (done, u)) {
      g_ptr_array_set_size (stack, (int) stack->len - 1);
      continue;
    }
    for (guint i = n_src; i-- > 0;)
      if (!ls_node_map_has (done, u->src[i])) {
        g_ptr_array_add (stack, u->src[i]);
        ready = FALSE;
      }
    if (!ready)
      continue;
    ls_node_map_set (done, u, 1);
    ls_node_map_get (flags, u, &flag);
    for (guint i = 0; i < n_src; i++)
      if (ls_node_map_get (flags, u->src[i], &below) && below)
        flag |= LEADS;
    if (flag) {
      ls_node_map_set (flags, u, flag);
      g_ptr_array_add (order, u);
    }
    g_ptr_array_set_size (stack, (int) stack->len - 1);
  }
  ls_node_map_release (s->ctx, done);
  return order;
}

/* Sends the gradient of u on to its sources. */
static gboolean
send (LsSession *s, LsUOp *u, LsNodeMap *flags, LsNodeMap *reaches, GError **error)
{
  LsUOp *gradient = ls_node_map_get_node (reaches, u);
  guint64 flag, below, flows;
  if (!gradient || !ls_node_map_get (flags, u, &flag) || !(flag & LEADS))
    return TRUE;
  if (!ls_rule_library_flows (s->library, ls_stage_infos[LS_STAGE_GRADIENT].sets, s->ctx, u, &flows, error))
    return FALSE;
  for (guint i = 0; i < u->n_src && i < 64; i++) {
    LsUOp *x = u->src[i];
    if (!(flows >> i & 1) || !ls_node_map_get (flags, x, &below) || !below)
      continue;
    LsUOp *more = ls_uop_new2 (s->ctx, LS_OP_GRADIENT, x->dtype, u, gradient, ls_arg_int (i)), *sum = ls_node_map_get_node (reaches, x);
    ls_node_map_set_node (reaches, x, sum ? ls_uop_alu2 (s->ctx, LS_OP_ADD, sum, more) : more);
  }
  return TRUE;
}

/* The node of a realized tensor before realization: tensors made of it then lead there. The target has its history anyway. */
static LsUOp *
before_kept (LsSession *s, const LsUOp *u, const LsUOp *target)
{
  return u == target ? NULL : g_hash_table_lookup (s->kept, GUINT_TO_POINTER (u->id));
}

/* Memory, or a tensor that is distinct from equal ones. */
static gboolean
is_ground (LsSession *s, const LsUOp *u)
{
  return u->op == LS_OP_BUFFER || u->op == LS_OP_CONTIGUOUS || (u->op == LS_OP_DETACH && u->tag != 0) ||
         g_hash_table_contains (s->kept, GUINT_TO_POINTER (u->id));
}

void
ls_gradient_reaches (LsSession *s, LsUOp *target, guint n, LsUOp *const *nodes, gboolean *reached)
{
  LsNodeMap *grounded = ls_node_map_acquire (s->ctx);      /* a node that target leads to -> whether it leads to memory */
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  guint64 ground;
  g_ptr_array_add (stack, target);
  while (stack->len > 0) {
    LsUOp *u = stack->pdata[stack->len - 1];
    guint n_src = u->op != LS_OP_DETACH && ends_here (s, u, target) ? 0 : u->n_src;
    gboolean ready = TRUE, holds = is_ground (s, u) || n_src < u->n_src;
    for (guint i = n_src; i-- > 0;)
      if (!ls_node_map_get (grounded, u->src[i], &ground)) {
        g_ptr_array_add (stack, u->src[i]);
        ready = FALSE;
      } else {
        holds |= ground != 0;
      }
    if (!ready)
      continue;
    ls_node_map_set (grounded, u, holds);
    g_ptr_array_set_size (stack, (int) stack->len - 1);
  }
  for (guint i = 0; i < n; i++) {
    LsUOp *before = before_kept (s, nodes[i], target);
    reached[i] = (ls_node_map_get (grounded, nodes[i], &ground) && ground) || (before && ls_node_map_has (grounded, before));
  }
  ls_node_map_release (s->ctx, grounded);
}

gboolean
ls_gradient (LsSession *s, LsUOp *target, guint n, LsUOp *const *wrt, LsUOp *gradient, LsUOp **out, GError **error)
{
  LsContext *ctx = s->ctx;
  LsShape a, b;
  if (!ls_uop_get_shape (ctx, target, &a, error) || !ls_uop_get_shape (ctx, gradient, &b, error))
    return FALSE;
  if (!ls_shape_equal (a, b)) {
    g_autofree char *x = ls_shape_to_string (a), *y = ls_shape_to_string (b);
    g_set_error (error, LS_ERROR, LS_ERROR_SHAPE, "gradient: shape %s does not fit the target's shape %s", y, x);
    return FALSE;
  }
  LsNodeMap *flags = ls_node_map_acquire (ctx), *reaches = ls_node_map_acquire (ctx);
  for (guint i = 0; i < n; i++) {
    ls_node_map_set (flags, wrt[i], ASKED);
    LsUOp *before = before_kept (s, wrt[i], target);
    if (before)
      ls_node_map_set (flags, before, ASKED);
  }
  ls_node_map_set_node (reaches, target, gradient);
  g_autoptr (GPtrArray) way = find_way (s, target, flags), found = g_ptr_array_new ();
  gboolean ok = TRUE;
  for (guint i = way->len; ok && i-- > 0;)
    ok = ends_here (s, way->pdata[i], target) || send (s, way->pdata[i], flags, reaches, error);
  for (guint i = 0; i < n; i++) {
    LsUOp *before = before_kept (s, wrt[i], target), *reached = before ? ls_node_map_get_node (reaches, before) : NULL;
    out[i] = ls_node_map_get_node (reaches, wrt[i]);
    if (reached)
      out[i] = out[i] ? ls_uop_alu2 (ctx, LS_OP_ADD, out[i], reached) : reached;
    if (out[i])
      g_ptr_array_add (found, out[i]);
  }
  ls_node_map_release (ctx, reaches);
  ls_node_map_release (ctx, flags);
  if (!ok || found->len == 0)
    return ok;
  g_auto (LsPipeline) p = { s->ctx, s->library, &s->settings, s->target, NULL, s->trace, s->recording, 0 };
  p.graph = ls_uop_new (ctx, LS_OP_SINK, LS_VOID, found->len, (LsUOp **) found->pdata, ls_arg_none ());
  if (!ls_pipeline_run (&p, LS_STAGE_GRADIENT, LS_STAGE_GRADIENT, error))
    return FALSE;
  for (guint i = 0, k = 0; i < n; i++)
    if (out[i])
      out[i] = p.graph->src[k++];
  return TRUE;
}
