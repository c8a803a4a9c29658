/* Places are (pass, step) and what they are compared with, so that they outlive a recording that is replaced while its program runs on; those that the next one lacks are
 * passed over. */
#include "history.h"

#define MAX_PLACES 1000
#define WALK 8      /* a held key moves several steps between two frames */

typedef struct { int pass; guint step; int base; guint base_step; } Place;

struct _LsHistory {
  GObject        parent_instance;
  LsViewSession *session;      /* not owned: it outlives its window's history */
  GArray        *places;
  guint          at;
  gboolean       walking;
};

G_DEFINE_FINAL_TYPE (LsHistory, ls_history, G_TYPE_OBJECT)

static void
on_position_changed (LsHistory *self)
{
  Place here = { ls_view_session_get_pass (self->session), ls_view_session_get_step (self->session), -1, 0 };
  here.base = ls_view_session_get_base (self->session, &here.base_step);
  if (here.pass < 0)
    return;
  if (self->places->len > 0) {
    Place *last = &g_array_index (self->places, Place, self->at);
    gboolean same_base = last->base == here.base && last->base_step == here.base_step;
    if (last->pass == here.pass && last->step == here.step && same_base)
      return;
    guint distance = last->step > here.step ? last->step - here.step : here.step - last->step;
    gboolean near = same_base && last->pass == here.pass && distance <= WALK;
    if (near && self->walking && self->at + 1 == self->places->len) {
      *last = here;
      return;
    }
    self->walking = near;
    g_array_set_size (self->places, self->at + 1);
  }
  g_array_append_val (self->places, here);
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
    const Place *p = &g_array_index (self->places, Place, i);
    if (p->pass < (int) trace->passes->len && p->step <= ls_pass_n_steps (trace->passes->pdata[p->pass]))
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
  on_position_changed (self);      /* the last move may not have been told yet */
  int to = find (self, direction);
  if (to < 0)
    return FALSE;
  self->at = (guint) to;
  self->walking = FALSE;
  const Place *p = &g_array_index (self->places, Place, to);
  ls_view_session_go (self->session, p->pass, p->step);
  ls_view_session_set_base (self->session, p->base, p->base_step);
  return TRUE;
}

static void
ls_history_finalize (GObject *object)
{
  g_array_unref (LS_HISTORY (object)->places);
  G_OBJECT_CLASS (ls_history_parent_class)->finalize (object);
}

static void
ls_history_class_init (LsHistoryClass *class)
{
  G_OBJECT_CLASS (class)->finalize = ls_history_finalize;
}

static void
ls_history_init (LsHistory *self)
{
  self->places = g_array_new (FALSE, FALSE, sizeof (Place));
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
