/* The help page: what the window shows and how to get about in it, in a few paragraphs. */
#pragma once
#include <gtk/gtk.h>

G_BEGIN_DECLS

void ls_help_show (GtkWindow *parent);

G_END_DECLS
