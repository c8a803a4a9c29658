/* Its words: the base, and how nodes were matched where that is not by lineage. */
#include "compare-bar.h"
#include "kit/text.h"
#include "kit/tip.h"

#include <glib/gi18n.h>

struct _LsCompareBar {
  GtkWidget      parent_instance;
  LsViewSession *session;
  GtkWidget     *box, *base, *matching;
};

G_DEFINE_FINAL_TYPE (LsCompareBar, ls_compare_bar, GTK_TYPE_WIDGET)

static char *
name_of (const LsPosition *p)
{
  g_autofree char *pass = ls_text_valid (p->pass->name);
  g_autofree char *kernel = p->pass->kernel ? g_strdup_printf (_("kernel %u"), p->pass->kernel) : g_strdup (_("tensors"));
  if (ls_pass_n_steps (p->pass) == 0)
    return g_strdup_printf ("%s › %s", kernel, pass);
  return g_strdup_printf (_("%s › %s › step %u"), kernel, pass, p->step);
}

static void
on_position_changed (LsCompareBar *self)
{
  LsPosition before, after;
  gboolean shown = ls_view_session_get_base (self->session, NULL) >= 0 && ls_view_session_sides (self->session, &before, &after);
  gtk_widget_set_visible (GTK_WIDGET (self), shown);
  if (!shown)
    return;
  g_autofree char *name = name_of (&before), *to = name_of (&after);
  g_autofree char *text = g_strdup_printf (_("Compared with %s"), name);
  gtk_label_set_text (GTK_LABEL (self->base), text);
  g_autofree char *tip = g_strdup_printf (_("From %s to %s"), name, to);
  ls_tip_set (self->base, tip);
  const LsGraphDiff *diff = ls_view_session_diff (self->session);
  guint n = diff ? diff->n_ambiguous : 0;
  g_autofree char *matching = n ? g_strdup_printf (ngettext ("%u ambiguous match", "%u ambiguous matches", n), n)
                                : g_strdup (before.pass == after.pass && before.step == after.step ? _("the same position") : "");
  gtk_label_set_text (GTK_LABEL (self->matching), matching);
  ls_tip_set (self->matching, n ? _("These nodes could as well have been matched with others: nothing but their structure tells them apart") : NULL);
}

void
ls_compare_bar_set_session (LsCompareBar *self, LsViewSession *session)
{
  g_set_object (&self->session, session);
  g_signal_connect_object (session, "position-changed", G_CALLBACK (on_position_changed), self, G_CONNECT_SWAPPED);
}

static void
ls_compare_bar_dispose (GObject *object)
{
  LsCompareBar *self = LS_COMPARE_BAR (object);
  g_clear_pointer (&self->box, gtk_widget_unparent);
  g_clear_object (&self->session);
  G_OBJECT_CLASS (ls_compare_bar_parent_class)->dispose (object);
}

static void
ls_compare_bar_class_init (LsCompareBarClass *class)
{
  G_OBJECT_CLASS (class)->dispose = ls_compare_bar_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (class), GTK_TYPE_BIN_LAYOUT);
}

static GtkWidget *
add_button (LsCompareBar *self, const char *name, const char *label, const char *action, const char *tip)
{
  GtkWidget *button = gtk_button_new_with_label (label);
  gtk_widget_set_name (button, name);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_widget_set_tooltip_text (button, tip);
  gtk_box_append (GTK_BOX (self->box), button);
  return button;
}

static void
ls_compare_bar_init (LsCompareBar *self)
{
  self->box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  self->base = gtk_label_new (NULL);
  self->matching = gtk_label_new (NULL);
  gtk_widget_set_name (self->base, "compare-base");
  gtk_label_set_xalign (GTK_LABEL (self->base), 0);
  gtk_label_set_ellipsize (GTK_LABEL (self->base), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_set_hexpand (self->base, TRUE);
  gtk_widget_add_css_class (self->matching, "dim-label");
  gtk_widget_add_css_class (self->box, "compare-bar");
  gtk_box_append (GTK_BOX (self->box), self->base);
  gtk_box_append (GTK_BOX (self->box), self->matching);
  add_button (self, "swap-base", _("Swap"), "win.swap-base", _("Go to what this is compared with, and compare with this position"));
  add_button (self, "stop-comparing", _("Stop Comparing"), "win.stop-comparing", _("Show each step's own change again (Esc)"));
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}
