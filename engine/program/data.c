/* Values into tensors and back: constants, host data, nested lists, and the computed elements. */
#include "python-private.h"

#include <string.h>

static PyTypeObject *
take_class (PyObject *o)
{
  if (PyType_Check (o) && PyType_IsSubtype ((PyTypeObject *) o, &ls_node_type))
    return (PyTypeObject *) o;
  PyErr_SetString (PyExc_TypeError, "expected a class of tensors");
  return NULL;
}

static gboolean
check_n (const char *name, Py_ssize_t n, Py_ssize_t wanted)
{
  if (n != wanted)
    PyErr_Format (PyExc_TypeError, "%s() takes %zd arguments, not %zd", name, wanted, n);
  return n == wanted;
}

/* A Python number as dtype holds it: integers wrap, floats round. */
static int
take_scalar (PyObject *o, LsDType dtype, LsScalar *out)
{
  if (PyFloat_Check (o)) {
    *out = ls_eval_cast (dtype, LS_DOUBLE, (LsScalar) { .f = PyFloat_AS_DOUBLE (o) });
    return 0;
  }
  if (PyLong_Check (o)) {
    int overflow;
    gint64 i = PyLong_AsLongLongAndOverflow (o, &overflow);
    if (overflow && ls_dtype_is_float (dtype)) {
      double f = PyLong_AsDouble (o);
      if (f == -1 && PyErr_Occurred ())
        return -1;
      *out = ls_eval_cast (dtype, LS_DOUBLE, (LsScalar) { .f = f });
      return 0;
    }
    if (overflow) {
      guint64 wide = overflow > 0 ? PyLong_AsUnsignedLongLong (o) : G_MAXUINT64;
      if (wide == G_MAXUINT64 && (overflow < 0 || PyErr_Occurred ())) {
        PyErr_Format (PyExc_OverflowError, "%R does not fit a 64-bit integer", o);
        return -1;
      }
      i = (gint64) wide;
    }
    *out = ls_eval_cast (dtype, overflow > 0 ? LS_UINT64 : LS_INT64, (LsScalar) { .i = i });
    return 0;
  }
  PyObject *number = PyNumber_Index (o);      /* numpy's integers and the like */
  if (!number) {
    PyErr_Clear ();
    number = PyNumber_Float (o);
  }
  if (!number) {
    PyErr_Format (PyExc_TypeError, "expected a number, not a %s", Py_TYPE (o)->tp_name);
    return -1;
  }
  int result = take_scalar (number, dtype, out);
  Py_DECREF (number);
  return result;
}

/* const (cls, value, dtype) */
PyObject *
ls_module_const (PyObject *self, PyObject *const *args, Py_ssize_t n)
{
  PyTypeObject *type;
  LsDType dtype;
  LsScalar value;
  guint64 start;
  if (!check_n ("const", n, 3) || !(type = take_class (args[0])) || ls_take_dtype (args[2], &dtype) < 0)
    return NULL;
  LsUOp *size = ls_take_size (args[1]);
  if (PyErr_Occurred () || (!size && take_scalar (args[1], dtype, &value) < 0) || !ls_enter (&start))
    return NULL;
  if (PyFloat_Check (args[1]) && ls_dtype_is_float (dtype))      /* rounded where the constant is made, which may keep its digits */
    value.f = PyFloat_AS_DOUBLE (args[1]);
  LsUOp *x = size ? ls_tensor_cast (ls_run->tensors, size, dtype) : ls_tensor_const (ls_run->tensors, dtype, value);
  ls_leave (start, x);
  return ls_node_new (type, x);
}

static PyObject *
host (PyTypeObject *type, LsDType dtype, guint n, const gint64 *dims, const void *memory)
{
  guint64 start;
  if (!ls_enter (&start))
    return NULL;
  LsUOp *x = ls_tensor_host (ls_run->tensors, dtype, n, dims, memory);
  ls_leave (start, x);
  return ls_node_new (type, x);
}

/* A shape of memory; its number of elements, or -1. */
static gint64
take_shape (PyObject *shape, gint64 dims[2 * LS_MAX_DIMS], guint *n)
{
  gint64 size = 1;
  if (ls_take_ints (shape, "sizes", n, dims) < 0)
    return -1;
  for (guint i = 0; i < *n; i++)
    if (*n > LS_MAX_DIMS || dims[i] < 0 || __builtin_mul_overflow (size, dims[i], &size) || size > LS_MAX_ELEMENTS) {
      PyErr_Format (ls_shape_error, "%R is not a valid shape", shape);
      return -1;
    }
  return size;
}

/* host (cls, data, dtype, shape) */
PyObject *
ls_module_host (PyObject *self, PyObject *const *args, Py_ssize_t n)
{
  PyTypeObject *type;
  LsDType dtype;
  gint64 dims[2 * LS_MAX_DIMS], size;
  guint n_dims;
  Py_buffer view;
  if (!check_n ("host", n, 4) || !(type = take_class (args[0])) || ls_take_dtype (args[2], &dtype) < 0 ||
      (size = take_shape (args[3], dims, &n_dims)) < 0)
    return NULL;
  if (PyObject_GetBuffer (args[1], &view, PyBUF_CONTIG_RO) < 0)
    return NULL;
  PyObject *result = NULL;
  if (view.len != size * ls_dtype_itemsize (dtype))
    PyErr_Format (ls_shape_error, "%zd bytes do not fit a tensor of shape %R and dtype %s, which needs %lld", view.len, args[3],
                  ls_dtype_name (dtype),
                  (long long) (size * ls_dtype_itemsize (dtype)));
  else
    result = host (type, dtype, n_dims, dims, view.buf);
  PyBuffer_Release (&view);
  return result;
}

/* empty (cls, shape, dtype) */
PyObject *
ls_module_empty (PyObject *self, PyObject *const *args, Py_ssize_t n)
{
  PyTypeObject *type;
  LsDType dtype;
  gint64 dims[2 * LS_MAX_DIMS];
  guint n_dims;
  if (!check_n ("empty", n, 3) || !(type = take_class (args[0])) || take_shape (args[1], dims, &n_dims) < 0 ||
      ls_take_dtype (args[2], &dtype) < 0)
    return NULL;
  guint64 start;
  if (!ls_enter (&start))
    return NULL;
  LsUOp *x = ls_tensor_empty (ls_run->tensors, dtype, n_dims, dims);
  ls_leave (start, x);
  return ls_node_new (type, x);
}

/* The shape and kinds of a nested list, found before its elements are stored. */
typedef struct { guint n; gint64 dims[LS_MAX_DIMS]; gboolean bools, ints, wide; gint64 count; gint64 leaves; } Nested;

static gboolean is_list (PyObject *o) { return PyList_Check (o) || PyTuple_Check (o); }

/* Every list at one depth must be as long as the first one there. */
static int
survey (PyObject *o, guint depth, Nested *nested)
{
  if (is_list (o)) {
    Py_ssize_t n = PySequence_Fast_GET_SIZE (o);
    if (depth == LS_MAX_DIMS) {
      PyErr_SetString (ls_shape_error, "this list is nested too deeply");
      return -1;
    }
    if (depth == nested->n && nested->leaves == 0) {
      nested->dims[nested->n++] = n;
    } else if (depth >= nested->n || nested->dims[depth] != n) {
      if (depth >= nested->n)
        PyErr_SetString (ls_shape_error, "a list is next to numbers");
      else
        PyErr_Format (ls_shape_error, "lists of %lld and %zd items are at the same level", (long long) nested->dims[depth], n);
      return -1;
    }
    if (n == 0)
      nested->leaves++;
    for (Py_ssize_t i = 0; i < n; i++)
      if (survey (PySequence_Fast_GET_ITEM (o, i), depth + 1, nested) < 0)
        return -1;
    return 0;
  }
  if (depth != nested->n) {
    PyErr_SetString (ls_shape_error, "a number is next to lists");
    return -1;
  }
  nested->count++;
  nested->leaves++;
  nested->bools = nested->bools && PyBool_Check (o);
  if (PyLong_Check (o)) {
    int overflow;
    gint64 i = PyLong_AsLongLongAndOverflow (o, &overflow);
    nested->wide = nested->wide || overflow || i < G_MININT32 || i > G_MAXINT32;
  } else if (PyFloat_Check (o) || PyIndex_Check (o) || (Py_TYPE (o)->tp_as_number && Py_TYPE (o)->tp_as_number->nb_float)) {
    nested->ints = nested->ints && PyIndex_Check (o);
  } else {
    PyErr_Format (PyExc_RuntimeError, "a tensor cannot be made of a %s", Py_TYPE (o)->tp_name);
    return -1;
  }
  return 0;
}

static int
store (PyObject *o, LsDType dtype, gboolean inferred, guint8 **at, const guint8 *end)
{
  if (is_list (o)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE (o); i++) {
      PyObject *item = Py_NewRef (PySequence_Fast_GET_ITEM (o, i));      /* a number's own __index__ may change the list */
      int stored = store (item, dtype, inferred, at, end);
      Py_DECREF (item);
      if (stored < 0)
        return -1;
    }
    return 0;
  }
  LsScalar value;
  if (*at == end) {
    PyErr_SetString (PyExc_RuntimeError, "the list changed while it was read");
    return -1;
  }
  if (inferred && dtype == LS_INT64) {
    int overflow;
    PyLong_AsLongLongAndOverflow (o, &overflow);
    if (overflow) {
      PyErr_Format (PyExc_OverflowError, "%R does not fit a 64-bit integer: give a dtype", o);
      return -1;
    }
  }
  if (take_scalar (o, dtype, &value) < 0)
    return -1;
  ls_scalar_store (dtype, *at, value);
  *at += ls_dtype_itemsize (dtype);
  return 0;
}

/* nested (cls, data, dtype or None) */
PyObject *
ls_module_nested (PyObject *self, PyObject *const *args, Py_ssize_t n)
{
  PyTypeObject *type;
  LsDType dtype = 0;
  Nested nested = { .bools = TRUE, .ints = TRUE };
  if (!check_n ("nested", n, 3) || !(type = take_class (args[0])) || (args[2] != Py_None && ls_take_dtype (args[2], &dtype) < 0) ||
      survey (args[1], 0, &nested) < 0)
    return NULL;
  if (!dtype)
    dtype = nested.count == 0 || !nested.ints ? LS_FLOAT : nested.bools ? LS_BOOL : nested.wide ? LS_INT64 : LS_INT32;
  g_autofree guint8 *memory = g_try_malloc (MAX (nested.count, 1) * ls_dtype_itemsize (dtype));
  guint8 *at = memory, *end = memory + nested.count * ls_dtype_itemsize (dtype);
  if (!memory)
    return PyErr_NoMemory ();
  if (store (args[1], dtype, args[2] == Py_None, &at, end) < 0)
    return NULL;
  if (at != end) {
    PyErr_SetString (PyExc_RuntimeError, "the list changed while it was read");
    return NULL;
  }
  return host (type, dtype, nested.n, nested.dims, memory);
}

/* --- back --- */

/* A realized tensor refers to its memory from now on. */
static void
keep (LsNodeObject *o)
{
  LsSession *s = ls_run->session;
  LsUOp *computed = ls_session_computed (s, o->node), *memory = computed;
  if (!computed)
    return;
  if (!ls_tensor_is_memory (computed))
    memory = ls_tensor_clone (ls_run->tensors, computed);
  ls_session_keep (s, computed, memory);
  o->node = ls_tensor_after (ls_run->tensors, o->node, computed, memory);
}

/* The call is recorded with the tensor that it is about. */
static void
note_result (LsUOp *node)
{
  if (ls_run->record)
    ls_record_result (ls_run->record, node);
}

/* realize (tensors, keep): whether the tensors refer to their memory from now on. */
PyObject *
ls_module_realize (PyObject *self, PyObject *const *args, Py_ssize_t n_args)
{
  PyObject *fast = check_n ("realize", n_args, 2) ? PySequence_Fast (args[0], "expected a list of tensors") : NULL;
  guint64 start;
  if (!fast)
    return NULL;
  gboolean keeps = args[1] != Py_False;
  Py_ssize_t n = PySequence_Fast_GET_SIZE (fast);
  g_autofree LsUOp **nodes = g_new (LsUOp *, n + 1);
  guint m = 0;
  PyObject *result = NULL;
  GError *error = NULL;
  for (Py_ssize_t i = 0; i < n; i++) {
    LsUOp *x = ls_take_tensor (PySequence_Fast_GET_ITEM (fast, i));
    if (!x)
      goto out;
    if (ls_shape_size (ls_uop_shape (ls_run->session->ctx, x)) > 0)
      nodes[m++] = x;
  }
  if (!ls_enter (&start))
    goto out;
  if (m > 0)
    note_result (nodes[m - 1]);
  start = ls_now_ns ();
  gboolean ok = m == 0 || ls_session_realize (ls_run->session, m, nodes, &error);
  ls_run->realize_ns += ls_now_ns () - start;
  for (Py_ssize_t i = 0; ok && keeps && i < n; i++)
    keep ((LsNodeObject *) PySequence_Fast_GET_ITEM (fast, i));
  result = ok ? Py_NewRef (Py_None) : ls_raise (error);
 out:
  Py_DECREF (fast);
  return result;
}

/* (number, elements, dtype, whether its memory is there) */
static PyObject *
scheduled_buffer (LsSession *s, const LsUOp *b)
{
  gint64 number = b->arg.ints[0];
  gboolean there = number < (gint64) s->buffers->len && s->buffers->pdata[number];
  return Py_BuildValue ("(LLNO)", (long long) number, (long long) b->arg.ints[1], ls_dtype_object (b->dtype), there ? Py_True : Py_False);
}

/* (tree, [buffers: the result's, then those it reads], node that it computes, why it is a kernel) */
static PyObject *
scheduled_item (LsSession *s, const LsScheduleItem *item, LsUOp *ast)
{
  PyObject *buffers = PyList_New (0);
  for (guint i = 0; buffers && i < ls_schedule_n_arguments (item); i++) {
    PyObject *buffer = scheduled_buffer (s, ls_schedule_argument (item, i));
    if (!buffer || PyList_Append (buffers, buffer) < 0)
      Py_CLEAR (buffers);
    Py_XDECREF (buffer);
  }
  return buffers ? Py_BuildValue ("(NNNs)", ls_uop_object (ast), buffers, ls_uop_object (ls_schedule_output (item, 0)->node),
                                 ls_schedule_output (item, 0)->reason) : NULL;
}

/* schedule (tensors): the launches of realize for them. */
PyObject *
ls_module_schedule (PyObject *self, PyObject *tensors)
{
  guint64 start;
  PyObject *fast = ls_enter (&start) ? PySequence_Fast (tensors, "expected a list of tensors") : NULL, *list = NULL;
  if (!fast)
    return NULL;
  Py_ssize_t n = PySequence_Fast_GET_SIZE (fast);
  g_autofree LsUOp **nodes = g_new (LsUOp *, n + 1);
  g_autoptr (GPtrArray) asts = g_ptr_array_new ();
  g_autoptr (LsSchedule) schedule = NULL;
  GError *error = NULL;
  Py_ssize_t taken = 0;
  while (taken < n && (nodes[taken] = ls_take_uop (PySequence_Fast_GET_ITEM (fast, taken))))
    taken++;
  if (taken == n)
    list = ls_session_schedule (ls_run->session, (guint) n, nodes, &schedule, asts, &error) ? PyList_New (0) : ls_raise (error);
  for (guint i = 0; list && i < asts->len; i++) {
    const LsScheduleItem *item = schedule->items->pdata[i];
    PyObject *o = !ls_schedule_is_empty (item) ? scheduled_item (ls_run->session, item, asts->pdata[i]) : Py_NewRef (Py_None);
    if (!o || (o != Py_None && PyList_Append (list, o) < 0))
      Py_CLEAR (list);
    Py_XDECREF (o);
  }
  Py_DECREF (fast);
  return list;
}

/* gradient (target, wrt, gradient): a list of tensors, None where target does not depend on one. */
PyObject *
ls_module_gradient (PyObject *self, PyObject *const *args, Py_ssize_t n)
{
  guint64 start;
  LsUOp *target, *gradient;
  GError *error = NULL;
  if (!check_n ("gradient", n, 3) || !(target = ls_take_tensor (args[0])) || !(gradient = ls_take_tensor (args[2])))
    return NULL;
  PyObject *fast = PySequence_Fast (args[1], "expected a list of tensors"), *list = NULL;
  if (!fast)
    return NULL;
  Py_ssize_t m = PySequence_Fast_GET_SIZE (fast);
  g_autofree LsUOp **wrt = g_new0 (LsUOp *, m + 1);
  g_autofree LsUOp **out = g_new0 (LsUOp *, m + 1);
  for (Py_ssize_t i = 0; i < m; i++)
    if (!(wrt[i] = ls_take_tensor (PySequence_Fast_GET_ITEM (fast, i))))
      goto out;
  if (!ls_enter (&start))
    goto out;
  gboolean ok = ls_gradient (ls_run->session, target, (guint) m, wrt, gradient, out, &error);
  ls_leave (start, NULL);
  list = ok ? PyList_New (m) : ls_raise (error);
  for (Py_ssize_t i = 0; list && i < m; i++) {
    PyObject *item = out[i] ? ls_node_new (Py_TYPE (args[0]), out[i]) : Py_NewRef (Py_None);
    if (!item)
      Py_CLEAR (list);
    else
      PyList_SET_ITEM (list, i, item);
  }
 out:
  Py_DECREF (fast);
  return list;
}

/* The elements of a tensor, computed; memory NULL: there are none. Notes the output. */
static gboolean
read_back (PyObject *tensor, LsUOp **node, LsShape *shape, LsDType *dtype, const guint8 **memory)
{
  guint64 start;
  GError *error = NULL;
  LsSession *s = ls_run ? ls_run->session : NULL;
  if (!(*node = ls_take_tensor (tensor)) || !ls_enter (&start))
    return FALSE;
  note_result (*node);
  *shape = ls_uop_shape (s->ctx, *node);
  if (shape->sizes) {      /* the existing elements are a part of the possible ones */
    start = ls_now_ns ();
    gboolean ok = ls_session_realize (s, 1, node, &error);
    ls_run->realize_ns += ls_now_ns () - start;
    if (!ok)
      return ls_raise (error) != NULL;
    *node = ls_tensor_fixed (ls_run->tensors, *node);
    *shape = ls_uop_shape (s->ctx, *node);
  }
  *dtype = ls_dtype_strong ((*node)->dtype);
  *memory = NULL;
  LsOutput output = { .node = (*node)->id, .buffer = G_MAXUINT, .n_dims = shape->n, .dtype = (*node)->dtype, .printed = TRUE };
  output.line = ls_run->record ? ls_record_line (ls_run->record) : 0;
  output.call = ls_run->record ? ls_tensors_inner_call (ls_run->tensors) : G_MAXUINT;
  gint64 size = ls_shape_size (*shape);
  if (size > 0) {
    start = ls_now_ns ();
    LsBuffer *data = ls_session_data (s, *node, &error);
    ls_run->realize_ns += ls_now_ns () - start;
    if (!data || !data->data)
      return ls_raise (error) != NULL;
    if (data->n < (guint64) size) {
      PyErr_SetString (PyExc_RuntimeError, "the tensor's buffer is too small");
      return FALSE;
    }
    *dtype = data->dtype;
    *memory = data->data;
    output.buffer = data->id;
  }
  output.dims = g_memdup2 (shape->dims, shape->n * sizeof (gint64));
  g_array_append_val (s->trace->outputs, output);
  return TRUE;
}

PyObject *
ls_module_data (PyObject *self, PyObject *tensor)
{
  LsUOp *node;
  LsShape shape;
  LsDType dtype;
  const guint8 *memory;
  if (!read_back (tensor, &node, &shape, &dtype, &memory))
    return NULL;
  return PyBytes_FromStringAndSize ((const char *) memory, memory ? ls_shape_size (shape) * ls_dtype_itemsize (dtype) : 0);
}

/* same (tensor): the tensor; the call that returns what it was given is recorded as one. */
PyObject *
ls_module_same (PyObject *self, PyObject *tensor)
{
  guint64 start;
  LsUOp *node = ls_take_tensor (tensor);
  if (!node || !ls_enter (&start))
    return NULL;
  ls_leave (start, node);
  return Py_NewRef (tensor);
}

static PyObject *
element (LsDType dtype, const guint8 *memory)
{
  LsScalar v = ls_scalar_load (dtype, memory);
  if (ls_dtype_is_float (dtype))
    return PyFloat_FromDouble (v.f);
  if (ls_dtype_is_bool (dtype))
    return PyBool_FromLong (v.i != 0);
  return ls_dtype_base (dtype) == LS_BASE_UINT64 ? PyLong_FromUnsignedLongLong ((guint64) v.i) : PyLong_FromLongLong (v.i);
}

/* scalar (value, dtype): the number as an element of that dtype holds it */
PyObject *
ls_module_scalar (PyObject *self, PyObject *const *args, Py_ssize_t n)
{
  LsDType dtype;
  LsScalar value;
  guint8 memory[16];
  if (!check_n ("scalar", n, 2) || ls_take_dtype (args[1], &dtype) < 0 || take_scalar (args[0], dtype, &value) < 0)
    return NULL;
  dtype = ls_dtype_strong (dtype);
  ls_scalar_store (dtype, memory, value);
  return element (dtype, memory);
}

/* bits (value, dtype): the number's storage as an integer; of_bits (bits, dtype): back */
PyObject *
ls_module_bits (PyObject *self, PyObject *const *args, Py_ssize_t n)
{
  LsDType dtype;
  LsScalar value;
  guint64 memory = 0;
  if (!check_n ("bits", n, 2) || ls_take_dtype (args[1], &dtype) < 0 || take_scalar (args[0], dtype, &value) < 0)
    return NULL;
  ls_scalar_store (ls_dtype_strong (dtype), (guint8 *) &memory, value);
  return PyLong_FromUnsignedLongLong (GUINT64_FROM_LE (memory));
}

PyObject *
ls_module_of_bits (PyObject *self, PyObject *const *args, Py_ssize_t n)
{
  LsDType dtype;
  if (!check_n ("of_bits", n, 2) || ls_take_dtype (args[1], &dtype) < 0)
    return NULL;
  guint64 memory = GUINT64_TO_LE (PyLong_AsUnsignedLongLong (args[0]));
  return PyErr_Occurred () ? NULL : element (ls_dtype_strong (dtype), (guint8 *) &memory);
}

static PyObject *
nested_list (LsDType dtype, LsShape shape, const guint8 **memory)
{
  if (shape.n == 0) {
    PyObject *v = element (dtype, *memory);
    *memory += ls_dtype_itemsize (dtype);
    return v;
  }
  PyObject *list = PyList_New (shape.dims[0]);
  for (gint64 i = 0; list && i < shape.dims[0]; i++) {
    PyObject *item = nested_list (dtype, (LsShape) { shape.n - 1, shape.dims + 1 }, memory);
    if (!item) {
      Py_DECREF (list);
      return NULL;
    }
    PyList_SET_ITEM (list, i, item);
  }
  return list;
}

PyObject *
ls_module_tolist (PyObject *self, PyObject *tensor)
{
  LsUOp *node;
  LsShape shape;
  LsDType dtype;
  const guint8 *memory;
  gint64 lists = 1;
  if (!read_back (tensor, &node, &shape, &dtype, &memory))
    return NULL;
  for (guint i = 0; i < shape.n && !memory; i++) {      /* empty lists can be many */
    lists *= MAX (shape.dims[i], 1);
    if (shape.dims[i] == 0)
      break;
    if (lists > 10 * 1000 * 1000) {
      PyErr_SetString (PyExc_MemoryError, "too many empty lists");
      return NULL;
    }
  }
  return nested_list (dtype, shape, &memory);
}
