/* The tables of a recording file, described once: writing, reading and comparing walk these descriptions.
 *
 * A column says where its value lies in the row's C struct. Tables that are not plain rows of structs (meta, settings, nodes, links,
 * steps) have their own reading code, and all except nodes and steps their own writing code.
 */
#pragma once
#include <sqlite3.h>

#include "ir/cell.h"
#include "trace.h"

#define LS_STORE_APPLICATION_ID 0x4c53434f      /* "LSCO" */
#define LS_STORE_VERSION        14
#define LS_STORE_MAX_DATA       (64 * 1024)     /* contents of larger buffers may be left to digest and statistics */
#define LS_STORE_LINKS_A_CHUNK  65536

/* How verify checks a column. Every column has a class: the macros of store-schema.c ask for it. */
typedef enum {
  LS_CLASS_DERIVED = 1,  /* made again from the rest of the recording by this program, and compared */
  LS_CLASS_DOUBLED,      /* stands elsewhere in the recording, or agrees with other columns, and is compared with them */
  LS_CLASS_WITNESS,      /* measured, or said by the program: sealed, but nothing can prove it */
} LsColumnClass;

/* The table that an integer must refer to. */
typedef enum {
  LS_REF_NONE,
  LS_REF_FILE,          /* -1 where the column is signed: none */
  LS_REF_RULE, LS_REF_STATEMENT, LS_REF_CALL, LS_REF_BUFFER, LS_REF_PASS,
  LS_REF_KERNEL,        /* 0 (none), or a kernel's number */
  LS_REF_EARLIER,       /* an earlier row of the same table, or -1; 0 in tables that count from 1 */
} LsReference;

#define LS_COLUMN_TIME     1      /* aside in comparisons */
#define LS_COLUMN_NULLABLE 2
#define LS_STORE_DTYPES    "dtypes."      /* what dtypes begin with in files before schema 8 */
#define LS_COLUMN_TEXT_OF_CODE 4  /* of a kernel with the code of an earlier one it is that one's, and not written */
#define LS_COLUMN_SINCE(version) ((version) << 8)      /* the first schema that has it, where that is not 1 */

typedef struct {
  const char        *name;
  LsCellKind         kind;
  LsColumnClass      class;
  guint              offset;         /* of the member */
  guint8             size;
  guint8             is_signed;
  guint              size_offset;    /* BLOB, DIMS: of the member that says how many */
  LsReference        reference;
  guint              flags;
  const char *const *choices;      /* by value; ends with NULL */
} LsColumn;

typedef enum { LS_OWNER_TRACE, LS_OWNER_KERNEL, LS_OWNER_PASS } LsOwner;

typedef struct {
  const char     *name;
  LsOwner         owner;          /* whose container it is; rows of kernels and passes have their number as first key */
  gboolean        by_pointer;     /* container is a GPtrArray of structs, else a GArray of them */
  guint           container;      /* offset of the container in its owner */
  guint           row_size;
  const char     *key;            /* column of the row's number; kept in the struct where key_offset is not LS_NO_KEY */
  guint           key_base;       /* number of the first row */
  guint           key_offset;
  const LsColumn *columns;
  guint           n_columns;
  gboolean        optional;       /* came later: a recording without it has no such rows */
  gboolean        of_code;        /* a kernel with the code of an earlier one has that one's rows, and none of its own */
} LsTable;

#define LS_NO_KEY G_MAXUINT

enum {
  LS_TABLE_RULES, LS_TABLE_FILES, LS_TABLE_STATEMENTS, LS_TABLE_CALLS, LS_TABLE_NODE_CALLS, LS_TABLE_KERNELS, LS_TABLE_BUFFERS,
      LS_TABLE_BINDINGS, LS_TABLE_PASSES,
  LS_TABLE_DECISIONS, LS_TABLE_OUTPUTS, LS_TABLE_STAGE_TIMES, LS_TABLE_LISTINGS, LS_TABLE_PROCEDURES, LS_TABLE_SOURCE_LINKS,
  LS_TABLE_EXPRESSIONS, LS_TABLE_CODE_LINES, LS_TABLE_TIMINGS, LS_TABLE_ARGUMENTS, LS_TABLE_KERNEL_OPTIONS, LS_TABLE_SEARCHES,
  LS_TABLE_CANDIDATES, LS_TABLE_RULE_STATS,
  LS_TABLE_MAPS, LS_TABLE_PASS_ROWS, LS_N_TABLES
};
extern const LsTable ls_store_tables[LS_N_TABLES];
extern const LsTable ls_store_nodes, ls_store_steps;      /* as they are written: rows are LsUOp and LsLink */
extern const LsTable ls_store_links, ls_store_settings;   /* written and read by hand */
extern const LsTable ls_store_meta;                       /* its columns are keys, a row each; its rows are LsTrace */

/* Statements that make the tables that are not described by LsTable, and the views. */
extern const char ls_store_special_sql[];

/* The names of the columns that a file of that version has, in order: "a, b, c". */
char *ls_store_column_list (const LsTable *table, gint64 version);

static inline gboolean
ls_column_is_in (const LsColumn *c, gint64 version)
{
  return version >= (gint64) (c->flags >> 8);
}

static inline const char *ls_table_owner_key (const LsTable *t) { return t->owner == LS_OWNER_KERNEL ? "kernel" : t->owner == LS_OWNER_PASS
                                                                  ? "pass" : NULL; }
static inline gpointer    ls_column_at       (const LsColumn *c, gconstpointer row) { return (guint8 *) row + c->offset; }
static inline gint64      ls_column_int      (const LsColumn *c, gconstpointer row) { return ls_cell_int (ls_column_at (c, row), c->size,
                                                                                                          c->is_signed); }
/* An integer that need not be there: G_MAXUINT32, which is LS_NO_NODE, is NULL in the file. */
static inline gboolean    ls_column_is_maybe (const LsColumn *c) { return c->kind == LS_CELL_NODE || (c->kind == LS_CELL_INT &&
                                                                          c->size == 4 && !c->is_signed && c->flags & LS_COLUMN_NULLABLE); }
static inline guint
ls_table_n_rows (const LsTable *t, gconstpointer owner)
{
  gpointer container = G_STRUCT_MEMBER (gpointer, owner, t->container);
  return t->by_pointer ? ((GPtrArray *) container)->len : ((GArray *) container)->len;
}
static inline gpointer
ls_table_row (const LsTable *t, gconstpointer owner, guint n)
{
  gpointer container = G_STRUCT_MEMBER (gpointer, owner, t->container);
  return t->by_pointer ? ((GPtrArray *) container)->pdata[n] : ((GArray *) container)->data + (gsize) n * t->row_size;
}
