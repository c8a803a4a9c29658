/* Fuzzing the recording reader: any file opens or is refused; one that opens is asked (recording-asked.h). */
#include "recording-asked.h"

int LLVMFuzzerTestOneInput (const guint8 *data, size_t size);

int
LLVMFuzzerTestOneInput (const guint8 *data, size_t size)
{
  g_autoptr (GError) error = NULL;
  if (size > 1 << 20)
    return 0;
  g_autofree char *path = NULL;
  int fd = g_file_open_tmp ("lazyscope-fuzz-XXXXXX.lscope", &path, NULL);
  g_assert (fd >= 0 && write (fd, data, size) == (ssize_t) size);
  g_close (fd, NULL);
  g_autoptr (LsTrace) t = ls_trace_load (path, &error);
  g_unlink (path);
  g_assert ((t == NULL) == (error != NULL));
  if (t)
    recording_ask (t, 3);
  return 0;
}
