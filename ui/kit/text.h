/* Numbers, times and files as the window's labels write them. All free with g_free. */
#pragma once
#include <gio/gio.h>

/* Bytes of a text in a colour of the style sheet, whose name the caller keeps. */
typedef struct { guint from, to; const char *color; } LsTextSpan;

char *ls_text_ns      (double ns);               /* "0.4 µs", "1.24 ms", "3.1 s" */
char *ls_text_age     (gint64 seconds);          /* "just now", "3 hours ago", "2 years ago" */
char *ls_text_count   (guint64 n);               /* "16,777,216" */
char *ls_text_number  (double value);            /* at most six significant digits */
/* At most max bytes' worth of whole characters of text, with … where it was cut; control characters shown as blanks. */
char *ls_text_cut     (const char *text, gsize max);
/* Lines of at most width characters, broken at blanks where there are any; at least one. Free with g_strfreev. */
char **ls_text_wrap   (const char *text, guint width);
/* *text becomes a copy of value, which may be NULL; what it was is freed. (GLib has it from 2.76 on.) */
void  ls_text_set     (char **text, const char *value);
/* Text that GTK accepts whatever a file held. */
char *ls_text_valid   (const char *text);
