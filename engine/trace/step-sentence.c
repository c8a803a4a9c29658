/* What a step changed, as a sentence made of the graph before and after: "i*64*4 → i*256 (64 × 4 = 256)", "CONST 4: index → int",
 * "VIEW + PERMUTE → VIEW, strides 6,1 → 1,6"; then the rule with its own sentence, which says why that is allowed, and counts.
 *
 * On the left are the nodes that the rule's pattern matched, on the right the new nodes of its result. Where both are index arithmetic
 * they are printed as expressions. If a node kept its op, its differences are listed instead.
 */
#include "row-steps.h"
#include "ir/axis.h"
#include "ir/print.h"
#include "ir/sentence.h"
#include "ir/short.h"
#include "ir/view.h"
#include "rewrite/stage.h"

#include <string.h>

#define MOST_NODES 256    /* of a side that are looked at */
#define MOST_KNOWN 65536  /* nodes that are looked at to tell new ones from those that were there */
#define MOST_NAMED 4      /* that are named */
#define MOST_EXPR  60     /* characters of an expression */
#define MOST_ARG   24     /* of an argument */
#define MOST_PARTS 3      /* differences of one node */

/* What words are made with: names are those of the loops; shown: in the reader's language. */
typedef struct { LsContext *ctx; const LsNames *names; gboolean shown; } Words;

typedef struct { LsUOp *nodes[MOST_NODES]; guint n; gboolean more; } Side;

/* A step as its rule sees it: what the pattern matched and bound, and what the result added. library: NULL in a recording that names
 * no rule. */
typedef struct {
  LsUOp         *before, *after;
  LsRuleLibrary *library;
  guint          rule, n_bindings;      /* rule: its number in the library */
  LsBinding      bindings[16];
  Side           matched, made;
} Step;

/* --- one node in short --- */

static void
append_expr (GString *out, const Words *w, LsUOp *u)
{
  g_autofree char *text = ls_expr_bare (w->names, u, MOST_EXPR);
  g_string_append (out, text);
}

static char *
type_text (LsContext *ctx, LsUOp *u)
{
  GString *s = g_string_new (NULL);
  ls_short_type (s, ctx, u);
  return g_string_free (s, FALSE);
}

/* --- the two sides --- */

static gboolean
side_has (const Side *side, const LsUOp *u)
{
  for (guint i = 0; i < side->n; i++)
    if (side->nodes[i] == u)
      return TRUE;
  return FALSE;
}

/* What the step added below u: u and its sources down to those that were there. */
static void
collect_made (Side *made, LsNodeMap *was, LsUOp *u)
{
  if (ls_node_map_has (was, u))
    return;
  made->nodes[made->n++] = u;
  for (guint i = 0; i < made->n; i++)
    for (guint s = 0; s < made->nodes[i]->n_src; s++) {
      LsUOp *source = made->nodes[i]->src[s];
      if (ls_node_map_has (was, source) || side_has (made, source))
        continue;
      if (made->n == MOST_NODES) {
        made->more = TRUE;
        return;
      }
      made->nodes[made->n++] = source;
    }
}

/* Marks the nodes that were there before the step: those that the pattern matched, those it names, and all below them. FALSE: they are
 * too many, and an unmarked one may have been there. */
static gboolean
note_known (LsNodeMap *was, const Step *step)
{
  g_autoptr (GPtrArray) todo = g_ptr_array_new ();
  guint i = 0;
  for (guint k = 0; k < step->matched.n; k++)
    g_ptr_array_add (todo, step->matched.nodes[k]);
  for (guint b = 0; b < step->n_bindings; b++) {
    const LsBinding *binding = &step->bindings[b];
    if (binding->node)
      g_ptr_array_add (todo, binding->node);
    for (guint k = 0; binding->value.kind == LS_TERM_NODES && k < binding->value.n; k++)
      g_ptr_array_add (todo, binding->value.nodes[k]);
  }
  for (; i < todo->len && i < MOST_KNOWN; i++) {
    LsUOp *u = todo->pdata[i];
    if (ls_node_map_has (was, u))
      continue;
    ls_node_map_set (was, u, 1);
    for (guint k = 0; k < u->n_src; k++)
      if (!ls_node_map_has (was, u->src[k]))
        g_ptr_array_add (todo, u->src[k]);
  }
  return i == todo->len;
}

/* Whether the node is read as a part of an expression. */
static gboolean
is_arithmetic (const LsUOp *u)
{
  return ls_op_is_alu (u->op) || u->op == LS_OP_CONST || u->op == LS_OP_RANGE || u->op == LS_OP_SPECIAL || u->op == LS_OP_DEFINE_VAR;
}

static gboolean
all_arithmetic (const Side *side)
{
  for (guint i = 0; i < side->n; i++)
    if (!is_arithmetic (side->nodes[i]))
      return FALSE;
  return TRUE;
}

/* How many nodes of the i-th's op the side has; 0: an earlier one has it. */
static guint
count_op (const Side *side, guint i)
{
  guint n = 0;
  for (guint k = 0; k < i; k++)
    if (side->nodes[k]->op == side->nodes[i]->op)
      return 0;
  for (guint k = i; k < side->n; k++)
    n += side->nodes[k]->op == side->nodes[i]->op;
  return n;
}

/* "VIEW + PERMUTE": the ops of a side, its first node with its argument; constants only where there is nothing else. */
static void
append_side (GString *out, const Words *w, const Side *side)
{
  guint named = 0, left = 0;
  for (guint i = 0; i < side->n; i++) {
    LsUOp *u = side->nodes[i];
    guint same = count_op (side, i);
    if (same == 0 || (i > 0 && u->op == LS_OP_CONST))
      continue;
    if (named == MOST_NAMED) {
      left += same;
      continue;
    }
    g_string_append (out, named++ ? " + " : "");
    if (u->op == LS_OP_RANGE && same == 1)
      ls_short_range (out, w->names, u);
    else if (i == 0 && same == 1)
      ls_short_node (out, w->names, u, w->shown);
    else
      g_string_append (out, ls_op_name (u->op));
    if (same > 1)
      g_string_append_printf (out, " ×%u", same);
  }
  if (left || side->more)
    g_string_append (out, " + …");
}

/* --- differences of one node --- */

static void
append_part (GString *out, const char *what, const char *was, const char *is)
{
  g_string_append_printf (out, "%s%s%s%s → %s", out->len ? ", " : "", what, *what ? " " : "", *was ? was : "–", *is ? is : "–");
}

static void
append_views (GString *out, const LsTracker *was, const LsTracker *is)
{
  const LsView *x = was->views[was->n_views - 1], *y = is->views[is->n_views - 1];
  g_autoptr (GString) a = g_string_new (NULL), b = g_string_new (NULL);
  if (was->n_views == 1 && is->n_views == 1 && x->n == y->n && !x->mask == !y->mask && x->offset == y->offset && x->n > 0 &&
      memcmp (x->shape, y->shape, x->n * sizeof *x->shape) == 0) {
    ls_short_numbers (a, x->n, x->strides);
    ls_short_numbers (b, y->n, y->strides);
    append_part (out, "strides", a->str, b->str);
    return;
  }
  g_autofree char *before = ls_tracker_summary (was), *after = ls_tracker_summary (is), *first = ls_short_text (before, MOST_EXPR),
                  *then = ls_short_text (after, MOST_EXPR);
  append_part (out, "", first, then);
}

static void
append_args (GString *out, const Words *w, LsUOp *x, LsUOp *y)
{
  if (x->arg.kind == LS_ARG_TRACKER && y->arg.kind == LS_ARG_TRACKER) {
    append_views (out, x->arg.tracker, y->arg.tracker);
    return;
  }
  g_autoptr (GString) a = g_string_new (NULL), b = g_string_new (NULL);
  if (x->op == LS_OP_RANGE && x->arg.kind == LS_ARG_INTS && y->arg.kind == LS_ARG_INTS && x->arg.n > 1 && y->arg.n > 1) {
    ls_short_range (a, w->names, x);
    ls_short_range (b, w->names, y);
    if (ls_range_type (x) != ls_range_type (y)) {
      g_string_append_printf (a, " %s", ls_axis_type_name (ls_range_type (x)));
      g_string_append_printf (b, " %s", ls_axis_type_name (ls_range_type (y)));
    }
  } else {
    ls_short_arg (a, w->names, x, w->shown);
    ls_short_arg (b, w->names, y, w->shown);
    ls_short_tag (a, x, w->shown);
    ls_short_tag (b, y, w->shown);
  }
  append_part (out, "", a->str, b->str);
}

static void
append_source (GString *out, const Words *w, const LsUOp *x, const LsUOp *y, guint s)
{
  g_autofree char *type = type_text (w->ctx, x->src[s]), *type_after = type_text (w->ctx, y->src[s]);
  g_autoptr (GString) what = g_string_new (NULL), was = g_string_new (NULL), is = g_string_new (NULL);
  LsUOp *sides[] = { x->src[s], y->src[s] };
  for (guint i = 0; i < 2; i++)
    if (is_arithmetic (sides[i]))
      append_expr (i ? is : was, w, sides[i]);
    else
      ls_short_node (i ? is : was, w->names, sides[i], w->shown);
  if (x->n_src > 1)
    ls_sentence_append (what, w->shown, "source %u:", s + 1);
  else
    ls_sentence_append (what, w->shown, "source:");
  if (!g_str_equal (was->str, is->str)) {
    append_part (out, what->str, was->str, is->str);
  } else if (!g_str_equal (type, type_after)) {
    append_part (out, what->str, type, type_after);
  } else {
    g_string_append (out, out->len ? ", " : "");
    ls_sentence_append (out, w->shown, "%s %s replaced", what->str, was->str);
  }
}

/* For a node that kept its op; alone: no source changed with it, so its sources are informative. */
static void
append_differences (GString *out, const Words *w, LsUOp *x, LsUOp *y, gboolean alone)
{
  g_autofree char *was = type_text (w->ctx, x), *is = type_text (w->ctx, y);
  guint n = 0;
  if (!g_str_equal (was, is) && x->op != LS_OP_VIEW)
    append_part (out, "", was, is);
  if (!ls_arg_equal (x->arg, y->arg))
    append_args (out, w, x, y);
  if (alone && x->n_src != y->n_src) {
    g_autofree char *a = g_strdup_printf ("%u", x->n_src), *b = g_strdup_printf ("%u", y->n_src);
    g_autoptr (GString) what = g_string_new (NULL);
    ls_sentence_append (what, w->shown, "sources:");
    append_part (out, what->str, a, b);
  }
  for (guint s = 0; alone && x->n_src == y->n_src && s < x->n_src && x->op != LS_OP_RANGE && n < MOST_PARTS; s++)
    if (x->src[s] != y->src[s]) {
      append_source (out, w, x, y, s);
      n++;
    }
}

/* --- constants that the rule computed --- */

/* "$a * $b" with the constants that the names are bound to; FALSE: one of them is not a constant. */
static gboolean
append_bound (GString *out, const char *text, const Step *step)
{
  for (const char *at = text; *at; ) {
    gsize n = 1;
    const LsBinding *bound = NULL;
    if (*at != '$') {
      g_string_append_c (out, *at++);
      continue;
    }
    while (g_ascii_isalnum (at[n]) || at[n] == '_')
      n++;
    for (guint k = 0; k < step->n_bindings && !bound; k++)
      if (strlen (step->bindings[k].name) == n - 1 && strncmp (step->bindings[k].name, at + 1, n - 1) == 0)
        bound = &step->bindings[k];
    if (!bound || !bound->node || bound->node->op != LS_OP_CONST)
      return FALSE;
    g_autofree char *number = ls_expr_print (NULL, bound->node, MOST_ARG);
    g_string_append (out, number);
    at += n;
  }
  return TRUE;
}

/* " (64 × 4 = 256)" */
static void
append_computed (GString *out, const Step *step, LsContext *ctx)
{
  g_autoptr (GArray) values = step->library ? ls_rule_guards (step->library, step->rule, ctx, step->before, NULL) : NULL;
  guint found = 0;
  for (guint i = 0; values && i < values->len && found < 2; i++) {
    const LsGuardValue *v = &g_array_index (values, LsGuardValue, i);
    gboolean pair = v->text[0] == '(' && g_str_has_suffix (v->text, ")");
    if (v->holds != LS_GUARD_COMPUTED || !v->saw || strpbrk (v->text + pair, "({["))
      continue;
    g_autofree char *inner = g_strndup (v->text + pair, strlen (v->text) - 2 * pair);
    g_autoptr (GString) text = g_string_new (NULL);
    if (!append_bound (text, inner, step))
      continue;
    g_string_replace (text, " * ", " × ", 0);
    const char *value = g_str_has_prefix (v->saw, "CONST ") ? v->saw + strlen ("CONST ") : v->saw;
    g_string_append_printf (out, "%s%s = %s", found++ ? ", " : " (", text->str, value);
  }
  g_string_append (out, found ? ")" : "");
}

/* --- the step --- */

/* Whether an op that has no sign of its own is in the expression: "RESHAPE(IOTA)". */
static gboolean
has_call (const char *expr)
{
  for (const char *at = strchr (expr, '('); at; at = strchr (at + 1, '('))
    if (at > expr && g_ascii_isupper (at[-1]))
      return TRUE;
  return FALSE;
}

/* "its source 2 (ADD)": the node is replaced by one of its sources. */
static gboolean
append_own_source (GString *out, const Words *w, LsUOp *b, LsUOp *a)
{
  for (guint s = 0; s < b->n_src; s++)
    if (b->src[s] == a) {
      g_autoptr (GString) node = g_string_new (NULL);
      ls_short_node (node, w->names, a, w->shown);
      if (b->n_src > 1)
        ls_sentence_append (out, w->shown, "its source %u (%s)", s + 1, node->str);
      else
        ls_sentence_append (out, w->shown, "its source (%s)", node->str);
      return TRUE;
    }
  return FALSE;
}

/* Both sides as expressions; FALSE: one is none, is too long, or they say the same. */
static gboolean
append_expressions (GString *out, const Words *w, const Side *matched, const Side *made, LsUOp *b, LsUOp *a)
{
  if (!all_arithmetic (matched) || !all_arithmetic (made) || !is_arithmetic (b) || (b->op == LS_OP_CONST && a->op == LS_OP_CONST))
    return FALSE;
  g_autofree char *before = ls_expr_bare (w->names, b, MOST_EXPR), *after = ls_expr_bare (w->names, a, MOST_EXPR);
  if (g_str_equal (before, after) || (strstr (before, "…") && strstr (after, "…")) || has_call (before) || has_call (after))
    return FALSE;
  g_string_append_printf (out, "%s → %s", before, after);
  return TRUE;
}

static void
step_init (Step *step, LsTrace *trace, const LsPass *pass, guint number)
{
  LsContext *ctx = trace->ctx;
  const LsLink *link = ls_pass_step_link (pass, number);
  memset (step, 0, sizeof *step);
  step->before = ls_context_node (ctx, link->before);
  step->after = ls_context_node (ctx, link->after);
  step->library = link->rule >= 0 ? ls_trace_rule_library (trace, (guint) link->rule, &step->rule) : NULL;
  if (step->library) {
    step->n_bindings = ls_rule_match (step->library, step->rule, ctx, step->before, step->bindings, G_N_ELEMENTS (step->bindings));
    step->matched.n = ls_rule_matched (step->library, step->rule, step->before, step->matched.nodes, MOST_NODES);
  }
  if (step->matched.n == 0)
    step->matched.nodes[step->matched.n++] = step->before;
  LsNodeMap *was = ls_node_map_acquire (ctx);
  if (note_known (was, step)) {
    collect_made (&step->made, was, step->after);
  } else if (!ls_node_map_has (was, step->after)) {      /* only the result itself is said to be new */
    step->made.nodes[step->made.n++] = step->after;
    step->made.more = TRUE;
  }
  ls_node_map_release (ctx, was);
}

guint
ls_step_made (LsTrace *trace, const LsPass *pass, guint step, LsUOp **nodes, guint max)
{
  Step s;
  if (step < 1 || step > pass->steps->len)
    return 0;
  step_init (&s, trace, pass, step);
  memcpy (nodes, s.made.nodes, MIN (s.made.n, max) * sizeof *nodes);
  return MIN (s.made.n, max);
}

/* What the step changed: "i*64*4 → i*256 (64 × 4 = 256)", "CONST 4: index → int". */
static char *
change_of (LsTrace *trace, const LsPass *pass, guint number, gboolean shown)
{
  LsContext *ctx = trace->ctx;
  const Words words = { ctx, ls_trace_names (trace, pass->kernel), shown }, *w = &words;
  Step step;
  GString *out = g_string_new (NULL);
  step_init (&step, trace, pass, number);
  const Side *matched = &step.matched, *made = &step.made;
  LsUOp *b = step.before, *a = step.after;
  if (append_expressions (out, w, matched, made, b, a)) {
    append_computed (out, &step, ctx);
    return g_string_free (out, FALSE);
  }
  g_autoptr (GString) differs = g_string_new (NULL);
  if (a->op == b->op)
    append_differences (differs, w, b, a, matched->n == 1);
  if (a->op == b->op && matched->n == 1 && differs->len) {
    ls_short_node (out, w->names, b, w->shown);
    g_string_append_printf (out, ": %s", differs->str);
    return g_string_free (out, FALSE);
  }
  append_side (out, w, matched);
  g_string_append (out, " → ");
  if (made->n == 1 && a->n_src && matched->n > 1 && a->op == b->op) {
    g_autoptr (GString) node = g_string_new (NULL);
    append_side (node, w, made);
    ls_sentence_append (out, shown, "one %s", node->str);
  } else if (made->n) {
    append_side (out, w, made);
  } else if (!append_own_source (out, w, b, a)) {
    if (is_arithmetic (a))
      append_expr (out, w, a);
    else
      ls_short_node (out, w->names, a, w->shown);
  }
  g_autofree char *was_type = type_text (ctx, b), *is_type = type_text (ctx, a);
  if (differs->len && matched->n > 1)
    g_string_append_printf (out, ", %s", differs->str);
  else if (a->op != b->op && *was_type && *is_type && !g_str_equal (was_type, is_type))
    g_string_append_printf (out, ", %s → %s", was_type, is_type);
  return g_string_free (out, FALSE);
}

/* The rule of a step, or NULL in a recording that names none. */
static const LsTraceRule *
step_rule (LsTrace *trace, const LsLink *link)
{
  return link->rule >= 0 && (guint) link->rule < trace->rules->len ? trace->rules->pdata[link->rule] : NULL;
}

/* Which option the step carries out, who chose it and why. */
static void
append_option (GString *s, LsTrace *trace, const LsPass *pass, gboolean shown)
{
  g_autofree char *option = ls_pass_option (trace, pass);
  const LsKernelOption *choice = ls_pass_choice (trace, pass);
  if (option)
    ls_sentence_append (s, shown, ", for the option %s", option);
  if (choice && g_str_equal (choice->chosen_by, "heuristic"))
    ls_sentence_append (s, shown, ", chosen by the heuristic");
  else if (choice)
    ls_sentence_append (s, shown, ", chosen by %s", choice->chosen_by);
}

/* The reason of the option, else the rule's sentence, without its full stop. */
static char *
why_allowed (LsTrace *trace, const LsPass *pass, const LsTraceRule *rule, gboolean shown)
{
  const LsKernelOption *choice = ls_pass_choice (trace, pass);
  if (choice && *choice->why)
    return shown ? ls_sentence_shown (choice->sentence ? choice->sentence : choice->why) : g_strdup (choice->why);
  char *text = g_strdup (!rule ? "" : shown ? ls_shown (rule->sentence) : rule->sentence);
  if (g_str_has_suffix (text, "."))
    text[strlen (text) - 1] = '\0';
  return text;
}

static void
append_counts (GString *s, const LsGraphDiff *d, gboolean shown)
{
  ls_sentence_append (s, shown, "%u added, %u removed, %u changed", d->n_added, d->n_removed, d->n_changed - d->n_rebuilt);
  if (d->n_moved)
    ls_sentence_append (s, shown, ", %u moved", d->n_moved);
  ls_sentence_append (s, shown, ", %u unchanged", d->n_same + d->n_rebuilt);
}

char *
ls_diff_counts_shown (const LsGraphDiff *d)
{
  GString *s = g_string_new (NULL);
  append_counts (s, d, TRUE);
  return g_string_free (s, FALSE);
}

static char *
sentence_of (LsTrace *trace, const LsPass *pass, guint step, const LsGraphDiff *d, gboolean shown)
{
  GString *s = g_string_new (NULL);
  g_auto (LsRowWords) row = { NULL };
  if (pass->kind != LS_PASS_REWRITE && ls_row_step_words (pass, step, shown, &row)) {
    g_string_append (s, row.change ? row.change : row.name);
    if (row.why)
      g_string_append_printf (s, " (%s)", row.why);
    g_string_append_c (s, '.');
    return g_string_free (s, FALSE);
  }
  if (step == 0 || step > pass->steps->len) {
    ls_sentence_append (s, shown, "The input of %s.", pass->name);
    return g_string_free (s, FALSE);
  }
  const LsTraceRule *rule = step_rule (trace, ls_pass_step_link (pass, step));
  g_autofree char *change = change_of (trace, pass, step, shown), *why = why_allowed (trace, pass, rule, shown);
  g_string_append_printf (s, "%s (%s", change, rule ? rule->name : "?");
  append_option (s, trace, pass, shown);
  g_string_append_printf (s, "%s%s)", *why ? ": " : "", why);
  if (d) {
    g_string_append (s, "; ");
    append_counts (s, d, shown);
  }
  g_string_append_c (s, '.');
  return g_string_free (s, FALSE);
}

char *
ls_step_sentence (LsTrace *trace, const LsPass *pass, guint step)
{
  g_autoptr (LsGraphDiff) d = step > 0 && step <= pass->steps->len ? ls_pass_diff_step (trace, pass, step) : NULL;
  return sentence_of (trace, pass, step, d, FALSE);
}

char *
ls_step_sentence_shown (LsTrace *trace, const LsPass *pass, guint step, const LsGraphDiff *diff)
{
  return sentence_of (trace, pass, step, diff, TRUE);
}
