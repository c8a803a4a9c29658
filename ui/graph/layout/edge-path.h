/* An edge's way as it is drawn: the layout's, from the middle of the source's bottom to the consumer's port. */
#pragma once
#include "ranks.h"
#include "scene.h"

/* version: 0 for the ports as they were before the step, 1 for those after it. Pairs of 3k+1 Bézier control points, which replace the
 * contents of points. */
void ls_edge_path_points (const LsScene *scene, const LsLayout *layout, guint edge, guint version, GArray *points);
/* Its port. */
void ls_edge_path_end    (const LsScene *scene, const LsLayout *layout, guint edge, guint version, float *x, float *y);
