/* The difference between a changed node before and after, in words: "index → int", "REDUCE_AXIS → REDUCE", "6 → 24", "source 2: MUL →
 * LOAD".
 *
 * Whatever differs is a part of it: op, dtype and shape, argument, sources. A box has room for some 30 characters: it says the first
 * part, with each side cut in its middle, and the others as far as there is room; the tooltip says them all.
 */
#include "scene-private.h"
#include "ir/names.h"
#include "ir/print.h"
#include "ir/short.h"

#include <glib/gi18n.h>

#define MAX_WHOLE   400    /* characters of a side, in the complete text */
#define MAX_SOURCES 3      /* that are listed where more than one changed */

typedef struct { char *what, *was, *is; } Part;      /* what: "source 2", or NULL */

static void
clear_part (gpointer data)
{
  Part *p = data;
  g_free (p->what);
  g_free (p->was);
  g_free (p->is);
}

static void
add_part (GArray *parts, char *what, char *was, char *is)
{
  Part p = { what, was, is };
  g_array_append_val (parts, p);
}

static char *
type_of (LsContext *ctx, LsUOp *u)
{
  GString *s = g_string_new (NULL);
  ls_short_type (s, ctx, u);
  return g_string_free (s, FALSE);
}

static char *
arg_of (const LsNames *names, LsUOp *u)
{
  GString *s = g_string_new (NULL);
  ls_scene_arg (names, u, s);
  ls_short_tag (s, u, TRUE);
  return g_string_free (s, FALSE);
}

static const char *
axis_of (const LsUOp *u)
{
  return u->op == LS_OP_RANGE && u->arg.kind == LS_ARG_INTS && u->arg.n > 1 && u->arg.ints[1] >= 0 && u->arg.ints[1] < LS_N_AXIS
         ? ls_axis_type_name ((LsAxisType) u->arg.ints[1]) : "";
}

static void
compare_args (const LsNames *names, LsUOp *x, LsUOp *y, GArray *parts)
{
  g_autofree char *was = arg_of (names, x), *is = arg_of (names, y);
  if (!g_str_equal (was, is))
    add_part (parts, NULL, g_steal_pointer (&was), g_steal_pointer (&is));
  else if (!g_str_equal (axis_of (x), axis_of (y)))
    add_part (parts, NULL, g_strdup (axis_of (x)), g_strdup (axis_of (y)));
  else if (!ls_arg_equal (x->arg, y->arg))
    add_part (parts, NULL, ls_arg_print (x->arg), ls_arg_print (y->arg));
}

/* The name of a source: a value or a counter as it is written, all others by op. */
static char *
name_of (const LsNames *names, LsUOp *u)
{
  gboolean leaf = u->op == LS_OP_CONST || u->op == LS_OP_RANGE || u->op == LS_OP_SPECIAL;
  return leaf ? ls_expr_bare (names, u, MAX_WHOLE) : g_strdup (ls_op_name (u->op));
}

/* FALSE: the source stayed. */
static gboolean
compare_source (LsContext *ctx, const LsSceneChange *c, guint s, GArray *parts)
{
  LsUOp *p = c->was->src[s], *q = c->is->src[s];
  if (c->n_sources == 1 ? s != c->source : p == q)
    return FALSE;
  g_autofree char *was = name_of (c->names, p), *is = name_of (c->names, q);
  for (guint way = 0; way < 2 && g_str_equal (was, is); way++) {
    g_free (was);
    g_free (is);
    was = way ? type_of (ctx, p) : ls_expr_bare (c->names, p, MAX_WHOLE);
    is = way ? type_of (ctx, q) : ls_expr_bare (c->names, q, MAX_WHOLE);
  }
  gboolean same = g_str_equal (was, is);      /* another node with the same text */
  add_part (parts, g_strdup_printf (same ? _("source %u replaced") : _("source %u"), s + 1), same ? NULL : g_steal_pointer (&was),
            same ? NULL : g_steal_pointer (&is));
  return TRUE;
}

/* How much of two sums is the same terms at their beginning: of "i*64+7+192" and "i*64+199" it is "i*64". */
static gsize
same_terms (const char *was, const char *is)
{
  if (strpbrk (was, "<>=?&|^!") || strpbrk (is, "<>=?&|^!"))      /* these are no sums */
    return 0;
  gsize same = 0, end = 0;
  int depth = 0;
  while (was[same] && was[same] == is[same]) {
    depth += was[same] == '(' ? 1 : was[same] == ')' ? -1 : 0;
    if (was[same] == '+' && depth == 0)
      end = same;
    same++;
  }
  return was[same] && is[same] ? end : 0;
}

static void
compare_sources (LsContext *ctx, const LsSceneChange *c, GArray *parts)
{
  LsUOp *x = c->was, *y = c->is;
  if (x->n_src != y->n_src) {
    add_part (parts, g_strdup (_("sources")), g_strdup_printf ("%u", x->n_src), g_strdup_printf ("%u", y->n_src));
    return;
  }
  if (c->n_sources > 1) {
    g_autofree char *before = ls_expr_bare (c->names, x, MAX_WHOLE), *after = ls_expr_bare (c->names, y, MAX_WHOLE);
    if (!g_str_equal (before, after)) {
      gsize same = same_terms (before, after);
      add_part (parts, NULL, g_strdup (before + same), g_strdup (after + same));
      return;
    }
  }
  for (guint s = 0, n = 0; s < x->n_src && n < MIN (c->n_sources, MAX_SOURCES); s++)
    n += compare_source (ctx, c, s, parts);
}

static GArray *
compare (LsContext *ctx, const LsSceneChange *c)
{
  LsUOp *x = c->was, *y = c->is;
  GArray *parts = g_array_new (FALSE, FALSE, sizeof (Part));
  g_array_set_clear_func (parts, clear_part);
  g_autofree char *was = type_of (ctx, x), *is = type_of (ctx, y);
  if (x->op != y->op)
    add_part (parts, NULL, g_strdup (ls_op_name (x->op)), g_strdup (ls_op_name (y->op)));
  if (!g_str_equal (was, is))
    add_part (parts, NULL, *was ? g_steal_pointer (&was) : g_strdup ("–"), *is ? g_steal_pointer (&is) : g_strdup ("–"));
  if (x->op == y->op) {      /* another op has other arguments and sources */
    compare_args (c->names, x, y, parts);
    if (x->op != LS_OP_RANGE || parts->len == 0)      /* its source is its size, which is already shown */
      compare_sources (ctx, c, parts);
  }
  if (parts->len == 0) {      /* the step rebuilt it over continuing nodes: as the expressions show */
    g_autofree char *before = ls_expr_bare (c->names, x, MAX_WHOLE), *after = ls_expr_bare (c->names, y, MAX_WHOLE);
    if (!g_str_equal (before, after))
      add_part (parts, NULL, g_steal_pointer (&before), g_steal_pointer (&after));
  }
  return parts;
}

static void
append_cut (GString *out, const char *text, guint max)
{
  g_autoptr (GString) s = g_string_new (text);
  ls_scene_cut (s, max);
  g_string_append (out, s->str);
}

static void
append_part (GString *out, const Part *p, guint max)
{
  if (p->what) {
    g_string_append_printf (out, p->was ? "%s: " : "%s", p->what);
    max -= MIN (max, (guint) g_utf8_strlen (p->what, -1) + 2);
  }
  if (!p->was)
    return;
  guint room = MAX (max, 13) - 3, a = (guint) g_utf8_strlen (p->was, -1), b = (guint) g_utf8_strlen (p->is, -1);
  /* a short side leaves its room to the other */
  append_cut (out, p->was, MAX (room / 2, room - MIN (room, b)));
  g_string_append (out, " → ");
  append_cut (out, p->is, MAX (room - room / 2, room - MIN (room, a)));
}

void
ls_scene_change (LsContext *ctx, const LsSceneChange *change, guint max, GString *line, GString *whole)
{
  g_autoptr (GArray) parts = compare (ctx, change);
  g_autoptr (GString) part = g_string_new (NULL);
  g_string_truncate (line, 0);
  if (whole)
    g_string_truncate (whole, 0);
  for (guint i = 0; i < parts->len; i++) {
    const Part *p = &g_array_index (parts, Part, i);
    g_string_truncate (part, 0);
    append_part (part, p, i ? 10 * max : max);
    if (!line->len || g_utf8_strlen (line->str, -1) + 2 + g_utf8_strlen (part->str, -1) <= (glong) max)
      g_string_append_printf (line, "%s%s", line->len ? "  " : "", part->str);
    if (whole) {
      g_string_append (whole, whole->len ? "\n" : "");
      append_part (whole, p, 2 * MAX_WHOLE + 100);
    }
  }
  /* unchanged parts are also shown, if there is space: a box keeps its dtype */
  g_autofree char *type = type_of (ctx, change->is), *was = type_of (ctx, change->was);
  if (line->len && *type && g_str_equal (type, was) && g_utf8_strlen (line->str, -1) + 2 + g_utf8_strlen (type, -1) <= (glong) max) {
    g_string_prepend (line, "  ");
    g_string_prepend (line, type);
  }
}
