/* First firings are numbers of the recording, found at once for a kernel. How much a step shrinks the graph needs its diff: that is worked
 * out for the shown pass, in slices of idle time. */
#include "moments.h"

#define MAX_STEPS 5000

typedef struct { guint pass, step; } First;

struct _LsMoments {
  LsMomentsChanged changed;
  gpointer      data;
  LsTrace      *trace;
  const LsPass *pass;
  guint         kernel;
  GArray       *all;           /* First, of the kernel's passes in order */
  GArray       *firsts;        /* guint, of the pass */
  guint         shrink, best, next;
  guint         work;
};

LsMoments *
ls_moments_new (LsMomentsChanged changed, gpointer data)
{
  LsMoments *m = g_new0 (LsMoments, 1);
  m->changed = changed;
  m->data = data;
  m->all = g_array_new (FALSE, FALSE, sizeof (First));
  m->firsts = g_array_new (FALSE, FALSE, sizeof (guint));
  return m;
}

void
ls_moments_free (LsMoments *m)
{
  g_clear_handle_id (&m->work, g_source_remove);
  g_clear_pointer (&m->trace, ls_trace_unref);
  g_array_unref (m->all);
  g_array_unref (m->firsts);
  g_free (m);
}

gboolean
ls_moments_get_busy (LsMoments *m)
{
  return m->work != 0;
}

const GArray *
ls_moments_firsts (LsMoments *m)
{
  return m->firsts;
}

guint
ls_moments_shrink (LsMoments *m)
{
  return m->work ? 0 : m->shrink;
}

static void
find_firsts (LsMoments *m)
{
  guint n_rules = m->trace->rules->len;
  g_autofree guint8 *seen = g_new0 (guint8, n_rules + 1);
  g_array_set_size (m->all, 0);
  for (guint i = 0; i < m->trace->passes->len; i++) {
    const LsPass *pass = m->trace->passes->pdata[i];
    if (pass->kernel != m->kernel)
      continue;
    for (guint step = 1; step <= ls_pass_n_steps (pass); step++) {
      gint rule = ls_pass_step_link (pass, step)->rule;
      if (rule < 0 || rule >= (gint) n_rules || seen[rule])
        continue;
      seen[rule] = 1;
      First first = { i, step };
      g_array_append_val (m->all, first);
    }
  }
}

static gboolean
on_work (gpointer data)
{
  LsMoments *m = data;
  gint64 end = g_get_monotonic_time () + 6000;
  do {
    g_autoptr (LsGraphDiff) diff = ls_pass_diff_step (m->trace, m->pass, m->next);
    if (diff && diff->n_removed > diff->n_added + m->best) {
      m->best = diff->n_removed - diff->n_added;
      m->shrink = m->next;
    }
    m->next++;
  } while (m->next <= ls_pass_n_steps (m->pass) && g_get_monotonic_time () < end);
  if (m->next <= ls_pass_n_steps (m->pass))
    return G_SOURCE_CONTINUE;
  m->work = 0;
  m->changed (m->data);
  return G_SOURCE_REMOVE;
}

void
ls_moments_set_pass (LsMoments *m, LsTrace *trace, const LsPass *pass)
{
  if (m->trace == trace && m->pass == pass)
    return;
  gboolean same = m->trace == trace && pass && m->kernel == pass->kernel;
  g_clear_handle_id (&m->work, g_source_remove);
  if (trace)
    ls_trace_ref (trace);
  g_clear_pointer (&m->trace, ls_trace_unref);
  m->trace = trace;
  m->pass = pass;
  m->shrink = m->best = 0;
  m->next = 1;
  g_array_set_size (m->firsts, 0);
  if (!pass) {
    g_array_set_size (m->all, 0);
    return;
  }
  if (!same || m->all->len == 0) {
    m->kernel = pass->kernel;
    find_firsts (m);
  }
  for (guint i = 0; i < m->all->len; i++)
    if (g_array_index (m->all, First, i).pass == pass->index)
      g_array_append_val (m->firsts, g_array_index (m->all, First, i).step);
  if (pass->kind == LS_PASS_REWRITE && ls_pass_n_steps (pass) > 0 && ls_pass_n_steps (pass) <= MAX_STEPS)
    m->work = g_idle_add_full (G_PRIORITY_LOW, on_work, m, NULL);
}

gboolean
ls_moments_find (LsMoments *m, guint step, int direction, guint *pass, guint *to)
{
  gboolean found = FALSE;
  if (!m->pass)
    return FALSE;
  for (guint i = 0; i <= m->all->len; i++) {      /* the pass's shrink counts as one more */
    First f = i < m->all->len ? g_array_index (m->all, First, i) : (First) { m->pass->index, ls_moments_shrink (m) };
    if (f.step == 0 || (f.pass == m->pass->index && f.step == step))
      continue;
    gboolean after = f.pass != m->pass->index ? f.pass > m->pass->index : f.step > step;
    gboolean nearer = !found || (f.pass != *pass ? (f.pass < *pass) == (direction > 0) : (f.step < *to) == (direction > 0));
    if (after == (direction > 0) && nearer) {
      *pass = f.pass;
      *to = f.step;
      found = TRUE;
    }
  }
  return found;
}
