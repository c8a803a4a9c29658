/* Kernel options: their text, refusals, and the terms of options.rules. heuristic.c chooses them; the knowledge about each is in its
 * file in options/.
 *
 * Most split one range: i becomes i*amount + inner. A range is an axis, a part of it and a type; the part that options split is
 * number 0, and each one that is split off gets the next number, so that any sequence of splits is right. Loops nest by the numbers
 * of their axes.
 */
#include "options/option.h"

#include "ir/eval.h"

#include <string.h>

const LsOption *const ls_options[] = {
#define X(name) &ls_option_##name,
#include LS_OPTIONS_DEF
#undef X
  NULL
};

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
  return g_strdup_printf ("%s:%u:%" G_GINT64_FORMAT, opt->option->name, opt->axis, opt->amount);
}

/* "UPCAST, UNROLL and LOCAL" */
static char *
option_names (void)
{
  GString *s = g_string_new (NULL);
  for (guint k = 0; ls_options[k]; k++)
    g_string_append_printf (s, "%s%s", k == 0 ? "" : ls_options[k + 1] ? ", " : " and ", ls_options[k]->name);
  return g_string_free (s, FALSE);
}

GArray *
ls_opts_parse (const char *text, GError **error)
{
  g_autoptr (GArray) out = ls_opts_new ();
  g_auto (GStrv) items = g_strsplit (text, ",", -1);
  for (char **item = items; *item; item++) {
    g_auto (GStrv) parts = g_strsplit (*item, ":", -1);
    LsOpt opt = { 0 };
    guint64 axis, amount;
    if (**item == 0)
      continue;
    for (guint k = 0; ls_options[k] && parts[0]; k++)
      if (g_ascii_strcasecmp (parts[0], ls_options[k]->name) == 0)
        opt.option = ls_options[k];
    if (!opt.option) {
      g_autofree char *names = option_names ();
      g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "'%s': there is no option '%s'; the options are %s", *item, parts[0], names);
      return NULL;
    }
    const LsOption *info = opt.option;
    if (g_strv_length (parts) != 3 || !g_ascii_string_to_unsigned (parts[1], 10, 0, LS_MAX_AXES - 1, &axis, NULL) ||
        !g_ascii_string_to_unsigned (parts[2], 10, (guint64) info->least, (guint64) info->most, &amount, NULL)) {
      g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "'%s': an option is NAME:AXIS:AMOUNT, this one %s:AXIS:%s, with an axis from 0 and "
                                                    "%s from %d to %d", *item, info->name, info->number,
                   info->number, (int) info->least, (int) info->most);
      return NULL;
    }
    opt.axis = (guint) axis;
    opt.amount = (gint64) amount;
    g_array_append_val (out, opt);
  }
  return g_steal_pointer (&out);
}

gboolean
ls_opts_have (const char *text, LsOptionTraits trait)
{
  g_autoptr (GArray) opts = text ? ls_opts_parse (text, NULL) : NULL;
  for (guint i = 0; opts && i < opts->len; i++)
    if (g_array_index (opts, LsOpt, i).option->traits & trait)
      return TRUE;
  return FALSE;
}

/* The number of the kernel's last argument. */
static guint
last_argument (LsContext *ctx, LsUOp *root)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root);
  gint64 last = 0;
  for (guint i = 0; i < order->len; i++)
    if (((LsUOp *) order->pdata[i])->op == LS_OP_DEFINE_GLOBAL)
      last = MAX (last, ((LsUOp *) order->pdata[i])->arg.i);
  return (guint) last;
}

static void
ask_amounts (const LsUOp *range, gint64 most, gboolean whole, LsOpt opt, GArray *out)
{
  gint64 size = ls_range_size (range);
  for (opt.amount = 2; opt.amount <= most; opt.amount *= 2)
    g_array_append_val (out, opt);
  opt.amount = size;
  if (whole && size > 1 && size <= opt.option->most)
    g_array_append_val (out, opt);
}

GArray *
ls_opts_to_ask (LsContext *ctx, LsUOp *root, gint64 most, gboolean whole)
{
  GArray *out = ls_opts_new ();
  g_autoptr (GPtrArray) ranges = ls_ranges_of (ctx, root);
  guint argument = last_argument (ctx, root);
  for (guint k = 0; ls_options[k]; k++)
    for (guint i = 0; i < ranges->len; i++) {
      LsOpt opt = { ls_options[k], (guint) ls_range_axis (ranges->pdata[i]), 0, NULL };
      if (opt.option->ask)
        opt.option->ask (ranges, i, argument, opt, out);
      else
        ask_amounts (ranges->pdata[i], most, whole, opt, out);
    }
  return out;
}

/* --- legality --- */

LsUOp *
ls_option_loop (const GPtrArray *ranges, gint64 axis)
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
look_at (LsContext *ctx, LsUOp *root, LsOptionQuery *q)
{
  q->ranges = ls_ranges_of (ctx, root);
  q->range = ls_option_loop (q->ranges, q->opt->axis);
  q->expanded = q->group = q->threads = 1;
  q->last_part = 0;
  for (guint i = 0; i < q->ranges->len; i++) {
    LsUOp *r = q->ranges->pdata[i];
    LsAxisType type = ls_range_type (r);
    if (ls_range_axis (r) == q->opt->axis)
      q->last_part = MAX (q->last_part, ls_range_part (r));
    if (type == LS_AXIS_UPCAST || type == LS_AXIS_UNROLL)
      q->expanded *= ls_range_size (r);
    if (type == LS_AXIS_LOCAL || (type == LS_AXIS_GROUP && ls_partials_are_shared (q->target, q->settings)))
      q->group *= ls_range_size (r);
    q->has_groups |= type == LS_AXIS_GROUP;
    if (type == ls_option_thread.inner)
      q->threads *= ls_range_size (r);
  }
}

LsArg
ls_option_range (LsContext *ctx, gint64 axis, gint64 type, gint64 part, gint64 place)
{
  gint64 arg[4] = { axis, type, part, place };
  return ls_arg_ints (ctx, place == axis ? 3 : 4, arg);
}

void
ls_option_split (LsContext *ctx, const LsOptionQuery *q, LsAxisType outer, LsOptionContext *pass)
{
  pass->splits = TRUE;
  pass->range = q->range;
  pass->inner = ls_option_range (ctx, q->opt->axis, q->opt->option->inner, q->last_part + 1, q->opt->axis);
  pass->outer = ls_option_range (ctx, q->opt->axis, outer, 0, ls_range_place (q->range));
}

const char *
ls_option_refuse_rest (const LsOptionQuery *q)
{
  return ls_range_size (q->range) % q->opt->amount != 0 ? "the amount does not divide the axis" : NULL;
}

const char *
ls_option_refuse_values (const LsOptionQuery *q)
{
  return q->expanded * q->opt->amount > MAX_LANES ? "more than 1024 values per iteration" : NULL;
}

const char *
ls_option_refuse_group (const LsOptionQuery *q)
{
  return q->group * q->opt->amount > q->target->max_local ? "the group would exceed the target's maximum size of a work group" : NULL;
}

const char *
ls_option_refuse_partials (LsContext *ctx, const LsOptionQuery *q, const LsUOp *next)
{
  gboolean asks = next || (q->has_groups && ls_partials_are_shared (q->target, q->settings));
  return asks && ls_partials_bytes (ctx, q->target, q->root, next, q->opt->amount) > q->target->local_bytes
         ? "the partial results would need more memory than a work group has" : NULL;
}

/* Does the part that an option splits off, whole or not, come after an axis of the reduce that its range came before? */
static gboolean
goes_past (const LsUOp *reduce, const LsOptionContext *pass)
{
  const gint64 *inner = pass->inner.ints;
  gint64 was = ls_range_order (pass->range), is = ls_part_order (pass->inner.n > 3 ? inner[3] : inner[0], inner[2]);
  gboolean past = FALSE;
  for (guint s = 1; s < reduce->n_src; s++)
    past |= reduce->src[s] != pass->range && reduce->src[s]->op == LS_OP_RANGE && ls_range_order (reduce->src[s]) > was &&
            ls_range_order (reduce->src[s]) < is;
  return past;
}

/* Finds the float operations along the axis whose order the option changes. */
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

static const char *
refusal_of (LsContext *ctx, const LsOptionQuery *q, LsOptionContext *pass)
{
  if (!q->range)
    return "the kernel has no such axis, or the whole axis is already expanded";
  if (q->range->src[0]->op != LS_OP_CONST)
    return LS_OPTION_VARIABLE_AXIS;
  if (!(q->opt->option->traits & LS_OPTION_COPIES) && ls_tile_is_there (ctx, q->root, -1))
    return "an earlier TILE depends on the loops: TILE must come last";
  return q->opt->option->refuse (ctx, q, pass);
}

const char *
ls_opt_refusal (LsContext *ctx, const LsSettings *settings, const LsTarget *target, const LsOpt *opt, LsUOp *root, LsOptionContext *pass)
{
  LsOptionQuery q = { .settings = settings, .target = target, .opt = opt, .root = root };
  *pass = (LsOptionContext) { .axis = opt->axis, .amount = opt->amount };
  look_at (ctx, root, &q);
  const char *why = refusal_of (ctx, &q, pass);
  g_ptr_array_unref (q.ranges);
  return why;
}

/* --- terms --- */

/* Terms that read a field of the context: X(name, kind, slot, what, sentence, builds) */
#define FIELDS(X) \
  X (amount,          NUM,  num,   pass->amount,          "The option's amount.", FALSE) \
  X (inner,           ARG,  arg,   &pass->inner,          "Axis, type and part of the range that is split off.", FALSE) \
  X (outer,           ARG,  arg,   &pass->outer,          "Axis, type and part of the range that remains.", FALSE) \
  X (inside,          NODE, node,  pass->inside,          "The condition that the index is inside the axis before padding.", TRUE) \
  X (is_grouped,      BOOL, holds, pass->groups,          "Does the option split a reduce in two stages?", FALSE) \
  X (adds_floats,     BOOL, holds, pass->adds_floats,     "Does the option change the order " \
                                                          "in which floats are added or multiplied?", FALSE) \
  X (compares_floats, BOOL, holds, pass->compares_floats, "Does the option change the order of a maximum of floats, and of no other " \
                                                          "float reduce?", FALSE)
#define X(name, kind, slot, what, ...)                                                \
  static gboolean                                                                     \
  name (LsTermCall *call, const LsTermValue *args, LsTermValue *out)                  \
  {                                                                                   \
    const LsOptionContext *pass = call->pass;                                         \
    out->slot = what;                                                                 \
    return LS_TERM_##kind != LS_TERM_NODE || out->node != NULL;                       \
  }
FIELDS (X)
#undef X

/* Terms that ask it about a node: X(name, what, sentence) */
#define QUESTIONS(X) \
  X (is_split,       pass->splits && !pass->shares && node == pass->range && ls_range_size (node) != pass->amount, \
     "Is this the range that the option splits?") \
  X (is_shared_out,  pass->shares && node == pass->range && ls_range_size (node) != pass->amount, \
     "Is this the range that the option divides among threads?") \
  X (is_taken_whole, pass->splits && node == pass->range && ls_range_size (node) == pass->amount, \
     "Is this the range that the option takes whole?") \
  X (is_tiled,       pass->copied && node->op == LS_OP_DEFINE_GLOBAL && node->arg.i == pass->amount, \
     "Is this the buffer that the option makes a tile of?") \
  X (is_padded,      pass->padded && node == pass->range, "Is this the range that the option pads?") \
  X (goes_on,        pass->padded && ls_uop_depends (call->ctx, node, pass->padded), \
     "Does the node depend on the padded range?") \
  X (is_moved,       pass->other && (node == pass->range || node == pass->other), \
     "Is this one of the two loops that the option swaps?")
#define X(name, what, sentence)                                                       \
  static gboolean                                                                     \
  name (LsTermCall *call, const LsTermValue *args, LsTermValue *out)                  \
  {                                                                                   \
    const LsOptionContext *pass = call->pass;                                         \
    LsUOp *node = args[0].node;                                                       \
    out->holds = what;                                                                \
    return TRUE;                                                                      \
  }
QUESTIONS (X)
#undef X

static gboolean
is_over_padded (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const LsOptionContext *pass = call->pass;
  for (guint i = 0; i < args[0].n; i++)
    out->holds |= pass->padded && args[0].nodes[i] == pass->padded;
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
mark (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsUOp *load = args[0].node;
  if (load->op != LS_OP_LOAD)
    return FALSE;
  out->node = ls_uop_new (call->ctx, LS_OP_LOAD, load->dtype, load->n_src, load->src,
                          ls_arg_int (((const LsOptionContext *) call->pass)->axis));
  return TRUE;
}

static gboolean
neutral (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  LsUOp *like = args[1].node;
  if (!ls_op_is_alu (args[0].op))
    return FALSE;
  LsScalar identity = ls_eval_identity (args[0].op, ls_dtype_scalar (like->dtype));
  out->node = ls_dtype_is_float (like->dtype) ? ls_uop_const_f (call->ctx, like->dtype, identity.f)
                                              : ls_uop_const_i (call->ctx, like->dtype, identity.i);
  return TRUE;
}

#define V(kind) LS_TERM_##kind
const LsTerm ls_options_terms[] = {
#define X(name, kind, slot, what, sentence, builds) { #name, "options", V (kind), 0, { 0 }, name, sentence, builds },
  FIELDS (X)
#undef X
#define X(name, what, sentence) { #name, "options", V (BOOL), 1, { V (NODE) }, name, sentence },
  QUESTIONS (X)
#undef X
  { "is_over_padded", "options", V (BOOL), 1, { V (NODES) }, is_over_padded, "Is the padded range among these?" },
  { "moved", "options", V (ARG), 1, { V (NODE) }, moved, "Axis, type, part and position of the loop after the swap." },
  /* a load has no argument that rules could write */
  { "mark", "options", V (NODE), 1, { V (NODE) }, mark, "The load, marked with the option's axis as its argument.", TRUE },
  { "neutral", NULL, V (NODE), 2, { V (OP), V (NODE) }, neutral, "The neutral element of a reduce "
                                                                 "with this op, in the node's dtype.", TRUE },
  { NULL },
};
