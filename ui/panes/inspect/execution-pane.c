/* A kernel's UOps executed row by row, forwards and backwards: the loop counters, the register that each row writes, the cell it touches.
 *
 * The steps come from `lazyscope-cli run --slow --json`, a page at a time, when the pane is on screen and a kernel's steps are
 * wanted. A chosen step chooses the node of its row everywhere; going past either end of the page asks for the next one.
 */
#include "panes/panes.h"
#include "kit/class.h"
#include "session/trace-text.h"
#include "kit/busy.h"
#include "session/ask-cli.h"
#include "ask/ask.h"
#include "ask/slow-answer.h"
#include "ir/names.h"
#include "ir/short.h"
#include "kit/table.h"
#include "kit/text.h"

#include <glib/gi18n.h>

#define PAGE 1000

#define LS_TYPE_EXECUTION_PANE (ls_execution_pane_get_type ())
G_DECLARE_FINAL_TYPE (LsExecutionPane, ls_execution_pane, LS, EXECUTION_PANE, GtkWidget)

struct _LsExecutionPane {
  GtkWidget      parent_instance;
  LsViewSession *session;
  GtkWidget     *box, *bar;
  GtkWidget     *earlier, *back, *on, *later, *spinner;
  GtkEntry      *number;
  GtkLabel      *what;
  LsTable       *table;
  /* the current content */
  LsReading     *answer;        /* of the command line, or NULL */
  LsTrace       *trace;         /* whose kernel it is: compared, never read */
  guint          kernel;        /* 0: none */
  guint64        first;         /* step that was asked for; choose it when it comes */
  guint          row;           /* chosen one of the page */
  GCancellable  *asking;
};

G_DEFINE_FINAL_TYPE (LsExecutionPane, ls_execution_pane, GTK_TYPE_WIDGET)

enum { X_STEP, X_ROW, X_OP, X_LOOPS, X_REGISTER, X_MEMORY };
static const LsTableColumn columns[] = {
  [X_STEP] = { N_("Step"), TRUE, FALSE }, [X_ROW] = { N_("Row"), TRUE, FALSE }, [X_OP] = { N_("Op"), FALSE, FALSE },
             [X_LOOPS] = { N_("Loops"), FALSE, FALSE },
  [X_REGISTER] = { N_("Register"), FALSE, TRUE }, [X_MEMORY] = { N_("Memory"), FALSE, TRUE },
};

static gboolean
is_busy (gpointer self)
{
  return LS_EXECUTION_PANE (self)->asking != NULL;
}

/* --- the answer; the process may be another version's, so nothing in it is taken for granted --- */

static const char *
text_of (LsRow row, const char *name)
{
  const char *text = ls_read_text (row, name);
  return text ? text : "";
}

static LsRow
step_at (LsExecutionPane *self, guint i)
{
  return self->answer ? ls_read_at (ls_reading_row (self->answer), "rows", i) : (LsRow) { 0 };
}

static guint
n_steps (LsExecutionPane *self)
{
  return self->answer ? ls_read_n (ls_reading_row (self->answer), "rows") : 0;
}

static void
append_values (GString *s, LsRow row, const char *name)
{
  guint n = ls_read_n (row, name);
  if (n > 1)
    g_string_append_c (s, '(');
  for (guint i = 0; i < n; i++) {
    g_autofree char *value = ls_read_scalar_at (row, name, i);
    g_string_append_printf (s, "%s%s", i ? ", " : "", value);
  }
  if (n > 1)
    g_string_append_c (s, ')');
}

static void
append_loops (GString *s, LsRow step)
{
  for (guint i = 0; i < ls_read_n (step, "loops"); i++) {
    LsRow loop = ls_read_at (step, "loops", i);
    g_string_append_printf (s, "%s%s=%" G_GINT64_FORMAT, i ? "  " : "", text_of (loop, "name"), ls_read_int (loop, "value"));
  }
}

static void
append_memory (LsExecutionPane *self, GString *s, LsRow step)
{
  LsRow memory = ls_read_row (step, "memory");
  const char *access = text_of (memory, "access"), *op = text_of (step, "op");
  gboolean jumps = ls_read_bool (step, "jumps");
  if (memory.object && g_str_equal (access, "gated")) {
    g_string_append (s, _("nothing: its gate is false"));
  } else if (memory.object) {
    gboolean is_local = ls_read_bool (memory, "local");
    LsTrace *trace = ls_view_session_get_trace (self->session);
    LsUOp *u = trace && !is_local ? ls_context_node (trace->ctx, (guint32) ls_read_int (step, "node")) : NULL,
          *buffer = u ? ls_memory_of (u) : NULL;
    g_autofree char *name = buffer ? ls_label_of_buffer (ls_trace_names (trace, self->kernel), buffer)
                                   : g_strdup_printf ("%s%" G_GINT64_FORMAT, is_local ? "local" : "data", ls_read_int (memory, "buffer"));
    g_string_append_printf (s, "%s[%" G_GINT64_FORMAT "] %s ", name, ls_read_int (memory, "index"),
                            g_str_equal (access, "written") ? "=" : _("is"));
    append_values (s, memory, "value");
    if (g_str_equal (access, "written")) {
      g_string_append_printf (s, ", %s ", _("was"));
      append_values (s, memory, "was");
    }
  }
  if (g_str_equal (op, "ENDRANGE"))
    g_string_append (s, jumps ? _("one more iteration") : _("the loop ends"));
  else if (g_str_equal (op, "RANGE") && jumps)
    g_string_append (s, _("no iteration: its size is 0"));
  else if (g_str_equal (op, "IF"))
    g_string_append (s, jumps ? _("skipped") : _("taken"));
}

static char *
cell (LsTable *table, guint row, guint column)
{
  LsExecutionPane *self = ls_table_get_data (table);
  LsRow step = step_at (self, row);
  if (!step.object)
    return NULL;
  g_autoptr (GString) s = g_string_new (NULL);
  switch (column) {
  case X_STEP: g_string_printf (s, "%" G_GINT64_FORMAT, ls_read_int (step, "step")); break;
  case X_ROW: g_string_printf (s, "%" G_GINT64_FORMAT, ls_read_int (step, "row")); break;
  case X_OP: g_string_assign (s, text_of (step, "op")); break;
  case X_LOOPS: append_loops (s, step); break;
  case X_REGISTER:
    if (ls_read_n (step, "value")) {
      g_string_printf (s, "r%" G_GINT64_FORMAT " = ", ls_read_int (step, "row"));
      append_values (s, step, "value");
    }
    break;
  default: append_memory (self, s, step); break;
  }
  return ls_text_cut (s->str, 400);
}

/* --- state --- */

static gboolean
has_ended (LsExecutionPane *self)
{
  LsRow answer = self->answer ? ls_reading_row (self->answer) : (LsRow) { 0 };
  return answer.object && (ls_read_has (answer, "error") || ls_read_bool (answer, "ended"));
}

static void
update (LsExecutionPane *self, const char *message)
{
  guint n = n_steps (self);
  g_autoptr (GString) s = g_string_new (message ? message : "");
  gint64 first = n ? ls_read_int (step_at (self, 0), "step") : 0, last = n ? ls_read_int (step_at (self, n - 1), "step") : 0;
  g_autofree char *range = g_strdup_printf ("%" G_GINT64_FORMAT "–%" G_GINT64_FORMAT, first, last);
  if (!message && self->asking) {
    g_string_assign (s, _("Executing…"));
  } else if (!message && n > 0) {
    const char *error = text_of (ls_reading_row (self->answer), "error");
    if (*error)
      g_string_printf (s, _("Stopped: %s"), error);
    else
      g_string_printf (s, has_ended (self) ? _("Steps %s, the last of kernel %u") : _("Steps %s of kernel %u; more follow"), range,
                       self->kernel);
  }
  g_autofree char *valid = ls_text_cut (s->str, 300);
  gtk_label_set_text (self->what, valid);
  gtk_spinner_set_spinning (GTK_SPINNER (self->spinner), self->asking != NULL);
  gtk_widget_set_visible (self->spinner, self->asking != NULL);
  gtk_widget_set_sensitive (self->earlier, n > 0 && first > 1);
  gtk_widget_set_sensitive (self->back, n > 0 && (self->row > 0 || first > 1));
  gtk_widget_set_sensitive (self->on, n > 0 && (self->row + 1 < n || !has_ended (self)));
  gtk_widget_set_sensitive (self->later, n > 0 && !has_ended (self));
  g_object_notify (G_OBJECT (self), "busy");
}

static void
choose (LsExecutionPane *self, guint row)
{
  LsRow step = step_at (self, row);
  if (!step.object)
    return;
  self->row = row;
  ls_table_choose (self->table, row);
  g_autofree char *number = g_strdup_printf ("%" G_GINT64_FORMAT, ls_read_int (step, "step"));
  gtk_editable_set_text (GTK_EDITABLE (self->number), number);
  guint32 node = (guint32) ls_read_int (step, "node");
  ls_view_session_select (self->session, LS_CHOSEN_IN_FINAL, &node, 1);
  update (self, NULL);
}

static void
on_answer (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (LsExecutionPane) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (LsReading) answer = ls_ask_cli_finish (result, &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED) || g_task_get_cancellable (G_TASK (result)) != self->asking)
    return;
  g_clear_object (&self->asking);
  if (!self->session)      /* the window is gone */
    return;
  if (error) {
    g_autofree char *said = ls_text_error (error, 400);
    update (self, said);
    return;
  }
  if (self->answer && ls_read_n (ls_reading_row (answer), "rows") == 0) {      /* past the end: the old rows stay */
    update (self, _("The kernel ends before that step"));
    return;
  }
  g_clear_pointer (&self->answer, ls_reading_unref);
  self->answer = g_steal_pointer (&answer);
  ls_table_set_rows (self->table, n_steps (self));
  guint64 first = n_steps (self) ? (guint64) ls_read_int (step_at (self, 0), "step") : 1;
  self->row = 0;
  if (self->first > 1)
    choose (self, (guint) MIN (self->first - MIN (first, self->first), n_steps (self) ? n_steps (self) - 1 : 0));
  update (self, NULL);
}

/* Asks for the page that holds the step, and chooses it there. */
static void
ask (LsExecutionPane *self, guint64 step)
{
  LsTrace *trace = ls_view_session_get_trace (self->session);
  if (self->asking)
    g_cancellable_cancel (self->asking);
  g_clear_object (&self->asking);
  if (!trace || self->kernel == 0)
    return;
  guint64 from = (step - 1) / PAGE * PAGE + 1;
  g_autofree char *kernel = g_strdup_printf ("--kernel=%u", self->kernel),
                  *rows = g_strdup_printf ("--rows=%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT, from, from + PAGE - 1);
  /* rows as the window numbers them, under every profile */
  const char *words[] = { "run", "--slow", kernel, rows, "--set=profile=modern", NULL };
  self->first = step;
  self->asking = g_cancellable_new ();
  update (self, NULL);
  ls_ask_cli_async (trace, words, &ls_slow_answer, self->asking, on_answer, g_object_ref (self));
}

/* The kernel of the position, when the pane can be seen. */
static void
follow (LsExecutionPane *self)
{
  LsTrace *trace = ls_view_session_get_trace (self->session);
  const LsKernel *k = ls_view_session_kernel (self->session);
  guint kernel = k && k->listing->len > 0 ? k->number : 0;
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)) || (trace == self->trace && kernel == self->kernel))
    return;
  self->trace = trace;
  self->kernel = kernel;
  g_clear_pointer (&self->answer, ls_reading_unref);
  ls_table_set_rows (self->table, 0);
  gtk_editable_set_text (GTK_EDITABLE (self->number), "");
  if (kernel == 0 && self->asking) {
    g_cancellable_cancel (self->asking);
    g_clear_object (&self->asking);
  }
  update (self, kernel ? NULL : "");
  ask (self, 1);
}

void
ls_execution_pane_changed (gpointer pane, LsWatch what)
{
  LsExecutionPane *self = pane;
  if (what == LS_WATCH_TRACE) {
    self->trace = NULL;
    self->kernel = 0;
  }
  follow (self);
}

/* --- the user's actions --- */

static guint64
chosen_step (LsExecutionPane *self)
{
  LsRow step = step_at (self, self->row);
  return step.object ? (guint64) ls_read_int (step, "step") : 1;
}

static void
go_to (LsExecutionPane *self, guint64 step)
{
  guint n = n_steps (self);
  guint64 first = n ? (guint64) ls_read_int (step_at (self, 0), "step") : G_MAXUINT64;
  if (step >= first && step - first < n)
    choose (self, (guint) (step - first));
  else
    ask (self, MAX (step, 1));
}

static void on_row (LsExecutionPane *self, guint row) { choose (self, row); }
static void on_back (LsExecutionPane *self) { go_to (self, MAX (chosen_step (self), 2) - 1); }
static void on_on (LsExecutionPane *self) { go_to (self, chosen_step (self) + 1); }
static void on_earlier (LsExecutionPane *self) { guint64 at = chosen_step (self); go_to (self, at > PAGE ? at - PAGE : 1); }
static void on_later (LsExecutionPane *self) { ask (self, chosen_step (self) + PAGE); }

static void
on_number (LsExecutionPane *self)
{
  guint64 step;
  if (g_ascii_string_to_unsigned (gtk_editable_get_text (GTK_EDITABLE (self->number)), 10, 1, G_MAXINT64 / 2, &step, NULL))
    go_to (self, step);
  else
    gtk_widget_error_bell (GTK_WIDGET (self->number));
}

static void
ls_execution_pane_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (ls_execution_pane_parent_class)->map (widget);
  follow (LS_EXECUTION_PANE (widget));
}

static void
ls_execution_pane_class_init (LsExecutionPaneClass *class)
{
  ls_busy_install (class, is_busy);
  GTK_WIDGET_CLASS (class)->map = ls_execution_pane_map;
  LS_UI_BINDS (class, LsExecutionPane, "execution-pane", box, bar, number, spinner, what);
  LS_CALLBACKS (class, on_number);
  LS_OWNS (class, LsExecutionPane, ls_cancel, asking);
  LS_OWNS (class, LsExecutionPane, gtk_widget_unparent, box);
  LS_OWNS (class, LsExecutionPane, ls_reading_unref, answer);
  LS_OWNS (class, LsExecutionPane, g_object_unref, session);
}

/* The bar's buttons, before the step's number. */
static void
add_buttons (LsExecutionPane *self)
{
  const struct { const char *name, *icon, *tip; GCallback clicked; GtkWidget **as; } buttons[] = {
    { "execution-earlier", "go-first-symbolic", _("1000 steps back"), G_CALLBACK (on_earlier), &self->earlier },
    { "execution-back", "go-previous-symbolic", _("One step back"), G_CALLBACK (on_back), &self->back },
    { "execution-on", "go-next-symbolic", _("One step on"), G_CALLBACK (on_on), &self->on },
    { "execution-later", "go-last-symbolic", _("1000 steps forward"), G_CALLBACK (on_later), &self->later },
  };
  for (guint i = 0; i < G_N_ELEMENTS (buttons); i++) {
    GtkWidget *button = g_object_new (GTK_TYPE_BUTTON, "name", buttons[i].name, "icon-name", buttons[i].icon, "tooltip-text",
                                      buttons[i].tip, NULL);
    gtk_widget_add_css_class (button, "flat");
    gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, buttons[i].tip, -1);
    g_signal_connect_swapped (button, "clicked", buttons[i].clicked, self);
    gtk_box_insert_child_after (GTK_BOX (self->bar), button, i ? *buttons[i - 1].as : NULL);
    *buttons[i].as = button;
  }
}

static void
ls_execution_pane_init (LsExecutionPane *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  add_buttons (self);
  self->table = ls_table_new ("execution", columns, G_N_ELEMENTS (columns), cell, _("No step was executed"));
  ls_table_set_data (self->table, self, NULL);
  ls_table_set_choosable (self->table);
  g_signal_connect_swapped (self->table, "row-chosen", G_CALLBACK (on_row), self);
  gtk_widget_set_vexpand (GTK_WIDGET (self->table), TRUE);
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->table));
}

GtkWidget *
ls_execution_pane_new (LsViewSession *session)
{
  LsExecutionPane *self = g_object_new (LS_TYPE_EXECUTION_PANE, NULL);
  self->session = g_object_ref (session);
  update (self, "");
  return GTK_WIDGET (self);
}
