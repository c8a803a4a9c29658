/* The state behind the Tensor API: first error, the stack of calls, and which call made which node.
 *
 * Nodes are numbered in order of creation, so a call need not be told what it made: at each begin and end the nodes made
 * since the last one belong to the call that was innermost then.
 */
#include "tensor.h"

#include <string.h>
#include "ir/print.h"

struct _LsTensors {
  const LsTensorHost *host;
  GError    *error;
  GArray    *stack;          /* guint: indices of open calls */
  guint32    mark;           /* nodes below it are attributed */
  GArray    *found;          /* guint32: nodes that were asked for since then, and there before */
  guint      statement, line, column;
  GString   *text;
  GHashTable *names;         /* call names, string literals, by address -> the trace's copy */
};

LsTensors *
ls_tensors_new (const LsTensorHost *host)
{
  LsTensors *t = g_new0 (LsTensors, 1);
  t->host = host;
  t->stack = g_array_new (FALSE, FALSE, sizeof (guint));
  t->text = g_string_sized_new (256);
  t->found = g_array_new (FALSE, FALSE, sizeof (guint32));
  t->names = g_hash_table_new (NULL, NULL);
  t->mark = ls_context_n_nodes (host->ctx);
  return t;
}

void
ls_tensors_free (LsTensors *t)
{
  g_clear_error (&t->error);
  g_array_unref (t->stack);
  g_array_unref (t->found);
  g_string_free (t->text, TRUE);
  g_hash_table_unref (t->names);
  g_free (t);
}

LsContext *ls_tensors_context (LsTensors *t) { return t->host->ctx; }
const LsTensorHost *ls_tensors_host (LsTensors *t) { return t->host; }
GError    *ls_tensors_take_error (LsTensors *t) { return g_steal_pointer (&t->error); }

void
ls_tensors_set_place (LsTensors *t, guint statement, guint line, guint column)
{
  t->statement = statement;
  t->line = line;
  t->column = column;
}

LsUOp *
ls_tensors_fail (LsTensors *t, LsError code, const char *format, ...)
{
  if (!t->error) {
    va_list args;
    va_start (args, format);
    t->error = g_error_new_valist (LS_ERROR, code, format, args);
    va_end (args);
  }
  return NULL;
}

LsShape
ls_tensors_shape (LsTensors *t, LsUOp *x)
{
  return ls_uop_shape (t->host->ctx, x);
}

static void
attribute_nodes (LsTensors *t)
{
  guint32 n = ls_context_n_nodes (t->host->ctx);
  if (t->stack->len > 0) {
    guint call = g_array_index (t->stack, guint, t->stack->len - 1);
    GArray *made = t->host->node_calls;
    guint at = made->len;
    g_array_set_size (made, at + (n - t->mark));
    LsNodeCall *entry = &g_array_index (made, LsNodeCall, at);
    for (guint32 id = t->mark; id < n; id++)
      *entry++ = (LsNodeCall) { .node = id, .call = call };
    /* what it would have made, had it not been there */
    for (guint i = 0; i < t->found->len; i++) {
      LsNodeCall again = { .node = g_array_index (t->found, guint32, i), .call = call };
      gboolean have = again.node >= t->mark;
      for (guint k = at + (n - t->mark); k < made->len && !have; k++)
        have = g_array_index (made, LsNodeCall, k).node == again.node;
      if (!have)
        g_array_append_val (made, again);
    }
  }
  g_array_set_size (t->found, 0);
  t->mark = n;
}

/* Written out because every recorded call passes here. The text is not ended with a NUL. */
static inline void
put (GString *text, const char *s, gsize n)
{
  if (text->len + n < text->allocated_len) {
    memcpy (text->str + text->len, s, n);
    text->len += n;
  } else {
    g_string_append_len (text, s, (gssize) n);
  }
}

static void
append_int (GString *text, gint64 value)
{
  char digits[24];
  const char *first = ls_int_text (value, digits);
  put (text, first, strlen (first));
}

static void
append_ints (GString *text, guint n, const gint64 *ints)
{
  put (text, "(", 1);
  for (guint i = 0; i < n; i++) {
    if (i > 0)
      put (text, ", ", 2);
    append_int (text, ints[i]);
  }
  put (text, n == 1 ? ",)" : ")", n == 1 ? 2 : 1);
}

static void
append_node (LsTensors *t, GString *text, LsUOp *x)
{
  if (!x) {
    g_string_append (text, "None");
    return;
  }
  LsShape shape = ls_tensors_shape (t, x);
  const char *dtype = ls_dtype_name (x->dtype);
  put (text, dtype, strlen (dtype));
  append_ints (text, shape.n, shape.dims);
}

static void
append_operand (LsTensors *t, GString *text, const LsOperand *o)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  if (o->node)
    append_node (t, text, o->node);
  else if (o->weak == LS_WEAKFLOAT)
    g_string_append (text, g_ascii_formatd (number, sizeof number, "%g", o->value.f));
  else if (o->weak == LS_BOOL)
    g_string_append (text, o->value.i ? "True" : "False");
  else
    append_int (text, o->value.i);
}

static const char *
call_name (LsTensors *t, const char *name)
{
  const char *known = g_hash_table_lookup (t->names, name);
  if (!known) {
    known = g_string_chunk_insert_const (t->host->strings, name);
    g_hash_table_insert (t->names, (gpointer) name, (gpointer) known);
  }
  return known;
}

void
ls_tensors_begin (LsTensors *t, const char *name, const char *format, ...)
{
  if (!t->host->calls)
    return;
  attribute_nodes (t);
  g_string_truncate (t->text, 0);
  va_list args;
  va_start (args, format);
  for (const char *p = format; *p; p++) {
    if (p != format)
      put (t->text, ", ", 2);
    switch (*p) {
    case 'x': append_node (t, t->text, va_arg (args, LsUOp *)); break;
    case 'o': append_operand (t, t->text, va_arg (args, const LsOperand *)); break;
    case 'd': {
      LsDType dtype = va_arg (args, LsDType);
      g_string_append (t->text, dtype ? ls_dtype_name (dtype) : "None");
      break;
    }
    case 'n': append_int (t->text, va_arg (args, gint64)); break;
    case 's': g_string_append (t->text, va_arg (args, const char *)); break;
    case 'i': {
      guint n = va_arg (args, guint);
      append_ints (t->text, n, va_arg (args, const gint64 *));
      break;
    }
    default: g_assert_not_reached ();
    }
  }
  va_end (args);
  LsCall call = {
    .parent = t->stack->len ? (gint) g_array_index (t->stack, guint, t->stack->len - 1) : -1,
    .statement = t->statement, .line = t->line, .column = t->column,
    .name = call_name (t, name), .args = g_string_chunk_insert_len (t->host->strings, t->text->str, (gssize) t->text->len), .node = G_MAXUINT32,
  };
  guint index = t->host->calls->len;
  g_array_append_val (t->host->calls, call);
  g_array_append_val (t->stack, index);
  if (t->stack->len == 1)
    ls_context_note_found (t->host->ctx, t->found);
}

LsUOp *
ls_tensors_end (LsTensors *t, LsUOp *result)
{
  if (!t->host->calls || t->stack->len == 0)
    return result;
  attribute_nodes (t);
  guint index = g_array_index (t->stack, guint, t->stack->len - 1);
  g_array_set_size (t->stack, t->stack->len - 1);
  if (t->stack->len == 0)
    ls_context_note_found (t->host->ctx, NULL);
  if (result)
    g_array_index (t->host->calls, LsCall, index).node = result->id;
  return result;
}

gboolean
ls_tensors_axis (LsTensors *t, const char *name, guint n, gint64 *axis)
{
  gint64 total = MAX (n, 1);
  if (*axis < -total || *axis >= total) {
    ls_tensors_fail (t, LS_ERROR_SHAPE, "%s: axis %" G_GINT64_FORMAT " is out of range for a tensor of %u axes", name, *axis, n);
    return FALSE;
  }
  if (*axis < 0)
    *axis += total;
  return TRUE;
}
