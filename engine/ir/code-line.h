/* Which line of source machine code came from: what the runner finds out and a recording keeps. */
#pragma once
#include <glib.h>

/* From offset in a kernel's code on it belongs to that line of its source, from 1; 0: to none. */
typedef struct { guint32 offset, line; } LsCodeLine;
