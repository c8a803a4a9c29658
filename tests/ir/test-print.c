/* Text forms read back to the same nodes, on edge values, on listings and on graphs at random; broken text is an error with its place. */
#include <math.h>
#include <string.h>

#include "golden.h"
#include "kernels.h"
#include "ir/short.h"

static void
check_arg (LsContext *ctx, LsArg arg, const char *text)
{
  g_autofree char *printed = ls_arg_print (arg);
  LsArg back;
  if (text)
    g_assert_cmpstr (printed, ==, text);
  if (!ls_arg_parse (ctx, printed, &back) || !ls_arg_equal (arg, back))
    g_error ("%s does not read back", printed);
}

static void
test_args (void)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  const gint64 ints[] = { 1, -2, G_MAXINT64, G_MININT64 };
  check_arg (ctx, ls_arg_none (), "None");
  check_arg (ctx, ls_arg_int (1), "1");
  check_arg (ctx, ls_arg_int (G_MININT64), "-9223372036854775808");
  check_arg (ctx, ls_arg_float (1), "1.0");
  check_arg (ctx, ls_arg_float (-0.0), "-0.0");
  check_arg (ctx, ls_arg_float (0.1), "0.1");
  check_arg (ctx, ls_arg_float (1e16), "1e+16");
  check_arg (ctx, ls_arg_float (123456789012345680.0), "1.2345678901234568e+17");
  check_arg (ctx, ls_arg_float (1234567890123456.0), "1234567890123456.0");
  check_arg (ctx, ls_arg_float (0.0001), "0.0001");
  check_arg (ctx, ls_arg_float (0.00001), "1e-05");
  check_arg (ctx, ls_arg_float (5e-324), "5e-324");
  check_arg (ctx, ls_arg_float (1.7976931348623157e308), "1.7976931348623157e+308");
  check_arg (ctx, ls_arg_float (INFINITY), "inf");
  check_arg (ctx, ls_arg_float (-INFINITY), "-inf");
  check_arg (ctx, ls_arg_float (NAN), "nan");
  guint64 payloads[] = { 0x7ff0000000000001, 0xfff8000000000000, 0xfff8000000001234 };
  for (guint i = 0; i < G_N_ELEMENTS (payloads); i++) {
    double f;
    memcpy (&f, &payloads[i], 8);
    check_arg (ctx, ls_arg_float (f), NULL);
  }
  check_arg (ctx, ls_arg_ints (ctx, 0, NULL), "()");
  check_arg (ctx, ls_arg_ints (ctx, 1, ints), "(1,)");
  check_arg (ctx, ls_arg_ints (ctx, 4, ints), NULL);
  check_arg (ctx, ls_arg_str (ctx, "lidx0"), "'lidx0'");
  check_arg (ctx, ls_arg_str (ctx, ""), "''");
  check_arg (ctx, ls_arg_str (ctx, "it's \\ a\nname\t\x01 ü, (1]"), NULL);
  check_arg (ctx, ls_arg_str (ctx, "1"), "'1'");
  check_arg (ctx, ls_arg_op_ints (ctx, LS_OP_ADD, 1, ints), "(Ops.ADD, (1,))");
  check_arg (ctx, ls_arg_op_ints (ctx, LS_OP_MAX, 0, NULL), "(Ops.MAX, ())");
  gint64 dims[] = { 2, 3 };
  check_arg (ctx, ls_arg_tracker (ctx, ls_tracker_contiguous (ctx, (LsShape) { 2, dims })), NULL);
  static const char *const wrong[] = { "", "x", "1.2.3", "(1", "(1 2)", "'a", "'a'b", "'\\q'", "(Ops.NOTHING, (1,))", "(Ops.ADD)", "--1",
                                       "nan(0x0)", "99999999999999999999", "ShapeTracker(", "1e" };
  LsArg out;
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    if (ls_arg_parse (ctx, wrong[i], &out))
      g_error ("“%s” was read as an argument", wrong[i]);
}

/* Floats at random, as double and as float. */
static void
test_floats (void)
{
  for (int i = 0; i < 20000; i++) {
    guint64 bits = (guint64) g_test_rand_int () << 32 ^ (guint64) (guint32) g_test_rand_int ();
    guint32 low = (guint32) bits;
    double f;
    float single;
    memcpy (&f, &bits, 8);
    memcpy (&single, &low, 4);
    if (isnan (f) || isnan (single))
      continue;
    g_autofree char *a = ls_float_print (f, FALSE), *b = ls_float_print (single, TRUE);
    g_assert_cmpfloat (g_ascii_strtod (a, NULL), ==, f);
    g_assert_cmpfloat ((float) g_ascii_strtod (b, NULL), ==, single);
    g_assert_cmpuint (strlen (b), <=, 20);
  }
  g_autofree char *tenth = ls_float_print (0.1f, TRUE), *exact = ls_float_print (0.1f, FALSE);
  g_assert_cmpstr (tenth, ==, "0.1");
  g_assert_cmpstr (exact, ==, "0.10000000149011612");
}

static LsArg
random_arg (LsContext *ctx)
{
  gint64 ints[5];
  int n = g_test_rand_int_range (0, 5);
  for (int i = 0; i < n; i++)
    ints[i] = g_test_rand_int_range (-100, 100);
  switch (g_test_rand_int_range (0, 7)) {
  case 0: return ls_arg_int (g_test_rand_int ());
  case 1: return ls_arg_float (g_test_rand_double_range (-1e6, 1e6));
  case 2: return ls_arg_ints (ctx, (guint) n, ints);
  case 3: return ls_arg_str (ctx, n & 1 ? "a 'name', [quoted]" : "plain");
  case 4: return ls_arg_op_ints (ctx, LS_OP_MUL, (guint) n, ints);
  case 5:
    for (int i = 0; i < n; i++)
      ints[i] = ABS (ints[i]) + 1;
    return ls_arg_tracker (ctx, ls_tracker_contiguous (ctx, (LsShape) { (guint) n, ints }));
  default: return ls_arg_none ();
  }
}

static LsArg
range_arg (LsContext *ctx)
{
  gint64 ints[2] = { g_test_rand_int_range (-5, 2000), g_test_rand_int_range (0, LS_N_AXIS) };
  return ls_arg_ints (ctx, 2, ints);
}

static LsDType
random_dtype (void)
{
  LsDType d = LS_DTYPE (g_test_rand_int_range (LS_BASE_VOID, LS_N_BASES));
  if (d != LS_VOID && g_test_rand_int_range (0, 4) == 0)
    d = ls_dtype_vec (d, (guint) g_test_rand_int_range (2, 16));
  if (d != LS_VOID && g_test_rand_int_range (0, 4) == 0)
    d = ls_dtype_ptr (d, g_test_rand_bit () ? LS_SPACE_GLOBAL : LS_SPACE_LOCAL, (guint64) g_test_rand_int_range (0, 1 << 30));
  return d;
}

static guint16
random_tag (void)
{
  static const char *const texts[] = { "seen", "", "a 'quoted' one", "7", "x tag=5", "a\\b\nc, (d) ü" };
  return g_test_rand_int_range (0, 5) ? 0 : g_test_rand_int_range (0, 2) ? (guint16) g_test_rand_int_range (0, LS_TAG_TEXTS)
         : ls_tag_of_text (texts[g_test_rand_int_range (0, G_N_ELEMENTS (texts))]);
}

/* Nodes of any op, dtype, argument and tag, sources as many as the op takes. */
static GPtrArray *
random_nodes (LsContext *ctx, guint n)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  GPtrArray *list = g_ptr_array_new ();
  for (guint i = 0; i < n; i++) {
    LsUOp *src[5], *u;
    LsOp op = (LsOp) g_test_rand_int_range (0, LS_N_OPS);
    int arity = ls_op_info (op)->arity < 0 ? g_test_rand_int_range (0, 5) : ls_op_info (op)->arity;
    if (!list->len && arity)
      continue;
    for (int s = 0; s < arity; s++)
      src[s] = list->pdata[g_test_rand_int_range (0, (gint32) list->len)];
    LsDType d = random_dtype ();
    if (op == LS_OP_STORE && arity > 2)
      arity = 2;
    if (op == LS_OP_CONST && ls_dtype_is_float (d))
      u = ls_uop_const_f (ctx, ls_dtype_scalar (d), g_test_rand_double_range (-1000, 1000));
    else if (op == LS_OP_CONST)
      u = ls_uop_const_i (ctx, ls_dtype_kind (d) == LS_KIND_VOID ? LS_INT32 : ls_dtype_scalar (d), g_test_rand_int ());
    else
      u = ls_uop_new_tag (ctx, op, d, (guint) arity, src, op == LS_OP_RANGE ? range_arg (ctx) : random_arg (ctx),
                          random_tag ());
    if (g_hash_table_add (seen, u))
      g_ptr_array_add (list, u);
  }
  return list;
}

static void
check_listing (LsContext *ctx, GPtrArray *list)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = ls_listing_print (ctx, list->len, (LsUOp *const *) list->pdata, LS_STYLE_OPS);
  g_autoptr (GPtrArray) back = ls_listing_parse (ctx, text, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (back->len, ==, list->len);
  for (guint i = 0; i < list->len; i++)
    if (back->pdata[i] != list->pdata[i])
      g_error ("row %u does not read back:\n%s", i, text);
}

static void
test_random (void)
{
  for (int round = 0; round < 50; round++) {
    g_autoptr (LsContext) ctx = ls_context_new (), other = ls_context_new ();
    g_autoptr (GError) error = NULL;
    g_autoptr (GPtrArray) list = random_nodes (ctx, 120);
    if (list->len < 2)
      continue;
    check_listing (ctx, list);
    LsUOp *root = list->pdata[list->len - 1];
    g_autofree char *text = ls_pyrender (ctx, root);
    LsUOp *back = ls_pyrender_parse (ctx, text, &error);
    g_assert_no_error (error);
    if (back != root)
      g_error ("does not read back:\n%s", text);
    LsUOp *elsewhere = ls_pyrender_parse (other, text, &error);      /* and means the same in another context */
    g_assert_no_error (error);
    g_autofree char *again = ls_pyrender (other, elsewhere);
    g_assert_cmpstr (again, ==, text);
    g_autofree char *tree = ls_tree_print (ctx, root), *expr = ls_expr_print (NULL, root, 80), *summary = ls_uop_summary (root);
    g_assert_cmpuint (g_utf8_strlen (expr, -1), <=, 81);
    g_autofree char *classic = ls_listing_print (ctx, list->len, (LsUOp *const *) list->pdata, LS_STYLE_CLASSIC);
    g_assert_nonnull (tree);
    g_assert_nonnull (summary);
    g_assert_nonnull (classic);
  }
}

/* A linear list: an accumulator names loops below it, a store shows the loops around it, constants with the same text are distinguished. */
static void
test_listing (void)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  LsSettings settings = { 0 };
  g_autoptr (GError) error = NULL;
  LsUOp *i = k_range (ctx, 0, LS_AXIS_LOOP, 4), *k = k_range (ctx, 1, LS_AXIS_REDUCE, 4), *in = k_global (ctx, 1, LS_INT64, 16);
  LsUOp *acc = k_acc (ctx, 0, ls_uop_const_i (ctx, LS_INT64, 4), k);
  LsUOp *sum = k_phi (ctx, acc, k_add (ctx, acc, k_load (ctx, in, k_add (ctx, k_mul (ctx, i, k_int (ctx, 4)), k))), k);
  LsUOp *store = k_store (ctx, k_global (ctx, 0, LS_INT64, 4), i, sum);
  g_autoptr (GPtrArray) list = ls_linearize (ctx, k_sink (ctx, 1, &store), &settings, &error);
  g_assert_no_error (error);
  check_listing (ctx, list);
  g_autofree char *text = ls_listing_print (ctx, list->len, (LsUOp *const *) list->pdata, LS_STYLE_OPS);
  golden_check ("listing.golden", text);

  g_autoptr (GArray) rows = ls_listing_rows (ctx, list->len, (LsUOp *const *) list->pdata, LS_STYLE_CLASSIC);
  for (guint r = 0; r < rows->len; r++) {
    const LsListingRow *row = &g_array_index (rows, LsListingRow, r);
    g_assert_null (strchr (row->src, '?'));
    g_assert_cmpstr (row->op, !=, "UOps.INDEX");
  }
}

static void
expect_listing_error (const char *text, const char *message)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  g_autoptr (GError) error = NULL;
  g_assert_null (ls_listing_parse (ctx, text, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_SYNTAX);
  if (!g_str_equal (error->message, message)) { g_test_message ("expected %s, got %s", message, error->message); g_test_fail (); }
}

static void
expect_pyrender_error (const char *text, const char *message)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  g_autoptr (GError) error = NULL;
  g_assert_null (ls_pyrender_parse (ctx, text, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_SYNTAX);
  if (!g_str_equal (error->message, message)) { g_test_message ("expected %s, got %s", message, error->message); g_test_fail (); }
}

static void
test_errors (void)
{
  expect_listing_error ("   0 Ops.CONST : dtypes.int [] 1\n   2 Ops.CONST : dtypes.int [] 2\n", "listing:2:4: this is row 1, not 2");
  expect_listing_error ("   0 Ops.CONTS : dtypes.int [] 1\n", "listing:1:10: there is no op “CONTS”");
  expect_listing_error ("   0 Ops.CONST : dtypes.ant [] 1\n", "listing:1:18: “dtypes.ant” is not a dtype");
  expect_listing_error ("   0 Ops.CONST : dtypes.int [] one\n", "listing:1:32: “one” is not an argument");
  expect_listing_error ("   0 Ops.NEG : dtypes.int [3] None\n", "listing:1:28: there is no row 3");
  expect_listing_error ("   0 Ops.NEG : dtypes.int [0] None\n", "listing:1:1: the row is a source of itself");
  expect_listing_error ("   0 Ops.NEG : dtypes.int [] None\n", "listing:1:1: NEG has 1 source, not 0");
  expect_listing_error ("   0 Ops.NEG : dtypes.int ['1'] None\n", "listing:1:28: there is no row with the constant '1'");
  expect_listing_error ("   0 Ops.NEG : dtypes.int [", "listing:1:28: a source is the number of a row or a constant in quotes");
  expect_listing_error ("hello", "listing:1:1: a row must begin with its number");
  expect_pyrender_error ("", "pyrender:1:1: there is no node");
  expect_pyrender_error ("c0 = UOp(Ops.NEG, dtypes.int, (c1,))", "pyrender:1:32: “c1” is not defined");
  expect_pyrender_error ("c0 = UOp(Ops.CONST, dtypes.int, arg=1)\nc0 = UOp(Ops.CONST, dtypes.int, arg=1)",
                         "pyrender:2:1: “c0” is defined twice");
  expect_pyrender_error ("c0 = UOp(Ops.CONST, dtypes.int, arg=1", "pyrender:1:38: “,” is missing here");
  expect_pyrender_error ("c0 = 5", "pyrender:1:6: a name is missing here");
}

/* Text cut and changed at random ends in an error or in nodes, never otherwise. */
static void
test_fuzz (void)
{
  g_autoptr (LsContext) made = ls_context_new ();
  g_autoptr (GPtrArray) list = random_nodes (made, 60);
  g_autofree char *listing = ls_listing_print (made, list->len, (LsUOp *const *) list->pdata, LS_STYLE_OPS);
  g_autofree char *code = ls_pyrender (made, list->pdata[list->len - 1]);
  static const char noise[] = "()[]',:.= \n0129-xU%\\";
  for (int round = 0; round < 2000; round++) {
    g_autoptr (LsContext) ctx = ls_context_new ();
    g_autoptr (GError) error = NULL;
    g_autofree char *text = g_strdup (round & 1 ? listing : code);
    gsize n = strlen (text);
    for (int k = 0; k < 3; k++)
      text[g_test_rand_int_range (0, (gint32) n)] = noise[g_test_rand_int_range (0, (gint32) sizeof noise - 1)];
    if (round % 5 == 0)
      text[g_test_rand_int_range (0, (gint32) n)] = 0;
    if (round & 1) {
      g_autoptr (GPtrArray) back = ls_listing_parse (ctx, text, &error);
      g_assert_true ((back == NULL) == (error != NULL));
    } else {
      LsUOp *back = ls_pyrender_parse (ctx, text, &error);
      g_assert_true ((back == NULL) == (error != NULL));
    }
  }
}

static LsUOp *
view (LsContext *ctx, guint n, const gint64 *shape, const gint64 *strides)
{
  const LsView *v = ls_view_new (ctx, n, shape, strides, 0, NULL);
  return ls_uop_new0 (ctx, LS_OP_VIEW, LS_VOID, ls_arg_tracker (ctx, ls_tracker_new (ctx, 1, &v)));
}

static void
test_tree (void)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  gint64 in_shape[] = { 3, 4 }, in_strides[] = { 4, 1 }, none[] = { 0, 0 }, out_shape[] = { 3, 1 }, out_strides[] = { 1, 0 }, axis = 1;
  LsUOp *from = view (ctx, 2, in_shape, in_strides), *to = view (ctx, 2, out_shape, out_strides), *same = view (ctx, 2, in_shape, none);
  LsUOp *x = ls_uop_new2 (ctx, LS_OP_LOAD, LS_INT32, k_global (ctx, 1, LS_INT32, 12), from, ls_arg_none ());
  LsUOp *two = ls_uop_new1 (ctx, LS_OP_CONST, LS_INT32, same, ls_arg_int (2));
  LsUOp *value = ls_uop_cast (ctx, k_add (ctx, k_mul (ctx, x, x), two), LS_FLOAT);
  LsUOp *sum = ls_uop_new1 (ctx, LS_OP_REDUCE_AXIS, LS_FLOAT, value, ls_arg_op_ints (ctx, LS_OP_ADD, 1, &axis));
  LsUOp *stores[2] = {
    ls_uop_new3 (ctx, LS_OP_STORE, LS_VOID, k_global (ctx, 0, LS_FLOAT, 3), to, sum, ls_arg_none ()),
    ls_uop_new3 (ctx, LS_OP_STORE, LS_VOID, k_global (ctx, 2, LS_INT32, 12), from, x, ls_arg_none ()),
  };
  g_autofree char *text = ls_tree_print (ctx, k_sink (ctx, 2, stores));
  golden_check ("tree.golden", text);

  /* Shared many times over: 2^60 paths, and deeper than any branch is drawn. */
  LsUOp *wide = x, *deep = x;
  for (int i = 0; i < 60; i++)
    wide = k_add (ctx, wide, wide);
  for (int i = 0; i < 100000; i++)
    deep = k_add (ctx, deep, two);
  g_autofree char *short_text = ls_tree_print (ctx, wide), *cut = ls_tree_print (ctx, deep), *expr = ls_expr_print (NULL, wide, 1000),
                  *whole = ls_expr_print (NULL, deep, 0);
  g_assert_cmpuint (strlen (short_text), <, 2000000);
  g_assert_nonnull (strstr (short_text, "goto "));
  g_assert_nonnull (strstr (cut, "the nodes below it"));
  g_assert_cmpuint (strlen (whole), >, 200000);
  g_assert_true (g_str_has_suffix (expr, "…"));
}

static void
test_expr (void)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  LsUOp *i = k_range (ctx, 0, LS_AXIS_LOOP, 4), *k = k_range (ctx, 2, LS_AXIS_REDUCE, 4), *in = k_global (ctx, 1, LS_FLOAT, 16);
  LsUOp *index = k_add (ctx, k_mul (ctx, i, k_int (ctx, 64)), k), *load = k_load (ctx, in, index);
  const struct { LsUOp *u; guint max; const char *text; } cases[] = {
    { index, 0, "(i*64+k)" },
    { index, 4, "(i*6…" },
    { k_mul (ctx, index, k_int (ctx, -2)), 0, "((i*64+k)*-2)" },
    { load, 0, "data1[i*64+k]" },
    { ls_uop_alu2 (ctx, LS_OP_SUB, i, ls_uop_alu2 (ctx, LS_OP_SUB, k, i)), 0, "(i-(k-i))" },
    { ls_uop_alu3 (ctx, LS_OP_WHERE, ls_uop_alu2 (ctx, LS_OP_CMPLT, i, k), i, k), 0, "(i<k?i:k)" },
    { ls_uop_alu1 (ctx, LS_OP_SQRT, load), 0, "sqrt(data1[i*64+k])" },
    { ls_uop_cast (ctx, i, LS_FLOAT), 0, "float(i)" },
    { ls_uop_alu2 (ctx, LS_OP_MAX, i, k), 0, "max(i, k)" },
  };
  for (guint c = 0; c < G_N_ELEMENTS (cases); c++) {
    g_autofree char *text = ls_expr_print (NULL, cases[c].u, cases[c].max);
    g_assert_cmpstr (text, ==, cases[c].text);
  }
  g_autofree char *add = ls_uop_summary (index), *two = ls_uop_summary (k_int (ctx, 2));
  g_assert_cmpstr (add, ==, "ADD int");
  g_assert_cmpstr (two, ==, "CONST 2");
  /* nodes that differ in their tags alone */
  static const struct { const char *tag, *text; } tags[] = {
    { "seen", "ADD tag seen" }, { "it's", "ADD tag 'it\\'s'" },
    { "a long tag of over twenty characters", "ADD tag 'a long tag of over twe…" },
  };
  for (guint c = 0; c < G_N_ELEMENTS (tags); c++) {
    LsUOp *u = ls_uop_new_tag (ctx, LS_OP_ADD, index->dtype, 2, index->src, ls_arg_none (), ls_tag_of_text (tags[c].tag));
    g_autoptr (GString) text = g_string_new (NULL);
    ls_short_node (text, NULL, u, FALSE);
    g_assert_cmpstr (text->str, ==, tags[c].text);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/print/args", test_args);
  g_test_add_func ("/print/floats", test_floats);
  g_test_add_func ("/print/random", test_random);
  g_test_add_func ("/print/listing", test_listing);
  g_test_add_func ("/print/errors", test_errors);
  g_test_add_func ("/print/fuzz", test_fuzz);
  g_test_add_func ("/print/tree", test_tree);
  g_test_add_func ("/print/expr", test_expr);
  return g_test_run ();
}
