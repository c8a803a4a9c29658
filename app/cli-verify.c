/* lazyscope-cli verify: is a recording true? */
#include "cli.h"
#include "ask/ask.h"

static void
add_texts (JsonBuilder *b, const char *name, const GPtrArray *texts)
{
  json_builder_set_member_name (b, name);
  json_builder_begin_array (b);
  for (guint i = 0; i < texts->len; i++)
    json_builder_add_string_value (b, texts->pdata[i]);
  json_builder_end_array (b);
}

int
ls_cli_verify (int argc, char **argv)
{
  LsCliOptions o;
  GError *error = NULL;
  if (!ls_cli_parse (&o, LS_CLI_VERIFY, "Executes what is recorded again: replays every pass, rewrites, schedules, linearizes and renders "
                                        "anew, and compares. Exit status 0: proved; 3: something is not true; 5: some of it cannot be "
                                        "judged; 6: the recording is not whole.", &argc, &argv, &error)) {
    ls_cli_clear (&o);
    return ls_cli_fail (error);
  }
  g_autoptr (LsTrace) t = ls_cli_open (&o, argv[1], &error);
  if (!t) {
    ls_cli_clear (&o);
    return ls_cli_fail (error);
  }
  LsVerify *v = ls_trace_verify (t);
  static const int status[] = { LS_EXIT_DONE, LS_EXIT_BROKEN, LS_EXIT_UNJUDGED, LS_EXIT_INCOMPLETE };
  int code = status[v->verdict];
  g_autoptr (GPtrArray) scope = ls_verify_scope (v);
  if (o.json) {
    g_autoptr (JsonBuilder) b = json_builder_new ();
    const struct { const char *name; guint value; } rows[] = {
      { "passes", v->passes }, { "steps", v->steps }, { "replay_failures", v->replay_failures },
      { "lineage_unmapped", v->lineage_unmapped },
      { "lineage_ambiguous", v->lineage_ambiguous }, { "spec_failures", v->spec_failures }, { "remade", v->remade },
      { "recomputed", v->recomputed }, { "by_digest", v->by_digest }, { "differences", v->differences },
    };
    json_builder_begin_object (b);
    for (gsize i = 0; i < G_N_ELEMENTS (rows); i++) {
      json_builder_set_member_name (b, rows[i].name);
      json_builder_add_int_value (b, rows[i].value);
    }
    const struct { const char *name; const LsVerifyScope *scope; } classes[] = { { "derived", &v->derived }, { "doubled", &v->doubled },
                                                                                 { "witness", &v->witness } };
    json_builder_set_member_name (b, "classes");
    json_builder_begin_array (b);
    for (gsize i = 0; i < G_N_ELEMENTS (classes); i++) {
      json_builder_begin_object (b);
      json_builder_set_member_name (b, "class");
      json_builder_add_string_value (b, classes[i].name);
      json_builder_set_member_name (b, "columns");
      json_builder_add_int_value (b, classes[i].scope->columns);
      json_builder_set_member_name (b, "values");
      json_builder_add_int_value (b, (gint64) classes[i].scope->values);
      json_builder_end_object (b);
    }
    json_builder_end_array (b);
    json_builder_set_member_name (b, "seal");
    json_builder_add_string_value (b, ls_sealed_name (v->sealed));
    json_builder_set_member_name (b, "flushes");
    json_builder_add_int_value (b, (gint64) v->n_flushes);
    json_builder_set_member_name (b, "verdict");
    json_builder_add_string_value (b, ls_verdict_name (v->verdict));
    add_texts (b, "scope", scope);
    add_texts (b, "messages", v->messages);
    add_texts (b, "not_judged", v->unjudged);
    json_builder_end_object (b);
    ls_cli_print_json (b);
  } else {
    printf ("%u passes, %u steps: %u replay failures, %u spec failures; lineage: %u unmapped, %u ambiguous\n", v->passes, v->steps,
            v->replay_failures,
            v->spec_failures, v->lineage_unmapped, v->lineage_ambiguous);
    printf ("%u passes made again, %u differences: %s\n", v->remade, v->differences, ls_verdict_name (v->verdict));
    for (guint i = 0; i < scope->len; i++)
      printf ("%s\n", (char *) scope->pdata[i]);
    for (guint i = 0; i < v->unjudged->len; i++)
      printf ("not judged: %s\n", (char *) v->unjudged->pdata[i]);
  }
  for (guint i = 0; i < v->messages->len; i++)
    fprintf (stderr, "%s\n", (char *) v->messages->pdata[i]);
  ls_verify_free (v);
  ls_cli_clear (&o);
  return code;
}
