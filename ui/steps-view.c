/* The Steps workspace.
 *
 * This file puts the panes together and gives them the session; steps-position.c ties the position to them, steps-centre.c says whether the graph is shown
 * or the schedule. Panes know only the session and not each other. Splits are kept in the state file; a window narrower than 1,500 starts with the
 * narrow set and without the buttons to the ends.
 */
#include "steps-view-private.h"
#include "accessible.h"
#include "detail-panes.h"
#include "disassembly-pane.h"
#include "execution-pane.h"
#include "focus.h"
#include "program-pane.h"
#include "question-menu.h"
#include "render-pane.h"
#include "shapes-pane.h"
#include "state.h"
#include "values-pane.h"

#include <glib/gi18n.h>

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

LsScheduleView *
ls_steps_view_get_schedule (LsStepsView *self)
{
  return self->schedule;
}

void
ls_steps_view_show_breakpoints (LsStepsView *self)
{
  gtk_menu_button_popup (GTK_MENU_BUTTON (self->breakpoints_button));
}

void
ls_steps_view_filter_steps (LsStepsView *self)
{
  ls_step_list_filter (self->step_list);
}

void
ls_steps_view_set_playing (LsStepsView *self, gboolean playing)
{
  gtk_button_set_icon_name (GTK_BUTTON (self->play), playing ? "media-playback-stop-symbolic" : "media-playback-start-symbolic");
  gtk_widget_set_tooltip_text (self->play, playing ? _("Stop (Space, Esc)") : _("Play the steps (Space)"));
}

static void
on_focus_back (LsStepsView *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self->graph));
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
  gtk_widget_set_visible (self->first, wide);      /* the slider has Home and End, and needs the room */
  gtk_widget_set_visible (self->last, wide);
  if (self->laid_out && !reset)
    return;
  self->laid_out = TRUE;
  if (reset)
    ls_state_forget ("splits");
  int side = wide ? 248 : 204, listing = wide ? 362 : 316, source = wide ? MAX (390, width - 248 - 600 - 362) : MAX (320, width - 204 - 440 - 316);
  int bottom = height >= 900 ? 220 : 180, body = height - 46;
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
  ls_steps_centre_set_session (self);
  g_signal_connect_object (self->card, "node-hovered", G_CALLBACK (ls_graph_view_set_hover), self->graph, G_CONNECT_SWAPPED);
  ls_search_bar_set_session (self->search, session);
  ls_compare_bar_set_session (self->compare_bar, session);
  ls_listing_pane_set_session (self->listing, session);
  ls_source_pane_set_session (self->source, session);
  watch (self, self->graph);
  watch (self, self->schedule);
  watch (self, ls_listing_pane_get_changes (self->listing));
  ls_steps_position_set_session (self);
}

/* --- the drawer below listing and source --- */

void
ls_steps_view_add_panes (LsStepsView *self)
{
  LsViewSession *session = self->session;
  if (self->answer || !session)
    return;
  LsExecutionPane *execution = ls_execution_pane_new (session);
  GtkWidget *values = ls_values_pane_new (session);
  self->answer = ls_answer_pane_new (session);
  self->rules = ls_rules_pane_new (session);
  const struct { const char *group; gpointer page; const char *name, *title; } pages[] = {
    { _("Timing"), ls_timing_table_new (session), "timing", _("Kernels") }, { _("Timing"), ls_stages_table_new (session), "stages", _("Stages") },
    { _("Inspect"), values, "values", _("Values") }, { _("Inspect"), ls_shapes_pane_new (session), "shapes", _("Shapes") }, { _("Inspect"), execution, "execution", _("Execution") },
    { _("Renderer"), ls_render_table_new (session), "render", _("Rendering") }, { _("Renderer"), ls_procedure_table_new (session), "procedure", _("Procedure") },
    { _("Renderer"), ls_disassembly_pane_new (session), "disassembly", _("Disassembly") }, { _("Renderer"), ls_program_table_new (session), "program", _("Program") },
    { _("Schedule"), ls_schedule_table_new (session), "schedule", _("Decisions") }, { _("Schedule"), ls_values_table_new (session), "buffers", _("Buffers") },
    { _("Ask"), self->answer, "answer", _("Answer") }, { _("Ask"), self->rules, "rules", _("Rules") },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (pages); i++) {
    ls_drawer_add (self->drawer, pages[i].group, GTK_WIDGET (pages[i].page), pages[i].name, pages[i].title);
    ls_focus_leave_hidden_pages (GTK_WIDGET (pages[i].page));      /* the drawer's stack is the window's, which heard of it already */
  }
  watch (self, execution);
  watch (self, values);
  ls_accessible_name_all (GTK_WIDGET (self->drawer));
  if (self->wanted_table)
    ls_steps_view_show_table (self, self->wanted_table);
}

void
ls_steps_view_show_table (LsStepsView *self, const char *name)
{
  if (g_str_equal (name, "changes"))      /* they stand in the listing */
    ls_steps_view_show_final (self, FALSE);
  else if (!self->answer)
    self->wanted_table = g_intern_string (name);
  else
    ls_drawer_show (self->drawer, name);
}

void
ls_steps_view_show_final (LsStepsView *self, gboolean final)
{
  ls_listing_pane_show_final (self->listing, final);
}

gboolean
ls_steps_view_shows_final (LsStepsView *self)
{
  return ls_listing_pane_shows_final (self->listing);
}

const char *
ls_steps_view_get_table (LsStepsView *self)
{
  return self->answer ? ls_drawer_get_shown (self->drawer) : self->wanted_table ? self->wanted_table : "timing";
}

void
ls_steps_view_next_table (LsStepsView *self, int direction)
{
  ls_steps_view_add_panes (self);
  ls_drawer_next (self->drawer, direction);
}

void
ls_steps_view_fill_with_table (LsStepsView *self)
{
  gboolean full = gtk_widget_get_visible (self->upper);
  ls_steps_view_add_panes (self);
  gtk_widget_set_visible (self->upper, !full);
  ls_drawer_set_full (self->drawer, full);
}

LsRulesPane *
ls_steps_view_get_rules (LsStepsView *self)
{
  ls_steps_view_add_panes (self);
  return self->rules;
}

LsAnswerPane *
ls_steps_view_get_answer (LsStepsView *self)
{
  ls_steps_view_add_panes (self);
  return self->answer;
}

static void
ls_steps_view_dispose (GObject *object)
{
  LsStepsView *self = LS_STEPS_VIEW (object);
  g_ptr_array_set_size (self->computing, 0);
  g_clear_pointer ((GtkWidget **) &self->outer, gtk_widget_unparent);
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
  g_type_ensure (LS_TYPE_DRAWER);
  g_type_ensure (LS_TYPE_PIPELINE_PANE);
  g_type_ensure (LS_TYPE_STEP_LIST);
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
  CHILD (after); CHILD (graph); CHILD (centre); CHILD (schedule); CHILD (card); CHILD (listing); CHILD (source); CHILD (upper); CHILD (drawer); CHILD (search); CHILD (compare_bar); CHILD (play); CHILD (breakpoints_button); CHILD (breakpoints);
#undef CHILD
  gtk_widget_class_bind_template_callback (widget_class, on_focus_back);
  gtk_widget_class_bind_template_callback (widget_class, ls_steps_view_fill_with_table);
  ls_steps_position_class_init (widget_class);
}

static void
ls_steps_view_init (LsStepsView *self)
{
  self->computing = g_ptr_array_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  ls_steps_centre_init (self);
  g_autoptr (GMenuModel) questions = ls_question_menu_model (0);
  ls_graph_view_set_questions (self->graph, questions);
  gtk_accessible_update_relation (GTK_ACCESSIBLE (ls_step_list_get_view (self->step_list)), GTK_ACCESSIBLE_RELATION_LABELLED_BY, self->steps_header, NULL, -1);
  ls_steps_position_init (self);
}
