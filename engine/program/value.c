/* Making values and printing them as Python does. */
#include "value.h"

#include "ast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK (64 * 1024)

void
ls_heap_init (LsHeap *arena)
{
  *arena = (LsHeap) { .blocks = g_ptr_array_new_with_free_func (g_free) };
}

void
ls_heap_clear (LsHeap *arena)
{
  g_clear_pointer (&arena->blocks, g_ptr_array_unref);
}

void *
ls_heap_alloc (LsHeap *arena, gsize size)
{
  size = (size + 15) & ~(gsize) 15;
  if (size > arena->left) {
    if (size > BLOCK / 4) {
      void *large = g_malloc0 (size);
      g_ptr_array_add (arena->blocks, large);
      return large;
    }
    arena->free = g_malloc0 (BLOCK);
    arena->left = BLOCK;
    g_ptr_array_add (arena->blocks, arena->free);
  }
  void *memory = arena->free;
  arena->free += size;
  arena->left -= size;
  return memory;
}

LsValue
ls_value_str_n (LsHeap *arena, const char *text, gsize n)
{
  LsStr *str = ls_heap_alloc (arena, sizeof (LsStr) + n + 1);
  str->n = n;
  memcpy (str->text, text, n);
  return (LsValue) { .kind = LS_VALUE_STR, .str = str };
}

LsValue
ls_value_str (LsHeap *arena, const char *text)
{
  return ls_value_str_n (arena, text, strlen (text));
}

LsValue
ls_value_list (LsHeap *arena, LsValueKind kind, guint n, const LsValue *items)
{
  LsList *list = ls_heap_new (arena, LsList);
  list->n = list->capacity = n;
  list->items = ls_heap_array (arena, LsValue, n);
  if (items && n > 0)
    memcpy (list->items, items, n * sizeof (LsValue));
  return (LsValue) { .kind = kind, .list = list };
}

void
ls_list_append (LsHeap *arena, LsList *list, LsValue item)
{
  if (list->n == list->capacity) {
    guint capacity = list->capacity ? 2 * list->capacity : 4;
    LsValue *items = ls_heap_array (arena, LsValue, capacity);
    if (list->n > 0)
      memcpy (items, list->items, list->n * sizeof (LsValue));
    list->items = items;
    list->capacity = capacity;
  }
  list->items[list->n++] = item;
}

LsValue
ls_value_shape (LsHeap *arena, LsShape shape)
{
  LsValue tuple = ls_value_list (arena, LS_VALUE_TUPLE, shape.n, NULL);
  for (guint i = 0; i < shape.n; i++)
    tuple.list->items[i] = ls_value_int (shape.dims[i]);
  return tuple;
}

double
ls_value_number (LsValue v)
{
  switch ((LsValueKind) v.kind) {
  case LS_VALUE_BOOL: case LS_VALUE_INT: return (double) v.i;
  case LS_VALUE_UINT: return (double) v.u;
  case LS_VALUE_FLOAT: return v.f;
  default: return NAN;
  }
}

const char *
ls_value_type_name (LsValue v)
{
  switch ((LsValueKind) v.kind) {
  case LS_VALUE_UNSET: return "unset";
  case LS_VALUE_NONE: return "None";
  case LS_VALUE_BOOL: return "bool";
  case LS_VALUE_INT: case LS_VALUE_UINT: return "int";
  case LS_VALUE_FLOAT: return "float";
  case LS_VALUE_STR: return "str";
  case LS_VALUE_LIST: return "list";
  case LS_VALUE_TUPLE: return "tuple";
  case LS_VALUE_RANGE: return "range";
  case LS_VALUE_SLICE: return "slice";
  case LS_VALUE_ELLIPSIS: return "ellipsis";
  case LS_VALUE_TENSOR: return "Tensor";
  case LS_VALUE_ARRAY: return "ndarray";
  case LS_VALUE_DTYPE: return "DType";
  case LS_VALUE_FUNCTION: case LS_VALUE_BUILTIN: case LS_VALUE_METHOD: return "function";
  case LS_VALUE_MODULE: return v.module == LS_MODULE_TENSOR ? "type" : "module";
  }
  return "?";
}

/* 15 digits are enough when they read back; a decimal of at most 15 digits survives the way through a double, so that
 * what is left after trailing zeros is the shortest. Else 16 or 17 are needed. (Numbers below the normal ones have fewer.) */
void
ls_append_float (GString *out, double f)
{
  char text[64];
  if (isnan (f) || isinf (f)) {
    g_string_append (out, isnan (f) ? "nan" : f < 0 ? "-inf" : "inf");
    return;
  }
  for (int digits = fabs (f) < 2.3e-308 ? 1 : 15; digits <= 17; digits++) {
    char format[8];
    g_snprintf (format, sizeof format, "%%.%de", digits - 1);
    g_ascii_formatd (text, sizeof text, format, f);
    if (g_ascii_strtod (text, NULL) == f)
      break;
  }
  char digits[32], *e = strchr (text, 'e'), *p = text;
  int exponent = atoi (e + 1), n = 0;
  if (*p == '-') {
    g_string_append_c (out, '-');
    p++;
  }
  for (; p < e; p++)
    if (*p != '.')
      digits[n++] = *p;
  while (n > 1 && digits[n - 1] == '0')
    n--;
  if (exponent < -4 || exponent >= 16) {
    g_string_append_c (out, digits[0]);
    if (n > 1) {
      g_string_append_c (out, '.');
      g_string_append_len (out, digits + 1, n - 1);
    }
    g_string_append_printf (out, "e%c%02d", exponent < 0 ? '-' : '+', abs (exponent));
  } else if (exponent < 0) {
    g_string_append (out, "0.");
    for (int i = -1; i > exponent; i--)
      g_string_append_c (out, '0');
    g_string_append_len (out, digits, n);
  } else {
    for (int i = 0; i <= exponent; i++)
      g_string_append_c (out, i < n ? digits[i] : '0');
    g_string_append_c (out, '.');
    if (n > exponent + 1)
      g_string_append_len (out, digits + exponent + 1, n - exponent - 1);
    else
      g_string_append_c (out, '0');
  }
}

static void
append_quoted (GString *out, const LsStr *str)
{
  char quote = memchr (str->text, '\'', str->n) && !memchr (str->text, '"', str->n) ? '"' : '\'';
  g_string_append_c (out, quote);
  for (gsize i = 0; i < str->n; i++) {
    guchar c = str->text[i];
    switch (c) {
    case '\n': g_string_append (out, "\\n"); break;
    case '\t': g_string_append (out, "\\t"); break;
    case '\r': g_string_append (out, "\\r"); break;
    case '\\': g_string_append (out, "\\\\"); break;
    default:
      if (c == quote)
        g_string_append_printf (out, "\\%c", c);
      else if (c < 0x20 || c == 0x7f)
        g_string_append_printf (out, "\\x%02x", c);
      else
        g_string_append_c (out, c);
    }
  }
  g_string_append_c (out, quote);
}

static void
append_tensor (GString *out, LsContext *ctx, LsTensor *tensor)
{
  g_autofree char *shape = ls_shape_to_string (ls_uop_shape (ctx, tensor->node));
  g_string_append_printf (out, "<Tensor <UOp CPU %s %s> on CPU with grad None>", shape, ls_dtype_name (tensor->node->dtype));
}

/* Lists nest as deeply as a program makes them; the depth is bounded so that printing cannot run out of stack. */
static void
append (GString *out, LsContext *ctx, LsValue v, gboolean repr, guint depth)
{
  if (out->len > LS_MAX_TEXT)
    return;
  switch ((LsValueKind) v.kind) {
  case LS_VALUE_UNSET: case LS_VALUE_NONE: g_string_append (out, "None"); break;
  case LS_VALUE_BOOL: g_string_append (out, v.i ? "True" : "False"); break;
  case LS_VALUE_INT: g_string_append_printf (out, "%" G_GINT64_FORMAT, v.i); break;
  case LS_VALUE_UINT: g_string_append_printf (out, "%" G_GUINT64_FORMAT, v.u); break;
  case LS_VALUE_FLOAT: ls_append_float (out, v.f); break;
  case LS_VALUE_STR:
    if (repr)
      append_quoted (out, v.str);
    else
      g_string_append_len (out, v.str->text, v.str->n);
    break;
  case LS_VALUE_LIST: case LS_VALUE_TUPLE:
    if (depth > 100) {
      g_string_append (out, v.kind == LS_VALUE_LIST ? "[...]" : "(...)");
      break;
    }
    g_string_append_c (out, v.kind == LS_VALUE_LIST ? '[' : '(');
    for (guint i = 0; i < v.list->n; i++) {
      if (i > 0)
        g_string_append (out, ", ");
      append (out, ctx, v.list->items[i], TRUE, depth + 1);
    }
    if (v.kind == LS_VALUE_TUPLE && v.list->n == 1)
      g_string_append_c (out, ',');
    g_string_append_c (out, v.kind == LS_VALUE_LIST ? ']' : ')');
    break;
  case LS_VALUE_RANGE:
    g_string_append_printf (out, "range(%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT, v.range->start, v.range->stop);
    if (v.range->step != 1)
      g_string_append_printf (out, ", %" G_GINT64_FORMAT, v.range->step);
    g_string_append_c (out, ')');
    break;
  case LS_VALUE_SLICE:
    g_string_append (out, "slice(");
    append (out, ctx, v.slice->start, TRUE, depth + 1);
    g_string_append (out, ", ");
    append (out, ctx, v.slice->stop, TRUE, depth + 1);
    g_string_append (out, ", ");
    append (out, ctx, v.slice->step, TRUE, depth + 1);
    g_string_append_c (out, ')');
    break;
  case LS_VALUE_ELLIPSIS: g_string_append (out, "Ellipsis"); break;
  case LS_VALUE_TENSOR: append_tensor (out, ctx, v.tensor); break;
  case LS_VALUE_ARRAY:
    if (repr)
      g_string_append (out, "array(");
    ls_array_append (out, v.array);
    if (repr)
      g_string_append_c (out, ')');
    break;
  case LS_VALUE_DTYPE: g_string_append_printf (out, "dtypes.%s", ls_dtype_name (v.dtype)); break;
  case LS_VALUE_FUNCTION: g_string_append_printf (out, "<function %s>", v.function->name); break;
  case LS_VALUE_BUILTIN: g_string_append_printf (out, "<built-in function %s>", ls_builtin_name (v.builtin)); break;
  case LS_VALUE_METHOD: g_string_append_printf (out, "<bound method %s>", ls_builtin_name (v.method->builtin)); break;
  case LS_VALUE_MODULE: {
    static const char *const names[] = { "<module 'tinygrad'>", "<class 'tinygrad.tensor.Tensor'>", "dtypes", "<module 'math'>" };
    g_string_append (out, names[v.module]);
    break;
  }
  }
}

void
ls_value_append_str (GString *out, LsContext *ctx, LsValue v)
{
  append (out, ctx, v, FALSE, 0);
}

void
ls_value_append_repr (GString *out, LsContext *ctx, LsValue v)
{
  append (out, ctx, v, TRUE, 0);
}

static gboolean
equal (LsValue a, LsValue b, guint depth, guint *budget)
{
  if (depth > 100 || --*budget == 0)
    return FALSE;
  if (ls_value_is_number (a) && ls_value_is_number (b)) {
    if (a.kind == LS_VALUE_FLOAT || b.kind == LS_VALUE_FLOAT)
      return ls_value_number (a) == ls_value_number (b);
    return (a.kind == LS_VALUE_UINT) == (b.kind == LS_VALUE_UINT) && a.i == b.i;
  }
  if (a.kind != b.kind)
    return FALSE;
  switch ((LsValueKind) a.kind) {
  case LS_VALUE_STR: return a.str->n == b.str->n && memcmp (a.str->text, b.str->text, a.str->n) == 0;
  case LS_VALUE_DTYPE: return a.dtype == b.dtype;
  case LS_VALUE_MODULE: return a.module == b.module;
  case LS_VALUE_NONE: case LS_VALUE_ELLIPSIS: return TRUE;
  case LS_VALUE_LIST: case LS_VALUE_TUPLE:
    if (a.list == b.list)
      return TRUE;
    if (a.list->n != b.list->n)
      return FALSE;
    for (guint i = 0; i < a.list->n; i++)
      if (!equal (a.list->items[i], b.list->items[i], depth + 1, budget))
        return FALSE;
    return TRUE;
  default: return a.i == b.i;
  }
}

gboolean
ls_value_equal (LsValue a, LsValue b)
{
  guint budget = 10 * 1000 * 1000;      /* lists that share their items can be larger than they look */
  return equal (a, b, 0, &budget);
}
