/* Its words: the base, and how nodes were matched where that is not by lineage. */
#include "compare-bar.h"
#include "kit/class.h"
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
  ls_tip_set (self->matching, n ? _("These nodes have several possible matches: only their structure distinguishes them")
                                : NULL);
}

void
ls_compare_bar_set_session (LsCompareBar *self, LsViewSession *session)
{
  g_set_object (&self->session, session);
  g_signal_connect_object (session, "position-changed", G_CALLBACK (on_position_changed), self, G_CONNECT_SWAPPED);
}

static void
ls_compare_bar_class_init (LsCompareBarClass *class)
{
  LS_UI_BINDS (class, LsCompareBar, "compare-bar", box, base, matching);
  LS_OWNS (class, LsCompareBar, gtk_widget_unparent, box);
  LS_OWNS (class, LsCompareBar, g_object_unref, session);
}

static void
ls_compare_bar_init (LsCompareBar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
