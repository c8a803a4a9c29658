/* Kept in the state file under a digest of the path: a path may hold bytes that a key may not. */
#include "bookmarks.h"
#include "kit/state.h"

struct _LsBookmarks {
  char      *path, *key;
  GPtrArray *links;
};

static guint
find (LsBookmarks *b, const char *link)
{
  guint i = 0;
  while (i < b->links->len && !g_str_equal (b->links->pdata[i], link))
    i++;
  return i;
}

LsBookmarks *
ls_bookmarks_new (const char *path)
{
  LsBookmarks *b = g_new0 (LsBookmarks, 1);
  b->path = g_strdup (path);
  b->key = path ? g_compute_checksum_for_string (G_CHECKSUM_SHA256, path, -1) : NULL;
  b->links = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) links = b->key ? ls_state_dup_list ("bookmarks", b->key) : NULL;
  for (guint i = 0; links && links[i]; i++)
    if (*links[i] && find (b, links[i]) == b->links->len)
      g_ptr_array_add (b->links, g_strdup (links[i]));
  return b;
}

void
ls_bookmarks_free (LsBookmarks *b)
{
  if (!b)
    return;
  g_ptr_array_unref (b->links);
  g_free (b->path);
  g_free (b->key);
  g_free (b);
}

gboolean
ls_bookmarks_toggle (LsBookmarks *b, const char *link)
{
  guint i = find (b, link);
  gboolean add = i == b->links->len;
  if (add)
    g_ptr_array_add (b->links, g_strdup (link));
  else
    g_ptr_array_remove_index (b->links, i);
  if (b->key)
    ls_state_set_list ("bookmarks", b->key, (const char *const *) b->links->pdata, b->links->len);
  return add;
}

const char *
ls_bookmarks_path (LsBookmarks *b)
{
  return b->path;
}

guint
ls_bookmarks_n (LsBookmarks *b)
{
  return b->links->len;
}

const char *
ls_bookmarks_get (LsBookmarks *b, guint i)
{
  return b->links->pdata[i];
}
