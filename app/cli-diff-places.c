/* lazyscope-cli diff FILE#PLACE FILE#PLACE: the UOps at two places, row by row. */
#include "cli.h"

#include "ir/print.h"
#include "trace/diff.h"

#include <string.h>

static char *
arg_text (const LsUOp *u)
{
  return u->arg.kind == LS_ARG_NONE ? g_strdup ("") : ls_arg_print (u->arg);
}

/* "12" or "8 -> 12". */
static char *
either (const char *before, const char *after)
{
  return strcmp (before, after) == 0 ? g_strdup (after)
                                     : g_strdup_printf ("%s -> %s", *before ? before : _("none"), *after ? after : _("none"));
}

/* The number of a row as its listing prints it. Free with g_free. */
static char *
side (const guint32 *number, guint32 row)
{
  return row == LS_NO_NODE || number[row] == LS_NO_NODE ? g_strdup ("") : g_strdup_printf ("%u", number[row]);
}

static void
print_row (const LsListDiff *d, guint row)
{
  static const char glyphs[LS_N_DIFF] = { ' ', '+', '-', '~', '=' };
  const LsListRow *r = &g_array_index (d->rows, LsListRow, row);
  const LsUOp *y = ls_list_diff_node (d, row), *x = r->kind == LS_DIFF_CHANGED ? d->a->pdata[r->a] : y;
  char dtype_x[64], dtype_y[64];
  g_autofree char *a = side (d->number_a, r->a),
                  *b = side (d->number_b, r->b);
  g_autofree char *src_y = ls_list_diff_operands (d, row, FALSE),
                  *src_x = r->kind == LS_DIFF_CHANGED ? ls_list_diff_operands (d, row, TRUE) : g_strdup (src_y);
  g_autofree char *arg_x = arg_text (x), *arg_y = arg_text (y);
  g_autofree char *op = either (ls_op_name (x->op), ls_op_name (y->op)),
                  *dtype = either (ls_dtype_text (x->dtype, dtype_x), ls_dtype_text (y->dtype, dtype_y));
  g_autofree char *src = either (src_x, src_y), *arg = either (arg_x, arg_y);
  g_autofree char *text = g_strdup_printf ("%c %5s %5s  %-14s %-16s [%s]%s%s", glyphs[r->kind], a, b, op, dtype, src, *arg ? "  " : "",
                                           arg);
  puts (g_strchomp (text));
}

static gboolean
is_near (const LsListDiff *d, guint row, guint context)
{
  guint from = row > context ? row - context : 0, to = (guint) MIN ((guint64) row + context, d->rows->len - 1);
  for (guint i = from; i <= to; i++)
    if (g_array_index (d->rows, LsListRow, i).kind != LS_DIFF_SAME)
      return TRUE;
  return FALSE;
}

static void
print_text (const LsListDiff *d, guint context)
{
  guint hidden = 0;
  for (guint i = 0; i <= d->rows->len; i++) {
    gboolean near = i < d->rows->len && is_near (d, i, context);
    if (hidden && (near || i == d->rows->len)) {
      g_autofree char *same = g_strdup_printf (ngettext ("%u row the same", "%u rows the same", hidden), hidden);
      printf ("  %11s  %s\n", "...", same);
      hidden = 0;
    }
    if (near)
      print_row (d, i);
    else
      hidden++;
  }
  printf (_("%u added, %u removed, %u changed, %u moved, %u the same; "), d->n_kind[LS_DIFF_ADDED], d->n_kind[LS_DIFF_REMOVED],
          d->n_kind[LS_DIFF_CHANGED], d->n_kind[LS_DIFF_MOVED], d->n_kind[LS_DIFF_SAME]);
  if (d->by_lineage)
    puts (_("matched by lineage"));
  else
    printf (_("matched by structure, %u ambiguous\n"), d->n_ambiguous);
}

/* The two points: of one place the base and the place itself, else each file's. */
static gboolean
find_sides (const LsCliOptions *o, const LsPlacePoint **a, const LsPlacePoint **b, GError **error)
{
  const LsPlace *first = &o->places[0], *second = &o->places[1];
  gboolean one = o->n_files == 1 && first->base.kernel != LS_PLACE_NONE;
  gboolean two = o->n_files == 2 && first->at.kernel != LS_PLACE_NONE && second->at.kernel != LS_PLACE_NONE &&
                 first->base.kernel == LS_PLACE_NONE && second->base.kernel == LS_PLACE_NONE;
  *a = one ? &first->base : &first->at;
  *b = one ? &first->at : &second->at;
  if (!one && !two)
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "diff: a place can only be compared with a place, as in FILE#2/simplify/3 "
                                                  "FILE#2/simplify/20 or FILE#2/simplify/20~2/simplify/3");
  else if (first->node != LS_NO_NODE || (two && second->node != LS_NO_NODE))
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "diff compares whole graphs: it does not use the node after the ?; values, blame and "
                                                  "why-not do");
  else if ((o->json || o->csv) && ls_cli_given (o, context))
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "diff --%s prints all rows: it does not use --context", o->json ? "json" : "csv");
  else
    return TRUE;
  return FALSE;
}

int
ls_cli_diff_places (const LsCliOptions *o, GError **error)
{
  const LsPlacePoint *a, *b;
  LsPosition from, to;
  if (!find_sides (o, &a, &b, error))
    return LS_EXIT_USAGE;
  gboolean one = o->n_files == 1 || strcmp (o->places[0].file, o->places[1].file) == 0;
  g_autoptr (LsTrace) left = ls_cli_open (o, o->places[0].file, error),
      right = left && one ? ls_trace_ref (left) : left ? ls_cli_open (o, o->places[1].file, error) : NULL;
  if (!left || !right || !ls_place_resolve (a, left, &from, error) || !ls_place_resolve (b, right, &to, error))
    return LS_EXIT_WRONG;
  g_autoptr (LsListDiff) d = ls_list_diff (&from, &to);
  if (!d) {
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "the recording's links are cyclic: there is no graph at one of the places");
    return LS_EXIT_WRONG;
  }
  if (!ls_cli_answer (o, &ls_list_diff_answer, d, NULL, d))
    print_text (d, (guint) o->context);
  return d->n_kind[LS_DIFF_SAME] == d->rows->len ? LS_EXIT_DONE : LS_EXIT_DIFFERENT;
}
