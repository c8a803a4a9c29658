/* LsTable: a list of rows of plain text in columns, for timings, values and decisions.
 *
 * A click on a title sorts the rows by that column, the next one the other way, a third one gives the caller's order back; rows keep
 * their numbers for the caller. Ctrl+Shift+F opens an entry: rows are shown if a cell contains its text. Ctrl+C copies the chosen row,
 * or all where rows are not chosen, Ctrl+Alt+C all that are shown, with the titles and tabs between the cells.
 */
#pragma once
#include <gtk/gtk.h>
#include "text.h"

#define LS_TYPE_TABLE (ls_table_get_type ())
G_DECLARE_FINAL_TYPE (LsTable, ls_table, LS, TABLE, GtkWidget)

/* wrap: what does not fit goes on in the next line, and a text may have several lines; bar: texts are percentages, drawn as bars. least:
 * pixels that the column has at least; short_title: it does not make the column wider; top: texts begin at
 * the top of their row. */
typedef struct { const char *title; gboolean number, expand, wrap, bar; int least; gboolean short_title, top; } LsTableColumn;
/* The text of a cell (NULL is an empty one), asked for when it comes into view; freed by the table. */
typedef char *(*LsTableCell) (LsTable *table, guint row, guint column);

/* Signal "row-activated" (guint row): the user chose a row by double click or Enter. columns stay the caller's. */
LsTable *ls_table_new      (const char *name, const LsTableColumn *columns, guint n_columns, LsTableCell cell, const char *when_empty);
/* A click on a row is "row-activated": rows lead somewhere. */
void     ls_table_set_links (LsTable *self);
/* A click on a title is the signal "head-activated" (guint column), and sorts nothing. */
void     ls_table_set_heads (LsTable *self);
/* One row can be chosen: signal "row-chosen" (guint row) says that the user did. */
void     ls_table_set_choosable (LsTable *self);
/* Marks a row and shows it; GTK_INVALID_LIST_POSITION: none. */
void     ls_table_choose   (LsTable *self, guint row);
/* Scrolls there, with rows behind it as far as there is room, and chooses nothing. */
void     ls_table_show_row (LsTable *self, guint row, guint after);
guint    ls_table_get_chosen (LsTable *self);      /* or GTK_INVALID_LIST_POSITION */
/* Cells are code: monospace, close together. Their order has a meaning, so that they are not sorted. */
void     ls_table_set_code  (LsTable *self);
/* Any number of rows can be marked: marked is asked for rows in view, now and whenever ls_table_update_marks is called. */
typedef gboolean (*LsTableMarked) (LsTable *table, guint row);
void     ls_table_set_marked (LsTable *self, LsTableMarked marked);
/* Rows that are still to come, asked for likewise, are faint. */
void     ls_table_set_pending (LsTable *self, LsTableMarked pending);
/* Rows whose texts go on in further lines where they do not fit, asked for likewise; in other rows those of columns with wrap do. */
void     ls_table_set_wrapped (LsTable *self, LsTableMarked wrapped);
void     ls_table_update_marks (LsTable *self);
/* Parts of a cell's text are in colours of their own: paint says which, of at most LS_TABLE_SPANS, and how many they are. */
#define LS_TABLE_SPANS 16
typedef guint (*LsTablePaint) (LsTable *table, guint row, guint column, const char *text, LsTextSpan *spans);
void     ls_table_set_paint (LsTable *self, LsTablePaint paint);
/* Texts of a column are indented: around says by how many levels, at most LS_TABLE_LEVELS, and of each the colour of its line (a name of
 * the style sheet, or NULL: none). */
#define LS_TABLE_LEVELS 16
typedef guint (*LsTableAround) (LsTable *table, guint row, const char **colors);
void     ls_table_set_around (LsTable *self, guint column, LsTableAround around);
const LsTableColumn *ls_table_get_column (LsTable *self, guint column);
/* Data for the functions of the table; freed with it. */
void     ls_table_set_data  (LsTable *self, gpointer data, GDestroyNotify free);
gpointer ls_table_get_data  (LsTable *self);
/* For assistive technology. */
void     ls_table_set_name (LsTable *self, const char *name);
/* The text shown if there are no rows. */
const char *ls_table_get_when_empty (LsTable *self);
void     ls_table_set_when_empty (LsTable *self, const char *text);
void     ls_table_show_column (LsTable *self, guint column, gboolean shown);
/* Sorts by a column, as a click on its title does. */
void     ls_table_sort      (LsTable *self, guint column);
/* Shows the rows with a cell that contains the text, ignoring case; NULL or "": all. Code is shown whole. */
void     ls_table_filter    (LsTable *self, const char *text);
guint    ls_table_n_shown   (LsTable *self);
/* The text that Ctrl+C copies, or with all Ctrl+Alt+C. Free with g_free. */
char    *ls_table_copy_text (LsTable *self, gboolean all);
/* Shows n new rows. */
void     ls_table_set_rows (LsTable *self, guint n);
