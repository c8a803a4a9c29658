/* Code by its key, and the thread that makes it.
 *
 * The thread that calls kernels may neither open files nor start processes (rights.h), and compilers need both. So another thread
 * compiles while the caller waits; code in the cache is found without it. Compilers and their libraries run only on that thread.
 */
#include "find-code.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

#include "../../ir/clock.h"
#include "protocol.h"
#include "threads.h"

#define MAX_CACHED  512
#define STACK_BYTES ((gsize) 16 << 20)      /* a compiler recurses on the depth of a text */

static GHashTable *cache;            /* key of the code (a string) -> LsCode */
static GQueue      cache_order = G_QUEUE_INIT;
static struct {
  sem_t                asked, made;
  const LsCodeRequest *request;
  const char          *key;      /* of the request in the cache */
  LsCode              *code;
  char                *message;
  const char          *version;
} thread;

/* tcc holds no more than 256 values in a call. */
#define MOST_ARGUMENTS 200

/* "NAME (PARAMETERS) {" in the source: where the parameters begin. NULL: it is not there. */
static const char *
find_parameters (const char *name, const char *source)
{
  gsize n = strlen (name);
  for (const char *at = source; (at = strstr (at, name)); at += n) {
    const char *open = at + n;
    while (*open == ' ')
      open++;
    if (*open == '(' && (at == source || !(g_ascii_isalnum (at[-1]) || at[-1] == '_')))
      return open + 1;
  }
  return NULL;
}

/* The function with its arguments in a table, each a variable of its own: a line keeps its number. FALSE: the source is not one of our
 * own. */
static gboolean
append_with_table (GString *text, const char *name, const char *source)
{
  const char *parameters = find_parameters (name, source), *end = parameters ? strstr (parameters, ") {") : NULL;
  if (!end)
    return FALSE;
  g_autofree char *list = g_strndup (parameters, (gsize) (end - parameters));
  g_auto (GStrv) each = g_strsplit (list, ",", -1);
  g_string_append_len (text, source, parameters - source);
  g_string_append (text, "void **ls_arguments) {");
  for (guint k = 0; each[k]; k++)
    g_string_append_printf (text, " %s = %sls_arguments[%u];", g_strstrip (each[k]), strchr (each[k], '*') ? "" : "*(const int *) ", k);
  g_string_append (text, end + strlen (") {"));
  return TRUE;
}

/* The source followed by a function that takes the arguments as an array, so that one way of calling serves any number of them. */
static char *
wrap_source (const char *name, const char *source, guint n_arguments)
{
  GString *text = g_string_new ("#line 1 \"kernel.c\"\n");
  gboolean table = n_arguments > MOST_ARGUMENTS && append_with_table (text, name, source);
  if (!table)
    g_string_append (text, source);
  g_string_append_printf (text, "\n#line 1 \"launch.c\"\nvoid ls_call (void **ls_arguments) { %s (", name);
  if (table)
    g_string_append (text, "ls_arguments");
  const char *parameters = table ? NULL : find_parameters (name, source), *end = parameters ? strchr (parameters, ')') : NULL;
  g_autofree char *list = end ? g_strndup (parameters, (gsize) (end - parameters)) : NULL;
  g_auto (GStrv) each = g_strsplit (list ? list : "", ",", -1);
  guint n_each = g_strv_length (each);
  for (guint k = 0; !table && k < n_arguments; k++)      /* an argument that is not a pointer is an int, which is in its own memory */
    g_string_append_printf (text, "%s%sls_arguments[%u]", k ? ", " : "",
                            k < n_each && n_each == n_arguments && !strchr (each[k], '*') ? "*(const int *) " : "", k);
  g_string_append (text, "); }\n");
  return g_string_free (text, FALSE);
}

/* Code is freed on the thread that made it: its libraries may need those rights. */
static void
keep (const char *key, LsCode *code)
{
  if (g_queue_get_length (&cache_order) >= MAX_CACHED)
    g_hash_table_remove (cache, g_queue_pop_head (&cache_order));
  char *own = g_strdup (key);
  g_queue_push_tail (&cache_order, own);
  g_hash_table_insert (cache, own, code);
}

/* By a library that only lazyscope-runner-llvm loads. */
static void
make_loaded (const LsCompiler *row)
{
#ifdef LS_WITH_LLVM
  const LsCodeRequest *r = thread.request;
  thread.code = ls_compile_llvm (row, r->flags, r->name, r->source, r->lines, &thread.message);
  thread.version = thread.code ? thread.code->version : ls_version_llvm ();
  if (thread.code)
    keep (thread.key, thread.code);
#else
  thread.message = g_strdup_printf ("%s runs in lazyscope-runner-llvm", row->name);
#endif
}

/* The request in thread.request. */
static void
make_code (void)
{
  const LsCodeRequest *r = thread.request;
  const LsCompiler *row = ls_compiler_find (r->compiler);
  thread.code = NULL;
  thread.message = NULL;
  thread.version = "";
  if (!row)
    return;
  if (row->how == LS_COMPILER_LOADED) {
    make_loaded (row);
    return;
  }
  g_autofree char *wrapped = wrap_source (r->name, r->source, r->n_arguments);
  gboolean library = row->how == LS_COMPILER_LIBRARY;
  thread.code = library ? ls_compile_tcc (row->flags, r->name, wrapped, r->lines, &thread.message) :
                          ls_compile_cc (row, r->flags, r->directory, r->name, wrapped, r->lines, &thread.message);
  thread.version = library ? ls_version_tcc () : ls_version_cc (row);
  if (!thread.code)
    return;
  thread.code->version = thread.version;
  keep (thread.key, thread.code);
}

static void
wait_for (sem_t *semaphore)
{
  while (sem_wait (semaphore) < 0 && errno == EINTR)
    ;
}

static void *
run_thread (void *unused)
{
  ls_threads_give_signal_stack (LS_MOST_THREADS);      /* text that a compiler crashes of */
  for (;;) {
    wait_for (&thread.asked);
    make_code ();
    sem_post (&thread.made);
  }
  return NULL;
}

gboolean
ls_find_code_start (void)
{
  pthread_attr_t attributes;
  pthread_t id;
  cache = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) ls_code_free);
  sem_init (&thread.asked, 0, 0);
  sem_init (&thread.made, 0, 0);
  pthread_attr_init (&attributes);
  pthread_attr_setstacksize (&attributes, STACK_BYTES);
  pthread_attr_setdetachstate (&attributes, PTHREAD_CREATE_DETACHED);
  gboolean started = pthread_create (&id, &attributes, run_thread, NULL) == 0;
  pthread_attr_destroy (&attributes);
  return started;
}

LsCodeAnswer
ls_find_code (const LsCodeRequest *r)
{
  g_autofree char *key = g_strdup_printf ("%s\n%s\n%s\n%u %u %u\n%s", r->compiler, r->flags, r->name, r->n_arguments, r->lines, r->copy,
                                          r->source);
  guint64 begin = ls_now_ns (), lines_ns = 0;      /* which are not the compiler's */
  LsCode *code = g_hash_table_lookup (cache, key);
  if (!code) {
    thread.request = r;
    thread.key = key;
    sem_post (&thread.asked);
    wait_for (&thread.made);
    code = thread.code;
    if (!code)
      return (LsCodeAnswer) { NULL, thread.version, thread.message ? thread.message : g_strdup (""), ls_now_ns () - begin };
    lines_ns = (guint64) code->lines_us * 1000;
  }
  return (LsCodeAnswer) { code, code->version, g_strdup (code->message), ls_now_ns () - begin - lines_ns };
}
