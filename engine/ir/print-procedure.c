/* The text of a procedure's rows, made when it is shown: a recording keeps the rows as data. */
#include "print-private.h"
#include "procedure.h"
#include <string.h>

const char *const ls_proc_kind_names[LS_N_PROC + 1] = {
#define X(NAME, name, form) name,
  LS_PROC_TABLE (X)
#undef X
};

static const char *const forms[LS_N_PROC] = {
#define X(NAME, name, form) form,
  LS_PROC_TABLE (X)
#undef X
};

/* What a recording does not say is "?". */
static void
print_text (GString *out, const char *text)
{
  g_string_append (out, text ? text : "?");
}

static void
print_source (GString *out, const LsProcRow *row, guint k)
{
  if (row->sources.kind == LS_ARG_INTS && k < row->sources.n)
    g_string_append_printf (out, "v%" G_GINT64_FORMAT, row->sources.ints[k]);
  else
    print_text (out, NULL);
}

/* "float", "float.vec(4)" */
static void
print_type (GString *out, LsDType dtype)
{
  g_string_append (out, ls_dtype_name (dtype));
  if (ls_dtype_lanes (dtype) > 1)
    g_string_append_printf (out, ".vec(%u)", ls_dtype_lanes (dtype));
}

static void
print_lanes (GString *out, LsArg value)
{
  for (guint k = 0; value.kind == LS_ARG_INTS && k < value.n; k++)
    g_string_append_printf (out, "%s%" G_GINT64_FORMAT "%s", k ? ", " : "[", value.ints[k], k + 1 < value.n ? "" : "]");
}

static void
print_part (GString *out, const LsProcRow *row, char part)
{
  guint n = row->sources.kind == LS_ARG_INTS ? row->sources.n : 0;
  switch (part) {
  case 'd':
    if (row->dest != LS_NO_REGISTER)
      g_string_append_printf (out, "v%u", row->dest);
    else
      print_text (out, NULL);
    break;
  case 't': print_type (out, row->dtype); break;
  case 'b': print_text (out, row->buffer); break;
  case 'n': g_string_append_printf (out, "%" G_GUINT64_FORMAT, ls_dtype_ptr_size (row->dtype)); break;
  case 'v':
    if (row->value.kind == LS_ARG_STR)
      print_text (out, row->value.str);
    else
      ls_print_value (out, row->dtype, row->value);
    break;
  case 'u':
    if (row->bound >= 0)
      g_string_append_printf (out, "%" G_GINT64_FORMAT, row->bound);
    else
      print_source (out, row, 0);
    break;
  case 'm':
    if (n)
      print_source (out, row, 0);
    if (row->bound >= 0)
      g_string_append_printf (out, n ? " (%" G_GINT64_FORMAT ")" : "%" G_GINT64_FORMAT, row->bound);
    break;
  case 'o': print_text (out, row->op < LS_N_OPS ? ls_op_name (row->op) : NULL); break;
  case 's':
    for (guint k = 0; k < n; k++) {
      g_string_append (out, k ? ", " : "");
      print_source (out, row, k);
    }
    break;
  case 'l': print_lanes (out, row->value); break;
  case 'x': print_text (out, row->text); break;
  default: print_source (out, row, (guint) (part - '0')); break;
  }
}

char *
ls_proc_row_text (const LsProcRow *row)
{
  GString *out = g_string_new (NULL);
  gboolean gated = row->sources.kind == LS_ARG_INTS && row->sources.n > 2;
  for (const char *p = forms[row->kind]; *p; p++)
    if (*p == '%')
      print_part (out, row, *++p);
    else if (*p == '{' && !gated)
      p = strchr (p, '}');
    else if (*p != '{' && *p != '}')
      g_string_append_c (out, *p);
  return g_string_free (out, FALSE);
}

guint
ls_proc_n_args (const GArray *rows)
{
  guint n = 0;
  while (n < rows->len && (g_array_index (rows, LsProcRow, n).kind == LS_PROC_OUTPUT ||
                           g_array_index (rows, LsProcRow, n).kind == LS_PROC_INPUT ||
                           g_array_index (rows, LsProcRow, n).kind == LS_PROC_VARIABLE))
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
