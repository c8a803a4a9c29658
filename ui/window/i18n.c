/* Translation of the window's texts: where the catalogues are, and in which locale numbers are.
 *
 * A recording's own texts (ops, rules with their sentences, listings, messages of compilers) are data and stay as they are. Numbers are
 * written with a point in every language, since they stand beside such texts, are typed back, and go to helpers that read them.
 */
#include "i18n.h"
#include "session/run-program.h"

#include <glib/gi18n.h>
#include <gtk/gtk.h>
#include <locale.h>

/* Uninstalled runs find the build's: the viewer lies one folder beside them, a test two. */
static char *
catalogues_dir (void)
{
  g_autofree char *here = ls_executable_dir ();
  static const char *const ways[][4] = { { "..", "data", "po", NULL }, { "..", "..", "data", "po" }, { "..", "share", "locale", NULL } };
  for (gsize i = 0; i < G_N_ELEMENTS (ways); i++) {
    g_autofree char *path = g_build_filename (here, ways[i][0], ways[i][1], ways[i][2], ways[i][3], NULL);
    g_autofree char *probe = g_build_filename (path, "de", "LC_MESSAGES", GETTEXT_PACKAGE ".mo", NULL);
    if (g_file_test (probe, G_FILE_TEST_IS_REGULAR))
      return g_steal_pointer (&path);
  }
  return g_strdup (LS_LOCALEDIR);
}

void
ls_i18n_init (void)
{
  g_autofree char *folder = catalogues_dir ();
  setlocale (LC_ALL, "");
  setlocale (LC_NUMERIC, "C");
  gtk_disable_setlocale ();      /* it would undo the line above */
  bindtextdomain (GETTEXT_PACKAGE, folder);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
}
