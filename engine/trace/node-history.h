/* LsNodeHistory: what becomes of one node, followed from step to step, onwards or back, through the passes of its kernel. */
#pragma once
#include "membership.h"

typedef struct {
  guint32       node;         /* its name where it was last changed, or came into the pass */
  guint32       seen;         /* as the last step that changed it shows it */
  LsGraph      *graph;        /* a graph that holds it … */
  LsUOp        *as;           /* … and the node that it is there; NULL: it is in none */
  gboolean      ended;        /* removed, or, backwards, not made yet */
  int           direction;
  guint         kernel;
  gint          parent;       /* of its passes: what is nested in a step of theirs is made of other nodes */
  const LsPass *pass;         /* whose graphs hold the node or not */
  gboolean      absent;
  LsMembership *membership;   /* in pass, or NULL: not asked yet */
} LsNodeHistory;

/* A node as the graph at (pass, step) shows it, ghosts of the step included. direction: 1 or -1. The trace must outlive it;
 * ls_node_history_clear frees what it holds. */
LsNodeHistory ls_node_history_start  (LsTrace *trace, const LsPass *pass, guint step, guint32 node, int direction);
void          ls_node_history_clear  (LsNodeHistory *history);
/* Follows it through a step, to be called for each step in order; TRUE when the step changed, removed or made it. A node is changed when
 * another one has replaced it after the step; if only nodes below it changed, it was rebuilt, which is not a change. */
gboolean      ls_node_history_follow (LsNodeHistory *history, LsTrace *trace, const LsPass *pass, guint step);
