/* Sizes and indices that are variables: one kernel for all values, its name, its argument, and the recorded value. */
#include "ask/ask.h"
#include "fixture.h"

#include <string.h>

#define HEAD "from tinygrad import Tensor, Variable\nx = (Tensor.arange(200).cast('float') * 0.5).clone().realize()\n" \
             "n, i = Variable('n', 1, 150), Variable('i', 0, 19)\n"

static guint
n_compiled (LsSession *s, const char *name)
{
  guint n = 0;
  for (guint k = 0; k < s->trace->kernels->len; k++) {
    const LsKernel *kernel = s->trace->kernels->pdata[k];
    n += kernel->same_as == 0 && strcmp (kernel->name, name) == 0;
  }
  return n;
}

static guint
n_launched (LsSession *s, const char *name)
{
  guint n = 0;
  for (guint k = 0; k < s->trace->kernels->len; k++)
    n += strcmp (((LsKernel *) s->trace->kernels->pdata[k])->name, name) == 0;
  return n;
}

static const LsKernel *
named (LsSession *s, const char *name)
{
  for (guint k = 0; k < s->trace->kernels->len; k++)
    if (strcmp (((LsKernel *) s->trace->kernels->pdata[k])->name, name) == 0)
      return s->trace->kernels->pdata[k];
  g_error ("there is no kernel %s", name);
}

static void
assert_proved (LsSession *s)
{
  LsVerify *v = ls_trace_verify (s->trace);
  for (guint k = 0; k < v->messages->len; k++)
    g_test_message ("%s", (char *) v->messages->pdata[k]);
  g_assert_cmpuint (v->differences + v->replay_failures + v->spec_failures + v->unjudged->len, ==, 0);
  ls_verify_free (v);
}

/* A hundred sizes and twenty places: each is a launch, and there is one kernel of each kind. */
static void
test_one_kernel (gconstpointer compiler)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = HEAD "print([x[:n.bind(k)].sum().item() for k in range(1, 101)] == [k * (k - 1) / 4 for "
                                                      "k in range(1, 101)])\n"
                                                 "y = x.reshape(20, 10)\nprint([(y[i.bind(k)] * 2).tolist()[3] for k in range(20)] == [10 "
                                                 "* k + 3 for k in range(20)])\n",
                                         .settings = "SPEC=2", .compiler = compiler);
  g_assert_cmpstr (s->out->str, ==, "True\nTrue\n");
  g_assert_cmpuint (n_compiled (s, "r_n"), ==, 1);
  g_assert_cmpuint (n_launched (s, "r_n"), ==, 100);
  g_assert_cmpuint (n_compiled (s, "E_10"), ==, 1);
  g_assert_cmpuint (n_launched (s, "E_10"), ==, 20);
  assert_proved (s);
}

/* Padded, flipped, and concatenated: by a number or by a variable, each is a launch of one kernel. */
static void
test_moved (gconstpointer compiler)
{
  static const struct { const char *made, *expected, *kernel; } ways[] = {
    { "x[:b].pad(((2, 1),))", "[0, 0] + h[:k] + [0]", "E_n_3" },
    { "x[:b].pad(((2, 1),), value=7)", "[7, 7] + h[:k] + [7]", "E_n_3" },
    { "x[:4].pad(((b, 1),))", "[0] * k + h[:4] + [0]", "E_n_5" },
    { "x[:b].flip(0)", "h[:k][::-1]", "E_n" },
    { "x[:b][::-1]", "h[:k][::-1]", "E_n" },
    { "x[:b].cat(x[:4])", "h[:k] + h[:4]", "E_n_4" },
    { "x[:4].cat(x[:b], x[:b])", "h[:4] + h[:k] * 2", "E_n_2_4" },
    { "x[:b].flip(0).pad(((1, 0),)).cat(x[b:]).reshape(3, 67)", "[([0] + h[:k][::-1] + h[k:])[67 * r:67 * r + 67] for r in range(3)]",
      "E_201" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++) {
    g_autofree char *text = g_strdup_printf (HEAD "h = [k * 0.5 for k in range(200)]\nfor k in range(2, 7):\n  b = n.bind(k)\n  "
                                                  "print((%s).tolist() == %s)\n", ways[i].made, ways[i].expected);
    g_autoptr (LsSession) s = FIXTURE_RUN (.text = text, .settings = "SPEC=2", .compiler = compiler);
    g_test_message ("%s", ways[i].made);
    g_assert_cmpstr (s->out->str, ==, "True\nTrue\nTrue\nTrue\nTrue\n");
    g_assert_cmpuint (n_compiled (s, ways[i].kernel), ==, 1);
    g_assert_cmpuint (n_launched (s, ways[i].kernel), ==, 5);
    assert_proved (s);
  }
}

/* The value is an argument, written down with each launch. */
static void
test_argument (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = HEAD "print(x[:n.bind(3)].sum().item(), x[:n.bind(7)].sum().item())\n",
                                         .settings = "SPEC=2", .compiler = "tcc");
  const LsKernel *first = named (s, "r_n");
  const gint32 values[] = { 3, 7 };
  g_assert_nonnull (strstr (first->source, "(float* restrict data0, const float* restrict data1, const int n)"));
  for (guint k = 0; k < 2; k++) {
    const LsKernel *kernel = s->trace->kernels->pdata[first->number - 1 + k];
    const LsTraceBuffer *b = s->trace->buffers->pdata[g_array_index (kernel->buffers, guint, 2)];
    g_assert_cmpstr (b->role, ==, "variable");
    g_assert_cmpuint (b->n_data, ==, sizeof *values);
    g_assert_cmpint (memcmp (b->data, &values[k], sizeof *values), ==, 0);
  }
}

/* For a variable without a value the kernel is made, which is that of every value, and not run. */
static void
test_unbound (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LsSession) s = fixture_run (&(FixtureRun) { .text = HEAD "print(x[:n].sum().shape)\nx[:n].sum().item()\n",
                                                         .settings = "SPEC=2", .compiler = "tcc" }, &error);
  g_assert_error (error, LS_ERROR, LS_ERROR_PROGRAM);
  g_assert_nonnull (strstr (error->message, "kernel r_n: variable n has no value: bind it, as in n.bind(1)"));
  g_assert_cmpstr (s->out->str, ==, "()\n");
  g_assert_nonnull (strstr (named (s, "r_n")->source, "const int n)"));
  g_assert_cmpuint (named (s, "r_n")->run_ns->len, ==, 0);
  assert_proved (s);
}

/* Metal has it as a constant in memory, and loops over it. */
static void
test_metal (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = HEAD "print(x[:n.bind(3)].sum().item())\n", .target = "metal");
  const LsKernel *kernel = named (s, "r_n");
  g_assert_cmpstr (s->out->str, ==, "1.5\n");
  g_assert_nonnull (strstr (kernel->source, "constant int& n"));
}

/* Whatever it may be, no amount divides it. */
static void
test_options_are_refused (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = HEAD "print(x[:n.bind(4)].sum().item())\n", .options = "UNROLL:0:2");
  const LsKernel *kernel = named (s, "r_n");
  g_assert_cmpuint (kernel->choices->len, >, 0);
  g_assert_nonnull (strstr (g_array_index (kernel->choices, LsKernelOption, 0).refusal, "a variable says how long the axis is"));
  g_assert_cmpstr (s->out->str, ==, "3.0\n");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/symbolic/one-kernel/interp", "interp", test_one_kernel);
  g_test_add_data_func ("/symbolic/one-kernel/tcc", "tcc", test_one_kernel);
  g_test_add_data_func ("/symbolic/moved/interp", "interp", test_moved);
  g_test_add_data_func ("/symbolic/moved/tcc", "tcc", test_moved);
  g_test_add_func ("/symbolic/argument", test_argument);
  g_test_add_func ("/symbolic/unbound", test_unbound);
  g_test_add_func ("/symbolic/metal", test_metal);
  g_test_add_func ("/symbolic/options", test_options_are_refused);
  return g_test_run ();
}
