/* Shared by scene.c and scene-text.c. */
#pragma once
#include "scene.h"

/* Whether a source is drawn inside its consumer. */
typedef gboolean (*LsFolded) (const LsUOp *u, gpointer data);

/* The node's two lines. names: what the loops of its graph are called. */
void  ls_scene_words (LsContext *ctx, const LsNames *names, LsUOp *u, LsFolded folded, gpointer data, GString *title,
                      GString *detail);
/* A node that continues another one, of two graphs, and its sources that do not continue that one's: how many, and the first of them;
 * and what loops are called. */
typedef struct { LsUOp *was, *is; guint n_sources, source; const LsNames *names; } LsSceneChange;
/* "index → int", at most max characters; "" where nothing differs. whole: all of it, a line for each thing, or NULL. */
void  ls_scene_change (LsContext *ctx, const LsSceneChange *change, guint max, GString *line, GString *whole);
/* A node's own argument or value, in short. */
void  ls_scene_arg   (const LsNames *names, LsUOp *u, GString *out);

/* The computation of a node, apart from its lane of an expansion: for boxes, and for its users; plain: of ranges and constants alone.
 * See scene-lanes.c. */
typedef struct { guint64 own, flow; gboolean plain; } LsLane;
/* sources: of each source of u. */
LsLane ls_scene_lane (const LsUOp *u, const LsLane *sources);
/* Makes of the words of the first lane those of all: what differs becomes "first…last". */
void   ls_scene_span (GString *text, const char *last);
/* A scene without boxes, arrows and places that stands over whole (taken). */
LsScene *ls_scene_over (LsScene *whole);
/* Numbers the arrows that end at one box, in their order. */
void   ls_scene_number_ports (LsSceneEdge *edges, guint n);
