/* A search for each kernel of a program while it runs, before the kernel is compiled: with the current contents of its buffers. */
#include "search.h"

#include "ask/reference.h"

#include <math.h>

/* The recording gets contents of buffers at its end; a search finds them there for its time. */
static void
lend_contents (LsSession *s, const LsKernel *k, gboolean lend)
{
  for (guint i = ls_kernel_n_outputs (k); i < k->buffers->len; i++) {
    guint id = g_array_index (k->buffers, guint, i);
    const LsBuffer *b = id < s->buffers->len ? s->buffers->pdata[id] : NULL;
    LsTraceBuffer *t = s->trace->buffers->pdata[id];
    if (!b || (lend ? t->data != NULL : t->data != b->data))
      continue;
    t->data = lend ? b->data : NULL;
    t->n_data = lend ? b->nbytes : 0;
  }
}

LsSearch *
ls_search_session (LsSession *session, LsKernel *kernel, const LsVariant *variant, const LsSearchHow *how, GError **error)
{
  lend_contents (session, kernel, TRUE);
  LsSearch *s = ls_search (session->trace, kernel->number, variant, how, error);
  lend_contents (session, kernel, FALSE);
  if (s)
    ls_search_record (s, session->trace);
  return s;
}

char *
ls_search_reason (const LsSearch *s)
{
  for (guint i = 0; i < s->rows->len; i++) {
    const LsCandidate *row = &g_array_index (s->rows, LsCandidate, i);
    if (row->verdict && i == s->heuristic && i != s->chosen && !isnan (row->ratio_low))
      return g_strdup_printf ("the heuristic's choice takes %.3g times as long (%.3g to %.3g)", row->ratio, row->ratio_low,
                              row->ratio_high);
  }
  return g_strdup (s->chosen == s->heuristic ? "the heuristic's choice; no other is clearly faster"
                                             : "the fastest timed candidate");
}
