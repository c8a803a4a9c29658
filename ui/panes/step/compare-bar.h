/* LsCompareBar: what the graph below is compared with, and the way out of that. Hidden without a base. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define LS_TYPE_COMPARE_BAR (ls_compare_bar_get_type ())
G_DECLARE_FINAL_TYPE (LsCompareBar, ls_compare_bar, LS, COMPARE_BAR, GtkWidget)

void ls_compare_bar_set_session (LsCompareBar *self, LsViewSession *session);
