/* LsWindow: one window over one recording. */
#pragma once
#include <adwaita.h>
#include "session/runs.h"
#include "session/session.h"
#include "workspaces/compare-view.h"
#include "workspaces/steps-view.h"
#include "workspaces/program-view.h"

#define LS_TYPE_WINDOW (ls_window_get_type ())
G_DECLARE_FINAL_TYPE (LsWindow, ls_window, LS, WINDOW, AdwApplicationWindow)

/* Signal "idle": no work is in progress — no run, no loading, no layout, no lineage; the picture is final. */
LsWindow      *ls_window_new         (GtkApplication *app);
/* Opens FILE or FILE#POSITION: a recording is shown, a program is run and then shown. */
void           ls_window_open        (LsWindow *self, const char *link);
/* The start page. */
void           ls_window_show_start  (LsWindow *self);
/* TRUE when a file can be opened here without losing anything. */
gboolean       ls_window_is_unused   (LsWindow *self);
gboolean       ls_window_is_idle     (LsWindow *self);
/* Runs the program with these options, which stay set; nothing while it runs already. */
void           ls_window_run_with    (LsWindow *self, const LsRunOptions *options);
/* The page shown: "start", "busy", "failed", or the name of a workspace. */
const char    *ls_window_get_page    (LsWindow *self);
