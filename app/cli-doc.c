/* lazyscope-cli doc: the library's documentation of one of its names. */
#include "cli.h"

#include "program/program.h"

#include <string.h>

int
ls_cli_doc (int argc, char **argv)
{
  GError *error = NULL;
  if (argc > 2 && (strcmp (argv[2], "--help") == 0 || strcmp (argv[2], "-h") == 0)) {
    puts (_("Usage: lazyscope-cli doc [NAME]\n\nShows the signature, description and source of a name of the tensor library: "
            "softmax, nn.Linear,\nnn.optim.Adam, UOp.substitute. Without a name: lists the methods of tensors."));
    return LS_EXIT_DONE;
  }
  if (argc > 3 || (argc == 3 && argv[2][0] == '-')) {
    g_set_error (&error, LS_ERROR, LS_ERROR_USAGE, "doc: expected one name; '%s' is extra", argv[argc > 3 ? 3 : 2]);
    return ls_cli_fail (error);
  }
  g_autofree char *text = ls_library_doc (argc > 2 ? argv[2] : NULL, &error);
  if (!text)
    return ls_cli_fail (error);
  fputs (text, stdout);
  return LS_EXIT_DONE;
}
