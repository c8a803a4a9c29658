/* First firings are numbers of the recording, found at once for a kernel. How much a step shrinks the graph needs its diff: that is worked
 * out for the shown pass, in slices of idle time.
 *
 * A diff takes milliseconds, so a pass of a million steps is searched by an upper bound of the nodes that a step removes: nodes below
 * the nodes that its rule matched that are not below its result. Only the CANDIDATES with most of them get a diff. */
#include "key-steps.h"

#define MAX_STEPS  5000
#define CANDIDATES 64

typedef struct { guint pass, step; } First;
typedef struct { guint step, most; } Candidate;

struct _LsKeySteps {
  LsKeyStepsChanged changed;
  gpointer      data;
  LsTrace      *trace;
  const LsPass *pass;
  guint         kernel;
  GArray       *all;           /* First, of the kernel's passes in order */
  GArray       *firsts;        /* guint, of the pass */
  guint         shrink, best, next;
  Candidate     candidates[CANDIDATES];      /* of a long pass */
  guint         n_candidates;
  guint         work;
};

LsKeySteps *
ls_key_steps_new (LsKeyStepsChanged changed, gpointer data)
{
  LsKeySteps *m = g_new0 (LsKeySteps, 1);
  m->changed = changed;
  m->data = data;
  m->all = g_array_new (FALSE, FALSE, sizeof (First));
  m->firsts = g_array_new (FALSE, FALSE, sizeof (guint));
  return m;
}

void
ls_key_steps_free (LsKeySteps *m)
{
  g_clear_handle_id (&m->work, g_source_remove);
  g_clear_pointer (&m->trace, ls_trace_unref);
  g_array_unref (m->all);
  g_array_unref (m->firsts);
  g_free (m);
}

gboolean
ls_key_steps_get_busy (LsKeySteps *m)
{
  return m->work != 0 && ls_pass_n_rewrites (m->pass) <= MAX_STEPS;
}

const GArray *
ls_key_steps_firsts (LsKeySteps *m)
{
  return m->firsts;
}

guint
ls_key_steps_shrink (LsKeySteps *m)
{
  return m->work ? 0 : m->shrink;
}

static void
find_firsts (LsKeySteps *m)
{
  guint n_rules = m->trace->rules->len;
  g_autofree guint8 *seen = g_new0 (guint8, n_rules + 1);
  g_array_set_size (m->all, 0);
  for (guint i = 0; i < m->trace->passes->len; i++) {
    const LsPass *pass = m->trace->passes->pdata[i];
    if (pass->kernel != m->kernel)
      continue;
    for (guint step = 1; step <= ls_pass_n_rewrites (pass); step++) {
      gint rule = ls_pass_step_link (pass, step)->rule;
      if (rule < 0 || rule >= (gint) n_rules || seen[rule])
        continue;
      seen[rule] = 1;
      First first = { i, step };
      g_array_append_val (m->all, first);
    }
  }
}

static void
look_at (LsKeySteps *m, guint step)
{
  g_autoptr (LsGraphDiff) diff = ls_pass_diff_step (m->trace, m->pass, step);
  if (diff && (diff->n_removed > diff->n_added + m->best || (diff->n_removed == diff->n_added + m->best && m->best > 0 &&
                                                             step < m->shrink))) {
    m->best = diff->n_removed - diff->n_added;
    m->shrink = step;
  }
}

/* How many nodes a step can take away. */
static guint
most_of (LsKeySteps *m, guint step)
{
  LsContext *ctx = m->trace->ctx;
  const LsLink *link = ls_pass_step_link (m->pass, step);
  LsUOp *before = ls_context_node (ctx, link->before), *after = ls_context_node (ctx, link->after);
  if (!before || !after)
    return 0;
  LsNodeMap *seen = ls_node_map_acquire (ctx);
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  guint gone = 0;
  g_ptr_array_add (stack, after);
  for (int round = 0; round < 2; round++) {
    while (stack->len) {
      LsUOp *u = stack->pdata[stack->len - 1];
      g_ptr_array_set_size (stack, (int) stack->len - 1);
      if (ls_node_map_has (seen, u))
        continue;
      ls_node_map_set (seen, u, 1);
      gone += round;
      for (guint i = 0; i < u->n_src; i++)
        g_ptr_array_add (stack, u->src[i]);
    }
    g_ptr_array_add (stack, before);
  }
  ls_node_map_release (ctx, seen);
  return gone;
}

static void
consider (LsKeySteps *m, guint step)
{
  Candidate c = { step, most_of (m, step) };
  guint least = 0;
  if (m->n_candidates < CANDIDATES) {
    m->candidates[m->n_candidates++] = c;
    return;
  }
  for (guint i = 1; i < CANDIDATES; i++)
    if (m->candidates[i].most < m->candidates[least].most)
      least = i;
  if (c.most > m->candidates[least].most)
    m->candidates[least] = c;
}

static gboolean
on_work (gpointer data)
{
  LsKeySteps *m = data;
  gint64 end = g_get_monotonic_time () + 6000;
  guint n = ls_pass_n_rewrites (m->pass);
  gboolean is_long = n > MAX_STEPS, more;
  do {
    if (is_long && m->next <= n)
      consider (m, m->next++);
    else
      look_at (m, is_long ? m->candidates[m->next++ - n - 1].step : m->next++);
    more = m->next <= (is_long ? n + m->n_candidates : n);
  } while (more && g_get_monotonic_time () < end);
  if (more)
    return G_SOURCE_CONTINUE;
  m->work = 0;
  m->changed (m->data);
  return G_SOURCE_REMOVE;
}

void
ls_key_steps_set_pass (LsKeySteps *m, LsTrace *trace, const LsPass *pass)
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
  m->shrink = m->best = m->n_candidates = 0;
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
  if (pass->kind == LS_PASS_REWRITE && ls_pass_n_rewrites (pass) > 0)
    m->work = g_idle_add_full (G_PRIORITY_LOW, on_work, m, NULL);
}

gboolean
ls_key_steps_find (LsKeySteps *m, guint step, int direction, guint *pass, guint *to)
{
  gboolean found = FALSE;
  if (!m->pass)
    return FALSE;
  for (guint i = 0; i <= m->all->len; i++) {      /* the pass's shrink counts as one more */
    First f = i < m->all->len ? g_array_index (m->all, First, i) : (First) { m->pass->index, ls_key_steps_shrink (m) };
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
