/* The texts of tags, numbered for the whole process: a node has 16 bits for its tag, and equal texts of two recordings are one tag. */
#include "tag.h"

#include "number.h"
#include "print-private.h"

static GMutex mutex;
static GHashTable *numbers;      /* text -> tag */
static GPtrArray *texts;         /* of LS_TAG_TEXTS and on; they stay */

guint16
ls_tag_of_text (const char *text)
{
  g_mutex_lock (&mutex);
  if (!numbers) {
    numbers = g_hash_table_new (g_str_hash, g_str_equal);
    texts = g_ptr_array_new ();
  }
  guint tag = GPOINTER_TO_UINT (g_hash_table_lookup (numbers, text));
  if (tag == 0 && texts->len <= G_MAXUINT16 - LS_TAG_TEXTS) {
    tag = LS_TAG_TEXTS + texts->len;
    g_ptr_array_add (texts, g_strdup (text));
    g_hash_table_insert (numbers, texts->pdata[texts->len - 1], GUINT_TO_POINTER (tag));
  }
  g_mutex_unlock (&mutex);
  return (guint16) tag;
}

const char *
ls_tag_text (guint16 tag)
{
  if (tag < LS_TAG_TEXTS)
    return NULL;
  g_mutex_lock (&mutex);
  const char *text = texts && tag - LS_TAG_TEXTS < (gint) texts->len ? texts->pdata[tag - LS_TAG_TEXTS] : "";
  g_mutex_unlock (&mutex);
  return text;
}

char *
ls_tag_print (guint16 tag)
{
  const char *text = ls_tag_text (tag);
  return text ? ls_arg_print ((LsArg) { .kind = LS_ARG_STR, .str = text }) : g_strdup_printf ("%u", tag);
}

gboolean
ls_tag_parse (const char *text, guint16 *tag)
{
  guint64 n;
  if (*text == '\'') {
    g_autofree char *value = ls_string_parse (text);
    *tag = value ? ls_tag_of_text (value) : 0;
    return *tag != 0;
  }
  if (!ls_number_uint (&text, 10, LS_TAG_TEXTS - 1, &n) || *text)
    return FALSE;
  *tag = (guint16) n;
  return TRUE;
}
