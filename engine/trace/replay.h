/* Inside of replay, for the other files of engine/trace. */
#pragma once
#include "trace.h"

/* root through the first n_links links of the pass; map gets every node's fate. NULL in a recording whose links go in circles. */
LsUOp *ls_replay_evaluate (LsTrace *trace, const LsPass *pass, LsUOp *root, guint n_links, LsNodeMap *map);
guint  ls_replay_links_at (const LsPass *pass, guint step);
/* Drops tables kept for a trace; called when it goes. */
void   ls_replay_forget   (LsTrace *trace);
