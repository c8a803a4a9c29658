/* The driver's view in the window: the stack, the stages and the rules that the pane "Visits" shows are those of ls_pass_visits, at every
 * visit; those of a small graph are also compared with what was written down here by hand, after the three stages of the driver: push
 * the sources, match, link the result. The walk selects nodes and moves nothing; steps take the pane with them. */
#include "fixture.h"
#include "kit/table.h"
#include "panes/text/visits-pane.h"
#include "session/visit-text.h"

#include <string.h>
#include <time.h>

static const char *const small_program =
  "from tinygrad.uop.ops import UOp, PatternMatcher, graph_rewrite\n"
  "i = UOp.variable('i', 0, 9)\n"
  "pm = PatternMatcher('# One.\\none: x:int * 1 -> x\\n# Zero.\\nzero: x:int + 0 -> x\\n# Twice.\\ntwice: x:int + x -> x * 2\\n')\n"
  "graph_rewrite(i * 1 + 0, pm)\n";

static char *
record_small (void)
{
  g_autofree char *source = g_build_filename (folder, "small.py", NULL);
  g_assert_true (g_file_set_contents (source, small_program, -1, NULL));
  return fixture_record_in (folder, "small");
}

static LsVisitsPane *
pane_of (LsWindow *window)
{
  return LS_VISITS_PANE (gtk_widget_get_ancestor (find_widget (GTK_WIDGET (window), "visit-stack"), LS_TYPE_VISITS_PANE));
}

static LsVisitsPane *
open_visits (LsWindow *window)
{
  input_click (find_widget (GTK_WIDGET (window), "text-visits"));
  wait_window (window);
  return pane_of (window);
}

/* What a table shows, its titles aside: cells with tabs between them. */
static char *
table_text (LsWindow *window, const char *name)
{
  GtkWidget *list = find_widget (GTK_WIDGET (window), name);
  g_autofree char *text = ls_table_copy_text (LS_TABLE (gtk_widget_get_ancestor (list, LS_TYPE_TABLE)), TRUE);
  const char *rows = strchr (text, '\n');
  return g_strchomp (g_strdup (rows ? rows + 1 : ""));
}

static void
assert_text (LsWindow *window, const char *name, const char *expected)
{
  g_autofree char *text = table_text (window, name);
  g_assert_cmpstr (text, ==, expected);
}

static const char *
label (LsWindow *window, const char *name)
{
  GtkWidget *widget = find_widget (GTK_WIDGET (window), name);
  return gtk_widget_get_mapped (widget) ? gtk_label_get_text (GTK_LABEL (widget)) : NULL;
}

/* i * 1 + 0, visit by visit: node + pushes its source *, which is matched and replaced by i, and linked; then + is made again over i. */
static void
test_small (void)
{
  g_autofree char *path = record_small ();
  LsWindow *window = open_recording (path, "0/graph_rewrite@4/1", 1280, 800);
  g_autoptr (GError) error = NULL;
  g_autoptr (LsTrace) trace = ls_trace_load (path, &error);
  g_assert_no_error (error);
  LsVisitsPane *pane = open_visits (window);
  g_assert_cmpuint (ls_visits_pane_number (pane), ==, 3);      /* the match of step 1 */
  const LsPass *pass = ls_view_session_pass (window->session);
  const LsUOp *add = ls_context_node (trace->ctx, pass->input), *mul = add->src[0];
  guint i = mul->src[0]->id, over = ls_pass_step_link (pass, 2)->before;
  /* P, M, T: the ids of +, * and i; N: of + over i */
  static const struct { const char *stack, *rules, *title; } visits[] = {
    { "0 push\tM\tMUL i*1\tpushed now\n0 push\tP\tADD i*1+0\tvisited now", "", "stage 0: push its sources" },
    { "0 push\tM\tMUL i*1\tvisited now\n1 match\tP\tADD i*1+0\tfor M", "", "stage 0: push its sources" },
    { "0 push\tT\tDEFINE_VAR i\tpushed now\n1 match\tM\tMUL i*1\tvisited now\n1 match\tP\tADD i*1+0\tfor M", "one\tfired: step 1",
      "stage 1: its sources are done, match it" },
    { "0 push\tT\tDEFINE_VAR i\tvisited now\n2 link\tM\tMUL i*1\tfor its result T\n1 match\tP\tADD i*1+0\tfor M", "",
      "stage 0: push its sources" },
    { "2 link\tM\tMUL i*1\tvisited now\n1 match\tP\tADD i*1+0\tfor M", "", "stage 2: its result is done, link it" },
    { "0 push\tT\tDEFINE_VAR i\tpushed now\n1 match\tP\tADD i*1+0\tvisited now", "zero\tfired: step 2",
      "stage 1: its sources are done, match it" },
    { "0 push\tT\tDEFINE_VAR i\tvisited now\n2 link\tP\tADD i*1+0\tfor its result T", "", "stage 0: push its sources" },
    { "2 link\tP\tADD i*1+0\tvisited now", "", "stage 2: its result is done, link it" },
  };
  input_click (find_widget (GTK_WIDGET (window), "visit-prev"));
  input_click (find_widget (GTK_WIDGET (window), "visit-prev"));
  for (guint k = 0; k < G_N_ELEMENTS (visits); k++) {
    g_autoptr (GString) stack = g_string_new (visits[k].stack);
    const struct { const char *letter; guint id; } ids[] = { { "\tP\t", add->id }, { "\tM\t", mul->id }, { "\tT\t", i } };
    for (guint n = 0; n < G_N_ELEMENTS (ids); n++) {
      g_autofree char *cell = g_strdup_printf ("\t%u\t", ids[n].id);
      g_string_replace (stack, ids[n].letter, cell, 0);
    }
    g_autofree char *for_m = g_strdup_printf ("for %u", mul->id), *for_t = g_strdup_printf ("result %u", i);
    g_string_replace (stack, "for M", for_m, 0);
    g_string_replace (stack, "result T", for_t, 0);
    g_assert_cmpuint (ls_visits_pane_number (pane), ==, k + 1);
    assert_text (window, "visit-stack", stack->str);
    g_assert_nonnull (strstr (label (window, "visit-what"), visits[k].title));
    if (*visits[k].rules)
      assert_text (window, "visit-rules", visits[k].rules);
    else
      g_assert_null (label (window, "visit-asked"));
    if (k == 5) {      /* the capture of the match, whole: it is the store that the document speaks of */
      g_assert_cmpstr (label (window, "visit-asked"), ==, "Found by op ADD: 2 rules, 1 asked, 0 rejected early");
      g_assert_cmpstr (label (window, "visit-captures"), ==, "Captures: x = DEFINE_VAR ('i', 0, 9) int");
      g_autofree char *rebuilt = g_strdup_printf ("rebuilt as node %u, ADD i+0", over);
      g_assert_nonnull (strstr (label (window, "visit-what"), rebuilt));
    }
    assert_at (window, "0/graph_rewrite@4/1");      /* the walk moves nothing */
    input_click (find_widget (GTK_WIDGET (window), "visit-next"));
  }
  g_assert_cmpuint (ls_visits_pane_number (pane), ==, G_N_ELEMENTS (visits));      /* no visit after the last */
  close_window (window);
}

/* --- every visit of passes --- */

static const char *
outcome_of (const LsVisitRule *r)
{
  return r->fired ? "fired: step" : r->reject == LS_RULE_LACKS_SOURCE ? "rejected early: needs "
         : r->reject == LS_RULE_OTHER_DTYPE ? "rejected early: it is for other dtypes" : NULL;
}

/* The tables of the visit that is shown, against the engine. */
static void
compare_visit (LsWindow *window, const LsPass *pass, const LsVisits *visits, guint k, guint *tried)
{
  static const char *const stages[] = { "0 push", "1 match", "2 link" };
  LsTrace *trace = ls_view_session_get_trace (window->session);
  const LsVisit *v = &g_array_index (visits->visits, LsVisit, k);
  g_autoptr (GArray) frames = ls_visits_stack (visits, k), rules = ls_visit_rules (trace, pass, visits, v);
  g_autofree char *stack = table_text (window, "visit-stack");
  g_auto (GStrv) rows = g_strsplit (stack, "\n", -1);
  g_assert_cmpuint (g_strv_length (rows), ==, v->n + frames->len);
  for (guint i = 0; rows[i]; i++) {
    g_auto (GStrv) cells = g_strsplit (rows[i], "\t", -1);
    const LsVisitFrame *f = i < v->n ? NULL : &g_array_index (frames, LsVisitFrame, frames->len - 1 - (i - v->n));
    g_autofree char *id = g_strdup_printf ("%u", f ? f->node : g_array_index (visits->pushed, guint32, v->first + v->n - 1 - i));
    g_assert_cmpstr (cells[0], ==, stages[f ? f->next : LS_VISIT_PUSH]);
    g_assert_cmpstr (cells[1], ==, id);
    g_assert_cmpint (g_strcmp0 (cells[3], "visited now") == 0, ==, i == v->n);
  }
  if (!rules->len) {
    g_assert_null (label (window, "visit-asked"));
    return;
  }
  g_autofree char *asked = table_text (window, "visit-rules");
  g_auto (GStrv) lines = g_strsplit (asked, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, rules->len);
  for (guint i = 0; lines[i]; i++) {
    g_auto (GStrv) cells = g_strsplit (lines[i], "\t", -1);
    const LsVisitRule *r = &g_array_index (rules, LsVisitRule, i);
    const char *outcome = outcome_of (r);
    g_assert_cmpstr (cells[0], ==, ((const LsTraceRule *) trace->rules->pdata[r->rule])->name);
    if (outcome)
      g_assert_true (g_str_has_prefix (cells[1], outcome));
    else
      g_assert_true (g_str_equal (cells[1], "pattern did not match") || g_str_equal (cells[1], "a guard is false") ||
                     g_str_equal (cells[1], "matched, and made no new node"));
    if (r->reject == LS_RULE_LACKS_SOURCE)
      g_assert_nonnull (strstr (cells[1], ls_op_name (r->lacks)));
    *tried += !outcome;
  }
}

static void
test_passes (void)
{
  static const char *const places[] = { "3/ast/2", "3/simplify#2/5", "3/expand/1", "3/index/3" };
  LsWindow *window = open_recording (fixture_matmul (), places[0], 1280, 800);
  LsVisitsPane *pane = open_visits (window);
  guint tried = 0, n = 0;
  for (guint p = 0; p < G_N_ELEMENTS (places); p++) {
    g_assert_true (ls_view_session_go_link (window->session, places[p]));
    wait_window (window);
    const LsPass *pass = ls_view_session_pass (window->session);
    g_autoptr (LsVisits) visits = ls_pass_visits (ls_view_session_get_trace (window->session), pass);
    guint step = ls_view_session_get_step (window->session);
    g_assert_cmpuint (ls_visits_pane_number (pane), ==, g_array_index (visits->steps, guint, step - 1) + 1);
    ls_visits_pane_walk (pane, 1 - (int) ls_visits_pane_number (pane));
    for (guint k = 0; k < MIN (visits->visits->len, 60); k++, n++) {
      g_assert_cmpuint (ls_visits_pane_number (pane), ==, k + 1);
      compare_visit (window, pass, visits, k, &tried);
      ls_visits_pane_walk (pane, 1);
    }
  }
  g_test_message ("%u visits, %u rules tried", n, tried);
  g_assert_true (n > 100 && tried > 20);
  close_window (window);
}

/* --- position and selection --- */

/* Nothing is made while the pane is not seen. Steps take it along; the button goes where the walk is; keys walk. */
static void
test_position (void)
{
  LsWindow *window = open_recording (fixture_matmul (), "3/simplify#2/5", 1280, 800);
  LsViewSession *session = window->session;
  g_assert_cmpuint (ls_visits_pane_number (pane_of (window)), ==, 0);
  input_key (GDK_KEY_i, 0);      /* shows the pane */
  wait_window (window);
  LsVisitsPane *pane = pane_of (window);
  g_autoptr (LsVisits) visits = ls_pass_visits (ls_view_session_get_trace (session), ls_view_session_pass (session));
  for (guint step = 5; step < 9; step++) {
    g_assert_cmpuint (ls_visits_pane_number (pane), ==, g_array_index (visits->steps, guint, step - 1) + 1);
    g_assert_false (gtk_widget_get_mapped (find_widget (GTK_WIDGET (window), "visit-step")));      /* it is there */
    input_key (GDK_KEY_n, 0);
    wait_window (window);
  }
  assert_at (window, "3/simplify#2/9");
  guint here = ls_visits_pane_number (pane), there = g_array_index (visits->steps, guint, 9) + 1;
  for (guint k = here; k < there; k++) {
    input_key (GDK_KEY_i, 0);
    wait_window (window);
    const LsVisit *v = &g_array_index (visits->visits, LsVisit, k);
    guint32 chosen = ls_view_session_get_selection (session);
    g_assert_cmpuint (ls_visits_pane_number (pane), ==, k + 1);
    g_assert_true (chosen == v->node || !ls_view_session_node (session, v->node, NULL));
  }
  assert_at (window, "3/simplify#2/9");
  GtkWidget *go_to = find_widget (GTK_WIDGET (window), "visit-step");
  g_assert_cmpstr (gtk_button_get_label (GTK_BUTTON (go_to)), ==, "Go to Step 10");
  input_click (go_to);
  wait_window (window);
  assert_at (window, "3/simplify#2/10");
  input_key (GDK_KEY_i, GDK_SHIFT_MASK);
  wait_window (window);
  g_assert_cmpuint (ls_visits_pane_number (pane), ==, there - 1);
  input_click (find_widget (GTK_WIDGET (window), "text-step"));      /* unseen it stays where it was */
  input_key (GDK_KEY_n, 0);
  wait_window (window);
  g_assert_cmpuint (ls_visits_pane_number (pane), ==, there - 1);
  g_assert_true (ls_view_session_go_link (session, "3/linearize"));
  open_visits (window);
  g_assert_cmpuint (ls_visits_pane_number (pane), ==, 0);      /* not a rewrite */
  close_window (window);
}

/* An entry of the stack selects its node, a rule its reason, and the rule's link leads to it among the rules. */
static void
test_links (void)
{
  LsWindow *window = open_recording (fixture_matmul (), "3/ast/2", 1280, 800);
  LsViewSession *session = window->session;
  open_visits (window);
  g_autoptr (LsVisits) visits = ls_pass_visits (ls_view_session_get_trace (session), ls_view_session_pass (session));
  guint k = g_array_index (visits->steps, guint, 1);
  g_autoptr (GArray) frames = ls_visits_stack (visits, k);
  GtkWidget *stack = find_widget (GTK_WIDGET (window), "visit-stack");
  LsTable *entries = LS_TABLE (gtk_widget_get_ancestor (stack, LS_TYPE_TABLE));
  guint rows = g_array_index (visits->visits, LsVisit, k).n + frames->len;
  input_move (stack, 60, 0.5 * gtk_widget_get_height (gtk_widget_get_first_child (stack)) +
                         (rows - 1) * gtk_widget_get_height (gtk_widget_get_first_child (stack)));
  input_button (1, TRUE);
  input_button (1, FALSE);
  settle ();
  wait_window (window);
  g_assert_cmpuint (ls_table_get_chosen (entries), ==, rows - 1);
  g_assert_cmpuint (ls_view_session_get_selection (session), ==, g_array_index (frames, LsVisitFrame, 0).node);      /* the root */
  const LsTraceRule *rule = ls_view_session_get_trace (session)->rules->pdata[ls_pass_step_link (ls_view_session_pass (session), 2)->rule];
  GtkWidget *text = find_widget (GTK_WIDGET (window), "visit-rule");
  g_assert_true (g_str_has_prefix (gtk_label_get_text (GTK_LABEL (text)), rule->name));
  input_move (text, 12, 8);      /* on its name */
  input_button (1, TRUE);
  input_button (1, FALSE);
  settle ();
  wait_window (window);
  GtkWidget *list = find_widget (GTK_WIDGET (window), "rules");
  g_assert_true (gtk_widget_get_mapped (list));
  g_autofree char *row = ls_table_copy_text (LS_TABLE (gtk_widget_get_ancestor (list, LS_TYPE_TABLE)), FALSE);
  g_assert_nonnull (strstr (row, rule->name));
  close_window (window);
}

/* A long chain, half of it waiting on the stack: the pane shows it at once, and costs the steps nothing while it is not seen. (With 10^5
 * visits it opens in 24 ms, and walks in 26.) */
static void
test_long (void)
{
  g_autofree char *source = g_build_filename (folder, "chain.py", NULL);
  g_assert_true (g_file_set_contents (source, "from tinygrad.uop.ops import UOp, PatternMatcher, graph_rewrite\n"
                                              "i = [UOp.variable(f'i{k}', 0, 9) for k in range(9)]\n"
                                              "x = i[0]\n"
                                              "for k in range(4000): x = (x + i[k % 9]) * (1 if k % 50 == 0 else 3)\n"
                                              "graph_rewrite(x, PatternMatcher('# One.\\none: x:int * 1 -> x\\n'))\n", -1, NULL));
  g_autofree char *path = fixture_record_in (folder, "chain");
  LsWindow *window = open_recording (path, "0/graph_rewrite@5/60", 1280, 800);
  LsVisitsPane *pane = pane_of (window);
  ls_view_session_next_step (window->session);
  wait_window (window);
  g_assert_cmpuint (ls_visits_pane_number (pane), ==, 0);
  clock_t before = clock ();
  ls_steps_view_show_text (window->steps, "visits");
  double opened = 1e3 * (double) (clock () - before) / CLOCKS_PER_SEC;
  g_assert_cmpuint (ls_visits_pane_number (pane), >, 5000);
  before = clock ();
  ls_visits_pane_walk (pane, 1);
  double walked = 1e3 * (double) (clock () - before) / CLOCKS_PER_SEC;
  g_test_message ("%u visits: opened in %.0f ms of processor time, a visit on in %.0f", ls_visits_pane_number (pane), opened, walked);
#if !defined __SANITIZE_ADDRESS__
  g_assert_true (opened < 100 && walked < 100);      /* several times what it takes */
#endif
  close_window (window);
}

int
main (int argc, char **argv)
{
  if (!fixture_begin (&argc, &argv))
    return 0;
  g_test_add_func ("/visits/small", test_small);
  g_test_add_func ("/visits/passes", test_passes);
  g_test_add_func ("/visits/position", test_position);
  g_test_add_func ("/visits/links", test_links);
  g_test_add_func ("/visits/long", test_long);
  return fixture_end ();
}
