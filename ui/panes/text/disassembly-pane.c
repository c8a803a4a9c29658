/* The Disassembly tab.
 *
 * The code is data of the recording: it is disassembled, never run, and only when the tab is looked at. Selecting an instruction selects
 * the nodes of its source line; instructions of selected lines are marked, wherever these were selected.
 */
#include "disassembly-pane.h"
#include "kit/class.h"
#include "render/render.h"
#include "run/run.h"
#include "session/node-locations.h"
#include "session/source-loops.h"
#include "session/trace-text.h"
#include "kit/table.h"
#include "kit/text.h"

#include <glib/gi18n.h>

struct _LsDisassemblyPane {
  GtkWidget        parent_instance;
  LsViewSession   *session;
  GtkWidget       *box;
  GtkLabel        *header;
  GtkToggleButton *bytes;
  LsTable         *table;
  LsTrace         *trace;       /* whose code is shown */
  const LsKernel  *kernel;
  GArray          *loops;       /* of its source, or NULL */
  gboolean         stale;
};

G_DEFINE_FINAL_TYPE (LsDisassemblyPane, ls_disassembly_pane, GTK_TYPE_WIDGET)

enum { C_LINE, C_ADDRESS, C_BYTES, C_TEXT };
static const LsTableColumn columns[] = {
  [C_LINE] = { N_("Line"), TRUE, FALSE }, [C_ADDRESS] = { N_("Address"), TRUE, FALSE }, [C_BYTES] = { N_("Bytes"), FALSE, FALSE },
             [C_TEXT] = { N_("Instruction"), FALSE, TRUE },
};

const char *
ls_disassembly_pane_get_empty (LsDisassemblyPane *self)
{
  return ls_table_get_when_empty (self->table);
}

static LsDisassemblyPane *
pane_of (LsTable *table)
{
  return LS_DISASSEMBLY_PANE (gtk_widget_get_ancestor (GTK_WIDGET (table), LS_TYPE_DISASSEMBLY_PANE));
}

static const LsInstruction *
instruction_at (LsDisassemblyPane *self, guint row)
{
  const GArray *code = self && !self->stale ? ls_view_session_instructions (self->session) : NULL;
  return code && row < code->len ? &g_array_index (code, LsInstruction, row) : NULL;
}

static char *
cell (LsTable *table, guint row, guint column)
{
  const LsInstruction *at = instruction_at (pane_of (table), row);
  if (!at)
    return NULL;
  switch (column) {
  case C_LINE: return at->line ? g_strdup_printf ("%u", at->line) : g_strdup ("–");
  case C_ADDRESS: return g_strdup_printf ("%" G_GINT64_MODIFIER "x", at->address);
  case C_BYTES: {
    GString *bytes = g_string_new (NULL);
    for (guint i = 0; i < MIN (at->size, sizeof at->bytes); i++)
      g_string_append_printf (bytes, "%s%02x", i ? " " : "", at->bytes[i]);
    return g_string_free (bytes, FALSE);
  }
  default: return ls_text_cut (at->text, 200);
  }
}

static gboolean
is_marked (LsTable *table, guint row)
{
  LsDisassemblyPane *self = pane_of (table);
  const LsInstruction *at = instruction_at (self, row);
  return at && at->line && ls_node_locations_has_line (ls_view_session_source_lines (self->session), at->line);
}

/* Those of the source line that it comes from. */
static guint
loops_around (LsTable *table, guint row, const char **colors)
{
  LsDisassemblyPane *self = pane_of (table);
  const LsInstruction *at = instruction_at (self, row);
  const LsSourceLoop *around[LS_TABLE_LEVELS];
  guint n = at && self->loops ? ls_source_around (self->loops, at->line, around, LS_TABLE_LEVELS) : 0;
  for (guint i = 0; i < n; i++)
    colors[i] = around[i]->type < 0 ? NULL : ls_text_axis_color ((LsAxisType) around[i]->type);
  return n;
}

static char *
header_text (LsDisassemblyPane *self, const GArray *code)
{
  const LsKernel *k = self->kernel;
  g_autofree char *name = ls_text_cut (k->name, 60), *compiler = ls_text_cut (k->compiler, 20), *bytes = ls_text_count (k->n_code),
                  *count = ls_text_count (code->len);
  GString *text = g_string_new (NULL);
  g_string_append_printf (text, ngettext ("%s · %s · %s bytes · %s instruction", "%s · %s · %s bytes · %s instructions", code->len), name,
                          compiler, bytes, count);
  if (k->n_code > LS_NODE_LOCATIONS_MAX_CODE)
    g_string_append_printf (text, _(" in the first %u KiB"), LS_NODE_LOCATIONS_MAX_CODE / 1024);
  if (k->code_lines->len == 0)
    g_string_append (text, _(" · not mapped to the source: no line table was recorded"));
  return g_string_free (text, FALSE);
}

/* Why there is nothing to show. */
static char *
empty_text (const LsKernel *k)
{
  if (!k)
    return g_strdup (_("No kernel"));
  const LsTarget *target = ls_target_find (k->target);
  if (target && ls_compiler_default (target->name) == ls_compiler_reference ())
    return g_strdup_printf (_("No machine code: target %s is rendered as text, and the interpreter runs the kernel"), target->name);
  g_autofree char *compiler = ls_text_cut (k->compiler, 40);
  const LsCompiler *row = ls_compiler_find (k->compiler);
  if (row && row->how == LS_COMPILER_INTERPRETER)
    return g_strdup (_("No machine code: the interpreter runs this kernel (--compiler tcc, llvm, clang or gcc makes machine code)"));
  return g_strdup_printf (_("No machine code was recorded (compiler %s)"), compiler);
}

static void
show_selection (LsDisassemblyPane *self)
{
  const GArray *code = ls_view_session_instructions (self->session), *lines = ls_view_session_source_lines (self->session);
  guint row = GTK_INVALID_LIST_POSITION;
  for (guint i = 0; code && lines->len && i < code->len && row == GTK_INVALID_LIST_POSITION; i++)
    if (ls_node_locations_has_line (lines, g_array_index (code, LsInstruction, i).line))
      row = i;
  /* a chosen instruction that is marked itself stays where the user put it */
  guint chosen = ls_table_get_chosen (self->table);
  const LsInstruction *at = instruction_at (self, chosen);
  gboolean stays = at && (ls_node_locations_has_line (lines, at->line) || ls_view_session_get_unmapped (self->session));
  if (!stays)
    ls_table_choose (self->table, row);
  ls_table_update_marks (self->table);
}

static void
show (LsDisassemblyPane *self)
{
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  if (self->stale) {
    self->stale = FALSE;
    self->trace = ls_view_session_get_trace (self->session);
    self->kernel = self->trace ? ls_view_session_kernel (self->session) : NULL;
    const GArray *code = self->kernel ? ls_view_session_instructions (self->session) : NULL;
    g_clear_pointer (&self->loops, g_array_unref);
    self->loops = self->kernel ? ls_source_loops (self->trace, self->kernel) : NULL;
    gboolean any = code && code->len > 0;
    g_autofree char *header = any ? header_text (self, code) : g_strdup ("");
    g_autofree char *empty = any ? NULL : empty_text (self->kernel);
    gtk_label_set_text (self->header, header);
    gtk_widget_set_visible (gtk_widget_get_parent (GTK_WIDGET (self->header)), any);
    if (empty)
      ls_table_set_when_empty (self->table, empty);
    ls_table_set_rows (self->table, any ? code->len : 0);
  }
  show_selection (self);
}

static void
on_trace_changed (LsDisassemblyPane *self)
{
  self->trace = NULL;
  self->kernel = NULL;
  self->stale = TRUE;
  ls_table_set_rows (self->table, 0);
  show (self);
}

static void
on_position_changed (LsDisassemblyPane *self)
{
  if (self->trace == ls_view_session_get_trace (self->session) && self->kernel == ls_view_session_kernel (self->session))
    return;
  self->stale = TRUE;
  show (self);
}

static void
on_selection_changed (LsDisassemblyPane *self)
{
  show (self);
}

static void
on_chosen (LsDisassemblyPane *self, guint row)
{
  ls_view_session_select_instruction (self->session, row);
}

static void
on_bytes (LsDisassemblyPane *self)
{
  ls_table_show_column (self->table, C_BYTES, gtk_toggle_button_get_active (self->bytes));
}

GtkWidget *
ls_disassembly_pane_new (LsViewSession *session)
{
  LsDisassemblyPane *self = g_object_new (LS_TYPE_DISASSEMBLY_PANE, NULL);
  self->session = g_object_ref (session);
  g_signal_connect_object (session, "trace-changed", G_CALLBACK (on_trace_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "position-changed", G_CALLBACK (on_position_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "selection-changed", G_CALLBACK (on_selection_changed), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}

static void
ls_disassembly_pane_class_init (LsDisassemblyPaneClass *class)
{
  LS_UI_BINDS (class, LsDisassemblyPane, "disassembly-pane", box, header, bytes);
  LS_CALLBACKS (class, on_bytes, show);
  LS_OWNS (class, LsDisassemblyPane, gtk_widget_unparent, box);
  LS_OWNS (class, LsDisassemblyPane, g_array_unref, loops);
  LS_OWNS (class, LsDisassemblyPane, g_object_unref, session);
}

static void
ls_disassembly_pane_init (LsDisassemblyPane *self)
{
  self->stale = TRUE;
  gtk_widget_init_template (GTK_WIDGET (self));
  self->table = ls_table_new ("disassembly", columns, G_N_ELEMENTS (columns), cell, "");
  ls_table_set_choosable (self->table);
  ls_table_set_marked (self->table, is_marked);
  ls_table_set_code (self->table);
  ls_table_set_around (self->table, C_TEXT, loops_around);
  ls_table_show_column (self->table, C_BYTES, FALSE);
  gtk_widget_set_vexpand (GTK_WIDGET (self->table), TRUE);
  g_signal_connect_swapped (self->table, "row-chosen", G_CALLBACK (on_chosen), self);
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->table));
}
