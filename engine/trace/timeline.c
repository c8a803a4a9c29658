#include "timeline.h"

#include <string.h>

typedef struct {
  LsTrace *trace;
  GArray  *spans;
  double   at;
  guint    next_pass;
} Maker;

static void
add_span (Maker *m, LsSpan span, double ns)
{
  if (!(ns > 0))
    return;
  span.from = m->at;
  span.ns = ns;
  m->at += ns;
  g_array_append_val (m->spans, span);
}

/* Passes that are part of another one are in its time. */
static void
add_pass (Maker *m, const LsPass *pass, gint stop)
{
  LsSpan span = { LS_SPAN_PASS, 0, 0, stop, pass->index, 0, pass->kernel };
  const LsKernel *k = ls_trace_kernel (m->trace, pass->kernel);
  if (pass->parent >= 0)
    return;
  if (k && strcmp (pass->stage, "compile") == 0) {
    span.kind = LS_SPAN_COMPILE;
    add_span (m, span, k->compile_ms * 1e6);
  } else if (k && strcmp (pass->stage, "run") == 0) {
    span.kind = LS_SPAN_LAUNCH;
    for (guint i = 0; i < k->run_ns->len; i++) {
      span.step = k->buffers->len + i + 1;
      add_span (m, span, (double) g_array_index (k->run_ns, guint64, i));
    }
  } else {
    add_span (m, span, (double) pass->ns);
  }
}

static void
add_passes (Maker *m, guint end, gint stop)
{
  for (; m->next_pass < end; m->next_pass++)
    add_pass (m, m->trace->passes->pdata[m->next_pass], stop);
}

static double
asked_for (LsTrace *trace, const LsStop *stop)
{
  Maker m = { trace, g_array_new (FALSE, FALSE, sizeof (LsSpan)), 0, 0 };
  guint end;
  ls_stop_passes (trace, stop, &m.next_pass, &end);
  add_passes (&m, end, -1);
  g_array_unref (m.spans);
  return m.at;
}

/* What each statement took by itself, by row. Those in a function are in the time of the statement that called it. Free with g_free. */
static double *
own_times (LsTrace *trace, const GArray *stops)
{
  guint n = trace->statements->len;
  double *own = g_new0 (double, n + 1);
  for (guint i = 0; i < n; i++) {
    double ns = (double) g_array_index (trace->statements, LsStatement, i).ns;
    gint outer = ls_statement_outer (trace, i);
    own[i] += ns;
    if (outer >= 0)
      own[outer] -= ns;
  }
  for (guint i = 0; i < stops->len; i++) {
    const LsStop *stop = &g_array_index (stops, LsStop, i);
    if (stop->row < n && (i == 0 || g_array_index (stops, LsStop, i - 1).row != stop->row))
      own[stop->row] -= asked_for (trace, stop);
  }
  return own;
}

GArray *
ls_timeline_new (LsTrace *trace)
{
  Maker m = { trace, g_array_new (FALSE, FALSE, sizeof (LsSpan)), 0, 0 };
  const GArray *stops = ls_trace_stops (trace);
  g_autofree double *own = own_times (trace, stops);
  for (guint i = 0; i < stops->len; i++) {
    const LsStop *stop = &g_array_index (stops, LsStop, i);
    guint first, end;
    ls_stop_passes (trace, stop, &first, &end);
    if (stop->row < trace->statements->len) {
      add_span (&m, (LsSpan) { LS_SPAN_STATEMENT, 0, 0, (gint) i, 0, 0, 0 }, own[stop->row]);
      own[stop->row] = 0;      /* once, where a row has several stops */
    }
    add_passes (&m, end, (gint) i);
  }
  add_passes (&m, trace->passes->len, -1);
  return m.spans;
}
