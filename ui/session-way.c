/* The session's ways from position to position: steps, changed passes, kernels, links. */
#include "session-private.h"

static gboolean
go_to_changed_pass (LsViewSession *self, int direction, gboolean at_end)
{
  for (int i = self->pass + direction; ls_view_session_pass_at (self, i); i += direction) {
    guint n = ls_pass_n_steps (ls_view_session_pass_at (self, i));
    if (n > 0) {
      ls_view_session_go (self, i, at_end ? n : 1);
      return TRUE;
    }
  }
  return FALSE;
}

gboolean
ls_view_session_next_step (LsViewSession *self)
{
  if (!ls_view_session_pass (self))
    return FALSE;
  if (self->step < ls_view_session_n_steps (self)) {
    ls_view_session_go (self, self->pass, self->step + 1);
    return TRUE;
  }
  return go_to_changed_pass (self, 1, FALSE);
}

gboolean
ls_view_session_prev_step (LsViewSession *self)
{
  if (!ls_view_session_pass (self))
    return FALSE;
  if (self->step > 1) {
    ls_view_session_go (self, self->pass, self->step - 1);
    return TRUE;
  }
  return go_to_changed_pass (self, -1, TRUE);
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
  ls_view_session_go (self, (int) same->index, MIN (ls_pass_n_steps (same), 1));
  return TRUE;
}

gboolean ls_view_session_next_kernel (LsViewSession *self) { return go_to_kernel (self, 1); }
gboolean ls_view_session_prev_kernel (LsViewSession *self) { return go_to_kernel (self, -1); }

/* The pass and step of "2/simplify/117", its number of parts; 0: there is no such place. */
static guint
find_link (LsViewSession *self, const char *link, LsPass **to, guint *to_step)
{
  g_auto (GStrv) parts = g_strsplit (link, "/", -1);
  guint n = g_strv_length (parts);
  guint64 kernel, step = 0;
  if (n < 1 || n > 3 || !g_ascii_string_to_unsigned (parts[0], 10, 0, G_MAXUINT, &kernel, NULL))
    return 0;
  LsPass *pass = n >= 2 ? ls_trace_pass (self->trace, (guint) kernel, parts[1]) : NULL;
  for (guint i = 0; n == 1 && !pass && i < self->trace->passes->len; i++) {
    LsPass *other = self->trace->passes->pdata[i];
    if (other->kernel == kernel && ls_pass_n_steps (other) > 0)
      pass = other;
  }
  if (!pass)
    return 0;
  step = MIN (ls_pass_n_steps (pass), 1);
  if (n == 3 && !g_ascii_string_to_unsigned (parts[2], 10, 0, ls_pass_n_steps (pass), &step, NULL))
    return 0;
  *to = pass;
  *to_step = (guint) step;
  return n;
}

gboolean
ls_view_session_go_link (LsViewSession *self, const char *link)
{
  LsPass *pass, *base = NULL;
  guint step, base_step = 0;
  if (!self->trace || !link)
    return FALSE;
  g_auto (GStrv) sides = g_strsplit (link, "~", 2);
  guint n = sides[0] ? find_link (self, sides[0], &pass, &step) : 0;
  if (n == 0 || (sides[1] && find_link (self, sides[1], &base, &base_step) == 0))
    return FALSE;
  ls_view_session_go (self, (int) pass->index, step);
  if (base || n == 3)
    ls_view_session_set_base (self, base ? (int) base->index : -1, base_step);
  return TRUE;
}

char *
ls_view_session_get_link (LsViewSession *self)
{
  LsPass *pass = ls_view_session_pass (self);
  LsPass *base = ls_view_session_pass_at (self, self->base_pass);
  if (pass && base)
    return g_strdup_printf ("%u/%s/%u~%u/%s/%u", pass->kernel, pass->name, self->step, base->kernel, base->name, self->base_step);
  return pass ? g_strdup_printf ("%u/%s/%u", pass->kernel, pass->name, self->step) : NULL;
}
