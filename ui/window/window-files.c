/* The window's files: opening, saving, exporting, and the question before unsaved data is dropped.
 *
 * Disks are waited for elsewhere (disk.h). A program that is being saved stays marked as edited until it is written, and is then
 * compared with the written text: text typed meanwhile is not lost.
 */
#include "window-private.h"
#include "kit/choose-file.h"
#include "kit/disk.h"
#include "kit/text.h"
#include "session/run-program.h"
#include "trace/place.h"

#include <glib/gi18n.h>
#include <string.h>

/* --- open --- */

static void
on_open_chosen (gpointer window, const char *path)
{
  if (path)
    ls_window_open (window, path);
}

static void
act_open (GtkWidget *w, const char *name, GVariant *p)
{
  ls_choose_file (w, _("Open a program or recording"), NULL, on_open_chosen, _("Programs and recordings"), "*.py *.lscope *.runs",
                  _("All files"), "*", NULL);
}

static void
on_add_chosen (gpointer window, const char *path)
{
  if (path)
    ls_window_add_recording (window, path);
}

static void
act_add_recording (GtkWidget *w, const char *name, GVariant *p)
{
  ls_choose_file (w, _("Add a recording to compare"), NULL, on_add_chosen, _("Recordings"), "*.lscope", NULL);
}

/* --- writing --- */

typedef struct { char *path; gpointer content; GDestroyNotify free_content; } Output;

static Output *
output_new (const char *path, gpointer content, GDestroyNotify free_content)
{
  Output *output = g_new (Output, 1);
  *output = (Output) { g_strdup (path), content, free_content };
  return output;
}

static void
output_free (gpointer data)
{
  Output *output = data;
  output->free_content (output->content);
  g_free (output->path);
  g_free (output);
}

static gboolean
write_recording (gpointer data, GError **error)
{
  const Output *output = data;
  return ls_trace_save (output->content, output->path, error);
}

static gboolean
write_picture (gpointer data, GError **error)
{
  const Output *output = data;
  g_autoptr (GBytes) picture = g_str_has_suffix (output->path, ".png") ? ls_graph_png (output->content, error)
                                                                       : ls_graph_svg (output->content, error);
  return picture && g_file_set_contents (output->path, g_bytes_get_data (picture, NULL), (gssize) g_bytes_get_size (picture), error);
}

/* FALSE: the window was closed meanwhile. */
static gboolean
is_there (LsWindow *self)
{
  self->saving--;
  if (!self->closed)
    ls_window_check_idle (self);
  return !self->closed;
}

static void
on_written (GObject *source, GAsyncResult *result, gpointer message)
{
  g_autoptr (GError) error = NULL;
  gboolean ok = ls_disk_done (result, &error);
  if (is_there (LS_WINDOW (source)))
    ls_window_say (LS_WINDOW (source), ok ? message : error->message);
}

/* Takes over content. message: the text shown then, a literal. */
static void
write_out (LsWindow *self, LsDiskWork work, const char *path, gpointer content, GDestroyNotify free_content, const char *message)
{
  self->saving++;
  ls_disk_do (work, output_new (path, content, free_content), output_free, self, on_written, (gpointer) message);
}

/* --- programs --- */

typedef struct { char *path, *text, *former; } Save;      /* destination, text, and the file that was open then */

static void
save_free (Save *save)
{
  g_free (save->path);
  g_free (save->text);
  g_free (save->former);
  g_free (save);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Save, save_free)

static void
on_program_saved (GObject *source, GAsyncResult *result, gpointer data)
{
  LsWindow *self = LS_WINDOW (source);
  g_autoptr (Save) save = data;
  g_autoptr (GError) error = NULL;
  gboolean ok = ls_disk_done (result, &error);
  if (!is_there (self))
    return;
  ls_window_say (self, ok ? _("Saved") : error->message);
  if (!ok) {
    ls_window_forget_question (self);
    return;
  }
  if (g_strcmp0 (self->path, save->former) != 0)      /* another file is open now */
    return;
  g_autofree char *text = ls_program_view_dup_text (self->program);
  ls_text_set (&self->path, save->path);
  g_free (self->name);
  self->name = g_path_get_basename (self->path);
  self->is_recording = FALSE;
  if (g_str_equal (text, save->text))
    ls_program_view_set_modified (self->program, FALSE);
  ls_window_update_title (self);
  if (!ls_program_view_get_modified (self->program))
    ls_window_go_on (self);
}

void
ls_window_save_program (LsWindow *self, const char *path)
{
  Save *save = g_new (Save, 1);
  *save = (Save) { g_strdup (path), ls_program_view_dup_text (self->program), g_strdup (self->path) };
  self->saving++;
  ls_disk_write (path, g_strdup (save->text), FALSE, self, on_program_saved, save);
}

static void
on_save_chosen (gpointer window, const char *path)
{
  if (path)
    ls_window_save_program (window, path);
  else
    ls_window_forget_question (window);
}

/* Examples and the programs of recordings are saved under a name of their own. */
static void
act_save (GtkWidget *w, const char *name, GVariant *p)
{
  LsWindow *self = LS_WINDOW (w);
  g_autofree char *examples = ls_examples_dir ();
  if (self->path && !self->is_recording && !(examples && g_str_has_prefix (self->path, examples))) {
    ls_window_save_program (self, self->path);
    return;
  }
  g_autofree char *suggestion = ls_text_valid (self->name && !self->is_recording && *self->name ? self->name : "program.py");
  ls_choose_file (w, _("Save the program"), suggestion, on_save_chosen, NULL);
}

/* --- recordings and graphs --- */

void
ls_window_save_recording (LsWindow *self, const char *path)
{
  ls_window_say (self, _("Saving the recording…"));
  write_out (self, write_recording, path, ls_trace_ref (ls_view_session_get_trace (self->session)), (GDestroyNotify) ls_trace_unref,
             _("Recording saved"));
}

static void
on_save_recording_chosen (gpointer window, const char *path)
{
  if (path && ls_view_session_get_trace (LS_WINDOW (window)->session))
    ls_window_save_recording (window, path);
}

static void
act_save_recording (GtkWidget *w, const char *name, GVariant *p)
{
  LsWindow *self = LS_WINDOW (w);
  g_autofree char *base = ls_text_valid (self->name && *self->name ? self->name : "program");
  if (g_str_has_suffix (base, ".py"))
    base[strlen (base) - 3] = '\0';
  g_autofree char *suggestion = g_str_has_suffix (base, ".lscope") ? g_strdup (base) : g_strconcat (base, ".lscope", NULL);
  ls_choose_file (w, _("Save the recording"), suggestion, on_save_recording_chosen, NULL);
}

void
ls_window_export_graph (LsWindow *self, const char *path)
{
  LsGraphView *graph = ls_steps_view_get_graph (self->steps);
  gboolean picture = g_str_has_suffix (path, ".svg") || g_str_has_suffix (path, ".png");
  gpointer content = picture ? (gpointer) ls_graph_view_record (graph) : ls_graph_view_to_dot (graph);
  if (!content)
    ls_window_say (self, _("No graph is shown"));
  else if (picture)
    write_out (self, write_picture, path, content, (GDestroyNotify) cairo_surface_destroy, _("Graph saved"));
  else {
    self->saving++;
    ls_disk_write (path, content, FALSE, self, on_written, (gpointer) _("Graph saved"));
  }
}

static void
on_export_chosen (gpointer window, const char *path)
{
  if (path)
    ls_window_export_graph (window, path);
}

static void
act_export_graph (GtkWidget *w, const char *name, GVariant *p)
{
  ls_choose_file (w, _("Export the graph as DOT, SVG or PNG"), "graph.dot", on_export_chosen, NULL);
}

/* --- pages --- */

static void
on_shared (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (LsWindow) self = data;
  g_autofree char *said = NULL;
  g_autoptr (GError) error = NULL;
  gboolean ok = g_subprocess_communicate_utf8_finish (G_SUBPROCESS (source), result, NULL, &said, &error);
  if (!is_there (self))
    return;
  if (ok && g_subprocess_get_successful (G_SUBPROCESS (source))) {
    ls_window_say (self, _("Page written"));
    return;
  }
  g_autofree char *text = g_strstrip (g_utf8_make_valid (said ? said : "", -1));
  ls_window_say (self, error ? error->message : *text ? text : _("lazyscope-cli ended without an answer"));
}

void
ls_window_share (LsWindow *self, const char *path)
{
  LsTrace *trace = ls_view_session_get_trace (self->session);
  const LsPosition at = { trace, ls_view_session_pass (self->session), ls_view_session_get_step (self->session) };
  g_autoptr (GError) error = NULL;
  g_autofree char *cli = ls_find_cli (&error);
  if (!error && (!trace || !trace->path))
    error = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_NOT_FOUND, _("The recording has no file to ask about"));
  const LsWorkspace *workspace = ls_window_get_workspace (self);
  guint base_step;
  int base_pass = ls_view_session_get_base (self->session, &base_step);
  const LsPosition base = { trace, trace && base_pass >= 0 ? trace->passes->pdata[base_pass] : NULL, base_step };
  g_auto (LsPlace) both = LS_PLACE_INIT;
  if (!error && at.pass && ls_window_has_trait (self, LS_SHOWS_POSITION))
    both = ls_place_of (&at, base.pass ? &base : NULL);
  g_autofree char *place = both.at.kernel != LS_PLACE_NONE ? ls_place_print (&both) : NULL;
  gint64 chosen = ls_view_session_get_selection (self->session);
  g_autofree char *node = place && chosen >= 0 && ls_graph_node (ls_view_session_graph (self->session), (guint32) chosen)
                          ? g_strdup_printf ("?node=%u", (guint) chosen) : g_strdup ("");
  g_auto (GStrv) question = !error && workspace && workspace->question
                              ? workspace->question (gtk_stack_get_visible_child (self->workspaces)) : NULL;
  g_autofree char *link = error ? NULL : place ? g_strconcat (trace->path, "#", place, node, NULL) : g_strdup (trace->path);
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_ptr_array_add (argv, cli);
  for (guint i = 0; question && question[i]; i++)
    g_ptr_array_add (argv, question[i]);
  const char *const rest[] = { "--html", path, NULL };      /* and the end */
  if (!question) {
    g_ptr_array_add (argv, (gpointer) "share");
    g_ptr_array_add (argv, link);
  }
  for (guint i = 0; i < G_N_ELEMENTS (rest); i++)
    g_ptr_array_add (argv, (gpointer) rest[i]);
  g_autoptr (GSubprocess) process = error ? NULL : g_subprocess_newv ((const char *const *) argv->pdata,
                                                                      G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_PIPE,
                                                                      &error);
  if (!process) {
    ls_window_say (self, error->message);
    return;
  }
  self->saving++;
  ls_window_say (self, _("Writing the page…"));
  g_subprocess_communicate_utf8_async (process, NULL, NULL, on_shared, g_object_ref (self));
}

static void
on_share_chosen (gpointer window, const char *path)
{
  if (path && ls_view_session_get_trace (LS_WINDOW (window)->session))
    ls_window_share (window, path);
}

static void
act_share (GtkWidget *w, const char *name, GVariant *p)
{
  ls_choose_file (w, _("Share as a Page"), "page.html", on_share_chosen, NULL);
}

/* --- unsaved changes --- */

void
ls_window_forget_question (LsWindow *self)
{
  g_clear_pointer (&self->next, g_free);
}

void
ls_window_go_on (LsWindow *self)
{
  g_autofree char *next = g_steal_pointer (&self->next);
  if (next && *next)
    ls_window_open (self, next);
  else if (next)
    gtk_window_close (GTK_WINDOW (self));
}

static gboolean
go_on_later (gpointer self)
{
  if (!LS_WINDOW (self)->closed)
    ls_window_go_on (self);
  return G_SOURCE_REMOVE;
}

static void
on_question_response (AdwMessageDialog *dialog, const char *response, LsWindow *self)
{
  g_clear_weak_pointer (&self->question);
  if (g_str_equal (response, "save")) {
    gtk_widget_activate_action (GTK_WIDGET (self), "win.save", NULL);
  } else if (g_str_equal (response, "discard")) {
    ls_program_view_set_modified (self->program, FALSE);
    /* the dialog must not outlive its window */
    g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, go_on_later, g_object_ref (self), g_object_unref);
  } else {
    ls_window_forget_question (self);
  }
}

gboolean
ls_window_may_lose (LsWindow *self, const char *next)
{
  if (!ls_program_view_get_modified (self->program))
    return TRUE;
  ls_text_set (&self->next, next);
  if (self->question) {
    gtk_window_present (GTK_WINDOW (self->question));
    return FALSE;
  }
  g_autofree char *name = ls_text_valid (self->name && *self->name ? self->name : "program.py");
  AdwMessageDialog *dialog = ADW_MESSAGE_DIALOG (adw_message_dialog_new (GTK_WINDOW (self), _("Save the changes?"), NULL));
  g_set_weak_pointer (&self->question, GTK_WIDGET (dialog));
  adw_message_dialog_format_body (dialog, _("Unsaved changes to %s will be lost."), name);
  adw_message_dialog_add_responses (dialog, "cancel", _("_Cancel"), "discard", _("_Discard"), "save", _("_Save"), NULL);
  adw_message_dialog_set_response_appearance (dialog, "discard", ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_response_appearance (dialog, "save", ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (dialog, "save");
  adw_message_dialog_set_close_response (dialog, "cancel");
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_question_response), self, 0);
  gtk_window_present (GTK_WINDOW (dialog));
  return FALSE;
}

void
ls_window_install_file_actions (GtkWidgetClass *c)
{
  gtk_widget_class_install_action (c, "win.open", NULL, act_open);
  gtk_widget_class_install_action (c, "win.add-recording", NULL, act_add_recording);
  gtk_widget_class_install_action (c, "win.save", NULL, act_save);
  gtk_widget_class_install_action (c, "win.save-recording", NULL, act_save_recording);
  gtk_widget_class_install_action (c, "win.export-graph", NULL, act_export_graph);
  gtk_widget_class_install_action (c, "win.share", NULL, act_share);
}
