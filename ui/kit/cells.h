/* LsCells: texts side by side, the row of a list, in one widget: one line, but for cells that wrap.
 *
 * A list keeps two hundred rows whatever is seen of them. With a label for each text these were most widgets of the window, and GTK
 * styles and measures every one of them when the font, the colours or the rows change. Here a row is one widget: its height comes
 * from the font, its widths from numbers of characters, and words are laid out only when they are drawn.
 */
#pragma once
#include <gtk/gtk.h>
#include "text.h"

#define LS_TYPE_CELLS (ls_cells_get_type ())
G_DECLARE_FINAL_TYPE (LsCells, ls_cells, LS, CELLS, GtkWidget)

typedef enum {
  LS_CELL_PLAIN   = 0,
  LS_CELL_RIGHT   = 1 << 0,
  LS_CELL_EXPAND  = 1 << 1,      /* takes its share of the room that is left */
  LS_CELL_DIM     = 1 << 2,
  LS_CELL_BOLD    = 1 << 3,
  LS_CELL_NUMERIC = 1 << 4,      /* figures of one width */
  LS_CELL_MIDDLE  = 1 << 5,      /* what does not fit is left out in the middle, not at the end */
  LS_CELL_HIDDEN  = 1 << 6,      /* takes no room */
  LS_CELL_WRAP    = 1 << 7,      /* what does not fit goes on in the next line, and the row is as high as that needs */
  LS_CELL_TOP     = 1 << 9,      /* in a row of several lines its text begins at the top */
  LS_CELL_BAR     = 1 << 8,      /* its text begins with a number, of 100: a bar takes that part of its room */
} LsCellFlags;

/* A cell as it starts: at least so many characters wide. */
typedef struct { guint chars; LsCellFlags flags; } LsCellLook;

#define LS_CELLS_MAX 16

/* Cells of several rows in one column: the minimum width in pixels, the indentation included. */
typedef struct { int least; LsCellFlags flags; } LsColumn;

/* The width of them all, and their places in a given one: left edges and widths, into arrays of n. */
int         ls_columns_width   (const LsColumn *columns, guint n, guint spacing);
void        ls_columns_place   (const LsColumn *columns, guint n, guint spacing, int width, int *x, int *w);

/* spacing: pixels between two cells. */
GtkWidget  *ls_cells_new       (const LsCellLook *looks, guint n, guint spacing);
guint       ls_cells_get_n     (LsCells *self);
/* text is copied; NULL is an empty one. */
void        ls_cells_set_text  (LsCells *self, guint i, const char *text);
/* And makes the cell wide enough for it. */
void        ls_cells_set_text_fit (LsCells *self, guint i, const char *text);
const char *ls_cells_get_text  (LsCells *self, guint i);
void        ls_cells_set_flags (LsCells *self, guint i, LsCellFlags flags);
void        ls_cells_set_chars (LsCells *self, guint i, guint chars);
/* The width in pixels in place of one in characters; negative: in characters again. */
void        ls_cells_set_width (LsCells *self, guint i, int width);
/* Pixels by which the text of a cell, and all after it, stand further right. */
void        ls_cells_set_indent (LsCells *self, guint i, guint pixels);
/* Indents a cell by n levels, at most LS_CELLS_LEVELS, each with a line in its colour of the style sheet; a NULL among them: none there.
 * The names are kept by the caller. */
#define LS_CELLS_LEVELS 40
void        ls_cells_set_levels (LsCells *self, guint i, const char *const *colors, guint n);
/* The name of a colour of the style sheet, kept by the caller; NULL: that of the widget. */
void        ls_cells_set_color (LsCells *self, guint i, const char *name);
/* Parts of the cell's text in colours of their own, until its text is another one. */
void        ls_cells_set_spans (LsCells *self, guint i, const LsTextSpan *spans, guint n);
/* TRUE: the text was drawn, and not all of it. */
gboolean    ls_cells_is_cut    (LsCells *self, guint i);
/* Which row of its list it is, from 1; 0, as at first: none that can be picked. */
void        ls_cells_set_row   (LsCells *self, guint row);
guint       ls_cells_get_row   (LsCells *self);
/* The row at (x, y) of a list; 0: there is none. cells (may be NULL) gets it. */
guint       ls_cells_pick      (GtkWidget *list, double x, double y, GtkWidget **cells);
/* All texts that are not empty, with commas: the row's name for who does not see it. The caller frees it. */
char       *ls_cells_dup_words (LsCells *self);
