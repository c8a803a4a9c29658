/* Rows of long lists, lazily: an item is only its number, and its contents are read from the recording when a row is bound. A pass of a
 * million steps, or a recording of 100,000 kernels, costs nothing here. */
#include "index-model.h"

struct _LsIndexItem {
  GObject parent_instance;
  guint   index;
};
G_DEFINE_FINAL_TYPE (LsIndexItem, ls_index_item, G_TYPE_OBJECT)
static void ls_index_item_class_init (LsIndexItemClass *class) {}
static void ls_index_item_init (LsIndexItem *item) {}

guint
ls_index_item_get (LsIndexItem *item)
{
  return item->index;
}

struct _LsIndexModel {
  GObject parent_instance;
  guint   n;
};

static GType
get_item_type (GListModel *list)
{
  return LS_TYPE_INDEX_ITEM;
}

static guint
get_n_items (GListModel *list)
{
  return LS_INDEX_MODEL (list)->n;
}

static gpointer
get_item (GListModel *list, guint position)
{
  if (position >= LS_INDEX_MODEL (list)->n)
    return NULL;
  LsIndexItem *item = g_object_new (LS_TYPE_INDEX_ITEM, NULL);
  item->index = position;
  return item;
}

static void
list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = get_item_type;
  iface->get_n_items = get_n_items;
  iface->get_item = get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (LsIndexModel, ls_index_model, G_TYPE_OBJECT, G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))
static void ls_index_model_class_init (LsIndexModelClass *class) {}
static void ls_index_model_init (LsIndexModel *self) {}

LsIndexModel *
ls_index_model_new (void)
{
  return g_object_new (LS_TYPE_INDEX_MODEL, NULL);
}

void
ls_index_model_set (LsIndexModel *self, guint n)
{
  guint before = self->n;
  self->n = n;
  g_list_model_items_changed (G_LIST_MODEL (self), 0, before, n);
}
