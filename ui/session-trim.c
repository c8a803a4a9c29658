/* What replay made for positions that are left is dropped when there is much of it.
 *
 * Every position's graphs are made of nodes that the recording holds and of some that only replay makes, and those stay for all that may still show them.
 * When there are many of them, between two positions, all are dropped but those that someone says are on screen or chosen: these are made
 * again, and get other numbers. Layouts of steps are known by their nodes' numbers and are forgotten as well.
 */
#include "session-private.h"

#define WORTH_IT 8      /* so many times what was kept the last time there must be, so that a graph of 100,000 nodes is not made again at each step */

void
ls_view_session_set_most_loose (LsViewSession *self, guint most_loose)
{
  g_return_if_fail (LS_IS_VIEW_SESSION (self));
  self->most_loose = most_loose;
}

void
ls_view_session_trim (LsViewSession *self)
{
  if (!self->trace || ls_context_n_loose (self->trace->ctx) <= MAX (self->most_loose, WORTH_IT * self->n_loose_kept))
    return;
  ls_view_session_forget_position (self);
  g_autoptr (GArray) kept = g_array_new (FALSE, FALSE, sizeof (guint32));
  if (self->chosen_in == LS_CHOSEN_IN_GRAPH)
    g_array_append_vals (kept, self->chosen->data, self->chosen->len);
  g_signal_emit_by_name (self, "keep-nodes", kept);
  g_autoptr (LsRenumbering) now = ls_context_compact (self->trace->ctx, kept->len, (const guint32 *) kept->data);
  for (guint i = 0; i < self->chosen->len; i++) {
    guint32 *id = &g_array_index (self->chosen, guint32, i);
    *id = ls_renumbering_get (now, *id);
  }
  self->n_loose_kept = ls_context_n_loose (self->trace->ctx);
  ls_places_forget_nodes (self->places);
  g_signal_emit_by_name (self, "renumbered", now);
}
