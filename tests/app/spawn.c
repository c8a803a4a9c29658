#include "spawn.h"

#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/wait.h>

static char *folder;

void
enter_folder (void)
{
  g_autoptr (GError) error = NULL;
  folder = g_dir_make_tmp ("lazyscope-cli-XXXXXX", &error);
  g_assert_no_error (error);
  g_assert_cmpint (g_chdir (folder), ==, 0);
}

void
leave_folder (void)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  for (const char *name; dir && (name = g_dir_read_name (dir));) {
    g_autofree char *path = g_build_filename (folder, name, NULL);
    g_remove (path);
  }
  g_assert_cmpint (g_chdir ("/"), ==, 0);
  g_rmdir (folder);
  g_clear_pointer (&folder, g_free);
}

void
spawned_clear (Spawned *s)
{
  g_clear_pointer (&s->out, g_free);
  g_clear_pointer (&s->err, g_free);
}

void
spawn_argv (Spawned *s, const char *const *argv)
{
  g_autoptr (GError) error = NULL;
  int wait_status;
  spawned_clear (s);
  g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &s->out, &s->err, &wait_status, &error);
  g_assert_no_error (error);
  s->status = WIFEXITED (wait_status) ? WEXITSTATUS (wait_status) : -1;
  if (s->status < 0 || strstr (s->err, "AddressSanitizer") || strstr (s->err, "LeakSanitizer") || strstr (s->err, "runtime error:") ||
      strstr (s->err, "CRITICAL")) {
    g_autofree char *line = g_strjoinv (" ", (char **) argv);
    g_error ("%s broke down (wait status %d):\n%s", line, wait_status, s->err);
  }
}

void
spawn_cli (Spawned *s, ...)
{
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  const char *cli = g_getenv ("LAZYSCOPE_CLI");
  g_assert_nonnull (cli);
  g_ptr_array_add (argv, (gpointer) cli);
  va_list args;
  va_start (args, s);
  for (const char *arg; (arg = va_arg (args, const char *));)
    g_ptr_array_add (argv, (gpointer) arg);
  va_end (args);
  g_ptr_array_add (argv, NULL);
  spawn_argv (s, (const char *const *) argv->pdata);
}

void
spawned_assert_status (const Spawned *s, int expected, int line)
{
  if (s->status != expected)
    g_error ("line %d: exit status %d, expected %d\nstdout:\n%.2000s\nstderr:\n%.2000s", line, s->status, expected, s->out, s->err);
}

void
text_assert_contains (const char *text, const char *part, int line)
{
  if (!strstr (text, part))
    g_error ("line %d: '%s' is not in\n%.2000s", line, part, text);
}

JsonObject *
spawned_json (const Spawned *s)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;
  json_parser_load_from_data (parser, s->out, -1, &error);
  g_assert_no_error (error);
  g_assert_cmpint (strchr (s->out, '\n') - s->out, ==, strlen (s->out) - 1);
  return json_object_ref (json_node_get_object (json_parser_get_root (parser)));
}

void
assert_members (JsonObject *object, const char *names)
{
  g_auto (GStrv) wanted = g_strsplit (names, " ", -1);
  g_autoptr (GList) members = json_object_get_members (object);
  for (char **name = wanted; *name; name++)
    if (!json_object_has_member (object, *name))
      g_error ("the JSON object has no member '%s'", *name);
  for (GList *l = members; l; l = l->next)
    if (!g_strv_contains ((const char *const *) wanted, l->data))
      g_error ("the JSON object has a member '%s', which is not one of: %s", (char *) l->data, names);
}

void
write_file (const char *name, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_file_set_contents (name, text, -1, &error);
  g_assert_no_error (error);
}

char *
program_path (const char *name)
{
  return g_build_filename (g_getenv ("LAZYSCOPE_PROGRAMS"), name, NULL);
}

void
exec_sql (const char *path, const char *sql)
{
  sqlite3 *db;
  char *message = NULL;
  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  sqlite3_exec (db, sql, NULL, NULL, &message);
  g_assert_cmpstr (message, ==, NULL);
  sqlite3_close (db);
}

guint
n_lines (const char *text)
{
  guint n = 0;
  for (; *text; text++)
    n += *text == '\n';
  return n;
}
