/* The terms of dims.rules, and data for both of a kernel's numberings of ranges: ranges in axis order, and the kernel's name made of
 * them. */
#include "codegen.h"
#include "ir/names.h"
#include "ir/print.h"

static int
by_axis (gconstpointer a, gconstpointer b)
{
  const LsUOp *x = *(LsUOp *const *) a, *y = *(LsUOp *const *) b;
  if (ls_range_order (x) != ls_range_order (y))
    return ls_range_order (x) < ls_range_order (y) ? -1 : 1;
  if (ls_range_type (x) != ls_range_type (y))
    return ls_range_type (x) < ls_range_type (y) ? -1 : 1;
  return 0;
}

static GPtrArray *
ranges_among (const GPtrArray *order)
{
  GPtrArray *ranges = g_ptr_array_new ();
  for (guint i = 0; i < order->len; i++)
    if (((LsUOp *) order->pdata[i])->op == LS_OP_RANGE)
      g_ptr_array_add (ranges, order->pdata[i]);
  g_ptr_array_sort (ranges, by_axis);
  return ranges;
}

GPtrArray *
ls_ranges_of (LsContext *ctx, LsUOp *root)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root);
  return ranges_among (order);
}

/* The ranges in the order in which a name has them. */
static GPtrArray *
named_ranges (const GPtrArray *nodes, gboolean appends)
{
  g_autoptr (GPtrArray) ranges = ranges_among (nodes);
  GPtrArray *named = g_ptr_array_new ();
  for (guint place = 0; place < LS_N_AXIS; place++) {
    for (guint i = 0; i < ranges->len; i++) {
      const LsAxisInfo *type = &ls_axis_types[ls_range_type (ranges->pdata[i])];
      if ((appends ? type->appended_place : type->place) == place)
        g_ptr_array_add (named, ranges->pdata[i]);
    }
  }
  return named;
}

GPtrArray *
ls_kernel_ranges (LsContext *ctx, LsUOp *root, gboolean appends)
{
  g_autoptr (GPtrArray) nodes = ls_uop_toposort (ctx, root);
  return named_ranges (nodes, appends);
}

/* A size that variables say, as a name: "n", "n_4" for n*4, "m_n" for m+n. */
static char *
size_name (const LsUOp *size)
{
  g_autofree char *text = ls_expr_print (NULL, (LsUOp *) size, 0);
  GString *name = g_string_new (NULL);
  for (const char *p = text; *p; p++)
    if (g_ascii_isalnum (*p) || *p == '_')
      g_string_append_c (name, *p);
    else if (name->len > 0 && name->str[name->len - 1] != '_')
      g_string_append_c (name, '_');
  while (name->len > 0 && name->str[name->len - 1] == '_')
    g_string_truncate (name, name->len - 1);
  return g_string_free (name, FALSE);
}

char *
ls_kernel_name (LsContext *ctx, LsUOp *root)
{
  g_autoptr (GPtrArray) ranges = ls_kernel_ranges (ctx, root, FALSE);
  return ls_kernel_name_of (ctx, root, ranges);
}

char *
ls_kernel_name_of (LsContext *ctx, LsUOp *root, const GPtrArray *ranges)
{
  g_autoptr (GPtrArray) nodes = ls_uop_toposort (ctx, root);
  char size[24];
  gboolean has_reduce = FALSE;
  for (guint i = 0; i < nodes->len; i++)
    has_reduce |= ((LsUOp *) nodes->pdata[i])->op == LS_OP_REDUCE;
  GString *s = g_string_new (has_reduce ? "r" : "E");
  for (guint i = 0; i < ranges->len; i++) {
    g_string_append_c (s, '_');
    const LsUOp *of = ((LsUOp *) ranges->pdata[i])->src[0];
    g_autofree char *variable = of->op == LS_OP_CONST ? NULL : size_name (of);
    g_string_append (s, variable ? variable : ls_int_text (ls_range_size (ranges->pdata[i]), size));
  }
  if (s->len == 1)
    g_string_append_c (s, '_');
  return g_string_free (s, FALSE);
}

static void
add_item (LsDimsContext *pass, LsUOp *range, const char *name, const char *number)
{
  pass->items[pass->n].range = range;
  g_snprintf (pass->items[pass->n++].name, sizeof pass->items->name, "%s%s", name, number);
}

/* Do work items wait for each other where the loop over the range would end? */
static gboolean
is_waited_for (const GPtrArray *order, const LsUOp *range)
{
  for (guint i = 0; i < order->len; i++) {
    const LsUOp *u = order->pdata[i];
    if (u->op == LS_OP_AFTER && u->n_src == 2 && u->src[0]->op == LS_OP_BARRIER && u->src[1] == range)
      return TRUE;
  }
  return FALSE;
}

/* Names the work item index of each global, local and (where items wait for each other) group range, the innermost axis being
 * dimension 0; and that of threads. */
void
ls_dims_prepare (LsContext *ctx, const LsTarget *target, LsUOp *root, LsDimsContext *pass)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root), ranges = ranges_among (order);
  guint next[2] = { 0, 0 };
  pass->n = pass->n_shared = 0;
  for (guint i = ranges->len; i-- > 0;) {
    LsUOp *r = ranges->pdata[i];
    LsAxisType type = ls_range_type (r);
    if (type == LS_AXIS_THREAD && pass->n < G_N_ELEMENTS (pass->items))
      add_item (pass, r, LS_THREAD_INDEX, "");
    gboolean is_group = type == LS_AXIS_GROUP && is_waited_for (order, r), in_group = type == LS_AXIS_LOCAL || is_group;
    /* an axis whose number of work items is a variable stays a loop */
    if (!target->has_local || (!in_group && type != LS_AXIS_GLOBAL && type != LS_AXIS_LOOP) || r->src[0]->op != LS_OP_CONST)
      continue;
    guint number = next[in_group]++;
    if (number > 2 || pass->n == G_N_ELEMENTS (pass->items))
      continue;      /* devices have three dimensions: further axes stay loops */
    char digits[2] = { (char) ('0' + number), 0 };
    add_item (pass, r, in_group ? "lidx" : "gidx", digits);
    if (is_group)
      pass->shared[pass->n_shared++] = ls_uop_new1 (ctx, LS_OP_SPECIAL, r->dtype, r->src[0],
                                                    ls_arg_str (ctx, pass->items[pass->n - 1].name));
  }
}

void
ls_dims_name (LsContext *ctx, const LsDimsContext *pass, LsNames *names)
{
  for (guint i = 0; names && i < pass->n; i++) {
    LsUOp *r = pass->items[i].range;
    ls_names_add_alias (names, ls_uop_new1 (ctx, LS_OP_SPECIAL, r->dtype, r->src[0], ls_arg_str (ctx, pass->items[i].name)), r);
  }
}

static const char *
name_of (const LsDimsContext *pass, const LsUOp *range)
{
  for (guint i = 0; i < pass->n; i++)
    if (pass->items[i].range == range)
      return pass->items[i].name;
  return NULL;
}

static gboolean
is_item (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  out->holds = name_of (call->pass, args[0].node) != NULL;
  return TRUE;
}

static gboolean
item (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  return (out->text = name_of (call->pass, args[0].node)) != NULL;
}

static gboolean
shares_results (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  out->holds = ((const LsDimsContext *) call->pass)->n_shared > 0;
  return TRUE;
}

static gboolean
asks_for_first (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsDimsContext *pass = call->pass;
  out->holds = pass->n_shared > 0 && ls_uop_depends (call->ctx, args[0].node, pass->shared[0]);
  return TRUE;
}

static gboolean
is_first (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsDimsContext *pass = call->pass;
  LsContext *ctx = call->ctx;
  guint n = ls_dtype_lanes (args[0].node->dtype);
  LsUOp *all = NULL, *lanes[MAX_LANES];
  for (guint i = 0; i < pass->n_shared; i++) {
    LsUOp *one = ls_uop_alu2 (ctx, LS_OP_CMPLT, pass->shared[i], ls_uop_const_i (ctx, pass->shared[i]->dtype, 1));
    all = all ? ls_uop_alu2 (ctx, LS_OP_AND, all, one) : one;
  }
  for (guint i = 0; i < MIN (n, MAX_LANES); i++)
    lanes[i] = all;
  out->node = all && n > 1 ? ls_uop_new (ctx, LS_OP_VECTORIZE, ls_dtype_vec (LS_BOOL, n), n, lanes, ls_arg_none ()) : all;
  return all && n <= MAX_LANES;
}

#define V(kind) LS_TERM_##kind
const LsTerm ls_dims_terms[] = {
  { "is_item", "dims", V (BOOL), 1, { V (NODE) }, is_item, "Does the range become work items or threads of the device?" },
  { "item", "dims", V (TEXT), 1, { V (NODE) }, item, "The name of the device index that the range becomes." },
  { "shares_results", "dims", V (BOOL), 0, { 0 }, shares_results, "Do several work items compute the same results?" },
  { "asks_for_first", "dims", V (BOOL), 1, { V (NODE) }, asks_for_first, "Does the condition already test for the first work item?" },
  { "is_first", "dims", V (NODE), 1, { V (NODE) }, is_first, "The condition that this is the first of these work items, in as many "
                                                             "lanes as the node has.", TRUE },
  { NULL },
};
