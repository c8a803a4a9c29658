/* The window's parts, for the files that make it up: window.c (pages, title, opening, running), window-actions.c (actions and keys),
 * window-files.c (what is opened and saved), window-stepping.c (ways from step to step), window-asking.c (questions) and window-state.c (what is remembered). */
#pragma once
#include "window.h"
#include "kit/notices.h"
#include "workspaces/start-page.h"

typedef struct _LsStepping LsStepping;
typedef struct _LsAsking LsAsking;

struct _LsWindow {
  AdwApplicationWindow parent_instance;
  LsViewSession  *session;
  LsStepping     *stepping;
  LsAsking       *asking;
  /* template */
  AdwWindowTitle *title;
  GtkWidget      *sidebar, *run, *switcher, *run_spinner, *menu;
  LsNotices      *notices;
  GtkStack       *pages;         /* start, busy, failed, work */
  GtkStack       *workspaces;    /* program, steps */
  LsStartPage    *start;
  AdwStatusPage  *failed;
  LsProgramView  *program;
  LsStepsView    *steps;
  GMenu          *main_menu, *bookmarks_menu;
  /* what is open */
  char           *path;          /* file, or NULL: nothing, or a recording's program */
  char           *name;          /* shown in the title; "" for nothing */
  char           *folder;        /* where the recording of the last run lies, or NULL; removed with the next one */
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
  gboolean        stay;          /* the recording of this run is shown without leaving the Program workspace */
};

void ls_window_run_program    (LsWindow *self);
void ls_window_update_title   (LsWindow *self);
void ls_window_say            (LsWindow *self, const char *text);      /* a message over the window, for some seconds */
void ls_window_install_actions (GtkWidgetClass *widget_class);
void ls_window_update_actions (LsWindow *self);
void ls_window_check_idle     (LsWindow *self);

/* window-files.c */
void ls_window_install_file_actions (GtkWidgetClass *widget_class);
void ls_window_save_program    (LsWindow *self, const char *path);
void ls_window_save_recording  (LsWindow *self, const char *path);
void ls_window_export_graph    (LsWindow *self, const char *path);      /* ".svg": the picture; any other name: DOT */
/* FALSE: the program was edited, and the user is asked first; next, a file to be opened or "" to close the window, follows the answer. */
gboolean ls_window_may_lose    (LsWindow *self, const char *next);
void ls_window_go_on           (LsWindow *self);      /* with what waits */
void ls_window_forget_question (LsWindow *self);

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
