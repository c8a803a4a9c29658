/* The pipeline by the mouse: kernels below their program lines, and the purpose of the current pass. */
#include "kit/cells.h"
#include "fixture.h"
#include "session/trace-text.h"

#include <string.h>

typedef struct { const char *begins; GtkWidget *found; } Search;

/* The text of a row is drawn by its cells. */
static void
visit (GtkWidget *widget, Search *s)
{
  if (LS_IS_CELLS (widget) && gtk_widget_get_mapped (widget)) {
    const char *text = ls_cells_get_text (LS_CELLS (widget), 0);
    g_assert_true (!text || !strchr (text, '#') || strchr (text, ' ') || g_str_equal (text, "simplify#2") ||
                   g_str_equal (text, "options#2") || g_str_equal (text, "decompose#2"));
    if (text && g_str_has_prefix (text, s->begins) && !s->found)
      s->found = widget;
  }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child; child = gtk_widget_get_next_sibling (child))
    visit (child, s);
}

static GtkWidget *
row (LsWindow *window, const char *begins)
{
  Search s = { begins, NULL };
  visit (find_widget (GTK_WIDGET (window), "pipeline"), &s);
  return s.found;
}

static double
height_of (GtkWidget *widget, LsWindow *window)
{
  graphene_rect_t at;
  g_assert_nonnull (widget);
  g_assert_true (gtk_widget_compute_bounds (widget, GTK_WIDGET (window), &at));
  return at.origin.y;
}

/* Each line above its kernels, and a click on it goes to the first of them. */
static void
test_lines (void)
{
  LsWindow *window = open_recording (fixture_matmul (), "3/lower/1", 1600, 1000);
  static const char *const order[] = { "7  a = ", "1  E_1024_4", "8  b = ", "2  E_1024_4", "9  c = (a @ b)", "3  r_16_16_64_4_4" };
  for (gsize i = 1; i < G_N_ELEMENTS (order); i++)
    g_assert_cmpfloat (height_of (row (window, order[i]), window), >, height_of (row (window, order[i - 1]), window));
  input_click (row (window, "9  c = (a @ b)"));
  wait_window (window);
  assert_at (window, "3/ast/1");
  input_click (row (window, "1  E_1024_4"));
  wait_window (window);
  assert_at (window, "1/ast/1");
  close_window (window);
}

/* Passes without changes have no row, and each pass shows its purpose. */
static void
test_passes (void)
{
  LsWindow *window = open_recording (fixture_matmul (), "3/ast/1", 1600, 1000);
  GtkLabel *sentence = GTK_LABEL (find_widget (GTK_WIDGET (window), "pass-sentence"));
  g_assert_nonnull (row (window, "tensor"));      /* one of five changed something before this kernel */
  g_assert_null (row (window, "program"));
  g_assert_cmpstr (gtk_label_get_text (sentence), ==, "Movement ops become views, and views move to the loads and constants.");
  input_click (row (window, "lower"));
  wait_window (window);
  assert_at (window, "3/lower/1");
  g_assert_cmpstr (gtk_label_get_text (sentence), ==, "Axes become ranges, and views become indices.");
  close_window (window);
}

/* The numbers of a kernel's name have the colours of their axes, those of a kernel with another's code, too. */
static void
test_axes (void)
{
  static const char *const axes[] = { "ls_axis_loop", "ls_axis_loop", "ls_axis_reduce", "ls_axis_upcast", "ls_axis_upcast" };
  g_autoptr (LsTrace) trace = ls_trace_load (fixture_matmul (), NULL);
  const LsKernel *k = ls_trace_kernel (trace, 3);
  g_autofree char *title = g_strdup_printf ("3  %s", k->name);
  LsTextSpan spans[16];
  g_assert_cmpuint (ls_text_axes (trace, k, title, spans, G_N_ELEMENTS (spans)), ==, G_N_ELEMENTS (axes));
  for (gsize i = 0; i < G_N_ELEMENTS (axes); i++) {
    g_assert_cmpstr (spans[i].color, ==, axes[i]);
    g_assert_true (title[spans[i].from - 1] == '_' && g_ascii_isdigit (title[spans[i].to - 1]));
  }
  g_assert_cmpuint (ls_text_axes (trace, k, title, spans, 2), ==, 2);
  g_assert_cmpuint (ls_text_axes (trace, k, "another", spans, G_N_ELEMENTS (spans)), ==, 0);
  const LsKernel *same = ls_trace_kernel (trace, 2);
  g_assert_cmpuint (ls_text_axes (trace, same, same->name, spans, G_N_ELEMENTS (spans)), ==, 2);
}

/* In the profile in which a name may have a number behind its axes, too. */
static void
test_modern_axes (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (folder, "modern.lscope", NULL),
                  *program = g_build_filename (g_getenv ("LAZYSCOPE_PROGRAMS"), "matmul.py", NULL);
  const char *argv[] = { g_getenv ("LAZYSCOPE_CLI"), "run", program, "--record", path, "--set", "profile=modern", NULL };
  gint status;
  g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, NULL, NULL,
                               &status, &error));
  g_assert_cmpint (status, ==, 0);
  g_autoptr (LsTrace) trace = ls_trace_load (path, &error);
  g_assert_no_error (error);
  gboolean numbered = FALSE;
  for (guint i = 1; i <= trace->kernels->len; i++) {
    const LsKernel *k = ls_trace_kernel (trace, i);
    LsTextSpan spans[16];
    guint n = ls_text_axes (trace, k, k->name, spans, G_N_ELEMENTS (spans)), n_axes = 0;
    for (const char *c = k->name; *c; c++)
      n_axes += *c == '_';
    g_assert_cmpuint (n, ==, n_axes);
    numbered |= strchr (k->name, 'n') != NULL;
    if (n)
      g_assert_true (g_ascii_isdigit (k->name[spans[n - 1].to - 1]));
  }
  g_assert_true (numbered);
}

int
main (int argc, char **argv)
{
  if (!fixture_begin (&argc, &argv))
    return 0;
  g_test_add_func ("/pipeline/lines", test_lines);
  g_test_add_func ("/pipeline/passes", test_passes);
  g_test_add_func ("/pipeline/axes", test_axes);
  g_test_add_func ("/pipeline/axes-modern", test_modern_axes);
  return fixture_end ();
}
