/* How long kernels took, in tables that follow the session: each kernel against the others, its repeats, and what making it took. A
 * row leads to its kernel. */
#pragma once
#include "session/session.h"
#include "kit/table.h"

G_BEGIN_DECLS

LsTable *ls_timing_table_new  (LsViewSession *session);
LsTable *ls_repeats_table_new (LsViewSession *session);
LsTable *ls_compile_table_new (LsViewSession *session);

G_END_DECLS
