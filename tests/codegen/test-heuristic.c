/* The heuristic's choice of kernel options, by the pattern of memory accesses, and the reason of each. */
#include "codegen/codegen.h"
#include "fixture.h"
#include "ir/sentence.h"
#include "render/render.h"

#include <string.h>

typedef struct { const char *name, *program, *settings, *options, *reason, *target; } Case;

/* The options of the last kernel, and the reasons that go with them. */
static const Case cases[] = {
  { "matmul", "(Tensor.empty(512,512) @ Tensor.empty(512,512)).realize()", "", "UPCAST:1:16,UPCAST:0:8,SWAP:0:1,TILE:1:2",
    "a copy of the elements of one iteration is contiguous, 32 KiB" },
  { "long-matmul", "(Tensor.empty(1536,1536) @ Tensor.empty(1536,1536)).realize()", "", "UPCAST:1:16,UPCAST:0:8,SWAP:0:1,TILE:1:2",
    "the loop over neighbours in data2 moves outside" },
  { "longest-matmul", "(Tensor.empty(1536,4096) @ Tensor.empty(4096,1536)).realize()", "", "UPCAST:1:32,UPCAST:0:8",
    "data2 has stride 0 along this axis" },
  { "matmul-of-vectors", "(Tensor.empty(512,512) @ Tensor.empty(512,512)).realize()", "DEVECTORIZE=0", "UPCAST:1:16,UPCAST:0:8",
    "data2 has stride 0 along this axis" },
  { "matmul-fused", "(Tensor.empty(512,512) @ Tensor.empty(512,512)).realize()", "FMA=1", "UPCAST:1:16,UPCAST:0:8,SWAP:0:1,TILE:1:2",
    "a copy of the elements of one iteration is contiguous, 32 KiB" },
  { "matmul-transposed", "(Tensor.empty(512,512) @ Tensor.empty(512,512).T).realize()", "", "UNROLL:2:16", "are contiguous in data1" },
  { "short-matmul", "(Tensor.empty(16,16) @ Tensor.empty(16,16)).realize()", "", "UPCAST:1:4,UPCAST:0:4",
    "the result and data2 are contiguous" },
  { "matmul-of-threads", "(Tensor.empty(512,512) @ Tensor.empty(512,512)).realize()", "THREADS=4",
    "UPCAST:1:16,UPCAST:0:8,SWAP:0:1,THREAD:0:4,TILE:1:2", "each of 4 threads computes a part of the axis" },
  { "threads-of-an-inner-axis", "(Tensor.empty(3,1) + Tensor.empty(1,2097152)).contiguous().realize()", "THREADS=2",
    "UPCAST:1:4,THREAD:1:2", "each of 2 threads" },
  { "threads-that-divide", "Tensor.empty(5,2097152).sum(1).realize()", "THREADS=4", "UNROLL:1:32", "none waits for another" },
  { "short-matmul-of-threads", "(Tensor.empty(64,64) @ Tensor.empty(64,64)).realize()", "THREADS=4", "UPCAST:1:8,UPCAST:0:4",
    "the result and data2 are contiguous" },
  { "sum", "Tensor.empty(65536).sum().realize()", "", "UNROLL:0:32", "none waits for another" },
  { "sum-scalar", "Tensor.empty(65536).sum().realize()", "ACC=scalar", "UNROLL:0:4", "4 of them per iteration" },
  { "row-sums", "Tensor.empty(1024,1024).sum(1).realize()", "", "UNROLL:1:32", "are contiguous in data1" },
  { "column-sums", "Tensor.empty(4096,4096).sum(0).realize()", "", "UPCAST:1:128", "each in its own accumulator" },
  { "maximum", "Tensor.empty(512,4096).max(1).realize()", "", "UNROLL:1:32", "are contiguous in data1" },
  { "convolution", "Tensor.empty(8,32,56,56).conv2d(Tensor.empty(64,32,3,3), padding=1).realize()", "", "UPCAST:4:8,UPCAST:2:16,UNROLL:7:3",
    "neighbouring results along this axis share most of their loads from data1" },
  { "transpose", "Tensor.empty(4096,4096).T.contiguous().realize()", "", "UPCAST:0:8,UPCAST:1:2", "whole cache lines" },
  { "neighbours", "(Tensor.empty(1024,1024) + Tensor.empty(1024)).contiguous().realize()", "", "", NULL },
  { "stream", "(Tensor.empty(4194304) + 1).contiguous().realize()", "", "UPCAST:0:4", "is bound by memory" },
  { "long-stream", "Tensor.empty(4194304).gelu().contiguous().realize()", "", "", NULL },
  { "division", "(Tensor.arange(4194304) % 65521).contiguous().realize()", "", "", NULL },
  { "prime", "Tensor.empty(8191).sum().realize()", "", "", NULL },
  { "few", "(Tensor.empty(8,8) @ Tensor.empty(8,8)).realize()", "", "", NULL },
  { "none", "Tensor.empty(65536).sum().realize()", "NOOPT=1", "", NULL },
  { "modern-masked", "Tensor.empty(3,4).permute(1,0).pad(((1,1),(0,2))).contiguous().realize()", "profile=modern", "UPCAST:1:5,UPCAST:0:6",
    "small and masked" },
  { "modern-matmul", "(Tensor.empty(64,64) @ Tensor.empty(64,64)).realize()", "profile=modern", "UPCAST:1:4,UPCAST:0:4,UNROLL:2:4",
    "has stride 0 along this axis" },
  { "modern-small-sum", "Tensor.empty(8,32).sum(1).realize()", "profile=modern", "UNROLL:1:32", "all of it is done in one iteration" },
  { "modern-tiny-sums", "Tensor.empty(5,3,3).permute(1,0,2).sum((0,2)).realize()", "profile=modern", "UNROLL:2:3,UNROLL:0:3", "are tiny" },
  { "group-shares", "(Tensor.empty(6,4) + Tensor.empty(6,1)).contiguous().realize()", "", "LOCAL:1:4",
    "neighbours reads the same elements of data2, which has stride 0", "metal" },
  { "group", "(Tensor.empty(6,4) + 1).contiguous().realize()", "", "LOCAL:1:12",
    "one group of work items; no load has stride 0 along it", "metal" },
  { "modern-few", "(Tensor.empty(6,4) + 1).contiguous().realize()", "profile=modern", "UPCAST:1:4", "four neighbours" },
  { "bound", "(Tensor.empty(512,512) @ Tensor.empty(512,512)).realize()", "UPCAST_MAX=16", "UPCAST:1:4,UPCAST:0:4",
    "the result and data2 are contiguous" },
};

/* The graph that the options of the kernel split. */
static LsUOp *
before_options (LsSession *s, const LsKernel *k)
{
  for (guint i = 0; i < k->passes->len; i++) {
    const LsPass *pass = s->trace->passes->pdata[g_array_index (k->passes, guint, i)];
    if (strcmp (pass->stage, "simplify") == 0)
      return ls_context_node (s->ctx, pass->output);
  }
  return NULL;
}

static void
test_choice (gconstpointer data)
{
  const Case *c = data;
  g_autofree char *text = g_strconcat ("from tinygrad import Tensor\n", c->program, "\n", NULL);
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = text, .settings = c->settings, .target = c->target, .only_text = TRUE);
  g_assert_cmpuint (s->trace->kernels->len, ==, 1);
  const LsKernel *k = s->trace->kernels->pdata[0];
  g_assert_cmpstr (k->options, ==, c->options);
  LsUOp *graph = before_options (s, k);
  g_assert_nonnull (graph);
  g_autoptr (GArray) opts = ls_opts_choose (s->ctx, &s->settings, s->target, graph);
  g_autoptr (GString) reasons = g_string_new (NULL);
  for (guint i = 0; i < opts->len; i++) {
    const LsOpt *opt = &g_array_index (opts, LsOpt, i);
    g_assert_nonnull (opt->reason);
    g_assert_cmpuint (strlen (opt->reason), >, 20);
    g_autofree char *reason = ls_sentence_text (opt->reason);
    g_string_append_printf (reasons, "%s\n", reason);
  }
  if (c->reason)
    g_assert_nonnull (strstr (reasons->str, c->reason));
  else
    g_assert_cmpuint (opts->len, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *path = g_strdup_printf ("/codegen/heuristic/%s", cases[i].name);
    g_test_add_data_func (path, &cases[i], test_choice);
  }
  return g_test_run ();
}
