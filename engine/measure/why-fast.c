/* See why-fast.h. A chain is counted as it is executed: the operations of floats between an accumulator's value and its next one, in the
 * order of the text (compilers keep the order of floats), times the iterations of its loops. An accumulator is a DEFINE_ACC that PHIs
 * assign, or a register that is loaded and stored. In an outer loop the accumulator begins again: such chains may overlap, and if the
 * time is shorter than all of them in sequence, only the time of one is certain. Chains of different accumulators run side by side.
 */
#include "why-fast.h"

#include "ir/axis.h"
#include "run/cache.h"
#include "run/measure.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define MAIN_BYTES ((guint64) 128 << 20)
#define L3_BYTES   ((guint64) 8 << 20)

/* --- the machine --- */

static const char chain_source[] = "void chain (float *out, const float *in) { float x = in[0], y = in[1]; for (int i = 0; i < 20000; "
                                   "i++) x = x %c y; out[0] = x; }\n";
static const char read_source[] =
  "typedef float v __attribute__ ((vector_size (32)));\n"
  "void reads (float *out, const float *in) { const v *p = (const v *) in; v a = p[0], b = a, c = a, d = a, e = a, f = a, g = a, h = a;\n"
  "  for (long i = 0; i < %" G_GUINT64_FORMAT "; i += 8) { a += p[i]; b += p[i + 1]; c += p[i + 2]; d += p[i + 3]; e += p[i + 4]; f += "
  "p[i + 5]; g += p[i + 6]; h += p[i + 7]; }\n"
  "  a = ((a + b) + (c + d)) + ((e + f) + (g + h)); out[0] = a[0] + a[1] + a[2] + a[3] + a[4] + a[5] + a[6] + a[7]; }\n";
/* The best of some runs, in nanoseconds of a call; negative: it failed. */
static double
best (LsRunner *runner, const char *name, const char *source, LsBuffer *const *buffers, guint batch, GError **error)
{
  const LsCompiler *timer = ls_compiler_for_text ("c");
  g_autofree char *flags = ls_compiler_options (timer, TRUE, NULL);
  LsLaunch launch = { .compiler = timer->name, .flags = flags, .name = name, .source = source, .n_buffers = 2, .buffers = buffers,
                      .repeats = 5, .warm_ups = 1, .batch = batch, .timeout_ms = 20000 };
  LsLaunchResult result;
  double ns = -1;
  if (ls_runner_launch (runner, &launch, &result, error))
    for (guint k = 0; k < result.n_runs; k++)
      ns = ns < 0 ? (double) result.run_ns[k] / batch : MIN (ns, (double) result.run_ns[k] / batch);
  ls_launch_result_clear (&result);
  return ns;
}

static gboolean
measure_chain (LsRunner *runner, char op, LsBuffer *const *buffers, double *ns, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (chain_source, "%c", 2);
  g_autofree char *source = g_strdup_printf ("%s%c%s", parts[0], op, parts[1]);
  *ns = best (runner, "chain", source, buffers, 4, error) / 20000;
  return *ns > 0;
}

#define PEAK_TURNS 4000

/* Multiplications and additions in enough chains of vectors to keep every unit busy while each waits, without exceeding the registers:
 * some machines have separate units for multiplications and additions, so that both together give the maximum. */
static double
peak_flops (LsRunner *runner, guint vector_bytes, guint n_chains, gboolean fused, LsBuffer *const *buffers, GError **error)
{
  g_autoptr (GString) s = g_string_new (NULL);
  g_string_printf (s, "typedef float v __attribute__ ((vector_size (%u)));\nvoid peak (float *out, const float *in) { const v *p = (const "
                      "v *) in; v m = p[0] + 0.499f, k = p[1]", vector_bytes);
  for (guint i = 0; i < n_chains; i++)
    g_string_append_printf (s, ", x%u = p[%u]", i, i + 2);
  g_string_append_printf (s, ";\n  for (int i = 0; i < %d; i++) {", PEAK_TURNS);
  for (guint i = 0; i < n_chains; i++)
    g_string_append_printf (s, " x%u = x%u * m + k;", i, i);
  g_string_append (s, " }\n  *(v *) out = x0");
  for (guint i = 1; i < n_chains; i++)
    g_string_append_printf (s, " + x%u", i);
  g_string_append (s, "; }\n");
  if (fused)
    g_string_prepend (s, "#pragma STDC FP_CONTRACT ON\n");
  double ns = best (runner, "peak", s->str, buffers, 4, error);
  return ns > 0 ? 2.0 * PEAK_TURNS * n_chains * vector_bytes / sizeof (float) / ns : -1;
}

static gboolean
measure_machine (LsRunner *runner, LsMachineSpeed *speed, GError **error)
{
  gboolean ok = TRUE;
  long l1 = sysconf (_SC_LEVEL1_DCACHE_SIZE), l2 = sysconf (_SC_LEVEL2_CACHE_SIZE);
  speed->bytes[LS_MEMORY_L1] = l1 > 0 ? (gsize) l1 : 32 << 10;
  speed->bytes[LS_MEMORY_L2] = l2 > 0 ? (gsize) l2 : 512 << 10;
  speed->bytes[LS_MEMORY_L3] = 2 * L3_BYTES;      /* a process has no more for certain */
  LsBuffer *buffers[2] = { ls_runner_buffer_new (runner, 0, LS_FLOAT, MAIN_BYTES / 8, error), NULL };
  buffers[1] = buffers[0] ? ls_runner_buffer_new (runner, 1, LS_FLOAT, MAIN_BYTES / 4, error) : NULL;
  ok = buffers[1] != NULL;
  for (guint i = 0; ok && i < 1024; i++)
    ((float *) buffers[1]->data)[i] = 0.5f;
  ok = ok && measure_chain (runner, '+', buffers, &speed->add_ns, error) && measure_chain (runner, '*', buffers, &speed->mul_ns, error);
  if (ok) {
    double narrow = peak_flops (runner, 32, 12, FALSE, buffers, error),
           wide = narrow > 0 ? peak_flops (runner, 64, 24, FALSE, buffers, NULL) : -1;
    speed->flops_per_ns = MAX (narrow, wide);
    narrow = peak_flops (runner, 32, 12, TRUE, buffers, error);
    wide = narrow > 0 ? peak_flops (runner, 64, 24, TRUE, buffers, NULL) : -1;
    speed->fused_per_ns = MAX (narrow, wide);
    ok = narrow > 0;
  }
  const guint64 sizes[LS_N_MEMORIES] = { speed->bytes[LS_MEMORY_L1] / 2, speed->bytes[LS_MEMORY_L2] / 2, L3_BYTES, MAIN_BYTES };
  for (guint k = 0; ok && k < LS_N_MEMORIES; k++) {
    guint64 n = sizes[k] / 256 * 8;      /* vectors, a multiple of the number that an iteration reads */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    g_autofree char *source = g_strdup_printf (read_source, n);
#pragma GCC diagnostic pop
    double ns = best (runner, "reads", source, buffers, (guint) MAX (1, 200000 / (sizes[k] / 32)), error);
    ok = ns > 0;
    speed->read_per_ns[k] = (double) n * 32 / ns;
    if (!ok)
      break;
    g_autofree char *copy = g_strdup_printf ("void copies (float *restrict out, const float *restrict in) { for (long i = 0; i < %"
                                             G_GUINT64_FORMAT "; i++) out[i] = in[i] + 1; }\n", n * 4);
    ns = best (runner, "copies", copy, buffers, (guint) MAX (1, 100000 / (sizes[k] / 32)), error);
    ok = ns > 0;
    speed->copied_per_ns[k] = (double) n * 32 / ns;
  }
  for (guint k = 0; k < 2; k++)
    if (buffers[k])
      ls_runner_buffer_free (runner, buffers[k]);
  return ok;
}

/* What was measured is kept for a while, in which the machine is taken to be the same. */
#define KEPT_S 600
typedef struct { gint64 at; LsMachineSpeed speed; } Kept;      /* at: seconds of the clock */

static const LsCacheKind speed_kind = { "speed", ".speed", 8, 1 << 16 };

/* By processor, compiler and the start of the machine. Free with g_free. */
static char *
speed_key (void)
{
  g_autofree char *machine = ls_machine_name (), *boot = NULL, *flags = ls_compiler_options (ls_compiler_for_text ("c"), TRUE, NULL);
  g_file_get_contents ("/proc/sys/kernel/random/boot_id", &boot, NULL, NULL);
  g_autofree char *text = g_strdup_printf ("1 %" G_GSIZE_FORMAT "\n%s\n%s %s\n%s", sizeof (Kept), machine, ls_compiler_for_text ("c")->name,
                                           flags, boot ? boot : "");
  return g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
}

gboolean
ls_machine_measure (LsRunner *runner, LsMachineSpeed *speed, GError **error)
{
  g_autofree char *key = speed_key ();
  gsize n = 0;
  gboolean damaged;
  g_autofree guint8 *bytes = ls_cache_get (&speed_kind, key, &n, &damaged);
  gint64 now = g_get_real_time () / G_USEC_PER_SEC;
  Kept kept = { .at = G_MININT64 };
  if (bytes && n == sizeof kept)
    memcpy (&kept, bytes, sizeof kept);
  if (kept.at <= now && kept.at > now - KEPT_S) {
    *speed = kept.speed;
    return TRUE;
  }
  if (!measure_machine (runner, speed, error))
    return FALSE;
  kept = (Kept) { now, *speed };
  ls_cache_keep (&speed_kind, key, &kept, sizeof kept);
  return TRUE;
}

/* --- the kernel --- */

/* State of the search for one accumulator's chain. Distances are operations of floats from the accumulator to a node, -1: the node does
 * not depend on it. */
typedef struct {
  GHashTable *place;           /* of nodes in the list + 1 */
  GHashTable *inlined;         /* nodes whose text is inlined in their user's, or NULL: no text reorders operations */
  int        *distance;        /* by place */
  gboolean   *multiplies;
} Chains;

static int
place_of (const Chains *c, const LsUOp *u)
{
  return GPOINTER_TO_INT (g_hash_table_lookup (c->place, u)) - 1;
}

static void
take (const Chains *c, const LsUOp *source, int operations, gboolean multiplies, int at)
{
  int from = place_of (c, source);
  if (from < 0 || c->distance[from] < 0 || c->distance[from] + operations < c->distance[at])
    return;
  c->distance[at] = c->distance[from] + operations;
  c->multiplies[at] = c->multiplies[from] || (multiplies && operations > 0);
}

static gboolean
is_flat (const Chains *c, const LsUOp *u)
{
  return c->inlined && (u->op == LS_OP_ADD || u->op == LS_OP_MUL) && ls_dtype_is_float (u->dtype);
}

/* "(a+b+c+d)" without parentheses inside is (((a+b)+c)+d), whatever the graph says. */
static void
take_flat (const Chains *c, const LsUOp *u, int at)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new (), operands = g_ptr_array_new ();
  g_ptr_array_add (stack, (gpointer) u);
  while (stack->len) {
    const LsUOp *x = stack->pdata[stack->len - 1];
    g_ptr_array_set_size (stack, (int) stack->len - 1);
    if (x == u || (x->op == u->op && g_hash_table_contains (c->inlined, x)))
      for (guint i = x->n_src; i-- > 0;)
        g_ptr_array_add (stack, x->src[i]);
    else
      g_ptr_array_add (operands, (gpointer) x);
  }
  for (guint i = 0; i < operands->len; i++)
    take (c, operands->pdata[i], (int) (operands->len - MAX (i, 1)), u->op == LS_OP_MUL, at);
}

/* The register that a load or a store is of, or NULL. */
static const LsUOp *
register_of (const LsUOp *u)
{
  gboolean is = (u->op == LS_OP_LOAD || u->op == LS_OP_STORE) && u->n_src && u->src[0]->op == LS_OP_INDEX &&
                u->src[0]->src[0]->op == LS_OP_DEFINE_REG;
  return is ? u->src[0] : NULL;
}

/* Is it the accumulator's value before the operations of an iteration? */
static gboolean
begins (const LsUOp *u, const LsUOp *accumulator)
{
  return u == accumulator || (u->op == LS_OP_PHI && u->src[0] == accumulator) || (u->op == LS_OP_LOAD && register_of (u) == accumulator);
}

/* The chain of one accumulator: the operations of each of its assignments, as often as that is executed. */
static void
add_chain (const Chains *c, guint n, LsUOp *const *list, const LsUOp *accumulator, LsChain *longest)
{
  double turns = 1, began = 0, total = 0;
  guint most = 0;
  gboolean multiplies = FALSE;
  for (guint i = 0; i < n; i++) {
    const LsUOp *u = list[i];
    gboolean assigns = (u->op == LS_OP_PHI && u->src[0] == accumulator) || (u->op == LS_OP_STORE && register_of (u) == accumulator),
             alu = ls_op_is_alu (u->op) && ls_dtype_is_float (u->dtype);
    c->distance[i] = -1;
    c->multiplies[i] = FALSE;
    if (u->op == LS_OP_RANGE)
      turns *= (double) ls_range_size (u);
    else if (u->op == LS_OP_ENDRANGE)
      turns /= (double) ls_range_size (u->src[0]);
    int next = assigns ? place_of (c, u->src[1]) : -1, d = next < 0 ? -1 : c->distance[next];
    if (u == accumulator && u->op == LS_OP_DEFINE_ACC)
      began = turns;
    if (assigns && u->op == LS_OP_STORE && d < 0)
      began = turns;
    if (assigns && d > 0) {
      total += turns * d;
      most = MAX (most, (guint) d);
      multiplies |= c->multiplies[next];
    }
    if (begins (u, accumulator))
      c->distance[i] = 0;
    else if (is_flat (c, u))
      take_flat (c, u, (int) i);
    else if (u->op != LS_OP_LOAD && u->op != LS_OP_RANGE && u->op != LS_OP_DEFINE_ACC && u->op != LS_OP_STORE)
      for (guint k = 0; k < u->n_src; k++)
        take (c, u->src[k], alu, u->op == LS_OP_MUL || u->op == LS_OP_MULACC, (int) i);
  }
  if (total > longest->length * longest->count)
    *longest = (LsChain) { .length = total / MAX (began, 1), .count = MAX (began, 1), .turn = most, .multiplies = multiplies };
}

LsChain
ls_longest_chain (guint n, LsUOp *const *list, const GArray *flat)
{
  LsChain out = { 0 };
  g_autoptr (GHashTable) place = g_hash_table_new (NULL, NULL), inlined = flat ? g_hash_table_new (NULL, NULL) : NULL,
      seen = g_hash_table_new (NULL, NULL);
  g_autofree int *distance = g_new (int, n + 1);
  g_autofree gboolean *multiplies = g_new (gboolean, n + 1);
  Chains c = { place, inlined, distance, multiplies };
  gboolean fused = FALSE;
  for (guint i = 0; i < n; i++) {
    g_hash_table_insert (place, list[i], GINT_TO_POINTER ((int) i + 1));
    fused |= list[i]->op == LS_OP_MULACC;
  }
  for (guint i = 0; flat && i < flat->len; i++) {
    const LsRenderedExpr *e = &g_array_index (flat, LsRenderedExpr, i);
    if (!e->assigned)
      g_hash_table_add (inlined, (gpointer) e->node);
  }
  for (guint i = 0; i < n; i++) {
    const LsUOp *u = list[i], *accumulator = u->op == LS_OP_PHI && u->n_src > 1 ? u->src[0] : u->op == LS_OP_STORE ? register_of (u) : NULL;
    if (accumulator && g_hash_table_add (seen, (gpointer) accumulator))
      add_chain (&c, n, list, accumulator, &out);
  }
  out.fused = fused;
  return out;
}

#define LATE 1.25      /* so much longer than the time a chain that bounds it may seem: the machine's speed changes between measurements */

LsWhyFast
ls_why_fast (const LsMachineSpeed *speed, const LsChain *chain, double flops, double bytes, double written, double footprint, double ns)
{
  LsWhyFast why = { 0 };
  while (why.level < LS_MEMORY_MAIN && footprint > (double) speed->bytes[why.level])
    why.level++;
  double one_ns = chain->length * (chain->multiplies ? MAX (speed->add_ns, speed->mul_ns) : speed->add_ns);
  why.overlaps = one_ns * MAX (chain->count, 1) > LATE * ns;
  why.chain_ns = !why.overlaps ? one_ns * MAX (chain->count, 1) : one_ns <= LATE * ns ? one_ns : 0;
  why.memory_ns = bytes / (written > bytes / 4 ? speed->copied_per_ns : speed->read_per_ns)[why.level];
  why.arithmetic_ns = flops / (chain->fused ? speed->fused_per_ns : speed->flops_per_ns);
  double most = MAX (why.chain_ns, MAX (why.memory_ns, why.arithmetic_ns));
  why.by = most < ns / 2 ? LS_BOUND_NONE : most == why.chain_ns ? LS_BOUND_CHAIN : most == why.memory_ns
           ? LS_BOUND_MEMORY : LS_BOUND_ARITHMETIC;
  return why;
}

/* --- words --- */

/* "1,048,576" */
static char *
count_text (double count)
{
  g_autofree char *digits = g_strdup_printf ("%.0f", count);
  GString *s = g_string_new (NULL);
  gsize n = strlen (digits);
  for (gsize i = 0; i < n; i++)
    g_string_append_printf (s, "%s%c", i > 0 && (n - i) % 3 == 0 ? "," : "", digits[i]);
  return g_string_free (s, FALSE);
}

char *
ls_why_fast_sentence (const LsWhyFast *w, const LsChain *chain, double flops, double bytes, double ns)
{
  static const char *const levels[LS_N_MEMORIES] = { "the first-level cache", "the second-level cache", "the last-level cache",
                                                     "main memory" };
  g_autofree char *length = count_text (chain ? chain->length : 0), *ops = count_text (flops), *moved = count_text (bytes), *memory = NULL,
                  *arithmetic = NULL;
  if (w->threads > 1)
    return g_strdup_printf ("%u threads share the work. One thread alone would need %.0f %% of the time for memory (%s) and %.0f %% "
                            "for arithmetic, and each waits for dependent operations for %.0f %%; their common limit is not measured.",
                                w->threads, 100 * w->memory_ns / ns, levels[w->level], 100 * w->arithmetic_ns / ns,
                                MIN (100, 100 * w->chain_ns / ns));
  double next_memory = w->memory_ns > 0 ? ns / w->memory_ns : 0, next_arithmetic = w->arithmetic_ns > 0 ? ns / w->arithmetic_ns : 0;
  memory = next_memory > 0 ? g_strdup_printf ("memory would allow %.1f x more", next_memory) : g_strdup ("it moves almost no data");
  arithmetic = next_arithmetic > 0 ? g_strdup_printf ("arithmetic would allow %.1f x more", next_arithmetic)
                                   : g_strdup ("there is no arithmetic");
  switch (w->by) {
  case LS_BOUND_CHAIN: {
    const char *kind = chain->multiplies ? "additions and multiplications" : "additions only";
    double n = w->overlaps ? 1 : MAX (chain->count, 1), percent = MIN (100, 100 * w->chain_ns / ns);
    g_autofree char *count = count_text (n);
    return n > 1 ? g_strdup_printf ("Bound by chains of %s dependent operations (%s), %s one after the other, %.2f ns for each operation, "
                                    "%.0f %% of the time; %s.", length, kind, count,
                                    w->chain_ns / chain->length / n, percent, memory)
                 : g_strdup_printf ("Bound by a chain of %s dependent operations (%s), %.2f ns each, %.0f %% of the time; %s.", length,
                                    kind,
                                    w->chain_ns / chain->length, percent, memory);
  }
  case LS_BOUND_MEMORY:
    if (w->memory_ns > LATE * ns)
      return g_strdup_printf ("Close to the rate of memory: it moves %.1f GB/s, more than the %.1f GB/s that were measured for %s just "
                              "before; %s.", bytes / ns, bytes / w->memory_ns, levels[w->level], arithmetic);
    return g_strdup_printf ("Bound by memory: %s bytes at the %.1f GB/s of %s take %.0f %% of the time; %s.", moved, bytes / w->memory_ns,
                            levels[w->level], MIN (100, 100 * w->memory_ns / ns), arithmetic);
  case LS_BOUND_ARITHMETIC:
    return g_strdup_printf ("Bound by arithmetic: %s operations at the peak of %.1f GFLOPS take %.0f %% of the time; %s.", ops,
                            flops / w->arithmetic_ns, MIN (100, 100 * w->arithmetic_ns / ns), memory);
  default:
    if (!chain)
      return g_strdup_printf ("Memory (%s) takes %.0f %% and arithmetic %.0f %% of the time; dependencies in hand-written code are not "
                              "known.", levels[w->level], 100 * w->memory_ns / ns, 100 * w->arithmetic_ns / ns);
    return g_strdup_printf (w->overlaps
                            ? "No known bound explains the time: chains of dependent operations overlap, and one takes %.0f %%, "
                              "memory (%s) %.0f %% and arithmetic %.0f %% of the time; the rest is other instructions."
                            : "No known bound explains the time: chains of dependent operations take %.0f %%, memory (%s) %.0f %% and "
                              "arithmetic %.0f %% of the time; the rest is other instructions.", MIN (100, 100 * w->chain_ns / ns),
                            levels[w->level], 100 * w->memory_ns / ns,
                            100 * w->arithmetic_ns / ns);
  }
}
