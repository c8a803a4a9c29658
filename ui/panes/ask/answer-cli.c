/* The command line's JSON turned into lines. Members may be missing or of another type: what cannot be read is left out. */
#include "answer-cli.h"
#include "kit/json-read.h"
#include "kit/text.h"

#include <glib/gi18n.h>

static const char *
text_of (JsonObject *o, const char *name)
{
  JsonNode *node = json_object_get_member (o, name);
  return node && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING ? json_node_get_string (node) : "";
}

static JsonArray *
array_of (JsonObject *o, const char *name)
{
  JsonNode *node = json_object_get_member (o, name);
  return node && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
}

static guint32
node_of (JsonObject *o, const char *name)
{
  JsonNode *node = json_object_get_member (o, name);
  JsonObject *n = node && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  return n && json_object_has_member (n, "id") ? ls_json_member_count (n, "id") : LS_NO_NODE;
}

static void
add_text (LsAnswer *a, const char *place, char *text)
{
  ls_answer_add (a, (LsStop) { LS_STOP_TEXT, g_strdup (place), text, -1, 0, 0, LS_NO_NODE });
}

LsAnswer *
ls_answer_bisect (LsTrace *trace, JsonObject *said)
{
  JsonNode *found = json_object_get_member (said, "found");
  gboolean broken = found && JSON_NODE_HOLDS_VALUE (found) && json_node_get_boolean (found);
  guint kernel = ls_json_member_count (said, "kernel"), step = ls_json_member_count (said, "step");
  const LsPass *pass = broken ? ls_trace_pass (trace, kernel, text_of (said, "pass")) : NULL;
  const char *rule = text_of (said, "rule"), *stage = text_of (said, "stage"), *where = text_of (said, "where");
  guint n_passes = ls_json_member_count (said, "passes"), n_steps = ls_json_member_count (said, "steps"),
        n_graphs = ls_json_member_count (said, "graphs");
  g_autofree char *passes = g_strdup_printf (ngettext ("%u pass", "%u passes", n_passes), n_passes),
                  *steps = g_strdup_printf (ngettext ("%u step", "%u steps", n_steps), n_steps);
  g_autofree char *graphs = g_strdup_printf (ngettext ("%u graph", "%u graphs", n_graphs), n_graphs),
                  *looked = g_strdup_printf (_("%s and %s were looked at, %s interpreted"), passes, steps, graphs);
  LsAnswer *a = ls_answer_new (g_strdup (broken ? _("A step broke the result") : ls_json_member_count (said, "not_judged")
                                         ? _("Not all could be judged; what could is right") : _("No step broke a result")),
                                         g_steal_pointer (&looked));
  if (broken && pass && step)
    ls_answer_add (a, (LsStop) { LS_STOP_NODE, g_strdup_printf ("%s/%u", pass->name, MIN (step, ls_pass_n_steps (pass))),
                                 g_strdup_printf (_("Go to the step: %s, in kernel %u"), *rule ? rule : _("no rule"), kernel),
                                 (int) pass->index,
                                 MIN (step, ls_pass_n_steps (pass)), 0, node_of (said, "after") });
  else if (broken && pass)
    ls_answer_add (a, (LsStop) { LS_STOP_NODE, g_strdup (pass->name),
                                 g_strdup_printf (_("Go to the pass, in kernel %u: which of its steps cannot be told"), kernel),
                                 (int) pass->index, 0, 0, LS_NO_NODE });
  else if (broken)
    ls_answer_add (a, (LsStop) { LS_STOP_KERNEL, g_strdup (stage),
                                 g_strdup_printf (_("Every pass of kernel %u agrees: it went wrong after them"), kernel), -1, 0, kernel,
                                 LS_NO_NODE });
  if (broken && (*text_of (said, "want") || *text_of (said, "got")))
    add_text (a, _("values"), g_strdup_printf (_("%s before the step, %s after it%s%s"), text_of (said, "want"), text_of (said, "got"),
                                               *where ? _(", at ") : "", where));
  if (broken)
    add_text (a, _("result"), g_strdup_printf (_("element %u is %s before, %s after"), ls_json_member_count (said, "element"),
                                               text_of (said, "result_before"), text_of (said, "result_after")));
  JsonArray *notes = array_of (said, "notes");
  for (guint i = 0; notes && i < json_array_get_length (notes); i++) {
    JsonNode *note = json_array_get_element (notes, i);
    if (JSON_NODE_HOLDS_VALUE (note) && json_node_get_value_type (note) == G_TYPE_STRING)
      add_text (a, _("not judged"), g_strdup (json_node_get_string (note)));
  }
  return a;
}

LsAnswer *
ls_answer_undo (LsTrace *trace, JsonObject *said)
{
  JsonArray *pairs = array_of (said, "undo");
  guint n = pairs ? json_array_get_length (pairs) : 0;
  LsAnswer *a = ls_answer_new (g_strdup (_("Rules that undo each other")), n ? g_strdup_printf (ngettext ("%u pair", "%u pairs", n), n)
                                                                             : g_strdup (_("There are none.")));
  for (guint i = 0; i < n; i++) {
    JsonNode *element = json_array_get_element (pairs, i);
    if (!JSON_NODE_HOLDS_OBJECT (element))
      continue;
    JsonObject *o = json_node_get_object (element);
    JsonNode *recorded = json_object_get_member (o, "recorded");
    gboolean happened = recorded && JSON_NODE_HOLDS_VALUE (recorded) && json_node_get_boolean (recorded);
    const LsPass *pass = ls_trace_pass (trace, ls_json_member_count (o, "kernel"), text_of (o, "pass"));
    guint step = pass ? MIN (ls_json_member_count (o, "step"), ls_pass_n_steps (pass)) : 0;
    guint times = ls_json_member_count (o, "count");
    char *text = g_strdup_printf (happened ? ngettext ("%s, and %s made it back: %u time", "%s, and %s made it back: %u times", times)
                                           : ngettext ("%s, and %s would make it back: %u time", "%s, and %s would make it back: %u times",
                                                       times), text_of (o, "a"), text_of (o, "b"), times);
    ls_answer_add (a, (LsStop) { pass ? LS_STOP_NODE : LS_STOP_TEXT, pass ? g_strdup_printf ("%s/%u", pass->name, step) : NULL, text,
                                 pass ? (int) pass->index : -1, step, 0, LS_NO_NODE });
  }
  return a;
}
