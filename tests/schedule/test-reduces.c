/* Reduces that settings compute otherwise: in two stages (SPLIT_REDUCEOP), variances in one pass (WELFORD). */
#include "runs.h"

#include <string.h>

static guint
occurrences (const char *text, const char *part)
{
  guint n = 0;
  for (const char *at = text; (at = strstr (at, part)); at += strlen (part))
    n++;
  return n;
}

/* How often the rule fired. */
static guint
fired (const LsSession *s, const char *rule)
{
  guint n = 0;
  for (guint i = 0; i < s->trace->passes->len; i++) {
    const LsPass *pass = s->trace->passes->pdata[i];
    for (guint k = 0; k < pass->stats->len; k++) {
      const LsRuleStat *stat = &g_array_index (pass->stats, LsRuleStat, k);
      n += strcmp (ls_rule_library_rule (s->library, stat->rule)->name, rule) == 0 ? stat->hits : 0;
    }
  }
  return n;
}

#define IMPORT "from tinygrad import Tensor, dtypes\n"

/* --- two stages --- */

typedef struct { const char *text; guint integers, floats; } Split;      /* what it prints has the same bits; how often which rule fires */

static const Split splits[] = {
  { IMPORT "print(Tensor(list(range(96))).realize().sum().item())\n", 1, 0 },
  { IMPORT "x = Tensor([(i * 7) % 101 for i in range(192)]).reshape(2, 96).realize()\n"
    "print(x.sum(1).tolist(), x.max(1).tolist())\n", 2, 0 },
  { IMPORT "x = Tensor([(i * 7) % 101 for i in range(192)]).reshape(96, 2).realize()\n"
    "print(x.sum(0).tolist(), x.min(0).tolist())\n", 2, 0 },
  { IMPORT "x = Tensor([float(i % 13) for i in range(640)]).reshape(4, 16, 10).realize()\n"
    "print(x.sum((0, 1)).tolist(), x.sum().item())\n", 0, 2 },
  { IMPORT "x = Tensor([float(i % 13) for i in range(256)]).realize()\n"
    "print(x.max().item(), (x == 3).all().item(), (x + 1).sum().item())\n", 1, 2 },
  { IMPORT "print(Tensor([1.0] * 60).realize().sum().item())\n", 0, 0 },                                    /* few elements */
  { IMPORT "print(Tensor([1.0] * 73).realize().sum().item())\n", 0, 0 },                                    /* no equal parts */
  { IMPORT "print(Tensor.ones(300, 64).contiguous().realize().sum(1).tolist())\n", 0, 0 },                  /* many results */
  { IMPORT "print(Tensor.arange(128).tolist(), Tensor.ones(96).sum().item())\n", 0, 0 },                    /* values that indices give */
};

static void
test_split (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (splits); i++) {
    g_autoptr (LsSession) whole = fixture_verified (splits[i].text, "REDUCEOP_SPLIT_THRESHOLD=64"),
                          split = fixture_verified (splits[i].text, "SPLIT_REDUCEOP=1 REDUCEOP_SPLIT_THRESHOLD=64 SPEC=2");
    g_assert_cmpstr (split->out->str, ==, whole->out->str);
    g_assert_cmpuint (fired (whole, "split-reduce") + fired (whole, "split-reduce-float"), ==, 0);
    g_assert_cmpuint (fired (split, "split-reduce"), ==, splits[i].integers);
    g_assert_cmpuint (fired (split, "split-reduce-float"), ==, splits[i].floats);
    g_assert_cmpuint (split->trace->kernels->len, ==, whole->trace->kernels->len + splits[i].integers + splits[i].floats);
  }
}

/* Each partial result is of elements that follow each other, and is stored. */
static void
test_parts (void)
{
  g_autoptr (LsSession) s = fixture_verified (IMPORT "print(Tensor([0.5] * 1024).realize().sum().item())\n",
                                 "SPLIT_REDUCEOP=1 REDUCEOP_SPLIT_THRESHOLD=1024 NOOPT=1");
  g_assert_cmpstr (s->out->str, ==, "512.0\n");
  const LsKernel *parts = ls_trace_kernel (s->trace, s->trace->kernels->len - 1), *sum = ls_trace_kernel (s->trace, s->trace->kernels->len);
  g_assert_cmpstr (parts->name, ==, "r_256_4");
  g_assert_cmpstr (sum->name, ==, "r_256");
}

/* --- variances --- */

/* The variance of rows of float32 against sums of doubles, within the bound of the shifted sums: (n + 8) roundings of both. */
#define DATA "import math, random\nrandom.seed(%u)\nn = %u\n" \
             "x = Tensor([[offset + scale * random.gauss(0, 1) for i in range(n)] for offset, scale in %s]).realize()\n" \
             "def bound(row, variance):\n  k, m = row[0], math.fsum(row) / n\n  exact = math.fsum((v - m) ** 2 for v in row)\n" \
             "  shifted = math.fsum((v - k) ** 2 for v in row) + math.fsum(abs(v - k) for v in row) ** 2 / n\n" \
             "  return abs(variance * n - exact) <= (n + 8) * 2.0 ** -24 * shifted\n" \
             "print([bound(row, v) for row, v in zip(x.tolist(), x.var(1, correction=0).tolist())])\n"

static void
test_bound (void)
{
  static const char *const rows = "[(0, 1), (1e6, 1), (-1e6, 0.25), (1e6, 1e3), (1e-3, 1e-9), (3, 1e10), (0, 1e-15)]";
  for (guint seed = 0; seed < 6; seed++) {
    g_autofree char *text = g_strdup_printf (IMPORT DATA, seed, seed % 2 ? 1000 : 33, rows);
    g_autoptr (LsSession) s = fixture_verified (text, seed % 3 ? "WELFORD=1 FUSE_LOOPS=1" : "WELFORD=1 FUSE_LOOPS=1 NOOPT=1");
    g_assert_cmpuint (fired (s, "variance-shifted"), ==, 1);
    g_assert_cmpstr (s->out->str, ==, "[True, True, True, True, True, True, True]\n");
  }
}

/* No difference, a row of one element, NaN, infinity: as without it. */
static void
test_edges (void)
{
  static const char *const text = IMPORT "x = Tensor([[7.1] * 5, [1e30, 1e30, 1e30, 1e30, 1e30], [1., float('nan'), 2., 3., 4.], "
                                  "[1., float('inf'), 2., 3., 4.], [float('inf')] * 5]).realize()\n"
                                  "print(x.var(1, correction=0).tolist(), Tensor([[3.], [4.]]).realize().var(1, correction=0).tolist())\n";
  g_autoptr (LsSession) s = fixture_verified (text, "WELFORD=1 SPEC=2");
  g_assert_cmpstr (s->out->str, ==, "[0.0, 0.0, nan, nan, nan] [0.0, 0.0]\n");
}

/* One loop over the row, which loads each element once, after the first element alone; else two loops. */
static void
test_loads (void)
{
  static const char *const text = IMPORT "x = Tensor([[float(i * k % 17) for i in range(256)] for k in range(4)]).realize()\n"
                                  "print(x.var(1).tolist())\n";
  g_autoptr (LsSession) two = fixture_verified (text, "NOOPT=1 FUSE_LOOPS=1"), one = fixture_verified (text,
                          "NOOPT=1 FUSE_LOOPS=1 WELFORD=1");
  const LsKernel *a = ls_trace_kernel (two->trace, two->trace->kernels->len), *b = ls_trace_kernel (one->trace, one->trace->kernels->len);
  g_assert_cmpuint (occurrences (a->source, "for ("), ==, 3);
  g_assert_cmpuint (occurrences (b->source, "for ("), ==, 2);
  g_assert_cmpuint (occurrences (b->source, "data1["), ==, 2);
  const char *loop = strstr (strstr (b->source, "for (") + 1, "for (");
  g_assert_cmpuint (occurrences (loop, "data1["), ==, 1);
}

/* What is not a mean of the same values along the same axes stays. */
static void
test_others (void)
{
  static const char *const text = IMPORT "x = Tensor([[1., 2., 4.], [3., 5., 9.]]).realize()\n"
                                  "print(((x - x.sum(1, keepdim=True) / 2) ** 2).sum(1).tolist())\n"
                                  "print(((x - x.mean(0, keepdim=True)) * (x - x.mean(0, keepdim=True))).sum(1).tolist())\n"
                                  "print(((x - x.max(1, keepdim=True)) ** 2).sum(1).tolist())\n";
  g_autoptr (LsSession) s = fixture_verified (text, "WELFORD=1");
  g_assert_cmpuint (fired (s, "variance-shifted"), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/schedule/reduces/split", test_split);
  g_test_add_func ("/schedule/reduces/parts", test_parts);
  g_test_add_func ("/schedule/reduces/bound", test_bound);
  g_test_add_func ("/schedule/reduces/edges", test_edges);
  g_test_add_func ("/schedule/reduces/loads", test_loads);
  g_test_add_func ("/schedule/reduces/others", test_others);
  return g_test_run ();
}
