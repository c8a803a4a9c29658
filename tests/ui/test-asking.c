/* Questions asked in the window as a person asks them: by keys and menus, and where the answers lead. */
#include "panes/ask/answer-cli.h"
#include "panes/ask/answer-pane.h"
#include "panes/ask/rules-pane.h"
#include "fixture.h"
#include "panes/step/pattern-view.h"
#include "panes/step/rule-card.h"
#include "session/trace-text.h"
#include "session/worker.h"
#include "workspaces/schedule-view.h"
#include "workspaces/steps-view.h"
#include "panes/ask/why-not-dialog.h"

#include <string.h>

/* --- tests --- */

static const LsAnswer *
answer_of (LsWindow *window)
{
  return ls_answer_pane_get (LS_ANSWER_PANE (ls_steps_view_get_pane (window->steps, "answer")));
}

static const LsStop *
stop_of (const LsAnswer *answer, LsStopKind kind, guint *row)
{
  for (guint i = 0; i < answer->stops->len; i++)
    if (g_array_index (answer->stops, LsStop, i).kind == kind) {
      *row = i;
      return &g_array_index (answer->stops, LsStop, i);
    }
  return NULL;
}

static void
activate_stop (LsWindow *window, guint row)
{
  g_signal_emit_by_name (find_widget (GTK_WIDGET (window), "answer"), "activate", row);
  settle ();
}

static void
test_origin (void)
{
  LsWindow *window = open_at ("3/simplify#2/20");
  LsViewSession *session = window->session;
  guint row;
  g_assert_null (answer_of (window));
  input_key (GDK_KEY_o, 0);      /* nothing is chosen: what the step made */
  const LsAnswer *answer = answer_of (window);
  g_assert_nonnull (answer);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (GTK_STACK (find_widget (GTK_WIDGET (window), "tables"))), ==, "answer");
  /* a step on the way: one is there, with the node chosen */
  const LsStop *stop = stop_of (answer, LS_STOP_NODE, &row);
  g_assert_nonnull (stop);
  int pass = stop->pass;
  guint step = stop->step;
  activate_stop (window, row);
  g_assert_cmpint (ls_view_session_get_pass (session), ==, pass);
  g_assert_cmpuint (ls_view_session_get_step (session), ==, step);
  g_assert_cmpint (ls_view_session_chosen_in (session), ==, LS_CHOSEN_IN_GRAPH);
  /* a row of the listing: its source line, and the program's line */
  LsKernel *kernel = ls_trace_kernel (ls_view_session_get_trace (session), 3);
  guint32 node = g_array_index (kernel->source_links, LsSourceLink, kernel->source_links->len - 1).node;
  ls_view_session_select (session, LS_CHOSEN_IN_FINAL, &node, 1);
  settle ();
  gtk_widget_grab_focus (GTK_WIDGET (ls_steps_view_get_graph (window->steps)));
  input_key (GDK_KEY_o, 0);
  g_assert_cmpint (g_array_index (answer_of (window)->stops, LsStop, 0).kind, ==, LS_STOP_FINAL);
  stop = stop_of (answer_of (window), LS_STOP_PROGRAM, &row);
  g_assert_nonnull (stop);
  g_assert_cmpuint (stop->line, >, 0);
  activate_stop (window, row);
  g_assert_cmpstr (ls_window_get_page (window), ==, "program");
  close_window (window);
}

/* An answer names the kernel and the place that it is of, with its question whole, and is faint at another kernel. */
static void
test_answer_place (void)
{
  LsWindow *window = open_recording (fixture_matmul (), "3/simplify#2/20", 1280, 800);
  LsViewSession *session = window->session;
  input_key (GDK_KEY_o, 0);
  GtkWidget *pane = ls_steps_view_get_pane (window->steps, "answer"), *stack = gtk_widget_get_first_child (pane);
  const char *place = gtk_label_get_text (GTK_LABEL (find_widget (pane, "answer-place")));
  GtkLabel *title = GTK_LABEL (find_widget (pane, "answer-title"));
  g_assert_nonnull (strstr (place, "kernel 3 r_"));
  g_assert_nonnull (strstr (place, "3/simplify#2/20"));
  g_assert_cmpstr (gtk_label_get_text (title), ==, answer_of (window)->title);
  g_assert_false (pango_layout_is_ellipsized (gtk_label_get_layout (title)));
  g_assert_cmpfloat (gtk_widget_get_opacity (stack), ==, 1);
  input_key (GDK_KEY_n, 0);
  wait_window (window);
  g_assert_cmpfloat (gtk_widget_get_opacity (stack), ==, 1);
  input_key (GDK_KEY_Page_Up, GDK_CONTROL_MASK);
  wait_window (window);
  g_assert_cmpuint (ls_view_session_pass (session)->kernel, ==, 2);
  g_assert_nonnull (answer_of (window));
  g_assert_cmpfloat (gtk_widget_get_opacity (stack), <, 0.6);
  gboolean handled;
  g_signal_emit_by_name (find_widget (pane, "answer-place"), "activate-link", "3/simplify#2/20", &handled);      /* what its link does */
  wait_window (window);
  assert_at (window, "3/simplify#2/20");
  g_assert_cmpfloat (gtk_widget_get_opacity (stack), ==, 1);
  close_window (window);
}

static void
test_menus (void)
{
  LsWindow *window = open_at ("3/simplify#2/20");
  LsViewSession *session = window->session;
  LsKernel *kernel = ls_trace_kernel (ls_view_session_get_trace (session), 3);
  guint32 node = g_array_index (kernel->listing, guint32, 2);
  ls_view_session_select (session, LS_CHOSEN_IN_FINAL, &node, 1);
  ls_steps_view_show_text (window->steps, "final");
  settle ();
  static const char *const lists[] = { "uops", "steps", "changes" };
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++) {
    GtkWidget *list = find_widget (GTK_WIDGET (window), lists[i]);
    g_assert_nonnull (list);
    gtk_widget_child_focus (list, GTK_DIR_TAB_FORWARD);
    input_key (GDK_KEY_F10, GDK_SHIFT_MASK);
    static const char *const hosts[] = { "LsListingPane", "LsStepsView", "LsChangesPane" };
    GtkWidget *host = gtk_widget_get_ancestor (list, g_type_from_name (hosts[i]));
    GtkWidget *menu = gtk_widget_get_last_child (host);      /* a list inside may have its own */
    g_assert_cmpstr (gtk_widget_get_name (menu), ==, "question-menu");
    g_assert_true (gtk_widget_get_visible (menu));
    input_key (GDK_KEY_Return, 0);      /* the first item */
    settle ();
    g_assert_nonnull (answer_of (window));
    ls_answer_pane_show (LS_ANSWER_PANE (ls_steps_view_get_pane (window->steps, "answer")), NULL);
    ls_steps_view_show_text (window->steps, i == 0 ? "final" : "step");
    ls_view_session_select (session, LS_CHOSEN_IN_FINAL, &node, 1);      /* what the steps' list asks about is their result */
    wait_window (window);
  }
  close_window (window);
}

static LsWhyNotDialog *
find_dialog (void)
{
  GListModel *all = gtk_window_get_toplevels ();
  for (guint i = 0; i < g_list_model_get_n_items (all); i++) {
    g_autoptr (GtkWindow) window = g_list_model_get_item (all, i);
    if (LS_IS_WHY_NOT_DIALOG (window))
      return LS_WHY_NOT_DIALOG (window);
  }
  return NULL;
}

typedef struct { LsWhyNotDialog *dialog; guint than; } Rules;

static gboolean
are_fewer (gpointer data)
{
  const Rules *rules = data;
  return template_rows (rules->dialog, "list") < rules->than;
}

static void
test_why_not (void)
{
  LsWindow *window = open_at ("3/simplify#2/20");
  LsViewSession *session = window->session;
  input_key (GDK_KEY_w, 0);
  LsWhyNotDialog *dialog = find_dialog ();
  g_assert_nonnull (dialog);
  wait_window (window);      /* until how far every rule got is known */
  guint all = template_rows (dialog, "list");
  g_assert_cmpuint (all, >, 20);
  g_assert_true (ls_why_not_dialog_choose (dialog, "mul-one"));      /* the step's result is an addition */
  g_assert_nonnull (strstr (template_text (dialog, "text"), "ADD"));
  input_focus (GTK_WINDOW (dialog));
  input_text ("mul-one");
  Rules fewer = { dialog, all };
  g_assert_true (wait_until (are_fewer, &fewer));      /* a search entry waits for more letters */
  g_assert_cmpuint (template_rows (dialog, "list"), >, 0);
  /* it follows the position */
  g_autofree char *before = g_strdup (gtk_label_get_text (GTK_LABEL (find_widget (GTK_WIDGET (dialog), "why-not-node"))));
  ls_view_session_next_step (session);
  wait_window (window);
  g_assert_cmpstr (before, !=, gtk_label_get_text (GTK_LABEL (find_widget (GTK_WIDGET (dialog), "why-not-node"))));
  input_key (GDK_KEY_Escape, 0);
  settle ();
  g_assert_null (find_dialog ());
  input_focus (GTK_WINDOW (window));
  close_window (window);
}

/* At a step that is about a row, and with nothing chosen, a question is about the row's node. */
static void
test_row_step (void)
{
  static const char *const at[] = { "3/linearize/4", "3/render/5" };
  for (gsize i = 0; i < G_N_ELEMENTS (at); i++) {
    LsWindow *window = open_at (at[i]);
    input_key (GDK_KEY_o, 0);
    g_assert_nonnull (answer_of (window));
    input_key (GDK_KEY_w, 0);
    g_assert_nonnull (find_dialog ());
    g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (find_widget (GTK_WIDGET (find_dialog ()), "why-not-node"))), !=, "No node is selected");
    input_key (GDK_KEY_Escape, 0);
    settle ();
    input_focus (GTK_WINDOW (window));
    close_window (window);
  }
}

static LsRuleCard *
card_of (LsWindow *window)
{
  return LS_RULE_CARD (find_widget (GTK_WIDGET (window), "rule-card"));
}

/* The card shows the rule's two sides, is as low as it should be and never changes its height; what its picture says leads to the graph. */
static void
test_card (void)
{
  LsWindow *window = open_at ("3/simplify#2/20");
  LsViewSession *session = window->session;
  LsPatternView *pattern = LS_PATTERN_VIEW (find_widget (GTK_WIDGET (window), "rule-pattern"));
  g_assert_cmpuint (ls_pattern_view_n_boxes (pattern), ==, 5 + 6);      /* (x + y) * $c -> x * $c + y * $c */
  int height = gtk_widget_get_height (GTK_WIDGET (card_of (window)));
  g_assert_cmpint (height, <=, 210);
  guint n;
  const LsBinding *bindings = ls_view_session_bindings (session, &n);
  g_assert_cmpuint (n, ==, 3);
  guint32 bound = bindings[0].node->id;
  g_signal_emit_by_name (pattern, "capture-hovered", bound);
  g_signal_emit_by_name (pattern, "capture-hovered", LS_NO_NODE);
  g_signal_emit_by_name (pattern, "capture-chosen", bound);
  settle ();
  g_assert_cmpuint (ls_view_session_get_selection (session), ==, bound);
  LsTrace *trace = ls_view_session_get_trace (session);
  for (guint i = 0; i < trace->passes->len; i++)      /* the first steps of every pass */
    for (guint step = 0; step <= MIN (ls_pass_n_steps (trace->passes->pdata[i]), 3); step++) {
      ls_view_session_go (session, (int) i, step);
      wait_window (window);
      if (!ls_steps_view_shows_schedule (window->steps))      /* the schedule has its own title instead of the card */
        g_assert_cmpint (gtk_widget_get_height (GTK_WIDGET (card_of (window))), ==, height);
    }
  close_window (window);
}

static guint
n_rows (GtkWidget *table)
{
  return g_list_model_get_n_items (G_LIST_MODEL (gtk_list_view_get_model (GTK_LIST_VIEW (table))));
}

/* Rows of a kernel as they are executed: the steps come, one that is chosen chooses its node, and pages follow each other. */
static void
test_execution (void)
{
  LsWindow *window = open_at ("3/simplify#2/20");
  LsViewSession *session = window->session;
  ls_steps_view_show_table (window->steps, "execution");
  settle ();
  wait_window (window);
  GtkWidget *table = find_widget (GTK_WIDGET (window), "execution"), *number = find_widget (GTK_WIDGET (window), "execution-step");
  g_assert_cmpuint (n_rows (table), ==, 1000);
  g_assert_cmpint (ls_view_session_chosen_in (session), ==, LS_CHOSEN_NOWHERE);
  input_click (number);
  input_text ("1501");
  input_key (GDK_KEY_Return, 0);
  wait_window (window);
  g_assert_cmpuint (n_rows (table), ==, 1000);
  guint32 node = ls_view_session_get_selection (session);
  const LsKernel *kernel = ls_view_session_kernel (session);
  gboolean listed = FALSE;
  for (guint i = 0; i < kernel->listing->len; i++)
    listed |= g_array_index (kernel->listing, guint32, i) == node;
  g_assert_cmpint (ls_view_session_chosen_in (session), ==, LS_CHOSEN_IN_FINAL);
  g_assert_true (listed);
  input_click (find_widget (GTK_WIDGET (window), "execution-back"));
  wait_window (window);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (number)), ==, "1500");
  g_assert_cmpuint (ls_view_session_get_selection (session), !=, node);
  /* another kernel has steps of its own */
  g_assert_true (ls_view_session_go_link (session, "1"));
  settle ();
  wait_window (window);
  g_assert_cmpuint (n_rows (table), >, 0);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (number)), ==, "");
  close_window (window);
}

/* In a low window, too, the card has its rule, what its names are bound to and the sentence, within the window, and keys go on to work. */
static void
test_low_card (void)
{
  static const char *const parts[] = { "rule-name", "rule-pattern", "rule-text", "rule-bindings", "step-sentence" };
  LsWindow *window = open_recording (fixture_matmul (), "3/simplify#2/20", 1280, 800);
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++) {
    GtkWidget *part = find_widget (GTK_WIDGET (card_of (window)), parts[i]);
    graphene_rect_t at;
    g_assert_true (gtk_widget_get_mapped (part) && gtk_widget_compute_bounds (part, GTK_WIDGET (window), &at));
    g_assert_cmpfloat (at.origin.y + at.size.height, <=, gtk_widget_get_height (GTK_WIDGET (window)));
    g_assert_cmpfloat (at.origin.x + at.size.width, <=, gtk_widget_get_width (GTK_WIDGET (window)));
  }
  g_assert_cmpint (pango_layout_get_line_count (gtk_label_get_layout (GTK_LABEL (find_widget (GTK_WIDGET (window), "step-sentence")))), >,
                   1);
  input_key (GDK_KEY_n, 0);
  wait_window (window);
  assert_at (window, "3/simplify#2/21");
  close_window (window);
}

/* The text about a step is readable completely in a low window, the reason of an option too, and the card is as high as at any other
 * step. */
static void
test_whole_sentence (void)
{
  LsWindow *window = open_recording (fixture_matmul (), "3/options/1", 1280, 800);
  LsViewSession *session = window->session;
  GtkWidget *card = GTK_WIDGET (card_of (window)), *sentence = find_widget (card, "step-sentence");
  int height = 0;
  guint n = 0, n_long = 0;
  do {
    wait_window (window);
    PangoLayout *layout = gtk_label_get_layout (GTK_LABEL (sentence));
    if (pango_layout_is_ellipsized (layout))
      g_error ("cut: %s", gtk_label_get_text (GTK_LABEL (sentence)));
    n_long += pango_layout_get_line_count (layout) > 2;
    if (!height)
      height = gtk_widget_get_height (card);
    g_assert_cmpint (gtk_widget_get_height (card), ==, height);
  } while (n++ < 30 && ls_view_session_next_step (session));
  g_test_message ("%u steps, %u of more than two lines, %d px", n, n_long, height);
  g_assert_cmpuint (n_long, >, 0);
  g_assert_cmpuint (n_long, <, n);
  close_window (window);
}

/* Values Here asks about the chosen node, and without one about what the step made: that one is chosen then. */
static void
test_values_here (void)
{
  LsWindow *window = open_at ("3/simplify#2/20");
  LsViewSession *session = window->session;
  g_assert_cmpuint (ls_view_session_graph_nodes (session)->len, ==, 0);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.values-here", NULL);
  wait_window (window);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (GTK_STACK (find_widget (GTK_WIDGET (window), "tables"))), ==, "values");
  g_assert_cmpuint (ls_view_session_graph_nodes (session)->len, ==, 1);
  g_assert_cmpuint (ls_view_session_get_selection (session), ==, ls_view_session_diff (session)->result->id);
  close_window (window);
}

static const char *
schedule_text (gpointer view)
{
  return gtk_label_get_text (GTK_LABEL (find_widget (view, "schedule-text")));
}

/* The schedule: a kernel that is chosen becomes the position's, a buffer says why its kernels are not one. */
static void
test_schedule (void)
{
  LsWindow *window = open_at ("3/simplify#2/20");
  LsViewSession *session = window->session;
  LsTrace *trace = ls_view_session_get_trace (session);
  LsScheduleView *view = ls_steps_view_get_schedule (window->steps);
  g_assert_false (gtk_widget_get_mapped (GTK_WIDGET (view)));
  input_key (GDK_KEY_s, 0);
  wait_window (window);
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (view)));
  g_assert_nonnull (strstr (schedule_text (view), "Kernel 3"));
  g_assert_nonnull (strstr (schedule_text (view), "Not fused with kernel"));
  PangoLayout *all = gtk_label_get_layout (GTK_LABEL (find_widget (GTK_WIDGET (view), "schedule-text")));
  g_assert_cmpint (pango_layout_get_line_count (all), >, 3);
  g_assert_false (pango_layout_is_ellipsized (all));
  g_assert_nonnull (strstr (schedule_text (view), "got its own memory: the program asked for the value."));
  g_autofree char *unknown = ls_text_reason ("because"), *none = ls_text_reason (NULL);
  g_assert_cmpstr (unknown, ==, "because");
  g_assert_cmpstr (none, ==, "no reason was recorded");
  LsGraphView *graph = LS_GRAPH_VIEW (find_widget (GTK_WIDGET (view), "schedule-graph"));
  graphene_rect_t rect;
  for (guint number = 1; number <= trace->kernels->len; number++)
    g_assert_true (ls_graph_view_node_rect (graph, ls_schedule_kernel_id (number), &rect));
  g_signal_emit_by_name (graph, "node-selected", ls_schedule_kernel_id (1));
  wait_window (window);
  g_assert_cmpuint (ls_view_session_pass (session)->kernel, ==, 1);
  g_assert_nonnull (strstr (schedule_text (view), "Kernel 1"));
  /* after kernel 3, which was chosen before: why they are two */
  GtkWidget *why = find_widget (GTK_WIDGET (view), "schedule-why");
  g_assert_true (gtk_widget_get_mapped (why));
  g_assert_cmpstr (gtk_button_get_label (GTK_BUTTON (why)), ==, "Why Are Kernels 1 and 3 Two?");
  g_signal_emit_by_name (why, "clicked");
  wait_window (window);
  const LsAnswer *answer = ls_answer_pane_get (LS_ANSWER_PANE (ls_steps_view_get_pane (window->steps, "answer")));
  g_assert_cmpstr (answer->title, ==, "Why kernels 1 and 3 are two");
  g_assert_cmpstr (answer->summary, ==, "Kernels 1 and 3 are of two schedules: the program asked for values in between.");
  g_assert_cmpint (g_array_index (answer->stops, LsStop, 0).kind, ==, LS_STOP_KERNEL);
  const LsKernel *last = ls_trace_kernel (trace, 3);
  guint input = g_array_index (last->buffers, guint, 1);
  g_signal_emit_by_name (find_widget (GTK_WIDGET (view), "memory-chart"), "chosen", ls_schedule_buffer_id (input));
  settle ();
  g_assert_nonnull (strstr (schedule_text (view), "is not fused with kernel 3"));
  g_assert_cmpuint (ls_memory_chart_n_bars (LS_MEMORY_CHART (find_widget (GTK_WIDGET (view), "memory-chart"))), >, 2);
  /* the keyboard: from a kernel up to its lowest bar, and down again */
  GtkWidget *chart = find_widget (GTK_WIDGET (view), "memory-chart");
  g_signal_emit_by_name (graph, "node-selected", ls_schedule_kernel_id (2));
  wait_window (window);
  gtk_widget_grab_focus (chart);
  input_key (GDK_KEY_Up, 0);
  settle ();
  g_assert_true (g_str_has_prefix (schedule_text (view), "Buffer "));
  for (guint i = 0; i < ls_memory_chart_n_bars (LS_MEMORY_CHART (chart)) && g_str_has_prefix (schedule_text (view), "Buffer ");
       i++) {
    input_key (GDK_KEY_Down, 0);
    settle ();
  }
  g_assert_true (g_str_has_prefix (schedule_text (view), "Kernel "));
  input_key (GDK_KEY_F10, GDK_SHIFT_MASK);      /* no menu: nothing is to be chosen about this picture */
  input_key (GDK_KEY_s, 0);
  wait_window (window);
  g_assert_false (gtk_widget_get_mapped (GTK_WIDGET (view)));
  close_window (window);
}

static void
go_and_expect (LsWindow *window, const char *link, gboolean schedule)
{
  g_assert_true (ls_view_session_go_link (window->session, link));
  wait_window (window);
  if (ls_steps_view_shows_schedule (window->steps) != schedule)
    g_error ("at %s the %s is shown", link, schedule ? "graph" : "schedule");
}

/* At a schedule's position the schedule comes by itself and goes again, unless the user says otherwise. */
static void
test_schedule_position (void)
{
  LsWindow *window = open_at ("3/simplify#2/5");
  LsStepsView *steps = window->steps;
  gtk_widget_grab_focus (GTK_WIDGET (ls_steps_view_get_graph (steps)));
  go_and_expect (window, "3/schedule/0", TRUE);
  go_and_expect (window, "2/schedule/0", TRUE);
  go_and_expect (window, "3/ast/2", FALSE);
  g_assert_true (gtk_widget_is_ancestor (gtk_root_get_focus (GTK_ROOT (window)), find_widget (GTK_WIDGET (window), "centre")));
  go_and_expect (window, "3/schedule/0", TRUE);
  input_key (GDK_KEY_s, 0);      /* the graph of this position, for now */
  wait_window (window);
  go_and_expect (window, "2/schedule/0", FALSE);
  go_and_expect (window, "3/ast/2", FALSE);
  go_and_expect (window, "3/schedule/0", TRUE);
  go_and_expect (window, "3/ast/2", FALSE);
  input_key (GDK_KEY_s, 0);      /* the schedule, from now on */
  wait_window (window);
  go_and_expect (window, "3/ast/3", TRUE);
  input_key (GDK_KEY_s, 0);
  wait_window (window);
  go_and_expect (window, "3/schedule/0", TRUE);
  g_signal_emit_by_name (find_widget (GTK_WIDGET (ls_steps_view_get_schedule (steps)), "schedule-graph"), "node-selected",
                         ls_schedule_kernel_id (1));
  wait_window (window);
  g_assert_true (ls_steps_view_shows_schedule (steps));      /* a kernel was chosen in it */
  close_window (window);
}

/* A long schedule is shown in part, around a kernel. */
static void
test_long_schedule (void)
{
  g_autoptr (LsTrace) trace = ls_trace_new (ls_context_new ());
  for (guint i = 1; i <= 20000; i++) {
    LsKernel *k = g_new0 (LsKernel, 1);
    LsTraceBuffer *b = g_new0 (LsTraceBuffer, 1);
    *b = (LsTraceBuffer) { .id = i - 1, .dtype = LS_FLOAT, .n_elements = 16, .role = "intermediate", .offset = (i % 4) * 64, .first_use = i,
                           .last_use = i + 1 };
    g_ptr_array_add (trace->buffers, b);
    k->number = i;
    k->name = "E_16";
    k->buffers = g_array_new (FALSE, FALSE, sizeof (guint));
    for (guint id = i - 1; id + 2 >= i && id < 20000; id--)
      g_array_append_val (k->buffers, id);
    k->run_ns = g_array_new (FALSE, FALSE, sizeof (guint64));
    g_ptr_array_add (trace->kernels, k);
  }
  static const guint at[] = { 1, 10000, 20000 };
  for (gsize i = 0; i < G_N_ELEMENTS (at); i++) {
    gint64 start = g_get_monotonic_time ();
    g_autoptr (LsScheduleScene) schedule = ls_schedule_scene_new (trace, at[i]);
    g_autoptr (LsScene) scene = ls_schedule_scene_draw (schedule);
    g_test_message ("%u boxes, %.1f ms", scene->n_nodes, (double) (g_get_monotonic_time () - start) / 1000);
    g_assert_cmpuint (schedule->last - schedule->first + 1, ==, LS_SCHEDULE_KERNELS);
    g_assert_true (schedule->first <= at[i] && at[i] <= schedule->last);
    g_assert_cmpint (ls_scene_find (scene, ls_schedule_kernel_id (at[i])), >=, 0);
  }
}

static void
assert_at_rule (LsViewSession *session, gint rule)
{
  g_assert_cmpint (ls_pass_step_link (ls_view_session_pass (session), ls_view_session_get_step (session))->rule, ==, rule);
}

static gboolean
no_answer (gpointer window)
{
  return answer_of (window) == NULL;
}

/* The effects of rules: a row leads to the rule's first firing, the button to the next; and questions that lazyscope-cli computes. */
static void
test_rules (void)
{
  LsWindow *window = open_at ("3/simplify#2/20");
  LsViewSession *session = window->session;
  LsTrace *trace = ls_view_session_get_trace (session);
  LsRulesPane *pane = LS_RULES_PANE (ls_steps_view_get_pane (window->steps, "rules"));
  gint rule = ls_pass_step_link (ls_view_session_pass (session), 20)->rule;
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), "win.rule-did", NULL));
  settle ();
  guint n = ls_rules_pane_n_rows (pane);
  g_assert_cmpuint (n, >, 5);
  assert_at_rule (session, rule);      /* marking the row went nowhere */
  g_autofree char *here = ls_view_session_get_link (session);
  g_assert_cmpstr (here, ==, "3/simplify#2/20");
  input_click (find_widget (GTK_WIDGET (window), "rules-next"));
  wait_window (window);
  assert_at_rule (session, rule);
  g_autofree char *next = ls_view_session_get_link (session);
  g_assert_cmpstr (next, !=, here);
  input_click (find_widget (GTK_WIDGET (window), "rules-whole"));
  settle ();
  g_assert_cmpuint (ls_rules_pane_n_rows (pane), >=, n);
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), "win.undoing", NULL));
  g_assert_false (ls_window_is_idle (window));
  for (guint i = 0; i < 5 && !ls_window_is_idle (window); i++)
    wait_until (is_shown, window);
  wait_window (window);
  g_assert_nonnull (strstr (answer_of (window)->title, "undo each other"));
  /* what bisect says is a way to its step */
  g_autoptr (LsReading) said = ls_reading_new (&ls_bisect_answer,
                                                "{\"found\": true, \"kernel\": 3, \"pass\": \"simplify#2\", \"step\": 7, \"rule\": "
                                                "\"bad\", \"after\": {\"id\": 5}, "
                                                "\"want\": \"1\", \"got\": \"2\", \"notes\": [\"one\", 2]}", -1, NULL);
  g_autoptr (LsAnswer) broken = ls_answer_bisect (trace, ls_reading_row (said));
  const LsStop *stop = &g_array_index (broken->stops, LsStop, 0);
  g_assert_cmpint (stop->kind, ==, LS_STOP_NODE);
  g_assert_cmpuint (stop->step, ==, 7);
  g_assert_cmpint (stop->pass, ==, (int) ls_trace_pass (trace, 3, "simplify#2")->index);
  g_assert_cmpuint (stop->node, ==, 5);
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), "win.bisect", NULL));      /* and ended */
  gtk_widget_activate_action (GTK_WIDGET (window), "win.cancel", NULL);
  wait_window (window);
  g_assert_true (wait_until (no_answer, window));
  g_assert_true (trace == ls_view_session_get_trace (session));
  close_window (window);
}

/* --- the worker --- */

/* Takes until it is stopped, as one does whose memory grows. */
static gpointer
endless (LsTrace *copy, gconstpointer question, GError **error)
{
  while (!g_cancellable_set_error_if_cancelled (g_cancellable_get_current (), error))
    g_usleep (1000);
  return NULL;
}

static void
on_stopped (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (ls_worker_ask_finish (result, &error));
  *(GError **) data = g_steal_pointer (&error);
}

static gboolean
is_stopped (gpointer error)
{
  return *(GError **) error != NULL;
}

/* A question that takes more memory than it may ends with an error that says so; one that is cancelled ends, too. */
static void
test_memory (void)
{
  g_autoptr (LsTrace) trace = ls_trace_load (fixture_matmul (), NULL);
  g_autoptr (GError) too_large = NULL, cancelled = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_setenv ("LS_WORKER_MB", "-1000000", TRUE);
  ls_worker_ask_async (trace, endless, NULL, NULL, NULL, NULL, on_stopped, &too_large);
  g_assert_true (wait_until (is_stopped, &too_large));
  g_unsetenv ("LS_WORKER_MB");
  g_assert_error (too_large, G_IO_ERROR, G_IO_ERROR_NO_SPACE);
  ls_worker_ask_async (trace, endless, NULL, NULL, NULL, cancellable, on_stopped, &cancelled);
  g_cancellable_cancel (cancellable);
  g_assert_true (wait_until (is_stopped, &cancelled));
  g_assert_error (cancelled, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

int
main (int argc, char **argv)
{
  if (!fixture_begin (&argc, &argv))
    return 0;
  g_test_add_func ("/asking/execution", test_execution);
  g_test_add_func ("/asking/origin", test_origin);
  g_test_add_func ("/asking/answer-place", test_answer_place);
  g_test_add_func ("/asking/menus", test_menus);
  g_test_add_func ("/asking/why-not", test_why_not);
  g_test_add_func ("/asking/row-step", test_row_step);
  g_test_add_func ("/asking/card", test_card);
  g_test_add_func ("/asking/low-card", test_low_card);
  g_test_add_func ("/asking/whole-sentence", test_whole_sentence);
  g_test_add_func ("/asking/values-here", test_values_here);
  g_test_add_func ("/asking/schedule", test_schedule);
  g_test_add_func ("/asking/rules", test_rules);
  g_test_add_func ("/asking/schedule-position", test_schedule_position);
  g_test_add_func ("/asking/long-schedule", test_long_schedule);
  g_test_add_func ("/asking/memory", test_memory);
  return fixture_end ();
}
