/* The precise diff of the current rows, of a step or of a comparison: renumbering is not a change. A position that changed nothing shows
 * its rows.
 *
 * It is made in idle time, and only while the pane is seen, so that stepping does not wait for it. Until then rows of the same pass
 * stand there faint, where it takes long, and those of another pass never do. Rows are numbers; their words are
 * made when they come into view. Long stretches without a change are folded into one line, which unfolds when it is chosen. Rows of
 * classes that the user hides are left out, unless they changed or are unfolded. From linearize on rows are in the order of
 * execution, rows in a loop are indented, and each row has the reason for its position.
 */
#include "changes-pane.h"
#include "kit/class.h"
#include "kit/busy.h"
#include "kit/accessible.h"
#include "kit/cells.h"
#include "kit/index-model.h"
#include "ir/names.h"
#include "ir/print.h"
#include "ir/short.h"
#include "kit/list-rows.h"
#include "kit/list-scroll.h"
#include "panes/ask/question-menu.h"
#include "kit/text.h"
#include "kit/tip.h"
#include "session/node-filter.h"
#include "session/trace-text.h"

#include <glib/gi18n.h>
#include <string.h>

#define CONTEXT   4        /* unchanged rows around a changed one */
#define LATE      100      /* milliseconds after which rows of another position are replaced by a note that they are loading */

/* A line of the list: a row of the diff, or n rows from row on that are the same and folded. */
typedef struct { guint32 row, n; guint16 depth; guint8 state; } Line;

struct _LsChangesPane {
  GtkWidget           parent_instance;
  LsViewSession      *session;
  GtkWidget          *box, *stack, *summary;
  GtkToggleButton    *list_button, *tree_button;
  GtkListView        *view;
  GtkSingleSelection *selection;
  LsIndexModel       *model;
  LsListDiff         *diff;
  GArray             *lines;        /* Line */
  LsNest             *nest;         /* of each row of the diff: loops around it */
  GHashTable         *hidden;       /* of the rows' graph (node-filter.h), or NULL */
  guint               n_hidden;     /* rows that are left out */
  guint               op_chars, dtype_chars;      /* the widest of the rows that did not change */
  guint               work;         /* idle source */
  guint               late;         /* timeout */
  const LsPass       *pass;         /* of the rows */
  gboolean            stale, following, is_tree;
};

G_DEFINE_FINAL_TYPE (LsChangesPane, ls_changes_pane, GTK_TYPE_WIDGET)

const LsListDiff *
ls_changes_pane_get (LsChangesPane *self)
{
  return self->diff;
}

gboolean
ls_changes_pane_get_busy (LsChangesPane *self)
{
  return self->work != 0;
}

void
ls_changes_pane_indent (LsCells *cells, guint i, const LsNest *around)
{
  const char *colors[LS_NEST_MOST];
  for (guint k = 0; k < around->depth; k++)
    colors[k] = around->axes[k] ? ls_text_axis_color ((LsAxisType) (around->axes[k] - 1)) : NULL;
  ls_cells_set_levels (cells, i, colors, around->depth);
}

static const LsListRow *
row_at (LsChangesPane *self, guint row)
{
  return &g_array_index (self->diff->rows, LsListRow, row);
}

/* --- lines --- */

/* What the step left as it was, of a class that the user hides. */
static gboolean
is_hidden (LsChangesPane *self, guint row)
{
  return self->hidden && row_at (self, row)->kind == LS_DIFF_SAME && ls_node_hidden (self->hidden, ls_list_diff_node (self->diff, row)->id);
}

/* What is made of the user's choice for these rows. */
static void
find_hidden (LsChangesPane *self)
{
  guint classes = ls_view_session_get_hidden (self->session);
  g_clear_pointer (&self->hidden, g_hash_table_unref);
  self->n_hidden = 0;
  if (classes && self->diff)
    self->hidden = ls_node_filter (ls_view_session_graph (self->session), classes);
  for (guint i = 0; self->hidden && i < self->diff->rows->len; i++)
    self->n_hidden += is_hidden (self, i);
}

static void
list_lines (LsChangesPane *self)
{
  guint n = self->diff->rows->len;
  g_autofree guint8 *near = g_new0 (guint8, n + 1);
  /* a list that a pass makes row by row is shown whole */
  gboolean grows = self->diff->from.pass == self->diff->to.pass && self->diff->to.pass->kind != LS_PASS_REWRITE,
           plain = grows || self->diff->n_kind[LS_DIFF_SAME] == n;
  for (guint i = 0; i < n; i++)
    if (plain || row_at (self, i)->kind != LS_DIFF_SAME)
      for (guint k = i > CONTEXT ? i - CONTEXT : 0; k <= MIN (i + CONTEXT, n - 1); k++)
        near[k] = TRUE;
  for (guint i = 0; i < n;) {
    guint to = i;
    while (to < n && !near[to])
      to++;
    if (to - i <= 1 && is_hidden (self, i)) {
      i++;
      continue;
    }
    Line line = { i, to - i > 1 ? to - i : 0, (guint16) self->nest[i].depth, LS_TREE_NODE };      /* one row takes no less room folded */
    g_array_append_val (self->lines, line);
    i = MAX (to, i + 1);
  }
}

static void
tree_lines (LsChangesPane *self)
{
  g_autoptr (GArray) tree = ls_list_diff_tree (self->diff);
  for (guint i = 0; i < tree->len; i++) {
    const LsTreeRow *t = &g_array_index (tree, LsTreeRow, i);
    if (is_hidden (self, t->row))
      continue;
    Line line = { t->row, 0, (guint16) MIN (t->depth, LS_NEST_MOST), (guint8) t->state };
    g_array_append_val (self->lines, line);
  }
}

static void
show_chosen (LsChangesPane *self)
{
  guint at = GTK_INVALID_LIST_POSITION;
  if (self->diff) {
    GArray *chosen = ls_view_session_graph_nodes (self->session);
    guint32 node = chosen->len ? g_array_index (chosen, guint32, 0) : LS_NO_NODE;
    for (guint i = 0; node != LS_NO_NODE && i < self->lines->len && at == GTK_INVALID_LIST_POSITION; i++) {
      const Line *l = &g_array_index (self->lines, Line, i);
      if (l->n == 0 && ls_list_diff_node (self->diff, l->row)->id == node)
        at = i;
    }
  }
  self->following = TRUE;
  if (gtk_single_selection_get_selected (self->selection) != at)
    gtk_single_selection_set_selected (self->selection, at);
  self->following = FALSE;
  if (at != GTK_INVALID_LIST_POSITION)
    ls_list_scroll_to (self->view, at);
}

static void
show_first_change (LsChangesPane *self)
{
  for (guint i = 0; i < self->lines->len; i++) {
    const Line *l = &g_array_index (self->lines, Line, i);
    if (l->n == 0 && row_at (self, l->row)->kind != LS_DIFF_SAME) {
      ls_list_scroll_to (self->view, i);
      return;
    }
  }
}

/* Rows, that there are none, or that they are still to come. */
static void
show_page (LsChangesPane *self)
{
  const LsPass *pass = ls_view_session_pass (self->session);
  gboolean coming = self->stale && pass && pass != self->pass;
  gtk_stack_set_visible_child_name (GTK_STACK (self->stack), coming ? "coming" : self->diff ? "rows" : "nothing");
}

static void
show_lines (LsChangesPane *self)
{
  g_array_set_size (self->lines, 0);
  gboolean differs = self->diff && self->diff->n_kind[LS_DIFF_SAME] < self->diff->rows->len;
  self->is_tree = differs && gtk_toggle_button_get_active (self->tree_button);
  if (self->is_tree)
    tree_lines (self);
  else if (self->diff)
    list_lines (self);
  self->following = TRUE;
  ls_index_model_set (self->model, self->lines->len);
  self->following = FALSE;
  show_page (self);
  gtk_widget_set_sensitive (GTK_WIDGET (self->list_button), differs);
  gtk_widget_set_sensitive (GTK_WIDGET (self->tree_button), differs);
  show_first_change (self);
  show_chosen (self);
}

static void
show_summary (LsChangesPane *self)
{
  g_autoptr (GString) text = g_string_new (NULL);
  const struct { LsDiffKind kind; const char *word; } kinds[] = {
    { LS_DIFF_ADDED, _("added") }, { LS_DIFF_REMOVED, _("removed") }, { LS_DIFF_CHANGED, _("changed") }, { LS_DIFF_MOVED, _("moved") },
  };
  for (gsize i = 0; self->diff && i < G_N_ELEMENTS (kinds); i++)
    if (self->diff->n_kind[kinds[i].kind])
      g_string_append_printf (text, "%s%u %s", text->len ? " · " : "", self->diff->n_kind[kinds[i].kind], kinds[i].word);
  if (self->diff && self->diff->n_kind[LS_DIFF_SAME] == self->diff->rows->len) {
    guint n = self->diff->rows->len;
    g_string_printf (text, ngettext ("%u row, nothing changed", "%u rows, nothing changed", n), n);
  }
  if (self->diff && self->diff->n_ambiguous)
    g_string_append_printf (text, ngettext (" · %u ambiguous match", " · %u ambiguous matches", self->diff->n_ambiguous),
                            self->diff->n_ambiguous);
  g_autoptr (GString) markup = g_string_new (NULL);
  g_autofree char *escaped = g_markup_escape_text (text->str, -1),
                  *hidden = g_strdup_printf (ngettext ("%u hidden", "%u hidden", self->n_hidden), self->n_hidden);
  g_string_append (markup, escaped);
  if (self->n_hidden)
    g_string_append_printf (markup, "%s<a href=\"hidden\">%s</a>", text->len ? " · " : "", hidden);
  if (self->n_hidden)
    g_string_append_printf (text, "%s%s", text->len ? " · " : "", hidden);
  gtk_label_set_markup (GTK_LABEL (self->summary), markup->str);
  ls_tip_set (self->summary, text->str);
}

/* The count of hidden rows was chosen. */
static gboolean
on_show_hidden (LsChangesPane *self)
{
  ls_view_session_set_hidden (self->session, ls_view_session_get_hidden (self->session) & LS_HIDE_FRAMES);
  return TRUE;
}

static void
on_hidden_changed (LsChangesPane *self)
{
  if (self->stale)
    return;
  find_hidden (self);
  show_summary (self);
  show_lines (self);
}

/* --- the diff --- */

static char *
dtype_text (const LsUOp *u)
{
  char text[64];
  return ls_text_dtype (ls_dtype_text (u->dtype, text));
}

static void
forget (LsChangesPane *self)
{
  g_clear_pointer (&self->diff, ls_list_diff_free);
  g_clear_pointer (&self->nest, g_free);
  g_clear_pointer (&self->hidden, g_hash_table_unref);
  self->n_hidden = 0;
  self->pass = NULL;
}

static void
measure_rows (LsChangesPane *self)
{
  guint n = self->diff ? self->diff->rows->len : 0;
  LsNest nest = { 0 };
  gboolean ordered = ls_view_session_is_final (self->session);
  self->nest = g_new0 (LsNest, n + 1);
  self->op_chars = self->dtype_chars = 3;
  for (guint i = 0; i < n; i++) {
    const LsUOp *u = ls_list_diff_node (self->diff, i);
    g_autofree char *dtype = dtype_text (u);
    if (ordered)
      ls_nest_next (&nest, u, &self->nest[i]);
    self->op_chars = MAX (self->op_chars, strlen (ls_op_name (u->op)));
    self->dtype_chars = MAX (self->dtype_chars, (guint) g_utf8_strlen (dtype, -1));
  }
  self->op_chars = MIN (self->op_chars, 14);
  self->dtype_chars = MIN (self->dtype_chars, 9);
}

static gboolean
on_work (gpointer data)
{
  LsChangesPane *self = data;
  LsPosition before, after;
  LsTrace *trace = ls_view_session_get_trace (self->session);
  self->work = 0;
  self->stale = FALSE;
  g_clear_handle_id (&self->late, g_source_remove);
  gtk_widget_set_opacity (GTK_WIDGET (self->view), 1);
  forget (self);
  const LsGraphDiff *diff = ls_view_session_diff (self->session);
  const LsPosition here = { trace, ls_view_session_pass (self->session), ls_view_session_get_step (self->session) };
  if (diff && ls_view_session_sides (self->session, &before, &after))
    self->diff = ls_list_diff_graph (&before, &after, diff);
  else if (here.pass)
    self->diff = ls_list_diff (&here, &here);
  self->pass = here.pass;
  measure_rows (self);
  find_hidden (self);
  show_summary (self);
  show_lines (self);
  g_object_notify (G_OBJECT (self), "busy");
  return G_SOURCE_REMOVE;
}

static void
want (LsChangesPane *self)
{
  if (!self->stale || self->work || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  self->work = g_idle_add_full (G_PRIORITY_LOW, on_work, self, NULL);
  g_object_notify (G_OBJECT (self), "busy");
}

static void
say_coming (LsChangesPane *self)
{
  gtk_label_set_text (GTK_LABEL (self->summary), _("Loading the rows…"));
  ls_tip_set (self->summary, NULL);
  gtk_widget_set_opacity (GTK_WIDGET (self->view), 0.4);
}

static gboolean
on_late (gpointer data)
{
  LsChangesPane *self = data;
  self->late = 0;
  say_coming (self);
  return G_SOURCE_REMOVE;
}

static void
on_position_changed (LsChangesPane *self)
{
  self->stale = TRUE;
  show_page (self);
  if (ls_view_session_pass (self->session) != self->pass)
    say_coming (self);
  else if (!self->late)
    self->late = g_timeout_add (LATE, on_late, self);
  want (self);
}

static void
on_trace_changed (LsChangesPane *self)
{
  forget (self);      /* its rows are nodes that go */
  show_summary (self);
  show_lines (self);
  on_position_changed (self);
}

static void
on_selection_changed (LsChangesPane *self)
{
  if (!self->stale)
    show_chosen (self);
}

static void
unfold (LsChangesPane *self, guint at)
{
  Line line = g_array_index (self->lines, Line, at);
  GArray *lines = g_array_sized_new (FALSE, FALSE, sizeof (Line), self->lines->len + line.n);
  g_array_append_vals (lines, self->lines->data, at);
  for (guint i = 0; i < line.n; i++) {
    Line one = { line.row + i, 0, (guint16) self->nest[line.row + i].depth, LS_TREE_NODE };
    g_array_append_val (lines, one);
  }
  g_array_append_vals (lines, &g_array_index (self->lines, Line, at + 1), self->lines->len - at - 1);
  g_array_unref (self->lines);
  self->lines = lines;
  self->following = TRUE;
  ls_index_model_set (self->model, lines->len);
  self->following = FALSE;
  ls_list_scroll_to (self->view, at);
}

static gboolean
on_unfold (gpointer data)
{
  LsChangesPane *self = data;
  guint at = gtk_single_selection_get_selected (self->selection);
  if (self->diff && at < self->lines->len && g_array_index (self->lines, Line, at).n)
    unfold (self, at);
  return G_SOURCE_REMOVE;
}

static void
on_selected (LsChangesPane *self)
{
  guint at = gtk_single_selection_get_selected (self->selection);
  if (self->following || !self->diff || at >= self->lines->len)
    return;
  const Line *line = &g_array_index (self->lines, Line, at);
  if (line->n) {      /* the list cannot lose its rows while it selects one */
    g_idle_add_full (G_PRIORITY_DEFAULT, on_unfold, g_object_ref (self), g_object_unref);
    return;
  }
  guint32 node = ls_list_diff_node (self->diff, line->row)->id;
  ls_view_session_select (self->session, LS_CHOSEN_IN_GRAPH, &node, 1);
}

/* --- rows --- */

/* "2", "2 → 1". */
static void
append_change (GString *out, const char *before, const char *after)
{
  if (g_str_equal (before, after))
    g_string_append (out, after);
  else
    g_string_append_printf (out, "%s → %s", *before ? before : _("none"), *after ? after : _("none"));
}

/* "loop k", which ends at that row, or NULL. */
static char *
ending_loop (LsChangesPane *self, const LsUOp *u)
{
  gboolean ends = u->op == LS_OP_ENDRANGE && u->n_src && ls_has_loop_name (u->src[0]);
  g_autofree char *name = ends ? ls_label_of_loop (self->diff->graph_b->names, u->src[0]) : NULL;
  return name ? g_strdup_printf (_("loop %s ends"), name) : NULL;
}

/* Operands and argument. */
static char *
rest_text (LsChangesPane *self, guint row, LsUOp *x, LsUOp *y)
{
  GString *out = g_string_new (NULL);
  g_autofree char *now = ls_list_diff_operands (self->diff, row, FALSE),
                  *was = x == y ? g_strdup (now) : ls_list_diff_operands (self->diff, row, TRUE);
  const LsNames *before = self->diff->graph_a->names, *after = self->diff->graph_b->names;
  g_autofree char *arg_x = ls_row_arg (before, x), *arg_y = ls_row_arg (after, y);
  g_autofree char *lanes_now = ls_text_operands (now), *lanes_was = ls_text_operands (was);
  append_change (out, lanes_was, lanes_now);
  if (*arg_x || *arg_y) {
    g_string_append (out, out->len ? "   " : "");
    append_change (out, arg_x, arg_y);
  }
  g_autofree char *order = ending_loop (self, y);
  if (order)
    g_string_append_printf (out, "%s· %s", out->len ? "  " : "", order);
  char *cut = ls_text_cut (out->str, 600);
  g_string_free (out, TRUE);
  return cut;
}

enum { GLYPH, NUMBER, OP, DTYPE, REST, N_PARTS };

static void
setup_row (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  static const LsCellLook looks[N_PARTS] = {
    [GLYPH] = { 2, LS_CELL_BOLD }, [NUMBER] = { 2, LS_CELL_RIGHT | LS_CELL_DIM }, [OP] = { 3, LS_CELL_BOLD }, [DTYPE] = { 3, LS_CELL_DIM },
              [REST] = { 8, LS_CELL_EXPAND },
  };
  GtkWidget *cells = ls_cells_new (looks, N_PARTS, 8);
  gtk_widget_add_css_class (cells, "uop-row");
  gtk_list_item_set_child (item, cells);
}

/* A text with "before → after" is longer, and takes the space that it needs. */
static guint
chars_for (const char *text, guint usual)
{
  return CLAMP (text ? (guint) g_utf8_strlen (text, -1) : 0, usual, 30);
}

static void
bind_row (GtkSignalListItemFactory *factory, GtkListItem *item, LsChangesPane *self)
{
  static const char *const classes[LS_N_DIFF] = { "diff-same", "diff-added", "diff-removed", "diff-changed", "diff-moved" };
  static const char *const colors[LS_N_DIFF] = { NULL, "ls_added", "ls_removed", "ls_changed", NULL };
  guint at = ls_index_item_get (gtk_list_item_get_item (item));
  LsCells *cells = LS_CELLS (gtk_list_item_get_child (item));
  g_autofree char *text[N_PARTS] = { NULL }, *tip = NULL;
  if (!self->diff || at >= self->lines->len)
    return;
  const Line *line = &g_array_index (self->lines, Line, at);
  const LsListRow *row = row_at (self, line->row);
  if (line->n) {
    text[OP] = g_strdup_printf (ngettext ("%u row the same", "%u rows the same", line->n), line->n);
    text[GLYPH] = g_strdup ("⋮");
  } else {
    LsUOp *y = ls_list_diff_node (self->diff, line->row), *x = row->kind == LS_DIFF_CHANGED ? self->diff->a->pdata[row->a] : y;
    g_autofree char *dtype_x = dtype_text (x), *dtype_y = dtype_text (y);
    g_autoptr (GString) op = g_string_new (NULL), dtype = g_string_new (NULL);
    append_change (op, ls_op_name (x->op), ls_op_name (y->op));
    append_change (dtype, dtype_x, dtype_y);
    text[GLYPH] = g_strdup (row->kind == LS_DIFF_SAME ? NULL : ls_diff_kind_glyph (row->kind));
    text[NUMBER] = ls_list_diff_number (self->diff, line->row);
    text[OP] = g_strdup (op->str);
    text[DTYPE] = g_strdup (dtype->str);
    text[REST] = line->state == LS_TREE_AGAIN ? g_strdup (_("↑ shown above")) : rest_text (self, line->row, x, y);
    if (line->state == LS_TREE_SAME) {
      char *same = g_strdup_printf (_("%s   · the same below"), text[REST]);
      g_free (text[REST]);
      text[REST] = same;
    }
    g_autofree char *place = ls_bound_place ((row->b == LS_NO_NODE ? self->diff->graph_a : self->diff->graph_b)->names, y);
    tip = g_strdup_printf ("%s: %s %s\n%s%s%s", ls_diff_kind_name (row->kind), text[OP], text[DTYPE], text[REST], place ? "\n" : "",
                           place ? place : "");
  }
  LsDiffKind kind = line->n ? LS_DIFF_SAME : row->kind;
  for (guint i = 0; i < N_PARTS; i++)
    ls_cells_set_text (cells, i, text[i]);
  for (guint i = 0; i < LS_N_DIFF; i++)
    if (i != kind)
      gtk_widget_remove_css_class (GTK_WIDGET (cells), classes[i]);
  gtk_widget_add_css_class (GTK_WIDGET (cells), classes[kind]);
  ls_cells_set_color (cells, GLYPH, colors[kind]);
  ls_cells_set_flags (cells, OP, line->n ? LS_CELL_DIM : LS_CELL_BOLD);
  guint digits = 2 + (self->diff->n_kind[LS_DIFF_REMOVED] > 0);      /* and the mark of a removed row */
  for (guint n = self->diff->b->len; n > 100; n /= 10)
    digits++;
  ls_cells_set_chars (cells, NUMBER, digits);
  ls_cells_set_chars (cells, OP, chars_for (text[OP], self->op_chars));
  ls_cells_set_chars (cells, DTYPE, chars_for (text[DTYPE], self->dtype_chars));
  LsNest in_tree = { line->depth };      /* which has no lines */
  ls_changes_pane_indent (cells, OP, self->is_tree ? &in_tree : &self->nest[line->row]);
  ls_cells_set_row (cells, line->n ? 0 : at + 1);
  ls_tip_set (GTK_WIDGET (cells), tip);
  ls_accessible_name_row (item);
}

static gboolean
pick_row (GtkWidget *list, double x, double y, gpointer data)
{
  LsChangesPane *self = data;
  guint row = x >= 0 ? ls_cells_pick (list, x, y, NULL) : 0;
  if (row)
    gtk_single_selection_set_selected (self->selection, row - 1);
  return row || (x < 0 && ls_view_session_get_selection (self->session) != LS_NO_NODE);
}

/* --- the widget --- */

static void
ls_changes_pane_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (ls_changes_pane_parent_class)->map (widget);
  want (LS_CHANGES_PANE (widget));
}

static void
ls_changes_pane_class_init (LsChangesPaneClass *class)
{
  ls_busy_install (class, (LsBusy) ls_changes_pane_get_busy);
  GTK_WIDGET_CLASS (class)->map = ls_changes_pane_map;
  LS_UI_BINDS (class, LsChangesPane, "changes-pane", box, stack, summary, view, list_button, tree_button);
  LS_CALLBACKS (class, show_lines);
  LS_SOURCES (class, LsChangesPane, work, late);
  LS_OWNS (class, LsChangesPane, gtk_widget_unparent, box);
  LS_OWNS (class, LsChangesPane, g_object_unref, selection, model, session);
  LS_ON_DISPOSE (class, forget);
  LS_KEEPS (class, LsChangesPane, g_array_unref, lines);
}

static void
ls_changes_pane_init (LsChangesPane *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->lines = g_array_new (FALSE, FALSE, sizeof (Line));
  self->model = ls_index_model_new ();
  self->selection = ls_list_rows (self->view, self->model, self, G_CALLBACK (setup_row), G_CALLBACK (bind_row), NULL,
                                  G_CALLBACK (on_selected));
  ls_question_menu_attach (GTK_WIDGET (self->view), GTK_WIDGET (self), pick_row, self);
}

GtkWidget *
ls_changes_pane_new (LsViewSession *session)
{
  LsChangesPane *self = g_object_new (LS_TYPE_CHANGES_PANE, NULL);
  self->session = g_object_ref (session);
  self->stale = TRUE;
  show_lines (self);
  g_signal_connect_object (session, "trace-changed", G_CALLBACK (on_trace_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "position-changed", G_CALLBACK (on_position_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "hidden-changed", G_CALLBACK (on_hidden_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->summary, "activate-link", G_CALLBACK (on_show_hidden), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "selection-changed", G_CALLBACK (on_selection_changed), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}
