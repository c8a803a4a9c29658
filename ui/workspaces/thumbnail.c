/* The examples' pictures on the start page, light and dark, from the program's resources: data/thumbnails has them, drawn by the
 * graph's own drawing at a step of each example's recording (tests/ui/test-thumbnails.c, which also says where one is missing or no
 * longer true).
 *
 * They are decoded one an iteration of the main loop, after the first frame, so that the start page is there as fast as without them.
 */
#include "thumbnail.h"

#include <adwaita.h>

#define FOLDER "/app/lazyscope/Lazyscope/thumbnails/"

static GQueue waiting = G_QUEUE_INIT;      /* GtkPicture */
static guint  source;

static char *
path_of (const char *example)
{
  return g_strdup_printf (FOLDER "%s-%s.png", example, adw_style_manager_get_dark (adw_style_manager_get_default ()) ? "dark" : "light");
}

static gboolean
load_next (gpointer data)
{
  g_autoptr (GtkPicture) picture = g_queue_pop_head (&waiting);
  g_autofree char *path = path_of (g_object_get_data (G_OBJECT (picture), "example"));
  g_autoptr (GdkTexture) texture = gdk_texture_new_from_resource (path);
  gtk_picture_set_paintable (picture, GDK_PAINTABLE (texture));
  if (!g_queue_is_empty (&waiting))
    return G_SOURCE_CONTINUE;
  source = 0;
  return G_SOURCE_REMOVE;
}

static void
load (GtkWidget *picture)
{
  g_queue_push_tail (&waiting, g_object_ref (picture));
  if (!source)
    source = g_idle_add_full (G_PRIORITY_LOW, load_next, NULL, NULL);
}

GtkWidget *
ls_thumbnail_new (const char *example)
{
  g_autofree char *path = path_of (example);
  GtkWidget *widget;
  if (g_resources_get_info (path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL, NULL, NULL)) {
    widget = gtk_picture_new ();
    gtk_picture_set_content_fit (GTK_PICTURE (widget), GTK_CONTENT_FIT_COVER);
    gtk_picture_set_can_shrink (GTK_PICTURE (widget), TRUE);
    g_object_set_data_full (G_OBJECT (widget), "example", g_strdup (example), g_free);
    g_signal_connect_object (adw_style_manager_get_default (), "notify::dark", G_CALLBACK (load), widget, G_CONNECT_SWAPPED);
    load (widget);
  } else {
    widget = gtk_image_new_from_icon_name ("text-x-generic-symbolic");
    gtk_image_set_icon_size (GTK_IMAGE (widget), GTK_ICON_SIZE_LARGE);
  }
  gtk_widget_set_size_request (widget, -1, LS_THUMBNAIL_HEIGHT);
  gtk_widget_set_overflow (widget, GTK_OVERFLOW_HIDDEN);
  gtk_widget_add_css_class (widget, "thumbnail");
  return widget;
}
