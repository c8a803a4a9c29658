/* graph_rewrite, the one driver of all passes. Code that runs passes includes it; files with terms may not (tests/check-layers.py): a
 * term rewrites by call->nested alone (term.h), so that no rewrite is left unrecorded. */
#pragma once
#include "recorder.h"

#define LS_NESTED_STEPS 5000      /* most steps of a nested pass */
#define LS_NESTED_DEPTH 4         /* passes nested in one another */

typedef struct {
  LsContext      *ctx;
  LsRuleLibrary  *library;
  const char     *set;          /* rule sets of the pass, separated by '+': "symbolic+gates" */
  LsRewriteMode   mode;
  guint           step_limit;   /* 0: none */
  LsPassLog      *log;          /* NULL: nothing is recorded */
  gpointer        pass;         /* the context that the set's terms get */
  GArray        **cycle;        /* where to put one iteration of a rewrite that does not end: a new array of LsLink, in order; may be
                                 * NULL */
  guint64         node_limit;   /* limit of new nodes in addition to 64 times the nodes of the context; 0: none */
  LsRecorder     *recorder;     /* of log: passes that terms nest are begun in it */
  guint           depth;        /* in how many passes this one is nested */
} LsRewrite;

/* The graph below root rewritten. NULL and LS_ERROR_REWRITE when a result contains its own match (not in walk mode) or when the step
 * limit is reached: the message names the rules of the cycle. LS_ERROR_RULE for an unknown set, and when a rule makes a node of
 * another dtype or shape than the one it replaces, in a nested pass as well. */
LsUOp *ls_graph_rewrite (const LsRewrite *rewrite, LsUOp *root, GError **error);
