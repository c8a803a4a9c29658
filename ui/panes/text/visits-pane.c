/* The driver's view of a rewrite pass: a visit, the stack before it, and the rules that were asked there.
 *
 * The visits of one pass are kept, and made only while the pane is seen. The pane goes to the position's step by itself; the user
 * walks from visit to visit, which selects their nodes and leaves the position where it is. The stack is shown with its top first,
 * above it the nodes that the visit pushes. A rule's match is made again when its row comes into view.
 */
#include "visits-pane.h"
#include "ask/ask.h"
#include "ir/sentence.h"
#include "kit/accessible.h"
#include "kit/class.h"
#include "kit/paragraph.h"
#include "kit/table.h"
#include "kit/text.h"
#include "kit/tip.h"
#include "session/trace-text.h"
#include "session/visit-text.h"

#include <glib/gi18n.h>
#include <stdlib.h>

#define MOST_BINDINGS 16

struct _LsVisitsPane {
  GtkWidget      parent_instance;
  LsViewSession *session;
  GtkWidget     *stack, *nothing, *seen, *prev, *next, *go_to, *rules_part, *rule_part, *stack_part;
  GtkEntry      *number;
  GtkLabel      *total, *mode, *what, *asked, *rule, *captures, *reason;
  LsTable       *entries, *rules;
  /* the current content */
  LsTrace       *trace;         /* of pass; compared, and read while it is the session's */
  const LsPass  *pass;
  guint          n_links;       /* of the pass, when its visits were made */
  guint          step;          /* of the position that is shown */
  LsVisits      *visits;        /* NULL: the pass is not a rewrite */
  guint          visit;         /* from 0 */
  GArray        *frames;        /* LsVisitFrame: the stack before the visit */
  LsVisitAsked  *rules_asked;
};

G_DEFINE_FINAL_TYPE (LsVisitsPane, ls_visits_pane, GTK_TYPE_WIDGET)

enum { E_STAGE, E_ID, E_NODE, E_WAITS };
static const LsTableColumn entry_columns[] = {
  [E_STAGE] = { N_("Stage"), FALSE, FALSE }, [E_ID] = { N_("Node"), TRUE, FALSE }, [E_NODE] = { "", FALSE, TRUE },
  [E_WAITS] = { N_("Waits"), FALSE, FALSE },
};
enum { R_RULE, R_OUTCOME };
static const LsTableColumn rule_columns[] = {
  [R_RULE] = { N_("Rule"), FALSE, FALSE }, [R_OUTCOME] = { N_("Outcome"), .expand = TRUE, .wrap = TRUE },
};

static const LsVisit *
visit_of (LsVisitsPane *self)
{
  return self->visits && self->visit < self->visits->visits->len ? &g_array_index (self->visits->visits, LsVisit, self->visit) : NULL;
}

guint
ls_visits_pane_number (LsVisitsPane *self)
{
  return visit_of (self) ? self->visit + 1 : 0;
}

static gboolean
is_current (LsVisitsPane *self)
{
  return self->trace && self->trace == ls_view_session_get_trace (self->session);
}

/* --- the stack --- */

/* Rows: the pushed nodes, the last one first, then the entries from the top on. FALSE: it is an entry, *index of frames. */
static gboolean
is_pushed (LsVisitsPane *self, guint row, guint *index)
{
  const LsVisit *v = visit_of (self);
  if (row < v->n) {
    *index = v->first + v->n - 1 - row;
    return TRUE;
  }
  *index = self->frames->len - 1 - (row - v->n);
  return FALSE;
}

static guint32
node_at (LsVisitsPane *self, guint row)
{
  guint index;
  return is_pushed (self, row, &index) ? g_array_index (self->visits->pushed, guint32, index)
                                       : g_array_index (self->frames, LsVisitFrame, index).node;
}

static gboolean
has_row (LsVisitsPane *self, guint row)
{
  const LsVisit *v = visit_of (self);
  return v && is_current (self) && row < v->n + self->frames->len;
}

static char *
entry_cell (LsTable *table, guint row, guint column)
{
  LsVisitsPane *self = ls_table_get_data (table);
  guint index;
  if (!has_row (self, row))
    return NULL;
  gboolean pushed = is_pushed (self, row, &index);
  switch (column) {
  case E_STAGE: return g_strdup (ls_visit_stage_text (pushed ? LS_VISIT_PUSH : g_array_index (self->frames, LsVisitFrame, index).next));
  case E_ID: return g_strdup_printf ("%u", node_at (self, row));
  case E_NODE: return ls_visit_node_text (self->trace, self->pass, node_at (self, row));
  default:
    return pushed ? g_strdup (_("pushed now")) : index + 1 == self->frames->len ? g_strdup (_("visited now"))
           : ls_visit_waits_text (self->frames, index);
  }
}

static gboolean
is_top (LsTable *table, guint row)
{
  LsVisitsPane *self = ls_table_get_data (table);
  return has_row (self, row) && row == visit_of (self)->n;
}

static gboolean
is_coming (LsTable *table, guint row)
{
  LsVisitsPane *self = ls_table_get_data (table);
  return has_row (self, row) && row < visit_of (self)->n;
}

/* Selects the first of these nodes that the position's graph has. */
static gboolean
select_first (LsVisitsPane *self, const guint32 *nodes, guint n)
{
  for (guint i = 0; i < n; i++)
    if (nodes[i] != LS_NO_NODE && ls_view_session_node (self->session, nodes[i], NULL)) {
      ls_view_session_select (self->session, LS_CHOSEN_IN_GRAPH, &nodes[i], 1);
      return TRUE;
    }
  return FALSE;
}

static void
on_entry (LsTable *table, guint row, LsVisitsPane *self)
{
  if (!has_row (self, row))
    return;
  guint32 node = node_at (self, row);
  if (!select_first (self, &node, 1))
    gtk_widget_activate_action (GTK_WIDGET (self), "win.say", "s", _("The graph of this step does not have that node"));
}

/* --- its rules --- */

static const LsTraceRule *
rule_at (LsVisitsPane *self, guint row)
{
  guint rule = ls_visit_asked_rule (self->rules_asked, row)->rule;
  return self->trace->rules->pdata[rule];
}

static gboolean
has_rule (LsVisitsPane *self, guint row)
{
  return self->rules_asked && is_current (self) && row < ls_visit_asked_n (self->rules_asked);
}

static char *
rule_cell (LsTable *table, guint row, guint column)
{
  LsVisitsPane *self = ls_table_get_data (table);
  if (!has_rule (self, row))
    return NULL;
  return column == R_RULE ? ls_text_valid (rule_at (self, row)->name) : ls_visit_rule_text (self->rules_asked, row, visit_of (self)->step);
}

static gboolean
is_fired (LsTable *table, guint row)
{
  LsVisitsPane *self = ls_table_get_data (table);
  return has_rule (self, row) && ls_visit_asked_rule (self->rules_asked, row)->fired;
}

/* Text, place and captures of the chosen rule: its whole store where it fired, else as far as the match came. */
static void
show_rule (LsVisitsPane *self, guint row)
{
  gboolean any = has_rule (self, row);
  gtk_widget_set_visible (self->rule_part, any);
  if (!any)
    return;
  const LsTraceRule *rule = rule_at (self, row);
  const LsVisitRule *asked = ls_visit_asked_rule (self->rules_asked, row);
  const LsNames *names = ls_trace_names (self->trace, self->pass->kernel);
  LsBinding bindings[MOST_BINDINGS];
  const LsRuleExplanation *e = asked->fired ? NULL : ls_visit_asked_explain (self->rules_asked, row);
  guint n = asked->fired ? ls_step_bindings (self->trace, self->pass, visit_of (self)->step, bindings, MOST_BINDINGS)
            : e ? e->n_bindings : 0;
  g_autofree char *name = g_markup_escape_text (rule->name, -1), *text = ls_text_valid (rule->text ? rule->text : ""),
                  *code = g_markup_escape_text (text, -1), *file = g_markup_escape_text (rule->file, -1);
  g_autofree char *markup = g_strdup_printf ("<a href=\"rule:%u\">%s</a> · %s:%u   <tt>%s</tt>", asked->rule, name, file, rule->line, code),
                  *head = ls_text_valid (markup);
  g_autofree char *store = ls_text_bindings (names, asked->fired ? bindings : e ? e->bindings : NULL, n),
                  *captures = !*store ? NULL : g_strdup_printf (asked->fired || e->matches ? _("Captures: %s")
                                                                : _("Captures before the match ended: %s"), store),
                  *reason = ls_visit_rule_reason (self->rules_asked, row), *why = reason ? ls_text_cut (reason, 600) : NULL;
  gtk_label_set_markup (self->rule, head);
  gtk_label_set_markup (self->captures, captures ? captures : "");
  gtk_label_set_text (self->reason, why ? why : "");
  GtkLabel *labels[] = { self->rule, self->captures, self->reason };
  for (gsize i = 0; i < G_N_ELEMENTS (labels); i++) {
    gtk_widget_set_visible (gtk_widget_get_parent (GTK_WIDGET (labels[i])), *gtk_label_get_text (labels[i]));
    ls_tip_set (GTK_WIDGET (labels[i]), gtk_label_get_text (labels[i]));
  }
}

static void
on_rule (LsTable *table, guint row, LsVisitsPane *self)
{
  show_rule (self, row);
}

/* "node:17", "rule:4" */
static gboolean
on_link (LsVisitsPane *self, const char *uri)
{
  guint32 id = (guint32) strtoul (uri + strcspn (uri, ":") + 1, NULL, 10);
  if (g_str_has_prefix (uri, "rule:"))
    gtk_widget_activate_action (GTK_WIDGET (self), "win.rule", "u", id);
  else if (!select_first (self, &id, 1))
    gtk_widget_activate_action (GTK_WIDGET (self), "win.say", "s", _("The graph of this step does not have that node"));
  return TRUE;
}

/* --- a visit --- */

static void
forget_visit (LsVisitsPane *self)
{
  g_clear_pointer (&self->frames, g_array_unref);
  g_clear_pointer (&self->rules_asked, ls_visit_asked_free);
}

static void
show_head (LsVisitsPane *self)
{
  const LsVisit *v = visit_of (self);
  guint n = self->visits->visits->len, done = ls_visits_steps_before (self->visits, self->visit);
  g_autofree char *number = g_strdup_printf ("%u", self->visit + 1), *all = ls_text_count (n),
                  *total = g_strdup_printf (_("of %s visits, after step %u"), all, done),
                  *step = g_strdup_printf (_("Go to Step %u"), v->step);
  gtk_editable_set_text (GTK_EDITABLE (self->number), number);
  gtk_label_set_text (self->total, total);
  ls_tip_set (GTK_WIDGET (self->total), total);
  gtk_button_set_label (GTK_BUTTON (self->go_to), step);
  gtk_widget_set_visible (self->go_to, v->step > 0 && v->step != self->step);
  gtk_widget_set_sensitive (self->prev, self->visit > 0);
  gtk_widget_set_sensitive (self->next, self->visit + 1 < n);
}

static void
show_visit (LsVisitsPane *self, guint visit)
{
  forget_visit (self);
  self->visit = visit;
  self->frames = ls_visits_stack (self->visits, visit);
  self->rules_asked = ls_visit_asked_new (self->trace, self->pass, self->visits, visit, TRUE);
  const LsVisit *v = visit_of (self);
  guint n = ls_visit_asked_n (self->rules_asked);
  g_autofree char *sentence = ls_visit_sentence (self->trace, self->pass, self->visits, visit),
                  *node = ls_visit_node_text (self->trace, self->pass, v->node), *short_node = ls_text_cut (node, 60),
                  *what = g_markup_printf_escaped ("<b>%u %s</b> · %s\n%s", v->node, short_node,
                                                   ls_visit_stage_title (self->pass, v->stage), sentence),
                  *valid = ls_text_valid (what), *asked = ls_visit_asked_text (self->trace, self->visits, visit, self->rules_asked);
  show_head (self);
  gtk_label_set_markup (self->what, valid);
  gtk_label_set_text (self->asked, asked);
  ls_table_set_rows (self->entries, v->n + self->frames->len);
  ls_table_set_rows (self->rules, n);
  ls_table_show_row (self->entries, 0, v->n);
  gtk_widget_set_visible (self->rules_part, n > 0);
  guint chosen = n && ls_visit_asked_rule (self->rules_asked, n - 1)->fired ? n - 1 : GTK_INVALID_LIST_POSITION;
  ls_table_choose (self->rules, chosen);
  show_rule (self, chosen);
}

static void
show_nothing (LsVisitsPane *self)
{
  gtk_label_set_text (GTK_LABEL (self->nothing), self->pass ? _("This pass is not a rewrite: the driver visits no nodes in it")
                      : _("Select a rewrite pass to see how the driver visits its nodes"));
  gtk_stack_set_visible_child (GTK_STACK (self->stack), self->nothing);
}

/* --- the pass --- */

static void
forget_pass (LsVisitsPane *self)
{
  forget_visit (self);
  g_clear_pointer (&self->visits, ls_visits_free);
  self->trace = NULL;
  self->pass = NULL;
  self->step = G_MAXUINT;
}

static void
show_pass (LsVisitsPane *self, LsTrace *trace, const LsPass *pass)
{
  forget_pass (self);
  self->trace = trace;
  self->pass = pass;
  self->n_links = pass ? pass->links->len : 0;
  self->visits = pass ? ls_pass_visits (trace, pass) : NULL;
  if (!self->visits || !self->visits->visits->len) {
    show_nothing (self);
    return;
  }
  g_autofree char *mode = ls_visit_mode_text (pass);
  const char *end = _("This pass was recorded by a different driver: the visits end where its links differ from this driver's.");
  g_autofree char *text = self->visits->whole ? g_strdup (mode) : g_strdup_printf ("%s %s", mode, end);
  gtk_label_set_text (self->mode, text);
  gtk_stack_set_visible_child (GTK_STACK (self->stack), self->seen);
}

static void
update (LsVisitsPane *self)
{
  if (!self->session || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  LsTrace *trace = ls_view_session_get_trace (self->session);
  const LsPass *pass = ls_view_session_pass (self->session);
  guint step = ls_view_session_get_step (self->session);
  gboolean other = trace != self->trace || pass != self->pass || (pass && pass->links->len != self->n_links) || !pass;
  if (other)
    show_pass (self, trace, pass);
  if (!self->visits || !self->visits->visits->len || (!other && step == self->step))
    return;
  self->step = step;
  show_visit (self, step == 0 ? 0 : step <= self->visits->steps->len ? g_array_index (self->visits->steps, guint, step - 1)
                    : self->visits->visits->len - 1);
}

static void
on_trace_changed (LsVisitsPane *self)
{
  forget_pass (self);
  ls_table_set_rows (self->entries, 0);
  ls_table_set_rows (self->rules, 0);
  show_nothing (self);
}

/* --- the walk --- */

/* To a visit of the user's choice: its node is selected, or what it was rebuilt as, or what replaced it. */
static void
go (LsVisitsPane *self, guint visit)
{
  if (!is_current (self) || !self->visits || visit >= self->visits->visits->len)
    return;
  show_visit (self, visit);
  const LsVisit *v = visit_of (self);
  const guint32 nodes[] = { v->node, v->over, v->result };
  if (!select_first (self, nodes, G_N_ELEMENTS (nodes)))
    ls_view_session_select (self->session, LS_CHOSEN_IN_GRAPH, NULL, 0);
}

void
ls_visits_pane_walk (LsVisitsPane *self, int by)
{
  update (self);
  gint64 visit = (gint64) self->visit + by;
  if (visit >= 0)
    go (self, (guint) visit);
}

static void on_prev (LsVisitsPane *self) { ls_visits_pane_walk (self, -1); }
static void on_next (LsVisitsPane *self) { ls_visits_pane_walk (self, 1); }

static void
on_number (LsVisitsPane *self)
{
  guint n = self->visits ? self->visits->visits->len : 0;
  guint64 number = g_ascii_strtoull (gtk_editable_get_text (GTK_EDITABLE (self->number)), NULL, 10);
  if (n)
    go (self, (guint) CLAMP (number, 1, n) - 1);
}

static void
on_go_to (LsVisitsPane *self)
{
  const LsVisit *v = is_current (self) ? visit_of (self) : NULL;
  if (v && v->step)
    ls_view_session_go (self->session, (int) self->pass->index, v->step);
}

/* --- the widget --- */

static LsTable *
add_table (LsVisitsPane *self, GtkWidget *box, const char *name, const LsTableColumn *columns, guint n, LsTableCell cell,
           LsTableMarked marked, gpointer chosen)
{
  LsTable *table = ls_table_new (name, columns, n, cell, "");
  ls_table_set_data (table, self, NULL);
  ls_table_set_choosable (table);
  ls_table_set_code (table);
  ls_table_set_marked (table, marked);
  gtk_widget_set_vexpand (GTK_WIDGET (table), TRUE);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (table));
  g_signal_connect_object (table, "row-chosen", G_CALLBACK (chosen), self, 0);
  return table;
}

GtkWidget *
ls_visits_pane_new (LsViewSession *session)
{
  LsVisitsPane *self = g_object_new (LS_TYPE_VISITS_PANE, NULL);
  self->session = g_object_ref (session);
  show_nothing (self);
  g_signal_connect_object (session, "trace-changed", G_CALLBACK (on_trace_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "position-changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}

static void
ls_visits_pane_class_init (LsVisitsPaneClass *class)
{
  LS_USES (LS_TYPE_PARAGRAPH);
  LS_UI_BINDS (class, LsVisitsPane, "visits-pane", stack, nothing, seen, prev, next, go_to, number, total, mode, what, stack_part,
               rules_part, asked, rule_part, rule, captures, reason);
  LS_CALLBACKS (class, update, on_prev, on_next, on_number, on_go_to, on_link);
  LS_ON_DISPOSE (class, forget_pass);      /* before the session lets go of the recording */
  LS_OWNS (class, LsVisitsPane, gtk_widget_unparent, stack);
  LS_OWNS (class, LsVisitsPane, g_object_unref, session);
}

static void
ls_visits_pane_init (LsVisitsPane *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->step = G_MAXUINT;
  self->entries = add_table (self, self->stack_part, "visit-stack", entry_columns, G_N_ELEMENTS (entry_columns), entry_cell, is_top,
                             on_entry);
  self->rules = add_table (self, self->rules_part, "visit-rules", rule_columns, G_N_ELEMENTS (rule_columns), rule_cell, is_fired,
                           on_rule);
  ls_table_set_pending (self->entries, is_coming);
  gtk_box_reorder_child_after (GTK_BOX (self->rules_part), GTK_WIDGET (self->rules), gtk_widget_get_parent (GTK_WIDGET (self->asked)));
  ls_table_set_name (self->entries, _("Stack"));
  ls_table_set_name (self->rules, _("Rules"));
}
