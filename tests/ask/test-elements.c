/* Origins of elements. What an element was computed from is checked by the interpreter of kernels, which knows nothing of it: with NaN or
 * other numbers in all elements that are not listed the result is the same, bit for bit, and in a linear kernel a change of any listed
 * one changes it. From the last numbers the way leads back to the program's. */
#include "fixture.h"
#include "ask/ask.h"
#include "ask/reference.h"

#include <math.h>
#include <string.h>

typedef struct { const char *name, *text; gboolean linear; } Program;

static const Program programs[] = {
  { "add-const", "a = Tensor([1, 2, 3])\nb = a + 2\nprint(b.tolist())\n", TRUE },
  { "softmax", "x = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]])\nprint(x.softmax().tolist())\n" },
  { "two-kernels", "x = Tensor([[0.5, 2.0, 3.0, 1.0], [4.0, 5.0, -7.0, 2.0]]).realize()\ny = (x * 3 + 1).sum(axis=1).realize()\n"
                   "print((x.permute(1, 0) - y).tolist())\n", TRUE },
  { "matmul", "a = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])\nb = Tensor([[1.5, 2.5], [3.5, 4.5], [5.5, 6.5]])\n"
              "print((a @ b).tolist())\n", TRUE },
  { "views", "x = Tensor([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])\ny = x.pad(((1, 2), (0, 1))).flip(0)[1:4, 1:] * 2\n"
             "print(y.tolist())\nprint((x[:, ::2].permute(1, 0) + 1).tolist())\n", TRUE },
  { "padded-sum", "x = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])\nprint((x.pad(((0, 0), (1, 1))) + 0.5).sum(axis=0).tolist())\n", TRUE },
  { "integers", "a = Tensor([[7, -2, 9], [3, 5, 1]])\nb = Tensor([2, 3, 4])\nprint((a * b - b // 2).tolist())\n"
                "print(a.max(axis=1).tolist())\n" },
  { "gather", "x = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]])\nprint(x[Tensor([1, 0, 1])].tolist())\n" },
  { "where", "x = Tensor([1.0, -2.0, 3.0, -4.0])\n"
             "y = Tensor([10.0, 20.0, 30.0, 40.0])\nprint((x > 0).where(x, y).tolist())\n" },
  { "assign", "a = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]).realize()\na[0:1, 1:3] = 9.0\nprint(a.tolist())\n" },
  { "cumulative", "x = Tensor([1.0, 2.0, 4.0, 8.0, 16.0])\nprint(x.cumsum().tolist())\n" },
  { "shared-code", "x = Tensor([[1.0, 2.0], [3.0, 4.0]]).realize()\nfor i in range(2):\n"
                   "  x = (x * 2).realize()\nprint(x.tolist())\n", TRUE },
};

static LsScalar
element_at (const LsReference *r, const LsKernel *k, guint64 element)
{
  g_autoptr (GPtrArray) list = ls_kernel_list (r->trace, k);
  g_autoptr (GBytes) out = NULL;
  g_autoptr (GError) error = NULL;
  const LsEvalBuffer *b = &r->buffers[g_array_index (k->buffers, guint, 0)];
  g_assert_cmpint (ls_reference_run_list ((LsReference *) r, k, list, &out, &error), ==, LS_GRAPH_COMPUTED);
  g_assert_no_error (error);
  return ls_scalar_load (b->dtype, (const guint8 *) g_bytes_get_data (out, NULL) + element * ls_dtype_itemsize (b->dtype));
}

static gboolean
is_listed (const LsElementOrigins *o, guint buffer, guint64 element)
{
  for (guint i = 0; i < o->origins->len; i++) {
    const LsElementOrigin *w = &g_array_index (o->origins, LsElementOrigin, i);
    if (w->buffer == (gint64) buffer && w->element == element)
      return TRUE;
  }
  return FALSE;
}

static void
put (const LsEvalBuffer *b, guint64 element, double value)
{
  LsScalar x = ls_dtype_is_float (b->dtype) ? (LsScalar) { .f = value } : (LsScalar) { .i = (gint64) value };
  ls_scalar_store (b->dtype, b->data + element * ls_dtype_itemsize (b->dtype), x);
}

/* Numbers in place of the elements that are not listed: NaN for floats. An int may be an index: it stays one. */
static guint
spoil (const LsReference *r, const LsKernel *k, const LsElementOrigins *o, guint turn)
{
  guint n = 0;
  for (guint i = 1; i < k->buffers->len; i++) {
    guint id = g_array_index (k->buffers, guint, i);
    const LsEvalBuffer *b = &r->buffers[id];
    for (guint64 e = 0; e < b->n; e++)
      if (!is_listed (o, id, e)) {
        put (b, e, ls_dtype_is_float (b->dtype) && turn == 0 ? NAN : turn == 1 ? 1 : 0);
        n++;
      }
  }
  return n;
}

static void
check_element (LsTrace *t, const LsKernel *k, guint64 element, gboolean linear, guint *n_listed, guint *n_unlisted)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LsElementOrigins) o = ls_element_origins (t, k->number, G_MAXUINT, element, LS_ELEMENT_ORIGINS_MOST, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (o->n, ==, o->origins->len);
  g_assert_null (o->notes);
  LsScalar value = { 0 };
  LsDType dtype = o->dtype;
  for (guint turn = 0; turn < 3; turn++) {
    g_autoptr (LsReference) r = ls_reference_new (t);
    g_assert_true (ls_reference_load (r, k->number, NULL, &error));
    value = turn ? value : element_at (r, k, element);
    *n_unlisted += spoil (r, k, o, turn);
    LsScalar now = element_at (r, k, element);
    g_assert_true (ls_scalar_same (dtype, value, now, LS_EXACT, 0));
  }
  g_autofree char *text = ls_scalar_print (dtype, value);
  g_assert_cmpstr (o->of.value, ==, text);
  for (guint i = 0; i < o->origins->len; i++) {
    const LsElementOrigin *w = &g_array_index (o->origins, LsElementOrigin, i);
    g_assert_cmpuint (w->uses, >, 0);
    g_assert_nonnull (w->value);
    if (w->buffer < 0)
      continue;
    g_autoptr (LsReference) r = ls_reference_new (t);
    g_assert_true (ls_reference_load (r, k->number, NULL, &error));
    const LsEvalBuffer *b = &r->buffers[w->buffer];
    LsScalar x = ls_scalar_load (b->dtype, b->data + w->element * ls_dtype_itemsize (b->dtype));
    g_autofree char *read = ls_scalar_print (b->dtype, x);
    g_assert_cmpstr (read, ==, w->value);
    put (b, w->element, ls_dtype_is_float (b->dtype) ? x.f + 16 : (double) x.i + 16);
    LsScalar now = element_at (r, k, element);
    (*n_listed)++;
    if (linear)
      g_assert_false (ls_scalar_same (dtype, value, now, LS_EXACT, 0));
  }
}

/* Every element of every kernel's result. */
static void
test_program (gconstpointer data)
{
  const Program *p = data;
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = p->text);
  guint n_listed = 0, n_unlisted = 0, n = 0;
  for (guint number = 1; number <= s->trace->kernels->len; number++) {
    const LsKernel *k = ls_trace_kernel (s->trace, number);
    const LsTraceBuffer *b = s->trace->buffers->pdata[g_array_index (k->buffers, guint, 0)];
    for (guint64 e = 0; e < b->n_elements; e++, n++)
      check_element (s->trace, k, e, p->linear, &n_listed, &n_unlisted);
  }
  g_test_message ("%u elements, %u listed, %u others", n, n_listed, n_unlisted / 3);
  g_assert_cmpuint (n, >, 0);
  g_assert_cmpuint (n_listed, >, 0);
  g_assert_cmpuint (n_unlisted, >, 0);
}

/* --- the way back --- */

/* Adds "x[0,1]=2.0 line 2" of each number of the program that an element is made of, kernel by kernel, each once. */
static void
add_data (LsTrace *t, guint kernel, guint64 element, GPtrArray *found)
{
  g_autoptr (LsElementOrigins) o = ls_element_origins (t, kernel, G_MAXUINT, element, LS_ELEMENT_ORIGINS_MOST, NULL);
  g_assert_nonnull (o);
  for (guint i = 0; i < o->origins->len; i++) {
    const LsElementOrigin *w = &g_array_index (o->origins, LsElementOrigin, i);
    if (w->from == LS_ELEMENT_OF_KERNEL) {
      g_assert_cmpuint (w->kernel, <, kernel);
      add_data (t, w->kernel, w->element, found);
      continue;
    }
    g_assert_cmpint (w->from, !=, LS_ELEMENT_OF_UNKNOWN);
    char *text = g_strdup_printf ("%s%s%s%s=%s line %u", w->name ? w->name : "", w->buffer >= 0 ? "[" : "constant", w->at,
                                  w->buffer >= 0 ? "]" : "", w->value, w->line);
    if (g_ptr_array_find_with_equal_func (found, text, g_str_equal, NULL))
      g_free (text);
    else
      g_ptr_array_add (found, text);
  }
}

static void
assert_data (const char *text, guint64 element, const char *expected)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = text, .settings = "FUSE=0");
  g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (g_free);
  add_data (s->trace, s->trace->kernels->len, element, found);
  g_ptr_array_add (found, NULL);
  g_autofree char *all = g_strjoinv (" ", (char **) found->pdata);
  g_assert_cmpstr (all, ==, expected);
}

static void
test_back (void)
{
  assert_data ("a = Tensor([1, 2, 3])\nb = a + 2\nprint(b.tolist())\n", 1, "a[1]=2 line 1 constant=2 line 2");
  assert_data ("x = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]])\ny = x.softmax()\nprint(y.tolist())\n", 4,
               "x[1,1]=5.0 line 1 x[1,0]=4.0 line 1 x[1,2]=7.0 line 1 constant=1.442695 line 2");
  assert_data ("x = Tensor([[1.0, 2.0], [3.0, 4.0]])\nfor i in range(2):\n  x = (x * 2).realize()\nprint(x.tolist())\n", 3,
               "x[1,1]=4.0 line 1 constant=2.0 line 3");
}

/* The tensor's own indices, of a name for a transposed view too. */
static void
test_names (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = "t = (Tensor([[1, 2, 3], [4, 5, 6]]) + 1).permute(1, 0)\nt.realize()\n"
                                                 "print((t * 10).tolist())\n");
  guint64 element;
  guint buffer = G_MAXUINT;
  g_autoptr (GError) error = NULL;
  g_assert_true (ls_element_read (s->trace, 1, "2,1", &buffer, &element, &error));
  g_assert_no_error (error);
  g_autoptr (LsElementOrigins) o = ls_element_origins (s->trace, 1, G_MAXUINT, element, 10, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (o->of.name, ==, "t");
  g_assert_cmpstr (o->of.at, ==, "2,1");
  g_assert_cmpstr (o->of.value, ==, "7");
  const LsElementOrigin *w = &g_array_index (o->origins, LsElementOrigin, 0);
  g_assert_cmpstr (w->value, ==, "6");
  g_assert_cmpstr (w->at, ==, "1,2");      /* data without a name, in its own shape */
  g_assert_cmpuint (w->line, ==, 1);
  static const char *const wrong[] = { "3,0", "0,2", "1", "-1", "1,x", "1,1,1", "", "99999999999999999999" };
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++) {
    gboolean number = g_str_equal (wrong[i], "1");
    g_assert_cmpint (ls_element_read (s->trace, 1, wrong[i], &buffer, &element, &error), ==, number);
    g_assert_true (number || g_error_matches (error, LS_ERROR, LS_ERROR_USAGE));
    g_clear_error (&error);
  }
  g_assert_null (ls_element_origins (s->trace, 1, G_MAXUINT, 6, 10, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_USAGE);
  g_clear_error (&error);
  g_assert_null (ls_element_origins (s->trace, 77, G_MAXUINT, 0, 10, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_USAGE);
}

/* Of a node: the same elements as the kernel's result has; of another one those below it; none where it has no shape. */
static void
test_node (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = "a = Tensor([[1.0, 2.0], [3.0, 5.0]])\nprint(((a + 1).sum(axis=1) * 2).tolist())\n");
  LsTrace *t = s->trace;
  LsPass *pass = ls_trace_pass (t, 1, "ast"), *lower = ls_trace_pass (t, 1, "lower");
  g_autoptr (LsGraph) graph = ls_pass_graph (t, pass, ls_pass_n_rewrites (pass));
  g_autoptr (GError) error = NULL;
  for (guint i = 0; i < graph->nodes->len; i++) {
    const LsUOp *u = graph->nodes->pdata[i];
    if (u->op != LS_OP_REDUCE_AXIS && u->op != LS_OP_LOAD)
      continue;
    g_autoptr (LsElementOrigins) o = ls_node_element_origins (t, pass, ls_pass_n_rewrites (pass), u->id, 1, 100, &error);
    g_assert_no_error (error);
    g_assert_cmpstr (o->of.value, ==, u->op == LS_OP_LOAD ? "2.0" : "10.0");
    g_assert_cmpuint (o->n, ==, u->op == LS_OP_LOAD ? 1 : 3);
    g_assert_cmpstr (g_array_index (o->origins, LsElementOrigin, 0).at, ==, u->op == LS_OP_LOAD ? "0,1" : "1,0");
    g_assert_null (ls_node_element_origins (t, pass, ls_pass_n_rewrites (pass), u->id, 4, 100, &error));
    g_assert_error (error, LS_ERROR, LS_ERROR_USAGE);
    g_clear_error (&error);
  }
  const LsPass *first;
  const LsUOp *stored = ls_kernel_result (t, 1, &first);
  g_assert_true (first == pass);
  g_autoptr (LsElementOrigins) result = ls_node_element_origins (t, pass, 0, stored->id, 1, 100, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (result->of.value, ==, "20.0");
  g_assert_cmpint (result->of.buffer, ==, g_array_index (ls_trace_kernel (t, 1)->buffers, guint, 0));
  g_assert_null (ls_node_element_origins (t, lower, ls_pass_n_rewrites (lower), 4000000, 0, 100, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_USAGE);
  g_clear_error (&error);
  g_autoptr (LsGraph) lowered = ls_pass_graph (t, lower, ls_pass_n_rewrites (lower));
  guint n = 0;
  for (guint i = 0; i < lowered->nodes->len; i++) {
    const LsUOp *u = lowered->nodes->pdata[i];
    if (u->op != LS_OP_LOAD)
      continue;
    g_assert_null (ls_node_element_origins (t, lower, ls_pass_n_rewrites (lower), u->id, 0, 100, &error));
    g_assert_error (error, LS_ERROR, LS_ERROR_USAGE);
    g_clear_error (&error);
    n++;
  }
  g_assert_cmpuint (n, >, 0);
}

/* A long sum is counted whole and listed in part; without contents the elements are still those, and the values are not known. */
static void
test_bounds (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = "x = Tensor([1.0, 2.0]).reshape(2, 1).expand(2, 10000).contiguous().realize()\n"
                                                 "print(x.sum(axis=1).tolist())\nprint(x.expand(2, 10000)[0, 3:5].sum().item())\n");
  LsTrace *t = s->trace;
  g_autoptr (GError) error = NULL;
  g_autoptr (LsElementOrigins) o = ls_element_origins (t, 2, G_MAXUINT, 1, LS_ELEMENT_ORIGINS_MOST, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (o->n, ==, 10000);
  g_assert_cmpuint (o->origins->len, ==, LS_ELEMENT_ORIGINS_MOST);
  g_assert_cmpuint (g_array_index (o->origins, LsElementOrigin, 7).element, ==, 10007);
  g_autoptr (LsElementOrigins) repeated = ls_element_origins (t, 1, G_MAXUINT, 10002, 10, &error);
  g_assert_cmpuint (repeated->n, ==, 1);
  g_assert_cmpuint (g_array_index (repeated->origins, LsElementOrigin, 0).element, ==, 1);
  for (guint i = 0; i < t->buffers->len; i++) {
    LsTraceBuffer *b = t->buffers->pdata[i];
    g_clear_pointer (&b->data, g_free);
    b->n_data = 0;
  }
  g_autoptr (LsElementOrigins) unknown = ls_element_origins (t, 1, G_MAXUINT, 10002, 10, &error);
  g_assert_no_error (error);
  g_assert_nonnull (strstr (unknown->notes, "The values are not all known: "));
  g_assert_null (unknown->of.value);
  g_assert_cmpuint (unknown->n, ==, 1);
  g_assert_null (g_array_index (unknown->origins, LsElementOrigin, 0).value);
  g_assert_null (ls_buffer_values (t, 1, g_array_index (unknown->origins, LsElementOrigin, 0).buffer, 4, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_RUN);
}

/* The contents of a buffer as a kernel read it, although a later one of the same memory has other numbers. */
static void
test_buffer (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = "a = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]])\nprint((a * 2).tolist())\n");
  g_autoptr (GError) error = NULL;
  guint id = g_array_index (ls_trace_kernel (s->trace, 1)->buffers, guint, 1);
  g_autoptr (LsValues) v = ls_buffer_values (s->trace, 1, id, 4, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (v->n, ==, 6);
  g_assert_cmpuint (v->text->len, ==, 4);
  g_assert_cmpstr (v->shape, ==, "(2, 3)");
  g_assert_cmpfloat (v->statistics.max, ==, 7);
  g_assert_cmpuint (v->picture.row_length, ==, 3);
  g_autoptr (LsElementOrigins) o = ls_read_element (s->trace, 1, id, 5, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (o->of.at, ==, "1,2");
  g_assert_cmpstr (o->of.value, ==, "7.0");
  g_assert_cmpuint (o->of.line, ==, 1);
  LsPass *tensor = ls_trace_pass (s->trace, 0, "tensor");      /* of a tensor graph too */
  g_autoptr (LsGraph) graph = ls_pass_graph (s->trace, tensor, 0);
  g_autoptr (LsElementOrigins) of_tensor = ls_node_element_origins (s->trace, tensor, 0, graph->root->src[0]->id, 4, 10, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (of_tensor->of.value, ==, "10.0");
  const LsElementOrigin *w = &g_array_index (of_tensor->origins, LsElementOrigin, 0);
  g_assert_cmpstr (w->name, ==, "a");
  g_autoptr (LsElementOrigins) read = ls_read_element (s->trace, of_tensor->reader, (guint) w->buffer, w->element, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (read->of.value, ==, "5.0");
  g_assert_null (ls_read_element (s->trace, 1, id, 6, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_USAGE);
  g_clear_error (&error);
  g_assert_null (ls_buffer_values (s->trace, 1, 1000, 4, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_USAGE);
}

/* Which numbers of the output are elements: "4" of line 3 as 4:3[1], others as 7:-. What is claimed has the value that was printed. */
static const struct { const char *text, *expected; } printed[] = {
  { "a = Tensor([1, 2, 3])\nprint((a + 2).tolist(), a.tolist())\n", "3:2[0] 4:2[1] 5:2[2] 1:2[0] 2:2[1] 3:2[2]" },
  { "x = (Tensor([1, 2, 3]) + 2).tolist()\nprint('step 7:', 3, x)\n", "7:- 3:- 3:1[0] 4:1[1] 5:1[2]" },
  { "x = Tensor([0.25, -1.5]) * 2\nprint(x.numpy())\nprint(f'{x[0].item():.1f}, {x[1].item():.2e}. {x.sum().item()}')\n",
    "0.5:2[0] -3.:2[1] 0.5:3 -3.00e+00:3 -2.5:3" },
  { "x = Tensor([[1, 2], [3, 4]]) * 1\nprint(x.tolist()[1], x.numpy())\n", "3:- 4:- 1:2[0] 2:2[1] 3:2[2] 4:2[3]" },
  { "x = Tensor([1, 2]) * 3\nprint(f'the sum is {x.sum().item()}.', (x > 4).tolist(), x.cast('float').tolist())\n",
    "9.:2 False:2[0] True:2[1] 3.0:2[0] 6.0:2[1]" },
  /* the same tensor, before and after it was written again */
  { "a = Tensor([1, 2]).realize()\nprint(a.tolist())\na.assign(a * 2).realize()\nprint(a.tolist())\n", "1:2[0] 2:2[1] 2:4[0] 4:4[1]" },
  { "a = (Tensor([1, 2]) + 2).contiguous().realize()\nprint(a.tolist())\na += 2\na.realize()\nprint(a.tolist())\n",
    "3:2[0] 4:2[1] 5:5[0] 6:5[1]" },
  { "a = (Tensor([1, 2, 3]) + 2).contiguous().realize()\nprint(a.tolist())\na[0:2] = 9\na.realize()\nprint(a.tolist())\n",
    "3:2[0] 4:2[1] 5:2[2] 9:5[0] 9:5[1] 5:5[2]" },
  /* a number that is not the tensor's, or no number */
  { "x = Tensor([2, 3]) + 1\nx.tolist()\nprint([3, 5], 'x3 4x 3_4 v3.4', -3, 2)\n", "3:- 5:- -3:- 2:-" },
  { "x = Tensor([2.5]) + 1\nprint(x.item() * 2, 3, float('nan'))\n", "7.0:- 3:- nan:-" },
  { "x = Tensor([0.0, 1.0])\nprint((x / x).tolist(), (1 / x).tolist(), (-1 / x).tolist())\n",
    "nan:2[0] 1.0:2[1] inf:2[0] 1.0:2[1] -inf:2[0] -1.0:2[1]" },
  { "y = 0\nfor i in range(2):\n  x = Tensor([5]) + i\n  print(i, x.item())\n", "0:- 5:4 1:- 6:4" },
  { "print(7)\n", "7:-" },
};

static void
test_printed (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (printed); i++) {
    g_autoptr (LsSession) s = FIXTURE_RUN (.text = printed[i].text);
    g_autoptr (GString) all = g_string_new (NULL);
    g_autoptr (GArray) numbers = ls_printed_numbers (s->trace);
    for (guint k = 0; k < numbers->len; k++) {
      const LsPrinted *p = &g_array_index (numbers, LsPrinted, k);
      g_autoptr (GError) error = NULL;
      g_autofree char *number = g_strndup (s->trace->std_out + p->start, p->end - p->start);
      g_string_append_printf (all, "%s%s:", k ? " " : "", number);
      if (p->output == G_MAXUINT) {
        g_string_append_c (all, '-');
        continue;
      }
      const LsOutput *o = &g_array_index (s->trace->outputs, LsOutput, p->output);
      g_string_append_printf (all, o->n_dims ? "%u[%u]" : "%u", o->line, (guint) p->element);
      g_autoptr (LsElementOrigins) origins = ls_printed_origins (s->trace, p, 8, &error);
      g_assert_no_error (error);
      g_assert_nonnull (origins->of.value);
      if (!ls_dtype_is_bool (origins->dtype) && isfinite (g_ascii_strtod (number, NULL)))
        g_assert_cmpfloat_with_epsilon (g_ascii_strtod (origins->of.value, NULL) - g_ascii_strtod (number, NULL), 0, 0.05);
    }
    g_assert_cmpstr (all->str, ==, printed[i].expected);
  }
}

/* Where variables bound axes, an element was computed from the elements that there were at its launch, and from the variable's value where
 * that is a number of the computation. The same code runs for both values of n. */
static void
test_symbolic (void)
{
  static const struct { guint kernel; guint64 element; const char *expected, *value; } asked[] = {
    { 2, 1, "4*1 t[0,1]=2*1", "6" },      /* the value of n is the input of a kernel */
    { 2, 12, "4*1 t[1,2]=24*1", "28" },      /* elements of memory are numbered by the most that n may be */
    { 2, 9, "", NULL },
    { 3, 1, "t[1,7]=34*1 3*1", "102" },      /* an index that a variable has */
    { 4, 0, "a[0,0]=4*1 a[0,1]=6*1 a[0,2]=8*1 a[0,3]=10*1 a[1,0]=24*1 a[1,1]=26*1 a[1,2]=28*1 a[1,3]=30*1", "136" },
    { 5, 1, "t[1,0]=20*1 t[1,1]=22*1 1*2", "44" },
    { 6, 1, "t[1,0]=20*1 t[1,1]=22*1 t[1,2]=24*1 1*3", "69" },
  };
  g_autoptr (LsSession) s = FIXTURE_RUN (
    .text = "from tinygrad import Tensor, Variable\n"
            "n, i = Variable('n', 1, 10), Variable('i', 0, 9).bind(7)\n"
            "v = n.bind(4)\n"
            "t = (Tensor.arange(20).reshape(2, 10) * 2).contiguous().realize()\n"
            "a = (t[:, :v] + v).contiguous().realize()\n"
            "b = (t[:, i:i+1] * 3).contiguous().realize()\n"
            "c = a.reshape(2*v).sum().realize()\n"
            "d = (t[:, :n.bind(2)] + 1).sum(1).realize()\n"
            "e = (t[:, :n.bind(3)] + 1).sum(1).realize()\n");
  g_assert_cmpuint (s->trace->kernels->len, ==, 6);
  for (gsize i = 0; i < G_N_ELEMENTS (asked); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (GString) all = g_string_new (NULL);
    g_autoptr (LsElementOrigins) o = ls_element_origins (s->trace, asked[i].kernel, G_MAXUINT, asked[i].element, LS_ELEMENT_ORIGINS_MOST,
                                                         &error);
    g_assert_no_error (error);
    for (guint k = 0; k < o->origins->len; k++) {
      const LsElementOrigin *w = &g_array_index (o->origins, LsElementOrigin, k);
      g_string_append_printf (all, "%s%s%s%s%s%s%s*%u", k ? " " : "", w->name ? w->name : "", w->name ? "[" : "", w->name ? w->at : "",
                              w->name ? "]" : "", w->name ? "=" : "", w->value, (guint) w->uses);
    }
    g_assert_cmpstr (all->str, ==, asked[i].expected);
    if (asked[i].value)
      g_assert_cmpstr (o->of.value, ==, asked[i].value);
    g_assert_true (asked[i].value ? !o->notes : strstr (o->notes, "its value is undefined") != NULL);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (programs); i++) {
    g_autofree char *name = g_strdup_printf ("/elements/%s", programs[i].name);
    g_test_add_data_func (name, &programs[i], test_program);
  }
  g_test_add_func ("/elements/back", test_back);
  g_test_add_func ("/elements/names", test_names);
  g_test_add_func ("/elements/node", test_node);
  g_test_add_func ("/elements/bounds", test_bounds);
  g_test_add_func ("/elements/buffer", test_buffer);
  g_test_add_func ("/elements/printed", test_printed);
  g_test_add_func ("/elements/symbolic", test_symbolic);
  return g_test_run ();
}
