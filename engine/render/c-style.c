/* The renderer of C-like languages: from a procedure to source text, with data about each line.
 *
 * It keeps the r table of the field: for each node the text its users write. A value that is used once is inlined into its user; one
 * that is used again, that a user's text repeats, that is outside the loop it is used in (the compiler might not move it), or that would
 * make a line longer than MAX_EXPR has a variable, named by kind and order of appearance: val0 a load, alu0 arithmetic, acc0 an
 * accumulator. Loop counters, work item indices and thread numbers have the name of their loop (ir/names.h), or, with LOOP_NAMES=0,
 * ridx0, gidx0, lidx0 and core_id. The reason is recorded with each expression. Because inlined texts are short, work is proportional
 * to the text that comes out.
 *
 * Every line maps to all nodes it shows: its own node and, through the sources, the nodes inlined in it.
 */
#include "c-style-private.h"
#include "function-text.h"
#include <stdarg.h>
#include <string.h>
#include "ir/axis.h"
#include "ir/sentence.h"
#include "ir/names.h"
#include "ir/print.h"

#define MAX_LINE    8192      /* of inlined text, also where MAX_EXPR sets no limit */
#define MAX_PARENS  60        /* compilers limit the nesting of parentheses */

LsRenderInfo *
ls_render_info (LsRender *r, const LsUOp *u)
{
  guint64 row;
  if (ls_node_map_get (r->rows, u, &row))
    return &r->infos[row];
  memset (&r->missing, 0, sizeof r->missing);
  return &r->missing;
}

const char *
ls_render_read (LsRender *r, const LsUOp *u)
{
  LsRenderInfo *info = ls_render_info (r, u), *reader = r->row;
  if (reader == &r->function || reader == &r->missing || !info->expr)
    return info->expr;
  guint number = (guint) (reader - r->infos) + 1;
  if (info->reader == number)
    return info->expr;
  info->reader = number;
  gsize n = strlen (info->expr);
  if (reader->inputs + reader->n_inputs != r->inputs->len) {      /* another row has read meanwhile */
    guint32 begin = (guint32) r->inputs->len;
    g_string_append_len (r->inputs, r->inputs->str + reader->inputs, reader->n_inputs);
    reader->inputs = begin;
  }
  if (reader->n_inputs)
    g_string_append_c (r->inputs, '\n');
  g_string_append_len (r->inputs, info->expr, (gssize) MIN (n, LS_MAX_INPUT));
  if (n > LS_MAX_INPUT)
    g_string_append (r->inputs, "…");
  reader->n_inputs = (guint32) r->inputs->len - reader->inputs;
  return info->expr;
}

void
ls_render_fail (LsRender *r, const LsUOp *u, const char *why)
{
  if (!r->failed) {
    g_autofree char *summary = u ? ls_uop_summary ((LsUOp *) u) : NULL;
    if (u)
      g_set_error (r->error, LS_ERROR, LS_ERROR_COMPILE, "%s: node %u (%s) %s", r->target->name, u->id, summary, why);
    else
      g_set_error (r->error, LS_ERROR, LS_ERROR_COMPILE, "%s has no %s", r->target->name, why);
  }
  r->failed = TRUE;
}

void
ls_render_need (LsRender *r, const char *text)
{
  g_hash_table_add (r->needs, (gpointer) g_intern_string (text));
}

void
ls_render_fill (GString *out, const char *form, const char *a, const char *b)
{
  for (const char *hole; (hole = strstr (form, "%s")); form = hole + 2) {
    g_string_append_len (out, form, hole - form);
    g_string_append (out, a);
    a = b;
  }
  g_string_append (out, form);
}

/* --- lines --- */

/* Maps a line to a node and to all nodes inlined in it. */
static void
show (LsRender *r, guint line, LsUOp *node)
{
  GPtrArray *stack = r->stack;
  g_ptr_array_add (stack, node);
  while (stack->len) {
    LsUOp *u = g_ptr_array_steal_index_fast (stack, stack->len - 1);
    LsRenderInfo *info = ls_render_info (r, u);
    LsRenderedLine shown = { line, u };
    g_array_append_val (r->lines, shown);
    if (!info->line)
      info->line = line;
    LsUOp *index = ls_render_index (u);
    if (index)
      g_ptr_array_add (stack, index);
    guint n = u->op == LS_OP_DEFINE_ACC ? MIN (u->n_src, 1) : u->op == LS_OP_PHI ? MIN (u->n_src, 2) : u->n_src;
    if (u->op == LS_OP_ENDRANGE || u->op == LS_OP_ENDIF || u->op == LS_OP_BARRIER)
      n = 0;
    for (guint s = u->op == LS_OP_PHI || index ? 1 : 0; s < n; s++) {
      const LsRenderInfo *source = ls_render_info (r, u->src[s]);
      if (source->expr && !source->assigned && !source->placed)
        g_ptr_array_add (stack, u->src[s]);
    }
  }
}

void
ls_render_line (LsRender *r, guint depth, LsUOp *node, const char *text, ...)
{
  for (guint i = 0; i <= depth; i++)
    g_string_append (r->out, "  ");
  va_list args;
  va_start (args, text);
  for (; text; text = va_arg (args, const char *))
    g_string_append (r->out, text);
  va_end (args);
  g_string_append_c (r->out, '\n');
  r->line++;
  if (node)
    show (r, r->line, node);
}

static int
compare_lines (gconstpointer a, gconstpointer b)
{
  const LsRenderedLine *x = a, *y = b;
  if (x->line != y->line)
    return x->line < y->line ? -1 : 1;
  return x->node->id < y->node->id ? -1 : x->node->id > y->node->id;
}

/* Lines are almost in order, except those that show closing braces; nodes of a line are few. */
static void
sort_lines (GArray *lines)
{
  LsRenderedLine *all = (LsRenderedLine *) (gpointer) lines->data;
  guint kept = 0, most = 32 * lines->len;
  for (guint i = 1; i < lines->len && most; i++) {
    LsRenderedLine line = all[i];
    guint k = i;
    for (; k && most && compare_lines (&all[k - 1], &line) > 0; k--, most--)
      all[k] = all[k - 1];
    all[k] = line;
  }
  if (!most)      /* lines of thousands of nodes */
    g_array_sort (lines, compare_lines);
  for (guint i = 0; i < lines->len; i++) {
    const LsRenderedLine *line = &g_array_index (lines, LsRenderedLine, i);
    const LsRenderedLine *last = kept ? &g_array_index (lines, LsRenderedLine, kept - 1) : NULL;
    if (last && last->line == line->line && last->node == line->node)
      continue;
    g_array_index (lines, LsRenderedLine, kept++) = *line;
  }
  g_array_set_size (lines, kept);
}

/* --- uses --- */

static void
count_use (LsRender *r, LsUOp *user, LsUOp *u, guint s, guint depth)
{
  LsRenderInfo *info = ls_render_info (r, u);
  info->uses++;
  if (depth > info->depth)
    info->deeper = TRUE;
  if (ls_render_twice (r, user, s))
    info->twice = TRUE;
}

/* How often each value is written, and at what depth: pointers count for the accesses through them. */
static void
count_uses (LsRender *r)
{
  guint depth = 0;
  for (guint i = 0; i < r->n; i++) {
    LsUOp *u = r->list[i];
    if ((u->op == LS_OP_ENDRANGE || u->op == LS_OP_ENDIF) && depth)
      depth--;
    r->infos[i].depth = depth;
    r->row = &r->infos[i];
    LsUOp *index = ls_render_index (u);
    if (u->op == LS_OP_INDEX || u->op == LS_OP_SINK || u->op == LS_OP_ENDRANGE || u->op == LS_OP_SPECIAL || u->op == LS_OP_BARRIER)
      continue;
    for (guint s = 1; index && s < index->n_src; s++)
      count_use (r, index, index->src[s], s, depth);
    guint n = u->op == LS_OP_DEFINE_ACC ? MIN (u->n_src, 1) : u->op == LS_OP_PHI ? MIN (u->n_src, 2) : u->n_src;
    for (guint s = u->op == LS_OP_PHI || index ? 1 : 0; s < n; s++)
      count_use (r, u, u->src[s], s, depth);
    if (u->op == LS_OP_RANGE || u->op == LS_OP_IF)
      depth++;
  }
  r->row = &r->function;
}

static const char *
times_used (guint n)
{
  static const char *const few[] = { NULL, NULL, "used 2 times", "used 3 times", "used 4 times", "used 5 times", "used 6 times",
                                     "used 7 times", "used 8 times" };
  if (n < G_N_ELEMENTS (few))
    return few[n];
  g_autofree char *many = g_strdup_printf ("used %u times", n);
  return g_intern_string (many);
}

/* Why a value has a variable, or NULL: it is inlined. */
static const char *
why_assigned (LsRender *r, const LsUOp *u, const LsRenderInfo *info, gsize length)
{
  gint64 limit = r->settings->MAX_EXPR > 0 ? MIN (r->settings->MAX_EXPR, MAX_LINE) : MAX_LINE;
  if (u->op == LS_OP_PRECAST)
    return "its bits are read as another dtype";
  if (info->uses > 1 && u->op != LS_OP_GEP)
    return times_used (info->uses);
  if (r->settings->EXPAND_SSA && ls_op_is_alu (u->op))
    return "EXPAND_SSA";
  if (u->op == LS_OP_MAX && ASK (r, max))
    return "max is a macro that repeats its arguments";
  if (u->op == LS_OP_WHERE && ASK (r, assigns_choices))
    return "a choice";
  if (info->twice)
    return "the expression that uses it writes it twice";
  if (info->deeper && u->op != LS_OP_GEP && ASK (r, hoists))
    return "used in a loop that it does not depend on";
  if ((gint64) length > limit)
    return "longer than MAX_EXPR";
  if (info->nesting > MAX_PARENS)
    return "nested too deeply";
  return NULL;
}

/* --- instructions --- */

static char *
numbered (const char *prefix, guint number)
{
  char digits[24];
  return g_strconcat (prefix, ls_int_text (number, digits), NULL);
}

static void
set_expr (LsRenderInfo *info, char *expr, const char *why)
{
  g_free (info->expr);
  info->expr = expr;
  info->why = why;
}

/* Gives a value a variable: a line that sets it, and its name as the text in users. */
static void
assign (LsRender *r, guint depth, LsUOp *u, LsRenderInfo *info, char *made, const char *prefix, guint number, const char *why)
{
  char *name = numbered (prefix, number);
  ls_render_line (r, depth, u, u->op == LS_OP_PRECAST ? ls_render_stored (r, u->dtype) : ls_render_type (r, u->dtype), " ", name, " = ",
                  made, ";", NULL);
  g_free (info->made);
  info->made = made;
  set_expr (info, name, why);
  info->assigned = TRUE;
  info->wrapped = info->bits = FALSE;
  info->nesting = info->accs = 0;
}

static void
render_compute (LsRender *r, guint depth, LsUOp *u)
{
  LsRenderInfo *info = ls_render_info (r, u);
  char *made = ls_render_expr (r, u, info);
  const char *why = why_assigned (r, u, info, strlen (made));
  gboolean is_cast = u->op == LS_OP_CAST || u->op == LS_OP_VECTORIZE, in_memory = u->op == LS_OP_PRECAST, is_variable = why != NULL;
  const char *guard = ls_render_guard (r, u);
  if (!why)
    why = info->uses ? "used once" : "not used";
  if (guard) {
    g_autofree char *both = g_strdup_printf ("%s; %s", why, guard);
    why = g_intern_string (both);
  }
  if (is_variable)
    assign (r, depth, u, info, made, in_memory ? "precast" : is_cast ? "cast" : "alu", in_memory ? r->n_precast++
                                                                                                 : is_cast ? r->n_cast++ : r->n_alu++, why);
  else
    set_expr (info, made, why);
}

/* The value of a bracketed constant: "-INFINITY" in a definition needs no parentheses. */
static char *
bare_constant (LsRender *r, const LsUOp *u)
{
  const char *text = ls_render_read (r, u);
  if (!text)
    text = "0";
  gsize n = strlen (text);
  gboolean bracketed = u->op == LS_OP_CONST && text[0] == '(' && text[1] == '-' && text[n - 1] == ')' && !strchr (text + 1, '(') &&
                       !strpbrk (text + 2, "-+");
  return bracketed ? g_strndup (text + 1, n - 2) : g_strdup (text);
}

static void
render_load (LsRender *r, guint depth, LsUOp *u)
{
  LsRenderInfo *info = ls_render_info (r, u);
  LsUOp *index = ls_render_index (u);
  if (!index) {
    ls_render_fail (r, u, "reads no INDEX");
    return;
  }
  g_autofree char *element = ls_render_element (r, index, u->dtype);
  gboolean pointer = element[0] == '*' && (ls_dtype_lanes (u->dtype) > 1 || ASK (r, bracketed));
  const char *from = ls_render_from_bits (r, u->dtype);
  char *value = from || pointer ? g_strconcat (from ? from : "", "(", element, ")", NULL) : g_steal_pointer (&element);
  if (index->n_src > 2) {
    const char *gate = ls_render_read (r, index->src[2]);
    const char *other = u->n_src > 1 ? ls_render_read (r, u->src[1]) : NULL;
    if (!gate || !other)
      ls_render_fail (r, u, "has a gate without an alternative");
    g_autofree char *open = value;
    value = g_strconcat ("(", gate ? gate : "0", "?", open, ":", other ? other : "0", ")", NULL);
  }
  /* in an iteration its second user may come after the store */
  if (ls_dtype_space (index->dtype) == LS_SPACE_REG && (u->n_src == 2 || info->uses == 1)) {
    info->made = value;
    set_expr (info, g_strdup (value), LS_TEMPLATE ("register"));
    return;
  }
  assign (r, depth, u, info, value, "val", r->n_val++, LS_TEMPLATE ("load"));
}

static void
render_store (LsRender *r, guint depth, LsUOp *u)
{
  LsRenderInfo *info = ls_render_info (r, u);
  LsUOp *index = ls_render_index (u);
  if (!index || u->n_src < 2) {
    ls_render_fail (r, u, "writes to no INDEX");
    return;
  }
  LsUOp *source = u->src[1];
  const LsRenderInfo *from = ls_render_info (r, source);
  g_autofree char *element = ls_render_element (r, index, source->dtype);
  g_autofree char *value = bare_constant (r, source);
  const char *to = ls_render_to_bits (r, source->dtype);
  if (to && from->bits) {      /* the stored value is inside the conversion */
    char *inside = g_strndup (value + strlen ("ls_h2f("), strlen (value) - strlen ("ls_h2f()"));
    g_free (value);
    value = inside;
  } else if (to) {
    char *stored = g_strconcat (to, "(", value, ")", NULL);
    g_free (value);
    value = stored;
  }
  const char *gate = index->n_src > 2 ? ls_render_read (r, index->src[2]) : NULL;
  if (index->n_src > 2 && !gate)
    ls_render_fail (r, u, "has a gate without an expression");
  if (gate) {
    gboolean wrapped = ls_render_info (r, index->src[2])->wrapped;
    ls_render_line (r, depth, u, "if ", wrapped ? "" : "(", gate, wrapped ? "" : ")", " { ", element, " = ", value, "; }", NULL);
  } else
    ls_render_line (r, depth, u, element, " = ", value, ";", NULL);
  info->made = g_strconcat (element, " = ", value, NULL);
  info->why = LS_TEMPLATE ("store");
  info->placed = TRUE;
  r->n_alu += ASK (r, counts_statements);
}

/* What the graphs call it; NULL: the profile numbers loops. A graph that rules have made may have two loops of one name, and one may
 * stand in the other. */
static char *
name_of_loop (LsRender *r, LsUOp *u)
{
  if (!r->names)
    return NULL;
  char *name = ls_name_of_loop (r->names, u);
  for (guint n = 2; g_hash_table_lookup (r->named, name) && g_hash_table_lookup (r->named, name) != u; n++) {
    g_free (name);
    g_autofree char *first = ls_name_of_loop (r->names, u);
    name = g_strdup_printf ("%s_again%u", first, n);
  }
  g_hash_table_insert (r->named, g_strdup (name), u);
  return name;
}

/* A thread's number is a parameter. */
static void
render_thread_index (LsRender *r, LsUOp *u)
{
  LsRenderInfo *info = ls_render_info (r, u);
  if (!ASK (r, thread))
    ls_render_fail (r, u, "is a thread index, which this language does not have");
  char *name = name_of_loop (r, u);
  set_expr (info, name ? name : g_strdup (u->arg.str), "thread number");
  info->assigned = TRUE;
  show (r, 1, u);
}

static void
render_special (LsRender *r, guint depth, LsUOp *u)
{
  LsRenderInfo *info = ls_render_info (r, u);
  if (ls_is_thread_index (u)) {
    render_thread_index (r, u);
    return;
  }
  const char *name = u->arg.kind == LS_ARG_STR ? u->arg.str : "idx0";
  const char *form = name[0] == 'g' ? ASK (r, group_index) : ASK (r, item_index);
  static const char *const letters[] = { "x", "y", "z" };
  guint later = ls_print_dimension (name, r->n, r->list);      /* the last index of a kind is x */
  if (!form || later > 2) {
    ls_render_fail (r, u, "is a work item index, which this language does not have");
    return;
  }
  const char *size = u->n_src ? ls_render_read (r, u->src[0]) : NULL;
  char *called = name_of_loop (r, u);
  GString *made = g_string_new (NULL);
  ls_render_fill (made, form, letters[later], "");
  info->made = g_string_free (made, FALSE);
  if (!called)
    called = g_strdup (name);
  ls_render_line (r, depth, u, ls_render_type (r, u->dtype), " ", called, " = ", info->made, "; /* ", size ? size : "?", " */", NULL);
  set_expr (info, called, "work item index");
  info->assigned = TRUE;
}

static void
render_acc (LsRender *r, guint depth, LsUOp *u)
{
  LsRenderInfo *info = ls_render_info (r, u);
  char *value = u->n_src ? bare_constant (r, u->src[0]) : g_strdup ("0");
  assign (r, depth, u, info, value, "acc", r->n_acc++, LS_TEMPLATE ("accumulator"));
  info->accs = (guint) (info - r->infos) + 1;
}

static const LsProcRow *
row_at (LsRender *r, guint i)
{
  return &g_array_index (r->procedure->rows, LsProcRow, i);
}

static LsUOp *
node_of (LsRender *r, const LsProcRow *row)
{
  return ls_context_node (r->ctx, row->node);
}

/* A PHI whose value reads an accumulator that a PHI before it in the same run has assigned would read the new value: it
 * gets a variable in front of the run. */
static void
save_old_values (LsRender *r, guint first, guint end)
{
  guint depth = row_at (r, first)->depth;
  for (guint i = first + 1; i < end; i++) {
    LsUOp *phi = node_of (r, row_at (r, i));
    if (phi->n_src < 2)
      continue;
    LsUOp *value = phi->src[1];
    LsRenderInfo *info = ls_render_info (r, value), *acc = ls_render_info (r, phi->src[0]);
    if (!info->accs || info->accs == acc->accs)
      continue;
    if (value->op == LS_OP_DEFINE_ACC || value->op == LS_OP_PHI) {
      LsRenderInfo *own = r->row = ls_render_info (r, phi);
      own->made = numbered ("alu", r->n_alu++);
      ls_render_line (r, depth, phi, ls_render_type (r, value->dtype), " ", own->made, " = ", ls_render_read (r, value), ";", NULL);
    } else {
      r->row = info;
      assign (r, depth, value, info, g_strdup (info->expr), "alu", r->n_alu++, "an accumulator that it reads changes before the use");
    }
  }
}

static void
render_phi (LsRender *r, guint depth, LsUOp *u)
{
  LsRenderInfo *info = ls_render_info (r, u), *acc = ls_render_info (r, u->src[0]);
  const char *value = info->made ? info->made : u->n_src > 1 ? ls_render_read (r, u->src[1]) : NULL;
  ls_render_read (r, u->src[0]);
  if (!acc->expr || !value) {
    ls_render_fail (r, u, "has no accumulator or no value");
    return;
  }
  ls_render_line (r, depth, u, acc->expr, " = ", value, ";", NULL);
  if (!info->made)
    info->made = g_strdup (value);
  set_expr (info, g_strdup (acc->expr), LS_TEMPLATE ("accumulator"));
  info->assigned = TRUE;
  info->accs = acc->accs;
}

static void
render_local (LsRender *r, const LsProcRow *row, LsUOp *u)
{
  LsRenderInfo *info = ls_render_info (r, u);
  if (!ASK (r, local_space)) {
    ls_render_fail (r, u, "needs group memory");
    return;
  }
  char size[24];
  ls_render_line (r, row->depth, u, r->dialect->local_space, ls_render_stored (r, u->dtype), " ",
                  ASK (r, local_aligned) ? r->dialect->local_aligned : "", row->buffer, "[",
                  ls_int_text ((gint64) ls_dtype_ptr_size (u->dtype), size), "];", NULL);
  set_expr (info, g_strdup (row->buffer), "group memory");
  info->assigned = TRUE;
}

static void
render_registers (LsRender *r, const LsProcRow *row, LsUOp *u)
{
  LsRenderInfo *info = ls_render_info (r, u);
  char size[24];
  ls_render_line (r, row->depth, u, ls_render_stored (r, u->dtype), " ", row->buffer, "[",
                  ls_int_text ((gint64) ls_dtype_ptr_size (u->dtype), size), "];", NULL);
  set_expr (info, g_strdup (row->buffer), LS_TEMPLATE ("registers"));
  info->assigned = TRUE;
}

static char *
loop_name (LsRender *r, LsUOp *u)
{
  char *name = name_of_loop (r, u);
  if (name)
    return name;
  guint number = r->n_ridx++;
  if (u->arg.kind == LS_ARG_INTS && u->arg.n == 2 && ASK (r, axis_counters))
    number = (guint) u->arg.ints[0] + (u->arg.ints[1] == LS_AXIS_REDUCE ? 1000 : 0);
  return numbered ("ridx", number);
}

static void
open_block (LsRender *r, const LsProcRow *row, LsUOp *u)
{
  LsRenderInfo *info = ls_render_info (r, u);
  info->assigned = TRUE;
  if (row->kind == LS_PROC_LOOP) {
    char *name = loop_name (r, u);
    const char *size = u->n_src ? ls_render_read (r, u->src[0]) : "0";
    set_expr (info, name, "loop counter");
    ls_render_line (r, row->depth, u, "for (", ls_render_type (r, u->dtype), " ", name, " = 0; ", name, " < ", size ? size : "0", "; ",
                    name, "++) {", NULL);
  } else {
    const char *condition = u->n_src ? ls_render_read (r, u->src[0]) : "1";
    info->why = "condition";
    ls_render_line (r, row->depth, u, "if (", condition ? condition : "1", ") {", NULL);
  }
}

static void
close_block (LsRender *r, const LsProcRow *row)
{
  ls_render_line (r, row->depth, NULL, "}", NULL);
  LsRenderedLine end = { r->line, node_of (r, row) };      /* the row closes the block: its node is the one that ends it */
  g_array_append_val (r->lines, end);
  r->n_alu += ASK (r, counts_statements);
}

static void
render_row (LsRender *r, const LsProcRow *row)
{
  LsUOp *u = node_of (r, row);
  r->row = ls_render_info (r, u);
  switch (row->kind) {
  case LS_PROC_CONST: set_expr (ls_render_info (r, u), ls_render_const (r, row->dtype, row->value), LS_TEMPLATE ("constant")); break;
  case LS_PROC_COMPUTE: render_compute (r, row->depth, u); break;
  case LS_PROC_LOAD: render_load (r, row->depth, u); break;
  case LS_PROC_STORE: render_store (r, row->depth, u); break;
  case LS_PROC_LOOP:
  case LS_PROC_IF: open_block (r, row, u); break;
  case LS_PROC_ACCUMULATOR: render_acc (r, row->depth, u); break;
  case LS_PROC_ACCUMULATE: render_phi (r, row->depth, u); break;
  case LS_PROC_SPECIAL: render_special (r, row->depth, u); break;
  case LS_PROC_LOCAL: render_local (r, row, u); break;
  case LS_PROC_REGISTERS: render_registers (r, row, u); break;
  case LS_PROC_BARRIER:
    if (ASK (r, barrier))
      ls_render_line (r, row->depth, u, r->dialect->barrier, NULL);
    else
      ls_render_fail (r, u, "needs work groups");
    break;
  default: break;
  }
  r->row = &r->function;
}

static void
render_body (LsRender *r)
{
  guint n = r->procedure->rows->len, saved = 0;
  g_autoptr (GPtrArray) open = g_ptr_array_new ();      /* rows of the loops and ifs around, innermost last */
  for (guint i = ls_proc_n_args (r->procedure->rows); i <= n; i++) {
    for (guint depth = i < n ? row_at (r, i)->depth : 0; open->len > depth; g_ptr_array_set_size (open, (int) open->len - 1))
      close_block (r, open->pdata[open->len - 1]);
    if (i == n)
      break;
    const LsProcRow *row = row_at (r, i);
    if (row->kind == LS_PROC_ACCUMULATE && i >= saved) {
      for (saved = i + 1; saved < n && row_at (r, saved)->kind == LS_PROC_ACCUMULATE && row_at (r, saved)->depth == row->depth; )
        saved++;
      save_old_values (r, i, saved);
      r->row = &r->function;
    }
    render_row (r, row);
    if (row->kind == LS_PROC_LOOP || row->kind == LS_PROC_IF)
      g_ptr_array_add (open, (gpointer) row);
  }
}

/* --- the function --- */

static void
render_signature (LsRender *r, GString *out)
{
  const LsProcedure *p = r->procedure;
  guint n = ls_proc_n_args (p->rows);
  g_string_append_printf (out, "%s%s(", ASK (r, function), p->name);
  for (guint i = 0; i < n; i++) {
    const LsProcRow *arg = row_at (r, i);
    LsRenderInfo *info = r->row = ls_render_info (r, node_of (r, arg));
    if (arg->kind == LS_PROC_VARIABLE) {
      g_string_append (out, i ? ", " : "");
      g_string_append_printf (out, ASK (r, variable) ? r->dialect->variable : "const %s %s", ls_render_type (r, arg->dtype), arg->buffer);
      set_expr (info, g_strdup (arg->buffer), LS_TEMPLATE ("variable"));
      info->assigned = TRUE;
      continue;
    }
    char *name = ASK (r, sized_names) ? g_strdup_printf ("%s_%" G_GUINT64_FORMAT, arg->buffer, ls_dtype_ptr_size (arg->dtype))
                                      : g_strdup (arg->buffer);
    g_string_append_printf (out, "%s%s%s%s*%s %s", i ? ", " : "", arg->kind == LS_PROC_INPUT ? ASK (r, input) : "", ASK (r, buffer_space),
                            ls_render_stored (r, arg->dtype), ASK (r, restricted), name);
    set_expr (info, name, LS_TEMPLATE ("buffer"));
    info->assigned = TRUE;
  }
  r->row = &r->function;
  if (ASK (r, more_parameters))
    g_string_append_printf (out, "%s%s", n ? ", " : "", r->dialect->more_parameters);
  for (guint i = n; i < p->rows->len; i++) {
    LsUOp *u = node_of (r, row_at (r, i));
    if (!u || !ls_is_thread_index (u) || !ASK (r, thread))
      continue;
    g_autofree char *name = name_of_loop (r, u);
    g_string_append (out, n ? ", " : "");
    g_string_append_printf (out, r->dialect->thread, name ? name : u->arg.str);
  }
  g_string_append (out, ") {\n");
}

/* Closing braces were recorded under their opener's second line: they show the ENDRANGE or ENDIF of the list. */
static void
name_ends (LsRender *r)
{
  LsNodeMap *ends = ls_node_map_acquire (r->ctx), *opened = ls_node_map_acquire (r->ctx);
  for (guint i = 0; i < r->n; i++)
    if ((r->list[i]->op == LS_OP_ENDRANGE || r->list[i]->op == LS_OP_ENDIF) && r->list[i]->n_src)
      ls_node_map_set_node (ends, r->list[i]->src[0], r->list[i]);
  for (guint i = 0; i < r->lines->len; i++) {
    LsRenderedLine *line = &g_array_index (r->lines, LsRenderedLine, i);
    LsUOp *end = ls_node_map_get_node (ends, line->node);
    if (!end)
      continue;
    if (!ls_node_map_has (opened, line->node)) {
      ls_node_map_set (opened, line->node, 1);
      continue;
    }
    line->node = end;
    LsRenderInfo *info = ls_render_info (r, end);
    info->line = line->line;
    info->made = g_strdup ("}");
    info->why = "end of the loop";
    info->placed = TRUE;
  }
  ls_node_map_release (r->ctx, opened);
  ls_node_map_release (r->ctx, ends);
}

static GArray *
collect_exprs (LsRender *r, char **inputs)
{
  char *next = *inputs = g_malloc (r->inputs->len + r->n + 1);
  GArray *exprs = g_array_new (FALSE, FALSE, sizeof (LsRenderedExpr));
  /* names of asked fields: few rows have a set of their own */
  g_autoptr (GHashTable) known = g_hash_table_new (g_int64_hash, g_int64_equal);
  for (guint i = 0; i < r->n; i++) {
    LsRenderInfo *info = &r->infos[i];
    if (!info->why)
      continue;
    if (!info->made && !info->expr)
      continue;
    gboolean named = info->assigned && info->expr;
    const char *asked = g_hash_table_lookup (known, &info->asked);
    if (!asked)
      g_hash_table_insert (known, &info->asked, (gpointer) (asked = ls_render_asked (info->asked)));
    LsRenderedExpr expr = { .node = r->list[i], .row = i, .line = info->line, .assigned = info->assigned || info->placed, .why = info->why,
                            .asked = asked };
    expr.name = named ? g_strdup (info->expr) : NULL;
    if (info->n_inputs) {
      expr.inputs = memcpy (next, r->inputs->str + info->inputs, info->n_inputs);
      next += info->n_inputs;
      *next++ = 0;
    }
    expr.expr = info->made ? g_steal_pointer (&info->made) : g_steal_pointer (&info->expr);
    g_array_append_val (exprs, expr);
  }
  return exprs;
}

static void
expr_clear (gpointer data)
{
  LsRenderedExpr *e = data;
  g_free (e->expr);
  g_free (e->name);
}

static guint
count_newlines (const char *text)
{
  guint n = 0;
  for (; *text; text++)
    n += *text == '\n';
  return n;
}

void
ls_render_begin (LsRender *r, const LsRenderJob *job, GError **error)
{
  *r = (LsRender) { .ctx = job->ctx, .target = job->target, .dialect = job->target->dialects[ls_settings_profile (job->settings)],
                    .settings = job->settings,
                    .procedure = job->procedure, .n = job->n, .list = job->list, .error = error };
  r->row = &r->function;
  r->infos = g_new0 (LsRenderInfo, job->n);
  r->rows = ls_node_map_acquire (job->ctx);
  r->out = g_string_new (NULL);
  r->inputs = g_string_new (NULL);
  r->lines = g_array_new (FALSE, FALSE, sizeof (LsRenderedLine));
  r->stack = g_ptr_array_new ();
  r->needs = g_hash_table_new (g_str_hash, g_str_equal);
  r->named = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (job->settings->LOOP_NAMES)
    r->names = job->names ? job->names : (r->own_names = ls_names_new (job->n, job->list));
  for (guint i = 0; i < job->n; i++)
    ls_node_map_set (r->rows, job->list[i], i);
}

void
ls_render_end (LsRender *r)
{
  for (guint i = 0; i < r->n; i++) {
    g_free (r->infos[i].expr);
    g_free (r->infos[i].made);
  }
  g_string_free (r->inputs, TRUE);
  g_free (r->infos);
  ls_node_map_release (r->ctx, r->rows);
  g_string_free (r->out, TRUE);
  g_clear_pointer (&r->lines, g_array_unref);
  g_ptr_array_unref (r->stack);
  g_hash_table_unref (r->needs);
  g_hash_table_unref (r->named);
  ls_names_unref (r->own_names);
}

static LsRendered *
render (const LsRenderJob *job, GError **error)
{
  guint n = job->n;
  LsRender r;
  ls_render_begin (&r, job, error);
  count_uses (&r);
  render_signature (&r, r.out);
  r.line = 1;
  for (guint i = 0; i < ls_proc_n_args (job->procedure->rows); i++)
    show (&r, 1, node_of (&r, row_at (&r, i)));
  render_body (&r);
  g_string_append (r.out, "}\n");

  LsRendered *rendered = NULL;
  if (!r.failed) {
    GString *source = g_string_new (NULL);
    ls_render_head (&r, source);
    guint before = count_newlines (source->str);
    g_string_append_len (source, r.out->str, r.out->len);
    name_ends (&r);
    for (guint i = 0; i < r.lines->len; i++)
      g_array_index (r.lines, LsRenderedLine, i).line += before;
    for (guint i = 0; i < n; i++)
      r.infos[i].line += r.infos[i].line ? before : 0;
    sort_lines (r.lines);
    rendered = g_new0 (LsRendered, 1);
    rendered->source = g_string_free (source, FALSE);
    rendered->lines = g_steal_pointer (&r.lines);
    rendered->exprs = collect_exprs (&r, &rendered->inputs);
    rendered->departs = r.departs;
    rendered->asked = ls_render_asked (r.function.asked);
    g_array_set_clear_func (rendered->exprs, expr_clear);
  }
  ls_render_end (&r);
  return rendered;
}

/* Functions are inlined, and have no lines of their own: an instruction of theirs belongs to the line that calls them. */
#define QUALIFIER "static inline __attribute__((always_inline)) LS_NO_LINES "
#define NO_LINES "#ifdef __clang__\n#define LS_NO_LINES __attribute__((nodebug))\n#else\n#define LS_NO_LINES\n#endif\n"

static char *
prelude (const LsTarget *target, const LsSettings *settings, const char *source, LsGiven given)
{
  const LsDialect *dialect = target->dialects[ls_settings_profile (settings)];
  const char *names = settings->TRANSCENDENTAL && dialect->own_names ? dialect->own_names : "",
             *prefix = *names ? dialect->math_prefix ? dialect->math_prefix : "" : NULL;
  g_autofree char *functions = given == LS_GIVEN_BY_NOBODY ? g_strdup ("")
                             : ls_functions_for (source, prefix, given == LS_GIVEN_BY_TEXT ? "static inline " : QUALIFIER);
  gboolean guarded = *functions && given == LS_GIVEN_BY_RUNNER;
  return g_strconcat (guarded ? "#ifndef __TINYC__\n" NO_LINES : "", functions, guarded ? "#endif\n" : "",
                      dialect->prelude ? dialect->prelude : "", names, NULL);
}

static gboolean
writes_half (const LsTarget *target, LsProfile profile)
{
  return ((const LsDialect *) target->dialects[profile])->native_half;
}

static gboolean
reorders (const LsTarget *target, LsProfile profile)
{
  return ((const LsDialect *) target->dialects[profile])->flat_chains;
}

const LsRenderer ls_renderer_c_style = { render, prelude, writes_half, reorders, ls_render_describe };
