/* Whole programs, recorded while they run: the file says what the recording in memory says, and reading it satisfies the invariants. */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#include "../sample.h"
#include "ask/ask.h"
#include "program/program.h"
#include "fixture.h"
#include "ir/sentence.h"
#include "trace/realizations.h"
#include "trace/statements.h"
#include "trace/timeline.h"

static gboolean
stands_over (LsTrace *t, LsUOp *u, LsUOp *below)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (t->ctx, u);
  return g_ptr_array_find (order, below, NULL);
}

static void
add_below (LsTrace *t, LsUOp *root, GHashTable *to)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (t->ctx, root);
  for (guint k = 0; k < order->len; k++)
    g_hash_table_add (to, order->pdata[k]);
}

/* An ancestor of the step's match that is rebuilt as a node which an earlier link replaced is at once what that came to: it goes, and
 * that comes. became: what nodes were replaced by until then. */
static void
resume (LsTrace *t, const LsPass *pass, guint step, GHashTable *became, GHashTable *comes, GHashTable *goes)
{
  guint first = g_array_index (pass->steps, guint32, step - 1),
        end = step < pass->steps->len ? g_array_index (pass->steps, guint32, step) : pass->links->len;
  for (guint i = first; i < end; i++) {
    const LsLink *l = &g_array_index (pass->links, LsLink, i);
    guint32 node = l->after;
    for (gpointer next; i > first && g_hash_table_lookup_extended (became, GUINT_TO_POINTER (node), NULL, &next) &&
         GPOINTER_TO_UINT (next) != node;)
      node = GPOINTER_TO_UINT (next);
    if (node != l->after) {
      add_below (t, ls_context_node (t->ctx, node), comes);
      add_below (t, ls_context_node (t->ctx, l->before), goes);
    }
    g_hash_table_insert (became, GUINT_TO_POINTER (l->before), GUINT_TO_POINTER (l->after));
  }
}

/* A step adds only nodes below its result, or rebuilt ancestors of the match, and removes only nodes below the match: ancestors are
 * rebuilt, in the last step of a pass too. One that becomes equal to a node that is there already is that node, and so removed. */
static void
check_steps (LsTrace *t)
{
  guint n_steps = 0, n_wrong = 0, share = t->kernels->len > 100 ? fixture_sample (4, "kernels") : 1;
  for (guint i = 0; i < t->passes->len; i++) {
    const LsPass *pass = t->passes->pdata[i];
    g_autoptr (GHashTable) became = g_hash_table_new (NULL, NULL);
    if (pass->kernel % share)
      continue;
    for (guint step = 1; pass->kind == LS_PASS_REWRITE && step <= ls_pass_n_rewrites (pass); step++, n_steps++) {
      g_autoptr (LsGraphDiff) d = ls_pass_diff_step (t, pass, step);
      g_autoptr (GHashTable) below_result = g_hash_table_new (NULL, NULL), below_match = g_hash_table_new (NULL, NULL);
      add_below (t, d->result, below_result);
      add_below (t, d->matched, below_match);
      resume (t, pass, step, became, below_result, below_match);
      for (guint k = 0; k < d->nodes->len; k++) {
        const LsDiffNode *n = &g_array_index (d->nodes, LsDiffNode, k);
        if ((n->kind == LS_DIFF_ADDED && !g_hash_table_contains (below_result, n->node)) ||
            (n->kind == LS_DIFF_REMOVED && !g_hash_table_contains (below_match, n->node) && !stands_over (t, n->node, d->matched))) {
          if (n_wrong++ < 5)
            g_test_message ("%u/%s/%u: %s %s", pass->kernel, pass->name, step, ls_op_name (n->node->op),
                            n->kind == LS_DIFF_ADDED ? "added" : "removed");
          g_test_fail ();
        }
      }
    }
  }
  g_test_message ("%u steps", n_steps);
}

/* Each kernel belongs to a call that asked for it, and each copy of host data to the realization that was the first to need it. */
static void
check_realizations (LsTrace *t)
{
  const GPtrArray *all = ls_trace_realizations (t);
  guint n_copies = 0, next = 1;
  for (guint i = 0; i < all->len; i++) {
    const LsRealization *r = all->pdata[i];
    g_assert_cmpint (r->call, >=, 0);
    g_assert_cmpuint (r->row, ==, g_array_index (t->calls, LsCall, r->call).statement);
    g_assert_true (r->n_kernels == 0 || r->first == next);
    next += r->n_kernels;
    n_copies += r->copies->len;
  }
  g_assert_cmpuint (next, ==, t->kernels->len + 1);
  g_assert_cmpuint (n_copies, ==, t->n_copies);
  for (guint i = 0, end = 0; i < all->len; i++) {      /* each pass led to the kernels of one of them */
    const LsRealization *r = all->pdata[i];
    if (r->n_kernels == 0)
      continue;
    g_assert_cmpuint (r->pass, ==, end);
    g_assert_cmpuint (r->end_pass, >, r->pass);
    end = r->end_pass;
    const LsPass *pass = ls_trace_pass (t, r->first, "schedule");
    g_assert_true (pass && pass->index >= r->pass && pass->index < r->end_pass);
    gint stop = ls_pass_asking_stop (t, pass);
    g_assert_cmpint (stop, >=, 0);
    g_assert_cmpuint (g_array_index (ls_trace_stops (t), LsStop, stop).row, ==, r->row);
  }
}

/* Each span begins where the one before it ends, each pass with a time is there once, and all of them together took as long as the
 * statements outside of functions. */
static void
check_timeline (LsTrace *t)
{
  g_autoptr (GArray) spans = ls_timeline_new (t);
  g_autofree guint *seen = g_new0 (guint, t->passes->len + 1);
  double at = 0, statements = 0;
  for (guint i = 0; i < spans->len; i++) {
    const LsSpan *s = &g_array_index (spans, LsSpan, i);
    g_assert_cmpfloat (s->from, ==, at);
    g_assert_cmpfloat (s->ns, >, 0);
    at += s->ns;
    if (s->kind == LS_SPAN_PASS)
      seen[s->pass]++;
    if (s->kind != LS_SPAN_STATEMENT)
      g_assert_cmpint (s->stop, ==, ls_pass_asking_stop (t, t->passes->pdata[s->pass]));
  }
  for (guint i = 0; i < t->passes->len; i++) {
    const LsPass *pass = t->passes->pdata[i];
    gboolean other = g_str_equal (pass->stage, "compile") || g_str_equal (pass->stage, "run");
    g_assert_cmpuint (seen[i], ==, pass->ns > 0 && pass->parent < 0 && !other);
  }
  for (guint i = 0; i < t->statements->len; i++)
    if (ls_statement_outer (t, i) < 0)
      statements += (double) g_array_index (t->statements, LsStatement, i).ns;
  g_assert_cmpfloat (at, >=, statements * 0.999);      /* repeats of a launch are measured when the program has ended */
}

static void
check_program (const char *path, const char *text, const char *compiler)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *directory = g_dir_make_tmp ("lazyscope-record-XXXXXX", NULL);
  g_autofree char *file = g_build_filename (directory, "a.lscope", NULL);
  g_autoptr (LsSession) s = fixture_session (&(FixtureRun) { .compiler = compiler });
  s->writer = ls_trace_writer_new (s->trace, file, &error);
  g_assert_no_error (error);
  gboolean ok = ls_session_run_program (s, text, path, &error);
  g_assert_no_error (error);
  g_assert_true (ok);
  gint64 begin = g_get_monotonic_time ();
  g_assert_true (ls_trace_writer_finish (g_steal_pointer (&s->writer), &error));
  gint64 written = g_get_monotonic_time ();
  guint32 n_nodes = ls_context_n_nodes (s->ctx);

  g_autoptr (LsTrace) back = ls_trace_load (file, &error);
  g_assert_no_error (error);
  gint64 read = g_get_monotonic_time ();
  g_autofree char *difference = ls_trace_compare (s->trace, back);
  g_assert_cmpstr (difference, ==, NULL);
  g_assert_true (back->complete);
  g_assert_cmpuint (ls_context_n_nodes (back->ctx), ==, n_nodes);
  LsVerify *verify = ls_trace_verify (back);
  g_assert_cmpuint (verify->replay_failures, ==, 0);
  g_assert_cmpuint (verify->passes, >, 0);
  ls_verify_free (verify);
  check_steps (back);
  check_realizations (back);
  check_timeline (back);

  struct stat info;
  g_assert_cmpint (stat (file, &info), ==, 0);
  g_test_message ("%u nodes, %u kernels, %u passes: last flush %.1f ms, read %.1f ms, %.0f kB", n_nodes, back->kernels->len,
                  back->passes->len,
                  (double) (written - begin) / 1e3, (double) (read - written) / 1e3, (double) info.st_size / 1e3);
  g_unlink (file);
  g_assert_cmpint (g_rmdir (directory), ==, 0);      /* no journal is left */
}

static void
test_program (gconstpointer data)
{
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  g_file_get_contents (data, &text, NULL, &error);
  g_assert_no_error (error);
  check_program (data, text, "tcc");
}

/* The same program gives the same recording, times aside. */
static void
test_repeatable (void)
{
  static const char text[] = "from tinygrad import Tensor\na = Tensor([[1., 2.], [3., 4.]])\nb = (a @ "
                             "a).relu().sum(axis=0)\nprint(b.numpy())\n";
  g_autoptr (LsSession) a = fixture_session (&(FixtureRun) { .compiler = "interp" });
  g_autoptr (LsSession) b = fixture_session (&(FixtureRun) { .compiler = "interp" });
  g_autoptr (GError) error = NULL;
  g_assert_true (ls_session_run_program (a, text, "a.py", &error));
  g_assert_true (ls_session_run_program (b, text, "a.py", &error));
  g_assert_no_error (error);
  g_autofree char *difference = ls_trace_compare (a->trace, b->trace);
  g_assert_cmpstr (difference, ==, NULL);
}

/* A program that fails leaves a recording of its work and of the error. */
static void
test_failed (void)
{
  static const char text[] = "from tinygrad import Tensor\nprint((Tensor([1, 2]) + 1).numpy())\nTensor([1, 2]).reshape(3)\n";
  g_autoptr (GError) error = NULL, read_error = NULL;
  g_autofree char *directory = g_dir_make_tmp ("lazyscope-record-XXXXXX", NULL);
  g_autofree char *file = g_build_filename (directory, "a.lscope", NULL);
  g_autoptr (LsSession) s = fixture_session (&(FixtureRun) { .compiler = "tcc" });
  g_assert_false (ls_session_run_program (s, text, "a.py", &error));
  g_assert_nonnull (error);
  g_assert_true (ls_trace_save (s->trace, file, &read_error));
  g_autoptr (LsTrace) back = ls_trace_load (file, &read_error);
  g_assert_no_error (read_error);
  g_autofree char *difference = ls_trace_compare (s->trace, back);
  g_assert_cmpstr (difference, ==, NULL);
  g_assert_nonnull (back->error);
  g_assert_cmpuint (back->error_line, ==, 3);
  g_assert_nonnull (strstr (back->std_out, "[2 3]"));
  g_unlink (file);
  g_rmdir (directory);
}

static gpointer freed_by;      /* the thread */

static void
on_freed (gpointer unused)
{
  g_atomic_pointer_set (&freed_by, g_thread_self ());
}

/* The one who gives up the last reference frees, and does not when the recording says so. */
/* A stop for each statement of a program, with its graph: one that binds no name shows its results, without intermediate ones, and one
 * that makes no tensor the graph before it. */
static void
test_statements (void)
{
  static const struct { const char *statement; guint n_shown; LsOp last; } wanted[] = {
    { "line 1: x = Tensor([1, 2, 3])", 1, LS_OP_COPY }, { "line 2: print((x + 2).tolist())", 2, LS_OP_ADD },
    { "line 3: print(x.shape)", 1, LS_OP_COPY }, { "line 4: print((x * 2).max().item(), (-x).tolist())", 3, LS_OP_NEG },
    { "line 5: y = x - 1", 2, LS_OP_SUB },
  };
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = "x = Tensor([1, 2, 3])\nprint((x + 2).tolist())\nprint(x.shape)\nprint((x * "
                                                 "2).max().item(), (-x).tolist())\ny = x - 1\n");
  g_autoptr (LsTrace) t = ls_trace_statements (s->trace);
  guint first = t->passes->len - G_N_ELEMENTS (wanted);      /* the fixture's import */
  g_assert_cmpuint (first, <=, 1);
  for (gsize i = 0; i < G_N_ELEMENTS (wanted); i++) {
    const LsPass *pass = t->passes->pdata[first + i];
    const LsUOp *sink = ls_context_node (t->ctx, pass->output);
    g_assert_cmpstr (ls_pass_statement (pass), ==, wanted[i].statement);
    g_assert_cmpuint (ls_trace_pass_statement (t, pass)->line, ==, i + 1);
    g_assert_cmpuint (sink->n_src, ==, wanted[i].n_shown);
    g_assert_cmpstr (ls_op_name (sink->src[sink->n_src - 1]->op), ==, ls_op_name (wanted[i].last));
  }
}

/* Stops come in the order in which statements ended: those of a function before the one that called it, whether they bind or make
 * tensors or neither; the same where nothing was realized and they are the recording's passes. */
static void
test_stops (void)
{
  static const char text[] = "from tinygrad import Tensor\ndef f(x):\n  k = 3\n  y = x + k\n  return y\ndef g(x):\n  n = 2\n  return "
                             "f(x) * n\na = Tensor([1, 2])\nfor i in range(3):\n  i += 1\nb = g(a)\nlen([f(a), 4])\nc = 5\n";
  static const guint lines[] = { 1, 2, 6, 9, 10, 11, 7, 3, 4, 5, 8, 12, 4, 13, 14 };
  g_autoptr (LsSession) s = fixture_session (&(FixtureRun) { .compiler = "interp" });
  g_assert_true (ls_session_run_program (s, text, "a.py", NULL));
  g_autoptr (LsTrace) t = ls_trace_statements (s->trace);
  g_assert_cmpuint (s->trace->kernels->len, ==, 0);
  g_assert_cmpuint (s->trace->passes->len, ==, t->passes->len);
  for (guint i = 0; i < t->passes->len; i++) {
    const LsStatement *row = ls_trace_pass_statement (t, t->passes->pdata[i]);
    g_assert_cmpuint (i, <, G_N_ELEMENTS (lines));
    g_assert_cmpuint (row->line, ==, lines[i]);
    g_assert_true (ls_trace_pass_statement (s->trace, s->trace->passes->pdata[i]) == row);
  }
  g_assert_cmpuint (t->passes->len, ==, G_N_ELEMENTS (lines));
}

/* "[1, 2, 3] + 2": each statement's sentence, and below the call that realized, in order, what it computed and where that is shown. */
static void
test_sentences (void)
{
  static const char text[] = "from tinygrad import Tensor\na = Tensor([1,2,3])\nb = a + 2\nprint(b.tolist())\n";
  static const char *const wanted[] = { "imported 1 name", "bound a to COPY int (3,)", "bound b to ADD int (3,)",
                                        "realized b: 1 copy, 1 kernel; printed [3, 4, 5]" },
                    *const calls[] = { "tolist", "data", "_data", "contiguous", "to", "realize" },
                    *const did[][2] = { { "schedule: one kernel", "1/schedule" },
                                        { "copy: int[3] of the host, buffer 0, to a (buffer 1)", "1/schedule" },
                                        { "kernel 1 E_3: writes b (buffer 2)", "1/ast" }, { "launch of kernel 1: ", "1/run" } };
  g_autoptr (LsSession) s = fixture_session (&(FixtureRun) { .compiler = "tcc" });
  g_assert_true (ls_session_run_program (s, text, "a.py", NULL));
  ls_session_finish (s);
  const GArray *stops = ls_trace_stops (s->trace);
  g_assert_cmpuint (stops->len, ==, G_N_ELEMENTS (wanted));
  for (gsize i = 0; i < G_N_ELEMENTS (wanted); i++) {
    g_autofree char *sentence = ls_stop_sentence (s->trace, &g_array_index (stops, LsStop, i), FALSE);
    g_assert_cmpstr (sentence, ==, wanted[i]);
  }
  guint first = s->trace->calls->len - G_N_ELEMENTS (calls);
  for (gsize i = 0; i < G_N_ELEMENTS (calls); i++)
    g_assert_cmpstr (g_array_index (s->trace->calls, LsCall, first + i).name, ==, calls[i]);
  const LsRealization *r = ls_call_realization (s->trace, s->trace->calls->len - 1);
  g_assert_true (r && r == ls_kernel_realization (s->trace, 1));
  g_assert_cmpuint (ls_kernel_statement (s->trace, 1)->line, ==, 4);
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (LsDid));
  g_assert_cmpuint (ls_realization_list (s->trace, r, 10, list), ==, G_N_ELEMENTS (did));
  for (gsize i = 0; i < G_N_ELEMENTS (did); i++) {
    g_autofree char *sentence = ls_did_sentence (s->trace, &g_array_index (list, LsDid, i)), *place = NULL;
    g_autofree char *english = ls_sentence_text (sentence);
    place = ls_did_place (s->trace, &g_array_index (list, LsDid, i));
    g_assert_true (g_str_has_prefix (english, did[i][0]));
    g_assert_cmpstr (place, ==, did[i][1]);
  }
}

/* Statements of all kinds, in words. */
static void
test_kinds (void)
{
  static const struct { const char *text, *did; } wanted[] = {
    { "from tinygrad import Tensor, dtypes", "imported 2 names" },
    { "import math as m, os", "imported 2 names" },
    { "from os.path import *", "imported all names of a module" },
    { "def f(x): return x", "defined the function f" },
    { "class M(list): pass", "defined the class M" },
    { "pass", "bound no name to a tensor" },
    { "k = 3", "bound no name to a tensor" },
    { "x = Tensor([[1.0, 2.5]]).realize()", "bound x to RESHAPE float (1, 2); realized x: 1 copy" },
    { "a, b, c, d = x, x + 1, x + 2, x + 3", "bound a to RESHAPE float (1, 2); bound b to ADD float (1, 2); bound c to ADD float (1, 2); "
                                             "bound 1 more name" },
    { "x * 3", "made MUL float (1, 2)" },
    { "v = b.tolist()", "realized b: 1 kernel; read back [[2.0, 3.5]]" },
    { "v = b.tolist()", "read back [[2.0, 3.5]]" },
    { "Tensor.realize(c, d)", "realized c, d: 1 kernel" },
    { "print(d.sum().item())", "realized REDUCE_AXIS float (1, 1): 1 kernel; printed 9.5" },
    { "d.nothing()", "bound no name to a tensor; stopped with an error" },
  };
  g_autoptr (LsSession) s = fixture_session (&(FixtureRun) { .compiler = "interp" });
  g_autoptr (GString) text = g_string_new (NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (wanted); i++)
    if (!g_str_equal (wanted[i].text, "pass"))      /* of the class */
      g_string_append_printf (text, "%s\n", wanted[i].text);
  g_assert_false (ls_session_run_program (s, text->str, "a.py", NULL));
  ls_session_finish (s);
  const GArray *stops = ls_trace_stops (s->trace);
  g_assert_cmpuint (stops->len, ==, G_N_ELEMENTS (wanted));
  for (gsize i = 0; i < G_N_ELEMENTS (wanted); i++) {
    const LsStop *stop = &g_array_index (stops, LsStop, i);
    g_autofree char *sentence = ls_stop_sentence (s->trace, stop, FALSE);
    g_assert_cmpstr (g_array_index (s->trace->statements, LsStatement, stop->row).text, ==, wanted[i].text);
    g_assert_cmpstr (sentence, ==, wanted[i].did);
  }
}

/* Statements about UOps: nodes that have a name already, the rewrites that each asked for, in a function, a loop and beside what was
 * computed; and the context of a rewrite. The same in the file. */
static const struct { const char *text, *did; guint n_passes; } uop_statements[] = {
  { "from tinygrad import Tensor", "imported 1 name", 0 },
  { "from tinygrad.uop.ops import Ops, PatternMatcher, UOp, UPat, graph_rewrite", "imported 5 names", 0 },
  { "x = UOp.variable('x', 0, 9)", "bound x to DEFINE_VAR int, x", 0 },
  { "y = x + 3", "bound y to ADD int, x+3", 0 },
  { "z = x + 3", "bound z to ADD int, x+3, the same node as y", 0 },
  { "w = z.replace(arg=None)", "bound w to ADD int, x+3, the same node as z", 0 },
  { "z = z.replace(tag='seen')", "bound z to ADD int, x+3, tag seen", 0 },
  { "z = z.replace(tag='seen')", "bound z to ADD int, x+3, tag seen, the same node as before", 0 },
  { "r = (w * 1).substitute({x: x + 1})", "bound r to MUL int, (x+1+3)*1; ran substitute@9, 1 step", 1 },
  { "t = (Tensor([1, 2]) + 1).realize()", "bound t to CONTIGUOUS int (2,); realized ADD int (2,): 1 copy, 1 kernel", 3 },
  { "pm = PatternMatcher([(UPat(Ops.ADD, name='u'), lambda ctx, u: ctx['found'].append(u))])", "bound no name to a tensor", 0 },
  { "g = graph_rewrite(r, pm, ctx={'found': [], 'n': 2})", "bound g to MUL int, (x+1+3)*1, the same node as r; "
                                                           "ran graph_rewrite@12, 0 steps", 1 },
  { "def once(u):\n  return u.substitute({x: x * 2})", "defined the function once", 0 },
  { "return u.substitute({x: x * 2})", "ran substitute@14, 1 step", 1 },
  { "h = once(x)", "bound h to MUL int, x*2", 0 },
  { "print((t + 1).tolist(), w.substitute({x: y}) is w)", NULL, 4 },
};

static void
check_uop_statements (LsTrace *t)
{
  const GArray *stops = ls_trace_stops (t);
  g_assert_cmpuint (stops->len, ==, G_N_ELEMENTS (uop_statements));
  g_autofree gint *stop_of = g_new (gint, t->passes->len + 1);
  for (guint i = 0; i < t->passes->len; i++)
    stop_of[i] = -1;
  for (guint i = 0; i < stops->len; i++) {
    const LsStop *stop = &g_array_index (stops, LsStop, i);
    g_autofree char *sentence = ls_stop_sentence (t, stop, FALSE);
    guint first, end;
    g_assert_cmpstr (g_array_index (t->statements, LsStatement, stop->row).text, ==, uop_statements[i].text);
    if (uop_statements[i].did)
      g_assert_cmpstr (sentence, ==, uop_statements[i].did);
    else
      g_assert_nonnull (strstr (sentence, "ran substitute@16, 1 step; realized"));
    ls_stop_passes (t, stop, &first, &end);
    g_assert_cmpuint (end - first, >=, uop_statements[i].n_passes);
    g_assert_true ((end > first) == (uop_statements[i].n_passes > 0));
    for (guint p = first; p < end; p++) {
      g_assert_cmpint (stop_of[p], ==, -1);
      stop_of[p] = (gint) i;
    }
  }
  for (guint i = 0; i < t->passes->len; i++) {
    const LsPass *pass = t->passes->pdata[i];
    g_assert_cmpint (ls_pass_asking_stop (t, pass), ==, stop_of[i]);
    g_assert_cmpstr (pass->context, ==, g_str_equal (pass->name, "graph_rewrite@12") ? "{'found': [], 'n': 2}" : NULL);
  }
}

static void
test_uop_statements (void)
{
  g_autoptr (LsSession) s = fixture_session (&(FixtureRun) { .compiler = "interp" });
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (uop_statements); i++)
    if (!g_str_has_prefix (uop_statements[i].text, "return"))
      g_string_append_printf (text, "%s\n", uop_statements[i].text);
  g_assert_true (ls_session_run_program (s, text->str, "a.py", &error));
  ls_session_finish (s);
  check_uop_statements (s->trace);
  check_timeline (s->trace);
  g_autofree char *folder = g_dir_make_tmp ("lazyscope-XXXXXX", &error), *path = g_build_filename (folder, "uops.lscope", NULL);
  g_assert_true (ls_trace_save (s->trace, path, &error));
  g_autoptr (LsTrace) t = ls_trace_load (path, &error);
  g_assert_no_error (error);
  check_uop_statements (t);
  g_unlink (path);
  g_rmdir (folder);
}

/* A recording from before has stops for all statements, and its kernels their statements; those of its own passes are fewer. */
static void
test_older (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *lazy = g_test_build_filename (G_TEST_DIST, "..", "ui", "data", "lazy.lscope", NULL),
                  *softmax = g_test_build_filename (G_TEST_DIST, "..", "ui", "data", "softmax.lscope", NULL);
  g_autoptr (LsTrace) a = ls_trace_load (lazy, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (a->passes->len, <, ls_trace_stops (a)->len);
  for (guint i = 0; i < a->passes->len; i++) {
    const LsPass *pass = a->passes->pdata[i];
    const LsStatement *s = ls_trace_pass_statement (a, pass);
    g_autofree char *text = g_strdup_printf ("line %u: %s", s->line, s->text);
    g_assert_cmpstr (ls_pass_statement (pass), ==, text);
    g_assert_cmpuint (ls_pass_stop (a, pass)->n_bindings, >, 0);
  }
  LsVerify *verify = ls_trace_verify (a);
  g_assert_cmpuint (verify->differences, ==, 0);
  ls_verify_free (verify);
  g_autoptr (LsTrace) b = ls_trace_load (softmax, &error);
  g_assert_no_error (error);
  check_realizations (b);
  check_timeline (b);
}

static void
test_frees_aside (void)
{
  for (gboolean aside = FALSE; aside <= TRUE; aside++) {
    g_autoptr (LsContext) ctx = ls_context_new ();
    LsTrace *t = ls_trace_new (ctx);
    t->frees_aside = aside;
    g_ptr_array_set_free_func (t->settings, on_freed);
    g_ptr_array_add (t->settings, t);
    g_atomic_pointer_set (&freed_by, NULL);
    ls_trace_unref (ls_trace_ref (t));
    g_assert_null (freed_by);
    ls_trace_unref (t);
    while (aside && !g_atomic_pointer_get (&freed_by))
      g_usleep (1000);
    g_assert_true ((freed_by == g_thread_self ()) == !aside);
  }
}

/* Data of the host is measured, and memory that there is none of is not. */
static void
test_host_statistics (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = "a = Tensor([1.0, 2.0, 6.0])\nb = Tensor([0, 0])\n"
                                                "c = (a * 2).realize()\nprint(c.tolist(), (b + 1).tolist())\n");
  LsTrace *t = s->trace;
  guint n = 0;
  for (guint i = 0; i < t->buffers->len; i++) {
    LsTraceBuffer *b = t->buffers->pdata[i];
    if (!g_str_equal (b->role, "host"))
      continue;
    g_assert_cmpfloat (b->min, ==, n == 0 ? 1 : 0);
    g_assert_cmpfloat (b->max, ==, n == 0 ? 6 : 0);
    g_assert_cmpfloat (b->mean, ==, n == 0 ? 3 : 0);
    g_assert_true (ls_buffer_is_measured (t, i));
    if (n++ == 0) {      /* as older recordings have it */
      b->min = b->max = b->mean = 0;
      g_assert_false (ls_buffer_is_measured (t, i));
    }
  }
  g_assert_cmpuint (n, ==, 2);
  g_autoptr (LsSession) text = FIXTURE_RUN (.text = "print((Tensor([1.0, 2.0]) * 2).tolist())\n", .only_text = TRUE);
  for (guint i = 0; i < text->trace->buffers->len; i++)
    if (g_str_equal (((LsTraceBuffer *) text->trace->buffers->pdata[i])->role, "unused"))
      g_assert_false (ls_buffer_is_measured (text->trace, i));
}

static gint
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char **) a, *(char **) b);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  const char *programs = g_getenv ("LAZYSCOPE_PROGRAMS");
  g_autoptr (GDir) dir = programs ? g_dir_open (programs, 0, NULL) : NULL;
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  for (const char *name; dir && (name = g_dir_read_name (dir));)
    if (g_str_has_suffix (name, ".py"))
      g_ptr_array_add (paths, g_build_filename (programs, name, NULL));
  g_ptr_array_sort (paths, by_name);
  for (guint i = 0, share = fixture_sample (3, "programs"); i < paths->len; i += share) {
    g_autofree char *name = g_path_get_basename (paths->pdata[i]), *test = g_strdup_printf ("/record/%s", name);
    g_test_add_data_func (test, paths->pdata[i], test_program);
  }
  g_test_add_func ("/record/repeatable", test_repeatable);
  g_test_add_func ("/record/failed", test_failed);
  g_test_add_func ("/record/statements", test_statements);
  g_test_add_func ("/record/stops", test_stops);
  g_test_add_func ("/record/sentences", test_sentences);
  g_test_add_func ("/record/kinds", test_kinds);
  g_test_add_func ("/record/uop-statements", test_uop_statements);
  g_test_add_func ("/record/older", test_older);
  g_test_add_func ("/record/host-statistics", test_host_statistics);
  g_test_add_func ("/record/frees-aside", test_frees_aside);
  return g_test_run ();
}
