/* The Steps workspace.
 *
 * This file puts the panes together and gives them the session; steps-position.c ties the position to them, steps-centre.c says whether
 * the graph is shown or the schedule. Panes know only the session and not each other. Splits follow the window's size until the user
 * drags one: its position is stored in the state file. A window narrower than LS_STEPS_WIDE starts with one text, and without the
 * buttons to the ends.
 */
#include "steps-view-private.h"
#include "kit/class.h"
#include "kit/busy.h"
#include "kit/accessible.h"
#include "panes/panes.h"
#include "panes/text/disassembly-pane.h"
#include "kit/focus.h"
#include "panes/text/program-pane.h"
#include "panes/ask/question-menu.h"
#include "kit/state.h"
#include "kit/tip.h"

#include <glib/gi18n.h>

G_DEFINE_FINAL_TYPE (LsStepsView, ls_steps_view, GTK_TYPE_WIDGET)

LsGraphView *
ls_steps_view_get_graph (LsStepsView *self)
{
  return self->graph;
}

GtkWidget *
ls_steps_view_get_texts (LsStepsView *self)
{
  return GTK_WIDGET (self->right);
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

/* The name under which a split is stored, and the stored value: the side that keeps its size when the window is resized. */
enum { SIDE, PIPELINE, TEXTS, DRAWER, LISTING, N_SPLITS };

static GtkPaned *
split (LsStepsView *self, guint i)
{
  GtkPaned *all[N_SPLITS] = { self->outer, self->side, self->middle, self->right, ls_texts_get_split (self->texts) };
  return all[i];
}

static const char *
split_key (LsStepsView *self, guint i)
{
  static const char *const keys[N_SPLITS] = { "side", "pipeline", "texts", "drawer", "listing" };
  return i == TEXTS && ls_texts_get_columns (self->texts) == 2 ? "texts-both" : keys[i];
}

static int
split_size (LsStepsView *self, guint i)
{
  GtkPaned *paned = split (self, i);
  GtkWidget *end = gtk_paned_get_end_child (paned);
  return i == TEXTS ? gtk_widget_get_width (end) : i == DRAWER ? gtk_widget_get_height (end) : gtk_paned_get_position (paned);
}

/* The size of each split for a window of this size: the user's, else one that leaves the graph at least two fifths. */
static void
place_splits (LsStepsView *self)
{
  gboolean wide = self->width >= LS_STEPS_WIDE, both = ls_texts_get_columns (self->texts) == 2;
  int width = self->width, body = self->height - 46,
      texts = both ? CLAMP (width * 455 / 1000, 600, 1200) : CLAMP (width * 33 / 100, 330, 560);
  const int usual[N_SPLITS] = { wide ? 236 : width < 1100 ? 180 : 204, body * 48 / 100, texts, self->height >= 900 ? 220 : 180, 0 };
  int size[N_SPLITS];
  for (guint i = 0; i < N_SPLITS; i++) {
    int wanted = ls_state_get_int ("splits", split_key (self, i), usual[i]);
    size[i] = wanted > 0 ? wanted : usual[i];
  }
  /* where the end keeps its size, a position is of the size that a split has now, and follows it */
  int across = gtk_widget_get_width (GTK_WIDGET (self->middle)), down = gtk_widget_get_height (GTK_WIDGET (self->right));
  gtk_paned_set_position (self->outer, size[SIDE]);
  gtk_paned_set_position (self->side, size[PIPELINE]);
  gtk_paned_set_position (self->middle, MAX ((across > 0 ? across : width - (ls_steps_view_get_sidebar (self) ? size[SIDE] + 4 : 0)) - 4
                                             - size[TEXTS], 0));
  gtk_paned_set_position (self->right, MAX ((down > 0 ? down : body) - 4 - size[DRAWER], 0));
  for (guint i = 0; i < ls_n_panes; i++) {
    GtkWidget *page = ls_drawer_get_page (self->drawer, ls_panes[i].name);
    if (page && GTK_IS_ORIENTABLE (page))
      gtk_orientable_set_orientation (GTK_ORIENTABLE (page), both ? GTK_ORIENTATION_HORIZONTAL : GTK_ORIENTATION_VERTICAL);
  }
  gtk_paned_set_position (ls_texts_get_split (self->texts), size[LISTING] > 0 ? size[LISTING] : size[TEXTS] / 2 - 2);
}

static void
set_columns (LsStepsView *self)
{
  int columns = ls_state_get_int ("splits", self->wide ? "columns-wide" : "columns", self->wide ? 2 : 1);
  ls_texts_set_columns (self->texts, self->presenting ? 1 : (guint) CLAMP (columns, 1, 2));
}

void
ls_steps_view_set_presenting (LsStepsView *self, gboolean presenting)
{
  if (presenting && !gtk_widget_get_visible (self->upper))      /* the drawer has the whole height */
    ls_steps_view_fill_with_table (self);
  if (presenting)
    self->side_before = ls_steps_view_get_sidebar (self);
  self->presenting = presenting;
  ls_steps_view_set_sidebar (self, !presenting && self->side_before);
  gtk_widget_set_visible (GTK_WIDGET (self->drawer), !presenting);
  gtk_widget_set_visible (GTK_WIDGET (self->note), !presenting && *gtk_label_get_text (self->note));
  set_columns (self);
  place_splits (self);
}

void
ls_steps_view_layout (LsStepsView *self, int width, int height, gboolean reset)
{
  gboolean wide = width >= LS_STEPS_WIDE, first = !self->width;
  if (reset)
    ls_state_forget ("splits");
  self->width = width;
  self->height = height;
  gtk_widget_set_visible (self->first, wide);      /* the slider has Home and End, and needs the room */
  gtk_widget_set_visible (self->last, wide);
  gboolean other = reset || first || wide != self->wide;
  self->wide = wide;
  if (other)
    set_columns (self);
  place_splits (self);
}

static void
on_columns (LsStepsView *self, guint columns)
{
  ls_state_set_int ("splits", self->wide ? "columns-wide" : "columns", (int) columns);
  ls_texts_set_columns (self->texts, columns);
  place_splits (self);
}

/* A split that the user drags stays: it is noted between a press, of a button or key, and its end. */
static gboolean
on_event (LsStepsView *self, GdkEvent *event)
{
  GdkEventType type = gdk_event_get_event_type (event);
  gboolean begins = type == GDK_BUTTON_PRESS || type == GDK_KEY_PRESS || type == GDK_TOUCH_BEGIN,
           ends = type == GDK_BUTTON_RELEASE || type == GDK_KEY_RELEASE || type == GDK_TOUCH_END;
  for (guint i = 0; i < N_SPLITS && (begins || ends); i++) {
    int position = gtk_paned_get_position (split (self, i)), drawn = position - self->position_before[i];
    if (begins) {
      self->position_before[i] = position;
      self->size_before[i] = split_size (self, i);
    } else if (drawn && gtk_widget_get_mapped (GTK_WIDGET (split (self, i)))) {
      ls_state_set_int ("splits", split_key (self, i), self->size_before[i] + (i == TEXTS || i == DRAWER ? -drawn : drawn));
    }
  }
  return GDK_EVENT_PROPAGATE;
}

/* TRUE while some pane does not show its final content yet. */
gboolean
ls_steps_view_get_busy (LsStepsView *self)
{
  gboolean busy = FALSE, shown = gtk_widget_get_mapped (GTK_WIDGET (self));      /* a hidden widget waits for its space */
  for (guint i = 0; shown && i < self->computing->len && !busy; i++)
    busy = ls_busy_get (self->computing->pdata[i]);
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

/* A pane, or a widget on it. */
static void
watch_all (LsStepsView *self, GtkWidget *widget)
{
  if (ls_busy_has (widget))
    watch (self, widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child; child = gtk_widget_get_next_sibling (child))
    watch_all (self, child);
}

static void
on_source_hovered (LsStepsView *self, guint node)
{
  ls_graph_view_set_hover (self->graph, ls_view_session_in_graph (self->session, node));
}

void
ls_steps_view_set_session (LsStepsView *self, LsViewSession *session)
{
  g_set_object (&self->session, session);
  ls_pipeline_pane_set_session (self->pipeline, session);
  ls_rule_card_set_session (self->card, session);
  ls_schedule_view_set_session (self->schedule, session);
  ls_steps_centre_set_session (self);
  ls_steps_filter_set_session (self);
  g_signal_connect_object (self->card, "node-hovered", G_CALLBACK (ls_graph_view_set_hover), self->graph, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->source, "node-hovered", G_CALLBACK (on_source_hovered), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->graph, "node-hovered", G_CALLBACK (ls_source_pane_set_hover), self->source, G_CONNECT_SWAPPED);
  ls_search_bar_set_session (self->search, session);
  ls_compare_bar_set_session (self->compare_bar, session);
  ls_listing_pane_set_session (self->listing, session);
  ls_source_pane_set_session (self->source, session);
  GtkWidget *changes = ls_changes_pane_new (session);
  gtk_widget_set_name (changes, "changes-pane");
  ls_texts_add (self->texts, 0, changes, "step", _("Step"), _("The rows of this position, with the step's changes"), NULL);
  ls_texts_add (self->texts, 0, GTK_WIDGET (self->listing), "final", _("Final"), _("The final rows of the kernel"),
                ls_listing_pane_get_tools (self->listing));
  ls_texts_add (self->texts, 1, GTK_WIDGET (self->source), "source", "C", _("The kernel's source"),
                ls_source_pane_get_tools (self->source));
  ls_texts_show (self->texts, "step");
  watch (self, self->graph);
  watch (self, self->schedule);
  watch (self, changes);
  ls_steps_position_set_session (self);
}

/* --- widgets made later --- */

void
ls_steps_view_add_panes (LsStepsView *self)
{
  LsViewSession *session = self->session;
  if (self->program || !session)
    return;
  for (guint i = 0; i < ls_n_panes; i++) {
    GtkWidget *page = ls_pane_new (&ls_panes[i], session);
    ls_drawer_add (self->drawer, _(ls_panes[i].group), page, ls_panes[i].name, _(ls_panes[i].title));
    ls_focus_leave_hidden_pages (page);      /* the drawer's stack is the window's, which heard of it already */
    watch_all (self, page);
  }
  GtkWidget *texts[] = { ls_disassembly_pane_new (session), ls_program_pane_new (session), ls_visits_pane_new (session) };
  self->program = LS_PROGRAM_PANE (texts[1]);
  self->visits = LS_VISITS_PANE (texts[2]);
  gtk_widget_set_name (texts[2], "visits-pane");
  ls_texts_add (self->texts, 0, texts[2], "visits", _("Visits"), _("How the driver visits the nodes of this pass (i)"), NULL);
  ls_texts_add (self->texts, 1, texts[0], "disassembly", _("Asm"), _("The kernel's machine code"), NULL);
  ls_texts_add (self->texts, 1, texts[1], "program", _("Program"), _("The program that was run"), NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++) {
    ls_focus_leave_hidden_pages (texts[i]);
    ls_accessible_name_all (texts[i]);
  }
  if (self->wanted_text)
    ls_texts_show (self->texts, self->wanted_text);
  if (self->width)
    place_splits (self);
  ls_accessible_name_all (GTK_WIDGET (self->drawer));
  ls_tip_hide_under_menus (GTK_WIDGET (self->drawer));
  if (self->wanted_table)
    ls_steps_view_show_table (self, self->wanted_table);
}

void
ls_steps_view_show_table (LsStepsView *self, const char *name)
{
  if (ls_texts_show (self->texts, g_str_equal (name, "changes") ? "step" : name))      /* as it was called when it was a table */
    return;
  if (!self->program)
    self->wanted_table = g_intern_string (name);
  else
    ls_drawer_show (self->drawer, name);
}

LsProgramPane *
ls_steps_view_get_program (LsStepsView *self)
{
  ls_steps_view_add_panes (self);
  return self->program;
}

void
ls_steps_view_show_call (LsStepsView *self, guint call)
{
  LsProgramPane *program = ls_steps_view_get_program (self);
  ls_texts_show (self->texts, "program");
  ls_program_pane_show_call (program, call);
}

void
ls_steps_view_walk_visits (LsStepsView *self, int by)
{
  ls_steps_view_add_panes (self);
  if (gtk_widget_get_mapped (GTK_WIDGET (self->visits)))
    ls_visits_pane_walk (self->visits, by);
  else
    ls_texts_show (self->texts, "visits");
}

void
ls_steps_view_show_text (LsStepsView *self, const char *name)
{
  if (!ls_texts_show (self->texts, name))
    self->wanted_text = g_intern_string (name);
}

const char *
ls_steps_view_get_text (LsStepsView *self, guint column)
{
  return ls_texts_get_shown (self->texts, column);
}

gboolean
ls_steps_view_sees_text (LsStepsView *self, guint column)
{
  return ls_texts_is_seen (self->texts, column);
}

const char *
ls_steps_view_get_table (LsStepsView *self)
{
  return self->program ? ls_drawer_get_shown (self->drawer) : self->wanted_table ? self->wanted_table : ls_panes[0].name;
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

GtkWidget *
ls_steps_view_get_pane (LsStepsView *self, const char *name)
{
  ls_steps_view_add_panes (self);
  return ls_drawer_get_page (self->drawer, name);
}

static void
forget_computing (LsStepsView *self)
{
  g_ptr_array_set_size (self->computing, 0);
}

static void
ls_steps_view_class_init (LsStepsViewClass *class)
{
  ls_busy_install (class, (LsBusy) ls_steps_view_get_busy);
  LS_USES (LS_TYPE_DRAWER, LS_TYPE_PIPELINE_PANE, LS_TYPE_STEP_LIST, LS_TYPE_STEP_SLIDER, LS_TYPE_GRAPH_VIEW, LS_TYPE_RULE_CARD,
           LS_TYPE_SCHEDULE_VIEW, LS_TYPE_SEARCH_BAR, LS_TYPE_COMPARE_BAR, LS_TYPE_BREAKPOINTS, LS_TYPE_TEXTS);
  LS_UI_BINDS (class, LsStepsView, "steps-view", outer, side, middle, right, texts, pipeline, steps_header, unit, total, note, steps_stack,
               no_steps, step_list, first, prev, next, last, number, slider, modes, before, both, after, graph, centre, schedule, card,
               upper, drawer, search, compare_bar, play, breakpoints_button, breakpoints, filter, hidden);
  LS_CALLBACKS (class, on_focus_back, ls_steps_view_fill_with_table, on_columns);
  ls_steps_position_class_init (GTK_WIDGET_CLASS (class));
  LS_ON_DISPOSE (class, forget_computing);
  LS_OWNS (class, LsStepsView, gtk_widget_unparent, outer);
  LS_OWNS (class, LsStepsView, g_object_unref, session, filters);
  LS_KEEPS (class, LsStepsView, g_ptr_array_unref, computing);
}

static void
ls_steps_view_init (LsStepsView *self)
{
  self->computing = g_ptr_array_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  self->listing = g_object_new (LS_TYPE_LISTING_PANE, "name", "listing", NULL);
  self->source = g_object_new (LS_TYPE_SOURCE_PANE, NULL);
  GtkEventController *events = gtk_event_controller_legacy_new ();
  gtk_event_controller_set_propagation_phase (events, GTK_PHASE_CAPTURE);
  g_signal_connect_object (events, "event", G_CALLBACK (on_event), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (self), events);
  ls_steps_centre_init (self);
  ls_steps_filter_init (self);
  g_autoptr (GMenuModel) questions = ls_question_menu_model (0);
  ls_graph_view_set_questions (self->graph, questions);
  gtk_accessible_update_relation (GTK_ACCESSIBLE (ls_step_list_get_view (self->step_list)), GTK_ACCESSIBLE_RELATION_LABELLED_BY,
                                  self->steps_header, NULL, -1);
  ls_steps_position_init (self);
}
