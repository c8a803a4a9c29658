/* A window rendered to a file without a person. */
#pragma once
#include "application.h"

typedef void (*LsScreenshotDone) (gboolean ok, gpointer data);

/* Fonts, colours and motion of a picture, for the whole program. */
void      ls_screenshot_pin    (gboolean dark);
/* A window of that size, shown; when it is idle it is written to the PNG and done is called. */
LsWindow *ls_screenshot_window (GtkApplication *app, const LsScreenshot *screenshot, LsScreenshotDone done, gpointer data);
/* The last frame of the window, as a PNG. */
gboolean  ls_screenshot_save   (GtkWidget *window, const char *path, GError **error);
