/* A table of texts: columns by a plain description, a row one widget (cells.h), texts requested when rows come into view, so that a long
 * table costs only its visible part. Numbers are right-aligned and in tabular figures. A column is as wide as its title and the longest
 * of its texts that were seen, or as the user drew it.
 */
#include "table.h"
#include "class.h"
#include "accessible.h"
#include "cells.h"
#include "index-model.h"
#include "list-rows.h"
#include "list-scroll.h"
#include "table-header.h"
#include "text.h"

#include <glib/gi18n.h>
#include <string.h>

#define SAMPLE  100      /* rows looked at for the widths before any is shown */
#define SPACING 10       /* pixels between two columns */

/* The facts about a column's width, in pixels unless stated otherwise. */
typedef struct {
  glong    longest;      /* of its texts that were seen, as guessed_width has it */
  int      text;         /* the width of the widest that was measured */
  int      drawn;        /* by the user, or -1 */
  gboolean hidden;
} Width;

struct _LsTable {
  GtkWidget      parent_instance;
  GtkWidget     *stack;
  GtkListView   *view;
  LsTableHeader *header;
  LsIndexModel  *rows;
  const LsTableColumn *columns;
  guint          n_columns;
  Width          widths[LS_CELLS_MAX];
  LsColumn       placed[LS_CELLS_MAX];      /* as rows and header have them */
  LsTableCell    cell;
  LsTableMarked  marked;           /* NULL: no row is */
  LsTableMarked  pending;
  LsTableMarked  wrapped;
  LsTablePaint   paint;            /* NULL: all text is of one colour */
  LsTableAround  around;           /* NULL: no text is indented */
  guint          indented;         /* the column that it is for */
  GHashTable    *bound;            /* rows on screen -> number */
  GtkLabel      *empty;
  GtkSingleSelection *chosen;      /* NULL: rows are not chosen */
  gboolean       following;
  GArray        *order;            /* guint: the row at each position; empty: its own */
  GArray        *position;         /* guint: and the position of each row, GTK_INVALID_LIST_POSITION if it is not shown */
  GtkWidget     *entry;            /* of the filter, or NULL: it was not asked for yet */
  char          *filter;           /* its text, of either case, or NULL: all rows are shown */
  guint          sorted;           /* the column, or n_columns */
  gboolean       descending, is_code, has_heads;
  guint          n_rows, tick;     /* tick: the rows get their widths at the next frame */
  gboolean       stale;            /* widths are of other letters */
  gboolean       waits;            /* to be seen, before rows are made */
  guint          wanted, wanted_in_view;      /* the rows that are chosen then, and scrolled to, or GTK_INVALID_LIST_POSITION */
  guint          wanted_after;     /* rows behind the latter */
  gpointer       data;
  GDestroyNotify free_data;
};

G_DEFINE_FINAL_TYPE (LsTable, ls_table, GTK_TYPE_WIDGET)


/* In the user's language; the translation of "" would be the catalogue's head. */
static const char *
title_of (const LsTableColumn *column)
{
  return *column->title ? _(column->title) : "";
}

/* --- widths --- */

static char *
text_of (LsTable *self, guint row, guint column)
{
  g_autofree char *said = self->cell (self, row, column);
  return said ? ls_text_valid (said) : NULL;
}

static int
pixels (LsTable *self, const char *text)
{
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (GTK_WIDGET (self->view), text);
  PangoAttrList *tabular = pango_attr_list_new ();
  int width;
  pango_attr_list_insert (tabular, pango_attr_font_features_new ("tnum=1"));
  pango_layout_set_attributes (layout, tabular);
  pango_attr_list_unref (tabular);
  pango_layout_get_pixel_size (layout, &width, NULL);
  return width;
}

/* Orders texts by width without measuring them, in quarters of a figure: figures are of one width, capitals are wider, and "1.20 ms"
 * is wider than "12.0 µs". Of several lines the widest counts. */
static glong
guessed_width (const char *text)
{
  glong quarters = 0, most = 0;
  for (const char *p = text; p && *p; p = g_utf8_next_char (p)) {
    quarters = *p == '\n' ? 0 : quarters + (strchr ("mwMW%@", *p) ? 6 : g_ascii_isupper (*p) ? 5 : 4);
    most = MAX (most, quarters);
  }
  return most;
}

/* TRUE: the column has to be wider for it. Only a text that seems wider than those before is measured. */
static gboolean
note_text (LsTable *self, guint column, const char *text)
{
  Width *w = &self->widths[column];
  glong length = guessed_width (text);
  if (self->columns[column].expand || length <= w->longest)
    return FALSE;
  int width = pixels (self, text);
  w->longest = length;
  if (width <= w->text)
    return FALSE;
  w->text = width;
  return TRUE;
}

static void
give_widths (LsTable *self, LsCells *cells, guint row)
{
  LsCellFlags more = self->wrapped && self->wrapped (self, row) ? LS_CELL_WRAP | LS_CELL_TOP : 0;
  for (guint i = 0; i < self->n_columns; i++) {
    ls_cells_set_flags (cells, i, self->placed[i].flags | more);
    ls_cells_set_width (cells, i, self->placed[i].least);
  }
}

static void
place_columns (LsTable *self)
{
  for (guint i = 0; i < self->n_columns; i++) {
    const LsTableColumn *c = &self->columns[i];
    const Width *w = &self->widths[i];
    int title = c->short_title ? 0 : ls_table_header_title_width (self->header, i);
    int least = MAX (MAX (title, c->least), c->expand ? pixels (self, "000000000") : w->text);
    LsCellFlags flags = (c->number ? LS_CELL_RIGHT | LS_CELL_NUMERIC : 0) | (c->expand && w->drawn < 0 ? LS_CELL_EXPAND : 0)
                        | (c->wrap ? LS_CELL_WRAP : 0) | (c->bar ? LS_CELL_BAR : 0) | (w->hidden ? LS_CELL_HIDDEN : 0)
                        | (c->top ? LS_CELL_TOP : 0);
    self->placed[i] = (LsColumn) { w->drawn >= 0 ? w->drawn : least, flags };
  }
  ls_table_header_set_columns (self->header, self->placed);
  GHashTableIter iter;
  gpointer cells, row;
  g_hash_table_iter_init (&iter, self->bound);
  while (g_hash_table_iter_next (&iter, &cells, &row))
    give_widths (self, cells, GPOINTER_TO_UINT (row));
}

/* From rows here and there and those that are made. */
static void
sample_widths (LsTable *self)
{
  GHashTableIter iter;
  gpointer cells;
  guint n = MIN (self->n_rows, SAMPLE);
  for (guint i = 0; i < self->n_columns; i++) {
    self->widths[i].longest = -1;
    self->widths[i].text = 0;
    for (guint k = 0; !self->columns[i].expand && k < n; k++) {
      g_autofree char *text = text_of (self, (guint) ((guint64) k * self->n_rows / n), i);
      note_text (self, i, text);
    }
    g_hash_table_iter_init (&iter, self->bound);
    while (g_hash_table_iter_next (&iter, &cells, NULL))
      note_text (self, i, ls_cells_get_text (cells, i));
  }
  self->stale = FALSE;
  place_columns (self);
}

static gboolean
on_tick (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  LsTable *self = LS_TABLE (widget);
  self->tick = 0;
  if (self->stale)
    sample_widths (self);
  else
    place_columns (self);
  return G_SOURCE_REMOVE;
}

/* Rows come into view while the list allocates them: their texts are requested for all of them at the next frame. */
static void
want_widths (LsTable *self)
{
  if (!self->tick)
    self->tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_tick, NULL, NULL);
}

static void
on_drawn (LsTable *self, guint column, int width)
{
  self->widths[column].drawn = width;
  place_columns (self);
}

/* --- order --- */

static guint
row_at (const LsTable *self, guint position)
{
  return position < self->order->len ? g_array_index (self->order, guint, position) : position;
}

static guint
position_of (const LsTable *self, guint row)
{
  return row < self->position->len ? g_array_index (self->position, guint, row) : row;
}

/* "1.2 µs" in seconds, "3 KiB" in bytes: the value of a number in a column. FALSE: it is not one. */
static gboolean
number_of (const char *text, double *value)
{
  static const struct { const char *unit; double times; } units[] = {
    { "ns", 1e-9 }, { "µs", 1e-6 }, { "us", 1e-6 }, { "ms", 1e-3 }, { "KiB", 0x1p10 }, { "MiB", 0x1p20 }, { "GiB", 0x1p30 },
    { "kB", 1e3 }, { "MB", 1e6 }, { "GB", 1e9 },
  };
  g_autoptr (GString) digits = g_string_new (text ? text : "");
  g_string_replace (digits, ",", "", 0);
  char *end;
  *value = g_ascii_strtod (digits->str, &end);
  if (end == digits->str)
    return FALSE;
  while (g_ascii_isspace (*end))
    end++;
  for (gsize i = 0; i < G_N_ELEMENTS (units); i++)
    if (g_str_has_prefix (end, units[i].unit)) {
      *value *= units[i].times;
      break;
    }
  return TRUE;
}

typedef struct { guint row; char *key; double number; gboolean is_number; } Sorted;

/* Rows without a number are last, whichever way the others are sorted. */
static gint
compare_sorted (gconstpointer a, gconstpointer b, gpointer data)
{
  const Sorted *x = a, *y = b;
  const LsTable *self = data;
  gint order = x->is_number != y->is_number ? 0 : x->is_number ? (x->number > y->number) - (x->number < y->number)
                                                               : strcmp (x->key, y->key);
  if (x->is_number != y->is_number)
    return y->is_number - x->is_number;
  if (order != 0)
    return self->descending ? -order : order;
  return x->row < y->row ? -1 : 1;
}

/* Has a cell that is shown the filter's text? */
static gboolean
passes (LsTable *self, guint row)
{
  gboolean found = self->filter == NULL;
  for (guint i = 0; i < self->n_columns && !found; i++) {
    g_autofree char *text = self->widths[i].hidden ? NULL : text_of (self, row, i), *folded = text ? g_utf8_casefold (text, -1) : NULL;
    found = folded && strstr (folded, self->filter);
  }
  return found;
}

static Sorted
sorted_of (LsTable *self, guint row)
{
  Sorted sorted = { row, NULL, 0, FALSE };
  if (self->sorted < self->n_columns) {
    g_autofree char *text = text_of (self, row, self->sorted);
    sorted.key = g_utf8_collate_key (text ? text : "", -1);
    sorted.is_number = self->columns[self->sorted].number && number_of (text, &sorted.number);
  }
  return sorted;
}

static void
find_order (LsTable *self)
{
  const guint none = GTK_INVALID_LIST_POSITION;
  guint n = 0;
  g_array_set_size (self->order, 0);
  g_array_set_size (self->position, 0);
  if (self->sorted >= self->n_columns && !self->filter)
    return;
  g_autofree Sorted *rows = g_new (Sorted, self->n_rows + 1);
  for (guint i = 0; i < self->n_rows; i++) {
    g_array_append_val (self->position, none);
    if (passes (self, i))
      rows[n++] = sorted_of (self, i);
  }
  if (self->sorted < self->n_columns)
    g_qsort_with_data (rows, (gint) n, sizeof *rows, compare_sorted, self);
  for (guint i = 0; i < n; i++) {
    g_array_append_val (self->order, rows[i].row);
    g_array_index (self->position, guint, rows[i].row) = i;
    g_free (rows[i].key);
  }
}

guint
ls_table_n_shown (LsTable *self)
{
  return self->filter ? self->order->len : self->n_rows;
}

/* Other rows are shown, or in another order; the chosen one stays chosen. */
static void
reorder (LsTable *self)
{
  guint chosen = self->chosen ? ls_table_get_chosen (self) : GTK_INVALID_LIST_POSITION;
  find_order (self);
  self->following = TRUE;
  ls_index_model_set (self->rows, ls_table_n_shown (self));
  self->following = FALSE;
  if (self->chosen)
    ls_table_choose (self, chosen);
  want_widths (self);
}

void
ls_table_sort (LsTable *self, guint column)
{
  g_return_if_fail (column < self->n_columns);
  if (self->is_code || self->waits)
    return;
  gboolean again = self->sorted == column;
  if (again && self->descending)
    self->sorted = self->n_columns;
  else
    self->sorted = column;
  self->descending = again;
  ls_table_header_set_sorted (self->header, self->sorted, self->descending);
  reorder (self);
}

/* --- filter --- */

void
ls_table_filter (LsTable *self, const char *text)
{
  if (self->is_code)
    return;
  g_free (self->filter);
  self->filter = text && *text ? g_utf8_casefold (text, -1) : NULL;
  if (self->waits)
    return;
  reorder (self);
  if (self->entry && self->n_rows && ls_table_n_shown (self) == 0)
    gtk_widget_add_css_class (self->entry, "error");
  else if (self->entry)
    gtk_widget_remove_css_class (self->entry, "error");
}

static void
on_filter_changed (LsTable *self)
{
  ls_table_filter (self, gtk_editable_get_text (GTK_EDITABLE (self->entry)));
}

static void
on_filter_closed (LsTable *self)
{
  gtk_editable_set_text (GTK_EDITABLE (self->entry), "");
  ls_table_filter (self, NULL);
  gtk_widget_hide (self->entry);
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

static gboolean
on_filter (GtkWidget *widget, GVariant *args, gpointer data)
{
  LsTable *self = LS_TABLE (widget);
  if (self->is_code)
    return FALSE;
  if (!self->entry) {
    self->entry = gtk_search_entry_new ();
    gtk_widget_set_name (self->entry, "table-filter");
    g_object_set (self->entry, "placeholder-text", _("Show the rows that contain …"), NULL);
    g_signal_connect_object (self->entry, "search-changed", G_CALLBACK (on_filter_changed), self, G_CONNECT_SWAPPED);
    g_signal_connect_object (self->entry, "stop-search", G_CALLBACK (on_filter_closed), self, G_CONNECT_SWAPPED);
    gtk_box_append (GTK_BOX (gtk_widget_get_parent (GTK_WIDGET (self->header))), self->entry);
  }
  gtk_widget_show (self->entry);
  return gtk_widget_grab_focus (self->entry);
}

/* --- copying --- */

static void
append_cell (GString *out, guint column, const char *text)
{
  g_autofree char *line = g_strdelimit (g_strdup (text ? text : ""), "\t\n", ' ');
  g_string_append_printf (out, "%s%s", column ? "\t" : "", line);
}

char *
ls_table_copy_text (LsTable *self, gboolean all)
{
  guint chosen = ls_table_get_chosen (self);
  gboolean one = !all && chosen != GTK_INVALID_LIST_POSITION;
  GString *out = g_string_new (NULL);
  for (guint i = 0; all && i < self->n_columns; i++)
    append_cell (out, i, title_of (&self->columns[i]));
  if (all)
    g_string_append_c (out, '\n');
  for (guint position = 0; position < ls_table_n_shown (self); position++) {
    guint row = row_at (self, position);
    if (one && row != chosen)
      continue;
    for (guint i = 0; i < self->n_columns; i++) {
      g_autofree char *text = text_of (self, row, i);
      append_cell (out, i, text);
    }
    g_string_append_c (out, '\n');
  }
  return g_string_free (out, FALSE);
}

static gboolean
on_copy (GtkWidget *widget, GVariant *args, gpointer data)
{
  g_autofree char *text = ls_table_copy_text (LS_TABLE (widget), g_variant_get_boolean (args));
  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), text);
  return TRUE;
}

/* --- rows --- */

static void
setup_row (GtkSignalListItemFactory *factory, GtkListItem *item, LsTable *self)
{
  LsCellLook looks[LS_CELLS_MAX] = { { 0, 0 } };
  gtk_list_item_set_child (item, ls_cells_new (looks, self->n_columns, SPACING));
}

static void
set_class (GtkWidget *cells, const char *name, gboolean on)
{
  if (on)
    gtk_widget_add_css_class (cells, name);
  else
    gtk_widget_remove_css_class (cells, name);
}

static void
mark_row (LsTable *self, GtkWidget *cells, guint row)
{
  set_class (cells, "chosen", self->marked && self->marked (self, row));
  set_class (cells, "pending", self->pending && self->pending (self, row));
}

static void
bind_row (GtkSignalListItemFactory *factory, GtkListItem *item, LsTable *self)
{
  GtkWidget *cells = gtk_list_item_get_child (item);
  guint row = row_at (self, ls_index_item_get (gtk_list_item_get_item (item)));
  gboolean wider = FALSE;
  give_widths (self, LS_CELLS (cells), row);
  for (guint i = 0; i < self->n_columns; i++) {
    g_autofree char *text = text_of (self, row, i);
    ls_cells_set_text (LS_CELLS (cells), i, text);
    LsTextSpan spans[LS_TABLE_SPANS];
    if (self->paint && text)
      ls_cells_set_spans (LS_CELLS (cells), i, spans, self->paint (self, row, i, text, spans));
    const char *levels[LS_TABLE_LEVELS];
    if (self->around && i == self->indented)
      ls_cells_set_levels (LS_CELLS (cells), i, levels, self->around (self, row, levels));
    wider |= note_text (self, i, text);
  }
  if (wider)
    want_widths (self);
  g_hash_table_insert (self->bound, cells, GUINT_TO_POINTER (row));
  mark_row (self, cells, row);
  ls_accessible_name_row (item);
}

static void
unbind_row (GtkSignalListItemFactory *factory, GtkListItem *item, LsTable *self)
{
  if (self->bound)
    g_hash_table_remove (self->bound, gtk_list_item_get_child (item));
}

static void
on_activate (LsTable *self, guint position)
{
  g_signal_emit_by_name (self, "row-activated", row_at (self, position));
}

LsTable *
ls_table_new (const char *name, const LsTableColumn *columns, guint n_columns, LsTableCell cell, const char *when_empty)
{
  LsTable *self = g_object_new (LS_TYPE_TABLE, NULL);
  g_return_val_if_fail (n_columns <= LS_CELLS_MAX, self);
  self->cell = cell;
  self->columns = columns;
  self->n_columns = self->sorted = n_columns;
  gtk_widget_set_name (GTK_WIDGET (self->view), name);
  for (guint i = 0; i < n_columns; i++) {
    self->widths[i] = (Width) { -1, 0, -1, FALSE };
    ls_table_header_append (self->header, title_of (&columns[i]), columns[i].number, columns[i].short_title);
  }
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
    g_signal_emit_by_name (self, "row-chosen", row_at (self, row));
}

void
ls_table_set_choosable (LsTable *self)
{
  g_return_if_fail (!self->chosen);
  self->chosen = ls_list_choosable (self->view, self->rows, self, G_CALLBACK (on_chosen));
}

void
ls_table_set_links (LsTable *self)
{
  gtk_list_view_set_single_click_activate (self->view, TRUE);
}

void
ls_table_set_heads (LsTable *self)
{
  self->has_heads = TRUE;
}

static void
on_title (LsTable *self, guint column)
{
  if (self->has_heads)
    g_signal_emit_by_name (self, "head-activated", column);
  else
    ls_table_sort (self, column);
}

void
ls_table_choose (LsTable *self, guint row)
{
  g_return_if_fail (self->chosen);
  if (self->waits) {
    self->wanted = row < self->n_rows ? row : GTK_INVALID_LIST_POSITION;
    return;
  }
  guint position = position_of (self, row);
  if (gtk_single_selection_get_selected (self->chosen) == position)
    return;
  self->following = TRUE;
  gtk_single_selection_set_selected (self->chosen, position);
  self->following = FALSE;
  ls_list_scroll_to (self->view, position);
}

void
ls_table_show_row (LsTable *self, guint row, guint after)
{
  self->wanted_in_view = row;
  self->wanted_after = after;
  if (!self->waits && row < self->n_rows)
    ls_list_scroll_to_block (self->view, position_of (self, row), after);
}

guint
ls_table_get_chosen (LsTable *self)
{
  if (!self->chosen || self->waits)
    return self->chosen ? self->wanted : GTK_INVALID_LIST_POSITION;
  guint position = gtk_single_selection_get_selected (self->chosen);
  return position == GTK_INVALID_LIST_POSITION ? position : row_at (self, position);
}

void
ls_table_set_code (LsTable *self)
{
  self->is_code = TRUE;
  gtk_widget_add_css_class (GTK_WIDGET (self->view), "code-table");
  gtk_widget_add_css_class (GTK_WIDGET (self->header), "code-table");
}

void
ls_table_set_marked (LsTable *self, LsTableMarked marked)
{
  self->marked = marked;
  ls_table_update_marks (self);
}

void
ls_table_set_pending (LsTable *self, LsTableMarked pending)
{
  self->pending = pending;
  ls_table_update_marks (self);
}

void
ls_table_set_wrapped (LsTable *self, LsTableMarked wrapped)
{
  self->wrapped = wrapped;
}

void
ls_table_set_paint (LsTable *self, LsTablePaint paint)
{
  self->paint = paint;
}

void
ls_table_set_around (LsTable *self, guint column, LsTableAround around)
{
  self->indented = column;
  self->around = around;
}

void
ls_table_update_marks (LsTable *self)
{
  GHashTableIter iter;
  gpointer cells, row;
  g_hash_table_iter_init (&iter, self->bound);
  while (g_hash_table_iter_next (&iter, &cells, &row))
    mark_row (self, cells, GPOINTER_TO_UINT (row));
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
  g_return_if_fail (column < self->n_columns);
  self->widths[column].hidden = !shown;
  want_widths (self);
}

static void
show_rows (LsTable *self)
{
  self->waits = FALSE;
  find_order (self);
  sample_widths (self);
  self->following = TRUE;
  ls_index_model_set (self->rows, ls_table_n_shown (self));
  self->following = FALSE;
  if (self->chosen && self->wanted != GTK_INVALID_LIST_POSITION)
    ls_table_choose (self, self->wanted);
  if (self->wanted_in_view != GTK_INVALID_LIST_POSITION)
    ls_table_show_row (self, self->wanted_in_view, self->wanted_after);
}

/* A list makes some hundred rows of widgets whatever is seen of them: a table that is not seen waits. */
void
ls_table_set_rows (LsTable *self, guint n)
{
  self->n_rows = n;
  gtk_stack_set_visible_child_name (GTK_STACK (self->stack), n ? "table" : "empty");
  self->waits = !gtk_widget_get_mapped (GTK_WIDGET (self));
  self->wanted = self->wanted_in_view = GTK_INVALID_LIST_POSITION;
  if (!self->waits)
    show_rows (self);
}

static void
on_map (LsTable *self)
{
  if (self->waits)
    show_rows (self);
}

/* Letters of another size. */
static void
ls_table_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  LsTable *self = LS_TABLE (widget);
  GTK_WIDGET_CLASS (ls_table_parent_class)->css_changed (widget, change);
  if (self->n_columns && !self->waits) {
    self->stale = TRUE;
    want_widths (self);
  }
}

const LsTableColumn *
ls_table_get_column (LsTable *self, guint column)
{
  g_return_val_if_fail (column < self->n_columns, NULL);
  return &self->columns[column];
}

void
ls_table_set_name (LsTable *self, const char *name)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->view), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->header), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

void
ls_table_set_data (LsTable *self, gpointer data, GDestroyNotify free)
{
  self->data = data;
  self->free_data = free;
}

gpointer
ls_table_get_data (LsTable *self)
{
  return self->data;
}

static void
free_data (LsTable *self)
{
  if (self->free_data)
    self->free_data (self->data);
}

static void
ls_table_class_init (LsTableClass *class)
{
  LS_ON_FINALIZE (class, free_data);
  LS_KEEPS (class, LsTable, g_free, filter);
  GTK_WIDGET_CLASS (class)->css_changed = ls_table_css_changed;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (class), GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_add_binding (GTK_WIDGET_CLASS (class), GDK_KEY_c, GDK_CONTROL_MASK, on_copy, "b", FALSE);
  gtk_widget_class_add_binding (GTK_WIDGET_CLASS (class), GDK_KEY_c, GDK_CONTROL_MASK | GDK_ALT_MASK, on_copy, "b", TRUE);
  gtk_widget_class_add_binding (GTK_WIDGET_CLASS (class), GDK_KEY_f, GDK_CONTROL_MASK | GDK_SHIFT_MASK, on_filter, NULL);
  ls_class_signal (class, "row-chosen", 1, G_TYPE_UINT);
  ls_class_signal (class, "row-activated", 1, G_TYPE_UINT);
  ls_class_signal (class, "head-activated", 1, G_TYPE_UINT);
  LS_OWNS (class, LsTable, gtk_widget_unparent, stack);
  LS_OWNS (class, LsTable, g_object_unref, chosen, rows);
  LS_OWNS (class, LsTable, g_hash_table_unref, bound);
  LS_OWNS (class, LsTable, g_array_unref, order, position);
}

static void
ls_table_init (LsTable *self)
{
  g_signal_connect (self, "map", G_CALLBACK (on_map), NULL);
  self->rows = ls_index_model_new ();
  self->bound = g_hash_table_new (NULL, NULL);
  self->order = g_array_new (FALSE, FALSE, sizeof (guint));
  self->position = g_array_new (FALSE, FALSE, sizeof (guint));
  self->stack = g_object_new (GTK_TYPE_STACK, "hhomogeneous", FALSE, "vhomogeneous", FALSE, NULL);      /* hidden pages are not measured */
  gtk_widget_set_parent (self->stack, GTK_WIDGET (self));
  self->view = GTK_LIST_VIEW (gtk_list_view_new (NULL, NULL));
  ls_list_rows (self->view, self->rows, self, G_CALLBACK (setup_row), G_CALLBACK (bind_row), G_CALLBACK (unbind_row), NULL);
  gtk_widget_add_css_class (GTK_WIDGET (self->view), "data-table");
  g_signal_connect_swapped (self->view, "activate", G_CALLBACK (on_activate), self);
  GtkWidget *scroll = gtk_scrolled_window_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_widget_add_css_class (scroll, "table-scroll");      /* shaded at the side where columns are out of sight */
  gtk_widget_set_vexpand (scroll, TRUE);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroll), GTK_WIDGET (self->view));
  self->header = ls_table_header_new (gtk_scrolled_window_get_hadjustment (GTK_SCROLLED_WINDOW (scroll)), SPACING);
  g_signal_connect_object (self->header, "column-drawn", G_CALLBACK (on_drawn), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->header, "column-clicked", G_CALLBACK (on_title), self, G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->header));
  gtk_box_append (GTK_BOX (box), scroll);
  gtk_stack_add_named (GTK_STACK (self->stack), box, "table");
}
