/* LsCompareView: the Compare workspace — the window's runs in columns, one kernel of them, against the first. */
#pragma once
#include <gtk/gtk.h>
#include "session/compared.h"
#include "session/runs.h"
#include "session/session.h"

#define LS_TYPE_COMPARE_VIEW (ls_compare_view_get_type ())
G_DECLARE_FINAL_TYPE (LsCompareView, ls_compare_view, LS, COMPARE_VIEW, GtkWidget)

/* Signal "go" (guint run, LsPosition *position): the user wants to see a place of a run. */
void ls_compare_view_set (LsCompareView *self, LsRuns *runs, LsViewSession *session);
/* The comparison that is shown, or NULL: there are no two runs. */
const LsCompared *ls_compare_view_get (LsCompareView *self);
/* TRUE while the new comparison is not shown yet; property "busy". */
gboolean ls_compare_view_get_busy (LsCompareView *self);
/* Between the button and the last answer, or Stop. */
gboolean ls_compare_view_is_measuring (LsCompareView *self);
/* The arguments of lazyscope-cli to measure these columns, with the files; NULL: there is no comparison, or it is being measured. Free
 * with g_strfreev. */
char **ls_compare_view_question (LsCompareView *self);
/* Shows a band from its heading on. */
void ls_compare_view_show_band (LsCompareView *self, LsBand band);
/* The first difference of another run: goes there as the button does. FALSE: there is none. */
gboolean ls_compare_view_go_to_parting (LsCompareView *self);
