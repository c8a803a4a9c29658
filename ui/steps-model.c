/* The steps of a pass, lazily: an item is only its number, and what is shown of it is read from the recording when a row is bound.
 * A pass of a million steps costs nothing here. */
#include "steps-model.h"

struct _LsStepItem {
  GObject parent_instance;
  guint   step;
};
G_DEFINE_FINAL_TYPE (LsStepItem, ls_step_item, G_TYPE_OBJECT)
static void ls_step_item_class_init (LsStepItemClass *class) {}
static void ls_step_item_init (LsStepItem *self) {}

guint
ls_step_item_get_step (LsStepItem *item)
{
  return item->step;
}

struct _LsStepsModel {
  GObject  parent_instance;
  LsTrace *trace;
  LsPass  *pass;
  guint    n;
};

static GType
get_item_type (GListModel *list)
{
  return LS_TYPE_STEP_ITEM;
}

static guint
get_n_items (GListModel *list)
{
  return LS_STEPS_MODEL (list)->n;
}

static gpointer
get_item (GListModel *list, guint position)
{
  if (position >= LS_STEPS_MODEL (list)->n)
    return NULL;
  LsStepItem *item = g_object_new (LS_TYPE_STEP_ITEM, NULL);
  item->step = position + 1;
  return item;
}

static void
list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = get_item_type;
  iface->get_n_items = get_n_items;
  iface->get_item = get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (LsStepsModel, ls_steps_model, G_TYPE_OBJECT, G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

static void
ls_steps_model_finalize (GObject *object)
{
  g_clear_pointer (&LS_STEPS_MODEL (object)->trace, ls_trace_unref);
  G_OBJECT_CLASS (ls_steps_model_parent_class)->finalize (object);
}

static void
ls_steps_model_class_init (LsStepsModelClass *class)
{
  G_OBJECT_CLASS (class)->finalize = ls_steps_model_finalize;
}

static void
ls_steps_model_init (LsStepsModel *self)
{
}

LsStepsModel *
ls_steps_model_new (void)
{
  return g_object_new (LS_TYPE_STEPS_MODEL, NULL);
}

void
ls_steps_model_set_pass (LsStepsModel *self, LsTrace *trace, LsPass *pass)
{
  if (self->trace == trace && self->pass == pass)
    return;
  guint before = self->n;
  LsTrace *old = self->trace;
  self->trace = trace ? ls_trace_ref (trace) : NULL;
  g_clear_pointer (&old, ls_trace_unref);
  self->pass = pass;
  self->n = pass ? ls_pass_n_steps (pass) : 0;
  g_list_model_items_changed (G_LIST_MODEL (self), 0, before, self->n);
}

const LsTraceRule *
ls_steps_model_rule (LsStepsModel *self, guint step)
{
  if (step < 1 || step > self->n)
    return NULL;
  gint rule = ls_pass_step_link (self->pass, step)->rule;
  return rule >= 0 && rule < (gint) self->trace->rules->len ? self->trace->rules->pdata[rule] : NULL;
}

guint32
ls_steps_model_ns (LsStepsModel *self, guint step)
{
  return step >= 1 && step <= self->n ? ls_pass_step_link (self->pass, step)->ns : 0;
}
