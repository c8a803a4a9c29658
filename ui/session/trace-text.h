/* What a recording holds as the window's labels write it. All free with g_free. */
#pragma once
#include "rewrite/rewrite.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/* The median of a kernel's repeats; FALSE when it did not run. */
gboolean ls_text_median_ns (const LsKernel *kernel, double *ns);
/* Up to max elements of a buffer: "1.0, 2.5, 3.0, …". */
char *ls_text_values   (const LsTraceBuffer *buffer, guint max);
/* "dtypes.float.ptr(4096)" as "float*", "float.vec(4)" as "float×4", void as nothing. */
char *ls_text_dtype    (const char *dtype);
/* What names were bound to, as markup: nodes are links "node:ID", parts of arguments and sequences are their values. */
char *ls_text_bindings (const LsBinding *bindings, guint n);

G_END_DECLS
