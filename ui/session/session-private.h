/* Internals of the session, for its files: session.c (recording, position, derived data), session-way.c (from position to position),
 * session-selection.c (lines and instructions). */
#pragma once
#include "session.h"
#include "row-lineage.h"
#include "node-locations.h"

#define MAX_BINDINGS 32

struct _LsViewSession {
  GObject      parent_instance;
  LsTrace     *trace;
  GPtrArray   *former;         /* recordings that views may still read until they have been notified of the next */
  int          pass;
  guint        step;
  int          base_pass;      /* -1: none */
  guint        base_step;
  LsChosenIn   chosen_in;
  GArray      *chosen;
  guint        chosen_file, chosen_line;      /* of the program */
  guint        hidden;         /* LsHidden */
  char        *unmapped;
  guint        tell;           /* idle source */
  gboolean     tell_trace, tell_position, tell_selection;
  /* of the position, made when asked for */
  gboolean     have_diff, have_bindings;
  LsGraphDiff *diff;
  LsGraph     *graph;
  LsBinding    bindings[MAX_BINDINGS];
  guint        n_bindings;
  /* of position, selection and lineage */
  LsNodes      graph_nodes, final_nodes, step_finals;
  LsRowLineage   *row_lineage;
  gboolean     row_lineage_ready;
  LsNodeLocations *node_locations;
  GArray      *source_lines, *program_lines, *calls;
  /* descendants of chosen_line: the nodes to test, the progress, and the results */
  GArray      *candidates;     /* guint32: n_finals of the listing, then those of the graph */
  guint        n_finals, n_looked_at;
  LsNodes      line_finals, line_graph;
  guint8      *in_line;        /* by call: whether it, or one around it, was made in chosen_line */
  gboolean     lineage_wanted; /* of the position's pass and those before it: not made yet */
  guint        work;           /* idle source */
};

void        ls_view_session_tell               (LsViewSession *self);
/* By index; NULL for one that there is not. */
LsPass     *ls_view_session_pass_at            (LsViewSession *self, int index);
/* Data derived from position and selection is computed again. */
void        ls_view_session_forget_nodes       (LsViewSession *self);
/* The same of the position alone. */
void        ls_view_session_forget_position    (LsViewSession *self);
/* The idle source of self->work. */
gboolean    ls_view_session_work               (gpointer self);
/* The nodes that the position shows, after the step, or the ghosts that it removed: a set of ids. */
GHashTable *ls_view_session_present_nodes      (LsViewSession *self, gboolean ghosts);

/* FALSE: lineage is still being computed; the selection is announced again when it is known. */
gboolean    ls_view_session_need_lineage       (LsViewSession *self);
/* The same for at most that many microseconds. */
gboolean    ls_view_session_work_on_lineage    (LsViewSession *self, gint64 microseconds);

/* Search for descendants of the selected program line. */
void        ls_view_session_need_candidates    (LsViewSession *self);
gboolean    ls_view_session_look_at_candidates (LsViewSession *self, gint64 microseconds);
void        ls_view_session_forget_candidates  (LsViewSession *self);
