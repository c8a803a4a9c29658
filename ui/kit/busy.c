#include "busy.h"

static GQuark
busy_quark (void)
{
  return g_quark_from_static_string ("ls-busy");
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  LsBusy busy = (LsBusy) g_type_get_qdata (pspec->owner_type, busy_quark ());
  g_value_set_boolean (value, busy (object));
}

void
ls_busy_install (gpointer class, LsBusy busy)
{
  g_type_set_qdata (G_OBJECT_CLASS_TYPE (class), busy_quark (), (gpointer) busy);
  G_OBJECT_CLASS (class)->get_property = get_property;
  g_object_class_install_property (class, 1, g_param_spec_boolean ("busy", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}

gboolean
ls_busy_has (GtkWidget *widget)
{
  return g_object_class_find_property (G_OBJECT_GET_CLASS (widget), "busy") != NULL;
}

gboolean
ls_busy_get (GtkWidget *widget)
{
  gboolean busy = FALSE;
  if (ls_busy_has (widget))
    g_object_get (widget, "busy", &busy, NULL);
  return busy;
}
