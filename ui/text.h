/* Numbers, times and files as the window's labels write them. All free with g_free. */
#pragma once
#include "rewrite/rewrite.h"
#include <gio/gio.h>
#include "trace/trace.h"

G_BEGIN_DECLS

char *ls_text_ns      (double ns);               /* "0.4 µs", "1.24 ms", "3.1 s" */
/* The median of a kernel's repeats; FALSE when it did not run. */
gboolean ls_text_median_ns (const LsKernel *kernel, double *ns);
char *ls_text_age     (gint64 seconds);          /* "just now", "3 hours ago", "2 years ago" */
char *ls_text_count   (guint64 n);               /* "16,777,216" */
char *ls_text_number  (double value);            /* at most six significant digits */
/* Up to max elements of a buffer: "1.0, 2.5, 3.0, …". */
char *ls_text_values  (const LsTraceBuffer *buffer, guint max);
/* At most max bytes' worth of whole characters of text, with … where it was cut; control characters shown as blanks. */
char *ls_text_cut     (const char *text, gsize max);
/* Text that GTK accepts whatever a file held. */
char *ls_text_valid   (const char *text);
/* "dtypes.float.ptr(4096)" as "float*", "float.vec(4)" as "float×4", void as nothing. */
char *ls_text_dtype   (const char *dtype);

/* What names were bound to, as markup: nodes are links "node:ID", parts of arguments and sequences are their values. Free with g_free. */
char *ls_text_bindings (const LsBinding *bindings, guint n);

G_END_DECLS
