/* LsShapesPane: shape, views and index expressions of the chosen node (else the step's), and a picture of the elements that it touches. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define LS_TYPE_SHAPES_PANE (ls_shapes_pane_get_type ())
G_DECLARE_FINAL_TYPE (LsShapesPane, ls_shapes_pane, LS, SHAPES_PANE, GtkWidget)

