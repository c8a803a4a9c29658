/* LsCompareView: the Compare workspace — the table of kernels and the window's runs, and the runs in columns for one kernel, against the
 * baseline. */
#pragma once
#include <gtk/gtk.h>
#include "session/compared.h"
#include "session/compared-table.h"
#include "session/runs.h"

#define LS_TYPE_COMPARE_VIEW (ls_compare_view_get_type ())
G_DECLARE_FINAL_TYPE (LsCompareView, ls_compare_view, LS, COMPARE_VIEW, GtkWidget)

/* Signals "go" (guint run, LsPosition *position, guint base, LsPosition *of_base): the user wants to see where a run parts from the
 * baseline, and of_base is the same place there; "try" (guint run, guint kernel, const char
 * *options): to run it again with these options for that kernel. */
void ls_compare_view_set (LsCompareView *self, LsRuns *runs);
/* The columns that are shown, or NULL: there are no two runs, or the table is shown. */
const LsCompared *ls_compare_view_get (LsCompareView *self);
/* The table, or NULL: there are no two runs. */
const LsComparedTable *ls_compare_view_get_table (LsCompareView *self);
/* Shows the columns of a kernel of the baseline; 0: the table. */
void ls_compare_view_open_kernel (LsCompareView *self, guint kernel);
/* To the next or previous kernel of the table; from the table to the first one whose code differs. */
void ls_compare_view_step_kernel (LsCompareView *self, int direction);
/* From the columns to the table. FALSE: it is shown. */
gboolean ls_compare_view_back (LsCompareView *self);
/* Measures as the button does, unless it is under way. */
void ls_compare_view_measure (LsCompareView *self);
/* TRUE while the new comparison is not shown yet, and while it is measured; property "busy". */
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
