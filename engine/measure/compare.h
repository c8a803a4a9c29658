/* Variants of one kernel side by side: their code, their first difference, their results, their times, and the reasons. */
#pragma once
#include "ir/sentence.h"
#include "answer/answer.h"
#include "ask/ask.h"
#include "hot-loop.h"
#include "pipeline/variant.h"
#include "run/measure.h"
#include "trace/equality.h"
#include "why-fast.h"

/* How far values are apart. other: integers, NaN or infinities differ, so that there is no distance. */
typedef struct {
  gboolean other;
  guint64  max_ulp;            /* largest distance of floats */
  double   max_error;
  gint64   first;              /* the first element that differs, or -1 */
} LsApart;
LsApart ls_values_apart (LsDType dtype, guint64 n, const guint8 *a, const guint8 *b);

typedef struct LsComparison LsComparison;

/* An instruction: the line of the source that it is of, 0: not known, and the cycles of an iteration of the hot loop in which it keeps a
 * unit busy, after llvm-mca; NaN: not of that loop, or not known. */
typedef struct { guint line; double cycles; } LsInstructionCost;

typedef struct {
  const LsComparison *of;      /* the comparison that it is in */
  char       *spec;
  char       *error;           /* why there is no code or no result of it; or NULL */
  char       *note;            /* what else is to be known, or NULL */
  char       *writes;          /* "writes its input, argument 1", or NULL: its times are of memory of its own */
  char       *changes;         /* why its calls have different results, or NULL; equal is that of the changed result */
  gboolean    after;           /* the change was seen during or after timing */
  guint       n_calls;         /* on equal memory, whose results were looked at */
  gsize       n_static;        /* bytes of variables that its code keeps between calls, as far as is known: another call may have
                                * another result */
  const char *compiler;        /* the one whose code is timed */
  char       *version, *flags;
  char       *name;            /* of the function */
  double      compile_ms;      /* NaN: it was not compiled; next to nothing where the code was kept */
  char       *options;         /* that were applied, "UPCAST:0:4" */
  GPtrArray  *refused;         /* char *: "UPCAST:0:3: the amount does not divide the axis" */
  gboolean    by_hand;         /* a C file */
  char       *listing, *source;        /* listing: NULL by hand */
  char       *assembly;        /* an instruction a line, addresses from the function's beginning; NULL without code */
  GArray     *code;            /* LsInstruction */
  GArray     *costs;           /* LsInstructionCost of each, or NULL: there is no code */
  LsHotLoop   loop;
  double      flops, bytes;    /* of one launch */
  /* against the first variant; "" or NULL where there is nothing of the kind */
  char       *log_text, *log_first, *log_own;      /* the first difference of the rewrite logs, and both steps there */
  char       *listing_diff, *source_diff, *code_diff;
  LsEquality  equality;
  LsApart     apart;           /* from the first one's result */
  double      bound;           /* how far another order of sums may bring it; NaN: not known */
  LsWhyFast   least;           /* what it must take at the least, where there is `why` */
  char       *mca;             /* a second opinion on its hot loop, or NULL */
  char       *next;            /* what to try next, where its list or machine code says so (next-step.h); or NULL */
  char       *try;             /* the options that this suggests, "UPCAST:0:16,UPCAST:1:8", or NULL */
  char       *why;             /* why it is this fast; NULL: it was not timed, or the machine could not be measured */
} LsComparedVariant;

struct LsComparison {
  guint              kernel;
  char              *kernel_name, *machine;
  guint              n;
  LsComparedVariant *variants;
  LsMeasurement     *times;    /* of those without error, in order; NULL: of none */
  guint             *timed;    /* n: which of times->of a variant has, or G_MAXUINT */
  LsMachineSpeed     speed;      /* flops_per_ns 0: it was not measured */
  guint              n_made_up;  /* buffers that it reads and whose contents were not kept: they hold made up numbers */
};

/* Compiles, runs and times kernel number `kernel` of a recording in n variants, n >= 1, each completed (ls_variant_complete). specs:
 * their texts. The failure of one variant is its error; NULL, with LS_ERROR_USAGE or LS_ERROR_RUN, when there is no such kernel or no
 * memory. */
LsComparison *ls_compare            (LsTrace *trace, guint kernel, guint n, const LsVariant *variants, const char *const *specs,
                                     const LsMeasureHow *how, GError **error);
void          ls_comparison_free    (LsComparison *comparison);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsComparison, ls_comparison_free)
/* The same of a kernel each, of any recordings: they run on the first one's memory, so that one that takes other buffers is an error
 * of its variant. */
typedef struct { LsTrace *trace; guint kernel; } LsComparedKernel;
LsComparison *ls_compare_kernels    (guint n, const LsComparedKernel *kernels, const LsVariant *variants, const char *const *specs,
                                     const LsMeasureHow *how, GError **error);
/* The times of variant k, or NULL. */
const LsMeasured *ls_comparison_times (const LsComparison *comparison, guint k);
/* The time of variant k by that of another one, in the same rounds; NaN where one of them has none, or `to` is n. */
LsTimeRatio       ls_comparison_behind (const LsComparison *comparison, guint k, guint to);
/* The variant with the least time of a result that counts, or n. */
guint             ls_comparison_fastest (const LsComparison *comparison);
/* Whether variant k has the first one's source, compiler and flags. */
gboolean          ls_comparison_same_text (const LsComparison *comparison, guint k);
#define LS_NOT_TIMED LS_TEMPLATE ("three rounds would take more than five times the time budget (--seconds)")
/* Whether variant k has a time. */
gboolean          ls_comparison_is_timed (const LsComparison *comparison, guint k);
/* A comparison as rows. */
extern const LsRecord ls_compare_answer;
/* Whether variant k does the kernel's operations in its time, as far as is known: code by hand with another result, or that may skip
 * work, does not. */
gboolean      ls_comparison_has_rate (const LsComparison *comparison, guint k);
