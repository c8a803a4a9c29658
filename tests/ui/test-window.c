/* The window as a person uses it: real buttons and keys, and the result on screen.
 *
 * Recordings come from the real command line (LAZYSCOPE_CLI), which runs the example programs in LAZYSCOPE_PROGRAMS.
 */
#include "fixture.h"
#include "kit/scale.h"
#include "run/run.h"
#include "panes/text/disassembly-pane.h"
#include "panes/text/listing-pane.h"
#include "session/run-program.h"
#include "panes/inspect/shapes-pane.h"
#include "panes/text/source-pane.h"
#include "kit/state.h"
#include "panes/step/step-slider.h"
#include "kit/text.h"
#include "panes/inspect/values-pane.h"
#include "ir/print.h"

#include <gdk/x11/gdkx.h>
#include <glib/gstdio.h>
#include <gtksourceview/gtksource.h>
#include <string.h>
#include <sys/wait.h>

typedef struct { LsWindow *window; const char *page; } Waiting;

static gboolean
is_on_page (gpointer data)
{
  Waiting *w = data;
  return g_str_equal (ls_window_get_page (w->window), w->page) && ls_window_is_idle (w->window);
}

static LsWindow *
new_window (void)
{
  return open_start (1600, 1000);
}

static void
wait_for (LsWindow *window, const char *page)
{
  Waiting w = { window, page };
  if (!wait_until (is_on_page, &w))
    g_error ("the page is %s, not %s (idle: %d)", ls_window_get_page (window), page, ls_window_is_idle (window));
  settle ();
}

static char *
program_path (const char *name)
{
  return g_build_filename (g_getenv ("LAZYSCOPE_PROGRAMS"), name, NULL);
}

static char *
write_file (const char *name, const char *text)
{
  char *path = g_build_filename (folder, name, NULL);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return path;
}

static const char *
label_of (LsWindow *window, const char *name)
{
  GtkWidget *label = find_widget (GTK_WIDGET (window), name);
  g_assert_nonnull (label);
  return gtk_label_get_text (GTK_LABEL (label));
}

static const char *
subtitle (LsWindow *window)
{
  return adw_window_title_get_subtitle (ADW_WINDOW_TITLE (find_widget (GTK_WIDGET (window), "title")));
}

static const char *
step_number (LsWindow *window)
{
  return gtk_editable_get_text (GTK_EDITABLE (find_widget (GTK_WIDGET (window), "step-number")));
}

static void
assert_link (LsWindow *window, const char *expected)
{
  g_autofree char *link = ls_view_session_get_link (window->session);
  g_assert_cmpstr (link, ==, expected);
}

/* --- tests --- */

static void
test_texts (void)
{
  struct { double ns; const char *text; } times[] = { { 12, "12 ns" }, { 1234, "1.2 µs" }, { 4.5e6, "4.50 ms" }, { 2e9, "2.00 s" } };
  for (gsize i = 0; i < G_N_ELEMENTS (times); i++) {
    g_autofree char *text = ls_text_ns (times[i].ns);
    g_assert_cmpstr (text, ==, times[i].text);
  }
  static const struct { gint64 seconds; const char *text; } ages[] = {
    { -5, "just now" }, { 59, "just now" }, { 60, "1 minute ago" }, { 3599, "59 minutes ago" }, { 7200, "2 hours ago" },
    { 86400, "1 day ago" },
    { 61 * 86400, "2 months ago" }, { (gint64) 800 * 86400, "2 years ago" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (ages); i++) {
    g_autofree char *age = ls_text_age (ages[i].seconds);
    g_assert_cmpstr (age, ==, ages[i].text);
  }
  g_autofree char *count = ls_text_count (16777216);
  g_assert_cmpstr (count, ==, "16,777,216");
  g_autofree char *cut = ls_text_cut ("äöü\nx", 4);
  g_auto (GStrv) lines = ls_text_wrap ("one äö three fourfive", 6), none = ls_text_wrap ("", 6);
  const char *const wanted[] = { "one äö", "three", "fourfi", "ve", NULL }, *const empty[] = { "", NULL };
  g_assert_true (g_strv_equal ((const char *const *) lines, wanted));
  g_assert_true (g_strv_equal ((const char *const *) none, empty));
  g_assert_cmpstr (cut, ==, "äö…");
}

static void
test_start (void)
{
  LsWindow *window = new_window ();
  g_assert_cmpstr (ls_window_get_page (window), ==, "start");
  g_assert_nonnull (gtk_flow_box_get_child_at_index (GTK_FLOW_BOX (find_widget (GTK_WIDGET (window), "examples")), 2));
  g_assert_cmpstr (label_of (window, "first-example"), !=, "");
  input_key (GDK_KEY_Return, 0);      /* the first example runs with one Enter */
  wait_for (window, "steps");
  g_assert_nonnull (ls_view_session_get_trace (window->session));
  g_assert_cmpuint (ls_view_session_get_trace (window->session)->kernels->len, >, 0);
  g_assert_true (ls_view_session_get_trace (window->session)->frees_aside);
  g_autofree char *output = buffer_text (find_widget (GTK_WIDGET (window->program), "output"));
  g_assert_cmpstr (output, !=, "");
  close_window (window);
}

static void
test_stepping (void)
{
  LsWindow *window = new_window ();
  g_autofree char *link = g_strconcat (fixture_matmul (), "#1/ast/1", NULL);
  ls_window_open (window, link);
  wait_for (window, "steps");
  LsViewSession *session = window->session;
  guint n = ls_view_session_n_steps (session);
  g_assert_cmpuint (n, >, 6);
  assert_link (window, "1/ast/1");
  g_assert_cmpstr (step_number (window), ==, "1");
  g_assert_nonnull (strstr (subtitle (window), "ast › step 1 of"));
  GtkWidget *list = find_widget (find_widget (GTK_WIDGET (window), "sidebar"), "steps");
  guint entries = 1, second = 0;      /* of steps of one rule in a row; where the second step is */
  for (guint step = 2; step <= n; step++) {
    entries += ls_pass_step_link (ls_view_session_pass (session), step)->rule != ls_pass_step_link (ls_view_session_pass (session),
                                                                                                    step - 1)->rule;
    second = step == 2 ? entries - 1 : second;
  }
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (gtk_list_view_get_model (GTK_LIST_VIEW (list)))), ==, entries);

  input_click (find_widget (GTK_WIDGET (window), "next-step"));
  assert_link (window, "1/ast/2");
  g_assert_cmpstr (step_number (window), ==, "2");
  g_assert_cmpuint (gtk_single_selection_get_selected (GTK_SINGLE_SELECTION (gtk_list_view_get_model (GTK_LIST_VIEW (list)))), ==, second);
  g_assert_cmpuint (ls_step_slider_get_value (LS_STEP_SLIDER (find_widget (GTK_WIDGET (window), "step-slider"))), ==, 2);
  const LsTraceRule *rule = ls_view_session_get_trace (session)->rules->pdata[ls_pass_step_link (ls_view_session_pass (session), 2)->rule];
  g_assert_cmpstr (label_of (window, "rule-name"), ==, rule->name);
  g_assert_cmpstr (label_of (window, "rule-text"), ==, rule->text);
  g_assert_cmpstr (label_of (window, "step-sentence"), !=, "");

  input_key (GDK_KEY_n, 0);
  assert_link (window, "1/ast/3");
  input_key (GDK_KEY_p, 0);
  assert_link (window, "1/ast/2");
  input_click (find_widget (GTK_WIDGET (window), "last-step"));
  g_assert_cmpuint (ls_view_session_get_step (session), ==, n);
  input_key (GDK_KEY_n, 0);      /* past the end: the next pass that changed something */
  g_assert_cmpstr (ls_view_session_pass (session)->name, !=, "ast");
  g_assert_cmpuint (ls_view_session_get_step (session), ==, 1);
  input_key (GDK_KEY_p, GDK_SHIFT_MASK);
  assert_link (window, "1/ast/1");
  input_key (GDK_KEY_g, 0);
  input_text ("5");
  input_key (GDK_KEY_Return, 0);
  assert_link (window, "1/ast/5");
  input_key (GDK_KEY_g, 0);
  input_text ("99999");
  input_key (GDK_KEY_Return, 0);
  assert_link (window, "1/ast/5");
  g_assert_cmpstr (step_number (window), ==, "5");
  input_key (GDK_KEY_Page_Down, GDK_CONTROL_MASK);
  g_assert_cmpuint (ls_view_session_pass (session)->kernel, ==, 2);
  input_key (GDK_KEY_Page_Up, GDK_CONTROL_MASK);
  g_assert_cmpuint (ls_view_session_pass (session)->kernel, ==, 1);

  GtkWidget *slider = find_widget (GTK_WIDGET (window), "step-slider");
  gtk_widget_grab_focus (slider);
  input_key (GDK_KEY_End, 0);
  g_assert_cmpuint (ls_view_session_get_step (session), ==, ls_view_session_n_steps (session));
  input_key (GDK_KEY_Home, 0);
  g_assert_cmpuint (ls_view_session_get_step (session), ==, 0);
  g_assert_false (gtk_widget_get_sensitive (find_widget (GTK_WIDGET (window), "mode-before")));      /* the input has no before */
  input_click (find_widget (GTK_WIDGET (window), "next-step"));
  wait_window (window);      /* the step has a before once it is shown */
  input_click (find_widget (GTK_WIDGET (window), "mode-before"));
  g_assert_cmpint (ls_graph_view_get_mode (ls_steps_view_get_graph (window->steps)), ==, LS_GRAPH_BEFORE);
  g_assert_true (ls_steps_view_get_sidebar (window->steps));
  input_key (GDK_KEY_F9, 0);
  g_assert_false (ls_steps_view_get_sidebar (window->steps));
  close_window (window);
}

static void
test_texts_shown (void)
{
  LsWindow *window = new_window ();
  ls_window_open (window, fixture_matmul ());
  wait_for (window, "steps");
  LsViewSession *session = window->session;
  LsTrace *trace = ls_view_session_get_trace (session);
  for (guint number = 1; number <= trace->kernels->len; number++) {
    g_autofree char *link = g_strdup_printf ("%u", number);
    g_assert_true (ls_view_session_go_link (session, link));
    wait_until (is_idle, window);
    LsKernel *kernel = ls_trace_kernel (trace, number);
    GtkWidget *list = find_widget (GTK_WIDGET (window), "uops"), *source = find_widget (GTK_WIDGET (window), "source");
    g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (gtk_list_view_get_model (GTK_LIST_VIEW (list)))), ==, kernel->listing->len);
    GtkTextIter start, end;
    GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (source));
    gtk_text_buffer_get_bounds (buffer, &start, &end);
    g_autofree char *shown = gtk_text_buffer_get_text (buffer, &start, &end, TRUE);
    g_autofree char *expected = g_strchomp (g_strdup (kernel->source));
    g_assert_cmpstr (shown, ==, expected);
  }
  /* the exact text is a toggle */
  input_click (find_widget (GTK_WIDGET (window), "text-final"));
  input_click (find_widget (GTK_WIDGET (window), "exact"));
  GtkTextIter start, end;
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (find_widget (GTK_WIDGET (window), "uops-text")));
  gtk_text_buffer_get_bounds (buffer, &start, &end);
  g_autofree char *text = gtk_text_buffer_get_text (buffer, &start, &end, TRUE);
  g_assert_nonnull (strstr (text, "Ops.STORE"));
  /* the tables have a row for each kernel, and values */
  GtkWidget *timing = find_widget (GTK_WIDGET (window), "timing");
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (gtk_list_view_get_model (GTK_LIST_VIEW (timing)))), ==, trace->kernels->len);
  close_window (window);
}

static gboolean
has (GArray *nodes, guint32 node)
{
  for (guint i = 0; i < nodes->len; i++)
    if (g_array_index (nodes, guint32, i) == node)
      return TRUE;
  return FALSE;
}

static void
test_selection (void)
{
  LsWindow *window = new_window ();
  g_autofree char *link = g_strconcat (fixture_matmul (), "#3/linearize", NULL);
  ls_window_open (window, link);
  wait_for (window, "steps");
  LsViewSession *session = window->session;
  LsKernel *kernel = ls_view_session_kernel (session);
  GtkWidget *list = find_widget (GTK_WIDGET (window), "uops");
  GtkSingleSelection *rows = GTK_SINGLE_SELECTION (gtk_list_view_get_model (GTK_LIST_VIEW (list)));

  /* a row: its node, its line */
  const LsSourceLink *target = &g_array_index (kernel->source_links, LsSourceLink, kernel->source_links->len / 2);
  guint row = 0;
  while (g_array_index (kernel->listing, guint32, row) != target->node)
    row++;
  gtk_single_selection_set_selected (rows, row);
  settle ();
  g_assert_cmpuint (ls_view_session_get_selection (session), ==, target->node);
  GArray *lines = ls_view_session_source_lines (session);
  g_assert_true (lines->len > 0);
  gboolean found = FALSE;
  for (guint i = 0; i < lines->len; i++)
    found |= g_array_index (lines, guint, i) == target->line;
  g_assert_true (found);
  g_assert_true (has (ls_view_session_graph_nodes (session), target->node));

  /* a line: its nodes */
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (find_widget (GTK_WIDGET (window), "source")));
  GtkTextIter at;
  gtk_text_buffer_get_iter_at_line (buffer, &at, (int) target->line - 1);
  gtk_text_buffer_place_cursor (buffer, &at);
  settle ();
  g_assert_true (has (ls_view_session_final_nodes (session), target->node));

  /* an early pass: the graph's nodes lead to rows, rows lead back to the graph, and the text is called final */
  g_assert_true (ls_view_session_go_link (session, "3/lower/1"));
  wait_until (is_idle, window);
  g_assert_nonnull (strstr (template_text (window->steps, "note"), "Final text"));
  g_autoptr (GPtrArray) nodes = g_ptr_array_ref (ls_view_session_graph (session)->nodes);
  guint with_rows = 0, back = 0;
  for (guint i = 0; i < nodes->len; i++) {
    guint32 node = ((LsUOp *) nodes->pdata[i])->id;
    ls_view_session_select (session, LS_CHOSEN_IN_GRAPH, &node, 1);
    GArray *finals = ls_view_session_final_nodes (session);
    if (finals->len == 0)
      continue;
    with_rows++;
    g_autoptr (GArray) all = g_array_copy (finals);
    ls_view_session_select (session, LS_CHOSEN_IN_FINAL, (guint32 *) all->data, all->len);
    back += ls_view_session_graph_nodes (session)->len > 0;
  }
  g_assert_cmpuint (with_rows, >, nodes->len / 2);
  g_assert_cmpuint (back, ==, with_rows);

  /* what a step makes and a row shows as it is comes from that step */
  guint shown = 0;
  g_assert_true (ls_view_session_go_link (session, "3/index/1"));
  const LsPass *pass = ls_view_session_pass (session);
  for (guint step = 1; step <= ls_pass_n_rewrites (pass); step++) {
    guint32 made = ls_pass_step_link (pass, step)->after;
    ls_view_session_go (session, (int) pass->index, step);
    wait_until (is_idle, window);
    gboolean is_row = FALSE;
    for (guint i = 0; i < kernel->listing->len; i++)
      is_row |= g_array_index (kernel->listing, guint32, i) == made;
    if (!is_row)
      continue;
    g_assert_true (ls_view_session_is_from_step (session, made));
    shown++;
  }
  g_assert_cmpuint (shown, >, 10);
  input_key (GDK_KEY_Escape, 0);
  g_assert_cmpuint (ls_view_session_get_selection (session), ==, LS_NO_NODE);
  close_window (window);
}

/* One selection: a program line, a node, a row, a line of source and an instruction are chosen together, wherever one begins. */
static void
test_one_selection (void)
{
  LsWindow *window = new_window ();
  ls_window_open (window, fixture_matmul ());
  wait_for (window, "steps");
  LsViewSession *session = window->session;
  LsStepsView *steps = window->steps;
  /* in the middle of a pass, where nodes are over other nodes than in the recording */
  g_assert_true (ls_view_session_go_link (session, "3/simplify#2/20"));
  ls_steps_view_show_table (steps, "disassembly");
  wait_until (is_idle, window);
  g_assert_true (ls_view_session_choose (session, "line:34"));
  wait_until (is_idle, window);
  settle ();
  g_assert_true (has (ls_view_session_source_lines (session), 34));
  g_assert_true (has (ls_view_session_program_lines (session), 9));
  g_assert_cmpuint (ls_view_session_graph_nodes (session)->len, >, 1);
  guint instructions = ls_view_session_n_chosen_instructions (session);
  g_assert_cmpuint (instructions, >, 1);
  g_autofree char *count = g_strdup_printf ("%u instructions", instructions);
  g_assert_nonnull (strstr (template_text (steps, "note"), count));
  g_assert_nonnull (strstr (template_text (steps, "note"), "line 34"));
  g_assert_nonnull (strstr (template_text (steps, "note"), "program line 9"));
  LsDisassemblyPane *pane = LS_DISASSEMBLY_PANE (gtk_widget_get_ancestor (find_widget (GTK_WIDGET (window), "disassembly"),
                                                                          LS_TYPE_DISASSEMBLY_PANE));
  g_assert_nonnull (strstr (template_text (pane, "header"), "tcc"));

  /* each node of the graph leads to the program, and most to rows that lead back to it */
  g_autoptr (GPtrArray) nodes = g_ptr_array_ref (ls_view_session_graph (session)->nodes);
  guint mapped = 0, with_rows = 0, back = 0;
  for (guint i = 0; i < nodes->len; i++) {
    guint32 node = ((LsUOp *) nodes->pdata[i])->id;
    ls_view_session_select (session, LS_CHOSEN_IN_GRAPH, &node, 1);
    mapped += ls_view_session_program_lines (session)->len > 0;
    GArray *finals = ls_view_session_final_nodes (session);
    if (finals->len == 0)
      continue;
    with_rows++;
    g_autoptr (GArray) all = g_array_copy (finals);
    ls_view_session_select (session, LS_CHOSEN_IN_FINAL, (guint32 *) all->data, all->len);
    back += has (ls_view_session_graph_nodes (session), node);
  }
  g_test_message ("%u nodes: %u have program lines, %u have rows, %u come back", nodes->len, mapped, with_rows, back);
  g_assert_cmpuint (mapped, >=, nodes->len - 2);      /* the SINK has none */
  g_assert_cmpuint (with_rows, >, nodes->len * 9 / 10);
  g_assert_cmpuint (back, >, with_rows * 9 / 10);

  /* an instruction: the arithmetic of its line; one without a line says so */
  const GArray *code = ls_view_session_instructions (session);
  guint row = 0;
  while (row < code->len && g_array_index (code, LsInstruction, row).line != 34)
    row++;
  ls_view_session_select_instruction (session, row);
  g_assert_true (has (ls_view_session_source_lines (session), 34));
  g_assert_null (ls_view_session_get_unmapped (session));
  ls_view_session_select_line (session, 50);      /* the closing brace of a loop shows no node */
  settle ();
  if (ls_view_session_get_selection (session) == LS_NO_NODE)
    g_assert_nonnull (strstr (template_text (steps, "note"), "line 50 is not mapped"));

  /* a program line, in the tab and in the editor: what descends from it, and the same lines everywhere */
  ls_steps_view_show_table (steps, "program");
  ls_view_session_select_program (session, 0, 9);
  wait_until (is_idle, window);
  settle ();
  g_assert_cmpuint (ls_view_session_graph_nodes (session)->len, >, nodes->len / 2);
  g_assert_cmpuint (ls_view_session_final_nodes (session)->len, >, 100);
  for (guint i = 0; i < ls_view_session_graph_nodes (session)->len; i++) {
    guint32 node = g_array_index (ls_view_session_graph_nodes (session), guint32, i);
    g_autoptr (GArray) lines = ls_trace_program_lines (ls_view_session_get_trace (session), ls_view_session_pass (session),
                                                       ls_context_node (ls_view_session_get_trace (session)->ctx, node));
    g_assert_true (lines->len == 0 || has (lines, 9));
  }
  GtkSourceBuffer *buffer = GTK_SOURCE_BUFFER (gtk_text_view_get_buffer (GTK_TEXT_VIEW (find_widget (GTK_WIDGET (window), "program"))));
  g_autoptr (GSList) marks = gtk_source_buffer_get_source_marks_at_line (buffer, 8, "chosen");
  g_assert_nonnull (marks);
  ls_view_session_select_program (session, 0, 1);      /* a comment */
  wait_until (is_idle, window);
  settle ();
  g_assert_nonnull (strstr (template_text (steps, "note"), "program line 1 · nothing here descends from it"));
  close_window (window);
}

/* A kernel that runs an earlier one's code: what is chosen in its own graph leads to the listing, and back, through the earlier
 * kernel's passes. */
static void
test_shared_code (void)
{
  g_autofree char *path = write_file ("shared.py", "from tinygrad import Tensor\na = Tensor([1.0, 2.0, 5.0]).realize()\nb = (a + "
                                                   "3).realize()\nc = (b + 3).realize()\nprint(c.tolist())\n");
  LsWindow *window = new_window ();
  ls_window_open (window, path);
  wait_for (window, "steps");
  LsViewSession *session = window->session;
  LsTrace *trace = ls_view_session_get_trace (session);
  g_assert_cmpint (ls_trace_kernel (trace, 2)->same_as, ==, 1);
  guint found[2] = { 0, 0 }, back[2] = { 0, 0 };
  for (guint kernel = 1; kernel <= 2; kernel++) {
    g_autofree char *link = g_strdup_printf ("%u/schedule", kernel);
    g_assert_true (ls_view_session_go_link (session, link));
    g_assert_true (wait_until (is_idle, window));
    g_assert_cmpuint (ls_view_session_kernel (session)->number, ==, kernel);
    g_autoptr (GPtrArray) nodes = g_ptr_array_ref (ls_view_session_graph (session)->nodes);
    for (guint i = 0; i < nodes->len; i++) {
      ls_view_session_select (session, LS_CHOSEN_IN_GRAPH, &((LsUOp *) nodes->pdata[i])->id, 1);
      found[kernel - 1] += ls_view_session_final_nodes (session)->len;
    }
    const GArray *listing = ls_view_session_kernel (session)->listing;
    for (guint i = 0; i < listing->len; i++) {
      ls_view_session_select (session, LS_CHOSEN_IN_FINAL, &g_array_index (listing, guint32, i), 1);
      GArray *graph = ls_view_session_graph_nodes (session), *lines = ls_view_session_program_lines (session);
      back[kernel - 1] += graph->len;
      LsUOp *u = ls_context_node (trace->ctx, g_array_index (listing, guint32, i));
      if (u->op == LS_OP_ADD && u->dtype == LS_FLOAT) {
        g_assert_cmpuint (lines->len, ==, 1);
        g_assert_cmpuint (g_array_index (lines, guint, 0), ==, 2 + kernel);
        g_assert_cmpuint (graph->len, >, 0);
      }
    }
  }
  g_assert_cmpuint (found[0], >, 0);
  g_assert_cmpuint (back[0], >, 0);
  g_assert_cmpuint (found[1], ==, found[0]);
  g_assert_cmpuint (back[1], ==, back[0]);
  close_window (window);
}

static gboolean
has_values (gpointer data)
{
  return strstr (template_text (data, "title"), "values") != NULL;
}

/* Values are computed in the background, in the middle of a pass, too; the first NaN is found and selected. */
static void
test_values (void)
{
  g_autofree char *path = write_file ("nan.py", "from tinygrad import Tensor\na = Tensor([[-1.0, 4.0], [9.0, "
                                                "16.0]]).realize()\nprint(((a.sqrt() + a) * 2).tolist())\n"
                                      "b = Tensor.arange(200).reshape(2, "
                                      "100).float().contiguous().realize()\nprint(b.sum(axis=1).tolist())\n");
  LsWindow *window = new_window ();
  ls_window_open (window, path);
  wait_for (window, "steps");
  LsViewSession *session = window->session;
  LsStepsView *steps = window->steps;
  g_assert_true (ls_view_session_go_link (session, "1/ast/3"));
  ls_steps_view_show_table (steps, "values");
  g_assert_true (wait_until (is_idle, window));
  GtkWidget *pane = gtk_stack_get_visible_child (GTK_STACK (find_widget (GTK_WIDGET (window), "tables")));
  g_autoptr (GPtrArray) nodes = g_ptr_array_ref (ls_view_session_graph (session)->nodes);
  guint seen = 0;
  for (guint i = 0; i < nodes->len; i++) {
    LsUOp *u = nodes->pdata[i];
    if (u->op != LS_OP_ADD && u->op != LS_OP_MUL)
      continue;
    ls_view_session_select (session, LS_CHOSEN_IN_GRAPH, &u->id, 1);
    settle ();
    g_assert_true (wait_until (is_idle, window));
    g_assert_true (has_values (pane));
    g_assert_true (g_str_has_prefix (template_text (LS_VALUES_PANE (pane), "title"), ls_op_name (u->op)));
    g_assert_nonnull (strstr (template_text (LS_VALUES_PANE (pane), "title"), "4 values"));
    seen++;
  }
  g_assert_cmpuint (seen, >=, 2);
  input_click (find_widget (GTK_WIDGET (window), "values-find"));
  g_assert_true (wait_until (is_idle, window));
  g_assert_true (wait_until (is_idle, window));
  LsUOp *found = ls_context_node (ls_view_session_get_trace (session)->ctx, ls_view_session_get_selection (session));
  g_assert_nonnull (found);
  g_assert_cmpstr (ls_op_name (found->op), ==, "SQRT");
  /* an accumulator's values come in order of execution */
  g_assert_true (ls_view_session_go_link (session, "3/decompose"));
  nodes = (g_ptr_array_unref (nodes), g_ptr_array_ref (ls_view_session_graph (session)->nodes));
  for (guint i = 0; i < nodes->len; i++)
    if (((LsUOp *) nodes->pdata[i])->op == LS_OP_PHI)
      ls_view_session_select (session, LS_CHOSEN_IN_GRAPH, &((LsUOp *) nodes->pdata[i])->id, 1);
  settle ();
  g_assert_true (wait_until (is_idle, window));
  g_assert_nonnull (strstr (template_text (LS_VALUES_PANE (pane), "title"), "executed 200 times over i < 2, j < 100"));
  close_window (window);
}

/* Shapes: every node of every graph says what it touches or why it touches nothing; a slider holds an axis. */
static void
test_shapes (void)
{
  LsWindow *window = new_window ();
  ls_window_open (window, fixture_matmul ());
  wait_for (window, "steps");
  LsViewSession *session = window->session;
  ls_steps_view_show_table (window->steps, "shapes");
  LsShapesPane *pane = LS_SHAPES_PANE (gtk_stack_get_visible_child (GTK_STACK (find_widget (GTK_WIDGET (window), "tables"))));
  static const char *const links[] = { "0/tensor/0", "3/ast/4", "3/lower/1", "3/expand/3", "3/devectorize/22", "3/index/1" };
  guint touching = 0;
  for (gsize l = 0; l < G_N_ELEMENTS (links); l++) {
    if (!ls_view_session_go_link (session, links[l]))
      continue;
    wait_until (is_idle, window);
    g_autoptr (GPtrArray) nodes = g_ptr_array_ref (ls_view_session_graph (session)->nodes);
    for (guint i = 0; i < nodes->len; i++) {
      ls_view_session_select (session, LS_CHOSEN_IN_GRAPH, &((LsUOp *) nodes->pdata[i])->id, 1);
      while (g_main_context_iteration (NULL, FALSE))
        ;
      const char *text = template_text (pane, "text");
      g_assert_cmpstr (text, !=, "");
      touching += strstr (text, "valid everywhere") != NULL;
    }
  }
  g_assert_cmpuint (touching, >, 20);
  g_assert_true (ls_view_session_go_link (session, "3/lower/1"));
  ls_view_session_select (session, LS_CHOSEN_NOWHERE, NULL, 0);
  settle ();
  GtkWidget *axis = find_widget (GTK_WIDGET (window), "axis-0");
  g_assert_true (gtk_widget_get_mapped (axis));
  g_assert_nonnull (strstr (template_text (pane, "picture_text"), "4,096 accesses touch 4,096 of 4,096 elements"));
  gtk_range_set_value (GTK_RANGE (axis), 3);
  settle ();
  g_assert_nonnull (strstr (template_text (pane, "picture_text"), "64 accesses touch 64 of 4,096 elements"));
  close_window (window);
}

/* A kernel without machine code says so. */
static void
test_no_code (void)
{
  g_autofree char *program = program_path ("add_ints.py"), *path = g_build_filename (folder, "interp.lscope", NULL);
  const char *argv[] = { g_getenv ("LAZYSCOPE_CLI"), "run", program, "--compiler", "interp", "--record", path, NULL };
  g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  LsWindow *window = new_window ();
  ls_window_open (window, path);
  wait_for (window, "steps");
  ls_steps_view_show_table (window->steps, "disassembly");
  settle ();
  GtkWidget *pane = gtk_widget_get_ancestor (find_widget (GTK_WIDGET (window), "disassembly"), LS_TYPE_DISASSEMBLY_PANE);
  g_assert_cmpstr (template_text (LS_DISASSEMBLY_PANE (pane), "header"), ==, "");
  g_assert_nonnull (strstr (ls_disassembly_pane_get_empty (LS_DISASSEMBLY_PANE (pane)), "the interpreter runs this kernel"));
  close_window (window);
}

/* In the narrow layout the slider is one that can be aimed at, and the timing's columns are all in sight. */
static void
test_narrow (void)
{
  ls_state_forget ("splits");      /* of wider windows before */
  /* times are as wide as they are in it */
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "softmax.lscope", NULL);
  LsWindow *window = open_recording (path, "1/simplify/9", 1280, 800);
  g_assert_cmpint (gtk_widget_get_width (GTK_WIDGET (ls_steps_view_get_slider (window->steps))), >=, 200);
  GtkWidget *table = find_widget (GTK_WIDGET (window), "timing"), *scroll = gtk_widget_get_ancestor (table, GTK_TYPE_SCROLLED_WINDOW);
  GtkAdjustment *h = gtk_scrolled_window_get_hadjustment (GTK_SCROLLED_WINDOW (scroll));
  g_assert_true (gtk_widget_get_mapped (table));
  g_assert_cmpfloat (gtk_adjustment_get_upper (h), <=, gtk_adjustment_get_page_size (h) + 0.5);
  close_window (window);
}

static void
test_program_error (void)
{
  g_autofree char *path = write_file ("bad.py", "from tinygrad import Tensor\na = Tensor([1, 2, 3])\nb = Tensor([[1, 2], [3, "
                                                "4]])\nprint((a + b).tolist())\n");
  LsWindow *window = new_window ();
  ls_window_open (window, path);
  wait_for (window, "program");
  LsProgramView *program = window->program;
  g_assert_cmpuint (ls_program_view_get_error_line (program), ==, 4);
  const char *message = label_of (window, "program-error");
  g_assert_nonnull (strstr (message, "(3,)"));
  g_assert_nonnull (strstr (message, "(2, 2)"));
  GtkTextIter at;
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (find_widget (GTK_WIDGET (window), "program")));
  gtk_text_buffer_get_iter_at_line (buffer, &at, 3);
  g_autoptr (GSList) marks = gtk_source_buffer_get_source_marks_at_line (GTK_SOURCE_BUFFER (buffer), 3, "error");
  g_assert_nonnull (marks);
  /* the text is put right by hand and run by key: unsaved changes count */
  GtkTextIter start, end;
  gtk_text_buffer_get_iter_at_line (buffer, &start, 2);
  gtk_text_buffer_get_iter_at_line (buffer, &end, 3);
  gtk_text_buffer_delete (buffer, &start, &end);
  gtk_text_buffer_insert (buffer, &start, "b = Tensor([4, 5, 6])\n", -1);
  g_assert_cmpuint (ls_program_view_get_error_line (program), ==, 0);
  gtk_widget_grab_focus (find_widget (GTK_WIDGET (window), "program"));
  input_key (GDK_KEY_Return, GDK_CONTROL_MASK);
  wait_for (window, "steps");
  g_autofree char *output = buffer_text (find_widget (GTK_WIDGET (program), "output"));
  g_assert_cmpstr (output, ==, "[5, 7, 9]\n");
  close_window (window);
}

/* It runs until it is cancelled, and makes kernels all the time. */
#define LONG "from tinygrad import Tensor\nfor i in range(10 ** 9):\n  print((Tensor([1, 2, 3]) * (i + 3) + 2).tolist())\n"

static gboolean
can_cancel (gpointer run)
{
  return g_str_equal (gtk_button_get_label (run), "Cancel");
}

static void
test_cancel (void)
{
  g_autofree char *path = write_file ("long.py", LONG);
  LsWindow *window = new_window ();
  ls_window_open (window, path);
  GtkButton *run = GTK_BUTTON (find_widget (GTK_WIDGET (window), "run"));
  g_assert_true (wait_until (can_cancel, run));
  g_assert_false (ls_window_is_idle (window));
  input_click (GTK_WIDGET (run));
  g_assert_true (wait_until (is_idle, window));
  g_assert_cmpstr (gtk_button_get_label (run), ==, "Run");
  close_window (window);
}

/* The watched run has opened its place, and there is a step after it. */
static gboolean
has_place (gpointer window)
{
  LsViewSession *session = LS_WINDOW (window)->session;
  guint step = ls_view_session_get_step (session);
  return ls_view_session_get_trace (session) && g_str_equal (ls_window_get_page (window), "steps") && step > 0 &&
         step < ls_view_session_n_steps (session) && !ls_view_session_get_busy (session);
}

typedef struct { LsWindow *window; guint step; } AtStep;

static gboolean
is_at_step (gpointer data)
{
  const AtStep *at = data;
  return ls_view_session_get_step (at->window->session) == at->step;
}

/* A running program is shown up to its last finished pass; the recording so far stays when it is cancelled. */
static void
test_progress (void)
{
  g_autofree char *path = write_file ("slow.py", LONG);
  LsWindow *window = new_window ();
  ls_window_open (window, path);
  g_assert_true (wait_until (has_place, window));
  g_assert_false (ls_window_is_idle (window));
  input_key (GDK_KEY_n, 0);      /* one can step while it runs */
  AtStep second = { window, 2 };
  g_assert_true (wait_until (is_at_step, &second));
  input_key (GDK_KEY_Escape, 0);
  g_assert_true (wait_until (is_idle, window));
  g_assert_nonnull (ls_view_session_get_trace (window->session));
  g_assert_false (ls_view_session_get_trace (window->session)->complete);
  close_window (window);
}

static void
test_bad_files (void)
{
  g_autofree char *noise = write_file ("noise.lscope", "this is not a recording at all, not even a database");
  g_autofree char *cut = g_build_filename (folder, "cut.lscope", NULL);
  g_autofree char *bytes = NULL;
  gsize size;
  g_assert_true (g_file_get_contents (fixture_matmul (), &bytes, &size, NULL));
  g_assert_true (g_file_set_contents (cut, bytes, (gssize) (size / 3), NULL));
  g_autofree char *missing = g_build_filename (folder, "missing.lscope", NULL);
  g_autofree char *missing_program = g_build_filename (folder, "missing.py", NULL);
  const char *paths[] = { noise, cut, missing, missing_program, folder };
  LsWindow *window = new_window ();
  for (gsize i = 0; i < G_N_ELEMENTS (paths); i++) {
    ls_window_open (window, paths[i]);
    wait_for (window, "failed");
    AdwStatusPage *page = ADW_STATUS_PAGE (find_widget (GTK_WIDGET (window), "failed"));
    g_assert_nonnull (strstr (adw_status_page_get_title (page), "cannot be opened"));
    g_assert_cmpuint (strlen (adw_status_page_get_description (page)), >, 10);
  }
  /* and the window is still good for a sound one */
  ls_window_open (window, fixture_matmul ());
  wait_for (window, "steps");
  close_window (window);
}

static void
test_links (void)
{
  LsWindow *window = new_window ();
  g_autofree char *program = program_path ("matmul.py");
  g_autofree char *link = g_strconcat (program, "#3/simplify#2/7", NULL);
  ls_window_open (window, link);      /* a program's link: it is run, then shown there */
  wait_for (window, "steps");
  assert_link (window, "3/simplify#2/7");
  g_autofree char *nowhere = g_strconcat (fixture_matmul (), "#3/nowhere/7", NULL);
  ls_window_open (window, nowhere);
  wait_for (window, "steps");
  g_assert_nonnull (ls_view_session_pass (window->session));
  close_window (window);
}

static void
test_screenshot (void)
{
  g_autofree char *png = g_build_filename (folder, "shot.png", NULL);
  g_autofree char *link = g_strconcat (fixture_matmul (), "#3/lower/2", NULL);
  const char *argv[] = { g_getenv ("LAZYSCOPE_VIEWER"), "--screenshot", png, "--size", "1280x800", "--dark", link, NULL };
  g_autoptr (GError) error = NULL;
  int status = -1;
  g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL, &status, &error);
  g_assert_no_error (error);
  g_assert_cmpint (status, ==, 0);
  g_autoptr (GdkPixbuf) picture = gdk_pixbuf_new_from_file (png, &error);
  g_assert_no_error (error);
  g_assert_cmpint (gdk_pixbuf_get_width (picture), ==, 1280);
  g_assert_cmpint (gdk_pixbuf_get_height (picture), ==, 800);
  /* what could not be opened or done is said, and is not a success */
  g_autofree char *none = g_build_filename (folder, "none.lscope", NULL);
  const struct { const char *link, *action, *says; } wrong[] = { { none, "win.schedule", "none.lscope: No such file" },
                                                                 { link, "win.nope", "there is no action win.nope" } };
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++) {
    const char *asked[] = { argv[0], "--screenshot", png, "--do", wrong[i].action, wrong[i].link, NULL };
    g_autofree char *said = NULL;
    g_spawn_sync (NULL, (char **) asked, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, &said, &status, &error);
    g_assert_no_error (error);
    g_assert_true (WIFEXITED (status) && WEXITSTATUS (status) == 1);
    g_assert_nonnull (strstr (said, wrong[i].says));
  }
}

/* A request that the X server refuses does not end the program, and GDK's own traps get it as before. */
static void
test_x_errors (void)
{
  LsWindow *window = new_window ();
  GdkDisplay *display = gtk_widget_get_display (GTK_WIDGET (window));
  Display *x = gdk_x11_display_get_xdisplay (display);
  Window gone = XCreateSimpleWindow (x, DefaultRootWindow (x), 0, 0, 10, 10, 0, 0, 0);
  XDestroyWindow (x, gone);
  XMoveWindow (x, gone, 5, 5);
  XSync (x, False);
  gdk_x11_display_error_trap_push (display);
  XMoveWindow (x, gone, 5, 5);
  g_assert_cmpint (gdk_x11_display_error_trap_pop (display), ==, BadWindow);
  settle ();
  close_window (window);
}

/* A recording of a text that is run here. Free with g_free. */
static char *
record (const char *name, const char *text)
{
  g_autofree char *source = g_strdup_printf ("%s/%s.py", folder, name);
  char *path = g_strdup_printf ("%s/%s.lscope", folder, name);
  const char *argv[] = { g_getenv ("LAZYSCOPE_CLI"), "run", source, "--record", path, NULL };
  g_assert_true (g_file_set_contents (source, text, -1, NULL));
  g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, NULL, NULL, NULL, NULL);
  return path;
}

/* A failed program's recording opens at the line that failed, from its first column; a link into it leads to its step. */
static void
test_failed_recording (void)
{
  g_autoptr (GString) text = g_string_new ("from tinygrad import Tensor\na = Tensor([1.0, 2.0, 3.0])\nprint((a * 2).sum().item())\n");
  for (guint i = 0; i < 90; i++)
    g_string_append_printf (text, "x%u = %u\n", i, i);
  g_string_append (text, "b = Tensor([1.0]).reshape(7)\n");
  g_autofree char *path = record ("fails", text->str), *link = g_strconcat (path, "#1/ast/2", NULL);
  LsWindow *window = open_start (1280, 800);
  ls_window_open (window, path);
  wait_for (window, "program");
  GtkTextView *view = GTK_TEXT_VIEW (find_widget (GTK_WIDGET (window), "program"));
  while (!GTK_IS_TEXT_VIEW (view))
    view = GTK_TEXT_VIEW (find_widget (gtk_widget_get_first_child (GTK_WIDGET (view)), "program"));
  GdkRectangle seen = { 0 }, at = { 0 };
  GtkTextIter line;
  /* until lines are measured, and then it must stay */
  for (int i = 0; i < 200 && (i < 4 || at.y + at.height > seen.y + seen.height); i++) {
    gtk_widget_queue_draw (GTK_WIDGET (window));
    settle ();
    gtk_text_view_get_visible_rect (view, &seen);
    gtk_text_buffer_get_iter_at_line (gtk_text_view_get_buffer (view), &line, 93);
    gtk_text_view_get_iter_location (view, &line, &at);
  }
  g_assert_cmpint (at.y, >=, seen.y);
  g_assert_cmpint (at.y + at.height, <=, seen.y + seen.height);
  g_assert_cmpint (at.x, >=, seen.x);
  ls_window_open (window, link);
  wait_for (window, "steps");
  assert_link (window, "1/ast/2");
  close_window (window);
}

/* A program without kernels shows what it printed. */
static void
test_no_kernels (void)
{
  g_autofree char *path = record ("prints", "print(1)\n");
  LsWindow *window = open_start (1280, 800);
  ls_window_open (window, path);
  wait_for (window, "program");
  g_autofree char *output = buffer_text (find_widget (GTK_WIDGET (window->program), "output"));
  g_assert_cmpstr (g_strstrip (output), ==, "1");
  close_window (window);
  g_autofree char *source = g_strdup_printf ("%s/prints.py", folder);
  window = open_start (1280, 800);
  ls_window_open (window, source);
  wait_for (window, "program");
  g_autofree char *again = buffer_text (find_widget (GTK_WIDGET (window->program), "output"));
  g_assert_cmpstr (g_strstrip (again), ==, "1");
  close_window (window);
}

/* The text of the start page about the first example stays within its card, in large letters and a narrow window, too. */
static void
test_start_card (void)
{
  static const int scales[] = { 100, 130, 150 };
  for (gsize i = 0; i < G_N_ELEMENTS (scales); i++) {
    ls_scale_set (scales[i]);
    LsWindow *window = open_start (1000, 700);
    GtkWidget *card = find_widget (GTK_WIDGET (window), "start-card"), *text = find_widget (card, "first-example"),
              *run = find_widget (card, "run-first");
    graphene_rect_t words, button;
    g_assert_true (gtk_widget_compute_bounds (text, card, &words) && gtk_widget_compute_bounds (run, card, &button));
    g_assert_cmpfloat (words.origin.y, >=, 0);
    g_assert_cmpfloat (words.origin.y + words.size.height, <=, button.origin.y);
    g_assert_cmpfloat (button.origin.y + button.size.height, <=, gtk_widget_get_height (card));
    g_assert_cmpfloat (button.origin.x + button.size.width, <=, gtk_widget_get_width (card));
    int width, height;
    pango_layout_get_pixel_size (gtk_label_get_layout (GTK_LABEL (text)), &width, &height);
    g_assert_cmpfloat (height, <=, words.size.height + 1);
    close_window (window);
  }
  ls_scale_set (LS_SCALE_NORMAL);
}

int
main (int argc, char **argv)
{
  if (!fixture_begin (&argc, &argv))
    return 0;
  g_test_add_func ("/window/texts", test_texts);
  g_test_add_func ("/window/start", test_start);
  g_test_add_func ("/window/stepping", test_stepping);
  g_test_add_func ("/window/texts-shown", test_texts_shown);
  g_test_add_func ("/window/selection", test_selection);
  g_test_add_func ("/window/one-selection", test_one_selection);
  g_test_add_func ("/window/no-code", test_no_code);
  g_test_add_func ("/window/values", test_values);
  g_test_add_func ("/window/shared-code", test_shared_code);
  g_test_add_func ("/window/shapes", test_shapes);
  g_test_add_func ("/window/narrow", test_narrow);
  g_test_add_func ("/window/program-error", test_program_error);
  g_test_add_func ("/window/failed-recording", test_failed_recording);
  g_test_add_func ("/window/no-kernels", test_no_kernels);
  g_test_add_func ("/window/start-card", test_start_card);
  g_test_add_func ("/window/cancel", test_cancel);
  g_test_add_func ("/window/progress", test_progress);
  g_test_add_func ("/window/bad-files", test_bad_files);
  g_test_add_func ("/window/links", test_links);
  g_test_add_func ("/window/screenshot", test_screenshot);
  g_test_add_func ("/window/x-errors", test_x_errors);
  return fixture_end ();
}
