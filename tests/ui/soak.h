/* The parts of the soak: soak.c drives, soak-actions.c has the actions, soak-checks.c the checks. */
#pragma once
#include "window/window.h"

/* --- checks --- */

typedef struct { double resident, allocated; } SoakMemory;      /* MB: of the process; handed out by malloc and not given back */

/* From here on messages and signals are heard. */
void       soak_watch_start  (void);
/* The next action, for the final report. */
void       soak_say          (const char *format, ...) G_GNUC_PRINTF (1, 2);
guint      soak_n_done       (void);
guint      soak_n_messages   (void);
void       soak_print_done   (void);
void       soak_print_stalls (void);
/* A file dialog is used: messages from inside of it do not count. */
void       soak_saw_dialog   (void);
/* Runs the main loop and measures its iterations. */
void       soak_spin         (double milliseconds);
SoakMemory soak_memory       (void);

/* --- actions --- */

void       soak_do_one       (GRand *rand, LsWindow *(*new_window) (void));
/* A window of ours, or any that is open: dialogs too, a file dialog before all others. NULL: there is none. */
GtkWindow *soak_any_window   (GRand *rand, gboolean ours);

/* --- widgets --- */

/* This widget and those below it must be freed with its window. */
void     soak_kept_watch    (GtkWidget *widget);
/* Prints those that were not, when the windows are closed. */
void     soak_kept_report   (void);
gboolean soak_kept_any      (void);      /* one has not gone yet */
/* At the end: how many did not, and whether that is more than GTK's own faults explain. */
gboolean soak_kept_too_many (void);
