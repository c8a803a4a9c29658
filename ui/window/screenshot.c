/* Screenshots: fonts, colours and motion are fixed, and the state file is not used. Each action, and then the picture, comes after the
 * window has said that it is idle and has drawn three more frames, never after a sleep: a list scrolls for some frames, and where it
 * ends may depend on the size that it has meanwhile. */
#include "screenshot.h"
#include "window-private.h"

#include <glib/gi18n.h>

#define MOST_TRIES 20

typedef struct {
  GtkWidget        *window;
  char             *path;
  LsScreenshotDone  done;
  gpointer          data;
  char             **list, **actions;    /* all, and those that are still to be done; or NULL */
  int               frames;      /* still to be drawn */
  guint             tries;
  gulong            paint;
  gboolean          laid_out;
  gboolean          due;         /* the next action, or the picture, is about to come */
  gboolean          wrong;       /* an action that is not there; the picture is taken all the same */
} Shot;

static void
shot_free (Shot *shot)
{
  g_object_unref (shot->window);
  g_strfreev (shot->list);
  g_free (shot->path);
  g_free (shot);
}

gboolean
ls_screenshot_save (GtkWidget *window, const char *path, GError **error)
{
  g_autoptr (GdkPaintable) paintable = gtk_widget_paintable_new (window);
  g_autoptr (GtkSnapshot) snapshot = gtk_snapshot_new ();
  int width = gdk_paintable_get_intrinsic_width (paintable), height = gdk_paintable_get_intrinsic_height (paintable);
  gdk_paintable_snapshot (paintable, snapshot, width, height);
  g_autoptr (GskRenderNode) node = gtk_snapshot_to_node (snapshot);
  if (!node) {
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_INITIALIZED, _("The window has drawn nothing"));
    return FALSE;
  }
  GskRenderer *renderer = gtk_native_get_renderer (GTK_NATIVE (window));
  g_autoptr (GdkTexture) texture = gsk_renderer_render_texture (renderer, node, &GRAPHENE_RECT_INIT (0, 0, (float) width, (float) height));
  if (!gdk_texture_save_to_png (texture, path)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, _("%s cannot be written"), path);
    return FALSE;
  }
  return TRUE;
}

/* The picture is of the window that an action opened, if it opened one. */
static GtkWidget *
shown_window (GtkWidget *window)
{
  GListModel *all = gtk_window_get_toplevels ();
  for (guint i = 0; i < g_list_model_get_n_items (all); i++) {
    g_autoptr (GtkWindow) w = g_list_model_get_item (all, i);
    if (gtk_window_get_transient_for (w) == GTK_WINDOW (window) && gtk_widget_get_mapped (GTK_WIDGET (w)))
      return GTK_WIDGET (w);
  }
  return window;
}

/* The picture says why nothing was opened; so does stderr. */
static gboolean
is_failed (LsWindow *window)
{
  if (!g_str_equal (ls_window_get_page (window), "failed"))
    return FALSE;
  g_autofree char *why = NULL;
  pango_parse_markup (adw_status_page_get_description (window->failed), -1, 0, NULL, &why, NULL, NULL);
  g_printerr ("lazyscope: %s\n", why);
  return TRUE;
}

/* "win.name", "win.name::text" or "win.name(value)". A number may be written as text, as in win.origin-of-line::12. FALSE: there is
 * no such action, or not with that parameter. */
static gboolean
activate (GtkWidget *window, const char *detailed)
{
  g_autofree char *name = NULL;
  g_autoptr (GVariant) target = NULL;
  if (!g_action_parse_detailed_name (detailed, &name, &target, NULL))
    return FALSE;
  const char *known, *property;
  const GVariantType *type;
  GType owner;
  for (guint i = 0; gtk_widget_class_query_action (GTK_WIDGET_GET_CLASS (window), i, &owner, &known, &type, &property); i++) {
    if (!g_str_equal (known, name))
      continue;
    if (type && target && !g_variant_is_of_type (target, type) && g_variant_is_of_type (target, G_VARIANT_TYPE_STRING)) {
      GVariant *value = g_variant_parse (type, g_variant_get_string (target, NULL), NULL, NULL, NULL);
      g_variant_unref (target);
      target = value;
    }
    return type ? target && g_variant_is_of_type (target, type) && gtk_widget_activate_action_variant (window, name, target)
                : !target && gtk_widget_activate_action_variant (window, name, NULL);
  }
  return gtk_widget_activate_action_variant (window, name, target);      /* the application's */
}

static void on_idle (Shot *shot);

static void
take (Shot *shot)
{
  g_autoptr (GError) error = NULL;
  gboolean ok = ls_screenshot_save (shown_window (shot->window), shot->path, &error);
  /* something was changed since the last frame */
  if (!ok && shot->tries++ < MOST_TRIES && g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_INITIALIZED)) {
    on_idle (shot);
    return;
  }
  if (!ok)
    g_printerr ("lazyscope: %s\n", error->message);
  g_signal_handlers_disconnect_by_data (shot->window, shot);      /* one picture, whatever the window does from here on */
  shot->done (!is_failed (LS_WINDOW (shot->window)) && ok && !shot->wrong, shot->data);
  shot_free (shot);
}

/* Splits are kept in proportion while a window comes to its size, and the sizes on the way differ from time to time. */
static void
lay_out (Shot *shot)
{
  shot->laid_out = TRUE;
  gtk_widget_activate_action (shot->window, "win.reset-layout", NULL);
  GtkWidget *shown = shown_window (shot->window);
  gtk_widget_remove_css_class (shown, "solid-csd");      /* the frame that replaces a shadow without a compositor */
  gtk_widget_set_can_target (shown, FALSE);
}

static gboolean
go_on (gpointer data)
{
  Shot *shot = data;
  shot->due = FALSE;
  if (shot->laid_out) {
    take (shot);
    return G_SOURCE_REMOVE;
  }
  const char *action = shot->actions ? *shot->actions : NULL;
  if (!action) {
    lay_out (shot);
  } else {
    shot->actions++;
    if (!activate (shot->window, action)) {
      g_printerr (_("lazyscope: there is no action %s here\n"), action);
      shot->wrong = TRUE;
    }
  }
  ls_window_check_idle (LS_WINDOW (shot->window));
  return G_SOURCE_REMOVE;
}

static void
on_after_paint (GdkFrameClock *clock, Shot *shot)
{
  if (!ls_window_is_idle (LS_WINDOW (shot->window))) {      /* it will say when it is */
    g_clear_signal_handler (&shot->paint, clock);
    return;
  }
  if (--shot->frames > 0) {
    gtk_widget_queue_draw (shot->window);
    return;
  }
  g_clear_signal_handler (&shot->paint, clock);
  shot->due = TRUE;
  g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, go_on, shot, NULL);
}

static void
on_idle (Shot *shot)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (shot->window);
  if (shot->paint || shot->due || !clock)
    return;
  shot->frames = 3;
  shot->paint = g_signal_connect (clock, "after-paint", G_CALLBACK (on_after_paint), shot);
  gtk_widget_queue_draw (shot->window);
}

void
ls_screenshot_pin (gboolean dark)
{
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE, "gtk-cursor-blink", FALSE, "gtk-font-name", "DejaVu Sans 10",
                "gtk-xft-dpi", 96 * 1024,
                "gtk-xft-antialias", 1, "gtk-xft-hinting", 1, "gtk-xft-hintstyle", "hintslight", "gtk-xft-rgba", "none", NULL);
  adw_style_manager_set_color_scheme (adw_style_manager_get_default (), dark ? ADW_COLOR_SCHEME_FORCE_DARK : ADW_COLOR_SCHEME_FORCE_LIGHT);
}

LsWindow *
ls_screenshot_window (GtkApplication *app, const LsScreenshot *screenshot, LsScreenshotDone done, gpointer data)
{
  ls_screenshot_pin (screenshot->dark);
  GtkCssProvider *css = gtk_css_provider_new ();      /* these come and go by a clock of their own */
  gtk_css_provider_load_from_data (css, "scrollbar.overlay-indicator { opacity: 0; }", -1);
  gtk_style_context_add_provider_for_display (gdk_display_get_default (), GTK_STYLE_PROVIDER (css),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
  g_object_unref (css);
  LsWindow *window = ls_window_new (app);
  gtk_widget_set_can_target (GTK_WIDGET (window), FALSE);      /* wherever the pointer is, it points at nothing: no hover, no tooltip */
  gtk_window_unmaximize (GTK_WINDOW (window));
  gtk_window_set_default_size (GTK_WINDOW (window), screenshot->width, screenshot->height);
  Shot *shot = g_new (Shot, 1);      /* until the picture is taken */
  char **actions = g_strdupv (screenshot->actions);
  *shot = (Shot) { g_object_ref (GTK_WIDGET (window)), g_strdup (screenshot->output), done, data, actions, actions, 0, 0, 0 };
  g_signal_connect_swapped (window, "idle", G_CALLBACK (on_idle), shot);
  gtk_window_present (GTK_WINDOW (window));
  return window;
}
