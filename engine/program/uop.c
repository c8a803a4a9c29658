/* Nodes as Python sees them: `_lazyscope.UOp`, equal nodes one object, and `_lazyscope.Op`, the ops. */
#include "python-private.h"

#include "ir/print.h"
#include "ir/spec.h"

#include <string.h>

typedef struct { PyObject_HEAD LsOp op; } OpObject;
typedef struct { PyObject_HEAD LsUOp *node; guint serial; PyObject *weak; } UOpObject;

static PyTypeObject op_type, uop_type;
static PyObject *op_objects[LS_N_OPS];
static GHashTable *known;      /* node -> its object, of the present run */
static guint known_serial;
static PyTypeObject *own_class;      /* the library's class of UOps, or NULL */

/* --- ops --- */

static PyObject *op_name (PyObject *self, void *unused) { return PyUnicode_FromString (ls_op_name (((OpObject *) self)->op)); }
static PyObject *op_sentence (PyObject *self, void *unused) { return PyUnicode_FromString (ls_op_info (((OpObject *) self)->op)->sentence);
                                                              }
static PyObject *op_arity (PyObject *self, void *unused) { return PyLong_FromLong (ls_op_info (((OpObject *) self)->op)->arity); }

/* The kind of its argument, as a rule's pattern writes it: None, "number", "numbers", "op and numbers", or "" for another one. */
static PyObject *
op_form (PyObject *self, void *unused)
{
  switch (ls_op_info (((OpObject *) self)->op)->form) {
  case LS_FORM_NONE: Py_RETURN_NONE;
  case LS_FORM_INT: case LS_FORM_SCALAR: return PyUnicode_FromString ("number");
  case LS_FORM_INTS: return PyUnicode_FromString ("numbers");
  case LS_FORM_OP_INTS: return PyUnicode_FromString ("op and numbers");
  default: return PyUnicode_FromString ("");
  }
}

static PyObject *
op_group (PyObject *self, void *unused)
{
  static const char *const names[] = { [LS_CLASS_UNARY] = "Unary", [LS_CLASS_BINARY] = "Binary", [LS_CLASS_TERNARY] = "Ternary",
                                       [LS_CLASS_MOVEMENT] = "Movement", [LS_CLASS_DEFINE] = "Defines" };
  guint op_class = ls_op_info (((OpObject *) self)->op)->op_class;
  const char *name = op_class < G_N_ELEMENTS (names) ? names[op_class] : NULL;
  return PyUnicode_FromString (name ? name : "");
}

static PyObject *op_repr (PyObject *self) { return PyUnicode_FromFormat ("Ops.%s", ls_op_name (((OpObject *) self)->op)); }
static PyGetSetDef op_getters[] = {
  { "name", op_name, NULL, "Its name in listings.", NULL }, { "sentence", op_sentence, NULL, "Its meaning.", NULL },
  { "arity", op_arity, NULL, "The number of its sources; -1: it varies.", NULL },
  { "form", op_form, NULL, "The kind of its argument in a rule's pattern.", NULL },
  { "group", op_group, NULL, "The group of ops that it is in.", NULL }, { NULL },
};
static PyTypeObject op_type = {
  PyVarObject_HEAD_INIT (NULL, 0)
  .tp_name = "_lazyscope.Op", .tp_basicsize = sizeof (OpObject), .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
             .tp_repr = op_repr, .tp_getset = op_getters,
};

/* --- arguments --- */

static PyObject *
int_tuple (guint n, const gint64 *ints)
{
  PyObject *tuple = PyTuple_New (n);
  for (guint i = 0; tuple && i < n; i++)
    PyTuple_SET_ITEM (tuple, i, PyLong_FromLongLong (ints[i]));
  return tuple;
}

static PyObject *
argument (const LsUOp *u)
{
  switch ((LsArgKind) u->arg.kind) {
  case LS_ARG_NONE:  Py_RETURN_NONE;
  case LS_ARG_INT:   return u->op == LS_OP_CONST && ls_dtype_is_bool (u->dtype) ? PyBool_FromLong (u->arg.i != 0) :
                            u->op == LS_OP_CONST && ls_dtype_base (u->dtype) == LS_BASE_UINT64
                                ? PyLong_FromUnsignedLongLong ((guint64) u->arg.i) : PyLong_FromLongLong (u->arg.i);
  case LS_ARG_FLOAT: return PyFloat_FromDouble (u->arg.f);
  case LS_ARG_STR:   return PyUnicode_FromString (u->arg.str);
  case LS_ARG_INTS:  return int_tuple (u->arg.n, u->arg.ints);
  case LS_ARG_OP_INTS: return Py_BuildValue ("(ON)", op_objects[u->arg.op], int_tuple (u->arg.n, u->arg.ints));
  case LS_ARG_VAR:
    return u->arg.var->position < 0 ? Py_BuildValue ("(sLL)", u->arg.var->name, (long long) u->arg.var->min, (long long) u->arg.var->max) :
           Py_BuildValue ("(sLLL)", u->arg.var->name, (long long) u->arg.var->min, (long long) u->arg.var->max,
                          (long long) u->arg.var->position);
  case LS_ARG_TRACKER: break;
  }
  g_autofree char *text = ls_arg_print (u->arg);
  return PyUnicode_FromString (text);
}

static int
take_argument (PyObject *o, LsOp op, LsDType dtype, LsArg *out)
{
  LsContext *ctx = ls_run->session->ctx;
  gint64 ints[2 * LS_MAX_DIMS];
  guint n = 0;
  *out = ls_arg_none ();
  switch (ls_op_info (op)->form) {
  case LS_FORM_NONE:
    if (op == LS_OP_NOOP && PyUnicode_Check (o)) {      /* a text that replaces a value */
      const char *text = PyUnicode_AsUTF8 (o);
      if (text)
        *out = ls_arg_str (ctx, text);
    } else if (o != Py_None)
      PyErr_Format (PyExc_ValueError, "%s has no argument", ls_op_name (op));
    break;
  case LS_FORM_INT:
    *out = ls_arg_int (PyLong_AsLongLong (o));
    break;
  case LS_FORM_SCALAR:
    *out = ls_dtype_is_float (dtype) ? ls_arg_float (PyFloat_AsDouble (o)) : ls_arg_int (PyLong_AsLongLong (o));
    if (!PyErr_Occurred ())
      *out = ls_scalar_to_arg (dtype, ls_scalar_fit (ls_dtype_scalar (dtype), ls_scalar_from_arg (dtype, *out)));
    break;
  case LS_FORM_INTS:
    if (ls_take_ints (o, "numbers", &n, ints) == 0)
      *out = ls_arg_ints (ctx, n, ints);
    break;
  case LS_FORM_STR: {
    const char *text = PyUnicode_Check (o) ? PyUnicode_AsUTF8 (o) : NULL;
    if (text)
      *out = ls_arg_str (ctx, text);
    else if (!PyErr_Occurred ())
      PyErr_Format (PyExc_TypeError, "%s has a name as its argument", ls_op_name (op));
    break;
  }
  case LS_FORM_OP_INTS:
    if (!PyTuple_Check (o) || PyTuple_GET_SIZE (o) != 2 || !Py_IS_TYPE (PyTuple_GET_ITEM (o, 0), &op_type))
      PyErr_Format (PyExc_TypeError, "%s has an op and a tuple of numbers as its argument", ls_op_name (op));
    else if (ls_take_ints (PyTuple_GET_ITEM (o, 1), "numbers", &n, ints) == 0)
      *out = ls_arg_op_ints (ctx, ((OpObject *) PyTuple_GET_ITEM (o, 0))->op, n, ints);
    break;
  case LS_FORM_VAR: {
    const char *name;
    long long min, max, position = -1;
    if (PyTuple_Check (o) && PyArg_ParseTuple (o, "sLL|L;a variable is its name, its least and its largest value", &name, &min, &max,
                                               &position))
      *out = ls_arg_var (ctx, name, min, max, position);
    else if (!PyErr_Occurred ())
      PyErr_Format (PyExc_TypeError, "%s has a variable as its argument: its name, its least and its largest value", ls_op_name (op));
    break;
  }
  case LS_FORM_TRACKER:
    PyErr_Format (PyExc_ValueError, "a program cannot make %s", ls_op_name (op));
    break;
  }
  return PyErr_Occurred () ? -1 : 0;
}

/* --- nodes --- */

static PyObject *
uop_object (LsUOp *node)
{
  if (!known || known_serial != ls_run->serial) {
    g_clear_pointer (&known, g_hash_table_unref);
    known = g_hash_table_new (NULL, NULL);
    known_serial = ls_run->serial;
  }
  UOpObject *o = g_hash_table_lookup (known, node);
  if (o)
    return Py_NewRef ((PyObject *) o);
  PyTypeObject *type = own_class ? own_class : &uop_type;
  if (!(o = (UOpObject *) type->tp_alloc (type, 0)))
    return NULL;
  o->node = node;
  o->serial = ls_run->serial;
  o->weak = NULL;
  g_hash_table_insert (known, node, o);
  return (PyObject *) o;
}

static void
uop_dealloc (PyObject *self)
{
  UOpObject *o = (UOpObject *) self;
  if (o->weak)
    PyObject_ClearWeakRefs (self);
  if (known && o->serial == known_serial)
    g_hash_table_remove (known, o->node);
  Py_TYPE (self)->tp_free (self);
}

LsUOp *
ls_peek_uop (PyObject *o)
{
  return PyObject_TypeCheck (o, &uop_type) && ls_run && ((UOpObject *) o)->serial == ls_run->serial ? ((UOpObject *) o)->node : NULL;
}

static LsUOp *
take_uop (PyObject *o)
{
  if (PyObject_TypeCheck (o, &ls_node_type))
    return ls_take_tensor (o);
  if (!PyObject_TypeCheck (o, &uop_type)) {
    PyErr_Format (PyExc_TypeError, "expected a UOp, not a %s", Py_TYPE (o)->tp_name);
    return NULL;
  }
  if (!ls_run || ((UOpObject *) o)->serial != ls_run->serial) {
    PyErr_SetString (PyExc_RuntimeError, "this UOp belongs to a run that has ended");
    return NULL;
  }
  return ((UOpObject *) o)->node;
}

/* With SPEC=2 a node that a program makes is checked: TRUE with an exception where it breaks the spec. */
static gboolean
breaks_spec (LsUOp *u)
{
  const char *what = ls_run->session->settings.SPEC >= 2 ? ls_spec_breach (u) : NULL;
  if (!what)
    return FALSE;
  g_autofree char *text = ls_uop_summary (u);
  g_free (ls_context_take_breach (ls_run->session->ctx));      /* said here */
  PyErr_Format (PyExc_RuntimeError, "UOp %s violates the spec: %s (SPEC=2 checks each node that a program makes)", text, what);
  return TRUE;
}

/* A text, a number, or None, which 0 is as well. */
static int
take_tag (PyObject *o, guint16 *out)
{
  *out = 0;
  if (o == Py_None)
    return 0;
  if (PyUnicode_Check (o)) {
    Py_ssize_t n;
    const char *text = PyUnicode_AsUTF8AndSize (o, &n);
    if (text && (size_t) n != strlen (text))
      PyErr_SetString (PyExc_ValueError, "a tag cannot have a null character");
    else if (text && !(*out = ls_tag_of_text (text)))
      PyErr_SetString (PyExc_ValueError, "too many different tags: at most 32768 texts");
  } else if (PyLong_Check (o)) {
    int overflow;
    long number = PyLong_AsLongAndOverflow (o, &overflow);
    if (overflow || number < 0 || number >= LS_TAG_TEXTS)
      PyErr_Format (PyExc_ValueError, "a tag must be a number below %d, not %S", LS_TAG_TEXTS, o);
    else
      *out = (guint16) number;
  } else {
    PyErr_Format (PyExc_TypeError, "a tag is a text, a number, or None, not a %s", Py_TYPE (o)->tp_name);
  }
  return PyErr_Occurred () ? -1 : 0;
}

/* NULL with an exception, or where it was looked for in a context over the run's and is not in that one. */
static LsUOp *
node_of (LsContext *ctx, LsOp op, LsDType dtype, PyObject *sources, PyObject *arg, PyObject *tag)
{
  PyObject *fast = PySequence_Fast (sources, "expected a tuple of UOps");
  if (!fast)
    return NULL;
  Py_ssize_t n = PySequence_Fast_GET_SIZE (fast);
  int arity = ls_op_info (op)->arity;
  g_autofree LsUOp **src = g_new (LsUOp *, n + 1);
  LsUOp *result = NULL;
  guint16 number;
  LsArg value;
  for (Py_ssize_t i = 0; i < n; i++)
    if (!(src[i] = take_uop (PySequence_Fast_GET_ITEM (fast, i))))
      goto out;
  if (arity >= 0 && n != arity)
    PyErr_Format (PyExc_ValueError, "%s has %d sources, not %zd", ls_op_name (op), arity, n);
  else if (take_tag (tag, &number) == 0 && take_argument (arg, op, dtype, &value) == 0)
    result = ls_uop_new_tag (ctx, op, dtype, (guint) n, src, value, number);
 out:
  Py_DECREF (fast);
  return result;
}

static PyObject *
make (LsOp op, LsDType dtype, PyObject *sources, PyObject *arg, PyObject *tag)
{
  LsUOp *u = node_of (ls_run->session->ctx, op, dtype, sources, arg, tag);
  LsShape shape;
  GError *error = NULL;
  if (!u)
    return NULL;
  if (ls_op_is_movement (op) && op != LS_OP_VIEW && u->src[0] && ls_uop_has_shape (u->src[0]) &&
      !ls_uop_get_shape (ls_run->session->ctx, u, &shape, &error))
    return ls_raise (error);
  return breaks_spec (u) ? NULL : uop_object (u);
}

/* UOp (op, dtype=void, src=(), arg=None, tag=None) */
static PyObject *
uop_new (PyTypeObject *type, PyObject *args, PyObject *keywords)
{
  static char *names[] = { "op", "dtype", "src", "arg", "tag", NULL };
  PyObject *op, *dtype = Py_None, *src = NULL, *arg = Py_None, *tag = Py_None, *result;
  LsDType d = LS_VOID;
  if (!ls_run) {
    PyErr_SetString (PyExc_RuntimeError, "no program is running");
    return NULL;
  }
  if (!PyArg_ParseTupleAndKeywords (args, keywords, "O!|OOOO", names, &op_type, &op, &dtype, &src, &arg, &tag) ||
      (dtype != Py_None && ls_take_dtype (dtype, &d) < 0))
    return NULL;
  PyObject *sources = src ? Py_NewRef (src) : PyTuple_New (0);
  result = sources ? make (((OpObject *) op)->op, d, sources, arg, tag) : NULL;
  Py_XDECREF (sources);
  return result;
}

static PyObject *
source_tuple (LsUOp *u)
{
  PyObject *tuple = PyTuple_New (u->n_src);
  for (guint i = 0; tuple && i < u->n_src; i++) {
    PyObject *source = uop_object (u->src[i]);
    if (!source)
      Py_CLEAR (tuple);
    else
      PyTuple_SET_ITEM (tuple, i, source);
  }
  return tuple;
}

static PyObject *
tag_object (guint16 tag)
{
  const char *text = ls_tag_text (tag);
  return text ? PyUnicode_FromString (text) : tag ? PyLong_FromLong (tag) : Py_NewRef (Py_None);
}

#define NODE(self) LsUOp *u = take_uop (self); if (!u) return NULL
static PyObject *get_op    (PyObject *self, void *unused) { NODE (self); return Py_NewRef (op_objects[u->op]); }
static PyObject *get_dtype (PyObject *self, void *unused) { NODE (self); return ls_dtype_object (u->dtype); }
static PyObject *get_src   (PyObject *self, void *unused) { NODE (self); return source_tuple (u); }
static PyObject *get_arg   (PyObject *self, void *unused) { NODE (self); return argument (u); }
static PyObject *get_tag   (PyObject *self, void *unused) { NODE (self); return tag_object (u->tag); }
static PyObject *get_id    (PyObject *self, void *unused) { NODE (self); return PyLong_FromUnsignedLong (u->id); }

static PyObject *
get_shape (PyObject *self, void *unused)
{
  LsShape shape;
  GError *error = NULL;
  NODE (self);
  return ls_uop_get_shape (ls_run->session->ctx, u, &shape, &error) ? int_tuple (shape.n, shape.dims) : ls_raise (error);
}

static PyObject *
toposort (PyObject *self, PyObject *unused)
{
  NODE (self);
  g_autoptr (GPtrArray) order = ls_uop_toposort (ls_run->session->ctx, u);
  PyObject *list = PyList_New (0);
  for (guint i = 0; list && i < order->len; i++) {
    PyObject *o = uop_object (order->pdata[i]);
    if (!o || PyList_Append (list, o) < 0)
      Py_CLEAR (list);
    Py_XDECREF (o);
  }
  return list;
}

static PyObject *
render (PyObject *self, PyObject *unused)
{
  NODE (self);
  g_autofree char *text = ls_pyrender (ls_run->session->ctx, u);
  return PyUnicode_FromString (text);
}

static PyObject *
parse (PyObject *type, PyObject *text)
{
  const char *bytes = PyUnicode_Check (text) ? PyUnicode_AsUTF8 (text) : NULL;
  GError *error = NULL;
  if (!bytes || !ls_run)
    return PyErr_Occurred () ? NULL : PyErr_Format (PyExc_TypeError, "expected a text");
  LsUOp *u = ls_pyrender_parse (ls_run->session->ctx, bytes, &error);
  g_autoptr (GPtrArray) order = u ? ls_uop_toposort (ls_run->session->ctx, u) : NULL;
  for (guint i = 0; order && i < order->len; i++)
    if (breaks_spec (order->pdata[i]))
      return NULL;
  if (u)
    return uop_object (u);
  PyErr_SetString (PyExc_ValueError, error->message);
  g_error_free (error);
  return NULL;
}

/* replace (op=, dtype=, src=, arg=, tag=): itself where nothing differs */
static PyObject *
replace (PyObject *self, PyObject *args, PyObject *keywords)
{
  static char *names[] = { "op", "dtype", "src", "arg", "tag", NULL };
  PyObject *op = NULL, *dtype = NULL, *src = NULL, *arg = NULL, *tag = NULL, *result = NULL;
  NODE (self);
  LsDType d = u->dtype;
  if (!PyArg_ParseTupleAndKeywords (args, keywords, "|$O!OOOO", names, &op_type, &op, &dtype, &src, &arg, &tag) ||
      (dtype && ls_take_dtype (dtype, &d) < 0))
    return NULL;
  PyObject *sources = src ? Py_NewRef (src) : source_tuple (u);
  if (arg || u->arg.kind != LS_ARG_TRACKER) {
    PyObject *value = arg ? Py_NewRef (arg) : argument (u), *own_tag = tag ? Py_NewRef (tag) : tag_object (u->tag);
    if (sources && value && own_tag)
      result = make (op ? ((OpObject *) op)->op : (LsOp) u->op, d, sources, value, own_tag);
    Py_XDECREF (value);
    Py_XDECREF (own_tag);
  } else {
    PyErr_SetString (PyExc_ValueError, "a program cannot make a node with a shape tracker");
  }
  Py_XDECREF (sources);
  return result;
}

/* expression (most) -> the graph below as an expression with at most that number of operators */
static PyObject *
expression (PyObject *self, PyObject *most)
{
  NODE (self);
  unsigned long n = PyLong_AsUnsignedLong (most);
  if (PyErr_Occurred ())
    return NULL;
  g_autofree char *text = ls_expr_print (NULL, u, (guint) MIN (n, 10000));
  return PyUnicode_FromString (text);
}

static PyObject *
get_bounds (PyObject *self, void *which)
{
  gint64 bounds[2];
  NODE (self);
  if (!ls_dtype_is_int (u->dtype) && !ls_dtype_is_bool (u->dtype))
    return PyErr_Format (PyExc_ValueError, "only integers and bools have bounds, not %s", ls_dtype_name (u->dtype));
  ls_uop_bounds (ls_run->session->ctx, u, &bounds[0], &bounds[1]);
  return PyLong_FromLongLong (bounds[which != NULL]);
}

static PyObject *
uop_repr (PyObject *self)
{
  NODE (self);
  g_autofree char *text = ls_uop_summary (u);
  return PyUnicode_FromFormat ("<UOp %u %s>", u->id, text);
}

static PyGetSetDef getters[] = {
  { "op", get_op, NULL, "Its op.", NULL }, { "dtype", get_dtype, NULL, "Dtype of its value.", NULL },
  { "src", get_src, NULL, "Its sources.", NULL },
  { "arg", get_arg, NULL, "Its argument.", NULL },
  { "tag", get_tag, NULL, "Distinguishes equal nodes: a text or a number; None for most.", NULL },
  { "id", get_id, NULL, "Its id in the recording.", NULL },
  { "vmin", get_bounds, NULL, "Lower bound of its value.", NULL }, { "vmax", get_bounds, NULL, "Upper bound of its value.", (void *) 1 },
  { "shape", get_shape, NULL, "Shape of a tensor's node.", NULL }, { "base", ls_uop_base, NULL, "The node that it is a view of.", NULL },
  { "realized", ls_uop_lazy_fact, NULL, "The base's memory if it holds the value, else None.", "realized" },
  { "buffer", ls_uop_lazy_fact, NULL, "The base's memory, allocated or not.", "buffer" },
  { "device", ls_uop_lazy_fact, NULL, "Its device.", "device" },
  { "is_realized", ls_uop_is_realized, NULL, "Whether the base's value is in memory.", NULL }, { NULL },
};
static PyMethodDef methods[] = {
  { "replace", (PyCFunction) (void (*) (void)) replace, METH_VARARGS | METH_KEYWORDS,
    "The node with other fields; the same node if no field differs." },
  { "toposort", toposort, METH_NOARGS, "The nodes below it, sources first, each once." },
  { "pyrender", render, METH_NOARGS, "Text that makes the graph again." },
  { "expression", expression, METH_O, "The graph below as an expression with at most this many operators." },
  { "parse", parse, METH_O | METH_STATIC, "The graph that pyrender wrote." },
  { NULL },
};
static PyTypeObject uop_type = {
  PyVarObject_HEAD_INIT (NULL, 0)
  .tp_name = "tinygrad.uop.UOp", .tp_basicsize = sizeof (UOpObject), .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
             .tp_new = uop_new, .tp_dealloc = uop_dealloc,
  .tp_weaklistoffset = offsetof (UOpObject, weak), .tp_repr = uop_repr, .tp_getset = getters, .tp_methods = methods,
  .tp_doc = "A node of a graph; equal nodes are one object.",
};

/* find_uop (op, dtype, src, arg, tag) -> the node that was made with these fields, or None; no node is made */
PyObject *
ls_module_find_uop (PyObject *self, PyObject *args)
{
  PyObject *op, *dtype, *src, *arg, *tag;
  LsDType d = LS_VOID;
  if (!ls_run)
    return PyErr_Format (PyExc_RuntimeError, "no program is running");
  if (!PyArg_ParseTuple (args, "O!OOOO", &op_type, &op, &dtype, &src, &arg, &tag) ||
      (dtype != Py_None && ls_take_dtype (dtype, &d) < 0))
    return NULL;
  g_autoptr (LsContext) ctx = ls_context_new_over (ls_run->session->ctx);
  const LsUOp *u = node_of (ctx, ((OpObject *) op)->op, d, src, arg, tag);
  LsUOp *there = u && u->id < ls_context_n_nodes (ls_run->session->ctx) ? ls_context_node (ls_run->session->ctx, u->id) : NULL;
  return PyErr_Occurred () ? NULL : there ? uop_object (there) : Py_NewRef (Py_None);
}

/* uops (first, end) -> the nodes of the run with these ids, those that there are */
PyObject *
ls_module_uops (PyObject *self, PyObject *args)
{
  unsigned int first, end;
  if (!ls_run)
    return PyErr_Format (PyExc_RuntimeError, "no program is running");
  if (!PyArg_ParseTuple (args, "II", &first, &end))
    return NULL;
  PyObject *list = PyList_New (0);
  for (guint i = first; list && i < MIN (end, ls_context_n_nodes (ls_run->session->ctx)); i++) {
    PyObject *o = uop_object (ls_context_node (ls_run->session->ctx, i));
    if (!o || PyList_Append (list, o) < 0)
      Py_CLEAR (list);
    Py_XDECREF (o);
  }
  return list;
}

/* n_uops () -> how many nodes were made */
PyObject *
ls_module_n_uops (PyObject *self, PyObject *unused)
{
  return PyLong_FromUnsignedLong (ls_run ? ls_context_n_nodes (ls_run->session->ctx) : 0);
}

PyObject *ls_uop_object (LsUOp *node) { return uop_object (node); }
LsUOp *ls_take_uop (PyObject *o) { return take_uop (o); }

PyObject *
ls_module_uop (PyObject *self, PyObject *tensor)
{
  LsUOp *u = ls_take_tensor (tensor);
  return u ? uop_object (u) : NULL;
}

/* of_uop (class, uop) */
PyObject *
ls_module_of_uop (PyObject *self, PyObject *const *args, Py_ssize_t n)
{
  LsShape shape;
  GError *error = NULL;
  if (n != 2 || !PyType_Check (args[0]) || !PyType_IsSubtype ((PyTypeObject *) args[0], &ls_node_type)) {
    PyErr_SetString (PyExc_TypeError, "of_uop() takes a class of tensors and a UOp");
    return NULL;
  }
  LsUOp *u = take_uop (args[1]);
  if (!u)
    return NULL;
  return ls_uop_get_shape (ls_run->session->ctx, u, &shape, &error) ? ls_node_new ((PyTypeObject *) args[0], u) : ls_raise (error);
}

PyObject *
ls_module_uop_class (PyObject *self, PyObject *type)
{
  if (!PyType_Check (type) || !PyType_IsSubtype ((PyTypeObject *) type, &uop_type)) {
    PyErr_SetString (PyExc_TypeError, "uop_class() takes a class of UOps");
    return NULL;
  }
  PyTypeObject *before = own_class;
  own_class = (PyTypeObject *) Py_NewRef (type);
  Py_XDECREF (before);
  Py_RETURN_NONE;
}

int
ls_uops_ready (PyObject *module)
{
  PyObject *ops = PyDict_New ();
  if (!ops || PyType_Ready (&op_type) < 0 || PyType_Ready (&uop_type) < 0)
    return -1;
  for (guint i = 0; i < LS_N_OPS; i++) {
    OpObject *o = PyObject_New (OpObject, &op_type);
    if (!o)
      return -1;
    o->op = i;
    op_objects[i] = (PyObject *) o;
    if (PyDict_SetItemString (ops, ls_op_name (i), op_objects[i]) < 0)
      return -1;
  }
  return PyModule_AddObject (module, "ops", ops) < 0 ? -1 : PyModule_AddObjectRef (module, "UOp", (PyObject *) &uop_type);
}
