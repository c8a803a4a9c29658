/* What a kernel does, in a few words made of its graph: the last operation that says so, and the sizes of what it reads and gives. */
#include "ask.h"
#include "reference.h"

#include "ir/sentence.h"

#include <string.h>

/* "512 × 512", without axes of size 1. Free with g_free. */
static char *
sizes_text (LsShape shape)
{
  GString *s = g_string_new (NULL);
  for (guint i = 0; i < shape.n; i++)
    if (shape.dims[i] != 1)
      g_string_append_printf (s, "%s%" G_GINT64_FORMAT, s->len ? " × " : "", shape.dims[i]);
  return g_string_free (s->len ? s : g_string_append (s, "1"), FALSE);
}

/* Below it is memory that the kernel reads. */
static gboolean
reads (GHashTable *reading, const LsUOp *u)
{
  return g_hash_table_contains (reading, u);
}

typedef struct { guint n_reduces, n_alu; gboolean moves; LsUOp *reduce; } Parts;

/* Operations on constants alone do not count. */
static Parts
parts_of (const GPtrArray *order)
{
  Parts p = { 0 };
  g_autoptr (GHashTable) reading = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i];
    gboolean any = u->op == LS_OP_BUFFER || u->op == LS_OP_LOAD || u->op == LS_OP_IOTA;
    for (guint k = 0; k < u->n_src && !any; k++)
      any = reads (reading, u->src[k]);
    if (!any)
      continue;
    g_hash_table_add (reading, u);
    if (u->op == LS_OP_REDUCE_AXIS) {
      p.n_reduces++;
      p.reduce = u;
    }
    p.n_alu += ls_op_is_alu (u->op) && u->op != LS_OP_CAST;
    p.moves |= u->op == LS_OP_PERMUTE;
  }
  return p;
}

static const LsUOp *
without_casts (const LsUOp *u)
{
  while (u->n_src == 1 && (u->op == LS_OP_CAST || u->op == LS_OP_RESHAPE || u->op == LS_OP_CONTIGUOUS))
    u = u->src[0];
  return u;
}

static gboolean
is_expanded (const LsUOp *u)
{
  while (u->n_src == 1 && u->op != LS_OP_EXPAND && u->op != LS_OP_BUFFER)
    u = u->src[0];
  return u->op == LS_OP_EXPAND;
}

/* A sum of products of two values, each of which is repeated along an axis of the other. */
static gboolean
is_product (const LsUOp *reduce)
{
  const LsUOp *mul = without_casts (reduce->src[0]);
  return reduce->arg.op == LS_OP_ADD && mul->op == LS_OP_MUL && is_expanded (mul->src[0]) && is_expanded (mul->src[1]);
}

char *
ls_kernel_words (LsTrace *trace, const LsKernel *kernel)
{
  LsUOp *graph = ls_reference_kernel_graph (trace, kernel);
  if (!graph || !graph->n_src || graph->src[0]->op != LS_OP_STORE)
    return ls_sentence ("kernel");
  g_autoptr (GPtrArray) order = ls_uop_toposort (trace->ctx, graph);
  LsUOp *value = graph->src[0]->src[graph->src[0]->n_src - 1];
  LsShape to, from;
  if (!ls_uop_get_shape (trace->ctx, value, &to, NULL))
    return ls_sentence ("kernel");
  Parts p = parts_of (order);
  g_autofree char *result = sizes_text (to);
  if (!p.n_reduces)
    return p.n_alu ? ls_sentence ("elementwise %s", result) : p.moves ? ls_sentence ("transpose %s", result)
                                                                      : ls_sentence ("copy %s", result);
  if (!ls_uop_get_shape (trace->ctx, p.reduce->src[0], &from, NULL))
    return ls_sentence ("kernel");
  g_autofree char *read = sizes_text (from);
  if (p.n_reduces > 1)
    return ls_sentence ("%u reductions, %s → %s", p.n_reduces, read, result);
  if (is_product (p.reduce))
    return ls_sentence ("product %s", read);
  switch (p.reduce->arg.op) {
  case LS_OP_ADD: return ls_sentence ("sum %s → %s", read, result);
  case LS_OP_MAX: return ls_sentence ("maximum %s → %s", read, result);
  default:        return ls_sentence ("reduction %s → %s", read, result);
  }
}
