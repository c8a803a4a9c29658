/* Answers read back. See read.h. */
#include "read.h"

#include <gio/gio.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

struct LsReading {
  const LsRecord *record;
  JsonNode       *root;
};

static LsReading *
reading_of (const LsRecord *record, JsonParser *parser, GError **error)
{
  JsonNode *root = json_parser_get_root (parser);
  if (!root || !JSON_NODE_HOLDS_OBJECT (root)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "the answer is not an object of JSON");
    return NULL;
  }
  LsReading *reading = g_atomic_rc_box_new0 (LsReading);
  *reading = (LsReading) { record, json_node_ref (root) };
  return reading;
}

LsReading *
ls_reading_new (const LsRecord *record, const char *text, gssize n, GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  return json_parser_load_from_data (parser, text, n, error) ? reading_of (record, parser, error) : NULL;
}

LsReading *
ls_reading_load (const LsRecord *record, const char *path, GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  return json_parser_load_from_file (parser, path, error) ? reading_of (record, parser, error) : NULL;
}

LsReading *
ls_reading_ref (LsReading *reading)
{
  return g_atomic_rc_box_acquire (reading);
}

static void
reading_clear (gpointer data)
{
  json_node_unref (((LsReading *) data)->root);
}

void
ls_reading_unref (LsReading *reading)
{
  g_atomic_rc_box_release_full (reading, reading_clear);
}

char *
ls_reading_text (const LsReading *reading)
{
  return json_to_string (reading->root, FALSE);
}

LsRow
ls_reading_row (const LsReading *reading)
{
  return (LsRow) { reading->record, json_node_get_object (reading->root) };
}

/* RATIO's interval has keys of its own. */
static const LsField *
field_of (const LsRecord *record, const char *name)
{
  const LsField *found = ls_record_field (record, name);
  const char *end = found ? NULL : strrchr (name, '_');
  if (end && (strcmp (end, "_low") == 0 || strcmp (end, "_high") == 0)) {
    g_autofree char *whole = g_strndup (name, (gsize) (end - name));
    found = ls_record_field (record, whole);
  }
  return found;
}

static JsonNode *
member (LsRow row, const char *name)
{
  if (!row.record)
    return NULL;
  if (!field_of (row.record, name)) {
    g_critical ("%s has no field %s", row.record->name, name);
    return NULL;
  }
  return row.object ? json_object_get_member (row.object, name) : NULL;
}

static double
number_of (JsonNode *node)
{
  if (!node || !JSON_NODE_HOLDS_VALUE (node))
    return NAN;
  if (json_node_get_value_type (node) != G_TYPE_STRING)
    return json_node_get_double (node);
  const char *text = json_node_get_string (node);
  char *end;
  double value = g_ascii_strtod (text, &end);
  return end == text || *end ? NAN : value;
}

static gint64
int_of (JsonNode *node)
{
  return node && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) != G_TYPE_STRING ? json_node_get_int (node) : 0;
}

static const char *
text_of (JsonNode *node)
{
  return node && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING ? json_node_get_string (node) : NULL;
}

static JsonNode *
element (LsRow row, const char *field, guint i)
{
  JsonNode *list = member (row, field);
  JsonArray *array = list && JSON_NODE_HOLDS_ARRAY (list) ? json_node_get_array (list) : NULL;
  return array && i < json_array_get_length (array) ? json_array_get_element (array, i) : NULL;
}

gboolean
ls_read_has (LsRow row, const char *field)
{
  JsonNode *node = member (row, field);
  return node && !JSON_NODE_HOLDS_NULL (node);
}

gboolean
ls_read_has_list (LsRow row, const char *field)
{
  JsonNode *node = member (row, field);
  return node && JSON_NODE_HOLDS_ARRAY (node);
}

double      ls_read_number    (LsRow row, const char *field) { return number_of (member (row, field)); }
gint64      ls_read_int       (LsRow row, const char *field) { return int_of (member (row, field)); }
guint       ls_read_count     (LsRow row, const char *field) { return (guint) CLAMP (ls_read_int (row, field), 0, G_MAXINT); }
const char *ls_read_text      (LsRow row, const char *field) { return text_of (member (row, field)); }
double      ls_read_number_at (LsRow row, const char *field, guint i) { return number_of (element (row, field, i)); }
const char *ls_read_text_at   (LsRow row, const char *field, guint i) { return text_of (element (row, field, i)); }

char *
ls_read_scalar_at (LsRow row, const char *field, guint i)
{
  JsonNode *node = element (row, field, i);
  if (!node || !JSON_NODE_HOLDS_VALUE (node))
    return g_strdup ("");
  switch (json_node_get_value_type (node)) {
  case G_TYPE_STRING: return g_strdup (json_node_get_string (node));      /* "nan", "inf", digits */
  case G_TYPE_DOUBLE: return g_strdup_printf ("%.9g", json_node_get_double (node));
  case G_TYPE_BOOLEAN: return g_strdup (json_node_get_boolean (node) ? "True" : "False");
  default: return g_strdup_printf ("%" G_GINT64_FORMAT, json_node_get_int (node));
  }
}

gboolean
ls_read_bool (LsRow row, const char *field)
{
  JsonNode *node = member (row, field);
  return node && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_BOOLEAN && json_node_get_boolean (node);
}

/* A row of the record of a list field. */
static LsRow
row_of (const LsField *field, JsonNode *node)
{
  const LsRecord *record = !field ? NULL : field->of ? field->of : &ls_node_answer;
  return (LsRow) { record, node && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL };
}

LsRow
ls_read_row (LsRow row, const char *field)
{
  return row_of (row.record ? ls_record_field (row.record, field) : NULL, member (row, field));
}

LsRow
ls_read_at (LsRow row, const char *field, guint i)
{
  return row_of (row.record ? ls_record_field (row.record, field) : NULL, element (row, field, i));
}

guint
ls_read_n (LsRow row, const char *field)
{
  JsonNode *list = member (row, field);
  return list && JSON_NODE_HOLDS_ARRAY (list) ? json_array_get_length (json_node_get_array (list)) : 0;
}

LsValueRatio
ls_read_ratio (LsRow row, const char *field)
{
  g_autofree char *low = g_strconcat (field, "_low", NULL), *high = g_strconcat (field, "_high", NULL);
  return (LsValueRatio) { ls_read_number (row, field), ls_read_number (row, low), ls_read_number (row, high) };
}

static LsReadScalar
scalar_of (JsonNode *node)
{
  GType type = JSON_NODE_HOLDS_VALUE (node) ? json_node_get_value_type (node) : G_TYPE_INVALID;
  guint64 digits;
  if (type == G_TYPE_STRING && g_ascii_string_to_unsigned (json_node_get_string (node), 10, 0, G_MAXUINT64, &digits, NULL))
    return (LsReadScalar) { TRUE, (gint64) digits, (double) digits };
  if (type == G_TYPE_BOOLEAN || type == G_TYPE_INT64)
    return (LsReadScalar) { TRUE, type == G_TYPE_BOOLEAN ? json_node_get_boolean (node) : json_node_get_int (node),
                            json_node_get_double (node) };
  return (LsReadScalar) { FALSE, 0, number_of (node) };
}

static void
add_scalars (JsonNode *node, GArray *out)
{
  if (JSON_NODE_HOLDS_ARRAY (node)) {
    JsonArray *list = json_node_get_array (node);
    for (guint i = 0; i < json_array_get_length (list); i++)
      add_scalars (json_array_get_element (list, i), out);
  } else {
    LsReadScalar scalar = scalar_of (node);
    g_array_append_val (out, scalar);
  }
}

GArray *
ls_read_scalars (LsRow row, const char *field)
{
  JsonNode *node = member (row, field);
  GArray *out = node ? g_array_new (FALSE, FALSE, sizeof (LsReadScalar)) : NULL;
  if (node)
    add_scalars (node, out);
  return out;
}

void
ls_read_take (LsRow row, gpointer into, GStringChunk *strings)
{
  for (guint i = 0; i < row.record->n; i++) {
    const LsField *f = &row.record->fields[i];
    gpointer at = (guint8 *) into + f->at;
    JsonNode *node = f->size ? member (row, f->name) : NULL;
    gboolean is_value = node && JSON_NODE_HOLDS_VALUE (node);
    if (!f->size)
      continue;
    if (f->kind == LS_CELL_NUMBER) {
      *(double *) at = number_of (node);
    } else if (f->kind == LS_CELL_TEXT) {
      *(const char **) at = text_of (node) ? g_string_chunk_insert_const (strings, text_of (node)) : NULL;
    } else if (f->kind == LS_CELL_BOOL) {
      *(gboolean *) at = ls_read_bool (row, f->name);
    } else if (f->kind == LS_CELL_NAME) {
      guint name = 0;
      while (f->names[name] && g_strcmp0 (f->names[name], text_of (node)) != 0)
        name++;
      *(guint *) at = f->names[name] ? name : 0;
    } else {
      gint64 value = is_value ? int_of (node) : -1;
      ls_cell_set_int (at, f->size, f->size == sizeof value ? value : CLAMP (value, G_MININT32, G_MAXINT32));
    }
  }
}
