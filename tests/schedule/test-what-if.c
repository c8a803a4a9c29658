/* Decisions turned around: the results stay the same, bit for bit, the decision is turned in the schedule that was made, and verify makes
 * it again. Over the examples and cases. Names that are wrong are errors that say what is right.
 */
#include "runs.h"
#include "sample.h"

#include "ask/ask.h"
#include "program/program.h"
#include "trace/row-steps.h"
#include "trace/what-if.h"

#include <string.h>

static LsSession *
run (const FixtureRun *how, const char *choices, GError **error)
{
  g_autoptr (GError) own = NULL;
  g_autofree char *read = NULL;
  LsSession *s = fixture_session (how);
  s->schedule_choices = g_strdup (choices);
  s->keep_buffers = TRUE;
  if (how->file && !g_file_get_contents (how->file, &read, NULL, &own))
    g_error ("%s", own->message);
  ls_session_run_program (s, read ? read : how->text, how->file ? how->file : "test.py", error);
  ls_session_finish (s);
  return s;
}

/* The names of all decisions that can be turned around. */
static GPtrArray *
names_of (LsTrace *trace)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < trace->passes->len; i++)
    for (guint step = 1; ls_schedule_step_decision (trace->passes->pdata[i], step); step++) {
      char *name = ls_what_if_text (trace->passes->pdata[i], step);
      if (name)
        g_ptr_array_add (names, name);
    }
  return names;
}

static guint
n_chosen (LsTrace *trace)
{
  guint n = 0;
  for (guint i = 0; i < trace->decisions->len; i++) {
    LsReason key = g_array_index (trace->decisions, LsDecision, i).key;
    n += key == LS_REASON_CHOSEN || key == LS_REASON_CHOSEN_FUSED || key == LS_REASON_CHOSEN_AGAIN;
  }
  return n;
}

typedef struct { guint n, refused, verified, programs; } Counts;

static void
check_program (const char *path, guint most, GRand *rand, Counts *counts)
{
  FixtureRun how = { .file = path, .compiler = "tcc", .settings = "NOOPT=1" };      /* whose sums are in one order */
  g_autoptr (GError) error = NULL;
  g_autoptr (LsSession) base = run (&how, NULL, &error);
  if (error)      /* a case about an error */
    return;
  g_autoptr (GPtrArray) names = names_of (base->trace);
  counts->programs++;
  for (guint k = 0; k < MIN (most, names->len); k++) {
    const char *name = names->pdata[names->len <= most ? k : (guint) g_rand_int_range (rand, 0, (gint32) names->len)];
    g_autoptr (GError) refused = NULL;
    g_autoptr (LsSession) s = run (&how, name, &refused);
    counts->n++;
    if (refused) {      /* the one legal reason: another decision stores the value */
      if (!strstr (refused->message, "the value is stored all the same"))
        g_error ("%s: schedule=%s: %s", path, name, refused->message);
      counts->refused++;
      continue;
    }
    if (n_chosen (s->trace) == 0)      /* two where a costly value that has a reduce is repeated */
      g_error ("%s: schedule=%s chose %u decisions", path, name, n_chosen (s->trace));
    fixture_same_results (base->trace, s->trace, path, name);
    if (k > 0)
      continue;
    LsVerify *v = ls_trace_verify (s->trace);
    if (v->differences)
      g_error ("%s: schedule=%s: verify: %s", path, name, (const char *) v->messages->pdata[0]);
    ls_verify_free (v);
    counts->verified++;
  }
}

static void
test_programs (void)
{
  g_autoptr (GPtrArray) programs = fixture_examples_and_cases (fixture_share (1, 8, "of the programs"));
  guint most = g_getenv ("LS_SLOWLY") ? 400 : 8;
  g_autoptr (GRand) rand = g_rand_new_with_seed ((guint32) g_test_rand_int ());
  Counts counts = { 0 };
  for (guint i = 0; i < programs->len; i++)
    check_program (programs->pdata[i], most, rand, &counts);
  g_assert_cmpuint (counts.n, >, 0);
  g_print ("# %u programs, %u decisions turned around, %u of them stored all the same, %u recordings verified\n", counts.programs, counts.n,
           counts.refused, counts.verified);
}

typedef struct { guint programs, plain, fused; } Fused;

/* Kernels of several reduces compute what those of one do, bit for bit where options do not reorder sums, and their recording is true. */
static void
check_fused (const char *path, Fused *counts)
{
  FixtureRun plain = { .file = path, .compiler = "tcc", .settings = "NOOPT=1 FUSE=0" }, fuse = { .file = path, .compiler = "tcc",
                                                                                                .settings = "NOOPT=1" };
  g_autoptr (GError) error = NULL;
  g_autoptr (LsSession) a = run (&plain, NULL, &error);
  if (error)      /* a case about an error */
    return;
  g_autoptr (LsSession) b = run (&fuse, NULL, &error);
  g_assert_no_error (error);
  fixture_same_results (a->trace, b->trace, path, "FUSE=0");
  counts->programs++;
  counts->plain += a->trace->kernels->len;
  counts->fused += b->trace->kernels->len;
  if (a->trace->kernels->len == b->trace->kernels->len || a->trace->kernels->len > 100)
    return;
  LsVerify *v = ls_trace_verify (b->trace);
  if (v->differences)
    g_error ("%s: verify: %s", path, (const char *) v->messages->pdata[0]);
  ls_verify_free (v);
}

static void
test_fuse (void)
{
  g_autoptr (GPtrArray) programs = fixture_examples_and_cases (fixture_share (1, 8, "of the programs"));
  Fused counts = { 0 };
  for (guint i = 0; i < programs->len; i++)
    check_fused (programs->pdata[i], &counts);
  g_assert_cmpuint (counts.fused, <=, counts.plain);
  g_print ("# %u programs: %u kernels with FUSE=0, %u by default\n", counts.programs, counts.plain, counts.fused);
}

/* Programs of several reduces, and how many kernels are left of them; loops that are not innermost, products, and values that are
 * needed in two loops are left as they are. */
static void
test_fuse_kinds (void)
{
  static const struct { const char *text; guint plain, fused; } kinds[] = {
    { "x.softmax().realize()", 3, 1 },
    { "(x - x.mean(axis=1, keepdim=True)).realize()", 2, 1 },
    { "x.var(axis=1).realize()", 2, 1 },
    { "(x.sum(axis=1) * 2).max().realize()", 2, 1 },
    { "(x.sum(axis=1) + (x * x).sum(axis=1)).realize()", 2, 1 },
    { "(x - x.mean(axis=0, keepdim=True)).realize()", 2, 2 },      /* of columns: computed again for each row */
    { "(x @ x.T).sum().realize()", 2, 2 },
    { "s = x.sum(axis=1)\n(s / s.sum()).realize()", 3, 2 },
    { "((x @ x.T).T + 1).realize()", 2, 2 },
    { "z = x.reshape(3, 2, 1).expand(3, 2, 4).contiguous().realize()\n(z.sum(2).T + 1).realize()", 3, 2 },      /* the index of the store */
    { "z = x.reshape(3, 2, 1).expand(3, 2, 4).contiguous().realize()\nz.max(2).flip(1).contiguous().realize()", 3, 2 },
    { "z = x.reshape(3, 2, 1).expand(3, 2, 4).contiguous().realize()\ny = z.max(2)\nTensor.realize(y.T + 1, y * 2)", 4, 4 },
    { "z = x.reshape(3, 2, 1).expand(3, 2, 4).contiguous().realize()\n(z.max(2).T @ z.max(2)).realize()", 3, 3 },      /* it is read so */
  };
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    g_autofree char *text = g_strconcat ("from tinygrad import Tensor\nx = Tensor([[1., 2., 3.], [4., 5., 6.]])\n", kinds[i].text, NULL);
    g_autoptr (LsSession) plain = FIXTURE_RUN (.text = text, .settings = "FUSE=0 MULTIOUTPUT=0"),
                          fused = FIXTURE_RUN (.text = text, .settings = "MULTIOUTPUT=0"),
                          then = FIXTURE_RUN (.text = text, .settings = "profile=classic");
    if (plain->trace->kernels->len != kinds[i].plain || fused->trace->kernels->len != kinds[i].fused ||
        then->trace->kernels->len != kinds[i].plain)
      g_error ("%s: %u kernels with FUSE=0, %u by default, %u in classic", kinds[i].text, plain->trace->kernels->len,
               fused->trace->kernels->len, then->trace->kernels->len);
  }
}

#define PROGRAM "from tinygrad import Tensor\nx = Tensor([[1., 2., 3.], [4., 5., 6.]]).realize()\ny = Tensor([1., 2., 4.]).realize()\n" \
                "print((x + y.log2() * 2).tolist())\nprint(((x + 1).contiguous() * 3).sum().mul(2).item())\nc = x.sum(axis=1)\n" \
                "e, g = c.exp(), c + 1\nTensor.realize(e, g)\n"

/* What each kind of choice does to the number of kernels. A stored logarithm leaves a product that is cheap to repeat. */
static void
test_kinds (void)
{
  static const struct { const char *name; int kernels; } kinds[] = {
    { "r1:inline:costly-expand@4.mul", -1 }, { "r1:realize:only-user@4.log2", 0 }, { "r2:inline:contiguous@5.contiguous", -1 },
    { "r2:realize:only-user@5.mul", 1 },     { "r3:fuse:several-kernels@6.sum", -1 },
    { "r2:split:follows-reduce@5.sum", 1 },
  };
  FixtureRun how = { .text = PROGRAM, .settings = "MULTIOUTPUT=0" };
  g_autoptr (LsSession) base = run (&how, NULL, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (LsSession) s = run (&how, kinds[i].name, &error);
    g_assert_no_error (error);
    if ((int) s->trace->kernels->len - (int) base->trace->kernels->len != kinds[i].kernels)
      g_error ("%s: %u kernels, not %d more than %u", kinds[i].name, s->trace->kernels->len, kinds[i].kernels, base->trace->kernels->len);
    fixture_same_results (base->trace, s->trace, "test.py", kinds[i].name);
    g_autoptr (GPtrArray) names = names_of (s->trace);
    for (guint k = 0; k < names->len; k++)
      g_assert_cmpstr (names->pdata[k], !=, kinds[i].name);
  }
}

static void
test_errors (void)
{
  static const struct { const char *name, *says; } errors[] = {
    { "x", "it is not rN:ACTION:REASON@LINE.CALL" },
    { "r0:inline:costly-expand@4.mul", "it is not rN:" },
    { "r1:inline:costly-expand@4", "it is not rN:" },
    { "r1:inline:costly-expand@4.mul#0", "it is not rN:" },
    { "r1:inline:costly-expand@4.mul#x", "it is not rN:" },
    { "r1:inline:cost@4.mul", "there is no reason 'cost'; there are result, " },
    { "r1:realize:costly-expand@4.mul", "the other choice of costly-expand is inline, not 'realize'" },
    { "r1:inline:result@4.mul", "cannot be turned around: the program asked for the value" },
    { "r1:inline:costly-expand@4.log2",
      "there is no such decision in realization 1; those about values of line 4: inline:costly-expand@4.mul" },
    { "r1:inline:costly-expand@40.log2", "nor any about a value of line 40" },
    { "r1:inline:costly-expand@4.mul#2", "there are 1 such decisions, not 2" },
    { "r4:realize:only-user@9.add", "there are 2 such decisions: add #1 to #2" },
    { "r6:inline:contiguous@12.contiguous", "the value is stored all the same: " },
  };
  FixtureRun how = { .text = PROGRAM "d = (x + 5) * (x + 6)\n(d * d + d.exp2() * ((x + 3) * (x + 4)).log2() ** 2).realize()\n"
                             "(x * (x.log2().sum(axis=1, keepdim=True) * 2).exp2()).realize()\n"
                             "(x + 9).contiguous().realize()\n" };
  for (guint i = 0; i < G_N_ELEMENTS (errors); i++) {
    g_autoptr (GError) error = NULL;
    LsWhatIf w;
    g_autoptr (LsSession) s = ls_what_if_parse (errors[i].name, &w, &error) ? run (&how, errors[i].name, &error) : NULL;
    if (!error || !strstr (error->message, errors[i].says))
      g_error ("%s: %s", errors[i].name, error ? error->message : "no error");
    if (s)
      ls_what_if_clear (&w);
  }
  g_autoptr (GError) error = NULL;      /* of several choices the one that is refused is named */
  LsSession *refused = run (&how, "r1:inline:costly-expand@4.mul\nr6:inline:contiguous@12.contiguous", &error);
  g_clear_pointer (&refused, ls_session_free);
  g_assert_nonnull (strstr (error->message, "=r6:inline:contiguous@12.contiguous: the value is stored all the same"));
}

/* A recorded choice that nobody made, and one that is left out, are found. */
static void
test_lies (void)
{
  FixtureRun how = { .text = PROGRAM };
  for (guint lie = 0; lie < 3; lie++) {
    g_autoptr (LsSession) s = run (&how, lie == 2 ? "r1:inline:costly-expand@4.mul" : NULL, NULL);
    gboolean planted = FALSE;
    for (guint i = 0; i < s->trace->decisions->len && !planted; i++) {
      LsDecision *d = &g_array_index (s->trace->decisions, LsDecision, i);
      LsReason was = lie == 0 ? LS_REASON_ONLY_USER : lie == 1 ? LS_REASON_COSTLY_EXPAND : LS_REASON_CHOSEN_FUSED;
      planted = d->key == was;
      if (planted)
        d->key = lie == 0 ? LS_REASON_CHOSEN : lie == 1 ? LS_REASON_CHOSEN_FUSED : LS_REASON_CHEAP;
    }
    g_assert_true (planted);
    LsVerify *v = ls_trace_verify (s->trace);
    g_assert_cmpuint (v->differences, >, 0);
    ls_verify_free (v);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/what-if/programs", test_programs);
  g_test_add_func ("/what-if/fuse", test_fuse);
  g_test_add_func ("/what-if/fuse-kinds", test_fuse_kinds);
  g_test_add_func ("/what-if/kinds", test_kinds);
  g_test_add_func ("/what-if/errors", test_errors);
  g_test_add_func ("/what-if/lies", test_lies);
  return g_test_run ();
}
