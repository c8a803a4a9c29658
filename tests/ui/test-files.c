/* Files written from the window: programs, recordings, graphs, by a thread; and unsaved changes are not dropped without a question. */
#include "kit/disk.h"
#include "fixture.h"
#include "window/window-private.h"

#include <glib/gstdio.h>
#include <string.h>

static const char PROGRAM[] = "from tinygrad import Tensor\nprint((Tensor([1, 2, 3]) + 1).tolist())\n";

/* A program of its own in the editor, with an x typed before it. */
static LsWindow *
open_edited (const char *name, char **path)
{
  *path = g_build_filename (folder, name, NULL);
  g_assert_true (g_file_set_contents (*path, PROGRAM, -1, NULL));
  LsWindow *window = open_start (1280, 800);
  ls_window_open (window, *path);
  wait_window (window);
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), "win.workspace", "s", "program"));
  ls_program_view_focus_editor (window->program);
  settle ();
  input_key (GDK_KEY_Home, GDK_CONTROL_MASK);
  input_text ("#");
  g_assert_true (ls_program_view_get_modified (window->program));
  g_assert_true (g_str_has_prefix (adw_window_title_get_title (window->title), "•"));
  return window;
}

static gboolean
is_written (const char *path, const char *text)
{
  g_autofree char *content = NULL;
  return g_file_get_contents (path, &content, NULL, NULL) && g_str_equal (content, text);
}

static AdwMessageDialog *
question (void)
{
  GListModel *all = gtk_window_get_toplevels ();
  for (guint i = 0; i < g_list_model_get_n_items (all); i++) {
    g_autoptr (GtkWindow) window = g_list_model_get_item (all, i);
    if (ADW_IS_MESSAGE_DIALOG (window) && gtk_widget_get_mapped (GTK_WIDGET (window)))
      return ADW_MESSAGE_DIALOG (window);
  }
  return NULL;
}

static gboolean
is_asked (gpointer unused)
{
  return question () != NULL;
}

static gboolean
is_not_asked (gpointer unused)
{
  return question () == NULL;
}

static gboolean
is_gone (gpointer window)
{
  return *(LsWindow **) window == NULL;
}

static GtkWidget *
find_button (GtkWidget *root, const char *label)
{
  if (GTK_IS_BUTTON (root) && g_strcmp0 (gtk_button_get_label (GTK_BUTTON (root)), label) == 0)
    return root;
  GtkWidget *found = NULL;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child && !found; child = gtk_widget_get_next_sibling (child))
    found = find_button (child, label);
  return found;
}

static void
answer (const char *label)
{
  g_assert_true (wait_until (is_asked, NULL));
  settle ();
  input_click (find_button (GTK_WIDGET (question ()), label));
  g_assert_true (wait_until (is_not_asked, NULL));
  settle ();
}

static void
test_save (void)
{
  g_autofree char *path = NULL;
  LsWindow *window = open_edited ("save.py", &path);
  input_key (GDK_KEY_s, GDK_CONTROL_MASK);
  g_assert_true (wait_until (is_idle, window));
  g_autofree char *text = g_strconcat ("#", PROGRAM, NULL);
  g_assert_true (is_written (path, text));
  g_assert_false (ls_program_view_get_modified (window->program));
  g_assert_cmpstr (adw_window_title_get_title (window->title), ==, "save.py");
  /* what is typed while it is written is not taken for saved */
  input_text ("#");
  GtkTextBuffer *editor = gtk_text_view_get_buffer (GTK_TEXT_VIEW (gtk_window_get_focus (GTK_WINDOW (window))));
  ls_window_save_program (window, path);
  gtk_text_buffer_insert_at_cursor (editor, "#", -1);      /* no turn of the main loop between */
  g_assert_true (wait_until (is_idle, window));
  g_assert_false (is_written (path, text));
  g_assert_true (ls_program_view_get_modified (window->program));
  /* and a text that cannot be written stays */
  g_autofree char *nowhere = g_build_filename (folder, "nowhere", "save.py", NULL);
  ls_window_save_program (window, nowhere);
  g_assert_true (wait_until (is_idle, window));
  g_assert_nonnull (strstr (ls_notices_get_said (window->notices), "nowhere"));
  g_assert_cmpstr (window->path, ==, path);
  g_assert_true (ls_program_view_get_modified (window->program));
  close_window (window);
}

static void
test_close (void)
{
  g_autofree char *path = NULL, *text = g_strconcat ("#", PROGRAM, NULL);
  LsWindow *window = open_edited ("close.py", &path);
  g_object_add_weak_pointer (G_OBJECT (window), (gpointer *) &window);
  gtk_window_close (GTK_WINDOW (window));
  gtk_window_close (GTK_WINDOW (window));      /* one question */
  g_assert_true (wait_until (is_asked, NULL));
  input_focus (GTK_WINDOW (question ()));
  input_key (GDK_KEY_Escape, 0);
  g_assert_true (wait_until (is_not_asked, NULL));
  g_assert_nonnull (window);
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (window)));
  g_assert_true (is_written (path, PROGRAM));
  gtk_window_close (GTK_WINDOW (window));
  answer ("_Save");
  g_assert_true (wait_until (is_gone, &window));
  g_assert_true (is_written (path, text));

  window = open_edited ("close.py", &path);
  g_object_add_weak_pointer (G_OBJECT (window), (gpointer *) &window);
  gtk_window_close (GTK_WINDOW (window));
  answer ("_Discard");
  g_assert_true (wait_until (is_gone, &window));
  g_assert_true (is_written (path, PROGRAM));
}

/* Of a window that is closed while its program is read, the program is not run: nothing would end it. */
static void
test_closed_early (void)
{
  g_autofree char *path = NULL;
  LsWindow *window = open_edited ("endless.py", &path);
  g_assert_true (g_file_set_contents (path, "while True:\n  pass\n", -1, NULL));
  ls_program_view_set_modified (window->program, FALSE);
  g_object_add_weak_pointer (G_OBJECT (window), (gpointer *) &window);
  ls_window_open (window, path);
  gtk_window_close (GTK_WINDOW (window));
  g_assert_true (wait_until (is_gone, &window));
}

static void
test_open (void)
{
  g_autofree char *path = NULL, *text = g_strconcat ("#", PROGRAM, NULL);
  LsWindow *window = open_edited ("open.py", &path);
  ls_window_open (window, fixture_matmul ());
  answer ("_Cancel");
  g_autofree char *still = ls_program_view_dup_text (window->program);
  g_assert_cmpstr (still, ==, text);
  ls_window_open (window, fixture_matmul ());
  answer ("_Discard");
  wait_window (window);
  g_assert_cmpstr (window->path, ==, fixture_matmul ());
  g_assert_true (is_written (path, PROGRAM));
  close_window (window);
}

/* While it is written the recording is looked at on. */
static void
test_recording (void)
{
  LsWindow *window = open_at ("3/simplify#2/20");
  LsTrace *trace = ls_view_session_get_trace (window->session);
  guint n_kept = ls_context_n_nodes (trace->ctx);
  g_autofree char *path = g_build_filename (folder, "saved.lscope", NULL);
  ls_window_save_recording (window, path);
  g_assert_cmpint (window->saving, ==, 1);
  for (int i = 0; i < 10; i++) {
    ls_view_session_next_step (window->session);
    settle ();
  }
  g_assert_true (wait_until (is_idle, window));
  g_autoptr (GError) error = NULL;
  g_autoptr (LsTrace) saved = ls_trace_load (path, &error);
  g_assert_no_error (error);
  g_autofree char *difference = ls_trace_compare (trace, saved);
  g_assert_null (difference);
  g_assert_cmpuint (ls_context_n_nodes (saved->ctx), ==, n_kept);
  /* no file of that name can be */
  g_autofree char *nowhere = g_build_filename (folder, "nowhere", "saved.lscope", NULL);
  ls_window_save_recording (window, nowhere);
  g_assert_true (wait_until (is_idle, window));
  g_assert_nonnull (strstr (ls_notices_get_said (window->notices), "nowhere"));
  /* the graph */
  static const struct { const char *name, *begin; } graphs[] = { { "graph.svg", "<?xml" }, { "graph.png", "\x89PNG" },
                                                                 { "graph.dot", "digraph" } };
  for (guint i = 0; i < G_N_ELEMENTS (graphs); i++) {
    g_autofree char *file = g_build_filename (folder, graphs[i].name, NULL), *text = NULL;
    ls_window_export_graph (window, file);
    g_assert_true (wait_until (is_idle, window));
    g_assert_true (g_file_get_contents (file, &text, NULL, NULL));
    g_assert_true (g_str_has_prefix (text, graphs[i].begin));
  }
  /* a page, and one that cannot be written */
  g_autofree char *page = g_build_filename (folder, "page.html", NULL), *no_page = g_build_filename (folder, "nowhere", "page.html", NULL),
                  *html = NULL;
  ls_window_share (window, page);
  g_assert_true (wait_until (is_idle, window));
  g_assert_true (g_file_get_contents (page, &html, NULL, NULL));
  g_assert_true (g_str_has_prefix (html, "<!DOCTYPE html>"));
  g_assert_nonnull (strstr (html, "\"kind\":\"pass\""));
  ls_window_share (window, no_page);
  g_assert_true (wait_until (is_idle, window));
  g_assert_nonnull (strstr (ls_notices_get_said (window->notices), "cannot be written"));
  /* a window that is closed is not waited for, its file is */
  g_unlink (path);
  ls_window_save_recording (window, path);
  gtk_window_close (GTK_WINDOW (window));
  settle ();
  ls_disk_finish ();
  settle ();
  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
}

/* The program of a recording runs after a question, asked once for each recording; one's own program runs at once. */
static void
test_run_question (void)
{
  LsWindow *window = open_at ("3/simplify#2/20");
  LsTrace *trace = ls_trace_ref (ls_view_session_get_trace (window->session));
  for (int i = 0; i < 2; i++) {
    gtk_widget_activate_action (GTK_WIDGET (window), "win.run", NULL);
    g_assert_null (window->running);
    answer (i ? "_Run" : "_Cancel");
    g_assert_true (wait_until (is_idle, window));
    g_assert_true ((ls_view_session_get_trace (window->session) == trace) == (i == 0));
  }
  gtk_widget_activate_action (GTK_WIDGET (window), "win.run", NULL);
  g_assert_nonnull (window->running);
  g_assert_true (wait_until (is_idle, window));
  g_assert_null (question ());
  ls_trace_unref (trace);
  close_window (window);
}

int
main (int argc, char **argv)
{
  if (!fixture_begin (&argc, &argv))
    return 0;
  g_test_add_func ("/files/save", test_save);
  g_test_add_func ("/files/close", test_close);
  g_test_add_func ("/files/closed-early", test_closed_early);
  g_test_add_func ("/files/open", test_open);
  g_test_add_func ("/files/recording", test_recording);
  g_test_add_func ("/files/run-question", test_run_question);
  return fixture_end ();
}
