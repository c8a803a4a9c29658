/* LsPen: lines, curves and small shapes of one colour, written straight into a picture of plain pixels.
 *
 * A graph of thousands of edges is mostly thin lines, and cairo takes five to ten times as long for one as writing its pixels takes.
 * A pen writes what cairo would, to a few parts in 255: the area of each pixel that the shape covers.
 */
#pragma once
#include <gdk/gdk.h>

typedef struct _LsPen LsPen;

/* For as long as cr keeps its transformation, which scales alike in both directions, and its clip, which is one rectangle. NULL if the
 * target is not a picture of opaque pixels. Until the pen is freed nobody else may draw there. */
LsPen *ls_pen_new     (cairo_t *cr);
void   ls_pen_free    (LsPen *pen);
void   ls_pen_color   (LsPen *pen, const GdkRGBA *color, double alpha);
/* A line one pixel wide, not as finely measured as a stroke. */
void   ls_pen_line    (LsPen *pen, double x0, double y0, double x1, double y1);
/* A path of one or more parts; stroke and fill end it. */
void   ls_pen_move_to  (LsPen *pen, double x, double y);
void   ls_pen_line_to  (LsPen *pen, double x, double y);
void   ls_pen_curve_to (LsPen *pen, double x1, double y1, double x2, double y2, double x3, double y3);
/* Keeps the parts of each path that are in dashes of that length, in user units, with gaps between them; the first dash begins at the
 * start of the part. */
void   ls_pen_dash     (LsPen *pen, double dash, double gap);
void   ls_pen_stroke   (LsPen *pen, double width);
void   ls_pen_fill     (LsPen *pen);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsPen, ls_pen_free)
