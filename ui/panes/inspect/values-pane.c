/* The Values tab.
 *
 * Evaluating a graph can take long: the window's worker does it (session/worker.h), only while the tab is looked at, and no more than
 * one at a time. A step that is passed by quickly is not computed.
 */
#include "values-pane.h"
#include "element-view.h"
#include "kit/class.h"
#include "session/trace-text.h"
#include "panes/panes.h"
#include "kit/busy.h"
#include "kit/heat-map.h"
#include "ir/print.h"
#include "kit/paragraph.h"
#include "kit/table.h"
#include "kit/text.h"
#include "ask/ask.h"
#include "session/worker.h"

#include <glib/gi18n.h>
#include <string.h>

#define HIGH     400      /* height in pixels from which the picture is above its text */
#define WAIT_MS  120      /* after the last change */
#define A_ROW    8        /* numbers, of what has no rows of its own or longer ones than MOST_ROW */
#define MOST_ROW 64
#define MOST_AXES 8
#define MOST     1024

struct _LsValuesPane {
  GtkWidget      parent_instance;
  LsViewSession *session;
  GtkWidget     *box, *content, *seen, *figures, *find, *result, *cancel;      /* seen: the picture and its statistics */
  gboolean       narrow;        /* in a narrow column: the table is below, however low the pane is */
  int            least;         /* height of a low one, in pixels */
  guint          turning;       /* at the next frame the pane is laid out again */
  GtkLabel      *title, *statistics;
  LsHeatMap     *map;
  LsTable       *table;
  GPtrArray     *numbers;       /* char * */
  guint          row;           /* how many of them are a row: those of the last axis, where it fits */
  guint          digits;        /* the widest of them, in characters */
  guint64        shape[MOST_AXES];      /* of the tensor */
  guint          n_axes;        /* 0: it has none that is known */
  LsElementView *element;       /* an element and its origins, in the place of the numbers */
  LsPicture      picture;       /* without bins */
  guint64        n;             /* values in it; 0: its cells are not elements */
  gboolean       of_buffer;     /* the values are a buffer's: those of the element's place */
  GPtrArray     *at;            /* char *: where each was computed, in order of execution; empty: numbers are by index */
  GCancellable  *asking;        /* NULL: nothing is under way */
  guint          wait;
  /* shown or requested */
  LsTrace       *trace;
  const LsPass  *pass;
  guint          step;
  guint32        node;
  LsGraph       *graph;         /* that shows the node … */
  LsUOp         *as;            /* … as this, or NULL */
};

G_DEFINE_FINAL_TYPE (LsValuesPane, ls_values_pane, GTK_TYPE_WIDGET)

enum { C_FROM, C_NUMBERS };
static const LsTableColumn columns[] = { [C_FROM] = { N_("From"), TRUE, FALSE }, [C_NUMBERS] = { N_("Values"), FALSE, FALSE } };

gboolean
ls_values_pane_get_busy (LsValuesPane *self)
{
  return self->wait != 0 || self->asking != NULL || ls_element_view_get_busy (self->element);
}

void
ls_values_pane_set_narrow (LsValuesPane *self)
{
  self->narrow = TRUE;
  gtk_widget_set_vexpand (GTK_WIDGET (self->map), TRUE);
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self->content), GTK_ORIENTATION_VERTICAL);
}

/* In a high pane the picture gets the whole width, with its text below. */
static gboolean
turn (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  LsValuesPane *self = LS_VALUES_PANE (widget);
  gboolean high = gtk_widget_get_height (widget) >= HIGH;
  self->turning = 0;
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self->content), high || self->narrow ? GTK_ORIENTATION_VERTICAL
                                                                                       : GTK_ORIENTATION_HORIZONTAL);
  gtk_widget_set_vexpand (GTK_WIDGET (self->map), high || self->narrow);
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self->seen), high ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL);
  return G_SOURCE_REMOVE;
}

static void
ls_values_pane_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural, int *minimum_baseline,
                        int *natural_baseline)
{
  LsValuesPane *self = LS_VALUES_PANE (widget);
  gtk_widget_measure (self->box, orientation, for_size, minimum, natural, NULL, NULL);
  /* a high pane can be made low again: the size that it then needs counts */
  if (orientation == GTK_ORIENTATION_VERTICAL &&
      gtk_orientable_get_orientation (GTK_ORIENTABLE (self->seen)) == GTK_ORIENTATION_HORIZONTAL)
    self->least = *minimum;
  else if (orientation == GTK_ORIENTATION_VERTICAL)
    *minimum = MIN (*minimum, self->least);
}

static void
ls_values_pane_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  LsValuesPane *self = LS_VALUES_PANE (widget);
  gboolean is_high = gtk_orientable_get_orientation (GTK_ORIENTABLE (self->seen)) == GTK_ORIENTATION_VERTICAL;
  gtk_widget_allocate (self->box, width, height, baseline, NULL);
  if (is_high != (height >= HIGH) && !self->turning)
    self->turning = gtk_widget_add_tick_callback (widget, turn, NULL, NULL);
}

/* Of "(4, 6)", and of "i0 < 4, i1 < 6" inside a kernel. */
static void
take_shape (LsValuesPane *self, const char *text)
{
  gboolean ranges = text && strstr (text, " < ");
  self->n_axes = 0;
  for (const char *p = text ? text : ""; (p = strpbrk (p, ranges ? "<" : "(,")) && self->n_axes < MOST_AXES; p++) {
    guint64 size = g_ascii_strtoull (p + 1, NULL, 10);
    if (size)      /* "(24,)" */
      self->shape[self->n_axes++] = size;
  }
}

/* Where a row begins: "1,0,:" in a tensor whose rows are those of its last axis, else the index of its first number. */
static char *
row_begin (LsValuesPane *self, guint row)
{
  if (self->n_axes < 2 || self->shape[self->n_axes - 1] != self->row)
    return g_strdup_printf ("%u", row * self->row);
  GString *text = g_string_new (":");
  guint64 left = row;
  for (guint i = self->n_axes - 1; i-- > 0; left /= MAX (self->shape[i], 1)) {
    g_autofree char *index = g_strdup_printf ("%" G_GUINT64_FORMAT ",", left % MAX (self->shape[i], 1));
    g_string_prepend (text, index);
  }
  return g_string_free (text, FALSE);
}

static char *
cell (LsTable *table, guint row, guint column)
{
  LsValuesPane *self = LS_VALUES_PANE (gtk_widget_get_ancestor (GTK_WIDGET (table), LS_TYPE_VALUES_PANE));
  if (!self)
    return NULL;
  if (column == C_FROM)
    return row * self->row < self->at->len ? g_strdup (self->at->pdata[row * self->row]) : row_begin (self, row);
  GString *text = g_string_new (NULL);
  for (guint i = row * self->row; i < MIN ((row + 1) * self->row, self->numbers->len); i++)
    g_string_append_printf (text, "%*s  ", (int) self->digits, (char *) self->numbers->pdata[i]);
  return g_strchomp (g_string_free (text, FALSE));
}

static void
show_numbers (LsValuesPane *self, const LsValues *v)
{
  take_shape (self, v->executed ? NULL : v->shape);
  guint64 last = v->picture.row_length;
  self->row = self->n_axes == 1 || last < 1 || last > MOST_ROW ? A_ROW : (guint) last;
  self->digits = 1;
  g_ptr_array_set_size (self->numbers, 0);
  for (guint i = 0; i < v->text->len; i++) {
    char *number = ls_text_cut (g_array_index (v->text, char *, i), 40);
    self->digits = MAX (self->digits, (guint) g_utf8_strlen (number, -1));
    g_ptr_array_add (self->numbers, number);
  }
  g_ptr_array_set_size (self->at, 0);
  for (guint i = 0; v->executed && v->at && i < v->at->len; i++)
    g_ptr_array_add (self->at, ls_text_cut (g_array_index (v->at, char *, i), 60));
  ls_table_set_rows (self->table, (self->numbers->len + self->row - 1) / self->row);
}

static void
show_nothing (LsValuesPane *self, const char *title, const char *why)
{
  gtk_widget_hide (GTK_WIDGET (self->map));      /* the words have the room */
  gtk_widget_hide (GTK_WIDGET (self->table));
  gtk_label_set_text (self->title, title);
  gtk_label_set_text (self->statistics, why);
  ls_heat_map_set (self->map, 0, 0, NULL, 0, 0, 0);
  ls_heat_map_set_choosable (self->map, FALSE);
  self->n = 0;
  self->of_buffer = FALSE;
  g_ptr_array_set_size (self->numbers, 0);
  g_ptr_array_set_size (self->at, 0);
  ls_table_set_rows (self->table, 0);
}

static void
set_asking (LsValuesPane *self, GCancellable *asking)
{
  if (self->asking)
    g_cancellable_cancel (self->asking);
  g_set_object (&self->asking, asking);
  gtk_widget_set_visible (self->cancel, asking != NULL);
  gtk_widget_set_sensitive (self->find, asking == NULL && self->pass != NULL);
  g_object_notify (G_OBJECT (self), "busy");
}

static char *
summary_of (LsValuesPane *self)
{
  LsUOp *u = ls_context_node (self->trace->ctx, self->node);
  const LsPass *first = NULL;
  const LsKernel *k = self->pass ? ls_trace_kernel (self->trace, self->pass->kernel) : NULL;
  const LsUOp *stored = k ? ls_kernel_result (self->trace, k->number, &first) : NULL;
  if (stored && first == self->pass && stored->id == self->node && k->buffers->len) {
    const LsNameBinding *name = ls_trace_buffer_name (self->trace, g_array_index (k->buffers, guint, 0));
    g_autofree char *valid = name ? ls_text_cut (name->name, 40) : NULL;
    return valid ? g_strdup_printf (_("%s, result of kernel %u"), valid, k->number) : g_strdup_printf (_("result of kernel %u"), k->number);
  }
  g_autofree char *summary = u ? ls_text_node (self->pass ? ls_trace_names (self->trace, self->pass->kernel) : NULL, u) : g_strdup ("?");
  return ls_text_cut (summary, 60);
}

/* The frame around the cell with the element that is shown, where these are its values. */
static void
mark_element (LsValuesPane *self)
{
  const LsElementPlace *place = ls_element_view_get_place (self->element);
  gboolean here = place && self->n && (self->of_buffer ? place->at == LS_ELEMENT_AT_BUFFER : place->node == self->node && self->pass &&
                                       place->pass == (gint) self->pass->index);
  if (here && self->picture.row_length && place->number < self->n)
    ls_heat_map_mark (self->map, (guint) (place->number / self->picture.row_length / self->picture.bin_rows),
                      (guint) (place->number % self->picture.row_length / self->picture.bin_columns));
  else
    ls_heat_map_mark (self->map, LS_HEAT_MAP_NO_CELL, 0);
}

static void
show_answer (LsValuesPane *self, const LsValues *v, const char *of)
{
  const LsStatistics *s = &v->statistics;
  const LsPicture *p = &v->picture;
  g_autofree char *summary = of ? g_strdup (of) : summary_of (self);
  gtk_widget_show (GTK_WIDGET (self->map));
  gtk_widget_set_visible (GTK_WIDGET (self->table), !gtk_widget_get_visible (GTK_WIDGET (self->element)));
  guint n_bins = p->rows * p->columns;
  gboolean partial = p->row_length * p->bin_rows * (p->rows ? p->rows - 1 : 0) +
                     p->bin_columns * (n_bins ? (n_bins - 1) % MAX (p->columns, 1) : 0) >= v->n;
  if (partial)      /* the last row of a wrapped picture is not full */
    while (n_bins > 1 && p->row_length * p->bin_rows * ((n_bins - 1) / p->columns) + p->bin_columns * ((n_bins - 1) % p->columns) >= v->n)
      n_bins--;
  ls_heat_map_set (self->map, p->rows, p->columns, p->bins, n_bins, s->min, s->max);
  self->picture = *p;
  self->picture.bins = NULL;
  self->n = v->executed || v->sampled ? 0 : v->n;
  ls_heat_map_set_choosable (self->map, self->n > 0);
  mark_element (self);

  g_autofree char *shape = ls_text_cut (v->shape ? v->shape : "", v->executed ? 120 : 60), *count = ls_text_count (v->n);
  g_autofree char *title = v->executed ? g_strdup_printf ("%s · %s", summary, shape)
                                       : g_strdup_printf (strchr (shape, '=') ? ngettext ("%s · up to %s · %s value",
                                                                                          "%s · up to %s · %s values", v->n)
                                                                   : ngettext ("%s · %s · %s value", "%s · %s · %s values", v->n),
                                                          summary, shape, count);
  gtk_label_set_text (self->title, title);
  g_autofree char *low = ls_text_number (s->min), *high = ls_text_number (s->max), *mean = ls_text_number (s->mean),
                  *std = ls_text_number (s->std);
  g_autoptr (GString) text = g_string_new (NULL);
  g_string_append_printf (text, _("min %s\nmax %s\nmean %s\nstd %s"), low, high, mean, std);
  g_string_append_printf (text, ngettext ("\n%d zero", "\n%d zeros", s->n_zero), (int) s->n_zero);
  g_string_append_printf (text, _("\n%d NaN, %d inf"), (int) s->n_nan, (int) s->n_inf);
  if (p->bin_rows > 1 || p->bin_columns > 1)
    g_string_append_printf (text, _("\na cell: mean of %d × %d"), (int) p->bin_rows, (int) p->bin_columns);
  if (p->wrapped)
    g_string_append_printf (text, _("\nrows of %d"), (int) p->row_length);
  gtk_label_set_text (self->statistics, text->str);
  show_numbers (self, v);
}

/* Where values are asked for. */
typedef struct { guint kernel, step; char *pass; guint32 node; gboolean find; } Where;

static void
where_free (gpointer data)
{
  g_free (((Where *) data)->pass);
  g_free (data);
}

static gpointer
find_values (LsTrace *copy, gconstpointer question, GError **error)
{
  const Where *w = question;
  const LsPass *pass = ls_trace_pass (copy, w->kernel, w->pass);
  if (!pass)
    return NULL;
  return ls_values (copy, pass, w->step, w->find ? LS_NO_NODE : w->node, w->find ? "nonfinite" : NULL, MOST, error);
}

typedef struct { LsValuesPane *self; GCancellable *asking; gboolean find; } Question;

static void
on_answer (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autofree Question *q = data;
  g_autoptr (LsValuesPane) self = q->self;
  g_autoptr (GCancellable) asking = q->asking;
  g_autoptr (GError) error = NULL;
  g_autoptr (LsValues) answer = ls_worker_ask_finish (result, &error);
  if (asking != self->asking || !self->session)
    return;      /* another question was asked meanwhile, or the pane goes */
  set_asking (self, NULL);
  if (!answer) {
    g_autofree char *summary = self->node == LS_NO_NODE ? g_strdup ("") : summary_of (self), *why = ls_text_error (error, 300);
    show_nothing (self, summary, why);
    return;
  }
  if (!q->find) {
    show_answer (self, answer, NULL);
    return;
  }
  if (answer->node != LS_NO_NODE)
    ls_view_session_select (self->session, LS_CHOSEN_IN_GRAPH, &answer->node, 1);
  g_autofree char *text = answer->node != LS_NO_NODE ? g_strdup_printf (answer->executed
                                                           ? _("The first NaN or infinity in order of execution: %s at %s")
                                                           : _("The first NaN or infinity: %s at element %s"),
                                                           answer->value ? answer->value : "?", answer->where ? answer->where : "?")
                                : g_strdup (_("No node of this graph has a NaN or an infinity"));
  gtk_widget_activate_action (GTK_WIDGET (self), "win.say", "s", text);
}

static void
ask (LsValuesPane *self, gboolean find)
{
  g_autoptr (GCancellable) asking = g_cancellable_new ();
  Question *q = g_new (Question, 1);
  Where *where = g_new (Where, 1);
  *q = (Question) { g_object_ref (self), g_object_ref (asking), find };
  *where = (Where) { self->pass->kernel, self->step, g_strdup (self->pass->name), self->node, find };
  set_asking (self, asking);
  ls_worker_ask_async (self->trace, find_values, where, where_free, (GDestroyNotify) ls_values_free, asking, on_answer, q);
}

/* The node of the question: the selection, else the result of the step; a node that the step removed is in the graph before it. */
static gboolean
on_wait (gpointer data)
{
  LsValuesPane *self = data;
  self->wait = 0;
  gboolean there = FALSE;
  guint step = self->step;
  for (guint before = 0; before < 2 && !there && self->step >= before; before++) {
    step = self->step - before;
    g_autoptr (LsGraph) graph = ls_pass_graph (self->trace, self->pass, step);
    there = graph && ls_graph_node (graph, self->node);
  }
  g_autofree char *summary = summary_of (self);
  if (!there) {
    show_nothing (self, summary, _("The node is not in the graph of this step"));
    set_asking (self, NULL);
    return G_SOURCE_REMOVE;
  }
  show_nothing (self, summary, _("Computing…"));
  self->step = step;
  ask (self, FALSE);
  return G_SOURCE_REMOVE;
}

static void
keep_graph (LsValuesPane *self, LsGraph *graph, LsUOp *as)
{
  LsGraph *old = self->graph;
  self->graph = graph ? ls_graph_ref (graph) : NULL;
  self->as = as;
  ls_graph_unref (old);
}

static void update (LsValuesPane *self);

/* The node's values, after a buffer's. */
static void
show_again (LsValuesPane *self)
{
  self->node = LS_NO_NODE;
  update (self);
}

static void
update (LsValuesPane *self)
{
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)) || !self->session)
    return;
  LsTrace *trace = ls_view_session_get_trace (self->session);
  const LsPass *pass = ls_view_session_pass (self->session);
  const LsGraphDiff *diff = ls_view_session_diff (self->session);
  GArray *nodes = ls_view_session_graph_nodes (self->session);
  guint32 node = nodes->len ? g_array_index (nodes, guint32, 0) : diff && diff->result ? diff->result->id : LS_NO_NODE;
  guint step = ls_view_session_get_step (self->session);
  LsGraph *graph = NULL;
  LsUOp *as = node != LS_NO_NODE ? ls_view_session_node (self->session, node, &graph) : NULL;
  const LsPass *first = NULL;
  const LsUOp *stored = node == LS_NO_NODE && pass && pass->kernel ? ls_kernel_result (trace, pass->kernel, &first) : NULL;
  if (stored) {      /* nothing is selected: the kernel's result */
    pass = first;
    step = 0;
    node = stored->id;
  }
  if (trace == self->trace && pass == self->pass && node == self->node &&
      (as && self->as ? ls_graph_find_equal (self->graph, self->as, graph) == as : as == self->as))
    return;      /* at another step of the pass its values are the same */
  g_clear_handle_id (&self->wait, g_source_remove);
  ls_element_view_set_trace (self->element, trace);
  ls_element_view_moved (self->element, pass ? (gint) pass->index : -1, step);
  self->trace = trace;
  self->pass = pass;
  self->node = node;
  self->step = step;
  keep_graph (self, graph, as);
  if (trace && pass && node != LS_NO_NODE)
    self->wait = g_timeout_add (WAIT_MS, on_wait, self);
  set_asking (self, NULL);
  if (!self->wait)
    show_nothing (self, "", _("Select a node to see its values"));
}

/* --- an element --- */

static void
choose_element (LsValuesPane *self, guint64 number)
{
  LsElementPlace place = { .at = LS_ELEMENT_AT_NODE, .pass = self->pass ? (gint) self->pass->index : -1, .step = self->step,
                           .node = self->node, .element = number, .number = number };
  const LsElementPlace *now = ls_element_view_get_place (self->element);
  if (number >= self->n)
    return;
  if (self->of_buffer && now) {
    place = *now;
    place.element = place.number = number;
  }
  ls_element_view_go (self->element, &place);
}

void
ls_values_pane_show_element (LsValuesPane *self, const LsElementPlace *place)
{
  update (self);
  ls_element_view_set_trace (self->element, ls_view_session_get_trace (self->session));
  ls_element_view_go (self->element, place);
}

static void
on_cell (LsHeatMap *map, double row, double column, LsValuesPane *self)
{
  const LsPicture *p = &self->picture;
  guint64 in_row = MIN ((guint64) (column * (double) p->bin_columns), p->row_length - 1);
  if (self->n)
    choose_element (self, (guint64) (row * (double) p->bin_rows) * p->row_length + in_row);
}

static void
on_row (LsTable *table, guint row, LsValuesPane *self)
{
  choose_element (self, (guint64) row * self->row);
  gtk_widget_grab_focus (GTK_WIDGET (self->map));
}

/* Another element, or none: its values are shown, a kernel's at the input of its first rewrite. */
static void
on_element (LsElementView *view, LsValuesPane *self)
{
  const LsElementPlace *place = ls_element_view_get_place (view);
  const LsValues *values = ls_element_view_get_values (view);
  gboolean shown = gtk_widget_get_visible (GTK_WIDGET (view)), was_buffer = self->of_buffer;
  gtk_widget_set_visible (GTK_WIDGET (self->table), !shown && gtk_widget_get_visible (GTK_WIDGET (self->map)));
  gtk_widget_set_visible (self->figures, !shown);
  gtk_widget_set_hexpand (self->seen, !shown);      /* the rows have the room */
  g_object_notify (G_OBJECT (self), "busy");
  if (!self->session)
    return;
  if (shown && !place)
    return;      /* the answer is still to come */
  self->of_buffer = values != NULL;
  if (values) {
    g_autofree char *name = g_strdup_printf (_("buffer %u"), place->buffer);
    show_answer (self, values, name);
    return;
  }
  if (place && place->pass >= 0 && place->node != LS_NO_NODE &&
      (!self->pass || place->pass != (gint) self->pass->index || place->node != self->node)) {
    ls_view_session_go (self->session, place->pass, place->step);
    ls_view_session_select (self->session, LS_CHOSEN_IN_GRAPH, &place->node, 1);
  } else if (was_buffer)
    show_again (self);
  mark_element (self);
}

static void
forget (LsValuesPane *self)
{
  self->of_buffer = FALSE;
  ls_element_view_close (self->element);
  g_clear_handle_id (&self->wait, g_source_remove);
  self->trace = NULL;
  self->pass = NULL;
  self->node = LS_NO_NODE;
  keep_graph (self, NULL, NULL);
  set_asking (self, NULL);
  show_nothing (self, "", _("Select a node to see its values"));
}

/* A tab that is not looked at computes nothing. */
static void
on_unmap (LsValuesPane *self)
{
  if (ls_values_pane_get_busy (self))
    forget (self);
}

static void
on_find (LsValuesPane *self)
{
  if (self->trace && self->pass && !self->asking) {
    self->step = ls_view_session_get_step (self->session);
    ask (self, TRUE);
  }
}

static void
on_result (LsValuesPane *self)
{
  const LsKernel *k = self->session ? ls_view_session_kernel (self->session) : NULL;
  const LsPass *pass = NULL;
  const LsUOp *stored = k ? ls_kernel_result (ls_view_session_get_trace (self->session), k->number, &pass) : NULL;
  if (stored) {
    ls_view_session_go (self->session, (int) pass->index, 0);
    ls_view_session_select (self->session, LS_CHOSEN_IN_GRAPH, &stored->id, 1);
  } else
    gtk_widget_activate_action (GTK_WIDGET (self), "win.say", "s", _("There is no kernel with a result"));
}

static void
on_cancel (LsValuesPane *self)
{
  set_asking (self, NULL);
  gtk_label_set_text (self->statistics, _("Cancelled"));
}

void
ls_values_pane_changed (gpointer pane, LsWatch what)
{
  if (what == LS_WATCH_TRACE)
    forget (pane);
  else
    update (pane);
}

GtkWidget *
ls_values_pane_new (LsViewSession *session)
{
  LsValuesPane *self = g_object_new (LS_TYPE_VALUES_PANE, NULL);
  self->session = g_object_ref (session);
  return GTK_WIDGET (self);
}

static void
ls_values_pane_class_init (LsValuesPaneClass *class)
{
  GTK_WIDGET_CLASS (class)->measure = ls_values_pane_measure;
  GTK_WIDGET_CLASS (class)->size_allocate = ls_values_pane_size_allocate;
  ls_busy_install (class, (LsBusy) ls_values_pane_get_busy);
  LS_USES (LS_TYPE_HEAT_MAP, LS_TYPE_PARAGRAPH);
  LS_UI_BINDS (class, LsValuesPane, "values-pane", box, content, seen, figures, find, result, cancel, title, statistics, map);
  LS_CALLBACKS (class, on_cancel, on_find, on_result, update, on_unmap);
  LS_SOURCES (class, LsValuesPane, wait);
  LS_OWNS (class, LsValuesPane, ls_cancel, asking);
  LS_OWNS (class, LsValuesPane, ls_graph_unref, graph);
  LS_OWNS (class, LsValuesPane, gtk_widget_unparent, box);
  LS_OWNS (class, LsValuesPane, g_object_unref, session);
  LS_OWNS (class, LsValuesPane, g_ptr_array_unref, numbers, at);
}

static void
ls_values_pane_init (LsValuesPane *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->node = LS_NO_NODE;
  self->row = A_ROW;
  self->numbers = g_ptr_array_new_with_free_func (g_free);
  self->at = g_ptr_array_new_with_free_func (g_free);
  self->table = ls_table_new ("node-values", columns, G_N_ELEMENTS (columns), cell, "");
  ls_table_set_code (self->table);
  gtk_widget_set_hexpand (GTK_WIDGET (self->table), TRUE);
  gtk_widget_set_vexpand (GTK_WIDGET (self->table), TRUE);
  gtk_box_append (GTK_BOX (self->content), GTK_WIDGET (self->table));
  self->element = LS_ELEMENT_VIEW (ls_element_view_new ());
  gtk_widget_set_hexpand (GTK_WIDGET (self->element), TRUE);
  gtk_widget_set_vexpand (GTK_WIDGET (self->element), TRUE);
  gtk_box_append (GTK_BOX (self->content), GTK_WIDGET (self->element));
  g_signal_connect_object (self->map, "chosen", G_CALLBACK (on_cell), self, 0);
  g_signal_connect_object (self->table, "row-activated", G_CALLBACK (on_row), self, 0);
  g_signal_connect_object (self->element, "shown", G_CALLBACK (on_element), self, 0);
}
