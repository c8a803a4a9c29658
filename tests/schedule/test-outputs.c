/* Kernels with several results: which values share one, that the results stay the same, bit for bit, and what questions about them say. */
#include "runs.h"
#include "sample.h"

#include "ask/ask.h"
#include "program/program.h"
#include "trace/row-steps.h"
#include "trace/what-if.h"

#include <string.h>

#define HEAD "from tinygrad import Tensor\nx = Tensor([[1., 2., 3.], [4., 5., 6.]]).realize()\n" \
             "y = Tensor([[2., 1., 2.], [1., 2., 1.]]).realize()\n"

/* What is realized is printed, too, so that it is compared. */
#define PRINTED "def realize(*all):\n  Tensor.realize(*all)\n  for t in all: print(t.tolist())\n\n"

/* How many kernels there are with several results, and without. */
static void
test_kinds (void)
{
  static const struct { const char *text; guint several, single; } kinds[] = {
    { "realize(x + 1, x * 2)", 1, 2 },                                     /* x is loaded once */
    { "realize(x + 1, y * 2)", 2, 2 },                                     /* nothing in common */
    { "realize(x + 1, x.T + 2)", 2, 2 },                                   /* other elements of x */
    { "realize(x + 1, x[0:1] + 2)", 2, 2 },                                /* another shape */
    { "a = (x + 1).contiguous()\nrealize(a, a * 2)", 1, 2 },               /* the value is there */
    { "a = (x + 1).contiguous()\nrealize(a, a * 2, x.T + a.reshape(3, 2))", 2, 3 },
    { "a = (x + 1).contiguous()\nrealize(a, a + a.flip(0))", 2, 2 },       /* elements of other iterations */
    { "a = (x + 1).contiguous()\nb = (a.sum(1, keepdim=True) * 2).contiguous()\nrealize(a, b, a + b.expand(2, 3))", 3, 3 },
    { "a = x.sum(1)\nrealize(a, a * 2 + 1)", 1, 2 },                       /* after a reduce */
    { "a = x @ y.T\nrealize(a, a.relu())", 1, 2 },
    { "realize(x.sum(1), x.max(1))", 1, 2 },                               /* in one loop */
    { "realize(x.sum(), (x * x).sum())", 1, 2 },
    { "realize(x.sum(1), y.sum(1))", 2, 2 },                               /* nothing in common */
    { "realize(x.sum(1), x.sum(0))", 2, 2 },                               /* other loops */
    { "realize(x.sum(0), (x * y).max(0), y.sum(0) * 2 + 1)", 1, 3 },
    { "a = x.sum(1)\nrealize(a, (x - a.reshape(2, 1)).max(1))", 2, 2 },    /* one waits for the other */
    { "a = x.sum(1)\nrealize(a, x.max(1) + a)", 1, 2 },
    { "realize(x @ y.T, x @ (y.T * 2))", 2, 2 },                           /* products */
    { "realize(x.softmax(), x.log_softmax())", 3, 4 },                     /* of several reduces */
    { "realize(x.flip(1).sum(1), x.sum(1))", 2, 2 },                       /* in other iterations */
    { "z = Tensor.ones(64, 128).contiguous().realize()\nrealize(z.sum(0), z.max(0))", 2, 3 },
    { "z = Tensor.ones(64, 128).contiguous().realize()\nrealize(z.sum(1), (z * z).sum(1))", 2, 3 },      /* two loops, from the cache */
    { "z = Tensor.ones(64, 128).contiguous().realize()\nrealize(z.sum(1), z.max(1))", 3, 3 },      /* it waits for comparisons, not loads */
    { "z = Tensor.ones(64, 128).contiguous().realize()\nrealize(z.sum(), (z * z).sum())", 3, 3 },      /* not from the cache */
    { "realize(x + 1, x + 2, x + 3, x + 4, x + 5)", 2, 5 },                /* at most four */
    { "realize(x + 1, (x > 2), (x * 3).cast('int'))", 1, 3 },              /* of other types */
    { "a = x.clone()\na[0] = 7\nb = (a * 2).contiguous()\nrealize(a, b)", 1, 3 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    g_autofree char *text = g_strconcat (HEAD, PRINTED, kinds[i].text, "\n", NULL);
    g_autoptr (GError) error = NULL;
    g_autoptr (LsSession) several = run_chosen (text, "", NULL, &error), single = run_chosen (text, "MULTIOUTPUT=0", NULL, NULL),
                          classic = run_chosen (text, "profile=classic", NULL, NULL);
    g_assert_no_error (error);
    if (several->trace->kernels->len != kinds[i].several || single->trace->kernels->len != kinds[i].single)
      g_error ("%s: %u kernels, %u with MULTIOUTPUT=0", kinds[i].text, several->trace->kernels->len, single->trace->kernels->len);
    for (guint k = 0; k < classic->trace->kernels->len; k++)
      g_assert_cmpuint (ls_kernel_n_outputs (classic->trace->kernels->pdata[k]), ==, 1);
    g_assert_cmpuint (several->trace->outputs->len, >=, 2);
    fixture_same_results (several->trace, single->trace, kinds[i].text, "MULTIOUTPUT");
    fixture_true_recording (several->trace, kinds[i].text);
  }
}

/* Decisions of that reason can be turned around: there is a kernel more, and the values are the same. */
static void
test_split (void)
{
  static const struct { const char *text; LsReason key; } kinds[] = {
    { HEAD "a = (x + 1).contiguous()\nb = (a * 2).contiguous()\nTensor.realize(a, b)\nprint(a.tolist(), b.tolist())\n",
      LS_REASON_COMPUTED_THERE },
    { HEAD "a = x + 1\nb = x * 2\nTensor.realize(a, b)\nprint(a.tolist(), b.tolist())\n", LS_REASON_LOADED_ONCE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    g_autoptr (LsSession) s = run_chosen (kinds[i].text, "", NULL, NULL);
    g_autofree char *name = NULL;
    LsDecisionCost cost = { 0 };
    for (guint p = 0; p < s->trace->passes->len; p++) {
      const LsPass *pass = s->trace->passes->pdata[p];
      const LsDecision *d;
      for (guint step = 1; (d = ls_schedule_step_decision (pass, step)) && !name; step++)
        if (d->key == kinds[i].key) {
          name = ls_what_if_text (pass, step);
          g_assert_true (ls_schedule_step_cost (pass, step, &cost));
        }
    }
    g_assert_nonnull (name);
    g_assert_cmpint (cost.loaded, ==, 24);
    g_autoptr (GError) error = NULL;
    g_autoptr (LsSession) split = run_chosen (kinds[i].text, "", name, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (split->trace->kernels->len, ==, s->trace->kernels->len + 1);
    fixture_same_results (s->trace, split->trace, name, "MULTIOUTPUT");
    fixture_true_recording (split->trace, name);
  }
}

/* A lie about the second result is found, by verify and by bisect. */
static void
test_lie (void)
{
  g_autoptr (LsSession) s = run_chosen (HEAD "a = (x + 1).contiguous()\nb = (a * 2).contiguous()\nTensor.realize(a, b)\n", "", NULL, NULL);
  const LsKernel *k = ls_trace_kernel (s->trace, 1);
  g_assert_cmpuint (ls_kernel_n_outputs (k), ==, 2);
  for (guint i = 0; i < 2; i++) {
    LsTraceBuffer *b = s->trace->buffers->pdata[ls_kernel_output (k, i)];
    float was, lie = 99;
    g_assert_cmpuint (b->n_data, ==, 24);
    memcpy (&was, b->data + 8, sizeof was);
    memcpy (b->data + 8, &lie, sizeof lie);
    LsVerify *v = ls_trace_verify (s->trace);
    g_autoptr (LsBisect) found = ls_bisect (s->trace, NULL);
    g_assert_cmpuint (v->differences, >, 0);
    g_assert_true (found->found);
    g_assert_cmpuint (found->kernel, ==, 1);
    g_assert_cmpuint (found->element, ==, 2);
    g_assert_cmpstr (found->out_got, ==, "99.0");
    ls_verify_free (v);
    memcpy (b->data + 8, &was, sizeof was);
  }
}

/* Where an element of the second result is from. */
static void
test_elements (void)
{
  g_autoptr (LsSession) s = run_chosen (HEAD "a = (x + 1).contiguous()\nb = (a * y).contiguous()\nTensor.realize(a, b)\n", "", NULL, NULL);
  static const char *const wrong[] = { "data2[0,0]", "data1", "data1[5,0]", "data1[0,0", "data99999999999999999999[0]" };
  g_autoptr (GError) error = NULL;
  guint buffer = G_MAXUINT;
  guint64 element = 0;
  g_assert_true (ls_element_read (s->trace, 1, "data1[1,0]", &buffer, &element, &error));
  g_assert_no_error (error);
  g_autoptr (LsElementOrigins) o = ls_element_origins (s->trace, 1, buffer, element, 10, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (o->of.name, ==, "b");
  g_assert_cmpstr (o->of.value, ==, "5.0");
  g_assert_cmpuint (o->n, ==, 3);      /* x, 1 and y */
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    buffer = G_MAXUINT;
    g_assert_false (ls_element_read (s->trace, 1, wrong[i], &buffer, &element, &error));
    g_assert_error (error, LS_ERROR, LS_ERROR_USAGE);
    g_clear_error (&error);
  }
}

static LsApartness
apart (const char *text, const char *settings, guint a, guint b, const char *choices)
{
  g_autofree char *whole = g_strconcat (HEAD, text, "\n", NULL);
  g_autoptr (LsSession) s = run_chosen (whole, settings, choices, NULL);
  g_autoptr (GError) error = NULL;
  LsWhyNotFused *w = ls_why_not_fused (s->trace, a, b, &error);
  g_assert_no_error (error);
  LsApartness why = w->apart;
  g_autofree char *said = ls_why_not_fused_text (w, FALSE);
  g_assert_nonnull (strstr (said, ls_apart[why].sentence));
  ls_why_not_fused_free (w);
  return why;
}

/* Why two kernels are not one with two results. */
static void
test_apart (void)
{
  g_assert_cmpint (apart ("Tensor.realize(x + 1, x * 2)", "MULTIOUTPUT=0", 1, 2, NULL), ==, LS_APART_OFF);
  g_assert_cmpint (apart ("Tensor.realize(x + 1, x * 2)", "profile=classic", 1, 2, NULL), ==, LS_APART_OFF);
  g_assert_cmpint (apart ("Tensor.realize(x + 1, y * 2)", "", 1, 2, NULL), ==, LS_APART_LOADS);
  g_assert_cmpint (apart ("Tensor.realize(x + 1, x.T + 2)", "", 1, 2, NULL), ==, LS_APART_SHAPE);
  g_assert_cmpint (apart ("Tensor.realize(x.sum(1), y.max(1))", "", 1, 2, NULL), ==, LS_APART_REDUCE);
  g_assert_cmpint (apart ("Tensor.realize(x + 1, x + 2, x + 3, x + 4, x + 5)", "", 1, 2, NULL), ==, LS_APART_FULL);
  g_assert_cmpint (apart ("a = (x + 1).contiguous()\nTensor.realize(a, a + a.flip(0))", "", 1, 2, NULL), ==, LS_APART_ELSEWHERE);
  g_assert_cmpint (apart ("a = (x + 1).contiguous()\nb = (a.sum(1, keepdim=True) * 2).contiguous()\n"
                          "Tensor.realize(a, b, a + b.expand(2, 3))", "", 1, 3, NULL), ==, LS_APART_WAITS);
  g_assert_cmpint (apart ("a = (x + 1).contiguous()\nTensor.realize(a, a * 2)", "", 1, 2, "r1:split:computed-there@4.contiguous"), ==,
                   LS_APART_CHOSEN);
  g_assert_cmpint (apart ("from tinygrad import Variable\nn = Variable('n', 1, 2).bind(2)\n"
                          "Tensor.realize(x[:n].sum(), x.max())", "", 1, 2, NULL), ==, LS_APART_VARIABLE);
  /* three hundred values in between, each of which needs the one before */
  g_autoptr (GString) far = g_string_new ("a = (x + 1).contiguous()\nb = a\n");
  for (guint i = 0; i < 300; i++)
    g_string_append (far, "b = (b.sum(1, keepdim=True).expand(2, 3) + a).contiguous()\n");
  g_string_append (far, "Tensor.realize(a, b.T.reshape(2, 3) + a)");
  g_autofree char *whole = g_strconcat (HEAD, far->str, "\n", NULL);
  g_autoptr (LsSession) s = run_chosen (whole, "", NULL, NULL);
  LsWhyNotFused *w = ls_why_not_fused (s->trace, 1, s->trace->kernels->len, NULL);
  g_assert_true (w && w->apart == LS_APART_FAR && w->never == LS_APART_WAITS && !w->together);
  ls_why_not_fused_free (w);
}

/* Reduces that share loops are one loop in the list; others are two. */
static void
test_loops (void)
{
  static const struct { const char *text; guint loops; } kinds[] = {
    { "Tensor.realize(x.sum(), (x * x).sum())", 1 }, { "(x.sum() + (x * x).sum()).realize()", 1 }, { "x.sum().realize()", 1 },
    { "(x.sum(1) + (x * x).sum(1)).realize()", 2 }, { "(x.sum(1) + y.sum(1)).realize()", 3 }, { "x.var(1).realize()", 3 },
    { "(x.sum(0) * x.max(0)).realize()", 2 }, { "(x.sum(0) + (x - x.min(0)).max(0)).realize()", 3 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    g_autofree char *text = g_strconcat (HEAD, kinds[i].text, "\n", NULL);
    g_autoptr (LsSession) s = run_chosen (text, "NOOPT=1", NULL, NULL);
    const LsKernel *k = ls_trace_kernel (s->trace, s->trace->kernels->len);
    guint loops = 0;
    for (guint r = 0; r < k->listing->len; r++)
      loops += ls_context_node (s->trace->ctx, g_array_index (k->listing, guint32, r))->op == LS_OP_RANGE;
    if (loops != kinds[i].loops)
      g_error ("%s: %u loops, not %u", kinds[i].text, loops, kinds[i].loops);
    fixture_true_recording (s->trace, kinds[i].text);
  }
}

typedef struct { const char *text, *settings; guint a, b; LsApartness why; const char *name, *refused; } Pair;

/* Why two kernels are two can be turned around where one kernel computes the same; else the answer says why not. */
static void
test_together (void)
{
  static const Pair pairs[] = {
    { "a = x + 1\nb = y * 2\nrealize(a, b)", "", 1, 2, LS_APART_LOADS, "r1:fuse:apart-loads@9.mul", NULL },
    { "a = x + 1\nb = x * 2\nrealize(a, b)", "MULTIOUTPUT=0", 1, 2, LS_APART_OFF, "r1:fuse:apart-off@9.mul", NULL },
    { "a = x + 1\nb = a.sum(1)\nrealize(a, b)", "MULTIOUTPUT=0", 1, 2, LS_APART_OFF, NULL, "different shapes" },
    { "realize(x + 1, x + 2, x + 3, x + 4, x + 5)", "", 1, 2, LS_APART_FULL, "r1:fuse:apart-full@8.add", NULL },
    { "realize(x + 1, x.T + 2)", "", 1, 2, LS_APART_SHAPE, NULL, NULL },
    { "realize(x.sum(1), y + 2)", "", 1, 2, LS_APART_SHAPE, NULL, NULL },
    { "realize(x.sum(1), y.max(1))", "", 1, 2, LS_APART_REDUCE, "r1:fuse:apart-reduce@8.max", NULL },
    { "realize(x.sum(1), y.max(1))", "FUSE=0", 1, 2, LS_APART_REDUCE, NULL, NULL },
    { "realize(x @ y.T, x @ (y.T * 2))", "", 1, 2, LS_APART_REDUCE, "r1:fuse:apart-reduce@8.__matmul__", NULL },
    { "z = Tensor.ones(2, 2).contiguous().realize()\nrealize(z.sum(1), x.reshape(2, 3).sum(1))", "", 2, 3, LS_APART_REDUCE,
      "r2:fuse:apart-reduce@9.sum", NULL },
    { "z = y.reshape(6, 1).expand(6, 2).contiguous().realize()\n"
      "realize(z.sum(1).reshape(2, 3) * x, z.max(1).reshape(2, 3) + x)", "", 2, 3, LS_APART_REDUCE, NULL, NULL },
    { "a = x.sum(1)\nrealize(a, (x - a.reshape(2, 1)).max(1))", "", 1, 2, LS_APART_REDUCE, NULL, "other iterations" },
    { "a = (x + 1).contiguous()\nrealize(a, a + a.flip(0))", "", 1, 2, LS_APART_ELSEWHERE, NULL, NULL },
    { "a = (x + 1).contiguous()\nrealize(a, a + a.flip(0))", "MULTIOUTPUT=0", 1, 2, LS_APART_OFF, NULL, "other iterations" },
    { "a = (x + 1).contiguous()\nb = (a.sum(1, keepdim=True) * 2).contiguous()\nrealize(a, b, a + b.expand(2, 3))", "MULTIOUTPUT=0", 1, 3,
      LS_APART_OFF, NULL, "needs a kernel" },
    { "a = x.sum(1)\nb = y[:, 0] * 2\nrealize(a, b)", "", 1, 2, LS_APART_LOADS, "r1:fuse:apart-loads@9.mul", NULL },
    { "a = x + 1\nb = (a.T + 1).contiguous().T + y\nrealize(a, b, x * 2 + b)", "", 1, 2, LS_APART_SHAPE, NULL, NULL },
    { "from tinygrad import Variable\nn = Variable('n', 1, 2).bind(2)\na = x + 1\nb = x * 2\nrealize(a, b, x[:n].sum())", "", 1, 2,
      LS_APART_VARIABLE, "r1:fuse:apart-variable@11.mul", NULL },
    { "b = y\nfor i in range(300): b = b * 2 - y\nrealize(x + 1, b)", "", 1, 2, LS_APART_LARGE, "r1:fuse:apart-large@9.sub", NULL },
  };
  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++) {
    const Pair *p = &pairs[i];
    g_autofree char *text = g_strconcat (HEAD, PRINTED, p->text, "\n", NULL);
    g_autoptr (LsSession) s = run_chosen (text, p->settings, NULL, NULL);
    g_autoptr (LsWhyNotFused) w = ls_why_not_fused (s->trace, p->a, p->b, NULL);
    g_autofree char *said = ls_why_not_fused_text (w, FALSE);
    if (w->apart != p->why || g_strcmp0 (w->together, p->name) != 0 || (p->refused && !strstr (said, p->refused)))
      g_error ("%s: %s, %s: %s", p->text, ls_apart[w->apart].key, w->together, said);
    if (!p->name)
      continue;
    g_assert_nonnull (strstr (said, p->name));
    g_autoptr (GError) error = NULL;
    g_autoptr (LsSession) one = run_chosen (text, p->settings, p->name, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (one->trace->kernels->len, ==, s->trace->kernels->len - 1);
    fixture_same_results (s->trace, one->trace, p->text, p->name);
    fixture_true_recording (one->trace, p->text);
    g_autoptr (GPtrArray) lies = g_ptr_array_new ();
    for (guint d = 0; d < one->trace->decisions->len; d++)      /* that nobody chose it is a lie */
      if (g_array_index (one->trace->decisions, LsDecision, d).key == LS_REASON_CHOSEN_JOINED)
        g_ptr_array_add (lies, &g_array_index (one->trace->decisions, LsDecision, d));
    g_assert_cmpuint (lies->len, ==, 1);
    LsDecision *lie = lies->pdata[0];
    lie->key = LS_REASON_LOADED_ONCE;
    lie->reason = ls_reasons[lie->key].text;
    LsVerify *v = ls_trace_verify (one->trace);
    g_assert_cmpuint (v->differences, >, 0);
    ls_verify_free (v);
  }
}

/* A choice that is not there, that is ambiguous or that would compute something else is refused. */
static void
test_refused (void)
{
  static const struct { const char *text, *settings, *name, *says; } refusals[] = {
    { "realize(x + 1, y * 2)", "", "r1:fuse:apart-far@8.mul", "there are 0 such pairs of kernels in realization 1" },
    { "realize(x + 1, y * 2)", "", "r1:split:apart-loads@8.mul", "the other choice of apart-loads is fuse, not 'split'" },
    { "realize(x + 1, x.T)", "", "r1:fuse:apart-shape@8.mul", "the two kernels cannot be one: they have different shapes" },
    { "realize(x + 1, y + 2, y.sum(1))", "MULTIOUTPUT=0", "r1:fuse:apart-off@8.sum", "add #1 to #2 to name one" },
    { "realize(x + 1, y + 2, y.sum(1))", "MULTIOUTPUT=0", "r1:fuse:apart-off@8.sum#3", "there are 2 such pairs" },
    { "realize(x + 1, y + 2, y.sum(1))", "MULTIOUTPUT=0", "r1:fuse:apart-off@8.sum#2",
      "the two kernels cannot be one: they have different" },
    { "realize(x + 1, y * 2)", "profile=classic", "r1:fuse:apart-off@8.mul", "has one result, as in their time" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (refusals); i++) {
    g_autofree char *text = g_strconcat (HEAD, PRINTED, refusals[i].text, "\n", NULL);
    g_autoptr (GError) error = NULL;
    LsWhatIf w;
    g_autoptr (LsSession) s = ls_what_if_parse (refusals[i].name, &w, &error)
                              ? run_chosen (text, refusals[i].settings, refusals[i].name, &error)
                                                                              : NULL;
    if (!error || !strstr (error->message, refusals[i].says))
      g_error ("%s: %s", refusals[i].name, error ? error->message : "no error");
    if (s)
      ls_what_if_clear (&w);
  }
}

/* Random pairs of kernels of random programs, and of examples and cases: those that can be one compute the same, bit for bit. */
static void
check_pairs (const char *path, const char *settings, guint most, GRand *rand, guint *tried, guint *refused)
{
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_autoptr (LsSession) base = run_chosen (text, settings, NULL, &error);
  guint n = base->trace->kernels->len;
  if (error || n < 2)      /* a case about an error */
    return;
  for (guint i = 0; i < 20 * most && most > 0; i++) {
    guint a = (guint) g_rand_int_range (rand, 1, (gint32) n);
    guint b = (guint) g_rand_int_range (rand, (gint32) a + 1, (gint32) MIN (n, a + 5) + 1);
    g_autoptr (LsWhyNotFused) w = ls_why_not_fused (base->trace, a, b, NULL);
    if (!w->together) {
      *refused += w->kind == LS_NOT_FUSED_APART || w->kind == LS_NOT_FUSED_USE;
      continue;
    }
    g_autoptr (GError) failed = NULL;
    g_autoptr (LsSession) one = run_chosen (text, settings, w->together, &failed);
    if (failed)
      g_error ("%s: %s: %s", path, w->together, failed->message);
    fixture_same_results (base->trace, one->trace, path, w->together);
    if (n < 100)
      fixture_true_recording (one->trace, w->together);
    ++*tried;
    most--;
  }
}

static void
test_pairs (void)
{
  guint share = fixture_share (1, 8, "of the programs");
  g_autoptr (GPtrArray) programs = fixture_examples_and_cases (share);
  g_autoptr (GRand) rand = g_rand_new_with_seed ((guint32) g_test_rand_int ());
  guint tried = 0, refused = 0;
  for (guint i = 0; i < 2 * programs->len; i++)
    check_pairs (programs->pdata[i / 2], i % 2 ? "NOOPT=1" : "NOOPT=1 MULTIOUTPUT=0", g_getenv ("LS_SLOWLY") ? 40 : 3, rand, &tried,
                 &refused);
  g_assert_true (tried > 0 || share > 1);      /* of few programs there may be no such pair among those that were drawn */
  g_print ("# %u pairs of kernels became one, %u others cannot\n", tried, refused);
}

/* A random realization of sums, maxima and other values of the same data, of whole numbers. */
static char *
random_program (GRand *rand)
{
  static const char *const shapes[] = { "3, 4", "2, 3, 4", "32, 130", "130, 32", "4, 1, 40", "2100, 2" },
    *const data[] = { "x", "y", "x * y", "x + 1", "x * 2 - y", "x.flip(0)", "x - x.min()", "x.maximum(y)", "(x > y)" },
    *const axes[] = { "", "0", "1", "-1", "(0, 1)", "1, keepdim=True" },
    *const kinds[] = { "(%s).sum(%a)", "(%s).max(%a)", "(%s).sum(%a) * 2 + (%s).max(%a)", "%s", "(%s).min(%a) - 1", "(%s).sum(%a).relu()" };
  const char *shape = shapes[g_rand_int_range (rand, 0, G_N_ELEMENTS (shapes))];
  const char *axis = axes[g_rand_int_range (rand, 0, G_N_ELEMENTS (axes))];
  GString *text = g_string_new ("from tinygrad import Tensor\n" PRINTED);
  g_string_append_printf (text, "n = Tensor.ones(%s).numel()\nx = (Tensor.arange(n) * 7 %% 11).reshape(%s).contiguous().realize()\n"
                          "y = (Tensor.arange(n) * 5 %% 13).reshape(%s).contiguous().realize()\nrealize(", shape, shape, shape);
  guint n = (guint) g_rand_int_range (rand, 2, 7);
  for (guint i = 0; i < n; i++) {
    g_autoptr (GString) one = g_string_new (kinds[g_rand_int_range (rand, 0, G_N_ELEMENTS (kinds))]);
    const char *of = data[g_rand_int_range (rand, 0, g_rand_boolean (rand) ? 2 : G_N_ELEMENTS (data))];
    axis = g_rand_int_range (rand, 0, 3) ? axis : axes[g_rand_int_range (rand, 0, G_N_ELEMENTS (axes))];
    g_string_replace (one, "%s", of, 0);
    g_string_replace (one, "%a", axis, 0);
    g_string_append_printf (text, "%s%s", i ? ", " : "", one->str);
  }
  g_string_append (text, ")\n");
  return g_string_free (text, FALSE);
}

static void
test_random (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed ((guint32) g_test_rand_int ());
  guint n = 600 / fixture_share (10, 40, "of 600 random programs"), kernels[3] = { 0 };
  for (guint i = 0; i < n; i++) {
    static const char *const settings[] = { "", "NOOPT=1", "MULTIOUTPUT=0 FUSE=0" };
    g_autofree char *text = random_program (rand), *expected = NULL;
    for (guint k = 0; k < G_N_ELEMENTS (settings); k++) {
      g_autoptr (GError) error = NULL;
      g_autoptr (LsSession) s = run_chosen (text, settings[k], NULL, &error);
      if (error)
        g_error ("%s\n%s: %s", text, settings[k], error->message);
      if (expected && strcmp (s->out->str, expected) != 0)
        g_error ("%s\n%s changes the results", text, settings[k]);
      if (k == 0 && i % 10 == 0)
        fixture_true_recording (s->trace, text);
      expected = expected ? expected : g_strdup (s->out->str);
      kernels[k] += s->trace->kernels->len;
    }
  }
  g_assert_cmpuint (kernels[0], ==, kernels[1]);
  g_assert_cmpuint (kernels[0], <, kernels[2]);
  g_print ("# %u random programs: %u kernels, with MULTIOUTPUT=0 FUSE=0 %u\n", n, kernels[0], kernels[2]);
}

/* Values that are not those of the schedule, as in a damaged recording, are no reason to stop. */
static void
test_damaged (void)
{
  g_autoptr (LsSession) s = run_chosen (HEAD "Tensor.realize(x + 1, y * 2)\n", "", NULL, NULL);
  LsPass *first = s->trace->passes->pdata[g_array_index (ls_trace_kernel (s->trace, 1)->passes, guint, 0)];
  LsPass *second = s->trace->passes->pdata[g_array_index (ls_trace_kernel (s->trace, 2)->passes, guint, 0)];
  for (guint32 node = 0; node < ls_context_n_nodes (s->trace->ctx); node++) {
    first->input = second->input = node;
    g_autoptr (LsWhyNotFused) w = ls_why_not_fused (s->trace, 1, 2, NULL);
    g_autofree char *text = w ? ls_why_not_fused_text (w, FALSE) : NULL;
    g_assert_true (!w || *text);
  }
  first->input = LS_NO_NODE;
  g_autoptr (LsWhyNotFused) w = ls_why_not_fused (s->trace, 1, 2, NULL);
  g_assert_true (w && w->apart == LS_APART_UNKNOWN);
}

/* Examples and cases: values of kernels with several results are those of kernels with one, bit for bit where no sum gets another order. */
static void
test_programs (void)
{
  g_autoptr (GPtrArray) programs = fixture_examples_and_cases (fixture_share (1, 8, "of the programs"));
  guint n = 0, several = 0, single = 0;
  for (guint i = 0; i < programs->len; i++) {
    const char *path = programs->pdata[i];
    g_autofree char *text = NULL;
    g_autoptr (GError) error = NULL;
    g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
    g_autoptr (LsSession) a = run_chosen (text, "NOOPT=1", NULL, &error);
    if (error)      /* a case about an error */
      continue;
    g_autoptr (LsSession) b = run_chosen (text, "NOOPT=1 MULTIOUTPUT=0", NULL, &error);
    g_assert_no_error (error);
    fixture_same_results (a->trace, b->trace, path, "MULTIOUTPUT");
    several += a->trace->kernels->len;
    single += b->trace->kernels->len;
    n++;
  }
  g_assert_cmpuint (several, <=, single);
  g_print ("# %u programs: %u kernels, with MULTIOUTPUT=0 %u\n", n, several, single);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/outputs/kinds", test_kinds);
  g_test_add_func ("/outputs/split", test_split);
  g_test_add_func ("/outputs/lie", test_lie);
  g_test_add_func ("/outputs/elements", test_elements);
  g_test_add_func ("/outputs/apart", test_apart);
  g_test_add_func ("/outputs/loops", test_loops);
  g_test_add_func ("/outputs/random", test_random);
  g_test_add_func ("/outputs/together", test_together);
  g_test_add_func ("/outputs/refused", test_refused);
  g_test_add_func ("/outputs/pairs", test_pairs);
  g_test_add_func ("/outputs/damaged", test_damaged);
  g_test_add_func ("/outputs/programs", test_programs);
  return g_test_run ();
}
