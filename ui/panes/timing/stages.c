/* The stages of the position's kernel: a table, whose rows lead to the passes. The position's is marked and in view. */
#include "kit/table.h"
#include "panes/panes.h"

#include <glib/gi18n.h>

enum { S_STAGE, S_RULES, S_STEPS, S_TIME, S_SHARE, S_BAR };
static const LsTableColumn stage_columns[] = {
  [S_STAGE] = { N_("Stage"), FALSE, FALSE }, [S_RULES] = { N_("Rules"), FALSE, TRUE }, [S_STEPS] = { N_("Steps"), TRUE, FALSE },
  [S_TIME] = { N_("Time"), TRUE, FALSE }, [S_SHARE] = { N_("Share"), TRUE, FALSE },
  [S_BAR] = { "", .expand = TRUE, .bar = TRUE },
};

typedef struct { LsViewSession *session; LsTrace *trace; guint kernel; guint64 total, most; GArray *passes; const LsPass *here; } Stages;

static void
stages_free (gpointer data)
{
  Stages *stages = data;
  g_object_unref (stages->session);
  g_array_unref (stages->passes);
  g_free (stages);
}

static const LsPass *
stage_pass (LsTable *table, guint row)
{
  const Stages *stages = ls_table_get_data (table);
  return row < stages->passes->len ? stages->trace->passes->pdata[g_array_index (stages->passes, guint, row)] : NULL;
}

static char *
stage_cell (LsTable *table, guint row, guint column)
{
  const Stages *stages = ls_table_get_data (table);
  const LsPass *p = stage_pass (table, row);
  if (!p)
    return NULL;
  switch (column) {
  case S_STAGE: return ls_text_valid (p->name);
  case S_RULES: return p->kind == LS_PASS_MAP ? NULL : ls_text_valid (p->set);
  case S_STEPS: return ls_pass_n_steps (p) ? ls_text_count (ls_pass_n_steps (p)) : NULL;
  case S_TIME: return ls_text_ns ((double) p->ns);
  case S_BAR: return stages->most ? g_strdup_printf ("%.1f %%", 100.0 * (double) p->ns / (double) stages->most) : NULL;
  default: return stages->total ? g_strdup_printf ("%.1f %%", 100.0 * (double) p->ns / (double) stages->total) : NULL;
  }
}

static gboolean
is_current (LsTable *table, guint row)
{
  const LsPass *pass = stage_pass (table, row);
  return pass && pass == ((const Stages *) ls_table_get_data (table))->here;
}

static void
list_stages (Stages *stages)
{
  stages->total = stages->most = 0;
  g_array_set_size (stages->passes, 0);
  for (guint i = 0; stages->trace && i < stages->trace->passes->len; i++) {
    const LsPass *p = stages->trace->passes->pdata[i];
    if (p->kernel != stages->kernel)
      continue;
    stages->total += p->ns;
    stages->most = MAX (stages->most, p->ns);
    g_array_append_val (stages->passes, i);
  }
}

void
ls_stages_pane_changed (gpointer table, LsWatch what)
{
  Stages *stages = ls_table_get_data (table);
  LsTrace *trace = ls_view_session_get_trace (stages->session);
  const LsPass *here = ls_view_session_pass (stages->session);
  guint kernel = here ? here->kernel : 0;
  gboolean others = stages->trace != trace || stages->kernel != kernel;
  if (!others && stages->here == here)
    return;
  stages->trace = trace;
  stages->kernel = kernel;
  stages->here = here;
  if (others) {
    list_stages (stages);
    ls_table_set_rows (table, stages->passes->len);
  } else
    ls_table_update_marks (table);
  for (guint i = 0; i < stages->passes->len; i++)
    if (is_current (table, i))
      ls_table_show_row (table, i, 0);
}

static void
on_row (LsTable *table, guint row)
{
  const LsPass *pass = stage_pass (table, row);
  if (pass)
    ls_view_session_enter_pass (((const Stages *) ls_table_get_data (table))->session, pass);
}

GtkWidget *
ls_stages_pane_new (LsViewSession *session)
{
  LsTable *table = ls_table_new ("stages", stage_columns, G_N_ELEMENTS (stage_columns), stage_cell, _("No stages"));
  Stages stages = { g_object_ref (session), NULL, G_MAXUINT, 0, 0, g_array_new (FALSE, FALSE, sizeof (guint)), NULL };
  ls_table_set_data (table, g_memdup2 (&stages, sizeof stages), stages_free);
  ls_table_set_marked (table, is_current);
  ls_table_set_links (table);
  g_signal_connect (table, "row-activated", G_CALLBACK (on_row), NULL);
  return GTK_WIDGET (table);
}
