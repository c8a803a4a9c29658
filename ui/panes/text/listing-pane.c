/* The rows that the position's kernel has in the end; those of the position itself are in changes-pane.c.
 *
 * The exact rows are 80 to 170 columns wide and the pane holds 50: the pane shows structured columns (number, op, dtype, sources with
 * the argument), the exact text is a toggle and the text that Copy gives. Choosing a row chooses its node; rows of nodes chosen
 * elsewhere carry the class "chosen", rows that descend from the position's step the class "from-step".
 */
#include "listing-pane.h"
#include "kit/class.h"
#include "kit/accessible.h"
#include "kit/cells.h"
#include "changes-pane.h"
#include "ask/ask.h"
#include "ir/names.h"
#include "ir/print.h"
#include "ir/short.h"
#include "kit/list-rows.h"
#include "kit/list-scroll.h"
#include "panes/ask/question-menu.h"
#include "kit/text-scroll.h"
#include "kit/texts.h"
#include "kit/text.h"
#include "kit/tip.h"
#include "session/trace-text.h"

#include <glib/gi18n.h>
#include <string.h>

#define LS_TYPE_ROW_ITEM (ls_row_item_get_type ())
G_DECLARE_FINAL_TYPE (LsRowItem, ls_row_item, LS, ROW_ITEM, GObject)
struct _LsRowItem {
  GObject  parent_instance;
  guint    index;
  LsNest   around;          /* loops */
  guint32  node;
  char    *columns[4];      /* number, op, dtype, sources and argument */
  char    *dtype;           /* in full */
  char    *place;           /* where a buffer has its name from, or NULL */
};
G_DEFINE_FINAL_TYPE (LsRowItem, ls_row_item, G_TYPE_OBJECT)

static void
forget_texts (LsRowItem *item)
{
  for (guint i = 0; i < G_N_ELEMENTS (item->columns); i++)
    g_free (item->columns[i]);
  g_free (item->dtype);
  g_free (item->place);
}

static void
ls_row_item_class_init (LsRowItemClass *class)
{
  LS_ON_FINALIZE (class, forget_texts);
}

static void ls_row_item_init (LsRowItem *item) {}

struct _LsListingPane {
  GtkWidget           parent_instance;
  LsViewSession      *session;
  GtkWidget          *box, *as_rows, *as_text, *empty;      /* the pages of stack */
  GtkStack           *stack;
  GtkListView        *list;
  GtkTextView        *exact_view;
  GtkToggleButton    *exact;
  GtkWidget          *tools, *copy;
  GListStore         *rows;
  GtkSingleSelection *selection;
  GHashTable         *bound;        /* rows on screen -> LsRowItem */
  LsKernel           *kernel;
  guint               widths[4];
  gboolean            following;
};

G_DEFINE_FINAL_TYPE (LsListingPane, ls_listing_pane, GTK_TYPE_WIDGET)

char *
ls_listing_pane_dup_text (LsListingPane *self)
{
  LsTrace *trace = ls_view_session_get_trace (self->session);
  if (!trace || !self->kernel)
    return g_strdup ("");
  g_autoptr (GPtrArray) nodes = ls_kernel_list (trace, self->kernel);
  g_autofree char *text = ls_listing_print (trace->ctx, nodes->len, (LsUOp *const *) nodes->pdata, ls_trace_style (trace));
  return ls_text_valid (text);
}

guint
ls_listing_pane_n_rows (LsListingPane *self)
{
  return g_list_model_get_n_items (G_LIST_MODEL (self->rows));
}

static char *
short_name (const char *text, const char *prefix)
{
  if (g_str_has_prefix (text, "Ops.") || g_str_has_prefix (text, "UOps."))
    text = strchr (text, '.') + 1;
  return ls_text_cut (g_str_has_prefix (text, prefix) ? text + strlen (prefix) : text, 400);
}

static void
set_class (GtkWidget *widget, const char *name, gboolean on)
{
  if (on)
    gtk_widget_add_css_class (widget, name);
  else
    gtk_widget_remove_css_class (widget, name);
}

static void
mark_row (LsListingPane *self, GtkWidget *row, LsRowItem *item)
{
  set_class (row, "chosen", ls_view_session_is_chosen (self->session, item->node));
  set_class (row, "from-step", ls_view_session_is_from_step (self->session, item->node));
}

static void
on_selection_changed (LsListingPane *self)
{
  GHashTableIter iter;
  gpointer box, item;
  g_hash_table_iter_init (&iter, self->bound);
  while (g_hash_table_iter_next (&iter, &box, &item))
    mark_row (self, box, item);
  GArray *finals = ls_view_session_final_nodes (self->session);
  gboolean any = ls_view_session_step_finals (self->session)->len > 0;
  guint row = GTK_INVALID_LIST_POSITION, show = GTK_INVALID_LIST_POSITION;
  for (guint i = 0; i < ls_listing_pane_n_rows (self) && (finals->len > 0 ? row : any ? show : 0) == GTK_INVALID_LIST_POSITION; i++) {
    g_autoptr (LsRowItem) r = g_list_model_get_item (G_LIST_MODEL (self->rows), i);
    if (finals->len > 0 && g_array_index (finals, guint32, 0) == r->node)
      row = i;
    if (show == GTK_INVALID_LIST_POSITION && ls_view_session_is_from_step (self->session, r->node))
      show = i;
  }
  self->following = TRUE;
  if (gtk_single_selection_get_selected (self->selection) != row)
    gtk_single_selection_set_selected (self->selection, row);
  self->following = FALSE;
  if (row != GTK_INVALID_LIST_POSITION)
    show = row;
  ls_list_scroll_to (self->list, show);
}

static void
show_page (LsListingPane *self)
{
  gboolean exact = gtk_toggle_button_get_active (self->exact);
  if (exact) {
    g_autofree char *text = ls_listing_pane_dup_text (self);
    gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->exact_view), text, -1);
  }
  gtk_stack_set_visible_child (self->stack, !self->kernel ? self->empty : exact ? self->as_text : self->as_rows);
}

GtkWidget *
ls_listing_pane_get_tools (LsListingPane *self)
{
  return self->tools;
}

static void
on_position_changed (LsListingPane *self)
{
  LsTrace *trace = ls_view_session_get_trace (self->session);
  LsKernel *kernel = ls_view_session_kernel (self->session);
  if (kernel == self->kernel)
    return;
  self->kernel = kernel;
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_object_unref);
  static const guint most[4] = { 6, 13, 9, 60 };
  guint widths[4] = { 2, 4, 4, 8 };
  if (trace && kernel) {
    g_autoptr (GPtrArray) nodes = ls_kernel_list (trace, kernel);
    g_autoptr (GArray) rows = ls_listing_rows (trace->ctx, nodes->len, (LsUOp *const *) nodes->pdata, ls_trace_style (trace));
    LsNest nest = { 0 };
    for (guint i = 0; i < rows->len; i++) {
      const LsListingRow *row = &g_array_index (rows, LsListingRow, i);
      LsRowItem *item = g_object_new (LS_TYPE_ROW_ITEM, NULL);
      item->index = i;
      item->node = row->node;
      ls_nest_next (&nest, ls_context_node (trace->ctx, row->node), &item->around);
      item->columns[0] = g_strdup_printf ("%u", i);
      LsUOp *u = ls_context_node (trace->ctx, row->node);
      item->columns[1] = u && g_str_equal (row->op, "UOps.ALU") ? g_strdup (ls_op_name (u->op)) : short_name (row->op, "");
      item->columns[2] = ls_text_dtype (row->dtype);
      item->dtype = ls_text_cut (row->dtype, 200);
      g_autofree char *operands = ls_text_operands (row->src), *src = short_name (operands, "");
      const LsNames *names = ls_trace_names (trace, kernel->number);
      g_autofree char *whole = u ? ls_row_arg (names, u) : g_strdup (""), *arg = ls_text_cut (whole, 400);
      item->place = u ? ls_bound_place (names, u) : NULL;
      item->columns[3] = g_strconcat (src, *src && *arg ? "  " : "", arg, NULL);
      for (guint c = 0; c < 4; c++)
        widths[c] = CLAMP ((guint) g_utf8_strlen (item->columns[c], -1), widths[c], most[c]);
      g_ptr_array_add (items, item);
    }
  }
  memcpy (self->widths, widths, sizeof widths);
  self->following = TRUE;
  g_list_store_splice (self->rows, 0, ls_listing_pane_n_rows (self), items->pdata, items->len);
  self->following = FALSE;
  gtk_widget_set_sensitive (self->copy, kernel != NULL);
  show_page (self);
}

static void
on_trace_changed (LsListingPane *self)
{
  self->kernel = NULL;      /* addresses identify kernels within one recording only */
  on_position_changed (self);
}

static void
on_selected (LsListingPane *self)
{
  LsRowItem *item = gtk_single_selection_get_selected_item (self->selection);
  if (!self->following && item)
    ls_view_session_select (self->session, LS_CHOSEN_IN_FINAL, &item->node, 1);
}

static void
on_copy (LsListingPane *self)
{
  g_autofree char *text = ls_listing_pane_dup_text (self);
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), text);
  gtk_widget_activate_action (GTK_WIDGET (self), "win.say", "s", _("UOps copied"));
}

static void
setup_row (GtkSignalListItemFactory *factory, GtkListItem *list_item, LsListingPane *self)
{
  static const LsCellLook looks[] = { { 2, LS_CELL_RIGHT | LS_CELL_DIM }, { 4, LS_CELL_BOLD }, { 4, LS_CELL_DIM }, { 8, LS_CELL_EXPAND } };
  GtkWidget *cells = ls_cells_new (looks, G_N_ELEMENTS (looks), 8);
  gtk_widget_add_css_class (cells, "uop-row");
  gtk_list_item_set_child (list_item, cells);
}

static void
bind_row (GtkSignalListItemFactory *factory, GtkListItem *list_item, LsListingPane *self)
{
  LsRowItem *item = gtk_list_item_get_item (list_item);
  GtkWidget *row = gtk_list_item_get_child (list_item);
  for (guint c = 0; c < 4; c++) {
    ls_cells_set_text (LS_CELLS (row), c, item->columns[c]);
    ls_cells_set_chars (LS_CELLS (row), c, c == 3 ? 8 : self->widths[c]);
  }
  ls_changes_pane_indent (LS_CELLS (row), 1, &item->around);
  g_autofree char *tip = g_strdup_printf ("%s %s\n%s%s%s", item->columns[1], item->dtype, item->columns[3], item->place ? "\n" : "",
                                         item->place ? item->place : "");
  ls_tip_set (row, tip);
  ls_cells_set_row (LS_CELLS (row), gtk_list_item_get_position (list_item) + 1);
  g_hash_table_insert (self->bound, row, item);
  mark_row (self, row, item);
  ls_accessible_name_row (list_item);
}

static void
unbind_row (GtkSignalListItemFactory *factory, GtkListItem *list_item, LsListingPane *self)
{
  if (self->bound)
    g_hash_table_remove (self->bound, gtk_list_item_get_child (list_item));
}

static gboolean
pick_row (GtkWidget *list, double x, double y, gpointer data)
{
  LsListingPane *self = data;
  GtkWidget *row = NULL;
  LsRowItem *item = x >= 0 && ls_cells_pick (list, x, y, &row) ? g_hash_table_lookup (self->bound, row) : NULL;
  if (item)
    ls_view_session_select (self->session, LS_CHOSEN_IN_FINAL, &item->node, 1);
  return item || (x < 0 && ls_view_session_get_selection (self->session) != LS_NO_NODE);
}

void
ls_listing_pane_set_session (LsListingPane *self, LsViewSession *session)
{
  g_set_object (&self->session, session);
  g_signal_connect_object (session, "trace-changed", G_CALLBACK (on_trace_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "position-changed", G_CALLBACK (on_position_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "selection-changed", G_CALLBACK (on_selection_changed), self, G_CONNECT_SWAPPED);
}

static void
ls_listing_pane_class_init (LsListingPaneClass *class)
{
  LS_UI_BINDS (class, LsListingPane, "listing-pane", box, as_rows, as_text, empty, stack, list, exact_view);
  LS_OWNS (class, LsListingPane, gtk_widget_unparent, box);
  LS_OWNS (class, LsListingPane, g_object_unref, selection, rows, tools, session);
  LS_OWNS (class, LsListingPane, g_hash_table_unref, bound);
}

static void
ls_listing_pane_init (LsListingPane *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->tools = g_object_ref_sink (gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0));
  self->exact = g_object_new (GTK_TYPE_TOGGLE_BUTTON, "icon-name", "format-justify-left-symbolic", "name", "exact", "tooltip-text",
                              _("Show the listing's exact text"), NULL);
  gtk_widget_add_css_class (GTK_WIDGET (self->exact), "flat");
  g_signal_connect_object (self->exact, "toggled", G_CALLBACK (show_page), self, G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (self->tools), GTK_WIDGET (self->exact));
  self->copy = ls_texts_add_copy (self->tools, "copy-uops", _("Copy the exact text"), G_CALLBACK (on_copy), self);
  ls_text_scroll_end_when_hidden (self->exact_view);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->exact_view), GTK_ACCESSIBLE_PROPERTY_LABEL, _("UOps, exact text"), -1);
  self->bound = g_hash_table_new (NULL, NULL);
  self->rows = g_list_store_new (LS_TYPE_ROW_ITEM);
  self->selection = ls_list_rows (self->list, self->rows, self, G_CALLBACK (setup_row), G_CALLBACK (bind_row), G_CALLBACK (unbind_row),
                                  G_CALLBACK (on_selected));
  ls_question_menu_attach (GTK_WIDGET (self->list), GTK_WIDGET (self), pick_row, self);
}
