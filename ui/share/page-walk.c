/* The page of a program's walk: its statements in the order in which they ran, each with its calls, the names that it bound, and the
 * graph that the names stood for. */
#include "page.h"
#include "ask/ask.h"
#include "graph/layout/chain.h"
#include "ir/print.h"
#include "ir/sentence.h"
#include "trace/realizations.h"
#include "trace/statements.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define MOST_DONE  200      /* copies, kernels and launches that are listed below a call */
#define MOST_NODES 32       /* of a statement, whose facts are listed */
#define MOST_FACTS (4u << 20)      /* bytes of them on a page */

/* Where the boxes of the last picture are. */
typedef struct { float x; gint32 rank; } Place;

typedef struct {
  LsTrace      *trace;
  LsFilm       *film;
  LsPass       *last;        /* whose graph was shown last, or NULL */
  GHashTable   *places;      /* node id + 1 -> Place */
  LsScene      *scene;       /* the last ones that were made */
  LsLayout     *layout;
  GHashTable   *facts;       /* node + 1 -> its facts as they were written last */
  gsize         n_facts;     /* their bytes */
} Walk;

static void
walk_clear (Walk *w)
{
  g_clear_pointer (&w->film, ls_film_free);
  g_clear_pointer (&w->places, g_hash_table_unref);
  g_clear_pointer (&w->facts, g_hash_table_unref);
  g_clear_pointer (&w->scene, ls_scene_free);
  g_clear_pointer (&w->layout, ls_layout_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Walk, walk_clear)

/* A layout that keeps the positions of the picture before. */
static LsLayout *
lay_out (Walk *w, const LsScene *scene)
{
  g_autoptr (LsLayoutInput) input = ls_scene_layout_input (scene);
  g_autoptr (LsKeep) keep = ls_keep_new (scene->n_nodes);
  for (guint i = 0; i < scene->n_nodes; i++) {
    const LsSceneNode *n = &scene->nodes[i];
    const Place *p = g_hash_table_lookup (w->places, GUINT_TO_POINTER ((n->before != LS_NO_NODE ? n->before : n->id) + 1));
    if (p) {
      keep->x[i] = p->x;
      keep->rank[i] = p->rank;
      keep->n_kept++;
    }
  }
  LsLayout *layout = ls_chain_make (input, keep->n_kept ? keep : NULL, FALSE, NULL);
  g_hash_table_remove_all (w->places);
  for (guint i = 0; i < scene->n_nodes; i++) {
    Place *p = g_new (Place, 1);
    *p = (Place) { layout->x[i] + scene->nodes[i].width / 2, (gint32) lroundf (layout->y[i] / LS_RANK_PITCH) };
    g_hash_table_insert (w->places, GUINT_TO_POINTER (scene->nodes[i].id + 1), p);
  }
  return layout;
}

/* The graph after a statement, with its changes. */
static gboolean
add_graph (Walk *w, LsPass *pass)
{
  LsPass *before = w->last;
  const LsUOp *names = ls_context_node (w->trace->ctx, pass->output);
  if (!before && names && names->n_src == 0)      /* there is nothing to draw yet */
    return TRUE;
  const LsPosition from = { w->trace, before ? before : pass, 0 }, to = { w->trace, pass, 0 };
  g_autoptr (LsGraphDiff) diff = before ? ls_position_diff (&from, &to) : NULL;
  g_autoptr (LsGraph) graph = ls_position_graph (&to);
  g_autoptr (LsListDiff) rows = diff ? ls_list_diff_graph (&from, &to, diff) : NULL;
  if (!graph || (diff && !rows))
    return FALSE;
  w->last = pass;
  g_clear_pointer (&w->scene, ls_scene_free);
  g_clear_pointer (&w->layout, ls_layout_unref);
  w->scene = diff ? ls_scene_new_diff (w->trace, diff, TRUE) : ls_scene_new_root (w->trace, graph->names, graph->root, TRUE);
  for (guint i = 0; !before && i < w->scene->n_nodes; i++)      /* the first names are bound to new nodes */
    w->scene->nodes[i].kind = LS_DIFF_ADDED;
  w->layout = lay_out (w, w->scene);
  ls_film_picture (w->film, w->scene, w->layout);
  if (rows)
    ls_film_diff (w->film, rows);
  else
    ls_film_rows (w->film, &to, graph, LS_DIFF_ADDED);
  return TRUE;
}

/* "ADD float (2, 3), 6 elements": a name as tensor.lazydata has it; or "ADD int, i*4+2", a UOp. Free with g_free. */
static char *
bound_text (LsTrace *trace, const LsNameBinding *n)
{
  g_auto (LsBoundName) bound = { NULL };
  if (!ls_bound_name (trace, n, &bound))
    return g_strdup ("");
  if (bound.expr)
    return g_strdup_printf ("%s %s, %s", ls_op_name (bound.node->op), ls_dtype_name (bound.node->dtype), bound.expr);
  g_autofree char *shape = ls_shape_to_string (bound.shape), *arg = ls_uop_arg_print (bound.node);
  GString *s = g_string_new (NULL);
  char elements[24];
  g_string_append_printf (s, _("%s %s %s, %s elements"), ls_op_name (bound.node->op), ls_dtype_name (bound.node->dtype), shape,
                          ls_int_text (ls_shape_size (bound.shape), elements));
  if (*arg)
    g_string_append_printf (s, _(", argument %s"), arg);
  if (bound.base && bound.base != bound.node)
    g_string_append_printf (s, _(", a view of node %u %s"), bound.base->id, ls_op_name (bound.base->op));
  if (bound.short_view)
    g_string_append_printf (s, ", %s", bound.short_view);
  if (n->buffer == G_MAXUINT)
    g_string_append (s, _(", not computed yet"));
  else
    g_string_append_printf (s, _(", in buffer %u"), n->buffer);
  return g_string_free (s, FALSE);
}

/* The names that were bound at the stop. */
static void
add_names (Walk *w, GString *members, const LsStop *stop)
{
  g_string_append (members, "\"names\":[");
  for (guint i = stop->binding; i < stop->binding + stop->n_bindings; i++) {
    const LsNameBinding *n = &g_array_index (w->trace->bindings, LsNameBinding, i);
    g_autofree char *text = bound_text (w->trace, n);
    g_string_append_printf (members, "%s[%u,%u,%u]", i > stop->binding ? "," : "", ls_film_text (w->film, n->name),
                            ls_film_text (w->film, text), n->node);
  }
  g_string_append (members, "],");
}

/* "p.py:3", or "". Free with g_free. */
static char *
place_text (const LsTrace *trace, gint file, guint line)
{
  g_autofree char *name = ls_page_file_name (file >= 0 && (guint) file < trace->files->len
                                             ? g_array_index (trace->files, LsProgramFile, file).name : NULL);
  return *name && line ? g_strdup_printf ("%s:%u", name, line) : g_strdup ("");
}

static void
add_call (Walk *w, GString *members, guint depth, const LsCall *c)
{
  g_autofree char *where = place_text (w->trace, c->file, c->file_line), *defined = place_text (w->trace, c->def_file, c->def_line);
  g_string_append_printf (members, "%s[%u,%u,%u,%u,%u", g_str_has_suffix (members->str, "[") ? "" : ",", MIN (depth, 40),
                          ls_film_text (w->film, c->name), ls_film_text (w->film, c->args), ls_film_text (w->film, where),
                          ls_film_text (w->film, defined));
  if (c->node != LS_NO_NODE)
    g_string_append_printf (members, ",%u", c->node);
  g_string_append_c (members, ']');
}

/* What a call computed; -1 instead of arguments. */
static void
add_did (Walk *w, GString *members, guint depth, guint call)
{
  const LsRealization *r = ls_call_realization (w->trace, call);
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (LsDid));
  if (r)
    ls_realization_list (w->trace, r, MOST_DONE, list);
  for (guint i = 0; i < list->len; i++) {
    const LsDid *did = &g_array_index (list, LsDid, i);
    g_autofree char *sentence = ls_did_sentence (w->trace, did), *text = ls_sentence_shown (sentence),
                    *place = ls_did_place (w->trace, did);
    g_string_append_printf (members, ",[%u,%u,-1,%u]", MIN (depth, 40), ls_film_text (w->film, text),
                            ls_film_text (w->film, place ? place : ""));
  }
}

/* Calls in their order, each with how deep it is in the others; below one that computed something, what that was. */
static void
add_calls (Walk *w, GString *members, guint row, const guint *depth)
{
  const LsCallsByStatement *calls = ls_trace_calls_by_statement (w->trace);
  g_autoptr (GArray) own = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = calls->last[row]; i > 0; i = calls->before[i - 1]) {
    guint call = i - 1;
    g_array_prepend_val (own, call);
  }
  g_string_append (members, "\"calls\":[");
  for (guint i = 0; i < own->len; i++) {
    guint call = g_array_index (own, guint, i);
    add_call (w, members, depth[call], &g_array_index (w->trace->calls, LsCall, call));
    add_did (w, members, depth[call] + 1, call);
  }
  g_string_append (members, "],");
}

/* The nodes of a stop: of the names that it bound, and of its calls. */
static GArray *
nodes_of_stop (const Walk *w, const LsStop *stop)
{
  const LsTrace *trace = w->trace;
  const LsCallsByStatement *calls = ls_trace_calls_by_statement (w->trace);
  GArray *nodes = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  for (guint i = stop->binding; i < stop->binding + stop->n_bindings && nodes->len < MOST_NODES; i++) {
    guint32 node = g_array_index (trace->bindings, LsNameBinding, i).node;
    if (node != LS_NO_NODE && g_hash_table_add (seen, GUINT_TO_POINTER (node + 1)))
      g_array_append_val (nodes, node);
  }
  for (guint i = calls->last[stop->row]; i > 0 && nodes->len < MOST_NODES; i = calls->before[i - 1]) {
    guint32 node = g_array_index (trace->calls, LsCall, i - 1).node;
    if (node != LS_NO_NODE && g_hash_table_add (seen, GUINT_TO_POINTER (node + 1)))
      g_array_append_val (nodes, node);
  }
  return nodes;
}

/* The call that wrote a tensor, with the files' names alone; or NULL. Free with g_free. */
static char *
writer_text (const LsTrace *trace, const LsFact *f)
{
  const LsCall *c = f->node != LS_NO_NODE && f->call >= 0 && (guint) f->call < trace->calls->len
                    ? &g_array_index (trace->calls, LsCall, f->call) : NULL;
  g_autofree char *where = c ? place_text (trace, c->file, c->file_line) : NULL,
                  *defined = c ? place_text (trace, c->def_file, c->def_line) : NULL;
  if (!c)
    return NULL;
  return !*where ? g_strdup_printf (_("written by %s"), c->name)
         : *defined ? g_strdup_printf (_("written by %s at %s, called at %s"), c->name, defined, where)
                    : g_strdup_printf (_("written by %s, called at %s"), c->name, where);
}

/* A field: [depth, name, value, its notes, node]. */
static void
append_fact (Walk *w, GString *out, const LsFacts *facts, const LsFact *f)
{
  g_autofree char *value = ls_fact_value (f), *writer = writer_text (w->trace, f), *decision = ls_fact_decision (facts, f),
                  *decided = decision ? ls_sentence_shown (decision) : NULL,
                  *buffer = f->buffer != G_MAXUINT ? g_strdup_printf (_("buffer %u"), f->buffer) : NULL;
  const char *parts[4] = { NULL };
  guint n = 0;
  for (guint i = 0; i < 3; i++)
    if ((parts[n] = i == 0 ? buffer : i == 1 ? writer : decided))
      n++;
  g_autofree char *more = g_strjoinv ("; ", (char **) parts);
  g_string_append_printf (out, "%s[%u,%u,%u,%u", out->str[out->len - 1] == '[' ? "" : ",", f->depth, ls_film_text (w->film, f->name),
                          ls_film_text (w->film, value), ls_film_text (w->film, more));
  if (f->node != LS_NO_NODE)
    g_string_append_printf (out, ",%u", f->node);
  g_string_append_c (out, ']');
}

/* "facts": the fields of the stop's tensors, as they are after it: [node, [field, …]], where they differ from those before. */
static void
add_facts (Walk *w, GString *members, const LsStop *stop, guint number)
{
  g_autoptr (GArray) nodes = nodes_of_stop (w, stop);
  g_autoptr (LsFacts) facts = nodes->len && w->n_facts < MOST_FACTS
                              ? ls_facts_of_nodes (w->trace, (const guint32 *) (gconstpointer) nodes->data, nodes->len, number) : NULL;
  guint n = 0;
  for (guint i = 0, end; facts && i < facts->facts->len; i = end) {
    guint32 node = g_array_index (facts->facts, LsFact, i).node;
    g_autoptr (GString) text = g_string_new ("[");
    for (end = i; end == i || (end < facts->facts->len && g_array_index (facts->facts, LsFact, end).depth > 0); end++)
      append_fact (w, text, facts, &g_array_index (facts->facts, LsFact, end));
    if (g_strcmp0 (g_hash_table_lookup (w->facts, GUINT_TO_POINTER (node + 1)), text->str) == 0)
      continue;
    g_string_append_printf (members, "%s[%u,%s]]", n++ ? "," : "\"facts\":[", node, text->str);
    w->n_facts += text->len;
    g_hash_table_insert (w->facts, GUINT_TO_POINTER (node + 1), g_strdup (text->str));
  }
  if (n)
    g_string_append (members, "],");
}

/* How deep each call is in others. Free with g_free. */
static guint *
call_depths (const LsTrace *trace)
{
  guint *depth = g_new0 (guint, trace->calls->len + 1);
  for (guint i = 0; i < trace->calls->len; i++) {
    gint parent = g_array_index (trace->calls, LsCall, i).parent;
    depth[i] = parent >= 0 && (guint) parent < i ? depth[parent] + 1 : 0;
  }
  return depth;
}

/* On the statements that are left out, or NULL. Free with g_free. */
static char *
note_of (guint n, guint n_stops)
{
  if (n >= n_stops)
    return NULL;
  guint left = n_stops - n;
  return g_strdup_printf (ngettext ("This page has the first %u of %u statements; %u is left out. \"lazyscope-cli show FILE --stage "
                                    "program\" lists it.",
                                    "This page has the first %u of %u statements; %u are left out. \"lazyscope-cli show FILE --stage "
                                    "program\" lists them.", left), n, n_stops, left);
}

char *
ls_page_walk (LsTrace *of, guint most_stops, GError **error)
{
  g_return_val_if_fail (most_stops > 0, NULL);
  g_autoptr (LsTrace) trace = ls_trace_statements (of);
  if (trace->statements->len == 0) {
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "the recording has no executed statements, so there is no walk to share; name a pass, "
                                                 "such as FILE#1/simplify");
    return NULL;
  }
  g_auto (Walk) w = { trace, ls_film_new (trace), .places = g_hash_table_new_full (NULL, NULL, NULL, g_free),
                      .facts = g_hash_table_new_full (NULL, NULL, NULL, g_free) };
  const GArray *stops = ls_trace_stops (trace);
  g_autofree guint *depth = call_depths (trace);
  guint start = trace->passes->len, n_stops = MIN (trace->passes->len, stops->len), n = 0;
  for (guint i = 0; i < MIN (n_stops, most_stops) && ls_film_size (w.film) <= LS_PAGE_MOST; i++, n++) {
    const LsStop *stop = &g_array_index (stops, LsStop, i);
    const LsStatement *s = &g_array_index (trace->statements, LsStatement, stop->row);
    g_autoptr (GString) members = g_string_new (NULL);
    g_autofree char *did = ls_stop_sentence (trace, stop, TRUE);
    add_names (&w, members, stop);
    add_calls (&w, members, stop->row, depth);
    add_facts (&w, members, stop, i + 1);
    g_string_append_printf (members, "\"line\":%u,\"end\":%u,\"turn\":%" G_GUINT64_FORMAT ",\"times\":%" G_GUINT64_FORMAT
                                     ",\"ns\":%" G_GUINT64_FORMAT ",\"say\":%u,\"did\":%u,\"file\":%u,", s->line, s->end_line,
                            s->turn, s->times, s->ns, ls_film_text (w.film, s->text), ls_film_text (w.film, did), s->file);
    if (!add_graph (&w, trace->passes->pdata[i])) {
      g_set_error (error, LS_ERROR, LS_ERROR_FILE, "the graph after line %u cannot be read: the recording's links are cyclic; record "
                                                   "the program again", s->line);
      return NULL;
    }
    ls_film_end (w.film, members->str);
    start = stop->n_bindings > 0 && start > i ? i : start;
  }
  g_autoptr (GString) members = g_string_new (NULL), title = g_string_new (NULL);
  gboolean is_cut = n < n_stops;
  guint row = is_cut ? g_array_index (stops, LsStop, n - 1).row : trace->statements->len - 1;
  const LsStatement *last = &g_array_index (trace->statements, LsStatement, row);
  const char *say = w.scene ? is_cut ? _("Tensors of the program's names after line %u: %s")
                                     : _("Tensors of the program's names after its last statement, line %u: %s")
                    : is_cut ? _("No name was bound to a tensor until line %u: %s")
                             : _("No name was bound to a tensor. The last statement that ran is line %u: %s");
  g_autofree char *sentence = g_strdup_printf (say, last->line, last->text);
  g_autofree char *name = ls_page_file_name (trace->program_name), *note = note_of (n, n_stops);
  g_string_append_printf (title, _("%s: statement by statement"), name);
  ls_page_add_program (members, trace);
  const LsFilmPage page = { "walk", title->str, "", sentence, note, start < n ? start : 0, trace, w.scene, w.layout,
                            members };
  return ls_page_film (w.film, &page);
}
