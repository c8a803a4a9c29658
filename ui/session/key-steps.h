/* LsKeySteps: steps worth a stop: where each rule of a kernel fires first, and where a pass shrinks its graph most. */
#pragma once
#include "trace/trace.h"

typedef struct _LsKeySteps LsKeySteps;
typedef void (*LsKeyStepsChanged) (gpointer data);

LsKeySteps   *ls_key_steps_new      (LsKeyStepsChanged changed, gpointer data);
void          ls_key_steps_free     (LsKeySteps *key_steps);
/* The pass that is shown (NULL: none); signal changed reports steps that take time to find. */
void          ls_key_steps_set_pass (LsKeySteps *key_steps, LsTrace *trace, const LsPass *pass);
/* TRUE while it is being found out, except in a pass so long that nobody should wait for it. */
gboolean      ls_key_steps_get_busy (LsKeySteps *key_steps);
/* Steps of the pass at which rules fire first (guint, ascending). */
const GArray *ls_key_steps_firsts   (LsKeySteps *key_steps);
/* The step that shrinks the graph most, or 0: none does, or it is not known yet. In a pass of more than 5,000 steps only the steps whose
 * rule dropped most nodes are compared. */
guint         ls_key_steps_shrink   (LsKeySteps *key_steps);
/* The next or previous key moment, across the passes of the kernel. FALSE where there is none. */
gboolean      ls_key_steps_find     (LsKeySteps *key_steps, guint step, int direction, guint *pass, guint *to);
