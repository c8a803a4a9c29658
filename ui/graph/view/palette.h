/* Colours and strokes of graphs, for whatever draws boxes as they do (paint.c). */
#pragma once
#include <gtk/gtk.h>
#include "trace/trace.h"

typedef struct { GdkRGBA border, fill; } LsKindColor;
typedef struct {
  double      ghost;             /* the opacity of removed boxes, whose dashes stay, and of frames */
  /* chosen: of another hue than every kind: the accent is mostly that of changes */
  GdkRGBA     ground, text, dim, edge, accent, capture, chosen, panel;
  LsKindColor kinds[LS_N_DIFF];  /* by LsDiffKind */
  GdkRGBA     classes[13], axes[LS_N_AXIS];
} LsPalette;
void ls_graph_palette     (GtkWidget *widget, LsPalette *palette);
void ls_graph_rounded     (cairo_t *cr, double x, double y, double w, double h, double r);
void ls_graph_badge       (cairo_t *cr, const LsPalette *palette, LsDiffKind kind, double x, double y, double radius);
void ls_graph_source      (cairo_t *cr, const GdkRGBA *color, double alpha);
