/* What a recording says of its program, where that stands twice: statements against their texts, calls against the statements and functions that they stand in, functions
 * against the lines that define them.
 *
 * Python is not run again, so that nothing is said of what a statement bound a name to, of arguments, and of texts of the library, of which only those lines are looked at
 * that functions begin at.
 */
#include "verify.h"

#include <string.h>

/* Of each file, where its lines begin. */
typedef struct {
  LsTrace   *trace;
  LsVerify  *v;
  GPtrArray *lines;            /* char **, by file */
  guint     *n_lines;
} Program;

static const char *
line_of (const Program *p, gint file, guint line)
{
  return file >= 0 && (guint) file < p->lines->len && line >= 1 && line <= p->n_lines[file] ? ((char **) p->lines->pdata[file])[line - 1] : NULL;
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
      ls_verify_differs (p->v, "file %u (%s): whether it is the library's is not what its name says", i, f->name);
    for (guint k = 0; k < i; k++)
      if (strcmp (g_array_index (t->files, LsProgramFile, k).name, f->name) == 0)
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

/* A statement's text begins at its line; its turns ascend, and are no more than the last row says. */
static void
verify_statements (Program *p)
{
  g_autoptr (GHashTable) last = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);      /* place and text -> row */
  for (guint i = 0; i < p->trace->statements->len; i++) {
    const LsStatement *s = &g_array_index (p->trace->statements, LsStatement, i);
    const char *line = line_of (p, (gint) s->file, s->line);
    g_autofree char *first = g_strndup (s->text, strcspn (s->text, "\n")), *key = g_strdup_printf ("%u:%u:%s", s->file, s->line, s->text);
    if (!line || s->end_line < s->line || !line_of (p, (gint) s->file, s->end_line) || !is_statement (line, first, s->line == s->end_line))
      ls_verify_differs (p->v, "statement %u is not what stands at line %u of its file", i, s->line);
    const LsStatement *before = g_hash_table_lookup (last, key);
    if (s->turn < 1 || (before && s->turn <= before->turn))
      ls_verify_differs (p->v, "statement %u: turn %" G_GUINT64_FORMAT " does not follow the one before", i, s->turn);
    g_hash_table_insert (last, g_steal_pointer (&key), (gpointer) s);
  }
  GHashTableIter iter;
  gpointer row;
  g_hash_table_iter_init (&iter, last);
  while (p->trace->complete && g_hash_table_iter_next (&iter, NULL, &row))      /* how often is known when the program has ended */
    if (((const LsStatement *) row)->turn > ((const LsStatement *) row)->times)
      ls_verify_differs (p->v, "line %u: turn %" G_GUINT64_FORMAT " of a statement that ran fewer times", ((const LsStatement *) row)->line, ((const LsStatement *) row)->turn);
}

/* A bound name stands in its statement, and its tensor is a view of its base. */
static void
verify_bindings (Program *p)
{
  for (guint i = 0; i < p->trace->bindings->len; i++) {
    const LsNameBinding *b = &g_array_index (p->trace->bindings, LsNameBinding, i);
    const LsStatement *s = b->statement < p->trace->statements->len ? &g_array_index (p->trace->statements, LsStatement, b->statement) : NULL;
    gboolean found = FALSE;
    for (guint line = s ? s->line : 1; s && line <= s->end_line && line_of (p, (gint) s->file, line) && !found; line++)
      found = has_word (line_of (p, (gint) s->file, line), b->name);
    if (!found)
      ls_verify_differs (p->v, "binding %u: %s is no name in its statement", i, b->name);
    LsBoundTensor t;
    if (b->base != LS_NO_NODE && ls_bound_tensor (p->trace, b, &t) && !t.view)
      ls_verify_differs (p->v, "binding %u: %s is no view of node %u", i, b->name, b->base);
    else if (b->base != LS_NO_NODE)
      g_free (t.view);
  }
}

/* The line that begins a function, from the one that Python names on: decorators stand before it. 0: there is none with that name. */
static guint
definition (const Program *p, const LsCall *c)
{
  const char *name = strrchr (c->name, '.') ? strrchr (c->name, '.') + 1 : c->name;
  for (guint line = c->def_line; line_of (p, c->def_file, line); line++) {
    const char *text = line_of (p, c->def_file, line), *def = strstr (text, "def ");
    if (strchr (name, '<'))
      return line == c->def_line ? line : 0;      /* <lambda>, <genexpr> */
    if (def && has_word (def, "def"))
      return has_word (def, name) || has_word (def, "__init__") || has_word (def, "__call__") ? line : 0;
    if (has_word (text, "class") || (text[indent_of (text)] != '@' && line == c->def_line))
      return has_word (text, "lambda") || has_word (text, name) ? line : 0;
  }
  return 0;
}

/* Does the line stand below that definition, before a line that is less indented than its body? */
static gboolean
is_inside (const Program *p, gint file, guint from, guint line)
{
  gsize indent = indent_of (line_of (p, file, from));
  for (guint k = from + 1; k < line; k++) {
    const char *text = line_of (p, file, k);
    if (text && text[indent_of (text)] && indent_of (text) < indent && !strchr ("#)]}\r", text[indent_of (text)]))
      return FALSE;
  }
  return line >= from;
}

static void
verify_call (Program *p, guint i)
{
  const LsCall *c = &g_array_index (p->trace->calls, LsCall, i);
  const LsCall *around = c->parent >= 0 ? &g_array_index (p->trace->calls, LsCall, c->parent) : NULL;
  gboolean own = c->file >= 0 && !is_library (p, c->file);
  guint begin = around && around->def_file >= 0 ? definition (p, around) : 0;
  const char *site = line_of (p, c->file, c->file_line);
  if (!own && around && c->statement != around->statement)
    ls_verify_differs (p->v, "call %u (%s) is of another statement than the call around it", i, c->name);
  const LsStatement *s = own && c->statement < p->trace->statements->len ? &g_array_index (p->trace->statements, LsStatement, c->statement) : NULL;
  if (s && (s->file != (guint) c->file || c->file_line < s->line || c->file_line > s->end_line))
    ls_verify_differs (p->v, "call %u (%s) does not stand in its statement", i, c->name);
  if (c->file >= 0 && (!site || c->file_column < 1 || c->file_column > strlen (site) + 1))
    ls_verify_differs (p->v, "call %u (%s) stands nowhere in its file", i, c->name);
  if (c->file == 0 ? c->line != c->file_line || c->column != c->file_column : around && (c->line != around->line || c->column != around->column))
    ls_verify_differs (p->v, "call %u (%s): its line of the program is not that of the call around it", i, c->name);
  if (c->def_file >= 0 && !definition (p, c))
    ls_verify_differs (p->v, "call %u: no %s is defined where it says", i, c->name);
  if (around && around->def_file >= 0 && c->file >= 0 && (c->file != around->def_file || c->file_line < around->def_line || (begin && !is_inside (p, c->file, begin, c->file_line))))
    ls_verify_differs (p->v, "call %u (%s) does not stand in %s, which called it", i, c->name, around->name);
}

void
ls_verify_program (LsTrace *trace, LsVerify *v)
{
  Program p = { trace, v, g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev), g_new0 (guint, trace->files->len + 1) };
  if (trace->files->len == 0 && trace->calls->len + trace->statements->len > 0)
    ls_verify_unjudged (v, "statements and calls: the texts that they stand in are not recorded");
  for (guint i = 0; i < trace->files->len; i++) {
    char **lines = g_strsplit (g_array_index (trace->files, LsProgramFile, i).text, "\n", -1);
    p.n_lines[i] = g_strv_length (lines);
    g_ptr_array_add (p.lines, lines);
  }
  verify_files (&p);
  if (trace->files->len > 0) {
    verify_statements (&p);
    verify_bindings (&p);
    for (guint i = 0; i < trace->calls->len; i++)
      verify_call (&p, i);
  }
  g_ptr_array_unref (p.lines);
  g_free (p.n_lines);
}
