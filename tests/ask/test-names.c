/* One name for one loop and one for each buffer: in graphs, rows, source, values and the execution row by row, of every kernel of the
 * examples and cases, in each profile. What is read from each of them is compared with the others.
 *
 * The names of a kernel's list are the map. Each box of a RANGE or SPECIAL that the graph draws, each row, each line of the source that
 * begins a loop, and each counter of values and executed rows must be of it.
 *
 * A buffer has the program's name wherever the program bound one to a tensor that is in it when the program ends, which is asked of the
 * session. Boxes and rows of each LOAD and STORE have that name; the text of the code has not.
 */
#include "ask/ask.h"
#include "ask/slow-answer.h"
#include "fixture.h"
#include "graph/layout/scene.h"
#include "ir/axis.h"
#include "ir/names.h"
#include "ir/short.h"
#include "session/source-loops.h"

#include <string.h>

static guint n_kernels, n_loops, n_boxes, n_values, n_letters, n_around, n_accesses, n_named;

/* "i" of "i·ridx0"; or the second, which is the same where there is one. */
static char *
half_of (const char *label, gboolean second)
{
  const char *dot = strstr (label, "·");
  return !dot ? g_strdup (label) : second ? g_strdup (dot + strlen ("·")) : g_strndup (label, (gsize) (dot - label));
}

/* label -> the loop's node: what the list has. Two loops have two names. */
static GHashTable *
names_of_list (LsTrace *t, const LsKernel *k, GPtrArray *list)
{
  GHashTable *map = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < list->len; i++)
    if (ls_has_loop_name (list->pdata[i])) {
      char *label = ls_label_of_loop (ls_trace_names (t, k->number), list->pdata[i]);
      g_assert_true (g_hash_table_insert (map, label, list->pdata[i]));
    }
  return map;
}

/* The boxes that the picture of a graph has of loops say what the list says; of a graph before the list every name is of one loop. */
static void
check_boxes (LsTrace *t, const LsPass *pass, GHashTable *map, gboolean is_last)
{
  g_autoptr (LsGraph) graph = ls_pass_graph (t, pass, ls_pass_n_rewrites (pass));
  g_autoptr (LsScene) scene = ls_scene_new_root (t, graph->names, graph->root, FALSE);
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < scene->n_nodes; i++) {
    const LsUOp *u = ls_graph_node (scene->after, scene->nodes[i].id);
    if (!ls_has_loop_name (u))
      continue;
    const char *words = strchr (scene->nodes[i].title[1], ' ') + 1;
    char *label = g_strndup (words, strcspn (words, ":"));
    g_assert_true (!is_last || g_hash_table_contains (map, label));
    g_assert_true (g_hash_table_add (seen, label));
    n_boxes++;
  }
  g_assert_true (!is_last || g_hash_table_size (seen) == g_hash_table_size (map));
}

/* Boxes of what reads and writes memory have the words of their graph's names. */
static void
check_access_boxes (LsTrace *t, const LsPass *pass)
{
  g_autoptr (LsGraph) graph = ls_pass_graph (t, pass, ls_pass_n_rewrites (pass));
  g_autoptr (LsScene) scene = ls_scene_new_root (t, graph->names, graph->root, FALSE);
  for (guint i = 0; i < scene->n_nodes; i++) {
    LsUOp *u = ls_graph_node (scene->after, scene->nodes[i].id), *memory = ls_memory_of (u);
    if (!memory)
      continue;
    g_autofree char *label = u == memory ? ls_label_of_buffer (graph->names, u) : ls_name_of_buffer (graph->names, memory),
                    *begin = g_strdup_printf ("%s %s", ls_op_name (u->op), label);
    g_assert_true (g_str_has_prefix (scene->nodes[i].title[1], begin) || strstr (scene->nodes[i].title[1], "…"));
  }
}

static void
check_graphs (LsTrace *t, const LsKernel *k, GHashTable *map)
{
  const LsPass *last = NULL;
  for (guint i = 0; i < k->passes->len; i++) {
    const LsPass *pass = t->passes->pdata[g_array_index (k->passes, guint, i)];
    if (pass->parent < 0 && pass->kind == LS_PASS_REWRITE) {
      if (last)
        check_boxes (t, last, map, FALSE);
      check_access_boxes (t, pass);
      last = pass;
    }
  }
  check_boxes (t, last, map, TRUE);
}

/* In the source a loop has the second half of its label: "for (int ridx0 = 0;", "int gidx0 = gid.x;", "const unsigned char i". */
static void
check_source (const LsKernel *k, GHashTable *map)
{
  GHashTableIter iter;
  gpointer label, node;
  for (g_hash_table_iter_init (&iter, map); g_hash_table_iter_next (&iter, &label, &node);) {
    const LsUOp *u = node;
    g_autofree char *text = half_of (label, TRUE);
    g_autofree char *line = u->op == LS_OP_RANGE ? g_strdup_printf (" %s = 0; %s < ", text, text)
                            : ls_is_thread_index (u) ? g_strdup_printf ("unsigned char %s)", text) : g_strdup_printf (" %s = ", text);
    g_assert_nonnull (strstr (k->source, line));
  }
}

/* Each counter of a text like "(i=3, j·ridx1=5)" or "executed 6 times over i < 3, j < 2" is of a loop. */
static void
check_counters (const char *text, GHashTable *map)
{
  for (const char *p = text; p && (p = strpbrk (p, "=<")); p++) {
    const char *end = p;
    while (end > text && end[-1] == ' ')
      end--;
    const char *begin = end;
    while (begin > text && !strchr (" (,", begin[-1]))
      begin--;
    g_autofree char *label = g_strndup (begin, (gsize) (end - begin));
    g_assert_true (g_hash_table_contains (map, label));
    n_values++;
  }
}

/* Rows, and the rows that are executed. */
static void
check_rows (LsTrace *t, const LsKernel *k, GPtrArray *list, GHashTable *map)
{
  LsSlowRun slow = { .kernel = k, .uops = (LsUOp *const *) list->pdata, .names = ls_trace_names (t, k->number) };
  for (guint i = 0; i < list->len; i++) {
    if (!ls_has_loop_name (list->pdata[i]))
      continue;
    g_autofree char *row = ls_text_of_loop (slow.names, list->pdata[i]), *executed = ls_slow_loop_name (&slow, i),
                    *label = g_strndup (row, strcspn (row, ": ")), *letter = half_of (label, FALSE);
    g_assert_true (g_hash_table_lookup (map, label) == list->pdata[i] && g_str_equal (executed, label));
    g_assert_true (strlen (letter) == 1 || strchr (letter, '_') || letter[0] == 'x');
    g_assert_null (strpbrk (letter, "lo"));
    n_loops++;
    n_letters += strlen (letter) == 1;
  }
}

/* The values of what the kernel stores, at its last pass. */
static void
check_values (LsTrace *t, const LsKernel *k, GPtrArray *list, GHashTable *map)
{
  const LsPass *last = NULL;
  for (guint i = 0; i < k->passes->len; i++) {
    const LsPass *pass = t->passes->pdata[g_array_index (k->passes, guint, i)];
    last = pass->parent < 0 && pass->kind == LS_PASS_REWRITE ? pass : last;
  }
  for (guint i = 0; i < list->len; i++) {
    const LsUOp *u = list->pdata[i];
    if (u->op != LS_OP_STORE)
      continue;
    g_autoptr (LsValues) v = ls_values (t, last, ls_pass_n_rewrites (last), u->id, NULL, 4, NULL);
    if (v)
      check_counters (v->shape, map);
    for (guint n = 0; v && n < v->at->len; n++)
      check_counters (g_array_index (v->at, char *, n), map);
    return;
  }
}

/* The others are part of the lines that use them. */
static gboolean
has_own_line (const LsUOp *u)
{
  return ls_has_loop_name (u) || u->op == LS_OP_ENDRANGE || u->op == LS_OP_STORE || u->op == LS_OP_DEFINE_ACC;
}

/* A line of the source has the loops around it that its row has in the list. */
static void
check_around (LsTrace *t, const LsKernel *k, GPtrArray *list)
{
  g_autoptr (GArray) loops = ls_source_loops (t, k);
  g_autoptr (GPtrArray) open = g_ptr_array_new ();
  for (guint i = 0; i < list->len; i++) {
    const LsUOp *u = list->pdata[i];
    if (u->op == LS_OP_ENDRANGE && open->len)
      g_ptr_array_set_size (open, (gint) open->len - 1);
    for (guint l = 0; l < k->source_links->len; l++) {
      const LsSourceLink *link = &g_array_index (k->source_links, LsSourceLink, l);
      const LsSourceLoop *around[16];
      if (link->node != u->id || !has_own_line (u))
        continue;
      guint n = ls_source_around (loops, link->line, around, G_N_ELEMENTS (around));
      g_assert_cmpuint (n, ==, open->len);
      for (guint d = 0; d < n; d++)
        g_assert_true (around[d]->node == ((const LsUOp *) open->pdata[d])->id);
      n_around += n;
    }
    if (u->op == LS_OP_RANGE)
      g_ptr_array_add (open, (gpointer) u);
  }
}

/* --- buffers --- */

/* Each binding whose base has memory now names it, or an earlier one does. */
static void
check_bindings (LsSession *s)
{
  LsTrace *t = s->trace;
  for (guint i = 0; i < t->bindings->len; i++) {
    const LsNameBinding *b = &g_array_index (t->bindings, LsNameBinding, i);
    const LsUOp *buffer = g_hash_table_lookup (s->realized, GUINT_TO_POINTER (b->base));
    if (!buffer || (guint64) buffer->arg.ints[0] >= t->buffers->len)
      continue;
    const LsNameBinding *found = ls_trace_buffer_name (t, (guint) buffer->arg.ints[0]);
    gboolean is_copy = ls_context_node (t->ctx, b->base)->op == LS_OP_COPY;
    g_assert_true ((is_copy && !g_hash_table_contains (s->copied, GUINT_TO_POINTER (b->base))) || (found && found <= b));
  }
  for (guint i = 0; i < t->buffers->len; i++) {
    const LsNameBinding *b = ls_trace_buffer_name (t, i);
    LsShape shape;
    if (b && ls_uop_get_shape (t->ctx, ls_context_node (t->ctx, b->base), &shape, NULL))
      g_assert_cmpuint (ls_shape_size (ls_shape_of_memory (shape)), ==, ((const LsTraceBuffer *) t->buffers->pdata[i])->n_elements);
  }
}

/* Each LOAD and STORE of a launch says the name of its buffer. */
static void
check_accesses (LsTrace *t, const LsKernel *launch, GPtrArray *list)
{
  const LsNames *names = ls_trace_names (t, launch->number);
  for (guint i = 0; i < list->len; i++) {
    LsUOp *u = list->pdata[i], *memory = ls_memory_of (u);
    if (!memory || memory->op != LS_OP_DEFINE_GLOBAL)
      continue;
    const LsNameBinding *b = ls_trace_buffer_name (t, g_array_index (launch->buffers, guint, memory->arg.i));
    g_autofree char *row = ls_row_arg (names, u), *text = g_strdup_printf ("data%d", (int) memory->arg.i),
                    *label = b ? g_strdup_printf ("%s (%s)", b->name, text) : g_strdup (text),
                    *shared = b ? g_strdup_printf ("%s·%s[", b->name, text) : g_strdup_printf ("%s[", text),
                    *alone = g_strdup_printf ("%s[", b ? b->name : text), *place = ls_bound_place (names, u);
    if (u == memory)
      g_assert_cmpstr (row, ==, label);
    else
      g_assert_true (g_str_has_prefix (row, alone) || g_str_has_prefix (row, shared));
    g_assert_true (!b == !place && (!place || g_str_has_prefix (place, label)));
    n_accesses++;
    n_named += b != NULL;
  }
}

static void
check_program (const char *file, const char *settings, const char *target, gboolean runs)
{
  g_autoptr (LsSession) s = fixture_run (&(FixtureRun) { .file = file, .settings = settings, .target = target, .only_text = !runs }, NULL);
  LsTrace *t = s->trace;
  check_bindings (s);
  for (guint i = 0; i < t->kernels->len; i++) {
    const LsKernel *k = t->kernels->pdata[i];
    g_autoptr (GPtrArray) list = ls_kernel_list (t, k);
    check_accesses (t, k, list);
    if (k->same_as || k->listing->len == 0)
      continue;
    g_autoptr (GHashTable) map = names_of_list (t, k, list);
    n_kernels++;
    check_graphs (t, k, map);
    check_source (k, map);
    check_around (t, k, list);
    check_rows (t, k, list, map);
    if (runs)
      check_values (t, k, list, map);
  }
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static GPtrArray *
programs (const char *folder)
{
  GPtrArray *files = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  for (const char *name; (name = g_dir_read_name (dir));)
    if (g_str_has_suffix (name, ".py"))
      g_ptr_array_add (files, g_build_filename (folder, name, NULL));
  g_ptr_array_sort (files, compare_names);
  g_assert_cmpuint (files->len, >, 10);
  return files;
}

static void
test_equal (gconstpointer data)
{
  const char *settings = data;
  g_autofree char *cases = g_build_filename (g_getenv ("G_TEST_SRCDIR"), "..", "cases", "data", NULL);
  const char *folders[] = { g_getenv ("LAZYSCOPE_PROGRAMS"), cases };
  n_kernels = n_loops = n_boxes = n_values = n_letters = n_around = n_accesses = n_named = 0;
  for (guint f = 0; f < G_N_ELEMENTS (folders); f++) {
    g_autoptr (GPtrArray) files = programs (folders[f]);
    for (guint i = 0; i < files->len; i++)      /* values of some: these must be computed */
      check_program (files->pdata[i], settings, "c", f == 1 && i % 8 == 0);
  }
  g_test_message ("%u kernels, %u loops, %u of them with a letter alone, %u boxes, %u counters of values", n_kernels, n_loops, n_letters,
                  n_boxes, n_values);
  g_test_message ("%u accesses and arguments, %u of buffers with a name of the program", n_accesses, n_named);
  g_assert_true (n_accesses > 1000 && n_named > 100);
  g_assert_true (n_kernels > 300 && n_loops > 500 && n_boxes > 3000 && n_values > 50 && n_around > 1000 && n_letters > 0);
}

static const char source[] = "from tinygrad import Tensor, Variable\n"
                             "print((Tensor.arange(10)[:Variable('i', 1, 10).bind(5)] + 1).numpy())\n";

static void
test_taken (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = source, .settings = "NOOPT=1");
  gboolean found = FALSE;
  for (guint i = 0; i < s->trace->kernels->len; i++) {
    const LsKernel *k = s->trace->kernels->pdata[i];
    if (!k->source || !strstr (k->source, "const int i"))
      continue;
    found = TRUE;
    g_assert_nonnull (strstr (k->source, "for (int j = 0; j < i; j++) {"));
    g_assert_null (strstr (k->source, "int i = 0"));
  }
  g_assert_true (found);
  g_assert_nonnull (strstr (s->out->str, "[1 2 3 4 5]"));
}

static const char launches[] = "from tinygrad import Tensor\n"
                               "a, b = Tensor([1., 2., 3., 4.]), Tensor([5., 6., 7., 8.])\n"
                               "p = (a * 3).realize()\n"
                               "q = (b * 3).realize()\n"
                               "m = p.reshape(2, 2).max(axis=1, keepdim=True)\n"      /* with FUSE=0 a kernel of its own */
                               "y = (p.reshape(2, 2) - m) * 2\n"
                               "i = (y + q.reshape(2, 2)).realize()\n";

/* The row of the first op like it in the kernel's list, with the names of a launch. */
static char *
row_of (LsTrace *t, guint launch, LsOp op)
{
  g_autoptr (GPtrArray) list = ls_kernel_list (t, ls_trace_kernel (t, launch));
  for (guint i = 0; i < list->len; i++)
    if (((LsUOp *) list->pdata[i])->op == op)
      return ls_row_arg (ls_trace_names (t, launch), list->pdata[i]);
  g_assert_not_reached ();
}

static void
assert_row (LsTrace *t, guint launch, LsOp op, const char *text)
{
  g_autofree char *row = row_of (t, launch, op);
  g_assert_cmpstr (row, ==, text);
}

/* Two launches of one code have the names of their own tensors; one that is computed with others has its name, too. */
static void
test_launches (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = launches, .settings = "NOOPT=1 FUSE=0");
  LsTrace *t = s->trace;
  const LsKernel *first = ls_trace_kernel (t, 1), *second = ls_trace_kernel (t, 2);
  g_assert_cmpint (second->same_as, ==, 1);
  assert_row (t, 1, LS_OP_DEFINE_GLOBAL, "p (data0)");
  assert_row (t, 1, LS_OP_LOAD, "a[i]");
  assert_row (t, 1, LS_OP_STORE, "p[i]");
  assert_row (t, 2, LS_OP_DEFINE_GLOBAL, "q (data0)");
  assert_row (t, 2, LS_OP_LOAD, "b[i]");
  assert_row (t, 2, LS_OP_STORE, "q[i]");
  g_assert_nonnull (strstr (first->source, "data1[i]"));
  g_assert_cmpstr (first->source, ==, second->source);
  g_autoptr (GPtrArray) list = ls_kernel_list (t, second);
  g_autofree char *place = ls_bound_place (ls_trace_names (t, 2), list->pdata[0]);
  g_assert_cmpstr (place, ==, "q (data0) is bound at test.py:4");
  assert_row (t, 3, LS_OP_STORE, "m[i]");
  assert_row (t, 4, LS_OP_STORE, "i·data0[i*2+j]");      /* a loop has that name */
  assert_row (t, 4, LS_OP_DEFINE_GLOBAL, "i (data0)");
}

static void
test_lanes (void)
{
  static const struct { const char *text; guint n_of, n; gint64 lanes[32]; } cases[] = {
    { "lane 3", 4, 1, { 3 } }, { "lane 0, 4 times", 2, 4, { 0, 0, 0, 0 } }, { "lanes 4…7", 8, 4, { 4, 5, 6, 7 } },
    { "every 2nd of 8", 8, 4, { 0, 2, 4, 6 } }, { "every 3rd of 8", 8, 3, { 0, 3, 6 } }, { "every 4th of 16", 16, 4, { 0, 4, 8, 12 } },
    { "lanes 1, 3 … 7", 8, 4, { 1, 3, 5, 7 } }, { "lanes 0, 2 … 4", 8, 3, { 0, 2, 4 } },
    { "each of 4, 2 times", 4, 8, { 0, 0, 1, 1, 2, 2, 3, 3 } }, { "lanes 0…3, 2 times", 4, 8, { 0, 1, 2, 3, 0, 1, 2, 3 } },
    { "lanes 2…3, each 2 times", 4, 4, { 2, 2, 3, 3 } }, { "each of 2, 2 times, all of it 2 times", 2, 8, { 0, 0, 1, 1, 0, 0, 1, 1 } },
    { "3,1,2,0", 4, 4, { 3, 1, 2, 0 } }, { "0,0,1", 2, 3, { 0, 0, 1 } }, { "-1,5000", 4, 2, { -1, 5000 } },
    { "7,6,5,4,3,2,1,0,…", 9, 9, { 7, 6, 5, 4, 3, 2, 1, 0, 8 } },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GString) text = g_string_new (NULL);
    ls_short_lanes (text, cases[i].n, cases[i].lanes, cases[i].n_of, FALSE);
    g_assert_cmpstr (text->str, ==, cases[i].text);
  }
}

static LsUOp *
range (LsContext *ctx, gint64 axis, LsAxisType type, gint64 part, gint64 size)
{
  gint64 arg[3] = { axis, type, part };
  return ls_uop_new1 (ctx, LS_OP_RANGE, LS_INDEX, ls_uop_const_i (ctx, LS_INDEX, size), ls_arg_ints (ctx, 3, arg));
}

#define assert_name(names, u, text) G_STMT_START { \
    g_autofree char *name_ = ls_name_of_loop (names, u); g_assert_cmpstr (name_, ==, text); } G_STMT_END

static void
test_letters (void)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  LsUOp *nodes[] = {
    range (ctx, 0, LS_AXIS_LOOP, 0, 8), range (ctx, 0, LS_AXIS_UPCAST, 1, 4),      /* split */
    range (ctx, 1, LS_AXIS_UPCAST, 1, 4),                                          /* taken whole */
    range (ctx, 2, LS_AXIS_REDUCE, 0, 8), range (ctx, 2, LS_AXIS_GROUP, 1, 8),     /* in two stages */
    ls_uop_new0 (ctx, LS_OP_DEFINE_VAR, LS_INT32, ls_arg_var (ctx, "x16", 0, 9, 0)),
    ls_uop_new0 (ctx, LS_OP_DEFINE_VAR, LS_INT32, ls_arg_var (ctx, "k_2", 0, 9, 1)),
  };
  g_autoptr (LsNames) names = ls_names_new (G_N_ELEMENTS (nodes), nodes);
  assert_name (names, nodes[0], "i");
  assert_name (names, nodes[1], "i_1");
  assert_name (names, nodes[2], "j");
  assert_name (names, range (ctx, 1, LS_AXIS_LOOP, 0, 4), "j");
  assert_name (names, nodes[3], "m");      /* k_2 would be a part of k */
  assert_name (names, nodes[4], "m_1");
  assert_name (names, range (ctx, 2, LS_AXIS_REDUCE, LS_PART_AGAIN + 1, 8), "n");      /* over what the items put together */
  assert_name (names, range (ctx, 0, LS_AXIS_LOOP, LS_PART_TILE, 8), "p");             /* they fill a tile */
  assert_name (names, range (ctx, 1, LS_AXIS_LOOP, LS_PART_TILE - 1, 8), "q");
  assert_name (names, range (ctx, 14, LS_AXIS_LOOP, 0, 2), "z");
  assert_name (names, range (ctx, 15, LS_AXIS_LOOP, 0, 2), "x17");
  assert_name (NULL, range (ctx, 15, LS_AXIS_LOOP, 0, 2), "z");
  assert_name (NULL, range (ctx, 16, LS_AXIS_LOOP, 3, 2), "x16_3");
  LsUOp *item = ls_uop_new1 (ctx, LS_OP_SPECIAL, LS_INT32, ls_uop_const_i (ctx, LS_INT32, 8), ls_arg_str (ctx, "gidx0"));
  assert_name (names, item, "gidx0");
  ls_names_add_alias (names, item, nodes[0]);
  ls_names_add_text (names, item, "gidx0");
  assert_name (names, item, "i");
  g_autofree char *label = ls_label_of_loop (names, item), *text = ls_text_of_loop (names, item);
  g_assert_cmpstr (label, ==, "i·gidx0");
  g_assert_cmpstr (text, ==, "i·gidx0:8 global");
}

/* In Metal ranges are work items. */
static void
test_items (void)
{
  g_autofree char *matmul = g_build_filename (g_getenv ("LAZYSCOPE_PROGRAMS"), "matmul.py", NULL);
  static const char *const settings[] = { "profile=default", "profile=classic", "profile=modern" };
  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    check_program (matmul, settings[i], "metal", FALSE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/names/letters", test_letters);
  g_test_add_func ("/names/taken", test_taken);
  g_test_add_func ("/names/launches", test_launches);
  g_test_add_func ("/names/lanes", test_lanes);
  g_test_add_func ("/names/items", test_items);
  g_test_add_data_func ("/names/default", "profile=default", test_equal);
  g_test_add_data_func ("/names/classic", "profile=classic", test_equal);
  g_test_add_data_func ("/names/modern", "profile=modern", test_equal);
  return g_test_run ();
}
