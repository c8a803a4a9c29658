/* The clock of everything that is timed. */
#pragma once
#include <glib.h>
#include <time.h>

/* Nanoseconds since some moment before the process began; never goes back. */
static inline guint64
ls_now_ns (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (guint64) t.tv_sec * 1000000000u + (guint64) t.tv_nsec;
}
