/* Suggestions of comparisons: each from the facts that call for it, and none where they do not. */
#include "measure/next-step.h"
#include "ir/sentence.h"

#include <math.h>
#include <string.h>

static void
add_axis (LsKernelOptions *o, const char *type, gint64 size, gint64 written, gint64 read)
{
  LsOptionAxis axis = { o->axes->len, 0, NULL, type, size, g_array_new (FALSE, FALSE, sizeof (LsAxisStride)) };
  LsAxisStride store = { 0, TRUE, written }, load = { 1, FALSE, read };
  g_array_append_val (axis.strides, store);
  g_array_append_val (axis.strides, load);
  g_array_append_val (o->axes, axis);
  for (gint64 amount = 2; amount <= 32 && strcmp (type, "reduce") != 0; amount *= 2) {
    LsOptionRow row = { g_strdup_printf ("UPCAST:%u:%d", axis.axis, (int) amount), size % amount == 0 };
    g_array_append_val (o->options, row);
  }
}

static LsKernelOptions *
new_options (void)
{
  LsKernelOptions *o = g_new0 (LsKernelOptions, 1);
  o->axes = g_array_new (FALSE, FALSE, sizeof (LsOptionAxis));
  o->options = g_array_new (FALSE, FALSE, sizeof (LsOptionRow));
  return o;
}

static void
free_options (LsKernelOptions *o)
{
  for (guint i = 0; i < o->axes->len; i++)
    g_array_unref (g_array_index (o->axes, LsOptionAxis, i).strides);
  for (guint i = 0; i < o->options->len; i++)
    g_free (g_array_index (o->options, LsOptionRow, i).text);
  ls_kernel_options_free (o);
}

static char *tried;      /* the options that the last one suggested, or NULL */
static const guint four_bytes[] = { 4, 4 };

static char *
next (const LsKernelOptions *o, const char *applied, const GArray *code, const LsHotLoop *loop, const LsWhyFast *why, const LsChain *chain,
      double ns, double best_ns)
{
  const LsHotLoop none = { 0 };
  const LsNextFacts f = { o, applied, four_bytes, 2, code, loop ? loop : &none, why, chain, ns, best_ns, TRUE, 2 };
  char *options;
  g_autofree char *said = ls_next_step (&f, &options);
  g_free (tried);
  tried = options;
  char *text = said ? ls_sentence_text (said) : g_strdup ("");
  g_assert_true (!tried == !strstr (text, "Try UPCAST"));
  return text;
}

/* A transpose: both sides want their own axis; with that there is nothing to say. */
static void
test_strides (void)
{
  LsKernelOptions *o = new_options ();
  add_axis (o, "loop", 512, 512, 1);
  add_axis (o, "loop", 512, 1, 512);
  static const struct { const char *applied, *expected; } cases[] = {
    { "", "stride of 2048 bytes: 1 of the 16 elements of a cache line are used at a time. Try UPCAST:0:16,UPCAST:1:8." },
    { "UPCAST:0:8,UPCAST:1:2", ": 8 of the 16 elements of a cache line are used at a time. Try UPCAST:0:16,UPCAST:1:8." },
    { "UPCAST:1:8", ": 1 of the 16 elements of a cache line are used at a time. Try UPCAST:0:16." },
    { "UPCAST:0:16,UPCAST:1:8", NULL }, { "SWAP:0:1", NULL },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *said = next (o, cases[i].applied, NULL, NULL, NULL, NULL, 100, 100);
    g_test_message ("%s: %s (%s)", cases[i].applied, said, tried);
    if (cases[i].expected)
      g_assert_true (g_str_equal (tried, "UPCAST:1:8,UPCAST:0:16") || g_str_equal (tried, "UPCAST:0:16,UPCAST:1:8"));
    if (cases[i].expected)
      g_assert_true (g_str_has_prefix (said, "In the innermost loop data1 is read with a ") && g_str_has_suffix (said, cases[i].expected));
    else
      g_assert_cmpstr (said, ==, "");
  }
  free_options (o);
  /* a copy whose axes are in order jumps nowhere; a size that 16 does not divide gets what does */
  o = new_options ();
  add_axis (o, "loop", 512, 512, 512);
  add_axis (o, "loop", 512, 1, 1);
  g_autofree char *copy = next (o, "", NULL, NULL, NULL, NULL, 100, 100);
  g_assert_cmpstr (copy, ==, "");
  free_options (o);
  o = new_options ();
  add_axis (o, "loop", 12, 1, 1);
  add_axis (o, "reduce", 512, 0, 512);
  g_autofree char *sum = next (o, "", NULL, NULL, NULL, NULL, 100, 100);
  g_assert_true (g_str_has_suffix (sum, "Try UPCAST:0:4."));
  free_options (o);
}

static GArray *
new_code (const char *const *texts)
{
  GArray *code = g_array_new (FALSE, FALSE, sizeof (LsInstruction));
  for (guint i = 0; texts[i]; i++) {
    LsInstruction x = { .address = i, .text = (char *) texts[i] };
    g_array_append_val (code, x);
  }
  return code;
}

static void
test_code (void)
{
  static const char *const spilled[] = { "vmovups ymmword ptr [rsp + 0x20], ymm1", "vmovups ymm2, ymmword ptr [rsp + 0x40]",
                                         "vaddps ymm1, ymm2, ymmword ptr [rsp]", "vmovups [rbp - 0x10], xmm3", "mov rax, [rsp]",
                                         "vmovups ymm1, [rdi]", NULL };
  LsKernelOptions *o = new_options ();
  add_axis (o, "loop", 512, 1, 1);
  add_axis (o, "reduce", 512, 0, 0);
  g_autoptr (GArray) code = new_code (spilled);
  LsHotLoop loop = { .found = TRUE, .last = 5, .n = 6, .n_arithmetic = 1, .vector_bits = 256 };
  g_assert_cmpuint (ls_loop_spills (code, &loop), ==, 4);
  g_autofree char *said = next (o, "UPCAST:0:32", code, &loop, NULL, NULL, 100, 100);
  g_assert_cmpstr (said, ==, "4 of the 6 instructions of the hot loop move vectors between registers and the stack (spills). Try "
                             "UPCAST:0:16 in place of UPCAST:0:32.");
  g_assert_cmpstr (tried, ==, "UPCAST:0:16");
  g_autofree char *without = next (o, "", code, &loop, NULL, NULL, 100, 100);      /* no UPCAST could be smaller */
  g_assert_cmpstr (without, ==, "");
  /* a sum in its order has no vectors; with them nothing is said of it */
  LsChain chain = { .length = 512, .turn = 1, .count = 1 };
  loop = (LsHotLoop) { .found = TRUE, .first = 5, .last = 5, .n = 1, .n_arithmetic = 1, .vector_bits = 32 };
  g_autofree char *scalar = next (o, "", code, &loop, NULL, &chain, 100, 100);
  g_assert_true (g_str_has_prefix (scalar, "The hot loop has no vectors: ") && strstr (scalar, "Try UPCAST:0:16, "));
  loop.vector_bits = 256;
  g_autofree char *vector = next (o, "", code, &loop, NULL, &chain, 100, 100);
  g_assert_cmpstr (vector, ==, "");
  free_options (o);
}

/* A bound is named only while nothing was faster than it. */
static void
test_bounds (void)
{
  LsKernelOptions *o = new_options ();
  add_axis (o, "loop", 512, 1, 1);
  LsChain chain = { .length = 1 };
  LsWhyFast memory = { .memory_ns = 90, .by = LS_BOUND_MEMORY }, arithmetic = { .arithmetic_ns = 60, .by = LS_BOUND_ARITHMETIC };
  g_autofree char *bound = next (o, "", NULL, NULL, &memory, &chain, 100, 95), *beaten = next (o, "", NULL, NULL, &memory, &chain, 100, 50),
                  *over = next (o, "", NULL, NULL, &memory, &chain, 80, 80),
                  *fused = next (o, "", NULL, NULL, &arithmetic, &chain, 100, 100);
  g_assert_cmpstr (bound, ==, "Memory explains 90 % of the time: only moving fewer bytes makes it much faster.");
  g_assert_cmpstr (beaten, ==, "");
  g_assert_cmpstr (over, ==, "");
  g_assert_cmpstr (fused, ==, "Arithmetic explains 60 % of the time. Try FMA=1: fused, this machine does 2.0 times as many operations.");
  chain.fused = TRUE;
  g_autofree char *already = next (o, "", NULL, NULL, &arithmetic, &chain, 100, 100);
  g_assert_cmpstr (already, ==, "");
  free_options (o);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/next-step/strides", test_strides);
  g_test_add_func ("/next-step/code", test_code);
  g_test_add_func ("/next-step/bounds", test_bounds);
  int status = g_test_run ();
  g_free (tried);
  return status;
}
