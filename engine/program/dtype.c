/* Data types as Python sees them: one object each, compared by identity. */
#include "python-private.h"

#include <math.h>
#include <string.h>

PyObject *ls_dtype_objects[LS_N_BASES];

/* As the peer's programs name and describe them: identifier, name, format character of module struct ("" for none). */
static const struct { LsBase base; const char *id, *name, *format; } rows[] = {
  { LS_BASE_BOOL, "bool", "bool", "?" },
  { LS_BASE_WEAKINT, "weakint", "weakint", "" },
  { LS_BASE_WEAKFLOAT, "weakfloat", "weakfloat", "" },
  { LS_BASE_INT8, "int8", "signed char", "b" },
  { LS_BASE_UINT8, "uint8", "unsigned char", "B" },
  { LS_BASE_INT16, "int16", "short", "h" },
  { LS_BASE_UINT16, "uint16", "unsigned short", "H" },
  { LS_BASE_INT32, "int32", "int", "i" },
  { LS_BASE_UINT32, "uint32", "unsigned int", "I" },
  { LS_BASE_INT64, "int64", "long", "q" },
  { LS_BASE_UINT64, "uint64", "unsigned long", "Q" },
  { LS_BASE_FP8E4M3, "fp8e4m3", "float8_e4m3", "" },
  { LS_BASE_FP8E5M2, "fp8e5m2", "float8_e5m2", "" },
  { LS_BASE_HALF, "float16", "half", "e" },
  { LS_BASE_BFLOAT16, "bfloat16", "__bf16", "" },
  { LS_BASE_FLOAT, "float32", "float", "f" },
  { LS_BASE_DOUBLE, "float64", "double", "d" },
};

static guint
row_of (LsDType dtype)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].base == ls_dtype_base (dtype))
      return i;
  return 0;
}

static LsDType dtype_of (PyObject *self) { return ((LsDTypeObject *) self)->dtype; }

static PyObject *
get_name (PyObject *self, void *unused)
{
  LsDType dtype = dtype_of (self);
  const char *name = rows[row_of (dtype)].name;
  return PyUnicode_FromString (rows[row_of (dtype)].base == ls_dtype_base (dtype) ? name : ls_dtype_name (dtype));
}

static PyObject *get_itemsize (PyObject *self, void *unused) { return PyLong_FromLong (ls_dtype_itemsize (dtype_of (self))); }
static PyObject *get_bitsize  (PyObject *self, void *unused) { return PyLong_FromLong (ls_dtype_bits (dtype_of (self))); }
static PyObject *get_priority (PyObject *self, void *unused) {
  return PyLong_FromLong (ls_base_infos[ls_dtype_base (dtype_of (self))].priority); }
static PyObject *get_count    (PyObject *self, void *unused) { return PyLong_FromLong (ls_dtype_lanes (dtype_of (self))); }
static PyObject *get_float    (PyObject *self, void *unused) { return PyBool_FromLong (ls_dtype_is_float (dtype_of (self))); }
static PyObject *get_int      (PyObject *self, void *unused) { return PyBool_FromLong (ls_dtype_is_int (dtype_of (self))); }
static PyObject *get_unsigned (PyObject *self, void *unused) { return PyBool_FromLong (ls_dtype_is_unsigned (dtype_of (self))); }
static PyObject *get_bool     (PyObject *self, void *unused) { return PyBool_FromLong (ls_dtype_is_bool (dtype_of (self))); }

/* The least and the largest value; infinite for floats. A weak integer has the bounds of the int that it is kept as. */
static PyObject *
get_bound (PyObject *self, void *largest)
{
  LsDType dtype = ls_dtype_strong (dtype_of (self));
  int bits = ls_dtype_bits (dtype);
  if (ls_dtype_is_float (dtype))
    return PyFloat_FromDouble (largest ? INFINITY : -INFINITY);
  if (ls_dtype_is_bool (dtype))
    return PyBool_FromLong (largest != NULL);
  if (!ls_dtype_is_int (dtype)) {
    PyErr_Format (PyExc_TypeError, "%s has no minimum and no maximum", ls_dtype_name (dtype));
    return NULL;
  }
  if (ls_dtype_is_unsigned (dtype))
    return PyLong_FromUnsignedLongLong (largest ? G_MAXUINT64 >> (64 - bits) : 0);
  return PyLong_FromLongLong (largest ? G_MAXINT64 >> (64 - bits) : G_MININT64 >> (64 - bits));
}

static PyObject *
get_format (PyObject *self, void *unused)
{
  const char *format = rows[row_of (dtype_of (self))].format;
  return *format ? PyUnicode_FromString (format) : Py_NewRef (Py_None);
}

static PyObject *
repr (PyObject *self)
{
  char text[64];
  return PyUnicode_FromString (ls_dtype_text (dtype_of (self), text));
}

/* Dtypes are ordered by priority, as promotion does. */
static PyObject *
compare (PyObject *a, PyObject *b, int op)
{
  if (!Py_IS_TYPE (b, &ls_dtype_type))
    Py_RETURN_NOTIMPLEMENTED;
  if (op == Py_EQ || op == Py_NE)
    return PyBool_FromLong ((dtype_of (a) == dtype_of (b)) == (op == Py_EQ));
  int x = ls_base_infos[ls_dtype_base (dtype_of (a))].priority, y = ls_base_infos[ls_dtype_base (dtype_of (b))].priority;
  Py_RETURN_RICHCOMPARE (x, y, op);
}

static Py_hash_t hash (PyObject *self) { return (Py_hash_t) (dtype_of (self) % 1000003); }
static PyObject *reduce (PyObject *self, PyObject *unused) { return PyUnicode_FromFormat ("dtypes.%s", rows[row_of (dtype_of (self))].id); }

static PyGetSetDef getters[] = {
  { "name", get_name, NULL, "Its name in C.", NULL }, { "itemsize", get_itemsize, NULL, "Size of one element in bytes.", NULL },
  { "bitsize", get_bitsize, NULL, "Size of one "
                                  "element in bits.", NULL }, { "priority", get_priority, NULL, "Its rank in type promotion.", NULL },
  { "fmt", get_format, NULL, "Format character of module struct, or None.", NULL }, { "count", get_count, NULL, "Lanes.", NULL },
  { "min", get_bound, NULL, "The smallest value.", NULL }, { "max", get_bound, NULL, "The largest value.", GINT_TO_POINTER (TRUE) },
  { "is_float", get_float, NULL, NULL, NULL }, { "is_int", get_int, NULL, NULL, NULL },
  { "is_unsigned", get_unsigned, NULL, NULL, NULL }, { "is_bool", get_bool, NULL, NULL, NULL },
  { NULL },
};

/* const (value): a number as this dtype's constants hold it: floats rounded, integers not wrapped. */
static PyObject *
constant (PyObject *self, PyObject *value)
{
  LsDType dtype = dtype_of (self);
  if (ls_dtype_is_bool (dtype)) {
    int yes = PyObject_IsTrue (value);
    return yes < 0 ? NULL : PyBool_FromLong (yes);
  }
  if (!ls_dtype_is_float (dtype))
    return PyNumber_Long (value);
  PyObject *number = PyNumber_Float (value), *args[] = { number, self }, *result = NULL;
  if (number)
    result = dtype == LS_DTYPE (LS_BASE_WEAKFLOAT) ? Py_NewRef (number) : ls_module_scalar (NULL, args, 2);
  Py_XDECREF (number);
  return result;
}

static PyMethodDef methods[] = {
  { "__reduce__", reduce, METH_NOARGS, NULL },
  { "const", constant, METH_O, "A number as a constant of this dtype: floats are rounded to it, integers stay as they are." },
  { NULL },
};

PyTypeObject ls_dtype_type = {
  PyVarObject_HEAD_INIT (NULL, 0)
  .tp_name = "_lazyscope.DType", .tp_basicsize = sizeof (LsDTypeObject), .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
  .tp_repr = repr, .tp_hash = hash, .tp_richcompare = compare, .tp_getset = getters, .tp_methods = methods,
  .tp_doc = "The dtype of a tensor's elements.",
};

/* A tensor's dtype has one object; those that only nodes have (vectors, pointers, index, void) are made as they are met. */
PyObject *
ls_dtype_object (LsDType dtype)
{
  PyObject *object = ls_dtype_is_ptr (dtype) || ls_dtype_lanes (dtype) != 1 ? NULL : ls_dtype_objects[ls_dtype_base (dtype)];
  if (object)
    return Py_NewRef (object);
  LsDTypeObject *o = PyObject_New (LsDTypeObject, &ls_dtype_type);
  if (o)
    o->dtype = dtype;
  return (PyObject *) o;
}

int
ls_take_dtype (PyObject *o, LsDType *out)
{
  if (!Py_IS_TYPE (o, &ls_dtype_type)) {
    PyErr_Format (PyExc_TypeError, "expected a dtype, not a %s", Py_TYPE (o)->tp_name);
    return -1;
  }
  *out = dtype_of (o);
  return 0;
}

int
ls_dtypes_ready (PyObject *module)
{
  PyObject *all = PyDict_New ();
  if (!all || PyType_Ready (&ls_dtype_type) < 0 || PyModule_AddObjectRef (module, "DType", (PyObject *) &ls_dtype_type) < 0)
    return -1;
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    LsDTypeObject *o = PyObject_New (LsDTypeObject, &ls_dtype_type);
    if (!o)
      return -1;
    o->dtype = LS_DTYPE (rows[i].base);
    ls_dtype_objects[rows[i].base] = (PyObject *) o;
    if (PyDict_SetItemString (all, rows[i].id, (PyObject *) o) < 0)
      return -1;
  }
  return PyModule_AddObject (module, "dtypes", all) < 0 || PyModule_AddObject (module, "void", ls_dtype_object (LS_VOID)) < 0 ||
         PyModule_AddObject (module, "index", ls_dtype_object (LS_INDEX)) < 0 ? -1 : 0;
}
