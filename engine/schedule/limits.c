/* Values that are stored so that no kernel is too large: seen in many ways, or made of many inputs. */
#include "plan.h"

/* Adds an item to a set of n, which keeps one more than most: then there are too many. */
static void
add (guint *n, guint64 *set, guint most, guint64 item)
{
  for (guint i = 0; i < *n; i++)
    if (set[i] == item)
      return;
  if (*n <= most)
    set[(*n)++] = item;
}

/* --- views ---
 *
 * A kernel computes a node once for each view that it is seen through: x + flip(x), said n times, would have 2^n terms. So views are
 * counted, from the results to their sources, as the movement ops on the way; a node that has too many gets a buffer, which is read
 * through them. A reduce is seen as it is: movements of it end its kernel. */
#define MOST_VIEWS 32

typedef struct { guint n; guint64 view[MOST_VIEWS + 1]; } Views;      /* hashes of movements; more than MOST_VIEWS are not distinguished */

static gboolean
begins_kernel (LsPlan *p, guint i)
{
  const LsUOp *u = p->order->pdata[i];
  return p->stored[i] || u->op == LS_OP_SINK || u->op == LS_OP_REDUCE_AXIS;
}

/* Is any node reached in more ways than it may have views? Most graphs have none, and are done with this. */
static gboolean
may_have_many_views (LsPlan *p)
{
  g_autofree guint *ways = g_new0 (guint, p->order->len);
  gboolean many = FALSE;
  for (guint i = p->order->len; i-- > 0 && !many;) {
    const LsUOp *u = p->order->pdata[i];
    guint n = begins_kernel (p, i) || u->n_src == 0 ? 1 : ways[i];
    many = n > MOST_VIEWS;
    for (guint k = 0; k < ls_plan_n_sources (p, i); k++)
      ways[ls_plan_place (p, u->src[k])] += n;
  }
  return many;
}

void
ls_limit_views (LsPlan *p)
{
  if (!may_have_many_views (p))
    return;
  g_autofree Views *views = g_new0 (Views, p->order->len);
  for (guint i = p->order->len; i-- > 0;) {
    const LsUOp *u = p->order->pdata[i];
    if (views[i].n > MOST_VIEWS && ls_plan_n_sources (p, i) && !is_movement (u) && !ls_plan_leaves_out (p, u, NULL))
      ls_plan_store (p, (LsUOp *) u, NULL, LS_REASON_MANY_VIEWS);
    if (begins_kernel (p, i))
      views[i] = (Views) { 1, { i + 1 } };
    for (guint v = 0; v < views[i].n; v++) {
      guint64 view = views[i].view[v];
      if (ls_op_is_slice (u->op))
        view ^= (guint64) u->src[1]->id << 32;
      if (is_movement (u))
        view = (view ^ u->arg.bits ^ (guint64) u->op << 56 ^ (guint64) ls_shape_size ((LsShape) { u->n_dims, u->dims }))
               * G_GUINT64_CONSTANT (0x9E3779B97F4A7C15);
      for (guint k = 0; k < ls_plan_n_sources (p, i); k++) {
        Views *of = &views[ls_plan_place (p, u->src[k])];
        add (&of->n, of->view, MOST_VIEWS, view);
      }
    }
  }
}

/* --- inputs ---
 *
 * A value that is made of many others, such as a gradient to which each layer has added something, would be computed again from all of them
 * in each kernel that uses it: n layers would read n² values. */
#define MOST_INPUTS 8

typedef struct { guint n; guint64 at[MOST_INPUTS + 1]; } Inputs;      /* places of stored nodes; of more than MOST_INPUTS the first */

/* Are there users in two kernels? */
static gboolean
has_two_kernels (const LsPlan *p, guint32 at, const guint32 *kernel)
{
  for (guint32 k = p->first_use[at] + 1; k < p->first_use[at + 1]; k++)
    if (kernel[p->uses[k]] != kernel[p->uses[k - 1]])
      return TRUE;
  return FALSE;
}

void
ls_limit_inputs (LsPlan *p)
{
  guint n = p->order->len;
  g_autofree Inputs *inputs = g_new (Inputs, n);
  g_autofree guint32 *kernel = ls_plan_kernels (p);
  for (guint32 i = 0; i < n; i++) {
    LsUOp *u = p->order->pdata[i];
    inputs[i].n = 0;
    for (guint k = 0; k < u->n_src && u->op != LS_OP_BUFFER && !p->stored[i]; k++) {
      const Inputs *of = &inputs[ls_plan_place (p, u->src[k])];
      for (guint j = 0; j < of->n; j++)
        add (&inputs[i].n, inputs[i].at, MOST_INPUTS, of->at[j]);
    }
    if (inputs[i].n > MOST_INPUTS && !is_movement (u) && !p->fused[i] && has_two_kernels (p, i, kernel) &&
        !ls_plan_leaves_out (p, u, NULL))
      ls_plan_store (p, u, NULL, LS_REASON_MANY_INPUTS);
    if (p->stored[i] || u->op == LS_OP_BUFFER)
      inputs[i] = (Inputs) { 1, { i } };
  }
}
