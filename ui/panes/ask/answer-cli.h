/* An answer that was computed elsewhere, with its places: by lazyscope-cli (session/ask-cli.h), or by the worker (session/worker.h). */
#pragma once
#include "answer/read.h"
#include "ask/ask.h"
#include "answer.h"

/* For ls_bisect_answer, whatever its rows contain. */
LsAnswer *ls_answer_bisect (LsTrace *trace, LsRow said);
/* report: of a copy of the recording. */
LsAnswer *ls_answer_undo   (LsTrace *trace, const LsRuleReport *report);
