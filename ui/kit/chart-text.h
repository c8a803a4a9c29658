/* Text in charts. */
#pragma once
#include <gtk/gtk.h>

/* Draws text in the layout's font and the context's colour, around the height y. before: how much of its width is left of x, 0 to 1. */
void ls_chart_write (PangoLayout *layout, cairo_t *cr, const char *text, double x, double y, double before);
