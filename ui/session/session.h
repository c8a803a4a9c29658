/* LsViewSession: the one object every view binds to: recording, position, selection.
 *
 * Signals, each at most once an iteration of the main loop, so that held keys coalesce to the latest place:
 *   "trace-changed"      another recording, or none
 *   "position-changed"   another pass or step (also after trace-changed)
 *   "selection-changed" other nodes chosen, or their place in listing and source became known A position is (pass, step) and nothing
 *   else: what is shown never depends on the way by which one came. A second position may be pinned as base: the
 *   picture is then the change from the base to the position.
 *
 * There is one selection. It is made of nodes of the position's graph, of the kernel's final nodes (a row of the listing, a line of its
 * source, an instruction), or of a line of the program. The session translates between all of these by lineage; views ask for the data
 * that they show.
 */
#pragma once
#include <glib-object.h>
#include "ask/ask.h"
#include "trace/place.h"

#define LS_TYPE_VIEW_SESSION (ls_view_session_get_type ())
G_DECLARE_FINAL_TYPE (LsViewSession, ls_view_session, LS, VIEW_SESSION, GObject)

typedef enum { LS_CHOSEN_NOWHERE, LS_CHOSEN_IN_GRAPH, LS_CHOSEN_IN_FINAL, LS_CHOSEN_IN_PROGRAM } LsChosenIn;

LsViewSession *ls_view_session_new       (void);
LsTrace       *ls_view_session_get_trace (LsViewSession *self);
void           ls_view_session_set_trace (LsViewSession *self, LsTrace *trace);
/* The same, and to where `from` is in it, a position of another recording; where nothing of it is there, as ls_view_session_set_trace. */
LsPositionFound         ls_view_session_move_to_trace (LsViewSession *self, LsTrace *trace, const LsPosition *from);
/* The position; FALSE where there is none. Its trace is the session's. */
gboolean       ls_view_session_get_position (LsViewSession *self, LsPosition *out);
/* The position: a pass (index in trace->passes, -1 for none) and a step of it; 0 is the pass's input. */
int            ls_view_session_get_pass  (LsViewSession *self);
guint          ls_view_session_get_step  (LsViewSession *self);
LsPass        *ls_view_session_pass      (LsViewSession *self);
/* The number of steps of the position's pass. */
guint          ls_view_session_n_steps   (LsViewSession *self);
void           ls_view_session_go        (LsViewSession *self, int pass, guint step);
/* One step on or back; past the end of a pass into the next one that changed something. FALSE where there is none. */
gboolean       ls_view_session_next_step (LsViewSession *self);
gboolean       ls_view_session_prev_step (LsViewSession *self);
/* The pass in which the next step (direction 1) or the previous one (-1) is, or -1. */
int            ls_view_session_next_pass_of_step (LsViewSession *self, int direction);
/* To the first step of passes [first, end), or to the last one if direction is -1. FALSE: they have none. */
gboolean       ls_view_session_go_among  (LsViewSession *self, guint first, guint end, int direction);
/* To the next step of another rule, or to the first step that the rule before did in a row; past the ends as above. */
gboolean       ls_view_session_next_rule (LsViewSession *self);
gboolean       ls_view_session_prev_rule (LsViewSession *self);
gboolean       ls_view_session_next_pass (LsViewSession *self);      /* the next pass that changed something */
gboolean       ls_view_session_prev_pass (LsViewSession *self);
gboolean       ls_view_session_next_kernel (LsViewSession *self);
gboolean       ls_view_session_prev_kernel (LsViewSession *self);
/* The base that positions are compared with; pass -1: none, positions show their own step. Telling it is telling the position. */
void           ls_view_session_set_base  (LsViewSession *self, int pass, guint step);
int            ls_view_session_get_base  (LsViewSession *self, guint *step);      /* step may be NULL */
void           ls_view_session_swap_base (LsViewSession *self);
/* The two sides of the diff; FALSE if there is none: without a position, or at a pass's input without a base. */
gboolean       ls_view_session_sides     (LsViewSession *self, LsPosition *before, LsPosition *after);
/* The first pass of a kernel that changed something, at its first step; the base stays. FALSE where there is none. */
void           ls_view_session_enter_pass (LsViewSession *self, const LsPass *pass);      /* its first step; of a pass of rows the last */
gboolean       ls_view_session_go_to_kernel (LsViewSession *self, guint number);
/* To a place's position, its base or none, and its node, whatever its file. FALSE when the recording has no such place. */
gboolean       ls_view_session_go_place  (LsViewSession *self, const LsPlace *place);
gboolean       ls_view_session_go_link   (LsViewSession *self, const char *link);      /* as ls_place_parse reads it */
/* The position and its base; at.kernel is LS_PLACE_NONE without one. Clear it. */
LsPlace        ls_view_session_get_place (LsViewSession *self);
/* The same as text; with a file and the node of the position's graph that is chosen. NULL without a position; free with g_free. */
char          *ls_view_session_get_link  (LsViewSession *self);
char          *ls_view_session_dup_link  (LsViewSession *self, const char *file);
/* The kernel of the position; kernel-level panes show it. At tensor level it is the first kernel, if any. */
LsKernel      *ls_view_session_kernel    (LsViewSession *self);
/* TRUE when the position's graph holds the very nodes of the listing (from linearize on): nothing "final" needs to be said. */
gboolean       ls_view_session_is_final  (LsViewSession *self);

/* Classes of nodes (LsHidden, node-filter.h) that graph and rows leave out; signal "hidden-changed". */
guint          ls_view_session_get_hidden (LsViewSession *self);
void           ls_view_session_set_hidden (LsViewSession *self, guint classes);

/* The change at the position; computed once and kept. diff is NULL without a recording and, unless there is a base, at step 0 and in map
 * passes. */
const LsGraphDiff *ls_view_session_diff     (LsViewSession *self);
LsGraph           *ls_view_session_graph    (LsViewSession *self);      /* of the position, without what the step removed */
/* The node that a graph of the position shows under that name, the one after the step or the one before, and that graph (NULL-able);
 * NULL: it is in neither. */
LsUOp             *ls_view_session_node     (LsViewSession *self, guint32 id, LsGraph **graph);
const LsBinding   *ls_view_session_bindings (LsViewSession *self, guint *n);

/* Choosing nodes: in the position's graph, or among the kernel's final nodes. The first is the current one. */
void           ls_view_session_select       (LsViewSession *self, LsChosenIn where, const guint32 *nodes, guint n);
/* Selects the nodes of a line of the kernel's source, of an instruction (a row of ls_view_session_instructions), or the descendants of a
 * line of a file of the program (index in trace->files, 0 the program itself). */
void           ls_view_session_select_line  (LsViewSession *self, guint line);
void           ls_view_session_select_instruction (LsViewSession *self, guint row);
void           ls_view_session_select_program (LsViewSession *self, guint file, guint line);
/* One of these by its name: "node:17" (an id, of the graph), "row:5" (of the listing), "line:27", "instruction:1139", "program:3".
 * FALSE where there is none. */
gboolean       ls_view_session_choose       (LsViewSession *self, const char *what);
/* Why the last selection has no counterpart elsewhere, or NULL. */
const char    *ls_view_session_get_unmapped (LsViewSession *self);
LsChosenIn     ls_view_session_chosen_in    (LsViewSession *self);
guint32        ls_view_session_get_selection (LsViewSession *self);      /* the current node, or LS_NO_NODE */
/* Chosen nodes as the graph of the position and as the listing show them (GArray of guint32, owned by the session). */
GArray        *ls_view_session_graph_nodes  (LsViewSession *self);
/* What a question without a place is about: the first of those, else the result of the step or the node whose row it is about; or
 * LS_NO_NODE. */
guint32        ls_view_session_asked_node   (LsViewSession *self);
GArray        *ls_view_session_final_nodes  (LsViewSession *self);
/* Final nodes that descend from the results and changes of the position's step (owned by the session). */
GArray        *ls_view_session_step_finals  (LsViewSession *self);
/* Nodes that correspond to a node under the pointer: the first node of the position's graph from which a final one descends, or
 * LS_NO_NODE; the final nodes that descend from one of the graph, as far as that is known by now (GArray of guint32, free with
 * g_array_unref). */
guint32        ls_view_session_in_graph     (LsViewSession *self, guint32 final_node);
GArray        *ls_view_session_in_final     (LsViewSession *self, guint32 graph_node);
/* Whether a final node is among them. */
gboolean       ls_view_session_is_chosen    (LsViewSession *self, guint32 node);
gboolean       ls_view_session_is_from_step (LsViewSession *self, guint32 node);
/* The selection's lines of the kernel's source and of the program (GArray of guint, ascending, owned by the session); empty: not mapped. */
GArray        *ls_view_session_source_lines (LsViewSession *self);
GArray        *ls_view_session_program_lines (LsViewSession *self);
/* The innermost calls that the selection descends from, or, of a line of the program, that are made there; where nothing is chosen,
 * those that the position's step descends from, or its statement made (GArray of guint, indices in trace->calls, owned by the
 * session). */
const GArray  *ls_view_session_calls       (LsViewSession *self);
/* The line of the program that is chosen, 0 for none, and its file. */
guint          ls_view_session_chosen_line (LsViewSession *self, guint *file);
/* Whether a call is made on that line of that file. */
gboolean       ls_view_session_is_call_at  (const LsCall *call, guint file, guint line);
/* The kernel's machine code (LsInstruction, owned by the session), and how many of them belong to the selection's lines. */
const GArray  *ls_view_session_instructions (LsViewSession *self);
guint          ls_view_session_n_chosen_instructions (LsViewSession *self);
/* TRUE while lineage is still being worked out, in slices of the main loop's idle time. */
gboolean       ls_view_session_get_busy     (LsViewSession *self);
