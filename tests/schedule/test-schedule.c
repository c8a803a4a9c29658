/* The scheduler's decisions, each on a small graph that asks for it, and the memory plan. */
#include "fixture.h"

#include <malloc.h>
#include <string.h>

typedef struct { LsSession *s; } Fixture;

static void
tear_down (Fixture *f, gconstpointer data)
{
  g_clear_pointer (&f->s, ls_session_free);
}

static void
run (Fixture *f, const char *program)
{
  f->s = FIXTURE_RUN (.text = program, .settings = "SPEC=2 FUSE=0 MULTIOUTPUT=0");
}

/* Is there a decision with this reason on this op? */
static gboolean
decided (Fixture *f, LsOp op, gboolean realized, const char *reason)
{
  for (guint i = 0; i < f->s->trace->decisions->len; i++) {
    const LsDecision *d = &g_array_index (f->s->trace->decisions, LsDecision, i);
    if (ls_context_node (f->s->ctx, d->node)->op == op && d->realized == realized && strcmp (d->reason, reason) == 0)
      return TRUE;
  }
  return FALSE;
}

#define INPUT "from tinygrad import Tensor\nx = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])\n"

static void
test_fused (Fixture *f, gconstpointer data)
{
  run (f, INPUT "print((x.sum(axis=1) * 2.0 + 1.0).tolist())\n");
  g_assert_cmpuint (f->s->trace->kernels->len, ==, 1);
  g_assert_cmpstr (f->s->out->str, ==, "[13.0, 31.0]\n");
  g_assert_true (decided (f, LS_OP_REDUCE_AXIS, FALSE, "fused after the reduce"));
}

static void
test_expand (Fixture *f, gconstpointer data)
{
  run (f, INPUT "print((x - x.max(axis=1, keepdim=True)).tolist())\n");
  g_assert_cmpuint (f->s->trace->kernels->len, ==, 2);
  g_assert_true (decided (f, LS_OP_REDUCE_AXIS, TRUE, "expand of a reduce"));
}

static void
test_one_reduce (Fixture *f, gconstpointer data)
{
  run (f, INPUT "print(x.sum(axis=1).max().tolist())\n");
  g_assert_cmpuint (f->s->trace->kernels->len, ==, 2);
  g_assert_true (decided (f, LS_OP_REDUCE_AXIS, TRUE, "one reduce a kernel"));
}

static void
test_several_users (Fixture *f, gconstpointer data)
{
  run (f, INPUT "s = x.sum(axis=1)\na = s + 1.0\nb = s * 2.0\nTensor.realize(a, b)\nprint(a.tolist(), b.tolist())\n");
  g_assert_cmpuint (f->s->trace->kernels->len, ==, 3);
  g_assert_true (decided (f, LS_OP_REDUCE_AXIS, TRUE, "used by several kernels"));
  g_assert_cmpstr (f->s->out->str, ==, "[7.0, 16.0] [12.0, 30.0]\n");
}

/* Stored is what the paths have in common, in the smaller of the types before and after a cast. */
static void
test_common_part (Fixture *f, gconstpointer data)
{
  run (f, INPUT "s = (x.sum(axis=1) * 2.0 - 1.0).cast('double')\na = s + 1.0\nb = s * 2.0\nTensor.realize(a, b)\n"
                "print(a.tolist(), b.tolist())\n");
  g_assert_cmpuint (f->s->trace->kernels->len, ==, 3);
  g_assert_true (decided (f, LS_OP_SUB, TRUE, "used by several kernels"));
  g_assert_true (decided (f, LS_OP_REDUCE_AXIS, FALSE, "fused after the reduce"));
  g_assert_cmpstr (f->s->out->str, ==, "[12.0, 30.0] [22.0, 58.0]\n");
}

/* A value that is made of many inputs is stored for several kernels, and not for one, nor with FUSE=0. */
static void
test_many_inputs (void)
{
  static const char *const ends[] = { "a, b = s.sum(0), s.sum(1)\nTensor.realize(a, b)\nprint(a.tolist(), b.tolist())\n",
                                      "print(s.sum(0).tolist())\n" };
  for (guint i = 0; i < 4; i++) {
    g_autofree char *text = g_strconcat (INPUT "s = x\nfor i in range(10): s = s + Tensor.full((2, 3), float(i)).contiguous()"
                                         ".realize()\n", ends[i % 2], NULL);
    Fixture f = { FIXTURE_RUN (.text = text, .settings = i < 2 ? "MULTIOUTPUT=0" : "FUSE=0 MULTIOUTPUT=0") };
    guint n = 0;
    for (guint k = 0; k < f.s->trace->decisions->len; k++)
      n += g_array_index (f.s->trace->decisions, LsDecision, k).key == LS_REASON_MANY_INPUTS;
    g_assert_cmpuint (n, ==, i == 0 ? 1 : 0);
    g_assert_true (g_str_has_prefix (f.s->out->str, "[95.0, 97.0, 99.0]"));
    tear_down (&f, NULL);
  }
}

static void
test_unsafe_pad (Fixture *f, gconstpointer data)
{
  run (f, INPUT "print(x.exp2().pad(((0, 0), (1, 0))).tolist())\n");
  g_assert_cmpuint (f->s->trace->kernels->len, ==, 2);
  g_assert_true (decided (f, LS_OP_EXP2, TRUE, "unsafe pad"));
  g_assert_cmpstr (f->s->out->str, ==, "[[0.0, 2.0, 4.0, 8.0], [0.0, 16.0, 32.0, 64.0]]\n");
}

static void
test_safe_pad (Fixture *f, gconstpointer data)
{
  run (f, INPUT "print((x + 1.0).pad(((0, 0), (1, 0))).tolist())\n");
  g_assert_cmpuint (f->s->trace->kernels->len, ==, 1);
  g_assert_cmpstr (f->s->out->str, ==, "[[0.0, 2.0, 3.0, 4.0], [0.0, 5.0, 6.0, 7.0]]\n");
}

static void
test_contiguous (Fixture *f, gconstpointer data)
{
  run (f, INPUT "print((x.T.contiguous() + 1.0).tolist())\n");
  g_assert_cmpuint (f->s->trace->kernels->len, ==, 2);
  g_assert_true (decided (f, LS_OP_CONTIGUOUS, TRUE, "forced contiguous"));
}

static void
test_costly_expand (Fixture *f, gconstpointer data)
{
  run (f, INPUT "y = Tensor([1.0, 2.0, 4.0]).log2()\nprint((x + y).tolist())\n");
  g_assert_cmpuint (f->s->trace->kernels->len, ==, 2);
  g_assert_true (decided (f, LS_OP_LOG2, TRUE, "expand of a costly value"));
}

static void
test_smaller_before_cast (Fixture *f, gconstpointer data)
{
  run (f, "from tinygrad import Tensor, dtypes\nx = Tensor([[1, 2], [3, 4]], dtype=dtypes.int32)\ny = x.max(axis=1, "
          "keepdim=True).cast(dtypes.int64)\nprint((y.expand(2, 2) + 0).tolist())\n");
  guint n = 0;
  for (guint i = 0; i < f->s->trace->decisions->len; i++) {
    const LsDecision *d = &g_array_index (f->s->trace->decisions, LsDecision, i);
    if (!d->realized || strcmp (d->reason, "expand of a reduce") != 0)
      continue;
    g_assert_true (ls_context_node (f->s->ctx, d->node)->dtype == LS_INT32);
    n++;
  }
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpstr (f->s->out->str, ==, "[[2, 2], [4, 4]]\n");
}

/* Realized once, kernels of the same form compiled once, nothing for nothing. */
static void
test_reuse (Fixture *f, gconstpointer data)
{
  run (f, INPUT "y = (x + 1.0).realize()\nprint(y.tolist())\nprint(y.reshape(3, 2).tolist())\nz = Tensor([[1.0, 1.0, 1.0], [1.0, 1.0, "
                "1.0]])\nprint((z + 1.0).tolist())\nprint(Tensor.zeros(0, 3).tolist())\n");
  g_assert_cmpuint (f->s->trace->kernels->len, ==, 2);
  LsKernel *second = ls_trace_kernel (f->s->trace, 2);
  g_assert_cmpint (second->same_as, ==, 1);
  g_assert_cmpuint (f->s->trace->n_copies, ==, 2);
}

/* A thousand runs in one process take no more memory than a few. */
static void
test_no_growth (void)
{
  static const char program[] = INPUT "print((x.softmax(axis=1) @ x.T).tolist())\n";
  gsize early = 0;
  for (guint i = 0; i < 1000; i++) {
    g_autoptr (LsSession) s = FIXTURE_RUN (.text = program);
    g_clear_pointer (&s, ls_session_free);
    if (i == 100)
      early = mallinfo2 ().uordblks;
  }
  g_assert_cmpuint (mallinfo2 ().uordblks, <, early + early / 20 + 65536);
}

/* A sum of views of itself, again and again: a node that is seen through many views is realized, so that work grows with the program and
 * not by powers of two. */
static void
test_many_views (void)
{
  static const guint turns[] = { 10, 40 };
  guint n_uops[2] = { 0, 0 }, n_realized = 0;
  for (guint t = 0; t < 2; t++) {
    g_autofree char *program = g_strdup_printf ("x = Tensor([[1., 2., 3.], [4., 5., 6.], [7., 8., 9.]]).realize()\nfor i in range(%u):\n"
      "    x = x.pad(((1, 0), (0, 2))) + x.transpose().pad(((0, 1), (1, 1))).flip(0) * 0.5\n    x = x.reshape(-1)[3:19].reshape(4, 4)[:3, "
      ":3]\nprint(x.sum().item())\n", turns[t]);
    for (guint merged = 0; merged < 2; merged++) {
      g_autoptr (LsSession) s = FIXTURE_RUN (.text = program, .settings = merged ? "MERGE_VIEWS=1" : "MERGE_VIEWS=0");
      g_assert_cmpstr (s->trace->error, ==, NULL);
      for (guint k = 0; k < s->trace->kernels->len && merged; k++)
        n_uops[t] += ((LsKernel *) s->trace->kernels->pdata[k])->listing->len;
      for (guint d = 0; d < s->trace->decisions->len; d++)
        n_realized += g_str_equal (g_array_index (s->trace->decisions, LsDecision, d).reason, "seen through many views");
    }
  }
  g_assert_cmpuint (n_realized, >, 0);
  g_assert_cmpuint (n_uops[1], <, 8 * n_uops[0]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function) g_test_add ("/schedule/" name, Fixture, NULL, NULL, function, tear_down)
  ADD ("fused", test_fused);
  ADD ("expand", test_expand);
  ADD ("one-reduce", test_one_reduce);
  ADD ("several-users", test_several_users);
  ADD ("common-part", test_common_part);
  ADD ("unsafe-pad", test_unsafe_pad);
  ADD ("safe-pad", test_safe_pad);
  ADD ("contiguous", test_contiguous);
  ADD ("costly-expand", test_costly_expand);
  ADD ("smaller-before-cast", test_smaller_before_cast);
  ADD ("reuse", test_reuse);
  g_test_add_func ("/session/no-growth", test_no_growth);
  g_test_add_func ("/schedule/many-inputs", test_many_inputs);
  g_test_add_func ("/schedule/many-views", test_many_views);
  return g_test_run ();
}
