/* Whether a kernel could write its result over one of its inputs. */
#pragma once
#include "trace.h"

/* X (ID, sentence): why a result cannot take the bytes of an input, about "it", the input; NONE: it can */
#define LS_IN_PLACE_TABLE(X) \
  X (NONE,   "each element is read before it is written, and not afterwards") \
  X (SIZE,   "the elements are of another size, or of another number") \
  X (LATER,  "another kernel reads the elements later") \
  X (OTHERS, "the kernel reads other elements than the one that it writes next") \
  X (UNREAD, "the kernel does not read the elements where it can be seen")
typedef enum {
#define X(id, sentence) LS_IN_PLACE_##id,
  LS_IN_PLACE_TABLE (X)
#undef X
  LS_N_IN_PLACE
} LsInPlace;
extern const char *const ls_in_place_sentences[LS_N_IN_PLACE];

/* The kernel's result of that number over its argument, an intermediate buffer: read off its list, in the order of execution. */
LsInPlace ls_in_place (LsTrace *trace, const LsKernel *kernel, guint output, guint argument);
/* The argument that a buffer is of the kernel, or 0: none, or a result. */
guint     ls_argument_of (const LsKernel *kernel, guint buffer);
