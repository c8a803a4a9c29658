/* The effect of each kernel option on a kernel, and its refusals: a row for each reason. That values stay is codegen/passes' to say. */
#include "codegen/codegen.h"
#include "fixture.h"
#include "render/render.h"

#include <string.h>

/* name: the kernel's, which spells its axes; reason: of the last option, NULL: it is legal */
typedef struct { const char *name, *target, *program, *options, *kernel, *reason, *has; } Case;

#define MATMUL "(Tensor.empty(4,6) @ Tensor.empty(6,10)).realize()"
#define SUMS   "Tensor.empty(5,4,6).sum((0,2)).realize()"

static const Case cases[] = {
  { "upcast", "c", MATMUL, "UPCAST:1:2", "r_4_5_6_2", NULL, NULL },
  { "upcast-reduced", "c", MATMUL, "UPCAST:2:2", "r_4_10_6", "the axis is a reduce axis; use UNROLL", NULL },
  { "upcast-divisor", "c", MATMUL, "UPCAST:0:3", "r_4_10_6", "the amount does not divide the axis", NULL },
  { "unroll-output", "c", MATMUL, "UNROLL:0:2", "r_4_10_6", "the axis is not a reduce axis; use UPCAST", NULL },
  { "no-axis", "c", MATMUL, "UNROLL:7:2", "r_4_10_6", "the kernel has no such axis", NULL },
  { "no-axis-left", "c", MATMUL, "UPCAST:0:4,UPCAST:0:2", "r_10_6_4", "the whole axis is already expanded", NULL },
  { "local", "c", MATMUL, "LOCAL:0:2", "r_4_10_6", "the target has no work groups", NULL },
  { "local-metal", "metal", MATMUL, "LOCAL:0:2", "r_10_2_2_6", NULL, NULL },
  { "thread", "c", MATMUL, "THREAD:0:2", "r_2_10_2_6", NULL, "const unsigned char i_1) {" },
  { "thread-whole", "c", MATMUL, "THREAD:0:4", "r_10_4_6", NULL, "(i*" },
  { "thread-then-split", "c", MATMUL, "THREAD:0:2,UPCAST:0:2,UPCAST:1:2", "r_5_2_6_2_2", NULL, "const unsigned char i_1) {" },
  { "thread-tile", "c", MATMUL, "THREAD:1:2,TILE:0:2", "r_4_5_2_6", NULL, "temp[30]" },
  { "thread-reduced", "c", MATMUL, "THREAD:2:2", "r_4_10_6", "threads do not combine their results", NULL },
  { "thread-divisor", "c", MATMUL, "THREAD:0:3", "r_4_10_6", "the amount does not divide the axis", NULL },
  { "thread-twice", "c", MATMUL, "THREAD:0:2,THREAD:1:2", "r_2_10_2_6", "the kernel already has threads", NULL },
  { "thread-many", "c", "(Tensor.empty(256)+1).realize()", "THREAD:0:128", "E_256", "more threads than a kernel of the target may have",
    NULL },
  { "thread-metal", "metal", MATMUL, "THREAD:0:2", "r_4_10_6", "the target has no threads", NULL },
  { "swap", "c", MATMUL, "SWAP:0:1", "r_10_4_6", NULL, NULL },
  { "swap-back", "c", MATMUL, "SWAP:0:1,SWAP:0:1", "r_4_10_6", NULL, NULL },
  { "swap-then-split", "c", MATMUL, "SWAP:0:1,UPCAST:0:2", "r_10_2_6_2", NULL, NULL },
  { "swap-reduced", "c", SUMS, "SWAP:0:2", "r_4_6_5", NULL, NULL },
  { "swap-same", "c", MATMUL, "SWAP:1:1", "r_4_10_6", "an axis can only be swapped with another one", NULL },
  { "swap-mixed", "c", MATMUL, "SWAP:0:2", "r_4_10_6", "only one of the axes is a reduce axis", NULL },
  { "swap-missing", "c", MATMUL, "SWAP:0:9", "r_4_10_6", "no such other axis", NULL },
  { "group", "c", MATMUL, "GROUP:2:2", "r_4_10_2_3", NULL, "float acc1 = 0.0f;" },
  { "group-of-groups", "c", "Tensor.empty(64).sum().realize()", "GROUP:0:4,GROUP:0:2,UNROLL:0:2", "r_2_4_4_2", NULL, "float acc2 = 0.0f;" },
  { "group-output", "c", MATMUL, "GROUP:0:2", "r_4_10_6", "the axis is not a reduce axis", NULL },
  { "group-divisor", "c", MATMUL, "GROUP:2:4", "r_4_10_6", "the amount does not divide the axis", NULL },
  { "group-whole", "c", MATMUL, "GROUP:2:6", "r_4_10_6", "the first stage would have no loop", NULL },
  { "group-items", "metal", MATMUL, "GROUP:2:2", "r_4_10_2_3", NULL, "threadgroup float temp[2];\n" },
  { "group-items-and-lanes", "metal", MATMUL, "GROUP:2:2,LOCAL:1:5,UPCAST:0:2", "r_2_2_5_2_3_2", NULL, "threadgroup float temp[20];\n" },
  { "group-items-barrier", "metal", MATMUL, "GROUP:2:3", "r_4_10_3_2", NULL, "threadgroup_barrier(mem_flags::mem_threadgroup);\n" },
  { "group-items-first", "metal", MATMUL, "GROUP:2:3", "r_4_10_3_2", NULL, "if (k_1<1) {" },
  { "group-items-in-a-loop", "metal", "Tensor.empty(2,3,2,3,8).permute(3,2,1,0,4).sum(4).realize()", "GROUP:4:4", "r_3_2_3_2_4_2", NULL,
    "threadgroup float temp[12];\n" },
  { "group-items-twice", "metal", "Tensor.empty(64).sum().realize()", "GROUP:0:4,GROUP:0:2", "r_4_16",
    "already has a GROUP of work items", NULL },
  { "group-items-large", "metal", "Tensor.empty(4096).sum().realize()", "GROUP:0:1024", "r_1024_4", NULL,
    "threadgroup float temp[1024];\n" },
  { "group-items-too-large", "metal", "Tensor.empty(8,4096).sum(1).realize()", "LOCAL:0:2,GROUP:1:1024", "r_4_2_4096",
    "exceed the target's maximum size of a work group", NULL },
  { "group-items-memory", "metal", "Tensor.empty(64,4096).sum(1).realize()", "UPCAST:0:32,GROUP:1:512", "r_2_4096_32",
    "more memory than a work group has", NULL },
  { "group-items-memory-later", "metal", "Tensor.empty(64,4096).sum(1).realize()", "GROUP:1:512,UPCAST:0:32", "r_64_512_8",
    "more memory than a work group has", NULL },
  { "group-then-local", "metal", "Tensor.empty(64,4096).sum(1).realize()", "GROUP:1:512,LOCAL:0:4", "r_64_512_8",
    "exceed the target's maximum size of a work group", NULL },
  { "tile", "c", MATMUL, "TILE:0:2", "r_4_10_6", NULL, "temp[60]" },
  { "tile-of-lanes", "c", MATMUL, "SWAP:0:1,UPCAST:1:2,TILE:1:2", "r_5_4_6_2", NULL, "temp[12]" },
  { "tile-twice", "c", MATMUL, "TILE:0:2,TILE:1:2", "r_4_10_6", "the argument already has a tile", NULL },
  { "tile-last", "c", MATMUL, "TILE:0:2,UPCAST:1:2", "r_4_10_6", "TILE must come last", NULL },
  { "tile-reduced", "c", MATMUL, "TILE:2:2", "r_4_10_6", "the axis is a reduce axis", NULL },
  { "tile-missing", "c", MATMUL, "TILE:0:3", "r_4_10_6", "loads from no such argument", NULL },
  { "tile-gate", "c", MATMUL, "PADTO:2:4,TILE:0:2", "r_4_10_8", "has a gate", NULL },
  { "tile-large", "c", "(Tensor.empty(4,512) @ Tensor.empty(512,512)).realize()", "TILE:0:2", "r_4_512_512", "larger than 256 KiB", NULL },
  { "tile-metal", "metal", MATMUL, "TILE:0:2", "r_4_10_6", "the target has work items", NULL },
  { "pad", "c", MATMUL, "PADTO:0:3", "r_6_10_6", NULL, "if (" },
  { "pad-reduced", "c", MATMUL, "PADTO:2:8", "r_4_10_8", NULL, "?data1[" },
  { "pad-then-split", "c", MATMUL, "PADTO:1:4,UPCAST:1:4", "r_4_3_6_4", NULL, "if (" },
  { "pad-multiple", "c", MATMUL, "PADTO:1:5", "r_4_10_6", "the axis is already such a multiple", NULL },
};

static void
test_case (gconstpointer data)
{
  const Case *c = data;
  g_autofree char *text = g_strconcat ("from tinygrad import Tensor\n", c->program, "\n", NULL);
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = text, .target = c->target, .options = c->options, .settings = "SPEC=2", .only_text = TRUE);
  const LsKernel *k = s->trace->kernels->pdata[0];
  g_assert_cmpstr (k->name, ==, c->kernel);
  g_assert_cmpuint (k->choices->len, >, 0);
  const LsKernelOption *last = &g_array_index (k->choices, LsKernelOption, k->choices->len - 1);
  if (c->reason) {
    g_assert_nonnull (last->refusal);
    g_assert_nonnull (strstr (last->refusal, c->reason));
  } else {
    g_assert_cmpstr (last->refusal, ==, NULL);
    g_assert_cmpstr (k->options, ==, c->options);
  }
  if (c->has)
    g_assert_nonnull (strstr (k->source, c->has));
}

/* The options that can be requested are those that `options` lists and the search tries: every option, of each axis or pair. */
static void
test_to_ask (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = "from tinygrad import Tensor\n" MATMUL "\n", .only_text = TRUE);
  const LsKernel *k = s->trace->kernels->pdata[0];
  LsUOp *root = NULL;
  for (guint i = 0; i < k->passes->len && !root; i++) {
    const LsPass *pass = s->trace->passes->pdata[g_array_index (k->passes, guint, i)];
    if (strcmp (pass->stage, "simplify") == 0)
      root = ls_context_node (s->ctx, pass->output);
  }
  g_assert_nonnull (root);
  g_autoptr (GArray) all = ls_opts_to_ask (s->ctx, root, 8, TRUE);
  guint n[64] = { 0 };
  for (guint i = 0; i < all->len; i++) {
    const LsOpt *opt = &g_array_index (all, LsOpt, i);
    g_autofree char *text = ls_opt_text (opt);
    g_autoptr (GArray) back = ls_opts_parse (text, NULL);
    g_assert_nonnull (back);
    g_assert_true (g_array_index (back, LsOpt, 0).option == opt->option);
    g_assert_cmpint (g_array_index (back, LsOpt, 0).amount, ==, opt->amount);
    for (guint j = 0; ls_options[j]; j++)
      n[j] += opt->option == ls_options[j];
  }
  for (guint j = 0; ls_options[j]; j++)
    g_assert_cmpuint (n[j], ==, ls_options[j] == &ls_option_swap ? 3 : ls_options[j] == &ls_option_tile ? 3 * 2 : 3 * 4);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *path = g_strdup_printf ("/codegen/options/%s", cases[i].name);
    g_test_add_data_func (path, &cases[i], test_case);
  }
  g_test_add_func ("/codegen/options/to-ask", test_to_ask);
  return g_test_run ();
}
