/* How the driver walked the graph of a rewrite pass (engine/rewrite/rewrite.c), made again from the pass's links.
 *
 * The driver has a stack of nodes. The node on its top is visited up to three times: its sources are pushed (stage 0); when these are
 * done it is matched, and a rule's result is pushed (stage 1); when that is done, the node is linked to what became of it (stage 2).
 * Top-down, a node is matched before its sources are pushed. A link with a rule is a match, a node without one was matched by none; so
 * no rule is run.
 */
#pragma once
#include "trace.h"

typedef enum { LS_VISIT_PUSH, LS_VISIT_MATCH, LS_VISIT_LINK } LsVisitStage;
typedef struct {
  LsVisitStage stage;
  guint32      node;          /* on top of the stack */
  guint32      over;          /* MATCH: the node over what became of its sources; else the node */
  guint32      result;        /* of the rule that fired at over; of LINK, and of a node that was done before, what became of it; or
                               * LS_NO_NODE */
  guint        step;          /* that the match is, from 1; 0: none */
  guint        depth;         /* of the stack, the node included */
  gboolean     done;          /* the node was done when it came to the top: it is taken off */
  gboolean     pops;          /* the node is taken off */
  guint        first, n;      /* the nodes that are pushed, in LsVisits.pushed; the last one comes to the top */
} LsVisit;

/* A rule that was asked at a visit, and why it went no further. */
typedef struct { guint rule; LsRuleReject reject; LsOp lacks; gboolean fired; } LsVisitRule;

typedef struct {
  GArray  *visits;      /* LsVisit */
  GArray  *pushed;      /* guint32 */
  GArray  *steps;       /* guint: the visit at which each step's rule fired, from 0; of step 1 first */
  GArray  *rules[LS_N_OPS];      /* LsVisitRule: those of the op, in the order in which they are tried; NULL: none */
  gboolean whole;       /* all links were met, and the last visit takes off the root: else the links are of another driver */
} LsVisits;

/* Are nodes matched before their sources are pushed? */
gboolean  ls_pass_matches_first (const LsPass *pass);
/* Of a rewrite pass; NULL of any other. Free with ls_visits_free. */
LsVisits *ls_pass_visits  (LsTrace *trace, const LsPass *pass);
void      ls_visits_free  (LsVisits *visits);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsVisits, ls_visits_free)

/* An entry of the stack, the stage that comes next for it, and the entry that pushed it and waits for it: its index in the stack, or
 * LS_NO_WAITER of the root. */
typedef struct { guint32 node; LsVisitStage next; guint waiter; } LsVisitFrame;
#define LS_NO_WAITER G_MAXUINT
/* The stack (LsVisitFrame), its top last, before visit k, from 0. Free with g_array_unref. */
GArray   *ls_visits_stack (const LsVisits *visits, guint k);

/* How many steps were done before visit k, from 0. */
guint     ls_visits_steps_before (const LsVisits *visits, guint k);

/* The rules of the node's op, up to the one that fired (LsVisitRule). Empty where the visit matches nothing. Free with g_array_unref. */
GArray   *ls_visit_rules  (LsTrace *trace, const LsPass *pass, const LsVisits *visits, const LsVisit *visit);
