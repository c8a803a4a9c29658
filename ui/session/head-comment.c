#include "head-comment.h"

#include <string.h>

static const char *const keys[] = { "kernel", "opens at" };

/* The text after the key and its colon in a line, or NULL. */
static const char *
after_key (const char *line, const char *key)
{
  gsize n = strlen (key);
  return strncmp (line, key, n) == 0 && line[n] == ':' ? line + n + 1 : NULL;
}

/* The line at text without its mark; *text goes to the next. NULL: the comment is over. Free with g_free. */
static char *
next_line (const char **text)
{
  if (!*text || **text != '#')
    return NULL;
  const char *line = *text + strspn (*text, "#! "), *end = strchrnul (line, '\n');
  *text = *end ? end + 1 : end;
  return g_strstrip (g_strndup (line, (gsize) (end - line)));
}

char *
ls_head_comment_words (const char *text)
{
  GString *words = g_string_new (NULL);
  for (char *line; (line = next_line (&text)); g_free (line)) {
    gboolean place = FALSE;
    for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
      place |= after_key (line, keys[i]) != NULL;
    if (!place)
      g_string_append_printf (words, "%s%s", words->len && *line ? " " : "", line);
  }
  return g_string_free (words, FALSE);
}

char *
ls_head_comment_value (const char *text, const char *key)
{
  char *value = NULL;
  for (char *line; !value && (line = next_line (&text)); g_free (line))
    if (after_key (line, key))
      value = g_strstrip (g_strdup (after_key (line, key)));
  return value;
}
