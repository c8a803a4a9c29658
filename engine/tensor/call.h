/* Calls of the Tensor API, as a recording keeps them. */
#pragma once
#include <glib.h>

/* A call that touched tensors: one of the library's functions or of the program's own. parent: index of the call that made it, or -1;
 * statement: in whose turn. line and column (from 1; 0: not known): where the program's own text stands that led to it; file_line and
 * file_column: where it is called, in that file (-1: none that is recorded); def_line: where it is defined. node: id of the last node
 * that it made or asked for, or G_MAXUINT32. */
typedef struct {
  gint parent;
  guint statement;
  guint line, column;
  const char *name, *args;
  guint32 node;
  gint file;
  guint file_line, file_column;
  gint def_file;
  guint def_line;
} LsCall;
/* node was made during call (the innermost one), and so were the `more` nodes whose ids follow. */
typedef struct { guint32 node, call, more; } LsNodeCall;
