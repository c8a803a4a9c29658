/* The table of stages, made of pipeline.def. */
#include "stage.h"

#include <string.h>

#define X(form, words) [LS_STAGE_FORM_##form] = words,
static const char *const form_names[] = { LS_FORM_TABLE (X) };
#undef X
const char *ls_stage_form_name (LsStageForm form) { return form_names[form]; }

#define GONE(op) (__uint128_t) 1 << LS_OP_##op
#define LEVEL_PROGRAM FALSE
#define LEVEL_KERNEL TRUE
const LsStageInfo ls_stage_infos[LS_N_STAGES] = {
#define X(id, name, level, run, sets, mode, context, when, takes, gives, gone, sentence) \
  { name, sentence, sets, LS_REWRITE_##mode, #context, LEVEL_##level, LS_STAGE_FORM_##takes, LS_STAGE_FORM_##gives, \
    { (guint64) (gone), (guint64) ((__uint128_t) (gone) >> 64) } },
#include LS_PIPELINE_DEF
#undef X
};

const LsStageInfo *
ls_stage_find (const char *name)
{
  for (guint i = 0; i < LS_N_STAGES; i++)
    if (strcmp (ls_stage_infos[i].name, name) == 0)
      return &ls_stage_infos[i];
  return NULL;
}

const LsStageInfo *
ls_stage_of_pass (const char *pass)
{
  gsize n = strcspn (pass, "#");
  if (g_str_has_suffix (pass, "-cycle"))
    n = strlen (pass) - strlen ("-cycle");
  for (guint i = 0, number = pass[n] == '#' ? (guint) atoi (pass + n + 1) : 1; i < LS_N_STAGES; i++)
    if (strlen (ls_stage_infos[i].name) == n && strncmp (ls_stage_infos[i].name, pass, n) == 0 && --number == 0)
      return &ls_stage_infos[i];
  g_autofree char *stage = g_strndup (pass, n);
  return ls_stage_find (stage);
}

const LsRuleSetInfo *
ls_stage_sets (void)
{
  static LsRuleSetInfo *sets;
  static gsize once;
  if (g_once_init_enter (&once)) {
    GArray *all = g_array_new (TRUE, TRUE, sizeof (LsRuleSetInfo));
    for (guint i = 0; i < LS_N_STAGES; i++) {
      const LsStageInfo *stage = &ls_stage_infos[i];
      g_auto (GStrv) names = g_strsplit (stage->sets, "+", -1);
      for (char **name = names; *name; name++) {
        gboolean have = FALSE;
        for (guint k = 0; k < all->len && !have; k++)
          have = strcmp (g_array_index (all, LsRuleSetInfo, k).name, *name) == 0;
        gboolean none = strcmp (stage->context, "none") == 0;
        LsRuleSetInfo set = { g_intern_string (*name), none ? NULL : stage->context, stage->gives == LS_STAGE_FORM_TENSORS ||
                              stage->gives == LS_STAGE_FORM_AST,
                              stage->gone[LS_OP_GRADIENT >> 6] >> (LS_OP_GRADIENT & 63) & 1 && !stage->kernel };
        if (!have)
          g_array_append_val (all, set);
      }
    }
    sets = (LsRuleSetInfo *) g_array_free (all, FALSE);
    g_once_init_leave (&once, 1);
  }
  return sets;
}
