/* The examples' pictures on the start page. */
#pragma once
#include <gtk/gtk.h>

#define LS_THUMBNAIL_WIDTH  272
#define LS_THUMBNAIL_HEIGHT 136

/* The picture of an example's graph, by the program's name without its ending; a plain icon where there is none. */
GtkWidget *ls_thumbnail_new (const char *example);
