/* Ways from step to step as a person uses them: real keys and buttons, and where one is afterwards. */
#include "fixture.h"
#include "ask/ask.h"
#include "trace/diff.h"
#include "trace/line-search.h"
#include "trace/row-steps.h"
#include "kit/state.h"

#include <string.h>

static void
go_to (const char *step)
{
  input_key (GDK_KEY_g, 0);
  input_text (step);
  input_key (GDK_KEY_Return, 0);
}

/* --- tests --- */

static void
test_history (void)
{
  LsWindow *window = open_at ("3/simplify#2/1");
  go_to ("20");
  for (guint i = 0; i < 4; i++)
    input_key (GDK_KEY_n, 0);
  assert_at (window, "3/simplify#2/24");
  input_key (GDK_KEY_Left, GDK_ALT_MASK);      /* the walk counts once */
  assert_at (window, "3/simplify#2/20");
  input_key (GDK_KEY_Left, GDK_ALT_MASK);
  assert_at (window, "3/simplify#2/1");
  input_key (GDK_KEY_Right, GDK_ALT_MASK);
  input_key (GDK_KEY_Right, GDK_ALT_MASK);
  assert_at (window, "3/simplify#2/24");
  input_key (GDK_KEY_Left, GDK_ALT_MASK);
  go_to ("10");      /* a jump cuts the history ahead */
  assert_at (window, "3/simplify#2/10");
  input_key (GDK_KEY_Right, GDK_ALT_MASK);
  assert_at (window, "3/simplify#2/10");
  close_window (window);
}

static void
test_changes (void)
{
  LsWindow *window = open_at ("3/simplify#2/5");
  LsViewSession *session = window->session;
  LsTrace *trace = ls_view_session_get_trace (session);
  const LsPass *pass = ls_view_session_pass (session);
  input_key (GDK_KEY_c, 0);      /* nothing is chosen: a message, no move */
  assert_at (window, "3/simplify#2/5");
  /* the STOREs and the SINK are rebuilt at every step: c stops where they really change, or not at all */
  g_autoptr (GArray) nodes = g_array_new (FALSE, FALSE, sizeof (guint32));
  const LsGraph *graph = ls_view_session_graph (session);      /* goes with its position */
  for (guint i = 0; i < graph->nodes->len; i++)
    g_array_append_val (nodes, ((LsUOp *) graph->nodes->pdata[i])->id);
  guint moved = 0;
  for (guint i = 0; i < nodes->len; i++) {
    guint32 node = g_array_index (nodes, guint32, i);
    ls_view_session_go (session, (int) pass->index, 5);
    ls_view_session_select (session, LS_CHOSEN_IN_GRAPH, &node, 1);
    wait_window (window);
    input_key (GDK_KEY_c, 0);
    wait_window (window);
    guint step = ls_view_session_get_step (session);
    if (ls_view_session_pass (session) != pass || step == 5)
      continue;
    g_autoptr (LsGraphDiff) d = ls_pass_diff_step (trace, pass, step);
    gboolean changed = FALSE;
    for (guint k = 0; k < d->nodes->len; k++) {
      const LsDiffNode *n = &g_array_index (d->nodes, LsDiffNode, k);
      changed |= n->node->id == ls_view_session_get_selection (session) && n->kind != LS_DIFF_SAME && !n->rebuilt;
    }
    g_assert_true (changed);
    moved++;
  }
  g_assert_cmpuint (moved, >, 3);
  g_assert_cmpuint (moved, <, nodes->len / 2);
  close_window (window);
}

static void
test_search (void)
{
  LsWindow *window = open_at ("3/simplify#2/5");
  LsViewSession *session = window->session;
  LsTrace *trace = ls_view_session_get_trace (session);
  LsSearchBar *search = ls_steps_view_get_search (window->steps);
  const LsTraceRule *rule = trace->rules->pdata[ls_pass_step_link (ls_view_session_pass (session), 7)->rule];
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (search)));
  GtkWidget *picture = find_widget (GTK_WIDGET (window), "centre");
  graphene_rect_t before, after;
  g_assert_true (gtk_widget_compute_bounds (picture, GTK_WIDGET (window), &before));
  input_key (GDK_KEY_slash, 0);
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (search)));
  g_assert_true (gtk_widget_compute_bounds (picture, GTK_WIDGET (window), &after));
  g_assert_true (graphene_rect_equal (&before, &after));      /* the search lies over it */
  gtk_editable_set_text (GTK_EDITABLE (find_widget (GTK_WIDGET (search), "search-entry")), rule->name);
  input_key (GDK_KEY_Return, 0);
  wait_window (window);
  guint n = 0;
  for (guint i = 0; i < trace->passes->len; i++) {      /* counted by hand */
    const LsPass *pass = trace->passes->pdata[i];
    n += strstr (pass->name, rule->name) != NULL;
    for (guint k = 1; k <= ls_pass_n_rewrites (pass); k++)
      n += strstr (((const LsTraceRule *) trace->rules->pdata[ls_pass_step_link (pass, k)->rule])->name, rule->name) != NULL;
  }
  g_assert_cmpuint (ls_search_bar_n_hits (search), ==, n);
  g_assert_cmpint (ls_search_bar_get_current (search), ==, 0);
  g_autofree char *first = ls_view_session_get_link (session);
  if (n > 1) {
    input_key (GDK_KEY_Return, 0);
    g_assert_cmpint (ls_search_bar_get_current (search), ==, 1);
    input_key (GDK_KEY_Return, GDK_SHIFT_MASK);
    assert_at (window, first);
  }
  input_key (GDK_KEY_Escape, 0);
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (search)));
  input_key (GDK_KEY_f, GDK_CONTROL_MASK);      /* a node by op, found in the graph that is shown */
  input_text ("store");
  input_key (GDK_KEY_Return, 0);
  wait_window (window);
  g_assert_cmpuint (ls_search_bar_n_hits (search), >, 0);
  LsUOp *node = ls_context_node (trace->ctx, ls_view_session_get_selection (session));
  g_assert_nonnull (node);
  g_assert_cmpint (node->op, ==, LS_OP_STORE);
  gtk_editable_set_text (GTK_EDITABLE (find_widget (GTK_WIDGET (search), "search-entry")), "no such thing");
  input_key (GDK_KEY_Return, 0);
  wait_window (window);
  g_assert_cmpuint (ls_search_bar_n_hits (search), ==, 0);
  close_window (window);
}

static void
test_bookmarks (void)
{
  LsWindow *window = open_at ("3/simplify#2/5");
  LsStepSlider *slider = ls_steps_view_get_slider (window->steps);
  g_assert_cmpuint (ls_step_slider_get_mark (slider, 5) & LS_STEP_MARK_BOOKMARK, ==, 0);
  input_key (GDK_KEY_b, 0);
  g_assert_cmpuint (ls_step_slider_get_mark (slider, 5) & LS_STEP_MARK_BOOKMARK, !=, 0);
  go_to ("9");
  input_key (GDK_KEY_b, 0);
  close_window (window);
  window = open_at ("3/simplify#2/1");      /* remembered, file by file */
  slider = ls_steps_view_get_slider (window->steps);
  g_assert_cmpuint (ls_step_slider_get_mark (slider, 5) & LS_STEP_MARK_BOOKMARK, !=, 0);
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), "win.go-to", "s", "3/simplify#2/9"));
  assert_at (window, "3/simplify#2/9");
  input_key (GDK_KEY_b, 0);
  g_assert_cmpuint (ls_step_slider_get_mark (slider, 9) & LS_STEP_MARK_BOOKMARK, ==, 0);
  g_assert_cmpuint (ls_step_slider_get_mark (slider, 5) & LS_STEP_MARK_BOOKMARK, !=, 0);
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), "win.go-to", "s", "9/nowhere/1"));
  assert_at (window, "3/simplify#2/9");
  close_window (window);
}

static void
test_key_steps (void)
{
  LsWindow *window = open_at ("3/simplify#2/0");
  LsViewSession *session = window->session;
  LsStepSlider *slider = ls_steps_view_get_slider (window->steps);
  const LsPass *pass = ls_view_session_pass (session);
  int best = 0;
  guint shrink = 0;
  for (guint k = 1; k <= ls_pass_n_rewrites (pass); k++) {
    g_autoptr (LsGraphDiff) d = ls_pass_diff_step (ls_view_session_get_trace (session), pass, k);
    if ((int) d->n_removed - (int) d->n_added > best) {
      best = (int) d->n_removed - (int) d->n_added;
      shrink = k;
    }
  }
  g_assert_cmpuint (shrink, >, 0);
  g_assert_cmpuint (ls_step_slider_get_mark (slider, shrink) & LS_STEP_MARK_SHRINK, !=, 0);
  /* every stop is a marked one, and the shrink is among them */
  for (guint i = 0; ls_view_session_pass (session) == pass && i < 100; i++) {
    input_key (GDK_KEY_k, 0);
    guint step = ls_view_session_get_step (session);
    if (ls_view_session_pass (session) != pass || step >= shrink) {
      g_assert_true (ls_view_session_pass (session) == pass);
      g_assert_cmpuint (step, ==, shrink);
      break;
    }
    g_assert_cmpuint (ls_step_slider_get_mark (slider, step) & (LS_STEP_MARK_FIRST | LS_STEP_MARK_SHRINK), !=, 0);
  }
  input_key (GDK_KEY_k, GDK_SHIFT_MASK);
  g_assert_true (ls_view_session_pass (session) != pass || ls_view_session_get_step (session) < shrink);
  close_window (window);
}

static gboolean
is_past_two (gpointer window)
{
  return ls_view_session_get_step (LS_WINDOW (window)->session) > 2;
}

static void
test_play (void)
{
  LsWindow *window = open_at ("3/simplify#2/1");
  LsViewSession *session = window->session;
  const LsPass *pass = ls_view_session_pass (session);
  input_key (GDK_KEY_space, 0);
  g_assert_true (wait_until (is_past_two, window));
  input_key (GDK_KEY_space, 0);
  guint step = ls_view_session_get_step (session);
  for (guint i = 0; i < 30; i++)
    settle ();
  g_assert_cmpuint (ls_view_session_get_step (session), ==, step);

  /* the next step of a rule that comes later, by the keyboard alone */
  LsTrace *trace = ls_view_session_get_trace (session);
  guint at = step + 4;
  const LsTraceRule *rule = trace->rules->pdata[ls_pass_step_link (pass, at)->rule];
  guint first = step + 1;
  while (ls_pass_step_link (pass, first)->rule != ls_pass_step_link (pass, at)->rule)
    first++;
  input_key (GDK_KEY_r, 0);      /* none is set */
  g_assert_cmpuint (ls_view_session_get_step (session), ==, step);
  input_key (GDK_KEY_x, 0);
  GtkWidget *entry = find_widget (GTK_WIDGET (ls_steps_view_get_breakpoints (window->steps)), "breakpoint-entry");
  gtk_widget_grab_focus (entry);
  input_text ("nonsense");
  input_key (GDK_KEY_Return, 0);
  LsBreakpoints *breakpoints = ls_steps_view_get_breakpoints (window->steps);
  g_assert_cmpuint (ls_breakpoints_n (breakpoints), ==, 0);
  g_assert_true (gtk_widget_has_css_class (entry, "error"));
  gtk_editable_set_text (GTK_EDITABLE (entry), rule->name);
  input_key (GDK_KEY_Return, 0);
  g_assert_cmpuint (ls_breakpoints_n (breakpoints), ==, 1);
  input_key (GDK_KEY_Escape, 0);
  gtk_widget_grab_focus (GTK_WIDGET (ls_steps_view_get_graph (window->steps)));
  settle ();
  input_key (GDK_KEY_r, 0);
  wait_window (window);
  g_assert_cmpuint (ls_view_session_get_step (session), ==, first);
  g_assert_true (ls_breakpoints_add (breakpoints, "add"));
  g_assert_true (ls_breakpoints_add (breakpoints, "int"));
  g_assert_true (ls_breakpoints_add (breakpoints, "3"));
  g_assert_false (ls_breakpoints_add (breakpoints, ""));
  g_assert_cmpuint (ls_breakpoints_n (breakpoints), ==, 4);
  close_window (window);
}

typedef gboolean (*Stops) (LsTrace *trace, const LsPass *pass, guint step);

static LsUOp *
end_of (LsTrace *trace, const LsPass *pass, guint step, gboolean after)
{
  const LsLink *link = ls_pass_step_link (pass, step);
  return ls_context_node (trace->ctx, after ? link->after : link->before);
}

static gboolean
is_load (LsTrace *trace, const LsPass *pass, guint step)
{
  return end_of (trace, pass, step, FALSE)->op == LS_OP_LOAD || end_of (trace, pass, step, TRUE)->op == LS_OP_LOAD;
}

static gboolean
is_int (LsTrace *trace, const LsPass *pass, guint step)
{
  return end_of (trace, pass, step, FALSE)->dtype == LS_INT32 || end_of (trace, pass, step, TRUE)->dtype == LS_INT32;
}

static gboolean
is_of_line (LsTrace *trace, const LsPass *pass, guint step)
{
  g_autoptr (GArray) lines = ls_trace_program_lines (trace, pass, end_of (trace, pass, step, FALSE));
  for (guint i = 0; i < lines->len; i++)
    if (g_array_index (lines, guint, i) == 9)
      return TRUE;
  return FALSE;
}

/* Run to a breakpoint stops at the first step that is one, in this pass or a later one. */
static void
test_breakpoints (void)
{
  static const struct { const char *text; Stops stops; } kinds[] = { { "load", is_load }, { "int", is_int }, { "9", is_of_line } };
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    LsWindow *window = open_at ("3/ast/1");
    LsViewSession *session = window->session;
    LsTrace *trace = ls_view_session_get_trace (session);
    int pass = ls_view_session_get_pass (session);
    guint step = 1;
    gboolean found = FALSE;
    while (!found && pass < (int) trace->passes->len) {
      if (++step > ls_pass_n_rewrites (trace->passes->pdata[pass])) {
        step = 0;
        pass++;
      } else
        found = kinds[i].stops (trace, trace->passes->pdata[pass], step);
    }
    g_assert_true (found);
    g_assert_true (ls_breakpoints_add (ls_steps_view_get_breakpoints (window->steps), kinds[i].text));
    input_key (GDK_KEY_r, 0);
    wait_window (window);
    g_assert_cmpint (ls_view_session_get_pass (session), ==, pass);
    g_assert_cmpuint (ls_view_session_get_step (session), ==, step);
    close_window (window);
  }
}

/* Of a row's words in lower case, the name, the kind of change, the sentence and the reason. */
static char *
row_text (const LsPass *pass, guint step)
{
  g_auto (LsRowWords) words = { NULL };
  LsRowStep row;
  if (!ls_row_step (pass, step, &row) || !ls_row_step_words (pass, step, FALSE, &words))
    return NULL;
  g_autofree char *all = g_strdup_printf ("%s|%s|%s|%s", words.name, ls_diff_kind_name (row.kind), words.change ? words.change : "",
                                          words.why ? words.why : "");
  return g_utf8_strdown (all, -1);
}

/* The place of the first step behind 3/ast/1 whose row says a text. */
static char *
first_row (LsTrace *trace, const LsPass *from, const char *text)
{
  for (guint i = from->index; i < trace->passes->len; i++) {
    const LsPass *pass = trace->passes->pdata[i];
    for (guint step = 1; step <= ls_pass_n_steps (pass); step++) {
      g_autofree char *said = row_text (pass, step);
      if (said && strstr (said, text))
        return g_strdup_printf ("%u/%s/%u", pass->kernel, pass->name, step);
    }
  }
  return NULL;
}

/* Rows are stopped at by their name, their kind of change, and their sentence; a part of a name is not one. */
static void
test_row_breakpoints (void)
{
  static const struct { const char *text, *typed, *pass; } rows[] = {
    { "timed run 1", "Timed Run 1", "3/run/" }, { "moved", "moved", NULL }, { "added", "ADDED", "3/" }, { "val0", "val0", "3/render/" },
    { "ns a launch", "ns a launch", "3/run/" },
  };
  guint n_stops = 0;
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    LsWindow *window = open_at ("3/ast/1");
    LsBreakpoints *breakpoints = ls_steps_view_get_breakpoints (window->steps);
    LsTrace *trace = ls_view_session_get_trace (window->session);
    g_autofree char *place = first_row (trace, ls_view_session_pass (window->session), rows[i].text);
    gboolean added = ls_breakpoints_add (breakpoints, rows[i].typed);
    if (place) {
      g_assert_true (added && (!rows[i].pass || g_str_has_prefix (place, rows[i].pass)));
      input_key (GDK_KEY_r, 0);
      wait_window (window);
      assert_at (window, place);
      n_stops++;
    } else {
      g_assert_true (!rows[i].pass && !added);
    }
    g_assert_false (ls_breakpoints_add (breakpoints, "timed ru"));
    close_window (window);
  }
  g_assert_cmpuint (n_stops, >=, G_N_ELEMENTS (rows) - 1);
}

/* All words are looked for in what a row says; each hit leads to its step. */
static void
test_row_search (void)
{
  static const char *const texts[] = { "timed run 1", "VAL0", "linearize added", "launch  ns" };
  LsWindow *window = open_at ("3/ast/1");
  LsTrace *trace = ls_view_session_get_trace (window->session);
  LsSearchBar *search = ls_steps_view_get_search (window->steps);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autofree char *lower = g_ascii_strdown (texts[i], -1);
    g_auto (GStrv) words = g_strsplit (lower, " ", -1);
    guint n = 0;
    for (guint p = 0; p < trace->passes->len; p++) {
      const LsPass *pass = trace->passes->pdata[p];
      for (guint step = 1; step <= ls_pass_n_steps (pass); step++) {
        g_autofree char *said = row_text (pass, step);
        gboolean all = said != NULL;
        for (guint w = 0; words[w] && all; w++)
          all = strstr (said, words[w]) != NULL;
        n += all;
      }
    }
    gtk_widget_grab_focus (GTK_WIDGET (ls_steps_view_get_graph (window->steps)));
    input_key (GDK_KEY_slash, 0);
    gtk_editable_set_text (GTK_EDITABLE (find_widget (GTK_WIDGET (search), "search-entry")), texts[i]);
    input_key (GDK_KEY_Return, 0);
    wait_window (window);
    g_assert_cmpuint (ls_search_bar_n_hits (search), ==, n);
    g_assert_true ((n > 0) == (i != 2));      /* a row does not say its pass */
    LsRowStep row;
    g_assert_true (n == 0 || ls_row_step (ls_view_session_pass (window->session), ls_view_session_get_step (window->session), &row));
    input_key (GDK_KEY_Escape, 0);
  }
  close_window (window);
}

static gboolean
is_stopped (gpointer window)
{
  GtkWidget *play = find_widget (GTK_WIDGET (window), "play");
  return g_str_equal (gtk_button_get_icon_name (GTK_BUTTON (play)), "media-playback-start-symbolic");
}

/* Play ends at a breakpoint, and with Esc. */
static void
test_play_ends (void)
{
  LsWindow *window = open_at ("3/simplify#2/1");
  LsViewSession *session = window->session;
  LsTrace *trace = ls_view_session_get_trace (session);
  const LsPass *pass = ls_view_session_pass (session);
  guint first = 2, rule = (guint) ls_pass_step_link (pass, 3)->rule;
  while (ls_pass_step_link (pass, first)->rule != (gint) rule)
    first++;
  LsBreakpoints *breakpoints = ls_steps_view_get_breakpoints (window->steps);
  g_assert_true (ls_breakpoints_add (breakpoints, ((const LsTraceRule *) trace->rules->pdata[rule])->name));
  input_key (GDK_KEY_space, 0);
  g_assert_false (is_stopped (window));
  g_assert_true (wait_until (is_stopped, window));
  g_assert_cmpuint (ls_view_session_get_step (session), ==, first);
  close_window (window);
  window = open_at ("3/simplify#2/1");
  session = window->session;
  input_key (GDK_KEY_space, 0);
  g_assert_true (wait_until (is_past_two, window));
  input_key (GDK_KEY_Escape, 0);
  g_assert_true (is_stopped (window));
  guint step = ls_view_session_get_step (session);
  for (guint i = 0; i < 30; i++)
    settle ();
  g_assert_cmpuint (ls_view_session_get_step (session), ==, step);
  close_window (window);
}

/* At every step the sentence, the picture's legend, folded or not, and the list of changes count the same, and so many boxes are drawn. */
static void
test_counts (gconstpointer program)
{
  g_autofree char *path = fixture_record (program);
  LsWindow *window = open_recording (path, NULL, 1280, 800);
  LsTrace *trace = ls_view_session_get_trace (window->session);
  guint n = 0, n_folded = 0;
  for (guint i = 0; i < trace->passes->len; i++) {
    const LsPass *pass = trace->passes->pdata[i];
    for (guint k = 1; k <= ls_pass_n_rewrites (pass) && k <= pass->steps->len; k++, n++) {
      g_autoptr (LsGraphDiff) d = ls_pass_diff_step (trace, pass, k);
      g_autofree char *sentence = ls_step_sentence_shown (trace, pass, k, d);
      LsPosition before = { trace, pass, k - 1 }, after = { trace, pass, k };
      g_autoptr (LsListDiff) list = ls_list_diff_graph (&before, &after, d);
      for (guint fold = 0; fold < 2; fold++) {
        g_autoptr (LsScene) scene = ls_scene_new_diff (trace, d, fold);
        g_autofree char *counts = g_strdup_printf ("; %u added, %u removed, %u changed, ", scene->n_kind[LS_DIFF_ADDED],
                                                   scene->n_kind[LS_DIFF_REMOVED], scene->n_kind[LS_DIFF_CHANGED]);
        g_autofree char *moved = g_strdup_printf ("%u moved, ", scene->n_kind[LS_DIFF_MOVED]);
        n_folded += scene->n_folded;
        if (!strstr (sentence, counts) || (strstr (sentence, moved) != NULL) != (scene->n_kind[LS_DIFF_MOVED] > 0))
          g_error ("%s, step %u: %s; the picture has %s%s", pass->name, k, sentence, counts, moved);
        guint drawn[LS_N_DIFF] = { 0 };
        for (guint b = 0; b < scene->n_nodes; b++)
          drawn[scene->nodes[b].kind] += scene->nodes[b].n_lanes;      /* a stack says of how many lanes it is */
        for (guint kind = LS_DIFF_ADDED; kind < LS_N_DIFF; kind++)
          if (drawn[kind] != scene->n_kind[kind])
            g_error ("%s, step %u: the legend counts %u %s, %u are drawn", pass->name, k, scene->n_kind[kind], ls_diff_kind_name (kind),
                     drawn[kind]);
        for (guint kind = 0; kind < LS_N_DIFF; kind++)
          if (list->n_kind[kind] != scene->n_kind[kind])
            g_error ("%s, step %u: %s; %u %s in the list, %u in the picture", pass->name, k, sentence, list->n_kind[kind],
                     ls_diff_kind_name (kind), scene->n_kind[kind]);
      }
    }
  }
  g_test_message ("%u steps", n);
  g_assert_cmpuint (n, >, 100);
  g_assert_cmpuint (n_folded, >, n);
  close_window (window);
}

/* A search for a program line says of each step what the lines of its node say, whatever was asked before. */
static void
test_line_search (void)
{
  g_autofree char *path = fixture_record ("softmax");
  LsWindow *window = open_recording (path, NULL, 1280, 800);
  LsTrace *trace = ls_view_session_get_trace (window->session);
  LsProgramIndex *index = ls_program_index_new (trace);
  guint n = 0, n_lines = 0;
  for (guint i = 0; i < trace->calls->len; i++)
    n_lines = MAX (n_lines, g_array_index (trace->calls, LsCall, i).line);
  for (guint line = 1; line <= n_lines + 1; line++) {
    g_autoptr (LsLineSearch) search = ls_line_search_new (trace, line);
    for (guint i = 0; i < trace->passes->len; i++) {
      const LsPass *pass = trace->passes->pdata[i];
      for (guint k = 1; k <= ls_pass_n_rewrites (pass); k++) {
        guint32 node = ls_pass_step_link (pass, k)->before;
        g_autoptr (GArray) lines = ls_program_index_lines (index, pass, NULL, node);
        gboolean has = FALSE;
        for (guint l = 0; l < lines->len; l++)
          has |= g_array_index (lines, guint, l) == line;
        g_assert_true (ls_line_search_work (search, pass, G_USEC_PER_SEC));
        g_assert_cmpint (ls_line_search_test (search, pass, node), ==, has);
        n += has;
      }
    }
  }
  ls_program_index_free (index);
  g_test_message ("%u hits in %u lines", n, n_lines);
  g_assert_cmpuint (n, >, 100);
  close_window (window);
}

/* The chosen node as a breakpoint: the next step that changes it. */
static void
test_node_breakpoint (void)
{
  LsWindow *window = open_at ("3/simplify#2/5");
  LsViewSession *session = window->session;
  LsTrace *trace = ls_view_session_get_trace (session);
  const LsPass *pass = ls_view_session_pass (session);
  guint step = 5;
  guint32 node = LS_NO_NODE;
  while (node == LS_NO_NODE) {      /* one that stands as it is until that step, and is not only rebuilt there */
    g_autoptr (LsGraphDiff) d = ls_pass_diff_step (trace, pass, ++step);
    for (guint i = 0; i < d->nodes->len && node == LS_NO_NODE; i++) {
      const LsDiffNode *n = &g_array_index (d->nodes, LsDiffNode, i);
      LsUOp *now = n->kind == LS_DIFF_CHANGED && !n->rebuilt ? ls_graph_find_equal (d->before, n->before, ls_view_session_graph (session))
                                                             : NULL;
      node = now ? now->id : LS_NO_NODE;
    }
  }
  ls_view_session_select (session, LS_CHOSEN_IN_GRAPH, &node, 1);
  settle ();
  LsBreakpoints *breakpoints = ls_steps_view_get_breakpoints (window->steps);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (find_widget (GTK_WIDGET (breakpoints), "breakpoint-node")), TRUE);
  g_assert_true (ls_breakpoints_get_node (breakpoints));
  input_key (GDK_KEY_r, 0);
  wait_window (window);
  g_assert_true (ls_view_session_pass (session) == pass);
  g_assert_cmpuint (ls_view_session_get_step (session), ==, step);
  g_assert_cmpuint (ls_view_session_get_selection (session), !=, LS_NO_NODE);
  close_window (window);
}

static void
test_render (void)
{
  LsWindow *window = open_at ("3/linearize");
  LsViewSession *session = window->session;
  const LsKernel *kernel = ls_view_session_kernel (session);
  const char *names[] = { "render", "procedure" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    gtk_stack_set_visible_child_name (GTK_STACK (find_widget (GTK_WIDGET (window), "tables")), names[i]);
    settle ();
    GtkSingleSelection *rows = GTK_SINGLE_SELECTION (gtk_list_view_get_model (GTK_LIST_VIEW (find_widget (GTK_WIDGET (window), names[i]))));
    /* the procedure's first row is its signature, which takes the place of the arguments */
    guint n_args = ls_proc_n_args (kernel->procedure), n = i ? kernel->procedure->len - n_args + 1 : kernel->exprs->len, row = n / 2;
    g_assert_cmpuint (n, >, 4);
    g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (rows)), ==, n);
    guint32 node = i ? g_array_index (kernel->procedure, LsProcRow, n_args + row - 1).node
                     : g_array_index (kernel->exprs, LsExpr, row).node;
    gtk_single_selection_set_selected (rows, row);      /* a row: its node, everywhere */
    settle ();
    g_assert_cmpuint (ls_view_session_get_selection (session), ==, node);
    gtk_widget_grab_focus (GTK_WIDGET (ls_steps_view_get_graph (window->steps)));
    input_key (GDK_KEY_Escape, 0);
    g_assert_cmpuint (gtk_single_selection_get_selected (rows), ==, GTK_INVALID_LIST_POSITION);
    ls_view_session_select (session, LS_CHOSEN_IN_FINAL, &node, 1);      /* a node: its row */
    settle ();
    g_assert_cmpuint (gtk_single_selection_get_selected (rows), <=, row);
  }
  close_window (window);
}

static const LsExpr *
expr_of (const LsKernel *kernel, LsTrace *trace, LsOp op)
{
  for (guint i = 0; i < kernel->exprs->len; i++) {
    const LsExpr *e = &g_array_index (kernel->exprs, LsExpr, i);
    if (ls_context_node (trace->ctx, e->node)->op == op)
      return e;
  }
  return NULL;
}

/* A row of the dialect selects the nodes that use it, and a node marks the rows that its text depends on. */
static void
test_dialect (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "rows.lscope", NULL);
  LsWindow *window = open_recording (path, "2/linearize", 1600, 1000);
  LsViewSession *session = window->session;
  LsTrace *trace = ls_view_session_get_trace (session);
  const LsKernel *kernel = ls_view_session_kernel (session);
  const LsExpr *exp2 = expr_of (kernel, trace, LS_OP_EXP2);
  g_assert_nonnull (exp2);
  g_assert_cmpstr (exp2->inputs, !=, "");
  gtk_stack_set_visible_child_name (GTK_STACK (find_widget (GTK_WIDGET (window), "tables")), "dialect");
  settle ();
  GtkWidget *list = find_widget (GTK_WIDGET (window), "dialect");
  GtkSingleSelection *rows = GTK_SINGLE_SELECTION (gtk_list_view_get_model (GTK_LIST_VIEW (list)));
  g_autoptr (GArray) uses = ls_kernel_dialect (trace, kernel);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (rows)), ==, uses->len);
  guint suffix = GTK_INVALID_LIST_POSITION, operation = suffix, barrier = suffix;
  for (guint i = 0; i < uses->len; i++) {
    const LsDialectUse *use = &g_array_index (uses, LsDialectUse, i);
    if (g_str_equal (use->says.name, "math_suffix"))
      suffix = i;
    else if (g_str_equal (use->says.name, "EXP2"))
      operation = i;
    else if (g_str_equal (use->says.name, "barrier"))
      barrier = i;
  }
  g_assert_cmpuint (g_array_index (uses, LsDialectUse, suffix).n_rows, ==, 1);
  g_assert_cmpuint (g_array_index (uses, LsDialectUse, barrier).n_rows, ==, 0);
  const guint chosen[] = { suffix, operation };
  for (guint i = 0; i < G_N_ELEMENTS (chosen); i++) {
    gtk_single_selection_set_selected (rows, chosen[i]);
    settle ();
    g_assert_cmpuint (ls_view_session_get_selection (session), ==, exp2->node);
    g_assert_cmpuint (gtk_single_selection_get_selected (rows), ==, chosen[i]);
    gtk_widget_grab_focus (GTK_WIDGET (ls_steps_view_get_graph (window->steps)));
    input_key (GDK_KEY_Escape, 0);
    g_assert_cmpuint (gtk_single_selection_get_selected (rows), ==, GTK_INVALID_LIST_POSITION);
  }
  gtk_single_selection_set_selected (rows, barrier);      /* nothing asked for it */
  settle ();
  g_assert_cmpuint (ls_view_session_get_selection (session), ==, LS_NO_NODE);
  close_window (window);
}

/* In a pass over the procedure its table shows what the pass did: rows before and after it, and why those that are new are there. */
static void
test_procedure_pass (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "turns.lscope", NULL),
                  *program = g_build_filename (g_get_tmp_dir (), "turns.py", NULL);
  g_assert_true (g_file_set_contents (program, "from tinygrad import Tensor\nprint(Tensor([[1.5, 2.5, 3.0]] * 4).sum(1).tolist())\n", -1,
                                      &error));
  const char *argv[] = { g_getenv ("LAZYSCOPE_CLI"), "run", program, "--record", path, "--set", "NOOPT=1", "--set", "UNROLL_LOOPS=3",
                         NULL };
  gint status;
  g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, NULL, &status, &error));
  g_assert_cmpint (status, ==, 0);
  LsWindow *window = open_recording (path, "1/unroll-loops", 1600, 1000);
  LsViewSession *session = window->session;
  g_autoptr (GArray) rows = ls_procedure_diff_rows (ls_view_session_get_trace (session), ls_view_session_pass (session));
  g_assert_nonnull (rows);
  gtk_stack_set_visible_child_name (GTK_STACK (find_widget (GTK_WIDGET (window), "tables")), "procedure");
  settle ();
  GListModel *shown = G_LIST_MODEL (gtk_list_view_get_model (GTK_LIST_VIEW (find_widget (GTK_WIDGET (window), "procedure"))));
  g_assert_cmpuint (rows->len, >, 8);
  g_assert_cmpuint (g_list_model_get_n_items (shown), ==, rows->len);
  ls_view_session_go_link (session, "1/procedure");
  settle ();
  const LsKernel *kernel = ls_view_session_kernel (session);
  g_assert_cmpuint (g_list_model_get_n_items (shown), ==, kernel->procedure->len - ls_proc_n_args (kernel->procedure) + 1);
  close_window (window);
}

static guint
count_grey (GtkWidget *widget)
{
  guint n = gtk_widget_get_mapped (widget) && gtk_widget_has_css_class (widget, "pending");
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child; child = gtk_widget_get_next_sibling (child))
    n += count_grey (child);
  return n;
}

/* At a step of the procedure the rows that are not there yet are grey; in the end none is. */
static void
test_procedure_rows (void)
{
  LsWindow *window = open_at ("3/procedure/1");
  LsViewSession *session = window->session;
  gtk_stack_set_visible_child_name (GTK_STACK (find_widget (GTK_WIDGET (window), "tables")), "procedure");
  settle ();
  GtkWidget *list = find_widget (GTK_WIDGET (window), "procedure");
  guint n = ls_pass_n_steps (ls_view_session_pass (session));
  g_assert_cmpuint (count_grey (list), >, 2);
  ls_view_session_go (session, ls_view_session_get_pass (session), n / 2);
  settle ();
  g_assert_cmpuint (count_grey (list), >, 0);
  ls_view_session_go (session, ls_view_session_get_pass (session), n);
  settle ();
  g_assert_cmpuint (count_grey (list), ==, 0);
  close_window (window);
}

/* The text of a label that has that part, or NULL. */
static const char *
find_text (GtkWidget *widget, const char *part)
{
  const char *text = GTK_IS_LABEL (widget) ? gtk_label_get_text (GTK_LABEL (widget)) : "", *found = strstr (text, part) ? text : NULL;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child && !found; child = gtk_widget_get_next_sibling (child))
    found = find_text (child, part);
  return found;
}

/* A masked access does not happen, and is counted apart. */
static void
test_masked_accesses (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "masked.lscope", NULL),
                  *program = g_build_filename (g_get_tmp_dir (), "masked.py", NULL);
  g_assert_true (g_file_set_contents (program, "from tinygrad import Tensor\nx = Tensor([[1., 2.], [3., 4.]]).realize()\n"
                                               "print((x.pad(((1, 1), (0, 0))) + 1).tolist())\n", -1, &error));
  const char *argv[] = { g_getenv ("LAZYSCOPE_CLI"), "run", program, "--record", path, "--set", "NOOPT=1", NULL };
  gint status;
  g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, NULL, &status, &error));
  g_assert_cmpint (status, ==, 0);
  LsWindow *window = open_recording (path, "1/linearize", 1600, 1000);
  const LsKernel *kernel = ls_view_session_kernel (window->session);
  for (guint i = 0; i < kernel->listing->len; i++) {
    guint32 node = g_array_index (kernel->listing, guint32, i);
    if (ls_context_node (ls_view_session_get_trace (window->session)->ctx, node)->op == LS_OP_LOAD)
      ls_view_session_select (window->session, LS_CHOSEN_IN_FINAL, &node, 1);
  }
  gtk_stack_set_visible_child_name (GTK_STACK (find_widget (GTK_WIDGET (window), "tables")), "shapes");
  settle ();
  const char *text = find_text (GTK_WIDGET (window), "coloured by first access");
  g_assert_nonnull (text);
  g_assert_true (g_str_has_prefix (text, "4 accesses touch 4 of 4 elements"));
  g_assert_nonnull (strstr (text, "4 more are masked: no access"));
  close_window (window);
}

static int
font_resolution (void)
{
  int dpi;
  g_object_get (gtk_settings_get_default (), "gtk-xft-dpi", &dpi, NULL);
  return dpi;
}

static void
test_scale (void)
{
  LsWindow *window = open_at ("3/simplify#2/5");
  input_key (GDK_KEY_0, GDK_CONTROL_MASK);
  int normal = font_resolution ();
  input_key (GDK_KEY_equal, GDK_CONTROL_MASK);
  input_key (GDK_KEY_equal, GDK_CONTROL_MASK);
  g_assert_cmpint (font_resolution (), >, normal);
  g_assert_cmpint (ls_state_get_int ("window", "scale", 0), ==, 120);
  input_key (GDK_KEY_minus, GDK_CONTROL_MASK);
  g_assert_cmpint (ls_state_get_int ("window", "scale", 0), ==, 110);
  input_key (GDK_KEY_0, GDK_CONTROL_MASK);
  g_assert_cmpint (ls_state_get_int ("window", "scale", 0), ==, 100);
  for (guint i = 0; i < 40; i++)      /* no end of it makes the window unusable */
    input_key (GDK_KEY_minus, GDK_CONTROL_MASK);
  g_assert_cmpint (ls_state_get_int ("window", "scale", 0), ==, 50);
  input_key (GDK_KEY_0, GDK_CONTROL_MASK);
  /* help is a window of its own */
  guint n = g_list_model_get_n_items (gtk_window_get_toplevels ());
  input_key (GDK_KEY_F1, 0);
  g_assert_cmpuint (g_list_model_get_n_items (gtk_window_get_toplevels ()), ==, n + 1);
  for (guint i = 0; i < n + 1; i++) {
    g_autoptr (GtkWindow) help = g_list_model_get_item (gtk_window_get_toplevels (), i);
    if (help && g_strcmp0 (gtk_widget_get_name (GTK_WIDGET (help)), "help") == 0) {
      input_focus (help);
      input_key (GDK_KEY_Escape, 0);
    }
  }
  g_assert_cmpuint (g_list_model_get_n_items (gtk_window_get_toplevels ()), ==, n);
  close_window (window);
}

/* A selection stays within its kernel: in another one nothing is marked, and the line above the texts is about the step again. */
static void
test_other_kernel (void)
{
  LsWindow *window = open_at ("2/ast/2");
  LsViewSession *session = window->session;
  guint32 root = ls_view_session_diff (session)->after->root->id;
  ls_view_session_select (session, LS_CHOSEN_IN_GRAPH, &root, 1);
  wait_window (window);
  input_key (GDK_KEY_n, 0);
  wait_window (window);
  g_assert_cmpuint (ls_view_session_get_selection (session), ==, root);
  input_key (GDK_KEY_Page_Down, GDK_CONTROL_MASK);
  wait_window (window);
  g_assert_cmpuint (ls_view_session_kernel (session)->number, ==, 3);
  g_assert_cmpuint (ls_view_session_get_selection (session), ==, LS_NO_NODE);
  g_assert_null (strstr (template_text (window->steps, "note"), "removed later"));
  close_window (window);
}

/* Without a place a recording opens at its subject: matmul at the product, not where its inputs are filled. */
static void
test_home (void)
{
  LsWindow *window = open_start (1280, 800);
  ls_window_open (window, fixture_matmul ());
  wait_window (window);
  assert_at (window, "3/ast/1");
  close_window (window);
}

int
main (int argc, char **argv)
{
  if (!fixture_begin (&argc, &argv))
    return 0;
  g_test_add_func ("/stepping/history", test_history);
  g_test_add_func ("/stepping/changes", test_changes);
  g_test_add_func ("/stepping/other-kernel", test_other_kernel);
  g_test_add_func ("/stepping/home", test_home);
  g_test_add_func ("/stepping/search", test_search);
  g_test_add_func ("/stepping/search/rows", test_row_search);
  g_test_add_func ("/stepping/bookmarks", test_bookmarks);
  g_test_add_func ("/stepping/moments", test_key_steps);
  g_test_add_func ("/stepping/play", test_play);
  g_test_add_func ("/stepping/breakpoints", test_breakpoints);
  g_test_add_func ("/stepping/breakpoints/rows", test_row_breakpoints);
  g_test_add_func ("/stepping/play-ends", test_play_ends);
  g_test_add_func ("/stepping/node-breakpoint", test_node_breakpoint);
  g_test_add_func ("/stepping/line-search", test_line_search);
  g_test_add_data_func ("/stepping/counts/matmul", "matmul", test_counts);
  g_test_add_data_func ("/stepping/counts/softmax", "softmax", test_counts);
  g_test_add_func ("/stepping/render", test_render);
  g_test_add_func ("/stepping/procedure-rows", test_procedure_rows);
  g_test_add_func ("/stepping/masked-accesses", test_masked_accesses);
  g_test_add_func ("/stepping/dialect", test_dialect);
  g_test_add_func ("/stepping/procedure-pass", test_procedure_pass);
  g_test_add_func ("/stepping/scale", test_scale);
  return fixture_end ();
}
