/* A comparison as rows (answer/answer.h). */
#include "compare.h"

#include <math.h>

gboolean
ls_comparison_is_timed (const LsComparison *c, guint k)
{
  const LsMeasured *x = ls_comparison_times (c, k);
  return x && !c->variants[k].error && !isnan (x->median);
}

LsTimeRatio
ls_comparison_behind (const LsComparison *c, guint k, guint to)
{
  gboolean both = to < c->n && ls_comparison_is_timed (c, k) && ls_comparison_is_timed (c, to);
  return both ? ls_measurement_ratio (c->times, c->timed[k], c->timed[to]) : (LsTimeRatio) { NAN, NAN, NAN, LS_TIME_UNCLEAR };
}

gboolean
ls_comparison_same_text (const LsComparison *c, guint k)
{
  const LsComparedVariant *a = &c->variants[0], *b = &c->variants[k];
  return a->source && g_strcmp0 (a->source, b->source) == 0 && g_strcmp0 (a->compiler, b->compiler) == 0 &&
         g_strcmp0 (a->flags, b->flags) == 0;
}

/* The variant with the least time of a result that counts, or n. */
guint
ls_comparison_fastest (const LsComparison *c)
{
  guint best = c->n;
  for (guint i = 0; i < c->n; i++) {
    const LsMeasured *x = ls_comparison_times (c, i);
    if (ls_comparison_is_timed (c, i) && x->verdict != LS_TIME_OTHER && x->verdict != LS_TIME_AGAIN &&
        (best == c->n || x->median < ls_comparison_times (c, best)->median))
      best = i;
  }
  return best;
}

static LsValueRatio
behind (const LsComparison *c, guint k)
{
  LsTimeRatio r = ls_comparison_behind (c, k, ls_comparison_fastest (c));
  return (LsValueRatio) { r.ratio, r.low, r.high };
}

#define LOOP(X) \
  X (instructions, INT, l->n, TRUE, "Number of instructions of its hot loop") \
  X (vector_bits, INT, l->vector_bits, TRUE, "Width in bits of its widest vector") \
  X (vector_registers, INT, l->vector_registers, TRUE, "Number of vector registers that it uses") \
  X (general_registers, INT, l->general_registers, TRUE, "Number of general registers that it uses")
LS_INNER_RECORD (loop_answer, LOOP, const LsHotLoop *l = row;)

#define COST(X) \
  X (line, INT, k->line, k->line > 0, "Line of the source that it is of") \
  X (cycles, NUMBER, k->cycles, !isnan (k->cycles), "Cycles for which it keeps a unit busy in an iteration of the hot loop, after llvm-mca")
LS_INNER_RECORD (cost_answer, COST, const LsInstructionCost *k = row;)

#define VARIANT(X) \
  X (spec, TEXT, v->spec, TRUE, "The variant, as given", .column = LS_TITLE ("variant")) \
  X (ok, BOOL, !v->error, TRUE, "True if it has a result") \
  X (by_hand, BOOL, v->by_hand, TRUE, "True for a hand-written C file") \
  X (error, TEXT, v->error, TRUE, "Why it has no code or no result, or null") \
  X (compiler, TEXT, v->compiler, TRUE, "The compiler whose code was run and timed", .column = LS_TITLE ("compiled by"), .place = 1) \
  X (version, TEXT, v->version, TRUE, "Its version") \
  X (flags, TEXT, v->flags, TRUE, "Its flags") \
  X (name, TEXT, v->name, TRUE, "Name of the function") \
  X (options, TEXT, v->options, TRUE, "Kernel options that were applied") \
  X (listing, TEXT, v->listing, TRUE, "The listing of its UOps; null for hand-written code") \
  X (source, TEXT, v->source, TRUE, "Its source") \
  X (code, TEXT, v->assembly, TRUE, "The machine code that was timed, an instruction a line") \
  X (instructions, LIST, ls_list_array (v->costs), v->costs != NULL, "The same instructions, with line and cost", .of = &cost_answer) \
  X (log, TEXT, v->log_text, TRUE, "The first difference of its rewrites from the first variant's") \
  X (log_first, TEXT, v->log_first, TRUE, "The step of the first variant at that point") \
  X (log_own, TEXT, v->log_own, TRUE, "Its own step at that point") \
  X (listing_diff, TEXT, v->listing_diff, TRUE, "Differences of its listing from the first variant's") \
  X (source_diff, TEXT, v->source_diff, TRUE, "Differences of its source from the first variant's") \
  X (code_diff, TEXT, v->code_diff, TRUE, "Differences of its machine code from the first variant's") \
  X (why, TEXT, v->why, TRUE, "The limit of its time: memory, arithmetic or dependencies") \
  X (next, TEXT, v->next, v->next != NULL, "The next thing to try, if its UOps or its machine code suggest one") \
  X (try, TEXT, v->try, v->try != NULL, "The options that this suggests, in place of those that it has") \
  X (mca, TEXT, v->mca, TRUE, "The estimate of llvm-mca for the hot loop") \
  X (note, TEXT, v->note, TRUE, "Notes on it") \
  X (writes, TEXT, v->writes, TRUE, "The inputs that it writes") \
  X (changes, TEXT, v->changes, TRUE, "The calls of it that have different results") \
  X (refused, LIST, ls_list_pointers (v->refused), TRUE, "Options that the kernel refused, with reasons", .item = LS_CELL_TEXT) \
  X (median_ns, NUMBER, x->median, timed, "Median time of one call, in nanoseconds", .column = LS_TITLE ("time"), .place = 2) \
  X (low_ns, NUMBER, x->low, timed, "Lower end of the median's interval") \
  X (high_ns, NUMBER, x->high, timed, "Upper end of the median's interval") \
  X (cold_ns, NUMBER, x->cold_median, timed, "Median time with cold caches") \
  X (ratio, RATIO, ((LsValueRatio) { x->ratio, x->ratio_low, x->ratio_high }), timed, \
     "Its time divided by the first variant's, with the interval", .column = LS_TITLE ("of A's time"), .place = 3) \
  X (behind, RATIO, behind (c, index), timed, "Its time divided by the fastest variant's, with the interval") \
  X (batch, INT, x->batch, timed, "Number of calls per timing") \
  X (samples, LIST, ls_list_array (x->samples), timed, "The time of each round, in nanoseconds", .item = LS_CELL_NUMBER) \
  X (cold_samples, LIST, ls_list_array (x->cold), timed, "The time of each call with cold caches", .item = LS_CELL_NUMBER) \
  X (gflops, NUMBER, v->flops / x->median, timed && ls_comparison_has_rate (c, index), "10^9 operations per second") \
  X (gbs, NUMBER, v->bytes / x->median, timed && ls_comparison_has_rate (c, index), "10^9 bytes per second") \
  X (bytes, NUMBER, v->bytes, timed, "Bytes that one call reads and writes") \
  X (same_code, BOOL, x->verdict == LS_TIME_SAME, timed, "True if its machine code is the same as the first variant's") \
  X (changing_ratio, NUMBER, x->changing_ratio.ratio, timed && !isnan (x->changing_ratio.ratio), \
     "The ratio if memory changes between calls, including the time to change it") \
  X (changing_low, NUMBER, x->changing_ratio.low, timed && !isnan (x->changing_ratio.ratio), "Lower end of its interval") \
  X (changing_high, NUMBER, x->changing_ratio.high, timed && !isnan (x->changing_ratio.ratio), "Upper end of its interval") \
  X (not_timed, TEXT, LS_NOT_TIMED, !timed && !v->error, "Why it has no time") \
  X (verdict, TEXT, ls_time_verdict_name (x && !v->error ? x->verdict : LS_TIME_FAILED), TRUE, \
     "Verdict on its time compared with the " \
     "first variant's: first, faster, slower, as-fast, unclear, …", .column = LS_TITLE ("verdict"), .place = 4) \
  X (equal, NAME, v->equality, TRUE, "Its result compared with the first variant's", .names = ls_equality_names, \
     .column = LS_TITLE ("result"), .place = 5) \
  X (after_timing, BOOL, v->after, TRUE, "True if a difference appeared during or after timing") \
  X (max_ulp, INT, v->apart.max_ulp, TRUE, "Largest difference of two results, in units of the last place") \
  X (max_error, NUMBER, v->apart.max_error, TRUE, "Largest difference of two results") \
  X (calls, INT, v->n_calls, TRUE, "Number of calls whose results were compared") \
  X (static_bytes, INT, v->n_static, TRUE, "Bytes of static variables of its code") \
  X (loop, ROW, &v->loop, v->assembly != NULL, "Its hot loop", .of = &loop_answer)

LS_INNER_RECORD (compared_answer, VARIANT, const LsComparedVariant *v = row; const LsComparison *c = v->of;
                 const LsMeasured *x = ls_comparison_times (c, index); gboolean timed = ls_comparison_is_timed (c, index);)

#define NOISE(X) \
  X (ratio, RATIO, ((LsValueRatio) { t ? t->control.ratio : NAN, t ? t->control.ratio_low : NAN, t ? t->control.ratio_high : NAN }), TRUE, \
     "The first variant's time divided by its own, from other rounds, with the interval") \
  X (rounds, INT, t ? t->n_rounds : 0, TRUE, "Number of timed rounds") \
  X (seconds, NUMBER, t ? t->seconds : 0, TRUE, "Their total time")
LS_INNER_RECORD (noise_answer, NOISE, const LsMeasurement *t = ((const LsComparison *) row)->times;)

#define SPEED(X) \
  X (gflops, NUMBER, s->flops_per_ns, TRUE, "Peak of operations of float32 in vectors, 10^9 per second") \
  X (fused_gflops, NUMBER, s->fused_per_ns, TRUE, "The same with fused multiplications and additions") \
  X (add_ns, NUMBER, s->add_ns, TRUE, "Nanoseconds from an addition to one that waits for it") \
  X (read_gbs, LIST, ls_list_of (LS_N_MEMORIES, s->read_per_ns, sizeof (double)), TRUE, \
     "10^9 bytes read per second from the three caches and main memory", .item = LS_CELL_NUMBER)
LS_INNER_RECORD (speed_answer, SPEED, const LsMachineSpeed *s = row;)

#define COMPARISON(X) \
  X (kernel, INT, c->kernel, TRUE, "Number of the kernel") \
  X (name, TEXT, c->kernel_name, TRUE, "Its name") \
  X (machine, TEXT, c->machine, TRUE, "The machine on which it was timed") \
  X (speed, ROW, &c->speed, c->speed.flops_per_ns > 0, "The speed of one core, measured just then", .of = &speed_answer) \
  X (made_up, INT, c->n_made_up, TRUE, "Inputs whose contents were not recorded and are random numbers") \
  X (noise, ROW, c, TRUE, "The machine's noise: the first variant timed twice", .of = &noise_answer) \
  X (variants, LIST, ls_list_of (c->n, c->variants, sizeof (LsComparedVariant)), TRUE, "Every variant", \
     .of = &compared_answer, .lines = TRUE)
LS_RECORD (ls_compare_answer, COMPARISON, const LsComparison *c = row;)
