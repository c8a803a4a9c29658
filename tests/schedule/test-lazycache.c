/* LAZYCACHE=0: each call makes nodes of its own; both ways of it compute the same bits. */
#include "runs.h"

#include <string.h>

/* The code of how many different kernels, and how many launches. */
static void
count (const LsSession *s, guint *launches, guint *codes)
{
  *launches = *codes = 0;
  for (guint i = 0; i < s->trace->kernels->len; i++) {
    const LsKernel *k = s->trace->kernels->pdata[i];
    *launches += 1;
    *codes += k->same_as == 0;
  }
}

#define HEAD "from tinygrad import Tensor, Context\na, b = Tensor([1., 2., 3.]).realize(), Tensor([4., 5., 6.]).realize()\n"

static void
test_twice (void)
{
  static const char *const text = HEAD "print((a + b).tolist(), (a + b).tolist())\n";
  g_autoptr (LsSession) one = fixture_verified (text, "LAZYCACHE=1 SPEC=2"), two = fixture_verified (text, "LAZYCACHE=0 SPEC=2");
  guint launches, codes;
  count (one, &launches, &codes);
  g_assert_cmpuint (launches, ==, 1);
  count (two, &launches, &codes);
  g_assert_cmpuint (launches, ==, 2);
  g_assert_cmpuint (codes, ==, 1);      /* tags are not in kernels */
  g_assert_cmpstr (one->out->str, ==, two->out->str);
}

/* In a block of the program; tags distinguish the nodes of the graph. */
static void
test_block (void)
{
  g_autoptr (LsSession) s = fixture_verified (HEAD "x = a + b\nwith Context(LAZYCACHE=0): y = a + b\nz = a + b\n"
                                              "with Context(LAZYCACHE=0): w = a + b\n"
                                 "print(x.node_id == z.node_id, len({x.node_id, y.node_id, w.node_id}))\nprint(w.tolist())\n", NULL);
  g_assert_cmpstr (s->out->str, ==, "True 3\n[5.0, 7.0, 9.0]\n");
  g_assert_cmpuint (s->notes->len, ==, 0);
  guint tags = 0;
  for (guint32 id = 0; id < ls_context_n_nodes (s->ctx); id++) {
    const LsUOp *u = ls_context_node (s->ctx, id);
    tags |= u->op == LS_OP_ADD ? 1u << u->tag : 0;
  }
  g_assert_cmpuint (tags, ==, 7);      /* 0, 1 and 2 */
}

/* What equal nodes are used for: aliases, items that are written to, gradients, optimizers, random numbers. The gradient of one node is
 * the sum of its users' before it goes on, so gradients are the same bits only where no order of their sum rounds. */
static const char *const uses[] = {
  HEAD "c = a.contiguous()\nd = a.contiguous()\ne = c[1:]\nd[0] = 9.\nd[1] += 3.\n"
  "c.assign(c + 1)\nprint(c.tolist(), d.tolist(), e.tolist())\n",
  HEAD "c, d = a.clone(), a.clone()\nd += 1\nc[1:] = 0.\nprint(a.tolist(), c.tolist(), d.tolist())\n",
  HEAD "a.requires_grad = True\n((a * b).sum() + (a * b).sum() * 2 + (a * a).sum()).backward()\n"
  "print(a.grad.tolist())\n",
  HEAD "(a * b).detach().sum().tolist()\nw = Tensor.ones(3, requires_grad=True)\nv = Tensor.ones(3, requires_grad=True)\n"
  "(w * a + v * a.detach()).sum().backward()\nprint(w.grad.tolist(), v.grad.tolist())\n",
  "from tinygrad import Tensor, nn\nTensor.manual_seed(1)\nx = Tensor.rand(4, 3)\nw = Tensor.rand(3, 2, requires_grad=True)\n"
  "optimizer = nn.optim.Adam([w])\nwith Tensor.train():\n  for i in range(3):\n    optimizer.zero_grad()\n"
  "    loss = (x @ w).relu().mean()\n"
  "    loss.backward()\n    optimizer.step()\n    print(loss.item(), w.tolist())\n",
  ("from tinygrad import Tensor\nTensor.manual_seed(3)\n"
   "print(Tensor.rand(5).tolist(), Tensor.randn(2, 2).tolist(), Tensor.randint(4).tolist())\n"),
};

static void
test_uses (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (uses); i++) {
    g_autoptr (LsSession) one = fixture_verified (uses[i], "LAZYCACHE=1 SPEC=2"), other = fixture_verified (uses[i], "LAZYCACHE=0 SPEC=2");
    g_assert_cmpstr (one->out->str, ==, other->out->str);
  }
}

/* A random program over few values, so that it makes many equal nodes. Its numbers are whole and small. */
static char *
random_program (GRand *rand)
{
  static const char *const ops[] = { "%s + %s", "%s * %s", "%s - %s", "%s.maximum(%s)", "(%s < %s).where(1, 2)", "%s.sum(0) + %s",
                                     "%s.flip(0) + %s[0]",
                                     "%s.reshape(2, 2).T.reshape(4) + %s", "%s.contiguous() + %s", "%s.detach() - %s" };
  GString *text = g_string_new ("from tinygrad import Tensor\nt = [Tensor([1, 2, 3, 4]), Tensor([2, 0, 1, 5]).realize()]\n");
  guint n = (guint) g_rand_int_range (rand, 4, 16);
  for (guint i = 0; i < n; i++) {
    g_autofree char *x = g_strdup_printf ("t[%d]", g_rand_int_range (rand, 0, 2)),
                    *y = g_strdup_printf ("t[%d]", g_rand_int_range (rand, 0, 2)), *value = NULL;
    const char *format = ops[g_rand_int_range (rand, 0, G_N_ELEMENTS (ops))];
    g_auto (GStrv) parts = g_strsplit (format, "%s", -1);
    value = g_strconcat (parts[0], x, parts[1], y, parts[2], NULL);
    g_string_append_printf (text, "t.append(((%s) %% 7).cast('int32'))\n", value);
    if (g_rand_int_range (rand, 0, 4) == 0)
      g_string_append_printf (text, "t[-1].realize()\n");
    if (g_rand_int_range (rand, 0, 5) == 0)
      g_string_append_printf (text, "t[0] = t[0].contiguous()\nt[0][%d] = t[1][2]\n", g_rand_int_range (rand, 0, 4));
  }
  g_string_append (text, "print([x.tolist() for x in t])\n");
  return g_string_free (text, FALSE);
}

static void
test_random (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_test_rand_int () & G_MAXINT32);
  guint64 launches[2] = { 0, 0 };
  for (guint i = 0; i < 40; i++) {
    g_autofree char *text = random_program (rand);
    g_autoptr (LsSession) one = fixture_verified (text, "LAZYCACHE=1"), other = fixture_verified (text, "LAZYCACHE=0");
    if (strcmp (one->out->str, other->out->str) != 0)
      g_error ("%s\nLAZYCACHE=1: %s\nLAZYCACHE=0: %s", text, one->out->str, other->out->str);
    guint n, codes;
    count (one, &n, &codes);
    launches[0] += n;
    count (other, &n, &codes);
    launches[1] += n;
  }
  g_test_message ("%" G_GUINT64_FORMAT " launches; LAZYCACHE=0: %" G_GUINT64_FORMAT, launches[0], launches[1]);
  g_assert_cmpuint (launches[1], >, launches[0]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/schedule/lazycache/twice", test_twice);
  g_test_add_func ("/schedule/lazycache/block", test_block);
  g_test_add_func ("/schedule/lazycache/uses", test_uses);
  g_test_add_func ("/schedule/lazycache/random", test_random);
  return g_test_run ();
}
