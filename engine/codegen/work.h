/* What a kernel does in one launch, in operations and bytes: what its time is measured against. */
#pragma once
#include "ir/uop.h"

/* root: the lowered graph, before its ranges are split. flops: arithmetic outside of indices; an op counts once per iteration of the ranges
 * that it depends on. bytes: of the elements that are read and of those that are written, see work.c. */
void ls_count_work (LsContext *ctx, LsUOp *root, double *flops, double *bytes);
