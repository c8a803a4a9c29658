/* What the parts of the evaluator share. Functions that can fail return FALSE and leave the report in ev->error. */
#pragma once
#include "pipeline/session.h"
#include "ast.h"

G_BEGIN_DECLS

#define LS_MAX_STEPS (10 * 1000 * 1000)      /* evaluated nodes, and items of lists made at once */
#define LS_MAX_STACK 1500                    /* evaluations inside each other */

typedef struct {
  LsSession *session;
  LsContext *ctx;
  LsTensors *tensors;
  LsSource   source;
  LsSyntax   syntax;
  LsHeap    arena;
  LsFrame   *frame;          /* NULL at the top */
  LsValue   *globals;        /* by name number */
  guint64    steps;
  guint      stack;
  guint32    pos;            /* of the call being made, for messages */
  guint      statement;      /* index in the trace */
  guint64    realize_ns;     /* time spent in the session, which is not the program's */
  GPtrArray *methods;        /* LsBuiltin by name number, for tensors */
  GError    *error;
  guint32    error_pos;
} LsEvaluator;

typedef struct { guint n; const LsValue *values; guint n_keywords; const guint32 *names; const LsValue *keyword_values; } LsArguments;

/* Always FALSE. hint may be NULL. */
gboolean ls_ev_fail   (LsEvaluator *ev, guint32 pos, LsError code, const char *hint, const char *format, ...) G_GNUC_PRINTF (5, 6);
/* A failure at the call being made. */
#define ls_ev_fail_here(ev, ...) ls_ev_fail (ev, (ev)->pos, LS_ERROR_PROGRAM, NULL, __VA_ARGS__)
/* n more steps. */
gboolean ls_ev_charge (LsEvaluator *ev, guint32 pos, guint64 n);
gboolean ls_ev_eval   (LsEvaluator *ev, LsAst *node, LsValue *out);
gboolean ls_ev_call   (LsEvaluator *ev, guint32 pos, LsValue function, const LsArguments *args, LsValue *out);
/* A tensor value of node; FALSE with the Tensor API's error when node is NULL. */
gboolean ls_ev_tensor (LsEvaluator *ev, LsUOp *node, LsValue *out);
gboolean ls_ev_truth  (LsEvaluator *ev, guint32 pos, LsValue v, gboolean *out);
gboolean ls_ev_index_value (LsEvaluator *ev, LsValue object, LsValue index, LsValue *out);
gboolean ls_ev_attribute   (LsEvaluator *ev, LsValue object, guint32 name, guint32 pos, LsValue *out);
gboolean ls_ev_binary (LsEvaluator *ev, LsOperator op, LsValue a, LsValue b, LsValue *out);
gboolean ls_ev_unary  (LsEvaluator *ev, LsOperator op, LsValue a, LsValue *out);
gboolean ls_ev_compare (LsEvaluator *ev, LsOperator op, LsValue a, LsValue b, LsValue *out);
/* Walks what a for goes over: begin, then next until it gives FALSE. Fails (begin FALSE) for what is no sequence. */
typedef struct { LsValue over; gint64 i, n; } LsWalk;
gboolean ls_ev_walk   (LsEvaluator *ev, LsValue v, LsWalk *walk);
gboolean ls_ev_walk_item (LsEvaluator *ev, LsWalk *walk, LsValue *out);
/* The items of any sequence as a fresh list. */
gboolean ls_ev_items  (LsEvaluator *ev, LsValue v, LsValueKind kind, LsValue *out);
const char *ls_ev_name (LsEvaluator *ev, guint32 name);

/* Builtin functions, methods of tensors and of lists: a row each. params: "x, axis=None, *rest"; the first of a method is
 * the object. Handlers get one value per parameter, the rest as a tuple. */
typedef LsUOp *(*LsUnaryFunction)  (LsTensors *t, LsUOp *x);
typedef LsUOp *(*LsBinaryFunction) (LsTensors *t, LsOperand a, LsOperand b);
typedef gboolean (*LsHandler)      (LsEvaluator *ev, const LsValue *args, LsValue *out);
typedef enum { LS_BUILTIN_FUNCTION, LS_BUILTIN_METHOD, LS_BUILTIN_STATIC } LsBuiltinKind;
struct _LsBuiltin {
  const char      *name, *params;
  LsBuiltinKind    kind;
  LsHandler        handler;      /* NULL with unary and binary NULL: known, not supported yet */
  LsUnaryFunction  unary;        /* (self) */
  LsBinaryFunction binary;       /* (self, x, reverse=False) */
};
gboolean ls_builtin_call (LsEvaluator *ev, const LsBuiltin *builtin, const LsValue *self, const LsArguments *args, LsValue *out);

extern const LsBuiltin ls_builtin_functions[], ls_list_methods[], ls_str_methods[], ls_array_methods[], ls_math_functions[];      /* end with a NULL name */
extern const LsBuiltin *const ls_tensor_method_tables[];      /* ends with NULL */
/* Attributes of tensors that are no methods. */
gboolean ls_tensor_attribute (LsEvaluator *ev, LsTensor *tensor, const char *name, LsValue *out, gboolean *found);
const LsBuiltin *ls_builtin_find (const LsBuiltin *table, const char *name);

/* Tensor(...): data, dtype. */
gboolean ls_tensor_construct (LsEvaluator *ev, const LsArguments *args, LsValue *out);
/* Computes the tensor and reads it back: nested lists of its elements. Records an output. */
gboolean ls_tensor_read      (LsEvaluator *ev, LsTensor *tensor, LsValue *out);
gboolean ls_tensor_realize_many (LsEvaluator *ev, guint n, const LsValue *tensors);

/* Arguments as the Tensor API wants them; what names the parameter in messages. */
gboolean ls_take_operand (LsEvaluator *ev, LsValue v, LsOperand *out);
gboolean ls_take_node    (LsEvaluator *ev, LsValue v, LsUOp **out);
gboolean ls_take_integer (LsEvaluator *ev, LsValue v, const char *what, gint64 *out);
gboolean ls_take_number  (LsEvaluator *ev, LsValue v, const char *what, double *out);
gboolean ls_take_dtype   (LsEvaluator *ev, LsValue v, LsDType *out);      /* None: 0 */
gboolean ls_take_axes    (LsEvaluator *ev, LsValue v, LsAxes *out);       /* None: all */
/* (2, 3), ((2, 3),) or [2, 3]; None is -1. */
gboolean ls_take_ints    (LsEvaluator *ev, LsValue v, const char *what, guint *n, gint64 ints[LS_MAX_DIMS]);

G_END_DECLS
