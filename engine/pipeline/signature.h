/* The signature of a kernel that was written by hand. */
#pragma once
#include <glib.h>

/* Does the text define a function of the parameters that the kernel in `like` takes? The one of the kernel's name, else the only one.
 * FALSE with LS_ERROR_USAGE: both signatures. *name is the function's; free with g_free. */
gboolean ls_signature_check (const char *text, const char *file, const char *like, char **name, GError **error);

/* Reads a file that takes the place of such a kernel's code. *text, *name: its text and its function's name; free with g_free. FALSE
 * with LS_ERROR_FILE, LS_ERROR_USAGE. */
gboolean ls_by_hand_read    (const char *file, const char *like, char **text, char **name, GError **error);
