/* The application: one process for all windows, except for screenshots, which must look the same everywhere and must not disturb other
 * windows. */
#include "application.h"
#include "kit/scale.h"
#include "screenshot.h"
#include "session/trace-text.h"
#include "kit/state.h"
#include "ui-resources.h"
#include "workspaces/workspaces.h"

#include "trace/place.h"

#include <glib/gi18n.h>
#include <gtksourceview/gtksource.h>
#ifdef GDK_WINDOWING_X11
#include <gdk/x11/gdkx.h>
#endif

#define APP_ID "app.lazyscope.Lazyscope"

struct _LsApplication {
  AdwApplication parent_instance;
  LsScreenshot   screenshot;
  int            status;
};

G_DEFINE_FINAL_TYPE (LsApplication, ls_application, ADW_TYPE_APPLICATION)

static void
on_new_window (GSimpleAction *action, GVariant *parameter, gpointer app)
{
  LsWindow *window = ls_window_new (app);
  ls_window_show_start (window);
  gtk_window_present (GTK_WINDOW (window));
}

static void
on_about (GSimpleAction *action, GVariant *parameter, gpointer app)
{
  adw_show_about_window (gtk_application_get_active_window (app), "application-name", _("Lazyscope"), "application-icon", APP_ID, "version",
                         LS_VERSION,
                         "comments", _("A debugger for a tensor compiler: every rewrite from program to kernel, step by step."),
                         "license-type", GTK_LICENSE_MIT_X11, NULL);
}

static void
on_quit (GSimpleAction *action, GVariant *parameter, gpointer app)
{
  GList *windows = g_list_copy (gtk_application_get_windows (app));
  for (GList *l = windows; l; l = l->next)
    gtk_window_close (l->data);      /* each saves its state */
  g_list_free (windows);
}

/* GDK ends the program for an error of the X server, and makes some: the small window that follows a text being dragged is placed once
 * more after it has gone (move_drag_surface, GDK 4.8). No X error is worth losing unsaved data: a trap that is never removed catches
 * those that no other trap does. */
static void
survive_x_errors (void)
{
#ifdef GDK_WINDOWING_X11
  GdkDisplay *display = gdk_display_get_default ();
  if (GDK_IS_X11_DISPLAY (display))
    gdk_x11_display_error_trap_push (display);
#endif
}

/* The colours of axes come from their table. */
static void
load_axis_colors (AdwStyleManager *style, GParamSpec *pspec, GtkCssProvider *provider)
{
  g_autofree char *css = ls_text_axis_css (adw_style_manager_get_dark (style), adw_style_manager_get_high_contrast (style));
  gtk_css_provider_load_from_data (provider, css, -1);
}

static void
color_axes (void)
{
  g_autoptr (GtkCssProvider) provider = gtk_css_provider_new ();
  AdwStyleManager *style = adw_style_manager_get_default ();
  gtk_style_context_add_provider_for_display (gdk_display_get_default (), GTK_STYLE_PROVIDER (provider),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
  g_signal_connect_object (style, "notify::dark", G_CALLBACK (load_axis_colors), provider, 0);
  g_signal_connect_object (style, "notify::high-contrast", G_CALLBACK (load_axis_colors), provider, 0);
  load_axis_colors (style, NULL, provider);
}

static void
ls_application_startup (GApplication *app)
{
  static const GActionEntry actions[] = { { "new-window", on_new_window }, { "about", on_about }, { "quit", on_quit } };
  static const struct { const char *action, *accels[4]; } keys[] = {
    { "app.quit", { "<Control>q" } }, { "app.new-window", { "<Control><Shift>n" } }, { "win.open", { "<Control>o" } },
    { "win.save", { "<Control>s" } },
    { "win.run", { "<Control>Return", "<Control>KP_Enter" } }, { "win.run-with", { "<Control><Shift>Return", "<Control><Shift>KP_Enter" } },
    { "win.next-run", { "<Alt>Page_Down" } }, { "win.prev-run", { "<Alt>Page_Up" } },  { "win.next-statement", { "F8" } },
    { "win.prev-statement", { "<Shift>F8" } }, { "win.sidebar", { "F9" } }, { "win.present", { "F5" } },
    { "win.shortcuts", { "<Control>question" } }, { "win.help", { "F1" } },
    { "win.larger", { "<Control>plus", "<Control>equal", "<Control>KP_Add" } },
    { "win.smaller", { "<Control>minus", "<Control>KP_Subtract" } },
    { "win.usual-size", { "<Control>0", "<Control>KP_0" } },
    { "win.next-kernel", { "<Control>Page_Down" } }, { "win.prev-kernel", { "<Control>Page_Up" } }, { "win.search", { "<Control>f" } },
    { "win.back", { "<Alt>Left" } }, { "win.forward", { "<Alt>Right" } },
    { "win.copy-link", { "<Control><Shift>c" } }, { "win.share", { "<Control><Shift>e" } }, { "window.close", { "<Control>w" } },
  };
  G_APPLICATION_CLASS (ls_application_parent_class)->startup (app);
  survive_x_errors ();
  g_set_application_name (_("Lazyscope"));
  gtk_source_init ();
  color_axes ();
  ls_scale_set (ls_state_get_int ("window", "scale", LS_SCALE_NORMAL));
  g_action_map_add_action_entries (G_ACTION_MAP (app), actions, G_N_ELEMENTS (actions), app);
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    gtk_application_set_accels_for_action (GTK_APPLICATION (app), keys[i].action, keys[i].accels);
  for (guint i = 0; i < ls_n_workspaces; i++) {
    g_autofree char *action = g_strconcat ("win.workspace::", ls_workspaces[i].name, NULL), *key = g_strdup_printf ("<Control>%u", i + 1);
    gtk_application_set_accels_for_action (GTK_APPLICATION (app), action, (const char *[]) { key, NULL });
  }
  gtk_icon_theme_add_resource_path (gtk_icon_theme_get_for_display (gdk_display_get_default ()), "/app/lazyscope/Lazyscope/icons");
}

static void
on_screenshot_done (gboolean ok, gpointer data)
{
  LsApplication *self = data;
  self->status = ok ? 0 : 1;
  g_application_quit (G_APPLICATION (self));
}

static void
ls_application_activate (GApplication *app)
{
  LsApplication *self = LS_APPLICATION (app);
  if (self->screenshot.output) {
    LsWindow *window = ls_screenshot_window (GTK_APPLICATION (app), &self->screenshot, on_screenshot_done, self);
    ls_window_show_start (window);
    return;
  }
  on_new_window (NULL, NULL, app);
}

static int
ls_application_command_line (GApplication *app, GApplicationCommandLine *command_line)
{
  LsApplication *self = LS_APPLICATION (app);
  g_auto (GStrv) arguments = g_application_command_line_get_arguments (command_line, NULL);
  if (!arguments[0] || !arguments[1]) {
    g_application_activate (app);
    return 0;
  }
  for (char **arg = arguments + 1; *arg; arg++) {
    /* another instance's folder may be another one */
    g_autoptr (GFile) file = g_application_command_line_create_file_for_arg (command_line, *arg);
    g_autofree char *address = ls_place_of_uri (*arg), *link = address ? g_steal_pointer (&address) : g_file_get_path (file);
    LsWindow *window;
    if (self->screenshot.output) {
      window = ls_screenshot_window (GTK_APPLICATION (app), &self->screenshot, on_screenshot_done, self);
    } else {
      GtkWindow *active = gtk_application_get_active_window (GTK_APPLICATION (app));
      window = LS_IS_WINDOW (active) && ls_window_is_unused (LS_WINDOW (active)) ? LS_WINDOW (active)
                                                                                 : ls_window_new (GTK_APPLICATION (app));
      gtk_window_present (GTK_WINDOW (window));
    }
    ls_window_open (window, link ? link : *arg);
  }
  return 0;
}

static void
ls_application_shutdown (GApplication *app)
{
  ls_state_save ();
  G_APPLICATION_CLASS (ls_application_parent_class)->shutdown (app);
}

static void
ls_application_class_init (LsApplicationClass *class)
{
  GApplicationClass *app_class = G_APPLICATION_CLASS (class);
  app_class->startup = ls_application_startup;
  app_class->activate = ls_application_activate;
  app_class->command_line = ls_application_command_line;
  app_class->shutdown = ls_application_shutdown;
}

static void
ls_application_init (LsApplication *self)
{
}

LsApplication *
ls_application_new (const LsScreenshot *screenshot)
{
  ls_ui_register_resource ();
  if (screenshot->output)
    ls_state_disable ();
  GApplicationFlags flags = G_APPLICATION_HANDLES_COMMAND_LINE | (screenshot->output ? G_APPLICATION_NON_UNIQUE : 0);
  LsApplication *self = g_object_new (LS_TYPE_APPLICATION, "application-id", APP_ID, "flags", flags, "resource-base-path",
                                      "/app/lazyscope/Lazyscope", NULL);
  self->screenshot = *screenshot;
  return self;
}

int
ls_application_get_status (LsApplication *self)
{
  return self->status;
}
