/* The options that a kernel can take, and those that it has. */
#pragma once
#include "ask/ask.h"
#include "pipeline/variant.h"

/* For buffer `buffer` (the number of its argument): elements from one iteration of the axis to the next; LS_NO_STRIDE: it varies. */
#define LS_NO_STRIDE G_MAXINT64
typedef struct { guint buffer; gboolean is_store; gint64 stride; } LsAxisStride;
typedef struct {
  guint       axis, part;      /* options name the axis; they split part 0 */
  char       *name;            /* of the loop, "i" */
  const char *type;            /* "loop", "reduce", "global", … */
  gint64      size;
  GArray     *strides;         /* LsAxisStride, of each buffer that is read or written */
} LsOptionAxis;

typedef struct {
  char       *text;            /* "UPCAST:0:4" */
  gboolean    legal;           /* on the kernel without options */
  char       *reason;          /* why not, or NULL */
  const char *chosen_by;       /* "you", "heuristic", or NULL: nobody */
  char       *why;             /* the heuristic's reason, or NULL */
} LsOptionRow;

typedef struct {
  guint   kernel;
  char   *name;                /* without options */
  GArray *axes;                /* LsOptionAxis, in the order of axes */
  GArray *options;             /* LsOptionRow: those that the kernel got or was refused, in order, then others: of each axis the
                                * powers of two up to 32, and the whole; of two axes each pair */
} LsKernelOptions;

/* NULL, with LS_ERROR_USAGE or an error of the pipeline, when there is no such kernel or its graph cannot be lowered. variant:
 * settings and target; its options, or the heuristic's choice, are those that the kernel gets. */
LsKernelOptions *ls_kernel_options      (LsTrace *trace, guint kernel, const LsVariant *variant, GError **error);
void             ls_kernel_options_free (LsKernelOptions *options);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsKernelOptions, ls_kernel_options_free)
extern const LsRecord ls_kernel_options_answer;
