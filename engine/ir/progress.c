#include "progress.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static LsProgress own = { .traceback = -1 };
LsProgress *ls_progress = &own;

void
ls_progress_stage (const char *stage, guint kernel)
{
  if (ls_progress == &own)      /* it has no readers, and stages may run in several threads */
    return;
  g_strlcpy (ls_progress->stage, stage, sizeof ls_progress->stage);
  ls_progress->kernel = kernel;
}

void
ls_progress_end (const char *why)
{
  g_strlcpy (ls_progress->end, why, sizeof ls_progress->end);
  _exit (1);
}

guint64
ls_resident_bytes (int pid)
{
  char path[64], text[128];
  unsigned long long pages = 0;
  g_snprintf (path, sizeof path, pid ? "/proc/%d/statm" : "/proc/self/statm", pid);
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  gssize n = fd < 0 ? -1 : read (fd, text, sizeof text - 1);
  if (fd >= 0)
    close (fd);
  if (n <= 0)
    return 0;
  text[n] = 0;
  return sscanf (text, "%*u %llu", &pages) == 1 ? pages * (guint64) sysconf (_SC_PAGESIZE) : 0;
}
