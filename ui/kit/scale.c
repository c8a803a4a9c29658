/* GTK measures text by the display's font resolution: that is scaled, and the desktop's own value is 100 %. */
#include "scale.h"
#include "state.h"

#include <gtk/gtk.h>

static int scale = LS_SCALE_NORMAL;

int
ls_scale_get (void)
{
  return scale;
}

double
ls_scale_set (int percent)
{
  static int normal;
  GtkSettings *settings = gtk_settings_get_default ();
  int before = scale;
  if (!settings)
    return 1;
  if (normal == 0) {
    g_object_get (settings, "gtk-xft-dpi", &normal, NULL);
    if (normal <= 0)
      normal = 96 * 1024;
  }
  scale = CLAMP (percent, 50, 250);
  if (scale == before)
    return 1;
  g_object_set (settings, "gtk-xft-dpi", (int) ((gint64) normal * scale / 100), NULL);
  ls_state_set_int ("window", "scale", scale);
  return (double) scale / before;
}

double
ls_scale_step (int direction)
{
  return ls_scale_set (direction == 0 ? LS_SCALE_NORMAL : scale + direction * 10);
}
