/* LsListingPane: the kernel's UOps as structured rows, or as the exact text. */
#pragma once
#include <gtk/gtk.h>
#include "session.h"

G_BEGIN_DECLS

#define LS_TYPE_LISTING_PANE (ls_listing_pane_get_type ())
G_DECLARE_FINAL_TYPE (LsListingPane, ls_listing_pane, LS, LISTING_PANE, GtkWidget)

void  ls_listing_pane_set_session (LsListingPane *self, LsViewSession *session);
/* Rows shown, for tests and the status band. */
guint ls_listing_pane_n_rows      (LsListingPane *self);
/* The exact text of the listing; free with g_free. */
char *ls_listing_pane_dup_text    (LsListingPane *self);

G_END_DECLS
