/* The rule card: name, text, place, tries, hits and time of the rule, its sentence, what its names were bound to, and the sentence that
 * says what this step changed. At step 0 and in stages that are no rewrites it says what the pass is instead. */
#include "rule-card.h"
#include "ir/print.h"
#include "text.h"

#include <glib/gi18n.h>
#include <stdlib.h>

struct _LsRuleCard {
  GtkWidget      parent_instance;
  LsViewSession *session;
  GtkWidget     *box, *text_row;
  GtkLabel      *name, *text, *place, *sentence, *bindings, *change;
  gboolean       compact;
};

G_DEFINE_FINAL_TYPE (LsRuleCard, ls_rule_card, GTK_TYPE_WIDGET)

static void
set_text (GtkLabel *label, const char *text)
{
  g_autofree char *valid = ls_text_valid (text);
  gtk_label_set_text (label, valid);
  gtk_widget_set_tooltip_text (GTK_WIDGET (label), *valid ? valid : NULL);
}

static void
show_rule (LsRuleCard *self, LsTrace *trace, const LsPass *pass, guint step)
{
  const LsLink *link = ls_pass_step_link (pass, step);
  const LsTraceRule *rule = link->rule >= 0 && link->rule < (gint) trace->rules->len ? trace->rules->pdata[link->rule] : NULL;
  g_autofree char *time = ls_text_ns (link->ns);
  g_autoptr (GString) place = g_string_new (NULL);
  if (rule)
    g_string_append_printf (place, "%s:%u", rule->file, rule->line);
  for (guint i = 0; i < pass->stats->len; i++) {
    const LsRuleStat *s = &g_array_index (pass->stats, LsRuleStat, i);
    if ((gint) s->rule == link->rule) {
      g_autofree char *tries = ls_text_count (s->tries);
      g_autofree char *hits = ls_text_count (s->hits);
      g_string_append_printf (place, _(" · %s of %s tries"), hits, tries);
    }
  }
  g_string_append_printf (place, " · %s", time);
  if (rule && !g_str_equal (rule->rule_class, "exact") && *rule->rule_class)
    g_string_append_printf (place, " · %s", rule->rule_class);
  set_text (self->name, rule ? rule->name : _("unknown rule"));
  set_text (self->text, rule ? rule->text : "");
  set_text (self->place, place->str);
  set_text (self->sentence, rule ? rule->sentence : "");

  guint n;
  const LsBinding *bindings = ls_view_session_bindings (self->session, &n);
  g_autoptr (GString) markup = g_string_new (NULL);
  for (guint i = 0; i < n; i++) {
    if (!bindings[i].node)
      continue;
    g_autofree char *summary = ls_uop_summary (bindings[i].node);
    g_autofree char *cut = ls_text_cut (summary, 60);
    g_autofree char *what = g_markup_escape_text (cut, -1);
    g_autofree char *name = g_markup_escape_text (bindings[i].name ? bindings[i].name : "?", -1);
    g_string_append_printf (markup, "%s<b>%s</b> = <a href=\"node:%u\">%s</a>", i ? "     " : "", name, bindings[i].node->id, what);
  }
  gtk_label_set_markup (self->bindings, markup->str);
  g_autofree char *change = ls_step_sentence (trace, pass, step);
  set_text (self->change, change);
}

static void
show_pass (LsRuleCard *self, const LsPass *pass, guint step)
{
  guint n = ls_pass_n_steps (pass);
  g_autofree char *time = ls_text_ns ((double) pass->ns);
  g_autofree char *text = NULL;
  if (pass->kind == LS_PASS_MAP)
    text = g_strdup_printf (_("A stage that is no rewrite: it has no steps. %s."), time);
  else if (n == 0)
    text = g_strdup_printf (_("This pass changed nothing. %s."), time);
  else
    text = g_strdup_printf (ngettext ("The pass's input, before its %u step. %s.", "The pass's input, before the first of its %u steps. %s.", n), n, time);
  set_text (self->name, pass->name);
  set_text (self->text, "");
  set_text (self->place, pass->kind == LS_PASS_REWRITE ? pass->set : "");
  set_text (self->sentence, text);
  gtk_label_set_text (self->bindings, "");
  set_text (self->change, "");
}

static void
show_rows (LsRuleCard *self)
{
  gboolean rule = *gtk_label_get_text (self->text) != '\0';
  gtk_widget_set_visible (self->text_row, rule && !self->compact);
  gtk_widget_set_visible (GTK_WIDGET (self->sentence), !self->compact || !rule);
  gtk_widget_set_visible (GTK_WIDGET (self->bindings), !self->compact && *gtk_label_get_text (self->bindings));
  gtk_widget_set_visible (GTK_WIDGET (self->change), *gtk_label_get_text (self->change) != '\0');
}

static void
on_position_changed (LsRuleCard *self)
{
  LsTrace *trace = ls_view_session_get_trace (self->session);
  const LsPass *pass = ls_view_session_pass (self->session);
  guint step = ls_view_session_get_step (self->session);
  gtk_widget_set_visible (self->box, pass != NULL);
  if (!pass)
    return;
  if (pass->kind == LS_PASS_REWRITE && step > 0)
    show_rule (self, trace, pass, step);
  else
    show_pass (self, pass, step);
  show_rows (self);
}

static gboolean
on_link (LsRuleCard *self, const char *uri)
{
  if (!g_str_has_prefix (uri, "node:"))
    return FALSE;
  guint32 node = (guint32) strtoul (uri + 5, NULL, 10);
  ls_view_session_select (self->session, LS_CHOSEN_IN_GRAPH, &node, 1);
  return TRUE;
}

void
ls_rule_card_set_compact (LsRuleCard *self, gboolean compact)
{
  if (self->compact == compact)
    return;
  self->compact = compact;
  show_rows (self);
}

void
ls_rule_card_set_session (LsRuleCard *self, LsViewSession *session)
{
  g_set_object (&self->session, session);
  g_signal_connect_object (session, "position-changed", G_CALLBACK (on_position_changed), self, G_CONNECT_SWAPPED);
}

static void
ls_rule_card_dispose (GObject *object)
{
  LsRuleCard *self = LS_RULE_CARD (object);
  g_clear_pointer (&self->box, gtk_widget_unparent);
  g_clear_object (&self->session);
  G_OBJECT_CLASS (ls_rule_card_parent_class)->dispose (object);
}

static void
ls_rule_card_class_init (LsRuleCardClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);
  G_OBJECT_CLASS (class)->dispose = ls_rule_card_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/app/lazyscope/Lazyscope/rule-card.ui");
  gtk_widget_class_bind_template_child (widget_class, LsRuleCard, box);
  gtk_widget_class_bind_template_child (widget_class, LsRuleCard, text_row);
  gtk_widget_class_bind_template_child (widget_class, LsRuleCard, name);
  gtk_widget_class_bind_template_child (widget_class, LsRuleCard, text);
  gtk_widget_class_bind_template_child (widget_class, LsRuleCard, place);
  gtk_widget_class_bind_template_child (widget_class, LsRuleCard, sentence);
  gtk_widget_class_bind_template_child (widget_class, LsRuleCard, bindings);
  gtk_widget_class_bind_template_child (widget_class, LsRuleCard, change);
  gtk_widget_class_bind_template_callback (widget_class, on_link);
}

static void
ls_rule_card_init (LsRuleCard *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
