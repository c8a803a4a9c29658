/* A search for the options of a kernel: asked for by the button, and at once where the recording has it. The results for a kernel stay
 * while its recording is shown. */
#include "search-pane.h"
#include "kit/class.h"
#include "session/trace-text.h"
#include "panes/panes.h"
#include "kit/table.h"
#include "kit/text.h"
#include "measure/search.h"
#include "session/ask-cli.h"
#include "session/record-table.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define SECONDS "12"      /* at most; the last rounds among the best are part of it */

typedef struct { LsCandidate c; guint depth; } Candidate;      /* depth: below its parent */

struct _LsSearchPane {
  GtkWidget      parent_instance;
  LsViewSession *session;
  GtkWidget     *box, *start;
  GtkLabel      *note;
  LsTable       *table;
  GHashTable    *found;        /* kernel's number → LsReading, of trace */
  LsTrace       *trace;        /* not a reference */
  LsRecordColumns columns;
  GArray        *rows;         /* Candidate, of the kernel that is shown */
  GStringChunk  *strings;      /* of rows */
  guint          kernel;
  GCancellable  *searching;    /* or NULL */
};

G_DEFINE_FINAL_TYPE (LsSearchPane, ls_search_pane, GTK_TYPE_WIDGET)

guint ls_search_pane_n_rows (LsSearchPane *self) { return self->rows->len; }
gboolean ls_search_pane_is_searching (LsSearchPane *self) { return self->searching != NULL; }

const char *
ls_search_pane_get_options (LsSearchPane *self, guint row, gboolean *chosen)
{
  const Candidate *c = &g_array_index (self->rows, Candidate, row);
  *chosen = c->c.chosen;
  return c->c.options;
}

static LsSearchPane *
pane_of (LsTable *table)
{
  return LS_SEARCH_PANE (gtk_widget_get_ancestor (GTK_WIDGET (table), LS_TYPE_SEARCH_PANE));
}

static const Candidate *
row_at (LsTable *table, guint row)
{
  const LsSearchPane *self = pane_of (table);
  return self && row < self->rows->len ? &g_array_index (self->rows, Candidate, row) : NULL;
}

/* In the tree the options beyond its parent's; without a parent in the table, all of them. */
static char *
options_text (const Candidate *c)
{
  const char *options = c->c.options, *last = strrchr (options, ',');
  if (!*options)
    return g_strdup (_("none"));
  return c->depth ? g_strdup_printf ("%*s+ %s", (int) MIN (2 * (c->depth - 1), 40), "", last ? last + 1 : options) : g_strdup (options);
}

static char *
remark_text (const LsCandidate *c)
{
  GString *s = g_string_new (c->chosen ? _("chosen") : "");
  if (c->heuristic)
    g_string_append_printf (s, "%s%s", s->len ? "; " : "", _("leads to the heuristic's choice"));
  if (!c->chosen && !isnan (c->ratio) && !isnan (c->ratio_low) && !isnan (c->ratio_high)) {
    g_string_append (s, s->len ? "; " : "");
    g_string_append_printf (s, _("%.3g × the chosen candidate's time [%.3g, %.3g]"), c->ratio, c->ratio_low, c->ratio_high);
  }
  if (c->dropped)
    g_string_append_printf (s, "%s%s", s->len ? "; " : "", c->dropped);
  return g_string_free (s, FALSE);
}

static char *
cell (LsTable *table, guint row, guint column)
{
  const LsSearchPane *self = pane_of (table);
  const Candidate *c = row_at (table, row);
  if (!c)
    return NULL;
  if (ls_record_column_is (&self->columns, column, "options"))
    return options_text (c);
  if (ls_record_column_is (&self->columns, column, "remark"))
    return remark_text (&c->c);
  if (ls_record_column_is (&self->columns, column, "equal") && c->c.equal == LS_EQUAL_NONE)
    return NULL;
  return ls_record_column_text (&self->columns, &c->c, row, NULL, column);
}

/* --- the answer --- */

static char *
text_of (LsRow row, const char *name)
{
  const char *text = ls_read_text (row, name);
  return ls_text_cut (text ? text : "", 200);
}

static void
add_candidate (LsSearchPane *self, LsRow row, guint depth)
{
  Candidate c = { .depth = depth };
  ls_read_take (row, &c.c, self->strings);
  c.c.options = c.c.options ? c.c.options : "";
  g_array_append_val (self->rows, c);
}

/* Compiled candidates, each below its parent. */
static void
add_below (LsSearchPane *self, LsRow answer, gint64 parent, guint depth)
{
  for (guint i = (guint) (parent + 1); i < ls_read_n (answer, "candidates"); i++) {
    LsRow c = ls_read_at (answer, "candidates", i);
    if ((ls_read_has (c, "parent") ? ls_read_int (c, "parent") : -1) != parent || isnan (ls_read_number (c, "compile_ms")))
      continue;
    add_candidate (self, c, depth);
    if (depth < 64)
      add_below (self, answer, (gint64) i, depth + 1);
  }
}

/* Those that were only thought of. */
static void
add_rest (LsSearchPane *self, LsRow answer)
{
  for (guint i = 0; i < ls_read_n (answer, "candidates"); i++) {
    LsRow c = ls_read_at (answer, "candidates", i);
    if (c.object && isnan (ls_read_number (c, "compile_ms")))
      add_candidate (self, c, 0);
  }
}

static void
say (LsSearchPane *self, const char *text)
{
  gtk_label_set_text (self->note, text);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->note), text);
}

static void
say_found (LsSearchPane *self, LsRow answer)
{
  g_autofree char *ended = text_of (answer, "ended"), *source = text_of (answer, "source"), *compiler = text_of (answer, "compiler"),
                  *version = text_of (answer, "version");
  const char *from = g_str_equal (source, "cache") ? _("from the cache") : g_str_equal (source, "recording")
                     ? _("as recorded") : _("timed now");
  g_autofree char *text = g_strdup_printf (_("%u candidates, %.0f compiled by %s %s, %s; ended: %s"), self->rows->len,
                                           ls_read_number (answer, "compiled"), compiler, version, from, ended);
  say (self, text);
}

static void
show_found (LsSearchPane *self, const LsReading *found)
{
  g_array_set_size (self->rows, 0);
  g_string_chunk_clear (self->strings);
  say (self, "");
  if (found) {
    add_below (self, ls_reading_row (found), -1, 0);
    add_rest (self, ls_reading_row (found));
    say_found (self, ls_reading_row (found));
  }
  ls_table_set_rows (self->table, self->rows->len);
  guint chosen = 0;
  while (chosen < self->rows->len && !g_array_index (self->rows, Candidate, chosen).c.chosen)
    chosen++;
  ls_table_choose (self->table, chosen < self->rows->len ? chosen : GTK_INVALID_LIST_POSITION);
}

/* --- searching --- */

static void
set_searching (LsSearchPane *self, GCancellable *searching)
{
  if (self->searching)
    g_cancellable_cancel (self->searching);
  g_set_object (&self->searching, searching);
  gtk_button_set_label (GTK_BUTTON (self->start), searching ? _("Stop") : _("Search"));
}

typedef struct { LsSearchPane *pane; GCancellable *cancellable; guint kernel; } Asked;

static void
on_answer (GObject *source, GAsyncResult *result, gpointer data)
{
  Asked *asked = data;
  g_autoptr (LsSearchPane) self = asked->pane;
  g_autoptr (GCancellable) cancellable = asked->cancellable;
  guint kernel = asked->kernel;
  g_autoptr (GError) error = NULL;
  g_autoptr (LsReading) answer = ls_ask_cli_finish (result, &error);
  g_free (asked);
  if (self->searching != cancellable)      /* stopped, or another kernel is shown */
    return;
  g_clear_object (&self->searching);
  set_searching (self, NULL);
  if (answer) {
    g_hash_table_insert (self->found, GUINT_TO_POINTER (kernel), ls_reading_ref (answer));
    show_found (self, answer);
  } else {
    g_autofree char *said = error ? ls_text_error (error, 200) : g_strdup (_("lazyscope-cli ended without an answer"));
    say (self, said);
  }
}

static void
search (LsSearchPane *self)
{
  g_autofree char *kernel = g_strdup_printf ("%u", self->kernel);
  const char *const words[] = { "search", "--kernel", kernel, "--seconds", SECONDS, NULL };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Asked *asked = g_new (Asked, 1);
  *asked = (Asked) { g_object_ref (self), g_object_ref (cancellable), self->kernel };
  set_searching (self, cancellable);
  say (self, _("Searching: compiling, checking and timing candidates…"));
  ls_ask_cli_async (self->trace, words, &ls_search_answer, cancellable, on_answer, asked);
}

static void
on_start (LsSearchPane *self)
{
  if (self->searching) {
    set_searching (self, NULL);
    say (self, _("Stopped."));
  } else if (self->trace && self->kernel)
    search (self);
}

static gboolean
is_recorded (const LsTrace *trace, guint kernel)
{
  gboolean found = FALSE;
  for (guint i = 0; i < trace->searches->len && !found; i++)
    found = g_array_index (trace->searches, LsTraceSearch, i).kernel == kernel;
  return found;
}

/* Only visible data is requested. */
static void
show_kernel (LsSearchPane *self)
{
  LsTrace *trace = ls_view_session_get_trace (self->session);
  const LsKernel *k = ls_view_session_kernel (self->session);
  guint kernel = k ? k->same_as > 0 ? (guint) k->same_as : k->number : 0;
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)) || (self->trace == trace && self->kernel == kernel))
    return;
  set_searching (self, NULL);
  if (self->trace != trace)
    g_hash_table_remove_all (self->found);
  self->trace = trace;
  self->kernel = kernel;
  LsReading *found = g_hash_table_lookup (self->found, GUINT_TO_POINTER (kernel));
  gtk_widget_set_sensitive (self->start, kernel > 0 && trace->path);
  show_found (self, found);
  if (!found && kernel && trace->path && is_recorded (trace, kernel))
    search (self);
}

void
ls_search_pane_changed (gpointer pane, LsWatch what)
{
  LsSearchPane *self = pane;
  if (what == LS_WATCH_TRACE) {
    set_searching (self, NULL);
    g_hash_table_remove_all (self->found);
    self->trace = NULL;
    self->kernel = 0;
    show_found (self, NULL);
  }
  show_kernel (self);
}

/* The words of a variant: every option of this kernel, or that it has none. */
static void
on_activated (LsSearchPane *self, guint row)
{
  const Candidate *c = row_at (self->table, row);
  if (!c)
    return;
  g_auto (GStrv) options = g_strsplit (c->c.options, ",", -1);
  GString *s = g_string_new (NULL);
  for (guint i = 0; options[i] || i == 0; i++)
    g_string_append_printf (s, "%sk%u:opt=%s", i ? "," : "", self->kernel, options[i] ? options[i] : "");
  gtk_widget_activate_action (GTK_WIDGET (self), "win.run-kernel", "(us)", self->kernel, s->str);
  g_string_free (s, TRUE);
}

/* --- the widget --- */

static void
ls_search_pane_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (ls_search_pane_parent_class)->map (widget);
  if (LS_SEARCH_PANE (widget)->session)
    show_kernel (LS_SEARCH_PANE (widget));
}

/* A window that is closed does not wait for it. */
static void
ls_search_pane_unroot (GtkWidget *widget)
{
  set_searching (LS_SEARCH_PANE (widget), NULL);
  GTK_WIDGET_CLASS (ls_search_pane_parent_class)->unroot (widget);
}

GtkWidget *
ls_search_pane_new (LsViewSession *session)
{
  LsSearchPane *self = g_object_new (LS_TYPE_SEARCH_PANE, NULL);
  self->session = g_object_ref (session);
  return GTK_WIDGET (self);
}

static void
ls_search_pane_class_init (LsSearchPaneClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);
  widget_class->map = ls_search_pane_map;
  widget_class->unroot = ls_search_pane_unroot;
  LS_UI_BINDS (class, LsSearchPane, "search-pane", box, start, note);
  LS_CALLBACKS (class, on_start);
  LS_OWNS (class, LsSearchPane, ls_cancel, searching);
  LS_OWNS (class, LsSearchPane, gtk_widget_unparent, box);
  LS_OWNS (class, LsSearchPane, g_object_unref, session);
  LS_KEEPS (class, LsSearchPane, g_array_unref, rows);
  LS_KEEPS (class, LsSearchPane, g_string_chunk_free, strings);
  LS_KEEPS (class, LsSearchPane, g_hash_table_unref, found);
}

static void
ls_search_pane_init (LsSearchPane *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->rows = g_array_new (FALSE, FALSE, sizeof (Candidate));
  self->strings = g_string_chunk_new (4096);
  ls_record_columns_init (&self->columns, &ls_candidate_answer);
  for (guint i = 0; i < self->columns.n; i++)      /* texts of a candidate are wrapped, not cut */
    self->columns.columns[i].wrap = ls_record_column_is (&self->columns, i, "remark");
  self->found = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ls_reading_unref);
  self->table = ls_table_new ("options", self->columns.columns, self->columns.n, cell,
                              _("Search compiles, checks and times promising candidates. Double-click a candidate or press Enter to "
                                "make it a run and a column of Compare"));
  ls_table_set_choosable (self->table);
  ls_table_set_name (self->table, _("Searched options"));
  g_signal_connect_object (self->table, "row-activated", G_CALLBACK (on_activated), self, G_CONNECT_SWAPPED);
  gtk_widget_set_vexpand (GTK_WIDGET (self->table), TRUE);
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->table));
}
