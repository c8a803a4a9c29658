/* Marks of statements in the code of a text (python/marks.py).
 *
 * The text is one of lines, each of them a whole statement without a body. So code of a statement is contiguous, jumps stay inside it or
 * lead to its end, and no exceptions are caught: a mark can be put before the first instruction of each line without changing any other.
 * That costs a tenth of compiling the mark as text. Instructions and the table of places are those of Python 3.11 (Objects/locations.md
 * of its source).
 */
#include "python-private.h"

#include <opcode.h>

#if PY_VERSION_HEX >> 16 != 0x030b
#error "the instructions and positions are those of Python 3.11"
#endif

#define UNIT 2      /* bytes of an instruction, and of each of its caches */

static guint
n_caches (guint op)
{
  return op == PRECALL ? 1 : op == CALL ? 4 : 0;
}

static void
add_instruction (GByteArray *code, guint op, guint number)
{
  for (guint shift = 24; shift > 0; shift -= 8)
    if (number >> shift)
      g_byte_array_append (code, (guint8[]) { EXTENDED_ARG, (guint8) (number >> shift) }, UNIT);
  g_byte_array_append (code, (guint8[]) { (guint8) op, (guint8) number }, UNIT);
  for (guint i = 0; i < n_caches (op); i++)
    g_byte_array_append (code, (guint8[]) { 0, 0 }, UNIT);
}

/* They have the position of the instruction before them, without a column: a position of kind 13 is on the same line. */
static void
add_places (GByteArray *places, guint n)
{
  for (; n > 0; n -= MIN (n, 8))
    g_byte_array_append (places, (guint8[]) { (guint8) (0x80 | 13 << 3 | (MIN (n, 8) - 1)), 0 }, 2);
}

/* A number of the table: six bits a byte, the lowest first, while bit 6 is set; the lowest bit is its sign. */
static gint
signed_number (const guint8 *at, const guint8 *end)
{
  guint n = 0, shift = 0;
  for (; at < end && shift < 32; at++, shift += 6) {
    n |= (guint) (*at & 0x3f) << shift;
    if (!(*at & 0x40))
      break;
  }
  return n & 1 ? -(gint) (n >> 1) : (gint) (n >> 1);
}

/* How many lines on an entry of the table is. */
static gint
lines_on (const guint8 *entry, const guint8 *end)
{
  guint kind = *entry >> 3 & 15;
  return kind == 13 || kind == 14 ? signed_number (entry + 1, end) : kind >= 10 && kind < 13 ? (gint) kind - 10 : 0;
}

/* with_marks (code, places, line, [(line, name)], constant, mark, next): the code and places with a mark before each of the lines; None:
 * not all lines were found. line: of the places' beginning; name: of those of the code, that the line before binds, or -1; constant: of
 * those of the code, the first line's number, which the others' follow; mark, next: names of the code. */
PyObject *
ls_module_with_marks (PyObject *self, PyObject *args)
{
  Py_buffer code, table;
  PyObject *statements, *made = NULL;
  int line, last = 0;
  unsigned int constant, mark, next;
  if (!PyArg_ParseTuple (args, "y*y*iO!III", &code, &table, &line, &PyList_Type, &statements, &constant, &mark, &next))
    return NULL;
  g_autoptr (GByteArray) out = g_byte_array_sized_new ((guint) code.len * 2), places = g_byte_array_sized_new ((guint) table.len * 2);
  const guint8 *at = table.buf, *end = at + table.len;
  Py_ssize_t offset = 0, k = 0, n = PyList_GET_SIZE (statements);
  int wanted = 0, name = -1;
  gboolean found = TRUE;
  for (const guint8 *entry = at; entry < end && found; entry = at) {
    for (at++; at < end && !(*at & 0x80);)
      at++;
    line += lines_on (entry, end);
    if (line > last && (*entry >> 3 & 15) != 15) {
      found = k < n && PyArg_ParseTuple (PyList_GET_ITEM (statements, k), "ii", &wanted, &name) && line == wanted;
      guint begin = out->len;
      add_instruction (out, PUSH_NULL, 0);
      add_instruction (out, LOAD_NAME, name < 0 ? mark : next);
      add_instruction (out, LOAD_CONST, constant + (guint) k);
      if (name >= 0)
        add_instruction (out, LOAD_NAME, (guint) name);
      add_instruction (out, PRECALL, name < 0 ? 1 : 2);
      add_instruction (out, CALL, name < 0 ? 1 : 2);
      add_instruction (out, POP_TOP, 0);
      add_places (places, (out->len - begin) / UNIT);
      last = line;
      k++;
    }
    Py_ssize_t size = MIN (((*entry & 7) + 1) * UNIT, code.len - offset);
    g_byte_array_append (out, (const guint8 *) code.buf + offset, (guint) size);
    g_byte_array_append (places, entry, (guint) (at - entry));
    offset += size;
  }
  if (found && k == n && offset == code.len)
    made = Py_BuildValue ("y#y#", out->data, (Py_ssize_t) out->len, places->data, (Py_ssize_t) places->len);
  else if (!PyErr_Occurred ())
    made = Py_NewRef (Py_None);
  PyBuffer_Release (&code);
  PyBuffer_Release (&table);
  return made;
}
