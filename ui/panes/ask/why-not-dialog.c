/* Why-not: the rules of the position's pass, those that got furthest at the selected node first, and the reason why each match ended.
 *
 * The dialog follows position and selection: it asks again when they change. How far each rule got is asked in slices of idle time; the
 * list is put in order once all are known. The bindings of the longest attempt of the selected rule are outlined in the graph while the
 * dialog is open.
 */
#include "why-not-dialog.h"
#include "kit/class.h"
#include "kit/accessible.h"
#include "kit/cells.h"
#include "kit/index-model.h"
#include "kit/list-keys.h"
#include "kit/list-rows.h"
#include "kit/list-scroll.h"
#include "kit/paragraph.h"
#include "kit/text.h"
#include "ir/print.h"
#include "kit/tip.h"
#include "session/trace-text.h"
#include "ask/ask.h"

#include <glib/gi18n.h>
#include <stdlib.h>
#include <string.h>

#define SLICE_US 6000

typedef struct { guint rule; guint8 far; const char *stage; } Entry;

struct _LsWhyNotDialog {
  AdwWindow           parent_instance;
  LsViewSession      *session;
  LsGraphView        *graph;
  GtkEditable        *search;
  GtkLabel           *node_label, *text, *bindings;
  GtkListView        *list;
  LsIndexModel       *rows;
  GtkSingleSelection *selection;
  LsTrace            *trace;
  const LsPass       *pass;
  guint               step, asked;
  guint32             node;
  GArray             *entries;      /* Entry */
  GArray             *shown;        /* guint: indices in entries that the search lets through */
  guint               work;
};

G_DEFINE_FINAL_TYPE (LsWhyNotDialog, ls_why_not_dialog, ADW_TYPE_WINDOW)

/* The stages in the order in which a match passes them. */
static const struct { const char *stage, *text; } stages[] = {
  { "unreadable", N_("its text cannot be read") },
  { "not-in-set", N_("not of this pass") },
  { "op", N_("another op") },
  { "dtype", N_("another dtype") },
  { "sources", N_("different number of sources") },
  { "argument", N_("another argument") },
  { "constant", N_("another constant") },
  { "capture", N_("two captures differ") },
  { "guard", N_("a guard is false") },
  { "result", N_("no result") },
  { "builder", N_("the builder made no node") },
  { "earlier-rule", N_("another rule fired first") },
  { "not-tried", N_("it matches, but was not tried") },
  { "fires", N_("it fires") },
  { "fired", N_("it fired") },
};

static guint8
how_far (const char *stage)
{
  for (guint i = 0; i < G_N_ELEMENTS (stages); i++)
    if (g_strcmp0 (stage, stages[i].stage) == 0)
      return (guint8) i;
  return 0;
}

static const LsTraceRule *
rule_of (LsWhyNotDialog *self, guint row)
{
  if (row >= self->shown->len)
    return NULL;
  guint rule = g_array_index (self->entries, Entry, g_array_index (self->shown, guint, row)).rule;
  return self->trace && rule < self->trace->rules->len ? self->trace->rules->pdata[rule] : NULL;
}

/* --- the chosen rule --- */

static void
show_bindings (LsWhyNotDialog *self, const LsBinding *bindings, guint n)
{
  g_autofree char *markup = ls_text_bindings (self->pass ? ls_trace_names (self->trace, self->pass->kernel) : NULL, bindings, n);
  gtk_label_set_markup (self->bindings, markup);
  gtk_widget_set_visible (GTK_WIDGET (self->bindings), *markup != 0);
  ls_graph_view_set_bindings (self->graph, bindings, n);
}

static void
show_rule (LsWhyNotDialog *self)
{
  const LsTraceRule *rule = rule_of (self, gtk_single_selection_get_selected (self->selection));
  g_autoptr (GError) error = NULL;
  g_autoptr (LsWhyNot) why = rule && self->node != LS_NO_NODE ? ls_why_not (self->trace, self->pass, self->step, self->node, rule->name,
                                                                            &error) : NULL;
  if (!why) {
    g_autofree char *said = error ? ls_text_error (error, 400) : NULL;
    gtk_label_set_text (self->text, said ? said : self->node == LS_NO_NODE ? _("Select a node of the graph.") : _("Choose a rule."));
    show_bindings (self, NULL, 0);
    return;
  }
  g_autofree char *whole = g_strdup_printf ("%s\n%s", rule->text, why->text), *valid = ls_text_valid (whole);
  gtk_label_set_text (self->text, g_strchomp (valid));
  show_bindings (self, (const LsBinding *) why->bindings->data, why->bindings->len);
}

static gboolean
on_link (LsWhyNotDialog *self, const char *uri)
{
  if (!g_str_has_prefix (uri, "node:"))
    return FALSE;
  graphene_rect_t rect;
  guint32 node = (guint32) strtoul (uri + 5, NULL, 10);
  ls_graph_view_node_rect (self->graph, node, &rect);
  ls_graph_view_set_selection (self->graph, &node, 1);      /* only shown: choosing it would ask about it */
  return TRUE;
}

/* --- the list --- */

static void
filter (LsWhyNotDialog *self)
{
  g_autofree char *wanted = g_ascii_strdown (gtk_editable_get_text (self->search), -1);
  g_array_set_size (self->shown, 0);
  for (guint i = 0; i < self->entries->len; i++) {
    const LsTraceRule *r = self->trace->rules->pdata[g_array_index (self->entries, Entry, i).rule];
    g_autofree char *name = g_ascii_strdown (r->name, -1), *text = g_ascii_strdown (r->text ? r->text : "", -1);
    if (!*wanted || strstr (name, wanted) || strstr (text, wanted))
      g_array_append_val (self->shown, i);
  }
  ls_index_model_set (self->rows, self->shown->len);
  gtk_single_selection_set_selected (self->selection, self->shown->len ? 0 : GTK_INVALID_LIST_POSITION);
  show_rule (self);
}

static int
furthest_first (gconstpointer a, gconstpointer b)
{
  const Entry *x = a, *y = b;
  return x->far != y->far ? (x->far > y->far ? -1 : 1) : x->rule < y->rule ? -1 : x->rule > y->rule;
}

static gboolean
on_work (gpointer data)
{
  LsWhyNotDialog *self = data;
  gint64 end = g_get_monotonic_time () + SLICE_US;
  for (; self->asked < self->entries->len && g_get_monotonic_time () < end; self->asked++) {
    Entry *e = &g_array_index (self->entries, Entry, self->asked);
    const LsTraceRule *r = self->trace->rules->pdata[e->rule];
    g_autoptr (LsWhyNot) why = ls_why_not (self->trace, self->pass, self->step, self->node, r->name, NULL);
    e->far = how_far (why ? why->stage : NULL);
    e->stage = stages[e->far].text;
  }
  if (self->asked < self->entries->len)
    return G_SOURCE_CONTINUE;
  self->work = 0;
  g_array_sort (self->entries, furthest_first);
  filter (self);
  g_signal_emit_by_name (self, "ready");
  return G_SOURCE_REMOVE;
}

static void
ask (LsWhyNotDialog *self)
{
  g_clear_handle_id (&self->work, g_source_remove);
  g_array_set_size (self->entries, 0);
  self->trace = ls_view_session_get_trace (self->session);
  self->pass = ls_view_session_pass (self->session);
  self->step = ls_view_session_get_step (self->session);
  self->node = ls_view_session_asked_node (self->session);
  self->asked = 0;
  LsUOp *u = self->trace && self->node != LS_NO_NODE ? ls_context_node (self->trace->ctx, self->node) : NULL;
  g_autofree char *summary = u && self->pass ? ls_text_node (ls_trace_names (self->trace, self->pass->kernel), u) : NULL,
                  *cut = summary ? ls_text_cut (summary, 80) : NULL, *pass = self->pass ? ls_text_valid (self->pass->name) : NULL;
  g_autofree char *at = cut ? g_strdup_printf (_("At %s, node %u, after step %u of %s"), cut, self->node, self->step, pass)
                            : g_strdup (_("No node is selected"));
  gtk_label_set_text (self->node_label, at);
  g_auto (GStrv) sets = self->pass && self->pass->set ? g_strsplit (self->pass->set, "+", -1) : NULL;
  for (guint i = 0; u && sets && i < self->trace->rules->len; i++) {
    const LsTraceRule *r = self->trace->rules->pdata[i];
    Entry e = { i, 0, "" };
    if (g_strv_contains ((const char *const *) sets, r->set))
      g_array_append_val (self->entries, e);
  }
  filter (self);
  if (self->entries->len)
    self->work = g_idle_add_full (G_PRIORITY_LOW, on_work, self, NULL);
}

static void
on_trace_changed (LsWhyNotDialog *self)
{
  g_clear_handle_id (&self->work, g_source_remove);
  gtk_window_destroy (GTK_WINDOW (self));
}

static void
setup_row (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  static const LsCellLook looks[] = { { 3, LS_CELL_EXPAND }, { 0, LS_CELL_RIGHT | LS_CELL_DIM } };
  gtk_list_item_set_child (item, ls_cells_new (looks, G_N_ELEMENTS (looks), 10));
}

static void
bind_row (GtkSignalListItemFactory *factory, GtkListItem *item, LsWhyNotDialog *self)
{
  guint row = ls_index_item_get (gtk_list_item_get_item (item));
  const LsTraceRule *rule = rule_of (self, row);
  LsCells *cells = LS_CELLS (gtk_list_item_get_child (item));
  g_autofree char *valid = rule ? ls_text_valid (rule->name) : NULL, *tip = rule ? ls_text_valid (rule->text) : NULL;
  const char *stage = rule ? g_array_index (self->entries, Entry, g_array_index (self->shown, guint, row)).stage : "";
  ls_cells_set_text (cells, 0, valid);
  ls_cells_set_text_fit (cells, 1, *stage ? _(stage) : NULL);
  ls_tip_set (GTK_WIDGET (cells), tip);
  ls_accessible_name_row (item);
}

static void
on_entry_down (LsWhyNotDialog *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self->list));
}

LsWhyNotDialog *
ls_why_not_dialog_new (GtkWindow *parent, LsViewSession *session, LsGraphView *graph)
{
  LsWhyNotDialog *self = g_object_new (LS_TYPE_WHY_NOT_DIALOG, "transient-for", parent, "destroy-with-parent", TRUE, NULL);
  self->session = g_object_ref (session);
  self->graph = g_object_ref (graph);
  g_signal_connect_object (session, "trace-changed", G_CALLBACK (on_trace_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "selection-changed", G_CALLBACK (ask), self, G_CONNECT_SWAPPED);
  ask (self);
  return self;
}

gboolean
ls_why_not_dialog_choose (LsWhyNotDialog *self, const char *name)
{
  for (guint i = 0; i < self->shown->len; i++)
    if (g_str_equal (rule_of (self, i)->name, name)) {
      gtk_single_selection_set_selected (self->selection, i);
      ls_list_scroll_to (self->list, i);
      return TRUE;
    }
  return FALSE;
}

gboolean    ls_why_not_dialog_get_busy (LsWhyNotDialog *self) { return self->work != 0; }

/* The graph goes back to the step's own captures. */
static void
restore_captures (LsWhyNotDialog *self)
{
  guint n;
  if (!self->session || !self->graph)
    return;
  const LsBinding *bindings = ls_view_session_bindings (self->session, &n);
  ls_graph_view_set_bindings (self->graph, bindings, n);
}

static void
ls_why_not_dialog_class_init (LsWhyNotDialogClass *class)
{
  ls_class_signal (class, "ready", 0);
  LS_USES (LS_TYPE_PARAGRAPH);
  LS_UI_BINDS (class, LsWhyNotDialog, "why-not-dialog", node_label, search, list, text, bindings);
  LS_CALLBACKS (class, filter, gtk_window_close, on_entry_down, on_link);
  gtk_widget_class_add_binding_action (GTK_WIDGET_CLASS (class), GDK_KEY_Escape, 0, "window.close", NULL);
  LS_SOURCES (class, LsWhyNotDialog, work);
  LS_ON_DISPOSE (class, restore_captures);
  LS_OWNS (class, LsWhyNotDialog, g_object_unref, selection, rows, graph, session);
  LS_KEEPS (class, LsWhyNotDialog, g_array_unref, entries, shown);
}

static void
ls_why_not_dialog_init (LsWhyNotDialog *self)
{
  self->node = LS_NO_NODE;
  self->entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  self->shown = g_array_new (FALSE, FALSE, sizeof (guint));
  self->rows = ls_index_model_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  self->selection = ls_list_rows (self->list, self->rows, self, G_CALLBACK (setup_row), G_CALLBACK (bind_row), NULL,
                                  G_CALLBACK (show_rule));
  gtk_window_set_focus (GTK_WINDOW (self), GTK_WIDGET (self->search));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->search), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Rule, or part of its pattern"), -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Rules"), -1);
  ls_list_keys_install (GTK_WIDGET (self));
}
