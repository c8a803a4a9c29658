/* The pictures of the examples on the start page: each example has one, light and dark, it is in the program, and it is the current
 * drawing of the example's recording. LS_UPDATE_GOLDEN=1 makes them: they lie in data/thumbnails, and this test is their script. */
#include "fixture.h"
#include "golden-picture.h"
#include "window/screenshot.h"
#include "workspaces/thumbnail.h"

#include <adwaita.h>
#include <string.h>

/* For each example a step that shows its subject. */
static const struct { const char *example, *position; } pictures[] = {
  { "matmul", "3/ast/3" }, { "softmax", "3/lower/4" }, { "layernorm", "9/ast/12" }, { "mlp", "11/simplify/5" }, { "views", "2/ast/3" },
  { "cast", "1/ast/2" }, { "add_const", "1/ast/3" }, { "add_ints", "1/ast/1" }, { "add_lists", "1/index/1" },
  { "sum", "2/ast/1" }, { "convnet", "20/ast/3" }, { "training", "15/ast/4" }, { "attention", "7/ast/5" }, { "transformer", "112/ast/5" },
  { "random_numbers", "1/ast/4" },
  { "rewriting", "0/graph_rewrite@21/2" },
};

static void
set_dark (gboolean dark)
{
  adw_style_manager_set_color_scheme (adw_style_manager_get_default (), dark ? ADW_COLOR_SCHEME_FORCE_DARK : ADW_COLOR_SCHEME_FORCE_LIGHT);
  settle ();
}

static void
test_picture (gconstpointer data)
{
  const char *example = pictures[GPOINTER_TO_UINT (data)].example;
  g_autofree char *path = fixture_record (example);
  LsWindow *window = open_recording (path, pictures[GPOINTER_TO_UINT (data)].position, 1280, 800);
  g_assert_cmpuint (ls_view_session_get_step (window->session), >, 0);
  for (int dark = 0; dark < 2; dark++) {
    set_dark (dark);
    cairo_surface_t *surface = ls_graph_view_thumbnail (ls_steps_view_get_graph (window->steps), LS_THUMBNAIL_WIDTH,
                                                        LS_THUMBNAIL_HEIGHT);
    g_assert_nonnull (surface);
    cairo_surface_set_device_scale (surface, 1, 1);
    g_autoptr (GdkPixbuf) picture = gdk_pixbuf_get_from_surface (surface, 0, 0, 2 * LS_THUMBNAIL_WIDTH, 2 * LS_THUMBNAIL_HEIGHT);
    GdkRectangle whole = { 0, 0, 2 * LS_THUMBNAIL_WIDTH, 2 * LS_THUMBNAIL_HEIGHT };
    g_autoptr (GdkPixbuf) flat = golden_picture_cut (picture, &whole, 1);
    cairo_surface_destroy (surface);
    g_autofree char *name = g_strdup_printf ("%s-%s", example, dark ? "dark" : "light"),
                    *file = g_strdup_printf ("../../data/thumbnails/%s.png", name);
    g_autofree char *golden = g_test_build_filename (G_TEST_DIST, file, NULL);
    golden_picture_check (flat, golden, g_getenv ("LS_GOLDEN_FOLDER"), name);
  }
  set_dark (FALSE);
  close_window (window);
}

static gboolean
has_picture (GtkWidget *child)
{
  for (GtkWidget *w = gtk_widget_get_first_child (child); w; w = gtk_widget_get_next_sibling (w))
    if ((GTK_IS_PICTURE (w) && gtk_picture_get_paintable (GTK_PICTURE (w))) || has_picture (w))
      return TRUE;
  return FALSE;
}

/* On the page itself: what a person sees has pictures, and Enter on one runs it. */
static void
test_page (void)
{
  LsWindow *window = open_start (1280, 800);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  GtkFlowBox *examples = GTK_FLOW_BOX (find_widget (GTK_WIDGET (window), "examples"));
  guint n = 0;
  for (GtkFlowBoxChild *child; (child = gtk_flow_box_get_child_at_index (examples, (int) n)); n++)
    if (!has_picture (GTK_WIDGET (child)))
      g_error ("the example %u on the start page has no picture: is it in ui/resources/ui.gresource.xml?", n + 1);
  g_assert_cmpuint (n + 1, ==, G_N_ELEMENTS (pictures));      /* the first is on the card */
  g_assert_true (has_picture (find_widget (GTK_WIDGET (window), "start-card")));
  gtk_widget_grab_focus (GTK_WIDGET (gtk_flow_box_get_child_at_index (examples, 0)));
  input_key (GDK_KEY_Return, 0);
  wait_window (window);
  close_window (window);
}

static void
skip (gconstpointer why)
{
  g_test_skip (why);
}

/* Who adds an example adds a row above. */
static void
test_all (void)
{
  g_autoptr (GDir) folder_of = g_dir_open (g_getenv ("LAZYSCOPE_PROGRAMS"), 0, NULL);
  const char *name;
  while ((name = g_dir_read_name (folder_of))) {
    gboolean found = !g_str_has_suffix (name, ".py");
    for (gsize i = 0; i < G_N_ELEMENTS (pictures) && !found; i++)
      found = strlen (name) == strlen (pictures[i].example) + 3 && g_str_has_prefix (name, pictures[i].example);
    if (!found)
      g_error ("%s has no picture: say in this file at which step, and run it with LS_UPDATE_GOLDEN=1", name);
  }
}

int
main (int argc, char **argv)
{
  if (!fixture_begin (&argc, &argv))
    return 0;
  ls_screenshot_pin (FALSE);
  g_test_add_func ("/thumbnails/all", test_all);
  const char *why_not = golden_picture_obstacle ();
  if (why_not)
    g_test_add_data_func ("/thumbnails/drawing", why_not, skip);
  for (guint i = 0; i < G_N_ELEMENTS (pictures) && !why_not; i++) {
    g_autofree char *path = g_strconcat ("/thumbnails/", pictures[i].example, NULL);
    g_test_add_data_func (path, GUINT_TO_POINTER (i), test_picture);
  }
  g_test_add_func ("/thumbnails/page", test_page);
  return fixture_end ();
}
