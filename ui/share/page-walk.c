/* The page of a program's walk: its statements in the order in which they ran, each with its calls, the names that it bound, and the
 * graph that the names stood for. */
#include "page.h"
#include "ask/ask.h"
#include "graph/layout/chain.h"
#include "ir/print.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* Where the boxes of the last picture are. */
typedef struct { float x; gint32 rank; } Place;

typedef struct {
  LsTrace      *trace;
  LsFilm       *film;
  GPtrArray    *graphs;      /* LsPass: of each statement that bound names, in their order */
  guint         n_shown;     /* of them */
  GHashTable   *places;      /* node id + 1 -> Place */
  LsScene      *scene;       /* the last ones that were made */
  LsLayout     *layout;
  guint         binding;     /* the next one, and the next call */
  guint         call;
} Walk;

static void
walk_clear (Walk *w)
{
  g_clear_pointer (&w->film, ls_film_free);
  g_clear_pointer (&w->graphs, g_ptr_array_unref);
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

/* Is the next graph the one after this statement? */
static gboolean
has_graph (const Walk *w, const LsStatement *s)
{
  const char *says = w->n_shown < w->graphs->len ? ls_pass_statement (w->graphs->pdata[w->n_shown]) : "";
  g_autofree char *own = g_strdup_printf ("line %u: %s", s->line, s->text);
  return g_str_equal (says, own);
}

/* The graph after a statement, with its changes; a statement that made no tensors leaves it unchanged. */
static gboolean
add_graph (Walk *w, gboolean next)
{
  LsPass *before = w->n_shown ? w->graphs->pdata[w->n_shown - 1] : NULL;
  LsPass *pass = next && w->n_shown < w->graphs->len ? w->graphs->pdata[w->n_shown] : before;
  if (!pass)
    return TRUE;
  const LsPosition from = { w->trace, before ? before : pass, 0 }, to = { w->trace, pass, 0 };
  g_autoptr (LsGraphDiff) diff = before && before != pass ? ls_position_diff (&from, &to) : NULL;
  g_autoptr (LsGraph) graph = ls_position_graph (&to);
  g_autoptr (LsListDiff) rows = diff ? ls_list_diff_graph (&from, &to, diff) : NULL;
  if (!graph || (diff && !rows))
    return FALSE;
  w->n_shown += next && w->n_shown < w->graphs->len;
  g_clear_pointer (&w->scene, ls_scene_free);
  g_clear_pointer (&w->layout, ls_layout_unref);
  w->scene = diff ? ls_scene_new_diff (w->trace, diff, TRUE) : ls_scene_new_root (w->trace, graph->names, graph->root, TRUE);
  for (guint i = 0; !before && i < w->scene->n_nodes; i++)      /* the first names are bound to new nodes */
    w->scene->nodes[i].kind = LS_DIFF_ADDED;
  w->layout = lay_out (w, w->scene);
  ls_film_picture (w->film, w->scene, w->layout);
  ls_film_rows (w->film, rows, graph, before ? LS_DIFF_SAME : LS_DIFF_ADDED);
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

/* The names that the statement bound. */
static void
add_names (Walk *w, GString *members, guint statement)
{
  gboolean any = FALSE;
  g_string_append (members, "\"names\":[");
  for (; w->binding < w->trace->bindings->len; w->binding++) {
    const LsNameBinding *n = &g_array_index (w->trace->bindings, LsNameBinding, w->binding);
    if (n->statement > statement)
      break;
    if (n->statement < statement)
      continue;
    g_autofree char *text = bound_text (w->trace, n);
    g_string_append_printf (members, "%s[%u,%u,%u]", any ? "," : "", ls_film_text (w->film, n->name), ls_film_text (w->film, text),
                            n->node);
    any = TRUE;
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

/* Calls in their order, each with how deep it is in the others. */
static void
add_calls (Walk *w, GString *members, guint statement, guint *depth)
{
  const LsCall *calls = (const LsCall *) (gconstpointer) w->trace->calls->data;
  gboolean any = FALSE;
  g_string_append (members, "\"calls\":[");
  for (guint i = w->call; i < w->trace->calls->len; i++) {
    const LsCall *c = &calls[i];
    depth[i] = c->parent >= 0 && (guint) c->parent < i ? depth[c->parent] + 1 : 0;
    if (c->statement != statement) {
      if (c->statement > statement)
        break;
      continue;
    }
    w->call = i + 1;
    g_autofree char *where = place_text (w->trace, c->file, c->file_line), *defined = place_text (w->trace, c->def_file, c->def_line);
    g_string_append_printf (members, "%s[%u,%u,%u,%u,%u", any ? "," : "", MIN (depth[i], 40), ls_film_text (w->film, c->name),
                            ls_film_text (w->film, c->args), ls_film_text (w->film, where),
                            ls_film_text (w->film, defined));
    if (c->node != LS_NO_NODE)
      g_string_append_printf (members, ",%u", c->node);
    g_string_append_c (members, ']');
    any = TRUE;
  }
  g_string_append (members, "],");
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
  g_auto (Walk) w = { trace, ls_film_new (trace), g_ptr_array_ref (trace->passes),
                      .places = g_hash_table_new_full (NULL, NULL, NULL, g_free) };
  g_autofree guint *depth = g_new0 (guint, trace->calls->len + 1);
  guint start = trace->statements->len;
  for (guint i = 0; i < trace->statements->len; i++) {
    const LsStatement *s = &g_array_index (trace->statements, LsStatement, i);
    g_autoptr (GString) members = g_string_new (NULL);
    gboolean changes = has_graph (&w, s);
    add_names (&w, members, i);
    add_calls (&w, members, i, depth);
    g_string_append_printf (members, "\"line\":%u,\"end\":%u,\"turn\":%" G_GUINT64_FORMAT ",\"times\":%" G_GUINT64_FORMAT
                                     ",\"ns\":%" G_GUINT64_FORMAT ",\"say\":%u,\"file\":%u,", s->line, s->end_line,
                            s->turn, s->times, s->ns, ls_film_text (w.film, s->text), s->file);
    if (!add_graph (&w, changes)) {
      g_set_error (error, LS_ERROR, LS_ERROR_FILE, "the graph after line %u cannot be read: the recording's links are cyclic; record "
                                                   "the program again", s->line);
      return NULL;
    }
    ls_film_end (w.film, members->str);
    start = changes && start > i ? i : start;
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
  const LsFilmPage page = { "walk", title->str, "", sentence, start < trace->statements->len ? start : 0, trace, w.scene, w.layout,
                            members };
  return ls_page_film (w.film, &page);
}
