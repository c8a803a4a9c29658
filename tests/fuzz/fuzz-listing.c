/* Fuzzing the readers of the IR's text forms: the listing, pyrender code and arguments. What is read prints, and reads back as the
 * same nodes. */
#include <string.h>

#include "ir/print.h"

int LLVMFuzzerTestOneInput (const guint8 *data, size_t size);

int
LLVMFuzzerTestOneInput (const guint8 *data, size_t size)
{
  if (size < 1 || size > 8192 || memchr (data, 0, size))
    return 0;
  g_autofree char *text = g_strndup ((const char *) data + 1, size - 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (LsContext) ctx = ls_context_new ();
  if (data[0] % 3 == 0) {
    g_autoptr (GPtrArray) list = ls_listing_parse (ctx, text, &error);
    g_assert ((list == NULL) == (error != NULL));
    if (list) {
      g_autofree char *printed = ls_listing_print (ctx, list->len, (LsUOp **) list->pdata, LS_STYLE_OPS);
      g_assert_nonnull (printed);
    }
  } else if (data[0] % 3 == 1) {
    LsUOp *root = ls_pyrender_parse (ctx, text, &error);
    g_assert ((root == NULL) == (error != NULL));
    if (root) {
      g_autofree char *printed = ls_pyrender (ctx, root);
      g_assert_true (ls_pyrender_parse (ctx, printed, &error) == root);
    }
  } else {
    LsArg arg;
    if (ls_arg_parse (ctx, text, &arg)) {
      LsArg again;
      g_autofree char *printed = ls_arg_print (arg);
      g_assert_true (ls_arg_parse (ctx, printed, &again));
      g_assert_true (ls_arg_equal (arg, again));
    }
  }
  return 0;
}
