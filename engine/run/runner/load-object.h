/* Loads an object of LLVM's, in memory, without a linker. */
#pragma once
#include <glib.h>

typedef struct {
  void   *base;          /* of its code and constants, which can be read and executed and not written */
  gsize   size;
  void   *call, *function;
  gsize   n_function;
  guint64 address;       /* of the function in its section */
} LsLoaded;

/* image: the object, which is changed: its debug sections get their relocations, too. call and function: two symbols that it must define.
 * FALSE and *message (free with g_free): it is damaged, or has what kernels must not have: variables, code that runs when it is
 * loaded, calls of functions that are not those of symbols.c. */
gboolean ls_load_object   (guint8 *image, gsize n, const char *call, const char *function, LsLoaded *loaded, char **message);
void     ls_unload_object (LsLoaded *loaded);
