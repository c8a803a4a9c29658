/* The table of faults. See fault.h. */
#include "fault.h"

G_DEFINE_QUARK (ls-fault-quark, ls_fault)

const char *
ls_fault_name (LsFault fault)
{
  static const char *const names[LS_N_FAULTS] = {
#define X(fault, name) name,
    LS_FAULT_TABLE (X)
#undef X
  };
  return names[fault];
}

gboolean
ls_fault_is_wrong (const GError *error)
{
  return error && error->domain == LS_FAULT && error->code != LS_FAULT_TIME && error->code != LS_FAULT_SIZE;
}
