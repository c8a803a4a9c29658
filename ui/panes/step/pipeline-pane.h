/* LsPipelinePane: the stages of a recording as a tree that ends at passes. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define LS_TYPE_PIPELINE_PANE (ls_pipeline_pane_get_type ())
G_DECLARE_FINAL_TYPE (LsPipelinePane, ls_pipeline_pane, LS, PIPELINE_PANE, GtkWidget)

void ls_pipeline_pane_set_session (LsPipelinePane *self, LsViewSession *session);
