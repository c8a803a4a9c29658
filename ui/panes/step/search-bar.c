/* The search bar.
 *
 * Results are a list of numbers, in this order: nodes of the graph at the start of the search, passes by name, steps by their rule's
 * name or by the texts of their row, beginning with the pass at the start. All of the recording is searched, in slices of idle time. All
 * words must be found; a number is a node's id or its whole argument. A hit of a node leads to the position of the search, so that hits
 * stay valid.
 */
#include "search-bar.h"
#include "kit/class.h"
#include "kit/accessible.h"
#include "kit/cells.h"
#include "kit/index-model.h"
#include "ir/print.h"
#include "kit/list-rows.h"
#include "kit/list-scroll.h"
#include "kit/text.h"
#include "session/steps.h"
#include "trace/row-steps.h"

#include <glib/gi18n.h>
#include <string.h>

typedef enum { HIT_NODE, HIT_PASS, HIT_STEP } HitKind;
typedef struct { HitKind kind; guint32 pass, at; } Hit;      /* at: node id or step */

struct _LsSearchBar {
  GtkWidget           parent_instance;
  LsViewSession      *session;
  GtkWidget          *box, *entry, *count, *scroll;
  GtkListView        *list;
  GtkSingleSelection *selection;
  LsIndexModel       *rows;
  /* the search */
  LsTrace            *trace;
  char               *text;
  char              **words, **folded;    /* folded: for rows */
  guint               pass, step;         /* where it began */
  GArray             *nodes;              /* guint32 */
  GArray             *hits;
  guint8             *rules;              /* which rules' names match */
  guint               next_node, next_pass, next_step;
  guint               n_kind[3];
  guint               work;
  int                 current, wanted;    /* wanted: a step through the hits that waits for one, -1, 0, 1 */
  gboolean            following;
};

G_DEFINE_FINAL_TYPE (LsSearchBar, ls_search_bar, GTK_TYPE_WIDGET)

gboolean ls_search_bar_get_busy (LsSearchBar *self) { return self->work != 0; }
guint ls_search_bar_n_hits (LsSearchBar *self) { return self->hits->len; }
int ls_search_bar_get_current (LsSearchBar *self) { return self->current; }

/* --- matching --- */

static char *
node_text (const LsUOp *u)
{
  char dtype[64];
  g_autofree char *arg = u->arg.kind == LS_ARG_NONE ? g_strdup ("") : ls_arg_print (u->arg);
  return g_strdup_printf ("%s %s %s", ls_op_name (u->op), ls_dtype_text (u->dtype, dtype) + strlen ("dtypes."), arg);
}

static gboolean
node_matches (LsSearchBar *self, const LsUOp *u)
{
  g_autofree char *text = node_text (u);
  g_autofree char *lower = g_ascii_strdown (text, -1);
  for (char **w = self->words; *w; w++) {
    guint64 number;
    if (g_ascii_string_to_unsigned (**w == '%' ? *w + 1 : *w, 10, 0, G_MAXUINT32, &number, NULL)) {
      if (number != u->id && !(u->arg.kind == LS_ARG_INT && **w != '%' && u->arg.i == (gint64) number))
        return FALSE;
    } else if (!strstr (lower, *w)) {
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
name_matches (LsSearchBar *self, const char *name)
{
  g_autofree char *lower = g_ascii_strdown (name ? name : "", -1);
  for (char **w = self->words; *w; w++)
    if (!strstr (lower, *w))
      return FALSE;
  return TRUE;
}

static gboolean
step_matches (LsSearchBar *self, const LsPass *pass, guint step)
{
  if (pass->kind != LS_PASS_REWRITE)
    return ls_row_step_says (pass, step, TRUE, (const char *const *) self->folded, FALSE);
  gint rule = ls_pass_step_link (pass, step)->rule;
  return rule >= 0 && rule < (gint) self->trace->rules->len && self->rules[rule];
}

static void
add_hit (LsSearchBar *self, HitKind kind, guint32 pass, guint32 at)
{
  Hit hit = { kind, pass, at };
  g_array_append_val (self->hits, hit);
  self->n_kind[kind]++;
}

/* --- showing --- */

static void
show_count (LsSearchBar *self)
{
  g_autoptr (GString) text = g_string_new (NULL);
  if (self->hits->len == 0) {
    g_string_append (text, self->work ? _("looking…") : *self->text ? _("nothing found") : "");
  } else {
    g_autofree char *all = ls_text_count (self->hits->len);
    if (self->current >= 0)
      g_string_append_printf (text, _("%d of %s"), self->current + 1, all);
    else
      g_string_append (text, all);
    guint nodes = self->n_kind[HIT_NODE], passes = self->n_kind[HIT_PASS], steps = self->n_kind[HIT_STEP];
    g_string_append_printf (text, ngettext (" · %u node", " · %u nodes", nodes), nodes);
    g_string_append_printf (text, ngettext (", %u pass", ", %u passes", passes), passes);
    g_string_append_printf (text, ngettext (", %u step", ", %u steps", steps), steps);
    if (self->work)
      g_string_append (text, " …");
  }
  gtk_label_set_text (GTK_LABEL (self->count), text->str);
}

static void
go_to_hit (LsSearchBar *self, guint row)
{
  if (row >= self->hits->len || self->trace != ls_view_session_get_trace (self->session))
    return;
  const Hit *hit = &g_array_index (self->hits, Hit, row);
  self->current = (int) row;
  self->wanted = 0;
  if (hit->kind == HIT_NODE) {
    ls_view_session_go (self->session, (int) self->pass, self->step);
    ls_view_session_select (self->session, LS_CHOSEN_IN_GRAPH, &hit->at, 1);
  } else {
    ls_view_session_go (self->session, (int) hit->pass, hit->at);
  }
  self->following = TRUE;
  gtk_single_selection_set_selected (self->selection, row);
  self->following = FALSE;
  ls_list_scroll_to (self->list, row);
  show_count (self);
}

static void
leaf (LsSearchBar *self, int direction)
{
  guint n = self->hits->len;
  if (n == 0) {
    self->wanted = self->work ? direction : 0;
    return;
  }
  go_to_hit (self, self->current < 0 ? (direction > 0 ? 0 : n - 1) : (guint) ((self->current + direction + (int) n) % (int) n));
}

/* --- looking --- */

static gboolean
work_on (LsSearchBar *self)
{
  LsTrace *trace = self->trace;
  if (self->next_node < self->nodes->len) {
    const LsUOp *u = ls_context_node (trace->ctx, g_array_index (self->nodes, guint32, self->next_node++));
    if (u && node_matches (self, u))
      add_hit (self, HIT_NODE, self->pass, u->id);
    return TRUE;
  }
  if (self->next_pass < trace->passes->len) {
    const LsPass *pass = trace->passes->pdata[self->next_pass++];
    if (name_matches (self, pass->name))
      add_hit (self, HIT_PASS, pass->index, MIN (ls_pass_n_steps (pass), 1));
    return TRUE;
  }
  guint done = self->next_pass - trace->passes->len;
  if (done >= trace->passes->len)
    return FALSE;
  const LsPass *pass = trace->passes->pdata[(self->pass + done) % trace->passes->len];
  guint n = ls_pass_n_steps (pass), end = MIN (self->next_step + (pass->kind == LS_PASS_REWRITE ? 4096 : 64), n);
  for (; self->next_step < end; self->next_step++)
    if (step_matches (self, pass, self->next_step + 1))
      add_hit (self, HIT_STEP, pass->index, self->next_step + 1);
  if (self->next_step >= n) {
    self->next_step = 0;
    self->next_pass++;
  }
  return TRUE;
}

static gboolean
on_work (gpointer data)
{
  LsSearchBar *self = data;
  gint64 end = g_get_monotonic_time () + 6000;
  gboolean more = TRUE;
  while (more && g_get_monotonic_time () < end)
    more = work_on (self);
  if (!more)
    self->work = 0;
  if (self->wanted && self->hits->len > 0 && (self->wanted > 0 || !more))
    leaf (self, self->wanted);
  show_count (self);
  if (more)
    return G_SOURCE_CONTINUE;
  self->following = TRUE;
  ls_index_model_set (self->rows, self->hits->len);
  gtk_single_selection_set_selected (self->selection, self->current >= 0 ? (guint) self->current : GTK_INVALID_LIST_POSITION);
  self->following = FALSE;
  gtk_widget_set_visible (self->scroll, self->hits->len > 0);
  g_signal_emit_by_name (self, "finished");
  return G_SOURCE_REMOVE;
}

static void
forget (LsSearchBar *self)
{
  g_clear_handle_id (&self->work, g_source_remove);
  g_clear_pointer (&self->trace, ls_trace_unref);
  g_clear_pointer (&self->words, g_strfreev);
  g_clear_pointer (&self->folded, g_strfreev);
  g_clear_pointer (&self->rules, g_free);
  g_array_set_size (self->nodes, 0);
  g_array_set_size (self->hits, 0);
  memset (self->n_kind, 0, sizeof self->n_kind);
  self->next_node = self->next_pass = self->next_step = 0;
  self->current = -1;
  self->wanted = 0;
  ls_index_model_set (self->rows, 0);
}

static void
collect_nodes (LsSearchBar *self)
{
  const LsGraphDiff *diff = ls_view_session_diff (self->session);
  const LsGraph *graph = ls_view_session_graph (self->session);
  for (guint i = 0; diff && i < diff->nodes->len; i++)
    g_array_append_val (self->nodes, g_array_index (diff->nodes, LsDiffNode, i).node->id);
  for (guint i = 0; !diff && graph && i < graph->nodes->len; i++)
    g_array_append_val (self->nodes, ((LsUOp *) graph->nodes->pdata[i])->id);
}

static void
start (LsSearchBar *self)
{
  LsTrace *trace = ls_view_session_get_trace (self->session);
  g_autofree char *lower = g_ascii_strdown (gtk_editable_get_text (GTK_EDITABLE (self->entry)), -1);
  g_strstrip (lower);
  forget (self);
  g_free (self->text);
  self->text = g_steal_pointer (&lower);
  gtk_widget_set_visible (self->scroll, FALSE);
  if (*self->text && trace && ls_view_session_pass (self->session)) {
    self->trace = ls_trace_ref (trace);
    g_autofree char *folded = g_utf8_casefold (self->text, -1);
    self->words = g_strsplit_set (self->text, " \t", -1);
    self->folded = g_strsplit_set (folded, " \t", -1);
    self->pass = (guint) ls_view_session_get_pass (self->session);
    self->step = ls_view_session_get_step (self->session);
    self->rules = g_new0 (guint8, trace->rules->len + 1);
    for (guint i = 0; i < trace->rules->len; i++)
      self->rules[i] = name_matches (self, ((const LsTraceRule *) trace->rules->pdata[i])->name);
    collect_nodes (self);
    self->work = g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, on_work, self, NULL);
  }
  show_count (self);
}

static void
on_changed (LsSearchBar *self)
{
  g_autofree char *lower = g_ascii_strdown (gtk_editable_get_text (GTK_EDITABLE (self->entry)), -1);
  g_strstrip (lower);
  if (!g_str_equal (lower, self->text))
    start (self);
}

static void
step_to (LsSearchBar *self, int direction)
{
  on_changed (self);      /* the last typed text may not have been searched yet */
  leaf (self, direction);
}

static void on_enter (LsSearchBar *self) { step_to (self, 1); }
static void on_back (LsSearchBar *self) { step_to (self, -1); }

static gboolean
on_key (GtkEventControllerKey *keys, guint key, guint code, GdkModifierType state, LsSearchBar *self)
{
  if ((key != GDK_KEY_Return && key != GDK_KEY_KP_Enter) || !(state & GDK_SHIFT_MASK))
    return FALSE;
  step_to (self, -1);
  return TRUE;
}

static void
on_close (LsSearchBar *self)
{
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
  if (self->work) {
    g_clear_handle_id (&self->work, g_source_remove);
    g_signal_emit_by_name (self, "finished");
  }
  g_signal_emit_by_name (self, "closed");
}

static void
on_trace_changed (LsSearchBar *self)
{
  ls_text_set (&self->text, "");
  forget (self);
  gtk_widget_set_visible (self->scroll, FALSE);
  show_count (self);
}

void
ls_search_bar_open (LsSearchBar *self)
{
  gtk_widget_set_visible (GTK_WIDGET (self), TRUE);
  gtk_widget_grab_focus (self->entry);
  gtk_editable_select_region (GTK_EDITABLE (self->entry), 0, -1);
  start (self);      /* the graph may be another one by now */
}

/* --- rows --- */

static void
setup_row (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  static const LsCellLook looks[] = { { 3, LS_CELL_EXPAND | LS_CELL_MIDDLE }, { 0, LS_CELL_RIGHT | LS_CELL_DIM | LS_CELL_MIDDLE } };
  gtk_list_item_set_child (item, ls_cells_new (looks, G_N_ELEMENTS (looks), 10));
}

static void
bind_row (GtkSignalListItemFactory *factory, GtkListItem *item, LsSearchBar *self)
{
  guint row = ls_index_item_get (gtk_list_item_get_item (item));
  LsCells *cells = LS_CELLS (gtk_list_item_get_child (item));
  if (row >= self->hits->len || !self->trace)
    return;
  const Hit *hit = &g_array_index (self->hits, Hit, row);
  const LsPass *pass = self->trace->passes->pdata[hit->pass];
  g_autofree char *text = NULL, *where = NULL;
  if (hit->kind == HIT_NODE) {
    const LsUOp *u = ls_context_node (self->trace->ctx, hit->at);
    g_autofree char *words = u ? node_text (u) : g_strdup ("?");
    text = ls_text_cut (words, 120);
    where = g_strdup_printf (_("node %%%u"), hit->at);
  } else if (hit->kind == HIT_PASS) {
    text = ls_text_valid (pass->name);
    where = g_strdup_printf (_("pass of kernel %u"), pass->kernel);
  } else {
    text = ls_steps_dup_name (ls_steps_of (self->trace, pass), hit->at);
    g_autofree char *pass_name = ls_text_valid (pass->name);
    where = g_strdup_printf ("%u › %s › %u", pass->kernel, pass_name, hit->at);
  }
  ls_cells_set_text (cells, 0, text);
  ls_cells_set_text_fit (cells, 1, where);
  ls_accessible_name_row (item);
}

static void
on_selected (LsSearchBar *self)
{
  guint row = gtk_single_selection_get_selected (self->selection);
  if (!self->following && row != GTK_INVALID_LIST_POSITION)
    go_to_hit (self, row);
}

/* --- the widget --- */

void
ls_search_bar_set_session (LsSearchBar *self, LsViewSession *session)
{
  g_set_object (&self->session, session);
  g_signal_connect_object (session, "trace-changed", G_CALLBACK (on_trace_changed), self, G_CONNECT_SWAPPED);
}

static void
forget_search (LsSearchBar *self)
{
  if (self->rows)
    forget (self);
}

static void
ls_search_bar_class_init (LsSearchBarClass *class)
{
  LS_UI_BINDS (class, LsSearchBar, "search-bar", box, entry, count, scroll, list);
  LS_CALLBACKS (class, on_changed, on_enter, on_back, on_close);
  ls_class_signal (class, "finished", 0);
  ls_class_signal (class, "closed", 0);
  LS_ON_DISPOSE (class, forget_search);
  LS_OWNS (class, LsSearchBar, gtk_widget_unparent, box);
  LS_OWNS (class, LsSearchBar, g_object_unref, selection, rows, session);
  LS_KEEPS (class, LsSearchBar, g_free, text);
  LS_KEEPS (class, LsSearchBar, g_array_unref, nodes, hits);
}

static void
ls_search_bar_init (LsSearchBar *self)
{
  self->text = g_strdup ("");
  self->current = -1;
  self->nodes = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->hits = g_array_new (FALSE, FALSE, sizeof (Hit));
  self->rows = ls_index_model_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  self->selection = ls_list_rows (self->list, self->rows, self, G_CALLBACK (setup_row), G_CALLBACK (bind_row), NULL,
                                  G_CALLBACK (on_selected));
  GtkEventController *keys = gtk_event_controller_key_new ();
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (self->entry, keys);
}
