/* The window in German: of all that it shows nothing that the catalogue has a translation of is still English. */
#include "kit/cells.h"
#include "fixture.h"
#include "share/words.h"
#include "window/i18n.h"

#include <glib/gi18n.h>
#include <gtksourceview/gtksource.h>
#include <string.h>

/* --- what is shown --- */

typedef void (*Heard) (const char *text, gpointer data);

static void
hear_menu (GMenuModel *menu, Heard heard, gpointer data)
{
  for (int i = 0; i < g_menu_model_get_n_items (menu); i++) {
    g_autofree char *label = NULL;
    if (g_menu_model_get_item_attribute (menu, i, G_MENU_ATTRIBUTE_LABEL, "s", &label))
      heard (label, data);
    g_autoptr (GMenuLinkIter) links = g_menu_model_iterate_item_links (menu, i);
    while (g_menu_link_iter_next (links)) {
      g_autoptr (GMenuModel) model = g_menu_link_iter_get_value (links);
      hear_menu (model, heard, data);
    }
  }
}

/* Texts of a recording and of files are data: no catalogue has them. */
static void
hear (GtkWidget *widget, Heard heard, gpointer data)
{
  g_autofree char *tip = gtk_widget_get_tooltip_text (widget) ? g_strdup (gtk_widget_get_tooltip_text (widget)) : NULL;
  if (tip)
    heard (tip, data);
  if (GTK_IS_LABEL (widget))
    heard (gtk_label_get_text (GTK_LABEL (widget)), data);
  for (guint i = 0; LS_IS_CELLS (widget) && i < ls_cells_get_n (LS_CELLS (widget)); i++)
    if (ls_cells_get_text (LS_CELLS (widget), i))
      heard (ls_cells_get_text (LS_CELLS (widget), i), data);
  if (g_str_equal (gtk_widget_get_name (widget), "help-text")) {
    GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (widget));
    GtkTextIter start, end;
    gtk_text_buffer_get_bounds (buffer, &start, &end);
    g_autofree char *text = gtk_text_buffer_get_text (buffer, &start, &end, FALSE);
    g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
    for (char **line = lines; *line; line++)
      heard (*line, data);
  }
  if (GTK_IS_ENTRY (widget) && gtk_entry_get_placeholder_text (GTK_ENTRY (widget)))
    heard (gtk_entry_get_placeholder_text (GTK_ENTRY (widget)), data);
  if (GTK_IS_MENU_BUTTON (widget) && gtk_menu_button_get_menu_model (GTK_MENU_BUTTON (widget)))
    hear_menu (gtk_menu_button_get_menu_model (GTK_MENU_BUTTON (widget)), heard, data);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child; child = gtk_widget_get_next_sibling (child))
    hear (child, heard, data);
}

/* --- in two languages --- */

static void
note (const char *text, gpointer data)
{
  g_hash_table_add (data, g_strdup (text));
}

/* Every window text in the language of the environment; the start page, a step and the windows of their own. */
static void
visit (Heard heard, gpointer data)
{
  LsWindow *window = open_start (1600, 1000);
  GtkMenuButton *menu = GTK_MENU_BUTTON (find_widget (GTK_WIDGET (window), "main-menu"));
  gtk_menu_button_popup (menu);      /* it is made then */
  settle ();
  hear (GTK_WIDGET (window), heard, data);
  gtk_menu_button_popdown (menu);
  close_window (window);
  window = open_at ("3/simplify#2/5");
  hear (GTK_WIDGET (window), heard, data);
  static const char *const windows[] = { "win.help", "win.shortcuts", "win.why-not" };
  for (gsize i = 0; i < G_N_ELEMENTS (windows); i++) {
    g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), windows[i], NULL));
    settle ();
    g_autoptr (GtkWindow) other = g_list_model_get_item (gtk_window_get_toplevels (),
                                                         g_list_model_get_n_items (gtk_window_get_toplevels ()) - 1);
    g_assert_true (GTK_WIDGET (other) != GTK_WIDGET (window));
    hear (GTK_WIDGET (other), heard, data);
    gtk_window_destroy (other);
    settle ();
  }
  close_window (window);
}

static void
speak (const char *language)
{
  extern int _nl_msg_cat_cntr;      /* notifies gettext of a changed environment */
  g_setenv ("LANGUAGE", language, TRUE);
  _nl_msg_cat_cntr++;
  ls_words_bind ();
}

static void
test_window (void)
{
  g_autoptr (GHashTable) english = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
      german = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  speak ("en");
  visit (note, english);
  speak ("de");
  visit (note, german);
  static const char *const known[][2] = {
    { "Run matmul.py", "matmul.py ausführen" }, { "Examples", "Beispiele" }, { "Before", "Vorher" }, { "Shapes", "Formen" },
    { "_Open…", "Ö_ffnen …" },
    { "Previous step (p)", "Voriger Schritt (p)" }, { "Steps", "Schritte" }, { "Next and previous step", "Nächster und voriger Schritt" },
    { "Asking", "Fragen" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (known); i++) {
    if (!g_hash_table_contains (english, known[i][0]) || !g_hash_table_contains (german, known[i][1]))
      g_error ("“%s” is not shown, or “%s” is not", known[i][0], known[i][1]);
  }
  /* what is shown in both languages is data, or reads the same in both */
  GHashTableIter iter;
  gpointer text;
  static const char *const passes[] = { "schedule", "options", "compile", "run", "search", "memory", NULL };      /* names of passes, too */
  guint translated = 0;
  g_autoptr (GHashTable) left = g_hash_table_new (g_str_hash, g_str_equal);
  for (g_hash_table_iter_init (&iter, english); g_hash_table_iter_next (&iter, &text, NULL);) {
    gboolean has = *(char *) text && strcmp (gettext (text), text) != 0;
    translated += has;
    if (has && !g_strv_contains (passes, text))
      g_hash_table_add (left, text);
  }
  for (g_hash_table_iter_init (&iter, german); g_hash_table_iter_next (&iter, &text, NULL);)
    if (strstr (text, "Project-Id-Version"))      /* of "", the catalogue's head */
      g_error ("an empty text was translated");
    else if (g_hash_table_contains (left, text))
      g_error ("still in English: %s", (char *) text);
  g_test_message ("%u texts of the windows are translated", translated);
  g_assert_cmpuint (translated, >, 150);
}

/* Counts are put into sentences by the language's own plural forms. */
static void
test_plurals (void)
{
  speak ("de");
  for (guint n = 0; n < 3; n++) {
    g_autofree char *text = g_strdup_printf (ngettext ("%u row descends from the selected node", "%u rows descend from the selected "
                                                                                                 "node", n),
                                             n);
    g_autofree char *wanted = g_strdup_printf (n == 1 ? "%u Zeile stammt vom gewählten Knoten ab"
                                                      : "%u Zeilen stammen vom gewählten Knoten ab", n);
    g_assert_cmpstr (text, ==, wanted);
  }
}

/* The program itself, uninstalled: its options in German, and an unknown option in no language. */
static void
test_viewer (void)
{
  g_autofree char *out = NULL;
  const char *argv[] = { g_getenv ("LAZYSCOPE_VIEWER"), "--help", NULL };
  g_autoptr (GError) error = NULL;
  speak ("de");
  g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (strstr (out, "Das Fenster in eine Datei zeichnen und enden"));
  g_assert_null (strstr (out, "Render the window to a file"));
}

int
main (int argc, char **argv)
{
  ls_i18n_init ();
  if (!fixture_begin (&argc, &argv))
    return 0;
  g_test_add_func ("/translation/plurals", test_plurals);
  g_test_add_func ("/translation/viewer", test_viewer);
  g_test_add_func ("/translation/window", test_window);
  return fixture_end ();
}
