/* The text of a kernel in a recording: its list, its procedure, its source and the renderer's table. */
#pragma once
#include "pipeline.h"

/* The kernel's listing, procedure and source from a pipeline that made them, as far as it came. */
void       ls_kernel_take_text     (LsKernel *kernel, LsPipeline *pipeline);
/* Source links and expressions of a kernel from its renderer; it copies texts, which may wait until somebody reads the recording. */
void       ls_kernel_take_rendered (LsTrace *trace, LsKernel *kernel, const LsRendered *rendered);
