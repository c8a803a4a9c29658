/* C99 for tcc, gcc and clang: scalars, and the vector extension of gcc and clang where a kernel has vectors. Needs no header: the
 * functions that it uses are declared in front of the function. The classic and modern profiles declare nothing, as the texts that they
 * reproduce did not: a compiler reads the prelude before them.
 *
 * The number of a thread is a byte: its products cannot wrap then, which compilers must know to vectorize adjacent accesses. (As an int
 * a convolution took seven times as long.) */
#include "c-style.h"

#define PRELUDE \
  "#define bool _Bool\n#define true 1\n#define false 0\n#define max(x,y) ((x>y)?x:y)\n" \
  "#if defined __clang__ || defined __GNUC__ && !defined __TINYC__\n#define half _Float16\n#define __fp16 _Float16\n#endif\n" \
  "#define INFINITY (1.0f/0.0f)\n#define NAN (*(float*)&(unsigned int){0x7fc00000u})\n" \
  "double exp2(double); double log2(double); double sin(double); double sqrt(double);\n" \
  "float ls_exp2f(float); float ls_log2f(float); float ls_sinf(float);\n" \
  "double ls_exp2(double); double ls_log2(double); double ls_sin(double);\n" \
  "double trunc(double); double pow(double, double); double fma(double, double, double);\n"

static const LsDialect plain = {
  .function = "void ",
  .buffer_space = "",
  .local_space = "",
  .local_aligned = "__attribute__ ((aligned (64))) ",
  .input = "const ",
  .restricted = " restrict",
  .thread = "const unsigned char %s",
  .prototypes = TRUE,
  .macros = TRUE,
  .vector_types = TRUE,
  .truth = { "0", "1" },
  .exact = TRUE,
  .math_suffix = "f",
  .own_functions = TRUE,
  .hoists = TRUE,
};

/* The names that these texts have are bound to functions by the type of the argument, as the library's were not. */
#define BY_TYPE(name) "#define " #name "(x) _Generic((x), double: ls_" #name ", default: ls_" #name "f)(x)\n"
#define BUILTIN(name) "#define __builtin_" #name " ls_" #name "\n#define __builtin_" #name "f ls_" #name "f\n"

static const LsDialect classic = {
  .prelude = PRELUDE,
  .own_names = BY_TYPE (exp2) BY_TYPE (log2) BY_TYPE (sin),
  .function = "void ",
  .buffer_space = "",
  .local_space = "",
  .local_aligned = "__attribute__ ((aligned (64))) ",
  .input = "const ",
  .restricted = " restrict",
  .thread = "const unsigned char %s",
  .types = { [LS_BASE_BOOL] = "bool" },
  .vector_types = TRUE,
  .native_half = TRUE,
  .cast_constants = TRUE,
  .truth = { "false", "true" },
  .math_suffix = "",
  .cast = "(%s)(%s)",
  .max = "max(%s,%s)",
  .flat_chains = TRUE,
};

static const LsDialect modern = {
  .prelude = PRELUDE,
  .own_names = BUILTIN (exp2) BUILTIN (log2) BUILTIN (sin),
  .function = "void ",
  .buffer_space = "",
  .local_space = "",
  .local_aligned = "__attribute__ ((aligned (64))) ",
  .input = "",
  .restricted = " restrict",
  .thread = "const unsigned char %s",
  .sized_names = TRUE,
  .macros = TRUE,
  .vector_types = TRUE,
  .types_by_use = TRUE,
  .aligned_vectors = TRUE,
  .types = { [LS_BASE_HALF] = "__fp16" },
  .native_half = TRUE,
  .infinity = "__builtin_inff()",
  .nan = "__builtin_nanf(\"\")",
  .bare_constants = TRUE,
  .truth = { "0", "1" },
  .math_prefix = "__builtin_",
  .math_suffix = "f",
  .cast = "((%s)(%s))",
  .dereference = TRUE,
  .bracketed = TRUE,
  .assigns_choices = TRUE,
  .counts_statements = TRUE,
  .axis_counters = TRUE,
};

const LsTarget ls_target_c = {
  .name = "c",
  .sentence = "C99: scalars, and the vectors of gcc and clang.",
  .syntax = "c",
  .max_threads = 64,
  .vector_bytes = 64,
  .dtypes = LS_TARGET_ALL_DTYPES,
  .renderer = &ls_renderer_c_style,
  .dialects = { [LS_PROFILE_DEFAULT] = &plain, [LS_PROFILE_CLASSIC] = &classic, [LS_PROFILE_MODERN] = &modern },
};
