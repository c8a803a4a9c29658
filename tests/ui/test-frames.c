/* Frames of loops: which boxes are in them, where they are drawn, and what a folded one is. */
#include "codegen/linearize.h"
#include "graph/layout/chain.h"
#include "graph/layout/frames.h"
#include "graphs.h"
#include "ir/axis.h"
#include "trace/diff.h"

static LsUOp *
make_reduce_range (LsContext *c, gint64 axis, gint64 size)
{
  gint64 ints[3] = { axis, LS_AXIS_REDUCE, 0 };
  return ls_uop_new1 (c, LS_OP_RANGE, LS_INDEX, make_index (c, size), ls_arg_ints (c, 3, ints));
}

/* data0[i] = sum over j of data1[i*6+j] * data2[j], times 2 */
typedef struct { LsUOp *i, *j, *row, *column, *product, *sum, *twice, *sink; } Graph;

static Graph
graph (LsContext *c)
{
  Graph g = { .i = make_range (c, 0, 4), .j = make_reduce_range (c, 1, 6) };
  gint64 none[1] = { 0 };
  LsArg add = ls_arg_op_ints (c, LS_OP_ADD, 0, none);
  g.row = make_load (c, make_global (c, 1), make_add (c, make_mul (c, g.i, make_index (c, 6)), g.j));
  g.column = make_load (c, make_global (c, 2), g.j);
  g.product = make_mul (c, g.row, g.column);
  g.sum = ls_uop_new2 (c, LS_OP_REDUCE, LS_FLOAT, g.product, g.j, add);
  g.twice = make_mul (c, g.sum, ls_uop_const_f (c, LS_FLOAT, 2));
  g.sink = make_store (c, make_global (c, 0), g.i, g.twice);
  return g;
}

static LsLayout *
lay_out (const LsScene *scene)
{
  g_autoptr (LsLayoutInput) input = ls_scene_layout_input (scene);
  return ls_ranks_layout (input, NULL);
}

static guint
loop_of (const LsScene *s, const LsUOp *u)
{
  int at = ls_scene_find (s, u->id);
  g_assert_cmpint (at, >=, 0);
  return s->nodes[at].loop[1];
}

static void
test_members (Fixture *f, gconstpointer unused)
{
  Graph g = graph (f->ctx);
  g_autoptr (LsScene) s = ls_scene_new_root (f->trace, NULL, g.sink, TRUE);
  g_autoptr (LsLayout) layout = lay_out (s);
  g_autoptr (LsFrames) frames = ls_frames_new (s, layout, LS_IN_BOTH);
  g_assert_cmpuint (s->loops[1]->len, ==, 2);
  g_assert_cmpuint (loop_of (s, g.product), ==, 2);
  g_assert_cmpuint (loop_of (s, g.column), ==, 2);      /* invariant in i: its row is in both */
  g_assert_cmpuint (loop_of (s, g.sum), ==, 2);
  g_assert_cmpuint (loop_of (s, g.twice), ==, 1);
  g_assert_cmpuint (loop_of (s, g.sink->src[0]), ==, 1);
  g_assert_cmpuint (loop_of (s, g.sink), ==, 0);
  g_assert_cmpuint (loop_of (s, g.row->src[0]->src[0]), ==, 0);
  g_assert_cmpuint (frames->frames->len, ==, 2);
  const LsFrame *i = &g_array_index (frames->frames, LsFrame, 0), *j = &g_array_index (frames->frames, LsFrame, 1);
  g_assert_cmpstr (i->text, ==, "i:4 loop");
  g_assert_cmpstr (j->text, ==, "j:6 reduce");
  g_assert_cmpuint (j->n_boxes, ==, 4);
  g_assert_cmpuint (i->n_boxes, ==, 6);
  g_assert_true (i->box.x0 < j->box.x0 && i->box.y0 < j->box.y0 && i->box.x1 > j->box.x1 && i->box.y1 > j->box.y1);
  g_assert_cmpint (ls_frames_title_at (frames, (j->title.x0 + j->title.x1) / 2, (j->title.y0 + j->title.y1) / 2), ==, 1);
  g_assert_cmpint (ls_frames_title_at (frames, j->title.x0 - 2, j->title.y1 + 20), ==, -1);
  g_assert_cmpint (ls_frames_of (frames, s, (guint) ls_scene_find (s, g.twice->id)), ==, 0);
  g_assert_cmpint (ls_frames_of (frames, s, (guint) ls_scene_find (s, g.sink->id)), ==, -1);
}

static void
test_fold (Fixture *f, gconstpointer unused)
{
  Graph g = graph (f->ctx);
  g_autoptr (GHashTable) loops = g_hash_table_new (NULL, NULL);
  g_hash_table_add (loops, GUINT_TO_POINTER (g.j->id));
  g_autoptr (LsScene) s = ls_scene_collapse (ls_scene_new_root (f->trace, NULL, g.sink, TRUE), NULL, loops, NULL);
  g_assert_nonnull (s->whole);
  int at = ls_scene_find (s, g.product->id);
  g_assert_cmpint (at, ==, ls_scene_find (s, g.sum->id));
  g_assert_cmpint (at, ==, ls_scene_find (s, g.row->id));
  g_assert_cmpint (at, !=, ls_scene_find (s, g.twice->id));
  const LsSceneNode *box = &s->nodes[at];
  g_assert_cmpstr (box->title[1], ==, "j:6 reduce");
  g_assert_cmpstr (box->detail[1], ==, "loop, 4 nodes");
  g_assert_cmpuint (box->folded, ==, g.j->id + 1);
  g_assert_cmpint (box->axis, ==, LS_AXIS_REDUCE);
  g_assert_cmpuint (box->loop[1], ==, 1);
  g_assert_cmpuint (box->n_edges, ==, 2);      /* from the two buffers */
  g_autoptr (LsLayout) layout = lay_out (s);
  g_autoptr (LsFrames) frames = ls_frames_new (s, layout, LS_IN_BOTH);
  g_assert_cmpuint (frames->frames->len, ==, 1);
  /* the outer one takes the inner one in; a loop that is not there folds nothing */
  g_hash_table_add (loops, GUINT_TO_POINTER (g.i->id));
  g_autoptr (LsScene) both = ls_scene_collapse (ls_scene_new_root (f->trace, NULL, g.sink, TRUE), NULL, loops, NULL);
  at = ls_scene_find (both, g.sum->id);
  g_assert_cmpstr (both->nodes[at].title[1], ==, "i:4 loop");
  g_assert_cmpstr (both->nodes[at].detail[1], ==, "loop, 6 nodes");
  g_assert_cmpint (at, ==, ls_scene_find (both, g.sink->src[0]->id));
  g_hash_table_remove_all (loops);
  g_hash_table_add (loops, GUINT_TO_POINTER (g.sum->id));
  LsScene *whole = ls_scene_new_root (f->trace, NULL, g.sink, TRUE);
  g_autoptr (LsScene) same = ls_scene_collapse (whole, NULL, loops, NULL);
  g_assert_true (same == whole);
}

/* A change in a folded loop marks its box. */
static void
test_change (Fixture *f, gconstpointer unused)
{
  Graph g = graph (f->ctx);
  LsUOp *product = make_add (f->ctx, g.row, g.column);
  LsUOp *sum = ls_uop_new2 (f->ctx, LS_OP_REDUCE, LS_FLOAT, product, g.j, g.sum->arg);
  LsUOp *sink = make_store (f->ctx, make_global (f->ctx, 0), g.i, make_mul (f->ctx, sum, g.twice->src[1]));
  g_autoptr (LsGraph) before = ls_graph_new (f->ctx, g.sink), after = ls_graph_new (f->ctx, sink);
  LsNodeMap *former = ls_node_map_acquire (f->ctx);
  LsUOp *const pairs[][2] = { { product, g.product }, { sum, g.sum }, { sink->src[0]->src[1], g.twice }, { sink->src[0], g.sink->src[0] },
                              { sink, g.sink } };
  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    ls_node_map_set_node (former, pairs[i][0], pairs[i][1]);
  g_autoptr (LsGraphDiff) diff = ls_graph_diff_new (before, after, former, g.product, product);
  ls_node_map_release (f->ctx, former);
  g_autoptr (GHashTable) loops = g_hash_table_new (NULL, NULL);
  g_hash_table_add (loops, GUINT_TO_POINTER (g.j->id));
  g_autoptr (LsScene) s = ls_scene_collapse (ls_scene_new_diff (f->trace, diff, TRUE), NULL, loops, NULL);
  int at = ls_scene_find (s, product->id);
  g_assert_cmpint (at, ==, ls_scene_find (s, sum->id));
  g_assert_cmpuint (s->nodes[at].kind, ==, LS_DIFF_CHANGED);
  g_assert_cmpuint (s->nodes[at].inside[LS_DIFF_CHANGED], ==, 1);
}

static gboolean
is_within (LsBox a, LsBox b)
{
  return a.x0 >= b.x0 && a.x1 <= b.x1 && a.y0 >= b.y0 && a.y1 <= b.y1;
}

/* A frame holds the boxes of its loop, none of them in a hole; other boxes are outside, or in a hole. */
static void
check_frames (const LsScene *s, const LsLayout *l, guint sides)
{
  g_autoptr (LsFrames) frames = ls_frames_new (s, l, sides);
  for (guint k = 0; k < frames->frames->len; k++) {
    const LsFrame *f = &g_array_index (frames->frames, LsFrame, k);
    guint n = 0;
    for (guint i = 0; i < s->n_nodes; i++) {
      LsBox b = { l->x[i], l->y[i], l->x[i] + s->nodes[i].width, l->y[i] + LS_SCENE_HEIGHT };
      gboolean in_hole = FALSE, in = ls_scene_loop_is_in (s, frames->version, s->nodes[i].loop[frames->version], f->loop);
      if (!(s->nodes[i].side & sides))
        continue;
      for (guint h = 0; h < f->n_holes; h++) {
        LsBox hole = g_array_index (frames->holes, LsBox, f->first_hole + h);
        in_hole |= in ? !ls_box_outside (b, hole) : is_within (b, hole);
      }
      g_assert_true (in ? is_within (b, f->box) && !in_hole : in_hole || ls_box_outside (b, f->box));
      n += in;
    }
    g_assert_cmpuint (n, ==, f->n_boxes);
    g_assert_true (n > 0 && *f->text);
    for (guint o = 0; o < k; o++)
      g_assert_true (ls_box_outside (f->title, g_array_index (frames->frames, LsFrame, o).title));
  }
}

/* What a box is in is what its node is in. */
static guint
check_loops (const LsScene *s)
{
  g_autoptr (LsLoops) loops = ls_loops_new (s->after->ctx, s->after->nodes);
  guint n = 0;
  for (guint i = 0; loops && i < s->after->nodes->len; i++) {
    const LsUOp *u = s->after->nodes->pdata[i];
    int at = ls_scene_find (s, u->id);
    if (at < 0 || s->nodes[at].id != u->id || s->nodes[at].n_lanes > 1)
      continue;
    g_assert_cmpuint (s->nodes[at].loop[1], ==, loops->in[i]);
    n++;
  }
  return n;
}

static void
test_recording (gconstpointer data)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", data, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (LsTrace) trace = ls_trace_load (path, &error);
  g_assert_no_error (error);
  g_autoptr (LsChain) chain = ls_chain_new (trace);
  guint n = 0;
  for (guint p = 0; p < trace->passes->len; p++) {
    const LsPass *pass = trace->passes->pdata[p];
    for (guint step = 0; step <= ls_pass_n_steps (pass); step++)
      for (gboolean fold = FALSE; fold <= TRUE; fold++) {
        g_autoptr (LsScene) s = ls_chain_scene (trace, pass, step, fold);
        LsLayout *l = s ? ls_chain_layout (chain, pass, step, fold, s) : NULL;
        if (!l)
          continue;
        check_frames (s, l, LS_IN_BOTH);
        check_frames (s, l, LS_IN_BEFORE);
        check_frames (s, l, LS_IN_AFTER);
        n += check_loops (s);
        ls_layout_unref (l);
      }
  }
  g_assert_cmpuint (n, >, 100);
}

/* The graph of a schedule has its kernels for loops, and a kernel folds into a box that says so. */
static void
test_kernels (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "softmax.lscope", NULL);
  g_autoptr (LsTrace) trace = ls_trace_load (path, NULL);
  guint n_kernels = 0, n_folded = 0;
  g_assert_nonnull (trace);
  for (guint p = 0; p < trace->passes->len; p++) {
    const LsPass *pass = trace->passes->pdata[p];
    g_autoptr (LsScene) s = pass->kernel || !g_str_equal (pass->stage, "schedule") ? NULL : ls_chain_scene (trace, pass, 1, TRUE);
    for (guint k = 0; s && s->loops[1] && k < s->loops[1]->len; k++) {
      const LsSceneLoop *kernel = &g_array_index (s->loops[1], LsSceneLoop, k);
      g_assert_true (kernel->is_kernel && g_str_has_prefix (kernel->title, "kernel "));
      g_autoptr (GHashTable) ids = g_hash_table_new (NULL, NULL);
      g_hash_table_add (ids, GUINT_TO_POINTER (kernel->id));
      g_autoptr (LsScene) folded = ls_scene_collapse (ls_chain_scene (trace, pass, 1, TRUE), NULL, ids, NULL);
      int box = ls_scene_find (folded, kernel->id);
      g_assert_cmpint (box, >=, 0);
      n_kernels++;
      if (folded->nodes[box].folded) {
        g_assert_true (g_str_has_prefix (folded->nodes[box].detail[1], "kernel, "));
        n_folded++;
      }
    }
  }
  g_assert_cmpuint (n_kernels, >=, 5);
  g_assert_cmpuint (n_folded, >=, 2);
}

/* So has the graph of a statement: the boxes of a kernel that ran later are in its frame, which has the name of the schedule's. */
static void
test_program (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "softmax-classic.lscope", NULL);
  g_autoptr (LsTrace) trace = ls_trace_load (path, NULL);
  g_assert_nonnull (trace);
  g_autoptr (LsTrace) walk = ls_trace_statements (trace);
  guint most = 0, n_in = 0;
  for (guint p = 0; p < walk->passes->len; p++) {
    const LsPass *stop = walk->passes->pdata[p];
    g_autoptr (LsScene) s = ls_scene_new_root (walk, ls_trace_names (walk, 0), ls_context_node (walk->ctx, stop->output), FALSE);
    guint n = s && s->loops[1] ? s->loops[1]->len : 0;
    most = MAX (most, n);
    for (guint k = 0; k < n; k++) {
      const LsSceneLoop *kernel = &g_array_index (s->loops[1], LsSceneLoop, k);
      g_assert_true (kernel->is_kernel && g_str_has_prefix (kernel->title, "kernel ") && strstr (kernel->title, ", line "));
    }
    for (guint i = 0; s && i < s->n_nodes; i++) {
      g_assert_cmpuint (s->nodes[i].loop[1], <=, n);
      n_in += s->nodes[i].loop[1] > 0;
    }
  }
  g_assert_cmpuint (most, >=, 2);
  g_assert_cmpuint (n_in, >=, 10);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD_GRAPH_TEST ("/frames/members", test_members);
  ADD_GRAPH_TEST ("/frames/fold", test_fold);
  ADD_GRAPH_TEST ("/frames/change", test_change);
  g_test_add_data_func ("/frames/softmax", "softmax.lscope", test_recording);
  g_test_add_data_func ("/frames/classic", "softmax-classic.lscope", test_recording);
  g_test_add_func ("/frames/program", test_program);
  g_test_add_func ("/frames/kernels", test_kernels);
  return g_test_run ();
}
