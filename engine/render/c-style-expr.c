/* The expression of one node, in the expressions of its sources.
 *
 * An exact dialect follows ir/eval.h for all inputs: results narrower than int are cast back to their type, a division that may meet 0
 * or −1 and a shift that may exceed the width are guarded (known bounds save the guard), MAX passes NaN on, a float becomes an integer
 * through the signed type that the machine converts to. The others are the texts of their time and promise none of this.
 *
 * An operand that its text repeats (ls_render_twice) has a variable or is a constant, so that text stays linear.
 */
#include "c-style-private.h"

#include <math.h>
#include <string.h>
#include "codegen/procedure-passes.h"
#include "ir/print.h"

static const char *
operand (LsRender *r, const LsUOp *u, guint s)
{
  const char *expr = s < u->n_src ? ls_render_read (r, u->src[s]) : NULL;
  if (!expr)
    ls_render_fail (r, u, "uses a value that has no expression");
  return expr ? expr : "0";
}

static gboolean
is_infix (LsOp op)
{
  switch ((int) op) {
  case LS_OP_ADD: case LS_OP_SUB: case LS_OP_MUL: case LS_OP_FDIV: case LS_OP_AND: case LS_OP_OR: case LS_OP_XOR:
  case LS_OP_CMPLT: case LS_OP_CMPEQ: case LS_OP_CMPNE: return TRUE;
  default: return FALSE;
  }
}

/* Integers that C computes in int. */
static gboolean
is_narrow (LsDType d)
{
  return ls_dtype_is_bool (d) || ((ls_dtype_is_int (d)) && ls_dtype_bits (d) < 32);
}

/* --- guards --- */

static gboolean
is_small_shift (LsRender *r, LsUOp *distance, guint width)
{
  gint64 low, high;
  ls_uop_bounds (r->ctx, distance, &low, &high);
  return low >= 0 && high < (gint64) width;
}

/* May C say nothing of the result, or another one? */
static gboolean
is_unguarded (LsRender *r, LsUOp *u)
{
  gint64 low, high;
  if (u->n_src < 2 || ls_dtype_lanes (u->dtype) > 1)
    return FALSE;
  if (u->op == LS_OP_SHL || u->op == LS_OP_SHR)
    return !is_small_shift (r, u->src[1], ls_dtype_is_bool (u->dtype) ? 1 : ls_dtype_bits (u->dtype));
  if (u->op != LS_OP_IDIV && u->op != LS_OP_MOD)
    return FALSE;
  ls_uop_bounds (r->ctx, u->src[1], &low, &high);
  if (low <= 0 && high >= 0)
    return TRUE;
  if (ls_dtype_is_unsigned (u->dtype) || is_narrow (u->dtype) || low > -1 || high < -1)
    return FALSE;
  ls_uop_bounds (r->ctx, u->src[0], &low, &high);
  return low == ls_dtype_min_i (u->dtype);
}

static gboolean
needs_guard (LsRender *r, LsUOp *u)
{
  return is_unguarded (r, u) && ASK (r, exact);
}

static gboolean
is_unsigned_like (LsDType d)
{
  return ls_dtype_is_unsigned (d) || ls_dtype_is_bool (d);
}

gboolean
ls_render_twice (LsRender *r, LsUOp *u, guint s)
{
  switch ((int) u->op) {
  case LS_OP_MAX: return ASK (r, exact);
  case LS_OP_IDIV: return needs_guard (r, u) && (s == 1 || !is_unsigned_like (u->dtype));
  case LS_OP_MOD: case LS_OP_SHL: case LS_OP_SHR: return needs_guard (r, u) && s == 1;
  case LS_OP_CAST: return ls_dtype_base (u->dtype) == LS_BASE_UINT64 && ls_dtype_is_float (u->src[0]->dtype) && ASK (r, exact);
  case LS_OP_GEP: return TRUE;
  default: return FALSE;
  }
}

/* A maximum of floats asks which of the two is a NaN, unless the second is known to be none. */
static gboolean
may_be_nan (LsRender *r, LsUOp *u)
{
  return u->op == LS_OP_MAX && ls_dtype_is_float (u->dtype) && !ASK (r, max) && !(u->src[1]->op == LS_OP_CONST &&
                                                                                  !isnan (u->src[1]->arg.f));
}

const char *
ls_render_guard (LsRender *r, LsUOp *u)
{
  if (may_be_nan (r, u))
    return "x != x is true for NaN only, which a maximum must keep";
  if (!needs_guard (r, u))
    return NULL;
  return u->op == LS_OP_SHL || u->op == LS_OP_SHR ? "a shift by the bit width or more leaves the sign only; it is undefined in C"
                                                  : "division by 0 gives 0, and by -1 it wraps; both are undefined in C";
}

static void
append_division (LsRender *r, GString *out, LsUOp *u)
{
  const char *a = operand (r, u, 0), *b = operand (r, u, 1);
  const char *symbol = u->op == LS_OP_IDIV ? "/" : "%";
  if (!needs_guard (r, u))
    g_string_append_printf (out, "(%s%s%s)", a, symbol, b);
  else if (is_unsigned_like (u->dtype))
    g_string_append_printf (out, "(%s==0?0:%s%s%s)", b, a, symbol, b);
  else if (u->op == LS_OP_IDIV)
    g_string_append_printf (out, "(%s==0?0:(%s==-1?(-%s):%s/%s))", b, b, a, a, b);
  else
    g_string_append_printf (out, "(%s==0||%s==-1?0:%s%%%s)", b, b, a, b);
}

static void
append_shift (LsRender *r, GString *out, LsUOp *u)
{
  const char *a = operand (r, u, 0), *b = operand (r, u, 1);
  guint width = ls_dtype_is_bool (u->dtype) ? 1 : ls_dtype_bits (u->dtype);
  const char *symbol = u->op == LS_OP_SHL ? "<<" : ">>";
  g_autofree char *fits = width == 64 ? g_strdup_printf ("(unsigned long)%s<64ul", b) : g_strdup_printf ("(unsigned int)%s<%uu", b, width);
  if (!needs_guard (r, u))
    g_string_append_printf (out, "(%s%s%s)", a, symbol, b);
  else if (u->op == LS_OP_SHR && !is_unsigned_like (u->dtype))
    g_string_append_printf (out, "(%s>>(%s?%s:%u))", a, fits, b, width - 1);
  else
    g_string_append_printf (out, "(%s?%s%s%s:0)", fits, a, symbol, b);
}

/* --- functions --- */

static void
append_call (LsRender *r, GString *out, LsUOp *u, const char *name)
{
  static const char *const commas[] = { "", ",float", ",float,float" };
  gboolean is_double = ls_dtype_base (u->dtype) == LS_BASE_DOUBLE;
  const char *suffix = is_double ? "" : ASK (r, math_suffix);
  guint n = MIN (u->n_src, 3);
  if (n && ASK (r, prototypes)) {
    static const char *const double_commas[] = { "", ",double", ",double,double" };
    const char *type = is_double ? "double" : "float";
    g_autofree char *prototype = g_strdup_printf ("%s %s%s(%s%s);", type, name, suffix, type, (is_double ? double_commas : commas)[n - 1]);
    ls_render_need (r, g_intern_string (prototype));
  }
  g_string_append_printf (out, "%s%s%s(", ASK (r, math_prefix) ? r->dialect->math_prefix : "", name, suffix);
  for (guint s = 0; s < n; s++)
    g_string_append_printf (out, "%s%s", s ? "," : "", operand (r, u, s));
  g_string_append_c (out, ')');
}

/* A function that is the engine's own (ir/functions.h), unless the setting asks for the library's. A text that has the language's name
 * for it means the engine's only where that name is bound to it. */
static void
append_own (LsRender *r, GString *out, LsUOp *u, const char *name, const char *own)
{
  gboolean wanted = r->settings->TRANSCENDENTAL != 0, calls = wanted && ASK (r, own_functions);
  if (wanted && !calls && !ASK (r, own_names) && !r->departs)
    r->departs = "exp2, log2 and sin, which are the language's own";
  append_call (r, out, u, calls ? own : name);
}

/* For integers, wrapping as products do. */
static void
append_power (LsRender *r, GString *out, LsUOp *u)
{
  const char *name = is_unsigned_like (u->dtype) ? "ls_upow" : "ls_ipow";
  ls_render_need (r, name);
  g_string_append_printf (out, "(%s)%s(%s,%s)", ls_render_type (r, u->dtype), name, operand (r, u, 0), operand (r, u, 1));
}

static void
append_max (LsRender *r, GString *out, LsUOp *u)
{
  const char *a = operand (r, u, 0), *b = operand (r, u, 1);
  if (ASK (r, max))
    ls_render_fill (out, r->dialect->max, a, b);
  else if (may_be_nan (r, u))
    g_string_append_printf (out, "(%s<%s||%s!=%s?%s:%s)", a, b, b, b, b, a);
  else      /* a NaN on the left stays: it is less than nothing */
    g_string_append_printf (out, "(%s<%s?%s:%s)", a, b, b, a);
}

/* --- conversions --- */

/* A value of a 16-bit float dtype that the compiler lacks: rounded by way of its bits. */
static void
append_rounded (LsRender *r, GString *out, LsDType dtype, const char *round, const char *value, LsRenderInfo *info)
{
  const char *from = ls_render_from_bits (r, dtype);
  ls_render_need (r, round);
  g_string_append_printf (out, "%s(%s(%s))", from, round, value);
  info->bits = TRUE;
}

static void
append_cast (LsRender *r, GString *out, LsUOp *u, LsRenderInfo *info)
{
  const char *x = operand (r, u, 0);
  LsDType to = u->dtype, from = u->src[0]->dtype;
  const char *type = ls_render_type (r, to);
  if (ls_dtype_lanes (to) > 1) {
    if (ASK (r, constructors))
      g_string_append_printf (out, "%s(%s)", type, x);
    else
      g_string_append_printf (out, "__builtin_convertvector(%s, %s)", x, type);
  } else if (ASK (r, cast))
    ls_render_fill (out, r->dialect->cast, type, x);
  else if (!ls_render_native (r, to)) {
    gboolean wide = ls_dtype_base (from) == LS_BASE_DOUBLE || (!ls_dtype_is_float (from) && ls_dtype_bits (from) >= 32);
    g_autofree char *value = g_strdup_printf (wide ? "(double)(%s)" : ls_dtype_is_float (from) ? "%s" : "(float)(%s)", x);
    append_rounded (r, out, to, wide ? ls_render_wide_to_bits (r, to) : ls_render_to_bits (r, to), value, info);
  }
  /* tcc leaves the sign in (unsigned short)(signed char)x; by way of int it does not */
  else if (is_narrow (to) && is_narrow (from) && !ls_dtype_is_bool (to))
    g_string_append_printf (out, "(%s)(int)(%s)", type, x);
  else if (!ls_dtype_is_float (from) || ls_dtype_is_float (to))
    g_string_append_printf (out, "(%s)(%s)", type, x);
  else if (ls_dtype_is_bool (to))
    g_string_append_printf (out, "(%s!=0)", x);
  else if (ls_dtype_base (to) == LS_BASE_UINT64) {
    const char *f = ls_dtype_base (from) == LS_BASE_DOUBLE ? "" : "f";
    g_string_append_printf (out, "(%s>=9223372036854775808.0%s&&%s<18446744073709551616.0%s?(%s)(long)(%s-9223372036854775808.0%s)"
                            "^9223372036854775808ul:(%s)(long)(%s))",
                            x, f, x, f, type, x, f, type, x);
  } else if (ls_dtype_base (to) == LS_BASE_UINT32)
    g_string_append_printf (out, "(%s)(long)(%s)", type, x);
  else if (is_narrow (to))
    g_string_append_printf (out, "(%s)(int)(%s)", type, x);
  else
    g_string_append_printf (out, "(%s)(%s)", type, x);
}

static void
append_bitcast (LsRender *r, GString *out, LsUOp *u, guint depth)
{
  const char *x = operand (r, u, 0);
  if (ASK (r, bitcast)) {
    ls_render_fill (out, r->dialect->bitcast, ls_render_type (r, u->dtype), x);
    return;
  }
  const char *to_bits = ls_render_to_bits (r, u->src[0]->dtype), *from_bits = ls_render_from_bits (r, u->dtype);
  char name[32];
  if (u->src[0]->op == LS_OP_PRECAST)
    g_strlcpy (name, x, sizeof name);
  else {
    g_snprintf (name, sizeof name, "precast%u", r->n_precast++);
    ls_render_line (r, depth, u, ls_render_stored (r, u->src[0]->dtype), " ", name, " = ", to_bits ? to_bits : "", to_bits ? "(" : "", x,
                    to_bits ? ")" : "", ";", NULL);
  }
  g_string_append_printf (out, "%s(*((%s*)&%s))", from_bits ? from_bits : "", ls_render_stored (r, u->dtype), name);
}

/* --- vectors --- */

static void
append_lane (LsRender *r, GString *out, LsUOp *u, gint64 lane)
{
  if (lane < 4 && ASK (r, constructors))
    g_string_append_printf (out, "(%s).%c", operand (r, u, 0), "xyzw"[lane & 3]);
  else
    g_string_append_printf (out, "%s[%" G_GINT64_FORMAT "]", operand (r, u, 0), lane);
}

static void
append_vector (LsRender *r, GString *out, LsUOp *u)
{
  const char *type = ls_render_type (r, u->dtype);
  gboolean is_gep = u->op == LS_OP_GEP;
  guint n = is_gep ? (u->arg.kind == LS_ARG_INTS ? u->arg.n : 1) : u->n_src;
  gboolean whole = ls_dtype_lanes (u->dtype) > 1;
  if (whole)
    g_string_append_printf (out, ASK (r, constructors) ? "%s(" : "(%s){", type);
  for (guint i = 0; i < n; i++) {
    if (i)
      g_string_append_c (out, ',');
    if (is_gep)
      append_lane (r, out, u, u->arg.kind == LS_ARG_INTS ? u->arg.ints[i] : u->arg.kind == LS_ARG_INT ? u->arg.i : 0);
    else
      g_string_append (out, operand (r, u, i));
  }
  if (whole)
    g_string_append_c (out, ASK (r, constructors) ? ')' : '}');
}

/* --- all together --- */

/* The text of a source; a chain of the same op loses the inner parentheses, on the right only if order does not count, or to reproduce a
 * text of its time: results of passes over the procedure have none. */
static void
append_operand (LsRender *r, GString *out, LsUOp *u, guint s)
{
  const char *text = operand (r, u, s);
  gboolean chains = u->op == LS_OP_ADD || u->op == LS_OP_MUL || u->op == LS_OP_XOR;
  gboolean same = chains && ls_render_info (r, u->src[s])->wrapped && u->src[s]->op == u->op;
  if (u->op == LS_OP_SUB && s == 1 && text[0] == '-')
    g_string_append_printf (out, "(%s)", text);
  else if (same && (s == 0 || !ls_dtype_is_float (u->dtype) || (!ls_proc_passes_are_on (r->settings) && ASK (r, flat_chains))))
    g_string_append_len (out, text + 1, strlen (text) - 2);
  else
    g_string_append (out, text);
}

static void
append_core (LsRender *r, GString *out, LsUOp *u, LsRenderInfo *info)
{
  gboolean is_float = ls_dtype_is_float (u->dtype);
  switch ((int) u->op) {
  case LS_OP_NEG: g_string_append_printf (out, ls_dtype_is_bool (u->dtype) && !ASK (r, exact) ? "(!%s)" : "(-%s)", operand (r, u, 0));
  break;
  case LS_OP_NOT: g_string_append_printf (out, ls_dtype_is_bool (u->dtype) ? "(!%s)" : "(~%s)", operand (r, u, 0)); break;
  case LS_OP_RECIP:
    g_string_append_printf (out, !ASK (r, exact) ? "(1/%s)" : ls_dtype_base (u->dtype) == LS_BASE_DOUBLE ? "(1.0/%s)" : "(1.0f/%s)",
                            operand (r, u, 0));
    break;
  case LS_OP_SQRT: append_call (r, out, u, "sqrt"); break;
  case LS_OP_EXP2: append_own (r, out, u, "exp2", "ls_exp2"); break;
  case LS_OP_LOG2: append_own (r, out, u, "log2", "ls_log2"); break;
  case LS_OP_SIN: append_own (r, out, u, "sin", "ls_sin"); break;
  case LS_OP_TRUNC:
    if (is_float)
      append_call (r, out, u, "trunc");
    else
      g_string_append (out, operand (r, u, 0));
    break;
  case LS_OP_POW:
    if (is_float)
      append_call (r, out, u, "pow");
    else
      append_power (r, out, u);
    break;
  case LS_OP_MULACC:
    if (is_float)
      append_call (r, out, u, "fma");
    else
      g_string_append_printf (out, "(%s*%s+%s)", operand (r, u, 0), operand (r, u, 1), operand (r, u, 2));
    break;
  case LS_OP_MAX: append_max (r, out, u); break;
  case LS_OP_IDIV: case LS_OP_MOD: append_division (r, out, u); break;
  case LS_OP_SHL: case LS_OP_SHR: append_shift (r, out, u); break;
  case LS_OP_WHERE: g_string_append_printf (out, "(%s?%s:%s)", operand (r, u, 0), operand (r, u, 1), operand (r, u, 2)); break;
  case LS_OP_CAST: append_cast (r, out, u, info); break;
  case LS_OP_BITCAST: append_bitcast (r, out, u, info->depth); break;
  case LS_OP_PRECAST: {
    const char *to_bits = ls_render_to_bits (r, u->dtype);
    g_string_append_printf (out, to_bits ? "%s(%s)" : "%s%s", to_bits ? to_bits : "", operand (r, u, 0));
    break;
  }
  case LS_OP_VECTORIZE: case LS_OP_GEP: append_vector (r, out, u); break;
  default:
    if (!is_infix (u->op)) {
      ls_render_fail (r, u, "has no expression in this language");
      break;
    }
    g_string_append_c (out, '(');
    append_operand (r, out, u, 0);
    g_string_append (out, ls_op_info (u->op)->symbol);
    append_operand (r, out, u, 1);
    g_string_append_c (out, ')');
  }
}

static gboolean
rounds (LsOp op)
{
  switch ((int) op) {
  case LS_OP_ADD: case LS_OP_SUB: case LS_OP_MUL: case LS_OP_FDIV: case LS_OP_RECIP: case LS_OP_SQRT: case LS_OP_EXP2:
  case LS_OP_LOG2: case LS_OP_SIN: case LS_OP_POW: case LS_OP_MULACC: return TRUE;
  default: return FALSE;
  }
}

/* Whether a result of C's int may be outside the narrow dtype that it represents. */
static gboolean
leaves_type (const LsUOp *u)
{
  gboolean is_bool = ls_dtype_is_bool (u->dtype);
  switch ((int) u->op) {
  case LS_OP_ADD: case LS_OP_SUB: case LS_OP_NEG: case LS_OP_MULACC: return TRUE;
  case LS_OP_MUL: case LS_OP_SHL: return !is_bool;
  case LS_OP_NOT: return ls_dtype_is_unsigned (u->dtype);
  case LS_OP_IDIV: return !is_unsigned_like (u->dtype);
  default: return FALSE;
  }
}

/* Undefined behavior that a text relies on if it is not exact. */
static void
note_departure (LsRender *r, LsUOp *u)
{
  const char *what = NULL;
  gboolean to_integer = u->op == LS_OP_CAST && u->n_src > 0 && ls_dtype_is_float (u->src[0]->dtype) && ls_dtype_is_int (u->dtype);
  if (is_unguarded (r, u))
    what = u->op == LS_OP_SHL || u->op == LS_OP_SHR ? "shifts that may exceed the bit width" : "integer divisions that may be by zero";
  else if (to_integer)
    what = "casts of floats to integers that may not hold them";
  else if (u->op == LS_OP_MAX && ls_dtype_is_float (u->dtype))
    what = "a maximum that may have a NaN operand";
  for (guint s = 0; !what && s < u->n_src; s++) {
    LsUOp *x = u->src[s];
    if (ls_op_is_alu (x->op) && is_narrow (x->dtype) && leaves_type (x) && !ls_render_info (r, x)->assigned &&
        !(ls_dtype_is_bool (x->dtype) && x->op == LS_OP_NEG))
      what = ls_dtype_is_bool (x->dtype) ? "sums of bools, which C does in int" : "arithmetic of narrow integers, which C does in int";
  }
  if (what && !r->departs)
    r->departs = what;
}

static void
check_meaning (LsRender *r, LsUOp *u)
{
  gboolean is_float = ls_dtype_is_float (u->dtype);
  gboolean vector = ls_dtype_lanes (u->dtype) > 1;
  switch ((int) u->op) {
  case LS_OP_RECIP: case LS_OP_SQRT: case LS_OP_EXP2: case LS_OP_LOG2: case LS_OP_SIN: case LS_OP_FDIV:
    if (!is_float)
      ls_render_fail (r, u, "is defined for floats only");
    break;
  case LS_OP_NOT: case LS_OP_AND: case LS_OP_OR: case LS_OP_XOR: case LS_OP_SHL: case LS_OP_SHR: case LS_OP_IDIV: case LS_OP_MOD:
    if (is_float)
      ls_render_fail (r, u, "is defined for integers only");
    break;
  default: break;
  }
  if (!vector || ASK (r, constructors))
    return;
  gboolean shift = (u->op == LS_OP_SHL || u->op == LS_OP_SHR) && is_small_shift (r, u->src[1], ls_dtype_bits (ls_dtype_scalar (u->dtype)));
  gboolean simple = shift || (is_infix (u->op) && !ls_op_is_comparison (u->op));
  if (!ls_render_native (r, u->dtype) || (ls_op_is_alu (u->op) && !simple && u->op != LS_OP_NEG))
    ls_render_fail (r, u, "has no vector form in this language");
}

char *
ls_render_expr (LsRender *r, LsUOp *u, LsRenderInfo *info)
{
  GString *out = g_string_new (NULL);
  check_meaning (r, u);
  if (!r->dialect->exact)
    note_departure (r, u);
  append_core (r, out, u, info);
  if (ls_op_is_alu (u->op) && rounds (u->op) && !ls_render_native (r, u->dtype)) {
    gboolean strip = is_infix (u->op) || u->op == LS_OP_RECIP;
    g_autofree char *value = strip ? g_strndup (out->str + 1, out->len - 2) : g_strdup (out->str);
    g_string_truncate (out, 0);
    append_rounded (r, out, u->dtype, ls_render_to_bits (r, u->dtype), value, info);
  } else if (ls_op_is_alu (u->op) && is_narrow (u->dtype) && leaves_type (u) && ls_dtype_lanes (u->dtype) == 1 && ASK (r, exact)) {
    g_autofree char *cast = g_strdup_printf ("(%s)", ls_render_type (r, u->dtype));
    g_string_prepend (out, cast);
  } else
    info->wrapped = is_infix (u->op);

  info->nesting = 0;
  for (guint s = 0; s < u->n_src; s++) {
    const LsRenderInfo *source = ls_render_info (r, u->src[s]);
    info->nesting = MAX (info->nesting, source->nesting);
    if (source->accs)
      info->accs = info->accs && info->accs != source->accs ? G_MAXUINT : source->accs;
  }
  info->nesting++;
  return g_string_free (out, FALSE);
}

LsUOp *
ls_render_index (LsUOp *u)
{
  if ((u->op != LS_OP_LOAD && u->op != LS_OP_STORE) || !u->n_src)
    return NULL;
  u = u->src[0];
  while (u->op == LS_OP_CAST && ls_dtype_is_ptr (u->dtype))
    u = u->src[0];
  return u->op == LS_OP_INDEX && u->n_src >= 2 ? u : NULL;
}

char *
ls_render_element (LsRender *r, LsUOp *index, LsDType dtype)
{
  const char *buffer = operand (r, index, 0);
  g_autofree char *position = g_strdup (operand (r, index, 1));
  gboolean pointer = ls_dtype_lanes (dtype) > 1 || ASK (r, dereference);
  if (ls_render_info (r, index->src[1])->wrapped && (!pointer || index->src[1]->op == LS_OP_ADD) && !ASK (r, bracketed)) {
    gsize n = strlen (position);
    memmove (position, position + 1, n - 2);
    position[n - 2] = 0;
  }
  if (ls_dtype_lanes (dtype) > 1) {
    gboolean local = ls_dtype_space (index->src[0]->dtype) == LS_SPACE_LOCAL;
    const char *space = local && ASK (r, local_space) ? r->dialect->local_space : ASK (r, buffer_space);
    return g_strdup_printf (ASK (r, bracketed) ? "*((%s%s*)((%s+%s)))" : "*((%s%s*)(%s+%s))", space, ls_render_stored (r, dtype), buffer,
                            position);
  }
  return g_strconcat (pointer ? "*(" : "", buffer, pointer ? "+" : "[", position, pointer ? ")" : "]", NULL);
}
