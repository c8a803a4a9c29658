/* Runs that are kept in files: saved together and opened again; and noted while the window is open, for a program that ends before it
 * does. */
#include "window-private.h"
#include "kit/choose-file.h"
#include "kit/disk.h"
#include "kit/text.h"
#include "session/runs-file.h"

#include <glib/gi18n.h>
#include <string.h>

#define NOTE_SECONDS 1      /* unsaved typing is at most this old when it is lost */

/* --- noting --- */

/* There is data worth keeping: a run that was made here, several runs, recovered data, or a text that is not stored elsewhere. */
static gboolean
is_worth_keeping (LsWindow *self)
{
  guint n = ls_runs_n (self->runs);
  gboolean worth = n > 1 || self->is_recovered || ls_program_view_get_modified (self->program);
  for (guint i = 0; i < n && !worth; i++)
    worth = ls_runs_get (self->runs, i)->folder != NULL;
  return worth;
}

static gboolean
note (gpointer data)
{
  LsWindow *self = data;
  if (self->loading)      /* data there has not arrived here yet */
    return G_SOURCE_CONTINUE;
  self->noting = 0;
  g_autofree char *path = is_worth_keeping (self) ? ls_recovery_path (self->recovery) : NULL;
  if (!path) {
    ls_recovery_forget (self->recovery);
    return G_SOURCE_REMOVE;
  }
  guint n = ls_runs_n (self->runs);
  g_autofree const char **recordings = g_new0 (const char *, n + 1);
  for (guint i = 0; i < n; i++) {
    const char *recording = ls_runs_get (self->runs, i)->trace->path;
    recordings[i] = recording ? recording : "";
  }
  g_autofree char *typed = ls_program_view_get_modified (self->program) ? ls_program_view_dup_text (self->program) : NULL;
  ls_disk_write (path, ls_runs_file_print (self->runs, recordings, self->path, typed), FALSE, NULL, NULL, NULL);
  return G_SOURCE_REMOVE;
}

static void
note_soon (LsWindow *self)
{
  if (!self->noting && self->recovery)
    self->noting = g_timeout_add_seconds (NOTE_SECONDS, note, self);
}

void
ls_window_init_saved_runs (LsWindow *self)
{
  self->recovery = ls_recovery_new ();
  g_signal_connect_object (self->runs, "changed", G_CALLBACK (note_soon), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->program, "changed", G_CALLBACK (note_soon), self, G_CONNECT_SWAPPED);
}

static gboolean
free_recovery (gpointer recovery, GError **error)
{
  ls_recovery_free (recovery);
  return TRUE;
}

/* After earlier pending writes there. */
static void
drop_recovery (LsWindow *self, LsRecovery *next)
{
  LsRecovery *recovery = self->recovery;
  self->recovery = next;
  g_clear_handle_id (&self->noting, g_source_remove);
  if (recovery)
    ls_disk_do (free_recovery, recovery, NULL, NULL, NULL, NULL);
}

void
ls_window_clear_saved_runs (LsWindow *self)
{
  drop_recovery (self, NULL);
}

/* --- opening --- */

static void
take_runs (LsWindow *self, LsRunsFile *file)
{
  gsize n, n_measured;
  g_autofree gpointer *runs = g_ptr_array_steal (file->runs, &n), *measured = g_ptr_array_steal (file->measured, &n_measured);
  guint numbers[LS_RUNS_MOST];
  self->taking = TRUE;
  for (gsize i = 0; i < n; i++) {
    g_autofree LsRun *run = runs[i];
    ls_runs_take (self->runs, run);
    numbers[i] = ls_runs_current (self->runs)->number;
  }
  for (gsize i = 0; i < n_measured; i++) {
    LsMeasuredRuns *m = measured[i];
    for (guint k = 0; k < m->runs->len; k++)
      g_array_index (m->runs, guint, k) = numbers[g_array_index (m->runs, guint, k) - 1];
    ls_runs_take_measured (self->runs, m);
  }
  self->taking = FALSE;
  if (n)
    ls_runs_show (self->runs, ls_runs_index (self->runs, numbers[file->shown]));
}

static void
on_read (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (LsWindow) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (LsRunsFile) file = ls_runs_file_load_finish (result, &error);
  self->loading--;
  if (self->closed)
    return;
  if (!file) {
    if (self->is_recovered)
      ls_recovery_leave (g_steal_pointer (&self->recovery));
    self->recovery = self->recovery ? self->recovery : ls_recovery_new ();
    ls_window_show_failure (self, error->message);
    ls_window_check_idle (self);
    return;
  }
  if (self->is_recovered && file->program) {      /* a foreign file's statement about its origin does not make its program trusted */
    ls_text_set (&self->path, file->program);
    g_free (self->name);
    self->name = g_path_get_basename (self->path);
    self->is_recording = g_str_has_suffix (self->name, ".lscope") || g_str_has_suffix (self->name, LS_RUNS_SUFFIX);
  }
  take_runs (self, file);
  const LsRun *run = ls_runs_current (self->runs);
  if (run) {
    ls_program_view_set_text (self->program, run->text ? run->text : "");
    ls_program_view_set_modified (self->program, run->edited);
    ls_window_show_run (self);
  }
  if (file->typed) {
    ls_program_view_set_text (self->program, file->typed);
    ls_program_view_set_modified (self->program, TRUE);
  }
  gboolean steps = run && run->trace->passes->len > 0;
  ls_window_show_workspace (self, ls_runs_n (self->runs) > 1 ? LS_WORKSPACE_COMPARE : steps ? LS_WORKSPACE_STEPS : LS_WORKSPACE_PROGRAM);
  if (file->unread) {
    g_autofree char *said = g_strdup_printf (ngettext ("A run could not be read: %s", "Runs could not be read, the first of them %s",
                                                       file->n_unread), file->unread), *cut = ls_text_cut (said, 200);
    ls_window_say (self, cut);
  }
  ls_window_check_idle (self);
}

void
ls_window_load_runs (LsWindow *self, const char *path)
{
  self->is_recording = TRUE;
  ls_runs_file_load_async (path, on_read, g_object_ref (self));
}

void
ls_window_open_recovered (LsWindow *self, const char *folder)
{
  if (self->running || self->loading || ls_runs_n (self->runs) || ls_program_view_get_modified (self->program)) {
    GtkWindow *other = GTK_WINDOW (ls_window_new (gtk_window_get_application (GTK_WINDOW (self))));
    gtk_window_present (other);
    ls_window_open_recovered (LS_WINDOW (other), folder);
    return;
  }
  LsRecovery *recovery = ls_recovery_take (folder);
  if (!recovery) {
    ls_window_say (self, _("These runs were opened in another window or deleted"));
    ls_start_page_refresh (self->start);
    return;
  }
  drop_recovery (self, recovery);
  g_autofree char *path = ls_recovery_path (recovery);
  ls_window_open (self, path);
  self->is_recovered = TRUE;
}

/* --- saving --- */

static void
on_saved (GObject *source, GAsyncResult *result, gpointer data)
{
  LsWindow *self = LS_WINDOW (source);
  g_autoptr (GError) error = NULL;
  gboolean ok = ls_disk_done (result, &error);
  self->saving--;
  if (!self->session)
    return;
  ls_window_say (self, ok ? _("Runs saved") : error->message);
  ls_window_check_idle (self);
}

void
ls_window_save_runs (LsWindow *self, const char *path)
{
  g_autofree char *name = ls_window_dup_program_name (self);
  self->saving++;
  ls_window_say (self, _("Saving the runs…"));
  ls_runs_file_save (self->runs, path, name, self, on_saved, NULL);
}

static void
on_save_chosen (gpointer window, const char *path)
{
  g_autofree char *whole = !path || g_str_has_suffix (path, LS_RUNS_SUFFIX) ? g_strdup (path) : g_strconcat (path, LS_RUNS_SUFFIX, NULL);
  if (whole)
    ls_window_save_runs (window, whole);
}

static void
act_save_runs (GtkWidget *w, const char *name, GVariant *p)
{
  g_autofree char *program = ls_window_dup_program_name (LS_WINDOW (w)), *valid = ls_text_valid (program);
  if (g_str_has_suffix (valid, ".py"))
    valid[strlen (valid) - 3] = '\0';
  g_autofree char *suggestion = g_strconcat (valid, LS_RUNS_SUFFIX, NULL);
  ls_choose_file (w, _("Save All Runs: a File, with Their Recordings Next to It"), suggestion, on_save_chosen, NULL);
}

void
ls_window_install_saved_run_actions (GtkWidgetClass *c)
{
  gtk_widget_class_install_action (c, "win.save-runs", NULL, act_save_runs);
}
