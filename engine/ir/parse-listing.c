/* Reads a listing of Ops back to its nodes.
 *
 * Rows are read first and nodes built after, each once its sources exist, because an accumulator names the loops below it. Building is
 * iterative. Sources in quotes are constants, looked up by their text.
 */
#include "print-private.h"
#include "number.h"
#include <string.h>

typedef struct {
  LsOp        op;
  LsDType     dtype;
  LsArg       arg;
  guint16     tag;
  guint       first, n;      /* sources, in Listing.sources */
  const char *p;             /* where the row begins, for messages */
  LsUOp      *node;
  gboolean    entered;
} Row;

typedef struct { guint row; char *quoted; const char *p; } Source;

typedef struct {
  LsContext  *ctx;
  LsScan      s;
  GArray     *rows, *sources;
  GHashTable *constants;      /* text -> row + 1 */
} Listing;

static void
source_clear (gpointer data)
{
  g_free (((Source *) data)->quoted);
}

static gboolean
parse_sources (Listing *l, Row *row)
{
  LsScan *s = &l->s;
  row->first = l->sources->len;
  if (!ls_scan_need (s, "["))
    return FALSE;
  while (!ls_scan_take (s, "]")) {
    Source source = { 0, NULL, s->p };
    if (row->n && !ls_scan_need (s, ","))
      return FALSE;
    if (ls_scan_take (s, "'")) {
      const char *end = strchr (s->p, '\'');
      if (!end)
        return ls_scan_fail (s, "the quote is not closed");
      source.quoted = g_strndup (s->p, end - s->p);
      s->p = end + 1;
    } else if (!ls_scan_uint (s, &source.row))
      return ls_scan_fail (s, "a source is the number of a row or a constant in quotes");
    g_array_append_val (l->sources, source);
    row->n++;
  }
  return TRUE;
}

static gboolean
parse_arg (Listing *l, Row *row)
{
  LsScan *s = &l->s;
  ls_scan_space (s);
  const char *start = s->p;
  g_autofree char *text = ls_scan_until (s, "");
  for (char *tag = text; (tag = strstr (tag, " tag=")); tag++)
    if (ls_tag_parse (tag + strlen (" tag="), &row->tag)) {
      *tag = 0;
      break;
    }
  if (row->op == LS_OP_SINK && g_str_has_prefix (text, "KernelInfo("))
    row->arg = ls_arg_str (l->ctx, text);
  else if (!ls_arg_parse (l->ctx, text, &row->arg)) {
    s->p = start;
    return ls_scan_fail (s, "“%s” is not an argument", text);
  }
  if (row->op == LS_OP_CONST) {
    row->arg = ls_arg_fit (row->dtype, row->arg);
    g_autofree char *key = row->tag ? g_strdup_printf ("%s tag=%u", text, row->tag) : g_strdup (text);
    g_hash_table_insert (l->constants, g_steal_pointer (&key), GUINT_TO_POINTER (l->rows->len + 1));
  } else if (row->op == LS_OP_RANGE && row->arg.kind == LS_ARG_INT) {
    gint64 ints[2] = { row->arg.i % 1000, row->arg.i >= 1000 ? LS_AXIS_REDUCE : LS_AXIS_LOOP };
    row->arg = ls_arg_ints (l->ctx, 2, ints);
  }
  return TRUE;
}

static gboolean
parse_row (Listing *l)
{
  LsScan *s = &l->s;
  Row row = { .p = s->p };
  guint number;
  ls_scan_space (s);
  const char *start = s->p;
  if (!ls_scan_uint (s, &number))
    return ls_scan_fail (s, "a row must begin with its number");
  if (number != l->rows->len) {
    s->p = start;
    return ls_scan_fail (s, "this is row %u, not %u", l->rows->len, number);
  }
  if (!ls_scan_op (s, &row.op) || !ls_scan_need (s, ":"))
    return FALSE;
  ls_scan_space (s);
  start = s->p;
  g_autofree char *dtype = ls_scan_until (s, "[");
  if (!ls_dtype_parse (dtype, &row.dtype)) {
    s->p = start;
    return ls_scan_fail (s, "“%s” is not a dtype", dtype);
  }
  if (!parse_sources (l, &row) || !parse_arg (l, &row))
    return FALSE;
  g_array_append_val (l->rows, row);
  return TRUE;
}

/* Rows of quoted sources; the open loops that a STORE shows after its value are not sources. */
static gboolean
resolve_sources (Listing *l)
{
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < l->rows->len; i++) {
    Row *row = &g_array_index (l->rows, Row, i);
    for (guint k = 0; k < row->n; k++) {
      Source *source = &g_array_index (l->sources, Source, row->first + k);
      l->s.p = source->p;
      if (source->quoted) {
        guint found = GPOINTER_TO_UINT (g_hash_table_lookup (l->constants, source->quoted));
        if (!found)
          return ls_scan_fail (&l->s, "there is no row with the constant '%s'", source->quoted);
        source->row = found - 1;
      }
      if (source->row >= l->rows->len)
        return ls_scan_fail (&l->s, "there is no row %u", source->row);
    }
    gboolean shows_open = row->op == LS_OP_STORE && row->n == 2 + open->len;
    for (guint k = 0; shows_open && k < open->len; k++)
      shows_open = g_array_index (l->sources, Source, row->first + 2 + k).row == g_array_index (open, guint, k);
    if (shows_open)
      row->n = 2;
    int arity = ls_op_info (row->op)->arity;
    l->s.p = row->p;
    if (arity >= 0 && row->n != (guint) arity)
      return ls_scan_fail (&l->s, "%s has %d source%s, not %u", ls_op_name (row->op), arity, arity == 1 ? "" : "s", row->n);
    if (row->op == LS_OP_RANGE)
      g_array_append_val (open, i);
    for (guint k = 0; row->op == LS_OP_ENDRANGE && k < open->len; k++)
      if (g_array_index (open, guint, k) == g_array_index (l->sources, Source, row->first).row) {
        g_array_remove_index (open, k);
        break;
      }
  }
  return TRUE;
}

static gboolean
build (Listing *l)
{
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GPtrArray) src = g_ptr_array_new ();
  for (guint i = 0; i < l->rows->len; i++) {
    g_array_append_val (stack, i);
    while (stack->len) {
      Row *row = &g_array_index (l->rows, Row, g_array_index (stack, guint, stack->len - 1));
      if (row->node) {
        g_array_set_size (stack, stack->len - 1);
        continue;
      }
      gboolean ready = TRUE;
      g_ptr_array_set_size (src, 0);
      for (guint k = 0; k < row->n; k++) {
        guint from = g_array_index (l->sources, Source, row->first + k).row;
        LsUOp *node = g_array_index (l->rows, Row, from).node;
        g_ptr_array_add (src, node);
        if (!node) {
          if (row->entered && g_array_index (l->rows, Row, from).entered) {
            l->s.p = row->p;
            return ls_scan_fail (&l->s, "the row is a source of itself");
          }
          g_array_append_val (stack, from);
          ready = FALSE;
        }
      }
      row->entered = TRUE;
      if (!ready)
        continue;
      row->node = ls_uop_new_tag (l->ctx, row->op, row->dtype, row->n, (LsUOp *const *) src->pdata, row->arg, row->tag);
      g_array_set_size (stack, stack->len - 1);
    }
  }
  return TRUE;
}

/**
 * ls_listing_parse:
 * @ctx: where the nodes are made
 * @text: a listing of Ops; empty lines are skipped
 * @error: (nullable): LS_ERROR_SYNTAX with line and column
 *
 * Returns: (transfer full) (nullable): the nodes, row by row
 */
GPtrArray *
ls_listing_parse (LsContext *ctx, const char *text, GError **error)
{
  Listing l = { ctx, { text, text, "listing", error }, g_array_new (FALSE, TRUE, sizeof (Row)), g_array_new (FALSE, FALSE, sizeof (Source)),
                g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
  g_array_set_clear_func (l.sources, source_clear);
  GPtrArray *list = NULL;
  gboolean ok = TRUE;
  while (ok && *l.s.p) {
    const char *end = strchr (l.s.p, '\n');
    gsize blank = strspn (l.s.p, " \t\r");
    if (l.s.p[blank] && l.s.p[blank] != '\n')
      ok = parse_row (&l);
    else
      l.s.p += blank;
    if (ok && end)
      l.s.p = end + 1;
    else if (ok)
      l.s.p += strlen (l.s.p);
  }
  if (ok && resolve_sources (&l) && build (&l)) {
    list = g_ptr_array_sized_new (l.rows->len);
    for (guint i = 0; i < l.rows->len; i++)
      g_ptr_array_add (list, g_array_index (l.rows, Row, i).node);
  }
  g_array_unref (l.rows);
  g_array_unref (l.sources);
  g_hash_table_unref (l.constants);
  return list;
}
