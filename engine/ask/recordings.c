/* How two recordings differ: from the program down to the source, each level by content.
 *
 * Ids belong to a recording, so nodes are compared by a hash of all nodes below them; buffers of the program's graph count by size and
 * dtype, those of a kernel by their position among its arguments. Kernels are paired by the longest common sequence of their input
 * graphs, the others between two pairs in order. Rewrite logs are compared up to the first step whose rule or nodes differ: later
 * differences follow from it. Times are reported with their spread and do not count as a difference.
 */
#include "ask.h"
#include "trace/diff.h"
#include "reference.h"
#include "ir/sentence.h"
#include "ir/print.h"

#include <string.h>

typedef struct {
  LsTrace *trace;
  guint64 *hash;       /* by node id */
  guint    n;
} Side;

static void
hash_nodes (Side *s, LsTrace *trace)
{
  s->trace = trace;
  s->n = ls_context_n_nodes (trace->ctx);
  s->hash = g_new0 (guint64, MAX (s->n, 1));
  for (guint i = 0; i < s->n; i++) {
    const LsUOp *u = ls_context_node (trace->ctx, i);
    guint64 h = ls_hash_fields (u);
    for (guint k = 0; k < u->n_src; k++)
      h = ls_hash_mix (h, s->hash[u->src[k]->id]);
    s->hash[i] = h;
  }
}

static guint64
hash_of (const Side *s, guint32 node)
{
  return node < s->n ? s->hash[node] : 0;
}

void
ls_trace_diff_free (LsTraceDiff *d)
{
  if (!d)
    return;
  for (guint i = 0; i < d->differences->len; i++) {
    LsDifference *x = &g_array_index (d->differences, LsDifference, i);
    g_free (x->text);
    g_free (x->a);
    g_free (x->b);
  }
  g_array_unref (d->differences);
  g_array_unref (d->kernels);
  g_free (d);
}

/* text is taken. */
static void
add (LsTraceDiff *d, const char *section, guint ka, guint kb, char *text, const char *a, const char *b)
{
  LsDifference x = { section, ka, kb, text, g_strdup (a), g_strdup (b) };
  g_array_append_val (d->differences, x);
}

/* The first line in which two texts differ, and how many lines there are of each. */
static void
compare_text (LsTraceDiff *d, const char *section, guint ka, guint kb, const char *a, const char *b)
{
  if (g_strcmp0 (a, b) == 0)
    return;
  g_auto (GStrv) x = g_strsplit (a ? a : "", "\n", -1), y = g_strsplit (b ? b : "", "\n", -1);
  guint i = 0, n = g_strv_length (x), m = g_strv_length (y);
  while (i < n && i < m && strcmp (x[i], y[i]) == 0)
    i++;
  n -= n > 0 && !*x[n - 1];
  m -= m > 0 && !*y[m - 1];
  add (d, section, ka, kb, g_strdup_printf ("differs from line %u on (%u lines, %u lines)", i + 1, n, m),
       i < n ? x[i] : NULL, i < m ? y[i] : NULL);
}

static int
compare_u64 (gconstpointer a, gconstpointer b)
{
  guint64 x = *(const guint64 *) a, y = *(const guint64 *) b;
  return x < y ? -1 : x > y;
}

static LsSpread
spread (const LsKernel *k)
{
  LsSpread s = { 0 };
  if (!k || k->run_ns->len == 0)
    return s;
  g_autofree guint64 *sorted = g_memdup2 (k->run_ns->data, k->run_ns->len * sizeof (guint64));
  s.n = k->run_ns->len;
  qsort (sorted, s.n, sizeof *sorted, compare_u64);
  s.median = s.n % 2 ? (double) sorted[s.n / 2] : ((double) sorted[s.n / 2 - 1] + (double) sorted[s.n / 2]) / 2;
  s.low = (double) sorted[0];
  s.high = (double) sorted[s.n - 1];
  return s;
}

/* The rewrite passes of a kernel's code, or of the tensor level, in order. */
static GPtrArray *
rewrites (LsTrace *t, guint kernel)
{
  GPtrArray *out = g_ptr_array_new ();
  const LsKernel *k = ls_trace_kernel (t, kernel);
  guint of = k && k->same_as > 0 ? (guint) k->same_as : kernel;
  for (guint i = 0; i < t->passes->len; i++) {
    LsPass *p = t->passes->pdata[i];
    if (p->kernel == of && p->kind == LS_PASS_REWRITE)
      g_ptr_array_add (out, p);
  }
  return out;
}

static const char *
rule_at (LsTrace *t, const LsPass *p, guint step)
{
  if (!p || step < 1 || step > ls_pass_n_rewrites (p))
    return NULL;
  gint rule = ls_pass_step_link (p, step)->rule;
  return rule >= 0 && (guint) rule < t->rules->len ? ((LsTraceRule *) t->rules->pdata[rule])->name : NULL;
}

/* The step from which on two passes part, from 1; 0: they do not. One of them may be NULL. */
static guint
parting_step (const Side *sa, const LsPass *a, const Side *sb, const LsPass *b)
{
  guint n = a ? ls_pass_n_rewrites (a) : 0, m = b ? ls_pass_n_rewrites (b) : 0, k = 1;
  if (!a || !b)      /* a pass that changed nothing does not count */
    return n || m ? 1 : 0;
  if (strcmp (a->name, b->name) != 0 || hash_of (sa, a->input) != hash_of (sb, b->input))
    return 1;
  for (; k <= n && k <= m; k++) {
    const LsLink *x = ls_pass_step_link (a, k), *y = ls_pass_step_link (b, k);
    if (g_strcmp0 (rule_at (sa->trace, a, k), rule_at (sb->trace, b, k)) != 0 || hash_of (sa, x->before) != hash_of (sb, y->before) ||
        hash_of (sa, x->after) != hash_of (sb, y->after))
      return k;
  }
  return k <= n || k <= m ? k : 0;
}

/* The passes nested in a step, in order. */
static GPtrArray *
nested_in (const LsTrace *t, const LsPass *parent, guint step)
{
  GPtrArray *out = g_ptr_array_new ();
  for (guint i = 0; i < t->passes->len; i++) {
    LsPass *p = t->passes->pdata[i];
    if (p->parent == (gint) parent->index && p->step == step && p->kind == LS_PASS_REWRITE)
      g_ptr_array_add (out, p);
  }
  return out;
}

/* A step of the same rule on the same node whose results differ has them from a pass that is nested in it, where one that began with
 * the same differs: the logs part there. */
static void
into_nested (const Side *sa, const LsPass **a, const Side *sb, const LsPass **b, guint *step)
{
  for (guint found = *step; found && *a && *b;) {
    if (found > ls_pass_n_rewrites (*a) || found > ls_pass_n_rewrites (*b) || g_strcmp0 (rule_at (sa->trace, *a, found),
                                                                                   rule_at (sb->trace, *b, found)) != 0 ||
        hash_of (sa, ls_pass_step_link (*a, found)->before) != hash_of (sb, ls_pass_step_link (*b, found)->before))
      return;
    g_autoptr (GPtrArray) pa = nested_in (sa->trace, *a, found), pb = nested_in (sb->trace, *b, found);
    found = 0;
    for (guint i = 0; i < MIN (pa->len, pb->len) && !found; i++) {
      const LsPass *x = pa->pdata[i], *y = pb->pdata[i];
      if (strcmp (x->name, y->name) != 0 || hash_of (sa, x->input) != hash_of (sb, y->input))
        return;
      found = parting_step (sa, x, sb, y);
      if (found) {
        *a = x;
        *b = y;
        *step = found;
      }
    }
  }
}

static gboolean
has_pass (const GPtrArray *passes, const char *name)
{
  for (guint i = 0; i < passes->len; i++)
    if (strcmp (((const LsPass *) passes->pdata[i])->name, name) == 0)
      return TRUE;
  return FALSE;
}

/* Where two logs part. A pass that only one of them has is not compared with another. */
static void
compare_logs (LsTraceDiff *d, const Side *sa, const Side *sb, LsKernelPair *pair)
{
  g_autoptr (GPtrArray) pa = rewrites (sa->trace, pair->a), pb = rewrites (sb->trace, pair->b);
  pair->pass_a = pair->pass_b = -1;
  for (guint i = 0; i < pa->len; i++)
    pair->n_steps_a += ls_pass_n_rewrites (pa->pdata[i]);
  for (guint i = 0; i < pb->len; i++)
    pair->n_steps_b += ls_pass_n_rewrites (pb->pdata[i]);
  for (guint i = 0, j = 0; i < pa->len || j < pb->len;) {
    const LsPass *a = i < pa->len ? pa->pdata[i] : NULL, *b = j < pb->len ? pb->pdata[j] : NULL;
    if (a && b && strcmp (a->name, b->name) != 0 && !has_pass (pa, b->name))
      a = NULL;
    else if (a && b && strcmp (a->name, b->name) != 0 && !has_pass (pb, a->name))
      b = NULL;
    i += a != NULL;
    j += b != NULL;
    guint k = parting_step (sa, a, sb, b);
    if (!k)
      continue;
    into_nested (sa, &a, sb, &b, &k);
    pair->pass_a = a ? (gint) a->index : -1;
    pair->pass_b = b ? (gint) b->index : -1;
    pair->step_a = pair->step_b = k;
    pair->rule_a = rule_at (sa->trace, a, k);
    pair->rule_b = rule_at (sb->trace, b, k);
    g_autoptr (GString) x = g_string_new (NULL), y = g_string_new (NULL);
    const struct { const Side *s; const LsPass *p; const char *rule; GString *to; } sides[] = { { sa, a, pair->rule_a, x },
                                                                                                { sb, b, pair->rule_b, y } };
    for (gsize s = 0; s < 2; s++) {
      if (!sides[s].p) {
        g_string_append_printf (sides[s].to, "no pass %s", (a ? a : b)->name);
      } else if (!sides[s].rule) {
        g_string_append_printf (sides[s].to, "%s ends after %u steps", sides[s].p->name, ls_pass_n_rewrites (sides[s].p));
      } else {
        const LsLink *l = ls_pass_step_link (sides[s].p, k);
        g_autofree char *before = ls_uop_summary (ls_context_node (sides[s].s->trace->ctx, l->before)),
                        *after = ls_uop_summary (ls_context_node (sides[s].s->trace->ctx, l->after));
        g_string_append_printf (sides[s].to, LS_TEMPLATE ("%s/%u %s: node %u %s -> node %u %s"), sides[s].p->name, k,
                                sides[s].rule, l->before, before,
                                l->after, after);
      }
    }
    char *text = g_strdup_printf ("the rewrite logs differ from step %u of %s on (%u steps, %u steps in all)", k, a ? a->name : b->name,
                                  pair->n_steps_a, pair->n_steps_b);
    add (d, LS_TEMPLATE ("rewrites"), pair->a, pair->b, text, x->str, y->str);
    return;
  }
}

static char *
listing_text (LsTrace *t, const LsKernel *k)
{
  g_autoptr (GPtrArray) list = ls_kernel_list (t, k);
  return ls_listing_print (t->ctx, list->len, (LsUOp **) list->pdata, LS_STYLE_OPS);
}

/* The schedule's reason for the kernel. */
static char *
decision_text (LsTrace *t, guint kernel)
{
  GString *s = g_string_new (NULL);
  for (guint i = 0; i < t->decisions->len; i++) {
    const LsDecision *d = &g_array_index (t->decisions, LsDecision, i);
    if (d->kernel != kernel)
      continue;
    g_autofree char *node = ls_uop_summary (ls_context_node (t->ctx, d->node));
    g_string_append_printf (s, "%s: %s\n", node, d->reason);
  }
  return g_string_free (s, FALSE);
}

/* The recorded rewrites, options and rows of such a kernel belong to the generated code, which did not run. */
static void
compare_by_hand (LsTraceDiff *d, guint a, guint b, const LsKernel *x, const LsKernel *y)
{
  const char *of_x = ls_kernel_by_hand (x), *of_y = ls_kernel_by_hand (y);
  if (!of_x || !of_y)
    add (d, LS_TEMPLATE ("by hand"), a, b, 
         g_strdup_printf ("the code of %s is hand-written: it has no rewrites, options or UOps to compare", of_x ? "A" : "B"),
         of_x ? of_x : "it is generated", of_y ? of_y : "it is generated");
}

static void
compare_kernels (LsTraceDiff *d, const Side *sa, const Side *sb, guint a, guint b)
{
  LsKernelPair pair = { .a = a, .b = b, .pass_a = -1, .pass_b = -1 };
  const LsKernel *x = ls_trace_kernel (sa->trace, a), *y = ls_trace_kernel (sb->trace, b);
  guint before = d->differences->len;
  pair.time_a = spread (x);
  pair.time_b = spread (y);
  if (!x || !y) {
    add (d, LS_TEMPLATE ("kernels"), a, b,
         g_strdup_printf ("kernel %u %s has no counterpart in %s", x ? a : b, x ? x->name : y->name, x ? "B" : "A"),
         x ? x->name : NULL, y ? y->name : NULL);
  } else {
    g_autofree char *why_a = decision_text (sa->trace, a), *why_b = decision_text (sb->trace, b), *list_a = listing_text (sa->trace, x),
                    *list_b = listing_text (sb->trace, y);
    compare_text (d, LS_TEMPLATE ("schedule"), a, b, why_a, why_b);
    if (ls_kernel_by_hand (x) || ls_kernel_by_hand (y)) {
      compare_by_hand (d, a, b, x, y);
    } else {
      if (strcmp (x->options, y->options) != 0)
        add (d, LS_TEMPLATE ("options"), a, b, g_strdup ("the options differ"), x->options, y->options);
      compare_logs (d, sa, sb, &pair);
      compare_text (d, LS_TEMPLATE ("listing"), a, b, list_a, list_b);
    }
    compare_text (d, LS_TEMPLATE ("source"), a, b, x->source, y->source);
    compare_text (d, LS_TEMPLATE ("compile"), a, b, x->compile_message, y->compile_message);
    g_autofree char *compiler_a = ls_kernel_compiler_label (x), *compiler_b = ls_kernel_compiler_label (y);
    if (strcmp (x->target, y->target) != 0 || g_strcmp0 (compiler_a, compiler_b) != 0) {
      g_autofree char *how_a = g_strdup_printf ("%s, %s", x->target, compiler_a),
                      *how_b = g_strdup_printf ("%s, %s", y->target, compiler_b);
      add (d, LS_TEMPLATE ("compile"), a, b, g_strdup ("target, compiler or flags differ"), how_a, how_b);
    }
    if (g_strcmp0 (x->run_error, y->run_error) != 0)
      add (d, LS_TEMPLATE ("run"), a, b, g_strdup ("one of them failed, or the errors differ"), x->run_error, y->run_error);
  }
  pair.same = d->differences->len == before;
  g_array_append_val (d->kernels, pair);
}

static guint64
graph_hash (const Side *s, guint kernel)
{
  const LsKernel *k = ls_trace_kernel (s->trace, kernel);
  LsUOp *graph = k ? ls_reference_kernel_graph (s->trace, k) : NULL;
  return graph ? s->hash[graph->id] : kernel;
}

static void
pair_kernels (LsTraceDiff *d, const Side *sa, const Side *sb)
{
  guint n = sa->trace->kernels->len, m = sb->trace->kernels->len;
  gboolean fits = (guint64) n * m <= 4000000;
  g_autofree guint32 *best = g_new0 (guint32, fits ? (gsize) (n + 1) * (m + 1) : 1);
  g_autofree guint64 *ha = g_new0 (guint64, n + 1), *hb = g_new0 (guint64, m + 1);
  for (guint i = 0; i < n; i++)
    ha[i] = graph_hash (sa, i + 1);
  for (guint i = 0; i < m; i++)
    hb[i] = graph_hash (sb, i + 1);
#define BEST(i, j) best[(gsize) (i) * (m + 1) + (j)]
  for (guint i = n; fits && i-- > 0;)
    for (guint j = m; j-- > 0;)
      BEST (i, j) = ha[i] == hb[j] ? BEST (i + 1, j + 1) + 1 : MAX (BEST (i + 1, j), BEST (i, j + 1));
  guint i = 0, j = 0;
  while (i < n || j < m) {
    /* up to the next anchor */
    guint p = i, q = j;
    while (fits && p < n && q < m && ha[p] != hb[q]) {
      if (BEST (p + 1, q) >= BEST (p, q + 1))
        p++;
      else
        q++;
    }
    if (!fits || p == n || q == m) {
      p = n;
      q = m;
    }
    while (i < p || j < q) {
      compare_kernels (d, sa, sb, i < p ? i + 1 : 0, j < q ? j + 1 : 0);
      i += i < p;
      j += j < q;
    }
    if (i < n && j < m) {
      compare_kernels (d, sa, sb, i + 1, j + 1);
      i++;
      j++;
    }
  }
}

static LsTraceDiff *
diff_new (LsTrace *a, LsTrace *b)
{
  LsTraceDiff *d = g_new0 (LsTraceDiff, 1);
  d->a = a;
  d->b = b;
  d->differences = g_array_new (FALSE, FALSE, sizeof (LsDifference));
  d->kernels = g_array_new (FALSE, FALSE, sizeof (LsKernelPair));
  return d;
}

/* The pair's kernels are its a and b. */
static void
diff_pair (const Side *sa, const Side *sb, LsKernelPair *pair, LsDifference *where)
{
  LsTrace *a = sa->trace, *b = sb->trace;
  g_autoptr (LsTraceDiff) d = diff_new (a, b);
  const LsKernel *ka = ls_trace_kernel (a, pair->a), *kb = ls_trace_kernel (b, pair->b);
  *pair = (LsKernelPair) { .a = pair->a, .b = pair->b, .time_a = spread (ka), .time_b = spread (kb) };
  if (ka && kb && (ls_kernel_by_hand (ka) || ls_kernel_by_hand (kb)))
    compare_by_hand (d, pair->a, pair->b, ka, kb);
  else
    compare_logs (d, sa, sb, pair);
  pair->same = d->differences->len == 0;
  if (!pair->same && where) {
    *where = g_array_index (d->differences, LsDifference, 0);
    g_array_remove_index (d->differences, 0);
  }
}

void
ls_kernels_diff (LsTrace *a, LsTrace *b, guint n, LsKernelPair *pairs)
{
  Side sa, sb;
  hash_nodes (&sa, a);
  hash_nodes (&sb, b);
  for (guint i = 0; i < n; i++)
    diff_pair (&sa, &sb, &pairs[i], NULL);
  g_free (sa.hash);
  g_free (sb.hash);
}

LsKernelPair
ls_kernel_diff (LsTrace *a, guint kernel_a, LsTrace *b, guint kernel_b, LsDifference *where)
{
  LsKernelPair pair = { .a = kernel_a, .b = kernel_b };
  Side sa, sb;
  hash_nodes (&sa, a);
  hash_nodes (&sb, b);
  diff_pair (&sa, &sb, &pair, where);
  g_free (sa.hash);
  g_free (sb.hash);
  return pair;
}

LsTraceDiff *
ls_trace_diff (LsTrace *a, LsTrace *b)
{
  LsTraceDiff *d = diff_new (a, b);
  Side sa, sb;
  hash_nodes (&sa, a);
  hash_nodes (&sb, b);
  compare_text (d, LS_TEMPLATE ("program"), 0, 0, a->program_text, b->program_text);
  compare_text (d, LS_TEMPLATE ("output"), 0, 0, a->std_out, b->std_out);
  if (g_strcmp0 (a->error, b->error) != 0)
    add (d, LS_TEMPLATE ("run"), 0, 0, g_strdup ("one run failed, or the errors differ"), a->error, b->error);
  LsKernelPair tensor = { 0 };
  compare_logs (d, &sa, &sb, &tensor);
  if (a->kernels->len != b->kernels->len)
    add (d, LS_TEMPLATE ("kernels"), 0, 0, g_strdup_printf ("%u kernels, %u kernels", a->kernels->len, b->kernels->len), NULL, NULL);
  pair_kernels (d, &sa, &sb);
  g_free (sa.hash);
  g_free (sb.hash);
  return d;
}

/* --- the answer --- */

#define DIFFERENCE(X) \
  X (section, TEXT, x->section, TRUE, "Kind of difference: program, output, kernels, schedule, rewrites, options, listing, source, " \
                                      "compile or run") \
  X (kernel_a, INT, x->kernel_a, TRUE, "The kernel in A; 0 if A has none, or if the difference is not about a kernel") \
  X (kernel_b, INT, x->kernel_b, TRUE, "The kernel in B") \
  X (text, TEXT, x->text, TRUE, "The difference") \
  X (a, TEXT, x->a, TRUE, "The value in A") \
  X (b, TEXT, x->b, TRUE, "The value in B")
LS_INNER_RECORD (difference_answer, DIFFERENCE, const LsDifference *x = row;)

#define SPREAD(X) \
  X (median_ns, NUMBER, s->median, TRUE, "Median nanoseconds of one call") \
  X (low_ns, NUMBER, s->low, TRUE, "The shortest") \
  X (high_ns, NUMBER, s->high, TRUE, "The longest") \
  X (repeats, INT, s->n, TRUE, "Number of timed calls")
LS_INNER_RECORD (spread_answer, SPREAD, const LsSpread *s = row;)

static const char *
pass_name (const LsTraceDiff *d, const LsKernelPair *p)
{
  return ((const LsPass *) (p->pass_a >= 0 ? d->a->passes->pdata[p->pass_a] : d->b->passes->pdata[p->pass_b]))->name;
}

#define PARTS(X) \
  X (pass, TEXT, pass_name (answer->data, p), TRUE, "The pass") \
  X (step, INT, p->step_a, TRUE, "The first step that differs, from 1; one past the last if A's log ends") \
  X (rule_a, TEXT, p->rule_a, TRUE, "A's rule at that step") \
  X (rule_b, TEXT, p->rule_b, TRUE, "B's rule at that step")
LS_INNER_RECORD (parts_answer, PARTS, const LsKernelPair *p = row;)

static const char *
kernel_name (const LsTraceDiff *d, const LsKernelPair *p)
{
  return (p->a ? ls_trace_kernel (d->a, p->a) : ls_trace_kernel (d->b, p->b))->name;
}

/* Columns of the text table are two spaces apart after a time. */
static char *
range_text (const LsSpread *s)
{
  return g_strdup_printf (" %.1f-%.1f", s->low / 1e3, s->high / 1e3);
}

#define PAIR(X) \
  X (a, INT, p->a, TRUE, "Number of the kernel in A; 0 if it has no counterpart", .title = "kernel A", .width = -8) \
  X (b, INT, p->b, TRUE, "Number of the kernel in B; 0 if it has no counterpart", .title = "kernel B", .width = -8) \
  X (name, TEXT, kernel_name (answer->data, p), TRUE, "Its name", .title = "name", .width = -22, .only_text = TRUE) \
  X (same, BOOL, p->same, TRUE, "True if they are the same except for times", .title = "", .width = -9, .text = same_text) \
  X (steps_a, INT, p->n_steps_a, TRUE, "Number of steps of A's kernel") \
  X (steps_b, INT, p->n_steps_b, TRUE, "Number of steps of B's kernel") \
  X (parts, ROW, p, p->pass_a >= 0 || p->pass_b >= 0, "The first difference of the rewrite logs, if any", .of = &parts_answer) \
  X (time_a, ROW, &p->time_a, TRUE, "Time in A", .of = &spread_answer) \
  X (time_b, ROW, &p->time_b, TRUE, "Time in B", .of = &spread_answer) \
  X (us_a, NUMBER, p->time_a.median / 1e3, TRUE, "Time in A", .title = "median us", .width = 12, .format = "%.1f", .only_text = TRUE) \
  X (range_a, OWNED, range_text (&p->time_a), TRUE, "Its range", .title = " from-to", .width = -23, .only_text = TRUE) \
  X (us_b, NUMBER, p->time_b.median / 1e3, TRUE, "Time in B", .title = "median us", .width = 12, .format = "%.1f", .only_text = TRUE) \
  X (range_b, OWNED, range_text (&p->time_b), TRUE, "Its range", .title = " from-to", .width = -23, .only_text = TRUE)
static char *
same_text (const LsValue *value)
{
  return g_strdup (value->integer ? "same" : "different");
}
LS_RECORD (ls_kernel_pair_answer, PAIR, const LsKernelPair *p = row;)

#define TRACE_DIFF(X) \
  X (equal, BOOL, d->differences->len == 0, TRUE, "True if there is no difference") \
  X (differences, LIST, ls_list_array (d->differences), TRUE, "The differences", .of = &difference_answer, .lines = TRUE) \
  X (kernels, LIST, ls_list_array (d->kernels), TRUE, "The kernels, in pairs", .of = &ls_kernel_pair_answer)
LS_RECORD (ls_trace_diff_answer, TRACE_DIFF, const LsTraceDiff *d = row;)
