/* The visible part of a picture: a function of (pass, step), the size of the window, and the user's scale.
 *
 * LsOutline is the summary of a step's picture for this: its extent, the extent of its change, and the outline of the picture that it
 * follows. The viewport of a step is the viewport of the one that it follows, moved only when the change would be out of sight. It is
 * computed along that chain, never from earlier views.
 */
#pragma once
#include "ranks.h"
#include "scene.h"

#define LS_ZOOM_TEXT  0.45     /* below: boxes without words, straight edges */
#define LS_ZOOM_LINES 0.8      /* from here on both lines */
#define LS_ZOOM_BOXES 0.2      /* below: dots */
#define LS_ZOOM_MIN   0.02
#define LS_ZOOM_MAX   4.0
#define LS_MARGIN     28
#define LS_LEGEND     34       /* height of the legend and the note next to it at the bottom */

typedef struct { float x0, y0, x1, y1; } LsBox;      /* empty when x1 < x0 */

typedef struct _LsOutline LsOutline;
struct _LsOutline {
  gint       ref_count;
  LsOutline *former;      /* of the picture that this one follows, or NULL */
  LsBox      all;
  LsBox      change;      /* all that changed */
  LsBox      focus;       /* the box where the step happened, or the nearest one that changed; without a change, the last */
  gboolean   legend;      /* it takes room at the bottom */
  guint      n_near;      /* boxes that changed, as many as are asked about, nearest to focus first */
  LsBox      near[];
};

/* differs: of each box, whether it is part of the change; focus: where the step happened. Takes a reference to former (may be NULL). */
LsOutline *ls_outline_of    (const LsLayout *layout, const float *width, const guint8 *differs, guint focus, gboolean legend,
                             LsOutline *former);
LsOutline *ls_outline_ref   (LsOutline *outline);
void       ls_outline_unref (LsOutline *outline);
void       ls_box_join      (LsBox *box, LsBox other);
static inline gboolean ls_box_outside (LsBox b, LsBox seen) { return b.x1 < seen.x0 || b.x0 > seen.x1 || b.y1 < seen.y0 || b.y0 > seen.y1; }

/* A point p of the picture is at p * zoom + (x, y). */
typedef struct { double zoom, x, y; } LsViewport;

/* zoom: the user's, or 0: none at which the second line of a box is not read. */
LsViewport ls_outline_viewport       (const LsOutline *outline, double width, double height, double zoom);
/* Some of the picture always stays in sight. */
void       ls_viewport_clamp         (LsViewport *viewport, LsBox all, double width, double height);
/* The whole in the middle, as large as that allows. */
LsViewport ls_outline_whole          (const LsOutline *outline, double width, double height);
/* Moves as little as needed for a box to be seen; a box that is larger than the window is put in its middle. */
void       ls_viewport_reveal        (LsViewport *viewport, LsBox box, double width, double height);
/* All of it, where it is no larger than the window. */
void       ls_viewport_reveal_all    (LsViewport *viewport, const LsOutline *outline, double width, double height);
/* The change; if it is too large, the position of the step with the nearest part of the change. */
void       ls_viewport_reveal_change (LsViewport *viewport, const LsOutline *outline, double width, double height);
void       ls_viewport_center        (LsViewport *viewport, double x, double y, double width, double height);
/* The zoom at which the whole is seen, at most 1. */
double     ls_outline_fit            (const LsOutline *outline, double width, double height);
