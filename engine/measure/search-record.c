/* What was found is kept: in a recording, as the rows of its tables, and in the user's cache, so that the same search is answered at once.
 *
 * The key in the cache is all that the answer depends on: the kernel's graph, the rules, the settings, target and flags, the compiler
 * with its version, the machine, how was searched, and this very program.
 */
#include "search-private.h"

#include "ir/print.h"
#include "run/cache.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static const LsCacheKind kind = { "search", ".search", 4096, (guint64) 32 << 20 };

#define ROW_TYPE  "(iusdddusbdddubb)"
#define TYPE      "(sssuusuudd" "sa" ROW_TYPE ")"

/* --- the recording --- */

void
ls_search_record (const LsSearch *s, LsTrace *trace)
{
  LsKernel *k = ls_trace_kernel (trace, s->kernel);
  const char *text[] = { s->compiler, s->version, s->flags, s->machine, s->ended };
  const char *kept[G_N_ELEMENTS (text)];
  g_return_if_fail (k && k->candidates->len == 0);
  for (gsize i = 0; i < G_N_ELEMENTS (text); i++)
    kept[i] = ls_trace_string (trace, text[i] ? text[i] : "");
  LsTraceSearch search = { s->kernel, s->width, s->heuristic == G_MAXUINT ? -1 : (gint) s->heuristic, s->n_compiled, s->n_rounds, kept[0],
                           kept[1], kept[2], kept[3], kept[4], s->seconds, s->noise, s->cached };
  g_array_append_val (trace->searches, search);
  for (guint i = 0; i < s->rows->len; i++) {
    const LsSearchRow *row = &g_array_index (s->rows, LsSearchRow, i);
    LsTraceCandidate c = { row->parent, row->layer, ls_trace_string (trace, row->options), row->score, row->compile_ms, row->ns,
                           row->equality,
                           row->dropped ? ls_trace_string (trace, row->dropped) : NULL,
                           row->judged ? ls_time_verdict_name (row->ratio.verdict) : NULL,
                           row->ratio.ratio, row->ratio.low, row->ratio.high, row->by_heuristic, row->chosen };
    g_array_append_val (k->candidates, c);
  }
}

/* LS_N_TIMES: no verdict has that name. */
static LsTimeVerdict
verdict_of (const char *name)
{
  LsTimeVerdict v = 0;
  while (v < LS_N_TIMES && !g_str_equal (ls_time_verdict_name (v), name))
    v++;
  return v;
}

LsSearch *
ls_search_recorded (LsTrace *trace, guint kernel)
{
  const LsKernel *k = ls_trace_kernel (trace, kernel);
  const LsKernel *code = k && k->same_as > 0 ? ls_trace_kernel (trace, (guint) k->same_as) : k;
  const LsTraceSearch *found = NULL;
  for (guint i = 0; code && i < trace->searches->len && !found; i++)
    if (g_array_index (trace->searches, LsTraceSearch, i).kernel == code->number)
      found = &g_array_index (trace->searches, LsTraceSearch, i);
  if (!found)
    return NULL;
  LsSearch *s = ls_search_new (code->number, code->name, found->width);
  g_free (s->machine);
  s->machine = g_strdup (found->machine);
  s->compiler = g_intern_string (found->compiler);
  s->version = g_strdup (found->compiler_version);
  s->flags = g_strdup (found->flags);
  s->ended = g_strdup (found->ended);
  s->heuristic = found->heuristic < 0 ? G_MAXUINT : (guint) found->heuristic;
  s->n_compiled = found->n_compiled;
  s->n_rounds = found->n_rounds;
  s->seconds = found->seconds;
  s->noise = found->noise;
  s->cached = found->cached;
  s->recorded = TRUE;
  for (guint i = 0; i < code->candidates->len; i++) {
    const LsTraceCandidate *c = &g_array_index (code->candidates, LsTraceCandidate, i);
    LsTimeVerdict verdict = c->verdict ? verdict_of (c->verdict) : LS_N_TIMES;
    LsSearchRow row = { c->parent, c->layer, g_strdup (c->options), c->score, c->compile_ms, c->ns, c->equality, g_strdup (c->dropped),
                        verdict < LS_N_TIMES,
                        { c->ratio, c->ratio_low, c->ratio_high, verdict < LS_N_TIMES ? verdict : LS_TIME_UNCLEAR }, i, c->by_heuristic,
                        c->chosen };
    if (c->chosen)
      s->chosen = i;
    g_array_append_val (s->rows, row);
  }
  return s;
}

/* --- the cache --- */

/* Which compiler that is: the version that its code was made by, or "" where it makes none. */
static char *
version_of (const LsVariant *variant)
{
  const char *compiler = ls_variant_timer (variant)->name;
  g_autofree char *flags = ls_variant_flags (variant, compiler);
  LsRunner *runner = ls_runner_new ();
  LsBuffer *buffer = ls_runner_buffer_new (runner, 0, LS_FLOAT, 1, NULL);
  LsLaunch launch = { .compiler = compiler, .flags = flags, .name = "ls_nothing", .source = "void ls_nothing (void *a) { }\n",
                      .n_buffers = 1, .buffers = &buffer, .repeats = 1, .timeout_ms = 5000 };
  LsLaunchResult result = { 0 };
  char *version = buffer && ls_runner_launch (runner, &launch, &result, NULL) ? g_strdup (result.version) : NULL;
  ls_launch_result_clear (&result);
  ls_runner_free (runner);
  return version;
}

char *
ls_search_key (LsContext *ctx, LsUOp *graph, LsRuleLibrary *library, const LsVariant *variant, const LsSearchHow *how)
{
  const LsCompiler *timer = ls_variant_timer (variant);
  g_autofree char *version = version_of (variant), *flags = ls_variant_flags (variant, timer->name), *machine = ls_machine_name (),
                  *text = ls_pyrender (ctx, graph);
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autoptr (GString) s = g_string_new (NULL);
  GPtrArray *rules = ls_rule_library_rules (library);
  GStatBuf self = { 0 };
  if (!version || g_stat ("/proc/self/exe", &self) != 0)
    return NULL;
  g_string_append_printf (s, "%s\n%" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %ld\n%s\n%s %s %s\n%s\n%u %g\n", TYPE, (gint64) self.st_size,
                          (gint64) self.st_mtim.tv_sec, (long) self.st_mtim.tv_nsec, machine,
                          timer->name, version, flags ? flags : "", variant->target->name, how->width, how->seconds);
  for (const LsSettingInfo *i = ls_setting_infos; i->name; i++) {
    g_autofree char *setting = ls_setting_text (&variant->settings, i);
    g_string_append_printf (s, "%s\n", setting);
  }
  g_string_append (s, text);
  for (guint i = 0; i < rules->len; i++)
    g_string_append_printf (s, "\n%s %s", ((const LsRule *) rules->pdata[i])->set, ((const LsRule *) rules->pdata[i])->text);
  g_checksum_update (sum, (const guchar *) s->str, (gssize) s->len);
  return g_strdup (g_checksum_get_string (sum));
}

void
ls_search_keep (const LsSearch *s, const char *key)
{
  GVariantBuilder rows;
  g_variant_builder_init (&rows, G_VARIANT_TYPE ("a" ROW_TYPE));
  for (guint i = 0; i < s->rows->len; i++) {
    const LsSearchRow *r = &g_array_index (s->rows, LsSearchRow, i);
    g_variant_builder_add (&rows, ROW_TYPE, r->parent, r->layer, r->options, r->score, r->compile_ms, r->ns, r->equality,
                           r->dropped ? r->dropped : "", r->judged, r->ratio.ratio, r->ratio.low,
                           r->ratio.high, r->ratio.verdict, r->by_heuristic, r->chosen);
  }
  g_autoptr (GVariant) all = g_variant_ref_sink (g_variant_new (TYPE, s->compiler, s->version ? s->version : "", s->flags ? s->flags : "",
                                                                s->width, s->heuristic, s->ended, s->n_compiled, s->n_rounds, s->seconds,
                                                                s->noise, s->machine, &rows));
  ls_cache_keep (&kind, key, g_variant_get_data (all), g_variant_get_size (all));
}

gboolean
ls_search_take_kept (LsSearch *s, const char *key)
{
  gsize n;
  gboolean damaged;
  guint8 *bytes = ls_cache_get (&kind, key, &n, &damaged);
  if (!bytes)
    return FALSE;
  g_autoptr (GVariant) all = g_variant_ref_sink (g_variant_new_from_data (G_VARIANT_TYPE (TYPE), bytes, n, FALSE, g_free, bytes));
  if (!g_variant_is_normal_form (all))
    return FALSE;
  g_autoptr (GVariantIter) rows = NULL;
  g_autofree char *compiler = NULL, *machine = NULL;
  LsSearchRow row = { 0 };
  g_variant_get (all, TYPE, &compiler, &s->version, &s->flags, &s->width, &s->heuristic, &s->ended, &s->n_compiled, &s->n_rounds,
                 &s->seconds, &s->noise, &machine, &rows);
  while (g_variant_iter_next (rows, ROW_TYPE, &row.parent, &row.layer, &row.options, &row.score, &row.compile_ms, &row.ns, &row.equality,
                              &row.dropped, &row.judged, &row.ratio.ratio, &row.ratio.low,
                              &row.ratio.high, &row.ratio.verdict, &row.by_heuristic, &row.chosen)) {
    if (!*row.dropped)
      g_clear_pointer (&row.dropped, g_free);
    if (row.chosen)
      s->chosen = s->rows->len;
    g_array_append_val (s->rows, row);
  }
  s->compiler = g_intern_string (compiler);
  s->cached = TRUE;
  return s->rows->len > 0;
}
