/* The Program workspace. An error is shown in words above the output, its line is marked over its whole width, and the cursor is put
 * where the message points, so that one can type at once. The mark goes when the text is edited there. */
#include "program-view.h"
#include "kit/class.h"
#include "kit/paragraph.h"
#include "panes/text/completion.h"
#include "panes/text/source-pane.h"
#include "panes/run/statements-pane.h"
#include "kit/text-scroll.h"
#include "kit/text.h"

#include <gtksourceview/gtksource.h>
#include <string.h>

struct _LsProgramView {
  GtkWidget        parent_instance;
  GtkWidget       *box;
  LsStatementsPane *statements;
  GtkSourceView   *view;
  GtkSourceBuffer *buffer;
  GtkWidget       *error_bar;
  GtkCheckButton  *live;
  GtkLabel        *live_note;
  GtkLabel        *error_text;
  LsOutputPane    *output;
  guint            error_line, cursor_line;
  guint            show, frames, in_sight;      /* a tick that scrolls to the cursor's line, its frames so far, and how many of them
                                                 * on end saw it */
  gboolean         setting;
};

G_DEFINE_FINAL_TYPE (LsProgramView, ls_program_view, GTK_TYPE_WIDGET)

void
ls_program_view_set_text (LsProgramView *self, const char *text)
{
  g_autofree char *valid = ls_text_valid (text);
  self->setting = TRUE;
  gtk_source_buffer_set_implicit_trailing_newline (self->buffer, g_str_has_suffix (valid, "\n"));
  gsize len = strlen (valid);
  if (len > 0 && valid[len - 1] == '\n')
    valid[len - 1] = '\0';
  gtk_text_buffer_set_enable_undo (GTK_TEXT_BUFFER (self->buffer), FALSE);
  gtk_text_buffer_set_text (GTK_TEXT_BUFFER (self->buffer), valid, -1);
  gtk_text_buffer_set_enable_undo (GTK_TEXT_BUFFER (self->buffer), TRUE);
  gtk_text_buffer_set_modified (GTK_TEXT_BUFFER (self->buffer), FALSE);
  GtkTextIter start;
  gtk_text_buffer_get_start_iter (GTK_TEXT_BUFFER (self->buffer), &start);
  gtk_text_buffer_place_cursor (GTK_TEXT_BUFFER (self->buffer), &start);
  ls_source_highlight (self->buffer);
  self->setting = FALSE;
  ls_program_view_set_error (self, NULL, 0, 0);
}

char *
ls_program_view_dup_text (LsProgramView *self)
{
  GtkTextIter start, end;
  gtk_text_buffer_get_bounds (GTK_TEXT_BUFFER (self->buffer), &start, &end);
  g_autofree char *text = gtk_text_buffer_get_text (GTK_TEXT_BUFFER (self->buffer), &start, &end, TRUE);
  return g_str_has_suffix (text, "\n") || !*text ? g_steal_pointer (&text) : g_strconcat (text, "\n", NULL);
}

gboolean
ls_program_view_get_modified (LsProgramView *self)
{
  return gtk_text_buffer_get_modified (GTK_TEXT_BUFFER (self->buffer));
}

void
ls_program_view_set_modified (LsProgramView *self, gboolean modified)
{
  gtk_text_buffer_set_modified (GTK_TEXT_BUFFER (self->buffer), modified);
}

LsOutputPane *
ls_program_view_get_output (LsProgramView *self)
{
  return self->output;
}

guint
ls_program_view_get_error_line (LsProgramView *self)
{
  return self->error_line;
}

static void
clear_marks (LsProgramView *self)
{
  GtkTextIter start, end;
  gtk_text_buffer_get_bounds (GTK_TEXT_BUFFER (self->buffer), &start, &end);
  gtk_source_buffer_remove_source_marks (self->buffer, &start, &end, "error");
  self->error_line = 0;
}

#define MOST_FRAMES 120      /* after that the user's own scrolling wins */

/* A line without a height yet is scrolled past: again until it is in sight in two frames on end. From the line's start. */
static gboolean
on_frame (GtkWidget *view, GdkFrameClock *clock, gpointer data)
{
  LsProgramView *self = data;
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
  GtkTextIter at;
  GdkRectangle seen, line;
  if (!gtk_widget_get_mapped (view) || gtk_widget_get_height (view) <= 0)
    return G_SOURCE_CONTINUE;
  gtk_text_buffer_get_iter_at_mark (buffer, &at, gtk_text_buffer_get_insert (buffer));
  gtk_text_iter_set_line_offset (&at, 0);
  gtk_text_view_get_visible_rect (GTK_TEXT_VIEW (view), &seen);
  gtk_text_view_get_iter_location (GTK_TEXT_VIEW (view), &at, &line);
  gboolean in_sight = self->frames > 0 && line.height > 0 && line.y >= seen.y && line.y + line.height <= seen.y + seen.height;
  self->in_sight = in_sight ? self->in_sight + 1 : 0;
  if (!in_sight)
    gtk_text_view_scroll_to_iter (GTK_TEXT_VIEW (view), &at, 0.2, FALSE, 0, 0);
  if (++self->frames < MOST_FRAMES && self->in_sight < 2)
    return G_SOURCE_CONTINUE;
  self->show = 0;
  return G_SOURCE_REMOVE;
}

static void
show_cursor (LsProgramView *self)
{
  self->frames = self->in_sight = 0;
  if (!self->show)
    self->show = gtk_widget_add_tick_callback (GTK_WIDGET (self->view), on_frame, self, NULL);
}

void
ls_program_view_set_error (LsProgramView *self, const char *message, guint line, guint column)
{
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
  clear_marks (self);
  gtk_widget_set_visible (self->error_bar, message != NULL);
  if (!message)
    return;
  g_autofree char *clipped = ls_source_clip_lines (message, 400);
  g_strchomp (clipped);
  gtk_label_set_text (self->error_text, clipped);
  if (line == 0 || (int) line > gtk_text_buffer_get_line_count (buffer))
    return;
  GtkTextIter at;
  gtk_text_buffer_get_iter_at_line (buffer, &at, (int) line - 1);
  gtk_source_buffer_create_source_mark (self->buffer, NULL, "error", &at);
  self->error_line = line;
  for (guint i = 1; i < column && !gtk_text_iter_ends_line (&at); i++)
    gtk_text_iter_forward_char (&at);
  gtk_text_buffer_place_cursor (buffer, &at);
  show_cursor (self);
}

void
ls_program_view_show_line (LsProgramView *self, guint line)
{
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
  GtkTextIter at;
  if (line == 0 || (int) line > gtk_text_buffer_get_line_count (buffer))
    return;
  gtk_text_buffer_get_iter_at_line (buffer, &at, (int) line - 1);
  gtk_text_buffer_place_cursor (buffer, &at);
  show_cursor (self);
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

void
ls_program_view_focus_editor (LsProgramView *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

void
ls_program_view_set_chosen_lines (LsProgramView *self, const GArray *lines)
{
  GtkTextIter start, end;
  gtk_text_buffer_get_bounds (GTK_TEXT_BUFFER (self->buffer), &start, &end);
  gtk_source_buffer_remove_source_marks (self->buffer, &start, &end, "chosen");
  for (guint i = 0; i < lines->len && !ls_program_view_get_modified (self); i++) {
    guint line = g_array_index (lines, guint, i);
    if (line > 0 && gtk_text_buffer_get_iter_at_line (GTK_TEXT_BUFFER (self->buffer), &start, (int) line - 1))
      gtk_source_buffer_create_source_mark (self->buffer, NULL, "chosen", &start);
  }
}

static void
on_cursor (LsProgramView *self)
{
  GtkTextIter at;
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
  gtk_text_buffer_get_iter_at_mark (buffer, &at, gtk_text_buffer_get_insert (buffer));
  guint line = (guint) gtk_text_iter_get_line (&at) + 1;
  gboolean other = line != self->cursor_line;
  self->cursor_line = line;
  if (other && !self->setting && !ls_program_view_get_modified (self) && gtk_widget_has_focus (GTK_WIDGET (self->view))) {
    g_signal_emit_by_name (self, "line-chosen", line);
    ls_statements_pane_show_line (self->statements, line);
  }
}

/* The line of the statement that one has stepped to; not in a text that was edited, as above. */
static void
on_statement (LsProgramView *self, gboolean stepped)
{
  GtkTextIter start, end;
  guint line = ls_statements_pane_get_line (self->statements);
  gtk_text_buffer_get_bounds (GTK_TEXT_BUFFER (self->buffer), &start, &end);
  gtk_source_buffer_remove_source_marks (self->buffer, &start, &end, "statement");
  if (line == 0 || ls_program_view_get_modified (self) || !gtk_text_buffer_get_iter_at_line (GTK_TEXT_BUFFER (self->buffer), &start,
                                                                                             (int) line - 1))
    return;
  gtk_source_buffer_create_source_mark (self->buffer, NULL, "statement", &start);
  if (!stepped)
    return;
  self->setting = TRUE;
  gtk_text_buffer_place_cursor (GTK_TEXT_BUFFER (self->buffer), &start);
  self->setting = FALSE;
  show_cursor (self);
}

void
ls_program_view_set_trace (LsProgramView *self, LsTrace *trace)
{
  ls_statements_pane_set_trace (self->statements, trace);
  ls_output_pane_set_trace (self->output, trace);
  on_statement (self, FALSE);
}

LsStatementsPane *
ls_program_view_get_statements (LsProgramView *self)
{
  return self->statements;
}

gboolean
ls_program_view_get_live (LsProgramView *self)
{
  return gtk_check_button_get_active (self->live);
}

void
ls_program_view_set_live (LsProgramView *self, gboolean live)
{
  gtk_check_button_set_active (self->live, live);
}

void
ls_program_view_set_live_note (LsProgramView *self, const char *note)
{
  gtk_label_set_text (self->live_note, note);
}

static void
on_live (LsProgramView *self)
{
  g_signal_emit_by_name (self, "live-switched");
}

static void
on_modified (LsProgramView *self)
{
  if (!self->setting)
    g_signal_emit_by_name (self, "changed");
}

static void
on_changed (LsProgramView *self)
{
  if (self->setting)
    return;
  GtkTextIter start, end;
  gtk_text_buffer_get_bounds (GTK_TEXT_BUFFER (self->buffer), &start, &end);
  gtk_source_buffer_remove_source_marks (self->buffer, &start, &end, "chosen");
  gtk_source_buffer_remove_source_marks (self->buffer, &start, &end, "statement");
  if (self->error_line)
    clear_marks (self);
  g_signal_emit_by_name (self, "changed");
}

/* A source view with line numbers is never let go in GtkSourceView 5.6: its text is, at least. */
static void
forget_texts (LsProgramView *self)
{
  self->setting = TRUE;
  if (!self->box)
    return;
  gtk_text_buffer_set_text (GTK_TEXT_BUFFER (self->buffer), "", 0);
  ls_output_pane_set_text (self->output, "");
}

static void
ls_program_view_class_init (LsProgramViewClass *class)
{
  LS_USES (GTK_SOURCE_TYPE_VIEW, LS_TYPE_STATEMENTS_PANE, LS_TYPE_OUTPUT_PANE, LS_TYPE_PARAGRAPH);
  LS_UI_BINDS (class, LsProgramView, "program-view", box, view, statements, error_bar, error_text, live, live_note, output);
  LS_CALLBACKS (class, on_statement, on_live);
  ls_class_signal (class, "line-chosen", 1, G_TYPE_UINT);
  ls_class_signal (class, "changed", 0);
  ls_class_signal (class, "live-switched", 0);
  LS_ON_DISPOSE (class, forget_texts);
  LS_OWNS (class, LsProgramView, gtk_widget_unparent, box);
}

static void
ls_program_view_init (LsProgramView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  GtkWidget *scrolled = gtk_widget_get_parent (GTK_WIDGET (self->view));
  /* the editor has the focus first, not the switch below it */
  gtk_widget_set_focus_child (gtk_widget_get_parent (scrolled), scrolled);
  ls_text_scroll_end_when_hidden (GTK_TEXT_VIEW (self->view));
  self->buffer = GTK_SOURCE_BUFFER (gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->view)));
  GtkSourceLanguageManager *manager = gtk_source_language_manager_get_default ();
  GtkSourceLanguage *language = gtk_source_language_manager_get_language (manager, "python3");
  gtk_source_buffer_set_language (self->buffer, language ? language : gtk_source_language_manager_get_language (manager, "python"));
  ls_source_follow_style (GTK_WIDGET (self->view));
  ls_completion_add (self->view);
  g_signal_connect_object (self->buffer, "notify::cursor-position", G_CALLBACK (on_cursor), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->buffer, "changed", G_CALLBACK (on_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->buffer, "modified-changed", G_CALLBACK (on_modified), self, G_CONNECT_SWAPPED);      /* after "changed" */
}
