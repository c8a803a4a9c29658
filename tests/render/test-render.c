/* Listings and source of kernels made by hand, against golden files; lines and expressions against the graph. */
#include <math.h>
#include <string.h>

#include "golden.h"
#include "render/c-style.h"
#include "kernels.h"

typedef LsUOp *(*Kernel) (LsContext *ctx);

static LsUOp *
one_store (LsContext *ctx, LsUOp *store)
{
  return k_sink (ctx, 1, &store);
}

static LsUOp *
add1 (LsContext *ctx)
{
  LsUOp *zero = k_int (ctx, 0);
  LsUOp *sum = k_add (ctx, k_load (ctx, k_global (ctx, 1, LS_INT32, 1), zero), k_load (ctx, k_global (ctx, 2, LS_INT32, 1), zero));
  return one_store (ctx, k_store (ctx, k_global (ctx, 0, LS_INT32, 1), zero, sum));
}

static LsUOp *
add4 (LsContext *ctx)
{
  LsUOp *stores[4], *a = k_global (ctx, 1, LS_FLOAT, 4), *b = k_global (ctx, 2, LS_FLOAT, 4);
  for (int i = 0; i < 4; i++)
    stores[i] = k_store (ctx, k_global (ctx, 0, LS_FLOAT, 4), k_int (ctx, i), k_add (ctx, k_load (ctx, a, k_int (ctx, i)),
                                                                                     k_load (ctx, b, k_int (ctx, i))));
  return k_sink (ctx, 4, stores);
}

static LsUOp *
add_const (LsContext *ctx)
{
  LsUOp *i = k_range (ctx, 0, LS_AXIS_LOOP, 3);
  LsUOp *sum = k_add (ctx, k_load (ctx, k_global (ctx, 1, LS_INT32, 3), i), k_int (ctx, 2));
  return one_store (ctx, k_store (ctx, k_global (ctx, 0, LS_INT32, 3), i, sum));
}

static LsUOp *
cast (LsContext *ctx)
{
  LsUOp *i = k_range (ctx, 0, LS_AXIS_LOOP, 3);
  LsUOp *value = ls_uop_cast (ctx, k_load (ctx, k_global (ctx, 1, LS_INT32, 3), i), LS_FLOAT);
  return one_store (ctx, k_store (ctx, k_global (ctx, 0, LS_FLOAT, 3), i, value));
}

static LsUOp *
cast_chain (LsContext *ctx)
{
  LsUOp *i = k_range (ctx, 0, LS_AXIS_LOOP, 3);
  LsUOp *whole = ls_uop_cast (ctx, k_load (ctx, k_global (ctx, 1, LS_FLOAT, 3), i), LS_INT32);
  LsUOp *value = ls_uop_cast (ctx, k_mul (ctx, whole, k_int (ctx, 2)), LS_HALF);
  return one_store (ctx, k_store (ctx, k_global (ctx, 0, LS_HALF, 3), i, value));
}

static LsUOp *
add3_local (LsContext *ctx)
{
  LsUOp *i = k_special (ctx, "lidx0", 3);
  LsUOp *sum = k_add (ctx, k_load (ctx, k_global (ctx, 1, LS_INT32, 3), i), k_load (ctx, k_global (ctx, 2, LS_INT32, 3), i));
  return one_store (ctx, k_store (ctx, k_global (ctx, 0, LS_INT32, 3), i, sum));
}

static LsUOp *
cast_local (LsContext *ctx)
{
  LsUOp *i = k_special (ctx, "lidx0", 2);
  LsUOp *sum = k_add (ctx, k_load (ctx, k_global (ctx, 1, LS_INT32, 2), i), k_load (ctx, k_global (ctx, 2, LS_INT32, 2), i));
  return one_store (ctx, k_store (ctx, k_global (ctx, 0, LS_FLOAT, 2), i, ls_uop_cast (ctx, sum, LS_FLOAT)));
}

/* Two output axes around one reduce: the accumulator stands inside of both. */
static LsUOp *
matmul (LsContext *ctx)
{
  LsUOp *i = k_range (ctx, 0, LS_AXIS_LOOP, 4), *j = k_range (ctx, 1, LS_AXIS_LOOP, 5), *k = k_range (ctx, 2, LS_AXIS_REDUCE, 6);
  LsUOp *a = k_load (ctx, k_global (ctx, 1, LS_FLOAT, 24), k_add (ctx, k_mul (ctx, i, k_int (ctx, 6)), k));
  LsUOp *b = k_load (ctx, k_global (ctx, 2, LS_FLOAT, 30), k_add (ctx, k_mul (ctx, k, k_int (ctx, 5)), j));
  LsUOp *acc = k_acc (ctx, 0, ls_uop_const_f (ctx, LS_FLOAT, 0), k);
  LsUOp *sum = k_phi (ctx, acc, k_add (ctx, acc, k_mul (ctx, a, b)), k);
  return one_store (ctx, k_store (ctx, k_global (ctx, 0, LS_FLOAT, 20), k_add (ctx, k_mul (ctx, i, k_int (ctx, 5)), j), sum));
}

/* Largest value less the mean: two loops in a row, then arithmetic on both results. */
static LsUOp *
two_reduces (LsContext *ctx)
{
  LsUOp *i = k_range (ctx, 0, LS_AXIS_LOOP, 3), *row = k_mul (ctx, i, k_int (ctx, 8));
  LsUOp *x = k_range (ctx, 1, LS_AXIS_REDUCE, 8), *y = k_range (ctx, 2, LS_AXIS_REDUCE, 8), *in = k_global (ctx, 1, LS_FLOAT, 24);
  LsUOp *m = k_acc (ctx, 0, ls_uop_const_f (ctx, LS_FLOAT, -HUGE_VAL), x), *s = k_acc (ctx, 1, ls_uop_const_f (ctx, LS_FLOAT, 0), y);
  LsUOp *most = k_phi (ctx, m, ls_uop_alu2 (ctx, LS_OP_MAX, k_load (ctx, in, k_add (ctx, row, x)), m), x);
  LsUOp *less = ls_uop_alu2 (ctx, LS_OP_SUB, k_load (ctx, in, k_add (ctx, row, y)), most);
  LsUOp *sum = k_phi (ctx, s, k_add (ctx, s, ls_uop_alu1 (ctx, LS_OP_EXP2, less)), y);
  return one_store (ctx, k_store (ctx, k_global (ctx, 0, LS_FLOAT, 3), i, ls_uop_alu2 (ctx, LS_OP_FDIV, most, sum)));
}

/* Accumulators that read each other: Fibonacci numbers. */
static LsUOp *
swap_accs (LsContext *ctx)
{
  LsUOp *n = k_range (ctx, 0, LS_AXIS_REDUCE, 10), *stores[2], *out = k_global (ctx, 0, LS_INT32, 2);
  LsUOp *a = k_acc (ctx, 0, k_int (ctx, 0), n), *b = k_acc (ctx, 1, k_int (ctx, 1), n);
  stores[0] = k_store (ctx, out, k_int (ctx, 0), k_phi (ctx, a, b, n));
  stores[1] = k_store (ctx, out, k_int (ctx, 1), k_phi (ctx, b, k_add (ctx, a, b), n));
  return k_sink (ctx, 2, stores);
}

static LsUOp *
gated (LsContext *ctx)
{
  LsUOp *i = k_range (ctx, 0, LS_AXIS_LOOP, 10), *out = k_global (ctx, 0, LS_FLOAT, 10), *in = k_global (ctx, 1, LS_FLOAT, 4);
  LsUOp *gate = ls_uop_alu2 (ctx, LS_OP_CMPLT, i, k_int (ctx, 4));
  LsUOp *value = k_load_gated (ctx, in, i, gate, ls_uop_const_f (ctx, LS_FLOAT, -0.0));
  LsUOp *index = ls_uop_new3 (ctx, LS_OP_INDEX, out->dtype, out, i, ls_uop_alu2 (ctx, LS_OP_CMPNE, i, k_int (ctx, 7)), ls_arg_none ());
  return one_store (ctx, ls_uop_new2 (ctx, LS_OP_STORE, LS_VOID, index, k_add (ctx, value, ls_uop_const_f (ctx, LS_FLOAT, 0.1)),
                                      ls_arg_none ()));
}

static LsUOp *
half_math (LsContext *ctx)
{
  LsUOp *i = k_range (ctx, 0, LS_AXIS_LOOP, 8), *x = k_load (ctx, k_global (ctx, 1, LS_HALF, 8), i),
        *y = k_load (ctx, k_global (ctx, 2, LS_BFLOAT16, 8), i);
  LsUOp *sum = k_add (ctx, k_mul (ctx, x, x), ls_uop_cast (ctx, y, LS_HALF));
  LsUOp *bits = ls_uop_new1 (ctx, LS_OP_BITCAST, LS_INT16, sum, ls_arg_none ());
  LsUOp *stores[3] = {
    k_store (ctx, k_global (ctx, 0, LS_HALF, 8), i, k_add (ctx, sum, ls_uop_const_f (ctx, LS_HALF, 1))),
    k_store (ctx, k_global (ctx, 3, LS_BFLOAT16, 8), i, y),
    k_store (ctx, k_global (ctx, 4, LS_INT16, 8), i, bits),
  };
  return k_sink (ctx, 3, stores);
}

static LsUOp *
guards (LsContext *ctx)
{
  LsUOp *i = k_range (ctx, 0, LS_AXIS_LOOP, 8), *stores[6], *a = k_load (ctx, k_global (ctx, 1, LS_INT32, 8), i),
        *b = k_load (ctx, k_global (ctx, 2, LS_INT32, 8), i);
  LsUOp *c = k_load (ctx, k_global (ctx, 3, LS_UINT8, 8), i);
  LsUOp *values[6] = {
    ls_uop_alu2 (ctx, LS_OP_IDIV, a, b), ls_uop_alu2 (ctx, LS_OP_MOD, a, k_int (ctx, 7)), ls_uop_alu2 (ctx, LS_OP_SHL, a, b),
    ls_uop_alu2 (ctx, LS_OP_SHR, a, k_int (ctx, 3)), ls_uop_cast (ctx, k_add (ctx, c, c), LS_INT32),
    ls_uop_cast (ctx, ls_uop_alu2 (ctx, LS_OP_MOD, c, ls_uop_const_i (ctx, LS_UINT8, 10)), LS_INT32),
  };
  for (int k = 0; k < 6; k++)
    stores[k] = k_store (ctx, k_global (ctx, 0, LS_INT32, 48), k_add (ctx, i, k_int (ctx, 8 * k)), values[k]);
  return k_sink (ctx, 6, stores);
}

static LsUOp *
vectors (LsContext *ctx)
{
  LsDType float4 = ls_dtype_vec (LS_FLOAT, 4);
  LsUOp *i = k_range (ctx, 0, LS_AXIS_LOOP, 8), *at = k_mul (ctx, i, k_int (ctx, 4)), *lanes[4];
  LsUOp *in = k_global (ctx, 1, LS_FLOAT, 32), *out = k_global (ctx, 0, LS_FLOAT, 32);
  LsUOp *from = ls_uop_new1 (ctx, LS_OP_CAST, ls_dtype_ptr (float4, LS_SPACE_GLOBAL, 32), k_index (ctx, in, at), ls_arg_none ());
  LsUOp *x = ls_uop_new1 (ctx, LS_OP_LOAD, float4, from, ls_arg_none ());
  for (gint64 k = 0; k < 4; k++)
    lanes[k] = k_add (ctx, ls_uop_new1 (ctx, LS_OP_GEP, LS_FLOAT, x, ls_arg_ints (ctx, 1, &k)), ls_uop_const_f (ctx, LS_FLOAT, (double) k));
  LsUOp *sum = ls_uop_new (ctx, LS_OP_VECTORIZE, float4, 4, lanes, ls_arg_none ());
  LsUOp *to = ls_uop_new1 (ctx, LS_OP_CAST, ls_dtype_ptr (float4, LS_SPACE_GLOBAL, 32), k_index (ctx, out, at), ls_arg_none ());
  return one_store (ctx, ls_uop_new2 (ctx, LS_OP_STORE, LS_VOID, to, k_mul (ctx, sum, x), ls_arg_none ()));
}

static const struct { const char *name, *kernel, *target; Kernel make; } kernels[] = {
  { "add1", "E_", "c", add1 }, { "add4", "E_4", "c", add4 }, { "add_const", "E_3", "c", add_const }, { "cast", "E_3", "c", cast },
  { "cast_chain", "E_3", "c", cast_chain }, { "matmul", "r_4_5_6", "c", matmul }, { "two_reduces", "r_3_8", "c", two_reduces },
  { "swap_accs", "r_10", "c", swap_accs }, { "gated", "E_10", "c", gated }, { "half", "E_8", "c", half_math },
  { "guards", "E_8", "c", guards },
  { "vectors", "E_8_4", "c", vectors }, { "metal-add1", "E_", "metal", add1 }, { "metal-add3", "E_3", "metal", add3_local },
  { "llvm-add1", "E_", "llvm", add1 }, { "llvm-matmul", "r_4_5_6", "llvm", matmul }, { "llvm-swap_accs", "r_10", "llvm", swap_accs },
  { "llvm-gated", "E_10", "llvm", gated }, { "llvm-half", "E_8", "llvm", half_math }, { "llvm-guards", "E_8", "llvm", guards },
  { "llvm-vectors", "E_8_4", "llvm", vectors },
  { "metal-cast", "E_2", "metal", cast_local }, { "metal-half", "E_8", "metal", half_math },
};

static LsRendered *
render (LsContext *ctx, GPtrArray *list, const char *name, const char *target, const LsSettings *settings)
{
  g_autoptr (GError) error = NULL;
  LsProcedure *procedure = ls_procedure_new (ctx, name, list->len, (LsUOp *const *) list->pdata, &error);
  g_assert_no_error (error);
  LsRendered *rendered = ls_render (ctx, procedure, list->len, (LsUOp *const *) list->pdata, NULL, ls_target_find (target), settings,
                                    &error);
  g_assert_no_error (error);
  ls_procedure_free (procedure);
  return rendered;
}

static void
append_source (GString *out, LsContext *ctx, GPtrArray *list, guint k, const char *title, const LsSettings *settings)
{
  LsRendered *rendered = render (ctx, list, kernels[k].kernel, kernels[k].target, settings);
  g_string_append_printf (out, "# %s\n%s", title, rendered->source);
  ls_rendered_free (rendered);
}

/* The rows of a procedure, as they are shown. */
static void
append_procedure (GString *out, LsContext *ctx, GPtrArray *list, const char *name)
{
  g_autoptr (GError) error = NULL;
  LsProcedure *procedure = ls_procedure_new (ctx, name, list->len, (LsUOp *const *) list->pdata, &error);
  g_assert_no_error (error);
  g_autofree char *signature = ls_proc_signature (name, procedure->rows);
  g_string_append_printf (out, "# procedure\n%s\n", signature);
  for (guint i = ls_proc_n_args (procedure->rows); i < procedure->rows->len; i++) {
    const LsProcRow *row = &g_array_index (procedure->rows, LsProcRow, i);
    g_autofree char *text = ls_proc_row_text (row);
    g_string_append_printf (out, "%*s%s\n", (int) (2 + 2 * row->depth), "", text);
  }
  ls_procedure_free (procedure);
}

static void
test_golden (gconstpointer data)
{
  guint k = GPOINTER_TO_UINT (data);
  LsSettings settings = { .LOOP_NAMES = 1, .MAX_EXPR = 160 }, classic = { .CLASSIC = 1, .MAX_EXPR = 0 },
             modern = { .MODERN = 1, .MAX_EXPR = 0 };
  g_autoptr (LsContext) ctx = ls_context_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) list = ls_linearize (ctx, kernels[k].make (ctx), &settings, &error);
  g_assert_no_error (error);
  g_autoptr (GString) out = g_string_new ("# classic listing\n");
  g_autofree char *early = ls_listing_print (ctx, list->len, (LsUOp *const *) list->pdata, LS_STYLE_CLASSIC);
  g_autofree char *late = ls_listing_print (ctx, list->len, (LsUOp *const *) list->pdata, LS_STYLE_OPS);
  g_string_append (out, early);
  append_source (out, ctx, list, k, "classic source", &classic);
  g_string_append_printf (out, "# modern listing\n%s", late);
  if (g_str_equal (kernels[k].target, "c"))
    append_source (out, ctx, list, k, "modern source", &modern);
  append_source (out, ctx, list, k, "source", &settings);
  append_procedure (out, ctx, list, kernels[k].kernel);
  g_autofree char *name = g_strdup_printf ("%s.golden", kernels[k].name);
  golden_check (name, out->str);
}

/* Every node of the list shows on some line, braces included; rows of the table are in order and their lines exist. */
static void
test_maps (void)
{
  LsSettings settings = { .LOOP_NAMES = 1, .MAX_EXPR = 160 };
  for (guint k = 0; k < G_N_ELEMENTS (kernels); k++) {
    g_autoptr (LsContext) ctx = ls_context_new ();
    g_autoptr (GPtrArray) list = ls_linearize (ctx, kernels[k].make (ctx), &settings, NULL);
    LsRendered *rendered = render (ctx, list, kernels[k].kernel, kernels[k].target, &settings);
    g_auto (GStrv) lines = g_strsplit (rendered->source, "\n", -1);
    g_autoptr (GHashTable) shown = g_hash_table_new (NULL, NULL);
    gboolean is_c = !g_str_equal (kernels[k].target, "llvm");
    for (guint i = 0; i < rendered->lines->len; i++) {
      const LsRenderedLine *line = &g_array_index (rendered->lines, LsRenderedLine, i);
      g_assert_cmpuint (line->line, <=, g_strv_length (lines));
      g_assert_cmpuint (line->line, >=, 1);
      if (i)
        g_assert_cmpuint (line->line, >=, line[-1].line);
      if (line->node->op == LS_OP_ENDRANGE && is_c)
        g_assert_true (strchr (lines[line->line - 1], '}'));
      if (line->node->op == LS_OP_RANGE && is_c)
        g_assert_true (strstr (lines[line->line - 1], "for ("));
      g_hash_table_add (shown, line->node);
    }
    for (guint i = 0; i < list->len; i++) {
      LsUOp *u = list->pdata[i];
      gboolean pointer = u->op == LS_OP_CAST && ls_dtype_is_ptr (u->dtype);
      if (u->op != LS_OP_SINK && !pointer && u->op != LS_OP_SPECIAL && !g_hash_table_contains (shown, u)) {
        g_autofree char *text = ls_uop_summary (u);
        g_error ("%s: no line shows %s", kernels[k].name, text);
      }
    }
    for (guint i = 0; i < rendered->exprs->len; i++) {
      const LsRenderedExpr *expr = &g_array_index (rendered->exprs, LsRenderedExpr, i);
      g_assert_true (expr->node == list->pdata[expr->row]);
      if (i)
        g_assert_cmpuint (expr->row, >, expr[-1].row);
      g_assert_nonnull (expr->why);
      if (!expr->line || ls_dtype_is_ptr (expr->node->dtype) || expr->node->op == LS_OP_DEFINE_ACC || expr->node->op == LS_OP_CONST)
        continue;
      if (!is_c) {
        g_assert_cmpuint (expr->line, <=, g_strv_length (lines));
        continue;
      }
      if (ls_dtype_bits (expr->node->dtype) == 16)
        continue;      /* a store takes the bits, not the value */
      g_auto (GStrv) inputs = g_strsplit (expr->inputs ? expr->inputs : "", "\n", -1);
      for (guint n = 0; inputs[n] && expr->node->op != LS_OP_STORE; n++) {
        g_autofree char *inside = inputs[n][0] == '(' ? g_strndup (inputs[n] + 1, strlen (inputs[n]) - 2) : g_strdup (inputs[n]);
        g_assert_nonnull (strstr (lines[expr->line - 1], inside));
      }
      if (!strstr (lines[expr->line - 1], expr->expr)) {
        /* Parentheses inside of a chain, or around an index, may have gone. */
        g_autofree char *inside = g_strndup (expr->expr + 1, MAX (strlen (expr->expr), 2) - 2);
        g_assert_nonnull (strstr (lines[expr->line - 1], inside));
      }
    }
    ls_rendered_free (rendered);
  }
}

/* A chain of 100,000 additions: text stays linear, each line short. */
static void
test_long_chain (void)
{
  LsSettings settings = { .LOOP_NAMES = 1, .MAX_EXPR = 160 }, unlimited = { .MAX_EXPR = 0 };
  const LsSettings *both[] = { &settings, &unlimited };
  g_autoptr (LsContext) ctx = ls_context_new ();
  LsUOp *i = k_range (ctx, 0, LS_AXIS_LOOP, 4), *x = k_load (ctx, k_global (ctx, 1, LS_FLOAT, 4), i), *sum = x;
  for (int k = 0; k < 100000; k++)
    sum = k & 1 ? k_add (ctx, sum, ls_uop_const_f (ctx, LS_FLOAT, k)) : k_mul (ctx, sum, x);
  g_autoptr (GPtrArray) list = ls_linearize (ctx, one_store (ctx, k_store (ctx, k_global (ctx, 0, LS_FLOAT, 4), i, sum)), &settings, NULL);
  for (guint k = 0; k < 2; k++) {
    LsRendered *rendered = render (ctx, list, "chain", "c", both[k]);
    g_assert_cmpuint (strlen (rendered->source), <, 100000 * 30);
    ls_rendered_free (rendered);
  }
  g_autofree char *text = ls_listing_print (ctx, list->len, (LsUOp *const *) list->pdata, LS_STYLE_CLASSIC);
  g_assert_nonnull (text);
}

static void
test_expand_ssa (void)
{
  LsSettings settings = { .MAX_EXPR = 160, .EXPAND_SSA = 1 };
  g_autoptr (LsContext) ctx = ls_context_new ();
  g_autoptr (GPtrArray) list = ls_linearize (ctx, cast_chain (ctx), &settings, NULL);
  LsRendered *rendered = render (ctx, list, "E_3", "c", &settings);
  g_assert_nonnull (strstr (rendered->source, "int alu0 = ((int)(val0)*2);"));
  ls_rendered_free (rendered);
}

/* A node that a target cannot express is an error that names it. */
static void
test_refused (void)
{
  LsSettings settings = { .LOOP_NAMES = 1, .MAX_EXPR = 160 };
  g_autoptr (LsContext) ctx = ls_context_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) list = ls_linearize (ctx, add3_local (ctx), &settings, NULL);
  LsProcedure *procedure = ls_procedure_new (ctx, "k", list->len, (LsUOp *const *) list->pdata, NULL);
  g_assert_null (ls_render (ctx, procedure, list->len, (LsUOp *const *) list->pdata, NULL, ls_target_find ("c"), &settings, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_COMPILE);
  g_assert_nonnull (strstr (error->message, "SPECIAL"));
  ls_procedure_free (procedure);
  g_assert_null (ls_target_find ("fortran"));
}

/* --- a target of another kind: what HACKING.md describes --- */

/* A renderer that is not C-like: a line for each row of the procedure. */
static LsRendered *
render_rows (const LsRenderJob *job, GError **error)
{
  LsRendered *rendered = g_new0 (LsRendered, 1);
  GString *source = g_string_new (job->target->dialects[ls_settings_profile (job->settings)]);
  rendered->lines = g_array_new (FALSE, FALSE, sizeof (LsRenderedLine));
  rendered->exprs = g_array_new (FALSE, FALSE, sizeof (LsRenderedExpr));
  for (guint i = 0; i < job->procedure->rows->len; i++) {
    const LsProcRow *row = &g_array_index (job->procedure->rows, LsProcRow, i);
    g_autofree char *text = ls_proc_row_text (row);
    LsRenderedLine line = { i + 2, ls_context_node (job->ctx, row->node) };
    g_string_append_printf (source, "%s\n", text);
    g_array_append_val (rendered->lines, line);
  }
  rendered->source = g_string_free (source, FALSE);
  return rendered;
}

static char *no_prelude (const LsTarget *target, const LsSettings *settings, const char *source, LsGiven given) { return g_strdup (""); }
static gboolean    has_half   (const LsTarget *target, LsProfile profile) { return TRUE; }

static const LsRenderer row_renderer = { render_rows, no_prelude, has_half };
static const LsTarget row_target = {
  .name = "rows", .sentence = "The procedure, row by row.", .dtypes = LS_TARGET_ALL_DTYPES, .renderer = &row_renderer,
  .dialects = { [LS_PROFILE_DEFAULT] = "; rows\n", [LS_PROFILE_CLASSIC] = "; early rows\n", [LS_PROFILE_MODERN] = "; late rows\n" },
};

/* A C-like one is a dialect. It has no double. */
static const LsDialect loud = {
  .function = "KERNEL ", .buffer_space = "FAR ", .input = "const ", .restricted = "", .item_index = "ITEM (%s)",
              .group_index = "GROUP (%s)",
  .truth = { "NO", "YES" }, .native_half = TRUE, .exact = TRUE, .math_suffix = "", .constructors = TRUE,
};
static const LsTarget loud_target = {
  .name = "loud", .sentence = "A language in capitals.", .has_local = TRUE, .max_local = 4,
          .dtypes = LS_TARGET_ALL_DTYPES & ~(1u << LS_BASE_DOUBLE),
  .renderer = &ls_renderer_c_style, .dialects = { [LS_PROFILE_DEFAULT] = &loud, [LS_PROFILE_CLASSIC] = &loud, [LS_PROFILE_MODERN] = &loud },
};

static char *
render_for (const LsTarget *target, LsUOp *sink, LsContext *ctx, const LsSettings *settings, GError **error)
{
  g_autoptr (GPtrArray) list = ls_linearize (ctx, sink, settings, NULL);
  LsProcedure *procedure = ls_procedure_new (ctx, "E_3", list->len, (LsUOp *const *) list->pdata, NULL);
  LsRendered *rendered = ls_render (ctx, procedure, list->len, (LsUOp *const *) list->pdata, NULL, target, settings, error);
  char *source = rendered ? g_steal_pointer (&rendered->source) : NULL;
  ls_rendered_free (rendered);
  ls_procedure_free (procedure);
  return source;
}

static void
test_target (void)
{
  LsSettings settings = { .LOOP_NAMES = 1, .MAX_EXPR = 160 }, classic = { .CLASSIC = 1 };
  g_autoptr (LsContext) ctx = ls_context_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *rows = render_for (&row_target, add3_local (ctx), ctx, &classic, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (rows, ==, "; early rows\ndata0: int*\ndata1: const int*\ndata2: const int*\nv0: int = 3\nv1: int = lidx0 below 3\n"
                   "v2: int = load data1[v1]\nv3: int = load data2[v1]\nv4: int = ADD(v2, v3)\nstore data0[v1] = v4\n");
  g_assert_true (ls_render_writes_half (&row_target, &settings));

  g_autofree char *source = render_for (&loud_target, add3_local (ctx), ctx, &settings, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (source, ==, "KERNEL E_3(FAR int* data0, const FAR int* data1, const FAR int* data2) {\n  int lidx0 = ITEM (x); /* 3 */\n"
                   "  int val0 = data1[lidx0];\n  int val1 = data2[lidx0];\n  data0[lidx0] = (val0+val1);\n}\n");
  LsUOp *i = k_range (ctx, 0, LS_AXIS_LOOP, 3);
  LsUOp *value = ls_uop_cast (ctx, k_load (ctx, k_global (ctx, 1, LS_FLOAT, 3), i), LS_DOUBLE);
  g_assert_null (render_for (&loud_target, one_store (ctx, k_store (ctx, k_global (ctx, 0, LS_DOUBLE, 3), i, value)), ctx, &settings,
                             &error));
  g_assert_cmpstr (error->message, ==, "loud has no double");

  /* those of the table */
  for (const LsTarget *const *t = ls_targets; *t; t++) {
    g_assert_true (ls_target_find ((*t)->name) == *t);
    g_assert_cmpuint (strlen ((*t)->sentence), >, 10);
    g_assert_cmpint ((*t)->has_local, ==, (*t)->max_local > 0);
    for (guint p = 0; p < LS_N_PROFILES; p++)
      g_assert_true ((*t)->dialects[p] || !(*t)->renderer->describe);
  }
}

/* --- what a dialect says --- */

static const LsDialectRow *
find_row (GArray *rows, const char *name, LsSpells of)
{
  for (guint i = 0; i < rows->len; i++) {
    const LsDialectRow *row = &g_array_index (rows, LsDialectRow, i);
    if (g_str_equal (row->name, name) && row->of == of)
      return row;
  }
  g_error ("there is no row of %s", name);
}

static void
test_dialect (void)
{
  LsSettings settings = { .LOOP_NAMES = 1, .MAX_EXPR = 160 }, modern = { .MODERN = 1 };
  g_autoptr (GArray) c = ls_render_dialect (ls_target_find ("c"), &settings), metal = ls_render_dialect (ls_target_find ("metal"), &modern),
      none = ls_render_dialect (&row_target, &settings);
  g_assert_cmpuint (none->len, ==, 0);
  g_assert_cmpstr (find_row (c, "exact", LS_SPELLS_ANY)->value, ==, "yes");
  g_assert_cmpstr (find_row (c, "function", LS_SPELLS_ANY)->value, ==, "\"void \"");
  g_assert_null (find_row (c, "barrier", LS_SPELLS_ANY)->value);
  g_assert_cmpstr (find_row (c, "MAX", LS_SPELLS_FLOATS)->value, ==, "(a<b||b!=b?b:a)");
  g_assert_cmpstr (find_row (c, "MAX", LS_SPELLS_OTHERS)->value, ==, "(a<b?b:a)");
  g_assert_cmpstr (find_row (c, "SQRT", LS_SPELLS_ANY)->value, ==, "sqrtf(a)");
  g_assert_null (find_row (c, "FLOORDIV", LS_SPELLS_ANY)->value);
  g_assert_cmpstr (find_row (metal, "CAST", LS_SPELLS_FLOATS)->value, ==, "((float)(a))");
  g_assert_cmpstr (find_row (metal, "item_index", LS_SPELLS_ANY)->value, ==, "\"lid.%s\"");
  g_assert_nonnull (strstr (find_row (metal, "types", LS_SPELLS_ANY)->value, "half: __fp16"));
  /* an operation of bool that is written otherwise has a row of its own */
  LsSettings classic = { .CLASSIC = 1 };
  g_autoptr (GArray) early = ls_render_dialect (ls_target_find ("metal"), &classic);
  g_assert_cmpstr (find_row (early, "NOT", LS_SPELLS_NUMBERS)->value, ==, "(~a)");
  g_assert_cmpstr (find_row (early, "NOT", LS_SPELLS_BOOLS)->value, ==, "(!a)");
  g_assert_cmpstr (find_row (early, "ADD", LS_SPELLS_ANY)->value, ==, "(a+b)");
  LsTarget poor = *ls_target_find ("c");
  poor.lacks = LS_LACKS (IDIV);
  g_autoptr (GArray) lacking = ls_render_dialect (&poor, &settings);
  g_assert_null (find_row (lacking, "IDIV", LS_SPELLS_ANY)->value);
  for (guint i = 0; i < c->len; i++)
    g_assert_true (g_str_has_suffix (g_array_index (c, LsDialectRow, i).sentence, "."));
}

static gboolean
was_asked (const LsRendered *rendered, const char *field)
{
  g_auto (GStrv) of_function = g_strsplit (rendered->asked, " ", -1);
  gboolean asked = g_strv_contains ((const char *const *) of_function, field);
  for (guint i = 0; i < rendered->exprs->len && !asked; i++) {
    g_auto (GStrv) of_row = g_strsplit (g_array_index (rendered->exprs, LsRenderedExpr, i).asked, " ", -1);
    asked = g_strv_contains ((const char *const *) of_row, field);
  }
  return asked;
}

/* A field that a text does not depend on can be anything: the text is the same. */
static void
test_asked (void)
{
  static const struct { const char *name; gsize offset; } flags[] = {
#define IS_TEXT(name)
#define IS_TYPES(name)
#define IS_TRUTH(name)
#define IS_FLAG(name) { #name, G_STRUCT_OFFSET (LsDialect, name) },
#define X(kind, name, group, sentence) IS_##kind (name)
#include "render/dialect.def"
#undef X
  };
  guint n_asked = 0, n_not = 0, n_changed = 0;
  for (guint k = 0; k < G_N_ELEMENTS (kernels); k++)
    for (LsProfile p = 0; p < LS_N_PROFILES; p++) {
      LsSettings settings = { .MAX_EXPR = ls_profile_infos[p].max_expr, .CLASSIC = p == LS_PROFILE_CLASSIC,
                              .MODERN = p == LS_PROFILE_MODERN };
      g_autoptr (LsContext) ctx = ls_context_new ();
      g_autoptr (GPtrArray) list = ls_linearize (ctx, kernels[k].make (ctx), &settings, NULL);
      LsProcedure *procedure = ls_procedure_new (ctx, "k", list->len, (LsUOp *const *) list->pdata, NULL);
      const LsTarget *target = ls_target_find (kernels[k].target);
      LsRendered *rendered = ls_render (ctx, procedure, list->len, (LsUOp *const *) list->pdata, NULL, target, &settings, NULL);
      for (guint f = 0; rendered && target->renderer->describe && f < G_N_ELEMENTS (flags); f++) {
        LsDialect other = *(const LsDialect *) target->dialects[p];
        gboolean *flag = (gboolean *) G_STRUCT_MEMBER_P (&other, flags[f].offset);
        *flag = !*flag;
        LsTarget turned = *target;
        turned.dialects[p] = &other;
        LsRendered *again = ls_render (ctx, procedure, list->len, (LsUOp *const *) list->pdata, NULL, &turned, &settings, NULL);
        gboolean same = again && g_str_equal (again->source, rendered->source), asked = was_asked (rendered, flags[f].name);
        if (!same && !asked)
          g_error ("%s in profile %s hangs on %s, which it is not said to", kernels[k].name, ls_profile_name (p), flags[f].name);
        n_asked += asked;
        n_not += !asked;
        n_changed += !same;
        ls_rendered_free (again);
      }
      ls_rendered_free (rendered);
      ls_procedure_free (procedure);
    }
  g_test_message ("%u asked, of which %u changed the text; %u not asked", n_asked, n_changed, n_not);
  g_assert_cmpuint (n_changed, >, 30);
  g_assert_cmpuint (n_not, >, n_asked);
}

static void
test_broken_list (void)
{
  LsSettings settings = { .LOOP_NAMES = 1, .MAX_EXPR = 160 };
  g_autoptr (LsContext) ctx = ls_context_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) list = ls_linearize (ctx, matmul (ctx), &settings, NULL);
  guint first = 0;
  while (((LsUOp *) list->pdata[first])->op != LS_OP_ENDRANGE)
    first++;
  gpointer kept = list->pdata[first];
  list->pdata[first] = list->pdata[list->len - 2];      /* the outermost loop's end */
  g_assert_null (ls_procedure_new (ctx, "k", list->len, (LsUOp *const *) list->pdata, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_SPEC);
  g_clear_error (&error);
  list->pdata[first] = kept;
  g_assert_null (ls_procedure_new (ctx, "k", list->len - 2, (LsUOp *const *) list->pdata, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_SPEC);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint k = 0; k < G_N_ELEMENTS (kernels); k++) {
    g_autofree char *path = g_strdup_printf ("/render/golden/%s", kernels[k].name);
    g_test_add_data_func (path, GUINT_TO_POINTER (k), test_golden);
  }
  g_test_add_func ("/render/maps", test_maps);
  g_test_add_func ("/render/long-chain", test_long_chain);
  g_test_add_func ("/render/expand-ssa", test_expand_ssa);
  g_test_add_func ("/render/refused", test_refused);
  g_test_add_func ("/render/target", test_target);
  g_test_add_func ("/render/dialect", test_dialect);
  g_test_add_func ("/render/asked", test_asked);
  g_test_add_func ("/render/broken-list", test_broken_list);
  return g_test_run ();
}
