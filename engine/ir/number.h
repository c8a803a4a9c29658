#pragma once

#include <glib.h>

/* Numbers that stand among other text; a text that is a number and nothing else is GLib's to read (g_ascii_string_to_unsigned). Each
 * takes the number at *p and moves *p behind it. FALSE, with *p and *out unchanged: there is no digit, or the number is out of bounds.
 * Spaces and "+" are not part of a number. */
gboolean ls_number_uint  (const char **p, guint base, guint64 most, guint64 *out);
gboolean ls_number_int   (const char **p, gint64 least, gint64 most, gint64 *out);      /* digits, or "-" and digits */
gboolean ls_number_float (const char **p, double *out);      /* as C writes it; "-" may come first, "inf" and "nan" are words */

/* The number at the first digit of a name, 0 where it has none: "gidx12" is 12. prefix: how long the name is before it; may be NULL. */
guint64  ls_number_of_name (const char *name, gsize *prefix);
