/* The words of a scene: two lines in a box, a tooltip, a sentence.
 *
 * The first line is the op with the operands that are drawn inside it ("MUL × 4"), the second dtype and shape with other details that
 * distinguish nodes of the op: an index expression, the axes of a reduce. Sources that have a box of their own are "·". Whatever a graph
 * holds, each line costs a bounded number of characters.
 */
#include "scene-private.h"
#include "ir/names.h"
#include "ir/sentence.h"
#include "ir/print.h"
#include "ir/short.h"
#include "ir/view.h"

#include <glib/gi18n.h>
#include <string.h>

#define MAX_TIP     1000    /* characters of an expression or argument in a tooltip */
#define MAX_LANE    100     /* of one of a stack's */
#define MAX_LANES   8       /* that it says in words */
#define MAX_OPERAND 40      /* characters of an expression before the line itself is cut */

/* Recordings are files: a name in them may be any bytes. */
static void
make_valid (GString *text)
{
  if (g_utf8_validate_len (text->str, text->len, NULL))
    return;
  g_autofree char *valid = g_utf8_make_valid (text->str, (gssize) text->len);
  g_string_assign (text, valid);
}

void
ls_scene_cut (GString *text, guint max)
{
  make_valid (text);
  guint n = (guint) g_utf8_strlen (text->str, (gssize) text->len);
  if (n <= max)
    return;
  guint head = max / 2, tail = max - head - 1;
  gsize from = (gsize) (g_utf8_offset_to_pointer (text->str, head) - text->str);
  gsize to = (gsize) (g_utf8_offset_to_pointer (text->str, (glong) (n - tail)) - text->str);
  g_string_erase (text, (gssize) from, (gssize) (to - from));
  g_string_insert (text, (gssize) from, "…");
}

static void
append_expr (const LsNames *names, LsUOp *u, gboolean alone, GString *out)
{
  if (u->op == LS_OP_VCONST) {
    ls_short_arg (out, names, u, TRUE);
    return;
  }
  g_autofree char *text = alone ? ls_expr_bare (names, u, MAX_OPERAND) : ls_expr_print (names, u, MAX_OPERAND);
  g_string_append (out, text);
}

static void
append_operand (const LsNames *names, LsUOp *u, LsFolded folded, gpointer data, GString *out)
{
  if (folded (u, data))
    append_expr (names, u, FALSE, out);
  else
    g_string_append (out, "·");
}

static const char *
symbol (LsOp op)
{
  switch ((int) op) {
  case LS_OP_MUL: return "×";
  case LS_OP_SUB: return "−";
  case LS_OP_FLOORMOD: return "%";
  case LS_OP_POW: return "**";
  case LS_OP_MAX: return "";      /* the op says it */
  default: return ls_op_info (op)->symbol;
  }
}

static void
binary_title (const LsNames *names, LsUOp *u, LsFolded folded, gpointer data, GString *title)
{
  const char *sign = symbol (u->op);
  gboolean a = folded (u->src[0], data), b = folded (u->src[1], data);
  if (!a && !b)
    return;
  g_string_append_c (title, ' ');
  if (*sign && (!a || (!b && ls_op_is_commutative (u->op))))
    g_string_append_printf (title, "%s ", sign);
  if (!a || b || ls_op_is_commutative (u->op)) {
    if (a && b) {
      append_expr (names, u->src[0], FALSE, title);
      g_string_append_printf (title, *sign ? " %s " : ", ", sign);
    }
    append_expr (names, b ? u->src[1] : u->src[0], FALSE, title);
  } else {
    append_expr (names, u->src[0], FALSE, title);
    g_string_append_printf (title, " %s ·", sign);
  }
}

/* A view is the node's shape besides, which is in the box already. */
void
ls_scene_arg (const LsNames *names, LsUOp *u, GString *out)
{
  const LsTracker *t = u->arg.kind == LS_ARG_TRACKER ? u->arg.tracker : NULL;
  if (!t)
    ls_short_arg (out, names, u, TRUE);
  else if (t->n_views > 1)
    g_string_append_printf (out, ngettext ("%u view", "%u views", t->n_views), t->n_views);
  else if (t->n_views && ls_tracker_is_contiguous (t))
    g_string_append (out, "contiguous");
  else if (t->n_views) {
    g_string_append (out, "strides ");
    ls_short_numbers (out, t->views[0]->n, t->views[0]->strides);
  }
}

static void
append_part (GString *out, const char *text)
{
  if (out->len)
    g_string_append (out, "  ");
  g_string_append (out, text);
}

/* " x[i*6+j]": the memory, and the index where the INDEX is drawn in the box or is it; of an index with boxes of its own "·". */
static void
append_access (const LsNames *names, LsUOp *u, LsFolded folded, gpointer data, GString *title, GString *detail)
{
  LsUOp *index = u->op == LS_OP_INDEX ? u : u->n_src && u->src[0]->op == LS_OP_INDEX && folded (u->src[0], data) ? u->src[0] : NULL,
        *memory = ls_memory_of (u);
  if (!memory)
    return;
  g_string_append_c (title, ' ');
  if (index && index->n_src > 1 && folded (index->src[1], data)) {
    ls_short_access (title, names, u);
  } else {
    ls_short_access (title, names, memory);
    g_string_append (title, index ? "[·]" : "");
  }
  if (index && index->n_src > 2 && folded (index->src[2], data)) {
    append_part (detail, "if ");
    append_expr (names, index->src[2], TRUE, detail);
  }
}

/* Ranges among the sources from first on, drawn inside. */
static void
append_ranges (const LsNames *names, LsUOp *u, guint first, LsFolded folded, gpointer data, GString *out)
{
  guint shown = 0;
  for (guint i = first; i < u->n_src && shown < 6; i++)
    if (folded (u->src[i], data) && u->src[i]->op == LS_OP_RANGE) {
      if (out->len)
        g_string_append (out, shown ? " " : "  ");
      shown++;
      ls_short_range (out, names, u->src[i]);
    }
}

/* "(·, 4, 8)", when something is drawn inside; of a vector of equal lanes "k ×4". */
static void
append_sources (const LsNames *names, LsUOp *u, LsFolded folded, gpointer data, GString *out)
{
  gboolean any = FALSE, equal = u->op == LS_OP_VECTORIZE && u->n_src > 1;
  for (guint i = 0; i < u->n_src && i < 16; i++)
    any |= folded (u->src[i], data) && u->src[i]->op != LS_OP_VIEW;
  for (guint i = 1; i < u->n_src && equal; i++)
    equal = u->src[i] == u->src[0];
  if (equal) {
    append_part (out, "");
    append_operand (names, u->src[0], folded, data, out);
    g_string_append_printf (out, " ×%u", u->n_src);
  }
  if (!any || equal)
    return;
  append_part (out, "(");
  for (guint i = 0; i < u->n_src && out->len < 2 * MAX_OPERAND; i++) {
    if (i)
      g_string_append_c (out, ',');
    append_operand (names, u->src[i], folded, data, out);
  }
  g_string_append_c (out, ')');
}

void
ls_scene_words (LsContext *ctx, const LsNames *names, LsUOp *u, LsFolded folded, gpointer data, GString *title, GString *detail)
{
  const LsOpInfo *info = ls_op_info (u->op);
  g_string_assign (title, info->name);
  g_string_truncate (detail, 0);
  if (u->op != LS_OP_INDEX && u->op != LS_OP_RANGE)
    ls_short_type (detail, ctx, u);
  switch ((int) u->op) {
  case LS_OP_CONST: case LS_OP_VCONST:
    g_string_append_c (title, ' ');
    append_expr (names, u, TRUE, title);
    break;
  case LS_OP_RANGE: case LS_OP_SPECIAL: {
    g_autofree char *text = ls_text_of_loop (names, u);
    gsize n = strcspn (text, " ");      /* "k·ridx0:64 reduce": the first line says how it is called */
    g_string_append_printf (title, " %.*s", (int) n, text);
    if (u->op == LS_OP_RANGE)
      g_string_append (detail, text + n + (text[n] == ' '));
    break;
  }
  case LS_OP_BUFFER: case LS_OP_DEFINE_GLOBAL: case LS_OP_DEFINE_LOCAL: case LS_OP_DEFINE_REG: case LS_OP_DEFINE_ACC:
    g_string_append_c (title, ' ');
    ls_scene_arg (names, u, title);
    if (u->op == LS_OP_DEFINE_ACC && u->n_src && folded (u->src[0], data)) {
      append_part (detail, "= ");
      append_expr (names, u->src[0], TRUE, detail);
    }
    append_ranges (names, u, 1, folded, data, detail);
    break;
  case LS_OP_REDUCE: case LS_OP_REDUCE_AXIS:
    if (u->arg.kind == LS_ARG_OP_INTS && u->arg.op < LS_N_OPS) {
      g_autofree char *name = g_ascii_strdown (ls_op_name (u->arg.op), -1);
      g_string_append_printf (title, " %s", name);
      if (u->arg.n) {
        append_part (detail, u->arg.n > 1 ? "axes " : "axis ");
        ls_short_numbers (detail, u->arg.n, u->arg.ints);
      }
    }
    append_ranges (names, u, 1, folded, data, detail);
    break;
  case LS_OP_PHI:
    append_ranges (names, u, 2, folded, data, detail);
    break;
  case LS_OP_LOAD: case LS_OP_INDEX: case LS_OP_STORE:
    append_access (names, u, folded, data, title, detail);
    if (u->op == LS_OP_LOAD && u->n_src > 1 && u->src[0]->op == LS_OP_INDEX && folded (u->src[1], data)) {
      append_part (detail, "else ");
      append_expr (names, u->src[1], TRUE, detail);
    } else if (u->op == LS_OP_STORE && u->n_src > 1 && folded (u->src[u->n_src - 1], data)) {
      append_part (detail, "= ");
      append_expr (names, u->src[u->n_src - 1], TRUE, detail);
    }
    if (u->op != LS_OP_INDEX && u->n_src > 1 && u->src[1]->op == LS_OP_VIEW && folded (u->src[1], data)) {
      append_part (detail, "");
      ls_scene_arg (names, u->src[1], detail);
    }
    break;
  case LS_OP_WHERE:
    if (u->n_src == 3 && (folded (u->src[1], data) || folded (u->src[2], data) || folded (u->src[0], data))) {
      g_string_append_c (title, ' ');
      append_operand (names, u->src[0], folded, data, title);
      g_string_append (title, " ? ");
      append_operand (names, u->src[1], folded, data, title);
      g_string_append (title, " : ");
      append_operand (names, u->src[2], folded, data, title);
    }
    break;
  case LS_OP_SINK:
    g_string_printf (detail, ngettext ("%u source", "%u sources", u->n_src), u->n_src);
    break;
  default:
    if (info->op_class == LS_CLASS_BINARY && u->n_src == 2)
      binary_title (names, u, folded, data, title);
    else {
      if (u->op == LS_OP_PERMUTE || u->op == LS_OP_PAD || u->op == LS_OP_SHRINK || u->op == LS_OP_FLIP || u->op == LS_OP_GEP) {
        g_string_append_c (title, ' ');
        ls_scene_arg (names, u, title);
      } else if (u->op != LS_OP_RESHAPE && u->op != LS_OP_EXPAND && u->arg.kind != LS_ARG_NONE) {
        append_part (detail, "");
        ls_scene_arg (names, u, detail);
      }
      append_sources (names, u, folded, data, detail);
    }
  }
  if (!detail->len)
    ls_short_type (detail, ctx, u);
  if (u->tag) {
    g_autoptr (GString) tag = g_string_new (NULL);
    ls_short_tag (tag, u, TRUE);
    append_part (detail, tag->str);
  }
}

/* --- longer texts --- */

static const char *
kind_word (LsDiffKind kind)
{
  static const char *const words[LS_N_DIFF] = { "", N_("added"), N_("removed"), N_("changed"), N_("moved") };
  return *words[kind] ? _(words[kind]) : "";
}

/* ", 12 nodes collapsed into it, 1 added, 2 changed" */
static void
append_inside (GString *out, const LsSceneNode *n)
{
  if (!n->n_inside)
    return;
  g_string_append_printf (out, ngettext ("%u node collapsed into it", "%u nodes collapsed into it", n->n_inside), n->n_inside);
  for (guint kind = 0; kind < LS_N_DIFF; kind++)
    if (kind != LS_DIFF_SAME && n->inside[kind])
      g_string_append_printf (out, ", %u %s", n->inside[kind], kind_word ((LsDiffKind) kind));
}

static void
append_neighbours (const LsScene *scene, GString *out, const char *what, GArray *nodes)
{
  g_string_append_printf (out, " %s", what);
  for (guint i = 0; i < nodes->len && i < 4; i++)
    g_string_append_printf (out, "%s %s", i ? "," : "", scene->nodes[g_array_index (nodes, guint, i)].title[1]);
  if (nodes->len > 4)
    g_string_append_printf (out, _(" and %u more"), nodes->len - 4);
  g_string_append_c (out, '.');
}

char *
ls_scene_sentence (const LsScene *scene, guint node)
{
  g_return_val_if_fail (node < scene->n_nodes, NULL);
  if (scene->describe)
    return scene->describe (scene, node);
  const LsSceneNode *n = &scene->nodes[node];
  GString *s = g_string_new (n->title[1]);
  if (n->n_inside) {
    g_string_append (s, ", ");
    append_inside (s, n);
  } else if (*n->detail[1])
    g_string_append_printf (s, ", %s", n->detail[1]);
  if (n->kind != LS_DIFF_SAME)
    g_string_append_printf (s, ", %s", kind_word (n->kind));
  if (n->change && !n->n_inside)
    g_string_append_printf (s, ", %s", n->change);
  else if (n->title[0] != n->title[1] || n->detail[0] != n->detail[1])
    g_string_append_printf (s, _(", before %s %s"), n->title[0], n->detail[0]);
  g_string_append_c (s, '.');
  g_autoptr (GArray) above = g_array_new (FALSE, FALSE, sizeof (guint)), below = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint e = 0; e < scene->n_edges; e++) {
    if (scene->edges[e].to == node)
      g_array_append_val (above, scene->edges[e].from);
    if (scene->edges[e].from == node)
      g_array_append_val (below, scene->edges[e].to);
  }
  if (above->len)
    append_neighbours (scene, s, _("Sources:"), above);
  if (below->len)
    append_neighbours (scene, s, _("Used by:"), below);
  return g_string_free (s, FALSE);
}

static void
append_escaped (GString *out, const char *text, guint max)
{
  GString *cut = g_string_new (text);
  ls_scene_cut (cut, max);
  g_autofree char *escaped = g_markup_escape_text (cut->str, -1);
  g_string_append (out, escaped);
  g_string_free (cut, TRUE);
}

static const LsGraph *
graph_of (const LsScene *scene, const LsSceneNode *n)
{
  return n->kind == LS_DIFF_REMOVED ? scene->before : scene->after;
}

static LsUOp *
node_of (const LsScene *scene, const LsSceneNode *n)
{
  return ls_graph_node (graph_of (scene, n), n->id);
}

char *
ls_scene_tooltip (const LsScene *scene, guint node)
{
  g_return_val_if_fail (node < scene->n_nodes, NULL);
  if (scene->describe) {
    g_autofree char *text = scene->describe (scene, node);
    return g_markup_escape_text (text, -1);
  }
  const LsSceneNode *n = &scene->nodes[node];
  LsContext *ctx = scene->trace->ctx;
  LsUOp *u = node_of (scene, n), *was = n->before != LS_NO_NODE && n->kind != LS_DIFF_REMOVED ? ls_graph_node (scene->before, n->before)
                                                                                              : NULL;
  if (!u)
    return g_strdup ("");
  GString *s = g_string_new ("<b>");
  append_escaped (s, n->title[1], 80);
  g_string_append (s, "</b>  <small>");
  g_string_append_printf (s, _("node %u"), u->id);
  g_string_append (s, "</small>");
  if (n->kind != LS_DIFF_SAME)
    g_string_append_printf (s, "  <small>%s</small>", kind_word (n->kind));
  g_string_append_c (s, '\n');
  append_escaped (s, ls_shown (ls_op_info (u->op)->sentence), 300);
  GString *type = g_string_new (NULL);
  ls_short_type (type, ctx, u);
  if (type->len) {
    g_string_append (s, "\n<tt>");
    append_escaped (s, type->str, MAX_TIP);
    g_string_append (s, "</tt>");
  }
  g_string_free (type, TRUE);
  if (u->arg.kind != LS_ARG_NONE) {
    g_autofree char *arg = ls_arg_print (u->arg);
    g_string_append_printf (s, "\n%s <tt>", _("argument"));
    append_escaped (s, arg, MAX_TIP);
    g_string_append (s, "</tt>");
  }
  if (u->tag) {
    g_autoptr (GString) tag = g_string_new (NULL);
    ls_short_tag (tag, u, TRUE);
    g_string_append_c (s, '\n');
    append_escaped (s, tag->str, MAX_TIP);
  }
  const LsNames *names = graph_of (scene, n)->names;
  g_autofree char *expr = ls_expr_print (names, u, MAX_TIP),
                  *former = was ? ls_expr_print (scene->before->names, was, MAX_TIP) : g_strdup (expr);
  /* in its box it may be cut */
  gboolean cut = strstr (n->title[1], "…") || strstr (n->detail[1], "…");
  if (cut || ls_op_is_alu (u->op) || u->op == LS_OP_INDEX || u->op == LS_OP_RANGE || u->op == LS_OP_LOAD || u->op == LS_OP_STORE) {
    g_string_append (s, "\n<tt>");
    append_escaped (s, expr, MAX_TIP);
    g_string_append (s, "</tt>");
  }
  g_autofree char *place = ls_bound_place (names, u);
  if (place) {
    g_string_append_c (s, '\n');
    append_escaped (s, place, MAX_TIP);
  }
  if (ls_dtype_is_int (u->dtype) && !ls_dtype_is_ptr (u->dtype)) {
    gint64 low, high;
    ls_uop_bounds (ctx, u, &low, &high);
    if (low > ls_dtype_min_i (u->dtype) || high < G_MAXINT32) {
      g_autofree char *from = g_strdup_printf ("%" G_GINT64_FORMAT, low), *to = g_strdup_printf ("%" G_GINT64_FORMAT, high);
      g_string_append_c (s, '\n');
      g_string_append_printf (s, _("from %s to %s"), from, to);
    }
  }
  if (strcmp (expr, former) != 0) {
    g_string_append_printf (s, "\n<small>%s </small><tt>", _("before:"));
    append_escaped (s, former, MAX_TIP);
    g_string_append (s, "</tt>");
  }
  if (n->whole_change) {
    g_string_append (s, "\n<tt>");
    append_escaped (s, n->whole_change, MAX_TIP);
    g_string_append (s, "</tt>");
  }
  if (n->n_inside) {
    g_string_append_c (s, '\n');
    append_inside (s, n);
  }
  for (guint k = 1; k < MIN (n->n_lanes, MAX_LANES); k++) {
    u = ls_graph_node (n->kind == LS_DIFF_REMOVED ? scene->before : scene->after, g_array_index (scene->lanes, LsSceneLane,
                                                                                                 n->first_lane + k).id);
    g_autofree char *lane = u ? ls_expr_print (names, u, MAX_LANE) : g_strdup ("");
    g_string_append (s, "\n<tt>");
    append_escaped (s, lane, MAX_LANE);
    g_string_append (s, "</tt>");
  }
  if (n->n_lanes > 1)
    g_string_append_printf (s, "\n%s", _("Lanes of one expansion: press h or double-click to draw each separately."));
  return g_string_free (s, FALSE);
}

char *
ls_scene_edge_label (const LsScene *scene, guint edge)
{
  g_return_val_if_fail (edge < scene->n_edges, NULL);
  LsUOp *u = scene->describe ? NULL : node_of (scene, &scene->nodes[scene->edges[edge].from]);
  GString *s = g_string_new (NULL);
  if (u)
    ls_short_type (s, scene->trace->ctx, u);
  return g_string_free (s, FALSE);
}
