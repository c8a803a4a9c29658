/* The text of a procedure's rows, made when it is shown: a recording keeps the rows as data. */
#include "print-private.h"
#include "procedure.h"

const char *const ls_proc_kind_names[LS_N_PROC + 1] = {
#define X(NAME, name) name,
  LS_PROC_TABLE (X)
#undef X
};

/* "float", "float.vec(4)" */
static void
print_type (GString *out, LsDType dtype)
{
  g_string_append (out, ls_dtype_name (dtype));
  if (ls_dtype_lanes (dtype) > 1)
    g_string_append_printf (out, ".vec(%u)", ls_dtype_lanes (dtype));
}

/* The register that is source k, "?" where there is none: a recording may say anything. */
static void
print_source (GString *out, const LsProcRow *row, guint k)
{
  if (row->sources.kind == LS_ARG_INTS && k < row->sources.n)
    g_string_append_printf (out, "v%" G_GINT64_FORMAT, row->sources.ints[k]);
  else
    g_string_append_c (out, '?');
}

static void
print_dest (GString *out, const LsProcRow *row)
{
  if (row->dest != LS_NO_REGISTER)
    g_string_append_printf (out, "v%u", row->dest);
  else
    g_string_append_c (out, '?');
}

/* "v3: float = " */
static void
print_typed (GString *out, const LsProcRow *row)
{
  print_dest (out, row);
  g_string_append (out, ": ");
  print_type (out, row->dtype);
  g_string_append (out, " = ");
}

static void
print_element (GString *out, const LsProcRow *row)
{
  g_string_append_printf (out, "%s[", row->buffer ? row->buffer : "?");
  print_source (out, row, 0);
  g_string_append_c (out, ']');
}

static void
print_bound (GString *out, const LsProcRow *row)
{
  if (row->bound >= 0)
    g_string_append_printf (out, "%" G_GINT64_FORMAT, row->bound);
  else
    print_source (out, row, 0);
}

static void
print_compute (GString *out, const LsProcRow *row)
{
  guint n = row->sources.kind == LS_ARG_INTS ? row->sources.n : 0;
  print_typed (out, row);
  g_string_append_printf (out, "%s(", row->op < LS_N_OPS ? ls_op_name (row->op) : "?");
  for (guint k = 0; k < n; k++) {
    if (k)
      g_string_append (out, ", ");
    print_source (out, row, k);
  }
  g_string_append_c (out, ')');
  for (guint k = 0; row->value.kind == LS_ARG_INTS && k < row->value.n; k++)      /* lanes */
    g_string_append_printf (out, "%s%" G_GINT64_FORMAT "%s", k ? ", " : "[", row->value.ints[k], k + 1 < row->value.n ? "" : "]");
}

char *
ls_proc_row_text (const LsProcRow *row)
{
  GString *out = g_string_new (NULL);
  guint n = row->sources.kind == LS_ARG_INTS ? row->sources.n : 0;
  switch (row->kind) {
  case LS_PROC_TEXT: g_string_append (out, row->text ? row->text : ""); break;
  case LS_PROC_OUTPUT:
  case LS_PROC_INPUT:
    g_string_append_printf (out, "%s: %s", row->buffer ? row->buffer : "?", row->kind == LS_PROC_INPUT ? "const " : "");
    print_type (out, row->dtype);
    g_string_append_c (out, '*');
    break;
  case LS_PROC_LOCAL:
    g_string_append_printf (out, "local %s: ", row->buffer ? row->buffer : "?");
    print_type (out, row->dtype);
    g_string_append_printf (out, "[%" G_GUINT64_FORMAT "]", ls_dtype_ptr_size (row->dtype));
    break;
  case LS_PROC_CONST:
    print_typed (out, row);
    ls_print_value (out, row->dtype, row->value);
    break;
  case LS_PROC_COMPUTE: print_compute (out, row); break;
  case LS_PROC_LOAD:
    print_typed (out, row);
    g_string_append (out, "load ");
    print_element (out, row);
    if (n > 2) {
      g_string_append (out, " if ");
      print_source (out, row, 1);
      g_string_append (out, " else ");
      print_source (out, row, 2);
    }
    break;
  case LS_PROC_STORE:
    g_string_append (out, "store ");
    print_element (out, row);
    g_string_append (out, " = ");
    print_source (out, row, 1);
    if (n > 2) {
      g_string_append (out, " if ");
      print_source (out, row, 2);
    }
    break;
  case LS_PROC_LOOP:
    g_string_append (out, "loop ");
    print_dest (out, row);
    g_string_append (out, " = 0 … ");
    print_bound (out, row);
    break;
  case LS_PROC_IF:
    g_string_append (out, "if ");
    print_source (out, row, 0);
    break;
  case LS_PROC_ACCUMULATOR:
    g_string_append (out, "accumulator ");
    print_typed (out, row);
    print_source (out, row, 0);
    break;
  case LS_PROC_ACCUMULATE:
    print_dest (out, row);
    g_string_append (out, " = ");
    print_source (out, row, 0);
    break;
  case LS_PROC_SPECIAL:
    print_typed (out, row);
    g_string_append_printf (out, "%s below ", row->value.kind == LS_ARG_STR ? row->value.str : "?");
    print_bound (out, row);
    break;
  case LS_PROC_BARRIER:
  default: g_string_append (out, ls_proc_kind_names[LS_PROC_BARRIER]); break;
  }
  return g_string_free (out, FALSE);
}

guint
ls_proc_n_args (const GArray *rows)
{
  guint n = 0;
  while (n < rows->len && (g_array_index (rows, LsProcRow, n).kind == LS_PROC_OUTPUT || g_array_index (rows, LsProcRow, n).kind == LS_PROC_INPUT))
    n++;
  return n;
}

char *
ls_proc_signature (const char *name, const GArray *rows)
{
  if (rows->len && g_array_index (rows, LsProcRow, 0).kind == LS_PROC_TEXT)
    return g_strdup_printf ("%s: recorded by an earlier version, without values, buffers and types", name);
  GString *out = g_string_new (name);
  g_string_append_c (out, '(');
  for (guint i = 0; i < ls_proc_n_args (rows); i++) {
    g_autofree char *arg = ls_proc_row_text (&g_array_index (rows, LsProcRow, i));
    g_string_append_printf (out, "%s%s", i ? ", " : "", arg);
  }
  g_string_append_c (out, ')');
  return g_string_free (out, FALSE);
}
