/* Compares facts that a recording has twice, or that must agree with other rows: kernels with the digest of their messages, statements
 * with their texts, outputs with the calls that read them, searches with their candidates, an error with its position. */
#include "verify.h"

#include "codegen/codegen.h"

#include <string.h>

/* Settings, compilers and errors against the digest that was made when the kernel had run. */
static void
verify_facts (LsTrace *trace, LsVerify *v)
{
  guint n = 0;
  for (guint i = 0; i < trace->kernels->len; i++) {
    const LsKernel *k = trace->kernels->pdata[i];
    if (!k->facts)
      continue;
    n++;
    if (strcmp (k->facts, ls_trace_kernel_facts (trace, k)) != 0)
      ls_verify_differs (v, "kernel %u (%s): settings, compilers and messages have another digest than when it ran", k->number, k->name);
  }
  if (n && n < trace->kernels->len)
    ls_verify_differs (v, "%u of %u kernels have no digest of their messages", trace->kernels->len - n, trace->kernels->len);
  if (n == 0 && trace->kernels->len)
    ls_verify_unjudged (v, "settings, compilers, flags and errors: before schema 8 they are recorded only once");
}

static void
verify_files (LsTrace *trace, LsVerify *v)
{
  guint n = 0;
  for (guint i = 0; i < trace->files->len; i++) {
    const LsProgramFile *f = &g_array_index (trace->files, LsProgramFile, i);
    n += f->digest != NULL;
    if (f->digest && strcmp (f->digest, ls_trace_file_digest (trace, f)) != 0)
      ls_verify_differs (v, "file %u (%s): its name and text have another digest than when it was met", i, f->name);
  }
  if (n && n < trace->files->len)
    ls_verify_differs (v, "%u files of %u have no digest", trace->files->len - n, trace->files->len);
}

/* A statement's text has as many lines as its span. */
static void
verify_lines (LsTrace *trace, LsVerify *v)
{
  for (guint i = 0; i < trace->statements->len; i++) {
    const LsStatement *s = &g_array_index (trace->statements, LsStatement, i);
    guint n = 0;
    for (const char *at = strchr (s->text, '\n'); at; at = strchr (at + 1, '\n'))
      n++;
    if (s->end_line - s->line != n)
      ls_verify_differs (v, "statement %u: its text has %u lines, not %u", i, n + 1, s->end_line - s->line + 1);
  }
}

/* An output was read by a call, at that call's line. */
static void
verify_readers (LsTrace *trace, LsVerify *v)
{
  for (guint i = 0; i < trace->outputs->len; i++) {
    const LsOutput *o = &g_array_index (trace->outputs, LsOutput, i);
    const LsCall *c = o->call < trace->calls->len ? &g_array_index (trace->calls, LsCall, o->call) : NULL;
    if (c && c->line != o->line)
      ls_verify_differs (v, "output %u: it was read at line %u, by a call of line %u", i, o->line, c->line);
  }
}

static void
verify_error (LsTrace *trace, LsVerify *v)
{
  g_autofree char *place = g_strdup_printf (":%u:%u: ", trace->error_line, trace->error_column),
                  *line = g_strdup_printf (":%u: ", trace->error_line);
  g_autofree char *outer = g_strdup_printf ("File \"%s\", line %u, in ", trace->program_name ? trace->program_name : "", trace->error_line);
  gboolean placed = trace->error_line || trace->error_column;
  const char *error = trace->error ? trace->error : "";
  /* the error is a module's; the program's line led there, which has no column */
  gboolean in_module = trace->error_column == 1 && strstr (error, outer);
  if (placed && !in_module && !strstr (error, place) && !(!trace->error_column && strstr (error, line)))
    ls_verify_differs (v, "the position of the error differs from its message");
}

/* Options are their parent's and one more. */
static gboolean
extends (const LsCandidate *parent, const LsCandidate *c)
{
  gsize n = strlen (parent->options);
  const char *rest = c->options + n + (n > 0);
  return g_str_has_prefix (c->options, parent->options) && (n == 0 || c->options[n] == ',') && *rest && !strchr (rest, ',');
}

static void
verify_search (LsTrace *trace, LsVerify *v, guint search)
{
  const LsTraceSearch *s = &g_array_index (trace->searches, LsTraceSearch, search);
  const LsKernel *k = ls_trace_kernel (trace, s->kernel);
  const LsCandidate *all = k ? (const LsCandidate *) (gconstpointer) k->candidates->data : NULL;
  guint n = k ? k->candidates->len : 0, n_chosen = 0;
  gboolean holds = k != NULL && (search == 0 || s[-1].kernel < s->kernel) && s->heuristic >= -1 && s->heuristic < (gint) n &&
                   (s->heuristic < 0 || all[s->heuristic].heuristic);
  g_autoptr (GHashTable) met = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < n && holds; i++) {
    g_autoptr (GArray) parsed = ls_opts_parse (all[i].options, NULL);
    holds = parsed && g_hash_table_add (met, (gpointer) all[i].options);      /* options are tried once */
    if (!holds)
      break;
    const LsCandidate *parent = all[i].parent >= 0 ? &all[all[i].parent] : NULL;
    n_chosen += all[i].chosen != 0;
    holds = (parent != NULL) == (i > 0) && (parent ? all[i].layer == parent->layer + 1 && extends (parent, &all[i]) : all[i].layer == 0 &&
                                            !*all[i].options) &&
            (!all[i].chosen || strcmp (all[i].options, k->options) == 0);
    /* the heuristic's choice, and the candidates that lead to it */
    gboolean leads = s->heuristic >= 0 && (i == (guint) s->heuristic || (g_str_has_prefix (all[s->heuristic].options, all[i].options) &&
                                                                         (!*all[i].options ||
                                                                          all[s->heuristic].options[strlen (all[i].options)] == ',')));
    holds = holds && !all[i].heuristic == !leads;
  }
  if (!holds || n_chosen > 1)
    ls_verify_differs (v, "search %u: its candidates do not form one tree of the kernel's options", search);
}

void
ls_verify_doubled (LsTrace *trace, LsVerify *v)
{
  verify_facts (trace, v);
  verify_files (trace, v);
  verify_lines (trace, v);
  verify_readers (trace, v);
  verify_error (trace, v);
  for (guint i = 0; i < trace->searches->len; i++)
    verify_search (trace, v, i);
}
