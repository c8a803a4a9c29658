/* The spelling of a kernel's language, and the part of it that the kernel uses: its rows name the fields of the dialect that their text
 * depends on. */
#include "ask.h"

#include <string.h>

/* Whether a name is one of those with spaces between. */
static gboolean
names (const char *asked, const char *name)
{
  gsize n = strlen (name);
  for (const char *at = asked; at && (at = strstr (at, name)); at += n)
    if ((at == asked || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
      return TRUE;
  return FALSE;
}

static gboolean
spells (LsTrace *trace, const LsDialectRow *row, const LsExpr *e)
{
  LsUOp *u = ls_context_node (trace->ctx, e->node);
  if (!u || u->op != row->op)
    return FALSE;
  LsDType dtype = ls_op_is_comparison (u->op) && u->n_src ? u->src[0]->dtype : u->dtype;
  return row->of == LS_SPELLS_ANY || ls_dtype_is_float (dtype) == (row->of == LS_SPELLS_FLOATS);
}

gboolean
ls_dialect_is_of (LsTrace *trace, const LsDialectRow *row, const LsExpr *e)
{
  return row->op < LS_N_OPS ? spells (trace, row, e) : names (e->asked, row->name);
}

static void
use_clear (gpointer data)
{
  g_free (((LsDialectUse *) data)->says.value);
}

GArray *
ls_kernel_dialect (LsTrace *trace, const LsKernel *kernel)
{
  const LsKernel *same = kernel->same_as > 0 ? ls_trace_kernel (trace, (guint) kernel->same_as) : NULL, *k = same ? same : kernel;
  const LsTarget *target = ls_target_find (k->target);
  GArray *uses = g_array_new (FALSE, FALSE, sizeof (LsDialectUse));
  g_array_set_clear_func (uses, use_clear);
  LsSettings settings;
  ls_trace_settings (trace, &settings);
  g_autoptr (GArray) rows = target ? ls_render_dialect (target, &settings) : NULL;
  for (guint i = 0; rows && i < rows->len; i++) {
    LsDialectRow *row = &g_array_index (rows, LsDialectRow, i);
    LsDialectUse use = { *row, 0, row->op >= LS_N_OPS && names (k->asked, row->name) };
    row->value = NULL;      /* is the use's now */
    for (guint n = 0; n < k->exprs->len; n++)
      use.n_rows += ls_dialect_is_of (trace, &use.says, &g_array_index (k->exprs, LsExpr, n));
    g_array_append_val (uses, use);
  }
  return uses;
}
