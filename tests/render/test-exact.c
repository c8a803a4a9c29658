/* Generated C against the meaning of ops: every op and cast in every dtype, on edge values, compiled with each compiler that
 * is installed, gives what ir/eval.c gives, bit for bit (any NaN for a NaN that arithmetic made). */
#include <dlfcn.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "ir/eval.h"
#include "kernels.h"
#include "pipeline/launch.h"
#include "run/llvm-library.h"

#define N 1024

static const LsDType dtypes[] = { LS_BOOL, LS_INT8, LS_UINT8, LS_INT16, LS_UINT16, LS_INT32, LS_UINT32, LS_INT64, LS_UINT64, LS_FP8E4M3,
                                  LS_FP8E5M2, LS_HALF, LS_BFLOAT16, LS_FLOAT, LS_DOUBLE };

static const LsOp int_ops[] = { LS_OP_NEG, LS_OP_NOT, LS_OP_TRUNC, LS_OP_ADD, LS_OP_SUB, LS_OP_MUL, LS_OP_IDIV, LS_OP_MOD, LS_OP_MAX,
                                LS_OP_CMPLT, LS_OP_CMPEQ,
  LS_OP_CMPNE, LS_OP_AND, LS_OP_OR, LS_OP_XOR, LS_OP_SHL, LS_OP_SHR, LS_OP_POW, LS_OP_WHERE, LS_OP_MULACC };
static const LsOp float_ops[] = { LS_OP_NEG, LS_OP_RECIP, LS_OP_SQRT, LS_OP_EXP2, LS_OP_LOG2, LS_OP_SIN, LS_OP_TRUNC, LS_OP_ADD, LS_OP_SUB,
                                  LS_OP_MUL, LS_OP_FDIV,
  LS_OP_MAX, LS_OP_CMPLT, LS_OP_CMPEQ, LS_OP_CMPNE, LS_OP_POW, LS_OP_WHERE, LS_OP_MULACC };

typedef struct { char *name; LsOp op; LsDType to, from; gboolean constant; } Case;

static GArray *cases;

/* Edge values first against each other, then bits at random. */
static LsScalar
sample (LsDType d, guint i, guint k)
{
  static const gint64 ints[] = { 0, 1, -1, 2, 7, -7, 31, 32, 63, 64, 127, -128, 255, 32767, -32768, 65535, G_MAXINT32, G_MININT32,
                                 G_MAXUINT32, G_MAXINT64, G_MININT64 };
  static const double floats[] = { 0, -0.0, 1, -1, 0.5, 1.5, -2.5, 65504, 65519, 65520, 448, 464, 464.5, 57344, 61440, 0.001953125,
                                   0.0009765625, 0.00097656251, 1e-7, 6e-8, 127.9, -128.5, 2147483520, 2147483648.0, -2147483648.0,
                                   4294967040.0,
    9223372036854775808.0, -9223372036854775808.0, 1e19, 3e38, 1e-40, INFINITY, -INFINITY, NAN, 255.5, 16777217, 0.1 };
  guint64 bits = ((guint64) i * 2654435761u + k * 40503u) * 0x9e3779b97f4a7c15u;
  bits ^= bits >> 29;
  guint n = ls_dtype_is_float (d) ? G_N_ELEMENTS (floats) : G_N_ELEMENTS (ints);
  guint at = k == 0 ? i % n : k == 1 ? i / n % n : (i + i / n) % n;
  LsScalar value;
  if (i < n * n && ls_dtype_is_float (d))
    value.f = floats[at];
  else if (i < n * n)
    value.i = ints[at];
  else
    return ls_scalar_load (d, &bits);
  return ls_scalar_fit (d, value);
}

static LsUOp *
kernel (LsContext *ctx, const Case *c)
{
  LsUOp *i = k_range (ctx, 0, LS_AXIS_LOOP, N), *src[3];
  guint arity = (guint) ls_op_info (c->op)->arity;
  for (guint k = 0; k < arity; k++) {
    LsDType d = c->op == LS_OP_WHERE && k == 0 ? LS_BOOL : c->from;
    src[k] = k_load (ctx, k_global (ctx, (int) k + 1, d, N), i);
  }
  if (c->constant)
    src[1] = ls_dtype_is_float (c->from) ? ls_uop_const_f (ctx, c->from, 3) : ls_uop_const_i (ctx, c->from, 3);
  LsUOp *store = k_store (ctx, k_global (ctx, 0, c->to, N), i, ls_uop_new (ctx, c->op, c->to, arity, src, ls_arg_none ()));
  return k_sink (ctx, 1, &store);
}

static char *
all_sources (void)
{
  LsSettings settings = { .LOOP_NAMES = 1, .MAX_EXPR = 160, .TRANSCENDENTAL = 1 };
  g_autoptr (LsContext) ctx = ls_context_new ();
  g_autoptr (GHashTable) heads = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GString *out = g_string_new (NULL);
  for (guint k = 0; k < cases->len; k++) {
    const Case *c = &g_array_index (cases, Case, k);
    g_autoptr (GError) error = NULL;
    g_autoptr (GPtrArray) list = ls_linearize (ctx, kernel (ctx, c), &settings, &error);
    g_assert_no_error (error);
    LsProcedure *procedure = ls_procedure_new (ctx, c->name, list->len, (LsUOp *const *) list->pdata, &error);
    g_assert_no_error (error);
    LsRendered *rendered = ls_render (ctx, procedure, list->len, (LsUOp *const *) list->pdata, NULL, ls_target_find ("c"), &settings,
                                      &error);
    g_assert_no_error (error);
    /* One file for all: the text before the functions may occur there once. */
    const char *function = strstr (rendered->source, "void ");
    g_autofree char *head = g_strndup (rendered->source, function - rendered->source);
    g_auto (GStrv) pieces = g_strsplit (head, "\nstatic inline ", -1);
    for (guint p = 0; pieces[p]; p++) {
      gboolean helper = p > 0 || g_str_has_prefix (head, "static inline ");
      const char *text = p == 0 && helper ? pieces[p] + strlen ("static inline ") : pieces[p];
      g_autofree char *clean = g_strstrip (g_strdup (text));
      if (*clean && g_hash_table_add (heads, g_strdup (clean)))
        g_string_append_printf (out, "%s%s\n", helper ? "static inline " : "", clean);
    }
    g_string_append (out, function);
    ls_rendered_free (rendered);
    ls_procedure_free (procedure);
  }
  g_autofree char *functions = ls_render_prelude (ls_target_find ("c"), &settings, out->str, LS_GIVEN_BY_TEXT);
  g_string_prepend (out, functions);
  return g_string_free (out, FALSE);
}

static gboolean
same (LsDType d, LsScalar a, LsScalar b)
{
  if (!ls_dtype_is_float (d))
    return a.i == b.i;
  return (isnan (a.f) && isnan (b.f)) || memcmp (&a, &b, sizeof a) == 0;
}

static void
fill (const Case *c, guint8 *const *at)
{
  for (guint k = 0; k < (guint) ls_op_info (c->op)->arity; k++) {
    LsDType d = c->op == LS_OP_WHERE && k == 0 ? LS_BOOL : c->from;
    for (guint i = 0; i < N; i++)
      ls_scalar_store (d, at[k + 1] + i * ls_dtype_itemsize (d), sample (d, i, k));
  }
}

static void
check_result (const Case *c, guint8 *const *at)
{
  guint arity = (guint) ls_op_info (c->op)->arity, wrong = 0;
  for (guint i = 0; i < N; i++) {
    LsScalar src[3] = { 0 };
    for (guint k = 0; k < arity; k++) {
      LsDType d = c->op == LS_OP_WHERE && k == 0 ? LS_BOOL : c->from;
      src[k] = ls_scalar_load (d, at[k + 1] + i * ls_dtype_itemsize (d));
    }
    if (c->constant && ls_dtype_is_float (c->from))
      src[1].f = 3;
    else if (c->constant)
      src[1].i = ls_dtype_is_bool (c->from) ? 1 : 3;
    LsScalar expected = ls_eval_alu (c->op, c->to, c->from, src);
    LsScalar got = ls_scalar_load (c->to, at[0] + i * ls_dtype_itemsize (c->to));
    if (same (c->to, expected, got))
      continue;
    if (wrong++ == 0)
      g_test_message ("%s [%u]: of %" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER "x, "
                      "expected %" G_GINT64_MODIFIER "x (%g), got %" G_GINT64_MODIFIER "x (%g)", c->name, i,
                      src[0].i, src[1].i, expected.i, expected.f, got.i, got.f);
  }
  if (wrong)
    g_test_fail_printf ("%s: %u of %d values differ", c->name, wrong, N);
}

static void
check_case (const Case *c, void *function)
{
  g_autofree guint8 *memory = g_malloc0 (4 * N * 8);
  guint arity = (guint) ls_op_info (c->op)->arity;
  guint8 *at[4];
  for (guint k = 0; k < 4; k++)
    at[k] = memory + k * N * 8;
  fill (c, at);
  if (arity == 1 || c->constant)
    ((void (*) (void *, void *)) function) (at[0], at[1]);
  else if (arity == 2)
    ((void (*) (void *, void *, void *)) function) (at[0], at[1], at[2]);
  else
    ((void (*) (void *, void *, void *, void *)) function) (at[0], at[1], at[2], at[3]);
  check_result (c, at);
}

/* In LLVM's language, by one version of the library, in the runner. The first version that is there compiles all cases, others a quarter of
 * them: what differs between versions is how they read the text. */
static void
test_llvm (gconstpointer data)
{
  static guint n_tested;
  g_autoptr (GError) error = NULL;
  g_autofree char *why = NULL;
  const char *library = data;
  if (!g_file_test (library, G_FILE_TEST_EXISTS) || !ls_compiler_available ("llvm", &why)) {
    g_test_skip (why ? why : "this version of libLLVM is not installed");
    return;
  }
  g_setenv ("LAZYSCOPE_LLVM", library, TRUE);
  guint step = n_tested++ ? 4 : 1;
  LsSettings settings = { .LOOP_NAMES = 1, .MAX_EXPR = 160, .TRANSCENDENTAL = 1 };
  g_autoptr (LsRunner) runner = ls_runner_new ();
  LsBuffer *all[4];
  guint8 *at[4];
  for (guint k = 0; k < 4; k++) {
    all[k] = ls_runner_buffer_new (runner, k, LS_DOUBLE, N, &error);
    g_assert_no_error (error);
    at[k] = all[k]->data;
  }
  for (guint k = 0; k < cases->len; k += step) {
    const Case *c = &g_array_index (cases, Case, k);
    g_autoptr (LsContext) ctx = ls_context_new ();
    g_autoptr (GPtrArray) list = ls_linearize (ctx, kernel (ctx, c), &settings, &error);
    g_assert_no_error (error);
    g_autofree char *text = ls_launch_text (ctx, c->name, ls_target_find ("c"), &settings, ls_compiler_find ("llvm"), "", list, &error);
    g_assert_no_error (error);
    fill (c, at);
    LsLaunch launch = { .compiler = "llvm", .name = c->name, .source = text, .flags = "-O2 -march=native", .buffers = all,
                        .n_buffers = c->constant ? 2 : 1 + (guint) ls_op_info (c->op)->arity, .timeout_ms = 20000 };
    LsLaunchResult result;
    if (!ls_runner_launch (runner, &launch, &result, &error))
      g_error ("%s: %s\n%s", c->name, error->message, text);
    ls_launch_result_clear (&result);
    check_result (c, at);
  }
  g_unsetenv ("LAZYSCOPE_LLVM");
}

static void
test_compiler (gconstpointer data)
{
  const char *const *command = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *program = g_find_program_in_path (command[0]);
  if (!program) {
    g_autofree char *why = g_strdup_printf ("%s is not installed", command[0]);
    g_test_skip (why);
    return;
  }
  g_autofree char *folder = g_dir_make_tmp ("lazyscope-XXXXXX", &error);
  g_assert_no_error (error);
  g_autofree char *source = g_build_filename (folder, "k.c", NULL), *library = g_build_filename (folder, "k.so", NULL);
  g_autofree char *text = all_sources ();
  g_assert_true (g_file_set_contents (source, text, -1, NULL));
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  for (guint i = 0; command[i]; i++)
    g_ptr_array_add (argv, (gpointer) command[i]);
  const char *const rest[] = { "-shared", "-fPIC", "-o", library, source, "-lm", NULL };
  for (guint i = 0; i < G_N_ELEMENTS (rest); i++)
    g_ptr_array_add (argv, (gpointer) rest[i]);
  int status = 0;
  g_autofree char *messages = NULL;
  g_spawn_sync (NULL, (char **) argv->pdata, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, &messages, &status, &error);
  g_assert_no_error (error);
  if (!g_spawn_check_wait_status (status, NULL))
    g_error ("%s: %s", command[0], messages);
  void *handle = dlopen (library, RTLD_NOW);
  if (!handle)
    g_error ("%s", dlerror ());
  for (guint k = 0; k < cases->len; k++) {
    const Case *c = &g_array_index (cases, Case, k);
    void *function = dlsym (handle, c->name);
    g_assert_nonnull (function);
    check_case (c, function);
  }
  dlclose (handle);
  unlink (source);
  unlink (library);
  rmdir (folder);
}

static void
add_case (LsOp op, LsDType to, LsDType from, gboolean constant)
{
  Case c = { g_strdup_printf ("%s_%s_%s%s", ls_op_name (op), ls_dtype_name (to), ls_dtype_name (from), constant ? "_3" : ""), op, to, from,
             constant };
  g_array_append_val (cases, c);
}

int
main (int argc, char **argv)
{
  static const char *const commands[][8] = {
    { "tcc", NULL },
    { "gcc", "-O2", "-w", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", NULL },
    { "clang", "-O2", "-w", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", NULL },
  };
  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  cases = g_array_new (FALSE, FALSE, sizeof (Case));
  for (guint d = 0; d < G_N_ELEMENTS (dtypes); d++) {
    gboolean is_float = ls_dtype_is_float (dtypes[d]);
    const LsOp *ops = is_float ? float_ops : int_ops;
    for (guint k = 0; k < (is_float ? G_N_ELEMENTS (float_ops) : G_N_ELEMENTS (int_ops)); k++) {
      LsDType to = ls_op_is_comparison (ops[k]) ? LS_BOOL : dtypes[d];
      add_case (ops[k], to, dtypes[d], FALSE);
      if (ls_op_info (ops[k])->arity == 2)
        add_case (ops[k], to, dtypes[d], TRUE);
    }
    for (guint k = 0; k < G_N_ELEMENTS (dtypes); k++) {
      if (k != d)
        add_case (LS_OP_CAST, dtypes[k], dtypes[d], FALSE);
      if (k != d && ls_dtype_bits (dtypes[k]) == ls_dtype_bits (dtypes[d]) && dtypes[k] != LS_BOOL)
        add_case (LS_OP_BITCAST, dtypes[k], dtypes[d], FALSE);
    }
  }
  for (guint k = 0; k < G_N_ELEMENTS (commands); k++) {
    g_autofree char *path = g_strdup_printf ("/render/exact/%s", commands[k][0]);
    g_test_add_data_func (path, commands[k], test_compiler);
  }
  static const char *const versions[][2] = { { "14", "libLLVM-14.so.1" }, { "15", "libLLVM-15.so.1" }, { "19", "libLLVM.so.19.1" } };
  g_autofree char *found = ls_llvm_library () ? g_path_get_dirname (ls_llvm_library ()) : g_strdup ("");
  for (guint k = 0; k < G_N_ELEMENTS (versions); k++) {
    g_autofree char *path = g_strconcat ("/render/exact/llvm-", versions[k][0], NULL);
    g_test_add_data_func_full (path, g_build_filename (found, versions[k][1], NULL), test_llvm, g_free);
  }
  return g_test_run ();
}
