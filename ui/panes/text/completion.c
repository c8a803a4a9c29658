#include "completion.h"
#include "kit/class.h"
#include "kit/text.h"
#include "session/run-program.h"

#include <glib/gi18n.h>
#include <string.h>

#define MOST_DOC 60      /* bytes next to a name; all of it is in the details */

/* --- a method --- */

#define METHOD_TYPE (method_get_type ())
G_DECLARE_FINAL_TYPE (Method, method, LS_COMPLETION, METHOD, GObject)
struct _Method { GObject parent_instance; char *name, *doc; };
G_DEFINE_FINAL_TYPE_WITH_CODE (Method, method, G_TYPE_OBJECT, G_IMPLEMENT_INTERFACE (GTK_SOURCE_TYPE_COMPLETION_PROPOSAL, NULL))

static void method_class_init (MethodClass *class) { LS_KEEPS (class, Method, g_free, name, doc); }
static void method_init (Method *self) { }

/* --- all of them --- */

#define METHODS_TYPE (methods_get_type ())
G_DECLARE_FINAL_TYPE (Methods, methods, LS_COMPLETION, METHODS, GObject)
struct _Methods {
  GObject     parent_instance;
  GListStore *all;
  char       *word;      /* that is being typed */
  gboolean    asked;
};

static void provider_init (GtkSourceCompletionProviderInterface *iface);
G_DEFINE_FINAL_TYPE_WITH_CODE (Methods, methods, G_TYPE_OBJECT, G_IMPLEMENT_INTERFACE (GTK_SOURCE_TYPE_COMPLETION_PROVIDER, provider_init))

static gboolean
fits (gpointer item, gpointer word)
{
  return g_str_has_prefix (LS_COMPLETION_METHOD (item)->name, word);
}

static gboolean
fits_word (gpointer item, gpointer self)
{
  return fits (item, LS_COMPLETION_METHODS (self)->word);
}

/* Takes the output of lazyscope-cli doc: a line each, "name sentence". */
static void
take (Methods *self, const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i]; i++) {
    gsize n = strcspn (lines[i], " ");
    if (n == 0)
      continue;
    g_autoptr (Method) method = g_object_new (METHOD_TYPE, NULL);
    method->name = g_strndup (lines[i], n);
    method->doc = g_utf8_make_valid (lines[i] + n + strspn (lines[i] + n, " "), -1);
    g_list_store_append (self->all, method);
  }
}

static void
on_said (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (Methods) self = data;
  g_autofree char *out = NULL;
  if (g_subprocess_communicate_utf8_finish (G_SUBPROCESS (source), result, &out, NULL, NULL) && out)
    take (self, out);
}

/* Without it one types all letters. */
static void
ask (Methods *self)
{
  g_autofree char *cli = self->asked ? NULL : ls_find_cli (NULL);
  self->asked = TRUE;
  g_autoptr (GSubprocess) process = cli ? g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_SILENCE, NULL, cli,
                                                            "doc", NULL) : NULL;
  if (process)
    g_subprocess_communicate_utf8_async (process, NULL, NULL, on_said, g_object_ref (self));
}

static void
methods_class_init (MethodsClass *class)
{
  LS_KEEPS (class, Methods, g_object_unref, all);
  LS_KEEPS (class, Methods, g_free, word);
}

static void
methods_init (Methods *self)
{
  self->all = g_list_store_new (METHOD_TYPE);
  self->word = g_strdup ("");
}

/* --- as GtkSourceView asks for them --- */

static char *
get_title (GtkSourceCompletionProvider *provider)
{
  return g_strdup (_("Tensor methods"));
}

static gboolean
is_trigger (GtkSourceCompletionProvider *provider, const GtkTextIter *iter, gunichar c)
{
  return c == '.';
}

static void
read_word (Methods *self, GtkSourceCompletionContext *context)
{
  g_free (self->word);
  self->word = gtk_source_completion_context_get_word (context);
}

static gboolean
is_after_dot (GtkSourceCompletionContext *context)
{
  GtkTextIter begin, end;
  gtk_source_completion_context_get_bounds (context, &begin, &end);
  return gtk_text_iter_backward_char (&begin) && gtk_text_iter_get_char (&begin) == '.';
}

static GListModel *
populate (GtkSourceCompletionProvider *provider, GtkSourceCompletionContext *context, GError **error)
{
  Methods *self = LS_COMPLETION_METHODS (provider);
  if (!is_after_dot (context)) {
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "");      /* not shown */
    return NULL;
  }
  read_word (self, context);
  return G_LIST_MODEL (gtk_filter_list_model_new (G_LIST_MODEL (g_object_ref (self->all)),
                                                  GTK_FILTER (gtk_custom_filter_new (fits_word, self, NULL))));
}

static void
refilter (GtkSourceCompletionProvider *provider, GtkSourceCompletionContext *context, GListModel *model)
{
  read_word (LS_COMPLETION_METHODS (provider), context);
  gtk_filter_changed (gtk_filter_list_model_get_filter (GTK_FILTER_LIST_MODEL (model)), GTK_FILTER_CHANGE_DIFFERENT);
}

static void
display (GtkSourceCompletionProvider *provider, GtkSourceCompletionContext *context, GtkSourceCompletionProposal *proposal,
         GtkSourceCompletionCell *cell)
{
  const Method *method = LS_COMPLETION_METHOD (proposal);
  switch (gtk_source_completion_cell_get_column (cell)) {
  case GTK_SOURCE_COMPLETION_COLUMN_TYPED_TEXT:
    gtk_source_completion_cell_set_text (cell, method->name);
    break;
  case GTK_SOURCE_COMPLETION_COLUMN_AFTER: {
    g_autofree char *doc = ls_text_cut (method->doc, MOST_DOC);
    gtk_source_completion_cell_set_text (cell, doc);
    break;
  }
  case GTK_SOURCE_COMPLETION_COLUMN_DETAILS:
    gtk_source_completion_cell_set_text (cell, method->doc);
    break;
  default:
    gtk_source_completion_cell_set_text (cell, NULL);
  }
}

static void
activate (GtkSourceCompletionProvider *provider, GtkSourceCompletionContext *context, GtkSourceCompletionProposal *proposal)
{
  GtkTextIter begin, end;
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (gtk_source_completion_context_get_buffer (context));
  gtk_source_completion_context_get_bounds (context, &begin, &end);
  gtk_text_buffer_begin_user_action (buffer);
  gtk_text_buffer_delete (buffer, &begin, &end);
  gtk_text_buffer_insert (buffer, &begin, LS_COMPLETION_METHOD (proposal)->name, -1);
  gtk_text_buffer_end_user_action (buffer);
}

static void
provider_init (GtkSourceCompletionProviderInterface *iface)
{
  iface->get_title = get_title;
  iface->is_trigger = is_trigger;
  iface->populate = populate;
  iface->refilter = refilter;
  iface->display = display;
  iface->activate = activate;
}

/* --- the editor --- */

static Methods *
methods_of (GtkSourceView *view)
{
  return g_object_get_data (G_OBJECT (view), "ls-methods");
}

void
ls_completion_add (GtkSourceView *view)
{
  Methods *self = g_object_new (METHODS_TYPE, NULL);
  g_object_set_data_full (G_OBJECT (view), "ls-methods", self, g_object_unref);
  gtk_source_completion_add_provider (gtk_source_view_get_completion (view), GTK_SOURCE_COMPLETION_PROVIDER (self));
  GtkEventController *focus = gtk_event_controller_focus_new ();
  g_signal_connect_object (focus, "enter", G_CALLBACK (ask), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (view), focus);
}

guint
ls_completion_n_methods (GtkSourceView *view)
{
  return g_list_model_get_n_items (G_LIST_MODEL (methods_of (view)->all));
}

char **
ls_completion_names (GtkSourceView *view, const char *begin)
{
  g_autoptr (GStrvBuilder) out = g_strv_builder_new ();
  for (guint i = 0; i < ls_completion_n_methods (view); i++) {
    g_autoptr (Method) method = g_list_model_get_item (G_LIST_MODEL (methods_of (view)->all), i);
    if (fits (method, (gpointer) begin))
      g_strv_builder_add (out, method->name);
  }
  return g_strv_builder_end (out);
}
