/* Everything that a kernel's code can be made with, each alone: settings, targets, compilers, flags and options. */
#pragma once
#include "compare.h"

/* X (ID, name) */
#define LS_KNOB_TABLE(X) \
  X (AS_IT_IS, "as it is") \
  X (SETTING,  "setting") \
  X (TARGET,   "target") \
  X (COMPILER, "compiler") \
  X (FLAG,     "flag") \
  X (OPTION,   "option")
typedef enum {
#define X(id, name) LS_KNOB_##id,
  LS_KNOB_TABLE (X)
#undef X
} LsKnobKind;

typedef struct { LsKnobKind kind; char *spec, *sentence; } LsKnob;      /* sentence: what it is, or NULL */
typedef struct {
  LsComparison *comparison;      /* a variant each */
  GArray       *rows;            /* LsKnob: the first is the kernel as it is */
} LsKnobs;

/* Compiles, runs and times kernel number `kernel` of a recording as the variant has it, and with each knob alone over that. An option
 * takes the place of the chosen options. seconds: for the rounds of timing. NULL with LS_ERROR_USAGE, LS_ERROR_RUN or an error of the
 * pipeline. Free with ls_knobs_free. */
LsKnobs *ls_knobs      (LsTrace *trace, guint kernel, const LsVariant *variant, double seconds, GError **error);
void     ls_knobs_free (LsKnobs *knobs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsKnobs, ls_knobs_free)
/* As rows; answer->data is the knobs. */
extern const LsRecord ls_knobs_answer, ls_knob_answer;
