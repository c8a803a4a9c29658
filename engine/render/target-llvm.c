/* LLVM's language, for the processor that runs it: the same rows as for C, with its vectors and threads. */
#include "llvm.h"

const LsTarget ls_target_llvm = {
  .name = "llvm",
  .sentence = "LLVM's language, from the same rows as C.",
  .syntax = "llvm",
  .max_threads = 64,
  .vector_bytes = 64,
  .dtypes = LS_TARGET_ALL_DTYPES,
  .renderer = &ls_renderer_llvm,
};
