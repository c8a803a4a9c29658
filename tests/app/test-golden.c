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
  spawn_cli (&s, "run", file, "--target", p->target, "--set", "profile=classic", "--debug", "4", NULL);
  assert_status (&s, 0);
  g_autoptr (GString) kept = g_string_new (NULL);
  g_auto (GStrv) lines = g_strsplit (s.err, "\n", -1);
  for (char **line = lines; *line; line++)
    if (**line && !g_str_has_prefix (*line, "***") && !g_str_has_prefix (*line, "scheduled ") && !g_str_has_prefix (*line, "applied_opts"))
      g_string_append_printf (kept, "%s\n", *line);
  golden_check (golden, kept->str);
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
  int status = g_test_run ();
  leave_folder ();
  return status;
}
