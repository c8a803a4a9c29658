/* What a step of rows did, in words, from the same facts as its graph and its list. */
#include "row-steps-private.h"
#include "in-place.h"
#include "realizations.h"

#include "ir/procedure.h"
#include "ir/names.h"
#include "ir/print.h"
#include "ir/sentence.h"
#include "ir/short.h"

#include <math.h>
#include <string.h>

#define MOST_EXPR 60       /* characters of an expression */
#define MOST_OTHERS 4      /* buffers in the same bytes that are named */
#define MOST_NUMBERED 1000 /* rows of a list whose rows are numbered in the classic style */
#define MOST_TEXT 200      /* characters of a line of code or of a compiler */

/* Of the list of a pass, made once for all of its steps. Rows are those of the list, + 1, 0 where there is none. */
typedef struct {
  guint       n, n_procedure;      /* rows of both when it was made */
  GPtrArray  *list;                /* LsUOp or NULL */
  GHashTable *rows;                /* by node */
  GHashTable *numbers;             /* ls_listing_numbers in the style of the recording */
  LsProcedure *own;                /* of this list, where a later pass changed it; or NULL: the kernel's */
  GHashTable *procedure;           /* row of the procedure by id + 1 */
  guint      *around;              /* the RANGE of the innermost loop around each row */
  LsContext  *ctx;                 /* of its sources, or NULL */
  gboolean    by_blocks;           /* the list was made by blocks (engine/codegen/linearize-blocks.c) */
} Facts;

/* What the words of one step are made of. */
typedef struct {
  const LsPass   *pass;
  LsTrace        *trace;
  const LsKernel *kernel;
  const LsNames  *names;
  LsRowStep       step;
  guint           number;      /* the step's */
  const Facts    *facts;       /* NULL: the pass is about no list */
  LsUOp          *node;        /* or NULL */
  const GPtrArray *planned;    /* of a memory plan, or NULL */
  gboolean        shown, brief;      /* brief: only the name is asked for */
  gboolean        unnumbered;        /* only the reason is: numbers of rows are not looked up */
  GString        *name, *change, *why, *more;
} Say;

static void
say_line (Say *s)
{
  if (s->more->len)
    g_string_append_c (s->more, '\n');
}

static void
append_cut (GString *out, const char *text)
{
  g_autofree char *line = g_strndup (text, strcspn (text, "\n")), *start = ls_short_text (line, MOST_TEXT);
  g_string_append (out, start);
}

static void
append_node (Say *s, GString *out, LsUOp *u)
{
  if (!u) {
    g_string_append_c (out, '?');
    return;
  }
  ls_short_node (out, s->names, u, s->shown);
  if (ls_op_is_alu (u->op)) {
    g_autofree char *expr = ls_expr_bare (s->names, u, MOST_EXPR);
    g_string_append_printf (out, " %s", expr);
  }
}

static char *
loop_label (Say *s, const LsUOp *range)
{
  return ls_has_loop_name (range) ? ls_label_of_loop (s->names, range) : g_strdup (ls_op_name (range->op));
}

/* --- the list --- */

static void
facts_free (gpointer data)
{
  Facts *f = data;
  g_ptr_array_unref (f->list);
  g_hash_table_unref (f->rows);
  g_hash_table_unref (f->numbers);
  g_hash_table_unref (f->procedure);
  ls_procedure_free (f->own);
  if (f->ctx)
    ls_context_unref (f->ctx);
  g_free (f->around);
  g_free (f);
}

static gboolean
has_setting (const LsTrace *trace, const char *setting)
{
  for (guint i = 0; i < trace->settings->len; i++)
    if (g_str_equal (trace->settings->pdata[i], setting))
      return TRUE;
  return FALSE;
}

/* The procedure of the list. */
static const GArray *
rows_of (const Facts *f, const LsKernel *kernel)
{
  return f->own ? f->own->rows : kernel->procedure;
}

static Facts *
facts_new (LsTrace *trace, const LsKernel *kernel, const GArray *ids)
{
  Facts *f = g_new0 (Facts, 1);
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (guint));
  *f = (Facts) { ids->len, kernel->procedure->len, g_ptr_array_new (), g_hash_table_new (NULL, NULL), NULL, NULL,
                 g_hash_table_new (NULL, NULL), g_new0 (guint, ids->len + 1), NULL, has_setting (trace, "MODERN=1") };
  g_autoptr (GPtrArray) there = g_ptr_array_new ();
  for (guint i = 0; i < ids->len; i++) {
    LsUOp *u = ls_context_node (trace->ctx, g_array_index (ids, guint32, i));
    g_ptr_array_add (f->list, u);
    f->around[i] = open->len ? g_array_index (open, guint, open->len - 1) : 0;
    if (!u)
      continue;
    g_ptr_array_add (there, u);
    g_hash_table_insert (f->rows, u, GUINT_TO_POINTER (i + 1));
    if (u->op == LS_OP_RANGE)
      g_array_append_val (open, ((guint) { i + 1 }));
    else if (u->op == LS_OP_ENDRANGE && open->len)
      g_array_set_size (open, open->len - 1);
    f->by_blocks = (f->by_blocks || u->op == LS_OP_DEFINE_REG) && u->op != LS_OP_DEFINE_ACC;
  }
  f->numbers = ls_listing_numbers (trace->ctx, there->len, (LsUOp *const *) there->pdata,
                                   has_setting (trace, "CLASSIC=1") ? LS_STYLE_CLASSIC : LS_STYLE_OPS);
  gboolean last = ids->len == kernel->listing->len && memcmp (ids->data, kernel->listing->data, ids->len * sizeof (guint32)) == 0;
  if (kernel->procedure->len && !last) {
    f->ctx = ls_context_new_over (trace->ctx);
    f->own = ls_procedure_new (f->ctx, "", there->len, (LsUOp *const *) there->pdata, NULL);
  }
  const GArray *rows = rows_of (f, kernel);
  for (guint i = 0; i < rows->len; i++) {
    const LsProcRow *row = &g_array_index (rows, LsProcRow, i);
    if (row->node != LS_NO_NODE && !g_hash_table_contains (f->procedure, GUINT_TO_POINTER (row->node + 1)))
      g_hash_table_insert (f->procedure, GUINT_TO_POINTER (row->node + 1), GUINT_TO_POINTER (i + 1));
  }
  return f;
}

static const Facts *
facts_of (LsTrace *trace, const LsKernel *kernel, const LsPass *pass)
{
  GQuark quark = g_quark_from_static_string ("ls-row-facts");
  Facts *f = g_dataset_id_get_data (pass, quark);
  const GArray *ids = kernel ? ls_row_steps_whole (pass) : NULL;
  if (!ids)
    return NULL;
  if (!f || f->n != ids->len || f->n_procedure != kernel->procedure->len)
    g_dataset_id_set_data_full (pass, quark, f = facts_new (trace, kernel, ids), facts_free);
  return f;
}

GHashTable *
ls_row_steps_numbers (const LsPass *pass, guint step)
{
  const LsKernel *kernel = ls_trace_kernel (pass->trace, pass->kernel);
  const Facts *f = facts_of (pass->trace, kernel, pass);
  if (!f || !ls_row_steps_changes (pass))
    return f ? g_hash_table_ref (f->numbers) : NULL;
  g_autoptr (GArray) list = ls_row_steps_list (pass, step);
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();
  for (guint i = 0; i < list->len; i++) {
    LsUOp *u = ls_context_node (pass->trace->ctx, g_array_index (list, guint32, i));
    if (u)
      g_ptr_array_add (nodes, u);
  }
  return ls_listing_numbers (pass->trace->ctx, nodes->len, (LsUOp *const *) nodes->pdata,
                             has_setting (pass->trace, "CLASSIC=1") ? LS_STYLE_CLASSIC : LS_STYLE_OPS);
}

static LsUOp *
list_node (const Say *s, guint row)
{
  return s->facts->list->pdata[row];
}

static gboolean
is_definition (const LsUOp *u)
{
  return u->op == LS_OP_DEFINE_GLOBAL || u->op == LS_OP_DEFINE_VAR || u->op == LS_OP_DEFINE_LOCAL || u->op == LS_OP_DEFINE_REG ||
         u->op == LS_OP_SPECIAL || u->op == LS_OP_CONST || u->op == LS_OP_VCONST;
}

/* The row that a node waits for last, + 1; 0: none. */
static guint
last_source (const Say *s, const LsUOp *u)
{
  guint last = 0;
  for (guint i = 0; i < u->n_src; i++)
    if (u->op != LS_OP_DEFINE_ACC || u->src[i]->op != LS_OP_RANGE)      /* it comes before the loops that it names */
      last = MAX (last, GPOINTER_TO_UINT (g_hash_table_lookup (s->facts->rows, u->src[i])));
  return last;
}

/* The number of a node's row in the listing as it is shown, + 1; 0: its style folds the node into other rows. */
static guint
number_of (const Say *s, const LsUOp *u)
{
  return u && s->facts ? GPOINTER_TO_UINT (g_hash_table_lookup (s->facts->numbers, GUINT_TO_POINTER (u->id + 1))) : 0;
}

/* That number, "12"; of a node without one its op. Free with g_free. */
static char *
number_text (const Say *s, const LsUOp *u)
{
  guint number = number_of (s, u);
  return number ? g_strdup_printf ("%u", number - 1) : g_strdup (u ? ls_op_name (u->op) : "?");
}

/* The next row of the list that could have stood here too: in the same loops, with all that it waits for before. */
static gint
runner_up (const Say *s, guint at)
{
  guint depth = 0;
  const LsUOp *here = list_node (s, at);
  if (!here || is_definition (here) || here->op == LS_OP_SINK || here->op == LS_OP_DEFINE_ACC)
    return -1;
  for (guint i = at; i < s->facts->list->len; i++) {
    const LsUOp *u = list_node (s, i);
    if (!u || (u->op == LS_OP_ENDRANGE && depth == 0 && i > at))
      return -1;
    depth -= u->op == LS_OP_ENDRANGE && depth > 0;
    gboolean placed = u->op == LS_OP_ENDRANGE || u->op == LS_OP_SINK || u->op == LS_OP_DEFINE_ACC;      /* by its loop */
    if (i > at && depth == 0 && !placed && last_source (s, u) <= at)
      return (gint) i;
    depth += u->op == LS_OP_RANGE && (i > at || here->op == LS_OP_RANGE) ? 1 : 0;
  }
  return -1;
}

/* The next load of the same block for which the row is there, or 0. */
static guint
load_after (const Say *s, guint row)
{
  g_autoptr (GHashTable) needs = g_hash_table_new (NULL, NULL);      /* what needs the row, and it */
  g_hash_table_add (needs, list_node (s, row));
  for (guint i = row + 1; i < s->facts->list->len; i++) {
    LsUOp *u = list_node (s, i);
    if (!u || u->op == LS_OP_RANGE || u->op == LS_OP_ENDRANGE || u->op == LS_OP_STORE || u->op == LS_OP_DEFINE_ACC)
      return 0;
    gboolean is_one = FALSE;
    for (guint k = 0; k < u->n_src && !is_one; k++)
      is_one = g_hash_table_contains (needs, u->src[k]);
    if (u->op == LS_OP_LOAD)
      return is_one ? i : 0;
    if (is_one)
      g_hash_table_add (needs, u);
  }
  return 0;
}

static void
say_needed (Say *s, guint load)
{
  g_autofree char *number = number_text (s, list_node (s, load));
  ls_sentence_append (s->why, s->shown, "row %s, a load, needs it, and loads come first in their block", number);
}

static void
say_why_here (Say *s)
{
  const LsUOp *u = s->node;
  guint last = last_source (s, u), load = 0;
  g_autofree char *loop = u->op == LS_OP_RANGE ? loop_label (s, u) : u->op == LS_OP_ENDRANGE && u->n_src ? loop_label (s, u->src[0]) : NULL;
  if (is_definition (u))
    ls_sentence_append (s->why, s->shown, "definitions and constants come before all other rows");
  else if (u->op == LS_OP_DEFINE_ACC)
    ls_sentence_append (s->why, s->shown, "an accumulator is set just before its loop");
  else if (u->op == LS_OP_RANGE)
    ls_sentence_append (s->why, s->shown, "the loop %s begins: the rows that depend on it follow", loop);
  else if (u->op == LS_OP_ENDRANGE)
    ls_sentence_append (s->why, s->shown, "the loop %s ends: all of its rows are in the list", loop ? loop : "?");
  else if (u->op == LS_OP_PHI)
    ls_sentence_append (s->why, s->shown, "the accumulator takes its next value last in the loop");
  else if (u->op == LS_OP_SINK)
    ls_sentence_append (s->why, s->shown, "all stores are in the list");
  else if (s->facts->by_blocks)
    ls_sentence_append (s->why, s->shown, "of the nodes that are ready in a block, loads and their sources come first, then nodes by op");
  else if (u->op == LS_OP_STORE)
    ls_sentence_append (s->why, s->shown, "stores come last in their block");
  else if (u->op == LS_OP_LOAD)
    ls_sentence_append (s->why, s->shown, "loads come first in their block");
  else if ((load = load_after (s, s->step.row)))
    say_needed (s, load);
  else
    ls_sentence_append (s->why, s->shown, "the rest of a block is in depth-first order, sources first");
  if (last && u->op != LS_OP_ENDRANGE && u->op != LS_OP_SINK && !is_definition (u)) {
    g_autofree char *number = number_text (s, list_node (s, last - 1));
    say_line (s);
    ls_sentence_append (s->more, s->shown, "Row %s is the last that it waited for.", number);
  }
}

static void
say_linearize (Say *s)
{
  guint row = s->step.row;
  append_node (s, s->name, s->node);
  if (!s->node || s->brief)
    return;
  guint number = number_of (s, s->node);
  if (number)
    ls_sentence_append (s->change, s->shown, "Row %u is %s", number - 1, s->name->str);
  else if (s->node->op == LS_OP_SINK)
    ls_sentence_append (s->change, s->shown, "%s ends the list; the listing has no row for it", s->name->str);
  else
    ls_sentence_append (s->change, s->shown, "%s, which the listing shows in the rows that use it", s->name->str);
  say_why_here (s);
  gint other = runner_up (s, row);
  if (other < 0)
    return;
  g_autoptr (GString) text = g_string_new (NULL);
  append_node (s, text, list_node (s, (guint) other));
  g_autofree char *next = number_text (s, list_node (s, (guint) other));
  say_line (s);
  ls_sentence_append (s->more, s->shown, "Row %s, %s, was ready as well: it is the next of them.", next, text->str);
}

/* --- the procedure --- */

static const LsProcRow *
procedure_row (const Say *s, guint32 node)
{
  guint row = GPOINTER_TO_UINT (g_hash_table_lookup (s->facts->procedure, GUINT_TO_POINTER (node + 1)));
  return row ? &g_array_index (rows_of (s->facts, s->kernel), LsProcRow, row - 1) : NULL;
}

static void
say_procedure (Say *s)
{
  const LsUOp *u = s->node;
  append_node (s, s->name, s->node);
  if (!u || s->brief)
    return;
  const LsProcRow *row = procedure_row (s, u->id);
  g_autofree char *text = row ? ls_proc_row_text (row) : NULL;
  g_autoptr (GString) what = g_string_new (NULL);
  append_cut (what, text ? text : s->name->str);
  LsUOp *around = s->facts->around[s->step.row] ? list_node (s, s->facts->around[s->step.row] - 1) : NULL;
  g_autofree char *loop = around ? loop_label (s, around) : NULL;
  if (u->op == LS_OP_DEFINE_GLOBAL || u->op == LS_OP_DEFINE_VAR)
    ls_sentence_append (s->change, s->shown, "%s becomes an argument of the function", s->name->str);
  else if (u->op == LS_OP_ENDRANGE)
    ls_sentence_append (s->change, s->shown, "The loop %s is complete", loop ? loop : "?");
  else if (u->op == LS_OP_SINK)
    ls_sentence_append (s->change, s->shown, "The procedure is complete: SINK ends the list and writes no row");
  else if (!row && u->op == LS_OP_INDEX && s->kernel->procedure->len)
    ls_sentence_append (s->change, s->shown, "%s has no row of its own: the loads and stores that use it name it", s->name->str);
  else if (loop)
    ls_sentence_append (s->change, s->shown, "%s enters the loop %s", what->str, loop);
  else
    ls_sentence_append (s->change, s->shown, "%s is outside of all loops", what->str);
  if (row && row->depth) {
    say_line (s);
    ls_sentence_append (s->more, s->shown, "Loops and conditions around it: %u.", row->depth);
  }
}

/* The number of a row in the listing at the step: the classic style has no row for some nodes. Free with g_free. */
static char *
row_at_step (const Say *s, guint32 node, guint row, gboolean before)
{
  if (row == LS_NO_ROW || s->unnumbered)
    return NULL;
  if (!has_setting (s->trace, "CLASSIC=1"))
    return g_strdup_printf ("%u", row);
  g_autoptr (GHashTable) numbers = s->facts->n < MOST_NUMBERED ? ls_row_steps_numbers (s->pass, s->number - before) : NULL;
  guint number = numbers ? GPOINTER_TO_UINT (g_hash_table_lookup (numbers, GUINT_TO_POINTER (node + 1))) : 0;
  return number ? g_strdup_printf ("%u", number - 1) : NULL;
}

/* "row 12, ADD a+b"; of a node without a row its text. Free with g_free. */
static char *
row_text (Say *s, guint32 node, guint row, gboolean before)
{
  LsUOp *u = ls_context_node (s->trace->ctx, node);
  g_autoptr (GString) text = g_string_new (NULL), out = g_string_new (NULL);
  g_autofree char *number = row_at_step (s, node, row, before);
  append_node (s, text, u);
  if (!number)
    return g_string_free (g_steal_pointer (&text), FALSE);
  ls_sentence_append (out, s->shown, "row %s, %s", number, text->str);
  return g_string_free (g_steal_pointer (&out), FALSE);
}

/* For which iterations a copy was made, the outermost loop first. */
static void
say_turns (Say *s, const LsRowChanges *c)
{
  g_autoptr (GArray) turns = g_array_new (FALSE, FALSE, sizeof (LsRowTurn));
  guint32 old = ls_row_changes_origin (c, s->step.node, turns);
  for (guint k = 0; k < turns->len; k++) {
    const LsRowTurn *t = &g_array_index (turns, LsRowTurn, k);
    const LsUOp *range = ls_row_changes_loop (c, old, turns->len - 1 - k);
    gboolean whole = range && range->n_src && range->src[0]->op == LS_OP_CONST && range->src[0]->arg.i == t->of;
    g_autofree char *loop = range ? loop_label (s, range) : g_strdup ("?");
    if (s->why->len)
      g_string_append (s->why, "; ");
    if (whole)      /* it is written out as a whole */
      ls_sentence_append (s->why, s->shown, "%s = %" G_GINT64_FORMAT ", iteration %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT, loop,
                          t->turn - 1, t->turn, t->of);
    else
      ls_sentence_append (s->why, s->shown, "loop %s, copy %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT, loop, t->turn, t->of);
  }
}

static void
say_added (Say *s, const LsRowChanges *c)
{
  LsUOp *old = s->step.other == LS_NO_NODE ? NULL : ls_context_node (s->trace->ctx, s->step.other);
  g_autofree char *number = row_at_step (s, s->step.node, s->step.row, FALSE),
                  *label = number ? g_strdup (number) : g_strdup (s->node ? ls_op_name (s->node->op) : "?");
  if (old && old->op == LS_OP_RANGE && s->node && s->node->op != LS_OP_RANGE) {
    g_autofree char *loop = loop_label (s, old);
    ls_sentence_append (s->change, s->shown, "+ row %s: %s", label, s->name->str);
    if (s->node->op == LS_OP_CONST)
      ls_sentence_append (s->why, s->shown, "a number that copies of the rows of loop %s read", loop);
    else
      ls_sentence_append (s->why, s->shown, "the value of %s in the copies of its rows", loop);
    return;
  }
  if (!old) {
    ls_sentence_append (s->change, s->shown, "+ row %s: %s", label, s->name->str);
    return;
  }
  g_autofree char *was = row_text (s, s->step.other, s->step.other_row, FALSE);
  ls_sentence_append (s->change, s->shown, "+ row %s: %s is a copy of %s", label, s->name->str, was);
  say_turns (s, c);
}

/* Why a row takes another's place. */
static void
say_replaced (Say *s)
{
  const LsUOp *old = ls_context_node (s->trace->ctx, s->step.other), *now = s->node;
  if (now && old && now->op == LS_OP_CONST && old->op != LS_OP_CONST)
    ls_sentence_append (s->why, s->shown, "its value is the same number in every run");
  else if (now && old && now->op == LS_OP_RANGE && now->n_src && old->n_src && now->src[0]->op == LS_OP_CONST &&
           old->src[0]->op == LS_OP_CONST && now->src[0] != old->src[0])
    ls_sentence_append (s->why, s->shown, "it has %" G_GINT64_FORMAT " iterations instead of %" G_GINT64_FORMAT, now->src[0]->arg.i,
                        old->src[0]->arg.i);
  else if (now && old && now->op != LS_OP_SINK && now->op != LS_OP_ENDRANGE && now->op == old->op && now->n_src == old->n_src)
    for (guint i = 0; i < now->n_src; i++) {
      g_autoptr (GString) was = g_string_new (NULL), is = g_string_new (NULL);
      if (now->src[i] == old->src[i])
        continue;
      append_node (s, was, old->src[i]);
      append_node (s, is, now->src[i]);
      ls_sentence_append (s->why, s->shown, "it reads %s instead of %s", is->str, was->str);
      return;
    }
}

static void
say_removed (Say *s, const LsRowChanges *c)
{
  const LsUOp *u = s->node;
  g_autofree char *number = row_at_step (s, s->step.node, s->step.row, TRUE), *text = NULL;
  LsUOp *range = !u ? NULL : u->op == LS_OP_RANGE ? s->node : u->op == LS_OP_ENDRANGE && u->n_src ? u->src[0] : NULL;
  g_autofree char *loop = range ? loop_label (s, range) : NULL;
  gboolean unrolls = g_str_has_prefix (s->pass->name, "unroll");
  if (s->step.other != LS_NO_NODE) {
    text = row_text (s, s->step.other, s->step.other_row, FALSE);
    ls_sentence_append (s->change, s->shown, "− row %s: %s → %s", number ? number : "?", s->name->str, text);
    ls_sentence_append (s->why, s->shown, "the value is the same");
    return;
  }
  if (number)
    ls_sentence_append (s->change, s->shown, "− row %s: %s is removed", number, s->name->str);
  else
    ls_sentence_append (s->change, s->shown, "− %s is removed", s->name->str);
  if (loop && unrolls)
    ls_sentence_append (s->why, s->shown, "loop %s is written out: copies of its rows take its place", loop);
  else if (loop)
    ls_sentence_append (s->why, s->shown, "the rows of loop %s are in another loop", loop);
  else if (unrolls && u && (u->op == LS_OP_DEFINE_ACC || u->op == LS_OP_PHI))
    ls_sentence_append (s->why, s->shown, "each copy reads the value of the copy before it");
  else if (s->step.n_copies)
    ls_sentence_append (s->why, s->shown, "copies of it take its place: %u", s->step.n_copies);
  else
    ls_sentence_append (s->why, s->shown, "no row reads it");
}

static void
say_changes (Say *s)
{
  const LsRowChanges *c = ls_row_steps_changes (s->pass);
  append_node (s, s->name, s->node);
  if (s->brief)
    return;
  g_autofree char *number = row_at_step (s, s->step.node, s->step.row, FALSE), *was = NULL;
  switch ((int) s->step.kind) {
  case LS_DIFF_REMOVED:
    say_removed (s, c);
    break;
  case LS_DIFF_CHANGED:
    was = row_text (s, s->step.other, s->step.other_row, TRUE);
    ls_sentence_append (s->change, s->shown, "△ row %s: %s takes the place of %s", number ? number : "?", s->name->str, was);
    say_replaced (s);
    break;
  case LS_DIFF_MOVED:
    ls_sentence_append (s->change, s->shown, "= %s moves to row %s", s->name->str, number ? number : "?");
    break;
  default:
    say_added (s, c);
    break;
  }
  if (!s->why->len && s->step.reason)
    g_string_append (s->why, s->shown ? ls_shown (s->step.reason) : s->step.reason);
}

/* --- the renderer's table --- */

/* An input "(a+b)" that the expression has without its parentheses (append_operand in engine/render/c-style-expr.c), and why. source: whose
 * it is, or NULL where inputs are not those of the node's sources one by one. */
static void
say_stripped (Say *s, const LsExpr *e, const char *input, const LsUOp *source, gboolean left)
{
  gsize n = strlen (input);
  if (n < 3 || input[0] != '(' || input[n - 1] != ')' || !e->expr || strstr (e->expr, input))
    return;
  g_autofree char *inner = g_strndup (input + 1, n - 2);
  const char *at = strstr (e->expr, inner);
  gboolean chain = source && s->node && source->op == s->node->op;
  g_autoptr (GString) text = g_string_new (NULL), line = g_string_new (NULL);
  append_cut (text, inner);
  if (chain && left)
    ls_sentence_append (line, s->shown, "%s has no parentheses: it is the left operand of the same operator, so the order stays.",
                        text->str);
  else if (chain && !ls_dtype_is_float (s->node->dtype))
    ls_sentence_append (line, s->shown, "%s has no parentheses: for integers the order of the same operator does not count.", text->str);
  else if (chain)
    ls_sentence_append (line, s->shown, "%s has no parentheses: the profile writes chains so, which changes the order.", text->str);
  else if (at && at > e->expr && at[-1] == '[' && at[n - 2] == ']')
    ls_sentence_append (line, s->shown, "%s has no parentheses: nothing else is between the brackets.", text->str);
  else if (at == e->expr && !at[n - 2])
    ls_sentence_append (line, s->shown, "%s has no parentheses: it is the whole expression.", text->str);
  if (line->len) {
    say_line (s);
    g_string_append (s->more, line->str);
  }
}

/* The list has rows after the last one that was rendered, SINK at least. */
static void
say_end (Say *s)
{
  if (s->number < s->kernel->exprs->len || !s->facts || s->facts->list->len == 0)
    return;
  const LsUOp *last = list_node (s, s->facts->list->len - 1);
  if (!last || last == s->node)
    return;
  say_line (s);
  ls_sentence_append (s->more, s->shown, "%s, the end of the list, has no text.", ls_op_name (last->op));
}

/* " (LOAD 4)": the entry of r that an input is, the latest one with that text. */
static void
append_maker (Say *s, GString *out, const char *input)
{
  for (guint k = s->number - 1; k-- > 0;) {
    const LsExpr *e = &g_array_index (s->kernel->exprs, LsExpr, k);
    const char *text = e->name && *e->name ? e->name : e->expr;
    const LsUOp *u = ls_context_node (s->trace->ctx, e->node);
    guint number = number_of (s, u);
    if (!u || g_strcmp0 (text, input) != 0)
      continue;
    g_string_append_printf (out, number ? " (%s %u)" : " (%s)", ls_op_name (u->op), number - 1);
    return;
  }
}

static void
say_inputs (Say *s, const LsExpr *e)
{
  g_auto (GStrv) inputs = g_strsplit (e->inputs ? e->inputs : "", "\n", -1);
  guint n = e->inputs && *e->inputs ? g_strv_length (inputs) : 0;
  g_autoptr (GString) all = g_string_new (NULL);
  for (guint i = 0; i < n && i < 8; i++) {
    g_string_append (all, i ? ", " : "");
    append_cut (all, inputs[i]);
    append_maker (s, all, inputs[i]);
  }
  if (n) {
    say_line (s);
    ls_sentence_append (s->more, s->shown, "Its inputs in r: %s%s.", all->str, n > 8 ? ", …" : "");
  }
  gboolean one_by_one = s->node && ls_op_is_alu (s->node->op) && s->node->n_src == n;
  for (guint i = 0; i < n && i < 8; i++)
    say_stripped (s, e, inputs[i], one_by_one ? s->node->src[i] : NULL, i == 0);
}

static void
say_render (Say *s)
{
  const LsExpr *e = &g_array_index (s->kernel->exprs, LsExpr, s->number - 1);
  gboolean named = e->name && *e->name;
  g_autoptr (GString) expr = g_string_new (NULL);
  const char *op = s->node ? ls_op_name (s->node->op) : "?";
  append_cut (expr, e->expr ? e->expr : "");
  if (e->assigned && !named) {      /* a store, the end of a loop: a line, and no entry */
    ls_sentence_append (s->name, s->shown, "line %u: %s", e->line, expr->str);
    g_string_append (s->change, s->name->str);
  } else {
    guint number = number_of (s, s->node);
    g_string_append_printf (s->name, number ? "r[%s %u] = \"" : "r[%s] = \"", op, number - 1);
    g_string_append_printf (s->name, "%s\"", named ? e->name : expr->str);
    g_string_append (s->change, s->name->str);
    if (named && e->assigned && !g_str_equal (e->name, expr->str)) {
      g_string_append (s->change, "; ");
      ls_sentence_append (s->change, s->shown, "line %u: %s = %s", e->line, e->name, expr->str);
    }
  }
  if (e->why && *e->why) {
    const char *why = s->shown ? ls_shown (e->why) : e->why;
    if (e->assigned && named)
      ls_sentence_append (s->why, s->shown, "named: %s", why);
    else if (e->assigned)
      g_string_append (s->why, why);
    else
      ls_sentence_append (s->why, s->shown, "inlined: %s", why);
  }
  say_inputs (s, e);
  if (e->asked && *e->asked) {
    g_auto (GStrv) fields = g_strsplit (e->asked, " ", -1);
    g_autofree char *list = g_strjoinv (", ", fields);
    say_line (s);
    ls_sentence_append (s->more, s->shown, "Fields of the dialect that were consulted: %s.", list);
  }
  say_end (s);
}

/* --- compile, run, search --- */

static void
say_compile (Say *s)
{
  const LsKernel *k = s->kernel;
  guint n = ls_compile_lines (k, 0, NULL);
  g_autofree char *label = ls_kernel_compiler_label (k);
  if (s->number == 1) {
    g_string_append (s->name, label);
    ls_sentence_append (s->change, s->shown, "%s will compile the source of the pass render", label);
    if (k->values_compiler && *k->values_compiler && !g_str_equal (k->values_compiler, k->compiler))
      ls_sentence_append (s->more, s->shown, "The values are those of code by %s; this code is only timed.", k->values_compiler);
  } else if (s->number - 1 <= n) {
    g_autofree char *line = NULL;
    ls_compile_lines (k, s->number - 1, &line);
    append_cut (s->name, line ? line : "?");
    ls_sentence_append (s->change, s->shown, "Message: %s", s->name->str);
  } else {
    g_autofree char *ms = g_strdup_printf ("%.1f", k->compile_ms);
    ls_sentence_append (s->name, s->shown, "%" G_GSIZE_FORMAT " bytes", k->n_code);
    ls_sentence_append (s->change, s->shown, "The source is compiled: %" G_GSIZE_FORMAT " bytes of machine code after %s ms",
                        k->n_code, ms);
  }
}

static void
say_argument (Say *s)
{
  guint id = g_array_index (s->kernel->buffers, guint, s->number - 1);
  const LsTraceBuffer *b = id < s->trace->buffers->len ? s->trace->buffers->pdata[id] : NULL;
  g_autofree char *label = s->node ? ls_label_of_buffer (s->names, s->node) : g_strdup_printf ("data%u", s->number - 1),
                  *n = g_strdup_printf ("%" G_GUINT64_FORMAT, b ? b->n_elements : 0);
  char dtype[64];
  const char *type = b ? ls_dtype_text (b->dtype, dtype) : "?";
  type = g_str_has_prefix (type, "dtypes.") ? type + strlen ("dtypes.") : type;
  g_string_append (s->name, label);
  if (s->number == 1)
    ls_sentence_append (s->change, s->shown, "%s is written: buffer %u, %s elements of %s", label, id, n, type);
  else
    ls_sentence_append (s->change, s->shown, "%s is read: buffer %u, %s elements of %s", label, id, n, type);
}

static void
say_run (Say *s)
{
  const LsKernel *k = s->kernel;
  guint launch = s->number > k->buffers->len ? s->number - k->buffers->len : 0;
  if (!launch) {
    say_argument (s);
  } else if (launch <= k->run_ns->len) {
    guint64 ns = g_array_index (k->run_ns, guint64, launch - 1);
    ls_sentence_append (s->name, s->shown, "timed run %u", launch);
    ls_sentence_append (s->change, s->shown, "Timed run %u of %u: %" G_GUINT64_FORMAT " ns a launch", launch, k->run_ns->len, ns);
    if (k->flops > 0 && ns)
      ls_sentence_append (s->more, s->shown, "%.3g GFLOPS, %.3g GB/s", k->flops / (double) ns, k->bytes / (double) ns);
    say_line (s);
    ls_sentence_append (s->more, s->shown, "The kernel's time is the median of its timed runs.");
  } else {
    ls_sentence_append (s->name, s->shown, "error");
    ls_sentence_append (s->change, s->shown, "The kernel did not run");
    append_cut (s->why, k->run_error ? k->run_error : "");
  }
}

static void
say_search (Say *s)
{
  const LsCandidate *c = &g_array_index (s->kernel->candidates, LsCandidate, s->number - 1);
  g_autoptr (GString) options = g_string_new (NULL);
  append_cut (options, c->options && *c->options ? c->options : "");
  if (options->len)
    g_string_append (s->name, options->str);
  else
    ls_sentence_append (s->name, s->shown, "no options");
  if (!isnan (c->ns))
    ls_sentence_append (s->change, s->shown, "%s: %.0f ns", s->name->str, c->ns);
  else
    ls_sentence_append (s->change, s->shown, "%s: not timed", s->name->str);
  if (c->chosen)
    ls_sentence_append (s->why, s->shown, "the search chose it");
  else if (c->dropped && *c->dropped)
    g_string_append (s->why, s->shown ? ls_shown (c->dropped) : c->dropped);
  if (!isnan (c->score))
    ls_sentence_append (s->more, s->shown, "Its estimated cost is %.4g: candidates of low cost are tried first.", c->score);
}

static guint64
bytes_of (const LsTraceBuffer *b)
{
  return b->n_elements * ls_dtype_itemsize (b->dtype);
}

static gboolean
shares_bytes (const LsTraceBuffer *a, const LsTraceBuffer *b)
{
  return a->offset < b->offset + (gint64) bytes_of (b) && b->offset < a->offset + (gint64) bytes_of (a);
}

/* A list of buffers, each a text of its own in the language in which it is shown. */
static void
add_to_list (GString *list, const char *text)
{
  g_string_append_printf (list, "%s%s", list->len ? ", " : "", text);
}

static char *
buffer_shown (const Say *s, guint id)
{
  g_autofree char *text = ls_buffer_text (s->trace, id);
  return s->shown ? ls_sentence_shown (text) : g_steal_pointer (&text);
}

/* The inputs that the buffer's kernel could or could not write it over: those with one reason in one sentence. */
static void
say_in_place (Say *s, const LsTraceBuffer *b)
{
  enum { ELSEWHERE = LS_N_IN_PLACE, N_KINDS };
  const LsKernel *k = ls_trace_kernel (s->trace, b->first_use);
  gint output = ls_kernel_output_number (k, b->id);
  GString *over[N_KINDS] = { NULL };
  for (guint i = ls_kernel_n_outputs (k); output >= 0 && i < k->buffers->len; i++) {
    guint id = g_array_index (k->buffers, guint, i);
    const LsTraceBuffer *input = id < s->trace->buffers->len ? s->trace->buffers->pdata[id] : NULL;
    if (!input || input->offset < 0)
      continue;
    guint can = ls_in_place (s->trace, k, (guint) output, i),
          kind = can == LS_IN_PLACE_NONE && input->offset != b->offset ? ELSEWHERE : can;
    g_autofree char *name = buffer_shown (s, id);
    over[kind] = over[kind] ? over[kind] : g_string_new (NULL);
    add_to_list (over[kind], name);
  }
  for (guint kind = 0; kind < N_KINDS; kind++) {
    if (!over[kind])
      continue;
    const char *sentence = ls_in_place_sentences[kind == ELSEWHERE ? LS_IN_PLACE_NONE : kind],
               *why = s->shown ? ls_shown (sentence) : sentence;
    say_line (s);
    if (kind == LS_IN_PLACE_NONE)
      ls_sentence_append (s->more, s->shown, "Kernel %u writes it over %s: %s.", k->number, over[kind]->str, why);
    else if (kind == ELSEWHERE)
      ls_sentence_append (s->more, s->shown, "Kernel %u could write it over %s, but it lies elsewhere: %s.", k->number, over[kind]->str,
                          why);
    else
      ls_sentence_append (s->more, s->shown, "Kernel %u cannot write it over %s: %s.", k->number, over[kind]->str, why);
    g_string_free (over[kind], TRUE);
  }
}

/* A buffer's place, and the other buffers of the plan in the same bytes, which live before or after it. */
static void
say_memory (Say *s)
{
  const LsTraceBuffer *b = s->planned->pdata[s->number - 1];
  g_autofree char *label = buffer_shown (s, b->id);
  g_string_append (s->name, label);
  ls_sentence_append (s->change, s->shown, "%s: %" G_GUINT64_FORMAT " bytes at offset %" G_GINT64_FORMAT " of the shared memory",
                      label, bytes_of (b), b->offset);
  ls_sentence_append (s->why, s->shown, "larger buffers first, each at the lowest offset that is free while it lives");
  ls_sentence_append (s->more, s->shown, "Kernel %u writes it first, kernel %u uses it last.", b->first_use, b->last_use);
  say_in_place (s, b);
  guint n_others = 0;
  g_autoptr (GString) before = g_string_new (NULL), after = g_string_new (NULL), entry = g_string_new (NULL);
  for (guint i = 0; i < s->planned->len; i++) {
    const LsTraceBuffer *other = s->planned->pdata[i];
    if (other == b || !shares_bytes (other, b) || ++n_others > MOST_OTHERS)
      continue;
    g_autofree char *name = buffer_shown (s, other->id);
    g_string_truncate (entry, 0);
    if (other->last_use <= b->first_use)
      ls_sentence_append (entry, s->shown, "%s (until kernel %u)", name, other->last_use);
    else
      ls_sentence_append (entry, s->shown, "%s (from kernel %u)", name, other->first_use);
    add_to_list (other->last_use <= b->first_use ? before : after, entry->str);
  }
  if (before->len) {
    say_line (s);
    ls_sentence_append (s->more, s->shown, "These bytes were used before by %s.", before->str);
  }
  if (after->len) {
    say_line (s);
    ls_sentence_append (s->more, s->shown, "These bytes are used later by %s.", after->str);
  }
  if (n_others > MOST_OTHERS) {
    say_line (s);
    ls_sentence_append (s->more, s->shown, "%u more buffers use some of these bytes.", n_others - MOST_OTHERS);
  }
}

static void
say_schedule (Say *s)
{
  LsRowTexts texts = { s->name, s->change, s->why, s->more };
  ls_schedule_step_words (s->pass, s->number, s->shown, &texts);
}

static void (*const say[LS_N_ROWS]) (Say *s) = {
  [LS_ROWS_LINEARIZE] = say_linearize, [LS_ROWS_PROCEDURE] = say_procedure, [LS_ROWS_CHANGES] = say_changes, [LS_ROWS_RENDER] = say_render,
  [LS_ROWS_COMPILE] = say_compile, [LS_ROWS_RUN] = say_run, [LS_ROWS_SEARCH] = say_search, [LS_ROWS_MEMORY] = say_memory,
  [LS_ROWS_SCHEDULE] = say_schedule,
};

/* The text, or NULL where it is empty. */
static char *
take_text (GString *text)
{
  char *valid = text->len ? g_utf8_make_valid (text->str, -1) : NULL;
  g_string_free (text, TRUE);
  return valid;
}

/* FALSE: there is no such step. */
static gboolean
say_step (const LsPass *pass, guint step, gboolean shown, gboolean brief, gboolean unnumbered, LsRowWords *out)
{
  LsRowStep row;
  *out = (LsRowWords) { NULL };
  if (!ls_row_step (pass, step, &row))
    return FALSE;
  LsTrace *trace = pass->trace;
  const LsKernel *kernel = ls_trace_kernel (trace, pass->kernel);
  Say s = { pass, trace, kernel, ls_trace_names (trace, pass->kernel), row, step, facts_of (trace, kernel, pass),
            row.node == LS_NO_NODE ? NULL : ls_context_node (trace->ctx, row.node),
            ls_rows_of (pass) == LS_ROWS_MEMORY ? ls_planned_buffers (pass) : NULL, shown, brief, unnumbered,
            g_string_new (NULL), g_string_new (NULL), g_string_new (NULL), g_string_new (NULL) };
  say[ls_rows_of (pass)] (&s);
  *out = (LsRowWords) { take_text (s.name), take_text (s.change), take_text (s.why), take_text (s.more) };
  return TRUE;
}

gboolean
ls_row_step_words (const LsPass *pass, guint step, gboolean shown, LsRowWords *out)
{
  return say_step (pass, step, shown, FALSE, FALSE, out);
}

char *
ls_row_step_name (const LsPass *pass, guint step, gboolean shown)
{
  g_auto (LsRowWords) words = { NULL };
  return say_step (pass, step, shown, TRUE, FALSE, &words) ? g_steal_pointer (&words.name) : NULL;
}

char *
ls_row_step_why (const LsPass *pass, guint step, gboolean shown)
{
  g_auto (LsRowWords) words = { NULL };
  return say_step (pass, step, shown, FALSE, TRUE, &words) ? g_steal_pointer (&words.why) : NULL;
}

static gboolean
is_in_word (gunichar c)
{
  return c == '_' || g_unichar_isalnum (c);
}

static gboolean
has_text (const char *in, const char *text, gboolean whole)
{
  gsize n = strlen (text);
  for (const char *at = in; n && (at = strstr (at, text)); at = g_utf8_next_char (at)) {
    const char *before = at > in ? g_utf8_prev_char (at) : NULL, *last = g_utf8_prev_char (at + n);
    gboolean joined = (before && is_in_word (g_utf8_get_char (before)) && is_in_word (g_utf8_get_char (at))) ||
                      (is_in_word (g_utf8_get_char (at + n)) && is_in_word (g_utf8_get_char (last)));
    if (!whole || !joined)
      return TRUE;
  }
  return n == 0;
}

gboolean
ls_row_step_says (const LsPass *pass, guint step, gboolean shown, const char *const *folded, gboolean whole)
{
  g_auto (LsRowWords) words = { NULL };
  LsRowStep row;
  if (!ls_row_step (pass, step, &row) || !ls_row_step_words (pass, step, shown, &words))
    return FALSE;
  const char *kind = ls_diff_kind_name (row.kind);
  g_autofree char *all = g_strdup_printf ("%s\n%s\n%s\n%s", words.name ? words.name : "", shown ? ls_shown (kind) : kind,
                                          words.change ? words.change : "", words.why ? words.why : "");
  g_autofree char *said = g_utf8_casefold (all, -1);
  for (; *folded; folded++)
    if (!has_text (said, *folded, whole))
      return FALSE;
  return TRUE;
}

void
ls_row_words_clear (LsRowWords *words)
{
  g_free (words->name);
  g_free (words->change);
  g_free (words->why);
  g_free (words->more);
  *words = (LsRowWords) { NULL };
}
