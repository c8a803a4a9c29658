/* The engine's exp2, log2 and sin (ir/functions.h) as text: a function of C, or of LLVM IR, in which each row is a line. */
#pragma once
#include "ir/functions.h"

/* The function that an op of the dtype is: 16-bit and 8-bit floats are computed in float. NULL: the op is none of these. */
const LsFunction *ls_function_of (LsOp op, LsDType dtype);
/* The function of C, called ls_NAME, with the tables that it reads before it. qualifier: before its type, as "static inline ". */
void ls_function_print_c    (GString *out, const LsFunction *f, const char *qualifier);
/* The function of LLVM IR, @ls_NAME, internal. opaque: pointers are ptr (LLVM 15 and later), else they are typed. */
void ls_function_print_llvm (GString *out, const LsFunction *f, gboolean opaque);
/* For a source that calls ls_NAME: the functions of C, each once, in the order of the table. "" for a source that calls none. prefix: it
 * may also call them by the prefix and the library's name; NULL: it does not. Free with g_free. */
char *ls_functions_for      (const char *source, const char *prefix, const char *qualifier);
