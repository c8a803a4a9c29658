/* The dialect that a kernel was rendered in: each field and operation, its value, the number of rows of the renderer's table that depend
 * on it, and its meaning.
 *
 * A field that the kernel did not use has no number. A row is marked when the selected node's text depends on it; selecting a row
 * selects the nodes whose text does.
 */
#include "ask/ask.h"
#include "ir/sentence.h"
#include "kit/table.h"
#include "kit/text.h"
#include "panes/panes.h"

#include <glib/gi18n.h>

enum { D_GROUP, D_FIELD, D_VALUE, D_ROWS, D_MEANING };
static const LsTableColumn columns[] = {
  [D_GROUP] = { N_("About"), FALSE, FALSE }, [D_FIELD] = { N_("Field"), FALSE, FALSE }, [D_VALUE] = { N_("Value"), FALSE, TRUE },
              [D_ROWS] = { N_("Rows"), TRUE, FALSE },
  [D_MEANING] = { N_("Meaning"), FALSE, TRUE },
};

typedef struct { LsViewSession *session; LsTrace *trace; const LsKernel *kernel; GArray *uses; } Shown;      /* LsDialectUse, or NULL */

static void
shown_free (gpointer data)
{
  Shown *shown = data;
  g_object_unref (shown->session);
  g_clear_pointer (&shown->uses, g_array_unref);
  g_free (shown);
}

static Shown *
shown_of (LsTable *table)
{
  return ls_table_get_data (table);
}

static LsViewSession *
session_of (LsTable *table)
{
  return shown_of (table)->session;
}

static const LsDialectUse *
use_at (LsTable *table, guint row)
{
  const Shown *shown = shown_of (table);
  return shown->uses && row < shown->uses->len ? &g_array_index (shown->uses, LsDialectUse, row) : NULL;
}

static char *
cell (LsTable *table, guint row, guint column)
{
  const LsDialectUse *use = use_at (table, row), *before = row ? use_at (table, row - 1) : NULL;
  if (!use)
    return NULL;
  switch (column) {
  case D_GROUP: return before && g_str_equal (before->says.group, use->says.group) ? NULL : g_strdup (use->says.group);
  case D_FIELD:
    return g_strconcat (use->says.name, ls_shown (ls_spells_text (use->says.of)), NULL);
  case D_VALUE: return use->says.value ? ls_text_cut (use->says.value, 200) : g_strdup (_("none"));
  case D_ROWS: return use->n_rows ? g_strdup_printf ("%u", use->n_rows) : use->by_function ? g_strdup ("–") : NULL;
  default: return g_strdup (ls_shown (use->says.sentence));
  }
}

/* Whether rows of the renderer's table depend on it: any, whose nodes are appended, or, if nodes is NULL, those of selected nodes. */
static gboolean
find_rows (LsTable *table, const LsDialectUse *use, GArray *nodes)
{
  const Shown *shown = shown_of (table);
  gboolean found = FALSE;
  for (guint i = 0; use && shown->kernel && i < shown->kernel->exprs->len; i++) {
    const LsExpr *e = &g_array_index (shown->kernel->exprs, LsExpr, i);
    if (!nodes && !ls_view_session_is_chosen (session_of (table), e->node))
      continue;
    if (!ls_dialect_is_of (shown->trace, &use->says, e))
      continue;
    found = TRUE;
    if (nodes)
      g_array_append_val (nodes, e->node);
  }
  return found;
}

static gboolean
is_marked (LsTable *table, guint row)
{
  return find_rows (table, use_at (table, row), NULL);
}

static void
on_chosen (LsTable *table, guint row)
{
  g_autoptr (GArray) nodes = g_array_new (FALSE, FALSE, sizeof (guint32));
  if (find_rows (table, use_at (table, row), nodes))
    ls_view_session_select (session_of (table), LS_CHOSEN_IN_FINAL, (const guint32 *) (gconstpointer) nodes->data, nodes->len);
}

static void
on_selection_changed (LsTable *table)
{
  const Shown *shown = shown_of (table);
  const LsDialectUse *use = use_at (table, ls_table_get_chosen (table));
  if (!use || !find_rows (table, use, NULL)) {      /* another item was selected since: its operation is shown, with the fields before it */
    ls_table_choose (table, GTK_INVALID_LIST_POSITION);
    guint row = GTK_INVALID_LIST_POSITION;
    for (guint i = 0; shown->uses && i < shown->uses->len; i++)
      if (is_marked (table, i))
        row = i;
    if (row != GTK_INVALID_LIST_POSITION)
      ls_table_show_row (table, row, 0);
  }
  ls_table_update_marks (table);
}

static void
show (LsTable *table)
{
  Shown *shown = shown_of (table);
  LsViewSession *session = session_of (table);
  LsTrace *trace = ls_view_session_get_trace (session);
  const LsKernel *kernel = ls_view_session_kernel (session);
  if ((shown->trace == trace && shown->kernel == kernel) || !gtk_widget_get_mapped (GTK_WIDGET (table)))
    return;
  g_clear_pointer (&shown->uses, g_array_unref);
  *shown = (Shown) { session, trace, kernel, trace && kernel ? ls_kernel_dialect (trace, kernel) : NULL };
  ls_table_set_rows (table, shown->uses ? shown->uses->len : 0);
  on_selection_changed (table);
}

void
ls_dialect_pane_changed (gpointer table, LsWatch what)
{
  Shown *shown = shown_of (table);
  switch (what) {
  case LS_WATCH_TRACE:
    g_clear_pointer (&shown->uses, g_array_unref);
    *shown = (Shown) { shown->session };
    ls_table_set_rows (table, 0);
    break;
  case LS_WATCH_POSITION: show (table); break;
  default: on_selection_changed (table);
  }
}

GtkWidget *
ls_dialect_pane_new (LsViewSession *session)
{
  LsTable *table = ls_table_new ("dialect", columns, G_N_ELEMENTS (columns), cell, _("Nothing was rendered"));
  Shown shown = { g_object_ref (session) };
  ls_table_set_data (table, g_memdup2 (&shown, sizeof shown), shown_free);
  ls_table_set_choosable (table);
  ls_table_set_marked (table, is_marked);
  g_signal_connect (table, "row-chosen", G_CALLBACK (on_chosen), NULL);
  g_signal_connect (table, "map", G_CALLBACK (show), NULL);
  return GTK_WIDGET (table);
}
