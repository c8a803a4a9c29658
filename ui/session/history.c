/* Places are names, so that they outlive a recording that is replaced while its program runs on; those that the next one lacks are
 * passed over. */
#include "history.h"
#include "kit/class.h"

#define MAX_PLACES 1000
#define WALK 8      /* a held key moves several steps between two frames */

struct _LsHistory {
  GObject        parent_instance;
  LsViewSession *session;      /* not owned: it outlives its window's history */
  GArray        *places;
  guint          at;
  gboolean       walking;
};

G_DEFINE_FINAL_TYPE (LsHistory, ls_history, G_TYPE_OBJECT)

/* Within a walk of each other: steps of one pass, compared with the same. */
static gboolean
is_near (const LsPlace *a, const LsPlace *b)
{
  guint distance = a->at.step > b->at.step ? a->at.step - b->at.step : b->at.step - a->at.step;
  LsPlace moved = *a;
  moved.at.step = b->at.step;
  return distance <= WALK && ls_place_equal (&moved, b);
}

static void
on_position_changed (LsHistory *self)
{
  g_auto (LsPlace) here = ls_view_session_get_place (self->session);
  if (here.at.kernel == LS_PLACE_NONE)
    return;
  if (self->places->len > 0) {
    LsPlace *last = &g_array_index (self->places, LsPlace, self->at);
    gboolean near = is_near (last, &here);
    if (ls_place_equal (last, &here))
      return;
    if (near && self->walking && self->at + 1 == self->places->len) {
      last->at.step = here.at.step;
      return;
    }
    self->walking = near;
    g_array_set_size (self->places, self->at + 1);
  }
  g_array_append_val (self->places, here);
  here = (LsPlace) LS_PLACE_INIT;
  if (self->places->len > MAX_PLACES)
    g_array_remove_index (self->places, 0);
  self->at = self->places->len - 1;
}

static void
on_trace_changed (LsHistory *self)
{
  if (ls_view_session_get_trace (self->session))
    return;
  g_array_set_size (self->places, 0);
  self->at = 0;
  self->walking = FALSE;
}

/* The next place that way which the recording has, or -1. */
static int
find (LsHistory *self, int direction)
{
  LsTrace *trace = ls_view_session_get_trace (self->session);
  for (int i = (int) self->at + direction; trace && i >= 0 && i < (int) self->places->len; i += direction) {
    const LsPlace *place = &g_array_index (self->places, LsPlace, i);
    LsPosition p;
    if (ls_place_resolve (&place->at, trace, &p, NULL) && (place->base.kernel == LS_PLACE_NONE ||
                                                           ls_place_resolve (&place->base, trace, &p, NULL)))
      return i;
  }
  return -1;
}

gboolean
ls_history_can_go (LsHistory *self, int direction)
{
  return find (self, direction) >= 0;
}

gboolean
ls_history_go (LsHistory *self, int direction)
{
  on_position_changed (self);      /* the last move may not have been reported yet */
  int to = find (self, direction);
  if (to < 0)
    return FALSE;
  self->at = (guint) to;
  self->walking = FALSE;
  ls_view_session_go_place (self->session, &g_array_index (self->places, LsPlace, to));
  return TRUE;
}

static void
ls_history_class_init (LsHistoryClass *class)
{
  LS_KEEPS (class, LsHistory, g_array_unref, places);
}

static void
ls_history_init (LsHistory *self)
{
  self->places = g_array_new (FALSE, FALSE, sizeof (LsPlace));
  g_array_set_clear_func (self->places, (GDestroyNotify) ls_place_clear);
}

LsHistory *
ls_history_new (LsViewSession *session)
{
  LsHistory *self = g_object_new (LS_TYPE_HISTORY, NULL);
  self->session = session;
  g_signal_connect_object (session, "trace-changed", G_CALLBACK (on_trace_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "position-changed", G_CALLBACK (on_position_changed), self, G_CONNECT_SWAPPED);
  return self;
}
