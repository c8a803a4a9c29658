/* A program's text, its lines, and reports about places in it. */
#pragma once
#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  const char *text;        /* valid UTF-8 */
  gsize       length;
  const char *filename;
  GArray     *lines;       /* guint32: where each line begins */
} LsSource;

void  ls_source_init  (LsSource *source, const char *text, gsize length, const char *filename);
void  ls_source_clear (LsSource *source);
/* Line and column (in characters), both from 1, of a byte offset. */
void  ls_source_place (const LsSource *source, guint32 offset, guint *line, guint *column);
/* "FILE:LINE:COLUMN: error: MESSAGE", the line, a caret, and the hint where there is one. Free with g_free. */
char *ls_source_report (const LsSource *source, guint32 offset, const char *message, const char *hint);
/* The candidate that name was probably meant to be, or NULL. candidates ends with NULL. */
const char *ls_closest_name (const char *name, const char *const *candidates);

G_END_DECLS
