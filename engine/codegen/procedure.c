/* The nested form of a linear list: what a renderer walks.
 *
 * Loops and ifs own their instructions. Buffers are arguments, pointers are folded into the accesses that use them (a LOAD
 * reads its index, then gate and alternative; a STORE its index, the value, then its gate), and every other value has a
 * virtual register. An accumulator is one register: DEFINE_ACC sets it, PHI assigns it, and who reads the PHI reads it.
 */
#include "render/render.h"
#include <string.h>
#include "ir/print.h"

typedef struct {
  LsContext   *ctx;
  LsProcedure *procedure;
  LsNodeMap   *registers;
  GPtrArray   *bodies;      /* GArray of LsIns, innermost last */
  GPtrArray   *openers;     /* RANGE or IF of each body but the first */
  GError     **error;
} Builder;

static void ins_clear (gpointer data);

static GArray *
body_new (void)
{
  GArray *body = g_array_new (FALSE, FALSE, sizeof (LsIns));
  g_array_set_clear_func (body, ins_clear);
  return body;
}

/* Loops nest as deep as linearize lets them, so recursion is bounded. */
static void
ins_clear (gpointer data)
{
  LsIns *ins = data;
  g_free (ins->src);
  g_clear_pointer (&ins->body, g_array_unref);
}

static gboolean
fail (Builder *b, LsUOp *u, const char *why)
{
  g_autofree char *summary = ls_uop_summary (u);
  g_set_error (b->error, LS_ERROR, LS_ERROR_SPEC, "procedure: node %u (%s) %s", u->id, summary, why);
  return FALSE;
}

static int
register_of (Builder *b, const LsUOp *u)
{
  guint64 value;
  return ls_node_map_get (b->registers, u, &value) ? (int) value : -1;
}

static int
register_new (Builder *b, const LsUOp *u)
{
  int number = (int) b->procedure->n_registers++;
  ls_node_map_set (b->registers, u, (guint64) number);
  return number;
}

static LsUOp *
through_pointers (LsUOp *u)
{
  while (u->op == LS_OP_CAST && ls_dtype_is_ptr (u->dtype))
    u = u->src[0];
  return u;
}

static void
add_source (Builder *b, LsIns *ins, const LsUOp *u)
{
  ins->src[ins->n_src++] = register_of (b, u);
}

/* What a node reads, pointers looked through. */
static void
add_sources (Builder *b, LsIns *ins)
{
  LsUOp *u = ins->node;
  gboolean access = (u->op == LS_OP_LOAD || u->op == LS_OP_STORE) && u->n_src;
  LsUOp *index = access ? through_pointers (u->src[0]) : NULL;
  gboolean folded = index && index->op == LS_OP_INDEX && index->n_src > 1;
  ins->src = g_new (int, u->n_src + (folded ? index->n_src : 0) + 1);
  if (folded)
    add_source (b, ins, index->src[1]);
  if (u->op == LS_OP_STORE)
    for (guint s = 1; s < u->n_src; s++)
      add_source (b, ins, u->src[s]);
  for (guint s = 2; folded && s < index->n_src; s++)
    add_source (b, ins, index->src[s]);
  if (u->op == LS_OP_STORE)
    return;
  if (u->op == LS_OP_PHI) {
    if (u->n_src > 1)
      add_source (b, ins, u->src[1]);
    return;
  }
  guint n = u->op == LS_OP_DEFINE_ACC ? MIN (u->n_src, 1) : u->n_src;
  for (guint s = folded ? 1 : 0; s < n; s++)
    add_source (b, ins, u->src[s]);
}

static LsInsKind
kind_of (const LsUOp *u)
{
  switch ((int) u->op) {
  case LS_OP_CONST: return LS_INS_CONST;
  case LS_OP_LOAD: return LS_INS_LOAD;
  case LS_OP_STORE: return LS_INS_STORE;
  case LS_OP_RANGE: return LS_INS_LOOP;
  case LS_OP_IF: return LS_INS_IF;
  case LS_OP_DEFINE_ACC: return LS_INS_ACC;
  case LS_OP_PHI: return LS_INS_ASSIGN_ACC;
  case LS_OP_SPECIAL: return LS_INS_SPECIAL;
  case LS_OP_BARRIER: return LS_INS_BARRIER;
  case LS_OP_DEFINE_LOCAL: return LS_INS_LOCAL;
  default: return LS_INS_COMPUTE;
  }
}

static gboolean
close_body (Builder *b, LsUOp *u)
{
  if (!b->openers->len || !u->n_src || b->openers->pdata[b->openers->len - 1] != u->src[0])
    return fail (b, u, "does not end the innermost loop or if");
  g_ptr_array_set_size (b->openers, (int) b->openers->len - 1);
  g_ptr_array_set_size (b->bodies, (int) b->bodies->len - 1);
  return TRUE;
}

static gboolean
add_node (Builder *b, LsUOp *u)
{
  if (u->op == LS_OP_SINK || u->op == LS_OP_INDEX || (u->op == LS_OP_CAST && ls_dtype_is_ptr (u->dtype)))
    return TRUE;
  if (u->op == LS_OP_ENDRANGE || u->op == LS_OP_ENDIF)
    return close_body (b, u);
  if (u->op == LS_OP_DEFINE_GLOBAL) {
    LsProcArg arg = { NULL, u->dtype, FALSE, u };
    g_array_append_val (b->procedure->args, arg);
    return TRUE;
  }
  LsIns ins = { kind_of (u), u, -1, u->dtype };
  add_sources (b, &ins);
  if (u->op == LS_OP_PHI) {
    ins.dest = u->n_src ? register_of (b, u->src[0]) : -1;
    if (ins.dest < 0) {
      g_free (ins.src);
      return fail (b, u, "has no accumulator");
    }
    ls_node_map_set (b->registers, u, (guint64) ins.dest);
  } else if (u->dtype != LS_VOID)
    ins.dest = register_new (b, u);
  GArray *body = b->bodies->pdata[b->bodies->len - 1];
  if (ins.kind == LS_INS_LOOP || ins.kind == LS_INS_IF) {
    ins.body = body_new ();
    g_ptr_array_add (b->bodies, ins.body);
    g_ptr_array_add (b->openers, u);
  }
  g_array_append_val (body, ins);
  return TRUE;
}

static int
compare_args (gconstpointer a, gconstpointer b)
{
  const LsUOp *x = ((const LsProcArg *) a)->node, *y = ((const LsProcArg *) b)->node;
  return x->arg.i < y->arg.i ? -1 : x->arg.i > y->arg.i;
}

static void
name_args (Builder *b, guint n, LsUOp *const *list)
{
  GArray *args = b->procedure->args;
  LsNodeMap *written = ls_node_map_acquire (b->ctx);
  for (guint i = 0; i < n; i++) {
    if (list[i]->op != LS_OP_STORE || !list[i]->n_src)
      continue;
    LsUOp *u = through_pointers (list[i]->src[0]);
    ls_node_map_set (written, u->op == LS_OP_INDEX && u->n_src ? u->src[0] : u, 1);
  }
  g_array_sort (args, compare_args);
  for (guint i = 0; i < args->len; i++) {
    LsProcArg *arg = &g_array_index (args, LsProcArg, i);
    g_autofree char *name = g_strdup_printf ("data%" G_GINT64_FORMAT, arg->node->arg.i);
    arg->name = g_intern_string (name);
    arg->written = ls_node_map_has (written, arg->node);
  }
  ls_node_map_release (b->ctx, written);
}

/**
 * ls_procedure_new:
 * @ctx: the context of the nodes
 * @name: the kernel's name
 * @n: number of nodes in @list
 * @list: what ls_linearize() gave
 * @error: (nullable): LS_ERROR_SPEC when loops and ifs do not nest or a PHI has no accumulator before it
 *
 * Returns: (transfer full) (nullable): free with ls_procedure_free()
 */
LsProcedure *
ls_procedure_new (LsContext *ctx, const char *name, guint n, LsUOp *const *list, GError **error)
{
  LsProcedure *procedure = g_new0 (LsProcedure, 1);
  procedure->name = g_strdup (name);
  procedure->args = g_array_new (FALSE, FALSE, sizeof (LsProcArg));
  procedure->body = body_new ();
  Builder b = { ctx, procedure, ls_node_map_acquire (ctx), g_ptr_array_new (), g_ptr_array_new (), error };
  g_ptr_array_add (b.bodies, procedure->body);

  gboolean ok = TRUE;
  for (guint i = 0; i < n && ok; i++)
    ok = add_node (&b, list[i]);
  if (ok && b.openers->len)
    ok = fail (&b, b.openers->pdata[b.openers->len - 1], "does not end");
  if (ok)
    name_args (&b, n, list);

  g_ptr_array_unref (b.bodies);
  g_ptr_array_unref (b.openers);
  ls_node_map_release (ctx, b.registers);
  if (ok)
    return procedure;
  ls_procedure_free (procedure);
  return NULL;
}

void
ls_procedure_free (LsProcedure *procedure)
{
  if (!procedure)
    return;
  g_free (procedure->name);
  g_array_unref (procedure->args);
  g_array_unref (procedure->body);
  g_free (procedure);
}
