/* A table of texts: columns by a plain description, cells asked for when they come into view, so that a long table costs what is seen
 * of it. Numbers stand right and in tabular figures. */
#include "table.h"
#include "index-model.h"
#include "list-scroll.h"
#include "text.h"
#include "tip.h"

#include <glib/gi18n.h>

struct _LsTable {
  GtkWidget      parent_instance;
  GtkWidget     *stack;
  GtkColumnView *view;
  LsIndexModel  *rows;
  LsTableCell    cell;
  LsTableMarked  marked;           /* NULL: no row is */
  GHashTable    *bound;            /* labels on screen -> row */
  GtkLabel      *empty;
  GtkSingleSelection *chosen;      /* NULL: rows are not chosen */
  gboolean       following;
  guint          n_rows;
  gboolean       waits;            /* to be seen, before rows are made */
  guint          wanted;           /* the row that is chosen then, or GTK_INVALID_LIST_POSITION */
};

G_DEFINE_FINAL_TYPE (LsTable, ls_table, GTK_TYPE_WIDGET)

enum { ROW_ACTIVATED, ROW_CHOSEN, N_SIGNALS };
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
    gtk_label_set_width_chars (GTK_LABEL (label), 9);
  }
  gtk_list_item_set_child (item, label);
}

/* The cell around a label carries the mark, so that the row is filled without gaps. */
static void
mark_cell (LsTable *self, GtkWidget *label, guint row)
{
  GtkWidget *cell = gtk_widget_get_parent (label);
  if (!cell)
    return;
  if (self->marked && self->marked (self, row))
    gtk_widget_add_css_class (cell, "chosen");
  else
    gtk_widget_remove_css_class (cell, "chosen");
}

static void
bind_cell (GtkSignalListItemFactory *factory, GtkListItem *item, LsTable *self)
{
  guint column = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (factory), "column"));
  GtkLabel *label = GTK_LABEL (gtk_list_item_get_child (item));
  g_autofree char *said = self->cell (self, ls_index_item_get (gtk_list_item_get_item (item)), column), *text = said ? ls_text_valid (said) : NULL;
  gtk_label_set_text (label, text ? text : "");
  if (gtk_label_get_ellipsize (label) != PANGO_ELLIPSIZE_NONE)
    ls_tip_set (GTK_WIDGET (label), text && *text ? text : NULL);
  guint row = ls_index_item_get (gtk_list_item_get_item (item));
  g_hash_table_insert (self->bound, label, GUINT_TO_POINTER (row));
  mark_cell (self, GTK_WIDGET (label), row);
}

static void
unbind_cell (GtkSignalListItemFactory *factory, GtkListItem *item, LsTable *self)
{
  if (self->bound)
    g_hash_table_remove (self->bound, gtk_list_item_get_child (item));
}

static void
on_activate (LsTable *self, guint position)
{
  g_signal_emit (self, signals[ROW_ACTIVATED], 0, position);
}

/* The title of a column of numbers stands over them, at the right. GTK 4.8 has no setting for it: a title is a box in a widget of the header's row. */
static void
align_titles (LsTable *self, const LsTableColumn *columns)
{
  GtkWidget *header = gtk_widget_get_first_child (GTK_WIDGET (self->view)), *title = header ? gtk_widget_get_first_child (header) : NULL;
  for (guint i = 0; title; i++, title = gtk_widget_get_next_sibling (title))
    if (columns[i].number && gtk_widget_get_first_child (title))
      gtk_widget_set_halign (gtk_widget_get_first_child (title), GTK_ALIGN_END);
}

LsTable *
ls_table_new (const char *name, const LsTableColumn *columns, guint n_columns, LsTableCell cell, const char *when_empty)
{
  LsTable *self = g_object_new (LS_TYPE_TABLE, NULL);
  self->cell = cell;
  gtk_widget_set_name (GTK_WIDGET (self->view), name);
  for (guint i = 0; i < n_columns; i++) {
    GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
    g_object_set_data (G_OBJECT (factory), "column", GUINT_TO_POINTER (i));
    g_signal_connect (factory, "setup", G_CALLBACK (setup_cell), (gpointer) &columns[i]);
    g_signal_connect_object (factory, "bind", G_CALLBACK (bind_cell), self, 0);
    g_signal_connect_object (factory, "unbind", G_CALLBACK (unbind_cell), self, 0);
    g_autoptr (GtkColumnViewColumn) column = gtk_column_view_column_new (_(columns[i].title), factory);
    gtk_column_view_column_set_expand (column, columns[i].expand);
    gtk_column_view_column_set_resizable (column, TRUE);
    gtk_column_view_append_column (self->view, column);
  }
  align_titles (self, columns);
  GtkWidget *empty = gtk_label_new (when_empty);
  self->empty = GTK_LABEL (empty);
  gtk_label_set_wrap (GTK_LABEL (empty), TRUE);
  gtk_widget_add_css_class (empty, "dim-label");
  gtk_stack_add_named (GTK_STACK (self->stack), empty, "empty");
  ls_table_set_rows (self, 0);
  return self;
}

static void
on_chosen (LsTable *self)
{
  guint row = gtk_single_selection_get_selected (self->chosen);
  if (!self->following && row != GTK_INVALID_LIST_POSITION)
    g_signal_emit (self, signals[ROW_CHOSEN], 0, row);
}

void
ls_table_set_choosable (LsTable *self)
{
  g_return_if_fail (!self->chosen);
  self->chosen = gtk_single_selection_new (NULL);
  gtk_single_selection_set_autoselect (self->chosen, FALSE);
  gtk_single_selection_set_can_unselect (self->chosen, TRUE);
  gtk_single_selection_set_model (self->chosen, G_LIST_MODEL (self->rows));
  gtk_column_view_set_model (self->view, GTK_SELECTION_MODEL (self->chosen));
  g_signal_connect_object (self->chosen, "notify::selected", G_CALLBACK (on_chosen), self, G_CONNECT_SWAPPED);
}

void
ls_table_choose (LsTable *self, guint row)
{
  g_return_if_fail (self->chosen);
  if (self->waits) {
    self->wanted = row < self->n_rows ? row : GTK_INVALID_LIST_POSITION;
    return;
  }
  if (gtk_single_selection_get_selected (self->chosen) == row)
    return;
  self->following = TRUE;
  gtk_single_selection_set_selected (self->chosen, row);
  self->following = FALSE;
  GtkWidget *list = gtk_widget_get_last_child (GTK_WIDGET (self->view));
  if (GTK_IS_LIST_VIEW (list))
    ls_list_scroll_to (GTK_LIST_VIEW (list), row);
}

guint
ls_table_get_chosen (LsTable *self)
{
  return !self->chosen ? GTK_INVALID_LIST_POSITION : self->waits ? self->wanted : gtk_single_selection_get_selected (self->chosen);
}

void
ls_table_set_code (LsTable *self)
{
  gtk_widget_add_css_class (GTK_WIDGET (self->view), "code-table");
}

void
ls_table_set_marked (LsTable *self, LsTableMarked marked)
{
  self->marked = marked;
  ls_table_update_marks (self);
}

void
ls_table_update_marks (LsTable *self)
{
  GHashTableIter iter;
  gpointer label, row;
  g_hash_table_iter_init (&iter, self->bound);
  while (g_hash_table_iter_next (&iter, &label, &row))
    mark_cell (self, label, GPOINTER_TO_UINT (row));
}

const char *
ls_table_get_when_empty (LsTable *self)
{
  return gtk_label_get_text (self->empty);
}

void
ls_table_set_when_empty (LsTable *self, const char *text)
{
  gtk_label_set_text (self->empty, text);
}

void
ls_table_show_column (LsTable *self, guint column, gboolean shown)
{
  g_autoptr (GtkColumnViewColumn) c = g_list_model_get_item (gtk_column_view_get_columns (self->view), column);
  if (c)
    gtk_column_view_column_set_visible (c, shown);
}

static void
show_rows (LsTable *self)
{
  self->waits = FALSE;
  self->following = TRUE;
  ls_index_model_set (self->rows, self->n_rows);
  self->following = FALSE;
  if (self->chosen && self->wanted != GTK_INVALID_LIST_POSITION)
    ls_table_choose (self, self->wanted);
}

/* A column view makes some hundred rows of widgets whatever is seen of them: a table that is not seen waits. */
void
ls_table_set_rows (LsTable *self, guint n)
{
  self->n_rows = n;
  gtk_stack_set_visible_child_name (GTK_STACK (self->stack), n ? "table" : "empty");
  self->waits = !gtk_widget_get_mapped (GTK_WIDGET (self));
  self->wanted = GTK_INVALID_LIST_POSITION;
  if (!self->waits)
    show_rows (self);
}

static void
on_map (LsTable *self)
{
  if (self->waits)
    show_rows (self);
}

static void
ls_table_dispose (GObject *object)
{
  LsTable *self = LS_TABLE (object);
  g_clear_pointer (&self->stack, gtk_widget_unparent);
  g_clear_object (&self->chosen);
  g_clear_object (&self->rows);
  g_clear_pointer (&self->bound, g_hash_table_unref);
  G_OBJECT_CLASS (ls_table_parent_class)->dispose (object);
}

static void
ls_table_class_init (LsTableClass *class)
{
  G_OBJECT_CLASS (class)->dispose = ls_table_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (class), GTK_TYPE_BIN_LAYOUT);
  signals[ROW_CHOSEN] = g_signal_new ("row-chosen", LS_TYPE_TABLE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
  signals[ROW_ACTIVATED] = g_signal_new ("row-activated", LS_TYPE_TABLE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void
ls_table_init (LsTable *self)
{
  g_signal_connect (self, "map", G_CALLBACK (on_map), NULL);
  self->rows = ls_index_model_new ();
  self->bound = g_hash_table_new (NULL, NULL);
  self->stack = g_object_new (GTK_TYPE_STACK, "hhomogeneous", FALSE, "vhomogeneous", FALSE, NULL);      /* hidden pages are not measured */
  gtk_widget_set_parent (self->stack, GTK_WIDGET (self));
  GtkSelectionModel *model = GTK_SELECTION_MODEL (gtk_no_selection_new (G_LIST_MODEL (g_object_ref (self->rows))));
  self->view = GTK_COLUMN_VIEW (gtk_column_view_new (model));
  gtk_widget_add_css_class (GTK_WIDGET (self->view), "data-table");
  g_signal_connect_swapped (self->view, "activate", G_CALLBACK (on_activate), self);
  GtkWidget *scroll = gtk_scrolled_window_new ();
  gtk_widget_add_css_class (scroll, "table-scroll");      /* shaded at the side where columns are out of sight */
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroll), GTK_WIDGET (self->view));
  gtk_stack_add_named (GTK_STACK (self->stack), scroll, "table");
}
