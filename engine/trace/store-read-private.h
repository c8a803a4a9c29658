/* The state of reading one recording file. */
#pragma once
#include "store-private.h"

typedef struct {
  sqlite3    *db;
  const char *path;
  LsTrace    *trace;
  gint64      version;      /* schema of the file */
  GError    **error;
} LsReader;

/* Sets the error "PATH: TABLE: row ROW: …"; returns FALSE. */
gboolean ls_reader_fail      (LsReader *r, const char *table, gint64 row, const char *format, ...) G_GNUC_PRINTF (4, 5);
/* Fails with SQLite's own message. */
gboolean ls_reader_fail_sql  (LsReader *r, const char *table);
/* NULL with the error set if the table is missing, is not a table, or does not have these columns. */
sqlite3_stmt *ls_reader_query (LsReader *r, const char *table, const char *columns, const char *order);
/* TRUE with a row; FALSE at the end, or with the error set (*failed). */
gboolean ls_reader_next      (LsReader *r, const char *table, sqlite3_stmt *query, gboolean *failed);
/* Values of the current row, checked; row is for messages. */
gboolean ls_reader_int       (LsReader *r, const char *table, gint64 row, sqlite3_stmt *query, int at, gint64 min, gint64 max, gint64 *out);
/* Valid until the next row; NULL only where nullable. */
gboolean ls_reader_text      (LsReader *r, const char *table, gint64 row, sqlite3_stmt *query, int at, gboolean nullable, const char **out);
gboolean ls_reader_dtype     (const LsReader *r, const char *text, LsDType *out);
gboolean ls_reader_blob      (LsReader *r, const char *table, gint64 row, sqlite3_stmt *query, int at, gboolean nullable,
                              const guint8 **out, gsize *n);

/* Opens the file as it is, in one state of one that is written meanwhile, and reads its version. Close db also where this is FALSE. */
gboolean ls_reader_open      (LsReader *r);
/* Whether a table is in the file: one that came later may be missing. */
gboolean ls_reader_has_table (LsReader *r, const char *name);

gboolean ls_reader_nodes     (LsReader *r);
gboolean ls_reader_links     (LsReader *r);
/* Conditions between columns and tables. */
gboolean ls_reader_check     (LsReader *r);
