/* LsAnswerPane: an answer to a question, each line a way to its place. */
#pragma once
#include <gtk/gtk.h>
#include "answer.h"
#include "session/session.h"

#define LS_TYPE_ANSWER_PANE (ls_answer_pane_get_type ())
G_DECLARE_FINAL_TYPE (LsAnswerPane, ls_answer_pane, LS, ANSWER_PANE, GtkWidget)

/* Takes the answer; NULL: none. It goes when another recording comes. */
void            ls_answer_pane_show (LsAnswerPane *self, LsAnswer *answer);
const LsAnswer *ls_answer_pane_get  (LsAnswerPane *self);
