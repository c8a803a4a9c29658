/* The widget: its content and its picture. Layouts are asked for in request.c. */
#include "graph-view-private.h"
#include "kit/class.h"
#include "graph/layout/offscreen.h"
#include "ir/print.h"
#include "kit/text.h"
#include "session/node-filter.h"

#include <adwaita.h>
#include <glib/gi18n.h>

enum { PROP_0, PROP_BUSY, PROP_STATUS, PROP_ENGINE, PROP_FOLD, PROP_N_HIDDEN, N_PROPS };
static GParamSpec *props[N_PROPS];

G_DEFINE_FINAL_TYPE (LsGraphView, ls_graph_view, GTK_TYPE_WIDGET)

void
ls_graph_view_moved (LsGraphView *view)
{
  gtk_widget_queue_allocate (GTK_WIDGET (view));
  gtk_widget_queue_draw (GTK_WIDGET (view));
}

/* --- content of the screen --- */

/* A constant or an index that several boxes draw is marked in each. */
static void
mark_all_that_draw (LsGraphView *view, int found, guint32 id)
{
  const LsSceneNode *host = &view->scene->nodes[found];
  if (host->id == id || host->before == id || host->n_lanes > 1 || host->n_inside)
    return;
  for (guint i = 0; i < view->scene->n_nodes; i++)
    if (ls_scene_draws (view->scene, i, id))
      view->marks[i] |= LS_MARK_SELECTED;
}

static void
mark_nodes (LsGraphView *view)
{
  view->current = -1;
  ls_graph_canvas_forget (view);
  g_clear_pointer (&view->marks, g_free);
  if (view->scene) {
    view->marks = g_new0 (guint8, MAX (view->scene->n_nodes, 1));
    for (guint i = 0; i < view->selection->len; i++) {
      int node = ls_scene_find (view->scene, g_array_index (view->selection, guint32, i));
      if (node < 0)
        continue;
      view->marks[node] |= LS_MARK_SELECTED;
      mark_all_that_draw (view, node, g_array_index (view->selection, guint32, i));
      if (view->current < 0)
        view->current = node;
    }
    for (guint i = 0; i < view->captures->len; i++) {
      int node = ls_scene_find (view->scene, g_array_index (view->captures, LsCapture, i).id);
      if (node >= 0)
        view->marks[node] |= LS_MARK_BOUND;
    }
  }
  ls_graph_cursor_say (view);
  ls_graph_collapse_update (view);
  ls_graph_view_moved (view);
}

static void
find_edge_boxes (LsGraphView *view)
{
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (float));
  g_free (view->edge_boxes);
  view->edge_boxes = g_new (LsBox, MAX (view->scene->n_edges, 1));
  for (guint e = 0; e < view->scene->n_edges; e++) {
    ls_graph_edge_points (view, e, points);
    const float *q = (const float *) (gpointer) points->data;
    LsBox b = { q[0], q[1], q[0], q[1] };
    for (guint i = 1; i < points->len / 2; i++)
      b = (LsBox) { MIN (b.x0, q[2 * i]), MIN (b.y0, q[2 * i + 1]), MAX (b.x1, q[2 * i]), MAX (b.y1, q[2 * i + 1]) };
    view->edge_boxes[e] = (LsBox) { b.x0 - 6, b.y0 - 3, b.x1 + 6, b.y1 + 3 };
  }
}

static void
find_frames (LsGraphView *view)
{
  g_clear_pointer (&view->frames, ls_frames_free);
  if (view->layout && !(view->hidden & LS_HIDE_FRAMES))
    view->frames = ls_frames_new (view->scene, view->layout, ls_graph_view_sides (view));
}

static void
reveal_current (LsGraphView *view)
{
  if (!view->reveal || view->current < 0 || !view->placed || view->coming)
    return;
  view->reveal = FALSE;
  ls_graph_view_reveal (view, ls_graph_view_node_box (view, (guint) view->current));
}

void
ls_graph_view_show_scene (LsGraphView *view, LsScene *scene, LsLayout *layout)
{
  LsViewport seen = ls_graph_view_animated_viewport (view);
  gboolean goes_on = view->placed && view->pass && view->shown_pass == view->pass;      /* places of one pass are places of all its steps */
  ls_scene_free (view->scene);
  view->scene = scene;
  ls_layout_ref (layout);
  ls_layout_unref (view->layout);
  view->layout = layout;
  g_clear_pointer (&view->outline, ls_outline_unref);
  view->outline = layout->outline ? ls_outline_ref (layout->outline) : ls_scene_outline (scene, layout, NULL);
  view->hover = -1;
  ls_graph_tooltip_hide (view);
  g_clear_pointer (&view->visited, g_free);
  if (view->shown_pass != view->pass)
    view->own = (LsUserViewport) { 0 };
  view->shown_pass = view->pass;
  view->shown_step = view->step;
  ls_graph_minimap_forget (view);
  find_edge_boxes (view);
  find_frames (view);
  ls_graph_view_place (view);
  mark_nodes (view);
  reveal_current (view);
  if (goes_on)
    ls_graph_view_animate (view, seen);
  else
    ls_graph_view_stop_animation (view);
  ls_graph_view_say_layout (view);
  g_object_notify_by_pspec (G_OBJECT (view), props[PROP_N_HIDDEN]);
}

void
ls_graph_view_clear (LsGraphView *view)
{
  g_clear_pointer (&view->scene, ls_scene_free);
  g_clear_pointer (&view->layout, ls_layout_unref);
  g_clear_pointer (&view->outline, ls_outline_unref);
  g_clear_pointer (&view->edge_boxes, g_free);
  g_clear_pointer (&view->frames, ls_frames_free);
  view->hover = -1;
  ls_graph_tooltip_hide (view);
  view->placed = FALSE;
  g_clear_pointer (&view->visited, g_free);
  ls_graph_view_stop_animation (view);
  view->shown_pass = NULL;
  view->own = (LsUserViewport) { 0 };
  ls_graph_minimap_forget (view);
  mark_nodes (view);
  g_object_notify_by_pspec (G_OBJECT (view), props[PROP_N_HIDDEN]);
}

/* --- the contract --- */

static void
take_trace (LsGraphView *view, LsTrace *trace)
{
  if (view->trace == trace)
    return;
  /* node ids mean something else now */
  ls_graph_cache_forget (view);
  g_array_set_size (view->collapsed, 0);
  g_clear_pointer (&view->chain, ls_chain_unref);
  ls_graph_view_stop (view);
  ls_graph_view_clear (view);
  g_clear_pointer (&view->trace, ls_trace_unref);
  if (trace) {
    view->trace = ls_trace_ref (trace);
    view->chain = ls_chain_new (trace);
  }
}

static void
show_diff (LsGraphView *view, LsTrace *trace, const LsPass *pass, guint step, const LsPass *base, guint base_step, const LsGraphDiff *diff,
           LsUOp *root)
{
  LsGraphDiff *old = view->diff;
  view->diff = trace && diff ? ls_graph_diff_ref ((LsGraphDiff *) diff) : NULL;
  ls_graph_diff_unref (old);
  take_trace (view, trace);
  view->reveal = FALSE;
  view->pass = trace ? pass : NULL;
  view->step = step;
  view->base = trace ? base : NULL;
  view->base_step = base_step;
  view->root = trace ? root : NULL;
  ls_graph_view_request (view);
}

void
ls_graph_view_set_diff (LsGraphView *view, LsTrace *trace, const LsGraphDiff *diff)
{
  g_return_if_fail (LS_IS_GRAPH_VIEW (view));
  show_diff (view, trace, NULL, 0, NULL, 0, diff, NULL);
}

void
ls_graph_view_set_between (LsGraphView *view, LsTrace *trace, const LsPass *base, guint base_step, const LsPass *pass, guint step,
                           const LsGraphDiff *diff)
{
  g_return_if_fail (LS_IS_GRAPH_VIEW (view) && trace != NULL && base != NULL && pass != NULL);
  show_diff (view, trace, pass, step, base, base_step, diff, NULL);
}

/* Shows a step of a pass (0: its input) of trace, or NULL. diff: the step's change, when it is at hand. The picture's places are a function
 * of (pass, step). */
void
ls_graph_view_set_step (LsGraphView *view, LsTrace *trace, const LsPass *pass, guint step, const LsGraphDiff *diff)
{
  g_return_if_fail (LS_IS_GRAPH_VIEW (view));
  if (!trace || !pass) {
    show_diff (view, NULL, NULL, 0, NULL, 0, NULL, NULL);
    return;
  }
  step = MIN (step, ls_pass_n_steps (pass));
  g_autoptr (LsGraphDiff) own = step > 0 && !diff ? ls_pass_diff_step (trace, pass, step) : NULL;
  if (step > 0)
    show_diff (view, trace, pass, step, NULL, 0, diff ? diff : own, NULL);
  else
    show_diff (view, trace, pass, 0, NULL, 0, NULL, ls_context_node (trace->ctx, pass->input));
}

void
ls_graph_view_set_root (LsGraphView *view, LsTrace *trace, LsUOp *root)
{
  g_return_if_fail (LS_IS_GRAPH_VIEW (view));
  show_diff (view, trace, NULL, 0, NULL, 0, NULL, root);
}

void
ls_graph_view_set_scene (LsGraphView *view, LsTrace *trace, LsScene *scene)
{
  g_return_if_fail (LS_IS_GRAPH_VIEW (view));
  show_diff (view, scene ? trace : NULL, NULL, 0, NULL, 0, NULL, NULL);
  if (scene)
    ls_graph_view_request_scene (view, scene);
}

LsGraphMode
ls_graph_view_get_mode (LsGraphView *view)
{
  g_return_val_if_fail (LS_IS_GRAPH_VIEW (view), LS_GRAPH_BOTH);
  return view->mode;
}

void
ls_graph_view_set_mode (LsGraphView *view, LsGraphMode mode)
{
  g_return_if_fail (LS_IS_GRAPH_VIEW (view));
  if (view->mode == mode)
    return;
  view->mode = mode;
  view->hover = -1;
  ls_graph_tooltip_hide (view);
  g_clear_pointer (&view->visited, g_free);
  ls_graph_minimap_forget (view);
  ls_graph_canvas_forget (view);
  if (view->layout)
    find_edge_boxes (view);
  find_frames (view);
  ls_graph_view_moved (view);
}

void
ls_graph_view_set_selection (LsGraphView *view, const guint32 *ids, guint n)
{
  g_return_if_fail (LS_IS_GRAPH_VIEW (view));
  g_array_set_size (view->selection, 0);
  if (n)
    g_array_append_vals (view->selection, ids, n);
  mark_nodes (view);
  reveal_current (view);
}

void
ls_graph_view_reveal_selection (LsGraphView *view)
{
  g_return_if_fail (LS_IS_GRAPH_VIEW (view));
  LsViewport seen = ls_graph_view_animated_viewport (view), was = view->viewport;
  view->reveal = TRUE;
  reveal_current (view);
  if (view->viewport.x != was.x || view->viewport.y != was.y)
    ls_graph_view_animate (view, seen);
}

void
ls_graph_view_set_hover (LsGraphView *view, guint32 id)
{
  g_return_if_fail (LS_IS_GRAPH_VIEW (view));
  ls_graph_view_hover (view, view->scene && id != LS_NO_NODE ? ls_scene_find (view->scene, id) : -1);
}

gboolean
ls_graph_view_hover (LsGraphView *view, int node)
{
  if (node == view->hover)
    return FALSE;
  view->hover = node;
  gtk_widget_queue_draw (GTK_WIDGET (view));
  return TRUE;
}

void
ls_graph_view_tell_hover (LsGraphView *view)
{
  g_signal_emit_by_name (view, "node-hovered", view->scene && view->hover >= 0 ? view->scene->nodes[view->hover].id : LS_NO_NODE);
}

static void
clear_capture (gpointer data)
{
  g_free (((LsCapture *) data)->name);
  g_free (((LsCapture *) data)->value);
}

void
ls_graph_view_set_bindings (LsGraphView *view, const LsBinding *bindings, guint n)
{
  g_return_if_fail (LS_IS_GRAPH_VIEW (view));
  g_array_set_size (view->captures, 0);
  for (guint i = 0; i < n; i++)
    if (bindings[i].node && bindings[i].name) {
      LsCapture c = { g_utf8_make_valid (bindings[i].name, -1), NULL, bindings[i].node->id };
      g_autofree char *value = bindings[i].node->op == LS_OP_CONST ? ls_arg_print (bindings[i].node->arg) : NULL;
      c.value = value ? ls_text_cut (value, 12) : NULL;
      g_array_append_val (view->captures, c);
    }
  mark_nodes (view);
}

void
ls_graph_view_zoom_by (LsGraphView *view, double factor)
{
  g_return_if_fail (LS_IS_GRAPH_VIEW (view) && factor > 0);
  if (!view->layout)
    return;
  double x = gtk_widget_get_width (GTK_WIDGET (view)) / 2.0, y = gtk_widget_get_height (GTK_WIDGET (view)) / 2.0;
  if (view->current >= 0) {
    /* about the current node when it is in sight */
    LsBox b = ls_graph_view_node_box (view, (guint) view->current);
    double cx = (b.x0 + b.x1) / 2 * view->viewport.zoom + view->viewport.x, cy = (b.y0 + b.y1) / 2 * view->viewport.zoom + view->viewport.y;
    if (cx > 0 && cy > 0 && cx < 2 * x && cy < 2 * y) {
      x = cx;
      y = cy;
    }
  }
  ls_graph_view_zoom_at (view, factor, x, y);
}

void
ls_graph_view_set_fold (LsGraphView *view, gboolean fold)
{
  g_return_if_fail (LS_IS_GRAPH_VIEW (view));
  if (view->fold == fold)
    return;
  view->fold = fold;
  ls_graph_view_request (view);
  g_object_notify_by_pspec (G_OBJECT (view), props[PROP_FOLD]);
}

void
ls_graph_view_set_hidden (LsGraphView *view, guint classes)
{
  g_return_if_fail (LS_IS_GRAPH_VIEW (view));
  if (view->hidden == classes)
    return;
  view->hidden = classes;
  ls_graph_view_request (view);
}

guint
ls_graph_view_get_n_hidden (LsGraphView *view)
{
  g_return_val_if_fail (LS_IS_GRAPH_VIEW (view), 0);
  return view->scene ? view->scene->n_hidden : 0;
}

void
ls_graph_view_set_engine (LsGraphView *view, LsGraphEngine engine)
{
  g_return_if_fail (LS_IS_GRAPH_VIEW (view));
  if (view->engine == engine)
    return;
  view->engine = engine;
  ls_graph_view_request (view);
  g_object_notify_by_pspec (G_OBJECT (view), props[PROP_ENGINE]);
}

gboolean
ls_graph_view_get_busy (LsGraphView *view)
{
  g_return_val_if_fail (LS_IS_GRAPH_VIEW (view), FALSE);
  return view->busy;
}

gboolean
ls_graph_view_node_rect (LsGraphView *view, guint32 id, graphene_rect_t *rect)
{
  g_return_val_if_fail (LS_IS_GRAPH_VIEW (view) && rect != NULL, FALSE);
  int node = view->scene && view->layout ? ls_scene_find (view->scene, id) : -1;
  if (node < 0)
    return FALSE;
  LsBox b = ls_graph_view_node_box (view, (guint) node);
  graphene_rect_init (rect, (float) (b.x0 * view->viewport.zoom + view->viewport.x),
                      (float) (b.y0 * view->viewport.zoom + view->viewport.y),
                      (float) ((b.x1 - b.x0) * view->viewport.zoom),
                      (float) ((b.y1 - b.y0) * view->viewport.zoom));
  return TRUE;
}

void
ls_graph_view_choose (LsGraphView *view, int node)
{
  guint32 id = view->scene->nodes[node].id;
  ls_graph_view_set_selection (view, &id, 1);
  ls_graph_view_reveal_selection (view);
  g_signal_emit_by_name (view, "node-selected", id);
}

/* --- the widget --- */

static void
snapshot (GtkWidget *widget, GtkSnapshot *snap)
{
  LsGraphView *view = LS_GRAPH_VIEW (widget);
  double w = gtk_widget_get_width (widget), h = gtk_widget_get_height (widget);
  LsPalette palette;
  ls_graph_palette (widget, &palette);
  graphene_rect_t all = GRAPHENE_RECT_INIT (0, 0, (float) w, (float) h);
  gtk_snapshot_append_color (snap, &palette.ground, &all);
  if (!view->text)
    ls_graph_measure (view);
  LsBox area = { 0, 0, (float) w, (float) h };
  cairo_t *cr = gtk_snapshot_append_cairo (snap, &all);
  LsViewport to = view->viewport;
  view->viewport = ls_graph_view_animated_viewport (view);      /* all painting code asks it */
  if (view->scene && view->layout && view->placed) {
    ls_graph_canvas (view, cr, &palette, (int) w, (int) h);
    ls_graph_paint_hover (view, cr, &palette, area);
  }
  ls_graph_overlay (view, cr, &palette, w, h);
  view->viewport = to;
  cairo_destroy (cr);
  gtk_widget_snapshot_child (widget, view->stop, snap);
}

static void
measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *min, int *nat, int *min_baseline, int *nat_baseline)
{
  *min = 120;
  *nat = orientation == GTK_ORIENTATION_HORIZONTAL ? 600 : 400;
}

static void
size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  LsGraphView *view = LS_GRAPH_VIEW (widget);
  if (!view->placed || view->placed_width != width || view->placed_height != height)
    ls_graph_view_resized (view);
  ls_graph_cursor_say_offscreen (view);
  GtkAllocation a = { 0, 0, 1, 1 };
  if (view->current >= 0 && view->layout) {
    LsBox b = ls_graph_view_node_box (view, (guint) view->current);
    a.x = (int) CLAMP (b.x0 * view->viewport.zoom + view->viewport.x, 0, MAX (width - 1, 0));
    a.y = (int) CLAMP (b.y0 * view->viewport.zoom + view->viewport.y, 0, MAX (height - 1, 0));
    a.width = (int) CLAMP (b.x1 * view->viewport.zoom + view->viewport.x - a.x, 1, MAX (width - a.x, 1));
    a.height = (int) CLAMP (b.y1 * view->viewport.zoom + view->viewport.y - a.y, 1, MAX (height - a.y, 1));
  }
  /* GTK wants to measure before it allocates */
  gtk_widget_measure (view->cursor, GTK_ORIENTATION_HORIZONTAL, -1, NULL, NULL, NULL, NULL);
  gtk_widget_size_allocate (view->cursor, &a, -1);
  if (gtk_widget_get_visible (view->stop)) {
    GtkRequisition size;
    gtk_widget_get_preferred_size (view->stop, NULL, &size);
    GtkAllocation b = { MAX ((width - size.width) / 2, 0), view->scene ? 44 : height / 2 + 16, MIN (size.width, width), size.height };
    gtk_widget_size_allocate (view->stop, &b, -1);
  }
  if (view->menu)
    gtk_popover_present (GTK_POPOVER (view->menu));
}

static gboolean
grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (LS_GRAPH_VIEW (widget)->cursor);
}

/* The picture itself hands the focus to its cursor: backwards from there would be there again. */
static gboolean
focus (GtkWidget *widget, GtkDirectionType direction)
{
  if (direction == GTK_DIR_TAB_BACKWARD && gtk_widget_is_focus (LS_GRAPH_VIEW (widget)->cursor))
    return FALSE;
  return GTK_WIDGET_CLASS (ls_graph_view_parent_class)->focus (widget, direction);
}

static void
system_setting_changed (GtkWidget *widget, GtkSystemSetting setting)
{
  LsGraphView *view = LS_GRAPH_VIEW (widget);
  GTK_WIDGET_CLASS (ls_graph_view_parent_class)->system_setting_changed (widget, setting);
  g_clear_object (&view->text);
  ls_graph_canvas_forget (view);
  gtk_widget_queue_draw (widget);
}

static void
on_dark (LsGraphView *view)
{
  ls_graph_minimap_forget (view);
  ls_graph_canvas_forget (view);
  gtk_widget_queue_draw (GTK_WIDGET (view));
}

static void
ls_graph_view_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  LsGraphView *view = LS_GRAPH_VIEW (object);
  switch (id) {
  case PROP_BUSY: g_value_set_boolean (value, view->busy); break;
  case PROP_STATUS: g_value_set_string (value, view->status); break;
  case PROP_ENGINE: g_value_set_enum (value, (int) view->engine); break;
  case PROP_N_HIDDEN: g_value_set_uint (value, ls_graph_view_get_n_hidden (view)); break;
  case PROP_FOLD: g_value_set_boolean (value, view->fold); break;
  default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
}

static void
ls_graph_view_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  LsGraphView *view = LS_GRAPH_VIEW (object);
  switch (id) {
  case PROP_ENGINE: ls_graph_view_set_engine (view, (LsGraphEngine) g_value_get_enum (value)); break;
  case PROP_FOLD: ls_graph_view_set_fold (view, g_value_get_boolean (value)); break;
  default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
}

static GType
engine_type (void)
{
  static gsize type;
  static const GEnumValue values[] = { { LS_GRAPH_STABLE, "LS_GRAPH_STABLE", "stable" }, { LS_GRAPH_DOT, "LS_GRAPH_DOT", "dot" },
                                       { 0, NULL, NULL } };
  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("LsGraphEngine", values));
  return type;
}

static void
ls_graph_view_class_init (LsGraphViewClass *class)
{
  GObjectClass *object_class = G_OBJECT_CLASS (class);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);
  object_class->get_property = ls_graph_view_get_property;
  object_class->set_property = ls_graph_view_set_property;
  widget_class->snapshot = snapshot;
  widget_class->measure = measure;
  widget_class->size_allocate = size_allocate;
  widget_class->grab_focus = grab_focus;
  widget_class->focus = focus;
  widget_class->system_setting_changed = system_setting_changed;
  gtk_widget_class_set_css_name (widget_class, "graph");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_LIST);
  props[PROP_BUSY] = g_param_spec_boolean ("busy", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  props[PROP_STATUS] = g_param_spec_string ("status", NULL, NULL, NULL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  props[PROP_ENGINE] = g_param_spec_enum ("engine", NULL, NULL, engine_type (), LS_GRAPH_STABLE,
                                          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  props[PROP_FOLD] = g_param_spec_boolean ("fold", NULL, NULL, TRUE, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  props[PROP_N_HIDDEN] = g_param_spec_uint ("n-hidden", NULL, NULL, 0, G_MAXUINT, 0, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, props);
  gtk_widget_class_install_property_action (widget_class, "graph.engine", "engine");
  gtk_widget_class_install_property_action (widget_class, "graph.fold", "fold");
  ls_graph_menu_class_init (widget_class);
  ls_class_signal (class, "node-selected", 1, G_TYPE_UINT);
  ls_class_signal (class, "node-hovered", 1, G_TYPE_UINT);
  ls_class_signal (class, "node-activated", 1, G_TYPE_UINT);
  LS_ON_DISPOSE (class, ls_graph_view_stop);
  LS_SOURCES (class, LsGraphView, tip_timeout);
  LS_OWNS (class, LsGraphView, gtk_widget_unparent, cursor, stop, menu);
  LS_OWNS (class, LsGraphView, ls_chain_unref, chain);
  LS_OWNS (class, LsGraphView, ls_scene_free, scene);
  LS_OWNS (class, LsGraphView, ls_layout_unref, layout);
  LS_OWNS (class, LsGraphView, ls_frames_free, frames);
  LS_OWNS (class, LsGraphView, ls_outline_unref, outline);
  LS_OWNS (class, LsGraphView, ls_graph_diff_unref, diff);
  LS_OWNS (class, LsGraphView, ls_trace_unref, trace);
  LS_OWNS (class, LsGraphView, g_object_unref, text, questions);
  LS_ON_DISPOSE (class, ls_graph_minimap_forget);
  LS_ON_DISPOSE (class, ls_graph_canvas_forget);
  LS_ON_FINALIZE (class, ls_graph_cache_free);
  LS_KEEPS (class, LsGraphView, g_array_unref, selection, captures, collapsed);
  LS_KEEPS (class, LsGraphView, g_free, edge_boxes, marks, visited, status);
}

static void
ls_graph_view_init (LsGraphView *view)
{
  view->mode = LS_GRAPH_BOTH;
  view->fold = TRUE;
  view->viewport.zoom = 1;
  view->current = view->hover = view->tip = -1;
  view->selection = g_array_new (FALSE, FALSE, sizeof (guint32));
  view->captures = g_array_new (FALSE, FALSE, sizeof (LsCapture));
  g_array_set_clear_func (view->captures, clear_capture);
  ls_graph_cache_init (view);
  ls_graph_collapse_init (view);
  view->status = g_strdup (_("no graph"));
  view->cursor = ls_graph_cursor_new ();
  gtk_widget_set_parent (view->cursor, GTK_WIDGET (view));
  ls_graph_view_add_stop (view);
  gtk_widget_set_overflow (GTK_WIDGET (view), GTK_OVERFLOW_HIDDEN);
  gtk_accessible_update_property (GTK_ACCESSIBLE (view), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Graph"), -1);
  ls_graph_cursor_say (view);
  ls_graph_view_add_input (view);
  ls_graph_menu_add (view);
  ls_graph_collapse_update (view);
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark", G_CALLBACK (on_dark), view, G_CONNECT_SWAPPED);
  g_signal_connect_object (adw_style_manager_get_default (), "notify::high-contrast", G_CALLBACK (on_dark), view, G_CONNECT_SWAPPED);
}

GtkWidget *
ls_graph_view_new (void)
{
  return g_object_new (LS_TYPE_GRAPH_VIEW, NULL);
}
