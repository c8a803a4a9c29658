/* Samples of results: elements computed separately are those of the whole, in every graph of every pass; in a result that is too large a
 * wrong step is found, and other elements are not judged. */
#include "fixture.h"
#include "ask/ask.h"
#include "ask/reference.h"
#include "ask/sample.h"

#include <string.h>

#define SMALL "a = Tensor([[1.5, -2.0, 3.25, 0.5], [4.0, 5.5, -6.0, 7.0]]).realize()\nb = Tensor.arange(24).reshape(4, " \
              "6).contiguous().realize()\n"

typedef struct { const char *name, *text, *options, *settings; } Program;

static const Program programs[] = {
  { "elementwise", SMALL "print(((a * 2 + 1).exp2() < 3).where(a, -a).tolist())\n" },
  { "movement", SMALL "print((b.permute(1, 0).pad(((1, 2), (0, 1))).flip(0)[1:7, :4] + 1).tolist())\n" },
  { "reduce", SMALL "print((b.float() @ b.float().permute(1, 0)).tolist())\nprint(b.max(axis=0).tolist())\nprint(b.sum().item())\n" },
  { "upcast", "a = Tensor.arange(256).reshape(16, 16).contiguous().realize()\nprint((a @ a).tolist())\n",
    "UPCAST:0:4,UPCAST:1:4,UNROLL:0:4" },
  { "odd", "a = Tensor.arange(35).reshape(5, 7).contiguous().realize()\nprint((a.permute(1, 0) * 3).tolist())\n" },
  { "unoptimized", "a = Tensor.arange(4096).reshape(64, 64).float().contiguous().realize()\nprint(a.sum(axis=1).tolist())\n", NULL,
    "NOOPT=1" },
  { "assign", "a = Tensor.arange(24).reshape(4, 6).contiguous().realize()\na[1:3, ::2].assign(a[1:3, ::2] * 7)\nprint(a.tolist())\n" },
  { "softmax", "a = Tensor.arange(60).reshape(5, 12).float().contiguous().realize()\nprint((a / 9).softmax(axis=1).tolist())\n" },
  { "scalar", SMALL "print((a.sum() * 3).item())\n" },
};

/* Every graph that has a value as a whole: its elements alone, those of a few at a time. Returns how many graphs were compared. */
static guint
compare_kernel (LsReference *r, LsTrace *t, const LsKernel *k)
{
  guint id = g_array_index (k->buffers, guint, 0), compared = 0;
  const LsTraceBuffer *out = t->buffers->pdata[id];
  LsDType d = ls_dtype_strong (out->dtype);
  g_assert_true (ls_reference_prepare (r, k->number, NULL));
  for (guint i = 0; i < k->passes->len; i++) {
    const LsPass *p = t->passes->pdata[g_array_index (k->passes, guint, i)];
    if (p->kind != LS_PASS_REWRITE)
      continue;
    for (guint side = 0; side < 2; side++) {
      g_autoptr (LsContext) ctx = ls_context_new_over (t->ctx);
      g_autoptr (GBytes) whole = NULL;
      g_autoptr (GError) error = NULL;
      LsUOp *root = ls_context_node (t->ctx, side ? p->output : p->input);
      if (ls_reference_run (r, k, ctx, root, &whole, NULL, NULL) != LS_GRAPH_COMPUTED)
        continue;
      LsShape shape = { 1, (const gint64[]) { (gint64) out->n_elements } };
      g_autoptr (GArray) elements = ls_sample_choose (shape, 7);
      g_autofree LsScalar *got = g_new0 (LsScalar, elements->len + 1);
      LsGraphState state = ls_reference_run_elements (r, k, ctx, root, elements->len, (const guint64 *) (gconstpointer) elements->data, got,
                                                      NULL, &error);
      if (state != LS_GRAPH_COMPUTED)
        g_test_message ("%s of kernel %u: %s", p->name, k->number, error->message);
      g_assert_cmpint (state, ==, LS_GRAPH_COMPUTED);
      for (guint e = 0; e < elements->len; e++) {
        LsScalar want = ls_scalar_load (d, (const guint8 *) g_bytes_get_data (whole, NULL) + g_array_index (elements, guint64, e)
                                        * ls_dtype_itemsize (d));
        g_assert_true (ls_scalar_same (d, want, got[e], LS_EXACT, 0));
      }
      compared++;
    }
  }
  return compared;
}

static void
test_agrees (gconstpointer data)
{
  const Program *p = data;
  g_autoptr (LsSession) s = fixture_run (&(FixtureRun) { .text = p->text, .options = p->options, .settings = p->settings }, NULL);
  g_autoptr (LsReference) r = ls_reference_new (s->trace);
  guint compared = 0;
  for (guint i = 1; ls_trace_kernel (s->trace, i); i++)
    compared += compare_kernel (r, s->trace, ls_trace_kernel (s->trace, i));
  g_assert_cmpuint (compared, >, 10);
}

static void
test_choose (void)
{
  LsShape shape = { 3, (const gint64[]) { 1 << 20, 3, 1 << 10 } }, few = { 2, (const gint64[]) { 3, 4 } },
          none = { 2, (const gint64[]) { 3, 0 } };
  g_autoptr (GArray) a = ls_sample_choose (shape, 256), b = ls_sample_choose (shape, 256), all = ls_sample_choose (few, 256),
      empty = ls_sample_choose (none, 256);
  g_assert_cmpuint (a->len, >, 128);
  g_assert_cmpmem (a->data, a->len * 8, b->data, b->len * 8);
  g_assert_cmpuint (g_array_index (a, guint64, 0), ==, 0);
  g_assert_cmpuint (g_array_index (a, guint64, a->len - 1), ==, (guint64) ls_shape_size (shape) - 1);
  g_assert_cmpuint (all->len, ==, 12);
  g_assert_cmpuint (empty->len, ==, 0);
}

/* More than 2^24 elements, and a wrong step in the kernel that reads them turned. */
#define LARGE "b = (Tensor.arange(4096 * 4100).reshape(4096, 4100).permute(1, 0) * 3).contiguous().realize()\n"

static void
test_large (void)
{
  static const char *const sets[] = { "symbolic", "devectorize" };
  g_autoptr (LsSession) right = fixture_run (&(FixtureRun) { .text = LARGE, .compiler = "tcc" }, NULL);
  g_autoptr (LsBisect) none = ls_bisect (right->trace, NULL);
  g_assert_false (none->found);
  g_assert_cmpuint (none->samples->len, >, 0);
  for (guint i = 0; i < none->samples->len; i++) {
    g_assert_cmpuint (g_array_index (none->samples, LsBisectSample, i).n, <=, LS_SAMPLE_MOST);
    g_assert_cmpuint (g_array_index (none->samples, LsBisectSample, i).of, ==, 4096 * 4100);
  }
  for (gsize i = 0; i < G_N_ELEMENTS (sets); i++) {
    g_autofree char *rules = g_strdup_printf ("set %s\n# Wrong.\nbad: x:int * 3 -> x * 2\n", sets[i]);
    g_autoptr (LsSession) s = fixture_run (&(FixtureRun) { .text = LARGE, .rules = rules, .compiler = "tcc" }, NULL);
    g_autoptr (LsBisect) b = ls_bisect (s->trace, NULL);
    g_assert_true (b->found);
    g_assert_cmpint (b->rule, >=, 0);
    g_assert_cmpstr (((LsTraceRule *) s->trace->rules->pdata[b->rule])->name, ==, "bad");
  }
}

static const LsPass *
pass_named (LsTrace *t, guint kernel, const char *name)
{
  for (guint i = 0; i < t->passes->len; i++) {
    const LsPass *p = t->passes->pdata[i];
    if (p->kernel == kernel && strcmp (p->name, name) == 0)
      return p;
  }
  g_assert_not_reached ();
}

static void
test_values (void)
{
  g_autoptr (LsSession) s = fixture_run (&(FixtureRun) { .text = "a = ((Tensor.arange(4096 * 4100) - 3).float().log2() + 1).realize()\n",
                                                         .compiler = "tcc" }, NULL);
  for (guint i = 0; i < 2; i++) {
    const LsPass *p = pass_named (s->trace, 1, i ? "simplify" : "ast");
    g_autoptr (GError) error = NULL;
    g_autoptr (LsValues) hit = ls_values (s->trace, p, ls_pass_n_rewrites (p), LS_NO_NODE, "nan", 8, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (hit->node, !=, LS_NO_NODE);
    g_assert_true (hit->sampled);
    g_assert_cmpstr (hit->value, ==, "nan");
    g_autoptr (LsValues) none = ls_values (s->trace, p, ls_pass_n_rewrites (p), LS_NO_NODE, ">1e30", 8, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (none->node, ==, LS_NO_NODE);
    g_assert_cmpuint (none->n, <, none->n_all);
    g_autoptr (LsValues) v = ls_values (s->trace, p, ls_pass_n_rewrites (p), hit->node, NULL, 8, &error);
    g_assert_no_error (error);
    g_assert_true (v->sampled);
    g_assert_cmpuint (v->n_all, ==, 4096 * 4100);
    g_assert_cmpuint (v->n, <=, LS_SAMPLE_MOST);
    g_assert_cmpuint (v->at->len, ==, v->text->len);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (programs); i++) {
    g_autofree char *name = g_strdup_printf ("/ask/sample/agrees/%s", programs[i].name);
    g_test_add_data_func (name, &programs[i], test_agrees);
  }
  g_test_add_func ("/ask/sample/choose", test_choose);
  g_test_add_func ("/ask/sample/large", test_large);
  g_test_add_func ("/ask/sample/values", test_values);
  return g_test_run ();
}
