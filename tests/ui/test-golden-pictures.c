/* Golden pictures of the window: every pane, light and dark, in two sizes, and in German, of the checked-in recordings
 * data/softmax.lscope, which is of version 2, and data/lazy.lscope.
 *
 * Each picture is what `lazyscope --screenshot --do …` writes, from a window of its own, so that none depends on another. Whole
 * windows are kept at half their size; a scene about one pane keeps that pane alone. How they are compared is said in
 * golden-picture.h, and tested here too.
 */
#include "window/application.h"
#include "golden-picture.h"
#include "input.h"
#include "share/words.h"
#include "window/screenshot.h"
#include "kit/state.h"

#include <gdk/x11/gdkx.h>
#include <glib/gstdio.h>
#include <string.h>

typedef struct {
  const char *name, *position;      /* no position: the start page; one of another recording than softmax.lscope begins with its name */
  const char *actions[4];
  const char *cut;                  /* name of the widget that is kept, at full size; NULL: the window, at half its size */
  gboolean    one_size;             /* a window of its own, whose size does not follow */
} Scene;

#ifndef IN_GERMAN      /* a build without gettext has no catalogues */
#define IN_GERMAN 0
#endif
#define BESIDE "win.compare-with::%s/softmax-classic.lscope"

/* A non-empty state of each pane. */
static const Scene scenes[] = {
  { "start", NULL },
  { "step", "1/simplify/9" },
  { "input", "3/accumulate/0" },
  { "comparison", "3/index/6~3/lower/5", { "win.table::changes" } },
  { "schedule-graph", "3/lower/4", { "win.schedule-kernel::3" } },
  { "schedule-position", "1/schedule/0" },
  { "one-selection", "3/index/6", { "win.choose::row:16", "win.table::disassembly" } },
  { "tensor-level", "0/tensor/0" },
  { "frames", "3/index/6", { NULL }, "graph" },
  { "frames-folded", "3/index/6", { "win.choose::row:16", "win.fold-loop" }, "graph" },
  { "program-page", "3/lower/4", { "win.choose::row:16", "win.workspace::program" } },
  { "search", "3/index/6", { "win.search" } },
  { "card-guards", "1/simplify/1", { NULL }, "rule-card" },
  { "card-replacement", "1/simplify/5", { NULL }, "rule-card" },
  { "card-condition", "1/decompose/1", { NULL }, "rule-card" },
  { "timing", "3/lower/4", { "win.table::timing" }, "tables" },
  { "rules", "1/simplify/5", { "win.rule-did" }, "tables" },
  { "changes", "1/simplify/5", { "win.table::changes" }, "changes-pane" },
  { "visits", "1/simplify/5", { "win.table::visits" }, "visits-pane" },
  { "stages", "3/lower/4", { "win.table::stages" }, "tables" },
  { "buffers", "3/lower/4", { "win.table::buffers" }, "tables" },
  { "schedule", "3/lower/4", { "win.table::schedule" }, "tables" },
  { "render", "3/render", { "win.table::render" }, "tables" },
  { "render-inputs", "rows.lscope#2/render", { "win.table::render", "win.choose::row:19" }, "tables" },
  { "dialect", "rows.lscope#2/render", { "win.table::dialect", "win.choose::row:19" }, "tables" },
  { "procedure", "3/procedure", { "win.table::procedure" }, "tables" },
  { "values", "3/lower/4", { "win.table::values" }, "tables" },
  { "shapes", "3/lower/1", { "win.table::shapes" }, "tables" },
  { "disassembly", "3/render", { "win.table::disassembly", "win.choose::row:16" }, "texts" },
  { "program", "3/render", { "win.table::program", "win.choose::row:16" }, "texts" },
  { "statement", "lazy.lscope#0/program#2/0", { "win.table::program" } },
  { "library", "lazy.lscope#0/program#3/0", { "win.table::program", "win.call::6" }, "texts" },
  { "origin", "3/lower/4", { "win.origin" }, "tables" },
  { "execution", "3/linearize", { "win.table::execution" }, "tables" },
  { "compare", "3/lower/4", { BESIDE } },
  { "compare-columns", "3/lower/4", { BESIDE, "win.compare-kernel::3" } },
  { "run-form", "3/lower/4", { "win.run-with" }, NULL, TRUE },
  { "why-not", "1/simplify/5", { "win.why-not" }, NULL, TRUE },
  { "help", "1/simplify/5", { "win.help" }, NULL, TRUE },
  { "shortcuts", "1/simplify/5", { "win.shortcuts" }, NULL, TRUE },
};

static const struct { int width, height; } sizes[] = { { 1600, 1000 }, { 1280, 800 } };

typedef struct { const Scene *scene; int width, height; gboolean dark, german; char *name; } Case;

static LsApplication *app;
static char *folder;

typedef enum { UNDER_WAY, TAKEN, FAILED } Outcome;

static void
on_taken (gboolean ok, gpointer data)
{
  *(Outcome *) data = ok ? TAKEN : FAILED;
}

static gboolean
is_over (gpointer outcome)
{
  return *(Outcome *) outcome != UNDER_WAY;
}

static void
close_all (void)
{
  GListModel *windows = gtk_window_get_toplevels ();
  for (guint n; (n = g_list_model_get_n_items (windows)) > 0; ) {      /* the latest first: a dialog before its window */
    g_autoptr (GtkWindow) w = g_list_model_get_item (windows, n - 1);
    gtk_window_destroy (w);
  }
  settle ();
}

/* The part of the picture that the scene is about. */
static GdkRectangle
part_of (GdkPixbuf *picture, LsWindow *window, const char *name)
{
  GtkWidget *widget = name ? find_widget (GTK_WIDGET (window), name) : NULL;
  graphene_rect_t at = GRAPHENE_RECT_INIT (0, 0, (float) gdk_pixbuf_get_width (picture), (float) gdk_pixbuf_get_height (picture)),
                  frame = at;
  g_assert_true (!name || (widget && gtk_widget_compute_bounds (widget, GTK_WIDGET (window), &at) &&
                           gtk_widget_compute_bounds (GTK_WIDGET (window), GTK_WIDGET (window), &frame)));
  return (GdkRectangle) { (int) (at.origin.x - frame.origin.x), (int) (at.origin.y - frame.origin.y), (int) at.size.width,
                          (int) at.size.height };
}

/* The scene's picture, as it is kept. */
static GdkPixbuf *
picture_of (const Case *c)
{
  g_autofree char *shot = g_build_filename (folder, "shot.png", NULL);
  Outcome outcome = UNDER_WAY;
  ls_state_forget ("recent");      /* what the scenes before have opened */
  g_autofree char *data = g_test_build_filename (G_TEST_DIST, "data", NULL);
  char *actions[G_N_ELEMENTS (c->scene->actions)] = { NULL };
  for (guint i = 0; c->scene->actions[i]; i++)
    actions[i] = g_str_equal (c->scene->actions[i], BESIDE) ? g_strdup_printf (BESIDE, data) : g_strdup (c->scene->actions[i]);
  LsScreenshot wanted = { shot, c->width, c->height, c->dark, actions[0] ? actions : NULL };
  LsWindow *window = ls_screenshot_window (GTK_APPLICATION (app), &wanted, on_taken, &outcome);
  if (c->scene->position) {
    gboolean other = strstr (c->scene->position, ".lscope#") != NULL;
    g_autofree char *link = g_strconcat (data, other ? "/" : "/softmax.lscope#", c->scene->position, NULL);
    ls_window_open (window, link);
  } else {
    ls_window_show_start (window);
  }
  g_assert_true (wait_until (is_over, &outcome));
  g_assert_cmpint (outcome, ==, TAKEN);
  g_autoptr (GError) error = NULL;
  g_autoptr (GdkPixbuf) picture = gdk_pixbuf_new_from_file (shot, &error);
  g_assert_no_error (error);
  GdkRectangle part = part_of (picture, window, c->scene->cut);
  GdkPixbuf *kept = golden_picture_cut (picture, &part, c->scene->cut ? 1 : 2);
  close_all ();
  for (guint i = 0; actions[i]; i++)
    g_free (actions[i]);
  return kept;
}

static void
speak (const char *language)
{
  extern int _nl_msg_cat_cntr;      /* how gettext is told that the environment has changed */
  g_setenv ("LANGUAGE", language, TRUE);
  _nl_msg_cat_cntr++;
  ls_words_bind ();
}

static void
test_scene (gconstpointer data)
{
  const Case *c = data;
  g_autofree char *file = g_strconcat (c->name, ".png", NULL), *path = g_test_build_filename (G_TEST_DIST, "golden", file, NULL);
  speak (c->german ? "de" : "en");
  g_autoptr (GdkPixbuf) picture = picture_of (c);
  speak ("en");
  golden_picture_check (picture, path, g_getenv ("LS_GOLDEN_FOLDER"), c->name);
}

/* --- the comparison itself --- */

typedef struct { double x, y; guint fill, border; const char *text; gboolean shown; } Box;

static void
set_colour (cairo_t *cr, guint rgb)
{
  cairo_set_source_rgb (cr, (rgb >> 16) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0);
}

/* Boxes as in the graph, at half size: what a golden picture of a window is made of. */
static GdkPixbuf *
draw (const Box *boxes, guint n, cairo_hint_style_t hinting, double shift)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 320, 160);
  cairo_t *cr = cairo_create (surface);
  cairo_font_options_t *options = cairo_font_options_create ();
  cairo_font_options_set_antialias (options, CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style (options, hinting);
  cairo_set_font_options (cr, options);
  cairo_font_options_destroy (options);
  cairo_select_font_face (cr, "DejaVu Sans Mono", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD);
  cairo_set_font_size (cr, 8);
  cairo_set_source_rgb (cr, 0.98, 0.98, 0.98);
  cairo_paint (cr);
  for (guint i = 0; i < n; i++) {
    if (!boxes[i].shown)
      continue;
    cairo_rectangle (cr, boxes[i].x, boxes[i].y, 60, 19);
    set_colour (cr, boxes[i].fill);
    cairo_fill_preserve (cr);
    set_colour (cr, boxes[i].border);
    cairo_set_line_width (cr, boxes[i].fill == 0xffffff ? 0.5 : 1);
    cairo_stroke (cr);
    cairo_set_source_rgb (cr, 0.1, 0.1, 0.1);
    cairo_move_to (cr, boxes[i].x + 6 + shift, boxes[i].y + 12);
    cairo_show_text (cr, boxes[i].text);
  }
  cairo_destroy (cr);
  GdkPixbuf *p = gdk_pixbuf_get_from_surface (surface, 0, 0, 320, 160);
  cairo_surface_destroy (surface);
  return p;
}

static void
test_comparison (void)
{
  #define ADDED 0xddf3eb, 0x00795a
#define CHANGED 0xdcebfa, 0x0b62a8
#define SAME 0xffffff, 0xc0bfbc
  const Box usual[] = { { 20, 20, SAME, "LOAD", TRUE }, { 120, 20, SAME, "RANGE", TRUE }, { 70, 70, ADDED, "MUL × 4", TRUE },
                        { 70, 120, SAME, "STORE", TRUE } };
  g_autoptr (GdkPixbuf) golden = draw (usual, 4, CAIRO_HINT_STYLE_SLIGHT, 0);
  static const struct { const char *what; guint box; Box now; cairo_hint_style_t hinting; double shift; gboolean alike; } cases[] = {
    { "the same", 0, { 20, 20, SAME, "LOAD", TRUE }, CAIRO_HINT_STYLE_SLIGHT, 0, TRUE },
    { "another hinting", 0, { 20, 20, SAME, "LOAD", TRUE }, CAIRO_HINT_STYLE_NONE, 0, TRUE },
    { "text a third of a pixel off", 0, { 20, 20, SAME, "LOAD", TRUE }, CAIRO_HINT_STYLE_SLIGHT, 0.34, TRUE },
    { "a box one pixel off", 1, { 121, 20, SAME, "RANGE", TRUE }, CAIRO_HINT_STYLE_SLIGHT, 0, TRUE },
    { "a moved box", 1, { 128, 20, SAME, "RANGE", TRUE }, CAIRO_HINT_STYLE_SLIGHT, 0, FALSE },
    { "a box moved down", 3, { 70, 125, SAME, "STORE", TRUE }, CAIRO_HINT_STYLE_SLIGHT, 0, FALSE },
    { "a missing box", 0, { 20, 20, SAME, "LOAD", FALSE }, CAIRO_HINT_STYLE_SLIGHT, 0, FALSE },
    { "another mark", 2, { 70, 70, CHANGED, "MUL × 4", TRUE }, CAIRO_HINT_STYLE_SLIGHT, 0, FALSE },
    { "no mark", 2, { 70, 70, SAME, "MUL × 4", TRUE }, CAIRO_HINT_STYLE_SLIGHT, 0, FALSE },
    { "another op", 0, { 20, 20, SAME, "STORE", TRUE }, CAIRO_HINT_STYLE_SLIGHT, 0, FALSE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Box boxes[4];
    memcpy (boxes, usual, sizeof boxes);
    boxes[cases[i].box] = cases[i].now;
    g_autoptr (GdkPixbuf) now = draw (boxes, 4, cases[i].hinting, cases[i].shift), difference = NULL;
    g_autofree char *what = golden_picture_compare (golden, now, &difference);
    g_test_message ("%s: %s", cases[i].what, what ? what : "alike");
    if ((what == NULL) != cases[i].alike)
      g_test_fail_printf ("%s: %s", cases[i].what, what ? what : "taken for alike");
    g_assert_true ((what == NULL) == (difference == NULL));
  }
#undef ADDED
#undef CHANGED
#undef SAME
  GdkRectangle smaller = { 0, 0, 320, 144 };
  g_autoptr (GdkPixbuf) cut = golden_picture_cut (golden, &smaller, 1);
  g_autofree char *what = golden_picture_compare (golden, cut, NULL);
  g_assert_nonnull (what);
}

/* In a picture of the window a node's box that stands elsewhere, and a pane that is one text row lower. */
static void
test_window (gconstpointer data)
{
  const char *name = data;
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "golden", name, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GdkPixbuf) golden = gdk_pixbuf_new_from_file (path, &error);
  g_assert_no_error (error);
  int w = gdk_pixbuf_get_width (golden), h = gdk_pixbuf_get_height (golden);
  g_autoptr (GdkPixbuf) moved = gdk_pixbuf_copy (golden), lower = gdk_pixbuf_copy (golden);
  gdk_pixbuf_copy_area (golden, w * 15 / 100, h * 20 / 100, w / 3, h / 3, moved, w * 15 / 100 + 5, h * 20 / 100);
  g_autofree char *what = golden_picture_compare (golden, moved, NULL);
  g_assert_nonnull (what);
  gdk_pixbuf_copy_area (golden, w * 55 / 100, h * 20 / 100, w * 40 / 100, h / 3, lower, w * 55 / 100, h * 20 / 100 + 5);
  g_autofree char *what_lower = golden_picture_compare (golden, lower, NULL);
  g_assert_nonnull (what_lower);
}

static void
skip (gconstpointer why)
{
  g_test_skip (why);
}

static void
case_free (gpointer data)
{
  Case *c = data;
  g_free (c->name);
  g_free (c);
}

static void
add_scene (const Scene *scene, guint size, gboolean dark, gboolean german)
{
  Case *c = g_new (Case, 1);
  char *name = german ? g_strdup_printf ("%s-german", scene->name)
               : scene->one_size ? g_strdup_printf ("%s-%s", scene->name, dark ? "dark" : "light")
                               : g_strdup_printf ("%s-%s-%d", scene->name, dark ? "dark" : "light", sizes[size].width);
  *c = (Case) { scene, sizes[size].width, sizes[size].height, dark, german, name };
  g_autofree char *test = g_strconcat ("/golden-pictures/", name, NULL);
  g_test_add_data_func_full (test, c, test_scene, case_free);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!gtk_init_check () || !input_init ()) {
    g_print ("1..0 # SKIP no X display to show a window on: install xvfb\n");
    return 0;
  }
  adw_init ();
  folder = g_dir_make_tmp ("lazyscope-test-XXXXXX", NULL);
  app = ls_application_new (&(LsScreenshot) { NULL });
  ls_state_disable ();
  g_application_set_flags (G_APPLICATION (app), G_APPLICATION_NON_UNIQUE | G_APPLICATION_HANDLES_COMMAND_LINE);
  g_assert_true (g_application_register (G_APPLICATION (app), NULL, NULL));
  g_test_add_func ("/golden-pictures/comparison", test_comparison);
  const char *why_not = golden_picture_obstacle ();
  if (why_not) {
    g_test_add_data_func ("/golden-pictures/scenes", why_not, skip);
  } else {
    for (int dark = 0; dark <= 1; dark++)
      for (guint size = 0; size < G_N_ELEMENTS (sizes); size++)
        for (guint i = 0; i < G_N_ELEMENTS (scenes); i++)
          if (size == 0 || !scenes[i].one_size)
            add_scene (&scenes[i], size, dark, FALSE);
    for (guint i = 0; IN_GERMAN && i < G_N_ELEMENTS (scenes); i++)      /* what words are in: drawers, the card, dialogs */
      if (scenes[i].one_size || scenes[i].cut || g_str_equal (scenes[i].name, "step") || g_str_equal (scenes[i].name, "start"))
        add_scene (&scenes[i], 1, FALSE, TRUE);
    g_test_add_data_func ("/golden-pictures/moved-in-window", "step-light-1600.png", test_window);
  }
  int status = g_test_run ();
  const char *remove[] = { "rm", "-rf", folder, NULL };
  g_spawn_sync (NULL, (char **) remove, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
  return status;
}
