/* Running a program: statements, names, calls of the program's own functions, and the record of what was executed.
 *
 * The tree is walked by recursion, which parsing has bounded; steps and stack are counted, so that every program ends.
 * Names at the top are slots in one array by name number; in functions they are slots of a frame, found once per place.
 */
#include "program/program.h"
#include "evaluator-private.h"

#include <string.h>
#include <time.h>

typedef enum { FLOW_NEXT, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN, FLOW_ERROR } Flow;

static Flow execute (LsEvaluator *ev, LsAst *node, LsValue *result);

gboolean
ls_ev_fail (LsEvaluator *ev, guint32 pos, LsError code, const char *hint, const char *format, ...)
{
  if (!ev->error) {
    va_list args;
    va_start (args, format);
    g_autofree char *message = g_strdup_vprintf (format, args);
    va_end (args);
    g_autofree char *report = ls_source_report (&ev->source, pos, message, hint);
    ev->error = g_error_new_literal (LS_ERROR, code, report);
    ev->error_pos = pos;
  }
  return FALSE;
}

gboolean
ls_ev_charge (LsEvaluator *ev, guint32 pos, guint64 n)
{
  ev->steps = n > G_MAXUINT64 - ev->steps ? G_MAXUINT64 : ev->steps + n;
  if (ev->steps <= LS_MAX_STEPS)
    return TRUE;
  return ls_ev_fail (ev, pos, LS_ERROR_PROGRAM, NULL, "the program takes too long (more than %d steps)", LS_MAX_STEPS);
}

gboolean
ls_ev_tensor (LsEvaluator *ev, LsUOp *node, LsValue *out)
{
  if (!node) {
    g_autoptr (GError) error = ls_tensors_take_error (ev->tensors);
    return ls_ev_fail (ev, ev->pos, error ? error->code : LS_ERROR_INTERNAL, NULL, "%s", error ? error->message : "a tensor could not be made");
  }
  LsTensor *tensor = ls_heap_new (&ev->arena, LsTensor);
  tensor->node = node;
  *out = (LsValue) { .kind = LS_VALUE_TENSOR, .tensor = tensor };
  return TRUE;
}

const char *
ls_ev_name (LsEvaluator *ev, guint32 name)
{
  return ev->syntax.names->pdata[name];
}

/* Where a name lives, seen from its scope: how many frames up, and which slot. */
static void
resolve (LsAst *node)
{
  guint hops = 0;
  for (LsScope *scope = node->scope; scope->parent; scope = scope->parent) {
    if (scope->transparent || !scope->names)
      continue;
    for (guint i = 0; i < scope->names->len; i++)
      if (g_array_index (scope->names, guint32, i) == node->name) {
        node->slot = i;
        node->hops = hops;
        return;
      }
    hops++;
  }
  node->slot = node->name;
  node->hops = LS_HOPS_GLOBAL;
}

static LsValue *
slot_of (LsEvaluator *ev, LsAst *node)
{
  if (node->hops == LS_HOPS_UNKNOWN)
    resolve (node);
  if (node->hops == LS_HOPS_GLOBAL)
    return &ev->globals[node->slot];
  LsFrame *frame = ev->frame;
  for (guint i = 0; i < node->hops; i++)
    frame = frame->parent;
  return &frame->slots[node->slot];
}

static gboolean
undefined (LsEvaluator *ev, LsAst *node)
{
  const char *name = ls_ev_name (ev, node->name);
  g_autoptr (GPtrArray) known = g_ptr_array_new ();
  for (guint i = 0; i < ev->syntax.names->len; i++)
    if (ev->globals[i].kind != LS_VALUE_UNSET)
      g_ptr_array_add (known, ev->syntax.names->pdata[i]);
  for (LsScope *scope = node->scope; scope; scope = scope->parent)
    for (guint i = 0; scope->names && i < scope->names->len; i++)
      if (g_array_index (scope->names, guint32, i) != node->name)
        g_ptr_array_add (known, ev->syntax.names->pdata[g_array_index (scope->names, guint32, i)]);
  g_ptr_array_add (known, NULL);
  const char *closest = ls_closest_name (name, (const char *const *) known->pdata);
  g_autofree char *hint = closest ? g_strdup_printf ("did you mean '%s'?", closest) : NULL;
  if (g_hash_table_contains (ev->syntax.imported, name))
    hint = (g_free (hint), g_strdup ("imports are ignored; a program has Tensor, dtypes and math"));
  return ls_ev_fail (ev, node->pos, LS_ERROR_PROGRAM, hint, "name '%s' is not defined", name);
}

static gboolean assign (LsEvaluator *ev, LsAst *target, LsValue value);

static gboolean
assign_all (LsEvaluator *ev, LsAst *target, LsValue value)
{
  LsWalk walk;
  ev->pos = target->pos;
  if (!ls_ev_walk (ev, value, &walk))
    return FALSE;
  if (walk.n != target->n)
    return ls_ev_fail (ev, target->pos, LS_ERROR_PROGRAM, NULL, "%" G_GINT64_FORMAT " values cannot be assigned to %u names", walk.n, target->n);
  for (guint i = 0; i < target->n; i++) {
    LsValue item;
    if (!ls_ev_walk_item (ev, &walk, &item) || !assign (ev, target->items[i], item))
      return FALSE;
  }
  return TRUE;
}

static gboolean
assign_item (LsEvaluator *ev, LsAst *target, LsValue value)
{
  LsValue object, index;
  if (!ls_ev_eval (ev, target->a, &object) || !ls_ev_eval (ev, target->b, &index))
    return FALSE;
  if (object.kind == LS_VALUE_TENSOR)
    return ls_ev_fail (ev, target->pos, LS_ERROR_PROGRAM, "build a new tensor with where, pad or cat", "assigning into a tensor is not supported yet");
  if (object.kind != LS_VALUE_LIST || !ls_value_is_integer (index))
    return ls_ev_fail (ev, target->pos, LS_ERROR_PROGRAM, NULL, "items of a %s cannot be assigned", ls_value_type_name (object));
  gint64 i = index.i < 0 ? index.i + object.list->n : index.i;
  if (index.kind == LS_VALUE_UINT || i < 0 || i >= object.list->n)
    return ls_ev_fail (ev, target->pos, LS_ERROR_PROGRAM, NULL, "list index out of range");
  object.list->items[i] = value;
  return TRUE;
}

static gboolean
assign (LsEvaluator *ev, LsAst *target, LsValue value)
{
  switch (target->kind) {
  case LS_AST_NAME:
    *slot_of (ev, target) = value;
    return TRUE;
  case LS_AST_TUPLE: case LS_AST_LIST:
    return assign_all (ev, target, value);
  case LS_AST_INDEX:
    return assign_item (ev, target, value);
  default:
    return ls_ev_fail (ev, target->pos, LS_ERROR_PROGRAM, NULL, "attributes cannot be assigned");
  }
}

gboolean
ls_ev_truth (LsEvaluator *ev, guint32 pos, LsValue v, gboolean *out)
{
  switch ((LsValueKind) v.kind) {
  case LS_VALUE_NONE: *out = FALSE; return TRUE;
  case LS_VALUE_BOOL: case LS_VALUE_INT: case LS_VALUE_UINT: *out = v.i != 0; return TRUE;
  case LS_VALUE_FLOAT: *out = v.f != 0; return TRUE;
  case LS_VALUE_STR: *out = v.str->n > 0; return TRUE;
  case LS_VALUE_LIST: case LS_VALUE_TUPLE: *out = v.list->n > 0; return TRUE;
  case LS_VALUE_RANGE: *out = v.range->n > 0; return TRUE;
  case LS_VALUE_TENSOR: case LS_VALUE_ARRAY:
    return ls_ev_fail (ev, pos, LS_ERROR_PROGRAM, "read its value with .item(), or choose elements with where",
                       "a tensor is not true or false: its values are not known yet");
  default: *out = TRUE; return TRUE;
  }
}

static LsFrame *
new_frame (LsEvaluator *ev, LsScope *scope, LsFrame *parent)
{
  guint n = scope->names ? scope->names->len : 0;
  LsFrame *frame = ls_heap_alloc (&ev->arena, sizeof (LsFrame) + n * sizeof (LsValue));
  frame->parent = parent;
  frame->n = n;
  return frame;
}

static gboolean
make_function (LsEvaluator *ev, LsFunctionSyntax *syntax, LsValue *out)
{
  LsFunction *function = ls_heap_new (&ev->arena, LsFunction);
  *function = (LsFunction) { .name = syntax->name, .syntax = syntax, .closure = ev->frame };
  function->defaults = ls_heap_array (&ev->arena, LsValue, syntax->n_params);
  for (guint i = 0; i < syntax->n_params; i++)
    if (syntax->params[i].value && !ls_ev_eval (ev, syntax->params[i].value, &function->defaults[i]))
      return FALSE;
  *out = (LsValue) { .kind = LS_VALUE_FUNCTION, .function = function };
  return TRUE;
}

static gboolean
call_function (LsEvaluator *ev, guint32 pos, LsFunction *function, const LsArguments *args, LsValue *out)
{
  LsFunctionSyntax *syntax = function->syntax;
  LsFrame *frame = new_frame (ev, syntax->scope, function->closure), *caller = ev->frame;
  guint n_plain = syntax->n_params - (syntax->has_rest ? 1 : 0);
  if (args->n > n_plain && !syntax->has_rest)
    return ls_ev_fail (ev, pos, LS_ERROR_PROGRAM, NULL, "%s() takes %u arguments, not %u", function->name, n_plain, args->n);
  for (guint i = 0; i < MIN (args->n, n_plain); i++)
    frame->slots[i] = args->values[i];
  if (syntax->has_rest)
    frame->slots[n_plain] = ls_value_list (&ev->arena, LS_VALUE_TUPLE, args->n > n_plain ? args->n - n_plain : 0, args->values + n_plain);
  for (guint k = 0; k < args->n_keywords; k++) {
    guint i = 0;
    while (i < n_plain && syntax->params[i].name != args->names[k])
      i++;
    if (i == n_plain)
      return ls_ev_fail (ev, pos, LS_ERROR_PROGRAM, NULL, "%s() has no parameter '%s'", function->name, ls_ev_name (ev, args->names[k]));
    if (frame->slots[i].kind != LS_VALUE_UNSET)
      return ls_ev_fail (ev, pos, LS_ERROR_PROGRAM, NULL, "%s() was given '%s' twice", function->name, ls_ev_name (ev, args->names[k]));
    frame->slots[i] = args->keyword_values[k];
  }
  for (guint i = 0; i < n_plain; i++) {
    if (frame->slots[i].kind == LS_VALUE_UNSET)
      frame->slots[i] = function->defaults[i];
    if (frame->slots[i].kind == LS_VALUE_UNSET)
      return ls_ev_fail (ev, pos, LS_ERROR_PROGRAM, NULL, "%s() lacks its argument '%s'", function->name, ls_ev_name (ev, syntax->params[i].name));
  }
  gboolean ok;
  ev->frame = frame;
  *out = ls_value_none ();
  ok = syntax->is_lambda ? ls_ev_eval (ev, syntax->body, out) : execute (ev, syntax->body, out) != FLOW_ERROR;
  ev->frame = caller;
  return ok;
}

gboolean
ls_ev_call (LsEvaluator *ev, guint32 pos, LsValue function, const LsArguments *args, LsValue *out)
{
  ev->pos = pos;
  if (ev->session->recording && function.kind != LS_VALUE_FUNCTION) {
    guint line, column;
    ls_source_place (&ev->source, pos, &line, &column);
    ls_tensors_set_place (ev->tensors, ev->statement, line, column);
  }
  switch ((LsValueKind) function.kind) {
  case LS_VALUE_FUNCTION:
    return call_function (ev, pos, function.function, args, out);
  case LS_VALUE_BUILTIN:
    return ls_builtin_call (ev, function.builtin, NULL, args, out);
  case LS_VALUE_METHOD:
    return ls_builtin_call (ev, function.method->builtin, &function.method->self, args, out);
  case LS_VALUE_MODULE:
    if (function.module == LS_MODULE_TENSOR)
      return ls_tensor_construct (ev, args, out);
    return ls_ev_fail (ev, pos, LS_ERROR_PROGRAM, NULL, "a module cannot be called");
  default:
    return ls_ev_fail (ev, pos, LS_ERROR_PROGRAM, NULL, "a %s cannot be called", ls_value_type_name (function));
  }
}

static gboolean
eval_call (LsEvaluator *ev, LsAst *node, LsValue *out)
{
  LsValue function, few[8], few_keywords[8], *values = few, *keyword_values = few_keywords;
  guint32 few_names[8], *names = few_names;
  LsArguments args = { 0 };
  if (!ls_ev_eval (ev, node->a, &function))
    return FALSE;
  gboolean spread = FALSE;
  for (guint i = 0; i < node->n; i++)
    spread = spread || node->items[i]->kind == LS_AST_STAR;
  if (node->n > G_N_ELEMENTS (few)) {
    values = ls_heap_array (&ev->arena, LsValue, node->n);
    keyword_values = ls_heap_array (&ev->arena, LsValue, node->n);
    names = ls_heap_array (&ev->arena, guint32, node->n);
  }
  LsValue all = spread ? ls_value_list (&ev->arena, LS_VALUE_LIST, 0, NULL) : ls_value_none ();
  for (guint i = 0; i < node->n; i++) {
    LsAst *item = node->items[i];
    LsValue value;
    if (!ls_ev_eval (ev, item->kind == LS_AST_STAR || item->kind == LS_AST_KEYWORD ? item->a : item, &value))
      return FALSE;
    if (item->kind == LS_AST_KEYWORD) {
      names[args.n_keywords] = item->name;
      keyword_values[args.n_keywords++] = value;
    } else if (item->kind == LS_AST_STAR) {
      LsWalk walk;
      ev->pos = item->pos;
      if (!ls_ev_walk (ev, value, &walk) || !ls_ev_charge (ev, item->pos, walk.n))
        return FALSE;
      while (walk.i < walk.n) {
        LsValue element;
        if (!ls_ev_walk_item (ev, &walk, &element))
          return FALSE;
        ls_list_append (&ev->arena, all.list, element);
      }
    } else if (spread) {
      ls_list_append (&ev->arena, all.list, value);
    } else {
      values[args.n++] = value;
    }
  }
  if (spread) {
    args.n = all.list->n;
    values = all.list->items;
  }
  args.values = values;
  args.names = names;
  args.keyword_values = keyword_values;
  return ls_ev_call (ev, node->pos, function, &args, out);
}

/* One clause of a comprehension and those after it. */
static gboolean
run_clauses (LsEvaluator *ev, LsAst *node, guint i, LsFrame *outer, LsList *list)
{
  LsValue value;
  if (i == node->n) {
    if (!ls_ev_eval (ev, node->a, &value))
      return FALSE;
    ls_list_append (&ev->arena, list, value);
    return TRUE;
  }
  LsAst *clause = node->items[i];
  if (clause->kind == LS_AST_IF) {
    gboolean holds;
    return ls_ev_eval (ev, clause->a, &value) && ls_ev_truth (ev, clause->pos, value, &holds) && (!holds || run_clauses (ev, node, i + 1, outer, list));
  }
  LsWalk walk;
  LsFrame *inner = ev->frame;
  if (clause->op)      /* the first iterable is evaluated outside */
    ev->frame = outer;
  gboolean ok = ls_ev_eval (ev, clause->b, &value);
  ev->frame = inner;
  ev->pos = clause->b->pos;
  if (!ok || !ls_ev_walk (ev, value, &walk))
    return FALSE;
  while (walk.i < walk.n) {
    if (!ls_ev_charge (ev, clause->pos, 1) || !ls_ev_walk_item (ev, &walk, &value) || !assign (ev, clause->a, value) ||
        !run_clauses (ev, node, i + 1, outer, list))
      return FALSE;
  }
  return TRUE;
}

static gboolean
eval_comprehension (LsEvaluator *ev, LsAst *node, LsValue *out)
{
  LsFrame *outer = ev->frame;
  *out = ls_value_list (&ev->arena, LS_VALUE_LIST, 0, NULL);
  ev->frame = new_frame (ev, node->scope, outer);
  gboolean ok = run_clauses (ev, node, 0, outer, out->list);
  ev->frame = outer;
  return ok;
}

static gboolean
eval_format (LsEvaluator *ev, LsAst *node, LsValue *out)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < node->n; i++) {
    LsAst *item = node->items[i];
    LsValue value, spec = { 0 };
    const char *message = NULL;
    if (item->kind == LS_AST_CONST) {
      ls_value_append_str (text, ev->ctx, item->value);
      continue;
    }
    if (!ls_ev_eval (ev, item->a, &value) || (item->b && !ls_ev_eval (ev, item->b, &spec)))
      return FALSE;
    if (item->op == 'r' || item->op == 'a') {
      g_autoptr (GString) repr = g_string_new (NULL);
      ls_value_append_repr (repr, ev->ctx, value);
      value = ls_value_str_n (&ev->arena, repr->str, repr->len);
    }
    if (!ls_value_append_format (text, ev->ctx, value, item->b ? spec.str->text : "", &message))
      return ls_ev_fail (ev, item->b ? item->b->pos : item->pos, LS_ERROR_PROGRAM, NULL, "%s", message);
    if (text->len > LS_MAX_TEXT)
      return ls_ev_fail (ev, item->pos, LS_ERROR_PROGRAM, NULL, "this text is too long");
  }
  if (!ls_ev_charge (ev, node->pos, text->len / 64))
    return FALSE;
  *out = ls_value_str_n (&ev->arena, text->str, text->len);
  return TRUE;
}

static gboolean
eval_items (LsEvaluator *ev, LsAst *node, LsValue *out)
{
  *out = ls_value_list (&ev->arena, node->kind == LS_AST_LIST ? LS_VALUE_LIST : LS_VALUE_TUPLE, node->n, NULL);
  LsList *list = out->list;
  gboolean spread = FALSE;
  for (guint i = 0; i < node->n; i++)
    spread = spread || node->items[i]->kind == LS_AST_STAR;
  if (!spread) {
    for (guint i = 0; i < node->n; i++)
      if (!ls_ev_eval (ev, node->items[i], &list->items[i]))
        return FALSE;
    return TRUE;
  }
  list->n = 0;
  for (guint i = 0; i < node->n; i++) {
    LsAst *item = node->items[i];
    LsValue value;
    LsWalk walk;
    if (!ls_ev_eval (ev, item->kind == LS_AST_STAR ? item->a : item, &value))
      return FALSE;
    if (item->kind != LS_AST_STAR) {
      ls_list_append (&ev->arena, list, value);
      continue;
    }
    ev->pos = item->pos;
    if (!ls_ev_walk (ev, value, &walk) || !ls_ev_charge (ev, item->pos, walk.n))
      return FALSE;
    while (walk.i < walk.n) {
      if (!ls_ev_walk_item (ev, &walk, &value))
        return FALSE;
      ls_list_append (&ev->arena, list, value);
    }
  }
  return TRUE;
}

static gboolean
eval_slice (LsEvaluator *ev, LsAst *node, LsValue *out)
{
  LsSliceVal *slice = ls_heap_new (&ev->arena, LsSliceVal);
  LsAst *parts[] = { node->a, node->b, node->c };
  LsValue *values[] = { &slice->start, &slice->stop, &slice->step };
  for (guint i = 0; i < 3; i++) {
    *values[i] = ls_value_none ();
    if (parts[i] && !ls_ev_eval (ev, parts[i], values[i]))
      return FALSE;
  }
  *out = (LsValue) { .kind = LS_VALUE_SLICE, .slice = slice };
  return TRUE;
}

/* a < b < c: each middle operand is evaluated once. */
static gboolean
eval_compare (LsEvaluator *ev, LsAst *node, LsValue *out)
{
  LsValue left, right;
  if (!ls_ev_eval (ev, node->a, &left))
    return FALSE;
  for (; node; node = node->c) {
    gboolean holds;
    if (!ls_ev_eval (ev, node->b, &right))
      return FALSE;
    ev->pos = node->pos;
    if (!ls_ev_compare (ev, node->op, left, right, out))
      return FALSE;
    if (!node->c)
      return TRUE;
    if (!ls_ev_truth (ev, node->pos, *out, &holds))
      return FALSE;
    if (!holds)
      return TRUE;
    left = right;
  }
  return TRUE;
}

/* The place of an operator, for the calls that it makes. */
static void
set_place (LsEvaluator *ev, guint32 pos)
{
  ev->pos = pos;
  if (ev->session->recording) {
    guint line, column;
    ls_source_place (&ev->source, pos, &line, &column);
    ls_tensors_set_place (ev->tensors, ev->statement, line, column);
  }
}

static gboolean
eval_node (LsEvaluator *ev, LsAst *node, LsValue *out)
{
  LsValue a, b;
  gboolean holds;
  switch (node->kind) {
  case LS_AST_CONST:
    *out = node->value;
    return TRUE;
  case LS_AST_NAME:
    *out = *slot_of (ev, node);
    return out->kind != LS_VALUE_UNSET || undefined (ev, node);
  case LS_AST_LIST: case LS_AST_TUPLE:
    return eval_items (ev, node, out);
  case LS_AST_ATTRIBUTE:
    if (!ls_ev_eval (ev, node->a, &a))
      return FALSE;
    set_place (ev, node->pos);
    return ls_ev_attribute (ev, a, node->name, node->pos, out);
  case LS_AST_INDEX:
    if (!ls_ev_eval (ev, node->a, &a) || !ls_ev_eval (ev, node->b, &b))
      return FALSE;
    set_place (ev, node->pos);
    return ls_ev_index_value (ev, a, b, out);
  case LS_AST_SLICE:
    return eval_slice (ev, node, out);
  case LS_AST_CALL:
    return eval_call (ev, node, out);
  case LS_AST_BINARY:
    if (!ls_ev_eval (ev, node->a, &a) || !ls_ev_eval (ev, node->b, &b))
      return FALSE;
    set_place (ev, node->pos);
    return ls_ev_binary (ev, node->op, a, b, out);
  case LS_AST_UNARY:
    if (!ls_ev_eval (ev, node->a, &a))
      return FALSE;
    set_place (ev, node->pos);
    return ls_ev_unary (ev, node->op, a, out);
  case LS_AST_COMPARE:
    set_place (ev, node->pos);
    return eval_compare (ev, node, out);
  case LS_AST_AND: case LS_AST_OR:
    if (!ls_ev_eval (ev, node->a, out) || !ls_ev_truth (ev, node->pos, *out, &holds))
      return FALSE;
    return holds == (node->kind == LS_AST_OR) || ls_ev_eval (ev, node->b, out);
  case LS_AST_NOT:
    if (!ls_ev_eval (ev, node->a, &a) || !ls_ev_truth (ev, node->pos, a, &holds))
      return FALSE;
    *out = ls_value_bool (!holds);
    return TRUE;
  case LS_AST_CONDITIONAL:
    if (!ls_ev_eval (ev, node->b, &b) || !ls_ev_truth (ev, node->pos, b, &holds))
      return FALSE;
    return ls_ev_eval (ev, holds ? node->a : node->c, out);
  case LS_AST_LAMBDA:
    return make_function (ev, node->function, out);
  case LS_AST_COMPREHENSION:
    return eval_comprehension (ev, node, out);
  case LS_AST_FORMAT:
    return eval_format (ev, node, out);
  default:
    return ls_ev_fail (ev, node->pos, LS_ERROR_SYNTAX, NULL, "this is no expression");
  }
}

gboolean
ls_ev_eval (LsEvaluator *ev, LsAst *node, LsValue *out)
{
  if (++ev->steps > LS_MAX_STEPS)
    return ls_ev_charge (ev, node->pos, 0);
  if (node->kind == LS_AST_CONST) {
    *out = node->value;
    return TRUE;
  }
  if (ev->stack >= LS_MAX_STACK)
    return ls_ev_fail (ev, node->pos, LS_ERROR_PROGRAM, NULL, "calls are nested too deeply");
  ev->stack++;
  gboolean ok = eval_node (ev, node, out);
  ev->stack--;
  return ok;
}

static Flow
execute_for (LsEvaluator *ev, LsAst *node, LsValue *result)
{
  LsValue value;
  LsWalk walk;
  if (!ls_ev_eval (ev, node->b, &value))
    return FLOW_ERROR;
  ev->pos = node->b->pos;
  if (!ls_ev_walk (ev, value, &walk))
    return FLOW_ERROR;
  while (walk.i < walk.n) {
    ev->pos = node->b->pos;
    if (!ls_ev_charge (ev, node->pos, 1) || !ls_ev_walk_item (ev, &walk, &value) || !assign (ev, node->a, value))
      return FLOW_ERROR;
    Flow flow = execute (ev, node->c, result);
    if (flow == FLOW_BREAK)
      break;
    if (flow == FLOW_RETURN || flow == FLOW_ERROR)
      return flow;
  }
  return FLOW_NEXT;
}

static Flow
execute_augmented (LsEvaluator *ev, LsAst *node)
{
  LsValue a, b, value;
  if (!ls_ev_eval (ev, node->a, &a) || !ls_ev_eval (ev, node->b, &b))
    return FLOW_ERROR;
  set_place (ev, node->pos);
  if (a.kind == LS_VALUE_LIST && node->op == LS_OPERATOR_ADD) {      /* grows the list itself */
    LsWalk walk;
    if (!ls_ev_walk (ev, b, &walk) || !ls_ev_charge (ev, node->pos, walk.n))
      return FLOW_ERROR;
    while (walk.i < walk.n) {
      if (!ls_ev_walk_item (ev, &walk, &value))
        return FLOW_ERROR;
      ls_list_append (&ev->arena, a.list, value);
    }
    return FLOW_NEXT;
  }
  return ls_ev_binary (ev, node->op, a, b, &value) && assign (ev, node->a, value) ? FLOW_NEXT : FLOW_ERROR;
}

static Flow
execute_node (LsEvaluator *ev, LsAst *node, LsValue *result)
{
  LsValue value;
  gboolean holds;
  switch (node->kind) {
  case LS_AST_EXPRESSION:
    return ls_ev_eval (ev, node->a, &value) ? FLOW_NEXT : FLOW_ERROR;
  case LS_AST_ASSIGN:
    if (!ls_ev_eval (ev, node->a, &value))
      return FLOW_ERROR;
    for (guint i = 0; i < node->n; i++)
      if (!assign (ev, node->items[i], value))
        return FLOW_ERROR;
    return FLOW_NEXT;
  case LS_AST_AUGMENTED:
    return execute_augmented (ev, node);
  case LS_AST_FOR:
    return execute_for (ev, node, result);
  case LS_AST_IF:
    if (!ls_ev_eval (ev, node->a, &value) || !ls_ev_truth (ev, node->a->pos, value, &holds))
      return FLOW_ERROR;
    return holds ? execute (ev, node->b, result) : node->c ? execute (ev, node->c, result) : FLOW_NEXT;
  case LS_AST_DEF:
    return make_function (ev, node->function, &value) && assign (ev, node->items[0], value) ? FLOW_NEXT : FLOW_ERROR;
  case LS_AST_RETURN:
    *result = ls_value_none ();
    return !node->a || ls_ev_eval (ev, node->a, result) ? FLOW_RETURN : FLOW_ERROR;
  case LS_AST_BLOCK:
    for (guint i = 0; i < node->n; i++) {
      Flow flow = execute (ev, node->items[i], result);
      if (flow != FLOW_NEXT)
        return flow;
    }
    return FLOW_NEXT;
  case LS_AST_BREAK:
    return FLOW_BREAK;
  case LS_AST_CONTINUE:
    return FLOW_CONTINUE;
  case LS_AST_PASS:
    return FLOW_NEXT;
  default:
    ls_ev_fail (ev, node->pos, LS_ERROR_INTERNAL, NULL, "this is no statement");
    return FLOW_ERROR;
  }
}

static Flow
execute (LsEvaluator *ev, LsAst *node, LsValue *result)
{
  if (!ls_ev_charge (ev, node->pos, 1))
    return FLOW_ERROR;
  if (ev->stack >= LS_MAX_STACK) {
    ls_ev_fail (ev, node->pos, LS_ERROR_PROGRAM, NULL, "calls are nested too deeply");
    return FLOW_ERROR;
  }
  ev->stack++;
  Flow flow = execute_node (ev, node, result);
  ev->stack--;
  return flow;
}

static guint64
now_ns (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (guint64) t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The names that every program starts with. */
static void
bind_builtins (LsEvaluator *ev)
{
  static const struct { const char *name; LsModule module; } modules[] = {
    { "Tensor", LS_MODULE_TENSOR }, { "dtypes", LS_MODULE_DTYPES }, { "math", LS_MODULE_MATH }, { "tinygrad", LS_MODULE_TINYGRAD },
  };
  guint n = 0;
  for (guint i = 0; i < G_N_ELEMENTS (modules); i++)
    ls_syntax_name (&ev->syntax, modules[i].name, strlen (modules[i].name));
  for (; ls_builtin_functions[n].name; n++)
    ls_syntax_name (&ev->syntax, ls_builtin_functions[n].name, strlen (ls_builtin_functions[n].name));
  guint32 main_name = ls_syntax_name (&ev->syntax, "__name__", 8);
  ev->globals = g_new0 (LsValue, ev->syntax.names->len);
  for (guint i = 0; i < G_N_ELEMENTS (modules); i++)
    ev->globals[ls_syntax_name (&ev->syntax, modules[i].name, strlen (modules[i].name))] = (LsValue) { .kind = LS_VALUE_MODULE, .module = modules[i].module };
  for (guint i = 0; i < n; i++) {
    const LsBuiltin *builtin = &ls_builtin_functions[i];
    ev->globals[ls_syntax_name (&ev->syntax, builtin->name, strlen (builtin->name))] = (LsValue) { .kind = LS_VALUE_BUILTIN, .builtin = builtin };
  }
  ev->globals[main_name] = ls_value_str (&ev->arena, "__main__");
}

static void
run_statements (LsEvaluator *ev)
{
  LsTrace *trace = ev->session->trace;
  gboolean recording = ev->session->recording;
  guint64 before = recording ? now_ns () : 0;
  for (guint i = 0; i < ev->syntax.statements->len; i++) {
    LsTopStatement *top = &g_array_index (ev->syntax.statements, LsTopStatement, i);
    LsValue result;
    if (recording) {
      guint line, end_line, column;
      ls_source_place (&ev->source, top->start, &line, &column);
      ls_source_place (&ev->source, top->end, &end_line, &column);
      g_autofree char *text = g_strndup (ev->source.text + top->start, top->end - top->start);
      LsStatement statement = { .line = line, .end_line = end_line, .text = ls_trace_string (trace, text) };
      ev->statement = trace->statements->len;
      g_array_append_val (trace->statements, statement);
    }
    Flow flow = execute (ev, top->node, &result);
    if (recording) {
      guint64 after = now_ns ();
      g_array_index (trace->statements, LsStatement, ev->statement).ns = after - before;
      before = after;
    }
    if (flow == FLOW_ERROR)
      return;
  }
}

static void
keep_string (char **field, const char *text)
{
  if (*field != text) {
    g_free (*field);
    *field = g_strdup (text);
  }
}

gboolean
ls_session_run_program (LsSession *session, const char *text, const char *filename, GError **error)
{
  g_return_val_if_fail (session != NULL && text != NULL, FALSE);
  LsTrace *trace = session->trace;
  LsEvaluator ev = { .session = session, .ctx = session->ctx };
  guint64 start = now_ns ();
  if (!filename)
    filename = "program";
  ls_source_init (&ev.source, text, strlen (text), filename);
  ls_syntax_init (&ev.syntax);
  ls_heap_init (&ev.arena);
  ev.tensors = ls_tensors_new (ls_session_tensor_host (session));
  keep_string (&trace->program_name, filename);
  keep_string (&trace->program_text, text);
  if (ls_syntax_parse (&ev.syntax, &ev.source, &ev.error_pos, &ev.error)) {
    bind_builtins (&ev);
    run_statements (&ev);
  }
  LsStageTime time = { .stage = ls_trace_string (trace, "program"), .kernel = 0, .ns = now_ns () - start - ev.realize_ns };
  g_array_append_val (trace->stage_times, time);
  keep_string (&trace->std_out, session->out->str);
  gboolean ok = ev.error == NULL;
  if (!ok) {
    keep_string (&trace->error, ev.error->message);
    ls_source_place (&ev.source, ev.error_pos, &trace->error_line, &trace->error_column);
    g_propagate_error (error, g_steal_pointer (&ev.error));
  }
  g_clear_pointer (&ev.methods, g_ptr_array_unref);
  g_free (ev.globals);
  ls_tensors_free (ev.tensors);
  ls_heap_clear (&ev.arena);
  ls_syntax_clear (&ev.syntax);
  ls_source_clear (&ev.source);
  return ok;
}
