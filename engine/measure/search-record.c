/* Results are stored in a recording, as rows of its tables, and in the user's cache, so that the same search is answered at once.
 *
 * The key in the cache has all inputs of the answer: the kernel's graph, the rules, the settings, target and flags, the compiler with
 * its version, the machine, the parameters of the search, and this very program.
 */
#include "search-private.h"

#include "pipeline/launch.h"

#include "ir/print.h"
#include "ir/sentence.h"
#include "run/cache.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static const LsCacheKind kind = { "search", ".search", 4096, (guint64) 32 << 20 };

/* --- the answer --- */

static char *
options_text (const LsValue *value)
{
  return g_strdup (*value->text ? value->text : ls_shown (LS_TEMPLATE ("(none)")));
}

static char *
ns_text (const LsValue *value)
{
  return ls_time_text (value->number);
}

/* "1.31 x the chosen one's time (1.28 to 1.35); " */
static char *
judged_text (const LsCandidate *c)
{
  if (!c->verdict || c->chosen)
    return g_strdup ("");
  if (isnan (c->ratio_low))
    return g_strdup_printf ("%s; ", ls_shown (c->verdict));
  g_autofree char *ratio = ls_sentence ("%.3g x the chosen candidate's time (%.3g to %.3g)", c->ratio, c->ratio_low, c->ratio_high),
                  *shown = ls_sentence_shown (ratio);
  return g_strdup_printf ("%s: %s; ", ls_shown (c->verdict), shown);
}

static char *
remark_text (const LsCandidate *c)
{
  g_autofree char *judged = judged_text (c), *dropped = ls_sentence_shown (c->dropped ? c->dropped : "");
  const char *chosen = c->chosen ? ls_shown (LS_TEMPLATE ("chosen; ")) : "",
             *leads = c->heuristic && c->layer > 0 ? ls_shown (LS_TEMPLATE ("leads to the heuristic's choice; ")) : "";
  return g_strconcat (chosen, leads, judged, dropped, NULL);
}

static const LsField candidate_fields[] = {
  { .name = "id", .kind = LS_CELL_INT, .sentence = "The candidate's number, from 0", .title = "row", .width = 4 },
#define F(member, type, class, reference, flags, kind_of, value, when, sentence_of, ...) \
  { .name = #member, .kind = LS_CELL_##kind_of, .sentence = sentence_of, LS_MEMBER (LsCandidate, member), __VA_ARGS__ },
#include "trace/candidate.def"
  { .name = "remark", .kind = LS_CELL_OWNED, .sentence = "Notes on it", .title = "", .only_text = TRUE,
    .column = LS_TITLE ("Remark"), .place = 2, .fills = TRUE },
};

static void
candidate_get (const LsAnswering *answer, gconstpointer row, guint index, LsValue *value)
{
  const LsCandidate *c = row;
  *value++ = (LsValue) { TRUE, .integer = index };
#define F(member, type, class, reference, flags, kind, value_of, when, ...) LS_FIELD_GET (member, kind, value_of, when)
#include "trace/candidate.def"
  *value = (LsValue) { TRUE, .owned = remark_text (c) };
}
const LsRecord ls_candidate_answer = { "candidate", G_N_ELEMENTS (candidate_fields), candidate_fields, candidate_get };

#define SEARCH(X) \
  X (kernel, INT, s->kernel, TRUE, "Number of the kernel") \
  X (name, TEXT, s->kernel_name, TRUE, "Its name") \
  X (machine, TEXT, s->machine, TRUE, "The machine on which it was timed", LS_MEMBER (LsSearch, machine)) \
  X (width, INT, s->width, TRUE, "Width of the beam", LS_MEMBER (LsSearch, width)) \
  X (compiler, TEXT, s->compiler, TRUE, "The compiler of the timed code", LS_MEMBER (LsSearch, compiler)) \
  X (version, TEXT, s->version, TRUE, "The compiler's version", LS_MEMBER (LsSearch, version)) \
  X (flags, TEXT, s->flags, TRUE, "The compiler's flags", LS_MEMBER (LsSearch, flags)) \
  X (source, TEXT, s->recorded ? "recording" : s->cached ? "cache" : "timed", TRUE, "Source of the times: recording, cache, or timed now") \
  X (chosen, INT, s->chosen, TRUE, "The candidate that was chosen", LS_MEMBER (LsSearch, chosen)) \
  X (heuristic, INT, s->heuristic == G_MAXUINT ? -1 : (gint64) s->heuristic, TRUE, "The heuristic's choice, or -1", \
     LS_MEMBER (LsSearch, heuristic)) \
  X (compiled, INT, s->n_compiled, TRUE, "Number of compiled candidates", LS_MEMBER (LsSearch, n_compiled)) \
  X (seconds, NUMBER, s->seconds, TRUE, "Time of the search", LS_MEMBER (LsSearch, seconds)) \
  X (ended, TEXT, s->ended, TRUE, "Why the search ended", LS_MEMBER (LsSearch, ended)) \
  X (rounds, INT, s->n_rounds, TRUE, "Number of rounds in which the best candidates were timed together", LS_MEMBER (LsSearch, n_rounds)) \
  X (noise, NUMBER, s->noise, !isnan (s->noise), "Noise: by how much the ratio of a kernel's time to itself differs from 1", \
     LS_MEMBER (LsSearch, noise)) \
  X (candidates, LIST, ls_list_array (s->rows), TRUE, "Every candidate", .of = &ls_candidate_answer, .lines = TRUE)
LS_RECORD (ls_search_answer, SEARCH, const LsSearch *s = row;)

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
  LsUOp *graph = ls_trace_last_graph (trace, k);      /* so far */
  ls_trace_add_map_pass (trace, k->number, ls_stage_infos[LS_STAGE_SEARCH].name, graph, graph, (guint64) (s->seconds * 1e9));
  for (guint i = 0; i < s->rows->len; i++) {
    LsCandidate c = g_array_index (s->rows, LsCandidate, i);
    c.options = ls_trace_string (trace, c.options);
    c.dropped = c.dropped ? ls_trace_string (trace, c.dropped) : NULL;
    g_array_append_val (k->candidates, c);
  }
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
  s->machine = found->machine;
  s->compiler = found->compiler;
  s->version = found->compiler_version;
  s->flags = found->flags;
  s->ended = found->ended;
  s->heuristic = found->heuristic < 0 ? G_MAXUINT : (guint) found->heuristic;
  s->n_compiled = found->n_compiled;
  s->n_rounds = found->n_rounds;
  s->seconds = found->seconds;
  s->noise = found->noise;
  s->cached = found->cached;
  s->recorded = TRUE;
  for (guint i = 0; i < code->candidates->len; i++) {
    g_array_append_val (s->rows, g_array_index (code->candidates, LsCandidate, i));
    if (g_array_index (code->candidates, LsCandidate, i).chosen)
      s->chosen = i;
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
  LsLaunch launch = { .compiler = compiler, .flags = flags, .name = "ls_nothing", .source = ls_launch_nothing (ls_variant_timer (variant)),
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
                  *text = ls_pyrender (ctx, graph), *keys = ls_answer_keys (&ls_search_answer);
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autoptr (GString) s = g_string_new (NULL);
  GPtrArray *rules = ls_rule_library_rules (library);
  GStatBuf self = { 0 };
  if (!version || g_stat ("/proc/self/exe", &self) != 0)
    return NULL;
  g_string_append_printf (s, "%s\n%" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %ld\n%s\n%s %s %s\n%s\n%u %g\n", keys, (gint64) self.st_size,
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
  g_autofree char *text = ls_answer_json (&ls_search_answer, s, &(LsAnswering) { 0 });
  ls_cache_keep (&kind, key, text, strlen (text));
}

/* Whether a search that was read refers to rows that it has, and lacks no text: the cache is a file of the user's. */
static gboolean
is_whole (const LsSearch *s)
{
  gboolean whole = s->chosen < s->rows->len && (s->heuristic == G_MAXUINT || s->heuristic < s->rows->len) && s->machine && s->compiler &&
                   s->version && s->flags && s->ended;
  for (guint i = 0; i < s->rows->len && whole; i++) {
    const LsCandidate *c = &g_array_index (s->rows, LsCandidate, i);
    whole = c->options && c->parent < (gint) i && c->parent >= (i ? 0 : -1);
  }
  return whole;
}

gboolean
ls_search_read (LsSearch *s, LsRow all)
{
  const LsSearch before = *s;
  ls_read_take (all, s, s->strings);
  for (guint i = 0; i < ls_read_n (all, "candidates"); i++) {
    LsCandidate c;
    ls_read_take (ls_read_at (all, "candidates", i), &c, s->strings);
    g_array_append_val (s->rows, c);
  }
  if (is_whole (s))
    return TRUE;
  *s = before;
  g_array_set_size (s->rows, 0);
  return FALSE;
}

gboolean
ls_search_take_cached (LsSearch *s, const char *key)
{
  gsize n;
  gboolean damaged;
  g_autofree guint8 *bytes = ls_cache_get (&kind, key, &n, &damaged);
  g_autoptr (LsReading) kept = bytes ? ls_reading_new (&ls_search_answer, (const char *) bytes, (gssize) n, NULL) : NULL;
  s->cached = kept && ls_search_read (s, ls_reading_row (kept));
  return s->cached;
}
