/* The listing of a linear list, in two styles of the same rows.
 *
 * ops     a row per node, as it is; constants among the sources stand for themselves in quotes (by number where two
 *         constants of the list read alike); a STORE also shows the loops that are open around it, after its value.
 * classic the early-2024 form: INDEX is folded into its LOAD or STORE, RANGE is a LOOP from a constant 0 to its size,
 *         DEFINE_ACC carries its initial value and SPECIAL its size as argument. Rows that only served these are not shown;
 *         a LOOP's 0 is shown also where the list has none.
 */
#include "print-private.h"
#include "number.h"
#include <string.h>

typedef struct {
  LsContext    *ctx;
  guint         n;
  LsUOp *const *list;
  LsNodeMap    *row;       /* node -> its row's number */
  GHashTable   *instead;   /* a node without a row -> the one whose row it is read as, or NULL */
  GArray       *rows;
  GString      *text;
} Listing;

static void
row_clear (gpointer data)
{
  LsListingRow *row = data;
  g_free (row->op);
  g_free (row->dtype);
  g_free (row->src);
  g_free (row->arg);
}

static char *
take_text (GString *text)
{
  char *copy = g_strndup (text->str, text->len);
  g_string_truncate (text, 0);
  return copy;
}

static void
append_source (Listing *l, const LsUOp *u)
{
  guint64 row;
  if (l->text->len)
    g_string_append_c (l->text, ' ');
  if (l->instead && !ls_node_map_has (l->row, u) && g_hash_table_contains (l->instead, u))
    u = g_hash_table_lookup (l->instead, u);
  if (ls_node_map_get (l->row, u, &row))
    g_string_append_printf (l->text, "%u", (guint) row);
  else
    g_string_append_c (l->text, '?');
}

/* --- classic --- */

static LsUOp *
through_pointer_casts (LsUOp *u)
{
  while (u->op == LS_OP_CAST && ls_dtype_is_ptr (u->dtype) && u->n_src == 1)
    u = u->src[0];
  return u;
}

/* The INDEX that a LOAD or STORE is folded with, or NULL. */
static LsUOp *
folded_index (const LsUOp *u)
{
  if ((u->op != LS_OP_LOAD && u->op != LS_OP_STORE) || !u->n_src)
    return NULL;
  LsUOp *index = through_pointer_casts (u->src[0]);
  return index->op == LS_OP_INDEX && index->n_src >= 2 ? index : NULL;
}

static LsUOp *
buffer_of (LsUOp *u)
{
  while (u->n_src && (u->op == LS_OP_INDEX || u->op == LS_OP_CAST || u->op == LS_OP_LOAD))
    u = u->src[0];
  return u;
}

/* Marks the nodes that a shown row names in its sources. Pointers that only serve folded accesses, initial values and
 * sizes of work item indices stay unmarked. */
static void
mark_named (Listing *l, LsNodeMap *named)
{
  for (guint i = 0; i < l->n; i++) {
    LsUOp *u = l->list[i];
    LsUOp *index = folded_index (u);
    if (u->op == LS_OP_SPECIAL || u->op == LS_OP_SINK || (u->op == LS_OP_INDEX && u->n_src >= 2))
      continue;
    if (u->op == LS_OP_CAST && ls_dtype_is_ptr (u->dtype))
      continue;
    if (u->op == LS_OP_DEFINE_ACC) {
      if (u->n_src && u->src[0]->op != LS_OP_CONST)
        ls_node_map_set (named, u->src[0], 1);
      continue;
    }
    for (guint s = index ? 1 : 0; s < u->n_src; s++)
      ls_node_map_set (named, u->src[s], 1);
    for (guint s = 0; index && s < index->n_src; s++)
      ls_node_map_set (named, index->src[s], 1);
  }
}

/* Constants without a name of their own: used, but only where the classic form folds them away. */
static gboolean
is_hidden (Listing *l, LsUOp *u, LsNodeMap *named, LsNodeMap *used)
{
  if (u->op == LS_OP_SINK)
    return TRUE;
  if (u->op == LS_OP_INDEX || (u->op == LS_OP_CAST && ls_dtype_is_ptr (u->dtype)) || u->op == LS_OP_CONST)
    return !ls_node_map_has (named, u) && ls_node_map_has (used, u);
  return FALSE;
}

static gboolean
is_zero (const LsUOp *u, LsDType dtype)
{
  return u->op == LS_OP_CONST && u->dtype == dtype && u->arg.kind == LS_ARG_INT && u->arg.i == 0;
}

typedef struct { LsDType dtype; LsUOp *range; LsUOp *before; LsUOp *zero; guint row; } Zero;

/* For each dtype of loop counters the row of its 0: a constant of the list before the first loop, or a row that is added in front of
 * that loop's size. */
static GArray *
find_zeros (Listing *l)
{
  GArray *zeros = g_array_new (FALSE, TRUE, sizeof (Zero));
  for (guint i = 0; i < l->n; i++) {
    LsUOp *u = l->list[i];
    gboolean known = u->op != LS_OP_RANGE;
    for (guint z = 0; z < zeros->len && !known; z++)
      known = g_array_index (zeros, Zero, z).dtype == u->dtype;
    if (known)
      continue;
    Zero zero = { u->dtype, u, u, NULL, 0 };
    gboolean placed = FALSE;
    for (guint k = 0; k < i && !zero.zero; k++) {
      if (is_zero (l->list[k], u->dtype))
        zero.zero = l->list[k];
      if (!placed && u->n_src && l->list[k] == u->src[0]) {
        zero.before = l->list[k];
        placed = TRUE;
      }
    }
    g_array_append_val (zeros, zero);
  }
  return zeros;
}

static const Zero *
zero_of (GArray *zeros, LsDType dtype)
{
  for (guint z = 0; z < zeros->len; z++)
    if (g_array_index (zeros, Zero, z).dtype == dtype)
      return &g_array_index (zeros, Zero, z);
  return NULL;
}

guint
ls_print_dimension (const char *name, guint n, LsUOp *const *list)
{
  gsize prefix;
  guint64 number = ls_number_of_name (name, &prefix);
  guint later = 0;
  for (guint i = 0; i < n; i++)
    later += list[i]->op == LS_OP_SPECIAL && list[i]->arg.kind == LS_ARG_STR && strncmp (list[i]->arg.str, name, prefix) == 0 &&
             ls_number_of_name (list[i]->arg.str, NULL) > number;
  return later;
}

static char *
classic_op (const LsUOp *u)
{
  return g_strdup (ls_op_is_alu (u->op) ? "UOps.ALU" : ls_op_info (u->op)->classic);
}

static char *
classic_arg (Listing *l, LsUOp *u, LsNodeMap *written)
{
  char dtype[64];
  GString *t = l->text;
  gint64 number = u->arg.kind == LS_ARG_INT ? u->arg.i : 0;
  switch ((int) u->op) {
  case LS_OP_CONST: ls_print_value (t, u->dtype, u->arg); break;
  case LS_OP_DEFINE_GLOBAL:
    g_string_append_printf (t, "(%" G_GINT64_FORMAT ", 'data%" G_GINT64_FORMAT "', %s)", number, number,
                            ls_node_map_has (written, u) ? "True" : "False");
    break;
  case LS_OP_DEFINE_LOCAL:
    g_string_append_printf (t, "('temp%.0" G_GINT64_FORMAT "', %" G_GUINT64_FORMAT ")", number, ls_dtype_ptr_size (u->dtype));
    break;
  case LS_OP_DEFINE_ACC:
    if (u->n_src && u->src[0]->op == LS_OP_CONST)
      ls_print_value (t, u->src[0]->dtype, u->src[0]->arg);
    else
      g_string_append (t, "None");
    break;
  case LS_OP_SPECIAL: {
    const char *name = u->arg.kind == LS_ARG_STR ? u->arg.str : "idx0";
    g_string_append_printf (t, "(%u, '%s', ", ls_print_dimension (name, l->n, l->list), name);
    if (u->n_src && u->src[0]->op == LS_OP_CONST)
      ls_print_value (t, u->src[0]->dtype, u->src[0]->arg);
    else
      g_string_append (t, "None");
    g_string_append_c (t, ')');
    break;
  }
  case LS_OP_RANGE:
  case LS_OP_PHI: g_string_append (t, "None"); break;
  case LS_OP_CAST:
  case LS_OP_BITCAST: g_string_append (t, ls_dtype_classic (u->dtype, dtype)); break;
  default:
    if (ls_op_is_alu (u->op))
      g_string_append (t, ls_op_info (u->op)->classic);
    else
      ls_print_arg (t, u->arg);
  }
  return take_text (t);
}

static char *
classic_src (Listing *l, LsUOp *u, const Zero *zero)
{
  LsUOp *index = folded_index (u);
  if (u->op == LS_OP_RANGE && zero) {
    g_string_append_printf (l->text, "%u", zero->row);
    if (u->n_src)
      append_source (l, u->src[0]);
  } else if (index) {
    append_source (l, index->src[0]);
    append_source (l, index->src[1]);
    if (u->op == LS_OP_STORE)
      for (guint s = 1; s < u->n_src; s++)
        append_source (l, u->src[s]);
    for (guint s = 2; s < index->n_src; s++)
      append_source (l, index->src[s]);
    if (u->op == LS_OP_LOAD)
      for (guint s = 1; s < u->n_src; s++)
        append_source (l, u->src[s]);
  } else if (u->op == LS_OP_DEFINE_ACC) {
    if (u->n_src && u->src[0]->op != LS_OP_CONST)
      append_source (l, u->src[0]);
  } else if (u->op != LS_OP_SPECIAL)
    for (guint s = 0; s < u->n_src; s++)
      append_source (l, u->src[s]);
  return take_text (l->text);
}

static void
classic_rows (Listing *l)
{
  char dtype[64];
  LsNodeMap *named = ls_node_map_acquire (l->ctx);
  LsNodeMap *used = ls_node_map_acquire (l->ctx);
  LsNodeMap *written = ls_node_map_acquire (l->ctx);
  g_autoptr (GArray) zeros = find_zeros (l);
  mark_named (l, named);
  for (guint i = 0; i < l->n; i++) {
    LsUOp *u = l->list[i];
    for (guint s = 0; s < u->n_src; s++)
      ls_node_map_set (used, u->src[s], 1);
    if (u->op == LS_OP_STORE && u->n_src)
      ls_node_map_set (written, buffer_of (u->src[0]), 1);
  }
  for (guint z = 0; z < zeros->len; z++)
    if (g_array_index (zeros, Zero, z).zero)
      ls_node_map_set (named, g_array_index (zeros, Zero, z).zero, 1);

  guint number = 0;
  for (guint i = 0; i < l->n; i++) {      /* numbers first: an accumulator may name a row below it */
    for (guint z = 0; z < zeros->len; z++) {
      Zero *zero = &g_array_index (zeros, Zero, z);
      if (!zero->zero && zero->before == l->list[i])
        zero->row = number++;
    }
    if (!is_hidden (l, l->list[i], named, used))
      ls_node_map_set (l->row, l->list[i], number++);
  }
  for (guint z = 0; z < zeros->len; z++) {
    Zero *zero = &g_array_index (zeros, Zero, z);
    guint64 row;
    if (zero->zero && ls_node_map_get (l->row, zero->zero, &row))
      zero->row = (guint) row;
  }
  for (guint i = 0; i < l->n; i++) {
    LsUOp *u = l->list[i];
    for (guint z = 0; z < zeros->len; z++) {
      const Zero *zero = &g_array_index (zeros, Zero, z);
      if (zero->zero || zero->before != u)
        continue;
      LsListingRow row = { zero->range->id, g_strdup ("UOps.CONST"), g_strdup (ls_dtype_classic (zero->dtype, dtype)), g_strdup (""),
                           g_strdup ("0") };
      g_array_append_val (l->rows, row);
    }
    if (!ls_node_map_has (l->row, u))
      continue;
    LsListingRow row = { u->id, classic_op (u), g_strdup (u->dtype == LS_VOID ? "" : ls_dtype_classic (u->dtype, dtype)) };
    row.src = classic_src (l, u, zero_of (zeros, u->dtype));
    row.arg = classic_arg (l, u, written);
    g_array_append_val (l->rows, row);
  }
  ls_node_map_release (l->ctx, written);
  ls_node_map_release (l->ctx, used);
  ls_node_map_release (l->ctx, named);
}

/* --- ops --- */

/* RANGE's {axis, type}: a plain number for the two common types (1000 more for a reduce), else both. */
static void
append_ops_arg (GString *t, const LsUOp *u)
{
  if (u->op == LS_OP_CONST)
    ls_print_value (t, u->dtype, u->arg);
  else if (u->op == LS_OP_RANGE && u->arg.kind == LS_ARG_INTS && u->arg.n == 2 && u->arg.ints[0] >= 0 && u->arg.ints[0] < 1000
           && (u->arg.ints[1] == LS_AXIS_LOOP || u->arg.ints[1] == LS_AXIS_REDUCE))
    g_string_append_printf (t, "%d", (int) u->arg.ints[0] + (u->arg.ints[1] == LS_AXIS_REDUCE ? 1000 : 0));
  /* the description from registers.rules */
  else if (u->op == LS_OP_SINK && u->arg.kind == LS_ARG_STR && g_str_has_prefix (u->arg.str, "KernelInfo("))
    g_string_append (t, u->arg.str);
  else
    ls_print_arg (t, u->arg);
  if (u->tag) {
    g_autofree char *tag = ls_tag_print (u->tag);
    g_string_append_printf (t, " tag=%s", tag);
  }
}

/* A constant that a row may have in quotes instead of a number; one whose tag is a text has quotes of its own. */
static gboolean
is_quotable (const LsUOp *u)
{
  return u->op == LS_OP_CONST && u->n_src == 0 && !ls_tag_text (u->tag);
}

/* Text of constants that is unique in the list -> the constant; other texts -> NULL. */
static GHashTable *
quotable_constants (Listing *l)
{
  GHashTable *quoted = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < l->n; i++)
    if (is_quotable (l->list[i])) {
      append_ops_arg (l->text, l->list[i]);
      gboolean seen = g_hash_table_contains (quoted, l->text->str);
      g_hash_table_insert (quoted, take_text (l->text), seen ? NULL : l->list[i]);
    }
  return quoted;
}

static void
ops_rows (Listing *l)
{
  char dtype[64];
  g_autoptr (GHashTable) quoted = quotable_constants (l);
  g_autoptr (GPtrArray) open = g_ptr_array_new ();
  g_autoptr (GString) value = g_string_new (NULL);
  for (guint i = 0; i < l->n; i++)
    ls_node_map_set (l->row, l->list[i], i);
  for (guint i = 0; i < l->n; i++) {
    LsUOp *u = l->list[i];
    LsListingRow row = { u->id, g_strdup_printf ("Ops.%s", ls_op_name (u->op)), g_strdup (ls_dtype_text (u->dtype, dtype)) };
    if (u->op == LS_OP_ENDRANGE && u->n_src)
      g_ptr_array_remove (open, u->src[0]);
    for (guint s = 0; s < u->n_src; s++) {
      LsUOp *src = u->src[s];
      g_string_truncate (value, 0);
      if (is_quotable (src))
        append_ops_arg (value, src);
      if (value->len && g_hash_table_lookup (quoted, value->str) == src)
        g_string_append_printf (l->text, "%s'%s'", s ? " " : "", value->str);
      else
        append_source (l, src);
    }
    if (u->op == LS_OP_STORE && u->n_src == 2)
      for (guint r = 0; r < open->len; r++)
        append_source (l, open->pdata[r]);
    row.src = take_text (l->text);
    append_ops_arg (l->text, u);
    row.arg = take_text (l->text);
    g_array_append_val (l->rows, row);
    if (u->op == LS_OP_RANGE)
      g_ptr_array_add (open, u);
  }
}

GArray *
ls_listing_rows_over (LsContext *ctx, guint n, LsUOp *const *list, LsStyle style, GHashTable *instead)
{
  Listing l = { ctx, n, list, ls_node_map_acquire (ctx), instead, g_array_sized_new (FALSE, FALSE, sizeof (LsListingRow), n),
                g_string_new (NULL) };
  g_array_set_clear_func (l.rows, row_clear);
  if (style == LS_STYLE_CLASSIC)
    classic_rows (&l);
  else
    ops_rows (&l);
  ls_node_map_release (ctx, l.row);
  g_string_free (l.text, TRUE);
  return l.rows;
}

GArray *
ls_listing_rows (LsContext *ctx, guint n, LsUOp *const *list, LsStyle style)
{
  return ls_listing_rows_over (ctx, n, list, style, NULL);
}

GHashTable *
ls_listing_numbers (LsContext *ctx, guint n, LsUOp *const *list, LsStyle style)
{
  g_autoptr (GArray) rows = ls_listing_rows (ctx, n, list, style);
  GHashTable *numbers = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < rows->len; i++)      /* the added row of a loop's 0 comes before the loop's own */
    g_hash_table_insert (numbers, GUINT_TO_POINTER (g_array_index (rows, LsListingRow, i).node + 1), GUINT_TO_POINTER (i + 1));
  return numbers;
}

char *
ls_listing_print (LsContext *ctx, guint n, LsUOp *const *list, LsStyle style)
{
  g_autoptr (GArray) rows = ls_listing_rows (ctx, n, list, style);
  GString *out = g_string_new (NULL);
  g_autoptr (GString) src = g_string_new (NULL);
  for (guint i = 0; i < rows->len; i++) {
    const LsListingRow *row = &g_array_index (rows, LsListingRow, i);
    g_string_assign (src, "[");
    for (const char *p = row->src; *p; p++) {
      if (*p == ' ')
        g_string_append_c (src, ',');
      g_string_append_c (src, *p);
    }
    g_string_append_c (src, ']');
    g_string_append_printf (out, "%4u %-20s: %-*s %-32s %s\n", i, row->op, style == LS_STYLE_CLASSIC ? 25 : 30, row->dtype, src->str,
                            row->arg);
  }
  return g_string_free (out, FALSE);
}
