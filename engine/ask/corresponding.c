/* Finds the position in one recording that corresponds to a position in another, of the same program run with other options: nodes share
 * no names, so they are compared by structure. */
#include "ask.h"
#include "trace/diff.h"
#include "reference.h"

#include <string.h>

#define MOST_KERNELS 2000      /* above this many only the kernel of the same number is looked at */

/* The hash of u and all nodes below it. Free the memory with the table. */
static guint64
deep_hash (LsContext *ctx, GHashTable *known, LsUOp *root)
{
  g_autoptr (GPtrArray) order = ls_uop_toposort (ctx, root);
  for (guint i = 0; i < order->len; i++) {
    const LsUOp *u = order->pdata[i];
    if (g_hash_table_contains (known, u))
      continue;
    guint64 h = ls_hash_fields (u);
    for (guint k = 0; k < u->n_src; k++)
      h = ls_hash_mix (h, *(guint64 *) g_hash_table_lookup (known, u->src[k]));
    g_hash_table_insert (known, (gpointer) u, g_memdup2 (&h, sizeof h));
  }
  return *(guint64 *) g_hash_table_lookup (known, root);
}

static GHashTable *
new_hashes (void)
{
  return g_hash_table_new_full (NULL, NULL, NULL, g_free);
}

static guint64
kernel_hash (LsTrace *trace, GHashTable *known, const LsKernel *kernel)
{
  LsUOp *graph = ls_reference_kernel_graph (trace, kernel);
  return graph ? deep_hash (trace->ctx, known, graph) : 0;
}

/* The numbers of all kernels of that graph, in order. */
static GArray *
kernels_of_hash (LsTrace *trace, GHashTable *known, guint64 hash)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 1; i <= trace->kernels->len; i++)
    if (kernel_hash (trace, known, ls_trace_kernel (trace, i)) == hash)
      g_array_append_val (out, i);
  return out;
}

/* The kernel of the same graph with the same number among the kernels of that graph. */
static guint
of_graph (LsTrace *trace, guint number, LsTrace *to)
{
  g_autoptr (GHashTable) here = new_hashes (), there = new_hashes ();
  guint64 hash = kernel_hash (trace, here, ls_trace_kernel (trace, number));
  if (MAX (trace->kernels->len, to->kernels->len) > MOST_KERNELS) {
    const LsKernel *same = ls_trace_kernel (to, number);
    return same && kernel_hash (to, there, same) == hash ? number : 0;
  }
  g_autoptr (GArray) from = kernels_of_hash (trace, here, hash), found = kernels_of_hash (to, there, hash);
  guint ordinal = 0;
  while (ordinal < from->len && g_array_index (from, guint, ordinal) < number)
    ordinal++;
  return found->len ? g_array_index (found, guint, MIN (ordinal, found->len - 1)) : 0;
}

/* The first kernel of its line of the program. */
static guint
of_line (LsTrace *trace, guint number, LsTrace *to)
{
  LsProgramIndex *here = ls_program_index_new (trace), *there = ls_program_index_new (to);
  guint line = ls_program_index_kernel_line (here, ls_trace_kernel (trace, number)), found = 0;
  for (guint i = 1; line && i <= to->kernels->len && !found; i++)
    if (ls_program_index_kernel_line (there, ls_trace_kernel (to, i)) == line)
      found = i;
  ls_program_index_free (here);
  ls_program_index_free (there);
  return found;
}

gboolean
ls_kernel_same_graph (LsTrace *trace, guint number, LsTrace *other, guint its)
{
  const LsKernel *a = ls_trace_kernel (trace, number), *b = ls_trace_kernel (other, its);
  g_autoptr (GHashTable) here = new_hashes (), there = new_hashes ();
  return a && b && kernel_hash (trace, here, a) == kernel_hash (other, there, b);
}

guint
ls_kernel_corresponding (LsTrace *trace, guint number, LsTrace *to)
{
  g_return_val_if_fail (trace != NULL && to != NULL, 0);
  if (!ls_trace_kernel (trace, number) || !to->kernels->len)
    return 0;
  guint found = of_graph (trace, number, to);
  return found || trace->kernels->len > MOST_KERNELS ? found : of_line (trace, number, to);
}

/* 0: none is of that line. */
static guint
first_of_line (const guint *lines, guint n, guint line)
{
  for (guint i = 1; line && i <= n; i++)
    if (lines[i] == line)
      return i;
  return 0;
}

guint *
ls_kernel_lines (LsTrace *trace)
{
  LsProgramIndex *index = trace->kernels->len > MOST_KERNELS ? NULL : ls_program_index_new (trace);
  guint *lines = g_new0 (guint, trace->kernels->len + 1);
  for (guint i = 1; index && i <= trace->kernels->len; i++)
    lines[i] = ls_program_index_kernel_line (index, ls_trace_kernel (trace, i));
  g_clear_pointer (&index, ls_program_index_free);
  return lines;
}

/* Of each hash the numbers of its kernels, in order. */
static GHashTable *
kernels_by_hash (LsTrace *trace, guint64 *hashes)
{
  g_autoptr (GHashTable) known = new_hashes ();
  GHashTable *by_hash = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, (GDestroyNotify) g_array_unref);
  for (guint i = 1; i <= trace->kernels->len; i++) {
    hashes[i] = kernel_hash (trace, known, ls_trace_kernel (trace, i));
    GArray *of = g_hash_table_lookup (by_hash, &hashes[i]);
    if (!of)
      g_hash_table_insert (by_hash, &hashes[i], of = g_array_new (FALSE, FALSE, sizeof (guint)));
    g_array_append_val (of, i);
  }
  return by_hash;
}

guint *
ls_kernels_corresponding (LsTrace *trace, LsTrace *to)
{
  guint n = trace->kernels->len, *out = g_new0 (guint, n + 1);
  if (MAX (n, to->kernels->len) > MOST_KERNELS) {
    for (guint i = 1; i <= n; i++)
      out[i] = ls_kernel_corresponding (trace, i, to);
    return out;
  }
  g_autofree guint64 *here = g_new0 (guint64, n + 1), *there = g_new0 (guint64, to->kernels->len + 1);
  g_autoptr (GHashTable) own = kernels_by_hash (trace, here), others = kernels_by_hash (to, there);
  g_autofree guint *lines = ls_kernel_lines (trace), *other_lines = ls_kernel_lines (to);
  for (guint i = 1; i <= n; i++) {
    const GArray *of = g_hash_table_lookup (own, &here[i]), *found = here[i] ? g_hash_table_lookup (others, &here[i]) : NULL;
    guint ordinal = 0;
    while (g_array_index (of, guint, ordinal) < i)
      ordinal++;
    out[i] = found ? g_array_index (found, guint, MIN (ordinal, found->len - 1))
                   : first_of_line (other_lines, to->kernels->len, lines[i]);
  }
  return out;
}

static const LsPass *
pass_elsewhere (const LsPass *pass, LsTrace *to, guint kernel)
{
  const LsKernel *k = ls_trace_kernel (to, kernel);
  const LsPass *found = ls_trace_pass (to, kernel, pass->name);
  if (!found && k && k->same_as > 0)
    found = ls_trace_pass (to, (guint) k->same_as, pass->name);
  return found;
}

static const char *
rule_of (LsTrace *trace, const LsPass *pass, guint step)
{
  gint rule = ls_pass_step_link (pass, step)->rule;
  return rule >= 0 && (guint) rule < trace->rules->len ? ((const LsTraceRule *) trace->rules->pdata[rule])->name : "";
}

static guint64
step_hash (LsTrace *trace, GHashTable *known, const LsPass *pass, guint step)
{
  LsUOp *u = ls_context_node (trace->ctx, ls_pass_step_link (pass, step)->before);
  return u ? deep_hash (trace->ctx, known, u) : 0;
}

/* The step of the same rule on the same node, else its as manyeth step of that rule; 0: there is none. */
static guint
step_elsewhere (LsTrace *trace, const LsPass *pass, guint step, LsTrace *to, const LsPass *in)
{
  g_autoptr (GHashTable) here = new_hashes (), there = new_hashes ();
  const char *rule = rule_of (trace, pass, step);
  guint64 hash = step_hash (trace, here, pass, step);
  guint ordinal = 0, n = ls_pass_n_rewrites (in), found = 0;
  for (guint i = 1; i < step; i++)
    ordinal += strcmp (rule_of (trace, pass, i), rule) == 0;
  for (guint i = 1; i <= n; i++) {
    if (strcmp (rule_of (to, in, i), rule) != 0)
      continue;
    if (step_hash (to, there, in, i) == hash)
      return i;
    if (ordinal-- == 0)
      found = i;
  }
  return found;
}

/**
 * ls_position_corresponding:
 * @from: a position
 * @to: another recording
 * @out: (out): where it is there; not set where nothing was kept
 *
 * Returns: how much of it there is: the kernel of the same graph, else of the same line of the program; its pass of that name; the
 * step of the same rule on the same node
 */
LsPositionFound
ls_position_corresponding (const LsPosition *from, LsTrace *to, LsPosition *out)
{
  g_return_val_if_fail (from != NULL && to != NULL && out != NULL, LS_POSITION_NOTHING);
  guint kernel = from->pass->kernel ? ls_kernel_corresponding (from->trace, from->pass->kernel, to) : 0;
  if (from->pass->kernel && !kernel)
    return LS_POSITION_NOTHING;
  const LsPass *pass = pass_elsewhere (from->pass, to, kernel);
  if (!pass) {
    const LsKernel *k = ls_trace_kernel (to, kernel);
    guint first = k && k->passes->len ? g_array_index (k->passes, guint, 0) : G_MAXUINT;
    if (first >= to->passes->len)
      return LS_POSITION_NOTHING;
    *out = (LsPosition) { to, to->passes->pdata[first], 0 };
    return LS_POSITION_KERNEL;
  }
  guint n = ls_pass_n_rewrites (pass);
  *out = (LsPosition) { to, pass, MIN (from->step, n) };
  if (from->step == 0 || from->step > ls_pass_n_rewrites (from->pass))
    return LS_POSITION_STEP;
  guint step = step_elsewhere (from->trace, from->pass, from->step, to, pass);
  if (!step)
    return LS_POSITION_PASS;
  out->step = step;
  return LS_POSITION_STEP;
}
