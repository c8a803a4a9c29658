/* A rule whose pattern matches in one way only is matched straight on; the general matcher, with backtracking, must give the same
 * result: whether it matches, and its bindings. Random patterns at random nodes, and the built-in rules at these. */
#include <string.h>

#include "fixture.h"
#include "codegen/codegen.h"
#include "ir/print.h"
#include "rewrite/rules-private.h"

#define N_PATTERNS 1500
#define N_GRAPHS   60
#define N_NODES    40

/* A pattern as text. */
static void
append_pattern (GString *s, GRand *rand, guint depth)
{
  static const char *const leaves[] = { "x", "y", "z", "x:int", "y:index", "$a", "$b", "0", "1", "2", "3" };
  static const char *const infix[] = { "+", "*", "-", "//", "%", "<" };
  static const char *const named[] = { "ADD", "MUL", "ADD|MUL", "BINARY", "MAX", "ALU" };
  gint kind = depth == 0 ? 0 : g_rand_int_range (rand, 0, 7);
  if (kind < 2) {
    g_string_append (s, leaves[g_rand_int_range (rand, 0, G_N_ELEMENTS (leaves))]);
  } else if (kind < 5) {
    g_string_append_c (s, '(');
    append_pattern (s, rand, depth - 1);
    g_string_append_printf (s, " %s ", infix[g_rand_int_range (rand, 0, G_N_ELEMENTS (infix))]);
    append_pattern (s, rand, depth - 1);
    g_string_append_c (s, ')');
  } else {
    gint sequence = g_rand_int_range (rand, 0, 4);
    g_string_append_printf (s, "%s(", named[g_rand_int_range (rand, 0, G_N_ELEMENTS (named))]);
    g_string_append (s, sequence == 0 ? "xs*, " : "");
    append_pattern (s, rand, depth - 1);
    g_string_append (s, sequence == 1 ? ", xs*" : sequence == 2 ? ", *" : "");
    if (sequence == 3) {
      g_string_append (s, ", ");
      append_pattern (s, rand, depth - 1);
    }
    g_string_append_c (s, ')');
  }
}

/* Those of the random patterns that are rules. */
static LsRuleLibrary *
random_rules (GRand *rand)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint n = 0;
  while (n < N_PATTERNS) {
    g_autoptr (GString) pattern = g_string_new (NULL), one = g_string_new (NULL);
    static const char *const infix[] = { "+", "*", "-", "//" };
    append_pattern (pattern, rand, 2);
    g_string_append_printf (pattern, " %s ", infix[g_rand_int_range (rand, 0, G_N_ELEMENTS (infix))]);
    append_pattern (pattern, rand, 2);
    g_string_printf (one, "# One.\nr%u: %s -> 0%s\n", n, pattern->str, g_rand_int_range (rand, 0, 3) ? "" : " ordered");
    LsRuleLibrary *library = ls_rule_library_parse (NULL, one->str, "r.rules", NULL);
    if (!library)
      continue;
    ls_rule_library_unref (library);
    g_string_append (text, one->str);
    n++;
  }
  g_autoptr (GError) error = NULL;
  LsRuleLibrary *library = ls_rule_library_parse (NULL, text->str, "r.rules", &error);
  g_assert_no_error (error);
  return library;
}

static GPtrArray *
random_graph (GRand *rand, LsContext *ctx)
{
  static const LsOp ops[] = { LS_OP_ADD, LS_OP_MUL, LS_OP_SUB, LS_OP_MAX, LS_OP_FLOORDIV, LS_OP_FLOORMOD };
  GPtrArray *nodes = g_ptr_array_new ();
  for (gint64 i = 0; i < 4; i++) {
    g_ptr_array_add (nodes, ls_uop_const_i (ctx, LS_INDEX, i));
    g_ptr_array_add (nodes, ls_range_new (ctx, LS_INDEX, 4 + i, i, LS_AXIS_LOOP, 0));
  }
  while (nodes->len < N_NODES) {
    LsUOp *a = nodes->pdata[g_rand_int_range (rand, 0, (gint) nodes->len)],
          *b = nodes->pdata[g_rand_int_range (rand, 0, (gint) nodes->len)];
    g_ptr_array_add (nodes, ls_uop_alu2 (ctx, ops[g_rand_int_range (rand, 0, G_N_ELEMENTS (ops))], a, b));
  }
  return nodes;
}

/* Matches both ways. Returns whether it matches. */
static gboolean
compare (LsRuleLibrary *library, guint index, LsContext *ctx, LsUOp *node)
{
  Rule *rule = (Rule *) ls_rule_library_rule (library, index);
  LsBinding straight[LS_MAX_SLOTS], general[LS_MAX_SLOTS];
  guint n = ls_rule_match (library, index, ctx, node, straight, LS_MAX_SLOTS);
  LsTermValue slots[LS_MAX_SLOTS];
  gboolean matches = ls_rule_match_pattern (rule, node, slots);
  rule->straight = FALSE;
  guint m = ls_rule_match (library, index, ctx, node, general, LS_MAX_SLOTS);
  gboolean too = ls_rule_match_pattern (rule, node, slots);
  rule->straight = TRUE;
  g_autofree char *what = ls_uop_summary (node);
  if (matches != too || n != m)
    g_error ("%s at %s: straight %s, %u names; in general %s, %u names", rule->pub.text, what, matches ? "matches" : "does not", n,
             too ? "matches" : "does not", m);
  for (guint i = 0; i < n; i++) {
    g_autofree char *x = ls_term_value_print (&straight[i].value), *y = ls_term_value_print (&general[i].value);
    if (strcmp (straight[i].name, general[i].name) != 0 || straight[i].node != general[i].node || g_strcmp0 (x, y) != 0)
      g_error ("%s at %s: %s is %s straight, and %s is %s in general", rule->pub.text, what, straight[i].name, x, general[i].name, y);
  }
  return matches;
}

static void
test_match (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (6);
  g_autoptr (LsRuleLibrary) random = random_rules (rand);
  LsRuleLibrary *libraries[] = { random, fixture_library (NULL) };
  guint n_straight = 0, n_matches = 0;
  for (guint g = 0; g < N_GRAPHS; g++) {
    g_autoptr (LsContext) ctx = ls_context_new ();
    g_autoptr (GPtrArray) nodes = random_graph (rand, ctx);
    for (guint l = 0; l < G_N_ELEMENTS (libraries); l++)
      for (guint i = 0; i < ls_rule_library_n_rules (libraries[l]); i++) {
        if (!((const Rule *) ls_rule_library_rule (libraries[l], i))->straight)
          continue;
        n_straight += g == 0;
        for (guint k = 0; k < nodes->len; k++)
          n_matches += compare (libraries[l], i, ctx, nodes->pdata[k]);
      }
  }
  g_test_message ("%u patterns that match in one way, %u matches", n_straight, n_matches);
  g_assert_cmpuint (n_straight, >, 300);
  g_assert_cmpuint (n_matches, >, 3000);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rewrite/match/straight", test_match);
  return g_test_run ();
}
