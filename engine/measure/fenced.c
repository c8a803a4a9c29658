/* Buffers between fences. A kernel that writes past the end of a buffer writes into the fence and not into the next buffer, as long
 * as it does not go further than a page. */
#include "fenced.h"

#include <string.h>

void
ls_fenced_init (LsFenced *m, guint n)
{
  *m = (LsFenced) { n, g_new0 (LsBuffer *, n + 1), g_new0 (LsBuffer *, n + 1) };
}

void
ls_fenced_clear (LsFenced *m)
{
  for (guint i = 0; i < m->n; i++)
    g_free (m->buffers[i]);
  g_free (m->buffers);
  g_free (m->whole);
}

LsBuffer *
ls_fenced_add (LsFenced *m, LsRunner *runner, guint argument, LsDType dtype, guint64 n, GError **error)
{
  gsize nbytes = (gsize) n * ls_dtype_itemsize (dtype), lead = LS_FENCE + (nbytes < LS_FENCE ? m->small % LS_FENCE : 0);
  /* too large: an error that says so */
  LsBuffer *whole = n > G_MAXINT64 / 64 ? ls_runner_buffer_new (runner, argument, dtype, n, error) :
                                          ls_runner_buffer_new (runner, argument, LS_UINT8, lead + (nbytes + 63) / 64 * 64 + LS_FENCE,
                                                                error);
  if (!whole)
    return NULL;
  m->small += nbytes < LS_FENCE ? (nbytes + 64) / 64 * 64 : 0;      /* small ones are not all at the same offset in a page */
  LsBuffer *b = g_new (LsBuffer, 1);
  *b = (LsBuffer) { .id = argument, .dtype = dtype, .n = n, .nbytes = nbytes, .data = whole->data + lead, .offset = whole->offset + lead };
  m->whole[argument] = whole;
  return m->buffers[argument] = b;
}

void
ls_fenced_restore (const LsFenced *m, guint8 *const *contents, guint8 fence)
{
  for (guint i = 0; i < m->n; i++) {
    const LsBuffer *b = m->buffers[i], *whole = m->whole[i];
    gsize lead = (gsize) (b->data - whole->data);
    memset (whole->data, fence, lead);
    memcpy (b->data, contents[i], b->nbytes);
    memset (b->data + b->nbytes, fence, whole->nbytes - lead - b->nbytes);
  }
}

/* How many of n bytes from the first to the last one that are not fence. */
static gsize
broken (const guint8 *at, gsize n, guint8 fence, gboolean backwards)
{
  gsize end = 0;
  for (gsize i = 0; i < n; i++)
    if ((backwards ? at[n - 1 - i] : at[i]) != fence)
      end = i + 1;
  return end;
}

char *
ls_fenced_outside (const LsFenced *m, guint8 fence)
{
  for (guint i = 0; i < m->n; i++) {
    const LsBuffer *b = m->buffers[i], *whole = m->whole[i];
    gsize lead = (gsize) (b->data - whole->data), before = broken (whole->data, lead, fence, TRUE),
          after = broken (b->data + b->nbytes, whole->nbytes - lead - b->nbytes, fence, FALSE);
    gsize n = before ? before : after;
    if (n)
      return g_strdup_printf (before ? "%" G_GSIZE_FORMAT " bytes before argument %u"
                                     : "%" G_GSIZE_FORMAT " bytes after the end of argument %u", n, i);
  }
  return NULL;
}

guint
ls_fenced_input (const LsFenced *m, guint n_results, guint8 *const *contents)
{
  for (guint i = n_results; i < m->n; i++)
    if (memcmp (m->buffers[i]->data, contents[i], m->buffers[i]->nbytes) != 0)
      return i;
  return 0;
}
