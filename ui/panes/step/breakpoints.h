/* Breakpoints: what play and "run to" stop at: a rule, an op, a dtype, a program line, what a row says, or a change to the chosen node. */
#pragma once
#include <gtk/gtk.h>
#include "trace/trace.h"

#define LS_TYPE_BREAKPOINTS (ls_breakpoints_get_type ())
G_DECLARE_FINAL_TYPE (LsBreakpoints, ls_breakpoints, LS, BREAKPOINTS, GtkBox)

/* The list of breakpoints with an entry to add one; for a popover. */
void     ls_breakpoints_set_trace (LsBreakpoints *self, LsTrace *trace);
guint    ls_breakpoints_n         (LsBreakpoints *self);
/* Whether a change to the chosen node counts; the caller follows it. */
gboolean ls_breakpoints_get_node  (LsBreakpoints *self);
/* Adds what text names: a rule, an op, a dtype, a line number or what a row says (its name, "added", words of its
 * sentence). FALSE when it names nothing. */
gboolean ls_breakpoints_add       (LsBreakpoints *self, const char *text);
/* Makes what tests of the pass's steps need, for about so long; FALSE: not all of it yet. */
gboolean ls_breakpoints_ready     (LsBreakpoints *self, LsTrace *trace, const LsPass *pass, gint64 microseconds);
/* Why a step is one to stop at, or NULL. Free with g_free. */
char    *ls_breakpoints_test      (LsBreakpoints *self, LsTrace *trace, const LsPass *pass, guint step);
gboolean ls_breakpoints_hits      (LsBreakpoints *self, LsTrace *trace, const LsPass *pass, guint step);
