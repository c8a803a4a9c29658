/* `_lazyscope.Node`: a tensor as Python holds it, and the primitives that make one tensor of others. Nothing is computed here. */
#include "python-private.h"

#include "ir/print.h"
#include "ir/progress.h"

#include <string.h>

static LsNodeObject *living;      /* all objects, newest first */

static LsNodeObject *node_of (PyObject *self) { return (LsNodeObject *) self; }

PyObject *
ls_raise (GError *error)
{
  PyObject *type = error && (error->code == LS_ERROR_SHAPE) ? ls_shape_error : error && error->code == LS_ERROR_DTYPE
                   ? PyExc_TypeError : PyExc_RuntimeError;
  if (!PyErr_Occurred ())
    PyErr_SetString (type, error ? error->message : "the engine failed without saying why");
  g_clear_error (&error);
  return NULL;
}

static gboolean
no_run (void)
{
  PyErr_SetString (PyExc_RuntimeError, "no program is running");
  return FALSE;
}

void
ls_node_collect (LsSession *s)
{
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();
  for (LsNodeObject *o = living; o; o = o->after)
    if (o->node && o->serial == ls_run->serial)
      g_ptr_array_add (nodes, o->node);
  ls_session_collect (s, nodes->len, (LsUOp **) nodes->pdata);
  ls_run->collect_at = MAX (2 * s->buffer_bytes, LS_COLLECT_BYTES);
}

#define MEASURE_EVERY 256      /* calls of a primitive: reading the size of the process takes microseconds */

/* Graphs and buffers are counted; tables, other objects and the recording are only part of the size of the process. */
static gboolean
over_memory (LsSession *s)
{
  static guint n_asked;
  guint64 most = (guint64) s->settings.MEMORY_MB << 20;
  return most > 0 && (ls_session_memory (s) > most || (++n_asked % MEASURE_EVERY == 0 && ls_resident_bytes (0) > ls_run->resident + most));
}

/* The limits that stop a run: its time, its memory. */
static gboolean
over_budget (void)
{
  LsSession *s = ls_run->session;
  gint why = g_atomic_int_get (&ls_run->stop);
  if (s->buffer_bytes > ls_run->collect_at)      /* they have doubled */
    ls_node_collect (s);
  if (why == LS_STOP_NONE && over_memory (s))
    why = LS_STOP_MEMORY;
  if (why == LS_STOP_NONE)
    return FALSE;
  if (why == LS_STOP_MEMORY)
    PyErr_Format (PyExc_MemoryError, "the program takes more than %lld MB of memory (--set MEMORY_MB=N allows more)",
                  (long long) s->settings.MEMORY_MB);
  else
    PyErr_Format (ls_run_stopped, "the program ran longer than %lld s (--set TIME_S=N allows more)", (long long) s->settings.TIME_S);
  return TRUE;
}

/* It is paused while memory is allocated for data. */
static guint64 engine_clock (void) { return ls_now_ns () - ls_run->session->memory_ns; }

gboolean
ls_enter (guint64 *start)
{
  if (!ls_run)
    return no_run ();
  if (over_budget ())
    return FALSE;
  *start = engine_clock ();
  if (ls_run->record)
    ls_record_place (ls_run->record);
  return TRUE;
}

void
ls_leave (guint64 start, LsUOp *result)
{
  if (ls_run->record && result)
    ls_record_result (ls_run->record, result);
  ls_run->engine_ns += engine_clock () - start;
}

LsUOp *
ls_take_tensor (PyObject *o)
{
  if (!PyObject_TypeCheck (o, &ls_node_type)) {
    PyErr_Format (PyExc_TypeError, "expected a tensor, not a %s", Py_TYPE (o)->tp_name);
    return NULL;
  }
  LsNodeObject *self = node_of (o);
  if (!ls_run) {
    no_run ();
    return NULL;
  }
  if (!self->node || self->serial != ls_run->serial) {
    PyErr_SetString (PyExc_RuntimeError, self->node ? "this tensor belongs to a run that has ended"
                                                    : "this tensor has no value");
    return NULL;
  }
  return self->node;
}

static PyObject *
new_object (PyTypeObject *type)
{
  LsNodeObject *self = (LsNodeObject *) type->tp_alloc (type, 0);
  if (self) {
    self->after = living;
    if (living)
      living->before = self;
    living = self;
    self->grad = Py_NewRef (Py_None);
    self->requires_grad = Py_NewRef (Py_None);
  }
  return (PyObject *) self;
}

PyObject *
ls_node_new (PyTypeObject *type, LsUOp *node)
{
  if (!node)
    return ls_raise (ls_tensors_take_error (ls_run->tensors));
  PyObject *self = new_object (type);
  if (self) {
    node_of (self)->node = node;
    node_of (self)->serial = ls_run->serial;
  }
  return self;
}

static PyObject *node_new (PyTypeObject *type, PyObject *args, PyObject *keywords) { return new_object (type); }

static int
traverse (PyObject *self, visitproc visit, void *arg)
{
  Py_VISIT (node_of (self)->grad);
  Py_VISIT (node_of (self)->requires_grad);
  return 0;
}

static int
clear (PyObject *self)
{
  Py_CLEAR (node_of (self)->grad);
  Py_CLEAR (node_of (self)->requires_grad);
  return 0;
}

static void
dealloc (PyObject *self)
{
  LsNodeObject *n = node_of (self);
  PyObject_GC_UnTrack (self);
  if (n->before)
    n->before->after = n->after;
  else
    living = n->after;
  if (n->after)
    n->after->before = n->before;
  if (node_of (self)->weak)
    PyObject_ClearWeakRefs (self);
  clear (self);
  Py_TYPE (self)->tp_free (self);
}

/* --- attributes of a tensor --- */

static PyObject *size_class, *unbound_class;      /* of the library: an int that a variable says, and one that has no value; or NULL */

PyObject *
ls_module_size_classes (PyObject *self, PyObject *args)
{
  PyObject *bound, *unbound;
  if (!PyArg_ParseTuple (args, "OO", &bound, &unbound))
    return NULL;
  Py_XSETREF (size_class, Py_NewRef (bound));
  Py_XSETREF (unbound_class, Py_NewRef (unbound));
  Py_RETURN_NONE;
}

static gboolean is_unbound (PyObject *o) { return unbound_class && !PyLong_Check (o) &&
                                           PyObject_TypeCheck (o, (PyTypeObject *) unbound_class); }

/* The size's node, or NULL: it is a number. */
LsUOp *
ls_take_size (PyObject *o)
{
  if (G_LIKELY (PyLong_CheckExact (o)) || !size_class || ((PyObject *) Py_TYPE (o) != size_class && !is_unbound (o)))
    return NULL;
  PyObject *node = PyObject_GetAttrString (o, "node");
  LsUOp *u = node ? ls_take_tensor (node) : NULL;
  Py_XDECREF (node);
  return u;
}

static PyObject *
size_object (LsUOp *u)
{
  if (ls_tensor_unbound (ls_run->tensors, u))
    return PyObject_CallFunction (unbound_class, "N", ls_node_new (&ls_node_type, u));
  return PyObject_CallFunction (size_class, "LN", (long long) ls_tensor_number (ls_run->tensors, u), ls_node_new (&ls_node_type, u));
}

/* variable (name, min, max, value or None) -> the variable, bound to it or to nothing */
PyObject *
ls_module_variable (PyObject *self, PyObject *args)
{
  const char *name;
  long long min, max, value;
  PyObject *says;
  guint64 start;
  if (!PyArg_ParseTuple (args, "sLLO", &name, &min, &max, &says))
    return NULL;
  value = says == Py_None ? max + 1 : PyLong_AsLongLong (says);
  if (PyErr_Occurred () || !ls_enter (&start))
    return NULL;
  LsUOp *u = ls_tensor_variable (ls_run->tensors, name, min, max, value);
  ls_leave (start, NULL);
  return ls_node_new (&ls_node_type, u);
}

/* size (op, a, b) of nodes or ints -> the node or number, or None where the two make no size */
PyObject *
ls_module_size (PyObject *self, PyObject *const *args, Py_ssize_t n)
{
  LsUOp *operand[2];
  LsOp op = n == 3 && PyUnicode_Check (args[0]) ? ls_op_from_name (PyUnicode_AsUTF8 (args[0])) : LS_N_OPS;
  if (op != LS_OP_ADD && op != LS_OP_SUB && op != LS_OP_MUL && op != LS_OP_IDIV) {
    PyErr_SetString (PyExc_TypeError, "size() takes ADD, SUB, MUL or IDIV and two sizes");
    return NULL;
  }
  for (guint i = 0; i < 2; i++) {
    if (!ls_run) {
      no_run ();
      return NULL;
    }
    long long number = PyLong_Check (args[i + 1]) ? PyLong_AsLongLong (args[i + 1]) : 0;
    operand[i] = PyLong_Check (args[i + 1]) ? ls_tensor_size_const (ls_run->tensors, number) : ls_take_tensor (args[i + 1]);
    if (PyErr_Occurred () || !operand[i])
      return NULL;
  }
  LsUOp *u = ls_tensor_size_op (ls_run->tensors, op, operand[0], operand[1]);
  if (u && u->op == LS_OP_CONST)
    return PyLong_FromLongLong (u->arg.i);
  return u ? ls_node_new (&ls_node_type, u) : Py_NewRef (Py_None);
}

/* size_facts (node) -> its minimum, its maximum, its text, its value, and a variable without a value: (name, minimum), or None */
PyObject *
ls_module_size_facts (PyObject *self, PyObject *node)
{
  LsUOp *u = ls_take_tensor (node);
  if (!u)
    return NULL;
  g_autofree char *text = ls_expr_print (NULL, u, 0);
  const LsUOp *none = ls_tensor_unbound (ls_run->tensors, u);
  PyObject *unbound = none ? Py_BuildValue ("(sL)", none->arg.var->name, (long long) none->arg.var->min) : Py_NewRef (Py_None);
  return Py_BuildValue ("(LLsLN)", (long long) u->vmin, (long long) u->vmax, text, (long long) ls_tensor_number (ls_run->tensors, u),
                        unbound);
}

static PyObject *
shape_tuple (LsShape shape)
{
  PyObject *tuple = PyTuple_New (shape.n);
  for (guint i = 0; tuple && i < shape.n; i++) {
    LsUOp *u = shape.sizes ? ls_shape_size_of (ls_run->session->ctx, shape, i) : NULL;
    PyObject *size = u ? size_object (u) : PyLong_FromLongLong (shape.dims[i]);
    if (!size) {
      Py_DECREF (tuple);
      return NULL;
    }
    PyTuple_SET_ITEM (tuple, i, size);
  }
  return tuple;
}

static PyObject *
get_shape (PyObject *self, void *unused)
{
  LsUOp *x = ls_take_tensor (self);
  return x ? shape_tuple (ls_uop_shape (ls_run->session->ctx, x)) : NULL;
}

static PyObject *
get_ndim (PyObject *self, void *unused)
{
  LsUOp *x = ls_take_tensor (self);
  return x ? PyLong_FromUnsignedLong (ls_uop_shape (ls_run->session->ctx, x).n) : NULL;
}

static PyObject *
get_dtype (PyObject *self, void *unused)
{
  LsUOp *x = ls_take_tensor (self);
  return x ? ls_dtype_object (x->dtype) : NULL;
}

static PyObject *
get_node_id (PyObject *self, void *unused)
{
  LsUOp *x = ls_take_tensor (self);
  return x ? PyLong_FromUnsignedLong (x->id) : NULL;
}

static PyObject *
get_member (PyObject *self, void *offset)
{
  return Py_NewRef (*(PyObject **) ((char *) self + GPOINTER_TO_SIZE (offset)));
}

static int
set_member (PyObject *self, PyObject *value, void *offset)
{
  PyObject **member = (PyObject **) ((char *) self + GPOINTER_TO_SIZE (offset)), *old = *member;
  *member = Py_NewRef (value ? value : Py_None);
  Py_XDECREF (old);
  return 0;
}

static PyGetSetDef getters[] = {
  { "shape", get_shape, NULL, "Sizes of its axes.", NULL }, { "dtype", get_dtype, NULL, "Dtype of its elements.", NULL },
  { "ndim", get_ndim, NULL, "Number of its axes.", NULL }, { "node_id", get_node_id, NULL, "Id of its node in the recording.", NULL },
  { "grad", get_member, set_member, "Its gradient after backward(), or None.", GSIZE_TO_POINTER (offsetof (LsNodeObject, grad)) },
  { "requires_grad", get_member, set_member, "Whether backward() gives it a gradient.",
    GSIZE_TO_POINTER (offsetof (LsNodeObject, requires_grad)) },
  { NULL },
};

/* --- primitives --- */

/* sizes: of one that has no value the most that it may be is taken. */
static int
take_ints (PyObject *sequence, const char *what, gboolean sizes, guint *n, gint64 ints[2 * LS_MAX_DIMS])
{
  PyObject *fast = PySequence_Fast (sequence, "expected a tuple of ints");
  if (!fast)
    return -1;
  Py_ssize_t count = PySequence_Fast_GET_SIZE (fast);
  int result = -1;
  if (count > 2 * LS_MAX_DIMS) {
    PyErr_Format (ls_shape_error, "%zd %s are given; at most %d are allowed", count, what, LS_MAX_DIMS);
    goto out;
  }
  for (Py_ssize_t i = 0; i < count; i++) {
    int overflow;
    PyObject *given = PySequence_Fast_GET_ITEM (fast, i);
    if (sizes && is_unbound (given)) {
      LsUOp *size = ls_take_size (given);
      if (!size)
        goto out;
      ints[i] = size->vmax;
      continue;
    }
    PyObject *item = PyNumber_Index (given);
    if (!item)
      goto out;
    ints[i] = PyLong_AsLongLongAndOverflow (item, &overflow);
    Py_DECREF (item);
    if (overflow) {
      PyErr_Format (ls_shape_error, "%s: %R is too large", what, PySequence_Fast_GET_ITEM (fast, i));
      goto out;
    }
  }
  *n = (guint) count;
  result = 0;
 out:
  Py_DECREF (fast);
  return result;
}

int
ls_take_ints (PyObject *sequence, const char *what, guint *n, gint64 ints[2 * LS_MAX_DIMS])
{
  return take_ints (sequence, what, FALSE, n, ints);
}

typedef LsUOp *(*Movement) (LsTensors *t, LsUOp *x, guint n, const gint64 *ints);
typedef LsUOp *(*SizedMovement) (LsTensors *t, LsUOp *x, guint n, const gint64 *ints, LsUOp *const *sizes);

/* The nodes of the sizes among them that a variable says, else NULL; ints has the most that these may be. FALSE: there are none. */
static gboolean
take_sizes (PyObject *sequence, guint first, gint64 *ints, LsUOp *sizes[2 * LS_MAX_DIMS])
{
  gboolean any = FALSE;
  Py_ssize_t n = PySequence_Size (sequence), plain = 0;
  while (PyTuple_Check (sequence) && plain < n && PyLong_CheckExact (PyTuple_GET_ITEM (sequence, plain)))
    plain++;
  for (Py_ssize_t i = plain; i < n; i++) {
    PyObject *item = PySequence_GetItem (sequence, i);
    if ((sizes[first + i] = item ? ls_take_size (item) : NULL)) {
      any = TRUE;
      ints[i] = sizes[first + i]->vmax;
    }
    Py_XDECREF (item);
  }
  return any;
}

/* ((1, 2), (0, 0)) as 1, 2, 0, 0 */
static int
take_pairs (PyObject *sequence, guint *n, gint64 ints[2 * LS_MAX_DIMS])
{
  PyObject *fast = PySequence_Fast (sequence, "expected a tuple of pairs");
  if (!fast)
    return -1;
  Py_ssize_t count = PySequence_Fast_GET_SIZE (fast);
  int result = count > LS_MAX_DIMS ? -1 : 0;
  if (result < 0)
    PyErr_Format (ls_shape_error, "too many axes: %zd (at most %d)", count, LS_MAX_DIMS);
  for (Py_ssize_t i = 0; i < count && result == 0; i++) {
    gint64 pair[2 * LS_MAX_DIMS];
    guint m = 0;
    result = take_ints (PySequence_Fast_GET_ITEM (fast, i), "bounds of an axis", TRUE, &m, pair);
    if (result == 0 && m != 2) {
      PyErr_Format (ls_shape_error, "axis %zd needs a pair, not %u numbers", i, m);
      result = -1;
    }
    ints[2 * i] = pair[0];
    ints[2 * i + 1] = pair[1];
  }
  *n = 2 * (guint) count;
  Py_DECREF (fast);
  return result;
}

static PyObject *
move (PyObject *self, PyObject *arg, const char *what, gboolean pairs, Movement movement)
{
  gint64 ints[2 * LS_MAX_DIMS];
  guint n;
  guint64 start;
  LsUOp *x = ls_take_tensor (self);
  if (!x || (pairs ? take_pairs (arg, &n, ints) : ls_take_ints (arg, what, &n, ints)) < 0 || !ls_enter (&start))
    return NULL;
  LsUOp *y = movement (ls_run->tensors, x, n, ints);
  ls_leave (start, y);
  return ls_node_new (Py_TYPE (self), y);
}

/* By sizes: the movement op knows the variables. */
static PyObject *
move_to (PyObject *self, PyObject *arg, const char *what, gboolean pairs, Movement movement, SizedMovement sized)
{
  gint64 ints[2 * LS_MAX_DIMS], unused[2];
  guint n;
  guint64 start;
  LsUOp *x = ls_take_tensor (self), *sizes[2 * LS_MAX_DIMS];
  if (!x || (pairs ? take_pairs (arg, &n, ints) : take_ints (arg, what, TRUE, &n, ints)) < 0 || !ls_enter (&start))
    return NULL;
  gboolean any = ls_uop_shape (ls_run->session->ctx, x).sizes != NULL;
  memset (sizes, 0, n * sizeof *sizes);
  for (guint i = 0; pairs && i < n / 2 && size_class; i++) {
    PyObject *pair = PySequence_GetItem (arg, i);
    any |= take_sizes (pair, 2 * i, unused, sizes);
    Py_XDECREF (pair);
  }
  if (!pairs && size_class)
    any |= take_sizes (arg, 0, ints, sizes);
  if (PyErr_Occurred ())
    return NULL;
  LsUOp *y = any ? sized (ls_run->tensors, x, n, ints, sizes) : movement (ls_run->tensors, x, n, ints);
  ls_leave (start, y);
  return ls_node_new (Py_TYPE (self), y);
}

#define SIZED_MOVEMENT(name, what, pairs) \
  static PyObject *node_##name (PyObject *self, PyObject *arg) { return move_to (self, arg, what, pairs, ls_tensor_##name, \
                                                                                 ls_tensor_##name##_to); }
#define MOVEMENT(name, what, pairs, function) \
  static PyObject *node_##name (PyObject *self, PyObject *arg) { return move (self, arg, what, pairs, function); }
SIZED_MOVEMENT (reshape, "sizes", FALSE)
SIZED_MOVEMENT (expand, "sizes", FALSE)
SIZED_MOVEMENT (shrink, "", TRUE)
SIZED_MOVEMENT (pad, "", TRUE)
MOVEMENT (permute, "axes", FALSE, ls_tensor_permute)
MOVEMENT (flip, "axes", FALSE, ls_tensor_flip)

/* The library names an op by the same string each time: the op of a string is cached with it. */
static LsOp
op_named (PyObject *o)
{
  static struct { PyObject *name; LsOp op; } known[64];
  guint at = (guint) ((gsize) o >> 4) % G_N_ELEMENTS (known);
  if (known[at].name == o)
    return known[at].op;
  const char *name = PyUnicode_Check (o) ? PyUnicode_AsUTF8 (o) : NULL;
  LsOp op = name ? ls_op_from_name (name) : LS_N_OPS;
  if (op != LS_N_OPS) {
    Py_XSETREF (known[at].name, Py_NewRef (o));
    known[at].op = op;
  }
  return op;
}

static int
take_op (PyObject *o, guint arity, LsOp *op)
{
  LsOp found = op_named (o);
  if (found != LS_N_OPS && ls_op_is_alu (found) && ls_op_info (found)->arity == (int) arity) {
    *op = found;
    return 0;
  }
  if (!PyErr_Occurred ())
    PyErr_Format (PyExc_ValueError, "%R is not an op with %u operands", o, arity);
  return -1;
}

static PyObject *
node_unary (PyObject *self, PyObject *arg)
{
  guint64 start;
  LsOp op;
  LsUOp *x = ls_take_tensor (self);
  if (!x || take_op (arg, 1, &op) < 0 || !ls_enter (&start))
    return NULL;
  LsUOp *y = ls_tensor_unary (ls_run->tensors, op, x);
  ls_leave (start, y);
  return ls_node_new (Py_TYPE (self), y);
}

static gboolean
check_n (const char *name, Py_ssize_t n, Py_ssize_t wanted)
{
  if (n != wanted)
    PyErr_Format (PyExc_TypeError, "%s() takes %zd arguments, not %zd", name, wanted, n);
  return n == wanted;
}

static PyObject *
node_binary (PyObject *self, PyObject *const *args, Py_ssize_t n)
{
  guint64 start;
  LsOp op;
  LsUOp *x, *y;
  if (!check_n ("_binary", n, 2) || !(x = ls_take_tensor (self)) || !(y = ls_take_tensor (args[1])) || take_op (args[0], 2, &op) < 0 ||
      !ls_enter (&start))
    return NULL;
  LsUOp *z = ls_tensor_binary (ls_run->tensors, op, x, y);
  ls_leave (start, z);
  return ls_node_new (Py_TYPE (self), z);
}

static PyObject *
node_where (PyObject *self, PyObject *const *args, Py_ssize_t n)
{
  guint64 start;
  LsUOp *x, *a, *b;
  if (!check_n ("_where", n, 2) || !(x = ls_take_tensor (self)) || !(a = ls_take_tensor (args[0])) || !(b = ls_take_tensor (args[1])) ||
      !ls_enter (&start))
    return NULL;
  LsUOp *z = ls_tensor_where (ls_run->tensors, x, a, b);
  ls_leave (start, z);
  return ls_node_new (Py_TYPE (self), z);
}

static PyObject *
node_reduce (PyObject *self, PyObject *const *args, Py_ssize_t n)
{
  guint64 start;
  LsOp op;
  gint64 axes[2 * LS_MAX_DIMS];
  guint m;
  LsUOp *x;
  if (!check_n ("_reduce", n, 2) || !(x = ls_take_tensor (self)) || take_op (args[0], 2, &op) < 0 ||
      ls_take_ints (args[1], "axes", &m, axes) < 0 || !ls_enter (&start))
    return NULL;
  LsUOp *y = ls_tensor_reduce (ls_run->tensors, op, x, m, axes);
  ls_leave (start, y);
  return ls_node_new (Py_TYPE (self), y);
}

typedef LsUOp *(*ToDType) (LsTensors *t, LsUOp *x, LsDType dtype);

static PyObject *
convert (PyObject *self, PyObject *arg, ToDType function)
{
  guint64 start;
  LsDType dtype;
  LsUOp *x = ls_take_tensor (self);
  if (!x || ls_take_dtype (arg, &dtype) < 0 || !ls_enter (&start))
    return NULL;
  LsUOp *y = function (ls_run->tensors, x, dtype);
  ls_leave (start, y);
  return ls_node_new (Py_TYPE (self), y);
}

static PyObject *node_cast    (PyObject *self, PyObject *arg) { return convert (self, arg, ls_tensor_cast); }
static PyObject *node_bitcast (PyObject *self, PyObject *arg) { return convert (self, arg, ls_tensor_bitcast); }

static PyObject *
same (PyObject *self, LsUOp *(*function) (LsTensors *t, LsUOp *x))
{
  guint64 start;
  LsUOp *x = ls_take_tensor (self);
  if (!x || !ls_enter (&start))
    return NULL;
  LsUOp *y = function (ls_run->tensors, x);
  ls_leave (start, y);
  return ls_node_new (Py_TYPE (self), y);
}

static PyObject *node_contiguous (PyObject *self, PyObject *unused) { return same (self, ls_tensor_contiguous); }
static PyObject *node_clone      (PyObject *self, PyObject *unused) { return same (self, ls_tensor_clone); }

static PyObject *node_detach     (PyObject *self, PyObject *unused) { return same (self, ls_tensor_detach); }
static PyObject *node_own        (PyObject *self, PyObject *unused) { return same (self, ls_tensor_own); }
static PyObject *node_contiguous_backward (PyObject *self, PyObject *unused) { return same (self, ls_tensor_contiguous_backward); }

static PyObject *
node_set (PyObject *self, PyObject *arg)
{
  LsUOp *x = ls_take_tensor (arg);
  if (!x)
    return NULL;
  node_of (self)->node = x;
  node_of (self)->serial = ls_run->serial;
  return Py_NewRef (self);
}

/* x and its aliases refer to their values afterwards. Equal computations are one node: those that are not memory have no aliases. */
static PyObject *
node_assign (PyObject *self, PyObject *arg)
{
  guint64 start;
  LsUOp *x = ls_take_tensor (self), *value = x ? ls_take_tensor (arg) : NULL, *base, *now;
  if (!value || !ls_enter (&start))
    return NULL;
  LsUOp *written = ls_tensor_assign (ls_run->tensors, x, value, &base, &now);
  if (written && base && ls_tensor_is_memory (base))
    for (LsNodeObject *o = living; o; o = o->after)
      if (o->node && o->serial == ls_run->serial)
        o->node = ls_tensor_after (ls_run->tensors, o->node, base, now);
  ls_leave (start, written);
  if (!written)
    return ls_raise (ls_tensors_take_error (ls_run->tensors));
  node_of (self)->node = written;
  return Py_NewRef (self);
}

static PyObject *
node_is_same (PyObject *self, PyObject *arg)
{
  LsUOp *x = ls_take_tensor (self), *y = x ? ls_take_tensor (arg) : NULL;
  return y ? PyBool_FromLong (ls_tensor_is_same (x, y)) : NULL;
}

/* live (class, target): the run's referenced tensors of that class that target is computed from, oldest first */
PyObject *
ls_module_live (PyObject *self, PyObject *const *args, Py_ssize_t n)
{
  LsUOp *target;
  if (!check_n ("live", n, 2) || !(target = ls_take_tensor (args[1])))
    return NULL;
  g_autoptr (GPtrArray) objects = g_ptr_array_new (), nodes = g_ptr_array_new ();
  for (LsNodeObject *o = living; o; o = o->after)
    if (o->node && o->serial == ls_run->serial && PyObject_IsInstance ((PyObject *) o, args[0]) == 1) {
      g_ptr_array_add (objects, o);
      g_ptr_array_add (nodes, o->node);
    }
  g_autofree gboolean *reached = g_new0 (gboolean, nodes->len + 1);
  ls_gradient_reaches (ls_run->session, target, nodes->len, (LsUOp **) nodes->pdata, reached);
  PyObject *list = PyList_New (0);
  for (guint i = objects->len; list && i-- > 0;)
    if (reached[i] && PyList_Append (list, objects->pdata[i]) < 0)
      Py_CLEAR (list);
  return list;
}

static PyMethodDef methods[] = {
  { "_assign", node_assign, METH_O, "Writes another tensor's value into this one's memory." },
  { "_reshape", node_reshape, METH_O, "The same elements in row-major order under another shape." },
  { "_expand", node_expand, METH_O, "Axes of size 1 repeated without copying." },
  { "_permute", node_permute, METH_O, "Axes in another order." },
  { "_flip", node_flip, METH_O, "Axes reversed." },
  { "_pad", node_pad, METH_O, "Zeros before and after each axis." },
  { "_shrink", node_shrink, METH_O, "A box cut out, given by begin and end of each axis." },
  { "_unary", node_unary, METH_O, "An op of one operand." },
  { "_binary", (PyCFunction) (void (*) (void)) node_binary, METH_FASTCALL, "An op of two operands of one shape and dtype." },
  { "_where", (PyCFunction) (void (*) (void)) node_where, METH_FASTCALL, "The first value where the condition is true, else the second." },
  { "_reduce", (PyCFunction) (void (*) (void)) node_reduce, METH_FASTCALL, "Axes reduced to size 1 with ADD, MUL or MAX." },
  { "_cast", node_cast, METH_O, "Converted to another dtype." },
  { "_bitcast", node_bitcast, METH_O, "The same bits as another dtype of the same size." },
  { "_contiguous", node_contiguous, METH_NOARGS, "Forces the tensor into row-major memory of its own." },
  { "_clone", node_clone, METH_NOARGS, "A copy with memory of its own." },
  { "_detach", node_detach, METH_NOARGS, "The same tensor, which stops the gradient." },
  { "_own", node_own, METH_NOARGS, "The same values as a distinct tensor, so that two weights of ones have two gradients." },
  { "_contiguous_backward", node_contiguous_backward, METH_NOARGS, "The same tensor, whose gradient is made contiguous." },
  { "_is_same", node_is_same, METH_O, "Whether the other tensor is the same view of the same values." },
  { "_set", node_set, METH_O, "Makes this object refer to the other tensor's node." },
  { NULL },
};

PyTypeObject ls_node_type = {
  PyVarObject_HEAD_INIT (NULL, 0)
  .tp_name = "_lazyscope.Node", .tp_basicsize = sizeof (LsNodeObject),
             .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
  .tp_new = node_new, .tp_dealloc = dealloc, .tp_traverse = traverse, .tp_clear = clear, .tp_weaklistoffset = offsetof (LsNodeObject, weak),
  .tp_getset = getters, .tp_methods = methods, .tp_doc = "A tensor: a node of the graph that the program builds.",
};

int
ls_node_ready (PyObject *module)
{
  return PyType_Ready (&ls_node_type) < 0 ? -1 : PyModule_AddObjectRef (module, "Node", (PyObject *) &ls_node_type);
}
