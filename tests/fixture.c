#include "program/program.h"
#include "pipeline/pipeline.h"
#include "fixture.h"

#include <glib/gstdio.h>
#include <unistd.h>

static GHashTable *libraries;      /* by their text */

static void
free_libraries (void)
{
  g_clear_pointer (&libraries, g_hash_table_unref);
}

LsRuleLibrary *
fixture_library (const char *rules)
{
  g_autoptr (GError) error = NULL;
  const char *key = rules ? rules : "";
  if (!libraries) {
    libraries = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) ls_rule_library_unref);
    atexit (free_libraries);
  }
  LsRuleLibrary *library = g_hash_table_lookup (libraries, key);
  if (library)
    return library;
  g_autofree char *path = NULL;
  if (rules) {
    close (g_file_open_tmp ("lazyscope-XXXXXX.rules", &path, &error));
    g_assert_no_error (error);
    g_assert_true (g_file_set_contents (path, rules, -1, NULL));
  }
  library = ls_rule_library_new (ls_pipeline_rules (), rules ? (const char *const[]) { path, NULL } : NULL, NULL, &error);
  g_assert_no_error (error);
  if (path)
    g_remove (path);
  g_hash_table_insert (libraries, g_strdup (key), library);
  return library;
}

LsSession *
fixture_session (const FixtureRun *how)
{
  g_autoptr (GError) error = NULL;
  LsSettings settings;
  ls_settings_init (&settings);
  settings.REPEATS = 1;
  g_auto (GStrv) set = g_strsplit (how->settings ? how->settings : "", " ", -1);
  for (char **s = set; *s; s++) {
    if (**s)
      ls_settings_set (&settings, *s, &error);
    g_assert_no_error (error);
  }
  LsSession *s = ls_session_new (&settings, ls_target_find (how->target ? how->target : "c"), how->compiler ? how->compiler : "interp",
                                 fixture_library (how->rules));
  s->options = g_strdup (how->options);
  s->on_options = how->on_options;
  s->execute = !how->only_text;
  return s;
}

LsSession *
fixture_run (const FixtureRun *how, GError **error)
{
  g_autoptr (GError) own = NULL;
  LsSession *s = fixture_session (how);
  g_autofree char *path = !how->file || g_path_is_absolute (how->file)
                          ? g_strdup (how->file) : g_build_filename (g_getenv ("LAZYSCOPE_PROGRAMS"), how->file, NULL);
  g_autofree char *read = NULL;
  if (path && !g_file_get_contents (path, &read, NULL, &own))
    g_error ("%s", own->message);
  /* a snippet needs no import of its own; its lines stay where they are */
  gboolean bare = how->text && !strstr (how->text, "import ");
  g_autofree char *text = bare ? g_strconcat ("from tinygrad import Tensor, dtypes; ", how->text, NULL) : NULL;
  ls_session_run_program (s, read ? read : text ? text : how->text, path ? path : how->name ? how->name : "test.py", error ? error : &own);
  g_assert_no_error (own);
  ls_session_finish (s);
  return s;
}
