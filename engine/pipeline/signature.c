/* Reading "void NAME (PARAMETERS) {" of C. The compiler reports other errors of the text. */
#include "signature.h"

#include <string.h>

#include "ir/uop.h"

/* A parameter's type without const, restrict and name: "float*". */
static char *
type_of (const char *parameter)
{
  g_autoptr (GString) spaced = g_string_new (NULL);
  for (const char *at = parameter; *at; at++)
    g_string_append_printf (spaced, *at == '*' ? " %c " : "%c", *at);
  g_auto (GStrv) words = g_strsplit_set (spaced->str, " \t\n", -1);
  g_autoptr (GPtrArray) type = g_ptr_array_new ();
  static const char *const qualifiers[] = { "const", "restrict", "__restrict", "__restrict__", "volatile", NULL };
  gboolean starred = FALSE;
  for (char **word = words; *word; word++) {
    if (!**word || g_strv_contains (qualifiers, *word))
      continue;
    if (starred && **word != '*')
      continue;      /* the name */
    starred |= **word == '*';
    g_ptr_array_add (type, *word);
  }
  g_ptr_array_add (type, NULL);
  return g_strjoinv (" ", (char **) type->pdata);
}

static char *
types_of (const char *parameters)
{
  g_auto (GStrv) each = g_strsplit (parameters, ",", -1);
  g_autoptr (GString) types = g_string_new (NULL);
  for (char **p = each; *p; p++) {
    g_autofree char *type = type_of (*p);
    g_string_append_printf (types, "%s%s", types->len ? ", " : "", type);
  }
  return g_strdup (types->str);
}

/* The text with each comment and each line continuation as one blank; quoted text stays. Free with g_free. */
static char *
without_comments (const char *text)
{
  g_autofree char *joined = NULL;
  g_auto (GStrv) lines = g_strsplit (text, "\\\n", -1);
  joined = g_strjoinv ("", lines);
  GString *out = g_string_new (NULL);
  for (const char *at = joined; *at; at++) {
    if (at[0] == '/' && (at[1] == '/' || at[1] == '*')) {
      const char *end = strstr (at + 2, at[1] == '/' ? "\n" : "*/");
      g_string_append_c (out, at[1] == '/' ? '\n' : ' ');
      at = !end ? at + strlen (at) - 1 : at[1] == '/' ? end : end + 1;
      continue;
    }
    const char *begin = at;
    if (*at == '"' || *at == '\'')
      while (at[1] && at[1] != *begin && at[1] != '\n')
        at += at[1] == '\\' && at[2] ? 2 : 1;
    if (at != begin && at[1] == *begin)
      at++;
    g_string_append_len (out, begin, at + 1 - begin);
  }
  return g_string_free (out, FALSE);
}

/* The function of that name, or of any (NULL): the last of those that are not static. */
static gboolean
find (const char *text, const char *wanted, char **name, char **parameters)
{
  g_autofree char *plain = without_comments (text);
  g_autoptr (GRegex) function = g_regex_new ("(static\\s+(?:inline\\s+)?)?\\bvoid\\s+(\\w+)\\s*\\(([^)]*)\\)\\s*\\{", 0, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  *name = *parameters = NULL;
  for (g_regex_match (function, plain, 0, &match); g_match_info_matches (match); g_match_info_next (match, NULL)) {
    g_autofree char *is_static = g_match_info_fetch (match, 1), *its = g_match_info_fetch (match, 2);
    if (*is_static || (wanted && strcmp (its, wanted) != 0))
      continue;
    g_free (*name);
    g_free (*parameters);
    *name = g_steal_pointer (&its);
    *parameters = g_match_info_fetch (match, 3);
  }
  return *name != NULL;
}

gboolean
ls_signature_check (const char *text, const char *file, const char *like, char **name, GError **error)
{
  g_autofree char *kernel = NULL, *takes = NULL, *parameters = NULL, *wanted = NULL, *given = NULL;
  if (!find (like, NULL, &kernel, &takes)) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "c=%s: the kernel's source is not a C function", file);
    return FALSE;
  }
  if (!find (text, kernel, name, &parameters) && !find (text, NULL, name, &parameters)) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "c=%s: the file defines no function; the kernel is void %s (%s)", file, kernel, takes);
    return FALSE;
  }
  wanted = types_of (takes);
  given = types_of (parameters);
  if (strcmp (wanted, given) == 0)
    return TRUE;
  g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "c=%s: the arguments of void %s (%s) differ from the kernel's, void %s (%s)", file, *name,
               parameters, kernel, takes);
  g_clear_pointer (name, g_free);
  return FALSE;
}

#define MOST_BYTES (4 << 20)

/* A kernel includes headers of the compiler and of the system, and nothing else: neither devices nor other files, nor libraries by tcc's
 * #pragma comment. */
static gboolean
check_includes (const char *text, const char *file, GError **error)
{
  static const char *const pattern = "^\\s*(?:#|%:|\\?\\?=)\\s*(include\\w*|import|embed|pragma(?=\\s+comment))\\b\\s*([^\n]*)";
  g_autofree char *plain = without_comments (text);
  g_autoptr (GRegex) directive = g_regex_new (pattern, G_REGEX_MULTILINE, 0, NULL),
      header = g_regex_new ("^<(?!/)(?!.*\\.\\.)[A-Za-z0-9_./+-]+\\.h>\\s*$", 0, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  for (gboolean more = g_regex_match (directive, plain, 0, &match); more; more = g_match_info_next (match, NULL)) {
    g_autofree char *name = g_match_info_fetch (match, 1), *what = g_match_info_fetch (match, 2);
    if (*name == 'p' || !g_regex_match (header, what, 0, NULL)) {
      g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "c=%s: #%s %s is refused: a kernel may include system headers only, such as <math.h>",
                   file, name, what);
      return FALSE;
    }
  }
  return TRUE;
}

gboolean
ls_by_hand_read (const char *file, const char *like, char **text, char **name, GError **error)
{
  g_autoptr (GError) own = NULL;
  gsize n = 0;
  *text = *name = NULL;
  if (!g_file_test (file, G_FILE_TEST_IS_REGULAR))
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "c=%s: %s", file,
                 g_file_test (file, G_FILE_TEST_EXISTS) ? "it is not a regular file" : "there is no such file");
  else if (!g_file_get_contents (file, text, &n, &own))
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "c=%s: %s", file, own->message);
  else if (n > MOST_BYTES || !g_utf8_validate (*text, (gssize) n, NULL))
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, n > MOST_BYTES ? "c=%s: the file is larger than 4 MiB" : "c=%s: the file is not UTF-8",
                 file);
  else if (check_includes (*text, file, error) && ls_signature_check (*text, file, like, name, error))
    return TRUE;
  g_clear_pointer (text, g_free);
  return FALSE;
}
