/* Frames around the boxes of loops, behind a picture whose boxes have their positions already.
 *
 * A box is in the frame of the innermost loop that it depends on, and so in the frames around that one: the nesting is that of the
 * listing's rows (codegen/linearize.h). A frame is the rectangle around its boxes without the holes, in which other boxes are: these are
 * executed before the loop, or after it, or in another one. So it needs nothing of the layout, and moves no box.
 */
#pragma once
#include "ranks.h"
#include "scene.h"
#include "viewport.h"

/* The frame of a loop, or of loops around each other that have the same boxes. */
typedef struct {
  guint16 loop, outer;            /* the innermost and the outermost of its loops, their numbers + 1 */
  guint   n_boxes;
  guint   first_hole, n_holes;    /* in LsFrames.holes */
  LsBox   box;
  LsBox   title;                  /* on its upper edge */
  char   *text;
} LsFrame;

typedef struct {
  guint   version;                /* of the loops: 0 before, 1 after */
  GArray *frames;                 /* LsFrame, outer ones first */
  GArray *holes;                  /* LsBox */
} LsFrames;

/* Frames of the boxes that are shown (LsSceneSide). */
LsFrames *ls_frames_new  (const LsScene *scene, const LsLayout *layout, guint sides);
void      ls_frames_free (LsFrames *frames);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsFrames, ls_frames_free)
/* The frame whose title is there, or the innermost frame of a box; or -1. */
int       ls_frames_title_at (const LsFrames *frames, double x, double y);
int       ls_frames_of       (const LsFrames *frames, const LsScene *scene, guint node);
