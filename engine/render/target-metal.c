/* The Metal shading language, as text. It has no double. */
#include "c-style.h"

/* The same in every profile but for the name of half. */
#define METAL(half_name) \
  .head = "#include <metal_stdlib>\nusing namespace metal;\n", \
  .function = "kernel void ", \
  .buffer_space = "device ", .variable = "constant %s& %s", \
  .restricted = "", \
  .more_parameters = "uint3 gid [[threadgroup_position_in_grid]], uint3 lid [[thread_position_in_threadgroup]]", \
  .item_index = "lid.%s", \
  .group_index = "gid.%s", \
  .local_space = "threadgroup ", \
  .barrier = "threadgroup_barrier(mem_flags::mem_threadgroup);", \
  .types = { \
    [LS_BASE_BOOL] = "bool", [LS_BASE_INT8] = "char", [LS_BASE_UINT8] = "uchar", [LS_BASE_UINT16] = "ushort", \
    [LS_BASE_UINT32] = "uint", [LS_BASE_UINT64] = "ulong", [LS_BASE_HALF] = half_name, [LS_BASE_BFLOAT16] = "bfloat", \
  }, \
  .native_half = TRUE, \
  .math_suffix = "", \
  .bitcast = "as_type<%s>(%s)", \
  .constructors = TRUE, \
  .dereference = TRUE

static const LsDialect plain = {
  METAL ("half"),
  .input = "const ",
  .cast_half = TRUE,
  .truth = { "0", "1" },
  .exact = TRUE,
  .hoists = TRUE,
};

static const LsDialect classic = {
  METAL ("half"),
  .input = "const ",
  .cast_constants = TRUE,
  .truth = { "false", "true" },
  .cast = "(%s)(%s)",
  .max = "max(%s,%s)",
  .flat_chains = TRUE,
};

static const LsDialect modern = {
  METAL ("__fp16"),
  .input = "",
  .sized_names = TRUE,
  .cast_half = TRUE,
  .truth = { "0", "1" },
  .cast = "((%s)(%s))",
  .bracketed = TRUE,
  .assigns_choices = TRUE,
  .axis_counters = TRUE,
};

const LsTarget ls_target_metal = {
  .name = "metal",
  .sentence = "The Metal shading language.",
  .syntax = "cpp",
  .has_local = TRUE,
  .max_local = 1024,
  .local_bytes = 32768,
  .dtypes = LS_TARGET_ALL_DTYPES & ~(1u << LS_BASE_DOUBLE | 1u << LS_BASE_FP8E4M3 | 1u << LS_BASE_FP8E5M2),
  .renderer = &ls_renderer_c_style,
  .dialects = { [LS_PROFILE_DEFAULT] = &plain, [LS_PROFILE_CLASSIC] = &classic, [LS_PROFILE_MODERN] = &modern },
};
