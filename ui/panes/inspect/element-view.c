#include "element-view.h"
#include "kit/class.h"
#include "kit/paragraph.h"
#include "kit/table.h"
#include "kit/tip.h"
#include "session/record-table.h"
#include "session/trace-text.h"
#include "session/worker.h"
#include "ir/sentence.h"

#include <glib/gi18n.h>

#define MOST_VALUES 1024

struct _LsElementView {
  GtkWidget        parent_instance;
  GtkWidget       *box, *back, *close;
  GtkLabel        *title, *words, *notes;
  LsTable         *table;
  LsRecordColumns  columns;
  LsTrace         *trace;
  GArray          *way;        /* LsElementPlace; the last is shown or asked for */
  gboolean         answered;
  LsElementOrigins *origins;   /* of the last, or NULL: the question failed */
  LsValues        *values;
  GCancellable    *asking;
};

G_DEFINE_FINAL_TYPE (LsElementView, ls_element_view, GTK_TYPE_WIDGET)

typedef struct { LsElementPlace place; LsElementOrigins *origins; LsValues *values; } Answer;

static LsElementPlace *
last (LsElementView *self)
{
  return self->way->len ? &g_array_index (self->way, LsElementPlace, self->way->len - 1) : NULL;
}

const LsElementPlace *
ls_element_view_get_place (LsElementView *self)
{
  return self->answered ? last (self) : NULL;
}

const LsValues *
ls_element_view_get_values (LsElementView *self)
{
  return self->values;
}

gboolean
ls_element_view_get_busy (LsElementView *self)
{
  return self->asking != NULL;
}

static char *
cell (LsTable *table, guint row, guint column)
{
  LsElementView *self = ls_table_get_data (table);
  if (!self->origins || row >= self->origins->origins->len)
    return NULL;
  return ls_record_column_text (&self->columns, &g_array_index (self->origins->origins, LsElementOrigin, row), row, self->origins, column);
}

/* --- questions --- */

static void
answer_free (gpointer data)
{
  Answer *a = data;
  ls_element_origins_free (a->origins);
  ls_values_free (a->values);
  g_free (a);
}

static gpointer
find_origins (LsTrace *copy, gconstpointer question, GError **error)
{
  const LsElementPlace *place = question;
  g_autofree Answer *answer = g_new0 (Answer, 1);
  answer->place = *place;
  if (place->at == LS_ELEMENT_AT_BUFFER) {
    answer->origins = ls_read_element (copy, place->kernel, place->buffer, place->element, error);
    answer->values = answer->origins ? ls_buffer_values (copy, place->kernel, place->buffer, MOST_VALUES, error) : NULL;
  }
  if (place->at == LS_ELEMENT_AT_RESULT)
    answer->origins = ls_element_origins (copy, place->kernel, place->buffer, place->element, LS_ELEMENT_ORIGINS_MOST, error);
  if (place->at == LS_ELEMENT_AT_NODE && place->pass >= 0 && (guint) place->pass < copy->passes->len)
    answer->origins = ls_node_element_origins (copy, copy->passes->pdata[place->pass], place->step, place->node, place->element,
                                               LS_ELEMENT_ORIGINS_MOST, error);
  if (answer->origins && (answer->values || place->at != LS_ELEMENT_AT_BUFFER))
    return g_steal_pointer (&answer);
  ls_element_origins_free (answer->origins);
  return NULL;
}

static char *
line_text (LsElementView *self, guint line)
{
  g_autofree char *text = line ? ls_source_line (self->trace->program_text ? self->trace->program_text : "", line) : NULL,
                  *cut = text ? ls_text_cut (text, 120) : NULL;
  return cut && *cut ? g_strdup_printf (_("line %u: %s"), line, cut) : g_strdup ("");
}

static void
show (LsElementView *self)
{
  const LsElementOrigins *o = self->origins;
  g_autofree char *line = line_text (self, o->of.line);
  g_autoptr (GString) words = g_string_new (NULL);
  const LsElementOrigin *of = &o->of;
  const char *value = of->value ? of->value : _("(not known)");
  g_autofree char *name = of->buffer >= 0 ? ls_element_name_shown (of) : g_strdup_printf (_("node %u[%s]"), o->node, of->at),
                  *from = ls_element_source_shown (of), *count = ls_text_count (o->n),
                  *notes = ls_sentence_shown (o->notes ? o->notes : ""),
                  *title = g_strdup_printf ("%s = %s · %s", name, value, from);
  gtk_label_set_text (self->title, title);
  if (o->n == 0 && of->from == LS_ELEMENT_OF_KERNEL)
    g_string_append (words, _("computed from nothing: all that it reads is masked"));
  else if (o->n)
    g_string_append_printf (words, ngettext ("%s element or constant", "%s elements and constants", o->n), count);
  if (o->origins->len < o->n)
    g_string_append_printf (words, _(", the first %u are listed"), o->origins->len);
  if (*line)
    g_string_append_printf (words, "%s%s", words->len ? " · " : "", line);
  gtk_label_set_text (self->notes, g_strchomp (notes));
  gtk_widget_set_visible (gtk_widget_get_parent (GTK_WIDGET (self->notes)), *notes != 0);
  ls_tip_set (GTK_WIDGET (self->words), words->str);
  gtk_label_set_text (self->words, words->str);
  gtk_widget_set_visible (GTK_WIDGET (self->table), o->n > 0);
  ls_table_set_rows (self->table, o->origins->len);
}

static void ask (LsElementView *self);

static void
on_answer (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (LsElementView) self = ((gpointer *) data)[0];
  g_autoptr (GCancellable) asking = ((gpointer *) data)[1];
  g_autoptr (GError) error = NULL;
  Answer *answer = ls_worker_ask_finish (result, &error);
  g_free (data);
  if (asking != self->asking || !last (self)) {
    g_clear_pointer (&answer, answer_free);
    return;      /* another question was asked meanwhile, or the view goes */
  }
  g_clear_object (&self->asking);
  self->answered = TRUE;
  if (answer) {
    LsElementPlace *place = last (self);
    self->origins = g_steal_pointer (&answer->origins);
    self->values = g_steal_pointer (&answer->values);
    place->pass = self->origins->pass;
    place->step = place->at == LS_ELEMENT_AT_RESULT ? 0 : place->step;
    place->node = self->origins->node;
    place->number = self->origins->number;
    answer_free (answer);
    show (self);
  } else {
    g_autofree char *why = ls_text_error (error, 300);
    gtk_label_set_text (self->title, _("The element has no known origins"));
    gtk_label_set_text (self->words, "");
    gtk_label_set_text (self->notes, why);
    gtk_widget_show (gtk_widget_get_parent (GTK_WIDGET (self->notes)));
    gtk_widget_hide (GTK_WIDGET (self->table));
  }
  g_signal_emit_by_name (self, "shown");
}

static void
forget_answer (LsElementView *self)
{
  g_clear_pointer (&self->asking, ls_cancel);
  self->answered = FALSE;
  ls_table_set_rows (self->table, 0);
  g_clear_pointer (&self->origins, ls_element_origins_free);
  g_clear_pointer (&self->values, ls_values_free);
}

static void
ask (LsElementView *self)
{
  LsElementPlace *place = last (self);
  forget_answer (self);
  gtk_widget_set_visible (GTK_WIDGET (self), place != NULL);
  gtk_widget_set_sensitive (self->back, self->way->len > 1);
  if (!place) {
    g_signal_emit_by_name (self, "shown");
    return;
  }
  gtk_label_set_text (self->title, _("Computing…"));
  gtk_label_set_text (self->words, "");
  gtk_widget_hide (gtk_widget_get_parent (GTK_WIDGET (self->notes)));
  self->asking = g_cancellable_new ();
  gpointer *data = g_new (gpointer, 2);
  data[0] = g_object_ref (self);
  data[1] = g_object_ref (self->asking);
  ls_worker_ask_async (self->trace, find_origins, g_memdup2 (place, sizeof *place), g_free, answer_free, self->asking, on_answer, data);
  g_signal_emit_by_name (self, "shown");
}

/* --- the way --- */

void
ls_element_view_set_trace (LsElementView *self, LsTrace *trace)
{
  if (self->trace == trace)
    return;
  ls_element_view_close (self);
  self->trace = trace;
}

void
ls_element_view_go (LsElementView *self, const LsElementPlace *place)
{
  const LsElementPlace *now = last (self);
  gboolean same = now && (place->at == LS_ELEMENT_AT_BUFFER ? now->at == place->at && now->buffer == place->buffer &&
                          now->kernel == place->kernel : place->at == LS_ELEMENT_AT_NODE && now->at != LS_ELEMENT_AT_BUFFER &&
                          now->pass == place->pass && now->step == place->step && now->node == place->node);
  if (same)
    g_array_set_size (self->way, self->way->len - 1);
  g_array_append_val (self->way, *place);
  ask (self);
}

void
ls_element_view_back (LsElementView *self)
{
  if (self->way->len < 2)
    return;
  g_array_set_size (self->way, self->way->len - 1);
  ask (self);
}

void
ls_element_view_close (LsElementView *self)
{
  if (!self->way->len)
    return;
  g_array_set_size (self->way, 0);
  ask (self);
}

void
ls_element_view_moved (LsElementView *self, gint pass, guint step)
{
  for (guint i = self->way->len; i-- > 0;) {
    const LsElementPlace *place = &g_array_index (self->way, LsElementPlace, i);
    if (place->at == LS_ELEMENT_AT_BUFFER || place->pass != pass || place->step != step)
      continue;
    if (i + 1 < self->way->len) {
      g_array_set_size (self->way, i + 1);
      ask (self);
    }
    return;
  }
  if (!self->asking)      /* of a result it is not known before the answer where it is seen */
    ls_element_view_close (self);
}

LsElementPlace
ls_element_place_of_memory (guint kernel, guint reader, guint buffer, guint64 element)
{
  return (LsElementPlace) { .at = kernel ? LS_ELEMENT_AT_RESULT : LS_ELEMENT_AT_BUFFER, .pass = -1, .node = LS_NO_NODE,
                            .kernel = kernel ? kernel : reader, .buffer = buffer, .element = element, .number = element };
}

static void on_back (LsElementView *self) { ls_element_view_back (self); }
static void on_close (LsElementView *self) { ls_element_view_close (self); }

static void
on_activated (LsTable *table, guint row, LsElementView *self)
{
  const LsElementOrigin *w = self->origins && row < self->origins->origins->len
                             ? &g_array_index (self->origins->origins, LsElementOrigin, row) : NULL;
  if (!w)
    return;
  if (w->buffer < 0) {
    g_autofree char *line = line_text (self, w->line);
    gtk_widget_activate_action (GTK_WIDGET (self), "win.say", "s", *line ? line : _("The constant is not of a line of the program"));
    return;
  }
  LsElementPlace to = ls_element_place_of_memory (w->kernel, self->origins->reader, (guint) w->buffer, w->element);
  ls_element_view_go (self, &to);
}

GtkWidget *
ls_element_view_new (void)
{
  return g_object_new (LS_TYPE_ELEMENT_VIEW, NULL);
}

static void
ls_element_view_class_init (LsElementViewClass *class)
{
  LS_USES (LS_TYPE_PARAGRAPH);
  LS_UI_BINDS (class, LsElementView, "element-view", box, back, close, title, words, notes);
  LS_CALLBACKS (class, on_back, on_close);
  ls_class_signal (class, "shown", 0);
  LS_OWNS (class, LsElementView, ls_cancel, asking);
  LS_OWNS (class, LsElementView, gtk_widget_unparent, box);
  LS_KEEPS (class, LsElementView, g_array_unref, way);
  LS_KEEPS (class, LsElementView, ls_element_origins_free, origins);
  LS_KEEPS (class, LsElementView, ls_values_free, values);
}

static void
ls_element_view_init (LsElementView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->way = g_array_new (FALSE, TRUE, sizeof (LsElementPlace));
  ls_record_columns_init (&self->columns, &ls_element_origin_answer);
  self->table = ls_table_new ("element-origins", self->columns.columns, self->columns.n, cell, "");
  ls_table_set_data (self->table, self, NULL);
  ls_table_set_links (self->table);
  ls_table_set_name (self->table, _("Elements that it was computed from"));
  gtk_widget_set_vexpand (GTK_WIDGET (self->table), TRUE);
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->table));
  g_signal_connect_object (self->table, "row-activated", G_CALLBACK (on_activated), self, 0);
  gtk_widget_hide (GTK_WIDGET (self));
}
