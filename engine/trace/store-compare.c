/* Do two recordings say the same? Walks the same descriptions as writing and reading, so that all stored data is compared. Times are
 * aside. Nodes are compared as far as both recordings have them: looking at steps makes new ones. */
#include "store-private.h"

#include <math.h>
#include <string.h>

#include "ir/print.h"

static gboolean
double_equal (double a, double b)
{
  return memcmp (&a, &b, sizeof a) == 0 || (isnan (a) && isnan (b));
}

static gboolean
dims_equal (const LsColumn *c, gconstpointer a, gconstpointer b)
{
  LsShape x = { *(const guint *) (gconstpointer) ((const guint8 *) a + c->size_offset), *(const gint64 *const *) ls_column_at (c, a) };
  LsShape y = { *(const guint *) (gconstpointer) ((const guint8 *) b + c->size_offset), *(const gint64 *const *) ls_column_at (c, b) };
  return ls_shape_equal (x, y);
}

/* Data that only one of the two holds is not a difference where digest and statistics, which are columns of their own, agree. */
static gboolean
blob_equal (const LsColumn *c, gconstpointer a, gconstpointer b)
{
  const guint8 *x = *(const guint8 *const *) ls_column_at (c, a), *y = *(const guint8 *const *) ls_column_at (c, b);
  gsize n = *(const gsize *) (gconstpointer) ((const guint8 *) a + c->size_offset),
        m = *(const gsize *) (gconstpointer) ((const guint8 *) b + c->size_offset);
  if (x == NULL || y == NULL)
    return x == y || MAX (n, m) > LS_STORE_MAX_DATA || MAX (n, m) == 0;
  return n == m && (n == 0 || memcmp (x, y, n) == 0);
}

/* For two contexts, whose memory is interned separately. */
static gboolean
arg_equal (const LsArg *a, const LsArg *b)
{
  g_autofree char *x = ls_arg_print (*a), *y = ls_arg_print (*b);
  return g_str_equal (x, y);
}

static gboolean
column_equal (const LsColumn *c, gconstpointer a, gconstpointer b)
{
  gconstpointer x = ls_column_at (c, a), y = ls_column_at (c, b);
  switch (c->kind) {
  case LS_CELL_TEXT:
  case LS_CELL_OWNED: {
    const char *s = *(const char *const *) x, *t = *(const char *const *) y;
    return g_str_equal (s ? s : "", t ? t : "");
  }
  case LS_CELL_DTYPE: return *(const guint64 *) x == *(const guint64 *) y;
  case LS_CELL_NUMBER: return double_equal (*(const double *) x, *(const double *) y);
  case LS_CELL_BLOB:  return blob_equal (c, a, b);
  case LS_CELL_DIMS:  return dims_equal (c, a, b);
  case LS_CELL_ARG:
  case LS_CELL_REGISTERS: return arg_equal (x, y);
  default:             return ls_column_int (c, a) == ls_column_int (c, b);
  }
}

static char *
compare_rows (const LsTable *t, gconstpointer a, gconstpointer b, const char *where)
{
  guint n = ls_table_n_rows (t, a), m = ls_table_n_rows (t, b);
  for (guint k = 0; k < MIN (n, m); k++)
    for (guint i = 0; i < t->n_columns; i++) {
      const LsColumn *c = &t->columns[i];
      if (!(c->flags & LS_COLUMN_TIME) && !column_equal (c, ls_table_row (t, a, k), ls_table_row (t, b, k)))
        return g_strdup_printf ("%s: %srow %u: %s differs", t->name, where, k + t->key_base, c->name);
    }
  return n == m ? NULL : g_strdup_printf ("%s: %s%u rows against %u", t->name, where, n, m);
}

static char *
compare_owned (const LsTable *t, LsTrace *a, LsTrace *b)
{
  gboolean of_kernel = t->owner == LS_OWNER_KERNEL;
  GPtrArray *x = of_kernel ? a->kernels : a->passes, *y = of_kernel ? b->kernels : b->passes;
  for (guint k = 0; k < MIN (x->len, y->len); k++) {
    g_autofree char *where = g_strdup_printf ("%s %u: ", of_kernel ? "kernel" : "pass", k + (of_kernel ? 1 : 0));
    char *difference = compare_rows (t, x->pdata[k], y->pdata[k], where);
    if (difference)
      return difference;
  }
  return NULL;
}

static char *
compare_nodes (LsTrace *a, LsTrace *b)
{
  guint32 n = MIN (ls_context_n_nodes (a->ctx), ls_context_n_nodes (b->ctx));
  for (guint32 id = 0; id < n; id++) {
    LsUOp *u = ls_context_node (a->ctx, id), *v = ls_context_node (b->ctx, id);
    gboolean equal = u->op == v->op && u->dtype == v->dtype && u->tag == v->tag && u->n_src == v->n_src;
    for (guint k = 0; equal && k < u->n_src; k++)
      equal = u->src[k]->id == v->src[k]->id;
    g_autofree char *x = equal ? ls_arg_print (u->arg) : NULL;
    g_autofree char *y = equal ? ls_arg_print (v->arg) : NULL;
    if (equal && g_str_equal (x, y))
      continue;
    g_autofree char *p = ls_uop_summary (u);
    g_autofree char *q = ls_uop_summary (v);
    return g_strdup_printf ("nodes: row %u: %s against %s", id, p, q);
  }
  return NULL;
}

static char *
compare_links (LsTrace *a, LsTrace *b)
{
  for (guint k = 0; k < MIN (a->passes->len, b->passes->len); k++) {
    const LsPass *p = a->passes->pdata[k], *q = b->passes->pdata[k];
    for (guint i = 0; i < MIN (p->links->len, q->links->len); i++) {
      const LsLink *x = &g_array_index (p->links, LsLink, i), *y = &g_array_index (q->links, LsLink, i);
      if (x->before != y->before || x->after != y->after || x->rule != y->rule)
        return g_strdup_printf ("links: pass %u: link %u differs", k, i);
    }
    if (p->links->len != q->links->len)
      return g_strdup_printf ("links: pass %u: %u links against %u", k, p->links->len, q->links->len);
  }
  return NULL;
}

static char *
compare_meta (LsTrace *a, LsTrace *b)
{
  for (guint k = 0; k < ls_store_meta.n_columns; k++) {
    const LsColumn *c = &ls_store_meta.columns[k];
    if (!(c->flags & LS_COLUMN_TIME) && !column_equal (c, a, b))
      return g_strdup_printf ("meta: %s differs", c->name);
  }
  for (guint k = 0; k < MIN (a->settings->len, b->settings->len); k++)
    if (!g_str_equal (a->settings->pdata[k], b->settings->pdata[k]))
      return g_strdup_printf ("settings: %s against %s", (char *) a->settings->pdata[k], (char *) b->settings->pdata[k]);
  return a->settings->len == b->settings->len ? NULL : g_strdup_printf ("settings: %u rows against %u", a->settings->len, b->settings->len);
}

/**
 * ls_trace_compare:
 * @a: a recording
 * @b: another
 *
 * Returns: (transfer full) (nullable): NULL when they say the same, times aside; else where they first differ: "calls: row 3: name differs"
 */
char *
ls_trace_compare (LsTrace *a, LsTrace *b)
{
  char *difference = compare_meta (a, b);
  if (difference == NULL)
    difference = compare_nodes (a, b);
  for (guint k = 0; k < LS_N_TABLES && difference == NULL; k++) {
    const LsTable *t = &ls_store_tables[k];
    difference = t->owner == LS_OWNER_TRACE ? compare_rows (t, a, b, "") : compare_owned (t, a, b);
  }
  return difference ? difference : compare_links (a, b);
}
