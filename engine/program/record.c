/* The record of a program: which of its statements ran how often, what they bound, and which calls made which nodes.
 *
 * Calls are found from Python's frames: before each primitive the frames that lead to it are compared with those of the primitive before. What has
 * returned is closed; each new frame of a function is a call, with the place in its caller's text, its definition and its arguments in short. So nothing
 * is paid for where no tensor is touched, and a function of the program's own is a call like one of the library. Frames are held while they are compared,
 * so that equal addresses are the same activation.
 *
 * Statements are marked when the program is compiled (python/marks.py): a mark counts, and a row of the recording is made where a statement is the first to
 * call or bind something in its turn; statements that did neither get one row each at the end.
 */
#include "python-private.h"

#define Py_BUILD_CORE      /* a frame's arguments as they lie: PyFrame_GetLocals makes a dict of all locals, a third of what recording would cost */
#include <internal/pycore_code.h>
#include <internal/pycore_frame.h>
#undef Py_BUILD_CORE
#if PY_VERSION_HEX >> 16 != 0x030b
#error "argument_of() knows the frames of Python 3.11"
#endif

#include <math.h>
#include <string.h>

typedef struct _CodePlaces CodePlaces;
typedef struct { PyObject *frame; CodePlaces *code; gint call; guint line, column; gint statement; } OpenFrame;      /* line 0: not below the program's text */

/* A statement of the text, once. begin: its first line; row: in the recording, of its turn; -1: none yet. */
typedef struct { guint file; guint line, column, end_line, end_column; const char *begin; gboolean top; guint64 times, turn; gint row; GPtrArray *names; } Static;

typedef struct { guint first, n; } FileSpan;      /* of statics */

/* Where an instruction stands: column from 0, in bytes until it is known, then in characters. */
typedef struct { guint32 line, column; gint statement; gboolean known; } CodePlace;

/* A code object: what a call of it is named (NULL: a frame of it is no call), how many arguments it has, and its instructions, whose places are found one by one. Python goes
 * through those before to find one, so where many are asked for all are. */
struct _CodePlaces { PyCodeObject *code; gint file; gboolean own; const char *name; guint n_args, n, asked; CodePlace *at; };

#define ASKED_ONE_BY_ONE 64

typedef struct { char bytes[400]; guint n; } ArgsText;

struct _LsCallRecord {
  LsRun      *run;
  GArray     *open;            /* OpenFrame, outermost first */
  GPtrArray  *chain;           /* frames of one walk, innermost first */
  GHashTable *codes;           /* PyCodeObject -> CodePlaces */
  GHashTable *files;           /* co_filename -> index in trace->files + 1 */
  GArray     *statics;         /* Static, those of a file together, each before those inside it */
  GArray     *spans;           /* FileSpan, by file */
  GHashTable *lines;           /* text of a file of the program's -> the beginnings of its lines; none where it is ASCII */
  gint        current;         /* statement at the top that is being run, or -1 */
  guint64     since;
  ArgsText  text;            /* of the call that is being opened */
};

static void
code_places_free (gpointer data)
{
  CodePlaces *places = data;
  Py_DECREF (places->code);
  g_free (places->at);
  g_free (places);
}

static void
static_clear (gpointer data)
{
  g_clear_pointer (&((Static *) data)->names, g_ptr_array_unref);
}

LsCallRecord *
ls_record_new (LsRun *run)
{
  LsCallRecord *r = g_new0 (LsCallRecord, 1);
  r->run = run;
  r->open = g_array_new (FALSE, FALSE, sizeof (OpenFrame));
  r->chain = g_ptr_array_new ();
  r->codes = g_hash_table_new_full (NULL, NULL, NULL, code_places_free);
  r->files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  r->statics = g_array_new (FALSE, FALSE, sizeof (Static));
  g_array_set_clear_func (r->statics, static_clear);
  r->spans = g_array_new (FALSE, TRUE, sizeof (FileSpan));
  r->lines = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_ptr_array_unref);
  r->current = -1;
  return r;
}

/* --- files and statements --- */

static LsTrace *trace_of (LsCallRecord *r) { return r->run->session->trace; }

/* The recording's file of that name; one of the library's is taken in when it is first met. -1: neither the program's nor the library's. */
static gint
file_of (LsCallRecord *r, const char *name)
{
  guint known = GPOINTER_TO_UINT (g_hash_table_lookup (r->files, name));
  if (known)
    return (gint) known - 1;
  for (const LsLibraryModule *m = ls_library_modules; m->module; m++)
    if (strcmp (m->path, name) == 0) {
      LsTrace *trace = trace_of (r);
      LsProgramFile file = { m->path, m->text, TRUE };      /* as long as the process lives */
      g_array_append_val (trace->files, file);
      g_hash_table_insert (r->files, g_strdup (name), GUINT_TO_POINTER (trace->files->len));
      return (gint) trace->files->len - 1;
    }
  return -1;
}

/* The beginning of the line that comes n lines after text's, or the end. */
static const char *
lines_on (const char *text, guint n)
{
  for (const char *end; n > 0 && *text; n--)
    text = (end = strchr (text, '\n')) ? end + 1 : text + strlen (text);
  return text;
}

/* A statement's text; columns are in bytes from 0. */
static char *
text_of (const Static *s)
{
  const char *text = s->begin, *end = text;
  for (guint line = s->line; line < s->end_line && (end = strchr (end, '\n')); line++)
    end++;
  end = end ? end + MIN (s->end_column, strcspn (end, "\n")) : text + strlen (text);
  const char *start = text + MIN (s->column, strcspn (text, "\n"));
  return g_strndup (start, end > start ? (gsize) (end - start) : 0);
}

PyObject *
ls_module_source (PyObject *self, PyObject *name)
{
  const char *file = PyUnicode_Check (name) ? PyUnicode_AsUTF8 (name) : NULL;
  LsTrace *trace = ls_run && ls_run->record ? ls_run->session->trace : NULL;
  for (guint i = 0; trace && file && i < trace->files->len; i++) {
    const LsProgramFile *known = &g_array_index (trace->files, LsProgramFile, i);
    if (strcmp (known->name, file) == 0)
      return PyUnicode_FromString (known->text);
  }
  return PyErr_Occurred () ? NULL : Py_NewRef (Py_None);
}

/* statements (filename, text, [(line, column, end_line, end_column, top, names)]) -> number of the first; a file of the program's own is met. */
PyObject *
ls_module_statements (PyObject *self, PyObject *args)
{
  const char *name, *text;
  PyObject *list;
  LsCallRecord *r = ls_run ? ls_run->record : NULL;
  if (!PyArg_ParseTuple (args, "ssO!", &name, &text, &PyList_Type, &list))
    return NULL;
  if (!r) {
    PyErr_SetString (PyExc_RuntimeError, "nothing is recorded");
    return NULL;
  }
  LsTrace *trace = trace_of (r);
  guint base = r->statics->len;
  LsProgramFile file = { ls_trace_string (trace, name), ls_trace_string (trace, text), FALSE };
  g_array_append_val (trace->files, file);
  g_hash_table_insert (r->files, g_strdup (name), GUINT_TO_POINTER (trace->files->len));
  const char *begin = file.text;
  for (Py_ssize_t i = 0, line = 1; i < PyList_GET_SIZE (list); i++) {
    Static s = { .file = trace->files->len - 1, .row = -1 };
    int top;
    PyObject *names;
    if (!PyArg_ParseTuple (PyList_GET_ITEM (list, i), "IIIIpO!", &s.line, &s.column, &s.end_line, &s.end_column, &top, &PyTuple_Type, &names))
      return NULL;
    begin = (Py_ssize_t) s.line >= line ? lines_on (begin, s.line - (guint) line) : lines_on (file.text, s.line - 1);
    line = s.line;
    s.begin = begin;
    s.top = top;
    s.names = g_ptr_array_new ();
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE (names); k++) {
      const char *bound = PyUnicode_AsUTF8 (PyTuple_GET_ITEM (names, k));
      if (!bound)
        return NULL;
      g_ptr_array_add (s.names, (gpointer) ls_trace_string (trace, bound));
    }
    g_array_append_val (r->statics, s);
  }
  g_array_set_size (r->spans, trace->files->len);
  g_array_index (r->spans, FileSpan, trace->files->len - 1) = (FileSpan) { base, r->statics->len - base };
  return PyLong_FromUnsignedLong (base);
}

static void
make_row (LsCallRecord *r, Static *s)
{
  LsTrace *trace = trace_of (r);
  g_autofree char *text = text_of (s);
  LsStatement row = { .line = s->line, .end_line = s->end_line, .text = ls_trace_string (trace, text), .file = s->file, .turn = s->times, .times = 1 };
  s->row = (gint) trace->statements->len;
  s->turn = s->times;
  g_array_append_val (trace->statements, row);
}

/* The row of a statement's present turn. */
static gint
row_of (LsCallRecord *r, gint statement)
{
  Static *s = &g_array_index (r->statics, Static, statement);
  if (s->row < 0 || s->turn != s->times)
    make_row (r, s);
  return s->row;
}

static void
end_statement (LsCallRecord *r)
{
  guint64 now = ls_now_ns ();
  if (r->current >= 0)
    g_array_index (trace_of (r)->statements, LsStatement, g_array_index (r->statics, Static, r->current).row).ns += now - r->since;
  r->since = now;
}

PyObject *
ls_module_mark (PyObject *self, PyObject *index)
{
  LsCallRecord *r = ls_run ? ls_run->record : NULL;
  gsize i = PyLong_AsSize_t (index);
  if (!r || i >= r->statics->len)
    Py_RETURN_TRUE;
  Static *s = &g_array_index (r->statics, Static, i);
  gboolean next = s->top && r->current != (gint) i;      /* the condition of a `while` is marked in each turn */
  if (next)
    end_statement (r);
  s->times++;
  if (next) {
    r->current = (gint) i;
    row_of (r, r->current);
  }
  Py_RETURN_TRUE;
}

/* bound (statement, value, …): what its names stand for now. */
PyObject *
ls_module_bound (PyObject *self, PyObject *const *args, Py_ssize_t n)
{
  LsCallRecord *r = ls_run ? ls_run->record : NULL;
  gsize i = n > 0 ? PyLong_AsSize_t (args[0]) : G_MAXSIZE;
  if (!r || i >= r->statics->len)
    Py_RETURN_NONE;
  LsTrace *trace = trace_of (r);
  for (Py_ssize_t k = 1; k < n; k++) {
    if (!PyObject_TypeCheck (args[k], &ls_node_type))
      continue;
    LsNodeObject *tensor = (LsNodeObject *) args[k];
    GPtrArray *names = g_array_index (r->statics, Static, i).names;
    if (!tensor->node || tensor->serial != r->run->serial || (guint) k > names->len)
      continue;
    LsUOp *base = ls_base_of (r->run->session, tensor->node);
    const LsUOp *buffer = ls_base_buffer (r->run->session, base);
    LsNameBinding binding = { (guint) row_of (r, (gint) i), names->pdata[k - 1], tensor->node->id, base->id, buffer ? (guint) buffer->arg.ints[0] : G_MAXUINT };
    g_array_append_val (trace->bindings, binding);
  }
  Py_RETURN_NONE;
}

/* --- places --- */

/* The innermost statement of a file around a place, or -1; column in bytes from 0. */
static gint
statement_at (LsCallRecord *r, guint file, guint line, guint column)
{
  FileSpan span = file < r->spans->len ? g_array_index (r->spans, FileSpan, file) : (FileSpan) { 0, 0 };
  guint low = span.first, high = span.first + span.n;
  while (low < high) {      /* the first that begins after it */
    guint middle = low + (high - low) / 2;
    const Static *s = &g_array_index (r->statics, Static, middle);
    if (s->line < line || (s->line == line && s->column <= column))
      low = middle + 1;
    else
      high = middle;
  }
  for (; low > span.first; low--) {
    const Static *s = &g_array_index (r->statics, Static, low - 1);
    if (line < s->end_line || (line == s->end_line && column < s->end_column))
      return (gint) low - 1;
  }
  return -1;
}

/* Columns of Python are bytes; those of a recording are characters. */
static guint32
characters (LsCallRecord *r, guint file, guint line, guint32 column)
{
  static GHashTable *library_lines;      /* its texts are there as long as the process is */
  const LsProgramFile *f = &g_array_index (trace_of (r)->files, LsProgramFile, file);
  const char *text = f->text;
  if (!library_lines)
    library_lines = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_ptr_array_unref);
  GPtrArray *lines = g_hash_table_lookup (f->library ? library_lines : r->lines, text);
  if (!lines) {
    lines = g_ptr_array_new ();
    for (const char *p = g_str_is_ascii (text) ? NULL : text; p; p = strchr (p, '\n') ? strchr (p, '\n') + 1 : NULL)
      g_ptr_array_add (lines, (gpointer) p);
    g_hash_table_insert (f->library ? library_lines : r->lines, (gpointer) text, lines);
  }
  if (line == 0 || line > lines->len)
    return column;
  const char *begin = lines->pdata[line - 1];
  return (guint32) g_utf8_pointer_to_offset (begin, begin + MIN (column, strcspn (begin, "\n")));
}

static void
read_all_places (CodePlaces *places)
{
  PyObject *positions = PyObject_CallMethod ((PyObject *) places->code, "co_positions", NULL), *item;
  for (guint i = 0; positions && i < places->n && (item = PyIter_Next (positions)); i++) {
    PyObject *line = PyTuple_GET_ITEM (item, 0), *column = PyTuple_GET_ITEM (item, 2);
    if (!places->at[i].known) {
      places->at[i].line = line == Py_None ? 0 : (guint32) PyLong_AsLong (line);
      places->at[i].column = column == Py_None ? 0 : (guint32) PyLong_AsLong (column);
    }
    Py_DECREF (item);
  }
  Py_XDECREF (positions);
  PyErr_Clear ();
}

/* A frame that is a call of its own: a function's, not a module's, a class body's or a comprehension's. */
static gboolean
is_call (PyCodeObject *code)
{
  return (code->co_flags & CO_NEWLOCALS) && (code->co_flags & CO_OPTIMIZED) && PyUnicode_READ_CHAR (code->co_name, 0) != '<';
}

/* "Tensor" for Tensor.__init__ */
static const char *
call_name (LsCallRecord *r, PyCodeObject *code)
{
  const char *name = PyUnicode_AsUTF8 (code->co_name), *whole = PyUnicode_AsUTF8 (code->co_qualname);
  if (!name || !whole) {
    PyErr_Clear ();
    return "?";
  }
  gboolean init = strcmp (name, "__init__") == 0;
  g_autofree char *owner = init ? g_strndup (whole, strcspn (whole, ".")) : NULL;
  return ls_trace_string (trace_of (r), init ? owner : name);
}

static CodePlaces *
places_of (LsCallRecord *r, PyCodeObject *code)
{
  CodePlaces *places = g_hash_table_lookup (r->codes, code);
  if (places)
    return places;
  const char *name = PyUnicode_AsUTF8 (code->co_filename);
  places = g_new0 (CodePlaces, 1);
  places->code = (PyCodeObject *) Py_NewRef ((PyObject *) code);
  places->file = name ? file_of (r, name) : -1;
  PyErr_Clear ();
  g_hash_table_insert (r->codes, code, places);
  places->n_args = (guint) (code->co_argcount + code->co_kwonlyargcount) + ((code->co_flags & CO_VARARGS) != 0);
  places->name = is_call (code) ? call_name (r, code) : NULL;
  if (places->file < 0)
    return places;
  places->own = !g_array_index (trace_of (r)->files, LsProgramFile, places->file).library;
  places->n = (guint) Py_SIZE (code);
  places->at = g_new0 (CodePlace, places->n);
  return places;
}

static const CodePlace *
instruction_place (LsCallRecord *r, CodePlaces *places, guint i)
{
  CodePlace *at = &places->at[i];
  if (at->known)
    return at;
  if (++places->asked == ASKED_ONE_BY_ONE)
    read_all_places (places);
  int line = 0, end_line, column = 0, end_column;
  if (places->asked < ASKED_ONE_BY_ONE && PyCode_Addr2Location (places->code, (int) (i * sizeof (_Py_CODEUNIT)), &line, &column, &end_line, &end_column)) {
    at->line = (guint32) MAX (line, 0);
    at->column = (guint32) MAX (column, 0);
  }
  at->statement = places->own ? statement_at (r, (guint) places->file, at->line, at->column) : -1;
  at->column = characters (r, (guint) places->file, at->line, at->column);
  at->known = TRUE;
  return at;
}

/* Where a frame stands. column from 1. */
typedef struct { gint file; guint line, column; gint statement; gboolean own; } Place;

static Place
place_of (LsCallRecord *r, const OpenFrame *frame)
{
  CodePlaces *places = frame->code;
  Place place = { .file = places->file, .statement = -1 };
  int at = PyFrame_GetLasti ((PyFrameObject *) frame->frame) / (int) sizeof (_Py_CODEUNIT);
  if (places->file >= 0 && at >= 0 && (guint) at < places->n) {
    const CodePlace *known = instruction_place (r, places, (guint) at);
    place.line = known->line;
    place.column = known->column + 1;
    place.statement = known->statement;
    place.own = places->own;
  }
  return place;
}

/* --- arguments in short --- */

#define MAX_ARGS_TEXT 120      /* what begins before it is written to its end, as far as there is room */

static void
put_len (ArgsText *text, const char *s, gsize n)
{
  if (n > sizeof text->bytes - text->n)
    for (n = sizeof text->bytes - text->n; n > 0 && ((guint8) s[n] & 0xc0) == 0x80; n--)      /* whole characters */
      ;
  memcpy (text->bytes + text->n, s, n);
  text->n += (guint) n;
}

static void put (ArgsText *text, const char *s) { put_len (text, s, strlen (s)); }

static void
put_int (ArgsText *text, gint64 n)
{
  char digits[24], *p = digits + sizeof digits;
  guint64 rest = n < 0 ? 0 - (guint64) n : (guint64) n;
  do
    *--p = (char) ('0' + rest % 10);
  while (rest /= 10);
  if (n < 0)
    *--p = '-';
  put_len (text, p, (gsize) (digits + sizeof digits - p));
}

static void
put_float (ArgsText *text, double f)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  if (f > -1e6 && f < 1e6 && f == (double) (gint32) f && !(f == 0 && signbit (f)))
    put_int (text, (gint32) f);
  else
    put (text, g_ascii_formatd (number, sizeof number, "%g", f));
}

static void
put_tensor (LsCallRecord *r, LsNodeObject *tensor)
{
  ArgsText *text = &r->text;
  if (!tensor->node || tensor->serial != r->run->serial) {
    put (text, "a new tensor");
    return;
  }
  LsShape shape = ls_uop_shape (r->run->session->ctx, tensor->node);
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
put_value (LsCallRecord *r, PyObject *o, guint depth)
{
  ArgsText *text = &r->text;
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
      put_value (r, PySequence_Fast_GET_ITEM (o, i), depth + 1);
    }
    put (text, text->n > MAX_ARGS_TEXT ? "…" : tuple ? n == 1 ? ",)" : ")" : "]");
  } else if (PyObject_TypeCheck (o, &ls_node_type)) {
    put_tensor (r, (LsNodeObject *) o);
  } else if (Py_IS_TYPE (o, &ls_dtype_type)) {
    put (text, ls_dtype_name (((LsDTypeObject *) o)->dtype));
  } else {
    put (text, Py_TYPE (o)->tp_name);
  }
}

/* The frame's own variable number i, arguments first; NULL: it has none now. Borrowed. */
static PyObject *
argument_of (PyFrameObject *frame, const CodePlaces *code, guint i)
{
  PyObject *value = frame->f_frame->localsplus[i];
  gboolean cell = (_PyLocals_GetKind (code->code->co_localspluskinds, (int) i) & CO_FAST_CELL) != 0;
  return value && cell && PyCell_Check (value) ? PyCell_GET (value) : value;
}

static const char *
arguments (LsCallRecord *r, PyFrameObject *frame, const CodePlaces *code)
{
  ArgsText *text = &r->text;
  text->n = 0;
  for (guint i = 0; i < code->n_args; i++) {
    PyObject *value = argument_of (frame, code, i);
    if (i)
      put_len (text, ", ", 2);
    if (text->n > MAX_ARGS_TEXT) {
      put (text, "…");
      break;
    }
    if (value)
      put_value (r, value, 0);
    else
      put (text, "…");
  }
  return g_string_chunk_insert_len (trace_of (r)->strings, text->bytes, text->n);
}

/* --- calls --- */

static void
close_frames (LsCallRecord *r, guint keep)
{
  while (r->open->len > keep) {
    OpenFrame *last = &g_array_index (r->open, OpenFrame, r->open->len - 1);
    gint outer = r->open->len > 1 ? g_array_index (r->open, OpenFrame, r->open->len - 2).call : -1;
    if (last->call != outer)
      ls_tensors_close_call (r->run->tensors);
    Py_DECREF (last->frame);
    g_array_set_size (r->open, r->open->len - 1);
  }
}

static void
open_frame (LsCallRecord *r, PyFrameObject *frame)
{
  OpenFrame *outer = r->open->len > 0 ? &g_array_index (r->open, OpenFrame, r->open->len - 1) : NULL;
  PyCodeObject *code = PyFrame_GetCode (frame);
  CodePlaces *places = outer && outer->code->code == code ? outer->code : places_of (r, code);
  Py_DECREF (code);      /* places hold it */
  OpenFrame now = { .frame = Py_NewRef ((PyObject *) frame), .code = places, .call = outer ? outer->call : -1, .statement = -1 };
  Place from = { .file = -1, .statement = -1 };
  if (outer) {
    now.line = outer->line;
    now.column = outer->column;
    now.statement = outer->statement;
    from = place_of (r, outer);
    if (from.own && from.file == 0) {
      now.line = from.line;
      now.column = from.column;
    }
    if (from.own && from.statement >= 0)
      now.statement = from.statement;
  }
  if (outer && places->name) {
    LsCall call = {
      .statement = now.statement >= 0 ? (guint) row_of (r, now.statement) : 0, .line = now.line, .column = now.column, .name = places->name,
      .args = arguments (r, frame, places), .file = from.file, .file_line = from.line, .file_column = from.column,
      .def_file = places->file, .def_line = (guint) places->code->co_firstlineno,
    };
    now.call = (gint) ls_tensors_open_call (r->run->tensors, &call);
  }
  g_array_append_val (r->open, now);
}

/* Frames from the innermost outwards until one that is open; how many of the open ones stay. */
static guint
walk (LsCallRecord *r)
{
  PyFrameObject *frame = PyEval_GetFrame ();
  g_ptr_array_set_size (r->chain, 0);
  Py_XINCREF (frame);
  while (frame) {
    for (guint k = r->open->len; k-- > 0;)
      if (g_array_index (r->open, OpenFrame, k).frame == (PyObject *) frame) {
        Py_DECREF (frame);
        return k + 1;
      }
    g_ptr_array_add (r->chain, frame);
    frame = PyFrame_GetBack (frame);
  }
  return 0;
}

void
ls_record_place (LsCallRecord *r)
{
  guint keep = walk (r);
  close_frames (r, keep);
  for (guint i = r->chain->len; i-- > 0;) {
    open_frame (r, r->chain->pdata[i]);
    Py_DECREF (r->chain->pdata[i]);
  }
}

void
ls_record_result (LsCallRecord *r, LsUOp *node)
{
  if (r->open->len > 0 && g_array_index (r->open, OpenFrame, r->open->len - 1).call >= 0)
    ls_tensors_call_result (r->run->tensors, node);
}

guint
ls_record_line (LsCallRecord *r)
{
  return r->open->len > 0 ? g_array_index (r->open, OpenFrame, r->open->len - 1).line : 0;
}

void
ls_record_free (LsCallRecord *r)
{
  close_frames (r, 0);
  end_statement (r);
  r->current = -1;
  for (guint i = 0; i < r->statics->len; i++) {
    Static *s = &g_array_index (r->statics, Static, i);
    if (s->times > 0 && s->row < 0)
      make_row (r, s);
    if (s->row >= 0)
      g_array_index (trace_of (r)->statements, LsStatement, s->row).times = s->times;
  }
  if (trace_of (r)->passes->len == 0)
    ls_trace_add_statement_graphs (trace_of (r), trace_of (r));
  g_array_unref (r->open);
  g_ptr_array_unref (r->chain);
  g_hash_table_unref (r->codes);
  g_hash_table_unref (r->files);
  g_array_unref (r->statics);
  g_array_unref (r->spans);
  g_hash_table_unref (r->lines);
  g_free (r);
}
