/* Pages have bounds. Of a walk: its statements. Of a pass: the boxes of all its steps together; where there are more, it has the steps
 * around the one that it opens at, and says which: so many frames are made, no more. */
#include "fixture.h"
#include "share/page.h"
#include "trace/statements.h"

#include <json-glib/json-glib.h>
#include <string.h>

/* A chain of 400 additions, in which a rule fires 40 times. */
static const char *const program =
  "from tinygrad.uop.ops import UOp, PatternMatcher, graph_rewrite\n"
  "i = u = UOp.variable('i', 0, 9)\n"
  "for k in range(400):\n"
  "  u = (u * 1 if k % 10 == 0 else u) + i\n"
  "graph_rewrite(u, PatternMatcher('# One.\\none: x:int * 1 -> x\\n'))\n";

enum { N_STEPS = 40, ALL = 50000 };

/* The object of a page's data, and its note on the steps that it has, or NULL. */
static JsonParser *
page_data (LsTrace *trace, const LsPass *pass, guint step, guint most_boxes, JsonObject **data, char **note)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *page = ls_page_pass (trace, pass, step, NULL, LS_NO_NODE, most_boxes, &error);
  g_assert_no_error (error);
  const char *head = "<script type=\"application/json\" id=\"data\">", *begin = strstr (page, head) + strlen (head),
             *said = strstr (page, "<p class=\"note\">This page has the steps ");
  JsonParser *parser = json_parser_new ();
  json_parser_load_from_data (parser, begin, strstr (begin, "</script>") - begin, &error);
  g_assert_no_error (error);
  *data = json_node_get_object (json_parser_get_root (parser));
  *note = said ? g_strndup (said, (gsize) (strchr (said + 1, '<') - said)) : NULL;
  return parser;
}

/* Which steps a page has, opened at one. */
static void
check (LsTrace *trace, const LsPass *pass, guint step, guint most_boxes, guint first, guint n)
{
  JsonObject *data;
  g_autofree char *note = NULL, *said = g_strdup_printf ("the steps %u to %u of %u: ", first, first + n - 1, N_STEPS);
  JsonParser *parser = page_data (trace, pass, step, most_boxes, &data, &note);
  JsonArray *frames = json_object_get_array_member (data, "frames");
  g_assert_cmpuint (json_array_get_length (frames), ==, n);
  g_assert_cmpint (json_object_get_int_member (data, "first"), ==, first);
  g_assert_cmpint (json_object_get_int_member (data, "start"), ==, step - first);
  g_assert_cmpint (json_object_get_int_member (data, "steps"), ==, N_STEPS);
  if (n == N_STEPS + 1)
    g_assert_null (note);
  else
    g_assert_true (note && strstr (note, said));
  for (guint k = 0; k < n; k++)      /* a step is named by its rule, the input by none */
    g_assert_true (json_object_has_member (json_array_get_object_element (frames, k), "rule") == (first + k > 0));
  g_object_unref (parser);
}

static void
test_bounds (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = program);
  const LsPass *pass = NULL;
  for (guint i = 0; i < s->trace->passes->len && !pass; i++)
    if (ls_pass_n_steps (s->trace->passes->pdata[i]) == N_STEPS)
      pass = s->trace->passes->pdata[i];
  g_assert_nonnull (pass);
  g_autoptr (LsGraph) input = ls_pass_graph (s->trace, pass, 0);
  g_assert_true (input->nodes->len > 400 && input->nodes->len * (N_STEPS + 1) < ALL);
  check (s->trace, pass, 20, ALL, 0, N_STEPS + 1);
  /* as many steps as have so few boxes; at the ends they begin, or end, with the pass */
  for (guint step = 0; step <= N_STEPS; step += N_STEPS / 2) {
    g_autoptr (LsGraph) graph = ls_pass_graph (s->trace, pass, step);
    guint n = 10;
    check (s->trace, pass, step, n * (graph->nodes->len + 2), step == 0 ? 0 : step == N_STEPS ? N_STEPS + 1 - n : step - n / 2, n);
  }
  check (s->trace, pass, 20, 1, 20, 1);
}

/* The page of a walk ends after so many statements, and says how many it leaves out and where they are. */
static void
test_walk (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = "from tinygrad import Tensor\na = Tensor([1, 2])\nb = a + 1\nc = b * 2\nd = c + a\n");
  guint n_stops = ls_trace_stops (s->trace)->len;
  g_assert_cmpuint (n_stops, ==, 5);
  for (guint most = 1; most <= n_stops + 1; most++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *page = ls_page_walk (s->trace, most, &error);
    g_autofree char *said = g_strdup_printf ("This page has the first %u of %u statements; %u %s left out. ", most, n_stops,
                                             n_stops - most, n_stops - most == 1 ? "is" : "are");
    g_assert_no_error (error);
    const char *head = "<script type=\"application/json\" id=\"data\">", *begin = strstr (page, head) + strlen (head);
    g_autoptr (JsonParser) parser = json_parser_new ();
    json_parser_load_from_data (parser, begin, strstr (begin, "</script>") - begin, &error);
    g_assert_no_error (error);
    JsonArray *frames = json_object_get_array_member (json_node_get_object (json_parser_get_root (parser)), "frames");
    g_assert_cmpuint (json_array_get_length (frames), ==, MIN (most, n_stops));
    g_assert_true ((strstr (page, said) != NULL) == (most < n_stops));
    g_assert_true ((strstr (page, "lazyscope-cli show FILE --stage program") != NULL) == (most < n_stops));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/share/bounds", test_bounds);
  g_test_add_func ("/share/walk", test_walk);
  return g_test_run ();
}
