#include "loop-frame.h"

#include <math.h>

#define RADIUS 8.0f

static const LsBox *
hole_at (const LsFrames *frames, const LsFrame *f, guint i)
{
  return &g_array_index (frames->holes, LsBox, f->first_hole + i);
}

/* One side of a frame: a piece of the line at `at`, from … to, without the parts that are in holes. */
static void
append_side (GString *out, const LsFrames *frames, const LsFrame *f, gboolean is_across, float at, float from, float to)
{
  while (from < to) {
    float end = to, next = from;
    for (guint i = 0; i < f->n_holes; i++) {
      const LsBox *h = hole_at (frames, f, i);
      float low = is_across ? h->y0 : h->x0, high = is_across ? h->y1 : h->x1, first = is_across ? h->x0 : h->y0,
            last = is_across ? h->x1 : h->y1;
      if (at < low || at > high || last <= from || first >= end)
        continue;
      if (first <= from)
        next = MAX (next, last);
      else
        end = first;
    }
    if (next == from && is_across)
      g_string_append_printf (out, "M%ld %ldH%ld", lroundf (from), lroundf (at), lroundf (end));
    else if (next == from)
      g_string_append_printf (out, "M%ld %ldV%ld", lroundf (at), lroundf (from), lroundf (end));
    from = next == from ? end : next;
  }
}

static gboolean
is_inside (LsBox b, LsBox of)
{
  return b.x0 >= of.x0 && b.x1 <= of.x1 && b.y0 >= of.y0 && b.y1 <= of.y1;
}

/* The round corners of a box that are in seen and in no hole (frames NULL: there are none). */
static void
append_corners (GString *out, LsBox b, LsBox seen, const LsFrames *frames, const LsFrame *f)
{
  for (guint i = 0; i < 4; i++) {
    float x = i & 1 ? b.x1 : b.x0, y = i & 2 ? b.y1 : b.y0, dx = i & 1 ? -RADIUS : RADIUS, dy = i & 2 ? -RADIUS : RADIUS;
    LsBox corner = { MIN (x, x + dx), MIN (y, y + dy), MAX (x, x + dx), MAX (y, y + dy) };
    gboolean shown = is_inside (corner, seen);
    for (guint k = 0; shown && frames && k < f->n_holes; k++)
      shown = ls_box_outside (*hole_at (frames, f, k), corner);
    if (shown)
      g_string_append_printf (out, "M%ld %ldQ%ld %ld %ld %ld", lroundf (x), lroundf (y + dy), lroundf (x), lroundf (y), lroundf (x + dx),
                              lroundf (y));
  }
}

static void
append_hole (GString *out, const LsBox *h, LsBox b)
{
  float x0 = MAX (h->x0 + RADIUS, b.x0), x1 = MIN (h->x1 - RADIUS, b.x1), y0 = MAX (h->y0 + RADIUS, b.y0),
        y1 = MIN (h->y1 - RADIUS, b.y1);
  for (guint k = 0; k < 2; k++) {
    float y = k ? h->y1 : h->y0, x = k ? h->x1 : h->x0;
    if (y > b.y0 && y < b.y1 && x0 < x1)
      g_string_append_printf (out, "M%ld %ldH%ld", lroundf (x0), lroundf (y), lroundf (x1));
    if (x > b.x0 && x < b.x1 && y0 < y1)
      g_string_append_printf (out, "M%ld %ldV%ld", lroundf (x), lroundf (y0), lroundf (y1));
  }
  append_corners (out, *h, b, NULL, NULL);
}

static void
append_box (GString *out, LsBox b)
{
  g_string_append_printf (out, "M%ld %ldH%ldV%ldH%ldz", lroundf (b.x0), lroundf (b.y0), lroundf (b.x1), lroundf (b.y1), lroundf (b.x0));
}

void
ls_loop_frame_paths (const LsFrames *frames, const LsFrame *f, GString *fill, GString *line, GString *faint)
{
  const LsBox b = f->box;
  append_box (fill, b);
  for (guint i = 0; i < 2; i++) {
    append_side (line, frames, f, TRUE, i ? b.y1 : b.y0, b.x0 + RADIUS, b.x1 - RADIUS);
    append_side (line, frames, f, FALSE, i ? b.x1 : b.x0, b.y0 + RADIUS, b.y1 - RADIUS);
  }
  append_corners (line, b, b, frames, f);
  for (guint i = 0; i < f->n_holes; i++) {
    const LsBox *h = hole_at (frames, f, i), in = { MAX (h->x0, b.x0), MAX (h->y0, b.y0), MIN (h->x1, b.x1), MIN (h->y1, b.y1) };
    append_box (fill, in);
    append_hole (faint, h, b);
  }
}

guint
ls_loop_frame_axis (const LsScene *scene, const LsFrames *frames, const LsFrame *f)
{
  int axis = g_array_index (scene->loops[frames->version], LsSceneLoop, f->loop - 1).axis;
  return axis < 0 ? 0 : (guint) axis + 1;
}
