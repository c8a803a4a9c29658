/* The loop of machine code that most of the time is spent in, as far as the code alone tells: of the loops without a loop in them the
 * one with most loops around it. */
#pragma once
#include "run/run.h"

typedef struct {
  gboolean found;                /* FALSE: the code has no loop, and the other members are about all of it */
  guint    first, last;          /* instructions, both included */
  guint    n;                    /* instructions */
  guint    vector_bits;          /* widest register that arithmetic of the loop works on; of scalar floats their own 32 or 64; 0: no
                                  * arithmetic of floats or vectors */
  guint    vector_registers, general_registers;      /* different ones that it names */
  guint    n_arithmetic;         /* instructions with floats or vectors that compute */
  guint    n_memory;             /* instructions that read or write memory */
} LsHotLoop;

/* code: LsInstruction. */
LsHotLoop ls_hot_loop (const GArray *code);
