/* Running compiled kernels: buffers in shared memory, compilers, and the runner process that holds what can go wrong.
 *
 * Compiled code never runs in the calling process. A runner is one lazyscope-runner child that maps the same memory; a crash, an
 * endless loop or an exit in a kernel is a result, and the next launch gets a fresh child.
 */
#pragma once
#include <gio/gio.h>
#include "compiler.h"
#include "runner/protocol.h"
#include "ir/code-line.h"
#include "ir/uop.h"

typedef struct _LsRunner LsRunner;

typedef struct {
  guint   id;         /* the program's buffer id */
  LsDType dtype;
  guint64 n;          /* elements */
  gsize   nbytes;
  guint8 *data;       /* mapped in this process; zeros when new */
  guint64 offset;     /* in the shared memory */
} LsBuffer;

/* The child starts with the first launch that needs it. */
LsRunner *ls_runner_new  (void);
void      ls_runner_free (LsRunner *runner);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsRunner, ls_runner_free)
/* In the child of a fork, while the parent waits: copies the buffers, which keep their addresses, and leaves the process that runs
 * kernels to the parent. FALSE and LS_ERROR_RUN when there is no memory; the runner must not be used then. */
gboolean  ls_runner_forked (LsRunner *runner, GError **error);
/* Makes room for buffers and, where wanted, starts the process of compiled kernels without waiting for it. A failure is reported by
 * the first call that needs it, which tries again. */
void      ls_runner_prepare (LsRunner *runner, gboolean process);
/* NULL and LS_ERROR_RUN when there is not enough memory. Belongs to the runner. */
LsBuffer *ls_runner_buffer_new  (LsRunner *runner, guint id, LsDType dtype, guint64 n, GError **error);
void      ls_runner_buffer_free (LsRunner *runner, LsBuffer *buffer);
/* Frees all buffers; the processes stay, with the code that they have. */
void      ls_runner_free_buffers (LsRunner *runner);

/* Whether a compiler of the table can be used here. */
gboolean  ls_compiler_available (const char *name, char **why_not);
/* Whose code is timed of a target's kernels: the first installed one that optimizes, else the default. */
const LsCompiler *ls_compiler_for_times (const char *target);
/* The same of those that read the target's text itself: for texts that nothing but a person or this program wrote. */
const LsCompiler *ls_compiler_for_text  (const char *target);

typedef struct {
  const char    *compiler;     /* its name */
  const char    *name;         /* function name */
  const char    *source;       /* of the compiler's language (its row's target); the function takes one pointer per buffer */
  guint          n_uops;       /* the linear list, for interp */
  LsUOp *const  *uops;
  guint          n_buffers;
  LsBuffer *const *buffers;
  guint          repeats;      /* timed runs; 0 is 1. Repeats run on the same buffers: contents after the last are the result */
  guint          timeout_ms;   /* for all of them together; 0: none */
  guint          batch;        /* calls of one timed run, for kernels too short for the clock; 0 is 1 */
  guint          warm_ups;     /* calls before the first timed run */
  gboolean       cold;         /* the buffers are driven out of the caches before each timed run */
  guint          threads;      /* that call it, each with its number as the last argument; 0: it takes no number, and is called once.
                                * (interp runs them one after the other) */
  guint          n_touched;    /* memory that changes between calls: in the last one, and every second one before it, each has its
                                * value, in those between the other one */
  const LsTouch *touched;
  guint          copy;         /* of the code: equal sources share theirs only in the same copy */
  gboolean       beside_llvm;  /* it runs in the process that runs LLVM's kernels: for times against each other */
  gboolean       lines;        /* a table of the lines that code belongs to is wanted */
  const char    *flags;        /* of those that optimize, as ls_compiler_options gives them; NULL: "-O2" */
} LsLaunch;

typedef struct {
  double   compile_ms;    /* next to nothing when an equal source was compiled before */
  char    *message;       /* compiler's messages, "" for none */
  char    *version;       /* of the compiler, "14.0.6"; "" where it is not known or has none */
  guint64 *run_ns;        /* n_runs, each of batch calls */
  guint    n_runs;
  guint8  *code;          /* machine code of the function, NULL for interp */
  gsize    n_code;
  guint64  code_address;  /* within its file: the same in every run */
  GArray  *lines;         /* LsCodeLine by ascending offset, or NULL: not asked for, or not known */
  gsize    n_static;      /* bytes of variables that the code keeps between calls, as far as its compiler's file says; 0: none, or not
                           * known (tcc) */
  gboolean compile_failed;
  gboolean divided;       /* it crashed because integers were divided by zero, or the smallest one by -1 */
} LsLaunchResult;

/* Compiles (reusing code of an equal source) and runs. FALSE with LS_ERROR_COMPILE, LS_ERROR_RUN or LS_FAULT (time: its limit):
 * "kernel r_4 crashed (SIGSEGV at address …)", "kernel r_4 ran past its limit of 10 s", "kernel r_4 ended the process (exit status
 * 3)". result is filled as far as it came; clear it with ls_launch_result_clear. */
gboolean ls_runner_launch (LsRunner *runner, const LsLaunch *launch, LsLaunchResult *result, GError **error);
/* Compiles the kernels of launches that an installed compiler or LLVM makes, side by side on all processors, into the cache of code, where
 * launches find them. compile_ms: n; NaN for those that were not compiled so. Nothing is compiled where nothing is kept
 * (LAZYSCOPE_CACHE=0); what fails is reported by the launch. */
void      ls_runner_compile (LsRunner *runner, guint n, const LsLaunch *launches, double *compile_ms);
void     ls_launch_result_clear (LsLaunchResult *result);

/* The reference interpreter: executes a linear list (see codegen/linearize.h for its form) on memory, one buffer per DEFINE_GLOBAL number.
 * Never reads or writes outside a buffer: an index out of range is LS_FAULT. A list that cannot be executed is LS_ERROR_RUN. */
gboolean ls_interp_run (guint n_uops, LsUOp *const *uops, guint n_buffers, LsBuffer *const *buffers, GCancellable *cancellable,
                        GError **error);

/* Disassembly by Capstone, for the machine this runs on. line: of the source, from the table (LsCodeLine by offset, may be NULL); 0:
 * none is known. */
/* text: "mov eax, dword ptr [rdi]" */
typedef struct { guint64 address; guint size, line; guint8 bytes[24]; char *text; } LsInstruction;
/* The line of the byte at offset, or 0. */
guint   ls_code_line_at (const GArray *lines, guint64 offset);
GArray *ls_disassemble (const guint8 *code, gsize n_code, guint64 address, const GArray *lines);
/* "1139: 8b 07 mov eax, dword ptr [rdi]"; free with g_free. */
char   *ls_instruction_print (const LsInstruction *instruction);
/* The text of each in a line, with addresses inside them as distances from the first ("jl +0x40"): the address of a function is not a
 * difference. Free with g_free. */
char   *ls_instructions_print (const GArray *instructions);
