/* LsNotices: short messages over the window: an event for some seconds, and progress until it ends, with a Cancel button.
 *
 * Not AdwToast: in libadwaita 1.2 a toast that is dismissed in its first half second, or while another is put before it, is let go
 * while its animation still uses it; and toasts queue up, so that a message may be shown long after its cause. */
#pragma once
#include <gtk/gtk.h>

#define LS_TYPE_NOTICES (ls_notices_get_type ())
G_DECLARE_FINAL_TYPE (LsNotices, ls_notices, LS, NOTICES, GtkWidget)

/* Shows the text, in place of the one before, for 4 seconds or as long as it takes to read. Nothing is marked up. */
void        ls_notices_say          (LsNotices *self, const char *text);
/* The last message, whether it still stands or not; "" before the first. */
const char *ls_notices_get_said     (LsNotices *self);
/* Progress, with a Cancel button (win.cancel), until it is set to NULL. */
void        ls_notices_set_progress (LsNotices *self, const char *text);
