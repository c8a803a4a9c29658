/* The view's state, shared by its parts: graph-view.c (widget), request.c (layouts asked for), menu.c, input.c (pointer and keys), viewport.c (what part of the
 * picture is seen), paint.c (the picture), overlay.c (minimap, legend, messages), cache.c (layouts), cursor.c (assistive technology). */
#pragma once
#include "chain.h"
#include "graph-view.h"
#include "layout.h"
#include "scene.h"

G_BEGIN_DECLS

#define LS_ZOOM_TEXT  0.45     /* below: boxes without words, straight edges */
#define LS_ZOOM_LINES 0.8      /* from here on both lines */
#define LS_ZOOM_BOXES 0.2      /* below: dots */
#define LS_ZOOM_MIN   0.02
#define LS_ZOOM_MAX   4.0
#define LS_MARGIN     28

typedef enum { LS_MARK_SELECTED = 1, LS_MARK_BOUND = 2 } LsMark;

typedef struct { float x0, y0, x1, y1; } LsBox;
typedef struct { char *name; guint32 id; } LsCapture;

struct _LsGraphView {
  GtkWidget     parent_instance;
  GtkWidget    *menu;           /* a popover, made when it is asked for */
  GtkWidget    *cursor;         /* the one focusable child: it sits on the current node and bears its sentence */

  /* what is asked for */
  LsTrace      *trace;
  LsGraphDiff  *diff;           /* a copy, or NULL */
  LsUOp        *root;           /* without a diff */
  const LsPass *pass;           /* of a step, or NULL */
  guint         step;
  LsGraphEngine engine;
  LsChain      *chain;
  LsGraphMode   mode;
  gboolean      fold;
  GArray       *selection;      /* guint32 ids; the first is the current one */
  GArray       *captures;       /* LsCapture */

  /* on its way */
  LsScene      *coming;
  GCancellable *cancellable;
  guint         generation;
  guint         busy_timeout;
  gboolean      busy, slow;
  char         *status;

  /* on screen */
  LsScene      *scene;
  LsLayout     *layout;
  LsBox        *edge_boxes;
  guint8       *marks;          /* LsMark per node */
  int           current;        /* index of the current node, or -1 */
  int           hover;
  GHashTable   *cache;          /* LsLayout by what it depends on */
  GQueue        cache_order;

  /* the part of it that is seen: a point p of the picture is at p * zoom + (x, y) */
  double        zoom, x, y;
  gboolean      placed;         /* the user has not been shown this graph's place yet when FALSE */
  gboolean      by_user;        /* the user chose zoom and place */
  double        pointer_x, pointer_y, drag_x, drag_y, pinch_zoom;
  gboolean      in_minimap, dragged;

  /* the minimap's picture, drawn again when what it shows changes */
  cairo_surface_t *map;
  double        title_size, detail_size;       /* fonts with the advances that boxes are made for */
  PangoLayout  *text;
};

/* viewport.c */
LsBox    ls_graph_view_extents   (LsGraphView *view);      /* of the nodes that the mode shows */
LsBox    ls_graph_view_change    (LsGraphView *view);      /* of the change; empty (x1 < x0) when there is none */
void     ls_graph_view_zoom_at   (LsGraphView *view, double factor, double x, double y);
void     ls_graph_view_pan_to    (LsGraphView *view, double x, double y);
void     ls_graph_view_center_on (LsGraphView *view, double x, double y);
/* Scrolls as little as needed. */
void     ls_graph_view_reveal    (LsGraphView *view, LsBox box);
void     ls_graph_view_first_fit (LsGraphView *view);
/* Keeps what stays where it was: old and new are the same view's scene and layout before and after. FALSE when too little stays. */
gboolean ls_graph_view_follow    (LsGraphView *view, const LsScene *old, const LsLayout *old_layout);
int      ls_graph_view_node_at   (LsGraphView *view, double x, double y);
gboolean ls_graph_view_shows     (LsGraphView *view, guint side);
LsBox    ls_graph_view_node_box  (LsGraphView *view, guint node);

/* paint.c */
typedef struct { GdkRGBA border, fill; } LsKindColor;
typedef struct {
  GdkRGBA     ground, text, dim, edge, accent, capture, panel;
  LsKindColor kinds[4];         /* by LsDiffKind */
  GdkRGBA     classes[13], axes[6];
} LsPalette;
void ls_graph_palette     (GtkWidget *widget, LsPalette *palette);
void ls_graph_paint       (LsGraphView *view, cairo_t *cr, const LsPalette *palette, double width, double height);
void ls_graph_rounded     (cairo_t *cr, double x, double y, double w, double h, double r);
void ls_graph_badge       (cairo_t *cr, const LsPalette *palette, LsDiffKind kind, double x, double y, double radius);
void ls_graph_source      (cairo_t *cr, const GdkRGBA *color, double alpha);
/* Control points of an edge with its ends at the ports of the version that is shown. */
void ls_graph_edge_points (LsGraphView *view, guint edge, GArray *points);
void ls_graph_measure     (LsGraphView *view);

/* overlay.c */
void     ls_graph_overlay        (LsGraphView *view, cairo_t *cr, const LsPalette *palette, double width, double height);
/* Where the minimap is, in the widget; FALSE when there is none. */
gboolean ls_graph_minimap        (LsGraphView *view, double width, double height, LsBox *box, double *scale);
void     ls_graph_minimap_forget (LsGraphView *view);

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

/* cursor.c */
GtkWidget *ls_graph_cursor_new (void);
void       ls_graph_cursor_say (LsGraphView *view);

/* request.c */
void ls_graph_view_request    (LsGraphView *view);
void ls_graph_view_stop       (LsGraphView *view);
void ls_graph_view_say_layout (LsGraphView *view);

/* menu.c */
void ls_graph_menu_class_init (GtkWidgetClass *widget_class);
void ls_graph_menu_add        (LsGraphView *view);

/* graph-view.c */
void ls_graph_view_clear     (LsGraphView *view);
/* Puts a scene (taken) with its layout on screen. */
void ls_graph_view_show_scene (LsGraphView *view, LsScene *scene, LsLayout *layout);
void ls_graph_view_moved     (LsGraphView *view);      /* the viewport or the current node changed */

G_END_DECLS
