/* lazyscope-cli search: the fastest options of a kernel, with every candidate and the tree that was searched. */
#include "cli.h"
#include "measure/search.h"

#include <math.h>

static const LsSearchRow *
row_at (const LsSearch *s, guint i)
{
  return &g_array_index (s->rows, LsSearchRow, i);
}

static char *
time_text (double ns)
{
  return isnan (ns) ? g_strdup ("-") : ns < 1e3 ? g_strdup_printf ("%.1f ns", ns) : ns < 1e6 ? g_strdup_printf ("%.2f us", ns / 1e3)
                                                                                             : g_strdup_printf ("%.2f ms", ns / 1e6);
}

static const char *
options_text (const LsSearchRow *row)
{
  return *row->options ? row->options : "(none)";
}

/* What the last rounds say: "1.31 x the chosen one's time (1.28 to 1.35); " */
static char *
judged_text (const LsSearchRow *row)
{
  if (!row->judged || row->chosen)
    return g_strdup ("");
  if (isnan (row->ratio.low))
    return g_strdup_printf ("%s; ", ls_time_verdict_name (row->ratio.verdict));
  return g_strdup_printf ("%s: %.3g x the chosen one's time (%.3g to %.3g); ", ls_time_verdict_name (row->ratio.verdict), row->ratio.ratio,
                          row->ratio.low, row->ratio.high);
}

static void
print_table (const LsSearch *s)
{
  printf ("%4s %6s %-44s %12s %10s %12s %-10s %s\n", "row", "parent", "options", "score", "compile ms", "time", "result", "");
  for (guint i = 0; i < s->rows->len; i++) {
    const LsSearchRow *row = row_at (s, i);
    g_autofree char *time = time_text (row->ns), *parent = row->parent < 0 ? g_strdup ("-") : g_strdup_printf ("%d", row->parent),
                    *compile = isnan (row->compile_ms) ? g_strdup ("-") : g_strdup_printf ("%.1f", row->compile_ms);
    g_autofree char *judged = judged_text (row);
    printf ("%4u %6s %-44s %12.4g %10s %12s %-10s %s%s%s%s\n", i, parent, options_text (row), row->score, compile, time,
            ls_equality_name (row->equality), row->chosen ? "chosen; " : "",
            row->by_heuristic && row->layer > 0 ? "on the heuristic's way; " : "", judged, row->dropped ? row->dropped : "");
  }
}

/* Rows that were compiled, and what leads to them, below their parents: each has its first child and its next sibling, for a
 * recording may hold any number of them. */
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
    const LsSearchRow *row = row_at (s, (guint) i);
    g_autofree char *time = time_text (row->ns);
    printf ("  %*s%d %s: %s%s\n", (int) (2 * row->layer), "", i, options_text (row), time, row->chosen ? ", chosen" : "");
    gint to = child[i];
    for (; to < 0 && i >= 0; i = row_at (s, (guint) i)->parent)
      to = next[i];
    i = to;
  }
}

static void
print_text (const LsSearch *s)
{
  const char *source = s->recorded ? "of the recording" : s->cached ? "from the cache; --no-cache searches anew" : "timed now";
  printf ("kernel %u (%s) on %s, by %s %s %s (%s)\n", s->kernel, s->kernel_name, s->machine, s->compiler, s->version ? s->version : "",
          s->flags ? s->flags : "", source);
  printf ("%u candidates, %u compiled, beam of %u, %.1f s; ended: %s\n", s->rows->len, s->n_compiled, s->width, s->seconds, s->ended);
  if (s->n_rounds)
    printf ("the best and the heuristic's choice against each other: %u rounds, the same against itself parts by %.1f %%\n", s->n_rounds,
            100 * s->noise);
  if (s->rows->len) {
    const LsSearchRow *chosen = row_at (s, s->chosen);
    g_autofree char *time = time_text (chosen->ns), *reason = ls_search_reason (s);
    printf ("chosen: %s, %s: %s%s\n", options_text (chosen), time, reason,
            chosen->equality == LS_EQUAL_UNJUDGED ? "; its result could not be judged equal to that without options" : "");
  }
  printf ("\n");
  print_table (s);
  printf ("\ntree of what was compiled:\n");
  print_tree (s);
}

static void
json_row (JsonBuilder *b, const LsSearch *s, guint i)
{
  const LsSearchRow *row = row_at (s, i);
  ls_json_object (b, NULL);
  ls_json_int (b, "id", i);
  if (row->parent < 0)
    ls_json_text (b, "parent", NULL);
  else
    ls_json_int (b, "parent", row->parent);
  ls_json_int (b, "layer", row->layer);
  ls_json_text (b, "options", row->options);
  ls_json_number (b, "score", row->score);
  if (!isnan (row->compile_ms))
    ls_json_number (b, "compile_ms", row->compile_ms);
  if (!isnan (row->ns))
    ls_json_number (b, "ns", row->ns);
  ls_json_text (b, "equal", ls_equality_name (row->equality));
  ls_json_text (b, "dropped", row->dropped);
  if (row->judged) {
    ls_json_number (b, "ratio", row->ratio.ratio);
    if (!isnan (row->ratio.low)) {
      ls_json_number (b, "ratio_low", row->ratio.low);
      ls_json_number (b, "ratio_high", row->ratio.high);
    }
    ls_json_text (b, "verdict", ls_time_verdict_name (row->ratio.verdict));
  }
  ls_json_bool (b, "heuristic", row->by_heuristic);
  ls_json_bool (b, "chosen", row->chosen);
  json_builder_end_object (b);
}

static void
print_as_json (const LsSearch *s)
{
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_object (b);
  ls_json_int (b, "kernel", s->kernel);
  ls_json_text (b, "name", s->kernel_name);
  ls_json_text (b, "machine", s->machine);
  ls_json_int (b, "width", s->width);
  ls_json_text (b, "compiler", s->compiler);
  ls_json_text (b, "version", s->version ? s->version : "");
  ls_json_text (b, "flags", s->flags ? s->flags : "");
  ls_json_text (b, "source", s->recorded ? "recording" : s->cached ? "cache" : "timed");
  ls_json_int (b, "chosen", s->chosen);
  ls_json_int (b, "heuristic", s->heuristic == G_MAXUINT ? -1 : (gint64) s->heuristic);
  ls_json_int (b, "compiled", s->n_compiled);
  ls_json_number (b, "seconds", s->seconds);
  ls_json_text (b, "ended", s->ended);
  ls_json_int (b, "rounds", s->n_rounds);
  if (!isnan (s->noise))
    ls_json_number (b, "noise", s->noise);
  ls_json_array (b, "candidates");
  for (guint i = 0; i < s->rows->len; i++)
    json_row (b, s, i);
  json_builder_end_array (b);
  json_builder_end_object (b);
  ls_cli_print_json (b);
}

/* Options that were given would be searched for in vain. */
static gboolean
check_options (const LsCliOptions *o, GError **error)
{
  if (o->variants && o->how.options)
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "search finds options itself: it does not use opt= of --variant %s; compare times "
                                                  "options that are given", *o->variants);
  return !(o->variants && o->how.options);
}

int
ls_cli_search (int argc, char **argv)
{
  LsCliOptions o;
  GError *error = NULL;
  g_autoptr (LsTrace) trace = NULL;
  g_autoptr (LsSearch) s = NULL;
  if (ls_cli_parse (&o, LS_CLI_SEARCH, "Searches the fastest options of a kernel, and prints every candidate with its time or why it was "
                                       "dropped.", &argc, &argv, &error) && check_options (&o, &error) &&
      (trace = ls_cli_open (&o, argv[1], &error))) {
    guint kernel = o.kernel < 0 ? 1 : (guint) o.kernel;
    LsSearchHow how = { .width = (guint) o.search, .seconds = o.seconds, .no_cache = o.no_cache };
    gboolean anew = o.no_cache || o.variants || o.sets || o.target_name || o.compiler_name || ls_cli_given (&o, search) ||
                    ls_cli_given (&o, seconds);
    gboolean ok = ls_cli_check_kernel (&o, trace, 1, &error);
    s = ok && !anew ? ls_search_recorded (trace, kernel) : NULL;
    if (ok && !s && ls_cli_take_recorded (&o, trace, kernel, &error))
      s = ls_search (trace, kernel, &o.how, &how, &error);
  }
  if (s)
    (o.json ? print_as_json : print_text) (s);
  ls_cli_clear (&o);
  return s ? LS_EXIT_DONE : ls_cli_fail (error);
}
