/* A rule's copy and its editor. The text is parsed by the program's own rule parser while typing; the run uses a file, which the command
 * line takes as well. */
#include "rule-editor.h"
#include "kit/choose-file.h"
#include "kit/class.h"
#include "kit/disk.h"
#include "kit/list-keys.h"
#include "kit/paragraph.h"
#include "kit/text.h"
#include "pipeline/pipeline.h"

#include <glib/gi18n.h>
#include <string.h>

#define PARSE_MS 150

struct _LsRuleEditor {
  AdwWindow      parent_instance;
  char          *rule, *path;
  GtkTextView   *view;
  GtkTextBuffer *text;
  GtkTextTag    *wrong;
  GtkLabel      *error;
  GtkWidget     *run, *save, *instead;
  guint          parse;
};

G_DEFINE_FINAL_TYPE (LsRuleEditor, ls_rule_editor, ADW_TYPE_WINDOW)

static char *
dup_text (LsRuleEditor *self)
{
  GtkTextIter from, to;
  gtk_text_buffer_get_bounds (self->text, &from, &to);
  return gtk_text_buffer_get_text (self->text, &from, &to, FALSE);
}

/* --- is it right? --- */

/* "NAME:LINE:COLUMN: …" marks the line. */
static void
mark_line (LsRuleEditor *self, const char *message)
{
  GtkTextIter from, to;
  gtk_text_buffer_get_bounds (self->text, &from, &to);
  gtk_text_buffer_remove_tag (self->text, self->wrong, &from, &to);
  const char *colon = message ? strchr (message, ':') : NULL;
  guint64 line = colon ? g_ascii_strtoull (colon + 1, NULL, 10) : 0;
  if (line == 0 || line > (guint64) gtk_text_buffer_get_line_count (self->text))
    return;
  gtk_text_buffer_get_iter_at_line (self->text, &from, (int) line - 1);
  to = from;
  gtk_text_iter_forward_to_line_end (&to);
  gtk_text_buffer_apply_tag (self->text, self->wrong, &from, &to);
}

static gboolean
on_parse (gpointer data)
{
  LsRuleEditor *self = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = dup_text (self), *name = g_path_get_basename (self->path);
  g_autoptr (LsRuleLibrary) library = ls_rule_library_parse (ls_pipeline_rules (), text, name, &error);
  self->parse = 0;
  g_autofree char *shown = ls_text_valid (error ? error->message : library && ls_rule_library_n_rules (library) == 0
                                          ? _("There is no rule.") : "");
  gtk_label_set_text (self->error, shown);
  mark_line (self, error ? error->message : NULL);
  gtk_widget_set_sensitive (self->run, !*shown);
  gtk_widget_set_sensitive (self->save, !*shown);
  return G_SOURCE_REMOVE;
}

static void
on_changed (LsRuleEditor *self)
{
  gtk_widget_set_sensitive (self->run, FALSE);      /* until it has been parsed */
  g_clear_handle_id (&self->parse, g_source_remove);
  self->parse = g_timeout_add (PARSE_MS, on_parse, self);
}

/* --- to disk --- */

static void
on_written (GObject *source, GAsyncResult *result, gpointer data)
{
  LsRuleEditor *self = LS_RULE_EDITOR (source);
  g_autoptr (GError) error = NULL;
  if (!ls_disk_done (result, &error))
    gtk_label_set_text (self->error, error->message);
  else
    g_signal_emit_by_name (self, "run", self->path, gtk_check_button_get_active (GTK_CHECK_BUTTON (self->instead)) ? self->rule : NULL);
}

static void
on_run (LsRuleEditor *self)
{
  ls_disk_write (self->path, dup_text (self), TRUE, self, on_written, NULL);
}

static void
on_saved (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;
  gtk_label_set_text (LS_RULE_EDITOR (source)->error, ls_disk_done (result, &error) ? "" : error->message);
}

static void
on_save_chosen (gpointer editor, const char *path)
{
  if (path)
    ls_disk_write (path, dup_text (editor), FALSE, editor, on_saved, NULL);
}

static void
on_save (LsRuleEditor *self)
{
  g_autofree char *name = g_path_get_basename (self->path);
  ls_choose_file (self, _("Save the rules"), name, on_save_chosen, NULL);
}

/* Typed text is kept, valid or not. */
static gboolean
ls_rule_editor_close_request (GtkWindow *window)
{
  LsRuleEditor *self = LS_RULE_EDITOR (window);
  if (gtk_text_buffer_get_modified (self->text))
    ls_disk_write (self->path, dup_text (self), TRUE, self, on_saved, NULL);
  return GTK_WINDOW_CLASS (ls_rule_editor_parent_class)->close_request (window);
}

/* --- the window --- */

/* The rule as a file: its sentence, its set, before the built-in ones, under a name of its own. */
static char *
file_of (const LsRule *rule)
{
  g_auto (GStrv) lines = g_strsplit (*rule->sentence ? rule->sentence : _("State the effect of the rule and why it is allowed."),
                                     "\n", -1);
  g_autofree char *sentence = g_strjoinv ("\n# ", lines);
  return g_strconcat ("set ", rule->set, " first\n# ", sentence, "\n", rule->name, "-edited: ", rule->text, "\n", NULL);
}

LsRuleEditor *
ls_rule_editor_new (GtkWindow *parent, const LsRule *rule)
{
  LsRuleEditor *self = g_object_new (LS_TYPE_RULE_EDITOR, "transient-for", parent, "destroy-with-parent", TRUE, NULL);
  g_autofree char *file = g_strdup_printf ("%s-edited.rules", rule->name), *title = g_strdup_printf (_("A Copy of %s"), rule->name);
  g_autofree char *copy = file_of (rule), *kept = NULL;
  g_strdelimit (file, "/", '-');
  self->rule = g_strdup (rule->name);
  self->path = g_build_filename (g_get_user_state_dir (), "lazyscope", "rules", file, NULL);
  g_autofree char *shown = ls_text_valid (title);
  gtk_window_set_title (GTK_WINDOW (self), shown);
  if (!g_file_get_contents (self->path, &kept, NULL, NULL) || !g_utf8_validate (kept, -1, NULL))
    g_clear_pointer (&kept, g_free);
  gtk_text_buffer_set_text (self->text, kept ? kept : copy, -1);
  gtk_text_buffer_set_modified (self->text, FALSE);
  ls_list_keys_install (GTK_WIDGET (self));
  return self;
}

static void
ls_rule_editor_class_init (LsRuleEditorClass *class)
{
  GTK_WINDOW_CLASS (class)->close_request = ls_rule_editor_close_request;
  ls_class_signal (class, "run", 2, G_TYPE_STRING, G_TYPE_STRING);
  LS_USES (LS_TYPE_PARAGRAPH);
  LS_UI_BINDS (class, LsRuleEditor, "rule-editor", view, error, instead, save, run);
  LS_CALLBACKS (class, on_save, on_run);
  gtk_widget_class_add_binding_action (GTK_WIDGET_CLASS (class), GDK_KEY_Escape, 0, "window.close", NULL);
  LS_SOURCES (class, LsRuleEditor, parse);
  LS_KEEPS (class, LsRuleEditor, g_free, rule, path);
}

static void
ls_rule_editor_init (LsRuleEditor *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->text = gtk_text_view_get_buffer (self->view);
  self->wrong = gtk_text_buffer_create_tag (self->text, NULL, "underline", PANGO_UNDERLINE_ERROR, NULL);
  g_signal_connect_object (self->text, "changed", G_CALLBACK (on_changed), self, G_CONNECT_SWAPPED);
}
