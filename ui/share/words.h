/* The language of pages: that of who makes them. */
#pragma once
#include <glib.h>

#define GETTEXT_PACKAGE "lazyscope"      /* the catalogues' name */

/* The folder of the catalogues: next to an executable of the build, or where they are installed. Free with g_free. */
char *ls_words_folder   (void);
/* From now on texts that are marked are those of the locale. A program that speaks one language asks for it where it makes a page. */
void  ls_words_bind     (void);
/* From now on they are English. */
void  ls_words_unbind   (void);
/* "en", "de": what they are in now. Free with g_free. */
char *ls_words_language (void);
/* An object of JSON: for each text that a script marks by _('…') its translation, if it differs. */
char *ls_words_of       (const char *script);
