/* The Program tab of the Steps workspace: the lines of the program, to choose from and to see what the selection descends from. */
#pragma once
#include "session/session.h"
#include "kit/table.h"

G_BEGIN_DECLS

LsTable *ls_program_table_new (LsViewSession *session);

G_END_DECLS
