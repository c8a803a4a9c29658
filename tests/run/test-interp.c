/* The interpreter on lists built by hand: loops, accumulators, vectors, gates, work items with barriers, and lists that are wrong.
 * Row by row each list does the same. */
#include <string.h>

#include "run/run.h"
#include "run/execution.h"
#include "run/fault.h"

typedef struct {
  LsContext *ctx;
  LsRunner  *runner;
  GPtrArray *list;
  LsBuffer  *buffers[4];
  guint      n_buffers;
  LsExecution *execution;         /* of the last run */
} Fixture;

static void
setup (Fixture *f, gconstpointer unused)
{
  f->ctx = ls_context_new ();
  f->runner = ls_runner_new ();
  f->list = g_ptr_array_new ();
  f->n_buffers = 0;
}

static void
teardown (Fixture *f, gconstpointer unused)
{
  ls_execution_free (f->execution);
  g_ptr_array_unref (f->list);
  ls_runner_free (f->runner);
  ls_context_unref (f->ctx);
}

static LsUOp *
add (Fixture *f, LsUOp *u)
{
  g_ptr_array_add (f->list, u);
  return u;
}

static LsUOp *
uop (Fixture *f, LsOp op, LsDType dtype, LsArg arg, guint n, ...)
{
  LsUOp *src[4];
  va_list sources;
  va_start (sources, n);
  for (guint k = 0; k < n; k++)
    src[k] = va_arg (sources, LsUOp *);
  va_end (sources);
  return add (f, ls_uop_new (f->ctx, op, dtype, n, src, arg));
}

static LsUOp *num  (Fixture *f, LsDType dtype, gint64 i) { return add (f, ls_uop_const_i (f->ctx, dtype, i)); }
static LsUOp *real (Fixture *f, LsDType dtype, double v) { return add (f, ls_uop_const_f (f->ctx, dtype, v)); }

/* A buffer and its DEFINE_GLOBAL; floats count up from 1. */
static LsUOp *
buffer (Fixture *f, LsDType dtype, guint n)
{
  guint number = f->n_buffers++;
  f->buffers[number] = ls_runner_buffer_new (f->runner, number, dtype, n, NULL);
  for (guint k = 0; k < n; k++)
    if (dtype == LS_FLOAT && number > 0)
      ((float *) (gpointer) f->buffers[number]->data)[k] = (float) (k + 1);
  return uop (f, LS_OP_DEFINE_GLOBAL, ls_dtype_ptr (dtype, LS_SPACE_GLOBAL, n), ls_arg_int (number), 0);
}

static LsUOp *
range (Fixture *f, gint64 size, gint64 axis)
{
  gint64 ints[] = { axis, LS_AXIS_LOOP };
  return uop (f, LS_OP_RANGE, LS_INT32, ls_arg_ints (f->ctx, 2, ints), 1, num (f, LS_INT32, size));
}

static LsUOp *end    (Fixture *f, LsUOp *r) { return uop (f, LS_OP_ENDRANGE, LS_VOID, ls_arg_none (), 1, r); }
static LsUOp *at     (Fixture *f, LsUOp *b, LsUOp *i) { return uop (f, LS_OP_INDEX, b->dtype, ls_arg_none (), 2, b, i); }
static LsUOp *load   (Fixture *f, LsUOp *p) { return uop (f, LS_OP_LOAD, ls_dtype_deref (p->dtype), ls_arg_none (), 1, p); }
static LsUOp *store  (Fixture *f, LsUOp *p, LsUOp *v) { return uop (f, LS_OP_STORE, LS_VOID, ls_arg_none (), 2, p, v); }
static LsUOp *alu    (Fixture *f, LsOp op, LsUOp *a, LsUOp *b) { return add (f, ls_uop_alu2 (f->ctx, op, a, b)); }
static float  result (Fixture *f, guint k) { return ((float *) (gpointer) f->buffers[0]->data)[k]; }

/* Runs the list, row by row first: both leave the same in the buffers. */
static void
run (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  guint8 *kept[4];
  for (guint k = 0; k < f->n_buffers; k++)
    kept[k] = g_memdup2 (f->buffers[k]->data, MAX (f->buffers[k]->nbytes, 1));
  ls_execution_free (f->execution);
  f->execution = ls_execution_run (f->list->len, (LsUOp **) f->list->pdata, f->n_buffers, f->buffers, 1, LS_EXECUTION_MOST_ROWS, &error);
  g_assert_no_error (error);
  g_assert_no_error (f->execution->error);
  g_assert_true (f->execution->ended);
  for (guint k = 0; k < f->n_buffers; k++) {
    guint8 *after = g_memdup2 (f->buffers[k]->data, MAX (f->buffers[k]->nbytes, 1));
    memcpy (f->buffers[k]->data, kept[k], f->buffers[k]->nbytes);
    g_free (kept[k]);
    kept[k] = after;
  }
  gboolean ok = ls_interp_run (f->list->len, (LsUOp **) f->list->pdata, f->n_buffers, f->buffers, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (ok);
  for (guint k = 0; k < f->n_buffers; k++) {
    g_assert_cmpmem (f->buffers[k]->data, f->buffers[k]->nbytes, kept[k], f->buffers[k]->nbytes);
    g_free (kept[k]);
  }
}

/* The nth row (from 0) of the last run that executed that node. */
static const LsExecutedRow *
executed (Fixture *f, LsUOp *u, guint nth)
{
  for (guint i = 0; i < f->execution->rows->len; i++) {
    const LsExecutedRow *row = &g_array_index (f->execution->rows, LsExecutedRow, i);
    if (f->list->pdata[row->place] == u && nth-- == 0)
      return row;
  }
  g_error ("node %u was not executed that often", u->id);
}

static const LsCell *
cell (Fixture *f, const LsExecutedRow *row)
{
  return &g_array_index (f->execution->cells, LsCell, row->first_cell);
}

static float
lane (Fixture *f, guint first, guint k)
{
  return (float) g_array_index (f->execution->values, LsScalar, first + k).f;
}

static void
fails (Fixture *f, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_assert_false (ls_interp_run (f->list->len, (LsUOp **) f->list->pdata, f->n_buffers, f->buffers, NULL, &error));
  g_assert_true (error->domain == LS_FAULT || g_error_matches (error, LS_ERROR, LS_ERROR_RUN));
  if (strstr (error->message, text) == NULL)
    g_error ("\"%s\" does not contain \"%s\"", error->message, text);
}

static void
test_loop (Fixture *f, gconstpointer unused)
{
  LsUOp *o = buffer (f, LS_FLOAT, 10), *a = buffer (f, LS_FLOAT, 10);
  LsUOp *i = range (f, 10, 0), *x = load (f, at (f, a, i));
  store (f, at (f, o, i), alu (f, LS_OP_MUL, x, x));
  end (f, i);
  run (f);
  for (guint k = 0; k < 10; k++)
    g_assert_cmpfloat (result (f, k), ==, (float) ((k + 1) * (k + 1)));
}

/* A range of no turns runs nothing. */
static void
test_empty_loop (Fixture *f, gconstpointer unused)
{
  LsUOp *o = buffer (f, LS_FLOAT, 0);
  LsUOp *i = range (f, 0, 0);
  store (f, at (f, o, i), real (f, LS_FLOAT, 1));
  end (f, i);
  run (f);
}

/* out[i] = sum over j of a[4*i+j]; the accumulator starts afresh for each i wherever it is defined. */
static void
sum_rows (Fixture *f, guint define_at)
{
  LsUOp *o = buffer (f, LS_FLOAT, 3), *a = buffer (f, LS_FLOAT, 12);
  LsUOp *zero = real (f, LS_FLOAT, 0), *four = num (f, LS_INT32, 4), *three = num (f, LS_INT32, 3);
  gint64 ints[2][2] = { { 0, LS_AXIS_LOOP }, { 1, LS_AXIS_REDUCE } };
  LsUOp *i = ls_uop_new1 (f->ctx, LS_OP_RANGE, LS_INT32, three, ls_arg_ints (f->ctx, 2, ints[0]));
  LsUOp *j = ls_uop_new1 (f->ctx, LS_OP_RANGE, LS_INT32, four, ls_arg_ints (f->ctx, 2, ints[1]));
  LsUOp *acc = ls_uop_new2 (f->ctx, LS_OP_DEFINE_ACC, LS_FLOAT, zero, j, ls_arg_int (0));
  LsUOp *head[] = { i, j };
  for (guint k = 0; k < 3; k++) {
    if (k == define_at)
      add (f, acc);
    if (k < 2)
      add (f, head[k]);
  }
  LsUOp *x = load (f, at (f, a, alu (f, LS_OP_ADD, alu (f, LS_OP_MUL, i, four), j)));
  LsUOp *phi = uop (f, LS_OP_PHI, LS_FLOAT, ls_arg_none (), 3, acc, alu (f, LS_OP_ADD, acc, x), j);
  end (f, j);
  store (f, at (f, o, i), phi);
  end (f, i);
  run (f);
  g_assert_cmpfloat (result (f, 0), ==, 10);
  g_assert_cmpfloat (result (f, 1), ==, 26);
  g_assert_cmpfloat (result (f, 2), ==, 42);
}

static void test_acc_first  (Fixture *f, gconstpointer unused) { sum_rows (f, 0); }
static void test_acc_middle (Fixture *f, gconstpointer unused) { sum_rows (f, 1); }
static void test_acc_last   (Fixture *f, gconstpointer unused) { sum_rows (f, 2); }

static void
test_vector (Fixture *f, gconstpointer unused)
{
  LsDType float4 = ls_dtype_vec (LS_FLOAT, 4);
  LsUOp *o = buffer (f, LS_FLOAT, 8), *a = buffer (f, LS_FLOAT, 8);
  LsUOp *i = range (f, 2, 0), *four = num (f, LS_INT32, 4), *index = alu (f, LS_OP_MUL, i, four);
  LsDType pointer = ls_dtype_ptr (float4, LS_SPACE_GLOBAL, 2);
  LsUOp *from = uop (f, LS_OP_CAST, pointer, ls_arg_none (), 1, at (f, a, index));
  LsUOp *to = uop (f, LS_OP_CAST, pointer, ls_arg_none (), 1, at (f, o, index));
  LsUOp *x = uop (f, LS_OP_LOAD, float4, ls_arg_none (), 1, from);
  gint64 lanes[] = { 3, 2 };
  LsUOp *low = uop (f, LS_OP_GEP, LS_FLOAT, ls_arg_int (0), 1, x);
  LsUOp *pair = uop (f, LS_OP_GEP, ls_dtype_vec (LS_FLOAT, 2), ls_arg_ints (f->ctx, 2, lanes), 1, x);
  LsUOp *last = uop (f, LS_OP_GEP, LS_FLOAT, ls_arg_int (1), 1, pair);
  LsUOp *y = uop (f, LS_OP_VECTORIZE, float4, ls_arg_none (), 4, low, last, low, last);
  store (f, to, alu (f, LS_OP_ADD, y, x));
  end (f, i);
  run (f);
  const LsExecutedRow *second = executed (f, x, 1);
  g_assert_cmpuint (second->lanes, ==, 4);
  g_assert_cmpuint (second->n_cells, ==, 4);
  g_assert_cmpint (cell (f, second)->element, ==, 4);
  for (guint k = 0; k < 4; k++)
    g_assert_cmpfloat (lane (f, second->first_value, k), ==, (float) (k + 5));
  const float expected[] = { 2, 5, 4, 7, 10, 13, 12, 15 };      /* {1,3,1,3} + {1,2,3,4} */
  for (guint k = 0; k < 8; k++)
    g_assert_cmpfloat (result (f, k), ==, expected[k]);
}

/* A vector accumulator that gathers a[3-lane] and a[lane] of each iteration's eight: an INDEX by a vector is an address per lane, and so
 * is the STORE's. */
static void
test_lanes (Fixture *f, gconstpointer unused)
{
  LsUOp *o = buffer (f, LS_FLOAT, 8), *a = buffer (f, LS_FLOAT, 8);
  LsDType float2 = ls_dtype_vec (LS_FLOAT, 2), int2 = ls_dtype_vec (LS_INT32, 2), pointers = ls_dtype_vec (a->dtype, 2);
  gint64 ints[] = { 0, LS_AXIS_REDUCE }, from[] = { 3, 0 }, to[] = { 6, 1 }, limits[] = { 8, 5 };
  LsUOp *zero = real (f, LS_FLOAT, 0), *i = ls_uop_new1 (f->ctx, LS_OP_RANGE, LS_INT32, num (f, LS_INT32, 4),
                                                         ls_arg_ints (f->ctx, 2, ints));
  LsUOp *start = uop (f, LS_OP_VECTORIZE, float2, ls_arg_none (), 2, zero, zero);
  LsUOp *acc = uop (f, LS_OP_DEFINE_ACC, float2, ls_arg_int (0), 2, start, i);
  add (f, i);
  LsUOp *first = uop (f, LS_OP_VCONST, int2, ls_arg_ints (f->ctx, 2, from), 0),
        *limit = uop (f, LS_OP_VCONST, int2, ls_arg_ints (f->ctx, 2, limits), 0);
  LsUOp *index = alu (f, LS_OP_ADD, uop (f, LS_OP_VECTORIZE, int2, ls_arg_none (), 2, i, i), first),
        *open = alu (f, LS_OP_CMPLT, index, limit);
  LsUOp *x = uop (f, LS_OP_LOAD, float2, ls_arg_none (), 2, uop (f, LS_OP_INDEX, pointers, ls_arg_none (), 3, a, index, open),
                  real (f, LS_FLOAT, 100));
  LsUOp *phi = uop (f, LS_OP_PHI, float2, ls_arg_none (), 3, acc, alu (f, LS_OP_ADD, acc, x), i);
  end (f, i);
  LsUOp *put = store (f, uop (f, LS_OP_INDEX, pointers, ls_arg_none (), 2, o, uop (f, LS_OP_VCONST, int2, ls_arg_ints (f->ctx, 2, to), 0)),
                      phi);
  run (f);
  g_assert_cmpfloat (result (f, 6), ==, 4 + 5 + 6 + 7);
  g_assert_cmpfloat (result (f, 1), ==, 1 + 2 + 3 + 4);
  const LsExecutedRow *row = executed (f, put, 0);
  g_assert_cmpuint (row->n_cells, ==, 2);
  g_assert_cmpint (cell (f, row)[0].element, ==, 6);
  g_assert_cmpint (cell (f, row)[1].element, ==, 1);
}

/* out[i] = i < 3 ? a[i] : 9, and the store only where i > 0. */
static void
test_gate (Fixture *f, gconstpointer unused)
{
  LsUOp *o = buffer (f, LS_FLOAT, 5), *a = buffer (f, LS_FLOAT, 3);
  LsUOp *i = range (f, 5, 0);
  LsUOp *open = alu (f, LS_OP_CMPLT, i, num (f, LS_INT32, 3)), *write = alu (f, LS_OP_CMPLT, num (f, LS_INT32, 0), i);
  LsUOp *from = uop (f, LS_OP_INDEX, a->dtype, ls_arg_none (), 3, a, i, open);
  LsUOp *x = uop (f, LS_OP_LOAD, LS_FLOAT, ls_arg_none (), 2, from, real (f, LS_FLOAT, 9));
  LsUOp *put = store (f, uop (f, LS_OP_INDEX, o->dtype, ls_arg_none (), 3, o, i, write), x);
  end (f, i);
  run (f);
  g_assert_true (executed (f, x, 2)->memory == LS_ROW_READ);
  g_assert_true (executed (f, x, 3)->memory == LS_ROW_GATED);
  g_assert_cmpfloat (lane (f, executed (f, x, 3)->first_value, 0), ==, 9);
  g_assert_true (executed (f, put, 0)->memory == LS_ROW_GATED);
  g_assert_true (executed (f, put, 1)->memory == LS_ROW_WRITTEN);
  const float expected[] = { 0, 2, 3, 9, 9 };
  for (guint k = 0; k < 5; k++)
    g_assert_cmpfloat (result (f, k), ==, expected[k]);
}

static void
test_if (Fixture *f, gconstpointer unused)
{
  LsUOp *o = buffer (f, LS_FLOAT, 4);
  LsUOp *i = range (f, 4, 0);
  LsUOp *odd = uop (f, LS_OP_IF, LS_VOID, ls_arg_none (), 1, alu (f, LS_OP_CMPNE, alu (f, LS_OP_MOD, i, num (f, LS_INT32, 2)),
                                                                  num (f, LS_INT32, 0)));
  store (f, at (f, o, i), real (f, LS_FLOAT, 1));
  uop (f, LS_OP_ENDIF, LS_VOID, ls_arg_none (), 1, odd);
  end (f, i);
  run (f);
  for (guint k = 0; k < 4; k++)
    g_assert_cmpfloat (result (f, k), ==, (float) (k % 2));
}

/* Each group of four items turns its part round through local memory. */
static void
test_barrier (Fixture *f, gconstpointer unused)
{
  LsUOp *o = buffer (f, LS_FLOAT, 12), *a = buffer (f, LS_FLOAT, 12);
  LsUOp *four = num (f, LS_INT32, 4), *three = num (f, LS_INT32, 3);
  LsUOp *local = uop (f, LS_OP_DEFINE_LOCAL, ls_dtype_ptr (LS_FLOAT, LS_SPACE_LOCAL, 4), ls_arg_str (f->ctx, "temp"), 0);
  LsUOp *g = uop (f, LS_OP_SPECIAL, LS_INT32, ls_arg_str (f->ctx, "gidx0"), 1, three);
  LsUOp *l = uop (f, LS_OP_SPECIAL, LS_INT32, ls_arg_str (f->ctx, "lidx0"), 1, four);
  LsUOp *index = alu (f, LS_OP_ADD, alu (f, LS_OP_MUL, g, four), l);
  LsUOp *put = store (f, at (f, local, l), load (f, at (f, a, index)));
  LsUOp *barrier = uop (f, LS_OP_BARRIER, LS_VOID, ls_arg_none (), 1, put), *turned = load (f, at (f, local, alu (f, LS_OP_SUB, three, l)));
  store (f, at (f, o, index), turned);
  run (f);
  /* all four items of a group put before the first of them goes on behind the barrier */
  g_assert_cmpuint (executed (f, put, 3)->step, <, executed (f, turned, 0)->step);
  g_assert_cmpuint (executed (f, barrier, 3)->step, <, executed (f, turned, 0)->step);
  g_assert_cmpuint (executed (f, turned, 3)->step, <, executed (f, put, 4)->step);
  const LsExecutedRow *fifth = executed (f, put, 5);      /* of group 1, item 1 */
  g_assert_true (fifth->is_local);
  g_assert_cmpint (cell (f, fifth)->element, ==, 1);
  g_assert_cmpuint (fifth->n_turns, ==, 2);
  for (guint k = 0; k < 2; k++)
    g_assert_cmpint (g_array_index (f->execution->turns, LsLoopTurn, fifth->first_turn + k).value, ==, 1);
  for (guint k = 0; k < 12; k++)
    g_assert_cmpfloat (result (f, k), ==, (float) (k / 4 * 4 + 3 - k % 4 + 1));
}

static void
test_out_of_bounds (Fixture *f, gconstpointer unused)
{
  LsUOp *o = buffer (f, LS_FLOAT, 4);
  LsUOp *i = range (f, 5, 0);
  store (f, at (f, o, i), real (f, LS_FLOAT, 1));
  end (f, i);
  fails (f, "(STORE): 1 element at index 4 of buffer 0, which has 4");
  g_assert_cmpfloat (result (f, 3), ==, 1);
}

static void
test_negative_index (Fixture *f, gconstpointer unused)
{
  LsUOp *o = buffer (f, LS_FLOAT, 4);
  store (f, at (f, o, num (f, LS_INT32, -1)), load (f, at (f, o, num (f, LS_INT32, 0))));
  fails (f, "at index -1 of buffer 0");
}

/* The last element exists, but not the three after it. */
static void
test_vector_bounds (Fixture *f, gconstpointer unused)
{
  LsUOp *o = buffer (f, LS_FLOAT, 4);
  LsDType float4 = ls_dtype_vec (LS_FLOAT, 4);
  LsUOp *p = uop (f, LS_OP_CAST, ls_dtype_ptr (float4, LS_SPACE_GLOBAL, 1), ls_arg_none (), 1, at (f, o, num (f, LS_INT32, 1)));
  uop (f, LS_OP_LOAD, float4, ls_arg_none (), 1, p);
  fails (f, "(LOAD): 4 elements at index 1 of buffer 0, which has 4");
}

static void
test_no_such_buffer (Fixture *f, gconstpointer unused)
{
  LsUOp *o = uop (f, LS_OP_DEFINE_GLOBAL, ls_dtype_ptr (LS_FLOAT, LS_SPACE_GLOBAL, 4), ls_arg_int (3), 0);
  load (f, at (f, o, num (f, LS_INT32, 0)));
  fails (f, "(LOAD): there is no buffer of that number");
}

static void
test_order (Fixture *f, gconstpointer unused)
{
  LsUOp *a = num (f, LS_INT32, 1), *b = ls_uop_alu1 (f->ctx, LS_OP_NEG, a);
  alu (f, LS_OP_ADD, a, b);
  fails (f, "(ADD): source 1 is not in the list");
}

static void
test_nesting (Fixture *f, gconstpointer unused)
{
  LsUOp *i = range (f, 2, 0), *j = range (f, 2, 1);
  end (f, i);
  end (f, j);
  fails (f, "it does not end the innermost open block");
  g_ptr_array_set_size (f->list, f->list->len - 2);
  fails (f, "it has no end");
}

static void
test_no_meaning (Fixture *f, gconstpointer unused)
{
  uop (f, LS_OP_UNROLL, LS_INT32, ls_arg_none (), 1, num (f, LS_INT32, 1));
  fails (f, "(UNROLL): it is not allowed in a linear list");
}

static void
test_cancel (Fixture *f, gconstpointer unused)
{
  LsUOp *i = range (f, (gint64) 1 << 30, 0);
  end (f, i);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  g_cancellable_cancel (cancellable);
  g_assert_false (ls_interp_run (f->list->len, (LsUOp **) f->list->pdata, 0, NULL, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static void
test_time_limit (Fixture *f, gconstpointer unused)
{
  LsUOp *i = range (f, (gint64) 1 << 30, 0), *j = range (f, (gint64) 1 << 30, 1);
  end (f, j);
  end (f, i);
  LsLaunch what = { .compiler = "interp", .name = "r_4", .n_uops = f->list->len, .uops = (LsUOp **) f->list->pdata, .timeout_ms = 50 };
  LsLaunchResult result;
  g_autoptr (GError) error = NULL;
  g_assert_false (ls_runner_launch (f->runner, &what, &result, &error));
  g_assert_error (error, LS_FAULT, LS_FAULT_TIME);
  g_assert_cmpstr (error->message, ==, "kernel r_4 ran past its limit of 50 ms (--set TIMEOUT_MS=N allows more)");
  ls_launch_result_clear (&result);
}

/* A long loop of ten ops per iteration, timed. */
static void
test_speed (Fixture *f, gconstpointer unused)
{
  const guint n = 200000;
  LsUOp *o = buffer (f, LS_FLOAT, n), *a = buffer (f, LS_FLOAT, n);
  LsUOp *i = range (f, n, 0), *x = load (f, at (f, a, i)), *y = x;
  for (guint k = 0; k < 7; k++)
    y = alu (f, k % 2 ? LS_OP_ADD : LS_OP_MUL, y, x);
  store (f, at (f, o, i), y);
  end (f, i);
  LsLaunch what = { .compiler = "interp", .name = "E", .n_uops = f->list->len, .uops = (LsUOp **) f->list->pdata,
                    .n_buffers = 2, .buffers = f->buffers, .repeats = 3 };
  LsLaunchResult result;
  g_autoptr (GError) error = NULL;
  g_assert_true (ls_runner_launch (f->runner, &what, &result, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (result.n_runs, ==, 3);
  g_assert_null (result.code);
  g_test_message ("%.1f ns an op", (double) result.run_ns[2] / (10.0 * n));
  ls_launch_result_clear (&result);
}

int
main (int argc, char **argv)
{
  static const struct { const char *path; void (*test) (Fixture *, gconstpointer); } tests[] = {
    { "/interp/loop", test_loop }, { "/interp/empty-loop", test_empty_loop }, { "/interp/acc-first", test_acc_first },
    { "/interp/acc-middle", test_acc_middle }, { "/interp/acc-last", test_acc_last }, { "/interp/vector", test_vector },
    { "/interp/lanes", test_lanes },
    { "/interp/gate", test_gate }, { "/interp/if", test_if }, { "/interp/barrier", test_barrier },
    { "/interp/out-of-bounds", test_out_of_bounds }, { "/interp/negative-index", test_negative_index },
    { "/interp/vector-bounds", test_vector_bounds }, { "/interp/no-such-buffer", test_no_such_buffer }, { "/interp/order", test_order },
    { "/interp/nesting", test_nesting }, { "/interp/no-meaning", test_no_meaning }, { "/interp/cancel", test_cancel },
    { "/interp/time-limit", test_time_limit }, { "/interp/speed", test_speed },
  };
  g_test_init (&argc, &argv, NULL);
  for (guint k = 0; k < G_N_ELEMENTS (tests); k++)
    g_test_add (tests[k].path, Fixture, NULL, setup, tests[k].test, teardown);
  return g_test_run ();
}
