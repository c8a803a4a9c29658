/* Answers as JSON, CSV and text. See answer.h. */
#include "answer.h"

#include "ir/print.h"
#include "ir/sentence.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

/* The fields of a node, as LS_CELL_NODE has them. */
#define NODE(X) \
  X (id, INT, u->id, TRUE, "Id of the node, the same in every graph of the recording.") \
  X (op, TEXT, ls_op_name (u->op), TRUE, "Its op.") \
  X (dtype, DTYPE, u->dtype, TRUE, "Its dtype.") \
  X (summary, OWNED, ls_uop_summary ((LsUOp *) u), TRUE, "The node in a few words.")
LS_RECORD (ls_node_answer, NODE, const LsUOp *u = row;)

const LsField *
ls_record_field (const LsRecord *record, const char *name)
{
  for (guint i = 0; i < record->n; i++)
    if (strcmp (record->fields[i].name, name) == 0)
      return &record->fields[i];
  return NULL;
}

/* --- rows --- */

typedef struct LsOwned { struct LsOwned *next; gpointer value; GDestroyNotify free; } LsOwned;

gpointer
ls_answer_keep (const LsAnswering *answer, gpointer value, GDestroyNotify free_value)
{
  if (value) {
    LsOwned *kept = g_new (LsOwned, 1);
    *kept = (LsOwned) { *answer->kept, value, free_value };
    *answer->kept = kept;
  }
  return value;
}

/* A row with the values of its fields, and the memory behind them. */
typedef struct { const LsRecord *record; LsValue *values; LsOwned *kept; LsAnswering answer; } Opened;

static void
open_row (Opened *o, const LsRecord *record, gconstpointer row, guint index, const LsAnswering *answer)
{
  *o = (Opened) { record, g_new0 (LsValue, record->n + 1), NULL, *answer };
  o->answer.kept = &o->kept;
  record->get (&o->answer, row, index, o->values);
}

static void
close_row (Opened *o)
{
  for (guint i = 0; i < o->record->n; i++)
    if (o->values[i].present && o->record->fields[i].kind == LS_CELL_OWNED)
      g_free (o->values[i].owned);
  for (LsOwned *next; o->kept; o->kept = next) {
    next = o->kept->next;
    o->kept->free (o->kept->value);
    g_free (o->kept);
  }
  g_free (o->values);
}

/* Calls use for each field of a row. */
typedef void (*UseField) (const LsField *field, const LsValue *value, const LsAnswering *answer, gpointer data);

static void
each_value (const Opened *o, UseField use, gpointer data)
{
  for (guint i = 0; i < o->record->n; i++)
    use (&o->record->fields[i], &o->values[i], &o->answer, data);
}

static void
each_field (const LsRecord *record, gconstpointer row, guint index, const LsAnswering *answer, UseField use, gpointer data)
{
  Opened o;
  open_row (&o, record, row, index, answer);
  each_value (&o, use, data);
  close_row (&o);
}

/* --- JSON --- */

static void
put_number (JsonBuilder *b, double value)
{
  if (isnan (value))
    json_builder_add_string_value (b, "nan");
  else if (isinf (value))
    json_builder_add_string_value (b, value > 0 ? "inf" : "-inf");
  else
    json_builder_add_double_value (b, value);
}

static void
put_text (JsonBuilder *b, const char *text)
{
  if (text)
    json_builder_add_string_value (b, text);
  else
    json_builder_add_null_value (b);
}

static void
put_scalar (JsonBuilder *b, LsDType dtype, LsScalar value)
{
  if (ls_dtype_is_float (dtype)) {
    put_number (b, value.f);
  } else if (ls_dtype_is_bool (dtype)) {
    json_builder_add_boolean_value (b, value.i != 0);
  } else if (ls_dtype_base (dtype) == LS_BASE_UINT64 && value.i < 0) {
    g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, (guint64) value.i);
    json_builder_add_string_value (b, text);
  } else {
    json_builder_add_int_value (b, value.i);
  }
}

/* The elements from *at on, of the last n dims. */
static void
put_tensor (JsonBuilder *b, const LsValueTensor *t, guint n, const gint64 *dims, gsize *at)
{
  if (n == 0) {
    put_scalar (b, t->dtype, ls_scalar_load (t->dtype, t->data + *at * ls_dtype_itemsize (t->dtype)));
    ++*at;
    return;
  }
  json_builder_begin_array (b);
  for (gint64 i = 0; i < dims[0]; i++)
    put_tensor (b, t, n - 1, dims + 1, at);
  json_builder_end_array (b);
}

static void put_row (JsonBuilder *b, const LsRecord *record, gconstpointer row, guint index, const LsAnswering *answer);

/* The item of a list without a record at a position. */
static LsValue
item_at (LsCellKind kind, const LsList *list, guint i)
{
  gconstpointer at = ls_list_at (list, i);
  LsValue v = { .present = TRUE };
  switch (kind) {
  case LS_CELL_NUMBER: v.number = *(const double *) at; break;
  case LS_CELL_TEXT: v.text = list->size ? *(const char *const *) at : at; break;
  case LS_CELL_SCALAR: v.scalar = *(const LsValueScalar *) at; break;
  case LS_CELL_NODE: v.integer = *(const guint32 *) at; break;
  default: v.integer = list->size == 1 ? *(const guint8 *) at : ls_cell_int (at, (guint) list->size, TRUE); break;
  }
  return v;
}

static void
put_value (JsonBuilder *b, const LsField *field, LsCellKind kind, const LsValue *v, const LsAnswering *answer)
{
  gsize at = 0;
  char dtype[64];
  LsUOp *node;
  switch (kind) {
  case LS_CELL_INT:
    if (v->integer == LS_NOTHING)
      json_builder_add_null_value (b);
    else
      json_builder_add_int_value (b, v->integer);
    break;
  case LS_CELL_NAME: put_text (b, field->names[v->integer]); break;
  case LS_CELL_NUMBER: put_number (b, v->number); break;
  case LS_CELL_BOOL: json_builder_add_boolean_value (b, v->integer != 0); break;
  case LS_CELL_TEXT: put_text (b, v->text); break;
  case LS_CELL_OWNED: put_text (b, v->owned); break;
  case LS_CELL_DTYPE: put_text (b, ls_dtype_text (v->dtype, dtype)); break;
  case LS_CELL_SCALAR: put_scalar (b, v->scalar.dtype, v->scalar.value); break;
  case LS_CELL_RATIO: put_number (b, v->ratio.ratio); break;
  case LS_CELL_NODE:
    node = answer->ctx ? ls_context_node (answer->ctx, (guint32) v->integer) : NULL;
    if (node) {
      put_row (b, &ls_node_answer, node, 0, answer);
    } else {
      json_builder_begin_object (b);
      json_builder_end_object (b);
    }
    break;
  case LS_CELL_ROW:
    if (v->row)
      put_row (b, field->of, v->row, 0, answer);
    else
      json_builder_add_null_value (b);
    break;
  case LS_CELL_LIST:
    json_builder_begin_array (b);
    for (guint i = 0; i < v->list.n; i++) {
      if (field->of) {
        put_row (b, field->of, ls_list_at (&v->list, i), i, answer);
      } else {
        LsValue item = item_at (field->item, &v->list, i);
        put_value (b, field, field->item, &item, answer);
      }
    }
    json_builder_end_array (b);
    break;
  case LS_CELL_MAP:
    json_builder_begin_object (b);
    for (guint i = 0; i < v->list.n; i++) {
      LsValue pair[2] = { { 0 }, { 0 } };
      field->of->get (answer, ls_list_at (&v->list, i), i, pair);
      json_builder_set_member_name (b, pair[0].text);
      put_value (b, &field->of->fields[1], field->of->fields[1].kind, &pair[1], answer);
    }
    json_builder_end_object (b);
    break;
  case LS_CELL_TENSOR:
    if (v->tensor.data || (v->tensor.n_dims && !v->tensor.dims[0]))
      put_tensor (b, &v->tensor, v->tensor.n_dims, v->tensor.dims, &at);
    else
      json_builder_add_null_value (b);
    break;
  default: g_assert_not_reached ();      /* kinds of recordings */
  }
}

static void
put_field (const LsField *field, const LsValue *v, const LsAnswering *answer, gpointer data)
{
  JsonBuilder *b = data;
  if (!v->present || field->only_text)
    return;
  json_builder_set_member_name (b, field->name);
  put_value (b, field, field->kind, v, answer);
  if (field->kind == LS_CELL_RATIO) {
    g_autofree char *low = g_strconcat (field->name, "_low", NULL), *high = g_strconcat (field->name, "_high", NULL);
    json_builder_set_member_name (b, low);
    put_number (b, v->ratio.low);
    json_builder_set_member_name (b, high);
    put_number (b, v->ratio.high);
  }
}

static void
put_row (JsonBuilder *b, const LsRecord *record, gconstpointer row, guint index, const LsAnswering *answer)
{
  json_builder_begin_object (b);
  each_field (record, row, index, answer, put_field, b);
  json_builder_end_object (b);
}

/* json-glib writes 1e+300 as 1e+300.0, which is not JSON: the ".0" after an exponent goes. */
static void
mend_exponents (char *text)
{
  gboolean in_string = FALSE;
  char *to = text;
  for (char *p = text; *p;) {
    if (*p == '"')
      in_string = !in_string;
    if (*p == '\\' && in_string && p[1])
      *to++ = *p++;
    if (!in_string && *p == 'e' && (p[1] == '+' || p[1] == '-') && g_ascii_isdigit (p[2])) {
      *to++ = *p++;
      do
        *to++ = *p++;
      while (g_ascii_isdigit (*p));
      if (p[0] == '.' && p[1] == '0')
        p += 2;
      continue;
    }
    *to++ = *p++;
  }
  *to = 0;
}

static char *
built (JsonBuilder *b)
{
  g_autoptr (JsonGenerator) generator = json_generator_new ();
  JsonNode *root = json_builder_get_root (b);
  json_generator_set_root (generator, root);
  char *text = json_generator_to_data (generator, NULL);
  json_node_unref (root);
  mend_exponents (text);
  return text;
}

char *
ls_answer_json (const LsRecord *record, gconstpointer row, const LsAnswering *answer)
{
  g_autoptr (JsonBuilder) b = json_builder_new ();
  put_row (b, record, row, 0, answer);
  return built (b);
}

/* --- text --- */

/* A value in the form of text tables; NULL: the cell is empty. */
static char *
value_text (const LsField *field, const LsValue *v, const LsAnswering *answer)
{
  char dtype[64];
  if (!v->present || (field->kind == LS_CELL_INT && v->integer == LS_NOTHING))
    return NULL;
  if (field->text)
    return field->text (v);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  switch (field->kind) {
  case LS_CELL_INT: return g_strdup_printf (field->format ? field->format : "%" G_GINT64_FORMAT, v->integer);
  case LS_CELL_NUMBER: return g_strdup_printf (field->format ? field->format : "%g", v->number);
  case LS_CELL_RATIO: return isnan (v->ratio.low) ? g_strdup_printf ("%.3g", v->ratio.ratio)
                                                  : g_strdup_printf ("%.3g [%.3g, %.3g]", v->ratio.ratio, v->ratio.low, v->ratio.high);
  case LS_CELL_BOOL: return g_strdup (v->integer ? "true" : "false");
  case LS_CELL_NAME: return g_strdup (field->names[v->integer]);
  case LS_CELL_TEXT: case LS_CELL_OWNED: return g_strdup (v->text);
  case LS_CELL_DTYPE: return g_strdup (ls_dtype_text (v->dtype, dtype));
  default: break;
  }
#pragma GCC diagnostic pop
  if (field->kind == LS_CELL_NODE) {
    LsUOp *node = answer->ctx ? ls_context_node (answer->ctx, (guint32) v->integer) : NULL;
    return node ? ls_uop_summary (node) : NULL;
  }
  /* a row or a list: JSON in one line */
  g_autoptr (JsonBuilder) b = json_builder_new ();
  put_value (b, field, field->kind, v, answer);
  return built (b);
}

static void
add_cell (GString *out, const LsField *field, const char *text)
{
  if (out->len && out->str[out->len - 1] != '\n')
    g_string_append_c (out, ' ');
  int more = text ? (int) (strlen (text) - (gsize) g_utf8_strlen (text, -1)) : 0;      /* columns are of characters */
  g_string_append_printf (out, "%*s", field->width < 0 ? field->width - more : field->width + more, text ? text : "-");
}

static void
put_cell (const LsField *field, const LsValue *v, const LsAnswering *answer, gpointer data)
{
  g_autofree char *text = field->title ? value_text (field, v, answer) : NULL;
  if (field->title)
    add_cell (data, field, field->kind == LS_CELL_NAME ? ls_shown (text) : text);
}

char *
ls_answer_table (const LsRecord *record, const LsList *rows, const LsAnswering *answer)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < record->n; i++)
    if (record->fields[i].title)
      add_cell (out, &record->fields[i], ls_shown (record->fields[i].title));
  g_string_append_c (out, '\n');
  for (guint i = 0; i < rows->n; i++) {
    each_field (record, ls_list_at (rows, i), i, answer, put_cell, out);
    g_string_append_c (out, '\n');
  }
  return g_string_free (out, FALSE);
}

char *
ls_answer_cell (const LsRecord *record, gconstpointer row, guint index, const LsAnswering *answer, const char *name)
{
  Opened o;
  const LsField *field = ls_record_field (record, name);
  open_row (&o, record, row, index, answer);
  char *text = field ? value_text (field, &o.values[field - record->fields], &o.answer) : NULL;
  close_row (&o);
  return text;
}

char *
ls_answer_cell_by (const LsRecord *record, gconstpointer row, guint index, const LsAnswering *answer, const LsField *field,
                   LsFieldText text)
{
  Opened o;
  open_row (&o, record, row, index, answer);
  const LsValue *value = &o.values[field - record->fields];
  char *said = value->present ? text (field, value) : NULL;
  close_row (&o);
  return said;
}

guint
ls_record_columns (const LsRecord *record, const LsField **fields, guint max)
{
  guint n = 0;
  for (guint i = 0; i < record->n; i++) {
    if (!record->fields[i].column || n == max)
      continue;
    guint at = n++;
    for (; at && fields[at - 1]->place > record->fields[i].place; at--)
      fields[at] = fields[at - 1];
    fields[at] = &record->fields[i];
  }
  return n;
}

/* --- CSV --- */

/* A comma and the cell: the line begins after its first comma. */
static void
add_csv (GString *out, const char *text)
{
  g_string_append_c (out, ',');
  if (!strpbrk (text, ",\"\r\n")) {
    g_string_append (out, text);
    return;
  }
  g_string_append_c (out, '"');
  for (const char *p = text; *p; p++)
    g_string_append_printf (out, *p == '"' ? "\"\"" : "%c", *p);
  g_string_append_c (out, '"');
}

static void
put_csv (const LsField *field, const LsValue *v, const LsAnswering *answer, gpointer data)
{
  LsField exact = *field;
  exact.text = NULL;
  exact.format = field->kind == LS_CELL_NUMBER ? "%.17g" : NULL;
  if (field->only_text || field->lines)
    return;
  g_autofree char *text = field->kind == LS_CELL_RATIO && v->present ? g_strdup_printf ("%.17g", v->ratio.ratio)
                                                                     : value_text (&exact, v, answer);
  add_csv (data, text ? text : "");
  if (field->kind == LS_CELL_RATIO && v->present)
    g_string_append_printf (data, ",%.17g,%.17g", v->ratio.low, v->ratio.high);
  else if (field->kind == LS_CELL_RATIO)
    g_string_append (data, ",,");
}

/* The list whose rows are lines: of an opened row the first one that is present, else the record's. NULL: it has none. */
static const LsField *
lines_of (const LsRecord *record, const LsValue *values)
{
  for (guint i = 0; i < record->n; i++)
    if (record->fields[i].lines && (!values || values[i].present))
      return &record->fields[i];
  return NULL;
}

/* The headings. A field whose name the rows of its list have as well is named after its own list: kernels_name. */
static void
csv_heading (GString *out, const LsRecord *record, const char *list)
{
  const LsField *inner = lines_of (record, NULL);
  for (guint i = 0; i < record->n; i++) {
    const LsField *f = &record->fields[i];
    if (f->only_text || f->lines)
      continue;
    gboolean twice = inner && ls_record_field (inner->of, f->name);
    g_string_append_printf (out, ",%s%s%s", twice ? list : "", twice ? "_" : "", f->name);
    if (f->kind == LS_CELL_RATIO)
      g_string_append_printf (out, ",%s_low,%s_high", f->name, f->name);
  }
  if (inner)
    csv_heading (out, inner->of, inner->name);
}

static void csv_line (GString *out, const char *before, const LsRecord *record, gconstpointer row, guint index, const LsAnswering *answer);

/* A line for each row of a list of an opened row, after the cells before it. */
static void
csv_lines (GString *out, const char *before, const Opened *o, const LsField *list)
{
  const LsValue *v = &o->values[list - o->record->fields];
  for (guint i = 0; v->present && i < v->list.n; i++)
    csv_line (out, before, list->of, ls_list_at (&v->list, i), i, &o->answer);
}

static void
csv_line (GString *out, const char *before, const LsRecord *record, gconstpointer row, guint index, const LsAnswering *answer)
{
  Opened o;
  const LsField *inner = lines_of (record, NULL);
  g_autoptr (GString) line = g_string_new (before);
  open_row (&o, record, row, index, answer);
  each_value (&o, put_csv, line);
  if (inner)
    csv_lines (out, line->str, &o, inner);
  else
    g_string_append_printf (out, "%s\r\n", line->str + 1);
  close_row (&o);
}

char *
ls_answer_csv (const LsRecord *record, gconstpointer row, const LsAnswering *answer)
{
  Opened o;
  g_autoptr (GString) heading = g_string_new (NULL);
  GString *out = g_string_new (NULL);
  open_row (&o, record, row, 0, answer);
  const LsField *list = lines_of (record, o.values);
  csv_heading (heading, list ? list->of : record, list ? list->name : record->name);
  g_string_append_printf (out, "%s\r\n", heading->str + 1);
  if (list)
    csv_lines (out, "", &o, list);
  else
    csv_line (out, "", record, row, 0, answer);
  close_row (&o);
  return g_string_free (out, FALSE);
}

/* --- keys --- */

static void
add_keys (GString *out, const LsRecord *record)
{
  for (guint i = 0; i < record->n; i++) {
    const LsField *f = &record->fields[i];
    if (f->only_text)
      continue;
    g_string_append_printf (out, "%s%s", i ? ", " : "", f->name);
    if (f->kind == LS_CELL_RATIO)
      g_string_append_printf (out, ", %s_low, %s_high", f->name, f->name);
    if (f->kind == LS_CELL_NODE || (f->kind == LS_CELL_LIST && !f->of && f->item == LS_CELL_NODE)) {
      g_string_append (out, " (NODE)");
    } else if (f->kind == LS_CELL_MAP) {
      g_string_append (out, " (*)");
    } else if (f->of) {
      g_string_append (out, " (");
      add_keys (out, f->of);
      g_string_append_c (out, ')');
    }
  }
}

char *
ls_answer_keys (const LsRecord *record)
{
  GString *out = g_string_new (NULL);
  add_keys (out, record);
  return g_string_free (out, FALSE);
}
