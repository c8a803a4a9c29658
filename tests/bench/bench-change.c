/* How long the search for the next and the previous change to a node takes, as the keys c and C start it, and the one for the next
 * step of a program line, a breakpoint: in slices of idle time, to its end.
 *
 *   bench-change [--steps N] [--terms N] [--nodes N] [RECORDING…]
 *
 * In the longest pass of each recording and of a made one of N steps (million.h; 0: none), that many nodes of graphs at its start,
 * middle and end are followed both ways. Searches that find nothing went through the whole recording. Beside it what the diffs of all
 * these steps would take, from 200 of them. A line that no node comes from is looked for twice: the second time what leads nowhere is
 * known. Beside it what it takes to find the lines of each step, from 200 of them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "million.h"
#include "stall.h"
#include "session/step-scan.h"
#include "trace/node-history.h"
#include "trace/line-search.h"

typedef struct { LsNodeHistory history; gboolean done, found; } Search;

static int steps = 1000000, terms = 1000, nodes = 200;

static double
now_ms (void)
{
  return (double) g_get_monotonic_time () / 1000;
}

static gboolean
test (LsTrace *trace, const LsPass *pass, guint step, gpointer data)
{
  return ls_node_history_follow (&((Search *) data)->history, trace, pass, step);
}

static void
done (const LsPass *pass, guint step, gpointer data)
{
  ((Search *) data)->done = TRUE;
  ((Search *) data)->found = pass != NULL;
}

/* Milliseconds until it is found or not. */
static double
search (LsTrace *trace, const LsPass *pass, guint step, guint32 node, int direction, gboolean *found)
{
  double start = now_ms ();
  Search s = { ls_node_history_start (trace, pass, step, node, direction), FALSE, FALSE };
  if (!s.history.ended)
    ls_step_scan_start (trace, pass, step, direction, NULL, test, done, &s);
  while (!s.done && !s.history.ended)
    g_main_context_iteration (NULL, TRUE);
  ls_node_history_clear (&s.history);
  *found = s.found || s.history.ended;
  return now_ms () - start;
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return x < y ? -1 : x > y;
}

static void
report (const char *what, GArray *ms)
{
  qsort (ms->data, ms->len, sizeof (double), compare);
  if (ms->len)
    printf ("  %-16s %4u times   median %8.2f ms   p99 %8.2f ms   max %8.2f ms\n", what, ms->len, g_array_index (ms, double, ms->len / 2),
            g_array_index (ms, double, MIN (ms->len - 1, ms->len * 99 / 100)), g_array_index (ms, double, ms->len - 1));
  g_array_set_size (ms, 0);
}

typedef struct { LsLineSearch *search; gboolean done; } Line;

static gboolean
line_ready (const LsPass *pass, gint64 microseconds, gpointer data)
{
  return ls_line_search_work (((Line *) data)->search, pass, microseconds);
}

static gboolean
line_test (LsTrace *trace, const LsPass *pass, guint step, gpointer data)
{
  return ls_line_search_test (((Line *) data)->search, pass, ls_pass_step_link (pass, step)->before);
}

static void
line_done (const LsPass *pass, guint step, gpointer data)
{
  ((Line *) data)->done = TRUE;
}

static void
measure_line (LsTrace *trace, const LsPass *longest)
{
  g_autoptr (LsLineSearch) search = ls_line_search_new (trace, G_MAXINT);
  double ms[2];
  g_main_context_iteration (NULL, FALSE);
  stall_take ();
  for (guint k = 0; k < 2; k++) {
    Line line = { search, FALSE };
    double start = now_ms ();
    ls_step_scan_start (trace, trace->passes->pdata[0], 0, 1, line_ready, line_test, line_done, &line);
    while (!line.done)
      g_main_context_iteration (NULL, TRUE);
    ms[k] = now_ms () - start;
  }
  double stall = stall_take (), start = now_ms ();
  LsProgramIndex *index = ls_program_index_new (trace);
  guint n = ls_pass_n_rewrites (longest);
  g_autoptr (GRand) rand = g_rand_new_with_seed (2);
  for (guint k = 0; k < 200; k++)
    g_array_unref (ls_program_index_lines (index, longest, NULL,
                                           ls_pass_step_link (longest, (guint) g_rand_int_range (rand, 1, (gint32) n + 1))->before));
  double each = (now_ms () - start) / 200;
  ls_program_index_free (index);
  printf ("  a line that is nowhere: %.0f ms, again %.0f ms, longest stall %.1f ms; the lines of a step take %.3f ms, those of the pass "
          "%.1f s\n", ms[0], ms[1], stall, each, each * n / 1000);
}

static void
measure (LsTrace *trace, const char *name)
{
  const LsPass *longest = NULL;
  guint64 all = 0;
  for (guint i = 0; i < trace->passes->len; i++) {
    const LsPass *pass = trace->passes->pdata[i];
    all += ls_pass_n_rewrites (pass);
    longest = longest && ls_pass_n_rewrites (longest) >= ls_pass_n_rewrites (pass) ? longest : pass;
  }
  guint n = longest ? ls_pass_n_rewrites (longest) : 0;
  if (n == 0)
    return;
  printf ("%s: %" G_GUINT64_FORMAT " steps, %u of them in %u/%s\n", name, all, n, longest->kernel, longest->name);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  g_autoptr (GArray) hits = g_array_new (FALSE, FALSE, sizeof (double)), misses = g_array_new (FALSE, FALSE, sizeof (double));
  guint at[3] = { MIN (n, 1), n / 2, n };
  g_main_context_iteration (NULL, FALSE);
  stall_take ();
  for (int direction = 1; direction >= -1; direction -= 2) {
    for (guint i = 0; i < G_N_ELEMENTS (at); i++) {
      g_autoptr (LsGraph) graph = ls_pass_graph (trace, longest, at[i]);
      for (int k = 0; k < nodes / 3; k++) {
        gboolean found;
        guint32 node = ((LsUOp *) graph->nodes->pdata[g_rand_int_range (rand, 0, (gint32) graph->nodes->len)])->id;
        double ms = search (trace, longest, at[i], node, direction, &found);
        g_array_append_val (found ? hits : misses, ms);
      }
    }
    report (direction > 0 ? "next, found" : "previous, found", hits);
    report (direction > 0 ? "next, none" : "previous, none", misses);
  }
  double stall = stall_take (), start = now_ms ();
  for (guint k = 0; k < 200; k++)
    ls_graph_diff_unref (ls_pass_diff_step (trace, longest, (guint) g_rand_int_range (rand, 1, (gint32) n + 1)));
  printf ("  longest stall %.1f ms; a diff takes %.2f ms, those of the pass %.1f s\n", stall, (now_ms () - start) / 200,
          (now_ms () - start) / 200 * n / 1000);
  measure_line (trace, longest);
}

int
main (int argc, char **argv)
{
  static const GOptionEntry entries[] = { { "steps", 0, 0, G_OPTION_ARG_INT, &steps, NULL, "N" }, { "terms", 0, 0, G_OPTION_ARG_INT, &terms,
                                                                                                    NULL, "N" },
                                          { "nodes", 0, 0, G_OPTION_ARG_INT, &nodes, NULL, "N" }, { NULL } };
  g_autoptr (GOptionContext) context = g_option_context_new ("[RECORDING…]");
  g_option_context_add_main_entries (context, entries, NULL);
  g_autoptr (GError) error = NULL;
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    g_printerr ("bench-change: %s\n", error->message);
    return 2;
  }
  stall_watch ();
  for (int i = 1; i < argc; i++) {
    g_autoptr (LsTrace) trace = ls_trace_load (argv[i], &error);
    g_assert_no_error (error);
    measure (trace, argv[i]);
  }
  if (steps > 0) {
    g_autoptr (LsTrace) trace = million_new ((guint) steps, (guint) terms);
    measure (trace, "made");
  }
  return 0;
}
