/* Compare opens with a table of kernels and runs: what it says, where it leads, who is the baseline, and that no figure is cut. */
#include "fixture.h"
#include "kit/cells.h"
#include "kit/notices.h"
#include "kit/table.h"
#include "measure/compare.h"
#include "panes/run/roofline.h"
#include "workspaces/compare-view.h"

#include <string.h>

#define TEXT "from tinygrad import Tensor\na = Tensor.arange(4096).reshape(64, 64).float().realize()\n" \
             "s = a.sum(axis=0).realize()\nt = a.T.contiguous().realize()\np = (a @ a).realize()\nprint(p[0, 0].item())\n"

static LsWindow *
open_runs (const char *name, const char *const *kernels, int width)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_assert_true (g_file_set_contents (path, TEXT, -1, NULL));
  LsWindow *window = open_start (width, 800);
  ls_window_open (window, path);
  wait_window (window);
  for (guint i = 0; kernels[i]; i++) {
    ls_window_run_with (window, &(LsRunOptions) { .kernels = (char *) kernels[i] });
    g_assert_true (wait_until (is_idle, window));
  }
  gtk_widget_activate_action (GTK_WIDGET (window), "win.workspace", "s", "compare");
  settle ();
  g_assert_true (wait_until (is_idle, window));
  settle ();
  return window;
}

static LsTable *
rows_of (LsWindow *window)
{
  return LS_TABLE (gtk_widget_get_ancestor (find_widget (GTK_WIDGET (window), "compared-kernels"), LS_TYPE_TABLE));
}

static const char *
label (LsWindow *window, const char *name)
{
  return gtk_label_get_text (GTK_LABEL (find_widget (GTK_WIDGET (window), name)));
}

static void
assert_has (const char *text, const char *part)
{
  if (!strstr (text, part))
    g_error ("\"%s\" is not in \"%s\"", part, text);
}

/* The answer of lazyscope-cli about a transpose, as it may be: the ratio of the other run, and what the control allows. */
static LsReading *
new_answer (const char *verdict, double ratio, double low, double high, double control_low, double control_high)
{
  g_autofree char *text = g_strdup_printf (
    "{\"machine\":\"a machine\",\"speed\":{\"gflops\":40,\"fused_gflops\":80,\"read_gbs\":[100,50,25,10]},"
    "\"noise\":{\"ratio\":1,\"ratio_low\":%g,\"ratio_high\":%g,\"rounds\":24,\"seconds\":1},\"variants\":["
    "{\"verdict\":\"first\",\"equal\":\"first\",\"median_ns\":217000,\"gflops\":20,\"gbs\":15,"
    "\"low_ns\":211000,\"high_ns\":270000,\"compiler\":\"clang\","
    "\"version\":\"14\",\"flags\":\"-O2\",\"samples\":[217000],\"code\":\"one\\ntwo\\nthree\\n\",\"instructions\":[{\"line\":3,"
    "\"cycles\":1.5},{\"line\":3,\"cycles\":2},{\"line\":900,\"cycles\":7}]},"
    "{\"verdict\":\"%s\",\"equal\":\"bits\",\"ratio\":%g,\"ratio_low\":%g,\"ratio_high\":%g,\"median_ns\":%g,\"compiler\":\"clang\","
    "\"version\":\"14\",\"flags\":\"-O2\",\"samples\":[158000],\"next\":\"Try UPCAST:0:16.\",\"try\":\"UPCAST:0:16,UPCAST:1:8\"}]}",
    control_low, control_high, verdict, ratio, low, high, 217000 * ratio);
  g_autoptr (GError) error = NULL;
  LsReading *answer = ls_reading_new (&ls_compare_answer, text, -1, &error);
  g_assert_no_error (error);
  return answer;
}

/* Opened again, with an answer that was kept. */
static void
show_answer (LsWindow *window, const char *verdict, double ratio, double low, double high, double control_low, double control_high)
{
  const guint runs[] = { 1, 2 };
  g_autoptr (LsReading) answer = new_answer (verdict, ratio, low, high, control_low, control_high);
  ls_runs_take_measured (window->runs, ls_measured_runs_new (3, runs, 2, answer));
  ls_compare_view_open_kernel (window->compare, 3);
  g_assert_true (wait_until (is_idle, window));
  g_assert_true (ls_compare_view_back (window->compare));
  g_assert_true (wait_until (is_idle, window));
  settle ();
}

static void
test_table (void)
{
  LsWindow *window = open_runs ("home.py", (const char *const[]) { "k3:opt=UPCAST:0:4", NULL }, 1280);
  LsCompareView *view = window->compare;
  const LsComparedTable *t = ls_compare_view_get_table (view);
  g_assert_nonnull (t);
  g_assert_null (ls_compare_view_get (view));      /* no kernel is shown unasked */
  g_assert_cmpuint (t->rows->len, ==, 4);
  g_assert_cmpuint (((const LsKernelRow *) t->rows->pdata[0])->kernel, ==, 3);      /* what differs is on top */
  g_autofree char *text = ls_table_copy_text (rows_of (window), TRUE);
  assert_has (text, "t · line 4 transpose 64 × 64 32.8\u00a0kB, kernel 3\tnot measured\tother code, not measured\tThe code differs");
  assert_has (text, "Differs first at step 1 of options");
  assert_has (text, "s · line 3 sum 64 × 64 → 64");
  assert_has (text, "p · line 5 product 64 × 64 × 64");
  guint n_same = 0;
  for (const char *p = text; (p = strstr (p, "\tnot measured\tsame code\tSame code in every run.")); p++)
    n_same++;
  g_assert_cmpuint (n_same, ==, 3);
  g_assert_cmpstr (label (window, "compare-verdict"), ==, "The code of 1 kernel differs; it is not measured yet.");
  assert_has (label (window, "compare-facts"), "Nothing is measured yet");

  show_answer (window, "faster", 0.73, 0.57, 0.95, 0.98, 1.02);
  g_assert_cmpstr (label (window, "compare-verdict"), ==,
                   "UPCAST:0:4 is fastest on t (line 4): 0.73 of the time of “as it is” [0.57, 0.95], same bits.");
  g_assert_cmpstr (label (window, "compare-facts"), ==, "clang 14 -O2 · a machine · 24 rounds in random order · noise: the "
                                                        "baseline against itself takes 1.000 [0.980, 1.020] of its time");
  g_autofree char *measured = ls_table_copy_text (rows_of (window), TRUE);
  assert_has (measured, "\t217 µs [211 µs, 270 µs]\t0.73 × [0.57, 0.95] same bits\tUPCAST:0:4 is fastest: 0.73 of the time");

  show_answer (window, "faster", 0.73, 0.57, 0.95, 0.6, 1.4);      /* the same, on a machine on which that means nothing */
  assert_has (label (window, "compare-verdict"), "No run is surely faster than “as it is” on t (line 4).");
  assert_has (label (window, "compare-verdict"), "is withheld: “as it is” timed against itself gives [0.60, 1.40]");
  ls_compare_view_open_kernel (view, 3);      /* nor do the columns say so */
  g_assert_true (wait_until (is_idle, window));
  g_assert_cmpint (ls_compare_view_get (view)->times[1].verdict, ==, 0);
  g_assert_cmpstr (ls_compare_view_get (view)->ratio->text[1], ==, "within the noise: takes 0.73 × as long [0.57, 0.95]");
  close_window (window);
}

/* Keys and clicks lead to a kernel's columns and back. */
static void
test_ways (void)
{
  LsWindow *window = open_runs ("ways.py", (const char *const[]) { "k3:opt=UPCAST:0:4", NULL }, 1280);
  LsCompareView *view = window->compare;
  input_key (GDK_KEY_Page_Down, GDK_CONTROL_MASK);
  g_assert_true (wait_until (is_idle, window));
  g_assert_cmpuint (ls_compare_view_get (view)->kernels[0], ==, 3);
  assert_has (label (window, "compare-kernel"), "t · line 4");
  input_key (GDK_KEY_Page_Down, GDK_CONTROL_MASK);
  g_assert_true (wait_until (is_idle, window));
  g_assert_cmpuint (ls_compare_view_get (view)->kernels[0], ==, 1);
  assert_has (label (window, "compare-kernel"), "Same code in every run.");
  input_key (GDK_KEY_Page_Up, GDK_CONTROL_MASK);
  g_assert_true (wait_until (is_idle, window));
  g_assert_cmpuint (ls_compare_view_get (view)->kernels[0], ==, 3);
  input_key (GDK_KEY_Escape, 0);
  g_assert_true (wait_until (is_idle, window));
  g_assert_null (ls_compare_view_get (view));
  settle ();
  g_signal_emit_by_name (rows_of (window), "row-activated", 2);
  g_assert_true (wait_until (is_idle, window));
  g_assert_cmpuint (ls_compare_view_get (view)->kernels[0], ==, 2);
  settle ();
  input_click (find_widget (GTK_WIDGET (window), "all-kernels"));
  g_assert_true (wait_until (is_idle, window));
  g_assert_null (ls_compare_view_get (view));
  close_window (window);
}

/* Another run becomes the baseline, in the table and in the columns, and measurements against the former one stay its own. */
static void
test_base (void)
{
  LsWindow *window = open_runs ("base.py", (const char *const[]) { "k3:opt=UPCAST:0:4", NULL }, 1280);
  LsCompareView *view = window->compare;
  show_answer (window, "faster", 0.73, 0.57, 0.95, 0.98, 1.02);
  g_signal_emit_by_name (rows_of (window), "head-activated", 2);
  g_assert_true (wait_until (is_idle, window));
  settle ();
  const LsComparedTable *t = ls_compare_view_get_table (view);
  g_assert_cmpstr (t->names[0], ==, "k3:opt=UPCAST:0:4");
  g_assert_cmpstr (t->names[1], ==, "as it is");
  g_assert_cmpstr (label (window, "compare-verdict"), ==, "The code of 1 kernel differs; it is not measured yet.");
  ls_compare_view_open_kernel (view, 3);
  g_assert_true (wait_until (is_idle, window));
  settle ();
  GtkWidget *list = find_widget (GTK_WIDGET (window), "comparison");
  g_signal_emit_by_name (gtk_widget_get_ancestor (list, LS_TYPE_TABLE), "head-activated", 2);
  g_assert_true (wait_until (is_idle, window));
  g_assert_cmpuint (ls_compare_view_get (view)->kernels[0], ==, 3);
  g_assert_cmpint (ls_compare_view_get (view)->times[1].verdict, ==, 1);      /* the measurement is there again */
  close_window (window);
}

static gboolean
has_three (gpointer runs)
{
  return ls_runs_n (runs) == 3;
}

/* What is suggested is said in the table, and run by a button: the run with it is another column. */
static void
test_try (void)
{
  LsWindow *window = open_runs ("try.py", (const char *const[]) { "k3:opt=UPCAST:0:4", NULL }, 1280);
  LsCompareView *view = window->compare;
  show_answer (window, "faster", 0.73, 0.57, 0.95, 0.98, 1.02);
  g_autofree char *text = ls_table_copy_text (rows_of (window), TRUE);
  assert_has (text, "Try UPCAST:0:16.");
  ls_compare_view_open_kernel (view, 2);      /* of which nothing is known */
  g_assert_true (wait_until (is_idle, window));
  settle ();
  g_assert_false (gtk_widget_get_mapped (find_widget (GTK_WIDGET (window), "try-next")));
  ls_compare_view_open_kernel (view, 3);
  g_assert_true (wait_until (is_idle, window));
  settle ();
  assert_has (label (window, "compare-kernel"), "Try UPCAST:0:16.");
  input_click (find_widget (GTK_WIDGET (window), "try-next"));
  g_assert_true (wait_until (has_three, window->runs));
  g_assert_true (wait_until (is_idle, window));
  g_assert_cmpstr (ls_window_get_page (window), ==, "compare");
  g_autofree char *name = ls_runs_name (window->runs, 2);
  g_assert_cmpstr (name, ==, "3: k3:opt=UPCAST:0:16,k3:opt=UPCAST:1:8");
  g_assert_cmpstr (ls_trace_kernel (ls_runs_get (window->runs, 2)->trace, 3)->options, ==, "UPCAST:0:16,UPCAST:1:8");
  g_assert_cmpuint (ls_compare_view_get (view)->n, ==, 3);
  close_window (window);
}

/* Both sides of the first divergence: in the columns, and where one goes. */
static void
test_divergence (void)
{
  LsWindow *window = open_runs ("parts.py", (const char *const[]) { "k3:opt=UPCAST:0:4", NULL }, 1280);
  ls_compare_view_open_kernel (window->compare, 3);
  g_assert_true (wait_until (is_idle, window));
  const LsCompared *c = ls_compare_view_get (window->compare);
  const LsComparedRow *row = c->rows->pdata[ls_compared_band (c, LS_BAND_REWRITES) + 1];
  g_assert_cmpstr (row->label, ==, "Parts at");
  assert_has (row->text[0], "3/options/1: ");
  assert_has (row->text[0], "chosen by the heuristic");
  assert_has (row->text[1], "3/options/1: ");
  assert_has (row->text[1], "for the option UPCAST:0:4, chosen by you");
  g_assert_true (ls_compare_view_go_to_parting (window->compare));
  wait_window (window);
  assert_at (window, "3/options/1");
  g_assert_cmpuint (ls_runs_current_index (window->runs), ==, 1);
  assert_has (ls_notices_get_said (window->notices), "The baseline, 1: as it is, is at 3/options/1 here: ");
  assert_has (ls_notices_get_said (window->notices), "chosen by the heuristic");
  close_window (window);
}

static const LsComparedRow *
band_row (const LsCompared *c, LsBand band, guint i)
{
  return c->rows->pdata[ls_compared_band (c, band) + i];
}

/* Each instruction has its line and cycles, each line of the source the cycles of its instructions. */
static void
test_costs (void)
{
  LsWindow *window = open_runs ("costs.py", (const char *const[]) { "k3:opt=UPCAST:0:4", NULL }, 1280);
  show_answer (window, "faster", 0.73, 0.57, 0.95, 0.98, 1.02);
  ls_compare_view_open_kernel (window->compare, 3);
  g_assert_true (wait_until (is_idle, window));
  const LsCompared *c = ls_compare_view_get (window->compare);
  assert_has (band_row (c, LS_BAND_CODE, 0)->text[0], "3 lines, as measured");
  g_assert_cmpstr (band_row (c, LS_BAND_CODE, 1)->text[0], ==, "   3   1.50  one");
  g_assert_cmpstr (band_row (c, LS_BAND_CODE, 2)->text[0], ==, "   3   2.00  two");
  g_assert_cmpuint (band_row (c, LS_BAND_CODE, 1)->line[0], ==, 3);
  guint n_costs = 0, n_rows = ls_compared_band (c, LS_BAND_CODE) - ls_compared_band (c, LS_BAND_SOURCE);
  for (guint i = 1; i < n_rows; i++) {
    const LsComparedRow *row = band_row (c, LS_BAND_SOURCE, i);
    if (!row->text[0] || !row->line)
      continue;
    n_costs += row->line[0] != 0;
    g_assert_cmpint (row->line[0] != 0, ==, g_str_has_prefix (row->text[0], "  3.50  "));
  }
  g_assert_cmpuint (n_costs, ==, 1);
  settle ();
  /* a point for what has operations, below what the machine was measured to do */
  LsRoofline *roofline = LS_ROOFLINE (find_widget (GTK_WIDGET (window), "roofline"));
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (roofline)));
  g_autofree char *words = ls_roofline_words (roofline, 0), *none = ls_roofline_words (roofline, 1);
  g_assert_cmpstr (words, ==, "1: as it is: 20 GFLOPS, 50 % of the peak of 40; 15 GB/s, where caches give 100, 50 and 25 and "
                                "main memory 10");
  g_assert_null (none);
  ls_compare_view_open_kernel (window->compare, 2);      /* of which nothing was measured */
  g_assert_true (wait_until (is_idle, window));
  settle ();
  g_assert_false (gtk_widget_get_mapped (GTK_WIDGET (roofline)));
  close_window (window);
}

static guint
n_cut (GtkWidget *widget)
{
  guint n = 0;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child; child = gtk_widget_get_next_sibling (child))
    n += n_cut (child);
  if (LS_IS_CELLS (widget) && gtk_widget_get_mapped (widget))
    for (guint i = 0; i < ls_cells_get_n (LS_CELLS (widget)); i++)
      n += ls_cells_is_cut (LS_CELLS (widget), i);
  return n;
}

/* Columns are as wide as figures need, and nothing of the table is cut. */
static void
test_widths (void)
{
  static const char *const kernels[] = { "k3:opt=UPCAST:0:4", "k3:opt=UPCAST:1:4", "k3:opt=UPCAST:0:8", NULL };
  for (guint i = 0; i < 2; i++) {
    g_autofree char *name = g_strdup_printf ("widths-%u.py", i);
    LsWindow *window = open_runs (name, kernels, i ? 1280 : 1024);
    show_answer (window, "faster", 0.73, 0.57, 0.95, 0.98, 1.02);
    g_assert_cmpuint (n_cut (find_widget (GTK_WIDGET (window), "compared-kernels")), ==, 0);
    ls_compare_view_open_kernel (window->compare, 3);
    g_assert_true (wait_until (is_idle, window));
    settle ();
    GtkWidget *list = find_widget (GTK_WIDGET (window), "comparison");
    const LsTableColumn *column = ls_table_get_column (LS_TABLE (gtk_widget_get_ancestor (list, LS_TYPE_TABLE)), 1);
    g_assert_cmpint (column->least, >=, 380);
    int least;      /* the window stays as narrow as it is */
    gtk_widget_measure (GTK_WIDGET (window->compare), GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
    g_assert_cmpint (least, <=, 1024);
    GtkAdjustment *sideways = gtk_scrollable_get_hadjustment (GTK_SCROLLABLE (list));
    g_assert_cmpfloat (gtk_adjustment_get_upper (sideways), >=, 4 * 380);      /* it is scrolled sideways */
    close_window (window);
  }
}

/* What is measured from the table: the kernel whose code differs, with both runs, and the baseline of the others. */
static void
test_measure (void)
{
  LsWindow *window = open_runs ("all.py", (const char *const[]) { "k3:opt=UPCAST:0:4", NULL }, 1280);
  const LsComparedTable *t = ls_compare_view_get_table (window->compare);
  input_click (find_widget (GTK_WIDGET (window), "measure"));
  g_assert_true (ls_compare_view_is_measuring (window->compare));
  g_assert_true (wait_until (is_idle, window));
  g_assert_false (ls_compare_view_is_measuring (window->compare));
  for (guint i = 0; i < t->rows->len; i++) {
    const LsKernelRow *k = t->rows->pdata[i];
    g_assert_true (k->cells[0].timed);
    g_assert_cmpint (k->cells[1].timed, ==, k->kernel == 3);
    g_assert_true (k->cells[1].same_text || k->kernel == 3);
  }
  assert_has (label (window, "compare-facts"), "rounds in random order");
  assert_has (label (window, "compare-verdict"), "t (line 4)");
  close_window (window);
}

int
main (int argc, char **argv)
{
  if (!fixture_begin (&argc, &argv))
    return 0;
  g_test_add_func ("/compare-home/table", test_table);
  g_test_add_func ("/compare-home/ways", test_ways);
  g_test_add_func ("/compare-home/base", test_base);
  g_test_add_func ("/compare-home/try", test_try);
  g_test_add_func ("/compare-home/divergence", test_divergence);
  g_test_add_func ("/compare-home/costs", test_costs);
  g_test_add_func ("/compare-home/widths", test_widths);
  g_test_add_func ("/compare-home/measure", test_measure);
  return fixture_end ();
}
