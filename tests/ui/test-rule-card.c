/* The rule card in a small window: rule, guards with their values, bindings and the step's sentence are whole, for every rule that
 * examples and cases fire, and the card is as high at each. */
#include "fixture.h"
#include "panes/step/rule-card.h"

#include <string.h>

typedef struct { GHashTable *seen; guint n_rules, n_cut, n_no_picture; int height; GString *cut; } Count;

static void
look_at_card (Count *count, LsWindow *window, const char *rule)
{
  GtkWidget *card = find_widget (GTK_WIDGET (window), "rule-card");
  const char *cut = find_cut_part (window);
  if (cut)
    g_string_append_printf (count->cut, "%s: %s is cut\n", rule, cut);
  if (!count->height)
    count->height = gtk_widget_get_height (card);
  if (gtk_widget_get_height (card) != count->height)
    g_error ("%s: the card is %d px high, not %d", rule, gtk_widget_get_height (card), count->height);
  count->n_rules++;
  count->n_cut += cut != NULL;
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

static void
look_at_folder (Count *count, const char *environment, guint one_in)
{
  g_autoptr (GPtrArray) names = fixture_programs (g_getenv (environment));
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
