/* Opening the subject of a question: a recording, or a program, run with the contents of all its buffers kept. */
#include "program/program.h"
#include "cli.h"

#define MOST_BYTES (256u << 20)      /* of all buffers together */

LsTrace *
ls_cli_open_whole (const LsCliOptions *o, const char *file, GError **error)
{
  g_autofree char *text = NULL;
  GError *own = NULL;
  gsize kept = 0;
  if (ls_cli_is_recording (file))
    return ls_cli_check_recording (o, file, error) ? ls_trace_load (file, error) : NULL;
  if (!ls_cli_read_program (file, &text, error))
    return NULL;
  g_autoptr (LsSession) s = ls_cli_session (o, error);
  if (!s)
    return NULL;
  if (!ls_session_run_program (s, text, file, &own)) {
    /* a kernel that failed is a reason to ask; a program that has none is just wrong */
    if (s->trace->kernels->len == 0 || !g_error_matches (own, LS_ERROR, LS_ERROR_RUN)) {
      g_propagate_error (error, own);
      return NULL;
    }
    g_autofree char *shown = ls_sentence_shown (own->message);
    fprintf (stderr, _("warning: %s\n"), shown);
    g_error_free (own);
  }
  ls_session_finish (s);
  ls_cli_tell_idle (o, s);
  for (guint i = 0; i < s->trace->buffers->len && i < s->buffers->len; i++) {
    LsTraceBuffer *tb = s->trace->buffers->pdata[i];
    const LsBuffer *b = s->buffers->pdata[i];
    if (!b || tb->data || tb->dtype == LS_VOID || b->nbytes > MOST_BYTES - kept)
      continue;
    tb->data = g_memdup2 (b->data, MAX (b->nbytes, 1));
    tb->n_data = b->nbytes;
    kept += b->nbytes;
  }
  return ls_trace_ref (s->trace);
}
