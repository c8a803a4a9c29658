/* The texts that ran, one row a line: the program, modules of its own, files of the library. Selecting a line selects its descendants;
 * the origin of a selection made elsewhere, or of the step without one, is marked. The calls that led there are below, each below its
 * parent: selecting one shows where it is defined; the names that a selected line bound are there too. Neighbouring calls that returned
 * what they were given are one row, which unfolds when it is selected. Below a call that computed something are its schedule, copies,
 * kernels and launches: selecting one goes to its place. A double-click, Enter, or Ctrl+click on a line goes to the function that it
 * calls.
 *
 * The file stays until another one is asked for: where one steps, the text does not change under one's eyes.
 */
#include "program-pane.h"
#include "kit/class.h"
#include "ask/ask.h"
#include "ir/sentence.h"
#include "kit/paragraph.h"
#include "kit/table.h"
#include "kit/text.h"
#include "session/node-locations.h"
#include "trace/realizations.h"
#include "trace/statements.h"

#include <glib/gi18n.h>

#define MOST_CALLS 400      /* that are listed */
#define MOST_NAMES 3        /* shown of a line */
#define MOST_KNOWN 8        /* where all names are shown */
#define BODY        20      /* lines behind a definition's first that are shown with it */

/* A call, or something that it computed. folded: how many calls from this one on are one row, those in them included; 0: it is a call. */
typedef struct { guint call, folded; gboolean is_did; LsDid did; } Row;

struct _LsProgramPane {
  GtkWidget      parent_instance;
  LsViewSession *session;
  GtkWidget     *box;
  GtkDropDown   *choice;
  LsTable       *text, *calls;
  GtkWidget     *bound;       /* a paragraph around names */
  GtkLabel      *names;
  GPtrArray     *lines;       /* of the file */
  GArray        *files;       /* guint: those that can be chosen, indices in trace->files */
  guint          file;        /* the one that is shown */
  GArray        *tree;        /* Row: calls, each behind the one that made it */
  GHashTable    *unfolded;    /* calls, + 1, whose folded row was opened */
  GArray        *marked;      /* guint: lines of the file, ascending */
  gboolean       following, to_definition, without_own;      /* without_own: the program's own text is not shown */
};

G_DEFINE_FINAL_TYPE (LsProgramPane, ls_program_pane, GTK_TYPE_WIDGET)

static LsProgramPane *
pane_of (LsTable *table)
{
  return LS_PROGRAM_PANE (gtk_widget_get_ancestor (GTK_WIDGET (table), LS_TYPE_PROGRAM_PANE));
}

/* --- the text --- */

enum { C_LINE, C_TEXT };
static const LsTableColumn text_columns[] = { [C_LINE] = { N_("Line"), TRUE, FALSE }, [C_TEXT] = { N_("Program"), FALSE, TRUE } };

static char *
text_cell (LsTable *table, guint row, guint column)
{
  LsProgramPane *self = pane_of (table);
  if (!self || row >= self->lines->len)
    return NULL;
  return column == C_LINE ? g_strdup_printf ("%u", row + 1) : ls_text_cut (self->lines->pdata[row], 400);
}

static gboolean
is_marked (LsTable *table, guint row)
{
  LsProgramPane *self = pane_of (table);
  return self && ls_node_locations_has_line (self->marked, row + 1);
}

/* Version 2 of recordings has no files, but the program's text. */
static const char *
text_of_file (LsTrace *trace, guint file)
{
  const char *text = trace && file < trace->files->len ? g_array_index (trace->files, LsProgramFile, file).text
                                                       : trace ? trace->program_text : NULL;
  return text ? text : "";
}

static void
show_file (LsProgramPane *self, guint file)
{
  LsTrace *trace = ls_view_session_get_trace (self->session);
  g_auto (GStrv) split = g_strsplit (text_of_file (trace, file), "\n", -1);
  guint n = g_strv_length (split);
  n -= n > 0 && *split[n - 1] == '\0';
  self->file = file;
  g_ptr_array_set_size (self->lines, 0);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (self->lines, g_strdup (split[i]));
  ls_table_set_rows (self->text, n);
  gtk_widget_set_visible (GTK_WIDGET (self->text), !self->without_own || file > 0);
  for (guint i = 0; i < self->files->len; i++)
    if (g_array_index (self->files, guint, i) == file) {
      self->following = TRUE;
      gtk_drop_down_set_selected (self->choice, i);
      self->following = FALSE;
    }
}

/* --- calls --- */

enum { C_CALL, C_DEFINED };
static const LsTableColumn call_columns[] = {
  [C_CALL] = { N_("Call"), FALSE, TRUE }, [C_DEFINED] = { N_("Defined or shown at"), FALSE, FALSE },
};

static const LsCall *
call_at (LsProgramPane *self, guint row)
{
  const LsTrace *trace = ls_view_session_get_trace (self->session);
  guint call = row < self->tree->len ? g_array_index (self->tree, Row, row).call : G_MAXUINT;
  return trace && call < trace->calls->len ? &g_array_index (trace->calls, LsCall, call) : NULL;
}

/* What the call of the row computed there; NULL: the row is the call itself. */
static const LsDid *
did_at (LsProgramPane *self, guint row)
{
  return row < self->tree->len && g_array_index (self->tree, Row, row).is_did ? &g_array_index (self->tree, Row, row).did : NULL;
}

static gboolean
is_defined (const LsTrace *trace, const LsCall *c)
{
  return c->def_file >= 0 && c->def_file < (gint) trace->files->len && c->def_line > 0;
}

/* "contiguous, to" */
static char *
folded_names (LsProgramPane *self, LsTrace *trace, guint row)
{
  const Row *r = &g_array_index (self->tree, Row, row);
  GString *names = g_string_new (NULL);
  for (guint i = r->call; i < r->call + r->folded && i < trace->calls->len; i++)
    if (g_array_index (trace->calls, LsCall, i).parent == g_array_index (trace->calls, LsCall, r->call).parent)
      g_string_append_printf (names, "%s%s", names->len ? ", " : "", g_array_index (trace->calls, LsCall, i).name);
  return g_string_free (names, FALSE);
}

static char *
call_cell (LsTable *table, guint row, guint column)
{
  LsProgramPane *self = pane_of (table);
  LsTrace *trace = self ? ls_view_session_get_trace (self->session) : NULL;
  const LsCall *c = self ? call_at (self, row) : NULL;
  const LsDid *did = self ? did_at (self, row) : NULL;
  guint depth = 0;
  if (!c)
    return NULL;
  if (column == C_DEFINED && did)
    return ls_did_place (trace, did);
  if (column == C_DEFINED && g_array_index (self->tree, Row, row).folded)
    return NULL;
  if (column == C_DEFINED && !is_defined (trace, c))
    return NULL;
  if (column == C_DEFINED) {      /* a file's name once for calls that follow each other */
    const LsCall *before = row > 0 && !did_at (self, row - 1) && !g_array_index (self->tree, Row, row - 1).folded ? call_at (self, row - 1)
                                                                                                               : NULL;
    gboolean same = before && is_defined (trace, before) && before->def_file == c->def_file;
    g_autofree char *name = g_path_get_basename (g_array_index (trace->files, LsProgramFile, c->def_file).name),
                    *place = g_strdup_printf ("%s:%u", same ? "" : name, c->def_line);
    return ls_text_cut (place, 60);
  }
  guint file;
  gboolean here = ls_view_session_chosen_line (self->session, &file) > 0;
  for (gint at = c->parent; !here && at >= 0 && depth < 12; at = g_array_index (trace->calls, LsCall, at).parent)
    depth++;
  g_autofree char *sentence = did ? ls_did_sentence (trace, did) : NULL, *shown = did ? ls_sentence_shown (sentence) : NULL;
  guint call = g_array_index (self->tree, Row, row).call;
  g_autofree char *names = g_array_index (self->tree, Row, row).folded ? folded_names (self, trace, row) : NULL, *text = NULL;
  if (did)
    text = g_strdup_printf ("%*s%s", (int) depth * 2 + 2, "", shown);
  else if (names)
    text = g_strdup_printf (_("%*s▸ %s: returned what they were given"), (int) depth * 2, "", names);
  else
    text = g_strdup_printf (ls_call_made_nothing (trace, call) ? _("%*s%s (%s): returned what it was given") : "%*s%s (%s)",
                            (int) depth * 2, "", c->name ? c->name : "?", c->args ? c->args : "");
  return ls_text_cut (text, 300);
}

static int
by_number (gconstpointer a, gconstpointer b)
{
  guint x = *(const guint *) a, y = *(const guint *) b;
  return x < y ? -1 : x > y;
}

static void
add_row (LsProgramPane *self, LsTrace *trace, guint call)
{
  Row row = { call, 0, FALSE, { 0 } };
  const LsRealization *r = ls_call_realization (trace, call);
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (LsDid));
  g_array_append_val (self->tree, row);
  if (r)
    ls_realization_list (trace, r, MOST_CALLS, list);
  for (guint i = 0; i < list->len && self->tree->len < MOST_CALLS; i++) {
    row.is_did = TRUE;
    row.did = g_array_index (list, LsDid, i);
    g_array_append_val (self->tree, row);
  }
}

/* How many of the found calls from i on return what they were given, those of one parent and the calls in them; 0: they are not folded. */
static guint
folded_at (LsProgramPane *self, LsTrace *trace, const GArray *found, guint i)
{
  const guint *calls = (const guint *) (gconstpointer) found->data;
  gint parent = g_array_index (trace->calls, LsCall, calls[i]).parent;
  guint n = i;
  if (g_hash_table_contains (self->unfolded, GUINT_TO_POINTER (calls[i] + 1)))
    return 0;
  for (; n < found->len && ls_call_made_nothing (trace, calls[n]); n++) {
    gint of = g_array_index (trace->calls, LsCall, calls[n]).parent;
    if (of != parent && of < (gint) calls[i])
      break;
  }
  return n - i;
}

/* The calls of the session with those that made them, in order of time, which puts each behind its parent. Those of a chosen line
 * begin there. Where there are none, as at a kernel's schedule, they are those that led to the kernel. */
static void
find_calls (LsProgramPane *self)
{
  LsTrace *trace = ls_view_session_get_trace (self->session);
  const GArray *calls = ls_view_session_calls (self->session);
  const LsPass *pass = ls_view_session_pass (self->session);
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (guint));
  guint file;
  gboolean here = ls_view_session_chosen_line (self->session, &file) > 0;
  g_array_set_size (self->tree, 0);
  for (guint i = 0; trace && i < calls->len && found->len < MOST_CALLS; i++)
    for (gint at = (gint) g_array_index (calls, guint, i); at >= 0 && g_hash_table_add (seen, GINT_TO_POINTER (at + 1));
         at = here ? -1 : g_array_index (trace->calls, LsCall, at).parent)
      g_array_append_val (found, at);
  const LsRealization *r = pass && !here && found->len == 0 ? ls_kernel_realization (trace, pass->kernel) : NULL;
  for (gint at = r && ls_view_session_get_selection (self->session) == LS_NO_NODE ? r->call : -1;
       at >= 0 && g_hash_table_add (seen, GINT_TO_POINTER (at + 1)); at = g_array_index (trace->calls, LsCall, at).parent)
    g_array_append_val (found, at);
  g_array_sort (found, by_number);
  for (guint i = 0; i < found->len && self->tree->len < MOST_CALLS; i++) {
    Row row = { g_array_index (found, guint, i), folded_at (self, trace, found, i), FALSE, { 0 } };
    if (row.folded < 2) {
      add_row (self, trace, row.call);
      continue;
    }
    i += row.folded - 1;
    row.folded = g_array_index (found, guint, i) - row.call + 1;
    g_array_append_val (self->tree, row);
  }
}

/* The lines of the file that is shown from which the selection or the step comes. */
static void
find_marked (LsProgramPane *self)
{
  LsTrace *trace = ls_view_session_get_trace (self->session);
  const LsPass *pass = ls_view_session_pass (self->session);
  guint file, line = ls_view_session_chosen_line (self->session, &file);
  const LsStatement *statement = !line && pass && ls_view_session_get_selection (self->session) == LS_NO_NODE
                                 ? ls_trace_pass_statement (trace, pass) : NULL;
  g_array_set_size (self->marked, 0);
  if (line && file == self->file)
    g_array_append_val (self->marked, line);
  for (guint at = statement && statement->file == self->file ? statement->line : G_MAXUINT; statement && at <= statement->end_line; at++)
    g_array_append_val (self->marked, at);
  for (guint i = 0; !line && i < self->tree->len; i++) {
    const LsCall *c = call_at (self, i);
    guint at = c && c->file == (gint) self->file && c->file_line ? c->file_line : c && self->file == 0 ? c->line : 0;
    if (at)
      g_array_append_val (self->marked, at);
  }
  g_array_sort (self->marked, by_number);
}

/* --- content --- */

static void
show_marks (LsProgramPane *self)
{
  find_marked (self);
  guint file, line = ls_view_session_chosen_line (self->session, &file);
  ls_table_choose (self->text, line && file == self->file ? line - 1 : GTK_INVALID_LIST_POSITION);
  if (self->marked->len > 0)
    ls_table_show_row (self->text, g_array_index (self->marked, guint, 0) - 1, 0);
  ls_table_update_marks (self->text);
}

/* The line whose statement, that row at the latest, computed a tensor or copied its data, or 0. */
static guint
computing_line (LsTrace *trace, const LsUOp *base, guint row)
{
  const GPtrArray *all = ls_trace_realizations (trace);
  const LsUOp *data = base && base->op == LS_OP_COPY && base->n_src && base->src[0]->op == LS_OP_BUFFER ? base->src[0] : NULL;
  for (guint i = 0; base && i < all->len; i++) {
    const LsRealization *r = all->pdata[i];
    gboolean did = FALSE;
    for (guint k = 0; k < r->nodes->len; k++)
      did |= g_array_index (r->nodes, guint32, k) == base->id;
    for (guint k = 0; data && data->arg.kind == LS_ARG_INTS && data->arg.n && k < r->copies->len; k++)
      did |= g_array_index (r->copies, guint, k) == (guint64) data->arg.ints[0];
    if (did && r->row <= row)
      return ls_realization_statement (trace, r) ? ls_realization_statement (trace, r)->line : 0;
  }
  return 0;
}

/* "c: RESHAPE float (64, 64), a view of CONTIGUOUS float (64, 64), in buffer 2", and its views, as it is after the statement of a row. */
static void
describe_name (GString *text, LsTrace *trace, const LsNameBinding *b, guint row)
{
  g_auto (LsBoundName) t = { NULL };
  if (!ls_bound_name (trace, b, &t))
    return;
  g_autofree char *shape = ls_shape_to_string (t.shape), *base = t.base ? ls_uop_summary (t.base) : NULL;
  g_autofree char *name = ls_text_valid (b->name),
                  *what = g_strdup_printf ("%s %s %s", ls_op_name (t.node->op), ls_dtype_name (t.node->dtype), t.expr ? t.expr : shape);
  g_string_append_printf (text, "%s%s: %s", text->len ? "\n" : "", name, what);
  if (t.expr)
    return;
  if (t.base && t.base != t.node)
    g_string_append_printf (text, _(", a view of %s"), base);
  guint line = computing_line (trace, t.base ? t.base : t.node, row);
  if (b->buffer != G_MAXUINT)
    g_string_append_printf (text, _(", in buffer %u"), b->buffer);
  else if (line)
    g_string_append_printf (text, _(", computed by line %u"), line);
  else if (t.base)
    g_string_append (text, _(", not computed by then"));
  if (t.short_view && (t.base != t.node || b->buffer != G_MAXUINT))
    g_string_append_printf (text, "\n%s", t.short_view);
}

/* The tensors of the names that the selected line bound, after its last execution; else, when stepping through statements, those of all
 * names after this one, the latest first. */
static void
show_names (LsProgramPane *self)
{
  LsTrace *trace = ls_view_session_get_trace (self->session);
  const LsPass *pass = ls_view_session_pass (self->session);
  guint file, line = ls_view_session_chosen_line (self->session, &file), last = G_MAXUINT, n = 0;
  const LsStatement *at = !line && pass ? ls_trace_pass_statement (trace, pass) : NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = trace && (line || at) ? trace->bindings->len : 0; i-- > 0 && n < (at ? MOST_KNOWN : MOST_NAMES);) {
    const LsNameBinding *b = &g_array_index (trace->bindings, LsNameBinding, i);
    const LsStatement *s = b->statement < trace->statements->len ? &g_array_index (trace->statements, LsStatement, b->statement) : NULL;
    gboolean wanted = s && (at ? s <= at : s->file == file && line >= s->line && line <= s->end_line &&
                            (last == G_MAXUINT || last == b->statement));
    if (!wanted || !g_hash_table_add (seen, (gpointer) b->name))
      continue;
    last = b->statement;
    describe_name (text, trace, b, (guint) ((at ? at : s) - (const LsStatement *) (gconstpointer) trace->statements->data));
    n++;
  }
  gtk_label_set_text (self->names, text->str);
  gtk_widget_set_visible (self->bound, text->len > 0);
}

static void
show_selection (LsProgramPane *self)
{
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  show_names (self);
  find_calls (self);
  ls_table_set_rows (self->calls, self->tree->len);
  show_marks (self);
}

static gboolean
show_place (LsProgramPane *self, gint file, guint line)
{
  const LsTrace *trace = ls_view_session_get_trace (self->session);
  if (!trace || file < 0 || file >= (gint) trace->files->len || !line)
    return FALSE;
  if ((guint) file != self->file)
    show_file (self, (guint) file);
  find_marked (self);
  ls_table_choose (self->text, line - 1);
  ls_table_show_row (self->text, line - 1, BODY);
  ls_table_update_marks (self->text);
  return TRUE;
}

gboolean
ls_program_pane_show_call (LsProgramPane *self, guint call)
{
  const LsTrace *trace = ls_view_session_get_trace (self->session);
  const LsCall *c = trace && call < trace->calls->len ? &g_array_index (trace->calls, LsCall, call) : NULL;
  if (!c || !is_defined (trace, c) || !show_place (self, c->def_file, c->def_line)) {
    gtk_widget_activate_action (GTK_WIDGET (self), "win.say", "s", _("The recording does not include its definition"));
    return FALSE;
  }
  return TRUE;
}

static void
on_call (LsProgramPane *self, guint row)
{
  const LsDid *did = did_at (self, row);
  if (row < self->tree->len && g_array_index (self->tree, Row, row).folded) {
    for (guint i = 0; i < g_array_index (self->tree, Row, row).folded; i++)
      g_hash_table_add (self->unfolded, GUINT_TO_POINTER (g_array_index (self->tree, Row, row).call + i + 1));
    show_selection (self);
    return;
  }
  g_autofree char *place = did ? ls_did_place (ls_view_session_get_trace (self->session), did) : NULL;
  if (place) {
    gtk_widget_activate_action (GTK_WIDGET (self), "win.workspace", "s", "steps");
    gtk_widget_activate_action (GTK_WIDGET (self), "win.go-to", "s", place);
  } else if (row < self->tree->len && !did) {
    ls_program_pane_show_call (self, g_array_index (self->tree, Row, row).call);
  }
}

/* To the function that a line calls: the first of the listed calls, which is the outermost, else the first that was ever made there. */
static void
follow_line (LsProgramPane *self, guint row)
{
  const LsTrace *trace = ls_view_session_get_trace (self->session);
  for (guint i = 0; i < self->tree->len; i++)
    if (!did_at (self, i) && ls_view_session_is_call_at (call_at (self, i), self->file, row + 1)) {
      on_call (self, i);
      return;
    }
  for (guint i = 0; trace && i < trace->calls->len; i++)
    if (ls_view_session_is_call_at (&g_array_index (trace->calls, LsCall, i), self->file, row + 1)) {
      ls_program_pane_show_call (self, i);
      return;
    }
  gtk_widget_activate_action (GTK_WIDGET (self), "win.say", "s", _("No call was made on that line"));
}

static void
on_line (LsProgramPane *self, guint row)
{
  if (self->to_definition)
    follow_line (self, row);
  else
    ls_view_session_select_program (self->session, self->file, row + 1);
}

static void
on_file (LsProgramPane *self)
{
  guint i = gtk_drop_down_get_selected (self->choice);
  if (self->following || i >= self->files->len)
    return;
  show_file (self, g_array_index (self->files, guint, i));
  show_marks (self);
}

static void
add_file (LsProgramPane *self, GtkStringList *names, guint file, const char *path, gboolean whole)
{
  g_autofree char *base = whole ? g_strdup (path) : g_path_get_basename (path), *name = ls_text_cut (base, 40);
  g_array_append_val (self->files, file);
  gtk_string_list_append (names, name);
}

/* Files in which something is defined; the program's own, always. */
static void
on_trace_changed (LsProgramPane *self)
{
  LsTrace *trace = ls_view_session_get_trace (self->session);
  guint n = trace ? trace->files->len : 0;
  g_hash_table_remove_all (self->unfolded);
  g_autofree gboolean *used = g_new0 (gboolean, n + 1);
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);
  for (guint i = 0; i < n; i++)
    used[i] = !g_array_index (trace->files, LsProgramFile, i).library;
  for (guint i = 0; n && i < trace->calls->len; i++) {
    const LsCall *c = &g_array_index (trace->calls, LsCall, i);
    if (is_defined (trace, c))
      used[c->def_file] = TRUE;
  }
  g_array_set_size (self->files, 0);
  for (guint i = 0; i < n; i++)
    if (used[i]) {
      const LsProgramFile *f = &g_array_index (trace->files, LsProgramFile, i);
      add_file (self, names, i, f->name, f->library);
    }
  if (trace && n == 0)
    add_file (self, names, 0, trace->program_name ? trace->program_name : "?", FALSE);
  self->following = TRUE;
  gtk_drop_down_set_model (self->choice, G_LIST_MODEL (names));
  self->following = FALSE;
  gtk_widget_set_sensitive (GTK_WIDGET (self->choice), self->files->len > 1);
  g_array_set_size (self->tree, 0);
  g_array_set_size (self->marked, 0);
  ls_table_set_rows (self->calls, 0);
  show_names (self);
  show_file (self, 0);
}

/* --- the widget --- */

/* A press with Ctrl goes where the line leads; it is heard before the list takes it, and the list's choice then says which line. */
static void
on_pressed (LsProgramPane *self, int n_press, double x, double y, GtkGesture *gesture)
{
  self->to_definition = (gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture)) & GDK_CONTROL_MASK) != 0;
}

static gboolean
on_after_release (gpointer data)
{
  LS_PROGRAM_PANE (data)->to_definition = FALSE;
  return G_SOURCE_REMOVE;
}

/* The list chooses a row at the release, after this. */
static void
on_released (LsProgramPane *self)
{
  if (self->to_definition)
    g_idle_add_full (G_PRIORITY_DEFAULT, on_after_release, g_object_ref (self), g_object_unref);
}

GtkWidget *
ls_program_pane_new (LsViewSession *session)
{
  LsProgramPane *self = g_object_new (LS_TYPE_PROGRAM_PANE, NULL);
  self->session = g_object_ref (session);
  g_signal_connect_object (session, "trace-changed", G_CALLBACK (on_trace_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "selection-changed", G_CALLBACK (show_selection), self, G_CONNECT_SWAPPED);
  if (ls_view_session_get_trace (session))
    on_trace_changed (self);
  return GTK_WIDGET (self);
}

const char *
ls_program_pane_get_file (LsProgramPane *self, guint *line)
{
  const LsTrace *trace = ls_view_session_get_trace (self->session);
  guint row = ls_table_get_chosen (self->text);
  *line = row != GTK_INVALID_LIST_POSITION ? row + 1 : self->marked->len ? g_array_index (self->marked, guint, 0) : 0;
  return trace && self->file < trace->files->len ? g_array_index (trace->files, LsProgramFile, self->file).name : NULL;
}

guint
ls_program_pane_n_calls (LsProgramPane *self)
{
  return self->tree->len;
}

guint
ls_program_pane_get_call (LsProgramPane *self, guint row)
{
  return g_array_index (self->tree, Row, row).call;
}

const LsDid *
ls_program_pane_get_did (LsProgramPane *self, guint row)
{
  return did_at (self, row);
}

void
ls_program_pane_leave_out_own (LsProgramPane *self)
{
  self->without_own = TRUE;
  gtk_widget_set_visible (GTK_WIDGET (self->text), FALSE);
  gtk_widget_set_vexpand (GTK_WIDGET (self->calls), TRUE);
}

static void
ls_program_pane_class_init (LsProgramPaneClass *class)
{
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (class), GTK_TYPE_BIN_LAYOUT);
  LS_OWNS (class, LsProgramPane, gtk_widget_unparent, box);
  LS_OWNS (class, LsProgramPane, g_object_unref, session);
  LS_KEEPS (class, LsProgramPane, g_ptr_array_unref, lines);
  LS_KEEPS (class, LsProgramPane, g_hash_table_unref, unfolded);
  LS_KEEPS (class, LsProgramPane, g_array_unref, files, tree, marked);
}

static LsTable *
add_table (LsProgramPane *self, LsTable *table, gpointer on_row)
{
  ls_table_set_choosable (table);
  ls_table_set_code (table);
  g_signal_connect_object (table, "row-chosen", on_row, self, G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (table));
  return table;
}

static void
ls_program_pane_init (LsProgramPane *self)
{
  self->lines = g_ptr_array_new_with_free_func (g_free);
  self->files = g_array_new (FALSE, FALSE, sizeof (guint));
  self->tree = g_array_new (FALSE, FALSE, sizeof (Row));
  self->unfolded = g_hash_table_new (NULL, NULL);
  self->marked = g_array_new (FALSE, FALSE, sizeof (guint));
  self->choice = g_object_new (GTK_TYPE_DROP_DOWN, "name", "program-file", "tooltip-text",
                               _("The program's files, and the library files that it ran"), NULL);
  g_signal_connect_object (self->choice, "notify::selected", G_CALLBACK (on_file), self, G_CONNECT_SWAPPED);
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 1);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  gtk_widget_add_css_class (GTK_WIDGET (self->choice), "file-choice");
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->choice));
  self->text = add_table (self, ls_table_new ("program-lines", text_columns, G_N_ELEMENTS (text_columns), text_cell,
                                              _("The recording has no program text")), on_line);
  ls_table_set_marked (self->text, is_marked);
  gtk_widget_set_vexpand (GTK_WIDGET (self->text), TRUE);
  g_signal_connect_object (self->text, "row-activated", G_CALLBACK (follow_line), self, G_CONNECT_SWAPPED);
  self->calls = add_table (self, ls_table_new ("program-calls", call_columns, G_N_ELEMENTS (call_columns), call_cell,
                                               _("No call is known for the selection")), on_call);
  gtk_widget_set_size_request (GTK_WIDGET (self->calls), -1, 150);
  self->names = g_object_new (GTK_TYPE_LABEL, "name", "program-names", "selectable", TRUE, "xalign", 0.0, NULL);
  gtk_widget_add_css_class (GTK_WIDGET (self->names), "bound-names");
  self->bound = ls_paragraph_new (self->names);
  gtk_widget_set_visible (self->bound, FALSE);
  gtk_box_append (GTK_BOX (self->box), self->bound);
  g_signal_connect (self, "map", G_CALLBACK (show_selection), NULL);
  GtkGesture *click = gtk_gesture_click_new ();
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (click), GTK_PHASE_CAPTURE);
  g_signal_connect_object (click, "pressed", G_CALLBACK (on_pressed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (click, "released", G_CALLBACK (on_released), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (self->text), GTK_EVENT_CONTROLLER (click));
}
