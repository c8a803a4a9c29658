/* Views and shape trackers: how the indices of a shape map to elements of a buffer.
 *
 * A view is shape, strides (in elements), offset, and a mask: for each axis the half-open interval of indices that are
 * backed by memory (the rest reads zero). Strides of axes of size 1 are 0, so that equal views are equal structures.
 * A tracker is a list of views, last applied first when indexing: the index of the last view, flattened row-major over
 * the shape of the view before it, is that view's index. Both are immutable and interned in a context.
 */
#pragma once
#include "uop.h"

typedef struct _LsView {
  guint         n;
  gboolean      contiguous;
  gint64        offset;
  const gint64 *shape;      /* n */
  const gint64 *strides;    /* n */
  const gint64 *mask;       /* n pairs begin, end; NULL: everything is backed */
} LsView;

struct _LsTracker {
  guint               n_views;
  const LsView *const *views;
  guint32             hash;
};

const LsView    *ls_view_new          (LsContext *ctx, guint n, const gint64 *shape, const gint64 *strides, gint64 offset,
                                       const gint64 *mask);
const LsTracker *ls_tracker_new       (LsContext *ctx, guint n_views, const LsView *const *views);
/* Row-major, contiguous, over that shape. */
const LsTracker *ls_tracker_contiguous (LsContext *ctx, LsShape shape);
LsShape          ls_tracker_shape     (const LsTracker *t);
gboolean         ls_tracker_is_contiguous (const LsTracker *t);
/* Does it show what it is a view of as it is? With MERGE_VIEWS=0 several views may do so together. */
gboolean         ls_tracker_shows_whole (LsContext *ctx, const LsTracker *t);
/* Each movement op applied to a tracker. arg is the arg of the op (ints). merge: merge views where one view can say it (setting
 * MERGE_VIEWS). */
const LsTracker *ls_tracker_movement  (LsContext *ctx, const LsTracker *t, LsOp op, LsArg arg, gboolean merge);
/* The tracker of tensor.lazydata after one movement: with merge_views FALSE a reshape appends a view, and any other movement changes the
 * last one, as the shape trackers of 2024 did. */
const LsTracker *ls_tracker_moved     (LsContext *ctx, const LsTracker *t, LsOp op, LsArg arg, gboolean merge_views);
/* The elements that outer sees, through inner: outer's views after inner's. */
const LsTracker *ls_tracker_compose   (LsContext *ctx, const LsTracker *inner, const LsTracker *outer, gboolean merge);
/* The tracker, once for each of so many wholes that stand one after the other, which a new first axis counts; size: of one of them. */
const LsTracker *ls_tracker_repeat    (LsContext *ctx, const LsTracker *t, gint64 n, gint64 size);
/* The number of elements of the underlying buffer that the tracker spans (largest index + 1). */
gint64           ls_tracker_real_size (const LsTracker *t);
/* Index and validity as expressions of dtype index and bool over one node per axis of the shape. *valid is NULL where
 * every index is backed. Nodes are built plainly; the symbolic rules simplify them. */
void             ls_tracker_expr      (LsContext *ctx, const LsTracker *t, LsUOp *const *axes, LsUOp **index, LsUOp **valid);
/* Index of one element by numbers; FALSE where it is masked out. */
gboolean         ls_tracker_index     (const LsTracker *t, const gint64 *axes, gint64 *index);
/* Elements in sequence: how many of the next length (1 or more, within the shape) along the last axis are all masked out (backed is
 * FALSE), or are all at index, index + stride, and so on. At least 1; the next element begins another run, which may continue in the
 * same way. */
gint64           ls_tracker_run       (const LsTracker *t, const gint64 *axes, gint64 length, gboolean *backed, gint64 *index,
                                       gint64 *stride);
/* "[4,6] strides 6,1", with "offset 3" and "mask 0:2,1:6" where there is one; of several views the last, "over" the one before it. */
char            *ls_tracker_summary   (const LsTracker *t);
/* "ShapeTracker(views=(View(shape=(3,), strides=(1,), offset=0, mask=None, contiguous=True),))" */
char            *ls_tracker_to_string (const LsTracker *t);
/* Reads it back. NULL and error (LS_ERROR_SYNTAX) if it is not a tracker. */
const LsTracker *ls_tracker_parse     (LsContext *ctx, const char *text, GError **error);
