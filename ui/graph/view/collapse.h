/* Where boxes are when some are collapsed: where they were in the whole picture. */
#pragma once
#include "graph/layout/scene.h"
#include "graph/layout/viewport.h"
#include "graph/layout/layout.h"

/* former: the layout of scene->whole. The scene is read before the call returns. */
void       ls_collapse_layout_async  (const LsScene *scene, LsLayout *former, GCancellable *cancellable, GAsyncReadyCallback callback,
                                      gpointer data);
LsLayout  *ls_collapse_layout_finish (GAsyncResult *result, GError **error);
/* The same at once. */
LsLayout  *ls_collapse_layout        (const LsScene *scene, LsLayout *former);
