/* lazyscope-cli export: a run as one C file. */
#include "cli.h"

#include "pipeline/export.h"

static int
run (LsCliOptions *o, char **files, GError **error)
{
  if (!o->out)
    return ls_cli_refuse (error, "export: -o OUT.c is needed");
  g_autoptr (LsTrace) t = ls_cli_open_whole (o, *files, error);
  g_autofree char *text = t ? ls_export_c (t, error) : NULL;
  g_autoptr (GError) own = NULL;
  if (text && !g_file_set_contents (o->out, text, -1, &own))
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "the file cannot be written: %s; the old file is unchanged. Give another one with -o",
                 own->message);
  return text && !own ? LS_EXIT_DONE : LS_EXIT_WRONG;
}

const LsCliCommand ls_cli_export = {
  run, N_("Writes a run as one C file (-o OUT.c): its kernels, its buffers with the data that the program brought, and the launches in "
          "order. Compiled and run, it prints the tensors that the program read, as JSON."),
};
