/* The decisions of schedules as steps: each use of a value is decided once, kernels wait for those before them, and the other choice costs
 * what it must. Over the examples and cases in three profiles, whose kernels are not run.
 */
#include "fixture.h"
#include "sample.h"

#include "ask/ask.h"
#include "trace/row-steps.h"

#include <string.h>

static gboolean
is_movement (const LsUOp *u)
{
  return ls_op_is_movement (u->op) || ls_op_is_slice (u->op);
}

static gboolean
is_memory (const LsUOp *u)
{
  return u->op == LS_OP_BUFFER || u->op == LS_OP_CONST || u->op == LS_OP_IOTA || u->op == LS_OP_BIND;
}

/* Does the user see the value, perhaps through movement? */
static gboolean
uses (const LsUOp *user, const LsUOp *value)
{
  for (guint i = 0; i < user->n_src; i++) {
    const LsUOp *u = user->src[i];
    while (u != value && is_movement (u))
      u = u->src[0];
    if (u == value)
      return TRUE;
  }
  return FALSE;
}

/* The kernel's schedule pass: from the node that it stores. */
static const LsPass *
schedule_of (LsTrace *trace, guint kernel)
{
  const LsKernel *k = ls_trace_kernel (trace, kernel);
  g_assert_nonnull (k);
  return trace->passes->pdata[g_array_index (k->passes, guint, 0)];
}

static gboolean
computes (LsTrace *trace, guint kernel, guint32 node)
{
  const LsPass *pass = schedule_of (trace, kernel);
  for (guint i = 0; i < pass->map->len; i++)
    if (g_array_index (pass->map, LsMapEntry, i).old_node == node)
      return TRUE;
  return FALSE;
}

typedef struct { guint schedules, decisions, uses, turns, pairs, passed; } Counts;

static void
check_words (const LsPass *pass, guint step)
{
  g_auto (LsRowWords) words = { NULL };
  g_assert_true (ls_row_step_words (pass, step, FALSE, &words));
  g_assert_true (words.name && *words.name && words.change && *words.change && words.why && *words.why);
}

static gboolean
is_result (const LsTrace *trace, const LsKernel *k, guint32 node)
{
  gboolean found = FALSE;
  for (guint i = 0; i < ls_kernel_n_outputs (k); i++)
    found |= ls_kernel_value (trace, k, i) == node;
  return found;
}

static void
check_decision (LsTrace *trace, const LsDecision *d, GHashTable *stored, GHashTable *decided)
{
  const LsReasonInfo *reason = &ls_reasons[d->key];
  LsUOp *node = ls_context_node (trace->ctx, d->node), *user = d->user == LS_NO_NODE ? NULL : ls_context_node (trace->ctx, d->user);
  g_assert_nonnull (node);
  g_assert_cmpstr (d->reason, ==, reason->text);
  g_assert_true (!d->realized || reason->action == LS_DECISION_STORES);
  g_assert_true (d->realized || d->kernel == 0);
  if (d->realized) {
    g_assert_true (g_hash_table_add (stored, node));
    g_assert_true (is_result (trace, ls_trace_kernel (trace, d->kernel), d->node));
  }
  if (!user)
    return;
  g_assert_true (uses (user, node) || reason->action == LS_DECISION_JOINS || (user->op == LS_OP_SINK && node->op != LS_OP_CONST));
  if (d->user_kernel && user->op != LS_OP_SINK)
    g_assert_true (computes (trace, d->user_kernel, user->id) || is_movement (user));
  if (d->key == LS_REASON_WIDER_CAST || user->op == LS_OP_SINK)      /* beside the decision about that use */
    return;
  if (!g_hash_table_add (decided, g_strdup_printf ("%u %u", d->node, d->user)))
    g_error ("node %u: its use by node %u is decided twice, as %s, too", d->node, d->user, reason->key);
}

static gboolean is_in (gpointer set, const LsUOp *u) { return g_hash_table_contains (set, u); }

/* Each use of a computed value, by a node that is no movement, was decided: for itself, or for a movement on the way. */
static guint
check_uses (LsTrace *trace, const LsPass *pass, GHashTable *decided)
{
  LsUOp *sink = ls_context_node (trace->ctx, pass->output);
  g_autoptr (GHashTable) earlier = ls_schedule_earlier (pass);
  g_autoptr (GPtrArray) order = ls_uop_toposort_down_to (trace->ctx, &sink, 1, is_in, earlier);
  guint n = 0;
  for (guint i = 0; i < order->len; i++) {
    const LsUOp *user = order->pdata[i];
    if (is_in (earlier, user))
      continue;
    for (guint k = 0; k < user->n_src && user->op != LS_OP_SINK && !is_movement (user); k++) {
      const LsUOp *value = user->src[k];
      g_autoptr (GArray) on_way = g_array_new (FALSE, FALSE, sizeof (guint32));
      g_array_append_val (on_way, user->id);
      for (; is_movement (value) && !is_in (earlier, value); value = value->src[0])
        g_array_append_val (on_way, value->id);
      gboolean found = is_memory (value) || is_in (earlier, value);
      for (guint w = 0; w < on_way->len && !found; w++) {
        g_autofree char *use = g_strdup_printf ("%u %u", value->id, g_array_index (on_way, guint32, w));
        found = g_hash_table_contains (decided, use);
      }
      for (guint w = 1; w < on_way->len && !found; w++) {      /* a movement is stored: the use is of that */
        g_autofree char *use = g_strdup_printf ("%u %u", g_array_index (on_way, guint32, w), user->id);
        found = g_hash_table_contains (decided, use);
      }
      if (!found)
        g_error ("node %u: nothing was decided about its use by node %u", value->id, user->id);
      n++;
    }
  }
  return n;
}

static guint
kernel_of (const LsRegion *region)
{
  return (guint) strtoul (region->title + strlen ("kernel "), NULL, 10);
}

/* The parts of the graph that became kernels: each node is in the part of the one kernel that computes it, and no node that two compute. */
static void
check_regions (LsTrace *trace, const LsPass *pass)
{
  LsUOp *sink = ls_context_node (trace->ctx, pass->input);
  g_autoptr (GPtrArray) nodes = ls_uop_toposort (trace->ctx, sink);
  const LsRegions *regions = ls_schedule_regions (trace, pass->input, nodes);
  g_autoptr (GHashTable) kernels = g_hash_table_new (NULL, NULL);
  for (guint k = 0; regions && k < regions->kernels->len; k++)
    g_hash_table_add (kernels, GUINT_TO_POINTER (g_array_index (regions->kernels, LsRegion, k).node + 1));
  for (guint i = 0; regions && i < nodes->len; i++) {
    const LsUOp *u = nodes->pdata[i];
    guint of = GPOINTER_TO_UINT (g_hash_table_lookup (regions->of_node, u)), n = 0, found = 0;
    for (guint k = 0; k < regions->kernels->len; k++) {
      const LsRegion *region = &g_array_index (regions->kernels, LsRegion, k);
      guint kernel = kernel_of (region);
      g_assert_cmpuint (ls_kernel_value (trace, ls_trace_kernel (trace, kernel), 0), ==, region->node);
      if (computes (trace, kernel, u->id)) {
        n++;
        found = k + 1;
      }
    }
    gboolean stored = g_hash_table_contains (kernels, GUINT_TO_POINTER (u->id + 1));      /* others that read it have it, too */
    if (stored)
      g_assert_true (of && is_result (trace, ls_trace_kernel (trace, kernel_of (&g_array_index (regions->kernels, LsRegion, of - 1))),
                                      u->id));
    else if (of && !is_movement (u) && !is_memory (u))
      g_assert_true (n == 1 && of == found);
  }
}

/* The kernels of a schedule. */
static guint
n_kernels (LsTrace *trace, const LsPass *schedule)
{
  g_autoptr (GHashTable) found = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < trace->decisions->len; i++) {
    const LsDecision *d = &g_array_index (trace->decisions, LsDecision, i);
    if (d->pass == schedule->index && d->realized && d->kernel)
      g_hash_table_add (found, GUINT_TO_POINTER (d->kernel));
  }
  return g_hash_table_size (found);
}

/* The same parts in the program's graph: a node that a kernel computed is in the part of one that has its name. */
static void
check_program_regions (LsTrace *trace)
{
  g_autoptr (LsTrace) walk = ls_trace_statements (trace);
  for (guint p = 0; p < walk->passes->len; p++) {
    const LsPass *stop = walk->passes->pdata[p];
    g_autoptr (GPtrArray) nodes = ls_uop_toposort (walk->ctx, ls_context_node (walk->ctx, stop->output));
    g_autoptr (LsRegions) regions = ls_program_regions (walk, nodes);
    for (guint i = 0; i < nodes->len; i++) {
      guint of = GPOINTER_TO_UINT (g_hash_table_lookup (regions->of_node, nodes->pdata[i]));
      g_assert_cmpuint (of, <=, regions->kernels->len);
      const char *title = of ? g_array_index (regions->kernels, LsRegion, of - 1).title : NULL;
      guint kernel = title ? (guint) strtoul (title + strlen ("kernel "), NULL, 10) : 0;
      g_assert_true (!title || (kernel > 0 && kernel <= trace->kernels->len));
    }
  }
}

static void
check_schedule (LsTrace *trace, const LsPass *pass, Counts *counts)
{
  g_autoptr (GHashTable) stored = g_hash_table_new (NULL, NULL), decided = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  guint n = ls_pass_n_steps (pass), kernel = 0, step = 1;
  const LsDecision *d;
  for (; (d = ls_schedule_step_decision (pass, step)); step++) {
    g_assert_cmpuint (d->pass, ==, pass->index);
    check_decision (trace, d, stored, decided);
    check_words (pass, step);
  }
  counts->decisions += step - 1;
  g_assert_cmpuint (n - (step - 1), ==, n_kernels (trace, pass));
  for (; step <= n; step++, counts->turns++) {      /* kernels in the order of launches */
    LsRowStep row;
    g_assert_true (ls_row_step (pass, step, &row));
    g_assert_true (g_hash_table_contains (stored, ls_context_node (trace->ctx, row.node)));
    guint at = 1;
    while (ls_kernel_value (trace, ls_trace_kernel (trace, at), 0) != row.node || at <= kernel)
      at++;
    kernel = at;
    check_words (pass, step);
  }
  if (n < 300)
    check_regions (trace, pass);
  counts->uses += check_uses (trace, pass, decided);
  counts->schedules++;
}

static gboolean
is_buffer (gpointer data, const LsUOp *u)
{
  return u->op == LS_OP_BUFFER;
}

/* Of kernels of which one reads the other's value, the reason that was decided is one of those that are found for each use by itself. */
static void
check_pairs (LsTrace *trace, Counts *counts)
{
  for (guint b = 2; b <= trace->kernels->len; b++)
    for (guint a = MAX (b, 6) - 5; a < b; a++) {
      g_autoptr (LsWhyNotFused) w = ls_why_not_fused (trace, b, a, NULL);
      g_assert_true (w->from == a && w->to == b);
      g_autofree char *text = ls_why_not_fused_text (w, FALSE);
      g_assert_true (*text);
      if (w->kind != LS_NOT_FUSED_USE)
        continue;
      const LsDecision *d = ls_schedule_step_decision (w->schedule, w->step);
      g_assert_nonnull (d);
      g_assert_cmpuint (d->kernel, ==, a);
      g_assert_true (uses (ls_context_node (trace->ctx, w->user), ls_context_node (trace->ctx, w->node)));
      if (d->user_kernel == b && ls_reasons_of_use >> d->key & 1) {
        LsUOp *user = ls_context_node (trace->ctx, w->user), *value = ls_context_node (trace->ctx, w->node);
        /* at the time fewer values were stored; but the reduces of the kernels were the same */
        guint32 found = ls_use_reasons (trace->ctx, value, user, TRUE, TRUE, w->passed ? is_buffer : ls_schedule_stored,
                                        (gpointer) w->schedule);
        if (!(found >> d->key & 1))
          g_error ("kernels %u and %u: %s was decided, and is not found", a, b, ls_reasons[d->key].key);
        g_assert_true (!w->passed == !strstr (text, "does not hold in the end"));
        counts->passed += w->passed;
      }
      counts->pairs++;
    }
}

static void
check_program (const char *path, const char *settings, Counts *counts)
{
  g_autoptr (LsSession) s = fixture_run (&(FixtureRun) { .file = path, .settings = settings, .only_text = TRUE }, NULL);
  guint n = 0;
  for (guint i = 0; i < s->trace->passes->len; i++) {
    const LsPass *pass = s->trace->passes->pdata[i];
    if (pass->kernel || !g_str_equal (pass->stage, "schedule"))
      continue;
    check_schedule (s->trace, pass, counts);
    n++;
  }
  g_assert_cmpuint (n > 0, ==, s->trace->kernels->len > 0);
  check_pairs (s->trace, counts);
  if (s->trace->kernels->len < 100)
    check_program_regions (s->trace);
}

/* A kernel has one part at all stops, from the statement on that makes its nodes; memory and values that nothing asks for have none. */
static void
test_program_regions (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = "from tinygrad import Tensor\nx = Tensor([[1., 2.], [3., 4.]])\n"
                                                 "y = x.sum(0).contiguous()\nz = y * 2 + 1\n"
                                                 "unused = x + 5\nprint(z.tolist())\n", .only_text = TRUE, .settings = "MULTIOUTPUT=0");
  g_autoptr (LsTrace) walk = ls_trace_statements (s->trace);
  const guint kernels[] = { 0, 1, 1, 2, 2, 2 };      /* the view of x that the sum reads is kernel 1's */
  g_assert_cmpuint (walk->passes->len, ==, G_N_ELEMENTS (kernels));
  for (guint p = 0; p < walk->passes->len; p++) {
    const LsPass *stop = walk->passes->pdata[p];
    g_autoptr (GPtrArray) nodes = ls_uop_toposort (walk->ctx, ls_context_node (walk->ctx, stop->output));
    g_autoptr (LsRegions) regions = ls_program_regions (walk, nodes);
    g_assert_cmpuint (regions->kernels->len, ==, kernels[p]);
    for (guint i = 0; i < nodes->len; i++) {
      const LsUOp *u = nodes->pdata[i];
      guint of = GPOINTER_TO_UINT (g_hash_table_lookup (regions->of_node, u));
      if (u->op == LS_OP_REDUCE_AXIS || u->op == LS_OP_CONTIGUOUS)
        g_assert_cmpstr (g_array_index (regions->kernels, LsRegion, of - 1).title, ==, "kernel 1: contiguous, line 3");
      else if (u->op == LS_OP_MUL)
        g_assert_cmpstr (g_array_index (regions->kernels, LsRegion, of - 1).title, ==, "kernel 2: add, line 4");
      else if (u->op == LS_OP_BUFFER || u->op == LS_OP_SINK)
        g_assert_cmpuint (of, ==, 0);
    }
  }
}

static void
test_programs (gconstpointer settings)
{
  Counts counts = { 0 };
  const char *folders[] = { g_getenv ("LAZYSCOPE_PROGRAMS"), g_getenv ("LAZYSCOPE_CASES") };
  for (guint f = 0; f < G_N_ELEMENTS (folders); f++) {
    g_autoptr (GDir) dir = g_dir_open (folders[f], 0, NULL);
    const char *name;
    guint i = 0, one_in = fixture_share (1, 6, "of the programs");
    while (dir && (name = g_dir_read_name (dir)))
      if (g_str_has_suffix (name, ".py") && i++ % one_in == 0) {
        g_autofree char *path = g_build_filename (folders[f], name, NULL);
        check_program (path, settings, &counts);
      }
  }
  g_assert_cmpuint (counts.uses, >, 0);
  g_print ("# %u schedules, %u decisions, %u uses, %u kernels, %u pairs, %u of them by a reason that passed\n", counts.schedules,
           counts.decisions, counts.uses, counts.turns, counts.pairs, counts.passed);
}

/* The decision about a node of that op with that key. */
static const LsDecision *
find (LsTrace *trace, LsOp op, LsReason key, const LsPass **pass, guint *step)
{
  for (guint i = 0; i < trace->passes->len; i++) {
    const LsDecision *d;
    *pass = trace->passes->pdata[i];
    for (*step = 1; (d = ls_schedule_step_decision (*pass, *step)); (*step)++)
      if (d->key == key && ls_context_node (trace->ctx, d->node)->op == op)
        return d;
  }
  return NULL;
}

static void
assert_cost (LsTrace *trace, LsOp op, LsReason key, gint64 bytes, gint64 work, gint64 times, guint accumulators)
{
  const LsPass *pass;
  guint step;
  LsDecisionCost c;
  g_assert_nonnull (find (trace, op, key, &pass, &step));
  g_assert_true (ls_schedule_step_cost (pass, step, &c));
  g_assert_cmpint (c.stored, ==, bytes);
  g_assert_cmpint (c.loaded, ==, bytes);
  g_assert_cmpint (c.work, ==, work);
  g_assert_cmpint (c.times, ==, times);
  g_assert_cmpuint (c.accumulators, ==, accumulators);
  g_assert_false (c.at_least);
}

static void
test_costs (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = "x = Tensor([[1., 2., 3.], [4., 5., 6.]]).realize()\ny = Tensor([1., 2., 4.]).realize()\n"
                                                 "print((x + y.log2()).tolist())\nprint((x - x.max(axis=1, keepdim=True)).tolist())\n"
                                                 "print(((y * 2).reshape(1, 3).expand(2, 3) + x).tolist())\n", .settings = "FUSE=0");
  assert_cost (s->trace, LS_OP_LOG2, LS_REASON_COSTLY_EXPAND, -12, 3, 2, 0);      /* three logarithms for each of two rows */
  assert_cost (s->trace, LS_OP_REDUCE_AXIS, LS_REASON_REDUCE_EXPAND, -8, 0, 1, 1);      /* once for each row, before its columns */
  g_autoptr (LsSession) columns = FIXTURE_RUN (.text = "x = Tensor([[1., 2., 3.], [4., 5., 6.]]).realize()\n"
                                                       "print((x - x.max(axis=0, keepdim=True)).tolist())\n");
  assert_cost (columns->trace, LS_OP_REDUCE_AXIS, LS_REASON_REDUCE_EXPAND, -12, 6, 2, 1);      /* six comparisons for each of two rows */
  g_autoptr (LsSession) along = FIXTURE_RUN (.text = "x = Tensor([[1., 2., 3.], [4., 5., 6.]]).realize()\n"
                                                     "print((x - x.max(axis=1, keepdim=True)).tolist())\n");
  assert_cost (along->trace, LS_OP_REDUCE_AXIS, LS_REASON_ALONG, 8, 0, 1, 0);
  assert_cost (s->trace, LS_OP_MUL, LS_REASON_CHEAP, 12, -3, 2, 0);      /* stored, three products would be made once and not twice */
}

/* The words name both ends, their lines and the reason. */
static void
test_words (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = "x = Tensor([[1., 2.], [3., 4.]]).realize()\nm = x.max(axis=1, keepdim=True)\n"
                                                 "print((x - m).tolist())\n", .settings = "FUSE=0");
  const LsPass *pass;
  guint step;
  g_auto (LsRowWords) words = { NULL };
  const LsDecision *d = find (s->trace, LS_OP_REDUCE_AXIS, LS_REASON_REDUCE_EXPAND, &pass, &step);
  g_assert_true (d && ls_row_step_words (pass, step, FALSE, &words));
  g_assert_cmpuint (d->kernel + 1, ==, d->user_kernel);
  g_assert_nonnull (strstr (words.change, "is stored by kernel"));
  g_assert_cmpstr (words.why, ==, ls_reasons[LS_REASON_REDUCE_EXPAND].sentence);
  g_assert_nonnull (strstr (words.more, "line 2"));
  g_assert_nonnull (strstr (words.more, "line 3"));
  g_assert_nonnull (strstr (words.more, "Fused instead: 8 bytes less"));
}

/* Why two kernels are two, in each of the ways in which they can be. */
static void
test_why_not_fused (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = "x = Tensor([[1., 2.], [3., 4.]]).realize()\nm = x.max(axis=1, keepdim=True)\n"
                                                 "e = (x - m).exp()\ny = e / e.sum(axis=1, keepdim=True)\nz = x - x.sum(axis=1).max()\n"
                                                 "Tensor.realize(y, z)\n(x + 1).realize()\n", .settings = "FUSE=0");
  guint n_kind[4] = { 0 }, n = s->trace->kernels->len;
  for (guint a = 1; a < n; a++)
    for (guint b = a + 1; b <= n; b++) {
      g_autoptr (LsWhyNotFused) w = ls_why_not_fused (s->trace, a, b, NULL);
      g_autofree char *text = ls_why_not_fused_text (w, FALSE);
      n_kind[w->kind]++;
      if (w->kind == LS_NOT_FUSED_WAY)
        g_assert_cmpuint (w->way->len, >, 0);
      if (w->kind != LS_NOT_FUSED_USE)
        continue;
      g_assert_nonnull (strstr (text, "is from line "));
      g_assert_nonnull (strstr (text, "Decided in step "));
    }
  for (guint k = 0; k < G_N_ELEMENTS (n_kind); k++)
    g_assert_cmpuint (n_kind[k], >, 0);
  g_autoptr (GError) error = NULL;
  g_assert_null (ls_why_not_fused (s->trace, 1, 99, &error));
  g_assert_error (error, LS_ERROR, LS_ERROR_USAGE);
  g_clear_error (&error);
  g_assert_null (ls_why_not_fused (s->trace, 1, 1, &error));
  g_assert_nonnull (error);
}

/* An older recording has no decisions about uses; the ones it has are steps of schedules of its own. */
static void
test_older (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("G_TEST_SRCDIR"), "ui", "data", "softmax.lscope", NULL);
  g_autoptr (LsTrace) trace = ls_trace_load (path, NULL);
  guint n = 0, steps = 0;
  g_assert_nonnull (trace);
  for (guint i = 0; i < trace->passes->len; i++) {
    const LsPass *pass = trace->passes->pdata[i];
    const LsDecision *d;
    if (pass->kernel || !g_str_equal (pass->stage, "schedule"))
      continue;
    n++;
    for (guint step = 1; (d = ls_schedule_step_decision (pass, step)); step++, steps++) {
      check_words (pass, step);
      g_assert_cmpuint (d->user, ==, LS_NO_NODE);
      g_assert_true (d->kernel == 0 || schedule_of (trace, d->kernel)->input == d->node);
    }
  }
  g_assert_cmpuint (n, ==, 3);
  g_assert_cmpuint (steps, ==, trace->decisions->len);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/decisions/programs/default", "", test_programs);
  g_test_add_data_func ("/decisions/programs/classic", "profile=classic", test_programs);
  g_test_add_data_func ("/decisions/programs/modern", "profile=modern", test_programs);
  g_test_add_func ("/decisions/costs", test_costs);
  g_test_add_func ("/decisions/words", test_words);
  g_test_add_func ("/decisions/why-not-fused", test_why_not_fused);
  g_test_add_func ("/schedule/decisions/program-regions", test_program_regions);
  g_test_add_func ("/decisions/older", test_older);
  return g_test_run ();
}
