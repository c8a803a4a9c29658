/* LsScheduleScene: kernels and buffers of a recording as a picture, and why each of them is there in words. */
#pragma once
#include "graph/layout/scene.h"

#define LS_SCHEDULE_KERNELS 1500      /* more than these are shown as a part, around the kernel at hand */

/* Ids of the picture's nodes. */
#define LS_SCHEDULE_BUFFER 0x80000000u
#define LS_SCHEDULE_COPY   0xc0000000u
static inline guint32 ls_schedule_kernel_id (guint number) { return number; }
static inline guint32 ls_schedule_buffer_id (guint id) { return id | LS_SCHEDULE_BUFFER; }
/* The copy of host data to that buffer. */
static inline guint32 ls_schedule_copy_id (guint id) { return id | LS_SCHEDULE_COPY; }

typedef struct {
  LsTrace *trace;
  guint    first, last;       /* kernels of the picture; 0, 0 for none */
  GArray  *writers;           /* guint by buffer id: the number of the kernel that writes it last, or 0 */
} LsScheduleScene;

/* around: number of the kernel at hand. Linear in the kernels that are shown. */
LsScheduleScene *ls_schedule_scene_new   (LsTrace *trace, guint around);
void        ls_schedule_scene_free  (LsScheduleScene *schedule);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsScheduleScene, ls_schedule_scene_free)
/* The picture: buffers, kernels and copies of host data as boxes, arrows along the data. */
LsScene    *ls_schedule_scene_draw (LsScheduleScene *schedule);
/* Whether a kernel writes its argument. */
gboolean    ls_schedule_scene_writes (LsScheduleScene *schedule, const LsKernel *kernel, guint argument);
/* Sentences about a kernel, a copy or a buffer, by its id in the picture: what it is, why it is there, why it was not fused with its
 * neighbours. Free with g_free. */
char       *ls_schedule_scene_sentence (LsScheduleScene *schedule, guint32 id);
