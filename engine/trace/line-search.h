/* LsLineSearch: does a node descend from a program line? Asked of one node after the other, as a search through the steps of a
 * recording does. */
#pragma once
#include "trace.h"

typedef struct _LsLineSearch LsLineSearch;

LsLineSearch *ls_line_search_new  (LsTrace *trace, guint line);
void          ls_line_search_free (LsLineSearch *search);
/* Makes what a test of nodes of that pass needs, for about so long; TRUE when it is there. */
gboolean      ls_line_search_work (LsLineSearch *search, const LsPass *pass, gint64 microseconds);
/* Whether line is among the node's lines (ls_program_index_lines). Nodes that cannot lead to the line are remembered, so that testing
 * all steps of a kernel walks its lineage once. */
gboolean      ls_line_search_test (LsLineSearch *search, const LsPass *pass, guint32 node);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsLineSearch, ls_line_search_free)
