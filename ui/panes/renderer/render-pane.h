/* What the renderer made of each node of the listing, and the procedure that it rendered: tables whose rows are nodes. */
#pragma once
#include "session/session.h"
#include "kit/table.h"

G_BEGIN_DECLS

LsTable *ls_render_table_new    (LsViewSession *session);
LsTable *ls_procedure_table_new (LsViewSession *session);

G_END_DECLS
