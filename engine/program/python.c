/* Programs are Python: the interpreter, the module `_lazyscope`, and one run.
 *
 * The interpreter starts with the first program of a process, without site and deaf to the environment but for PYTHONPATH and an active
 * virtual environment (VIRTUAL_ENV); the library is frozen into it. Modules that a run imported are forgotten after it, and its changes
 * to the library are undone (python/library.py). The resources of a run are limited: its time by a thread that asks the interpreter to
 * stop, its memory by Python's own allocator and by the memory of the session.
 */
#include "python-private.h"

#include "ir/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

LsRun *ls_run;
PyObject *ls_shape_error, *ls_run_stopped;
static guint n_runs;

/* --- memory --- */

static gsize python_bytes, python_limit = G_MAXSIZE;
static PyMemAllocatorEx below;

static void *
counted (void *memory)
{
  if (memory)
    python_bytes += malloc_usable_size (memory);
  return memory;
}

static gboolean too_much (gsize size) { return size > python_limit || python_bytes > python_limit - size; }
static void *raw_malloc (void *ctx, size_t size) { return too_much (size) ? NULL : counted (below.malloc (below.ctx, size)); }
static void *raw_calloc (void *ctx, size_t n, size_t size)
{
  gsize whole;
  return !g_size_checked_mul (&whole, n, size) || too_much (whole) ? NULL : counted (below.calloc (below.ctx, n, size));
}

static void *
raw_realloc (void *ctx, void *memory, size_t size)
{
  gsize old = memory ? malloc_usable_size (memory) : 0;
  if (size > old && too_much (size - old))
    return NULL;
  void *moved = below.realloc (below.ctx, memory, size);
  if (moved)
    python_bytes += malloc_usable_size (moved) - old;
  return moved;
}

static void
raw_free (void *ctx, void *memory)
{
  if (memory)
    python_bytes -= malloc_usable_size (memory);
  below.free (below.ctx, memory);
}

/* Python's small objects are in arenas: allocated from the same memory, so that leak detectors find their pointers. */
static void arena_free (void *ctx, void *memory, size_t size) { raw_free (ctx, memory); }

static void
count_memory (void)
{
  PyMemAllocatorEx ours = { NULL, raw_malloc, raw_calloc, raw_realloc, raw_free };
  PyObjectArenaAllocator our_arenas = { NULL, raw_malloc, arena_free };
  PyMem_GetAllocator (PYMEM_DOMAIN_RAW, &below);
  PyMem_SetAllocator (PYMEM_DOMAIN_RAW, &ours);
  PyObject_SetArenaAllocator (&our_arenas);
}

/* --- the module --- */

static void
keep_output (LsSession *s, const char *bytes, gsize n)
{
  const char *end = bytes + n;
  if (s->out_is_cut)
    return;
  if (s->out->len + n > LS_MOST_OUTPUT) {
    g_utf8_validate_len (bytes, LS_MOST_OUTPUT - s->out->len, &end);
    s->out_is_cut = TRUE;
  }
  g_string_append_len (s->out, bytes, end - bytes);
}

static PyObject *
module_write (PyObject *self, PyObject *text)
{
  Py_ssize_t n;
  const char *bytes;
  PyObject *encoded = PyUnicode_AsEncodedString (text, "utf-8", "replace");
  if (!encoded)
    return NULL;
  bytes = PyBytes_AS_STRING (encoded);
  n = PyBytes_GET_SIZE (encoded);
  LsSession *s = ls_run ? ls_run->session : NULL;
  if (s && !s->on_print && s->out->len + (gsize) n > LS_MOST_OUTPUT) {
    PyErr_Format (PyExc_MemoryError, "the program printed more than %d MB", LS_MOST_OUTPUT >> 20);
    Py_DECREF (encoded);
    return NULL;
  }
  if (s) {
    keep_output (s, bytes, (gsize) n);
    if (s->on_print)
      s->on_print (s, bytes, (gsize) n, s->on_kernel_data);
  }
  Py_DECREF (encoded);
  Py_RETURN_NONE;
}

static PyObject *module_recording (PyObject *self, PyObject *unused) { return PyBool_FromLong (ls_run && ls_run->record); }

static PyObject *
module_library_text (PyObject *self, PyObject *name)
{
  const char *path = PyUnicode_Check (name) ? PyUnicode_AsUTF8 (name) : NULL;
  for (const LsLibraryModule *m = ls_library_modules; path && m->module; m++)
    if (strcmp (m->path, path) == 0)
      return PyUnicode_FromString (m->text);
  return PyErr_Occurred () ? NULL : Py_NewRef (Py_None);
}

static PyObject *
module_expect_kernels (PyObject *self, PyObject *unused)
{
  if (ls_run)
    ls_session_expect_kernels (ls_run->session);
  Py_RETURN_NONE;
}

/* thaw (list): makes the collector track these objects again, after gc.freeze(). */
static PyObject *
module_thaw (PyObject *self, PyObject *list)
{
  for (Py_ssize_t i = 0; PyList_Check (list) && i < PyList_GET_SIZE (list); i++) {
    PyObject *object = PyList_GET_ITEM (list, i);
    if (PyObject_GC_IsTracked (object)) {
      PyObject_GC_UnTrack (object);
      PyObject_GC_Track (object);
    }
  }
  Py_RETURN_NONE;
}

/* change_setting (name, value or None): its old value, as text; None: there is no such setting here. */
static PyObject *
module_change_setting (PyObject *self, PyObject *args)
{
  const char *name, *value;
  g_autofree char *before = NULL;
  if (!PyArg_ParseTuple (args, "sz", &name, &value))
    return NULL;
  if (!ls_run || !ls_session_change_setting (ls_run->session, name, value, &before))
    Py_RETURN_NONE;
  return PyUnicode_FromString (before);
}

static PyObject *
module_note (PyObject *self, PyObject *text)
{
  const char *note = PyUnicode_Check (text) ? PyUnicode_AsUTF8 (text) : NULL;
  if (ls_run && note)
    ls_session_note (ls_run->session, note);
  return PyErr_Occurred () ? NULL : Py_NewRef (Py_None);
}

static PyObject *module_time_limit (PyObject *self, PyObject *unused) {
  return PyLong_FromLongLong (ls_run ? ls_run->session->settings.TIME_S : 0); }

#define FAST(function) ((PyCFunction) (void (*) (void)) function), METH_FASTCALL
static PyMethodDef methods[] = {
  { "const", FAST (ls_module_const), "const(class, value, dtype): a tensor of shape ()." },
  { "host", FAST (ls_module_host), "host(class, data, dtype, shape): bytes in row-major order." },
  { "nested", FAST (ls_module_nested), "nested(class, data, dtype or None): nested lists of numbers." },
  { "bits", FAST (ls_module_bits), "bits(value, dtype): the bits that store the number, as an integer." },
  { "of_bits", FAST (ls_module_of_bits), "of_bits(bits, dtype): the number with these bits." },
  { "scalar", FAST (ls_module_scalar), "scalar(value, dtype): the number, converted to that dtype." },
  { "empty", FAST (ls_module_empty), "empty(class, shape, dtype): memory whose contents are not defined." },
  { "gradient", FAST (ls_module_gradient), "gradient(target, tensors, gradient): of target with respect to each, or None." },
  { "realize", FAST (ls_module_realize), "realize(tensors, keep): computes all of them together; keep: they refer to their memory then." },
  { "same", ls_module_same, METH_O, "same(tensor): the tensor itself, for a call that changes nothing and is recorded." },
  { "schedule", ls_module_schedule, METH_O, "schedule(tensors): what realize() would launch: a list of (tree, buffers, node, reason)." },
  { "data", ls_module_data, METH_O, "data(tensor): its elements as bytes, computed." },
  { "tolist", ls_module_tolist, METH_O, "tolist(tensor): its elements as nested lists, computed." },
  { "live", FAST (ls_module_live), "live(class, target): the referenced tensors that target is computed from." },
  { "size_classes", ls_module_size_classes, METH_VARARGS, "size_classes(bound, unbound): the classes for sizes that have a value and "
                                                          "for those that have none." },
  { "variable", ls_module_variable, METH_VARARGS, "variable(name, min, max, value): the node of a variable bound to a value, or to None." },
  { "size", FAST (ls_module_size), "size(op, a, b): the node, or number, of a sum, difference, product or quotient of sizes, or None." },
  { "size_facts", ls_module_size_facts, METH_O, "size_facts(node): its minimum, its maximum, its text, its value, the name of a "
                                                "variable without a value." },
  { "lazy", ls_module_lazy, METH_O, "lazy(uop): its base, its view of the base, and the base's memory." },
  { "counters", ls_module_counters, METH_NOARGS, "Launches, operations, bytes, seconds, and the bytes of all buffers." },
  { "of_uop", FAST (ls_module_of_uop), "of_uop(class, uop): the node as a tensor." },
  { "uop", ls_module_uop, METH_O, "uop(tensor): its node." },
  { "uop_class", ls_module_uop_class, METH_O, "uop_class(class): sets the class of UOps." },
  { "substitute", ls_module_substitute, METH_VARARGS,
    "substitute(root, from, to, name, line): the graph with some nodes replaced, as a pass of that name." },
  { "rules", ls_module_rules, METH_VARARGS, "rules(set, file, text, functions): adds rules to the run; their numbers." },
  { "rewrite", ls_module_rewrite, METH_VARARGS,
    "rewrite(uop, set, before_sources, context, name, its text): the graph after a rewrite pass." },
  { "rewrite_one", ls_module_rewrite_one, METH_VARARGS,
    "rewrite_one(uop, set, context, name, its text): what the first rule that fires at this node gives, or None, by a pass of its own." },
  { "find_uop", ls_module_find_uop, METH_VARARGS,
    "find_uop(op, dtype, src, arg, tag): the node that was made with these fields, or None." },
  { "uops", ls_module_uops, METH_VARARGS, "uops(first, end): the nodes of the run with these ids." },
  { "n_uops", ls_module_n_uops, METH_NOARGS, "n_uops(): how many nodes were made." },
  { "rule_root", ls_module_rule_root, METH_O, "rule_root(rule): its text, and names of the ops at which it is tried." },
  { "rule_match", ls_module_rule_match, METH_VARARGS, "rule_match(uop, rule): the bindings of its names, or None." },
  { "rule_apply", ls_module_rule_apply, METH_VARARGS, "rule_apply(uop, rule): the result of the rule for the node, or None." },
  { "expect_kernels", module_expect_kernels, METH_NOARGS, "Starts the runner of kernels in the background." },
  { "fork_begins", ls_module_fork_begins, METH_NOARGS, "Before os.fork." },
  { "fork_parent", ls_module_fork_parent, METH_NOARGS, "After os.fork, in the parent: waits until the child has its copy of the buffers." },
  { "fork_child", ls_module_fork_child, METH_NOARGS, "After os.fork, in the child." },
  { "thaw", module_thaw, METH_O, "thaw(list): makes the collector track these objects again, after gc.freeze()." },
  { "library_text", module_library_text, METH_O, "library_text(file): the text of a file of the library, or None." },
  { "source", ls_module_source, METH_O, "source(file): the text of a file of the program that is recorded, or None." },
  { "statements", ls_module_statements, METH_VARARGS, "A file's statements." },
  { "with_marks", ls_module_with_marks, METH_VARARGS, "The code of lines, with marks." },
  { "mark", ls_module_mark, METH_O, "A statement begins." },
  { "bound", FAST (ls_module_bound), "The names that a statement bound." },
  { "next", FAST (ls_module_next), "The names that a statement bound; the next one begins." },
  { "write", module_write, METH_O, "Prints." },
  { "time_limit", module_time_limit, METH_NOARGS, "Seconds that the run may take." },
  { "change_setting", module_change_setting, METH_VARARGS, "change_setting(name, value or None): sets it for later kernels; the old "
                                                           "value, or None if there is no such setting." },
  { "note", module_note, METH_O, "note(text): prints it once when the run has ended." },
  { "recording", module_recording, METH_NOARGS, "Whether the run is recorded." },
  { NULL },
};
static struct PyModuleDef definition = { PyModuleDef_HEAD_INIT, "_lazyscope", "The primitives of tensors.", -1, methods, NULL, NULL, NULL,
                                         NULL };

static PyObject *
make_module (void)
{
  PyObject *module = PyModule_Create (&definition), *names = PyList_New (0);
  if (!module || !names)
    return NULL;
  for (const LsLibraryModule *m = ls_library_modules; m->module; m++) {
    PyObject *name = PyUnicode_FromString (m->module);
    PyList_Append (names, name);
    Py_XDECREF (name);
  }
  ls_shape_error = PyErr_NewException ("tinygrad.ShapeError", PyExc_ValueError, NULL);
  ls_run_stopped = PyErr_NewException ("lazyscope.Stopped", PyExc_BaseException, NULL);
  if (ls_dtypes_ready (module) < 0 || ls_node_ready (module) < 0 || ls_uops_ready (module) < 0 ||
      PyModule_AddObject (module, "modules", names) < 0 ||
      PyModule_AddObjectRef (module, "ShapeError", ls_shape_error) < 0 || PyModule_AddObjectRef (module, "Stopped", ls_run_stopped) < 0)
    return NULL;
  return module;
}

/* --- the interpreter --- */

static gboolean
add_path (const char *folder)
{
  PyObject *path = PySys_GetObject ("path"), *text = PyUnicode_DecodeFSDefault (folder);
  gboolean ok = path && text && PyList_Append (path, text) == 0;
  Py_XDECREF (text);
  return ok;
}

#define VERSION G_STRINGIFY (PY_MAJOR_VERSION) "." G_STRINGIFY (PY_MINOR_VERSION)

/* Where Debian has packages for its python3, those of the administrator first; prefix: "/usr". */
static void
add_system_packages (const char *prefix)
{
  static const char *const folders[] = { "local/lib/python" VERSION "/dist-packages", "lib/python3/dist-packages",
                                         "lib/python" VERSION "/site-packages" };
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++) {
    g_autofree char *folder = g_build_filename (prefix, folders[i], NULL);
    if (g_file_test (folder, G_FILE_TEST_IS_DIR))
      add_path (folder);
  }
}

/* Its packages, and those of the system where its pyvenv.cfg says so (`home` is the folder of the system's python3). */
static void
add_virtual_environment (const char *venv)
{
  g_autofree char *packages = g_build_filename (venv, "lib/python" VERSION "/site-packages", NULL),
                  *config = g_build_filename (venv, "pyvenv.cfg", NULL), *text = NULL, *home = NULL;
  gboolean system_too = FALSE;
  add_path (packages);
  if (!g_file_get_contents (config, &text, NULL, NULL))
    return;
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line; line++) {
    g_auto (GStrv) pair = g_strsplit (*line, "=", 2);
    if (!pair[0] || !pair[1])
      continue;
    if (strcmp (g_strstrip (pair[0]), "include-system-site-packages") == 0)
      system_too = g_ascii_strcasecmp (g_strstrip (pair[1]), "true") == 0;
    else if (strcmp (pair[0], "home") == 0 && !home)
      home = g_path_get_dirname (g_strstrip (pair[1]));
  }
  if (system_too && home)
    add_system_packages (home);
}

/* NULL, or why Python did not start. */
static const char *
start (void)
{
  static struct _frozen *frozen;
  if (Py_IsInitialized ())
    return NULL;
  guint n = 0;
  while (ls_library_modules[n].module)
    n++;
  frozen = g_new0 (struct _frozen, n + 1);
  for (guint i = 0; i < n; i++) {
    const LsLibraryModule *m = &ls_library_modules[i];
    frozen[i] = (struct _frozen) { .name = m->module, .code = m->code, .size = (int) m->n_code, .is_package = m->package };
  }
  PyImport_FrozenModules = frozen;
  PyImport_AppendInittab ("_lazyscope", make_module);
  PyPreConfig before;
  PyConfig config;
  PyPreConfig_InitIsolatedConfig (&before);
  before.utf8_mode = 1;
  before.configure_locale = 0;
  PyStatus status = Py_PreInitialize (&before);
  if (PyStatus_Exception (status))
    return status.err_msg;
  count_memory ();
  PyConfig_InitIsolatedConfig (&config);
  config.site_import = 0;
  config.write_bytecode = 0;
  config.install_signal_handlers = 0;
  config.pathconfig_warnings = 0;
  config.parse_argv = 0;
  status = PyConfig_SetBytesString (&config, &config.program_name, "/usr/bin/python3");
  if (!PyStatus_Exception (status))
    status = Py_InitializeFromConfig (&config);
  PyConfig_Clear (&config);
  if (PyStatus_Exception (status))
    return status.err_msg;
  g_auto (GStrv) given = g_strsplit (g_getenv ("PYTHONPATH") ? g_getenv ("PYTHONPATH") : "", ":", -1);
  for (char **folder = given; *folder; folder++)
    if (**folder)
      add_path (*folder);
  if (g_getenv ("VIRTUAL_ENV") && *g_getenv ("VIRTUAL_ENV"))
    add_virtual_environment (g_getenv ("VIRTUAL_ENV"));
  else
    add_system_packages ("/usr");
  return NULL;
}

/* --- one run --- */

/* A thread waits for the events that must end a run: its time, or Ctrl+C, which a signal handler writes into the pipe. */
typedef struct { LsRun *run; unsigned long main; GThread *thread; int ends[2]; gint64 until; struct sigaction before; } Watch;

static int interrupts = -1;      /* where the handler writes */
static Watch *watched;           /* of the run that is under way, or NULL */

static void
on_interrupt (int number)
{
  if (interrupts >= 0 && write (interrupts, "i", 1) != 1)
    return;      /* the pipe is full: it is being read */
}

/* Raised at the program's current position, once it releases the interpreter: Python 3.11 notices a pending call of another thread too
 * late. */
static void
raise_in (Watch *w, PyObject *exception)
{
  PyGILState_STATE state = PyGILState_Ensure ();
  if (ls_run == w->run)
    PyThreadState_SetAsyncExc (w->main, exception);
  PyGILState_Release (state);
}

/* Asks again every second: a program may catch the exception that stops it. */
static gpointer
watch_thread (gpointer data)
{
  Watch *w = data;
  char what;
  for (;;) {
    gint64 left = w->until ? MAX (w->until - g_get_monotonic_time (), 0) : -1;
    struct pollfd ready = { w->ends[0], POLLIN, 0 };
    int n = poll (&ready, 1, left < 0 ? -1 : (int) MIN (left / 1000 + 1, G_MAXINT));
    if (n < 0 && errno != EINTR)
      return NULL;
    if (n > 0 && (read (w->ends[0], &what, 1) != 1 || what == 'q'))
      return NULL;
    if (n > 0) {
      raise_in (w, PyExc_KeyboardInterrupt);
    } else if (n == 0 && left == 0) {
      g_atomic_int_set (&w->run->stop, LS_STOP_TIME);
      raise_in (w, ls_run_stopped);
      w->until = g_get_monotonic_time () + G_TIME_SPAN_SECOND;
    }
  }
}

static void
watch_begin (Watch *w)
{
  w->thread = NULL;
  if (!g_unix_open_pipe (w->ends, FD_CLOEXEC, NULL))
    return;
  interrupts = w->ends[1];
  w->thread = g_thread_new ("program watch", watch_thread, w);
}

static void
watch_start (Watch *w, LsRun *run, gint64 until)
{
  struct sigaction action = { .sa_handler = on_interrupt, .sa_flags = SA_RESTART };
  *w = (Watch) { .run = run, .main = PyThread_get_thread_ident (), .until = until };
  watch_begin (w);
  if (w->thread)
    sigaction (SIGINT, &action, &w->before);
  watched = w;
}

void
ls_watch_forked (void)
{
  if (!watched || !watched->thread)      /* the thread is the parent's */
    return;
  close (watched->ends[0]);
  close (watched->ends[1]);
  watch_begin (watched);
}

static void
watch_end (Watch *w)
{
  watched = NULL;
  if (!w->thread)
    return;
  sigaction (SIGINT, &w->before, NULL);
  interrupts = -1;
  if (write (w->ends[1], "q", 1) != 1)
    g_warning ("the watchdog of a program cannot be stopped");
  Py_BEGIN_ALLOW_THREADS
  g_thread_join (w->thread);
  Py_END_ALLOW_THREADS
  PyThreadState_SetAsyncExc (w->main, NULL);      /* an exception that came too late */
  close (w->ends[0]);
  close (w->ends[1]);
}

/* The program begins: its budgets, and how to find out where it is. */
static void
tell_supervisor (const Watch *w, const LsSettings *settings, const char *filename)
{
  LsProgress *p = ls_progress;
#ifndef __SANITIZE_ADDRESS__      /* which has handlers of its own */
  PyObject *module = p->traceback >= 0 ? PyImport_ImportModule ("faulthandler") : NULL;
  PyObject *enabled = module ? PyObject_CallMethod (module, "enable", "ii", p->traceback, 0) : NULL;
  PyObject *registered = enabled ? PyObject_CallMethod (module, "register", "iii", LS_PROGRESS_WHERE, p->traceback, 0) : NULL;
  PyErr_Clear ();
  Py_XDECREF (registered);
  Py_XDECREF (enabled);
  Py_XDECREF (module);
#endif
  g_strlcpy (p->program, filename, sizeof p->program);
  p->deadline = w->until;
  p->seconds = settings->TIME_S;
  p->memory = (guint64) settings->MEMORY_MB << 20;
  g_atomic_int_set (&p->phase, LS_PROGRESS_RUNS);
}

/* The report of the error that ended the program, or NULL; with its position in the text. */
static char *
execute (const char *text, const char *filename, guint *line, guint *column)
{
  const char *own = ls_run->session->folder;
  g_autofree char *folder = own ? g_canonicalize_filename (own, NULL) : g_file_test (filename, G_FILE_TEST_IS_REGULAR)
                            ? g_path_get_dirname (filename) : NULL;
  int here = own ? open (".", O_PATH | O_CLOEXEC) : -1;
  PyObject *module = PyImport_ImportModule ("lazyscope._start"), *result = NULL;
  char *report = NULL;
  if (own && chdir (folder) != 0)
    report = g_strdup_printf ("%s: error: %s: %s", filename, own, g_strerror (errno));
  else if (module)
    result = PyObject_CallMethod (module, "run", "sszN", text, filename, folder, PyList_New (0));
  Py_XDECREF (module);
  if (here >= 0) {
    if (fchdir (here) != 0)
      g_warning ("the working folder of this process no longer exists");
    close (here);
  }
  const char *message;
  int status, printed;
  if (result && result != Py_None && PyArg_ParseTuple (result, "sIIip", &message, line, column, &status, &printed)) {
    report = g_strdup (message);
    ls_run->session->exit_status = status;
    ls_run->session->exit_silent = !printed;
  }
  if (PyErr_Occurred ()) {      /* the report itself failed: no memory for it, stopped once more */
    PyObject *type, *value, *traceback;
    PyErr_Fetch (&type, &value, &traceback);
    PyObject *shown = value ? PyObject_Str (value) : NULL;
    const char *what = shown ? PyUnicode_AsUTF8 (shown) : NULL;
    report = g_strdup_printf ("%s: error: %s: %s", filename, ((PyTypeObject *) type)->tp_name, what ? what : "");
    PyErr_Clear ();
    Py_XDECREF (shown);
    Py_XDECREF (type);
    Py_XDECREF (value);
    Py_XDECREF (traceback);
  }
  Py_XDECREF (result);
  return report;
}

/* A byte that is not UTF-8. */
static char *
report_bytes (const char *text, const char *wrong, const char *filename, guint *line, guint *column)
{
  const char *begin = text;
  *line = 1;
  for (const char *p = text; p < wrong; p++)
    if (*p == '\n') {
      begin = p + 1;
      ++*line;
    }
  *column = (guint) g_utf8_strlen (begin, wrong - begin) + 1;
  g_autofree char *shown = g_utf8_make_valid (begin, (gssize) MIN (strcspn (begin, "\r\n"), 400));
  return g_strdup_printf ("%s:%u:%u: error: SyntaxError: this byte is not UTF-8\n%s\n%*s^", filename, *line, *column, shown,
                          (int) *column - 1, "");
}

static LsError
code_of (const char *report)
{
  return strstr (report, "SyntaxError") ? LS_ERROR_SYNTAX : LS_ERROR_PROGRAM;
}

static void
keep_string (char **field, const char *text)
{
  if (*field != text) {
    g_free (*field);
    *field = g_strdup (text);
  }
}

static void
stage_time (LsTrace *trace, const char *stage, guint64 ns)
{
  LsStageTime time = { .stage = ls_trace_string (trace, stage), .kernel = 0, .ns = ns };
  g_array_append_val (trace->stage_times, time);
}

/* The child of a fork reached the end of the program: the rest of the process is the parent's. */
static void
end_child (LsSession *session, const char *report)
{
  if (report && !session->exit_silent)
    fprintf (stderr, "%s\n", report);
  fflush (NULL);
  _exit (report ? MAX (session->exit_status, 1) : 0);
}

gboolean
ls_session_run_program (LsSession *session, const char *text, const char *filename, GError **error)
{
  g_return_val_if_fail (session != NULL && text != NULL, FALSE);
  g_return_val_if_fail (ls_run == NULL, FALSE);
  LsTrace *trace = session->trace;
  guint64 begin = ls_now_ns ();
  const char *failed = start ();
  if (failed) {
    g_set_error (error, LS_ERROR, LS_ERROR_INTERNAL, "Python did not start: %s", failed);
    return FALSE;
  }
  if (!filename)
    filename = "program";
  if (g_str_has_prefix (text, "\xef\xbb\xbf"))      /* a byte order mark is not of the text */
    text += 3;
  keep_string (&trace->program_name, filename);
  keep_string (&trace->program_text, text);
  g_autofree char *report = NULL;
  guint line = 0, column = 0;
  gboolean forked = FALSE;
  const char *wrong;
  if (!g_utf8_validate (text, -1, &wrong)) {
    report = report_bytes (text, wrong, filename, &line, &column);
  } else {
    LsRun run = { .session = session, .resident = ls_resident_bytes (0), .serial = ++n_runs, .collect_at = LS_COLLECT_BYTES,
                  .tensors = ls_tensors_new (ls_session_tensor_host (session)) };
    Watch watch;
    run.record = session->recording ? ls_record_new (&run) : NULL;
    ls_run = &run;
    session->on_full = ls_node_collect;
    python_limit = session->settings.MEMORY_MB > 0 ? python_bytes + ((gsize) session->settings.MEMORY_MB << 20) : G_MAXSIZE;
    watch_start (&watch, &run, session->settings.TIME_S > 0 ? g_get_monotonic_time () + session->settings.TIME_S * G_TIME_SPAN_SECOND : 0);
    tell_supervisor (&watch, &session->settings, filename);
    report = execute (text, filename, &line, &column);
    g_atomic_int_set (&ls_progress->phase, LS_PROGRESS_ENDS);
    g_clear_pointer (&run.record, ls_record_free);
    watch_end (&watch);
    session->on_full = NULL;
    python_limit = G_MAXSIZE;
    Py_CLEAR (run.functions);
    PyGC_Collect ();
    forked = run.forked;
    ls_run = NULL;
    ls_tensors_free (run.tensors);
    guint64 whole = ls_now_ns () - begin;
    stage_time (trace, "program", run.engine_ns);
    stage_time (trace, "python", whole - MIN (whole, run.engine_ns + run.realize_ns));
  }
  keep_string (&trace->std_out, session->out->str);
  if (forked)
    end_child (session, report);
  if (!report)
    return TRUE;
  keep_string (&trace->error, report);
  trace->error_line = line;
  trace->error_column = column;
  g_set_error_literal (error, LS_ERROR, code_of (report), report);
  return FALSE;
}

char *
ls_library_doc (const char *name, GError **error)
{
  const char *failed = start (), *text = NULL;
  if (failed) {
    g_set_error (error, LS_ERROR, LS_ERROR_INTERNAL, "Python did not start: %s", failed);
    return NULL;
  }
  PyObject *module = PyImport_ImportModule ("lazyscope._doc"),
           *result = module ? PyObject_CallMethod (module, "doc", "s", name ? name : "") : NULL;
  Py_XDECREF (module);
  char *doc = result && (text = PyUnicode_AsUTF8 (result)) ? g_strdup (text) : NULL;
  Py_XDECREF (result);
  if (!doc) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch (&type, &value, &traceback);
    PyObject *shown = value ? PyObject_Str (value) : NULL;
    text = shown ? PyUnicode_AsUTF8 (shown) : NULL;
    g_set_error_literal (error, LS_ERROR, LS_ERROR_USAGE, text ? text : "the library's text cannot be read");
    Py_XDECREF (shown);
    Py_XDECREF (type);
    Py_XDECREF (value);
    Py_XDECREF (traceback);
    PyErr_Clear ();
  }
  return doc;
}
