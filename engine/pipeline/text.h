/* What a recording keeps of a kernel's text: its list, its procedure, its source and what the renderer knew of it. */
#pragma once
#include "pipeline.h"

/* The kernel's listing, procedure and source from a pipeline that made them, as far as it came. */
void       ls_kernel_take_text     (LsKernel *kernel, LsPipeline *pipeline);
/* Source links and expressions of a kernel from what its renderer left; it makes copies of texts, which may wait until somebody reads
 * the recording. */
void       ls_kernel_take_rendered (LsTrace *trace, LsKernel *kernel, const LsRendered *rendered);
