/* lazyscope-cli verify: the invariants of a recording. */
#include "cli.h"

int
ls_cli_verify (int argc, char **argv)
{
  LsCliOptions o;
  GError *error = NULL;
  if (!ls_cli_parse (&o, LS_CLI_VERIFY, "Checks that every pass replays to its output, that passes join, and that every line descends from the program.", &argc, &argv, &error)) {
    ls_cli_clear (&o);
    return ls_cli_fail (error);
  }
  g_autoptr (LsTrace) t = ls_cli_open (&o, argv[1], &error);
  if (!t) {
    ls_cli_clear (&o);
    return ls_cli_fail (error);
  }
  LsVerify *v = ls_trace_verify (t);
  guint failures = v->replay_failures + v->spec_failures + v->lineage_unmapped;
  if (o.json) {
    g_autoptr (JsonBuilder) b = json_builder_new ();
    const struct { const char *name; guint value; } rows[] = {
      { "passes", v->passes }, { "steps", v->steps }, { "replay_failures", v->replay_failures }, { "lineage_unmapped", v->lineage_unmapped },
      { "lineage_ambiguous", v->lineage_ambiguous }, { "spec_failures", v->spec_failures },
    };
    json_builder_begin_object (b);
    for (gsize i = 0; i < G_N_ELEMENTS (rows); i++) {
      json_builder_set_member_name (b, rows[i].name);
      json_builder_add_int_value (b, rows[i].value);
    }
    json_builder_end_object (b);
    ls_cli_print_json (b);
  } else {
    printf ("%u passes, %u steps: %u replay failures, %u spec failures; lineage: %u unmapped, %u ambiguous\n", v->passes, v->steps, v->replay_failures,
            v->spec_failures, v->lineage_unmapped, v->lineage_ambiguous);
  }
  for (guint i = 0; i < v->messages->len; i++)
    fprintf (stderr, "%s\n", (char *) v->messages->pdata[i]);
  ls_verify_free (v);
  ls_cli_clear (&o);
  return failures ? LS_EXIT_BROKEN : LS_EXIT_DONE;
}
