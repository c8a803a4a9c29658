/* Shared by the printers and parsers of ir/. */
#pragma once
#include "print.h"

/* Appends the text of a value of that dtype: True and False for bool, uint64 without a sign, floats as short as their dtype allows. */
void     ls_print_value    (GString *out, LsDType dtype, LsArg arg);
/* Appends ls_arg_print's text. */
void     ls_print_arg      (GString *out, LsArg arg);
/* The value of a text in quotes, as arguments have it, or NULL: it is not one. Free with g_free. */
char    *ls_string_parse  (const char *text);
/* Appends ls_uop_arg_print's text. */
void     ls_print_uop_arg  (GString *out, const LsUOp *u);

/* A cursor over text that a person may have written: errors carry line and column. */
typedef struct {
  const char *text, *p;
  const char *what;     /* "listing", for messages */
  GError    **error;
} LsScan;

gboolean ls_scan_fail  (LsScan *s, const char *format, ...) G_GNUC_PRINTF (2, 3);
void     ls_scan_space (LsScan *s);
/* Skips spaces and tabs, then takes literal when it is next. */
gboolean ls_scan_take  (LsScan *s, const char *literal);
/* ls_scan_take, or an error. */
gboolean ls_scan_need  (LsScan *s, const char *literal);
/* An unsigned number of up to 9 digits; FALSE without an error when there is none. */
gboolean ls_scan_uint  (LsScan *s, guint *out);
/* The text up to one of the characters of stop (or the end) outside of parentheses, brackets and quotes, without trailing spaces.
 * Free with g_free. */
char    *ls_scan_until (LsScan *s, const char *stop);
/* "Ops.NAME". */
gboolean ls_scan_op    (LsScan *s, LsOp *out);
