/* Terms of registers.rules: a kernel as profile=modern writes it down.
 *
 * Accumulators whose loops and dtype are the same are elements of one array of registers: DEFINE_REG[(number,)]. Each is stored to
 * before the loops, after a NOOP that names the loops around it; it is loaded in each iteration, after that and with the loops; the next
 * value is stored, which ends the loops; and later nodes load it again. Each accumulator and each PHI becomes this in a step of its own;
 * in a second pass several elements' stores are waited for together, by a NOOP over them: so every node descends from the accumulator
 * that it is of. Loops are numbered by their position among the kernel's axes, and the SINK has the kernel's name, axes and options.
 */
#include "options/option.h"

#include "rules/rules.h"
#include "ir/print.h"

#include <string.h>

static gint64
place_of (const LsRegisterContext *pass, const LsUOp *r)
{
  for (guint i = 0; pass->ranges && i < pass->ranges->len; i++) {
    const LsUOp *x = pass->ranges->pdata[i];
    if (ls_range_axis (x) == ls_range_axis (r) && ls_range_part (x) == ls_range_part (r))
      return i;
  }
  return -1;
}

static gboolean
is_unnumbered (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsUOp *r = args[0].node;
  out->holds = r->op == LS_OP_RANGE && r->arg.n == 3 && place_of (call->pass, r) >= 0;
  return TRUE;
}

static gboolean
numbered (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsUOp *r = args[0].node;
  gint64 ints[2] = { place_of (call->pass, r), ls_range_type (r) };
  LsArg *arg = ls_term_alloc (call, sizeof *arg);
  *arg = ls_arg_ints (call->ctx, 2, ints);
  out->arg = arg;
  return TRUE;
}

/* --- registers --- */

/* An accumulator, the PHI that assigns it, and its element: `index` of `n` in array `number`. around: a NOOP over the loops around it,
 * or NULL. */
typedef struct { LsUOp *acc, *phi, *around; gint64 number; guint index, n; } Element;

static int
compare_elements (gconstpointer a, gconstpointer b)
{
  gint64 x = ((const Element *) a)->acc->arg.i, y = ((const Element *) b)->acc->arg.i;
  return x < y ? -1 : x > y;
}

static gboolean
same_loops (const LsUOp *a, const LsUOp *b)
{
  gboolean same = a->dtype == b->dtype && a->n_src == b->n_src;
  for (guint i = 1; i < a->n_src && same; i++)
    same = a->src[i] == b->src[i];
  return same;
}

static const Element *
element_of (const GArray *elements, const LsUOp *acc)
{
  for (guint i = 0; i < elements->len; i++)
    if (g_array_index (elements, Element, i).acc == acc)
      return &g_array_index (elements, Element, i);
  return NULL;
}

/* The next array's elements, by number: the first accumulator that has no place yet and those of its loops. FALSE: there are none, or
 * one is not a simple accumulator. */
static gboolean
next_array (const GPtrArray *order, const GArray *placed, GArray *out)
{
  LsUOp *first = NULL;
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i];
    if (u->op != LS_OP_DEFINE_ACC || element_of (placed, u))
      continue;
    if (!first)
      first = u;
    Element e = { .acc = u };
    if (same_loops (u, first))
      g_array_append_val (out, e);
  }
  for (guint i = 0; i < order->len; i++)
    for (guint k = 0; ((LsUOp *) order->pdata[i])->op == LS_OP_PHI && k < out->len; k++) {
      Element *e = &g_array_index (out, Element, k);
      LsUOp *phi = order->pdata[i];
      if (phi->src[0] == e->acc && e->phi)
        return FALSE;
      if (phi->src[0] == e->acc)
        e->phi = phi;
    }
  g_array_sort (out, compare_elements);
  for (guint i = 0; i < out->len; i++)
    if (!g_array_index (out, Element, i).phi)
      return FALSE;
  return out->len > 0;
}

/* Does an element's next value need another element? Then they change together, which stores one after the other do not say. */
static gboolean
change_together (LsContext *ctx, const GArray *elements)
{
  for (guint i = 0; i < elements->len && elements->len > 1; i++) {
    const Element *e = &g_array_index (elements, Element, i);
    g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, e->phi->src[1]);
    for (guint k = 0; k < order->len; k++)
      for (guint other = 0; ((LsUOp *) order->pdata[k])->op == LS_OP_DEFINE_ACC && other < elements->len; other++)
        if (other != i && order->pdata[k] == g_array_index (elements, Element, other).acc)
          return TRUE;
  }
  return FALSE;
}

/* NOOP over the loops around the accumulator: those that its next value needs and it does not end. NULL: none. */
static LsUOp *
loops_around (LsContext *ctx, const Element *e)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, e->phi->src[1]), around = g_ptr_array_new ();
  g_autoptr (GHashTable) ended = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < order->len; i++) {
    const LsUOp *u = order->pdata[i];
    for (guint k = 2; u->op == LS_OP_PHI && k < u->n_src; k++)
      g_hash_table_add (ended, u->src[k]);
  }
  for (guint k = 1; k < e->acc->n_src; k++)
    g_hash_table_add (ended, e->acc->src[k]);
  for (guint i = 0; i < order->len; i++)
    if (((LsUOp *) order->pdata[i])->op == LS_OP_RANGE && !g_hash_table_contains (ended, order->pdata[i]))
      g_ptr_array_add (around, order->pdata[i]);
  return around->len ? ls_uop_new (ctx, LS_OP_NOOP, LS_VOID, around->len, (LsUOp *const *) around->pdata, ls_arg_none ()) : NULL;
}

/* The array whose element a load reads after a store, or NULL. */
static const LsUOp *
array_loaded (const LsUOp *u)
{
  gboolean waits = u->op == LS_OP_LOAD && u->n_src >= 2 && u->src[0]->op == LS_OP_INDEX && u->src[0]->src[0]->op == LS_OP_DEFINE_REG &&
                   u->src[1]->op == LS_OP_STORE;
  return waits ? u->src[0]->src[0] : NULL;
}

void
ls_registers_prepare (LsContext *ctx, LsUOp *root, const GPtrArray *ranges, const char *info, LsRegisterContext *pass)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root);
  *pass = (LsRegisterContext) { ranges, info, g_array_new (FALSE, FALSE, sizeof (Element)), g_ptr_array_new () };
  for (gint64 number = 0;; number++) {
    g_autoptr (GArray) array = g_array_new (FALSE, FALSE, sizeof (Element));
    if (!next_array (order, pass->elements, array) || change_together (ctx, array))
      break;
    LsUOp *around = loops_around (ctx, &g_array_index (array, Element, 0));
    for (guint i = 0; i < array->len; i++) {
      Element *e = &g_array_index (array, Element, i);
      e->around = around;
      e->number = number;
      e->index = i;
      e->n = array->len;
    }
    g_array_append_vals (pass->elements, array->data, array->len);
  }
  for (guint i = 0; i < order->len; i++)
    if (array_loaded (order->pdata[i]))
      g_ptr_array_add (pass->loads, order->pdata[i]);
}

void
ls_registers_clear (LsRegisterContext *pass)
{
  g_array_unref (pass->elements);
  g_ptr_array_unref (pass->loads);
}

gboolean
ls_registers_are_arrays (LsContext *ctx, LsUOp *root)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root);
  gboolean found = FALSE;
  for (guint i = 0; i < order->len && !found; i++) {
    const LsUOp *u = order->pdata[i];
    found = u->op == LS_OP_DEFINE_REG && ls_dtype_ptr_size (u->dtype) > 1;
  }
  return found;
}

static gboolean
is_element (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  out->holds = element_of (((LsRegisterContext *) call->pass)->elements, args[0].node) != NULL;
  return TRUE;
}

static gboolean
element (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsContext *ctx = call->ctx;
  const Element *e = element_of (((LsRegisterContext *) call->pass)->elements, args[0].node);
  if (!e)
    return FALSE;
  LsUOp *reg = ls_uop_new0 (ctx, LS_OP_DEFINE_REG, ls_dtype_ptr (e->acc->dtype, LS_SPACE_REG, e->n), ls_arg_ints (ctx, 1, &e->number));
  out->node = ls_uop_new2 (ctx, LS_OP_INDEX, reg->dtype, reg, ls_uop_const_i (ctx, LS_INT32, e->index), ls_arg_none ());
  return TRUE;
}

static gboolean
around (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const Element *e = element_of (((LsRegisterContext *) call->pass)->elements, args[0].node);
  if (!e)
    return FALSE;
  out->nodes = &e->around;
  out->n = e->around != NULL;
  return TRUE;
}

/* The stores that the array's loads before its loops, or those after them, wait for: of each element the first load of the graph is
 * the one before. None: a load of another kind is among them. */
static gboolean
stores_beside (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsRegisterContext *pass = call->pass;
  const LsUOp *load = args[0].node, *array = array_loaded (load);
  guint n = array ? (guint) ls_dtype_ptr_size (array->dtype) : 0, n_found = 0;
  LsUOp **first = ls_term_alloc (call, 2 * (n + 1) * sizeof *first), **second = first + n + 1, **of;
  gboolean is_first = FALSE;
  memset (first, 0, 2 * (n + 1) * sizeof *first);
  for (guint i = 0; i < pass->loads->len && array; i++) {
    LsUOp *u = pass->loads->pdata[i];
    const LsUOp *at = u->src[0]->n_src > 1 ? u->src[0]->src[1] : NULL;
    if (array_loaded (u) != array)
      continue;
    if (!at || at->op != LS_OP_CONST || at->arg.i < 0 || at->arg.i >= (gint64) n || second[at->arg.i])
      return FALSE;
    of = first[at->arg.i] ? second : first;
    of[at->arg.i] = u->src[1];
    is_first |= u == load && of == first;
  }
  of = is_first ? first : second;
  while (n_found < n && of[n_found])
    n_found++;
  out->nodes = of;
  out->n = n_found;
  return n > 0 && n_found == n;
}

static gboolean
is_of_several (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsUOp *array = array_loaded (args[0].node);
  LsTermValue stores = { .kind = LS_TERM_NODES };
  out->holds = array && ls_dtype_ptr_size (array->dtype) > 1 && stores_beside (call, args, &stores);
  return TRUE;
}

static gboolean
described (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsRegisterContext *pass = call->pass;
  LsUOp *sink = args[0].node;
  if (sink->op != LS_OP_SINK || sink->arg.kind != LS_ARG_NONE || !pass->info)
    return FALSE;
  out->node = ls_uop_new (call->ctx, LS_OP_SINK, LS_VOID, sink->n_src, sink->src, ls_arg_str (call->ctx, pass->info));
  return TRUE;
}

/* --- a kernel's description --- */

char *
ls_kernel_info (const char *name, const char *suffix, const GPtrArray *ranges, const char *opts)
{
  GString *s = g_string_new ("KernelInfo(name='");
  g_string_append_printf (s, "%c_", name[0]);
  for (guint i = 0; i < ranges->len; i++)
    g_string_append_printf (s, "%s\\x1b[%um%" G_GINT64_FORMAT "\\x1b[0m", i ? "\\x1b[90m_\\x1b[0m" : "",
                            ls_axis_types[ls_range_type (ranges->pdata[i])].info_color, ls_range_size (ranges->pdata[i]));
  g_string_append_printf (s, "\\x1b[90m%s\\x1b[0m', axis_types=(", suffix);
  for (guint i = 0; i < ranges->len; i++) {
    const LsAxisInfo *type = &ls_axis_types[ls_range_type (ranges->pdata[i])];
    g_string_append_printf (s, "%s<AxisType.%s: %u>%s", i ? ", " : "", type->info_name, type->info_number,
                            ranges->len == 1 ? "," : "");
  }
  g_string_append_printf (s, "), dont_use_locals=False, applied_opts=(%s), opts_to_apply=None)", opts);
  return g_string_free (s, FALSE);
}

/* Axes of an option are counted among those of its kind that are left. All of an axis is 0, but where the three or four values that
 * are upcast for themselves are all. */
void
ls_kernel_info_opt (GString *opts, LsContext *ctx, LsUOp *root, const LsOpt *opt)
{
  g_autoptr (GPtrArray) ranges = ls_ranges_of (ctx, root);
  const LsUOp *range = NULL;
  guint before = 0;
  for (guint i = 0; i < ranges->len; i++)
    if (ls_range_axis (ranges->pdata[i]) == opt->axis && ls_range_part (ranges->pdata[i]) == 0)
      range = ranges->pdata[i];
  for (guint i = 0; i < ranges->len && range; i++) {
    const LsUOp *r = ranges->pdata[i];
    before += ls_range_part (r) == 0 && ls_range_type (r) == ls_range_type (range) && ls_range_axis (r) < ls_range_axis (range);
  }
  gboolean whole = range && ls_range_size (range) == opt->amount && (opt->option == &ls_option_unroll || opt->amount < 3 ||
                                                                     opt->amount > 4);
  g_autofree char *text = g_strdup_printf ("Opt(op=OptOps.%s, axis=%u, arg=%" G_GINT64_FORMAT ")", opt->option->name, before,
                                           whole ? 0 : opt->amount);
  gboolean alone = opts->len == 0, second = opts->len && opts->str[opts->len - 1] == ',';      /* as tuples are written: (a,) and (a, b) */
  g_string_append_printf (opts, "%s%s%s", alone ? "" : second ? " " : ", ", text, alone ? "," : "");
}

#define V(kind) LS_TERM_##kind
const LsTerm ls_registers_terms[] = {
  { "is_unnumbered", "registers", V (BOOL), 1, { V (NODE) }, is_unnumbered,
    "Is this a range of the kernel that is not yet numbered by position?" },
  { "numbered", "registers", V (ARG), 1, { V (NODE) }, numbered, "The position of a range among the kernel's axes, and its type." },
  { "is_element", "registers", V (BOOL), 1, { V (NODE) }, is_element, "Is the accumulator an element of a register array?" },
  { "element", "registers", V (NODE), 1, { V (NODE) }, element, "The pointer to the accumulator in its register array.", TRUE },
  { "around", "registers", V (NODES), 1, { V (NODE) }, around,
    "A NOOP over the loops around the accumulator, or no node if there are none." },
  { "is_of_several", "registers", V (BOOL), 1, { V (NODE) }, is_of_several,
    "Does the load read an array of several registers but wait for one store only?" },
  { "stores_beside", "registers", V (NODES), 1, { V (NODE) }, stores_beside,
    "The stores to all elements of the array, at the point of the store that the load waits for." },
  /* the rule language writes no argument of a SINK */
  { "described", "registers", V (NODE), 1, { V (NODE) }, described, "The kernel with its description: its name, axes and options.", TRUE },
  { NULL },
};
