/* The contents of a recording about a program and its kernels, stage by stage: an answer each, whose row is an LsShown. */
#pragma once
#include "answer/answer.h"
#include "ask.h"

typedef struct {
  LsTrace *trace;
  LsStyle  style;              /* of listings, and with it the numbers of their rows */
  int      kernel;             /* the kernel that is shown, 0: the tensor level, -1: all of them */
} LsShown;

/* Answering's data is the LsShown, too. */
extern const LsRecord ls_show_overview_answer, ls_show_program_answer, ls_show_schedule_answer, ls_show_tree_answer,
  ls_show_listing_answer, ls_show_procedure_answer, ls_show_source_answer, ls_show_exprs_answer, ls_show_dialect_answer,
  ls_show_compile_answer, ls_show_timing_answer;

/* A pass: its graph, or, of a pass over the procedure, what it did to the rows; of a step of a pass that is not a rewrite, its rows. */
typedef struct {
  const LsGraph     *graph;    /* NULL: rows are shown */
  const LsGraphDiff *diff;     /* of the step, or NULL */
  const GArray      *rows;     /* LsProcDiffRow, or NULL */
} LsShownPass;
extern const LsRecord ls_show_pass_answer;

/* The device of every tensor: there is one. */
#define LS_SHOWN_DEVICE "CPU"

/* Is that kernel, or the tensor level, shown? */
gboolean        ls_shown_has          (const LsShown *shown, guint kernel);
/* LsDid: copies of host data, of the shown kernels. Free with g_array_unref. */
GArray         *ls_shown_copies       (const LsShown *shown);
/* A kernel that uses an earlier one's code shows that one's. */
const LsKernel *ls_shown_code         (LsTrace *trace, const LsKernel *kernel);
/* The shape of a tensor's node, or "". Free with g_free. */
/* The memory plan: n intermediate buffers. See memory_answer. */
typedef struct { guint n, kernel; gint64 bytes, side_by_side, alive; } LsShownMemory;
LsShownMemory   ls_shown_memory       (const LsShown *shown);
/* Is the decision about the kernel that is asked for? */
gboolean        ls_shown_decides      (const LsShown *shown, const LsDecision *decision);
char           *ls_shown_shape        (LsTrace *trace, const LsUOp *u);
/* The profile that a recording was made with. */
const char     *ls_shown_profile      (LsTrace *trace);
/* The machine code of a kernel, LsInstruction; NULL: there is none. Free with g_array_unref. */
GArray         *ls_shown_instructions (const LsKernel *code);
