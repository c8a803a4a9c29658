/* Assignments: every kind of view is written to, readers of the old node have the old value, aliases see the new one, and the recording
 * is true. */
#include "ask/ask.h"
#include "fixture.h"
#include "tensors.h"

#include <math.h>
#include <string.h>


typedef struct { LsSession *session; LsTensors *t; LsContext *ctx; } Fixture;

static void
setup (Fixture *f, gconstpointer data)
{
  f->session = fixture_session (&(FixtureRun) { .settings = "SPEC=2", .compiler = data });
  f->t = ls_tensors_new (ls_session_tensor_host (f->session));
  f->ctx = f->session->ctx;
}

static void
teardown (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = ls_tensors_take_error (f->t);
  g_assert_no_error (error);
  ls_session_finish (f->session);
  LsVerify *v = ls_trace_verify (f->session->trace);      /* nodes have no program line here: there is no program */
  for (guint i = 0; i < v->messages->len && v->differences; i++)
    g_test_message ("%s", (char *) v->messages->pdata[i]);
  g_assert_cmpuint (v->differences + v->replay_failures + v->spec_failures + v->unjudged->len, ==, 0);
  ls_verify_free (v);
  ls_tensors_free (f->t);
  ls_session_free (f->session);
}

static LsUOp *
ints (Fixture *f, guint n, const gint64 *dims)
{
  gint64 size = ls_shape_size ((LsShape) { n, dims });
  g_autofree gint32 *data = g_new (gint32, size + 1);
  for (gint64 i = 0; i < size; i++)
    data[i] = (gint32) i + 1;
  return ls_tensor_host (f->t, LS_INT32, n, dims, data);
}
#define INTS(...) ints (f, G_N_ELEMENTS (((gint64[]) { __VA_ARGS__ })), (gint64[]) { __VA_ARGS__ })

static void
assert_ints (Fixture *f, LsUOp *x, guint n, const gint32 *want)
{
  g_autoptr (GError) error = ls_tensors_take_error (f->t);
  g_assert_no_error (error);
  LsUOp *c = ls_uop_new1 (f->ctx, LS_OP_CONTIGUOUS, x->dtype, x, ls_arg_none ());      /* views are read as they are seen */
  LsBuffer *b = ls_session_data (f->session, c, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (b->n, ==, n);
  for (guint i = 0; i < n; i++)
    if (((gint32 *) b->data)[i] != want[i])
      g_error ("element %u is %d, not %d", i, ((gint32 *) b->data)[i], want[i]);
}
#define ASSERT_INTS(x, ...) assert_ints (f, x, G_N_ELEMENTS (((gint32[]) { __VA_ARGS__ })), (gint32[]) { __VA_ARGS__ })
#define PAIRS(...) ((gint64[]) { __VA_ARGS__ })

/* The target's memory afterwards, for a tensor that was x. */
static LsUOp *
assign (Fixture *f, LsUOp *x, LsUOp *target, LsUOp *value)
{
  LsUOp *base, *now, *after = ls_tensor_assign (f->t, target, value, &base, &now);
  g_assert_nonnull (after);
  return base ? ls_tensor_after (f->t, x, base, now) : x == target ? after : x;
}

static LsUOp *
plus (Fixture *f, LsUOp *x, gint64 n)
{
  return tensor_add (f->t, N (x), I (n));
}

static void
test_whole (Fixture *f, gconstpointer data)
{
  LsUOp *x = INTS (2, 2), *before = plus (f, x, 100), *view = ls_tensor_permute (f->t, x, 2, PAIRS (1, 0)), *base, *now;
  LsUOp *y = ls_tensor_assign (f->t, x, plus (f, x, 1), &base, &now);
  g_assert_true (base && ls_tensor_is_memory (base) && ls_tensor_is_memory (now));
  ASSERT_INTS (y, 2, 3, 4, 5);
  ASSERT_INTS (before, 101, 102, 103, 104);      /* built before, realized afterwards */
  ASSERT_INTS (ls_tensor_after (f->t, view, base, now), 2, 4, 3, 5);      /* an alias */
  g_assert_true (ls_tensor_after (f->t, before, base, now) == before);
  /* twice, and onto itself */
  LsUOp *z = assign (f, y, y, plus (f, y, 1));
  z = assign (f, z, z, plus (f, z, 1));
  ASSERT_INTS (z, 4, 5, 6, 7);
  g_assert_true (ls_tensor_assign (f->t, z, z, NULL, NULL) == z);
  /* across: a reads b and b reads a */
  LsUOp *a = INTS (3), *b = plus (f, INTS (3), 10);
  g_assert_true (ls_session_realize (f->session, 1, &b, NULL));
  LsUOp *both[] = { assign (f, a, a, tensor_add (f->t, N (a), N (b))), assign (f, b, b, plus (f, a, 9)) };
  g_assert_true (ls_session_realize (f->session, 2, both, NULL));
  ASSERT_INTS (both[0], 12, 14, 16);
  ASSERT_INTS (both[1], 10, 11, 12);
}

static void
test_views (Fixture *f, gconstpointer data)
{
  LsUOp *x = INTS (6), *part = ls_tensor_shrink (f->t, x, 2, PAIRS (1, 4));
  ASSERT_INTS (assign (f, x, part, tensor_full_like (f->t, part, 0)), 1, 0, 0, 0, 5, 6);
  ASSERT_INTS (x, 1, 2, 3, 4, 5, 6);
  /* a[1:] = a[:-1], and a = a reversed */
  ASSERT_INTS (assign (f, x, ls_tensor_shrink (f->t, x, 2, PAIRS (1, 6)), ls_tensor_shrink (f->t, x, 2, PAIRS (0, 5))), 1, 1, 2, 3, 4, 5);
  ASSERT_INTS (assign (f, x, x, ls_tensor_flip (f->t, x, 1, PAIRS (0))), 6, 5, 4, 3, 2, 1);
  ASSERT_INTS (assign (f, x, ls_tensor_flip (f->t, x, 1, PAIRS (0)), plus (f, x, 0)), 6, 5, 4, 3, 2, 1);
  /* a column of a matrix turned over, reversed */
  LsUOp *m = INTS (3, 4), *t = ls_tensor_flip (f->t, ls_tensor_permute (f->t, m, 2, PAIRS (1, 0)), 1, PAIRS (1));
  LsUOp *row = ls_tensor_reshape (f->t, ls_tensor_shrink (f->t, t, 4, PAIRS (2, 3, 0, 3)), 1, PAIRS (3));
  ASSERT_INTS (assign (f, m, row, tensor_mul (f->t, N (row), I (-1))), 1, 2, -3, 4, 5, 6, -7, 8, 9, 10, -11, 12);
  /* a window under another shape */
  LsUOp *window = ls_tensor_reshape (f->t, ls_tensor_shrink (f->t, m, 4, PAIRS (1, 3, 1, 3)), 1, PAIRS (4));
  LsUOp *after = assign (f, m, window, ls_tensor_host (f->t, LS_INT32, 1, PAIRS (4), (gint32[]) { 0, 1, 2, 3 }));
  ASSERT_INTS (after, 1, 2, 3, 4, 5, 0, 1, 8, 9, 2, 3, 12);
  /* views of views, one after the other */
  LsUOp *v = x;
  for (guint i = 0; i < 6; i++) {
    LsUOp *one = ls_tensor_shrink (f->t, v, 2, PAIRS (i, i + 1));
    v = assign (f, v, one, plus (f, one, 10));
  }
  ASSERT_INTS (v, 11, 12, 13, 14, 15, 16);
  /* nothing */
  LsUOp *none = ls_tensor_shrink (f->t, x, 2, PAIRS (2, 2));
  g_assert_true (assign (f, x, none, plus (f, none, 1)) == x);
}

/* A tensor without memory gets some if a part is written, and needs none if all is. */
static void
test_unrealized (Fixture *f, gconstpointer data)
{
  LsUOp *x = plus (f, INTS (4), 1), *zeros = tensor_full (f->t, 1, PAIRS (4), 0, LS_INT32), *base, *now;
  ASSERT_INTS (assign (f, x, ls_tensor_shrink (f->t, x, 2, PAIRS (0, 2)), ls_tensor_shrink (f->t, x, 2, PAIRS (2, 4))), 4, 5, 4, 5);
  LsUOp *y = ls_tensor_assign (f->t, zeros, plus (f, zeros, 1), &base, &now);
  g_assert_true (!base && !now);
  guint kernels = f->session->trace->kernels->len;
  ASSERT_INTS (y, 1, 1, 1, 1);
  g_assert_cmpuint (f->session->trace->kernels->len, ==, kernels + 1);
  ASSERT_INTS (zeros, 0, 0, 0, 0);
  /* equal computations are one node, but two tensors: a write to one does not change the other */
  LsUOp *a = ls_tensor_contiguous (f->t, zeros), *b = ls_tensor_contiguous (f->t, zeros);
  g_assert_true (ls_session_realize (f->session, 1, &a, NULL));
  LsUOp *c = ls_tensor_assign (f->t, a, plus (f, a, 5), &base, &now);
  g_assert_true (base && !ls_tensor_is_memory (base));
  ASSERT_INTS (c, 5, 5, 5, 5);
  ASSERT_INTS (b, 0, 0, 0, 0);
  /* empty memory, written to */
  kernels = f->session->trace->kernels->len;
  LsUOp *e = ls_tensor_empty (f->t, LS_INT32, 2, PAIRS (2, 2));
  g_assert_true (ls_session_realize (f->session, 1, &e, NULL) && ls_session_data (f->session, e, NULL));
  g_assert_cmpuint (f->session->trace->kernels->len, ==, kernels);
  ASSERT_INTS (assign (f, e, e, INTS (2, 2)), 1, 2, 3, 4);
}

/* The kernel of an assignment is one like others, with its decision. */
static void
test_schedule (Fixture *f, gconstpointer data)
{
  LsUOp *x = INTS (2, 3);
  LsUOp *y = assign (f, x, ls_tensor_shrink (f->t, x, 4, PAIRS (0, 2, 0, 1)), tensor_sum (f->t, x, 1, TRUE));
  guint kernels = f->session->trace->kernels->len, n = 0;
  g_assert_true (ls_session_realize (f->session, 1, &y, NULL));
  g_assert_cmpuint (f->session->trace->kernels->len, <=, kernels + 2);
  for (guint i = 0; i < f->session->trace->decisions->len; i++) {
    const LsDecision *d = &g_array_index (f->session->trace->decisions, LsDecision, i);
    n += d->realized && g_str_equal (d->reason, "assigned") && ls_context_node (f->ctx, d->node)->op == LS_OP_ASSIGN;
  }
  g_assert_cmpuint (n, ==, 1);
  ASSERT_INTS (y, 6, 2, 3, 15, 5, 6);
  LsBuffer *b = ls_session_data (f->session, y, NULL);
  g_assert_cmpint (((gint32 *) b->data)[3], ==, 15);
}

/* The gradient of the written part goes to the value, that of the rest to the old contents. */
static void
test_gradient (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  gint64 four = 4, two = 2;
  LsUOp *x = ls_tensor_host (f->t, LS_FLOAT, 1, &four, (float[]) { 1, 2, 3, 4 }),
        *v = ls_tensor_host (f->t, LS_FLOAT, 1, &two, (float[]) { 5, 6 });
  LsUOp *m = tensor_mul (f->t, N (x), N (x)), *base, *now, *out[2], *wrt[] = { x, v };
  ls_tensor_assign (f->t, ls_tensor_shrink (f->t, m, 2, PAIRS (1, 3)), tensor_mul (f->t, N (v), N (v)), &base, &now);
  LsUOp *y = ls_tensor_after (f->t, m, base, now);
  g_assert_true (ls_gradient (f->session, y, 2, wrt, tensor_full_like (f->t, y, 1), out, &error));
  g_assert_no_error (error);
  const float *a = (float *) ls_session_data (f->session, out[0], &error)->data,
              *b = (float *) ls_session_data (f->session, out[1], &error)->data;
  g_assert_no_error (error);
  g_assert_true (a[0] == 2 && a[1] == 0 && a[2] == 0 && a[3] == 8);
  g_assert_true (b[0] == 10 && b[1] == 12);
  LsUOp *z = ls_tensor_assign (f->t, ls_tensor_host (f->t, LS_FLOAT, 1, &two, (float[]) { 0, 0 }), tensor_mul (f->t, N (v), N (v)), NULL,
                               NULL);
  g_assert_true (ls_gradient (f->session, z, 1, &v, tensor_full_like (f->t, z, 1), out, &error));
  b = (float *) ls_session_data (f->session, out[0], &error)->data;
  g_assert_true (b[0] == 10 && b[1] == 12);
}

/* A loop of assignments needs no more memory than its tensors: what nobody can ask for is freed, and the recording has its contents. */
static void
test_collected (Fixture *f, gconstpointer data)
{
  LsUOp *x = INTS (1000), *y = plus (f, x, 5), *old = x;
  guint64 freed = 0;
  g_assert_true (ls_session_realize (f->session, 1, &y, NULL));
  ls_session_keep (f->session, y, y);
  for (guint i = 0; i < 20; i++) {
    x = assign (f, x, x, tensor_add (f->t, N (x), N (y)));
    g_assert_true (ls_session_realize (f->session, 1, &x, NULL));
    freed += ls_session_collect (f->session, 2, (LsUOp *[]) { x, y });
  }
  g_assert_cmpuint (freed, ==, 20 * 4000);
  gint32 *now = (gint32 *) ls_session_data (f->session, x, NULL)->data, *five = (gint32 *) ls_session_data (f->session, y, NULL)->data;
  for (gint32 i = 0; i < 1000; i++)
    g_assert_true (now[i] == i + 1 + 20 * (i + 6) && five[i] == i + 6);
  /* a computed tensor can be recomputed; y's source is gone, but y is not */
  LsUOp *z = tensor_mul (f->t, N (y), N (y));
  ls_session_data (f->session, z, NULL);
  g_assert_cmpuint (ls_session_collect (f->session, 1, &y), >, 0);
  g_assert_cmpint (((gint32 *) ls_session_data (f->session, z, NULL)->data)[1], ==, 49);
  g_assert_cmpuint (ls_session_collect (f->session, 0, NULL), >, 0);
  g_autoptr (GError) error = NULL;
  g_assert_null (ls_session_data (f->session, old, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_INTERNAL);
}

static void
test_wrong (Fixture *f, gconstpointer data)
{
  LsUOp *x = INTS (4), *y = INTS (3), *z = ls_tensor_cast (f->t, x, LS_FLOAT);
  g_autoptr (GError) shape = NULL, dtype = NULL;
  g_assert_null (ls_tensor_assign (f->t, x, y, NULL, NULL));
  shape = ls_tensors_take_error (f->t);
  g_assert_cmpstr (shape->message, ==, "assign: a value of shape (3,) does not fit a target of shape (4,)");
  g_assert_null (ls_tensor_assign (f->t, x, z, NULL, NULL));
  dtype = ls_tensors_take_error (f->t);
  g_assert_cmpstr (dtype->message, ==, "assign: a value of float does not fit a target of int");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define TEST(name) g_test_add ("/assign/" #name, Fixture, "interp", setup, test_##name, teardown); \
                   g_test_add ("/assign/tcc/" #name, Fixture, "tcc", setup, test_##name, teardown)
  TEST (whole);
  TEST (views);
  TEST (unrealized);
  TEST (schedule);
  TEST (gradient);
  TEST (collected);
  TEST (wrong);
  return g_test_run ();
}
