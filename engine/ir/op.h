/* The ops table: names, classes and properties of every op, all made from ops.def. */
#pragma once
#include <glib.h>

typedef enum {
  LS_CLASS_META, LS_CLASS_BUFFER, LS_CLASS_CONST, LS_CLASS_MOVEMENT, LS_CLASS_REDUCE, LS_CLASS_DEFINE,
  LS_CLASS_RANGE, LS_CLASS_CONTROL, LS_CLASS_MEMORY, LS_CLASS_VECTOR, LS_CLASS_UNARY, LS_CLASS_BINARY,
  LS_CLASS_TERNARY,
} LsOpClass;

/* The form of an op's argument. */
typedef enum { LS_FORM_NONE, LS_FORM_INT, LS_FORM_INTS, LS_FORM_SCALAR, LS_FORM_STR, LS_FORM_OP_INTS, LS_FORM_TRACKER,
               LS_FORM_VAR } LsArgForm;

typedef enum {
#define X(name, ...) LS_OP_##name,
#include "ops.def"
#undef X
  LS_N_OPS
} LsOp;

typedef struct {
  const char *name;      /* "ADD" */
  LsOpClass   op_class;
  int         arity;     /* -1: varies */
  LsArgForm   form;      /* what its argument is */
  const char *symbol;    /* "+" */
  const char *classic;   /* "BinaryOps.ADD" */
  const char *sentence;
} LsOpInfo;

extern const LsOpInfo ls_op_infos[LS_N_OPS];

static inline const LsOpInfo *ls_op_info (LsOp op) { return &ls_op_infos[op]; }
static inline const char     *ls_op_name (LsOp op) { return ls_op_infos[op].name; }

/* The op of that name, or LS_N_OPS. */
LsOp        ls_op_from_name   (const char *name);

static inline gboolean ls_op_is_alu         (LsOp op) { return op >= LS_OP_NEG; }
static inline gboolean ls_op_is_movement    (LsOp op) { return op >= LS_OP_RESHAPE && op <= LS_OP_FLIP; }
/* A part of its source that a variable says: its second source. */
static inline gboolean ls_op_is_slice       (LsOp op) { return op == LS_OP_LIMIT || op == LS_OP_AT; }
static inline gboolean ls_op_is_comparison  (LsOp op) { return op >= LS_OP_CMPLT && op <= LS_OP_CMPNE; }
static inline gboolean
ls_op_is_commutative (LsOp op)
{
  switch ((int) op) {
  case LS_OP_ADD: case LS_OP_MUL: case LS_OP_MAX: case LS_OP_CMPEQ: case LS_OP_CMPNE:
  case LS_OP_AND: case LS_OP_OR: case LS_OP_XOR: return TRUE;
  default: return FALSE;
  }
}
