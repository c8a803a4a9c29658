/* LsMoments: steps worth a stop: where each rule of a kernel fires first, and where a pass shrinks its graph most. */
#pragma once
#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct _LsMoments LsMoments;
typedef void (*LsMomentsChanged) (gpointer data);

LsMoments *ls_moments_new      (LsMomentsChanged changed, gpointer data);
void       ls_moments_free     (LsMoments *moments);
/* The pass that is shown (NULL: none); what it takes time to find out is told by changed. */
void       ls_moments_set_pass (LsMoments *moments, LsTrace *trace, const LsPass *pass);
/* TRUE while it is being found out, except in a pass so long that nobody should wait for it. */
gboolean   ls_moments_get_busy (LsMoments *moments);
/* Steps of the pass at which rules fire first (guint, ascending). */
const GArray *ls_moments_firsts (LsMoments *moments);
/* The step that shrinks the graph most, or 0: none does, or it is not known yet. Of a pass of more than 5,000 steps those are
 * compared whose rule let go of most. */
guint      ls_moments_shrink   (LsMoments *moments);
/* The next or previous key moment, across the passes of the kernel. FALSE where there is none. */
gboolean   ls_moments_find     (LsMoments *moments, guint step, int direction, guint *pass, guint *to);

G_END_DECLS
