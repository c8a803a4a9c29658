/* lazyscope-cli bisect: the first step that changed a result. */
#include "cli.h"
#include "kit/json-read.h"

#include "ask/reference.h"
#include "ir/print.h"
#include "ask/ask.h"

#include <math.h>
#include <string.h>

static void
print_text (LsTrace *t, const LsBisect *b)
{
  const LsKernel *k = ls_trace_kernel (t, b->kernel);
  if (!b->found && b->n_unjudged) {
    printf ("Not judged: %u of %u results; what could be judged agrees: %u passes, %u graphs interpreted.\n", b->n_unjudged,
            b->n_judged + b->n_unjudged, b->n_passes, b->n_runs);
  } else if (!b->found) {
    printf ("All results agree%s: %u passes, %u graphs interpreted.\n", b->samples->len ? " as far as they were looked at" : "",
            b->n_passes, b->n_runs);
  } else if (b->step) {
    const LsPass *p = t->passes->pdata[b->pass];
    const LsTraceRule *r = b->rule >= 0 ? t->rules->pdata[b->rule] : NULL;
    g_autofree char *before = ls_uop_summary (ls_context_node (t->ctx, b->before)),
                    *after = ls_uop_summary (ls_context_node (t->ctx, b->after));
    printf ("Step %u of pass %s of kernel %u%s%s changed the result.\n", b->step, p->name, b->kernel, k ? " " : "", k ? k->name : "");
    if (r)
      printf ("rule    %s: %s\n        %s:%u  %s\n", r->name, r->text, r->file, r->line, r->sentence);
    printf ("before  node %-6u %s%s%s\n", b->before, before, b->want ? " = " : "", b->want ? b->want : "");
    printf ("after   node %-6u %s%s%s\n", b->after, after, b->got ? " = " : "", b->got ? b->got : "");
    if (b->where)
      printf ("at      %s\n", b->where);
    for (guint i = 0; i < b->inputs->len; i++) {
      const LsAskInput *in = &g_array_index (b->inputs, LsAskInput, i);
      g_autofree char *summary = ls_uop_summary (ls_context_node (t->ctx, in->node));
      printf ("input   node %-6u %s = %s\n", in->node, summary, in->value);
    }
  } else if (b->pass >= 0) {
    const LsPass *p = t->passes->pdata[b->pass];
    printf ("Pass %s of kernel %u%s%s changed the result; which of its %u steps cannot be told.\n", p->name, b->kernel, k ? " " : "",
            k ? k->name : "", ls_pass_n_steps (p));
  } else if (strcmp (b->stage, "schedule") == 0) {
    printf ("The schedule gave kernel %u a graph (node %u) that does not compute its tensor (node %u).\n", b->kernel, b->after, b->before);
  } else {
    printf ("Kernel %u %s computed something else than its graph: every pass agrees, so rendering, compiling or running it went wrong.\n",
            b->kernel, k ? k->name : "");
  }
  if (b->found)
    printf ("result  element %" G_GUINT64_FORMAT ": %s before, %s after\n        %u passes, %u steps looked at, %u graphs interpreted\n",
            b->element,
            b->out_want ? b->out_want : "a value", b->out_got ? b->out_got : "?", b->n_passes, b->n_steps, b->n_runs);
  for (guint i = 0; i < b->samples->len; i++) {
    const LsBisectSample *sample = &g_array_index (b->samples, LsBisectSample, i);
    g_autofree char *name = sample->kernel ? g_strdup_printf ("kernel %u", sample->kernel) : g_strdup ("a graph of tensors");
    printf ("sampled %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " elements of %s, which is too large to be interpreted whole%s\n",
            sample->n, sample->of, name,
            b->found ? "" : "; nothing is said of the others");
  }
  for (guint i = 0; i < b->notes->len; i++)
    printf ("note    %s\n", (char *) b->notes->pdata[i]);
}

static void
print_as_json (LsTrace *t, const LsBisect *b, const char *expected)
{
  g_autoptr (JsonBuilder) j = json_builder_new ();
  ls_json_object (j, NULL);
  ls_json_bool (j, "found", b->found);
  ls_json_text (j, "verdict", b->found || (expected && *expected) ? "differs" : b->n_unjudged ? "not judged" : "agrees");
  ls_json_int (j, "judged", b->n_judged);
  ls_json_int (j, "not_judged", b->n_unjudged);
  if (b->found) {
    const LsPass *p = b->pass >= 0 ? t->passes->pdata[b->pass] : NULL;
    const LsTraceRule *r = b->rule >= 0 ? t->rules->pdata[b->rule] : NULL;
    ls_json_int (j, "kernel", b->kernel);
    ls_json_text (j, "stage", b->stage);
    ls_json_text (j, "pass", p ? p->name : NULL);
    ls_json_int (j, "step", b->step);
    ls_json_text (j, "rule", r ? r->name : NULL);
    ls_json_text (j, "file", r ? r->file : NULL);
    ls_json_int (j, "line", r ? r->line : 0);
    ls_json_node (j, "before", t, b->before);
    ls_json_node (j, "after", t, b->after);
    ls_json_text (j, "where", b->where);
    ls_json_text (j, "want", b->want);
    ls_json_text (j, "got", b->got);
    ls_json_array (j, "inputs");
    for (guint i = 0; i < b->inputs->len; i++) {
      const LsAskInput *in = &g_array_index (b->inputs, LsAskInput, i);
      ls_json_object (j, NULL);
      ls_json_node (j, "node", t, in->node);
      ls_json_text (j, "value", in->value);
      json_builder_end_object (j);
    }
    json_builder_end_array (j);
    ls_json_int (j, "element", (gint64) b->element);
    ls_json_text (j, "result_before", b->out_want);
    ls_json_text (j, "result_after", b->out_got);
  }
  if (expected)
    ls_json_text (j, "expected", expected);
  ls_json_array (j, "sampled");
  for (guint i = 0; i < b->samples->len; i++) {
    const LsBisectSample *sample = &g_array_index (b->samples, LsBisectSample, i);
    ls_json_object (j, NULL);
    ls_json_int (j, "kernel", sample->kernel);
    ls_json_int (j, "elements", (gint64) sample->n);
    ls_json_int (j, "of", (gint64) sample->of);
    json_builder_end_object (j);
  }
  json_builder_end_array (j);
  ls_json_int (j, "passes", b->n_passes);
  ls_json_int (j, "steps", b->n_steps);
  ls_json_int (j, "graphs", b->n_runs);
  ls_json_array (j, "notes");
  for (guint i = 0; i < b->notes->len; i++)
    json_builder_add_string_value (j, b->notes->pdata[i]);
  json_builder_end_array (j);
  json_builder_end_object (j);
  ls_cli_print_json (j);
}

/* A number of a file: exactly, where it is an integer. */
typedef struct { gboolean is_integer; gint64 i; double f; } Number;

static Number
read_exactly (JsonNode *node)
{
  Number v = { FALSE, 0, NAN };
  guint64 digits;
  if (!JSON_NODE_HOLDS_VALUE (node))
    return v;
  GType type = json_node_get_value_type (node);
  if (type == G_TYPE_STRING && g_ascii_string_to_unsigned (json_node_get_string (node), 10, 0, G_MAXUINT64, &digits, NULL))
    return (Number) { TRUE, (gint64) digits, (double) digits };
  if (type == G_TYPE_BOOLEAN || type == G_TYPE_INT64)
    v = (Number) { TRUE, type == G_TYPE_BOOLEAN ? json_node_get_boolean (node) : json_node_get_int (node), json_node_get_double (node) };
  else
    v.f = ls_json_read_number (node);
  return v;
}

/* The numbers of a nested list, in order (Number). */
static void
flatten (JsonNode *node, GArray *out)
{
  if (JSON_NODE_HOLDS_ARRAY (node)) {
    JsonArray *a = json_node_get_array (node);
    for (guint i = 0; i < json_array_get_length (a); i++)
      flatten (json_array_get_element (a, i), out);
    return;
  }
  Number v = read_exactly (node);
  g_array_append_val (out, v);
}

static gboolean
is_expected (LsDType d, LsScalar got, Number want)
{
  if (!ls_dtype_is_float (d))
    return want.is_integer && got.i == want.i;
  return (isnan (got.f) && isnan (want.f)) || got.f == want.f || fabs (got.f - want.f) <= 1e-6 * fabs (want.f);
}

/* What differs between the recorded outputs and those of a file as `run --json` prints it: a sentence, "" for nothing, NULL with an
 * error. n_unjudged: how many could not be compared. */
static char *
check_expected (LsTrace *t, const char *file, guint *n_unjudged, GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) own = NULL;
  if (!json_parser_load_from_file (parser, file, &own)) {
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "%s: %s", file, own->message);
    return NULL;
  }
  JsonNode *root = json_parser_get_root (parser);
  JsonObject *object = root && JSON_NODE_HOLDS_OBJECT (root) ? json_node_get_object (root) : NULL;
  JsonNode *outputs = object ? json_object_get_member (object, "outputs") : NULL;
  if (!outputs || !JSON_NODE_HOLDS_ARRAY (outputs)) {
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "%s: it has no list \"outputs\"; `lazyscope-cli run --json` writes such a file", file);
    return NULL;
  }
  JsonArray *list = json_node_get_array (outputs);
  if (json_array_get_length (list) != t->outputs->len)
    return g_strdup_printf ("the program has %u outputs, expected are %u", t->outputs->len, json_array_get_length (list));
  for (guint i = 0; i < t->outputs->len; i++) {
    const LsOutput *o = &g_array_index (t->outputs, LsOutput, i);
    const LsTraceBuffer *b = o->buffer < t->buffers->len ? t->buffers->pdata[o->buffer] : NULL;
    JsonNode *element = json_array_get_element (list, i);
    JsonNode *value = JSON_NODE_HOLDS_OBJECT (element) ? json_object_get_member (json_node_get_object (element), "value") : NULL;
    g_autoptr (GArray) want = g_array_new (FALSE, FALSE, sizeof (Number));
    if (!b || !b->data || !value) {
      ++*n_unjudged;
      continue;
    }
    flatten (value, want);
    LsDType d = ls_dtype_strong (b->dtype);
    guint64 n = b->n_data / MAX (ls_dtype_itemsize (d), 1);
    if (n != want->len)
      return g_strdup_printf ("output %u (line %u) has %" G_GUINT64_FORMAT " elements, expected are %u", i + 1, o->line, n, want->len);
    for (guint64 k = 0; k < n; k++) {
      LsScalar v = ls_scalar_load (d, b->data + k * ls_dtype_itemsize (d));
      const Number *expected = &g_array_index (want, Number, k);
      if (is_expected (d, v, *expected))
        continue;
      g_autofree char *got = ls_scalar_print (d, v),
                      *right = expected->is_integer ? ls_scalar_print (d == LS_UINT64 ? d : LS_INT64, (LsScalar) { .i = expected->i })
                                                                                    : g_strdup_printf ("%.9g", expected->f);
      return g_strdup_printf ("output %u (line %u) element %" G_GUINT64_FORMAT " is %s, expected is %s", i + 1, o->line, k, got, right);
    }
  }
  return g_strdup ("");
}

int
ls_cli_bisect (int argc, char **argv)
{
  LsCliOptions o;
  GError *error = NULL;
  g_autofree char *differs = NULL;
  guint n_uncompared = 0;
  int status = LS_EXIT_DONE;
  g_autoptr (LsTrace) t = NULL;
  g_autoptr (LsBisect) b = NULL;
  if (!ls_cli_parse (&o, LS_CLI_BISECT, "Names the first step that changed a result, judged by interpretation. Exit status 0: all agree; "
                                        "4: one differs; 5: some could not be judged.", &argc, &argv, &error) ||
      !(t = ls_cli_open_whole (&o, argv[1], &error)) || (o.expect && !(differs = check_expected (t, o.expect, &n_uncompared, &error))) ||
      !(b = ls_bisect (t, &error))) {
    status = ls_cli_fail (error);
  } else {
    if (n_uncompared)
      g_ptr_array_add (b->notes, g_strdup_printf ("%u of the expected outputs were not compared: their contents were not kept, or %s has "
                                                  "no value for them", n_uncompared, o.expect));
    b->n_unjudged += n_uncompared;
    if (o.json) {
      print_as_json (t, b, differs);
    } else {
      if (differs && *differs)
        printf ("expected  %s\n", differs);
      print_text (t, b);
      if (differs && *differs && !b->found && !b->n_unjudged)
        printf ("Every step keeps what the program's own graph computes: the difference is in the program, or in how its calls build the "
                "graph.\n");
    }
    status = b->found || (differs && *differs) ? LS_EXIT_DIFFERENT : b->n_unjudged ? LS_EXIT_UNJUDGED : LS_EXIT_DONE;
  }
  ls_cli_clear (&o);
  return status;
}
