/* The window's parts, for the files that make it up: window.c (pages, title, opening, running), window-actions.c (actions and keys),
 * window-files.c (what is opened and saved), window-runs.c (running, and the runs that are kept), window-stepping.c (ways from step
 * to step), window-asking.c (questions) and window-state.c (what is remembered). */
#pragma once
#include "window.h"
#include "kit/notices.h"
#include "panes/run/run-form.h"
#include "session/crash-recovery.h"
#include "session/runs.h"
#include "workspaces/start-page.h"
#include "workspaces/workspaces.h"

typedef struct _LsStepping LsStepping;
typedef struct _LsAsking LsAsking;

struct _LsWindow {
  AdwApplicationWindow parent_instance;
  LsViewSession  *session;
  LsStepping     *stepping;
  LsAsking       *asking;
  /* template */
  AdwWindowTitle *title;
  GtkWidget      *header, *sidebar, *run, *switcher, *run_spinner, *menu;
  GtkSpinner     *busy_spinner;
  LsNotices      *notices;
  GtkStack       *pages;         /* start, busy, failed, work */
  GtkStack       *workspaces;    /* as their rows say */
  LsStartPage    *start;
  AdwStatusPage  *failed;
  LsProgramView  *program;       /* in workspaces, as the next two */
  LsStepsView    *steps;
  LsCompareView  *compare;
  GtkMenuButton  *runs_button;
  GtkWidget      *run_with;
  GMenu          *main_menu, *bookmarks_menu, *runs_menu;
  /* what is open */
  char           *path;          /* file, or NULL: nothing, or a recording's program */
  char           *name;          /* shown in the title; "" for nothing */
  char           *position;      /* where to go when the recording is there, or NULL */
  gboolean        is_recording;  /* path is a .lscope */
  GCancellable   *running;       /* NULL: no run */
  int             loading, saving;
  GtkWidget      *question;      /* whether changes are saved, or NULL */
  GtkWidget      *run_question;  /* whether a recording's program is run, or NULL */
  gboolean        may_run;       /* the answer for this recording */
  char           *next;          /* what waits for the answer: a file to be opened, "" to close, or NULL */
  guint           idle_check, panes;      /* sources */
  gboolean        program_first; /* the next recording opens in the Program workspace, where the last window was left */
  LsRuns         *runs;
  LsRunOptions   *options;       /* of the next run */
  GtkWidget      *run_form;      /* where they are set, or NULL */
  LsPosition      left;          /* where one was when the run began; trace NULL: nowhere, else a reference */
  char           *put;           /* where its recordings were shown then, as a link, or NULL */
  char           *running_text;
  gboolean        running_edited, taking;
  LsRecovery     *recovery;      /* what is kept of this window while it is open; NULL: it has been closed */
  gboolean        closed;        /* what is still under way holds it, and does nothing more with it */
  gboolean        is_recovered;  /* what is open was kept of one that ended */
  guint           noting;        /* a source */
  gboolean        presenting;    /* graph, card and one text on the whole screen */
  int             scale_before;  /* percent; what the presentation ends with */
  guint           typing_pause;  /* a source: the program runs when it ends */
  gboolean        typing;        /* the run that is under way began in a pause in typing */
  gint64          run_began;     /* microseconds */
  double          run_seconds;   /* of the last run; 0: none has ended */
  gboolean        stay;          /* the recording of this run is shown without leaving the Program workspace */
};

/* window.c */
void ls_window_show_page      (LsWindow *self, const char *page);      /* as ls_window_get_page has it */
void ls_window_show_workspace (LsWindow *self, LsWorkspaceId id);
const LsWorkspace *ls_window_get_workspace (LsWindow *self);      /* NULL: none is shown */
gboolean ls_window_is_in      (LsWindow *self, LsWorkspaceId id);
gboolean ls_window_has_trait  (LsWindow *self, LsWorkspaceTraits trait);      /* the workspace that is shown */
void ls_window_show_failure   (LsWindow *self, const char *message);      /* for a file that was to be opened */
void ls_window_go_to_position (LsWindow *self);
void ls_window_focus_graph    (LsWindow *self);

/* window-runs.c */
void ls_window_run_program    (LsWindow *self);
/* One step on (1) or back (-1), through statements and what they computed. */
void ls_window_walk           (LsWindow *self, int direction);
void ls_window_set_running    (LsWindow *self, GCancellable *running);
void ls_window_show_program_error (LsWindow *self, const char *message, guint line, guint column);
char *ls_window_dup_program_name  (LsWindow *self);      /* "softmax.py" */
void ls_window_show_run       (LsWindow *self);      /* the shown one of its runs */
void ls_window_add_recording  (LsWindow *self, const char *path);      /* one more run */
void ls_window_forget_place   (LsWindow *self);
void ls_window_update_runs    (LsWindow *self);
void ls_window_update_run_actions (LsWindow *self, gboolean work);
void ls_window_install_run_actions (GtkWidgetClass *widget_class);
void ls_window_init_runs      (LsWindow *self);
void ls_window_clear_runs     (LsWindow *self);

void ls_window_update_title   (LsWindow *self);
void ls_window_say            (LsWindow *self, const char *text);      /* a message over the window, for some seconds */
void ls_window_install_actions (GtkWidgetClass *widget_class);
void ls_window_update_actions (LsWindow *self);
void ls_window_check_idle     (LsWindow *self);

/* window-saved-runs.c */
/* window-typing.c */
void ls_window_init_typing    (LsWindow *self);

void ls_window_init_saved_runs      (LsWindow *self);
void ls_window_clear_saved_runs     (LsWindow *self);      /* nothing is lost any more */
void ls_window_load_runs      (LsWindow *self, const char *path);      /* into a window that has none */
void ls_window_open_recovered   (LsWindow *self, const char *folder);
void ls_window_save_runs      (LsWindow *self, const char *path);
void ls_window_install_saved_run_actions (GtkWidgetClass *widget_class);

/* window-files.c */
void ls_window_install_file_actions (GtkWidgetClass *widget_class);
void ls_window_save_program    (LsWindow *self, const char *path);
void ls_window_save_recording  (LsWindow *self, const char *path);
void ls_window_export_graph    (LsWindow *self, const char *path);      /* ".svg", ".png": the picture; any other name: DOT */
/* Writes a page by lazyscope-cli share: in Steps of the pass, opened at the step, elsewhere of the program's statements. */
void ls_window_share           (LsWindow *self, const char *path);
/* FALSE: the program was edited, and the user is asked first; next, a file to be opened or "" to close the window, follows the answer. */
gboolean ls_window_may_lose    (LsWindow *self, const char *next);
void ls_window_go_on           (LsWindow *self);      /* with the pending action */
void ls_window_forget_question (LsWindow *self);

/* window-presenting.c */
void ls_window_present_steps  (LsWindow *self, gboolean presenting);
void ls_window_init_presenting (LsWindow *self);
void ls_window_install_presenting_actions (GtkWidgetClass *widget_class);

/* window-state.c */
void ls_window_restore        (LsWindow *self);      /* what the last window left */
void ls_window_remember       (LsWindow *self);

/* window-stepping.c */
LsStepping *ls_stepping_new             (LsWindow *window);
void        ls_stepping_free            (LsStepping *stepping);
void        ls_stepping_install_actions (GtkWidgetClass *widget_class);
void        ls_stepping_update_actions  (LsStepping *stepping, gboolean possible);
gboolean    ls_stepping_get_busy        (LsStepping *stepping);
/* Ends what is looked for or played; FALSE when there was nothing. */
gboolean    ls_stepping_cancel          (LsStepping *stepping);

/* window-asking.c */
LsAsking  *ls_asking_new             (LsWindow *window);
void       ls_asking_free            (LsAsking *asking);
void       ls_asking_install_actions (GtkWidgetClass *widget_class);
gboolean   ls_asking_get_busy        (LsAsking *asking);
/* Ends what lazyscope-cli is at; FALSE when there was nothing. */
gboolean   ls_asking_cancel          (LsAsking *asking);
void       ls_asking_update_actions  (LsAsking *asking, gboolean possible);
