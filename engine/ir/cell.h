/* Kinds of values that rows are made of, once for all rows: the fields of answers (answer/answer.h) and the columns of a recording
 * (trace/store-private.h); and how a struct holds an integer. */
#pragma once
#include <glib.h>

typedef enum {
  LS_CELL_INT,        /* any integer of C; counts, numbers of rows; LS_NOTHING is null */
  LS_CELL_NUMBER,     /* double; in JSON "nan", "inf" and "-inf" are strings; in a recording NaN is NULL */
  LS_CELL_BOOL,       /* gboolean */
  LS_CELL_TEXT,       /* const char *, which stays until the row is written; NULL is null */
  LS_CELL_OWNED,      /* char *, freed with the row */
  LS_CELL_NAME,       /* an enum, as its name of a list of names */
  LS_CELL_DTYPE,      /* LsDType, as "dtypes.float.vec(4)" */
  LS_CELL_NODE,       /* id of a node, in JSON with its op, dtype and a few words; in a recording LS_NO_NODE is NULL */
  /* of answers */
  LS_CELL_SCALAR,     /* LsValueScalar, exactly: integers from 2^63 on are strings of their digits */
  LS_CELL_RATIO,      /* LsValueRatio, as three keys: NAME, NAME_low, NAME_high */
  LS_CELL_ROW,        /* a row of the record .of, or NULL */
  LS_CELL_LIST,       /* LsList: of rows of .of, or, where .of is NULL, of values of the kind .item */
  LS_CELL_MAP,        /* LsList of rows of .of, whose first field is a name and whose second the value: an object of them */
  LS_CELL_TENSOR,     /* LsValueTensor: lists of lists of scalars, as its shape is; without data null */
  /* of recordings */
  LS_CELL_OP,         /* LsOp, as "ADD"; LS_N_OPS is NULL */
  LS_CELL_ARG,        /* LsArg, as "4", "(0, 1)", "'gidx0'"; none is NULL */
  LS_CELL_TAG,        /* guint16: a tag's number, or its text in quotes, as "'seen'" */
  LS_CELL_REGISTERS,  /* LsArg: the same of nothing but registers' numbers */
  LS_CELL_BLOB,       /* guint8 * with its size in another member */
  LS_CELL_DIMS,       /* gint64 * with its number in another member, as "(2, 3)" */
  LS_CELL_SOURCES,    /* LsUOp: the ids of its sources */
} LsCellKind;

#define LS_NOTHING G_MININT64

/* Whether a member of a struct is a signed integer. Enums are not. */
#define LS_CELL_IS_SIGNED(member) _Generic ((member), gint: TRUE, gint64: TRUE, default: FALSE)

/* The integer of 2, 4 or 8 bytes. Unsigned ones of 8 come as the signed one of the same bits. */
static inline gint64
ls_cell_int (gconstpointer at, guint size, gboolean is_signed)
{
  if (size == 8)
    return *(const gint64 *) at;
  if (size == 2)
    return *(const guint16 *) at;
  return is_signed ? (gint64) *(const gint32 *) at : (gint64) *(const guint32 *) at;
}

static inline void
ls_cell_set_int (gpointer at, guint size, gint64 value)
{
  if (size == 8)
    *(gint64 *) at = value;
  else if (size == 4)
    *(guint32 *) at = (guint32) value;
  else
    *(guint16 *) at = (guint16) value;
}
