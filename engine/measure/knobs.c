/* See knobs.h. All are variants of one comparison, so that a time is the ratio of samples from the same rounds. One that takes more than
 * DROP_AT times as long as the first is timed by its first calls alone, and said to be "about" that ratio. */
#include "knobs.h"

#include "codegen/options/option.h"
#include "kernel-options.h"

#include <math.h>

#define DROP_AT 4.0
#define ROUNDS  48
#define MOST_AMOUNT 64      /* of an option, as in a search: texts of larger ones take long to compile */

static const char *const kind_names[] = {
#define X(id, name) name,
  LS_KNOB_TABLE (X)
#undef X
  NULL
};

static void
knob_clear (gpointer data)
{
  LsKnob *k = data;
  g_free (k->spec);
  g_free (k->sentence);
}

/* Takes the spec. */
static void
add (GArray *rows, LsKnobKind kind, char *spec, const char *sentence)
{
  LsKnob knob = { kind, spec, g_strdup (sentence) };
  g_array_append_val (rows, knob);
}

/* The value of a setting that is tried in place of the one that a variant has: of flags and words the next one, of numbers one that is
 * far away. */
static gint64
other_value (const LsSettingInfo *info, gint64 value)
{
  guint n_words = info->words ? g_strv_length ((char **) info->words) : 0;
  if (n_words || info->to - info->from == 1)
    return n_words ? (value + 1) % n_words : info->from + info->to - value;
  if (g_str_equal (info->name, "THREADS"))
    return value == 1 ? g_get_num_processors () : 1;
  if (g_str_equal (info->name, "UNROLL_LOOPS"))
    return value ? 0 : 4;
  if (g_str_equal (info->name, "TRANSCENDENTAL"))
    return !value;
  if (g_str_equal (info->name, "UPCAST_MAX"))
    return value == 16 ? info->def : 16;
  return value == info->from ? info->def : info->from;
}

static void
add_settings (GArray *rows, const LsSettings *settings)
{
  LsProfile profile = ls_settings_profile (settings);
  for (guint p = 0; p < LS_N_PROFILES; p++)
    if (p != profile)
      add (rows, LS_KNOB_SETTING, g_strconcat ("profile=", ls_profile_name (p), NULL), LS_PROFILE_SENTENCE);
  for (const LsSettingInfo *info = ls_setting_infos; info->name; info++) {
    if (!info->of_code || g_str_equal (info->name, "CLASSIC") || g_str_equal (info->name, "MODERN"))
      continue;
    LsSettings other = *settings;
    gint64 *value = (gint64 *) ((guint8 *) &other + info->offset);
    *value = other_value (info, *value);
    add (rows, LS_KNOB_SETTING, ls_setting_text (&other, info), info->sentence);
  }
}

static void
add_compilers (GArray *rows, const LsVariant *variant)
{
  const LsCompiler *timer = ls_variant_timer (variant);
  for (const LsTarget *const *t = ls_targets; *t; t++)
    if (*t != variant->target && ls_compiler_default ((*t)->name)->how != LS_COMPILER_INTERPRETER)      /* whose times say nothing */
      add (rows, LS_KNOB_TARGET, g_strconcat ("target=", (*t)->name, NULL), (*t)->sentence);
  for (const LsCompiler *c = ls_compilers; c->name; c++)
    if (c != timer && c->how != LS_COMPILER_INTERPRETER && ls_compiler_takes (c, variant->target->name) &&
        ls_compiler_available (c->name, NULL))
      add (rows, LS_KNOB_COMPILER, g_strconcat ("compiler=", c->name, NULL), NULL);
  if (!timer->optimizes)
    return;
  for (guint level = 0; level < 4; level++)
    if (level != 2 || variant->cflags)
      add (rows, LS_KNOB_FLAG, g_strdup_printf ("compiler=%s,cflags=-O%u", timer->name, level), NULL);
  if (!variant->not_native)
    add (rows, LS_KNOB_FLAG, g_strdup ("native=0"), NULL);
}

static gboolean
add_options (GArray *rows, LsTrace *trace, guint kernel, const LsVariant *variant, GError **error)
{
  g_autoptr (LsKernelOptions) options = ls_kernel_options (trace, kernel, variant, error);
  for (guint i = 0; options && i < options->options->len; i++) {
    const LsOptionRow *o = &g_array_index (options->options, LsOptionRow, i);
    g_autoptr (GArray) opts = ls_opts_parse (o->text, NULL);
    if (o->legal && opts && g_array_index (opts, LsOpt, 0).amount <= MOST_AMOUNT)
      add (rows, LS_KNOB_OPTION, g_strconcat ("opt=", o->text, NULL), NULL);
  }
  return options != NULL;
}

LsKnobs *
ls_knobs (LsTrace *trace, guint kernel, const LsVariant *variant, double seconds, GError **error)
{
  g_autoptr (LsKnobs) out = g_new0 (LsKnobs, 1);
  g_autoptr (GArray) made = g_array_new (FALSE, TRUE, sizeof (LsVariant));
  g_autoptr (GPtrArray) specs = g_ptr_array_new ();
  out->rows = g_array_new (FALSE, FALSE, sizeof (LsKnob));
  g_array_set_clear_func (out->rows, knob_clear);
  g_array_set_clear_func (made, (GDestroyNotify) ls_variant_clear);
  add (out->rows, LS_KNOB_AS_IT_IS, g_strdup (""), NULL);
  add_settings (out->rows, &variant->settings);
  add_compilers (out->rows, variant);
  if (!add_options (out->rows, trace, kernel, variant, error))
    return NULL;
  for (guint i = 0; i < out->rows->len;) {
    LsKnob *k = &g_array_index (out->rows, LsKnob, i);
    g_array_set_size (made, i + 1);
    LsVariant *v = &g_array_index (made, LsVariant, i);
    ls_variant_copy (v, variant);
    if (k->kind == LS_KNOB_OPTION)
      g_clear_pointer (&v->options, g_free);
    if (k->kind == LS_KNOB_TARGET && !v->named)      /* the target's own */
      v->compiler = NULL;
    if ((*k->spec && !ls_variant_apply (v, k->spec, NULL)) || !ls_variant_complete (v, NULL)) {      /* it does not go with the variant */
      g_array_set_size (made, i);
      g_array_remove_index (out->rows, i);
      continue;
    }
    g_ptr_array_add (specs, k->spec);
    i++;
  }
  LsMeasureHow how = { .seconds = seconds, .seed = 1, .most_rounds = ROUNDS, .drop_above = DROP_AT, .drop_by_first = TRUE, .brief = TRUE };
  out->comparison = ls_compare (trace, kernel, out->rows->len, (const LsVariant *) (gpointer) made->data,
                                (const char *const *) specs->pdata, &how, error);
  return out->comparison ? g_steal_pointer (&out) : NULL;
}

void
ls_knobs_free (LsKnobs *knobs)
{
  if (!knobs)
    return;
  g_clear_pointer (&knobs->comparison, ls_comparison_free);
  g_array_unref (knobs->rows);
  g_free (knobs);
}

/* --- the answer --- */

/* "1.07 [1.05, 1.09]", "about 31"; "" where there is no time. */
static char *
ratio_text (const LsComparison *c, guint k)
{
  const LsMeasured *x = ls_comparison_times (c, k), *first = ls_comparison_times (c, 0);
  if (!ls_comparison_is_timed (c, k) || k == 0)
    return g_strdup ("");
  if (x->dropped) {
    g_autofree char *about = ls_sentence ("about %.2f", x->median / first->median);
    return first->median > 0 ? ls_sentence_shown (about) : g_strdup ("");
  }
  if (isnan (x->ratio_low))
    return isnan (x->ratio) ? g_strdup ("") : g_strdup_printf ("%.2f", x->ratio);
  return g_strdup_printf ("%.2f [%.2f, %.2f]", x->ratio, x->ratio_low, x->ratio_high);
}

static const char *
verdict_of (const LsComparison *c, guint k)
{
  const LsMeasured *x = ls_comparison_times (c, k), *first = ls_comparison_times (c, 0);
  if (c->variants[k].error)
    return ls_time_verdict_name (LS_TIME_FAILED);
  if (x && ls_measured_same_code (x, first) && k > 0)
    return ls_time_verdict_name (LS_TIME_SAME);
  return ls_time_verdict_name (!x ? LS_TIME_UNCLEAR : x->dropped ? LS_TIME_SLOWER : x->verdict);
}

static char *
shown (const LsValue *value)
{
  return ls_sentence_shown (value->text ? value->text : "");
}

static char *
ns_text (const LsValue *value)
{
  return ls_time_text (value->number);
}

static char *
spec_text (const LsValue *value)
{
  return g_strdup (*value->text ? value->text : ls_shown (LS_TEMPLATE ("(as it is)")));
}

#define KNOB(X) \
  X (kind, NAME, r->kind, TRUE, "as it is, setting, target, compiler, flag or option", .names = kind_names) \
  X (spec, TEXT, r->spec, TRUE, "The variant", .title = "variant", .width = -26, .text = spec_text) \
  X (sentence, TEXT, r->sentence, TRUE, "The setting's or target's description, or null") \
  X (error, TEXT, v->error, TRUE, "Why it has no result, or null") \
  X (ns, NUMBER, x->median, timed, "Median time of one call, in nanoseconds", .title = "time", .width = 10, .text = ns_text) \
  X (ratio, RATIO, ((LsValueRatio) { x->ratio, x->ratio_low, x->ratio_high }), timed && !x->dropped, \
     "Its time divided by that of the kernel as it is, with the interval") \
  X (about, NUMBER, x->median / first->median, timed && x->dropped && first && first->median > 0, \
     "The same from first calls alone: it takes more than 4 times as long") \
  X (of_first, OWNED, ratio_text (c, index), TRUE, "Its time divided by the first one's", .title = "ratio", .width = -18, \
     .only_text = TRUE) \
  X (verdict, TEXT, verdict_of (c, index), TRUE, "first, same-code, as-fast, faster, slower, unclear, failed, …", .title = "verdict", \
     .width = -10, .text = shown) \
  X (equal, NAME, v->equality, TRUE, "Its result compared with that of the kernel as it is", .names = ls_equality_names, \
     .title = "result", .width = -8) \
  X (difference, TEXT, v->error ? v->error : v->log_text ? v->log_text : v->note, TRUE, \
     "The first difference of its rewrites, or why it has no result; null: the rewrites are the same", .title = "first difference", \
     .text = shown)
LS_RECORD (ls_knob_answer, KNOB, const LsKnobs *all = answer->data; const LsComparison *c = all->comparison; const LsKnob *r = row;
           const LsComparedVariant *v = &c->variants[index]; const LsMeasured *x = ls_comparison_times (c, index);
           const LsMeasured *first = ls_comparison_times (c, 0); gboolean timed = ls_comparison_is_timed (c, index);)

#define KNOBS(X) \
  X (kernel, INT, k->comparison->kernel, TRUE, "Number of the kernel") \
  X (name, TEXT, k->comparison->kernel_name, TRUE, "Its name") \
  X (machine, TEXT, k->comparison->machine, TRUE, "The machine on which it was timed") \
  X (rounds, INT, k->comparison->times ? k->comparison->times->n_rounds : 0, TRUE, "Number of timed rounds") \
  X (rows, LIST, ls_list_array (k->rows), TRUE, "The kernel as it is, and with each setting, target, compiler, flag and option alone", \
     .of = &ls_knob_answer, .lines = TRUE)
LS_RECORD (ls_knobs_answer, KNOBS, const LsKnobs *k = row;)
