/* The Compare workspace: one table whose rows are those of a comparison (session/compared.h), so that all columns scroll together and
 * corresponding lines are in one row. */
#include "compare-view.h"
#include "kit/class.h"
#include "session/trace-text.h"
#include "kit/busy.h"
#include "kit/table.h"
#include "kit/text.h"
#include "measure/compare.h"
#include "panes/run/times-chart.h"
#include "session/ask-cli.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <stdlib.h>
#include <string.h>

#define MOST_COLUMNS 6      /* and one for the names of rows */

struct _LsCompareView {
  GtkWidget      parent_instance;
  GtkBox          *bands;
  LsRuns        *runs;
  LsViewSession *session;
  LsCompared    *compared;
  GtkWidget     *bar, *go, *empty;
  GtkLabel      *note;
  LsTimesChart  *chart;
  LsTable       *table;
  LsTableColumn  columns[MOST_COLUMNS + 1];
  char          *titles[MOST_COLUMNS];      /* of the runs */
  GCancellable  *measuring;      /* or NULL */
  GArray        *measured;       /* guint: columns of the variants that are measured */
  GtkWidget     *measure;
  guint          idle;
};

G_DEFINE_FINAL_TYPE (LsCompareView, ls_compare_view, GTK_TYPE_WIDGET)

const LsCompared *ls_compare_view_get (LsCompareView *self) { return self->compared; }

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

/* In a line that differs, the different words; the whole of a line that the others lack. */
static guint
paint (LsTable *table, guint row, guint column, const char *text, LsTextSpan *spans)
{
  const LsComparedRow *r = row_at (table, row);
  if (!r || !text || !*text)
    return 0;
  guint length = (guint) strlen (text), n = view_of (table)->compared->n;
  if (column == 0 || r->state[column - 1] != LS_LINE_DIFFERS)
    return 0;
  const char *other = NULL;
  for (guint i = 0; i < n && !other; i++)
    if (i != column - 1 && r->text[i] && (column == 1 ? r->state[i] == LS_LINE_DIFFERS : i == 0))
      other = r->text[i];
  if (!other) {
    spans[0] = (LsTextSpan) { 0, length, column == 1 ? "ls_removed" : "ls_added" };
    return 1;
  }
  g_autoptr (GArray) words = ls_line_words (other, text);
  guint found = MIN (words->len, LS_TABLE_SPANS);
  for (guint i = 0; i < found; i++) {
    const LsLineSpan *w = &g_array_index (words, LsLineSpan, i);
    spans[i] = (LsTextSpan) { MIN (w->from, length), MIN (w->to, length), "ls_changed" };
  }
  return found;
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
  return self->idle != 0;
}

static void on_activated (LsCompareView *self, guint row);

static void
make_table (LsCompareView *self)
{
  guint n = self->compared->n;
  drop_table (self);
  self->columns[0] = (LsTableColumn) { "", FALSE, FALSE };
  for (guint i = 0; i < n; i++) {
    g_autofree char *name = ls_runs_name (self->runs, i);
    g_free (self->titles[i]);
    self->titles[i] = ls_text_valid (name);
    self->columns[i + 1] = (LsTableColumn) { self->titles[i], FALSE, TRUE };
  }
  self->table = ls_table_new ("comparison", self->columns, n + 1, cell, "");
  ls_table_set_code (self->table);
  ls_table_set_paint (self->table, paint);
  ls_table_set_marked (self->table, is_heading);
  ls_table_set_name (self->table, _("Comparison"));
  gtk_widget_set_vexpand (GTK_WIDGET (self->table), TRUE);
  gtk_widget_set_parent (GTK_WIDGET (self->table), GTK_WIDGET (self));
  g_signal_connect_object (self->table, "row-activated", G_CALLBACK (on_activated), self, G_CONNECT_SWAPPED);
  ls_table_set_rows (self->table, self->compared->rows->len);
}

static guint
kernel_of_first (LsCompareView *self)
{
  const LsRun *first = ls_runs_get (self->runs, 0), *shown = ls_runs_current (self->runs);
  const LsKernel *kernel = ls_view_session_kernel (self->session);
  guint number = kernel ? kernel->number : 1;
  return first == shown ? number : ls_kernel_corresponding (shown->trace, number, first->trace);
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
}

/* Measurements of the current comparison, stored with the runs. */
static void
keep_measured (LsCompareView *self, LsReading *answer)
{
  guint numbers[MOST_COLUMNS];
  for (guint i = 0; i < self->measured->len; i++)
    numbers[i] = ls_runs_get (self->runs, g_array_index (self->measured, guint, i))->number;
  ls_runs_take_measured (self->runs, ls_measured_runs_new (self->compared->kernels[0], numbers, self->measured->len, answer));
}

/* Fills the columns with the known data of the kernel. FALSE: nothing is. */
static gboolean
show_measured (LsCompareView *self)
{
  const GPtrArray *all = ls_runs_measured (self->runs);
  const LsMeasuredRuns *found = NULL;
  for (guint i = 0; i < all->len && !found; i++) {
    const LsMeasuredRuns *m = all->pdata[i];
    if (m->kernel == self->compared->kernels[0] && g_array_index (m->runs, guint, 0) == ls_runs_get (self->runs, 0)->number)
      found = m;
  }
  if (!found)
    return FALSE;
  g_array_set_size (self->measured, 0);
  for (guint i = 0; i < found->runs->len; i++) {
    guint column = ls_runs_index (self->runs, g_array_index (found->runs, guint, i));
    if (column >= self->compared->n)
      return FALSE;
    g_array_append_val (self->measured, column);
  }
  g_autofree char *said = ls_compared_take (self->compared, ls_reading_row (found->answer), self->measured);
  set_note (self, said);
  return TRUE;
}

typedef struct { LsCompareView *view; GCancellable *cancellable; gboolean first; } Asked;

static void ask (LsCompareView *self, gboolean first);

static void
on_measured (GObject *source, GAsyncResult *result, gpointer data)
{
  Asked *asked = data;
  g_autoptr (LsCompareView) self = asked->view;
  g_autoptr (GCancellable) cancellable = asked->cancellable;
  g_autoptr (GError) error = NULL;
  g_autoptr (LsReading) answer = ls_ask_cli_finish (result, &error);
  gboolean first = asked->first;
  g_free (asked);
  if (self->measuring != cancellable)      /* stopped, or another comparison is shown */
    return;
  g_autofree char *said = NULL;
  if (answer) {
    said = ls_compared_take (self->compared, ls_reading_row (answer), self->measured);
    keep_measured (self, answer);
  } else
    said = error ? ls_text_error (error, 200) : g_strdup (_("lazyscope-cli ended without an answer"));
  ls_times_chart_set (self->chart, self->compared, self->titles);
  ls_table_set_rows (self->table, self->compared->rows->len);
  if (first && answer) {
    set_note (self, _("First results; still measuring, in rounds…"));
    ask (self, FALSE);
    return;
  }
  g_clear_object (&self->measuring);
  set_measuring (self, NULL);
  set_note (self, said);
}

static char **
question (LsCompareView *self, const char *seconds)
{
  char *also[MOST_COLUMNS];
  for (guint i = 0; i < self->compared->n; i++) {
    const LsRun *run = ls_runs_get (self->runs, i);
    /* a C file that a file names is not run */
    also[i] = ls_run_options_variant (run->options, self->compared->kernels[i], run->folder != NULL);
  }
  char **words = ls_compared_question (self->compared, (const char *const *) also, seconds, self->measured);
  for (guint i = 0; i < self->compared->n; i++)
    g_free (also[i]);
  return words;
}

char **
ls_compare_view_question (LsCompareView *self)
{
  return self->compared && !self->measuring ? question (self, NULL) : NULL;
}

static void
ask (LsCompareView *self, gboolean first)
{
  g_auto (GStrv) words = question (self, first ? FIRST_SECONDS : NULL);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  if (!words) {
    set_measuring (self, NULL);
    set_note (self, _("The first column cannot be measured: its code is hand-written and was not run in this window, or its recording "
                      "has no file."));
    return;
  }
  Asked *asked = g_new (Asked, 1);
  *asked = (Asked) { g_object_ref (self), g_object_ref (cancellable), first };
  g_clear_object (&self->measuring);
  set_measuring (self, cancellable);
  ls_ask_cli_async (NULL, (const char *const *) words, &ls_compare_answer, cancellable, on_measured, asked);
}

static void
on_measure (LsCompareView *self)
{
  if (self->measuring) {
    set_measuring (self, NULL);
    set_note (self, _("Stopped."));
    return;
  }
  set_note (self, _("Measuring, in rounds…"));
  ask (self, TRUE);
}

/* Its measurements stay. */
static gboolean
is_shown (const LsCompareView *self, LsTrace *const *traces, guint n, guint kernel)
{
  const LsCompared *c = self->compared;
  return c && c->n == n && c->kernels[0] == kernel && memcmp (c->traces, traces, n * sizeof *traces) == 0;
}

static void
compare (LsCompareView *self)
{
  guint n = MIN (ls_runs_n (self->runs), MOST_COLUMNS), kernel = n < 2 ? 0 : kernel_of_first (self);
  LsTrace *traces[MOST_COLUMNS];
  for (guint i = 0; i < n; i++)
    traces[i] = ls_runs_get (self->runs, i)->trace;
  if (is_shown (self, traces, n, kernel))
    return;
  set_measuring (self, NULL);
  ls_times_chart_set (self->chart, NULL, NULL);
  g_clear_pointer (&self->compared, ls_compared_free);
  if (n < 2) {
    show_nothing (self, _("Run the program again with other options (Ctrl+Shift+Enter), or add another recording of it. Each run "
                          "becomes a column."));
    return;
  }
  if (!kernel || !ls_trace_kernel (traces[0], kernel)) {
    show_nothing (self, _("The first run has no kernel that corresponds to the current one."));
    return;
  }
  self->compared = ls_compared_new (traces, n, kernel);
  gtk_widget_set_visible (self->empty, FALSE);
  gtk_widget_set_visible (self->bar, TRUE);
  g_autofree char *more = ls_runs_n (self->runs) > n ? g_strdup_printf (_("The first %u runs are shown."), n)
                                                     : g_strdup (_("Times are from separate runs and were not measured together."));
  if (!show_measured (self))
    set_note (self, more);
  make_table (self);
  ls_times_chart_set (self->chart, self->compared, self->titles);
  gboolean parts = FALSE;
  for (guint i = 1; i < n && !parts; i++) {
    LsPosition first, there;
    parts = ls_compared_parting (self->compared, i, &first, &there);
  }
  gtk_widget_set_sensitive (self->go, parts);
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
  set_measuring (LS_COMPARE_VIEW (widget), NULL);
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
  guint shown = ls_runs_current_index (self->runs), n = self->compared ? self->compared->n : 0;
  /* of the run that is shown, where it is not the first; else of the first that parts */
  for (guint k = 0; k < n; k++) {
    guint i = k == 0 ? shown : k;
    if (!ls_compared_parting (self->compared, i, &first, &there))
      continue;
    g_signal_emit_by_name (self, "go", i, &there);
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
ls_compare_view_set (LsCompareView *self, LsRuns *runs, LsViewSession *session)
{
  self->runs = g_object_ref (runs);
  self->session = g_object_ref (session);
  g_signal_connect_object (runs, "changed", G_CALLBACK (compare_soon), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "position-changed", G_CALLBACK (compare_soon), self, G_CONNECT_SWAPPED);
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
  LS_USES (LS_TYPE_TIMES_CHART);
  LS_UI_BINDS (class, LsCompareView, "compare-view", bar, bands, measure, note, go, chart, empty);
  LS_CALLBACKS (class, on_measure, ls_compare_view_go_to_parting);
  ls_class_signal (class, "go", 2, G_TYPE_UINT, G_TYPE_POINTER);
  LS_SOURCES (class, LsCompareView, idle);
  LS_OWNS (class, LsCompareView, ls_cancel, measuring);
  LS_ON_DISPOSE (class, drop_table);
  LS_ON_DISPOSE (class, ls_unparent_all);
  LS_OWNS (class, LsCompareView, ls_compared_free, compared);
  LS_OWNS (class, LsCompareView, g_object_unref, runs, session);
  LS_ON_FINALIZE (class, forget_titles);
  LS_KEEPS (class, LsCompareView, g_array_unref, measured);
}

static void
ls_compare_view_init (LsCompareView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  add_bands (self);
  self->measured = g_array_new (FALSE, FALSE, sizeof (guint));
}
