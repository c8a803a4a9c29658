/* Distributions name it libLLVM-14.so.1 up to version 17 and libLLVM.so.18.1 from 18 on, in the folder of the machine's libraries or in
 * one of LLVM's own. */
#include "llvm-library.h"

#include <string.h>

#ifdef __x86_64__
#define MULTIARCH "x86_64-linux-gnu"
#elif defined __aarch64__
#define MULTIARCH "aarch64-linux-gnu"
#else
#define MULTIARCH "linux-gnu"
#endif

guint
ls_llvm_library_major (const char *path)
{
  g_autofree char *name = path ? g_path_get_basename (path) : NULL;
  const char *number = !name ? NULL : g_str_has_prefix (name, "libLLVM-") ? name + 8 : g_str_has_prefix (name, "libLLVM.so.") ? name + 11
                                                                                                                             : NULL;
  return number ? (guint) g_ascii_strtoull (number, NULL, 10) : 0;
}

static char *
in_folder (const char *folder, guint major)
{
  static const struct { const char *before, *after; } forms[] = { { "libLLVM.so.", ".1" }, { "libLLVM-", ".so.1" }, { "libLLVM-", ".so" } };
  for (guint k = 0; k < G_N_ELEMENTS (forms); k++) {
    char *path = g_strdup_printf ("%s/%s%u%s", folder, forms[k].before, major, forms[k].after);
    if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
      return path;
    g_free (path);
  }
  return NULL;
}

static char *
find (void)
{
  const char *given = g_getenv ("LAZYSCOPE_LLVM");
  if (given && *given)
    return g_file_test (given, G_FILE_TEST_IS_REGULAR) ? g_strdup (given) : NULL;
  g_auto (GStrv) asked = g_strsplit (g_getenv ("LD_LIBRARY_PATH") ? g_getenv ("LD_LIBRARY_PATH") : "", ":", -1);
  static const char *const system[] = { "/usr/local/lib", "/usr/lib/" MULTIARCH, "/usr/lib64", "/usr/lib", "/lib64", "/lib", NULL };
  /* Of kernels that tests/bench/llvm-clang.py times 14 makes what clang 14 makes; 15 and later take 2.3 times as long for a sum of a
   * softmax that is unrolled by 32, and 19 takes 2 to 4 times as long for products, of which it makes vectors of 128 bits. */
  static const guint majors[] = { 14, 15, 16, 17, 18, LS_LLVM_NEWEST, 19 };
  for (guint i = 0; i < G_N_ELEMENTS (majors); i++) {
    guint major = majors[i];
    char *path = NULL;
    for (guint k = 0; asked[k] && !path; k++)
      path = *asked[k] ? in_folder (asked[k], major) : NULL;
    for (guint k = 0; system[k] && !path; k++)
      path = in_folder (system[k], major);
    static const char *const own[] = { "/usr/lib/llvm-", "/usr/lib/llvm", "/usr/lib64/llvm" };
    for (guint k = 0; k < G_N_ELEMENTS (own) && !path; k++) {
      g_autofree char *folder = g_strdup_printf ("%s%u/lib", own[k], major);
      path = in_folder (folder, major);
    }
    if (path)
      return path;
  }
  return NULL;
}

const char *
ls_llvm_library (void)
{
  static gsize known;
  static char *path;
  if (g_once_init_enter (&known)) {
    path = find ();
    g_once_init_leave (&known, 1);
  }
  return path;
}
