/* The built-in compiler: libtcc, in memory.
 *
 * -nostdlib leaves the code with nothing but the functions of symbols.c, so that a kernel cannot reach the system by accident, and spares
 * reading libtcc1.a. -Werror matters: tcc only warns of an undeclared function, and then calls it with the wrong convention for floats.
 * tcc neither contracts nor reorders floats, wraps integers and assumes nothing of aliasing, so it needs no options for them. The
 * options are in its row of the compilers.
 */
#include <libtcc.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "code-lines.h"
#include "../../ir/functions.h"
#include "compile.h"
#include "symbols.h"

static void
collect_message (void *text, const char *message)
{
  g_string_append ((GString *) text, message);
  g_string_append_c ((GString *) text, '\n');
}

/* The function ends where the next symbol begins: ls_call, which follows it, at the latest. */
typedef struct { guintptr start, end; } Extent;

static void
narrow_extent (void *data, const char *name, const void *value)
{
  Extent *extent = data;
  guintptr at = (guintptr) value;
  if (at > extent->start && at < extent->end)
    extent->end = at;
}

static TCCState *
new_state (const char *options, int output, GString *text)
{
  TCCState *state = tcc_new ();
  tcc_set_error_func (state, text, collect_message);
  tcc_set_options (state, options);
  tcc_set_output_type (state, output);
  return state;
}

const char *
ls_version_tcc (void)
{
  static char version[16];
  if (*version)
    return version;
  GString *text = g_string_new (NULL);
  TCCState *state = new_state ("-nostdlib", TCC_OUTPUT_MEMORY, text);
  int (*number) (void) = NULL;
  if (tcc_compile_string (state, "int number (void) { return __TINYC__; }") == 0 && tcc_relocate (state, TCC_RELOCATE_AUTO) == 0)
    number = (int (*) (void)) tcc_get_symbol (state, "number");
  int n = number ? number () : 0;
  g_snprintf (version, sizeof version, "%d.%d.%d", n / 10000, n / 100 % 100, n % 100);
  tcc_delete (state);
  g_string_free (text, TRUE);
  return version;
}

/* Compiles to an object with lines in it, which libtcc has no way to in memory, and loads that. -1: it failed. */
static int
open_object (const char *options, const char *wrapped, TCCState *state, GString *text)
{
  g_autofree char *with_lines = g_strconcat (options, " -g", NULL);
  TCCState *compiler = new_state (with_lines, TCC_OUTPUT_OBJ, text);
  int fd = memfd_create ("kernel.o", MFD_CLOEXEC);
  g_autofree char *path = g_strdup_printf ("/proc/self/fd/%d", fd);
  gboolean ok = fd >= 0 && tcc_compile_string (compiler, wrapped) == 0 && tcc_output_file (compiler, path) == 0;
  tcc_delete (compiler);
  if (ok) {
    tcc_set_options (state, "-xb");      /* the path does not say that it is an object */
    ok = tcc_add_file (state, path) == 0;
  }
  if (ok || fd < 0)
    return fd;
  close (fd);
  return -1;
}

LsCode *
ls_compile_tcc (const char *options, const char *name, const char *wrapped, gboolean lines, char **message)
{
  if (strstr (wrapped, "vector_size")) {      /* it ignores the attribute: code that copies vectors compiles, and copies one lane */
    *message = g_strdup ("tcc has no vectors");
    return NULL;
  }
  GString *text = g_string_new (NULL);
  TCCState *state = new_state (options, TCC_OUTPUT_MEMORY, text);
  const LsSymbol *symbols = ls_symbols ();
  for (guint k = 0; symbols[k].name; k++)
    tcc_add_symbol (state, symbols[k].name, symbols[k].function);
  for (const LsFunction *f = ls_functions; f->name; f++) {
    g_autofree char *symbol = g_strconcat ("ls_", f->name, NULL);
    tcc_add_symbol (state, symbol, f->call);
  }

  void *call = NULL;
  int object = lines ? open_object (options, wrapped, state, text) : -1;
  if ((lines ? object >= 0 : tcc_compile_string (state, wrapped) == 0) && tcc_relocate (state, TCC_RELOCATE_AUTO) == 0)
    call = tcc_get_symbol (state, "ls_call");
  g_strchomp (text->str);
  if (call == NULL) {
    if (object >= 0)
      close (object);
    tcc_delete (state);
    *message = g_string_free (text, FALSE);
    return NULL;
  }

  LsCode *code = g_new0 (LsCode, 1);
  code->call = (void (*) (void **)) call;
  code->function = tcc_get_symbol (state, name);
  if (code->function != NULL) {
    Extent extent = { (guintptr) code->function, UINTPTR_MAX };
    tcc_list_symbols (state, &extent, narrow_extent);
    if (extent.end != UINTPTR_MAX)
      code->n_function = extent.end - extent.start;
    gint64 begin = g_get_monotonic_time ();
    if (lines && code->n_function)
      code->lines = ls_code_lines_stabs (object, name, code->function, code->n_function);
    code->lines_us = g_get_monotonic_time () - begin;
  }
  if (object >= 0)
    close (object);
  code->message = g_string_free (text, FALSE);
  code->handle = state;
  code->release = (void (*) (gpointer)) tcc_delete;
  return code;
}
