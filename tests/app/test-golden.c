/* The classic profile end to end: tree, listing and source of small programs as --debug 4 prints them, against files in golden/.
 *
 * The programs of reference listings (early 2024, target c) and the snippets whose Metal source is known. Lines with times are left out.
 * LS_UPDATE_GOLDEN=1 renews the files.
 */
#include "golden.h"
#include "spawn.h"

#include <string.h>

typedef struct { const char *name, *target, *text; } Program;

static const Program programs[] = {
  { "add1", "c", "(Tensor([1])+Tensor([2])).realize()" },
  { "add4", "c", "(Tensor([1.0,2.0,3.0,4.0])+Tensor([5.0,6.0,7.0,8.0])).realize()" },
  { "add_const", "c", "(Tensor([1,2,3])+2).realize()" },
  { "cast", "c", "Tensor([1,2,3]).cast(dtypes.float).realize()" },
  { "cast_chain", "c", "(Tensor([1.5,2.5,-3.5]).cast(dtypes.int)*2).cast(dtypes.half).realize()" },
  { "metal_add1", "metal", "a = Tensor([1])\nb = Tensor([2])\nc = a + b\nprint(c.numpy())" },
  { "metal_add3", "metal", "a = Tensor([1, 2, 3])\nb = Tensor([2, 5, 6])\nc = a + b\nprint(c.numpy())" },
  { "metal_cast", "metal", "a = Tensor([1,3])\nb = Tensor([4,3])\nc = (a + b).cast(dtypes.float32)\nprint(c.numpy())" },
};

static void
test_classic (gconstpointer data)
{
  const Program *p = data;
  g_auto (Spawned) s = { 0 };
  g_autofree char *file = g_strconcat (p->name, ".py", NULL), *golden = g_strdup_printf ("golden/%s.txt", p->name);
  g_autofree char *text = g_strconcat ("from tinygrad import Tensor, dtypes\n", p->text, "\n", NULL);
  write_file (file, text);
  /* which are always there */
  spawn_cli (&s, "run", file, "--target", p->target, "--set", "profile=classic", "--debug", "4", "--compiler",
             g_str_equal (p->target, "c") ? "tcc" : "interp", NULL);
  assert_status (&s, 0);
  g_autoptr (GString) kept = g_string_new (NULL);
  g_auto (GStrv) lines = g_strsplit (s.err, "\n", -1);
  for (char **line = lines; *line; line++)
    if (**line && !g_str_has_prefix (*line, "***") && !g_str_has_prefix (*line, "scheduled ") && !g_str_has_prefix (*line, "applied_opts"))
      g_string_append_printf (kept, "%s\n", *line);
  golden_check (golden, kept->str);
}

/* Two positions of a recording, two kernels, and a position with itself. */
static void
test_diff (void)
{
  static const struct { const char *golden, *a, *b; int status; } cases[] = {
    { "golden/diff-steps.txt", "d.lscope#1/ast/3", "d.lscope#1/index/1", 4 },
    { "golden/diff-kernels.txt", "d.lscope#1", "d.lscope#2", 4 },
    { "golden/diff-files.txt", "d.lscope#1/linearize", "d.py#1/linearize", 0 },
    { "golden/diff-base.txt", "d.lscope#1/lower/3~1/lower/1", NULL, 4 },
  };
  g_auto (Spawned) run = { 0 };
  write_file ("d.py", "from tinygrad import Tensor\na = Tensor([[1.0,2.0],[3.0,4.0]]).realize()\nb = (a*2+1).realize()\nc = "
                      "(b*3+a).realize()\nprint(c.tolist())\n");
  spawn_cli (&run, "run", "d.py", "--record", "d.lscope", "--compiler", "interp", NULL);
  assert_status (&run, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (Spawned) s = { 0 }, json = { 0 };
    spawn_cli (&s, "diff", cases[i].a, cases[i].b ? cases[i].b : "--context=1", NULL);
    assert_status (&s, cases[i].status);
    golden_check (cases[i].golden, s.out);
    spawn_cli (&json, "diff", "--json", cases[i].a, cases[i].b, NULL);
    assert_status (&json, cases[i].status);
    g_assert_nonnull (strstr (json.out, cases[i].status ? "\"equal\":false" : "\"equal\":true"));
  }
  g_auto (Spawned) half = { 0 }, nowhere = { 0 };
  spawn_cli (&half, "diff", "d.lscope#1", "d.lscope", NULL);
  assert_status (&half, 2);
  spawn_cli (&nowhere, "diff", "d.lscope#1", "d.lscope#9", NULL);
  assert_status (&nowhere, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  enter_folder ();
  for (gsize i = 0; i < G_N_ELEMENTS (programs); i++) {
    g_autofree char *path = g_strconcat ("/golden/classic/", programs[i].name, NULL);
    g_test_add_data_func (path, &programs[i], test_classic);
  }
  g_test_add_func ("/golden/diff", test_diff);
  int status = g_test_run ();
  leave_folder ();
  return status;
}
