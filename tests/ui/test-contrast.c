/* The colours' contrast, computed by WCAG 2's formula from the colours of the graph and the style sheets, light and dark; in high
 * contrast by the numbers that it requires. A program is in one of the two: ADW_DEBUG_HIGH_CONTRAST says which. */
#include "fixture.h"
#include "graph/view/graph-view-private.h"

#include <adwaita.h>
#include <math.h>

static gboolean
is_high (void)
{
  return g_strcmp0 (g_getenv ("ADW_DEBUG_HIGH_CONTRAST"), "1") == 0;
}

static double
linear (double c)
{
  return c <= 0.03928 ? c / 12.92 : pow ((c + 0.055) / 1.055, 2.4);
}

static double
luminance (const GdkRGBA *c)
{
  return 0.2126 * linear (c->red) + 0.7152 * linear (c->green) + 0.0722 * linear (c->blue);
}

static double
contrast (const GdkRGBA *a, const GdkRGBA *b)
{
  double x = luminance (a), y = luminance (b);
  return (MAX (x, y) + 0.05) / (MIN (x, y) + 0.05);
}

static void
hold (const char *what, const GdkRGBA *a, const GdkRGBA *b, double least)
{
  double is = contrast (a, b);
  g_test_message ("%s: %.2f", what, is);
  if (is < least)
    g_test_fail_printf ("%s: a contrast of %.2f, %.1f is wanted", what, is, least);
}

static GdkRGBA
named (GtkWidget *widget, const char *name)
{
  GdkRGBA c;
  if (!gtk_style_context_lookup_color (gtk_widget_get_style_context (widget), name, &c))
    g_error ("no colour is named %s", name);
  return c;
}

/* In degrees. */
static double
hue (const GdkRGBA *c)
{
  double most = MAX (MAX (c->red, c->green), c->blue), least = MIN (MIN (c->red, c->green), c->blue), d = MAX (most - least, 1e-6);
  double h = most == c->red ? (c->green - c->blue) / d : most == c->green ? 2 + (c->blue - c->red) / d : 4 + (c->red - c->green) / d;
  return fmod (h * 60 + 360, 360);
}

static void
check (gboolean dark)
{
  static const char *const kinds[LS_N_DIFF] = { "same", "added", "removed", "changed", "moved" };
  adw_style_manager_set_color_scheme (adw_style_manager_get_default (), dark ? ADW_COLOR_SCHEME_FORCE_DARK : ADW_COLOR_SCHEME_FORCE_LIGHT);
  settle ();
  LsWindow *window = open_at ("3/simplify#2/5");
  g_assert_cmpint (adw_style_manager_get_high_contrast (adw_style_manager_get_default ()), ==, is_high ());
  g_assert_cmpint (adw_style_manager_get_dark (adw_style_manager_get_default ()), ==, dark);
  GtkWidget *graph = GTK_WIDGET (ls_steps_view_get_graph (window->steps));
  LsPalette p;
  ls_graph_palette (graph, &p);
  double border = is_high () ? 7 : 4.8;
  for (guint kind = 0; kind < LS_N_DIFF; kind++) {
    g_autofree char *text = g_strdup_printf ("text on %s", kinds[kind]), *line = g_strdup_printf ("border of %s", kinds[kind]),
                    *fine = g_strdup_printf ("second line on %s", kinds[kind]);
    hold (text, &p.text, &p.kinds[kind].fill, 12.5);
    hold (fine, &p.dim, &p.kinds[kind].fill, is_high () ? 7 : 4.5);
    if (kind != LS_DIFF_SAME || is_high ())      /* what stays is quiet, unless nothing may be */
      hold (line, &p.kinds[kind].border, &p.ground, kind == LS_DIFF_SAME ? 4.8 : border);
    if (kind == LS_DIFF_SAME)
      continue;
    g_autofree char *name = g_strdup_printf ("ls_%s", kinds[kind]), *filled = g_strdup_printf ("ls_%s_fill", kinds[kind]);
    GdkRGBA css = named (graph, name), ground = named (graph, "ls_ground");
    hold (name, &css, &ground, border);
    g_assert_true (gdk_rgba_equal (&css, &p.kinds[kind].border));      /* lists and graph have the same marks */
    if (kind != LS_DIFF_MOVED) {
      GdkRGBA fill = named (graph, filled);
      g_assert_true (gdk_rgba_equal (&fill, &p.kinds[kind].fill));
    }
  }
  hold ("edges", &p.edge, &p.ground, is_high () ? 7 : 3);
  hold ("captures", &p.capture, &p.ground, border);
  hold ("the ring around what is chosen", &p.chosen, &p.ground, border);
  const GdkRGBA *others[] = { &p.kinds[LS_DIFF_ADDED].border, &p.kinds[LS_DIFF_REMOVED].border, &p.kinds[LS_DIFF_CHANGED].border,
                              &p.capture };
  for (guint i = 0; i < G_N_ELEMENTS (others); i++) {
    double apart = fabs (hue (&p.chosen) - hue (others[i]));
    g_assert_cmpfloat (MIN (apart, 360 - apart), >=, 35);
  }
  hold ("what changed, in words", &p.kinds[LS_DIFF_CHANGED].border, &p.kinds[LS_DIFF_CHANGED].fill, is_high () ? 7 : 4.5);
  hold ("a capture's name", &p.ground, &p.capture, 4.5);
  for (guint i = 0; i < G_N_ELEMENTS (p.axes); i++)
    hold ("the stripe of an axis", &p.axes[i], &p.kinds[LS_DIFF_SAME].fill, is_high () ? 4.5 : dark ? 3 : 2.5);
  for (guint i = 0; i < G_N_ELEMENTS (p.classes); i++)
    hold ("the stripe of an op's class", &p.classes[i], &p.kinds[LS_DIFF_SAME].fill, is_high () ? 4.5 : 3);
  GdkRGBA note = named (graph, "ls_added"), on = named (graph, "ls_added_fill"), chosen = named (graph, "ls_chosen_fill"), text;
  hold ("the line over listing and source", &note, &on, 4.5);
  gtk_style_context_get_color (gtk_widget_get_style_context (GTK_WIDGET (window)), &text);
  hold ("chosen rows", &text, &chosen, 7);
  GdkRGBA row = named (graph, "ls_chosen");
  g_assert_true (gdk_rgba_equal (&row, &p.chosen));      /* what is chosen has one hue in lists and graph */
  if (is_high ())
    g_assert_cmpfloat (p.ghost, ==, 1);      /* what is removed is not faint */
  close_window (window);
}

static void test_light (void) { check (FALSE); }
static void test_dark (void) { check (TRUE); }

int
main (int argc, char **argv)
{
  if (!fixture_begin (&argc, &argv))
    return 0;
  g_test_add_func ("/contrast/light", test_light);
  g_test_add_func ("/contrast/dark", test_dark);
  return fixture_end ();
}
