/* How much the picture moves from step to step, for layouts that follow each other and for a fresh one by dot at every step.
 *
 *   bench-movement [--no-dot] RECORDING…
 *
 * Of every two neighbouring steps of every pass: a node survives when it has a box in both pictures and continues the same node. It
 * moved when, after the translation by the median of what all survivors moved, its middle is more than half its width away. The sum is
 * over all steps. Times are those of the layouts alone; ink and area compare the pictures' economy with dot's.
 */
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/layout/chain.h"
#include "graph/layout/follow.h"
#include "graph/layout/layout.h"

typedef struct {
  guint64 survivors, moved, steps, steps_with;
  double  ms, worst_ms, ink, area;
} Sum;

typedef struct { LsScene *scene; LsLayout *layout; } Picture;

typedef struct { GMainLoop *loop; LsLayout *layout; } Answer;

static void
on_answer (GObject *source, GAsyncResult *result, gpointer data)
{
  Answer *a = data;
  a->layout = ls_layout_finish (result, NULL);
  g_main_loop_quit (a->loop);
}

static LsLayout *
by_dot (const LsLayoutInput *in)
{
  Answer a = { g_main_loop_new (NULL, FALSE), NULL };
  ls_layout_async (in, LS_LAYOUT_LIMIT_MS, NULL, on_answer, &a);
  g_main_loop_run (a.loop);
  g_main_loop_unref (a.loop);
  return a.layout;
}

static int
by_value (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return x < y ? -1 : x > y;
}

static guint
compare (const Picture *a, const Picture *b, Sum *sum)
{
  const LsScene *s = b->scene;
  g_autoptr (GHashTable) index = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < a->scene->n_nodes; i++)
    if (a->scene->nodes[i].kind != LS_DIFF_REMOVED)
      g_hash_table_insert (index, GUINT_TO_POINTER (a->scene->nodes[i].id), GUINT_TO_POINTER (i + 1));
  g_autofree double *dx = g_new (double, s->n_nodes + 1), *dy = g_new (double, s->n_nodes + 1), *sorted = g_new (double, s->n_nodes + 1);
  g_autofree double *width = g_new (double, s->n_nodes + 1);
  guint n = 0, moved = 0;
  for (guint i = 0; i < s->n_nodes; i++) {
    guint at = s->nodes[i].before == LS_NO_NODE || s->nodes[i].kind == LS_DIFF_REMOVED
                 ? 0 : GPOINTER_TO_UINT (g_hash_table_lookup (index, GUINT_TO_POINTER (s->nodes[i].before)));
    if (!at)
      continue;
    dx[n] = b->layout->x[i] + s->nodes[i].width / 2 - a->layout->x[at - 1] - a->scene->nodes[at - 1].width / 2;
    dy[n] = b->layout->y[i] - a->layout->y[at - 1];
    width[n++] = s->nodes[i].width;
  }
  if (!n)
    return 0;
  memcpy (sorted, dx, n * sizeof *sorted);
  qsort (sorted, n, sizeof *sorted, by_value);
  double mx = sorted[n / 2];
  memcpy (sorted, dy, n * sizeof *sorted);
  qsort (sorted, n, sizeof *sorted, by_value);
  double my = sorted[n / 2];
  for (guint i = 0; i < n; i++)
    moved += hypot (dx[i] - mx, dy[i] - my) > width[i] / 2;
  sum->survivors += n;
  sum->moved += moved;
  sum->steps++;
  sum->steps_with += moved > 0;
  return moved;
}

static void
note (Sum *sum, const Picture *p, const LsLayoutInput *in)
{
  sum->ms += p->layout->ms;
  sum->worst_ms = MAX (sum->worst_ms, p->layout->ms);
  sum->ink += ls_layout_ink (p->layout, in);
  sum->area += (double) p->layout->width * p->layout->height;
}

static void
picture_clear (Picture *p)
{
  g_clear_pointer (&p->scene, ls_scene_free);
  g_clear_pointer (&p->layout, ls_layout_unref);
}

static void
print_sum (const char *name, const Sum *s, const Sum *dot, gboolean with_dot)
{
  printf ("%-28s %6" G_GUINT64_FORMAT " steps  moved %5.2f %% in %5.1f %% of steps, worst %5.1f ms", name, s->steps,
          s->survivors ? 100.0 * (double) s->moved / (double) s->survivors : 0,
          s->steps ? 100.0 * (double) s->steps_with / (double) s->steps : 0, s->worst_ms);
  if (with_dot)
    printf ("  |  dot moved %5.2f %% in %5.1f %%, worst %5.1f ms  |  ink × %.2f  area × %.2f",
            dot->survivors ? 100.0 * (double) dot->moved / (double) dot->survivors : 0,
            dot->steps ? 100.0 * (double) dot->steps_with / (double) dot->steps : 0, dot->worst_ms, s->ink / MAX (dot->ink, 1),
            s->area / MAX (dot->area, 1));
  printf ("\n");
}

static void
add (Sum *a, const Sum *b)
{
  a->survivors += b->survivors;
  a->moved += b->moved;
  a->steps += b->steps;
  a->steps_with += b->steps_with;
  a->ms += b->ms;
  a->worst_ms = MAX (a->worst_ms, b->worst_ms);
  a->ink += b->ink;
  a->area += b->area;
}

int
main (int argc, char **argv)
{
  Sum all = { 0 }, all_dot = { 0 };
  gboolean with_dot = TRUE, verbose = g_getenv ("VERBOSE") != NULL;
  for (int f = 1; f < argc; f++) {
    if (g_str_equal (argv[f], "--no-dot")) {
      with_dot = FALSE;
      continue;
    }
    g_autoptr (GError) error = NULL;
    g_autoptr (LsTrace) trace = ls_trace_load (argv[f], &error);
    if (!trace) {
      fprintf (stderr, "%s\n", error->message);
      return 1;
    }
    g_autoptr (LsChain) chain = ls_chain_new (trace);
    Sum sum = { 0 }, sum_dot = { 0 };
    for (guint p = 0; p < trace->passes->len; p++) {
      const LsPass *pass = trace->passes->pdata[p];
      Picture was = { 0 }, was_dot = { 0 };
      for (guint k = 0; k <= ls_pass_n_rewrites (pass); k++) {
        Picture now = { ls_chain_scene (trace, pass, k, TRUE), NULL };
        if (!now.scene)
          break;
        now.layout = ls_chain_layout (chain, pass, k, TRUE, now.scene);
        g_autoptr (LsLayoutInput) in = ls_scene_layout_input (now.scene);
        note (&sum, &now, in);
        if (was.scene) {
          guint moved = compare (&was, &now, &sum);
          if (verbose && moved)
            printf ("  %u/%s/%u: %u of %u moved%s\n", pass->kernel, pass->name, k, moved, now.scene->n_nodes,
                    k % LS_CHAIN_BLOCK ? "" : " (keyframe)");
        }
        if (with_dot) {
          Picture dot = { ls_chain_scene (trace, pass, k, TRUE), by_dot (in) };
          note (&sum_dot, &dot, in);
          if (was_dot.scene)
            compare (&was_dot, &dot, &sum_dot);
          picture_clear (&was_dot);
          was_dot = dot;
        }
        picture_clear (&was);
        was = now;
      }
      picture_clear (&was);
      picture_clear (&was_dot);
    }
    g_autofree char *name = g_path_get_basename (argv[f]);
    print_sum (name, &sum, &sum_dot, with_dot);
    fflush (stdout);
    add (&all, &sum);
    add (&all_dot, &sum_dot);
  }
  print_sum ("all", &all, &all_dot, with_dot);
  return 0;
}
