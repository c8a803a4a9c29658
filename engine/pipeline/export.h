/* A recorded run as one C file: its buffers, its kernels and their launches; it prints the tensors that the program read. */
#pragma once
#include "trace/trace.h"

/* The text of the file. NULL with LS_ERROR_USAGE or LS_ERROR_FILE: there is no kernel, a kernel is not C, or the contents of a buffer that
 * a kernel reads were not kept. Free with g_free. */
char *ls_export_c (LsTrace *trace, GError **error);
