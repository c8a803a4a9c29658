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

#define MOST_DONE 200      /* copies, kernels and launches that are listed below a call */

/* Where the boxes of the last picture are. */
typedef struct { float x; gint32 rank; } Place;

typedef struct {
  LsTrace      *trace;
  LsFilm       *film;
  LsPass       *last;        /* whose graph was shown last, or NULL */
  GHashTable   *places;      /* node id + 1 -> Place */
  LsScene      *scene;       /* the last ones that were made */
  LsLayout     *layout;
} Walk;

static void
walk_clear (Walk *w)
{
  g_clear_pointer (&w->film, ls_film_free);
  g_clear_pointer (&w->places, g_hash_table_unref);
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

char *
ls_page_walk (LsTrace *of, GError **error)
{
  g_autoptr (LsTrace) trace = ls_trace_statements (of);
  if (trace->statements->len == 0) {
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "the recording has no executed statements, so there is no walk to share; name a pass, "
                                                 "such as FILE#1/simplify");
    return NULL;
  }
  g_auto (Walk) w = { trace, ls_film_new (trace), .places = g_hash_table_new_full (NULL, NULL, NULL, g_free) };
  const GArray *stops = ls_trace_stops (trace);
  g_autofree guint *depth = call_depths (trace);
  guint start = trace->passes->len;
  for (guint i = 0; i < MIN (trace->passes->len, stops->len); i++) {
    const LsStop *stop = &g_array_index (stops, LsStop, i);
    const LsStatement *s = &g_array_index (trace->statements, LsStatement, stop->row);
    g_autoptr (GString) members = g_string_new (NULL);
    g_autofree char *did = ls_stop_sentence (trace, stop, TRUE);
    add_names (&w, members, stop);
    add_calls (&w, members, stop->row, depth);
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
    if (!ls_page_check_size (w.film, "the walk", error))
      return NULL;
  }
  g_autoptr (GString) members = g_string_new (NULL), title = g_string_new (NULL);
  const LsStatement *last = &g_array_index (trace->statements, LsStatement, trace->statements->len - 1);
  g_autofree char *sentence = g_strdup_printf (w.scene ? _("Tensors of the program's names after its last statement, line %u: %s")
                                                       : _("No name was bound to a tensor. The last statement that ran is line %u: %s"),
                                                       last->line,
                                               last->text);
  g_autofree char *name = ls_page_file_name (trace->program_name);
  g_string_append_printf (title, _("%s: statement by statement"), name);
  ls_page_add_program (members, trace);
  const LsFilmPage page = { "walk", title->str, "", sentence, NULL, start < trace->passes->len ? start : 0, trace, w.scene, w.layout,
                            members };
  return ls_page_film (w.film, &page);
}
