/* The visits to each step are few and bounded, and so is what all steps add to a page: a page is sent to others, and is about the steps. */
#include "page-visits.h"
#include "session/visit-text.h"

#include <string.h>

#define MOST_VISITS  16              /* before the match of a step, with it */
#define MOST_ENTRIES 24              /* of a stack, from its top on */
#define MOST_RULES   40
#define MOST_BYTES   (2u << 20)      /* of all steps, texts included */

struct _LsPageVisits {
  LsTrace      *trace;
  const LsPass *pass;
  LsVisits     *all;
  gsize         size;
};

LsPageVisits *
ls_page_visits_new (LsTrace *trace, const LsPass *pass)
{
  LsVisits *all = ls_pass_visits (trace, pass);
  LsPageVisits *visits = all ? g_new0 (LsPageVisits, 1) : NULL;
  if (visits)
    *visits = (LsPageVisits) { trace, pass, all, 0 };
  return visits;
}

void
ls_page_visits_free (LsPageVisits *visits)
{
  if (!visits)
    return;
  ls_visits_free (visits->all);
  g_free (visits);
}

static guint
add_text (LsPageVisits *s, LsFilm *film, char *text)
{
  s->size += text ? strlen (text) + 8 : 8;
  guint number = ls_film_text (film, text);
  g_free (text);
  return number;
}

/* [number, stage, depth, node, its text, what happened] */
static void
add_list (LsPageVisits *s, LsFilm *film, GString *out, guint first, guint last)
{
  for (guint k = first; k <= last; k++) {
    const LsVisit *v = &g_array_index (s->all->visits, LsVisit, k);
    g_string_append_printf (out, "%s[%u,%d,%u,%u,%u,%u]", k > first ? "," : "", k + 1, (int) v->stage, v->depth, v->node,
                            add_text (s, film, ls_visit_node_text (s->trace, s->pass, v->node)),
                            add_text (s, film, ls_visit_sentence (s->trace, s->pass, s->all, k)));
  }
}

/* [stage, node, its text, what it waits for], the top first */
static void
add_stack (LsPageVisits *s, LsFilm *film, GString *out, guint k)
{
  g_autoptr (GArray) frames = ls_visits_stack (s->all, k);
  for (guint i = 0; i < MIN (frames->len, MOST_ENTRIES); i++) {
    guint at = frames->len - 1 - i;
    const LsVisitFrame *f = &g_array_index (frames, LsVisitFrame, at);
    g_string_append_printf (out, "%s[%d,%u,%u,%u]", i ? "," : "", (int) f->next, f->node,
                            add_text (s, film, ls_visit_node_text (s->trace, s->pass, f->node)),
                            add_text (s, film, i ? ls_visit_waits_text (frames, at) : NULL));
  }
  g_string_append_printf (out, "],\"deep\":%u", frames->len);
}

/* [name, how it ended], in the order in which they were asked */
static void
add_rules (LsPageVisits *s, LsFilm *film, GString *out, guint k)
{
  g_autoptr (LsVisitAsked) asked = ls_visit_asked_new (s->trace, s->pass, s->all, k, FALSE);
  guint n = ls_visit_asked_n (asked), first = n > MOST_RULES ? n - MOST_RULES : 0;
  for (guint i = first; i < n; i++) {
    const LsTraceRule *rule = s->trace->rules->pdata[ls_visit_asked_rule (asked, i)->rule];
    g_string_append_printf (out, "%s[%u,%u]", i > first ? "," : "", ls_film_text (film, rule->name),
                            add_text (s, film, ls_visit_rule_text (asked, i, g_array_index (s->all->visits, LsVisit, k).step)));
  }
  g_string_append_printf (out, "],\"asked\":%u", add_text (s, film, ls_visit_asked_text (s->trace, s->all, k, asked)));
}

void
ls_page_visits_add (LsPageVisits *s, LsFilm *film, GString *members, guint step)
{
  if (step < 1 || step > s->all->steps->len || s->size > MOST_BYTES)
    return;
  guint last = g_array_index (s->all->steps, guint, step - 1), begin = step > 1 ? g_array_index (s->all->steps, guint, step - 2) + 1 : 0,
        first = last + 1 - begin > MOST_VISITS ? last + 1 - MOST_VISITS : begin;
  gsize before = members->len;
  g_string_append_printf (members, "\"visits\":{\"left\":%u,\"list\":[", first - begin);
  add_list (s, film, members, first, last);
  g_string_append (members, "],\"stack\":[");
  add_stack (s, film, members, last);
  g_string_append (members, ",\"rules\":[");
  add_rules (s, film, members, last);
  g_string_append (members, "},");
  s->size += members->len - before;
}
