/* The window's files: what is opened, saved and exported, and what is not let go before the user has said so.
 *
 * Disks are waited for elsewhere (disk.h). A program that is being saved stays marked as edited until it is written, and is compared with what was
 * written then: who types on meanwhile loses nothing.
 */
#include "window-private.h"
#include "disk.h"
#include "run-program.h"
#include "state.h"
#include "text.h"

#include <glib/gi18n.h>
#include <string.h>

static GtkFileChooserNative *
new_chooser (LsWindow *self, const char *title, GtkFileChooserAction action)
{
  GtkFileChooserNative *chooser = gtk_file_chooser_native_new (title, GTK_WINDOW (self), action, NULL, NULL);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (chooser), TRUE);
  return chooser;
}

static char *
chosen_path (GtkNativeDialog *dialog, int response)
{
  g_autoptr (GFile) file = response == GTK_RESPONSE_ACCEPT ? gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog)) : NULL;
  return file ? g_file_get_path (file) : NULL;
}

/* --- open --- */

static void
on_open_response (GtkNativeDialog *dialog, int response, LsWindow *self)
{
  g_autofree char *path = chosen_path (dialog, response);
  if (path)
    ls_window_open (self, path);
  g_object_unref (dialog);
}

static void
act_open (GtkWidget *w, const char *name, GVariant *p)
{
  GtkFileChooserNative *chooser = new_chooser (LS_WINDOW (w), _("Open a program or recording"), GTK_FILE_CHOOSER_ACTION_OPEN);
  struct { const char *name, *patterns[3]; } filters[] = {
    { _("Programs and recordings"), { "*.py", "*.lscope" } }, { _("All files"), { "*" } },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (filters); i++) {
    g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();
    gtk_file_filter_set_name (filter, filters[i].name);
    for (guint k = 0; filters[i].patterns[k]; k++)
      gtk_file_filter_add_pattern (filter, filters[i].patterns[k]);
    gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (chooser), filter);
  }
  g_signal_connect_object (chooser, "response", G_CALLBACK (on_open_response), w, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (chooser));
}

/* --- saving --- */

typedef struct { char *path, *text, *former; } Save;      /* where to, what, and what was open then */

static void
save_free (Save *save)
{
  g_free (save->path);
  g_free (save->text);
  g_free (save->former);
  g_free (save);
}

/* FALSE: the window was closed meanwhile. */
static gboolean
is_there (LsWindow *self)
{
  self->saving--;
  if (self->session)
    ls_window_check_idle (self);
  return self->session != NULL;
}

static void
on_program_saved (GObject *source, GAsyncResult *result, gpointer data)
{
  LsWindow *self = LS_WINDOW (source);
  Save *save = data;
  g_autoptr (GError) error = NULL;
  gboolean same = g_strcmp0 (self->path, save->former) == 0;
  gboolean ok = ls_disk_write_finish (result, &error);
  if (!is_there (self)) {
    save_free (save);
    return;
  }
  if (!ok) {
    ls_window_say (self, error->message);
    ls_window_forget_question (self);
  } else {
    g_autofree char *text = ls_program_view_dup_text (self->program);
    if (same) {
      g_free (self->path);
      self->path = g_strdup (save->path);
      g_free (self->name);
      self->name = g_path_get_basename (self->path);
      self->is_recording = FALSE;
      if (g_str_equal (text, save->text))
        ls_program_view_set_modified (self->program, FALSE);
      ls_window_update_title (self);
    }
    ls_window_say (self, _("Saved"));
    if (same && !ls_program_view_get_modified (self->program))
      ls_window_go_on (self);
  }
  save_free (save);
}

void
ls_window_save_program (LsWindow *self, const char *path)
{
  Save *save = g_new (Save, 1);
  *save = (Save) { g_strdup (path), ls_program_view_dup_text (self->program), g_strdup (self->path) };
  g_autoptr (GBytes) content = g_bytes_new (save->text, strlen (save->text));
  self->saving++;
  ls_disk_write_async (path, content, G_OBJECT (self), on_program_saved, save);
}

static void
on_save_response (GtkNativeDialog *dialog, int response, LsWindow *self)
{
  g_autofree char *path = chosen_path (dialog, response);
  if (path)
    ls_window_save_program (self, path);
  else
    ls_window_forget_question (self);
  g_object_unref (dialog);
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
  GtkFileChooserNative *chooser = new_chooser (self, _("Save the program"), GTK_FILE_CHOOSER_ACTION_SAVE);
  g_autofree char *suggestion = ls_text_valid (self->name && !self->is_recording && *self->name ? self->name : "program.py");
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (chooser), suggestion);
  g_signal_connect_object (chooser, "response", G_CALLBACK (on_save_response), w, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (chooser));
}

typedef struct { LsTraceSave *save; char *path; } SaveRecording;

static void
save_recording_free (gpointer data)
{
  SaveRecording *s = data;
  ls_trace_save_free (s->save);
  g_free (s->path);
  g_free (s);
}

static void
write_recording (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const SaveRecording *s = data;
  GError *error = NULL;
  if (ls_trace_save_write (s->save, s->path, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
on_recording_saved (GObject *source, GAsyncResult *result, gpointer data)
{
  LsWindow *self = LS_WINDOW (source);
  g_autoptr (GError) error = NULL;
  gboolean ok = g_task_propagate_boolean (G_TASK (result), &error);
  if (is_there (self))
    ls_window_say (self, ok ? _("Recording saved") : error->message);
}

void
ls_window_save_recording (LsWindow *self, const char *path)
{
  SaveRecording *s = g_new (SaveRecording, 1);
  *s = (SaveRecording) { ls_trace_save_begin (ls_view_session_get_trace (self->session)), g_strdup (path) };
  GTask *task = g_task_new (self, NULL, on_recording_saved, NULL);
  g_task_set_task_data (task, s, save_recording_free);
  self->saving++;
  ls_window_say (self, _("Saving the recording…"));
  ls_disk_do (task, write_recording);
}

static void
on_save_recording_response (GtkNativeDialog *dialog, int response, LsWindow *self)
{
  g_autofree char *path = chosen_path (dialog, response);
  if (path && ls_view_session_get_trace (self->session))
    ls_window_save_recording (self, path);
  g_object_unref (dialog);
}

static void
act_save_recording (GtkWidget *w, const char *name, GVariant *p)
{
  LsWindow *self = LS_WINDOW (w);
  GtkFileChooserNative *chooser = new_chooser (self, _("Save the recording"), GTK_FILE_CHOOSER_ACTION_SAVE);
  g_autofree char *base = ls_text_valid (self->name && *self->name ? self->name : "program");
  if (g_str_has_suffix (base, ".py"))
    base[strlen (base) - 3] = '\0';
  g_autofree char *suggestion = g_str_has_suffix (base, ".lscope") ? g_strdup (base) : g_strconcat (base, ".lscope", NULL);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (chooser), suggestion);
  g_signal_connect_object (chooser, "response", G_CALLBACK (on_save_recording_response), w, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (chooser));
}

static void
on_graph_saved (GObject *source, GAsyncResult *result, gpointer data)
{
  LsWindow *self = LS_WINDOW (source);
  g_autoptr (GError) error = NULL;
  gboolean ok = ls_disk_write_finish (result, &error);
  if (is_there (self))
    ls_window_say (self, ok ? _("Graph saved") : error->message);
}

typedef struct { char *path; cairo_surface_t *picture; } Picture;

static void
picture_free (gpointer data)
{
  Picture *picture = data;
  cairo_surface_destroy (picture->picture);
  g_free (picture->path);
  g_free (picture);
}

static void
write_picture (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Picture *picture = data;
  GError *error = NULL;
  g_autoptr (GBytes) content = ls_graph_svg (picture->picture, &error);
  if (content && g_file_set_contents (picture->path, g_bytes_get_data (content, NULL), (gssize) g_bytes_get_size (content), &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

void
ls_window_export_graph (LsWindow *self, const char *path)
{
  LsGraphView *graph = ls_steps_view_get_graph (self->steps);
  gboolean svg = g_str_has_suffix (path, ".svg");
  cairo_surface_t *recorded = svg ? ls_graph_view_record (graph) : NULL;
  g_autofree char *dot = svg ? NULL : ls_graph_view_to_dot (graph);
  if (!recorded && !dot) {
    ls_window_say (self, _("No graph is shown"));
    return;
  }
  self->saving++;
  if (dot) {
    g_autoptr (GBytes) content = g_bytes_new (dot, strlen (dot));
    ls_disk_write_async (path, content, G_OBJECT (self), on_graph_saved, NULL);
    return;
  }
  Picture *picture = g_new (Picture, 1);
  *picture = (Picture) { g_strdup (path), recorded };
  GTask *task = g_task_new (self, NULL, on_graph_saved, NULL);
  g_task_set_task_data (task, picture, picture_free);
  ls_disk_do (task, write_picture);
}

static void
on_export_response (GtkNativeDialog *dialog, int response, LsWindow *self)
{
  g_autofree char *path = chosen_path (dialog, response);
  if (path)
    ls_window_export_graph (self, path);
  g_object_unref (dialog);
}

static void
act_export_graph (GtkWidget *w, const char *name, GVariant *p)
{
  GtkFileChooserNative *chooser = new_chooser (LS_WINDOW (w), _("Export the graph as DOT or SVG"), GTK_FILE_CHOOSER_ACTION_SAVE);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (chooser), "graph.dot");
  g_signal_connect_object (chooser, "response", G_CALLBACK (on_export_response), w, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (chooser));
}

/* --- what was edited --- */

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
  if (LS_WINDOW (self)->session)
    ls_window_go_on (self);
  return G_SOURCE_REMOVE;
}

static void
on_question_response (AdwMessageDialog *dialog, const char *response, LsWindow *self)
{
  self->question = NULL;
  if (g_str_equal (response, "save")) {
    gtk_widget_activate_action (GTK_WIDGET (self), "win.save", NULL);
  } else if (g_str_equal (response, "discard")) {
    ls_program_view_set_modified (self->program, FALSE);
    g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, go_on_later, g_object_ref (self), g_object_unref);      /* the dialog must not outlive its window */
  } else {
    ls_window_forget_question (self);
  }
}

gboolean
ls_window_may_lose (LsWindow *self, const char *next)
{
  if (!ls_program_view_get_modified (self->program))
    return TRUE;
  g_free (self->next);
  self->next = g_strdup (next);
  if (self->question) {
    gtk_window_present (GTK_WINDOW (self->question));
    return FALSE;
  }
  g_autofree char *name = ls_text_valid (self->name && *self->name ? self->name : "program.py");
  self->question = adw_message_dialog_new (GTK_WINDOW (self), _("Save the changes?"), NULL);
  AdwMessageDialog *dialog = ADW_MESSAGE_DIALOG (self->question);
  adw_message_dialog_format_body (dialog, _("What was changed in %s is lost when it is not saved."), name);
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
  gtk_widget_class_install_action (c, "win.save", NULL, act_save);
  gtk_widget_class_install_action (c, "win.save-recording", NULL, act_save_recording);
  gtk_widget_class_install_action (c, "win.export-graph", NULL, act_export_graph);
}
