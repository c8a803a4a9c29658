/* Logs of passes, and the clock of their steps. */
#include "recorder.h"

void
ls_pass_log_grow (LsPassLog *log)
{
  if (log->n_links == log->links_size) {
    log->links_size = MAX (256, log->links_size * 2);
    log->links = g_renew (LsLink, log->links, log->links_size);
  }
  if (log->n_steps == log->steps_size) {
    log->steps_size = MAX (256, log->steps_size * 2);
    log->steps = g_renew (guint32, log->steps, log->steps_size);
  }
}

guint64
ls_ticks_to_ns (guint64 ticks)
{
#ifdef __x86_64__
  /* the rate of the time stamp counter, from two readings of both clocks, as far apart as the process is old */
  static guint64 tick0, ns0;
  static double rate = 0.4;
  static guint turn;
  if (ticks == 0)
    return 0;
  if (rate == 0.4 || (++turn & 0xfff) == 0) {
    guint64 ns = ls_now_ns (), now = ls_ticks ();
    if (tick0 == 0) {
      tick0 = now;
      ns0 = ns;
    } else if (now > tick0 + 1000000) {
      rate = (double) (ns - ns0) / (double) (now - tick0);
    }
  }
  return (guint64) ((double) ticks * rate);
#else
  return ticks;
#endif
}
