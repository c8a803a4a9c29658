/* C99 for tcc, gcc and clang: scalars, and the vector extension of gcc and clang where a kernel has vectors. Needs no
 * header: what it uses is declared in front of the function. */
#include "render-private.h"

const LsDialect ls_dialect_c = {
  .target = { .name = "c", .has_local = FALSE, .has_vectors = TRUE, .has_half = FALSE, .max_local = 0 },
  .function = "void ",
  .buffer_space = "",
  .restricted = " restrict",
  .math_suffix = "f",
  .prototypes = TRUE,
};
