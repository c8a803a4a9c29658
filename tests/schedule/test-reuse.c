/* Values that kernels of earlier statements stored are read, and not computed again: where that is so, that the results stay the same, bit
 * for bit, that no more memory is needed at a time, and that each such decision can be turned around.
 */
#include "runs.h"
#include "sample.h"

#include "ask/ask.h"
#include "program/program.h"
#include "trace/row-steps.h"
#include "trace/what-if.h"

#include <string.h>

#define HEAD "from tinygrad import Tensor\nx = Tensor([[1., 2., 3.], [4., 5., 7.]]).realize()\n" \
             "y = (x - x.mean(axis=1, keepdim=True)) * 2\n"

static guint
count (const LsTrace *trace, LsReason key)
{
  guint n = 0;
  for (guint i = 0; i < trace->decisions->len; i++)
    n += g_array_index (trace->decisions, LsDecision, i).key == key;
  return n;
}

/* The name of the first read of an earlier value, or NULL. */
static char *
first_read (LsTrace *trace)
{
  for (guint p = 0; p < trace->passes->len; p++) {
    const LsDecision *d;
    for (guint step = 1; (d = ls_schedule_step_decision (trace->passes->pdata[p], step)); step++)
      if (d->key == LS_REASON_EARLIER)
        return ls_what_if_text (trace->passes->pdata[p], step);
  }
  return NULL;
}

/* The program without such reads: all are turned around, one after the other, since each may be the reason for a later one. NULL: it has
 * none. *choices: a line each. */
static LsSession *
run_turned (const char *text, LsTrace *trace, char **choices)
{
  g_autoptr (GString) all = g_string_new (NULL);
  LsSession *s = NULL;
  char *name = first_read (trace);
  while (name) {
    g_autoptr (GError) error = NULL;
    g_string_append_printf (all, "%s%s", all->len ? "\n" : "", name);
    g_free (name);
    g_clear_pointer (&s, ls_session_free);
    s = run_chosen (text, "", all->str, &error);
    if (error)
      g_error ("%s\n%s: %s", text, all->str, error->message);
    name = first_read (s->trace);
  }
  *choices = g_strdup (all->str);
  return s;
}

/* The memory that a run needs: the block of the memory plan, and the most bytes of other buffers that live at one kernel, each from the
 * first kernel that uses it to the last one. */
static guint64
peak (const LsTrace *trace)
{
  guint n = trace->kernels->len;
  g_autofree guint *first = g_new0 (guint, trace->buffers->len);
  g_autofree guint64 *alive = g_new0 (guint64, n + 2);
  guint64 most = 0, block = 0;
  for (guint k = n; k > 0; k--) {
    const LsKernel *kernel = trace->kernels->pdata[k - 1];
    for (guint i = 0; i < kernel->buffers->len; i++)
      first[g_array_index (kernel->buffers, guint, i)] = k;
  }
  for (guint i = 0; i < trace->buffers->len; i++) {
    const LsTraceBuffer *b = trace->buffers->pdata[i];
    guint64 bytes = b->n_elements * ls_dtype_itemsize (b->dtype);
    if (b->offset >= 0)
      block = MAX (block, (guint64) b->offset + bytes);
    for (guint k = first[i]; b->offset < 0 && first[i] && k <= b->last_use; k++)
      alive[k] += bytes;
  }
  for (guint k = 1; k <= n; k++)
    most = MAX (most, alive[k]);
  return most + block;
}

/* How many values are read from where earlier kernels stored them. */
static void
test_kinds (void)
{
  static const struct { const char *text; guint reads, kernels; } kinds[] = {
    { "print(y[0].tolist())\nprint(y.sum(1).tolist())\n", 1, 3 },                /* the kernel of y[0] stores y whole */
    { "print(y[0].tolist())\nprint((y + 1).tolist(), (y * 2).tolist())\n", 2, 4 },
    { "print(y.tolist())\nprint(y.sum(1).tolist())\n", 0, 2 },                   /* it is the tensor's memory */
    { "print(y[0].tolist())\nprint(y.tolist())\n", 0, 3 },                       /* a result has memory of its own */
    { "print(y[0].tolist())\nprint((x - x.mean(axis=1, keepdim=True)).sum(1).tolist())\n", 0, 3 },      /* a part of what was stored */
    { "print(y.sum(0)[0:1].tolist())\nprint((y.sum(0) * 2).tolist())\n", 1, 4 },
    { "y2 = (x - x.mean(axis=1, keepdim=True)) * 2\nprint(y[0].tolist())\nprint(y2.sum(1).tolist())\n", 1, 3 },
    { "print(y[0].tolist())\nx += 1\ny2 = (x - x.mean(axis=1, keepdim=True)) * 2\nprint(y2.sum(1).tolist(), y.sum(1).tolist())\n",
      0, 5 },      /* it would take more memory */
    { "m = (x.reshape(2, 3, 1) * x.reshape(2, 1, 3)).sum(2)\nprint(m.flip(0).tolist())\nprint(m.max(1).tolist())\n", 1, 3 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    g_autofree char *text = g_strconcat (HEAD, kinds[i].text, NULL), *choices = NULL;
    g_autoptr (GError) error = NULL;
    g_autoptr (LsSession) s = run_chosen (text, "", NULL, &error),
                          off = run_chosen (text, "LAZYCACHE=0", NULL, NULL),
                          classic = run_chosen (text, "profile=classic", NULL, NULL),
                          modern = run_chosen (text, "profile=modern", NULL, NULL);
    g_assert_no_error (error);
    if (count (s->trace, LS_REASON_EARLIER) != kinds[i].reads || s->trace->kernels->len != kinds[i].kernels)
      g_error ("%s: %u values of earlier kernels, %u kernels", kinds[i].text, count (s->trace, LS_REASON_EARLIER), s->trace->kernels->len);
    g_assert_cmpuint (count (off->trace, LS_REASON_EARLIER) + count (classic->trace, LS_REASON_EARLIER) +
                      count (modern->trace, LS_REASON_EARLIER), ==, 0);
    g_assert_cmpstr (s->out->str, ==, off->out->str);
    fixture_true_recording (s->trace, kinds[i].text);
    g_autoptr (LsSession) turned = run_turned (text, s->trace, &choices);
    if (!turned)
      continue;
    g_assert_cmpuint (count (turned->trace, LS_REASON_CHOSEN_AGAIN), >, 0);
    g_assert_cmpuint (peak (s->trace), <=, peak (turned->trace));
    fixture_same_results (s->trace, turned->trace, kinds[i].text, choices);
    fixture_true_recording (turned->trace, choices);
  }
}

/* The words, and the cost of the other choice. */
static void
test_words (void)
{
  g_autoptr (LsSession) s = run_chosen (HEAD "print(y[0].tolist())\nprint(y.sum(1).tolist())\n", "", NULL, NULL);
  guint found = 0;
  for (guint p = 0; p < s->trace->passes->len; p++) {
    const LsPass *pass = s->trace->passes->pdata[p];
    const LsDecision *d;
    for (guint step = 1; (d = ls_schedule_step_decision (pass, step)); step++) {
      g_auto (LsRowWords) words = { NULL };
      LsDecisionCost c;
      if (d->key != LS_REASON_EARLIER)
        continue;
      g_assert_true (ls_row_step_words (pass, step, FALSE, &words));
      g_assert_nonnull (strstr (words.change, "was stored by kernel 1, and is read from there"));
      g_assert_nonnull (strstr (words.more, "Computed again instead: 20 operations more, and 0 bytes more to load."));
      g_assert_true (ls_schedule_step_cost (pass, step, &c));
      g_assert_cmpint (c.work, ==, 20);      /* 6 of the sum, 2 of the mean, 6 differences, 6 products */
      found++;
    }
  }
  g_assert_cmpuint (found, ==, 1);
}

/* A read that nobody decided, one that is left out, and one of another value are found. */
static void
test_lies (void)
{
  for (guint lie = 0; lie < 3; lie++) {
    g_autoptr (LsSession) s = run_chosen (HEAD "print(y[0].tolist())\nprint(y.sum(1).tolist())\n", "", NULL, NULL);
    gboolean planted = FALSE;
    for (guint i = 0; i < s->trace->decisions->len && !planted; i++) {
      LsDecision *d = &g_array_index (s->trace->decisions, LsDecision, i);
      planted = d->key == (lie == 1 ? LS_REASON_MEMORY : LS_REASON_EARLIER);
      if (!planted)
        continue;
      if (lie == 2)
        d->node--;
      else
        d->key = lie ? LS_REASON_EARLIER : LS_REASON_CHOSEN_AGAIN;
      d->reason = ls_reasons[d->key].text;
    }
    g_assert_true (planted);
    LsVerify *v = ls_trace_verify (s->trace);
    g_assert_cmpuint (v->differences, >, 0);
    ls_verify_free (v);
  }
}

/* Memory that is given back is not read, and what a schedule is about to read is not given back. */
static void
test_full (void)
{
  static const char *const text =
    "from tinygrad import Tensor\nx = (Tensor.arange(1 << 20).cast('float') * 0.001).reshape(1024, 1024).contiguous().realize()\n"
    "y = (x - x.mean(axis=1, keepdim=True)) * 2\nprint(y[0, 0:2].tolist())\n"
    "for i in range(30): z = (%s * i).contiguous().realize()\nprint((y + 1).max().item(), z[1, 1].item())\n";
  for (guint kept = 0; kept < 2; kept++) {
    g_autoptr (GString) program = g_string_new (text);
    g_string_replace (program, "%s", kept ? "y" : "x", 1);
    g_autoptr (GError) error = NULL;
    g_autoptr (LsSession) s = run_chosen (program->str, "MEMORY_MB=60", NULL, &error);
    g_assert_no_error (error);
    g_autoptr (LsSession) off = run_chosen (program->str, "LAZYCACHE=0", NULL, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (g_hash_table_size (s->freed), >, 0);
    g_assert_cmpuint (count (s->trace, LS_REASON_EARLIER), ==, kept ? 31 : 0);
    g_assert_cmpstr (s->out->str, ==, off->out->str);
    LsVerify *v = ls_trace_verify (s->trace);
    g_assert_cmpuint (v->differences, ==, 0);
    ls_verify_free (v);
  }
}

/* A schedule that did not fit had memory given back; the program goes on, and computes the value again. */
static void
test_failed (void)
{
  static const char *const text = HEAD "print(y[0].tolist())\nbig = Tensor.ones(1 << 13, 1 << 13).contiguous()\n"
    "try: big.realize()\nexcept RuntimeError: print('full')\nprint(y.sum(1).tolist())\n";
  g_autoptr (GError) error = NULL;
  g_autoptr (LsSession) s = run_chosen (text, "MEMORY_MB=100", NULL, &error),
                        off = run_chosen (text, "MEMORY_MB=100 LAZYCACHE=0", NULL, NULL);
  g_assert_no_error (error);
  g_assert_nonnull (strstr (s->out->str, "full"));
  g_assert_cmpuint (count (s->trace, LS_REASON_EARLIER), ==, 0);
  g_assert_cmpstr (s->out->str, ==, off->out->str);
}

/* A random program that prints parts of values, and then uses them. Its numbers are whole and small. */
static char *
random_program (GRand *rand)
{
  static const char *const ops[] = { "%s + %s", "%s * %s", "%s - %s.sum(axis=1, keepdim=True)", "%s - %s.max(axis=0, keepdim=True)",
                                     "%s @ %s", "%s.maximum(%s).T", "%s.sum(0) + %s", "%s.flip(0) + %s.max(1)", "%s.contiguous() + %s",
                                     "%s.T.sum(0, keepdim=True).expand(3, 3) - %s" };
  static const char *const prints[] = { "%s[0]", "%s.flip(1)", "%s.sum(1)", "%s", "(%s + 1).max(0)", "%s.T + 1", "%s[1:3].max()" };
  GString *text = g_string_new ("from tinygrad import Tensor\nt = [Tensor([[1, 2, 3], [4, 5, 6], [2, 0, 1]]), "
                                "Tensor([[2, 0, 1], [5, 3, 1], [1, 1, 4]]).realize()]\n");
  guint n = (guint) g_rand_int_range (rand, 4, 14);
  for (guint i = 0; i < n; i++) {
    g_auto (GStrv) parts = g_strsplit (ops[g_rand_int_range (rand, 0, G_N_ELEMENTS (ops))], "%s", -1);
    guint have = 2 + i, from = have > 4 ? have - 4 : 0;
    g_string_append_printf (text, "t.append(((%st[%d]%st[%d]%s) %% 7).cast('int32'))\n", parts[0],
                            g_rand_int_range (rand, (gint32) from, (gint32) have), parts[1],
                            g_rand_int_range (rand, (gint32) from, (gint32) have), parts[2]);
    if (g_rand_int_range (rand, 0, 6) == 0)
      g_string_append (text, "t[-1].realize()\n");
    if (g_rand_int_range (rand, 0, 8) == 0)
      g_string_append_printf (text, "t[1] = t[1].contiguous()\nt[1][%d] = t[0][2]\n", g_rand_int_range (rand, 0, 3));
    for (guint k = 0; k < 2; k++) {
      g_auto (GStrv) printed = g_strsplit (prints[g_rand_int_range (rand, 0, G_N_ELEMENTS (prints))], "%s", -1);
      g_string_append_printf (text, "print((%st[-%d]%s).tolist())\n", printed[0], g_rand_int_range (rand, 1, 3), printed[1]);
    }
  }
  return g_string_free (text, FALSE);
}

static void
test_random (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_test_rand_int () & G_MAXINT32);
  guint64 peaks[2] = { 0 };
  guint reads = 0, turned_around = 0, more = 0, less = 0, kernels[2] = { 0 }, n = 400 / fixture_share (10, 40, "of 400 random programs");
  for (guint i = 0; i < n; i++) {
    g_autofree char *text = random_program (rand), *choices = NULL;
    g_autoptr (GError) error = NULL;
    g_autoptr (LsSession) s = run_chosen (text, "", NULL, &error), off = run_chosen (text, "LAZYCACHE=0", NULL, NULL);
    g_assert_no_error (error);
    if (strcmp (s->out->str, off->out->str) != 0)
      g_error ("%s\n%s\nLAZYCACHE=0: %s", text, s->out->str, off->out->str);
    fixture_true_recording (s->trace, text);
    reads += count (s->trace, LS_REASON_EARLIER);
    g_autoptr (LsSession) turned = run_turned (text, s->trace, &choices);
    if (!turned)
      continue;
    fixture_same_results (s->trace, turned->trace, text, choices);
    fixture_true_recording (turned->trace, text);
    more += peak (s->trace) > peak (turned->trace);
    less += peak (s->trace) < peak (turned->trace);
    peaks[0] += peak (s->trace);
    peaks[1] += peak (turned->trace);
    kernels[0] += s->trace->kernels->len;
    kernels[1] += turned->trace->kernels->len;
    turned_around++;
  }
  g_assert_cmpuint (reads, >, 0);
  g_assert_cmpuint (kernels[0], <=, kernels[1]);
  g_assert_cmpuint (peaks[0], <=, peaks[1]);      /* of one program it may be more: what later statements read is not known */
  g_print ("# %u programs, %u of them read %u values of earlier kernels: %u kernels instead of %u; memory: %" G_GUINT64_FORMAT
           " bytes instead of %" G_GUINT64_FORMAT " together, more in %u and less in %u\n", n, turned_around, reads, kernels[0], kernels[1],
           peaks[0], peaks[1], more, less);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/reuse/kinds", test_kinds);
  g_test_add_func ("/reuse/words", test_words);
  g_test_add_func ("/reuse/lies", test_lies);
  g_test_add_func ("/reuse/full", test_full);
  g_test_add_func ("/reuse/failed", test_failed);
  g_test_add_func ("/reuse/random", test_random);
  return g_test_run ();
}
