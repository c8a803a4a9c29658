/* The file form of a recording: what is written comes back; a file that is damaged, foreign, newer or hostile is an error and never
 * more. */
#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../pass.h"
#include "ask/ask.h"
#include "pipeline/pipeline.h"
#include "ir/context-private.h"
#include "ir/view.h"
#include "trace/store-seal.h"

typedef struct { char *directory, *path; } Fixture;

static void
setup (Fixture *f, gconstpointer unused)
{
  f->directory = g_dir_make_tmp ("lazyscope-store-XXXXXX", NULL);
  f->path = g_build_filename (f->directory, "a.lscope", NULL);
}

static void
teardown (Fixture *f, gconstpointer unused)
{
  g_autoptr (GDir) dir = g_dir_open (f->directory, 0, NULL);
  for (const char *name; (name = g_dir_read_name (dir));) {
    g_autofree char *file = g_build_filename (f->directory, name, NULL);
    g_unlink (file);
  }
  g_rmdir (f->directory);
  g_free (f->directory);
  g_free (f->path);
}

static gpointer
append (GArray *array)
{
  guint size = g_array_get_element_size (array);
  g_array_set_size (array, array->len + 1);
  return memset (array->data + (gsize) (array->len - 1) * size, 0, size);
}

static LsKernel *
add_kernel (LsTrace *t, const char *source)
{
  LsKernel *k = g_new0 (LsKernel, 1);
  k->number = t->kernels->len + 1;
  k->name = "r_4";
  k->target = "c";
  k->compiler = k->values_compiler = "tcc";
  k->compiler_version = "0.9.27";
  k->flags = "-O2";
  k->options = "UPCAST:0:4";
  k->asked = "function";
  k->ast = k->final_root = 0;
  k->source = g_strdup (source);
  k->compile_message = g_strdup ("");
  k->compile_ms = 0.25;
  k->flops = 4;
  k->bytes = 20;
  k->listing = g_array_new (FALSE, FALSE, sizeof (guint32));
  k->procedure = g_array_new (FALSE, FALSE, sizeof (LsProcRow));
  k->source_links = g_array_new (FALSE, FALSE, sizeof (LsSourceLink));
  k->exprs = g_array_new (FALSE, FALSE, sizeof (LsExpr));
  k->code_lines = g_array_new (FALSE, FALSE, sizeof (LsCodeLine));
  k->run_ns = g_array_new (FALSE, FALSE, sizeof (guint64));
  k->buffers = g_array_new (FALSE, FALSE, sizeof (guint));
  k->passes = g_array_new (FALSE, FALSE, sizeof (guint));
  k->choices = g_array_new (FALSE, FALSE, sizeof (LsKernelOption));
  k->candidates = g_array_new (FALSE, FALSE, sizeof (LsCandidate));
  g_ptr_array_add (t->kernels, k);
  return k;
}

static void
fill_kernel (LsTrace *t, LsKernel *k, LsUOp *node)
{
  static const guint8 code[] = { 0x55, 0x48, 0x89, 0xe5, 0xc3 };
  for (guint32 i = 0; i < 3; i++)
    g_array_append_val (k->listing, i);
  *(LsProcRow *) append (k->procedure) = (LsProcRow) { .kind = LS_PROC_TEXT, .node = LS_NO_NODE, .op = LS_N_OPS, .dest = LS_NO_REGISTER,
                                                       .dtype = LS_VOID, .text = "loop" };
  *(LsProcRow *) append (k->procedure) = (LsProcRow) { .kind = LS_PROC_STORE, .depth = 1, .node = node->id, .op = LS_OP_STORE,
                                                       .dest = LS_NO_REGISTER,
    .dtype = LS_FLOAT, .sources = ls_arg_ints (t->ctx, 2, (gint64[]) { 0, 1 }), .buffer = "data0", .bound = -1 };
  *(LsSourceLink *) append (k->source_links) = (LsSourceLink) { 2, node->id };
  *(LsExpr *) append (k->exprs) = (LsExpr) { node->id, 1, 2, TRUE, "(a+b)", "used twice", "alu0", "a\nb", "exact" };
  guint64 ns = 12345;
  g_array_append_val (k->run_ns, ns);
  guint buffer = 1;
  g_array_append_val (k->buffers, buffer);
  *(LsKernelOption *) append (k->choices) = (LsKernelOption) { "UPCAST:0:4", "heuristic", "it is wide", NULL };
  *(LsKernelOption *) append (k->choices) = (LsKernelOption) { "UPCAST:0:3", "you", "", "the amount does not divide the axis" };
  *(LsTraceSearch *) append (t->searches) = (LsTraceSearch) { k->number, 2, 1, 2, 12, "clang", "14.0.6", "-O2", "a machine",
                                                              "layer 1 was not faster", 1.5, 0.01, TRUE };
  *(LsCandidate *) append (k->candidates) = (LsCandidate) { -1, 0, "", 10, 1.5, 900, LS_EQUAL_FIRST, NULL, "slower", 1.5, 1.4,
                                                                      1.6, TRUE, FALSE };
  *(LsCandidate *) append (k->candidates) = (LsCandidate) { 0, 1, "UPCAST:0:4", 9, NAN, NAN, LS_EQUAL_NONE, "not compiled", NULL,
                                                                      NAN, NAN, NAN, TRUE, TRUE };
  k->code = g_memdup2 (code, sizeof code);
  k->n_code = sizeof code;
  k->code_address = 0x1139;
  *(LsCodeLine *) append (k->code_lines) = (LsCodeLine) { 0, 1 };
  *(LsCodeLine *) append (k->code_lines) = (LsCodeLine) { 4, 0 };
  *(LsStageTime *) append (t->stage_times) = (LsStageTime) { "render", k->number, 99 };
}

static LsTraceBuffer *
add_buffer (LsTrace *t, LsDType dtype, guint64 n, const char *role)
{
  LsTraceBuffer *b = g_new0 (LsTraceBuffer, 1);
  b->id = t->buffers->len;
  b->dtype = dtype;
  b->n_elements = n;
  b->role = role;
  b->offset = -1;
  b->n_data = (gsize) n * ls_dtype_itemsize (dtype);
  b->data = g_malloc0 (b->n_data);
  b->digest = g_strdup ("00ff");
  b->min = -INFINITY;
  b->max = 1;
  b->mean = NAN;
  g_ptr_array_add (t->buffers, b);
  return b;
}

/* More elements of an array whose elements lie in the arena, which GArray cannot grow. */
static void
extend_by (LsContext *ctx, GArray *array, gconstpointer elements, guint n, gsize size)
{
  char *data = ls_context_alloc (ctx, (array->len + n) * size);
  if (array->len > 0)
    memcpy (data, array->data, array->len * size);
  memcpy (data + array->len * size, elements, n * size);
  array->data = data;
  array->len += n;
}

static void
extend (LsContext *ctx, GArray *array, gconstpointer element, gsize size)
{
  extend_by (ctx, array, element, 1, size);
}

/* A recording with at least one row in every table. */
static LsTrace *
make_trace (void)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  g_autoptr (LsRuleLibrary) rules = ls_rule_library_parse (ls_pipeline_rules (),
                                                           "# One.\none: x:int + 0 -> x\n# Two.\ntwo: x:int * 1 -> x\n", "mine.rules",
                                                           NULL);
  g_assert_nonnull (rules);
  LsTrace *t = ls_trace_new (ctx);
  t->program_name = g_strdup ("add.py");
  t->program_text = g_strdup ("a = Tensor([1, 2])\nprint(a.numpy())  # é\n");
  t->std_out = g_strdup ("[1. 2.]\n");
  t->n_copies = 1;
  t->complete = TRUE;
  g_ptr_array_add (t->settings, g_strdup ("NOOPT=1"));
  g_ptr_array_add (t->settings, g_strdup ("DEBUG=0"));

  LsUOp *one = ls_uop_const_i (ctx, LS_INT32, 1), *zero = ls_uop_const_i (ctx, LS_INT32, 0);
  LsUOp *x = ls_uop_new0 (ctx, LS_OP_DEFINE_GLOBAL, ls_dtype_ptr (LS_FLOAT, LS_SPACE_GLOBAL, 4), ls_arg_int (0));
  gint64 axis[] = { 0, LS_AXIS_LOOP };
  LsUOp *r = ls_uop_new1 (ctx, LS_OP_RANGE, LS_INT32, one, ls_arg_ints (ctx, 2, axis));
  LsUOp *sum = ls_uop_alu2 (ctx, LS_OP_ADD, ls_uop_alu2 (ctx, LS_OP_MUL, r, one), zero);
  LsUOp *odd = ls_uop_new (ctx, LS_OP_SPECIAL, LS_INT32, 1, &one, ls_arg_str (ctx, "gidx0 '\\\n"));
  LsUOp *nan = ls_uop_new0 (ctx, LS_OP_CONST, LS_DOUBLE, ls_arg_float (-0.0));
  LsUOp *tagged = ls_uop_new_tag (ctx, LS_OP_INDEX, x->dtype, 2, (LsUOp *[]) { x, sum }, ls_arg_none (), 7);
  gint64 dims[] = { 2, 3 };
  LsUOp *view = ls_uop_new0 (ctx, LS_OP_VIEW, LS_VOID, ls_arg_tracker (ctx, ls_tracker_contiguous (ctx, (LsShape) { 2, dims })));

  *(LsStatement *) append (t->statements) = (LsStatement) { 1, 1, "a = Tensor([1, 2])", 10 };
  *(LsStatement *) append (t->statements) = (LsStatement) { 2, 2, "print(a.numpy())", 20 };
  *(LsProgramFile *) append (t->files) = (LsProgramFile) { "add.py", t->program_text, FALSE };
  *(LsProgramFile *) append (t->files) = (LsProgramFile) { "library/movement.py", "def reshape (): pass", TRUE };
  *(LsNameBinding *) append (t->bindings) = (LsNameBinding) { 0, "a", x->id, x->id, 1 };
  *(LsCall *) append (t->calls) = (LsCall) { -1, 0, 1, 4, "Tensor", "[1, 2]", x->id, 0, 1, 5, 1, 7 };
  *(LsCall *) append (t->calls) = (LsCall) { 0, 0, 1, 4, "reshape", "(2,)", LS_NO_NODE, 1, 3, 9, -1, 0 };
  *(LsNodeCall *) append (t->node_calls) = (LsNodeCall) { x->id, 1 };
  *(LsDecision *) append (t->decisions) = (LsDecision) { sum->id, x->id, TRUE, 2, 1, 0, LS_REASON_CHEAP, "reduce" };
  add_buffer (t, LS_FLOAT, 2, "input");
  add_buffer (t, ls_dtype_vec (LS_HALF, 1), 4, "output");
  *(LsOutput *) append (t->outputs) = (LsOutput) { 2, x->id, 1, 2, g_memdup2 (dims, sizeof dims), LS_FLOAT, TRUE };

  LsKernel *first = add_kernel (t, "void r_4(float* data0) {\n  data0[0] = 1;\n}\n");
  LsPassLog *recorder = begin_pass (t, 1, "simplify", "mine", LS_REWRITE_BOTTOM_UP, sum, rules);
  ls_pass_log_add (recorder, sum->src[0], r, 1, 40);
  LsUOp *rebuilt = ls_uop_alu2 (ctx, LS_OP_ADD, r, zero);
  ls_pass_log_add (recorder, sum, rebuilt, LS_LINK_REBUILD, 0);
  ls_pass_log_add (recorder, rebuilt, r, 0, 50);
  LsPass *pass = end_pass (t, recorder, r, 500);
  extend (ctx, pass->stats, &(LsRuleStat) { 1, 9, 1, 90 }, sizeof (LsRuleStat));
  LsPass *map = ls_trace_add_map_pass (t, 1, "linearize", r, r, 600);
  g_array_append_val (ls_pass_map (map), ((LsMapEntry) { r->id, sum->id, "order" }));
  g_array_append_vals (ls_pass_rows (map), (const guint32[]) { r->id, sum->id }, 2);
  fill_kernel (t, first, tagged);
  ls_trace_add_launch_passes (t, first);
  LsKernel *second = add_kernel (t, NULL);
  second->same_as = 1;
  ls_kernel_share_text (second, ls_trace_kernel (t, 1));
  second->ast = LS_NO_NODE;
  second->run_error = g_strdup ("kernel r_4 crashed (SIGSEGV)");
  ls_trace_add_launch_passes (t, second);
  g_assert_nonnull (odd);
  g_assert_nonnull (nan);
  g_assert_nonnull (view);
  return t;
}

static void
save (LsTrace *t, const char *path)
{
  g_autoptr (GError) error = NULL;
  gboolean ok = ls_trace_save (t, path, &error);
  g_assert_no_error (error);
  g_assert_true (ok);
}

static void
assert_same (LsTrace *a, LsTrace *b)
{
  g_autofree char *difference = ls_trace_compare (a, b);
  g_assert_cmpstr (difference, ==, NULL);
}

static void
execute (const char *path, const char *sql)
{
  sqlite3 *db = NULL;
  char *message = NULL;
  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  if (sqlite3_exec (db, sql, NULL, NULL, &message) != SQLITE_OK)
    g_error ("%s: %s", sql, message);
  sqlite3_close (db);
}

static void
assert_refused (const char *path, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LsTrace) t = ls_trace_load (path, &error);
  g_assert_null (t);
  g_assert_error (error, LS_ERROR, LS_ERROR_FILE);
  if (strstr (error->message, text) == NULL)
    g_error ("\"%s\" does not contain \"%s\"", error->message, text);
}

static void
test_round_trip (Fixture *f, gconstpointer unused)
{
  g_autoptr (LsTrace) t = make_trace ();
  g_autoptr (GError) error = NULL;
  save (t, f->path);
  g_autoptr (LsTrace) back = ls_trace_load (f->path, &error);
  g_assert_no_error (error);
  assert_same (t, back);
  /* what comparison leaves aside or might forgive */
  g_assert_cmpuint (ls_context_n_nodes (t->ctx), ==, ls_context_n_nodes (back->ctx));
  const LsPass *pass = back->passes->pdata[0];
  g_assert_cmpuint (pass->steps->len, ==, 2);
  g_assert_cmpuint (ls_pass_step_link (pass, 2)->ns, ==, ls_pass_step_link (t->passes->pdata[0], 2)->ns);
  g_assert_cmpuint (pass->ns, ==, 500);
  g_autoptr (LsGraph) last = ls_pass_graph (back, pass, 2);
  g_assert_true (last->root == ls_context_node (back->ctx, pass->output));
  const LsKernel *k = back->kernels->pdata[0];
  g_assert_cmpuint (g_array_index (k->run_ns, guint64, 0), ==, 12345);
  g_assert_cmpfloat (k->compile_ms, ==, 0.25);
  g_assert_cmpuint (k->passes->len, ==, 4);      /* two, compile and run */
  g_assert_cmpuint (((LsKernel *) back->kernels->pdata[1])->ast, ==, LS_NO_NODE);
  g_assert_cmpstr (((LsKernel *) back->kernels->pdata[1])->source, ==, k->source);      /* the first one's: it is not written again */
  g_assert_true (((LsKernel *) back->kernels->pdata[1])->listing == k->listing);
  g_assert_true (isnan (((LsTraceBuffer *) back->buffers->pdata[0])->mean));
  g_assert_true (back->complete);
  for (guint table = 0; table < LS_N_TABLES; table++) {      /* nothing was left out of this test */
    const LsTable *d = &ls_store_tables[table];
    guint rows = d->owner == LS_OWNER_TRACE ? ls_table_n_rows (d, back) : d->owner == LS_OWNER_KERNEL ? ls_table_n_rows (d, k) :
                 ls_table_n_rows (d, pass) + ls_table_n_rows (d, back->passes->pdata[1]);
    if (rows == 0)
      g_error ("table %s is empty in this test", d->name);
  }
  /* a loaded recording can be written again, over itself */
  save (back, f->path);
  g_autoptr (LsTrace) again = ls_trace_load (f->path, &error);
  g_assert_no_error (error);
  assert_same (t, again);
}

static void
test_compare (Fixture *f, gconstpointer unused)
{
  g_autoptr (LsTrace) a = make_trace ();
  static const char *const expected[] = {
    "meta: std_out differs", "calls: row 1: name differs", "kernels: row 1: options differs", "procedures: kernel 1: row 1: depth differs",
    "links: pass 0: link 0 differs", "buffers: row 0: data differs", "outputs: row 0: shape differs", "timings: kernel 1: 2 rows against 1",
    "settings: NOOPT=0 against NOOPT=1", "buffers: row 1: max differs",
  };
  for (guint k = 0; k < G_N_ELEMENTS (expected); k++) {
    g_autoptr (LsTrace) b = make_trace ();
    LsKernel *kernel = b->kernels->pdata[0];
    guint64 ns = 5;
    assert_same (a, b);
    ((LsPass *) b->passes->pdata[0])->ns = 1;      /* a time */
    assert_same (a, b);
    switch (k) {
    case 0: b->std_out[0] = '('; break;
    case 1: g_array_index (b->calls, LsCall, 1).name = "permute"; break;
    case 2: kernel->options = ""; break;
    case 3: g_array_index (kernel->procedure, LsProcRow, 1).depth = 2; break;
    case 4: g_array_index (((LsPass *) b->passes->pdata[0])->links, LsLink, 0).rule = 0; break;
    case 5: ((LsTraceBuffer *) b->buffers->pdata[0])->data[3] = 1; break;
    case 6: g_array_index (b->outputs, LsOutput, 0).dims[1] = 4; break;
    case 7: g_array_append_val (kernel->run_ns, ns); break;
    case 8: ((char *) b->settings->pdata[0])[6] = '0'; break;
    case 9: ((LsTraceBuffer *) b->buffers->pdata[1])->max = 2; break;
    }
    g_autofree char *difference = ls_trace_compare (b, a);
    g_assert_cmpstr (difference, ==, expected[k]);
  }
}

/* Flush by flush: each state of the file can be read, and rows that change later are written again. */
static void
test_incremental (Fixture *f, gconstpointer unused)
{
  g_autoptr (LsTrace) t = make_trace ();
  g_autoptr (GError) error = NULL;
  t->complete = FALSE;
  LsTraceWriter *writer = ls_trace_writer_new (t, f->path, &error);
  g_assert_no_error (error);
  g_assert_true (ls_trace_writer_flush (writer, &error));
  g_autoptr (LsTrace) first = ls_trace_load (f->path, &error);
  g_assert_no_error (error);
  assert_same (t, first);
  g_assert_false (first->complete);

  g_free (t->std_out);
  t->std_out = g_strdup ("more");
  g_array_index (t->calls, LsCall, 1).node = 3;
  ((LsKernel *) t->kernels->pdata[0])->options = "LOCAL:0:4";
  guint64 ns = 777;
  g_array_append_val (((LsKernel *) t->kernels->pdata[0])->run_ns, ns);
  LsPass *pass = t->passes->pdata[0];
  extend (t->ctx, pass->steps, &(guint32) { pass->links->len }, sizeof (guint32));
  extend (t->ctx, pass->links, &(LsLink) { 4, 0, 1, 60 }, sizeof (LsLink));
  ls_uop_const_i (t->ctx, LS_INT64, 1234567);
  for (guint k = 0; k < 1000; k++)
    *(LsNodeCall *) append (t->node_calls) = (LsNodeCall) { k % 4, 0 };
  g_assert_true (ls_trace_writer_flush (writer, &error));
  g_autoptr (LsTrace) second = ls_trace_load (f->path, &error);
  g_assert_no_error (error);
  assert_same (t, second);

  g_array_index (t->node_calls, LsNodeCall, 2).node = 2;      /* long ago: written when it finishes */
  g_assert_true (ls_trace_writer_finish (writer, &error));
  g_autoptr (LsTrace) last = ls_trace_load (f->path, &error);
  g_assert_no_error (error);
  assert_same (t, last);
  g_assert_true (last->complete);
}

/* A process killed at any moment leaves what it flushed; within a flush, too. */
static void
test_killed (Fixture *f, gconstpointer unused)
{
  for (guint round = 0; round < 12; round++) {
    int begun[2];
    char byte;
    g_assert_cmpint (pipe (begun), ==, 0);
    pid_t pid = fork ();
    if (pid == 0) {
      g_autoptr (LsTrace) t = make_trace ();
      t->complete = FALSE;
      LsTraceWriter *writer = ls_trace_writer_new (t, f->path, NULL);
      ls_trace_writer_flush (writer, NULL);
      if (write (begun[1], "", 1) != 1)
        _exit (1);
      for (;;) {
        for (guint k = 0; k < 3000; k++) {
          *(LsNodeCall *) append (t->node_calls) = (LsNodeCall) { k % 4, 0 };
          ls_uop_const_i (t->ctx, LS_INT64, ls_context_n_nodes (t->ctx) + 1000);
        }
        ls_trace_writer_flush (writer, NULL);
      }
    }
    /* the moments are counted from the first flush, which a busy machine may be slow to reach */
    close (begun[1]);
    g_assert_cmpint (read (begun[0], &byte, 1), ==, 1);
    close (begun[0]);
    g_usleep (1000 + round * 7000);
    kill (pid, SIGKILL);
    waitpid (pid, NULL, 0);
    g_autoptr (GError) error = NULL;
    g_autoptr (LsTrace) back = ls_trace_load (f->path, &error);
    g_assert_no_error (error);
    g_assert_false (back->complete);
    g_assert_cmpuint ((back->node_calls->len - 1) % 3000, ==, 0);      /* whole flushes */
    g_autofree char *journal = g_strconcat (f->path, "-journal", NULL);
    g_unlink (journal);
    g_unlink (f->path);
  }
}

/* Every byte changed (a sample of them in a quick run): an error, or a recording that can be used. */
static void
test_flipped (Fixture *f, gconstpointer unused)
{
  g_autoptr (LsTrace) t = make_trace ();
  g_autofree char *bytes = NULL;
  gsize n;
  guint refused = 0, read = 0;
  save (t, f->path);
  g_assert_true (g_file_get_contents (f->path, &bytes, &n, NULL));
  FILE *file = g_fopen (f->path, "r+b");
  setbuf (file, NULL);
  gsize stride = g_test_thorough () ? 1 : 61;
  for (gsize at = 0; at < n; at += bytes[at] || at < 4096 ? MIN (stride, 17) : stride) {
    fseek (file, (long) at, SEEK_SET);
    fputc (bytes[at] ^ (at % 3 == 0 ? 0x01 : at % 3 == 1 ? 0x80 : 0xff), file);
    g_autoptr (GError) error = NULL;
    g_autoptr (LsTrace) back = ls_trace_load (f->path, &error);
    g_assert_true ((back == NULL) == (error != NULL));
    if (back == NULL) {
      refused++;
      g_assert_error (error, LS_ERROR, LS_ERROR_FILE);
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
    } else {
      read++;
      g_free (ls_trace_compare (t, back));
      for (guint k = 0; k < back->passes->len; k++) {
        const LsPass *pass = back->passes->pdata[k];
        for (guint step = 0; step <= ls_pass_n_rewrites (pass); step++)
          ls_graph_unref (ls_pass_graph (back, pass, step));
      }
    }
    fseek (file, (long) at, SEEK_SET);
    fputc (bytes[at], file);
  }
  fclose (file);
  g_test_message ("%u refused, %u read", refused, read);
  g_assert_cmpuint (refused, >, 20);
}

/* Everything that reads a recording, on one that was changed behind its writer's back. */
static void
use_all (LsTrace *t)
{
  for (guint k = 0; k < t->passes->len; k++) {
    const LsPass *pass = t->passes->pdata[k];
    for (guint step = 1; step <= ls_pass_n_rewrites (pass); step++) {
      LsGraphDiff *diff = ls_pass_diff_step (t, pass, step);
      g_clear_pointer (&diff, ls_graph_diff_unref);
      g_free (ls_step_sentence (t, pass, step));
      LsBinding bindings[8];
      ls_step_bindings (t, pass, step, bindings, G_N_ELEMENTS (bindings));
    }
    LsUOp *root = ls_context_node (t->ctx, pass->output);
    if (root)
      g_array_unref (ls_trace_program_lines (t, pass, root));
  }
  ls_verify_free (ls_trace_verify (t));
}

static void
test_mutated (Fixture *f, gconstpointer unused)
{
  static const char *const values[] = { "-1", "0", "1", "2", "3", "7", "4294967295", "9223372036854775807", "NULL", "''", "'x'", "x''",
                                        "x'00000000'",
                                        "x'0000000001000000'", "1.5", "'None'", "'ADD'", "'dtypes.int'", "'(0, 0)'", "'2'",
                                        "zeroblob(48)" };
  g_autoptr (LsTrace) t = make_trace ();
  GRand *rand = g_rand_new_with_seed (11);
  guint refused = 0, read = 0;
  for (guint k = 0; k < (g_test_thorough () ? 20000 : 400); k++) {
    guint table = (guint) g_rand_int_range (rand, 0, LS_N_TABLES + 2);
    const char *column, *name = table == LS_N_TABLES ? "nodes" : table > LS_N_TABLES ? "links" : ls_store_tables[table].name;
    if (table == LS_N_TABLES)
      column = ((const char *[]) { "op", "dtype", "arg", "src", "tag" })[g_rand_int_range (rand, 0, 5)];
    else if (table > LS_N_TABLES)
      column = "data";
    else
      column = ls_store_tables[table].columns[g_rand_int_range (rand, 0, (gint32) ls_store_tables[table].n_columns)].name;
    const char *value = values[g_rand_int_range (rand, 0, G_N_ELEMENTS (values))];
    g_autofree char *key = table < LS_N_TABLES ? g_strdup (ls_store_tables[table].key) : g_strdup (table == LS_N_TABLES ? "id" : "chunk");
    g_autofree char *sql = g_strdup_printf ("UPDATE OR IGNORE %s SET %s = %s WHERE %s %% 12 = %d", name, column, value, key,
                                            g_rand_int_range (rand, 0, 12));
    sqlite3 *db = NULL;
    save (t, f->path);
    g_assert_cmpint (sqlite3_open (f->path, &db), ==, SQLITE_OK);
    sqlite3_exec (db, sql, NULL, NULL, NULL);      /* NOT NULL may refuse it */
    sqlite3_close (db);
    g_autoptr (GError) error = NULL;
    g_autoptr (LsTrace) back = ls_trace_load (f->path, &error);
    g_assert_true ((back == NULL) == (error != NULL));
    refused += back == NULL;
    read += back != NULL;
    if (back)
      use_all (back);
  }
  g_rand_free (rand);
  g_test_message ("%u refused, %u read", refused, read);
}

static void
test_truncated (Fixture *f, gconstpointer unused)
{
  g_autoptr (LsTrace) t = make_trace ();
  struct stat info;
  save (t, f->path);
  g_assert_cmpint (stat (f->path, &info), ==, 0);
  for (off_t size = info.st_size - 1; size >= 0; size = size % 512 ? size - size % 512 : size - 512) {
    g_assert_cmpint (truncate (f->path, size), ==, 0);
    g_autoptr (GError) error = NULL;
    g_autoptr (LsTrace) back = ls_trace_load (f->path, &error);
    g_assert_true ((back == NULL) == (error != NULL));
    if (size < info.st_size - 4096)
      g_assert_null (back);
    if (size == 0)
      break;
  }
}

static void
test_foreign (Fixture *f, gconstpointer unused)
{
  assert_refused ("/nonexistent/a.lscope", "No such file");
  g_file_set_contents (f->path, "", 0, NULL);
  assert_refused (f->path, "is not a Lazyscope recording");
  g_file_set_contents (f->path, "import tinygrad\n", -1, NULL);
  assert_refused (f->path, "is not a Lazyscope recording");
  g_unlink (f->path);
  execute (f->path, "CREATE TABLE nodes (id INTEGER PRIMARY KEY)");
  assert_refused (f->path, "is not a Lazyscope recording");
  execute (f->path, "PRAGMA application_id = 1280525135; PRAGMA user_version = 15");
  assert_refused (f->path, "was written by a newer version (schema 15); this program reads up to 14");
  execute (f->path, "PRAGMA user_version = 1");
  assert_refused (f->path, "meta: the table is missing");
}

static void
test_hostile (Fixture *f, gconstpointer unused)
{
  static const struct { const char *sql, *text; } rows[] = {
    { "UPDATE nodes SET op = 'FROB' WHERE id = 1", "nodes: row 1: there is no op \"FROB\"" },
    { "UPDATE nodes SET dtype = 'int.vec(9999)' WHERE id = 0", "nodes: row 0: there is no dtype" },
    { "UPDATE nodes SET arg = '(1, 2' WHERE id = 0", "nodes: row 0: \"(1, 2\" is not an argument" },
    { "UPDATE nodes SET arg = '''x''' WHERE id = 0", "nodes: row 0: CONST cannot have this argument" },
    { "UPDATE nodes SET arg = '(0,)' WHERE op = 'RANGE'", "RANGE cannot have this argument" },
    { "UPDATE nodes SET src = x'ffffffff' WHERE op = 'RANGE'", "source 4294967295 does not come before it" },
    { "UPDATE nodes SET src = x'00000000' WHERE op = 'ADD'", "ADD has 1 sources, not 2" },
    { "UPDATE nodes SET src = x'000000' WHERE op = 'RANGE'", "src has 3 bytes" },
    { "UPDATE nodes SET arg = '1' WHERE id = 1", "nodes: row 1: it duplicates node 0" },
    { "UPDATE nodes SET id = 1000000000 WHERE id = 3", "nodes: row 3: id is 4, not in 3…3" },
    { "UPDATE nodes SET tag = 70000 WHERE id = 0", "nodes: row 0: tag is 70000" },
    { "UPDATE calls SET parent = 1 WHERE id = 1", "calls: row 1: parent is 1, not in -1…0" },
    { "UPDATE calls SET node = 400 WHERE id = 1", "calls: row 1: node is 400" },
    { "UPDATE calls SET name = x'00' WHERE id = 1", "calls: row 1: name is not text" },
    { "UPDATE calls SET name = CAST(x'ff' AS TEXT) WHERE id = 1", "calls: row 1: name is not valid UTF-8" },
    { "UPDATE calls SET statement = 5 WHERE id = 1", "calls: row 1: statement is 5, not in 0…1" },
    { "UPDATE statements SET file = 2 WHERE id = 1", "statements: row 1: file is 2, not in 0…1" },
    { "UPDATE calls SET def_file = -2 WHERE id = 1", "calls: row 1: def_file is -2, not in -1…1" },
    { "UPDATE candidates SET parent = 1 WHERE position = 1", "candidates: row 1: parent is 1, not in -1…0" },
    { "UPDATE candidates SET layer = 7 WHERE position = 1", "kernel 1: layer 7 is not its parent's layer plus one" },
    { "UPDATE candidates SET parent = -1, layer = 0 WHERE position = 1", "kernel 1: layer 0 is not its parent's" },
    { "UPDATE candidates SET chosen = 1", "kernel 1: 2 candidates are chosen" },
    { "UPDATE candidates SET equal = 'alike' WHERE position = 0", "equal cannot be \"alike\"" },
    { "UPDATE candidates SET kernel = 2; UPDATE searches SET heuristic = -1", "kernel 2 has no search" },
    { "UPDATE searches SET kernel = 0", "there is no kernel 0" },
    { "UPDATE searches SET kernel = 9", "searches: row 0: kernel is 9, not in 0…2" },
    { "UPDATE searches SET heuristic = 2", "kernel 1 has no candidate 2" },
    { "DELETE FROM searches", "kernel 1 has no search" },
    { "UPDATE bindings SET statement = 2", "bindings: row 0: statement is 2, not in 0…1" },
    { "UPDATE kernels SET same_as = 2 WHERE number = 2", "kernels: row 2: same_as is 2, not in 0…1" },
    { "UPDATE passes SET kind = 'guess' WHERE id = 0", "passes: row 0: kind cannot be \"guess\"" },
    { "UPDATE passes SET kernel = 3 WHERE id = 0", "passes: row 0: kernel is 3, not in 0…2" },
    { "UPDATE links SET data = x'00'", "links: row 0: data has 1 bytes" },
    { "UPDATE links SET data = zeroblob(16) || x'ffffffff'", "links: row 0: data" },
    { "UPDATE links SET data = x'ffffff00000000000000000000000000'", "links: row 0: link 0 is between nodes that do not exist" },
    { "UPDATE links SET data = x'00000000000000000900000000000000'", "links: row 0: link 0 has a rule that does not exist" },
    { "UPDATE links SET pass = 1", "links: row 1: a map has 48 bytes of links" },
    { "UPDATE links SET chunk = 1", "links: row 0: chunk is 1, not in 0…0" },
    { "UPDATE buffers SET n_elements = 3 WHERE id = 0", "buffers: row 0: 8 bytes of data for 3 elements of float" },
    { "UPDATE buffers SET n_elements = 9223372036854775807, data = NULL WHERE id = 0", "buffers: row 0: it is too large" },
    { "UPDATE outputs SET shape = '(2, -3)'", "outputs: row 0: shape has a negative size" },
    { "UPDATE outputs SET buffer = 2", "outputs: row 0: buffer is 2, not in 0…1" },
    { "UPDATE source_links SET line = 4", "source_links: row 0: kernel 1 has no line 4" },
    { "UPDATE expressions SET listing_row = 3", "expressions: row 0: kernel 1 has no row 3" },
    { "UPDATE code_lines SET line = 4 WHERE position = 0", "code_lines: row 0: the code of kernel 1 has no byte 0 here, or its source "
                                                           "has no line 4" },
    { "UPDATE code_lines SET code_offset = 5 WHERE position = 1", "code_lines: row 1: the code of kernel 1 has no byte 5" },
    { "UPDATE code_lines SET code_offset = 0", "code_lines: row 1:" },
    { "UPDATE kernels SET code = NULL", "code_lines: row 0:" },
    { "UPDATE listings SET kernel = 9", "listings: row 0: kernel is 9, not in 1…2" },
    { "DELETE FROM listings WHERE position = 1", "listings: row 2: position is 2, not in 1…1" },
    { "DELETE FROM statements WHERE id = 0", "statements: row 1: id is 1, not in 0…0" },
    { "UPDATE meta SET value = 'x' WHERE key = 'n_copies'", "meta: n_copies is not a number" },
    { "DROP TABLE maps", "maps: the table is missing" },
    { "UPDATE procedures SET kind = 'jump'", "procedures: row 0: kind cannot be \"jump\"" },
    { "UPDATE procedures SET op = 'FLY'", "procedures: row 0: op: there is no op \"FLY\"" },
    { "UPDATE procedures SET sources = '(0, -1)'", "procedures: row 0: sources: \"(0, -1)\" is not a list of registers" },
    { "UPDATE procedures SET sources = '4'", "is not a list of registers" },
    { "UPDATE procedures SET value = '(1'", "procedures: row 0: value: \"(1\" is not an argument" },
    { "DROP TABLE maps; CREATE VIEW maps AS SELECT 0 AS pass, 0 AS position, 0 AS new_node, 0 AS old_node, '' AS reason", "maps:" },
    { "ALTER TABLE settings ADD COLUMN x AS (hex(zeroblob(100000)))", "settings: has computed columns" },
    { "ALTER TABLE calls RENAME COLUMN args TO argv", "calls: no such column: args" },
  };
  g_autoptr (LsTrace) t = make_trace ();
  for (guint k = 0; k < G_N_ELEMENTS (rows); k++) {
    save (t, f->path);
    execute (f->path, rows[k].sql);
    assert_refused (f->path, rows[k].text);
  }
}

/* Before schema 13 exp2, log2 and sin are the C library's, also after saving the recording again. */
static void
check_functions (LsTrace *t)
{
  LsSettings settings;
  ls_trace_settings (t, &settings);
  g_assert_null (t->functions);
  g_assert_cmpint (settings.TRANSCENDENTAL, ==, 0);
  for (guint i = 0; i < ls_context_n_nodes (t->ctx); i++)
    g_assert_true (ls_context_node (t->ctx, i)->library);
}

/* Facts that recordings of earlier schemas lack cannot be judged, also after saving them again: they are not differences. */
static void
test_older (Fixture *f, gconstpointer unused)
{
  static const char *const names[] = { "schema-1.lscope", "schema-2.lscope", "../ui/data/lazy.lscope", "../ui/data/rows.lscope",
                                       "../ui/data/softmax-classic.lscope", "../ui/data/softmax.lscope" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = g_test_build_filename (G_TEST_DIST, names[i], NULL);
    g_autoptr (GError) error = NULL;
    g_autoptr (LsTrace) t = ls_trace_load (path, &error);
    g_assert_no_error (error);
    check_functions (t);
    LsVerify *then = ls_trace_verify (t);
    save (t, f->path);
    g_autoptr (LsTrace) back = ls_trace_load (f->path, &error);
    g_assert_no_error (error);
    check_functions (back);
    LsVerify *again = ls_trace_verify (back);
    g_assert_cmpint (then->verdict, ==, LS_VERIFY_UNJUDGED);
    g_assert_cmpint (then->sealed, ==, LS_UNSEALED);
    g_assert_cmpuint (then->unjudged->len, >, 0);
    g_assert_cmpint (again->verdict, !=, LS_VERIFY_DIFFERS);
    g_assert_cmpint (again->sealed, ==, LS_SEALED);
    ls_verify_free (then);
    ls_verify_free (again);
  }
}

/* A recording of schema 1 has nothing but the text of a procedure's rows, and says so; it is kept when the recording is written again. */
static void
test_schema_1 (Fixture *f, gconstpointer unused)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "schema-1.lscope", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (LsTrace) t = ls_trace_load (path, &error);
  g_assert_no_error (error);
  const GArray *rows = ls_trace_kernel (t, 1)->procedure;
  const LsProcRow *first = &g_array_index (rows, LsProcRow, 0);
  g_autofree char *signature = ls_proc_signature ("E_2", rows), *text = ls_proc_row_text (first);
  g_assert_cmpint (first->kind, ==, LS_PROC_TEXT);
  g_assert_cmpstr (signature, ==, "E_2: recorded by an earlier version, without values, buffers and types");
  g_assert_cmpstr (text, ==, "v0 = const");
  save (t, f->path);
  g_autoptr (LsTrace) back = ls_trace_load (f->path, &error);
  g_assert_no_error (error);
  assert_same (t, back);
}

/* A recording of schema 2 knows no files: its statements and calls are the program's. */
static void
test_schema_2 (Fixture *f, gconstpointer unused)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "schema-2.lscope", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (LsTrace) t = ls_trace_load (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (t->files->len, ==, 0);
  g_assert_cmpuint (t->calls->len, >, 3);
  g_assert_cmpint (g_array_index (t->calls, LsCall, 1).file, ==, 0);
  g_assert_cmpuint (g_array_index (t->calls, LsCall, 1).file_line, ==, 0);
  save (t, f->path);
  g_autoptr (LsTrace) back = ls_trace_load (f->path, &error);
  g_assert_no_error (error);
  assert_same (t, back);
}

/* A table that came later may be missing. */
static void
test_earlier (Fixture *f, gconstpointer unused)
{
  g_autoptr (LsTrace) t = make_trace ();
  g_autoptr (GError) error = NULL;
  save (t, f->path);
  execute (f->path, "DROP TABLE code_lines");
  g_autoptr (LsTrace) back = ls_trace_load (f->path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ls_trace_kernel (back, 1)->code_lines->len, ==, 0);
  g_autofree char *difference = ls_trace_compare (t, back);
  g_assert_nonnull (strstr (difference, "code_lines"));
}

static void
test_unwritable (Fixture *f, gconstpointer unused)
{
  g_autoptr (LsTrace) t = make_trace ();
  g_autoptr (GError) error = NULL;
  g_assert_false (ls_trace_save (t, "/nonexistent/a.lscope", &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_FILE);
  g_assert_nonnull (strstr (error->message, "No such file"));
  g_clear_error (&error);
  /* what is not a recording is not overwritten */
  g_file_set_contents (f->path, "print('precious')\n", -1, NULL);
  g_assert_false (ls_trace_save (t, f->path, &error));
  g_assert_nonnull (strstr (error->message, "is not a recording; it was not overwritten"));
  g_clear_error (&error);
  g_assert_null (ls_trace_writer_new (t, f->path, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_FILE);
}

/* No room: an error that says so, and no more writing. */
static void
test_full (Fixture *f, gconstpointer unused)
{
  pid_t pid = fork ();
  if (pid == 0) {
    g_autoptr (LsTrace) t = make_trace ();
    g_autoptr (GError) error = NULL, again = NULL;
    struct rlimit limit = { 300000, 300000 };
    signal (SIGXFSZ, SIG_IGN);
    setrlimit (RLIMIT_FSIZE, &limit);
    LsTraceWriter *writer = ls_trace_writer_new (t, f->path, &error);
    gboolean ok = writer != NULL && ls_trace_writer_flush (writer, &error);
    for (guint k = 0; k < 100000; k++)
      ls_uop_const_i (t->ctx, LS_INT64, k + 1000);
    ok = ok && !ls_trace_writer_flush (writer, &error) && g_error_matches (error, LS_ERROR, LS_ERROR_FILE);
    ok = ok && !ls_trace_writer_finish (writer, &again) && g_str_equal (error->message, again->message);
    _exit (ok ? 0 : 1);
  }
  int status;
  waitpid (pid, &status, 0);
  g_assert_true (WIFEXITED (status) && WEXITSTATUS (status) == 0);
  g_autoptr (GError) error = NULL;
  g_autoptr (LsTrace) back = ls_trace_load (f->path, &error);
  g_assert_no_error (error);      /* up to its first flush */
  g_assert_nonnull (back);
}

/* The documentation's row of a column, "| `name` | TEXT | derived | … |", says its class; several columns may share a row. */
static void
check_documented (const char *body, const char *table, const LsColumn *c)
{
  static const char *const classes[] = { [LS_CLASS_DERIVED] = "derived", [LS_CLASS_DOUBLED] = "doubled", [LS_CLASS_WITNESS] = "witness" };
  g_autofree char *pattern = g_strdup_printf ("^\\| [^|]*`%s`[^|]* \\| ([^|]* \\| )?%s \\|", c->name, classes[c->class]);
  g_autoptr (GRegex) row = g_regex_new (pattern, G_REGEX_MULTILINE, 0, NULL);
  if (!g_regex_match (row, body, 0, NULL))
    g_error ("column %s of %s is not documented as %s", c->name, table, classes[c->class]);
}

/* The documentation names every table and column, and the class of each. */
static void
test_documented (Fixture *f, gconstpointer unused)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "..", "..", "data", "trace-schema.md", NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  for (guint table = 0; table < LS_N_SEALS; table++) {
    const LsTable *t = ls_seal_table (table);
    g_autofree char *head = g_strdup_printf ("\n### `%s`\n", t->name);
    const char *section = strstr (text, head);
    if (section == NULL)
      g_error ("table %s is not documented", t->name);
    const char *end = strstr (section + strlen (head), "\n### ");
    g_autofree char *body = end ? g_strndup (section, end - section) : g_strdup (section);
    for (guint k = 0; k < t->n_columns; k++)
      check_documented (body, t->name, &t->columns[k]);
  }
}

/* A recording of a million links, timed. */
static void
test_speed (Fixture *f, gconstpointer unused)
{
  g_autoptr (LsTrace) t = make_trace ();
  g_autoptr (GError) error = NULL;
  guint n = g_test_thorough () ? 1000000 : 100000;
  LsPass *pass = t->passes->pdata[0];
  g_autoptr (GArray) links = g_array_new (FALSE, FALSE, sizeof (LsLink)), steps = g_array_new (FALSE, FALSE, sizeof (guint32));
  LsUOp *zero = ls_uop_const_i (t->ctx, LS_INDEX, 0), *last = zero;
  for (guint k = 0; k < n; k++) {
    LsUOp *u = ls_uop_alu2 (t->ctx, LS_OP_ADD, zero, ls_uop_const_i (t->ctx, LS_INDEX, k + 1));
    LsLink link = { last->id, u->id, k % 2 ? LS_LINK_REBUILD : 1, 30 };
    if (k % 2 == 0)
      g_array_append_val (steps, ((guint32[]) { pass->links->len + links->len })[0]);
    g_array_append_val (links, link);
    last = u;
  }
  extend_by (t->ctx, pass->links, links->data, links->len, sizeof (LsLink));
  extend_by (t->ctx, pass->steps, steps->data, steps->len, sizeof (guint32));
  gint64 begin = g_get_monotonic_time ();
  save (t, f->path);
  gint64 middle = g_get_monotonic_time ();
  g_autoptr (LsTrace) back = ls_trace_load (f->path, &error);
  g_assert_no_error (error);
  struct stat info;
  g_assert_cmpint (stat (f->path, &info), ==, 0);
  g_test_message ("%u nodes, %u links, %u steps: %.0f ms to write, %.0f ms to read, %.1f MB", ls_context_n_nodes (t->ctx), pass->links->len,
                  pass->steps->len, (double) (middle - begin) / 1e3, (double) (g_get_monotonic_time () - middle) / 1e3,
                  (double) info.st_size / 1e6);
  assert_same (t, back);
}

int
main (int argc, char **argv)
{
  static const struct { const char *path; void (*test) (Fixture *, gconstpointer); } tests[] = {
    { "/store/round-trip", test_round_trip }, { "/store/compare", test_compare }, { "/store/incremental", test_incremental },
    { "/store/killed", test_killed }, { "/store/flipped", test_flipped }, { "/store/mutated", test_mutated },
    { "/store/truncated", test_truncated },
    { "/store/foreign", test_foreign }, { "/store/hostile", test_hostile }, { "/store/unwritable", test_unwritable },
    { "/store/earlier", test_earlier },
    { "/store/older", test_older }, { "/store/schema-1", test_schema_1 },
    { "/store/schema-2", test_schema_2 },
    { "/store/full", test_full }, { "/store/documented", test_documented }, { "/store/speed", test_speed },
  };
  g_test_init (&argc, &argv, NULL);
  for (guint k = 0; k < G_N_ELEMENTS (tests); k++)
    g_test_add (tests[k].path, Fixture, NULL, setup, tests[k].test, teardown);
  return g_test_run ();
}
