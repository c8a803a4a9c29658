/* LsStepsView: the Steps workspace — pipeline, steps, graph, rule card, listing, source and tables around one session. */
#pragma once
#include <gtk/gtk.h>
#include "graph/view/graph-view.h"
#include "panes/step/breakpoints.h"
#include "panes/text/program-pane.h"
#include "schedule-view.h"
#include "panes/step/search-bar.h"
#include "session/session.h"
#include "panes/step/step-slider.h"

#define LS_TYPE_STEPS_VIEW (ls_steps_view_get_type ())
G_DECLARE_FINAL_TYPE (LsStepsView, ls_steps_view, LS, STEPS_VIEW, GtkWidget)

void         ls_steps_view_set_session  (LsStepsView *self, LsViewSession *session);
LsGraphView *ls_steps_view_get_graph    (LsStepsView *self);
GtkWidget   *ls_steps_view_get_texts    (LsStepsView *self);      /* the column beside the graph, with the drawer */
/* TRUE while the graph or a pane is computing what it will show; property "busy". */
gboolean     ls_steps_view_get_busy     (LsStepsView *self);
void         ls_steps_view_set_sidebar  (LsStepsView *self, gboolean shown);
gboolean     ls_steps_view_get_sidebar  (LsStepsView *self);
/* Graph, card and one text, and nothing else. */
void         ls_steps_view_set_presenting (LsStepsView *self, gboolean presenting);
void         ls_steps_view_first        (LsStepsView *self);
void         ls_steps_view_last         (LsStepsView *self);
/* Puts the focus into the entry of the step's number. */
void         ls_steps_view_jump         (LsStepsView *self);
/* Puts the focus into the filter of the step list. */
void         ls_steps_view_filter_steps (LsStepsView *self);
/* The splits as they are for a window of that size, or as they were left. */
void         ls_steps_view_layout       (LsStepsView *self, int width, int height, gboolean reset);

LsSearchBar *ls_steps_view_get_search (LsStepsView *self);
LsStepSlider *ls_steps_view_get_slider (LsStepsView *self);
LsBreakpoints *ls_steps_view_get_breakpoints (LsStepsView *self);
void ls_steps_view_show_breakpoints (LsStepsView *self);
/* The menu of the classes of nodes that graph and rows leave out; shows all, or hides those again that were hidden last. */
void ls_steps_view_show_filter (LsStepsView *self);
void ls_steps_view_toggle_hidden (LsStepsView *self);
/* The schedule instead of the graph. */
void ls_steps_view_set_schedule (LsStepsView *self, gboolean shown);
gboolean ls_steps_view_shows_schedule (LsStepsView *self);
LsScheduleView *ls_steps_view_get_schedule (LsStepsView *self);
/* Makes the panes below listing and source, if they are not there: before a recording is, they are only what a window takes long to
 * make of. */
void ls_steps_view_add_panes (LsStepsView *self);
/* A page of the drawer, by the name of its row (panes.def), with its group; or a text. */
void ls_steps_view_show_table (LsStepsView *self, const char *name);
const char *ls_steps_view_get_table (LsStepsView *self);
GtkWidget *ls_steps_view_get_pane (LsStepsView *self, const char *name);      /* NULL: there is none of that name */
/* The next one (1) or the one before (-1), round the ends. */
void ls_steps_view_next_table (LsStepsView *self, int direction);
/* Shows the visits of the pass; if they are shown, so many visits on, or back. */
void           ls_steps_view_walk_visits (LsStepsView *self, int by);
/* A text: of the first column "step" (the position's rows), "final" or "visits", of the second "source", "disassembly" or "program"; and
 * the one that is chosen in a column, and whether the column has room. */
void ls_steps_view_show_text (LsStepsView *self, const char *name);
LsProgramPane *ls_steps_view_get_program (LsStepsView *self);
/* Shows where a call (index in the recording's calls) is defined. */
void ls_steps_view_show_call (LsStepsView *self, guint call);
const char *ls_steps_view_get_text (LsStepsView *self, guint column);
gboolean ls_steps_view_sees_text (LsStepsView *self, guint column);
/* The drawer takes the place of listing and source, or gives it back. */
void ls_steps_view_fill_with_table (LsStepsView *self);
/* The play button shows what it does now. */
void ls_steps_view_set_playing (LsStepsView *self, gboolean playing);
