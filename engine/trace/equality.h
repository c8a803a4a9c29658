/* The possible relations of a kernel's result to another one's. */
#pragma once
#include <glib.h>

/* X (ID, name, sentence): the result of a variant against that of the first */
#define LS_EQUAL_TABLE(X) \
  X (FIRST,     "first",       "the baseline of the comparison") \
  X (BITS,      "bits",        "the same bits") \
  X (ULP,       "ulp",         "differ by at most 4 units in the last place") \
  X (BOUND,     "bound",       "differ by no more than another order of summation may cause") \
  X (DIFFERS,   "differs",     "other values") \
  X (UNJUDGED,  "not-judged",  "differ, and the effect of another order of summation is not known") \
  X (NONE,      "none",        "it has no values")
typedef enum {
#define X(id, name, sentence) LS_EQUAL_##id,
  LS_EQUAL_TABLE (X)
#undef X
  LS_N_EQUALS
} LsEquality;
extern const char *const ls_equality_names[LS_N_EQUALS + 1];      /* ends with NULL */
