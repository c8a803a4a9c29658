/* The grammar of places: what is printed reads back as the same, what is written wrong says what is wrong with it, and each form
 * means one position. */
#include "fixture.h"
#include "trace/place.h"

#include <glib/gstdio.h>
#include <string.h>

/* --- text --- */

static char *
random_text (const char *alphabet, int most)
{
  int n = g_test_rand_int_range (1, most + 1), letters = (int) g_utf8_strlen (alphabet, -1);
  GString *s = g_string_new (NULL);
  for (int i = 0; i < n; i++)
    g_string_append_unichar (s, g_utf8_get_char (g_utf8_offset_to_pointer (alphabet, g_test_rand_int_range (0, letters))));
  return g_string_free (s, FALSE);
}

static LsPlacePoint
random_point (void)
{
  LsPlacePoint p = { (guint) g_test_rand_int_range (0, g_test_rand_bit () ? 4 : G_MAXINT), NULL, LS_PLACE_NONE };
  if (g_test_rand_bit ())
    p.pass = g_test_rand_bit () ? random_text ("ab-#2", 8) : random_text ("a#/~?%=0 é\x7f\n", 12);
  if (p.pass && g_test_rand_bit ())
    p.step = (guint) g_test_rand_int_range (0, g_test_rand_bit () ? 4 : G_MAXINT);
  return p;
}

/* Files that do not exist and hold no '#': only the file system can tell others apart. */
static void
test_round_trip (void)
{
  for (int i = 0; i < 20000; i++) {
    g_auto (LsPlace) place = LS_PLACE_INIT, again = LS_PLACE_INIT;
    g_autoptr (GError) error = NULL;
    place.at = random_point ();
    if (g_test_rand_bit ())
      place.base = random_point ();
    if (g_test_rand_bit ())
      place.node = (guint32) g_test_rand_int_range (0, G_MAXINT);
    if (g_test_rand_bit ())
      place.file = random_text ("ab/.~?%=0 é", 20);
    g_autofree char *text = ls_place_print (&place);
    if (place.file ? !ls_place_parse_link (text, &again, &error) : !ls_place_parse (text, &again, &error))
      g_error ("%s", error->message);
    g_autofree char *twice = ls_place_print (&again);
    g_assert_cmpstr (twice, ==, text);
    g_assert_true (ls_place_equal (&place, &again));
  }
}

/* Whatever is written: an error, or a place that prints as something that reads back as that place. */
static void
test_random_text (void)
{
  guint n_good = 0;
  for (int i = 0; i < 50000; i++) {
    g_autofree char *text = random_text (i % 2 ? "0123/#~?=node%abé" : "12/~?#", i % 3 ? 8 : 30);
    g_auto (LsPlace) place = LS_PLACE_INIT, again = LS_PLACE_INIT;
    g_autoptr (GError) error = NULL;
    gboolean link = g_test_rand_bit (), ok = link ? ls_place_parse_link (text, &place, &error) : ls_place_parse (text, &place, &error);
    if (ok) {
      g_autofree char *printed = ls_place_print (&place);
      g_assert_no_error (error);
      g_assert_true (link ? ls_place_parse_link (printed, &again, NULL) : ls_place_parse (printed, &again, NULL));
      g_assert_true (ls_place_equal (&place, &again));
      n_good++;
    } else {
      g_assert_error (error, LS_ERROR, LS_ERROR_USAGE);
      g_assert_true (place.at.kernel == LS_PLACE_NONE && !place.at.pass && place.base.kernel == LS_PLACE_NONE && !place.base.pass &&
                     place.node == LS_NO_NODE);
    }
  }
  g_assert_cmpuint (n_good, >, 1000);
}

static void
test_wrong (void)
{
  static const struct { const char *text, *says; } wrong[] = {
    { "", "a kernel's number is missing" }, { "x", "'x' is not a kernel's number" }, { "1/", "'' is not a pass's name" },
    { "-1", "'-1' is not a kernel's number" },
    { "1/simplify/x", "'x' is not a step's number" }, { "1/simplify/-1", "'-1' is not a step's number" },
    { "1/simplify/1/1", "has more than three parts" },
    { "1/simplify~", "a kernel's number is missing" }, { "1~2~3", "'2~3' is not a kernel's number" },
    { "1?17", "expected node= and a node's number after the '?', not '17'" },
    { "1?node=", "expected node= and a node's number after the '?', not 'node='" }, { "1?node=4294967295", "not 'node=4294967295'" },
    { "1/a%2", "'a%2' is not a pass's name" },
    { "1/a%00b", "'a%00b' is not a pass's name" }, { "99999999999", "'99999999999' is not a kernel's number" },
    { "1/simplify/99999999999", "is not a step's number" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_auto (LsPlace) place = LS_PLACE_INIT;
    g_autoptr (GError) error = NULL;
    g_assert_false (ls_place_parse (wrong[i].text, &place, &error));
    g_assert_error (error, LS_ERROR, LS_ERROR_USAGE);
    g_autofree char *begins = g_strdup_printf ("'%s' is not a place: ", wrong[i].text);
    if (!g_str_has_prefix (error->message, begins) || !strstr (error->message, wrong[i].says) ||
        !strstr (error->message, "such as 2/simplify/117"))
      g_error ("'%s': %s", wrong[i].text, error->message);
  }
}

/* --- files --- */

static void
test_files (void)
{
  g_autofree char *folder = g_dir_make_tmp ("lazyscope-place-XXXXXX", NULL), *inner = g_build_filename (folder, "a#2", NULL);
  g_mkdir (inner, 0700);
  static const char *const files[] = { "m.lscope", "odd#1.py", "a#2/b", "whole#3", "whole", "m.lscope#7" };
  for (gsize i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *path = g_build_filename (folder, files[i], NULL);
    g_assert_true (g_file_set_contents (path, "", 0, NULL));
  }
  static const struct { const char *link, *file, *rest; } links[] = {
    { "m.lscope", "m.lscope", NULL }, { "m.lscope#2/simplify#2/117", "m.lscope", "2/simplify#2/117" }, { "m.lscope#x", "m.lscope", "x" },
    { "m.lscope#", "m.lscope", "" },
    { "odd#1.py", "odd#1.py", NULL }, { "odd#1.py#1/lower/2", "odd#1.py", "1/lower/2" }, { "a#2/b", "a#2/b", NULL },
    { "a#2/b#3", "a#2/b", "3" },
    { "whole#3", "whole#3", NULL }, { "whole#4", "whole", "4" }, { "whole#3#4", "whole#3", "4" },
    { "m.lscope#7#2/lower~1?node=5", "m.lscope#7", "2/lower~1?node=5" },
    /* where nothing exists, the first '#' after which there is a place */
    { "none.lscope#2/simplify#2/117", "none.lscope", "2/simplify#2/117" }, { "none.py", "none.py", NULL },
    { "none#x.py#3/lower", "none#x.py", "3/lower" }, { "none.py#x", "none.py#x", NULL },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (links); i++) {
    const char *rest;
    g_autofree char *link = g_build_filename (folder, links[i].link, NULL), *file = g_build_filename (folder, links[i].file, NULL),
                    *got = ls_place_split (link, &rest);
    g_assert_cmpstr (got, ==, file);
    g_assert_cmpstr (rest, ==, links[i].rest);
    g_auto (LsPlace) place = LS_PLACE_INIT, inside = LS_PLACE_INIT;
    gboolean ok = ls_place_parse_link (link, &place, NULL);
    g_assert_cmpstr (place.file, ==, file);      /* of a wrong place, too */
    g_autofree char *printed = ls_place_print (&place);
    g_assert_cmpstr (printed, ==, ok ? link : file);
    g_assert_true (ok == (!rest || ls_place_parse (rest, &inside, NULL)));
  }
  for (gsize i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *path = g_build_filename (folder, files[i], NULL);
    g_remove (path);
  }
  g_rmdir (inner);
  g_rmdir (folder);
}

/* --- meaning --- */

static LsPosition
position_of (LsTrace *trace, const char *text)
{
  g_auto (LsPlace) place = LS_PLACE_INIT;
  g_autoptr (GError) error = NULL;
  LsPosition p = { NULL };
  g_assert_true (ls_place_parse (text, &place, &error) && ls_place_resolve (&place.at, trace, &p, &error));
  return p;
}

#define PROGRAM "from tinygrad import Tensor\na = (Tensor([1.0, 2.0]) * 2 + 1).realize()\n" \
                "b = (Tensor([3.0, 4.0]) * 2 + 1).realize()\nc = (a.sum() + b.max()).realize()\nprint(c.item())\n"

static void
test_meaning (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = PROGRAM);
  LsTrace *t = s->trace;
  LsPass *ast = ls_trace_pass (t, 1, "ast");
  g_assert_cmpint (ls_trace_kernel (t, 2)->same_as, ==, 1);
  LsPosition output = position_of (t, "1/ast"), input = position_of (t, "1/ast/0"), kernel = position_of (t, "1"),
             step = position_of (t, "1/ast/1");
  g_assert_true (output.pass == ast && output.step == ls_pass_n_steps (ast) && input.pass == ast && input.step == 0 && step.step == 1);
  g_autoptr (LsGraph) after = ls_position_graph (&output), before = ls_position_graph (&input);
  g_assert_cmpuint (after->root->id, ==, ast->output);
  g_assert_cmpuint (before->root->id, ==, ast->input);
  /* a kernel is its last rewrite pass, whose output the listing is made from */
  g_assert_true (kernel.pass->kind == LS_PASS_REWRITE && kernel.step == ls_pass_n_steps (kernel.pass));
  for (guint i = 0; i < t->passes->len; i++) {
    const LsPass *p = t->passes->pdata[i];
    g_assert_true (p->kernel != 1 || p->parent >= 0 || p->kind != LS_PASS_REWRITE || p->index <= kernel.pass->index);
  }
  LsPosition same = position_of (t, "2"), tensors = position_of (t, "0");
  g_assert_true (ls_position_equal (&same, &kernel));      /* its code is the first one's */
  g_assert_cmpuint (tensors.pass->kernel, ==, 0);
  /* every position of the recording by its own name */
  for (guint i = 0; i < t->passes->len; i++)
    for (guint k = 0; k <= ls_pass_n_steps (t->passes->pdata[i]); k++) {
      const LsPosition p = { t, t->passes->pdata[i], k };
      g_autofree char *name = ls_position_print (&p);
      LsPosition again = position_of (t, name);
      g_assert_true (ls_position_equal (&p, &again));
    }
  const LsPosition both[] = { { t, ast, 1 }, { t, ast, 0 } };
  g_auto (LsPlace) place = ls_place_of (&both[0], &both[1]);
  g_autofree char *text = ls_place_print (&place);
  g_assert_cmpstr (text, ==, "1/ast/1~1/ast/0");
}

static void
test_nowhere (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = PROGRAM), none = FIXTURE_RUN (.text = "print(1)\n"),
      one = FIXTURE_RUN (.file = "add_ints.py");
  const struct { LsTrace *trace; const char *text, *says; } wrong[] = {
    { s->trace, "99", "there is no kernel 99; there are 3, numbered from 1" },
    { one->trace, "2/ast", "there is no kernel 2; there is 1, numbered from 1" },
    { none->trace, "1", "there is no kernel 1; the program made none" },
    { s->trace, "1/nope", "kernel 1 has no pass 'nope'; it has schedule, ast, lower, simplify" },
    { s->trace, "2/nope", "kernel 1 has no pass 'nope'" }, { s->trace, "1/ast/9999", "pass ast of kernel 1 has" },
    { s->trace, "1/ast/9999", "so there is no step 9999" },
    { none->trace, "0", "kernel 0 has no passes" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_auto (LsPlace) place = LS_PLACE_INIT;
    g_autoptr (GError) error = NULL;
    LsPosition p;
    g_assert_true (ls_place_parse (wrong[i].text, &place, NULL));
    g_assert_false (ls_place_resolve (&place.at, wrong[i].trace, &p, &error));
    g_assert_error (error, LS_ERROR, LS_ERROR_USAGE);
    if (!strstr (error->message, wrong[i].says))
      g_error ("'%s': %s", wrong[i].text, error->message);
  }
}

/* Addresses name the link that they were made of, whatever is in it; other addresses name none. */
static void
test_addresses (void)
{
  static const char *const files[] = { "/tmp/m.lscope", "/tmp/a b#c%20?.lscope", "/tmp/\303\244.lscope" };
  static const char *const places[] = { "3/simplify#2/7", "0", "1/a%2fb/0~2/c?node=5" };
  static const char *const others[] = { "file:///tmp/m.lscope", "lazyscope:m.lscope", "lazyscope://host/m", "/tmp/m.lscope",
                                        "lazyscope:/a%0", "" };
  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (places); k++) {
      g_autofree char *uri = ls_place_uri (files[i], places[k]), *link = ls_place_of_uri (uri),
                      *want = g_strconcat (files[i], "#", places[k], NULL);
      g_assert_true (g_uri_is_valid (uri, G_URI_FLAGS_NONE, NULL));
      g_assert_cmpstr (link, ==, want);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++) {
    g_autofree char *link = ls_place_of_uri (others[i]);
    g_assert_true (!link || (i == 2 && g_str_has_prefix (link, "//host")));      /* a host is a folder's name */
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trace/place/round-trip", test_round_trip);
  g_test_add_func ("/trace/place/random-text", test_random_text);
  g_test_add_func ("/trace/place/wrong", test_wrong);
  g_test_add_func ("/trace/place/files", test_files);
  g_test_add_func ("/trace/place/meaning", test_meaning);
  g_test_add_func ("/trace/place/nowhere", test_nowhere);
  g_test_add_func ("/trace/place/addresses", test_addresses);
  return g_test_run ();
}
