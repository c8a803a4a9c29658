/* LsIndexModel: a GListModel of the numbers 0 … n-1, whose items are made when asked for. */
#pragma once
#include <gio/gio.h>

#define LS_TYPE_INDEX_ITEM (ls_index_item_get_type ())
G_DECLARE_FINAL_TYPE (LsIndexItem, ls_index_item, LS, INDEX_ITEM, GObject)
#define LS_TYPE_INDEX_MODEL (ls_index_model_get_type ())
G_DECLARE_FINAL_TYPE (LsIndexModel, ls_index_model, LS, INDEX_MODEL, GObject)

guint         ls_index_item_get   (LsIndexItem *item);
LsIndexModel *ls_index_model_new  (void);
/* Replaces all items, also when n stays the same: what the numbers stand for has changed. */
void          ls_index_model_set  (LsIndexModel *self, guint n);
