/* The installed compilers: clang and gcc make a shared object in a private directory, which is opened and unlinked at once.
 *
 * The flags in their rows keep the stated meaning of the arithmetic: integers wrap, pointers may alias, and a*b+c is not contracted.
 * -nostartfiles leaves out code that runs when an object is loaded, which happens on a thread with rights that kernels do not have. -w,
 * because warnings about generated code do not help a reader. -g1, if lines are wanted, writes them next to the code, which does not
 * change.
 */
#include <dlfcn.h>
#include <link.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "code-cache.h"
#include "code-early.h"
#include "code-lines.h"
#include "code-static.h"
#include "compile.h"
#include "rights.h"

static void close_object (gpointer handle) { dlclose (handle); }

static LsCode *
open_object (const char *path, const char *name, char **message)
{
  if (ls_code_runs_early (path)) {
    *message = g_strdup ("it has code that runs when it is loaded (a constructor, a destructor or an ifunc), which kernels must not have");
    return NULL;
  }
  void *handle = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  void *call = handle ? dlsym (handle, "ls_call") : NULL;
  if (call == NULL) {
    *message = g_strdup (dlerror ());
    if (handle)
      dlclose (handle);
    return NULL;
  }
  LsCode *code = g_new0 (LsCode, 1);
  code->call = (void (*) (void **)) call;
  code->handle = handle;
  code->release = close_object;
  code->function = dlsym (handle, name);
  Dl_info info;
  const ElfW (Sym) *symbol = NULL;
  if (code->function && dladdr1 (code->function, &info, (void **) &symbol, RTLD_DL_SYMENT) && symbol) {
    code->n_function = symbol->st_size;
    code->address = symbol->st_value;
  }
  return code;
}

/* The first word of the first line of --version that is a number with points. */
const char *
ls_version_cc (const LsCompiler *compiler)
{
  static GHashTable *versions;
  if (!versions)
    versions = g_hash_table_new (g_str_hash, g_str_equal);
  const char *known = g_hash_table_lookup (versions, compiler->name);
  if (known)
    return known;
  const char *argv[] = { compiler->name, "--version", NULL };
  g_autofree char *said = NULL;
  known = "";
  if (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &said, NULL, NULL, NULL) &&
      said) {
    g_auto (GStrv) words = g_strsplit_set (said, " \n", -1);
    for (char **word = words; *word && !*known; word++)
      if (strchr (*word, '.') && strspn (*word, "0123456789.") == strlen (*word))
        known = g_intern_string (*word);
  }
  g_hash_table_insert (versions, (gpointer) compiler->name, (gpointer) known);
  return known;
}

/* Whether a rendered text loads where a condition holds: "(alu1?data1[alu0]:0)", "(alu1?*((float4*)(data1+alu0)):…". */
static gboolean
has_gates (const char *text)
{
  return strstr (text, "?data") || strstr (text, "?*(") || strstr (text, "?(*(");
}

static void
enter_files (gpointer rights)
{
  ls_rights_files_enter (*(int *) rights);
}

/* Temporary files go to the directory, the only one that can be written to. A cache of its own (ccache) has its files elsewhere. */
static gboolean
spawn_compiler (char **argv, const char *directory, char **said, int *status, GError **error)
{
  g_auto (GStrv) environment = g_environ_setenv (g_get_environ (), "LC_ALL", "C", TRUE);
  environment = g_environ_setenv (environment, "TMPDIR", directory, TRUE);
  environment = g_environ_setenv (environment, "CCACHE_DISABLE", "1", TRUE);
  g_autofree char *program = g_find_program_in_path (argv[0]);
  int rights = ls_rights_files_new (directory, program ? program : argv[0]);
  gboolean spawned = g_spawn_sync (directory, argv, environment, G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL, enter_files, &rights,
                                   NULL, said, status, error);
  if (rights >= 0)
    close (rights);
  return spawned;
}

static gboolean
run_compiler (const LsCompiler *compiler, const char *flags, gboolean gated, const char *directory, const char *source, const char *object,
              gboolean lines, char **message)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) extra = NULL;
  if (*flags && !g_shell_parse_argv (flags, NULL, &extra, &error)) {
    *message = g_strdup_printf ("flags \"%s\": %s", flags, error->message);
    return FALSE;
  }
  g_auto (GStrv) options = g_strsplit (compiler->flags, " ", -1);
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_ptr_array_add (argv, (gpointer) compiler->name);
  for (guint k = 0; options[k]; k++)
    g_ptr_array_add (argv, options[k]);
  if (gated && *compiler->gated)
    g_ptr_array_add (argv, (gpointer) compiler->gated);
  if (lines)
    g_ptr_array_add (argv, (gpointer) "-g1");
  for (guint k = 0; extra && extra[k]; k++)
    g_ptr_array_add (argv, extra[k]);
  const char *rest[] = { "-o", object, source, "-lm", NULL };
  for (guint k = 0; k < G_N_ELEMENTS (rest); k++)
    g_ptr_array_add (argv, (gpointer) rest[k]);

  int status = 0;
  if (!spawn_compiler ((char **) argv->pdata, directory, message, &status, &error)) {
    *message = g_strdup (error->message);
    return FALSE;
  }
  g_strchomp (*message);
  if (g_spawn_check_wait_status (status, NULL))
    return TRUE;
  if (**message == '\0') {
    g_free (*message);
    *message = g_strdup_printf (WIFSIGNALED (status) ? "%s was killed by signal %d" : "%s failed with status %d", compiler->name,
                                WIFSIGNALED (status) ? WTERMSIG (status) : WEXITSTATUS (status));
  }
  return FALSE;
}

LsCode *
ls_compile_cc (const LsCompiler *compiler, const char *flags, const char *directory, const char *name, const char *wrapped, gboolean lines,
               char **message)
{
  static guint number;      /* dlopen knows an object by its path: each gets its own */
  g_autofree char *object_name = g_strdup_printf ("kernel-%u.so", number++);
  g_autofree char *source = g_build_filename (directory, "kernel.c", NULL);
  g_autofree char *object = g_build_filename (directory, object_name, NULL);
  g_autoptr (GError) error = NULL;
  if (!g_file_set_contents (source, wrapped, -1, &error)) {
    *message = g_strdup (error->message);
    return NULL;
  }

  LsCode *code = NULL;
  g_autofree char *said = NULL, *key = ls_code_cache_key (compiler, flags, lines, wrapped);
  gboolean kept = key && ls_code_cache_get (key, object),
           made = !kept && run_compiler (compiler, flags, has_gates (wrapped), directory, "kernel.c", object_name, lines, &said);
  if (kept)
    said = g_strdup ("");
  if (kept || made)
    code = open_object (object, name, message);
  else
    *message = g_steal_pointer (&said);
  if (code && made && key && !*said)
    ls_code_cache_keep (key, object);
  if (code)
    code->message = g_steal_pointer (&said);
  if (code)
    code->n_static = ls_code_static_bytes (object);
  if (code && lines && code->n_function)
    code->lines = ls_code_lines_dwarf (object, code->address, code->n_function);
  g_unlink (source);
  g_unlink (object);
  return code;
}

void
ls_code_free (LsCode *code)
{
  code->release (code->handle);
  g_clear_pointer (&code->lines, g_array_unref);
  g_free (code->message);
  g_free (code);
}
