/* Views and shape trackers.
 *
 * A view maps the indices of its shape to an element: offset + sum of index * stride, where a mask says which indices are backed.
 * Movement ops change the newest view when they can and append one when they cannot (a reshape across strides that do not
 * factor). Merging two views asks where the indices of the newer one land in the shape of the older one: each axis of the newer
 * view must step along the older view's axes by constant amounts without a carry from one axis to the next.
 */
#include "view.h"
#include "context-private.h"

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

/* v under another shape of the same size as one view, or NULL where its strides or mask do not factor that way. */
static const LsView *
view_reshape (LsContext *ctx, const LsView *v, guint n, const gint64 *shape)
{
  if (n == v->n && memcmp (shape, v->shape, n * sizeof *shape) == 0)
    return v;
  if (product (n, shape) == 0 || v->contiguous)
    return ls_view_new (ctx, n, shape, NULL, 0, NULL);
  gint64 strides[MAX_DIMS], mask[2 * MAX_DIMS];
  if (v->mask)
    for (guint i = 0; i < v->n; i++)
      if (v->mask[2 * i] >= v->mask[2 * i + 1]) {
        memset (mask, 0, sizeof mask);
        return ls_view_new (ctx, n, shape, NULL, 0, mask);
      }
  /* Walk both shapes from the right, matching runs of equal size. Within a run old axes must step like one axis (or the run is one old axis
   * split into several new ones); a masked old axis can only be kept, joined with axes of size 1, or split where its bounds allow. */
  int i = (int) v->n - 1, j = (int) n - 1;
  gint64 offset = v->offset;
  while (i >= 0 || j >= 0) {
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
    if (i < 0 || j < 0)
      return NULL;
    gint64 old = v->shape[i], new = shape[j];
    int i0 = i, j0 = j;
    while (old != new) {
      if (old < new) {
        do i0--; while (i0 >= 0 && v->shape[i0] == 1 && !(v->mask && v->mask[2 * i0] > 0));
        if (i0 < 0)
          return NULL;
        old *= v->shape[i0];
      } else {
        j0--;
        if (j0 < 0)
          return NULL;
        new *= shape[j0];
      }
    }
    /* old axes i0..i, new axes j0..j */
    gint64 lo = 0, hi = 1, stride = v->strides[i], size = 1;
    gboolean masked = FALSE;
    for (int k = i; k >= i0; k--) {
      if (v->shape[k] == 1)
        continue;
      if (size > 1 && v->strides[k] != stride * size)
        return NULL;
      gint64 mlo = v->mask ? v->mask[2 * k] : 0, mhi = v->mask ? v->mask[2 * k + 1] : v->shape[k];
      if (masked && mhi - mlo != 1)
        return NULL;      /* an inner part is masked and repeats along this axis */
      gint64 width = hi - lo;
      lo += mlo * size;
      hi = lo + width + (mhi - mlo - 1) * size;
      masked |= mlo != 0 || mhi != v->shape[k];
      size *= v->shape[k];
    }
    /* split the interval [lo, hi) of the run over the new axes, inner ones first */
    gint64 step = stride;
    for (int k = j; k >= j0; k--) {
      gint64 d = shape[k];
      strides[k] = d == 1 ? 0 : step;
      step *= d;
      if (k == j0) {
        mask[2 * k] = lo;
        mask[2 * k + 1] = hi;
      } else if (lo % d == 0 && hi % d == 0) {
        mask[2 * k] = 0;
        mask[2 * k + 1] = d;
        lo /= d;
        hi /= d;
      } else if (lo / d == (hi - 1) / d) {
        mask[2 * k] = lo % d;
        mask[2 * k + 1] = (hi - 1) % d + 1;
        lo /= d;
        hi = lo + 1;
      } else {
        return NULL;
      }
    }
    i = i0 - 1;
    j = j0 - 1;
  }
  return ls_view_new (ctx, n, shape, strides, offset, v->mask ? mask : NULL);
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
  if (newer->mask)
    for (guint i = 0; i < newer->n; i++)
      if (newer->mask[2 * i] >= newer->mask[2 * i + 1])
        return newer;
  /* Positions along older's axes: start of each axis, and how much each newer axis moves it. */
  gint64 start[MAX_DIMS], move[MAX_DIMS][MAX_DIMS], natural[MAX_DIMS];
  gint64 lo_index[MAX_DIMS], hi_index[MAX_DIMS];
  natural_strides (older->n, older->shape, natural);
  for (guint i = 0; i < older->n; i++)
    natural[i] = MAX (natural[i], 1);
  gint64 base = newer->offset;
  for (guint k = 0; k < newer->n; k++) {
    lo_index[k] = newer->mask ? newer->mask[2 * k] : 0;
    hi_index[k] = newer->mask ? newer->mask[2 * k + 1] - 1 : newer->shape[k] - 1;
    base += newer->strides[k] * lo_index[k];
  }
  if (base < 0 || base >= product (older->n, older->shape))
    return NULL;
  for (guint i = 0; i < older->n; i++) {
    start[i] = older->shape[i] == 1 ? 0 : base / natural[i] % older->shape[i];
  }
  for (guint k = 0; k < newer->n; k++) {
    gint64 stride = newer->strides[k];
    memset (move[k], 0, older->n * sizeof move[k][0]);
    if (stride == 0 || lo_index[k] == hi_index[k])
      continue;
    gint64 rest = ABS (stride), sign = stride < 0 ? -1 : 1;
    for (guint i = 0; i < older->n; i++) {
      if (older->shape[i] == 1)
        continue;
      move[k][i] = sign * (rest / natural[i]);
      rest %= natural[i];
    }
  }
  /* no carry: each older axis stays inside its size over the whole box */
  for (guint i = 0; i < older->n; i++) {
    gint64 lo = start[i], hi = start[i];
    for (guint k = 0; k < newer->n; k++) {
      gint64 reach = move[k][i] * (hi_index[k] - lo_index[k]);
      if (reach < 0)
        lo += reach;
      else
        hi += reach;
    }
    if (lo < 0 || hi >= older->shape[i])
      return NULL;
  }
  gint64 strides[MAX_DIMS], mask[2 * MAX_DIMS], offset = older->offset;
  gboolean masked = newer->mask != NULL;
  for (guint i = 0; i < older->n; i++)
    offset += older->strides[i] * start[i];
  for (guint k = 0; k < newer->n; k++) {
    strides[k] = 0;
    for (guint i = 0; i < older->n; i++)
      strides[k] += older->strides[i] * move[k][i];
    offset -= strides[k] * lo_index[k];
    mask[2 * k] = lo_index[k];
    mask[2 * k + 1] = hi_index[k] + 1;
  }
  if (older->mask)
    for (guint i = 0; i < older->n; i++) {
      gint64 lo = older->mask[2 * i], hi = older->mask[2 * i + 1];
      if (lo == 0 && hi == older->shape[i])
        continue;
      int mover = -1;
      for (guint k = 0; k < newer->n; k++)
        if (move[k][i] != 0 && hi_index[k] > lo_index[k]) {
          if (mover >= 0)
            return NULL;
          mover = k;
        }
      if (mover < 0) {
        if (start[i] >= lo && start[i] < hi)
          continue;
        memset (mask, 0, sizeof mask);
        return ls_view_new (ctx, newer->n, newer->shape, strides, 0, mask);
      }
      /* lo <= start + step * (x - lo_index) < hi */
      gint64 step = move[mover][i], first, last;
      if (step > 0) {
        first = lo <= start[i] ? 0 : (lo - start[i] + step - 1) / step;
        last = hi - 1 < start[i] ? -1 : (hi - 1 - start[i]) / step;
      } else {
        first = start[i] <= hi - 1 ? 0 : (start[i] - (hi - 1) - step - 1) / -step;
        last = start[i] < lo ? -1 : (start[i] - lo) / -step;
      }
      gint64 from = lo_index[mover] + first, to = lo_index[mover] + last + 1;
      mask[2 * mover] = MAX (mask[2 * mover], from);
      mask[2 * mover + 1] = MIN (mask[2 * mover + 1], to);
      masked = TRUE;
      if (mask[2 * mover] >= mask[2 * mover + 1]) {
        memset (mask, 0, sizeof mask);
        return ls_view_new (ctx, newer->n, newer->shape, strides, 0, mask);
      }
    }
  return ls_view_new (ctx, newer->n, newer->shape, strides, offset, masked ? mask : NULL);
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

const LsTracker *
ls_tracker_movement (LsContext *ctx, const LsTracker *t, LsOp op, LsArg arg, gboolean merge)
{
  const LsView *v = t->views[t->n_views - 1];
  const gint64 *a = arg.ints;
  gint64 shape[MAX_DIMS], strides[MAX_DIMS], mask[2 * MAX_DIMS], offset = v->offset;
  guint n = v->n;
  if (!merge) {
    /* every op sees only the shape: a fresh view over it */
    LsView plain = *v;
    const LsView *fresh = ls_view_new (ctx, plain.n, plain.shape, NULL, 0, NULL);
    const LsTracker *one = ls_tracker_new (ctx, 1, &fresh);
    const LsTracker *moved = op == LS_OP_RESHAPE ? NULL : ls_tracker_movement (ctx, one, op, arg, TRUE);
    const LsView *last = moved ? moved->views[moved->n_views - 1] : ls_view_new (ctx, arg.n, a, NULL, 0, NULL);
    return with_last (ctx, t, last, TRUE, FALSE);
  }
  for (guint i = 0; i < n; i++) {
    shape[i] = v->shape[i];
    strides[i] = v->strides[i];
    mask[2 * i] = v->mask ? v->mask[2 * i] : 0;
    mask[2 * i + 1] = v->mask ? v->mask[2 * i + 1] : v->shape[i];
  }
  gboolean masked = v->mask != NULL;
  switch ((int) op) {
  case LS_OP_RESHAPE: {
    const LsView *r = view_reshape (ctx, v, arg.n, a);
    if (r)
      return with_last (ctx, t, r, FALSE, TRUE);
    return with_last (ctx, t, ls_view_new (ctx, arg.n, a, NULL, 0, NULL), TRUE, FALSE);
  }
  case LS_OP_PERMUTE:
    for (guint i = 0; i < n; i++) {
      shape[i] = v->shape[a[i]];
      strides[i] = v->strides[a[i]];
      mask[2 * i] = v->mask ? v->mask[2 * a[i]] : 0;
      mask[2 * i + 1] = v->mask ? v->mask[2 * a[i] + 1] : shape[i];
    }
    break;
  case LS_OP_EXPAND:
    for (guint i = 0; i < n; i++) {
      if (a[i] == shape[i])
        continue;
      /* an axis of size 1 that is backed is backed everywhere; one that is not, nowhere */
      if (mask[2 * i] >= mask[2 * i + 1]) {
        memset (mask, 0, sizeof mask);
        masked = TRUE;
        return with_last (ctx, t, ls_view_new (ctx, n, a, NULL, 0, mask), FALSE, TRUE);
      }
      shape[i] = a[i];
      strides[i] = 0;
      mask[2 * i] = 0;
      mask[2 * i + 1] = a[i];
    }
    break;
  case LS_OP_PAD:
    for (guint i = 0; i < n; i++) {
      offset -= strides[i] * a[2 * i];
      mask[2 * i] += a[2 * i];
      mask[2 * i + 1] += a[2 * i];
      masked |= a[2 * i] || a[2 * i + 1];
      if (v->shape[i] == 1 && (a[2 * i] || a[2 * i + 1]))
        strides[i] = 0;
      shape[i] += a[2 * i] + a[2 * i + 1];
    }
    break;
  case LS_OP_SHRINK:
    for (guint i = 0; i < n; i++) {
      offset += strides[i] * a[2 * i];
      mask[2 * i] -= a[2 * i];
      mask[2 * i + 1] -= a[2 * i];
      shape[i] = a[2 * i + 1] - a[2 * i];
      mask[2 * i] = CLAMP (mask[2 * i], 0, shape[i]);
      mask[2 * i + 1] = CLAMP (mask[2 * i + 1], 0, shape[i]);
    }
    break;
  case LS_OP_FLIP:
    for (guint i = 0; i < n; i++)
      if (a[i]) {
        offset += strides[i] * (shape[i] - 1);
        strides[i] = -strides[i];
        gint64 lo = mask[2 * i];
        mask[2 * i] = shape[i] - mask[2 * i + 1];
        mask[2 * i + 1] = shape[i] - lo;
      }
    break;
  default: g_assert_not_reached ();
  }
  return with_last (ctx, t, ls_view_new (ctx, n, shape, strides, offset, masked ? mask : NULL), FALSE, TRUE);
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
  return CLAMP (last, 1, length);      /* what a damaged recording holds may overflow */
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
  char *end;
  while (*r->p == ' ')
    r->p++;
  *out = g_ascii_strtoll (r->p, &end, 10);
  if (end == r->p || *out > (G_GINT64_CONSTANT (1) << 56) || *out < -(G_GINT64_CONSTANT (1) << 56))
    return fail (r, "a number");
  r->p = end;
  return TRUE;
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
