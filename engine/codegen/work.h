/* The work of one launch of a kernel, in operations and bytes: its time is compared with it. */
#pragma once
#include "ir/uop.h"

/* root: the lowered graph, before its ranges are split. flops: arithmetic outside of indices; an op counts once per iteration of the ranges
 * that it depends on. bytes: of the elements that are read and of those that are written, see work.c. */
void ls_count_work (LsContext *ctx, LsUOp *root, double *flops, double *bytes);
