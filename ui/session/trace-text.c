#include "trace-text.h"
#include "ir/eval.h"
#include "ir/print.h"
#include "kit/text.h"

#include <string.h>

static int
compare_ns (gconstpointer a, gconstpointer b)
{
  guint64 x = *(const guint64 *) a, y = *(const guint64 *) b;
  return x < y ? -1 : x > y;
}

gboolean
ls_text_median_ns (const LsKernel *k, double *ns)
{
  if (!k->run_ns || k->run_ns->len == 0)
    return FALSE;
  g_autoptr (GArray) sorted = g_array_copy (k->run_ns);
  g_array_sort (sorted, compare_ns);
  *ns = (double) g_array_index (sorted, guint64, sorted->len / 2);
  return TRUE;
}

char *
ls_text_values (const LsTraceBuffer *buffer, guint max)
{
  LsDType dtype = ls_dtype_scalar (buffer->dtype);
  if (ls_dtype_base (buffer->dtype) >= LS_N_BASES)
    return g_strdup ("");
  guint size = MAX (ls_base_infos[ls_dtype_base (dtype)].bits / 8, 1);
  gboolean is_float = ls_base_infos[ls_dtype_base (dtype)].kind == LS_KIND_FLOAT;
  guint64 held = buffer->data ? buffer->n_data / size : 0;
  GString *out = g_string_new (NULL);
  for (guint64 i = 0; i < MIN (MIN (held, buffer->n_elements), max); i++) {
    LsScalar v = ls_scalar_load (dtype, buffer->data + i * size);
    g_autofree char *text = NULL;
    if (is_float)
      text = ls_float_print (v.f, ls_dtype_base (dtype) != LS_BASE_DOUBLE);
    else if (ls_dtype_base (dtype) == LS_BASE_UINT64)
      text = g_strdup_printf ("%" G_GUINT64_FORMAT, (guint64) v.i);
    else if (ls_dtype_base (dtype) == LS_BASE_BOOL)
      text = g_strdup (v.i ? "True" : "False");
    else
      text = g_strdup_printf ("%" G_GINT64_FORMAT, v.i);
    g_string_append_printf (out, "%s%s", i ? ", " : "", text);
  }
  if (out->len > 0 && buffer->n_elements > max)
    g_string_append (out, ", …");
  return g_string_free (out, FALSE);
}

char *
ls_text_dtype (const char *dtype)
{
  g_autofree char *name = ls_text_cut (g_str_has_prefix (dtype, "dtypes.") ? dtype + strlen ("dtypes.") : dtype, 400);
  char *pointer = strstr (name, ".ptr("), *vector = strstr (name, ".vec(");
  gboolean is_vector = vector && (!pointer || vector < pointer);
  g_autofree char *lanes = is_vector ? g_strndup (vector + 5, strcspn (vector + 5, ")")) : NULL;
  gsize base = strcspn (name, ".");
  if (g_str_equal (name, "void"))
    return g_strdup ("");
  return g_strdup_printf ("%.*s%s%s%s", (int) base, name, lanes ? "×" : "", lanes ? lanes : "", pointer ? "*" : "");
}

char *
ls_text_bindings (const LsBinding *bindings, guint n)
{
  GString *markup = g_string_new (NULL);
  for (guint i = 0; i < n; i++) {
    g_autofree char *value = ls_term_value_print (&bindings[i].value), *valid = ls_text_valid (value), *cut = ls_text_cut (valid, 60), *name = ls_text_valid (bindings[i].name ? bindings[i].name : "?");
    g_autofree char *what = g_markup_escape_text (cut, -1), *key = g_markup_escape_text (name, -1);
    g_string_append_printf (markup, "%s<b>%s</b> = ", markup->len ? "     " : "", key);
    if (bindings[i].node)
      g_string_append_printf (markup, "<a href=\"node:%u\">%s</a>", bindings[i].node->id, what);
    else
      g_string_append (markup, what);
  }
  return g_string_free (markup, FALSE);
}
