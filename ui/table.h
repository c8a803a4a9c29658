/* LsTable: a GtkColumnView over rows of plain text, for timings, values and decisions. */
#pragma once
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define LS_TYPE_TABLE (ls_table_get_type ())
G_DECLARE_FINAL_TYPE (LsTable, ls_table, LS, TABLE, GtkWidget)

typedef struct { const char *title; gboolean number, expand; } LsTableColumn;

/* Signal "row-activated" (guint id): the user chose a row by double click or Enter. */
LsTable *ls_table_new     (const char *name, const LsTableColumn *columns, guint n_columns, const char *when_empty);
void     ls_table_clear   (LsTable *self);
/* Adds a row; cells (n_columns of them) are taken over, NULL is an empty cell. Rows appear with ls_table_show. */
void     ls_table_add     (LsTable *self, guint id, char **cells);
void     ls_table_show    (LsTable *self);
guint    ls_table_n_rows  (LsTable *self);
const char *ls_table_cell (LsTable *self, guint row, guint column);

G_END_DECLS
