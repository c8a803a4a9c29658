/* The output of blame, backward and forward. See answer/answer.h. */
#include "ask.h"

#include <string.h>

const char *
ls_origin_rule (LsTrace *t, const LsOrigin *o)
{
  if (o->rule == LS_LINK_REBUILD)
    return NULL;
  return o->rule >= 0 && (guint) o->rule < t->rules->len ? ((const LsTraceRule *) t->rules->pdata[o->rule])->name : "?";
}

const char *
ls_origin_reason (LsTrace *t, const LsOrigin *o)
{
  const LsPass *p = t->passes->pdata[o->pass];
  if (p->kind == LS_PASS_MAP)
    return o->step < p->map->len ? g_array_index (p->map, LsMapEntry, o->step).reason : NULL;
  return o->rule == LS_LINK_REBUILD ? "its sources changed" : NULL;
}

void
ls_blame_answer_init (LsBlameAnswer *a, const LsBlame *b, const LsInstruction *instruction, LsStyle style)
{
  *a = (LsBlameAnswer) { .blame = b, .instruction = instruction };
  a->rows = ls_kernel_rows (b->trace, ls_trace_kernel (b->trace, b->kernel), style);
  a->unmapped = g_array_new (FALSE, FALSE, sizeof (guint32));
  ls_blame_coverage (b->trace, b->kernel, a->n_kernel, a->unmapped);
}

void
ls_blame_answer_clear (LsBlameAnswer *a)
{
  g_clear_pointer (&a->rows, g_hash_table_unref);
  g_clear_pointer (&a->unmapped, g_array_unref);
}

/* --- backwards --- */

#define ASKED const LsBlameAnswer *of = answer->data; const LsBlame *b G_GNUC_UNUSED = of->blame;

#define LISTING(X) \
  X (row, INT, ls_row_number (of->rows, n->node), TRUE, "Row of the listing, or -1") \
  X (node, NODE, n->node, TRUE, "The node") \
  X (kind, TEXT, ls_blame_kind_name (n->kind), TRUE, "mapped, ambiguous, synthetic or unmapped")
LS_INNER_RECORD (listing_answer, LISTING, ASKED const LsBlameNode *n = row;)

#define REWRITE(X) \
  X (kernel, INT, p->kernel, TRUE, "Kernel of the pass; 0 is the tensor level") \
  X (pass, TEXT, p->name, TRUE, "The pass") \
  X (step, INT, p->kind == LS_PASS_MAP ? 0 : o->step, TRUE, "The step; 0 if there is none") \
  X (rule, TEXT, ls_origin_rule (b->trace, o), TRUE, "The rule, or null") \
  X (reason, TEXT, ls_origin_reason (b->trace, o), TRUE, "The reason, if it was not a rule") \
  X (node, NODE, o->made, TRUE, "The node that was made") \
  X (from, NODE, o->node, TRUE, "The node that it was made from")
LS_INNER_RECORD (rewrite_answer, REWRITE, ASKED const LsOrigin *o = row; const LsPass *p = b->trace->passes->pdata[o->pass];)

#define DECISION(X) \
  X (kernel, INT, d->kernel, TRUE, "The kernel that stores the node") \
  X (node, NODE, d->node, TRUE, "The node") \
  X (reason, TEXT, d->reason, TRUE, "The reason of the decision")
LS_INNER_RECORD (decision_answer, DECISION, ASKED
                 const LsDecision *d = &g_array_index (b->trace->decisions, LsDecision, *(const guint *) row);)

#define CALL(X) \
  X (line, INT, c->line, TRUE, "Line of the program") \
  X (column, INT, c->column, TRUE, "Column of the call") \
  X (path, OWNED, ls_call_path (b->trace, *(const guint *) row), TRUE, "The call and its parents") \
  X (args, TEXT, c->args, TRUE, "Its arguments")
LS_INNER_RECORD (call_answer, CALL, ASKED const LsCall *c = &g_array_index (b->trace->calls, LsCall, *(const guint *) row);)

#define COVERAGE(X) \
  X (mapped, INT, n[LS_BLAME_MAPPED], TRUE, "Number of nodes with one program line") \
  X (ambiguous, INT, n[LS_BLAME_AMBIGUOUS], TRUE, "Number of nodes with several program lines, because equal nodes are one node") \
  X (synthetic, INT, n[LS_BLAME_SYNTHETIC], TRUE, "Number of constants that a rule or a stage made") \
  X (unmapped, INT, n[LS_BLAME_UNMAPPED], TRUE, "Number of nodes without a program line")
LS_INNER_RECORD (coverage_answer, COVERAGE, const guint *n = row;)

#define BLAME(X) \
  X (kernel, INT, b->kernel, TRUE, "Number of the kernel; 0 is the tensor level") \
  X (name, TEXT, k ? k->name : NULL, TRUE, "Its name") \
  X (same_as, INT, k ? k->same_as : 0, TRUE, "The earlier kernel whose code it uses, or 0") \
  X (address, OWNED, g_strdup_printf ("%" G_GINT64_MODIFIER "x", of->instruction->address), of->instruction != NULL, \
     "Address of the instruction, hexadecimal") \
  X (instruction, TEXT, of->instruction->text, of->instruction != NULL, "The instruction") \
  X (line, INT, b->line, TRUE, "Line of the source; 0 for a node, or an instruction without a line") \
  X (text, OWNED, b->line ? ls_source_line (k->source, b->line) : NULL, TRUE, "The line's text") \
  X (reason, OWNED, ls_blame_reason (b->trace, b), TRUE, "Why each node is a variable or inlined, and where its constants come from") \
  X (listing, LIST, ls_list_array (b->nodes), TRUE, "The nodes that the line shows", .of = &listing_answer) \
  X (rewrites, LIST, ls_list_array (b->origins), TRUE, "The rewrites on the way back, latest first", .of = &rewrite_answer, \
     .lines = TRUE) \
  X (kernel_graph, LIST, ls_list_array (b->ast), TRUE, "The nodes of the kernel's graph before its first rewrite", .item = LS_CELL_NODE) \
  X (decisions, LIST, ls_list_array (b->decisions), TRUE, "The schedule's decisions about the kernel", .of = &decision_answer) \
  X (program_nodes, LIST, ls_list_array (b->program), TRUE, "The nodes of the program's graph", .item = LS_CELL_NODE) \
  X (calls, LIST, ls_list_array (b->calls), TRUE, "The innermost calls that made these nodes", .of = &call_answer) \
  X (lines, LIST, ls_list_array (b->lines), TRUE, "The program lines of these calls", .item = LS_CELL_INT) \
  X (coverage, ROW, b->n_kind, TRUE, "Number of the line's nodes by kind of mapping", .of = &coverage_answer) \
  X (kernel_coverage, ROW, of->n_kernel, TRUE, "Number of all nodes of the kernel's source by kind of mapping", .of = &coverage_answer)
LS_RECORD (ls_blame_answer, BLAME, ASKED const LsKernel *k = ls_trace_kernel (b->trace, b->kernel);)

/* --- forwards --- */

#define DESCENDANT(X) \
  X (kernel, INT, d->kernel, TRUE, "Number of the kernel") \
  X (line, INT, d->line, TRUE, "Line of its source") \
  X (text, OWNED, ls_source_line (ls_trace_kernel (of->trace, d->kernel)->source, d->line), TRUE, "The line's text") \
  X (node, NODE, d->node, TRUE, "The node that the line shows")
LS_INNER_RECORD (descendant_answer, DESCENDANT, const LsBlameFrom *of = answer->data; const LsDescendant *d = row;)

#define FROM(X) \
  X (from, INT, of->line, TRUE, "Line of the program") \
  X (text, OWNED, ls_source_line (of->trace->program_text, of->line), TRUE, "Its text") \
  X (descendants, LIST, ls_list_array (of->found), TRUE, "The source lines that show it, in order of kernels", \
     .of = &descendant_answer, .lines = TRUE)
LS_RECORD (ls_blame_from_answer, FROM, const LsBlameFrom *of = row;)
