/* A dialect of C as rows: its fields, and each operation as the renderer writes it.
 *
 * The spelling of operations is not known here: the renderer makes the expression of each on values a, b, c without known properties.
 */
#include "c-style-private.h"

typedef enum { TEXT, FLAG, TYPES, TRUTH } Kind;
static const struct { Kind kind; const char *name, *group, *sentence; gsize offset; } fields[] = {
#define X(kind, name, group, sentence) { kind, #name, group, sentence, G_STRUCT_OFFSET (LsDialect, name) },
#include "dialect.def"
#undef X
};

const char *
ls_render_asked (guint64 asked)
{
  g_autoptr (GString) names = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    if (asked >> i & 1)
      g_string_append_printf (names, "%s%s", names->len ? " " : "", fields[i].name);
  return g_intern_string (names->str);
}

static char *
quoted (const char *text)
{
  g_autofree char *escaped = text ? g_strescape (text, NULL) : NULL;
  return escaped ? g_strdup_printf ("\"%s\"", escaped) : NULL;
}

static char *
types_value (const char *const *types)
{
  GString *value = g_string_new (NULL);
  for (guint i = 0; i < LS_N_BASES; i++)
    if (types[i])
      g_string_append_printf (value, "%s%s: %s", value->len ? ", " : "", ls_base_infos[i].name, types[i]);
  return value->len ? g_string_free (value, FALSE) : (g_string_free (value, TRUE), NULL);
}

static char *
field_value (const LsDialect *dialect, guint field)
{
  gconstpointer at = G_STRUCT_MEMBER_P (dialect, fields[field].offset);
  switch (fields[field].kind) {
  case FLAG: return g_strdup (*(const gboolean *) at ? "yes" : "no");
  case TYPES: return types_value (at);
  case TRUTH: return g_strdup_printf ("%s, %s", ((const char *const *) at)[0], ((const char *const *) at)[1]);
  default: return quoted (*(const char *const *) at);
  }
}

/* The text of one operation of values of a dtype, or NULL: the language has none. */
static char *
spelled (const LsTarget *target, const LsSettings *settings, LsOp op, LsDType dtype)
{
  static const char *const names[] = { "a", "b", "c" };
  guint n = MIN ((guint) ls_op_info (op)->arity, G_N_ELEMENTS (names));
  LsContext *ctx = ls_context_new ();
  LsUOp *list[G_N_ELEMENTS (names) + 1];
  LsDType other = ls_dtype_is_float (dtype) ? LS_INT32 : LS_FLOAT;
  for (guint i = 0; i < n; i++)
    list[i] = ls_uop_new0 (ctx, LS_OP_LOAD, op == LS_OP_WHERE && i == 0 ? LS_BOOL : op == LS_OP_CAST || op == LS_OP_BITCAST ? other : dtype,
                           ls_arg_int (i));
  list[n] = ls_uop_new (ctx, op, ls_op_is_comparison (op) ? LS_BOOL : dtype, n, list, ls_arg_none ());
  LsRenderJob job = { ctx, NULL, n + 1, list, NULL, target, settings };
  LsRender r;
  GError *error = NULL;
  ls_render_begin (&r, &job, &error);
  for (guint i = 0; i < n; i++)
    r.infos[i].expr = g_strdup (names[i]);
  char *text = ls_render_expr (&r, list[n], &r.infos[n]);
  if (r.failed)
    g_clear_pointer (&text, g_free);
  g_clear_error (&error);
  ls_render_end (&r);
  ls_context_unref (ctx);
  return text;
}

static void
row_clear (gpointer data)
{
  g_free (((LsDialectRow *) data)->value);
}

/* Operations that values of bool have in a list. */
static gboolean
is_of_bools (LsOp op)
{
  switch ((int) op) {
  case LS_OP_CAST: case LS_OP_NEG: case LS_OP_NOT: case LS_OP_ADD: case LS_OP_MUL: case LS_OP_MAX: case LS_OP_AND: case LS_OP_OR:
  case LS_OP_XOR: case LS_OP_WHERE: return TRUE;
  default: return ls_op_is_comparison (op);
  }
}

static void
add_op (GArray *rows, const LsTarget *target, const LsSettings *settings, LsOp op)
{
  const LsOpInfo *info = ls_op_info (op);
  char *of_floats = spelled (target, settings, op, LS_FLOAT), *of_others = spelled (target, settings, op, LS_INT32),
       *of_bools = is_of_bools (op) ? spelled (target, settings, op, LS_BOOL) : NULL;
  gboolean same = g_strcmp0 (of_floats, of_others) == 0, both = !same && of_floats && of_others;
  const char *usual = of_others ? of_others : of_floats;
  gboolean bools = of_bools && usual && !g_str_equal (of_bools, usual);
  LsDialectRow row = { "operations", info->name, info->sentence, of_floats ? of_floats : of_others, op,
                       both ? LS_SPELLS_FLOATS : bools ? LS_SPELLS_NUMBERS : LS_SPELLS_ANY };
  g_array_append_val (rows, row);
  if (both) {
    row.value = of_others;
    row.of = bools ? LS_SPELLS_INTEGERS : LS_SPELLS_OTHERS;
    g_array_append_val (rows, row);
  } else if (same)
    g_free (of_others);
  if (bools) {
    row.value = of_bools;
    row.of = LS_SPELLS_BOOLS;
    g_array_append_val (rows, row);
  } else
    g_free (of_bools);
}

GArray *
ls_render_describe (const LsTarget *target, const LsSettings *settings)
{
  const LsDialect *dialect = target->dialects[ls_settings_profile (settings)];
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (LsDialectRow));
  g_array_set_clear_func (rows, row_clear);
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    LsDialectRow row = { fields[i].group, fields[i].name, fields[i].sentence, field_value (dialect, i), LS_N_OPS, LS_SPELLS_ANY };
    g_array_append_val (rows, row);
  }
  for (guint op = 0; op < LS_N_OPS; op++)
    if (ls_op_is_alu (op) || op == LS_OP_CAST || op == LS_OP_BITCAST)
      add_op (rows, target, settings, op);
  return rows;
}
