/* What the rows of a pass's step list and the ticks of its slider say: steps counted from 1. */
#pragma once
#include <gio/gio.h>
#include "trace/trace.h"

G_BEGIN_DECLS

/* A borrowed view on one pass; all zero without one. */
typedef struct { LsTrace *trace; const LsPass *pass; } LsSteps;

guint              ls_steps_n    (LsSteps steps);
/* The rule of a step, or NULL in a damaged recording. */
const LsTraceRule *ls_steps_rule (LsSteps steps, guint step);
guint32            ls_steps_ns   (LsSteps steps, guint step);

G_END_DECLS
