/* Builds the frozen library: freeze OUTPUT.c MODULE=FILE=NAME[=package]…
 *
 * Each file is compiled by the interpreter that will run it, and written as a C array of its marshalled code beside its text. NAME is
 * how recordings and tracebacks call the file.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <glib.h>
#include <marshal.h>
#include <stdio.h>
#include <string.h>

static void
write_bytes (FILE *out, const char *name, guint number, const guint8 *bytes, gsize n)
{
  fprintf (out, "static const unsigned char %s_%u[] = {", name, number);
  for (gsize i = 0; i < n; i++)
    fprintf (out, "%s%u,", i % 40 == 0 ? "\n" : "", bytes[i]);
  fprintf (out, "0};\n");
}

int
main (int argc, char **argv)
{
  PyPreConfig before;
  PyConfig config;
  PyPreConfig_InitIsolatedConfig (&before);
  before.allocator = PYMEM_ALLOCATOR_MALLOC;      /* arenas hide pointers from leak detectors */
  PyStatus status = Py_PreInitialize (&before);
  PyConfig_InitIsolatedConfig (&config);
  config.site_import = 0;
  if (!PyStatus_Exception (status))
    status = Py_InitializeFromConfig (&config);
  FILE *out = argc > 1 ? fopen (argv[1], "w") : NULL;
  if (PyStatus_Exception (status) || !out) {
    fprintf (stderr, "freeze: %s\n", out ? "Python did not start" : "the output cannot be written");
    return 1;
  }
  fprintf (out, "/* Made by freeze.c of the library's text. */\n#include \"program/python-private.h\"\n\n");
  g_autoptr (GString) table = g_string_new ("const LsLibraryModule ls_library_modules[] = {\n");
  for (int i = 2; i < argc; i++) {
    g_auto (GStrv) part = g_strsplit (argv[i], "=", 4);
    g_autoptr (GError) error = NULL;
    g_autofree char *text = NULL;
    gsize n;
    if (g_strv_length (part) < 3 || !g_file_get_contents (part[1], &text, &n, &error)) {
      fprintf (stderr, "freeze: %s\n", error ? error->message : argv[i]);
      return 1;
    }
    PyObject *code = Py_CompileStringExFlags (text, part[2], Py_file_input, NULL, 0);
    PyObject *bytes = code ? PyMarshal_WriteObjectToString (code, Py_MARSHAL_VERSION) : NULL;
    if (!bytes) {
      PyErr_Print ();
      return 1;
    }
    write_bytes (out, "code", (guint) i, (const guint8 *) PyBytes_AS_STRING (bytes), (gsize) PyBytes_GET_SIZE (bytes));
    write_bytes (out, "text", (guint) i, (const guint8 *) text, n);
    g_string_append_printf (table, "  { \"%s\", \"%s\", (const char *) text_%d, %" G_GSIZE_FORMAT ", code_%d, %zd, %s },\n", part[0],
                            part[2], i, n, i,
                            PyBytes_GET_SIZE (bytes), part[3] ? "TRUE" : "FALSE");
    Py_DECREF (bytes);
    Py_DECREF (code);
  }
  fprintf (out, "\n%s  { NULL, NULL, NULL, 0, NULL, 0, FALSE },\n};\n", table->str);
  return fclose (out) == 0 ? 0 : 1;
}
