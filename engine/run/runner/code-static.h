/* Whether code can remember its earlier calls. */
#pragma once
#include <glib.h>

/* Bytes of variables in a shared object that are written and that its source declared (static or global); 0 also where the object
 * does not say. */
gsize ls_code_static_bytes (const char *object);
