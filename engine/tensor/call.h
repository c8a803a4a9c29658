/* Calls of the Tensor API, as a recording keeps them. */
#pragma once
#include <glib.h>

/* An API call; parent is the index of the call that made it, or -1; node the id of its result or G_MAXUINT32. */
typedef struct { gint parent; guint statement; guint line, column; const char *name, *args; guint32 node; } LsCall;
/* node was made during call (the innermost one). */
typedef struct { guint32 node, call; } LsNodeCall;
