/* The tables below listing and source: timing, stages, values, schedule decisions. */
#pragma once
#include "session/session.h"
#include "kit/table.h"

G_BEGIN_DECLS

/* Each makes a table that follows the session. */
LsTable *ls_stages_table_new   (LsViewSession *session);      /* stages of the position's kernel */
LsTable *ls_values_table_new   (LsViewSession *session);      /* buffers */
LsTable *ls_schedule_table_new (LsViewSession *session);      /* why tensors got, or did not get, a buffer */
GtkWidget *ls_memory_page_new  (LsViewSession *session);      /* memory over the kernels around the position's */

G_END_DECLS
