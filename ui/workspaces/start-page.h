/* LsStartPage: examples, recent files, Open — what the window shows without a file. */
#pragma once
#include <gtk/gtk.h>

#define LS_TYPE_START_PAGE (ls_start_page_get_type ())
G_DECLARE_FINAL_TYPE (LsStartPage, ls_start_page, LS, START_PAGE, GtkWidget)

/* Signals: "open" (const char *path): the user chose an example or a recent file; "take-up" (const char *folder): saved data of a window
 * (session/crash-recovery.h). */
void ls_start_page_refresh (LsStartPage *self);
/* The folder of the built-in example programs, or NULL; free with g_free. */
char *ls_examples_dir      (void);
