/* LsStepsModel: the steps of one pass as a GListModel whose items are made when asked for. */
#pragma once
#include <gio/gio.h>
#include "trace/trace.h"

G_BEGIN_DECLS

#define LS_TYPE_STEP_ITEM (ls_step_item_get_type ())
G_DECLARE_FINAL_TYPE (LsStepItem, ls_step_item, LS, STEP_ITEM, GObject)
#define LS_TYPE_STEPS_MODEL (ls_steps_model_get_type ())
G_DECLARE_FINAL_TYPE (LsStepsModel, ls_steps_model, LS, STEPS_MODEL, GObject)

guint         ls_step_item_get_step (LsStepItem *item);      /* from 1 */

LsStepsModel *ls_steps_model_new      (void);
void          ls_steps_model_set_pass (LsStepsModel *self, LsTrace *trace, LsPass *pass);
/* The rule of step (from 1), or NULL in a damaged recording. */
const LsTraceRule *ls_steps_model_rule (LsStepsModel *self, guint step);
guint32       ls_steps_model_ns       (LsStepsModel *self, guint step);

G_END_DECLS
