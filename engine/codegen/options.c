/* Kernel options: their text, why one is refused, and the terms of options.rules. heuristic.c chooses them.
 *
 * UPCAST computes several neighbouring values of an output axis in one turn, UNROLL several turns of a reduce axis, LOCAL makes part of an axis the work items of one group. Each is a split of one
 * range: i becomes i*amount + inner; of THREAD's, which gives each thread a part that lies together, the number of the thread times the part's length, and i in it. A range is an axis, a part of it and
 * a type; the part that options split is number 0, and each one that is split off gets the next number, so that any sequence of splits is right.
 *
 * Loops nest by the numbers of their axes. SWAP gives each of two loops (part 0) the other one's place and lets it keep its axis, by which options go on to call it, and of which the lanes stay lanes in
 * their order. PADTO makes a range longer and gives what depends on it gates; GROUP splits a reduce in two, of which the first is work items' where these have memory together (partials.c). TILE marks
 * loads, of which the pass tile makes loads from a copy (tile.c); since the copy is as large as the loops inside are long, no option comes after it.
 */
#include "codegen.h"

#include "ir/eval.h"
#include "rules/linear.h"

#include <string.h>

#define X(name, inner, does, least, most, number, sentence) { #name, LS_AXIS_##inner, least, most, number, sentence },
const LsOptInfo ls_opt_infos[LS_N_OPTS] = { LS_OPT_TABLE (X) };
#undef X

static void
opt_clear (gpointer data)
{
  g_free (((LsOpt *) data)->reason);
}

GArray *
ls_opts_new (void)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (LsOpt));
  g_array_set_clear_func (out, opt_clear);
  return out;
}

char *
ls_opt_text (const LsOpt *opt)
{
  return g_strdup_printf ("%s:%u:%" G_GINT64_FORMAT, ls_opt_infos[opt->kind].name, opt->axis, opt->amount);
}

/* "UPCAST, UNROLL and LOCAL" */
static char *
option_names (void)
{
  GString *s = g_string_new (NULL);
  for (guint k = 0; k < LS_N_OPTS; k++)
    g_string_append_printf (s, "%s%s", k == 0 ? "" : k + 1 < LS_N_OPTS ? ", " : " and ", ls_opt_infos[k].name);
  return g_string_free (s, FALSE);
}

GArray *
ls_opts_parse (const char *text, GError **error)
{
  g_autoptr (GArray) out = ls_opts_new ();
  g_auto (GStrv) items = g_strsplit (text, ",", -1);
  for (char **item = items; *item; item++) {
    g_auto (GStrv) parts = g_strsplit (*item, ":", -1);
    LsOpt opt = { .kind = LS_N_OPTS };
    guint64 axis, amount;
    if (**item == 0)
      continue;
    for (guint k = 0; k < LS_N_OPTS; k++)
      if (parts[0] && g_ascii_strcasecmp (parts[0], ls_opt_infos[k].name) == 0)
        opt.kind = k;
    if (opt.kind == LS_N_OPTS) {
      g_autofree char *names = option_names ();
      g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "'%s': there is no option '%s'; there are %s", *item, parts[0], names);
      return NULL;
    }
    const LsOptInfo *info = &ls_opt_infos[opt.kind];
    if (g_strv_length (parts) != 3 || !g_ascii_string_to_unsigned (parts[1], 10, 0, LS_MAX_AXES - 1, &axis, NULL) ||
        !g_ascii_string_to_unsigned (parts[2], 10, (guint64) info->least, (guint64) info->most, &amount, NULL)) {
      g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "'%s': an option is written NAME:AXIS:AMOUNT, this one %s:AXIS:%s, with an axis from 0 and %s from %d to %d", *item, info->name, info->number,
                   info->number, (int) info->least, (int) info->most);
      return NULL;
    }
    opt.axis = (guint) axis;
    opt.amount = (gint64) amount;
    g_array_append_val (out, opt);
  }
  return g_steal_pointer (&out);
}

GArray *
ls_opts_to_ask (LsContext *ctx, LsUOp *root, gint64 most, gboolean whole)
{
  GArray *out = ls_opts_new ();
  g_autoptr (GPtrArray) ranges = ls_ranges_of (ctx, root), order = ls_uop_toposort (ctx, root);
  gint64 last_argument = 0;
  for (guint i = 0; i < order->len; i++)
    if (((LsUOp *) order->pdata[i])->op == LS_OP_DEFINE_GLOBAL)
      last_argument = MAX (last_argument, ((LsUOp *) order->pdata[i])->arg.i);
  last_argument = MIN (last_argument, ls_opt_infos[LS_OPT_TILE].most);
  for (guint kind = 0; kind < LS_N_OPTS; kind++)
    for (guint i = 0; i < ranges->len; i++) {
      LsOpt opt = { kind, (guint) ls_range_axis (ranges->pdata[i]), 0, NULL };
      gint64 size = ls_range_size (ranges->pdata[i]);
      for (guint k = i + 1; kind == LS_OPT_SWAP && k < ranges->len; k++) {
        opt.amount = ls_range_axis (ranges->pdata[k]);
        g_array_append_val (out, opt);
      }
      for (opt.amount = 1; kind == LS_OPT_TILE && opt.amount <= last_argument; opt.amount++)
        g_array_append_val (out, opt);
      gboolean counts = kind != LS_OPT_SWAP && kind != LS_OPT_TILE;
      for (opt.amount = 2; counts && opt.amount <= most; opt.amount *= 2)
        g_array_append_val (out, opt);
      opt.amount = size;
      if (whole && counts && size > 1 && size <= ls_opt_infos[kind].most)
        g_array_append_val (out, opt);
    }
  return out;
}

/* --- legality --- */

/* What an option is asked of. */
typedef struct {
  const LsSettings *settings;
  const LsTarget *target;
  const LsOpt    *opt;
  GPtrArray      *ranges;
  LsUOp          *root, *range;       /* of the axis: part 0, while it is a loop */
  gint64          last_part;          /* of the axis */
  gint64          expanded, group, threads;    /* values a turn, work items of a group */
  gboolean        has_groups;         /* is there a GROUP range? */
} Asked;

/* Part 0 of an axis while it is a loop, or NULL. */
static LsUOp *
loop_of (const GPtrArray *ranges, gint64 axis)
{
  for (guint i = 0; i < ranges->len; i++) {
    LsUOp *r = ranges->pdata[i];
    LsAxisType type = ls_range_type (r);
    if (ls_range_axis (r) == axis && ls_range_part (r) == 0 && (type == LS_AXIS_LOOP || type == LS_AXIS_REDUCE || type == LS_AXIS_GLOBAL))
      return r;
  }
  return NULL;
}

static void
look_at (LsContext *ctx, LsUOp *root, Asked *a)
{
  a->ranges = ls_ranges_of (ctx, root);
  a->range = loop_of (a->ranges, a->opt->axis);
  a->expanded = a->group = a->threads = 1;
  a->last_part = 0;
  for (guint i = 0; i < a->ranges->len; i++) {
    LsUOp *r = a->ranges->pdata[i];
    LsAxisType type = ls_range_type (r);
    if (ls_range_axis (r) == a->opt->axis)
      a->last_part = MAX (a->last_part, ls_range_part (r));
    if (type == LS_AXIS_UPCAST || type == LS_AXIS_UNROLL)
      a->expanded *= ls_range_size (r);
    if (type == LS_AXIS_LOCAL || (type == LS_AXIS_GROUP && ls_partials_are_shared (a->target, a->settings)))
      a->group *= ls_range_size (r);
    a->has_groups |= type == LS_AXIS_GROUP;
    if (type == LS_AXIS_THREAD)
      a->threads *= ls_range_size (r);
  }
}

/* Does a variable say how long the axis is? A tile is of all loops inside of its own. */
static gboolean
is_bounded (const Asked *a)
{
  gboolean bounded = a->range->src[0]->op != LS_OP_CONST;
  for (guint i = 0; i < a->ranges->len && a->opt->kind == LS_OPT_TILE; i++)
    bounded |= ((LsUOp *) a->ranges->pdata[i])->src[0]->op != LS_OP_CONST;
  return bounded;
}

static LsArg
range_arg (LsContext *ctx, gint64 axis, gint64 type, gint64 part, gint64 place)
{
  gint64 arg[4] = { axis, type, part, place };
  return ls_arg_ints (ctx, place == axis ? 3 : 4, arg);
}

/* Does the part that an option splits off, whole or not, come after an axis of the reduce that its range came before? */
static gboolean
goes_past (const LsUOp *reduce, const LsOptionContext *pass)
{
  const gint64 *inner = pass->inner.ints;
  gint64 was = ls_range_order (pass->range), is = ls_part_order (pass->inner.n > 3 ? inner[3] : inner[0], inner[2]);
  gboolean past = FALSE;
  for (guint s = 1; s < reduce->n_src; s++)
    past |= reduce->src[s] != pass->range && reduce->src[s]->op == LS_OP_RANGE && ls_range_order (reduce->src[s]) > was && ls_range_order (reduce->src[s]) < is;
  return past;
}

/* What is done to floats along the axis, where the option changes its order. */
void
ls_opt_look_at_reduces (LsContext *ctx, LsUOp *root, LsOptionContext *pass)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root);
  gboolean largest = FALSE;
  pass->adds_floats = FALSE;
  for (guint i = 0; i < order->len; i++) {
    const LsUOp *u = order->pdata[i];
    gboolean along = FALSE;
    for (guint s = 1; u->op == LS_OP_REDUCE && ls_dtype_is_float (u->dtype) && s < u->n_src; s++)
      along |= u->src[s] == pass->range || u->src[s] == pass->other;
    along = along && (pass->other || goes_past (u, pass));
    pass->adds_floats |= along && u->arg.op != LS_OP_MAX;
    largest |= along && u->arg.op == LS_OP_MAX;
  }
  pass->compares_floats = largest && !pass->adds_floats;
}

#define LARGE_GROUP "the group would be larger than the target's work groups may be"
#define MUCH_MEMORY "the partial results would need more memory than a work group has"

static const char *
refuse_split (LsContext *ctx, const Asked *a, LsOptionContext *pass)
{
  const LsOpt *opt = a->opt;
  gboolean reduce = ls_range_type (a->range) == LS_AXIS_REDUCE;
  if (opt->kind == LS_OPT_LOCAL && !a->target->has_local)
    return "the target has no work groups";
  if (reduce != (opt->kind == LS_OPT_UNROLL))
    return reduce ? "the axis is reduced; UNROLL is for it" : "the axis is not reduced; UPCAST is for it";
  if (ls_range_size (a->range) % opt->amount != 0)
    return "the amount does not divide the axis";
  if (opt->kind != LS_OPT_LOCAL && a->expanded * opt->amount > 1024)
    return "more than 1024 values a turn";
  if (opt->kind == LS_OPT_LOCAL && a->group * opt->amount > a->target->max_local)
    return LARGE_GROUP;
  if (opt->kind != LS_OPT_UNROLL && a->has_groups && ls_partials_are_shared (a->target, a->settings) && ls_partials_bytes (ctx, a->target, a->root, NULL, opt->amount) > a->target->local_bytes)
    return MUCH_MEMORY;
  pass->range = a->range;
  pass->inner = range_arg (ctx, opt->axis, ls_opt_infos[opt->kind].inner, a->last_part + 1, opt->axis);
  pass->outer = range_arg (ctx, opt->axis, opt->kind == LS_OPT_LOCAL ? LS_AXIS_GLOBAL : ls_range_type (a->range), 0, ls_range_place (a->range));
  if (reduce)
    ls_opt_look_at_reduces (ctx, a->root, pass);
  return NULL;
}

static const char *
refuse_thread (LsContext *ctx, const Asked *a, LsOptionContext *pass)
{
  const LsOpt *opt = a->opt;
  if (a->target->max_threads == 0)
    return "the target has no threads";
  if (a->settings && a->settings->MODERN)
    return "the profile modern has no threads";
  if (ls_range_type (a->range) == LS_AXIS_REDUCE)
    return "the axis is reduced: threads do not put their results together";
  if (a->threads > 1)
    return "the kernel has its threads already";
  if (ls_range_size (a->range) % opt->amount != 0)
    return "the amount does not divide the axis";
  if (opt->amount > a->target->max_threads)
    return "more threads than a kernel of the target may have";
  pass->range = a->range;
  pass->inner = range_arg (ctx, opt->axis, LS_AXIS_THREAD, a->last_part + 1, opt->axis);
  pass->outer = a->range->arg;
  return NULL;
}

static const char *
refuse_group (LsContext *ctx, const Asked *a, LsOptionContext *pass)
{
  const LsOpt *opt = a->opt;
  if (ls_range_type (a->range) != LS_AXIS_REDUCE)
    return "the axis is not reduced: it has no stages";
  if (ls_range_size (a->range) % opt->amount != 0)
    return "the amount does not divide the axis";
  if (ls_range_size (a->range) == opt->amount)
    return "the amount is the whole axis: nothing would be left for the first stage";
  gboolean shared = ls_partials_are_shared (a->target, a->settings);
  if (shared && a->has_groups)
    return "the work items of a group put partial results together already";
  if (shared && a->group * opt->amount > a->target->max_local)
    return LARGE_GROUP;
  if (shared && ls_partials_bytes (ctx, a->target, a->root, a->range, opt->amount) > a->target->local_bytes)
    return MUCH_MEMORY;
  pass->range = a->range;
  pass->inner = range_arg (ctx, opt->axis, LS_AXIS_GROUP, a->last_part + 1, opt->axis);
  pass->outer = a->range->arg;
  return NULL;
}

static const char *
refuse_pad (LsContext *ctx, const Asked *a, LsOptionContext *pass)
{
  gint64 size = ls_range_size (a->range), multiple = a->opt->amount, rest = size % multiple;
  if (rest == 0)
    return "the axis is such a multiple already";
  if (size > G_MAXINT64 - multiple)
    return "the axis would be longer than can be counted";
  LsUOp *r = a->range;
  pass->range = r;
  pass->amount = size - rest + multiple;
  pass->outer = r->arg;
  pass->padded = ls_uop_new1 (ctx, LS_OP_RANGE, r->dtype, ls_uop_const_i (ctx, r->dtype, pass->amount), r->arg);
  pass->inside = ls_uop_alu2 (ctx, LS_OP_CMPLT, pass->padded, ls_uop_const_i (ctx, r->dtype, size));
  return NULL;
}

#define MOST_TILE (256 * 1024)      /* bytes, on the stack */

/* The bytes of the tile that a load reads in the loop. */
static double
tile_bytes (const LsLinear *sum, const LsUOp *loop, LsDType dtype)
{
  double n = MAX (ls_dtype_itemsize (dtype), 1);
  for (guint i = 0; i < sum->n; i++)
    n *= ls_tile_goes_inside (sum->term[i], loop) ? (double) ls_range_size (sum->term[i]) : 1;
  return n;
}

static const char *
refuse_tile (LsContext *ctx, const Asked *a, LsOptionContext *pass)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, a->root);
  gboolean any = FALSE;
  if (ls_range_type (a->range) == LS_AXIS_REDUCE)
    return "the axis is reduced: a tile is copied in the loop over an output axis";
  if (a->target->has_local)
    return "the target has work items, each of which would have a copy of its own";
  if (a->settings && a->settings->MODERN)
    return "the profile modern has no tiles";
  if (a->settings && !a->settings->DEVECTORIZE && a->target->vector_bytes > 0)
    return "loads of vectors (DEVECTORIZE=0) are of buffers alone";
  for (guint i = 0; i < order->len; i++) {
    const LsUOp *u = order->pdata[i], *index = u->op == LS_OP_LOAD ? u->src[0] : NULL;
    LsLinear sum;
    if (!index || index->op != LS_OP_INDEX || index->src[0]->op != LS_OP_DEFINE_GLOBAL || index->src[0]->arg.i != a->opt->amount)
      continue;
    any = TRUE;
    if (index->n_src > 2)
      return "a load of the argument has a gate";
    if (!ls_tile_sum (index->src[1], &sum))
      return "the argument is not walked through in even steps";
    if (tile_bytes (&sum, a->range, u->dtype) > MOST_TILE)
      return "the tile would be larger than 256 KiB";
  }
  pass->inner = range_arg (ctx, a->opt->axis, 0, 0, a->opt->axis);
  return any ? NULL : "the kernel loads from no such argument";
}

static const char *
refuse_swap (LsContext *ctx, const Asked *a, LsOptionContext *pass)
{
  LsUOp *other = loop_of (a->ranges, a->opt->amount);
  if (a->opt->amount == a->opt->axis)
    return "an axis changes places with another one";
  if (!other)
    return "the kernel has no such other axis, or all of it is expanded already";
  if ((ls_range_type (a->range) == LS_AXIS_REDUCE) != (ls_range_type (other) == LS_AXIS_REDUCE))
    return "one of the axes is reduced and the other is not: a sum's loops are inside of those of its results";
  pass->range = a->range;
  pass->other = other;
  pass->inner = range_arg (ctx, a->opt->axis, ls_range_type (a->range), 0, ls_range_place (other));
  pass->outer = range_arg (ctx, a->opt->amount, ls_range_type (other), 0, ls_range_place (a->range));
  ls_opt_look_at_reduces (ctx, a->root, pass);
  return NULL;
}

/* What a tile holds was worked out for the loops as they are. */
static gboolean
has_tile (LsContext *ctx, LsUOp *root, gint64 argument)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root);
  gboolean found = FALSE;
  for (guint i = 0; i < order->len && !found; i++) {
    const LsUOp *u = order->pdata[i];
    found = ls_tile_is_marked (u) && (argument < 0 || u->src[0]->src[0]->arg.i == argument);
  }
  return found;
}

const char *
ls_opt_refusal (LsContext *ctx, const LsSettings *settings, const LsTarget *target, const LsOpt *opt, LsUOp *root, LsOptionContext *pass)
{
  static const char *(*const refuse[]) (LsContext *ctx, const Asked *a, LsOptionContext *pass) = {
#define X(name, inner, does, ...) refuse_##does,
    LS_OPT_TABLE (X)
#undef X
  };
  Asked a = { .settings = settings, .target = target, .opt = opt, .root = root };
  *pass = (LsOptionContext) { .kind = opt->kind, .axis = opt->axis, .amount = opt->amount };
  look_at (ctx, root, &a);
  const char *why = !a.range ? "the kernel has no such axis, or all of it is expanded already" :
                    is_bounded (&a) ? "a variable says how long the axis is: no amount divides it whatever it is" :
                    has_tile (ctx, root, opt->kind == LS_OPT_TILE ? opt->amount : -1) ? (opt->kind == LS_OPT_TILE ? "the argument has its tile already" : "a tile was made of the loops as they are: TILE comes last") :
                    refuse[opt->kind] (ctx, &a, pass);
  g_ptr_array_unref (a.ranges);
  return why;
}

/* --- terms --- */

static gboolean
splits (const LsOptionContext *pass)
{
  return pass->kind != LS_OPT_SWAP && pass->kind != LS_OPT_PADTO && pass->kind != LS_OPT_TILE;
}

static gboolean
is_split (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsOptionContext *pass = call->pass;
  out->holds = splits (pass) && pass->kind != LS_OPT_THREAD && args[0].node == pass->range && ls_range_size (pass->range) != pass->amount;
  return TRUE;
}

static gboolean
is_shared_out (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsOptionContext *pass = call->pass;
  out->holds = pass->kind == LS_OPT_THREAD && args[0].node == pass->range && ls_range_size (pass->range) != pass->amount;
  return TRUE;
}

static gboolean
is_taken_whole (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsOptionContext *pass = call->pass;
  out->holds = splits (pass) && args[0].node == pass->range && ls_range_size (pass->range) == pass->amount;
  return TRUE;
}

static gboolean
amount (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  out->num = ((const LsOptionContext *) call->pass)->amount;
  return TRUE;
}

static gboolean
inner (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  out->arg = &((const LsOptionContext *) call->pass)->inner;
  return TRUE;
}

static gboolean
outer (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  out->arg = &((const LsOptionContext *) call->pass)->outer;
  return TRUE;
}

static gboolean
is_moved (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsOptionContext *pass = call->pass;
  out->holds = pass->kind == LS_OPT_SWAP && (args[0].node == pass->range || args[0].node == pass->other);
  return TRUE;
}

static gboolean
moved (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsOptionContext *pass = call->pass;
  out->arg = args[0].node == pass->range ? &pass->inner : &pass->outer;
  return TRUE;
}

static gboolean
adds_floats (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  out->holds = ((const LsOptionContext *) call->pass)->adds_floats;
  return TRUE;
}

static gboolean
compares_floats (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  out->holds = ((const LsOptionContext *) call->pass)->compares_floats;
  return TRUE;
}

static gboolean
is_grouped (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  out->holds = ((const LsOptionContext *) call->pass)->kind == LS_OPT_GROUP;
  return TRUE;
}

static gboolean
is_tiled (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsOptionContext *pass = call->pass;
  const LsUOp *buffer = args[0].node;
  out->holds = pass->kind == LS_OPT_TILE && buffer->op == LS_OP_DEFINE_GLOBAL && buffer->arg.i == pass->amount;
  return TRUE;
}

static gboolean
mark (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsUOp *load = args[0].node;
  if (load->op != LS_OP_LOAD)
    return FALSE;
  out->node = ls_uop_new (call->ctx, LS_OP_LOAD, load->dtype, load->n_src, load->src, ls_arg_int (((const LsOptionContext *) call->pass)->axis));
  return TRUE;
}

static gboolean
is_padded (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsOptionContext *pass = call->pass;
  out->holds = pass->kind == LS_OPT_PADTO && args[0].node == pass->range;
  return TRUE;
}

static gboolean
goes_on (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsOptionContext *pass = call->pass;
  out->holds = pass->kind == LS_OPT_PADTO && ls_uop_depends (call->ctx, args[0].node, pass->padded);
  return TRUE;
}

static gboolean
is_over_padded (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsOptionContext *pass = call->pass;
  for (guint i = 0; i < args[0].n; i++)
    out->holds |= pass->kind == LS_OPT_PADTO && args[0].nodes[i] == pass->padded;
  return TRUE;
}

static gboolean
inside (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  return (out->node = ((const LsOptionContext *) call->pass)->inside) != NULL;
}

static gboolean
neutral (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsUOp *like = args[1].node;
  if (!ls_op_is_alu (args[0].op))
    return FALSE;
  LsScalar identity = ls_eval_identity (args[0].op, ls_dtype_scalar (like->dtype));
  out->node = ls_dtype_is_float (like->dtype) ? ls_uop_const_f (call->ctx, like->dtype, identity.f) : ls_uop_const_i (call->ctx, like->dtype, identity.i);
  return TRUE;
}

#define V(kind) LS_TERM_##kind
const LsTerm ls_options_terms[] = {
  { "is_split", "options", V (BOOL), 1, { V (NODE) }, is_split, "Is it the range that the option splits?" },
  { "is_shared_out", "options", V (BOOL), 1, { V (NODE) }, is_shared_out, "Is it the range of which the option gives each thread its part?" },
  { "is_taken_whole", "options", V (BOOL), 1, { V (NODE) }, is_taken_whole, "Is it the range of which the option takes the whole?" },
  { "amount", "options", V (NUM), 0, { 0 }, amount, "The option's amount." },
  { "inner", "options", V (ARG), 0, { 0 }, inner, "Axis, type and part of what is split off." },
  { "outer", "options", V (ARG), 0, { 0 }, outer, "Axis, type and part of what stays." },
  { "is_grouped", "options", V (BOOL), 0, { 0 }, is_grouped, "Does the option make two stages of a reduce?" },
  { "is_tiled", "options", V (BOOL), 1, { V (NODE) }, is_tiled, "Is it the buffer that the option makes a tile of?" },
  /* a load has no argument that rules could write */
  { "mark", "options", V (NODE), 1, { V (NODE) }, mark, "The load with the option's axis as its argument.", TRUE },
  { "is_padded", "options", V (BOOL), 1, { V (NODE) }, is_padded, "Is it the range that the option makes longer?" },
  { "goes_on", "options", V (BOOL), 1, { V (NODE) }, goes_on, "Does the node go on where the option's axis was made longer?" },
  { "is_over_padded", "options", V (BOOL), 1, { V (NODES) }, is_over_padded, "Is the range that was made longer one of these?" },
  { "inside", "options", V (NODE), 0, { 0 }, inside, "Is the longer range inside of the axis?", TRUE },
  { "neutral", NULL, V (NODE), 2, { V (OP), V (NODE) }, neutral, "What does not change a reduce with this op, in the node's dtype.", TRUE },
  { "is_moved", "options", V (BOOL), 1, { V (NODE) }, is_moved, "Is it one of the two loops that the option lets change places?" },
  { "moved", "options", V (ARG), 1, { V (NODE) }, moved, "Axis, type, part and place of the loop in the other one's place." },
  { "adds_floats", "options", V (BOOL), 0, { 0 }, adds_floats, "Are floats added up or multiplied along the option's axis, in another order then?" },
  { "compares_floats", "options", V (BOOL), 0, { 0 }, compares_floats, "Is the largest of floats looked for along the option's axis, in another order then, and nothing else done to floats?" },
  { NULL },
};
