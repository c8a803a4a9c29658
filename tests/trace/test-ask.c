/* Questions to recordings: wrong rules planted through a rules file are each named by bisect; blame reaches the program; why-not says what failed. */
#include <glib/gstdio.h>
#include <string.h>

#include "session.h"
#include "trace/ask.h"

static LsSession *
run_text (const char *text, const char *rules, const char *compiler)
{
  g_autoptr (GError) error = NULL;
  LsSettings settings;
  ls_settings_init (&settings);
  settings.REPEATS = 1;
  g_autofree char *path = NULL;
  if (rules) {
    int fd = g_file_open_tmp ("lazyscope-ask-XXXXXX.rules", &path, &error);
    g_assert_no_error (error);
    g_close (fd, NULL);
    g_assert_true (g_file_set_contents (path, rules, -1, &error));
  }
  const char *files[] = { path, NULL };
  g_autoptr (LsRuleLibrary) library = ls_rule_library_new (rules ? files : NULL, NULL, &error);
  g_assert_no_error (error);
  if (path)
    g_unlink (path);
  LsSession *s = ls_session_new (&settings, ls_target_find ("c"), compiler, library);
  ls_session_run_program (s, text, "test.py", NULL);      /* a wrong rule may make a kernel that fails */
  ls_session_finish (s);
  return s;
}

/* --- bisect --- */

typedef struct { const char *kind, *rule, *text, *program; } Planted;

#define FLOATS "a = Tensor([[1.5, -2.0, 3.25, 0.5], [4.0, 5.5, -6.0, 7.0]]).realize()\nb = Tensor([[0.5, 2.0, -0.0, 8.0], [1.0, -3.0, 0.25, 2.0]]).realize()\n"
#define INTS   "a = Tensor([[7, -3, 12, 100], [0, 5, -128, 127]]).realize()\nb = Tensor([[2, 3, 4, 5], [6, 7, 8, 9]]).realize()\n"

/* In a file of its own each; "set" lines place the rules. */
static const Planted planted[] = {
  { "wrong constant", "bad", "set symbolic\n# Wrong.\nbad: x:float * 2.0 -> x * 3.0\n", FLOATS "print((a * 2).tolist())\n" },
  { "off by one", "bad", "set symbolic\n# Wrong.\nbad: x:sint + 7 -> x + 8\n", INTS "print((a + 7).tolist())\n" },
  { "wrong guard", "bad", "set symbolic\n# Wrong.\nbad: MAX(x:sint, y) -> x when min(x) <= max(y)\n", INTS "print(a.maximum(b).tolist())\n" },
  { "overflow", "bad", "set decompose\n# Wrong.\nbad: x:sint * 2 -> (x * 1073741824) * 4\n", INTS "print((a * 2).tolist())\n" },
  { "dropped cast", "bad", "set symbolic\n# Wrong.\nbad: CAST(c=CAST(x:float)) -> x when same_dtype(self, x)\n", FLOATS "print(a.cast('int').cast('float').tolist())\n" },
  { "minus zero", "bad", "set symbolic\n# Wrong.\nbad: x:float + 0.0 -> x\n", FLOATS "print((b + 0.0).tolist())\n" },
  { "swapped operands", "bad", "set symbolic\n# Wrong.\nbad: x:float - y -> y - x when is_const(y)\n", FLOATS "print((a - 3).tolist())\n" },
  { "dropped operand", "bad", "set decompose\n# Wrong.\nbad: x:float + y -> x\n", FLOATS "print((a + b).tolist())\n" },
  { "wrong comparison", "bad", "set decompose\n# Wrong.\nbad: x:float < y -> x != y\n", FLOATS "print((a < b).tolist())\n" },
  { "inverted choice", "bad", "set symbolic\n# Wrong.\nbad: WHERE(c, x:float, y) -> WHERE(!c, x, y) when is_const(y)\n", FLOATS "print((a < 1).where(a, 2.0).tolist())\n" },
  { "wrong op", "bad", "set symbolic\n# Wrong.\nbad: MAX(x:float, y) -> x + y\n", FLOATS "print(a.maximum(b).tolist())\n" },
  { "dropped op", "bad", "set symbolic\n# Wrong.\nbad: SQRT(x) -> x\n", FLOATS "print((a * a).sqrt().tolist())\n" },
  { "off-by-one mask", "bad", "set gates\n# Wrong.\nbad: x:index < 5 -> x < 4\n", FLOATS "print(a.pad(((0, 0), (1, 1))).tolist())\n" },
  { "wrong index", "bad", "set symbolic\n# Wrong.\nbad: x:index * 4 -> x * 3\n", FLOATS "print(a.permute(1, 0).contiguous().tolist())\n" },
  { "wrong modulus", "bad", "set symbolic\n# Wrong.\nbad: x:sint % $c -> MOD(x, $c) when $c > 0\n", INTS "print((a % 5).tolist())\n" },
  { "wrong division", "bad", "set symbolic\n# Wrong.\nbad: x:sint // $c -> IDIV(x, $c) when $c > 0\n", INTS "print((a // 7).tolist())\n" },
  { "wrong shift", "bad", "set symbolic\n# Wrong.\nbad: x:sint * 4 -> x << 3\n", INTS "print((a * 4).tolist())\n" },
  { "infinity", "bad", "set symbolic\n# Wrong.\nbad: x:float * 0.0 -> 0.0\n", "a = Tensor([1.0, float('inf'), -2.0]).realize()\nprint((a * 0.0).tolist())\n" },
  { "reassociation", "bad", "set symbolic\n# Wrong.\nbad: (x:float + y) - y -> x\n", "a = Tensor([1.0, 3.0]).realize()\nb = Tensor([1e30, 2.0]).realize()\nprint(((a + b) - b).tolist())\n" },
  { "in a loop", "bad", "set decompose\n# Wrong.\nbad: x:float * y -> x + y\n", FLOATS "print((a @ b.permute(1, 0)).tolist())\n" },
  { "in an upcast loop", "bad", "set devectorize\n# Wrong.\nbad: x:float * y -> x + y\n", "a = Tensor.ones(32, 32).contiguous().realize()\nprint((a @ a).sum().item())\n" },
  { "tensor level", "bad", "set tensor\n# Wrong.\nbad: EXP2(x) -> x\n", FLOATS "print((a.exp2() + b).tolist())\n" },
  { "tensor level reduce", "bad", "set tensor\n# Wrong.\nbad: REDUCE_AXIS[ADD](NEG(x)) -> x when same_shape(self, x)\n# Wrong.\nbad-two: x:float * y -> x\n", FLOATS "print((a * b).sum(axis=1).tolist())\n" },
  { "second kernel", "bad", "set symbolic\n# Wrong.\nbad: x:float - 1.0 -> x - 2.0\n", FLOATS "c = a.sum(axis=1).contiguous()\nprint((c - 1).tolist())\n" },
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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (planted); i++) {
    g_autofree char *name = g_strdup_printf ("/trace/bisect/%s", planted[i].kind);
    g_strdelimit (name + 14, " ", '-');
    g_test_add_data_func (name, &planted[i], test_planted);
  }
  return g_test_run ();
}
