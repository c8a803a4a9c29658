/* Terms of registers.rules: a kernel as profile=modern writes it down.
 *
 * Accumulators whose loops and dtype are the same are elements of one array of registers: DEFINE_REG[(number,)]. Each is stored to before the loops, after a NOOP
 * that names the loops it stands in; it is loaded in each turn, after that and with the loops; the next value is stored, which ends the loops; and what comes after
 * loads it once more. Several elements' stores are waited for together, by a NOOP over them. Loops are numbered by their place among the kernel's axes, and the SINK
 * says what the kernel is called, what its axes are and which options it was given.
 */
#include "codegen.h"

#include "rules/rules.h"
#include "ir/print.h"

#include <string.h>

/* An accumulator and the PHI that assigns it. */
typedef struct { LsUOp *acc, *phi; } Element;

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

/* The next array's elements, by number: the first accumulator of the graph and those of its loops. FALSE: there are none, or one is more than an accumulator of its own. */
static gboolean
next_array (LsContext *ctx, LsUOp *sink, GArray *out)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, sink);
  LsUOp *first = NULL;
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i];
    if (u->op == LS_OP_DEFINE_ACC && !first)
      first = u;
    Element e = { u, NULL };
    if (u->op == LS_OP_DEFINE_ACC && same_loops (u, first))
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
    for (guint k = 2; u->op == LS_OP_STORE && k < u->n_src; k++)
      g_hash_table_add (ended, u->src[k]);
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

/* What waits for all of the stores. */
static LsUOp *
after_all (LsContext *ctx, guint n, LsUOp *const *stores)
{
  return n == 1 ? stores[0] : ls_uop_new (ctx, LS_OP_NOOP, LS_VOID, n, stores, ls_arg_none ());
}

static LsUOp *
load_register (LsContext *ctx, LsUOp *pointer, LsUOp *after, guint n, LsUOp *const *loops)
{
  LsUOp *src[LS_MAX_AXES + 2] = { pointer, after };
  for (guint i = 0; i < n; i++)
    src[2 + i] = loops[i];
  return ls_uop_new (ctx, LS_OP_LOAD, ls_dtype_deref (pointer->dtype), n + 2, src, ls_arg_none ());
}

static LsUOp *
with_registers (LsContext *ctx, LsUOp *sink, const GArray *elements, gint64 number)
{
  guint n = elements->len;
  const Element *first = &g_array_index (elements, Element, 0);
  LsUOp *reg = ls_uop_new0 (ctx, LS_OP_DEFINE_REG, ls_dtype_ptr (first->acc->dtype, LS_SPACE_REG, n), ls_arg_ints (ctx, 1, &number));
  LsUOp *around = loops_around (ctx, first), *const *loops = first->acc->src + 1;
  guint n_loops = first->acc->n_src - 1;
  g_autofree LsUOp **pointers = g_new (LsUOp *, n), **stores = g_new (LsUOp *, n), **from = g_new (LsUOp *, n), **to = g_new (LsUOp *, n);
  for (guint i = 0; i < n; i++) {
    const Element *e = &g_array_index (elements, Element, i);
    LsUOp *src[3] = { NULL, e->acc->src[0], around };
    src[0] = pointers[i] = ls_uop_new2 (ctx, LS_OP_INDEX, reg->dtype, reg, ls_uop_const_i (ctx, LS_INT32, i), ls_arg_none ());
    stores[i] = ls_uop_new (ctx, LS_OP_STORE, LS_VOID, around ? 3 : 2, src, ls_arg_none ());
  }
  for (guint i = 0; i < n; i++) {
    from[i] = g_array_index (elements, Element, i).acc;
    to[i] = load_register (ctx, pointers[i], after_all (ctx, n, stores), n_loops, loops);
  }
  g_autofree LsUOp **values = g_new (LsUOp *, n);
  for (guint i = 0; i < n; i++)
    values[i] = g_array_index (elements, Element, i).phi->src[1];
  const LsUOp *next = ls_uop_substitute (ctx, ls_uop_new (ctx, LS_OP_NOOP, LS_VOID, n, values, ls_arg_none ()), n, from, to);
  for (guint i = 0; i < n; i++) {
    LsUOp *phi = from[i] = g_array_index (elements, Element, i).phi, *src[LS_MAX_AXES + 2] = { pointers[i], next->src[i] };
    memcpy (src + 2, phi->src + 2, (phi->n_src - 2) * sizeof *src);
    stores[i] = ls_uop_new (ctx, LS_OP_STORE, LS_VOID, phi->n_src, src, ls_arg_none ());
  }
  for (guint i = 0; i < n; i++)
    to[i] = load_register (ctx, pointers[i], after_all (ctx, n, stores), 0, NULL);
  return ls_uop_substitute (ctx, sink, n, from, to);
}

static gboolean
to_registers (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsRegisterContext *pass = call->pass;
  LsUOp *sink = args[0].node;
  if (sink->op != LS_OP_SINK || sink->arg.kind != LS_ARG_NONE || !pass->info)
    return FALSE;
  for (gint64 number = 0;; number++) {
    g_autoptr (GArray) elements = g_array_new (FALSE, FALSE, sizeof (Element));
    if (!next_array (call->ctx, sink, elements) || change_together (call->ctx, elements))
      break;
    sink = with_registers (call->ctx, sink, elements, number);
  }
  out->node = ls_uop_new (call->ctx, LS_OP_SINK, LS_VOID, sink->n_src, sink->src, ls_arg_str (call->ctx, pass->info));
  return TRUE;
}

/* --- what a kernel says of itself --- */

/* As the numbers of axis types and the colours of a name were then. */
static const struct { const char *name; guint number, color; } axis_types[LS_N_AXIS] = {
  [LS_AXIS_GLOBAL] = { "GLOBAL", 1, 34 }, [LS_AXIS_LOCAL] = { "LOCAL", 2, 36 },   [LS_AXIS_LOOP] = { "LOOP", 3, 97 },
  [LS_AXIS_REDUCE] = { "REDUCE", 5, 31 }, [LS_AXIS_UPCAST] = { "UPCAST", 6, 33 }, [LS_AXIS_UNROLL] = { "UNROLL", 7, 35 },
  [LS_AXIS_GROUP] = { "GROUP_REDUCE", 4, 32 },
};

char *
ls_kernel_info (const char *name, const char *suffix, const GPtrArray *ranges, const char *opts)
{
  GString *s = g_string_new ("KernelInfo(name='");
  g_string_append_printf (s, "%c_", name[0]);
  for (guint i = 0; i < ranges->len; i++)
    g_string_append_printf (s, "%s\\x1b[%um%" G_GINT64_FORMAT "\\x1b[0m", i ? "\\x1b[90m_\\x1b[0m" : "", axis_types[ls_range_type (ranges->pdata[i])].color, ls_range_size (ranges->pdata[i]));
  g_string_append_printf (s, "\\x1b[90m%s\\x1b[0m', axis_types=(", suffix);
  for (guint i = 0; i < ranges->len; i++) {
    LsAxisType type = ls_range_type (ranges->pdata[i]);
    g_string_append_printf (s, "%s<AxisType.%s: %u>%s", i ? ", " : "", axis_types[type].name, axis_types[type].number, ranges->len == 1 ? "," : "");
  }
  g_string_append_printf (s, "), dont_use_locals=False, applied_opts=(%s), opts_to_apply=None)", opts);
  return g_string_free (s, FALSE);
}

/* Axes of an option are counted among those of its kind that are left. All of an axis is 0, but where the three or four values that are upcast for themselves are all. */
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
  gboolean whole = range && ls_range_size (range) == opt->amount && (opt->kind == LS_OPT_UNROLL || opt->amount < 3 || opt->amount > 4);
  g_autofree char *text = g_strdup_printf ("Opt(op=OptOps.%s, axis=%u, arg=%" G_GINT64_FORMAT ")", ls_opt_infos[opt->kind].name, before, whole ? 0 : opt->amount);
  gboolean alone = opts->len == 0, second = opts->len && opts->str[opts->len - 1] == ',';      /* as tuples are written: (a,) and (a, b) */
  g_string_append_printf (opts, "%s%s%s", alone ? "" : second ? " " : ", ", text, alone ? "," : "");
}

#define V(kind) LS_TERM_##kind
const LsTerm ls_registers_terms[] = {
  { "is_unnumbered", "registers", V (BOOL), 1, { V (NODE) }, is_unnumbered, "Is the range named by axis and part, and one of the kernel's?" },
  { "numbered", "registers", V (ARG), 1, { V (NODE) }, numbered, "The place of a range among the kernel's axes, and its type." },
  /* an array's size, and what is waited for, hangs on all of its accumulators */
  { "to_registers", "registers", V (NODE), 1, { V (NODE) }, to_registers, "The kernel with accumulators that are elements of arrays of registers, and with what it says of itself.", TRUE },
  { NULL },
};
