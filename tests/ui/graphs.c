/* Graphs made by hand. See graphs.h. */
#include "graphs.h"

void
fixture_set_up (Fixture *f, gconstpointer unused)
{
  f->ctx = ls_context_new ();
  f->trace = ls_trace_new (f->ctx);
}

void
fixture_tear_down (Fixture *f, gconstpointer unused)
{
  ls_trace_unref (f->trace);
  ls_context_unref (f->ctx);
}

LsUOp *
make_global (LsContext *c, int n)
{
  return ls_uop_new0 (c, LS_OP_DEFINE_GLOBAL, ls_dtype_ptr (LS_FLOAT, LS_SPACE_GLOBAL, 4096), ls_arg_int (n));
}

LsUOp *
make_index (LsContext *c, gint64 i)
{
  return ls_uop_const_i (c, LS_INDEX, i);
}

LsUOp *
make_range (LsContext *c, gint64 axis, gint64 size)
{
  gint64 ints[3] = { axis, 0, 0 };
  return ls_uop_new1 (c, LS_OP_RANGE, LS_INDEX, make_index (c, size), ls_arg_ints (c, 3, ints));
}

LsUOp *
make_load (LsContext *c, LsUOp *buffer, LsUOp *index)
{
  LsUOp *at = ls_uop_new2 (c, LS_OP_INDEX, buffer->dtype, buffer, index, ls_arg_none ());
  return ls_uop_new1 (c, LS_OP_LOAD, LS_FLOAT, at, ls_arg_none ());
}

LsUOp *
make_store (LsContext *c, LsUOp *buffer, LsUOp *index, LsUOp *value)
{
  LsUOp *at = ls_uop_new2 (c, LS_OP_INDEX, buffer->dtype, buffer, index, ls_arg_none ());
  LsUOp *s = ls_uop_new2 (c, LS_OP_STORE, LS_VOID, at, value, ls_arg_none ());
  return ls_uop_new1 (c, LS_OP_SINK, LS_VOID, s, ls_arg_none ());
}

LsUOp *
make_mul (LsContext *c, LsUOp *a, LsUOp *b)
{
  return ls_uop_alu2 (c, LS_OP_MUL, a, b);
}

LsUOp *
make_add (LsContext *c, LsUOp *a, LsUOp *b)
{
  return ls_uop_alu2 (c, LS_OP_ADD, a, b);
}

LsUOp *
make_scale (LsContext *c, LsUOp **product)
{
  LsUOp *at = make_add (c, make_mul (c, make_range (c, 0, 64), make_index (c, 64)), make_range (c, 2, 64));
  *product = make_mul (c, make_load (c, make_global (c, 1), at), ls_uop_const_f (c, LS_FLOAT, 4));
  return make_store (c, make_global (c, 0), at, *product);
}

LsGraphDiff *
make_mul_one (Fixture *f, LsUOp **x, LsUOp **gone, LsUOp **user)
{
  LsContext *c = f->ctx;
  LsUOp *i = make_range (c, 0, 64);
  *x = make_load (c, make_global (c, 1), i);
  *gone = make_mul (c, *x, ls_uop_const_f (c, LS_FLOAT, 1));
  LsUOp *was = ls_uop_alu1 (c, LS_OP_SQRT, *gone), *before = make_store (c, make_global (c, 0), i, was);
  *user = ls_uop_alu1 (c, LS_OP_SQRT, *x);
  LsUOp *after = make_store (c, make_global (c, 0), i, *user);
  LsGraphDiff *d = g_new0 (LsGraphDiff, 1);
  d->ref_count = 1;
  d->before = ls_graph_new (c, before);
  d->after = ls_graph_new (c, after);
  d->matched = *gone;
  d->result = *x;
  d->nodes = g_array_new (FALSE, FALSE, sizeof (LsDiffNode));
  g_autoptr (GPtrArray) order = ls_uop_toposort (c, after);
  for (guint k = 0; k < order->len; k++) {
    LsUOp *u = order->pdata[k];
    LsUOp *former = u == *user ? was : u == after ? before : u == after->src[0] ? before->src[0] : u;
    LsDiffNode n = { u, former, former == u ? LS_DIFF_SAME : LS_DIFF_CHANGED, former != u };
    g_array_append_val (d->nodes, n);
  }
  LsDiffNode removed[2] = { { (*gone)->src[1], (*gone)->src[1], LS_DIFF_REMOVED, FALSE }, { *gone, *gone, LS_DIFF_REMOVED, FALSE } };
  g_array_append_vals (d->nodes, removed, 2);
  return d;
}

LsUOp *
make_large (LsContext *c, guint n)
{
  GPtrArray *pool = g_ptr_array_new ();
  GRand *rand = g_rand_new_with_seed (7);
  for (guint i = 0; i < 8; i++)
    g_ptr_array_add (pool, make_load (c, make_global (c, (int) i), make_range (c, i, 64)));
  for (guint i = 0; i < n; i++) {
    guint last = pool->len, from = last > 60 ? last - 60 : 0;
    LsUOp *a = pool->pdata[g_rand_int_range (rand, (gint32) from, (gint32) last)],
          *b = pool->pdata[g_rand_int_range (rand, (gint32) from, (gint32) last)];
    g_ptr_array_add (pool, i % 2 ? make_add (c, a, b) : make_mul (c, a, b));
  }
  LsUOp *sink = ls_uop_new (c, LS_OP_SINK, LS_VOID, pool->len, (LsUOp *const *) pool->pdata, ls_arg_none ());
  g_rand_free (rand);
  g_ptr_array_unref (pool);
  return sink;
}

LsLayoutInput *
make_layout_input (guint n, guint fan)
{
  LsLayoutInput *in = ls_layout_input_new (n, n > 1 ? (n - 1) * fan : 0);
  GRand *rand = g_rand_new_with_seed (n);
  guint e = 0;
  for (guint v = 0; v < n; v++) {
    in->width[v] = (float) g_rand_int_range (rand, 60, 221);
    for (guint k = 0; v && k < fan; k++) {
      in->from[e] = (guint32) g_rand_int_range (rand, (gint32) (v > 80 ? v - 80 : 0), (gint32) v);
      in->to[e++] = v;
    }
  }
  g_rand_free (rand);
  return in;
}
