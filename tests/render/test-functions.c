/* exp2, log2 and sin, which are the engine's own: errors, special values, and the same bits from every compiler, as text of C and of LLVM
 * IR. tests/bench/bench-transcendental looks at every float; this at some millions. */
#include "../functions.h"
#include "../sample.h"
#include "render/function-text.h"
#include "render/render.h"
#include "run/run.h"

#include <dlfcn.h>
#include <unistd.h>
#include <glib/gstdio.h>

#define SAMPLES 1000000u      /* of each function */

static const LsFunction *
function (const char *name)
{
  const LsFunction *f = ls_functions;
  while (!g_str_equal (f->name, name))
    f++;
  return f;
}

static void
test_units (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (15);
  guint share = fixture_share (1, 20, "values");
  for (const LsFunction *f = ls_functions; f->name; f++) {
    Worst worst = { 0 };
    for (guint i = 0; i < SAMPLES / share; i++) {
      double x = argument (rand, f->dtype, i);
      measure_value (f->op, f->dtype, x, call_function (f, x), &worst);
    }
    g_test_message ("%s: %.3f units at %a", f->name, worst.units, worst.at);
    g_assert_cmpuint (worst.n_wrong, ==, 0);
    g_assert_cmpfloat (worst.units, <, f->bound);
    g_assert_cmpfloat (worst.units, >, 0.5);      /* it was looked at */
    g_assert_true (ls_function_of (f->op, f->dtype) == f);
  }
  g_autoptr (LsContext) ctx = ls_context_new ();
  Flat flat;
  Worst worst = { 0 };
  modern_exp2 (ctx, &flat);
  for (guint i = 0; i < 300000 / share; i++) {
    double x = argument (rand, LS_FLOAT, i);
    measure_value (LS_OP_EXP2, LS_FLOAT, x, flat_value (&flat, (LsScalar) { .f = x }).f, &worst);
  }
  g_assert_cmpuint (worst.n_wrong, ==, 0);
  g_assert_cmpfloat (worst.units, <, 2);
}

/* What NaN and infinities give, to the bit. */
static void
test_special (void)
{
  static const struct { const char *name; guint32 of, is; } rows[] = {
    { "exp2f", 0x7fc00001, 0x7fc00001 }, { "exp2f", 0xffc00000, 0xffc00000 },
    { "exp2f", 0x7f800000, 0x7f800000 }, { "exp2f", 0xff800000, 0 },
    { "exp2f", 0x80000000, 0x3f800000 }, { "exp2f", 0xc3150000, 1 },
    { "exp2f", 0x43000000, 0x7f800000 }, { "log2f", 0, 0xff800000 },
    { "log2f", 0x80000000, 0xff800000 }, { "log2f", 0xbf800000, 0x7fc00000 },
    { "log2f", 0xff800000, 0x7fc00000 }, { "log2f", 0x7f800000, 0x7f800000 },
    { "log2f", 0xffc00123, 0xffc00123 }, { "log2f", 1, 0xc3150000 },
    { "log2f", 0x3f800000, 0 }, { "sinf", 0x7f800000, 0x7fc00000 },
    { "sinf", 0xff800000, 0x7fc00000 }, { "sinf", 0x7fc00042, 0x7fc00042 },
    { "sinf", 0x80000000, 0x80000000 }, { "sinf", 1, 1 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++) {
    float x, y;
    guint32 bits;
    memcpy (&x, &rows[i].of, sizeof x);
    y = ((float (*) (float)) function (rows[i].name)->call) (x);
    memcpy (&bits, &y, sizeof bits);
    if (bits != rows[i].is)
      g_error ("%s of %08x is %08x, not %08x", rows[i].name, rows[i].of, bits, rows[i].is);
  }
}

/* All of a half's and a bfloat16's values: the float's function, rounded. */
static void
test_halves (void)
{
  static const LsOp ops[] = { LS_OP_EXP2, LS_OP_LOG2, LS_OP_SIN };
  static const LsDType dtypes[] = { LS_HALF, LS_BFLOAT16 };
  guint share = fixture_sample (8, "values");
  for (gsize d = 0; d < G_N_ELEMENTS (dtypes); d++)
    for (gsize o = 0; o < G_N_ELEMENTS (ops); o++) {
      Worst worst = { 0 };
      for (guint bits = 0; bits < 65536; bits += share) {
        LsScalar x = { .f = dtypes[d] == LS_HALF ? ls_half_to_double ((guint16) bits) : ls_bfloat16_to_double ((guint16) bits) };
        measure_value (ops[o], dtypes[d], x.f, ls_eval_alu (ops[o], dtypes[d], dtypes[d], &x).f, &worst);
      }
      g_test_message ("%s of %s: %.3f units at %a", ls_op_name (ops[o]), ls_dtype_name (dtypes[d]), worst.units, worst.at);
      g_assert_cmpuint (worst.n_wrong, ==, 0);
      g_assert_cmpfloat (worst.units, <, 0.51);
    }
}

/* --- the same bits --- */

static void
put (guint8 *at, LsDType dtype, double x)
{
  float single = (float) x;
  memcpy (at, dtype == LS_DOUBLE ? (void *) &x : (void *) &single, ls_dtype_itemsize (dtype));
}

/* FALSE: other bits than the engine's function, but for a NaN's. */
static gboolean
is_same (const LsFunction *f, double x, const guint8 *got)
{
  guint8 want[8];
  put (want, f->dtype, call_function (f, x));
  return memcmp (want, got, ls_dtype_itemsize (f->dtype)) == 0 || (isnan (x) && isnan (ls_scalar_load (f->dtype, got).f));
}

/* The source of a kernel as the renderer writes it, and what a compiler reads before it. */
static char *
kernel_of (const LsFunction *f)
{
  LsSettings settings;
  const char *type = f->dtype == LS_DOUBLE ? "double" : "float";
  g_autofree char *kernel = g_strdup_printf ("%s ls_%s(%s);\nvoid f(%s* restrict data0, const %s* restrict data1) {\n"
                                             "  for (int i = 0; i < %u; i++) {\n    data0[i] = ls_%s(data1[i]);\n  }\n}\n",
                                             type, f->name, type, type, type, SAMPLES, f->name);
  ls_settings_init (&settings);
  g_autofree char *prelude = ls_render_prelude (ls_target_find ("c"), &settings, kernel, LS_GIVEN_BY_RUNNER);
  g_assert_nonnull (strstr (prelude, "#ifndef __TINYC__"));
  return g_strconcat (prelude, kernel, NULL);
}

static void
test_compiler (gconstpointer data)
{
  const char *compiler = data;
  g_autofree char *why_not = NULL;
  if (!ls_compiler_available (compiler, &why_not)) {
    g_test_skip (why_not);
    return;
  }
  g_autoptr (LsRunner) runner = ls_runner_new ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  guint rounds = g_getenv ("LS_SLOWLY") ? 10 : 1;
  for (const LsFunction *f = ls_functions; f->name; f++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *source = kernel_of (f);
    LsBuffer *b[2] = { ls_runner_buffer_new (runner, 0, f->dtype, SAMPLES, &error), ls_runner_buffer_new (runner, 1, f->dtype, SAMPLES,
                                                                                                         &error) };
    g_assert_no_error (error);
    for (guint round = 0; round < rounds; round++) {
      for (guint i = 0; i < SAMPLES; i++)
        put (b[1]->data + i * ls_dtype_itemsize (f->dtype), f->dtype, argument (rand, f->dtype, i));
      LsLaunch how = { .compiler = compiler, .name = "f", .source = source, .n_buffers = 2, .buffers = b, .timeout_ms = 60000,
                       .flags = g_str_equal (compiler, "tcc") ? NULL : "-O2 -march=native" };
      LsLaunchResult result = { 0 };
      gboolean ok = ls_runner_launch (runner, &how, &result, &error);
      g_assert_no_error (error);
      g_assert_true (ok);
      ls_launch_result_clear (&result);
      for (guint i = 0; i < SAMPLES; i++) {
        double x = ls_scalar_load (f->dtype, b[1]->data + i * ls_dtype_itemsize (f->dtype)).f;
        if (!is_same (f, x, b[0]->data + i * ls_dtype_itemsize (f->dtype)))
          g_error ("%s by %s differs at %a", f->name, compiler, x);
      }
    }
    ls_runner_buffer_free (runner, b[0]);
    ls_runner_buffer_free (runner, b[1]);
  }
}

/* The texts for any compiler, alone: C as in an exported file, and IR. */
static void
test_texts (gconstpointer data)
{
  const char *how = data;
  gboolean is_llvm = g_str_equal (how, "llvm");
  const char *compiler = is_llvm ? "clang" : how, *folder = g_get_tmp_dir ();
  g_autofree char *found = g_find_program_in_path (compiler);
  if (!found) {
    g_autofree char *why = g_strdup_printf ("%s is not installed", compiler);
    g_test_skip (why);
    return;
  }
  g_autoptr (GString) text = g_string_new (is_llvm ? "" : "#define EXPORTED(T, f) T call_##f(T x) { return ls_##f(x); }\n");
  for (const LsFunction *f = ls_functions; f->name; f++) {
    const char *type = f->dtype == LS_DOUBLE ? "double" : "float";
    if (is_llvm)
      ls_function_print_llvm (text, f, FALSE);
    else
      ls_function_print_c (text, f, "static inline ");
    if (is_llvm)
      g_string_append_printf (text, "define %s @call_%s(%s %%x) {\n  %%y = call %s @ls_%s(%s %%x)\n  ret %s %%y\n}\n", type, f->name, type,
                              type, f->name, type, type);
    else
      g_string_append_printf (text, "EXPORTED (%s, %s)\n", type, f->name);
  }
  g_autofree char *path = g_strdup_printf ("%s/ls-functions-%d.%s", folder, getpid (), is_llvm ? "ll" : "c"),
                  *object = g_strdup_printf ("%s/ls-functions-%d.so", folder, getpid ());
  g_autoptr (GError) error = NULL;
  g_file_set_contents (path, text->str, -1, &error);
  g_assert_no_error (error);
  const char *flags = is_llvm ? "-O2 -x ir" : g_str_equal (compiler, "tcc") ? ""
                    : "-O2 -Wall -Werror -fwrapv -fno-strict-aliasing -ffp-contract=off";
  g_autofree char *command = g_strdup_printf ("%s %s -shared -fPIC -o %s %s", compiler, flags, object, path), *said = NULL;
  int status = 0;
  g_spawn_command_line_sync (command, NULL, &said, &status, &error);
  g_assert_no_error (error);
  if (status != 0)
    g_error ("%s: %s", command, said);
  void *handle = dlopen (object, RTLD_NOW);
  g_assert_nonnull (handle);
  g_autoptr (GRand) rand = g_rand_new_with_seed (9);
  for (const LsFunction *f = ls_functions; f->name; f++) {
    g_autofree char *name = g_strconcat ("call_", f->name, NULL);
    LsFunction compiled = *f;
    compiled.call = dlsym (handle, name);
    g_assert_nonnull (compiled.call);
    for (guint i = 0; i < SAMPLES; i++) {
      double x = argument (rand, f->dtype, i);
      guint8 got[8];
      put (got, f->dtype, call_function (&compiled, x));
      if (!is_same (f, x, got))
        g_error ("%s as text of %s differs at %a", f->name, how, x);
    }
  }
  dlclose (handle);
  g_unlink (path);
  g_unlink (object);
}

/* A constant is folded to what the function gives; with TRANSCENDENTAL=0 the graph's functions are the C library's. */
static void
test_folding (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LsRuleLibrary) rules = ls_rule_library_new (ls_pipeline_rules (), NULL, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);
  for (guint library = 0; library < 2; library++)
    for (const LsFunction *f = ls_functions; f->name; f++)
      for (guint i = 0; i < 2000; i++) {
        g_autoptr (LsContext) ctx = ls_context_new ();
        ls_context_use_library (ctx, library);
        double x = argument (rand, f->dtype, i);
        LsRewrite rw = { ctx, rules, "symbolic", LS_REWRITE_BOTTOM_UP, 1000 };
        LsUOp *u = ls_graph_rewrite (&rw, ls_uop_alu1 (ctx, f->op, ls_uop_const_f (ctx, f->dtype, x)), &error);
        g_assert_no_error (error);
        g_assert_true (u->op == LS_OP_CONST);
        double want = library ? ls_eval_library (f->op, f->dtype, &(LsScalar) { .f = x }).f : call_function (f, x);
        g_assert_true (memcmp (&want, &u->arg.f, sizeof want) == 0 || (isnan (want) && isnan (u->arg.f)));
      }
}

/* What each dialect writes, by setting. */
static void
test_dialects (void)
{
  static const struct { const char *target; LsProfile profile; gint64 setting; const char *text; gboolean departs; } rows[] = {
    { "c", LS_PROFILE_DEFAULT, 1, "ls_sinf(a)", FALSE }, { "c", LS_PROFILE_DEFAULT, 2, "ls_sinf(a)", FALSE },
    { "c", LS_PROFILE_DEFAULT, 0, "sinf(a)", FALSE }, { "c", LS_PROFILE_CLASSIC, 1, "sin(a)", FALSE },
    { "c", LS_PROFILE_MODERN, 1, "__builtin_sinf(a)", FALSE }, { "metal", LS_PROFILE_DEFAULT, 1, "sin(a)", TRUE },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++) {
    LsSettings settings = { .CLASSIC = rows[i].profile == LS_PROFILE_CLASSIC, .MODERN = rows[i].profile == LS_PROFILE_MODERN,
                            .TRANSCENDENTAL = rows[i].setting };
    const LsTarget *target = ls_target_find (rows[i].target);
    g_autoptr (GArray) dialect = ls_render_dialect (target, &settings);
    for (guint k = 0; k < dialect->len; k++)
      if (g_array_index (dialect, LsDialectRow, k).op == LS_OP_SIN)
        g_assert_cmpstr (g_array_index (dialect, LsDialectRow, k).value, ==, rows[i].text);
    g_autofree char *prelude = ls_render_prelude (target, &settings, "sin(x) __builtin_sinf(x) ls_sinf(x)", LS_GIVEN_BY_TEXT);
    gboolean is_given = strstr (prelude, "float ls_sinf(float x) {") != NULL;
    g_assert_true (is_given);      /* the text names it */
    g_autofree char *other = ls_render_prelude (target, &settings, "sin(x) __builtin_sinf(x)", LS_GIVEN_BY_TEXT);
    g_assert_cmpint (strstr (other, "float ls_sinf(float x) {") != NULL, ==, rows[i].profile != LS_PROFILE_DEFAULT && rows[i].setting != 0);
  }
}

int
main (int argc, char **argv)
{
  static const char *const compilers[] = { "tcc", "gcc", "clang" }, *const texts[] = { "tcc", "gcc", "clang", "llvm" };
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/render/functions/units", test_units);
  g_test_add_func ("/render/functions/special", test_special);
  g_test_add_func ("/render/functions/halves", test_halves);
  for (guint i = 0; i < G_N_ELEMENTS (compilers); i++) {
    g_autofree char *path = g_strconcat ("/render/functions/compiler/", compilers[i], NULL);
    g_test_add_data_func (path, compilers[i], test_compiler);
  }
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autofree char *path = g_strconcat ("/render/functions/text/", texts[i], NULL);
    g_test_add_data_func (path, texts[i], test_texts);
  }
  g_test_add_func ("/render/functions/folding", test_folding);
  g_test_add_func ("/render/functions/dialects", test_dialects);
  return g_test_run ();
}
