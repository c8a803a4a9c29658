/* Inside of LsStepsView: what its files share. steps-view.c builds it, steps-position.c ties it to the session, steps-centre.c shows
 * graph or schedule, steps-filter.c says which classes of nodes are hidden. */
#pragma once
#include "panes/text/changes-pane.h"
#include "panes/step/compare-bar.h"
#include "kit/drawer.h"
#include "panes/text/listing-pane.h"
#include "panes/step/pipeline-pane.h"
#include "panes/text/program-pane.h"
#include "panes/text/visits-pane.h"
#include "panes/step/rule-card.h"
#include "panes/text/source-pane.h"
#include "panes/step/step-list.h"
#include "steps-view.h"
#include "kit/texts.h"

#define LS_STEPS_WIDE 1500      /* from here on two texts stand side by side */

struct _LsStepsView {
  GtkWidget       parent_instance;
  LsViewSession  *session;
  LsSteps         steps;
  GtkPaned       *outer, *side, *middle, *right;
  LsTexts        *texts;
  LsPipelinePane *pipeline;
  LsVisitsPane   *visits;
  LsProgramPane  *program;         /* NULL: the pages below listing and source are not made yet */
  GtkLabel       *steps_header, *total, *note;
  GtkWidget      *unit, *modes, *no_steps;
  GtkStack       *steps_stack;
  LsStepList     *step_list;
  GtkWidget      *first, *prev, *next, *last;
  GtkEntry       *number;
  LsStepSlider   *slider;
  GtkToggleButton *before, *both, *after;
  LsSearchBar    *search;
  LsCompareBar   *compare_bar;
  LsBreakpoints  *breakpoints;
  GtkWidget      *play, *breakpoints_button, *filter, *hidden;
  GSimpleActionGroup *filters;    /* an action of each class of nodes that may be hidden */
  guint           last_hidden;    /* LsHidden: of the classes that were hidden last */
  LsGraphView    *graph;
  GtkStack       *centre;
  LsScheduleView *schedule;
  LsRuleCard     *card;
  LsListingPane  *listing;
  LsSourcePane   *source;
  GtkWidget      *upper;          /* listing and source, hidden where the drawer has the whole height */
  LsDrawer       *drawer;
  const char     *wanted_table, *wanted_text;      /* to be shown when the panes are there, or NULL; interned */
  GPtrArray      *computing;      /* children with a property "busy"; not references */
  int             width, height;  /* of the window, 0: not known yet */
  gboolean        wide, presenting, side_before;      /* the last: whether the sidebar was shown when the presentation began */
  int             position_before[5], size_before[5];      /* of the splits, when something was pressed */
  gboolean        showing;        /* the schedule or the graph, not by the user */
  gboolean        pinned, dismissed;      /* by the user: the schedule, at any position; the schedule that came by itself */
  LsChosenIn      chosen_in;      /* what the user last chose, and where */
  guint32         chosen;
};

/* The user's actions in list, slider, entry and graph go to the session (class and instance); the session's changes come to them. */
void  ls_steps_position_class_init   (GtkWidgetClass *widget_class);
void  ls_steps_position_init         (LsStepsView *self);
void  ls_steps_position_set_session  (LsStepsView *self);

/* The checks above the graph. */
void  ls_steps_filter_init           (LsStepsView *self);
void  ls_steps_filter_set_session    (LsStepsView *self);

void  ls_steps_centre_init           (LsStepsView *self);
void  ls_steps_centre_set_session    (LsStepsView *self);
/* The schedule or the graph, as the position and the user's choice have it. */
void  ls_steps_centre_update         (LsStepsView *self);
