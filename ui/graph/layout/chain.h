/* Where boxes are at a step of a pass: a function of (pass, step, folding) and of nothing else, whatever was looked at before.
 *
 * A chain belongs to the main thread, on which the recording may be read. Layouts themselves are made in threads, from plain arrays.
 */
#pragma once
#include "follow.h"
#include "scene.h"

#define LS_CHAIN_BLOCK 16      /* steps from keyframe to keyframe */
#define LS_CHAIN_WIDE  500     /* nodes of a pass's input: above, ways are shorter */

typedef struct _LsChain LsChain;

LsChain *ls_chain_new   (LsTrace *trace);
LsChain *ls_chain_ref   (LsChain *chain);
void     ls_chain_unref (LsChain *chain);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsChain, ls_chain_unref)

/* The step of its pass that a step's layout follows, or G_MAXUINT for the input. wide: the pass's input has more than LS_CHAIN_WIDE
 * nodes. */
guint     ls_chain_parent        (guint step, gboolean wide);
/* A layout that is known already, or NULL; not a reference. */
LsLayout *ls_chain_peek          (LsChain *chain, const LsPass *pass, guint step, gboolean fold);
/* The layout if it is cached or takes only some milliseconds, or NULL; not a reference. Layouts on the way stay cached. */
LsLayout *ls_chain_layout_now    (LsChain *chain, const LsPass *pass, guint step, gboolean fold, const LsScene *scene, guint ms);
/* scene: what the step shows (ls_chain_scene), when it is at hand, or NULL. */
void      ls_chain_layout_async  (LsChain *chain, const LsPass *pass, guint step, gboolean fold, const LsScene *scene,
                                  GCancellable *cancellable,
                                  GAsyncReadyCallback callback, gpointer data);
LsLayout *ls_chain_layout_finish (GAsyncResult *result, GError **error);
/* The same at once, for programs without a window. NULL in a recording that cannot be replayed. */
LsLayout *ls_chain_layout        (LsChain *chain, const LsPass *pass, guint step, gboolean fold, const LsScene *scene);
/* The layout of a comparison, a function of (pass, step, folding) and of its base; it follows the layout of the step. scene: the changes
 * from the step to another place; it is read before the call returns. ls_chain_layout_finish gives the layout. */
void      ls_chain_comparison_async (LsChain *chain, const LsPass *pass, guint step, gboolean fold, const LsScene *scene,
                                     GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data);
LsLayout *ls_chain_comparison    (LsChain *chain, const LsPass *pass, guint step, gboolean fold, const LsScene *scene);
/* The boxes and edges of a scene that are laid out. */
LsLayoutInput *ls_scene_layout_input (const LsScene *scene);
/* The picture of a step: its change; the graph at step 0. NULL in a recording that cannot be replayed. */
LsScene  *ls_chain_scene         (LsTrace *trace, const LsPass *pass, guint step, gboolean fold);
/* The layout that follows another one, or a fresh one laid over it where that is better; keep may be NULL. Any thread. NULL when
 * cancelled. */
LsLayout *ls_chain_make          (const LsLayoutInput *input, const LsKeep *keep, gboolean keyframe, GCancellable *cancellable);
