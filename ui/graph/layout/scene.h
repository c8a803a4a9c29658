/* LsScene: a graph, or the union of two, as boxes and arrows: what is drawn, with which words, before any place is known.
 *
 * Pure data made on the main thread from a diff or a root; no GTK, no Pango. Node i of the scene is its place in every array that
 * layouts and the view keep. Texts exist twice where a changed node read differently before the step.
 */
#pragma once
#include "trace/trace.h"

#define LS_SCENE_HEIGHT    38
#define LS_SCENE_BEHIND     6      /* how far the boxes behind a stack are visible */
#define LS_SCENE_ADVANCE    7      /* units per character */
#define LS_SCENE_MAX_CHARS 28      /* (220 - 24) / 7 */

/* In which of the two graphs something stands. */
typedef enum { LS_IN_BEFORE = 1, LS_IN_AFTER = 2, LS_IN_BOTH = 3 } LsSceneSide;

typedef struct {
  guint32     id;           /* of the node after the step, or of the removed one */
  guint32     before;       /* of the node that it represents, or LS_NO_NODE */
  guint8      kind;         /* LsDiffKind; a node that was only rebuilt over other sources is SAME */
  guint8      side;         /* LsSceneSide */
  guint8      op_class;     /* LsOpClass */
  gint8       axis;         /* LsAxisType of a RANGE, else -1 */
  float       width;
  const char *title[2];     /* before, after; the same pointer when equal */
  const char *detail[2];
  const char *change;       /* what of it changed, instead of the second line where both graphs are shown: "index → int"; or NULL */
  const char *whole_change; /* the same without cuts, a line for each thing */
  guint       first_edge, n_edges;      /* arrows that end here */
  gboolean    strong;       /* its border has the colour of its class: what is done, among what is kept */
  guint       n_lanes, first_lane;      /* how many nodes it stands for, and where in LsScene.lanes they begin; 1: itself alone */
  gboolean    opened;       /* one of the lanes of a stack that was opened */
  guint16     loop[2];      /* the innermost loop that it is in, before and after: its number + 1; 0: none */
  guint       n_inside;     /* boxes that it has taken in, collapsed by hand (scene-collapse.c) */
  guint       inside[LS_N_DIFF];  /* the same by LsDiffKind */
  guint32     folded;       /* the id + 1 of the loop that it stands for, folded; 0: none */
} LsSceneNode;

typedef struct {
  guint32 from, to;         /* source, consumer: indices of nodes */
  guint8  side;             /* LsSceneSide */
  guint16 port[2], n_ports[2];          /* place among the consumer's drawn sources, before and after */
} LsSceneEdge;

typedef struct { guint32 id, before; } LsSceneLane;      /* as in LsSceneNode */

/* A loop of one of the graphs. parent: the one around it, its number + 1; title: "j:6 reduce". Of a graph that was scheduled a kernel,
 * which has no axis (-1). */
typedef struct { guint32 id; guint16 parent; gint8 axis; gboolean is_kernel; const char *title; } LsSceneLoop;

typedef struct _LsScene LsScene;
struct _LsScene {
  LsTrace      *trace;
  LsSceneNode  *nodes;
  guint         n_nodes;
  LsSceneEdge  *edges;      /* by consumer, in source order */
  guint         n_edges;
  GArray       *lanes;      /* LsSceneLane: the nodes that a stack stands for, itself first */
  GArray       *loops[2];   /* LsSceneLoop: of the graph before and of the one after, outer ones first; or NULL */
  guint         n_folded;   /* nodes drawn inside others */
  guint         n_kind[LS_N_DIFF];  /* nodes by LsDiffKind: boxes, except for SAME, where some are drawn inside others; a step's counts
                                     * stay when boxes are collapsed */
  LsScene      *whole;      /* what this was before stacks of it were opened or boxes collapsed, owned; or NULL */
  guint         hidden;     /* LsHidden: what was asked to be taken out (scene-hide.c) */
  guint         n_hidden;   /* nodes that were */
  guint         collapsed;  /* a hash of the opened stacks and the collapsed boxes, 0 for none */
  gboolean      is_diff;
  guint32       focus;      /* the node where the step happened, or LS_NO_NODE */
  LsGraph      *before, *after;     /* what its nodes are of; NULL where they are not UOps */
  guint32       root_before, root_after;
  GHashTable   *places;     /* node id -> index + 1 of the node that is it, or that it is drawn in; of two of one name the one after
                             * the step */
  GStringChunk *strings;
  /* of a picture whose nodes are not UOps: what its node is, freed with g_free; NULL otherwise */
  char       *(*describe) (const LsScene *scene, guint node);
  gpointer      describe_data;
};

LsScene *ls_scene_new_diff (LsTrace *trace, const LsGraphDiff *diff, gboolean fold);
/* root: recorded. names: what the loops of its kernel are called, or NULL. */
LsScene *ls_scene_new_root (LsTrace *trace, LsNames *names, LsUOp *root, gboolean fold);
/* The same without words, for a layout that nobody sees: titles and details are NULL. */
LsScene *ls_scene_new_diff_bare (LsTrace *trace, const LsGraphDiff *diff, gboolean fold);
LsScene *ls_scene_new_root_bare (LsTrace *trace, LsNames *names, LsUOp *root, gboolean fold);
void     ls_scene_free     (LsScene *scene);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsScene, ls_scene_free)
/* Stacks with one of these node ids are opened: each lane is a box. Takes closed, which is of diff or else of root; returns it when
 * there is none to open. */
LsScene *ls_scene_open     (LsScene *closed, const LsGraphDiff *diff, LsUOp *root, GHashTable *ids);
/* The scene before anything was opened or collapsed. */
const LsScene *ls_scene_closed (const LsScene *scene);
/* Boxes of these node ids collapse the nodes that only feed them, and loops of these ids (of RANGEs, or NULL) become one box each. Takes
 * whole; returns it when nothing is taken in. x: of the boxes of whole, or NULL. */
LsScene *ls_scene_collapse (LsScene *whole, GHashTable *ids, GHashTable *loops, const float *x);
/* Nodes of these classes (LsHidden) that the step left as they were are taken out; arrows lead past those that movement is. Takes
 * whole; returns it when there is none. */
LsScene *ls_scene_hide     (LsScene *whole, guint classes);
/* How many boxes a box would take in. */
guint    ls_scene_n_dominated (const LsScene *scene, guint node);
/* The scene's node that is or contains the node of that id, or -1. */
int      ls_scene_find     (const LsScene *scene, guint32 id);
/* Is a node that has no box of its own drawn in that one? ls_scene_find has one of those that it is drawn in. */
gboolean ls_scene_draws    (const LsScene *scene, guint box, guint32 id);
/* Is a loop (its number + 1) another one or inside of it? version: 0 before, 1 after. */
gboolean ls_scene_loop_is_in (const LsScene *scene, guint version, guint loop, guint outer);
/* The titles of a loop and those around it up to another one: "i:4 loop, j:6 reduce". Free with g_free. */
char    *ls_scene_loop_title (const LsScene *scene, guint version, guint loop, guint outer);
/* The second line of a box: side LS_IN_BOTH, or how it read in one of the graphs. */
const char *ls_scene_second_line (const LsScene *scene, guint node, guint side);
/* One sentence for who cannot see: name, shape, change, neighbours. Free with g_free. */
char    *ls_scene_sentence (const LsScene *scene, guint node);
/* The text of a tooltip, as Pango markup: op, its meaning, dtype and shape, argument, bounds. Free with g_free. */
char    *ls_scene_tooltip  (const LsScene *scene, guint node);
/* dtype and shape of the value on an edge: "float[64,64]"; "" for none. Free with g_free. */
char    *ls_scene_edge_label (const LsScene *scene, guint edge);

/* Cuts text to max characters with an ellipsis in its middle. */
void  ls_scene_cut   (GString *text, guint max);
