/* The layered layout that follows another one: old boxes keep their positions.
 *
 * Plain arrays, any thread, no recursion. The result is a function of its arguments alone.
 */
#pragma once
#include "ranks.h"

/* Where boxes are wanted: the centre, and the rank (y is rank times LS_RANK_PITCH). A box without a former place has x NaN. */
typedef struct {
  guint   n, n_kept;
  float  *x;
  gint32 *rank;
} LsKeep;

LsKeep *ls_keep_new  (guint n);
void    ls_keep_free (LsKeep *keep);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsKeep, ls_keep_free)

/* NULL when cancelled. The picture keeps the coordinates of the former one: it may begin anywhere (left, top). */
LsLayout *ls_follow_layout (const LsLayoutInput *input, const LsKeep *keep, GCancellable *cancellable);

/* How far a reader's eye has to go along the edges: the sum of |dx| + |dy| between the boxes' middles. */
double    ls_layout_ink    (const LsLayout *layout, const LsLayoutInput *input);

/* --- inside: follow.c, follow-ranks.c, follow-route.c --- */

typedef struct { guint32 *first, *list; } LsLists;      /* entries of v: list[first[v]] … list[first[v + 1] - 1] */
void ls_lists_init  (LsLists *lists, guint n, guint m, const guint32 *key, const guint32 *value);
void ls_lists_clear (LsLists *lists);

typedef struct {
  const LsLayoutInput *in;
  const LsKeep *keep;
  LsLists  out, into;      /* edges by source, by consumer */
  guint32 *topo, *place;   /* nodes with sources before consumers, and each one's place there; edges against it do not count */
  gint32  *rank;
  float   *x;              /* centres */
  float   *port;           /* of each edge: where it ends, from the consumer's middle */
} LsFollow;

void ls_follow_ranks (LsFollow *f);
void ls_follow_route (const LsFollow *f, LsLayout *layout);
