/* The viewer's main: options, then the application. */
#include <glib/gi18n.h>
#include <stdlib.h>

#include "window/application.h"
#include "window/i18n.h"

static gboolean
parse_size (const char *text, LsScreenshot *shot)
{
  char *end;
  shot->width = (int) strtol (text, &end, 10);
  if (*end != 'x' && *end != 'X')
    return FALSE;
  shot->height = (int) strtol (end + 1, &end, 10);
  return *end == '\0' && shot->width >= 200 && shot->width <= 8192 && shot->height >= 200 && shot->height <= 8192;
}

int
main (int argc, char **argv)
{
  g_autofree char *output = NULL, *size = NULL;
  g_auto (GStrv) actions = NULL;
  gboolean dark = FALSE, version = FALSE;
  const GOptionEntry entries[] = {
    { "screenshot", 0, 0, G_OPTION_ARG_FILENAME, &output, N_("Render the window to a file and exit"), "OUT.png" },
    { "size", 0, 0, G_OPTION_ARG_STRING, &size, N_("Size of the screenshot (1600x1000)"), "WxH" },
    { "do", 0, 0, G_OPTION_ARG_STRING_ARRAY, &actions,
      N_("Action before the screenshot, such as win.origin or win.table::timing; repeatable"), "ACTION" },
    { "dark", 0, 0, G_OPTION_ARG_NONE, &dark, N_("Dark colours in the screenshot"), NULL },
    { "version", 0, 0, G_OPTION_ARG_NONE, &version, N_("Print the version"), NULL },
    { NULL },
  };
  ls_i18n_init ();
  g_autoptr (GOptionContext) context = g_option_context_new (_("[FILE.py | FILE.lscope][#KERNEL/PASS/STEP[~BASE][?node=N]]"));
  g_autoptr (GError) error = NULL;
  g_option_context_add_main_entries (context, entries, GETTEXT_PACKAGE);
  g_option_context_set_summary (context, _("Step through what a tensor compiler does to a program."));
  LsScreenshot shot = { NULL, 1600, 1000, FALSE, NULL };
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    g_printerr ("lazyscope: %s\n", error->message);
    return 2;
  }
  if (size && !parse_size (size, &shot)) {
    g_printerr (_("lazyscope: --size wants WxH, for example 1280x800\n"));
    return 2;
  }
  if (version) {
    g_print ("lazyscope %s\n", LS_VERSION);
    return 0;
  }
  shot.output = output;
  shot.dark = dark;
  shot.actions = actions;
  if (output)
    g_setenv ("ADW_DISABLE_PORTAL", "1", TRUE);
  if (!gtk_init_check ()) {
    g_printerr (_("lazyscope: there is no display to open a window on (DISPLAY, WAYLAND_DISPLAY); lazyscope-cli needs none\n"));
    return 1;
  }
  g_autoptr (LsApplication) app = ls_application_new (&shot);
  int status = g_application_run (G_APPLICATION (app), argc, argv);
  return status ? status : ls_application_get_status (app);
}
