/* Reading answers of lazyscope-cli: the one reader of its JSON. Numbers that are not finite are the strings "nan", "inf" and "-inf"
 * there. What is not there, or of another kind, is NaN, 0 or NULL. */
#pragma once
#include <json-glib/json-glib.h>
#include <math.h>

G_BEGIN_DECLS

/* node: NULL-able. */
static inline double
ls_json_read_number (JsonNode *node)
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

/* object: NULL-able. */
static inline JsonNode *
ls_json_member (JsonObject *object, const char *name)
{
  return object ? json_object_get_member (object, name) : NULL;
}

static inline double
ls_json_member_number (JsonObject *object, const char *name)
{
  return ls_json_read_number (ls_json_member (object, name));
}

/* An integer, exactly. */
static inline gint64
ls_json_member_int (JsonObject *object, const char *name)
{
  JsonNode *node = ls_json_member (object, name);
  return node && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) != G_TYPE_STRING ? json_node_get_int (node) : 0;
}

/* A count or number of a list. */
static inline guint
ls_json_member_count (JsonObject *object, const char *name)
{
  return (guint) CLAMP (ls_json_member_int (object, name), 0, G_MAXINT);
}

/* Belongs to the object. */
static inline const char *
ls_json_member_text (JsonObject *object, const char *name)
{
  JsonNode *node = ls_json_member (object, name);
  return node && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING ? json_node_get_string (node) : NULL;
}

G_END_DECLS
