/* The spelling of a kernel's language, and the part of it that the kernel uses: its rows name the fields of the dialect that their text
 * depends on. */
#include "ask.h"

#include "ir/sentence.h"
#include "rewrite/stage.h"

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
  switch (row->of) {
  case LS_SPELLS_FLOATS: return ls_dtype_is_float (dtype);
  case LS_SPELLS_OTHERS: return !ls_dtype_is_float (dtype);
  case LS_SPELLS_NUMBERS: return !ls_dtype_is_bool (dtype);
  case LS_SPELLS_INTEGERS: return !ls_dtype_is_float (dtype) && !ls_dtype_is_bool (dtype);
  case LS_SPELLS_BOOLS: return ls_dtype_is_bool (dtype);
  default: return TRUE;
  }
}

gboolean
ls_dialect_is_of (LsTrace *trace, const LsDialectRow *row, const LsExpr *e)
{
  return row->op < LS_N_OPS ? spells (trace, row, e) : names (e->asked, row->name);
}

char *
ls_render_step_template (LsTrace *trace, const LsPass *pass, guint step, gboolean shown)
{
  const LsKernel *k = ls_trace_kernel (trace, pass->kernel);
  const LsStageInfo *stage = pass->kind == LS_PASS_REWRITE ? NULL : ls_pass_stage (pass);
  const LsTarget *target = k ? ls_target_find (k->target) : NULL;
  if (!target || !stage || stage->gives != LS_STAGE_FORM_SOURCE || step < 1 || step > k->exprs->len)
    return NULL;
  LsSettings settings;
  ls_trace_settings (trace, &settings);
  g_autoptr (GArray) rows = ls_render_dialect (target, &settings);
  for (guint i = 0; i < rows->len; i++) {
    const LsDialectRow *row = &g_array_index (rows, LsDialectRow, i);
    g_autoptr (GString) text = g_string_new (NULL);
    if (row->op >= LS_N_OPS || !row->value || !ls_dialect_is_of (trace, row, &g_array_index (k->exprs, LsExpr, step - 1)))
      continue;
    if (row->op == LS_OP_CAST || row->op == LS_OP_BITCAST)
      ls_sentence_append (text, shown, "The dialect writes the operation %s as %s, with the name of its dtype.", row->name, row->value);
    else
      ls_sentence_append (text, shown, "The dialect writes the operation %s as %s.", row->name, row->value);
    return g_string_free (g_steal_pointer (&text), FALSE);
  }
  return NULL;
}

const char *
ls_spells_text (LsSpells of)
{
  static const char *const texts[] = { "", LS_TEMPLATE (" of floats"), LS_TEMPLATE (" of others"), LS_TEMPLATE (" of numbers"),
                                       LS_TEMPLATE (" of integers"), LS_TEMPLATE (" of bool") };
  return texts[MIN ((guint) of, G_N_ELEMENTS (texts) - 1)];
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
