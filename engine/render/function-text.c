/* A function's rows as C and as LLVM IR.
 *
 * Both texts have a value for each row and no expression of two operations, so that a compiler has nothing to reorder or contract, and
 * both compute what functions.c computes: the same rows. A constant is the nearest value of its row's dtype, in C with the fewest digits
 * that read back to it, in IR by its bits.
 */
#include "function-text.h"

#include <stdlib.h>
#include <string.h>
#include "ir/eval.h"
#include "ir/print.h"

const LsFunction *
ls_function_of (LsOp op, LsDType dtype)
{
  LsDType computed = ls_dtype_base (dtype) == LS_BASE_DOUBLE ? LS_DOUBLE : LS_FLOAT;
  for (const LsFunction *f = ls_functions; f->name; f++)
    if (f->op == op && f->dtype == computed)
      return f;
  return NULL;
}

/* The row of that name, NULL for x and for numbers. */
static const LsFunctionRow *
find_row (const LsFunction *f, const char *name)
{
  for (guint i = 0; i < f->n_rows; i++)
    if (g_str_equal (f->rows[i].name, name))
      return &f->rows[i];
  return NULL;
}

static gboolean
is_number (const char *operand)
{
  return g_ascii_isdigit (*operand) || *operand == '-';
}

/* The dtype that the row reads its operand as. */
static LsDType
operand_dtype (const LsFunction *f, const LsFunctionRow *row, guint s)
{
  const LsFunctionRow *from = find_row (f, row->src[s]);
  if (from)
    return from->dtype;
  if (!is_number (row->src[s]))
    return f->dtype;
  return ls_op_is_comparison (row->op) ? operand_dtype (f, row, 0) : row->dtype;
}

static LsScalar
number_of (LsDType dtype, const char *text)
{
  LsScalar value;
  if (ls_dtype_is_float (dtype))
    value.f = g_ascii_strtod (text, NULL);
  else
    value.i = *text == '-' ? g_ascii_strtoll (text, NULL, 0) : (gint64) g_ascii_strtoull (text, NULL, 0);
  return ls_scalar_fit (dtype, value);
}

/* --- C --- */

static char *
c_operand (const LsFunction *f, const LsFunctionRow *row, guint s)
{
  if (!is_number (row->src[s]))
    return g_strdup (row->src[s]);
  LsDType dtype = operand_dtype (f, row, s);
  LsScalar value = number_of (dtype, row->src[s]);
  LsBase base = ls_dtype_base (dtype);
  if (ls_dtype_is_float (dtype)) {
    g_autofree char *digits = ls_float_print (value.f, base == LS_BASE_FLOAT);
    return g_strconcat (digits, base == LS_BASE_FLOAT ? "f" : "", NULL);
  }
  if (base == LS_BASE_UINT64)
    return g_strdup_printf ("%" G_GUINT64_FORMAT "ul", (guint64) value.i);
  return g_strdup_printf ("%" G_GINT64_FORMAT "%s", value.i, base == LS_BASE_INT64 ? "l" : "");
}

static const char *
c_type (LsDType dtype)
{
  return ls_base_infos[ls_dtype_base (dtype)].c_name;
}

static void
print_c_row (GString *out, const LsFunction *f, const LsFunctionRow *row)
{
  g_autofree char *a = c_operand (f, row, 0), *b = c_operand (f, row, 1), *c = c_operand (f, row, 2);
  g_string_append_printf (out, "  %s %s = ", c_type (row->dtype), row->name);
  switch ((int) row->op) {
  case LS_OP_CONST:   g_string_append (out, a); break;
  case LS_OP_CAST:    g_string_append_printf (out, "(%s)%s", c_type (row->dtype), a); break;
  case LS_OP_BITCAST: g_string_append_printf (out, "*(%s*)&%s", c_type (row->dtype), a); break;
  case LS_OP_NEG:     g_string_append_printf (out, "-%s", a); break;
  case LS_OP_MAX:     g_string_append_printf (out, "%s<%s ? %s : %s", a, b, b, a); break;
  case LS_OP_WHERE:   g_string_append_printf (out, "%s ? %s : %s", a, b, c); break;
  case LS_OP_TABLE:   g_string_append_printf (out, "ls_%s[%s]", a, b); break;
  default:            g_string_append_printf (out, "%s%s%s", a, ls_op_info (row->op)->symbol, b); break;
  }
  g_string_append (out, ";\n");
}

static const LsFunctionTable *
table_of (const LsFunction *f)
{
  for (guint i = 0; i < f->n_rows; i++)
    for (const LsFunctionTable *t = ls_function_tables; t->name && f->rows[i].op == LS_OP_TABLE; t++)
      if (g_str_equal (t->name, f->rows[i].src[0]))
        return t;
  return NULL;
}

void
ls_function_print_c (GString *out, const LsFunction *f, const char *qualifier)
{
  const LsFunctionTable *table = table_of (f);
  if (table) {
    g_string_append_printf (out, "static const unsigned long ls_%s[%u] = {\n", table->name, table->n);
    for (guint i = 0; i < table->n; i++)
      g_string_append_printf (out, "%s0x%016" G_GINT64_MODIFIER "xul,%s", i % 4 ? " " : "  ", table->values[i],
                              i % 4 == 3 || i + 1 == table->n ? "\n" : "");
    g_string_append (out, "};\n");
  }
  g_string_append_printf (out, "%s%s ls_%s(%s x) {\n", qualifier, c_type (f->dtype), f->name, c_type (f->dtype));
  for (guint i = 0; i < f->n_rows; i++)
    print_c_row (out, f, &f->rows[i]);
  g_string_append_printf (out, "  return %s;\n}\n", f->rows[f->n_rows - 1].name);
}

/* --- LLVM IR --- */

static const char *
llvm_type (LsDType dtype)
{
  switch ((int) ls_dtype_base (dtype)) {
  case LS_BASE_BOOL:   return "i1";
  case LS_BASE_INT32:  return "i32";
  case LS_BASE_FLOAT:  return "float";
  case LS_BASE_DOUBLE: return "double";
  default:             return "i64";
  }
}

static char *
llvm_operand (const LsFunction *f, const LsFunctionRow *row, guint s)
{
  if (!is_number (row->src[s]))
    return g_strconcat ("%", row->src[s], NULL);
  LsDType dtype = operand_dtype (f, row, s);
  LsScalar value = number_of (dtype, row->src[s]);
  guint64 bits;      /* a float is written as the double of its value */
  memcpy (&bits, &value.f, sizeof bits);
  return ls_dtype_is_float (dtype) ? g_strdup_printf ("0x%016" G_GINT64_MODIFIER "X", bits) :
                                     g_strdup_printf ("%" G_GINT64_FORMAT, value.i);
}

static const char *
llvm_cast (LsDType to, LsDType from)
{
  guint wide = ls_dtype_bits (to), narrow = ls_dtype_bits (from);
  if (ls_dtype_is_float (to))
    return ls_dtype_is_float (from) ? wide > narrow ? "fpext" : "fptrunc" : ls_dtype_is_unsigned (from) ? "uitofp" : "sitofp";
  return wide == narrow ? "bitcast" : wide < narrow ? "trunc" : ls_dtype_is_unsigned (from) ? "zext" : "sext";
}

/* The instruction of an op on floats, signed and unsigned integers. */
static const struct { LsOp op; const char *of_float, *of_signed, *of_unsigned; } instructions[] = {
  { LS_OP_ADD, "fadd", "add", "add" }, { LS_OP_SUB, "fsub", "sub", "sub" }, { LS_OP_MUL, "fmul", "mul", "mul" },
  { LS_OP_FDIV, "fdiv", "", "" }, { LS_OP_AND, "", "and", "and" }, { LS_OP_OR, "", "or", "or" }, { LS_OP_XOR, "", "xor", "xor" },
  { LS_OP_SHL, "", "shl", "shl" }, { LS_OP_SHR, "", "ashr", "lshr" }, { LS_OP_CMPLT, "fcmp olt", "icmp slt", "icmp ult" },
  { LS_OP_CMPEQ, "fcmp oeq", "icmp eq", "icmp eq" }, { LS_OP_CMPNE, "fcmp une", "icmp ne", "icmp ne" },
};

static void
print_llvm_row (GString *out, const LsFunction *f, const LsFunctionRow *row, gboolean opaque)
{
  LsDType from = operand_dtype (f, row, 0);
  const char *type = llvm_type (row->dtype), *from_type = llvm_type (from);
  g_autofree char *a = llvm_operand (f, row, 0), *b = llvm_operand (f, row, 1), *c = llvm_operand (f, row, 2);
  switch ((int) row->op) {
  case LS_OP_CONST:   g_string_append_printf (out, "  %%%s = add %s %s, 0\n", row->name, type, a); return;
  case LS_OP_CAST:
    g_string_append_printf (out, "  %%%s = %s %s %s to %s\n", row->name, llvm_cast (row->dtype, from), from_type, a, type);
    return;
  case LS_OP_BITCAST: g_string_append_printf (out, "  %%%s = bitcast %s %s to %s\n", row->name, from_type, a, type); return;
  case LS_OP_NEG:     g_string_append_printf (out, "  %%%s = fneg %s %s\n", row->name, type, a); return;
  case LS_OP_WHERE:   g_string_append_printf (out, "  %%%s = select i1 %s, %s %s, %s %s\n", row->name, a, type, b, type, c); return;
  case LS_OP_MAX:
    g_string_append_printf (out, "  %%%s.less = icmp slt %s %s, %s\n  %%%s = select i1 %%%s.less, %s %s, %s %s\n", row->name, type, a, b,
                            row->name, row->name, type, b, type, a);
    return;
  case LS_OP_TABLE: {
    const LsFunctionTable *t = table_of (f);
    g_autofree char *pointer = opaque ? g_strdup ("ptr") : g_strdup_printf ("[%u x i64]*", t->n);
    g_string_append_printf (out, "  %%%s.at = getelementptr inbounds [%u x i64], %s @ls_%s, i64 0, i64 %s\n  %%%s = load i64, %s %%%s.at\n",
                            row->name, t->n, pointer, t->name, b, row->name, opaque ? "ptr" : "i64*", row->name);
    return;
  }
  default: break;
  }
  for (guint i = 0; i < G_N_ELEMENTS (instructions); i++)
    if (instructions[i].op == row->op)
      g_string_append_printf (out, "  %%%s = %s %s %s, %s\n", row->name, ls_dtype_is_float (from) ? instructions[i].of_float :
                              ls_dtype_is_unsigned (from) ? instructions[i].of_unsigned : instructions[i].of_signed, from_type, a, b);
}

void
ls_function_print_llvm (GString *out, const LsFunction *f, gboolean opaque)
{
  const LsFunctionTable *table = table_of (f);
  if (table) {
    g_string_append_printf (out, "@ls_%s = internal constant [%u x i64] [", table->name, table->n);
    for (guint i = 0; i < table->n; i++)
      g_string_append_printf (out, "%si64 %" G_GINT64_FORMAT, i ? ", " : "", (gint64) table->values[i]);
    g_string_append (out, "]\n");
  }
  const char *type = llvm_type (f->dtype);
  g_string_append_printf (out, "define internal %s @ls_%s(%s %%x) alwaysinline nounwind readonly {\n", type, f->name, type);
  for (guint i = 0; i < f->n_rows; i++)
    print_llvm_row (out, f, &f->rows[i], opaque);
  g_string_append_printf (out, "  ret %s %%%s\n}\n", type, f->rows[f->n_rows - 1].name);
}

/* --- for a source --- */

static gboolean
calls (const char *source, const char *name)
{
  gsize n = strlen (name);
  for (const char *at = source; (at = strstr (at, name)); at += n)
    if (at[n] == '(' && (at == source || !(g_ascii_isalnum (at[-1]) || at[-1] == '_')))
      return TRUE;
  return FALSE;
}

char *
ls_functions_for (const char *source, const char *prefix, const char *qualifier)
{
  GString *out = g_string_new (NULL);
  for (const LsFunction *f = ls_functions; f->name; f++) {
    g_autofree char *own = g_strconcat ("ls_", f->name, NULL), *name = g_strconcat (prefix ? prefix : "", ls_op_info (f->op)->symbol, NULL),
                    *with_suffix = g_strconcat (name, "f", NULL);      /* which of the dtypes a name is bound to is not in the text */
    g_autofree char *head = g_strdup_printf ("%s(%s x)", own, c_type (f->dtype));
    if (strstr (source, head))      /* it has the function */
      continue;
    if (calls (source, own) || (prefix && (calls (source, name) || calls (source, with_suffix))))
      ls_function_print_c (out, f, qualifier);
  }
  return g_string_free (out, FALSE);
}
