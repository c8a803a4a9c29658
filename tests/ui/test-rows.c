/* A new pane and a new workspace: each is a row and a file, as HACKING.md shows. This program is built with a row more in both tables. */
#include "fixture.h"
#include "panes/panes.h"
#include "workspaces/workspaces.h"

/* --- a pane: where the session is --- */

typedef struct { LsViewSession *session; guint n_changes; } Position;

static Position position;      /* of the last one that was made */

GtkWidget *
ls_position_pane_new (LsViewSession *session)
{
  position = (Position) { session };
  return g_object_new (GTK_TYPE_LABEL, "name", "position", NULL);
}

void
ls_position_pane_changed (gpointer pane, LsWatch what)
{
  g_autofree char *text = g_strdup_printf ("step %u", ls_view_session_get_step (position.session));
  g_assert_cmpint (what, ==, LS_WATCH_POSITION);
  position.n_changes++;
  gtk_label_set_text (pane, text);
}

/* --- a workspace that can be busy --- */

typedef struct { GtkBox parent_instance; gboolean busy; guint n_shown; } Notes;
typedef struct { GtkBoxClass parent_class; } NotesClass;

G_DEFINE_FINAL_TYPE (Notes, notes, GTK_TYPE_BOX)

static void
notes_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_set_boolean (value, ((Notes *) object)->busy);
}

static void
notes_class_init (NotesClass *class)
{
  G_OBJECT_CLASS (class)->get_property = notes_get_property;
  g_object_class_install_property (G_OBJECT_CLASS (class), 1, g_param_spec_boolean ("busy", NULL, NULL, FALSE, G_PARAM_READABLE));
}

static void
notes_init (Notes *self)
{
}

void
notes_show (GtkWidget *workspace, LsViewSession *session)
{
  g_assert_true (LS_IS_VIEW_SESSION (session));
  ((Notes *) workspace)->n_shown++;
}

/* --- tests --- */

static const char *
label_text (LsWindow *window)
{
  return gtk_label_get_text (GTK_LABEL (find_widget (GTK_WIDGET (window), "position")));
}

/* It has a button in its group, gets the changes that its row watches, and is restored in the next window. */
static void
test_pane (void)
{
  LsWindow *window = open_recording (fixture_matmul (), "3/simplify#2/5", 1280, 800);
  LsStepsView *steps = window->steps;
  g_assert_cmpstr (label_text (window), ==, "step 5");
  input_click (find_widget (GTK_WIDGET (window), "group-position"));
  settle ();
  g_assert_cmpstr (ls_steps_view_get_table (steps), ==, "position");
  g_assert_true (gtk_widget_get_mapped (find_widget (GTK_WIDGET (window), "position")));
  guint before = position.n_changes;
  gtk_widget_grab_focus (GTK_WIDGET (ls_steps_view_get_graph (steps)));
  input_key (GDK_KEY_n, 0);
  wait_window (window);
  g_assert_cmpstr (label_text (window), ==, "step 6");
  g_assert_cmpuint (position.n_changes, ==, before + 1);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.table", "s", "timing");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.table", "s", "position");
  g_assert_true (ls_steps_view_get_pane (steps, "position") == find_widget (GTK_WIDGET (window), "position"));
  close_window (window);
  window = ls_window_new (GTK_APPLICATION (app));      /* as the last one was left */
  gtk_window_present (GTK_WINDOW (window));
  g_autofree char *link = g_strconcat (fixture_matmul (), "#3/simplify#2/5", NULL);
  ls_window_open (window, link);
  wait_window (window);
  g_assert_cmpstr (ls_steps_view_get_table (window->steps), ==, "position");
  g_assert_true (gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (find_widget (GTK_WIDGET (window), "page-position"))));
  g_assert_true (gtk_widget_get_mapped (find_widget (GTK_WIDGET (window), "position")));
  close_window (window);
}

/* Every row can be found by its name, which no other has, and is shown in its group. */
static void
test_every_pane (void)
{
  LsWindow *window = open_recording (fixture_matmul (), "3/simplify#2/5", 1280, 800);
  LsStepsView *steps = window->steps;
  g_assert_cmpuint (ls_n_panes, >, 18);
  for (guint i = 0; i < ls_n_panes; i++) {
    g_assert_true (ls_pane_find (ls_panes[i].name) == &ls_panes[i]);
    ls_steps_view_show_table (steps, ls_panes[i].name);
    settle ();
    g_assert_cmpstr (ls_steps_view_get_table (steps), ==, ls_panes[i].name);
    g_assert_true (gtk_widget_get_mapped (ls_steps_view_get_pane (steps, ls_panes[i].name)));
  }
  g_assert_null (ls_pane_find ("nonsense"));
  close_window (window);
}

/* It has the next key and a name in the switcher, is notified when it is shown, and the window waits for it; steps are not stepped
 * there. */
static void
test_workspace (void)
{
  LsWindow *window = open_recording (fixture_matmul (), "3/simplify#2/5", 1280, 800);
  input_key (GDK_KEY_4, GDK_CONTROL_MASK);
  wait_until (is_idle, window);
  g_assert_cmpstr (ls_window_get_page (window), ==, "notes");
  GtkStack *stack = GTK_STACK (gtk_widget_get_ancestor (GTK_WIDGET (window->steps), GTK_TYPE_STACK));
  Notes *notes = (Notes *) gtk_stack_get_visible_child (stack);
  g_assert_cmpstr (gtk_stack_page_get_title (gtk_stack_get_page (stack, GTK_WIDGET (notes))), ==, "Notes");
  g_assert_cmpuint (notes->n_shown, >, 0);
  input_key (GDK_KEY_n, 0);
  settle ();
  g_assert_cmpuint (ls_view_session_get_step (window->session), ==, 5);
  notes->busy = TRUE;
  g_assert_false (ls_window_is_idle (window));
  notes->busy = FALSE;
  g_object_notify (G_OBJECT (notes), "busy");
  wait_until (is_idle, window);
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), "win.workspace", "s", "steps"));
  wait_window (window);
  g_assert_cmpstr (ls_window_get_page (window), ==, "steps");
  close_window (window);
}

int
main (int argc, char **argv)
{
  if (!fixture_begin (&argc, &argv))
    return 0;
  g_test_add_func ("/rows/pane", test_pane);
  g_test_add_func ("/rows/every-pane", test_every_pane);
  g_test_add_func ("/rows/workspace", test_workspace);
  return fixture_end ();
}
