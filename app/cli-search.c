/* lazyscope-cli search: the fastest options of a kernel, with every candidate and the tree that was searched. */
#include "cli.h"
#include "measure/search.h"

#include <math.h>

static const LsCandidate *
row_at (const LsSearch *s, guint i)
{
  return &g_array_index (s->rows, LsCandidate, i);
}

static const char *
options_text (const LsCandidate *row)
{
  return *row->options ? row->options : _("(none)");
}

/* Compiled rows, and the rows that lead to them, below their parents: each has its first child and its next sibling, because a recording
 * may hold any number of them. */
static void
print_tree (const LsSearch *s)
{
  guint n = s->rows->len;
  g_autofree gint *child = g_new (gint, n + 1), *next = g_new (gint, n + 1);
  for (guint i = 0; i < n; i++)
    child[i] = next[i] = -1;
  for (guint i = n; i-- > 1;)
    if (!isnan (row_at (s, i)->compile_ms) || child[i] >= 0) {
      gint parent = row_at (s, i)->parent;
      next[i] = child[parent];
      child[parent] = (gint) i;
    }
  for (gint i = n ? 0 : -1; i >= 0;) {
    const LsCandidate *row = row_at (s, (guint) i);
    g_autofree char *time = ls_time_text (row->ns);
    printf ("  %*s%d %s: %s%s\n", (int) (2 * row->layer), "", i, options_text (row), time, row->chosen ? _(", chosen") : "");
    gint to = child[i];
    for (; to < 0 && i >= 0; i = row_at (s, (guint) i)->parent)
      to = next[i];
    i = to;
  }
}

static void
print_text (const LsSearch *s)
{
  LsList rows = ls_list_array (s->rows);
  const char *source = s->recorded ? _("of the recording") : s->cached ? _("from the cache; --no-cache searches again") : _("timed now");
  g_autofree char *ended = ls_sentence_shown (s->ended), *machine = ls_sentence_shown (s->machine);
  printf (_("kernel %u (%s) on %s, by %s %s %s (%s)\n"), s->kernel, s->kernel_name, machine, s->compiler, s->version,
          s->flags, source);
  printf (_("%u candidates, %u compiled, beam of %u, %.1f s; ended: %s\n"), s->rows->len, s->n_compiled, s->width, s->seconds, ended);
  if (s->n_rounds)
    printf (_("the best candidates and the heuristic's choice were timed together: %u rounds, noise %.1f %%\n"), s->n_rounds,
            100 * s->noise);
  if (s->rows->len) {
    const LsCandidate *chosen = row_at (s, s->chosen);
    g_autofree char *time = ls_time_text (chosen->ns), *english = ls_search_reason (s), *reason = ls_sentence_shown (english);
    printf (_("chosen: %s, %s: %s%s\n"), options_text (chosen), time, reason,
            chosen->equal == LS_EQUAL_UNJUDGED ? _("; its result could not be compared with the result without options") : "");
  }
  printf ("\n");
  g_autofree char *table = ls_answer_table (&ls_candidate_answer, &rows, &(LsAnswering) { 0 });
  printf ("%s\n%s\n", table, _("tree of the compiled candidates:"));
  print_tree (s);
}

/* Options that were given would be searched for in vain. */
static gboolean
check_options (const LsCliOptions *o, GError **error)
{
  return !o->variants || !o->how.options ||
         ls_cli_refuse (error, "search finds options itself: it does not use opt= of --variant %s; compare times given options",
                        *o->variants);
}

static int
run (LsCliOptions *o, char **files, GError **error)
{
  guint kernel = o->kernel < 0 ? 1 : (guint) o->kernel;
  LsSearchHow how = { .width = (guint) o->search, .seconds = o->seconds, .no_cache = o->no_cache };
  gboolean anew = o->no_cache || o->variants || o->sets || o->target_name || o->compiler_name || ls_cli_given (o, search) ||
                  ls_cli_given (o, seconds);
  g_autoptr (LsTrace) trace = check_options (o, error) ? ls_cli_open (o, *files, error) : NULL;
  if (!trace || !ls_cli_check_kernel (o, trace, 1, error))
    return LS_EXIT_WRONG;
  g_autoptr (LsSearch) s = anew ? NULL : ls_search_recorded (trace, kernel);
  if (!s && ls_cli_take_recorded (o, trace, kernel, error))
    s = ls_search (trace, kernel, &o->how, &how, error);
  if (s && !ls_cli_answer (o, &ls_search_answer, s, NULL, NULL))
    print_text (s);
  return LS_EXIT_DONE;
}

const LsCliCommand ls_cli_search = {
  run, N_("Searches for the fastest options of a kernel, and prints every candidate with its time or the reason why it was dropped."),
};
