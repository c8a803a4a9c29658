/* See short.h. */
#include "short.h"

#include "names.h"
#include "print.h"
#include "sentence.h"
#include "view.h"

#define MOST_NUMBERS 8
#define MOST_EXPR    60     /* characters of an expression */
#define MOST_ARG     24     /* of any other argument */
#define MOST_LANES   4096

char *
ls_short_text (const char *text, glong most)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  if (g_utf8_strlen (valid, -1) <= most)
    return g_steal_pointer (&valid);
  g_autofree char *start = g_utf8_substring (valid, 0, most - 1);
  return g_strconcat (start, "…", NULL);
}

void
ls_short_numbers (GString *out, guint n, const gint64 *numbers)
{
  for (guint i = 0; i < n && i < MOST_NUMBERS; i++)
    g_string_append_printf (out, "%s%" G_GINT64_FORMAT, i ? "," : "", numbers[i]);
  g_string_append (out, n > MOST_NUMBERS ? ",…" : "");
}

void
ls_short_type (GString *out, LsContext *ctx, LsUOp *u)
{
  LsShape shape = { 0, NULL };
  if (u->dtype == LS_VOID)
    return;
  g_string_append (out, ls_dtype_name (u->dtype));
  if (ls_dtype_lanes (u->dtype) > 1)
    g_string_append_printf (out, "×%u", ls_dtype_lanes (u->dtype));
  if (ls_dtype_is_ptr (u->dtype)) {
    g_string_append_printf (out, "[%" G_GUINT64_FORMAT "]", ls_dtype_ptr_size (u->dtype));
  } else if (ls_uop_get_shape (ctx, u, &shape, NULL) && shape.n) {
    g_string_append_c (out, '[');
    ls_short_numbers (out, shape.n, shape.dims);
    g_string_append_c (out, ']');
  }
}

static void
append_expr (GString *out, const LsNames *names, LsUOp *u)
{
  g_autofree char *text = ls_expr_bare (names, u, MOST_EXPR);
  g_string_append (out, text);
}

void
ls_short_range (GString *out, const LsNames *names, LsUOp *u)
{
  append_expr (out, names, u);
  if (u->n_src && u->src[0]->op == LS_OP_CONST) {
    g_string_append_c (out, ':');
    append_expr (out, names, u->src[0]);
  }
}

/* Lanes as first + step * ((i / each) % period): how often each is taken in a row, and after how many the pattern begins again. */
typedef struct { gint64 first, step; guint each, period, times; } Pattern;

static gboolean
find_pattern (guint n, const gint64 *lanes, Pattern *p)
{
  *p = (Pattern) { lanes[0], 1, 1, 1, 1 };
  while (p->each < n && lanes[p->each] == lanes[0])
    p->each++;
  if (n % p->each)
    return FALSE;
  guint groups = n / p->each;
  p->step = groups > 1 ? lanes[p->each] - lanes[0] : 1;
  while (p->period < groups && lanes[p->period * p->each] == p->first + p->step * (gint64) p->period)
    p->period++;
  p->times = groups / p->period;
  for (guint i = 0; i < n; i++)
    if (lanes[i] != p->first + p->step * (gint64) (i / p->each % p->period))
      return FALSE;
  return groups % p->period == 0 && p->step > 0;
}

/* The lanes once each: "lane 3", "lanes 4…7", "every 2nd of 8". */
static void
append_once (GString *out, const Pattern *p, guint n_of, gboolean shown)
{
  guint first = (guint) p->first, step = (guint) p->step, last = first + step * (p->period - 1);
  gboolean through = first == 0 && p->period > 1 && last + step >= n_of && step < 21;      /* 21st, 22nd */
  if (p->period == 1)
    ls_sentence_append (out, shown, "lane %u", first);
  else if (step == 1)
    ls_sentence_append (out, shown, "lanes %u…%u", first, last);
  else if (through && step == 2)
    ls_sentence_append (out, shown, "every 2nd of %u", n_of);
  else if (through && step == 3)
    ls_sentence_append (out, shown, "every 3rd of %u", n_of);
  else if (through)
    ls_sentence_append (out, shown, "every %uth of %u", step, n_of);
  else
    ls_sentence_append (out, shown, "lanes %u, %u … %u", first, first + step, last);
}

void
ls_short_lanes (GString *out, guint n, const gint64 *lanes, guint n_of, gboolean shown)
{
  Pattern p;
  gboolean valid = n > 0;
  for (guint i = 0; i < n && valid; i++)
    valid = lanes[i] >= 0 && lanes[i] < MOST_LANES;      /* a recording may say anything */
  if (!valid || !find_pattern (n, lanes, &p)) {
    ls_short_numbers (out, n, lanes);
    return;
  }
  gboolean all = p.step == 1 && p.first == 0 && p.period == n_of;
  if (p.each > 1 && p.period > 1 && all) {
    ls_sentence_append (out, shown, "each of %u, %u times", n_of, p.each);
  } else {
    append_once (out, &p, n_of, shown);
    if (p.each > 1 && p.period > 1)
      ls_sentence_append (out, shown, ", each %u times", p.each);
    else if (p.each > 1)
      ls_sentence_append (out, shown, ", %u times", p.each);
  }
  if (p.times > 1 && p.each > 1)
    ls_sentence_append (out, shown, ", all of it %u times", p.times);
  else if (p.times > 1)
    ls_sentence_append (out, shown, ", %u times", p.times);
}

/* index: NULL where there is none. */
static LsUOp *
find_memory (LsUOp *u, LsUOp **index)
{
  *index = NULL;
  for (guint depth = 0; depth < 8 && !ls_has_buffer_name (u); depth++) {
    if (!u->n_src || (depth == 0 && u->op != LS_OP_LOAD && u->op != LS_OP_STORE && u->op != LS_OP_INDEX))
      return NULL;
    if (!*index)
      *index = u->op == LS_OP_INDEX && u->n_src > 1 ? u->src[1] : u->op == LS_OP_VECTORIZE ? u : NULL;      /* of places */
    u = u->src[0];
  }
  return ls_has_buffer_name (u) ? u : NULL;
}

LsUOp *
ls_memory_of (LsUOp *u)
{
  LsUOp *index;
  return find_memory (u, &index);
}

void
ls_short_access (GString *out, const LsNames *names, LsUOp *u)
{
  LsUOp *index, *memory = find_memory (u, &index);
  if (!memory)
    return;
  g_autofree char *name = ls_name_of_buffer (names, memory);
  g_string_append (out, name);
  if (index && ls_dtype_lanes (index->dtype) > 1) {      /* an index for each lane */
    g_string_append (out, "[…]");
  } else if (index) {
    g_string_append_c (out, '[');
    append_expr (out, names, index);
    g_string_append_c (out, ']');
  }
}

void
ls_short_arg (GString *out, const LsNames *names, LsUOp *u, gboolean shown)
{
  if (u->op == LS_OP_RANGE)
    ls_short_range (out, names, u);
  else if (u->op == LS_OP_CONST || u->op == LS_OP_SPECIAL || u->op == LS_OP_DEFINE_VAR)
    append_expr (out, names, u);
  else if (ls_has_buffer_name (u)) {
    g_autofree char *label = ls_label_of_buffer (names, u);
    g_string_append (out, label);
  } else if (u->op == LS_OP_GEP && u->arg.kind == LS_ARG_INTS)
    ls_short_lanes (out, u->arg.n, u->arg.ints, u->n_src ? ls_dtype_lanes (u->src[0]->dtype) : 0, shown);
  else if (u->op == LS_OP_LOAD || u->op == LS_OP_STORE || u->op == LS_OP_INDEX)
    ls_short_access (out, names, u);
  else if (u->op == LS_OP_VCONST && u->arg.kind == LS_ARG_INTS) {
    g_string_append_c (out, '{');
    ls_short_numbers (out, u->arg.n, u->arg.ints);
    g_string_append_c (out, '}');
  } else if (u->arg.kind == LS_ARG_NONE)
    return;
  else if (u->arg.kind == LS_ARG_INTS || u->arg.kind == LS_ARG_OP_INTS)
    ls_short_numbers (out, u->arg.n, u->arg.ints);
  else {
    g_autofree char *arg = u->arg.kind == LS_ARG_TRACKER ? ls_tracker_summary (u->arg.tracker) : ls_arg_print (u->arg),
                    *valid = g_utf8_make_valid (arg, -1);
    glong most = u->arg.kind == LS_ARG_TRACKER ? MOST_EXPR : MOST_ARG;
    if (g_utf8_strlen (valid, -1) > most)
      g_string_append_printf (out, "%.*s…", (int) (g_utf8_offset_to_pointer (valid, most - 1) - valid), valid);
    else
      g_string_append (out, valid);
  }
}

void
ls_short_tag (GString *out, const LsUOp *u, gboolean shown)
{
  const char *words = ls_tag_text (u->tag);
  if (u->tag == 0)
    return;
  if (out->len)
    g_string_append_c (out, ' ');
  g_autofree char *exact = ls_tag_print (u->tag), *valid = g_utf8_make_valid (exact, -1);
  gboolean plain = words && strlen (exact) == strlen (words) + 2 && *words;      /* nothing is escaped: no quotes are needed */
  g_autofree char *cut = g_utf8_strlen (valid, -1) > MOST_ARG ? g_utf8_substring (valid, 0, MOST_ARG - 1) : NULL,
                  *text = cut ? g_strconcat (cut, "…", NULL) : plain ? g_strndup (valid + 1, strlen (valid) - 2) : g_strdup (valid);
  ls_sentence_append (out, shown, "tag %s", text);
}

static void
append_ranges (GString *out, const LsNames *names, const LsUOp *u)
{
  guint n = 0;
  for (guint i = 1; i < u->n_src && n < 6; i++)
    if (u->src[i]->op == LS_OP_RANGE) {
      g_string_append (out, n++ ? " " : " over ");
      ls_short_range (out, names, u->src[i]);
    }
}

void
ls_short_node (GString *out, const LsNames *names, LsUOp *u, gboolean shown)
{
  g_string_append (out, ls_op_name (u->op));
  if (u->op == LS_OP_REDUCE) {
    append_ranges (out, names, u);
  } else if (u->arg.kind != LS_ARG_TRACKER) {
    g_autoptr (GString) arg = g_string_new (NULL);
    ls_short_arg (arg, names, u, shown);
    g_string_append_printf (out, "%s%s", arg->len ? " " : "", arg->str);
  }
  ls_short_tag (out, u, shown);
}

static char *
row_arg (const LsNames *names, LsUOp *u)
{
  if (ls_has_loop_name (u))
    return ls_text_of_loop (names, u);
  if (ls_memory_of (u) || u->op == LS_OP_GEP || u->op == LS_OP_VCONST) {
    GString *arg = g_string_new (NULL);
    ls_short_arg (arg, names, u, TRUE);
    return g_string_free (arg, FALSE);
  }
  return u->arg.kind == LS_ARG_NONE ? g_strdup ("") : u->arg.kind == LS_ARG_TRACKER ? ls_tracker_summary (u->arg.tracker)
                                                    : ls_arg_print (u->arg);
}

char *
ls_row_arg (const LsNames *names, LsUOp *u)
{
  g_autofree char *arg = row_arg (names, u);
  GString *text = g_string_new (arg);
  ls_short_tag (text, u, TRUE);
  return g_string_free (text, FALSE);
}

char *
ls_bound_place (const LsNames *names, LsUOp *u)
{
  LsUOp *memory = ls_memory_of (u);
  const char *place = memory ? ls_place_of_buffer (names, memory) : NULL;
  if (!place)
    return NULL;
  g_autofree char *label = ls_label_of_buffer (names, memory);
  GString *text = g_string_new (NULL);
  ls_sentence_append (text, TRUE, "%s is bound at %s", label, place);
  return g_string_free (text, FALSE);
}
