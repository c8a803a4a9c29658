/* Passes over procedures: lists of the cases' kernels, and lists in which rows stand deeper than they need to, through any passes in
 * any order, give the same bits. */
#include "../fixture.h"
#include "../kernels.h"
#include "../sample.h"
#include "codegen/procedure-passes.h"
#include "run/run.h"

#include <string.h>

/* Sources first, loops nested, what is made in a loop read in it alone, no row twice. */
static void
check_list (GPtrArray *list)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL), within = g_hash_table_new (NULL, NULL);      /* row -> the loop it is in */
  g_autoptr (GPtrArray) open = g_ptr_array_new ();
  for (guint i = 0; i < list->len; i++) {
    LsUOp *u = list->pdata[i];
    for (guint s = 0; s < u->n_src; s++) {
      LsUOp *source = u->src[s], *loop = g_hash_table_lookup (within, source);
      if (u->op == LS_OP_SINK || (u->op == LS_OP_DEFINE_ACC && s > 0) || source->op == LS_OP_CONST)
        continue;
      g_assert_true (g_hash_table_contains (seen, source));
      if (loop && source->op != LS_OP_PHI && !(u->op == LS_OP_ENDRANGE && source->op == LS_OP_RANGE) && u->op != LS_OP_STORE)
        g_assert_true (g_ptr_array_find (open, loop, NULL));
    }
    g_assert_true (g_hash_table_add (seen, u));
    if (u->op == LS_OP_RANGE)
      g_ptr_array_add (open, u);
    if (u->op == LS_OP_ENDRANGE) {
      g_assert_true (open->len && open->pdata[open->len - 1] == u->src[0]);
      g_ptr_array_set_size (open, (int) open->len - 1);
    }
    g_hash_table_insert (within, u, open->len ? open->pdata[open->len - 1] : NULL);
  }
  g_assert_cmpuint (open->len, ==, 0);
}

/* --- memory --- */

#define MOST_BUFFERS 16
typedef struct { guint n; LsBuffer buffers[MOST_BUFFERS], *all[MOST_BUFFERS]; } Memory;

static gboolean
memory_of (GPtrArray *list, Memory *m)
{
  memset (m, 0, sizeof *m);
  for (guint i = 0; i < list->len; i++) {
    const LsUOp *u = list->pdata[i];
    if (u->op != LS_OP_DEFINE_GLOBAL)
      continue;
    LsDType d = ls_dtype_scalar (ls_dtype_deref (u->dtype));
    guint64 n = ls_dtype_ptr_size (u->dtype);
    if (u->arg.i >= MOST_BUFFERS || n > 1 << 16)
      return FALSE;
    m->buffers[u->arg.i] = (LsBuffer) { .id = (guint) u->arg.i, .dtype = d, .n = n, .nbytes = n * ls_dtype_itemsize (d) };
    m->n = MAX (m->n, (guint) u->arg.i + 1);
  }
  for (guint i = 0; i < m->n; i++) {
    m->buffers[i].data = g_malloc0 (m->buffers[i].nbytes + 8);
    m->all[i] = &m->buffers[i];
  }
  return TRUE;
}

static void
memory_free (Memory *m)
{
  for (guint i = 0; i < m->n; i++)
    g_free (m->buffers[i].data);
}

/* The memory that the list writes over the same contents: ordinary numbers, small ones for indices. */
static GBytes *
written (GPtrArray *list, Memory *m)
{
  g_autoptr (GError) error = NULL;
  GByteArray *out = g_byte_array_new ();
  for (guint i = 0; i < m->n; i++)
    for (guint64 k = 0; k < m->buffers[i].n; k++) {
      LsDType d = m->buffers[i].dtype;
      gint64 number = (gint64) ((k * 2654435761u + i * 40503u) >> 7) % 19 - 9;
      ls_scalar_store (d, m->buffers[i].data + k * ls_dtype_itemsize (d),
                       ls_dtype_is_float (d) ? (LsScalar) { .f = (double) number * 0.37 } : ls_scalar_fit (d, (LsScalar) { .i = number }));
    }
  if (!ls_interp_run (list->len, (LsUOp *const *) list->pdata, m->n, m->all, NULL, &error))
    return (GBytes *) g_byte_array_free_to_bytes (out);      /* an index outside its buffer: made by the program itself, not by our lists */
  for (guint i = 0; i < m->n; i++)
    g_byte_array_append (out, m->buffers[i].data, (guint) m->buffers[i].nbytes);
  return g_byte_array_free_to_bytes (out);
}

/* --- lists that are worse than they need to be --- */

static gboolean
may_sink (GPtrArray *list, const LsUOp *u)
{
  const LsUOp *buffer = u->op == LS_OP_LOAD ? u->src[0] : NULL;
  while (buffer && buffer->op != LS_OP_DEFINE_GLOBAL && buffer->n_src)
    buffer = buffer->src[0];
  for (guint i = 0; buffer && i < list->len; i++) {
    const LsUOp *s = list->pdata[i];
    if (s->op == LS_OP_STORE && (s->src[0] == buffer || (s->src[0]->n_src && s->src[0]->src[0] == buffer)))
      return FALSE;
  }
  return u->op == LS_OP_LOAD || u->op == LS_OP_INDEX || ls_op_info (u->op)->op_class >= LS_CLASS_UNARY;
}

static GPtrArray *
sunk (GPtrArray *list, GRand *rand, guint *n_sunk)
{
  GPtrArray *out = g_ptr_array_copy (list, NULL, NULL);
  for (guint at = 0; at < out->len; at++) {
    LsUOp *range = out->pdata[at];
    if (range->op != LS_OP_RANGE)
      continue;
    guint end = at;
    while (((LsUOp *) out->pdata[end])->op != LS_OP_ENDRANGE || ((LsUOp *) out->pdata[end])->src[0] != range)
      end++;
    for (guint i = at; i-- > 0;) {
      LsUOp *u = out->pdata[i];
      gboolean inside = may_sink (list, u) && g_rand_boolean (rand);
      for (guint k = 0; k < out->len && inside; k++)
        for (guint s = 0; s < ((LsUOp *) out->pdata[k])->n_src; s++)
          inside &= ((LsUOp *) out->pdata[k])->src[s] != u || (k > at && k < end);
      if (!inside)
        continue;
      g_ptr_array_remove_index (out, i);
      g_ptr_array_insert (out, (int) at, u);
      at--;
      (*n_sunk)++;
    }
  }
  return out;
}

/* No row that only computes is deeper than the rows that it reads. */
static guint
too_deep (GPtrArray *list)
{
  guint n = 0, depth = 0;
  g_autoptr (GHashTable) at = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < list->len; i++) {
    LsUOp *u = list->pdata[i];
    guint least = 0;
    gboolean judged = may_sink (list, u);
    depth -= u->op == LS_OP_ENDRANGE;
    for (guint s = 0; s < u->n_src; s++) {
      judged &= u->src[s]->op != LS_OP_DEFINE_ACC && u->src[s]->op != LS_OP_PHI;
      least = MAX (least, GPOINTER_TO_UINT (g_hash_table_lookup (at, u->src[s])));
    }
    n += judged && least < depth;
    depth += u->op == LS_OP_RANGE;
    g_hash_table_insert (at, u, GUINT_TO_POINTER (u->op == LS_OP_CONST ? 0 : depth));
  }
  return n;
}

static void
set_randomly (GRand *rand, LsSettings *settings)
{
  settings->UNROLL_LOOPS = g_rand_int_range (rand, 1, 12);
  settings->FUSE_LOOPS = settings->PROPAGATE = settings->HOIST = 1;
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

static void
test_random (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (20261101);
  g_autoptr (GDir) dir = g_dir_open (g_getenv ("LAZYSCOPE_CASES"), 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  guint n_kernels = 0, n_sunk = 0, n_deep = 0, n_unrolled = 0, share = fixture_sample (4, "cases");
  for (const char *name; dir && (name = g_dir_read_name (dir));)
    if (g_str_has_suffix (name, ".py"))
      g_ptr_array_add (names, g_build_filename (g_getenv ("LAZYSCOPE_CASES"), name, NULL));
  g_ptr_array_sort (names, compare_names);
  for (guint c = 0; c < names->len; c += share) {
    g_autoptr (GError) error = NULL;
    LsSession *s = fixture_run (&(FixtureRun) { .file = names->pdata[c], .settings = c % 2 ? "NOOPT=1" : "", .only_text = TRUE }, &error);
    for (guint i = 0; i < s->trace->kernels->len; i++) {
      const LsKernel *k = s->trace->kernels->pdata[i];
      Memory m;
      g_autoptr (GPtrArray) list = g_ptr_array_new ();
      for (guint r = 0; r < k->listing->len && k->same_as == 0; r++)
        g_ptr_array_add (list, ls_context_node (s->ctx, g_array_index (k->listing, guint32, r)));
      if (!list->len || list->len > 600 || k->flops > 200000 || !memory_of (list, &m)) {
        continue;
      }
      g_autoptr (GBytes) want = written (list, &m);
      for (guint round = 0; round < 4; round++) {
        GPtrArray *now = round % 2 ? sunk (list, rand, &n_sunk) : g_ptr_array_ref (list);
        n_deep += too_deep (now) > 0;
        for (guint p = 0; p < 4; p++) {
          LsSettings settings;
          ls_settings_init (&settings);
          set_randomly (rand, &settings);
          LsProcPass pass = p < 2 ? (LsProcPass) g_rand_int_range (rand, 0, LS_N_PROC_PASSES)
                                  : p == 2 ? LS_PROC_PASS_UNROLL : LS_PROC_PASS_PROPAGATE;
          GPtrArray *next = ls_proc_pass_run (pass, s->ctx, now, &settings, NULL);
          check_list (next);
          n_unrolled += pass == LS_PROC_PASS_UNROLL && next->len != now->len;
          g_assert_true (pass != LS_PROC_PASS_HOIST || too_deep (next) == 0);
          g_ptr_array_unref (now);
          now = next;
        }
        g_autoptr (GBytes) got = written (now, &m);
        if (!g_bytes_equal (want, got)) {
          g_autofree char *before = ls_listing_print (s->ctx, list->len, (LsUOp **) list->pdata, LS_STYLE_OPS),
                          *after = ls_listing_print (s->ctx, now->len, (LsUOp **) now->pdata, LS_STYLE_OPS);
          g_error ("%s, kernel %u, round %u writes something else:\n%s\nbecame\n%s", (char *) names->pdata[c], k->number, round, before,
                   after);
        }
        g_ptr_array_unref (now);
      }
      memory_free (&m);
      n_kernels++;
    }
    ls_session_free (s);
  }
  g_test_message ("%u kernels; %u rows were sunk, %u lists deeper than they need be; %u lists unrolled", n_kernels, n_sunk, n_deep,
                  n_unrolled);
  g_assert_cmpuint (n_kernels, >, 60 / share);
  g_assert_cmpuint (n_sunk, >, 100 / share);
  g_assert_cmpuint (n_deep, >, 20 / share);
  g_assert_cmpuint (n_unrolled, >, 60 / share);
}

/* --- fusion --- */

static guint
count (GPtrArray *list, LsOp op)
{
  guint n = 0;
  for (guint i = 0; i < list->len; i++)
    n += ((LsUOp *) list->pdata[i])->op == op;
  return n;
}

/* A sum and a sum of squares of rows of 6, and a third that needs the first: of the three loops two become one. */
static void
test_fusion (void)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  g_autoptr (GError) error = NULL;
  LsUOp *out = k_global (ctx, 0, LS_FLOAT, 4), *in = k_global (ctx, 1, LS_FLOAT, 24), *zero = ls_uop_const_f (ctx, LS_FLOAT, 0),
        *i = k_range (ctx, 0, LS_AXIS_LOOP, 4), *sums[3];
  for (int k = 0; k < 3; k++) {
    LsUOp *j = k_range (ctx, 1 + k, LS_AXIS_REDUCE, 6), *acc = k_acc (ctx, k, zero, j),
          *x = k_load (ctx, in, k_add (ctx, k_mul (ctx, i, k_int (ctx, 6)), j));
    x = k == 1 ? k_mul (ctx, x, x) : k == 2 ? k_add (ctx, x, sums[0]) : x;
    sums[k] = k_phi (ctx, acc, k_add (ctx, acc, x), j);
  }
  LsUOp *store = k_store (ctx, out, i, k_add (ctx, k_add (ctx, sums[0], sums[1]), sums[2]));
  LsSettings settings = { .FUSE_LOOPS = 1, .UNROLL_LOOPS = 3 };
  g_autoptr (GPtrArray) list = ls_linearize (ctx, k_sink (ctx, 1, &store), &settings, &error);
  g_assert_no_error (error);
  Memory m;
  g_assert_true (memory_of (list, &m));
  g_autoptr (GBytes) want = written (list, &m);
  g_autoptr (GArray) changes = g_array_new (FALSE, FALSE, sizeof (LsRowChange));
  g_autoptr (GPtrArray) fused = ls_proc_pass_run (LS_PROC_PASS_FUSE, ctx, list, &settings, changes);
  check_list (fused);
  g_autoptr (GBytes) got = written (fused, &m);
  g_assert_true (g_bytes_equal (want, got));
  g_assert_cmpuint (count (list, LS_OP_RANGE), ==, 4);
  g_assert_cmpuint (count (fused, LS_OP_RANGE), ==, 3);
  g_assert_cmpuint (count (list, LS_OP_LOAD) - count (fused, LS_OP_LOAD), ==, 1);      /* the same element is read once */
  g_assert_cmpuint (changes->len, >, 0);
  g_autoptr (GPtrArray) unrolled = ls_proc_pass_run (LS_PROC_PASS_UNROLL, ctx, fused, &settings, NULL);
  check_list (unrolled);
  g_autoptr (GBytes) again = written (unrolled, &m);
  g_assert_true (g_bytes_equal (want, again));
  memory_free (&m);
}

/* --- whole runs --- */

static void
test_runs (void)
{
  static const char *const settings[] = { "UNROLL_LOOPS=16", "UNROLL_LOOPS=3 PROPAGATE=1 SPEC=2", "HOIST=1 FUSE_LOOPS=1",
                                          "UNROLL_LOOPS=4 PROPAGATE=1 HOIST=1 FUSE_LOOPS=1 NOOPT=1",
                                          "profile=classic NOOPT=1 UNROLL_LOOPS=4", "profile=modern NOOPT=1 UNROLL_LOOPS=16 PROPAGATE=1" };
  static const char *const compilers[] = { "interp", "tcc" };
  const char *text, *all = "a = Tensor.arange(70).reshape(10, 7) * 0.3\nprint(a.sum(1).tolist(), a.pad(((1, 2), (0, 1))).sum(0).tolist(), "
                           "(a.permute(1, 0) @ a).tolist(), a.softmax().tolist(), a.max().item())\n",
             *sums = "a = Tensor.arange(70).reshape(10, 7) * 0.3\nprint(a.sum(1).tolist(), a.pad(((1, 2), (0, 1))).sum(0).tolist(), "
                     "(a.permute(1, 0) @ a).tolist(), a.max().item())\n";
  for (gsize i = 0; i < G_N_ELEMENTS (settings); i++)
    for (gsize c = 0; c < G_N_ELEMENTS (compilers); c++) {
      /* the classic text by itself adds and multiplies chains in an order of its own, and calls functions of doubles: there the
       * interpreter says what is right */
      gboolean classic = strstr (settings[i], "classic") != NULL;
      text = classic ? sums : all;
      LsSession *first = FIXTURE_RUN (.text = text, .settings = classic ? "profile=classic NOOPT=1" : strstr (settings[i], "modern")
                                      ? "profile=modern NOOPT=1" : strstr (settings[i], "NOOPT") ? "NOOPT=1" : "",
                                      .compiler = classic ? "interp" : compilers[c]);
      LsSession *s = FIXTURE_RUN (.text = text, .settings = settings[i], .compiler = compilers[c]);
      g_assert_cmpstr (first->trace->std_out, ==, s->trace->std_out);
      for (guint b = 0; b < s->trace->buffers->len; b++)
        g_assert_cmpstr (((LsTraceBuffer *) first->trace->buffers->pdata[b])->digest, ==,
                         ((LsTraceBuffer *) s->trace->buffers->pdata[b])->digest);
      ls_session_free (first);
      ls_session_free (s);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/codegen/procedure-passes/random", test_random);
  g_test_add_func ("/codegen/procedure-passes/fusion", test_fusion);
  g_test_add_func ("/codegen/procedure-passes/runs", test_runs);
  return g_test_run ();
}
