/* The engine's functions, made from functions.def: compiled, and as tables. The runner has this file without the rest of the engine.
 *
 * Rows are compiled as they are, each into a variable: -ffp-contract=off is in the project's flags, and functions.def says why nothing
 * else can change a bit.
 */
#include "functions.h"

#include <string.h>

/* --- compiled --- */

#define C_BOOL   gboolean
#define C_INT32  gint32
#define C_INT64  gint64
#define C_UINT64 guint64
#define C_FLOAT  float
#define C_DOUBLE double

#define DO_CONST(T, a, b, c)   ((T) (a))
#define DO_CAST(T, a, b, c)    ((T) (a))
#define DO_BITCAST(T, a, b, c) __extension__ ({ T to_; G_STATIC_ASSERT (sizeof to_ == sizeof (a)); memcpy (&to_, &(a), sizeof to_); to_; })
#define DO_NEG(T, a, b, c)     ((T) -(T) (a))
#define DO_ADD(T, a, b, c)     ((T) (a) + (T) (b))
#define DO_SUB(T, a, b, c)     ((T) (a) - (T) (b))
#define DO_MUL(T, a, b, c)     ((T) (a) * (T) (b))
#define DO_FDIV(T, a, b, c)    ((T) (a) / (T) (b))
#define DO_MAX(T, a, b, c)     ((T) (a) < (T) (b) ? (T) (b) : (T) (a))
#define DO_AND(T, a, b, c)     ((T) (a) & (T) (b))
#define DO_OR(T, a, b, c)      ((T) (a) | (T) (b))
#define DO_XOR(T, a, b, c)     ((T) (a) ^ (T) (b))
#define DO_SHL(T, a, b, c)     ((T) (a) << (b))
#define DO_SHR(T, a, b, c)     ((T) (a) >> (b))
#define DO_CMPLT(T, a, b, c)   ((a) < (__typeof__ (a)) (b))
#define DO_CMPEQ(T, a, b, c)   ((a) == (__typeof__ (a)) (b))
#define DO_CMPNE(T, a, b, c)   ((a) != (__typeof__ (a)) (b))
#define DO_WHERE(T, a, b, c)   ((a) ? (T) (b) : (T) (c))
#define DO_TABLE(T, a, b, c)   ((a)[b])

#define TABLE(name, ...) static const guint64 name[] = { __VA_ARGS__ };
#define FUNCTION(name, op, type, bound) C_##type ls_##name (C_##type x) {
#define R(type, name, op, a, b, c) const C_##type name = DO_##op (C_##type, a, b, c);
#define P(type, name, a, b, c) const C_##type name##_times = DO_MUL (C_##type, a, b,), name = DO_ADD (C_##type, name##_times, c,);
#define END(name, type, result) return result; }
#include "functions.def"
#undef FUNCTION
#undef R
#undef P
#undef END
#undef TABLE

/* --- as tables --- */

#define TABLE(name, ...)
#define FUNCTION(name, op, type, bound) static const LsFunctionRow rows_##name[] = {
#define R(type, name, op, a, b, c) { LS_##type, #name, LS_OP_##op, { #a, #b, #c } },
#define P(type, name, a, b, c) { LS_##type, #name "_times", LS_OP_MUL, { #a, #b, "" } }, { LS_##type, #name, LS_OP_ADD, \
                                                                                           { #name "_times", #c, "" } },
#define END(name, type, result) };
#include "functions.def"
#undef FUNCTION
#undef R
#undef P
#undef END
#undef TABLE

const LsFunctionTable ls_function_tables[] = {
#define TABLE(name, ...) { #name, G_N_ELEMENTS (name), name },
#define FUNCTION(name, op, type, bound)
#define R(type, name, op, a, b, c)
#define P(type, name, a, b, c)
#define END(name, type, result)
#include "functions.def"
#undef FUNCTION
#undef TABLE
  { NULL },
};

const LsFunction ls_functions[] = {
#define TABLE(name, ...)
#define FUNCTION(name, op, type, bound) { #name, LS_OP_##op, LS_##type, bound, G_N_ELEMENTS (rows_##name), \
                                                    rows_##name, (const void *) ls_##name },
#include "functions.def"
  { NULL },
};
