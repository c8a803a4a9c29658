/* A call's arguments in short, as they are when it is first met: numbers, strings, dtypes, the dtypes and shapes of tensors, types of
 * all else. */
#include "python-private.h"

#define Py_BUILD_CORE      /* a frame's arguments in memory order */
#include <internal/pycore_code.h>
#include <internal/pycore_frame.h>
#undef Py_BUILD_CORE
#if PY_VERSION_HEX >> 16 != 0x030b
#error "argument_of() supports the frames of Python 3.11 only"
#endif

#include <math.h>
#include <string.h>

typedef struct { guint n; char bytes[400]; } ArgsText;

#define MAX_ARGS_TEXT 120      /* a part that begins before it is written completely, as far as there is space */

static inline void
put_len (ArgsText *text, const char *s, gsize n)
{
  if (n > sizeof text->bytes - text->n)
    for (n = sizeof text->bytes - text->n; n > 0 && ((guint8) s[n] & 0xc0) == 0x80; n--)      /* whole characters */
      ;
  memcpy (text->bytes + text->n, s, n);
  text->n += (guint) n;
}

static inline void put (ArgsText *text, const char *s) { put_len (text, s, strlen (s)); }

/* n / 10^decimals */
static void
put_decimal (ArgsText *text, gint64 n, guint decimals)
{
  char digits[32], *p = digits + sizeof digits;
  guint64 rest = n < 0 ? 0 - (guint64) n : (guint64) n;
  for (guint i = 0; i <= decimals || rest > 0; i++, rest /= 10) {
    if (i > 0 && i == decimals)
      *--p = '.';
    *--p = (char) ('0' + rest % 10);
  }
  if (n < 0)
    *--p = '-';
  put_len (text, p, (gsize) (digits + sizeof digits - p));
}

static void put_int (ArgsText *text, gint64 n) { put_decimal (text, n, 0); }

/* As %g writes it. A number with few digits is an integer at some power of ten, up to an error below six digits. */
static void
put_float (ArgsText *text, double f)
{
  static const double powers[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6 };
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  gboolean plain = f > -1e6 && f < 1e6 && (fabs (f) >= 1e-4 || (f == 0 && !signbit (f)));
  for (guint i = 0; plain && i < G_N_ELEMENTS (powers); i++) {
    double scaled = f * powers[i];
    if (fabs (scaled) >= 1e6)
      break;
    gint32 n = (gint32) scaled;
    if (scaled != (double) n)
      continue;
    for (; i > 0 && n % 10 == 0; i--)      /* fewer digits were missed by a rounding */
      n /= 10;
    put_decimal (text, n, i);
    return;
  }
  put (text, g_ascii_formatd (number, sizeof number, "%g", f));
}

static void
put_tensor (ArgsText *text, LsRun *run, LsNodeObject *tensor)
{
  if (!tensor->node || tensor->serial != run->serial) {
    put (text, "a new tensor");
    return;
  }
  LsShape shape = ls_uop_shape (run->session->ctx, tensor->node);
  put (text, ls_dtype_name (tensor->node->dtype));
  put_len (text, "(", 1);
  for (guint i = 0; i < shape.n; i++) {
    if (i)
      put_len (text, ", ", 2);
    put_int (text, shape.dims[i]);
  }
  put (text, shape.n == 1 ? ",)" : ")");
}

static void
put_value (ArgsText *text, LsRun *run, PyObject *o, guint depth)
{
  if (o == Py_None || PyBool_Check (o)) {
    put (text, o == Py_None ? "None" : o == Py_True ? "True" : "False");
  } else if (PyLong_CheckExact (o)) {
    int overflow;
    gint64 i = PyLong_AsLongLongAndOverflow (o, &overflow);
    if (overflow)
      put (text, "a large int");
    else
      put_int (text, i);
  } else if (PyFloat_CheckExact (o)) {
    put_float (text, PyFloat_AS_DOUBLE (o));
  } else if (PyUnicode_CheckExact (o)) {
    Py_ssize_t n;
    const char *s = PyUnicode_AsUTF8AndSize (o, &n), *end = s;
    for (guint i = 0; s && i < 24 && end < s + n && *end; i++)
      end = g_utf8_next_char (end);
    put_len (text, "'", 1);
    put_len (text, s ? s : "…", s ? (gsize) (end - s) : strlen ("…"));
    put_len (text, "'", 1);
    PyErr_Clear ();      /* a lone surrogate has no UTF-8 */
  } else if ((PyTuple_CheckExact (o) || PyList_CheckExact (o)) && depth < 3) {
    gboolean tuple = PyTuple_CheckExact (o);
    Py_ssize_t n = PySequence_Fast_GET_SIZE (o);
    put_len (text, tuple ? "(" : "[", 1);
    for (Py_ssize_t i = 0; i < n && text->n <= MAX_ARGS_TEXT; i++) {
      if (i)
        put_len (text, ", ", 2);
      put_value (text, run, PySequence_Fast_GET_ITEM (o, i), depth + 1);
    }
    put (text, text->n > MAX_ARGS_TEXT ? "…" : tuple ? n == 1 ? ",)" : ")" : "]");
  } else if (PyObject_TypeCheck (o, &ls_node_type)) {
    put_tensor (text, run, (LsNodeObject *) o);
  } else if (Py_IS_TYPE (o, &ls_dtype_type)) {
    put (text, ls_dtype_name (((LsDTypeObject *) o)->dtype));
  } else {
    put (text, Py_TYPE (o)->tp_name);
  }
}

/* The frame's own variable number i, arguments first; NULL: it has none now. Borrowed. PyFrame_GetLocals would make a dict of all. */
static PyObject *
argument_of (const _PyInterpreterFrame *frame, guint i)
{
  PyObject *value = frame->localsplus[i];
  gboolean cell = frame->f_code->co_ncellvars > 0 && (_PyLocals_GetKind (frame->f_code->co_localspluskinds, (int) i) & CO_FAST_CELL) != 0;
  return value && cell && PyCell_Check (value) ? PyCell_GET (value) : value;
}

const char *
ls_arguments_text (LsRun *run, PyFrameObject *frame, guint n)
{
  ArgsText text;
  text.n = 0;
  for (guint i = 0; i < n; i++) {
    PyObject *value = argument_of (frame->f_frame, i);
    if (i)
      put_len (&text, ", ", 2);
    if (text.n > MAX_ARGS_TEXT) {
      put (&text, "…");
      break;
    }
    if (value)
      put_value (&text, run, value, 0);
    else
      put (&text, "…");
  }
  return g_string_chunk_insert_len (run->session->trace->strings, text.bytes, text.n);
}
