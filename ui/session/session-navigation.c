/* The session's ways from position to position: steps, changed passes, kernels, links. */
#include "session-private.h"
#include "rewrite/stage.h"

/* Does stepping stop there? A schedule has no steps, and is one stop of each kernel. */
static gboolean
is_stop (const LsPass *pass)
{
  gboolean schedule = pass->kernel && g_str_equal (pass->stage, ls_stage_infos[LS_STAGE_SCHEDULE].name);
  return ls_pass_n_steps (pass) > 0 || *ls_pass_statement (pass) || schedule;
}

/* The nearest pass from that one on where stepping stops, or -1. */
static int
find_stop (LsViewSession *self, int from, int direction)
{
  int i = from;
  while (ls_view_session_pass_at (self, i) && !is_stop (ls_view_session_pass_at (self, i)))
    i += direction;
  return ls_view_session_pass_at (self, i) ? i : -1;
}

/* To the first step of a pass, or to its last one. FALSE: it is -1. */
static gboolean
go_to_end_of (LsViewSession *self, int pass, gboolean last)
{
  guint n = pass >= 0 ? ls_pass_n_steps (ls_view_session_pass_at (self, pass)) : 0;
  if (pass >= 0)
    ls_view_session_go (self, pass, last ? n : MIN (n, 1));
  return pass >= 0;
}

static gboolean
go_to_changed_pass (LsViewSession *self, int direction, gboolean at_end)
{
  return go_to_end_of (self, find_stop (self, self->pass + direction, direction), at_end);
}

int
ls_view_session_next_pass_of_step (LsViewSession *self, int direction)
{
  if (!ls_view_session_pass (self))
    return -1;
  gboolean within = direction > 0 ? self->step < ls_view_session_n_steps (self) : self->step > 1;
  return within ? self->pass : find_stop (self, self->pass + direction, direction);
}

gboolean
ls_view_session_go_among (LsViewSession *self, guint first, guint end, int direction)
{
  int i = end > first ? find_stop (self, direction > 0 ? (int) first : (int) end - 1, direction) : -1;
  return i >= (int) first && i < (int) end && go_to_end_of (self, i, direction < 0);
}

static gboolean
go_by_step (LsViewSession *self, int direction)
{
  int pass = ls_view_session_next_pass_of_step (self, direction);
  if (pass < 0 || pass != self->pass)
    return go_to_end_of (self, pass, direction < 0);
  ls_view_session_go (self, self->pass, self->step + (guint) direction);
  return TRUE;
}

gboolean ls_view_session_next_step (LsViewSession *self) { return go_by_step (self, 1); }
gboolean ls_view_session_prev_step (LsViewSession *self) { return go_by_step (self, -1); }

static gint
rule_of (LsViewSession *self, guint step)
{
  const LsPass *pass = ls_view_session_pass (self);
  return step >= 1 && step <= ls_pass_n_rewrites (pass) ? ls_pass_step_link (pass, step)->rule : -1;
}

gboolean
ls_view_session_next_rule (LsViewSession *self)
{
  guint n = ls_view_session_n_steps (self), step = MAX (self->step, 1);
  if (!ls_view_session_pass (self))
    return FALSE;
  for (gint rule = n ? rule_of (self, step) : -1; step <= n && rule_of (self, step) == rule;)
    step++;
  if (step > n)
    return go_to_changed_pass (self, 1, FALSE);
  ls_view_session_go (self, self->pass, self->step ? step : 1);
  return TRUE;
}

gboolean
ls_view_session_prev_rule (LsViewSession *self)
{
  guint step = self->step;
  if (!ls_view_session_pass (self))
    return FALSE;
  while (step > 1 && rule_of (self, step - 1) == rule_of (self, self->step))
    step--;
  if (step <= 1)
    return go_to_changed_pass (self, -1, TRUE);
  while (--step > 1 && rule_of (self, step - 1) == rule_of (self, step))
    ;
  ls_view_session_go (self, self->pass, step);
  return TRUE;
}

gboolean ls_view_session_next_pass (LsViewSession *self) { return self->trace && go_to_changed_pass (self, 1, FALSE); }
gboolean ls_view_session_prev_pass (LsViewSession *self) { return self->trace && go_to_changed_pass (self, -1, FALSE); }

static gboolean
go_to_kernel (LsViewSession *self, int direction)
{
  LsPass *pass = ls_view_session_pass (self);
  if (!pass)
    return FALSE;
  int number = (int) pass->kernel + direction;
  if (number < 0 || number > (int) self->trace->kernels->len)
    return FALSE;
  /* the same stage of the other kernel where it has one, so that kernels can be leafed through */
  LsPass *same = ls_trace_pass (self->trace, (guint) number, pass->name);
  for (guint i = 0; i < self->trace->passes->len && !(same && ls_pass_n_steps (same) > 0); i++) {
    LsPass *other = self->trace->passes->pdata[i];
    if ((int) other->kernel == number && (!same || ls_pass_n_steps (other) > 0))
      same = other;
  }
  if (!same)
    return FALSE;
  ls_view_session_enter_pass (self, same);
  return TRUE;
}

gboolean ls_view_session_next_kernel (LsViewSession *self) { return go_to_kernel (self, 1); }
gboolean ls_view_session_prev_kernel (LsViewSession *self) { return go_to_kernel (self, -1); }

gboolean
ls_view_session_go_to_kernel (LsViewSession *self, guint number)
{
  int first = -1;
  for (guint i = 0; self->trace && i < self->trace->passes->len; i++) {
    const LsPass *pass = self->trace->passes->pdata[i];
    if (pass->kernel == number && ls_pass_n_steps (pass) > 0) {
      ls_view_session_go (self, (int) i, 1);
      return TRUE;
    }
    first = pass->kernel == number && first < 0 ? (int) i : first;
  }
  if (first >= 0)      /* its code is another kernel's */
    ls_view_session_go (self, first, 0);
  return first >= 0;
}

/* A pass of rows opens complete: its last step has all that the pass made. */
void
ls_view_session_enter_pass (LsViewSession *self, const LsPass *pass)
{
  guint n = ls_pass_n_steps (pass);
  ls_view_session_go (self, (int) pass->index, pass->kind == LS_PASS_REWRITE ? MIN (n, 1) : n);
}

gboolean
ls_view_session_go_place (LsViewSession *self, const LsPlace *place)
{
  LsPosition at, base = { NULL };
  if (!self->trace || !ls_place_resolve (&place->at, self->trace, &at, NULL) ||
      (place->base.kernel != LS_PLACE_NONE && !ls_place_resolve (&place->base, self->trace, &base, NULL)))
    return FALSE;
  ls_view_session_go (self, (int) at.pass->index, at.step);
  ls_view_session_set_base (self, base.pass ? (int) base.pass->index : -1, base.step);
  if (place->node != LS_NO_NODE)
    ls_view_session_select (self, LS_CHOSEN_IN_GRAPH, &place->node, 1);
  return TRUE;
}

gboolean
ls_view_session_go_link (LsViewSession *self, const char *link)
{
  g_auto (LsPlace) place = LS_PLACE_INIT;
  return ls_place_parse (link, &place, NULL) && ls_view_session_go_place (self, &place);
}

LsPlace
ls_view_session_get_place (LsViewSession *self)
{
  LsPass *pass = ls_view_session_pass (self), *pinned = ls_view_session_pass_at (self, self->base_pass);
  const LsPosition at = { self->trace, pass, self->step }, base = { self->trace, pinned, self->base_step };
  return pass ? ls_place_of (&at, pinned ? &base : NULL) : (LsPlace) LS_PLACE_INIT;
}

char *
ls_view_session_get_link (LsViewSession *self)
{
  g_auto (LsPlace) place = ls_view_session_get_place (self);
  return place.at.kernel == LS_PLACE_NONE ? NULL : ls_place_print (&place);
}

char *
ls_view_session_dup_link (LsViewSession *self, const char *file)
{
  g_auto (LsPlace) place = ls_view_session_get_place (self);
  guint32 node = ls_view_session_get_selection (self);
  if (place.at.kernel == LS_PLACE_NONE)
    return NULL;
  place.file = g_strdup (file);
  if (node != LS_NO_NODE && self->chosen_in == LS_CHOSEN_IN_GRAPH)
    place.node = node;
  return ls_place_print (&place);
}
