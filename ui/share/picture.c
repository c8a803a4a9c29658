/* Pictures of graphs as SVG. See picture.h. */
#include "picture.h"
#include "graph/layout/chain.h"
#include "graph/layout/hues.h"
#include "graph/layout/edge-path.h"
#include "loop-frame.h"
#include "page.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define MARGIN 30      /* the frames of loops reach beyond their boxes */

static void
append_box (GString *out, const LsScene *scene, const LsLayout *layout, guint i)
{
  static const char *const badges[LS_N_DIFF] = { NULL, "M-4 0H4M0-4V4", "M-4 0H4", "M0-4.2L4 3H-4Z", "M-3.8-2H3.8M-3.8 2H3.8" };
  const LsSceneNode *n = &scene->nodes[i];
  const char *second = ls_scene_second_line (scene, i, LS_IN_BOTH);
  long w = lroundf (n->width), h = LS_SCENE_HEIGHT;
  g_string_append_printf (out, "<g class=\"node k%u c%u%s\" transform=\"translate(%ld %ld)\">", n->kind, n->op_class,
                          n->strong ? " strong" : "", lroundf (layout->x[i]), lroundf (layout->y[i]));
  if (n->n_lanes > 1)
    g_string_append_printf (out, "<rect class=\"box under\" x=\"5\" y=\"5\" width=\"%ld\" height=\"%ld\" rx=\"6\"/>", w, h);
  g_string_append_printf (out, "<rect class=\"box\" width=\"%ld\" height=\"%ld\" rx=\"6\"/><rect class=\"stripe\" x=\"5\" y=\"5\" "
                               "width=\"4\" height=\"%ld\" rx=\"2\"/>", w, h, h - 10);
  g_string_append_printf (out, "<text class=\"t\" x=\"14\" y=\"%d\">", second && *second ? 16 : 23);
  ls_page_text (out, "", n->title[1], "</text>");
  if (second && *second) {
    ls_page_text (out, second == n->change ? "<text class=\"d what\" x=\"14\" y=\"30.5\">" : "<text class=\"d\" x=\"14\" y=\"30.5\">",
                  second, "</text>");
  }
  if (badges[n->kind])
    g_string_append_printf (out, "<g class=\"badge\" transform=\"translate(%ld 1)\"><circle r=\"8\"/><path d=\"%s\"/></g>", w - 3,
                            badges[n->kind]);
  g_string_append (out, "</g>\n");
}

static void
append_loop (GString *out, const LsScene *scene, const LsFrames *frames, const LsFrame *f)
{
  g_autoptr (GString) fill = g_string_new (NULL), line = g_string_new (NULL), faint = g_string_new (NULL);
  ls_loop_frame_paths (frames, f, fill, line, faint);
  g_string_append_printf (out, "<g class=\"loop a%u\"><path class=\"in\" d=\"%s\"/><path class=\"line\" d=\"%s\"/>"
                               "<path class=\"faint\" d=\"%s\"/></g>\n", ls_loop_frame_axis (scene, frames, f), fill->str, line->str,
                          faint->str);
}

static void
append_loop_title (GString *out, const LsScene *scene, const LsFrames *frames, const LsFrame *f)
{
  long x = lroundf (f->title.x0), y = lroundf (f->title.y0);
  g_string_append_printf (out, "<g class=\"loop a%u\"><rect x=\"%ld\" y=\"%ld\" width=\"%ld\" height=\"%d\" rx=\"4\"/>"
                               "<text class=\"d\" x=\"%ld\" y=\"%ld\">", ls_loop_frame_axis (scene, frames, f), x, y,
                          lroundf (f->title.x1 - f->title.x0), LS_FRAME_TITLE, x + 4, y + 10);
  ls_page_text (out, "", f->text, "</text></g>\n");
}

static void
append_content (GString *out, const LsScene *scene, const LsLayout *layout)
{
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (float));
  g_autoptr (LsFrames) frames = ls_frames_new (scene, layout, LS_IN_BOTH);
  g_string_append (out, "<g id=\"scene\"><g id=\"loops\">\n");
  for (guint i = 0; i < frames->frames->len; i++)
    append_loop (out, scene, frames, &g_array_index (frames->frames, LsFrame, i));
  g_string_append (out, "</g><g id=\"edges\">\n");
  for (guint e = 0; e < scene->n_edges; e++) {
    guint side = scene->is_diff ? scene->edges[e].side : LS_IN_BOTH;
    ls_edge_path_points (scene, layout, e, side & LS_IN_AFTER ? 1 : 0, points);
    g_string_append_printf (out, "<path class=\"e s%u\" d=\"", side);
    ls_film_way (out, points);
    g_string_append (out, "\"/>\n");
  }
  g_string_append (out, "</g><g id=\"titles\">\n");
  for (guint i = 0; i < frames->frames->len; i++)
    append_loop_title (out, scene, frames, &g_array_index (frames->frames, LsFrame, i));
  g_string_append (out, "</g><g id=\"boxes\">\n");
  for (guint i = 0; i < scene->n_nodes; i++)
    append_box (out, scene, layout, i);
  g_string_append (out, "</g></g>");
}

static void
append_view_box (GString *out, const LsLayout *layout)
{
  g_string_append_printf (out, "viewBox=\"%ld %ld %ld %ld\">", lroundf (layout->left) - MARGIN, lroundf (layout->top) - MARGIN,
                          lroundf (layout->width) + 2 * MARGIN, lroundf (layout->height) + 2 * MARGIN);
}

void
ls_picture_append (GString *out, const LsScene *scene, const LsLayout *layout)
{
  if (!scene) {
    g_string_append (out, "<svg id=\"graph\"><g id=\"scene\"><g id=\"loops\"></g><g id=\"edges\"></g><g id=\"titles\"></g>"
                          "<g id=\"boxes\"></g></g></svg>");
    return;
  }
  g_string_append_printf (out, "<svg id=\"graph\" role=\"img\" aria-label=\"%s\" ", _("the graph"));
  append_view_box (out, layout);
  append_content (out, scene, layout);
  g_string_append (out, "</svg>");
}

/* --- alone --- */

/* The picture's style with colours in place of the page's variables, which few programs but browsers know. */
static char *
own_style (void)
{
  g_autoptr (GBytes) css = ls_page_resource ("picture.css");
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (GString) variables = g_string_new (NULL);
  ls_page_hues (variables, FALSE);
  ls_page_class_rules (out);
  g_string_append (out, g_bytes_get_data (css, NULL));
  g_auto (GStrv) pairs = g_strsplit (variables->str, ";", -1);
  for (guint i = 0; pairs[i]; i++) {
    char *colour = strchr (pairs[i], ':');
    if (!colour)
      continue;
    *colour++ = '\0';
    g_autofree char *variable = g_strdup_printf ("var(%s)", pairs[i]);
    g_string_replace (out, variable, colour, 0);
  }
  return g_string_free (g_steal_pointer (&out), FALSE);
}

static LsLayout *
plain_layout (const LsScene *scene)
{
  g_autoptr (LsLayoutInput) input = ls_scene_layout_input (scene);
  return ls_ranks_layout (input, NULL);
}

char *
ls_picture_svg (LsTrace *trace, const LsPass *pass, int step, GError **error)
{
  g_autoptr (LsChain) chain = ls_chain_new (trace);
  g_autoptr (LsGraphDiff) diff = step > 0 ? ls_pass_diff_step (trace, pass, (guint) step) : NULL;
  g_autoptr (LsGraph) graph = diff ? NULL : ls_pass_graph (trace, pass, step < 0 ? ls_pass_n_steps (pass) : 0);
  g_autoptr (LsScene) scene = diff ? ls_scene_new_diff (trace, diff, TRUE)
                                   : graph ? ls_scene_new_root (trace, graph->names, graph->root, TRUE) : NULL;
  g_autoptr (LsLayout) layout = !scene ? NULL : diff ? ls_chain_layout (chain, pass, (guint) step, TRUE, scene) : plain_layout (scene);
  if (!layout) {
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "pass %s has no graph at step %d", pass->name, MAX (step, 0));
    return NULL;
  }
  g_autofree char *style = own_style ();
  GString *out = g_string_new ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  g_string_append_printf (out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%ld\" height=\"%ld\" ",
                          lroundf (layout->width) + 2 * MARGIN, lroundf (layout->height) + 2 * MARGIN);
  append_view_box (out, layout);
  g_string_append_printf (out, "<style>%s</style>\n<rect x=\"%ld\" y=\"%ld\" width=\"100%%\" height=\"100%%\" fill=\"#%06x\"/>\n",
                          style, lroundf (layout->left) - MARGIN, lroundf (layout->top) - MARGIN, ls_hues (FALSE, FALSE)->ground);
  append_content (out, scene, layout);
  g_string_append (out, "</svg>\n");
  return g_string_free (out, FALSE);
}
