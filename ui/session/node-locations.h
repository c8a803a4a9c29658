/* LsNodeLocations: where nodes stand outside the graph: in the program, in a kernel's source, in its machine code. */
#pragma once
#include "trace/trace.h"

/* Machine code is disassembled up to that many bytes, which takes a few milliseconds. */
#define LS_NODE_LOCATIONS_MAX_CODE (64 * 1024)

typedef struct _LsNodeLocations LsNodeLocations;

LsNodeLocations *ls_node_locations_new          (LsTrace *trace);
void             ls_node_locations_free         (LsNodeLocations *self);
/* The innermost calls of the program that a node descends from: of a pass's graph, or with pass NULL of the kernel's listing.
 * Remembered; belongs to it. */
const GArray    *ls_node_locations_calls        (LsNodeLocations *self, const LsPass *pass, const LsKernel *kernel, guint32 node);
/* The kernel's machine code (LsInstruction), empty where there is none. Remembered; belongs to it. */
const GArray    *ls_node_locations_instructions (LsNodeLocations *self, const LsKernel *kernel);

/* Adds to lines (guint, ascending, each once) those that show one of the nodes of a kernel; is_node says which they are. A node
 * without a line of its own was inlined: its expression's line. */
typedef gboolean (*LsIsNode) (gpointer data, guint32 node);
void     ls_node_locations_source_lines (const LsKernel *kernel, LsIsNode is_node, gpointer data, GArray *lines);
gboolean ls_node_locations_has_line     (const GArray *lines, guint line);
