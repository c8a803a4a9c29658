/* The list of panes, and how a page is made of its row. */
#include "panes.h"

#include <glib/gi18n.h>

#define X(name, group, title, watches, changed) { #name, group, title, watches, ls_##name##_pane_new, changed },
const LsPane ls_panes[] = {
#include LS_PANES_DEF
};
#undef X

const guint ls_n_panes = G_N_ELEMENTS (ls_panes);

const LsPane *
ls_pane_find (const char *name)
{
  for (guint i = 0; i < ls_n_panes; i++)
    if (g_str_equal (ls_panes[i].name, name))
      return &ls_panes[i];
  return NULL;
}

const char *
ls_pane_restored (const char *name)
{
  const LsPane *pane = ls_pane_find (name);
  if (!pane || !(pane->watches & LS_PANE_TRANSIENT))
    return name;
  for (guint i = 0; i < ls_n_panes; i++)
    if (g_str_equal (ls_panes[i].group, pane->group) && !(ls_panes[i].watches & LS_PANE_TRANSIENT))
      return ls_panes[i].name;
  return ls_panes[0].name;
}

/* --- following the session --- */

typedef struct { GtkWidget *pane; LsPaneChanged *changed; LsWatch what; } Watching;

static void
on_changed (LsViewSession *session, const Watching *w)
{
  w->changed (w->pane, w->what);
}

static void
watching_free (gpointer data, GClosure *closure)
{
  g_free (data);
}

GtkWidget *
ls_pane_new (const LsPane *pane, LsViewSession *session)
{
  static const char *const signals[] = { "trace-changed", "position-changed", "selection-changed" };      /* by the bits of LsWatch */
  GtkWidget *widget = pane->make (session);
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    if (pane->watches & (1u << i)) {
      Watching w = { widget, pane->changed, 1u << i };
      GClosure *closure = g_cclosure_new (G_CALLBACK (on_changed), g_memdup2 (&w, sizeof w), watching_free);
      g_object_watch_closure (G_OBJECT (widget), closure);
      g_signal_connect_closure (session, signals[i], closure, FALSE);
    }
  return widget;
}
