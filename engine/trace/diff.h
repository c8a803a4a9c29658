/* Differences between any two positions of a recording, as a graph and as a list of rows.
 *
 * A position is a pass and a step of it; place.h says how it is written. Where one position descends from the other (the same pass,
 * passes of one kernel, a kernel and the tensor pass it was made from) a node's identity is its lineage: what the links and maps on the
 * way made of it. Between others, two kernels, or two recordings, there is none, and nodes are matched by program line, by structure,
 * and by their neighbours.
 */
#pragma once
#include "answer/answer.h"
#include "trace.h"

typedef struct { LsTrace *trace; const LsPass *pass; guint step; } LsPosition;

static inline gboolean ls_position_equal (const LsPosition *a, const LsPosition *b) { return a->pass == b->pass && a->step == b->step; }
/* Its graph; NULL in a recording that cannot be replayed. */
LsGraph   *ls_position_graph (const LsPosition *p);
/* Its rows as the nodes of a graph: the kernel's listing from linearize on, else the graph's own. NULL where there is none. */
LsGraph   *ls_position_rows  (const LsPosition *p);
/* The number of each row as the listing prints it, LS_NO_NODE: it prints none; rows of a graph count from 0. Free with g_free. */
guint32   *ls_position_numbers (const LsPosition *p, const LsGraph *rows);

/* The graph at a against the graph at b, two positions of one recording, in either order. Within a step of each other it is that
 * step's change, with its match and result. NULL when a position cannot be replayed. */
LsGraphDiff *ls_position_diff (const LsPosition *a, const LsPosition *b);

/* --- rows ------------------------------------------------------------------------------------------------------------------------- */

/* One row of two lists laid side by side; the row numbers in each, or LS_NO_NODE. */
typedef struct { LsDiffKind kind; guint32 a, b; } LsListRow;
/* A row of the same as a tree, consumers above their sources. AGAIN: shown further up. SAME: it and all below it are the same; they
 * are not shown. */
typedef enum { LS_TREE_NODE, LS_TREE_AGAIN, LS_TREE_SAME } LsTreeState;
typedef struct { guint32 depth, row; LsTreeState state; } LsTreeRow;

/* Two lists of UOps, aligned: renumbering is not a change. SAME and MOVED rows have equal ops, dtypes and arguments over operands that
 * are aligned with each other, MOVED ones stand elsewhere among the rest (as few as possible; of a step: took or lost a place in the
 * graph); CHANGED rows are aligned and differ in one of these. */
typedef struct {
  LsPosition from, to;         /* whose traces it does not hold */
  GPtrArray *a, *b;            /* LsUOp, of graphs */
  LsGraph   *graph_a, *graph_b;
  GArray    *rows;             /* LsListRow: in order of b, removed ones after what they followed in a */
  guint      n_kind[LS_N_DIFF];
  gboolean   by_lineage;
  guint      n_ambiguous;
  guint32   *to_a, *to_b;      /* the row that is aligned with a row of the other list, or LS_NO_NODE */
  guint32   *number_a, *number_b;      /* of each row, as the listing prints it; LS_NO_NODE: it prints none */
  guint32   *first_a, *src_a, *first_b, *src_b;      /* operands of row i by row: src[first[i]] … src[first[i + 1] - 1] */
} LsListDiff;

/* Any two positions, also of two recordings. NULL when one cannot be replayed. */
LsListDiff *ls_list_diff       (const LsPosition *a, const LsPosition *b);
/* The same with the identity of a graph's diff, for two positions of one recording. */
LsListDiff *ls_list_diff_graph (const LsPosition *a, const LsPosition *b, const LsGraphDiff *diff);
void        ls_list_diff_free  (LsListDiff *diff);
/* Of n rows whose partners are the rows of another list (LS_NO_NODE: none), as many as possible whose partners are in ascending order:
 * kept[i] is set for these, and left for all others. */
void        ls_keep_ascending  (guint n, const guint32 *partner, gboolean *kept);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsListDiff, ls_list_diff_free)
extern const LsRecord ls_list_diff_answer;      /* with itself as LsAnswering's data */
/* The node of a row: as in b; for a removed row as in a. */
LsUOp      *ls_list_diff_node  (const LsListDiff *diff, guint row);
/* Operands as row numbers of b, "3 17"; those that b lacks as row numbers of a, "▲8". before: what they were in a. Free with g_free. */
#define LS_ROW_REMOVED "▲"
/* The number of a row; "" where the listing prints none for it. Free with g_free. */
char       *ls_list_diff_number (const LsListDiff *diff, guint row);
char       *ls_list_diff_operands (const LsListDiff *diff, guint row, gboolean before);
/* Whether the operands of a changed row are among what changed. */
gboolean    ls_list_diff_operands_differ (const LsListDiff *diff, guint row);
/* The rows as a tree (GArray of LsTreeRow). Free with g_array_unref. */
GArray     *ls_list_diff_tree  (const LsListDiff *diff);

/* "same", "added", …; "·", "+", "−", "△", "=" */
const char *ls_diff_kind_name (LsDiffKind kind);
const char *ls_diff_kind_glyph (LsDiffKind kind);

/* --- inside: diff.c, match.c, list-diff.c ------------------------------------------------------------------------------------------- */

LsGraphDiff *ls_graph_diff_new (LsGraph *before, LsGraph *after, LsNodeMap *former, LsUOp *matched, LsUOp *result);
/* For each row of b the row of a that it continues, or LS_NO_NODE. Free with g_free. */
guint32     *ls_match_rows     (const LsPosition *a, const LsGraph *rows_a, const LsPosition *b, const LsGraph *rows_b,
                                gboolean *by_lineage, guint *n_ambiguous);
guint64      ls_hash_mix       (guint64 h, guint64 v);
/* A hash of a node's fields without its sources, by content and not by id; buffers of a program by their size. */
guint64      ls_hash_fields    (const LsUOp *u);
