/* What to try next on a kernel, where its axes, its machine code or the bound of its time suggest it. A suggestion is an option that the
 * kernel can take, not a promise: the reason is a fact, and comparing says whether it helps. */
#pragma once
#include "hot-loop.h"
#include "kernel-options.h"
#include "why-fast.h"

typedef struct {
  const LsKernelOptions *options;      /* of the kernel */
  const char            *applied;      /* the options that it has, "UPCAST:0:8,UPCAST:1:2" */
  const guint           *item_bytes;   /* of each argument's elements */
  guint                  n_arguments;
  const GArray          *code;         /* LsInstruction, or NULL */
  const LsHotLoop       *loop;
  const LsWhyFast       *why;          /* or NULL: not known */
  const LsChain         *chain;
  double                 ns, best_ns;  /* its time, and the least one of those that it is compared with */
  gboolean               has_products; /* it adds products of floats, each of which could be fused with its addition */
  double                 fused_gain;   /* how many times as many operations of floats the machine does fused; NaN: not known */
} LsNextFacts;

/* A sentence (ir/sentence.h), or NULL: nothing is known. Free with g_free. try: the options that it suggests instead of those that the
 * kernel has, "UPCAST:0:16,UPCAST:1:8", or NULL: it suggests none. Free with g_free. */
char *ls_next_step (const LsNextFacts *facts, char **try);
/* Instructions of the loop that move vectors between registers and the stack. */
guint ls_loop_spills (const GArray *code, const LsHotLoop *loop);
