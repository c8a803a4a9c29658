/* Two texts line by line. */
#pragma once
#include <glib.h>

G_BEGIN_DECLS

/* All lines of both, each after ' ' (in both), '-' (in a) or '+' (in b); "" where the texts are equal. Free with g_free. */
char *ls_text_diff (const char *a, const char *b);

G_END_DECLS
