/* Questions that take computing: lazyscope-cli answers them, in a process of its own that can be ended, about the file of the
 * recording that is shown. */
#pragma once
#include <json-glib/json-glib.h>
#include "trace/trace.h"

G_BEGIN_DECLS

#define LS_ASK_SECONDS 60

/* Asks `lazyscope-cli WORDS… FILE --json`: words are the sub-command and its options, NULL-terminated; trace NULL: they name the
 * file, too. The process ends with the cancellable, or after LS_ASK_SECONDS. One that answers with another exit status than 0 and 4
 * is an error with its message. */
void      ls_ask_cli_async  (LsTrace *trace, const char *const *words, GCancellable *cancellable, GAsyncReadyCallback callback,
                             gpointer data);
/* The object it answered. Free with json_node_unref. */
JsonNode *ls_ask_cli_finish (GAsyncResult *result, GError **error);

G_END_DECLS
