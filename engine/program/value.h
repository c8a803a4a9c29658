/* Values of the program language: 16 bytes each, with what is larger in an arena that lives as long as the run. */
#pragma once
#include <glib.h>
#include "tensor/tensor.h"

G_BEGIN_DECLS

/* Memory given out in order and freed all at once. */
typedef struct { GPtrArray *blocks; char *free; gsize left; } LsHeap;
void  ls_heap_init  (LsHeap *arena);
void  ls_heap_clear (LsHeap *arena);
/* Zeroed, aligned for any type. */
void *ls_heap_alloc (LsHeap *arena, gsize size);
#define ls_heap_new(arena, type)      ((type *) ls_heap_alloc (arena, sizeof (type)))
#define ls_heap_array(arena, type, n) ((type *) ls_heap_alloc (arena, sizeof (type) * (gsize) (n)))

typedef enum {
  LS_VALUE_UNSET,      /* a name that has no value yet */
  LS_VALUE_NONE, LS_VALUE_BOOL, LS_VALUE_INT,
  LS_VALUE_UINT,       /* integers from 2^63 up to 2^64 - 1 */
  LS_VALUE_FLOAT, LS_VALUE_STR, LS_VALUE_LIST, LS_VALUE_TUPLE, LS_VALUE_RANGE, LS_VALUE_SLICE, LS_VALUE_ELLIPSIS,
  LS_VALUE_TENSOR, LS_VALUE_ARRAY, LS_VALUE_DTYPE, LS_VALUE_FUNCTION, LS_VALUE_BUILTIN, LS_VALUE_METHOD, LS_VALUE_MODULE,
} LsValueKind;

typedef enum { LS_MODULE_TINYGRAD, LS_MODULE_TENSOR, LS_MODULE_DTYPES, LS_MODULE_MATH, LS_N_MODULES } LsModule;

typedef struct _LsStr      LsStr;
typedef struct _LsList     LsList;
typedef struct _LsRangeVal LsRangeVal;
typedef struct _LsSliceVal LsSliceVal;
typedef struct _LsTensor   LsTensor;
typedef struct _LsArray    LsArray;
typedef struct _LsFunction LsFunction;
typedef struct _LsMethodVal LsMethodVal;
typedef struct _LsBuiltin  LsBuiltin;

typedef struct {
  guint32 kind;
  guint32 module;            /* LS_VALUE_MODULE */
  union {
    gint64           i;      /* BOOL, INT */
    guint64          u;      /* UINT */
    double           f;
    LsDType          dtype;
    LsStr           *str;
    LsList          *list;   /* LIST, TUPLE */
    LsRangeVal      *range;
    LsSliceVal      *slice;
    LsTensor        *tensor;
    LsArray         *array;
    LsFunction      *function;
    LsMethodVal     *method;
    const LsBuiltin *builtin;
  };
} LsValue;

struct _LsStr      { gsize n; char text[]; };                 /* ends with a NUL that n does not count */
struct _LsList     { guint n, capacity; LsValue *items; };
struct _LsRangeVal { gint64 start, stop, step, n; };
struct _LsSliceVal { LsValue start, stop, step; };
struct _LsTensor   { LsUOp *node; };                          /* a box, so that a tensor keeps its identity */
struct _LsArray    { LsDType dtype; guint n_dims; const gint64 *dims; LsValue list; };   /* what numpy() gives */
struct _LsMethodVal { LsValue self; const LsBuiltin *builtin; };

static inline LsValue ls_value_none  (void)        { return (LsValue) { .kind = LS_VALUE_NONE }; }
static inline LsValue ls_value_bool  (gboolean b)  { return (LsValue) { .kind = LS_VALUE_BOOL, .i = b ? 1 : 0 }; }
static inline LsValue ls_value_int   (gint64 i)    { return (LsValue) { .kind = LS_VALUE_INT, .i = i }; }
static inline LsValue ls_value_float (double f)    { return (LsValue) { .kind = LS_VALUE_FLOAT, .f = f }; }
static inline LsValue ls_value_dtype (LsDType d)   { return (LsValue) { .kind = LS_VALUE_DTYPE, .dtype = d }; }
static inline LsValue ls_value_uint  (guint64 u)   { return u <= G_MAXINT64 ? ls_value_int ((gint64) u) : (LsValue) { .kind = LS_VALUE_UINT, .u = u }; }
static inline gboolean ls_value_is_sequence (LsValue v) { return v.kind == LS_VALUE_LIST || v.kind == LS_VALUE_TUPLE; }
static inline gboolean ls_value_is_integer  (LsValue v) { return v.kind == LS_VALUE_INT || v.kind == LS_VALUE_BOOL || v.kind == LS_VALUE_UINT; }
static inline gboolean ls_value_is_number   (LsValue v) { return v.kind == LS_VALUE_FLOAT || ls_value_is_integer (v); }

LsValue ls_value_str_n  (LsHeap *arena, const char *text, gsize n);
LsValue ls_value_str    (LsHeap *arena, const char *text);
/* A list or tuple of n items, copied; items NULL: unset. */
LsValue ls_value_list   (LsHeap *arena, LsValueKind kind, guint n, const LsValue *items);
void    ls_list_append  (LsHeap *arena, LsList *list, LsValue item);
LsValue ls_value_shape  (LsHeap *arena, LsShape shape);
/* As a double; NaN for what is no number. */
double  ls_value_number (LsValue v);
#define LS_MAX_TEXT (256 * 1024 * 1024)      /* printing stops beyond it */
/* "int", "Tensor", …, as Python's type(v).__name__. */
const char *ls_value_type_name (LsValue v);
/* What print shows (str), and how an item in a list is shown (repr). ctx is for the shapes of tensors. */
void    ls_value_append_str  (GString *out, LsContext *ctx, LsValue v);
void    ls_value_append_repr (GString *out, LsContext *ctx, LsValue v);
/* Python's repr of a float: the shortest text that reads back as it. */
void    ls_append_float (GString *out, double f);
/* Python's format(v, spec). FALSE with a message in *error_message when the spec does not fit. */
gboolean ls_value_append_format (GString *out, LsContext *ctx, LsValue v, const char *spec, const char **error_message);
/* As numpy prints an array. */
void    ls_array_append (GString *out, const LsArray *array);
/* Python's ==; tensors are equal when they are the same object. */
gboolean ls_value_equal (LsValue a, LsValue b);

G_END_DECLS
