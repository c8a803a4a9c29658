#include "stall.h"

static GPollFunc poll_before;
static gint64 back, longest;

static gint
timed_poll (GPollFD *fds, guint n, gint timeout)
{
  gint64 now = g_get_monotonic_time ();
  if (back)
    longest = MAX (longest, now - back);
  gint result = poll_before (fds, n, timeout);
  back = g_get_monotonic_time ();
  return result;
}

void
stall_watch (void)
{
  if (poll_before)
    return;
  poll_before = g_main_context_get_poll_func (NULL);
  g_main_context_set_poll_func (NULL, timed_poll);
}

double
stall_take (void)
{
  gint64 now = g_get_monotonic_time ();
  double ms = (double) MAX (longest, back ? now - back : 0) / 1000;
  longest = 0;
  if (back)      /* this iteration was measured up to here; its remainder counts for the next one */
    back = now;
  return ms;
}
