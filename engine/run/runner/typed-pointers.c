/* Line by line: a text of render/llvm.c has pointers in arguments, arrays (alloca), getelementptr, load and store, an instruction a line.
 * The element type of an argument or array is that of the getelementptr instructions that use it, which all have the same. */
#include "typed-pointers.h"

#include <glib.h>
#include <string.h>

#define GEP "getelementptr inbounds "

/* "%name" at the beginning of a text; free with g_free. */
static char *
name_at (const char *text)
{
  return g_strndup (text, strcspn (text, " ,)\n"));
}

char *
ls_pointee (const char *text, const char *argument)
{
  g_autofree char *use = g_strdup_printf (", ptr %s, ", argument);
  for (const char *at = text; (at = strstr (at, use)); at += strlen (use)) {
    const char *line = at;
    while (line > text && line[-1] != '\n')
      line--;
    g_autofree char *begin = g_strndup (line, (gsize) (at - line));
    const char *gep = strstr (begin, GEP);
    if (gep)
      return g_strdup (gep + strlen (GEP));
  }
  return g_strdup ("i8");
}

typedef struct { GHashTable *types; GString *out; const char *text; gboolean failed; } Typing;

static const char *
type_of (Typing *t, const char *name)
{
  const char *type = g_hash_table_lookup (t->types, name);
  if (!type)
    t->failed = TRUE;
  return type ? type : "i8";
}

static void
type_signature (Typing *t, const char *line)
{
  for (const char *at = line; ; ) {
    const char *pointer = strstr (at, "ptr ");
    if (!pointer)
      break;
    const char *argument = strchr (pointer, '%');
    if (!argument)
      break;
    char *name = name_at (argument), *type = ls_pointee (t->text, name);
    g_hash_table_insert (t->types, name, type);
    g_string_append_len (t->out, at, pointer - at);
    g_string_append_printf (t->out, "%s*%.*s", type, (int) (argument - pointer - 3), pointer + 3);
    g_string_append (t->out, name);
    at = argument + strlen (name);
    line = at;
  }
  g_string_append_printf (t->out, "%s\n", line);
}

static void
type_gep (Typing *t, const char *line, const char *gep)
{
  const char *type = gep + strlen (GEP), *pointer = strstr (type, ", ptr ");
  if (!pointer) {
    t->failed = TRUE;
    return;
  }
  char *element = g_strndup (type, (gsize) (pointer - type)), *name = name_at (line + strspn (line, " "));
  g_string_append_printf (t->out, "%.*s, %s* %s\n", (int) (pointer - line), line, element, pointer + strlen (", ptr "));
  if (*element == '[') {      /* of an array: a pointer to one of its elements */
    char *of = strstr (element, " x ");
    g_hash_table_insert (t->types, name, of ? g_strndup (of + 3, strcspn (of + 3, "]")) : g_strdup ("i8"));
    g_free (element);
  } else
    g_hash_table_insert (t->types, name, element);
}

/* The array has a name of its own, and its name is that of its first element. */
static void
type_array (Typing *t, const char *line, const char *array)
{
  char *name = name_at (line + strspn (line, " "));
  g_autofree char *type = g_strndup (array, strcspn (array, "]") + 1);
  const char *rest = strstr (array, "!dbg");
  g_string_append_printf (t->out, "  %s.array = alloca %s\n  %s = " GEP "%s, %s* %s.array, i64 0, i64 0, %s\n", name, array, name, type,
                          type, name, rest ? rest : "");
  g_hash_table_insert (t->types, name, ls_pointee (t->text, name));
}

/* type: of what is loaded or stored. */
static void
type_access (Typing *t, const char *line, const char *type)
{
  const char *pointer = NULL;
  for (const char *at = line; (at = strstr (at, ", ptr ")); at++)
    pointer = at;
  g_autofree char *name = pointer ? name_at (pointer + strlen (", ptr ")) : NULL;
  if (!name) {
    t->failed = TRUE;
    return;
  }
  const char *have = type_of (t, name), *rest = pointer + strlen (", ptr ") + strlen (name), *debug = strstr (rest, "!dbg");
  gboolean same = strcmp (have, type) == 0;
  if (!same)
    g_string_append_printf (t->out, "  %s.as = bitcast %s* %s to %s*, %s\n", name, have, name, type, debug ? debug : "");
  g_string_append_printf (t->out, "%.*s, %s* %s%s%s\n", (int) (pointer - line), line, type, name, same ? "" : ".as", rest);
}

/* "float", "<4 x float>" at the beginning of a text. */
static char *
type_at (const char *text)
{
  return g_strndup (text, *text == '<' ? strcspn (text, ">") + 1 : strcspn (text, " ,"));
}

char *
ls_typed_pointers (const char *text)
{
  Typing t = { g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free), g_string_new (NULL), text, FALSE };
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (char **at = lines; *at && !t.failed; at++) {
    const char *line = *at, *gep = strstr (line, " = " GEP), *load = strstr (line, " = load "), *array = strstr (line, " = alloca ");
    g_autofree char *type = load ? type_at (load + strlen (" = load ")) : g_str_has_prefix (line, "  store ") ? type_at (line + 8) : NULL;
    if (g_str_has_prefix (line, "define void"))
      type_signature (&t, line);
    else if (gep)
      type_gep (&t, line, gep + 3);
    else if (array)
      type_array (&t, line, array + strlen (" = alloca "));
    else if (type)
      type_access (&t, line, type);
    else
      g_string_append_printf (t.out, "%s\n", line);
  }
  g_hash_table_unref (t.types);
  return g_string_free (t.out, t.failed);
}
