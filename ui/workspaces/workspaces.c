/* The list of workspaces, and the rows' functions for each. */
#include "workspaces.h"
#include "compare-view.h"
#include "program-view.h"
#include "steps-view.h"

#include <glib/gi18n.h>

static void
show_statements (GtkWidget *program, LsViewSession *session)
{
  ls_program_view_set_trace (LS_PROGRAM_VIEW (program), ls_view_session_get_trace (session));
}

static char **
question_of_compare (GtkWidget *compare)
{
  return ls_compare_view_question (LS_COMPARE_VIEW (compare));
}

static void
step_compared (GtkWidget *compare, int direction)
{
  ls_compare_view_step_kernel (LS_COMPARE_VIEW (compare), direction);
}

static gboolean
back_to_table (GtkWidget *compare)
{
  return ls_compare_view_back (LS_COMPARE_VIEW (compare));
}

#define X(NAME, name, title, type, traits, ...) { LS_WORKSPACE_##NAME, name, title, type, traits, __VA_ARGS__ },
const LsWorkspace ls_workspaces[] = {
#include LS_WORKSPACES_DEF
};
#undef X

const guint ls_n_workspaces = G_N_ELEMENTS (ls_workspaces);

const LsWorkspace *
ls_workspace_find (const char *name)
{
  for (guint i = 0; i < ls_n_workspaces; i++)
    if (g_strcmp0 (ls_workspaces[i].name, name) == 0)
      return &ls_workspaces[i];
  return NULL;
}
