/* Texts line by line: their common lines, several texts side by side, and differences within a line. */
#pragma once
#include <glib.h>

/* For each string of b the index of the string of a that it continues, -1: none; a longest common subsequence, unless so few strings are
 * equal that it would take long. Free with g_free. */
int *ls_line_match (char *const *a, guint n, char *const *b, guint m);

/* All lines of both, each after ' ' (in both), '-' (in a) or '+' (in b); "" where the texts are equal. Free with g_free. */
char *ls_text_diff (const char *a, const char *b);

typedef enum { LS_LINE_SAME, LS_LINE_DIFFERS, LS_LINE_MISSING } LsLineState;
/* A row of a column: its line (index), -1: a gap; state: against the first column's line of the row. */
typedef struct { int line; LsLineState state; } LsLineCell;
/* Two lines are alike if more than this share of their words is common to both. The first word, which says what a line does (an op, an
 * instruction, a type), counts twice. Measured on the lines that differ between variants of eight kernels (default, NOOPT, classic,
 * modern, vectors): at 0.5, 91 % of the pairs of rows with the same op are alike, and none with different ops; at 0.45, 7 % of the
 * latter; at 0.65, 53 % of the former. In machine code, 0.4 % of the pairs with different instructions are alike. */
#define LS_LINE_ALIKE 0.5
/* Rows × columns of cells, row by row. Equal and similar lines share a row; a line without a partner has its own row, with gaps in the
 * other columns. Free with g_array_unref. */
GArray *ls_line_align (char **const *columns, guint n_columns, guint *n_rows);

/* Bytes of b that are not in a (pairs of guint, from and to), in words. Free with g_array_unref. */
typedef struct { guint from, to; } LsLineSpan;
GArray *ls_line_words (const char *a, const char *b);
