#include "trace-text.h"
#include "ir/sentence.h"
#include "ask/ask.h"
#include "codegen/codegen.h"
#include "ir/eval.h"
#include "ir/names.h"
#include "ir/print.h"
#include "ir/short.h"
#include "kit/text.h"

#include <glib/gi18n.h>
#include <string.h>

#define MOST_NODES 4      /* for a name that is bound to several */

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

static const char *const axis_colors[LS_N_AXIS] = {
#define X(NAME, name, ...) "ls_axis_" name,
#include "ir/axis.def"
#undef X
};

const char *
ls_text_axis_color (LsAxisType type)
{
  return axis_colors[type];
}

char *
ls_text_axis_css (gboolean dark, gboolean contrast)
{
  GString *css = g_string_new (NULL);
  for (guint i = 0; i < LS_N_AXIS; i++)
    g_string_append_printf (css, "@define-color %s #%06x;\n", axis_colors[i], ls_axis_types[i].colors[2 * contrast + dark]);
  return g_string_free (css, FALSE);
}

/* Whether a kernel is called after its axes alone, or with a number after them that distinguishes it from an earlier one: r_4_10n1. */
static gboolean
is_named_so (const char *name, const char *axes)
{
  gsize n = strlen (axes);
  if (!name || strncmp (name, axes, n) != 0)
    return FALSE;
  return !name[n] || (name[n] == 'n' && name[n + 1] && !name[n + 1 + strspn (name + n + 1, "0123456789")]);
}

static GArray *
types_of (const GPtrArray *ranges)
{
  GArray *types = g_array_new (FALSE, FALSE, sizeof (LsAxisType));
  for (guint i = 0; i < ranges->len; i++) {
    LsAxisType type = ls_range_type (ranges->pdata[i]);
    g_array_append_val (types, type);
  }
  return types;
}

/* The kinds of axes that a kernel's name has numbers of: of the first of its graphs that is called so. Kept with the recording. */
static const GArray *
axes_of (LsTrace *trace, const LsKernel *kernel)
{
  GQuark quark = g_quark_from_static_string ("ls-kernel-axes");
  GHashTable *known = g_dataset_id_get_data (trace, quark);
  const LsKernel *code = kernel->same_as > 0 ? ls_trace_kernel (trace, (guint) kernel->same_as) : kernel;
  if (!known)
    g_dataset_id_set_data_full (trace, quark, known = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref),
                                (GDestroyNotify) g_hash_table_unref);
  GArray *axes = code ? g_hash_table_lookup (known, GUINT_TO_POINTER (code->number)) : NULL;
  if (!code || axes)
    return axes;
  LsSettings settings;
  ls_trace_settings (trace, &settings);
  gboolean appends = ls_settings_profile_info (&settings)->appends;
  for (guint i = 0; !axes && i < code->passes->len; i++) {
    guint index = g_array_index (code->passes, guint, i);
    const LsPass *pass = index < trace->passes->len ? trace->passes->pdata[index] : NULL;
    LsUOp *root = pass && (pass->kind == LS_PASS_MAP || ls_pass_n_rewrites (pass) > 0) ? ls_context_node (trace->ctx, pass->output) : NULL;
    g_autoptr (GPtrArray) ranges = root ? ls_kernel_ranges (trace->ctx, root, appends) : NULL;
    g_autofree char *name = root ? ls_kernel_name_of (trace->ctx, root, ranges) : NULL;
    if (name && is_named_so (code->name, name))
      axes = types_of (ranges);
  }
  if (!axes)
    axes = g_array_new (FALSE, FALSE, sizeof (LsAxisType));
  g_hash_table_insert (known, GUINT_TO_POINTER (code->number), axes);
  return axes;
}

guint
ls_text_axes (LsTrace *trace, const LsKernel *kernel, const char *text, LsTextSpan *spans, guint max)
{
  const char *at = kernel->name && *kernel->name ? strstr (text, kernel->name) : NULL;
  const GArray *axes = at ? axes_of (trace, kernel) : NULL;
  guint n = 0;
  for (at = at ? strchr (at, '_') : NULL; at && axes && n < MIN (axes->len, max) && g_ascii_isdigit (at[1]); n++) {
    gsize digits = strspn (at + 1, "0123456789");
    spans[n] = (LsTextSpan) { (guint) (at + 1 - text), (guint) (at + 1 + digits - text),
                              axis_colors[g_array_index (axes, LsAxisType, n)] };
    at += 1 + digits;
    at = *at == '_' ? at : NULL;
  }
  return n;
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
ls_text_operands (const char *operands)
{
  g_auto (GStrv) words = g_strsplit (operands, " ", -1);
  GString *out = g_string_new (NULL);
  for (guint i = 0, same; words[i]; i += same) {
    for (same = 1; words[i + same] && g_str_equal (words[i], words[i + same]); same++)
      ;
    same = same > 2 ? same : 1;
    g_string_append_printf (out, "%s%s", i ? " " : "", words[i]);
    if (same > 1)
      g_string_append_printf (out, " ×%u", same);
  }
  return g_string_free (out, FALSE);
}

char *
ls_text_node (const LsNames *names, LsUOp *u)
{
  g_autofree char *arg = ls_has_loop_name (u) || ls_memory_of (u) ? ls_row_arg (names, u) : NULL;
  return arg ? g_strdup_printf ("%s %s", ls_op_name (u->op), arg) : ls_uop_summary (u);
}

char *
ls_text_buffer (LsTrace *trace, guint buffer)
{
  const LsNameBinding *binding = ls_trace_buffer_name (trace, buffer);
  g_autofree char *name = binding ? ls_text_valid (binding->name) : NULL;
  return name ? g_strdup_printf (_("%s (buffer %u)"), name, buffer) : g_strdup_printf (_("buffer %u"), buffer);
}

/* Several nodes, each with its description and a link to it. */
static void
append_nodes (GString *markup, const LsNames *names, LsUOp *const *nodes, guint n)
{
  for (guint i = 0; i < MIN (n, MOST_NODES); i++) {
    g_autofree char *summary = ls_text_node (names, nodes[i]), *cut = ls_text_cut (summary, 30), *what = g_markup_escape_text (cut, -1);
    g_string_append_printf (markup, "%s<a href=\"node:%u\">%s</a>", i ? ", " : "", nodes[i]->id, what);
  }
  if (n > MOST_NODES)
    g_string_append_printf (markup, ngettext (", and %u more", ", and %u more", n - MOST_NODES), n - MOST_NODES);
}

char *
ls_text_bindings (const LsNames *names, const LsBinding *bindings, guint n)
{
  GString *markup = g_string_new (NULL);
  for (guint i = 0; i < n; i++) {
    g_autofree char *value = bindings[i].node ? ls_text_node (names, bindings[i].node) : ls_term_value_print (&bindings[i].value),
                    *valid = ls_text_valid (value), *cut = ls_text_cut (valid, 60),
                    *name = ls_text_valid (bindings[i].name ? bindings[i].name : "?");
    g_autofree char *what = g_markup_escape_text (*cut ? cut : _("none"), -1), *key = g_markup_escape_text (name, -1);
    g_string_append_printf (markup, "%s<b>%s</b> = ", markup->len ? "   " : "", key);
    const LsTermValue *v = &bindings[i].value;
    if (bindings[i].node)
      g_string_append_printf (markup, "<a href=\"node:%u\">%s</a>", bindings[i].node->id, what);
    else if (v->kind == LS_TERM_NODES && v->n > 0)
      append_nodes (markup, names, v->nodes, v->n);
    else
      g_string_append (markup, what);
  }
  return g_string_free (markup, FALSE);
}

char *
ls_text_nodes (const LsNames *names, const char *word, LsUOp *const *nodes, guint n)
{
  GString *markup = g_string_new (NULL);
  if (n) {
    g_string_append_printf (markup, "<b>%s</b> = ", word);
    append_nodes (markup, names, nodes, n);
  }
  return g_string_free (markup, FALSE);
}

char *
ls_text_reason (const char *reason)
{
  for (guint i = 0; reason && i < LS_N_REASONS; i++)
    if (g_str_equal (reason, ls_reasons[i].text))
      return g_strdup (ls_shown (ls_reasons[i].sentence));
  return reason ? ls_text_valid (reason) : g_strdup (_("no reason was recorded"));
}

char *
ls_text_error (const GError *error, guint max)
{
  g_autofree char *shown = ls_sentence_shown (error->message);
  return ls_text_cut (shown, max);
}
