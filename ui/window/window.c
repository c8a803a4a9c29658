/* The window: pages, title, opening files and running programs. Actions and keys are in window-actions.c.
 *
 * Everything slow happens elsewhere: programs run in a process, recordings are read in a thread, layouts in a helper. One opening or run
 * is under way at a time. "idle" is emitted when there is none; screenshots and tests wait for it.
 */
#include "window-private.h"
#include "kit/class.h"
#include "ir/sentence.h"
#include "kit/accessible.h"
#include "kit/busy.h"
#include "kit/focus.h"
#include "kit/list-keys.h"
#include "session/run-program.h"
#include "session/runs-file.h"
#include "session/steps.h"
#include "kit/state.h"
#include "kit/text.h"
#include "kit/tip.h"

#include <glib/gi18n.h>
#include <string.h>

G_DEFINE_FINAL_TYPE (LsWindow, ls_window, ADW_TYPE_APPLICATION_WINDOW)

const char *
ls_window_get_page (LsWindow *self)
{
  const char *page = gtk_stack_get_visible_child_name (self->pages);
  return g_str_equal (page, "work") ? gtk_stack_get_visible_child_name (self->workspaces) : page;
}

const LsWorkspace *
ls_window_get_workspace (LsWindow *self)
{
  return ls_workspace_find (ls_window_get_page (self));
}

gboolean
ls_window_is_in (LsWindow *self, LsWorkspaceId id)
{
  const LsWorkspace *workspace = ls_window_get_workspace (self);
  return workspace && workspace->id == id;
}

gboolean
ls_window_has_trait (LsWindow *self, LsWorkspaceTraits trait)
{
  const LsWorkspace *workspace = ls_window_get_workspace (self);
  return workspace && (workspace->traits & trait);
}

gboolean
ls_window_is_unused (LsWindow *self)
{
  return !self->running && !self->loading && !self->saving && !ls_window_get_workspace (self);
}

/* --- idle --- */

gboolean
ls_window_is_idle (LsWindow *self)
{
  gboolean busy = self->running || self->loading || self->saving || ls_view_session_get_busy (self->session) ||
                  ls_stepping_get_busy (self->stepping) || ls_asking_get_busy (self->asking);
  for (guint i = 0; i < ls_n_workspaces && !busy; i++)
    busy = ls_busy_get (gtk_stack_get_child_by_name (self->workspaces, ls_workspaces[i].name));
  return !busy;
}

static gboolean
on_idle_check (gpointer data)
{
  LsWindow *self = data;
  self->idle_check = 0;
  if (ls_window_is_idle (self))
    g_signal_emit_by_name (self, "idle");
  return G_SOURCE_REMOVE;
}

void
ls_window_check_idle (LsWindow *self)
{
  /* after whatever else the main loop still has to do */
  if (!self->idle_check && ls_window_is_idle (self))
    self->idle_check = g_idle_add_full (G_PRIORITY_LOW + 10, on_idle_check, self, NULL);
}

/* --- title --- */

void
ls_window_say (LsWindow *self, const char *text)
{
  g_autofree char *shown = ls_sentence_shown (text);      /* it may be an error of the engine */
  ls_notices_say (self->notices, shown);
}

void
ls_window_update_title (LsWindow *self)
{
  const LsPass *pass = ls_view_session_pass (self->session);
  g_autofree char *subtitle = NULL, *name = ls_text_valid (self->name);
  if (ls_window_has_trait (self, LS_SHOWS_POSITION) && pass) {
    LsKernel *kernel = pass->kernel ? ls_view_session_kernel (self->session) : NULL;
    g_autofree char *cut = kernel ? ls_text_cut (kernel->name, 32) : NULL,
                    *kernel_name = kernel ? g_strdup_printf (_("kernel %u %s"), kernel->number, cut) : g_strdup (_("tensors"));
    g_autofree char *pass_name = ls_text_valid (pass->name);
    guint n = ls_pass_n_steps (pass);
    LsSteps steps = ls_steps_of (ls_view_session_get_trace (self->session), pass);
    if (ls_steps_are_statements (steps))
      subtitle = g_strdup_printf (_("%s › statement %u of %u"), kernel_name, pass->index + 1, ls_steps_n (steps));
    else if (n > 0)
      subtitle = g_strdup_printf (_("%s › %s › step %u of %u"), kernel_name, pass_name, ls_view_session_get_step (self->session), n);
    else
      subtitle = g_strdup_printf ("%s › %s", kernel_name, pass_name);
  }
  if (self->running) {
    ls_text_set (&subtitle, _("running…"));
  }
  g_autofree char *shown = ls_program_view_get_modified (self->program) ? g_strdup_printf ("• %s", name)
                                                                        : g_strdup (*name ? name : _("Lazyscope"));
  adw_window_title_set_title (self->title, shown);
  adw_window_title_set_subtitle (self->title, subtitle ? subtitle : "");
  g_autofree char *window_title = *name ? g_strdup_printf (_("%s — Lazyscope"), name) : g_strdup (_("Lazyscope"));
  gtk_window_set_title (GTK_WINDOW (self), window_title);
}

/* Only if it is the visible one: a page that is fading out may still be drawn, and must keep its parts. */
static void
show_workspace (LsWindow *self)
{
  const LsWorkspace *workspace = ls_window_get_workspace (self);
  if (workspace && workspace->show)
    workspace->show (gtk_stack_get_visible_child (self->workspaces), self->session);
}

void
ls_window_show_workspace (LsWindow *self, LsWorkspaceId id)
{
  ls_window_show_page (self, ls_workspaces[id].name);
}

void
ls_window_show_page (LsWindow *self, const char *page)
{
  gboolean work = ls_workspace_find (page) != NULL;
  if (work)
    gtk_stack_set_visible_child_name (self->workspaces, page);
  gtk_stack_set_visible_child_name (self->pages, work ? "work" : page);
  /* on a page that is not shown it would have the frame clock run as well */
  gtk_spinner_set_spinning (self->busy_spinner, g_str_equal (page, "busy"));
  show_workspace (self);
  ls_window_update_actions (self);
  ls_window_update_title (self);
}

static void
show_failure_of (LsWindow *self, const char *title, const char *message)
{
  g_autofree char *valid = ls_text_valid (message);
  g_autofree char *description = g_markup_escape_text (valid, -1);
  g_autofree char *safe_title = g_markup_escape_text (title, -1);
  adw_status_page_set_title (self->failed, safe_title);
  adw_status_page_set_description (self->failed, description);
  ls_window_show_page (self, "failed");
}

void
ls_window_show_failure (LsWindow *self, const char *message)
{
  g_autofree char *name = ls_text_valid (self->name);
  g_autofree char *title = g_strdup_printf (_("%s cannot be opened"), name);
  g_autofree char *shown = ls_sentence_shown (message);
  show_failure_of (self, title, shown);
}

/* --- showing a recording --- */

void
ls_window_go_to_position (LsWindow *self)
{
  g_auto (LsPlace) place = LS_PLACE_INIT;
  LsPosition at;
  LsTrace *trace = ls_view_session_get_trace (self->session);
  g_autoptr (GError) error = NULL;
  if (self->position && trace && ls_place_parse (self->position, &place, &error) && ls_place_resolve (&place.at, trace, &at, &error))
    ls_view_session_go_place (self->session, &place);
  if (error)
    ls_window_say (self, error->message);
  g_clear_pointer (&self->position, g_free);
}

static void
on_program_line (LsWindow *self, guint line)
{
  ls_view_session_select_program (self->session, 0, line);
}

static void
show_chosen_lines (LsWindow *self)
{
  ls_program_view_set_chosen_lines (self->program, ls_view_session_program_lines (self->session));
}

void
ls_window_focus_graph (LsWindow *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (ls_steps_view_get_graph (self->steps)));
}

static void
on_recording_read (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (LsWindow) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (LsTrace) trace = ls_load_trace_finish (result, &error);
  self->loading--;
  if (self->closed)
    return;
  if (!trace) {
    ls_window_show_failure (self, error->message);
    ls_window_check_idle (self);
    return;
  }
  ls_view_session_set_trace (self->session, trace);
  LsRun run = { .options = ls_run_options_copy (NULL), .trace = ls_trace_ref (trace), .text = g_strdup (trace->program_text),
                .std_out = g_strdup (trace->std_out), .file = g_strdup (self->path) };
  ls_runs_take (self->runs, &run);
  ls_program_view_set_text (self->program, trace->program_text ? trace->program_text : "");
  ls_output_pane_set_text (ls_program_view_get_output (self->program), trace->std_out);
  ls_state_add_recent (self->path);
  gboolean linked = self->position && trace->passes->len > 0;      /* a link into a failed program's recording leads to its steps */
  if (trace->error)
    ls_window_show_program_error (self, trace->error, trace->error_line, trace->error_column);
  if (!trace->error || linked) {
    gboolean program = trace->passes->len == 0 || (self->program_first && !self->position);
    ls_window_show_workspace (self, program ? LS_WORKSPACE_PROGRAM : LS_WORKSPACE_STEPS);
    if (program)
      ls_program_view_focus_editor (self->program);
    else
      ls_window_focus_graph (self);
    self->program_first = FALSE;
    if (!trace->complete)
      ls_window_say (self, _("This recording is incomplete: its run was stopped early"));
  }
  ls_window_go_to_position (self);
  ls_window_check_idle (self);
}

/* --- opening --- */

void
ls_window_show_start (LsWindow *self)
{
  ls_window_show_page (self, "start");
  ls_start_page_refresh (self->start);
  ls_window_check_idle (self);
}

static void
on_program_read (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (LsWindow) self = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  gsize length = 0;
  gboolean read = g_file_load_contents_finish (G_FILE (source), result, &text, &length, NULL, &error);
  self->loading--;
  if (self->closed)      /* nothing would stop its program */
    return;
  if (!read) {
    ls_window_show_failure (self, error->message);
  } else if (length >= 16 && memcmp (text, "SQLite format 3", 16) == 0) {
    self->is_recording = TRUE;
    self->loading++;
    ls_load_trace_async (self->path, on_recording_read, g_object_ref (self));
  } else if (memchr (text, '\0', length)) {
    g_autofree char *name = ls_text_valid (self->name), *title = g_strdup_printf (_("%s is not a program"), name);
    show_failure_of (self, title, _("The file is neither text nor a recording."));
  } else {
    ls_program_view_set_text (self->program, text);
    ls_state_add_recent (self->path);
    ls_window_show_workspace (self, LS_WORKSPACE_STEPS);
    ls_window_run_program (self);
  }
  ls_window_check_idle (self);
}

void
ls_window_open (LsWindow *self, const char *link)
{
  const char *position;
  g_autofree char *path = ls_place_split (link, &position);
  if (self->running || self->loading) {
    ls_window_say (self, _("Wait for the run, or cancel it first"));
    return;
  }
  if (!ls_window_may_lose (self, link))
    return;
  g_free (self->path);
  self->path = g_canonicalize_filename (path, NULL);
  g_free (self->name);
  self->name = g_path_get_basename (self->path);
  ls_text_set (&self->position, position);
  self->is_recording = g_str_has_suffix (self->name, ".lscope");
  self->may_run = self->is_recovered = FALSE;
  ls_steps_view_add_panes (self->steps);
  ls_runs_clear (self->runs);
  ls_run_options_free (self->options);
  self->options = ls_run_options_copy (NULL);
  ls_view_session_set_trace (self->session, NULL);
  ls_program_view_set_text (self->program, "");
  ls_output_pane_set_text (ls_program_view_get_output (self->program), "");
  self->loading++;
  ls_window_show_page (self, "busy");
  if (g_str_has_suffix (self->name, LS_RUNS_SUFFIX)) {
    ls_window_load_runs (self, self->path);
  } else if (self->is_recording) {
    ls_load_trace_async (self->path, on_recording_read, g_object_ref (self));
  } else {
    g_autoptr (GFile) file = g_file_new_for_path (self->path);
    g_file_load_contents_async (file, NULL, on_program_read, g_object_ref (self));
  }
}

/* --- the widget --- */

/* Messages stand at the lower end of the window; in Steps over the texts, not over what a rule matched and changed. */
static gboolean
place_notices (GtkOverlay *overlay, GtkWidget *notices, GdkRectangle *at, LsWindow *self)
{
  int width, height;
  graphene_rect_t room;
  if (!self->steps || !ls_window_is_in (self, LS_WORKSPACE_STEPS) ||
      !gtk_widget_compute_bounds (ls_steps_view_get_texts (self->steps), GTK_WIDGET (overlay), &room))
    return FALSE;
  gtk_widget_measure (notices, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &width, NULL, NULL);
  width = MIN (width, (int) room.size.width);
  gtk_widget_measure (notices, GTK_ORIENTATION_VERTICAL, width, NULL, &height, NULL, NULL);
  *at = (GdkRectangle) { (int) (room.origin.x + (room.size.width - (float) width) / 2),
                         (int) (room.origin.y + room.size.height) - height, width, height };
  return TRUE;
}

static void
on_workspace (LsWindow *self)
{
  show_workspace (self);
  ls_window_update_actions (self);
  ls_window_update_title (self);
}

/* Received before the surface is laid out: widgets that are shown or hidden for a size must not change while sizes are allocated. */
static void
on_surface_size (LsWindow *self)
{
  GdkSurface *surface = gtk_native_get_surface (GTK_NATIVE (self));
  double x, y;
  gtk_native_get_surface_transform (GTK_NATIVE (self), &x, &y);      /* the shadow's width */
  int width = gdk_surface_get_width (surface) - (int) (2 * x), height = gdk_surface_get_height (surface) - (int) (2 * y);
  if (width > 1 && height > 1)
    ls_steps_view_layout (self->steps, width, height, FALSE);
}

static void
ls_window_realize (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (ls_window_parent_class)->realize (widget);
  GdkSurface *surface = gtk_native_get_surface (GTK_NATIVE (widget));
  g_signal_connect_object (surface, "notify::width", G_CALLBACK (on_surface_size), widget, G_CONNECT_SWAPPED);
  g_signal_connect_object (surface, "notify::height", G_CALLBACK (on_surface_size), widget, G_CONNECT_SWAPPED);
}

static gboolean
ls_window_close_request (GtkWindow *window)
{
  LsWindow *self = LS_WINDOW (window);
  if (!ls_window_may_lose (self, ""))
    return TRUE;
  if (self->running)
    g_cancellable_cancel (self->running);
  ls_asking_cancel (self->asking);      /* an answer that is under way holds the window */
  ls_window_remember (self);
  ls_window_clear_saved_runs (self);
  self->closed = TRUE;
  gtk_window_set_focus (window, NULL);      /* see focus.h: all is hidden now */
  return GTK_WINDOW_CLASS (ls_window_parent_class)->close_request (window);
}

static void
ls_window_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  LsWindow *self = LS_WINDOW (object);
  /* asked for while the template is built, too */
  g_value_set_boolean (value, !self->steps || ls_steps_view_get_sidebar (self->steps));
}

static void
ls_window_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  ls_steps_view_set_sidebar (LS_WINDOW (object)->steps, g_value_get_boolean (value));
}

/* "maximized" is set once more after init, to its default. */
static void
ls_window_constructed (GObject *object)
{
  G_OBJECT_CLASS (ls_window_parent_class)->constructed (object);
  ls_window_restore (LS_WINDOW (object));
}

/* The recording goes with the window, even where GTK keeps a widget for longer. */
static void
forget_recording (LsWindow *self)
{
  if (self->session)
    ls_view_session_set_trace (self->session, NULL);
}

static void
forget_question (LsWindow *self)
{
  g_clear_weak_pointer (&self->question);
}

static void
ls_window_class_init (LsWindowClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);
  G_OBJECT_CLASS (class)->constructed = ls_window_constructed;
  G_OBJECT_CLASS (class)->get_property = ls_window_get_property;
  G_OBJECT_CLASS (class)->set_property = ls_window_set_property;
  g_object_class_install_property (G_OBJECT_CLASS (class), 1, g_param_spec_boolean ("sidebar-shown", NULL, NULL, TRUE,
                                                                                    G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS));
  widget_class->realize = ls_window_realize;
  GTK_WINDOW_CLASS (class)->close_request = ls_window_close_request;
  LS_USES (LS_TYPE_NOTICES, LS_TYPE_START_PAGE);
  LS_UI_BINDS (class, LsWindow, "window", title, header, sidebar, run, run_with, runs_button, switcher, run_spinner, busy_spinner, menu,
               notices, pages, workspaces, start, failed, main_menu, bookmarks_menu);
  LS_CALLBACKS (class, ls_window_open, place_notices, ls_window_open_recovered);
  ls_window_install_actions (widget_class);
  ls_class_signal (class, "idle", 0);
  LS_SOURCES (class, LsWindow, idle_check, panes, typing_pause);
  LS_OWNS (class, LsWindow, g_object_unref, running);
  LS_OWNS (class, LsWindow, ls_stepping_free, stepping);
  LS_OWNS (class, LsWindow, ls_asking_free, asking);
  LS_ON_DISPOSE (class, forget_recording);
  LS_OWNS (class, LsWindow, g_object_unref, session);
  LS_ON_DISPOSE (class, ls_window_clear_runs);
  LS_OWNS (class, LsWindow, g_free, path, name, position, next);
  LS_ON_DISPOSE (class, forget_question);
}

/* The window is shown first. */
static gboolean
on_panes (gpointer data)
{
  LsWindow *self = data;
  self->panes = 0;
  ls_steps_view_add_panes (self->steps);
  return G_SOURCE_REMOVE;
}

/* When it is first asked for: it is a hundred widgets. */
static void
make_menu (GtkMenuButton *button, gpointer data)
{
  LsWindow *self = data;
  if (gtk_menu_button_get_popover (button))
    return;
  gtk_menu_button_set_menu_model (button, G_MENU_MODEL (self->main_menu));
  ls_focus_leave_hidden_pages (GTK_WIDGET (gtk_menu_button_get_popover (button)));
}

static void
make_workspaces (LsWindow *self)
{
  for (guint i = 0; i < ls_n_workspaces; i++) {
    GtkWidget *view = g_object_new (ls_workspaces[i].type (), NULL);
    gtk_stack_add_titled (self->workspaces, view, ls_workspaces[i].name, _(ls_workspaces[i].title));
    if (ls_busy_has (view))
      g_signal_connect_object (view, "notify::busy", G_CALLBACK (ls_window_check_idle), self, G_CONNECT_SWAPPED);
  }
  self->program = LS_PROGRAM_VIEW (gtk_stack_get_child_by_name (self->workspaces, ls_workspaces[LS_WORKSPACE_PROGRAM].name));
  self->steps = LS_STEPS_VIEW (gtk_stack_get_child_by_name (self->workspaces, ls_workspaces[LS_WORKSPACE_STEPS].name));
  self->compare = LS_COMPARE_VIEW (gtk_stack_get_child_by_name (self->workspaces, ls_workspaces[LS_WORKSPACE_COMPARE].name));
}

static void
ls_window_init (LsWindow *self)
{
  self->name = g_strdup ("");
  gtk_widget_init_template (GTK_WIDGET (self));
  make_workspaces (self);
  self->session = ls_view_session_new ();
  self->stepping = ls_stepping_new (self);
  self->asking = ls_asking_new (self);
  ls_steps_view_set_session (self->steps, self->session);
  g_signal_connect_object (self->session, "trace-changed", G_CALLBACK (show_workspace), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "position-changed", G_CALLBACK (ls_window_update_title), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "position-changed", G_CALLBACK (ls_window_update_actions), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "selection-changed", G_CALLBACK (ls_window_check_idle), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "selection-changed", G_CALLBACK (show_chosen_lines), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->program, "line-chosen", G_CALLBACK (on_program_line), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->program, "changed", G_CALLBACK (ls_window_update_title), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->workspaces, "notify::visible-child", G_CALLBACK (on_workspace), self, G_CONNECT_SWAPPED);
  gtk_menu_button_set_create_popup_func (GTK_MENU_BUTTON (self->menu), make_menu, self, NULL);
  ls_window_init_runs (self);
  ls_window_init_typing (self);
  ls_window_init_presenting (self);
  ls_window_set_running (self, NULL);
  ls_window_show_page (self, "start");
  ls_accessible_name_all (GTK_WIDGET (self));
  ls_tip_hide_under_menus (GTK_WIDGET (self));
  ls_list_keys_install (GTK_WIDGET (self));
  ls_focus_leave_hidden_pages (GTK_WIDGET (self));
  self->panes = g_idle_add_full (G_PRIORITY_LOW, on_panes, self, NULL);
}

LsWindow *
ls_window_new (GtkApplication *app)
{
  return g_object_new (LS_TYPE_WINDOW, "application", app, NULL);
}
