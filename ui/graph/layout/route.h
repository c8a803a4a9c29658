/* An edge's way as it is written: a start, then Bézier curves from there, which leave and arrive vertically. */
#pragma once
#include "ranks.h"

static inline void
ls_route_curve (GArray *points, float x, float y)
{
  float x0 = g_array_index (points, float, points->len - 2), y0 = g_array_index (points, float, points->len - 1);
  float p[6] = { x0, y0 + (y - y0) * 0.5f, x, y - (y - y0) * 0.5f, x, y };
  g_array_append_vals (points, p, 6);
}

/* Past the boxes of the rank that begins at y, straight down at x. Where the way comes straight down past the rank before, that
 * becomes longer: most of a long edge is one line. start: where the edge's points begin in the array. */
static inline void
ls_route_pass (GArray *points, guint start, float x, float y)
{
  const float *last = &g_array_index (points, float, points->len - 2);
  /* not the first curve: its ends are the source's */
  gboolean straight = points->len - start > 8 && last[0] == x && last[-2] == x && last[-4] == x && last[-6] == x;
  if (straight)
    g_array_set_size (points, points->len - 6);
  else
    ls_route_curve (points, x, y);
  ls_route_curve (points, x, y + LS_RANK_PITCH - LS_RANK_GAP);
}
