/* LsAnswer: what a recording says to a question, as lines that each lead somewhere.
 *
 * Plain data made on the main thread from engine/ask/ask.h; a view needs no knowledge of the question.
 */
#pragma once
#include "ask/ask.h"

typedef enum {
  LS_STOP_TEXT,         /* leads nowhere */
  LS_STOP_FINAL,        /* a node of a kernel's listing: pass names the kernel */
  LS_STOP_NODE,         /* a node in the graph of (pass, step) */
  LS_STOP_KERNEL,       /* a kernel in the schedule: number in line */
  LS_STOP_PROGRAM,      /* a line of the program */
  LS_STOP_CALL,         /* where a call is defined: its index in line */
} LsStopKind;

typedef struct {
  LsStopKind kind;
  char      *place;     /* "line 7", "simplify/20" */
  char      *text;
  int        pass;
  guint      step, line;
  guint32    node;      /* or LS_NO_NODE */
} LsStop;

typedef struct {
  char   *title, *summary;
  char   *asked_at;     /* the place where one was, "3/simplify/7", or NULL */
  char   *reason;       /* the direct reason, in sentences on lines of their own, or NULL */
  GArray *stops;        /* LsStop */
} LsAnswer;

LsAnswer *ls_answer_new  (char *title, char *summary);      /* takes both */
void      ls_answer_free (LsAnswer *answer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsAnswer, ls_answer_free)
/* Takes place and text; they may be any bytes. */
void      ls_answer_add  (LsAnswer *answer, LsStop stop);
/* The answer as text, a line for each stop. Free with g_free. */
char     *ls_answer_print (const LsAnswer *answer);

/* Why two kernels are two. */
LsAnswer *ls_answer_why_not_fused (LsTrace *trace, const LsWhyNotFused *why);
/* Where something comes from, from the generated text back to the program: blame as a biography. pass: of the nodes that were asked
 * about. */
LsAnswer *ls_answer_origin (LsTrace *trace, const LsBlame *blame, const LsPass *pass, guint step);
