/* Groups are in one line with the pages of the current one, in two if that is too narrow: none is ever scrolled out of sight. A group
 * comes back with the page that was left in it. A double click on a group asks for the whole height. */
#include "drawer.h"
#include "class.h"

#include <glib/gi18n.h>

#define GAP 6

typedef struct { const char *group, *name; GtkWidget *button; gboolean left; } Page;      /* left: the one that its group comes back with */

struct _LsDrawer {
  GtkWidget  parent_instance;
  GtkWidget *groups, *pages, *full;      /* the bar */
  GtkStack  *stack;
  GArray    *all;                        /* Page */
  gboolean   following;
};

G_DEFINE_FINAL_TYPE (LsDrawer, ls_drawer, GTK_TYPE_WIDGET)

static const Page *
page_at (LsDrawer *self, guint i)
{
  return &g_array_index (self->all, Page, i);
}

static guint
shown_page (LsDrawer *self)
{
  const char *name = gtk_stack_get_visible_child_name (self->stack);
  for (guint i = 0; name && i < self->all->len; i++)
    if (g_str_equal (page_at (self, i)->name, name))
      return i;
  return 0;
}

/* --- the buttons --- */

static GtkWidget *
group_button (LsDrawer *self, const char *group)
{
  GtkWidget *button = gtk_widget_get_first_child (self->groups);
  while (button && !g_str_equal (gtk_button_get_label (GTK_BUTTON (button)), group))
    button = gtk_widget_get_next_sibling (button);
  return button;
}

/* The page that a press of a button shows. */
static const char *
page_of (LsDrawer *self, GtkWidget *button)
{
  guint i = 0;
  while (page_at (self, i)->button != button && !(page_at (self, i)->left && group_button (self, page_at (self, i)->group) == button))
    i++;
  return page_at (self, i)->name;
}

static void
on_page (LsDrawer *self)
{
  if (self->all->len == 0)
    return;
  const Page *shown = page_at (self, shown_page (self));
  self->following = TRUE;
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (group_button (self, shown->group)), TRUE);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (shown->button), TRUE);
  for (guint i = 0; i < self->all->len; i++) {
    Page *page = &g_array_index (self->all, Page, i);
    gboolean in_group = g_str_equal (page->group, shown->group);
    gtk_widget_set_visible (page->button, in_group);
    page->left = in_group ? page == shown : page->left;
  }
  self->following = FALSE;
}

static void
on_button (LsDrawer *self, GtkToggleButton *button)
{
  gboolean active = gtk_toggle_button_get_active (button);
  gtk_accessible_update_state (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_STATE_SELECTED, active, -1);
  if (!self->following && active)
    ls_drawer_show (self, page_of (self, GTK_WIDGET (button)));
}

static void
ask_full (LsDrawer *self)
{
  g_signal_emit_by_name (self, "full");
}

static void
on_group_pressed (LsDrawer *self, int n_press)
{
  if (n_press == 2)
    ask_full (self);
}

static GtkWidget *
add_button (LsDrawer *self, GtkWidget *box, const char *title)
{
  GtkWidget *button = g_object_new (GTK_TYPE_TOGGLE_BUTTON, "label", title, "accessible-role", GTK_ACCESSIBLE_ROLE_TAB, NULL),
            *first = gtk_widget_get_first_child (box);
  gtk_toggle_button_set_group (GTK_TOGGLE_BUTTON (button), GTK_TOGGLE_BUTTON (first));
  g_signal_connect_object (button, "toggled", G_CALLBACK (on_button), self, G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (box), button);
  return button;
}

static void
add_group (LsDrawer *self, const char *group, const char *name)
{
  GtkWidget *button = add_button (self, self->groups, group);
  GtkGesture *click = gtk_gesture_click_new ();
  g_autofree char *id = g_strconcat ("group-", name, NULL);
  gtk_widget_set_name (button, id);
  gtk_widget_set_tooltip_text (button, _("Double-click for full height (z)"));
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (click), GTK_PHASE_CAPTURE);
  g_signal_connect_object (click, "pressed", G_CALLBACK (on_group_pressed), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (button, GTK_EVENT_CONTROLLER (click));
}

/* --- pages --- */

void
ls_drawer_add (LsDrawer *self, const char *group, GtkWidget *page, const char *name, const char *title)
{
  gboolean first = !group_button (self, group);
  if (first)
    add_group (self, group, name);
  Page p = { group, name, add_button (self, self->pages, title), first };
  g_autofree char *id = g_strconcat ("page-", name, NULL);
  gtk_widget_set_name (p.button, id);
  g_array_append_val (self->all, p);
  gtk_stack_add_titled (self->stack, page, name, title);
  on_page (self);
}

void
ls_drawer_show (LsDrawer *self, const char *name)
{
  if (gtk_stack_get_child_by_name (self->stack, name))
    gtk_stack_set_visible_child_name (self->stack, name);
}

GtkWidget *
ls_drawer_get_page (LsDrawer *self, const char *name)
{
  return gtk_stack_get_child_by_name (self->stack, name);
}

const char *
ls_drawer_get_shown (LsDrawer *self)
{
  return gtk_stack_get_visible_child_name (self->stack);
}

void
ls_drawer_next (LsDrawer *self, int direction)
{
  guint n = self->all->len;
  if (n > 0)
    ls_drawer_show (self, page_at (self, (shown_page (self) + n + (guint) direction) % n)->name);
}

void
ls_drawer_set_full (LsDrawer *self, gboolean full)
{
  gtk_button_set_icon_name (GTK_BUTTON (self->full), full ? "view-restore-symbolic" : "view-fullscreen-symbolic");
  gtk_widget_set_tooltip_text (self->full, full ? _("Show texts and drawer (z)") : _("Drawer at full height (z)"));
}

/* --- room --- */

static int
natural (GtkWidget *widget, GtkOrientation orientation)
{
  int size;
  gtk_widget_measure (widget, orientation, -1, NULL, &size, NULL, NULL);
  return size;
}

static void
ls_drawer_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *wanted, int *minimum_baseline,
                   int *natural_baseline)
{
  LsDrawer *self = LS_DRAWER (widget);
  gtk_widget_measure (GTK_WIDGET (self->stack), orientation, -1, minimum, wanted, NULL, NULL);
  int groups = natural (self->groups, orientation), pages = natural (self->pages, orientation), full = natural (self->full, orientation);
  if (orientation == GTK_ORIENTATION_HORIZONTAL) {
    *minimum = MAX (*minimum, MAX (groups + full, pages));
    *wanted = MAX (*wanted, groups + GAP + pages + full);
  } else {
    *minimum += MAX (groups, full) + pages;
    *wanted += MAX (groups, full) + pages;
  }
}

static void
ls_drawer_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  LsDrawer *self = LS_DRAWER (widget);
  int least, groups = natural (self->groups, GTK_ORIENTATION_HORIZONTAL), pages = natural (self->pages, GTK_ORIENTATION_HORIZONTAL),
      full = natural (self->full, GTK_ORIENTATION_HORIZONTAL);
  int line = MAX (natural (self->groups, GTK_ORIENTATION_VERTICAL), natural (self->full, GTK_ORIENTATION_VERTICAL)),
      second = natural (self->pages, GTK_ORIENTATION_VERTICAL);
  gboolean one = groups + GAP + pages + full <= width;
  gtk_widget_measure (GTK_WIDGET (self->stack), GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
  gtk_widget_size_allocate (self->groups, &(GtkAllocation) { 0, 0, groups, line }, -1);
  gtk_widget_size_allocate (self->full, &(GtkAllocation) { MAX (width - full, groups), 0, full, line }, -1);
  gtk_widget_size_allocate (self->pages, &(GtkAllocation) { one ? width - full - pages : 0, one ? 0 : line, pages, one ? line : second },
                            -1);
  line += one ? 0 : second;
  gtk_widget_size_allocate (GTK_WIDGET (self->stack), &(GtkAllocation) { 0, line, MAX (width, least), MAX (height - line, 0) }, -1);
}

/* --- the widget --- */

static void
forget_pages (LsDrawer *self)
{
  g_array_set_size (self->all, 0);
}

static void
ls_drawer_class_init (LsDrawerClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);
  LS_ON_DISPOSE (class, forget_pages);
  LS_OWNS (class, LsDrawer, gtk_widget_unparent, groups, pages, full, stack);
  widget_class->measure = ls_drawer_measure;
  widget_class->size_allocate = ls_drawer_size_allocate;
  gtk_widget_class_set_css_name (widget_class, "drawer");
  ls_class_signal (class, "full", 0);
  LS_KEEPS (class, LsDrawer, g_array_unref, all);
}

static GtkWidget *
new_bar (LsDrawer *self, const char *name, const char *label)
{
  GtkWidget *box = g_object_new (GTK_TYPE_BOX, "name", name, "accessible-role", GTK_ACCESSIBLE_ROLE_TAB_LIST, NULL);
  gtk_widget_add_css_class (box, "linked");
  gtk_widget_set_valign (box, GTK_ALIGN_CENTER);
  gtk_accessible_update_property (GTK_ACCESSIBLE (box), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  gtk_widget_set_parent (box, GTK_WIDGET (self));
  return box;
}

static void
ls_drawer_init (LsDrawer *self)
{
  self->all = g_array_new (FALSE, FALSE, sizeof (Page));
  self->groups = new_bar (self, "drawer-groups", _("Drawer"));
  self->pages = new_bar (self, "drawer-pages", _("Pages"));
  self->full = gtk_button_new ();
  gtk_widget_set_name (self->full, "drawer-full");
  gtk_widget_add_css_class (self->full, "flat");
  gtk_widget_set_valign (self->full, GTK_ALIGN_CENTER);
  gtk_widget_set_parent (self->full, GTK_WIDGET (self));
  g_signal_connect_object (self->full, "clicked", G_CALLBACK (ask_full), self, G_CONNECT_SWAPPED);
  self->stack = g_object_new (GTK_TYPE_STACK, "name", "tables", "hhomogeneous", FALSE, "vhomogeneous", FALSE, NULL);
  gtk_widget_set_parent (GTK_WIDGET (self->stack), GTK_WIDGET (self));
  g_signal_connect_object (self->stack, "notify::visible-child", G_CALLBACK (on_page), self, G_CONNECT_SWAPPED);
  ls_drawer_set_full (self, FALSE);
}
