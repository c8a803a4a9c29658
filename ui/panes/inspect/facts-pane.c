/* The fields of tensors as a tree: of the selected node, else of all names after the position's statement. A click on a node selects it in
 * the graph and opens it, or the row above that has its fields; the next one closes it. A selection that was made here leaves the tree as
 * it is. */
#include "kit/table.h"
#include "panes/panes.h"
#include "session/trace-text.h"
#include "ir/sentence.h"
#include "trace/statements.h"

#include <glib/gi18n.h>

enum { F_FIELD, F_VALUE, F_READ };
static const LsTableColumn fact_columns[] = {
  [F_FIELD] = { N_("Field"), FALSE, FALSE }, [F_VALUE] = { N_("Value"), .expand = TRUE }, [F_READ] = { N_("Read by"), .expand = TRUE },
};

/* A row is a fact, or one of two sentences about a node that come before its fields. */
typedef enum { ROW_FACT, ROW_WRITTEN, ROW_DECISION } RowKind;
typedef struct { guint fact; RowKind kind; } Row;

typedef struct {
  LsViewSession *session;
  LsTrace       *trace;      /* of the question, with node and stop */
  guint32        node;
  guint          stop;
  guint32        chosen;     /* a node that was selected here, or LS_NO_NODE */
  LsFacts       *facts;      /* or NULL */
  GArray        *rows;       /* Row: those that are shown */
  GHashTable    *open;       /* paths of opened rows, "b/srcs[0]" */
} Facts;

static void
facts_free (gpointer data)
{
  Facts *self = data;
  g_object_unref (self->session);
  ls_facts_free (self->facts);
  g_array_unref (self->rows);
  g_hash_table_unref (self->open);
  g_free (self);
}

static const LsFact *
fact_at (const Facts *self, guint i)
{
  return self->facts && i < self->facts->facts->len ? &g_array_index (self->facts->facts, LsFact, i) : NULL;
}

static gboolean
has_rows_below (const Facts *self, guint i)
{
  const LsFact *next = fact_at (self, i + 1);
  return next && next->depth > fact_at (self, i)->depth;
}

/* The names from its tree's root to a row. */
static char *
path_of (const Facts *self, guint i)
{
  g_autoptr (GString) path = g_string_new (fact_at (self, i)->name);
  guint depth = fact_at (self, i)->depth;
  while (i-- > 0 && depth > 0)
    if (fact_at (self, i)->depth < depth) {
      depth = fact_at (self, i)->depth;
      g_string_prepend_c (path, '/');
      g_string_prepend (path, fact_at (self, i)->name);
    }
  return g_string_free (g_steal_pointer (&path), FALSE);
}

/* A tree of its own is open. */
static gboolean
is_open (const Facts *self, guint i)
{
  g_autofree char *path = path_of (self, i);
  return g_hash_table_contains (self->open, path) != (i == 0 && !self->facts->all);
}

/* Another call than the node's may have written its memory. */
static gboolean
has_writer (const Facts *self, guint i)
{
  const LsFact *f = fact_at (self, i), *of = f;
  for (guint k = i; k > 0 && of->depth >= f->depth; k--)
    of = fact_at (self, k - 1);
  return f->call >= 0 && (f->node != LS_NO_NODE || (f->field == LS_FACT_BUFFER && f->call != of->call));
}

static void
list_rows (LsTable *table)
{
  Facts *self = ls_table_get_data (table);
  guint closed = G_MAXUINT;
  g_array_set_size (self->rows, 0);
  for (guint i = 0; self->facts && i < self->facts->facts->len; i++) {
    const LsFact *f = fact_at (self, i);
    if (f->depth > closed)
      continue;
    gboolean opens = has_rows_below (self, i) && is_open (self, i);
    closed = has_rows_below (self, i) && !opens ? f->depth : G_MAXUINT;
    Row rows[] = { { i, ROW_FACT }, { i, ROW_WRITTEN }, { i, ROW_DECISION } };
    g_array_append_val (self->rows, rows[0]);
    if (has_writer (self, i) && (opens || f->field == LS_FACT_BUFFER))
      g_array_append_val (self->rows, rows[1]);
    if (f->decision >= 0 && opens)
      g_array_append_val (self->rows, rows[2]);
  }
  ls_table_set_rows (table, self->rows->len);
}

/* --- cells --- */

static char *
field_text (const Facts *self, const Row *row)
{
  const LsFact *f = fact_at (self, row->fact);
  int indent = 2 * (int) f->depth;
  if (row->kind != ROW_FACT)
    return g_strdup_printf ("%*s    %s", indent, "", row->kind == ROW_WRITTEN ? _("written by") : _("decision"));
  return g_strdup_printf ("%*s%s %s", indent, "", !has_rows_below (self, row->fact) ? " " : is_open (self, row->fact) ? "▾" : "▸", f->name);
}

static char *
value_text (const Facts *self, const Row *row)
{
  const LsFact *f = fact_at (self, row->fact);
  g_autofree char *sentence = row->kind == ROW_WRITTEN ? ls_fact_written_by (self->facts, f)
                              : row->kind == ROW_DECISION ? ls_fact_decision (self->facts, f) : NULL,
                  *shown = sentence ? ls_sentence_shown (sentence) : NULL, *value = ls_fact_value (f);
  g_autoptr (GString) text = g_string_new (shown ? shown : value);
  if (!shown && f->buffer != G_MAXUINT) {
    g_autofree char *buffer = g_strdup_printf (_("buffer %u, "), f->buffer);
    g_string_prepend (text, buffer);
  }
  if (!shown && f->above)
    g_string_append_printf (text, _(", node %u, listed above"), f->node);
  return ls_text_cut (text->str, 200);
}

static char *
fact_cell (LsTable *table, guint number, guint column)
{
  const Facts *self = ls_table_get_data (table);
  if (number >= self->rows->len)
    return NULL;
  const Row *row = &g_array_index (self->rows, Row, number);
  switch (column) {
  case F_FIELD: return field_text (self, row);
  case F_VALUE: return value_text (self, row);
  default: return row->kind == ROW_FACT ? ls_text_cut (ls_shown (ls_fact_read_by (fact_at (self, row->fact)->field)), 200) : NULL;
  }
}

static gboolean
is_selected (LsTable *table, guint number)
{
  const Facts *self = ls_table_get_data (table);
  const Row *row = number < self->rows->len ? &g_array_index (self->rows, Row, number) : NULL;
  const LsFact *f = row && row->kind == ROW_FACT ? fact_at (self, row->fact) : NULL;
  GArray *nodes = ls_view_session_graph_nodes (self->session);
  return f && f->node != LS_NO_NODE && nodes->len > 0 && g_array_index (nodes, guint32, 0) == f->node;
}

/* --- the session --- */

/* The number of the position's statement in the walk, or 0. */
static guint
stop_of (LsViewSession *session, LsTrace *trace)
{
  const LsPass *pass = trace ? ls_view_session_pass (session) : NULL;
  const LsStop *stop = ls_pass_stop (trace, pass);
  return stop ? (guint) (stop - (const LsStop *) (gconstpointer) ls_trace_stops (trace)->data) + 1 : 0;
}

static void
ask (LsTable *table, LsTrace *trace, guint32 node, guint stop)
{
  Facts *self = ls_table_get_data (table);
  g_autoptr (GError) error = NULL;
  if (trace != self->trace)
    g_hash_table_remove_all (self->open);
  self->trace = trace;
  self->node = node;
  self->stop = stop;
  g_clear_pointer (&self->facts, ls_facts_free);
  self->facts = trace ? ls_facts (trace, NULL, node, stop, &error) : NULL;
  list_rows (table);
}

static void
update (LsTable *table)
{
  Facts *self = ls_table_get_data (table);
  if (!gtk_widget_get_mapped (GTK_WIDGET (table)))
    return;
  LsTrace *trace = ls_view_session_get_trace (self->session);
  GArray *nodes = ls_view_session_graph_nodes (self->session);
  guint32 node = nodes->len ? g_array_index (nodes, guint32, 0) : LS_NO_NODE;
  guint stop = stop_of (self->session, trace);
  if (node != LS_NO_NODE && node == self->chosen)
    node = self->node;
  else
    self->chosen = LS_NO_NODE;
  if (trace == self->trace && stop == self->stop && node == self->node)
    ls_table_update_marks (table);
  else
    ask (table, trace, node, stop);
}

void
ls_facts_pane_changed (gpointer table, LsWatch what)
{
  if (what == LS_WATCH_TRACE)
    ask (table, NULL, LS_NO_NODE, 0);
  update (table);
}

static void
set_open (Facts *self, guint i, gboolean open)
{
  if (is_open (self, i) == open)
    return;
  g_autofree char *path = path_of (self, i);
  if (!g_hash_table_remove (self->open, path))
    g_hash_table_add (self->open, g_steal_pointer (&path));
}

/* The row in which the fields of a row's node are listed, opened with the rows that it is below. */
static guint
open_above (Facts *self, guint i)
{
  guint at = i;
  while (at > 0 && (fact_at (self, at)->node != fact_at (self, i)->node || fact_at (self, at)->above))
    at--;
  set_open (self, at, TRUE);
  guint depth = fact_at (self, at)->depth;
  for (guint k = at; k-- > 0 && depth > 0;)
    if (fact_at (self, k)->depth < depth) {
      depth = fact_at (self, k)->depth;
      set_open (self, k, TRUE);
    }
  return at;
}

static void
show_fact (LsTable *table, guint i)
{
  Facts *self = ls_table_get_data (table);
  list_rows (table);
  for (guint k = 0; k < self->rows->len; k++)
    if (g_array_index (self->rows, Row, k).fact == i && g_array_index (self->rows, Row, k).kind == ROW_FACT)
      ls_table_show_row (table, k, 4);
}

static void
on_row (LsTable *table, guint number)
{
  Facts *self = ls_table_get_data (table);
  const Row row = number < self->rows->len ? g_array_index (self->rows, Row, number) : (Row) { 0, ROW_DECISION };
  const LsFact *f = row.kind == ROW_FACT ? fact_at (self, row.fact) : NULL;
  if (!f)
    return;
  gboolean selects = f->node != LS_NO_NODE && !is_selected (table, number) && ls_view_session_node (self->session, f->node, NULL);
  if (f->above) {
    show_fact (table, open_above (self, row.fact));
  } else if (has_rows_below (self, row.fact) && !(selects && is_open (self, row.fact))) {
    set_open (self, row.fact, !is_open (self, row.fact));
    show_fact (table, row.fact);
  }
  if (selects) {
    self->chosen = f->node;
    ls_view_session_select (self->session, LS_CHOSEN_IN_GRAPH, &f->node, 1);
  }
}

GtkWidget *
ls_facts_pane_new (LsViewSession *session)
{
  LsTable *table = ls_table_new ("facts", fact_columns, G_N_ELEMENTS (fact_columns), fact_cell, _("No tensor has a name here"));
  Facts self = { g_object_ref (session), NULL, LS_NO_NODE, 0, LS_NO_NODE, NULL, g_array_new (FALSE, FALSE, sizeof (Row)),
                 g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
  ls_table_set_data (table, g_memdup2 (&self, sizeof self), facts_free);
  ls_table_set_code (table);
  ls_table_set_marked (table, is_selected);
  ls_table_set_links (table);
  g_signal_connect (table, "row-activated", G_CALLBACK (on_row), NULL);
  g_signal_connect (table, "map", G_CALLBACK (update), NULL);
  return GTK_WIDGET (table);
}
