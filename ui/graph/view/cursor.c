/* The accessible tree of a graph, for assistive technology.
 *
 * GTK 4.8 cannot expose children that are not widgets. So there is one child, which can have the focus, sits on the current node and
 * bears a sentence about it and its neighbours; arrows move it along edges. The part of the change that is outside is its description.
 */
#include "graph-view-private.h"

#include <glib/gi18n.h>
#include <string.h>

#define LS_TYPE_GRAPH_CURSOR (ls_graph_cursor_get_type ())
G_DECLARE_FINAL_TYPE (LsGraphCursor, ls_graph_cursor, LS, GRAPH_CURSOR, GtkWidget)
struct _LsGraphCursor { GtkWidget parent_instance; };
G_DEFINE_FINAL_TYPE (LsGraphCursor, ls_graph_cursor, GTK_TYPE_WIDGET)

static void ls_graph_cursor_init (LsGraphCursor *cursor) {}

static void
ls_graph_cursor_class_init (LsGraphCursorClass *class)
{
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (class), GTK_ACCESSIBLE_ROLE_LIST_ITEM);
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (class), "node");
}

GtkWidget *
ls_graph_cursor_new (void)
{
  return g_object_new (LS_TYPE_GRAPH_CURSOR, "focusable", TRUE, "can-target", FALSE, NULL);
}

void
ls_graph_cursor_say (LsGraphView *view)
{
  g_autofree char *sentence = NULL;
  if (!view->cursor)
    return;
  if (!view->scene)
    sentence = g_strdup (_("Graph, empty"));
  else if (view->current < 0)
    sentence = g_strdup_printf (ngettext ("Graph of %u node, not selected", "Graph of %u nodes, none selected", view->scene->n_nodes),
                                view->scene->n_nodes);
  else
    sentence = ls_scene_sentence (view->scene, (guint) view->current);
  gtk_accessible_update_property (GTK_ACCESSIBLE (view->cursor), GTK_ACCESSIBLE_PROPERTY_LABEL, sentence, -1);
}

void
ls_graph_cursor_say_offscreen (LsGraphView *view)
{
  LsOffscreen outside = { 0 };
  if (view->scene && view->layout)
    outside = ls_graph_view_offscreen (view);
  if (!memcmp (&outside, &view->said_offscreen, sizeof outside))
    return;
  view->said_offscreen = outside;
  g_autofree char *text = ls_offscreen_text (&outside), *sentence = g_strdup_printf (_("%s (press . to go there)"), text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (view->cursor), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, outside.n ? sentence : "", -1);
}
