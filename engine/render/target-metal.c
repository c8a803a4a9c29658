/* The Metal shading language, as text. It has no double. */
#include "render-private.h"

const LsDialect ls_dialect_metal = {
  .target = { .name = "metal", .has_local = TRUE, .has_vectors = TRUE, .has_half = TRUE, .max_local = 1024 },
  .head = "#include <metal_stdlib>\nusing namespace metal;\n",
  .function = "kernel void ",
  .buffer_space = "device ",
  .restricted = "",
  .more_parameters = "uint3 gid [[threadgroup_position_in_grid]], uint3 lid [[thread_position_in_threadgroup]]",
  .item_index = "lid.%s",
  .group_index = "gid.%s",
  .local_space = "threadgroup ",
  .barrier = "threadgroup_barrier(mem_flags::mem_threadgroup);",
  .math_suffix = "",
  .bitcast = "as_type<%s>",
  .dereference = TRUE,
  .constructors = TRUE,
  .types = {
    [LS_BASE_BOOL] = "bool", [LS_BASE_INT8] = "char", [LS_BASE_UINT8] = "uchar", [LS_BASE_UINT16] = "ushort",
    [LS_BASE_UINT32] = "uint", [LS_BASE_UINT64] = "ulong", [LS_BASE_BFLOAT16] = "bfloat", [LS_BASE_DOUBLE] = "",
  },
};
