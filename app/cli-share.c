/* lazyscope-cli share: a pass, a step of it, or a program's walk as one HTML page that needs nothing else. */
#include "cli.h"
#include "share/page.h"

static char *
make_page (const LsCliOptions *o, LsTrace *trace, GError **error)
{
  if (!ls_cli_is_placed (o) && o->node < 0)
    return ls_page_walk (trace, LS_PAGE_STOPS, error);
  LsPass *pass = ls_cli_pass (o, trace, error);
  const LsPlacePoint *to = &o->places[0].base;
  LsPosition base;
  if (!pass || (to->kernel != LS_PLACE_NONE && !ls_place_resolve (to, trace, &base, error)))
    return NULL;
  guint step = o->step < 0 ? ls_pass_n_steps (pass) : (guint) o->step;
  g_autoptr (LsGraph) graph = o->node >= 0 ? ls_pass_graph (trace, pass, step) : NULL;
  if (graph && !ls_graph_node (graph, (guint32) o->node)) {
    g_set_error (error, LS_ERROR, LS_ERROR_USAGE, "pass %s has no node %d at step %u; show --format json lists them", pass->name, o->node,
                 step);
    return NULL;
  }
  return ls_page_pass (trace, pass, step, to->kernel != LS_PLACE_NONE ? &base : NULL, o->node < 0 ? LS_NO_NODE : (guint32) o->node,
                       LS_PAGE_BOXES, error);
}

gboolean
ls_cli_write_page (const char *path, const char *page, GError **error)
{
  g_autoptr (GError) own = NULL;
  if (g_file_set_contents (path, page, -1, &own))
    return TRUE;
  g_set_error (error, LS_ERROR, LS_ERROR_FILE, "the page cannot be written: %s; the old file is unchanged. Give another file with --html",
               own->message);
  return FALSE;
}

static int
run (LsCliOptions *o, char **files, GError **error)
{
  if (!o->html || !*o->html)
    return ls_cli_refuse (error, "share: --html OUT.html is needed, the file to write");
  g_autoptr (LsTrace) trace = ls_cli_open (o, *files, error);
  if (!trace)
    return LS_EXIT_WRONG;
  g_autofree char *page = make_page (o, trace, error);
  return page && ls_cli_write_page (o->html, page, error) ? LS_EXIT_DONE : LS_EXIT_WRONG;
}

const LsCliCommand ls_cli_share = {
  run, N_("Writes one self-contained HTML page: the steps of a pass for FILE#KERNEL/PASS/STEP, a comparison with another place for "
       "…~BASE, the program's statements for FILE alone."),
};
