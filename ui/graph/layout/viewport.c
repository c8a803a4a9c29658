/* The viewport of a step, worked out along the chain of pictures that it follows. */
#include "viewport.h"

#include <math.h>

#define ROOM     0.93     /* a picture that outgrew its window gets some to grow on */
#define EMPTY    0.15     /* maximum part of a window next to a larger picture that may be empty */
#define MOST_NEAR 64
#define FAR_MORE 1.35     /* so much larger could it be: then it is made larger */

typedef struct { guint i; double away; } Near;

/* Boxes that changed, nearest to focus first. */
static guint
find_near (const LsLayout *l, const float *width, const guint8 *differs, guint focus, Near *near)
{
  guint n = 0;
  for (guint i = 0; i < l->n; i++) {
    if (!differs[i])
      continue;
    Near one = { i, hypot (l->x[i] + width[i] / 2 - l->x[focus] - width[focus] / 2, l->y[i] - l->y[focus]) };
    guint at = n < MOST_NEAR ? n++ : n;
    for (; at > 0 && near[at - 1].away > one.away; at--)
      if (at < MOST_NEAR)
        near[at] = near[at - 1];
    if (at < MOST_NEAR)
      near[at] = one;
  }
  return n;
}

static LsBox
box_of (const LsLayout *l, const float *width, guint i)
{
  return (LsBox) { l->x[i], l->y[i], l->x[i] + width[i], l->y[i] + LS_SCENE_HEIGHT };
}

LsOutline *
ls_outline_of (const LsLayout *l, const float *width, const guint8 *differs, guint focus, gboolean legend, LsOutline *former)
{
  LsBox none = { 0, 0, -1, -1 };
  Near near[MOST_NEAR];
  guint n = find_near (l, width, differs, focus, near);
  LsOutline *o = g_malloc (sizeof (LsOutline) + n * sizeof (LsBox));
  *o = (LsOutline) { 1, former ? ls_outline_ref (former) : NULL, none, none, none, legend, n };
  if (!l->n)
    return o;
  o->all = (LsBox) { l->left, l->top, l->left + l->width, l->top + l->height };
  o->focus = box_of (l, width, n ? near[0].i : focus);
  for (guint i = 0; i < n; i++)
    o->near[i] = box_of (l, width, near[i].i);
  for (guint i = 0; i < l->n; i++)
    if (differs[i])
      ls_box_join (&o->change, box_of (l, width, i));
  return o;
}

LsOutline *
ls_outline_ref (LsOutline *outline)
{
  g_atomic_int_inc (&outline->ref_count);
  return outline;
}

void
ls_outline_unref (LsOutline *outline)
{
  while (outline && g_atomic_int_dec_and_test (&outline->ref_count)) {      /* a chain may be long: no recursion */
    LsOutline *former = outline->former;
    g_free (outline);
    outline = former;
  }
}

static gboolean
is_empty (LsBox b)
{
  return b.x1 < b.x0;
}

void
ls_box_join (LsBox *box, LsBox other)
{
  if (is_empty (*box))
    *box = other;
  else
    *box = (LsBox) { MIN (box->x0, other.x0), MIN (box->y0, other.y0), MAX (box->x1, other.x1), MAX (box->y1, other.y1) };
}

static double
bottom (const LsOutline *o)
{
  return o->legend ? LS_LEGEND : 0;
}

void
ls_viewport_clamp (LsViewport *s, LsBox all, double width, double height)
{
  double keep = 60;
  if (!is_empty (all) && width > 0 && height > 0) {
    s->x = CLAMP (s->x, keep - all.x1 * s->zoom, width - keep - all.x0 * s->zoom);
    s->y = CLAMP (s->y, keep - all.y1 * s->zoom, height - keep - all.y0 * s->zoom);
  }
  s->x = round (s->x);
  s->y = round (s->y);
}

/* The shift that brings [a, b] into [low, high] if it is outside, with a margin if there is space; if it is too large, its middle. */
static double
shift (double a, double b, double low, double high, double room)
{
  if (b - a > high - low)
    return a > low || b < high ? (low + high) / 2 - (a + b) / 2 : 0;
  if (a >= low && b <= high)
    return 0;
  room = CLAMP (room, 0, (high - low - (b - a)) / 2);
  return a < low ? low + room - a : high - room - b;
}

static void
reveal (LsViewport *s, LsBox box, double width, double height, double under, double room)
{
  double m = LS_MARGIN / 2.0;
  if (is_empty (box) || width <= 0 || height <= 0)
    return;
  s->x = round (s->x + shift (box.x0 * s->zoom + s->x, box.x1 * s->zoom + s->x, m, width - m, room * width));
  s->y = round (s->y + shift (box.y0 * s->zoom + s->y, box.y1 * s->zoom + s->y, m, height - m - under, room * height));
}

void
ls_viewport_reveal (LsViewport *s, LsBox box, double width, double height)
{
  reveal (s, box, width, height, LS_LEGEND, 0);
}

void
ls_viewport_reveal_all (LsViewport *s, const LsOutline *o, double width, double height)
{
  reveal (s, o->all, width, height, bottom (o), 0);
}

static gboolean
fits (LsBox box, double zoom, double w, double h)
{
  return (box.x1 - box.x0) * zoom <= w && (box.y1 - box.y0) * zoom <= h;
}

void
ls_viewport_reveal_change (LsViewport *s, const LsOutline *o, double width, double height)
{
  double w = width - LS_MARGIN, h = height - LS_MARGIN - bottom (o);
  LsBox box = is_empty (o->change) ? o->focus : o->change;
  if (!fits (box, s->zoom, w, h)) {
    box = o->focus;
    for (guint i = 0; i < o->n_near; i++) {
      LsBox both = box;
      ls_box_join (&both, o->near[i]);
      if (fits (both, s->zoom, w, h))
        box = both;
    }
  }
  /* with its surroundings: the next changes are often near */
  reveal (s, box, width, height, bottom (o), 0.2);
}

void
ls_viewport_center (LsViewport *s, double x, double y, double width, double height)
{
  s->x = round (width / 2 - x * s->zoom);
  s->y = round (height / 2 - y * s->zoom);
}

double
ls_outline_fit (const LsOutline *o, double width, double height)
{
  double w = width - 2 * LS_MARGIN, h = height - 2 * LS_MARGIN - bottom (o);
  if (is_empty (o->all) || w <= 0 || h <= 0)
    return 1;
  return CLAMP (MIN (w / MAX (o->all.x1 - o->all.x0, 1), h / MAX (o->all.y1 - o->all.y0, 1)), LS_ZOOM_MIN, 1);
}

static void
center_all (LsViewport *s, const LsOutline *o, double width, double height)
{
  ls_viewport_center (s, (o->all.x0 + o->all.x1) / 2, (o->all.y0 + o->all.y1) / 2 + bottom (o) / 2 / s->zoom, width, height);
}

LsViewport
ls_outline_whole (const LsOutline *o, double width, double height)
{
  LsViewport s = { ls_outline_fit (o, width, height), 0, 0 };
  if (!is_empty (o->all))
    center_all (&s, o, width, height);
  return s;
}

/* No empty half where the picture ends. */
static double
no_margin (double at, double a, double b, double zoom, double size)
{
  if ((b - a) * zoom > size - 2 * LS_MARGIN)
    return CLAMP (at, size - LS_MARGIN - b * zoom, LS_MARGIN - a * zoom);
  return size / 2 - (a + b) / 2 * zoom;
}

/* The same, if too much would be empty: a picture that shrinks a little keeps its position. */
static double
fill (double at, double a, double b, double zoom, double size)
{
  double most = EMPTY * size;
  return a * zoom + at > most || b * zoom + at < size - most ? no_margin (at, a, b, zoom, size) : at;
}

/* Without a picture before it. */
static LsViewport
first (const LsOutline *o, double width, double height, double zoom)
{
  double fit = ls_outline_fit (o, width, height);
  LsViewport s = { zoom > 0 ? zoom : MAX (fit, LS_ZOOM_LINES), 0, 0 };
  if (is_empty (o->all))
    return s;
  if (s.zoom <= fit) {
    center_all (&s, o, width, height);
    return s;
  }
  /* too large to be read as a whole: at the change, or at the end where everything comes together */
  ls_viewport_center (&s, (o->focus.x0 + o->focus.x1) / 2, (o->focus.y0 + o->focus.y1) / 2, width, height);
  ls_viewport_reveal_change (&s, o, width, height);
  s.x = no_margin (s.x, o->all.x0, o->all.x1, s.zoom, width);
  s.y = no_margin (s.y, o->all.y0, o->all.y1, s.zoom, height - bottom (o));
  return s;
}

/* After the picture that it follows was seen at s. */
static LsViewport
next (LsViewport s, const LsOutline *o, double width, double height, double zoom)
{
  double fit = ls_outline_fit (o, width, height);
  if (is_empty (o->all))
    return s;
  if (zoom <= 0 && (s.zoom > fit ? fit >= LS_ZOOM_LINES : fit > s.zoom * FAR_MORE)) {
    s.zoom = MAX (fit * ROOM, LS_ZOOM_LINES);
    center_all (&s, o, width, height);
  } else if (zoom <= 0 && s.zoom > fit && s.zoom > LS_ZOOM_LINES) {
    double x = (width / 2 - s.x) / s.zoom, y = (height / 2 - s.y) / s.zoom;
    s.zoom = LS_ZOOM_LINES;
    ls_viewport_center (&s, x, y, width, height);
    ls_viewport_reveal_change (&s, o, width, height);
  } else if (s.zoom <= fit) {
    ls_viewport_reveal_all (&s, o, width, height);
  } else {
    ls_viewport_reveal_change (&s, o, width, height);
    s.x = fill (s.x, o->all.x0, o->all.x1, s.zoom, width);
    s.y = fill (s.y, o->all.y0, o->all.y1, s.zoom, height - bottom (o));
  }
  ls_viewport_clamp (&s, o->all, width, height);
  return s;
}

LsViewport
ls_outline_viewport (const LsOutline *outline, double width, double height, double zoom)
{
  g_autoptr (GPtrArray) chain = g_ptr_array_new ();
  for (const LsOutline *o = outline; o; o = o->former)
    g_ptr_array_add (chain, (gpointer) o);
  LsViewport s = first (chain->pdata[chain->len - 1], width, height, zoom);
  for (guint i = chain->len - 1; i-- > 0; )
    s = next (s, chain->pdata[i], width, height, zoom);
  return s;
}
