/* TILE marks loads, which the pass tile makes loads from a copy (codegen/tile.c). Since the copy is as large as the loops inside are
 * long, no option comes after it. */
#include "option.h"

#define MOST_BYTES (256 * 1024)      /* on the stack */
#define MOST_ARGUMENT 127

/* The bytes of the tile that a load reads in the loop. */
static double
tile_bytes (const LsLinear *sum, const LsUOp *loop, LsDType dtype)
{
  double n = MAX (ls_dtype_itemsize (dtype), 1);
  for (guint i = 0; i < sum->n; i++)
    n *= ls_tile_goes_inside (sum->term[i], loop) ? (double) ls_range_size (sum->term[i]) : 1;
  return n;
}

/* A tile is of all loops inside of its own. */
static gboolean
has_variable_loop (const LsOptionQuery *q)
{
  gboolean found = FALSE;
  for (guint i = 0; i < q->ranges->len; i++)
    found |= ((LsUOp *) q->ranges->pdata[i])->src[0]->op != LS_OP_CONST;
  return found;
}

static const char *
refuse (LsContext *ctx, const LsOptionQuery *q, LsOptionContext *pass)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, q->root);
  gboolean any = FALSE;
  if (has_variable_loop (q))
    return LS_OPTION_VARIABLE_AXIS;
  if (ls_tile_is_there (ctx, q->root, q->opt->amount))
    return "the argument already has a tile";
  if (ls_range_type (q->range) == LS_AXIS_REDUCE)
    return "the axis is a reduce axis: a tile is copied in the loop over an output axis";
  if (q->target->has_local)
    return "the target has work items, and each one would make its own copy";
  if (q->settings && q->settings->MODERN)
    return "the profile modern has no tiles";
  if (q->settings && !q->settings->DEVECTORIZE && q->target->vector_bytes > 0)
    return "vector loads (DEVECTORIZE=0) can only read buffers";
  for (guint i = 0; i < order->len; i++) {
    const LsUOp *u = order->pdata[i], *index = u->op == LS_OP_LOAD ? u->src[0] : NULL;
    LsLinear sum;
    if (!index || index->op != LS_OP_INDEX || index->src[0]->op != LS_OP_DEFINE_GLOBAL || index->src[0]->arg.i != q->opt->amount)
      continue;
    any = TRUE;
    if (index->n_src > 2)
      return "a load of the argument has a gate";
    if (!ls_tile_sum (index->src[1], &sum))
      return "the argument is not accessed with constant strides";
    if (tile_bytes (&sum, q->range, u->dtype) > MOST_BYTES)
      return "the tile would be larger than 256 KiB";
  }
  pass->inner = ls_option_range (ctx, q->opt->axis, LS_AXIS_LOOP, 0, q->opt->axis);
  pass->copied = TRUE;
  return any ? NULL : "the kernel loads from no such argument";
}

static void
ask (const GPtrArray *ranges, guint at, guint last_argument, LsOpt opt, GArray *out)
{
  for (opt.amount = 1; opt.amount <= MIN (last_argument, MOST_ARGUMENT); opt.amount++)
    g_array_append_val (out, opt);
}

static void
estimate (LsEstimate *e, guint axis, const LsOpt *opt)
{
  e->tiled |= G_GUINT64_CONSTANT (1) << MIN (opt->amount, 63);
}

const LsOption ls_option_tile = {
  .name = "TILE", .sentence = "Copies the elements of an argument that the loops inside an axis' loop read into an array, once per "
                              "iteration of that loop.", .number = "ARGUMENT",
  .least = 1, .most = MOST_ARGUMENT, .inner = LS_AXIS_LOOP, .traits = LS_OPTION_COPIES | LS_OPTION_KEEPS_SIZE, .refuse = refuse, .ask = ask,
  .estimate = estimate,
};
