/* The view's state, shared by its parts: graph-view.c (widget), request.c (layouts asked for), menu.c, collapse.c (what is
 * collapsed), input.c (pointer and keys), pan-zoom.c (what part of the picture is seen), paint.c and paint-edges.c (the picture,
 * edges with a pen: pen.h), canvas.c (what was painted), overlay.c (minimap, legend, messages), tooltip.c, cache.c (layouts), cursor.c
 * (assistive technology). */
#pragma once
#include "graph/layout/chain.h"
#include "graph-view.h"
#include "graph/layout/frames.h"
#include "graph/layout/layout.h"
#include "graph/layout/offscreen.h"
#include "palette.h"
#include "pen.h"
#include "graph/layout/scene.h"
#include "graph/layout/viewport.h"

typedef enum { LS_MARK_SELECTED = 1, LS_MARK_BOUND = 2 } LsMark;

/* value: of a constant, which may be drawn inside of another box; else NULL. */
typedef struct { char *name, *value; guint32 id; } LsCapture;
/* What the user did with a node: collapsed its inputs, opened its stack, or, of a RANGE, folded its loop. */
typedef enum { LS_COLLAPSED, LS_OPENED, LS_FOLDED, LS_N_COLLAPSES } LsCollapse;
/* And where that was. */
typedef struct { const LsPass *pass; guint step; guint32 id; LsCollapse what; } LsCollapsed;
/* The user's changes to the viewport: zoom, or 0; whole: always show the whole graph, at the zoom that this needs; a shift against the
 * step's own viewport, and at which step. */
typedef struct { gboolean whole; double zoom, dx, dy; guint step; } LsUserViewport;

struct _LsGraphView {
  GtkWidget     parent_instance;
  GtkWidget    *menu;           /* a popover, made when it is asked for */
  GMenuModel   *questions;      /* part of it, or NULL */
  GtkWidget    *cursor;         /* the one focusable child: it sits on the current node and bears its sentence */

  /* what is asked for */
  LsTrace      *trace;
  LsGraphDiff  *diff;           /* or NULL */
  LsUOp        *root;           /* without a diff; a recorded node */
  const LsPass *pass;           /* of a step, or NULL */
  guint         step;
  const LsPass *base;           /* what the step is compared with, or NULL: with the step before */
  guint         base_step;
  LsGraphEngine engine;
  LsChain      *chain;
  LsGraphMode   mode;
  gboolean      fold;
  GArray       *selection;      /* guint32 ids; the first is the current one */
  GArray       *captures;       /* LsCapture */
  guint         hidden;         /* LsHidden: classes of nodes that are not drawn */
  GArray       *collapsed;      /* LsCollapsed, of all kernels of the recording */

  /* on its way */
  LsScene      *coming;
  GCancellable *cancellable;
  guint         generation;
  guint         busy_timeout;
  gboolean      busy, slow, cancelled;
  GtkWidget    *stop;           /* ends a layout that takes long, and asks for one that was ended; there when slow or cancelled */
  char         *status;

  /* on screen */
  LsScene      *scene;
  LsLayout     *layout;
  const LsPass *shown_pass;     /* NULL: no step of a pass */
  guint         shown_step;
  LsOutline    *outline;
  LsBox        *edge_boxes;
  LsFrames     *frames;         /* of the loops, or NULL */
  guint8       *marks;          /* LsMark per node */
  int           current;        /* index of the current node, or -1 */
  int           hover;
  GHashTable   *cache;          /* LsLayout by its inputs */
  GQueue        cache_order;

  /* the part of it that is seen */
  LsViewport    viewport;
  LsUserViewport own;
  gboolean      placed;         /* viewport is that of outline, for a widget of this size */
  int           placed_width, placed_height;
  LsViewport    animation_from;     /* the viewport before, at the start of the animation to viewport */
  gint64        animation_start;    /* frame clock's time */
  guint         animation_tick;     /* 0: nothing is on its way */
  guint8       *visited;        /* of each node: . has shown it at this step; NULL: . has not been asked to go on */
  gboolean      reveal;         /* the current node is to be seen as soon as it is there */
  double        rest_x, rest_y;       /* the pointer, in the window */
  double        pointer_x, pointer_y, drag_x, drag_y, pinch_zoom;
  gboolean      in_minimap, over_link, dragged;
  int           tip;            /* the node that is said to be what it is, or -1 */
  guint         tip_timeout;
  LsBox         tip_box;        /* where that stands, in the widget; empty: nowhere */

  /* what is painted, and for which part of the picture */
  cairo_surface_t *canvas;
  LsViewport    canvas_viewport;
  LsBox         canvas_area;    /* in the widget, as it was at canvas_viewport */
  int           canvas_scale;

  /* the minimap's picture, drawn again when what it shows changes */
  cairo_surface_t *map;
  double        map_scale;
  guint         map_place;      /* where it was last */

  LsOffscreen   said_offscreen;   /* last announcement to assistive technology */
  LsBox         note;           /* what says how much is outside, in the widget; empty: nothing is */
  double        title_size, detail_size;       /* fonts with the advances that boxes are made for */
  PangoLayout  *text;
};

/* pan-zoom.c */
LsBox    ls_graph_view_extents   (LsGraphView *view);      /* of the nodes that the mode shows */
/* Sets viewport to the part of the scene to show. */
void     ls_graph_view_place     (LsGraphView *view);
/* The same for another size of the widget. */
void     ls_graph_view_resized   (LsGraphView *view);
/* The part of the change that is outside. */
LsOffscreen ls_graph_view_offscreen (LsGraphView *view);
/* As the user does. */
void     ls_graph_view_zoom_at   (LsGraphView *view, double factor, double x, double y);
void     ls_graph_view_pan_to    (LsGraphView *view, double x, double y);
void     ls_graph_view_center_on (LsGraphView *view, double x, double y);
/* Scrolls as little as needed. */
void     ls_graph_view_reveal    (LsGraphView *view, LsBox box);
int      ls_graph_view_node_at   (LsGraphView *view, double x, double y);
guint    ls_graph_view_sides     (LsGraphView *view);      /* LsSceneSide: what the mode shows */
gboolean ls_graph_view_shows     (LsGraphView *view, guint side);
LsBox    ls_graph_view_node_box  (LsGraphView *view, guint node);

/* animation.c */
/* Animates from there to viewport within 180 ms; at once if an animation would not help. */
void       ls_graph_view_animate          (LsGraphView *view, LsViewport from);
void       ls_graph_view_stop_animation   (LsGraphView *view);
/* The viewport of the current frame. */
LsViewport ls_graph_view_animated_viewport (LsGraphView *view);

/* paint.c */
/* Paints an area of the widget, without the marks that follow the pointer. */
void ls_graph_paint       (LsGraphView *view, cairo_t *cr, const LsPalette *palette, LsBox area);
/* The box under the pointer, -1 for none; FALSE: it was that already. */
gboolean ls_graph_view_hover (LsGraphView *view, int node);
/* Signal "node-hovered": what the pointer is over. */
void ls_graph_view_tell_hover (LsGraphView *view);
void ls_graph_paint_hover (LsGraphView *view, cairo_t *cr, const LsPalette *palette, LsBox area);

/* paint-edges.c */
/* State for painting edges: an array for an edge's points, a pen if the picture has pixels (or NULL), pieces of edges that need not be
 * drawn again (or NULL). */
typedef struct { GArray *points; LsPen *pen; GHashTable *drawn; } LsEdgePaint;
void ls_graph_edges_begin (LsEdgePaint *work, cairo_t *cr);
void ls_graph_edges_end   (LsEdgePaint *work);
/* An edge at zoom z, what is in sight of it. */
void ls_graph_paint_edge  (LsGraphView *view, cairo_t *cr, const LsPalette *palette, guint edge, LsEdgePaint *work, double z, LsBox seen,
                           gboolean hovered);
/* Its port at the box that it goes into. */
void     ls_graph_edge_end     (LsGraphView *view, guint edge, float *x, float *y);
/* Whether only an edge's ends are drawn, with the name of its source: it is longer than the view, and neither changed nor of the current
 * node. The same wherever the picture is panned to. */
gboolean ls_graph_edge_is_stub (LsGraphView *view, guint edge, double z);
#define LS_STUB_TAIL 9
#define LS_STUB_HEAD 11
/* Control points of an edge with its ends at the ports of the version that is shown. */
void ls_graph_edge_points (LsGraphView *view, guint edge, GArray *points);

void ls_graph_measure     (LsGraphView *view);

/* canvas.c */
/* The picture as it is seen, painted as far as it was not. */
void     ls_graph_canvas         (LsGraphView *view, cairo_t *to, const LsPalette *palette, int width, int height);
void     ls_graph_canvas_forget  (LsGraphView *view);

/* overlay.c */
void     ls_graph_overlay        (LsGraphView *view, cairo_t *cr, const LsPalette *palette, double width, double height);
/* Where the minimap is, in the widget; FALSE when there is none. It stays where it is while it is used. */
gboolean ls_graph_minimap        (LsGraphView *view, double width, double height, LsBox *box, double *scale);
void     ls_graph_minimap_forget (LsGraphView *view);

/* tooltip.c */
void     ls_graph_tooltip         (LsGraphView *view, cairo_t *cr, const LsPalette *palette, double width, double height);
void     ls_graph_tooltip_pointed (LsGraphView *view);      /* the pointer was moved */
void     ls_graph_tooltip_hide    (LsGraphView *view);

/* input.c */
void ls_graph_view_add_input (LsGraphView *view);
/* Makes a node the current one, as the user does. */
void ls_graph_view_choose    (LsGraphView *view, int node);

/* cache.c */
void      ls_graph_cache_init   (LsGraphView *view);
void      ls_graph_cache_free   (LsGraphView *view);
void      ls_graph_cache_forget (LsGraphView *view);
LsLayout *ls_graph_cache_get    (LsGraphView *view, const LsScene *scene);      /* NULL: not there; not a reference */
void      ls_graph_cache_put    (LsGraphView *view, const LsScene *scene, LsLayout *layout);

/* collapse.c */
void       ls_graph_collapse_init     (LsGraphView *view);
/* The scene to draw for a scene (taken): a collapsed one over it, or itself. layout: positions of its boxes, or NULL. */
LsScene   *ls_graph_collapse          (LsGraphView *view, LsScene *whole, const LsLayout *layout);
LsOutline *ls_graph_collapsed_outline (const LsScene *scene, const LsLayout *layout, const LsLayout *former);
gboolean   ls_graph_fold_frame        (LsGraphView *view, guint frame);
void       ls_graph_collapse_update   (LsGraphView *view);      /* which of its actions mean something */

/* cursor.c */
GtkWidget *ls_graph_cursor_new (void);
void       ls_graph_cursor_say (LsGraphView *view);
void       ls_graph_cursor_say_offscreen (LsGraphView *view);      /* how much of the change is */

/* request.c */
void ls_graph_view_request    (LsGraphView *view);
/* A scene (taken) that is neither a diff nor a graph of the recording. */
void ls_graph_view_request_scene (LsGraphView *view, LsScene *scene);
void ls_graph_view_stop       (LsGraphView *view);
void ls_graph_view_say_layout (LsGraphView *view);
void ls_graph_view_add_stop   (LsGraphView *view);

/* menu.c */
void ls_graph_menu_class_init (GtkWidgetClass *widget_class);
void ls_graph_menu_add        (LsGraphView *view);

/* graph-view.c */
void ls_graph_view_clear     (LsGraphView *view);
/* Puts a scene (taken) with its layout on screen. */
void ls_graph_view_show_scene (LsGraphView *view, LsScene *scene, LsLayout *layout);
void ls_graph_view_moved     (LsGraphView *view);      /* the viewport or the current node changed */
