/* Two rows, each hidden when it has nothing to say; the pointer on the message keeps it. */
#include "notices.h"
#include "class.h"
#include "paragraph.h"
#include "text.h"

#include <glib/gi18n.h>

#define SHORTEST 4000      /* milliseconds */
#define PER_CHARACTER 60   /* milliseconds: 200 words a minute */

struct _LsNotices {
  GtkWidget  parent_instance;
  GtkWidget *progress, *said;      /* rows */
  GtkLabel  *progress_label, *said_label;
  guint      timeout;
  gboolean   held;                 /* by the pointer */
};

G_DEFINE_FINAL_TYPE (LsNotices, ls_notices, GTK_TYPE_WIDGET)

static void
take_back (LsNotices *self)
{
  g_clear_handle_id (&self->timeout, g_source_remove);
  gtk_widget_set_visible (self->said, FALSE);
}

static gboolean
on_timeout (gpointer data)
{
  LsNotices *self = data;
  if (self->held)
    return G_SOURCE_CONTINUE;
  self->timeout = 0;
  take_back (self);
  return G_SOURCE_REMOVE;
}

void
ls_notices_say (LsNotices *self, const char *text)
{
  g_autofree char *valid = ls_text_valid (text);
  g_clear_handle_id (&self->timeout, g_source_remove);
  gtk_label_set_text (self->said_label, valid);
  gtk_widget_set_visible (self->said, TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->said), GTK_ACCESSIBLE_PROPERTY_LABEL, valid, -1);
  self->timeout = g_timeout_add ((guint) MAX (SHORTEST, g_utf8_strlen (valid, -1) * PER_CHARACTER), on_timeout, self);
}

const char *
ls_notices_get_said (LsNotices *self)
{
  return gtk_label_get_text (self->said_label);
}

void
ls_notices_set_progress (LsNotices *self, const char *text)
{
  gtk_widget_set_visible (self->progress, text != NULL);
  gtk_label_set_text (self->progress_label, text ? text : "");
}

static void
on_enter (LsNotices *self)
{
  self->held = TRUE;
}

static void
on_leave (LsNotices *self)
{
  self->held = FALSE;
}

/* The look of libadwaita's toasts goes by the name. */
static GtkWidget *
add_row (LsNotices *self, GtkAccessibleRole role, GtkLabel **label)
{
  GtkWidget *row = g_object_new (GTK_TYPE_BOX, "css-name", "toast", "accessible-role", role, "spacing", 6, "halign", GTK_ALIGN_CENTER,
                                 "visible", FALSE, NULL);
  *label = g_object_new (GTK_TYPE_LABEL, "lines", 4, "ellipsize", PANGO_ELLIPSIZE_END, "max-width-chars", 90, "xalign", 0.0, NULL);
  gtk_widget_add_css_class (GTK_WIDGET (*label), "heading");
  gtk_box_append (GTK_BOX (row), ls_paragraph_new (*label));
  gtk_widget_set_parent (row, GTK_WIDGET (self));
  return row;
}

static void
ls_notices_class_init (LsNoticesClass *class)
{
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (class), GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (class), "notices");
  LS_SOURCES (class, LsNotices, timeout);
  LS_OWNS (class, LsNotices, gtk_widget_unparent, progress, said);
}

static void
ls_notices_init (LsNotices *self)
{
  gtk_orientable_set_orientation (GTK_ORIENTABLE (gtk_widget_get_layout_manager (GTK_WIDGET (self))), GTK_ORIENTATION_VERTICAL);
  self->said = add_row (self, GTK_ACCESSIBLE_ROLE_ALERT, &self->said_label);
  GtkWidget *close = gtk_button_new_from_icon_name ("window-close-symbolic");
  gtk_widget_set_tooltip_text (close, _("Close the message"));
  gtk_widget_set_valign (close, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (close, "flat");
  gtk_widget_add_css_class (close, "circular");
  g_signal_connect_swapped (close, "clicked", G_CALLBACK (take_back), self);
  gtk_box_append (GTK_BOX (self->said), close);
  GtkEventController *motion = gtk_event_controller_motion_new ();
  g_signal_connect_swapped (motion, "enter", G_CALLBACK (on_enter), self);
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (on_leave), self);
  gtk_widget_add_controller (self->said, motion);

  self->progress = add_row (self, GTK_ACCESSIBLE_ROLE_STATUS, &self->progress_label);
  GtkWidget *cancel = gtk_button_new_with_label (_("Cancel"));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (cancel), "win.cancel");
  gtk_widget_set_valign (cancel, GTK_ALIGN_CENTER);
  gtk_box_append (GTK_BOX (self->progress), cancel);
}
