/* One run of one program: context, recording, settings, target, buffers. Programs work on a session, and ls_session_realize sends
 * graphs through the pipeline. */
#pragma once
#include "ir/uop.h"
#include "reuse.h"
#include "render/render.h"
#include "rewrite/rewrite.h"
#include "run/run.h"
#include "schedule/schedule.h"
#include "settings.h"
#include "tensor/tensor.h"
#include "trace/trace.h"

/* The work so far: every launch, and every copy of host data that was needed. */
typedef struct { guint64 kernels, ns; double ops, bytes; } LsCounters;

typedef struct _LsSession LsSession;
#define LS_COLLECT_BYTES ((guint64) 64 << 20)      /* no memory of buffers is given back before they have so many bytes, or their limit */
#define LS_MOST_OUTPUT (16 << 20)      /* bytes of a program's output that are kept for its recording; all of it goes to on_print */

struct _LsSession {
  LsContext       *ctx;
  LsTrace         *trace;        /* always there; recording FALSE: only results go in */
  gboolean         recording;
  LsSettings       settings, given;      /* as a program's Context has them now; as the run was given them */
  const LsTarget  *target;
  const char      *compiler;     /* whose code computes the values */
  char            *flags;        /* its flags besides the fixed ones (ls_compiler_options); NULL: the defaults */
  const char      *timer;        /* the installed compiler whose code is timed; NULL: the same */
  char            *timer_flags;
  const char      *quick;        /* whose code gives the values of kernels that take long without optimization; NULL: the same */
  char            *quick_flags;
  LsRuleLibrary   *library;
  LsRunner        *runner;
  LsTraceWriter   *writer;       /* or NULL */
  gint64           next_flush;   /* not before: monotonic time */
  guint64          buffer_bytes; /* of all buffers */
  guint64          memory_ns;    /* spent getting memory for them */
  GPtrArray       *buffers;      /* LsBuffer by id; NULL where not allocated (lazy outputs) */
  GHashTable      *realized;     /* node id -> BUFFER node that holds its value in row-major order */
  GHashTable      *parts;        /* node id -> LsBuffer: parts of another buffer's memory */
  GHashTable      *wholes;       /* id of a part -> id + 1 of the buffer whose memory it shares */
  GHashTable      *variables;    /* "name min max value" -> the BIND of that value */
  GHashTable      *unbound;      /* id of a BUFFER -> its BIND, of variables that have no value */
  GHashTable      *freed;        /* ids of buffers whose memory was given back */
  GHashTable      *kept;         /* ids of the nodes of realized tensors -> the nodes they were computed from, or NULL; no gradient goes
                                  * past them */
  GString         *out;          /* what the program printed */
  int              exit_status;  /* that the program ended itself with (sys.exit), or 0; exit_silent: and it said nothing */
  gboolean         exit_silent;
  char            *folder;       /* of the program: its modules lie there and it runs there; NULL: that of its file, and where this
                                  * process runs */
  char            *options;      /* a variant's "UPCAST:0:4,…", or NULL for the heuristic */
  char            *c_files;      /* a variant's, of kernels written by hand, or NULL */
  char            *schedule_choices;   /* a variant's, or NULL; they need recording (trace/what-if.h) */
  GHashTable      *code_cache;   /* kernel graph id -> its code, under the present settings */
  GHashTable      *code_caches;  /* differences of the settings from given -> code_cache of them */
  GPtrArray       *notes;        /* char *: what the program asked for and does not get, once each, for the end of the run */
  gboolean         out_is_cut;   /* the program printed more than is kept of it */
  gboolean         keep_buffers; /* contents of buffers of any size are recorded, together no more than MEMORY_MB; of others the digest */
  guint64          kept_bytes;
  char            *record_error; /* why the recording could not be written to the end, or NULL */
  gboolean         execute;      /* FALSE: everything but compile and run (bench, text targets) */
  GHashTable      *rendered;     /* LsKernel -> LsRendered that the recording has not taken over yet */
  gboolean         quiet;        /* nothing is warned of: refused options, what a profile's text leaves to C, kernels that are left to
                                  * the interpreter */
  GHashTable      *told;         /* of these, the messages already reported, as texts */
  LsReuse         *reuse;        /* what kernels stored so far; NULL: schedules do not read it */
  const LsSchedule *scheduled;   /* the one that is about to run, or NULL: the buffers that it reads are not freed */
  GHashTable      *copied;       /* ids of the COPY nodes that were needed */
  /* called with the text that each print adds to out; NULL-able */
  void           (*on_print)    (LsSession *session, const char *text, gsize n, gpointer data);
  /* called for a kernel that will have its own code and has no requested options, before it is made: its options ("" for none; free with
   * g_free) and the reason; NULL: the heuristic chooses. Itself NULL-able */
  char          *(*on_options)  (LsSession *session, LsKernel *kernel, char **why, gpointer data);
  gpointer         on_options_data;
  /* called when a schedule does not fit into memory: memory that nothing leads to any more can be freed (ls_session_collect); NULL-able */
  void           (*on_full)     (LsSession *session);
  /* called when a schedule was made, when a kernel's text is there, and when it was run; NULL-able */
  void           (*on_schedule) (LsSession *session, guint n_kernels, gpointer data);
  void           (*on_kernel)   (LsSession *session, LsKernel *kernel, gpointer data);
  void           (*on_ran)      (LsSession *session, LsKernel *kernel, gpointer data);
  gpointer         on_kernel_data;
  LsTensorHost     tensor_host;
  LsCounters       counters;
};

LsSession *ls_session_new  (const LsSettings *settings, const LsTarget *target, const char *compiler, LsRuleLibrary *library);
void       ls_session_free (LsSession *session);
/* A setting for the kernels that are made from now on; value: as text, or NULL: as the run was given it. FALSE: there is no such
 * setting that may change while a program runs. *before: the value until now; free with g_free. */
gboolean   ls_session_change_setting (LsSession *session, const char *name, const char *value, char **before);
/* Notes something for the end of the run, where it was not noted yet. */
void       ls_session_note (LsSession *session, const char *text);
typedef enum { LS_EFFECT_NONE, LS_EFFECT_UNKNOWN, LS_EFFECT_ACTS } LsSettingEffect;
/* Whether a setting that changes code changed a kernel's tree, options, source or compiled source: kernels are made again with it and
 * without it, at most most of them, and *looked says how many (more than most: not all were). changed: NULL for a setting of the run,
 * or "NOOPT=1" for one that the program changed. Kernels written by hand do not count. */
LsSettingEffect   ls_session_setting_effect (LsSession *session, const LsSettingInfo *info, const char *changed, guint most, guint *looked);
/* The settings that the program changed while it ran: "NOOPT=1" (char *). Free with g_ptr_array_unref. */
GPtrArray *ls_session_changed_settings (LsSession *session);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsSession, ls_session_free)

/* In the child of a fork, while the parent waits: the child has buffers and a runner of its own, and records nothing. FALSE and
 * LS_ERROR_RUN: the session must not be used. */
gboolean   ls_session_forked (LsSession *session, GError **error);
/* Kernels will probably be run: what runs them is started, and not waited for. */
void       ls_session_expect_kernels (LsSession *session);
/* After the last statement: buffers' contents and statistics, output and totals go to the recording. */
void       ls_session_finish (LsSession *session);
/* Parses a variant's options, to say early what is wrong with them. Free with g_array_unref. */
GArray    *ls_session_check_options (const char *text, GError **error);

/* Computes the nodes: afterwards each has a buffer. Nodes already realized cost nothing. A kernel that fails to compile or run makes
 * this FALSE. */
gboolean  ls_session_realize (LsSession *session, guint n, LsUOp *const *nodes, GError **error);
/* The launches of realizing the nodes, without doing it and without recording it: the schedule (free with ls_schedule_free; NULL if
 * everything is computed) and to asts, for each of its items, the kernel's tree after the stage ast. Buffers of results have the numbers
 * that a realization would give them now. */
gboolean  ls_session_schedule (LsSession *session, guint n, LsUOp *const *nodes, LsSchedule **schedule, GPtrArray *asts, GError **error);
/* The node whose realization gave the buffer its value: the node below its reshapes, or NULL if no kernel was needed (views of memory,
 * size 0). */
LsUOp    *ls_session_computed (LsSession *session, LsUOp *node);
/* memory, made over computed by ls_tensor_clone, or computed itself, holds the computed value, in the same buffer, and its history has
 * ended. Equal computations are one node: a tensor that was realized is a node of its own from then on, so that the same expression
 * written again has its gradient. */
void      ls_session_keep    (LsSession *session, LsUOp *computed, LsUOp *memory);
/* The buffer that holds a realized node's elements in row-major order (movement ops applied), or NULL with an error. Realizes it if
 * needed; a contiguous part of a realized tensor is a buffer (role "part") over the same memory, which needs no kernel. */
LsBuffer *ls_session_data    (LsSession *session, LsUOp *node, GError **error);

/* Frees the memory of every buffer that neither the n live nodes (what the program's tensors are) nor an output leads to; the
 * recording keeps of each what it keeps at the end. A node that was realized there is computed again if it is ever asked for. Returns
 * the number of bytes. */
guint64   ls_session_collect (LsSession *session, guint n, LsUOp *const *live);
/* The gradient of target with respect to n nodes: out[i] of wrt[i]'s shape and dtype, NULL if target does not depend on it. gradient, of
 * target's shape, is the gradient of target. Recorded as a pass "gradient". FALSE: LS_ERROR_SHAPE, or LS_ERROR_PROGRAM where an op on
 * the way has no rule. */
gboolean  ls_gradient (LsSession *session, LsUOp *target, guint n, LsUOp *const *wrt, LsUOp *gradient, LsUOp **out, GError **error);

/* Which of n nodes target depends on, and that depend on memory: backward() needs their gradients. Nodes of constants only are not among
 * them. Nothing is looked at below what the program realized. */
void      ls_gradient_reaches (LsSession *session, LsUOp *target, guint n, LsUOp *const *nodes, gboolean *reached);

/* From now on the session, and its recording, use a library made by ls_rule_library_extend of the one they have. Takes library. */
void      ls_session_take_library (LsSession *session, LsRuleLibrary *library);

/* Bytes that its graphs and buffers take, about. */
guint64   ls_session_memory  (LsSession *session);
/* The services for the tensors of the session's program; owned by the session. */
const LsTensorHost *ls_session_tensor_host (LsSession *session);
