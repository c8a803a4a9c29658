/* Rebuilds the context that the rules of a recorded pass used while it ran, from the recording's settings, options and kernel graph. */
#pragma once
#include "trace/trace.h"

typedef struct _LsPassContext LsPassContext;
/* As it was after n_steps steps of the pass; new nodes are made in a context over `over`, the trace's or one over that. without: one of
 * trace->settings that has its default instead, or NULL. NULL: its rules use no context, or the pass cannot be rebuilt (for example
 * because of rules from a user's file). Free with ls_pass_context_free, before the trace. */
LsPassContext *ls_pass_context_new   (LsTrace *trace, const LsPass *pass, LsContext *over, guint n_steps, const char *without);
LsContext     *ls_pass_context_nodes (LsPassContext *context);      /* where results that use it are made */
gpointer       ls_pass_context_get   (LsPassContext *context);      /* for ls_rule_explain and ls_rule_guards; NULL of NULL */
void           ls_pass_context_free (LsPassContext *context);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsPassContext, ls_pass_context_free)
