/* The part of a change that is outside the visible part of the picture, and its direction. */
#pragma once
#include "layout.h"
#include "scene.h"
#include "viewport.h"

typedef enum { LS_DIRECTION_LEFT, LS_DIRECTION_RIGHT, LS_DIRECTION_ABOVE, LS_DIRECTION_BELOW, LS_N_DIRECTIONS } LsDirection;
typedef struct { guint n, way[LS_N_DIRECTIONS]; } LsOffscreen;

/* Whether a box is part of the change, for graphs on these sides (LsSceneSide). Moved boxes are not: they are as they were. */
gboolean    ls_scene_changed      (const LsScene *scene, guint node, guint sides);
/* Which way a box lies that is not seen whole; LS_N_DIRECTIONS: it is. legend: it takes the bottom. */
LsDirection ls_viewport_direction (LsViewport viewport, LsBox box, gboolean legend, double width, double height);
LsOffscreen ls_offscreen          (const LsScene *scene, const LsLayout *layout, guint sides, LsViewport viewport, double width,
                                   double height);
/* "3 changes outside: 2 right, 1 below". Free with g_free. */
char       *ls_offscreen_text     (const LsOffscreen *outside);
/* The outline of a picture that is not a step, for the viewport; former may be NULL. */
LsOutline  *ls_scene_outline      (const LsScene *scene, const LsLayout *layout, LsOutline *former);
