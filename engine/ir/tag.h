/* Tags of nodes: a number, or a text; 0 is no tag. Nodes that differ in their tags alone are different nodes. */
#pragma once
#include <glib.h>

/* Numbers below it are tags as they are; from there on the process numbers the texts in the order in which it meets them. No file has
 * such a number. */
#define LS_TAG_TEXTS 0x8000

/* The tag of a text; 0: there are too many different texts (over 32,000). */
guint16     ls_tag_of_text (const char *text);
/* The text of a tag, which stays, or NULL: it is a number. */
const char *ls_tag_text    (guint16 tag);
/* "2", "'seen'": reads back with ls_tag_parse. Free with g_free. */
char       *ls_tag_print   (guint16 tag);
/* FALSE: it is neither a number below LS_TAG_TEXTS nor a text in quotes. */
gboolean    ls_tag_parse   (const char *text, guint16 *tag);
