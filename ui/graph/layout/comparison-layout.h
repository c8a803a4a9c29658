/* The layout of a comparison: a function of (base, position, folding). What stays has the place that it has at the base. */
#pragma once
#include "chain.h"
#include "viewport.h"

G_BEGIN_DECLS

/* scene: what changed from step of pass, the base, to somewhere; it is read before the call returns. */
void       ls_comparison_layout_async  (LsChain *chain, const LsPass *pass, guint step, gboolean fold, const LsScene *scene,
                                     GCancellable *cancellable,
                                     GAsyncReadyCallback callback, gpointer data);
/* former gets the base's own layout. */
LsLayout  *ls_comparison_layout_finish (GAsyncResult *result, LsLayout **former, GError **error);

/* The same at once, for programs without a window. NULL in a recording that cannot be replayed. */
LsLayout  *ls_comparison_layout        (LsChain *chain, const LsPass *pass, guint step, gboolean fold, const LsScene *scene);

/* What the viewport needs to know of a picture that is no step; former may be NULL. */
LsOutline *ls_comparison_outline       (const LsScene *scene, const LsLayout *layout, LsOutline *former);

G_END_DECLS
