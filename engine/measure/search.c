/* Beam search over options. See search.h.
 *
 * The kernel is lowered once; only the options stage is run for a candidate, in one context, so that two sequences that lead to the same
 * kernel have the same node. The best remaining candidates of a layer by score (codegen/score.c) are compiled, and those that lead to
 * the heuristic's choice, so that the result is never slower than that. ls_compare runs, judges and times them, together with the kernel
 * without options and the best so far: times are compared within one layer only. In the end the best few and the heuristic's choice are
 * timed together, and one is chosen over the heuristic's choice only where its interval says that it is faster.
 */
#include "search-private.h"

#include "codegen/options/option.h"
#include "pipeline/pipeline.h"
#include "ask/reference.h"

#include <math.h>
#include <string.h>

#define MOST_AMOUNT  64
#define MOST_LAYERS  6
#define STOP_AT      2.0       /* times the best */
#define GAIN         0.98      /* of the best's time: a larger difference may be noise */
#define ROUNDS       5
#define ROUND_S      0.4
#define MOST_FINAL   3         /* of the fastest, besides the heuristic's choice and the kernel without options */
#define FINAL_S      3.0

typedef struct {
  LsTrace         *trace;
  const LsVariant *variant;
  const LsSearchHow *how;
  LsContext       *ctx;
  LsPipeline       base;         /* the kernel before the options */
  LsAccesses      *accesses;
  char            *heuristic;    /* its choice */
  GHashTable      *kernels;      /* node after the options -> row + 1 */
  GHashTable      *codes;        /* text of machine code -> row + 1 */
  GArray          *same;         /* guint: of a row that is the same kernel as an earlier one that row, else itself */
  LsSearch        *s;
  LsRunner        *runner;       /* of all comparisons: a compiler is loaded once */
} Search;

static LsCandidate *
row_at (const Search *x, guint i)
{
  return &g_array_index (x->s->rows, LsCandidate, i);
}

/* A text that stays as long as the search. */
static const char *
keep (LsSearch *s, const char *text)
{
  return g_string_chunk_insert_const (s->strings, text ? text : "");
}

G_GNUC_PRINTF (2, 3) static const char *
keep_printf (LsSearch *s, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  return keep (s, text);
}

/* Row i is out of the search. */
#define drop(x, i, ...) (row_at (x, i)->dropped = keep_printf ((x)->s, __VA_ARGS__))

/* --- candidates --- */

/* Whether options are the choice of the heuristic or its beginning. */
static gboolean
is_on_the_way (const Search *x, const char *options)
{
  gsize n = strlen (options);
  return strncmp (x->heuristic, options, n) == 0 && (n == 0 || x->heuristic[n] == 0 || x->heuristic[n] == ',');
}

/* The kernel with these options, or NULL: the last one cannot be applied, or its rewrite failed (error). */
static LsUOp *
apply (const Search *x, const char *options, GError **error)
{
  g_auto (LsPipeline) p = { .ctx = x->ctx, .library = x->base.library, .settings = &x->variant->settings, .target = x->variant->target,
                            .options = options, .kernel = x->s->kernel, .graph = x->base.graph };
  if (!ls_pipeline_run (&p, LS_STAGE_OPTIONS, LS_STAGE_OPTIONS, error))
    return NULL;
  for (guint i = 0; i < p.choices->len; i++)
    if (g_array_index (p.choices, LsOptionChoice, i).refusal)
      return NULL;
  return p.graph;
}

/* A row for parent's options and one more, if that is possible. */
static void
add_candidate (Search *x, gint parent, const char *option)
{
  const LsCandidate *above = parent < 0 ? NULL : row_at (x, (guint) parent);
  g_autoptr (GError) error = NULL;
  g_autofree char *options = above && *above->options ? g_strconcat (above->options, ",", option, NULL) : g_strdup (option);
  LsUOp *made = apply (x, options, &error);
  if (!made && !error)
    return;
  g_autoptr (GArray) opts = ls_opts_parse (options, NULL);
  gpointer same = made ? g_hash_table_lookup (x->kernels, made) : NULL;
  guint at = x->s->rows->len;
  guint first = same ? GPOINTER_TO_UINT (same) - 1 : at;
  LsCandidate row = { .parent = parent, .layer = above ? above->layer + 1 : 0, .options = keep (x->s, options),
                      .score = ls_opts_score (x->accesses, &x->variant->settings, opts), .compile_ms = NAN, .ns = NAN,
                      .equal = LS_EQUAL_NONE, .ratio = NAN, .ratio_low = NAN, .ratio_high = NAN,
                      .heuristic = is_on_the_way (x, options) };
  g_array_append_val (x->same, first);
  g_array_append_val (x->s->rows, row);
  if (error)
    drop (x, at, "%s", error->message);
  else if (same)
    drop (x, at, "the same kernel as row %u", GPOINTER_TO_UINT (same) - 1);
  else
    g_hash_table_insert (x->kernels, made, GUINT_TO_POINTER (at + 1));
}

static void
add_children (Search *x, guint parent)
{
  g_autoptr (GArray) all = ls_opts_to_ask (x->ctx, x->base.graph, MOST_AMOUNT, FALSE);
  for (guint i = 0; i < all->len; i++) {
    const LsOpt *opt = &g_array_index (all, LsOpt, i);
    g_autofree char *option = ls_opt_text (opt);
    if (!opt->option->is_tried || opt->option->is_tried (&x->variant->settings, opt))
      add_candidate (x, (gint) parent, option);
  }
}

/* The heuristic's next option, which need not be a power of two. */
static void
add_heuristic (Search *x, guint parent)
{
  const LsCandidate *above = row_at (x, parent);
  gsize n = strlen (above->options);
  if (!above->heuristic || !x->heuristic[n])
    return;
  const char *next = x->heuristic + n + (n > 0);
  g_autofree char *option = g_strndup (next, strcspn (next, ",")),
                  *options = n ? g_strconcat (above->options, ",", option, NULL) : g_strdup (option);
  for (guint i = 0; i < x->s->rows->len; i++)
    if (g_str_equal (row_at (x, i)->options, options))
      return;
  add_candidate (x, (gint) parent, option);
}

/* --- layers --- */

static gint
by_score (gconstpointer a, gconstpointer b, gpointer data)
{
  const LsCandidate *u = row_at (data, *(const guint *) a), *v = row_at (data, *(const guint *) b);
  return u->score < v->score ? -1 : u->score > v->score ? 1 : *(const guint *) a < *(const guint *) b ? -1 : 1;
}

static gint
by_time (gconstpointer a, gconstpointer b, gpointer data)
{
  const LsCandidate *u = row_at (data, *(const guint *) a), *v = row_at (data, *(const guint *) b);
  return u->ns < v->ns ? -1 : u->ns > v->ns ? 1 : *(const guint *) a < *(const guint *) b ? -1 : 1;
}

/* The rows from begin on that are worth compiling: the best by their score, and the heuristic's. */
static GArray *
take_best (Search *x, guint begin)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (guint));
  GArray *out = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = begin; i < x->s->rows->len; i++)
    if (!row_at (x, i)->dropped)
      g_array_append_val (all, i);
  g_array_sort_with_data (all, by_score, x);
  for (guint i = 0; i < all->len; i++) {
    guint at = g_array_index (all, guint, i);
    if (i < 2 * x->how->width || row_at (x, at)->heuristic)
      g_array_append_val (out, at);
    else
      drop (x, at, "not compiled: its score is number %u of %u "
                   "in its layer, and only the first %u are compiled", i + 1, all->len, 2 * x->how->width);
  }
  return out;
}

static void
take_result (Search *x, guint at, const LsComparison *c, guint k, double best)
{
  LsCandidate *row = row_at (x, at);
  const LsComparedVariant *v = &c->variants[k];
  const LsMeasured *m = ls_comparison_times (c, k);
  gpointer same = v->assembly && *v->assembly ? g_hash_table_lookup (x->codes, v->assembly) : NULL;
  row->equal = v->equality;
  row->compile_ms = v->compile_ms;
  if (m && !m->error && m->median > 0)
    row->ns = m->median;
  if (v->error)
    drop (x, at, "%s", v->error);
  else if (v->equality == LS_EQUAL_DIFFERS || v->equality == LS_EQUAL_NONE)
    drop (x, at, "its result differs from the result without options, from element %" G_GINT64_FORMAT " on", v->apart.first);
  else if (same && GPOINTER_TO_UINT (same) - 1 != at)
    drop (x, at, "the same machine code as row %u", GPOINTER_TO_UINT (same) - 1);
  else if (m && m->dropped)
    drop (x, at, "stopped at twice the best: %.4g us against %.4g us", m->median / 1e3, best / 1e3);
  else if (isnan (row->ns))
    drop (x, at, "it was not timed");
  if (v->assembly && *v->assembly && !same)
    g_hash_table_insert (x->codes, g_strdup (v->assembly), GUINT_TO_POINTER (at + 1));
}

/* The rows as variants. */
static LsComparison *
compare_rows (Search *x, const GArray *rows, const LsMeasureHow *how, GError **error)
{
  g_autofree LsVariant *variants = g_new0 (LsVariant, rows->len);
  g_autofree const char **specs = g_new0 (const char *, rows->len);
  for (guint i = 0; i < rows->len; i++) {
    ls_variant_copy (&variants[i], x->variant);
    g_free (variants[i].options);
    g_clear_pointer (&variants[i].c_files, g_free);
    specs[i] = row_at (x, g_array_index (rows, guint, i))->options;
    variants[i].options = g_strdup (specs[i]);
  }
  LsMeasureHow with = *how;
  with.runner = x->runner;
  LsComparison *c = ls_compare (x->trace, x->s->kernel, rows->len, variants, specs, &with, error);
  for (guint i = 0; i < rows->len; i++)
    ls_variant_clear (&variants[i]);
  for (guint i = 0; c && i < c->n && !*x->s->version; i++) {
    x->s->compiler = keep (x->s, c->variants[i].compiler);
    x->s->version = keep (x->s, c->variants[i].version);
    x->s->flags = keep (x->s, c->variants[i].flags);
  }
  return c;
}

/* Compiles, runs and times rows together with the kernel without options and the best so far, whose time in this layer is *base. */
static gboolean
time_rows (Search *x, const GArray *rows, guint best, double *base, GError **error)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (guint));
  guint first = 0;
  g_array_append_val (all, first);
  if (best > 0)
    g_array_append_val (all, best);
  guint n_old = all->len;
  g_array_append_vals (all, rows->data, rows->len);
  LsMeasureHow how = { .seconds = ROUND_S * all->len, .most_rounds = ROUNDS, .seed = 1, .drop_above = STOP_AT, .brief = TRUE,
                       .no_control = TRUE, .go_on = x->how->go_on, .data = x->how->data };
  g_autoptr (LsComparison) c = compare_rows (x, all, &how, error);
  double fastest = INFINITY;
  *base = NAN;
  for (guint i = 0; c && i < all->len; i++) {
    const LsMeasured *m = ls_comparison_times (c, i);
    if (m && !m->error && m->median > 0)
      fastest = fmin (fastest, m->median);
    if (m && !m->error && g_array_index (all, guint, i) == best)
      *base = m->median;
  }
  for (guint i = 0; c && i < all->len; i++)
    if (i >= n_old || (i == 0 && isnan (row_at (x, 0)->ns) && !row_at (x, 0)->dropped))
      take_result (x, g_array_index (all, guint, i), c, i, fastest);
  x->s->n_compiled += c ? rows->len : 0;
  return c != NULL;
}

/* --- the last rounds --- */

/* The row of the heuristic's choice, or of the same kernel; G_MAXUINT: the search did not come so far. */
static guint
row_of_heuristic (const Search *x)
{
  for (guint i = 0; i < x->s->rows->len; i++)
    if (g_str_equal (row_at (x, i)->options, x->heuristic))
      return g_array_index (x->same, guint, i);
  return G_MAXUINT;
}

/* The heuristic's choice is a row also where the search ended before it. */
static void
complete_heuristic (Search *x)
{
  guint n = x->s->rows->len;
  for (guint i = 0; i < x->s->rows->len; i++)
    add_heuristic (x, i);
  for (guint i = n; i < x->s->rows->len; i++)
    if (!row_at (x, i)->dropped)
      drop (x, i, "not compiled: the search ended before its layer");
}

static void
add_final (GArray *rows, guint row)
{
  gboolean there = FALSE;
  for (guint i = 0; i < rows->len && !there; i++)
    there = g_array_index (rows, guint, i) == row;
  if (!there)
    g_array_append_val (rows, row);
}

/* The heuristic's choice, the best so far and the fastest others; that without options, unless it is slow beyond doubt. */
static GArray *
take_final (Search *x, guint best)
{
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) timed = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < x->s->rows->len; i++)
    if (!row_at (x, i)->dropped && !isnan (row_at (x, i)->ns))
      g_array_append_val (timed, i);
  g_array_sort_with_data (timed, by_time, x);
  if (x->s->heuristic != G_MAXUINT)
    add_final (rows, x->s->heuristic);
  add_final (rows, best);
  if (row_at (x, 0)->ns <= STOP_AT * row_at (x, best)->ns)
    add_final (rows, 0);
  for (guint i = 0; i < MIN (timed->len, MOST_FINAL); i++)
    add_final (rows, g_array_index (timed, guint, i));
  return rows;
}

/* Whether a row may be chosen: one that was stopped or has another row's code is in the rounds for the heuristic's sake. */
static gboolean
may_win (const Search *x, const LsComparison *c, const GArray *rows, guint i)
{
  const LsCandidate *row = row_at (x, g_array_index (rows, guint, i));
  return ls_comparison_times (c, i) && !c->variants[i].error && (!row->dropped || i == 0) && row->equal != LS_EQUAL_DIFFERS &&
         row->equal != LS_EQUAL_NONE;
}

/* One that was not compiled in its layer, the heuristic's choice, has its result judged by the best one's, which was judged by that
 * without options. */
static void
take_late (Search *x, const LsComparison *c, const GArray *rows)
{
  LsCandidate *row = row_at (x, g_array_index (rows, guint, 0));
  if (!isnan (row->compile_ms))
    return;
  row->compile_ms = c->variants[0].compile_ms;
  row->equal = c->variants[1].equality;
  row->dropped = c->variants[0].error ? keep (x->s, c->variants[0].error) : NULL;
  x->s->n_compiled++;
}

/* Times the best and the heuristic's choice against each other. The heuristic's stays unless one is faster beyond doubt. */
static gboolean
judge (Search *x, guint *best, GError **error)
{
  g_autoptr (GArray) rows = take_final (x, *best);
  if (rows->len < 2)
    return TRUE;
  LsMeasureHow how = { .seconds = FINAL_S, .seed = 1, .brief = TRUE, .go_on = x->how->go_on, .data = x->how->data };
  g_autoptr (LsComparison) c = compare_rows (x, rows, &how, error);
  if (!c)
    return FALSE;
  if (!c->times)
    return TRUE;
  take_late (x, c, rows);
  guint winner = may_win (x, c, rows, 0) ? 0 : G_MAXUINT;
  double least = 1;
  for (guint i = 1; i < rows->len; i++) {
    if (!may_win (x, c, rows, i))
      continue;
    LsTimeRatio r = winner == G_MAXUINT ? (LsTimeRatio) { 1, 1, 1, LS_TIME_FASTER }
                                        : ls_measurement_ratio (c->times, c->timed[i], c->timed[0]);
    if (r.verdict == LS_TIME_FASTER && (winner == G_MAXUINT || r.ratio < least)) {
      winner = i;
      least = r.ratio;
    }
  }
  if (winner == G_MAXUINT)
    return TRUE;
  for (guint i = 0; i < rows->len; i++) {
    LsCandidate *row = row_at (x, g_array_index (rows, guint, i));
    const LsMeasured *m = ls_comparison_times (c, i);
    if (!m || m->error)
      continue;
    LsTimeRatio r = ls_measurement_ratio (c->times, c->timed[i], c->timed[winner]);
    row->ns = m->median;
    row->verdict = ls_time_verdict_name (r.verdict);
    row->ratio = r.ratio, row->ratio_low = r.low, row->ratio_high = r.high;
  }
  x->s->n_rounds = c->times->n_rounds;
  x->s->noise = fabs (c->times->control.ratio - 1);
  *best = g_array_index (rows, guint, winner);
  return TRUE;
}

/* The rows from which the next layer continues: the fastest, and the heuristic's. */
static GArray *
take_beam (Search *x, GArray *rows)
{
  GArray *beam = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) timed = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < rows->len; i++)
    if (!row_at (x, g_array_index (rows, guint, i))->dropped)
      g_array_append_val (timed, g_array_index (rows, guint, i));
    else if (row_at (x, g_array_index (rows, guint, i))->heuristic)
      g_array_append_val (beam, g_array_index (rows, guint, i));
  g_array_sort_with_data (timed, by_time, x);
  for (guint i = 0; i < timed->len; i++) {
    guint at = g_array_index (timed, guint, i);
    if (i < x->how->width || row_at (x, at)->heuristic)
      g_array_append_val (beam, at);
    else
      drop (x, at, "the beam is full: it is number %u by time in its layer", i + 1);
  }
  return beam;
}

static gboolean
run (Search *x, GError **error)
{
  gint64 begin = g_get_monotonic_time (),
         end = begin + (gint64) ((x->how->seconds > 0 ? x->how->seconds : LS_SEARCH_SECONDS) * G_TIME_SPAN_SECOND);
  g_autoptr (GArray) beam = g_array_new (FALSE, FALSE, sizeof (guint));
  guint best = 0, heuristics = *x->heuristic ? 1 : 0;
  for (const char *p = x->heuristic; *p; p++)
    heuristics += *p == ',';
  add_candidate (x, -1, "");
  g_array_append_val (beam, best);
  for (guint layer = 1; !x->s->ended; layer++) {
    guint first = x->s->rows->len;
    double base;
    for (guint i = 0; i < beam->len; i++) {
      guint parent = g_array_index (beam, guint, i);
      if (!row_at (x, parent)->dropped)
        add_children (x, parent);
      add_heuristic (x, parent);
    }
    g_autoptr (GArray) rows = take_best (x, first);
    if (!time_rows (x, rows, best, &base, error))
      return FALSE;
    g_array_unref (beam);
    beam = take_beam (x, rows);
    guint fastest = best;
    double before = base;
    for (guint i = 0; i < beam->len; i++) {
      const LsCandidate *row = row_at (x, g_array_index (beam, guint, i));
      if (!row->dropped && (isnan (base) || row->ns < base)) {
        base = row->ns;
        fastest = g_array_index (beam, guint, i);
      }
    }
    gboolean gains = fastest != best && (isnan (before) || base < GAIN * before);
    best = gains ? fastest : best;
    if (x->how->go_on && !x->how->go_on (x->how->data))
      x->s->ended = "it was cancelled";
    else if (beam->len == 0)
      x->s->ended = "no candidate is left";
    else if (!gains && layer >= heuristics)
      x->s->ended = keep_printf (x->s, "layer %u was not faster", layer);
    else if (layer == MOST_LAYERS)
      x->s->ended = keep_printf (x->s, "there are %u options", layer);
    else if (g_get_monotonic_time () > end)
      x->s->ended = keep_printf (x->s, "the time budget ended after layer %u", layer);
  }
  complete_heuristic (x);
  x->s->heuristic = row_of_heuristic (x);
  if (!judge (x, &best, error))
    return FALSE;
  x->s->chosen = best;
  row_at (x, best)->chosen = TRUE;
  x->s->seconds = (double) (g_get_monotonic_time () - begin) / G_TIME_SPAN_SECOND;
  return TRUE;
}

static char *
choice_of_heuristic (Search *x)
{
  g_autoptr (GArray) opts = ls_opts_choose (x->ctx, &x->variant->settings, x->variant->target, x->base.graph);
  GString *s = g_string_new (NULL);
  for (guint i = 0; i < opts->len; i++) {
    g_autofree char *text = ls_opt_text (&g_array_index (opts, LsOpt, i));
    g_string_append_printf (s, "%s%s", s->len ? "," : "", text);
  }
  return g_string_free (s, FALSE);
}

LsSearch *
ls_search_new (guint kernel, const char *kernel_name, guint width)
{
  LsSearch *s = g_new0 (LsSearch, 1);
  g_autofree char *machine = ls_machine_name ();
  *s = (LsSearch) { .kernel = kernel, .width = width, .noise = NAN, .compiler = "", .version = "", .flags = "", .heuristic = G_MAXUINT,
                    .rows = g_array_new (FALSE, FALSE, sizeof (LsCandidate)), .strings = g_string_chunk_new (4096) };
  s->kernel_name = keep (s, kernel_name);
  s->machine = keep (s, machine);
  return s;
}

LsSearch *
ls_search (LsTrace *trace, guint kernel, const LsVariant *variant, const LsSearchHow *how, GError **error)
{
  g_return_val_if_fail (how->width >= 1, NULL);
  const LsKernel *k = ls_trace_kernel (trace, kernel);
  LsUOp *graph = ls_reference_graph_of (trace, kernel, error);
  if (!graph)
    return NULL;
  const LsRule *other;
  gboolean own;
  g_autoptr (LsRuleLibrary) library = ls_recorded_library (trace, TRUE, &other, &own);
  if (own) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "its run had rule %s (%s:%u), and rules from a recording are not executed: search "
                                                  "the program with --rules", other->name, other->file, other->line);
    return NULL;
  }
  g_autoptr (LsContext) ctx = ls_context_new_over (trace->ctx);
  g_autoptr (LsSearch) s = ls_search_new (kernel, k->name, how->width);
  g_autofree char *key = ls_search_key (ctx, graph, library, variant, how);
  Search x = { .trace = trace, .variant = variant, .how = how, .ctx = ctx, .s = s, .runner = ls_runner_new () };
  x.base = (LsPipeline) { .ctx = ctx, .library = library, .settings = &variant->settings, .target = variant->target, .kernel = kernel,
                          .graph = graph };
  gboolean ok = ls_pipeline_run (&x.base, LS_STAGE_AST, LS_STAGE_SIMPLIFY, error);
  x.accesses = ok ? ls_accesses_new (ctx, x.base.graph) : NULL;
  if (ok && !x.accesses)
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "kernel %u has more than %d axes, the limit of the search", kernel, LS_MAX_AXES);
  if (x.accesses) {
    ls_accesses_find_strides (ctx, x.accesses);
    x.heuristic = choice_of_heuristic (&x);
    x.same = g_array_new (FALSE, FALSE, sizeof (guint));
    x.kernels = g_hash_table_new (NULL, NULL);
    x.codes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    ok = (key && !how->no_cache && ls_search_take_cached (s, key)) || run (&x, error);
    if (ok && key && !s->cached && !(how->go_on && !how->go_on (how->data)))
      ls_search_keep (s, key);
    g_array_unref (x.same);
    g_hash_table_unref (x.kernels);
    g_hash_table_unref (x.codes);
    g_free (x.heuristic);
    ls_accesses_free (x.accesses);
  } else {
    ok = FALSE;
  }
  ls_pipeline_clear (&x.base);
  ls_runner_free (x.runner);
  return ok ? g_steal_pointer (&s) : NULL;
}

void
ls_search_free (LsSearch *s)
{
  if (!s)
    return;
  g_array_unref (s->rows);
  g_string_chunk_free (s->strings);
  g_free (s);
}
