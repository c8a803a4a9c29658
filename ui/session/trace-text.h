/* The contents of a recording as the window's labels write them. All free with g_free. */
#pragma once
#include "kit/text.h"
#include "session/trace-text.h"
#include "rewrite/rewrite.h"
#include "trace/trace.h"

/* The median of a kernel's repeats; FALSE when it did not run. */
gboolean ls_text_median_ns (const LsKernel *kernel, double *ns);
/* A style sheet of the colours of axes (ir/axis.def), "@define-color ls_axis_loop #5e5c64; …". */
char    *ls_text_axis_css  (gboolean dark, gboolean contrast);
/* The colour of an axis in that style sheet: "ls_axis_loop". */
const char *ls_text_axis_color (LsAxisType type);
/* The numbers of the kernel's name in a text that contains it, each in its axis's colour; their number, at most max. */
guint    ls_text_axes      (LsTrace *trace, const LsKernel *kernel, const char *text, LsTextSpan *spans, guint max);
/* Up to max elements of a buffer: "1.0, 2.5, 3.0, …". */
char *ls_text_values   (const LsTraceBuffer *buffer, guint max);
/* "dtypes.float.ptr(4096)" as "float*", "float.vec(4)" as "float×4", void as nothing. */
char *ls_text_dtype    (const char *dtype);
/* Operands of a row, with what is repeated once: of "4 7 7 7 7" "4 7 ×4". Free with g_free. */
char *ls_text_operands (const char *operands);
/* A node in a few words, loops and memory as they are called everywhere: "RANGE j:6 reduce", "LOAD x[i*6+j]", "MUL float". Free with
 * g_free. */
char *ls_text_node     (const LsNames *names, LsUOp *u);
/* "x (buffer 3)", or "buffer 3" of one without a name. Free with g_free. */
char *ls_text_buffer   (LsTrace *trace, guint buffer);
/* The bindings of names, as markup: nodes are links "node:ID", parts of arguments and sequences are their values. */
char *ls_text_bindings (const LsNames *names, const LsBinding *bindings, guint n);
/* Nodes as markup, links "node:ID" behind a word: "made = PHI float, ADD float"; "" for none. */
char *ls_text_nodes    (const LsNames *names, const char *word, LsUOp *const *nodes, guint n);
/* Why something got memory of its own, or none: a clause for the reason that was recorded; one that is not known is given as it is. */
char *ls_text_reason   (const char *reason);
/* An error in the reader's language, at most max characters. */
char *ls_text_error    (const GError *error, guint max);
