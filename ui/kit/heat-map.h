/* LsHeatMap: a picture of numbers — a cell for each, coloured by a scale, with NaN and infinities in colours of their own, and the scale
 * next to it. */
#pragma once
#include <gtk/gtk.h>

#define LS_TYPE_HEAT_MAP (ls_heat_map_get_type ())
G_DECLARE_FINAL_TYPE (LsHeatMap, ls_heat_map, LS, HEAT_MAP, GtkWidget)

/* A cell without a number: grey. */
#define LS_HEAT_MAP_NOTHING (-G_MAXDOUBLE)

/* rows × columns cells, row-major; n: the number of values; later cells are left out. Copies them. Zero rows: no picture. */
void       ls_heat_map_set (LsHeatMap *self, guint rows, guint columns, const double *cells, gsize n, double min, double max);
/* Cells can be chosen, by a click, or by the arrow keys and Enter: signal "chosen" (double row, double column), in cells from the first,
 * by keys whole numbers. */
void       ls_heat_map_set_choosable (LsHeatMap *self, gboolean choosable);
/* A frame around a cell; row LS_HEAT_MAP_NO_CELL: none. */
#define LS_HEAT_MAP_NO_CELL G_MAXUINT
void       ls_heat_map_mark (LsHeatMap *self, guint row, guint column);
