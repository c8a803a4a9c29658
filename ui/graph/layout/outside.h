/* What of a change lies outside the part of the picture that is seen, and which way. */
#pragma once
#include "layout.h"
#include "scene.h"
#include "sight.h"

G_BEGIN_DECLS

typedef enum { LS_WAY_LEFT, LS_WAY_RIGHT, LS_WAY_ABOVE, LS_WAY_BELOW, LS_N_WAYS } LsWay;
typedef struct { guint n, way[LS_N_WAYS]; } LsOutside;

/* Whether a box is part of the change in what is shown: of graphs on these sides (LsSceneSide). Moved boxes are not: they are as they
 * were. */
gboolean  ls_scene_changed (const LsScene *scene, guint node, guint sides);
/* Which way a box lies that is not seen whole; LS_N_WAYS: it is. legend: it takes the bottom. */
LsWay     ls_sight_way     (LsSight sight, LsBox box, gboolean legend, double width, double height);
LsOutside ls_outside       (const LsScene *scene, const LsLayout *layout, guint sides, LsSight sight, double width, double height);
/* "3 changes outside: 2 right, 1 below". Free with g_free. */
char     *ls_outside_text  (const LsOutside *outside);

G_END_DECLS
