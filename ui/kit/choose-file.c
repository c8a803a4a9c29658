#include "choose-file.h"

static void
on_response (GtkNativeDialog *dialog, int response, gpointer window)
{
  g_autoptr (GFile) file = response == GTK_RESPONSE_ACCEPT ? gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog)) : NULL;
  g_autofree char *path = file ? g_file_get_path (file) : NULL;
  LsChosen chosen = (LsChosen) g_object_get_data (G_OBJECT (dialog), "ls-chosen");
  chosen (window, path);
  g_object_unref (dialog);
}

void
ls_choose_file (gpointer window, const char *title, const char *suggestion, LsChosen chosen, ...)
{
  GtkFileChooserAction action = suggestion ? GTK_FILE_CHOOSER_ACTION_SAVE : GTK_FILE_CHOOSER_ACTION_OPEN;
  GtkFileChooserNative *chooser = gtk_file_chooser_native_new (title, window, action, NULL, NULL);
  va_list filters;
  va_start (filters, chosen);
  for (const char *name; (name = va_arg (filters, const char *));) {
    g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();
    g_auto (GStrv) patterns = g_strsplit (va_arg (filters, const char *), " ", -1);
    gtk_file_filter_set_name (filter, name);
    for (guint i = 0; patterns[i]; i++)
      gtk_file_filter_add_pattern (filter, patterns[i]);
    gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (chooser), filter);
  }
  va_end (filters);
  if (suggestion)
    gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (chooser), suggestion);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (chooser), TRUE);
  g_object_set_data (G_OBJECT (chooser), "ls-chosen", (gpointer) chosen);
  g_signal_connect_object (chooser, "response", G_CALLBACK (on_response), window, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (chooser));
}
