/* Fuzzing the recording reader: any file opens or is refused; one that opens can be verified, blamed and compared. */
#include <glib/gstdio.h>
#include <unistd.h>

#include "ask/ask.h"

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
  if (!t)
    return 0;
  ls_verify_free (ls_trace_verify (t));
  for (guint k = 1; k <= MIN (t->kernels->len, 4); k++) {
    guint n[LS_N_BLAME];
    ls_blame_coverage (t, k, n, NULL);
    ls_blame_free (ls_blame_line (t, k, 2, NULL));
    ls_blame_free (ls_blame_instruction (t, k, ls_trace_kernel (t, k)->code_address + 1, NULL));
  }
  for (guint i = 0; i < MIN (t->passes->len, 20); i++) {
    const LsPass *p = t->passes->pdata[i];
    for (guint k = 1; k <= MIN (ls_pass_n_steps (p), 8); k++) {
      LsBinding b[8];
      ls_step_bindings (t, p, k, b, G_N_ELEMENTS (b));
      ls_graph_diff_unref (ls_pass_diff_step (t, p, k));
    }
  }
  for (guint32 id = 0; id < MIN (ls_context_n_nodes (t->ctx), 400); id++)
    ls_access_free (ls_access (t->ctx, ls_context_node (t->ctx, id), NULL, 0, NULL));
  ls_rule_report_free (ls_rule_report (t));
  ls_trace_diff_free (ls_trace_diff (t, t));
  return 0;
}
