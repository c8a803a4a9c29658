/* The stops of a program's walk: every execution of a statement that a recording has a row of, in the order in which they ended. */
#pragma once
#include "trace.h"

/* row: in trace->statements. Bindings [binding, binding + n_bindings) are those of this stop, those before are of earlier ones; a row that
 * binds names several times, as a loop does, has a stop for each. */
typedef struct { guint row, binding, n_bindings; } LsStop;

/* LsStop, at most 4,096; the trace's. */
const GArray      *ls_trace_stops          (const LsTrace *trace);
/* The stop, and the statement, whose graph a pass is: of ls_trace_statements, or of the recording of a program that bound tensors and
 * realized nothing.
 * NULL: of none. */
const LsStop      *ls_pass_stop            (const LsTrace *trace, const LsPass *pass);
const LsStatement *ls_trace_pass_statement (const LsTrace *trace, const LsPass *pass);
/* The passes [first, end) of the trace, or of the recording that it is of, that a stop's statement asked for: those that computed its
 * tensors, and those that rewrote graphs of UOps; first == end: it asked for none. Passes of another statement, which it called, end
 * them. And the stop whose statement asked for a pass, its index in ls_trace_stops, or -1. */
void               ls_stop_passes          (LsTrace *trace, const LsStop *stop, guint *first, guint *end);
gint               ls_pass_asking_stop     (LsTrace *trace, const LsPass *pass);
/* The row of the statement that asked for a rewrite of a graph of the program's own, G_MAXUINT: the pass is not one, or that was not
 * recorded. */
guint              ls_pass_rewriting_row   (const LsTrace *trace, const LsPass *pass);
/* "bound b to ADD int (3,)", "realized b: 1 copy, 1 kernel; printed [3, 4, 5]", "ran simplify@9, 3 steps": what a stop's statement did,
 * in English or, shown, in the reader's language. Free with g_free. */
char              *ls_stop_sentence        (LsTrace *trace, const LsStop *stop, gboolean shown);

/* The statement in whose call of a function a row's statement is, a row before it, or -1. */
gint               ls_statement_outer      (const LsTrace *trace, guint row);

/* Whether a call returned a tensor without making one: neither it nor a call in it made a node or computed anything, so that it returned
 * what it was given. */
gboolean           ls_call_made_nothing    (LsTrace *trace, guint call);

/* The calls of each statement, from the last to the first: last[row] is 1 + the call, before[call] 1 + the one before; 0: none. */
typedef struct { guint *last, *before; } LsCallsByStatement;
/* The trace's. */
const LsCallsByStatement *ls_trace_calls_by_statement (const LsTrace *trace);
