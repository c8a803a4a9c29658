/* Tabs in one line, however many there are: the line scrolls to the page that is shown, and a menu lists them all. */
#include "pane-bar.h"
#include "focus.h"

#include <glib/gi18n.h>

struct _LsPaneBar {
  GtkWidget         parent_instance;
  GtkStack         *stack;
  GtkStackSwitcher *switcher;
  GtkWidget        *scroll, *all;
};

G_DEFINE_FINAL_TYPE (LsPaneBar, ls_pane_bar, GTK_TYPE_WIDGET)

enum { PROP_STACK = 1 };

/* The pages as they are now. */
static void
make_menu (GtkMenuButton *button, gpointer data)
{
  LsPaneBar *self = data;
  g_autoptr (GMenu) menu = g_menu_new ();
  g_autoptr (GtkSelectionModel) pages = gtk_stack_get_pages (self->stack);
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (pages)); i++) {
    g_autoptr (GObject) item_page = g_list_model_get_item (G_LIST_MODEL (pages), i);
    GtkStackPage *page = GTK_STACK_PAGE (item_page);
    g_autoptr (GMenuItem) item = g_menu_item_new (gtk_stack_page_get_title (page), NULL);
    g_menu_item_set_action_and_target (item, "win.table", "s", gtk_stack_page_get_name (page));
    g_menu_append_item (menu, item);
  }
  gtk_menu_button_set_menu_model (button, G_MENU_MODEL (menu));
  ls_focus_leave_hidden_pages (GTK_WIDGET (gtk_menu_button_get_popover (button)));
}

/* Scrolls as little as needed for the tab of the page that is shown. Called after a layout: tabs know where they are. */
static gboolean
show_tab (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  LsPaneBar *self = LS_PANE_BAR (widget);
  GtkAdjustment *h = gtk_scrolled_window_get_hadjustment (GTK_SCROLLED_WINDOW (self->scroll));
  g_autoptr (GtkSelectionModel) pages = gtk_stack_get_pages (self->stack);
  GtkWidget *tab = gtk_widget_get_first_child (GTK_WIDGET (self->switcher));
  graphene_rect_t at;
  for (guint i = 0; tab && !gtk_selection_model_is_selected (pages, i); i++)
    tab = gtk_widget_get_next_sibling (tab);
  if (tab && gtk_widget_compute_bounds (tab, GTK_WIDGET (self->switcher), &at))
    gtk_adjustment_clamp_page (h, at.origin.x, at.origin.x + at.size.width);
  return G_SOURCE_REMOVE;
}

static void
on_page (LsPaneBar *self)
{
  gtk_widget_add_tick_callback (GTK_WIDGET (self), show_tab, NULL, NULL);
}

static void
ls_pane_bar_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  LsPaneBar *self = LS_PANE_BAR (object);
  if (!g_set_object (&self->stack, g_value_get_object (value)))
    return;
  gtk_stack_switcher_set_stack (self->switcher, self->stack);
  g_signal_connect_object (self->stack, "notify::visible-child", G_CALLBACK (on_page), self, G_CONNECT_SWAPPED);
}

static void
ls_pane_bar_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_set_object (value, LS_PANE_BAR (object)->stack);
}

static void
ls_pane_bar_dispose (GObject *object)
{
  LsPaneBar *self = LS_PANE_BAR (object);
  g_clear_pointer (&self->scroll, gtk_widget_unparent);
  g_clear_pointer (&self->all, gtk_widget_unparent);
  g_clear_object (&self->stack);
  G_OBJECT_CLASS (ls_pane_bar_parent_class)->dispose (object);
}

static void
ls_pane_bar_class_init (LsPaneBarClass *class)
{
  G_OBJECT_CLASS (class)->dispose = ls_pane_bar_dispose;
  G_OBJECT_CLASS (class)->set_property = ls_pane_bar_set_property;
  G_OBJECT_CLASS (class)->get_property = ls_pane_bar_get_property;
  g_object_class_install_property (G_OBJECT_CLASS (class), PROP_STACK, g_param_spec_object ("stack", NULL, NULL, GTK_TYPE_STACK, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS));
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (class), GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (class), "panebar");
}

static void
ls_pane_bar_init (LsPaneBar *self)
{
  self->scroll = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (self->scroll), GTK_POLICY_EXTERNAL, GTK_POLICY_NEVER);
  gtk_widget_set_hexpand (self->scroll, TRUE);
  gtk_widget_set_parent (self->scroll, GTK_WIDGET (self));
  self->switcher = GTK_STACK_SWITCHER (gtk_stack_switcher_new ());
  gtk_widget_set_halign (GTK_WIDGET (self->switcher), GTK_ALIGN_START);
  gtk_widget_add_css_class (GTK_WIDGET (self->switcher), "table-switcher");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->switcher), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Panes"), -1);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scroll), GTK_WIDGET (self->switcher));
  self->all = gtk_menu_button_new ();
  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (self->all), "pan-down-symbolic");
  gtk_widget_add_css_class (self->all, "flat");
  gtk_widget_set_valign (self->all, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (self->all, _("All panes (t, T: next, previous)"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->all), GTK_ACCESSIBLE_PROPERTY_LABEL, _("All panes"), -1);
  gtk_menu_button_set_create_popup_func (GTK_MENU_BUTTON (self->all), make_menu, self, NULL);
  gtk_widget_set_parent (self->all, GTK_WIDGET (self));
}
