/* The lines of a rule file: comments, which are the sentence of the rule after them, "set NAME", and rules, which continue in indented
 * lines. */
#include "rule-parse-private.h"

#include <string.h>

/* A file while it is read, line by line. */
typedef struct {
  LsRuleLibrary *library;
  const char    *text, *name;
  GError       **error;
  guint          line;
  GString       *sentence;         /* of the comment lines at hand */
  char          *set;              /* to which the next rules belong: the file's name, until a line says another */
  gboolean       set_is_said, comes_first;
} RuleFile;

/* A line that starts a rule: "name:" at its beginning. Returns the length of the name. */
static guint
rule_head (const char *s, const char *end)
{
  guint n = 0;
  while (s + n < end && (g_ascii_isalnum (s[n]) || s[n] == '-' || s[n] == '_'))
    n++;
  return n > 0 && s + n < end && s[n] == ':' ? n : 0;
}

/* Does some pass use the set? hint: for who did not name it. */
static gboolean
check_set (Parser *p, const char *set, guint line, const char *hint)
{
  if (!p->library->checks_sets || ls_rule_base_set (p->library->base, set))
    return TRUE;
  g_autofree char *sets = ls_rule_base_list_sets (p->library->base);
  ls_rule_fail_at (p, line, 1, "no pass uses the rule set '%s'; there are %s%s", set, sets, hint);
  return FALSE;
}

static void
add_comment (GString *sentence, const char *first, const char *end)
{
  while (first < end && strchr (" #-=", *first))
    first++;
  if (sentence->len && first < end)
    g_string_append_c (sentence, ' ');
  while (end > first && (end[-1] == '\r' || end[-1] == ' '))
    end--;
  g_string_append_len (sentence, first, end - first);
}

/* "set NAME [first]" */
static gboolean
read_set (RuleFile *f, Parser *p, const char *name, const char *end)
{
  g_free (f->set);
  f->set = g_strstrip (g_strndup (name, end - name));
  f->comes_first = g_str_has_suffix (f->set, " first");
  if (f->comes_first)
    f->set[strlen (f->set) - strlen (" first")] = '\0';
  g_strchomp (f->set);
  f->set_is_said = TRUE;
  return check_set (p, f->set, f->line, "");
}

/* Where the rule whose first line ends at eol ends: behind its indented lines. */
static const char *
rule_end (const char *eol)
{
  const char *end = eol;
  while (*end == '\n' && (end[1] == ' ' || end[1] == '\t')) {
    const char *t = end + 1;
    while (*t == ' ' || *t == '\t')
      t++;
    if (*t == '#' || *t == '\n' || *t == 0 || *t == '\r')
      break;
    end = t + strcspn (t, "\n");
  }
  return end;
}

/* The rule in one line, as it is shown. */
static char *
flat_text (const char *start, const char *end)
{
  g_autofree char *body = g_utf8_make_valid (start, end - start);
  GString *flat = g_string_new (NULL);
  for (const char *c = g_strstrip (body); *c; c++)
    if (!g_ascii_isspace (*c))
      g_string_append_c (flat, *c);
    else if (flat->len && flat->str[flat->len - 1] != ' ')
      g_string_append_c (flat, ' ');
  return g_string_free (flat, FALSE);
}

/* The rule whose name of n characters begins at start. */
static gboolean
read_rule (RuleFile *f, Parser *p, const char *start, guint n, const char *end)
{
  Rule *rule = ls_rule_keep (p, g_new0 (Rule, 1));
  rule->pub.name = ls_rule_keep (p, g_strndup (start, n));
  rule->pub.file = ls_rule_keep (p, g_path_get_basename (f->name));
  rule->pub.line = f->line;
  rule->library = f->library;
  rule->pub.set = ls_rule_keep (p, g_strdup (f->set));
  rule->first = f->comes_first;
  if (!f->set_is_said && !check_set (p, f->set, f->line, ". A line 'set NAME' before a rule names its set"))
    return FALSE;
  rule->pub.sentence = ls_rule_keep (p, g_utf8_make_valid (f->sentence->str, -1));
  rule->pub.text = ls_rule_keep (p, flat_text (start + n + 1, end));
  const Rule *other = g_hash_table_lookup (f->library->names, rule->pub.name);
  if (other) {
    ls_rule_fail_at (p, f->line, 1, "the rule '%s' already exists, in %s:%u", rule->pub.name, other->pub.file, other->pub.line);
    return FALSE;
  }
  if (f->sentence->len == 0) {
    ls_rule_fail_at (p, f->line, 1, "a rule needs a comment before it that says what it does");
    return FALSE;
  }
  p->rule = rule;
  p->p = start + n + 1;
  p->end = end;
  ls_rule_parse (p);
  if (p->failed)
    return FALSE;
  rule->pub.index = f->library->rules->len;
  g_ptr_array_add (f->library->rules, rule);
  g_hash_table_insert (f->library->names, (gpointer) rule->pub.name, rule);
  g_string_truncate (f->sentence, 0);
  return TRUE;
}

/* Reads the entry that begins in the line from start to *eol, which moves to its end. */
static gboolean
read_line (RuleFile *f, const char *start, const char **eol)
{
  Parser p = { .file = f->name, .text = f->text, .library = f->library, .error = f->error, .line = f->line, .line_start = start };
  const char *first = start;
  p.tok.line = f->line;
  p.tok.column = 1;
  while (first < *eol && strchr (" \t\r", *first))
    first++;
  if (first == *eol) {
    g_string_truncate (f->sentence, 0);
    return TRUE;
  }
  if (*first == '#') {
    add_comment (f->sentence, first + 1, *eol);
    return TRUE;
  }
  if (strncmp (first, "set ", 4) == 0)
    return read_set (f, &p, first + 4, *eol);
  guint n = first == start ? rule_head (start, *eol) : 0;
  if (n == 0) {
    ls_rule_fail_at (&p, f->line, (guint) (first - start) + 1, "expected 'name: pattern -> result'");
    return FALSE;
  }
  const char *first_eol = *eol;
  *eol = rule_end (first_eol);
  if (!read_rule (f, &p, start, n, *eol))
    return FALSE;
  for (const char *c = first_eol; c < *eol; c++)
    f->line += *c == '\n';
  return TRUE;
}

gboolean
ls_rule_parse_file (LsRuleLibrary *library, const char *text, const char *filename, GError **error)
{
  g_autoptr (GString) sentence = g_string_new (NULL);
  RuleFile f = { library, text, filename, error, 1, sentence, g_path_get_basename (filename), FALSE, FALSE };
  gboolean ok = TRUE;
  if (g_str_has_suffix (f.set, ".rules"))
    f.set[strlen (f.set) - strlen (".rules")] = 0;
  for (const char *s = text; *s && ok; f.line++) {
    const char *eol = s + strcspn (s, "\n");
    ok = read_line (&f, s, &eol);
    s = *eol ? eol + 1 : eol;
  }
  g_free (f.set);
  return ok;
}
