/* A step is one to stop at when its rule, or the op or dtype of the node that it matched or made, or the program lines of the matched node
 * are named; a step of rows also by its texts: "val0", "added". */
#include "trace/row-steps.h"
#include "breakpoints.h"
#include "kit/class.h"
#include "kit/text.h"
#include "trace/line-search.h"

#include <glib/gi18n.h>
#include <string.h>

typedef enum { AT_RULE, AT_OP, AT_DTYPE, AT_LINE, AT_ROW } Kind;
#define MOST_ROWS 20000      /* that are looked at for what a text names */
/* number: op or line; search: of a line, once it was asked for */
typedef struct { Kind kind; char *name; guint number; LsLineSearch *search; } Breakpoint;

struct _LsBreakpoints {
  GtkBox     parent_instance;
  LsTrace   *trace;
  GPtrArray *set;
  GtkWidget *entry, *list, *node, *none;
};

G_DEFINE_FINAL_TYPE (LsBreakpoints, ls_breakpoints, GTK_TYPE_BOX)

static void
breakpoint_free (gpointer data)
{
  ls_line_search_free (((Breakpoint *) data)->search);
  g_free (((Breakpoint *) data)->name);
  g_free (data);
}

guint
ls_breakpoints_n (LsBreakpoints *self)
{
  return self->set->len + ls_breakpoints_get_node (self);
}

gboolean
ls_breakpoints_get_node (LsBreakpoints *self)
{
  return gtk_check_button_get_active (GTK_CHECK_BUTTON (self->node));
}

static char *
describe (const Breakpoint *b)
{
  switch (b->kind) {
  case AT_RULE: return g_strdup_printf (_("rule %s"), b->name);
  case AT_OP: return g_strdup_printf (_("op %s"), b->name);
  case AT_DTYPE: return g_strdup_printf (_("dtype %s"), b->name);
  case AT_ROW: return g_strdup_printf (_("row %s"), b->name);
  default: return g_strdup_printf (_("program line %u"), b->number);
  }
}

/* --- tests --- */

static gboolean
is_dtype (const LsUOp *u, const char *name)
{
  char text[64];
  return u && (g_ascii_strcasecmp (ls_dtype_text (u->dtype, text) + strlen ("dtypes."), name) == 0 ||
               g_ascii_strcasecmp (ls_dtype_name (u->dtype), name) == 0);
}

static LsLineSearch *
search_of (Breakpoint *b, LsTrace *trace)
{
  if (!b->search)
    b->search = ls_line_search_new (trace, b->number);
  return b->search;
}

static gboolean
row_says (const LsPass *pass, guint step, const char *name)
{
  g_autofree char *folded = g_utf8_casefold (name, -1);
  return ls_row_step_says (pass, step, TRUE, (const char *const[]) { folded, NULL }, TRUE);
}

static gboolean
applies (Breakpoint *b, LsTrace *trace, const LsPass *pass, guint step)
{
  LsRowStep row;
  gboolean is_row = ls_row_step (pass, step, &row);
  const LsLink of_row = { row.node, row.node, -1 }, *link = is_row ? &of_row : ls_pass_step_link (pass, step);
  LsUOp *before = ls_context_node (trace->ctx, link->before), *after = ls_context_node (trace->ctx, link->after);
  switch (b->kind) {
  case AT_RULE:
    return link->rule >= 0 && link->rule < (gint) trace->rules->len &&
           g_strcmp0 (((const LsTraceRule *) trace->rules->pdata[link->rule])->name, b->name) == 0;
  case AT_OP:
    return (before && before->op == b->number) || (after && after->op == b->number);
  case AT_DTYPE:
    return is_dtype (before, b->name) || is_dtype (after, b->name);
  case AT_ROW:
    return is_row && row_says (pass, step, b->name);
  default:
    return before && ls_line_search_test (search_of (b, trace), pass, before->id);
  }
}

gboolean
ls_breakpoints_ready (LsBreakpoints *self, LsTrace *trace, const LsPass *pass, gint64 microseconds)
{
  for (guint i = 0; i < self->set->len; i++) {
    Breakpoint *b = self->set->pdata[i];
    if (b->kind == AT_LINE)      /* lineage is the recording's: all of them need the same */
      return ls_line_search_work (search_of (b, trace), pass, microseconds);
  }
  return TRUE;
}

char *
ls_breakpoints_test (LsBreakpoints *self, LsTrace *trace, const LsPass *pass, guint step)
{
  for (guint i = 0; i < self->set->len; i++)
    if (applies (self->set->pdata[i], trace, pass, step))
      return describe (self->set->pdata[i]);
  return NULL;
}

gboolean
ls_breakpoints_hits (LsBreakpoints *self, LsTrace *trace, const LsPass *pass, guint step)
{
  for (guint i = 0; i < self->set->len; i++)
    if (applies (self->set->pdata[i], trace, pass, step))
      return TRUE;
  return FALSE;
}

/* --- breakpoints --- */

static void show (LsBreakpoints *self);

static void
on_remove (GtkButton *button, LsBreakpoints *self)
{
  GtkWidget *row = gtk_widget_get_parent (GTK_WIDGET (button));
  guint i = 0;
  while ((row = gtk_widget_get_prev_sibling (row)))
    i++;
  g_ptr_array_remove_index (self->set, i);
  show (self);
  gtk_widget_grab_focus (self->entry);
}

static void
show (LsBreakpoints *self)
{
  for (GtkWidget *child; (child = gtk_widget_get_first_child (self->list)); )
    gtk_box_remove (GTK_BOX (self->list), child);
  for (guint i = 0; i < self->set->len; i++) {
    g_autofree char *text = describe (self->set->pdata[i]);
    g_autofree char *valid = ls_text_cut (text, 60);
    g_autofree char *tip = g_strdup_printf (_("Remove %s"), valid);
    GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6), *label = gtk_label_new (valid),
              *remove = gtk_button_new_from_icon_name ("list-remove-symbolic");
    gtk_label_set_xalign (GTK_LABEL (label), 0);
    gtk_widget_set_hexpand (label, TRUE);
    gtk_widget_add_css_class (remove, "flat");
    gtk_widget_set_tooltip_text (remove, tip);
    g_signal_connect_object (remove, "clicked", G_CALLBACK (on_remove), self, 0);
    gtk_box_append (GTK_BOX (row), label);
    gtk_box_append (GTK_BOX (row), remove);
    gtk_box_append (GTK_BOX (self->list), row);
  }
  gtk_widget_set_visible (self->none, self->set->len == 0);
}

static gboolean
has_rule (LsBreakpoints *self, const char *name)
{
  for (guint i = 0; self->trace && i < self->trace->rules->len; i++)
    if (g_strcmp0 (((const LsTraceRule *) self->trace->rules->pdata[i])->name, name) == 0)
      return TRUE;
  return FALSE;
}

/* Does a row say it? In a recording with very many it may be one that was not looked at. */
static gboolean
has_row (LsBreakpoints *self, const char *name)
{
  guint left = MOST_ROWS;
  for (guint i = 0; self->trace && *name && i < self->trace->passes->len; i++) {
    const LsPass *pass = self->trace->passes->pdata[i];
    guint n = pass->kind == LS_PASS_REWRITE ? 0 : ls_pass_n_steps (pass);
    for (guint step = 1; step <= n; step++)
      if (left-- == 0 || row_says (pass, step, name))
        return TRUE;
  }
  return FALSE;
}

gboolean
ls_breakpoints_add (LsBreakpoints *self, const char *text)
{
  g_autofree char *name = g_strstrip (g_strdup (text));
  g_autofree char *upper = g_ascii_strup (name, -1);
  g_autofree char *lower = g_ascii_strdown (g_str_has_prefix (name, "dtypes.") ? name + strlen ("dtypes.") : name, -1);
  g_autofree char *dtype_name = g_strconcat ("dtypes.", lower, NULL);
  Breakpoint b = { AT_RULE, name, 0, NULL };
  guint64 line;
  LsDType dtype;
  if (has_rule (self, name)) {
  } else if (g_ascii_string_to_unsigned (name, 10, 1, G_MAXINT, &line, NULL)) {
    b = (Breakpoint) { AT_LINE, name, (guint) line, NULL };
  } else if (ls_op_from_name (upper) != LS_N_OPS) {
    b = (Breakpoint) { AT_OP, upper, ls_op_from_name (upper), NULL };
  } else if (*lower && ls_dtype_parse (dtype_name, &dtype)) {
    b = (Breakpoint) { AT_DTYPE, lower, 0, NULL };
  } else if (has_row (self, name)) {
    b = (Breakpoint) { AT_ROW, name, 0, NULL };
  } else {
    return FALSE;
  }
  for (guint i = 0; i < self->set->len; i++) {
    const Breakpoint *other = self->set->pdata[i];
    if (other->kind == b.kind && g_str_equal (other->name, b.name))
      return TRUE;
  }
  b.name = g_strdup (b.name);
  g_ptr_array_add (self->set, g_memdup2 (&b, sizeof b));
  show (self);
  return TRUE;
}

static void
on_entry (LsBreakpoints *self)
{
  if (ls_breakpoints_add (self, gtk_editable_get_text (GTK_EDITABLE (self->entry)))) {
    gtk_editable_set_text (GTK_EDITABLE (self->entry), "");
    gtk_widget_remove_css_class (self->entry, "error");
  } else {
    gtk_widget_add_css_class (self->entry, "error");
    gtk_widget_error_bell (self->entry);
  }
}

static void
on_typed (LsBreakpoints *self)
{
  gtk_widget_remove_css_class (self->entry, "error");
}

void
ls_breakpoints_set_trace (LsBreakpoints *self, LsTrace *trace)
{
  if (trace)
    ls_trace_ref (trace);
  for (guint i = 0; i < self->set->len; i++)      /* node ids mean something else now */
    g_clear_pointer (&((Breakpoint *) self->set->pdata[i])->search, ls_line_search_free);
  g_clear_pointer (&self->trace, ls_trace_unref);
  self->trace = trace;
}

static void
ls_breakpoints_class_init (LsBreakpointsClass *class)
{
  LS_UI_BINDS (class, LsBreakpoints, "breakpoints", none, list, entry, node);
  LS_CALLBACKS (class, on_entry, on_typed);
  LS_KEEPS (class, LsBreakpoints, ls_trace_unref, trace);
  LS_KEEPS (class, LsBreakpoints, g_ptr_array_unref, set);
}

static void
ls_breakpoints_init (LsBreakpoints *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->set = g_ptr_array_new_with_free_func (breakpoint_free);
}
