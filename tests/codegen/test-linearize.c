/* The order of instructions: dependencies, nesting, where things stand, independence of history, errors. */
#include <string.h>

#include "kernels.h"

/* Sources first (an accumulator's loops excepted), loops nested, RANGEs read only inside of their loop, PHIs only after it. */
static void
check_order (GPtrArray *list)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL), closed = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) open = g_ptr_array_new ();
  for (guint i = 0; i < list->len; i++) {
    LsUOp *u = list->pdata[i];
    for (guint s = 0; s < u->n_src; s++) {
      LsUOp *source = u->src[s];
      if (u->op == LS_OP_DEFINE_ACC && s > 0) {
        g_assert_false (g_hash_table_contains (seen, source));
        continue;
      }
      g_assert_true (g_hash_table_contains (seen, source));
      if (source->op == LS_OP_RANGE)
        g_assert_true (g_ptr_array_find (open, source, NULL));
      if (source->op == LS_OP_PHI)
        for (guint k = 2; k < source->n_src; k++)
          g_assert_true (g_hash_table_contains (closed, source->src[k]));
    }
    g_assert_true (g_hash_table_add (seen, u));
    if (u->op == LS_OP_RANGE)
      g_ptr_array_add (open, u);
    if (u->op == LS_OP_ENDRANGE) {
      g_assert_true (open->pdata[open->len - 1] == u->src[0]);
      g_ptr_array_set_size (open, (int) open->len - 1);
      g_hash_table_add (closed, u->src[0]);
    }
  }
  g_assert_cmpuint (open->len, ==, 0);
}

static GPtrArray *
linearize_as (LsContext *ctx, LsUOp *sink, gboolean modern)
{
  LsSettings settings = { .MODERN = modern };
  g_autoptr (GError) error = NULL;
  GPtrArray *list = ls_linearize (ctx, sink, &settings, &error);
  g_assert_no_error (error);
  check_order (list);
  return list;
}

static GPtrArray *
linearize (LsContext *ctx, LsUOp *sink)
{
  return linearize_as (ctx, sink, FALSE);
}

static int
place (GPtrArray *list, const LsUOp *u)
{
  for (guint i = 0; i < list->len; i++)
    if (list->pdata[i] == u)
      return (int) i;
  return -1;
}

/* Number of loops around a node. */
static int
depth_of (GPtrArray *list, const LsUOp *u)
{
  int depth = 0, at = place (list, u);
  g_assert_cmpint (at, >=, 0);
  for (int i = 0; i < at; i++) {
    LsOp op = ((LsUOp *) list->pdata[i])->op;
    depth += (op == LS_OP_RANGE) - (op == LS_OP_ENDRANGE);
  }
  return depth;
}

static LsUOp *
sum_over (LsContext *ctx, int number, LsUOp *value, LsUOp *range)
{
  LsUOp *acc = k_acc (ctx, number, ls_uop_const_f (ctx, value->dtype, 0), range);
  return k_phi (ctx, acc, k_add (ctx, acc, value), range);
}

/* Loads by buffer, each behind its index arithmetic; arithmetic; stores. */
static void
test_block (void)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  LsUOp *i = k_range (ctx, 0, LS_AXIS_LOOP, 8), *a = k_global (ctx, 1, LS_FLOAT, 16), *b = k_global (ctx, 2, LS_FLOAT, 16), *stores[2];
  LsUOp *late = k_add (ctx, i, k_int (ctx, 8));
  LsUOp *b0 = k_load (ctx, b, i), *a0 = k_load (ctx, a, i), *b1 = k_load (ctx, b, late), *a1 = k_load (ctx, a, late);
  stores[0] = k_store (ctx, k_global (ctx, 0, LS_FLOAT, 16), i, k_mul (ctx, b0, a0));
  stores[1] = k_store (ctx, k_global (ctx, 0, LS_FLOAT, 16), late, k_mul (ctx, b1, a1));
  g_autoptr (GPtrArray) list = linearize (ctx, k_sink (ctx, 2, stores));
  int order[] = { place (list, a0), place (list, late), place (list, a1), place (list, b0), place (list, b1),
                  place (list, stores[0]->src[1]),
                  place (list, stores[1]->src[1]), place (list, stores[0]), place (list, stores[1]) };
  for (guint k = 1; k < G_N_ELEMENTS (order); k++)
    g_assert_cmpint (order[k - 1], <, order[k]);
  g_assert_cmpint (place (list, a1->src[0]), ==, place (list, a1) - 1);
  for (guint k = 0; k < 3; k++)
    g_assert_cmpint (((LsUOp *) list->pdata[k])->arg.i, ==, k);
}

/* Each node in the innermost loop that it depends on, no deeper. */
static void
test_invariants (void)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  LsUOp *i = k_range (ctx, 0, LS_AXIS_LOOP, 4), *j = k_range (ctx, 1, LS_AXIS_LOOP, 4), *k = k_range (ctx, 2, LS_AXIS_REDUCE, 4);
  LsUOp *in = k_global (ctx, 1, LS_FLOAT, 64), *row = k_mul (ctx, i, k_int (ctx, 4)), *free_load = k_load (ctx, in, k_int (ctx, 3));
  LsUOp *row_load = k_load (ctx, in, row), *deep = k_load (ctx, in, k_add (ctx, k_add (ctx, row, j), k));
  LsUOp *sum = sum_over (ctx, 0, k_mul (ctx, deep, row_load), k);
  LsUOp *store = k_store (ctx, k_global (ctx, 0, LS_FLOAT, 16), k_add (ctx, row, j), k_mul (ctx, sum, free_load));
  g_autoptr (GPtrArray) list = linearize (ctx, k_sink (ctx, 1, &store));
  g_assert_cmpint (depth_of (list, free_load), ==, 0);
  g_assert_cmpint (depth_of (list, row_load), ==, 1);
  g_assert_cmpint (depth_of (list, sum->src[0]), ==, 2);
  g_assert_cmpint (depth_of (list, deep), ==, 3);
  g_assert_cmpint (depth_of (list, sum), ==, 3);
  g_assert_cmpint (depth_of (list, store), ==, 2);
  g_assert_cmpint (place (list, i), <, place (list, j));
  g_assert_cmpint (place (list, sum->src[0]), ==, place (list, k) - 1);
}

/* sum over y of (max over x): x nests inside of y although its axis number is smaller; and a sum of sums one after the other. */
static void
test_nested_reduces (void)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  LsUOp *x = k_range (ctx, 1, LS_AXIS_REDUCE, 4), *y = k_range (ctx, 2, LS_AXIS_REDUCE, 5), *in = k_global (ctx, 1, LS_FLOAT, 20);
  LsUOp *inner = sum_over (ctx, 0, k_load (ctx, in, k_add (ctx, k_mul (ctx, y, k_int (ctx, 4)), x)), x);
  LsUOp *outer = sum_over (ctx, 1, ls_uop_alu1 (ctx, LS_OP_SQRT, inner), y);
  LsUOp *z = k_range (ctx, 3, LS_AXIS_REDUCE, 6), *w = k_range (ctx, 4, LS_AXIS_LOOP, 7);
  LsUOp *after = sum_over (ctx, 2, k_mul (ctx, k_load (ctx, in, z), outer), z);
  LsUOp *store = k_store (ctx, k_global (ctx, 0, LS_FLOAT, 7), w, after);
  g_autoptr (GPtrArray) list = linearize (ctx, k_sink (ctx, 1, &store));
  g_assert_cmpint (depth_of (list, y), ==, 0);
  g_assert_cmpint (depth_of (list, x), ==, 1);
  g_assert_cmpint (depth_of (list, z), ==, 0);
  g_assert_cmpint (depth_of (list, w), ==, 0);
  g_assert_cmpint (place (list, y), <, place (list, z));
  g_assert_cmpint (place (list, z), <, place (list, w));
  g_assert_cmpint (depth_of (list, inner->src[0]), ==, 1);
}

/* Two accumulators in one loop; one needs an outer axis that the other does not. */
static void
test_shared_loop (void)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  LsUOp *i = k_range (ctx, 0, LS_AXIS_LOOP, 4), *k = k_range (ctx, 1, LS_AXIS_REDUCE, 5), *in = k_global (ctx, 2, LS_FLOAT, 20), *stores[2];
  LsUOp *every = sum_over (ctx, 0, k_load (ctx, in, k_add (ctx, k_mul (ctx, i, k_int (ctx, 5)), k)), k);
  LsUOp *first = sum_over (ctx, 1, k_load (ctx, in, k), k);
  stores[0] = k_store (ctx, k_global (ctx, 0, LS_FLOAT, 4), i, every);
  stores[1] = k_store (ctx, k_global (ctx, 1, LS_FLOAT, 1), k_int (ctx, 0), first);
  g_autoptr (GPtrArray) list = linearize (ctx, k_sink (ctx, 2, stores));
  g_assert_cmpint (depth_of (list, stores[1]), ==, 1);
  g_assert_cmpint (depth_of (list, k), ==, 1);
}

/* A reduce over two ranges: one PHI at the end of the innermost loop. */
static void
test_two_ranges (void)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  LsUOp *x = k_range (ctx, 0, LS_AXIS_REDUCE, 4), *y = k_range (ctx, 1, LS_AXIS_REDUCE, 5), *zero = ls_uop_const_f (ctx, LS_FLOAT, 0);
  LsUOp *sources[3] = { zero, x, y };
  LsUOp *acc = ls_uop_new (ctx, LS_OP_DEFINE_ACC, LS_FLOAT, 3, sources, ls_arg_int (0));
  LsUOp *values[4] = { acc, k_add (ctx, acc, k_load (ctx, k_global (ctx, 1, LS_FLOAT, 20), k_add (ctx, k_mul (ctx, x, k_int (ctx, 5)), y))),
                       x, y };
  LsUOp *phi = ls_uop_new (ctx, LS_OP_PHI, LS_FLOAT, 4, values, ls_arg_none ());
  LsUOp *store = k_store (ctx, k_global (ctx, 0, LS_FLOAT, 1), k_int (ctx, 0), phi);
  g_autoptr (GPtrArray) list = linearize (ctx, k_sink (ctx, 1, &store));
  g_assert_cmpint (place (list, acc), ==, place (list, x) - 1);
  g_assert_cmpint (depth_of (list, phi), ==, 2);
  g_assert_cmpint (((LsUOp *) list->pdata[place (list, phi) + 1])->op, ==, LS_OP_ENDRANGE);
  g_assert_cmpint (depth_of (list, store), ==, 0);
}

/* The order is one of structure: a context in which the nodes were made in another order gives the same listing. */
static char *
listing_of (gboolean backwards, gboolean modern)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  LsUOp *parts[40], *stores[8];
  for (int n = 0; n < 40; n++) {
    int k = backwards ? 39 - n : n;
    LsUOp *i = k_range (ctx, k % 3, LS_AXIS_LOOP, 3 + k % 3), *x = k_range (ctx, 3 + k % 2, LS_AXIS_REDUCE, 4);
    LsUOp *load = k_load (ctx, k_global (ctx, 8 + k % 4, LS_FLOAT, 100), k_add (ctx, k_mul (ctx, i, k_int (ctx, k)), x));
    parts[k] = sum_over (ctx, k, load, x);
  }
  for (int n = 0; n < 8; n++) {
    int k = backwards ? 7 - n : n;
    LsUOp *value = parts[5 * k];
    for (int p = 1; p < 5; p++)
      value = k_mul (ctx, value, parts[5 * k + p]);
    LsUOp *index = k_range (ctx, 0, LS_AXIS_LOOP, 3);
    for (int a = 1; a < 3; a++)
      index = k_add (ctx, index, k_mul (ctx, k_range (ctx, a, LS_AXIS_LOOP, 3 + a), k_int (ctx, a * 10)));
    stores[k] = k_store (ctx, k_global (ctx, k, LS_FLOAT, 100), index, value);
  }
  g_autoptr (GPtrArray) list = linearize_as (ctx, k_sink (ctx, 8, stores), modern);
  return ls_listing_print (ctx, list->len, (LsUOp *const *) list->pdata, LS_STYLE_OPS);
}

static void
test_history (void)
{
  for (guint modern = 0; modern < 2; modern++) {
    g_autofree char *a = listing_of (FALSE, modern), *b = listing_of (TRUE, modern);
    g_assert_cmpstr (a, ==, b);
  }
}

/* A sum of rows in a register: nodes in fewer loops come first, loads before arithmetic, and the register is stored to before its loop,
 * in it, and read after it. */
static void
test_registers (void)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  LsUOp *i = k_range (ctx, 0, LS_AXIS_LOOP, 3), *k = k_range (ctx, 1, LS_AXIS_REDUCE, 4), *in = k_global (ctx, 1, LS_FLOAT, 12),
        *out = k_global (ctx, 0, LS_FLOAT, 3);
  gint64 number = 0;
  LsUOp *reg = ls_uop_new0 (ctx, LS_OP_DEFINE_REG, ls_dtype_ptr (LS_FLOAT, LS_SPACE_REG, 1), ls_arg_ints (ctx, 1, &number)),
        *p = k_index (ctx, reg, k_int (ctx, 0));
  LsUOp *around = ls_uop_new1 (ctx, LS_OP_NOOP, LS_VOID, i, ls_arg_none ());
  LsUOp *start = ls_uop_new3 (ctx, LS_OP_STORE, LS_VOID, p, ls_uop_const_f (ctx, LS_FLOAT, 0), around, ls_arg_none ());
  LsUOp *now = ls_uop_new3 (ctx, LS_OP_LOAD, LS_FLOAT, p, start, k, ls_arg_none ());
  LsUOp *x = k_load (ctx, in, k_add (ctx, k_mul (ctx, i, k_int (ctx, 4)), k));
  LsUOp *next = ls_uop_new3 (ctx, LS_OP_STORE, LS_VOID, p, k_add (ctx, now, x), k, ls_arg_none ());
  LsUOp *sum = ls_uop_new2 (ctx, LS_OP_LOAD, LS_FLOAT, p, next, ls_arg_none ());
  LsUOp *store = k_store (ctx, out, i, sum);
  /* a graph with registers goes by blocks whatever the profile is */
  g_autoptr (GPtrArray) list = linearize (ctx, k_sink (ctx, 1, &store));
  static const LsOp order[] = { LS_OP_DEFINE_GLOBAL, LS_OP_DEFINE_GLOBAL, LS_OP_DEFINE_REG, LS_OP_CONST, LS_OP_CONST, LS_OP_CONST,
                                LS_OP_CONST, LS_OP_INDEX, LS_OP_RANGE, LS_OP_NOOP, LS_OP_STORE,
                                LS_OP_MUL, LS_OP_RANGE, LS_OP_LOAD, LS_OP_ADD, LS_OP_INDEX, LS_OP_LOAD, LS_OP_ADD, LS_OP_STORE,
                                LS_OP_ENDRANGE, LS_OP_LOAD, LS_OP_INDEX, LS_OP_STORE,
                                LS_OP_ENDRANGE, LS_OP_SINK };
  g_assert_cmpuint (list->len, ==, G_N_ELEMENTS (order));
  for (guint r = 0; r < list->len; r++)
    g_assert_cmpstr (ls_op_name (((LsUOp *) list->pdata[r])->op), ==, ls_op_name (order[r]));
}

static void
expect_error (LsContext *ctx, LsUOp *store, const char *part)
{
  LsSettings settings = { 0 };
  g_autoptr (GError) error = NULL;
  g_assert_null (ls_linearize (ctx, k_sink (ctx, 1, &store), &settings, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_SPEC);
  if (!strstr (error->message, part))
    g_error ("“%s” lacks “%s”", error->message, part);
}

static void
test_errors (void)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  LsUOp *k = k_range (ctx, 0, LS_AXIS_REDUCE, 4), *in = k_global (ctx, 1, LS_FLOAT, 4), *out = k_global (ctx, 0, LS_FLOAT, 4);
  LsUOp *sum = sum_over (ctx, 0, k_load (ctx, in, k), k);
  expect_error (ctx, k_store (ctx, out, k, sum), "inside of its own loop");      /* each element, and their sum, over one range */
  LsUOp *twice = sum_over (ctx, 1, k_mul (ctx, k_load (ctx, in, k), sum), k);
  expect_error (ctx, k_store (ctx, out, k_int (ctx, 0), twice), "own loop");
  /* x needs y's loop around it, and y needs x's. */
  LsUOp *x = k_range (ctx, 1, LS_AXIS_REDUCE, 4), *y = k_range (ctx, 2, LS_AXIS_REDUCE, 4);
  LsUOp *over_x = sum_over (ctx, 2, k_load (ctx, in, k_add (ctx, x, y)), x),
        *over_y = sum_over (ctx, 3, k_load (ctx, in, k_add (ctx, x, y)), y);
  LsUOp *both = k_add (ctx, sum_over (ctx, 4, over_x, y), sum_over (ctx, 5, over_y, x));
  expect_error (ctx, k_store (ctx, out, k_int (ctx, 0), both), "circle");
}

static void
test_large (void)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  LsUOp *i = k_range (ctx, 0, LS_AXIS_LOOP, 4), *sum = k_load (ctx, k_global (ctx, 1, LS_FLOAT, 4), i);
  for (int k = 0; k < 100000; k++)
    sum = k_add (ctx, sum, ls_uop_const_f (ctx, LS_FLOAT, k));
  LsUOp *store = k_store (ctx, k_global (ctx, 0, LS_FLOAT, 4), i, sum);
  for (guint modern = 0; modern < 2; modern++) {
    gint64 start = g_get_monotonic_time ();
    g_autoptr (GPtrArray) list = linearize_as (ctx, k_sink (ctx, 1, &store), modern);
    g_assert_cmpint (g_get_monotonic_time () - start, <, 10 * G_USEC_PER_SEC);
    g_assert_cmpuint (list->len, >=, 100000);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/linearize/block", test_block);
  g_test_add_func ("/linearize/invariants", test_invariants);
  g_test_add_func ("/linearize/nested-reduces", test_nested_reduces);
  g_test_add_func ("/linearize/shared-loop", test_shared_loop);
  g_test_add_func ("/linearize/two-ranges", test_two_ranges);
  g_test_add_func ("/linearize/history", test_history);
  g_test_add_func ("/linearize/registers", test_registers);
  g_test_add_func ("/linearize/errors", test_errors);
  g_test_add_func ("/linearize/large", test_large);
  return g_test_run ();
}
