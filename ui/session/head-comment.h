/* A program's head comment: the lines that begin with # before anything else. It says what the program is about, and may say where
 * one is to land in its recording:
 *   # kernel: r_64_64_64       a kernel, by name (the first of that name) or number
 *   # opens at: 3/simplify/9   a position, as links have it
 */
#pragma once
#include <glib.h>

/* Its words on one line, without the lines that say where to land. Free with g_free. */
char *ls_head_comment_words (const char *text);
/* The text after "key:" on a line of it, or NULL. Free with g_free. */
char *ls_head_comment_value (const char *text, const char *key);
