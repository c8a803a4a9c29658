/* LsSourcePane: the generated source of the position's kernel, its lines linked to nodes. */
#pragma once
#include <gtksourceview/gtksource.h>
#include "session/session.h"

#define LS_TYPE_SOURCE_PANE (ls_source_pane_get_type ())
G_DECLARE_FINAL_TYPE (LsSourcePane, ls_source_pane, LS, SOURCE_PANE, GtkWidget)

void ls_source_pane_set_session (LsSourcePane *self, LsViewSession *session);
/* Marks what a node of the position's graph is in the text: that of the pointer, LS_NO_NODE for none. */
void ls_source_pane_set_hover (LsSourcePane *self, guint node);
GtkWidget *ls_source_pane_get_tools (LsSourcePane *self);

/* Shared by all source views of the window: the style scheme that follows light and dark, and how much of a line is shown. */
void  ls_source_follow_style (GtkWidget *source_view);
void  ls_source_highlight    (GtkSourceBuffer *buffer);
char *ls_source_clip_lines   (const char *text, gsize max);
