/* Buffers with their contents, and why tensors got, or did not get, a buffer: tables. Cells are read from the session's recording when
 * they come into view. */
#include "ir/print.h"
#include "ir/sentence.h"
#include "kit/table.h"
#include "kit/text.h"
#include "panes/panes.h"
#include "session/trace-text.h"
#include "trace/realizations.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

static LsTrace *
trace_of (LsTable *table)
{
  return ls_view_session_get_trace (ls_table_get_data (table));
}

static GtkWidget *
follow (LsTable *table, LsViewSession *session)
{
  ls_table_set_data (table, g_object_ref (session), g_object_unref);
  return GTK_WIDGET (table);
}

/* --- buffers --- */

enum { V_BUFFER, V_ROLE, V_DTYPE, V_ELEMENTS, V_MIN, V_MAX, V_MEAN, V_ODD, V_VALUES };
static const LsTableColumn value_columns[] = {
  [V_BUFFER] = { N_("Buffer"), FALSE, FALSE }, [V_ROLE] = { N_("Role"), FALSE, FALSE }, [V_DTYPE] = { N_("Dtype"), FALSE, FALSE },
  [V_ELEMENTS] = { N_("Elements"), TRUE, FALSE }, [V_MIN] = { N_("Min"), TRUE, FALSE }, [V_MAX] = { N_("Max"), TRUE, FALSE },
  [V_MEAN] = { N_("Mean"), TRUE, FALSE }, [V_ODD] = { N_("NaN, inf"), TRUE, FALSE }, [V_VALUES] = { N_("Values"), FALSE, TRUE },
};

static char *
dtype_name (LsDType d)
{
  char text[64];
  const char *name = ls_dtype_classic (d, text);
  return g_strdup (g_str_has_prefix (name, "dtypes.") ? name + strlen ("dtypes.") : name);
}

static char *
value_cell (LsTable *table, guint row, guint column)
{
  LsTrace *trace = trace_of (table);
  const LsTraceBuffer *b = trace && row < trace->buffers->len ? trace->buffers->pdata[row] : NULL;
  if (!b)
    return NULL;
  gboolean known = ls_buffer_is_measured (trace, row);
  switch (column) {
  case V_BUFFER: {
    const LsNameBinding *binding = ls_trace_buffer_name (trace, b->id);
    g_autofree char *name = binding ? ls_text_cut (binding->name, 24) : NULL;
    return name ? g_strdup_printf ("%u · %s", b->id, name) : g_strdup_printf ("%u", b->id);
  }
  case V_ROLE: return ls_text_valid (b->role);
  case V_DTYPE: return dtype_name (b->dtype);
  case V_ELEMENTS: return ls_text_count (b->n_elements);
  case V_MIN: return known ? ls_text_number (b->min) : NULL;
  case V_MAX: return known ? ls_text_number (b->max) : NULL;
  case V_MEAN: return known ? ls_text_number (b->mean) : NULL;
  case V_ODD: return known ? g_strdup_printf ("%" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT, b->n_nan, b->n_inf) : NULL;
  default: {
    g_autofree char *values = ls_text_values (b, 12);
    g_autofree char *digest = ls_text_cut (b->digest, 24);
    return *values || !*digest ? g_steal_pointer (&values) : g_strdup_printf (_("not kept; digest %s"), digest);
  }
  }
}

void
ls_buffers_pane_changed (gpointer table, LsWatch what)
{
  ls_table_set_rows (table, trace_of (table) ? trace_of (table)->buffers->len : 0);
}

GtkWidget *
ls_buffers_pane_new (LsViewSession *session)
{
  LsTable *table = ls_table_new ("values", value_columns, G_N_ELEMENTS (value_columns), value_cell, _("No buffer was recorded"));
  return follow (table, session);
}

/* --- decisions --- */

enum { D_TENSOR, D_USER, D_KERNEL, D_WHY };
static const LsTableColumn schedule_columns[] = {
  [D_TENSOR] = { N_("Value"), .expand = TRUE, .wrap = TRUE }, [D_USER] = { N_("Used by"), .expand = TRUE, .wrap = TRUE },
  [D_KERNEL] = { N_("Kernel"), TRUE, FALSE }, [D_WHY] = { N_("Why"), .expand = TRUE, .wrap = TRUE },
};

static char *
node_cell (LsTrace *trace, guint32 id)
{
  LsUOp *node = id == LS_NO_NODE ? NULL : ls_context_node (trace->ctx, id);
  g_autofree char *summary = node ? ls_uop_summary (node) : NULL;
  return node ? ls_text_cut (summary, 80) : NULL;
}

static char *
schedule_cell (LsTable *table, guint row, guint column)
{
  LsTrace *trace = trace_of (table);
  if (!trace || row >= trace->decisions->len)
    return NULL;
  const LsDecision *d = &g_array_index (trace->decisions, LsDecision, row);
  gboolean keeps = ls_reasons[d->key].action >= LS_DECISION_TAKES;
  guint kernel = d->kernel ? d->kernel : keeps ? 0 : d->user_kernel;
  switch (column) {
  case D_TENSOR: return node_cell (trace, d->node);
  case D_USER: return node_cell (trace, d->user);
  case D_KERNEL: return kernel ? g_strdup_printf (d->kernel ? _("%u stores it") : _("%u computes it"), kernel) : NULL;
  default: return g_strdup (ls_shown (ls_reasons[d->key].sentence));
  }
}

void
ls_schedule_pane_changed (gpointer table, LsWatch what)
{
  ls_table_set_rows (table, trace_of (table) ? trace_of (table)->decisions->len : 0);
}

/* To the decision's step. */
static void
on_schedule_row (LsTable *table, guint row)
{
  LsTrace *trace = trace_of (table);
  if (!trace || row >= trace->decisions->len)
    return;
  guint pass = g_array_index (trace->decisions, LsDecision, row).pass, first = row;
  while (first > 0 && g_array_index (trace->decisions, LsDecision, first - 1).pass == pass)
    first--;
  ls_view_session_go (ls_table_get_data (table), (int) pass, row - first + 1);
}

GtkWidget *
ls_schedule_pane_new (LsViewSession *session)
{
  LsTable *table = ls_table_new ("schedule", schedule_columns, G_N_ELEMENTS (schedule_columns), schedule_cell,
                                 _("No decision was recorded"));
  ls_table_set_links (table);
  g_signal_connect (table, "row-activated", G_CALLBACK (on_schedule_row), NULL);
  return follow (table, session);
}
