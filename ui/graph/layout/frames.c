/* Rectangles around the boxes of loops, or of kernels. */
#include "frames.h"

#define PAD      6.0f      /* from a box to the innermost frame */
#define NEST     4.0f      /* from frame to frame */
#define MOST_PAD 22.0f
#define HOLE     4.0f      /* from a box to the edge of its hole */
#define TITLE    12.0f     /* its height */
#define LEFT     8.0f      /* where it begins */
#define CORNER   19.0f     /* of a box: the names of what a rule bound are there */
#define ADVANCE  (0.9f * LS_SCENE_ADVANCE)

typedef struct {
  const LsScene  *scene;
  const LsLayout *layout;
  guint           sides, version;
  LsFrames       *out;
} Work;

static const LsSceneLoop *
loop_at (const Work *w, guint loop)
{
  return &g_array_index (w->scene->loops[w->version], LsSceneLoop, loop - 1);
}

static gboolean is_shown (const Work *w, guint i) { return (w->scene->nodes[i].side & w->sides) != 0; }

static LsBox
box_of (const Work *w, guint i)
{
  const LsLayout *l = w->layout;
  const LsSceneNode *node = &w->scene->nodes[i];
  float behind = node->n_inside || node->n_lanes > 1 ? LS_SCENE_BEHIND : 0;
  return (LsBox) { l->x[i], l->y[i], l->x[i] + node->width + behind, l->y[i] + LS_SCENE_HEIGHT + behind };
}

static LsBox
padded (LsBox b, float pad)
{
  return (LsBox) { b.x0 - pad, b.y0 - pad, b.x1 + pad, b.y1 + pad };
}

/* FALSE: it is the frame of a kernel, and has more holes than boxes. Such a frame is not drawn: it would not show what the kernel has. */
static gboolean
add_holes (Work *w, LsFrame *f)
{
  guint most = loop_at (w, f->loop)->is_kernel ? f->n_boxes : G_MAXUINT;
  f->first_hole = w->out->holes->len;
  f->n_holes = 0;
  for (guint i = 0; i < w->scene->n_nodes && f->n_holes <= most; i++) {
    LsBox hole = padded (box_of (w, i), HOLE);
    if (is_shown (w, i) && !ls_box_outside (hole, f->box) &&
        !ls_scene_loop_is_in (w->scene, w->version, w->scene->nodes[i].loop[w->version], f->loop)) {
      g_array_append_val (w->out->holes, hole);
      f->n_holes++;
    }
  }
  if (f->n_holes > most)
    g_array_set_size (w->out->holes, f->first_hole);
  return f->n_holes <= most;
}

/* Moves a title to the right of another title or (corners) of the left corner of a box below it; FALSE: none is in its way. */
static gboolean
give_way (const Work *w, LsBox *t, gboolean corners)
{
  float x = t->x0, width = t->x1 - t->x0;
  for (guint i = 0; i < w->out->frames->len; i++)
    if (!ls_box_outside (*t, g_array_index (w->out->frames, LsFrame, i).title))
      x = MAX (x, g_array_index (w->out->frames, LsFrame, i).title.x1 + 4);
  for (guint i = 0; corners && i < w->scene->n_nodes; i++) {
    LsBox b = box_of (w, i), corner = { b.x0, b.y0 - CORNER, b.x0 + CORNER, b.y0 };
    if (is_shown (w, i) && !ls_box_outside (*t, corner))
      x = MAX (x, corner.x1 + 2);
  }
  gboolean moved = x > t->x0;
  t->x0 = x;
  t->x1 = x + width;
  return moved;
}

/* On the upper edge, clear of other titles, and of corners of boxes where the frame has room for that. */
static void
place_title (Work *w, LsFrame *f)
{
  f->text = ls_scene_loop_title (w->scene, w->version, f->loop, f->outer);
  float x = f->box.x0 + LEFT, y = f->box.y0, width = (float) g_utf8_strlen (f->text, -1) * ADVANCE + 8;
  for (gboolean corners = TRUE; ; corners = FALSE) {
    f->title = (LsBox) { x, y - TITLE / 2, x + width, y + TITLE / 2 };
    while (give_way (w, &f->title, corners))
      ;
    if (!corners || f->title.x0 < f->box.x1 - TITLE)
      break;
  }
}

static void
frame_clear (gpointer data)
{
  g_free (((LsFrame *) data)->text);
}

LsFrames *
ls_frames_new (const LsScene *scene, const LsLayout *layout, guint sides)
{
  LsFrames *out = g_new (LsFrames, 1);
  *out = (LsFrames) { sides & LS_IN_AFTER ? 1 : 0, g_array_new (FALSE, FALSE, sizeof (LsFrame)),
                      g_array_new (FALSE, FALSE, sizeof (LsBox)) };
  g_array_set_clear_func (out->frames, frame_clear);
  Work w = { scene, layout, sides, out->version, out };
  const GArray *loops = scene->loops[w.version];
  guint n = loops ? loops->len : 0;
  g_autofree LsBox *box = g_new (LsBox, n + 1);
  g_autofree guint *count = g_new0 (guint, n + 1), *height = g_new0 (guint, n + 1);
  g_autofree gboolean *merged = g_new0 (gboolean, n + 1);      /* with a loop inside of it */
  for (guint l = 0; l <= n; l++)
    box[l] = (LsBox) { 0, 0, -1, -1 };
  for (guint i = 0; n && i < scene->n_nodes; i++)
    for (guint l = is_shown (&w, i) ? scene->nodes[i].loop[w.version] : 0; l; l = loop_at (&w, l)->parent) {
      ls_box_join (&box[l], box_of (&w, i));
      count[l]++;
    }
  for (guint l = n; l > 0; l--) {
    guint parent = loop_at (&w, l)->parent;
    merged[parent] |= parent && count[l] && count[l] == count[parent];
    height[parent] = MAX (height[parent], height[l] + (count[l] && !merged[l] ? 1 : 0));
  }
  for (guint l = 1; l <= n; l++) {
    if (!count[l] || merged[l])
      continue;
    LsFrame f = { .loop = (guint16) l, .outer = (guint16) l, .n_boxes = count[l],
                  .box = padded (box[l], MIN (PAD + NEST * (float) height[l], MOST_PAD)), .title = { 0, 0, -1, -1 } };
    f.box.y0 -= TITLE / 2;      /* the title would be behind the topmost boxes */
    while (merged[loop_at (&w, f.outer)->parent])
      f.outer = loop_at (&w, f.outer)->parent;
    if (!add_holes (&w, &f))
      continue;
    place_title (&w, &f);
    g_array_append_val (out->frames, f);
  }
  return out;
}

void
ls_frames_free (LsFrames *frames)
{
  if (!frames)
    return;
  g_array_unref (frames->frames);
  g_array_unref (frames->holes);
  g_free (frames);
}

int
ls_frames_title_at (const LsFrames *frames, double x, double y)
{
  for (guint i = frames ? frames->frames->len : 0; i-- > 0; ) {
    const LsBox *t = &g_array_index (frames->frames, LsFrame, i).title;
    if (x >= t->x0 && x <= t->x1 && y >= t->y0 && y <= t->y1)
      return (int) i;
  }
  return -1;
}

int
ls_frames_of (const LsFrames *frames, const LsScene *scene, guint node)
{
  for (guint i = frames ? frames->frames->len : 0; i-- > 0; )
    if (ls_scene_loop_is_in (scene, frames->version, scene->nodes[node].loop[frames->version],
                             g_array_index (frames->frames, LsFrame, i).loop))
      return (int) i;
  return -1;
}
