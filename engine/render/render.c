/* The targets, and rendering for one of them with the renderer in its row. */
#include "render.h"

#include "ir/print.h"

const LsTarget *const ls_targets[] = {
#define X(name) &ls_target_##name,
#include "targets.def"
#undef X
  NULL,
};

/**
 * ls_target_find:
 * @name: "c", "metal"
 *
 * Returns: (nullable): the target of that name
 */
const LsTarget *
ls_target_find (const char *name)
{
  for (const LsTarget *const *t = ls_targets; *t; t++)
    if (g_strcmp0 ((*t)->name, name) == 0)
      return *t;
  return NULL;
}

char *
ls_target_list (const char *separator)
{
  GString *names = g_string_new (NULL);
  for (const LsTarget *const *t = ls_targets; *t; t++)
    g_string_append_printf (names, "%s%s", names->len ? separator : "", (*t)->name);
  return g_string_free (names, FALSE);
}

/* Ops that the language lacks and decompose did not replace: quotients of 64 bits. */
static gboolean
is_lacking (const LsTarget *target, LsOp op)
{
  static const struct { LsOp op; guint lack; } ops[] = {
    { LS_OP_IDIV, LS_LACKS (IDIV) }, { LS_OP_MOD, LS_LACKS (IDIV) },
  };
  for (guint k = 0; k < G_N_ELEMENTS (ops); k++)
    if (op == ops[k].op && target->lacks & ops[k].lack)
      return TRUE;
  return FALSE;
}

static const LsUOp *
find_lacking (const LsTarget *target, guint n, LsUOp *const *list)
{
  for (guint i = 0; i < n && target->lacks; i++)
    if (is_lacking (target, list[i]->op))
      return list[i];
  return NULL;
}

/**
 * ls_render:
 * @ctx: the context of the nodes
 * @procedure: what ls_procedure_new() made of @list
 * @n: number of nodes in @list
 * @list: the linear list
 * @names: (nullable): what the kernel's loops are called, where LOOP_NAMES is on
 * @target: a row of the table of targets
 * @settings: the profile, MAX_EXPR, EXPAND_SSA and LOOP_NAMES matter here
 * @error: (nullable): LS_ERROR_COMPILE when the target cannot express something
 *
 * Returns: (transfer full) (nullable): free with ls_rendered_free()
 */
LsRendered *
ls_render (LsContext *ctx, const LsProcedure *procedure, guint n, LsUOp *const *list, const LsNames *names, const LsTarget *target,
           const LsSettings *settings, GError **error)
{
  const LsUOp *lacking = find_lacking (target, n, list);
  if (lacking) {
    g_autofree char *summary = ls_uop_summary ((LsUOp *) lacking);
    g_set_error (error, LS_ERROR, LS_ERROR_COMPILE, "%s: node %u (%s) does not exist in this language, and no rule decomposes it",
                 target->name, lacking->id, summary);
    return NULL;
  }
  LsRenderJob job = { ctx, procedure, n, list, names, target, settings };
  return target->renderer->render (&job, error);
}

char *
ls_render_prelude (const LsTarget *target, const LsSettings *settings, const char *source, LsGiven given)
{
  return target->renderer->prelude (target, settings, source, given);
}

gboolean
ls_render_writes_half (const LsTarget *target, const LsSettings *settings)
{
  return target->renderer->writes_half (target, ls_settings_profile (settings));
}

GArray *
ls_render_dialect (const LsTarget *target, const LsSettings *settings)
{
  GArray *rows = target->renderer->describe ? target->renderer->describe (target, settings)
                                            : g_array_new (FALSE, FALSE, sizeof (LsDialectRow));
  for (guint i = 0; i < rows->len; i++)
    if (is_lacking (target, g_array_index (rows, LsDialectRow, i).op))
      g_clear_pointer (&g_array_index (rows, LsDialectRow, i).value, g_free);
  return rows;
}

void
ls_rendered_free (LsRendered *rendered)
{
  if (!rendered)
    return;
  g_free (rendered->source);
  g_array_unref (rendered->lines);
  g_array_unref (rendered->exprs);
  g_free (rendered->inputs);
  g_free (rendered);
}
