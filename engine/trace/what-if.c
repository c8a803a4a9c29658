/* Decisions are named by what a person sees of them, so that a name means the same in each run of the program: the realization, the
 * other choice, the reason, and the line and call that made the value first. A number tells several from each other, in the order of
 * steps. */
#include "what-if.h"
#include "row-steps-private.h"

#include "ir/number.h"
#include "rewrite/stage.h"

#include <string.h>

static gboolean
refuse (GError **error, const char *text, const char *format, ...) G_GNUC_PRINTF (3, 4);

static gboolean
refuse (GError **error, const char *text, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *why = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "schedule=%s: %s", text, why);
  return FALSE;
}

void
ls_what_if_clear (LsWhatIf *w)
{
  g_clear_pointer (&w->call, g_free);
}

static gboolean
find_reason (const char *key, LsReason *reason)
{
  for (guint r = 0; r < LS_N_REASONS; r++)
    if (strcmp (ls_reasons[r].key, key) == 0) {
      *reason = r;
      return TRUE;
    }
  return FALSE;
}

/* Of two kernels. */
static gboolean
find_apart (const char *key, LsApartness *why)
{
  for (guint a = 0; a < LS_N_APART; a++)
    if (a != LS_APART_NOT && strcmp (ls_apart[a].key, key) == 0) {
      *why = a;
      return TRUE;
    }
  return FALSE;
}

static gboolean
read_number (const char **at, guint *out)
{
  guint64 n;
  if (!ls_number_uint (at, 10, G_MAXINT, &n))
    return FALSE;
  *out = (guint) n;
  return TRUE;
}

gboolean
ls_what_if_parse (const char *text, LsWhatIf *w, GError **error)
{
  static const char *const form = "it is not rN:ACTION:REASON@LINE.CALL[#K], as in r2:inline:costly-expand@9.softmax";
  g_auto (GStrv) parts = g_strsplit (text, ":", 3);
  const char *at = parts[0] ? parts[0] + (*parts[0] == 'r') : NULL, *place = g_strv_length (parts) == 3 ? strchr (parts[2], '@') : NULL;
  *w = (LsWhatIf) { 0 };
  if (!place || at == parts[0] || !read_number (&at, &w->realization) || *at || w->realization == 0)
    return refuse (error, text, "%s", form);
  g_autofree char *key = g_strndup (parts[2], (gsize) (place - parts[2]));
  gboolean apart = find_apart (key, &w->apart);
  if (!apart && !find_reason (key, &w->key)) {
    g_autofree char *keys = g_strjoinv (", ", (char **) ls_reason_keys);
    return refuse (error, text, "there is no reason '%s'; there are %s", key, keys);
  }
  const LsReasonInfo *reason = &ls_reasons[w->key];
  if (apart && strcmp (parts[1], "fuse") != 0)
    return refuse (error, text, "the other choice of %s is fuse, not '%s'", key, parts[1]);
  if (apart && !ls_apart[w->apart].can)
    return refuse (error, text, "the two kernels cannot be one: %s", ls_apart[w->apart].sentence);
  if (!apart && !reason->other)
    return refuse (error, text, "a decision for the reason %s cannot be turned around: %s", key, reason->cannot);
  if (!apart && strcmp (parts[1], reason->other) != 0)
    return refuse (error, text, "the other choice of %s is %s, not '%s'", key, reason->other, parts[1]);
  at = place + 1;
  if (!read_number (&at, &w->line) || *at != '.')
    return refuse (error, text, "%s", form);
  const char *number = strchr (at, '#');
  w->call = number ? g_strndup (at + 1, (gsize) (number - at - 1)) : g_strdup (at + 1);
  at = number ? number + 1 : "";
  if (!*w->call || (number && (!read_number (&at, &w->number) || *at || w->number == 0))) {
    ls_what_if_clear (w);
    return refuse (error, text, "%s", form);
  }
  return TRUE;
}

guint
ls_what_if_realization (const LsPass *schedule)
{
  guint n = 0;
  for (guint i = 0; i <= schedule->index && i < schedule->trace->passes->len; i++)
    n += ls_rows_of (schedule->trace->passes->pdata[i]) == LS_ROWS_SCHEDULE;
  return n;
}

/* "9.softmax": the call that made the value first, and of those that it was made in the outermost on the same line. */
static char *
find_place (const LsPass *schedule, guint32 node)
{
  LsTrace *trace = schedule->trace;
  g_autoptr (GArray) calls = ls_schedule_calls (schedule, node);
  const LsUOp *u = ls_context_node (trace->ctx, node);
  guint first = G_MAXUINT;
  for (guint i = 0; i < calls->len; i++) {
    guint call = g_array_index (calls, guint, i);
    if (call < first && g_array_index (trace->calls, LsCall, call).line)
      first = call;
  }
  if (first == G_MAXUINT)
    return g_strdup_printf ("0.%s", u ? ls_op_name (u->op) : "?");
  const LsCall *c = &g_array_index (trace->calls, LsCall, first);
  guint line = c->line;
  while (c->parent >= 0 && g_array_index (trace->calls, LsCall, c->parent).line == line)
    c = &g_array_index (trace->calls, LsCall, c->parent);
  return g_strdup_printf ("%u.%s", line, c->name);
}

/* Places are asked for again and again, for names are found by comparing: they are kept while nothing is added to the recording. */
typedef struct { guint n_calls, n_kernels; GHashTable *of_node; } Places;

static void
places_free (gpointer data)
{
  g_hash_table_unref (((Places *) data)->of_node);
  g_free (data);
}

static char *
place_of (const LsPass *schedule, guint32 node)
{
  GQuark quark = g_quark_from_static_string ("ls-what-if-places");
  const LsTrace *trace = schedule->trace;
  Places *places = g_dataset_id_get_data (schedule, quark);
  if (!places || places->n_calls != trace->calls->len || places->n_kernels != trace->kernels->len) {
    places = g_new (Places, 1);
    *places = (Places) { trace->calls->len, trace->kernels->len, g_hash_table_new_full (NULL, NULL, NULL, g_free) };
    g_dataset_id_set_data_full (schedule, quark, places, places_free);
  }
  const char *known = g_hash_table_lookup (places->of_node, GUINT_TO_POINTER (node + 1));
  if (!known)
    g_hash_table_insert (places->of_node, GUINT_TO_POINTER (node + 1), (gpointer) (known = find_place (schedule, node)));
  return g_strdup (known);
}

static gboolean
has_other (const LsPass *schedule, const LsDecision *d)
{
  const LsUOp *u = ls_context_node (schedule->trace->ctx, d->node);
  return ls_reasons[d->key].other && u && u->op != LS_OP_COPY;      /* data of the host is memory */
}

/* --- the names of a schedule's steps --- */

typedef struct { guint n; char **texts; } Names;

static void
names_free (gpointer data)
{
  Names *names = data;
  for (guint i = 0; i < names->n; i++)
    g_free (names->texts[i]);
  g_free (names->texts);
  g_free (names);
}

static Names *
names_new (const LsPass *schedule, guint n)
{
  Names *names = g_new0 (Names, 1);
  g_autoptr (GHashTable) count = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL), at = g_hash_table_new (g_str_hash,
                                                                                                                       g_str_equal);
  guint realization = ls_what_if_realization (schedule);
  names->n = n;
  names->texts = g_new0 (char *, n + 1);
  for (guint i = 0; i < n; i++) {
    const LsDecision *d = ls_schedule_step_decision (schedule, i + 1);
    if (!has_other (schedule, d))
      continue;
    g_autofree char *place = place_of (schedule, d->node);
    names->texts[i] = g_strdup_printf ("r%u:%s:%s@%s", realization, ls_reasons[d->key].other, ls_reasons[d->key].key, place);
    guint so_far = GPOINTER_TO_UINT (g_hash_table_lookup (count, names->texts[i]));
    g_hash_table_insert (count, g_strdup (names->texts[i]), GUINT_TO_POINTER (so_far + 1));
  }
  for (guint i = 0; i < n; i++) {
    gpointer name = NULL, number;
    if (!names->texts[i] || !g_hash_table_lookup_extended (count, names->texts[i], &name, &number) || GPOINTER_TO_UINT (number) == 1)
      continue;
    guint k = GPOINTER_TO_UINT (g_hash_table_lookup (at, name)) + 1;
    g_hash_table_insert (at, name, GUINT_TO_POINTER (k));
    g_autofree char *plain = names->texts[i];
    names->texts[i] = g_strdup_printf ("%s#%u", plain, k);
  }
  return names;
}

char *
ls_what_if_text (const LsPass *schedule, guint step)
{
  GQuark quark = g_quark_from_static_string ("ls-what-if-names");
  Names *names = g_dataset_id_get_data (schedule, quark);
  guint n = 0;
  if (!ls_schedule_step_decision (schedule, step))
    return NULL;
  if (!names || step > names->n) {
    while (ls_schedule_step_decision (schedule, n + 1))
      n++;
    g_dataset_id_set_data_full (schedule, quark, names = names_new (schedule, n), names_free);
  }
  return g_strdup (names->texts[step - 1]);
}

/* --- the decisions of names --- */

/* The other decisions about values of that line, for an error. */
static char *
others_at (const LsPass *schedule, const GArray *decisions, guint line)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *prefix = g_strdup_printf ("%u.", line);
  for (guint i = 0; i < decisions->len && found->len < 8; i++) {
    const LsDecision *d = &g_array_index (decisions, LsDecision, i);
    g_autofree char *place = has_other (schedule, d) ? place_of (schedule, d->node) : NULL,
                    *name = place && g_str_has_prefix (place, prefix) ? g_strdup_printf ("%s:%s@%s", ls_reasons[d->key].other,
                                                                                         ls_reasons[d->key].key, place) : NULL;
    if (name && !g_ptr_array_find_with_equal_func (found, name, g_str_equal, NULL))
      g_ptr_array_add (found, g_steal_pointer (&name));
  }
  g_ptr_array_add (found, NULL);
  return found->len > 1 ? g_strjoinv (", ", (char **) found->pdata) : NULL;
}

/* Adds the choice that the text names. */
static gboolean
find (const LsPass *schedule, const GArray *decisions, const char *text, const LsWhatIf *w, GArray *to, GError **error)
{
  g_autofree char *wanted = g_strdup_printf ("%u.%s", w->line, w->call);
  const LsDecision *found = NULL;
  guint n = 0;
  for (guint i = 0; i < decisions->len; i++) {
    const LsDecision *d = &g_array_index (decisions, LsDecision, i);
    if (d->key != w->key || !has_other (schedule, d))
      continue;
    g_autofree char *place = place_of (schedule, d->node);
    if (strcmp (place, wanted) == 0 && (++n == w->number || w->number == 0))
      found = d;
  }
  if (n > 1 && w->number == 0)
    return refuse (error, text, "there are %u such decisions: add #1 to #%u to name one", n, n);
  if (!found && n > 0)
    return refuse (error, text, "there are %u such decisions, not %u", n, w->number);
  if (!found) {
    g_autofree char *others = others_at (schedule, decisions, w->line);
    return others ? refuse (error, text, "there is no such decision in realization %u; those about values of line %u: %s", w->realization,
                            w->line, others)
                  : refuse (error, text, "there is no such decision in realization %u, nor any about a value of line %u", w->realization,
                            w->line);
  }
  static const LsOverrideAction others[] = {
    [LS_DECISION_STORES] = LS_CHOICE_FUSE, [LS_DECISION_FUSES] = LS_CHOICE_STORE, [LS_DECISION_JOINS] = LS_CHOICE_STORE,
    [LS_DECISION_TAKES] = LS_CHOICE_AGAIN, [LS_DECISION_KEEPS] = LS_CHOICE_FUSE,
  };
  LsOverride o = { found->node, found->user, others[ls_reasons[w->key].action] };
  g_array_append_val (to, o);
  return TRUE;
}

typedef struct { const LsPass *schedule; const char *place; } AtPlace;

static gboolean
is_at (gpointer data, const LsUOp *later)
{
  const AtPlace *at = data;
  g_autofree char *place = place_of (at->schedule, later->id);
  return strcmp (place, at->place) == 0;
}

/* Adds the choice that two kernels are one. */
static gboolean
find_pair (const LsPass *schedule, LsUOp *sink, LsScheduleHow how, const char *text, const LsWhatIf *w, GArray *to, GError **error)
{
  LsContext *ctx = schedule->trace->ctx;
  g_autofree char *place = g_strdup_printf ("%u.%s", w->line, w->call);
  AtPlace at = { schedule, place };
  g_autoptr (GArray) pairs = ls_outputs_pairs (ctx, sink, how, is_at, &at);
  const LsApartPair *found = NULL;
  guint n = 0;
  for (guint i = 0; i < pairs->len; i++) {
    const LsApartPair *pair = &g_array_index (pairs, LsApartPair, i);
    if (pair->why == w->apart && (++n == w->number || w->number == 0))
      found = pair;
  }
  if (n > 1 && w->number == 0)
    return refuse (error, text, "there are %u such pairs of kernels: add #1 to #%u to name one", n, n);
  if (!found)
    return refuse (error, text, "there are %u such pairs of kernels in realization %u", n, w->realization);
  LsApartness never;
  ls_outputs_why_apart (ctx, sink, how, found->first, found->later, &never);
  if (never != LS_APART_NOT)
    return refuse (error, text, "the two kernels cannot be one: %s", ls_apart[never].sentence);
  g_array_append_vals (to, &(LsOverride) { found->first->id, found->later->id, LS_CHOICE_JOIN }, 1);
  return TRUE;
}

char *
ls_what_if_pair_text (const LsPass *schedule, LsUOp *sink, LsScheduleHow how, const LsApartPair *pair)
{
  g_autofree char *place = place_of (schedule, pair->later->id);
  AtPlace at = { schedule, place };
  g_autoptr (GArray) pairs = ls_outputs_pairs (schedule->trace->ctx, sink, how, is_at, &at);
  guint n = 0, number = 0;
  for (guint i = 0; i < pairs->len; i++) {
    const LsApartPair *one = &g_array_index (pairs, LsApartPair, i);
    n += one->why == pair->why;
    if (one->why == pair->why && one->first == pair->first && one->later == pair->later)
      number = n;
  }
  guint realization = ls_what_if_realization (schedule);
  return n == 1 ? g_strdup_printf ("r%u:fuse:%s@%s", realization, ls_apart[pair->why].key, place) :
         g_strdup_printf ("r%u:fuse:%s@%s#%u", realization, ls_apart[pair->why].key, place, number);
}

GArray *
ls_what_if_find (const LsPass *schedule, LsUOp *sink, const char *texts, gboolean one_reduce, LsScheduleHow how, GError **error)
{
  g_auto (GStrv) each = g_strsplit (texts, "\n", -1);
  g_autoptr (GArray) out = g_array_new (FALSE, FALSE, sizeof (LsOverride));
  guint realization = ls_what_if_realization (schedule);
  gboolean ok = TRUE;
  for (char **text = each; *text && ok; text++) {
    LsWhatIf w;
    ok = ls_what_if_parse (*text, &w, error);
    if (ok && w.realization == realization) {
      how.overrides = out;
      g_autoptr (GArray) decisions = ls_schedule_decide (schedule->trace->ctx, sink, how);
      if (one_reduce && w.apart != LS_APART_NOT)
        ok = refuse (error, *text, "a kernel of the profiles classic and modern has one result, as in their time");
      else if (w.apart != LS_APART_NOT)
        ok = find_pair (schedule, sink, how, *text, &w, out, error);
      else if (one_reduce && (w.key == LS_REASON_SECOND_REDUCE || w.key == LS_REASON_REDUCE_EXPAND))
        ok = refuse (error, *text, "a kernel of the profiles classic and modern has one reduce, as in their time");
      else
        ok = find (schedule, decisions, *text, &w, out, error);
    }
    ls_what_if_clear (&w);
  }
  return ok ? g_steal_pointer (&out) : NULL;
}

gboolean
ls_what_if_check (const LsPass *schedule, const GArray *decisions, const GArray *overrides, const char *texts, GError **error)
{
  g_auto (GStrv) each = g_strsplit (texts, "\n", -1);
  guint realization = ls_what_if_realization (schedule), i = 0;
  for (char **text = each; *text && i < overrides->len; text++) {      /* those of the realization are in the order of their names */
    LsWhatIf w;
    gboolean own = ls_what_if_parse (*text, &w, NULL) && w.realization == realization;
    ls_what_if_clear (&w);
    const LsOverride *o = own ? &g_array_index (overrides, LsOverride, i++) : NULL;
    for (guint k = 0; o && o->choice == LS_CHOICE_FUSE && k < decisions->len; k++) {
      const LsDecision *d = &g_array_index (decisions, LsDecision, k);
      if (d->node == o->node && d->realized)
        return refuse (error, *text, "the value is stored all the same: %s", ls_reasons[d->key].sentence);
    }
  }
  return TRUE;
}
