/* What lazyscope-cli answered (ask-cli.h), as an answer with its places. */
#pragma once
#include <json-glib/json-glib.h>
#include "answer.h"

G_BEGIN_DECLS

/* Of `bisect --json` and `rules --json`. Whatever the object holds. */
LsAnswer *ls_answer_bisect (LsTrace *trace, JsonObject *said);
LsAnswer *ls_answer_undo   (LsTrace *trace, JsonObject *said);

G_END_DECLS
