/* Code of a shared object that runs when it is loaded or unloaded. */
#pragma once
#include <glib.h>

/* TRUE also where the object cannot be read. */
gboolean ls_code_runs_early (const char *object);
