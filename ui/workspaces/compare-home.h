/* LsCompareHome: the table of kernels × runs with which Compare opens, below its verdict in words and what it was measured with. */
#pragma once
#include <gtk/gtk.h>
#include "session/compared-table.h"

#define LS_TYPE_COMPARE_HOME (ls_compare_home_get_type ())
G_DECLARE_FINAL_TYPE (LsCompareHome, ls_compare_home, LS, COMPARE_HOME, GtkWidget)

/* Signals "kernel" (guint number): the user wants its columns; "base" (guint run): the others are to be compared with it.
 *
 * table and titles, of the runs, are the caller's, until another one is set; NULL: nothing is shown. */
void ls_compare_home_set    (LsCompareHome *self, const LsComparedTable *table, char *const *titles);
/* Its contents have changed: something was measured. */
void ls_compare_home_update (LsCompareHome *self);
