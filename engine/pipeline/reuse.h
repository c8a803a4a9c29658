/* Values that the kernels of earlier realizations stored, which a later one can read instead of computing them again. */
#pragma once
#include "schedule/schedule.h"

typedef struct _LsReuse LsReuse;

LsReuse    *ls_reuse_new    (void);
void        ls_reuse_free   (LsReuse *reuse);
/* The kernels of the schedule of that graph ran. */
void        ls_reuse_add    (LsReuse *reuse, LsUOp *sink, const LsSchedule *schedule);
/* The memory of the buffer of that number was given back. */
void        ls_reuse_forget (LsReuse *reuse, guint buffer);
/* Which stored values the schedule of that graph reads: as LsScheduleHow.stored; NULL: none. how: without them. Free with
 * g_hash_table_unref. */
GHashTable *ls_reuse_choose (const LsReuse *reuse, LsContext *ctx, LsUOp *sink, LsScheduleHow how);
/* The same of given nodes (ids, n), which were chosen before; those that no kernel stored are left out. */
GHashTable *ls_reuse_find   (const LsReuse *reuse, LsContext *ctx, LsUOp *sink, const GHashTable *nodes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsReuse, ls_reuse_free)
