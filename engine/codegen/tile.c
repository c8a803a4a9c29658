/* The terms of tile.rules: loads that option TILE marked read an array of their own, which loops fill before those that use it.
 *
 * A mark is the load's argument, the axis: until this pass it is a load like any other, whose lanes are cut like others'. Here its index
 * is a sum of ranges and a number. The ranges of loops outside the axis' loop, and that one, stay; the others, and the numbers that
 * differ between loads of one sum (the lanes), are the tile's axes: lanes run fastest, so that the loads of one iteration are
 * contiguous. The copy goes through ranges of its own, which nest directly in the axis' loop. AFTER(stores…, ranges…) ends them, and
 * loads from the array have it as a source.
 */
#include "codegen.h"

#include "rules/linear.h"

#include <stdlib.h>
#include <string.h>

#define MAX_TILES 16
#define LAST_PLACE (LS_MAX_AXES - 1)

struct _LsTile {
  LsUOp    *buffer;
  gint64    axis;
  LsLinear  sum;                    /* of the index, without its number */
  GArray   *numbers;                /* gint64, ascending */
  gboolean  inner[LS_MAX_TERMS];    /* is the term one of the tile's axes? */
  LsUOp    *local, *after;          /* the array and the end of its copy */
};

static void
tile_clear (gpointer data)
{
  g_array_unref (((LsTile *) data)->numbers);
}

void
ls_tiles_clear (LsTileContext *pass)
{
  g_clear_pointer (&pass->tiles, g_array_unref);
}

/* Is the node a sum of ranges times numbers (one range may be the threads'), and a number? */
gboolean
ls_tile_sum (LsUOp *index, LsLinear *sum)
{
  gboolean ok = ls_linear_from (index, sum);
  for (guint i = 0; ok && i < sum->n; i++)
    ok = sum->term[i]->op == LS_OP_RANGE || ls_is_thread_index (sum->term[i]);
  return ok;
}

gboolean
ls_tile_is_marked (const LsUOp *u)
{
  return u->op == LS_OP_LOAD && u->arg.kind == LS_ARG_INT;
}

gboolean
ls_tile_is_there (LsContext *ctx, LsUOp *root, gint64 argument)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root);
  gboolean found = FALSE;
  for (guint i = 0; i < order->len && !found; i++) {
    const LsUOp *u = order->pdata[i];
    found = ls_tile_is_marked (u) && (argument < 0 || u->src[0]->src[0]->arg.i == argument);
  }
  return found;
}

gboolean
ls_tile_goes_inside (const LsUOp *range, const LsUOp *loop)
{
  LsAxisType type = range->op == LS_OP_RANGE ? ls_range_type (range) : LS_AXIS_THREAD;
  return type != LS_AXIS_THREAD && (type == LS_AXIS_REDUCE || type == LS_AXIS_GROUP || type == LS_AXIS_UPCAST || type == LS_AXIS_UNROLL ||
                                    ls_range_order (range) > ls_range_order (loop));
}

static gboolean
same_sum (const LsLinear *a, const LsLinear *b)
{
  if (a->n != b->n)
    return FALSE;
  for (guint i = 0; i < a->n; i++) {
    guint k = 0;
    while (k < b->n && (b->term[k] != a->term[i] || b->coef[k] != a->coef[i]))
      k++;
    if (k == b->n)
      return FALSE;
  }
  return TRUE;
}

static LsTile *
tile_of (const LsTileContext *pass, const LsUOp *u, LsLinear *sum)
{
  const LsUOp *index = u->src[0];
  if (index->op != LS_OP_INDEX || index->n_src != 2 || !ls_tile_sum (index->src[1], sum))
    return NULL;
  for (guint i = 0; i < pass->tiles->len; i++) {
    LsTile *t = &g_array_index (pass->tiles, LsTile, i);
    if (t->buffer == index->src[0] && t->axis == u->arg.i && same_sum (&t->sum, sum))
      return t;
  }
  return NULL;
}

static int
by_number (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;
  return x < y ? -1 : x > y;
}

static void
add_number (LsTile *t, gint64 number)
{
  for (guint i = 0; i < t->numbers->len; i++)
    if (g_array_index (t->numbers, gint64, i) == number)
      return;
  g_array_append_val (t->numbers, number);
  g_array_sort (t->numbers, by_number);
}

static LsUOp *
times (LsContext *ctx, LsUOp *x, gint64 n)
{
  return n == 1 ? x : ls_uop_alu2 (ctx, LS_OP_MUL, x, ls_uop_const_i (ctx, LS_INDEX, n));
}

static LsUOp *
plus (LsContext *ctx, LsUOp *a, LsUOp *b)
{
  return a ? ls_uop_alu2 (ctx, LS_OP_ADD, a, b) : b;
}

/* The position in the tile of the element with this number, where ranges[i] replaces the i-th term. */
static LsUOp *
place_in (LsContext *ctx, const LsTile *t, LsUOp *const *ranges, guint number)
{
  gint64 step = t->numbers->len;
  LsUOp *out = NULL;
  for (guint i = 0; i < t->sum.n; i++)
    if (t->inner[i]) {
      out = plus (ctx, out, times (ctx, ranges[i], step));
      step *= ls_range_size (ranges[i]);
    }
  LsUOp *last = ls_uop_const_i (ctx, LS_INDEX, number);
  return number == 0 && out ? out : plus (ctx, out, last);
}

/* The array, the loops that fill it, and their end. */
static void
make_copy (LsContext *ctx, LsTile *t, gint64 number, gint64 *next_part)
{
  LsUOp *ranges[LS_MAX_TERMS], *from = NULL;
  LsDType dtype = ls_dtype_deref (t->buffer->dtype);
  gint64 size = t->numbers->len;
  g_autoptr (GPtrArray) src = g_ptr_array_new (), own = g_ptr_array_new ();
  for (guint i = 0; i < t->sum.n; i++) {
    LsUOp *r = ranges[i] = t->sum.term[i];
    if (t->inner[i]) {
      gint64 arg[4] = { ls_range_axis (r), LS_AXIS_LOOP, (*next_part)--, LAST_PLACE };
      ranges[i] = ls_uop_new1 (ctx, LS_OP_RANGE, r->dtype, r->src[0], ls_arg_ints (ctx, 4, arg));
      size *= ls_range_size (r);
      g_ptr_array_add (own, ranges[i]);
    }
    from = plus (ctx, from, times (ctx, ranges[i], t->sum.coef[i]));
  }
  LsDType pointer = ls_dtype_ptr (dtype, LS_SPACE_LOCAL, (guint64) size);
  t->local = ls_uop_new0 (ctx, LS_OP_DEFINE_LOCAL, pointer, ls_arg_int (number));
  for (guint k = 0; k < t->numbers->len; k++) {
    LsUOp *constant = ls_uop_const_i (ctx, LS_INDEX, g_array_index (t->numbers, gint64, k));
    LsUOp *index = constant->arg.i == 0 && from ? from : plus (ctx, from, constant);
    LsUOp *value = ls_uop_new1 (ctx, LS_OP_LOAD, dtype, ls_uop_new2 (ctx, LS_OP_INDEX, t->buffer->dtype, t->buffer, index, ls_arg_none ()),
                                ls_arg_none ());
    LsUOp *to = ls_uop_new2 (ctx, LS_OP_INDEX, pointer, t->local, place_in (ctx, t, ranges, k), ls_arg_none ());
    g_ptr_array_add (src, ls_uop_new2 (ctx, LS_OP_STORE, LS_VOID, to, value, ls_arg_none ()));
  }
  g_ptr_array_extend (src, own, NULL, NULL);
  t->after = ls_uop_new (ctx, LS_OP_AFTER, LS_VOID, src->len, (LsUOp *const *) src->pdata, ls_arg_none ());
}

void
ls_tiles_prepare (LsContext *ctx, LsUOp *root, LsTileContext *pass)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root);
  gint64 part = LS_PART_TILE;
  pass->tiles = g_array_new (FALSE, TRUE, sizeof (LsTile));
  g_array_set_clear_func (pass->tiles, tile_clear);
  for (guint i = 0; i < order->len; i++) {
    const LsUOp *u = order->pdata[i];
    LsLinear sum;
    if (!ls_tile_is_marked (u))
      continue;
    LsTile *t = tile_of (pass, u, &sum);
    const LsUOp *index = u->src[0];
    if (!t && pass->tiles->len < MAX_TILES && index->op == LS_OP_INDEX && index->n_src == 2 && ls_tile_sum (index->src[1], &sum)) {
      LsTile new = { .buffer = index->src[0], .axis = u->arg.i, .sum = sum, .numbers = g_array_new (FALSE, FALSE, sizeof (gint64)) };
      g_array_append_val (pass->tiles, new);
      t = &g_array_index (pass->tiles, LsTile, pass->tiles->len - 1);
    }
    if (t)
      add_number (t, sum.constant);
  }
  for (guint i = 0; i < pass->tiles->len; i++) {
    LsTile *t = &g_array_index (pass->tiles, LsTile, i);
    const LsUOp *loop = NULL;
    for (guint k = 0; k < order->len && !loop; k++) {
      const LsUOp *r = order->pdata[k];
      if (r->op == LS_OP_RANGE && ls_range_axis (r) == t->axis && ls_range_part (r) == 0)
        loop = r;
    }
    for (guint k = 0; k < t->sum.n; k++)
      t->inner[k] = !loop || ls_tile_goes_inside (t->sum.term[k], loop);
    make_copy (ctx, t, i, &part);
  }
}

static gboolean
tile_load (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsTileContext *pass = call->pass;
  LsUOp *u = args[0].node;
  LsLinear sum;
  const LsTile *t = ls_tile_is_marked (u) ? tile_of (pass, u, &sum) : NULL;
  guint number = 0;
  if (!t)
    return FALSE;
  LsUOp *ranges[LS_MAX_TERMS];
  for (guint i = 0; i < t->sum.n; i++)
    ranges[i] = t->sum.term[i];
  while (number < t->numbers->len && g_array_index (t->numbers, gint64, number) != sum.constant)
    number++;
  if (number == t->numbers->len)
    return FALSE;
  LsUOp *index = ls_uop_new2 (call->ctx, LS_OP_INDEX, t->local->dtype, t->local, place_in (call->ctx, t, ranges, number), ls_arg_none ());
  out->node = ls_uop_new2 (call->ctx, LS_OP_LOAD, u->dtype, index, t->after, ls_arg_none ());
  return TRUE;
}

#define V(kind) LS_TERM_##kind
const LsTerm ls_tile_terms[] = {
  /* the tile's axes are known from all loads of it together */
  { "tile_load", "tile", V (NODE), 1, { V (NODE) }, tile_load, "The load from the tile's array, after the loops that fill it.", TRUE },
  { NULL },
};
