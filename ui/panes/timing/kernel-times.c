/* Times of kernels, in tables that follow the session: each kernel against the others, its repeats, and the time for making it. A row
 * leads to its kernel.
 *
 * Cells are read from the session's recording when they come into view. A median of less than LEAST_NS is of the clock's own size,
 * and no rate is made of it; bars are against the longest of all kernels. The kernel of the position is
 * marked and in view. */
#include "kit/table.h"
#include "kit/text.h"
#include "panes/panes.h"
#include "session/trace-text.h"

#include <glib/gi18n.h>

#define LEAST_NS 100.0

typedef double (*Amount) (LsTrace *trace, const LsKernel *kernel);

/* most: of all kernels; kernel: the one that is marked, or 0. */
typedef struct { LsViewSession *session; Amount amount; double most; guint kernel; } Times;

static void
times_free (gpointer times)
{
  g_object_unref (((Times *) times)->session);
  g_free (times);
}

static LsViewSession *
session_of (LsTable *table)
{
  return ((const Times *) ls_table_get_data (table))->session;
}

/* A table that was not seen may still have the rows of the recording before. */
static const LsKernel *
kernel_at (LsTable *table, guint row)
{
  LsTrace *trace = ls_view_session_get_trace (session_of (table));
  return trace ? ls_trace_kernel (trace, row + 1) : NULL;
}

/* --- times of a kernel --- */

static double
median_of (const LsKernel *k)
{
  double ns;
  return (!k->run_error || !*k->run_error) && ls_text_median_ns (k, &ns) ? ns : -1;
}

static double
pipeline_of (LsTrace *trace, const LsKernel *k)
{
  double ns = 0;
  for (guint i = 0; i < k->passes->len; i++) {
    guint pass = g_array_index (k->passes, guint, i);
    const LsPass *p = pass < trace->passes->len ? trace->passes->pdata[pass] : NULL;
    ns += p && p->parent < 0 ? (double) p->ns : 0;      /* a nested pass's time is in its parent's */
  }
  return ns;
}

static double
making_of (LsTrace *trace, const LsKernel *k)
{
  return pipeline_of (trace, k) + MAX (k->compile_ms, 0) * 1e6;
}

static double running_of (LsTrace *trace, const LsKernel *k) { return median_of (k); }

/* Of the longest of all kernels. */
static char *
bar (LsTable *table, const LsKernel *k)
{
  const Times *times = ls_table_get_data (table);
  double is = times->amount (ls_view_session_get_trace (times->session), k);
  return times->most > 0 && is > 0 ? g_strdup_printf ("%.1f %%", 100 * is / times->most) : NULL;
}

static char *
kernel_title (const LsKernel *k)
{
  g_autofree char *name = ls_text_valid (k->name);
  if (!k->run_error || !*k->run_error)
    return g_strdup_printf ("%u  %s", k->number, name);
  g_autofree char *why = ls_text_cut (k->run_error, 200);
  return g_strdup_printf ("%u  %s: %s", k->number, name, why);
}

static char *
median_text (const LsKernel *k)
{
  double ns = median_of (k);
  return k->run_error && *k->run_error ? g_strdup (_("failed")) : ns >= 0 ? ls_text_ns (ns) : NULL;
}

static char *
rate_text (const LsKernel *k)
{
  double ns = median_of (k), amount = k->flops > 0 ? k->flops : k->bytes;
  if (ns < 0 || amount <= 0)
    return NULL;
  if (ns < LEAST_NS)
    return g_strdup (_("below resolution"));
  return g_strdup_printf (amount / ns < 10 ? "%.2f %s" : "%.1f %s", amount / ns, k->flops > 0 ? "GFLOPS" : "GB/s");
}

/* The repeats in order as a strip of bars, of many the longest in each part. */
static char *
strip (const LsKernel *k)
{
  static const char *const bars[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
  guint n = k->run_ns ? k->run_ns->len : 0, parts = MIN (n, 16);
  guint64 most = 0;
  for (guint i = 0; i < n; i++)
    most = MAX (most, g_array_index (k->run_ns, guint64, i));
  if (n < 2 || most == 0)
    return NULL;
  GString *s = g_string_new (NULL);
  for (guint p = 0; p < parts; p++) {
    guint64 high = 0;
    for (guint i = p * n / parts; i < (p + 1) * n / parts; i++)
      high = MAX (high, g_array_index (k->run_ns, guint64, i));
    g_string_append (s, bars[MIN ((guint) ((double) high / (double) most * 8), 7)]);
  }
  return g_string_free (s, FALSE);
}

/* "9.1 µs · 11.5 µs · 33.3 µs, by clang 14.0.6 -O2 -march=native": as many as there were, in order. */
static char *
each_repeat (const LsKernel *k)
{
  GString *s = g_string_new (NULL);
  for (guint i = 0; k->run_ns && i < MIN (k->run_ns->len, 40); i++) {
    g_autofree char *time = ls_text_ns ((double) g_array_index (k->run_ns, guint64, i));
    g_string_append_printf (s, "%s%s", i ? " · " : "", time);
  }
  g_autofree char *label = s->len ? ls_kernel_compiler_label (k) : NULL, *valid = label ? ls_text_valid (label) : NULL;
  if (valid)
    g_string_append_printf (s, _(", by %s"), valid);
  return g_string_free (s, FALSE);
}

/* --- tables --- */

enum { T_KERNEL, T_BAR, T_MEDIAN, T_RATE };
static const LsTableColumn timing_columns[] = {
  [T_KERNEL] = { N_("Kernel"), FALSE, TRUE }, [T_BAR] = { "", .expand = TRUE, .bar = TRUE }, [T_MEDIAN] = { N_("Median"), TRUE, FALSE },
               [T_RATE] = { N_("Rate"), TRUE, FALSE },
};

static char *
timing_cell (LsTable *table, guint row, guint column)
{
  const LsKernel *k = kernel_at (table, row);
  if (!k)
    return NULL;
  switch (column) {
  case T_KERNEL: return kernel_title (k);
  case T_BAR: return bar (table, k);
  case T_MEDIAN: return median_text (k);
  default: return rate_text (k);
  }
}

enum { R_KERNEL, R_MEDIAN, R_STRIP, R_EACH };
static const LsTableColumn repeats_columns[] = {
  [R_KERNEL] = { N_("Kernel"), FALSE, FALSE }, [R_MEDIAN] = { N_("Median"), TRUE, FALSE }, [R_STRIP] = { "", FALSE, FALSE },
               [R_EACH] = { N_("Each repeat, in order"), FALSE, TRUE },
};

static char *
repeats_cell (LsTable *table, guint row, guint column)
{
  const LsKernel *k = kernel_at (table, row);
  if (!k)
    return NULL;
  switch (column) {
  case R_KERNEL: return kernel_title (k);
  case R_MEDIAN: return median_text (k);
  case R_STRIP: return strip (k);
  default: return each_repeat (k);
  }
}

enum { C_KERNEL, C_BAR, C_PIPELINE, C_COMPILE, C_COMPILER };
static const LsTableColumn compile_columns[] = {
  [C_KERNEL] = { N_("Kernel"), FALSE, TRUE }, [C_BAR] = { "", .expand = TRUE, .bar = TRUE }, [C_PIPELINE] = { N_("Pipeline"), TRUE, FALSE },
               [C_COMPILE] = { N_("Compile"), TRUE, FALSE },
  [C_COMPILER] = { N_("Compiler"), FALSE, FALSE },
};

static char *
compile_cell (LsTable *table, guint row, guint column)
{
  const LsKernel *k = kernel_at (table, row);
  if (!k)
    return NULL;
  switch (column) {
  case C_KERNEL: return kernel_title (k);
  case C_BAR: return bar (table, k);
  case C_PIPELINE: return k->same_as > 0 ? g_strdup_printf (_("as kernel %d"), k->same_as)
                                         : ls_text_ns (pipeline_of (ls_view_session_get_trace (session_of (table)), k));
  case C_COMPILE: return k->compile_ms > 0 ? ls_text_ns (k->compile_ms * 1e6) : NULL;
  default: {
    g_autofree char *label = ls_kernel_compiler_label (k);
    return ls_text_valid (label);
  }
  }
}

static guint
paint_name (LsTable *table, guint row, guint column, const char *text, LsTextSpan *spans)
{
  const LsKernel *k = column == 0 ? kernel_at (table, row) : NULL;
  return k ? ls_text_axes (ls_view_session_get_trace (session_of (table)), k, text, spans, LS_TABLE_SPANS) : 0;
}

static gboolean
is_current (LsTable *table, guint row)
{
  return ((const Times *) ls_table_get_data (table))->kernel == row + 1;
}

void
ls_kernel_times_changed (gpointer table, LsWatch what)
{
  Times *times = ls_table_get_data (table);
  LsTrace *trace = ls_view_session_get_trace (times->session);
  const LsPass *pass = ls_view_session_pass (times->session);
  guint kernel = pass ? pass->kernel : 0;
  if (what == LS_WATCH_POSITION && kernel == times->kernel)
    return;
  times->kernel = kernel;
  if (what == LS_WATCH_TRACE) {
    times->most = 0;
    for (guint i = 0; trace && i < trace->kernels->len; i++)
      times->most = MAX (times->most, times->amount (trace, trace->kernels->pdata[i]));
    ls_table_set_rows (table, trace ? trace->kernels->len : 0);
  } else
    ls_table_update_marks (table);
  if (kernel)
    ls_table_show_row (table, kernel - 1, 0);
}

static void
on_row (LsTable *table, guint row)
{
  ls_view_session_go_to_kernel (session_of (table), row + 1);
}

static GtkWidget *
table_of_kernels (LsViewSession *session, const char *name, const LsTableColumn *columns, guint n, LsTableCell cell, Amount amount)
{
  LsTable *table = ls_table_new (name, columns, n, cell, _("No kernel was run"));
  Times times = { g_object_ref (session), amount, 0, 0 };
  ls_table_set_data (table, g_memdup2 (&times, sizeof times), times_free);
  ls_table_set_marked (table, is_current);
  ls_table_set_paint (table, paint_name);
  ls_table_set_links (table);
  g_signal_connect (table, "row-activated", G_CALLBACK (on_row), NULL);
  return GTK_WIDGET (table);
}

GtkWidget *
ls_timing_pane_new (LsViewSession *session)
{
  return table_of_kernels (session, "timing", timing_columns, G_N_ELEMENTS (timing_columns), timing_cell, running_of);
}

GtkWidget *
ls_repeats_pane_new (LsViewSession *session)
{
  return table_of_kernels (session, "repeats", repeats_columns, G_N_ELEMENTS (repeats_columns), repeats_cell, running_of);
}

GtkWidget *
ls_compile_pane_new (LsViewSession *session)
{
  return table_of_kernels (session, "compile", compile_columns, G_N_ELEMENTS (compile_columns), compile_cell, making_of);
}
