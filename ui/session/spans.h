/* Where the nodes of a kernel stand in a line of its source: each expression, and each name of a variable. */
#pragma once
#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct { guint32 node; guint from, to; } LsSpan;      /* bytes of the line, to is behind the last */

/* line: from 1. LsSpan, each node as often as it stands there; those that belong to the line first. Free with g_array_unref. */
GArray       *ls_spans_of_line (const LsKernel *kernel, guint line);
/* The innermost around a byte, or NULL. */
const LsSpan *ls_spans_at      (const GArray *spans, guint at);

G_END_DECLS
