/* Explains the time of a kernel without counters: its longest chain of dependent operations, its bytes and its arithmetic, each against
 * the measured speed of this machine. */
#pragma once
#include "pipeline/pipeline.h"
#include "run/run.h"

/* The speed of one core with the code of an optimizing compiler. */
typedef enum { LS_MEMORY_L1, LS_MEMORY_L2, LS_MEMORY_L3, LS_MEMORY_MAIN, LS_N_MEMORIES } LsMemoryLevel;
typedef struct {
  double add_ns, mul_ns;                 /* float32: from an operation to one that waits for it */
  double flops_per_ns;                   /* float32: multiplications and additions in vectors, apart, */
  double fused_per_ns;                   /* and fused, where the machine has that */
  double read_per_ns[LS_N_MEMORIES];     /* bytes */
  double copied_per_ns[LS_N_MEMORIES];   /* bytes read and written, as many of these as of those */
  gsize  bytes[LS_MEMORY_MAIN];          /* what fits into each cache */
} LsMachineSpeed;
/* Measures it, about a second with the compilations, or gives what was measured in the last minute. Of one
 * thread. FALSE, with the error of a launch: it cannot be. */
gboolean ls_machine_measure (LsRunner *runner, LsMachineSpeed *speed, GError **error);

/* The chains through the accumulator of a list that wait most: length operations that follow each other, and count of such chains one
 * after the other in a launch (those of an outer loop, which may overlap). turn: operations of it in an iteration of the innermost
 * loop; fused: some of the list are both. */
typedef struct { double length; guint turn; gboolean multiplies, fused; double count; } LsChain;
/* flat: LsRenderedExpr of a text that writes chains of the same operation without parentheses (dialect's flat_chains), so that it is
 * executed from left to right; NULL: as the list says. */
LsChain  ls_longest_chain (guint n, LsUOp *const *list, const GArray *flat);

typedef enum { LS_BOUND_CHAIN, LS_BOUND_MEMORY, LS_BOUND_ARITHMETIC, LS_BOUND_NONE } LsBoundBy;
/* overlaps: the chains take less time than in sequence, and chain_ns is the time of one; threads: several threads share the work, and
 * the limits of one do not bound it */
typedef struct { double chain_ns, memory_ns, arithmetic_ns; LsMemoryLevel level; LsBoundBy by; guint threads; gboolean overlaps;
                 } LsWhyFast;
/* The minimum time of a kernel with that work and memory (written: in bytes), and the part of it that explains its time: NONE if the
 * largest is less than half. */
LsWhyFast ls_why_fast (const LsMachineSpeed *speed, const LsChain *chain, double flops, double bytes, double written, double footprint,
                       double ns);
/* One sentence with its numbers; free with g_free. chain: NULL where there is no list to find one in. */
char     *ls_why_fast_sentence (const LsWhyFast *why, const LsChain *chain, double flops, double bytes, double ns);
