/* Shared by window tests. See fixture.h. */
#include "fixture.h"
#include "gtk-faults.h"
#include "kit/heat-map.h"
#include "kit/state.h"

LsApplication *app;
char *folder, *recording;

gboolean
is_shown (gpointer window)
{
  return g_str_equal (ls_window_get_page (window), "steps") && ls_window_is_idle (window);
}

gboolean
is_idle (gpointer window)
{
  return ls_window_is_idle (window);
}

void
wait_window (LsWindow *window)
{
  g_assert_true (wait_until (is_shown, window));
  settle ();
}

LsWindow *
open_start (int width, int height)
{
  ls_state_forget ("window");      /* what the windows before have left */
  LsWindow *window = ls_window_new (GTK_APPLICATION (app));
  gtk_window_set_default_size (GTK_WINDOW (window), width, height);
  ls_window_show_start (window);
  gtk_window_present (GTK_WINDOW (window));
  settle ();
  input_focus (GTK_WINDOW (window));
  return window;
}

LsWindow *
open_recording (const char *path, const char *position, int width, int height)
{
  LsWindow *window = open_start (width, height);
  g_autofree char *link = g_strconcat (path, "#", position, NULL);
  ls_window_open (window, link);
  wait_window (window);
  return window;
}

LsWindow *
open_at (const char *position)
{
  return open_recording (fixture_matmul (), position, 1600, 1000);
}

void
close_window (LsWindow *window)
{
  wait_until (is_idle, window);
  ls_program_view_set_modified (window->program, FALSE);      /* no question about what a test has typed */
  gtk_window_close (GTK_WINDOW (window));
  settle ();
}

GtkWidget *
find_map (GtkWidget *widget)
{
  GtkWidget *found = LS_IS_HEAT_MAP (widget) && gtk_widget_get_mapped (widget) ? widget : NULL;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child && !found; child = gtk_widget_get_next_sibling (child))
    found = find_map (child);
  return found;
}

const char *
find_cut_part (LsWindow *window)
{
  static const char *const parts[] = { "step-sentence", "rule-text", "rule-sentence", "rule-guards", "rule-bindings" };
  GtkWidget *card = find_widget (GTK_WIDGET (window), "rule-card");
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
    GtkLabel *label = GTK_LABEL (find_widget (card, parts[i]));
    if (*gtk_label_get_text (label) && (!gtk_widget_get_mapped (GTK_WIDGET (label)) ||
                                        pango_layout_is_ellipsized (gtk_label_get_layout (label))))
      return parts[i];
  }
  return NULL;
}

void
assert_at (LsWindow *window, const char *expected)
{
  settle ();
  g_autofree char *link = ls_view_session_get_link (window->session);
  g_assert_cmpstr (link, ==, expected);
}

char *
fixture_record (const char *program)
{
  return fixture_record_in (g_getenv ("LAZYSCOPE_PROGRAMS"), program);
}

char *
fixture_record_in (const char *programs, const char *program)
{
  char *path = g_strdup_printf ("%s/%s.lscope", folder, program);
  if (g_file_test (path, G_FILE_TEST_EXISTS))
    return path;
  g_autofree char *source = g_strdup_printf ("%s/%s.py", programs, program), *out = NULL;
  gboolean matmul = g_str_equal (program, "matmul");      /* what tests look at in it is of these options, whatever the heuristic chooses */
  const char *argv[] = { g_getenv ("LAZYSCOPE_CLI"), "run", source, "--record", path, matmul ? "--variant" : NULL,
                         "opt=UPCAST:1:4,opt=UPCAST:0:4", NULL };
  g_autoptr (GError) error = NULL;
  int status = 0;
  g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &out, NULL, &status, &error);
  g_assert_no_error (error);
  g_assert_cmpint (status, ==, 0);
  return path;
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

GPtrArray *
fixture_programs (const char *folder_of_programs)
{
  g_autoptr (GDir) dir = g_dir_open (folder_of_programs, 0, NULL);
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  g_assert_nonnull (dir);
  for (const char *name; (name = g_dir_read_name (dir)); )
    if (g_str_has_suffix (name, ".py"))
      g_ptr_array_add (names, g_strndup (name, strlen (name) - strlen (".py")));
  g_ptr_array_sort (names, compare_names);
  return names;
}

const char *
fixture_matmul (void)
{
  if (!recording)
    recording = fixture_record ("matmul");
  return recording;
}

/* A warning ends a test, but for those that are GTK's own. GTK writes structured messages, which g_test_log_set_fatal_handler does not
 * receive. */
static GLogWriterOutput
on_message (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  for (gsize i = 0; i < n_fields; i++) {
    if (!g_str_equal (fields[i].key, "MESSAGE"))
      continue;
    if (gtk_fault_is_known (fields[i].value))
      return G_LOG_WRITER_HANDLED;
    for (GtkWidget *widget = gtk_fault_widget (fields[i].value); widget; widget = gtk_widget_get_parent (widget))
      g_printerr ("%s \"%s\"%s", G_OBJECT_TYPE_NAME (widget), widget_called (widget),
                  gtk_widget_get_parent (widget) ? " in " : ":\n");
  }
  return g_log_writer_default (level, fields, n_fields, data);
}

void
fixture_init (int *argc, char ***argv)
{
  folder = g_dir_make_tmp ("lazyscope-test-XXXXXX", NULL);
  g_autofree char *state = g_build_filename (folder, "state", NULL);
  g_setenv ("XDG_STATE_HOME", state, TRUE);
  g_test_init (argc, argv, NULL);
  g_log_set_writer_func (on_message, NULL, NULL);
}

gboolean
fixture_show (void)
{
  if (!gtk_init_check () || !input_init ())
    return FALSE;
  adw_init ();
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE, "gtk-cursor-blink", FALSE, NULL);
  app = ls_application_new (&(LsScreenshot) { NULL });
  g_application_set_flags (G_APPLICATION (app), G_APPLICATION_NON_UNIQUE | G_APPLICATION_HANDLES_COMMAND_LINE);
  g_assert_true (g_application_register (G_APPLICATION (app), NULL, NULL));
  return TRUE;
}

gboolean
fixture_begin (int *argc, char ***argv)
{
  fixture_init (argc, argv);
  if (!fixture_show ()) {
    g_print ("1..0 # SKIP no X display to show a window on: install xvfb\n");
    return FALSE;
  }
  return TRUE;
}

void
fixture_remove (const char *path)
{
  const char *remove[] = { "rm", "-rf", path, NULL };
  g_spawn_sync (NULL, (char **) remove, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
}

int
fixture_end (void)
{
  int status = g_test_run ();
  fixture_remove (folder);
  return status;
}
