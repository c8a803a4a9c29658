/* What the tables under listing and source say. Cells are read from the session's recording when they come into view. */
#include "detail-panes.h"
#include "ir/print.h"
#include "memory-chart.h"
#include "schedule.h"
#include "kit/text.h"
#include "session/trace-text.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

static LsTable *
follow (LsTable *table, LsViewSession *session, const char *signal, GCallback changed)
{
  g_object_set_data_full (G_OBJECT (table), "session", g_object_ref (session), g_object_unref);
  g_signal_connect_object (session, signal, changed, table, G_CONNECT_SWAPPED);
  return table;
}

static LsViewSession *
session_of (LsTable *table)
{
  return g_object_get_data (G_OBJECT (table), "session");
}

static LsTrace *
trace_of (LsTable *table)
{
  return ls_view_session_get_trace (session_of (table));
}

/* --- stages of one kernel --- */

enum { S_STAGE, S_RULES, S_STEPS, S_TIME, S_SHARE };
static const LsTableColumn stage_columns[] = {
  [S_STAGE] = { N_("Stage"), FALSE, FALSE }, [S_RULES] = { N_("Rules"), FALSE, TRUE }, [S_STEPS] = { N_("Steps"), TRUE, FALSE },
  [S_TIME] = { N_("Time"), TRUE, FALSE }, [S_SHARE] = { N_("Share"), TRUE, FALSE },
};

typedef struct { LsTrace *trace; guint kernel; guint64 total; GArray *passes; } Stages;

static void
stages_free (gpointer data)
{
  g_array_unref (((Stages *) data)->passes);
  g_free (data);
}

static const LsPass *
stage_pass (LsTable *table, guint row)
{
  const Stages *stages = g_object_get_data (G_OBJECT (table), "stages");
  return stages && row < stages->passes->len ? stages->trace->passes->pdata[g_array_index (stages->passes, guint, row)] : NULL;
}

static char *
stage_cell (LsTable *table, guint row, guint column)
{
  const Stages *stages = g_object_get_data (G_OBJECT (table), "stages");
  const LsPass *p = stage_pass (table, row);
  if (!p)
    return NULL;
  switch (column) {
  case S_STAGE: return ls_text_valid (p->name);
  case S_RULES: return p->kind == LS_PASS_MAP ? NULL : ls_text_valid (p->set);
  case S_STEPS: return ls_pass_n_steps (p) ? ls_text_count (ls_pass_n_steps (p)) : NULL;
  case S_TIME: return ls_text_ns ((double) p->ns);
  default: return stages->total ? g_strdup_printf ("%.1f %%", 100.0 * (double) p->ns / (double) stages->total) : NULL;
  }
}

static void
on_stages (LsTable *table)
{
  LsTrace *trace = trace_of (table);
  const LsPass *here = ls_view_session_pass (session_of (table));
  guint kernel = here ? here->kernel : 0;
  Stages *old = g_object_get_data (G_OBJECT (table), "stages");
  if (old && old->trace == trace && old->kernel == kernel)
    return;
  Stages *stages = g_new (Stages, 1);
  *stages = (Stages) { trace, kernel, 0, g_array_new (FALSE, FALSE, sizeof (guint)) };
  for (guint i = 0; trace && i < trace->passes->len; i++) {
    const LsPass *p = trace->passes->pdata[i];
    if (p->kernel != kernel)
      continue;
    stages->total += p->ns;
    g_array_append_val (stages->passes, i);
  }
  g_object_set_data_full (G_OBJECT (table), "stages", stages, stages_free);
  ls_table_set_rows (table, stages->passes->len);
}

static void
on_stage_row (LsTable *table, guint row)
{
  const LsPass *pass = stage_pass (table, row);
  if (pass)
    ls_view_session_go (session_of (table), (int) pass->index, MIN (ls_pass_n_steps (pass), 1));
}

LsTable *
ls_stages_table_new (LsViewSession *session)
{
  LsTable *table = ls_table_new ("stages", stage_columns, G_N_ELEMENTS (stage_columns), stage_cell, _("No stages"));
  g_signal_connect (table, "row-activated", G_CALLBACK (on_stage_row), NULL);
  return follow (table, session, "position-changed", G_CALLBACK (on_stages));
}

/* --- values --- */

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
  gboolean known = isfinite (b->min) || isfinite (b->max) || b->data;
  switch (column) {
  case V_BUFFER: return g_strdup_printf ("%u", b->id);
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

static void
on_values (LsTable *table)
{
  ls_table_set_rows (table, trace_of (table) ? trace_of (table)->buffers->len : 0);
}

LsTable *
ls_values_table_new (LsViewSession *session)
{
  LsTable *table = ls_table_new ("values", value_columns, G_N_ELEMENTS (value_columns), value_cell, _("No buffer was recorded"));
  return follow (table, session, "trace-changed", G_CALLBACK (on_values));
}

/* --- schedule --- */

enum { D_TENSOR, D_BUFFER, D_KERNEL, D_WHY };
static const LsTableColumn schedule_columns[] = {
  [D_TENSOR] = { N_("Tensor"), FALSE, FALSE }, [D_BUFFER] = { N_("Buffer"), FALSE, FALSE }, [D_KERNEL] = { N_("Kernel"), TRUE, FALSE },
               [D_WHY] = { N_("Why"), FALSE, TRUE },
};

static char *
schedule_cell (LsTable *table, guint row, guint column)
{
  LsTrace *trace = trace_of (table);
  if (!trace || row >= trace->decisions->len)
    return NULL;
  const LsDecision *d = &g_array_index (trace->decisions, LsDecision, row);
  switch (column) {
  case D_TENSOR: {
    LsUOp *node = ls_context_node (trace->ctx, d->node);
    g_autofree char *summary = node ? ls_uop_summary (node) : g_strdup ("?");
    return ls_text_cut (summary, 40);
  }
  case D_BUFFER: return g_strdup (d->realized ? _("of its own") : _("none"));
  case D_KERNEL: return d->kernel ? g_strdup_printf ("%u", d->kernel) : NULL;
  default: return ls_text_reason (d->reason);
  }
}

static void
on_schedule (LsTable *table)
{
  ls_table_set_rows (table, trace_of (table) ? trace_of (table)->decisions->len : 0);
}

static void
on_schedule_row (LsTable *table, guint row)
{
  LsTrace *trace = trace_of (table);
  if (trace && row < trace->decisions->len && g_array_index (trace->decisions, LsDecision, row).kernel)
    ls_view_session_go_to_kernel (session_of (table), g_array_index (trace->decisions, LsDecision, row).kernel);
}

LsTable *
ls_schedule_table_new (LsViewSession *session)
{
  LsTable *table = ls_table_new ("schedule", schedule_columns, G_N_ELEMENTS (schedule_columns), schedule_cell,
                                 _("No decision was recorded"));
  g_signal_connect (table, "row-activated", G_CALLBACK (on_schedule_row), NULL);
  return follow (table, session, "trace-changed", G_CALLBACK (on_schedule));
}

/* --- memory over kernels --- */

static void
show_memory (LsMemoryChart *chart)
{
  LsViewSession *session = g_object_get_data (G_OBJECT (chart), "session");
  LsScheduleScene *schedule = g_object_get_data (G_OBJECT (chart), "schedule");
  LsTrace *trace = ls_view_session_get_trace (session);
  const LsPass *pass = ls_view_session_pass (session);
  guint kernel = pass ? pass->kernel : 0;
  gboolean other = schedule && (schedule->trace != trace || (kernel && (kernel < schedule->first || kernel > schedule->last)));
  if (!schedule || other) {
    ls_memory_chart_set (chart, NULL);
    schedule = trace && trace->kernels->len && gtk_widget_get_mapped (GTK_WIDGET (chart)) ? ls_schedule_scene_new (trace, MAX (kernel, 1))
                                                                                          : NULL;
    g_object_set_data_full (G_OBJECT (chart), "schedule", schedule, (GDestroyNotify) ls_schedule_scene_free);
    ls_memory_chart_set (chart, schedule);
  }
  ls_memory_chart_set_chosen (chart, kernel ? ls_schedule_kernel_id (kernel) : LS_NO_NODE);
}

static void
on_memory_chosen (LsMemoryChart *chart, guint id)
{
  if (!(id & LS_SCHEDULE_BUFFER))
    ls_view_session_go_to_kernel (g_object_get_data (G_OBJECT (chart), "session"), id);
  else
    ls_memory_chart_set_chosen (chart, id);
}

GtkWidget *
ls_memory_page_new (LsViewSession *session)
{
  GtkWidget *chart = ls_memory_chart_new ();
  gtk_widget_set_name (chart, "memory");
  g_object_set_data_full (G_OBJECT (chart), "session", g_object_ref (session), g_object_unref);
  g_signal_connect (chart, "map", G_CALLBACK (show_memory), NULL);
  g_signal_connect (chart, "chosen", G_CALLBACK (on_memory_chosen), NULL);
  g_signal_connect_object (session, "trace-changed", G_CALLBACK (show_memory), chart, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "position-changed", G_CALLBACK (show_memory), chart, G_CONNECT_SWAPPED);
  return chart;
}
