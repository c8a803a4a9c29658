/* lazyscope-cli as a user meets it: what it prints where, its JSON, its exit status. Its messages about errors: test-wrong.c. */
#include "spawn.h"

#include <string.h>

static const char *const passes_of_matmul[] = { "ast", "lower", "simplify", "options", "options#2", "expand", "accumulate", "devectorize",
                                                "simplify#2", "decompose", "index" };

/* --- run --- */

static void
test_run (void)
{
  g_auto (Spawned) s = { 0 };
  g_autofree char *cast = program_path ("cast.py");
  spawn_cli (&s, "run", cast, NULL);
  assert_status (&s, 0);
  g_assert_cmpstr (s.out, ==, "[5. 6.]\n");
  g_assert_cmpstr (s.err, ==, "");
  static const char *const compilers[] = { "tcc", "interp", "clang", "gcc" };
  for (gsize i = 0; i < G_N_ELEMENTS (compilers); i++) {
    g_autofree char *path = i < 2 ? NULL : g_find_program_in_path (compilers[i]);
    spawn_cli (&s, "run", cast, "--compiler", compilers[i], NULL);
    if (i < 2 || path) {
      assert_status (&s, 0);
      g_assert_cmpstr (s.out, ==, "[5. 6.]\n");
    } else {
      assert_status (&s, 1);
      assert_contains (s.err, compilers[i]);
    }
  }
  spawn_cli (&s, "run", cast, "--target", "metal", NULL);
  assert_status (&s, 0);
  g_assert_cmpstr (s.out, ==, "[5. 6.]\n");
  spawn_cli (&s, "run", cast, "--variant", "compiler=interp,opt=UPCAST:0:2,NOOPT=1", NULL);
  assert_status (&s, 0);
  g_assert_cmpstr (s.out, ==, "[5. 6.]\n");
  /* a refused option is a warning, the result stays */
  spawn_cli (&s, "run", cast, "--variant", "opt=UPCAST:7:2", NULL);
  assert_status (&s, 0);
  g_assert_cmpstr (s.out, ==, "[5. 6.]\n");
  assert_contains (s.err, "UPCAST:7:2 refused");
}

/* Times are an optimizing compiler's, with its flags, and values tcc's. */
static void
test_compilers (void)
{
  g_auto (Spawned) s = { 0 };
  write_file ("one.py", "from tinygrad import Tensor\na = Tensor([1.0, 2.0, 4.0, 8.0] * 64).realize()\nprint((a * 3).sum().item())\n");
  spawn_cli (&s, "run", "one.py", "--debug", "2", "--record", "one.lscope", NULL);
  assert_status (&s, 0);
  g_assert_cmpstr (s.out, ==, "2880.0\n");
  g_autofree char *clang = g_find_program_in_path ("clang"), *gcc = g_find_program_in_path ("gcc");
  const char *timer = clang ? "clang" : gcc ? "gcc" : "tcc";
  g_autofree char *upper = g_ascii_strup (timer, -1), *line = g_strdup_printf ("*** %s", upper);
  assert_contains (s.err, line);
  g_assert_true ((strstr (s.err, "no optimizing compiler is installed") != NULL) == (!clang && !gcc));
  if (clang || gcc)
    assert_contains (s.err, " -O2 -march=native\n");
  spawn_cli (&s, "show", "one.lscope", "--stage", "compile", "--json", NULL);
  assert_status (&s, 0);
  g_autoptr (JsonObject) o = spawned_json (&s);
  JsonObject *kernel = json_array_get_object_element (json_object_get_array_member (o, "kernels"), 0);
  g_assert_cmpstr (json_object_get_string_member (kernel, "compiler"), ==, timer);
  g_assert_cmpstr (json_object_get_string_member (kernel, "values_compiler"), ==, "tcc");
  g_assert_cmpstr (json_object_get_string_member (kernel, "version"), !=, "");
  g_assert_cmpstr (json_object_get_string_member (kernel, "flags"), ==, clang || gcc ? "-O2 -march=native" : "");
  /* without an optimizer the values are the same, and a note says so */
  g_autofree char *path = g_strdup (g_getenv ("PATH"));
  g_setenv ("PATH", "/nowhere", TRUE);
  spawn_cli (&s, "run", "one.py", "--debug", "2", NULL);
  g_setenv ("PATH", path, TRUE);
  assert_status (&s, 0);
  g_assert_cmpstr (s.out, ==, "2880.0\n");
  assert_contains (s.err, "no optimizing compiler is installed (libLLVM, clang or gcc)");
  assert_contains (s.err, "*** TCC");
  static const char *const refused[] = { "cflags=-ffast-math", "cflags=-Ofast", "cflags=-O3 -fassociative-math", "cflags=-freciprocal-math",
                                         "cflags=-ffinite-math-only", "cflags=-fno-signed-zeros",
                                         "cflags=-ffp-contract=fast", "cflags=-o x", "cflags=-fno-wrapv", "cflags=-Dfloat=double",
                                         "cflags=-Dsqrtf=", "cflags=-D__FAST_MATH__", "cflags=-DNAN=0", "cflags=-UINFINITY", "cflags='",
                                         "native=2", "compiler=tcc,cflags=-O3", "compiler=tcc,native=0", "k3:NOOPT=1" };
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++) {
    spawn_cli (&s, "run", "one.py", "--variant", refused[i], NULL);
    if (s.status != 2)
      g_error ("--variant %s is not refused: %d %s", refused[i], s.status, s.err);
  }
  if (!clang && !gcc)
    return;
  spawn_cli (&s, "run", "one.py", "--debug", "2", "--variant", "cflags=-O1 -fno-unroll-loops -DTILE_2=4,native=0", NULL);
  assert_status (&s, 0);
  assert_contains (s.err, " -O2 -O1 -fno-unroll-loops -DTILE_2=4\n");
}

static void
test_run_json (void)
{
  g_auto (Spawned) s = { 0 };
  write_file ("two.py", "from tinygrad import Tensor\na = (Tensor([1.0, -2.0, 0.0]) / 0).realize()\nb = (Tensor([[1, 2], [3, 4]]).sum(1) "
                        "> 3).realize()\n"
              "print('text', a.tolist())\nprint(b.numpy())\n");
  spawn_cli (&s, "run", "two.py", "--json", NULL);
  assert_status (&s, 0);
  g_assert_cmpstr (s.err, ==, "");
  g_autoptr (JsonObject) o = spawned_json (&s);
  assert_members (o, "stdout kernels outputs");
  g_assert_cmpstr (json_object_get_string_member (o, "stdout"), ==, "text [inf, -inf, nan]\n[False  True]\n");
  JsonArray *kernels = json_object_get_array_member (o, "kernels");
  g_assert_cmpuint (json_array_get_length (kernels), ==, 2);
  JsonObject *kernel = json_array_get_object_element (kernels, 0);
  assert_members (kernel, "name stage_ms compiler version flags compile_ms run_ms gflops gbs uops");
  g_assert_cmpstr (json_object_get_string_member (kernel, "name"), ==, "E_3");
  g_assert_cmpint (json_object_get_int_member (kernel, "uops"), >, 4);
  g_assert_cmpfloat (json_object_get_double_member (kernel, "compile_ms"), >, 0);
  JsonObject *stages = json_object_get_object_member (kernel, "stage_ms");
  g_assert_cmpfloat (json_object_get_double_member (stages, "simplify"), >, 0);
  g_assert_cmpfloat (json_object_get_double_member (stages, "render"), >, 0);
  JsonArray *outputs = json_object_get_array_member (o, "outputs");
  g_assert_cmpuint (json_array_get_length (outputs), ==, 2);
  JsonObject *first = json_array_get_object_element (outputs, 0), *second = json_array_get_object_element (outputs, 1);
  assert_members (first, "shape dtype value");
  JsonArray *values = json_object_get_array_member (first, "value");
  g_assert_cmpstr (json_object_get_string_member (first, "dtype"), ==, "float");
  g_assert_cmpstr (json_array_get_string_element (values, 0), ==, "inf");
  g_assert_cmpstr (json_array_get_string_element (values, 1), ==, "-inf");
  g_assert_cmpstr (json_array_get_string_element (values, 2), ==, "nan");
  g_assert_cmpstr (json_object_get_string_member (second, "dtype"), ==, "bool");
  g_assert_cmpint (json_array_get_int_element (json_object_get_array_member (second, "shape"), 0), ==, 2);
  g_assert_true (json_array_get_boolean_element (json_object_get_array_member (second, "value"), 1));
}

/* Times differ between runs: digits are all the same here. */
static char *
without_numbers (const char *line)
{
  GString *s = g_string_new (NULL);
  for (const char *p = line; *p; p++)
    if (!g_ascii_isdigit (*p) && *p != '.' && *p != ' ')
      g_string_append_c (s, *p);
  return g_string_free (s, FALSE);
}

/* Every line of level N is also at level N + 1; 5 shows one pyrender and 6 all graphs, so for 6 only the lines of 4 are compared. */
static void
test_debug (void)
{
  g_auto (Spawned) s = { 0 };
  g_autofree char *matmul = program_path ("matmul.py"), *out = NULL;
  static const char *const adds[] = { NULL, "scheduled 1 kernel", "*** TCC", "BufferOps.STORE", "Ops.DEFINE_GLOBAL", "pass 3/simplify",
                                      "Ops.RANGE", "(view-alu: " };
  g_auto (GStrv) lines = NULL;
  guint before = 0;
  for (int level = 0; level <= 7; level++) {
    char text[2] = { (char) ('0' + level), 0 };
    spawn_cli (&s, "run", matmul, "--debug", text, "--compiler", "tcc", NULL);
    assert_status (&s, 0);
    if (!out)
      out = g_strdup (s.out);
    g_assert_cmpstr (s.out, ==, out);
    if (level == 0)
      g_assert_cmpstr (s.err, ==, "");
    g_autoptr (GHashTable) there = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    g_auto (GStrv) now = g_strsplit (s.err, "\n", -1);
    for (char **line = now; *line; line++)
      g_hash_table_add (there, without_numbers (*line));
    for (char **line = lines; line && *line; line++) {
      g_autofree char *key = without_numbers (*line);
      if (!g_hash_table_contains (there, key))
        g_error ("--debug %d lacks a line of --debug %d: %s", level, level - 1, *line);
    }
    if (adds[level])
      assert_contains (s.err, adds[level]);
    guint n = n_lines (s.err);
    g_assert_cmpuint (n, >=, before + (level > 0));
    before = n;
    g_clear_pointer (&lines, g_strfreev);
    lines = g_steal_pointer (&now);
  }
}

/* --- bench, steps, verify --- */

static void
test_bench (void)
{
  g_auto (Spawned) s = { 0 };
  g_autofree char *matmul = program_path ("matmul.py");
  spawn_cli (&s, "bench", matmul, "--json", "--repeats", "2", "--seconds", "1", NULL);
  assert_status (&s, 0);
  g_autoptr (JsonObject) o = spawned_json (&s);
  assert_members (o, "stages pipeline_ms record_ms program_ms record_program_ms file_ms kernels distinct copies uops steps nodes "
                     "kernel_times");
  JsonArray *stages = json_object_get_array_member (o, "stages");
  double sum = 0;
  for (guint i = 0; i < json_array_get_length (stages); i++) {
    JsonObject *stage = json_array_get_object_element (stages, i);
    assert_members (stage, "name ms");
    g_assert_cmpstr (json_object_get_string_member (stage, "name"), !=, "compile");
    g_assert_cmpstr (json_object_get_string_member (stage, "name"), !=, "run");
    sum += json_object_get_double_member (stage, "ms");
  }
  g_assert_cmpfloat (sum, >, 0);
  JsonArray *times = json_object_get_array_member (o, "kernel_times");
  g_assert_cmpuint (json_array_get_length (times), ==, (guint) json_object_get_int_member (o, "distinct"));
  for (guint i = 0; i < json_array_get_length (times); i++) {
    JsonObject *time = json_array_get_object_element (times, i);
    g_assert_true (json_object_get_null_member (time, "error"));
    g_assert_cmpfloat (json_object_get_double_member (time, "ns"), >, 0);
    g_assert_cmpfloat (json_object_get_double_member (time, "low_ns"), <=, json_object_get_double_member (time, "ns"));
    g_assert_cmpstr (json_object_get_string_member (time, "compiler"), !=, "");
    g_assert_cmpstr (json_object_get_string_member (time, "version"), !=, "");
  }
  g_assert_cmpfloat (json_object_get_double_member (o, "pipeline_ms"), >, 0);
  g_assert_cmpfloat (json_object_get_double_member (o, "file_ms"), >, 0);
  g_assert_cmpint (json_object_get_int_member (o, "kernels"), ==, 3);
  g_assert_cmpint (json_object_get_int_member (o, "steps"), >, 100);
  g_assert_cmpint (json_object_get_int_member (o, "nodes"), >, 500);
}

static JsonObject *
variant_of (JsonObject *o, guint k)
{
  return json_array_get_object_element (json_object_get_array_member (o, "variants"), k);
}

#define MEMBER(k, name) json_object_get_string_member (variant_of (o, k), name)

static void
test_compare (void)
{
  g_auto (Spawned) s = { 0 };
  write_file ("sum.py", "from tinygrad import Tensor\nx = (Tensor.arange(4096).cast('float') * 0.001).realize()\nprint(x.sum().item())\n");
  write_file ("good.c", "/* void f (int x) { */\nstatic float twice (float x) { return 2 * x; }\nvoid mine (float *restrict out, const "
                        "float *in) { float a[8] = { 0 }; for (int i = 0; i < 4096; i += 8) for (int k = 0; k < 8; k++) a[k] += in[i + "
                        "k];\n"
              "  out[0] = ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7])); (void) twice; }\n");
  write_file ("wrong.c", "void mine (float *out, const float *in) { out[0] = 7; }\n");
  write_file ("crash.c", "void mine (float *out, const float *in) { *(volatile int *) 8 = 1; }\n");
  write_file ("spin.c", "void mine (float *out, const float *in) { for (;;) __asm__ volatile (\"\"); }\n");
  write_file ("other.c", "void mine (double *out, const float *in) { }\n");
  write_file ("none.c", "int x;\n");
  spawn_cli (&s, "run", "sum.py", "--record", "sum.lscope", NULL);
  /* tcc is there wherever the test runs */
  for (guint recorded = 0; recorded < 2; recorded++) {
    spawn_cli (&s, "compare", recorded ? "sum.lscope" : "sum.py", "--kernel", "2", "--json", "--seconds", "1", "--html", "c.html",
               "--variant", "compiler=tcc,opt=", "--variant", "compiler=tcc,opt=UNROLL:0:4",
               "--variant", "compiler=tcc,opt=UNROLL:0:3", "--variant", "compiler=tcc,c=good.c", "--variant", "compiler=tcc,c=wrong.c",
               "--variant", "compiler=tcc,c=crash.c",
               "--variant", "compiler=tcc,TIMEOUT_MS=300,c=spin.c", "--variant", "compiler=tcc,c=other.c", "--variant",
               "compiler=tcc,c=none.c", "--variant", "compiler=tcc,c=missing.c", NULL);
    assert_status (&s, 0);
    g_autoptr (JsonObject) o = spawned_json (&s);
    g_assert_cmpint (json_object_get_int_member (o, "kernel"), ==, 2);
    g_assert_cmpstr (MEMBER (0, "verdict"), ==, "first");
    g_assert_cmpstr (MEMBER (0, "options"), ==, "");
    g_assert_cmpstr (MEMBER (1, "options"), ==, "UNROLL:0:4");
    g_assert_cmpstr (MEMBER (1, "verdict"), !=, "same-code");
    assert_contains (MEMBER (1, "log"), "the rewrite logs differ");
    assert_contains (MEMBER (1, "source_diff"), "\n-");
    assert_contains (MEMBER (1, "source_diff"), "\n+");
    assert_contains (MEMBER (1, "code_diff"), "addss");
    g_autofree char *simulator = g_find_program_in_path ("llvm-mca");
    if (simulator)
      assert_contains (MEMBER (0, "mca"), "cycles per iteration of the hot loop");
    else
      g_test_message ("llvm-mca is not installed: no second opinion is asked for");
    JsonArray *instructions = json_object_get_array_member (variant_of (o, 0), "instructions");
    guint n_lines = 0, n_cycles = 0;
    for (guint i = 0; i < json_array_get_length (instructions); i++) {
      JsonObject *x = json_array_get_object_element (instructions, i);
      n_lines += json_object_has_member (x, "line");
      n_cycles += json_object_has_member (x, "cycles") && json_object_get_double_member (x, "cycles") > 0;
    }
    g_assert_cmpuint (n_lines, >, 0);
    g_assert_true ((n_cycles > 0) == (simulator != NULL));
    /* the refused option leaves what there is without it */
    g_assert_cmpstr (MEMBER (2, "options"), ==, "");
    g_assert_cmpstr (MEMBER (2, "verdict"), ==, "same-code");
    g_assert_cmpstr (MEMBER (2, "equal"), ==, "bits");
    JsonArray *refused = json_object_get_array_member (variant_of (o, 2), "refused");
    g_assert_cmpuint (json_array_get_length (refused), ==, 1);
    assert_contains (json_array_get_string_element (refused, 0), "does not divide");
    g_assert_true (g_str_equal (MEMBER (3, "equal"), "bound") || g_str_equal (MEMBER (3, "equal"), "ulp"));
    g_assert_cmpint (json_object_get_int_member (variant_of (o, 3), "max_ulp"), >, 0);
    g_assert_cmpstr (MEMBER (4, "equal"), ==, "differs");
    for (guint k = 5; k < 10; k++)
      g_assert_cmpstr (MEMBER (k, "verdict"), ==, "failed");
    assert_contains (MEMBER (5, "error"), "SIGSEGV");
    assert_contains (MEMBER (6, "error"), "ran past its limit of 300 ms");
    assert_contains (MEMBER (7, "error"), "differ from the kernel's");
    assert_contains (MEMBER (8, "error"), "defines no function");
    assert_contains (MEMBER (9, "error"), "missing.c");
    g_autofree char *page = NULL;
    g_assert_true (g_file_get_contents ("c.html", &page, NULL, NULL));
    assert_contains (page, "UNROLL:0:3");
    g_assert_null (strstr (page, "://"));
  }
  /* rules of a variant; another recording's kernel, as it is there; one of another graph is compared by its own */
  write_file ("own.rules", "set symbolic\n# Never.\nnever: ADD(x:bool, y) -> y\n");
  write_file ("more.py", "from tinygrad import Tensor\nx = (Tensor.arange(4096).cast('float') * 0.001).realize()\nprint((x * "
                         "2).sum().item())\n");
  spawn_cli (&s, "run", "sum.py", "--variant", "opt=UNROLL:0:2", "--disable", "mul-one", "--record", "two.lscope", NULL);
  spawn_cli (&s, "run", "more.py", "--record", "more.lscope", NULL);
  spawn_cli (&s, "run", "sum.py", "--rules", "own.rules", "--record", "own.lscope", NULL);
  spawn_cli (&s, "compare", "sum.lscope", "two.lscope", "more.lscope", "own.lscope", "--kernel", "2", "--json", "--seconds", "1",
             "--variant", "compiler=tcc", "--variant", "compiler=tcc,without=mul-one",
             "--variant", "without=nothing", "--variant", "rules=missing.rules", "--variant", "compiler=tcc,rules=own.rules", NULL);
  assert_status (&s, 0);
  g_autoptr (JsonObject) files = spawned_json (&s);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (files, "variants")), ==, 8);
#define OF_FILES(k, name) json_object_get_string_member (variant_of (files, k), name)
  g_assert_cmpstr (OF_FILES (1, "equal"), ==, "bits");
  assert_contains (OF_FILES (2, "error"), "nothing");
  assert_contains (OF_FILES (3, "error"), "missing.rules");
  g_assert_cmpstr (OF_FILES (4, "equal"), ==, "bits");
  g_assert_cmpstr (OF_FILES (5, "spec"), ==, "two.lscope#2");
  g_assert_cmpstr (OF_FILES (5, "options"), ==, "UNROLL:0:2");
  g_assert_cmpstr (OF_FILES (6, "spec"), ==, "more.lscope#2");
  g_assert_cmpstr (OF_FILES (6, "equal"), ==, "differs");
  assert_contains (OF_FILES (7, "error"), "its run had rule never (own.rules:3)");
  spawn_cli (&s, "compare", "sum.lscope", "missing.lscope", "--kernel", "2", NULL);
  assert_status (&s, 1);
  /* without a kernel all of them: each with the same keys as alone, and a sentence that is true of its numbers */
  spawn_cli (&s, "compare", "sum.lscope", "--json", "--seconds", "1", "--variant", "compiler=tcc,k2:opt=", "--variant",
             "compiler=tcc,k2:opt=UNROLL:0:4", NULL);
  assert_status (&s, 0);
  g_autoptr (JsonObject) table = spawned_json (&s);
  JsonArray *runs = json_object_get_array_member (table, "runs"), *kernels = json_object_get_array_member (table, "kernels");
  g_assert_cmpuint (json_array_get_length (runs), ==, 2);
  g_assert_cmpstr (json_array_get_string_element (runs, 1), ==, "compiler=tcc,k2:opt=UNROLL:0:4");
  g_assert_cmpuint (json_array_get_length (kernels), ==, 2);
  for (guint i = 0; i < 2; i++) {
    JsonObject *k = json_array_get_object_element (kernels, i), *of = json_object_get_object_member (k, "comparison");
    g_assert_cmpint (json_object_get_int_member (k, "kernel"), ==, i + 1);
    g_assert_cmpint (json_object_get_int_member (k, "line"), ==, i + 2);
    g_assert_true (json_object_get_boolean_member (k, "changed") == (i == 1));
    g_assert_cmpstr (json_object_get_string_member (variant_of (of, 0), "verdict"), ==, "first");
    if (i == 0) {
      g_assert_cmpstr (json_object_get_string_member (k, "tensor"), ==, "x");
      g_assert_cmpstr (json_object_get_string_member (k, "verdict"), ==, "Same code in every run.");
      continue;
    }
    double ratio = json_object_get_double_member (variant_of (of, 1), "ratio");
    g_autofree char *figure = g_strdup_printf ("%.2f", ratio);
    assert_contains (json_object_get_string_member (k, "what"), "sum 4096");
    if (g_str_equal (json_object_get_string_member (variant_of (of, 1), "verdict"), "faster"))
      assert_contains (json_object_get_string_member (k, "verdict"), figure);
    assert_contains (json_object_get_string_member (table, "verdict"), "line 3");
  }
  spawn_cli (&s, "compare", "sum.lscope", "more.lscope", "--seconds", "1", "--variant", "compiler=tcc", "--variant",
             "compiler=tcc,k2:opt=UNROLL:0:4", NULL);
  assert_status (&s, 0);
  assert_contains (s.out, "more.lscope computes other values, so its time does not count.");
  assert_contains (s.out, "x (line 2): elementwise 4096, ");
  assert_contains (s.out, "same code");
  spawn_cli (&s, "compare", "sum.py", "--variant", "opt=", "--html", "c.html", NULL);
  assert_status (&s, 2);
  assert_contains (s.err, "--html needs --kernel K");
  spawn_cli (&s, "compare", "sum.py", "--kernel", "2", "--variant", "cflags=-ffast-math", NULL);
  assert_status (&s, 2);
  spawn_cli (&s, "compare", "sum.py", "--kernel", "9", NULL);
  assert_status (&s, 2);
  spawn_cli (&s, "bench", "sum.py", "--variant", "c=good.c", NULL);
  assert_status (&s, 2);
}

/* A function by hand takes the place of a kernel's code, in one run and in its recording. */
static void
test_by_hand (void)
{
  g_auto (Spawned) s = { 0 };
  write_file ("hand.py", "from tinygrad import Tensor\nx = Tensor([1.0, 2.0, 3.0]).realize()\ny = (x * "
                         "2).contiguous().realize()\nprint((y + 1).tolist())\n");
  write_file ("ten.c", "void ten (float *restrict out, const float *in) { for (int i = 0; i < 3; i++) out[i] = 10 * in[i]; }\n");
  write_file ("ends.c", "void ends (float *out, const float *in) { *(volatile int *) 8 = 1; }\n");
  write_file ("other.c", "void other (double *out) { }\n");
  spawn_cli (&s, "run", "hand.py", "--variant", "k1:c=ten.c", "--record", "hand.lscope", NULL);
  assert_status (&s, 0);
  g_assert_cmpstr (s.out, ==, "[11.0, 21.0, 31.0]\n");
  g_assert_cmpstr (s.err, ==, "");
  spawn_cli (&s, "show", "hand.lscope", NULL);
  assert_contains (s.out, "its code is hand-written, ");
  spawn_cli (&s, "show", "hand.lscope", "--kernel", "1", "--stage", "source", NULL);
  assert_contains (s.out, "out[i] = 10 * in[i]");
  spawn_cli (&s, "blame", "hand.lscope", "--kernel", "1", "--line", "1", NULL);
  assert_contains (s.out, "is hand-written");
  spawn_cli (&s, "verify", "hand.lscope", NULL);
  assert_status (&s, 5);
  assert_contains (s.out, "not judged: sources: a hand-written kernel cannot be made again");
  spawn_cli (&s, "bisect", "hand.lscope", NULL);      /* an intermediate result is compared, too */
  assert_contains (s.out, "The result of kernel 1 ");
  assert_contains (s.out, "2.0 before, 10.0 after");
  static const struct { const char *variant, *said; int status; } wrong[] = {
    { "k1:c=other.c", "differ from the kernel's", 1 }, { "k1:c=missing.c", "there is no such file", 1 },
    { "k1:c=ends.c", "SIGSEGV", 1 }, { "k1:c=.", "not a regular file", 1 },
    { "compiler=interp,k1:c=ten.c", "does not compile C", 1 }, { "k9:c=ten.c", "is not used: there are 2 kernels", 0 },
    { "k1:acc=vector", "only opt= and c= can name a kernel", 2 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++) {
    spawn_cli (&s, "run", "hand.py", "--variant", wrong[i].variant, NULL);
    assert_status (&s, wrong[i].status);
    assert_contains (s.err, wrong[i].said);
  }
}

/* fma=1 leaves out a rounding, by recorded steps, and no check reports that as a fault, nor values computed from it. */
static void
test_fused (void)
{
  g_auto (Spawned) s = { 0 };
  write_file ("fused.py", "from tinygrad import Tensor\nx = Tensor([1.0001220703125, 3.0, -0.0])\ny = (x * x - "
                          "1).contiguous().realize()\nd = (x.cast('double') * 0.1 + 0.3).realize()\n"
              "print(y.tolist(), (2 - x * 0.1).tolist(), (y * 4096).sum().item(), d.tolist())\n");
  for (const char *const *compiler = (const char *const[]) { "tcc", "interp", NULL }; *compiler; compiler++) {
    spawn_cli (&s, "run", "fused.py", "--compiler", *compiler, "--set", "fma=1", "--record", "fused.lscope", NULL);
    assert_status (&s, 0);
    /* 2^-12 + 2^-26, whose second term the rounded product loses */
    assert_contains (s.out, "[0.00024415552616119385, 8.0, -1.0]");
    spawn_cli (&s, "verify", "fused.lscope", NULL);
    assert_status (&s, 0);
    spawn_cli (&s, "bisect", "fused.lscope", NULL);
    assert_contains (s.out, "All results agree");
  }
  spawn_cli (&s, "steps", "fused.lscope", "--rule", "fuse-sub", NULL);
  assert_contains (s.out, "contract");
  spawn_cli (&s, "run", "fused.py", NULL);
  assert_contains (s.out, "[0.000244140625, 8.0, -1.0]");
}

/* exp2, log2 and sin are the same bits from every compiler, alone in an exported file too; with TRANSCENDENTAL=0 they are the library's. */
static void
test_functions (void)
{
  g_auto (Spawned) s = { 0 };
  write_file ("waves.py", "from tinygrad import Tensor\nx = (Tensor.arange(60).reshape(4, 15) * 0.37 - 9).realize()\n"
              "print(x.exp().sum(1).tolist(), x.softmax().log().tolist(), (x.sin() * 1e4).cos().tolist(), x.half().exp2().tolist(), "
              "x.cast('double').abs().log2().tolist())\n");
  for (const char *const *compiler = (const char *const[]) { "tcc", "interp", NULL }; *compiler; compiler++) {
    spawn_cli (&s, "run", "waves.py", "--compiler", *compiler, "--record", "waves.lscope", NULL);
    assert_status (&s, 0);
    g_autofree char *out = g_strdup (s.out);
    spawn_cli (&s, "show", "waves.lscope", "--stage", "source", NULL);
    assert_contains (s.out, "float ls_exp2f(float);");
    g_assert_null (strstr (s.out, "float exp2f(float);"));
    spawn_cli (&s, "verify", "waves.lscope", NULL);
    assert_status (&s, 0);
    spawn_cli (&s, "bisect", "waves.lscope", NULL);
    assert_contains (s.out, "All results agree");
    for (const char *const *other = (const char *const[]) { "clang", "gcc", NULL }; *other; other++) {
      spawn_cli (&s, "run", "waves.py", "--compiler", *other, NULL);
      if (s.status == 0)      /* where there is one: to the bit */
        g_assert_cmpstr (s.out, ==, out);
    }
  }
  /* the names of the other profiles are bound to them */
  write_file ("names.py", "from tinygrad import Tensor\nx = (Tensor.arange(60) * 0.37 - 9).contiguous().realize()\n"
              "d = x.cast('double').contiguous().realize()\nprint(x.abs().log2().tolist(), x.sin().tolist())\n"
              "print(d.exp2().tolist(), d.abs().log2().tolist(), d.sin().tolist())\n");
  spawn_cli (&s, "run", "names.py", NULL);
  g_autofree char *plain = g_strdup (s.out);
  for (const char *const *profile = (const char *const[]) { "profile=classic", "profile=modern", NULL }; *profile; profile++)
    for (const char *const *compiler = (const char *const[]) { "tcc", "interp", "clang", "gcc", NULL }; *compiler; compiler++) {
      spawn_cli (&s, "run", "names.py", "--compiler", *compiler, "--set", *profile, NULL);
      if (s.status == 0)
        g_assert_cmpstr (s.out, ==, plain);
    }
  spawn_cli (&s, "run", "waves.py", "--set", "TRANSCENDENTAL=0", "--record", "waves.lscope", NULL);
  assert_status (&s, 0);
  spawn_cli (&s, "show", "waves.lscope", "--stage", "source", NULL);
  assert_contains (s.out, "float exp2f(float);");
  g_assert_null (strstr (s.out, "ls_exp2f"));
  spawn_cli (&s, "verify", "waves.lscope", NULL);
  assert_status (&s, 0);
}

/* Passes over the procedure are recorded with their rows, and shown as changes to them. */
static void
test_procedure_passes (void)
{
  g_auto (Spawned) s = { 0 };
  write_file ("turns.py", "from tinygrad import Tensor\nx = (Tensor.arange(21).reshape(3, 7) * 0.5).realize()\nprint(x.sum(1).tolist(), "
                          "x.pad(((0, 0), (1, 1))).sum(0).tolist())\n");
  spawn_cli (&s, "run", "turns.py", "--record", "turns.lscope", "--set", "NOOPT=1", "--set", "UNROLL_LOOPS=3", "--set", "PROPAGATE=1",
             "--set", "HOIST=1", "--set", "FUSE_LOOPS=1", NULL);
  assert_status (&s, 0);
  assert_contains (s.out, "[10.5, 35.0, 59.5]");
  spawn_cli (&s, "verify", "turns.lscope", NULL);
  assert_status (&s, 0);
  spawn_cli (&s, "bisect", "turns.lscope", NULL);
  assert_contains (s.out, "All results agree");
  spawn_cli (&s, "show", "turns.lscope#2/unroll-loops", NULL);
  assert_contains (s.out, "\n-  loop v6 = 0 … below ");
  assert_contains (s.out, "loop j, copy 2 of 3\n");
  spawn_cli (&s, "diff", "turns.lscope#2/procedure", "turns.lscope#2/unroll-loops", NULL);
  assert_status (&s, 4);
  spawn_cli (&s, "diff", "turns.lscope#2/linearize", "turns.lscope#2/procedure", NULL);
  assert_status (&s, 0);
  spawn_cli (&s, "blame", "turns.lscope", "--kernel", "2", "--line", "8", NULL);
  assert_contains (s.out, "iteration 2 of 3");
  spawn_cli (&s, "run", "turns.py", "--debug", "5", "--set", "NOOPT=1", "--set", "UNROLL_LOOPS=3", NULL);
  assert_contains (s.err, "copy 2 of 3\n");
  spawn_cli (&s, "run", "turns.py", "--slow", "--kernel", "2", "--set", "NOOPT=1", "--set", "UNROLL_LOOPS=3", NULL);
  assert_status (&s, 0);
}

/* A compiler that would take a vector for one of its lanes is not given any. */
static void
test_vectors (void)
{
  g_auto (Spawned) s = { 0 };
  write_file ("vectors.py", "from tinygrad import Tensor\nx = Tensor([1, 2, 3, 4, 5, 6, 7, 8]).realize()\nprint(x.reshape(2, "
                            "4).contiguous().tolist(), x.clone().tolist())\n");
  for (const char *const *compiler = (const char *const[]) { "tcc", "interp", NULL }; *compiler; compiler++) {
    spawn_cli (&s, "run", "vectors.py", "--compiler", *compiler, "--set", "DEVECTORIZE=0", "--variant", "opt=UPCAST:0:4", NULL);
    assert_status (&s, 0);
    g_assert_cmpstr (s.out, ==, "[[1, 2, 3, 4], [5, 6, 7, 8]] [1, 2, 3, 4, 5, 6, 7, 8]\n");
  }
  spawn_cli (&s, "run", "vectors.py", "--set", "DEVECTORIZE=0", "--variant", "opt=UPCAST:0:4", NULL);
  assert_contains (s.err, "tcc has no vectors");
}

/* gcc 12 lost the second half of this, as long as it made vectors of gated loads. */
static void
test_gates (void)
{
  g_auto (Spawned) s = { 0 };
  g_autofree char *gcc = g_find_program_in_path ("gcc");
  if (!gcc) {
    g_test_skip ("gcc is not installed");
    return;
  }
  write_file ("gates.py", "from tinygrad import Tensor, dtypes\nx = Tensor([1, 2, 3, 4, 5, 6, 7, 8], "
                          "dtype=dtypes.int64).realize()\nprint(x.cat(x).tolist(), x[:4].cat(x[:4]).tolist())\n");
  spawn_cli (&s, "run", "gates.py", "--compiler", "gcc", "--variant", "opt=UPCAST:0:2", NULL);
  assert_status (&s, 0);
  g_assert_cmpstr (s.out, ==, "[1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8] [1, 2, 3, 4, 1, 2, 3, 4]\n");
}

/* The row of an option. */
static JsonObject *
option_of (JsonObject *o, const char *text)
{
  JsonArray *rows = json_object_get_array_member (o, "options");
  for (guint i = 0; i < json_array_get_length (rows); i++)
    if (g_str_equal (json_object_get_string_member (json_array_get_object_element (rows, i), "text"), text))
      return json_array_get_object_element (rows, i);
  g_error ("there is no option %s", text);
}

static void
test_kernel_options (void)
{
  g_auto (Spawned) s = { 0 };
  g_autofree char *matmul = program_path ("matmul.py");
  spawn_cli (&s, "run", matmul, "--variant", "k3:opt=UPCAST:0:4,k3:opt=UPCAST:1:3,k9:opt=UPCAST:0:4", "--record", "chosen.lscope", NULL);
  assert_status (&s, 0);
  g_assert_cmpuint (n_lines (s.err), ==, 2);
  assert_contains (s.err, "opt= of k9:UPCAST:0:4 is not used: there are 3 kernels");
  assert_contains (s.err, "kernel 3 (");
  assert_contains (s.err, "UPCAST:1:3 refused: the amount does not divide the axis");
  for (guint recorded = 0; recorded < 2; recorded++) {
    spawn_cli (&s, "options", recorded ? "chosen.lscope" : matmul, "--kernel", "3", "--json", NULL);
    assert_status (&s, 0);
    g_autoptr (JsonObject) o = spawned_json (&s);
    JsonObject *axis = json_array_get_object_element (json_object_get_array_member (o, "axes"), 1);
    g_assert_cmpstr (json_object_get_string_member (axis, "type"), ==, "loop");
    g_assert_cmpint (json_object_get_int_member (axis, "size"), ==, 64);
    JsonArray *strides = json_object_get_array_member (axis, "strides");
    static const gint64 expected[] = { 1, 0, 1 };      /* of the result, of rows, of columns */
    for (guint i = 0; i < json_array_get_length (strides); i++) {
      JsonObject *stride = json_array_get_object_element (strides, i);
      g_assert_cmpint (json_object_get_int_member (stride, "stride"), ==, expected[json_object_get_int_member (stride, "argument")]);
    }
    JsonObject *reduced = option_of (o, "UPCAST:2:4"), *fits = option_of (o, "UNROLL:2:8"), *local = option_of (o, "LOCAL:0:4");
    g_assert_false (json_object_get_boolean_member (reduced, "legal"));
    assert_contains (json_object_get_string_member (reduced, "reason"), "use UNROLL");
    assert_contains (json_object_get_string_member (local, "reason"), "no work groups");
    g_assert_true (json_object_get_boolean_member (fits, "legal"));
    JsonObject *first = json_array_get_object_element (json_object_get_array_member (o, "options"), 0);
    g_assert_cmpstr (json_object_get_string_member (first, "chosen_by"), ==, recorded ? "you" : "heuristic");
    if (recorded)
      g_assert_cmpstr (json_object_get_string_member (first, "text"), ==, "UPCAST:0:4");
    else
      assert_contains (json_object_get_string_member (first, "why"), " ");
  }
  spawn_cli (&s, "options", matmul, "--kernel", "9", NULL);
  assert_status (&s, 2);
}

/* A run with a search: its kernels have the options found, the recording has the search, and the next run has it from the cache. */
static void
test_run_search (void)
{
  g_auto (Spawned) s = { 0 };
  g_autofree char *matmul = program_path ("matmul.py");
  spawn_cli (&s, "run", matmul, "--search", "1", "--no-cache", "--seconds", "1", "--record", "searched.lscope", NULL);
  assert_status (&s, 0);
  assert_contains (s.err, "search: kernel 3: ");
  assert_contains (s.err, "timed now");
  spawn_cli (&s, "search", "searched.lscope", "--kernel", "3", "--json", NULL);
  assert_status (&s, 0);
  g_autoptr (JsonObject) o = spawned_json (&s);
  g_assert_cmpstr (json_object_get_string_member (o, "source"), ==, "recording");
  JsonArray *rows = json_object_get_array_member (o, "candidates");
  g_assert_cmpuint (json_array_get_length (rows), >, 3);
  g_autofree char *chosen = g_strdup (json_object_get_string_member (
                               json_array_get_object_element (rows, (guint) json_object_get_int_member (o, "chosen")), "options"));
  spawn_cli (&s, "options", "searched.lscope", "--kernel", "3", "--json", NULL);
  assert_status (&s, 0);
  g_autoptr (JsonObject) options = spawned_json (&s);
  for (const char *p = chosen; *p; p += strcspn (p, ",") + (p[strcspn (p, ",")] == ',')) {
    g_autofree char *text = g_strndup (p, strcspn (p, ","));
    g_assert_true (json_object_get_boolean_member (option_of (options, text), "legal"));
  }
  spawn_cli (&s, "verify", "searched.lscope", NULL);
  assert_status (&s, 0);
  if (g_strcmp0 (g_getenv ("LAZYSCOPE_CACHE"), "0") != 0) {
    spawn_cli (&s, "run", matmul, "--search", "1", "--seconds", "1", NULL);
    assert_status (&s, 0);
    assert_contains (s.err, "from the cache; --no-cache searches again");
  }
  spawn_cli (&s, "run", matmul, "--search", "0", NULL);
  assert_status (&s, 2);
  spawn_cli (&s, "run", matmul, "--no-cache", NULL);
  assert_status (&s, 2);
  assert_contains (s.err, "--no-cache");
}

static void
test_steps (void)
{
  g_auto (Spawned) s = { 0 };
  g_autofree char *matmul = program_path ("matmul.py");
  spawn_cli (&s, "steps", matmul, "--json", "--kernel", "3", "--pass", "simplify#2", NULL);
  assert_status (&s, 0);
  g_autoptr (JsonObject) o = spawned_json (&s);
  assert_members (o, "steps");
  JsonArray *steps = json_object_get_array_member (o, "steps");
  g_assert_cmpuint (json_array_get_length (steps), >, 2);
  for (guint i = 0; i < json_array_get_length (steps); i++) {
    JsonObject *step = json_array_get_object_element (steps, i);
    assert_members (step, "kernel pass index rule file line before after ns before_text after_text why");
    g_assert_cmpint (json_object_get_int_member (step, "kernel"), ==, 3);
    g_assert_cmpstr (json_object_get_string_member (step, "pass"), ==, "simplify#2");
    g_assert_cmpint (json_object_get_int_member (step, "index"), ==, i + 1);
    g_assert_true (g_str_has_suffix (json_object_get_string_member (step, "file"), ".rules"));
    g_assert_cmpint (json_object_get_int_member (step, "line"), >, 0);
    g_assert_cmpint (json_object_get_int_member (step, "before"), !=, json_object_get_int_member (step, "after"));
  }
  /* with a pass, what an algorithm made is below its step */
  spawn_cli (&s, "steps", matmul, "--kernel", "3", "--pass", "accumulate", NULL);
  assert_status (&s, 0);
  assert_contains (s.out, " 1.1 CONST 0.0: the neutral value of the operation\n");
  assert_contains (s.out, " ADD: each iteration combines the register and the value\n");
  /* every step says in a line what it changed: the two texts differ, and are those of the JSON where these are short */
  spawn_cli (&s, "steps", matmul, NULL);
  assert_status (&s, 0);
  g_auto (Spawned) all = { 0 };
  spawn_cli (&all, "steps", matmul, "--json", NULL);
  g_autoptr (JsonObject) whole = spawned_json (&all);
  JsonArray *every = json_object_get_array_member (whole, "steps");
  g_auto (GStrv) rows = g_strsplit (s.out, "\n", -1);
  g_assert_cmpuint (json_array_get_length (every), ==, g_strv_length (rows) - 1);
  guint n_of_rows = 0;
  for (guint i = 0; i < json_array_get_length (every); i++) {
    JsonObject *step = json_array_get_object_element (every, i);
    const char *before = json_object_get_string_member (step, "before_text"), *after = json_object_get_string_member (step, "after_text");
    if (!json_object_has_member (step, "before")) {      /* a row: what it did, and why */
      gboolean has_why = json_object_has_member (step, "why") && !json_object_get_null_member (step, "why");
      const char *why = has_why ? json_object_get_string_member (step, "why") : "";
      const char *pass = json_object_get_string_member (step, "pass");      /* times differ from run to run */
      g_assert_true (strcmp (pass, "run") == 0 || strcmp (pass, "compile") == 0 || strstr (rows[i], after));
      g_assert_nonnull (strstr (rows[i], why));
      n_of_rows++;
      continue;
    }
    const char *arrow = g_strrstr (rows[i], " -> ");
    g_assert_cmpstr (before, !=, after);
    g_assert_nonnull (arrow);
    g_autofree char *shown = g_strndup (rows[i], (gsize) (arrow - rows[i]));
    gsize n = strlen (arrow + 4);
    g_assert_false (strlen (shown) > n + 1 && g_str_has_suffix (shown, arrow + 4) && shown[strlen (shown) - n - 1] == ' ');
    if (strlen (before) <= 60 && strlen (after) <= 60) {
      g_assert_true (g_str_has_suffix (shown, before));
      g_assert_cmpstr (arrow + 4, ==, after);
    }
  }
  g_assert_cmpuint (n_of_rows, >, 100);
  /* one rule: as many lines as the JSON has steps, all of them of that rule */
  const char *rule = json_object_get_string_member (json_array_get_object_element (steps, 0), "rule");
  spawn_cli (&s, "steps", matmul, "--rule", rule, NULL);
  assert_status (&s, 0);
  g_assert_cmpuint (n_lines (s.out), >, 0);
  g_auto (GStrv) lines = g_strsplit (s.out, "\n", -1);
  for (char **line = lines; **line; line++)
    assert_contains (*line, rule);
}

/* A size above a target's limit is refused, with the reason. */
static void
test_limits (void)
{
  g_auto (Spawned) s = { 0 };
  write_file ("limits.py", "from tinygrad import Tensor\na = Tensor([[1.0] * 64] * 64).realize()\nprint(len((a + a.permute(1, "
                           "0)).tolist()))\n");
  spawn_cli (&s, "run", "limits.py", "--target", "metal", "--variant", "opt=LOCAL:0:32,opt=LOCAL:1:32", NULL);
  assert_status (&s, 0);
  g_assert_cmpstr (s.err, ==, "");
  spawn_cli (&s, "run", "limits.py", "--target", "metal", "--variant", "opt=LOCAL:0:64,opt=LOCAL:1:32", NULL);
  assert_status (&s, 0);
  g_assert_cmpstr (s.err, ==, "warning: kernel 1 (E_64_64): LOCAL:1:32 refused: the group would exceed the target's maximum size of a "
                              "work group\n");
}

static void
test_verify (void)
{
  g_auto (Spawned) s = { 0 };
  g_autofree char *softmax = program_path ("softmax.py");
  spawn_cli (&s, "verify", softmax, "--json", NULL);
  assert_status (&s, 0);
  g_autoptr (JsonObject) o = spawned_json (&s);
  assert_members (o, "passes steps replay_failures lineage_unmapped lineage_ambiguous spec_failures remade recomputed by_digest "
                     "differences classes seal flushes verdict scope messages not_judged");
  g_assert_cmpint (json_object_get_int_member (o, "passes"), >, 10);
  g_assert_cmpint (json_object_get_int_member (o, "steps"), >, 10);
  g_assert_cmpint (json_object_get_int_member (o, "replay_failures"), ==, 0);
  /* a recording that says it ended elsewhere is well-formed, but not true */
  spawn_cli (&s, "run", softmax, "--record", "s.lscope", NULL);
  assert_status (&s, 0);
  exec_sql ("s.lscope", "UPDATE passes SET output = input WHERE name = 'lower'");
  spawn_cli (&s, "verify", "s.lscope", NULL);
  assert_status (&s, 3);
  assert_contains (s.err, "pass lower of kernel 1");
  /* nothing can prove what a machine was called, but an edit of it is found; without seals it is not, which is said */
  spawn_cli (&s, "run", softmax, "--record", "s.lscope", NULL);
  spawn_cli (&s, "verify", "s.lscope", NULL);
  assert_status (&s, 0);
  assert_contains (s.out, ": sealed, not proved");
  exec_sql ("s.lscope", "UPDATE meta SET value = 'Cray-1' WHERE key = 'machine'");
  spawn_cli (&s, "verify", "s.lscope", NULL);
  assert_status (&s, 3);
  assert_contains (s.err, "table meta: machine was changed after it was sealed");
  exec_sql ("s.lscope", "DROP TABLE seals; DROP TABLE sealed_tables");
  spawn_cli (&s, "verify", "s.lscope", NULL);
  assert_status (&s, 0);
  assert_contains (s.out, ": neither sealed nor proved");
}

/* --- show --- */

/* The walk of "[1, 2, 3] + 2" as text: a line for each statement, the calls on the way to its values, and what these led to. */
static void
test_walk (void)
{
  g_auto (Spawned) s = { 0 };
  static const char *const lines[] = {
    "  line 1: from tinygrad import Tensor                    imported 1 name\n",
    "  line 2: a = Tensor([1,2,3])                            bound a to COPY int (3,)\n",
    "  line 3: b = a + 2                                      bound b to ADD int (3,)\n",
    "  line 4: print(b.tolist())                              realized b: 1 copy, 1 kernel; printed [3, 4, 5]\n",
    "  tolist (int(3,)) ", "    data (int(3,)) ", "      _data (int(3,)) ", "        contiguous (int(3,)) ", "        to (int(3,), 'CPU') ",
    "        realize (int(3,), ()) ",
    "          schedule: one kernel                                      1/schedule\n",
    "          copy: int[3] of the host, buffer 0, to a (buffer 1)       1/schedule\n",
    "          kernel 1 E_3: writes b (buffer 2)                         1/ast\n", "          launch of kernel 1: ",
  };
  write_file ("four.py", "from tinygrad import Tensor\na = Tensor([1,2,3])\nb = a + 2\nprint(b.tolist())\n");
  spawn_cli (&s, "run", "four.py", "--record", "four.lscope", NULL);
  assert_status (&s, 0);
  spawn_cli (&s, "run", "four.py", "--record", "metal.lscope", "--target", "metal", NULL);
  spawn_cli (&s, "diff", "four.lscope", "metal.lscope", NULL);      /* a pass of one is not compared with another pass of the other */
  assert_contains (s.out, "the rewrite logs differ from step 1 of options on");
  assert_contains (s.out, "\n  A: no pass options\n  B: options/1 ");
  write_file ("names.py", "from tinygrad.uop.ops import UOp\nx = UOp.variable(\"x\", 0, 10)\nfor u in (x + 3).toposort(): print(u.op)\n"
                          "for k in range(2):\n  y = x + k\n");
  spawn_cli (&s, "run", "names.py", "--record", "names.lscope", NULL);
  spawn_cli (&s, "show", "names.lscope", "--stage", "program", NULL);
  assert_contains (s.out, "\n  x, line 2: node ");
  assert_contains (s.out, "\n  u, line 3, iteration 1: node ");
  assert_contains (s.out, "\n  u, line 3, iteration 3: node ");
  assert_contains (s.out, "\n  y, line 5, iteration 2: node ");
  spawn_cli (&s, "show", "four.lscope", "--stage", "program", NULL);
  const char *at = s.out;
  for (gsize i = 0; i < G_N_ELEMENTS (lines); i++) {
    const char *found = strstr (at, lines[i]);
    if (!found)
      g_error ("'%s' is not in '%s'", lines[i], at);
    at = found + strlen (lines[i]);
  }
  spawn_cli (&s, "show", "four.lscope", "--stage", "schedule", NULL);
  g_assert_true (g_str_has_prefix (s.out, "kernel 1    copy: int[3] of the host, buffer 0, to a (buffer 1)\n0/schedule/1 "));
  g_assert_nonnull (strstr (s.out, " is stored by kernel 1: the program asked for the value\n"));
  spawn_cli (&s, "show", "four.lscope", NULL);
  g_assert_nonnull (strstr (s.out, "kernel 1 E_3: 12 uops\n  realized by line 4: print(b.tolist())\n"));
}

static void
test_show (void)
{
  g_auto (Spawned) s = { 0 }, r = { 0 };
  g_autofree char *matmul = program_path ("matmul.py"), *dot = g_find_program_in_path ("dot");
  spawn_cli (&s, "run", matmul, "--record", "m.lscope", NULL);
  assert_status (&s, 0);
  static const char *const stages[] = { "program", "schedule", "tree", "ast", "listing", "linearize", "procedure", "source", "render",
                                        "exprs", "dialect", "compile", "timing", "run", "tensor", "simplify" };
  static const char *const formats[] = { "text", "json" };
  for (gsize i = 0; i < G_N_ELEMENTS (stages); i++)
    for (gsize f = 0; f < G_N_ELEMENTS (formats); f++) {
      spawn_cli (&s, "show", "m.lscope", "--stage", stages[i], "--format", formats[f], NULL);
      assert_status (&s, 0);
      g_assert_cmpstr (s.out, !=, "");
      if (f == 1)
        json_object_unref (spawned_json (&s));
      /* the recording shows what the program shows, times and ids of code aside */
      if (g_str_equal (stages[i], "timing") || g_str_equal (stages[i], "run") || g_str_equal (stages[i], "compile") ||
          g_str_equal (stages[i], "program"))
        continue;
      spawn_cli (&r, "show", matmul, "--stage", stages[i], "--format", formats[f], NULL);
      assert_status (&r, 0);
      g_assert_cmpstr (s.out, ==, r.out);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (passes_of_matmul); i++) {
    spawn_cli (&s, "show", "m.lscope", "--kernel", "3", "--pass", passes_of_matmul[i], NULL);
    assert_status (&s, 0);
    assert_contains (s.out, "root = UOp(Ops.SINK");
    spawn_cli (&r, "show", matmul, "--kernel", "3", "--pass", passes_of_matmul[i], NULL);
    g_assert_cmpstr (s.out, ==, r.out);
    spawn_cli (&s, "show", "m.lscope", "--kernel", "3", "--pass", passes_of_matmul[i], "--format", "json", NULL);
    assert_status (&s, 0);
    g_autoptr (JsonObject) o = spawned_json (&s);
    assert_members (o, "root nodes");
    JsonArray *nodes = json_object_get_array_member (o, "nodes");
    JsonObject *last = json_array_get_object_element (nodes, json_array_get_length (nodes) - 1);
    assert_members (last, "id op dtype src arg");
    g_assert_cmpint (json_object_get_int_member (last, "id"), ==, json_object_get_int_member (o, "root"));
    spawn_cli (&s, "show", "m.lscope", "--kernel", "3", "--pass", passes_of_matmul[i], "--format", "dot", NULL);
    assert_status (&s, 0);
    g_assert_true (g_str_has_prefix (s.out, "digraph"));
  }
  /* the text of a kernel has the same words in both forms */
  spawn_cli (&s, "show", "m.lscope", "--kernel", "3", "--stage", "source", NULL);
  assert_contains (s.out, "void r_");
  spawn_cli (&r, "show", "m.lscope", "--kernel", "3", "--stage", "source", "--format", "json", NULL);
  g_autoptr (JsonObject) o = spawned_json (&r);
  JsonObject *kernel = json_array_get_object_element (json_object_get_array_member (o, "kernels"), 0);
  g_assert_cmpstr (json_object_get_string_member (kernel, "text"), ==, s.out);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (kernel, "links")), >, 10);
  spawn_cli (&s, "show", "m.lscope", "--json", NULL);
  assert_status (&s, 0);
  g_autoptr (JsonObject) overview = spawned_json (&s);
  assert_members (overview, "program statements copies complete error kernels passes");
  spawn_cli (&s, "show", "m.lscope", "--kernel", "3", "--stage", "listing", "--set", "profile=modern", NULL);
  assert_contains (s.out, "Ops.DEFINE_GLOBAL");
  spawn_cli (&s, "show", "m.lscope", "--kernel", "3", "--pass", "simplify#2", "--step", "2", "--format", "svg", NULL);
  assert_status (&s, 0);
  assert_contains (s.out, "<svg xmlns=");
  assert_contains (s.out, "class=\"node k1");      /* what the step added */
  g_assert_null (strstr (s.out, "var(--"));
  spawn_cli (&s, "show", "m.lscope", "--kernel", "3", "--pass", "expand", "--format", "svg", NULL);
  assert_status (&s, 0);
  assert_contains (s.out, "</svg>");
  g_assert_null (strstr (s.out, "class=\"node k1"));
  spawn_cli (&s, "show", "m.lscope", "--kernel", "3", "--pass", "expand", "--format", "svg", "--layout", "circle", NULL);
  assert_status (&s, 2);
  if (!dot) {
    g_test_message ("Graphviz's layout is not tried: its dot is not installed");
    return;
  }
  spawn_cli (&s, "show", "m.lscope", "--kernel", "3", "--pass", "expand", "--format", "svg", "--layout", "dot", NULL);
  assert_status (&s, 0);
  assert_contains (s.out, "</svg>");
}

/* A line of CSV for each row of the JSON; rows of a kernel come after the kernel's own cells. */
static void
test_csv (void)
{
  g_auto (Spawned) s = { 0 };
  g_autofree char *matmul = program_path ("matmul.py");
  static const char *const stages[] = { "listing", "procedure", "exprs", "dialect" };
  spawn_cli (&s, "run", matmul, "--record", "m.lscope", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (stages); i++) {
    guint n = 0;
    spawn_cli (&s, "show", "m.lscope", "--stage", stages[i], "--json", NULL);
    g_autoptr (JsonObject) o = spawned_json (&s);
    JsonArray *kernels = json_object_get_array_member (o, "kernels");
    for (guint k = 0; k < json_array_get_length (kernels); k++)
      n += json_array_get_length (json_object_get_array_member (json_array_get_object_element (kernels, k), "rows"));
    spawn_cli (&s, "show", "m.lscope", "--stage", stages[i], "--csv", NULL);
    assert_status (&s, 0);
    assert_contains (s.out, "\r\n3,r_");
    g_assert_true (g_str_has_prefix (s.out, i == 2 ? "kernel,kernels_name,node," : "kernel,name,"));      /* rows of exprs have names */
    g_assert_cmpuint (n_lines (s.out), ==, n + 1);
  }
  spawn_cli (&s, "show", "m.lscope", "--stage", "compile", "--kernel", "3", "--csv", NULL);
  assert_contains (s.out, "\"mov rbp, rsp\"");
  spawn_cli (&s, "steps", "m.lscope", "--kernel", "3", NULL);
  guint n_steps = n_lines (s.out);
  spawn_cli (&s, "steps", "m.lscope", "--kernel", "3", "--csv", NULL);
  g_assert_cmpuint (n_lines (s.out), ==, n_steps + 1);
  spawn_cli (&s, "show", "m.lscope#3/lower", "--csv", "--format", "dot", NULL);
  assert_status (&s, 2);
  assert_contains (s.err, "--csv and --format dot cannot be given together");
}

/* Step 0 is the input, the last one the output, which is the next pass's input. */
static void
test_step (void)
{
  g_auto (Spawned) s = { 0 }, r = { 0 };
  g_autofree char *matmul = program_path ("matmul.py");
  spawn_cli (&s, "run", matmul, "--record", "m.lscope", NULL);
  spawn_cli (&s, "show", "m.lscope", "--kernel", "3", "--json", NULL);
  g_autoptr (JsonObject) o = spawned_json (&s);
  JsonArray *passes = json_object_get_array_member (o, "passes");
  gint64 steps = 0;
  for (guint i = 0; i < json_array_get_length (passes); i++) {
    JsonObject *pass = json_array_get_object_element (passes, i);
    if (g_str_equal (json_object_get_string_member (pass, "name"), "simplify#2"))
      steps = json_object_get_int_member (pass, "steps");
  }
  g_assert_cmpint (steps, >, 0);
  g_autofree char *last = g_strdup_printf ("m.lscope#3/simplify#2/%d", (int) steps), *beyond = g_strdup_printf ("%d", (int) steps + 1);
  spawn_cli (&s, "show", last, NULL);      /* a position, as the viewer writes it */
  assert_status (&s, 0);
  spawn_cli (&r, "show", "m.lscope", "--kernel", "3", "--pass", "decompose", "--step", "0", NULL);
  assert_status (&r, 0);
  g_assert_true (g_str_has_prefix (s.out, "# 3/simplify#2/"));
  g_assert_cmpstr (strchr (s.out, '\n'), ==, strchr (r.out, '\n'));
  spawn_cli (&s, "show", "m.lscope#3/lower", "--step", "1", "--format", "json", NULL);
  assert_status (&s, 0);
  assert_contains (s.out, "\"change\":\"added\"");
  assert_contains (s.out, "\"change\":\"same\"");
  spawn_cli (&s, "show", "m.lscope#3/simplify#2", "--step", beyond, NULL);
  assert_status (&s, 2);
  assert_contains (s.err, "so there is no step");
  spawn_cli (&s, "steps", "m.lscope#3/simplify#2", NULL);
  assert_status (&s, 0);
  g_assert_cmpint (n_lines (s.out), ==, steps);
  spawn_cli (&s, "show", "m.lscope#3/simplify/x", NULL);
  assert_status (&s, 2);
  assert_contains (s.err, "KERNEL/PASS/STEP");
}

/* --- settings, rules --- */

/* A kernel past its limit is an error of the program at its line; REPEATS says how often a kernel is timed. */
static void
test_settings (void)
{
  g_auto (Spawned) s = { 0 };
  g_autofree char *cast = program_path ("cast.py");
  write_file ("big.py", "from tinygrad import Tensor\nprint('begun')\na = Tensor.ones(1024, 1024).contiguous().realize()\nprint((a @ "
                        "a)[0, 0].item())\n");
  spawn_cli (&s, "run", "big.py", "--set", "TIMEOUT_MS=200", "--set", "NOOPT=1", NULL);
  assert_status (&s, 1);
  g_assert_cmpstr (s.out, ==, "begun\n");
  assert_contains (s.err, "ran past its limit of 200 ms");
  assert_contains (s.err, "big.py:4:");
  spawn_cli (&s, "show", cast, "--target", "metal", "--stage", "source", "--kernel", "1", "--set", "nolocals=1", NULL);
  assert_contains (s.out, "gid.x");
  g_assert_null (strstr (s.out, "= lid.x"));
  spawn_cli (&s, "run", cast, "--set", "REPEATS=7", "--record", "r.lscope", NULL);
  assert_status (&s, 0);
  spawn_cli (&s, "show", "r.lscope", "--stage", "timing", NULL);
  g_assert_cmpuint (n_lines (s.out), ==, 8);
  g_setenv ("REPEATS", "2", TRUE);
  spawn_cli (&s, "show", cast, "--stage", "timing", NULL);
  g_unsetenv ("REPEATS");
  g_assert_cmpuint (n_lines (s.out), ==, 3);
  g_setenv ("profile", "classic", TRUE);      /* as of --set; what that sets counts more */
  spawn_cli (&s, "show", cast, "--stage", "listing", "--kernel", "1", NULL);
  assert_contains (s.out, " UOps.");
  spawn_cli (&s, "show", cast, "--stage", "listing", "--kernel", "1", "--set", "profile=modern", NULL);
  assert_contains (s.out, " Ops.");
  g_setenv ("profile", "bogus", TRUE);
  spawn_cli (&s, "show", cast, "--stage", "listing", "--kernel", "1", NULL);
  assert_contains (s.out, " Ops.");
  g_assert_cmpstr (s.err, ==, "lazyscope-cli: profile=bogus in the environment is ignored: the profiles are classic, modern and default\n");
  g_unsetenv ("profile");
}

/* The program's output and the first kernel's source. */
static char *
source_of (const char *expression)
{
  g_auto (Spawned) s = { 0 };
  g_autofree char *text = g_strdup_printf ("from tinygrad import Tensor\nx = Tensor([1.0, float('nan'), -3.0, -0.0])\nprint(%s.tolist())\n",
                                           expression);
  write_file ("source.py", text);
  spawn_cli (&s, "show", "source.py", "--stage", "render", NULL);
  assert_status (&s, 0);
  return g_steal_pointer (&s.out);
}

/* A constant that is not a NaN is not asked whether it is one; a NaN stays one on either side. */
static void
test_maximum (void)
{
  g_auto (Spawned) s = { 0 };
  g_autofree char *number = source_of ("x.maximum(-2.0)"), *other = source_of ("x.maximum(x[0])"),
                  *nan = source_of ("x.maximum(float('nan'))");
  assert_contains (number, "(val0<(-2.0f)?(-2.0f):val0)");
  g_assert_null (strstr (number, "!="));
  g_assert_nonnull (strstr (other, "!="));
  g_assert_nonnull (strstr (nan, "!="));
  write_file ("p.py", "from tinygrad import Tensor\nx = Tensor([1.0, float('nan'), -3.0, -0.0])\nprint(x.maximum(-2.0).tolist(), "
                      "x.maximum(0.0).tolist(), x.maximum(float('nan')).tolist())\n");
  for (guint i = 0; i < 2; i++) {
    spawn_cli (&s, "run", "p.py", i ? "--compiler=interp" : "--compiler=tcc", NULL);
    g_assert_cmpstr (s.out, ==, "[1.0, nan, -2.0, -0.0] [1.0, nan, 0.0, -0.0] [nan, nan, nan, nan]\n");
  }
}

/* A tensor of Python numbers only is weak for the tensors it meets, but no kernel and no buffer is. */
static void
test_weak (void)
{
  static const char *const stages[] = { "ast", "linearize" };
  g_auto (Spawned) s = { 0 };
  write_file ("p.py", "from tinygrad import Tensor\ni = Tensor([1, 2, 3])\nw = (i > 1).where(1.5, 2.5).realize()\n"
                      "print(w.dtype, (w + i.cast('half')).dtype, (w + 1).tolist(), "
                      "(i + 0.5).sum().item(), (i > 1).where(3, 4).tolist())\n");
  spawn_cli (&s, "run", "p.py", "--set", "SPEC=2", NULL);
  g_assert_cmpstr (s.out, ==, "dtypes.weakfloat dtypes.half [3.5, 2.5, 2.5] 7.5 [4, 3, 3]\n");
  for (guint i = 0; i < G_N_ELEMENTS (stages); i++) {
    spawn_cli (&s, "show", "p.py", "--stage", stages[i], NULL);
    assert_status (&s, 0);
    g_assert_null (strstr (s.out, "weak"));
  }
  spawn_cli (&s, "bisect", "p.py", NULL);
  assert_contains (s.out, "All results agree");
}

/* The library says of its names what they are, and the nearest of one that it does not have. */
static void
test_doc (void)
{
  g_auto (Spawned) s = { 0 };
  spawn_cli (&s, "doc", "softmax", NULL);
  assert_status (&s, 0);
  assert_contains (s.out, "Tensor.softmax(self, axis=-1");
  assert_contains (s.out, "library/reduce.py:");
  assert_contains (s.out, "def softmax(");
  spawn_cli (&s, "doc", "nn.optim.Adam", NULL);
  assert_status (&s, 0);
  assert_contains (s.out, "nn.optim.Adam(");
  spawn_cli (&s, "doc", NULL);
  assert_status (&s, 0);
  assert_contains (s.out, "\nmatmul ");
  spawn_cli (&s, "doc", "sofmax", NULL);
  assert_status (&s, 2);
  assert_contains (s.err, "did you mean 'softmax'?");
  spawn_cli (&s, "doc", "a", "b", NULL);
  assert_status (&s, 2);
}

/* Integers of 64 bits without a sign are exact wherever they are written and read. */
static void
test_unsigned (void)
{
  g_auto (Spawned) s = { 0 };
  write_file ("p.py", "from tinygrad import Tensor, dtypes\na = Tensor([2**64 - 1, 2**63, 5], dtype=dtypes.uint64)\nprint((a ^ (2**64 - "
                      "2)).tolist())\nprint((a | 1).tolist())\n");
  spawn_cli (&s, "run", "p.py", "--json", "--record", "p.lscope", NULL);
  assert_contains (s.out, "[\"18446744073709551615\",\"9223372036854775809\",5]");
  g_file_set_contents ("right.json", s.out, -1, NULL);
  spawn_cli (&s, "bisect", "p.lscope", "--expect", "right.json", NULL);
  assert_status (&s, 0);
  write_file ("wrong.json", "{\"outputs\":[{\"value\":[1,\"9223372036854775806\",\"18446744073709551611\"]},"
                            "{\"value\":[\"18446744073709551614\",\"9223372036854775809\",5]}]}");
  spawn_cli (&s, "bisect", "p.lscope", "--expect", "wrong.json", NULL);
  assert_status (&s, 4);
  spawn_cli (&s, "run", "p.py", "--slow", "--kernel", "1", "--json", NULL);
  assert_contains (s.out, "\"18446744073709551615\"");
  spawn_cli (&s, "show", "p.lscope", "--kernel", "1", "--pass", "ast", "--format", "json", NULL);
  assert_contains (s.out, "\"arg\":\"18446744073709551614\"");
}

/* Input without effect is reported once, with an alternative. */
static void
test_idle (void)
{
  g_auto (Spawned) s = { 0 };
  write_file ("p.py", "from tinygrad import Tensor\na = Tensor([1.5, 2.0, 3.0]).realize()\nprint((a.flip(0) * 2 * 1).tolist(), "
                      "(Tensor([[1, 2], [3, 4]]).permute(1, 0) + 3).tolist())\n");
  write_file ("idle.rules", "set symbolic\n# A.\nnever: SIN(x) -> x\n# B.\nnear: x:float * 4.0 -> x * (2.0 * 2.0)\nset ast\n# C.\nlate: "
                            "VIEW[v](CONST[c]()) -> CONST[c](VIEW[v]())\nset gradient\n# D.\nunrun: SQRT(x) given g -> _\n");
  spawn_cli (&s, "run", "p.py", "--rules", "idle.rules", NULL);
  assert_status (&s, 0);
  assert_contains (s.err, "idle.rules:3: rule never had no effect: no pass with the rules of");
  assert_contains (s.err, "idle.rules:5: rule near had no effect: its closest match is node");
  assert_contains (s.err, "the pattern requires the constant 4");
  assert_contains (s.err, "idle.rules:8: rule late had no effect: view-const, which is tried before it");
  assert_contains (s.err, "a line 'set ast first'");
  assert_contains (s.err, "rule unrun had no effect: no pass with the rules of gradient ran");
  write_file ("first.rules", "set ast first\n# C.\nlate: VIEW[v](CONST[c]()) -> CONST[c](VIEW[v]())\n");
  spawn_cli (&s, "run", "p.py", "--rules", "first.rules", "--disable", "fold-unary", NULL);
  assert_status (&s, 0);
  g_assert_null (strstr (s.err, "rule late"));
  assert_contains (s.err, "--disable fold-unary had no effect: ");
  write_file ("empty.rules", "set nosuch\n");
  spawn_cli (&s, "run", "p.py", "--rules", "empty.rules", NULL);
  assert_contains (s.err, "no pass uses the rule set 'nosuch'");
  write_file ("empty.rules", "# Nothing.\n");
  spawn_cli (&s, "run", "p.py", "--rules", "empty.rules", NULL);
  assert_contains (s.err, "empty.rules had no effect: it has no rules");
  spawn_cli (&s, "bench", "p.py", "--variant", "opt=UPCAST:7:4", "--repeats", "3", NULL);
  assert_contains (s.err, "kernel 1 (");
  g_assert_null (strstr (strstr (s.err, "kernel 1 (") + 1, "kernel 1 ("));
  spawn_cli (&s, "show", "p.py", "--stage", "nosuch", NULL);
  assert_contains (s.err, "program, schedule, tree, listing");
  write_file ("narrow.py", "from tinygrad import Tensor, dtypes\na = Tensor([100, 50], dtype=dtypes.int8).realize()\nprint(((a + a) // "
                           "2).tolist())\n");
  spawn_cli (&s, "run", "narrow.py", "--set", "profile=classic", NULL);
  assert_contains (s.err, "relies on behavior that C leaves undefined: arithmetic of narrow integers");
  spawn_cli (&s, "run", "narrow.py", "--set", "profile=classic", "--compiler", "interp", NULL);
  g_assert_cmpstr (s.err, ==, "");
  write_file ("zero.py", "from tinygrad import Tensor\na, b = Tensor([7, -7, 5, -2147483648]).realize(), Tensor([2, 2, 0, "
                         "-1]).realize()\nprint((a // b).tolist(), (a % b).tolist())\n");
  for (guint i = 0; i < 2; i++) {
    spawn_cli (&s, "run", "zero.py", "--set", i ? "profile=modern" : "profile=classic", NULL);
    assert_status (&s, 0);
    g_assert_cmpstr (s.out, ==, "[3, -4, 0, -2147483648] [1, 1, 0, 0]\n");
    assert_contains (s.err, "relies on behavior that C leaves undefined: integer divisions that may be by zero");
    assert_contains (s.err, "tcc's code divides an integer by zero, or the smallest integer by -1, which is a fault: the interpreter "
                            "runs it");
  }
  g_autofree char *gcc = g_find_program_in_path ("gcc");
  if (gcc) {      /* which writes a trap where it sees that the divisor is zero */
    write_file ("trap.py", "from tinygrad import Tensor, dtypes\na = (Tensor.arange(35).cast(dtypes.uint8).reshape((5, 7)) * 1 + "
                           "2).contiguous() % 3\nprint(a.cat(a).tolist()[5])\n");
    spawn_cli (&s, "run", "trap.py", "--set", "profile=classic", "--compiler", "gcc", NULL);
    assert_status (&s, 0);
    g_assert_cmpstr (s.out, ==, "[2, 0, 1, 2, 0, 1, 2]\n");
    assert_contains (s.err, "gcc's code divides an integer by zero");
  }
  write_file ("smallest.py", "from tinygrad import Tensor, dtypes\nprint(Tensor([[3, 1], [2, 5]], "
                             "dtype=dtypes.int64).realize().argmax(axis=1).tolist())\n");
  spawn_cli (&s, "run", "smallest.py", "--set", "profile=classic", NULL);
  assert_status (&s, 0);
  g_assert_cmpstr (s.out, ==, "[0, 1]\n");
  assert_contains (s.err, "tcc does not compile this profile (kernel.c:3: error: integer constant overflow): the interpreter runs it");
  spawn_cli (&s, "run", "p.py", "--set", "REPEATS=0", NULL);
  assert_status (&s, 2);
  spawn_cli (&s, "values", "p.py", "--pass", "simplify", "--kernel", "1", "--find", ">1e30", NULL);
  assert_status (&s, 4);
}

/* From the last number that a program prints back to the numbers in its text, as text, JSON and CSV. */
static void
test_element (void)
{
  g_auto (Spawned) s = { 0 };
  write_file ("three.py", "from tinygrad import Tensor\na = Tensor([1, 2, 3])\nb = a + 2\nprint(b.tolist())\n");
  spawn_cli (&s, "run", "three.py", "--record", "three.lscope", NULL);
  assert_status (&s, 0);
  spawn_cli (&s, "values", "three.lscope", "--element", "2", NULL);
  assert_status (&s, 0);
  g_assert_cmpstr (s.out, ==, "b[2] = 5, dtypes.int, of shape (3,), from kernel 1, line 3\n"
                              "computed from 2 elements and constants:\n"
                              "element                                     value   uses from\n"
                              "a[2]                                            3      1 data, line 2\n"
                              "                                                2      1 constant, line 3\n");
  spawn_cli (&s, "values", "three.lscope#1", "--element", "2", "--csv", NULL);
  assert_status (&s, 0);
  g_assert_cmpstr (s.out, ==, "value,uses,from,buffer,name,at,element,kernel,line,node\r\n"
                              "3,1,data,1,a,2,2,,2,\r\n"
                              "2,1,constant,,,,,,3,CONST 2\r\n");
  spawn_cli (&s, "values", "three.lscope", "--element", "3", NULL);
  assert_status (&s, 2);
  assert_contains (s.err, "shape (3,) has no element '3': expected a number from 0, or an index of each axis");
  write_file ("rows.py", "from tinygrad import Tensor\nx = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]])\ny = x.softmax()\n"
                         "print(y.tolist())\n");
  spawn_cli (&s, "run", "rows.py", "--record", "rows.lscope", "--set", "FUSE=0", NULL);      /* three kernels */
  guint kernel = 0;
  g_autofree char *at = g_strdup ("1,2");
  for (guint n = 0; n < 3; n++) {      /* each time to the last origin that a kernel wrote */
    g_autofree char *place = kernel ? g_strdup_printf ("rows.lscope#%u", kernel) : g_strdup ("rows.lscope");
    spawn_cli (&s, "values", place, "--element", at, "--json", NULL);
    assert_status (&s, 0);
    JsonObject *answer = spawned_json (&s);
    g_assert_cmpint (json_object_get_int_member (answer, "kernel"), ==, 3 - n);
    JsonArray *origins = json_object_get_array_member (answer, "origins");
    g_assert_cmpint (json_object_get_int_member (answer, "n"), ==, json_array_get_length (origins));
    for (guint i = 0; i < json_array_get_length (origins); i++) {
      JsonObject *w = json_array_get_object_element (origins, i);
      if (!json_object_has_member (w, "kernel"))
        continue;
      kernel = (guint) json_object_get_int_member (w, "kernel");
      g_free (at);
      at = g_strdup (json_object_get_string_member (w, "at"));
    }
    JsonObject *first = json_array_get_object_element (origins, 0);
    g_assert_cmpstr (json_object_get_string_member (first, "name"), ==, "x");
    g_assert_cmpstr (json_object_get_string_member (first, "from"), ==, "data");
    g_assert_cmpstr (json_object_get_string_member (first, "at"), ==, n ? "1,0" : "1,2");
    g_assert_cmpstr (json_object_get_string_member (first, "value"), ==, n ? "4.0" : "7.0");
    g_assert_cmpint (json_object_get_int_member (first, "line"), ==, 2);
  }
  g_assert_cmpuint (kernel, ==, 1);
  spawn_cli (&s, "values", "rows.lscope#1", "--element", "9,0", NULL);
  assert_status (&s, 2);
  spawn_cli (&s, "values", "rows.lscope#9", "--element", "0", NULL);
  assert_status (&s, 2);
}

/* A result that is not evaluated is never reported as right; a result with only a digest is judged by it. */
static void
test_bisect (void)
{
  g_auto (Spawned) s = { 0 };
  write_file ("large.py", "from tinygrad import Tensor\na = (Tensor.ones(400, 400) * 1.5).contiguous().realize()\nprint((a @ a)[5, "
                          "3].item())\n");
  spawn_cli (&s, "bisect", "large.py", NULL);
  assert_status (&s, 0);
  assert_contains (s.out, "All results agree in the compared elements");
  assert_contains (s.out, "of 160000 elements of kernel 2");
  write_file ("large.py", "from tinygrad import Tensor\nprint(Tensor.arange(5000).reshape(5000, 1).expand(5000, "
                          "5000).contiguous().sum().item())\n");
  spawn_cli (&s, "bisect", "large.py", "--json", NULL);
  assert_status (&s, 5);
  g_autoptr (JsonObject) o = spawned_json (&s);
  g_assert_cmpstr (json_object_get_string_member (o, "verdict"), ==, "not judged");
  g_assert_cmpint (json_object_get_int_member (o, "not_judged"), >, 0);
  spawn_cli (&s, "bisect", "large.py", NULL);
  assert_contains (s.out, "could not be judged: ");
  write_file ("middle.py", "from tinygrad import Tensor\nprint((Tensor.ones(200, 200) * 1.5 + 1).contiguous().realize()[5, 3].item())\n");
  spawn_cli (&s, "run", "middle.py", "--record", "middle.lscope", NULL);
  spawn_cli (&s, "bisect", "middle.lscope", NULL);
  assert_status (&s, 0);
  exec_sql ("middle.lscope", "UPDATE buffers SET digest = replace(digest, 'a', 'b'), role = 'output' WHERE digest IS NOT NULL");
  exec_sql ("middle.lscope", "UPDATE buffers SET last_use = first_use WHERE digest IS NOT NULL");
  spawn_cli (&s, "bisect", "middle.lscope", NULL);
  assert_status (&s, 4);
  assert_contains (s.out, "the digest of its result");
}

static JsonArray *
rows_of (JsonParser *parser, gboolean of_kernel)
{
  JsonObject *top = json_node_get_object (json_parser_get_root (parser));
  return json_object_get_array_member (of_kernel ? json_array_get_object_element (json_object_get_array_member (top, "kernels"), 0) : top,
                                       "rows");
}

/* exprs, run --slow and blame number rows as the listing prints them. */
static void
test_rows (void)
{
  static const char *const ways[][4] = { { "show", "--stage", "exprs" }, { "run", "--slow", "--kernel=1" }, { "blame", "--line", "4" } };
  static const char *const styles[] = { "profile=default", "profile=classic", "profile=modern" };
  write_file ("p.py", "from tinygrad import Tensor\nprint((Tensor([[1.0, 2.0], [3.0, 4.0]]).sum(1) + 2).tolist())\n");
  for (guint style = 0; style < G_N_ELEMENTS (styles); style++) {
    g_auto (Spawned) s = { 0 };
    g_autoptr (GHashTable) numbers = g_hash_table_new (NULL, NULL);
    g_autoptr (JsonParser) parser = json_parser_new ();
    spawn_cli (&s, "run", "p.py", "--set", styles[style], "--record", "p.lscope", NULL);
    assert_status (&s, 0);
    spawn_cli (&s, "show", "p.lscope", "--set", styles[style], "--stage", "linearize", "--json", NULL);
    g_assert_true (json_parser_load_from_data (parser, s.out, -1, NULL));
    JsonArray *listing = rows_of (parser, TRUE);
    for (guint i = 0; i < json_array_get_length (listing); i++)
      g_hash_table_insert (numbers, GINT_TO_POINTER (json_object_get_int_member (json_array_get_object_element (listing, i), "node")),
                           GUINT_TO_POINTER (i + 1));
    for (guint way = 0; way < G_N_ELEMENTS (ways); way++) {
      spawn_cli (&s, ways[way][0], "p.lscope", "--set", styles[style], ways[way][1], ways[way][2], "--json", way == 1 ? NULL : ways[way][3],
                 NULL);
      assert_status (&s, 0);
      g_assert_true (json_parser_load_from_data (parser, s.out, -1, NULL));
      JsonArray *rows = way == 2 ? json_object_get_array_member (json_node_get_object (json_parser_get_root (parser)), "listing")
                                 : rows_of (parser, way == 0);
      g_assert_cmpuint (json_array_get_length (rows), >, 0);
      for (guint i = 0; i < json_array_get_length (rows); i++) {
        JsonObject *row = json_array_get_object_element (rows, i);
        JsonNode *node = json_object_get_member (row, "node");
        gint64 id = JSON_NODE_HOLDS_OBJECT (node) ? json_object_get_int_member (json_node_get_object (node), "id")
                                                  : json_node_get_int (node);
        g_assert_cmpint (json_object_get_int_member (row, "row"), ==,
                         GPOINTER_TO_INT (g_hash_table_lookup (numbers, GINT_TO_POINTER (id))) - 1);
      }
    }
  }
}

/* From an instruction to the program: each line that the code of a kernel belongs to leads where that line leads. */
static void
test_instructions (void)
{
  g_auto (Spawned) s = { 0 };
  write_file ("p.py", "from tinygrad import Tensor\na = Tensor.arange(64).float().realize()\nprint((a * 3 + 1).sum().item())\n");
  spawn_cli (&s, "run", "p.py", "--record", "i.lscope", NULL);
  assert_status (&s, 0);
  spawn_cli (&s, "show", "i.lscope", "--kernel", "2", "--stage", "compile", NULL);
  assert_contains (s.out, "line 1       0: 55 push rbp");
  spawn_cli (&s, "show", "i.lscope", "--kernel", "2", "--stage", "compile", "--format", "json", NULL);
  JsonObject *shown = spawned_json (&s);
  JsonArray *code = json_object_get_array_member (json_array_get_object_element (json_object_get_array_member (shown, "kernels"), 0),
                                                  "code");
  guint mapped = 0, last = 0;
  for (guint i = 0; i < json_array_get_length (code); i++) {
    JsonObject *at = json_array_get_object_element (code, i);
    assert_members (at, json_object_has_member (at, "line") ? "address bytes text line" : "address bytes text");
    guint line = (guint) json_object_get_int_member_with_default (at, "line", 0);
    if (line == 0 || line == last)
      continue;
    g_auto (Spawned) by_line = { 0 }, by_address = { 0 };
    g_autofree char *number = g_strdup_printf ("%u", line),
                    *address = g_strconcat ("0x", json_object_get_string_member (at, "address"), NULL);
    spawn_cli (&by_line, "blame", "i.lscope", "--kernel", "2", "--line", number, NULL);
    spawn_cli (&by_address, "blame", "i.lscope", "--kernel", "2", "--instruction", address, NULL);
    assert_status (&by_address, 0);
    assert_contains (by_address.out, by_line.out);
    g_assert_true (g_str_has_prefix (by_address.out, "instruction "));
    mapped += strstr (by_address.out, "  line 3: print((a * 3 + 1)") != NULL;
    last = line;
  }
  g_assert_cmpuint (mapped, >, 2);
  json_object_unref (shown);
  spawn_cli (&s, "blame", "i.lscope", "--kernel", "2", "--instruction", "+1", "--json", NULL);
  assert_status (&s, 0);
  shown = spawned_json (&s);
  g_assert_cmpstr (json_object_get_string_member (shown, "address"), ==, "1");
  json_object_unref (shown);
  spawn_cli (&s, "run", "p.py", "--compiler", "interp", "--record", "n.lscope", NULL);
  spawn_cli (&s, "blame", "n.lscope", "--instruction", "0", NULL);
  assert_status (&s, 2);
  assert_contains (s.err, "kernel 1 has no machine code: its compiler is interp");
}

/* A rule of one's own adds its steps, and a built-in one that is taken away adds none. */
static void
test_rules (void)
{
  g_auto (Spawned) s = { 0 }, r = { 0 };
  write_file ("p.py", "from tinygrad import Tensor\nx = Tensor([1, 2, 3]).realize()\nprint(((x + 5) * 1).tolist())\n");
  write_file ("mine.rules", "set symbolic\n# Five is right.\nfive: x:int + 5 -> x + 6\n");
  spawn_cli (&s, "run", "p.py", NULL);
  g_assert_cmpstr (s.out, ==, "[6, 7, 8]\n");
  spawn_cli (&s, "run", "p.py", "--rules", "mine.rules", NULL);
  assert_status (&s, 0);
  g_assert_cmpstr (s.out, ==, "[7, 8, 9]\n");
  spawn_cli (&r, "steps", "p.py", "--rules", "mine.rules", "--rule", "five", NULL);
  assert_status (&r, 0);
  g_assert_cmpuint (n_lines (r.out), ==, 1);
  spawn_cli (&s, "run", "p.py", "--rules", "mine.rules", "--disable", "five", NULL);
  assert_status (&s, 0);
  g_assert_cmpstr (s.out, ==, "[6, 7, 8]\n");
}

int
main (int argc, char **argv)
{
  g_setenv ("LAZYSCOPE_LLVM", "none", TRUE);      /* what it changes is in check-llvm.py */
  static const struct { const char *path; void (*test) (void); } tests[] = {
    { "/cli/run", test_run }, { "/cli/run-json", test_run_json }, { "/cli/compilers", test_compilers }, { "/cli/compare", test_compare },
    { "/cli/by-hand", test_by_hand }, { "/cli/fused", test_fused }, { "/cli/procedure-passes", test_procedure_passes },
    { "/cli/functions", test_functions }, { "/cli/vectors", test_vectors }, { "/cli/gates", test_gates },
    { "/cli/kernel-options", test_kernel_options }, { "/cli/run-search", test_run_search }, { "/cli/debug", test_debug },
    { "/cli/bench", test_bench }, { "/cli/steps", test_steps },
    { "/cli/verify", test_verify }, { "/cli/bisect", test_bisect },
    { "/cli/element", test_element }, { "/cli/doc", test_doc }, { "/cli/unsigned", test_unsigned },
    { "/cli/idle", test_idle }, { "/cli/limits", test_limits }, { "/cli/show", test_show }, { "/cli/walk", test_walk },
    { "/cli/step", test_step },
    { "/cli/csv", test_csv }, { "/cli/settings", test_settings }, { "/cli/maximum", test_maximum }, { "/cli/weak", test_weak },
    { "/cli/rows", test_rows }, { "/cli/rules", test_rules }, { "/cli/instructions", test_instructions },
  };
  g_test_init (&argc, &argv, NULL);
  enter_folder ();
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add_func (tests[i].path, tests[i].test);
  int status = g_test_run ();
  leave_folder ();
  return status;
}
