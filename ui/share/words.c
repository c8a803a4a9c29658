/* A page's own words are in the catalogues of the window, its script's too: a script marks _('…'), and the translations are passed to it
 * with its data. A recording's sentences are shown by their templates. */
#include "words.h"
#include "film.h"
#include "ir/sentence.h"

#include <glib/gi18n.h>
#include <locale.h>
#include <string.h>

char *
ls_words_folder (void)
{
  g_autofree char *path = g_file_read_link ("/proc/self/exe", NULL), *here = path ? g_path_get_dirname (path) : g_strdup (".");
  /* the programs are one folder next to the build's, a test two */
  static const char *const ways[][4] = { { "..", "data", "po", NULL }, { "..", "..", "data", "po" }, { "..", "share", "locale", NULL } };
  for (gsize i = 0; i < G_N_ELEMENTS (ways); i++) {
    g_autofree char *folder = g_build_filename (here, ways[i][0], ways[i][1], ways[i][2], ways[i][3], NULL);
    g_autofree char *probe = g_build_filename (folder, "de", "LC_MESSAGES", GETTEXT_PACKAGE ".mo", NULL);
    if (g_file_test (probe, G_FILE_TEST_IS_REGULAR))
      return g_steal_pointer (&folder);
  }
  return g_strdup (LS_LOCALEDIR);
}

/* What the engine says, of which a text may be an instance. */
static const char *const templates[] = {
#undef N_
#define N_(text) text,
#include "sentences.h"
#undef N_
};

static const char *
translate (const char *template)
{
  return gettext (template);
}

void
ls_words_bind (void)
{
  g_autofree char *folder = ls_words_folder ();
  setlocale (LC_MESSAGES, "");
  bindtextdomain (GETTEXT_PACKAGE, folder);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
  gboolean translated = *gettext ("") != '\0';      /* a catalogue has its head there */
  ls_sentence_set_language (translated ? translate : NULL, templates, G_N_ELEMENTS (templates));
}

void
ls_words_unbind (void)
{
  setlocale (LC_MESSAGES, "C");
}

char *
ls_words_language (void)
{
  /* a catalogue says it there */
  const char *head = gettext (""), *line = g_str_has_prefix (head, "Language: ") ? head : strstr (head, "\nLanguage: ");
  line = line ? strchr (line, ':') + 2 : "en";
  g_autofree char *language = g_strndup (line, strcspn (line, "\n"));
  return g_strdelimit (g_steal_pointer (&language), "_", '-');
}

char *
ls_words_of (const char *script)
{
  g_autoptr (GString) words = g_string_new ("{");
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (const char *at = script; (at = strstr (at, "_('")); ) {
    const char *begin = at + strlen ("_('"), *end = strchr (begin, '\'');
    if (!end)
      break;
    at = end;
    g_autofree char *text = g_strndup (begin, (gsize) (end - begin));
    const char *word = *text ? gettext (text) : text;
    if (g_str_equal (word, text) || !g_hash_table_add (seen, g_strdup (text)))
      continue;
    if (words->len > 1)
      g_string_append_c (words, ',');
    ls_json_quote (words, text);
    g_string_append_c (words, ':');
    ls_json_quote (words, word);
  }
  g_string_append_c (words, '}');
  return g_string_free (g_steal_pointer (&words), FALSE);
}
