/* What calls computed: the copies and kernels that each realizing call led to, and the way back from a kernel to its statement. */
#pragma once
#include "trace.h"

/* call: the innermost recorded call that asked for the values, or -1: not known; row: its statement, or G_MAXUINT. nodes: ids of the
 * tensors that were computed. copies: buffers of host data that were copied for it; the copy is the buffer of the next id. Kernels
 * [first, first + n_kernels). Passes [pass, end_pass) of the trace lead from the tensors to the kernels' runs; none where host data
 * alone was asked for. */
typedef struct {
  gint    call;
  guint   row;
  GArray *nodes;      /* guint32 */
  GArray *copies;     /* guint */
  guint   first, n_kernels, pass, end_pass;
} LsRealization;

/* LsRealization, in order of time; the trace's, or those of the recording that it is of. */
const GPtrArray     *ls_trace_realizations       (LsTrace *trace);
/* The one that a call asked for, or NULL. */
const LsRealization *ls_call_realization         (LsTrace *trace, guint call);
/* The one that launched a kernel, or NULL. */
const LsRealization *ls_kernel_realization       (LsTrace *trace, guint kernel);
/* The statement of a realization, of that of a kernel; NULL: not known. */
const LsStatement   *ls_realization_statement    (LsTrace *trace, const LsRealization *realization);
const LsStatement   *ls_kernel_statement         (LsTrace *trace, guint kernel);
/* The node that reshapes of a tensor are views of. NULL: u is. */
LsUOp               *ls_below_reshapes           (const LsUOp *u);
/* Whether a call, or a call in it, asked for values. */
gboolean             ls_call_asked               (LsTrace *trace, guint call);
/* The buffer of the host whose data was copied to a buffer, or G_MAXUINT. */
guint                ls_buffer_host              (const LsTrace *trace, guint buffer);
/* Are its statistics those of its contents? FALSE: it never had memory, or is too large. */
gboolean             ls_buffer_is_measured       (const LsTrace *trace, guint buffer);

/* What a realization did, in order: its schedule, its copies, and each kernel with its launch. */
typedef enum { LS_DID_SCHEDULE, LS_DID_COPY, LS_DID_KERNEL, LS_DID_LAUNCH } LsDidKind;
extern const char *const ls_did_kinds[];
/* kernel: of a copy the first that reads it, or 0; buffer: of a copy that of the host, of a kernel the one that it writes. */
typedef struct { LsDidKind kind; guint call, kernel, buffer; } LsDid;
/* Adds those of a realization, at most max of them. Returns how many there are. */
guint ls_realization_list (LsTrace *trace, const LsRealization *r, guint max, GArray *to);
/* "b (buffer 2)", or "buffer 2" where no name of the program is bound to it. Free with g_free. */
char *ls_buffer_text      (LsTrace *trace, guint buffer);
/* "kernel 1, E_3, writes buffer 2": a sentence (ir/sentence.h). Free with g_free. */
char *ls_did_sentence     (LsTrace *trace, const LsDid *did);
/* "1/schedule", where it is shown; NULL: nowhere. Free with g_free. */
char *ls_did_place        (LsTrace *trace, const LsDid *did);
