#include "sentence.h"

#include <string.h>

#define MOST_SLOTS 9
#define MOST_DEEP  6      /* sentences within a sentence, and colons before one */
#define LEAST_SAID 8      /* characters of a template besides its slots, so that a text is its instance and not a chance */

static const char *(*translator) (const char *template);
static const char *const *known;
static guint              n_known;

/* A conversion of a template: "%s", "%-3d", "%2$s". */
typedef struct {
  const char *begin, *end;
  guint       number;      /* of "%2$s", from 1; 0: it is the next one */
  guint       longs;       /* 'l' before the letter */
  guint       stars;       /* widths and precisions that are arguments of their own */
  char        letter;
} Slot;

/* The next conversion from there; "%%" is none. */
static gboolean
next_slot (const char *from, Slot *slot)
{
  for (const char *at = strchr (from, '%'); at; at = strchr (at + 2, '%')) {
    if (at[1] == '%')
      continue;
    *slot = (Slot) { .begin = at };
    for (at++; *at && !g_ascii_isalpha (*at); at++) {
      slot->stars += *at == '*';
      if (*at == '$')
        slot->number = (guint) g_ascii_strtoull (slot->begin + 1, NULL, 10);
    }
    for (; *at == 'l' || *at == 'h' || *at == 'z'; at++)
      slot->longs += *at != 'h';
    slot->letter = *at;
    slot->end = *at ? at + 1 : at;
    return *at != '\0';
  }
  return FALSE;
}

static int
take_star (const Slot *slot, va_list *args)
{
  return slot->stars ? va_arg (*args, int) : 0;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
/* One value as its conversion prints it. */
static char *
print_slot (const Slot *slot, va_list *args)
{
  g_autofree char *format = g_strndup (slot->begin, (gsize) (slot->end - slot->begin));
  int star = take_star (slot, args);
  g_assert (slot->stars < 2 && slot->number == 0);
#define PRINT(type) (slot->stars ? g_strdup_printf (format, star, va_arg (*args, type)) : g_strdup_printf (format, va_arg (*args, type)))
  switch (slot->letter) {
  case 's': return PRINT (const char *);
  case 'e': case 'f': case 'g': return PRINT (double);
  case 'c': return PRINT (int);
  default: return slot->longs ? PRINT (gint64) : PRINT (int);
  }
#undef PRINT
}
#pragma GCC diagnostic pop

char *
ls_sentence_v (const char *template, va_list args)
{
  GString *sentence = g_string_new (template);
  va_list rest;
  Slot slot;
  va_copy (rest, args);
  for (const char *at = template; next_slot (at, &slot); at = slot.end) {
    g_autofree char *value = print_slot (&slot, &rest);
    g_string_append_c (sentence, LS_SENTENCE_MARK);
    g_string_append (sentence, g_strdelimit (value, "\x1f", ' '));
  }
  va_end (rest);
  return g_string_free (sentence, FALSE);
}

char *
ls_sentence (const char *template, ...)
{
  va_list args;
  va_start (args, template);
  char *sentence = ls_sentence_v (template, args);
  va_end (args);
  return sentence;
}

static void
append_literally (GString *out, const char *text, gsize n)
{
  for (gsize i = 0; i < n; i++) {
    g_string_append_c (out, text[i]);
    i += text[i] == '%' && i + 1 < n && text[i + 1] == '%';
  }
}

/* The template's slots filled with values, which are the rest of a sentence. What a translation asks for and is not there stays empty. */
static char *
fill (const char *template, const char *values)
{
  const char mark[] = { LS_SENTENCE_MARK, '\0' };
  g_auto (GStrv) parts = g_strsplit (values, mark, -1);
  guint n = g_strv_length (parts), next = 0;
  GString *out = g_string_new (NULL);
  Slot slot;
  for (; next_slot (template, &slot); template = slot.end) {
    guint at = slot.number ? slot.number - 1 : next++;
    append_literally (out, template, (gsize) (slot.begin - template));
    g_string_append (out, at < n ? parts[at] : "");
  }
  append_literally (out, template, strlen (template));
  return g_string_free (out, FALSE);
}

static char *
say (const char *sentence, const char *(*translate) (const char *))
{
  const char *mark = strchr (sentence, LS_SENTENCE_MARK);
  if (!mark)
    return g_strdup (translate && *sentence ? translate (sentence) : sentence);
  g_autofree char *template = g_strndup (sentence, (gsize) (mark - sentence));
  return fill (translate ? translate (template) : template, mark + 1);
}

char *
ls_sentence_text (const char *sentence)
{
  return say (sentence, NULL);
}

/* Whether the text can be a value of the slot: digits where it prints an integer. */
static gboolean
fits (const Slot *slot, const char *text, gsize n)
{
  if (!strchr ("diu", slot->letter))
    return TRUE;
  gsize sign = n > 0 && *text == '-';
  return n > sign && strspn (text + sign, "0123456789") >= n - sign;
}

/* Whether the text is the template with something in its slots, which becomes a sentence; how much of it the template says. */
static guint
match_template (const char *template, const char *text, GString *sentence)
{
  guint said = 0, n = 0;
  Slot slot, before = { 0 };
  if (*template != '%' && *template != *text)      /* most are not */
    return 0;
  g_string_assign (sentence, template);
  for (const char *from = template; ; from = slot.end, n++) {
    gboolean more = next_slot (from, &slot);
    g_autoptr (GString) piece = g_string_new (NULL);
    append_literally (piece, from, more ? (gsize) (slot.begin - from) : strlen (from));
    const char *at = n == 0 ? (g_str_has_prefix (text, piece->str) ? text : NULL)
                   : more ? (piece->len ? strstr (text, piece->str) : text)
                   : g_str_has_suffix (text, piece->str) ? text + strlen (text) - piece->len : NULL;
    if (!at || n > MOST_SLOTS || (n == 0 && !more) || (n > 0 && !fits (&before, text, (gsize) (at - text))))
      return 0;
    if (n > 0) {
      g_string_append_c (sentence, LS_SENTENCE_MARK);
      g_string_append_len (sentence, text, at - text);
    }
    said += (guint) piece->len;
    text = at + piece->len;
    before = slot;
    if (!more)
      return said < LEAST_SAID ? 0 : said;
  }
}

/* A text as the sentence that it is an instance of: the one whose template says most of it. NULL: it is none. */
static char *
recognize (const char *text)
{
  g_autoptr (GString) best = g_string_new (NULL), sentence = g_string_new (NULL);
  guint most = 0;
  for (guint i = 0; i < n_known; i++) {
    guint said = match_template (known[i], text, sentence);
    if (said > most) {
      most = said;
      g_string_assign (best, sentence->str);
    }
  }
  return most ? g_strdup (best->str) : NULL;
}

static char *show (const char *text, guint depth);

/* The translated sentence with values that are shown themselves, such as a reason within an error. */
static char *
show_filled (const char *sentence, guint depth)
{
  const char mark[] = { LS_SENTENCE_MARK, '\0' };
  g_auto (GStrv) parts = g_strsplit (sentence, mark, -1);
  const char *at = parts[0];
  Slot slot;
  for (guint i = 1; parts[i] && next_slot (at, &slot); i++, at = slot.end) {
    g_autofree char *value = parts[i];
    gboolean reason = slot.begin > parts[0] + 2 && strncmp (slot.begin - 2, ": ", 2) == 0;      /* one word may be a name */
    parts[i] = reason || strchr (value, ' ') ? show (value, depth + 1) : g_steal_pointer (&value);
  }
  g_autofree char *filled = g_strjoinv (mark, parts);
  return say (filled, translator);
}

/* A text that begins with a capital and ends with a full stop, by the template of the same words without these; NULL: there is none. */
static char *
show_as_sentence (const char *text, guint depth)
{
  gsize n = strlen (text);
  if (n < LEAST_SAID || !g_ascii_isupper (*text) || text[n - 1] != '.')
    return NULL;
  g_autofree char *bare = g_strndup (text, n - 1);
  *bare = g_ascii_tolower (*bare);
  g_autofree char *shown = show (bare, depth + 1);
  if (strcmp (shown, bare) == 0)
    return NULL;
  g_autofree char *first = g_utf8_substring (shown, 0, 1), *upper = g_utf8_strup (first, -1);
  return g_strconcat (upper, shown + strlen (first), ".", NULL);
}

static char *
show_lines (const char *text, guint depth)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line; line++) {
    g_autofree char *own = *line;
    *line = show (own, depth);
  }
  return g_strjoinv ("\n", lines);
}

/* An error of a tensor's method ends with the shapes that it was given (program/python/report.py). NULL: this one does not. */
static char *
show_before_shapes (const char *text, guint depth)
{
  static const char *const ends[] = { LS_TEMPLATE ("given shape %s"), LS_TEMPLATE ("given shapes %s") };
  const char *given = strstr (text, " (given ");
  gsize n = given ? strlen (given) : 0;
  if (!given || given == text || given[n - 1] != ')' || n < 16 || !g_str_has_prefix (given + 8, "shape"))
    return NULL;
  gboolean several = given[13] == 's';
  g_autofree char *before = g_strndup (text, (gsize) (given - text)), *shown = show (before, depth + 1),
                  *shapes = g_strndup (given + 14 + several, n - 15 - several),
                  *end = g_strconcat (ends[several], (char[]) { LS_SENTENCE_MARK, 0 }, shapes, NULL), *said = say (end, translator);
  return g_strdup_printf ("%s (%s)", shown, said);
}

/* A text of which only the English words are known: an instance of a template, or lines of such texts, or one after a colon, as in
 * "p.py:3:5: error: reshape: REASON". */
static char *
show (const char *text, guint depth)
{
  if (ls_shown (text) != text || depth > MOST_DEEP)
    return g_strdup (ls_shown (text));
  if (strchr (text, '\n'))
    return show_lines (text, depth);
  char *with_shapes = show_before_shapes (text, depth);
  if (with_shapes)
    return with_shapes;
  g_autofree char *sentence = recognize (text);
  if (sentence)
    return show_filled (sentence, depth);
  char *shown = show_as_sentence (text, depth);
  const char *colon = shown ? NULL : strstr (text, ": ");
  if (!colon || !strchr (colon + 2, ' '))
    return shown ? shown : g_strdup (text);
  g_autofree char *head = g_strndup (text, (gsize) (colon - text)), *rest = show (colon + 2, depth + 1),
                  *before = strchr (head, ' ') ? show (head, depth + 1) : g_steal_pointer (&head);
  return g_strdup_printf ("%s: %s", before, rest);
}

char *
ls_sentence_shown (const char *sentence)
{
  return !translator ? say (sentence, NULL) : strchr (sentence, LS_SENTENCE_MARK) ? show_filled (sentence, 0) : show (sentence, 0);
}

void
ls_sentence_append (GString *out, gboolean shown, const char *template, ...)
{
  va_list args;
  va_start (args, template);
  g_autofree char *sentence = ls_sentence_v (template, args), *text = say (sentence, shown ? translator : NULL);
  va_end (args);
  g_string_append (out, text);
}

const char *
ls_shown (const char *template)
{
  return translator && template && *template ? translator (template) : template;      /* "" is the catalogue's head */
}

void
ls_sentence_set_language (const char *(*translate) (const char *template), const char *const *templates, guint n)
{
  translator = translate;
  known = templates;
  n_known = n;
}
