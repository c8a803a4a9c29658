/* The meaning of every op in every dtype: the only definition.
 *
 * A scalar is held as int64 (integers and bool; unsigned ones zero-extended, signed sign-extended, uint64 as its bits) or
 * as double (all floats, holding exactly a value of the dtype). The interpreter, constant folding and the property tests
 * all call these functions.
 *
 * Stated results where C and machines differ: integers wrap; x/0 and x%0 are 0 for IDIV, MOD, FLOORDIV, FLOORMOD; INT_MIN/-1 wraps to
 * INT_MIN and INT_MIN%-1 is 0; SHL by a distance >= the width (or negative) is 0, SHR by such a distance is 0 for unsigned and the sign
 * (0 or -1) for signed; float to an integer of up to 32 bits other than uint32 goes through int32, of uint32 and int64 through int64,
 * each giving the smallest int of that width for NaN and values out of its range, and then wraps; uint64 takes values of 2^63 and more
 * by their own bits and others through int64; anything to bool is x != 0 (NaN is true). half and bfloat16 are computed in float (double
 * for conversions from int64 and double) and rounded once, to nearest even, after each op. The floats of 8 bits behave the same way,
 * with one NaN of each sign: larger numbers become their largest number; infinity stays infinity if the dtype has one (e5m2) and is NaN
 * if not (e4m3). EXP2, LOG2 and SIN are the engine's own functions (functions.def), of 16-bit and 8-bit floats those of float; SQRT is
 * correctly rounded; POW of float is the C library's float function, of double its double function. MAX of floats is (a < b ? b : a),
 * except that a NaN in either gives NaN.
 */
#pragma once
#include "uop.h"

typedef union { gint64 i; double f; } LsScalar;

/* The value wrapped or rounded to the dtype's range. */
LsScalar ls_scalar_fit  (LsDType dtype, LsScalar value);
/* One lane of an ALU op: src_dtype is the dtype of the (last) source, dtype that of the result. */
LsScalar ls_eval_alu    (LsOp op, LsDType dtype, LsDType src_dtype, const LsScalar *src);
/* The same of a node, whose EXP2, LOG2 or SIN may be the C library's (ls_context_use_library). */
LsScalar ls_eval_node   (const LsUOp *u, LsDType dtype, LsDType src_dtype, const LsScalar *src);
/* EXP2, LOG2 or SIN by the C library. */
LsScalar ls_eval_library (LsOp op, LsDType dtype, const LsScalar *src);
LsScalar ls_eval_cast   (LsDType to, LsDType from, LsScalar value);
LsScalar ls_eval_bitcast (LsDType to, LsDType from, LsScalar value);
/* The neutral element of a reduce with ADD, MUL or MAX. */
LsScalar ls_eval_identity (LsOp op, LsDType dtype);
/* To and from memory in the dtype's layout (itemsize bytes, native order). */
LsScalar ls_scalar_load  (LsDType dtype, const void *memory);
void     ls_scalar_store (LsDType dtype, void *memory, LsScalar value);
/* The value of a CONST's arg, and back. */
LsScalar ls_scalar_from_arg (LsDType dtype, LsArg arg);
LsArg    ls_scalar_to_arg   (LsDType dtype, LsScalar value);
guint16  ls_half_from_double (double value);
double   ls_half_to_double   (guint16 bits);
guint16  ls_bfloat16_from_double (double value);
double   ls_bfloat16_to_double   (guint16 bits);
guint8   ls_fp8_from_double      (LsDType dtype, double value);
double   ls_fp8_to_double        (LsDType dtype, guint8 bits);
