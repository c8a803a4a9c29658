/* The text of a node, as text.rules makes it: its sources are texts already, and every op writes them as expressions do. */
#include "rules.h"

#include "ir/print.h"
#include "ir/spec.h"

#define MOST_TEXT 1000      /* characters: a node that is used often is in the text as often */

static gboolean
text (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsUOp *u = args[0].node;
  if (ls_uop_is_text (u))
    return FALSE;
  g_autofree char *expression = ls_expr_print (NULL, u, MOST_TEXT);
  out->node = ls_uop_new (call->ctx, LS_OP_NOOP, u->dtype, 0, NULL, ls_arg_str (call->ctx, expression));
  return TRUE;
}

const LsTerm ls_text_terms[] = {
  /* each op has its own way to be written, which ir/print-expr.c knows */
  { "text", NULL, LS_TERM_NODE, 1, { LS_TERM_NODE }, text, "The node as a text: its expression over the texts of its sources.", TRUE },
  { NULL },
};
