/* The frame of a loop as SVG paths: what the window clips at its holes is cut there, since a page's style and script may name no address,
 * which is how SVG refers to a clip. */
#pragma once
#include "graph/layout/frames.h"

#define LS_FRAME_TITLE 12      /* height of a title */

/* fill: its inside (rule even-odd); line: its outline outside of holes; faint: the outlines of holes inside of it. Whole units. */
void ls_loop_frame_paths (const LsFrames *frames, const LsFrame *frame, GString *fill, GString *line, GString *faint);
/* The class of a frame's colour: the type of its axis + 1; 0: it has none. */
guint ls_loop_frame_axis (const LsScene *scene, const LsFrames *frames, const LsFrame *frame);
