/* The workspaces of a window as rows: workspaces.def lists them, window, keys and actions go through the list. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#ifndef LS_WORKSPACES_DEF
#define LS_WORKSPACES_DEF "workspaces/workspaces.def"
#endif

typedef enum {
#define X(NAME, ...) LS_WORKSPACE_##NAME,
#include LS_WORKSPACES_DEF
#undef X
} LsWorkspaceId;

typedef enum {
  LS_SHOWS_POSITION      = 1 << 0,      /* actions of steps and questions work; the title, and a page that is shared, have the position */
  LS_STAYS_WHILE_RUNNING = 1 << 1,      /* a run that is under way does not lead to Steps */
  LS_STAYS_AFTER_RUN     = 1 << 2,      /* nor does its end */
} LsWorkspaceTraits;

typedef struct {
  LsWorkspaceId id;
  const char   *name;      /* of the action win.workspace */
  const char   *title;     /* to be translated */
  GType       (*type)     (void);
  guint         traits;    /* LsWorkspaceTraits */
  /* It is shown, or the recording has changed while it is. May be NULL. */
  void        (*show)     (GtkWidget *workspace, LsViewSession *session);
  /* The arguments of lazyscope-cli for the page that is shared from here, instead of the recording's; NULL, or no such function: none.
   * Free with g_strfreev. */
  char      **(*question) (GtkWidget *workspace);
  /* Ctrl+PgDn (1) and Ctrl+PgUp (-1), where the workspace does not show the position. May be NULL. */
  void        (*step_kernel) (GtkWidget *workspace, int direction);
  /* Esc: goes back from what it shows now. FALSE: there is nothing to go back to. May be NULL. */
  gboolean    (*back)     (GtkWidget *workspace);
} LsWorkspace;

extern const LsWorkspace ls_workspaces[];
extern const guint       ls_n_workspaces;

/* NULL: there is none of that name, which may be NULL. */
const LsWorkspace *ls_workspace_find (const char *name);
