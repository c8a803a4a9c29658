/* The whole run over time: Python's own statements, passes, compilers, launches, in the order of the walk (statements.h).
 *
 * A recording has how long each of them took and in which order they were; a span begins where the one before it ends. */
#pragma once
#include "statements.h"

/* Of a statement: the time that is Python's and the library's own, without the statements in it and without the passes, compilers and
 * launches that it asked for. */
typedef enum { LS_SPAN_STATEMENT, LS_SPAN_PASS, LS_SPAN_COMPILE, LS_SPAN_LAUNCH, LS_N_SPANS } LsSpanKind;

/* from, ns: nanoseconds since the first span began, and how long it took, more than 0. stop: in ls_trace_stops, of a statement; of others
 * the stop that asked for them, or -1. pass, step: where it is shown, of all but statements; step 0: the whole pass. kernel: 0 at tensor
 * level and of statements. */
typedef struct { LsSpanKind kind; double from, ns; gint stop; guint pass, step, kernel; } LsSpan;

/* LsSpan, in order of time. Free with g_array_unref. */
GArray *ls_timeline_new (LsTrace *trace);
