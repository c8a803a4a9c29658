/* Questions to recordings: wrong rules planted through a rules file are each named by bisect; blame reaches the program; why-not says
 * what failed. */
#include <math.h>
#include <glib/gstdio.h>
#include <string.h>

#include "fixture.h"
#include "ask/ask.h"
#include "ir/sentence.h"
#include "ask/kernel-bounds.h"
#include "ask/reference.h"
#include "measure/compare.h"

/* A wrong rule may make a kernel that fails. */
static LsSession *
run_text (const char *text, const char *rules, const char *compiler)
{
  g_autoptr (GError) error = NULL;
  return fixture_run (&(FixtureRun) { .text = text, .rules = rules, .compiler = compiler }, &error);
}

/* --- bisect --- */

typedef struct { const char *kind, *rule, *text, *program; } Planted;

#define FLOATS "a = Tensor([[1.5, -2.0, 3.25, 0.5], [4.0, 5.5, -6.0, 7.0]]).realize()\nb = Tensor([[0.5, 2.0, -0.0, 8.0], [1.0, -3.0, " \
               "0.25, 2.0]]).realize()\n"
#define INTS   "a = Tensor([[7, -3, 12, 100], [0, 5, -128, 127]]).realize()\nb = Tensor([[2, 3, 4, 5], [6, 7, 8, 9]]).realize()\n"

/* In a file of its own each; "set" lines place the rules. */
static const Planted planted[] = {
  { "wrong constant", "bad", "set symbolic\n# Wrong.\nbad: x:float * 2.0 -> x * 3.0\n", FLOATS "print((a * 2).tolist())\n" },
  { "off by one", "bad", "set symbolic\n# Wrong.\nbad: x:sint + 7 -> x + 8\n", INTS "print((a + 7).tolist())\n" },
  { "wrong guard", "bad", "set symbolic\n# Wrong.\nbad: MAX(x:sint, y) -> x when min(x) <= max(y)\n",
    INTS "print(a.maximum(b).tolist())\n" },
  { "overflow", "bad", "set decompose\n# Wrong.\nbad: x:sint * 2 -> (x * 1073741824) * 4\n", INTS "print((a * 2).tolist())\n" },
  { "dropped cast", "bad", "set symbolic\n# Wrong.\nbad: CAST(c=CAST(x:float)) -> x when same_dtype(self, x)\n",
    FLOATS "print(a.cast('int').cast('float').tolist())\n" },
  { "minus zero", "bad", "set symbolic\n# Wrong.\nbad: x:float + 0.0 -> x\n", FLOATS "print((b + 0.0).tolist())\n" },
  { "swapped operands", "bad", "set symbolic\n# Wrong.\nbad: x:float - y -> y - x when is_const(y)\n", FLOATS "print((a - 3).tolist())\n" },
  { "dropped operand", "bad", "set decompose\n# Wrong.\nbad: x:float + y -> x\n", FLOATS "print((a + b).tolist())\n" },
  { "wrong comparison", "bad", "set decompose\n# Wrong.\nbad: x:float < y -> x != y\n", FLOATS "print((a < b).tolist())\n" },
  { "inverted choice", "bad", "set symbolic\n# Wrong.\nbad: WHERE(c, x:float, y) -> WHERE(!c, x, y) when is_const(y)\n",
    FLOATS "print((a < 1).where(a, 2.0).tolist())\n" },
  { "wrong op", "bad", "set symbolic\n# Wrong.\nbad: MAX(x:float, y) -> x + y\n", FLOATS "print(a.maximum(b).tolist())\n" },
  { "dropped op", "bad", "set symbolic\n# Wrong.\nbad: SQRT(x) -> x\n", FLOATS "print((a * a).sqrt().tolist())\n" },
  { "off-by-one mask", "bad", "set gates\n# Wrong.\nbad: x:index < 5 -> x < 4\n", FLOATS "print(a.pad(((0, 0), (1, 1))).tolist())\n" },
  { "wrong index", "bad", "set symbolic\n# Wrong.\nbad: x:index * 4 -> x * 3\n", FLOATS "print(a.permute(1, 0).contiguous().tolist())\n" },
  { "wrong modulus", "bad", "set symbolic\n# Wrong.\nbad: x:sint % $c -> MOD(x, $c) when $c > 0\n", INTS "print((a % 5).tolist())\n" },
  { "wrong division", "bad", "set symbolic\n# Wrong.\nbad: x:sint // $c -> IDIV(x, $c) when $c > 0\n", INTS "print((a // 7).tolist())\n" },
  { "wrong shift", "bad", "set symbolic\n# Wrong.\nbad: x:sint * 4 -> x << 3\n", INTS "print((a * 4).tolist())\n" },
  { "infinity", "bad", "set symbolic\n# Wrong.\nbad: x:float * 0.0 -> 0.0\n",
    "a = Tensor([1.0, float('inf'), -2.0]).realize()\nprint((a * 0.0).tolist())\n" },
  { "reassociation", "bad", "set symbolic\n# Wrong.\nbad: (x:float + y) - y -> x\n",
    "a = Tensor([1.0, 3.0]).realize()\nb = Tensor([1e30, 2.0]).realize()\nprint(((a + b) - b).tolist())\n" },
  { "in a loop", "bad", "set decompose\n# Wrong.\nbad: x:float * y -> x + y\n", FLOATS "print((a @ b.permute(1, 0)).tolist())\n" },
  { "in an upcast loop", "bad", "set devectorize\n# Wrong.\nbad: x:float * y -> x + y\n",
    "a = Tensor.ones(32, 32).contiguous().realize()\nprint((a @ a).sum().item())\n" },
  { "among expanded lanes", "bad", "set expand\n# Wrong.\nbad: x:float * y -> x + y\n",
    "a = Tensor.ones(32, 32).contiguous().realize()\nprint((a @ a).sum().item())\n" },
  { "in a vector accumulator", "bad", "set accumulate\n# Wrong.\nbad: x:float * y -> x + y\n",
    "a = Tensor.ones(32, 32).contiguous().realize()\nprint((a @ a).sum().item())\n" },
  { "tensor level", "bad", "set tensor\n# Wrong.\nbad: EXP2(x) -> x\n", FLOATS "print((a.exp2() + b).tolist())\n" },
  { "tensor level reduce", "bad", "set tensor\n# Wrong.\nbad: REDUCE_AXIS[ADD](NEG(x)) -> x when same_shape(self, x)\n# Wrong.\nbad-two: "
                                  "x:float * y -> x\n", FLOATS "print((a * b).sum(axis=1).tolist())\n" },
  { "second kernel", "bad", "set symbolic\n# Wrong.\nbad: x:float - 1.0 -> x - 2.0\n",
    FLOATS "c = a.sum(axis=1).contiguous()\nprint((c - 1).tolist())\n" },
};

static void
test_planted (gconstpointer data)
{
  const Planted *p = data;
  for (guint i = 0; i < 2; i++) {
    g_autoptr (LsSession) s = run_text (p->program, p->text, i ? "tcc" : "interp");
    g_autoptr (GError) error = NULL;
    g_autoptr (LsBisect) b = ls_bisect (s->trace, &error);
    g_assert_no_error (error);
    for (guint k = 0; k < b->notes->len; k++)
      g_test_message ("%s", (char *) b->notes->pdata[k]);
    if (!b->found || b->rule < 0) {
      g_test_message ("%s: %s", p->kind, b->found ? "only the pass was named" : "not found");
      g_test_fail ();
      return;
    }
    const LsTraceRule *r = s->trace->rules->pdata[b->rule];
    g_assert_true (g_str_has_prefix (r->name, p->rule));
    g_assert_cmpuint (b->step, >, 0);
    g_assert_nonnull (b->out_got);
  }
  g_autoptr (LsSession) right = run_text (p->program, NULL, "tcc");
  g_assert_cmpstr (right->trace->error, ==, NULL);
  g_autoptr (LsBisect) none = ls_bisect (right->trace, NULL);
  g_assert_false (none->found);
  g_assert_cmpuint (none->n_passes, >, 0);
}

/* --- blame --- */

#define FUSED "a = Tensor([1.0, 2.0, 3.0]).realize()\nb = Tensor([3.0, 2.0, 3.0]).realize()\nc = a + b\nd = c * a\ne = d.sqrt() - " \
              "1\nprint(e.tolist())\n"

/* The source line that shows a node of this op, and the program lines it comes from. */
static void
check_origin (LsTrace *t, guint kernel, LsOp op, guint line)
{
  g_autoptr (GError) error = NULL;
  LsKernel *k = ls_trace_kernel (t, kernel);
  for (guint i = 0; i < k->listing->len; i++) {
    LsUOp *u = ls_context_node (t->ctx, g_array_index (k->listing, guint32, i));
    if (u->op != op || !ls_dtype_is_float (u->dtype))
      continue;
    g_autoptr (LsBlame) b = ls_blame_node (t, kernel, u->id, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (b->lines->len, ==, 1);
    g_assert_cmpuint (g_array_index (b->lines, guint, 0), ==, line);
    g_assert_cmpuint (b->n_kind[LS_BLAME_MAPPED], ==, 1);
    g_assert_cmpuint (b->calls->len, >, 0);
    g_assert_cmpuint (b->decisions->len, ==, 1);
    return;
  }
  g_assert_not_reached ();
}

/* In every graph of the kernel's rewrites the op's node comes from that line. */
static void
check_origin_on_the_way (LsTrace *t, guint kernel, LsOp op, guint line)
{
  guint n = 0;
  for (guint i = 0; i < t->passes->len; i++) {
    const LsPass *pass = t->passes->pdata[i];
    for (guint step = 0; pass->kernel == kernel && pass->kind == LS_PASS_REWRITE && step <= ls_pass_n_rewrites (pass); step++) {
      g_autoptr (LsGraph) graph = ls_pass_graph (t, pass, step);
      for (guint k = 0; k < graph->nodes->len; k++) {
        LsUOp *u = graph->nodes->pdata[k];
        g_autoptr (GError) error = NULL;
        if (u->op != op || !ls_dtype_is_float (u->dtype))
          continue;
        g_autoptr (LsBlame) b = ls_blame_in_pass (t, pass, step, u->id, &error);
        g_assert_no_error (error);
        g_assert_cmpuint (b->kernel, ==, kernel);
        g_assert_cmpuint (b->lines->len, ==, 1);
        g_assert_cmpuint (g_array_index (b->lines, guint, 0), ==, line);
        g_assert_cmpuint (b->ast->len, >, 0);
        n++;
      }
    }
  }
  g_assert_cmpuint (n, >, 5);
}

static void
test_blame (void)
{
  g_autoptr (LsSession) s = run_text (FUSED, NULL, "tcc");
  g_autoptr (GError) error = NULL;
  LsTrace *t = s->trace;
  check_origin (t, 1, LS_OP_ADD, 3);
  check_origin (t, 1, LS_OP_MUL, 4);
  check_origin (t, 1, LS_OP_SQRT, 5);
  check_origin (t, 1, LS_OP_SUB, 5);
  check_origin_on_the_way (t, 1, LS_OP_ADD, 3);
  check_origin_on_the_way (t, 1, LS_OP_MUL, 4);
  check_origin_on_the_way (t, 1, LS_OP_SQRT, 5);
  g_assert_null (ls_blame_in_pass (t, t->passes->pdata[0], 0, 99999999, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_USAGE);
  g_clear_error (&error);
  /* a line out of range, and a kernel */
  g_assert_null (ls_blame_line (t, 1, 99, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_USAGE);
  g_clear_error (&error);
  g_assert_null (ls_blame_line (t, 7, 1, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_USAGE);
  g_clear_error (&error);
  /* forward: each line became something */
  for (guint line = 1; line <= 5; line++) {
    g_autoptr (GArray) found = ls_blame_from (t, line, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (found->len, >, 0);
  }
  g_autoptr (GArray) none = ls_blame_from (t, 6, &error);
  g_assert_cmpuint (none->len, ==, 0);
}

/* A variable of the source has the reason why it is one, with the loop of its line. */
static void
test_reasons (void)
{
  g_autoptr (LsSession) s = run_text ("a = Tensor.rand(32, 16).realize()\nb = Tensor.rand(16, 32).realize()\nprint((a @ "
                                      "b).tolist()[0][0])\n", NULL, "tcc");
  const LsKernel *k = s->trace->kernels->pdata[s->trace->kernels->len - 1];
  g_auto (GStrv) lines = g_strsplit (k->source, "\n", -1);
  guint n = 0;
  for (guint i = 0; lines[i]; i++) {
    const char *begin = lines[i] + strspn (lines[i], " ");
    if (!g_str_has_prefix (begin, "int alu"))
      continue;
    /* the innermost loop around it: the nearest line above that is indented less */
    int above = (int) i;
    while (strspn (lines[above], " ") >= strspn (lines[i], " "))
      above--;
    g_autofree char *name = g_strndup (begin + 4, strcspn (begin + 4, " ")), *loop = NULL,
                    *beginning = g_strdup_printf ("%s is a variable because it is used ", name), *end = NULL;
    const char *head = strstr (lines[above], "for (int ");
    g_assert_nonnull (head);
    loop = g_strndup (head + 9, strcspn (head + 9, " "));
    end = g_strdup_printf ("; it depends on %s, so it is in that loop", loop);
    g_autoptr (GError) error = NULL;
    g_autoptr (LsBlame) b = ls_blame_line (s->trace, k->number, i + 1, &error);
    g_assert_no_error (error);
    g_autofree char *reason = ls_blame_reason (s->trace, b);
    const char *first = reason ? strstr (reason, beginning) : NULL;
    if (!first || !strstr (first, end))
      g_error ("no reason '%s…%s' for: %s\n%s", beginning, end, lines[i], reason);
    n++;
  }
  g_assert_cmpuint (n, >, 2);
}

/* A guard on a comparison in a maximum has its reason, for the maximum and for its operands. */
static void
test_guards (void)
{
  g_autoptr (LsSession) s = run_text ("x = Tensor.rand(4, 6).realize()\nprint(x.max(1).tolist()[0])\n", NULL, "tcc");
  const LsKernel *k = s->trace->kernels->pdata[s->trace->kernels->len - 1];
  guint n = 0;
  for (guint i = 0; i < k->exprs->len; i++) {
    const LsExpr *e = &g_array_index (k->exprs, LsExpr, i);
    LsOp op = ls_context_node (s->trace->ctx, e->node)->op;
    g_autoptr (LsBlame) b = ls_blame_node (s->trace, k->number, e->node, NULL);
    g_autofree char *reason = b ? ls_blame_reason (s->trace, b) : NULL;
    gboolean told = reason && strstr (reason, "x != x is true for NaN only, which a maximum must keep");
    if (op == LS_OP_MAX || op == LS_OP_DEFINE_ACC) {
      g_assert_true (told);
      n++;
    } else if (op == LS_OP_RANGE)
      g_assert_false (told);
  }
  g_assert_cmpuint (n, ==, 2);
}

/* A constant that rules folded says what it is made of, down to the option and the program's line. */
static void
test_constants (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.options = "UPCAST:0:4", .compiler = "tcc",
                                         .text = "n = 64\nprint((Tensor.arange(n * n) * 7 % 23).cast('float').contiguous().tolist()[1])\n");
  const LsKernel *k = s->trace->kernels->pdata[s->trace->kernels->len - 1];
  g_auto (GStrv) lines = g_strsplit (k->source, "\n", -1);
  g_autoptr (GError) error = NULL;
  guint line = 0;
  while (lines[line] && !strstr (lines[line], "*28)"))
    line++;
  g_assert_nonnull (lines[line]);
  g_autoptr (LsBlame) b = ls_blame_line (s->trace, k->number, line + 1, &error);
  g_assert_no_error (error);
  g_autofree char *reason = ls_blame_reason (s->trace, b);
  g_test_message ("%s", reason);
  g_assert_nonnull (strstr (reason, "28 = 7 × 4 (mul-mul-const, "));
  g_assert_nonnull (strstr (reason, "\n4 is of the option UPCAST:0:4 (split-range, options/1)"));
  g_assert_nonnull (strstr (reason, "\n7 is of line 2 of the program"));
}

/* Every line of every example's kernels is mapped. */
static void
test_coverage (gconstpointer data)
{
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  g_assert_true (g_file_get_contents (data, &text, NULL, &error));
  g_autoptr (LsSession) s = run_text (text, NULL, "tcc");
  guint sum[LS_N_BLAME] = { 0 };
  for (guint k = 1; k <= s->trace->kernels->len; k++) {
    guint n[LS_N_BLAME];
    g_autoptr (GArray) unmapped = g_array_new (FALSE, FALSE, sizeof (guint32));
    ls_blame_coverage (s->trace, k, n, unmapped);
    g_assert_cmpuint (unmapped->len, ==, 0);
    for (guint i = 0; i < LS_N_BLAME; i++)
      sum[i] += n[i];
  }
  g_test_message ("%u mapped, %u ambiguous, %u synthetic, %u unmapped", sum[LS_BLAME_MAPPED], sum[LS_BLAME_AMBIGUOUS],
                  sum[LS_BLAME_SYNTHETIC], sum[LS_BLAME_UNMAPPED]);
  if (s->trace->kernels->len > 0)      /* one may have nothing but rewrites of its own */
    g_assert_cmpuint (sum[LS_BLAME_MAPPED], >, 0);
}

/* A kernel that runs another's code goes through that one's passes and its own schedule. */
static void
test_shared_code (void)
{
  g_autoptr (LsSession) s = run_text ("a = Tensor([1.0, 2.0]).realize()\nb = (a + 3).realize()\nc = (b + 3).realize()\nprint(c.tolist())\n",
                                      NULL, "tcc");
  LsKernel *k = ls_trace_kernel (s->trace, 2);
  g_assert_cmpint (k->same_as, ==, 1);
  check_origin (s->trace, 1, LS_OP_ADD, 2);
  check_origin (s->trace, 2, LS_OP_ADD, 3);
  g_autoptr (LsBlame) b = ls_blame_node (s->trace, 2, g_array_index (k->listing, guint32, k->listing->len - 2), NULL);
  gboolean own = FALSE;
  for (guint i = 0; i < b->origins->len; i++) {      /* the other kernel's passes, then its own, then the program's */
    const LsPass *p = s->trace->passes->pdata[g_array_index (b->origins, LsOrigin, i).pass];
    own |= p->kernel == 2;
    g_assert_true (p->kernel != 1 || !own);
  }
  g_assert_cmpuint (((LsPass *) s->trace->passes->pdata[g_array_index (b->origins, LsOrigin, 0).pass])->kernel, ==, 1);
  g_assert_true (own);
}

/* --- why-not --- */

static const char *
why (LsTrace *t, const char *pass_name, LsOp op, const char *rule, LsWhyNot **out)
{
  g_autoptr (GError) error = NULL;
  LsPass *pass = ls_trace_pass (t, 1, pass_name);
  g_autoptr (GPtrArray) order = ls_uop_toposort (t->ctx, ls_context_node (t->ctx, pass->input));
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i];
    if (u->op != op || ls_dtype_base (u->dtype) == LS_BASE_INDEX)
      continue;
    g_clear_pointer (out, ls_why_not_free);
    *out = ls_why_not (t, pass, G_MAXUINT, u->id, rule, &error);
    g_assert_no_error (error);
    return (*out)->stage;
  }
  g_assert_not_reached ();
}

static void
test_why_not (void)
{
  g_autoptr (LsSession) s = run_text ("a = Tensor([[7, -3, 12], [100, 0, 5]]).realize()\nprint((a * 4 + a.permute(1, 0).reshape(2, 3) % "
                                      "7).tolist())\n", NULL, "tcc");
  g_autoptr (GError) error = NULL;
  LsTrace *t = s->trace;
  LsWhyNot *w = NULL;
  g_assert_cmpstr (why (t, "simplify", LS_OP_MUL, "add-zero", &w), ==, "op");
  g_assert_nonnull (strstr (w->text, "requires ADD"));
  g_assert_cmpstr (why (t, "simplify", LS_OP_MUL, "mul-one", &w), ==, "constant");
  g_assert_cmpstr (why (t, "simplify", LS_OP_MUL, "lower-load", &w), ==, "not-in-set");
  g_assert_cmpstr (why (t, "simplify", LS_OP_FLOORMOD, "floormod-const", &w), !=, "not-in-set");
  g_assert_cmpstr (why (t, "decompose", LS_OP_FLOORMOD, "floormod-plain", &w), ==, "guard");
  g_assert_nonnull (strstr (w->text, "min(x) = "));
  g_assert_cmpuint (w->bindings->len, ==, 2);
  g_assert_cmpstr (why (t, "decompose", LS_OP_FLOORMOD, "floormod-unsigned", &w), ==, "dtype");
  g_assert_nonnull (strstr (w->text, "class uint"));
  ls_why_not_free (w);
  /* the sentence of a false guard, which the card of a step has for the same guard */
  g_autoptr (LsSession) plus = run_text ("print((Tensor([1.0, 2.0]) + 3).tolist())\n", NULL, "tcc");
  LsPass *tensor = ls_trace_pass (plus->trace, 0, "tensor");
  g_autoptr (GPtrArray) order = ls_uop_toposort (plus->trace->ctx, ls_context_node (plus->trace->ctx, tensor->input));
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i];
    if (u->op != LS_OP_ADD)
      continue;
    g_autoptr (LsWhyNot) guard = ls_why_not (plus->trace, tensor, G_MAXUINT, u->id, "neutral-right", NULL);
    g_assert_cmpstr (guard->stage, ==, "guard");
    g_assert_nonnull (strstr (guard->text, "The guard asks: Is the right operand filled with the op's neutral element? No.\n"));
  }
  LsPass *pass = ls_trace_pass (t, 1, "simplify");
  g_assert_null (ls_why_not (t, pass, G_MAXUINT, pass->input, "no-such-rule", &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_USAGE);
  g_clear_error (&error);
  static const struct { const char *pass, *rule, *says; } none[] = {
    { "simplify", "lower-load", "lower-load belongs to the set lower, and pass simplify runs symbolic+gates." },
    { "render", "mul-one", "Pass render is not a rewrite: it has no rules." },
    { "simplify", "where-same", "Pass simplify met no node with the op that the pattern of where-same begins with." },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (none); i++) {
    g_autofree char *says = ls_why_not_no_node (t, ls_trace_pass (t, 1, none[i].pass), none[i].rule);
    g_assert_cmpstr (says, ==, none[i].says);
  }
  g_assert_null (ls_why_not (t, pass, G_MAXUINT, 4000000, "add-zero", &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_USAGE);
  /* every recorded step says that it fired */
  for (guint i = 0; i < t->passes->len; i++) {
    LsPass *p = t->passes->pdata[i];
    for (guint k = 1; k <= ls_pass_n_rewrites (p); k++) {
      const LsLink *l = ls_pass_step_link (p, k);
      g_autoptr (LsWhyNot) fired = ls_why_not (t, p, G_MAXUINT, l->before, ((LsTraceRule *) t->rules->pdata[l->rule])->name, NULL);
      g_assert_cmpstr (fired->stage, ==, "fired");
      g_assert_cmpuint (fired->fired_step, ==, k);
    }
  }
}

/* --- rules, diff, values --- */

static void
test_rules (void)
{
  g_autoptr (LsSession) s = run_text (FLOATS "print((a - 3).tolist())\n",
                                      "set symbolic\n# A minus.\nminus: x:float - 3.0 -> x + -3.0\nset decompose\n# A plus.\nplus: "
                                      "x:float + -3.0 -> x - 3.0\n", "tcc");
  g_autoptr (LsRuleReport) r = ls_rule_report (s->trace);
  guint64 hits = 0, steps = 0;
  for (guint i = 0; i < r->totals->len; i++)
    hits += g_array_index (r->totals, LsRuleTotal, i).hits;
  for (guint i = 0; i < s->trace->passes->len; i++)
    steps += ls_pass_n_rewrites (s->trace->passes->pdata[i]);
  g_assert_cmpuint (hits, ==, steps);
  g_assert_cmpuint (r->undo->len, ==, 1);
  const LsUndoPair *p = &g_array_index (r->undo, LsUndoPair, 0);
  g_assert_cmpstr (((LsTraceRule *) s->trace->rules->pdata[p->a])->name, ==, "minus");
  g_assert_cmpstr (((LsTraceRule *) s->trace->rules->pdata[p->b])->name, ==, "plus");
  g_assert_cmpuint (p->step_b, >, 0);
}

static void
test_diff (void)
{
  g_autoptr (LsSession) a = run_text (FUSED, NULL, "tcc"), same = run_text (FUSED, NULL, "tcc");
  g_autoptr (LsSession) b = run_text (FUSED, "set symbolic\n# Wrong.\nbad: x:float - 1.0 -> x - 2.0\n", "tcc");
  g_autoptr (LsSession) c = run_text ("x = Tensor([1.0]).realize()\nprint((x * 5).tolist())\n" FUSED, NULL, "tcc");
  g_autoptr (LsTraceDiff) none = ls_trace_diff (a->trace, same->trace);
  g_assert_cmpuint (none->differences->len, ==, 0);
  g_assert_cmpuint (none->kernels->len, ==, 1);
  g_autoptr (LsTraceDiff) rule = ls_trace_diff (a->trace, b->trace);
  const LsKernelPair *pair = &g_array_index (rule->kernels, LsKernelPair, 0);
  g_assert_false (pair->same);
  g_assert_cmpint (pair->pass_b, >=, 0);
  g_assert_cmpstr (pair->rule_b, ==, "bad");
  gboolean output = FALSE;
  for (guint i = 0; i < rule->differences->len; i++)
    output |= g_str_equal (g_array_index (rule->differences, LsDifference, i).section, "output");
  g_assert_true (output);
  /* a kernel more in front: the other ones still find each other */
  g_autoptr (LsTraceDiff) more = ls_trace_diff (a->trace, c->trace);
  g_assert_cmpuint (more->kernels->len, ==, 2);
  pair = &g_array_index (more->kernels, LsKernelPair, 0);
  g_assert_cmpuint (pair->a, ==, 0);
  pair = &g_array_index (more->kernels, LsKernelPair, 1);
  g_assert_true (pair->same);
  g_assert_cmpuint (pair->b, ==, 2);
}

static void
test_values (void)
{
  g_autoptr (LsSession) s = run_text ("a = Tensor([1.5, -2.0, 0.25]).realize()\nprint(((a - 1).log() + 3).tolist())\n", NULL, "tcc");
  g_autoptr (GError) error = NULL;
  LsTrace *t = s->trace;
  LsPass *pass = ls_trace_pass (t, 1, "simplify");
  g_autoptr (LsValues) hit = ls_values (t, pass, 0, LS_NO_NODE, "nan", 10, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hit->node, !=, LS_NO_NODE);
  g_assert_cmpint (ls_context_node (t->ctx, hit->node)->op, ==, LS_OP_LOG2);
  g_assert_cmpuint (hit->element, ==, 1);
  g_assert_cmpstr (hit->value, ==, "nan");
  g_assert_cmpuint (hit->inputs->len, ==, 1);
  g_assert_cmpstr (g_array_index (hit->inputs, LsAskInput, 0).value, ==, "-3.0");
  g_autoptr (LsValues) all = ls_values (t, pass, ls_pass_n_rewrites (pass), g_array_index (hit->inputs, LsAskInput, 0).node, NULL, 10,
                                        &error);
  g_assert_no_error (error);
  g_assert_cmpuint (all->n, ==, 3);
  g_assert_cmpstr (g_array_index (all->text, char *, 0), ==, "0.5");
  g_assert_cmpstr (g_array_index (all->text, char *, 2), ==, "-0.75");
  g_assert_null (ls_values (t, pass, 0, LS_NO_NODE, ">>3", 10, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_USAGE);
  g_clear_error (&error);
  g_assert_null (ls_values (t, pass, 0, 4000000, NULL, 10, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_USAGE);
}

/* A node that depends on an accumulator has a value each time it is executed: a PHI's last iteration is the sum, in lanes too. */
static void
test_values_executed (void)
{
  g_autoptr (LsSession) s = run_text ("from tinygrad import Tensor\na = Tensor.arange(200).reshape(2, 100).float().contiguous().realize()\n"
                                      "print((a - 120).sqrt().sum(axis=1).tolist())\nprint(a.sum(axis=1).tolist())\n", NULL, "tcc");
  g_autoptr (GError) error = NULL;
  LsTrace *t = s->trace;
  guint n_sums = 0, n_phis = 0;
  LsPass *pass = NULL;
  for (guint i = 0; i < t->passes->len; i++) {
    LsPass *p = t->passes->pdata[i];
    g_autoptr (LsGraph) graph = p->kernel == t->kernels->len && p->kind == LS_PASS_REWRITE ? ls_pass_graph (t, p, ls_pass_n_rewrites (p))
                                                                                           : NULL;
    for (guint k = 0; graph && k < graph->nodes->len; k++) {
      LsUOp *u = graph->nodes->pdata[k];
      if (u->op != LS_OP_PHI && u->op != LS_OP_STORE)
        continue;
      g_autoptr (LsValues) v = ls_values (t, p, ls_pass_n_rewrites (p), u->id, NULL, 400, &error);
      if (!v) {
        g_assert_error (error, LS_ERROR, LS_ERROR_USAGE);      /* a STORE above the loops */
        g_clear_error (&error);
        continue;
      }
      if (!v->executed)
        continue;
      g_assert_cmpuint (v->at->len, ==, v->text->len);
      g_assert_true (g_str_has_prefix (v->shape, "executed "));
      if (u->op == LS_OP_STORE) {
        n_sums++;
        g_assert_cmpfloat (v->statistics.max, ==, 14950);
        g_assert_cmpfloat (v->statistics.min, ==, 4950);
        g_assert_cmpuint (v->n, ==, 2);
        continue;
      }
      n_phis++;
      pass = p;
      g_assert_cmpuint (v->n % 2, ==, 0);
      g_assert_cmpfloat (v->statistics.max, <=, 14950);
      /* the first iteration's label is that of zeros, and the last one's is the range's end */
      g_assert_true (g_str_has_prefix (g_array_index (v->at, char *, 0), "i=0, j=0"));
      g_assert_true (g_str_has_prefix (g_array_index (v->at, char *, v->n - 1), "i=1, j="));
    }
  }
  g_assert_cmpuint (n_sums, >, 0);
  g_assert_cmpuint (n_phis, >, 0);
  g_test_message ("%u stores, %u accumulators executed", n_sums, n_phis);
  /* in the kernel before there is NaN from the first element on: at -120 */
  LsPass *same = ls_trace_pass (t, t->kernels->len - 1, pass->name);
  g_autoptr (LsValues) hit = ls_values (t, same, ls_pass_n_rewrites (same), LS_NO_NODE, "nan", 4, &error);
  g_assert_no_error (error);
  g_assert_true (hit->executed);
  g_assert_cmpint (ls_context_node (t->ctx, hit->node)->op, ==, LS_OP_SQRT);
  g_assert_cmpuint (hit->element, ==, 0);
  g_assert_true (g_str_has_prefix (hit->where, "(i=0, j=0"));
  g_assert_cmpstr (g_array_index (hit->inputs, LsAskInput, 0).value, ==, "-120.0");
  g_autoptr (LsValues) none = ls_values (t, same, ls_pass_n_rewrites (same), LS_NO_NODE, "==77.5", 4, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (none->node, ==, LS_NO_NODE);
  g_assert_cmpuint (none->n_searched, >, 2);
}

static int
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* The elements of a kernel's result as text, in ascending order of the text. */
static GPtrArray *
recorded_result (const LsTrace *t, const LsKernel *k)
{
  const LsTraceBuffer *b = t->buffers->pdata[g_array_index (k->buffers, guint, 0)];
  LsDType dtype = ls_dtype_strong (b->dtype);
  GPtrArray *out = g_ptr_array_new_with_free_func (g_free);
  for (guint64 i = 0; b->data && i < b->n_elements; i++)
    g_ptr_array_add (out, ls_scalar_print (dtype, ls_scalar_load (dtype, b->data + i * ls_dtype_itemsize (dtype))));
  g_ptr_array_sort (out, by_text);
  return out;
}

static gboolean
writes_result (const LsUOp *u)
{
  const LsUOp *p = u->op == LS_OP_STORE && u->n_src == 2 ? u->src[0] : NULL;
  while (p && p->op != LS_OP_DEFINE_GLOBAL)
    p = p->n_src ? p->src[0] : NULL;
  return p && p->arg.i == 0;
}

/* The values of the STOREs of a graph are together the elements of the kernel's result. */
static guint
check_stores (LsTrace *t, LsPass *p, guint step, GPtrArray *expected)
{
  g_autoptr (LsGraph) graph = ls_pass_graph (t, p, step);
  g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (g_free);
  guint n = 0;
  for (guint i = 0; graph && i < graph->nodes->len; i++) {
    LsUOp *u = graph->nodes->pdata[i];
    if (!writes_result (u))
      continue;
    g_autoptr (LsValues) v = ls_values (t, p, step, u->id, NULL, 4096, NULL);
    if (!v)
      return 0;      /* between two forms; of a loop that is not there yet */
    g_assert_true (v->dtype == ls_dtype_scalar (u->src[1]->dtype));
    for (guint k = 0; k < v->text->len; k++)
      g_ptr_array_add (found, g_strdup (g_array_index (v->text, char *, k)));
    n++;
  }
  if (!n)
    return 0;
  g_ptr_array_sort (found, by_text);
  g_assert_cmpuint (found->len, ==, expected->len);
  for (guint i = 0; i < found->len; i++)
    if (!g_str_equal (found->pdata[i], expected->pdata[i]))
      g_error ("kernel %u, %s, step %u: a STORE has the value %s where the result has %s", p->kernel, p->name, step,
               (char *) found->pdata[i], (char *) expected->pdata[i]);
  return n;
}

/* What a STORE's values are said to be is what the run stored, in every pass that has one. */
static void
test_values_stored (void)
{
  static const FixtureRun runs[] = {
    { .text = "a = Tensor([1., 2., 3., 4.])\nb = Tensor([10., 20., 30.])\n"
              "m = a.reshape(4, 1).expand(4, 3) * b.reshape(1, 3).expand(4, 3)\n"
              "print(m.relu().sum(axis=1).tolist(), m.max(axis=1).tolist())\n" },
    { .text = "a = Tensor([1, 2, 3, 4, 5])\nprint((a * 2).tolist(), (a < 3).tolist(), a.cast('half').tolist())\n" },
    { .text = "a = Tensor([1, 2, 3, 4, 5])\nprint((a * 2).tolist())\n", .options = "PADTO:0:8" },
    { .text = "a = Tensor([1, 2, 3, 4, 5])\nprint((a * 2).tolist())\n", .options = "PADTO:0:8,UPCAST:0:4" },
    { .file = "views.py" }, { .file = "views.py", .settings = "DEVECTORIZE=0" }, { .file = "views.py", .target = "metal" },
    { .file = "add_lists.py", .settings = "CLASSIC=1" }, { .file = "cast.py" },
  };
  guint n_stores = 0;
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++) {
    g_autoptr (LsSession) s = fixture_run (&runs[i], NULL);
    LsTrace *t = s->trace;
    for (guint k = 0; k < t->passes->len; k++) {
      LsPass *p = t->passes->pdata[k];
      const LsKernel *kernel = ls_trace_kernel (t, p->kernel);
      if (!kernel || p->kind != LS_PASS_REWRITE || !kernel->buffers->len)
        continue;
      g_autoptr (GPtrArray) expected = recorded_result (t, kernel);
      n_stores += check_stores (t, p, 0, expected) + check_stores (t, p, ls_pass_n_rewrites (p), expected);
    }
  }
  g_test_message ("%u stores", n_stores);
  g_assert_cmpuint (n_stores, >, 100);
}

/* --- queries --- */

/* Statistics are of finite values, a bin is the mean of its values or the worst of them. */
static void
test_picture (void)
{
  g_autoptr (LsSession) s = run_text ("from tinygrad import Tensor\na = Tensor.arange(300).reshape(3, 100).float().contiguous().realize()\n"
                                      "b = (a - 200).sqrt()\nprint((1 / b).sum().item())\n", NULL, "tcc");
  g_autoptr (GError) error = NULL;
  LsTrace *t = s->trace;
  LsPass *pass = ls_trace_pass (t, t->kernels->len, "ast");
  guint n_steps = ls_pass_n_rewrites (pass), n_roots = 0, n_loads = 0;
  g_autoptr (LsGraph) graph = ls_pass_graph (t, pass, n_steps);
  for (guint k = 0; k < graph->nodes->len; k++) {
    LsUOp *u = graph->nodes->pdata[k];
    if (u->op != LS_OP_SQRT && u->op != LS_OP_LOAD)
      continue;
    g_autoptr (LsValues) v = ls_values (t, pass, n_steps, u->id, NULL, 4, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (v->n, ==, 300);
    const LsStatistics *st = &v->statistics;
    const LsPicture *p = &v->picture;
    if (u->op == LS_OP_LOAD) {
      g_assert_cmpfloat (st->min, ==, 0);
      g_assert_cmpfloat (st->max, ==, 299);
      g_assert_cmpfloat_with_epsilon (st->mean, 149.5, 1e-9);
      g_assert_cmpfloat_with_epsilon (st->std, 86.6020592, 1e-6);
      g_assert_cmpuint (st->n_zero, ==, 1);
      g_assert_cmpuint (st->n_nan + st->n_inf, ==, 0);
      g_assert_cmpuint ((guint64) p->rows * p->bin_rows * p->row_length, >=, 300);
      g_assert_cmpfloat (p->bins[0], ==, p->bin_columns == 1 ? 0 : ((double) p->bin_columns - 1) / 2);
      n_loads++;
    } else {
      g_assert_cmpuint (st->n_nan, ==, 200);
      g_assert_cmpuint (st->n_zero, ==, 1);
      g_assert_cmpfloat_with_epsilon (st->max, sqrt (99), 1e-5);
      g_assert_true (isnan (p->bins[0]));
      n_roots++;
    }
  }
  g_assert_cmpuint (n_roots, ==, 1);
  g_assert_cmpuint (n_loads, >=, 1);
  g_autoptr (LsValues) odd = ls_values (t, pass, n_steps, LS_NO_NODE, "nonfinite", 4, &error);
  g_assert_cmpstr (ls_op_name (ls_context_node (t->ctx, odd->node)->op), ==, "SQRT");
}

/* A view, the movement ops that it stands for and the index that it becomes touch the same elements in the same order. */
static void
test_access (void)
{
  g_autoptr (LsSession) s = run_text ("from tinygrad import Tensor\na = Tensor.arange(24).reshape(4, 6).contiguous().realize()\n"
                                      "print(a.permute(1, 0).flip(0)[1:4, ::2].contiguous().tolist())\n", NULL, "tcc");
  static const gint64 expected[] = { 4, 16, 3, 15, 2, 14 };      /* columns 4, 3, 2 of rows 0 and 2 */
  LsTrace *t = s->trace;
  g_autoptr (GError) error = NULL;
  guint n_movement = 0, n_views = 0, n_indices = 0, kernel = t->kernels->len;
  for (guint i = 0; i < t->passes->len; i++) {
    const LsPass *pass = t->passes->pdata[i];
    if (pass->kernel != kernel)
      continue;
    g_autoptr (LsGraph) graph = ls_pass_graph (t, pass, ls_pass_n_rewrites (pass));
    for (guint k = 0; k < graph->nodes->len; k++) {
      LsUOp *u = graph->nodes->pdata[k];
      LsShape shape;
      gboolean whole = ls_uop_get_shape (t->ctx, u, &shape, NULL) && ls_shape_size (shape) == 6;
      gboolean movement = ls_op_is_movement (u->op) && whole && u->op != LS_OP_RESHAPE;
      if (!movement && u->op != LS_OP_LOAD && !(u->op == LS_OP_VIEW && whole))
        continue;
      g_autoptr (LsAccess) a = ls_access (graph->ctx, graph->names, u, NULL, 0, &error);
      if (u->op == LS_OP_LOAD && u->src[0]->op != LS_OP_INDEX && !a) {      /* of a whole buffer */
        g_clear_error (&error);
        continue;
      }
      g_assert_no_error (error);
      if (a->points->len != G_N_ELEMENTS (expected) || g_array_index (a->points, gint64, 0) != expected[0])
        continue;      /* half way through the movement ops */
      g_assert_cmpuint (a->every, ==, 1);
      /* a view in a LOAD has no buffer of its own: up to its largest index */
      g_assert_cmpuint (a->n_elements, ==, a->buffer == LS_NO_NODE ? 17 : 24);
      g_assert_cmpmem (a->points->data, sizeof expected, expected, sizeof expected);
      n_movement += movement;
      n_views += a->views->len > 0 && !movement;
      n_indices += u->op == LS_OP_LOAD && a->views->len == 0;
      /* a fixed axis leaves the iterations of the others */
      gint64 held[1] = { 1 };
      guint inner = (guint) (6 / g_array_index (a->axes, LsAccessAxis, 0).size);
      g_autoptr (LsAccess) one = ls_access (graph->ctx, graph->names, u, held, 1, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (one->points->len, ==, inner);
      g_assert_cmpint (g_array_index (one->points, gint64, 0), ==, expected[inner]);
    }
  }
  g_test_message ("%u movement ops, %u views, %u indices", n_movement, n_views, n_indices);
  g_assert_cmpuint (n_views, >, 0);
  g_assert_cmpuint (n_indices, >, 0);
  g_assert_null (ls_access (t->ctx, NULL, ls_context_node (t->ctx, ls_trace_kernel (t, 1)->final_root), NULL, 0, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_USAGE);
  g_clear_error (&error);
  /* more iterations than the limit: sampled, over the whole */
  g_autoptr (LsSession) large = run_text ("from tinygrad import Tensor\na = Tensor.ones(256, "
                                          "256).contiguous().realize()\nprint(a.permute(1, 0).contiguous().sum().item())\n", NULL, "tcc");
  guint sampled = 0;
  for (guint32 id = 0; id < ls_context_n_nodes (large->trace->ctx); id++) {
    LsUOp *u = ls_context_node (large->trace->ctx, id);
    g_autoptr (LsAccess) a = u->op == LS_OP_PERMUTE ? ls_access (large->trace->ctx, NULL, u, NULL, 0, NULL) : NULL;
    if (!a)
      continue;
    gint64 most = 0;
    g_assert_cmpuint (a->n_points, ==, 65536);
    g_assert_cmpuint (a->every, >, 1);
    g_assert_cmpuint (a->points->len, <=, LS_ACCESS_MOST);
    for (guint k = 0; k < a->points->len; k++)
      most = MAX (most, g_array_index (a->points, gint64, k));
    g_assert_cmpint (most, >, 60000);
    sampled++;
  }
  g_assert_cmpuint (sampled, >, 0);
}

/* Every example query of the schema's page runs in the sqlite3 shell on a recording. */
static void
test_queries (void)
{
  g_autofree char *shell = g_find_program_in_path ("sqlite3"), *text = NULL, *page = NULL;
  g_autoptr (GError) error = NULL;
  if (!shell) {
    g_test_skip ("there is no sqlite3 shell");
    return;
  }
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "..", "..", "data", "trace-schema.md", NULL),
                  *directory = g_dir_make_tmp ("lazyscope-ask-XXXXXX", NULL);
  g_autofree char *file = g_build_filename (directory, "a.lscope", NULL);
  g_assert_true (g_file_get_contents (path, &page, NULL, &error));
  g_autofree char *program = g_build_filename (g_getenv ("LAZYSCOPE_PROGRAMS"), "softmax.py", NULL);
  g_assert_true (g_file_get_contents (program, &text, NULL, &error));
  g_autoptr (LsSession) s = run_text (text, NULL, "tcc");
  g_assert_true (ls_trace_save (s->trace, file, &error));
  guint n = 0, empty = 0;
  for (const char *p = strstr (page, "```sql\n"); p; p = strstr (p, "```sql\n")) {
    p += strlen ("```sql\n");
    g_autofree char *query = g_strndup (p, (gsize) (strstr (p, "```") - p)), *out = NULL, *err = NULL;
    char *args[] = { shell, (char *) "-readonly", file, query, NULL };
    int status = -1;
    g_assert_true (g_spawn_sync (NULL, args, NULL, 0, NULL, NULL, &out, &err, &status, &error));
    g_assert_cmpstr (err, ==, "");
    g_assert_true (g_spawn_check_wait_status (status, NULL));
    empty += !*out;
    n++;
  }
  g_test_message ("%u queries, %u without a row", n, empty);
  g_assert_cmpuint (n, >=, 12);
  g_assert_cmpuint (empty, <=, 1);      /* softmax makes no NaN */
  g_unlink (file);
  g_rmdir (directory);
}

/* --- how long answers take --- */

static void
test_time (void)
{
  g_autofree char *program = g_build_filename (g_getenv ("LAZYSCOPE_PROGRAMS"), "softmax.py", NULL), *text = NULL;
  g_assert_true (g_file_get_contents (program, &text, NULL, NULL));
  g_autoptr (LsSession) s = run_text (text, NULL, "tcc");
  LsTrace *t = s->trace;
  guint last = t->kernels->len;
  LsKernel *k = ls_trace_kernel (t, last);
  LsPass *pass = ls_trace_pass (t, last, "simplify");
  double most[3] = { 0 };
  for (guint round = 0; round < 5; round++) {
    gint64 begin = g_get_monotonic_time ();
    g_autoptr (LsBlame) b = ls_blame_line (t, last, g_array_index (k->source_links, LsSourceLink, k->source_links->len - 1).line, NULL);
    gint64 blamed = g_get_monotonic_time ();
    g_autoptr (LsValues) v = ls_values (t, pass, 0, LS_NO_NODE, "nan", 8, NULL);
    gint64 valued = g_get_monotonic_time ();
    g_autoptr (LsWhyNot) w = ls_why_not (t, pass, G_MAXUINT, pass->output, "add-zero", NULL);
    gint64 end = g_get_monotonic_time ();
    g_assert_nonnull (b);
    g_assert_nonnull (v);
    g_assert_nonnull (w);
    most[0] = MAX (most[0], (double) (blamed - begin) / 1e3);
    most[1] = MAX (most[1], (double) (valued - blamed) / 1e3);
    most[2] = MAX (most[2], (double) (end - valued) / 1e3);
  }
  g_test_message ("softmax: blame %.2f ms, values %.2f ms, why-not %.2f ms", most[0], most[1], most[2]);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpfloat (most[i], <, 50);
}

/* A node that several lines would have made has all of them. */
static void
test_all_makers (void)
{
  static const char program[] = "x = Tensor([1.0, 2.0, 3.0])\na = x * 1.5\nb = x * 1.5\nc = b + 1\nprint(c.tolist())\nd = (x + "
                                "1.5).realize()\n";
  static const struct { guint line; gboolean kernels[2]; } from[] = { { 2, { TRUE, TRUE } }, { 3, { TRUE, TRUE } }, { 4, { TRUE, FALSE } },
                                                                      { 6, { TRUE, TRUE } } };
  g_autoptr (LsSession) s = run_text (program, NULL, "interp");
  for (guint i = 0; i < G_N_ELEMENTS (from); i++) {
    g_autoptr (GArray) lines = ls_blame_from (s->trace, from[i].line, NULL);
    for (guint k = 1; k <= 2; k++) {
      gboolean found = FALSE;
      for (guint j = 0; j < lines->len; j++)
        found |= g_array_index (lines, LsDescendant, j).kernel == k;
      g_assert_cmpint (found, ==, from[i].kernels[k - 1]);
    }
  }
  guint n_kind[LS_N_BLAME];
  ls_blame_coverage (s->trace, 2, n_kind, NULL);
  g_assert_cmpuint (n_kind[LS_BLAME_AMBIGUOUS], >, 0);      /* the constant that three lines ask for */
}

/* --- inside --- */

/* For the last kernel of a text, with `less` elements missing in each of its buffers. */
static gboolean
stays_inside (const char *text, guint less, GError **error)
{
  g_autoptr (LsSession) s = fixture_run (&(FixtureRun) { .text = text, .settings = "NOOPT=1" }, NULL);
  const LsKernel *k = s->trace->kernels->pdata[s->trace->kernels->len - 1];
  g_autoptr (GPtrArray) list = ls_kernel_list (s->trace, k);
  guint n = k->buffers->len;
  LsBuffer buffers[4] = { 0 }, *at[4];
  g_assert_cmpuint (n, <=, 4);
  for (guint i = 0; i < n; i++) {
    const LsTraceBuffer *b = s->trace->buffers->pdata[g_array_index (k->buffers, guint, i)];
    gsize size = ls_dtype_itemsize (b->dtype);
    buffers[i] = (LsBuffer) { .id = (int) i, .dtype = b->dtype, .n = b->n_elements - less, .nbytes = (b->n_elements - less) * size };
    buffers[i].data = g_malloc0 (buffers[i].nbytes + 1);
    at[i] = &buffers[i];
  }
  gboolean inside = ls_kernel_stays_inside (s->ctx, list, n, at, error);
  for (guint i = 0; i < n; i++)
    g_free (buffers[i].data);
  return inside;
}

static void
test_inside (void)
{
  static const char *const texts[] = {
    "a = Tensor.arange(12).reshape(3, 4).contiguous().realize()\nb = (a * 2).sum(axis=1).realize()\n",
    "a = Tensor.arange(12).contiguous().realize()\nb = a.pad(((2, 3),)).contiguous().realize()\n",      /* behind a gate */
    "a = Tensor.arange(12).contiguous().realize()\ni = Tensor([3, 1, 11]).realize()\nb = a[i].realize()\n",
  };
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autofree char *text = g_strconcat ("from tinygrad import Tensor\n", texts[i], NULL);
    g_autoptr (GError) error = NULL, outside = NULL;
    g_assert_true (stays_inside (text, 0, &error));
    g_assert_no_error (error);
    g_assert_false (stays_inside (text, 1, &outside));
    g_assert_nonnull (strstr (outside->message, "this kernel of a recording is not compiled"));
  }
}

/* Anybody may have written a recording: contents that are edited are found by computing them again, and an index among them that lies
 * outside reads nothing there. */
static void
test_verify_inside (void)
{
  for (guint outside = 0; outside < 2; outside++) {
    g_autoptr (LsSession) s = FIXTURE_RUN (.text = "a = Tensor.arange(12).contiguous().realize()\ni = Tensor([3, 1, 11]).realize()\nb = "
                                                   "a[i].realize()\n", .compiler = "tcc");
    guint recomputed[2];
    for (guint edited = 0; edited < 2; edited++) {
      LsVerify *v = ls_trace_verify (s->trace);
      recomputed[edited] = v->recomputed;
      g_assert_cmpint (v->verdict == LS_VERIFY_PROVED, ==, !edited);
      ls_verify_free (v);
      for (guint i = 0; i < s->trace->buffers->len; i++) {
        LsTraceBuffer *b = s->trace->buffers->pdata[i];
        if (!b->data || b->n_elements != 3 || ((gint32 *) b->data)[0] != 3 || ((gint32 *) b->data)[2] != 11 ||
            i + 1 == s->trace->buffers->len)
          continue;
        ((gint32 *) b->data)[2] = outside ? 1 << 30 : 2;
        ls_trace_buffer_measure (b, b->data);      /* as who edits a recording with care */
      }
    }
    g_assert_cmpuint (recomputed[0], ==, 2);
    g_assert_cmpuint (recomputed[1], ==, 1);
  }
}

/* --- elsewhere --- */

#define TWICE "from tinygrad import Tensor\na = Tensor.arange(1024).reshape(32, 32).float().contiguous().realize()\nb = (a * 2 + " \
              "1).realize()\nc = (b @ b.T).realize()\nd = (a * 2 + 1).sum().realize()\n"

/* In the same run each position is itself; with other options the kernel is the one of its line. */
static void
test_elsewhere (void)
{
  g_autoptr (LsSession) s = fixture_run (&(FixtureRun) { .text = TWICE }, NULL),
      again = fixture_run (&(FixtureRun) { .text = TWICE }, NULL);
  g_autoptr (LsSession) other = fixture_run (&(FixtureRun) { .text = TWICE, .settings = "NOOPT=1" }, NULL),
      small = fixture_run (&(FixtureRun) { .text = "x = 1\n" }, NULL);
  guint n_steps = 0, n_kept = 0;
  for (guint i = 0; i < s->trace->passes->len; i++) {
    const LsPass *pass = s->trace->passes->pdata[i];
    LsPosition at = { s->trace, pass, ls_pass_n_rewrites (pass) }, there;
    for (; at.step <= ls_pass_n_rewrites (pass); at.step--) {
      g_assert_cmpint (ls_position_corresponding (&at, again->trace, &there), ==, LS_POSITION_STEP);
      g_assert_cmpuint (there.pass->index, ==, i);
      g_assert_cmpuint (there.step, ==, at.step);
      LsPositionFound kept = ls_position_corresponding (&at, other->trace, &there);
      g_assert_cmpint (kept, !=, LS_POSITION_NOTHING);
      g_assert_cmpuint (there.pass->kernel, ==, pass->kernel);
      g_assert_true (there.trace == other->trace && there.step <= ls_pass_n_rewrites (there.pass));
      n_steps++;
      n_kept += kept == LS_POSITION_STEP;
      if (pass->kernel)
        g_assert_cmpint (ls_position_corresponding (&at, small->trace, &there), ==, LS_POSITION_NOTHING);
    }
  }
  g_assert_cmpuint (n_kept * 2, >, n_steps);
  g_assert_cmpuint (n_kept, <, n_steps);      /* the options pass is not there */
}

/* One more statement before it: the kernel is found by its graph, not by its number. */
static void
test_elsewhere_moved (void)
{
  g_autoptr (LsSession) s = fixture_run (&(FixtureRun) { .text = TWICE }, NULL);
  g_autofree char *longer = g_strdup_printf ("from tinygrad import Tensor\nz = (Tensor([1.0, 2.0]) + 3).realize()\n%s",
                                             strchr (TWICE, '\n') + 1);
  g_autoptr (LsSession) more = fixture_run (&(FixtureRun) { .text = longer }, NULL);
  g_assert_cmpuint (more->trace->kernels->len, ==, s->trace->kernels->len + 1);
  for (guint k = 1; k <= s->trace->kernels->len; k++)
    g_assert_cmpuint (ls_kernel_corresponding (s->trace, k, more->trace), ==, k + 1);
  /* all at once, both ways: the added kernel is found by neither graph nor line */
  LsTrace *sides[] = { s->trace, more->trace };
  for (guint side = 0; side < 2; side++) {
    LsTrace *from = sides[side], *to = sides[1 - side];
    g_autofree guint *all = ls_kernels_corresponding (from, to), *lines = ls_kernel_lines (from);
    for (guint k = 1; k <= from->kernels->len; k++) {
      g_assert_cmpuint (all[k], ==, ls_kernel_corresponding (from, k, to));
      g_assert_cmpuint (lines[k], >, 0);
    }
  }
}

/* What a kernel does, of its graph. */
static void
test_words (void)
{
  g_autoptr (LsSession) s = fixture_run (&(FixtureRun) { .text =
    "from tinygrad import Tensor\nx = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]).realize()\na = (x * 2 + 1).realize()\n"
    "b = x.T.contiguous().realize()\nc = x.sum(axis=0).realize()\nd = x.max().realize()\ne = (x @ b).realize()\n" }, NULL);
  static const char *const expected[] = { "elementwise 2 × 3", "transpose 3 × 2", "sum 2 × 3 → 3",
                                          "maximum 2 × 3 → 1", "product 2 × 2 × 3" };
  g_assert_cmpuint (s->trace->kernels->len, ==, G_N_ELEMENTS (expected));
  for (guint k = 0; k < G_N_ELEMENTS (expected); k++) {
    g_autofree char *words = ls_kernel_words (s->trace, ls_trace_kernel (s->trace, k + 1)), *text = ls_sentence_text (words);
    g_assert_cmpstr (text, ==, expected[k]);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (planted); i++) {
    g_autofree char *name = g_strdup_printf ("/ask/bisect/%s", planted[i].kind);
    g_strdelimit (name + 14, " ", '-');
    g_test_add_data_func (name, &planted[i], test_planted);
  }
  g_test_add_func ("/ask/blame/fused", test_blame);
  g_test_add_func ("/ask/blame/reasons", test_reasons);
  g_test_add_func ("/ask/guards", test_guards);
  g_test_add_func ("/ask/blame/constants", test_constants);
  g_test_add_func ("/ask/blame/shared-code", test_shared_code);
  g_test_add_func ("/ask/why-not", test_why_not);
  g_test_add_func ("/ask/inside", test_inside);
  g_test_add_func ("/ask/verify-inside", test_verify_inside);
  g_test_add_func ("/ask/elsewhere", test_elsewhere);
  g_test_add_func ("/ask/elsewhere/moved", test_elsewhere_moved);
  g_test_add_func ("/ask/kernel-words", test_words);
  g_test_add_func ("/ask/rules", test_rules);
  g_test_add_func ("/ask/diff", test_diff);
  g_test_add_func ("/ask/values", test_values);
  g_test_add_func ("/ask/values-executed", test_values_executed);
  g_test_add_func ("/ask/values-stored", test_values_stored);
  g_test_add_func ("/ask/values/picture", test_picture);
  g_test_add_func ("/ask/access", test_access);
  g_test_add_func ("/ask/queries", test_queries);
  g_test_add_func ("/ask/time", test_time);
  const char *programs = g_getenv ("LAZYSCOPE_PROGRAMS");
  g_autoptr (GDir) dir = programs ? g_dir_open (programs, 0, NULL) : NULL;
  for (const char *name; dir && (name = g_dir_read_name (dir));) {
    g_autofree char *test = g_strdup_printf ("/ask/blame/coverage/%s", name);
    if (g_str_has_suffix (name, ".py"))
      g_test_add_data_func_full (test, g_build_filename (programs, name, NULL), test_coverage, g_free);
  }
  g_test_add_func ("/ask/blame/all-makers", test_all_makers);
  return g_test_run ();
}
