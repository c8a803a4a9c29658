/* JSON members in a line each, for the sub-commands that answer questions. */
#include "cli.h"

#include "ir/print.h"

#include <math.h>

void
ls_json_int (JsonBuilder *b, const char *name, gint64 value)
{
  json_builder_set_member_name (b, name);
  json_builder_add_int_value (b, value);
}

void
ls_json_text (JsonBuilder *b, const char *name, const char *value)
{
  json_builder_set_member_name (b, name);
  if (value)
    json_builder_add_string_value (b, value);
  else
    json_builder_add_null_value (b);
}

void
ls_json_bool (JsonBuilder *b, const char *name, gboolean value)
{
  json_builder_set_member_name (b, name);
  json_builder_add_boolean_value (b, value);
}

void
ls_json_add_number (JsonBuilder *b, double value)
{
  if (isnan (value))
    json_builder_add_string_value (b, "nan");
  else if (isinf (value))
    json_builder_add_string_value (b, value > 0 ? "inf" : "-inf");
  else
    json_builder_add_double_value (b, value);
}

void
ls_json_add_scalar (JsonBuilder *b, LsDType dtype, LsScalar value)
{
  if (ls_dtype_is_float (dtype)) {
    ls_json_add_number (b, value.f);
  } else if (ls_dtype_is_bool (dtype)) {
    json_builder_add_boolean_value (b, value.i != 0);
  } else if (ls_dtype_base (dtype) == LS_BASE_UINT64 && value.i < 0) {
    g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, (guint64) value.i);
    json_builder_add_string_value (b, text);
  } else {
    json_builder_add_int_value (b, value.i);
  }
}

void
ls_json_number (JsonBuilder *b, const char *name, double value)
{
  json_builder_set_member_name (b, name);
  ls_json_add_number (b, value);
}

void
ls_json_array (JsonBuilder *b, const char *name)
{
  json_builder_set_member_name (b, name);
  json_builder_begin_array (b);
}

void
ls_json_object (JsonBuilder *b, const char *name)
{
  if (name)
    json_builder_set_member_name (b, name);
  json_builder_begin_object (b);
}

void
ls_json_node (JsonBuilder *b, const char *name, LsTrace *trace, guint32 node)
{
  LsUOp *u = ls_context_node (trace->ctx, node);
  char buf[64];
  ls_json_object (b, name);
  if (u) {
    g_autofree char *summary = ls_uop_summary (u);
    ls_json_int (b, "id", node);
    ls_json_text (b, "op", ls_op_name (u->op));
    ls_json_text (b, "dtype", ls_dtype_modern (u->dtype, buf));
    ls_json_text (b, "summary", summary);
  }
  json_builder_end_object (b);
}
