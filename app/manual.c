/* Prints the manual: the template with each @KEYS NAME@ replaced by the keys of that answer's JSON (answers.def). */
#include "answer/answer.h"
#include "ask/ask.h"
#include "measure/compare.h"
#include "measure/search.h"

#include <stdio.h>
#include <string.h>

#define A(name, record) extern const LsRecord record;
#include "answers.def"
#undef A

static const struct { const char *name; const LsRecord *record; } answers[] = {
#define A(name, record) { name, &record },
#include "answers.def"
#undef A
};

/* The keys of every answer of that name, in lines that are not too long to read. */
static char *
keys_of (const char *name)
{
  GString *out = g_string_new (NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (answers); i++) {
    g_autofree char *keys = strcmp (answers[i].name, name) == 0 ? ls_answer_keys (answers[i].record) : NULL;
    if (keys)
      g_string_append_printf (out, "%s%s", out->len ? ", " : "", keys);
  }
  for (gsize at = 120; at < out->len; at += 120)
    for (gsize i = at; i > at - 110; i--)
      if (out->str[i] == ' ') {
        out->str[i] = '\n';
        at = i;
        break;
      }
  return g_string_free (out, out->len == 0);
}

int
main (int argc, char **argv)
{
  g_autofree char *template = NULL;
  g_autoptr (GError) error = NULL;
  if (argc != 2 || !g_file_get_contents (argv[1], &template, NULL, &error)) {
    fprintf (stderr, "manual: %s\n", error ? error->message : "usage: manual TEMPLATE");
    return 2;
  }
  for (const char *at = template; *at; ) {
    const char *mark = strstr (at, "@KEYS "), *end = mark ? strchr (mark + 1, '@') : NULL;
    if (!end) {
      fputs (at, stdout);
      break;
    }
    g_autofree char *name = g_strndup (mark + strlen ("@KEYS "), (gsize) (end - mark) - strlen ("@KEYS ")), *keys = keys_of (name);
    if (!keys) {
      fprintf (stderr, "manual: answers.def has no answer named '%s'\n", name);
      return 1;
    }
    printf ("%.*s%s", (int) (mark - at), at, keys);
    at = end + 1;
  }
  return 0;
}
