/* The record of a program: executions of its statements, the names that they bound, and the calls that made nodes.
 *
 * Calls are found from Python's frames: before each primitive the frames that lead to it are compared with those of the primitive
 * before. A call that has returned is closed; each new frame is a call, with the position in its caller's text, its definition and its
 * arguments in short. So nothing is paid for where no tensor is touched, and a function of the program's own is a call like one of the
 * library. A frame that was met is marked, so that a new one at the same address is not taken for it.
 *
 * The rule, which verify checks (ask/verify-program.c):
 *   - A frame is a call: of a function, a lambda, a generator expression, a module that is imported. It is part of its caller's call
 *     where its text stands inside the code that runs it: comprehensions, class bodies, and generator expressions that their own
 *     function consumes.
 *   - Its parent is the innermost call below it on the stack of its thread. C code between has no frame: a function that it calls, as
 *     `a, b = x` calls __iter__, is a call of the frame that runs it. A function that Python itself calls (a thread's first function,
 *     atexit's, __del__ after the end) has no parent.
 *   - It is called at the position of the frame below it, and in the execution of the statement of the innermost frame of the program
 *     below it; if there is none, in that of its own statement.
 *   - A generator is called by each instruction that resumes it. Resumptions by one instruction in the same execution, with no
 *     recorded call between, are one call.
 *   - Each thread has its own stack of open calls.
 *
 * Statements are marked when the program is compiled (python/marks.py): a mark counts, and a row of the recording is made of the first
 * execution of a statement, and of each later one that calls a function or binds a name.
 */
#include "python-private.h"

#define Py_BUILD_CORE      /* FRAME_MET */
#include <internal/pycore_frame.h>
#undef Py_BUILD_CORE
#if PY_VERSION_HEX >> 16 != 0x030b
#error "FRAME_MET and read_places() support Python 3.11 only"
#endif

#include <string.h>

typedef struct _CodePlaces CodePlaces;
/* line 0: not below the program's text. resumed_at and turn, of a generator: the instruction of its caller, and the row of its
 * statement. */
typedef struct { PyFrameObject *frame; CodePlaces *code; gint call; guint line, column; gint statement; int resumed_at; gint turn;
                 } OpenFrame;

/* The open calls of one thread; calls: those of ls_tensors. */
typedef struct { GArray *open, *calls; guint n_generators; } Stack;

/* A statement of the text, once. begin: its first line; row: in the recording, of its current execution; -1: none yet; names that it
 * binds: in the record's. */
typedef struct { guint file; guint line, column, end_line, end_column; const char *begin; gboolean top; gint row; guint64 times, turn;
                 guint first_name, n_names; } Static;

typedef struct { guint first, n; } FileSpan;      /* of statics */

/* The position of an instruction: column from 0, in bytes while the statement is UNKNOWN, then in characters. */
typedef struct { guint32 line, column; gint statement; } CodePlace;

#define UNKNOWN (-2)

/* A code object: its file (or -1), the program's own or a module of the library (its index; or -1), the name of a call of it, whether it
 * is part of its caller's call if it is inside the caller's code, whether it is a generator, whether it belongs to the code that runs
 * programs, whose frames do not count, its number of arguments, and its n instructions; at is NULL until one is needed. */
struct _CodePlaces { PyCodeObject *code; gint own, module; const char *name; gboolean part, generator, machinery; guint n_args, n;
                     CodePlace *at; };

#define MOST_LIBRARY_CODES 8192      /* a program can make code that says it is the library's */
static GHashTable *library_codes;      /* PyCodeObject -> CodePlaces: they live as long as the process, as the library's modules */

struct _LsCallRecord {
  LsRun      *run;
  GArray     *open;            /* OpenFrame, outermost first: of the thread that was met last */
  Stack      *stack;           /* that thread's */
  guint64     thread;
  GHashTable *stacks;          /* number of a thread -> Stack */
  GPtrArray  *chain;           /* frames of one walk, innermost first */
  GHashTable *codes;           /* PyCodeObject -> CodePlaces, the program's */
  GHashTable *files;           /* co_filename of the program's own -> index in trace->files + 1 */
  GArray     *modules;         /* guint, by the library's module: index in trace->files + 1, or 0 */
  GArray     *statics;         /* Static, those of a file together, each before those inside it */
  GPtrArray  *names;           /* that they bind */
  GArray     *spans;           /* FileSpan, by file */
  GArray     *firsts;          /* guint, by number of a marked text: its first statement + 1; 0: it is not of this run */
  GHashTable *lines;           /* text of a file of the program's -> the beginnings of its lines; none where it is ASCII */
  gint        current;         /* statement at the top that is being run, or -1 */
  guint64     since;
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
stack_free (gpointer data)
{
  Stack *stack = data;
  g_array_unref (stack->open);
  g_array_unref (stack->calls);
  g_free (stack);
}

LsCallRecord *
ls_record_new (LsRun *run)
{
  LsCallRecord *r = g_new0 (LsCallRecord, 1);
  r->run = run;
  r->stacks = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, stack_free);
  r->chain = g_ptr_array_new ();
  r->codes = g_hash_table_new_full (NULL, NULL, NULL, code_places_free);
  r->files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  r->modules = g_array_new (FALSE, TRUE, sizeof (guint));
  r->statics = g_array_new (FALSE, FALSE, sizeof (Static));
  r->names = g_ptr_array_new ();
  r->spans = g_array_new (FALSE, TRUE, sizeof (FileSpan));
  r->firsts = g_array_new (FALSE, TRUE, sizeof (guint));
  r->lines = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_ptr_array_unref);
  r->current = -1;
  return r;
}

/* --- files and statements --- */

static LsTrace *trace_of (LsCallRecord *r) { return r->run->session->trace; }

/* The library's module that a file is, or -1. */
static gint
module_of (const char *file)
{
  for (gint i = 0; ls_library_modules[i].module; i++)
    if (strcmp (ls_library_modules[i].path, file) == 0)
      return i;
  return -1;
}

/* A module's file in the recording, taken in when it is first met. */
static gint
library_file (LsCallRecord *r, gint module)
{
  if ((guint) module >= r->modules->len)
    g_array_set_size (r->modules, (guint) module + 1);
  guint *known = &g_array_index (r->modules, guint, module);
  if (*known == 0) {
    /* as long as the process lives */
    LsProgramFile file = { ls_library_modules[module].path, ls_library_modules[module].text, TRUE, NULL };
    file.digest = ls_trace_file_digest (trace_of (r), &file);
    g_array_append_val (trace_of (r)->files, file);
    *known = trace_of (r)->files->len;
  }
  return (gint) *known - 1;
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

/* The program may import itself: its text is there already. */
static gint
known_file (LsCallRecord *r, const char *name, const char *text)
{
  guint file = GPOINTER_TO_UINT (g_hash_table_lookup (r->files, name));
  return file > 0 && file <= r->spans->len && strcmp (g_array_index (trace_of (r)->files, LsProgramFile, file - 1).text, text) == 0
         ? (gint) file - 1 : -1;
}

/* The marks of that number are of the statements from `first` on. */
static void
mark_begins_at (LsCallRecord *r, guint number, guint first)
{
  if (number >= r->firsts->len)
    g_array_set_size (r->firsts, number + 1);
  g_array_index (r->firsts, guint, number) = first + 1;
}

/* statements (number, filename, text, [(line, column, end_line, end_column, top, names)]): a file of the program's own is met, whose
 * marks say that number. */
PyObject *
ls_module_statements (PyObject *self, PyObject *args)
{
  unsigned int number;
  const char *name, *text;
  PyObject *list;
  LsCallRecord *r = ls_run ? ls_run->record : NULL;
  if (!PyArg_ParseTuple (args, "IssO!", &number, &name, &text, &PyList_Type, &list))
    return NULL;
  if (!r) {
    PyErr_SetString (PyExc_RuntimeError, "nothing is recorded");
    return NULL;
  }
  LsTrace *trace = trace_of (r);
  guint base = r->statics->len;
  if (number < r->firsts->len && g_array_index (r->firsts, guint, number) > 0)      /* a module that is loaded again */
    Py_RETURN_NONE;
  gint known = known_file (r, name, text);
  if (known >= 0) {
    mark_begins_at (r, number, g_array_index (r->spans, FileSpan, known).first);
    Py_RETURN_NONE;
  }
  LsProgramFile file = { ls_trace_string (trace, name), ls_trace_string (trace, text), FALSE, NULL };
  file.digest = ls_trace_file_digest (trace, &file);
  g_array_append_val (trace->files, file);
  g_hash_table_insert (r->files, g_strdup (name), GUINT_TO_POINTER (trace->files->len));
  const char *begin = file.text;
  for (Py_ssize_t i = 0, line = 1; i < PyList_GET_SIZE (list); i++) {
    Static s = { .file = trace->files->len - 1, .row = -1 };
    int top;
    PyObject *names;
    if (!PyArg_ParseTuple (PyList_GET_ITEM (list, i), "IIIIpO!", &s.line, &s.column, &s.end_line, &s.end_column, &top, &PyTuple_Type,
                           &names))
      return NULL;
    begin = (Py_ssize_t) s.line >= line ? lines_on (begin, s.line - (guint) line) : lines_on (file.text, s.line - 1);
    line = s.line;
    s.begin = begin;
    s.top = top;
    s.first_name = r->names->len;
    s.n_names = (guint) PyTuple_GET_SIZE (names);
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE (names); k++) {
      const char *bound = PyUnicode_AsUTF8 (PyTuple_GET_ITEM (names, k));
      if (!bound)
        return NULL;
      g_ptr_array_add (r->names, (gpointer) ls_trace_string (trace, bound));
    }
    g_array_append_val (r->statics, s);
  }
  g_array_set_size (r->spans, trace->files->len);
  g_array_index (r->spans, FileSpan, trace->files->len - 1) = (FileSpan) { base, r->statics->len - base };
  mark_begins_at (r, number, base);
  Py_RETURN_NONE;
}

/* The statement that a mark is of, or -1. */
static gint
statement_of (LsCallRecord *r, PyObject *mark)
{
  guint64 n = PyLong_AsUnsignedLongLong (mark);
  guint first = n >> 32 < r->firsts->len ? g_array_index (r->firsts, guint, n >> 32) : 0;
  guint64 i = (n & G_MAXUINT32) + first;
  return first == 0 || i > r->statics->len ? -1 : (gint) i - 1;
}

static void
make_row (LsCallRecord *r, Static *s)
{
  LsTrace *trace = trace_of (r);
  g_autofree char *text = text_of (s);
  LsStatement row = { .line = s->line, .end_line = s->end_line, .text = ls_trace_string (trace, text), .file = s->file, .turn = s->times,
                      .times = 1 };
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

static void
begin_statement (LsCallRecord *r, gint i)
{
  Static *s = &g_array_index (r->statics, Static, i);
  gboolean next = s->top && r->current != i;      /* the condition of a `while` is marked in each iteration */
  if (next)
    end_statement (r);
  s->times++;
  if (next)
    r->current = i;
  if (next || s->times == 1)
    row_of (r, i);
}

static void
bind_names (LsCallRecord *r, gint i, PyObject *const *values, Py_ssize_t n)
{
  LsTrace *trace = trace_of (r);
  const Static *s = &g_array_index (r->statics, Static, i);
  for (Py_ssize_t k = 0; k < n; k++) {
    LsNodeObject *tensor = PyObject_TypeCheck (values[k], &ls_node_type) ? (LsNodeObject *) values[k] : NULL;
    LsUOp *node = !tensor ? ls_peek_uop (values[k]) : tensor->serial == r->run->serial ? tensor->node : NULL,
          *base = tensor && node ? ls_base_of (r->run->session, node) : NULL;
    if (!node || k >= s->n_names)
      continue;
    const LsUOp *buffer = base ? ls_base_buffer (r->run->session, base) : NULL;
    LsNameBinding binding = { (guint) row_of (r, i), r->names->pdata[s->first_name + k], node->id, base ? base->id : LS_NO_NODE,
                              buffer ? (guint) buffer->arg.ints[0] : G_MAXUINT };
    g_array_append_val (trace->bindings, binding);
    g_array_index (trace->statements, LsStatement, binding.statement).bound++;
  }
}

PyObject *
ls_module_mark (PyObject *self, PyObject *index)
{
  LsCallRecord *r = ls_run ? ls_run->record : NULL;
  gint i = r ? statement_of (r, index) : -1;
  if (i >= 0)
    begin_statement (r, i);
  Py_RETURN_TRUE;
}

/* bound (statement, value, …): the tensors of its names now. */
PyObject *
ls_module_bound (PyObject *self, PyObject *const *args, Py_ssize_t n)
{
  LsCallRecord *r = ls_run ? ls_run->record : NULL;
  gint i = r && n > 0 ? statement_of (r, args[0]) : -1;
  if (i >= 0)
    bind_names (r, i, args + 1, n - 1);
  Py_RETURN_NONE;
}

/* next (statement, value, …): a statement begins; the tensors of the names of the one before it. */
PyObject *
ls_module_next (PyObject *self, PyObject *const *args, Py_ssize_t n)
{
  LsCallRecord *r = ls_run ? ls_run->record : NULL;
  gint i = r && n > 0 ? statement_of (r, args[0]) : -1;
  if (i > 0)
    bind_names (r, i - 1, args + 1, n - 1);
  if (i >= 0)
    begin_statement (r, i);
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

/* Columns of Python are bytes; those of a recording are characters. lines_of: text -> the beginnings of its lines. */
static guint32
characters (GHashTable *lines_of, const char *text, guint line, guint32 column)
{
  GPtrArray *lines = g_hash_table_lookup (lines_of, text);
  if (!lines) {
    lines = g_ptr_array_new ();
    for (const char *p = g_str_is_ascii (text) ? NULL : text; p; p = strchr (p, '\n') ? strchr (p, '\n') + 1 : NULL)
      g_ptr_array_add (lines, (gpointer) p);
    g_hash_table_insert (lines_of, (gpointer) text, lines);
  }
  if (line == 0 || line > lines->len)
    return column;
  const char *begin = lines->pdata[line - 1];
  return (guint32) g_utf8_pointer_to_offset (begin, begin + MIN (column, strcspn (begin, "\n")));
}

/* A number of a table of places: six bits a byte, the lowest first, while bit 6 is set. */
static guint
varint (const guint8 **at, const guint8 *end)
{
  guint n = 0, shift = 0;
  guint8 byte = 0x40;
  while (*at < end && byte & 0x40 && shift < 32) {
    byte = *(*at)++;
    n |= (guint) (byte & 0x3f) << shift;
    shift += 6;
  }
  return n;
}

static gint
signed_varint (const guint8 **at, const guint8 *end)
{
  guint n = varint (at, end);
  return n & 1 ? -(gint) (n >> 1) : (gint) (n >> 1);
}

/* Lines and columns of all instructions, from the table that Python 3.11 keeps (Objects/locations.md of its source): entries of a byte
 * with bit 7 set, a kind of four bits and the number of instructions minus one; then data by kind. Asking Python for one goes through
 * all before it. */
static void
read_places (CodePlaces *places)
{
  enum { SHORT = 10, ONE_LINE = 13, NO_COLUMN = 13, LONG = 14 };      /* kinds below SHORT, from it to below ONE_LINE, and these; 15:
                                                                       * nowhere */
  PyCodeObject *code = places->code;
  const guint8 *at = (const guint8 *) PyBytes_AS_STRING (code->co_linetable), *end = at + PyBytes_GET_SIZE (code->co_linetable);
  gint line = code->co_firstlineno;
  guint i = 0;
  places->at = g_new (CodePlace, places->n);
  while (at + 1 < end && i < places->n) {
    guint kind = *at >> 3 & 15, n = (*at & 7) + 1, column = 0;
    gboolean known = kind < 15;
    at++;
    if (kind < SHORT) {
      column = kind << 3 | *at++ >> 4;
    } else if (kind < ONE_LINE) {
      line += (gint) kind - SHORT;
      column = *at;
      at += 2;
    } else if (kind == NO_COLUMN) {
      line += signed_varint (&at, end);
    } else if (kind == LONG) {
      line += signed_varint (&at, end);
      varint (&at, end);
      guint from = varint (&at, end);
      column = from ? from - 1 : 0;
      varint (&at, end);
    }
    for (; n > 0 && i < places->n; n--, i++)
      places->at[i] = (CodePlace) { .line = known ? (guint32) MAX (line, 0) : 0, .column = column, .statement = UNKNOWN };
  }
  for (; i < places->n; i++)
    places->at[i] = (CodePlace) { .statement = UNKNOWN };
}

/* "Tensor" for Tensor.__init__ */
static const char *
call_name (LsCallRecord *r, PyCodeObject *code, gboolean library)
{
  const char *name = PyUnicode_AsUTF8 (code->co_name), *whole = PyUnicode_AsUTF8 (code->co_qualname);
  if (!name || !whole) {
    PyErr_Clear ();
    return "?";
  }
  g_autofree char *owner = NULL;
  if (strcmp (name, "__init__") == 0 && g_str_has_suffix (whole, ".__init__")) {
    owner = g_strndup (whole, strlen (whole) - strlen (".__init__"));
    const char *last = strrchr (owner, '.');
    memmove (owner, last ? last + 1 : owner, strlen (last ? last + 1 : owner) + 1);
  }
  if (owner)
    name = owner;
  return library ? g_intern_string (name) : ls_trace_string (trace_of (r), name);
}

static CodePlaces *
places_of (LsCallRecord *r, PyCodeObject *code)
{
  if (!library_codes)
    library_codes = g_hash_table_new (NULL, NULL);
  CodePlaces *places = g_hash_table_lookup (library_codes, code);
  if (!places)
    places = g_hash_table_lookup (r->codes, code);
  if (places)
    return places;
  const char *name = PyUnicode_AsUTF8 (code->co_filename);
  PyErr_Clear ();
  places = g_new0 (CodePlaces, 1);
  places->code = (PyCodeObject *) Py_NewRef ((PyObject *) code);
  places->own = name ? (gint) GPOINTER_TO_UINT (g_hash_table_lookup (r->files, name)) - 1 : -1;
  places->module = name && places->own < 0 ? module_of (name) : -1;
  places->n_args = (guint) (code->co_argcount + code->co_kwonlyargcount) + ((code->co_flags & CO_VARARGS) != 0);
  places->name = call_name (r, code, places->module >= 0);
  gboolean function = (code->co_flags & CO_NEWLOCALS) && (code->co_flags & CO_OPTIMIZED);
  places->part = function ? PyUnicode_READ_CHAR (code->co_name, 0) == '<' && strcmp (places->name, "<lambda>") != 0
                          : strcmp (places->name, "<module>") != 0;
  places->generator = (code->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR)) != 0;
  places->machinery = name && g_str_has_prefix (name, "library/_");
  places->n = (guint) Py_SIZE (code);
  g_hash_table_insert (places->module >= 0 && g_hash_table_size (library_codes) < MOST_LIBRARY_CODES ? library_codes : r->codes, code,
                       places);
  return places;
}

/* Its file in the recording, or -1. */
static gint file_of (LsCallRecord *r, const CodePlaces *places) { return places->module >= 0 ? library_file (r, places->module)
                                                                                             : places->own; }

static const CodePlace *
instruction_place (LsCallRecord *r, CodePlaces *places, guint i)
{
  static GHashTable *library_lines;      /* its texts are there as long as the process is */
  if (!library_lines)
    library_lines = g_hash_table_new (NULL, NULL);
  if (!places->at)
    read_places (places);
  CodePlace *at = &places->at[i];
  if (at->statement == UNKNOWN) {
    const LsProgramFile *file = &g_array_index (trace_of (r)->files, LsProgramFile, file_of (r, places));
    at->statement = places->own >= 0 ? statement_at (r, (guint) places->own, at->line, at->column) : -1;
    at->column = characters (file->library ? library_lines : r->lines, file->text, at->line, at->column);
  }
  return at;
}

/* The position of a frame; column from 1. */
typedef struct { gint file; guint line, column; gint statement; gboolean own; } Place;

static Place
place_of (LsCallRecord *r, const OpenFrame *frame)
{
  CodePlaces *places = frame->code;
  Place place = { .file = file_of (r, places), .statement = -1 };
  int at = _PyInterpreterFrame_LASTI (frame->frame->f_frame);
  if (place.file >= 0 && at >= 0 && (guint) at < places->n) {
    const CodePlace *known = instruction_place (r, places, (guint) at);
    place.line = known->line;
    place.column = known->column + 1;
    place.statement = known->statement;
    place.own = places->own >= 0;
  }
  return place;
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
    r->stack->n_generators -= last->code->generator && r->open->len > 1;
    if (r->open->len == 1 && last->code->own == 0 && strcmp (last->code->name, "<module>") == 0)
      g_hash_table_remove (r->codes, last->code->code);      /* a long program has many statements, each of which runs once */
    g_array_set_size (r->open, r->open->len - 1);
  }
}

/* Is a code object inside another? */
static gboolean
stands_inside (PyCodeObject *inner, PyCodeObject *outer)
{
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE (outer->co_consts); i++)
    if (PyTuple_GET_ITEM (outer->co_consts, i) == (PyObject *) inner)
      return TRUE;
  return FALSE;
}

/* The row of the statement that a call is of. A call that no frame of the program leads to is in its caller's statement, or in the
 * execution of the last statement that has one. */
static guint
call_row (LsCallRecord *r, const OpenFrame *now, const OpenFrame *outer, gboolean of_program)
{
  /* its caller's; another thread or a recursion may have begun another execution of it */
  if (now->statement >= 0 && !of_program && outer && outer->call >= 0)
    return g_array_index (trace_of (r)->calls, LsCall, outer->call).statement;
  if (now->statement >= 0)
    return (guint) row_of (r, now->statement);
  Place own = place_of (r, now);
  if (own.own && own.statement >= 0)
    return (guint) row_of (r, own.statement);
  if (outer && outer->call >= 0)
    return g_array_index (trace_of (r)->calls, LsCall, outer->call).statement;
  return trace_of (r)->statements->len ? trace_of (r)->statements->len - 1 : 0;
}

static void
open_frame (LsCallRecord *r, PyFrameObject *frame)
{
  guint n = r->open->len;
  g_array_set_size (r->open, n + 1);
  OpenFrame *now = &g_array_index (r->open, OpenFrame, n), *outer = n > 0 ? now - 1 : NULL;
  PyCodeObject *code = frame->f_frame->f_code;
  CodePlaces *places = outer && outer->code->code == code ? outer->code : places_of (r, code);
  *now = (OpenFrame) { .frame = frame, .code = places, .call = outer ? outer->call : -1, .statement = -1, .turn = -1 };
  Place from = outer ? place_of (r, outer) : (Place) { .file = -1, .statement = -1 };
  gboolean main = from.own && from.file == 0;
  now->line = main ? from.line : outer ? outer->line : 0;
  now->column = main ? from.column : outer ? outer->column : 0;
  now->statement = from.own && from.statement >= 0 ? from.statement : outer ? outer->statement : -1;
  if (places->generator && outer) {
    r->stack->n_generators++;
    now->resumed_at = _PyInterpreterFrame_LASTI (outer->frame->f_frame);
    now->turn = now->statement >= 0 ? row_of (r, now->statement) : -1;
  }
  if (outer ? places->part && stands_inside (code, outer->code->code) : places->own == 0 && strcmp (places->name, "<module>") == 0)
    return;
  LsCall call = {
    .statement = call_row (r, now, outer, from.own), .line = now->line, .column = now->column, .name = places->name,
    .args = ls_arguments_text (r->run, frame, places->n_args), .file = from.file, .file_line = from.line, .file_column = from.column,
    .def_file = file_of (r, places), .def_line = (guint) places->code->co_firstlineno,
  };
  now->call = (gint) ls_tensors_open_call (r->run->tensors, &call);
}

/* While a program traces itself Python reads this as a truth value, 1 or 0 in a new frame; 3 is true as well. */
#define FRAME_MET 2

static gboolean
is_machinery (LsCallRecord *r, PyFrameObject *frame)
{
  return places_of (r, frame->f_frame->f_code)->machinery;
}

/* A generator that is open is the same call while its caller resumes it there, in that turn. */
static gboolean
is_same (LsCallRecord *r, guint k, PyFrameObject *frame)
{
  const OpenFrame *open = &g_array_index (r->open, OpenFrame, k), *outer = k > 0 ? open - 1 : NULL;
  if (open->frame != frame || !(frame->f_trace_lines & FRAME_MET) || open->code->code != frame->f_frame->f_code)
    return FALSE;
  if (!open->code->generator || !outer)
    return TRUE;
  Place from = place_of (r, outer);
  gint statement = from.own && from.statement >= 0 ? from.statement : outer->statement;
  return open->resumed_at == _PyInterpreterFrame_LASTI (outer->frame->f_frame) && statement == open->statement &&
         open->turn == (statement >= 0 ? row_of (r, statement) : -1);
}

/* Frames from the innermost outwards until one that is open; how many of the open ones stay. Where a generator is open, all frames,
 * from the outermost on: it may have been resumed from elsewhere. */
static guint
walk (LsCallRecord *r)
{
  gboolean all = r->stack->n_generators > 0;
  g_ptr_array_set_size (r->chain, 0);
  for (PyFrameObject *frame = PyEval_GetFrame (), *back; frame; frame = back) {
    if (!all && frame->f_trace_lines & FRAME_MET)
      for (guint k = r->open->len; k-- > 0;)
        if (g_array_index (r->open, OpenFrame, k).frame == frame)
          return k + 1;
    if (frame->f_trace_lines & FRAME_MET || !is_machinery (r, frame))
      g_ptr_array_add (r->chain, frame);
    back = PyFrame_GetBack (frame);
    Py_XDECREF (back);      /* it is being run, and stays */
  }
  guint keep = 0;
  while (all && keep < r->open->len && r->chain->len > 0 && is_same (r, keep, r->chain->pdata[r->chain->len - 1])) {
    g_ptr_array_set_size (r->chain, r->chain->len - 1);
    keep++;
  }
  return keep;
}

/* The stack of the thread that runs now. */
static void
enter_thread (LsCallRecord *r)
{
  guint64 thread = PyThreadState_GetID (PyThreadState_Get ());
  if (r->stack && r->thread == thread)
    return;
  Stack *stack = g_hash_table_lookup (r->stacks, &thread);
  if (!stack) {
    stack = g_new0 (Stack, 1);
    stack->open = g_array_new (FALSE, FALSE, sizeof (OpenFrame));
    stack->calls = g_array_new (FALSE, FALSE, sizeof (guint));
    g_hash_table_insert (r->stacks, g_memdup2 (&thread, sizeof thread), stack);
  }
  r->thread = thread;
  r->stack = stack;
  r->open = stack->open;
  ls_tensors_switch_calls (r->run->tensors, stack->calls);
}

void
ls_record_place (LsCallRecord *r)
{
  enter_thread (r);
  guint keep = walk (r);
  close_frames (r, keep);
  for (guint i = r->chain->len; i-- > 0;) {
    PyFrameObject *frame = r->chain->pdata[i];
    open_frame (r, frame);
    frame->f_trace_lines |= FRAME_MET;
  }
}

guint
ls_record_row (LsCallRecord *r)
{
  guint row = G_MAXUINT;
  for (PyFrameObject *frame = PyEval_GetFrame (), *back; frame && row == G_MAXUINT; frame = back) {
    OpenFrame at = { .frame = frame, .code = places_of (r, frame->f_frame->f_code) };
    Place place = at.code->own >= 0 && !at.code->machinery ? place_of (r, &at) : (Place) { .statement = -1 };
    if (place.statement >= 0)
      row = (guint) row_of (r, place.statement);
    back = PyFrame_GetBack (frame);
    Py_XDECREF (back);      /* it is being run, and stays */
  }
  return row;
}

void
ls_record_result (LsCallRecord *r, LsUOp *node)
{
  if (r->open && r->open->len > 0 && g_array_index (r->open, OpenFrame, r->open->len - 1).call >= 0)
    ls_tensors_call_result (r->run->tensors, node);
}

guint
ls_record_line (LsCallRecord *r)
{
  return r->open && r->open->len > 0 ? g_array_index (r->open, OpenFrame, r->open->len - 1).line : 0;
}

void
ls_record_free (LsCallRecord *r)
{
  GHashTableIter iter;
  gpointer stack;
  g_hash_table_iter_init (&iter, r->stacks);
  while (g_hash_table_iter_next (&iter, NULL, &stack)) {
    r->stack = stack;
    r->open = r->stack->open;
    ls_tensors_switch_calls (r->run->tensors, r->stack->calls);
    close_frames (r, 0);
  }
  ls_tensors_switch_calls (r->run->tensors, NULL);
  end_statement (r);
  r->current = -1;
  for (guint i = 0; i < r->statics->len; i++) {
    Static *s = &g_array_index (r->statics, Static, i);
    if (s->row >= 0)
      g_array_index (trace_of (r)->statements, LsStatement, s->row).times = s->times;
  }
  if (trace_of (r)->passes->len == 0 && trace_of (r)->bindings->len > 0)
    ls_trace_add_statement_graphs (trace_of (r), trace_of (r), TRUE);
  g_hash_table_unref (r->stacks);
  g_ptr_array_unref (r->chain);
  g_hash_table_unref (r->codes);
  g_hash_table_unref (r->files);
  g_array_unref (r->modules);
  g_array_unref (r->statics);
  g_ptr_array_unref (r->names);
  g_array_unref (r->spans);
  g_array_unref (r->firsts);
  g_hash_table_unref (r->lines);
  g_free (r);
}
