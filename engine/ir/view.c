/* Views and shape trackers.
 *
 * A view maps the indices of its shape to an element: offset + sum of index * stride, where a mask says which indices are backed.
 * Movement ops change the newest view when they can and append one when they cannot (a reshape across strides that do not
 * factor). Merging two views asks where the indices of the newer one land in the shape of the older one: each axis of the newer
 * view must step along the older view's axes by constant amounts without a carry from one axis to the next.
 */
#include "view.h"
#include "context-private.h"
#include "number.h"

#include <string.h>

#define MAX_DIMS 64

static gint64
product (guint n, const gint64 *a)
{
  return ls_shape_size ((LsShape) { n, a });
}

/* Row-major strides; 0 for axes of size 1. */
static void
natural_strides (guint n, const gint64 *shape, gint64 *strides)
{
  gint64 step = 1;
  for (guint i = n; i-- > 0;) {
    strides[i] = shape[i] == 1 ? 0 : step;
    step *= MAX (shape[i], 1);
  }
}

const LsView *
ls_view_new (LsContext *ctx, guint n, const gint64 *shape, const gint64 *strides, gint64 offset, const gint64 *mask)
{
  g_assert (n <= MAX_DIMS);
  gint64 s[MAX_DIMS], natural[MAX_DIMS], m[2 * MAX_DIMS];
  gboolean empty = FALSE, masked = FALSE, nothing = FALSE;
  natural_strides (n, shape, natural);
  for (guint i = 0; i < n; i++) {
    s[i] = shape[i] == 1 ? 0 : strides ? strides[i] : natural[i];
    empty |= shape[i] == 0;
  }
  if (mask)
    for (guint i = 0; i < n; i++) {
      m[2 * i] = MAX (mask[2 * i], 0);
      m[2 * i + 1] = MIN (mask[2 * i + 1], shape[i]);
      masked |= m[2 * i] != 0 || m[2 * i + 1] != shape[i];
      nothing |= m[2 * i] >= m[2 * i + 1];
    }
  if (empty) {
    masked = FALSE;
    offset = 0;
    memcpy (s, natural, n * sizeof *s);
  } else if (masked && nothing) {
    /* nothing is backed: one form for all such views */
    memset (m, 0, sizeof m);
    memset (s, 0, sizeof s);
    offset = 0;
  } else if (masked) {
    /* an axis with one backed index has no stride: its step goes into the offset */
    for (guint i = 0; i < n; i++)
      if (m[2 * i + 1] - m[2 * i] == 1 && s[i] != 0) {
        offset += s[i] * m[2 * i];
        s[i] = 0;
      }
  }
  LsView view;
  memset (&view, 0, sizeof view);
  view.n = n;
  view.offset = offset;
  view.shape = ls_context_intern (ctx, shape, n * sizeof *shape);
  view.strides = ls_context_intern (ctx, s, n * sizeof *s);
  view.mask = masked ? ls_context_intern (ctx, m, 2 * n * sizeof *m) : NULL;
  view.contiguous = offset == 0 && !masked && memcmp (s, natural, n * sizeof *s) == 0;
  return ls_context_intern (ctx, &view, sizeof view);
}

const LsTracker *
ls_tracker_new (LsContext *ctx, guint n_views, const LsView *const *views)
{
  LsTracker t;
  memset (&t, 0, sizeof t);
  t.n_views = n_views;
  t.views = ls_context_intern (ctx, views, n_views * sizeof *views);
  return ls_context_intern (ctx, &t, sizeof t);
}

const LsTracker *
ls_tracker_contiguous (LsContext *ctx, LsShape shape)
{
  const LsView *v = ls_view_new (ctx, shape.n, shape.dims, NULL, 0, NULL);
  return ls_tracker_new (ctx, 1, &v);
}

LsShape
ls_tracker_shape (const LsTracker *t)
{
  const LsView *v = t->views[t->n_views - 1];
  return (LsShape) { v->n, v->shape };
}

gboolean
ls_tracker_is_contiguous (const LsTracker *t)
{
  return t->n_views == 1 && t->views[0]->contiguous;
}

static gboolean
is_backed (const LsView *v)
{
  for (guint i = 0; v->mask && i < v->n; i++)
    if (v->mask[2 * i] >= v->mask[2 * i + 1])
      return FALSE;
  return TRUE;
}

/* A view without any unmasked element. */
static const LsView *
view_unbacked (LsContext *ctx, guint n, const gint64 *shape)
{
  gint64 mask[2 * MAX_DIMS] = { 0 };
  return ls_view_new (ctx, n, shape, NULL, 0, mask);
}

/* A run of a reshape: adjacent old axes with the same number of elements as adjacent new axes. */
typedef struct {
  int    old_first, old_last, new_first, new_last;
  gint64 stride;      /* of its innermost element */
  gint64 lo, hi;      /* which of its elements are backed */
} Run;

/* The run that ends in old axis i and new axis j. FALSE if no axes before them give the same number of elements. */
static gboolean
find_run (const LsView *v, const gint64 *shape, int i, int j, Run *run)
{
  gint64 old = v->shape[i], new = shape[j];
  *run = (Run) { i, i, j, j };
  while (old != new) {
    if (old < new) {
      do run->old_first--;
      while (run->old_first >= 0 && v->shape[run->old_first] == 1 && !(v->mask && v->mask[2 * run->old_first] > 0));
      if (run->old_first < 0)
        return FALSE;
      old *= v->shape[run->old_first];
    } else {
      if (--run->new_first < 0)
        return FALSE;
      new *= shape[run->new_first];
    }
  }
  return TRUE;
}

/* The old axes as one axis. They must step like one; and an axis with a mask repeats it along those before it, which must have one
 * backed index therefore. */
static gboolean
join_run (const LsView *v, Run *run)
{
  gint64 size = 1;
  gboolean masked = FALSE;
  run->stride = v->strides[run->old_last];
  run->lo = 0;
  run->hi = 1;
  for (int k = run->old_last; k >= run->old_first; k--) {
    if (v->shape[k] == 1)
      continue;
    if (size > 1 && v->strides[k] != run->stride * size)
      return FALSE;
    gint64 lo = v->mask ? v->mask[2 * k] : 0, hi = v->mask ? v->mask[2 * k + 1] : v->shape[k], width = run->hi - run->lo;
    if (masked && hi - lo != 1)
      return FALSE;
    run->lo += lo * size;
    run->hi = run->lo + width + (hi - lo - 1) * size;
    masked |= lo != 0 || hi != v->shape[k];
    size *= v->shape[k];
  }
  return TRUE;
}

/* The new axes of that one, inner ones first: its unmasked elements must be a box of them. */
static gboolean
split_run (Run run, const gint64 *shape, gint64 *strides, gint64 *mask)
{
  for (int k = run.new_last; k >= run.new_first; k--) {
    gint64 d = shape[k], *box = mask + 2 * k;
    strides[k] = d == 1 ? 0 : run.stride;
    run.stride *= d;
    if (k == run.new_first) {
      box[0] = run.lo;
      box[1] = run.hi;
    } else if (run.lo % d == 0 && run.hi % d == 0) {
      box[0] = 0;
      box[1] = d;
      run.lo /= d;
      run.hi /= d;
    } else if (run.lo / d == (run.hi - 1) / d) {
      box[0] = run.lo % d;
      box[1] = (run.hi - 1) % d + 1;
      run.lo /= d;
      run.hi = run.lo + 1;
    } else {
      return FALSE;
    }
  }
  return TRUE;
}

/* v under another shape of the same size as one view, or NULL where its strides or mask do not factor that way. */
static const LsView *
view_reshape (LsContext *ctx, const LsView *v, guint n, const gint64 *shape)
{
  if (n == v->n && memcmp (shape, v->shape, n * sizeof *shape) == 0)
    return v;
  if (product (n, shape) == 0 || v->contiguous)
    return ls_view_new (ctx, n, shape, NULL, 0, NULL);
  if (!is_backed (v))
    return view_unbacked (ctx, n, shape);
  gint64 strides[MAX_DIMS], mask[2 * MAX_DIMS];
  for (int i = (int) v->n - 1, j = (int) n - 1; i >= 0 || j >= 0;) {
    if (j >= 0 && shape[j] == 1) {
      strides[j] = 0;
      mask[2 * j] = 0;
      mask[2 * j + 1] = 1;
      j--;
      continue;
    }
    if (i >= 0 && v->shape[i] == 1) {
      if (v->mask && v->mask[2 * i] > 0)
        return NULL;
      i--;
      continue;
    }
    Run run;
    if (i < 0 || j < 0 || !find_run (v, shape, i, j, &run) || !join_run (v, &run) || !split_run (run, shape, strides, mask))
      return NULL;
    i = run.old_first - 1;
    j = run.new_first - 1;
  }
  return ls_view_new (ctx, n, shape, strides, v->offset, v->mask ? mask : NULL);
}

/* Where the backed indices of a newer view land in the shape of an older one. */
typedef struct {
  gint64 first[MAX_DIMS], last[MAX_DIMS];      /* the backed indices of each newer axis */
  gint64 start[MAX_DIMS];                      /* where the first of all lands, along each older axis */
  gint64 move[MAX_DIMS][MAX_DIMS];             /* [newer][older]: the step along the older axis when the newer axis' index grows by 1 */
} Landing;

/* FALSE where an index lands outside, or steps from one older axis into the one before it. */
static gboolean
find_landing (const LsView *older, const LsView *newer, Landing *l)
{
  gint64 natural[MAX_DIMS], base = newer->offset;
  natural_strides (older->n, older->shape, natural);
  for (guint k = 0; k < newer->n; k++) {
    l->first[k] = newer->mask ? newer->mask[2 * k] : 0;
    l->last[k] = newer->mask ? newer->mask[2 * k + 1] - 1 : newer->shape[k] - 1;
    base += newer->strides[k] * l->first[k];
  }
  if (base < 0 || base >= product (older->n, older->shape))
    return FALSE;
  for (guint i = 0; i < older->n; i++)
    l->start[i] = older->shape[i] == 1 ? 0 : base / natural[i] % older->shape[i];
  for (guint k = 0; k < newer->n; k++) {
    gint64 stride = newer->strides[k];
    memset (l->move[k], 0, older->n * sizeof l->move[k][0]);
    if (stride == 0 || l->first[k] == l->last[k])
      continue;
    gint64 rest = ABS (stride), sign = stride < 0 ? -1 : 1;
    for (guint i = 0; i < older->n; i++) {
      if (older->shape[i] == 1)
        continue;
      l->move[k][i] = sign * (rest / natural[i]);
      rest %= natural[i];
    }
  }
  for (guint i = 0; i < older->n; i++) {
    gint64 lo = l->start[i], hi = l->start[i];
    for (guint k = 0; k < newer->n; k++) {
      gint64 reach = l->move[k][i] * (l->last[k] - l->first[k]);
      if (reach < 0)
        lo += reach;
      else
        hi += reach;
    }
    if (lo < 0 || hi >= older->shape[i])
      return FALSE;
  }
  return TRUE;
}

/* The only newer axis that moves along older axis i; -1: none does, -2: several do. */
static int
find_mover (const LsView *newer, const Landing *l, guint i)
{
  int mover = -1;
  for (guint k = 0; k < newer->n; k++)
    if (l->move[k][i] != 0 && l->last[k] > l->first[k]) {
      if (mover >= 0)
        return -2;
      mover = (int) k;
    }
  return mover;
}

/* box: of a newer axis's indices those for which lo <= start + step * (index - first) < hi. */
static void
clip_box (gint64 *box, gint64 first, gint64 start, gint64 step, gint64 lo, gint64 hi)
{
  gint64 from, to;
  if (step > 0) {
    from = lo <= start ? 0 : (lo - start + step - 1) / step;
    to = hi - 1 < start ? -1 : (hi - 1 - start) / step;
  } else {
    from = start <= hi - 1 ? 0 : (start - (hi - 1) - step - 1) / -step;
    to = start < lo ? -1 : (start - lo) / -step;
  }
  box[0] = MAX (box[0], first + from);
  box[1] = MIN (box[1], first + to + 1);
}

typedef enum { MASK_NONE, MASK_BOX, MASK_NOTHING, MASK_NO_BOX } MaskResult;

/* The older view's mask, as one of the newer's indices: mask, which is the newer's before. MASK_NOTHING: nothing is backed. */
static MaskResult
merge_masks (const LsView *older, const LsView *newer, const Landing *l, gint64 *mask)
{
  MaskResult result = newer->mask ? MASK_BOX : MASK_NONE;
  for (guint i = 0; older->mask && i < older->n; i++) {
    gint64 lo = older->mask[2 * i], hi = older->mask[2 * i + 1];
    if (lo == 0 && hi == older->shape[i])
      continue;
    int mover = find_mover (newer, l, i);
    if (mover == -2)
      return MASK_NO_BOX;
    if (mover < 0) {
      if (l->start[i] < lo || l->start[i] >= hi)
        return MASK_NOTHING;
      continue;
    }
    clip_box (mask + 2 * mover, l->first[mover], l->start[i], l->move[mover][i], lo, hi);
    if (mask[2 * mover] >= mask[2 * mover + 1])
      return MASK_NOTHING;
    result = MASK_BOX;
  }
  return result;
}

/* newer seen through older as one view, or NULL. */
static const LsView *
view_merge (LsContext *ctx, const LsView *older, const LsView *newer)
{
  if (older->contiguous)
    return newer;
  if (newer->contiguous && newer->n == older->n && memcmp (newer->shape, older->shape, newer->n * sizeof (gint64)) == 0)
    return older;
  if (product (newer->n, newer->shape) == 0)
    return ls_view_new (ctx, newer->n, newer->shape, NULL, 0, NULL);
  if (newer->contiguous)
    return view_reshape (ctx, older, newer->n, newer->shape);
  if (!is_backed (newer))
    return newer;
  Landing l;
  if (!find_landing (older, newer, &l))
    return NULL;
  gint64 strides[MAX_DIMS], mask[2 * MAX_DIMS], offset = older->offset;
  for (guint i = 0; i < older->n; i++)
    offset += older->strides[i] * l.start[i];
  for (guint k = 0; k < newer->n; k++) {
    strides[k] = 0;
    for (guint i = 0; i < older->n; i++)
      strides[k] += older->strides[i] * l.move[k][i];
    offset -= strides[k] * l.first[k];
    mask[2 * k] = l.first[k];
    mask[2 * k + 1] = l.last[k] + 1;
  }
  switch (merge_masks (older, newer, &l, mask)) {
  case MASK_NONE: return ls_view_new (ctx, newer->n, newer->shape, strides, offset, NULL);
  case MASK_BOX: return ls_view_new (ctx, newer->n, newer->shape, strides, offset, mask);
  case MASK_NOTHING: return view_unbacked (ctx, newer->n, newer->shape);
  default: return NULL;
  }
}

/* t with its newest view replaced by v, merged downwards as far as it goes. */
static const LsTracker *
with_last (LsContext *ctx, const LsTracker *t, const LsView *v, gboolean append, gboolean merge)
{
  const LsView *few[8];
  g_autofree const LsView **many = t->n_views < G_N_ELEMENTS (few) ? NULL : g_new (const LsView *, t->n_views + 1);
  const LsView **views = many ? many : few;
  guint n = t->n_views - (append ? 0 : 1);
  memcpy (views, t->views, n * sizeof *views);
  views[n++] = v;
  while (merge && n > 1) {
    const LsView *m = view_merge (ctx, views[n - 2], views[n - 1]);
    if (!m)
      break;
    views[--n - 1] = m;
  }
  return ls_tracker_new (ctx, n, views);
}

/* A view that is being moved: as LsView, with room to change. */
typedef struct {
  guint    n;
  gint64   shape[MAX_DIMS], strides[MAX_DIMS], mask[2 * MAX_DIMS], offset;
  gboolean masked;
} Moving;

static void
permute_view (Moving *m, const LsView *v, const gint64 *axes)
{
  for (guint i = 0; i < m->n; i++) {
    m->shape[i] = v->shape[axes[i]];
    m->strides[i] = v->strides[axes[i]];
    m->mask[2 * i] = v->mask ? v->mask[2 * axes[i]] : 0;
    m->mask[2 * i + 1] = v->mask ? v->mask[2 * axes[i] + 1] : m->shape[i];
  }
}

/* An axis of size 1 that is backed is backed everywhere. FALSE: it is not, so nothing is. */
static gboolean
expand_view (Moving *m, const gint64 *shape)
{
  for (guint i = 0; i < m->n; i++) {
    if (shape[i] == m->shape[i])
      continue;
    if (m->mask[2 * i] >= m->mask[2 * i + 1])
      return FALSE;
    m->shape[i] = shape[i];
    m->strides[i] = 0;
    m->mask[2 * i] = 0;
    m->mask[2 * i + 1] = shape[i];
  }
  return TRUE;
}

static void
pad_view (Moving *m, const gint64 *pairs)
{
  for (guint i = 0; i < m->n; i++) {
    gint64 before = pairs[2 * i], after = pairs[2 * i + 1];
    m->offset -= m->strides[i] * before;
    m->mask[2 * i] += before;
    m->mask[2 * i + 1] += before;
    m->masked |= before || after;
    if (m->shape[i] == 1 && (before || after))
      m->strides[i] = 0;
    m->shape[i] += before + after;
  }
}

static void
shrink_view (Moving *m, const gint64 *pairs)
{
  for (guint i = 0; i < m->n; i++) {
    m->offset += m->strides[i] * pairs[2 * i];
    m->shape[i] = pairs[2 * i + 1] - pairs[2 * i];
    for (guint k = 2 * i; k < 2 * i + 2; k++) {
      m->mask[k] -= pairs[2 * i];
      m->mask[k] = CLAMP (m->mask[k], 0, m->shape[i]);
    }
  }
}

static void
flip_view (Moving *m, const gint64 *flags)
{
  for (guint i = 0; i < m->n; i++)
    if (flags[i]) {
      m->offset += m->strides[i] * (m->shape[i] - 1);
      m->strides[i] = -m->strides[i];
      gint64 lo = m->mask[2 * i];
      m->mask[2 * i] = m->shape[i] - m->mask[2 * i + 1];
      m->mask[2 * i + 1] = m->shape[i] - lo;
    }
}

/* v after any movement but a reshape, as one view. */
static const LsView *
view_move (LsContext *ctx, const LsView *v, LsOp op, const gint64 *a)
{
  Moving m;
  m.n = v->n;
  m.offset = v->offset;
  m.masked = v->mask != NULL;
  for (guint i = 0; i < v->n; i++) {
    m.shape[i] = v->shape[i];
    m.strides[i] = v->strides[i];
    m.mask[2 * i] = v->mask ? v->mask[2 * i] : 0;
    m.mask[2 * i + 1] = v->mask ? v->mask[2 * i + 1] : v->shape[i];
  }
  switch ((int) op) {
  case LS_OP_PERMUTE: permute_view (&m, v, a); break;
  case LS_OP_EXPAND:
    if (!expand_view (&m, a))
      return view_unbacked (ctx, v->n, a);
    break;
  case LS_OP_PAD: pad_view (&m, a); break;
  case LS_OP_SHRINK: shrink_view (&m, a); break;
  case LS_OP_FLIP: flip_view (&m, a); break;
  default: g_assert_not_reached ();
  }
  return ls_view_new (ctx, m.n, m.shape, m.strides, m.offset, m.masked ? m.mask : NULL);
}

const LsTracker *
ls_tracker_movement (LsContext *ctx, const LsTracker *t, LsOp op, LsArg arg, gboolean merge)
{
  const LsView *v = t->views[t->n_views - 1];
  if (!merge) {      /* every op sees only the shape: a fresh view over it */
    const LsView *moved = op == LS_OP_RESHAPE ? ls_view_new (ctx, arg.n, arg.ints, NULL, 0, NULL) :
                          view_move (ctx, ls_view_new (ctx, v->n, v->shape, NULL, 0, NULL), op, arg.ints);
    return with_last (ctx, t, moved, TRUE, FALSE);
  }
  if (op != LS_OP_RESHAPE)
    return with_last (ctx, t, view_move (ctx, v, op, arg.ints), FALSE, TRUE);
  const LsView *reshaped = view_reshape (ctx, v, arg.n, arg.ints);
  return reshaped ? with_last (ctx, t, reshaped, FALSE, TRUE) :
         with_last (ctx, t, ls_view_new (ctx, arg.n, arg.ints, NULL, 0, NULL), TRUE, FALSE);
}

const LsTracker *
ls_tracker_moved (LsContext *ctx, const LsTracker *t, LsOp op, LsArg arg, gboolean merge_views)
{
  if (merge_views || op == LS_OP_RESHAPE)
    return ls_tracker_movement (ctx, t, op, arg, merge_views);
  g_autofree const LsView **views = g_memdup2 (t->views, t->n_views * sizeof *views);
  const LsTracker *last = ls_tracker_movement (ctx, ls_tracker_new (ctx, 1, views + t->n_views - 1), op, arg, TRUE);
  views[t->n_views - 1] = last->views[0];
  return ls_tracker_new (ctx, t->n_views, views);
}

const LsTracker *
ls_tracker_compose (LsContext *ctx, const LsTracker *inner, const LsTracker *outer, gboolean merge)
{
  if (ls_tracker_is_contiguous (outer) && ls_shape_equal (ls_tracker_shape (inner), ls_tracker_shape (outer)))
    return inner;
  const LsTracker *t = inner;
  for (guint i = 0; i < outer->n_views; i++)
    t = with_last (ctx, t, outer->views[i], TRUE, merge);
  return t;
}

const LsTracker *
ls_tracker_repeat (LsContext *ctx, const LsTracker *t, gint64 n, gint64 size)
{
  g_autofree const LsView **views = g_new (const LsView *, t->n_views);
  for (guint k = 0; k < t->n_views; k++) {
    const LsView *v = t->views[k];
    gint64 shape[MAX_DIMS] = { n }, strides[MAX_DIMS] = { size }, mask[2 * MAX_DIMS] = { 0, n };
    g_assert (v->n < MAX_DIMS);
    memcpy (shape + 1, v->shape, v->n * sizeof *shape);
    memcpy (strides + 1, v->strides, v->n * sizeof *strides);
    if (v->mask)
      memcpy (mask + 2, v->mask, 2 * v->n * sizeof *mask);
    views[k] = ls_view_new (ctx, v->n + 1, shape, strides, v->offset, v->mask ? mask : NULL);
    size = product (v->n, v->shape);
  }
  return ls_tracker_new (ctx, t->n_views, views);
}

gboolean
ls_tracker_shows_whole (LsContext *ctx, const LsTracker *t)
{
  if (!ls_tracker_is_contiguous (t))
    t = ls_tracker_compose (ctx, ls_tracker_contiguous (ctx, (LsShape) { t->views[0]->n, t->views[0]->shape }), t, TRUE);
  return ls_tracker_is_contiguous (t);
}

gint64
ls_tracker_real_size (const LsTracker *t)
{
  const LsView *v = t->views[0];
  gint64 last = v->offset;
  if (product (v->n, v->shape) == 0)
    return 0;
  for (guint i = 0; i < v->n; i++) {
    gint64 lo = v->mask ? v->mask[2 * i] : 0, hi = v->mask ? v->mask[2 * i + 1] - 1 : v->shape[i] - 1;
    if (hi < lo)
      return 0;
    last += MAX (v->strides[i] * lo, v->strides[i] * hi);
  }
  return last + 1;
}

static LsUOp *
and_valid (LsContext *ctx, LsUOp *valid, LsUOp *c)
{
  return valid ? ls_uop_alu2 (ctx, LS_OP_AND, valid, c) : c;
}

static void
view_expr (LsContext *ctx, const LsView *v, LsUOp *const *axes, LsUOp **index, LsUOp **valid)
{
  LsUOp *sum = NULL;
  for (guint i = 0; i < v->n; i++) {
    if (v->shape[i] != 1 && v->strides[i] != 0) {
      LsUOp *term = v->strides[i] == 1 ? axes[i] : ls_uop_alu2 (ctx, LS_OP_MUL, axes[i], ls_uop_const_i (ctx, LS_INDEX, v->strides[i]));
      sum = sum ? ls_uop_alu2 (ctx, LS_OP_ADD, sum, term) : term;
    }
    if (!v->mask)
      continue;
    if (v->mask[2 * i] > 0)
      *valid = and_valid (ctx, *valid, ls_uop_alu1 (ctx, LS_OP_NOT, ls_uop_alu2 (ctx, LS_OP_CMPLT, axes[i],
                                                                                 ls_uop_const_i (ctx, LS_INDEX, v->mask[2 * i]))));
    if (v->mask[2 * i + 1] < v->shape[i])
      *valid = and_valid (ctx, *valid, ls_uop_alu2 (ctx, LS_OP_CMPLT, axes[i], ls_uop_const_i (ctx, LS_INDEX, v->mask[2 * i + 1])));
  }
  if (v->offset != 0 || !sum) {
    LsUOp *c = ls_uop_const_i (ctx, LS_INDEX, v->offset);
    sum = sum ? ls_uop_alu2 (ctx, LS_OP_ADD, sum, c) : c;
  }
  *index = sum;
}

void
ls_tracker_expr (LsContext *ctx, const LsTracker *t, LsUOp *const *axes, LsUOp **index, LsUOp **valid)
{
  *valid = NULL;
  LsUOp *at[MAX_DIMS];
  for (guint k = t->n_views; k-- > 0;) {
    const LsView *v = t->views[k];
    if (k < t->n_views - 1) {
      /* unflatten the newer view's index over this one's shape */
      gint64 step = 1;
      for (guint i = v->n; i-- > 0;) {
        LsUOp *x = *index;
        if (step != 1)
          x = ls_uop_alu2 (ctx, LS_OP_FLOORDIV, x, ls_uop_const_i (ctx, LS_INDEX, step));
        at[i] = v->shape[i] == 1 ? ls_uop_const_i (ctx, LS_INDEX, 0) : ls_uop_alu2 (ctx, LS_OP_FLOORMOD, x,
                                                                                    ls_uop_const_i (ctx, LS_INDEX, v->shape[i]));
        step *= MAX (v->shape[i], 1);
      }
      axes = at;
    }
    view_expr (ctx, v, axes, index, valid);
  }
}

/* How many of length indices from a on, each step further, stay in begin to end when a is inside, and outside on the same side when
 * it is not. */
static gint64
stays (gint64 a, gint64 step, gint64 begin, gint64 end, gint64 length)
{
  gint64 last = length;
  if (a >= begin && a < end)
    last = step > 0 ? (end - 1 - a) / step + 1 : step < 0 ? (a - begin) / -step + 1 : length;
  else if (step > 0 && a < begin)
    last = (begin - a - 1) / step + 1;
  else if (step < 0 && a >= end)
    last = (a - end) / -step + 1;
  return CLAMP (last, 1, length);      /* values in a damaged recording may overflow */
}

gint64
ls_tracker_run (const LsTracker *t, const gint64 *axes, gint64 length, gboolean *backed, gint64 *index, gint64 *stride)
{
  gint64 at[MAX_DIMS], step = 1;      /* of the axis that moves */
  for (guint k = t->n_views; k-- > 0;) {
    const LsView *v = t->views[k];
    guint moving = v->n > 0 ? v->n - 1 : 0;
    if (k < t->n_views - 1) {
      gint64 rest = *index;
      for (guint i = v->n; i-- > 1;) {
        gint64 size = MAX (v->shape[i], 1);
        /* most indices are small, and their division is several times as fast */
        gint64 quotient = (guint64) rest <= G_MAXUINT32 && size <= G_MAXUINT32 ? (gint64) ((guint32) rest / (guint32) size) : rest / size;
        at[i] = rest - quotient * size;
        rest = quotient;
      }
      if (v->n > 0)
        at[0] = v->shape[0] > 0 && rest >= v->shape[0] ? rest % v->shape[0] : rest;
      axes = at;
      /* steps of whole rows are steps along the axis before */
      for (; length > 1 && step != 0 && moving > 0 && step % MAX (v->shape[moving], 1) == 0; moving--)
        step /= MAX (v->shape[moving], 1);
    }
    gint64 sum = v->offset;
    gboolean inside = TRUE, others_inside = TRUE;
    if (length > 1 && v->n > 0)      /* up to where the next axis moves too */
      length = axes[moving] >= 0 && axes[moving] < v->shape[moving] ? stays (axes[moving], step, 0, v->shape[moving], length) : 1;
    for (guint i = 0; i < v->n; i++) {
      gboolean in = !v->mask || (axes[i] >= v->mask[2 * i] && axes[i] < v->mask[2 * i + 1]);
      inside &= in;
      others_inside &= in || i == moving;
      sum += axes[i] * v->strides[i];
    }
    if (v->mask && length > 1 && others_inside)
      length = stays (axes[moving], step, v->mask[2 * moving], v->mask[2 * moving + 1], length);
    *index = sum;
    step = v->n > 0 ? step * v->strides[moving] : 0;
    if (!inside) {
      *backed = FALSE;
      return length;
    }
  }
  *backed = TRUE;
  *stride = step;
  return length;
}

gboolean
ls_tracker_index (const LsTracker *t, const gint64 *axes, gint64 *index)
{
  gboolean backed;
  gint64 stride;
  ls_tracker_run (t, axes, 1, &backed, index, &stride);
  return backed;
}

static void
append_tuple (GString *s, guint n, const gint64 *a)
{
  g_autofree char *text = ls_shape_to_string ((LsShape) { n, a });
  g_string_append (s, text);
}

char *
ls_tracker_to_string (const LsTracker *t)
{
  GString *s = g_string_new ("ShapeTracker(views=(");
  for (guint k = 0; k < t->n_views; k++) {
    const LsView *v = t->views[k];
    g_string_append (s, k ? ", View(shape=" : "View(shape=");
    append_tuple (s, v->n, v->shape);
    g_string_append (s, ", strides=");
    append_tuple (s, v->n, v->strides);
    g_string_append_printf (s, ", offset=%" G_GINT64_FORMAT ", mask=", v->offset);
    if (v->mask) {
      g_string_append_c (s, '(');
      for (guint i = 0; i < v->n; i++) {
        if (i)
          g_string_append (s, ", ");
        append_tuple (s, 2, v->mask + 2 * i);
      }
      g_string_append (s, v->n == 1 ? ",)" : ")");
    } else {
      g_string_append (s, "None");
    }
    g_string_append_printf (s, ", contiguous=%s)", v->contiguous ? "True" : "False");
  }
  g_string_append (s, t->n_views == 1 ? ",)" : ")");
  g_string_append_c (s, ')');
  return g_string_free (s, FALSE);
}

static void
append_numbers (GString *s, guint n, const gint64 *numbers)
{
  for (guint i = 0; i < n; i++)
    g_string_append_printf (s, "%s%" G_GINT64_FORMAT, i ? "," : "", numbers[i]);
}

char *
ls_tracker_summary (const LsTracker *t)
{
  GString *s = g_string_new (NULL);
  for (guint k = t->n_views; k-- > 0;) {
    const LsView *v = t->views[k];
    g_string_append (s, k + 1 < t->n_views ? " over [" : "[");
    append_numbers (s, v->n, v->shape);
    g_string_append (s, v->n ? "] strides " : "]");
    append_numbers (s, v->n, v->strides);
    if (v->offset)
      g_string_append_printf (s, " offset %" G_GINT64_FORMAT, v->offset);
    for (guint i = 0; v->mask && i < v->n; i++)
      g_string_append_printf (s, "%s%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT, i ? "," : " mask ", v->mask[2 * i], v->mask[2 * i + 1]);
  }
  return g_string_free (s, FALSE);
}

/* --- reading it back --- */

typedef struct { const char *start, *p; GError **error; } Reader;

static gboolean
fail (Reader *r, const char *expected)
{
  if (r->error && !*r->error)
    g_set_error (r->error, LS_ERROR, LS_ERROR_SYNTAX, "shape tracker: expected %s at column %d", expected, (int) (r->p - r->start) + 1);
  return FALSE;
}

static gboolean
word (Reader *r, const char *text)
{
  while (*r->p == ' ')
    r->p++;
  if (!g_str_has_prefix (r->p, text))
    return FALSE;
  r->p += strlen (text);
  return TRUE;
}

static gboolean
number (Reader *r, gint64 *out)
{
  const gint64 most = G_GINT64_CONSTANT (1) << 56;
  while (*r->p == ' ')
    r->p++;
  return ls_number_int (&r->p, -most, most, out) || fail (r, "a number");
}

static gboolean
tuple (Reader *r, gint64 *out, guint *n)
{
  *n = 0;
  if (!word (r, "("))
    return fail (r, "'('");
  while (!word (r, ")")) {
    if (*n == MAX_DIMS)
      return fail (r, "at most 64 axes");
    if (!number (r, &out[(*n)++]))
      return FALSE;
    if (!word (r, ",") && *r->p != ')')
      return fail (r, "',' or ')'");
  }
  return TRUE;
}

const LsTracker *
ls_tracker_parse (LsContext *ctx, const char *text, GError **error)
{
  GError *own = NULL;
  Reader r = { text, text, &own };
  g_autoptr (GPtrArray) views = g_ptr_array_new ();
  gboolean ok = word (&r, "ShapeTracker(views=(");
  while (ok && word (&r, "View(shape=")) {
    gint64 shape[MAX_DIMS], strides[MAX_DIMS], mask[2 * MAX_DIMS], offset, pair[MAX_DIMS];
    guint n, n_strides, n_pair, n_mask = 0;
    gboolean masked = FALSE;
    ok = tuple (&r, shape, &n) && word (&r, ", strides=") && tuple (&r, strides, &n_strides) && n == n_strides && word (&r, ", offset=") &&
         number (&r, &offset) && word (&r, ", mask=");
    if (ok && !word (&r, "None")) {
      masked = ok = word (&r, "(");
      while (ok && !word (&r, ")")) {
        ok = n_mask < n && tuple (&r, pair, &n_pair) && n_pair == 2;
        if (ok) {
          mask[2 * n_mask] = pair[0];
          mask[2 * n_mask + 1] = pair[1];
          n_mask++;
          ok = word (&r, ",") || *r.p == ')';
        }
      }
      ok = ok && n_mask == n;
    }
    ok = ok && word (&r, ", contiguous=") && (word (&r, "True") || word (&r, "False")) && word (&r, ")");
    for (guint i = 0; ok && i < n; i++)
      ok = shape[i] >= 0;
    if (ok) {
      g_ptr_array_add (views, (gpointer) ls_view_new (ctx, n, shape, strides, offset, masked ? mask : NULL));
      ok = word (&r, ",") || *r.p == ')';
    }
  }
  ok = ok && views->len > 0 && word (&r, "))") && *r.p == 0;
  if (!ok) {
    fail (&r, "ShapeTracker(views=(View(shape=…, strides=…, offset=…, mask=…, contiguous=…),))");
    g_propagate_error (error, own);
    return NULL;
  }
  return ls_tracker_new (ctx, views->len, (const LsView *const *) views->pdata);
}
