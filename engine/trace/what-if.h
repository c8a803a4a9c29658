/* A decision of a schedule turned around: how a variant names it, "r2:inline:costly-expand@9.softmax#2"; or two kernels that become one
 * with two results, "r2:fuse:apart-loads@9.softmax". */
#pragma once
#include "trace.h"

/* realization: whose schedule, from 1; key: the reason of the decision; line and call: where the program made the value; number: which one
 * of several such decisions, in order, or 0: there is one. apart: else LS_APART_NOT; why the kernels are two, line and call are those of
 * the first value of the later one, and number tells the earlier ones from each other, too. */
typedef struct {
  guint    realization;
  LsReason key;
  LsApartness apart;
  guint    line;
  char    *call;        /* the outermost on that line; the value's op where none is known */
  guint    number;
} LsWhatIf;

/* Clear with ls_what_if_clear. FALSE with LS_ERROR_USAGE: what is wrong in the text, or that such a decision has no other choice. */
gboolean ls_what_if_parse (const char *text, LsWhatIf *what_if, GError **error);
void     ls_what_if_clear (LsWhatIf *what_if);
/* The name of a step of a schedule, or NULL where the step is not a decision that has another choice. In a schedule that was made with
 * choices, the name can be added to them. Free with g_free. */
char    *ls_what_if_text  (const LsPass *schedule, guint step);
/* The name of two kernels, by their first values, that a variant can make one. sink, how: the schedule's graph, and how it was made. Free
 * with g_free. */
char    *ls_what_if_pair_text (const LsPass *schedule, LsUOp *sink, LsScheduleHow how, const LsApartPair *pair);
/* The number of a schedule's realization, from 1. */
guint    ls_what_if_realization (const LsPass *schedule);

/* The choices of those texts (a line each) that name a schedule whose pass is there, and its nodes' calls: each is found among the
 * decisions that are made with the ones before it. sink: the schedule's graph; one_reduce: a kernel may not have several; how: without
 * choices.
 * NULL with LS_ERROR_USAGE: one is not there, is ambiguous, or cannot be made. Free with g_array_unref. */
GArray  *ls_what_if_find  (const LsPass *schedule, LsUOp *sink, const char *texts, gboolean one_reduce, LsScheduleHow how, GError **error);
/* FALSE with LS_ERROR_USAGE: a value that was not to be stored is stored all the same, for a later reason. decisions: made with the
 * choices. */
gboolean ls_what_if_check (const LsPass *schedule, const GArray *decisions, const GArray *overrides, const char *texts, GError **error);
