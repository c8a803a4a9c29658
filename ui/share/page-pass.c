/* The page of a pass: all of its steps, each with its change, its rule in words, and the source and program lines of its nodes. */
#include "page.h"
#include "page-visits.h"
#include "ir/sentence.h"
#include "graph/layout/chain.h"
#include "session/row-lineage.h"
#include "session/node-locations.h"
#include "session/visit-text.h"
#include "trace/place.h"
#include "trace/row-steps.h"
#include "trace/step-parts.h"

#include <glib/gi18n.h>

#define MOST_BINDINGS 32
#define MOST_NESTED   60      /* steps of the passes in a step */

static void
add_names (LsFilm *film, GString *members, LsTrace *trace, const LsPass *pass, guint step)
{
  LsBinding bindings[MOST_BINDINGS];
  guint n = ls_step_bindings (trace, pass, step, bindings, MOST_BINDINGS);
  g_string_append (members, "\"names\":[");
  for (guint i = 0; i < n; i++) {
    g_autofree char *value = ls_term_value_print (&bindings[i].value);
    g_string_append_printf (members, "%s[%u,%u", i ? "," : "", ls_film_text (film, bindings[i].name ? bindings[i].name : "?"),
                            ls_film_text (film, value));
    if (bindings[i].node)
      g_string_append_printf (members, ",%u", bindings[i].node->id);
    g_string_append_c (members, ']');
  }
  g_string_append (members, "],");
}

/* "parts": the nodes that an algorithm made in the step, [node, its text, why]. */
static void
add_parts (LsFilm *film, GString *members, LsTrace *trace, const LsPass *pass, guint step)
{
  g_autoptr (GArray) parts = ls_step_parts (trace, pass, step, TRUE);
  for (guint i = 0; parts && i < parts->len; i++) {
    const LsStepPart *part = &g_array_index (parts, LsStepPart, i);
    g_string_append_printf (members, "%s[%u,%u,%u]", i ? "," : "\"parts\":[", part->node, ls_film_text (film, part->text),
                            ls_film_text (film, ls_shown (part->why)));
  }
  if (parts && parts->len)
    g_string_append (members, "],");
}

/* "nested": the passes that a term ran in the step: [name, number of its steps, place of the first that is left out or "", [[rule,
 * sentence], …]]. */
static void
add_nested (LsFilm *film, GString *members, LsTrace *trace, const LsPass *pass, guint step)
{
  guint n = 0, left = MOST_NESTED;
  for (guint i = pass->index + 1; i < trace->passes->len; i++) {      /* nested passes follow the one that they are in */
    const LsPass *nested = trace->passes->pdata[i];
    if (nested->parent < 0)
      break;
    if (nested->parent != (gint) pass->index || nested->step != step)
      continue;
    guint n_steps = ls_pass_n_steps (nested), shown = MIN (n_steps, left);
    const LsPosition next = { trace, nested, shown + 1 };
    g_autofree char *place = shown < n_steps ? ls_position_print (&next) : NULL;
    g_string_append_printf (members, "%s[%u,%u,%u,[", n++ ? "," : "\"nested\":[", ls_film_text (film, nested->name), n_steps,
                            ls_film_text (film, place));
    for (guint k = 1; k <= shown; k++) {
      const LsLink *link = k <= ls_pass_n_rewrites (nested) ? ls_pass_step_link (nested, k) : NULL;
      const LsTraceRule *rule = link && link->rule >= 0 && (guint) link->rule < trace->rules->len ? trace->rules->pdata[link->rule] : NULL;
      g_autofree char *sentence = ls_step_sentence_shown (trace, nested, k, NULL);
      g_string_append_printf (members, "%s[%u,%u]", k > 1 ? "," : "", ls_film_text (film, rule ? rule->name : "?"),
                              ls_film_text (film, sentence));
    }
    left -= shown;
    g_string_append (members, "]]");
  }
  if (n)
    g_string_append (members, "],");
}

/* The picture of a page at a step: the step's own change, or the change since the base. */
typedef struct {
  LsTrace          *trace;
  const LsPass     *pass;
  const LsPosition *base;      /* or NULL */
  LsChain          *chain;
  LsPageVisits     *visits;    /* or NULL */
} Shown;

static LsGraphDiff *
diff_of (const Shown *s, guint step)
{
  const LsPosition at = { s->trace, s->pass, step };
  return s->base ? ls_position_diff (s->base, &at) : step > 0 ? ls_pass_diff_step (s->trace, s->pass, step) : NULL;
}

static LsScene *
scene_of (const Shown *s, guint step, const LsGraphDiff *diff)
{
  LsUOp *root = !diff && step == 0 && !s->base ? ls_context_node (s->trace->ctx, s->pass->input) : NULL;
  LsNames *names = ls_trace_names (s->trace, s->pass->kernel);
  return diff ? ls_scene_new_diff (s->trace, diff, TRUE) : root ? ls_scene_new_root (s->trace, names, root, TRUE) : NULL;
}

static LsLayout *
layout_of (const Shown *s, guint step, const LsScene *scene)
{
  return s->base ? ls_chain_comparison (s->chain, s->base->pass, s->base->step, TRUE, scene)
                 : ls_chain_layout (s->chain, s->pass, step, TRUE, scene);
}

/* "Compared with 3/simplify/2. This step: ", or nothing. Free with g_free. */
static char *
before_sentence (const LsPosition *base, guint step)
{
  g_autofree char *place = base ? ls_position_print (base) : NULL;
  return !base ? g_strdup ("") : g_strdup_printf (step > 0 ? _("Compared with %s. This step: ") : _("Compared with %s. "), place);
}

/* A step, or at 0 the input. FALSE in a recording that cannot be replayed. */
static gboolean
add_step (LsFilm *film, const Shown *s, guint step)
{
  LsTrace *trace = s->trace;
  const LsPass *pass = s->pass;
  g_autoptr (LsGraphDiff) diff = diff_of (s, step);
  g_autoptr (LsScene) scene = scene_of (s, step, diff);
  g_autoptr (LsLayout) layout = scene ? layout_of (s, step, scene) : NULL;
  g_autoptr (GString) members = g_string_new (NULL), text = g_string_new (NULL);
  g_autofree char *before = before_sentence (s->base, step);
  LsRowStep row;
  if (!layout)
    return FALSE;
  ls_film_picture (film, scene, layout);
  g_string_append (text, before);
  if (diff) {
    const LsPosition from = { trace, pass, step - 1 }, to = { trace, pass, step };
    g_autoptr (LsListDiff) rows = ls_list_diff_graph (s->base ? s->base : &from, &to, diff);
    if (!rows)
      return FALSE;
    ls_film_diff (film, rows);
  } else {
    const LsPosition at = { trace, pass, 0 };
    g_autoptr (LsGraph) graph = ls_position_rows (&at);
    if (!graph)
      return FALSE;
    ls_film_rows (film, &at, graph, LS_DIFF_SAME);
  }
  if (step == 0) {
    g_string_append_printf (text, _("The input of %s. %s"), pass->name, ls_shown (ls_pass_sentence (pass)));
    g_string_append_printf (members, "\"say\":%u,\"names\":[],", ls_film_text (film, text->str));
  } else if (ls_row_step (pass, step, &row)) {
    g_auto (LsRowWords) words = { NULL };
    ls_row_step_words (pass, step, TRUE, &words);
    g_autofree char *sentence = ls_step_sentence_shown (trace, pass, step, NULL);
    g_autofree char *template = ls_render_step_template (trace, pass, step, TRUE);
    g_string_append_printf (text, "%s%s%s%s%s", sentence, words.more ? " " : "", words.more ? words.more : "", template ? " " : "",
                            template ? template : "");
    g_string_append_printf (members, "\"rule\":-1,\"row\":%u,\"say\":%u,\"names\":[],",
                            ls_film_text (film, words.name ? words.name : "?"), ls_film_text (film, text->str));
  } else {
    const LsLink *link = ls_pass_step_link (pass, step);
    g_autoptr (LsGraphDiff) own = s->base ? ls_pass_diff_step (trace, pass, step) : NULL;
    const LsGraphDiff *change = s->base ? own : diff;
    g_autofree char *sentence = change ? ls_step_sentence_shown (trace, pass, step, change) : NULL;
    if (!change)
      return FALSE;
    g_string_append (text, sentence);
    g_string_append_printf (members, "\"rule\":%d,\"say\":%u,", link->rule, ls_film_text (film, text->str));
    g_string_append_printf (members, "\"at\":[%u,%u],", change->matched ? change->matched->id : link->before,
                            change->result ? change->result->id : link->after);
    add_names (film, members, trace, pass, step);
    add_parts (film, members, trace, pass, step);
    add_nested (film, members, trace, pass, step);
    if (s->visits)
      ls_page_visits_add (s->visits, film, members, step);
  }
  ls_film_end (film, members->str);
  return TRUE;
}

static void
add_rules (GString *members, LsTrace *trace, const LsPass *pass)
{
  g_autofree gboolean *used = g_new0 (gboolean, trace->rules->len + 1);
  gboolean first = TRUE;
  for (guint i = 1; i <= ls_pass_n_rewrites (pass); i++) {
    gint32 rule = ls_pass_step_link (pass, i)->rule;
    if (rule >= 0 && (guint) rule < trace->rules->len)
      used[rule] = TRUE;
  }
  g_string_append (members, "\"rules\":{");
  for (guint i = 0; i < trace->rules->len; i++) {
    const LsTraceRule *r = trace->rules->pdata[i];
    if (!used[i])
      continue;
    g_autofree char *where = g_strdup_printf ("%s:%u", r->file, r->line);
    const char *texts[] = { r->name, r->text, ls_shown (r->sentence), where };
    g_string_append_printf (members, "%s\"%u\":[", first ? "" : ",", i);
    for (guint k = 0; k < G_N_ELEMENTS (texts); k++) {
      if (k)
        g_string_append_c (members, ',');
      ls_json_quote (members, texts[k]);
    }
    g_string_append_c (members, ']');
    first = FALSE;
  }
  g_string_append (members, "},\n");
}

/* "stages": the driver's, and "mode": the direction of its walk, in words. */
static void
add_words_of_visits (GString *members, const LsPass *pass)
{
  g_string_append (members, "\"stages\":[");
  for (guint i = 0; i <= LS_VISIT_LINK; i++) {
    g_string_append (members, i ? "," : "");
    ls_json_quote (members, ls_visit_stage_text (i));
  }
  g_string_append (members, "],\"mode\":");
  g_autofree char *mode = ls_visit_mode_text (pass);
  ls_json_quote (members, mode);
  g_string_append (members, ",\n");
}

static void
add_numbers (GString *out, guint32 node, const GArray *numbers)
{
  if (!numbers || numbers->len == 0)
    return;
  g_string_append_printf (out, "%s\"%u\":[", out->str[out->len - 1] == '{' ? "" : ",", node);
  for (guint i = 0; i < numbers->len; i++)
    g_string_append_printf (out, "%s%u", i ? "," : "", g_array_index (numbers, guint, i));
  g_string_append_c (out, ']');
}

static gboolean
is_one (gpointer nodes, guint32 node)
{
  return ls_nodes_has (nodes, node);
}

/* For each node, the lines of source that show its final nodes. */
static void
add_source (GString *members, LsFilm *film, LsTrace *trace, const LsPass *pass, LsKernel *kernel)
{
  const GArray *nodes = ls_film_nodes (film);
  g_autoptr (LsRowLineage) lineage = ls_row_lineage_new (trace, kernel);
  while (!ls_row_lineage_work (lineage, G_MAXINT32))
    ;
  g_string_append (members, "\"source\":");
  ls_json_quote (members, kernel->source);
  g_string_append (members, ",\"source_of\":{");
  for (guint i = 0; i < nodes->len; i++) {
    guint32 node = g_array_index (nodes, guint32, i);
    g_autoptr (GArray) lines = g_array_new (FALSE, FALSE, sizeof (guint));
    LsNodes rows;
    ls_nodes_init (&rows);
    ls_row_lineage_descendants (lineage, pass, node, &rows);
    ls_node_locations_source_lines (kernel, is_one, &rows, lines);
    ls_nodes_clear (&rows);
    add_numbers (members, node, lines);
  }
  g_string_append (members, "},\n");
}

static void
add_lines (GString *members, LsFilm *film, LsTrace *trace, const LsPass *pass)
{
  const GArray *nodes = ls_film_nodes (film);
  LsProgramIndex *index = ls_program_index_new (trace);
  g_string_append (members, "\"lines_of\":{");
  for (guint i = 0; i < nodes->len; i++) {
    guint32 node = g_array_index (nodes, guint32, i);
    g_autoptr (GArray) lines = ls_program_index_lines (index, pass, NULL, node);
    add_numbers (members, node, lines);
  }
  g_string_append (members, "},\n");
  ls_program_index_free (index);
}

/* The steps of a page: all, or as many around one as show no more than most boxes together. */
typedef struct { guint first, n; } Range;

static Range
range_around (guint step, guint n_steps, guint n_boxes, guint most)
{
  guint n = MIN (MAX (most / MAX (n_boxes, 1), 1), n_steps + 1);
  return (Range) { MIN (step > n / 2 ? step - n / 2 : 0, n_steps + 1 - n), n };
}

/* On the steps that are left out, or NULL. Free with g_free. */
static char *
note_of (const Range *range, guint n_steps, guint n_boxes)
{
  if (range->n == n_steps + 1)
    return NULL;
  return g_strdup_printf (_("This page has the steps %u to %u of %u: with about %u boxes in each of them, a page of all would be too "
                            "large. To see others, share the place of one of them."), range->first, range->first + range->n - 1, n_steps,
                          n_boxes);
}

char *
ls_page_pass (LsTrace *trace, const LsPass *pass, guint step, const LsPosition *base, guint32 node, guint most_boxes, GError **error)
{
  guint n_steps = ls_pass_n_steps (pass);
  g_autoptr (LsFilm) film = ls_film_new (trace);
  g_autoptr (LsChain) chain = ls_chain_new (trace);
  g_autoptr (LsPageVisits) visits = ls_page_visits_new (trace, pass);
  const Shown shown = { trace, pass, base, chain, visits };
  g_autofree char *what = g_strdup_printf ("pass %s", pass->name);
  g_autoptr (LsGraphDiff) diff = diff_of (&shown, step);
  g_autoptr (LsScene) scene = scene_of (&shown, step, diff);
  guint n_boxes = scene ? scene->n_nodes : 0;
  const Range range = range_around (step, n_steps, n_boxes, most_boxes);
  for (guint i = range.first; i < range.first + range.n; i++) {
    if (!add_step (film, &shown, i)) {
      g_set_error (error, LS_ERROR, LS_ERROR_FILE, "pass %s has no graph at step %u: %s", pass->name, i,
                   trace->complete ? "the recording's links are cyclic; record the program again"
                                   : "the recording ends before it; record the program again");
      return NULL;
    }
    if (!ls_page_check_size (film, what, error))
      return NULL;
  }
  LsKernel *kernel = ls_trace_kernel (trace, pass->kernel);
  g_autoptr (LsLayout) layout = layout_of (&shown, step, scene);
  g_autoptr (GString) members = g_string_new (NULL), title = g_string_new (NULL);
  const LsPosition at = { trace, pass, step };
  g_auto (LsPlace) both = ls_place_of (&at, base);
  g_autofree char *place = ls_place_print (&both), *against = base ? ls_position_print (base) : NULL,
                  *before = before_sentence (base, step);
  g_autofree char *own = step > 0 ? ls_step_sentence_shown (trace, pass, step, NULL) : g_strdup (ls_shown (ls_pass_sentence (pass))),
                  *sentence = g_strconcat (before, own, NULL);
  g_autofree char *name = ls_page_file_name (trace->program_name), *note = note_of (&range, n_steps, n_boxes);
  g_string_append_printf (title, "%s: %s", name, pass->name);
  if (kernel)
    g_string_append_printf (title, _(" of kernel %u %s"), kernel->number, kernel->name);
  if (against)
    g_string_append_printf (title, _(", against %s"), against);
  if (node != LS_NO_NODE)
    g_string_append_printf (members, "\"chosen\":%u,", node);
  add_rules (members, trace, pass);
  if (visits)
    add_words_of_visits (members, pass);
  ls_page_add_program (members, trace);
  add_lines (members, film, trace, pass);
  if (kernel && kernel->source)
    add_source (members, film, trace, pass, kernel);
  g_string_append_printf (members, "\"first\":%u,\"steps\":%u,", range.first, n_steps);
  const LsFilmPage page = { "pass", title->str, place, sentence, note, step - range.first, trace, scene, layout, members };
  return ls_page_film (film, &page);
}
