/* Rules that are wrong, made up from templates: a pattern that matches much and a result of anything. Every op with too few and too
 * many sources, other dtypes and arguments, every term of the tables with all kinds of arguments, in every set; most of them parse. */
#pragma once
#include <string.h>

#include "pipeline/pipeline.h"

static const char *const ops[] = {
#define X(name, ...) #name,
#include "ir/ops.def"
#undef X
};
static const char *const dtypes[] = { "x", "self", "o", "scalar(o)", "vec(o, 4)", "vec(o, 2)", "vec(o, 4095)", "machine(o)",
                                      "pointer(o, 4)", "pointer(o, 0 - 1)", "bool", "int", "float", "index", "void",
                                      "uchar", "long", "half", "ulong" };
static const char *const args[] = { "0", "1", "0 - 1", "4096", "9223372036854775807", "c", "n", "a*", "c*", "0, 0, 0", "0, 3, 0", "0, 4, 1",
                                    "0, 0, 2", "63, 5, 4095", "64, 0, 0", "0, 9, 0", "v", "i, n", "op, a*",
                                    "ADD, 0", "MAX, a*", "SIN, 0", "ADD", "MUL", "WHERE, 1", "1, 1", "4, 6", "6, 4", "24", "1, 0",
                                    "0, 1, 0, 1", "compose(v, v)", "compose(movement(o), v)", "whole(x)", "whole(o)",
                                    "movement(x)", "inner()", "outer()", "item(r)", "item(x)", "up_to(4)*", "up_to(2000)*",
                                    "up_to(min(o))*", "k for k in 3", "k * 9 for k in 300", "0, 1, 4", "lane_axes(xs)*", "a*, a*",
                                    "either(a, a)*", "box_within(a, a)*", "take(a, a)*", "c for k in 1" };
static const char *const nodes[] = { "x", "y", "self", "o", "xs*", "*", "0", "1", "2", "3.5", "-0.0", "$c", "x * y", "x + x", "self + self",
                                     "o(x)", "o(xs*)", "o(xs*, xs*)", "o()", "o(x, y, x)", "o(o(xs*)*)",
                                     "o(x for k in 3)", "o(x for k in 4096)", "RANGE[0, 0, 0](4)", "RANGE[1, 3, 0](4)",
                                     "RANGE[0, 4, 1](4):index", "RANGE[0, 0, 0](x)", "CONST[1]()", "CONST[c]()", "VECTORIZE(xs*)",
                                     "VECTORIZE(x, y)",
                                     "VECTORIZE(x for k in 4)", "VECTORIZE(VECTORIZE(x for k in 1000) for j in 1000)", "GEP[0](x)",
                                     "GEP[5](x)", "DEFINE_GLOBAL[0]():pointer(x, 4)", "DEFINE_GLOBAL[7]():pointer(o, 24)",
                                     "INDEX(DEFINE_GLOBAL[0]():pointer(o, 16), x)", "LOAD(x)", "LOAD(INDEX(x, y))", "STORE(x, y)",
                                     "SINK(x)", "SINK()", "SINK(self, self)", "UNROLL[0, 1, 4](x)", "DEFINE_ACC[0](x)", "PHI(x, y)",
                                     "PHI(DEFINE_ACC[0](x), y)", "PHI(DEFINE_ACC[0](x, r), y, r)", "REDUCE[ADD](x)", "REDUCE[ADD](x, r)",
                                     "REDUCE[ADD](x, RANGE[2, 3, 0](4):index)", "REDUCE_AXIS[ADD, 0](x)", "VIEW[v](x)", "VIEW[v]()",
                                     "VIEW[whole(o)](x)", "CAST(x):bool", "CAST(x):o", "CAST(x):vec(o, 4)", "BITCAST(x):double",
                                     "BUFFER[0, 9223372036854775807]()", "BUFFER[i, n]()", "SPECIAL[item(r)](4)", "at(xs, 0)", "at(xs, 7)",
                                     "lane(x, 0)", "lane(o, 9)", "lane(xs, 1)*", "r", "l", "WHERE(x, y, self)", "WHERE(x < y, x, y)",
                                     "CMPLT(x, y)", "x // 0", "x % 0", "IDIV(x, 0)", "x << 70", "SQRT(x)", "EXP2($c)", "MULACC(x, y, x)",
                                     "ENDRANGE(r)", "IF(x)", "ENDIF(x)", "BARRIER()", "RESHAPE[a*](x)", "EXPAND[4, 4](x)", "PAD[1, 1](x)",
                                     "PERMUTE[1, 0](x)", "index(v)", "valid(v)", "ranges(a)*", "x for k in count(xs)",
                                     "x for k in max(o)", "COPY[4](x)", "CONTIGUOUS(x)", "VCONST[0, 1]():vec(o, 2)", "REDUCE[MAX](self, r)",
                                     "x:index", "-x", "!x", "x & y", "x / y" };
static const char *const patterns[] = { "o=%s(xs*)", "o=%s(x)", "o=%s(x, y)", "o=%s(x, *)", "o=%s(x, y, *)", "o=%s[a*](x)",
                                        "o=%s[op, a*](x)", "o=%s[op](x, xs*)", "o=%s[v](x)", "o=%s[v]()", "o=%s[c]()", "o=%s[i, n]()",
                                        "o=%s(x, $c)", "o=%s(r=RANGE(*), x)", "o=%s(r=RANGE(x), *)", "o=%s(l=LOAD(x, *), *)",
                                        "o=%s(x, xs*)", "o=%s(VIEW[v](x))", "o=%s(x, VIEW[v](), *)", "o=%s[c*](x)", "o=%s[a*](xs*)",
                                        "o=%s(*)",
                                        "o=%s(r=RANGE[a*](x), y)", "o=%s(x=INDEX(l, y), *)", "r=%s($c)", "r=%s(x)", "o=%s(x):index",
                                        "o=%s(x, y):float" };
static const char *const classes[] = { "ALU", "BINARY", "UNARY", "MOVEMENT", "LOAD|STORE", "ADD|MUL", "RANGE", "STORE", "SINK", "CONST",
                                       "VIEW", "LOAD", "INDEX", "REDUCE", "REDUCE_AXIS", "DEFINE_GLOBAL", "CAST", "WHERE" };
static const char *const guards[] = { "", "", "", "", "when masked(v)", "when min(x) < max(x)", "when lanes(o) > 1", "when is_const(x)",
                                      "when count(xs) > 1", "when divisor(x) == 4", "when same_dtype(self, x)",
                                      "with w = spread(x, lane_axes(xs))", "with w = at(xs, 0)", "when is_split(r)", "when is_item(r)",
                                      "ordered", "when sees_whole(v, o)", "when same_shape(x, o)" };

#define PICK(list) (list)[(guint) g_rand_int_range (rand, 0, G_N_ELEMENTS (list))]

static void write_node (GString *s, GRand *rand, guint depth);

/* A term of any table, with arguments of about the right kinds. */
static void
write_term (GString *s, GRand *rand, guint depth)
{
  static const char *const of_kind[LS_N_TERM_KINDS][4] = {
    [LS_TERM_NODE] = { "x", "o", "self", "r" }, [LS_TERM_CONST] = { "$c", "$c", "c", "$k" },
                     [LS_TERM_NODES] = { "xs", "ranges(a)", "take(xs, up_to(2))", "xs" }, [LS_TERM_NUM] = { "0", "$c", "min(o)", "c" },
    [LS_TERM_NUMS] = { "a", "up_to(4)", "lane_axes(xs)", "c" }, [LS_TERM_SCALAR] = { "c", "c", "c", "a" },
    [LS_TERM_VIEW] = { "v", "whole(x)", "movement(o)", "compose(v, v)" }, [LS_TERM_OP] = { "op", "ADD", "op", "SIN" },
    [LS_TERM_TEXT] = { "item(r)", "a", "item(o)", "v" }, [LS_TERM_DTYPE] = { "int", "scalar(o)", "float", "machine(x)" },
    [LS_TERM_BOOL] = { "masked(v)", "x", "is_const(x)", "is_item(r)" }, [LS_TERM_ARG] = { "inner()", "outer()", "a", "c" },
  };
  const LsRuleBase *base = ls_pipeline_rules ();
  guint n_tables = 0, n = 0;
  while (base->terms[n_tables])
    n_tables++;
  guint table = (guint) g_rand_int_range (rand, 0, (gint) n_tables + 1);
  const LsTerm *terms = table == n_tables ? ls_core_terms : base->terms[table];
  while (terms[n].name)
    n++;
  const LsTerm *term = &terms[g_rand_int_range (rand, 0, (gint) n)];
  g_string_append_printf (s, "%s(", term->name);
  for (guint i = 0; i < term->n_args; i++) {
    g_string_append (s, i ? ", " : "");
    if (term->args[i] == LS_TERM_NODE && depth < 2 && g_rand_int_range (rand, 0, 3) == 0)
      write_node (s, rand, depth + 1);
    else
      g_string_append (s, of_kind[term->args[i]][g_rand_int_range (rand, 0, 4)]);
  }
  g_string_append (s, ")");
  if (term->result == LS_TERM_NODES || term->result == LS_TERM_NUMS)
    g_string_append (s, "*");
}

static void
write_node (GString *s, GRand *rand, guint depth)
{
  gint kind = g_rand_int_range (rand, 0, 10);
  if (kind < 4 || depth > 2) {
    g_string_append (s, PICK (nodes));
    return;
  }
  if (kind == 4) {
    write_term (s, rand, depth);
    return;
  }
  gboolean same = kind == 5;
  const char *op = PICK (ops);
  g_string_append (s, same ? "o" : op);
  if (!same && g_rand_int_range (rand, 0, 3) && ls_op_info (ls_op_from_name (op))->form != LS_FORM_NONE)
    g_string_append_printf (s, "[%s]", PICK (args));
  int arity = same ? -1 : ls_op_info (ls_op_from_name (op))->arity;
  guint n = arity >= 0 && g_rand_int_range (rand, 0, 8) ? (guint) arity : (guint) g_rand_int_range (rand, 0, 4);
  g_string_append (s, "(");
  for (guint i = 0; i < n; i++) {
    g_string_append (s, i ? ", " : "");
    write_node (s, rand, depth + 1);
  }
  g_string_append (s, ")");
  if (g_rand_int_range (rand, 0, 3) == 0)
    g_string_append_printf (s, ":%s", PICK (dtypes));
}

/* One rule. Names that its pattern does not bind are replaced by names that it does: most of them then are valid. */
static char *
write_rule (GRand *rand, guint32 seed, guint i, const LsRuleSetInfo *sets, guint n_sets)
{
  GString *s = g_string_new (NULL), *pattern = g_string_new (NULL);
  const char *op = g_rand_int_range (rand, 0, 2) ? PICK (classes) : PICK (ops);
  if (g_rand_int_range (rand, 0, 12) == 0)      /* many names at once */
    g_string_printf (pattern, "o=%s(r=RANGE[a*](x), l=LOAD(y, *), xs*)", op);
  else
    g_string_printf (pattern, PICK (patterns), op);
  g_string_append_printf (s, "set %s\n# Wrong.\nw%u-%u: %s -> ", sets[g_rand_int_range (rand, 0, (gint) n_sets)].name, seed, i,
                          pattern->str);
  gsize at = s->len;
  if (g_rand_int_range (rand, 0, 4) == 0) {
    g_string_append (s, "build ");
    write_term (s, rand, 0);
  } else {
    write_node (s, rand, 0);
  }
  g_string_append_printf (s, " %s\n", PICK (guards));
  /* unbound names are replaced by bound ones */
  static const char *const names[] = { "xs", "x", "y", "r", "l", "c", "a", "v", "op", "i", "n" };
  g_autofree char *result = g_strdup (s->str + at);
  g_string_truncate (s, at);
  for (const char *p = result; *p;) {
    gsize len = 0;
    while (g_ascii_isalnum (p[len]) || p[len] == '_')
      len++;
    if (len == 0) {
      g_string_append_c (s, *p++);
      continue;
    }
    g_autofree char *word = g_strndup (p, len);
    const char *put = word;
    for (gsize k = 0; k < G_N_ELEMENTS (names); k++)
      if (strcmp (names[k], word) == 0 && p[len] != '(') {
        g_autofree char *bound = g_strdup_printf ("\\b%s\\b", word);
        if (!g_regex_match_simple (bound, pattern->str, 0, 0))
          put = k == 0 || g_regex_match_simple ("\\bx\\b", pattern->str, 0, 0) == FALSE ? (strstr (pattern->str, "o=") ? "o" : "self")
                                                                                        : k < 5 ? "x" : put;
      }
    g_string_append (s, strcmp (put, "o") == 0 && p[len] == '*' ? "o" : put);
    p += len;
    if (strcmp (put, word) != 0 && *p == '*' && strcmp (word, "xs") == 0)
      p++;
  }
  g_string_free (pattern, TRUE);
  return g_string_free (s, FALSE);
}

/* A file of one to three rules; most of them parse. */
static char *
write_rules (guint32 seed, const LsRuleSetInfo *sets, guint n_sets)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  GString *s = g_string_new (NULL);
  guint n = (guint) g_rand_int_range (rand, 1, 4);
  for (guint i = 0; i < n; i++)
    for (guint tries = g_rand_int_range (rand, 0, 40) ? 60 : 1; tries > 0; tries--) {
      g_autofree char *rule = write_rule (rand, seed, i, sets, n_sets);
      g_autoptr (LsRuleLibrary) library = tries == 1 ? NULL : ls_rule_library_parse (ls_pipeline_rules (), rule, "made-up.rules", NULL);
      if (tries > 1 && !library)
        continue;
      g_string_append (s, rule);
      break;
    }
  return g_string_free (s, FALSE);
}

static guint
count_sets (const LsRuleSetInfo *sets)
{
  guint n = 0;
  while (sets[n].name)
    n++;
  return n;
}
