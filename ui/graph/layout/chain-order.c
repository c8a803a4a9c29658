/* Which step's layout follows which; see the head of chain.c. */
#include "chain-private.h"

#include <string.h>

#define MAX_WAY  12000        /* boxes laid out on the way to a pass's first picture */
#define BACK     64           /* the number of passes searched for the one with this output */

guint
ls_chain_parent (guint step, gboolean wide)
{
  guint block = step / LS_CHAIN_BLOCK;
  if (step == 0)
    return G_MAXUINT;
  if (step % LS_CHAIN_BLOCK)
    return wide ? block * LS_CHAIN_BLOCK : step - 1;
  return (wide ? block & 255 ? block & ~255u : 0 : block & (block - 1)) * LS_CHAIN_BLOCK;
}

static guint
way_within (guint step, gboolean wide)
{
  guint n = 0;
  for (; step != 0; step = ls_chain_parent (step, wide))
    n++;
  return n;
}

const LsChainStart *
ls_chain_start (LsChain *chain, const LsPass *pass)
{
  LsTrace *trace = chain->trace;
  if (chain->n_starts < trace->passes->len) {
    chain->starts = g_renew (LsChainStart, chain->starts, trace->passes->len);
    memset (chain->starts + chain->n_starts, 0, (trace->passes->len - chain->n_starts) * sizeof *chain->starts);
    chain->n_starts = trace->passes->len;
  }
  g_return_val_if_fail (pass->index < chain->n_starts, NULL);
  /* passes that wait for the one before them, the latest first */
  g_autoptr (GPtrArray) wait = g_ptr_array_new ();
  g_ptr_array_add (wait, (gpointer) pass);
  while (wait->len) {
    const LsPass *p = wait->pdata[wait->len - 1];
    LsChainStart *s = &chain->starts[p->index];
    if (!s->known && !s->size) {
      LsUOp *root = ls_context_node (trace->ctx, p->input);
      g_autoptr (GPtrArray) nodes = root ? ls_uop_toposort (trace->ctx, root) : NULL;
      s->size = s->way = MAX (nodes ? nodes->len : 0, 1);
      const LsPass *q = NULL;
      for (guint i = p->index, n = 0; s->size < MAX_WAY && i-- > 0 && n < BACK && !q; n++) {
        const LsPass *other = trace->passes->pdata[i];
        if (other->kernel != p->kernel)
          break;
        if (other->kind == LS_PASS_REWRITE && other->output == p->input && ls_pass_n_rewrites (other) > 0)
          q = other;
      }
      s->former = q;
    }
    if (s->known || !s->former) {
      s->known = TRUE;
      g_ptr_array_set_size (wait, (int) wait->len - 1);
    } else if (chain->starts[s->former->index].known) {
      const LsChainStart *f = &chain->starts[s->former->index];
      guint64 way = (guint64) s->size + f->way + (guint64) f->size * way_within (ls_pass_n_rewrites (s->former), f->size > LS_CHAIN_WIDE);
      if (way > MAX_WAY)
        s->former = NULL;
      else
        s->way = (guint) way;
      s->known = TRUE;
    } else
      g_ptr_array_add (wait, (gpointer) s->former);
  }
  return &chain->starts[pass->index];
}

gboolean
ls_chain_find_parent (LsChain *chain, LsChainKey *key)
{
  const LsPass *pass = chain->trace->passes->pdata[key->pass];
  if (key->step > 0 && pass->kind != LS_PASS_REWRITE) {      /* its graph is the same at all steps */
    key->step = 0;
    return TRUE;
  }
  if (key->step > 0) {
    key->step = ls_chain_parent (key->step, ls_chain_start (chain, chain->trace->passes->pdata[key->pass])->size > LS_CHAIN_WIDE);
    return TRUE;
  }
  const LsPass *former = ls_chain_start (chain, chain->trace->passes->pdata[key->pass])->former;
  if (!former)
    return FALSE;
  key->pass = former->index;
  key->step = ls_pass_n_rewrites (former);
  return TRUE;
}
