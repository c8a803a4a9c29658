/* Programs in the window: the statements of one that realized nothing, the files that ran, and the way from a step to the calls that
 * it comes from. */
#include "fixture.h"
#include <glib/gstdio.h>
#include "panes/text/completion.h"
#include "panes/text/program-pane.h"
#include "kit/table.h"
#include "panes/run/statements-pane.h"
#include "panes/schedule/schedule.h"
#include "trace/statements.h"
#include "window/window-private.h"
#include "workspaces/program-view.h"
#include "workspaces/steps-view.h"

#include <string.h>

/* A program of these files, whose first one is run, in a window with its recording. */
static LsWindow *
open_program (const char *name, const char *text, const char *module)
{
  g_autofree char *path = g_build_filename (folder, name, NULL), *beside = g_build_filename (folder, "layers.py", NULL),
                  *out = g_strconcat (path, ".lscope", NULL);
  const char *argv[] = { g_getenv ("LAZYSCOPE_CLI"), "run", path, "--record", out, NULL };
  int status = 0;
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_assert_true (!module || g_file_set_contents (beside, module, -1, NULL));
  g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, NULL, &status, NULL));
  g_assert_cmpint (status, ==, 0);
  LsWindow *window = open_start (1280, 800);
  ls_window_open (window, out);
  wait_window (window);
  return window;
}

static LsProgramPane *
program_of (LsWindow *window)
{
  input_click (find_widget (GTK_WIDGET (window), "text-program"));
  wait_window (window);
  return ls_steps_view_get_program (window->steps);
}

static void
assert_shows (LsProgramPane *pane, const char *file, guint line)
{
  guint shown;
  const char *name = ls_program_pane_get_file (pane, &shown);
  g_autofree char *base = g_path_get_basename (name);
  g_assert_cmpstr (base, ==, file);
  if (line)
    g_assert_cmpuint (shown, ==, line);
}

static const LsCall *
call_of (LsWindow *window, LsProgramPane *pane, const char *name, guint *row)
{
  const LsTrace *trace = ls_view_session_get_trace (window->session);
  for (*row = 0; *row < ls_program_pane_n_calls (pane); ++*row) {
    const LsCall *c = &g_array_index (trace->calls, LsCall, ls_program_pane_get_call (pane, *row));
    if (g_str_equal (c->name, name))
      return c;
  }
  g_assert_not_reached ();
}

static void
choose (LsWindow *window, const char *list, guint row)
{
  gtk_single_selection_set_selected (
    GTK_SINGLE_SELECTION (gtk_list_view_get_model (GTK_LIST_VIEW (find_widget (GTK_WIDGET (window), list)))), row);
  wait_window (window);
}

/* Each statement is a step, with its new nodes and its line. */
static void
test_statements (void)
{
  LsWindow *window = open_program ("lazy.py", "from tinygrad import Tensor\nx = Tensor([1.0, 2.0, 3.0])\ny = x + 2\nz = y * x\n", NULL);
  LsViewSession *session = window->session;
  LsProgramPane *pane = program_of (window);
  assert_at (window, "0/program/0");
  assert_shows (pane, "lazy.py", 1);
  input_key (GDK_KEY_n, 0);
  input_key (GDK_KEY_n, 0);
  input_key (GDK_KEY_n, 0);
  assert_at (window, "0/program#4/0");
  const LsGraphDiff *d = ls_view_session_diff (session);
  g_assert_nonnull (d);
  g_assert_cmpuint (d->n_added, ==, 1);      /* the product */
  g_assert_cmpuint (d->n_removed, ==, 0);
  assert_shows (pane, "lazy.py", 4);
  g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (find_widget (GTK_WIDGET (window), "rule-name"))), ==, "z = y * x");
  input_key (GDK_KEY_p, 0);
  assert_at (window, "0/program#3/0");
  assert_shows (pane, "lazy.py", 3);
  guint row;
  call_of (window, pane, "_broadcasted", &row);      /* all that the statement called */
  input_key (GDK_KEY_g, 0);
  input_text ("4");
  input_key (GDK_KEY_Return, 0);
  assert_at (window, "0/program#4/0");
  close_window (window);
}

/* From a step to its call, into the library, and from a line of the library to its descendants. */
static void
test_library (void)
{
  LsWindow *window = open_program ("soft.py", "from tinygrad import Tensor\nx = Tensor([[1.0, 2.0], [3.0, 5.0]]).realize()\ny = "
                                              "x.softmax()\nprint(y.tolist())\n", NULL);
  LsViewSession *session = window->session;
  LsTrace *trace = ls_view_session_get_trace (session);
  LsProgramPane *pane = program_of (window);
  guint row, line;
  for (guint i = 0; i < 12 && ls_program_pane_n_calls (pane) < 2; i++) {
    input_key (GDK_KEY_n, 0);
    wait_window (window);
  }
  assert_shows (pane, "soft.py", 3);
  const LsCall *softmax = call_of (window, pane, "softmax", &row);
  g_assert_cmpint (softmax->parent, ==, -1);
  choose (window, "program-calls", row);
  const LsProgramFile *file = &g_array_index (trace->files, LsProgramFile, softmax->def_file);
  g_assert_true (file->library);
  g_assert_cmpstr (ls_program_pane_get_file (pane, &line), ==, file->name);
  g_assert_cmpuint (line, ==, softmax->def_line);
  /* the line of the library that calls what the step comes from */
  const LsCall *below = &g_array_index (trace->calls, LsCall, ls_program_pane_get_call (pane, row + 1));
  g_assert_cmpint (below->file, ==, softmax->def_file);
  choose (window, "program-lines", below->file_line - 1);
  guint chosen;
  g_assert_cmpuint (ls_view_session_chosen_line (session, &chosen), ==, below->file_line);
  g_assert_cmpuint (chosen, ==, (guint) below->file);
  g_assert_cmpuint (ls_view_session_graph_nodes (session)->len, >, 0);
  g_assert_nonnull (strstr (template_text (window->steps, "note"), file->name));
  /* Enter leads to the function that is called there */
  call_of (window, pane, below->name, &row);
  const LsCall *first = &g_array_index (trace->calls, LsCall, ls_program_pane_get_call (pane, 0));
  g_signal_emit_by_name (find_widget (GTK_WIDGET (window), "program-lines"), "activate", below->file_line - 1);
  settle ();
  g_assert_cmpstr (ls_program_pane_get_file (pane, &line), ==, g_array_index (trace->files, LsProgramFile, first->def_file).name);
  g_assert_cmpuint (line, ==, first->def_line);
  /* the names that a line bound */
  gtk_drop_down_set_selected (GTK_DROP_DOWN (find_widget (GTK_WIDGET (window), "program-file")), 0);
  wait_window (window);
  choose (window, "program-lines", 1);
  GtkLabel *names = GTK_LABEL (find_widget (GTK_WIDGET (window), "program-names"));
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (names)));
  g_assert_true (g_str_has_prefix (gtk_label_get_text (names),
                                   "x: RESHAPE float (2, 2), a view of COPY 16 float, in buffer 1\n[2,2] strides 2,1"));
  choose (window, "program-lines", 3);
  g_assert_false (gtk_widget_get_mapped (GTK_WIDGET (names)));
  /* and a click with Ctrl */
  gtk_drop_down_set_selected (GTK_DROP_DOWN (find_widget (GTK_WIDGET (window), "program-file")), 0);
  wait_window (window);
  GtkWidget *list = find_widget (GTK_WIDGET (window), "program-lines");
  GtkWidget *third = gtk_widget_get_next_sibling (gtk_widget_get_next_sibling (gtk_widget_get_first_child (list)));
  input_hold (GDK_KEY_Control_L, TRUE);
  input_click (third);
  input_hold (GDK_KEY_Control_L, FALSE);
  wait_window (window);
  g_assert_cmpstr (ls_program_pane_get_file (pane, &line), ==, file->name);
  g_assert_cmpuint (line, ==, softmax->def_line);
  close_window (window);
}

/* A module next to the program can be selected, and is marked where a selection comes from. */
static void
test_module (void)
{
  LsWindow *window = open_program ("model.py", "from tinygrad import Tensor\nfrom layers import twice\nx = Tensor([1.0, "
                                               "2.0]).realize()\nprint(twice(x).tolist())\n",
                                   "def twice(x):\n  return (x + 1) * 2\n");
  LsViewSession *session = window->session;
  LsTrace *trace = ls_view_session_get_trace (session);
  LsProgramPane *pane = program_of (window);
  GtkDropDown *files = GTK_DROP_DOWN (find_widget (GTK_WIDGET (window), "program-file"));
  g_assert_true (gtk_widget_get_sensitive (GTK_WIDGET (files)));
  GListModel *names = gtk_drop_down_get_model (files);
  guint at = 0;
  while (at < g_list_model_get_n_items (names) && !g_str_equal (gtk_string_list_get_string (GTK_STRING_LIST (names), at), "layers.py"))
    at++;
  g_assert_cmpuint (at, <, g_list_model_get_n_items (names));
  gtk_drop_down_set_selected (files, at);
  wait_window (window);
  assert_shows (pane, "layers.py", 0);
  choose (window, "program-lines", 1);
  guint file;
  g_assert_cmpuint (ls_view_session_chosen_line (session, &file), ==, 2);
  g_assert_false (g_array_index (trace->files, LsProgramFile, file).library);
  g_assert_cmpuint (ls_view_session_graph_nodes (session)->len, >, 0);
  guint row;
  call_of (window, pane, "add", &row);
  call_of (window, pane, "mul", &row);
  /* and in the program the line of the call holds the same and more */
  ls_view_session_select_program (session, 0, 4);
  wait_window (window);
  g_assert_cmpuint (ls_view_session_graph_nodes (session)->len, >, 0);
  close_window (window);
}

/* A head comment says where one lands: at a kernel by name or number, or at a position; what it says wrongly is as if it were not said. */
static void
test_home (void)
{
  static const struct { const char *name, *says, *at; } cases[] = {
    { "home1.py", "# A sum.\n# kernel: E_3\n", "1/ast/1" }, { "home2.py", "# kernel: 2\n", "2/ast/1" },
    { "home3.py", "# A sum.\n# opens at: 2/lower/2\n", "2/lower/2" },
    { "home4.py", "# kernel: nothing\n# opens at: 9/none\n", "1/ast/1" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *text = g_strconcat (cases[i].says, "from tinygrad import Tensor\na = (Tensor.empty(3) + 1).realize()\nb = (a + "
                                                        "2).sum().realize()\n", NULL);
    LsWindow *window = open_program (cases[i].name, text, NULL);
    assert_at (window, cases[i].at);
    close_window (window);
  }
}

static gboolean
is_at_line (gpointer pane)
{
  return ls_statements_pane_get_line (pane) != 0;
}

/* The rows of the fields next to the statements. */
static char *
rows_of (GtkWidget *in)
{
  settle ();
  return ls_table_copy_text (LS_TABLE (gtk_widget_get_ancestor (find_widget (in, "facts"), LS_TYPE_TABLE)), TRUE);
}

static void
activate (GtkWidget *in, guint row)
{
  g_signal_emit_by_name (gtk_widget_get_ancestor (find_widget (in, "facts"), LS_TYPE_TABLE), "row-activated", row);
  settle ();
}

/* The fields of the names after a statement as a tree: a name opens, its source opens and is selected in the graph next to it, the tree
 * stays; the selection of another node shows that one's fields. */
static void
test_facts (void)
{
  LsWindow *window = open_program ("facts.py", "from tinygrad import Tensor\na = Tensor([1, 2, 3])\nb = a + 2\nprint(b.tolist())\n", NULL);
  LsStatementsPane *pane = ls_program_view_get_statements (window->program);
  GtkWidget *in = GTK_WIDGET (pane);
  ls_window_show_page (window, "steps");
  for (guint i = 0; i < 3; i++)
    input_key (GDK_KEY_F8, 0);
  g_assert_true (wait_until (is_at_line, pane));
  input_click (find_widget (in, "text-facts"));
  g_autofree char *names = rows_of (in);
  g_assert_cmpstr (names, ==, "Field\tValue\tRead by\n▸ a\tCOPY int (3,)\t\n▸ b\tADD int (3,)\t\n"
                              "▸ Device\tno kernel has opened a device\t\n");
  activate (in, 1);
  g_autofree char *opened = rows_of (in);
  g_assert_nonnull (strstr (opened, "▾ b\tADD int (3,)\t\n    written by\tadd at library/elementwise.py:"));
  g_assert_nonnull (strstr (opened, "    op\t<BinaryOps.ADD: 1>\tSchedule: COPY"));
  g_assert_nonnull (strstr (opened, "    srcs[0]\tCOPY int (3,), node 2, listed above\tSchedule: "));
  g_assert_nonnull (strstr (opened, "    contiguous_child\tNone\tnot used by this scheduler\n"));
  g_assert_nonnull (strstr (opened, "    buffer\t<buf real:False device:CPU size:3 dtype:dtypes.int offset:0>\t"));
  activate (in, 1);
  g_autofree char *closed = rows_of (in);
  g_assert_cmpstr (closed, ==, names);
  activate (in, 1);
  input_key (GDK_KEY_F8, 0);      /* it is computed */
  g_autofree char *later = rows_of (in);
  g_assert_nonnull (strstr (later, "    decision\tstored by kernel 1: result\t\n"));
  g_assert_nonnull (strstr (later, "    buffer\tbuffer 2, <buf real:True device:CPU size:3 dtype:dtypes.int offset:0>\t"));
  g_assert_nonnull (strstr (later, "▸ Device\topened by the first kernel\t\n"));
  close_window (window);
}

/* Statement by statement next to the text, forward, backward and to the clicked line. */
static void
test_stepping (void)
{
  LsWindow *window = open_program ("stepped.py", "from tinygrad import Tensor\nx = Tensor([1.0, 2.0, 3.0])\nfor i in range(2):\n  x = x + "
                                                 "i\ny = x.softmax()\nprint(y.tolist())\n", NULL);
  LsProgramView *program = window->program;
  LsStatementsPane *pane = ls_program_view_get_statements (program);
  guint n;
  ls_window_show_page (window, "steps");
  input_key (GDK_KEY_F8, 0);
  g_assert_cmpstr (ls_window_get_page (window), ==, "program");
  g_assert_true (wait_until (is_at_line, pane));
  g_assert_cmpuint (ls_statements_pane_get_number (pane, &n), ==, 1);
  static const guint lines[] = { 1, 2, 3, 4, 4, 5, 6 };
  g_assert_cmpuint (n, ==, G_N_ELEMENTS (lines));
  for (guint i = 1; i < n; i++) {
    input_key (GDK_KEY_F8, 0);
    settle ();
    g_assert_cmpuint (ls_statements_pane_get_number (pane, &n), ==, i + 1);
    g_assert_cmpuint (ls_statements_pane_get_line (pane), ==, lines[i]);
  }
  g_assert_false (ls_statements_pane_step (pane, 1));
  GtkLabel *where = GTK_LABEL (find_widget (GTK_WIDGET (window), "statement")),
           *names = GTK_LABEL (find_widget (GTK_WIDGET (window), "program-names"));
  g_assert_cmpstr (gtk_label_get_text (where), ==, "Line 6: print(y.tolist())");
  input_key (GDK_KEY_F8, GDK_SHIFT_MASK);
  settle ();
  g_assert_cmpstr (gtk_label_get_text (where), ==, "Line 5: y = x.softmax()");
  g_assert_true (g_str_has_prefix (gtk_label_get_text (names), "y: FDIV float (3,)"));
  g_assert_nonnull (strstr (gtk_label_get_text (names), "\nx: ADD float (3,)"));
  input_key (GDK_KEY_F8, GDK_SHIFT_MASK);
  settle ();
  g_assert_cmpstr (gtk_label_get_text (where), ==, "Line 4, iteration 2: x = x + i");
  g_assert_null (strstr (gtk_label_get_text (names), "y: "));
  ls_program_view_show_line (program, 2);      /* as a click there */
  settle ();
  g_assert_cmpuint (ls_statements_pane_get_line (pane), ==, 2);
  /* what is edited keeps its cursor */
  ls_program_view_set_text (program, "typed = 1\n");
  ls_program_view_set_modified (program, TRUE);
  input_key (GDK_KEY_F8, 0);
  settle ();
  g_autofree char *text = ls_program_view_dup_text (program);
  g_assert_cmpstr (text, ==, "typed = 1\n");
  ls_program_view_set_modified (program, FALSE);
  /* another recording: what draws the old one's steps has none by then, since they go with it */
  LsStepSlider *slider = LS_STEP_SLIDER (find_widget (GTK_WIDGET (pane), "statement-slider"));
  g_assert_cmpuint (ls_step_slider_get_n (slider), ==, n);
  ls_statements_pane_set_trace (pane, NULL);
  g_assert_cmpuint (ls_step_slider_get_n (slider), ==, 0);
  close_window (window);
}

/* The statement that realizes leads to what it computed, and its kernel and copy lead back to it. */
static void
test_realizing (void)
{
  LsWindow *window = open_program ("four.py", "from tinygrad import Tensor\na = Tensor([1,2,3])\nb = a + 2\nprint(b.tolist())\n", NULL);
  LsStatementsPane *statements = ls_program_view_get_statements (window->program);
  LsTrace *trace = ls_view_session_get_trace (window->session);
  static const char *const did[] = { "imported 1 name", "bound a to COPY int (3,)", "bound b to ADD int (3,)",
                                     "realized b: 1 copy, 1 kernel; printed [3, 4, 5]" };
  guint n;
  ls_window_show_page (window, "program");
  g_assert_true (wait_until (is_at_line, statements));
  settle ();
  for (gsize i = 0; i < G_N_ELEMENTS (did); i++) {
    g_assert_cmpuint (ls_statements_pane_get_number (statements, &n), ==, i + 1);
    g_assert_cmpuint (n, ==, G_N_ELEMENTS (did));
    g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (find_widget (GTK_WIDGET (statements), "statement-did"))), ==, did[i]);
    if (i + 1 < G_N_ELEMENTS (did))
      input_key (GDK_KEY_F8, 0);
    settle ();
  }
  GtkWidget *calls = find_widget (GTK_WIDGET (statements), "program-calls");
  LsProgramPane *pane = LS_PROGRAM_PANE (gtk_widget_get_ancestor (calls, LS_TYPE_PROGRAM_PANE));
  guint first = 0;
  while (first < ls_program_pane_n_calls (pane) && !ls_program_pane_get_did (pane, first))
    first++;
  static const LsDidKind kinds[] = { LS_DID_SCHEDULE, LS_DID_COPY, LS_DID_KERNEL, LS_DID_LAUNCH };
  g_assert_cmpuint (ls_program_pane_n_calls (pane), ==, first + G_N_ELEMENTS (kinds));
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    g_assert_cmpint (ls_program_pane_get_did (pane, first + i)->kind, ==, kinds[i]);
  g_assert_cmpstr (g_array_index (trace->calls, LsCall, ls_program_pane_get_call (pane, first)).name, ==, "realize");
  GtkSingleSelection *chosen = GTK_SINGLE_SELECTION (gtk_list_view_get_model (GTK_LIST_VIEW (calls)));
  guint before = ls_program_pane_n_calls (pane);
  gtk_single_selection_set_selected (chosen, first - 2);      /* contiguous and to, in one row: they returned what they were given */
  settle ();
  g_assert_cmpuint (ls_program_pane_n_calls (pane), ==, before + 1);
  g_assert_cmpstr (g_array_index (trace->calls, LsCall, ls_program_pane_get_call (pane, first - 1)).name, ==, "to");
  g_assert_true (ls_call_made_nothing (trace, ls_program_pane_get_call (pane, first - 1)));
  g_assert_false (ls_call_made_nothing (trace, ls_program_pane_get_call (pane, first)));      /* realize */
  first++;
  gtk_single_selection_set_selected (chosen, first);
  wait_window (window);
  assert_at (window, "1/schedule/0");
  g_assert_cmpstr (ls_window_get_page (window), ==, "steps");
  g_assert_true (g_str_has_prefix (gtk_label_get_text (GTK_LABEL (find_widget (GTK_WIDGET (window), "pass-sentence"))),
                                   "Line 4 realized this kernel: print(b.tolist())\n"));
  assert_shows (program_of (window), "four.py", 4);
  guint row;
  call_of (window, program_of (window), "tolist", &row);
  g_autoptr (LsScheduleScene) schedule = ls_schedule_scene_new (trace, 1);
  g_autoptr (LsScene) scene = ls_schedule_scene_draw (schedule);
  int host = ls_scene_find (scene, ls_schedule_buffer_id (0)), copy = ls_scene_find (scene, ls_schedule_copy_id (1)),
      device = ls_scene_find (scene, ls_schedule_buffer_id (1)), kernel = ls_scene_find (scene, ls_schedule_kernel_id (1));
  g_assert_cmpint (MIN (MIN (host, copy), MIN (device, kernel)), >=, 0);
  const int way[] = { host, copy, device, kernel };
  for (gsize i = 1; i < G_N_ELEMENTS (way); i++) {
    gboolean joined = FALSE;
    for (guint e = 0; e < scene->n_edges; e++)
      joined = joined || (scene->edges[e].from == (guint32) way[i - 1] && scene->edges[e].to == (guint32) way[i]);
    g_assert_true (joined);
  }
  g_autofree char *says = ls_schedule_scene_sentence (schedule, ls_schedule_copy_id (1)),
                  *why = ls_schedule_scene_sentence (schedule, ls_schedule_kernel_id (1));
  g_assert_cmpstr (says, ==, "Copy of 12 B of host data, from buffer 0 to buffer 1. Line 4 needed it: print(b.tolist())");
  g_assert_nonnull (strstr (why, "Line 4 realized it: print(b.tolist())."));
  close_window (window);
}

static gboolean
knows_methods (gpointer view)
{
  return ls_completion_n_methods (view) > 0;
}

/* A proposal of the list of completions, which is attached to the editor. */
static gboolean
shows_proposal (gpointer widget)
{
  if (g_str_equal (G_OBJECT_TYPE_NAME (widget), "GtkSourceCompletionListBoxRow"))
    return gtk_widget_get_mapped (widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child; child = gtk_widget_get_next_sibling (child))
    if (shows_proposal (child))
      return TRUE;
  return FALSE;
}

static char *begun;      /* text that is typed */

static gboolean
is_completed (gpointer program)
{
  g_autofree char *text = ls_program_view_dup_text (program);
  return g_str_equal (text, begun);
}

/* "program 4" or the place, and with a * what is done. */
static char *
describe_place (LsWindow *window)
{
  LsStatementsPane *statements = ls_program_view_get_statements (window->program);
  guint n;
  if (!g_str_equal (ls_window_get_page (window), "program"))
    return ls_view_session_get_link (window->session);
  guint at = ls_statements_pane_get_number (statements, &n);
  return g_strdup_printf ("program %u%s", at, ls_statements_pane_is_done (statements) ? "*" : "");
}

/* n leads from the text to the numbers, as one walk: statement by statement, into what the last one computed, and back to it; p the same
 * way back. */
static void
test_walk (void)
{
  LsWindow *window = open_program ("five.py", "from tinygrad import Tensor\na = Tensor([1,2,3])\nb = a + 2\nprint(b.tolist())\n", NULL);
  LsStatementsPane *statements = ls_program_view_get_statements (window->program);
  g_autoptr (GPtrArray) places = g_ptr_array_new_with_free_func (g_free);
  static const char *const stages[] = { "1/schedule/", "1/linearize/", "1/procedure/", "1/render/", "1/compile/", "1/run/" };
  guint stage = 0;
  ls_window_show_page (window, "program");
  g_assert_true (wait_until (is_at_line, statements));
  ls_statements_pane_focus (statements);
  g_ptr_array_add (places, describe_place (window));
  for (guint i = 0; i < 80; i++) {
    input_key (GDK_KEY_n, 0);
    wait_until (is_idle, window);
    settle ();
    g_autofree char *place = describe_place (window);
    if (g_str_equal (place, places->pdata[places->len - 1]))
      break;
    stage += stage < G_N_ELEMENTS (stages) && g_str_has_prefix (place, stages[stage]);
    g_ptr_array_add (places, g_steal_pointer (&place));
  }
  g_test_message ("%u presses", places->len - 1);
  g_assert_cmpuint (stage, ==, G_N_ELEMENTS (stages));
  g_assert_cmpuint (places->len - 1, <=, 60);
  g_assert_cmpstr (places->pdata[3], ==, "program 4");
  g_assert_cmpstr (places->pdata[places->len - 1], ==, "program 4*");
  for (guint i = places->len - 1; i-- > 0;) {
    input_key (GDK_KEY_p, 0);
    wait_until (is_idle, window);
    settle ();
    g_autofree char *place = describe_place (window);
    g_assert_true (g_str_has_prefix (place, places->pdata[i]));      /* of a statement that one comes back to what it did is done */
  }
  close_window (window);
}

/* Press n, or p, until nothing moves any more; each place in order, the first included. */
static GPtrArray *
walk_through (LsWindow *window, guint key)
{
  GPtrArray *places = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (places, describe_place (window));
  for (guint i = 0; i < 60; i++) {
    input_key (key, 0);
    wait_until (is_idle, window);
    settle ();
    g_autofree char *place = describe_place (window);
    if (g_str_equal (place, places->pdata[places->len - 1]))
      return places;
    g_ptr_array_add (places, g_steal_pointer (&place));
  }
  g_assert_not_reached ();
}

/* The walk leads into the rewrites of UOps that a statement asked for, as into what it computed, and "Step Into" does; a pass in which no
 * rule fired is a place of its own. A function's statement leads into its own. */
static void
test_rewriting (void)
{
  LsWindow *window = open_program ("six.py",
                                   "from tinygrad.uop.ops import Ops, PatternMatcher, UOp, UPat\nx = UOp.variable('x', 0, 9)\n"
                                   "s = (x + 0) * 2\nr = s.simplify()\ne = r.substitute({x: x + 1})\n"
                                   "pm = PatternMatcher([(UPat(Ops.ADD), lambda: None)])\nm = pm.rewrite(e)\n"
                                   "def half(u):\n  return u.substitute({x: x * 3})\nh = half(x)\nt = x + 1\n", NULL);
  static const char *const expected[] = {
    "program 1", "program 2", "program 3", "program 4", "0/simplify@4/1", "0/simplify@4/2", "0/simplify@4#2/1",
  };
  LsStatementsPane *statements = ls_program_view_get_statements (window->program);
  ls_window_show_page (window, "program");
  g_assert_true (wait_until (is_at_line, statements));
  ls_statements_pane_focus (statements);
  g_autoptr (GPtrArray) places = walk_through (window, GDK_KEY_n);
  for (guint i = 0; i < places->len; i++)
    g_test_message ("%s", (const char *) places->pdata[i]);
  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++)
    g_assert_cmpstr (places->pdata[i], ==, expected[i]);
  static const char *const later[] = {
    "program 4*", "program 5", "0/substitute@5/1", "program 5*", "program 6", "program 7", "0/rewrite@7/0", "program 7*", "program 8",
    "program 9", "0/substitute@9/1", "program 9*", "program 10", "program 11",
  };
  guint at = 0;
  for (guint i = 0; i < places->len && at < G_N_ELEMENTS (later); i++)
    at += g_str_equal (places->pdata[i], later[at]);
  g_assert_cmpuint (at, ==, G_N_ELEMENTS (later));
  g_autoptr (GPtrArray) back = walk_through (window, GDK_KEY_p);
  for (guint i = 0; i < back->len; i++)
    g_test_message ("%s", (const char *) back->pdata[i]);
  g_assert_cmpuint (back->len, ==, places->len);
  for (guint i = 0; i < back->len; i++) {
    const char *there = places->pdata[places->len - 1 - i];
    g_assert_cmpuint (strcspn (there, "*"), ==, strcspn (back->pdata[i], "*"));
    g_assert_true (g_str_has_prefix (there, back->pdata[i]) || g_str_has_prefix (back->pdata[i], there));
  }
  ls_statements_pane_go (statements, 3, FALSE);
  settle ();
  const char *did = gtk_label_get_text (GTK_LABEL (find_widget (GTK_WIDGET (statements), "statement-did")));
  g_assert_cmpstr (did, ==, "bound r to MUL int, x*2; ran simplify@4, 9 steps");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.into-statement", NULL);
  wait_window (window);
  assert_at (window, "0/simplify@4/1");
  close_window (window);
}

/* Methods with their docstrings, after a dot. */
static void
test_completion (void)
{
  LsWindow *window = open_program ("typed.py", "from tinygrad import Tensor\nx = Tensor([1.0])\n", NULL);
  LsProgramView *program = window->program;
  GtkSourceView *view = template_part (program, "view");
  ls_window_show_page (window, "program");
  ls_program_view_set_text (program, "");
  ls_program_view_focus_editor (program);
  g_assert_true (wait_until (knows_methods, view));
  g_auto (GStrv) names = ls_completion_names (view, "soft");
  const char *const wanted[] = { "softmax", "softmin", "softplus", "softsign", NULL };
  g_assert_true (g_strv_equal ((const char *const *) names, wanted));
  for (const char *p = "x.softp"; *p; p++)
    input_key (*p == '.' ? GDK_KEY_period : (guint) *p, 0);
  begun = (char *) "x.softp\n";
  g_assert_true (wait_until (is_completed, program));
  begun = (char *) "x.softplus\n";
  g_signal_emit_by_name (view, "show-completion");
  g_assert_true (wait_until (shows_proposal, view));      /* the list comes a moment after the letters */
  input_key (GDK_KEY_Down, 0);
  input_key (GDK_KEY_Return, 0);
  g_assert_true (wait_until (is_completed, program));
  ls_program_view_set_modified (program, FALSE);
  close_window (window);
}

/* It goes on when there is a file of that name. */
#define WATCHED "import os, time\nfrom tinygrad import Tensor\n" \
                "a = (Tensor.arange(256) * 3 %% 7).cast('float').reshape(16, 16).realize()\n" \
                "while not os.path.exists('%s'): time.sleep(0.01)\nb = (a @ a).realize()\n"

static gboolean
has_passes (gpointer session)
{
  const LsTrace *trace = ls_view_session_get_trace (session);
  return trace && trace->passes->len > 0;
}

/* A run that is watched shows its first pieces, and opens where it is about when it is whole; who has gone somewhere meanwhile stays
 * there. */
static void
test_watched_home (void)
{
  for (int moved = 0; moved < 2; moved++) {
    g_autofree char *path = g_build_filename (folder, "watched.py", NULL);
    g_autofree char *gate = g_build_filename (folder, "watched-goes-on", NULL), *text = g_strdup_printf (WATCHED, gate);
    g_assert_true (g_file_set_contents (path, text, -1, NULL));
    g_unlink (gate);
    LsWindow *window = open_start (1280, 800);
    LsViewSession *session = window->session;
    ls_window_open (window, path);
    g_assert_true (wait_until (has_passes, session));
    settle ();
    g_assert_false (ls_window_is_idle (window));      /* it is on its way */
    g_assert_cmpuint (ls_view_session_get_trace (session)->kernels->len, <, 2);
    g_autofree char *opened = ls_view_session_get_link (session);
    LsPosition at;
    g_assert_true (ls_view_session_get_position (session, &at));
    if (moved)      /* to another step than the one at which it opened */
      ls_view_session_go (session, (int) at.pass->index, at.step ? 0 : 1);
    g_autofree char *before = ls_view_session_get_link (session);
    guint kernel = moved ? ls_view_session_pass (session)->kernel : 2;
    g_assert_true (g_file_set_contents (gate, "", 0, NULL));
    g_assert_cmpint (g_str_equal (opened, before), ==, !moved);
    wait_window (window);
    g_assert_cmpuint (ls_view_session_get_trace (session)->kernels->len, ==, 2);
    g_autofree char *after = ls_view_session_get_link (session);
    g_assert_cmpuint (ls_view_session_pass (session)->kernel, ==, kernel);
    g_test_message ("%s, then %s", before, after);
    close_window (window);
  }
}

int
main (int argc, char **argv)
{
  if (!fixture_begin (&argc, &argv))
    return 0;
  g_test_add_func ("/programs/statements", test_statements);
  g_test_add_func ("/programs/facts", test_facts);
  g_test_add_func ("/programs/library", test_library);
  g_test_add_func ("/programs/module", test_module);
  g_test_add_func ("/programs/stepping", test_stepping);
  g_test_add_func ("/programs/realizing", test_realizing);
  g_test_add_func ("/programs/walk", test_walk);
  g_test_add_func ("/programs/rewriting", test_rewriting);
  g_test_add_func ("/programs/completion", test_completion);
  g_test_add_func ("/programs/home", test_home);
  g_test_add_func ("/programs/watched-home", test_watched_home);
  return fixture_end ();
}
