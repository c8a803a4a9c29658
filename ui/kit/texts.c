/* The buttons of both columns are in one bar: each group over its column, or in sequence if there is one column. A hidden page keeps its
 * selection, and the focus leaves it first (focus.h). The widget lays itself out, since the second buttons follow the split. */
#include "texts.h"
#include "class.h"

#include <glib/gi18n.h>

#define GAP 8

typedef struct { const char *name; guint column; GtkWidget *page, *button, *tools; } Page;

struct _LsTexts {
  GtkWidget  parent_instance;
  GtkWidget *groups[2], *tools[2];
  GtkStack  *stacks[2];
  GtkPaned  *split;
  GtkWidget *both;         /* asks for the other number of columns */
  GArray    *all;          /* Page */
  guint      columns, column;      /* column: the one that is seen where there is one */
  gboolean   following;
};

G_DEFINE_FINAL_TYPE (LsTexts, ls_texts, GTK_TYPE_WIDGET)

static const Page *
find_page (LsTexts *self, const char *name)
{
  for (guint i = 0; i < self->all->len; i++)
    if (g_str_equal (g_array_index (self->all, Page, i).name, name))
      return &g_array_index (self->all, Page, i);
  return NULL;
}

gboolean
ls_texts_is_seen (LsTexts *self, guint column)
{
  return self->columns == 2 || self->column == column;
}

guint
ls_texts_get_columns (LsTexts *self)
{
  return self->columns;
}

GtkPaned *
ls_texts_get_split (LsTexts *self)
{
  return self->split;
}

const char *
ls_texts_get_shown (LsTexts *self, guint column)
{
  return gtk_stack_get_visible_child_name (self->stacks[column]);
}

static void
update (LsTexts *self)
{
  if (!self->split)      /* buttons tell when they go */
    return;
  self->following = TRUE;
  for (guint i = 0; i < self->all->len; i++) {
    const Page *p = &g_array_index (self->all, Page, i);
    gboolean seen = ls_texts_is_seen (self, p->column) && gtk_stack_get_visible_child (self->stacks[p->column]) == p->page;
    gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (p->button), seen);
    gtk_accessible_update_state (GTK_ACCESSIBLE (p->button), GTK_ACCESSIBLE_STATE_SELECTED, seen, -1);
    if (p->tools)
      gtk_widget_set_visible (p->tools, seen);
  }
  for (guint i = 0; i < 2; i++)
    gtk_widget_set_visible (GTK_WIDGET (self->stacks[i]), ls_texts_is_seen (self, i));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->both), self->columns == 2);
  self->following = FALSE;
  gtk_widget_queue_resize (GTK_WIDGET (self));
  g_signal_emit_by_name (self, "changed");
}

gboolean
ls_texts_show (LsTexts *self, const char *name)
{
  const Page *p = find_page (self, name);
  if (!p)
    return FALSE;
  gtk_stack_set_visible_child (self->stacks[p->column], p->page);
  self->column = p->column;
  update (self);
  return TRUE;
}

void
ls_texts_set_columns (LsTexts *self, guint columns)
{
  if (self->columns == columns)
    return;
  self->columns = columns;
  update (self);
}

static void
on_button (LsTexts *self, GtkToggleButton *button)
{
  for (guint i = 0; !self->following && i < self->all->len; i++)
    if (g_array_index (self->all, Page, i).button == GTK_WIDGET (button))
      ls_texts_show (self, g_array_index (self->all, Page, i).name);      /* off, too: it stays on */
}

static void
on_both (LsTexts *self)
{
  if (!self->following)
    g_signal_emit_by_name (self, "columns", gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->both)) ? 2 : 1);
}

void
ls_texts_add (LsTexts *self, guint column, GtkWidget *page, const char *name, const char *title, const char *tip, GtkWidget *tools)
{
  g_autofree char *id = g_strconcat ("text-", name, NULL);
  GtkWidget *button = g_object_new (GTK_TYPE_TOGGLE_BUTTON, "label", title, "tooltip-text", tip, "name", id, "accessible-role",
                                    GTK_ACCESSIBLE_ROLE_TAB, NULL);
  Page p = { name, column, page, button, tools };
  g_signal_connect_object (button, "toggled", G_CALLBACK (on_button), self, G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (self->groups[column]), button);
  if (tools)
    gtk_box_append (GTK_BOX (self->tools[column]), tools);
  g_array_append_val (self->all, p);
  gtk_stack_add_named (self->stacks[column], page, name);
  update (self);
}

void
ls_texts_rename (LsTexts *self, const char *name, const char *title)
{
  const Page *p = find_page (self, name);
  if (p && !g_str_equal (gtk_button_get_label (GTK_BUTTON (p->button)), title)) {
    gtk_button_set_label (GTK_BUTTON (p->button), title);
    gtk_widget_queue_resize (GTK_WIDGET (self));
  }
}

GtkWidget *
ls_texts_add_copy (GtkWidget *tools, const char *name, const char *tip, GCallback clicked, gpointer self)
{
  GtkWidget *copy = g_object_new (GTK_TYPE_BUTTON, "icon-name", "edit-copy-symbolic", "name", name, "tooltip-text", tip, NULL);
  gtk_widget_add_css_class (copy, "flat");
  g_signal_connect_object (copy, "clicked", clicked, self, G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (tools), copy);
  return copy;
}

/* --- room --- */

static int
natural (GtkWidget *widget, GtkOrientation orientation)
{
  int size;
  gtk_widget_measure (widget, orientation, -1, NULL, &size, NULL, NULL);
  return size;
}

static int
bar_height (LsTexts *self)
{
  int height = natural (self->both, GTK_ORIENTATION_VERTICAL);
  for (guint i = 0; i < 2; i++)
    height = MAX (height, MAX (natural (self->groups[i], GTK_ORIENTATION_VERTICAL), natural (self->tools[i], GTK_ORIENTATION_VERTICAL)));
  return height;
}

/* Two columns need no more than one: a window that becomes too narrow for them gets one. */
static void
ls_texts_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *wanted, int *minimum_baseline,
                  int *natural_baseline)
{
  LsTexts *self = LS_TEXTS (widget);
  gtk_widget_measure (GTK_WIDGET (self->split), orientation, -1, minimum, wanted, NULL, NULL);
  if (orientation == GTK_ORIENTATION_VERTICAL) {
    *minimum += bar_height (self);
    *wanted += bar_height (self);
    return;
  }
  int bar = natural (self->both, orientation) + 2 * GAP, tools = 0, least;
  for (guint i = 0; i < 2; i++) {
    bar += natural (self->groups[i], orientation);
    tools = MAX (tools, natural (self->tools[i], orientation));
    gtk_widget_measure (GTK_WIDGET (self->stacks[i]), orientation, -1, &least, NULL, NULL, NULL);
    *minimum = i ? MAX (*minimum, least) : least;
  }
  *minimum = MAX (*minimum, bar + tools);
  *wanted = MAX (*wanted, *minimum);
}

static void
ls_texts_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  LsTexts *self = LS_TEXTS (widget);
  int high = bar_height (self), both = natural (self->both, GTK_ORIENTATION_HORIZONTAL), x = 0, ends[2] = { width - both, width - both };
  gtk_widget_size_allocate (GTK_WIDGET (self->split), &(GtkAllocation) { 0, high, width, MAX (height - high, 0) }, -1);
  graphene_rect_t second;
  gboolean two = self->columns == 2 && gtk_widget_compute_bounds (GTK_WIDGET (self->stacks[1]), widget, &second);
  if (two)
    ends[0] = (int) second.origin.x;
  for (guint i = 0; i < 2; i++) {
    int w = natural (self->groups[i], GTK_ORIENTATION_HORIZONTAL), t = natural (self->tools[i], GTK_ORIENTATION_HORIZONTAL);
    if (two && i)
      x = MAX (x, ends[0]);
    gtk_widget_size_allocate (self->groups[i], &(GtkAllocation) { x, 0, w, high }, -1);
    gtk_widget_size_allocate (self->tools[i], &(GtkAllocation) { MAX (ends[i] - t, x + w), 0, t, high }, -1);
    x += w + (two ? t : GAP);
  }
  gtk_widget_size_allocate (self->both, &(GtkAllocation) { width - both, 0, both, high }, -1);
}

/* --- the widget --- */

static void
forget_pages (LsTexts *self)
{
  g_array_set_size (self->all, 0);
  self->split = NULL;
}

static void
ls_texts_class_init (LsTextsClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);
  LS_ON_DISPOSE (class, forget_pages);
  LS_ON_DISPOSE (class, ls_unparent_all);
  widget_class->measure = ls_texts_measure;
  widget_class->size_allocate = ls_texts_size_allocate;
  gtk_widget_class_set_css_name (widget_class, "texts");
  ls_class_signal (class, "changed", 0);
  ls_class_signal (class, "columns", 1, G_TYPE_UINT);
  LS_KEEPS (class, LsTexts, g_array_unref, all);
}

static void
ls_texts_init (LsTexts *self)
{
  static const char *const names[] = { "texts-left", "texts-right" };
  const char *labels[] = { _("Listing"), _("Text") };
  self->all = g_array_new (FALSE, FALSE, sizeof (Page));
  self->columns = 2;
  for (guint i = 0; i < 2; i++) {
    self->groups[i] = g_object_new (GTK_TYPE_BOX, "name", names[i], "accessible-role", GTK_ACCESSIBLE_ROLE_TAB_LIST, "valign",
                                    GTK_ALIGN_CENTER, NULL);
    gtk_widget_add_css_class (self->groups[i], "linked");
    gtk_accessible_update_property (GTK_ACCESSIBLE (self->groups[i]), GTK_ACCESSIBLE_PROPERTY_LABEL, labels[i], -1);
    self->tools[i] = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
    gtk_widget_set_valign (self->tools[i], GTK_ALIGN_CENTER);
    gtk_widget_set_parent (self->groups[i], GTK_WIDGET (self));
    gtk_widget_set_parent (self->tools[i], GTK_WIDGET (self));
    self->stacks[i] = g_object_new (GTK_TYPE_STACK, "hhomogeneous", FALSE, "vhomogeneous", FALSE, "width-request", 280, NULL);
  }
  self->both = g_object_new (GTK_TYPE_TOGGLE_BUTTON, "icon-name", "view-dual-symbolic", "name", "texts-both", "valign", GTK_ALIGN_CENTER,
                             "tooltip-text", _("Show two texts side by side"), NULL);
  gtk_widget_add_css_class (self->both, "flat");
  gtk_widget_set_parent (self->both, GTK_WIDGET (self));
  g_signal_connect_object (self->both, "toggled", G_CALLBACK (on_both), self, G_CONNECT_SWAPPED);
  self->split = g_object_new (GTK_TYPE_PANED, "name", "texts-split", "resize-start-child", FALSE, "shrink-start-child", FALSE,
                              "shrink-end-child", FALSE, "wide-handle", TRUE,
                              "start-child", self->stacks[0], "end-child", self->stacks[1], NULL);
  gtk_widget_set_parent (GTK_WIDGET (self->split), GTK_WIDGET (self));
  g_signal_connect_object (self->split, "notify::position", G_CALLBACK (gtk_widget_queue_allocate), self, G_CONNECT_SWAPPED);
}
