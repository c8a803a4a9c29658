/* How the language of the kernel that is shown spells things: a table whose rows are the fields of the dialect and the operations. */
#pragma once
#include "session/session.h"
#include "kit/table.h"

G_BEGIN_DECLS

LsTable *ls_dialect_table_new (LsViewSession *session);

G_END_DECLS
