/* What can be said of a kernel's result against another one's. */
#pragma once
#include <glib.h>

/* X (ID, name, sentence): the result of a variant against that of the first */
#define LS_EQUAL_TABLE(X) \
  X (FIRST,     "first",       "the others are compared with it") \
  X (BITS,      "bits",        "the same bits") \
  X (ULP,       "ulp",         "at most 4 units in the last place apart") \
  X (BOUND,     "bound",       "no further apart than another order of its sums may bring them") \
  X (DIFFERS,   "differs",     "other values") \
  X (UNJUDGED,  "not-judged",  "apart, and how far another order may bring them is not known") \
  X (NONE,      "none",        "it gave no values")
typedef enum {
#define X(id, name, sentence) LS_EQUAL_##id,
  LS_EQUAL_TABLE (X)
#undef X
  LS_N_EQUALS
} LsEquality;
extern const char *const ls_equality_names[LS_N_EQUALS + 1];      /* ends with NULL */
