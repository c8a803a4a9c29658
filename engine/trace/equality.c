#include "equality.h"

const char *const ls_equality_names[LS_N_EQUALS + 1] = {
#define X(id, name, sentence) name,
  LS_EQUAL_TABLE (X)
#undef X
};
