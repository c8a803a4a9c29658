/* The memory plan: where intermediate buffers could lie, given when each is written first and read last. */
#pragma once
#include "trace/trace.h"

/* Gives each intermediate buffer (LsTraceBuffer *) an offset in one block, so that two that live at the same time never overlap;
 * others get -1. Returns the size of the block in bytes. Buffers are aligned to 64 bytes. */
gint64 ls_memory_plan (GPtrArray *buffers);
