/* The built-in rule files, embedded as a resource. */
#include "rules.h"

#include <gio/gio.h>

#include "ls-rules-resource.h"

const char *
ls_rules_text (const char *file)
{
  static GHashTable *texts;
  static GMutex lock;
  g_autofree char *path = g_strconcat ("/org/lazyscope/rules/", file, NULL);
  g_mutex_lock (&lock);
  if (!texts)
    texts = g_hash_table_new (g_str_hash, g_str_equal);
  char *text = g_hash_table_lookup (texts, file);
  g_autoptr (GBytes) bytes = text ? NULL : g_resource_lookup_data (ls_rules_get_resource (), path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  if (bytes) {
    text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
    g_hash_table_insert (texts, g_strdup (file), text);
  }
  g_mutex_unlock (&lock);
  return text;
}
