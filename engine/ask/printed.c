/* The numbers that a program printed, and the tensors that it read back: which number is which element.
 *
 * Python formats a number after it was read, and what it does in between is not recorded. So the text is searched for the values: in
 * the order in which tensors were read, each from the end of the one before. A tensor of several elements is found where all of them
 * stand one after the other, with nothing but brackets, commas and spaces between; a number stands for a value that it is when rounded
 * as the number is. A tensor that a print statement itself read has its place first: others may have been read for another purpose.
 */
#include "ask.h"
#include "element-private.h"

#include "ir/sentence.h"
#include "trace/realizations.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define MOST_NUMBERS  65536
#define MOST_COMPARED (1 << 22)

/* A number of the text. As an integer or a boolean it stands for i, as a float for all values from lo to hi. */
typedef struct { gboolean is_int, is_float, is_bool; gint64 i; double lo, hi; } Meaning;

typedef struct {
  LsTrace *trace;
  GArray  *numbers;      /* LsPrinted */
  GArray  *meanings;     /* Meaning */
  GArray  *readers;      /* of find_readers */
  guint    compared;
} Search;

/* --- the numbers of a text --- */

static gboolean
in_word (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '.' || (guchar) c >= 0x80;
}

/* The length of a number at the start of the text, or 0. */
static guint
scan (const char *text, Meaning *m)
{
  static const struct { const char *word; double value; gboolean is_bool; } words[] = {
    { "nan", NAN, FALSE }, { "inf", INFINITY, FALSE }, { "True", 1, TRUE }, { "False", 0, TRUE },
  };
  const char *s = text + (*text == '-');
  for (guint k = 0; k < G_N_ELEMENTS (words); k++)
    if (g_str_has_prefix (s, words[k].word) && (s == text || !words[k].is_bool)) {
      double value = s == text ? words[k].value : -words[k].value;
      *m = (Meaning) { .is_bool = words[k].is_bool, .is_float = !words[k].is_bool, .lo = value, .hi = value };
      m->i = m->is_bool && value > 0;
      return (guint) (s - text) + (guint) strlen (words[k].word);
    }
  char *end;
  int decimals = 0, exponent = 0;
  if (!g_ascii_isdigit (*s))
    return 0;
  errno = 0;
  *m = (Meaning) { .i = g_ascii_strtoll (text, &end, 10), .is_int = errno == 0 };
  s = end;
  if (*s == '.')
    for (s++; g_ascii_isdigit (*s); s++)
      decimals++;
  if (*s == 'e' && g_ascii_isdigit (s[1 + (s[1] == '-' || s[1] == '+')])) {
    exponent = (int) CLAMP (g_ascii_strtoll (s + 1, &end, 10), -400, 400);
    s = end;
  }
  double value = g_ascii_strtod (text, NULL), round = 0.5000001 * pow (10, exponent - decimals);
  if (s[-1] == '.')      /* a whole number as numpy writes it, or one at the end of a sentence */
    round = 1e-7 * fabs (value);
  m->is_float = strcspn (text, ".e") < (gsize) (s - text);
  m->is_int = m->is_int && (!m->is_float || s[-1] == '.');
  m->lo = value - round;
  m->hi = value + round;
  return (guint) (s - text);
}

static void
find_numbers (Search *s, const char *text)
{
  for (const char *at = text; *at && s->numbers->len < MOST_NUMBERS;) {
    Meaning m;
    guint n = at > text && in_word (at[-1]) ? 0 : scan (at, &m);
    if (n && (in_word (at[n]) && !(at[n] == '.' && !in_word (at[n + 1]))))
      n = 0;
    if (!n) {
      at++;
      continue;
    }
    LsPrinted number = { .start = (guint) (at - text), .end = (guint) (at - text) + n, .output = G_MAXUINT };
    g_array_append_val (s->numbers, number);
    g_array_append_val (s->meanings, m);
    at += n;
  }
}

/* --- the tensors --- */

/* Whether a realization ended before a call read a tensor, or is one of that call. */
static gboolean
is_before (const LsTrace *trace, const LsRealization *r, guint reading)
{
  gint call = r->call;
  while (call > (gint) reading)      /* a call that reads realizes in calls of its own */
    call = g_array_index (trace->calls, LsCall, call).parent;
  return r->call < (gint) reading || call == (gint) reading;
}

/* guint: of each tensor that was read, the first kernel that had not run by then. Tensors and realizations are in order of time. */
static GArray *
find_readers (LsTrace *trace)
{
  const GPtrArray *all = ls_trace_realizations (trace);
  GArray *readers = g_array_sized_new (FALSE, FALSE, sizeof (guint), trace->outputs->len);
  guint next = 1, at = 0, end = trace->kernels->len + 1;
  for (guint i = 0; i < trace->outputs->len; i++) {
    guint reading = g_array_index (trace->outputs, LsOutput, i).call;
    for (; reading < trace->calls->len && at < all->len && is_before (trace, all->pdata[at], reading); at++) {
      const LsRealization *r = all->pdata[at];
      next = r->n_kernels ? MAX (next, r->first + r->n_kernels) : next;
    }
    g_array_append_val (readers, *(reading < trace->calls->len ? &next : &end));
  }
  return readers;
}

/* The buffer of a tensor that was read, and its number of elements. NULL: its contents were not kept, or were written again later. */
static const LsTraceBuffer *
contents_of (LsTrace *trace, const LsOutput *o, guint writer, guint64 *n)
{
  const LsTraceBuffer *b = o->buffer < trace->buffers->len ? trace->buffers->pdata[o->buffer] : NULL;
  *n = 1;
  for (guint i = 0; i < o->n_dims; i++)
    if (o->dims[i] < 0 || !g_uint64_checked_mul (n, *n, (guint64) o->dims[i]))
      return NULL;
  gsize size = b ? ls_dtype_itemsize (ls_dtype_strong (b->dtype)) : 0;
  gboolean kept = b && b->data && size && *n > 0 && *n <= b->n_data / size && *n <= MOST_NUMBERS;
  return kept && ls_element_writer (trace, G_MAXUINT, o->buffer) == writer ? b : NULL;
}

static gboolean
stands_for (const Meaning *m, LsDType dtype, LsScalar value)
{
  if (ls_dtype_is_bool (dtype) || m->is_bool)
    return m->is_bool && ls_dtype_is_bool (dtype) && m->i == (value.i != 0);
  if (!ls_dtype_is_float (dtype))
    return m->is_int && m->i == value.i;
  return m->is_float && ((isnan (m->lo) && isnan (value.f)) || (value.f >= m->lo && value.f <= m->hi));
}

/* Whether nothing else stands between two numbers of one tensor. */
static gboolean
only_brackets (const char *text, guint from, guint to)
{
  return strspn (text + from, "[](), \n\t\r") >= to - from;
}

/* Whether a tensor's elements stand there, from a number on. */
static gboolean
stands_at (Search *s, const char *text, guint at, const LsTraceBuffer *b, guint64 n)
{
  LsDType dtype = ls_dtype_strong (b->dtype);
  gsize size = ls_dtype_itemsize (dtype);
  if (n > s->numbers->len - at)
    return FALSE;
  for (guint k = 0; k < n; k++) {
    const LsPrinted *number = &g_array_index (s->numbers, LsPrinted, at + k);
    s->compared++;
    if (number->output != G_MAXUINT || (k && !only_brackets (text, number[-1].end, number->start)) ||
        !stands_for (&g_array_index (s->meanings, Meaning, at + k), dtype, ls_scalar_load (dtype, b->data + k * size)))
      return FALSE;
  }
  return TRUE;
}

/* Finds a tensor from a number on. Returns the number after it, or from. */
static guint
find_tensor (Search *s, guint output, guint from)
{
  const LsOutput *o = &g_array_index (s->trace->outputs, LsOutput, output);
  const char *text = s->trace->std_out;
  guint reader = g_array_index (s->readers, guint, output), writer = ls_element_writer (s->trace, reader, o->buffer);
  guint64 n;
  const LsTraceBuffer *b = contents_of (s->trace, o, writer, &n);
  for (guint at = from; b && at < s->numbers->len && s->compared < MOST_COMPARED; at++) {
    if (!stands_at (s, text, at, b, n))
      continue;
    for (guint k = 0; k < n; k++) {
      LsPrinted *number = &g_array_index (s->numbers, LsPrinted, at + k);
      number->output = output;
      number->element = k;
      number->buffer = o->buffer;
      number->kernel = writer;
      number->reader = reader;
    }
    return at + (guint) n;
  }
  return from;
}

static gboolean
is_read_by_print (LsTrace *trace, const LsOutput *o)
{
  guint row = o->call < trace->calls->len ? g_array_index (trace->calls, LsCall, o->call).statement : G_MAXUINT;
  return row < trace->statements->len && g_str_has_prefix (g_array_index (trace->statements, LsStatement, row).text, "print");
}

GArray *
ls_printed_numbers (LsTrace *trace)
{
  g_autoptr (GArray) meanings = g_array_new (FALSE, FALSE, sizeof (Meaning));
  g_autoptr (GArray) first = g_array_new (FALSE, FALSE, sizeof (guint));      /* of each tensor, where it may stand */
  g_autoptr (GArray) readers = find_readers (trace);
  Search s = { trace, g_array_new (FALSE, FALSE, sizeof (LsPrinted)), meanings, readers, 0 };
  guint from = 0;
  find_numbers (&s, trace->std_out ? trace->std_out : "");
  for (guint i = 0; i < trace->outputs->len; i++) {
    g_array_append_val (first, from);
    if (is_read_by_print (trace, &g_array_index (trace->outputs, LsOutput, i)))
      from = find_tensor (&s, i, from);
  }
  for (guint i = 0; i < trace->outputs->len; i++)
    if (!is_read_by_print (trace, &g_array_index (trace->outputs, LsOutput, i)))
      find_tensor (&s, i, g_array_index (first, guint, i));
  return s.numbers;
}

LsElementOrigins *
ls_printed_origins (LsTrace *trace, const LsPrinted *number, guint max, GError **error)
{
  return number->kernel ? ls_element_origins (trace, number->kernel, number->buffer, number->element, max, error)
                        : ls_read_element (trace, number->reader, number->buffer, number->element, error);
}

char *
ls_printed_name_shown (LsTrace *trace, const LsPrinted *number)
{
  const LsOutput *o = &g_array_index (trace->outputs, LsOutput, number->output);
  g_autofree char *at = o->n_dims && o->n_dims <= LS_MOST_ELEMENT_AXES
                        ? ls_element_indices ((LsShape) { o->n_dims, o->dims }, number->element) : g_strdup (""),
                  *says = *at ? ls_sentence ("element [%s] of the tensor that line %u read back", at, o->line)
                              : ls_sentence ("the value that line %u read back", o->line);
  return ls_sentence_shown (says);
}
