/* Runs with options: each stays, is shown at the same place, and is a column of the Compare workspace. */
#include "fixture.h"
#include "kit/notices.h"
#include "kit/table.h"
#include "panes/run/rule-editor.h"
#include "trace/row-steps.h"
#include "panes/run/run-form.h"
#include "panes/ask/search-pane.h"
#include "window/window-private.h"
#include "workspaces/compare-view.h"

#include <string.h>

#define TEXT "from tinygrad import Tensor\na = Tensor.arange(1024).reshape(32, 32).float().realize()\n" \
             "b = (a * 0.5 + 1).realize()\nc = (a @ b).realize()\nprint(c[0, 0].item())\n"

static LsWindow *
open_program (const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  LsWindow *window = open_start (1280, 800);
  ls_window_open (window, path);
  wait_window (window);
  return window;
}

static void
run_with (LsWindow *window, const LsRunOptions *options)
{
  ls_window_run_with (window, options);
  g_assert_true (wait_until (is_idle, window));
}

static void
assert_run_names (LsWindow *window, const char *const *names)
{
  LsRuns *runs = window->runs;
  g_assert_cmpuint (ls_runs_n (runs), ==, g_strv_length ((char **) names));
  for (guint i = 0; names[i]; i++) {
    g_autofree char *name = ls_runs_name (runs, i);
    g_assert_cmpstr (name, ==, names[i]);
  }
}

/* --- without a window --- */

static void
test_options (void)
{
  const LsRunOptions o = { "clang", NULL, "classic", "opt=UPCAST:0:4", "SPEC=2  NOOPT=1", "factor add-zero", "/tmp/my rules/a.rules" },
                     none = { 0 };
  g_autofree char *command = ls_run_options_command (&o, "my program.py"), *plain = ls_run_options_command (&none, "p.py");
  g_autofree char *what = ls_run_options_describe (&o), *nothing = ls_run_options_describe (&none);
  g_assert_cmpstr (command, ==, "lazyscope-cli run 'my program.py' --compiler clang --set profile=classic --variant opt=UPCAST:0:4 --set "
                                "SPEC=2 --set NOOPT=1 --disable factor --disable add-zero --rules '/tmp/my rules/a.rules'");
  g_assert_cmpstr (plain, ==, "lazyscope-cli run p.py");
  g_assert_cmpstr (what, ==, "clang · classic · opt=UPCAST:0:4 · SPEC=2 · NOOPT=1 · without factor · without add-zero · a.rules");
  g_assert_cmpstr (nothing, ==, "");
  const LsRunOptions hand = { .kernels = "opt=UPCAST:0:4,k2:c=/a folder/mine.c,c=/b/x.c" };
  g_autofree char *files = ls_run_options_describe (&hand), *of_2 = ls_run_options_variant (&hand, 2, TRUE),
                  *of_1 = ls_run_options_variant (&hand, 1, TRUE), *untrusted = ls_run_options_variant (&hand, 1, FALSE),
                  *all = ls_run_options_variant (&o, 1, TRUE);
  g_assert_cmpstr (files, ==, "opt=UPCAST:0:4,k2:c=mine.c,c=x.c");
  g_assert_cmpstr (of_2, ==, "c=/a folder/mine.c");
  g_assert_cmpstr (of_1, ==, "c=/b/x.c");
  g_assert_cmpstr (untrusted, ==, "");
  g_assert_cmpstr (all, ==, "compiler=clang,without=factor,without=add-zero,rules=/tmp/my rules/a.rules");
  g_autoptr (LsRunOptions) copy = ls_run_options_copy (&o);
  g_assert_true (ls_run_options_equal (copy, &o));
  g_assert_false (ls_run_options_equal (copy, &none));
}

/* --- runs --- */

static void
test_kept (void)
{
  LsWindow *window = open_program ("kept.py", TEXT);
  LsViewSession *session = window->session;
  LsRuns *runs = window->runs;
  GtkWidget *button = find_widget (GTK_WIDGET (window), "runs");
  assert_run_names (window, (const char *const[]) { "1: as it is", NULL });
  g_assert_false (gtk_widget_get_visible (button));
  g_assert_true (ls_view_session_go_link (session, "3/ast/4"));
  wait_window (window);
  LsTrace *first = ls_trace_ref (ls_view_session_get_trace (session));
  run_with (window, &(LsRunOptions) { .settings = "NOOPT=1" });
  assert_run_names (window, (const char *const[]) { "1: as it is", "2: NOOPT=1", NULL });
  g_assert_cmpuint (ls_runs_current_index (runs), ==, 1);
  g_assert_true (gtk_widget_get_visible (button));
  assert_at (window, "3/ast/4");
  g_assert_true (ls_view_session_get_trace (session) != first);
  g_assert_cmpstr (ls_view_session_kernel (session)->options, ==, "");

  gtk_widget_activate_action (GTK_WIDGET (window), "win.prev-run", NULL);
  wait_window (window);
  g_assert_true (ls_view_session_get_trace (session) == first);
  g_assert_cmpstr (ls_view_session_kernel (session)->options, !=, "");
  assert_at (window, "3/ast/4");

  run_with (window, &(LsRunOptions) { .settings = "NOOPT=1" });      /* the same once more is in its place */
  assert_run_names (window, (const char *const[]) { "1: as it is", "2: NOOPT=1", NULL });
  gtk_widget_activate_action (GTK_WIDGET (window), "win.close-run", NULL);
  wait_window (window);
  assert_run_names (window, (const char *const[]) { "1: as it is", NULL });
  g_assert_true (ls_view_session_get_trace (session) == first);
  g_assert_false (gtk_widget_get_visible (button));
  ls_trace_unref (first);
  close_window (window);
}

/* A place that another run lacks is reported, and the nearest one is shown. */
static void
test_place_lost (void)
{
  LsWindow *window = open_program ("lost.py", TEXT);
  LsViewSession *session = window->session;
  g_assert_true (ls_view_session_go_link (session, "3/options/1"));
  wait_window (window);
  run_with (window, &(LsRunOptions) { .settings = "NOOPT=1" });
  g_assert_cmpuint (ls_view_session_pass (session)->kernel, ==, 3);
  g_assert_cmpstr (ls_view_session_pass (session)->name, !=, "options");
  g_assert_nonnull (strstr (ls_notices_get_said (window->notices), "does not have that pass"));
  close_window (window);
}

/* A run's text comes back with it, and text typed since is not lost. */
static void
test_texts (void)
{
  LsWindow *window = open_program ("texts.py", TEXT);
  LsProgramView *program = window->program;
  g_autofree char *other = g_strdup (TEXT);
  memcpy (strstr (other, "0.5"), "0.7", 3);
  ls_program_view_set_text (program, other);
  ls_program_view_set_modified (program, TRUE);
  run_with (window, &(LsRunOptions) { 0 });
  assert_run_names (window, (const char *const[]) { "1: as it is", "2: line 3 edited", NULL });
  gtk_widget_activate_action (GTK_WIDGET (window), "win.prev-run", NULL);
  wait_window (window);
  g_autofree char *text = ls_program_view_dup_text (program);
  g_assert_cmpstr (text, ==, TEXT);
  g_assert_false (ls_program_view_get_modified (program));
  ls_program_view_set_text (program, "typed = 1\n");
  ls_program_view_set_modified (program, TRUE);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.next-run", NULL);
  wait_window (window);
  g_autofree char *typed = ls_program_view_dup_text (program);
  g_assert_cmpstr (typed, ==, "typed = 1\n");
  ls_program_view_set_modified (program, FALSE);
  close_window (window);
}

/* A run that fails leaves the former one where it was. */
static void
test_refused (void)
{
  LsWindow *window = open_program ("refused.py", TEXT);
  LsTrace *trace = ls_view_session_get_trace (window->session);
  run_with (window, &(LsRunOptions) { .disabled = "no-such-rule" });
  g_assert_cmpstr (ls_window_get_page (window), ==, "program");
  assert_run_names (window, (const char *const[]) { "1: as it is", NULL });
  g_assert_true (ls_view_session_get_trace (window->session) == trace);
  close_window (window);
}

static gboolean
is_mapped (gpointer widget)
{
  return gtk_widget_get_mapped (widget);
}

static gpointer
toplevel_of (GType type)
{
  GListModel *all = gtk_window_get_toplevels ();
  for (guint i = 0; i < g_list_model_get_n_items (all); i++) {
    g_autoptr (GtkWidget) w = g_list_model_get_item (all, i);
    if (g_type_is_a (G_OBJECT_TYPE (w), type))
      return w;
  }
  g_assert_not_reached ();
}

static guint n_wanted;

static gboolean
has_runs (gpointer window)
{
  return ls_runs_n (LS_WINDOW (window)->runs) == n_wanted;
}

static void
wait_runs (LsWindow *window, guint n)
{
  n_wanted = n;
  g_assert_true (wait_until (has_runs, window));
  g_assert_true (wait_until (is_idle, window));
}

/* Typed and clicked: the form shows the command line, refuses a wrong setting, and runs. */
static void
test_form (void)
{
  LsWindow *window = open_program ("form.py", TEXT);
  input_key (GDK_KEY_Return, GDK_CONTROL_MASK | GDK_SHIFT_MASK);
  LsRunForm *form = toplevel_of (LS_TYPE_RUN_FORM);
  g_assert_true (wait_until (is_mapped, form));
  GtkEditable *settings = GTK_EDITABLE (find_widget (GTK_WIDGET (form), "run-settings"));
  gtk_editable_set_text (settings, "NOOPT=7");
  g_assert_nonnull (strstr (template_text (form, "error"), "NOOPT=7"));
  g_assert_false (gtk_widget_get_sensitive (find_widget (GTK_WIDGET (form), "run-now")));
  gtk_editable_set_text (settings, "NOOPT=1");
  g_assert_cmpstr (template_text (form, "error"), ==, "");
  g_assert_true (g_str_has_suffix (template_text (form, "command"), "form.py --set NOOPT=1"));
  GtkLabel *differs = GTK_LABEL (find_widget (GTK_WIDGET (form), "run-differs"));
  g_assert_true (gtk_widget_has_css_class (GTK_WIDGET (settings), "differs"));
  g_assert_false (gtk_widget_has_css_class (find_widget (GTK_WIDGET (form), "run-kernels"), "differs"));
  g_assert_cmpstr (gtk_label_get_text (differs), ==, "1 option differs from the last run");
  gtk_widget_activate (find_widget (GTK_WIDGET (form), "run-now"));
  wait_runs (window, 2);
  assert_run_names (window, (const char *const[]) { "1: as it is", "2: NOOPT=1", NULL });
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (form)));      /* it does not lie on what it ran */
  gtk_widget_activate_action (GTK_WIDGET (window), "win.run-with", NULL);
  g_assert_true (wait_until (is_mapped, form));
  g_assert_false (gtk_widget_has_css_class (GTK_WIDGET (settings), "differs"));
  g_assert_cmpstr (gtk_label_get_text (differs), ==, "As in the last run");
  gtk_editable_set_text (settings, "");
  g_assert_true (gtk_widget_has_css_class (GTK_WIDGET (settings), "differs"));
  gtk_window_close (GTK_WINDOW (form));
  close_window (window);
}

/* --- with other rules --- */

static gboolean
is_wrong (gpointer editor)
{
  return *template_text (editor, "error") != '\0';
}

static gboolean
can_run (gpointer editor)
{
  return gtk_widget_get_sensitive (find_widget (editor, "rule-run"));
}

/* From the card: without the rule, then with a copy that says the same, then with a mistake in it. */
static void
test_rules (void)
{
  LsWindow *window = open_program ("rules.py", "from tinygrad import Tensor\na = Tensor.arange(24).reshape(4, 6).float().realize()\nb = "
                                               "(a * 2 + 3).realize()\nprint(b.tolist())\n");
  LsViewSession *session = window->session;
  LsTrace *trace = ls_view_session_get_trace (session);
  guint step = 0;
  const LsPass *pass = ls_trace_pass (trace, 1, "simplify");
  g_assert_nonnull (pass);
  for (guint i = 1; i <= ls_pass_n_rewrites (pass); i++)
    if (g_str_equal (((const LsTraceRule *) trace->rules->pdata[ls_pass_step_link (pass, i)->rule])->name, "add-zero"))
      step = i;
  g_assert_cmpuint (step, >, 0);
  ls_view_session_go (session, (int) pass->index, step);
  wait_window (window);

  input_click (find_widget (GTK_WIDGET (window), "rule-more"));
  settle ();
  input_key (GDK_KEY_Escape, 0);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.run-without-rule", NULL);
  wait_runs (window, 2);
  assert_run_names (window, (const char *const[]) { "1: as it is", "2: without add-zero", NULL });
  g_assert_cmpstr (ls_view_session_get_trace (session)->std_out, ==, trace->std_out);
  ls_runs_show (window->runs, 0);
  wait_window (window);
  ls_view_session_go (session, (int) pass->index, step);
  wait_window (window);

  gtk_widget_activate_action (GTK_WIDGET (window), "win.edit-rule", NULL);
  settle ();
  LsRuleEditor *editor = toplevel_of (LS_TYPE_RULE_EDITOR);
  g_assert_true (wait_until (can_run, editor));
  g_assert_cmpstr (template_text (editor, "error"), ==, "");
  g_signal_emit_by_name (find_widget (GTK_WIDGET (editor), "rule-run"), "clicked");
  wait_runs (window, 3);
  assert_run_names (window, (const char *const[]) { "1: as it is", "2: without add-zero", "3: without add-zero · add-zero-edited.rules",
                                                    NULL });
  g_assert_cmpstr (ls_view_session_get_trace (session)->std_out, ==, trace->std_out);      /* the copy does the same */

  gtk_text_buffer_set_text (gtk_text_view_get_buffer (template_part (editor, "view")), "set ast\n# Wrong.\nbroken: ADD(x, -> x\n", -1);
  g_assert_true (wait_until (is_wrong, editor));
  g_assert_nonnull (strstr (template_text (editor, "error"), ":3:"));
  g_assert_false (can_run (editor));
  gtk_window_close (GTK_WINDOW (editor));
  close_window (window);
}

/* From the card of a schedule's decision: with the decision turned around. */
static void
test_turned (void)
{
  LsWindow *window = open_program ("turned.py", "from tinygrad import Tensor\nx = Tensor([[1., 2.], [3., 4.]]).realize()\n"
                                                "y = Tensor([1., 2.]).realize()\nprint((x + y.log2() * 2).tolist())\n");
  LsViewSession *session = window->session;
  LsTrace *trace = ls_view_session_get_trace (session);
  const LsPass *pass = ls_trace_pass (trace, 0, "schedule");
  const LsDecision *d;
  guint step = 1;
  g_assert_nonnull (pass);
  while ((d = ls_schedule_step_decision (pass, step)) && d->key != LS_REASON_COSTLY_EXPAND)
    step++;
  g_assert_nonnull (d);
  ls_view_session_go (session, (int) pass->index, step);
  wait_window (window);
  input_click (find_widget (GTK_WIDGET (window), "rule-more"));
  settle ();
  input_key (GDK_KEY_Escape, 0);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.run-turned", NULL);
  wait_runs (window, 2);
  assert_run_names (window, (const char *const[]) { "1: as it is", "2: schedule=r1:inline:costly-expand@4.mul", NULL });
  g_assert_cmpuint (ls_view_session_get_trace (session)->kernels->len + 1, ==, trace->kernels->len);
  g_assert_cmpstr (ls_view_session_get_trace (session)->std_out, ==, trace->std_out);
  close_window (window);
}

/* --- comparing --- */

static const LsComparedRow *
row_of (const LsCompared *c, const char *label)
{
  for (guint i = 0; i < c->rows->len; i++) {
    const LsComparedRow *row = c->rows->pdata[i];
    if (g_strcmp0 (row->label, label) == 0)
      return row;
  }
  g_assert_not_reached ();
}

static gboolean
is_compared (gpointer view)
{
  return ls_compare_view_get (view) != NULL;
}

/* The workspace shows a kernel's columns. */
static void
show_kernel (LsWindow *window, guint kernel)
{
  gtk_widget_activate_action (GTK_WIDGET (window), "win.compare-kernel", "u", kernel);
  g_assert_true (wait_until (is_compared, window->compare));
}

static void
test_compare (void)
{
  LsWindow *window = open_program ("compare.py", TEXT);
  LsCompareView *view = window->compare;
  g_assert_true (ls_view_session_go_link (window->session, "3/ast/1"));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.workspace", "s", "compare");
  settle ();
  g_assert_true (gtk_widget_get_mapped (find_widget (GTK_WIDGET (window), "compare-empty")));
  run_with (window, &(LsRunOptions) { .settings = "NOOPT=1" });
  g_assert_cmpstr (ls_window_get_page (window), ==, "compare");      /* one stays where one compares */
  show_kernel (window, 3);
  const LsCompared *c = ls_compare_view_get (view);
  g_assert_cmpuint (c->n, ==, 2);
  g_assert_cmpuint (c->kernels[0], ==, 3);
  g_assert_cmpuint (c->kernels[1], ==, 3);
  g_assert_cmpstr (row_of (c, "Kernel")->text[1], ==, "3  r_32_32_32");
  g_assert_cmpstr (row_of (c, "Result")->text[1], ==, "equal, bit for bit");
  g_assert_cmpstr (row_of (c, "Options")->text[1], ==, "none");
  g_assert_nonnull (strstr (row_of (c, "Rewrites")->text[1], "has no pass options"));
  const LsComparedRow *decided = c->rows->pdata[ls_compared_band (c, LS_BAND_DECISIONS) + 1];
  g_assert_nonnull (strstr (decided->text[0], "is stored: the program asked for the value"));
  g_assert_cmpstr (decided->text[0], ==, decided->text[1]);
  for (int band = 0; band < LS_N_BANDS; band++)
    g_assert_cmpuint (ls_compared_band (c, (LsBand) band), !=, G_MAXUINT);
  guint same = 0, differs = 0;
  for (guint i = ls_compared_band (c, LS_BAND_SOURCE); i < ls_compared_band (c, LS_BAND_CODE); i++) {
    const LsComparedRow *row = c->rows->pdata[i];
    if (row->text[0] && row->text[1] && !row->heading) {
      gboolean equal = g_str_equal (row->text[0], row->text[1]);
      g_assert_cmpint (row->state[1], ==, equal ? LS_LINE_SAME : LS_LINE_DIFFERS);
      same += equal;
      differs += !equal;
    }
  }
  g_assert_cmpuint (same, >, 0);
  g_assert_cmpuint (differs, >, 0);
  g_assert_true (ls_compare_view_go_to_parting (view));
  wait_window (window);
  g_assert_cmpstr (ls_window_get_page (window), ==, "steps");
  g_assert_cmpuint (ls_runs_current_index (window->runs), ==, 1);
  close_window (window);
}

static gboolean
has_measured (gpointer view)
{
  return !ls_compare_view_is_measuring (view);
}

/* Whether the heading of the machine code says so of a column. */
static gboolean
code_heading_has (const LsCompared *c, guint column, const char *text)
{
  const LsComparedRow *heading = c->rows->pdata[ls_compared_band (c, LS_BAND_CODE)];
  return heading->heading && heading->text[column] && strstr (heading->text[column], text);
}

/* Measurements are in the columns, and stay while another view is shown. How long things take is not judged. */
static void
test_measure (void)
{
  LsWindow *window = open_program ("measure.py", TEXT);
  LsCompareView *view = window->compare;
  g_assert_true (ls_view_session_go_link (window->session, "3/ast/1"));
  run_with (window, &(LsRunOptions) { .settings = "NOOPT=1" });
  show_kernel (window, 3);
  settle ();
  const LsCompared *c = ls_compare_view_get (view);
  GtkWidget *measure = find_widget (GTK_WIDGET (window), "measure");
  input_click (measure);
  g_assert_true (ls_compare_view_is_measuring (view));
  input_click (measure);
  g_assert_true (has_measured (view));      /* stopped */
  input_click (measure);
  g_assert_true (wait_until (has_measured, view));
  g_assert_true (ls_compare_view_get (view) == c);
  for (guint i = 0; i < c->n; i++) {
    g_assert_cmpuint (c->times[i].samples->len, >, 0);
    g_assert_cmpfloat (c->times[i].low, <=, c->times[i].median);
    g_assert_cmpfloat (c->times[i].median, <=, c->times[i].high);
    g_assert_nonnull (strstr (c->loop->text[i], "instructions"));
    g_assert_true (code_heading_has (c, i, "as measured"));
  }
  for (guint i = 0; i < c->n; i++)      /* its compiler's, not that of the recording */
    g_assert_false (g_str_has_suffix (c->how->text[i], "tcc"));
  g_assert_cmpstr (c->result->text[1], ==, "equal, bit for bit");
  g_assert_true (gtk_widget_get_mapped (find_widget (GTK_WIDGET (window), "times-chart")));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.workspace", "s", "steps");
  settle ();
  gtk_widget_activate_action (GTK_WIDGET (window), "win.workspace", "s", "compare");
  settle ();
  g_assert_true (ls_compare_view_get (view) == c);
  g_autofree char *page = g_build_filename (folder, "compared.html", NULL), *text = NULL;
  ls_window_share (window, page);
  g_assert_true (wait_until (is_idle, window));
  g_assert_true (g_file_get_contents (page, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "NOOPT=1"));
  close_window (window);
}

static gboolean
is_typed (gpointer editable)
{
  return *gtk_editable_get_text (editable) != '\0';
}

/* A C file is begun with the kernel's code, changed, run, and is a column that is measured; its run's recording alone is not. */
static void
test_by_hand (void)
{
  LsWindow *window = open_program ("hand.py", TEXT);
  LsCompareView *view = window->compare;
  g_assert_true (ls_view_session_go_link (window->session, "2/ast/1"));
  input_key (GDK_KEY_Return, GDK_CONTROL_MASK | GDK_SHIFT_MASK);
  LsRunForm *form = toplevel_of (LS_TYPE_RUN_FORM);
  g_assert_true (wait_until (is_mapped, form));
  GtkEditable *kernels = GTK_EDITABLE (find_widget (GTK_WIDGET (form), "run-kernels"));
  gtk_editable_set_text (kernels, "k2:c=hand.c");
  g_assert_nonnull (strstr (template_text (form, "error"), "give the absolute path"));
  gtk_editable_set_text (kernels, "");
  g_autofree char *path = g_build_filename (folder, "hand.c", NULL), *expected = g_strconcat ("k2:c=", path, NULL), *text = NULL;
  ls_run_form_take_c_file (form, "k2:c=", path, TRUE);
  g_assert_true (wait_until (is_typed, kernels));
  g_assert_cmpstr (gtk_editable_get_text (kernels), ==, expected);
  g_assert_cmpstr (template_text (form, "error"), ==, "");
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, ls_view_session_kernel (window->session)->source);
  gtk_widget_activate (find_widget (GTK_WIDGET (form), "run-now"));
  wait_runs (window, 2);
  gtk_window_close (GTK_WINDOW (form));
  show_kernel (window, 2);
  const LsCompared *c = ls_compare_view_get (view);
  g_assert_cmpuint (c->kernels[0], ==, 2);
  g_assert_cmpstr (row_of (c, "Result")->text[1], ==, "equal, bit for bit");
  gboolean listed = FALSE;
  for (guint i = ls_compared_band (c, LS_BAND_OPTIONS); i < ls_compared_band (c, LS_BAND_DECISIONS); i++) {
    const LsComparedRow *row = c->rows->pdata[i];
    listed |= row->text[1] && strstr (row->text[1], "hand-written: ");
  }
  g_assert_true (listed);
  settle ();
  input_click (find_widget (GTK_WIDGET (window), "measure"));
  g_assert_true (ls_compare_view_is_measuring (view));
  g_assert_true (wait_until (has_measured, view));
  g_assert_cmpuint (c->times[1].samples->len, >, 0);
  g_assert_cmpstr (c->result->text[1], ==, "equal, bit for bit");
  g_autofree char *longer = g_strconcat (text, "/* changed */\n", NULL);
  g_assert_true (g_file_set_contents (path, longer, -1, NULL));
  input_click (find_widget (GTK_WIDGET (window), "measure"));
  g_assert_true (ls_compare_view_is_measuring (view));
  g_assert_true (wait_until (has_measured, view));
  g_assert_nonnull (strstr (c->result->text[1], "has changed since"));
  /* one that does not compile has no result, time or code, whatever the columns had before */
  g_autofree char *broken = g_strconcat (text, "not C\n", NULL);
  g_assert_true (g_file_set_contents (path, broken, -1, NULL));
  input_click (find_widget (GTK_WIDGET (window), "measure"));
  g_assert_true (wait_until (has_measured, view));
  g_assert_cmpuint (c->times[1].samples->len, ==, 0);
  g_assert_cmpfloat (c->times[1].median, ==, 0);
  g_assert_cmpstr (c->result->text[1], ==, "none");
  g_assert_cmpstr (c->ratio->text[1], ==, "failed");
  g_assert_cmpstr (c->rate->text[1], ==, "–");
  g_assert_nonnull (strstr (c->how->text[1], "not compiled by "));
  g_assert_true (code_heading_has (c, 1, "none"));
  g_assert_true (code_heading_has (c, 0, "as measured"));
  /* and one whose result changes while it is timed says so in the window */
  const char *brace = strrchr (text, '}');
  g_autofree char *head = g_strndup (text, (gsize) (brace - text)),
                  *counting = g_strconcat (head, "  static int n; if (n++ > 50) data0[0] = 7;\n", brace, NULL);
  g_assert_true (g_file_set_contents (path, counting, -1, NULL));
  input_click (find_widget (GTK_WIDGET (window), "measure"));
  g_assert_true (wait_until (has_measured, view));
  g_assert_null (strstr (c->how->text[1], "not compiled"));
  g_test_message ("%s", c->result->text[1]);
  g_assert_nonnull (strstr (c->result->text[1], "differs; "));
  g_assert_nonnull (strstr (c->result->text[1], "differs from"));
  g_assert_true (code_heading_has (c, 1, "as measured"));
  /* without the window's own run there is nothing that may be run */
  const char *const nothing[] = { "", "" };
  g_autoptr (GArray) columns = g_array_new (FALSE, FALSE, sizeof (guint));
  g_auto (GStrv) words = ls_compared_question ((LsCompared *) c, nothing, NULL, columns);
  g_assert_nonnull (words);
  g_assert_cmpuint (columns->len, ==, 1);
  close_window (window);
}

static gboolean
has_three (gpointer view)
{
  const LsCompared *c = ls_compare_view_get (view);
  return c && c->n == 3 && !ls_compare_view_get_busy (view);
}

/* A run without a rule is measured without it, and one of another graph by its own recording. */
static void
test_measure_others (void)
{
  LsWindow *window = open_program ("others.py", TEXT);
  LsCompareView *view = window->compare;
  g_assert_true (ls_view_session_go_link (window->session, "3/ast/1"));
  run_with (window, &(LsRunOptions) { .disabled = "mul-one" });
  show_kernel (window, 3);
  g_auto (GStrv) words = ls_compare_view_question (view);
  guint n_without = 0;
  for (guint i = 0; words[i]; i++)
    n_without += g_str_has_suffix (words[i], ",without=mul-one");
  g_assert_cmpuint (n_without, ==, 1);
  g_autofree char *path = g_build_filename (folder, "changed.py", NULL), *changed = g_build_filename (folder, "changed.lscope", NULL);
  g_autoptr (GString) text = g_string_new (TEXT);
  g_string_replace (text, "a @ b", "a @ b * 2", 1);
  g_assert_true (g_file_set_contents (path, text->str, -1, NULL));
  g_autoptr (GError) error = NULL;
  char *argv[] = { (char *) g_getenv ("LAZYSCOPE_CLI"), "run", path, "--record", changed, NULL };
  g_assert_true (g_spawn_sync (NULL, argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, NULL, NULL, &error));
  LsTrace *trace = ls_trace_load (changed, &error);
  g_assert_no_error (error);
  LsRun run = { .options = ls_run_options_copy (NULL), .trace = trace, .text = g_strdup (text->str), .file = g_strdup (changed) };
  ls_runs_take (window->runs, &run);
  ls_runs_show (window->runs, 0);
  g_assert_true (ls_view_session_go_link (window->session, "3/ast/1"));
  g_assert_true (wait_until (has_three, view));
  const LsCompared *c = ls_compare_view_get (view);
  g_assert_cmpuint (c->kernels[2], ==, 3);
  g_auto (GStrv) more = ls_compare_view_question (view);
  g_assert_cmpuint (g_strv_length (more), ==, g_strv_length (words) + 1);
  g_assert_cmpstr (more[g_strv_length (words)], ==, changed);
  input_click (find_widget (GTK_WIDGET (window), "measure"));
  g_assert_true (wait_until (has_measured, view));
  g_assert_cmpuint (c->times[2].samples->len, >, 0);
  g_assert_nonnull (strstr (c->result->text[2], "differs"));
  close_window (window);
}

/* Recordings of other programs are columns, too, and say that they have no corresponding kernel. */
static void
test_other_program (void)
{
  LsWindow *window = open_program ("one.py", TEXT);
  g_autofree char *other = fixture_record ("add_ints");
  g_autoptr (GError) error = NULL;
  LsTrace *trace = ls_trace_load (other, &error);
  g_assert_no_error (error);
  LsRun run = { .options = ls_run_options_copy (NULL), .trace = trace, .text = g_strdup (trace->program_text), .file = g_strdup (other) };
  ls_runs_take (window->runs, &run);
  ls_runs_show (window->runs, 0);
  g_assert_true (ls_view_session_go_link (window->session, "3/ast/1"));
  show_kernel (window, 3);
  const LsCompared *c = ls_compare_view_get (window->compare);
  g_assert_cmpuint (c->kernels[1], ==, 0);
  g_assert_cmpstr (row_of (c, "Kernel")->text[1], ==, "no corresponding kernel");
  close_window (window);
}

static guint
cursor_of (LsWindow *window)
{
  int at;
  g_object_get (gtk_text_view_get_buffer (GTK_TEXT_VIEW (find_widget (GTK_WIDGET (window), "program"))), "cursor-position", &at, NULL);
  return (guint) at;
}

static gboolean
has_typed (gpointer data)
{
  LsWindow *window = data;
  return ls_runs_n (window->runs) == 2 && !window->running && !window->typing_pause;
}

static gboolean
has_run_typed (gpointer data)
{
  LsWindow *window = data;
  g_autofree char *text = ls_program_view_dup_text (window->program);
  return has_typed (window) && g_strcmp0 (ls_runs_current (window->runs)->text, text) == 0;
}

static gboolean
has_error (gpointer data)
{
  LsWindow *window = data;
  return !window->running && !window->typing_pause && gtk_widget_get_mapped (find_widget (GTK_WIDGET (window), "program-error"));
}

static gboolean
is_paused (gpointer data)
{
  return ((LsWindow *) data)->typing_pause == 0;
}

/* In a pause of typing the program runs: the cursor, the workspace and the place stay, and typing goes on in the same run. */
static void
test_typing (void)
{
  LsWindow *window = open_program ("typing.py", TEXT);
  g_assert_true (ls_view_session_go_link (window->session, "3/ast/1"));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.workspace", "s", "program");
  settle ();
  GtkWidget *live = find_widget (GTK_WIDGET (window), "run-while-typing");
  g_assert_false (ls_program_view_get_live (window->program));
  ls_program_view_show_line (window->program, 3);
  ls_program_view_focus_editor (window->program);
  settle ();
  input_text ("#");      /* the switch is off: nothing runs */
  settle ();
  g_assert_cmpuint (window->typing_pause, ==, 0);
  input_key (GDK_KEY_BackSpace, 0);
  window->run_seconds = 0.2;
  input_click (live);
  g_assert_true (ls_program_view_get_live (window->program));
  g_assert_true (wait_until (is_paused, window));
  g_assert_cmpuint (ls_runs_n (window->runs), ==, 1);      /* the text has run */
  ls_program_view_focus_editor (window->program);
  input_key (GDK_KEY_End, 0);
  input_text (" # one");
  guint cursor = cursor_of (window);
  g_assert_true (wait_until (has_run_typed, window));
  g_assert_cmpuint (cursor_of (window), ==, cursor);
  g_assert_cmpstr (ls_window_get_page (window), ==, "program");
  assert_at (window, "3/ast/1");
  window->run_seconds = 0.2;
  input_text (" two");
  g_assert_true (wait_until (has_run_typed, window));      /* still two: the run of the pause was replaced */
  window->run_seconds = 0.2;
  input_key (GDK_KEY_Return, 0);
  input_text ("c = nothing_of_the_kind");
  cursor = cursor_of (window);
  g_assert_true (wait_until (has_error, window));
  g_assert_cmpuint (cursor_of (window), ==, cursor);
  g_assert_nonnull (strstr (gtk_label_get_text (GTK_LABEL (find_widget (GTK_WIDGET (window), "program-error"))), "nothing_of_the_kind"));
  /* a program that takes longer is left alone, and that is said */
  window->run_seconds = 3.2;
  guint n = ls_runs_n (window->runs);
  input_text ("s");
  g_assert_true (wait_until (is_paused, window));
  g_assert_null (window->running);
  g_assert_cmpuint (ls_runs_n (window->runs), ==, n);
  g_assert_cmpstr (template_text (window->program, "live_note"), ==, "The last run took 3.2 s: Ctrl+Enter runs it");
  input_click (live);
  close_window (window);
}

static gboolean
has_searched (gpointer pane)
{
  return !ls_search_pane_is_searching (pane) && ls_search_pane_n_rows (pane) > 0;
}

static gboolean
has_two (gpointer runs)
{
  return ls_runs_n (runs) == 2;
}

/* The options of a kernel are searched, the result is there again at the kernel, and a candidate becomes a run with its options for
 * that kernel alone. */
static void
test_search (void)
{
  g_autofree char *cache = g_build_filename (folder, "cache", NULL);
  g_setenv ("XDG_CACHE_HOME", cache, TRUE);      /* of the program that is asked: nothing was searched before */
  LsWindow *window = open_program ("search.py", TEXT);
  LsViewSession *session = window->session;
  g_assert_true (ls_view_session_go_link (session, "3/ast/1"));
  wait_window (window);
  ls_steps_view_show_table (window->steps, "search");
  settle ();
  GtkWidget *button = find_widget (GTK_WIDGET (window), "search-options"), *table = find_widget (GTK_WIDGET (window), "options");
  LsSearchPane *pane = LS_SEARCH_PANE (gtk_widget_get_ancestor (button, LS_TYPE_SEARCH_PANE));
  g_assert_cmpuint (ls_search_pane_n_rows (pane), ==, 0);
  input_click (button);
  g_assert_true (ls_search_pane_is_searching (pane));
  input_click (button);      /* Stop */
  g_assert_false (ls_search_pane_is_searching (pane));
  input_click (button);
  g_assert_true (wait_until (has_searched, pane));
  guint n = ls_search_pane_n_rows (pane), n_chosen = 0, with = G_MAXUINT;
  for (guint i = 0; i < n; i++) {
    gboolean chosen;
    const char *options = ls_search_pane_get_options (pane, i, &chosen);
    n_chosen += chosen;
    with = with == G_MAXUINT && *options ? i : with;
  }
  g_assert_cmpuint (n_chosen, ==, 1);
  ls_view_session_go_link (session, "2/ast/1");
  wait_window (window);
  g_assert_cmpuint (ls_search_pane_n_rows (pane), ==, 0);
  ls_view_session_go_link (session, "3/ast/1");
  wait_window (window);
  g_assert_cmpuint (ls_search_pane_n_rows (pane), ==, n);

  gboolean chosen;
  g_autofree char *options = g_strdup (ls_search_pane_get_options (pane, with, &chosen)),
                  *former = g_strdup (ls_trace_kernel (ls_view_session_get_trace (session), 2)->options);
  g_signal_emit_by_name (gtk_widget_get_ancestor (table, LS_TYPE_TABLE), "row-activated", with);
  g_assert_true (wait_until (has_two, window->runs));
  g_assert_true (wait_until (is_idle, window));
  LsTrace *trace = ls_view_session_get_trace (session);
  g_assert_cmpstr (ls_trace_kernel (trace, 3)->options, ==, options);
  g_assert_cmpstr (ls_trace_kernel (trace, 2)->options, ==, former);
  close_window (window);
}

int
main (int argc, char **argv)
{
  if (!fixture_begin (&argc, &argv))
    return 0;
  g_test_add_func ("/runs/options", test_options);
  g_test_add_func ("/runs/kept", test_kept);
  g_test_add_func ("/runs/place-lost", test_place_lost);
  g_test_add_func ("/runs/texts", test_texts);
  g_test_add_func ("/runs/refused", test_refused);
  g_test_add_func ("/runs/form", test_form);
  g_test_add_func ("/runs/rules", test_rules);
  g_test_add_func ("/runs/turned", test_turned);
  g_test_add_func ("/runs/compare", test_compare);
  g_test_add_func ("/runs/measure", test_measure);
  g_test_add_func ("/runs/by-hand", test_by_hand);
  g_test_add_func ("/runs/measure-others", test_measure_others);
  g_test_add_func ("/runs/typing", test_typing);
  g_test_add_func ("/runs/search", test_search);
  g_test_add_func ("/runs/other-program", test_other_program);
  return fixture_end ();
}
