/* Whole programs, recorded while they run: the file says what the recording in memory says, and reading it satisfies the invariants. */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#include "../sample.h"
#include "ask/ask.h"
#include "program/program.h"
#include "fixture.h"

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
/* The graphs after the statements of a program: a statement that binds no name shows its results, without intermediate ones; one that
 * makes no tensor is not a step. */
static void
test_statements (void)
{
  static const struct { const char *statement; guint n_shown; LsOp last; } wanted[] = {
    { "line 1: x = Tensor([1, 2, 3])", 1, LS_OP_COPY }, { "line 2: print((x + 2).tolist())", 2, LS_OP_ADD },
    { "line 4: print((x * 2).max().item(), (-x).tolist())", 3, LS_OP_NEG },
    { "line 5: y = x - 1", 2, LS_OP_SUB },
  };
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = "x = Tensor([1, 2, 3])\nprint((x + 2).tolist())\nprint(x.shape)\nprint((x * "
                                                 "2).max().item(), (-x).tolist())\ny = x - 1\n");
  g_autoptr (LsTrace) t = ls_trace_statements (s->trace);
  g_assert_cmpuint (t->passes->len, ==, G_N_ELEMENTS (wanted));
  for (gsize i = 0; i < G_N_ELEMENTS (wanted); i++) {
    const LsPass *pass = t->passes->pdata[i];
    const LsUOp *sink = ls_context_node (t->ctx, pass->output);
    g_assert_cmpstr (ls_pass_statement (pass), ==, wanted[i].statement);
    g_assert_cmpuint (sink->n_src, ==, wanted[i].n_shown);
    g_assert_cmpstr (ls_op_name (sink->src[sink->n_src - 1]->op), ==, ls_op_name (wanted[i].last));
  }
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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  const char *programs = g_getenv ("LAZYSCOPE_PROGRAMS");
  g_autoptr (GDir) dir = programs ? g_dir_open (programs, 0, NULL) : NULL;
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  for (const char *name; dir && (name = g_dir_read_name (dir));)
    if (g_str_has_suffix (name, ".py")) {
      g_autofree char *test = g_strdup_printf ("/record/%s", name);
      char *path = g_build_filename (programs, name, NULL);
      g_ptr_array_add (paths, path);
      g_test_add_data_func (test, path, test_program);
    }
  g_test_add_func ("/record/repeatable", test_repeatable);
  g_test_add_func ("/record/failed", test_failed);
  g_test_add_func ("/record/statements", test_statements);
  g_test_add_func ("/record/frees-aside", test_frees_aside);
  return g_test_run ();
}
