/* Lanes of an expansion: nodes that compute the same, each for another constant, index or accumulator.
 *
 * A node's lane signature is its computation without its lane: its op, dtype and argument over the signatures of its sources, with
 * integer constants, numbers of accumulators and picked elements left out, and with all index arithmetic of ranges and constants being
 * one thing if another node uses it. Nodes of one signature are at the same depth, none feeds another, and their sources are the same:
 * drawn as one box they make no cycle.
 */
#include "scene-private.h"
#include "ir/print.h"

#include <string.h>

static guint64
mix (guint64 h, guint64 value)
{
  h = (h ^ value) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 29;
}

static guint64
hash_arg (const LsUOp *u)
{
  if (u->arg.kind == LS_ARG_NONE || u->op == LS_OP_DEFINE_ACC || u->op == LS_OP_GEP || (u->op == LS_OP_CONST && ls_dtype_is_int (u->dtype)))
    return 0;
  g_autofree char *text = ls_arg_print (u->arg);
  return g_str_hash (text) + 1;
}

LsLane
ls_scene_lane (const LsUOp *u, const LsLane *sources)
{
  LsLane lane = { mix (mix (mix (1, u->op), u->dtype), hash_arg (u)), 0, TRUE };
  gboolean arithmetic = ls_op_is_alu (u->op) && (ls_dtype_is_int (u->dtype) || ls_dtype_is_bool (u->dtype));
  gboolean leaf = u->op == LS_OP_RANGE || u->op == LS_OP_SPECIAL || (u->op == LS_OP_CONST && ls_dtype_is_int (u->dtype));
  for (guint s = 0; s < u->n_src; s++)
    lane.plain = lane.plain && sources[s].plain;
  lane.plain = lane.plain && (leaf || arithmetic);
  for (guint s = 0; s < u->n_src; s++)
    lane.own = mix (lane.own, lane.plain ? sources[s].own : sources[s].flow);
  lane.flow = lane.plain ? 1 : lane.own;
  return lane;
}

static gboolean
in_word (const char *text, gsize at)
{
  return g_ascii_isalnum (text[at]) || text[at] == '.' || text[at] == '_' || ((guchar) text[at] & 0xc0) == 0x80;
}

void
ls_scene_span (GString *text, const char *last)
{
  gsize n = text->len, m = strlen (last), head = 0, tail = 0;
  if (g_str_equal (text->str, last))
    return;
  while (head < MIN (n, m) && text->str[head] == last[head])
    head++;
  while (head > 0 && ((head < n && in_word (text->str, head)) || (head < m && in_word (last, head))) && in_word (text->str, head - 1))
    head--;      /* a number or name is never cut */
  while (tail < MIN (n, m) - head && text->str[n - 1 - tail] == last[m - 1 - tail])
    tail++;
  while (tail > 0 && in_word (text->str, n - tail) && ((n > tail + head && in_word (text->str, n - tail - 1)) ||
                                                       (m > tail + head && in_word (last, m - tail - 1))))
    tail--;
  g_autofree char *middle = g_strndup (last + head, m - tail - head);
  g_string_insert (text, (gssize) (n - tail), middle);
  g_string_insert (text, (gssize) (n - tail), "…");
}
