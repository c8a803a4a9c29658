/* graph_rewrite: the one driver of all passes.
 *
 * A work list of frames walks the graph. A node is done when it has an entry in the map; its entry is what it became. In the
 * bottom-up mode sources come first, then the node (rebuilt when they changed) is matched, and a result is worked through in the same way;
 * top-down matches before the sources; walk matches once, after the sources, and leaves the result alone. A node that is met again while
 * it is still being worked on means that a result contains what it came from: that rewrite would never end, and the rules on the way round
 * are named. What is done is written as links, each node's once (see trace/trace.h).
 */
#include "rules-private.h"
#include "ir/spec.h"
#include "trace/trace.h"
#include "trace/recorder.h"

#include <string.h>

#define IN_PROGRESS 1

typedef enum { ENTER, MATCH, DONE } State;
typedef struct {
  LsUOp *node;      /* what is worked on */
  LsUOp *rebuilt;   /* the node after its sources were done */
  LsUOp *result;    /* what the rule made of it */
  guint16 state;
  gint16  rule;
} Frame;

static LsUOp *
try_rules (const LsRewrite *rw, const Program *program, LsUOp *u, gint *rule_index, guint32 *ns)
{
  GPtrArray *rules = program->by_op[u->op];
  if (!rules)
    return NULL;
  guint64 have[2] = { 0, 0 };
  for (guint i = 0; i < u->n_src; i++) {
    ls_ops_bit (have, u->src[i]->op);
    if (u->src[i]->op == LS_OP_VECTORIZE)
      ls_ops_bit (have, LS_OP_CONST);
  }
  LsUOp *slots[LS_MAX_SLOTS];
  guint64 start = 0;
  for (guint i = 0; i < rules->len; i++) {
    const Rule *rule = rules->pdata[i];
    if ((rule->need[0] & ~have[0]) | (rule->need[1] & ~have[1]))
      continue;
    /* time counts from the first rule that could match */
    if (rw->recorder && start == 0)
      start = ls_ticks ();
    LsUOp *r = ls_rule_run (rule, rw->ctx, u, rw->user, slots);
    if (rw->recorder) {
      LsRuleStat *stat = ls_pass_recorder_stat (rw->recorder, rule->pub.index);
      stat->tries++;
      if (r) {
        guint64 t = ls_ticks () - start;
        stat->hits++;
        stat->ns += t;
        *ns = (guint32) MIN (t, G_MAXUINT32);
      }
    }
    if (r) {
      *rule_index = (gint) rule->pub.index;
      return r;
    }
  }
  return NULL;
}

static gboolean
reads (const LsUOp *u, const LsUOp *source)
{
  for (guint i = 0; i < u->n_src; i++)
    if (u->src[i] == source)
      return TRUE;
  return FALSE;
}

/* One link of the way round. Its time is that of the step, which is among the most recent ones. */
static void
add_to_cycle (const LsRewrite *rw, const LsUOp *before, const LsUOp *after, gint rule)
{
  LsLink link = { before->id, after->id, rule, 0 };
  if (!rw->cycle)
    return;
  for (guint i = rw->recorder ? rw->recorder->n_links : 0; i-- > 0 && rule != LS_LINK_REBUILD;)
    if (rw->recorder->links[i].before == link.before) {
      link.ns = rw->recorder->links[i].ns;
      break;
    }
  if (!*rw->cycle)
    *rw->cycle = g_array_new (FALSE, FALSE, sizeof (LsLink));
  g_array_append_val (*rw->cycle, link);
}

static void
add_frame_to_cycle (const LsRewrite *rw, const Frame *f)
{
  if (f->rebuilt && f->rebuilt != f->node)
    add_to_cycle (rw, f->node, f->rebuilt, LS_LINK_REBUILD);
  if (f->state == DONE && f->rule >= 0)
    add_to_cycle (rw, f->rebuilt, f->result, f->rule);
}

static void
set_cycle_error (const LsRewrite *rw, const Frame *stack, guint depth, const LsUOp *met, GError **error)
{
  GString *names = g_string_new (NULL);
  guint first = 0;
  while (first < depth && stack[first].node != met && stack[first].rebuilt != met)
    first++;
  for (guint i = first; i < depth; i++) {
    if (stack[i].state == DONE && stack[i].rule >= 0)
      g_string_append_printf (names, "%s%s", names->len ? ", " : "", ls_rule_library_rule (rw->library, stack[i].rule)->name);
    if (i > first || stack[i].node == met)
      add_frame_to_cycle (rw, &stack[i]);
    else
      add_to_cycle (rw, met, stack[i].result, stack[i].rule);      /* met is what this frame's node was rebuilt to */
  }
  const Frame *last = &stack[depth - 1];
  if (last->state == MATCH && last->rebuilt == NULL && last->node != met && !reads (last->node, met))
    add_to_cycle (rw, last->node, met, LS_LINK_REBUILD);
  g_set_error (error, LS_ERROR, LS_ERROR_REWRITE, "the rewrite with %s does not end: the result of %s contains its own match (%s, node %u)", rw->set,
               names->len ? names->str : "a rule", ls_op_name (met->op), met->id);
  g_string_free (names, TRUE);
}

#define MOST_LAST 64

/* The shortest sequence that all n rules repeat from first to last, at least four times; 0: none. */
static guint
period_of (const guint *rules, guint n)
{
  for (guint period = 1; period <= n / 4; period++) {
    guint i = period;
    while (i < n && rules[i] == rules[i - period])
      i++;
    if (i == n)
      return period;
  }
  return 0;
}

/* The rules that go round. Results that are still worked on, each a step on from the one below it on the stack, are the way to where the rewrite
 * was stopped; the end of that way repeats a cycle, of which the shortest is named. Without one: the rules of the most recent steps, each once. */
static void
set_limit_error (const LsRewrite *rw, const Frame *stack, guint depth, gint rule, const guint *last, guint n_last, GError **error)
{
  guint way[MOST_LAST], n = 0, oldest = depth;
  way[MOST_LAST - ++n] = (guint) rule;
  for (guint i = depth; i-- > 0 && n < MOST_LAST;)
    if (stack[i].state == DONE && stack[i].rule >= 0) {
      way[MOST_LAST - ++n] = (guint) stack[i].rule;
      oldest = i;
    }
  const guint *rules = way + MOST_LAST - n;
  guint period = period_of (rules, n), n_names = period ? period : n_last;
  if (!period)
    rules = last;
  else
    rules += n - period;
  /* the graphs grow on the way: the oldest turn that was kept is the smallest */
  guint left = period;
  for (guint i = oldest; i < depth && left > 0; i++)
    if (stack[i].state == DONE && stack[i].rule >= 0) {
      if (left == period)
        add_to_cycle (rw, stack[i].rebuilt, stack[i].result, stack[i].rule);
      else
        add_frame_to_cycle (rw, &stack[i]);
      left--;
    }
  GString *names = g_string_new (NULL);
  for (guint i = 0; i < n_names; i++) {
    gboolean seen = FALSE;
    for (guint j = 0; j < i && !period; j++)
      seen |= rules[j] == rules[i];
    if (!seen)
      g_string_append_printf (names, "%s%s", names->len ? ", " : "", ls_rule_library_rule (rw->library, rules[i])->name);
  }
  g_set_error (error, LS_ERROR, LS_ERROR_REWRITE, period ? "the rewrite with %s was stopped after %u steps: %s would go on for ever" :
               "the rewrite with %s was stopped after %u steps; its last steps were by %s", rw->set, rw->step_limit, names->str);
  g_string_free (names, TRUE);
}

LsUOp *
ls_graph_rewrite (const LsRewrite *rw, LsUOp *root, GError **error)
{
  Program *program = ls_rule_library_program (rw->library, rw->set, error);
  if (!program)
    return NULL;
  LsContext *ctx = rw->ctx;
  LsNodeMap *map = ls_node_map_acquire (ctx);
  guint depth = 0, size = 128, steps = 0, last[16] = { 0 };
  Frame first_stack[128], *stack = first_stack, *heap = NULL;
  LsUOp *src_buf[64], **src = src_buf;
  guint src_size = 64;
  gboolean failed = FALSE;
  guint limit = rw->step_limit ? rw->step_limit : G_MAXUINT;
  char *breach = NULL;      /* SPEC=2: what the first rule that broke the spec made */
  gint breach_rule = 0;

  stack[depth++] = (Frame) { root, NULL, NULL, ENTER, -1 };
  while (depth > 0) {
    Frame *f = &stack[depth - 1];
    LsUOp *u = f->node;
    if (f->state == ENTER) {
      guint64 entry;
      if (ls_node_map_get (map, u, &entry)) {
        if (entry == IN_PROGRESS) {
          set_cycle_error (rw, stack, depth, u, error);
          failed = TRUE;
          break;
        }
        depth--;
        continue;
      }
      ls_node_map_set (map, u, IN_PROGRESS);
      if (rw->mode == LS_REWRITE_TOP_DOWN) {
        gint rule = -1;
        guint32 ns = 0;
        LsUOp *r = try_rules (rw, program, u, &rule, &ns);
        if (r) {
          last[steps % 16] = (guint) rule;
          if (++steps > limit) {
            set_limit_error (rw, stack, depth, rule, last, MIN (steps, 16), error);
            failed = TRUE;
            break;
          }
          if (rw->recorder)
            ls_pass_recorder_add (rw->recorder, u, r, rule, ns);
          f->rebuilt = u;
          f->result = r;
          f->rule = rule;
          f->state = DONE;
          goto push_result;
        }
      }
      f->state = MATCH;
      if (depth + u->n_src + 1 > size) {
        while (depth + u->n_src + 1 > size)
          size *= 2;
        if (heap) {
          stack = heap = g_renew (Frame, heap, size);
        } else {
          heap = g_new (Frame, size);
          memcpy (heap, first_stack, depth * sizeof *heap);
          stack = heap;
        }
      }
      for (guint i = u->n_src; i-- > 0;)
        if (!ls_node_map_has (map, u->src[i]))
          stack[depth++] = (Frame) { u->src[i], NULL, NULL, ENTER, -1 };
        else if (ls_node_map_get_node (map, u->src[i]) == (LsUOp *) IN_PROGRESS) {
          set_cycle_error (rw, stack, depth, u->src[i], error);
          failed = TRUE;
        }
      if (failed)
        break;
      continue;
    }
    if (f->state == MATCH) {
      gboolean changed = FALSE;
      if (u->n_src > src_size) {
        src_size = u->n_src * 2;
        if (src != src_buf)
          g_free (src);
        src = g_new (LsUOp *, src_size);
      }
      for (guint i = 0; i < u->n_src; i++) {
        src[i] = ls_node_map_get_node (map, u->src[i]);
        changed |= src[i] != u->src[i];
      }
      LsUOp *n = u;
      if (changed) {
        n = ls_uop_with_src (ctx, u, u->n_src, src);
        if (rw->recorder)
          ls_pass_recorder_add (rw->recorder, u, n, LS_LINK_REBUILD, 0);
        guint64 entry;
        if (ls_node_map_get (map, n, &entry)) {
          if (entry == IN_PROGRESS) {
            set_cycle_error (rw, stack, depth, n, error);
            failed = TRUE;
            break;
          }
          ls_node_map_set (map, u, entry);
          depth--;
          continue;
        }
      }
      gint rule = -1;
      guint32 ns = 0;
      LsUOp *r = rw->mode == LS_REWRITE_TOP_DOWN ? NULL : try_rules (rw, program, n, &rule, &ns);
      if (!r) {
        ls_node_map_set_node (map, n, n);
        ls_node_map_set_node (map, u, n);
        depth--;
        continue;
      }
      last[steps % 16] = (guint) rule;
      if (++steps > limit) {
        set_limit_error (rw, stack, depth, rule, last, MIN (steps, 16), error);
        failed = TRUE;
        break;
      }
      if (rw->recorder)
        ls_pass_recorder_add (rw->recorder, n, r, rule, ns);
      if (rw->mode == LS_REWRITE_WALK) {
        if (!breach && (breach = ls_context_take_breach (ctx)))
          breach_rule = rule;
        ls_node_map_set_node (map, n, r);
        ls_node_map_set_node (map, u, r);
        if (!ls_node_map_has (map, r))
          ls_node_map_set_node (map, r, r);
        depth--;
        continue;
      }
      f->rebuilt = n;
      f->result = r;
      f->rule = rule;
      f->state = DONE;
      ls_node_map_set (map, n, IN_PROGRESS);
    push_result:
      if (!breach && (breach = ls_context_take_breach (ctx)))
        breach_rule = f->rule;
      if (depth + 1 > size) {
        size *= 2;
        if (heap) {
          stack = heap = g_renew (Frame, heap, size);
        } else {
          heap = g_new (Frame, size);
          memcpy (heap, first_stack, depth * sizeof *heap);
          stack = heap;
        }
        f = &stack[depth - 1];
      }
      stack[depth++] = (Frame) { f->result, NULL, NULL, ENTER, -1 };
      continue;
    }
    /* DONE: the result is worked through */
    LsUOp *final = ls_node_map_get_node (map, f->result);
    ls_node_map_set_node (map, f->rebuilt, final);
    ls_node_map_set_node (map, u, final);
    depth--;
  }
  if (!failed && breach) {
    g_set_error (error, LS_ERROR, LS_ERROR_SPEC, "spec: rule %s made %s", ls_rule_library_rule (rw->library, breach_rule)->name, breach);
    failed = TRUE;
  }
  g_free (breach);
  LsUOp *out = failed ? NULL : ls_node_map_get_node (map, root);
  g_free (heap);
  if (src != src_buf)
    g_free (src);
  ls_node_map_release (ctx, map);
  return out;
}

LsUOp *
ls_uop_substitute (LsContext *ctx, LsUOp *root, guint n, LsUOp *const *from, LsUOp *const *to)
{
  LsNodeMap *map = ls_node_map_acquire (ctx);
  for (guint i = 0; i < n; i++)
    ls_node_map_set_node (map, from[i], to[i]);
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root);
  g_autoptr (GPtrArray) src = g_ptr_array_new ();
  for (guint i = 0; i < order->len; i++) {
    LsUOp *u = order->pdata[i];
    if (ls_node_map_has (map, u))
      continue;
    gboolean changed = FALSE;
    g_ptr_array_set_size (src, 0);
    for (guint k = 0; k < u->n_src; k++) {
      LsUOp *s = ls_node_map_get_node (map, u->src[k]);
      changed |= s != u->src[k];
      g_ptr_array_add (src, s);
    }
    ls_node_map_set_node (map, u, changed ? ls_uop_with_src (ctx, u, u->n_src, (LsUOp **) src->pdata) : u);
  }
  LsUOp *out = ls_node_map_get_node (map, root);
  ls_node_map_release (ctx, map);
  return out;
}
