/* Sentences: templates with values, in English and in another language. */
#include "ir/sentence.h"

#include <string.h>

static const char *const templates[] = {
  "%s refused: %s", "the size of axis %u (%s) is not known", "Adding 0 changes nothing.", "%d of %li",
};

static const char *
to_test (const char *template)
{
  static const char *const pairs[][2] = {
    { "%d values of %s lie side by side", "von %2$s liegen %1$d Werte nebeneinander" },
    { "the size of axis %u (%s) is not known", "die Größe der Achse %u (%s) ist nicht bekannt" },
    { "%s refused: %s", "%s abgelehnt: %s" },
    { "Adding 0 changes nothing.", "0 zu addieren ändert nichts." },
    { "100 %% of %s", "100 %% von %s und %s" },
  };
  g_assert_cmpstr (template, !=, "");
  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    if (g_str_equal (template, pairs[i][0]))
      return pairs[i][1];
  return template;
}

static void
assert_said (const char *sentence, const char *english, const char *shown)
{
  g_autofree char *text = ls_sentence_text (sentence), *other = ls_sentence_shown (sentence);
  g_assert_cmpstr (text, ==, english);
  g_assert_cmpstr (other, ==, shown);
}

static void
test_text (void)
{
  g_autofree char *all = ls_sentence ("%s has %u of %li, %.2f%% [%*d] (%.3s) %c", "x", 3u, (long) -4,
                                                                                     12.345, 4, 7, "abcdef", 'z');
  assert_said ("Nothing to fill: 100 %.", "Nothing to fill: 100 %.", "Nothing to fill: 100 %.");
  assert_said (all, "x has 3 of -4, 12.35% [   7] (abc) z", "x has 3 of -4, 12.35% [   7] (abc) z");
  g_assert_nonnull (strchr (all, LS_SENTENCE_MARK));
  assert_said ("", "", "");
  assert_said ("%s and %s\x1fone", "one and ", "one and ");      /* a file may say anything */
  assert_said ("no slot\x1fone\x1ftwo", "no slot", "no slot");
}

static void
test_language (void)
{
  ls_sentence_set_language (to_test, templates, G_N_ELEMENTS (templates));
  g_autofree char *turned = ls_sentence ("%d values of %s lie side by side", 8, "data2"), *short_one = ls_sentence ("100 %% of %s", "it");
  assert_said (turned, "8 values of data2 lie side by side", "von data2 liegen 8 Werte nebeneinander");
  assert_said (short_one, "100 % of it", "100 % von it und ");      /* a slot that has no value is empty */
  assert_said ("Adding 0 changes nothing.", "Adding 0 changes nothing.", "0 zu addieren ändert nichts.");
  /* texts whose template was not kept */
  assert_said ("the size of axis 12 (x (y)) is not known", "the size of axis 12 (x (y)) is not known",
               "die Größe der Achse 12 (x (y)) ist nicht bekannt");
  assert_said ("UPCAST:0:4 refused: it is used", "UPCAST:0:4 refused: it is used", "UPCAST:0:4 abgelehnt: it is used");
  assert_said ("the size of axis all (x) is not known", "the size of axis all (x) is not known", "the size of axis all (x) is not known");
  /* in each other, after a colon, in lines, as a sentence of its own */
  assert_said ("UPCAST:0:4 refused: the size of axis 1 (i) is not known", "UPCAST:0:4 refused: the size of axis 1 (i) is not known",
               "UPCAST:0:4 abgelehnt: die Größe der Achse 1 (i) ist nicht bekannt");
  assert_said ("p.py:1: error: the size of axis 1 (i) is not known\n^^^", "p.py:1: error: the size of axis 1 (i) is not known\n^^^",
               "p.py:1: error: die Größe der Achse 1 (i) ist nicht bekannt\n^^^");
  assert_said ("The size of axis 1 (i) is not known.", "The size of axis 1 (i) is not known.",
               "Die Größe der Achse 1 (i) ist nicht bekannt.");
  assert_said ("3 of 4", "3 of 4", "3 of 4");      /* too little to know it by */
  assert_said ("another text", "another text", "another text");
  assert_said ("", "", "");
  g_assert_cmpstr (ls_shown (""), ==, "");
  g_assert_cmpstr (ls_shown ("Adding 0 changes nothing."), ==, "0 zu addieren ändert nichts.");
  g_autoptr (GString) out = g_string_new ("a"), in = g_string_new ("b");
  ls_sentence_append (out, TRUE, "%s refused: %s", "c", "d");
  ls_sentence_append (in, FALSE, "%s refused: %s", "c", "d");
  g_assert_cmpstr (out->str, ==, "ac abgelehnt: d");
  g_assert_cmpstr (in->str, ==, "bc refused: d");
  ls_sentence_set_language (NULL, NULL, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ir/sentence/text", test_text);
  g_test_add_func ("/ir/sentence/language", test_language);
  return g_test_run ();
}
