/* Shape trackers and shapes: random chains of movement ops against plain arrays, merging, text forms, bounds. */
#include "ir/eval.h"
#include "ir/view.h"

#include <string.h>

/* A tensor of element numbers moved step by step; 0 is padding. */
typedef struct { guint n; gint64 dims[8]; gint64 size; gint64 *v; } Array;

static void
array_clear (Array *a)
{
  g_clear_pointer (&a->v, g_free);
}

static void
array_like (Array *a, guint n, const gint64 *dims)
{
  a->n = n;
  memcpy (a->dims, dims, n * sizeof *dims);
  a->size = ls_shape_size ((LsShape) { n, dims });
  a->v = g_new0 (gint64, a->size + 1);
}

static gint64
flat (const Array *a, const gint64 *index)
{
  gint64 at = 0;
  for (guint i = 0; i < a->n; i++)
    at = at * a->dims[i] + index[i];
  return at;
}

static gboolean
step (const Array *a, gint64 *index)
{
  for (guint i = a->n; i-- > 0;) {
    if (++index[i] < a->dims[i])
      return TRUE;
    index[i] = 0;
  }
  return FALSE;
}

/* The movement done the slow way. */
static Array
move (const Array *x, LsOp op, const gint64 *a, guint n)
{
  Array y;
  gint64 dims[8], index[8] = { 0 }, from[8];
  for (guint i = 0; i < x->n; i++)
    dims[i] = op == LS_OP_PERMUTE ? x->dims[a[i]] : op == LS_OP_PAD ? x->dims[i] + a[2 * i] + a[2 * i + 1] : op == LS_OP_SHRINK
              ? a[2 * i + 1] - a[2 * i] :
              op == LS_OP_EXPAND ? a[i] : x->dims[i];
  if (op == LS_OP_RESHAPE) {
    array_like (&y, n, a);
    memcpy (y.v, x->v, x->size * sizeof *x->v);
    return y;
  }
  array_like (&y, x->n, dims);
  if (y.size == 0)
    return y;
  do {
    gboolean inside = TRUE;
    for (guint i = 0; i < x->n; i++) {
      gint64 k = index[i];
      switch ((int) op) {
      case LS_OP_PERMUTE: from[a[i]] = k; break;
      case LS_OP_EXPAND: from[i] = x->dims[i] == 1 ? 0 : k; break;
      case LS_OP_PAD: from[i] = k - a[2 * i]; inside &= from[i] >= 0 && from[i] < x->dims[i]; break;
      case LS_OP_SHRINK: from[i] = k + a[2 * i]; break;
      default: from[i] = a[i] ? x->dims[i] - 1 - k : k; break;
      }
    }
    y.v[flat (&y, index)] = inside ? x->v[flat (x, from)] : 0;
  } while (step (&y, index));
  return y;
}

/* One random movement: its op and argument. */
static LsOp
random_move (GRand *rand, const Array *x, gint64 *a, guint *n)
{
  static const LsOp ops[] = { LS_OP_RESHAPE, LS_OP_RESHAPE, LS_OP_PERMUTE, LS_OP_EXPAND, LS_OP_PAD, LS_OP_SHRINK, LS_OP_FLIP };
  LsOp op = ops[g_rand_int_range (rand, 0, G_N_ELEMENTS (ops))];
  *n = x->n;
  switch ((int) op) {
  case LS_OP_RESHAPE: {
    gint64 rest = x->size;
    *n = 0;
    while (rest > 1 && *n < 4) {
      gint64 d = g_rand_int_range (rand, 1, 7);
      if (rest % d == 0) {
        a[(*n)++] = d;
        rest /= d;
      }
    }
    if (rest != 1 || *n == 0)
      a[(*n)++] = rest;
    if (x->size == 0)
      a[0] = 0;
    break;
  }
  case LS_OP_PERMUTE:
    for (guint i = 0; i < x->n; i++)
      a[i] = i;
    for (guint i = x->n; i > 1; i--) {
      guint k = (guint) g_rand_int_range (rand, 0, (gint32) i);
      gint64 t = a[i - 1];
      a[i - 1] = a[k];
      a[k] = t;
    }
    break;
  case LS_OP_EXPAND:
    for (guint i = 0; i < x->n; i++)
      a[i] = x->dims[i] == 1 && g_rand_boolean (rand) ? g_rand_int_range (rand, 1, 4) : x->dims[i];
    break;
  case LS_OP_PAD:
    for (guint i = 0; i < 2 * x->n; i++)
      a[i] = g_rand_int_range (rand, 0, 3) == 0 ? g_rand_int_range (rand, 0, 3) : 0;
    *n = 2 * x->n;
    break;
  case LS_OP_SHRINK:
    for (guint i = 0; i < x->n; i++) {
      a[2 * i] = g_rand_int_range (rand, 0, (gint32) x->dims[i] + 1);
      a[2 * i + 1] = g_rand_int_range (rand, (gint32) a[2 * i], (gint32) x->dims[i] + 1);
      if (g_rand_int_range (rand, 0, 3) || a[2 * i] == a[2 * i + 1]) {
        a[2 * i] = 0;
        a[2 * i + 1] = x->dims[i];
      }
    }
    *n = 2 * x->n;
    break;
  default:
    for (guint i = 0; i < x->n; i++)
      a[i] = g_rand_boolean (rand);
    break;
  }
  return op;
}

static void
check_tracker (const LsTracker *t, const Array *x, const char *what)
{
  gint64 index[8] = { 0 }, at;
  LsShape s = ls_tracker_shape (t);
  g_assert_cmpuint (s.n, ==, x->n);
  g_assert_true (memcmp (s.dims, x->dims, x->n * sizeof (gint64)) == 0);
  if (x->size == 0)
    return;
  do {
    gint64 want = x->v[flat (x, index)], got = ls_tracker_index (t, index, &at) ? at + 1 : 0;
    if (want != got) {
      g_autofree char *text = ls_tracker_to_string (t);
      g_error ("%s: %s: element is %" G_GINT64_FORMAT ", should be %" G_GINT64_FORMAT, what, text, got, want);
    }
    g_assert_cmpint (got, <=, ls_tracker_real_size (t));
    /* the rest of the row at once, up to where its line ends */
    gint64 rest = x->n ? x->dims[x->n - 1] - index[x->n - 1] : 1, stride, first = flat (x, index);
    gboolean backed;
    gint64 n = ls_tracker_run (t, index, rest, &backed, &at, &stride);
    g_assert_cmpint (n, >=, 1);
    g_assert_cmpint (n, <=, rest);
    for (gint64 k = 0; k < n; k++)
      g_assert_cmpint (backed ? at + k * stride + 1 : 0, ==, x->v[first + k]);
  } while (step (x, index));
}

/* The value of an index expression with numbers for its axes. */
static gint64
eval_expr (LsContext *ctx, LsUOp *root, guint n, LsUOp *const *axes, const gint64 *index)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root);
  g_autoptr (GHashTable) values = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  LsScalar v = { 0 };
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i];
    LsScalar src[3];
    gboolean is_axis = FALSE;
    for (guint k = 0; k < n; k++)
      if (axes[k] == u) {
        v.i = index[k];
        is_axis = TRUE;
      }
    for (guint k = 0; !is_axis && k < u->n_src && k < 3; k++) {
      LsScalar *p = g_hash_table_lookup (values, u->src[k]);
      src[k] = p ? *p : (LsScalar) { 0 };
    }
    if (!is_axis)
      v = u->op == LS_OP_CONST ? ls_scalar_from_arg (u->dtype, u->arg) : u->n_src ? ls_eval_alu (u->op, u->dtype,
                                                                                                 u->src[u->n_src - 1]->dtype, src) : v;
    g_assert_true (v.i >= u->vmin && v.i <= u->vmax);      /* bounds hold on the way */
    g_hash_table_insert (values, u, g_memdup2 (&v, sizeof v));
  }
  return v.i;
}

static void
check_expr (LsContext *ctx, const LsTracker *t, const Array *x)
{
  LsUOp *axes[8], *index, *valid;
  gint64 at[8] = { 0 };
  if (x->size == 0)
    return;
  for (guint i = 0; i < x->n; i++) {
    gint64 arg[3] = { i, LS_AXIS_LOOP, 0 };
    axes[i] = ls_uop_new1 (ctx, LS_OP_RANGE, LS_INDEX, ls_uop_const_i (ctx, LS_INDEX, x->dims[i]), ls_arg_ints (ctx, 3, arg));
  }
  ls_tracker_expr (ctx, t, axes, &index, &valid);
  do {
    gint64 want = x->v[flat (x, at)];
    gboolean open = !valid || eval_expr (ctx, valid, x->n, axes, at);
    g_assert_cmpint (open, ==, want != 0);
    if (open)
      g_assert_cmpint (eval_expr (ctx, index, x->n, axes, at) + 1, ==, want);
  } while (step (x, at));
}

static void
test_random (gconstpointer data)
{
  gboolean merge = GPOINTER_TO_INT (data);
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);
  guint n_single = 0, n_all = 0;
  for (guint round = 0; round < 6000; round++) {
    g_autoptr (LsContext) ctx = ls_context_new ();
    gint64 dims[3] = { g_rand_int_range (rand, 1, 5), g_rand_int_range (rand, 1, 5), g_rand_int_range (rand, 1, 7) };
    Array x;
    array_like (&x, 3, dims);
    for (gint64 i = 0; i < x.size; i++)
      x.v[i] = i + 1;
    const LsTracker *t = ls_tracker_contiguous (ctx, (LsShape) { 3, dims });
    g_autoptr (GString) what = g_string_new (NULL);
    for (gint k = g_rand_int_range (rand, 1, 6); k > 0; k--) {
      gint64 a[16];
      guint n;
      LsOp op = random_move (rand, &x, a, &n);
      Array y = move (&x, op, a, n);
      if (y.size > 2000 || y.n > 6) {
        array_clear (&y);
        continue;
      }
      array_clear (&x);
      x = y;
      g_autofree char *arg = ls_shape_to_string ((LsShape) { n, a });
      g_string_append_printf (what, "%s%s ", ls_op_name (op), arg);
      t = ls_tracker_movement (ctx, t, op, ls_arg_ints (ctx, n, a), merge);
      check_tracker (t, &x, what->str);
    }
    if (round % 8 == 0)
      check_expr (ctx, t, &x);
    n_all++;
    n_single += t->n_views == 1;
    /* text form */
    g_autoptr (GError) error = NULL;
    g_autofree char *text = ls_tracker_to_string (t);
    g_assert_true (ls_tracker_parse (ctx, text, &error) == t);
    g_assert_no_error (error);
    array_clear (&x);
  }
  g_test_message ("%u of %u chains are one view", n_single, n_all);
  if (merge)
    g_assert_cmpuint (n_single * 10, >, n_all * 6);
}

/* A tracker seen through another one. */
static void
test_compose (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  for (guint round = 0; round < 4000; round++) {
    g_autoptr (LsContext) ctx = ls_context_new ();
    gint64 dims[2] = { 4, 6 };
    Array x;
    array_like (&x, 2, dims);
    for (gint64 i = 0; i < x.size; i++)
      x.v[i] = i + 1;
    const LsTracker *inner = ls_tracker_contiguous (ctx, (LsShape) { 2, dims }), *outer = NULL;
    for (guint k = 0; k < 4; k++) {
      gint64 a[16];
      guint n;
      LsOp op = random_move (rand, &x, a, &n);
      Array y = move (&x, op, a, n);
      if (y.size > 1500 || y.n > 6) {
        array_clear (&y);
        continue;
      }
      if (k < 2) {
        inner = ls_tracker_movement (ctx, inner, op, ls_arg_ints (ctx, n, a), TRUE);
      } else {
        if (!outer)
          outer = ls_tracker_contiguous (ctx, (LsShape) { x.n, x.dims });
        outer = ls_tracker_movement (ctx, outer, op, ls_arg_ints (ctx, n, a), TRUE);
      }
      array_clear (&x);
      x = y;
    }
    if (outer)
      check_tracker (ls_tracker_compose (ctx, inner, outer, TRUE), &x, "compose");
    array_clear (&x);
  }
}

/* As it is shown to be read. */
static void
test_summary (void)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  gint64 d34[] = { 3, 4 }, order[] = { 1, 0 }, pad[] = { 1, 1, 0, 2 }, flat[] = { 12 }, cut[] = { 1, 3, 0, 4 };
  const LsTracker *whole = ls_tracker_contiguous (ctx, (LsShape) { 2, d34 });
  const LsTracker *turned = ls_tracker_movement (ctx, whole, LS_OP_PERMUTE, ls_arg_ints (ctx, 2, order), TRUE);
  const struct { const LsTracker *t; const char *text; } known[] = {
    { whole, "[3,4] strides 4,1" }, { turned, "[4,3] strides 1,4" },
    { ls_tracker_movement (ctx, whole, LS_OP_SHRINK, ls_arg_ints (ctx, 4, cut), TRUE), "[2,4] strides 4,1 offset 4" },
    { ls_tracker_movement (ctx, turned, LS_OP_PAD, ls_arg_ints (ctx, 4, pad), TRUE), "[6,5] strides 1,4 offset -1 mask 1:5,0:3" },
    { ls_tracker_movement (ctx, turned, LS_OP_RESHAPE, ls_arg_ints (ctx, 1, flat), TRUE), "[12] strides 1 over [4,3] strides 1,4" },
    { ls_tracker_contiguous (ctx, (LsShape) { 0, NULL }), "[]" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (known); i++) {
    g_autofree char *text = ls_tracker_summary (known[i].t);
    g_assert_cmpstr (text, ==, known[i].text);
  }
}

static void
test_known (void)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  gint64 d3[] = { 3 }, one[] = { 1 }, d34[] = { 3, 4 }, order[] = { 1, 0 }, pad[] = { 1, 1, 0, 2 };
  g_autofree char *a = ls_tracker_to_string (ls_tracker_contiguous (ctx, (LsShape) { 1, d3 }));
  g_assert_cmpstr (a, ==, "ShapeTracker(views=(View(shape=(3,), strides=(1,), offset=0, mask=None, contiguous=True),))");
  g_autofree char *b = ls_tracker_to_string (ls_tracker_contiguous (ctx, (LsShape) { 1, one }));
  g_assert_cmpstr (b, ==, "ShapeTracker(views=(View(shape=(1,), strides=(0,), offset=0, mask=None, contiguous=True),))");
  const LsTracker *t = ls_tracker_movement (ctx, ls_tracker_contiguous (ctx, (LsShape) { 1, one }), LS_OP_EXPAND, ls_arg_ints (ctx, 1, d3),
                                            TRUE);
  g_autofree char *c = ls_tracker_to_string (t);
  g_assert_cmpstr (c, ==, "ShapeTracker(views=(View(shape=(3,), strides=(0,), offset=0, mask=None, contiguous=False),))");
  /* empty(3,4).permute(1,0).pad(((1,1),(0,2))) */
  t = ls_tracker_movement (ctx, ls_tracker_contiguous (ctx, (LsShape) { 2, d34 }), LS_OP_PERMUTE, ls_arg_ints (ctx, 2, order), TRUE);
  t = ls_tracker_movement (ctx, t, LS_OP_PAD, ls_arg_ints (ctx, 4, pad), TRUE);
  g_autofree char *d = ls_tracker_to_string (t);
  g_assert_cmpstr (d, ==, "ShapeTracker(views=(View(shape=(6, 5), strides=(1, 4), offset=-1, mask=((1, 5), (0, 3)), contiguous=False),))");
  /* MERGE_VIEWS=0 appends */
  t = ls_tracker_movement (ctx, ls_tracker_contiguous (ctx, (LsShape) { 2, d34 }), LS_OP_PERMUTE, ls_arg_ints (ctx, 2, order), FALSE);
  g_assert_cmpuint (t->n_views, ==, 2);
}

static void
test_bad_text (void)
{
  static const char *const bad[] = {
    "", "ShapeTracker", "ShapeTracker(views=())",
    ("ShapeTracker(views=(View(shape=(3,), strides=(1, 2), offset=0, mask=None, " "contiguous=True),))"),
    "ShapeTracker(views=(View(shape=(-3,), strides=(1,), offset=0, mask=None, contiguous=True),))",
    "ShapeTracker(views=(View(shape=(3,), strides=(1,), offset=0, mask=((0,),), contiguous=True),))",
    "ShapeTracker(views=(View(shape=(3,), strides=(99999999999999999999,), offset=0, mask=None, contiguous=True),))",
    "ShapeTracker(views=(View(shape=(3,), strides=(1,), offset=0, mask=None, contiguous=True),)) x",
  };
  g_autoptr (LsContext) ctx = ls_context_new ();
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;
    g_assert_null (ls_tracker_parse (ctx, bad[i], &error));
    g_assert_error (error, LS_ERROR, LS_ERROR_SYNTAX);
  }
}

static void
test_shapes (void)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  gint64 d[] = { 2, 3 }, wrong[] = { 7 }, four[] = { 2, 4 }, perm[] = { 0, 0 }, box[] = { 0, 3, 0, 3 }, arg[] = { 0, 6 };
  LsUOp *b = ls_uop_new0 (ctx, LS_OP_BUFFER, LS_FLOAT, ls_arg_ints (ctx, 2, arg));
  LsUOp *x = ls_uop_new1 (ctx, LS_OP_RESHAPE, LS_FLOAT, b, ls_arg_ints (ctx, 2, d));
  const struct { LsUOp *u; const char *message; } bad[] = {
    { ls_uop_new1 (ctx, LS_OP_RESHAPE, LS_FLOAT, x, ls_arg_ints (ctx, 1, wrong)), "RESHAPE of shape (2, 3) with (7,): the sizes differ" },
    { ls_uop_new1 (ctx, LS_OP_EXPAND, LS_FLOAT, x, ls_arg_ints (ctx, 2, four)),
      "EXPAND of shape (2, 3) with (2, 4): only axes of size 1 can be expanded" },
    { ls_uop_new1 (ctx, LS_OP_PERMUTE, LS_FLOAT, x, ls_arg_ints (ctx, 2, perm)),
      "PERMUTE of shape (2, 3) with (0, 0): it is not a permutation" },
    { ls_uop_new1 (ctx, LS_OP_SHRINK, LS_FLOAT, x, ls_arg_ints (ctx, 4, box)),
      "SHRINK of shape (2, 3) with (0, 3, 0, 3): the box must be inside the shape" },
    { ls_uop_alu2 (ctx, LS_OP_ADD, x, b), "ADD of shapes (2, 3) and (6,): they must be equal" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;
    LsShape s;
    g_assert_false (ls_uop_get_shape (ctx, bad[i].u, &s, &error));
    g_assert_error (error, LS_ERROR, LS_ERROR_SHAPE);
    g_assert_cmpstr (error->message, ==, bad[i].message);
    /* what is made of it says the same */
    LsUOp *above = ls_uop_alu1 (ctx, LS_OP_NEG, bad[i].u);
    g_clear_error (&error);
    g_assert_false (ls_uop_get_shape (ctx, above, &s, &error));
    g_assert_cmpstr (error->message, ==, bad[i].message);
  }
}

/* Hash-consing: equality is by type and bits. */
static void
test_nodes (void)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  LsUOp *one = ls_uop_const_i (ctx, LS_INT32, 1), *also = ls_uop_const_i (ctx, LS_INT32, 1);
  g_assert_true (one == also);
  g_assert_true (one != ls_uop_const_i (ctx, LS_INT64, 1) && one != ls_uop_const_f (ctx, LS_FLOAT, 1) &&
                 one != ls_uop_const_i (ctx, LS_BOOL, 1));
  g_assert_true (ls_uop_const_f (ctx, LS_FLOAT, 0.0) != ls_uop_const_f (ctx, LS_FLOAT, -0.0));
  g_assert_true (ls_uop_const_i (ctx, LS_INT8, 300) == ls_uop_const_i (ctx, LS_INT8, 44));
  guint before = ls_context_n_nodes (ctx);
  LsUOp *x = one;
  for (guint i = 0; i < 100000; i++)
    x = ls_uop_alu2 (ctx, LS_OP_ADD, x, one);
  g_assert_cmpuint (ls_context_n_nodes (ctx), ==, before + 100000);
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, x);
  g_assert_cmpuint (order->len, ==, 100001);
  for (guint i = 1; i < order->len; i++)
    g_assert_cmpuint (((LsUOp *) order->pdata[i])->id, >, ((LsUOp *) order->pdata[i])->src[0]->id);
  /* maps nest and start empty */
  LsNodeMap *a = ls_node_map_acquire (ctx), *b = ls_node_map_acquire (ctx);
  guint64 value;
  ls_node_map_set (a, x, 1);
  g_assert_false (ls_node_map_get (b, x, &value));
  ls_node_map_release (ctx, b);
  ls_node_map_release (ctx, a);
  a = ls_node_map_acquire (ctx);
  g_assert_false (ls_node_map_get (a, x, &value));
  ls_node_map_release (ctx, a);
}

static void
test_promotion (void)
{
  static const struct { LsDType a, b, out; } rows[] = {
    { LS_BOOL, LS_INT8, LS_INT8 }, { LS_INT8, LS_UINT8, LS_INT16 }, { LS_WEAKINT, LS_UINT8, LS_UINT8 }, { LS_INT32, LS_FLOAT, LS_FLOAT },
    { LS_INT64, LS_HALF, LS_HALF },
    { LS_HALF, LS_BFLOAT16, LS_FLOAT }, { LS_UINT32, LS_INT32, LS_INT64 }, { LS_WEAKFLOAT, LS_HALF, LS_HALF },
    { LS_WEAKINT, LS_WEAKFLOAT, LS_WEAKFLOAT },
    { LS_FLOAT, LS_DOUBLE, LS_DOUBLE }, { LS_UINT64, LS_INT8, LS_WEAKFLOAT },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_assert_cmpstr (ls_dtype_name (ls_dtype_promote (rows[i].a, rows[i].b)), ==, ls_dtype_name (rows[i].out));
    g_assert_cmpstr (ls_dtype_name (ls_dtype_promote (rows[i].b, rows[i].a)), ==, ls_dtype_name (rows[i].out));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/ir/view/random", GINT_TO_POINTER (TRUE), test_random);
  g_test_add_data_func ("/ir/view/unmerged", GINT_TO_POINTER (FALSE), test_random);
  g_test_add_func ("/ir/view/compose", test_compose);
  g_test_add_func ("/ir/view/known", test_known);
  g_test_add_func ("/view/summary", test_summary);
  g_test_add_func ("/ir/view/bad-text", test_bad_text);
  g_test_add_func ("/ir/shape", test_shapes);
  g_test_add_func ("/ir/nodes", test_nodes);
  g_test_add_func ("/ir/promotion", test_promotion);
  return g_test_run ();
}
