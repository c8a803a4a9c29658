/* LsListingPane: the kernel's final UOps, as structured rows or as the exact text. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define LS_TYPE_LISTING_PANE (ls_listing_pane_get_type ())
G_DECLARE_FINAL_TYPE (LsListingPane, ls_listing_pane, LS, LISTING_PANE, GtkWidget)

void  ls_listing_pane_set_session (LsListingPane *self, LsViewSession *session);
GtkWidget *ls_listing_pane_get_tools (LsListingPane *self);
/* Rows of the final listing, for tests and the status band. */
guint ls_listing_pane_n_rows      (LsListingPane *self);
/* The exact text of the listing; free with g_free. */
char *ls_listing_pane_dup_text    (LsListingPane *self);
