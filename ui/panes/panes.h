/* The pages of the drawer as rows: panes.def lists them, the drawer, what a window remembers and its tests go through the list. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#ifndef LS_PANES_DEF
#define LS_PANES_DEF "panes/panes.def"
#endif

/* The parts of its session that a pane watches; the same bits report a change. And whether it goes with its window. */
typedef enum { LS_WATCH_TRACE = 1 << 0, LS_WATCH_POSITION = 1 << 1, LS_WATCH_SELECTION = 1 << 2, LS_PANE_TRANSIENT = 1 << 3 } LsWatch;

typedef void LsPaneChanged (gpointer pane, LsWatch what);

typedef struct {
  const char *name;              /* in state files, and of the action win.table */
  const char *group, *title;     /* to be translated */
  guint       watches;           /* LsWatch */
  GtkWidget *(*make) (LsViewSession *session);
  LsPaneChanged *changed;
} LsPane;

#define X(name, group, title, watches, changed) \
  GtkWidget *ls_##name##_pane_new (LsViewSession *session); \
  LsPaneChanged changed;
#include LS_PANES_DEF
#undef X

extern const LsPane ls_panes[];
extern const guint  ls_n_panes;

/* NULL: there is none of that name. */
const LsPane *ls_pane_find    (const char *name);
/* A page that follows the session as its row says. Floating. */
GtkWidget    *ls_pane_new     (const LsPane *pane, LsViewSession *session);
/* The page that a new window shows where the last one left this one. */
const char   *ls_pane_restored (const char *name);
