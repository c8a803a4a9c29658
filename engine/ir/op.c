/* The ops table made from ops.def, and look-up by name. */
#include "op.h"

#include <string.h>

const LsOpInfo ls_op_infos[LS_N_OPS] = {
#define X(name, cls, arity, arg, symbol, classic, sentence) { #name, LS_CLASS_##cls, arity, LS_FORM_##arg, symbol, classic, sentence },
#include "ops.def"
#undef X
};

LsOp
ls_op_from_name (const char *name)
{
  for (int i = 0; i < LS_N_OPS; i++)
    if (strcmp (ls_op_infos[i].name, name) == 0)
      return i;
  return LS_N_OPS;
}
