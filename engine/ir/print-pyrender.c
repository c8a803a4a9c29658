/* pyrender: Python-like code that rebuilds a graph.
 *
 *   c0 = UOp(Ops.DEFINE_GLOBAL, dtypes.int.ptr(3), arg=0)
 *   c1 = UOp(Ops.INDEX, dtypes.int.ptr(3), (c0, UOp(Ops.CONST, dtypes.int, arg=0)))
 *   root = UOp(Ops.SINK, dtypes.void, (c1,))
 *
 * Shared nodes, and those whose text would be long, have a name; the others are written where they are used. A name is
 * defined once, before its uses; the last line is the root. Arguments and tags are left out where they are None and 0.
 */
#include "print-private.h"
#include <string.h>

#define INLINE 100      /* longest text of a node written inside of another */

static void
append_node (GString *out, LsUOp *u, LsNodeMap *names, GPtrArray *texts, LsNodeMap *inlined)
{
  char dtype[64];
  g_string_append_printf (out, "UOp(Ops.%s, %s", ls_op_name (u->op), ls_dtype_text (u->dtype, dtype));
  if (u->n_src) {
    g_string_append (out, ", (");
    for (guint s = 0; s < u->n_src; s++) {
      guint64 at;
      if (s)
        g_string_append (out, ", ");
      if (ls_node_map_get (inlined, u->src[s], &at))
        g_string_append (out, texts->pdata[at]);
      else if (ls_node_map_get (names, u->src[s], &at))
        g_string_append_printf (out, "c%u", (guint) at);
    }
    g_string_append (out, u->n_src == 1 ? ",)" : ")");
  }
  if (u->arg.kind != LS_ARG_NONE) {
    g_string_append (out, ", arg=");
    ls_print_uop_arg (out, u);
  }
  if (u->tag) {
    g_autofree char *tag = ls_tag_print (u->tag);
    g_string_append_printf (out, ", tag=%s", tag);
  }
  g_string_append_c (out, ')');
}

char *
ls_pyrender (LsContext *ctx, LsUOp *root)
{
  g_autoptr (GPtrArray) topo = ls_uop_toposort (ctx, root);
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  LsNodeMap *uses = ls_node_map_acquire (ctx), *names = ls_node_map_acquire (ctx), *inlined = ls_node_map_acquire (ctx);
  GString *out = g_string_new (NULL), *text = g_string_new (NULL);
  guint n_names = 0;
  for (guint i = 0; i < topo->len; i++) {
    LsUOp *u = topo->pdata[i];
    for (guint s = 0; s < u->n_src; s++) {
      guint64 n = 0;
      ls_node_map_get (uses, u->src[s], &n);
      ls_node_map_set (uses, u->src[s], n + 1);
    }
  }
  for (guint i = 0; i < topo->len; i++) {
    LsUOp *u = topo->pdata[i];
    guint64 n = 0;
    g_string_truncate (text, 0);
    append_node (text, u, names, texts, inlined);
    ls_node_map_get (uses, u, &n);
    if (u != root && n == 1 && text->len <= INLINE) {
      ls_node_map_set (inlined, u, texts->len);
      g_ptr_array_add (texts, g_strndup (text->str, text->len));
      continue;
    }
    if (u == root)
      g_string_append (out, "root");
    else
      g_string_append_printf (out, "c%u", n_names);
    g_string_append_printf (out, " = %s\n", text->str);
    ls_node_map_set (names, u, n_names++);
  }
  g_string_free (text, TRUE);
  ls_node_map_release (ctx, inlined);
  ls_node_map_release (ctx, names);
  ls_node_map_release (ctx, uses);
  return g_string_free (out, FALSE);
}
