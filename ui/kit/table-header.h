/* The titles over a table, where the rows' cells are, however far the rows are scrolled. The line between two titles can be drawn. */
#pragma once
#include "cells.h"

#define LS_TYPE_TABLE_HEADER (ls_table_header_get_type ())
G_DECLARE_FINAL_TYPE (LsTableHeader, ls_table_header, LS, TABLE_HEADER, GtkWidget)

/* Signals "column-drawn" (guint column, int width): the user wants it so many pixels wide; "column-clicked" (guint column): its title
 * was clicked. */
LsTableHeader *ls_table_header_new         (GtkAdjustment *horizontal, guint spacing);
/* The next column; title is copied. cut: a title without room keeps both ends, and is the tooltip. */
void           ls_table_header_append      (LsTableHeader *self, const char *title, gboolean number, gboolean cut);
/* Marks a column as the one that rows are sorted by, or none (column n). */
void           ls_table_header_set_sorted  (LsTableHeader *self, guint column, gboolean descending);
/* The pixels that a title takes. */
int            ls_table_header_title_width (LsTableHeader *self, guint column);
/* Least widths and flags of all columns, as the rows have them. */
void           ls_table_header_set_columns (LsTableHeader *self, const LsColumn *columns);
