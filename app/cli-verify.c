/* lazyscope-cli verify: is a recording true? */
#include "cli.h"
#include "ask/ask.h"

static void
print_text (const LsVerify *v)
{
  printf (_("%u passes, %u steps: %u replay failures, %u spec failures; lineage: %u unmapped, %u ambiguous\n"), v->passes, v->steps,
          v->replay_failures, v->spec_failures, v->lineage_unmapped, v->lineage_ambiguous);
  printf (_("%u passes made again, %u differences: %s\n"), v->remade, v->differences, ls_shown (ls_verdict_name (v->verdict)));
  for (guint i = 0; i < v->scope->len; i++) {
    g_autofree char *shown = ls_sentence_shown (v->scope->pdata[i]);
    puts (shown);
  }
  for (guint i = 0; i < v->unjudged->len; i++) {
    g_autofree char *shown = ls_sentence_shown (v->unjudged->pdata[i]);
    printf (_("not judged: %s\n"), shown);
  }
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
  for (guint i = 0; i < v->messages->len; i++) {
    g_autofree char *shown = ls_sentence_shown (v->messages->pdata[i]);
    fprintf (stderr, "%s\n", shown);
  }
  ls_verify_free (v);
  return code;
}

const LsCliCommand ls_cli_verify = {
  run, N_("Re-executes a recording: replays every pass, rewrites, schedules, linearizes and renders again, and compares. Exit status 0: "
       "proved; 3: something differs; 5: some of it cannot be judged; 6: the recording is incomplete."),
};
