/* The language of pages: that of who makes them. */
#pragma once
#include <glib.h>

#define GETTEXT_PACKAGE "lazyscope"      /* the catalogues' name */

/* Where the catalogues are: beside an executable of the build, or where they are installed to. Free with g_free. */
char *ls_words_folder   (void);
/* From now on texts that are marked are those of the locale. A program that speaks one language asks for it where it makes a page. */
void  ls_words_bind     (void);
/* From now on they are English. */
void  ls_words_unbind   (void);
/* "en", "de": what they are in now. Free with g_free. */
char *ls_words_language (void);
/* An object of JSON: of each text that a script marks by _('…') what stands for it, where that is another. */
char *ls_words_of       (const char *script);
