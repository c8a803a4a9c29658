/* LsSearchBar: searches nodes of the position's graph, passes and steps of the recording by a few words, and lists the results. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define LS_TYPE_SEARCH_BAR (ls_search_bar_get_type ())
G_DECLARE_FINAL_TYPE (LsSearchBar, ls_search_bar, LS, SEARCH_BAR, GtkWidget)

/* Signals "finished": nothing is looked for any more; "closed": the user is done with it. */
void     ls_search_bar_set_session (LsSearchBar *self, LsViewSession *session);
/* Shows it with the text chosen, ready to be typed over. */
void     ls_search_bar_open        (LsSearchBar *self);
gboolean ls_search_bar_get_busy    (LsSearchBar *self);
/* The number of results so far, and the current one (from 0; -1: none yet). */
guint    ls_search_bar_n_hits      (LsSearchBar *self);
int      ls_search_bar_get_current (LsSearchBar *self);
