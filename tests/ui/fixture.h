/* Shared by window tests: their own application, a recording of the matmul example, windows on it. */
#pragma once
#include "window/application.h"
#include "window/window-private.h"
#include "input.h"
#include "../sample.h"

extern LsApplication *app;
extern char *folder;         /* private: state, recordings */
extern char *recording;      /* of data/programs/matmul.py, once something has asked for it */

/* FALSE, with the reason printed as TAP, when there is no display to show a window on. */
gboolean  fixture_begin   (int *argc, char ***argv);
/* The same in two parts, for tests that do something without a display, too: the folder; the application, or FALSE. */
void      fixture_init    (int *argc, char ***argv);
gboolean  fixture_show    (void);
/* Runs the tests that were added, and takes the folder away. */
int       fixture_end     (void);
void      fixture_remove  (const char *path);      /* a folder and its contents */
/* The recording of an example, made when it is first asked for. Free with g_free. */
char     *fixture_record  (const char *program);
/* The same of a program in another folder. */
char     *fixture_record_in (const char *programs, const char *program);
/* The names of a folder's programs without .py, sorted. */
GPtrArray *fixture_programs (const char *folder);
/* The matmul example's, which all of a test share. */
const char *fixture_matmul (void);

gboolean  is_shown        (gpointer window);      /* the Steps workspace, idle */
gboolean  is_idle         (gpointer window);
void      wait_window     (LsWindow *window);
/* A window with the start page, or on a position of a recording. */
LsWindow *open_start      (int width, int height);
LsWindow *open_recording  (const char *path, const char *position, int width, int height);
LsWindow *open_at         (const char *position);
void      close_window    (LsWindow *window);
void      assert_at       (LsWindow *window, const char *link);

/* The heat map that is shown in a widget, or NULL. */
GtkWidget *find_map (GtkWidget *widget);
/* A text of the rule card that is not whole: its part's name, or NULL. */
const char *find_cut_part (LsWindow *window);
