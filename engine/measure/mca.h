/* A second opinion on a loop of machine code: LLVM's simulator of the processor's ports, where it is installed. */
#pragma once
#include "hot-loop.h"

/* "llvm-mca: 17.3 cycles per iteration of the hot loop; its ports need 16.0." NULL: it is not installed, there is no loop, or it cannot
 * read it. code: LsInstruction. Free with g_free. */
/* cycles: of each instruction, or NULL: those of the loop get the cycles in which they keep a unit of the processor busy (their reciprocal
 * throughput) in an iteration. */
char *ls_mca_sentence (const GArray *code, const LsHotLoop *loop, double *cycles);
