/* LsParagraph: a label that wraps, in a box.
 *
 * In GTK 4.8 a box asks a wrapping label repeatedly for the width at different heights, and each answer is a search over widths with the
 * text laid out again: one sentence in nested boxes took a quarter of a second. A paragraph's width does not depend on a height. */
#pragma once
#include <gtk/gtk.h>

#define LS_TYPE_PARAGRAPH (ls_paragraph_get_type ())
G_DECLARE_FINAL_TYPE (LsParagraph, ls_paragraph, LS, PARAGRAPH, GtkWidget)

/* Takes the label (property "child"), which wraps from now on, at characters where words are too long. */
GtkWidget *ls_paragraph_new (GtkLabel *label);
