/* The state that the window keeps between runs, in separate runs: this program starts itself as each of them, on a state file that it
 * has written or that the run before has left. */
#include "fixture.h"
#include "kit/scale.h"
#include "kit/state.h"
#include "session/node-filter.h"

#include <glib/gstdio.h>
#include <string.h>

typedef struct { const char *name; void (*run) (void); } Run;

static char *
state_file (const char *home)
{
  g_autofree char *inside = g_build_filename (home, "lazyscope", NULL);
  g_mkdir_with_parents (inside, 0700);
  return g_build_filename (inside, "state.ini", NULL);
}

static GtkWidget *
find_by_id (GtkWidget *root, const char *id)
{
  if (g_strcmp0 (gtk_buildable_get_buildable_id (GTK_BUILDABLE (root)), id) == 0)
    return root;
  GtkWidget *found = NULL;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child && !found; child = gtk_widget_get_next_sibling (child))
    found = find_by_id (child, id);
  return found;
}

static int
split (LsWindow *window, const char *id)
{
  return gtk_paned_get_position (GTK_PANED (find_by_id (GTK_WIDGET (window), id)));
}

static LsWindow *
plain_window (void)
{
  LsWindow *window = ls_window_new (GTK_APPLICATION (app));
  ls_window_show_start (window);
  gtk_window_present (GTK_WINDOW (window));
  settle ();
  input_focus (GTK_WINDOW (window));
  return window;
}

static void
assert_size (LsWindow *window, int width, int height)
{
  int w, h;
  gtk_window_get_default_size (GTK_WINDOW (window), &w, &h);
  g_assert_cmpint (w, ==, width);
  g_assert_cmpint (h, ==, height);
}

/* --- runs --- */

static gboolean
is_open (gpointer window)
{
  return ls_view_session_get_trace (LS_WINDOW (window)->session) && ls_window_is_idle (window);
}

/* As left.ini says, and back into it what is made of it. */
static void
run_restored (void)
{
  LsWindow *window = plain_window ();
  assert_size (window, 1500, 940);
  g_assert_cmpint (ls_scale_get (), ==, 110);
  GtkListBox *recent = GTK_LIST_BOX (find_widget (GTK_WIDGET (window), "recent"));
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (recent)));
  g_assert_nonnull (gtk_list_box_get_row_at_index (recent, 0));
  g_assert_null (gtk_list_box_get_row_at_index (recent, 1));      /* the other file is gone */
  g_autofree char *path = fixture_record ("add_ints");
  ls_window_open (window, path);
  g_assert_true (wait_until (is_open, window));
  settle ();
  g_assert_cmpstr (ls_window_get_page (window), ==, "program");
  g_assert_false (ls_steps_view_get_sidebar (window->steps));
  g_assert_cmpstr (ls_steps_view_get_table (window->steps), ==, "shapes");
  g_assert_cmpuint (ls_view_session_get_hidden (window->session), ==, LS_HIDE_CONSTANTS);
  ls_view_session_set_hidden (window->session, LS_HIDE_INDEX);
  input_key (GDK_KEY_2, GDK_CONTROL_MASK);
  settle ();
  g_assert_cmpstr (ls_window_get_page (window), ==, "steps");
  g_assert_cmpint (gtk_widget_get_width (find_widget (GTK_WIDGET (window), "texts")), ==, 460);
  g_assert_cmpint (gtk_widget_get_height (find_widget (GTK_WIDGET (window), "drawer")), >, 185);
  input_key (GDK_KEY_F9, 0);
  settle ();
  g_assert_true (ls_steps_view_get_sidebar (window->steps));
  g_assert_cmpint (split (window, "outer"), ==, 260);
  g_assert_cmpint (split (window, "side"), ==, 300);
  GtkWidget *handle = gtk_widget_get_next_sibling (gtk_paned_get_start_child (GTK_PANED (find_by_id (GTK_WIDGET (window), "outer"))));
  static const int way[] = { 2, 2, 12, 22 };      /* drawn to 280 */
  for (gsize i = 0; i < G_N_ELEMENTS (way); i++) {
    input_move (handle, way[i], 200);
    settle ();
    if (i == 0)
      input_button (1, TRUE);
    settle ();
  }
  input_button (1, FALSE);
  settle ();
  int drawn = split (window, "outer");
  g_assert_cmpint (drawn, >, 262);
  g_assert_cmpint (ls_state_get_int ("splits", "side", 0), ==, drawn);
  ls_steps_view_show_table (window->steps, "timing");
  settle ();
  close_window (window);
}

/* As the run before has left it; a second recording in the same window, and a link, go to the steps. */
static void
run_again (void)
{
  LsWindow *window = plain_window ();
  g_autofree char *path = fixture_record ("add_ints");
  ls_window_open (window, path);
  wait_window (window);
  g_assert_true (ls_steps_view_get_sidebar (window->steps));
  g_assert_cmpint (split (window, "outer"), >, 262);      /* it was 260 */
  g_assert_cmpstr (ls_steps_view_get_table (window->steps), ==, "timing");
  g_assert_cmpuint (ls_view_session_get_hidden (window->session), ==, LS_HIDE_INDEX);
  close_window (window);
}

static void
run_link (void)
{
  LsWindow *window = plain_window ();
  g_autofree char *path = fixture_record ("add_ints"), *link = g_strconcat (path, "#1/ast/1", NULL);
  ls_window_open (window, link);
  wait_window (window);      /* a place was asked for: that is shown, not the workspace that was left */
  close_window (window);
}

static void
run_maximized (void)
{
  LsWindow *window = ls_window_new (GTK_APPLICATION (app));
  assert_size (window, 1500, 940);      /* what it goes back to */
  gtk_window_present (GTK_WINDOW (window));
  settle ();
  g_assert_true (gtk_window_is_maximized (GTK_WINDOW (window)));
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
run_defaults (void)
{
  LsWindow *window = plain_window ();
  assert_size (window, 1440, 900);
  g_assert_cmpint (ls_scale_get (), ==, LS_SCALE_NORMAL);
  g_assert_true (ls_steps_view_get_sidebar (window->steps));
  g_assert_false (gtk_widget_get_mapped (find_widget (GTK_WIDGET (window), "recent")));
  g_autofree char *path = fixture_record ("add_ints");
  ls_window_open (window, path);
  wait_window (window);
  g_assert_cmpint (split (window, "outer"), ==, 204);
  close_window (window);
}

static const Run runs[] = { { "restored", run_restored }, { "again", run_again }, { "link", run_link }, { "maximized", run_maximized },
                            { "defaults", run_defaults } };

/* --- their tests --- */

/* Starts a run, which must end well and say nothing on stderr. */
static void
start (const char *name, const char *home)
{
  g_auto (GStrv) environment = g_environ_setenv (g_environ_setenv (g_get_environ (), "LS_RUN", name, TRUE), "LS_RUN_STATE", home, TRUE);
  g_autofree char *here = g_file_read_link ("/proc/self/exe", NULL), *out = NULL, *err = NULL;
  const char *argv[] = { here, "--tap", NULL };
  g_autoptr (GError) error = NULL;
  int status = -1;
  g_spawn_sync (NULL, (char **) argv, environment, G_SPAWN_DEFAULT, NULL, NULL, &out, &err, &status, &error);
  g_assert_no_error (error);
  if (status != 0)
    g_error ("the run %s failed:\n%s%s", name, out, err);
  g_assert_cmpstr (err, ==, "");
}

static char *
home_with (const char *text, gssize length)
{
  g_autofree char *name = g_dir_make_tmp ("lazyscope-state-XXXXXX", NULL), *file = state_file (name);
  if (text)
    g_assert_true (g_file_set_contents (file, text, length, NULL));
  return g_steal_pointer (&name);
}

static void
remove_home (char *home)
{
  fixture_remove (home);
  g_free (home);
}

#define LEFT "[window]\nwidth=1500\nheight=940\nmaximized=%d\nsidebar=0\nprogram-workspace=1\ntable=shapes;\nhidden=2\nscale=110\n" \
             "[splits]\nside=260\ntexts=460\nlisting=360\ndrawer=190\npipeline=300\n[recent]\nfiles=%s;/nowhere/gone.py;\n"

static void
test_restored (void)
{
  g_autofree char *file = g_build_filename (g_getenv ("LAZYSCOPE_PROGRAMS"), "softmax.py", NULL), *text = g_strdup_printf (LEFT, 0, file);
  char *home = home_with (text, -1), *other = home_with (text, -1);
  start ("link", other);
  remove_home (other);
  start ("restored", home);
  start ("again", home);
  g_autoptr (GKeyFile) state = g_key_file_new ();
  g_autofree char *path = state_file (home);
  g_assert_true (g_key_file_load_from_file (state, path, G_KEY_FILE_NONE, NULL));
  gsize n;
  g_auto (GStrv) files = g_key_file_get_string_list (state, "recent", "files", &n, NULL);
  g_assert_cmpuint (n, >=, 2);
  g_assert_true (g_str_has_suffix (files[0], "add_ints.lscope"));      /* the latest first */
  remove_home (home);
}

static void
test_maximized (void)
{
  g_autofree char *text = g_strdup_printf (LEFT, 1, "");
  char *home = home_with (text, -1);
  start ("maximized", home);
  remove_home (home);
}

/* Nothing there, noise, half a file, values that make no sense, a file that cannot be written: the defaults, and not a word. */
static void
test_corrupt (void)
{
  static const struct { const char *text; gssize length; } files[] = {
    { NULL, 0 }, { "", 0 }, { "\0\1\2[window]\nwidth", 16 }, { "[window]\nwidth=1500\nheight=940\nthis is not a key file\n", -1 },
    { "[window]\nwidth=-7\nheight=99999999\nmaximized=maybe\nsidebar=12\nhidden=8\nscale=words\ntable=no "
      "such;\n[recent]\nfiles=\xff\xfe;\n[splits]\nside=-3\n", -1 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (files); i++) {
    char *home = home_with (files[i].text, files[i].length);
    start ("defaults", home);
    remove_home (home);
  }
  char *home = home_with (NULL, 0);
  g_autofree char *file = state_file (home);
  g_assert_cmpint (g_mkdir (file, 0700), ==, 0);      /* a folder in its place */
  start ("defaults", home);
  remove_home (home);
}

static int
run_one (const char *name)
{
  g_setenv ("XDG_STATE_HOME", g_getenv ("LS_RUN_STATE"), TRUE);
  if (!fixture_show ())
    return 1;
  for (gsize i = 0; i < G_N_ELEMENTS (runs); i++)
    if (g_str_equal (runs[i].name, name))
      runs[i].run ();
  fixture_remove (folder);
  return 0;
}

int
main (int argc, char **argv)
{
  const char *name = g_getenv ("LS_RUN");
  fixture_init (&argc, &argv);
  if (name)
    return run_one (name);
  if (!fixture_show ()) {
    g_print ("1..0 # SKIP no X display to show a window on: install xvfb\n");
    return 0;
  }
  g_test_add_func ("/state/restored", test_restored);
  g_test_add_func ("/state/maximized", test_maximized);
  g_test_add_func ("/state/corrupt", test_corrupt);
  return fixture_end ();
}
