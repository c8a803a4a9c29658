/* Builtin functions, methods of lists, strings and arrays, attributes, and how arguments meet parameters. */
#include "evaluator-private.h"

#include <math.h>
#include <string.h>

#define MAX_PARAMS 12
#define HANDLER(name) static gboolean name (LsEvaluator *ev, const LsValue *a, LsValue *out)

const char *
ls_builtin_name (const LsBuiltin *builtin)
{
  return builtin->name;
}

const LsBuiltin *
ls_builtin_find (const LsBuiltin *table, const char *name)
{
  for (; table->name; table++)
    if (strcmp (table->name, name) == 0)
      return table;
  return NULL;
}

/* One parameter of "x, axis=None, *rest": its name, and its default or UNSET. Returns where the next begins. */
static const char *
next_param (LsEvaluator *ev, const char *p, const char **name, gsize *n, gboolean *rest, LsValue *value)
{
  *rest = *p == '*';
  if (*rest)
    p++;
  *name = p;
  *n = strcspn (p, "=,");
  p += *n;
  *value = (LsValue) { 0 };
  if (*p == '=') {
    gsize length = strcspn (++p, ",");
    if (*p == '\'')
      *value = ls_value_str_n (&ev->arena, p + 1, length - 2);
    else if (*p == 'N')
      *value = ls_value_none ();
    else if (*p == 'T' || *p == 'F')
      *value = ls_value_bool (*p == 'T');
    else if (memchr (p, '.', length) || memchr (p, 'e', length))
      *value = ls_value_float (g_ascii_strtod (p, NULL));
    else
      *value = ls_value_int (g_ascii_strtoll (p, NULL, 10));
    p += length;
  }
  return *p ? p + 2 : p;
}

static gboolean
no_parameter (LsEvaluator *ev, const LsBuiltin *builtin, const char *keyword)
{
  const char *names[MAX_PARAMS + 1], *name;
  guint n = 0;
  gsize length;
  gboolean rest;
  LsValue value;
  for (const char *p = builtin->params; *p && n < MAX_PARAMS;) {
    p = next_param (ev, p, &name, &length, &rest, &value);
    names[n++] = ls_value_str_n (&ev->arena, name, length).str->text;
  }
  names[n] = NULL;
  const char *closest = ls_closest_name (keyword, names);
  g_autofree char *hint = closest ? g_strdup_printf ("did you mean '%s'?", closest) : NULL;
  return ls_ev_fail (ev, ev->pos, LS_ERROR_PROGRAM, hint, "%s() has no parameter '%s'", builtin->name, keyword);
}

/* Every parameter gets its positional argument, keyword or default. */
static gboolean
bind (LsEvaluator *ev, const LsBuiltin *builtin, const LsValue *self, const LsArguments *args, LsValue *bound, guint *n_bound)
{
  guint given = args->n + (self ? 1 : 0), next = 0, used = 0;
  gboolean after_rest = FALSE;
  *n_bound = 0;
#define POSITIONAL(i) (self ? (i) == 0 ? *self : args->values[(i) - 1] : args->values[i])
  for (const char *p = builtin->params; *p;) {
    const char *name;
    gsize n;
    gboolean rest;
    LsValue value;
    p = next_param (ev, p, &name, &n, &rest, &value);
    if (rest) {
      LsValue tuple = ls_value_list (&ev->arena, LS_VALUE_TUPLE, given > next ? given - next : 0, NULL);
      for (guint i = 0; next < given; i++, next++)
        tuple.list->items[i] = POSITIONAL (next);
      value = tuple;
      after_rest = TRUE;
    } else {
      gboolean filled = FALSE;
      if (!after_rest && next < given) {
        value = POSITIONAL (next);
        next++;
        filled = TRUE;
      }
      for (guint k = 0; k < args->n_keywords; k++) {
        const char *keyword = ls_ev_name (ev, args->names[k]);
        if (strlen (keyword) != n || memcmp (keyword, name, n) != 0)
          continue;
        if (filled)
          return ls_ev_fail_here (ev, "%s() was given '%s' twice", builtin->name, keyword);
        value = args->keyword_values[k];
        filled = TRUE;
        used++;
      }
      if (value.kind == LS_VALUE_UNSET)
        return ls_ev_fail_here (ev, "%s() lacks its argument '%.*s'", builtin->name, (int) n, name);
    }
    g_assert (*n_bound < MAX_PARAMS);
    bound[(*n_bound)++] = value;
  }
  if (next < given)
    return ls_ev_fail_here (ev, "%s() takes %u arguments, not %u", builtin->name, next - (self ? 1 : 0), args->n);
  if (used < args->n_keywords)
    for (guint k = 0; k < args->n_keywords; k++) {
      gboolean known = FALSE;
      for (const char *p = builtin->params, *name; *p && !known;) {
        gsize n;
        gboolean rest;
        LsValue value;
        p = next_param (ev, p, &name, &n, &rest, &value);
        const char *keyword = ls_ev_name (ev, args->names[k]);
        known = !rest && strlen (keyword) == n && memcmp (keyword, name, n) == 0;
      }
      if (!known)
        return no_parameter (ev, builtin, ls_ev_name (ev, args->names[k]));
    }
  return TRUE;
}

gboolean
ls_builtin_call (LsEvaluator *ev, const LsBuiltin *builtin, const LsValue *self, const LsArguments *args, LsValue *out)
{
  LsValue bound[MAX_PARAMS];
  guint n;
  if (!builtin->handler && !builtin->unary && !builtin->binary)
    return ls_ev_fail_here (ev, "Tensor.%s is not supported yet", builtin->name);
  if (!ls_ev_charge (ev, ev->pos, 2) || !bind (ev, builtin, builtin->kind == LS_BUILTIN_STATIC ? NULL : self, args, bound, &n))
    return FALSE;
  if (builtin->handler)
    return builtin->handler (ev, bound, out);
  LsUOp *x;
  LsOperand left, right;
  gboolean reverse;
  if (builtin->unary)
    return ls_take_node (ev, bound[0], &x) && ls_ev_tensor (ev, builtin->unary (ev->tensors, x), out);
  if (!ls_take_operand (ev, bound[0], &left) || !ls_take_operand (ev, bound[1], &right) || !ls_ev_truth (ev, ev->pos, bound[2], &reverse))
    return FALSE;
  return ls_ev_tensor (ev, reverse ? builtin->binary (ev->tensors, right, left) : builtin->binary (ev->tensors, left, right), out);
}

HANDLER (builtin_print)      /* *values, sep, end, flush */
{
  GString *text = ev->session->out;
  gsize before = text->len;
  for (guint i = 0; i < a[0].list->n; i++) {
    if (i > 0)
      ls_value_append_str (text, ev->ctx, a[1].kind == LS_VALUE_NONE ? ls_value_str (&ev->arena, " ") : a[1]);
    ls_value_append_str (text, ev->ctx, a[0].list->items[i]);
  }
  ls_value_append_str (text, ev->ctx, a[2].kind == LS_VALUE_NONE ? ls_value_str (&ev->arena, "\n") : a[2]);
  if (text->len > LS_MAX_TEXT)
    return ls_ev_fail_here (ev, "the program prints too much");
  if (ev->session->on_print)
    ev->session->on_print (ev->session, text->str + before, text->len - before, ev->session->on_kernel_data);
  *out = ls_value_none ();
  return TRUE;
}

HANDLER (builtin_len)
{
  LsWalk walk;
  if (!ls_ev_walk (ev, a[0], &walk))
    return FALSE;
  *out = ls_value_int (walk.n);
  return TRUE;
}

HANDLER (builtin_range)      /* start, stop, step */
{
  gint64 start = 0, stop, step = 1;
  if (!ls_take_integer (ev, a[0], "range()'s argument", a[1].kind == LS_VALUE_NONE ? &stop : &start) ||
      (a[1].kind != LS_VALUE_NONE && !ls_take_integer (ev, a[1], "range()'s end", &stop)) || !ls_take_integer (ev, a[2], "range()'s step", &step))
    return FALSE;
  if (step == 0)
    return ls_ev_fail_here (ev, "range() cannot have the step 0");
  __int128 distance = step > 0 ? (__int128) stop - start : (__int128) start - stop, by = step > 0 ? (__int128) step : -(__int128) step;
  __int128 n = distance <= 0 ? 0 : (distance - 1) / by + 1;
  if (n > G_MAXINT64 / 4)
    return ls_ev_fail_here (ev, "this range is too large");
  LsRangeVal *range = ls_heap_new (&ev->arena, LsRangeVal);
  *range = (LsRangeVal) { start, stop, step, (gint64) n };
  *out = (LsValue) { .kind = LS_VALUE_RANGE, .range = range };
  return TRUE;
}

/* The single element of a tensor, where a number is wanted. */
static gboolean
scalar_of (LsEvaluator *ev, LsValue v, LsValue *out)
{
  *out = v;
  if (v.kind == LS_VALUE_ARRAY)
    *out = v.array->list;
  else if (v.kind == LS_VALUE_TENSOR && !ls_tensor_read (ev, v.tensor, out))
    return FALSE;
  while (out->kind == LS_VALUE_LIST && out->list->n == 1)
    *out = out->list->items[0];
  if (out->kind == LS_VALUE_LIST)
    return ls_ev_fail_here (ev, "a tensor of several elements is no number");
  return TRUE;
}

HANDLER (builtin_float)
{
  LsValue v;
  if (!scalar_of (ev, a[0], &v))
    return FALSE;
  if (v.kind == LS_VALUE_STR) {
    g_autofree char *text = g_strstrip (g_strdup (v.str->text));
    char *end;
    double f = g_ascii_strtod (text, &end);
    if (*text == '\0' || *end || strpbrk (text, "xXpP"))
      return ls_ev_fail_here (ev, "'%.40s' is no number", v.str->text);
    v = ls_value_float (f);
  }
  if (!ls_value_is_number (v))
    return ls_ev_fail_here (ev, "a %s cannot become a float", ls_value_type_name (v));
  *out = ls_value_float (ls_value_number (v));
  return TRUE;
}

HANDLER (builtin_int)
{
  LsValue v;
  if (!scalar_of (ev, a[0], &v))
    return FALSE;
  if (v.kind == LS_VALUE_STR) {
    g_autofree char *text = g_strstrip (g_strdup (v.str->text));
    gint64 i;
    if (!g_ascii_string_to_signed (*text == '+' ? text + 1 : text, 10, G_MININT64, G_MAXINT64, &i, NULL))
      return ls_ev_fail_here (ev, "'%.40s' is no integer", v.str->text);
    v = ls_value_int (i);
  } else if (v.kind == LS_VALUE_FLOAT) {
    if (isnan (v.f) || isinf (v.f))
      return ls_ev_fail_here (ev, "%s cannot become an int", isnan (v.f) ? "nan" : "infinity");
    if (v.f >= 18446744073709551616.0 || v.f <= -9223372036854777856.0)
      return ls_ev_fail_here (ev, "integer out of range");
    v = v.f < 0 ? ls_value_int ((gint64) v.f) : ls_value_uint ((guint64) v.f);
  }
  if (!ls_value_is_integer (v))
    return ls_ev_fail_here (ev, "a %s cannot become an int", ls_value_type_name (v));
  *out = v;
  if (v.kind == LS_VALUE_BOOL)
    out->kind = LS_VALUE_INT;
  return TRUE;
}

HANDLER (builtin_bool)
{
  gboolean truth = FALSE;
  if (!ls_ev_truth (ev, ev->pos, a[0], &truth))
    return FALSE;
  *out = ls_value_bool (truth);
  return TRUE;
}

static gboolean
text_of (LsEvaluator *ev, LsValue v, gboolean repr, LsValue *out)
{
  g_autoptr (GString) text = g_string_new (NULL);
  (repr ? ls_value_append_repr : ls_value_append_str) (text, ev->ctx, v);
  if (!ls_ev_charge (ev, ev->pos, text->len / 64))
    return FALSE;
  *out = ls_value_str_n (&ev->arena, text->str, text->len);
  return TRUE;
}

HANDLER (builtin_str)  { return text_of (ev, a[0], FALSE, out); }
HANDLER (builtin_repr) { return text_of (ev, a[0], TRUE, out); }

static gboolean
sequence_of (LsEvaluator *ev, LsValue v, LsValueKind kind, LsValue *out)
{
  if (v.kind != LS_VALUE_NONE)
    return ls_ev_items (ev, v, kind, out);
  *out = ls_value_list (&ev->arena, kind, 0, NULL);
  return TRUE;
}

HANDLER (builtin_list)  { return sequence_of (ev, a[0], LS_VALUE_LIST, out); }
HANDLER (builtin_tuple) { return sequence_of (ev, a[0], LS_VALUE_TUPLE, out); }

HANDLER (builtin_abs)
{
  if (a[0].kind == LS_VALUE_TENSOR)
    return ls_ev_tensor (ev, ls_tensor_abs (ev->tensors, a[0].tensor->node), out);
  if (a[0].kind == LS_VALUE_FLOAT || a[0].kind == LS_VALUE_UINT) {
    *out = a[0];
    if (a[0].kind == LS_VALUE_FLOAT)
      out->f = fabs (a[0].f);
    return TRUE;
  }
  if (!ls_value_is_integer (a[0]))
    return ls_ev_fail_here (ev, "a %s has no absolute value", ls_value_type_name (a[0]));
  *out = a[0].i < 0 ? ls_value_uint (-(guint64) a[0].i) : ls_value_int (a[0].i);
  return TRUE;
}

static gboolean
extreme (LsEvaluator *ev, LsValue values, LsOperator op, const char *name, LsValue *out)
{
  LsWalk walk;
  LsValue item, better;
  if (values.list->n == 1)
    values = values.list->items[0];
  if (!ls_ev_walk (ev, values, &walk) || !ls_ev_charge (ev, ev->pos, walk.n))
    return FALSE;
  if (walk.n == 0)
    return ls_ev_fail_here (ev, "%s() of nothing", name);
  if (!ls_ev_walk_item (ev, &walk, out))
    return FALSE;
  while (walk.i < walk.n) {
    gboolean holds = FALSE;
    if (!ls_ev_walk_item (ev, &walk, &item) || !ls_ev_compare (ev, op, item, *out, &better) || !ls_ev_truth (ev, ev->pos, better, &holds))
      return FALSE;
    if (holds)
      *out = item;
  }
  return TRUE;
}

HANDLER (builtin_min) { return extreme (ev, a[0], LS_OPERATOR_LT, "min", out); }
HANDLER (builtin_max) { return extreme (ev, a[0], LS_OPERATOR_GT, "max", out); }

HANDLER (builtin_sum)      /* values, start */
{
  LsWalk walk;
  LsValue item;
  if (!ls_ev_walk (ev, a[0], &walk) || !ls_ev_charge (ev, ev->pos, walk.n))
    return FALSE;
  *out = a[1];
  while (walk.i < walk.n)
    if (!ls_ev_walk_item (ev, &walk, &item) || !ls_ev_binary (ev, LS_OPERATOR_ADD, *out, item, out))
      return FALSE;
  return TRUE;
}

HANDLER (builtin_zip)      /* *sequences */
{
  guint n = a[0].list->n;
  LsWalk *walks = ls_heap_array (&ev->arena, LsWalk, n);
  gint64 length = n == 0 ? 0 : G_MAXINT64;
  for (guint i = 0; i < n; i++) {
    if (!ls_ev_walk (ev, a[0].list->items[i], &walks[i]))
      return FALSE;
    length = MIN (length, walks[i].n);
  }
  if (!ls_ev_charge (ev, ev->pos, (guint64) length) || !ls_ev_charge (ev, ev->pos, (guint64) length * n))
    return FALSE;
  *out = ls_value_list (&ev->arena, LS_VALUE_LIST, length, NULL);
  for (gint64 row = 0; row < length; row++) {
    out->list->items[row] = ls_value_list (&ev->arena, LS_VALUE_TUPLE, n, NULL);
    for (guint i = 0; i < n; i++)
      if (!ls_ev_walk_item (ev, &walks[i], &out->list->items[row].list->items[i]))
        return FALSE;
  }
  return TRUE;
}

HANDLER (builtin_enumerate)      /* values, start */
{
  LsWalk walk;
  gint64 start;
  if (!ls_take_integer (ev, a[1], "enumerate()'s start", &start) || !ls_ev_walk (ev, a[0], &walk) || !ls_ev_charge (ev, ev->pos, (guint64) walk.n) ||
      !ls_ev_charge (ev, ev->pos, 2 * (guint64) walk.n))
    return FALSE;
  *out = ls_value_list (&ev->arena, LS_VALUE_LIST, walk.n, NULL);
  for (gint64 i = 0; i < walk.n; i++) {
    LsValue pair[] = { ls_value_int (start + i), ls_value_none () };
    if (!ls_ev_walk_item (ev, &walk, &pair[1]))
      return FALSE;
    out->list->items[i] = ls_value_list (&ev->arena, LS_VALUE_TUPLE, 2, pair);
  }
  return TRUE;
}

const LsBuiltin ls_builtin_functions[] = {
  { "print", "*values, sep=None, end=None, flush=False", LS_BUILTIN_FUNCTION, builtin_print },
  { "len", "x", LS_BUILTIN_FUNCTION, builtin_len },
  { "range", "start, stop=None, step=1", LS_BUILTIN_FUNCTION, builtin_range },
  { "float", "x=0.0", LS_BUILTIN_FUNCTION, builtin_float },
  { "int", "x=0", LS_BUILTIN_FUNCTION, builtin_int },
  { "bool", "x=False", LS_BUILTIN_FUNCTION, builtin_bool },
  { "str", "x=''", LS_BUILTIN_FUNCTION, builtin_str },
  { "repr", "x", LS_BUILTIN_FUNCTION, builtin_repr },
  { "list", "x=None", LS_BUILTIN_FUNCTION, builtin_list },
  { "tuple", "x=None", LS_BUILTIN_FUNCTION, builtin_tuple },
  { "abs", "x", LS_BUILTIN_FUNCTION, builtin_abs },
  { "min", "*values", LS_BUILTIN_FUNCTION, builtin_min },
  { "max", "*values", LS_BUILTIN_FUNCTION, builtin_max },
  { "sum", "values, start=0", LS_BUILTIN_FUNCTION, builtin_sum },
  { "zip", "*sequences", LS_BUILTIN_FUNCTION, builtin_zip },
  { "enumerate", "values, start=0", LS_BUILTIN_FUNCTION, builtin_enumerate },
  { NULL },
};

HANDLER (list_append)
{
  ls_list_append (&ev->arena, a[0].list, a[1]);
  *out = ls_value_none ();
  return TRUE;
}

HANDLER (list_extend)
{
  LsValue items;
  if (!ls_ev_items (ev, a[1], LS_VALUE_LIST, &items))
    return FALSE;
  for (guint i = 0; i < items.list->n; i++)
    ls_list_append (&ev->arena, a[0].list, items.list->items[i]);
  *out = ls_value_none ();
  return TRUE;
}

HANDLER (list_pop)
{
  LsList *list = a[0].list;
  gint64 i;
  if (!ls_take_integer (ev, a[1], "pop()'s index", &i))
    return FALSE;
  i = i < 0 ? i + list->n : i;
  if (i < 0 || i >= list->n)
    return ls_ev_fail_here (ev, "pop() index out of range");
  *out = list->items[i];
  memmove (list->items + i, list->items + i + 1, (list->n - i - 1) * sizeof (LsValue));
  list->n--;
  return TRUE;
}

const LsBuiltin ls_list_methods[] = {
  { "append", "self, x", LS_BUILTIN_METHOD, list_append },
  { "extend", "self, x", LS_BUILTIN_METHOD, list_extend },
  { "pop", "self, i=-1", LS_BUILTIN_METHOD, list_pop },
  { NULL },
};

HANDLER (str_join)
{
  g_autoptr (GString) text = g_string_new (NULL);
  LsWalk walk;
  LsValue item;
  if (!ls_ev_walk (ev, a[1], &walk))
    return FALSE;
  while (walk.i < walk.n) {
    if (walk.i > 0)
      g_string_append_len (text, a[0].str->text, a[0].str->n);
    if (!ls_ev_walk_item (ev, &walk, &item))
      return FALSE;
    if (item.kind != LS_VALUE_STR)
      return ls_ev_fail_here (ev, "join() needs strings, not a %s", ls_value_type_name (item));
    g_string_append_len (text, item.str->text, item.str->n);
    if (!ls_ev_charge (ev, ev->pos, 1 + (item.str->n + a[0].str->n) / 64))
      return FALSE;
  }
  *out = ls_value_str_n (&ev->arena, text->str, text->len);
  return TRUE;
}

const LsBuiltin ls_str_methods[] = {
  { "join", "self, items", LS_BUILTIN_METHOD, str_join },
  { NULL },
};

HANDLER (array_tolist)
{
  *out = a[0].array->list;
  return TRUE;
}

HANDLER (array_item)
{
  return scalar_of (ev, a[0], out);
}

const LsBuiltin ls_array_methods[] = {
  { "tolist", "self", LS_BUILTIN_METHOD, array_tolist },
  { "item", "self", LS_BUILTIN_METHOD, array_item },
  { NULL },
};

#define MATH(name, expression) \
  HANDLER (math_##name) \
  { \
    double x; \
    if (!ls_take_number (ev, a[0], "math." #name "()'s argument", &x)) \
      return FALSE; \
    *out = expression; \
    return TRUE; \
  }
MATH (sqrt, ls_value_float (sqrt (x)))
MATH (exp, ls_value_float (exp (x)))
MATH (log2, ls_value_float (log2 (x)))
MATH (log10, ls_value_float (log10 (x)))
MATH (sin, ls_value_float (sin (x)))
MATH (cos, ls_value_float (cos (x)))
MATH (tan, ls_value_float (tan (x)))
MATH (tanh, ls_value_float (tanh (x)))
MATH (isnan, ls_value_bool (isnan (x)))
MATH (isinf, ls_value_bool (isinf (x)))

HANDLER (math_log)
{
  double x, base = 0;
  if (!ls_take_number (ev, a[0], "math.log()'s argument", &x) || (a[1].kind != LS_VALUE_NONE && !ls_take_number (ev, a[1], "math.log()'s base", &base)))
    return FALSE;
  *out = ls_value_float (a[1].kind == LS_VALUE_NONE ? log (x) : log (x) / log (base));
  return TRUE;
}

static gboolean
whole (LsEvaluator *ev, LsValue v, double (*rounding) (double), LsValue *out)
{
  double x;
  if (!ls_take_number (ev, v, "the argument", &x))
    return FALSE;
  LsValue rounded = ls_value_is_integer (v) ? v : ls_value_float (rounding (x));
  return builtin_int (ev, &rounded, out);
}

HANDLER (math_floor) { return whole (ev, a[0], floor, out); }
HANDLER (math_ceil)  { return whole (ev, a[0], ceil, out); }

HANDLER (math_prod)
{
  LsWalk walk;
  LsValue item;
  if (!ls_ev_walk (ev, a[0], &walk) || !ls_ev_charge (ev, ev->pos, walk.n))
    return FALSE;
  *out = ls_value_int (1);
  while (walk.i < walk.n)
    if (!ls_ev_walk_item (ev, &walk, &item) || !ls_ev_binary (ev, LS_OPERATOR_MUL, *out, item, out))
      return FALSE;
  return TRUE;
}

#define ROW(name) { #name, "x", LS_BUILTIN_FUNCTION, math_##name }
const LsBuiltin ls_math_functions[] = {
  ROW (sqrt), ROW (exp), ROW (log2), ROW (log10), ROW (sin), ROW (cos), ROW (tan), ROW (tanh), ROW (isnan), ROW (isinf), ROW (floor), ROW (ceil),
  ROW (prod), { "log", "x, base=None", LS_BUILTIN_FUNCTION, math_log }, { NULL },
};

static gboolean
no_attribute (LsEvaluator *ev, guint32 pos, const char *owner, const char *name, const LsBuiltin *const *tables, const char *const *more)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (; tables && *tables; tables++)
    for (const LsBuiltin *row = *tables; row->name; row++)
      g_ptr_array_add (names, (char *) row->name);
  for (; more && *more; more++)
    g_ptr_array_add (names, (char *) *more);
  g_ptr_array_add (names, NULL);
  const char *closest = ls_closest_name (name, (const char *const *) names->pdata);
  g_autofree char *hint = closest ? g_strdup_printf ("did you mean '%s'?", closest) : NULL;
  return ls_ev_fail (ev, pos, LS_ERROR_PROGRAM, hint, "%s has no attribute '%s'", owner, name);
}

/* The method of tensors with that name number, found once. */
static const LsBuiltin *
tensor_method (LsEvaluator *ev, guint32 name)
{
  static const LsBuiltin none;
  if (!ev->methods)
    ev->methods = g_ptr_array_new ();
  if (name >= ev->methods->len)
    g_ptr_array_set_size (ev->methods, ev->syntax.names->len);
  const LsBuiltin *builtin = ev->methods->pdata[name];
  for (guint i = 0; !builtin && ls_tensor_method_tables[i]; i++)
    builtin = ls_builtin_find (ls_tensor_method_tables[i], ls_ev_name (ev, name));
  ev->methods->pdata[name] = (gpointer) (builtin ? builtin : &none);
  return builtin == &none ? NULL : builtin;
}

static gboolean
bound_method (LsEvaluator *ev, LsValue self, const LsBuiltin *builtin, LsValue *out)
{
  LsMethodVal *method = ls_heap_new (&ev->arena, LsMethodVal);
  *method = (LsMethodVal) { .self = self, .builtin = builtin };
  *out = (LsValue) { .kind = LS_VALUE_METHOD, .method = method };
  return TRUE;
}

static gboolean
module_attribute (LsEvaluator *ev, LsModule module, guint32 number, guint32 pos, LsValue *out)
{
  static const char *const constants[] = { "pi", "e", "inf", "nan", "tau", NULL };
  static const double values[] = { 3.141592653589793, 2.718281828459045, INFINITY, NAN, 6.283185307179586 };
  static const char *const members[] = { "Tensor", "dtypes", NULL };
  static const char *const dtype_names[] = {
    "bool", "int8", "char", "uint8", "uchar", "int16", "short", "uint16", "ushort", "int32", "int", "uint32", "uint", "int64", "long", "uint64",
    "ulong", "float16", "half", "bfloat16", "float32", "float", "float64", "double", "default_int", "default_float", NULL };
  const char *name = ls_ev_name (ev, number);
  const LsBuiltin *builtin;
  switch (module) {
  case LS_MODULE_TENSOR:
    if ((builtin = tensor_method (ev, number))) {
      *out = (LsValue) { .kind = LS_VALUE_BUILTIN, .builtin = builtin };
      return TRUE;
    }
    return no_attribute (ev, pos, "Tensor", name, ls_tensor_method_tables, NULL);
  case LS_MODULE_DTYPES: {
    for (guint i = 0; dtype_names[i]; i++)
      if (strcmp (dtype_names[i], name) == 0) {
        *out = ls_value_dtype (ls_dtype_from_name (name));
        return TRUE;
      }
    return no_attribute (ev, pos, "dtypes", name, NULL, dtype_names);
  }
  case LS_MODULE_MATH: {
    const LsBuiltin *const tables[] = { ls_math_functions, NULL };
    for (guint i = 0; constants[i]; i++)
      if (strcmp (constants[i], name) == 0) {
        *out = ls_value_float (values[i]);
        return TRUE;
      }
    if ((builtin = ls_builtin_find (ls_math_functions, name))) {
      *out = (LsValue) { .kind = LS_VALUE_BUILTIN, .builtin = builtin };
      return TRUE;
    }
    return no_attribute (ev, pos, "math", name, tables, constants);
  }
  default:
    for (guint i = 0; members[i]; i++)
      if (strcmp (members[i], name) == 0) {
        *out = (LsValue) { .kind = LS_VALUE_MODULE, .module = i == 0 ? LS_MODULE_TENSOR : LS_MODULE_DTYPES };
        return TRUE;
      }
    return no_attribute (ev, pos, "tinygrad", name, NULL, members);
  }
}

static gboolean
array_attribute (LsEvaluator *ev, LsArray *array, const char *name, LsValue *out)
{
  if (strcmp (name, "shape") == 0)
    *out = ls_value_shape (&ev->arena, (LsShape) { array->n_dims, array->dims });
  else if (strcmp (name, "ndim") == 0)
    *out = ls_value_int (array->n_dims);
  else if (strcmp (name, "size") == 0)
    *out = ls_value_int (ls_shape_size ((LsShape) { array->n_dims, array->dims }));
  else
    return FALSE;
  return TRUE;
}

gboolean
ls_ev_attribute (LsEvaluator *ev, LsValue object, guint32 number, guint32 pos, LsValue *out)
{
  static const char *const dtype_members[] = { "name", "itemsize", NULL };
  static const char *const tensor_members[] = { "shape", "dtype", "ndim", "T", "device", "grad", "requires_grad", NULL };
  static const char *const array_members[] = { "shape", "ndim", "size", NULL };
  const char *name = ls_ev_name (ev, number);
  const LsBuiltin *table = NULL, *builtin;
  const char *const *members = NULL;
  gboolean found = FALSE;
  switch ((LsValueKind) object.kind) {
  case LS_VALUE_TENSOR:
    if (!ls_tensor_attribute (ev, object.tensor, name, out, &found) || found)
      return found && !ev->error;
    if ((builtin = tensor_method (ev, number)))
      return bound_method (ev, object, builtin, out);
    return no_attribute (ev, pos, "a Tensor", name, ls_tensor_method_tables, tensor_members);
  case LS_VALUE_MODULE:
    return module_attribute (ev, object.module, number, pos, out);
  case LS_VALUE_DTYPE:
    members = dtype_members;
    if (strcmp (name, "itemsize") == 0 || strcmp (name, "name") == 0) {
      *out = *name == 'i' ? ls_value_int (ls_dtype_itemsize (object.dtype)) : ls_value_str (&ev->arena, ls_dtype_name (object.dtype));
      return TRUE;
    }
    break;
  case LS_VALUE_LIST: table = ls_list_methods; break;
  case LS_VALUE_STR: table = ls_str_methods; break;
  case LS_VALUE_ARRAY:
    if (array_attribute (ev, object.array, name, out))
      return TRUE;
    table = ls_array_methods;
    members = array_members;
    break;
  default: break;
  }
  if (table && (builtin = ls_builtin_find (table, name)))
    return bound_method (ev, object, builtin, out);
  const LsBuiltin *const tables[] = { table, NULL };
  g_autofree char *owner = g_strdup_printf ("a %s", ls_value_type_name (object));
  return no_attribute (ev, pos, owner, name, tables, members);
}
