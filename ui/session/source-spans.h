/* The source spans of a kernel's nodes in a line of its source: each expression, and each name of a variable. */
#pragma once
#include "trace/trace.h"

typedef struct { guint32 node; guint from, to; } LsSourceSpan;      /* bytes of the line, to is behind the last */

/* line: from 1. LsSourceSpan, one for each occurrence of a node; those that belong to the line first. Free with g_array_unref. */
GArray       *ls_source_spans_of_line (const LsKernel *kernel, guint line);
/* The innermost around a byte, or NULL. */
const LsSourceSpan *ls_source_spans_at      (const GArray *spans, guint at);
