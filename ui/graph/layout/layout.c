/* Layouts by the helper, else in ranks.
 *
 * The helper reads "n m", n widths and m pairs "from to"; it writes "n m", n pairs "x y" (top left corners) and for each edge the number
 * of its Bézier points and their coordinates. It answers all or nothing: an answer that does not parse to the end counts as a failure.
 */
#include "layout.h"
#include "scene.h"
#include "graph/graph-paths.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* --- the helper's texts --- */

char *
ls_layout_describe (const LsLayoutInput *input)
{
  GString *s = g_string_sized_new (input->n * 6 + input->n_edges * 10 + 32);
  g_string_append_printf (s, "%u %u\n", input->n, input->n_edges);
  for (guint i = 0; i < input->n; i++)
    g_string_append_printf (s, "%d\n", (int) ceilf (input->width[i]));
  for (guint e = 0; e < input->n_edges; e++)
    g_string_append_printf (s, "%u %u\n", input->from[e], input->to[e]);
  return g_string_free (s, FALSE);
}

static gboolean
number (const char **p, double *out)
{
  char *end;
  *out = g_ascii_strtod (*p, &end);
  gboolean ok = end != *p && isfinite (*out) && fabs (*out) < 1e7;
  *p = end;
  return ok;
}

LsLayout *
ls_layout_parse (const LsLayoutInput *input, const char *text)
{
  double a, b;
  const char *p = text;
  if (!number (&p, &a) || !number (&p, &b) || a != input->n || b != input->n_edges)
    return NULL;
  g_autoptr (LsLayout) l = ls_layout_new (input->n, input->n_edges);
  for (guint i = 0; i < input->n; i++) {
    if (!number (&p, &a) || !number (&p, &b))
      return NULL;
    l->x[i] = (float) a;
    l->y[i] = (float) b;
  }
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (float));
  for (guint e = 0; e < input->n_edges; e++) {
    l->first[e] = points->len / 2;
    if (!number (&p, &a) || a < 0 || a > 10000 || (a > 0 && fmod (a, 3) != 1))
      return NULL;
    for (guint i = 0; i < 2 * (guint) a; i++) {
      if (!number (&p, &b))
        return NULL;
      float f = (float) b;
      g_array_append_val (points, f);
    }
  }
  l->first[input->n_edges] = points->len / 2;
  l->points = g_memdup2 (points->data, points->len * sizeof (float));
  l->by_dot = TRUE;
  ls_layout_normalize (l, input);
  return g_steal_pointer (&l);
}

/* --- running --- */

typedef struct {
  LsLayoutInput *input;
  GSubprocess   *process;
  guint          timeout;
  gulong         cancelled;
  gboolean       timed_out;
  gint64         start;
  guint          limit_ms;
  char          *note;
} Run;

static void
run_free (gpointer data)
{
  Run *run = data;
  ls_layout_input_free (run->input);
  g_clear_object (&run->process);
  g_free (run->note);
  g_free (run);
}

/* $LAZYSCOPE_LAYOUT, next to this executable, where it is installed, where it is built. Free with g_free; NULL: nowhere. */
static char *
find_helper (void)
{
  const char *env = g_getenv ("LAZYSCOPE_LAYOUT");
  if (env && *env)
    return g_strdup (env);
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = self ? g_path_get_dirname (self) : NULL;
  g_autofree char *beside = folder ? g_build_filename (folder, "lazyscope-layout", NULL) : NULL;
  const char *places[] = { beside, LS_INSTALLED_LAYOUT, LS_BUILT_LAYOUT };
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    if (places[i] && g_file_test (places[i], G_FILE_TEST_IS_EXECUTABLE))
      return g_strdup (places[i]);
  return NULL;
}

static void
ranks_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  Run *run = task_data;
  LsLayout *l = ls_ranks_layout (run->input, cancellable);
  if (!l) {
    g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_CANCELLED, "cancelled");
    return;
  }
  l->ms = (double) (g_get_monotonic_time () - run->start) / 1000;
  l->note = g_strdup (run->note);
  g_task_return_pointer (task, l, (GDestroyNotify) ls_layout_unref);
}

/* Takes over the task. */
static void
by_ranks (GTask *task, const char *note)
{
  Run *run = g_task_get_task_data (task);
  run->note = g_strdup (note);
  g_task_run_in_thread (task, ranks_thread);
  g_object_unref (task);
}

static void
stop_waiting (GTask *task)
{
  Run *run = g_task_get_task_data (task);
  g_clear_handle_id (&run->timeout, g_source_remove);
  if (run->cancelled) {
    g_cancellable_disconnect (g_task_get_cancellable (task), run->cancelled);
    run->cancelled = 0;
  }
}

static gboolean
on_timeout (gpointer data)
{
  Run *run = g_task_get_task_data (data);
  run->timeout = 0;
  run->timed_out = TRUE;
  g_subprocess_force_exit (run->process);
  return G_SOURCE_REMOVE;
}

static void
on_cancelled (GCancellable *cancellable, gpointer process)
{
  g_subprocess_force_exit (process);
}

static void
on_answer (GObject *source, GAsyncResult *result, gpointer data)
{
  GTask *task = data;
  Run *run = g_task_get_task_data (task);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) out = NULL;
  gboolean ok = g_subprocess_communicate_finish (G_SUBPROCESS (source), result, &out, NULL, &error);
  stop_waiting (task);
  if (g_task_return_error_if_cancelled (task)) {
    g_object_unref (task);
    return;
  }
  LsLayout *l = NULL;
  if (ok && out && g_subprocess_get_successful (run->process)) {
    g_autofree char *text = g_strndup (g_bytes_get_data (out, NULL) ? g_bytes_get_data (out, NULL) : "", g_bytes_get_size (out));
    l = ls_layout_parse (run->input, text);
  }
  if (!l) {
    g_autofree char *note = run->timed_out ? g_strdup_printf (_("dot took longer than %g s: using simple ranks"), run->limit_ms / 1000.0)
                                           : g_strdup (_("dot failed: using simple ranks"));
    by_ranks (task, note);
    return;
  }
  l->ms = (double) (g_get_monotonic_time () - run->start) / 1000;
  g_task_return_pointer (task, l, (GDestroyNotify) ls_layout_unref);
  g_object_unref (task);
}

/* limit_ms: time for dot; 0: plain ranks, to which graphs over LS_LAYOUT_DOT_NODES go whatever it is. cancellable, or NULL, kills the
 * helper, or stops the thread at its next rank. callback is called on the caller's thread-default main context. */
void
ls_layout_async (const LsLayoutInput *input, guint limit_ms, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  g_return_if_fail (input != NULL);
  GTask *task = g_task_new (NULL, cancellable, callback, data);
  g_task_set_source_tag (task, ls_layout_async);
  Run *run = g_new0 (Run, 1);
  run->input = ls_layout_input_copy (input);
  run->start = g_get_monotonic_time ();
  run->limit_ms = limit_ms;
  g_task_set_task_data (task, run, run_free);
  if (g_task_return_error_if_cancelled (task)) {
    g_object_unref (task);
    return;
  }
  if (limit_ms == 0 || input->n > LS_LAYOUT_DOT_NODES || input->n_edges > 4 * LS_LAYOUT_DOT_NODES) {
    by_ranks (task, NULL);
    return;
  }
  g_autofree char *helper = find_helper ();
  g_autoptr (GError) error = NULL;
  if (helper)
    run->process = g_subprocess_new (G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_SILENCE,
                                     &error, helper, NULL);
  if (!run->process) {
    by_ranks (task, _("lazyscope-layout is not installed: using simple ranks"));
    return;
  }
  char *text = ls_layout_describe (run->input);
  g_autoptr (GBytes) bytes = g_bytes_new_take (text, strlen (text));
  run->timeout = g_timeout_add (limit_ms, on_timeout, task);
  if (cancellable)
    run->cancelled = g_cancellable_connect (cancellable, G_CALLBACK (on_cancelled), g_object_ref (run->process), g_object_unref);
  g_subprocess_communicate_async (run->process, bytes, NULL, on_answer, task);
}

LsLayout *
ls_layout_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
