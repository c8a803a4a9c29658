/* Rows of a kernel's listing by their one number. */
#include "ask.h"

GPtrArray *
ls_kernel_list (LsTrace *trace, const LsKernel *k)
{
  GPtrArray *list = g_ptr_array_sized_new (k ? k->listing->len : 0);
  for (guint i = 0; k && i < k->listing->len; i++) {
    LsUOp *u = ls_context_node (trace->ctx, g_array_index (k->listing, guint32, i));
    if (u)
      g_ptr_array_add (list, u);
  }
  return list;
}

LsStyle
ls_trace_style (LsTrace *trace)
{
  for (guint i = 0; i < trace->settings->len; i++)
    if (g_str_equal (trace->settings->pdata[i], "CLASSIC=1"))
      return LS_STYLE_CLASSIC;
  return LS_STYLE_OPS;
}

void
ls_trace_settings (const LsTrace *trace, LsSettings *settings)
{
  ls_settings_init (settings);
  for (guint i = 0; i < trace->settings->len; i++)
    ls_trace_take_setting (trace, i, settings, NULL);
}

guint32
ls_row_node (LsTrace *trace, const LsKernel *k, LsStyle style, guint64 number)
{
  g_autoptr (GPtrArray) list = ls_kernel_list (trace, k);
  g_autoptr (GArray) rows = ls_listing_rows (trace->ctx, list->len, (LsUOp *const *) list->pdata, style);
  return number < rows->len ? g_array_index (rows, LsListingRow, number).node : LS_NO_NODE;
}

GHashTable *
ls_kernel_rows (LsTrace *trace, const LsKernel *k, LsStyle style)
{
  g_autoptr (GPtrArray) list = ls_kernel_list (trace, k);
  return ls_listing_numbers (trace->ctx, list->len, (LsUOp *const *) list->pdata, style);
}

gint
ls_row_number (GHashTable *rows, guint32 node)
{
  return GPOINTER_TO_INT (g_hash_table_lookup (rows, GUINT_TO_POINTER (node + 1))) - 1;
}
