/* The stages linearize, procedure and render, with what a recording keeps of them. The procedure's rows go into it as they are, the renderer's
 * table when the recording is written or the program has ended. */
#include "text.h"

#include "codegen/linearize.h"

#include <time.h>

static guint64
now_ns (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (guint64) t.tv_sec * 1000000000u + (guint64) t.tv_nsec;
}

/* Notes the time of a stage since *start, and its pass where it is recorded; the next begins now. */
static LsPass *
stage_done (const LsTextStages *s, const LsKernel *k, const char *stage, LsUOp *final, guint64 *start)
{
  guint64 now = now_ns ();
  LsStageTime t = { stage, k->number, now - *start };
  g_array_append_val (s->trace->stage_times, t);
  *start = now;
  return ls_trace_add_map_pass (s->recording ? s->trace : NULL, k->number, stage, final, final, t.ns);
}

GPtrArray *
ls_kernel_make_text (const LsTextStages *s, LsKernel *k, LsUOp *final, LsRendered **rendered, GError **error)
{
  guint64 start = now_ns ();
  g_autoptr (GPtrArray) list = ls_linearize (s->ctx, final, s->settings, error);
  if (!list)
    return NULL;
  LsUOp *const *nodes = (LsUOp *const *) list->pdata;
  g_array_set_size (k->listing, list->len);
  for (guint i = 0; i < list->len; i++)
    g_array_index (k->listing, guint32, i) = nodes[i]->id;
  LsPass *pass = stage_done (s, k, "linearize", final, &start);
  for (guint i = 0; pass && i < list->len; i++)
    if (nodes[i]->op == LS_OP_ENDRANGE) {
      LsMapEntry e = { nodes[i]->id, nodes[i]->src[0]->id, "end of the loop" };
      g_array_append_val (ls_pass_map (pass), e);
    }
  LsProcedure *procedure = ls_procedure_new (s->ctx, k->name, list->len, nodes, error);
  if (!procedure)
    return NULL;
  stage_done (s, k, "procedure", final, &start);
  *rendered = ls_render (s->ctx, procedure, list->len, nodes, s->target, s->settings, error);
  if (*rendered && s->recording) {
    g_array_unref (k->procedure);
    k->procedure = g_array_ref (procedure->rows);
  }
  ls_procedure_free (procedure);
  if (!*rendered)
    return NULL;
  k->source = g_steal_pointer (&(*rendered)->source);
  stage_done (s, k, "render", final, &start);
  return g_steal_pointer (&list);
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
    g_array_index (k->exprs, LsExpr, i) = (LsExpr) { e->node->id, e->row, e->line, e->assigned, g_string_chunk_insert (trace->strings, e->expr ? e->expr : ""), e->why };
  }
}

void
ls_kernel_share_text (LsKernel *k, const LsKernel *earlier)
{
  struct { GArray **to; GArray *from; } arrays[] = {
    { &k->listing, earlier->listing }, { &k->procedure, earlier->procedure }, { &k->source_links, earlier->source_links }, { &k->exprs, earlier->exprs },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (arrays); i++) {
    g_array_unref (*arrays[i].to);
    *arrays[i].to = g_array_ref (arrays[i].from);
  }
  k->source = g_strdup (earlier->source);
}
