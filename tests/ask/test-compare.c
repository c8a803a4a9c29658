/* Comparing variants: why kernels made to be bound by one thing take as long as they do. */
#include "measure/knobs.h"
#include "fixture.h"

#include <json-glib/json-glib.h>
#include <string.h>

static const char PROGRAM[] = "from tinygrad import Tensor\n"
                              "x = (Tensor.arange(4096).cast('float') * 0.001).realize()\n"
                              "a = x.sum().realize()\n"                                     /* 2: a chain */
                              "b = Tensor.empty(1 << 24).realize()\n"
                              "c = (b + 1.0).realize()\n"                                   /* 3: memory */
                              "y = x\n"
                              "for i in range(16): y = y * 0.99 + 0.5\n"
                              "y.realize()\n";                                              /* 4: arithmetic */

static LsComparison *
compare (LsTrace *trace, guint kernel, const char *spec)
{
  g_autoptr (GError) error = NULL;
  LsVariant variant;
  LsMeasureHow how = { .seconds = 1, .seed = 1 };
  ls_variant_init (&variant);
  gboolean ok = ls_variant_apply (&variant, spec, &error) && ls_variant_complete (&variant, &error);
  g_assert_no_error (error);
  g_assert_true (ok);
  LsComparison *c = ls_compare (trace, kernel, 1, &variant, &spec, &how, &error);
  g_assert_no_error (error);
  ls_variant_clear (&variant);
  return c;
}

static LsBoundBy
largest (const LsWhyFast *w)
{
  return w->chain_ns > MAX (w->memory_ns, w->arithmetic_ns) ? LS_BOUND_CHAIN : w->memory_ns > w->arithmetic_ns
         ? LS_BOUND_MEMORY : LS_BOUND_ARITHMETIC;
}

static void
test_why (void)
{
  static const struct { guint kernel; const char *spec; LsBoundBy by; double flops, bytes; const char *says; } cases[] = {
    { 2, "opt=,acc=scalar", LS_BOUND_CHAIN, 4096, 16388, "a chain of 4,096 dependent operations (additions only)" },
    { 3, "", LS_BOUND_MEMORY, 1 << 24, 134217728, "134,217,728 bytes at the" },
    { 4, "", LS_BOUND_ARITHMETIC, 131072, 32768, "131,072 operations at the peak" },
  };
  if (!ls_compiler_for_times ("c")->optimizes) {
    g_test_skip ("there is neither clang nor gcc");
    return;
  }
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = PROGRAM, .compiler = "tcc");
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint turn = 1;; turn++) {      /* another program may be in the way of one */
      g_autoptr (LsComparison) c = compare (s->trace, cases[i].kernel, cases[i].spec);
      const LsComparedVariant *v = &c->variants[0];
      g_assert_null (v->error);
      g_test_message ("%s", v->why);
      g_assert_cmpfloat (v->flops, ==, cases[i].flops);
      g_assert_cmpfloat (v->bytes, ==, cases[i].bytes);
      if (largest (&v->least) == cases[i].by) {
        /* How near to its bound a kernel comes is the machine's and its compiler's. */
        g_assert_true (v->least.by == LS_BOUND_NONE || (v->least.by == cases[i].by && strstr (v->why, cases[i].says)));
        break;
      }
      if (turn == 5)
        g_error ("%s", v->why);
    }
}

/* The same by numbers. */
static void
test_bounds (void)
{
  LsMachineSpeed speed = { .add_ns = 1, .mul_ns = 2, .flops_per_ns = 10, .read_per_ns = { 100, 50, 20, 5 },
                           .copied_per_ns = { 80, 40, 10, 2 }, .bytes = { 1000, 10000, 100000 } };
  LsChain chain = { 4096, 1, FALSE }, none = { 0 };
  LsWhyFast why = ls_why_fast (&speed, &chain, 4096, 16384, 4, 16388, 4200);
  g_assert_cmpint (why.by, ==, LS_BOUND_CHAIN);
  g_assert_cmpint (why.level, ==, LS_MEMORY_L3);
  g_assert_cmpfloat (why.chain_ns, ==, 4096);
  why = ls_why_fast (&speed, &none, 10, 1e6, 5e5, 1e6, 6e5);
  g_assert_cmpint (why.by, ==, LS_BOUND_MEMORY);
  g_assert_cmpint (why.level, ==, LS_MEMORY_MAIN);
  g_assert_cmpfloat (why.memory_ns, ==, 5e5);
  why = ls_why_fast (&speed, &none, 1e6, 500, 4, 500, 1.5e5);
  g_assert_cmpint (why.by, ==, LS_BOUND_ARITHMETIC);
  why = ls_why_fast (&speed, &none, 1e6, 500, 4, 500, 3e5);
  g_assert_cmpint (why.by, ==, LS_BOUND_NONE);
}

/* Each knob is said to have the same code if its bytes are the first one's, and to be slower than the first with an interval above 1 or
 * without one, by its first calls; a result that differs is never called equal. */
static void
test_knobs (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = PROGRAM, .compiler = "tcc");
  LsVariant variant;
  ls_variant_init (&variant);
  g_assert_true (ls_variant_complete (&variant, &error));
  g_autoptr (LsKnobs) k = ls_knobs (s->trace, 4, &variant, 0.5, &error);
  g_assert_no_error (error);
  const LsComparison *c = k->comparison;
  g_autofree char *text = ls_answer_json (&ls_knobs_answer, k, &(LsAnswering) { .data = k });
  g_autoptr (JsonNode) json = json_from_string (text, &error);
  g_assert_no_error (error);
  JsonArray *rows = json_object_get_array_member (json_node_get_object (json), "rows");
  guint n_same = 0, n_kinds[LS_KNOB_OPTION + 1] = { 0 };
  g_assert_cmpuint (k->rows->len, ==, c->n);
  for (guint i = 0; i < c->n; i++) {
    const LsKnob *row = &g_array_index (k->rows, LsKnob, i);
    const LsMeasured *x = ls_comparison_times (c, i), *first = ls_comparison_times (c, 0);
    const char *verdict = json_object_get_string_member (json_array_get_object_element (rows, i), "verdict");
    gboolean says_same = g_str_equal (verdict, "same-code"), says_slower = g_str_equal (verdict, "slower");
    n_kinds[row->kind]++;
    n_same += says_same;
    g_assert_cmpstr (row->spec, ==, c->variants[i].spec);
    g_assert_true (!says_same || g_str_equal (c->variants[i].assembly, c->variants[0].assembly));
    g_assert_true (!says_slower || (x->dropped ? x->median > first->median : x->ratio_low > 1));
    g_assert_true (!says_same || c->variants[i].equality == LS_EQUAL_BITS);
  }
  for (guint kind = 0; kind <= LS_KNOB_OPTION; kind++)
    g_assert_true (n_kinds[kind] > 0 || kind == LS_KNOB_FLAG || kind == LS_KNOB_TARGET || kind == LS_KNOB_COMPILER);
  g_assert_cmpuint (n_same, >, 3);      /* names of loops, FMA where there is nothing to fuse, … */
  ls_variant_clear (&variant);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/compare/why", test_why);
  g_test_add_func ("/compare/bounds", test_bounds);
  g_test_add_func ("/compare/knobs", test_knobs);
  return g_test_run ();
}
