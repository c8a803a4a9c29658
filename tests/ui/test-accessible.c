/* The window as assistive technology sees it: what is on the accessibility bus, asked over plain D-Bus as a screen reader asks.
 *
 * Runs in a session bus of its own (dbus-run-session), whose accessibility bus at-spi2-core provides. The window is this process's own:
 * the questions are asked asynchronously, and GTK answers them from the same main loop.
 */
#include "fixture.h"
#include "graph/view/graph-view-private.h"

#include <string.h>

#define ACCESSIBLE "org.a11y.atspi.Accessible"

static GDBusConnection *bus;      /* the accessibility bus */

/* --- asking --- */

typedef struct { GVariant *answer; gboolean done; } Call;

static void
on_answer (GObject *source, GAsyncResult *result, gpointer data)
{
  Call *call = data;
  call->answer = g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result, NULL);
  call->done = TRUE;
}

/* NULL when there is no such thing any more. */
static GVariant *
ask (GDBusConnection *connection, const char *name, const char *path, const char *interface, const char *method, GVariant *parameters)
{
  Call call = { NULL, FALSE };
  g_dbus_connection_call (connection, name, path, interface, method, parameters, NULL, G_DBUS_CALL_FLAGS_NONE, 5000, NULL, on_answer,
                          &call);
  while (!call.done)
    g_main_context_iteration (NULL, TRUE);
  return call.answer;
}

typedef struct { char *name, *path; } Node;      /* where an accessible object is: bus name, object path */

static void
node_free (gpointer data)
{
  Node *node = data;
  g_free (node->name);
  g_free (node->path);
  g_free (node);
}

static GPtrArray *
children_of (const Node *node)
{
  GPtrArray *children = g_ptr_array_new_with_free_func (node_free);
  g_autoptr (GVariant) answer = ask (bus, node->name, node->path, ACCESSIBLE, "GetChildren", NULL);
  if (!answer)
    return children;
  g_autoptr (GVariantIter) iter = NULL;
  const char *name, *path;
  g_variant_get (answer, "(a(so))", &iter);
  while (g_variant_iter_next (iter, "(&s&o)", &name, &path)) {
    Node *child = g_new (Node, 1);
    *child = (Node) { g_strdup (name), g_strdup (path) };
    g_ptr_array_add (children, child);
  }
  return children;
}

static GVariant *
property_of (const Node *node, const char *interface, const char *property)
{
  g_autoptr (GVariant) answer = ask (bus, node->name, node->path, "org.freedesktop.DBus.Properties", "Get",
                                     g_variant_new ("(ss)", interface, property));
  GVariant *value = NULL;
  if (answer)
    g_variant_get (answer, "(v)", &value);
  return value;
}

static char *
name_of (const Node *node)
{
  g_autoptr (GVariant) value = property_of (node, ACCESSIBLE, "Name");
  return g_strdup (value ? g_variant_get_string (value, NULL) : "");
}

static char *
role_of (const Node *node)
{
  g_autoptr (GVariant) answer = ask (bus, node->name, node->path, ACCESSIBLE, "GetRoleName", NULL);
  const char *role = "";
  if (answer)
    g_variant_get (answer, "(&s)", &role);
  return g_strdup (role);
}

/* bits of AT-SPI's state set; "showing" GTK 4.8 says of windows only */
typedef enum { FOCUSABLE = 11, FOCUSED = 12, SELECTED = 23, SENSITIVE = 24, SHOWN = 30 } State;

static guint64
states_of (const Node *node)
{
  g_autoptr (GVariant) answer = ask (bus, node->name, node->path, ACCESSIBLE, "GetState", NULL);
  g_autoptr (GVariant) words = answer ? g_variant_get_child_value (answer, 0) : NULL;
  guint64 states = 0;
  for (guint i = 0; words && i < MIN (g_variant_n_children (words), 2); i++) {
    guint32 word;
    g_variant_get_child (words, i, "u", &word);
    states |= (guint64) word << 32 * i;
  }
  return states;
}

static gboolean
is_in_state (const Node *node, State state)
{
  return (states_of (node) >> state) & 1;
}

/* TRUE when it can have the focus now. */
static gboolean
is_reachable (const Node *node)
{
  guint64 states = states_of (node);
  return (states >> SHOWN) & (states >> SENSITIVE) & (states >> FOCUSABLE) & 1;
}

/* This program's own root. */
static Node *
application_node (void)
{
  const Node registry = { (char *) "org.a11y.atspi.Registry", (char *) "/org/a11y/atspi/accessible/root" };
  for (;;) {      /* it receives messages about this program */
    g_autoptr (GPtrArray) applications = children_of (&registry);
    if (applications->len > 0)
      return g_ptr_array_steal_index (applications, 0);
    settle ();
  }
}

typedef gboolean (*Visit) (const Node *node, guint depth, gpointer data);      /* FALSE: skip its children */

static void
walk (const Node *node, guint depth, Visit visit, gpointer data)
{
  if (!visit (node, depth, data))
    return;
  g_autoptr (GPtrArray) children = children_of (node);
  for (guint i = 0; i < children->len; i++)
    walk (children->pdata[i], depth + 1, visit, data);
}

typedef struct { const char *role, *name; Node *found; } Search;

static gboolean
find_visit (const Node *node, guint depth, gpointer data)
{
  Search *search = data;
  if (search->found || (depth > 1 && !is_in_state (node, SHOWN)))
    return FALSE;
  g_autofree char *role = role_of (node), *name = g_str_equal (role, search->role) && search->name ? name_of (node) : NULL;
  gboolean row = g_str_equal (role, "list item") || g_str_equal (role, "row");      /* what is looked for is not inside of one */
  if (g_str_equal (role, search->role) && (!search->name || strstr (name, search->name))) {
    search->found = g_new (Node, 1);
    *search->found = (Node) { g_strdup (node->name), g_strdup (node->path) };
  }
  return !row;
}

/* The visible node with that role, and with those words in its name unless NULL; or NULL. */
static Node *
find (const Node *root, const char *role, const char *name)
{
  Search search = { role, name, NULL };
  walk (root, 0, find_visit, &search);
  return search.found;
}

/* --- names --- */

/* GTK names a widget without its own name by its type. */
static gboolean
is_named (const char *name)
{
  return *name && !g_regex_match_simple ("^(Gtk|Adw|Ls)[A-Z][A-Za-z]+$", name, 0, 0);
}

typedef struct { GString *nameless; guint n; char *around[64]; } Names;

static gboolean
name_visit (const Node *node, guint depth, gpointer data)
{
  Names *names = data;
  if (depth > 1 && !is_in_state (node, SHOWN))
    return FALSE;
  g_autofree char *role = role_of (node), *name = name_of (node);
  g_assert_cmpuint (depth, <, G_N_ELEMENTS (names->around));
  g_free (names->around[depth]);
  names->around[depth] = g_strdup_printf ("%s \"%s\"", role, name);
  if (!is_reachable (node))
    return TRUE;
  names->n++;
  /* a scrolled window takes the focus for its child; a row is read by its cells, a label by its text */
  gboolean container = g_str_equal (role, "group") || g_str_equal (role, "row") || g_str_equal (role, "label");
  if (!container && !is_named (name)) {
    g_string_append (names->nameless, "\n ");
    for (guint i = depth > 4 ? depth - 4 : 0; i <= depth; i++)
      g_string_append_printf (names->nameless, " › %s", names->around[i]);
  }
  return !g_str_equal (role, "list item") && !g_str_equal (role, "row");
}

static gboolean
print_visit (const Node *node, guint depth, gpointer data)
{
  g_autofree char *role = role_of (node), *name = name_of (node);
  g_printerr ("%*s%s \"%s\"%s%s%s\n", (int) depth * 2, "", role, name, is_in_state (node, SHOWN) ? "" : " hidden",
              is_in_state (node, FOCUSABLE) ? " focusable" : "",
              is_in_state (node, SELECTED) ? " selected" : "");
  return depth <= 1 || is_in_state (node, SHOWN);
}

static void
assert_names (const Node *root, guint least)
{
  Names names = { g_string_new (NULL), 0, { NULL } };
  if (g_getenv ("LS_PRINT_TREE"))
    walk (root, 0, print_visit, NULL);
  walk (root, 0, name_visit, &names);
  if (names.nameless->len)
    g_error ("without a name:%s", names.nameless->str);
  g_assert_cmpuint (names.n, >=, least);
  g_string_free (names.nameless, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (names.around); i++)
    g_free (names.around[i]);
}

/* --- tests --- */

static void
test_names (void)
{
  LsWindow *window = open_start (1280, 800);
  Node *root = application_node ();
  assert_names (root, 6);
  node_free (root);
  close_window (window);
}

/* The graph's cursor says the current node in a sentence, and says another when one steps or walks. */
static void
test_cursor (void)
{
  LsWindow *window = open_at ("3/simplify#2/5");
  LsViewSession *session = window->session;
  GtkWidget *graph = GTK_WIDGET (ls_steps_view_get_graph (window->steps));
  g_autoptr (GPtrArray) said = g_ptr_array_new_with_free_func (g_free);
  Node *root = application_node ();
  gtk_widget_grab_focus (graph);
  guint32 start = ls_view_session_diff (session)->after->root->id;
  ls_view_session_select (session, LS_CHOSEN_IN_GRAPH, &start, 1);
  settle ();
  for (guint i = 0; i < 4; i++) {
    guint32 chosen = ls_view_session_get_selection (session);
    const LsUOp *u = ls_context_node (ls_view_session_get_trace (session)->ctx, chosen);
    g_assert_nonnull (u);
    Node *cursor = NULL;
    for (GtkWidget *child = gtk_widget_get_first_child (graph); child && !cursor; child = gtk_widget_get_next_sibling (child))
      if (gtk_widget_get_focusable (child)) {      /* it lies on its node */
        graphene_rect_t at, node;
        g_assert_true (gtk_widget_compute_bounds (child, graph, &at));
        g_assert_true (ls_graph_view_node_rect (LS_GRAPH_VIEW (graph), chosen, &node));
        graphene_point_t centre = GRAPHENE_POINT_INIT (node.origin.x + node.size.width / 2, node.origin.y + node.size.height / 2);
        g_assert_true (graphene_rect_contains_point (&at, &centre));
        cursor = find (root, "list item", ls_op_info (u->op)->name);
      }
    g_assert_nonnull (cursor);
    char *sentence = name_of (cursor);
    g_assert_cmpuint (strlen (sentence), >, strlen (ls_op_info (u->op)->name) + 8);
    for (guint k = 0; k < said->len; k++)
      g_assert_cmpstr (sentence, !=, said->pdata[k]);
    g_ptr_array_add (said, sentence);
    node_free (cursor);
    input_key (GDK_KEY_Up, 0);
    wait_window (window);
    if (ls_view_session_get_selection (session) == chosen)
      break;
  }
  g_assert_cmpuint (said->len, >=, 2);
  node_free (root);
  close_window (window);
}

/* The number of changes outside is announced, and no longer once they have been shown. */
static void
test_offscreen (void)
{
  LsWindow *window = open_at ("3/simplify#2/5");
  GtkWidget *graph = GTK_WIDGET (ls_steps_view_get_graph (window->steps));
  Node *root = application_node (), *cursor;
  gtk_widget_grab_focus (graph);
  for (guint i = 0; i < 30; i++)
    ls_graph_view_zoom_at (LS_GRAPH_VIEW (graph), 1.1, 0, 0);
  settle ();
  for (gboolean shown = FALSE; shown < 2; shown++) {
    LsOffscreen outside = ls_graph_view_offscreen (LS_GRAPH_VIEW (graph));
    g_autofree char *text = ls_offscreen_text (&outside);
    g_assert_true ((outside.n == 0) == shown);
    g_assert_nonnull ((cursor = find (root, "list item", "Graph of")));
    g_autoptr (GVariant) said = property_of (cursor, ACCESSIBLE, "Description");
    g_assert_true (shown ? !*g_variant_get_string (said, NULL) : g_str_has_prefix (g_variant_get_string (said, NULL), text));
    node_free (cursor);
    input_key (GDK_KEY_f, 0);
    wait_window (window);
  }
  node_free (root);
  close_window (window);
}

/* The slider tells step and rule in words; a step changes them. (The numbers are there too, but GTK 4.8 hands on those of its own
 * widgets only.) */
static void
test_slider (void)
{
  LsWindow *window = open_at ("3/simplify#2/5");
  Node *root = application_node (), *slider = find (root, "slider", "5");      /* the statements have one, too */
  g_assert_nonnull (slider);
  g_autofree char *five = name_of (slider);
  gtk_widget_grab_focus (GTK_WIDGET (ls_steps_view_get_graph (window->steps)));
  input_key (GDK_KEY_n, 0);
  wait_window (window);
  g_autofree char *six = name_of (slider);
  g_assert_nonnull (strstr (six, "6"));
  g_assert_cmpstr (five, !=, six);
  node_free (slider);
  node_free (root);
  close_window (window);
}

static guint
n_selected (const Node *list, char **words)
{
  g_autoptr (GPtrArray) rows = children_of (list);
  guint n = 0;
  for (guint i = 0; i < rows->len; i++)
    if (is_in_state (rows->pdata[i], SELECTED)) {
      n++;
      g_free (*words);
      *words = name_of (rows->pdata[i]);
    }
  return n;
}

/* Rows of lists have words; the current step's row is the selected one. */
static void
test_lists (void)
{
  LsWindow *window = open_at ("3/simplify#2/5");
  Node *root = application_node ();
  static const char *const lists[] = { "UOps", "simplify#2" };
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++) {
    Node *list = find (root, "list", lists[i]);
    if (!list)
      g_error ("there is no list named %s", lists[i]);
    g_autoptr (GPtrArray) rows = children_of (list);
    guint shown = 0;
    for (guint k = 0; k < rows->len; k++) {
      if (!is_in_state (rows->pdata[k], SHOWN))
        continue;
      shown++;
      g_autofree char *name = name_of (rows->pdata[k]);
      g_assert_true (is_named (name));
    }
    g_assert_cmpuint (shown, >, 3);
    node_free (list);
  }
  Node *steps = find (root, "list", "simplify#2");
  g_autofree char *row = NULL, *next = NULL;
  g_assert_cmpuint (n_selected (steps, &row), ==, 1);
  g_assert_nonnull (strstr (row, "5"));
  gtk_widget_grab_focus (GTK_WIDGET (ls_steps_view_get_graph (window->steps)));
  input_key (GDK_KEY_n, 0);
  wait_window (window);
  g_assert_cmpuint (n_selected (steps, &next), ==, 1);
  g_assert_cmpstr (row, !=, next);
  node_free (steps);
  node_free (root);
  close_window (window);
}

/* The tab of a list of tabs that is selected; all of them have names. */
static char *
selected_tab (const Node *root, const char *list, guint least)
{
  Node *tabs = find (root, "tab list", list);
  if (!tabs)
    g_error ("there is no list of tabs named %s", list);
  g_autoptr (GPtrArray) all = children_of (tabs);
  char *selected = NULL;
  g_assert_cmpuint (all->len, >=, least);
  for (guint i = 0; i < all->len; i++) {
    g_autofree char *name = name_of (all->pdata[i]), *role = role_of (all->pdata[i]);
    g_assert_cmpstr (role, ==, "tab");
    g_assert_true (is_named (name));
    if (!is_in_state (all->pdata[i], SELECTED))
      continue;
    g_assert_null (selected);
    selected = g_steal_pointer (&name);
  }
  g_assert_nonnull (selected);
  node_free (tabs);
  return selected;
}

/* Which workspace, picture and pane is shown: a tab each, whose selected state follows the keys. */
static void
test_tabs (void)
{
  static const struct { const char *list; guint least; const char *first; guint key; GdkModifierType modifiers; const char *second;
                        } tabs[] = {
    { "Pages", 2, "Kernels", GDK_KEY_t, 0, "Repeats" }, { "Drawer", 5, "Timing", GDK_KEY_t, 0, "Inspect" },
    { "Picture", 2, "Graph", GDK_KEY_s, 0, "Schedule" }, { "Workspace", 2, "Steps", GDK_KEY_1, GDK_CONTROL_MASK, "Program" },
  };
  LsWindow *window = open_at ("3/simplify#2/5");
  Node *root = application_node ();
  gtk_widget_grab_focus (GTK_WIDGET (ls_steps_view_get_graph (window->steps)));
  for (gsize i = 0; i < G_N_ELEMENTS (tabs); i++) {
    g_autofree char *first = selected_tab (root, tabs[i].list, tabs[i].least);
    g_assert_cmpstr (first, ==, tabs[i].first);
    g_autofree char *second = NULL;
    /* t goes through a group's pages before it goes to the next group */
    for (guint k = 0; k < 4 && (k == 0 || g_str_equal (second, first)); k++) {
      input_key (tabs[i].key, tabs[i].modifiers);
      wait_until (is_idle, window);
      settle ();
      g_free (second);
      second = selected_tab (root, tabs[i].list, tabs[i].least);
    }
    g_assert_cmpstr (second, ==, tabs[i].second);
  }
  node_free (root);
  close_window (window);
}

/* --- */

static gboolean
connect_bus (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDBusConnection) session = g_bus_get_sync (G_BUS_TYPE_SESSION, NULL, NULL);
  g_autoptr (GVariant) answer = session ? g_dbus_connection_call_sync (session, "org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus",
                                                                       "GetAddress", NULL, NULL, 0, 5000, NULL, NULL) : NULL;
  if (!answer)
    return FALSE;
  const char *address;
  g_variant_get (answer, "(&s)", &address);
  bus = g_dbus_connection_new_for_address_sync (address, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
                                                G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION, NULL, NULL, &error);
  return bus != NULL;
}

int
main (int argc, char **argv)
{
  fixture_init (&argc, &argv);
  g_unsetenv ("GTK_A11Y");
  if (!connect_bus ()) {
    g_print ("1..0 # SKIP no accessibility bus: install at-spi2-core and dbus-daemon, run in dbus-run-session\n");
    return 0;
  }
  if (!fixture_show ()) {
    g_print ("1..0 # SKIP no X display to show a window on: install xvfb\n");
    return 0;
  }
  g_application_hold (G_APPLICATION (app));
  g_test_add_func ("/accessible/names", test_names);
  g_test_add_func ("/accessible/cursor", test_cursor);
  g_test_add_func ("/accessible/outside", test_offscreen);
  g_test_add_func ("/accessible/slider", test_slider);
  g_test_add_func ("/accessible/lists", test_lists);
  g_test_add_func ("/accessible/tabs", test_tabs);
  return fixture_end ();
}
