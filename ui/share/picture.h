/* The picture of a graph as SVG: for a page that opens with it, and alone. */
#pragma once
#include "graph/layout/scene.h"
#include "graph/layout/ranks.h"

/* <svg id="graph">…</svg>, styled by the page (picture.css). scene NULL: an empty one. */
void  ls_picture_append (GString *out, const LsScene *scene, const LsLayout *layout);
/* A file of SVG, in light colours, with the boxes where the window has them: the change of a step, or with step < 0 the graph after
 * the pass. NULL with LS_ERROR_FILE: the recording has no such graph. Free with g_free. */
char *ls_picture_svg    (LsTrace *trace, const LsPass *pass, int step, GError **error);
