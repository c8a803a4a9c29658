/* The signature of a kernel that was written by hand. */
#pragma once
#include <glib.h>

G_BEGIN_DECLS

/* Does the text define a function of the parameters that the kernel in `like` takes? The one of the kernel's name, else the only one. FALSE with LS_ERROR_USAGE: both signatures. *name is the
 * function's; free with g_free. */
gboolean ls_signature_check (const char *text, const char *file, const char *like, char **name, GError **error);

G_END_DECLS
