/* Rows on their way into a recording's file.
 *
 * A flush writes a table in one statement, INSERT … SELECT from a virtual table whose rows are these structs: a row costs 0.7 us this
 * way, and 1.7 us if values are bound to a statement for each row. The virtual table belongs to the writer's connection only, and it
 * shows the rows of the table that is being written.
 */
#include "store-rows.h"

#include "ir/print.h"

typedef struct { guint owner, number; gconstpointer row; } Row;

#define N_VIEWS 64

struct _LsStoreRows {
  GArray        *rows;        /* Row */
  const LsTable *table;       /* whose they are */
  GHashTable    *dtypes;      /* LsDType -> text */
  LsSeal        *seal;        /* of the table */
  GArray        *digests;     /* LsRowDigest of its rows as they were written last, or NULL */
  guint          n_known;     /* of the digests: of rows that an earlier flush wrote */
  LsRowDigest    digest;      /* of the row that is being read */
  LsDType        last_dtype;  /* with its name: most rows have the dtype of the row before */
  const char    *last_dtype_name;
  struct { gconstpointer tracker; char *text; } views[N_VIEWS];      /* printed last, by address */
};

typedef struct { sqlite3_vtab base; LsStoreRows *rows; } Source;
typedef struct { sqlite3_vtab_cursor base; LsStoreRows *rows; guint at; } Cursor;

/* --- values, each of which goes into the row's digest --- */

static void
give_null (LsStoreRows *rows, sqlite3_context *to)
{
  ls_row_digest_null (&rows->digest);
  sqlite3_result_null (to);
}

static void
give_int (LsStoreRows *rows, sqlite3_context *to, gint64 value)
{
  ls_row_digest_int (&rows->digest, value);
  sqlite3_result_int64 (to, value);
}

static void
give_double (LsStoreRows *rows, sqlite3_context *to, double value)
{
  ls_row_digest_double (&rows->digest, value);
  sqlite3_result_double (to, value);
}

static void
give_bytes (LsStoreRows *rows, sqlite3_context *to, const char *text, gsize n, sqlite3_destructor_type free)
{
  ls_row_digest_text (&rows->digest, text, n);
  sqlite3_result_text (to, text, (int) n, free);
}

/* A name of a table of this program: UTF-8, and it stays. */
static void
give_name (LsStoreRows *rows, sqlite3_context *to, const char *name)
{
  if (name)
    give_bytes (rows, to, name, strlen (name), SQLITE_STATIC);
  else
    give_null (rows, to);
}

/* Most texts are ASCII, which needs no look at each byte by itself. */
static gboolean
is_utf8 (const char *text, gsize n)
{
  guint64 word, any = 0;
  gsize i = 0;
  for (; i + sizeof word <= n; i += sizeof word) {
    memcpy (&word, text + i, sizeof word);
    any |= word;
  }
  for (; i < n; i++)
    any |= (guint8) text[i];
  return (any & G_GUINT64_CONSTANT (0x8080808080808080)) == 0 || g_utf8_validate_len (text, n, NULL);
}

/* Readers refuse text that is not UTF-8; a program may have printed anything. */
static void
give_text (LsStoreRows *rows, sqlite3_context *to, const char *text)
{
  gsize n = text ? strlen (text) : 0;
  if (text == NULL) {
    give_null (rows, to);
  } else if (is_utf8 (text, n)) {
    give_bytes (rows, to, text, n, SQLITE_STATIC);
  } else {
    char *valid = g_utf8_make_valid (text, -1);
    give_bytes (rows, to, valid, strlen (valid), g_free);
  }
}

static void
give_own_text (LsStoreRows *rows, sqlite3_context *to, char *text)
{
  if (text)
    give_bytes (rows, to, text, strlen (text), g_free);
  else
    give_null (rows, to);
}

static void
give_dtype (LsStoreRows *rows, sqlite3_context *to, LsDType dtype)
{
  if (rows->last_dtype_name == NULL || rows->last_dtype != dtype) {
    char *name = g_hash_table_lookup (rows->dtypes, &dtype), buf[64];
    if (name == NULL) {
      name = g_strdup (ls_dtype_text (dtype, buf));
      g_hash_table_insert (rows->dtypes, g_memdup2 (&dtype, sizeof dtype), name);
    }
    rows->last_dtype = dtype;
    rows->last_dtype_name = name + strlen (LS_STORE_DTYPES);
  }
  give_name (rows, to, rows->last_dtype_name);
}

/* Many nodes have the same view, whose text is long. Views are interned in the context, which stays. */
static void
give_view (LsStoreRows *rows, sqlite3_context *to, const LsTracker *tracker)
{
  guint at = (guint) ((gsize) tracker >> 4) % N_VIEWS;
  if (rows->views[at].tracker != tracker) {
    g_free (rows->views[at].text);
    rows->views[at].tracker = tracker;
    rows->views[at].text = ls_arg_print ((LsArg) { .kind = LS_ARG_TRACKER, .tracker = tracker });
  }
  give_bytes (rows, to, rows->views[at].text, strlen (rows->views[at].text), SQLITE_TRANSIENT);
}

static void
give_arg (LsStoreRows *rows, sqlite3_context *to, const LsArg *arg, gboolean nullable)
{
  if (arg->kind == LS_ARG_TRACKER)
    give_view (rows, to, arg->tracker);
  else if (arg->kind == LS_ARG_NONE && !nullable)
    give_name (rows, to, "None");
  else
    give_own_text (rows, to, arg->kind == LS_ARG_NONE ? NULL : ls_arg_print (*arg));
}

static void
give_blob (LsStoreRows *rows, sqlite3_context *to, gconstpointer data, gsize n, sqlite3_destructor_type free)
{
  if (data == NULL || n > G_MAXINT32) {
    give_null (rows, to);
    return;
  }
  ls_row_digest_blob (&rows->digest, data, n);
  sqlite3_result_blob (to, data, (int) n, free);
}

static void
give_node_or_null (LsStoreRows *rows, sqlite3_context *to, guint32 value)
{
  if (value == G_MAXUINT32)      /* LS_NO_NODE also means that it is not a node */
    give_null (rows, to);
  else
    give_int (rows, to, value);
}

static void
give_sources (LsStoreRows *rows, sqlite3_context *to, const LsUOp *u)
{
  guint32 few[16];
  gboolean is_few = u->n_src <= G_N_ELEMENTS (few);
  guint32 *ids = is_few ? few : g_new (guint32, u->n_src);
  for (guint k = 0; k < u->n_src; k++)
    ids[k] = GUINT32_TO_LE (u->src[k]->id);
  give_blob (rows, to, u->n_src ? ids : NULL, u->n_src * sizeof *ids, is_few ? SQLITE_TRANSIENT : g_free);
}

static void
give_column (LsStoreRows *rows, sqlite3_context *to, const LsColumn *c, gconstpointer row)
{
  gconstpointer value = ls_column_at (c, row);
  gconstpointer size = (const guint8 *) row + c->size_offset;
  switch (c->kind) {
  case LS_CELL_TEXT:
  case LS_CELL_OWNED: {
    gboolean shared = c->flags & LS_COLUMN_TEXT_OF_CODE && ((const LsKernel *) row)->same_as > 0;
    const char *text = shared ? NULL : *(const char *const *) value;
    give_text (rows, to, text || (c->flags & LS_COLUMN_NULLABLE) ? text : "");
    break;
  }
  case LS_CELL_INT:
  case LS_CELL_NODE:
    if (ls_column_is_maybe (c))
      give_node_or_null (rows, to, *(const guint32 *) value);
    else
      give_int (rows, to, ls_column_int (c, row));
    break;
  case LS_CELL_NUMBER:   give_double (rows, to, *(const double *) value); break;
  case LS_CELL_BOOL:   give_int (rows, to, *(const gboolean *) value != 0); break;
  case LS_CELL_DTYPE:  give_dtype (rows, to, *(const LsDType *) value); break;
  case LS_CELL_NAME: give_name (rows, to, c->flags & LS_COLUMN_NULLABLE && *(const guint *) value == 0
                                    ? NULL : c->choices[*(const guint *) value]); break;
  case LS_CELL_OP: {
    gint64 op = ls_column_int (c, row);
    give_name (rows, to, op < LS_N_OPS ? ls_op_name ((LsOp) op) : NULL);
    break;
  }
  case LS_CELL_ARG:       give_arg (rows, to, value, c->flags & LS_COLUMN_NULLABLE); break;
  case LS_CELL_TAG:
    if (ls_tag_text (*(const guint16 *) value))
      give_own_text (rows, to, ls_tag_print (*(const guint16 *) value));
    else
      give_int (rows, to, *(const guint16 *) value);
    break;
  case LS_CELL_REGISTERS: give_arg (rows, to, value, TRUE); break;
  case LS_CELL_BLOB:   give_blob (rows, to, *(const guint8 *const *) value, *(const gsize *) size, SQLITE_STATIC); break;
  case LS_CELL_DIMS:    give_own_text (rows, to, ls_shape_to_string ((LsShape) { *(const guint *) size,
                                                                                   *(const gint64 *const *) value })); break;
  case LS_CELL_SOURCES: give_sources (rows, to, row); break;
  default: g_assert_not_reached ();      /* kinds of answers */
  }
}

/* --- the virtual table --- */

static guint
n_columns (const LsTable *t)
{
  return t->n_columns + 1 + (ls_table_owner_key (t) != NULL);
}

#define MOST_COLUMNS 24

static int
connect_source (sqlite3 *db, void *rows, int argc, const char *const *argv, sqlite3_vtab **out, char **message)
{
  g_autoptr (GString) sql = g_string_new ("CREATE TABLE rows (c0");
  for (guint k = 1; k < MOST_COLUMNS; k++)
    g_string_append_printf (sql, ", c%u", k);
  g_string_append_c (sql, ')');
  Source *source = sqlite3_malloc (sizeof *source);
  if (source == NULL)
    return SQLITE_NOMEM;
  *source = (Source) { .rows = rows };
  *out = &source->base;
  return sqlite3_declare_vtab (db, sql->str);
}

static int
disconnect_source (sqlite3_vtab *source)
{
  sqlite3_free (source);
  return SQLITE_OK;
}

static int
choose_index (sqlite3_vtab *source, sqlite3_index_info *info)
{
  return SQLITE_OK;
}

static int
open_cursor (sqlite3_vtab *source, sqlite3_vtab_cursor **out)
{
  Cursor *cursor = sqlite3_malloc (sizeof *cursor);
  if (cursor == NULL)
    return SQLITE_NOMEM;
  *cursor = (Cursor) { .rows = ((Source *) source)->rows };
  *out = &cursor->base;
  return SQLITE_OK;
}

static int
close_cursor (sqlite3_vtab_cursor *cursor)
{
  sqlite3_free (cursor);
  return SQLITE_OK;
}

/* Keys come first. They are in the digest whether or not the statement asks for them. */
static void
begin_digest (LsStoreRows *rows, guint at)
{
  rows->digest = 0;
  if (at >= rows->rows->len)
    return;
  const Row *row = &g_array_index (rows->rows, Row, at);
  if (ls_table_owner_key (rows->table))
    ls_row_digest_int (&rows->digest, row->owner);
  ls_row_digest_int (&rows->digest, (gint64) rows->table->key_base + row->number);
}

static int
begin_rows (sqlite3_vtab_cursor *cursor, int index, const char *name, int argc, sqlite3_value **argv)
{
  ((Cursor *) cursor)->at = 0;
  begin_digest (((Cursor *) cursor)->rows, 0);
  return SQLITE_OK;
}

/* The row was read, column by column, and goes into the seal; it replaces its earlier version. */
static int
next_row (sqlite3_vtab_cursor *cursor)
{
  LsStoreRows *rows = ((Cursor *) cursor)->rows;
  const Row *row = &g_array_index (rows->rows, Row, ((Cursor *) cursor)->at++);
  guint64 place = ls_seal_place (row->owner, (gint64) rows->table->key_base + row->number);
  if (rows->digests) {
    LsRowDigest *digest = &g_array_index (rows->digests, LsRowDigest, row->number);
    if (row->number < rows->n_known)
      ls_seal_remove (rows->seal, place, *digest);
    *digest = rows->digest;
  }
  ls_seal_add (rows->seal, place, rows->digest);
  begin_digest (rows, ((Cursor *) cursor)->at);
  return SQLITE_OK;
}

static int
is_at_end (sqlite3_vtab_cursor *cursor)
{
  return ((Cursor *) cursor)->at >= ((Cursor *) cursor)->rows->rows->len;
}

static int
column_of_row (sqlite3_vtab_cursor *cursor, sqlite3_context *to, int at)
{
  LsStoreRows *rows = ((Cursor *) cursor)->rows;
  const Row *row = &g_array_index (rows->rows, Row, ((Cursor *) cursor)->at);
  const LsTable *t = rows->table;
  if (!ls_table_owner_key (t))
    at++;
  if (at == 0)
    sqlite3_result_int64 (to, row->owner);
  else if (at == 1)
    sqlite3_result_int64 (to, (gint64) t->key_base + row->number);
  else
    give_column (rows, to, &t->columns[at - 2], row->row);
  return SQLITE_OK;
}

static int
number_of_row (sqlite3_vtab_cursor *cursor, sqlite3_int64 *out)
{
  *out = ((Cursor *) cursor)->at;
  return SQLITE_OK;
}

static const sqlite3_module module = {
  .xConnect = connect_source, .xDisconnect = disconnect_source, .xBestIndex = choose_index, .xOpen = open_cursor, .xClose = close_cursor,
              .xFilter = begin_rows,
  .xNext = next_row, .xEof = is_at_end, .xColumn = column_of_row, .xRowid = number_of_row,
};

/* --- in and out --- */

LsStoreRows *
ls_store_rows_new (void)
{
  LsStoreRows *rows = g_new0 (LsStoreRows, 1);
  rows->rows = g_array_new (FALSE, FALSE, sizeof (Row));
  rows->dtypes = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  return rows;
}

void
ls_store_rows_free (LsStoreRows *rows)
{
  g_array_unref (rows->rows);
  g_hash_table_unref (rows->dtypes);
  for (guint i = 0; i < N_VIEWS; i++)
    g_free (rows->views[i].text);
  g_free (rows);
}

int
ls_store_rows_connect (LsStoreRows *rows, sqlite3 *db)
{
  return sqlite3_create_module (db, "lazyscope_rows", &module, rows);
}

sqlite3_stmt *
ls_store_rows_prepare (sqlite3 *db, const LsTable *table, gboolean following)
{
  sqlite3_stmt *statement = NULL;
  g_autofree char *columns = ls_store_column_list (table, LS_STORE_VERSION);
  g_autoptr (GString) sql = g_string_new (NULL);
  guint first = following ? 1 : 0;      /* the key is the first column */
  const char *names = following ? strchr (columns, ',') + 1 : columns;
  const char *conflict = following || ls_table_owner_key (table) ? "" : "OR REPLACE ";
  g_string_printf (sql, "INSERT %sINTO main.%s (%s) SELECT c%u", conflict, table->name, names, first);
  g_assert (n_columns (table) <= MOST_COLUMNS && !(following && ls_table_owner_key (table)));
  for (guint k = first + 1; k < n_columns (table); k++)
    g_string_append_printf (sql, ", c%u", k);
  g_string_append (sql, " FROM lazyscope_rows");
  return sqlite3_prepare_v3 (db, sql->str, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) == SQLITE_OK ? statement : NULL;
}

void
ls_store_rows_begin (LsStoreRows *rows, const LsTable *table, LsSeal *seal, GArray *digests)
{
  rows->table = table;
  rows->seal = seal;
  rows->digests = digests;
  rows->n_known = digests ? digests->len : 0;
  g_array_set_size (rows->rows, 0);
}

void
ls_store_rows_add (LsStoreRows *rows, guint owner, guint number, gconstpointer row)
{
  const Row new = { owner, number, row };
  g_array_append_val (rows->rows, new);
  if (rows->digests && number >= rows->digests->len)
    g_array_set_size (rows->digests, number + 1);
}

guint
ls_store_rows_count (const LsStoreRows *rows)
{
  return rows->rows->len;
}

gint64
ls_store_rows_last_key (const LsStoreRows *rows)
{
  return (gint64) rows->table->key_base + g_array_index (rows->rows, Row, rows->rows->len - 1).number;
}
