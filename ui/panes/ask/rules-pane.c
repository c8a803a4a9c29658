/* Tries, hits and time of each rule, added up when the pane comes into view. Choosing a row goes to the rule's first firing, the
 * button (or Enter) to the next one after the position. */
#include "rules-pane.h"
#include "kit/class.h"
#include "panes/panes.h"
#include "kit/table.h"
#include "ask/ask.h"
#include "session/record-table.h"

#include <glib/gi18n.h>

struct _LsRulesPane {
  GtkWidget       parent_instance;
  LsViewSession  *session;
  GtkWidget      *box, *next;
  GtkToggleButton *whole;
  LsTable        *table;
  LsRecordColumns columns;
  LsRuleReport   *report;       /* its totals are the rows, or NULL */
  LsTrace        *trace;        /* of report; not a reference */
  guint           kernel;       /* of report; G_MAXUINT: all */
};

G_DEFINE_FINAL_TYPE (LsRulesPane, ls_rules_pane, GTK_TYPE_WIDGET)

guint
ls_rules_pane_n_rows (LsRulesPane *self)
{
  return self->report ? self->report->totals->len : 0;
}

static guint
rule_at (LsRulesPane *self, guint row)
{
  return g_array_index (self->report->totals, LsRuleTotal, row).rule;
}

static char *
cell (LsTable *table, guint row, guint column)
{
  LsRulesPane *self = ls_table_get_data (table);
  if (row >= ls_rules_pane_n_rows (self) || self->trace != ls_view_session_get_trace (self->session))
    return NULL;
  return ls_record_column_text (&self->columns, &g_array_index (self->report->totals, LsRuleTotal, row), row, self->report, column);
}

static void
add_up (LsRulesPane *self)
{
  LsTrace *trace = ls_view_session_get_trace (self->session);
  const LsPass *here = ls_view_session_pass (self->session);
  guint kernel = gtk_toggle_button_get_active (self->whole) ? G_MAXUINT : here ? here->kernel : 0;
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)) || (self->trace == trace && self->kernel == kernel))
    return;
  self->trace = trace;
  self->kernel = kernel;
  g_clear_pointer (&self->report, ls_rule_report_free);
  self->report = trace ? ls_rule_totals (trace, kernel) : NULL;
  ls_table_set_rows (self->table, ls_rules_pane_n_rows (self));
}

/* --- firings --- */

/* The first firing of a rule after (pass, step), among the passes that are added up; FALSE for none. */
static gboolean
find_firing (LsRulesPane *self, guint rule, int after_pass, guint after_step, guint *pass, guint *step)
{
  for (guint i = (guint) MAX (after_pass, 0); i < self->trace->passes->len; i++) {
    const LsPass *p = self->trace->passes->pdata[i];
    if (self->kernel != G_MAXUINT && p->kernel != self->kernel)
      continue;
    for (guint k = (int) i == after_pass ? after_step + 1 : 1; k <= ls_pass_n_rewrites (p); k++)
      if (ls_pass_step_link (p, k)->rule == (gint) rule) {
        *pass = i;
        *step = k;
        return TRUE;
      }
  }
  return FALSE;
}

static void
go (LsRulesPane *self, guint row, gboolean first)
{
  guint pass, step;
  if (row >= ls_rules_pane_n_rows (self) || self->trace != ls_view_session_get_trace (self->session))
    return;
  guint rule = rule_at (self, row);
  int here = first ? -1 : ls_view_session_get_pass (self->session);
  guint at = ls_view_session_get_step (self->session);
  if (find_firing (self, rule, here, at, &pass, &step) || (!first && find_firing (self, rule, -1, 0, &pass, &step)))
    ls_view_session_go (self->session, (int) pass, step);
  else
    gtk_widget_activate_action (GTK_WIDGET (self), "win.say", "s", _("This rule was tried and never fired here"));
}

static void on_chosen (LsTable *table, guint row, LsRulesPane *self) { go (self, row, TRUE); }
static void on_activated (LsTable *table, guint row, LsRulesPane *self) { go (self, row, FALSE); }
static void on_next (LsRulesPane *self) { go (self, ls_table_get_chosen (self->table), FALSE); }

gboolean
ls_rules_pane_choose (LsRulesPane *self, guint rule)
{
  add_up (self);
  for (guint i = 0; i < ls_rules_pane_n_rows (self); i++)
    if (rule_at (self, i) == rule) {
      ls_table_choose (self->table, i);
      return TRUE;
    }
  return FALSE;
}

void
ls_rules_pane_changed (gpointer pane, LsWatch what)
{
  LsRulesPane *self = pane;
  if (what == LS_WATCH_TRACE) {
    self->trace = NULL;
    g_clear_pointer (&self->report, ls_rule_report_free);
    ls_table_set_rows (self->table, 0);
  }
  add_up (self);
}

static void
ls_rules_pane_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (ls_rules_pane_parent_class)->map (widget);
  if (LS_RULES_PANE (widget)->session)
    add_up (LS_RULES_PANE (widget));
}

GtkWidget *
ls_rules_pane_new (LsViewSession *session)
{
  LsRulesPane *self = g_object_new (LS_TYPE_RULES_PANE, NULL);
  self->session = g_object_ref (session);
  return GTK_WIDGET (self);
}

static void
ls_rules_pane_class_init (LsRulesPaneClass *class)
{
  GTK_WIDGET_CLASS (class)->map = ls_rules_pane_map;
  LS_UI_BINDS (class, LsRulesPane, "rules-pane", box, whole, next);
  LS_CALLBACKS (class, add_up, on_next);
  LS_OWNS (class, LsRulesPane, gtk_widget_unparent, box);
  LS_OWNS (class, LsRulesPane, g_object_unref, session);
  LS_KEEPS (class, LsRulesPane, ls_rule_report_free, report);
}

static void
ls_rules_pane_init (LsRulesPane *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  ls_record_columns_init (&self->columns, &ls_rule_total_answer);
  self->kernel = G_MAXUINT;
  self->table = ls_table_new ("rules", self->columns.columns, self->columns.n, cell, _("No rule was tried here"));
  ls_table_set_data (self->table, self, NULL);
  ls_table_set_choosable (self->table);
  gtk_widget_set_vexpand (GTK_WIDGET (self->table), TRUE);
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->table));
  g_signal_connect_object (self->table, "row-chosen", G_CALLBACK (on_chosen), self, 0);
  g_signal_connect_object (self->table, "row-activated", G_CALLBACK (on_activated), self, 0);
}
