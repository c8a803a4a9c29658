/* Programs: Python that builds tensors and prints them. */
#pragma once
#include "pipeline/session.h"

/* Runs a program text: evaluates it, realizes what it prints. FALSE and error (LS_ERROR_PROGRAM, LS_ERROR_SYNTAX, LS_ERROR_SHAPE, …; the
 * message is the whole report with file, line, column, source line and caret) also leaves trace->error and the output so far. */
gboolean  ls_session_run_program (LsSession *session, const char *text, const char *filename, GError **error);

/* The documentation of a name of the tensor library ("softmax", "nn.Linear", "UOp.substitute"): its signature, docstring, file and line,
 * and its text; for NULL: its methods, a line each. Free with g_free. NULL with LS_ERROR_USAGE where there is no such name: the message
 * has the nearest one. */
char     *ls_library_doc (const char *name, GError **error);
