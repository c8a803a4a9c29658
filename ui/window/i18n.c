/* Translation of the window's texts: in which locale numbers are.
 *
 * A recording's own texts (names, listings, messages of compilers) are data and stay as they are; its sentences are shown by their
 * templates (ir/sentence.h). Numbers are written with a point in every language, because they are next to such texts, are typed back,
 * and go to helpers that read them.
 */
#include "i18n.h"

#include <gtk/gtk.h>
#include <locale.h>

void
ls_i18n_init (void)
{
  setlocale (LC_ALL, "");
  setlocale (LC_NUMERIC, "C");
  gtk_disable_setlocale ();      /* it would undo the line above */
  ls_words_bind ();
}
