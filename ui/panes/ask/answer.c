/* Answers as lines, and the biography of a node or a line: source, listing, rewrites with the latest first, the kernel's graph, the
 * schedule's decision, the calls, the program's line. Rebuilds are only counted: they only mean that a node below changed. */
#include "answer.h"
#include "trace/row-steps.h"
#include "ir/print.h"
#include "kit/text.h"
#include "session/trace-text.h"

#include <glib/gi18n.h>
#include <string.h>

#define MAX_STOPS 5000
#define MAX_NODES   60      /* of one kind; the rest is counted */

static void
clear_stop (gpointer data)
{
  LsStop *stop = data;
  g_free (stop->place);
  g_free (stop->text);
}

LsAnswer *
ls_answer_new (char *title, char *summary)
{
  LsAnswer *answer = g_new0 (LsAnswer, 1);
  answer->title = title;
  answer->summary = summary;
  answer->stops = g_array_new (FALSE, FALSE, sizeof (LsStop));
  g_array_set_clear_func (answer->stops, clear_stop);
  return answer;
}

void
ls_answer_free (LsAnswer *answer)
{
  if (!answer)
    return;
  g_free (answer->title);
  g_free (answer->summary);
  g_free (answer->asked_at);
  g_free (answer->reason);
  g_array_unref (answer->stops);
  g_free (answer);
}

void
ls_answer_add (LsAnswer *answer, LsStop stop)
{
  char *place = ls_text_cut (stop.place ? stop.place : "", 80), *text = ls_text_cut (stop.text ? stop.text : "", 400);
  clear_stop (&stop);
  stop.place = place;
  stop.text = text;
  g_array_append_val (answer->stops, stop);
}

char *
ls_answer_print (const LsAnswer *answer)
{
  GString *out = g_string_new (answer->title);
  if (answer->summary && *answer->summary)
    g_string_append_printf (out, "\n%s", answer->summary);
  if (answer->reason)
    g_string_append_printf (out, "\n%s", answer->reason);
  for (guint i = 0; i < answer->stops->len; i++) {
    const LsStop *stop = &g_array_index (answer->stops, LsStop, i);
    g_string_append_printf (out, "\n%s\t%s", stop->place, stop->text);
  }
  return g_string_free (out, FALSE);
}

/* --- biography --- */

/* kernel: whose names it has, or 0. */
static char *
summary_of (LsTrace *trace, guint kernel, guint32 node)
{
  LsUOp *u = ls_context_node (trace->ctx, node);
  return u ? ls_text_node (ls_trace_names (trace, kernel), u) : g_strdup ("?");
}

static const LsPass *
first_pass (LsTrace *trace, guint kernel)
{
  for (guint i = 0; i < trace->passes->len; i++) {
    const LsPass *p = trace->passes->pdata[i];
    if (p->kernel == kernel && p->kind == LS_PASS_REWRITE)
      return p;
  }
  return NULL;
}

static void
add_listing (LsAnswer *a, LsTrace *trace, const LsBlame *b, const LsKernel *k)
{
  int pass = k->passes->len ? (int) g_array_index (k->passes, guint, k->passes->len - 1) : -1;
  g_autoptr (GHashTable) rows = ls_kernel_rows (trace, k, ls_trace_style (trace));
  for (guint i = 0; i < b->nodes->len; i++) {
    const LsBlameNode *n = &g_array_index (b->nodes, LsBlameNode, i);
    g_autofree char *summary = summary_of (trace, b->kernel, n->node);
    guint line = 0;
    for (guint j = 0; j < k->source_links->len && !line; j++)
      if (g_array_index (k->source_links, LsSourceLink, j).node == n->node)
        line = g_array_index (k->source_links, LsSourceLink, j).line;
    if (i == 0 && (b->line || line)) {
      char *text = ls_source_line (k->source, b->line ? b->line : line);
      ls_answer_add (a, (LsStop) { LS_STOP_FINAL, g_strdup_printf (_("source line %u"), b->line ? b->line : line), text, pass, 0, 0,
                                   n->node });
    }
    gint row = ls_row_number (rows, n->node);
    if (row >= 0)
      ls_answer_add (a, (LsStop) { LS_STOP_FINAL, g_strdup_printf (_("UOps row %u"), (guint) row), g_steal_pointer (&summary), pass, 0, 0,
                                   n->node });
  }
}

static void
add_rewrites (LsAnswer *a, LsTrace *trace, const LsBlame *b)
{
  const LsKernel *k = ls_trace_kernel (trace, b->kernel);
  guint rebuilt = 0, code = k && k->same_as > 0 ? (guint) k->same_as : b->kernel;
  for (guint i = 0; i < b->origins->len && a->stops->len < MAX_STOPS; i++) {
    const LsOrigin *o = &g_array_index (b->origins, LsOrigin, i);
    const LsPass *p = o->pass < trace->passes->len ? trace->passes->pdata[o->pass] : NULL;
    if (!p || (p->kernel != b->kernel && p->kernel != code))
      continue;
    g_autofree char *from = summary_of (trace, b->kernel, o->node), *made = summary_of (trace, b->kernel, o->made);
    if (p->kind == LS_PASS_MAP) {
      const char *recorded = o->step < p->map->len ? g_array_index (p->map, LsMapEntry, o->step).reason : NULL;
      g_autofree char *reason = recorded && *recorded ? ls_text_reason (recorded) : NULL;
      ls_answer_add (a, (LsStop) { LS_STOP_NODE, g_strdup (p->name), g_strdup_printf (_("%s, from %s: %s"), made, from, reason
                                                                                      ? reason : ""), (int) p->index, 0, 0, o->made });
    } else if (o->rule == LS_LINK_REBUILD) {
      rebuilt++;
    } else {
      const char *rule = o->rule >= 0 && (guint) o->rule < trace->rules->len ? ((LsTraceRule *) trace->rules->pdata[o->rule])->name : "?";
      ls_answer_add (a, (LsStop) { LS_STOP_NODE, g_strdup_printf ("%s/%u", p->name, o->step),
                                   g_strdup_printf (_("%s made %s from %s"), rule, made, from), (int) p->index,
                                   o->step, 0, o->made });
    }
  }
  if (rebuilt)
    ls_answer_add (a, (LsStop) { LS_STOP_TEXT, NULL, g_strdup_printf (ngettext ("and %u node was rebuilt over changed sources",
                                                                                "and %u nodes were rebuilt over changed sources",
                                                                                rebuilt), rebuilt), -1, 0, 0, LS_NO_NODE });
}

static void
add_nodes (LsAnswer *a, LsTrace *trace, const char *place, const GArray *nodes, const LsPass *pass)
{
  for (guint i = 0; i < MIN (nodes->len, MAX_NODES); i++) {
    guint32 id = g_array_index (nodes, guint32, i);
    ls_answer_add (a, (LsStop) { pass ? LS_STOP_NODE : LS_STOP_TEXT, g_strdup (place),
                                 summary_of (trace, pass ? pass->kernel : 0, id),
                                 pass ? (int) pass->index : -1, 0, 0, id });
  }
  if (nodes->len > MAX_NODES)
    ls_answer_add (a, (LsStop) { LS_STOP_TEXT, NULL, g_strdup_printf (_("and %u more"), nodes->len - MAX_NODES), -1, 0, 0, LS_NO_NODE });
}

/* A call and those within which it was made, innermost first; each once. */
static void
add_calls (LsAnswer *a, LsTrace *trace, guint call, GHashTable *told)
{
  for (gint at = (gint) call; at >= 0 && (guint) at < trace->calls->len && g_hash_table_add (told, GINT_TO_POINTER (at + 1));) {
    const LsCall *c = &g_array_index (trace->calls, LsCall, at);
    const LsProgramFile *file = c->def_line && c->def_file >= 0 && c->def_file < (gint) trace->files->len
                                ? &g_array_index (trace->files, LsProgramFile, c->def_file) : NULL;
    g_autofree char *base = file ? g_path_get_basename (file->name) : NULL;
    ls_answer_add (a, (LsStop) { file ? LS_STOP_CALL : LS_STOP_PROGRAM, base ? g_strdup_printf ("%s:%u", base, c->def_line)
                                                                             : g_strdup (_("call")),
                                 g_strdup_printf ("%s (%s)", c->name, c->args ? c->args : ""), -1, 0, file ? (guint) at : c->line,
                                 LS_NO_NODE });
    at = c->parent;
  }
}

static void
add_program (LsAnswer *a, LsTrace *trace, const LsBlame *b)
{
  g_autoptr (GHashTable) told = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < MIN (b->calls->len, MAX_NODES); i++)
    add_calls (a, trace, g_array_index (b->calls, guint, i), told);
  for (guint i = 0; i < b->lines->len; i++) {
    guint line = g_array_index (b->lines, guint, i);
    ls_answer_add (a, (LsStop) { LS_STOP_PROGRAM, g_strdup_printf (_("program line %u"), line),
                                 ls_source_line (trace->program_text, line), -1, 0, line, LS_NO_NODE });
  }
}

/* "from program line 4", with its uncertainty. */
static char *
describe (LsTrace *trace, const LsBlame *b)
{
  GString *s = g_string_new (NULL);
  const LsKernel *k = ls_trace_kernel (trace, b->kernel);
  const char *by_hand = k ? ls_kernel_by_hand (k) : NULL;
  g_autofree char *file = by_hand ? ls_text_valid (by_hand) : NULL;
  if (b->nodes->len == 0 && file) {
    g_string_append_printf (s, _("The line is hand-written, in %s: it has no nodes."), file);
    return g_string_free (s, FALSE);
  }
  if (b->nodes->len == 0)
    return g_strdup (_("The line shows no node: it belongs to the function's frame."));
  if (b->lines->len == 0)
    return g_strdup (_("No program line is known for it."));
  for (guint i = 0; i < MIN (b->lines->len, 6); i++)
    g_string_append_printf (s, i ? ", %u" : ngettext ("From program line %u", "From program lines %u", b->lines->len),
                            g_array_index (b->lines, guint, i));
  if (b->lines->len > 6)
    g_string_append (s, ", …");
  if (b->n_kind[LS_BLAME_SYNTHETIC])
    g_string_append (s, _(" · a constant with which a rule or stage replaced nodes from there"));
  else if (b->n_kind[LS_BLAME_AMBIGUOUS] && b->nodes->len == 1)
    g_string_append (s, _(" · equal nodes of these lines are one node"));
  return g_string_free (s, FALSE);
}

LsAnswer *
ls_answer_origin (LsTrace *trace, const LsBlame *b, const LsPass *pass, guint step)
{
  const LsKernel *k = b->kernel ? ls_trace_kernel (trace, b->kernel) : NULL;
  g_autofree char *what = b->nodes->len ? summary_of (trace, b->kernel, g_array_index (b->nodes, LsBlameNode, 0).node) : NULL;
  g_autofree char *cut = what ? ls_text_cut (what, 60) : NULL;
  char *title = b->line ? g_strdup_printf (_("Where line %u comes from"), b->line)
                        : g_strdup_printf (_("Where %s comes from"), cut ? cut : "?");
  LsAnswer *a = ls_answer_new (title, describe (trace, b));
  a->reason = ls_blame_reason (trace, b);
  if (k)
    add_listing (a, trace, b, k);
  if (a->stops->len == 0 && b->nodes->len && pass)
    ls_answer_add (a, (LsStop) { LS_STOP_NODE, step ? g_strdup_printf ("%s/%u", pass->name, step) : g_strdup (pass->name), g_strdup (what),
                                 (int) pass->index, step, 0,
                                 g_array_index (b->nodes, LsBlameNode, 0).node });
  add_rewrites (a, trace, b);
  if (k && b->nodes->len) {
    add_nodes (a, trace, _("kernel graph"), b->ast, first_pass (trace, k->number));
    for (guint i = 0; i < b->decisions->len; i++) {
      const LsDecision *d = &g_array_index (trace->decisions, LsDecision, g_array_index (b->decisions, guint, i));
      g_autofree char *summary = summary_of (trace, 0, d->node);
      g_autofree char *reason = ls_text_reason (d->reason);
      ls_answer_add (a, (LsStop) { LS_STOP_KERNEL, g_strdup (_("schedule")),
                                   g_strdup_printf (_("kernel %u stores %s: %s"), d->kernel, summary, reason), -1, 0, d->kernel, d->node });
    }
  }
  if (b->nodes->len)
    add_program (a, trace, b);
  return a;
}

/* --- why two kernels are two --- */

LsAnswer *
ls_answer_why_not_fused (LsTrace *trace, const LsWhyNotFused *w)
{
  g_autofree char *text = ls_why_not_fused_text (w, TRUE);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  LsAnswer *a = ls_answer_new (g_strdup_printf (_("Why kernels %u and %u are two"), w->from, w->to), g_strdup (lines[0]));
  if (w->kind == LS_NOT_FUSED_USE) {
    g_auto (LsRowWords) words = { NULL };
    ls_row_step_words (w->schedule, w->step, TRUE, &words);
    ls_answer_add (a, (LsStop) { LS_STOP_NODE, g_strdup_printf ("%s/%u", w->schedule->name, w->step), g_strdup (words.change),
                                 (int) w->schedule->index, w->step, 0, w->node });
  }
  for (guint i = 1; lines[0] && lines[i]; i++)
    ls_answer_add (a, (LsStop) { LS_STOP_TEXT, g_strdup (""), g_strdup (lines[i]), -1, 0, 0, LS_NO_NODE });
  const guint kernels[] = { w->from, w->to };
  for (guint i = 0; i < G_N_ELEMENTS (kernels); i++)
    ls_answer_add (a, (LsStop) { LS_STOP_KERNEL, g_strdup_printf (_("kernel %u"), kernels[i]),
                                 g_strdup (ls_trace_kernel (trace, kernels[i])->name), -1, 0, kernels[i], LS_NO_NODE });
  return a;
}
