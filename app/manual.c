/* Prints a manual made of the answers (answers.def). With a template: it, with each @KEYS NAME@ replaced by the keys of that answer's
 * JSON. Without: lazyscope-json(5), the meaning of each key. */
#include "answer/answer.h"

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

/* --- the meaning of each key --- */

static void
print_escaped (const char *text)
{
  for (const char *p = text; *p; p++)
    fputs (*p == '\\' ? "\\e" : *p == '-' ? "\\-" : (char[]) { *p, '\0' }, stdout);
}

/* FALSE: a field has no sentence. */
static gboolean
print_fields (const LsRecord *record)
{
  gboolean ok = TRUE;
  for (guint i = 0; i < record->n; i++) {
    const LsField *f = &record->fields[i];
    if (f->only_text)
      continue;
    if (!*f->sentence) {
      fprintf (stderr, "manual: %s.%s has no sentence\n", record->name, f->name);
      ok = FALSE;
    }
    fputs (".TP\n.B ", stdout);
    print_escaped (f->name);
    if (f->kind == LS_CELL_RATIO)
      printf (" (%s_low, %s_high)", f->name, f->name);
    putchar ('\n');
    print_escaped (f->sentence);
    puts (g_str_has_suffix (f->sentence, ".") ? "" : ".");
    if (f->of) {
      puts (".RS");
      ok = print_fields (f->of) && ok;
      puts (".RE");
    }
  }
  return ok;
}

static int
print_json_page (void)
{
  gboolean ok = TRUE;
  puts (".TH LAZYSCOPE-JSON 5\n.SH NAME\nlazyscope\\-json \\- the keys of the output of lazyscope\\-cli \\-\\-json\n.SH "
        "DESCRIPTION\nEach command with its keys, those of an object or of the objects of a list below it. With\n.B \\-\\-csv\nthe "
        "keys of one list are the columns.\nA node is an object of its\n.IR id ,\n.IR op ,\n.I dtype\nand\n.IR summary .\nNumbers that "
        "are not finite are \"nan\", \"inf\" and \"\\-inf\"; integers from 2^63 on are strings of their digits.");
  for (gsize i = 0; i < G_N_ELEMENTS (answers); i++) {
    if (i == 0 || strcmp (answers[i].name, answers[i - 1].name) != 0) {
      fputs (".SH ", stdout);
      print_escaped (answers[i].name);
      putchar ('\n');
    }
    ok = print_fields (answers[i].record) && ok;
  }
  puts (".SH SEE ALSO\n.BR lazyscope\\-cli (1)");
  return ok ? 0 : 1;
}

int
main (int argc, char **argv)
{
  g_autofree char *template = NULL;
  g_autoptr (GError) error = NULL;
  if (argc == 1)
    return print_json_page ();
  if (argc != 2 || !g_file_get_contents (argv[1], &template, NULL, &error)) {
    fprintf (stderr, "manual: %s\n", error ? error->message : "usage: manual [TEMPLATE]");
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
