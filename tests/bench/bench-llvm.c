/* How long LLVM takes to compile kernels, in milliseconds of processor time of the thread: the first time in a process, and the best of
 * five. Arguments: files with texts of target llvm (lazyscope-cli show FILE --target llvm --stage source --kernel K), and flags, which
 * are of the files behind them. LAZYSCOPE_LLVM says which library. */
#include <string.h>
#include <time.h>

#include "run/runner/compile.h"

static double
now_ms (void)
{
  struct timespec t;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return (double) t.tv_sec * 1e3 + (double) t.tv_nsec / 1e6;
}

int
main (int argc, char **argv)
{
  g_setenv ("LAZYSCOPE_CACHE", "0", TRUE);
  double begin = now_ms ();
  const char *version = ls_version_llvm ();
  g_print ("LLVM %s, loaded in %.1f ms\n", version, now_ms () - begin);
  g_print ("%10s %10s %8s %8s  %s\n", "first ms", "best ms", "rows", "bytes", "kernel");
  const char *flags = "-O2 -march=native";
  for (int i = 1; i < argc; i++) {
    if (*argv[i] == '-') {
      flags = argv[i];
      continue;
    }
    g_autofree char *text = NULL, *name = NULL, *message = NULL;
    const char *from;
    if (!g_file_get_contents (argv[i], &text, NULL, NULL) || !(from = strstr (text, "define void @")))
      continue;
    from += strlen ("define void @");
    name = g_strndup (from, strcspn (from, "("));
    double first = 0, best = G_MAXDOUBLE;
    gsize bytes = 0;
    guint rows = 0;
    for (const char *at = text; (at = strstr (at, "= !DILocation")); at++)
      rows++;
    for (guint k = 0; k < 5; k++) {
      begin = now_ms ();
      LsCode *code = ls_compile_llvm (ls_compiler_find ("llvm"), flags, name, from - strlen ("define void @"), FALSE, &message);
      double ms = now_ms () - begin;
      if (!code) {
        g_printerr ("%s: %s\n", argv[i], message);
        break;
      }
      bytes = code->n_function;
      first = k ? first : ms;
      best = MIN (best, ms);
      ls_code_free (code);
    }
    g_print ("%10.1f %10.1f %8u %8" G_GSIZE_FORMAT "  %s\n", first, best, rows, bytes, name);
  }
  return 0;
}
