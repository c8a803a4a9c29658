/* Nodes have numbers in the order in which they were made, so that a recording says how an algorithm went on. */
#include "step-parts.h"

#include "ir/names.h"
#include "ir/op.h"
#include "ir/sentence.h"
#include "ir/short.h"

#include <string.h>

#define MOST_PARTS 64

/* Why an algorithm makes nodes of an op; LS_N_OPS: of any other op of arithmetic. What is not here is said by the op's own sentence. */
static const struct { const char *builder; LsOp op; const char *why; } whys[] = {
  { "reduce_to_acc", LS_OP_CONST, LS_TEMPLATE ("the neutral value of the operation") },
  { "reduce_to_acc", LS_OP_DEFINE_ACC, LS_TEMPLATE ("a register that has the neutral value of the operation before the loops begin") },
  { "reduce_to_acc", LS_OP_GEP, LS_TEMPLATE ("lanes of the value that are combined next") },
  { "reduce_to_acc", LS_N_OPS, LS_TEMPLATE ("each iteration combines the register and the value") },
  { "reduce_to_acc", LS_OP_PHI, LS_TEMPLATE ("the register keeps the result for the next iteration, and after the loops") },
  { "expand_reduce", LS_OP_GEP, LS_TEMPLATE ("lanes in a new order: those of reduced axes outside, the others inside") },
  { "expand_reduce", LS_OP_VECTORIZE, LS_TEMPLATE ("a value without lanes, repeated for each") },
  { "expand_reduce", LS_OP_REDUCE, LS_TEMPLATE ("the loops that are left are reduced, and the lanes of reduced axes with them") },
  { "expand_reduce", LS_OP_UNROLL, LS_TEMPLATE ("lanes of axes that are not reduced stay lanes of the result") },
};

static const LsTraceRule *
rule_of (const LsTrace *trace, const LsPass *pass, guint step)
{
  const LsLink *link = step >= 1 && step <= ls_pass_n_rewrites (pass) ? ls_pass_step_link (pass, step) : NULL;
  return link && link->rule >= 0 && (guint) link->rule < trace->rules->len ? trace->rules->pdata[link->rule] : NULL;
}

gboolean
ls_step_is_built (const LsTrace *trace, const LsPass *pass, guint step)
{
  const LsTraceRule *rule = rule_of (trace, pass, step);
  return rule && rule->builder;
}

static const char *
why_of (const char *builder, const LsUOp *u)
{
  const char *arithmetic = NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (whys); i++) {
    if (strcmp (whys[i].builder, builder) != 0)
      continue;
    if (whys[i].op == u->op)
      return whys[i].why;
    if (whys[i].op == LS_N_OPS && ls_op_is_alu (u->op))
      arithmetic = whys[i].why;
  }
  return arithmetic ? arithmetic : ls_op_infos[u->op].sentence;
}

static int
by_number (gconstpointer a, gconstpointer b)
{
  guint32 x = (*(LsUOp *const *) a)->id, y = (*(LsUOp *const *) b)->id;
  return x < y ? -1 : x > y;
}

static void
part_clear (gpointer part)
{
  g_free (((LsStepPart *) part)->text);
}

GArray *
ls_step_parts (LsTrace *trace, const LsPass *pass, guint step, gboolean shown)
{
  const LsTraceRule *rule = rule_of (trace, pass, step);
  LsUOp *made[MOST_PARTS];
  guint n = rule && rule->builder ? ls_step_made (trace, pass, step, made, G_N_ELEMENTS (made)) : 0;
  if (n < 2)
    return NULL;
  const LsNames *names = ls_trace_names (trace, pass->kernel);
  GArray *out = g_array_new (FALSE, FALSE, sizeof (LsStepPart));
  g_array_set_clear_func (out, part_clear);
  qsort (made, n, sizeof *made, by_number);
  for (guint i = 0; i < n; i++) {
    g_autoptr (GString) text = g_string_new (NULL);
    ls_short_node (text, names, made[i], shown);
    LsStepPart part = { made[i]->id, g_strdup (text->str), why_of (rule->builder, made[i]) };
    g_array_append_val (out, part);
  }
  return out;
}
