/* lazyscope-cli verify: is a recording true? */
#include "cli.h"
#include "ask/ask.h"

static void
print_text (const LsVerify *v)
{
  printf ("%u passes, %u steps: %u replay failures, %u spec failures; lineage: %u unmapped, %u ambiguous\n", v->passes, v->steps,
          v->replay_failures, v->spec_failures, v->lineage_unmapped, v->lineage_ambiguous);
  printf ("%u passes made again, %u differences: %s\n", v->remade, v->differences, ls_verdict_name (v->verdict));
  for (guint i = 0; i < v->scope->len; i++)
    printf ("%s\n", (char *) v->scope->pdata[i]);
  for (guint i = 0; i < v->unjudged->len; i++)
    printf ("not judged: %s\n", (char *) v->unjudged->pdata[i]);
}

static int
run (LsCliOptions *o, char **files, GError **error)
{
  static const int status[] = { LS_EXIT_DONE, LS_EXIT_BROKEN, LS_EXIT_UNJUDGED, LS_EXIT_INCOMPLETE };
  g_autoptr (LsTrace) t = ls_cli_open (o, *files, error);
  if (!t)
    return LS_EXIT_WRONG;
  LsVerify *v = ls_trace_verify (t);
  int code = status[v->verdict];
  if (!ls_cli_answer (o, &ls_verify_answer, v, NULL, NULL))
    print_text (v);
  for (guint i = 0; i < v->messages->len; i++)
    fprintf (stderr, "%s\n", (char *) v->messages->pdata[i]);
  ls_verify_free (v);
  return code;
}

const LsCliCommand ls_cli_verify = {
  run, "Re-executes a recording: replays every pass, rewrites, schedules, linearizes and renders again, and compares. Exit status 0: "
       "proved; 3: something differs; 5: some of it cannot be judged; 6: the recording is incomplete.",
};
