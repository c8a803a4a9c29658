/* LsSourceView: a GtkSourceView whose loops have lines in the colour of their axis, and their names behind the line that begins them. */
#pragma once
#include <gtksourceview/gtksource.h>

#include "trace/trace.h"

#define LS_TYPE_SOURCE_VIEW (ls_source_view_get_type ())
G_DECLARE_FINAL_TYPE (LsSourceView, ls_source_view, LS, SOURCE_VIEW, GtkSourceView)

/* The loops of the text that the view has now; kernel NULL: none. */
void          ls_source_view_set_kernel (LsSourceView *self, LsTrace *trace, const LsKernel *kernel);
/* Of LsSourceLoop, by line. It belongs to the view. */
const GArray *ls_source_view_get_loops  (LsSourceView *self);
