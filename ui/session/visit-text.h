/* The driver's visits (trace/visits.h) in words, for the window's pane and for pages: in the reader's language. Free the texts with
 * g_free, but for those that are const. */
#pragma once
#include "ask/ask.h"

/* "VIEW [4,6] strides 6,1", "ADD i*4+j". */
char       *ls_visit_node_text  (LsTrace *trace, const LsPass *pass, guint32 node);
/* "0 push", "1 match", "2 link"; and "stage 0: push its sources". */
const char *ls_visit_stage_text (LsVisitStage stage);
const char *ls_visit_stage_title (const LsPass *pass, LsVisitStage stage);
/* The direction of the pass, in a sentence, and the context that the program gave to it. Free with g_free. */
char       *ls_visit_mode_text  (const LsPass *pass);
/* What happened at visit k, from 0. */
char       *ls_visit_sentence   (LsTrace *trace, const LsPass *pass, const LsVisits *visits, guint k);
/* What entry i of a stack (LsVisitFrame) waits for, "for 17 and 2 more", or which entry waits for it, "12 waits"; NULL: the root, at
 * first. */
char       *ls_visit_waits_text (const GArray *stack, guint i);
/* "Found by op VIEW: 14 rules, 3 asked, 1 rejected early", or that none was. */
char       *ls_visit_asked_text (LsTrace *trace, const LsVisits *visits, guint k, const LsVisitAsked *asked);
/* How rule i ended: "rejected early: needs LOAD among the sources", "fired: step 2". */
char       *ls_visit_rule_text  (LsVisitAsked *asked, guint i, guint step);
/* Why it did not fire, with the values that it saw; NULL: it did, or the text above says it. */
char       *ls_visit_rule_reason (LsVisitAsked *asked, guint i);
