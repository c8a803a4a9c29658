/* The source line of each byte of a function's code, read from the compilers' debug information. */
#pragma once
#include <glib.h>
#include "protocol.h"

/* Both give LsProtocolLine by ascending offset, or NULL when nothing certain can be said. Only lines of kernel.c count: others are 0.
 * Free with g_array_unref. */
GArray *ls_code_lines_dwarf (const char *object, guint64 address, gsize n_code);
/* object: a relocatable file, open for reading, that the same source was compiled to; code: the function's bytes where it runs. */
GArray *ls_code_lines_stabs (int object, const char *function, const guint8 *code, gsize n_code);
/* image: an object in memory, whose debug sections have their relocations; file: the name of the file whose lines count; address: of the
 * function in its section. */
GArray *ls_code_lines_image (char *image, gsize n, const char *file, guint64 address, gsize n_code);
