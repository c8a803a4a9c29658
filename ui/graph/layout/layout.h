/* Where boxes go, found without holding up the main thread.
 *
 * Up to LS_LAYOUT_DOT_NODES boxes are laid out by Graphviz's dot in a helper process: dot cannot be interrupted and two threads of it
 * crash, so it is a process that can be killed. Graphs that dot cannot lay out within its time, and every larger graph, go to
 * ls_ranks_layout in a thread.
 */
#pragma once
#include "ranks.h"

#define LS_LAYOUT_DOT_NODES 600
#define LS_LAYOUT_LIMIT_MS  2000

/* limit_ms: time for dot; 0 asks for plain ranks at once. The input is copied. */
void      ls_layout_async  (const LsLayoutInput *input, guint limit_ms, GCancellable *cancellable, GAsyncReadyCallback callback,
                            gpointer data);
/* NULL with G_IO_ERROR_CANCELLED when cancelled; otherwise there always is a layout. */
LsLayout *ls_layout_finish (GAsyncResult *result, GError **error);

/* The helper's two texts. parse returns NULL when the text is not for that input. */
char     *ls_layout_describe (const LsLayoutInput *input);
LsLayout *ls_layout_parse    (const LsLayoutInput *input, const char *text);
