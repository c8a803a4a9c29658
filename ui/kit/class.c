#include "class.h"

#define RESOURCES "/app/lazyscope/Lazyscope/"

void
ls_class_template (gpointer class, const char *name, const LsChild *children)
{
  g_autofree char *path = g_strconcat (RESOURCES, name, ".ui", NULL);
  GtkWidgetClass *parent = g_type_class_peek_parent (class);
  gtk_widget_class_set_template_from_resource (class, path);
  if (G_OBJECT_CLASS_TYPE (parent) == GTK_TYPE_WIDGET && GTK_WIDGET_CLASS (class)->measure == parent->measure)
    gtk_widget_class_set_layout_manager_type (class, GTK_TYPE_BIN_LAYOUT);
  for (; children->name; children++)
    gtk_widget_class_bind_template_child_full (class, children->name, FALSE, (gssize) children->offset);
}

void
ls_class_callbacks (gpointer class, const LsCallback *callbacks)
{
  for (; callbacks->name; callbacks++)
    gtk_widget_class_bind_template_callback_full (class, callbacks->name, callbacks->function);
}

void
ls_class_uses (const GType *types)
{
  for (; *types; types++)
    g_type_ensure (*types);
}

void
ls_class_signal (gpointer class, const char *name, guint n, ...)
{
  va_list types;
  va_start (types, n);
  g_signal_new_valist (name, G_OBJECT_CLASS_TYPE (class), G_SIGNAL_RUN_LAST, NULL, NULL, NULL, NULL, G_TYPE_NONE, n, types);
  va_end (types);
}

/* --- what an object gives back --- */

typedef struct { gsize offset; GDestroyNotify give_back; LsGivenBack when; } Owned;

static GQuark
owned_quark (void)
{
  return g_quark_from_static_string ("ls-owned");
}

static void
give_back (GObject *object, LsGivenBack when)
{
  const GArray *all = g_type_get_qdata (G_OBJECT_TYPE (object), owned_quark ());
  for (guint i = 0; i < all->len; i++) {
    const Owned *owned = &g_array_index (all, Owned, i);
    gpointer member = G_STRUCT_MEMBER_P (object, owned->offset);
    if (owned->when != when)
      continue;
    if (!owned->offset)
      owned->give_back (object);
    else if (owned->give_back)
      g_clear_pointer ((gpointer *) member, owned->give_back);
    else
      g_clear_handle_id ((guint *) member, g_source_remove);
  }
}

static GObjectClass *
parent_class (GObject *object)
{
  return g_type_class_peek_parent (G_OBJECT_GET_CLASS (object));
}

static void
dispose (GObject *object)
{
  give_back (object, LS_IN_DISPOSE);
  parent_class (object)->dispose (object);
}

static void
finalize (GObject *object)
{
  give_back (object, LS_IN_FINALIZE);
  parent_class (object)->finalize (object);
}

void
ls_class_gives_back (gpointer class, LsGivenBack when, GDestroyNotify give, const gsize *offsets)
{
  GType type = G_OBJECT_CLASS_TYPE (class);
  GArray *all = g_type_get_qdata (type, owned_quark ());
  if (!all)
    g_type_set_qdata (type, owned_quark (), all = g_array_new (FALSE, FALSE, sizeof (Owned)));
  G_OBJECT_CLASS (class)->dispose = dispose;
  G_OBJECT_CLASS (class)->finalize = finalize;
  do {
    Owned owned = { *offsets, give, when };
    g_array_append_val (all, owned);
  } while (*offsets && *++offsets);
}

void
ls_cancel (GCancellable *cancellable)
{
  g_cancellable_cancel (cancellable);
  g_object_unref (cancellable);
}

void
ls_unparent_all (GtkWidget *widget)
{
  for (GtkWidget *child; (child = gtk_widget_get_first_child (widget));)
    gtk_widget_unparent (child);
}
