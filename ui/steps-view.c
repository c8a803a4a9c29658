/* The Steps workspace.
 *
 * This file ties the panes to the session: the position goes to slider, entry, step list and graph, what the user does in them goes back.
 * Panes know only the session and not each other. Splits are kept in the state file; a window narrower than 1,500 starts with the
 * narrow set and without the buttons to the ends, one lower than 900 shows the rule card in short.
 */
#include "steps-view.h"
#include "changes-pane.h"
#include "compare-bar.h"
#include "detail-panes.h"
#include "disassembly-pane.h"
#include "execution-pane.h"
#include "index-model.h"
#include "list-scroll.h"
#include "listing-pane.h"
#include "pane-bar.h"
#include "pipeline-pane.h"
#include "program-pane.h"
#include "question-menu.h"
#include "render-pane.h"
#include "rule-card.h"
#include "schedule-view.h"
#include "selection-text.h"
#include "shapes-pane.h"
#include "source-pane.h"
#include "state.h"
#include "step-rows.h"
#include "step-slider.h"
#include "text.h"
#include "tip.h"
#include "values-pane.h"

#include <glib/gi18n.h>
#include <stdlib.h>

struct _LsStepsView {
  GtkWidget       parent_instance;
  LsViewSession  *session;
  LsSteps         steps;
  LsIndexModel   *rows;
  GtkPaned       *outer, *side, *middle, *right, *texts;
  LsPipelinePane *pipeline;
  GtkLabel       *steps_header, *total, *note;
  GtkWidget      *unit, *modes;
  GtkStack       *steps_stack;
  GtkListView    *step_list;
  GtkSingleSelection *selection;
  GtkWidget      *first, *prev, *next, *last;
  GtkEntry       *number;
  LsStepSlider   *slider;
  GtkToggleButton *before, *both, *after;
  LsSearchBar    *search;
  LsCompareBar   *compare_bar;
  LsBreakpoints  *breakpoints;
  GtkWidget      *play, *breakpoints_button;
  LsGraphView    *graph;
  GtkStack       *centre;
  LsScheduleView *schedule;
  LsRuleCard     *card;
  LsListingPane  *listing;
  LsSourcePane   *source;
  GtkStack       *tables;
  LsAnswerPane   *answer;
  LsRulesPane    *rules;
  GPtrArray      *computing;      /* children with a property "busy"; not references */
  gboolean        following, laid_out;
  gboolean        showing;        /* the schedule or the graph, not by the user */
  gboolean        pinned, dismissed;      /* by the user: the schedule, at any position; the schedule that came by itself */
  LsChosenIn      chosen_in;      /* what the user last chose, and where */
  guint32         chosen;
};

G_DEFINE_FINAL_TYPE (LsStepsView, ls_steps_view, GTK_TYPE_WIDGET)

enum { PROP_BUSY = 1 };

LsGraphView *
ls_steps_view_get_graph (LsStepsView *self)
{
  return self->graph;
}

LsSearchBar *
ls_steps_view_get_search (LsStepsView *self)
{
  return self->search;
}

LsStepSlider *
ls_steps_view_get_slider (LsStepsView *self)
{
  return self->slider;
}

LsBreakpoints *
ls_steps_view_get_breakpoints (LsStepsView *self)
{
  return self->breakpoints;
}

static gboolean
is_at_schedule (LsStepsView *self)
{
  const LsPass *pass = self->session ? ls_view_session_pass (self->session) : NULL;
  return pass && g_str_has_prefix (pass->name, "schedule") && ls_view_session_get_base (self->session, NULL) < 0;
}

/* What the user chose: the schedule for any position, the graph for this one. */
static void
note_choice (LsStepsView *self, gboolean schedule)
{
  self->pinned = schedule;
  self->dismissed = !schedule && is_at_schedule (self);
}

static void
on_centre (LsStepsView *self)
{
  if (!self->showing)
    note_choice (self, ls_steps_view_shows_schedule (self));
  gtk_widget_set_sensitive (self->modes, !ls_steps_view_shows_schedule (self));
  gtk_widget_set_visible (GTK_WIDGET (self->card), !ls_steps_view_shows_schedule (self));      /* the schedule says what it is about itself */
}

void
ls_steps_view_set_schedule (LsStepsView *self, gboolean shown)
{
  gtk_stack_set_visible_child_name (self->centre, shown ? "schedule" : "graph");
  note_choice (self, shown);
  gtk_widget_grab_focus (gtk_stack_get_visible_child (self->centre));
}

/* A kernel chosen in the schedule becomes the position: the schedule stays, whatever position that is. */
static void
on_kernel_chosen (LsStepsView *self)
{
  self->pinned = TRUE;
}

/* At a schedule's position the schedule is what there is to see; elsewhere it goes again, unless the user asked for it. */
static void
show_centre (LsStepsView *self)
{
  gboolean here = is_at_schedule (self);
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root ? gtk_root_get_focus (root) : NULL;
  self->dismissed &= here;
  gboolean shown = self->pinned || (here && !self->dismissed), focused = focus && gtk_widget_is_ancestor (focus, GTK_WIDGET (self->centre));
  if (shown == ls_steps_view_shows_schedule (self))
    return;
  self->showing = TRUE;
  gtk_stack_set_visible_child_name (self->centre, shown ? "schedule" : "graph");
  if (focused)
    gtk_widget_grab_focus (gtk_stack_get_visible_child (self->centre));
  self->showing = FALSE;
}

gboolean
ls_steps_view_shows_schedule (LsStepsView *self)
{
  return g_strcmp0 (gtk_stack_get_visible_child_name (self->centre), "schedule") == 0;
}

LsScheduleView *
ls_steps_view_get_schedule (LsStepsView *self)
{
  return self->schedule;
}

void
ls_steps_view_expand_card (LsStepsView *self)
{
  ls_rule_card_expand (self->card);
}

void
ls_steps_view_show_table (LsStepsView *self, const char *name)
{
  if (gtk_stack_get_child_by_name (self->tables, name))
    gtk_stack_set_visible_child_name (self->tables, name);
}

const char *
ls_steps_view_get_table (LsStepsView *self)
{
  return gtk_stack_get_visible_child_name (self->tables);
}

void
ls_steps_view_next_table (LsStepsView *self, int direction)
{
  g_autoptr (GtkSelectionModel) pages = gtk_stack_get_pages (self->tables);
  guint n = g_list_model_get_n_items (G_LIST_MODEL (pages)), at = 0;
  while (at + 1 < n && !gtk_selection_model_is_selected (pages, at))
    at++;
  gtk_selection_model_select_item (pages, (at + n + (guint) direction) % n, TRUE);
}

LsRulesPane *
ls_steps_view_get_rules (LsStepsView *self)
{
  return self->rules;
}

LsAnswerPane *
ls_steps_view_get_answer (LsStepsView *self)
{
  return self->answer;
}

void
ls_steps_view_show_breakpoints (LsStepsView *self)
{
  gtk_menu_button_popup (GTK_MENU_BUTTON (self->breakpoints_button));
}

void
ls_steps_view_set_playing (LsStepsView *self, gboolean playing)
{
  gtk_button_set_icon_name (GTK_BUTTON (self->play), playing ? "media-playback-stop-symbolic" : "media-playback-start-symbolic");
  gtk_widget_set_tooltip_text (self->play, playing ? _("Stop (Space, Esc)") : _("Play the steps (Space)"));
}

static void
on_search_closed (LsStepsView *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self->graph));
}

/* --- position --- */

static void
show_step_number (LsStepsView *self)
{
  g_autofree char *text = g_strdup_printf ("%u", ls_view_session_get_step (self->session));
  gtk_editable_set_text (GTK_EDITABLE (self->number), text);
}

static void
show_graph (LsStepsView *self)
{
  LsTrace *trace = ls_view_session_get_trace (self->session);
  const LsGraphDiff *diff = ls_view_session_diff (self->session);
  LsPosition before, after;
  if (diff && ls_view_session_get_base (self->session, NULL) >= 0 && ls_view_session_sides (self->session, &before, &after))
    ls_graph_view_set_between (self->graph, trace, before.pass, before.step, after.pass, after.step, diff);
  else
    ls_graph_view_set_step (self->graph, trace, ls_view_session_pass (self->session), ls_view_session_get_step (self->session), diff);
  guint n;
  const LsBinding *bindings = ls_view_session_bindings (self->session, &n);
  ls_graph_view_set_bindings (self->graph, bindings, n);
  gtk_widget_set_sensitive (GTK_WIDGET (self->before), diff != NULL);
  gtk_widget_set_sensitive (GTK_WIDGET (self->both), diff != NULL);
  gtk_widget_set_sensitive (GTK_WIDGET (self->after), diff != NULL);
}

/* Over listing and source: what they are, and the selection in words, else what the step led to. The line stays, so that nothing jumps when one chooses. */
static void
show_note (LsStepsView *self)
{
  LsKernel *kernel = ls_view_session_kernel (self->session);
  const LsPass *pass = ls_view_session_pass (self->session);
  gboolean early = kernel && pass && !ls_view_session_is_final (self->session);
  gtk_widget_set_visible (GTK_WIDGET (self->note), kernel && pass);
  if (!kernel || !pass) {
    gtk_label_set_text (self->note, "");
    return;
  }
  g_autoptr (GString) text = g_string_new (NULL);
  if (early && pass->kernel == 0)
    g_string_append_printf (text, _("Final text of kernel %u"), kernel->number);
  else if (early)
    g_string_append (text, _("Final text"));
  g_autofree char *selection = ls_selection_text (self->session);
  guint from_step = ls_view_session_step_finals (self->session)->len;
  if (*selection)
    g_string_append_printf (text, "%s%s", text->len ? " · " : "", selection);
  else if (early && ls_view_session_get_base (self->session, NULL) >= 0)
    g_string_append_printf (text, ngettext (" · %u row comes from what is new here", " · %u rows come from what is new here", from_step), from_step);
  else if (early && ls_view_session_diff (self->session))
    g_string_append_printf (text, from_step ? ngettext (" · %u row comes from this step", " · %u rows come from this step", from_step)
                                            : _(" · what this step made was removed later"), from_step);
  else if (!early)
    g_string_append (text, _("Choose a node, a row, a line or an instruction, and the others are marked"));
  if (*selection)
    gtk_widget_add_css_class (GTK_WIDGET (self->note), "chosen");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self->note), "chosen");
  gtk_label_set_text (self->note, text->str);
  g_autofree char *tip = early ? g_strdup_printf ("%s\n%s", text->str, _("Listing and source show what the kernel became in the end; this pass comes before that.")) : g_strdup (text->str);
  ls_tip_set (GTK_WIDGET (self->note), tip);
}

const char *
ls_steps_view_get_note (LsStepsView *self)
{
  return gtk_label_get_text (self->note);
}

static void
on_position_changed (LsStepsView *self)
{
  LsTrace *trace = ls_view_session_get_trace (self->session);
  LsPass *pass = ls_view_session_pass (self->session);
  guint step = ls_view_session_get_step (self->session), n = ls_view_session_n_steps (self->session);
  self->following = TRUE;
  if (self->steps.trace != trace || self->steps.pass != pass) {
    self->steps = (LsSteps) { trace, pass };
    ls_index_model_set (self->rows, n);
    ls_step_slider_set_steps (self->slider, self->steps);
  }
  gtk_single_selection_set_selected (self->selection, step ? step - 1 : GTK_INVALID_LIST_POSITION);
  if (step)
    ls_list_scroll_to (self->step_list, step - 1);
  ls_step_slider_set_value (self->slider, step);
  show_step_number (self);
  self->following = FALSE;

  g_autofree char *count = ls_text_count (n);
  g_autofree char *total = g_strdup_printf (_("of %s"), count);
  g_autofree char *name = pass ? ls_text_valid (pass->name) : NULL;
  g_autofree char *header = !pass ? g_strdup (_("Steps")) : n ? g_strdup_printf (ngettext ("%s · %s step", "%s · %s steps", n), name, count) : g_strdup (name);
  gtk_label_set_text (self->total, total);
  gtk_label_set_text (self->steps_header, header);
  gtk_widget_set_visible (self->unit, n > 0);
  gtk_stack_set_visible_child_name (self->steps_stack, n ? "steps" : "empty");
  gtk_widget_set_sensitive (self->first, step > 0);
  gtk_widget_set_sensitive (self->last, step < n);
  gtk_widget_set_sensitive (GTK_WIDGET (self->number), n > 0);
  gtk_widget_set_sensitive (GTK_WIDGET (self->slider), n > 0);
  show_centre (self);
  show_graph (self);
  show_note (self);
}

static void
on_keep_nodes (LsStepsView *self, GArray *ids)
{
  ls_graph_view_keep_nodes (self->graph, ids);
}

static void
on_renumbered (LsStepsView *self, const LsRenumbering *now)
{
  ls_graph_view_renumber (self->graph, now);
  self->chosen = ls_renumbering_get (now, self->chosen);
}

static void
on_selection_changed (LsStepsView *self)
{
  GArray *nodes = ls_view_session_graph_nodes (self->session);
  ls_graph_view_set_selection (self->graph, (const guint32 *) nodes->data, nodes->len);
  /* a choice that only came along to another step does not pull the picture away from the change */
  if (ls_view_session_chosen_in (self->session) != self->chosen_in || ls_view_session_get_selection (self->session) != self->chosen) {
    self->chosen_in = ls_view_session_chosen_in (self->session);
    self->chosen = ls_view_session_get_selection (self->session);
    ls_graph_view_reveal_selection (self->graph);
  }
  show_note (self);
}

static void
on_number (LsStepsView *self)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->number));
  guint64 step;
  if (g_ascii_string_to_unsigned (text, 10, 0, ls_view_session_n_steps (self->session), &step, NULL))
    ls_view_session_go (self->session, ls_view_session_get_pass (self->session), (guint) step);
  else
    gtk_widget_error_bell (GTK_WIDGET (self->number));
  show_step_number (self);
  gtk_widget_grab_focus (GTK_WIDGET (self->graph));
}

static void
on_number_left (LsStepsView *self)
{
  if (self->session)
    show_step_number (self);
}

static void
on_slider_moved (LsStepsView *self, guint step)
{
  ls_view_session_go (self->session, ls_view_session_get_pass (self->session), step);
}

static void
on_step_selected (LsStepsView *self)
{
  guint row = gtk_single_selection_get_selected (self->selection);
  if (!self->following && row != GTK_INVALID_LIST_POSITION)
    ls_view_session_go (self->session, ls_view_session_get_pass (self->session), row + 1);
}

void
ls_steps_view_first (LsStepsView *self)
{
  ls_view_session_go (self->session, ls_view_session_get_pass (self->session), MIN (ls_view_session_n_steps (self->session), 1));
}

void
ls_steps_view_last (LsStepsView *self)
{
  ls_view_session_go (self->session, ls_view_session_get_pass (self->session), ls_view_session_n_steps (self->session));
}

void
ls_steps_view_jump (LsStepsView *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self->number));
  gtk_editable_select_region (GTK_EDITABLE (self->number), 0, -1);
}

static void
on_mode (LsStepsView *self, GtkToggleButton *button)
{
  if (gtk_toggle_button_get_active (button))
    ls_graph_view_set_mode (self->graph, button == self->before ? LS_GRAPH_BEFORE : button == self->after ? LS_GRAPH_AFTER : LS_GRAPH_BOTH);
}

static void
on_node_selected (LsStepsView *self, guint node)
{
  guint32 id = node;
  ls_view_session_select (self->session, LS_CHOSEN_IN_GRAPH, &id, id == LS_NO_NODE ? 0 : 1);
}

/* --- step list --- */

/* The questions are about what the step under the pointer made. */
static gboolean
pick_step (GtkWidget *list, double x, double y, gpointer data)
{
  LsStepsView *self = data;
  GtkWidget *row = x >= 0 ? ls_question_menu_row (list, x, y, "step") : NULL;
  if (x >= 0 && !row)
    return FALSE;
  ls_view_session_select (self->session, LS_CHOSEN_NOWHERE, NULL, 0);
  if (row)
    ls_view_session_go (self->session, ls_view_session_get_pass (self->session), GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (row), "step")));
  return TRUE;
}

/* --- splits --- */

void
ls_steps_view_set_sidebar (LsStepsView *self, gboolean shown)
{
  gtk_widget_set_visible (GTK_WIDGET (self->side), shown);
}

gboolean
ls_steps_view_get_sidebar (LsStepsView *self)
{
  return gtk_widget_get_visible (GTK_WIDGET (self->side));
}

static void
restore_split (GtkPaned *paned, const char *key, int usual)
{
  int position = ls_state_get_int ("splits", key, usual);
  gtk_paned_set_position (paned, position > 0 ? position : usual);
}

void
ls_steps_view_layout (LsStepsView *self, int width, int height, gboolean reset)
{
  gboolean wide = width >= 1500;
  ls_rule_card_set_compact (self->card, height < 900);
  gtk_widget_set_visible (self->first, wide);      /* the slider has Home and End, and needs the room */
  gtk_widget_set_visible (self->last, wide);
  if (self->laid_out && !reset)
    return;
  self->laid_out = TRUE;
  if (reset)
    ls_state_forget ("splits");
  int side = wide ? 248 : 204, listing = wide ? 362 : 316, source = wide ? MAX (390, width - 248 - 600 - 362) : MAX (320, width - 204 - 440 - 316);
  int bottom = height >= 900 ? 170 : 130, body = height - 46;
  restore_split (self->outer, "side", side);
  restore_split (self->middle, "graph", width - side - listing - source);
  restore_split (self->texts, "listing", listing);
  restore_split (self->right, "texts", body - bottom);
  restore_split (self->side, "pipeline", body * 48 / 100);
}

void
ls_steps_view_save_layout (LsStepsView *self)
{
  if (!self->laid_out || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  ls_state_set_int ("splits", "side", gtk_paned_get_position (self->outer));
  ls_state_set_int ("splits", "graph", gtk_paned_get_position (self->middle));
  ls_state_set_int ("splits", "listing", gtk_paned_get_position (self->texts));
  ls_state_set_int ("splits", "texts", gtk_paned_get_position (self->right));
  ls_state_set_int ("splits", "pipeline", gtk_paned_get_position (self->side));
}

/* TRUE while some pane is not yet showing what it will show. */
gboolean
ls_steps_view_get_busy (LsStepsView *self)
{
  gboolean busy = FALSE;
  for (guint i = 0; i < self->computing->len && !busy; i++)
    g_object_get (self->computing->pdata[i], "busy", &busy, NULL);
  return busy;
}

static void
on_busy (LsStepsView *self)
{
  g_object_notify (G_OBJECT (self), "busy");
}

static void
watch (LsStepsView *self, gpointer pane)
{
  g_ptr_array_add (self->computing, pane);
  g_signal_connect_object (pane, "notify::busy", G_CALLBACK (on_busy), self, G_CONNECT_SWAPPED);
}

void
ls_steps_view_set_session (LsStepsView *self, LsViewSession *session)
{
  g_set_object (&self->session, session);
  ls_pipeline_pane_set_session (self->pipeline, session);
  ls_rule_card_set_session (self->card, session);
  ls_schedule_view_set_session (self->schedule, session);
  g_signal_connect_object (self->schedule, "kernel-chosen", G_CALLBACK (on_kernel_chosen), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->card, "node-hovered", G_CALLBACK (ls_graph_view_set_hover), self->graph, G_CONNECT_SWAPPED);
  ls_search_bar_set_session (self->search, session);
  ls_compare_bar_set_session (self->compare_bar, session);
  ls_listing_pane_set_session (self->listing, session);
  ls_source_pane_set_session (self->source, session);
  GtkWidget *values = ls_values_pane_new (session);
  struct { gpointer table; const char *name, *title; } tables[] = {
    { ls_timing_table_new (session), "timing", _("Timing") }, { ls_changes_pane_new (session), "changes", _("Changes") }, { ls_stages_table_new (session), "stages", _("Stages") },
    { ls_values_table_new (session), "buffers", _("Buffers") }, { ls_schedule_table_new (session), "schedule", _("Schedule") },
    { ls_render_table_new (session), "render", _("Render") }, { ls_procedure_table_new (session), "procedure", _("Procedure") },
    { values, "values", _("Values") }, { ls_shapes_pane_new (session), "shapes", _("Shapes") }, { ls_disassembly_pane_new (session), "disassembly", _("Disassembly") }, { ls_program_table_new (session), "program", _("Program") },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (tables); i++)
    gtk_stack_add_titled (self->tables, GTK_WIDGET (tables[i].table), tables[i].name, tables[i].title);
  self->rules = ls_rules_pane_new (session);
  gtk_stack_add_titled (self->tables, GTK_WIDGET (self->rules), "rules", _("Rules"));
  self->answer = ls_answer_pane_new (session);
  gtk_stack_add_titled (self->tables, GTK_WIDGET (self->answer), "answer", _("Answer"));
  LsExecutionPane *execution = ls_execution_pane_new (session);
  gtk_stack_add_titled (self->tables, GTK_WIDGET (execution), "execution", _("Execution"));
  watch (self, execution);
  watch (self, values);
  watch (self, self->graph);
  watch (self, self->schedule);
  g_signal_connect_object (session, "position-changed", G_CALLBACK (on_position_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "selection-changed", G_CALLBACK (on_selection_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "keep-nodes", G_CALLBACK (on_keep_nodes), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "renumbered", G_CALLBACK (on_renumbered), self, G_CONNECT_SWAPPED);
}

static void
ls_steps_view_dispose (GObject *object)
{
  LsStepsView *self = LS_STEPS_VIEW (object);
  g_ptr_array_set_size (self->computing, 0);
  g_clear_pointer ((GtkWidget **) &self->outer, gtk_widget_unparent);
  g_clear_object (&self->selection);
  g_clear_object (&self->rows);
  g_clear_object (&self->session);
  G_OBJECT_CLASS (ls_steps_view_parent_class)->dispose (object);
}

static void
ls_steps_view_finalize (GObject *object)
{
  g_ptr_array_unref (LS_STEPS_VIEW (object)->computing);
  G_OBJECT_CLASS (ls_steps_view_parent_class)->finalize (object);
}

static void
ls_steps_view_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_set_boolean (value, ls_steps_view_get_busy (LS_STEPS_VIEW (object)));
}

static void
ls_steps_view_class_init (LsStepsViewClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);
  g_type_ensure (LS_TYPE_PANE_BAR);
  g_type_ensure (LS_TYPE_PIPELINE_PANE);
  g_type_ensure (LS_TYPE_STEP_SLIDER);
  g_type_ensure (LS_TYPE_GRAPH_VIEW);
  g_type_ensure (LS_TYPE_RULE_CARD);
  g_type_ensure (LS_TYPE_SCHEDULE_VIEW);
  g_type_ensure (LS_TYPE_SEARCH_BAR);
  g_type_ensure (LS_TYPE_COMPARE_BAR);
  g_type_ensure (LS_TYPE_BREAKPOINTS);
  g_type_ensure (LS_TYPE_LISTING_PANE);
  g_type_ensure (LS_TYPE_SOURCE_PANE);
  G_OBJECT_CLASS (class)->dispose = ls_steps_view_dispose;
  G_OBJECT_CLASS (class)->finalize = ls_steps_view_finalize;
  G_OBJECT_CLASS (class)->get_property = ls_steps_view_get_property;
  g_object_class_install_property (G_OBJECT_CLASS (class), PROP_BUSY, g_param_spec_boolean ("busy", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/app/lazyscope/Lazyscope/steps-view.ui");
#define CHILD(name) gtk_widget_class_bind_template_child (widget_class, LsStepsView, name)
  CHILD (outer); CHILD (side); CHILD (middle); CHILD (right); CHILD (texts); CHILD (pipeline); CHILD (steps_header); CHILD (unit); CHILD (total); CHILD (note);
  CHILD (steps_stack); CHILD (step_list); CHILD (first); CHILD (prev); CHILD (next); CHILD (last); CHILD (number); CHILD (slider); CHILD (modes); CHILD (before); CHILD (both);
  CHILD (after); CHILD (graph); CHILD (centre); CHILD (schedule); CHILD (card); CHILD (listing); CHILD (source); CHILD (tables); CHILD (search); CHILD (compare_bar); CHILD (play); CHILD (breakpoints_button); CHILD (breakpoints);
#undef CHILD
  gtk_widget_class_bind_template_callback (widget_class, on_number);
  gtk_widget_class_bind_template_callback (widget_class, on_number_left);
  gtk_widget_class_bind_template_callback (widget_class, on_slider_moved);
  gtk_widget_class_bind_template_callback (widget_class, on_mode);
  gtk_widget_class_bind_template_callback (widget_class, on_node_selected);
  gtk_widget_class_bind_template_callback (widget_class, on_search_closed);
}

static void
ls_steps_view_init (LsStepsView *self)
{
  self->computing = g_ptr_array_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_object (self->centre, "notify::visible-child", G_CALLBACK (on_centre), self, G_CONNECT_SWAPPED);
  self->rows = ls_index_model_new ();
  g_autoptr (GtkListItemFactory) factory = ls_step_rows_new (&self->steps, G_OBJECT (self));
  gtk_list_view_set_factory (self->step_list, factory);
  self->selection = gtk_single_selection_new (NULL);
  gtk_single_selection_set_autoselect (self->selection, FALSE);
  gtk_single_selection_set_can_unselect (self->selection, TRUE);
  gtk_single_selection_set_model (self->selection, G_LIST_MODEL (self->rows));
  gtk_list_view_set_model (self->step_list, GTK_SELECTION_MODEL (self->selection));
  ls_question_menu_attach (GTK_WIDGET (self->step_list), GTK_WIDGET (self), pick_step, self);
  g_autoptr (GMenuModel) questions = ls_question_menu_model (0);
  ls_graph_view_set_questions (self->graph, questions);
  g_signal_connect_object (self->selection, "notify::selected", G_CALLBACK (on_step_selected), self, G_CONNECT_SWAPPED);
}
