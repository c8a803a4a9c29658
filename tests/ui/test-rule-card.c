/* The rule card in a small window: rule, guards with their values, bindings and the step's sentence are whole, for every rule that
 * examples and cases fire, and the card is as high at each. */
#include "fixture.h"
#include "panes/step/rule-card.h"

#include <string.h>

typedef struct { GHashTable *seen; guint n_rules, n_cut, n_no_picture; int height; GString *cut; } Count;

static const char *const parts[] = { "step-sentence", "rule-text", "rule-sentence", "rule-guards", "rule-bindings" };

/* Labels of the card that are cut, or that have a text and are not shown. */
static void
look_at_card (Count *count, LsWindow *window, const char *rule)
{
  GtkWidget *card = find_widget (GTK_WIDGET (window), "rule-card");
  gboolean cut = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
    GtkLabel *label = GTK_LABEL (find_widget (card, parts[i]));
    gboolean here = *gtk_label_get_text (label) && (!gtk_widget_get_mapped (GTK_WIDGET (label)) ||
                                                    pango_layout_is_ellipsized (gtk_label_get_layout (label)));
    if (here)
      g_string_append_printf (count->cut, "%s: %s is cut: %s\n", rule, parts[i], gtk_label_get_text (label));
    cut |= here;
  }
  if (!count->height)
    count->height = gtk_widget_get_height (card);
  if (gtk_widget_get_height (card) != count->height)
    g_error ("%s: the card is %d px high, not %d", rule, gtk_widget_get_height (card), count->height);
  count->n_rules++;
  count->n_cut += cut;
  count->n_no_picture += !gtk_widget_get_mapped (find_widget (card, "rule-pattern"));
}

/* The first step of each rule that no recording before had. */
static void
look_at_recording (Count *count, const char *path)
{
  LsWindow *window = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (LsTrace) trace = ls_trace_load (path, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < trace->passes->len; i++) {
    const LsPass *pass = trace->passes->pdata[i];
    for (guint k = 1; pass->kind == LS_PASS_REWRITE && k <= pass->steps->len; k++) {
      const LsLink *link = ls_pass_step_link (pass, k);
      const LsTraceRule *rule = link->rule >= 0 ? trace->rules->pdata[link->rule] : NULL;
      if (!rule || !g_hash_table_add (count->seen, g_strdup (rule->name)))
        continue;
      if (!window)
        window = open_recording (path, NULL, 1280, 800);
      ls_view_session_go (window->session, (int) i, k);
      wait_window (window);
      look_at_card (count, window, rule->name);
    }
  }
  if (window)
    close_window (window);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

static void
look_at_folder (Count *count, const char *environment, guint one_in)
{
  g_autoptr (GDir) dir = g_dir_open (g_getenv (environment), 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_assert_nonnull (dir);
  for (const char *name; (name = g_dir_read_name (dir));)
    if (g_str_has_suffix (name, ".py"))
      g_ptr_array_add (names, g_strndup (name, strlen (name) - strlen (".py")));
  g_ptr_array_sort (names, compare_names);
  for (guint i = 0; i < names->len; i += one_in) {
    g_autofree char *path = fixture_record_in (g_getenv (environment), names->pdata[i]);
    look_at_recording (count, path);
  }
}

static void
test_complete (void)
{
  Count count = { .seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL), .cut = g_string_new (NULL) };
  guint sample = fixture_sample (8, "programs of each folder");
  look_at_folder (&count, "LAZYSCOPE_PROGRAMS", sample);
  look_at_folder (&count, "LAZYSCOPE_CASES", sample);
  g_test_message ("%u rules, %u cards cut, %u without a picture, %d px", count.n_rules, count.n_cut, count.n_no_picture, count.height);
  if (count.n_cut)
    g_error ("%s", count.cut->str);
  g_assert_cmpuint (count.n_rules, >, sample > 1 ? 40 : 100);
  g_assert_cmpuint (count.n_no_picture, <, count.n_rules / 4);
  g_hash_table_unref (count.seen);
  g_string_free (count.cut, TRUE);
}

int
main (int argc, char **argv)
{
  if (!fixture_begin (&argc, &argv))
    return 0;
  g_test_add_func ("/rule-card/complete", test_complete);
  return fixture_end ();
}
