/* The keyboard alone: every shortcut that the shortcuts window lists does what it says, and Tab reaches every pane and leaves every
 * list. */
#include "fixture.h"
#include "kit/notices.h"
#include "kit/scale.h"
#include "panes/text/visits-pane.h"

#include <string.h>

static LsWindow *
open_window (void)
{
  return open_recording (fixture_matmul (), "3/simplify#2/5", 1280, 760);
}

/* --- what can be observed --- */

static void
add_shown (GtkWidget *widget, GString *text)
{
  if (!gtk_widget_get_mapped (widget))
    return;
  if (GTK_IS_POPOVER (widget))
    g_string_append_printf (text, " popover:%s:%s", G_OBJECT_TYPE_NAME (widget), gtk_widget_get_name (gtk_widget_get_parent (widget)));
  if (g_str_equal (gtk_widget_get_css_name (widget), "toast"))
    g_string_append (text, " toast");
  if (GTK_IS_LABEL (widget) && gtk_widget_get_ancestor (widget, LS_TYPE_NOTICES) && g_str_has_suffix (text->str, " toast"))
    g_string_append_printf (text, ":%s", gtk_label_get_text (GTK_LABEL (widget)));
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child; child = gtk_widget_get_next_sibling (child))
    add_shown (child, text);
}

/* How many lines the clipboard has, 0 where it holds no text of this program. */
static guint
clipboard_lines (LsWindow *window)
{
  GdkContentProvider *content = gdk_clipboard_get_content (gtk_widget_get_clipboard (GTK_WIDGET (window)));
  g_auto (GValue) value = G_VALUE_INIT;
  guint n = 0;
  g_value_init (&value, G_TYPE_STRING);
  if (content && gdk_content_provider_get_value (content, &value, NULL))
    for (const char *at = g_value_get_string (&value); at && (at = strchr (at, '\n')); at++)
      n++;
  return n;
}

static gboolean
is_in (GtkWidget *widget, const char *name)
{
  while (widget && strcmp (gtk_widget_get_name (widget), name) != 0)
    widget = gtk_widget_get_parent (widget);
  return widget != NULL;
}

/* All of it in words: " NAME:VALUE" each. */
static char *
observe (LsWindow *window)
{
  LsViewSession *session = window->session;
  LsStepsView *steps = window->steps;
  GtkWidget *root = GTK_WIDGET (window), *focus = gtk_root_get_focus (GTK_ROOT (window));
  LsSearchBar *search = ls_steps_view_get_search (steps);
  GString *text = g_string_new (NULL);
  graphene_rect_t at = GRAPHENE_RECT_INIT (0, 0, 0, 0);
  const LsGraphDiff *diff = ls_view_session_diff (session);
  if (diff && diff->after)
    ls_graph_view_node_rect (ls_steps_view_get_graph (steps), diff->after->root->id, &at);
  g_string_append_printf (text, " page:%s pass:%d step:%u kernel:%d", ls_window_get_page (window), ls_view_session_get_pass (session),
                          ls_view_session_get_step (session),
                          ls_view_session_kernel (session) ? (int) ls_view_session_kernel (session)->number : 0);
  g_string_append_printf (text, " hidden:%u", ls_view_session_get_hidden (session));
  g_string_append_printf (text, " base:%d chosen:%d view:%.0f,%.0f,%.0f", ls_view_session_get_base (session, NULL),
                          (int) ls_view_session_get_selection (session), at.origin.x,
                          at.origin.y, at.size.width);
  g_string_append_printf (text, " sidebar:%d table:%s texts:%d centre:%s scale:%d", ls_steps_view_get_sidebar (steps),
                          gtk_stack_get_visible_child_name (GTK_STACK (find_widget (root, "tables"))),
                          gtk_widget_get_mapped (find_widget (root, "texts")),
                          ls_steps_view_shows_schedule (steps) ? "schedule" : "graph", ls_scale_get ());
  g_string_append_printf (text, " search:%d hit:%d focus:%s", gtk_widget_get_mapped (GTK_WIDGET (search)),
                          ls_search_bar_get_current (search),
                          !focus ? "none" : is_in (focus, "table-filter") ? "table-filter" : is_in (focus, "step-number") ? "step-number"
                          : is_in (focus, "step-filter") ? "step-filter" : "other");
  g_string_append_printf (text, " run:%u copied:%u", ls_runs_current_index (window->runs), clipboard_lines (window));
  guint n_statements;
  g_string_append_printf (text, " statement:%u",
                          ls_statements_pane_get_number (ls_program_view_get_statements (window->program), &n_statements));
  g_string_append_printf (text, " rule:%d", ls_view_session_get_step (session)
                          ? ls_pass_step_link (ls_view_session_pass (session), ls_view_session_get_step (session))->rule : -1);
  GtkWidget *visits = gtk_widget_get_ancestor (find_widget (root, "visit-stack"), LS_TYPE_VISITS_PANE);
  g_string_append_printf (text, " visit:%u", ls_visits_pane_number (LS_VISITS_PANE (visits)));
  GListModel *all = gtk_window_get_toplevels ();
  for (guint i = 0; i < g_list_model_get_n_items (all); i++) {
    g_autoptr (GtkWidget) other = g_list_model_get_item (all, i);
    if (other != root && gtk_widget_get_mapped (other))
      g_string_append_printf (text, " window:%s", G_OBJECT_TYPE_NAME (other));
  }
  add_shown (root, text);
  return g_string_free (text, FALSE);
}

/* " NAME:" and the text after it, up to the end of the word; NULL: not there. */
static char *
value_of (const char *observed, const char *name)
{
  g_autofree char *start = g_strdup_printf (" %s:", name);
  const char *at = strstr (observed, start);
  return at ? g_strndup (at + strlen (start), strcspn (at + strlen (start), " ")) : NULL;
}

/* --- a shortcut each --- */

static guint32
root_node (LsViewSession *session)
{
  return ls_view_session_diff (session)->after->root->id;
}

static void
choose_root (LsWindow *window)
{
  guint32 node = root_node (window->session);
  ls_view_session_select (window->session, LS_CHOSEN_IN_GRAPH, &node, 1);
}

/* The table of kernels has the focus, and one of them is chosen. */
static void
focus_table (LsWindow *window)
{
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (window)), "");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.table", "s", "timing");
  settle ();
  gtk_widget_grab_focus (find_widget (GTK_WIDGET (window), "timing"));
}

/* One with something above, below and at both sides of it. */
static void
choose_middle (LsWindow *window)
{
  LsViewSession *session = window->session;
  ls_graph_view_set_fold (ls_steps_view_get_graph (window->steps), FALSE);      /* each lane is a box */
  wait_window (window);
  g_autoptr (GPtrArray) nodes = g_ptr_array_ref (ls_view_session_graph (session)->nodes);
  static const guint ways[] = { GDK_KEY_Up, GDK_KEY_Down, GDK_KEY_Left, GDK_KEY_Right };
  for (guint i = 0; i < nodes->len; i++) {
    guint32 node = ((LsUOp *) nodes->pdata[i])->id;
    guint moved = 0;
    graphene_rect_t rect;
    if (!ls_graph_view_node_rect (ls_steps_view_get_graph (window->steps), node, &rect))
      continue;
    for (guint w = 0; w < G_N_ELEMENTS (ways) && moved == w; w++) {
      ls_view_session_select (session, LS_CHOSEN_IN_GRAPH, &node, 1);
      settle ();
      input_key (ways[w], 0);
      wait_window (window);
      moved += ls_view_session_get_selection (session) != node;
    }
    if (moved == G_N_ELEMENTS (ways)) {
      ls_view_session_select (session, LS_CHOSEN_IN_GRAPH, &node, 1);
      return;
    }
  }
  g_error ("no node has neighbours on all sides");
}

/* One that the key finds another change of. */
static void
choose_changing (LsWindow *window, GdkModifierType modifiers)
{
  LsViewSession *session = window->session;
  g_autoptr (GPtrArray) nodes = g_ptr_array_ref (ls_view_session_graph (session)->nodes);
  int pass = ls_view_session_get_pass (session);
  guint step = ls_view_session_get_step (session);
  for (guint i = 0; i < nodes->len; i++) {
    guint32 node = ((LsUOp *) nodes->pdata[i])->id;
    ls_view_session_select (session, LS_CHOSEN_IN_GRAPH, &node, 1);
    settle ();
    input_key (GDK_KEY_c, modifiers);
    wait_window (window);
    gboolean found = ls_view_session_get_pass (session) == pass && ls_view_session_get_step (session) != step;
    ls_view_session_go (session, pass, step);
    if (found) {
      ls_view_session_select (session, LS_CHOSEN_IN_GRAPH, &node, 1);
      wait_window (window);
      return;
    }
  }
  g_error ("no node changes again");
}

static void choose_changing_later (LsWindow *window) { choose_changing (window, 0); }
static void choose_changed_before (LsWindow *window) { choose_changing (window, GDK_SHIFT_MASK); }

static void
visit_two (LsWindow *window)
{
  ls_view_session_go_link (window->session, "3/simplify#2/20");
  wait_window (window);
}

static void
visit_and_back (LsWindow *window)
{
  visit_two (window);
  input_key (GDK_KEY_Left, GDK_ALT_MASK);
  wait_window (window);
}

static void
search_something (LsWindow *window)
{
  LsSearchBar *search = ls_steps_view_get_search (window->steps);
  input_key (GDK_KEY_slash, 0);
  gtk_editable_set_text (GTK_EDITABLE (find_widget (GTK_WIDGET (search), "search-entry")), "add");
  input_key (GDK_KEY_Return, 0);
  wait_window (window);
  input_key (GDK_KEY_Return, 0);
  wait_window (window);
  g_assert_cmpint (ls_search_bar_get_current (search), >=, 0);
}

static void
set_breakpoint (LsWindow *window)
{
  g_assert_true (ls_breakpoints_add (ls_steps_view_get_breakpoints (window->steps), "add"));
}

static void
collapse (LsWindow *window)
{
  choose_root (window);
  settle ();
  g_assert_cmpuint (ls_graph_view_collapse (ls_steps_view_get_graph (window->steps)), >, 0);
  wait_window (window);
}

/* The same recording once more, under another name. */
static void
add_run (LsWindow *window)
{
  LsTrace *trace = ls_view_session_get_trace (window->session);
  LsRun run = { .options = ls_run_options_copy (NULL), .trace = ls_trace_ref (trace), .text = g_strdup (trace->program_text),
                .file = g_strdup ("again.lscope") };
  ls_runs_take (window->runs, &run);
}

static void zoom_in (LsWindow *window) { ls_graph_view_zoom_by (ls_steps_view_get_graph (window->steps), 1.7); }
static void make_larger (LsWindow *window) { gtk_widget_activate_action (GTK_WIDGET (window), "win.larger", NULL); }
static void go_program (LsWindow *window) { gtk_widget_activate_action (GTK_WIDGET (window), "win.workspace", "s", "program"); }

static gboolean
has_statement (gpointer pane)
{
  guint n;
  return ls_statements_pane_get_number (pane, &n) > 0;
}

static void
go_second_statement (LsWindow *window)
{
  LsStatementsPane *pane = ls_program_view_get_statements (window->program);
  go_program (window);
  g_assert_true (wait_until (has_statement, pane));
  g_assert_true (ls_statements_pane_step (pane, 1));
  settle ();
}

static void show_visits (LsWindow *window) { ls_steps_view_show_text (window->steps, "visits"); wait_window (window); }
static void go_kernel (LsWindow *window) { g_assert_true (ls_view_session_go_link (window->session, "2/ast/0")); }

/* The observations for each key, in the order of the shortcuts window, compared with those before: '>' '<' as numbers, '!' another
 * value, '=' this value. */
typedef struct { const char *title; struct { const char *name; char relation; const char *value; void (*prepare) (LsWindow *window);
                                             } keys[4]; } Row;
static const Row rows[] = {
  { "Next and previous step", { { "step", '=', "6" }, { "step", '=', "4" } } },
  { "Next and previous step of another rule", { { "rule", '!' }, { "rule", '!' } } },
  { "Next and previous changed pass", { { "pass", '>' }, { "pass", '<' } } },
  { "Next and previous kernel", { { "kernel", '>', NULL, go_kernel }, { "kernel", '<', NULL, go_kernel } } },
  { "Next and previous statement", { { "statement", '=', "3", go_second_statement }, { "statement", '=', "1", go_second_statement } } },
  { "Next and previous change to the selected node", { { "step", '>', NULL, choose_changing_later },
                                                     { "step", '<', NULL, choose_changed_before } } },
  { "Next and previous key moment", { { "step", '!' }, { "step", '!' } } },
  { "Back and forth through the places visited", { { "step", '=', "5", visit_two }, { "step", '=', "20", visit_and_back } } },
  { "Next and previous visit of the driver", { { "visit", '>', NULL, show_visits }, { "visit", '<', NULL, show_visits } } },
  { "Go to a step by number", { { "focus", '=', "step-number" } } },
  { "Filter the steps", { { "focus", '=', "step-filter" } } },
  { "Search nodes, rules and passes", { { "search", '=', "1" }, { "search", '=', "1" } } },
  { "Next and previous result", { { "hit", '>', NULL, search_something }, { "hit", '<', NULL, search_something } } },
  { "Bookmark this position", { { "toast", '=', "Bookmark" } } },
  { "Play, stop (in the graph)", { { "step", '>' } } },
  { "Set breakpoints", { { "popover", '=', "GtkPopover:breakpoints" } } },
  { "Run to the next breakpoint", { { "step", '>', NULL, set_breakpoint } } },
  { "Where does this come from?", { { "table", '=', "answer", choose_root } } },
  { "Why did a rule not fire here?", { { "window", '=', "LsWhyNotDialog", choose_root } } },
  { "All questions about this place", { { "popover", '!', NULL, choose_root }, { "popover", '!', NULL, choose_root } } },
  { "Schedule instead of the graph", { { "centre", '=', "schedule" } } },
  { "Fit the graph", { { "view", '!', NULL, zoom_in } } },
  { "Focus the change", { { "view", '!', NULL, zoom_in } } },
  { "Collapse the inputs of the node, or expand them", { { "view", '!', NULL, choose_root } } },
  { "Expand all", { { "view", '!', NULL, collapse } } },
  { "Fold or unfold the loop", { { "view", '!', NULL, choose_middle } } },
  { "Hide classes of nodes", { { "popover", '=', "GtkPopoverMenu:filter" }, { "hidden", '>' } } },
  { "Compare from here", { { "base", '>' } } },
  { "Along the edges", { { "chosen", '!', NULL, choose_middle }, { "chosen", '!', NULL, choose_middle },
                         { "chosen", '!', NULL, choose_middle }, { "chosen", '!', NULL, choose_middle } } },
  { "Run", { { "window", '=', "AdwMessageDialog" } } },      /* the program came inside a recording */
  { "Run with options", { { "window", '=', "LsRunForm" } } },
  { "Next and previous run", { { "run", '=', "0", add_run }, { "run", '=', "0", add_run } } },
  { "Cancel the run, stop, clear the selection", { { "chosen", '!', NULL, choose_root } } },
  { "Open", { { "window", '=', "GtkFileChooserDialog" } } },
  { "Save", { { "window", '=', "GtkFileChooserDialog" } } },
  { "Next and previous pane below", { { "table", '!' }, { "table", '!' } } },
  { "Toggle full height of the drawer", { { "texts", '=', "0" } } },
  { "Program, Steps, Compare", { { "page", '=', "program" }, { "page", '=', "steps", go_program }, { "page", '=', "compare" } } },
  { "Sidebar", { { "sidebar", '!' } } },
  { "Presentation", { { "sidebar", '=', "0" } } },
  { "Copy link to this position", { { "toast", '=', "Link" } } },
  { "Filter the rows of a table", { { "focus", '=', "table-filter", focus_table } } },
  { "Copy the selected row of a table", { { "copied", '>', NULL, focus_table } } },
  { "Copy a table", { { "copied", '>', NULL, focus_table } } },
  { "Share as a page", { { "window", '=', "GtkFileChooserDialog" } } },
  { "Keyboard shortcuts", { { "window", '=', "GtkShortcutsWindow" } } },
  { "Larger, smaller, normal size", { { "scale", '>' }, { "scale", '<' }, { "scale", '=', "100", make_larger } } },
  { "Help", { { "window", '!' } } },
  { "Quit", { { "gone", '!' } } },
};

typedef struct { LsWindow *window; const char *name, *before, *value; char relation; } Expected;

static gboolean
is_observed (gpointer data)
{
  const Expected *e = data;
  g_autofree char *all = observe (e->window), *now = value_of (all, e->name), *before = value_of (e->before, e->name);
  switch (e->relation) {
  case '>': return now && before && g_ascii_strtod (now, NULL) > g_ascii_strtod (before, NULL);
  case '<': return now && before && g_ascii_strtod (now, NULL) < g_ascii_strtod (before, NULL);
  case '=': return g_strcmp0 (now, e->value) == 0 && g_strcmp0 (before, e->value) != 0;
  default: return g_strcmp0 (now, before) != 0;
  }
}

static void
collect_shortcuts (GtkWidget *widget, GPtrArray *found)
{
  /* the results of its search are copies */
  if (GTK_IS_SHORTCUTS_SHORTCUT (widget) && gtk_widget_get_ancestor (widget, GTK_TYPE_SHORTCUTS_SECTION))
    g_ptr_array_add (found, widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child; child = gtk_widget_get_next_sibling (child))
    collect_shortcuts (child, found);
}

static gboolean
is_gone (gpointer window)
{
  return !g_list_find (gtk_application_get_windows (GTK_APPLICATION (app)), window);
}

static void
try_key (const Row *row, guint i, const char *accelerator)
{
  guint key;
  GdkModifierType modifiers;
  g_assert_true (gtk_accelerator_parse (accelerator, &key, &modifiers));
  LsWindow *window = open_window ();
  if (row->keys[i].prepare)
    row->keys[i].prepare (window);
  settle ();
  g_autofree char *before = observe (window);
  Expected e = { window, row->keys[i].name, before, row->keys[i].value, row->keys[i].relation };
  if (g_str_equal (row->keys[i].name, "gone")) {
    input_key (key, modifiers);
    g_assert_true (wait_until (is_gone, window));
    return;
  }
  input_key (key, modifiers);
  if (!wait_until (is_observed, &e)) {
    g_autofree char *now = observe (window);
    g_printerr ("%s, %s: wanted %s %c %s\n  before:%s\n  now:   %s\n", row->title, accelerator, e.name, e.relation, e.value ? e.value : "",
                before, now);
    g_test_fail ();
  }
  while (gtk_widget_activate_action (GTK_WIDGET (window), "win.cancel", NULL) &&
         g_str_equal (gtk_button_get_label (GTK_BUTTON (find_widget (GTK_WIDGET (window), "run"))), "Cancel"))
    settle ();
  ls_scale_set (LS_SCALE_NORMAL);
  for (guint k = 0; k < 3; k++)      /* popovers hold the keyboard: they go by a person's way */
    input_key (GDK_KEY_Escape, 0);
  GListModel *all = gtk_window_get_toplevels ();
  for (guint k = g_list_model_get_n_items (all); k-- > 0;) {
    g_autoptr (GtkWindow) other = g_list_model_get_item (all, k);
    if (other && GTK_WIDGET (other) != GTK_WIDGET (window) && gtk_widget_get_mapped (GTK_WIDGET (other)))
      gtk_window_close (other);
  }
  settle ();
  close_window (window);
}

/* Each key of each line of the shortcuts window, in a window of its own; a line without a row here is a failure, and so is a row
 * without a line. */
static void
test_shortcuts (void)
{
  g_autoptr (GtkBuilder) builder = gtk_builder_new_from_resource ("/app/lazyscope/Lazyscope/shortcuts.ui");
  GtkWidget *overlay = GTK_WIDGET (gtk_builder_get_object (builder, "shortcuts"));
  g_autoptr (GPtrArray) shortcuts = g_ptr_array_new ();
  collect_shortcuts (overlay, shortcuts);
  const char *only = g_getenv ("LS_ONLY_SHORTCUT");
  guint sample = fixture_sample (2, "keys of each line"), lines = fixture_sample (3, "lines");
  g_assert_cmpuint (shortcuts->len, ==, G_N_ELEMENTS (rows));
  for (guint i = 0; i < shortcuts->len; i++) {
    g_autofree char *title = NULL, *accelerators = NULL;
    const Row *row = NULL;
    g_object_get (shortcuts->pdata[i], "title", &title, "accelerator", &accelerators, NULL);
    for (guint k = 0; k < G_N_ELEMENTS (rows); k++)
      if (g_str_equal (rows[k].title, title))
        row = &rows[k];
    if (!row)
      g_error ("nothing is known of the shortcut “%s”", title);
    g_auto (GStrv) keys = g_strsplit (accelerators, " ", -1);
    for (guint k = 0; keys[k]; k++) {
      if (k >= G_N_ELEMENTS (row->keys) || !row->keys[k].name)
        g_error ("nothing is known of the key %s of “%s”", keys[k], title);
      if (only ? strstr (title, only) != NULL : i % lines == 0 && (k % sample == i % sample || !keys[1]))
        try_key (row, k, keys[k]);
    }
  }
  gtk_window_destroy (GTK_WINDOW (overlay));
}

/* --- Tab --- */

static const char *const panes[] = { "pipeline", "steps", "graph", "changes", "source", "tables" };

static GtkWidget *
pane_widget (LsWindow *window, const char *name)
{
  GtkWidget *found = find_widget (GTK_WIDGET (window), name);
  if (g_str_equal (name, "steps") || g_str_equal (name, "source"))      /* the stack's page and its contents have one name */
    for (GtkWidget *w = found; w && !GTK_IS_LIST_VIEW (w) && !GTK_IS_TEXT_VIEW (w);) {
      GtkWidget *in = NULL;
      for (GtkWidget *child = gtk_widget_get_first_child (w); child && !in; child = gtk_widget_get_next_sibling (child))
        in = find_widget (child, name);
      w = in;
      found = in ? in : found;
    }
  return found;
}

/* Which panes Tab comes by until it is where it began, and after how many times. */
static guint
go_round (LsWindow *window, GdkModifierType modifiers, guint *times)
{
  guint reached = 0, n = 0;
  GtkWidget *start = gtk_root_get_focus (GTK_ROOT (window));
  do {
    input_key (GDK_KEY_Tab, modifiers);
    GtkWidget *focus = gtk_root_get_focus (GTK_ROOT (window));
    for (guint i = 0; focus && i < G_N_ELEMENTS (panes); i++) {
      GtkWidget *pane = pane_widget (window, panes[i]);
      if (pane && (focus == pane || gtk_widget_is_ancestor (focus, pane)))
        reached |= 1u << i;
    }
    if (g_getenv ("LS_PRINT_TREE"))
      g_printerr ("%u %s %s in %s\n", n, focus ? G_OBJECT_TYPE_NAME (focus) : "-", focus ? gtk_widget_get_name (focus) : "",
                  focus ? G_OBJECT_TYPE_NAME (gtk_widget_get_parent (focus)) : "");
  } while (gtk_root_get_focus (GTK_ROOT (window)) != start && ++n < 120);
  *times = n;
  return reached;
}

static gboolean
has_rows (gpointer list)
{
  return g_list_model_get_n_items (G_LIST_MODEL (gtk_list_view_get_model (list))) > 3 && gtk_widget_get_first_child (list);
}

static void
test_tab (void)
{
  static const GdkModifierType ways[] = { 0, GDK_SHIFT_MASK };
  LsWindow *window = open_at ("3/simplify#2/5");      /* both texts are seen */
  for (gsize i = 0; i < G_N_ELEMENTS (ways); i++) {
    guint times;
    gtk_widget_grab_focus (GTK_WIDGET (ls_steps_view_get_graph (window->steps)));
    settle ();
    guint reached = go_round (window, ways[i], &times);
    for (guint k = 0; k < G_N_ELEMENTS (panes); k++)
      if (!(reached & (1u << k)))
        g_error ("Tab does not come by %s", panes[k]);
    g_assert_cmpuint (times, <, 70);      /* no list is gone through row by row */
  }
  close_window (window);
}

/* Arrows go from row to row. */
/* The dialog's list is passed in one Tab, and entered at the chosen rule. */
static void
test_why_not_tab (void)
{
  LsWindow *window = open_window ();
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), "win.why-not", NULL));
  settle ();
  GtkWindow *dialog = NULL;
  GListModel *all = gtk_window_get_toplevels ();
  for (guint i = 0; i < g_list_model_get_n_items (all); i++) {
    g_autoptr (GtkWidget) w = g_list_model_get_item (all, i);
    if (g_str_equal (gtk_widget_get_name (w), "why-not"))
      dialog = GTK_WINDOW (w);
  }
  g_assert_nonnull (dialog);
  input_focus (dialog);
  GtkListView *list = GTK_LIST_VIEW (find_widget (GTK_WIDGET (dialog), "why-not-rules"));
  GtkWidget *search = find_widget (GTK_WIDGET (dialog), "why-not-search");
  g_assert_true (wait_until (has_rows, list));
  gtk_single_selection_set_selected (GTK_SINGLE_SELECTION (gtk_list_view_get_model (list)), 2);
  gtk_widget_grab_focus (search);
  settle ();
  input_key (GDK_KEY_Tab, 0);
  GtkWidget *row = gtk_root_get_focus (GTK_ROOT (dialog));
  g_assert_true (gtk_widget_is_ancestor (row, GTK_WIDGET (list)));
  g_assert_true (gtk_widget_get_state_flags (row) & GTK_STATE_FLAG_SELECTED);
  input_key (GDK_KEY_Tab, 0);
  g_assert_false (gtk_widget_is_ancestor (gtk_root_get_focus (GTK_ROOT (dialog)), GTK_WIDGET (list)));
  input_key (GDK_KEY_Tab, GDK_SHIFT_MASK);
  g_assert_true (gtk_widget_is_ancestor (gtk_root_get_focus (GTK_ROOT (dialog)), GTK_WIDGET (list)));
  input_key (GDK_KEY_Tab, GDK_SHIFT_MASK);
  g_assert_true (gtk_widget_is_ancestor (gtk_root_get_focus (GTK_ROOT (dialog)), search));
  gtk_window_destroy (dialog);
  close_window (window);
}

static void
test_arrows (void)
{
  LsWindow *window = open_window ();
  LsViewSession *session = window->session;
  guint step = ls_view_session_get_step (session);
  gtk_widget_grab_focus (find_widget (GTK_WIDGET (window), "prev-step"));
  input_key (GDK_KEY_Tab, GDK_SHIFT_MASK);
  g_assert_true (gtk_widget_is_ancestor (gtk_root_get_focus (GTK_ROOT (window)), pane_widget (window, "steps")));
  input_key (GDK_KEY_Down, 0);      /* from the current step, not from the first */
  wait_window (window);
  g_assert_cmpuint (ls_view_session_get_step (session), ==, step + 1);
  GtkWidget *row = gtk_root_get_focus (GTK_ROOT (window));
  g_assert_true (gtk_widget_is_ancestor (row, pane_widget (window, "steps")));
  input_key (GDK_KEY_Tab, 0);
  g_assert_false (gtk_widget_is_ancestor (gtk_root_get_focus (GTK_ROOT (window)), pane_widget (window, "steps")));
  input_key (GDK_KEY_Tab, GDK_SHIFT_MASK);
  g_assert_true (gtk_root_get_focus (GTK_ROOT (window)) == row);      /* back where it was */
  close_window (window);
}

int
main (int argc, char **argv)
{
  if (!fixture_begin (&argc, &argv))
    return 0;
  g_test_add_func ("/keys/tab", test_tab);
  g_test_add_func ("/keys/why-not-tab", test_why_not_tab);
  g_test_add_func ("/keys/arrows", test_arrows);
  g_test_add_func ("/keys/shortcuts", test_shortcuts);
  return fixture_end ();
}
