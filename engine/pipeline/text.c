/* The text of a kernel in a recording. The procedure's rows go into it as they are, the renderer's table when the recording is written
 * or the program has ended. */
#include "text.h"

void
ls_kernel_take_text (LsKernel *k, LsPipeline *p)
{
  g_array_set_size (k->listing, p->list ? p->list->len : 0);
  for (guint i = 0; i < k->listing->len; i++)
    g_array_index (k->listing, guint32, i) = ((LsUOp *) p->list->pdata[i])->id;
  if (p->rendered && p->recording) {
    g_array_unref (k->procedure);
    k->procedure = g_array_ref (p->procedure->rows);
  }
  if (p->rendered)
    k->source = g_steal_pointer (&p->rendered->source);
}

void
ls_kernel_take_rendered (LsTrace *trace, LsKernel *k, const LsRendered *text)
{
  g_array_set_size (k->source_links, text->lines->len);
  for (guint i = 0; i < text->lines->len; i++) {
    const LsRenderedLine *l = &g_array_index (text->lines, LsRenderedLine, i);
    g_array_index (k->source_links, LsSourceLink, i) = (LsSourceLink) { l->line, l->node->id };
  }
  g_array_set_size (k->exprs, text->exprs->len);
  for (guint i = 0; i < text->exprs->len; i++) {
    const LsRenderedExpr *e = &g_array_index (text->exprs, LsRenderedExpr, i);
    g_array_index (k->exprs, LsExpr, i) = (LsExpr) { e->node->id, e->row, e->line, e->assigned,
                                                     g_string_chunk_insert (trace->strings, e->expr ? e->expr : ""), e->why,
                                                     e->name ? g_string_chunk_insert_const (trace->strings, e->name) : "",
                                                     e->inputs ? g_string_chunk_insert (trace->strings, e->inputs) : "",
                                                     e->asked ? e->asked : "" };
  }
  k->asked = text->asked ? text->asked : "";
  k->departs = text->departs ? text->departs : "";
}
