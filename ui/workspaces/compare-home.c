/* See compare-home.h. */
#include "compare-home.h"
#include "ir/sentence.h"
#include "kit/class.h"
#include "kit/table.h"

#include <glib/gi18n.h>
#include <string.h>

#define MOST_RUNS 6      /* as Compare has columns */
#define LEAST_RUN 128    /* pixels of a run's column: a figure with its interval */

struct _LsCompareHome {
  GtkWidget      parent_instance;
  GtkLabel      *verdict, *facts;
  GtkBox        *box;
  LsTable       *rows;
  const LsComparedTable *table;
  LsTableColumn  columns[MOST_RUNS + 2];
  char          *titles[MOST_RUNS];
};

G_DEFINE_FINAL_TYPE (LsCompareHome, ls_compare_home, GTK_TYPE_WIDGET)

static const LsComparedTable *
table_of (LsTable *rows)
{
  LsCompareHome *self = LS_COMPARE_HOME (gtk_widget_get_ancestor (GTK_WIDGET (rows), LS_TYPE_COMPARE_HOME));
  return self ? self->table : NULL;
}

static char *
cell (LsTable *rows, guint row, guint column)
{
  const LsComparedTable *t = table_of (rows);
  if (!t || row >= t->rows->len)
    return NULL;
  return column == 0 ? ls_compared_table_kernel (t, row) : column <= t->n ? ls_compared_table_cell (t, row, column - 1)
                                                                          : ls_compared_table_verdict (t, row);
}

/* The figure in the colour of its verdict; what belongs to it is faint. */
static guint
paint (LsTable *rows, guint row, guint column, const char *text, LsTextSpan *spans)
{
  const LsComparedTable *t = table_of (rows);
  guint end = (guint) strcspn (text, "\n"), length = (guint) strlen (text), n = 0;
  if (!t || row >= t->rows->len || column == t->n + 1)
    return 0;
  const LsKernelRow *k = t->rows->pdata[row];
  gboolean figure = column > 1 && k->cells[column - 1].timed && !k->cells[column - 1].same_text && !k->cells[column - 1].error;
  int is = figure ? ls_kernel_row_is (k, column - 1) : 0;
  if (is)
    spans[n++] = (LsTextSpan) { 0, end, is > 0 ? "ls_added" : "ls_removed" };
  if (column > 1 && !figure)
    spans[n++] = (LsTextSpan) { 0, length, "ls_moved" };
  else if (end < length)
    spans[n++] = (LsTextSpan) { end, length, "ls_moved" };
  return n;
}

static void
on_activated (LsCompareHome *self, guint row)
{
  if (self->table && row < self->table->rows->len)
    g_signal_emit_by_name (self, "kernel", ((const LsKernelRow *) self->table->rows->pdata[row])->kernel);
}

static void
on_head (LsCompareHome *self, guint column)
{
  if (self->table && column > 1 && column <= self->table->n)
    g_signal_emit_by_name (self, "base", column - 1);
}

static void
forget (LsCompareHome *self)
{
  if (self->rows)
    gtk_box_remove (self->box, GTK_WIDGET (self->rows));
  self->rows = NULL;
  for (guint i = 0; i < MOST_RUNS; i++)
    g_clear_pointer (&self->titles[i], g_free);
}

static void
make_rows (LsCompareHome *self, char *const *titles)
{
  guint n = MIN (self->table->n, MOST_RUNS);
  self->columns[0] = (LsTableColumn) { .title = N_("Kernel"), .wrap = TRUE, .top = TRUE };
  for (guint i = 0; i < n; i++) {
    self->titles[i] = i ? g_strdup (titles[i]) : g_strdup_printf ("● %s", titles[i]);
    self->columns[i + 1] = (LsTableColumn) { .title = self->titles[i], .wrap = TRUE, .top = TRUE, .least = LEAST_RUN,
                                             .short_title = n > 3 };
  }
  self->columns[n + 1] = (LsTableColumn) { .title = N_("Verdict"), .expand = TRUE, .wrap = TRUE, .top = TRUE, .least = 220 };
  self->rows = ls_table_new ("compared-kernels", self->columns, n + 2, cell, _("The first run has no kernels."));
  gtk_widget_add_css_class (GTK_WIDGET (self->rows), "kernel-rows");
  ls_table_set_heads (self->rows);
  ls_table_set_links (self->rows);
  ls_table_set_paint (self->rows, paint);
  ls_table_set_name (self->rows, _("Kernels and runs"));
  gtk_widget_set_vexpand (GTK_WIDGET (self->rows), TRUE);
  g_signal_connect_object (self->rows, "row-activated", G_CALLBACK (on_activated), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->rows, "head-activated", G_CALLBACK (on_head), self, G_CONNECT_SWAPPED);
  gtk_box_append (self->box, GTK_WIDGET (self->rows));
}

void
ls_compare_home_set (LsCompareHome *self, const LsComparedTable *table, char *const *titles)
{
  forget (self);
  self->table = table;
  if (!table)
    return;
  make_rows (self, titles);
  ls_compare_home_update (self);
}

/* The first sentence is bold. */
static void
show_verdict (LsCompareHome *self)
{
  const LsComparedTable *t = self->table;
  g_autoptr (GPtrArray) sentences = ls_kernel_rows_verdict ((const LsKernelRow *const *) t->rows->pdata, t->rows->len,
                                                      (const char *const *) t->names);
  g_autoptr (GString) s = g_string_new (NULL);
  for (guint i = 0; i < sentences->len; i++) {
    g_autofree char *shown = ls_sentence_shown (sentences->pdata[i]), *valid = g_utf8_make_valid (shown, -1);
    g_autofree char *markup = g_markup_printf_escaped (i ? " %s" : "<b>%s</b>", valid);
    g_string_append (s, markup);
  }
  gtk_label_set_markup (self->verdict, s->str);
}

void
ls_compare_home_update (LsCompareHome *self)
{
  if (!self->table)
    return;
  show_verdict (self);
  g_autofree char *facts = ls_compared_table_facts (self->table);
  gtk_label_set_text (self->facts, facts ? facts : _("Nothing is measured yet: Measure times the runs against each other, in rounds of "
                                                     "random order. A click on a row opens the kernel, one on a run's title makes "
                                                     "it the baseline."));
  ls_table_set_rows (self->rows, self->table->rows->len);
}

static void
ls_compare_home_class_init (LsCompareHomeClass *class)
{
  LS_UI_BINDS (class, LsCompareHome, "compare-home", box, verdict, facts);
  ls_class_signal (class, "kernel", 1, G_TYPE_UINT);
  ls_class_signal (class, "base", 1, G_TYPE_UINT);
  LS_ON_DISPOSE (class, forget);
  LS_ON_DISPOSE (class, ls_unparent_all);
}

static void
ls_compare_home_init (LsCompareHome *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
