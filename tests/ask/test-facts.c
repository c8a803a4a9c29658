/* The facts of tensors, against what `tensor.lazydata` prints in the same program, and against the words of a walk through a lazy graph of
 * 2024: Tensor([1, 2, 3]) + 2. */
#include <string.h>

#include "fixture.h"
#include "ask/ask.h"
#include "ir/sentence.h"

/* Prints a lazy buffer's fields in the order of facts, a node's once. */
#define DUMP \
  "def dump(depth, field, b, seen):\n" \
  "    print(depth, field, b)\n" \
  "    if b.uop in seen: return\n" \
  "    seen.add(b.uop)\n" \
  "    say = lambda field, value, more=1: print(depth + more, field, repr(value))\n" \
  "    say('device', b.device)\n" \
  "    say('st', b.st)\n" \
  "    for i, v in enumerate(b.st.views):\n" \
  "        say(f'views[{i}]', v, 2)\n" \
  "        for name in ('shape', 'strides', 'offset', 'mask', 'contiguous'): say(name, getattr(v, name), 3)\n" \
  "    for name in ('dtype', 'shape', 'size'): say(name, getattr(b, name))\n" \
  "    if b._base is not None: return dump(depth + 1, '_base', b._base, seen)\n" \
  "    for name in ('_base', 'op', 'arg'): say(name, getattr(b, name))\n" \
  "    if not b.srcs: say('srcs', ())\n" \
  "    for i, s in enumerate(b.srcs): dump(depth + 1, f'srcs[{i}]', s, seen)\n" \
  "    for name in ('buffer', 'realized', 'contiguous_child', 'forced_realize'): say(name, getattr(b, name))\n" \
  "for name in NAMES: dump(0, name, globals()[name].lazydata, set())\n"

static LsFacts *
facts_of (LsTrace *trace, const char *name, guint stop)
{
  g_autoptr (GError) error = NULL;
  LsFacts *facts = ls_facts (trace, name, LS_NO_NODE, stop, &error);
  g_assert_no_error (error);
  return facts;
}

/* The rows of a name as the program prints them. */
static void
print (LsTrace *trace, const char *name, GString *to)
{
  g_autoptr (LsFacts) facts = facts_of (trace, name, 0);
  g_assert_false (facts->more);
  for (guint i = 0; i < facts->facts->len; i++) {
    const LsFact *f = &g_array_index (facts->facts, LsFact, i);
    g_string_append_printf (to, "%u %s %s\n", f->depth, f->name, f->value);
  }
}

/* Names are of one letter. */
static const struct { const char *names, *text; } programs[] = {
  { "abc",
    "a = Tensor([1, 2, 3])\nb = a + 2\nc = b.reshape(3, 1).expand(3, 2)\n" },
  { "abcd",
    "a = Tensor([1, 2, 3])\nb = a + 2\nc = b.reshape(3, 1).expand(3, 2)\nl = b.tolist()\nd = b * 3\n" },
  { "abcdefg",
    "a = Tensor([[1.5, 2.0], [3.0, 4.0]])\nb = (a @ a).exp().sum(1)\nc = a.max()\nd = (a * 0.1).pad(((1, 1), (0, 2)))\n"
    "e = d.flip(0).permute(1, 0)\nf = a.prod().cast('half')\ng = (a < 2).where(a, -1e-05)\n" },
  { "abcdefh",
    "a = Tensor([4, -5, 6]).realize()\nb = (a // 2 % 3 ^ 1).contiguous()\nc = ((a << 1) | 7).cast('float').sqrt().sin()\n"
    "d = a.shrink(((1, 3),))\ne = Tensor.arange(6).reshape(2, 3)\nf = Tensor.empty(2, 2)\nh = d.bitcast('uint')\n" },
  { "bdcxy",
    "a = Tensor.ones(4, 4).contiguous().realize()\nb = (a + 1).realize()\nd = a.assign(a * 2)\nc = b.T.reshape(16)[::3]\n"
    "x = b.sum().realize()\ny = x * 2\n" },
};

/* Every field of every name, as the program prints it, at the program's end. */
static void
test_python (void)
{
  for (guint merge = 0; merge < 2; merge++)
    for (gsize i = 0; i < G_N_ELEMENTS (programs); i++) {
      g_autofree char *text = g_strdup_printf ("%sNAMES = '%s'\n%s", programs[i].text, programs[i].names, DUMP);
      g_autoptr (LsSession) s = FIXTURE_RUN (.text = text, .settings = merge ? "" : "MERGE_VIEWS=0");
      g_autoptr (GString) rows = g_string_new (NULL);
      for (const char *at = programs[i].names; *at; at++)
        print (s->trace, (char[]) { *at, '\0' }, rows);
      g_assert_cmpstr (rows->str, ==, s->trace->std_out);
    }
}

/* Ops have the numbers that the library's classes have: the table of the source is theirs. */
static void
test_ops (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = "from tinygrad.lazydata import KINDS\n"
                                                 "for kind, names in KINDS.items():\n"
                                                 "    print(', '.join(f'\"{name}\"' for name in (kind, *names)))\n");
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "..", "..", "engine", "ask", "facts.c", NULL), *text = NULL;
  g_auto (GStrv) kinds = g_strsplit (g_strchomp (s->trace->std_out), "\n", -1);
  g_autoptr (GRegex) break_of_line = g_regex_new ("\\n +", 0, 0, NULL);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_autofree char *source = g_regex_replace_literal (break_of_line, text, -1, 0, " ", 0, NULL);
  g_assert_cmpuint (g_strv_length (kinds), ==, 5);
  for (guint i = 0; kinds[i]; i++)
    if (g_str_has_prefix (kinds[i], "\"ReduceOps\""))
      g_assert_cmpstr (kinds[i], ==, "\"ReduceOps\", \"SUM\", \"MAX\", \"PROD\"");      /* in three literals there */
    else
      g_assert_nonnull (strstr (source, kinds[i]));
}

static const LsFact *
row (const LsFacts *facts, guint at, guint depth, const char *name, const char *value)
{
  const LsFact *f = &g_array_index (facts->facts, LsFact, at);
  g_assert_cmpuint (at, <, facts->facts->len);
  g_assert_cmpuint (f->depth, ==, depth);
  g_assert_cmpstr (f->name, ==, name);
  g_assert_cmpstr (f->value, ==, value);
  return f;
}

static void
check_written (const LsFacts *facts, const LsFact *f, const char *function, const char *file)
{
  g_autofree char *name = ls_answer_cell (&ls_fact_answer, f, 0, &(LsAnswering) { facts->trace->ctx, facts }, "function"),
                  *place = ls_answer_cell (&ls_fact_answer, f, 0, &(LsAnswering) { facts->trace->ctx, facts }, "definition");
  g_assert_cmpstr (name, ==, function);
  g_assert_true (g_str_has_prefix (place, file));
}

/* Tensor([1, 2, 3]), then + 2, then tolist(), field by field as the walk of 2024 prints them; its device is CUDA. */
static void
test_walk (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = "t = Tensor([1,2,3])\nu = t + 2\nprint(u.tolist())\n");
  LsTrace *trace = s->trace;
  g_autoptr (LsFacts) t = facts_of (trace, "t", 2), u = facts_of (trace, "u", 3), later = facts_of (trace, "u", 0);
  const LsFact *f = row (t, 0, 0, "t", "<LB CPU (3,) int (<LoadOps.COPY: 3>, None)>");
  check_written (t, f, "_converted", "library/tensor.py:");
  f = row (t, 1, 1, "device", "'CPU'");
  g_assert_cmpstr (ls_fact_read_by (f->field), ==, "not used by this scheduler");
  f = row (t, 2, 1, "st", "ShapeTracker(views=(View(shape=(3,), strides=(1,), offset=0, mask=None, contiguous=True),))");
  g_assert_cmpstr (f->brief, ==, "[3] strides 1");
  row (t, 4, 3, "shape", "(3,)");
  row (t, 5, 3, "strides", "(1,)");
  row (t, 6, 3, "offset", "0");
  row (t, 7, 3, "mask", "None");
  row (t, 8, 3, "contiguous", "True");
  row (t, 9, 1, "dtype", "dtypes.int");
  row (t, 10, 1, "shape", "(3,)");
  row (t, 11, 1, "size", "3");
  row (t, 12, 1, "_base", "None");
  f = row (t, 13, 1, "op", "<LoadOps.COPY: 3>");
  g_assert_cmpstr (ls_fact_read_by (f->field), !=, "not used by this scheduler");
  row (t, 14, 1, "arg", "12");
  f = row (t, 15, 1, "srcs[0]", "<LB NPY (3,) int (<LoadOps.EMPTY: 1>, <buf real:True device:NPY size:3 dtype:dtypes.int offset:0>)>");
  g_assert_cmpuint (f->node, !=, LS_NO_NODE);
  g_assert_false (f->above || f->cut);
  row (t, 16, 2, "device", "'NPY'");
  row (t, 28, 2, "op", "<LoadOps.EMPTY: 1>");
  row (t, 29, 2, "arg", "None");
  row (t, 31, 2, "buffer", "<buf real:True device:NPY size:3 dtype:dtypes.int offset:0>");
  row (t, 33, 2, "contiguous_child", "None");
  row (t, 34, 2, "forced_realize", "False");
  row (t, 35, 1, "buffer", "<buf real:False device:CPU size:3 dtype:dtypes.int offset:0>");
  row (t, 36, 1, "realized", "None");
  f = row (t, 37, 1, "contiguous_child", "None");
  g_assert_cmpstr (ls_fact_read_by (f->field), ==, "not used by this scheduler");
  f = row (t, 38, 1, "forced_realize", "False");
  g_assert_cmpstr (ls_fact_read_by (f->field), ==, "not used by this scheduler");
  g_assert_cmpuint (t->facts->len, ==, 39);

  f = row (u, 0, 0, "u", "<LB CPU (3,) int (<BinaryOps.ADD: 1>, None)>");
  check_written (u, f, "add", "library/elementwise.py:");
  g_assert_cmpint (f->decision, ==, -1);
  row (u, 15, 1, "srcs[0]", "<LB CPU (3,) int (<LoadOps.COPY: 3>, None)>");
  guint at = 16;
  while (g_array_index (u->facts, LsFact, at).depth > 1)
    at++;
  while (!g_str_equal (g_array_index (u->facts, LsFact, at).name, "srcs[1]"))
    at++;
  f = row (u, at, 1, "srcs[1]",
           "<LB CPU (3,) int ShapeTracker(views=(View(shape=(3,), strides=(0,), offset=0, mask=None, contiguous=False),))>");
  g_assert_cmpstr (f->brief, ==, "EXPAND int (3,)");
  check_written (u, f, "expand", "library/movement.py:");
  row (u, at + 12, 2, "_base", "<LB CPU () int (<LoadOps.CONST: 2>, None)>");
  row (u, at + 26, 3, "arg", "2");

  f = row (later, 0, 0, "u", "<LB CPU (3,) int (<BinaryOps.ADD: 1>, <buf real:True device:CPU size:3 dtype:dtypes.int offset:0>)>");
  g_autofree char *decision = ls_fact_decision (later, f), *text = ls_sentence_text (decision);
  g_assert_cmpstr (text, ==, "stored by kernel 1: result");
  f = row (later, later->facts->len - 4, 1, "buffer", "<buf real:True device:CPU size:3 dtype:dtypes.int offset:0>");
  g_assert_cmpuint (f->buffer, ==, 2);
  check_written (later, f, "realize", "library/tensor.py:");
}

/* A node is listed once; below another name it is named alone. A node of a kernel has op, dtype, arg and src. */
static void
test_nodes (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = "a = Tensor([1.0, 2.0])\nb = a * a\nprint(b.tolist())\n");
  g_autoptr (GError) error = NULL;
  g_autoptr (LsFacts) all = facts_of (s->trace, NULL, 0);
  guint n_device = 0, n_above = 0;
  for (guint i = 0; i < all->facts->len; i++) {
    const LsFact *f = &g_array_index (all->facts, LsFact, i);
    n_device += f->field >= LS_FACT_ALL_DEVICES;
    n_above += f->above;
    g_assert_cmpint (g_str_equal (f->name, "runtime") ? strcmp (f->value, "interpreter") : 0, ==, 0);
  }
  g_assert_cmpuint (n_device, ==, 9);
  g_assert_cmpuint (n_above, ==, 2);
  const LsKernel *k = ls_trace_kernel (s->trace, 1);
  g_autoptr (LsFacts) final = ls_facts (s->trace, NULL, k->final_root, 0, &error);
  g_assert_no_error (error);
  row (final, 1, 1, "op", "SINK");
  row (final, 2, 1, "dtype", "dtypes.void");
  for (guint i = 0; i < final->facts->len; i++)
    g_assert_cmpstr (g_array_index (final->facts, LsFact, i).name, !=, "device");
  g_assert_null (ls_facts (s->trace, "c", LS_NO_NODE, 0, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_USAGE);
  g_clear_error (&error);
  g_assert_null (ls_facts (s->trace, "b", LS_NO_NODE, 2, &error));      /* it was bound later */
  g_assert_error (error, LS_ERROR, LS_ERROR_USAGE);
  g_clear_error (&error);
  g_assert_null (ls_facts (s->trace, NULL, LS_NO_NODE, 5, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_USAGE);
  g_clear_error (&error);
  g_assert_null (ls_facts (s->trace, NULL, 1000000, 0, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_USAGE);
}

/* A graph deeper than the limit is cut there, and a large one after so many rows. */
static void
test_limits (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.only_text = TRUE, .text = "a = Tensor([1.0, 2.0])\nfor i in range(3000):\n    a = a.sin()\n"
                                                                    "b = sum(Tensor.empty(i + 1).sum() for i in range(200))\n");
  g_autoptr (LsFacts) deep = facts_of (s->trace, "a", 0), wide = facts_of (s->trace, "b", 0);
  guint n_cut = 0;
  for (guint i = 0; i < deep->facts->len; i++)
    n_cut += g_array_index (deep->facts, LsFact, i).cut;
  g_assert_cmpuint (n_cut, ==, 1);
  g_assert_false (deep->more);
  g_assert_cmpuint (wide->facts->len, <=, LS_MOST_FACTS);
}

/* Each name of each example, at each stop. */
static void
test_example (gconstpointer path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LsSession) s = fixture_run (&(FixtureRun) { .file = path, .compiler = "tcc" }, &error);
  LsTrace *trace = s->trace;
  g_autoptr (LsFacts) all = facts_of (trace, NULL, 0);
  guint n = all->n_stops, every = MAX (n / 16, 1);
  g_assert_cmpuint (all->facts->len, >, 0);
  for (guint i = 0; i < trace->bindings->len; i += MAX (trace->bindings->len / 64, 1)) {
    const LsNameBinding *b = &g_array_index (trace->bindings, LsNameBinding, i);
    g_autoptr (LsFacts) facts = facts_of (trace, b->name, 0);
    const LsFact *f = &g_array_index (facts->facts, LsFact, 0);
    g_assert_cmpstr (f->name, ==, b->name);
    g_assert_cmpuint (facts->facts->len, >, 4);
  }
  for (guint k = 1; k <= n; k += every) {
    g_autoptr (LsFacts) facts = facts_of (trace, NULL, k);
    g_assert_cmpuint (facts->stop, ==, k);
  }
}

/* Recordings of older schemas, without names: what was printed. */
static void
test_older (void)
{
  for (guint schema = 1; schema <= 2; schema++) {
    g_autofree char *name = g_strdup_printf ("schema-%u.lscope", schema),
                    *path = g_test_build_filename (G_TEST_DIST, "..", "trace", name, NULL);
    g_autoptr (GError) error = NULL;
    g_autoptr (LsTrace) trace = ls_trace_load (path, &error);
    g_assert_no_error (error);
    g_autoptr (LsFacts) facts = facts_of (trace, NULL, 0);
    const LsFact *f = &g_array_index (facts->facts, LsFact, 0);
    g_assert_cmpuint (facts->facts->len, >, 20);
    g_assert_cmpstr (f->name, ==, "outputs[0]");
    g_assert_nonnull (strstr (f->value, "real:True"));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/facts/python", test_python);
  g_test_add_func ("/facts/ops", test_ops);
  g_test_add_func ("/facts/walk", test_walk);
  g_test_add_func ("/facts/nodes", test_nodes);
  g_test_add_func ("/facts/limits", test_limits);
  g_test_add_func ("/facts/older", test_older);
  const char *programs_folder = g_getenv ("LAZYSCOPE_PROGRAMS");
  g_autoptr (GDir) dir = programs_folder ? g_dir_open (programs_folder, 0, NULL) : NULL;
  for (const char *name; dir && (name = g_dir_read_name (dir));) {
    g_autofree char *test = g_strdup_printf ("/facts/example/%s", name);
    if (g_str_has_suffix (name, ".py"))
      g_test_add_data_func_full (test, g_build_filename (programs_folder, name, NULL), test_example, g_free);
  }
  return g_test_run ();
}
