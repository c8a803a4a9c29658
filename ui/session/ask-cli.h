/* Questions that take computing: lazyscope-cli answers them, in a process of its own that can be ended, about the file of the
 * recording that is shown. */
#pragma once
#include <gio/gio.h>

#include "answer/read.h"
#include "trace/trace.h"

#define LS_ASK_SECONDS 60

/* Asks `lazyscope-cli WORDS… FILE --json`: words are the sub-command and its options, NULL-terminated; trace NULL: they name the
 * file, too. The process ends with the cancellable, or after LS_ASK_SECONDS. One that answers with another exit status than 0 and 4
 * is an error with its message. */
void       ls_ask_cli_async  (LsTrace *trace, const char *const *words, const LsRecord *record, GCancellable *cancellable,
                              GAsyncReadyCallback callback, gpointer data);
/* The answer, rows of record. Free with ls_reading_unref. */
LsReading *ls_ask_cli_finish (GAsyncResult *result, GError **error);
