/* Rows are numbers of entries; their texts are made when they come into view. The entries of a pass of a million steps are found in
 * hundredths of a second, in which nothing is asked but each step's rule. Rows that the user opened stay open until another pass comes.
 * A step that an algorithm made opens, too: its nested steps (trace/step-parts.h) choose the nodes that it made. */
#include "step-list.h"
#include "kit/class.h"
#include "ir/sentence.h"
#include "kit/accessible.h"
#include "kit/cells.h"
#include "kit/index-model.h"
#include "kit/list-rows.h"
#include "kit/list-scroll.h"
#include "panes/ask/question-menu.h"
#include "kit/text.h"
#include "kit/tip.h"
#include "trace/step-parts.h"

#include <glib/gi18n.h>
#include <string.h>

#define MARK_WIDTH 24      /* pixels from the left where a press opens an entry */

/* Steps step … step + n - 1, all of one rule, which took ns; n > 1 for the row of an entry. inside: how deep below open ones. part: the
 * number of a nested step of step, from 1; 0: it is none. */
typedef struct { guint32 step, n, part; guint8 open, inside; float ns; } Row;

struct _LsStepList {
  GtkWidget           parent_instance;
  LsSteps             steps;
  guint               step, part;
  GArray             *rows;       /* Row */
  GHashTable         *open, *open_parts;      /* first steps of open entries; steps whose nested steps are listed */
  LsIndexModel       *model;
  GtkSingleSelection *selection;
  GtkWidget          *box, *filter;
  GtkListView        *view;
  gboolean            following;
};

G_DEFINE_FINAL_TYPE (LsStepList, ls_step_list, GTK_TYPE_WIDGET)

static const Row *
row_at (LsStepList *self, guint i)
{
  return i < self->rows->len ? &g_array_index (self->rows, Row, i) : NULL;
}

/* --- the filter --- */

typedef struct { guint8 *rules; guint8 ops[LS_N_OPS]; gboolean any_op; guint64 node; } Filter;

static gboolean
has_text (const char *name, const char *folded)
{
  g_autofree char *all = g_utf8_casefold (name, -1);
  return strstr (all, folded) != NULL;
}

static void
filter_init (Filter *f, LsSteps steps, const char *text)
{
  g_autofree char *valid = ls_text_valid (text), *folded = g_utf8_casefold (g_strstrip (valid), -1);
  GPtrArray *rules = steps.trace->rules;
  *f = (Filter) { .rules = g_new0 (guint8, rules->len + 1), .node = G_MAXUINT64 };
  for (guint i = 0; i < rules->len; i++)
    f->rules[i] = has_text (((LsTraceRule *) rules->pdata[i])->name, folded);
  for (guint op = 0; op < LS_N_OPS; op++)
    f->any_op |= f->ops[op] = has_text (ls_op_name (op), folded);
  if (!g_ascii_string_to_unsigned (folded, 10, 0, G_MAXUINT32, &f->node, NULL))
    f->node = G_MAXUINT64;
}

static gboolean
filter_takes (const Filter *f, LsSteps steps, const LsLink *link)
{
  if ((link->rule >= 0 && link->rule < (gint) steps.trace->rules->len && f->rules[link->rule]) || link->before == f->node ||
      link->after == f->node)
    return TRUE;
  const LsUOp *before = f->any_op ? ls_context_node (steps.trace->ctx, link->before) : NULL,
              *after = f->any_op ? ls_context_node (steps.trace->ctx, link->after) : NULL;
  return (before && f->ops[before->op]) || (after && f->ops[after->op]);
}

/* --- entries --- */

/* A step's row, and below it its nested steps if they are open. */
static void
add_step (LsStepList *self, Row row)
{
  g_autoptr (GArray) parts = NULL;
  row.open = g_hash_table_contains (self->open_parts, GUINT_TO_POINTER (row.step));
  if (row.open)
    parts = ls_step_parts (self->steps.trace, self->steps.pass, row.step, TRUE);
  g_array_append_val (self->rows, row);
  for (guint i = 0; parts && i < parts->len; i++) {
    Row part = { row.step, 1, i + 1, FALSE, row.inside + 1, 0 };
    g_array_append_val (self->rows, part);
  }
}

static void
add_entry (LsStepList *self, guint step, guint n)
{
  gboolean open = n > 1 && g_hash_table_contains (self->open, GUINT_TO_POINTER (step));
  guint at = self->rows->len;
  Row row = { step, n, 0, open, 0, 0 };
  if (n == 1) {
    row.ns = (float) ls_steps_ns (self->steps, step);
    add_step (self, row);
    return;
  }
  g_array_append_val (self->rows, row);
  for (guint i = 0; i < n; i++) {
    Row one = { step + i, 1, 0, FALSE, 1, (float) ls_steps_ns (self->steps, step + i) };
    row.ns += one.ns;
    if (open)
      add_step (self, one);
  }
  g_array_index (self->rows, Row, at) = row;
}

/* Statements, or rows: an entry each. */
static void
list_statements (LsStepList *self, const char *filter)
{
  g_autofree char *folded = g_utf8_casefold (filter, -1);
  for (guint step = 1, n = ls_steps_n (self->steps); step <= n; step++) {
    g_autofree char *name = *folded ? ls_steps_dup_name (self->steps, step) : NULL;
    if (!name || has_text (name, folded))
      add_entry (self, step, 1);
  }
}

static void
list_entries (LsStepList *self)
{
  guint n = ls_steps_n (self->steps), first = 0;
  gint rule = -1;
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->filter));
  if (!ls_steps_are_rewrites (self->steps)) {
    g_array_set_size (self->rows, 0);
    list_statements (self, text);
    return;
  }
  Filter f;
  gboolean filtered = n > 0 && strspn (text, " ") < strlen (text);
  if (filtered)
    filter_init (&f, self->steps, text);
  g_array_set_size (self->rows, 0);
  for (guint step = 1; step <= n; step++) {
    const LsLink *link = ls_pass_step_link (self->steps.pass, step);
    gboolean taken = !filtered || filter_takes (&f, self->steps, link);
    if (first && taken && link->rule == rule)
      continue;
    if (first)
      add_entry (self, first, step - first);
    first = taken ? step : 0;
    rule = link->rule;
  }
  if (first)
    add_entry (self, first, n + 1 - first);
  if (filtered)
    g_free (f.rules);
}

/* The innermost row that the current step is in. */
static guint
current_row (LsStepList *self)
{
  guint low = 0, high = self->rows->len;
  while (low < high) {
    guint middle = (low + high) / 2;
    if (row_at (self, middle)->step <= self->step)
      low = middle + 1;
    else
      high = middle;
  }
  while (low > 1 && row_at (self, low - 1)->part > self->part)      /* nested steps have the number of theirs */
    low--;
  const Row *r = low ? row_at (self, low - 1) : NULL;
  return r && self->step < r->step + r->n ? low - 1 : GTK_INVALID_LIST_POSITION;
}

static void
show_step (LsStepList *self)
{
  guint row = self->step ? current_row (self) : GTK_INVALID_LIST_POSITION;
  self->following = TRUE;
  gtk_single_selection_set_selected (self->selection, row);
  self->following = FALSE;
  ls_list_scroll_to (self->view, row);
}

static void
show_entries (LsStepList *self)
{
  list_entries (self);
  self->following = TRUE;
  ls_index_model_set (self->model, self->rows->len);
  self->following = FALSE;
  if (self->rows->len == 0 && ls_steps_n (self->steps))
    gtk_widget_add_css_class (self->filter, "error");
  else
    gtk_widget_remove_css_class (self->filter, "error");
  show_step (self);
}

void
ls_step_list_set_steps (LsStepList *self, LsSteps steps)
{
  self->steps = steps;
  self->step = self->part = 0;
  g_hash_table_remove_all (self->open);
  g_hash_table_remove_all (self->open_parts);
  show_entries (self);
}

void
ls_step_list_set_step (LsStepList *self, guint step)
{
  self->part = step == self->step ? self->part : 0;
  self->step = step;
  show_step (self);
}

/* Whether a row can be opened, if it is an entry or a step that an algorithm made. */
static gboolean
can_open (LsStepList *self, const Row *row)
{
  return row->n > 1 || (!row->part && ls_steps_are_rewrites (self->steps) &&
                        ls_step_is_built (self->steps.trace, self->steps.pass, row->step));
}

/* Opens or closes a row, or the one that it is in. */
static gboolean
set_open (LsStepList *self, guint i, gboolean open)
{
  const Row *row = row_at (self, i);
  while (row && row->inside && (row->part || !can_open (self, row) || row->open == open))
    row = row_at (self, --i);
  if (!row || !can_open (self, row) || row->open == open)
    return FALSE;
  GHashTable *opened = row->n > 1 ? self->open : self->open_parts;
  if (open)
    g_hash_table_add (opened, GUINT_TO_POINTER (row->step));
  else
    g_hash_table_remove (opened, GUINT_TO_POINTER (row->step));
  show_entries (self);
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
  return TRUE;
}

/* --- the user's actions --- */

static void
on_selected (LsStepList *self)
{
  const Row *row = row_at (self, gtk_single_selection_get_selected (self->selection));
  if (self->following || !row)
    return;
  guint step = row->step, part = row->part;
  self->part = part;
  self->step = step;      /* the position that follows keeps the part */
  g_signal_emit_by_name (self, "chosen", step);
  if (!part)
    return;
  g_autoptr (GArray) parts = ls_step_parts (self->steps.trace, self->steps.pass, step, TRUE);
  if (parts && part <= parts->len)
    g_signal_emit_by_name (self, "part-chosen", (guint) g_array_index (parts, LsStepPart, part - 1).node);
}

static void
on_activate (LsStepList *self, guint i)
{
  const Row *row = row_at (self, i);
  if (row)
    set_open (self, i, !row->open);
}

static gboolean
on_key (LsStepList *self, guint key)
{
  guint row = gtk_single_selection_get_selected (self->selection);
  return (key == GDK_KEY_Right || key == GDK_KEY_Left) && set_open (self, row, key == GDK_KEY_Right);
}

static void
on_pressed (GtkGestureClick *gesture, int n_press, double x, double y, LsStepList *self)
{
  guint i = x < MARK_WIDTH ? ls_cells_pick (GTK_WIDGET (self->view), x, y, NULL) : 0;
  const Row *row = i ? row_at (self, i - 1) : NULL;
  if (row && can_open (self, row) && set_open (self, i - 1, !row->open))
    gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
}

static void
on_stop (LsStepList *self)
{
  gtk_editable_set_text (GTK_EDITABLE (self->filter), "");
  g_signal_emit_by_name (self, "left");
}

/* The first step that is left. */
static void
on_enter (LsStepList *self)
{
  if (self->rows->len == 0)
    return;
  g_signal_emit_by_name (self, "chosen", row_at (self, 0)->step);
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

void
ls_step_list_filter (LsStepList *self)
{
  gtk_widget_grab_focus (self->filter);
}

GtkListView *
ls_step_list_get_view (LsStepList *self)
{
  return self->view;
}

guint
ls_step_list_step_at (LsStepList *self, double x, double y)
{
  guint i = ls_cells_pick (GTK_WIDGET (self->view), x, y, NULL);
  const Row *row = i ? row_at (self, i - 1) : NULL;
  return row ? row->step : 0;
}

/* --- rows --- */

enum { MARK, NUMBER, NAME, TIMES, TIME, N_PARTS };

static void
setup (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  static const LsCellLook looks[N_PARTS] = {
    { 1, LS_CELL_DIM }, { 3, LS_CELL_RIGHT | LS_CELL_DIM | LS_CELL_NUMERIC }, { 3, LS_CELL_EXPAND }, { 0, LS_CELL_DIM },
    { 4, LS_CELL_RIGHT | LS_CELL_DIM | LS_CELL_NUMERIC },
  };
  gtk_list_item_set_child (item, ls_cells_new (looks, N_PARTS, 4));
}

/* A nested step: the node that was made, and why. */
static void
bind_part (LsStepList *self, LsCells *cells, guint i, const Row *row)
{
  g_autoptr (GArray) parts = ls_step_parts (self->steps.trace, self->steps.pass, row->step, TRUE);
  const LsStepPart *part = parts && row->part <= parts->len ? &g_array_index (parts, LsStepPart, row->part - 1) : NULL;
  g_autofree char *number = g_strdup_printf (".%u", row->part), *text = ls_text_cut (part ? part->text : "?", 60),
                  *tip = part ? g_strdup_printf ("%s: %s", text, ls_shown (part->why)) : NULL;
  ls_cells_set_text (cells, MARK, NULL);
  ls_cells_set_text (cells, NUMBER, number);
  ls_cells_set_text (cells, NAME, text);
  ls_cells_set_text_fit (cells, TIMES, NULL);
  ls_cells_set_indent (cells, NAME, 10 * row->inside);
  ls_cells_set_text (cells, TIME, NULL);
  ls_cells_set_row (cells, i + 1);
  ls_tip_set (GTK_WIDGET (cells), tip);
}

static void
bind (GtkSignalListItemFactory *factory, GtkListItem *item, LsStepList *self)
{
  guint i = ls_index_item_get (gtk_list_item_get_item (item)), digits = 2;
  const Row *row = row_at (self, i);
  LsCells *cells = LS_CELLS (gtk_list_item_get_child (item));
  if (!row)
    return;
  if (row->part) {
    bind_part (self, cells, i, row);
    ls_accessible_name_row (item);
    return;
  }
  const LsTraceRule *rule = ls_steps_rule (self->steps, row->step);
  double us = (double) row->ns / 1e3;
  g_autofree char *number = g_strdup_printf ("%u", row->step), *name = ls_steps_dup_name (self->steps, row->step);
  g_autofree char *times = row->n > 1 ? g_strdup_printf ("×%u", row->n) : NULL;
  g_autofree char *time = g_strdup_printf (us < 1 ? "%.2f" : us < 100 ? "%.1f" : "%.0f", us);
  for (guint n = ls_steps_n (self->steps); n >= 100; n /= 10)
    digits++;
  ls_cells_set_text (cells, MARK, !can_open (self, row) ? NULL : row->open ? "▾" : "▸");
  ls_cells_set_chars (cells, NUMBER, digits);
  ls_cells_set_text (cells, NUMBER, number);
  ls_cells_set_text (cells, NAME, name);
  ls_cells_set_text_fit (cells, TIMES, times);      /* whole, however long the name is */
  ls_cells_set_indent (cells, NAME, 10 * row->inside);
  ls_cells_set_text (cells, TIME, rule || row->ns > 0 ? time : NULL);      /* only statements at the top are timed */
  ls_cells_set_row (cells, i + 1);
  g_autofree char *title = times ? g_strdup_printf ("%s %s", name, times) : g_strdup (name);
  g_autofree char *tip = rule ? g_strdup_printf (_("%s\n%s\n%s\n%s µs"), title, rule->text, ls_shown (rule->sentence), time)
                              : g_strdup_printf ("%s\n%s µs", title, time);
  g_autofree char *valid = tip ? ls_text_valid (tip) : NULL;
  ls_tip_set (GTK_WIDGET (cells), valid);
  ls_accessible_name_row (item);
}

/* --- the widget --- */

static void
forget_steps (LsStepList *self)
{
  self->steps = (LsSteps) { NULL };
  g_array_set_size (self->rows, 0);
}

static void
ls_step_list_class_init (LsStepListClass *class)
{
  LS_ON_DISPOSE (class, forget_steps);
  LS_OWNS (class, LsStepList, gtk_widget_unparent, box);
  LS_OWNS (class, LsStepList, g_object_unref, selection, model);
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (class), GTK_TYPE_BIN_LAYOUT);
  ls_class_signal (class, "chosen", 1, G_TYPE_UINT);
  ls_class_signal (class, "part-chosen", 1, G_TYPE_UINT);
  ls_class_signal (class, "left", 0);
  LS_KEEPS (class, LsStepList, g_array_unref, rows);
  LS_KEEPS (class, LsStepList, g_hash_table_unref, open, open_parts);
}

static void
make_filter (LsStepList *self)
{
  self->filter = gtk_search_entry_new ();
  gtk_widget_set_name (self->filter, "step-filter");
  g_object_set (self->filter, "placeholder-text", _("Rule, op or node (l)"), NULL);
  gtk_widget_add_css_class (self->filter, "step-filter");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->filter), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Filter the steps"), -1);
  g_signal_connect_object (self->filter, "changed", G_CALLBACK (show_entries), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->filter, "stop-search", G_CALLBACK (on_stop), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->filter, "activate", G_CALLBACK (on_enter), self, G_CONNECT_SWAPPED);
}

static void
make_view (LsStepList *self)
{
  self->view = GTK_LIST_VIEW (gtk_list_view_new (NULL, NULL));
  self->selection = ls_list_rows (self->view, self->model, self, G_CALLBACK (setup), G_CALLBACK (bind), NULL, G_CALLBACK (on_selected));
  gtk_widget_set_name (GTK_WIDGET (self->view), "steps");
  gtk_widget_add_css_class (GTK_WIDGET (self->view), "compact-list");
  g_signal_connect_object (self->view, "activate", G_CALLBACK (on_activate), self, G_CONNECT_SWAPPED);
  GtkEventController *keys = gtk_event_controller_key_new ();
  g_signal_connect_object (keys, "key-pressed", G_CALLBACK (on_key), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (self->view), keys);
  GtkGesture *click = gtk_gesture_click_new ();
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (click), GTK_PHASE_CAPTURE);
  g_signal_connect_object (click, "pressed", G_CALLBACK (on_pressed), self, 0);
  gtk_widget_add_controller (GTK_WIDGET (self->view), GTK_EVENT_CONTROLLER (click));
}

static void
ls_step_list_init (LsStepList *self)
{
  self->rows = g_array_new (FALSE, FALSE, sizeof (Row));
  self->open = g_hash_table_new (NULL, NULL);
  self->open_parts = g_hash_table_new (NULL, NULL);
  self->model = ls_index_model_new ();
  make_filter (self);
  make_view (self);
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *scroll = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroll), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroll), GTK_WIDGET (self->view));
  gtk_widget_set_vexpand (scroll, TRUE);
  gtk_box_append (GTK_BOX (self->box), self->filter);
  gtk_box_append (GTK_BOX (self->box), scroll);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
}
