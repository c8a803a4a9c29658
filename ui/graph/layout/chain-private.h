/* The parts of a chain of layouts: chain.c lays out one step after the other, chain-order.c says which follows which, chain-plan.c what
 * of one picture the next one keeps, chain-cache.c what is remembered. */
#pragma once
#include "chain.h"
#include "viewport.h"

/* A step's scene as plain arrays. */
typedef struct {
  LsLayoutInput *in;
  guint          n_ids;       /* boxes, then the other lanes of stacks */
  guint32       *id, *before, *box;      /* of each, and the box that it is drawn in */
  gboolean       is_diff;
  guint8        *differs;     /* it is part of the change */
  guint          focus;
} LsChainPlan;

/* How a pass begins. */
typedef struct {
  const LsPass *former;     /* the pass whose last step its input follows, or NULL */
  guint         size;       /* nodes of its input */
  guint         way;        /* nodes laid out from there to its input */
  gboolean      known;
} LsChainStart;

typedef struct { guint pass, step; gboolean fold; } LsChainKey;

/* The parts of a layout that the next one needs. */
typedef struct {
  gint        ref_count;
  LsChainKey  key;
  guint       n, n_ids;
  guint32    *id, *box;    /* as in the plan */
  float      *x;           /* middles */
  gint32     *rank;
  LsOutline  *outline;
  GList       link;        /* in the queue of kept places, oldest first */
} LsChainCoordinates;

typedef struct {
  LsChainKey  key;
  LsLayout   *layout;
  gsize       cost;
  GList       link;         /* in the queue of entries, oldest first */
} LsChainEntry;

struct _LsChain {
  gint          ref_count;
  LsTrace      *trace;
  GHashTable   *entries;    /* LsChainKey -> LsChainEntry */
  GQueue        order;
  gsize         cost;
  GHashTable   *kept;       /* LsChainKey -> LsChainCoordinates */
  GQueue        kept_order;
  gsize         n_kept;     /* boxes of all */
  LsChainStart *starts;     /* of each pass */
  guint         n_starts;
};

/* chain-order.c */
const LsChainStart *ls_chain_start       (LsChain *chain, const LsPass *pass);
/* The layout that the layout of a key follows; FALSE if it follows none. */
gboolean            ls_chain_find_parent (LsChain *chain, LsChainKey *key);

/* chain-plan.c */
LsChainPlan *ls_chain_plan_new  (const LsScene *scene);
void         ls_chain_plan_free (LsChainPlan *plan);
LsOutline   *ls_chain_outline   (const LsChainPlan *plan, const LsLayout *layout, LsOutline *former);
/* The positions that the boxes of a comparison keep from the layout that it follows. */
LsKeep      *ls_chain_keep_base (const LsChainPlan *plan, const LsScene *base, const LsLayout *former);
/* The positions that the plan's boxes keep from their parent; was: nodes that have a different name there (ls_pass_identities), or NULL. */
LsKeep      *ls_chain_keep_from (LsContext *ctx, const LsChainPlan *plan, const LsChainCoordinates *parent, GHashTable *was);

/* chain-cache.c */
LsLayout           *ls_chain_find         (LsChain *chain, LsChainKey key);
/* Takes the layout. */
void                ls_chain_remember     (LsChain *chain, LsChainKey key, LsLayout *layout);
/* A reference, or NULL. */
LsChainCoordinates *ls_chain_find_places  (LsChain *chain, LsChainKey key);
/* Takes the plan's ids and their boxes. Returns a reference. */
LsChainCoordinates *ls_chain_keep_places  (LsChain *chain, LsChainKey key, LsChainPlan *plan, const LsLayout *layout);
void                ls_chain_places_unref (LsChainCoordinates *places);
