/* The program as it was run, one row a line. Choosing a line chooses what descends from it; the lines from which a selection made elsewhere
 * descends are marked. */
#include "program-pane.h"
#include "session/places.h"
#include "kit/text.h"

#include <glib/gi18n.h>
#include <string.h>

enum { C_LINE, C_TEXT };
static const LsTableColumn columns[] = { [C_LINE] = { N_("Line"), TRUE, FALSE }, [C_TEXT] = { N_("Program"), FALSE, TRUE } };

static LsViewSession *
session_of (LsTable *table)
{
  return g_object_get_data (G_OBJECT (table), "session");
}

static GPtrArray *
lines_of (LsTable *table)
{
  return g_object_get_data (G_OBJECT (table), "lines");
}

static char *
cell (LsTable *table, guint row, guint column)
{
  GPtrArray *lines = lines_of (table);
  if (!lines || row >= lines->len)
    return NULL;
  return column == C_LINE ? g_strdup_printf ("%u", row + 1) : ls_text_cut (lines->pdata[row], 400);
}

static gboolean
is_marked (LsTable *table, guint row)
{
  return lines_of (table) && ls_places_has_line (ls_view_session_program_lines (session_of (table)), row + 1);
}

static void
show_selection (LsTable *table)
{
  GPtrArray *text = lines_of (table);
  if (!text || !gtk_widget_get_mapped (GTK_WIDGET (table)))
    return;
  const GArray *lines = ls_view_session_program_lines (session_of (table));
  guint row = lines->len && g_array_index (lines, guint, 0) <= text->len ? g_array_index (lines, guint, 0) - 1 : GTK_INVALID_LIST_POSITION;
  guint chosen = ls_table_get_chosen (table);
  if (chosen == GTK_INVALID_LIST_POSITION || !ls_places_has_line (lines, chosen + 1))
    ls_table_choose (table, row);
  ls_table_update_marks (table);
}

static void
on_trace_changed (LsTable *table)
{
  LsTrace *trace = ls_view_session_get_trace (session_of (table));
  GPtrArray *lines = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) split = g_strsplit (trace && trace->program_text ? trace->program_text : "", "\n", -1);
  guint n = g_strv_length (split);
  n -= n > 0 && *split[n - 1] == '\0';
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (lines, g_strdup (split[i]));
  g_object_set_data_full (G_OBJECT (table), "lines", lines, (GDestroyNotify) g_ptr_array_unref);
  ls_table_set_rows (table, n);
}

static void
on_chosen (LsTable *table, guint row)
{
  ls_view_session_select_program (session_of (table), row + 1);
}

LsTable *
ls_program_table_new (LsViewSession *session)
{
  LsTable *table = ls_table_new ("program-lines", columns, G_N_ELEMENTS (columns), cell, _("The recording has no program text"));
  g_object_set_data_full (G_OBJECT (table), "session", g_object_ref (session), g_object_unref);
  ls_table_set_choosable (table);
  ls_table_set_marked (table, is_marked);
  ls_table_set_code (table);
  g_signal_connect (table, "row-chosen", G_CALLBACK (on_chosen), NULL);
  g_signal_connect (table, "map", G_CALLBACK (show_selection), NULL);
  g_signal_connect_object (session, "trace-changed", G_CALLBACK (on_trace_changed), table, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "selection-changed", G_CALLBACK (show_selection), table, G_CONNECT_SWAPPED);
  return table;
}
