/* Places of boxes and the ways of edges, and the plain layout in ranks that needs no help.
 *
 * Everything here is plain arrays and crosses threads. Coordinates are in units of the picture at zoom 1, y downwards; a box's place
 * is its top left corner.
 */
#pragma once
#include <gio/gio.h>

#define LS_RANK_GAP 28
#define LS_NODE_GAP 20
#define LS_RANK_PITCH (38.0f + LS_RANK_GAP)      /* from rank to rank: LS_SCENE_HEIGHT and the gap */

typedef struct {
  guint    n;
  float   *width;           /* of each box; all have the height LS_SCENE_HEIGHT */
  guint    n_edges;
  guint32 *from, *to;       /* arrows point from source to consumer */
} LsLayoutInput;

typedef struct {
  gint     ref_count;
  guint    n, n_edges;
  float   *x, *y;
  guint32 *first;           /* n_edges + 1: where an edge's points begin; it has none when two are equal */
  float   *points;          /* pairs: 3k+1 Bézier control points from the source's bottom to the consumer's top */
  float    left, top, width, height;       /* what the picture takes */
  gboolean by_dot;
  gboolean stable;          /* it follows the steps before it */
  double   ms;
  char    *note;            /* why it is not dot's, or NULL */
  struct _LsOutline *outline;      /* for the viewport, of a layout that follows others; or NULL */
} LsLayout;

LsLayoutInput *ls_layout_input_new  (guint n, guint n_edges);
LsLayoutInput *ls_layout_input_copy (const LsLayoutInput *input);
void           ls_layout_input_free (LsLayoutInput *input);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsLayoutInput, ls_layout_input_free)

LsLayout *ls_layout_new   (guint n, guint n_edges);
LsLayout *ls_layout_ref   (LsLayout *layout);
void      ls_layout_unref (LsLayout *layout);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsLayout, ls_layout_unref)
/* Fills in where the picture begins and its size. */
void      ls_layout_measure   (LsLayout *layout, const LsLayoutInput *input);
/* Moves everything so that the picture begins at 0, 0, and measures it. */
void      ls_layout_normalize (LsLayout *layout, const LsLayoutInput *input);
void      ls_layout_shift     (LsLayout *layout, float dx, float dy);

/* Longest-path ranks, barycentre order, isotonic coordinates. NULL when cancelled. Any thread. */
LsLayout *ls_ranks_layout (const LsLayoutInput *input, GCancellable *cancellable);
