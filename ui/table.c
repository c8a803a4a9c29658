/* A table of texts: columns by a plain description, rows replaced as a whole. Numbers stand right and in tabular figures. */
#include "table.h"

#define LS_TYPE_TABLE_ROW (ls_table_row_get_type ())
G_DECLARE_FINAL_TYPE (LsTableRow, ls_table_row, LS, TABLE_ROW, GObject)
struct _LsTableRow {
  GObject parent_instance;
  guint   id, n;
  char  **cells;
};
G_DEFINE_FINAL_TYPE (LsTableRow, ls_table_row, G_TYPE_OBJECT)

static void
ls_table_row_finalize (GObject *object)
{
  LsTableRow *row = LS_TABLE_ROW (object);
  for (guint i = 0; i < row->n; i++)
    g_free (row->cells[i]);
  g_free (row->cells);
  G_OBJECT_CLASS (ls_table_row_parent_class)->finalize (object);
}

static void
ls_table_row_class_init (LsTableRowClass *class)
{
  G_OBJECT_CLASS (class)->finalize = ls_table_row_finalize;
}

static void ls_table_row_init (LsTableRow *row) {}

struct _LsTable {
  GtkWidget      parent_instance;
  GtkWidget     *stack;
  GtkColumnView *view;
  GListStore    *rows;
  GPtrArray     *pending;
  guint          n_columns;
};

G_DEFINE_FINAL_TYPE (LsTable, ls_table, GTK_TYPE_WIDGET)

enum { ROW_ACTIVATED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
setup_cell (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer column)
{
  const LsTableColumn *c = column;
  GtkWidget *label = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (label), c->number ? 1 : 0);
  gtk_label_set_single_line_mode (GTK_LABEL (label), TRUE);
  if (c->number)
    gtk_widget_add_css_class (label, "numeric");
  if (c->expand) {
    gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
    gtk_label_set_width_chars (GTK_LABEL (label), 13);
  }
  gtk_list_item_set_child (item, label);
}

static void
bind_cell (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  guint column = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (factory), "column"));
  LsTableRow *row = gtk_list_item_get_item (item);
  GtkLabel *label = GTK_LABEL (gtk_list_item_get_child (item));
  const char *text = row->cells[column] ? row->cells[column] : "";
  gtk_label_set_text (label, text);
  if (gtk_label_get_ellipsize (label) != PANGO_ELLIPSIZE_NONE)
    gtk_widget_set_tooltip_text (GTK_WIDGET (label), text);
}

static void
on_activate (LsTable *self, guint position)
{
  g_autoptr (LsTableRow) row = g_list_model_get_item (G_LIST_MODEL (self->rows), position);
  if (row)
    g_signal_emit (self, signals[ROW_ACTIVATED], 0, row->id);
}

LsTable *
ls_table_new (const char *name, const LsTableColumn *columns, guint n_columns, const char *when_empty)
{
  LsTable *self = g_object_new (LS_TYPE_TABLE, NULL);
  self->n_columns = n_columns;
  gtk_widget_set_name (GTK_WIDGET (self->view), name);
  for (guint i = 0; i < n_columns; i++) {
    GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
    g_object_set_data (G_OBJECT (factory), "column", GUINT_TO_POINTER (i));
    g_signal_connect (factory, "setup", G_CALLBACK (setup_cell), (gpointer) &columns[i]);
    g_signal_connect (factory, "bind", G_CALLBACK (bind_cell), NULL);
    g_autoptr (GtkColumnViewColumn) column = gtk_column_view_column_new (columns[i].title, factory);
    gtk_column_view_column_set_expand (column, columns[i].expand);
    gtk_column_view_column_set_resizable (column, TRUE);
    gtk_column_view_append_column (self->view, column);
  }
  GtkWidget *empty = gtk_label_new (when_empty);
  gtk_label_set_wrap (GTK_LABEL (empty), TRUE);
  gtk_widget_add_css_class (empty, "dim-label");
  gtk_stack_add_named (GTK_STACK (self->stack), empty, "empty");
  ls_table_show (self);
  return self;
}

void
ls_table_clear (LsTable *self)
{
  g_ptr_array_set_size (self->pending, 0);
}

void
ls_table_add (LsTable *self, guint id, char **cells)
{
  LsTableRow *row = g_object_new (LS_TYPE_TABLE_ROW, NULL);
  row->id = id;
  row->n = self->n_columns;
  row->cells = g_memdup2 (cells, self->n_columns * sizeof *cells);
  g_ptr_array_add (self->pending, row);
}

void
ls_table_show (LsTable *self)
{
  g_list_store_splice (self->rows, 0, g_list_model_get_n_items (G_LIST_MODEL (self->rows)), self->pending->pdata, self->pending->len);
  gtk_stack_set_visible_child_name (GTK_STACK (self->stack), self->pending->len ? "table" : "empty");
}

guint
ls_table_n_rows (LsTable *self)
{
  return g_list_model_get_n_items (G_LIST_MODEL (self->rows));
}

const char *
ls_table_cell (LsTable *self, guint row, guint column)
{
  g_autoptr (LsTableRow) r = g_list_model_get_item (G_LIST_MODEL (self->rows), row);
  return r && column < r->n ? r->cells[column] : NULL;      /* the model holds the row */
}

static void
ls_table_dispose (GObject *object)
{
  LsTable *self = LS_TABLE (object);
  g_clear_pointer (&self->stack, gtk_widget_unparent);
  g_clear_object (&self->rows);
  g_clear_pointer (&self->pending, g_ptr_array_unref);
  G_OBJECT_CLASS (ls_table_parent_class)->dispose (object);
}

static void
ls_table_class_init (LsTableClass *class)
{
  G_OBJECT_CLASS (class)->dispose = ls_table_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (class), GTK_TYPE_BIN_LAYOUT);
  signals[ROW_ACTIVATED] = g_signal_new ("row-activated", LS_TYPE_TABLE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void
ls_table_init (LsTable *self)
{
  self->rows = g_list_store_new (LS_TYPE_TABLE_ROW);
  self->pending = g_ptr_array_new_with_free_func (g_object_unref);
  self->stack = gtk_stack_new ();
  gtk_widget_set_parent (self->stack, GTK_WIDGET (self));
  GtkSelectionModel *model = GTK_SELECTION_MODEL (gtk_no_selection_new (G_LIST_MODEL (g_object_ref (self->rows))));
  self->view = GTK_COLUMN_VIEW (gtk_column_view_new (model));
  gtk_widget_add_css_class (GTK_WIDGET (self->view), "data-table");
  g_signal_connect_swapped (self->view, "activate", G_CALLBACK (on_activate), self);
  GtkWidget *scroll = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroll), GTK_WIDGET (self->view));
  gtk_stack_add_named (GTK_STACK (self->stack), scroll, "table");
}
