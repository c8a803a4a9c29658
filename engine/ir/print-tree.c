/* The kernel AST as the classic tree, a row per node: number, branches, op and argument.
 *
 * A node that several branches share is written out in each, as the tree always was, unless it is larger than REPEAT rows:
 * then later branches name its row ("━⬆︎ goto 12: BinaryOps.ADD"), so that text stays linear in the graph. Branches deeper
 * than DEPTH are cut, and say so. Nothing here recurses.
 */
#include "print-private.h"
#include <string.h>

#define REPEAT 64
#define DEPTH  300

typedef struct { LsUOp *node; guint next; gboolean last; } Frame;

typedef struct {
  LsContext *ctx;
  GString   *out;
  LsNodeMap *sizes;      /* rows below and with a node, no more than REPEAT + 1 */
  LsNodeMap *rows;       /* where a node was written out first */
  GArray    *stack;      /* Frame */
  guint      row;
} Tree;

/* The sources that have rows: pointers and views are part of their access's row. */
static guint
first_child (const LsUOp *u)
{
  if (u->op == LS_OP_STORE)
    return u->n_src > 2 ? 2 : u->n_src > 1 ? 1 : 0;
  gboolean leaf = u->op == LS_OP_LOAD && u->n_src && u->src[0]->op == LS_OP_DEFINE_GLOBAL;
  return leaf || u->op == LS_OP_CONST ? u->n_src : 0;
}

static void
append_memory (GString *out, LsUOp *u)
{
  char dtype[64];
  LsUOp *buffer = u->src[0], *view = u->n_src > 1 ? u->src[1] : NULL;
  gint64 number = buffer->arg.kind == LS_ARG_INT ? buffer->arg.i : 0;
  g_string_append_printf (out, "BufferOps.%s MemBuffer(idx=%" G_GINT64_FORMAT ", dtype=%s, st=", ls_op_name (u->op), number,
                          ls_dtype_classic (ls_dtype_deref (buffer->dtype), dtype));
  if (view && view->arg.kind == LS_ARG_TRACKER)
    ls_print_arg (out, view->arg);
  else
    g_string_append (out, "None");
  g_string_append_c (out, ')');
}

static void
append_label (GString *out, LsUOp *u)
{
  char dtype[64];
  gboolean access = (u->op == LS_OP_LOAD || u->op == LS_OP_STORE) && u->n_src && u->src[0]->op == LS_OP_DEFINE_GLOBAL;
  if (access)
    append_memory (out, u);
  else if (u->op == LS_OP_CONST && u->n_src && u->src[0]->arg.kind == LS_ARG_TRACKER) {
    g_string_append (out, "BufferOps.CONST ConstBuffer(val=");
    ls_print_value (out, u->dtype, u->arg);
    g_string_append_printf (out, ", dtype=%s, st=", ls_dtype_classic (u->dtype, dtype));
    ls_print_arg (out, u->src[0]->arg);
    g_string_append_c (out, ')');
  } else if (u->op == LS_OP_CAST || u->op == LS_OP_BITCAST)
    g_string_append_printf (out, "UnaryOps.CAST (%s, %s)", ls_dtype_classic (u->dtype, dtype), u->op == LS_OP_BITCAST ? "True" : "False");
  else if ((u->op == LS_OP_REDUCE_AXIS || u->op == LS_OP_REDUCE) && u->arg.kind == LS_ARG_OP_INTS) {
    const char *name = u->arg.op == LS_OP_ADD ? "SUM" : u->arg.op == LS_OP_MUL ? "PROD" : ls_op_name (u->arg.op);
    LsArg axes = { .kind = LS_ARG_INTS, .n = u->arg.n, .ints = u->arg.ints };
    g_string_append_printf (out, "ReduceOps.%s ", name);
    ls_print_arg (out, axes);
  } else {
    g_string_append_printf (out, "%s ", ls_op_info (u->op)->classic);
    ls_print_uop_arg (out, u);
  }
}

static void
measure (Tree *t, LsUOp *root)
{
  g_autoptr (GPtrArray) topo = ls_uop_toposort (t->ctx, root);
  for (guint i = 0; i < topo->len; i++) {
    LsUOp *u = topo->pdata[i];
    guint64 size = 1, below;
    for (guint s = first_child (u); s < u->n_src; s++)
      if (ls_node_map_get (t->sizes, u->src[s], &below))
        size += below;
    ls_node_map_set (t->sizes, u, MIN (size, REPEAT + 1));
  }
}

/* Number and branches of the next row, whose node the top of the stack is. */
static void
append_branches (Tree *t)
{
  g_string_append_printf (t->out, "%3u ", t->row++);
  for (guint i = 1; i < t->stack->len; i++) {
    gboolean last = g_array_index (t->stack, Frame, i).last, own = i + 1 == t->stack->len;
    g_string_append (t->out, own ? (last ? " ┗" : " ┣") : last ? "  " : " ┃");
  }
}

static void
write_tree (Tree *t, LsUOp *root)
{
  Frame first = { root, first_child (root), TRUE };
  gboolean fresh = TRUE;
  t->row = 0;
  g_array_append_val (t->stack, first);
  while (t->stack->len) {
    Frame *frame = &g_array_index (t->stack, Frame, t->stack->len - 1);
    LsUOp *u = frame->node;
    if (fresh) {
      guint64 size = 1, row;
      ls_node_map_get (t->sizes, u, &size);
      append_branches (t);
      if (size > REPEAT && ls_node_map_get (t->rows, u, &row)) {
        g_string_append_printf (t->out, "━⬆︎ goto %u: %s", (guint) row, ls_op_info (u->op)->classic);
        frame->next = u->n_src;
      } else if (t->stack->len > DEPTH && frame->next < u->n_src) {
        g_string_append_printf (t->out, "━━ … %s and the nodes below it", ls_op_info (u->op)->classic);
        frame->next = u->n_src;
      } else {
        g_string_append (t->out, frame->next < u->n_src ? "━┳ " : "━━ ");
        append_label (t->out, u);
        ls_node_map_set (t->rows, u, t->row - 1);
      }
      g_string_append_c (t->out, '\n');
    }
    fresh = frame->next < u->n_src;
    if (fresh) {
      LsUOp *child = u->src[frame->next++];
      Frame next = { child, first_child (child), frame->next == u->n_src };
      g_array_append_val (t->stack, next);
    } else
      g_array_set_size (t->stack, t->stack->len - 1);
  }
}

/**
 * ls_tree_print:
 * @ctx: the context of the nodes
 * @ast: a kernel AST, or any graph; each source of a SINK is a tree of its own
 *
 * Returns: (transfer full): the tree, a line per row
 */
char *
ls_tree_print (LsContext *ctx, LsUOp *ast)
{
  Tree t = { ctx, g_string_new (NULL), ls_node_map_acquire (ctx), NULL, g_array_new (FALSE, FALSE, sizeof (Frame)), 0 };
  guint n = ast->op == LS_OP_SINK ? ast->n_src : 1;
  measure (&t, ast);
  for (guint i = 0; i < n; i++) {
    t.rows = ls_node_map_acquire (ctx);
    write_tree (&t, ast->op == LS_OP_SINK ? ast->src[i] : ast);
    ls_node_map_release (ctx, t.rows);
  }
  ls_node_map_release (ctx, t.sizes);
  g_array_unref (t.stack);
  return g_string_free (t.out, FALSE);
}
