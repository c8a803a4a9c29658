/* Sentences that can be translated: a template and its values, kept apart until somebody reads them.
 *
 * A template is a format of printf, in English; each conversion is a slot, whose type the conversion names. A sentence is one text:
 * the template, then each value as its slot prints it, separated by LS_SENTENCE_MARK. One without slots is its template, in which
 * % stands for itself, so that any plain text is a sentence. The template is the key in the
 * catalogues of translations; a translation may order slots by "%2$s". A value may be an English text that is an instance of a template. */
#pragma once
#include <glib.h>
#include <stdarg.h>

#define LS_SENTENCE_MARK '\x1f'
/* Marks a template that is not given to ls_sentence() where it stands, for the tool that gathers templates. */
#define LS_TEMPLATE(text) text

/* Values must not be sentences with slots themselves. Free with g_free. */
char *ls_sentence       (const char *template, ...) G_GNUC_PRINTF (1, 2);
char *ls_sentence_v     (const char *template, va_list args) G_GNUC_PRINTF (1, 0);
/* In English, for files, JSON and CSV; a slot without a value is left empty. Free with g_free. */
char *ls_sentence_text  (const char *sentence);
/* In the reader's language, for windows, pages and the terminal. A text whose template was not kept (an error, a reason that JSON has
 * too) is shown by the template that it is an instance of, each line and what follows a colon by itself; by none, it stays as it is.
 * Free with g_free. */
char *ls_sentence_shown (const char *sentence);
/* Both at once, at the end of out; shown: in the reader's language. */
void  ls_sentence_append (GString *out, gboolean shown, const char *template, ...) G_GNUC_PRINTF (3, 4);
/* Without slots, in the reader's language: the argument, or a text that stays. */
const char *ls_shown    (const char *template);
/* What translates a template (gettext of the program's domain), and all n templates that texts may be instances of. NULL, the state at
 * first: nothing is translated. Set before other threads begin. */
void  ls_sentence_set_language (const char *(*translate) (const char *template), const char *const *templates, guint n);
