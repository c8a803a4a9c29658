/* Data types: one 64-bit value, compared with ==.
 *
 * Bits 0–7 the scalar base, 8–19 the number of lanes, 20–22 the address space of a pointer (0: no pointer),
 * 24–63 the number of elements behind a pointer. A dtype needs no memory and no interning.
 */
#pragma once
#include <glib.h>

/*   NAME      name in listings, C name, bits, priority in promotion, kind */
#define LS_DTYPE_TABLE(X) \
  X(VOID,     "void",     "void",               0, -1, VOID)  \
  X(INDEX,    "index",    "long",              64, -1, INDEX) \
  X(BOOL,     "bool",     "_Bool",              8,  0, BOOL)  \
  X(WEAKINT,  "weakint",  "int",               32,  1, INT)   \
  X(INT8,     "char",     "signed char",        8,  2, INT)   \
  X(UINT8,    "uchar",    "unsigned char",      8,  3, UINT)  \
  X(INT16,    "short",    "short",             16,  4, INT)   \
  X(UINT16,   "ushort",   "unsigned short",    16,  5, UINT)  \
  X(INT32,    "int",      "int",               32,  6, INT)   \
  X(UINT32,   "uint",     "unsigned int",      32,  7, UINT)  \
  X(INT64,    "long",     "long",              64,  8, INT)   \
  X(UINT64,   "ulong",    "unsigned long",     64,  9, UINT)  \
  X(WEAKFLOAT,"weakfloat","float",             32, 10, FLOAT) \
  X(FP8E4M3,  "fp8e4m3",  "unsigned char",      8, 11, FLOAT) \
  X(FP8E5M2,  "fp8e5m2",  "unsigned char",      8, 12, FLOAT) \
  X(HALF,     "half",     "half",              16, 13, FLOAT) \
  X(BFLOAT16, "bfloat16", "__bf16",            16, 14, FLOAT) \
  X(FLOAT,    "float",    "float",             32, 15, FLOAT) \
  X(DOUBLE,   "double",   "double",            64, 16, FLOAT)

typedef enum {
#define X(name, ...) LS_BASE_##name,
  LS_DTYPE_TABLE (X)
#undef X
  LS_N_BASES
} LsBase;

typedef enum { LS_KIND_VOID, LS_KIND_INDEX, LS_KIND_BOOL, LS_KIND_INT, LS_KIND_UINT, LS_KIND_FLOAT } LsKind;
typedef enum { LS_SPACE_NONE, LS_SPACE_GLOBAL, LS_SPACE_LOCAL, LS_SPACE_REG } LsSpace;

typedef guint64 LsDType;

typedef struct {
  const char *name;      /* "int", as in dtypes.int */
  const char *c_name;
  guint       bits;
  int         priority;
  LsKind      kind;
} LsBaseInfo;

extern const LsBaseInfo ls_base_infos[LS_N_BASES];

#define LS_DTYPE(base) ((LsDType) (base) | (LsDType) 1 << 8)
#define LS_VOID     LS_DTYPE (LS_BASE_VOID)
#define LS_INDEX    LS_DTYPE (LS_BASE_INDEX)
#define LS_BOOL     LS_DTYPE (LS_BASE_BOOL)
#define LS_WEAKINT  LS_DTYPE (LS_BASE_WEAKINT)
#define LS_INT8     LS_DTYPE (LS_BASE_INT8)
#define LS_UINT8    LS_DTYPE (LS_BASE_UINT8)
#define LS_INT16    LS_DTYPE (LS_BASE_INT16)
#define LS_UINT16   LS_DTYPE (LS_BASE_UINT16)
#define LS_INT32    LS_DTYPE (LS_BASE_INT32)
#define LS_UINT32   LS_DTYPE (LS_BASE_UINT32)
#define LS_INT64    LS_DTYPE (LS_BASE_INT64)
#define LS_UINT64   LS_DTYPE (LS_BASE_UINT64)
#define LS_WEAKFLOAT LS_DTYPE (LS_BASE_WEAKFLOAT)
#define LS_FP8E4M3  LS_DTYPE (LS_BASE_FP8E4M3)
#define LS_FP8E5M2  LS_DTYPE (LS_BASE_FP8E5M2)
#define LS_HALF     LS_DTYPE (LS_BASE_HALF)
#define LS_BFLOAT16 LS_DTYPE (LS_BASE_BFLOAT16)
#define LS_FLOAT    LS_DTYPE (LS_BASE_FLOAT)
#define LS_DOUBLE   LS_DTYPE (LS_BASE_DOUBLE)

static inline LsBase   ls_dtype_base     (LsDType d) { return (LsBase) (d & 0xff); }
static inline guint    ls_dtype_lanes    (LsDType d) { return (guint) (d >> 8) & 0xfff; }
static inline LsSpace  ls_dtype_space    (LsDType d) { return (LsSpace) ((d >> 20) & 7); }
static inline gboolean ls_dtype_is_ptr   (LsDType d) { return ls_dtype_space (d) != LS_SPACE_NONE; }
static inline guint64  ls_dtype_ptr_size (LsDType d) { return d >> 24; }
static inline LsDType  ls_dtype_scalar   (LsDType d) { return LS_DTYPE (d & 0xff); }
static inline LsDType  ls_dtype_vec      (LsDType d, guint lanes) { return (d & ~((LsDType) 0xfff << 8)) | (LsDType) lanes << 8; }
/* A pointer to size elements of d. */
static inline LsDType  ls_dtype_ptr      (LsDType d, LsSpace space, guint64 size) {
  return (d & 0xfffff) | (LsDType) space << 20 | size << 24; }
/* The dtype behind a pointer. */
static inline LsDType  ls_dtype_deref    (LsDType d) { return d & 0xfffff; }
static inline LsKind   ls_dtype_kind     (LsDType d) { return ls_base_infos[ls_dtype_base (d)].kind; }
static inline guint    ls_dtype_bits     (LsDType d) { return ls_base_infos[ls_dtype_base (d)].bits; }
/* Bytes of one element (one lane) in memory. */
static inline guint    ls_dtype_itemsize (LsDType d) { return ls_dtype_bits (d) / 8; }
static inline const char *ls_dtype_name  (LsDType d) { return ls_base_infos[ls_dtype_base (d)].name; }
static inline gboolean ls_dtype_is_float (LsDType d) { return ls_dtype_kind (d) == LS_KIND_FLOAT; }
static inline gboolean ls_dtype_is_bool  (LsDType d) { return ls_dtype_kind (d) == LS_KIND_BOOL; }
/* Floats of 8 and 16 bits: computed in float, and rounded after each op. */
static inline gboolean ls_dtype_is_small_float (LsDType d) { return ls_dtype_is_float (d) && ls_dtype_bits (d) < 32; }
static inline gboolean ls_dtype_is_fp8   (LsDType d) { return ls_dtype_is_float (d) && ls_dtype_bits (d) == 8; }
/* Integers of the program, index included, bool not. */
static inline gboolean ls_dtype_is_int   (LsDType d) { LsKind k = ls_dtype_kind (d); return k == LS_KIND_INT || k == LS_KIND_UINT ||
                                                       k == LS_KIND_INDEX; }
static inline gboolean ls_dtype_is_unsigned (LsDType d) { return ls_dtype_kind (d) == LS_KIND_UINT; }
static inline gboolean ls_dtype_is_weak  (LsDType d) { return ls_dtype_base (d) == LS_BASE_WEAKINT ||
                                                       ls_dtype_base (d) == LS_BASE_WEAKFLOAT; }

/* The dtype both operands of a binary op are converted to (the promotion lattice; weak types give way). */
LsDType  ls_dtype_promote    (LsDType a, LsDType b);
/* A weak dtype made concrete: weakint is int, weakfloat is float; others unchanged. */
LsDType  ls_dtype_strong     (LsDType d);
/* The scalar dtype of a name: "int", "int32", "float32", "half", "float16", …; LS_VOID when unknown and not "void". */
LsDType  ls_dtype_from_name  (const char *name);
/* Smallest and largest value of an integer dtype; for INDEX the int64 range. */
gint64   ls_dtype_min_i      (LsDType d);
guint64  ls_dtype_max_u      (LsDType d);
/* The bits of a float's significand: up to 2 to the power of it, every integer is a float of the dtype, unless that is larger than its
 * largest number. 0 of other dtypes. */
guint    ls_dtype_digits     (LsDType d);
/* "dtypes.float.vec(4)", "dtypes.int.ptr(3)"; classic "dtypes.float", "ptr.dtypes.int". In buf (64 bytes). */
const char *ls_dtype_text  (LsDType d, char *buf);
const char *ls_dtype_classic (LsDType d, char *buf);
/* Reads the output of ls_dtype_text back; FALSE if it is not a dtype. */
gboolean ls_dtype_parse      (const char *text, LsDType *out);
