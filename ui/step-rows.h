/* Rows of the step list: number, rule, time. */
#pragma once
#include <gtk/gtk.h>
#include "steps.h"

G_BEGIN_DECLS

/* For items of an LsIndexModel, 0 for step 1. steps: part of its owner, read when a row comes into sight. A row's data "step" says its step. */
GtkListItemFactory *ls_step_rows_new (const LsSteps *steps, GObject *owner);

G_END_DECLS
