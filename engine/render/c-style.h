/* The renderer of C-like languages, and the table that such a target is for each profile. */
#pragma once
#include "render.h"

G_BEGIN_DECLS

typedef struct {
  /* around and in front of the function */
  const char *head;                  /* text before everything, or NULL */
  const char *prelude;               /* what a compiler must read before a text that declares nothing itself, or NULL */
  const char *function;              /* "void ", "kernel void " */
  const char *buffer_space;          /* before a buffer's type: "", "device " */
  const char *input;                 /* before the type of a buffer that is only read: "const ", "" */
  const char *restricted;            /* after a buffer's star: " restrict", "" */
  const char *more_parameters;       /* after the buffers, or NULL */
  gboolean    sized_names;           /* a buffer's name ends with its size: data0_64 */
  gboolean    prototypes;            /* functions that the text uses are declared */
  gboolean    macros;                /* so are INFINITY and NAN */
  gboolean    vector_types;          /* so are types of vectors */
  gboolean    types_by_use;          /* in the order in which values have them; else by name */
  gboolean    aligned_vectors;       /* to their whole size; else to an element */

  const char *thread;                /* a parameter, %s its name: the number of the thread; NULL: the target has none */

  /* work groups; NULL: the target has none */
  const char *item_index;            /* the expression of a work item index, %s its letter: lid.%s; group_index likewise */
  const char *group_index;
  const char *local_space;           /* before memory of a group, or an array of the function's own */
  const char *local_aligned;         /* and between its type and name */
  const char *barrier;               /* statement */

  /* types and constants */
  const char *types[LS_N_BASES];     /* spelled otherwise than in C */
  gboolean    native_half;           /* half and bfloat16 are types; else values are float, and memory holds the bits */
  gboolean    cast_half;             /* their constants are cast: (half)(1.0f) */
  const char *infinity, *nan;        /* what is cast to the dtype; NULL: INFINITY and NAN */
  gboolean    bare_constants;        /* negative ones have no parentheses */
  gboolean    cast_constants;        /* so is what is neither float, int nor bool: digits have no suffix, and a NaN has no bits */
  const char *truth[2];              /* "0", "1" */

  /* expressions */
  gboolean    exact;                 /* they say what ir/eval.h says, for all inputs: guards, casts back to narrow types, NaN through MAX */
  const char *math_prefix;           /* of functions: "__builtin_", or NULL */
  const char *math_suffix;           /* of float functions: "f" */
  const char *variable;              /* %s the type, %s the name of an argument that is an integer; NULL: "const %s %s" */
  const char *bitcast;               /* %s the type, %s the value: "as_type<%s>(%s)"; NULL: through a pointer to a variable */
  const char *cast;                  /* %s the type, %s the value; NULL: by kind of conversion, exactly */
  const char *max;                   /* a macro that repeats its arguments: "max(%s,%s)"; NULL: a choice */
  gboolean    constructors;          /* float4(a,b) and .x instead of (float4){a,b} and [0] */
  gboolean    dereference;           /* *(data0+i) instead of data0[i] */
  gboolean    bracketed;             /* a dereference is bracketed, and so is its index: (*((data0+i))) */
  gboolean    flat_chains;           /* a chain of the same op of floats has no parentheses on the right either */

  /* variables */
  gboolean    hoists;                /* a value has one in front of the loop that it does not depend on */
  gboolean    assigns_choices;       /* every WHERE has one */
  gboolean    counts_statements;     /* stores and ends of loops take a number of those that variables of arithmetic have */
  gboolean    axis_counters;         /* a counter is named by its axis, a reduced one from ridx1000 on; else by order */
} LsDialect;

/* Targets with this renderer have an LsDialect for each profile. */
extern const LsRenderer ls_renderer_c_style;

G_END_DECLS
