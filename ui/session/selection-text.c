/* The selection in words. Every count is of marked items elsewhere; if an item has no counterpart, the text says so. */
#include "selection-text.h"

#include <glib/gi18n.h>

/* "lines 3, 4, 9 and 5 more"; nothing for none. */
static void
append_lines (GString *text, const GArray *lines, const char *word)
{
  const guint shown = lines->len > 4 ? 3 : lines->len;
  if (lines->len == 0)
    return;
  g_string_append_printf (text, " · %s ", word);
  for (guint i = 0; i < shown; i++)
    g_string_append_printf (text, "%s%u", i ? ", " : "", g_array_index (lines, guint, i));
  if (lines->len > shown)
    g_string_append_printf (text, _(" and %u more"), lines->len - shown);
}

static void
append_counterparts (GString *text, LsViewSession *session)
{
  const GArray *lines = ls_view_session_source_lines (session), *code = lines->len ? ls_view_session_instructions (session) : NULL;
  append_lines (text, lines, ngettext ("line", "lines", lines->len));
  if (code && code->len > 0) {
    guint n = ls_view_session_n_chosen_instructions (session);
    if (n > 0)
      g_string_append_printf (text, ngettext (" · %u instruction", " · %u instructions", n), n);
    else
      g_string_append (text, ls_view_session_kernel (session)->code_lines->len ? _(" · no instruction") : _(" · instructions not mapped"));
  }
}

char *
ls_selection_text (LsViewSession *session)
{
  GString *text = g_string_new (NULL);
  LsChosenIn where = ls_view_session_chosen_in (session);
  if (where == LS_CHOSEN_NOWHERE) {
    if (ls_view_session_get_unmapped (session))
      g_string_append (text, ls_view_session_get_unmapped (session));
    return g_string_free (text, FALSE);
  }
  guint rows = ls_view_session_final_nodes (session)->len, nodes = ls_view_session_graph_nodes (session)->len;
  gboolean busy = ls_view_session_get_busy (session);      /* asking for nodes may have begun a search */
  const GArray *program = ls_view_session_program_lines (session);
  if (where == LS_CHOSEN_IN_PROGRAM) {
    guint file, line = ls_view_session_chosen_line (session, &file);
    const LsTrace *trace = ls_view_session_get_trace (session);
    if (file == 0)
      g_string_append_printf (text, _("program line %u"), line);
    else
      g_string_append_printf (text, _("%s, line %u"), file < trace->files->len ? g_array_index (trace->files, LsProgramFile, file).name
                                                                               : "?", line);
    if (busy)
      g_string_append (text, _(" · looking for its descendants…"));
    else if (rows + nodes == 0)
      g_string_append (text, _(" · nothing here descends from it"));
    else {
      g_string_append_printf (text, ngettext (" · %u node", " · %u nodes", nodes), nodes);
      g_string_append_printf (text, ngettext (" · %u row", " · %u rows", rows), rows);
      append_counterparts (text, session);
    }
    return g_string_free (text, FALSE);
  }
  if (where == LS_CHOSEN_IN_GRAPH)
    g_string_append_printf (text, rows ? ngettext ("%u row descends from the selected node", "%u rows descend from the selected node", rows)
                                       : busy ? _("looking for descendants of the selected node…")
                                              : _("the selected node was removed later"), rows);
  else {
    if (rows > 1)
      g_string_append_printf (text, ngettext ("%u row · ", "%u rows · ", rows), rows);
    if (nodes > 0)
      g_string_append_printf (text, ngettext ("%u node of this graph", "%u nodes of this graph", nodes), nodes);
    else
      g_string_append (text, busy ? _("looking for the node…") : _("the selected row is not emitted yet here"));
  }
  append_counterparts (text, session);
  if (program->len > 0)
    append_lines (text, program, ngettext ("program line", "program lines", program->len));
  else
    g_string_append (text, _(" · no program line: a rule or a stage made it"));
  return g_string_free (text, FALSE);
}
