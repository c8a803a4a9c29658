/* The page of a comparison: a row per variant on top, then the code of each in columns, matched line by line with the first's, with
 * marks on words that differ. */
#include "page-comparison.h"
#include "ir/sentence.h"
#include "page.h"
#include "session/verdict.h"
#include "ask/line-diff.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* A text of the engine, in the reader's language. */
static void
shown_text (GString *s, const char *before, const char *text, const char *after)
{
  g_autofree char *shown = ls_sentence_shown (text);
  ls_page_text (s, before, shown, after);
}

char *
ls_comparison_ratio (const LsMeasured *x)
{
  if (isnan (x->ratio_low))
    return isnan (x->ratio) ? g_strdup ("-") : g_strdup_printf ("%.3f", x->ratio);
  return g_strdup_printf ("%.3f [%.3f, %.3f]", x->ratio, x->ratio_low, x->ratio_high);
}

char *
ls_comparison_equal (const LsComparedVariant *v)
{
  GString *s = g_string_new (ls_shown (ls_equality_names[v->equality]));
  if (v->after)
    g_string_append (s, v->equality == LS_EQUAL_FIRST ? _(", differs (after timing)") : _(" (after timing)"));
  else if (v->changes)
    g_string_append (s, _(" (changes from call to call)"));
  if (v->apart.max_ulp) {
    g_autofree char *ulp = g_strdup_printf ("%" G_GUINT64_FORMAT, v->apart.max_ulp);
    g_string_append_printf (s, _(", up to %s ulp, %.3g"), ulp, v->apart.max_error);
  }
  if (!isnan (v->bound) && v->apart.max_ulp && v->equality != LS_EQUAL_ULP)
    g_string_append_printf (s, _(" (another order of summation may cause %.3g)"), v->bound);
  if (v->equality == LS_EQUAL_DIFFERS) {
    char first[24];
    g_string_append_printf (s, _(" from element %s on"), ls_int_text (v->apart.first, first));
  }
  return g_string_free (s, FALSE);
}

char *
ls_comparison_loop (const LsComparedVariant *v)
{
  const LsHotLoop *h = &v->loop;
  if (!v->code || v->code->len == 0)
    return g_strdup (_("no machine code"));
  return g_strdup_printf (_("%s: %u instructions, %u of them arithmetic of %u bits, %u with memory; %u vector and %u general registers"),
                          h->found ? _("hot loop") : _("no loop"), h->n, h->n_arithmetic, h->vector_bits,
                          h->n_memory, h->vector_registers, h->general_registers);
}

char *
ls_comparison_compiler (const LsComparedVariant *v)
{
  return g_strconcat (v->compiler, v->version && *v->version ? " " : "", v->version ? v->version : "", v->flags && *v->flags ? " " : "",
                      v->flags ? v->flags : "", NULL);
}

char *
ls_comparison_noise (const LsComparison *c)
{
  const LsMeasured *x = c->times ? &c->times->control : NULL;
  g_autofree char *ratio = x ? ls_comparison_ratio (x) : NULL;
  return x && !x->error ? g_strdup_printf (_("%u rounds in %.1f s; the first against itself: %s"), c->times->n_rounds, c->times->seconds,
                                           ratio) : g_strdup (_("nothing was timed"));
}

/* --- results --- */

#define MOST_COLUMNS 12
#define BAR          120      /* pixels of the longest time's */

/* A bar with a mark for each round. scale: pixels of a nanosecond. */
static void
append_bar (GString *s, const LsMeasured *x, double scale)
{
  g_string_append (s, "<td><svg class=\"bar\" width=\"130\" height=\"14\">");
  if (x) {
    g_string_append_printf (s, "<rect y=\"1\" width=\"%.1f\" height=\"12\"/>", scale * x->median);
    for (guint i = 0; i < x->samples->len; i++) {
      double at = scale * g_array_index (x->samples, double, i);
      if (at <= 130)
        g_string_append_printf (s, "<path d=\"M%.1f 3v8\"/>", at);
    }
  }
  g_string_append (s, "</svg></td>");
}

/* A cell, and after a time its bar. */
static void
append_variant_cell (GString *s, const LsRecord *record, const LsField *field, const LsComparison *c, guint k, double scale)
{
  const LsComparedVariant *v = &c->variants[k];
  const LsMeasured *x = ls_comparison_times (c, k), *timed = x && !v->error && !isnan (x->median) ? x : NULL;
  gboolean is_time = g_str_equal (field->name, "median_ns");
  g_autofree char *text = NULL;
  if (g_str_equal (field->name, "spec"))
    text = g_strdup (*v->spec ? v->spec : _("(as it is)"));
  else if (g_str_equal (field->name, "compiler"))
    text = v->assembly || !v->error ? ls_comparison_compiler (v) : g_strdup ("-");
  else if (is_time)
    text = timed ? ls_time_text (x->median) : g_strdup ("-");
  else if (g_str_equal (field->name, "ratio"))
    text = timed && k ? ls_comparison_ratio (x) : NULL;
  else if (g_str_equal (field->name, "equal"))
    text = ls_comparison_equal (v);
  else
    text = ls_answer_cell (record, v, k, &(LsAnswering) { .data = c }, field->name);
  if (g_str_equal (field->name, "verdict"))
    ls_page_text (s, "<td>", ls_verdict_words (text), "</td>");
  else if (g_str_equal (field->name, "equal") && v->writes)
    ls_page_text (s, "<td>", text, "; "), shown_text (s, "", v->writes, "</td>");
  else
    ls_page_text (s, "<td>", text ? text : "", "</td>");
  if (is_time)
    append_bar (s, timed, scale);
}

static void
append_variants (GString *s, const LsComparison *c)
{
  const LsRecord *record = ls_record_field (&ls_compare_answer, "variants")->of;
  const LsField *fields[MOST_COLUMNS];
  guint n_fields = ls_record_columns (record, fields, MOST_COLUMNS);
  double most = 0;
  for (guint k = 0; k < c->n; k++) {
    const LsMeasured *x = ls_comparison_times (c, k);
    most = x && !c->variants[k].error && x->high > most ? x->high : most;
  }
  g_string_append (s, "<div class=\"wide\"><table><tr><th></th>");      /* of the letters */
  for (guint i = 0; i < n_fields; i++)
    ls_page_text (s, "<th>", _(fields[i]->column), g_str_equal (fields[i]->name, "median_ns") ? "</th><th></th>" : "</th>");
  g_string_append (s, "</tr>\n");
  for (guint k = 0; k < c->n; k++) {
    g_string_append_printf (s, "<tr><td>%c</td>", 'A' + (int) k);
    for (guint i = 0; i < n_fields; i++)
      append_variant_cell (s, record, fields[i], c, k, most > 0 ? BAR / most : 0);
    g_string_append (s, "</tr>\n");
  }
  g_string_append (s, "</table></div>\n");
}

/* format: with one %s. */
static void
append_item (GString *s, const char *format, const char *text)
{
  g_autoptr (GString) filled = g_string_new (format);
  g_string_replace (filled, "%s", text, 1);
  ls_page_text (s, "<li>", filled->str, "</li>\n");
}

static void
append_variant (GString *s, const LsComparison *c, guint k)
{
  const LsComparedVariant *v = &c->variants[k];
  g_autofree char *letter = g_strdup_printf ("<h2>%c ", 'A' + (int) k), *loop = ls_comparison_loop (v), *equal = ls_comparison_equal (v);
  ls_page_text (s, letter, *v->spec ? v->spec : _("(as it is)"), "</h2>\n<ul>\n");
  if (v->error)
    shown_text (s, "<li class=\"bad\">", v->error, "</li>\n");
  if (v->writes)
    shown_text (s, "<li class=\"bad\">", v->writes, "</li>\n");
  if (v->changes)
    shown_text (s, "<li class=\"bad\">", v->changes, "</li>\n");
  if (v->n_static) {
    g_autofree char *kept = g_strdup_printf (_("its code keeps %u bytes of variables between calls: the results of %u calls were "
                                               "compared, others may differ"), (guint) v->n_static, v->n_calls);
    ls_page_text (s, "<li class=\"bad\">", kept, "</li>\n");
  }
  if (v->note)
    shown_text (s, "<li>", v->note, "</li>\n");
  if (v->why)
    shown_text (s, "<li>", v->why, "</li>\n");
  if (v->by_hand)
    append_item (s, _("hand-written: the function %s"), v->name);
  else if (v->options)
    append_item (s, _("options: %s"), *v->options ? v->options : _("none"));
  for (guint i = 0; i < v->refused->len; i++)
    shown_text (s, "<li class=\"bad\">", v->refused->pdata[i], "</li>\n");
  if (v->assembly)
    ls_page_text (s, "<li>", loop, "</li>\n");
  if (v->mca)
    shown_text (s, "<li>", v->mca, "</li>\n");
  if (v->equality != LS_EQUAL_NONE)
    append_item (s, _("result: %s"), equal);
  if (v->log_text) {
    shown_text (s, "<li>", v->log_text, "<br>");
    shown_text (s, "A: <code>", v->log_first, "</code><br>");
    ls_page_text (s, "", _("here"), ": <code>");
    shown_text (s, "", v->log_own, "</code></li>\n");
  }
  g_string_append (s, "</ul>\n");
}

/* --- columns --- */

static char **
split (const char *text)
{
  char **lines = g_strsplit (text ? text : "", "\n", -1);
  guint n = g_strv_length (lines);
  if (n && !*lines[n - 1])
    g_clear_pointer (&lines[n - 1], g_free);
  return lines;
}

/* A line that replaces another: its new words are marked. */
static void
append_words (GString *s, const char *was, const char *line)
{
  g_autoptr (GArray) spans = ls_line_words (was, line);
  guint at = 0, n = (guint) strlen (line);
  for (guint i = 0; i <= spans->len; i++) {
    LsLineSpan span = i < spans->len ? g_array_index (spans, LsLineSpan, i) : (LsLineSpan) { n, n };
    g_autofree char *before = g_strndup (line + at, span.from - at), *other = g_strndup (line + span.from, span.to - span.from);
    ls_page_text (s, "", before, "");
    if (*other)
      ls_page_text (s, "<mark>", other, "</mark>");
    at = span.to;
  }
}

static void
append_row (GString *s, char ***lines, const LsLineCell *cells, guint n)
{
  gboolean differs = FALSE;
  for (guint k = 1; k < n; k++)
    differs |= cells[k].state != LS_LINE_SAME;
  g_string_append (s, differs ? "<tr class=\"d\"><th>" : "<tr><th>");
  if (cells[0].line >= 0)
    g_string_append_printf (s, "%d", cells[0].line + 1);
  g_string_append (s, "</th>");
  for (guint k = 0; k < n; k++) {
    const char *line = cells[k].line >= 0 ? lines[k][cells[k].line] : NULL, *first = cells[0].line >= 0 ? lines[0][cells[0].line] : NULL;
    if (!line)
      g_string_append (s, "<td class=\"gap\"></td>");
    else if (k && cells[k].state != LS_LINE_SAME && first) {
      g_string_append (s, "<td class=\"other\">");
      append_words (s, first, line);
      g_string_append (s, "</td>");
    } else
      ls_page_text (s, k && cells[k].state != LS_LINE_SAME ? "<td class=\"own\">" : "<td>", line, "</td>");
  }
  g_string_append (s, "</tr>\n");
}

static void
append_band (GString *s, const LsComparison *c, const char *title, gsize member)
{
  g_autofree char ***lines = g_new0 (char **, c->n);
  gboolean any = FALSE;
  for (guint k = 0; k < c->n; k++) {
    g_autofree char *valid = g_utf8_make_valid (G_STRUCT_MEMBER (char *, &c->variants[k],
                                                                 member) ? G_STRUCT_MEMBER (char *, &c->variants[k], member) : "", -1);
    lines[k] = split (valid);
    any |= lines[k][0] != NULL;
  }
  if (any) {
    guint n_rows;
    g_autoptr (GArray) cells = ls_line_align (lines, c->n, &n_rows);
    g_string_append_printf (s, "<details open><summary>%s</summary><div class=\"wide\"><table class=\"columns n%u\"><thead><tr><th></th>",
                            title, MIN (c->n, 5));
    for (guint k = 0; k < c->n; k++) {
      g_autofree char *letter = g_strdup_printf ("<th>%c ", 'A' + (int) k);
      ls_page_text (s, letter, *c->variants[k].spec ? c->variants[k].spec : _("(as it is)"), "</th>");
    }
    g_string_append (s, "</tr></thead><tbody>\n");
    for (guint r = 0; r < n_rows; r++)
      append_row (s, lines, &g_array_index (cells, LsLineCell, r * c->n), c->n);
    g_string_append (s, "</tbody></table></div></details>\n");
  }
  for (guint k = 0; k < c->n; k++)
    g_strfreev (lines[k]);
}

char *
ls_page_comparison (const LsComparison *c)
{
  static const struct { const char *title; gsize member; } bands[] = {
    { N_("Source"), G_STRUCT_OFFSET (LsComparedVariant, source) }, { N_("UOps"), G_STRUCT_OFFSET (LsComparedVariant, listing) },
    { N_("Machine code"), G_STRUCT_OFFSET (LsComparedVariant, assembly) },
  };
  g_autoptr (GString) s = g_string_new ("<body class=\"text comparison\">\n");
  g_autofree char *head = g_strdup_printf (_("Kernel %u: %s"), c->kernel, c->kernel_name), *noise = ls_comparison_noise (c);
  ls_page_text (s, "<header><h1>", head, "</h1><div id=\"bar\"></div></header>\n");
  ls_page_text (s, "<noscript><p class=\"note\">", _("Stepping through the differences and marking rows need scripts, which are "
                                                     "disabled here; everything else is below."), "</p></noscript>\n");
  shown_text (s, "<p>", c->machine, "<br>\n");
  ls_page_text (s, "", noise, "</p>\n");
  append_variants (s, c);
  for (guint k = 0; k < c->n; k++)
    append_variant (s, c, k);
  for (gsize i = 0; i < G_N_ELEMENTS (bands); i++)
    append_band (s, c, _(bands[i].title), bands[i].member);
  return ls_page_new (head, s->str, "comparison.js", "{}");
}
