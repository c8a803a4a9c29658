/* The memory plan: where intermediate buffers could lie, given when each is written first and read last. */
#pragma once
#include "trace/trace.h"

/* reuse: bytes may be used again, else each buffer has its own (MEMORY_PLAN=0). in_place: a result may take the bytes of an input. */
typedef struct { gboolean reuse, in_place; } LsMemoryHow;

/* As the recording's settings say; in_place not where they are from before there was that. */
LsMemoryHow ls_memory_how (const LsTrace *trace);
/* Gives each intermediate buffer (LsTraceBuffer *) an offset in one block, so that two that live at the same time never overlap, except a
 * result that takes exactly the place of an input which ends there; others get -1. Returns the size of the block in bytes. Buffers are
 * aligned to 64 bytes. trace: of the kernels, by which in_place is judged. */
gint64 ls_memory_plan (LsTrace *trace, GPtrArray *buffers, LsMemoryHow how);
/* The most bytes of intermediate buffers that live at one kernel, which *kernel gets: a bound for a plan without in_place. */
gint64 ls_memory_alive (const GPtrArray *buffers, guint *kernel);
