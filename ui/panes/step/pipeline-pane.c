/* The pipeline tree: kernels below their program lines, each with its passes and their numbers of steps, and the passes of the tensor
 * level that changed something. The purpose of the current pass is below it.
 *
 * A kernel belongs to the last program line that its stored value descends from. A recording may have tens of thousands of kernels: the
 * rows of the first level are numbers, their texts are made when they come into view, and the passes of a kernel are listed when its row
 * is opened.
 *
 * The tree ends at passes: steps are a list of their own. Neighbouring rewrites that changed nothing are folded into one row, which opens.
 * Choosing a row moves the position; a position that came from elsewhere opens and selects its row.
 */
#include "rewrite/stage.h"
#include "kit/class.h"
#include "ir/sentence.h"
#include "pipeline-pane.h"
#include "kit/index-model.h"
#include "kit/accessible.h"
#include "kit/cells.h"
#include "kit/list-scroll.h"
#include "kit/paragraph.h"
#include "kit/text.h"
#include "kit/tip.h"
#include "session/steps.h"
#include "session/trace-text.h"
#include "trace/realizations.h"

#include <glib/gi18n.h>
#include <string.h>

/* --- items --- */

#define LS_TYPE_PIPELINE_ITEM (ls_pipeline_item_get_type ())
G_DECLARE_FINAL_TYPE (LsPipelineItem, ls_pipeline_item, LS, PIPELINE_ITEM, GObject)
struct _LsPipelineItem {
  GObject     parent_instance;
  char       *title, *detail, *tooltip;
  int         pass;          /* index of the pass, -1 for kernels and folds */
  int         kernel;        /* number of the kernel whose row this is, or -1 */
  gboolean    dim, heading;  /* heading: of a program line; kernel is the first of it, which has a row of its own */
  GListStore *children;
};
G_DEFINE_FINAL_TYPE (LsPipelineItem, ls_pipeline_item, G_TYPE_OBJECT)

static void
ls_pipeline_item_class_init (LsPipelineItemClass *class)
{
  LS_KEEPS (class, LsPipelineItem, g_free, title, detail, tooltip);
  LS_KEEPS (class, LsPipelineItem, g_object_unref, children);
}

static void
ls_pipeline_item_init (LsPipelineItem *item)
{
  item->pass = item->kernel = -1;
}

static LsPipelineItem *
add_item (GListStore *list, char *title, char *detail)
{
  g_autoptr (LsPipelineItem) item = g_object_new (LS_TYPE_PIPELINE_ITEM, NULL);
  item->title = title;
  item->detail = detail;
  g_list_store_append (list, item);
  return item;      /* the list keeps it */
}

/* Passes of the tensor level are numbered through all realizations, which is not informative: they are listed at their realization.
 * Passes that the program requested are named by its line, and nested ones are below the pass that contains them. */
static char *
pass_title (const LsPass *pass)
{
  gboolean named = pass->kernel > 0 || pass->parent >= 0 || g_str_equal (pass->stage, ls_stage_infos[LS_STAGE_REWRITE].name);
  g_autofree char *name = ls_text_valid (named ? pass->name : pass->stage);
  return pass->step ? g_strconcat ("↳ ", name, NULL) : g_steal_pointer (&name);
}

/* What the pass is for, in the reader's language. */
static const char *
sentence_of (const LsPass *pass)
{
  const LsStageInfo *stage = ls_pass_stage (pass);
  return pass->step ? ls_shown (ls_pass_sentence (pass)) : stage ? ls_shown (stage->sentence) : "";
}

static void
add_pass (GListStore *list, LsTrace *trace, const LsPass *pass)
{
  guint n = ls_pass_n_steps (pass);
  char *detail = n ? ls_text_count (n) : NULL;
  g_autofree char *time = ls_text_ns ((double) pass->ns);
  if (!detail && pass->kernel == 0 && g_str_equal (pass->stage, "program"))
    detail = ls_text_count (ls_steps_are_statements (ls_steps_of (trace, pass)) ? trace->passes->len : trace->statements->len);
  LsPipelineItem *item = add_item (list, pass_title (pass), detail);
  item->pass = (int) pass->index;
  item->dim = n == 0;
  const LsStageInfo *stage = ls_pass_stage (pass);
  g_autofree char *what = pass->kind == LS_PASS_MAP ? g_strdup_printf (_("%s: a stage that is not a rewrite, %s"), pass->name, time)
                          : g_strdup_printf (ngettext ("%s: %u step with the rules of %s, %s", "%s: %u steps with the rules of %s, %s", n),
                                             pass->name, n, pass->set, time);
  item->tooltip = stage ? g_strdup_printf ("%s\n%s", what, sentence_of (pass)) : g_steal_pointer (&what);
}

static gboolean
changes_nothing (const LsPass *pass)
{
  return pass->kind == LS_PASS_REWRITE && ls_pass_n_steps (pass) == 0;
}

/* Adds the passes that wait in idle as one row, or as they are when there is only one. */
static void
add_fold (GListStore *list, LsTrace *trace, GPtrArray *idle)
{
  guint n = idle->len;
  if (n > 1) {
    LsPipelineItem *fold = add_item (list, g_strdup_printf (ngettext ("… %u unchanged pass", "… %u unchanged passes", n), n), NULL);
    fold->dim = TRUE;
    fold->children = g_list_store_new (LS_TYPE_PIPELINE_ITEM);
    list = fold->children;
  }
  for (guint i = 0; i < n; i++)
    add_pass (list, trace, idle->pdata[i]);
  g_ptr_array_set_size (idle, 0);
}

/* The passes of one kernel; runs of rewrites without change become one row. */
static void
add_passes (GListStore *list, LsTrace *trace, const LsKernel *kernel)
{
  g_autoptr (GPtrArray) idle = g_ptr_array_new ();
  for (guint i = 0; i < kernel->passes->len; i++) {
    guint index = g_array_index (kernel->passes, guint, i);
    LsPass *pass = index < trace->passes->len ? trace->passes->pdata[index] : NULL;
    if (pass && changes_nothing (pass)) {
      g_ptr_array_add (idle, pass);
      continue;
    }
    add_fold (list, trace, idle);
    if (pass)
      add_pass (list, trace, pass);
  }
  add_fold (list, trace, idle);
}

static char *
median_time (const LsKernel *k)
{
  double ns;
  if (k->run_error && *k->run_error)
    return g_strdup (_("failed"));
  return ls_text_median_ns (k, &ns) ? ls_text_ns (ns) : NULL;
}

static void
add_kernel (GListStore *list, const LsKernel *k)
{
  g_autofree char *name = ls_text_valid (k->name);
  LsPipelineItem *item = add_item (list, g_strdup_printf ("%u  %s", k->number, name), median_time (k));
  item->kernel = (int) k->number;
  if (k->same_as > 0)
    item->tooltip = g_strdup_printf (_("Same graph as kernel %d: its code is reused"), k->same_as);
  else
    item->tooltip = g_strdup_printf (_("Kernel %u, %s for %s"), k->number, name, k->target ? k->target : "?");
}

static void
add_heading (GListStore *list, LsTrace *trace, guint line, guint kernel)
{
  const char *at = trace->program_text ? trace->program_text : "";
  for (guint i = 1; i < line && *at; i++)
    at = *(at = strchrnul (at, '\n')) ? at + 1 : at;
  g_autofree char *cut = g_strndup (at, strcspn (at, "\n")), *text = ls_text_cut (g_strstrip (cut), 200);
  LsPipelineItem *item = add_item (list, g_strdup_printf ("%u  %s", line, text), NULL);
  item->heading = TRUE;
  item->kernel = (int) kernel;
  item->tooltip = g_strdup_printf (_("Line %u made the values of these kernels: %s"), line, text);
}

/* --- the widget --- */

#define MOST_GROUPED 1000      /* kernels: where a kernel comes from takes 10 µs and more to find */

/* A row of the first level. */
typedef struct {
  int   kernel;          /* its number, or -1 */
  guint first, n;        /* otherwise passes, in entry_passes; more than one: they changed nothing */
  guint line;            /* not 0: the heading of this program line, whose first kernel is kernel */
} Entry;

struct _LsPipelinePane {
  GtkWidget           parent_instance;
  LsViewSession      *session;
  GtkWidget          *box;
  GtkLabel           *sentence;
  GtkListView        *list;
  GtkTreeListModel   *tree;
  GArray             *entries;        /* Entry */
  GArray             *entry_passes;   /* guint: indices of passes */
  guint              *kernel_row;     /* of each kernel: its entry; of each pass of the tensor level: its entry, by index */
  guint              *pass_row;
  GtkSingleSelection *selection;
  gboolean            following;      /* the selection is being set by the session, not by the user */
};

G_DEFINE_FINAL_TYPE (LsPipelinePane, ls_pipeline_pane, GTK_TYPE_WIDGET)

static LsPass *
entry_pass (LsPipelinePane *self, const Entry *e, guint i)
{
  LsTrace *trace = ls_view_session_get_trace (self->session);
  guint index = g_array_index (self->entry_passes, guint, e->first + i);
  return trace && index < trace->passes->len ? trace->passes->pdata[index] : NULL;
}

/* The contents of a row of the tree; the rows of the first level are numbers. */
static LsPipelineItem *
dup_item (LsPipelinePane *self, gpointer row_item)
{
  if (LS_IS_PIPELINE_ITEM (row_item))
    return g_object_ref (row_item);
  if (!row_item)      /* the row above was closed; GTK binds the row once more before it goes */
    return g_object_new (LS_TYPE_PIPELINE_ITEM, NULL);
  LsTrace *trace = ls_view_session_get_trace (self->session);
  guint i = ls_index_item_get (row_item);
  g_autoptr (GListStore) list = g_list_store_new (LS_TYPE_PIPELINE_ITEM);
  if (trace && i < self->entries->len) {
    const Entry *e = &g_array_index (self->entries, Entry, i);
    g_autoptr (GPtrArray) idle = g_ptr_array_new ();
    /* rows may be those of the recording before */
    const LsKernel *kernel = e->kernel > 0 ? ls_trace_kernel (trace, (guint) e->kernel) : NULL;
    if (kernel && e->line)
      add_heading (list, trace, e->line, kernel->number);
    else if (kernel)
      add_kernel (list, kernel);
    for (guint k = 0; e->kernel < 0 && k < e->n; k++)
      if (entry_pass (self, e, k))
        g_ptr_array_add (idle, entry_pass (self, e, k));
    add_fold (list, trace, idle);
  }
  LsPipelineItem *item = g_list_model_get_item (G_LIST_MODEL (list), 0);
  return item ? item : g_object_new (LS_TYPE_PIPELINE_ITEM, NULL);
}

static LsPipelineItem *
item_of_row (LsPipelinePane *self, GtkTreeListRow *row)
{
  g_autoptr (GObject) item = gtk_tree_list_row_get_item (row);
  return dup_item (self, item);
}

static GListModel *
children_of (gpointer row_item, gpointer data)
{
  LsPipelinePane *self = data;
  g_autoptr (LsPipelineItem) p = dup_item (self, row_item);
  if (p->kernel > 0 && !p->heading && !p->children) {
    p->children = g_list_store_new (LS_TYPE_PIPELINE_ITEM);
    LsTrace *trace = ls_view_session_get_trace (self->session);
    LsKernel *kernel = trace ? ls_trace_kernel (trace, (guint) p->kernel) : NULL;
    if (kernel)
      add_passes (p->children, trace, kernel);
  }
  return p->children ? G_LIST_MODEL (g_object_ref (p->children)) : NULL;
}

/* Among the rows below one, the row of a pass, or NULL; opens the rows that hide it. */
static GtkTreeListRow *
find_below (LsPipelinePane *self, GtkTreeListRow *parent, const LsPass *pass)
{
  g_autoptr (LsPipelineItem) item = item_of_row (self, parent);
  if (item->pass == (int) ls_steps_of (ls_view_session_get_trace (self->session), pass).pass->index)
    return g_object_ref (parent);
  if (!gtk_tree_list_row_is_expandable (parent))
    return NULL;
  gboolean was = gtk_tree_list_row_get_expanded (parent);
  gtk_tree_list_row_set_expanded (parent, TRUE);
  GListModel *children = gtk_tree_list_row_get_children (parent);
  for (guint i = 0; children && i < g_list_model_get_n_items (children); i++) {
    g_autoptr (GtkTreeListRow) row = gtk_tree_list_row_get_child_row (parent, i);
    GtkTreeListRow *found = row ? find_below (self, row, pass) : NULL;
    if (found)
      return found;
  }
  gtk_tree_list_row_set_expanded (parent, was);
  return NULL;
}

static guint
find_pass (LsPipelinePane *self, const LsPass *pass)
{
  LsTrace *trace = ls_view_session_get_trace (self->session);
  guint entry = pass->kernel == 0 ? self->pass_row[pass->index] : pass->kernel <= trace->kernels->len
                ? self->kernel_row[pass->kernel - 1] : G_MAXUINT;
  g_autoptr (GtkTreeListRow) top = entry != G_MAXUINT ? gtk_tree_list_model_get_child_row (self->tree, entry) : NULL;
  g_autoptr (GtkTreeListRow) row = top ? find_below (self, top, pass) : NULL;
  return row ? gtk_tree_list_row_get_position (row) : GTK_INVALID_LIST_POSITION;
}

static void
show_sentence (LsPipelinePane *self, const LsPass *pass)
{
  const LsStageInfo *stage = pass ? ls_pass_stage (pass) : NULL;
  const LsStatement *at = pass && pass->kernel ? ls_kernel_statement (ls_view_session_get_trace (self->session), pass->kernel) : NULL;
  g_autofree char *statement = at ? ls_text_cut (at->text, 100) : NULL;
  g_autofree char *realized = at ? g_strdup_printf (_("Line %u realized this kernel: %s"), at->line, statement) : NULL;
  g_autofree char *text = stage ? g_strjoin (realized ? "\n" : "", realized ? realized : "", sentence_of (pass), NULL) : NULL;
  gboolean first = realized && g_str_equal (pass->stage, ls_stage_infos[LS_STAGE_SCHEDULE].name);      /* the kernel's first stop */
  gtk_label_set_text (self->sentence, first ? text : pass ? sentence_of (pass) : "");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->sentence), text);
}

static void
on_position_changed (LsPipelinePane *self)
{
  const LsPass *pass = ls_view_session_pass (self->session);
  show_sentence (self, pass);
  if (!self->tree)
    return;
  self->following = TRUE;
  guint row = pass ? find_pass (self, pass) : GTK_INVALID_LIST_POSITION;
  if (gtk_single_selection_get_selected (self->selection) != row) {
    gtk_single_selection_set_selected (self->selection, row);
    ls_list_scroll_to (self->list, row);
  }
  self->following = FALSE;
}

static void
add_entry (LsPipelinePane *self, int kernel, GArray *passes)
{
  Entry e = { kernel, self->entry_passes->len, passes ? passes->len : 0, 0 };
  guint row = self->entries->len;
  if (passes && passes->len == 0)
    return;
  for (guint i = 0; i < e.n; i++)
    self->pass_row[g_array_index (passes, guint, i)] = row;
  if (kernel > 0)
    self->kernel_row[kernel - 1] = row;
  if (passes) {
    g_array_append_vals (self->entry_passes, passes->data, passes->len);
    g_array_set_size (passes, 0);
  }
  g_array_append_val (self->entries, e);
}

/* Passes of the tensor level, a row each. */
static void
add_pass_entries (LsPipelinePane *self, GArray *passes)
{
  g_autoptr (GArray) one = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < passes->len; i++) {
    g_array_append_val (one, g_array_index (passes, guint, i));
    add_entry (self, -1, one);
  }
  g_array_set_size (passes, 0);
}

/* before: the passes of the tensor level that led to the kernel, below the heading of its line. */
static void
add_kernel_entry (LsPipelinePane *self, LsTrace *trace, LsProgramIndex *index, guint number, GArray *before, guint *line)
{
  guint of = index ? ls_program_index_kernel_line (index, ls_trace_kernel (trace, number)) : 0;
  if (of && (of != *line || before->len)) {
    Entry heading = { (int) number, 0, 0, of };
    g_array_append_val (self->entries, heading);
  }
  *line = of;
  add_pass_entries (self, before);
  add_entry (self, (int) number, NULL);
}

/* In the order of the run: the passes of a realize over the tensors, then its kernels. Passes without changes are left out, unless there
 * are no others. */
static void
list_entries (LsPipelinePane *self, LsTrace *trace)
{
  g_autoptr (GArray) idle = g_array_new (FALSE, FALSE, sizeof (guint)), before = g_array_new (FALSE, FALSE, sizeof (guint));
  LsProgramIndex *index = trace->kernels->len <= MOST_GROUPED ? ls_program_index_new (trace) : NULL;
  guint kernels = 0, line = 0;
  self->pass_row = g_new (guint, trace->passes->len + 1);
  self->kernel_row = g_new (guint, trace->kernels->len + 1);
  memset (self->pass_row, 0xff, (trace->passes->len + 1) * sizeof (guint));
  for (guint i = 0; i < trace->passes->len; i++) {
    const LsPass *pass = trace->passes->pdata[i];
    if (pass->kernel == 0 && ls_pass_n_steps (pass) == 0) {
      g_array_append_val (idle, i);
    } else if (pass->kernel == 0) {
      g_array_append_val (before, i);
    } else {
      while (kernels < MIN (pass->kernel, trace->kernels->len))
        add_kernel_entry (self, trace, index, ++kernels, before, &line);
    }
  }
  while (kernels < trace->kernels->len)
    add_kernel_entry (self, trace, index, ++kernels, before, &line);
  add_pass_entries (self, before);
  for (guint i = 0; kernels == 0 && i < idle->len; i++) {
    guint number = g_array_index (idle, guint, i);
    if (i > 0 && *ls_pass_statement (trace->passes->pdata[number])) {      /* statements are steps */
      self->pass_row[number] = self->pass_row[0];
      continue;
    }
    g_array_append_val (before, number);
    add_pass_entries (self, before);
  }
  g_clear_pointer (&index, ls_program_index_free);
}

static void
on_trace_changed (LsPipelinePane *self)
{
  LsTrace *trace = ls_view_session_get_trace (self->session);
  g_array_set_size (self->entries, 0);
  g_array_set_size (self->entry_passes, 0);
  g_clear_pointer (&self->pass_row, g_free);
  g_clear_pointer (&self->kernel_row, g_free);
  if (trace)
    list_entries (self, trace);
  LsIndexModel *root = ls_index_model_new ();
  ls_index_model_set (root, self->entries->len);
  self->following = TRUE;
  g_clear_object (&self->tree);
  self->tree = gtk_tree_list_model_new (G_LIST_MODEL (root), FALSE, FALSE, children_of, self, NULL);
  gtk_single_selection_set_model (self->selection, G_LIST_MODEL (self->tree));
  self->following = FALSE;
}

static void
on_selected (LsPipelinePane *self)
{
  GtkTreeListRow *row = gtk_single_selection_get_selected_item (self->selection);
  if (self->following || !row)
    return;
  g_autoptr (LsPipelineItem) item = item_of_row (self, row);
  LsTrace *trace = ls_view_session_get_trace (self->session);
  int pass = item->pass;
  if (pass < 0 && item->kernel > 0) {
    const LsKernel *kernel = trace ? ls_trace_kernel (trace, (guint) item->kernel) : NULL;
    for (guint i = 0; kernel && i < kernel->passes->len && pass < 0; i++) {
      guint index = g_array_index (kernel->passes, guint, i);
      if (index < trace->passes->len && ls_pass_n_steps (trace->passes->pdata[index]) > 0)
        pass = (int) index;
    }
  } else if (pass < 0) {
    gtk_tree_list_row_set_expanded (row, TRUE);
    return;
  }
  if (trace && pass >= 0 && pass < (int) trace->passes->len)
    ls_view_session_enter_pass (self->session, trace->passes->pdata[pass]);
}

static void
setup_row (GtkSignalListItemFactory *factory, GtkListItem *list_item, gpointer data)
{
  static const LsCellLook looks[] = { { 3, LS_CELL_EXPAND }, { 0, LS_CELL_RIGHT | LS_CELL_DIM | LS_CELL_NUMERIC } };
  GtkWidget *expander = gtk_tree_expander_new (), *cells = ls_cells_new (looks, G_N_ELEMENTS (looks), 6);
  gtk_widget_set_hexpand (cells, TRUE);
  gtk_tree_expander_set_child (GTK_TREE_EXPANDER (expander), cells);
  gtk_list_item_set_child (list_item, expander);
}

static void
bind_row (GtkSignalListItemFactory *factory, GtkListItem *list_item, gpointer data)
{
  GtkTreeListRow *row = gtk_list_item_get_item (list_item);
  g_autoptr (LsPipelineItem) item = item_of_row (data, row);
  GtkTreeExpander *expander = GTK_TREE_EXPANDER (gtk_list_item_get_child (list_item));
  LsCells *cells = LS_CELLS (gtk_tree_expander_get_child (expander));
  gtk_tree_expander_set_list_row (expander, row);
  ls_cells_set_text (cells, 0, item->title);
  LsPipelinePane *self = data;
  LsTrace *trace = ls_view_session_get_trace (self->session);
  const LsKernel *kernel = trace && item->kernel > 0 && !item->heading ? ls_trace_kernel (trace, (guint) item->kernel) : NULL;
  LsTextSpan spans[16];
  ls_cells_set_spans (cells, 0, spans, kernel ? ls_text_axes (trace, kernel, item->title, spans, G_N_ELEMENTS (spans)) : 0);
  gtk_tree_expander_set_indent_for_icon (expander, !item->heading);
  ls_cells_set_flags (cells, 0, LS_CELL_EXPAND | (item->dim ? LS_CELL_DIM : 0) | (item->heading ? LS_CELL_BOLD : 0));
  ls_cells_set_text_fit (cells, 1, item->detail);
  ls_tip_set (GTK_WIDGET (cells), item->tooltip);
  ls_accessible_name_row (list_item);
}

void
ls_pipeline_pane_set_session (LsPipelinePane *self, LsViewSession *session)
{
  g_set_object (&self->session, session);
  g_signal_connect_object (session, "trace-changed", G_CALLBACK (on_trace_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "position-changed", G_CALLBACK (on_position_changed), self, G_CONNECT_SWAPPED);
}

static void
ls_pipeline_pane_class_init (LsPipelinePaneClass *class)
{
  LS_USES (LS_TYPE_PARAGRAPH);
  LS_UI_BINDS (class, LsPipelinePane, "pipeline-pane", box, list, sentence);
  LS_OWNS (class, LsPipelinePane, gtk_widget_unparent, box);
  LS_OWNS (class, LsPipelinePane, g_object_unref, tree, selection, session);
  LS_KEEPS (class, LsPipelinePane, g_array_unref, entries, entry_passes);
  LS_KEEPS (class, LsPipelinePane, g_free, pass_row, kernel_row);
}

static void
ls_pipeline_pane_init (LsPipelinePane *self)
{
  self->entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  self->entry_passes = g_array_new (FALSE, FALSE, sizeof (guint));
  gtk_widget_init_template (GTK_WIDGET (self));
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_signal_connect (factory, "setup", G_CALLBACK (setup_row), NULL);
  g_signal_connect_object (factory, "bind", G_CALLBACK (bind_row), self, 0);
  gtk_list_view_set_factory (self->list, factory);
  g_object_unref (factory);
  self->selection = gtk_single_selection_new (NULL);
  gtk_single_selection_set_autoselect (self->selection, FALSE);
  gtk_single_selection_set_can_unselect (self->selection, TRUE);
  gtk_list_view_set_model (self->list, GTK_SELECTION_MODEL (self->selection));
  g_signal_connect_swapped (self->selection, "notify::selected", G_CALLBACK (on_selected), self);
}
