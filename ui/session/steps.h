/* Texts of the rows of a pass's step list and of the ticks of its slider: steps counted from 1. In the recording of a program that
 * realized nothing, its statements are the steps, each one a pass. */
#pragma once
#include <gio/gio.h>
#include "trace/trace.h"

/* A borrowed view on one pass, the first where statements are the steps; all zero without one. */
typedef struct { LsTrace *trace; const LsPass *pass; } LsSteps;

LsSteps            ls_steps_of   (LsTrace *trace, const LsPass *pass);
gboolean           ls_steps_are_statements (LsSteps steps);
gboolean           ls_steps_are_rewrites   (LsSteps steps);      /* else statements or rows */
guint              ls_steps_n    (LsSteps steps);
/* The rule of a step; NULL of a statement and in a damaged recording. */
const LsTraceRule *ls_steps_rule (LsSteps steps, guint step);
/* The rule's name, or the statement. Free with g_free. */
char              *ls_steps_dup_name (LsSteps steps, guint step);
guint32            ls_steps_ns   (LsSteps steps, guint step);
