/* The faults of a graph or a kernel in execution or evaluation: codes of the error domain LS_FAULT, distinguished by code alone. */
#pragma once
#include <glib.h>

#define LS_FAULT_TABLE(X) \
  X(OUTSIDE,   "outside")      /* a read or write outside a buffer, or outside the source of a view */ \
  X(NO_BUFFER, "no-buffer")    /* a buffer that there is not */ \
  X(BARRIER,   "barrier")      /* a barrier that some work items of a group reach and others do not */ \
  X(TIME,      "time")         /* more time than the limit allows */ \
  X(SIZE,      "size")         /* more values, iterations or work items than there is room for */

typedef enum {
#define X(fault, name) LS_FAULT_##fault,
  LS_FAULT_TABLE (X)
#undef X
  LS_N_FAULTS
} LsFault;

#define LS_FAULT (ls_fault_quark ())
GQuark      ls_fault_quark    (void);
const char *ls_fault_name     (LsFault fault);
/* Is it the graph's own, so that any execution of it is wrong? Time and size are limits of who executes. */
gboolean    ls_fault_is_wrong (const GError *error);
