/* The loops of a kernel's source: which lines they have around them. */
#pragma once
#include "trace/trace.h"

/* A line, from 1, that begins a loop, and the last line inside it. The index of a work item or thread has no lines inside. */
typedef struct {
  guint32 node;         /* RANGE or SPECIAL */
  guint   first, last;
  guint   column;       /* spaces before the first line's text */
  int     type;         /* LsAxisType, or -1 */
} LsSourceLoop;

/* By first line; empty without a source. A loop ends where the text is indented as its first line is. Free with g_array_unref. */
GArray *ls_source_loops  (LsTrace *trace, const LsKernel *kernel);
/* The loops around a line, outermost first, at most n. Returns their number. */
guint   ls_source_around (const GArray *loops, guint line, const LsSourceLoop **around, guint n);
