/* Rules of a program's own: text of the rule language, whose right sides may be functions of the program. They join the run's rule
 * library, so that their rewrites are recorded, shown and explained like every other pass; the recording has their text, and executes
 * none.
 */
#include "python-private.h"

#include "ir/short.h"
#include "ir/spec.h"
#include "pipeline/pipeline.h"
#include "rewrite/substitute.h"

#include <string.h>

/* A function of the program, as a term of rules. It is gone with its run; the rules that name it decline from then on. */
typedef struct { guint serial; PyObject *callable; gboolean takes_context; } Function;

static PyObject *rewrite_context;      /* of the rewrite under way; borrowed */
static PyObject **one_result;          /* where rules are asked of a single node: what the function returned, which may be no node */

#define MOST_TEXT 1000      /* characters of a value that is shown as a node */

/* Any value as a node of the graph: its text. */
static LsUOp *
text_node (LsContext *ctx, LsDType dtype, PyObject *value)
{
  PyObject *text = PyUnicode_Check (value) ? Py_NewRef (value) : PyObject_Repr (value);
  const char *bytes = text ? PyUnicode_AsUTF8 (text) : NULL;
  PyErr_Clear ();
  g_autofree char *shown = ls_short_text (bytes ? bytes : Py_TYPE (value)->tp_name, MOST_TEXT);
  Py_XDECREF (text);
  return ls_uop_new (ctx, LS_OP_NOOP, dtype, 0, NULL, ls_arg_str (ctx, shown));
}

/* A function's result for a node. A text that replaces a value has its dtype, so that the nodes over it stay what they are. */
static LsUOp *
node_of_result (LsTermCall *call, PyObject *result)
{
  if (one_result && !PyObject_TypeCheck (result, &ls_node_type) && !ls_peek_uop (result))
    return text_node (call->ctx, call->self->dtype, result);
  LsUOp *u = ls_take_uop (result);
  return u && ls_uop_is_text (u) && u->n_src == 0 && !one_result
         ? ls_uop_new_tag (call->ctx, LS_OP_NOOP, call->self->dtype, 0, NULL, u->arg, u->tag) : u;
}

static gboolean
call_function (LsTermCall *call, const LsTermValue *args, LsTermValue *out)
{
  const Function *f = call->term->data;
  guint n = call->term->n_args;
  if (!ls_run || ls_run->serial != f->serial || PyErr_Occurred ())
    return FALSE;
  PyObject *tuple = PyTuple_New (n + f->takes_context);
  if (tuple && f->takes_context)
    PyTuple_SET_ITEM (tuple, 0, Py_NewRef (rewrite_context ? rewrite_context : Py_None));
  for (guint i = 0; tuple && i < n; i++) {
    PyObject *node = ls_uop_object (args[i].node);
    if (!node)
      Py_CLEAR (tuple);
    else
      PyTuple_SET_ITEM (tuple, i + f->takes_context, node);
  }
  PyObject *result = tuple ? PyObject_Call (f->callable, tuple, NULL) : NULL;
  Py_XDECREF (tuple);
  out->node = result && result != Py_None ? node_of_result (call, result) : NULL;
  gboolean fires = out->node && out->node != call->self;
  if (fires && one_result)
    Py_XSETREF (*one_result, Py_NewRef (result));
  Py_XDECREF (result);
  return fires;
}

static PyObject *
raise_rule_error (GError *error)
{
  if (!PyErr_Occurred ())
    PyErr_SetString (error->code == LS_ERROR_RULE ? PyExc_ValueError : PyExc_RuntimeError, error->message);
  g_error_free (error);
  return NULL;
}

static gboolean
running (void)
{
  if (!ls_run)
    PyErr_SetString (PyExc_RuntimeError, "no program is running");
  return ls_run != NULL;
}

/* rules (set, file, text, lines, [(term, function, n_args, takes_context, sentence)]) -> numbers of the rules that were added */
PyObject *
ls_module_rules (PyObject *self, PyObject *args)
{
  const char *set, *file, *text;
  PyObject *functions, *places;
  GError *error = NULL;
  if (!running () || !PyArg_ParseTuple (args, "sssO!O!", &set, &file, &text, &PyList_Type, &places, &PyList_Type, &functions))
    return NULL;
  guint n_lines = (guint) PyList_GET_SIZE (places);
  g_autofree guint *lines = g_new0 (guint, n_lines + 1);
  for (guint i = 0; i < n_lines; i++)
    lines[i] = (guint) PyLong_AsUnsignedLong (PyList_GET_ITEM (places, i));
  if (PyErr_Occurred ())
    return NULL;
  LsSession *s = ls_run->session;
  Py_ssize_t n = PyList_GET_SIZE (functions);
  LsTerm *terms = ls_context_alloc (s->ctx, (gsize) (n + 1) * sizeof *terms);
  memset (terms, 0, (gsize) (n + 1) * sizeof *terms);
  for (Py_ssize_t i = 0; i < n; i++) {
    const char *name, *sentence;
    PyObject *callable;
    guint n_args;
    int takes_context;
    if (!PyArg_ParseTuple (PyList_GET_ITEM (functions, i), "sOIps", &name, &callable, &n_args, &takes_context, &sentence))
      return NULL;
    if (n_args > LS_TERM_ARGS)
      return PyErr_Format (PyExc_ValueError, "a rule's function takes at most %d nodes, not %u", LS_TERM_ARGS, n_args);
    Function *f = ls_context_alloc (s->ctx, sizeof *f);
    *f = (Function) { ls_run->serial, callable, takes_context };
    terms[i] = (LsTerm) { .name = ls_arg_str (s->ctx, name).str, .result = LS_TERM_NODE, .n_args = n_args, .fn = call_function,
                          .sentence = ls_arg_str (s->ctx, sentence).str, .builds = TRUE, .data = f };
    for (guint k = 0; k < n_args; k++)
      terms[i].args[k] = LS_TERM_NODE;
    if (!ls_run->functions && !(ls_run->functions = PyList_New (0)))
      return NULL;
    if (PyList_Append (ls_run->functions, callable) < 0)
      return NULL;
  }
  guint first = ls_rule_library_n_rules (s->library);
  LsRuleLibrary *more = ls_rule_library_extend (s->library, set, text, file, MAX (n_lines, 1), lines, terms, &error);
  if (!more)
    return raise_rule_error (error);
  ls_session_take_library (s, more);
  PyObject *numbers = PyList_New (0);
  for (guint i = first; numbers && i < ls_rule_library_n_rules (more); i++) {
    PyObject *number = PyLong_FromUnsignedLong (i);
    if (!number || PyList_Append (numbers, number) < 0)
      Py_CLEAR (numbers);
    Py_XDECREF (number);
  }
  return numbers;
}

/* 1 + the row of the statement that runs; 0: it is not recorded. */
static guint
asking_statement (void)
{
  return ls_run->record ? ls_record_row (ls_run->record) + 1 : 0;
}

/* A pass of the recording. text: the context's, or NULL. result: where the function that fires at a single node puts what it returned;
 * else NULL. Returns NULL with an exception. */
static LsUOp *
rewrite (LsUOp *node, const char *set, LsRewriteMode mode, PyObject *context, const char *name, const char *text, PyObject **result)
{
  PyObject *outer = rewrite_context, **outer_result = one_result;
  GError *error = NULL;
  LsSession *s = ls_run->session;
  g_auto (LsPipeline) p = { s->ctx, s->library, &s->settings, s->target, NULL, s->trace, s->recording, 0 };
  p.graph = node;
  p.statement = asking_statement ();
  p.context = text ? ls_arg_str (s->ctx, text).str : NULL;
  LsRuleLibrary *library = ls_rule_library_ref (s->library);      /* a rule's function may add rules */
  rewrite_context = context;
  one_result = result;
  gboolean ok = ls_pipeline_rewrite (&p, name, set, mode, &error);
  rewrite_context = outer;
  one_result = outer_result;
  ls_rule_library_unref (library);
  if (!ok)
    raise_rule_error (error);
  return ok && !PyErr_Occurred () ? p.graph : NULL;
}

/* rewrite (uop, set, before_sources, context, name, the context's text or None) -> uop */
PyObject *
ls_module_rewrite (PyObject *self, PyObject *args)
{
  PyObject *root, *context;
  const char *set, *name, *text;
  int before_sources;
  if (!running () || !PyArg_ParseTuple (args, "OspOsz", &root, &set, &before_sources, &context, &name, &text))
    return NULL;
  LsRewriteMode mode = before_sources ? LS_REWRITE_TOP_DOWN : LS_REWRITE_BOTTOM_UP;
  LsUOp *node = ls_take_uop (root), *out = node ? rewrite (node, set, mode, context, name, text, NULL) : NULL;
  return out ? ls_uop_object (out) : NULL;
}

/* rewrite_one (uop, set, context, name, the context's text or None) -> what the first rule that fires at this node gives, or None */
PyObject *
ls_module_rewrite_one (PyObject *self, PyObject *args)
{
  PyObject *root, *context, *result = NULL;
  const char *set, *name, *text;
  if (!running () || !PyArg_ParseTuple (args, "OsOsz", &root, &set, &context, &name, &text))
    return NULL;
  LsUOp *node = ls_take_uop (root), *out = node ? rewrite (node, set, LS_REWRITE_ONE, context, name, text, &result) : NULL;
  if (out && result)
    return result;
  Py_XDECREF (result);
  return !out ? NULL : out == node ? Py_NewRef (Py_None) : ls_uop_object (out);
}

/* --- substitute --- */

/* Nodes of two lists of one length. NULL with an exception. */
static GHashTable *
take_substitution (PyObject *from, PyObject *to)
{
  g_autoptr (GHashTable) table = g_hash_table_new (NULL, NULL);
  if (PyList_GET_SIZE (from) != PyList_GET_SIZE (to)) {
    PyErr_SetString (PyExc_ValueError, "substitute() takes two lists of the same length");
    return NULL;
  }
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE (from); i++) {
    LsUOp *key = ls_take_uop (PyList_GET_ITEM (from, i)), *value = key ? ls_take_uop (PyList_GET_ITEM (to, i)) : NULL;
    if (!value)
      return NULL;
    g_hash_table_insert (table, key, value);
  }
  return g_steal_pointer (&table);
}

/* substitute (uop, from, to, name) -> uop: a rewrite, all at once */
PyObject *
ls_module_substitute (PyObject *self, PyObject *args)
{
  PyObject *root, *from, *to;
  const char *name;
  GError *error = NULL;
  if (!running () || !PyArg_ParseTuple (args, "OO!O!s", &root, &PyList_Type, &from, &PyList_Type, &to, &name))
    return NULL;
  LsSession *s = ls_run->session;
  LsUOp *node = ls_take_uop (root);
  g_autoptr (GHashTable) table = node ? take_substitution (from, to) : NULL;
  if (!table)
    return NULL;
  g_autoptr (LsRuleLibrary) library = ls_substitute_library (s->library, &error);
  if (!library)
    return raise_rule_error (error);
  if (library != s->library)
    ls_session_take_library (s, ls_rule_library_ref (library));
  g_auto (LsPipeline) p = { s->ctx, library, &s->settings, s->target, NULL, s->trace, s->recording, 0 };
  p.graph = node;
  p.statement = asking_statement ();
  GHashTable *outer = ls_substitute_with (table);
  gboolean ok = ls_pipeline_rewrite (&p, name, LS_SUBSTITUTE_SET, LS_REWRITE_WALK, &error);
  ls_substitute_with (outer);
  return ok ? ls_uop_object (p.graph) : raise_rule_error (error);
}

/* The rule of that number, where it is of the present run and its pattern matches. */
static LsUOp *
take_match (PyObject *args, guint *rule)
{
  PyObject *o;
  if (!running () || !PyArg_ParseTuple (args, "OI", &o, rule))
    return NULL;
  if (*rule >= ls_rule_library_n_rules (ls_run->session->library)) {
    PyErr_SetString (PyExc_ValueError, "there is no such rule");
    return NULL;
  }
  return ls_take_uop (o);
}

/* rule_match (uop, rule) -> {name: uop}, or None where its pattern does not match */
PyObject *
ls_module_rule_match (PyObject *self, PyObject *args)
{
  guint rule;
  LsBinding bindings[16];
  LsUOp *node = take_match (args, &rule);
  if (!node)
    return NULL;
  guint matched = ls_rule_matched (ls_run->session->library, rule, node, &node, 1);
  if (matched == 0)
    Py_RETURN_NONE;
  guint n = ls_rule_match (ls_run->session->library, rule, ls_run->session->ctx, node, bindings, G_N_ELEMENTS (bindings));
  PyObject *found = PyDict_New ();
  for (guint i = 0; found && i < n; i++) {
    PyObject *value = bindings[i].value.kind == LS_TERM_NONE || bindings[i].value.kind == LS_TERM_NODE ||
                      bindings[i].value.kind == LS_TERM_CONST ? ls_uop_object (bindings[i].node) : Py_NewRef (Py_None);
    if (!value || PyDict_SetItemString (found, bindings[i].name, value) < 0)
      Py_CLEAR (found);
    Py_XDECREF (value);
  }
  return found;
}

/* rule_root (rule) -> (its text, the names of the ops at which it is tried) */
PyObject *
ls_module_rule_root (PyObject *self, PyObject *rule)
{
  unsigned long number = running () ? PyLong_AsUnsignedLong (rule) : 0;
  const LsRule *r = PyErr_Occurred () ? NULL : ls_rule_library_rule (ls_run->session->library, (guint) number);
  PyObject *names = r ? PyList_New (0) : NULL;
  for (guint op = 0; names && op < LS_N_OPS; op++) {
    if (!ls_rule_takes (ls_run->session->library, (guint) number, (LsOp) op))
      continue;
    PyObject *name = PyUnicode_FromString (ls_op_name ((LsOp) op));
    if (!name || PyList_Append (names, name) < 0)
      Py_CLEAR (names);
    Py_XDECREF (name);
  }
  return names ? Py_BuildValue ("(sN)", r->text, names) : NULL;
}

/* rule_apply (uop, rule) -> the result for the node, or None if it does not fire */
PyObject *
ls_module_rule_apply (PyObject *self, PyObject *args)
{
  guint rule, n;
  LsUOp *node = take_match (args, &rule), *result;
  if (!node)
    return NULL;
  gboolean fires = ls_rule_apply (ls_run->session->library, rule, ls_run->session->ctx, node, NULL, &result, NULL, 0, &n);
  if (PyErr_Occurred ())
    return NULL;
  if (!fires)
    Py_RETURN_NONE;
  return ls_uop_object (result);
}
