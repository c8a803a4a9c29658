/* Checks the recorded facts about a program that the recording has twice: statements against their texts, calls against their statements
 * and functions, functions against the lines that define them. The rule for calls is that of program/record.c: a call is in the
 * innermost function of its parent, in its parent's file; a call without a parent is in no function.
 *
 * Python is not run again. So the tensors that a statement bound to names and the arguments of calls are not checked, and in texts of
 * the library only the lines where functions begin are.
 */
#include "verify.h"

#include <string.h>

/* A line as Python reads it: first and end: the lines of the text that it takes (brackets, strings and backslashes join lines); indent:
 * of the first, in columns. function: the block of the innermost function around it, as the number of the line that begins it, or 0;
 * is_function: it begins one. */
typedef struct { guint end, indent, function; gboolean is_function; } Logical;

/* For each file, the beginnings of its lines, and Python's lines: logical[i]: of line i + 1, if it is the first of one; else end is 0.
 * first_of: the line that begins the logical line of i. */
typedef struct {
  LsTrace   *trace;
  LsVerify  *v;
  GPtrArray *lines;            /* char **, by file */
  guint     *n_lines;
  GPtrArray *logical;          /* Logical *, by file */
  GPtrArray *first_of;         /* guint *, by file */
} Program;

static const char *
line_of (const Program *p, gint file, guint line)
{
  return file >= 0 && (guint) file < p->lines->len && line >= 1 && line <= p->n_lines[file] ? ((char **) p->lines->pdata[file])[line - 1]
                                                                                            : NULL;
}

static gboolean
is_library (const Program *p, gint file)
{
  return file >= 0 && (guint) file < p->trace->files->len && g_array_index (p->trace->files, LsProgramFile, file).library;
}

static gboolean
is_word (char c)
{
  return g_ascii_isalnum (c) || c == '_' || (guchar) c >= 0x80;
}

/* Does the text have the name, as a word of its own? */
static gboolean
has_word (const char *text, const char *name)
{
  gsize n = strlen (name);
  for (const char *at = text; n && (at = strstr (at, name)); at++)
    if ((at == text || !is_word (at[-1])) && !is_word (at[n]))
      return TRUE;
  return FALSE;
}

static gsize
indent_of (const char *line)
{
  return strspn (line, " \t");
}

static void
verify_files (Program *p)
{
  LsTrace *t = p->trace;
  for (guint i = 0; i < t->files->len; i++) {
    const LsProgramFile *f = &g_array_index (t->files, LsProgramFile, i);
    if (f->library != g_str_has_prefix (f->name, "library/"))
      ls_verify_differs (p->v, "file %u (%s): its name does not agree with its mark as library file", i, f->name);
    for (guint k = 0; k < i; k++)      /* a module that changed may have been loaded again */
      if (strcmp (g_array_index (t->files, LsProgramFile, k).name, f->name) == 0 && strcmp (g_array_index (t->files, LsProgramFile, k).text,
                                                                                            f->text) == 0)
        ls_verify_differs (p->v, "file %u has the name of file %u (%s)", i, k, f->name);
  }
  if (t->files->len && g_strcmp0 (g_array_index (t->files, LsProgramFile, 0).name, t->program_name) != 0)
    ls_verify_differs (p->v, "the program's name is not that of its file");
  if (t->files->len && g_strcmp0 (g_array_index (t->files, LsProgramFile, 0).text, t->program_text) != 0)
    ls_verify_differs (p->v, "the program's text is not that of its file");
}

/* Is the text, its first line at least, a whole statement of the line? */
static gboolean
is_statement (const char *line, const char *first, gboolean whole)
{
  gsize n = strlen (first);
  for (const char *at = n ? strstr (line, first) : NULL; at; at = strstr (at + 1, first)) {
    const char *after = at + n + strspn (at + n, " \t\r");
    if ((at == line || !is_word (at[-1])) && (!whole || !*after || *after == ';' || *after == '#'))
      return TRUE;
  }
  return FALSE;
}

/* A statement's text begins at its line; its executions ascend, up to the number in the last row. */
static void
verify_statements (Program *p)
{
  g_autoptr (GHashTable) last = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);      /* place and text -> row */
  for (guint i = 0; i < p->trace->statements->len; i++) {
    const LsStatement *s = &g_array_index (p->trace->statements, LsStatement, i);
    const char *line = line_of (p, (gint) s->file, s->line);
    g_autofree char *first = g_strndup (s->text, strcspn (s->text, "\n")), *key = g_strdup_printf ("%u:%u:%s", s->file, s->line, s->text);
    if (!line || s->end_line < s->line || !line_of (p, (gint) s->file, s->end_line) || !is_statement (line, first, s->line == s->end_line))
      ls_verify_differs (p->v, "statement %u differs from line %u of its file", i, s->line);
    const LsStatement *before = g_hash_table_lookup (last, key);
    if (s->turn < 1 || (before && s->turn <= before->turn))
      ls_verify_differs (p->v, "statement %u: iteration %" G_GUINT64_FORMAT " does not follow the one before", i, s->turn);
    g_hash_table_insert (last, g_steal_pointer (&key), (gpointer) s);
  }
  GHashTableIter iter;
  gpointer row;
  g_hash_table_iter_init (&iter, last);
  while (p->trace->complete && g_hash_table_iter_next (&iter, NULL, &row))      /* how often is known when the program has ended */
    if (((const LsStatement *) row)->turn > ((const LsStatement *) row)->times)
      ls_verify_differs (p->v, "line %u: iteration %" G_GUINT64_FORMAT " of a statement that ran fewer times",
                         ((const LsStatement *) row)->line, ((const LsStatement *) row)->turn);
}

/* A bound name is in its statement, which counts its names, and its tensor is a view of its base. */
static void
verify_bindings (Program *p)
{
  g_autofree guint *n_bound = g_new0 (guint, p->trace->statements->len + 1);
  for (guint i = 0; i < p->trace->bindings->len; i++)
    n_bound[MIN (g_array_index (p->trace->bindings, LsNameBinding, i).statement, p->trace->statements->len)]++;
  /* before schema 8 neither was there, also where such a recording was saved again */
  gboolean counted = g_array_index (p->trace->files, LsProgramFile, 0).digest != NULL;
  for (guint i = 0; i < p->trace->statements->len && counted; i++)
    if (n_bound[i] != g_array_index (p->trace->statements, LsStatement, i).bound)
      ls_verify_differs (p->v, "statement %u: it bound %u names to tensors, and %u are recorded", i,
                         g_array_index (p->trace->statements, LsStatement, i).bound, n_bound[i]);
  for (guint i = 0; i < p->trace->bindings->len; i++) {
    const LsNameBinding *b = &g_array_index (p->trace->bindings, LsNameBinding, i);
    const LsStatement *s = b->statement < p->trace->statements->len ? &g_array_index (p->trace->statements, LsStatement, b->statement)
                                                                    : NULL;
    gboolean found = FALSE;
    for (guint line = s ? s->line : 1; s && line <= s->end_line && line_of (p, (gint) s->file, line) && !found; line++)
      found = has_word (line_of (p, (gint) s->file, line), b->name);
    if (!found)
      ls_verify_differs (p->v, "binding %u: %s is not a name in its statement", i, b->name);
    g_auto (LsBoundName) t = { NULL };
    if (b->base != LS_NO_NODE && ls_bound_name (p->trace, b, &t) && !t.view)
      ls_verify_differs (p->v, "binding %u: %s is not a view of node %u", i, b->name, b->base);
  }
}

/* Behind a string that begins at its first quote; the line moves on. */
static const char *
skip_string (const char *at, guint *line)
{
  char quote = *at;
  guint n = at[1] == quote && at[2] == quote ? 3 : 1;
  for (at += n; *at; at++) {
    if (*at == '\\' && at[1]) {
      *line += *++at == '\n';
    } else if (*at == '\n') {
      if (n == 1)
        return at;      /* an error of syntax */
      ++*line;
    } else if (*at == quote && (n == 1 || (at[1] == quote && at[2] == quote)))
      return at + n;
  }
  return at;
}

static gboolean
begins_with_word (const char *text, const char *word)
{
  gsize n = strlen (word);
  return strncmp (text, word, n) == 0 && !is_word (text[n]);
}

/* Python's lines of a text, by its brackets, strings, comments and backslashes, and the functions around them, by their indentation. */
static void
read_lines (const char *text, guint n_lines, Logical *logical, guint *first_of)
{
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (guint));      /* lines that begin the functions around */
  guint line = 1;
  for (const char *at = text; *at && line <= n_lines;) {
    guint indent = 0, first = line, depth = 0;
    for (; *at == ' ' || *at == '\t' || *at == '\f'; at++)
      indent = *at == '\t' ? indent / 8 * 8 + 8 : *at == '\f' ? 0 : indent + 1;
    const char *word = at;
    gboolean empty = *at == '#' || *at == '\n' || *at == '\r' || !*at;
    while (*at && !(*at == '\n' && depth == 0)) {
      if (*at == '"' || *at == '\'') {
        at = skip_string (at, &line);
        continue;
      }
      if (*at == '#') {
        at += strcspn (at, "\n");
        continue;
      }
      depth += strchr ("([{", *at) != NULL;
      depth -= depth > 0 && strchr (")]}", *at) != NULL;
      if (*at == '\\' && at[1] == '\r' && at[2] == '\n')
        at++;
      if (*at == '\\' && at[1] == '\n')
        at++;
      line += *at == '\n';
      at++;
    }
    for (guint k = first; k <= line && k <= n_lines; k++)
      first_of[k - 1] = first;
    if (!empty) {
      const char *def = begins_with_word (word, "async") ? word + 5 + strspn (word + 5, " \t") : word;
      while (open->len && indent <= logical[g_array_index (open, guint, open->len - 1) - 1].indent)
        g_array_set_size (open, open->len - 1);
      logical[first - 1] = (Logical) { line, indent, open->len ? g_array_index (open, guint, open->len - 1) : 0,
                                       begins_with_word (def, "def") };
      if (logical[first - 1].is_function)
        g_array_append_val (open, first);
    }
    line += *at == '\n';
    at += *at == '\n';
  }
}

static const Logical *
logical_of (const Program *p, gint file, guint line)
{
  guint first = ((const guint *) p->first_of->pdata[file])[line - 1];
  return first && ((const Logical *) p->logical->pdata[file])[first - 1].end ? &((const Logical *) p->logical->pdata[file])[first - 1]
                                                                             : NULL;
}

static guint
first_of (const Program *p, gint file, guint line)
{
  return ((const guint *) p->first_of->pdata[file])[line - 1];
}

static gboolean
is_part_name (const char *name)
{
  return *name == '<' && strcmp (name, "<module>") != 0;
}

/* The call of a class is named for it. */
static gboolean
has_class (const Program *p, gint file, const char *name)
{
  for (guint line = 1; line <= p->n_lines[file]; line++) {
    const char *text = line_of (p, file, line);
    if (has_word (text, "class") && (has_word (text, name) || strchr (text, '\\') || !g_str_is_ascii (text)))
      return TRUE;
  }
  return FALSE;
}

/* The line that begins the function that a call is of, from the line that Python reports on: decorators come before it. For an
 * expression (<lambda>, <genexpr>), its line; for a module 1. 0: there is none with that name. */
static guint
definition (const Program *p, const LsCall *c)
{
  if (!line_of (p, c->def_file, c->def_line))
    return strcmp (c->name, "<module>") == 0 && c->def_line <= 1;
  if (strcmp (c->name, "<module>") == 0)
    return c->def_line <= 1;
  if (is_part_name (c->name)) {
    guint end = logical_of (p, c->def_file, c->def_line) ? logical_of (p, c->def_file, c->def_line)->end : c->def_line;
    gboolean found = strcmp (c->name, "<lambda>") != 0;
    for (guint line = c->def_line; line <= end && !found; line++)
      found = has_word (line_of (p, c->def_file, line), "lambda");
    return found ? first_of (p, c->def_file, c->def_line) : 0;
  }
  if (!logical_of (p, c->def_file, c->def_line) || first_of (p, c->def_file, c->def_line) != c->def_line)
    return 0;
  for (guint line = c->def_line; line_of (p, c->def_file, line);) {
    const Logical *l = logical_of (p, c->def_file, line);
    const char *text = line_of (p, c->def_file, line);
    if (l && l->is_function)
      /* Python normalizes names beyond ASCII */
      return has_word (text, c->name) || (has_word (text, "__init__") && has_class (p, c->def_file, c->name)) || strchr (text, '\\') ||
             !g_str_is_ascii (text) ? line : 0;
    if (begins_with_word (text + indent_of (text), "class"))      /* of its body, as a call */
      return has_word (text, c->name) ? line : 0;
    if (l && text[indent_of (text)] != '@')
      return 0;
    line = l ? l->end + 1 : line + 1;
  }
  return 0;
}

/* Is a line in the function, lambda, expression or module that a call is of, and in no function inside it? The first line of a function
 * (its defaults) may also be run by its caller, and a class body belongs to the function around it. */
static gboolean
is_inside (const Program *p, const LsCall *c, guint begin, guint line)
{
  const Logical *l = logical_of (p, c->def_file, line);
  guint first = first_of (p, c->def_file, line);
  if (is_part_name (c->name))
    return first == begin;
  if (strcmp (c->name, "<module>") == 0)
    return !l || l->function == 0;
  return first == begin || !l || l->function == begin;
}

/* Python's expressions begin with a word, a bracket or an operator. Python's positions in f-strings and in lines with letters beyond
 * ASCII are not exact; without a column it reports the first. */
static gboolean
begins_word (const Program *p, const LsCall *c, const char *site)
{
  if (!site || c->file_column < 2)
    return TRUE;
  const Logical *l = logical_of (p, c->file, c->file_line);
  guint first = first_of (p, c->file, c->file_line);
  for (guint line = first; l && line <= l->end; line++) {
    const char *text = line_of (p, c->file, line);
    if (text && (!g_str_is_ascii (text) || strpbrk (text, "\"'")))
      return TRUE;
  }
  const char *at = site + c->file_column - 1;
  return l && *at && !strchr (" \t\r)]},;:.=", *at) && !(is_word (at[0]) && is_word (at[-1]));
}

static void
verify_call (Program *p, guint i)
{
  const LsCall *c = &g_array_index (p->trace->calls, LsCall, i);
  const LsCall *around = c->parent >= 0 ? &g_array_index (p->trace->calls, LsCall, c->parent) : NULL;
  gboolean own = c->file >= 0 && !is_library (p, c->file);
  const char *site = line_of (p, c->file, c->file_line);
  if (c->file >= 0 && (!site || c->file_column < 1 || c->file_column > strlen (site) + 1)) {
    ls_verify_differs (p->v, "call %u (%s) is not in its file", i, c->name);
    return;
  }
  /* a function that Python itself calls is in a statement of the program's text that it runs; one that C or an unrecorded text calls is
   * in its caller's, unless a thread began there */
  if (!own && around && around->line > 0 && c->statement != around->statement)
    ls_verify_differs (p->v, "call %u (%s) and its parent call are of different statements", i, c->name);
  const LsStatement *s = own && c->statement < p->trace->statements->len ? &g_array_index (p->trace->statements, LsStatement, c->statement)
                                                                         : NULL;
  if (s && (s->file != (guint) c->file || c->file_line < s->line || c->file_line > s->end_line))
    ls_verify_differs (p->v, "call %u (%s) is not in its statement", i, c->name);
  if (c->file == 0 ? c->line != c->file_line || c->column != c->file_column : around &&
      (c->line != around->line || c->column != around->column))
    ls_verify_differs (p->v, "call %u (%s): its line of the program differs from its parent's", i, c->name);
  if (c->def_file >= 0 && !definition (p, c))
    ls_verify_differs (p->v, "call %u: %s is not defined at the recorded position", i, c->name);
  guint begin = around && around->def_file >= 0 ? definition (p, around) : 0;
  if (begin && c->file >= 0 && (c->file != around->def_file || !is_inside (p, around, begin, c->file_line)))
    ls_verify_differs (p->v, "call %u (%s) is not in %s, which called it", i, c->name, around->name);
  if (!begins_word (p, c, site))
    ls_verify_differs (p->v, "call %u (%s): no expression begins at its position", i, c->name);
  const Logical *l = !around && own ? logical_of (p, c->file, c->file_line) : NULL;
  if (l && l->function)
    ls_verify_differs (p->v, "call %u (%s) is in a function, but has no parent call", i, c->name);
}

/* Calls are numbered as they begin. In each thread those that are open are the one that began last and those around it, so that the next
 * one's parent is one of these. A call in the program itself is on the main thread; a call without a recorded caller began a thread, or
 * ran at the end. */
static void
verify_parents (Program *p)
{
  const LsCall *calls = (const LsCall *) (gconstpointer) p->trace->calls->data;
  guint n = p->trace->calls->len;
  g_autofree guint *thread = g_new0 (guint, n + 1);      /* by call: 0: the main one, or 1 + the call that began it */
  g_autofree gint *last = g_new (gint, n + 1);             /* by thread */
  for (guint i = 0; i <= n; i++)
    last[i] = -1;
  for (guint i = 0; i < n; i++) {
    gint parent = calls[i].parent, open = -1;
    thread[i] = parent >= 0 ? thread[parent] : calls[i].file >= 0 ? 0 : i + 1;
    if (parent >= 0)
      for (open = last[thread[i]]; open > parent;)
        open = calls[open].parent;
    if (open != parent)
      ls_verify_differs (p->v, "call %u (%s): its parent, call %d, had already ended", i, calls[i].name, parent);
    last[thread[i]] = (gint) i;
    gint caller = parent >= 0 ? calls[parent].def_file : MIN (calls[i].file, 0);
    if (calls[i].file != caller)
      ls_verify_differs (p->v, "call %u (%s) is not in the file of its caller", i, calls[i].name);
  }
}

void
ls_verify_program (LsTrace *trace, LsVerify *v)
{
  Program p = { trace, v, g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev), g_new0 (guint, trace->files->len + 1),
                g_ptr_array_new_with_free_func (g_free),
                g_ptr_array_new_with_free_func (g_free) };
  if (trace->files->len == 0 && trace->calls->len + trace->statements->len > 0)
    ls_verify_unjudged (v, "statements and calls: their texts are not recorded");
  for (guint i = 0; i < trace->files->len; i++) {
    char **lines = g_strsplit (g_array_index (trace->files, LsProgramFile, i).text, "\n", -1);
    p.n_lines[i] = g_strv_length (lines);
    g_ptr_array_add (p.lines, lines);
    g_ptr_array_add (p.logical, g_new0 (Logical, p.n_lines[i] + 1));
    g_ptr_array_add (p.first_of, g_new0 (guint, p.n_lines[i] + 1));
    read_lines (g_array_index (trace->files, LsProgramFile, i).text, p.n_lines[i], g_ptr_array_index (p.logical, i),
                g_ptr_array_index (p.first_of, i));
  }
  verify_files (&p);
  if (trace->files->len > 0) {
    verify_statements (&p);
    verify_bindings (&p);
    verify_parents (&p);
    for (guint i = 0; i < trace->calls->len; i++)
      verify_call (&p, i);
  }
  g_ptr_array_unref (p.lines);
  g_ptr_array_unref (p.logical);
  g_ptr_array_unref (p.first_of);
  g_free (p.n_lines);
}
