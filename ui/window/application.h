/* LsApplication: windows, application-wide actions, and the command line's files. */
#pragma once
#include <adwaita.h>
#include "window.h"

#define LS_TYPE_APPLICATION (ls_application_get_type ())
G_DECLARE_FINAL_TYPE (LsApplication, ls_application, LS, APPLICATION, AdwApplication)

typedef struct {
  const char *output;       /* PNG to write, or NULL: no screenshot, an ordinary window */
  int         width, height;
  gboolean    dark;
  char      **actions;      /* done one after the other before the picture is taken, or NULL */
} LsScreenshot;

/* The files to open come as arguments of g_application_run. With a screenshot the application is not unique and ends after writing it. */
LsApplication *ls_application_new        (const LsScreenshot *screenshot);
/* 0, or 1 when the screenshot could not be made. */
int            ls_application_get_status (LsApplication *self);
