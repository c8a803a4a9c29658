/* See next-step.h. Strides are those of the kernel's axes before options (kernel-options.h), amounts those of the options that it has.
 * Kernels whose loops have another order (SWAP, TILE, LOCAL, GROUP) get no suggestion about strides. */
#include "next-step.h"

#include "ir/sentence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LINE        64      /* bytes of a cache line */
#define BESIDE      8       /* UPCAST of the axis that becomes the jumping one, where both sides of a copy jump */
#define LEAST_SPILL 4
#define MOSTLY      0.8     /* a bound explains so much of the time that options change little */

/* --- options --- */

/* The product of the amounts of an option on an axis. */
static gint64
amount_of (const char *applied, const char *option, guint axis)
{
  g_auto (GStrv) all = g_strsplit (applied ? applied : "", ",", -1);
  g_autofree char *start = g_strdup_printf ("%s:%u:", option, axis);
  gint64 amount = 1;
  for (guint i = 0; all[i]; i++)
    if (g_str_has_prefix (all[i], start))
      amount *= MAX (g_ascii_strtoll (all[i] + strlen (start), NULL, 10), 1);
  return amount;
}

static gint64
lanes_of (const LsNextFacts *f, guint axis)
{
  return amount_of (f->applied, "UPCAST", axis) * amount_of (f->applied, "UNROLL", axis);
}

static gboolean
has_other_order (const char *applied)
{
  static const char *const names[] = { "SWAP:", "TILE:", "LOCAL:", "GROUP" };
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (applied && strstr (applied, names[i]))
      return TRUE;
  return FALSE;
}

static gboolean
is_legal (const LsKernelOptions *options, const char *text)
{
  for (guint i = 0; i < options->options->len; i++) {
    const LsOptionRow *row = &g_array_index (options->options, LsOptionRow, i);
    if (g_str_equal (row->text, text))
      return row->legal;
  }
  return FALSE;
}

/* The largest amount up to `most` and above `than` that the axis can be UPCAST by; 0: there is none. */
static gint64
upcast (const LsKernelOptions *options, guint axis, gint64 most, gint64 than)
{
  for (gint64 amount = most; amount > than; amount /= 2) {
    g_autofree char *text = g_strdup_printf ("UPCAST:%u:%" G_GINT64_FORMAT, axis, amount);
    if (is_legal (options, text))
      return amount;
  }
  return 0;
}

/* The options with an axis's UPCAST replaced. Free with g_free. */
static char *
with_upcast (const char *applied, guint axis, gint64 amount)
{
  g_auto (GStrv) all = g_strsplit (applied ? applied : "", ",", -1);
  g_autofree char *own = g_strdup_printf ("UPCAST:%u:", axis);
  GString *s = g_string_new (NULL);
  g_string_printf (s, "%s%" G_GINT64_FORMAT, own, amount);
  for (guint i = 0; all[i]; i++)
    if (*all[i] && !g_str_has_prefix (all[i], own))
      g_string_append_printf (s, ",%s", all[i]);
  return g_string_free (s, FALSE);
}

/* --- strides --- */

static const LsAxisStride *
stride_of (const LsOptionAxis *axis, guint buffer, gboolean is_store)
{
  for (guint i = 0; i < axis->strides->len; i++) {
    const LsAxisStride *s = &g_array_index (axis->strides, LsAxisStride, i);
    if (s->buffer == buffer && s->is_store == is_store)
      return s;
  }
  return NULL;
}

static const LsOptionAxis *
axis_at (const LsNextFacts *f, guint i)
{
  return &g_array_index (f->options->axes, LsOptionAxis, i);
}

/* The axis whose loop is the innermost one: the last reduced one that has a loop, else the last one. G_MAXUINT: there is none. */
static guint
innermost (const LsNextFacts *f)
{
  guint found = G_MAXUINT;
  gboolean reduced = FALSE;
  for (guint i = 0; i < f->options->axes->len; i++) {
    const LsOptionAxis *a = axis_at (f, i);
    gboolean reduce = strcmp (a->type, "reduce") == 0;
    if (a->size / MAX (lanes_of (f, a->axis), 1) > 1 && (reduce || !reduced)) {
      found = i;
      reduced = reduce;
    }
  }
  return found;
}

/* The axis along which an access has stride 1, or G_MAXUINT. */
static guint
contiguous (const LsNextFacts *f, const LsAxisStride *access)
{
  for (guint i = 0; i < f->options->axes->len; i++) {
    const LsAxisStride *s = stride_of (axis_at (f, i), access->buffer, access->is_store);
    if (s && s->stride == 1)
      return i;
  }
  return G_MAXUINT;
}

/* An access that is contiguous in the innermost loop, and jumps along the other axis. */
static gboolean
jumps_instead (const LsNextFacts *f, guint inner, guint other)
{
  const GArray *strides = axis_at (f, inner)->strides;
  for (guint i = 0; i < strides->len; i++) {
    const LsAxisStride *s = &g_array_index (strides, LsAxisStride, i), *there = stride_of (axis_at (f, other), s->buffer, s->is_store);
    if (s->stride == 1 && there && there->stride != LS_NO_STRIDE && ABS (there->stride) > 1)
      return TRUE;
  }
  return FALSE;
}

static char *
about_strides (const LsNextFacts *f, char **try)
{
  guint at = has_other_order (f->applied) ? G_MAXUINT : innermost (f);
  const LsOptionAxis *inner = at == G_MAXUINT ? NULL : axis_at (f, at);
  for (guint i = 0; inner && i < inner->strides->len; i++) {
    const LsAxisStride *s = &g_array_index (inner->strides, LsAxisStride, i);
    gint64 bytes = s->buffer < f->n_arguments ? f->item_bytes[s->buffer] : 0, line = bytes ? LINE / bytes : 0;
    guint c = contiguous (f, s);
    if (!bytes || s->stride == LS_NO_STRIDE || ABS (s->stride) * bytes < LINE || c == G_MAXUINT || c == at)
      continue;
    const LsOptionAxis *along = axis_at (f, c);
    gint64 used = lanes_of (f, along->axis), more = used < line ? upcast (f->options, along->axis, line, used) : 0;
    gint64 besides = more && strcmp (inner->type, "reduce") != 0 && jumps_instead (f, at, c)
                     ? upcast (f->options, inner->axis, BESIDE, lanes_of (f, inner->axis)) : 0;
    if (!more)
      continue;
    g_autofree char *first = g_strdup_printf ("UPCAST:%u:%" G_GINT64_FORMAT, along->axis, more),
                    *both = besides ? g_strdup_printf ("%s,UPCAST:%u:%" G_GINT64_FORMAT, first, inner->axis, besides)
                                    : g_strdup (first);
    g_autofree char *options = with_upcast (f->applied, along->axis, more);
    *try = besides ? with_upcast (options, inner->axis, besides) : g_steal_pointer (&options);
    double stride = (double) (s->stride * bytes);
    if (s->is_store)
      return ls_sentence ("In the innermost loop data%u is written with a stride of %.0f bytes: %u of the %u elements of a cache line are "
                          "used at a time. Try %s.", s->buffer, stride, (guint) used, (guint) line, both);
    return ls_sentence ("In the innermost loop data%u is read with a stride of %.0f bytes: %u of the %u elements of a cache line are used "
                        "at a time. Try %s.", s->buffer, stride, (guint) used, (guint) line, both);
  }
  return NULL;
}

/* --- machine code --- */

guint
ls_loop_spills (const GArray *code, const LsHotLoop *loop)
{
  guint n = 0;
  for (guint i = loop->first; code && i <= loop->last && i < code->len; i++) {
    const char *text = g_array_index (code, LsInstruction, i).text;
    n += strstr (text, "mm") && (strstr (text, "[rsp") || strstr (text, "[rbp -"));
  }
  return n;
}

/* Half of the largest UPCAST. */
static char *
about_spills (const LsNextFacts *f, char **try)
{
  guint n = f->code ? ls_loop_spills (f->code, f->loop) : 0;
  g_auto (GStrv) all = g_strsplit (f->applied ? f->applied : "", ",", -1);
  const char *largest = NULL;
  gint64 most = 2;
  for (guint i = 0; n >= LEAST_SPILL && all[i]; i++) {
    const char *amount = g_str_has_prefix (all[i], "UPCAST:") ? strrchr (all[i], ':') : NULL;
    if (amount && g_ascii_strtoll (amount + 1, NULL, 10) > most) {
      most = g_ascii_strtoll (amount + 1, NULL, 10);
      largest = all[i];
    }
  }
  if (!largest)
    return NULL;
  g_autofree char *smaller = g_strdup_printf ("%.*s:%" G_GINT64_FORMAT, (int) (strrchr (largest, ':') - largest), largest, most / 2);
  *try = with_upcast (f->applied, (guint) strtoul (largest + strlen ("UPCAST:"), NULL, 10), most / 2);
  return ls_sentence ("%u of the %u instructions of the hot loop move vectors between registers and the stack (spills). Try %s in place of "
                      "%s.", n, f->loop->n, smaller, largest);
}

static gboolean
is_stored_along (const LsOptionAxis *axis)
{
  for (guint i = 0; i < axis->strides->len; i++) {
    const LsAxisStride *s = &g_array_index (axis->strides, LsAxisStride, i);
    if (s->is_store && s->stride == 1)
      return TRUE;
  }
  return FALSE;
}

/* An UPCAST that computes several sums at a time, best along the axis in which the results lie in memory; or NULL. Free with g_free. */
static char *
more_sums (const LsNextFacts *f, char **try)
{
  for (guint beside = 0; beside < 2; beside++)
    for (guint i = 0; i < f->options->axes->len; i++) {
      const LsOptionAxis *a = axis_at (f, i);
      gint64 more = strcmp (a->type, "reduce") != 0 && is_stored_along (a) == !beside
                    ? upcast (f->options, a->axis, beside ? 4 : 16, lanes_of (f, a->axis)) : 0;
      if (!more)
        continue;
      *try = with_upcast (f->applied, a->axis, more);
      return g_strdup_printf ("UPCAST:%u:%" G_GINT64_FORMAT, a->axis, more);
    }
  return NULL;
}

/* The guard that refuses vectors: a sum of floats keeps its order, and no axis beside it was made lanes. */
static char *
about_sums (const LsNextFacts *f, char **try)
{
  gboolean no_vectors = f->code && f->loop->n_arithmetic && f->loop->vector_bits <= 64;
  if (!f->chain || f->chain->length <= 1 || !(no_vectors || (f->why && f->why->by == LS_BOUND_CHAIN)))
    return NULL;
  g_autofree char *more = more_sums (f, try);
  if (no_vectors && more)
    return ls_sentence ("The hot loop has no vectors: a sum of floats keeps its order, so that each addition waits for the one before. "
                        "Try %s, which computes several sums at a time.", more);
  if (no_vectors)
    return ls_sentence ("The hot loop has no vectors: a sum of floats keeps its order, so that each addition waits for the one before. "
                        "Try acc=vector, which gives the sum another order.");
  return more ? ls_sentence ("Each addition waits for the one before. Try %s, which computes more sums at a time.", more) : NULL;
}

/* --- bounds --- */

/* A limit that the kernel or another variant of it has beaten was measured too low: it bounds nothing. */
static gboolean
holds (const LsNextFacts *f, double least_ns)
{
  return least_ns <= MIN (f->ns, f->best_ns);
}

static char *
about_bound (const LsNextFacts *f)
{
  if (!f->why || !(f->ns > 0))
    return NULL;
  double memory = f->why->memory_ns / f->ns, arithmetic = f->why->arithmetic_ns / f->ns;
  if (f->why->by == LS_BOUND_MEMORY && memory >= MOSTLY && holds (f, f->why->memory_ns))
    return ls_sentence ("Memory explains %.0f %% of the time: only moving fewer bytes makes it much faster.", 100 * memory);
  if (f->why->by == LS_BOUND_ARITHMETIC && f->chain && !f->chain->fused && f->has_products &&
      f->fused_gain >= 1.2 && holds (f, f->why->arithmetic_ns))
    return ls_sentence ("Arithmetic explains %.0f %% of the time. Try FMA=1: fused, this machine does %.1f times as many operations.",
                        100 * arithmetic, f->fused_gain);
  if (f->why->by == LS_BOUND_ARITHMETIC && arithmetic >= MOSTLY && holds (f, f->why->arithmetic_ns))
    return ls_sentence ("Arithmetic explains %.0f %% of the time: only fewer operations make it much faster.", 100 * arithmetic);
  return NULL;
}

char *
ls_next_step (const LsNextFacts *f, char **try)
{
  *try = NULL;
  char *said = about_spills (f, try);
  if (!said)
    said = about_bound (f);
  if (!said)
    said = about_strides (f, try);
  return said ? said : about_sums (f, try);
}
