/* The default view of a step is readable: over all steps of all examples, in the graph's space of two sizes of window, every box that
 * was added, removed or changed is completely visible with its second line, or is counted as outside with the way to it. The geometry is
 * that of the window, worked out without one; then one goes there by key and click. */
#include "fixture.h"
#include "graph/layout/chain.h"
#include "graph/view/graph-view-private.h"
#include "kit/state.h"

#include <math.h>
#include <string.h>

/* The least that the graph has in these windows. */
static const struct { const char *window; int window_width, window_height; double width, height; } rooms[] = {
  { "1280 x 800", 1280, 800, 430, 460 },
  { "1600 x 1000", 1600, 1000, 590, 660 },
};

typedef struct { guint steps, boxes, seen, read, counted, whole, captures; } Sum;

/* As a reader finds it, without the view's own arithmetic. */
static LsDirection
way_to (LsViewport s, double x, double y, double w, double h, double width, double height)
{
  double left = x * s.zoom + s.x, top = y * s.zoom + s.y, right = left + w * s.zoom - width,
         bottom = top + h * s.zoom - (height - LS_LEGEND);
  double across = MAX (-left, right), down = MAX (-top, bottom);
  if (across <= 0 && down <= 0)
    return LS_N_DIRECTIONS;
  return across >= down ? left < 0 && -left >= right ? LS_DIRECTION_LEFT : LS_DIRECTION_RIGHT
                        : top < 0 && -top >= bottom ? LS_DIRECTION_ABOVE : LS_DIRECTION_BELOW;
}

static gboolean
is_read (const LsScene *scene, guint i, const LsUOp *u)
{
  const char *second = ls_scene_second_line (scene, i, LS_IN_BOTH);
  if (scene->nodes[i].kind == LS_DIFF_CHANGED && !strstr (second, "→") && !strstr (second, " changed") && !strstr (second, " replaced"))
    return FALSE;
  return u->dtype == LS_VOID || *second;
}

static void
look_at (const LsScene *scene, const LsLayout *l, LsViewport viewport, double width, double height, const char *where, Sum *sum)
{
  guint way[LS_N_DIRECTIONS + 1] = { 0 };
  for (guint i = 0; i < scene->n_nodes; i++) {
    const LsSceneNode *node = &scene->nodes[i];
    if (node->kind == LS_DIFF_SAME || node->kind == LS_DIFF_MOVED)
      continue;
    const LsUOp *u = ls_graph_node (node->kind == LS_DIFF_REMOVED ? scene->before : scene->after, node->id);
    LsDirection to = way_to (viewport, l->x[i], l->y[i], node->width, LS_SCENE_HEIGHT, width, height);
    gboolean read = to == LS_N_DIRECTIONS && viewport.zoom >= LS_ZOOM_LINES && is_read (scene, i, u);
    way[to] += node->n_lanes;      /* a stack stands for as many */
    sum->read += read ? node->n_lanes : 0;
    if (to == LS_N_DIRECTIONS && !read)
      g_test_message ("%s: %s \"%s\" is not read at zoom %.2f", where, node->title[1], ls_scene_second_line (scene, i, LS_IN_BOTH),
                      viewport.zoom);
  }
  LsOffscreen outside = ls_offscreen (scene, l, LS_IN_BOTH, viewport, width, height);
  guint all = 0, counted = 0;
  for (guint i = 0; i <= LS_N_DIRECTIONS; i++)
    all += way[i];
  for (guint i = 0; i < LS_N_DIRECTIONS; i++)
    counted += MIN (way[i], outside.way[i]);
  if (all && !way[LS_N_DIRECTIONS])
    g_test_fail_printf ("%s: nothing of the change is seen", where);
  g_assert_cmpuint (outside.n, ==, all - way[LS_N_DIRECTIONS]);
  sum->steps += all > 0;
  sum->whole += all > 0 && way[LS_N_DIRECTIONS] == all;
  sum->boxes += all;
  sum->seen += way[LS_N_DIRECTIONS];
  sum->counted += counted;
}

/* A name that the rule gave to a node drawn inside a box is at a box of its match or of its result, not at another with the same inside. */
static guint
look_at_captures (LsTrace *trace, const LsPass *pass, guint step, const LsGraphDiff *d, const LsScene *scene, const char *where)
{
  LsBinding bindings[32];
  guint n = ls_step_bindings (trace, pass, step, bindings, G_N_ELEMENTS (bindings)), n_inside = 0;
  if (!n || !d->matched)
    return 0;
  g_autoptr (GPtrArray) match = ls_uop_toposort (trace->ctx, d->matched), made = ls_uop_toposort (trace->ctx, d->result);
  g_autoptr (GHashTable) ids = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < match->len; i++)
    g_hash_table_add (ids, GUINT_TO_POINTER (((LsUOp *) match->pdata[i])->id));
  for (guint i = 0; i < made->len; i++)
    g_hash_table_add (ids, GUINT_TO_POINTER (((LsUOp *) made->pdata[i])->id));
  for (guint i = 0; i < n; i++) {
    int at = bindings[i].node ? ls_scene_find (scene, bindings[i].node->id) : -1;
    const LsSceneNode *box = at < 0 ? NULL : &scene->nodes[at];
    if (!box || box->id == bindings[i].node->id || box->before == bindings[i].node->id)
      continue;
    n_inside++;
    if (box->n_lanes == 1 && !g_hash_table_contains (ids, GUINT_TO_POINTER (box->id)) &&
        !g_hash_table_contains (ids, GUINT_TO_POINTER (box->before)))
      g_test_fail_printf ("%s: %s stands at %s, which the rule neither matched nor made", where, bindings[i].name, box->title[1]);
  }
  return n_inside;
}

/* A step as it is shown, at a place with this name. FALSE: no further. */
typedef struct { LsTrace *trace; const LsPass *pass; guint step; const LsGraphDiff *diff; const LsScene *scene; const LsLayout *layout;
                 const char *place; } Shown;
typedef gboolean (*Look) (const Shown *shown, gpointer data);

/* One in so many of the blocks of consecutive steps. */
static void
each_step (const char *path, guint one_in, Look look, gpointer data)
{
  g_autoptr (LsTrace) trace = ls_trace_load (path, NULL);
  g_autoptr (LsChain) chain = ls_chain_new (trace);
  gboolean on = TRUE;
  guint block = 0;
  for (guint i = 0; i < trace->passes->len; i++) {
    const LsPass *pass = trace->passes->pdata[i];
    for (guint k = 1; on && k <= ls_pass_n_rewrites (pass); k++) {
      block += k == 1 || k % LS_CHAIN_BLOCK == 0;
      if (block % one_in)
        continue;
      g_autoptr (LsGraphDiff) diff = ls_pass_diff_step (trace, pass, k);
      g_autoptr (LsScene) scene = ls_scene_new_diff (trace, diff, TRUE);
      g_autoptr (LsLayout) l = ls_chain_layout (chain, pass, k, TRUE, scene);
      g_autofree char *place = g_strdup_printf ("%u/%s/%u", pass->kernel, pass->name, k);
      on = look (&(Shown) { trace, pass, k, diff, scene, l, place }, data);
    }
  }
}

typedef struct { const char *program; Sum sums[G_N_ELEMENTS (rooms)]; } All;

static gboolean
look_at_step (const Shown *s, gpointer data)
{
  All *all = data;
  g_autofree char *where = g_strdup_printf ("%s %s", all->program, s->place);
  all->sums->captures += look_at_captures (s->trace, s->pass, s->step, s->diff, s->scene, where);
  for (guint r = 0; r < G_N_ELEMENTS (rooms); r++)
    look_at (s->scene, s->layout, ls_outline_viewport (s->layout->outline, rooms[r].width, rooms[r].height, 0), rooms[r].width,
             rooms[r].height, where, &all->sums[r]);
  return TRUE;
}

static void
test_all (void)
{
  All all = { NULL };
  guint one_in = fixture_share (6, 24, "blocks of 16 steps");
  g_autoptr (GDir) dir = g_dir_open (g_getenv ("LAZYSCOPE_PROGRAMS"), 0, NULL);
  for (const char *name; (name = g_dir_read_name (dir)); )
    if (g_str_has_suffix (name, ".py")) {
      g_autofree char *program = g_strndup (name, strlen (name) - 3), *path = fixture_record (program);
      all.program = program;
      each_step (path, one_in, look_at_step, &all);
    }
  g_assert_cmpuint (all.sums->captures, >, 50);
  for (guint r = 0; r < G_N_ELEMENTS (rooms); r++) {
    const Sum *s = &all.sums[r];
    g_assert_cmpuint (s->steps, >, 1000);
    g_print ("# %s: %.1f %% of %u boxes in %u steps are read or counted as outside; %.1f %% are in the view, in %.1f %% of steps all\n",
             rooms[r].window,
             floor (1000.0 * (s->read + s->counted) / s->boxes) / 10, s->boxes, s->steps, 100.0 * s->seen / s->boxes,
             100.0 * s->whole / s->steps);
    g_assert_cmpuint (s->read + s->counted, ==, s->boxes);
  }
}

/* --- there by key and click --- */

/* A step of whose change some is outside. */
static gboolean
is_seen_whole (const Shown *s, gpointer found)
{
  if (ls_offscreen (s->scene, s->layout, LS_IN_BOTH, ls_outline_viewport (s->layout->outline, 640, 700, 0), 640, 700).n <= 2)
    return TRUE;
  *(char **) found = g_strdup (s->place);
  return FALSE;
}

static void
note_seen (LsGraphView *view, gboolean *seen)
{
  for (guint i = 0; i < view->scene->n_nodes; i++)
    seen[i] |= ls_viewport_direction (view->viewport, ls_graph_view_node_box (view, i), TRUE, gtk_widget_get_width (GTK_WIDGET (view)),
                             gtk_widget_get_height (GTK_WIDGET (view))) == LS_N_DIRECTIONS;
}

static guint
count_unseen (LsGraphView *view, const gboolean *seen)
{
  guint n = 0;
  for (guint i = 0; i < view->scene->n_nodes; i++)
    n += ls_scene_changed (view->scene, i, LS_IN_BOTH) && !seen[i] ? view->scene->nodes[i].n_lanes : 0;
  return n;
}

static void
test_going_there (void)
{
  g_autofree char *position = NULL;
  g_autofree char *path = fixture_record ("random_numbers");
  each_step (path, 1, is_seen_whole, &position);
  g_assert_nonnull (position);
  LsWindow *window = open_recording (path, position, 1280, 800);
  LsGraphView *view = ls_steps_view_get_graph (window->steps);
  g_autofree gboolean *seen = g_new0 (gboolean, view->scene->n_nodes);
  LsViewport home = view->viewport;
  gtk_test_widget_wait_for_draw (GTK_WIDGET (view));
  LsOffscreen outside = ls_graph_view_offscreen (view);
  note_seen (view, seen);
  g_assert_cmpuint (count_unseen (view, seen), ==, outside.n);
  g_assert_cmpuint (outside.n, >, 0);
  /* a click on the note goes to the first, the key to the others */
  g_assert_true (view->note.x1 > view->note.x0);
  input_move (GTK_WIDGET (view), (view->note.x0 + view->note.x1) / 2, (view->note.y0 + view->note.y1) / 2);
  input_button (1, TRUE);
  input_button (1, FALSE);
  settle ();
  note_seen (view, seen);
  guint left = count_unseen (view, seen);
  g_assert_cmpuint (left, <, outside.n);
  for (guint i = 0; left; i++) {
    g_assert_cmpuint (i, <, outside.n);
    input_key (GDK_KEY_period, 0);
    note_seen (view, seen);
    guint now = count_unseen (view, seen);
    g_assert_cmpuint (now, <, left);      /* each press shows more of it */
    g_assert_cmpfloat (view->viewport.zoom, >=, LS_ZOOM_LINES);
    left = now;
  }
  input_key (GDK_KEY_period, 0);      /* and it begins again */
  g_assert_cmpfloat (view->own.zoom, ==, 0);
  g_assert_cmpfloat (view->viewport.zoom, ==, home.zoom);
  close_window (window);
}

/* f shows the whole, as large as it can be, here and at the steps to come. */
static void
test_fit (void)
{
  LsWindow *window = open_recording (fixture_matmul (), "3/simplify#2/3", 1280, 800);
  LsGraphView *view = ls_steps_view_get_graph (window->steps);
  g_assert_cmpfloat (ls_outline_fit (view->outline, gtk_widget_get_width (GTK_WIDGET (view)), gtk_widget_get_height (GTK_WIDGET (view))), <,
                     LS_ZOOM_LINES);
  for (guint i = 0; i < 20; i++) {
    if (i == 0)
      input_key (GDK_KEY_f, 0);
    double w = gtk_widget_get_width (GTK_WIDGET (view)), h = gtk_widget_get_height (GTK_WIDGET (view)),
           fit = ls_outline_fit (view->outline, w, h);
    LsBox e = ls_graph_view_extents (view);
    g_assert_cmpfloat (e.x0 * view->viewport.zoom + view->viewport.x, >=, -1);
    g_assert_cmpfloat (e.x1 * view->viewport.zoom + view->viewport.x, <=, w + 1);
    g_assert_cmpfloat (e.y0 * view->viewport.zoom + view->viewport.y, >=, -1);
    g_assert_cmpfloat (e.y1 * view->viewport.zoom + view->viewport.y, <=, h + 1);
    if (i == 0)
      g_assert_cmpfloat (view->viewport.zoom, ==, fit);
    g_assert_cmpfloat (view->viewport.zoom * 1.2, >=, fit);
    input_key (GDK_KEY_n, 0);
    wait_window (window);
  }
  close_window (window);
}

/* Edges that are longer than the view end in stubs, wherever it is panned to; those of the chosen node are whole, and so are those of
 * the change. */
static void
test_stubs (void)
{
  LsWindow *window = open_recording (fixture_matmul (), "3/index/5", 1280, 800);
  LsGraphView *view = ls_steps_view_get_graph (window->steps);
  ls_graph_view_set_fold (view, FALSE);      /* each lane is a box */
  wait_window (window);
  guint n = 0, one = G_MAXUINT;
  for (guint e = 0; e < view->scene->n_edges; e++) {
    const LsSceneEdge *edge = &view->scene->edges[e];
    LsBox from = ls_graph_view_node_box (view, edge->from), to = ls_graph_view_node_box (view, edge->to);
    double room_x = gtk_widget_get_width (GTK_WIDGET (view)), room_y = gtk_widget_get_height (GTK_WIDGET (view)),
           dx = ABS (from.x0 - to.x0) * view->viewport.zoom, dy = ABS (from.y0 - to.y0) * view->viewport.zoom;
    gboolean stub = ls_graph_edge_is_stub (view, e, view->viewport.zoom);
    if (edge->side != LS_IN_BOTH || (dx <= room_x - 100 && dy <= room_y - 100))
      g_assert_false (stub);
    else if (dx > room_x || dy > room_y)      /* between the two the view's size in steps of 100 pixels decides */
      g_assert_true (stub);
    n += stub;
    one = stub ? e : one;
    g_assert_false (ls_graph_edge_is_stub (view, e, LS_ZOOM_TEXT / 2));      /* there a line is all there is of it */
  }
  g_assert_cmpuint (n, >, 5);
  guint32 node = view->scene->nodes[view->scene->edges[one].to].id;
  ls_view_session_select (window->session, LS_CHOSEN_IN_GRAPH, &node, 1);
  wait_window (window);
  g_assert_false (ls_graph_edge_is_stub (view, one, view->viewport.zoom));
  close_window (window);
}

/* The minimap covers no box, and is above legend and note. */
static void
test_minimap (void)
{
  static const char *const positions[] = { "3/lower/1", "3/simplify#2/5", "3/expand/9", "3/index/1", "1/ast/3" };
  guint shown = 0;
  for (guint r = 0; r < G_N_ELEMENTS (rooms); r++)
    for (guint k = 0; k < G_N_ELEMENTS (positions); k++) {
      ls_state_forget ("splits");      /* of the smaller window */
      LsWindow *window = open_recording (fixture_matmul (), positions[k], rooms[r].window_width, rooms[r].window_height);
      LsGraphView *view = ls_steps_view_get_graph (window->steps);
      double w = gtk_widget_get_width (GTK_WIDGET (view)), h = gtk_widget_get_height (GTK_WIDGET (view)), scale;
      g_assert_cmpfloat (w, >=, rooms[r].width);
      g_assert_cmpfloat (h, >=, rooms[r].height);
      LsBox map;
      if (ls_graph_minimap (view, w, h, &map, &scale)) {
        shown++;
        g_assert_cmpfloat (map.y1, <=, h - LS_LEGEND);
        for (guint i = 0; i < view->scene->n_nodes; i++) {
          graphene_rect_t b;
          g_assert_true (ls_graph_view_node_rect (view, view->scene->nodes[i].id, &b));
          g_assert_true (b.origin.x > map.x1 || b.origin.x + b.size.width < map.x0 || b.origin.y > map.y1 ||
                         b.origin.y + b.size.height < map.y0);
        }
      }
      close_window (window);
    }
  g_assert_cmpuint (shown, >, 2);
}

int
main (int argc, char **argv)
{
  fixture_init (&argc, &argv);
  g_test_add_func ("/reading/all-steps", test_all);
  if (fixture_show ()) {
    g_test_add_func ("/reading/going-there", test_going_there);
    g_test_add_func ("/reading/fit", test_fit);
    g_test_add_func ("/reading/stubs", test_stubs);
    g_test_add_func ("/reading/minimap", test_minimap);
  }
  return fixture_end ();
}
