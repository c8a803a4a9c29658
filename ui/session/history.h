/* LsHistory: the places visited, to go back and forth between. A walk, step after step in one pass, counts once: as where it ended. */
#pragma once
#include "session.h"

#define LS_TYPE_HISTORY (ls_history_get_type ())
G_DECLARE_FINAL_TYPE (LsHistory, ls_history, LS, HISTORY, GObject)

LsHistory *ls_history_new     (LsViewSession *session);
/* direction -1: to the place before; 1: forth again. FALSE where there is none. */
gboolean   ls_history_go      (LsHistory *self, int direction);
gboolean   ls_history_can_go  (LsHistory *self, int direction);
