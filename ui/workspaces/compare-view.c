/* The Compare workspace. It opens with the table of all kernels (compare-home.h); a kernel that is chosen there, or by the keys for the
 * next one, is shown in columns: one table whose rows are those of a comparison (session/compared.h), so that all columns scroll together
 * and corresponding lines are in one row. The first column is the baseline, which the user chooses among the runs. */
#include "compare-view.h"
#include "compare-home.h"
#include "kit/class.h"
#include "session/trace-text.h"
#include "kit/busy.h"
#include "kit/table.h"
#include "kit/text.h"
#include "measure/compare.h"
#include "panes/run/roofline.h"
#include "panes/run/times-chart.h"
#include "session/ask-cli.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <stdlib.h>
#include <string.h>

#define MOST_COLUMNS 6      /* and one for the names of rows */
#define LEAST_COLUMN 380    /* pixels: no figure is cut */
#define MOST_ALONE   24     /* kernels without other code whose baseline is timed */

/* A kernel that is to be measured: first numbers soon, or those that are believed; alone: the baseline only, as the others have
 * its code. */
typedef struct { guint kernel; gboolean first, alone; } Job;

struct _LsCompareView {
  GtkWidget      parent_instance;
  GtkBox          *bands;
  LsRuns        *runs;
  LsComparedTable *all;         /* or NULL: there are no two runs */
  LsCompared    *compared;      /* of the kernel that is shown, or NULL: the table is */
  guint          kernel;        /* of the baseline, or 0 */
  guint          base;          /* number of the run that is the baseline; 0: the first */
  guint          order[MOST_COLUMNS];      /* the run of each column */
  GtkWidget     *bar, *go, *empty, *back, *add, *kernel_box, *try;
  GtkLabel      *note, *kernel_label;
  LsCompareHome *home;
  GtkWidget     *charts;
  LsTimesChart  *chart;
  LsRoofline    *roofline;
  LsTable       *table;
  LsTableColumn  columns[MOST_COLUMNS + 1];
  char          *titles[MOST_COLUMNS];      /* of the runs */
  char          *base_title;     /* of the baseline's column */
  char          *said;           /* of the measurement of the columns, or NULL */
  GCancellable  *measuring;      /* or NULL */
  GArray        *measured;       /* guint: columns of the variants that are measured */
  GArray        *jobs;           /* Job: what is measured, and comes next */
  guint          n_jobs;         /* of all that were asked for together */
  GtkWidget     *measure;
  guint          idle;
};

G_DEFINE_FINAL_TYPE (LsCompareView, ls_compare_view, GTK_TYPE_WIDGET)

const LsCompared *ls_compare_view_get (LsCompareView *self) { return self->compared; }
const LsComparedTable *ls_compare_view_get_table (LsCompareView *self) { return self->all; }

/* --- the table --- */

static LsCompareView *
view_of (LsTable *table)
{
  return LS_COMPARE_VIEW (gtk_widget_get_ancestor (GTK_WIDGET (table), LS_TYPE_COMPARE_VIEW));
}

static const LsComparedRow *
row_at (LsTable *table, guint row)
{
  const LsCompareView *self = view_of (table);
  return self && self->compared && row < self->compared->rows->len ? self->compared->rows->pdata[row] : NULL;
}

static char *
cell (LsTable *table, guint row, guint column)
{
  const LsComparedRow *r = row_at (table, row);
  const char *text = !r ? NULL : column == 0 ? r->label : column <= view_of (table)->compared->n ? r->text[column - 1] : NULL;
  return text ? ls_text_cut (text, 400) : NULL;
}

/* Line and cycles before a text, in the colour of the line of the source, the same in source and machine code. */
static guint
paint_prefix (const LsComparedRow *r, guint column, guint length, LsTextSpan *spans)
{
  static const char *const colors[] = { "ls_line_a", "ls_line_b", "ls_line_c", "ls_line_d", "ls_line_e", "ls_line_f" };
  if (!r->line || !r->line[column])
    return 0;
  spans[0] = (LsTextSpan) { 0, MIN (r->prefix, length), colors[r->line[column] % G_N_ELEMENTS (colors)] };
  return 1;
}

/* In a line that differs, the different words; the whole of a line that the others lack. */
static guint
paint (LsTable *table, guint row, guint column, const char *text, LsTextSpan *spans)
{
  const LsComparedRow *r = row_at (table, row);
  if (!r || !text || !*text || column == 0)
    return 0;
  guint length = (guint) strlen (text), n = view_of (table)->compared->n, painted = paint_prefix (r, column - 1, length, spans);
  guint from = MIN (r->prefix, length);
  if (r->state[column - 1] != LS_LINE_DIFFERS)
    return painted;
  const char *other = NULL;
  for (guint i = 0; i < n && !other; i++)
    if (i != column - 1 && r->text[i] && (column == 1 ? r->state[i] == LS_LINE_DIFFERS : i == 0))
      other = r->text[i];
  if (!other) {
    spans[painted++] = (LsTextSpan) { from, length, column == 1 ? "ls_removed" : "ls_added" };
    return painted;
  }
  g_autoptr (GArray) words = ls_line_words (other + MIN (r->prefix, strlen (other)), text + from);
  for (guint i = 0; i < words->len && painted < LS_TABLE_SPANS; i++) {
    const LsLineSpan *w = &g_array_index (words, LsLineSpan, i);
    spans[painted++] = (LsTextSpan) { MIN (from + w->from, length), MIN (from + w->to, length), "ls_changed" };
  }
  return painted;
}

/* Figures, options and decisions are shown whole, code is cut. */
static gboolean
is_whole (LsTable *table, guint row)
{
  const LsComparedRow *r = row_at (table, row);
  return r && r->band <= LS_BAND_REWRITES;
}

static gboolean
is_heading (LsTable *table, guint row)
{
  const LsComparedRow *r = row_at (table, row);
  return r && r->heading;
}

static void
drop_table (LsCompareView *self)
{
  if (self->table)
    gtk_widget_unparent (GTK_WIDGET (self->table));
  self->table = NULL;
}

/* --- the comparison --- */

static void
show_nothing (LsCompareView *self, const char *why)
{
  adw_status_page_set_description (ADW_STATUS_PAGE (self->empty), why);
  gtk_widget_set_visible (self->empty, TRUE);
  gtk_widget_set_visible (self->bar, FALSE);
  gtk_widget_set_visible (GTK_WIDGET (self->home), FALSE);
  gtk_widget_set_visible (self->kernel_box, FALSE);
  gtk_widget_set_visible (self->charts, FALSE);
  drop_table (self);
}

gboolean
ls_compare_view_is_measuring (LsCompareView *self)
{
  return self->measuring != NULL;
}

gboolean
ls_compare_view_get_busy (LsCompareView *self)
{
  return self->idle != 0 || self->measuring;
}

static void on_activated (LsCompareView *self, guint row);
static void compare_soon (LsCompareView *self);

static const LsRun *
run_at (const LsCompareView *self, guint column)
{
  return ls_runs_get (self->runs, self->order[column]);
}

static void
take_titles (LsCompareView *self, guint n)
{
  for (guint i = 0; i < n; i++) {
    g_autofree char *name = ls_runs_name (self->runs, self->order[i]);
    g_free (self->titles[i]);
    self->titles[i] = ls_text_valid (name);
  }
}

/* Another run is the one that the others are compared with. */
static void
choose_base (LsCompareView *self, guint column)
{
  if (!self->all || column == 0 || column >= self->all->n)
    return;
  guint kernel = self->kernel ? self->all->numbers[column][self->kernel] : 0;
  self->base = run_at (self, column)->number;
  self->kernel = kernel;
  compare_soon (self);
}

static void
on_head (LsCompareView *self, guint column)
{
  if (column > 1)
    choose_base (self, column - 1);
}

static void
make_table (LsCompareView *self)
{
  guint n = self->compared->n;
  drop_table (self);
  self->columns[0] = (LsTableColumn) { .title = "" };
  g_free (self->base_title);
  self->base_title = g_strconcat ("● ", self->titles[0], NULL);
  for (guint i = 0; i < n; i++)
    self->columns[i + 1] = (LsTableColumn) { .title = i ? self->titles[i] : self->base_title, .expand = TRUE, .least = LEAST_COLUMN,
                                            .short_title = TRUE };
  self->table = ls_table_new ("comparison", self->columns, n + 1, cell, "");
  ls_table_set_code (self->table);
  ls_table_set_heads (self->table);
  ls_table_set_paint (self->table, paint);
  ls_table_set_marked (self->table, is_heading);
  ls_table_set_wrapped (self->table, is_whole);
  ls_table_set_name (self->table, _("Comparison"));
  gtk_widget_set_vexpand (GTK_WIDGET (self->table), TRUE);
  gtk_widget_set_parent (GTK_WIDGET (self->table), GTK_WIDGET (self));
  g_signal_connect_object (self->table, "row-activated", G_CALLBACK (on_activated), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->table, "head-activated", G_CALLBACK (on_head), self, G_CONNECT_SWAPPED);
  ls_table_set_rows (self->table, self->compared->rows->len);
}

/* --- measuring --- */

#define FIRST_SECONDS "1"      /* first numbers soon, then those that are believed */

static void
set_note (LsCompareView *self, const char *note)
{
  gtk_label_set_text (self->note, note);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->note), note);
}

static void
set_measuring (LsCompareView *self, GCancellable *measuring)
{
  if (self->measuring)
    g_cancellable_cancel (self->measuring);
  g_set_object (&self->measuring, measuring);
  gtk_button_set_label (GTK_BUTTON (self->measure), measuring ? _("Stop") : _("Measure"));
  g_object_notify (G_OBJECT (self), "busy");
}

/* Measurements of a kernel, stored with the runs. */
static void
keep_measured (LsCompareView *self, guint kernel, LsReading *answer)
{
  guint numbers[MOST_COLUMNS];
  for (guint i = 0; i < self->measured->len; i++)
    numbers[i] = run_at (self, g_array_index (self->measured, guint, i))->number;
  ls_runs_take_measured (self->runs, ls_measured_runs_new (kernel, numbers, self->measured->len, answer));
}

/* The columns (guint) that a measurement is of, or NULL: of none, or of a run that is not shown. Free with g_array_unref. */
static GArray *
columns_of (LsCompareView *self, const LsMeasuredRuns *m)
{
  g_autoptr (GArray) columns = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < m->runs->len; i++) {
    guint run = ls_runs_index (self->runs, g_array_index (m->runs, guint, i)), column = 0;
    while (column < self->all->n && self->order[column] != run)
      column++;
    if (column == self->all->n || (i == 0) != (column == 0))
      return NULL;
    g_array_append_val (columns, column);
  }
  return columns->len ? g_steal_pointer (&columns) : NULL;
}

/* What was measured against this baseline. kernel: to be shown in the columns, too; TRUE: there is something about it. */
static gboolean
show_measured (LsCompareView *self)
{
  const GPtrArray *all = ls_runs_measured (self->runs);
  gboolean found = FALSE;
  for (guint i = 0; i < all->len; i++) {
    const LsMeasuredRuns *m = all->pdata[i];
    g_autoptr (GArray) columns = columns_of (self, m);
    if (!columns)
      continue;
    ls_compared_table_take (self->all, m->kernel, ls_reading_row (m->answer), columns);
    if (!self->compared || m->kernel != self->kernel)
      continue;
    g_free (self->said);
    self->said = ls_compared_take (self->compared, ls_reading_row (m->answer), columns);
    found = TRUE;
  }
  return found;
}

/* The verdict on the kernel that is shown. */
static void
show_kernel_verdict (LsCompareView *self)
{
  guint row = self->all && self->kernel ? ls_compared_table_row (self->all, self->kernel) : G_MAXUINT;
  if (row == G_MAXUINT)
    return;
  guint run;
  g_autofree char *suggested = ls_compared_table_try (self->all, row, &run);
  gtk_widget_set_visible (self->try, suggested != NULL);
  g_autofree char *title = ls_compared_table_title (self->all, row), *verdict = ls_compared_table_verdict (self->all, row);
  g_autofree char *markup = self->said ? g_markup_printf_escaped ("<b>%s</b>  %s\n<small>%s</small>", title, verdict, self->said)
                                       : g_markup_printf_escaped ("<b>%s</b>  %s", title, verdict);
  gtk_label_set_markup (self->kernel_label, markup);
}

/* The fastest run again, with the options that are suggested for it. */
static void
on_try (LsCompareView *self)
{
  guint row = self->all && self->kernel ? ls_compared_table_row (self->all, self->kernel) : G_MAXUINT, run;
  g_autofree char *options = row != G_MAXUINT ? ls_compared_table_try (self->all, row, &run) : NULL;
  if (options)
    g_signal_emit_by_name (self, "try", self->order[run], self->all->numbers[run][self->kernel], options);
}

static void
show_charts (LsCompareView *self)
{
  ls_times_chart_set (self->chart, self->compared, self->titles);
  ls_roofline_set (self->roofline, self->compared, self->titles);
}

static void
update_shown (LsCompareView *self)
{
  if (self->compared) {
    show_charts (self);
    ls_table_set_rows (self->table, self->compared->rows->len);
    show_kernel_verdict (self);
  } else
    ls_compare_home_update (self->home);
}

/* --- the kernels that are measured, one after the other --- */

typedef struct { LsCompareView *view; GCancellable *cancellable; Job job; } Asked;

static void ask_next (LsCompareView *self);

static void
stop_measuring (LsCompareView *self, const char *note)
{
  g_array_set_size (self->jobs, 0);
  set_measuring (self, NULL);
  set_note (self, note);
}

static void
on_measured (GObject *source, GAsyncResult *result, gpointer data)
{
  Asked *asked = data;
  g_autoptr (LsCompareView) self = asked->view;
  g_autoptr (GCancellable) cancellable = asked->cancellable;
  g_autoptr (GError) error = NULL;
  g_autoptr (LsReading) answer = ls_ask_cli_finish (result, &error);
  Job job = asked->job;
  g_free (asked);
  if (self->measuring != cancellable)      /* stopped, or another comparison is shown */
    return;
  g_autofree char *said = error ? ls_text_error (error, 200) : NULL;
  if (answer) {
    if (self->compared && self->kernel == job.kernel) {
      g_free (self->said);
      self->said = ls_compared_take (self->compared, ls_reading_row (answer), self->measured);
    }
    ls_compared_table_take (self->all, job.kernel, ls_reading_row (answer), self->measured);
    keep_measured (self, job.kernel, answer);
  }
  update_shown (self);
  g_clear_object (&self->measuring);
  if (self->jobs->len) {
    ask_next (self);
    return;
  }
  stop_measuring (self, said ? said : answer ? "" : _("lazyscope-cli ended without an answer"));
}

static char **
question (LsCompareView *self, guint kernel, guint n, const char *seconds)
{
  LsTrace *traces[MOST_COLUMNS] = { NULL };
  guint kernels[MOST_COLUMNS] = { 0 };
  char *also[MOST_COLUMNS] = { NULL };
  for (guint i = 0; i < n; i++) {
    const LsRun *run = run_at (self, i);
    traces[i] = run->trace;
    kernels[i] = self->all->numbers[i][kernel];
    /* a C file that a file names is not run */
    also[i] = ls_run_options_variant (run->options, kernels[i], run->folder != NULL);
  }
  g_autoptr (LsCompared) asked = ls_compared_new (traces, n, kernels, FALSE);
  char **words = ls_compared_question (asked, (const char *const *) also, seconds, self->measured);
  for (guint i = 0; i < n; i++)
    g_free (also[i]);
  return words;
}

/* The kernel that is shown; of the table the first one whose code differs. */
char **
ls_compare_view_question (LsCompareView *self)
{
  if (!self->all || self->measuring)
    return NULL;
  guint kernel = self->kernel;
  for (guint i = 0; i < self->all->rows->len && !kernel; i++)
    if (ls_kernel_row_differs (self->all->rows->pdata[i]))
      kernel = ((const LsKernelRow *) self->all->rows->pdata[i])->kernel;
  return kernel ? question (self, kernel, self->all->n, NULL) : NULL;
}

static void
ask_next (LsCompareView *self)
{
  Job job = g_array_index (self->jobs, Job, 0);
  g_array_remove_index (self->jobs, 0);
  g_auto (GStrv) asked_words = question (self, job.kernel, job.alone ? 1 : self->all->n, job.first ? FIRST_SECONDS : NULL);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  if (!asked_words && self->jobs->len) {
    ask_next (self);
    return;
  }
  if (!asked_words) {
    stop_measuring (self, _("The baseline cannot be measured: its code is hand-written and was not run in this window, or its recording "
                            "has no file."));
    return;
  }
  const char *words = job.first ? _("Measuring, in rounds…") : _("First results; still measuring, in rounds…");
  g_autofree char *note = self->n_jobs <= 2 ? g_strdup (words)
                          : g_strdup_printf (_("Measuring kernel %u, in rounds… (%u of %u)"), job.kernel, self->n_jobs - self->jobs->len,
                                             self->n_jobs);
  set_note (self, note);
  Asked *asked = g_new (Asked, 1);
  *asked = (Asked) { g_object_ref (self), g_object_ref (cancellable), job };
  set_measuring (self, cancellable);
  ls_ask_cli_async (NULL, (const char *const *) asked_words, &ls_compare_answer, cancellable, on_measured, asked);
}

static void
add_job (LsCompareView *self, guint kernel, gboolean first, gboolean alone)
{
  Job job = { kernel, first, alone };
  g_array_append_val (self->jobs, job);
}

/* Of the kernel that is shown; of the table those whose code differs first, then the baseline of the others. */
static void
on_measure (LsCompareView *self)
{
  if (!self->all)
    return;
  if (self->measuring) {
    stop_measuring (self, _("Stopped."));
    return;
  }
  g_array_set_size (self->jobs, 0);
  for (guint pass = 0; pass < 3; pass++)
    for (guint i = 0, n_alone = 0; i < self->all->rows->len && !self->kernel; i++) {
      const LsKernelRow *k = self->all->rows->pdata[i];
      gboolean alone = !ls_kernel_row_differs (k);
      if (alone == (pass == 1) && !(alone && n_alone++ >= MOST_ALONE))
        add_job (self, k->kernel, pass < 2, alone);
    }
  for (guint pass = 0; pass < 2 && self->kernel; pass++)
    add_job (self, self->kernel, pass == 0, FALSE);
  self->n_jobs = self->jobs->len;
  if (self->n_jobs)
    ask_next (self);
}

void
ls_compare_view_measure (LsCompareView *self)
{
  if (!self->measuring)
    on_measure (self);
}

/* --- what is shown --- */

/* The table and its measurements stay while the same runs are compared. */
static gboolean
is_of (const LsCompareView *self, LsTrace *const *traces, guint n)
{
  return self->all && self->all->n == n && memcmp (self->all->traces, traces, n * sizeof *traces) == 0;
}

/* The baseline first, then the others as they are kept. Returns their number. */
static guint
order_runs (LsCompareView *self, guint *order)
{
  guint n = MIN (ls_runs_n (self->runs), MOST_COLUMNS), base = self->base ? ls_runs_index (self->runs, self->base) : 0;
  guint at = 0;
  base = base < n ? base : 0;
  if (n)
    order[at++] = base;
  for (guint i = 0; i < n; i++)
    if (i != base)
      order[at++] = i;
  return n;
}

static void
show_home (LsCompareView *self)
{
  drop_table (self);
  ls_compare_home_set (self->home, self->all, self->titles);
}

static gboolean
any_parts (LsCompareView *self)
{
  LsPosition first, there;
  gboolean parts = FALSE;
  for (guint i = 1; i < self->compared->n && !parts; i++)
    parts = ls_compared_parting (self->compared, i, &first, &there);
  return parts;
}

static void
show_columns (LsCompareView *self)
{
  guint kernels[MOST_COLUMNS] = { 0 };
  for (guint i = 0; i < self->all->n; i++)
    kernels[i] = self->all->numbers[i][self->kernel];
  self->compared = ls_compared_new (self->all->traces, self->all->n, kernels, TRUE);
  make_table (self);
}

static void
show_which (LsCompareView *self)
{
  gboolean columns = self->compared != NULL;
  gtk_widget_set_visible (self->empty, FALSE);
  gtk_widget_set_visible (self->bar, TRUE);
  gtk_widget_set_visible (GTK_WIDGET (self->home), !columns);
  gtk_widget_set_visible (self->charts, columns);
  gtk_widget_set_visible (self->kernel_box, columns);
  gtk_widget_set_visible (self->back, columns);
  gtk_widget_set_visible (GTK_WIDGET (self->bands), columns);
  gtk_widget_set_visible (self->go, columns);
  gtk_widget_set_visible (self->add, !columns);
}

static void
compare (LsCompareView *self)
{
  LsTrace *traces[MOST_COLUMNS];
  guint order[MOST_COLUMNS] = { 0 }, n = order_runs (self, order);
  for (guint i = 0; i < n; i++)
    traces[i] = ls_runs_get (self->runs, order[i])->trace;
  gboolean same = is_of (self, traces, n);
  if (same && (self->compared ? self->compared->kernels[0] : 0) == self->kernel)
    return;
  if (!same)
    stop_measuring (self, "");
  ls_times_chart_set (self->chart, NULL, NULL);
  ls_roofline_set (self->roofline, NULL, NULL);
  g_clear_pointer (&self->compared, ls_compared_free);
  g_clear_pointer (&self->said, g_free);
  if (!same) {
    ls_compare_home_set (self->home, NULL, NULL);
    g_clear_pointer (&self->all, ls_compared_table_free);
    memcpy (self->order, order, sizeof order);
  }
  if (n < 2) {
    self->kernel = 0;
    show_nothing (self, _("Run the program again with other options (Ctrl+Shift+Enter), or add another recording of it. Each run "
                          "becomes a column."));
    return;
  }
  take_titles (self, n);
  if (!same) {
    g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
    for (guint i = 0; i < n; i++) {
      g_autofree char *words = ls_runs_words (self->runs, order[i]);
      g_strv_builder_add (names, words);
    }
    g_auto (GStrv) words = g_strv_builder_end (names);
    self->all = ls_compared_table_new (traces, (const char *const *) words, n);
  }
  if (!ls_trace_kernel (traces[0], self->kernel))
    self->kernel = 0;
  if (self->kernel)
    show_columns (self);
  show_which (self);
  if (!show_measured (self) && self->kernel)
    self->said = g_strdup (_("Times are from separate runs and were not measured together."));
  if (!self->measuring) {
    g_autofree char *more = ls_runs_n (self->runs) > n ? g_strdup_printf (_("The first %u runs are shown."), n) : g_strdup ("");
    set_note (self, more);
  }
  if (!self->kernel) {
    show_home (self);
    return;
  }
  show_charts (self);
  ls_table_set_rows (self->table, self->compared->rows->len);
  show_kernel_verdict (self);
  gtk_widget_set_sensitive (self->go, any_parts (self));
}

/* --- kernels --- */

static void
open_kernel (LsCompareView *self, guint kernel)
{
  self->kernel = kernel;
  compare_soon (self);
}

void
ls_compare_view_open_kernel (LsCompareView *self, guint kernel)
{
  open_kernel (self, kernel);
}

gboolean
ls_compare_view_back (LsCompareView *self)
{
  if (!self->kernel)
    return FALSE;
  open_kernel (self, 0);
  return TRUE;
}

/* From the table to the first one whose code differs. */
void
ls_compare_view_step_kernel (LsCompareView *self, int direction)
{
  guint n = self->all ? self->all->rows->len : 0, at = n, i = 0;
  if (!n)
    return;
  if (self->kernel) {
    at = ls_compared_table_row (self->all, self->kernel);
    at = direction > 0 ? MIN (at + 1, n - 1) : at > 0 ? at - 1 : 0;
  } else {
    for (at = 0; i < n && at == 0; i++)
      if (ls_kernel_row_differs (self->all->rows->pdata[i]))
        at = i + 1;
    at = at ? at - 1 : 0;
  }
  open_kernel (self, ((const LsKernelRow *) self->all->rows->pdata[at])->kernel);
}

static gboolean
on_idle (gpointer data)
{
  LsCompareView *self = data;
  self->idle = 0;
  compare (self);
  g_object_notify (G_OBJECT (self), "busy");
  return G_SOURCE_REMOVE;
}

/* Only visible columns are compared. */
static void
compare_soon (LsCompareView *self)
{
  if (!self->idle && gtk_widget_get_mapped (GTK_WIDGET (self)))
    self->idle = g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, on_idle, self, NULL);
}

static void
ls_compare_view_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (ls_compare_view_parent_class)->map (widget);
  compare_soon (LS_COMPARE_VIEW (widget));
}

/* A window that is closed does not wait for times. */
static void
ls_compare_view_unroot (GtkWidget *widget)
{
  LsCompareView *self = LS_COMPARE_VIEW (widget);
  if (self->measuring)
    g_cancellable_cancel (self->measuring);
  g_clear_object (&self->measuring);
  GTK_WIDGET_CLASS (ls_compare_view_parent_class)->unroot (widget);
}

void
ls_compare_view_show_band (LsCompareView *self, LsBand band)
{
  guint row = self->compared ? ls_compared_band (self->compared, band) : G_MAXUINT;
  if (row != G_MAXUINT)
    ls_table_show_row (self->table, row, 40);
}

gboolean
ls_compare_view_go_to_parting (LsCompareView *self)
{
  LsPosition first, there;
  guint n = self->compared ? self->compared->n : 0, shown = 0;
  while (shown < n && self->order[shown] != ls_runs_current_index (self->runs))
    shown++;
  /* of the run that is shown, where it is not the baseline; else of the first that parts */
  for (guint k = 0; k < n; k++) {
    guint i = k == 0 ? shown : k;
    if (!ls_compared_parting (self->compared, i, &first, &there))
      continue;
    g_signal_emit_by_name (self, "go", self->order[i], &there, self->order[0], &first);
    return TRUE;
  }
  return FALSE;
}

static void
on_activated (LsCompareView *self, guint row)
{
  const LsComparedRow *r = row_at (self->table, row);
  if (r && r->band == LS_BAND_REWRITES)
    ls_compare_view_go_to_parting (self);
}

static void
on_band (GtkButton *button, LsCompareView *self)
{
  ls_compare_view_show_band (self, (LsBand) atoi (gtk_widget_get_name (GTK_WIDGET (button)) + strlen ("band-")));
}

/* A button for each of LsBand. */
static void
add_bands (LsCompareView *self)
{
  const char *titles[] = { _("Summary"), _("Options"), _("Decisions"), _("Rewrites"), _("UOps"), _("Source"), _("Machine code") };
  for (guint i = 0; i < G_N_ELEMENTS (titles); i++) {
    g_autofree char *name = g_strdup_printf ("band-%u", i);
    GtkWidget *button = g_object_new (GTK_TYPE_BUTTON, "name", name, "label", titles[i], NULL);
    g_signal_connect (button, "clicked", G_CALLBACK (on_band), self);
    gtk_box_append (self->bands, button);
  }
}

void
ls_compare_view_set (LsCompareView *self, LsRuns *runs)
{
  self->runs = g_object_ref (runs);
  g_signal_connect_object (runs, "changed", G_CALLBACK (compare_soon), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->home, "kernel", G_CALLBACK (open_kernel), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->home, "base", G_CALLBACK (choose_base), self, G_CONNECT_SWAPPED);
}

/* --- the widget --- */

static void
forget_titles (LsCompareView *self)
{
  for (guint i = 0; i < MOST_COLUMNS; i++)
    g_free (self->titles[i]);
}

static void
ls_compare_view_class_init (LsCompareViewClass *class)
{
  ls_busy_install (class, (LsBusy) ls_compare_view_get_busy);
  GTK_WIDGET_CLASS (class)->map = ls_compare_view_map;
  GTK_WIDGET_CLASS (class)->unroot = ls_compare_view_unroot;
  LS_USES (LS_TYPE_TIMES_CHART, LS_TYPE_ROOFLINE, LS_TYPE_COMPARE_HOME);
  LS_UI_BINDS (class, LsCompareView, "compare-view", bar, back, bands, measure, note, go, add, home, kernel_box, kernel_label,
               try, charts, chart, roofline, empty);
  LS_CALLBACKS (class, on_measure, on_try, ls_compare_view_go_to_parting, ls_compare_view_back);
  ls_class_signal (class, "go", 4, G_TYPE_UINT, G_TYPE_POINTER, G_TYPE_UINT, G_TYPE_POINTER);
  ls_class_signal (class, "try", 3, G_TYPE_UINT, G_TYPE_UINT, G_TYPE_STRING);
  LS_SOURCES (class, LsCompareView, idle);
  LS_OWNS (class, LsCompareView, ls_cancel, measuring);
  LS_ON_DISPOSE (class, drop_table);
  LS_ON_DISPOSE (class, ls_unparent_all);
  LS_OWNS (class, LsCompareView, ls_compared_free, compared);
  LS_OWNS (class, LsCompareView, ls_compared_table_free, all);
  LS_OWNS (class, LsCompareView, g_object_unref, runs);
  LS_ON_FINALIZE (class, forget_titles);
  LS_KEEPS (class, LsCompareView, g_array_unref, measured, jobs);
  LS_KEEPS (class, LsCompareView, g_free, base_title, said);
}

static void
ls_compare_view_init (LsCompareView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  add_bands (self);
  self->measured = g_array_new (FALSE, FALSE, sizeof (guint));
  self->jobs = g_array_new (FALSE, FALSE, sizeof (Job));
}
