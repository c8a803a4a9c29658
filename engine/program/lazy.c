/* Read-only views of tensors: the node that it is a view of, the view, the memory; and the counters of the run so far. */
#include "python-private.h"

#include "ir/view.h"

static gboolean
is_realized (LsSession *s, const LsUOp *u)
{
  return u->op == LS_OP_BUFFER || g_hash_table_contains (s->realized, GUINT_TO_POINTER (u->id));
}

static PyObject *
ints (guint n, const gint64 *numbers)
{
  PyObject *tuple = PyTuple_New (n);
  for (guint i = 0; tuple && i < n; i++)
    PyTuple_SET_ITEM (tuple, i, PyLong_FromLongLong (numbers[i]));
  return tuple;
}

/* (shape, strides, offset, mask or None, contiguous) */
static PyObject *
view_tuple (const LsView *v)
{
  PyObject *mask = v->mask ? PyTuple_New (v->n) : Py_NewRef (Py_None);
  for (guint i = 0; mask && v->mask && i < v->n; i++)
    PyTuple_SET_ITEM (mask, i, ints (2, v->mask + 2 * i));
  return Py_BuildValue ("(NNLNN)", ints (v->n, v->shape), ints (v->n, v->strides), (long long) v->offset, mask,
                        PyBool_FromLong (v->contiguous));
}

const LsUOp *
ls_base_buffer (LsSession *s, const LsUOp *base)
{
  const LsUOp *b = base->op == LS_OP_BUFFER ? base : g_hash_table_lookup (s->realized, GUINT_TO_POINTER (base->id));
  return b && (base->op != LS_OP_COPY || g_hash_table_contains (s->copied, GUINT_TO_POINTER (base->id))) ? b : NULL;
}

/* (number, elements) of the buffer that holds u's value, or None. */
static PyObject *
buffer_tuple (LsSession *s, LsUOp *u)
{
  const LsUOp *b = ls_base_buffer (s, u);
  return b ? Py_BuildValue ("(LL)", (long long) b->arg.ints[0], (long long) b->arg.ints[1]) : Py_NewRef (Py_None);
}

static gboolean
is_moved (LsSession *s, const LsUOp *u)
{
  return !is_realized (s, u) && ((ls_op_is_movement (u->op) && u->op != LS_OP_VIEW) || u->op == LS_OP_DETACH);
}

LsUOp *
ls_base_of (LsSession *s, LsUOp *u)
{
  while (is_moved (s, u))
    u = u->src[0];
  return u;
}

PyObject *
ls_uop_base (PyObject *uop, void *unused)
{
  LsUOp *u = ls_take_uop (uop);
  return u ? ls_uop_object (ls_base_of (ls_run->session, u)) : NULL;
}

PyObject *
ls_uop_is_realized (PyObject *uop, void *unused)
{
  LsUOp *u = ls_take_uop (uop);
  return u ? PyBool_FromLong (is_realized (ls_run->session, ls_base_of (ls_run->session, u))) : NULL;
}

PyObject *
ls_uop_lazy_fact (PyObject *uop, void *name)
{
  PyObject *module = PyImport_ImportModule ("tinygrad.lazydata"),
           *lazy = module ? PyObject_CallMethod (module, "LazyBuffer", "O", uop) : NULL;
  PyObject *fact = lazy ? PyObject_GetAttrString (lazy, name) : NULL;
  Py_XDECREF (module);
  Py_XDECREF (lazy);
  return fact;
}

/* lazy (uop or tensor): (base, its views, buffer of the base) */
PyObject *
ls_module_lazy (PyObject *self, PyObject *o)
{
  LsUOp *u = ls_take_uop (o), *base = u;
  g_autoptr (GPtrArray) moves = g_ptr_array_new ();
  LsShape shape;
  GError *error = NULL;
  if (!u)
    return NULL;
  LsSession *s = ls_run->session;
  if (!ls_uop_get_shape (s->ctx, u, &shape, &error))
    return ls_raise (error);
  for (; is_moved (s, base); base = base->src[0])
    if (base->op != LS_OP_DETACH)
      g_ptr_array_add (moves, base);
  const LsTracker *t = ls_tracker_contiguous (s->ctx, ls_uop_shape (s->ctx, base));
  for (guint i = moves->len; i-- > 0;)
    t = ls_tracker_moved (s->ctx, t, ((LsUOp *) moves->pdata[i])->op, ((LsUOp *) moves->pdata[i])->arg, s->settings.MERGE_VIEWS != 0);
  PyObject *views = PyTuple_New (t->n_views);
  for (guint i = 0; views && i < t->n_views; i++) {
    PyObject *view = view_tuple (t->views[i]);
    if (!view)
      Py_CLEAR (views);
    else
      PyTuple_SET_ITEM (views, i, view);
  }
  return views ? Py_BuildValue ("(NNN)", ls_uop_object (base), views, buffer_tuple (s, base)) : NULL;
}

PyObject *
ls_module_counters (PyObject *self, PyObject *unused)
{
  const LsSession *s = ls_run ? ls_run->session : NULL;
  LsCounters c = s ? s->counters : (LsCounters) { 0 };
  return Py_BuildValue ("(KLLdK)", (unsigned long long) c.kernels, (long long) c.ops, (long long) c.bytes, (double) c.ns * 1e-9,
                        (unsigned long long) (s ? s->buffer_bytes : 0));
}
