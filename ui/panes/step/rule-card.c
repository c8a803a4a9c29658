/* The rule card: the rule's two sides drawn, its name, text, place, tries, hits and time, its guards with their values, its bindings,
 * and the sentence that explains the change of this step and why the rule may make it. A builder's result is drawn as it is. At step 0
 * and in stages that are not rewrites the card describes the pass instead.
 *
 * Stepping passes through here: pictures of rules are kept, and the rest is a dozen small strings. */
#include "trace/row-steps.h"
#include "trace/step-parts.h"
#include "trace/what-if.h"
#include "rule-card.h"
#include "kit/class.h"
#include "ir/sentence.h"
#include "rewrite/stage.h"
#include "ir/print.h"
#include "kit/paragraph.h"
#include "pattern-view.h"
#include "kit/text.h"
#include "kit/tip.h"
#include "trace/statements.h"
#include "session/trace-text.h"
#include "ask/ask.h"

#include <glib/gi18n.h>
#include <stdlib.h>
#include <string.h>

#define CONTENT_TALL 174      /* height of the contents, the same for all steps: the graph above must not move */
#define SPACING      2
#define MOST_ASKED   420      /* characters of guards with their questions; of more the questions are in the tooltip of the rule's text */
#define SHRINK       12       /* steps in which the picture is drawn smaller */
#define LEAST_TALL   36       /* of the picture; what needs more room than it leaves has it alone */
#define PICTURE_TALL 84

struct _LsRuleCard {
  GtkWidget      parent_instance;
  LsViewSession *session;
  GtkWidget     *box, *content, *body, *more;
  GMenuModel    *rule_menu, *decision_menu;      /* of more: at a rule's step, at a schedule's decision */
  LsPatternView *pattern;
  GtkLabel      *name, *text, *place, *sentence, *guards, *bindings, *change;
  LsTrace       *trace;         /* of the pictures; not a reference */
  GHashTable    *pictures;      /* rule -> Picture */
  int            spread_width;  /* of the body, when lines were given to its texts */
  guint          spread_again;
};

G_DEFINE_FINAL_TYPE (LsRuleCard, ls_rule_card, GTK_TYPE_WIDGET)

typedef struct { LsRulePicture *before, *after; gboolean built; } Picture;

static void
picture_free (gpointer data)
{
  Picture *p = data;
  ls_rule_picture_free (p->before);
  ls_rule_picture_free (p->after);
  g_free (p);
}

static const Picture *
picture_of (LsRuleCard *self, LsTrace *trace, guint rule)
{
  if (self->trace != trace) {
    g_hash_table_remove_all (self->pictures);
    self->trace = trace;
  }
  Picture *p = g_hash_table_lookup (self->pictures, GUINT_TO_POINTER (rule));
  if (!p) {
    p = g_new0 (Picture, 1);
    p->before = ls_trace_rule_picture (trace, rule, FALSE);
    p->after = ls_trace_rule_picture (trace, rule, TRUE);
    for (guint i = 0; p->after && i < p->after->parts->len; i++)
      p->built |= g_array_index (p->after->parts, LsRulePart, i).kind == LS_PART_BUILDER;
    g_hash_table_insert (self->pictures, GUINT_TO_POINTER (rule), p);
  }
  return p;
}

static void
set_text (GtkLabel *label, const char *text)
{
  g_autofree char *valid = ls_text_valid (text);
  if (g_str_equal (valid, gtk_label_get_text (label)))
    return;
  gtk_label_set_text (label, valid);
  ls_tip_set (GTK_WIDGET (label), *valid ? valid : NULL);
}

static void
draw_rule (LsRuleCard *self, LsTrace *trace, const LsLink *link, const LsBinding *bindings, guint n)
{
  const Picture *p = link->rule >= 0 && link->rule < (gint) trace->rules->len ? picture_of (self, trace, (guint) link->rule) : NULL;
  LsUOp *made = p && p->built ? ls_context_node (trace->ctx, link->after) : NULL;
  g_autoptr (LsRulePicture) real = made ? ls_rule_picture_of (made, bindings, n, 2) : NULL;
  ls_pattern_view_set (self->pattern, p ? p->before : NULL, real ? real : p ? p->after : NULL, bindings, n);
}

/* "✓ $c > 0 ($c is 64)", the computed values of the result ("log2($c) = 6"), the builder of the result, and how results may differ. */
static void
show_guards (LsRuleCard *self, LsTrace *trace, const LsPass *pass, guint step, const LsTraceRule *rule)
{
  g_autoptr (GArray) guards = ls_step_guards (trace, pass, step);
  g_autoptr (GString) text = g_string_new (NULL);
  guint index;
  LsRuleLibrary *asked = rule && rule->builder ? ls_asked_library (trace, (guint) ls_pass_step_link (pass, step)->rule, &index) : NULL;
  const char *algorithm = asked ? ls_rule_algorithm (asked, index) : NULL;
  if (rule && rule->builder && algorithm)
    g_string_append_printf (text, _("built by %s: %s"), rule->builder, ls_shown (algorithm));
  else if (rule && rule->builder)
    g_string_append_printf (text, _("built by %s"), rule->builder);
  guint n_computed = 0, n_chars = 0;
  for (guint i = 0; guards && i < guards->len; i++) {
    const LsGuardValue *g = &g_array_index (guards, LsGuardValue, i);
    n_computed += g->holds == LS_GUARD_COMPUTED;
    n_chars += strlen (g->text ? g->text : "") + strlen (g->saw ? g->saw : "") + strlen (g->question ? ls_shown (g->question) : "");
  }
  gboolean asks = n_chars < MOST_ASKED;
  for (guint i = 0; guards && i < guards->len; i++) {
    const LsGuardValue *g = &g_array_index (guards, LsGuardValue, i);
    if (g->holds == LS_GUARD_COMPUTED) {
      g_autofree char *saw = ls_text_cut (g->saw ? g->saw : "?", 90);
      g_string_append_printf (text, "%s%s = %s", text->len ? "   " : "", g->text, saw);
      if (g->question && asks && n_computed == 1)
        g_string_append_printf (text, ": %s", ls_shown (g->question));
      continue;
    }
    const char *mark = g->holds == LS_GUARD_HOLDS ? "✓" : g->holds == LS_GUARD_FAILS ? "✗" : "?";
    g_string_append_printf (text, "%s%s %s", text->len ? "   " : "", mark, g->text ? g->text : "");
    if (g->saw && *g->saw && !g->only_nodes)
      g_string_append_printf (text, " (%s)", g->saw);
    if (g->question && asks && *mark != '?')
      g_string_append_printf (text, g->yes ? _(": %s Yes") : _(": %s No"), ls_shown (g->question));
  }
  for (guint i = pass->index + 1; i < trace->passes->len; i++) {      /* nested passes follow the one that they are in */
    const LsPass *nested = trace->passes->pdata[i];
    if (nested->parent < 0)
      break;
    if (nested->parent == (gint) pass->index && nested->step == step)
      g_string_append_printf (text, _("%sPart of it was computed in the pass %s."), text->len ? "   " : "", nested->name);
  }
  const char *differs = rule ? ls_rule_class_sentence (rule->rule_class) : NULL;
  if (differs)
    g_string_append_printf (text, "%s%s: %s", text->len ? "   " : "", rule->rule_class, ls_shown (differs));
  set_text (self->guards, text->str);
}

/* "Nested step 2 of 3: MAX …, each iteration combines the register and the value": of the step that an algorithm made, the nested one
 * whose node is chosen; NULL: none. */
static char *
describe_part (LsRuleCard *self, LsTrace *trace, const LsPass *pass, guint step)
{
  guint32 chosen = ls_view_session_get_selection (self->session);
  g_autoptr (GArray) parts = chosen != LS_NO_NODE && ls_step_is_built (trace, pass, step) ? ls_step_parts (trace, pass, step, TRUE) : NULL;
  for (guint i = 0; parts && i < parts->len; i++) {
    const LsStepPart *part = &g_array_index (parts, LsStepPart, i);
    if (part->node == chosen)
      return g_strdup_printf (_("Nested step %u of %u: %s: %s"), i + 1, parts->len, part->text, ls_shown (part->why));
  }
  return NULL;
}

/* The step's sentence; its counts stand in the legend above. Compared with a base, the sentence has the counts of that comparison. */
static void
show_change (LsRuleCard *self, LsTrace *trace, const LsPass *pass, guint step)
{
  const LsGraphDiff *diff = ls_view_session_diff (self->session);
  gboolean compared = ls_view_session_get_base (self->session, NULL) >= 0;
  g_autofree char *sentence = ls_step_sentence_shown (trace, pass, step, NULL),
                  *counts = compared && diff ? ls_diff_counts_shown (diff) : NULL,
                  *text = counts ? g_strdup_printf (_("%s Against the base: %s."), sentence, counts) : g_strdup (sentence),
                  *nested = describe_part (self, trace, pass, step);
  set_text (self->change, nested ? nested : text);
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
      g_string_append_printf (place, _(" · tries: %s, fired: %s"), tries, hits);
    }
  }
  g_string_append_printf (place, " · %s", time);
  if (rule && !g_str_equal (rule->rule_class, "exact") && *rule->rule_class)
    g_string_append_printf (place, " · %s", rule->rule_class);
  set_text (self->name, rule ? rule->name : _("unknown rule"));
  set_text (self->text, rule ? rule->text : "");
  guint index;
  LsRuleLibrary *asked = rule ? ls_asked_library (trace, (guint) link->rule, &index) : NULL;
  g_autofree char *terms = asked ? ls_rule_terms (asked, index) : NULL,
                  *tip = terms && *terms ? g_strdup_printf ("%s\n\n%s", rule->text, terms) : NULL;
  if (tip)
    ls_tip_set (GTK_WIDGET (self->text), tip);
  set_text (self->place, place->str);
  set_text (self->sentence, rule ? ls_shown (rule->sentence) : "");

  guint n;
  const LsBinding *bindings = ls_view_session_bindings (self->session, &n);
  LsUOp *made[8];
  guint n_made = rule && rule->builder ? ls_step_made (trace, pass, step, made, G_N_ELEMENTS (made)) : 0;
  const LsNames *names = ls_trace_names (trace, pass->kernel);
  g_autofree char *markup = ls_text_bindings (names, bindings, n), *result = ls_text_nodes (names, _("made"), made, n_made);
  g_autofree char *whole = g_strdup_printf ("%s%s%s", markup, *markup && n_made ? "   " : "", result);
  gtk_label_set_markup (self->bindings, whole);
  ls_tip_set (GTK_WIDGET (self->bindings), gtk_label_get_text (self->bindings));
  show_change (self, trace, pass, step);
  const LsKernelOption *choice = ls_pass_choice (trace, pass);
  if (rule && *rule->sentence && !(choice && *choice->why))
    set_text (self->sentence, "");      /* the sentence about the step has it */
  show_guards (self, trace, pass, step, rule);
  draw_rule (self, trace, link, bindings, n);
}

/* "y is ADD float (4,)": the tensors of the names that the statement bound, and the changes. */
static char *
describe_bound (LsRuleCard *self, LsTrace *trace, const LsPass *pass, const LsStatement *statement)
{
  const LsGraphDiff *d = ls_view_session_diff (self->session);
  guint index = (guint) (statement - (LsStatement *) (gpointer) trace->statements->data), n = 0;
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < trace->bindings->len && n < 8; i++) {
    const LsNameBinding *b = &g_array_index (trace->bindings, LsNameBinding, i);
    LsUOp *u = b->statement == index ? ls_context_node (trace->ctx, b->node) : NULL;
    g_autofree char *what = u ? ls_uop_summary (u) : NULL;
    if (u)
      g_string_append_printf (text, n++ ? _(", %s is %s") : _("%s is %s"), b->name, what);
  }
  if (d)
    g_string_append_printf (text, _("%s%u added, %u removed, %u changed, %u unchanged."), n ? "; " : "", d->n_added, d->n_removed,
                            d->n_changed - d->n_rebuilt, d->n_same + d->n_rebuilt);
  return g_string_free (text, FALSE);
}

/* A pass that shows a statement's effect on the graph. */
static gboolean
show_statement (LsRuleCard *self, LsTrace *trace, const LsPass *pass)
{
  const LsStatement *s = ls_trace_pass_statement (trace, pass);
  if (!s)
    return FALSE;
  const LsProgramFile *file = s->file < trace->files->len ? &g_array_index (trace->files, LsProgramFile, s->file) : NULL;
  g_autofree char *base = g_path_get_basename (file ? file->name : trace->program_name ? trace->program_name : "?"),
                  *time = ls_text_ns ((double) pass->ns);
  g_autofree char *place = g_strdup_printf ("%s:%u%s%s", base, s->line, pass->ns ? " · " : "", pass->ns ? time : ""),
                  *change = describe_bound (self, trace, pass, s);
  set_text (self->name, s->text);
  set_text (self->place, place);
  set_text (self->change, change);
  const LsStageInfo *stage = ls_pass_stage (pass);
  set_text (self->sentence, ls_shown (pass->step ? ls_pass_sentence (pass) : stage ? stage->sentence : ""));
  return TRUE;
}

/* A step of a pass of rows: what it did, its reason, and what else is known of it. */
static gboolean
show_row (LsRuleCard *self, const LsPass *pass, guint step)
{
  g_auto (LsRowWords) words = { NULL };
  if (pass->kind == LS_PASS_REWRITE || !ls_row_step_words (pass, step, TRUE, &words))
    return FALSE;
  const LsStageInfo *stage = ls_pass_stage (pass);
  g_autofree char *why = words.why ? g_strdup_printf (_("Why: %s."), words.why) : NULL,
                  *template = ls_render_step_template (pass->trace, pass, step, TRUE),
                  *rest = g_strconcat (why ? why : "", why && words.more ? "\n" : "", words.more ? words.more : "",
                                       template && (why || words.more) ? "\n" : "", template, NULL);
  set_text (self->name, pass->name);
  set_text (self->place, stage ? ls_shown (stage->sentence) : "");
  set_text (self->change, words.change ? words.change : words.name);
  set_text (self->sentence, rest);
  return TRUE;
}

static void
show_pass (LsRuleCard *self, LsTrace *trace, const LsPass *pass, guint step)
{
  guint n = ls_pass_n_steps (pass);
  g_autofree char *time = ls_text_ns ((double) pass->ns);
  g_autofree char *text = NULL;
  if (pass->kind == LS_PASS_MAP && n == 0)
    text = g_strdup_printf (_("This stage is not a rewrite. %s."), time);
  else if (n == 0)
    text = g_strdup_printf (_("This pass changed nothing. %s."), time);
  else
    text = g_strdup_printf (ngettext ("The input of the pass, before its %u step. %s.",
                                      "The input of the pass, before the first of its %u steps. %s.", n), n, time);
  set_text (self->text, "");
  const LsStageInfo *stage = ls_pass_stage (pass);
  if (!show_row (self, pass, step) && !show_statement (self, trace, pass)) {
    set_text (self->name, pass->name);
    set_text (self->place, pass->kind == LS_PASS_REWRITE ? pass->set : "");
    set_text (self->change, stage ? ls_shown (stage->sentence) : text);
    set_text (self->sentence, stage ? text : "");
  }
  gtk_label_set_text (self->bindings, "");
  set_text (self->guards, "");
  ls_pattern_view_set (self->pattern, NULL, NULL, NULL, 0);
}

/* --- room: the card has one height, and all of it is read --- */

/* How tall the label's text is in lines of that width, and how many lines those are. */
static int
tall_of (GtkLabel *label, int width, int *lines)
{
  int tall = 0;
  *lines = 0;
  if (!*gtk_label_get_text (label))
    return 0;
  g_autoptr (PangoLayout) layout = pango_layout_copy (gtk_label_get_layout (label));      /* with its bold letters, which are wider */
  pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_NONE);
  pango_layout_set_height (layout, -1);
  pango_layout_set_width (layout, MAX (width, 1) * PANGO_SCALE);
  pango_layout_get_pixel_size (layout, NULL, &tall);
  *lines = pango_layout_get_line_count (layout);
  return tall + SPACING;
}

/* Gives the label the lines that it needs, as far as there is room for them. Returns the room that is left. */
static int
give_lines (GtkLabel *label, int width, int room)
{
  int lines, tall = tall_of (label, width, &lines);
  if (tall > room && strchr (gtk_label_get_text (label), '\n')) {      /* lines are given to each paragraph: this has to be one */
    g_autofree char *joined = g_strdelimit (g_strdup (gtk_label_get_text (label)), "\n", ' ');
    gtk_label_set_text (label, joined);
    tall = tall_of (label, width, &lines);
  }
  gboolean shown = lines > 0 && room > 0;
  gtk_widget_set_visible (GTK_WIDGET (label), shown);
  if (!shown)
    return room;
  int given = tall > room ? MAX (lines * room / tall, 1) : lines;
  gtk_label_set_lines (label, given);
  return room - tall * given / lines;
}

/* The picture is drawn as large as the texts beside it leave room, and not at all where they need the whole width. Returns the width
 * of the texts. */
static int
fit_picture (LsRuleCard *self, GtkLabel *const *beside, guint n, int width, int room)
{
  GtkWidget *pattern = GTK_WIDGET (self->pattern);
  gboolean any = ls_pattern_view_n_boxes (self->pattern) > 0;
  gtk_widget_set_visible (pattern, any);
  for (int tall = MIN (PICTURE_TALL, room); any && tall >= LEAST_TALL; tall -= SHRINK) {
    int picture = 0, needed = 0, lines;
    ls_pattern_view_set_less (self->pattern, PICTURE_TALL - tall);
    gtk_widget_measure (pattern, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &picture, NULL, NULL);
    int rest = width - picture - gtk_box_get_spacing (GTK_BOX (self->body));
    for (guint i = 0; i < n; i++)
      needed += tall_of (beside[i], rest, &lines);
    if (rest > width / 3 && needed <= room)
      return rest;
  }
  gtk_widget_set_visible (pattern, FALSE);
  return width;
}

static void
spread_lines (LsRuleCard *self)
{
  GtkLabel *beside[] = { self->sentence, self->guards, self->bindings };
  int width = gtk_widget_get_width (self->content), room = CONTENT_TALL - 2 * SPACING;      /* between its parts */
  self->spread_width = width;
  gtk_widget_set_size_request (self->content, -1, CONTENT_TALL);
  if (width <= 0)      /* not handed out yet */
    return;
  room = give_lines (self->change, width, room);
  room = give_lines (self->text, width, room);
  width = fit_picture (self, beside, G_N_ELEMENTS (beside), width, room);
  for (gsize i = 0; i < G_N_ELEMENTS (beside); i++)
    room = give_lines (beside[i], width, room);
}

static gboolean
on_spread_again (gpointer data)
{
  LsRuleCard *self = data;
  self->spread_again = 0;
  spread_lines (self);
  return G_SOURCE_REMOVE;
}

/* Lines go by the width, which is known once it has been handed out, and changes with the window. */
static void
ls_rule_card_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  LsRuleCard *self = LS_RULE_CARD (widget);
  if (gtk_widget_get_width (self->content) != self->spread_width && !self->spread_again)
    self->spread_again = g_idle_add (on_spread_again, self);
  GTK_WIDGET_CLASS (ls_rule_card_parent_class)->snapshot (widget, snapshot);
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
  g_autofree char *what_if = ls_what_if_text (pass, step);
  gboolean of_rule = pass->kind == LS_PASS_REWRITE && step > 0;
  gtk_widget_set_visible (self->more, of_rule || what_if);
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (self->more), of_rule ? self->rule_menu : self->decision_menu);
  if (pass->kind == LS_PASS_REWRITE && step > 0)
    show_rule (self, trace, pass, step);
  else
    show_pass (self, trace, pass, step);
  spread_lines (self);
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

static void
on_capture (LsRuleCard *self, guint node)
{
  guint32 id = node;
  ls_view_session_select (self->session, LS_CHOSEN_IN_GRAPH, &id, 1);
}

static void
on_hover (LsRuleCard *self, guint node)
{
  g_signal_emit_by_name (self, "node-hovered", node);
}

/* Of a step that an algorithm made, the sentence of the nested step whose node is chosen. */
static void
on_selection_changed (LsRuleCard *self)
{
  LsTrace *trace = ls_view_session_get_trace (self->session);
  const LsPass *pass = ls_view_session_pass (self->session);
  guint step = ls_view_session_get_step (self->session);
  if (trace && pass && ls_step_is_built (trace, pass, step))
    show_change (self, trace, pass, step);
}

void
ls_rule_card_set_session (LsRuleCard *self, LsViewSession *session)
{
  g_set_object (&self->session, session);
  g_signal_connect_object (session, "position-changed", G_CALLBACK (on_position_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "selection-changed", G_CALLBACK (on_selection_changed), self, G_CONNECT_SWAPPED);
}

static void
ls_rule_card_class_init (LsRuleCardClass *class)
{
  GTK_WIDGET_CLASS (class)->snapshot = ls_rule_card_snapshot;
  LS_USES (LS_TYPE_PATTERN_VIEW, LS_TYPE_PARAGRAPH);
  LS_UI_BINDS (class, LsRuleCard, "rule-card", box, content, body, more, rule_menu, decision_menu, pattern, guards,
               name, text, place, sentence, bindings, change);
  LS_CALLBACKS (class, on_link, on_capture, on_hover);
  ls_class_signal (class, "node-hovered", 1, G_TYPE_UINT);
  LS_SOURCES (class, LsRuleCard, spread_again);
  LS_OWNS (class, LsRuleCard, gtk_widget_unparent, box);
  LS_OWNS (class, LsRuleCard, g_object_unref, session);
  LS_OWNS (class, LsRuleCard, g_hash_table_unref, pictures);
}

static void
ls_rule_card_init (LsRuleCard *self)
{
  self->pictures = g_hash_table_new_full (NULL, NULL, NULL, picture_free);
  gtk_widget_init_template (GTK_WIDGET (self));
}
