/* What the tables under listing and source say, read from the recording when it or the position changes. */
#include "detail-panes.h"
#include "ir/print.h"
#include "text.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

static LsTable *
follow (LsTable *table, LsViewSession *session, const char *signal, GCallback fill)
{
  g_object_set_data_full (G_OBJECT (table), "session", g_object_ref (session), g_object_unref);
  g_signal_connect_object (session, signal, fill, table, G_CONNECT_SWAPPED);
  return table;
}

static LsViewSession *
session_of (LsTable *table)
{
  return g_object_get_data (G_OBJECT (table), "session");
}

/* --- timing --- */

static int
compare_ns (gconstpointer a, gconstpointer b)
{
  guint64 x = *(const guint64 *) a, y = *(const guint64 *) b;
  return x < y ? -1 : x > y;
}

static char *
rate (double amount, double ns)
{
  return ns > 0 && amount > 0 ? g_strdup_printf (amount / ns < 10 ? "%.2f" : "%.1f", amount / ns) : g_strdup ("–");
}

static const LsTableColumn timing_columns[] = {
  { N_("Kernel"), FALSE, TRUE }, { N_("Compiler"), FALSE, FALSE }, { N_("Median"), TRUE, FALSE }, { N_("Min – max"), TRUE, FALSE },
  { N_("GFLOPS"), TRUE, FALSE }, { N_("GB/s"), TRUE, FALSE }, { N_("Compile"), TRUE, FALSE }, { N_("Pipeline"), TRUE, FALSE },
};

static void
fill_timing (LsTable *table)
{
  LsTrace *trace = ls_view_session_get_trace (session_of (table));
  ls_table_clear (table);
  for (guint i = 0; trace && i < trace->kernels->len; i++) {
    const LsKernel *k = trace->kernels->pdata[i];
    g_autofree char *name = ls_text_valid (k->name);
    char *cells[G_N_ELEMENTS (timing_columns)] = { g_strdup_printf ("%u  %s", k->number, name), g_strdup (k->compiler) };
    if (k->run_error && *k->run_error) {
      cells[2] = g_strdup (_("failed"));
      g_autofree char *why = ls_text_cut (k->run_error, 200);
      char *with = g_strdup_printf ("%s: %s", cells[0], why);
      g_free (cells[0]);
      cells[0] = with;
    } else if (k->run_ns && k->run_ns->len > 0) {
      g_autoptr (GArray) sorted = g_array_copy (k->run_ns);
      g_array_sort (sorted, compare_ns);
      double median = (double) g_array_index (sorted, guint64, sorted->len / 2);
      g_autofree char *low = ls_text_ns ((double) g_array_index (sorted, guint64, 0));
      g_autofree char *high = ls_text_ns ((double) g_array_index (sorted, guint64, sorted->len - 1));
      cells[2] = ls_text_ns (median);
      cells[3] = g_strdup_printf ("%s – %s", low, high);
      cells[4] = rate (k->flops, median);
      cells[5] = rate (k->bytes, median);
    }
    if (k->compile_ms > 0)
      cells[6] = ls_text_ns (k->compile_ms * 1e6);
    guint64 ns = 0;
    for (guint p = 0; p < k->passes->len; p++) {
      guint pass = g_array_index (k->passes, guint, p);
      if (pass < trace->passes->len)
        ns += ((LsPass *) trace->passes->pdata[pass])->ns;
    }
    cells[7] = ls_text_ns ((double) ns);
    ls_table_add (table, k->number, cells);
  }
  ls_table_show (table);
}

static void
go_to_kernel (LsTable *table, guint number)
{
  g_autofree char *link = g_strdup_printf ("%u", number);
  ls_view_session_go_link (session_of (table), link);
}

LsTable *
ls_timing_table_new (LsViewSession *session)
{
  LsTable *table = ls_table_new ("timing", timing_columns, G_N_ELEMENTS (timing_columns), _("No kernel was run"));
  g_signal_connect (table, "row-activated", G_CALLBACK (go_to_kernel), NULL);
  return follow (table, session, "trace-changed", G_CALLBACK (fill_timing));
}

/* --- stages --- */

static const LsTableColumn stage_columns[] = {
  { N_("Stage"), FALSE, FALSE }, { N_("Rules"), FALSE, TRUE }, { N_("Steps"), TRUE, FALSE }, { N_("Time"), TRUE, FALSE }, { N_("Share"), TRUE, FALSE },
};

static void
fill_stages (LsTable *table)
{
  LsViewSession *session = session_of (table);
  LsTrace *trace = ls_view_session_get_trace (session);
  const LsPass *here = ls_view_session_pass (session);
  guint kernel = here ? here->kernel : 0, shown = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (table), "kernel"));
  if (trace == g_object_get_data (G_OBJECT (table), "trace") && kernel + 1 == shown)
    return;
  g_object_set_data (G_OBJECT (table), "trace", trace);
  g_object_set_data (G_OBJECT (table), "kernel", GUINT_TO_POINTER (kernel + 1));
  ls_table_clear (table);
  guint64 total = 0;
  for (guint i = 0; trace && i < trace->passes->len; i++) {
    const LsPass *p = trace->passes->pdata[i];
    total += p->kernel == kernel ? p->ns : 0;
  }
  for (guint i = 0; trace && i < trace->passes->len; i++) {
    const LsPass *p = trace->passes->pdata[i];
    if (p->kernel != kernel)
      continue;
    guint n = ls_pass_n_steps (p);
    char *cells[] = { ls_text_valid (p->name), p->kind == LS_PASS_MAP ? g_strdup ("") : ls_text_valid (p->set), n ? ls_text_count (n) : NULL, ls_text_ns ((double) p->ns),
                      total ? g_strdup_printf ("%.1f %%", 100.0 * (double) p->ns / (double) total) : NULL };
    ls_table_add (table, p->index, cells);
  }
  ls_table_show (table);
}

static void
go_to_pass (LsTable *table, guint index)
{
  LsTrace *trace = ls_view_session_get_trace (session_of (table));
  if (trace && index < trace->passes->len)
    ls_view_session_go (session_of (table), (int) index, MIN (ls_pass_n_steps (trace->passes->pdata[index]), 1));
}

LsTable *
ls_stages_table_new (LsViewSession *session)
{
  LsTable *table = ls_table_new ("stages", stage_columns, G_N_ELEMENTS (stage_columns), _("No stages"));
  g_signal_connect (table, "row-activated", G_CALLBACK (go_to_pass), NULL);
  return follow (table, session, "position-changed", G_CALLBACK (fill_stages));
}

/* --- values --- */

static const LsTableColumn value_columns[] = {
  { N_("Buffer"), FALSE, FALSE }, { N_("Role"), FALSE, FALSE }, { N_("Dtype"), FALSE, FALSE }, { N_("Elements"), TRUE, FALSE }, { N_("Min"), TRUE, FALSE },
  { N_("Max"), TRUE, FALSE }, { N_("Mean"), TRUE, FALSE }, { N_("NaN, inf"), TRUE, FALSE }, { N_("Values"), FALSE, TRUE },
};

static char *
dtype_name (LsDType d)
{
  char text[64];
  const char *name = ls_dtype_classic (d, text);
  return g_strdup (g_str_has_prefix (name, "dtypes.") ? name + strlen ("dtypes.") : name);
}

static void
fill_values (LsTable *table)
{
  LsTrace *trace = ls_view_session_get_trace (session_of (table));
  ls_table_clear (table);
  for (guint i = 0; trace && i < trace->buffers->len; i++) {
    const LsTraceBuffer *b = trace->buffers->pdata[i];
    if (!b)
      continue;
    gboolean known = isfinite (b->min) || isfinite (b->max) || b->data;
    char *values = ls_text_values (b, 12);
    if (!*values && b->digest) {
      g_free (values);
      g_autofree char *digest = ls_text_cut (b->digest, 24);
      values = g_strdup_printf (_("not kept; digest %s"), digest);
    }
    char *cells[] = { g_strdup_printf ("%u", b->id), ls_text_valid (b->role), dtype_name (b->dtype), ls_text_count (b->n_elements),
                      known ? ls_text_number (b->min) : NULL, known ? ls_text_number (b->max) : NULL, known ? ls_text_number (b->mean) : NULL,
                      known ? g_strdup_printf ("%" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT, b->n_nan, b->n_inf) : NULL, values };
    ls_table_add (table, i, cells);
  }
  ls_table_show (table);
}

LsTable *
ls_values_table_new (LsViewSession *session)
{
  LsTable *table = ls_table_new ("values", value_columns, G_N_ELEMENTS (value_columns), _("No buffer was recorded"));
  return follow (table, session, "trace-changed", G_CALLBACK (fill_values));
}

/* --- schedule --- */

static const LsTableColumn schedule_columns[] = {
  { N_("Tensor"), FALSE, FALSE }, { N_("Buffer"), FALSE, FALSE }, { N_("Kernel"), TRUE, FALSE }, { N_("Why"), FALSE, TRUE },
};

static void
fill_schedule (LsTable *table)
{
  LsTrace *trace = ls_view_session_get_trace (session_of (table));
  ls_table_clear (table);
  for (guint i = 0; trace && i < trace->decisions->len; i++) {
    const LsDecision *d = &g_array_index (trace->decisions, LsDecision, i);
    LsUOp *node = ls_context_node (trace->ctx, d->node);
    g_autofree char *summary = node ? ls_uop_summary (node) : g_strdup ("?");
    char *cells[] = { ls_text_cut (summary, 40), g_strdup (d->realized ? _("of its own") : _("none")), d->kernel ? g_strdup_printf ("%u", d->kernel) : NULL, ls_text_valid (d->reason) };
    ls_table_add (table, d->kernel, cells);
  }
  ls_table_show (table);
}

LsTable *
ls_schedule_table_new (LsViewSession *session)
{
  LsTable *table = ls_table_new ("schedule", schedule_columns, G_N_ELEMENTS (schedule_columns), _("No decision was recorded"));
  g_signal_connect (table, "row-activated", G_CALLBACK (go_to_kernel), NULL);
  return follow (table, session, "trace-changed", G_CALLBACK (fill_schedule));
}
