/* graph_rewrite: the one driver of all passes.
 *
 * A work list of frames walks the graph. A node is done when it has an entry in the map; its entry is its replacement. In the bottom-up
 * mode sources come first, then the node (rebuilt when they changed) is matched, and a result is processed in the same way; top-down
 * matches before the sources; walk matches once, after the sources, and does not visit the result; one matches the root alone. A node
 * that is met again while it is still in progress means that a result contains the node that it came from: that rewrite would never
 * end, and the rules of the cycle are named. Finished nodes are written as links, once per node (see recorder.h).
 */
#include "rules-private.h"
#include "ir/rebuild.h"
#include "ir/spec.h"
#include "driver.h"

#include <string.h>

#define IN_PROGRESS 1

typedef enum { ENTER, MATCH, DONE } State;
typedef struct {
  LsUOp *node;      /* the node in progress */
  LsUOp *rebuilt;   /* the node after its sources were done */
  LsUOp *result;    /* the rule's result for it */
  guint16 state;
  gint16  rule;
} Frame;

/* One rewrite under way. */
struct _LsDriver {
  const LsRewrite *rw;
  const Program   *program;
  LsNodeMap *map;
  Frame     *stack, *heap;    /* the heap: NULL while the stack fits its initial memory */
  guint      depth, size;
  guint      steps, limit, last[16];
  guint64    most_made;
  GError   **error;
  GError    *nested_error;    /* of a pass that a term nested: it ends this one, too */
  gboolean   failed;
  gboolean   checked;         /* new nodes are checked when they are made */
  gboolean   extended;        /* not all rules are built in */
  gboolean   first;           /* nodes are matched before their sources */
};

gboolean
ls_rewrite_matches_first (LsRewriteMode mode, const char *set)
{
  return mode == LS_REWRITE_TOP_DOWN || mode == LS_REWRITE_ONE || (mode == LS_REWRITE_WALK && strcmp (set, LS_SUBSTITUTE_SET) == 0);
}

/* The step that was tried did not happen: passes nested in it are dropped. */
static inline void
drop_nested (const LsRewrite *rw)
{
  if (G_UNLIKELY (rw->log && rw->log->nests))
    rw->recorder->drop (rw->recorder, rw->log);
}

static LsUOp *
try_rules (LsDriver *d, LsUOp *u, gint *rule_index, guint32 *ns)
{
  const LsRewrite *rw = d->rw;
  GPtrArray *rules = d->program->by_op[u->op];
  guint64 have[2];
  ls_ops_of_sources (u, have);
  LsTermValue slots[LS_MAX_SLOTS];
  gboolean checked = ls_rule_library_is_extended (rw->library);
  guint64 start = 0;
  for (guint i = 0; i < rules->len; i++) {
    const Rule *rule = rules->pdata[i];
    if (((rule->need[0] & ~have[0]) | (rule->need[1] & ~have[1])) || !(rule->bases >> ls_dtype_base (u->dtype) & 1))
      continue;
    /* time counts from the first rule that could match */
    if (rw->log && start == 0)
      start = ls_ticks ();
    LsUOp *r = ls_rule_run (rule, rw->ctx, u, rw->pass, d, slots);
    if (!r)
      drop_nested (rw);
    if (G_UNLIKELY (d->nested_error != NULL))
      return NULL;
    if (G_UNLIKELY (!r && checked && ls_context_has_breach (rw->ctx))) {
      *rule_index = (gint) rule->pub.index;
      return NULL;
    }
    if (rw->log) {
      LsRuleStat *stat = ls_pass_log_stat (rw->log, rule->pub.index);
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
  for (guint i = rw->log ? rw->log->n_links : 0; i-- > 0 && rule != LS_LINK_REBUILD;)
    if (rw->log->links[i].before == link.before) {
      link.ns = rw->log->links[i].ns;
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
      add_to_cycle (rw, met, stack[i].result, stack[i].rule);      /* met is the node that this frame's node was rebuilt to */
  }
  const Frame *last = &stack[depth - 1];
  if (last->state == MATCH && last->rebuilt == NULL && last->node != met && !reads (last->node, met))
    add_to_cycle (rw, last->node, met, LS_LINK_REBUILD);
  g_set_error (error, LS_ERROR, LS_ERROR_REWRITE, "the rewrite with %s does not end: the result of %s contains its own match (%s, node %u)",
               rw->set,
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

/* The rules that go round. Unfinished results, each one step on from the one below it on the stack, are the path to the node where the
 * rewrite was stopped; the end of that path repeats a cycle, and the shortest one is named. Without one: the rules of the most recent
 * steps, each once. */
static void
set_limit_error (const LsRewrite *rw, const Frame *stack, guint depth, gint rule, const guint *last, guint steps, GError **error)
{
  guint way[MOST_LAST], n = 0, oldest = depth;
  way[MOST_LAST - ++n] = (guint) rule;
  for (guint i = depth; i-- > 0 && n < MOST_LAST;)
    if (stack[i].state == DONE && stack[i].rule >= 0) {
      way[MOST_LAST - ++n] = (guint) stack[i].rule;
      oldest = i;
    }
  const guint *rules = way + MOST_LAST - n;
  guint period = period_of (rules, n), n_names = period ? period : MIN (steps, 16);
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
  gboolean by_steps = rw->step_limit && steps > rw->step_limit;
  g_autofree char *much = by_steps ? g_strdup_printf ("%u steps", rw->step_limit)
                                   : g_strdup_printf ("%u steps and %u nodes", steps, ls_context_n_nodes (rw->ctx));
  g_set_error (error, LS_ERROR, LS_ERROR_REWRITE, period ? "the rewrite with %s was stopped after %s: %s would fire endlessly" :
               "the rewrite with %s was stopped after %s; %s made the last steps", rw->set, much, names->str);
  g_string_free (names, TRUE);
}

static void
grow (LsDriver *d)
{
  gboolean first = !d->heap;
  d->heap = g_renew (Frame, d->heap, d->size * 2);
  if (first)
    memcpy (d->heap, d->stack, d->size * sizeof (Frame));
  d->stack = d->heap;
  d->size *= 2;
}

static inline void
push (LsDriver *d, LsUOp *node)
{
  if (G_UNLIKELY (d->depth == d->size))
    grow (d);
  d->stack[d->depth++] = (Frame) { node, NULL, NULL, ENTER, -1 };
}

static gboolean
fail_cycle (LsDriver *d, const LsUOp *met)
{
  set_cycle_error (d->rw, d->stack, d->depth, met, d->error);
  d->failed = TRUE;
  return FALSE;
}

static char *
shape_text (const LsUOp *u)
{
  return ls_shape_to_string ((LsShape) { u->n_dims, u->dims });
}

/* Why a result may not replace the node. */
static void
refuse_result (LsDriver *d, const LsUOp *u, const LsUOp *r, gint rule, gboolean dtype, const char *breach)
{
  const LsRule *info = ls_rule_library_rule (d->rw->library, (guint) rule);
  LsShape shape;
  char a[64], b[64];
  g_autoptr (GError) why = NULL;
  g_autofree char *before = shape_text (u), *after = shape_text (r);
  g_autofree char *head = g_strdup_printf ("%s:%u: rule %s, step %u: it makes %s node %u from %s node %u, ", info->file, info->line,
                                           info->name, d->steps, ls_op_name (r->op), r->id, ls_op_name (u->op), u->id);
  d->failed = TRUE;
  if (!dtype)
    g_set_error (d->error, LS_ERROR, LS_ERROR_RULE, "%sand dtype %s from %s; a result must "
                                                    "have the dtype of the node that it replaces", head,
                 ls_dtype_text (r->dtype, a), ls_dtype_text (u->dtype, b));
  else if (breach)
    g_set_error (d->error, LS_ERROR, LS_ERROR_RULE, "%sand %s", head, breach);
  else if (ls_uop_has_shape (r) || ls_uop_get_shape (d->rw->ctx, (LsUOp *) r, &shape, &why))
    g_set_error (d->error, LS_ERROR, LS_ERROR_RULE, "%sand shape %s from %s; a result must "
                                                    "have the shape of the node that it replaces", head, after,
                 before);
  else
    g_set_error (d->error, LS_ERROR, LS_ERROR_RULE, "%sof shape %s; %s", head, before, why->message);
}

/* A rule replaces a node by one of the same dtype and shape: index may become a machine integer. */
static inline gboolean
check_result (LsDriver *d, const LsUOp *u, const LsUOp *r, gint rule)
{
  if (G_UNLIKELY (d->first && ls_rewrite_keeps_results (d->rw->mode)))      /* the caller asked for it */
    return TRUE;
  gboolean dtype = G_LIKELY (u->dtype == r->dtype) ||
                   (ls_dtype_base (u->dtype) == LS_BASE_INDEX && ls_dtype_is_int (r->dtype) &&
                    ls_dtype_lanes (u->dtype) == ls_dtype_lanes (r->dtype) && !ls_dtype_is_ptr (r->dtype));
  gboolean text = r->op == LS_OP_NOOP;      /* it has no shape */
  gboolean shapes = !d->program->shaped || !ls_uop_has_shape (u) || text ||
                    (ls_uop_has_shape (r) && ls_shape_equal ((LsShape) { u->n_dims, u->dims }, (LsShape) { r->n_dims, r->dims }));
  g_autofree char *breach = G_UNLIKELY (d->checked) ? ls_context_take_breach (d->rw->ctx) : NULL;
  if (G_UNLIKELY (!dtype || !shapes || breach))
    refuse_result (d, u, r, rule, dtype, breach);
  return !d->failed;
}

/* A new node violates the spec. made_by: the rule that was about to make it for u; negative: u was rebuilt over the result of the last
 * rule. */
static LsUOp *
fail_breach (LsDriver *d, const LsUOp *u, gint made_by)
{
  g_autofree char *breach = ls_context_take_breach (d->rw->ctx);
  d->failed = TRUE;
  if (made_by < 0 && d->steps == 0) {
    g_set_error (d->error, LS_ERROR, LS_ERROR_SPEC, "spec: %s", breach);
    return NULL;
  }
  const LsRule *rule = ls_rule_library_rule (d->rw->library, made_by < 0 ? d->last[(d->steps - 1) % 16] : (guint) made_by);
  g_set_error (d->error, LS_ERROR, LS_ERROR_RULE, made_by < 0 ? "%s:%u: rule %s, step %u: it breaks %s node %u: %s"
                                                              : "%s:%u: rule %s, step %u: the result for %s node %u: %s", rule->file,
               rule->line, rule->name, d->steps + (made_by >= 0), ls_op_name (u->op), u->id, breach);
  return NULL;
}

/* A rule has fired at u. NULL: the rewrite has failed. */
static LsUOp *
note_step (LsDriver *d, LsUOp *u, LsUOp *r, gint *rule, guint32 ns)
{
  d->last[d->steps % 16] = (guint) *rule;
  if (++d->steps > d->limit || G_UNLIKELY (ls_context_n_made (d->rw->ctx) > d->most_made)) {
    drop_nested (d->rw);
    set_limit_error (d->rw, d->stack, d->depth, *rule, d->last, d->steps, d->error);
    d->failed = TRUE;
    return NULL;
  }
  if (d->rw->log) {
    ls_pass_log_add (d->rw->log, u, r, *rule, ns);
    d->rw->log->nests = FALSE;
  }
  return check_result (d, u, r, *rule) ? r : NULL;
}

/* The first rule that fires at u. NULL: none does, or the rewrite has failed. */
static inline LsUOp *
fire (LsDriver *d, LsUOp *u, gint *rule)
{
  guint32 ns = 0;
  if (G_UNLIKELY (d->extended) && ls_context_has_breach (d->rw->ctx))
    return fail_breach (d, u, -1);
  LsUOp *r = d->program->by_op[u->op] ? try_rules (d, u, rule, &ns) : NULL;
  if (G_UNLIKELY (d->nested_error != NULL)) {
    g_propagate_error (d->error, g_steal_pointer (&d->nested_error));
    d->failed = TRUE;
    return NULL;
  }
  if (r)
    return note_step (d, u, r, rule, ns);
  return G_LIKELY (!d->extended) || !ls_context_has_breach (d->rw->ctx) ? NULL : fail_breach (d, u, *rule);
}

/* The result of a rule at the frame's node is worked through next. */
static void
enter_result (LsDriver *d, LsUOp *rebuilt, LsUOp *result, gint rule)
{
  Frame *f = &d->stack[d->depth - 1];
  f->rebuilt = rebuilt;
  f->result = result;
  f->rule = (gint16) rule;
  f->state = DONE;
  push (d, result);
}

/* The frame's node is met for the first time. */
static void
enter (LsDriver *d)
{
  LsUOp *u = d->stack[d->depth - 1].node;
  guint64 entry;
  gint rule;
  if (ls_node_map_get (d->map, u, &entry)) {
    if (entry == IN_PROGRESS)
      fail_cycle (d, u);
    d->depth--;
    return;
  }
  ls_node_map_set (d->map, u, IN_PROGRESS);
  if (d->first) {
    LsUOp *r = fire (d, u, &rule);
    if (ls_rewrite_keeps_results (d->rw->mode) && (r || d->rw->mode == LS_REWRITE_ONE)) {
      ls_node_map_set_node (d->map, u, r ? r : u);
      d->depth--;
      return;
    }
    if (r)
      enter_result (d, u, r, rule);
    if (r || d->failed)
      return;
  }
  d->stack[d->depth - 1].state = MATCH;
  for (guint i = u->n_src; i-- > 0;) {
    LsUOp *source = u->src[i];
    if (!ls_node_map_get (d->map, source, &entry)) {
      if (source->n_src == 0 && !d->program->by_op[source->op])      /* it cannot change */
        ls_node_map_set_node (d->map, source, source);
      else
        push (d, source);
    } else if (entry == IN_PROGRESS) {
      fail_cycle (d, source);
      return;
    }
  }
}

/* The node over the replacements of its sources. NULL: that node was met already, and the frame's has its outcome, or the rewrite has
 * failed. */
static LsUOp *
rebuild (LsDriver *d, LsUOp *u)
{
  guint64 entry;
  LsUOp *n = ls_uop_over (d->rw->ctx, u, d->map);
  if (n == u)
    return u;
  if (d->rw->log)
    ls_pass_log_add (d->rw->log, u, n, LS_LINK_REBUILD, 0);
  if (!ls_node_map_get (d->map, n, &entry))
    return n;
  if (entry == IN_PROGRESS) {
    fail_cycle (d, n);
  } else {
    ls_node_map_set (d->map, u, entry);
    d->depth--;
  }
  return NULL;
}

/* The sources of the frame's node are done. */
static void
match (LsDriver *d)
{
  LsUOp *u = d->stack[d->depth - 1].node, *n = rebuild (d, u);
  gint rule;
  if (!n)
    return;
  LsUOp *r = d->first ? NULL : fire (d, n, &rule);
  if (d->failed)
    return;
  if (r && d->rw->mode != LS_REWRITE_WALK) {
    ls_node_map_set (d->map, n, IN_PROGRESS);
    enter_result (d, n, r, rule);
    return;
  }
  LsUOp *final = r ? r : n;
  ls_node_map_set_node (d->map, u, final);
  if (n != u)
    ls_node_map_set_node (d->map, n, final);
  if (r && !ls_node_map_has (d->map, r))
    ls_node_map_set_node (d->map, r, r);
  d->depth--;
}

LsUOp *
ls_graph_rewrite (const LsRewrite *rw, LsUOp *root, GError **error)
{
  Program *program = ls_rule_library_program (rw->library, rw->set, error);
  if (!program)
    return NULL;
  if (program->context && !rw->pass) {
    g_set_error (error, LS_ERROR, LS_ERROR_RULE, "the rules of %s need the context of a pass ('%s'), and there is no pass", rw->set,
                 program->context);
    return NULL;
  }
  Frame frames[128];
  LsDriver d = { .rw = rw, .program = program, .map = ls_node_map_acquire (rw->ctx), .stack = frames, .size = G_N_ELEMENTS (frames),
    .limit = rw->step_limit ? rw->step_limit : G_MAXUINT, .error = error, .checked = ls_context_is_checked (rw->ctx),
    .extended = ls_rule_library_is_extended (rw->library), .first = ls_rewrite_matches_first (rw->mode, rw->set) };
  d.most_made = rw->node_limit ? ls_context_n_made (rw->ctx) + rw->node_limit + 64 * (guint64) ls_context_n_nodes (rw->ctx) : G_MAXUINT64;
  push (&d, root);
  while (d.depth > 0 && !d.failed) {
    const Frame *f = &d.stack[d.depth - 1];
    if (f->state == ENTER) {
      enter (&d);
    } else if (f->state == MATCH) {
      match (&d);
    } else {
      /* the result was worked through */
      LsUOp *final = ls_node_map_get_node (d.map, f->result);
      ls_node_map_set_node (d.map, f->rebuilt, final);
      ls_node_map_set_node (d.map, f->node, final);
      d.depth--;
    }
  }
  LsUOp *out = d.failed ? NULL : ls_node_map_get_node (d.map, root);
  g_free (d.heap);
  ls_node_map_release (rw->ctx, d.map);
  return out;
}

/* Rules that do not come to an end are the term's to decline for; a rule that is wrong ends the whole rewrite. */
LsUOp *
ls_driver_nested (LsTermCall *call, const char *set, LsUOp *graph)
{
  LsDriver *d = call->driver;
  const LsRewrite *outer = d ? d->rw : NULL;
  const Rule *rule = ((const Env *) call->scratch)->rule;
  LsRecorder *recorder = outer && outer->log ? outer->recorder : NULL;
  LsRewrite rw = { .ctx = call->ctx, .library = outer ? outer->library : rule->library, .set = set, .mode = LS_REWRITE_BOTTOM_UP,
                   .recorder = recorder,
                   .step_limit = outer && outer->step_limit ? MIN (outer->step_limit, LS_NESTED_STEPS) : LS_NESTED_STEPS,
                   .node_limit = outer ? outer->node_limit : 0, .depth = outer ? outer->depth + 1 : 1 };
  g_autoptr (GError) error = NULL;
  LsPassInfo info = { NULL, call->term->name, set, rw.mode, LS_PASS_NESTED };
  if (rw.depth > LS_NESTED_DEPTH)
    return NULL;
  if (recorder && !(rw.log = recorder->begin (recorder, &info, graph, rw.library)))
    return NULL;
  guint64 start = rw.log ? ls_ticks () : 0;
  LsUOp *out = ls_graph_rewrite (&rw, graph, &error);
  if (rw.log)
    recorder->end (recorder, rw.log, out, ls_ticks_to_ns (ls_ticks () - start));
  if (error && d && !g_error_matches (error, LS_ERROR, LS_ERROR_REWRITE) && !d->nested_error) {
    g_prefix_error (&error, "in a pass nested in rule %s: ", rule->pub.name);
    d->nested_error = g_steal_pointer (&error);
  }
  return out;
}

LsUOp *
ls_uop_substitute (LsContext *ctx, LsUOp *root, guint n, LsUOp *const *from, LsUOp *const *to)
{
  LsNodeMap *map = ls_node_map_acquire (ctx);
  for (guint i = 0; i < n; i++)
    ls_node_map_set_node (map, from[i], to[i]);
  ls_graph_rebuild (ctx, 1, &root, map, NULL, NULL, NULL);
  LsUOp *out = ls_node_map_get_node (map, root);
  ls_node_map_release (ctx, map);
  return out;
}
