/* Answers that were computed elsewhere, as lines. Places that cannot be read are left out. */
#include "answer-cli.h"

#include <glib/gi18n.h>

static const char *
text_of (LsRow row, const char *name)
{
  const char *text = ls_read_text (row, name);
  return text ? text : "";
}

static guint32
node_of (LsRow row, const char *name)
{
  LsRow node = ls_read_row (row, name);
  return ls_read_has (node, "id") ? ls_read_count (node, "id") : LS_NO_NODE;
}

static void
add_text (LsAnswer *a, const char *place, char *text)
{
  ls_answer_add (a, (LsStop) { LS_STOP_TEXT, g_strdup (place), text, -1, 0, 0, LS_NO_NODE });
}

LsAnswer *
ls_answer_bisect (LsTrace *trace, LsRow said)
{
  gboolean broken = ls_read_bool (said, "found");
  guint kernel = ls_read_count (said, "kernel"), step = ls_read_count (said, "step");
  const LsPass *pass = broken ? ls_trace_pass (trace, kernel, text_of (said, "pass")) : NULL;
  const char *rule = text_of (said, "rule"), *stage = text_of (said, "stage"), *where = text_of (said, "where");
  guint n_passes = ls_read_count (said, "passes"), n_steps = ls_read_count (said, "steps"),
        n_graphs = ls_read_count (said, "graphs");
  g_autofree char *passes = g_strdup_printf (ngettext ("%u pass", "%u passes", n_passes), n_passes),
                  *steps = g_strdup_printf (ngettext ("%u step", "%u steps", n_steps), n_steps);
  g_autofree char *graphs = g_strdup_printf (ngettext ("%u graph", "%u graphs", n_graphs), n_graphs),
                  *looked = g_strdup_printf (_("%s and %s were checked, %s interpreted"), passes, steps, graphs);
  LsAnswer *a = ls_answer_new (g_strdup (broken ? _("A step broke the result") : ls_read_count (said, "not_judged")
                                         ? _("No mismatch found; some steps could not be checked") : _("No step broke a result")),
                                         g_steal_pointer (&looked));
  if (broken && pass && step)
    ls_answer_add (a, (LsStop) { LS_STOP_NODE, g_strdup_printf ("%s/%u", pass->name, MIN (step, ls_pass_n_steps (pass))),
                                 g_strdup_printf (_("Go to the step: %s, in kernel %u"), *rule ? rule : _("no rule"), kernel),
                                 (int) pass->index,
                                 MIN (step, ls_pass_n_steps (pass)), 0, node_of (said, "after") });
  else if (broken && pass)
    ls_answer_add (a, (LsStop) { LS_STOP_NODE, g_strdup (pass->name),
                                 g_strdup_printf (_("Go to the pass, in kernel %u; the step is not known"), kernel),
                                 (int) pass->index, 0, 0, LS_NO_NODE });
  else if (broken)
    ls_answer_add (a, (LsStop) { LS_STOP_KERNEL, g_strdup (stage),
                                 g_strdup_printf (_("Every pass of kernel %u agrees: the fault is after them"), kernel), -1, 0, kernel,
                                 LS_NO_NODE });
  if (broken && (*text_of (said, "want") || *text_of (said, "got")))
    add_text (a, _("values"), g_strdup_printf (_("%s before the step, %s after it%s%s"), text_of (said, "want"), text_of (said, "got"),
                                               *where ? _(", at ") : "", where));
  if (broken)
    add_text (a, _("result"), g_strdup_printf (_("element %u is %s before, %s after"), ls_read_count (said, "element"),
                                               text_of (said, "result_before"), text_of (said, "result_after")));
  for (guint i = 0; i < ls_read_n (said, "notes"); i++)
    if (ls_read_text_at (said, "notes", i))
      add_text (a, _("not judged"), g_strdup (ls_read_text_at (said, "notes", i)));
  return a;
}

LsAnswer *
ls_answer_undo (LsTrace *trace, const LsRuleReport *report)
{
  guint n = report->undo->len;
  LsAnswer *a = ls_answer_new (g_strdup (_("Rules that undo each other")), n ? g_strdup_printf (ngettext ("%u pair", "%u pairs", n), n)
                                                                             : g_strdup (_("None found.")));
  for (guint i = 0; i < n; i++) {
    const LsUndoPair *p = &g_array_index (report->undo, LsUndoPair, i);
    if (p->pass >= trace->passes->len || p->a >= trace->rules->len || p->b >= trace->rules->len)
      continue;      /* the file is another one by now */
    const LsPass *pass = trace->passes->pdata[p->pass];
    const LsTraceRule *first = trace->rules->pdata[p->a], *second = trace->rules->pdata[p->b];
    guint step = MIN (p->step_a, ls_pass_n_steps (pass));
    const char *made_back = ngettext ("%s, undone by %s: %u time", "%s, undone by %s: %u times", p->count),
               *would = ngettext ("%s, would be undone by %s: %u time", "%s, would be undone by %s: %u times", p->count);
    char *text = g_strdup_printf (p->step_b > 0 ? made_back : would, first->name, second->name, p->count);
    ls_answer_add (a, (LsStop) { LS_STOP_NODE, g_strdup_printf ("%s/%u", pass->name, step), text, (int) pass->index, step, 0,
                                 LS_NO_NODE });
  }
  return a;
}
