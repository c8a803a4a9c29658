/* Bytes and operations of a launch: of the accessed elements, not of all. */
#include "codegen/work.h"
#include "kernels.h"

typedef struct { LsContext *ctx; LsUOp *i, *j, *out, *in; } Fixture;

static LsUOp *num (Fixture *f, gint64 i) { return ls_uop_const_i (f->ctx, LS_INDEX, i); }

static LsUOp *
range (Fixture *f, gint64 axis, gint64 size)
{
  gint64 ints[] = { axis, LS_AXIS_LOOP, 0 };
  return ls_uop_new1 (f->ctx, LS_OP_RANGE, LS_INDEX, num (f, size), ls_arg_ints (f->ctx, 3, ints));
}

/* out[i*8+j] over i < 4 and j < 8; in has 1000 floats. */
static void
setup (Fixture *f, gconstpointer data)
{
  f->ctx = ls_context_new ();
  f->i = range (f, 0, 4);
  f->j = range (f, 1, 8);
  f->out = k_global (f->ctx, 0, LS_FLOAT, 32);
  f->in = k_global (f->ctx, 1, LS_FLOAT, 1000);
}

static void
teardown (Fixture *f, gconstpointer data)
{
  ls_context_unref (f->ctx);
}

static LsUOp *
row_major (Fixture *f)
{
  return k_add (f->ctx, k_mul (f->ctx, f->i, num (f, 8)), f->j);
}

/* Bytes of storing the value at each of the 32 places, less those of the stores themselves. */
static void
reads (Fixture *f, LsUOp *value, double flops, double elements)
{
  double n_flops, n_bytes;
  LsUOp *store = k_store (f->ctx, f->out, row_major (f), value);
  ls_count_work (f->ctx, k_sink (f->ctx, 1, &store), &n_flops, &n_bytes);
  g_assert_cmpfloat (n_flops, ==, flops);
  g_assert_cmpfloat (n_bytes, ==, (32 + elements) * 4);
}

static LsUOp *from (Fixture *f, LsUOp *index) { return k_load (f->ctx, f->in, index); }
static LsUOp *plus (Fixture *f, LsUOp *x, gint64 c) { return k_add (f->ctx, x, num (f, c)); }

static void
test_reads (Fixture *f, gconstpointer data)
{
  LsContext *ctx = f->ctx;
  reads (f, from (f, plus (f, row_major (f), 500)), 0, 32);                                                  /* a slice */
  reads (f, from (f, k_mul (ctx, row_major (f), num (f, 2))), 0, 32);                                    /* every other one */
  reads (f, from (f, f->j), 0, 8);                                                                           /* broadcast along i */
  reads (f, from (f, num (f, 7)), 0, 1);                                                                 /* one for all */
  reads (f, from (f, k_add (ctx, f->i, f->j)), 0, 11);                                                       /* windows that overlap */
  reads (f, k_add (ctx, from (f, f->i), from (f, plus (f, f->i, 4))), 4, 8);                                 /* two slices: 4 additions */
  reads (f, k_mul (ctx, from (f, row_major (f)), from (f, row_major (f))), 32, 32);                          /* twice the same */
  LsUOp *gate = ls_uop_alu2 (ctx, LS_OP_CMPLT, plus (f, row_major (f), 980), num (f, 1000));
  /* elements behind the end do not exist */
  reads (f, k_load_gated (ctx, f->in, plus (f, row_major (f), 980), gate, ls_uop_const_f (ctx, LS_FLOAT, 0)), 0, 20);
}

/* A buffer that is read and written counts twice; many reads of a buffer are at most all of it. */
static void
test_caps (Fixture *f, gconstpointer data)
{
  double flops, bytes;
  LsContext *ctx = f->ctx;
  LsUOp *store = k_store (ctx, f->out, row_major (f), k_load (ctx, f->out, row_major (f)));
  ls_count_work (ctx, k_sink (ctx, 1, &store), &flops, &bytes);
  g_assert_cmpfloat (bytes, ==, 2 * 32 * 4);
  LsUOp *small = k_global (ctx, 2, LS_FLOAT, 16), *sum = k_load (ctx, small, f->i);
  for (gint64 c = 1; c <= 12; c++)
    sum = k_add (ctx, sum, k_load (ctx, small, plus (f, f->i, c)));
  store = k_store (ctx, f->out, row_major (f), sum);
  ls_count_work (ctx, k_sink (ctx, 1, &store), &flops, &bytes);
  g_assert_cmpfloat (bytes, ==, (32 + 16) * 4);
}

/* A reduce is work along its ranges, what uses it is not; no access counts by the ranges of its value. */
static void
test_reduce (Fixture *f, gconstpointer data)
{
  double flops, bytes;
  LsContext *ctx = f->ctx;
  LsUOp *x = from (f, row_major (f)), *sum = ls_uop_new2 (ctx, LS_OP_REDUCE, LS_FLOAT, x, f->j, ls_arg_op_ints (ctx, LS_OP_ADD, 0, NULL));
  LsUOp *store = k_store (ctx, f->out, f->i, k_add (ctx, sum, sum));
  ls_count_work (ctx, k_sink (ctx, 1, &store), &flops, &bytes);
  g_assert_cmpfloat (flops, ==, 32 + 4);
  g_assert_cmpfloat (bytes, ==, (4 + 32) * 4);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/work/reads", Fixture, NULL, setup, test_reads, teardown);
  g_test_add ("/work/caps", Fixture, NULL, setup, test_caps, teardown);
  g_test_add ("/work/reduce", Fixture, NULL, setup, test_reduce, teardown);
  return g_test_run ();
}
