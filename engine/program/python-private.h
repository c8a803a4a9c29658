/* Shared by the parts of the embedding: the module `_lazyscope`, the current run, and the record of its calls.
 *
 * Functions that give a PyObject * give a new reference, or NULL with a Python exception set; ints are 0, or -1 with an exception.
 */
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include "ir/clock.h"
#include "ir/eval.h"
#include "pipeline/session.h"
#include "program.h"

typedef struct _LsCallRecord LsCallRecord;

/* One program being run; there is one at a time in a process. */
typedef struct {
  LsSession    *session;
  LsTensors    *tensors;
  LsCallRecord *record;        /* NULL: nothing is recorded */
  guint         serial;        /* which run of this process it is: tensors of earlier ones are not its own */
  guint64       engine_ns;     /* spent making nodes and recording calls */
  guint64       realize_ns;    /* spent in the pipeline and its kernels */
  GPtrArray    *texts;         /* GBytes: a program's modules */
  guint64       resident;      /* size of the process when the run began, in bytes */
  guint64       collect_at;    /* bytes of buffers at which those that nobody needs go */
  gint          stop;          /* atomic: an LsStop that the next moment must raise, or 0 */
  gboolean      forked;        /* this process is the child of a fork: its end is the end of the program, and of nothing else */
  PyObject     *functions;     /* those that the program's rules call: a list, or NULL */
} LsRun;

typedef enum { LS_STOP_NONE, LS_STOP_TIME, LS_STOP_MEMORY } LsStopReason;

extern LsRun *ls_run;          /* NULL between runs */

/* A tensor of Python: a node of the run's context. Library text derives Tensor from it. */
typedef struct _LsNodeObject LsNodeObject;
struct _LsNodeObject {
  PyObject_HEAD
  LsNodeObject *before, *after;      /* of all that live: what one writes, its aliases see */
  LsUOp    *node;              /* NULL until it is given one */
  guint     serial;
  PyObject *grad, *requires_grad;
  PyObject *weak;
};

typedef struct { PyObject_HEAD LsDType dtype; } LsDTypeObject;

extern PyTypeObject ls_node_type, ls_dtype_type;
extern PyObject *ls_shape_error, *ls_run_stopped;

void      ls_watch_forked (void);      /* in the child of a fork: starts the watchdog again */

/* fork.c: os.fork */
PyObject *ls_module_fork_begins (PyObject *self, PyObject *unused);
PyObject *ls_module_fork_parent (PyObject *self, PyObject *unused);
PyObject *ls_module_fork_child  (PyObject *self, PyObject *unused);

/* dtype.c */
PyObject *ls_dtype_object   (LsDType dtype);
int       ls_take_dtype     (PyObject *o, LsDType *out);
int       ls_dtypes_ready   (PyObject *module);

/* node.c */
int       ls_node_ready     (PyObject *module);
/* Buffers that no tensor leads to any more go. */
void      ls_node_collect   (LsSession *session);
PyObject *ls_module_live    (PyObject *self, PyObject *const *args, Py_ssize_t n);
PyObject *ls_node_new       (PyTypeObject *type, LsUOp *node);      /* NULL node: the Tensor API's error is raised */
LsUOp    *ls_take_tensor    (PyObject *o);                          /* of this run, or NULL with an exception */
PyObject *ls_raise          (GError *error);                        /* takes error; always NULL */
PyObject *ls_module_size_classes (PyObject *self, PyObject *args);
PyObject *ls_module_variable   (PyObject *self, PyObject *args);
PyObject *ls_module_size       (PyObject *self, PyObject *const *args, Py_ssize_t n);
PyObject *ls_module_size_facts (PyObject *self, PyObject *node);
LsUOp    *ls_take_size         (PyObject *o);                          /* the node of an int that a variable says, or NULL */
int       ls_take_ints      (PyObject *sequence, const char *what, guint *n, gint64 ints[2 * LS_MAX_DIMS]);
/* Around every primitive: is there a run, where does the call come from; then what it took. FALSE with an exception. */
gboolean  ls_enter (guint64 *start);
void      ls_leave (guint64 start, LsUOp *result);

/* data.c: values in and out */
PyObject *ls_module_const    (PyObject *self, PyObject *const *args, Py_ssize_t n);
PyObject *ls_module_host     (PyObject *self, PyObject *const *args, Py_ssize_t n);
PyObject *ls_module_nested   (PyObject *self, PyObject *const *args, Py_ssize_t n);
PyObject *ls_module_bits     (PyObject *self, PyObject *const *args, Py_ssize_t n);
PyObject *ls_module_of_bits  (PyObject *self, PyObject *const *args, Py_ssize_t n);
PyObject *ls_module_scalar   (PyObject *self, PyObject *const *args, Py_ssize_t n);
PyObject *ls_module_empty    (PyObject *self, PyObject *const *args, Py_ssize_t n);
PyObject *ls_module_gradient (PyObject *self, PyObject *const *args, Py_ssize_t n);
PyObject *ls_module_realize  (PyObject *self, PyObject *const *args, Py_ssize_t n);
PyObject *ls_module_same     (PyObject *self, PyObject *tensor);
PyObject *ls_module_schedule (PyObject *self, PyObject *tensors);
PyObject *ls_module_data     (PyObject *self, PyObject *tensor);
PyObject *ls_module_tolist   (PyObject *self, PyObject *tensor);

/* lazy.c: what a tensor is, looked at */
LsUOp       *ls_base_of      (LsSession *s, LsUOp *u);              /* what it is a view of, at the least itself */
const LsUOp *ls_base_buffer  (LsSession *s, const LsUOp *base);     /* the BUFFER in which its value stands, or NULL. Host data is
                                                                     * there from the start, its copy once it was needed */
PyObject *ls_module_lazy     (PyObject *self, PyObject *uop);
PyObject *ls_uop_base        (PyObject *uop, void *unused);
PyObject *ls_uop_lazy_fact   (PyObject *uop, void *name);           /* as tensor.lazydata has it */
PyObject *ls_uop_is_realized (PyObject *uop, void *unused);
PyObject *ls_module_counters (PyObject *self, PyObject *unused);

/* uop.c: nodes */
PyObject *ls_uop_object      (LsUOp *node);
LsUOp    *ls_peek_uop        (PyObject *o);                         /* of a UOp of this run, or NULL without an exception */
LsUOp    *ls_take_uop        (PyObject *o);                         /* of a UOp or a tensor; NULL with an exception */
PyObject *ls_module_uop      (PyObject *self, PyObject *tensor);
PyObject *ls_module_of_uop   (PyObject *self, PyObject *const *args, Py_ssize_t n);
PyObject *ls_module_uop_class  (PyObject *self, PyObject *type);
PyObject *ls_module_substitute (PyObject *self, PyObject *args);
int       ls_uops_ready      (PyObject *module);

/* rules.c: rules of the program's own */
PyObject *ls_module_rules      (PyObject *self, PyObject *args);
PyObject *ls_module_find_uop   (PyObject *self, PyObject *args);
PyObject *ls_module_uops       (PyObject *self, PyObject *args);
PyObject *ls_module_n_uops     (PyObject *self, PyObject *unused);
PyObject *ls_module_rewrite    (PyObject *self, PyObject *args);
PyObject *ls_module_rule_root (PyObject *self, PyObject *rule);
PyObject *ls_module_rewrite_one (PyObject *self, PyObject *args);
PyObject *ls_module_rule_match (PyObject *self, PyObject *args);
PyObject *ls_module_rule_apply (PyObject *self, PyObject *args);

/* record.c: which calls made what; see there */
LsCallRecord *ls_record_new  (LsRun *run);
void      ls_record_free     (LsCallRecord *record);
guint     ls_record_row      (LsCallRecord *record);                /* of the statement that runs, in the recording; G_MAXUINT: none */
void      ls_record_place    (LsCallRecord *record);                /* before a primitive: the calls that lead to it are open */
void      ls_record_result   (LsCallRecord *record, LsUOp *node);
guint     ls_record_line     (LsCallRecord *record);                /* of the program, where it stands now */
PyObject *ls_module_statements (PyObject *self, PyObject *args);
PyObject *ls_module_with_marks (PyObject *self, PyObject *args);
PyObject *ls_module_source   (PyObject *self, PyObject *name);
PyObject *ls_module_mark     (PyObject *self, PyObject *index);
PyObject *ls_module_bound    (PyObject *self, PyObject *const *args, Py_ssize_t n);
PyObject *ls_module_next     (PyObject *self, PyObject *const *args, Py_ssize_t n);

/* arguments.c: the first n of a frame's variables in the recording's words */
const char *ls_arguments_text (LsRun *run, PyFrameObject *frame, guint n);

/* The frozen library: text and code by module. */
typedef struct { const char *module, *path; const char *text; gsize n_text; const guint8 *code; gsize n_code; gboolean package;
                 } LsLibraryModule;
extern const LsLibraryModule ls_library_modules[];      /* ends with a NULL module */
