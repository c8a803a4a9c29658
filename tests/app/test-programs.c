/* Every example and every case: it runs, its recording holds the invariants, and checks of every node and stage (SPEC=2) find nothing. */
#include "../sample.h"
#include "spawn.h"

#include <string.h>

static void
check_verify (Spawned *s, const char *path)
{
  static const char *const reasons[] = { "contents of large buffers", "rewrites, schedule and texts: rule " };
  if (s->status != 5)
    assert_status (s, 0);
  g_autoptr (JsonObject) o = spawned_json (s);
  JsonArray *not_judged = json_object_get_array_member (o, "not_judged");
  g_assert_true (json_array_get_length (not_judged) == 0 || s->status == 5);
  for (guint i = 0; i < json_array_get_length (not_judged); i++) {      /* what a program's size and its own functions leave */
    gboolean known = FALSE;
    for (gsize k = 0; k < G_N_ELEMENTS (reasons); k++)
      known |= g_str_has_prefix (json_array_get_string_element (not_judged, i), reasons[k]);
    if (!known)
      g_error ("%s: not judged: %s", path, json_array_get_string_element (not_judged, i));
  }
  static const char *const zero[] = { "replay_failures", "spec_failures", "lineage_unmapped" };
  for (gsize i = 0; i < G_N_ELEMENTS (zero); i++)
    if (json_object_get_int_member (o, zero[i]) != 0)
      g_error ("%s: %s is %d\n%s", path, zero[i], (int) json_object_get_int_member (o, zero[i]), s->err);
  g_assert_cmpint (json_object_get_int_member (o, "passes"), >, 0);
}

static char *
before_seal (char *json)
{
  char *seal = strstr (json, "\"seal\":");
  g_assert_nonnull (seal);
  *seal = 0;
  return json;
}

static void
test_program (gconstpointer data)
{
  const char *path = data;
  g_auto (Spawned) plain = { 0 }, s = { 0 };
  spawn_cli (&plain, "run", path, NULL);
  assert_status (&plain, 0);
  g_assert_cmpstr (plain.err, ==, "");
  /* recording changes nothing that is printed, nor do the checks */
  spawn_cli (&s, "run", path, "--record", "a.lscope", "--set", "SPEC=2", NULL);
  assert_status (&s, 0);
  g_assert_cmpstr (s.out, ==, plain.out);
  spawn_cli (&s, "verify", "a.lscope", "--json", NULL);
  check_verify (&s, path);
  g_autofree char *read_back = g_strdup (s.out);
  /* a recording says of itself what the run says, but for the seal of its file */
  spawn_cli (&s, "verify", path, "--json", NULL);
  check_verify (&s, path);
  g_assert_cmpstr (before_seal (s.out), ==, before_seal (read_back));
  if (!strstr (path, "expressions_")) {
    spawn_cli (&s, "verify", path, "--json", "--set", "MERGE_VIEWS=0", "--set", "SPEC=2", NULL);
    check_verify (&s, path);
    spawn_cli (&s, "verify", path, "--json", "--target", "metal", "--set", "profile=classic", NULL);
    if (s.status == 1)
      assert_contains (s.err, "metal has no double");      /* that target's only limit */
    else
      check_verify (&s, path);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  enter_folder ();
  g_autoptr (GPtrArray) paths = fixture_examples_and_cases (1);
  g_assert_cmpuint (paths->len, >, 20);
  for (guint i = 0; i < paths->len; i++) {
    g_autofree char *base = g_path_get_basename (paths->pdata[i]), *name = g_strconcat ("/programs/", base, NULL);
    g_test_add_data_func (name, paths->pdata[i], test_program);
  }
  int status = g_test_run ();
  leave_folder ();
  return status;
}
