/* Reading a recording. The file may come from anywhere: nothing in it is believed.
 *
 * It is opened read-only, with views and triggers off, and every value is checked for its type, every id for its target and every size
 * against the described data before it is used. An error names the table and the row. A recording whose writer was killed within a flush
 * is first taken back to its last flush, which SQLite does when it may write.
 */
#include "replay.h"
#include "store-read-private.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "ir/print.h"

#define MAX_VALUE_BYTES (256 * 1024 * 1024)
#define MAX_DIMS        64

gboolean
ls_reader_fail (LsReader *r, const char *table, gint64 row, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  if (r->error == NULL || *r->error == NULL)
    g_set_error (r->error, LS_ERROR, LS_ERROR_FILE, "%s: %s: row %" G_GINT64_FORMAT ": %s", r->path, table, row, what);
  return FALSE;
}

gboolean
ls_reader_fail_sql (LsReader *r, const char *table)
{
  g_autofree char *reason = g_utf8_make_valid (sqlite3_errmsg (r->db), -1);
  if (r->error == NULL || *r->error == NULL)
    g_set_error (r->error, LS_ERROR, LS_ERROR_FILE, "%s: %s: %s", r->path, table, reason);
  return FALSE;
}

/* A table with stored columns: computed ones could be made to run forever. */
static gboolean
is_plain_table (LsReader *r, const char *table)
{
  sqlite3_stmt *query = NULL;
  g_autofree char *sql = g_strdup_printf ("PRAGMA table_xinfo(%s)", table);
  guint n = 0, n_computed = 0;
  if (sqlite3_prepare_v2 (r->db, sql, -1, &query, NULL) != SQLITE_OK)
    return ls_reader_fail_sql (r, table);
  int result;
  while ((result = sqlite3_step (query)) == SQLITE_ROW) {
    n++;
    n_computed += sqlite3_column_int (query, 6) != 0;
  }
  sqlite3_finalize (query);
  if (result != SQLITE_DONE)
    return ls_reader_fail_sql (r, table);
  if (n == 0 || n_computed) {
    g_set_error (r->error, LS_ERROR, LS_ERROR_FILE, "%s: %s: %s", r->path, table, n ? "has computed columns" : "the table is missing");
    return FALSE;
  }
  return TRUE;
}

sqlite3_stmt *
ls_reader_query (LsReader *r, const char *table, const char *columns, const char *order)
{
  sqlite3_stmt *query = NULL;
  g_autofree char *sql = g_strdup_printf ("SELECT %s FROM main.%s ORDER BY %s", columns, table, order);
  if (!is_plain_table (r, table))
    return NULL;
  if (sqlite3_prepare_v2 (r->db, sql, -1, &query, NULL) != SQLITE_OK)
    ls_reader_fail_sql (r, table);
  return query;
}

gboolean
ls_reader_next (LsReader *r, const char *table, sqlite3_stmt *query, gboolean *failed)
{
  int result = sqlite3_step (query);
  *failed = result != SQLITE_ROW && result != SQLITE_DONE;
  if (*failed)
    ls_reader_fail_sql (r, table);
  return result == SQLITE_ROW;
}

gboolean
ls_reader_int (LsReader *r, const char *table, gint64 row, sqlite3_stmt *query, int at, gint64 min, gint64 max, gint64 *out)
{
  const char *name = sqlite3_column_name (query, at);
  if (sqlite3_column_type (query, at) != SQLITE_INTEGER)
    return ls_reader_fail (r, table, row, "%s is not an integer", name);
  *out = sqlite3_column_int64 (query, at);
  if (*out < min || *out > max)
    return ls_reader_fail (r, table, row, "%s is %" G_GINT64_FORMAT ", not in %" G_GINT64_FORMAT "…%" G_GINT64_FORMAT, name, *out, min,
                           max);
  return TRUE;
}

gboolean
ls_reader_text (LsReader *r, const char *table, gint64 row, sqlite3_stmt *query, int at, gboolean nullable, const char **out)
{
  const char *name = sqlite3_column_name (query, at);
  int type = sqlite3_column_type (query, at);
  *out = NULL;
  if (type == SQLITE_NULL && nullable)
    return TRUE;
  if (type != SQLITE_TEXT)
    return ls_reader_fail (r, table, row, "%s is not text", name);
  *out = (const char *) sqlite3_column_text (query, at);
  if (*out == NULL || !g_utf8_validate (*out, sqlite3_column_bytes (query, at), NULL))      /* NULs are not valid either */
    return ls_reader_fail (r, table, row, "%s is not valid UTF-8", name);
  return TRUE;
}

gboolean
ls_reader_blob (LsReader *r, const char *table, gint64 row, sqlite3_stmt *query, int at, gboolean nullable, const guint8 **out, gsize *n)
{
  int type = sqlite3_column_type (query, at);
  *out = NULL;
  *n = 0;
  if (type == SQLITE_NULL && nullable)
    return TRUE;
  if (type != SQLITE_BLOB)
    return ls_reader_fail (r, table, row, "%s is not a blob", sqlite3_column_name (query, at));
  *out = sqlite3_column_blob (query, at);
  *n = (gsize) sqlite3_column_bytes (query, at);
  if (*n == 0)
    *out = (const guint8 *) "";      /* SQLite gives NULL for no bytes */
  return TRUE;
}

/* The range of integers that a column's reference allows, for a row of that number. */
static void
reference_range (LsReader *r, const LsTable *t, const LsColumn *c, gint64 row, gint64 *min, gint64 *max)
{
  const LsTrace *trace = r->trace;
  switch (c->reference) {
  case LS_REF_NONE:      break;
  case LS_REF_FILE:
    *min = c->is_signed ? -1 : 0;
    *max = MAX ((gint64) trace->files->len - 1, 0);
    break;
  case LS_REF_RULE:      *max = (gint64) trace->rules->len - 1; break;
  case LS_REF_CALL:      *max = (gint64) trace->calls->len - 1; break;
  case LS_REF_BUFFER:    *max = (gint64) trace->buffers->len - 1; break;
  case LS_REF_PASS:      *max = (gint64) trace->passes->len - 1; break;
  case LS_REF_KERNEL:    *max = trace->kernels->len; break;
  case LS_REF_STATEMENT: *max = MAX ((gint64) trace->statements->len - 1, 0); break;      /* calls of no program say 0 */
  case LS_REF_EARLIER:
    *min = (gint64) t->key_base - 1;
    *max = row - 1;
    break;
  }
}

static gboolean
read_integer (LsReader *r, const LsTable *t, const LsColumn *c, gint64 row, sqlite3_stmt *query, int at, gpointer value)
{
  gboolean is_wide = c->size == sizeof (gint64);
  gint64 min = !c->is_signed || c->kind == LS_CELL_BOOL ? 0 : is_wide ? G_MININT64 : G_MININT32, i;
  gint64 max = c->kind == LS_CELL_BOOL ? 1 : c->kind == LS_CELL_NODE ? (gint64) ls_context_n_nodes (r->trace->ctx) - 1
             : is_wide ? G_MAXINT64 : c->is_signed ? G_MAXINT32 : G_MAXUINT32;
  if (ls_column_is_maybe (c) && c->flags & LS_COLUMN_NULLABLE && sqlite3_column_type (query, at) == SQLITE_NULL) {
    *(guint32 *) value = LS_NO_NODE;      /* G_MAXUINT32 also means that it is not a node */
    return TRUE;
  }
  reference_range (r, t, c, row, &min, &max);
  if (!ls_reader_int (r, t->name, row, query, at, min, max, &i))
    return FALSE;
  ls_cell_set_int (value, c->size, i);
  return TRUE;
}

static gboolean
read_dims (LsReader *r, const LsTable *t, const LsColumn *c, gint64 row, const char *text, gpointer out)
{
  LsArg arg;
  if (!ls_arg_parse (r->trace->ctx, text, &arg) || arg.kind != LS_ARG_INTS || arg.n > MAX_DIMS)
    return ls_reader_fail (r, t->name, row, "%s is not a shape", c->name);
  for (guint k = 0; k < arg.n; k++)
    if (arg.ints[k] < 0)
      return ls_reader_fail (r, t->name, row, "%s has a negative size", c->name);
  *(gint64 **) ls_column_at (c, out) = g_memdup2 (arg.ints, arg.n * sizeof (gint64));
  *(guint *) (gpointer) ((guint8 *) out + c->size_offset) = arg.n;
  return TRUE;
}

/* The dtype of a row, from a column before this one; void if it has none. */
static LsDType
dtype_of_row (const LsTable *t, const LsColumn *before, gpointer out)
{
  for (const LsColumn *c = t->columns; c < before; c++)
    if (c->kind == LS_CELL_DTYPE)
      return *(LsDType *) ls_column_at (c, out);
  return LS_VOID;
}

/* A constant, an argument of an op, or registers: these name the registers that the row reads, each a number. A constant's digits may
 * say more than its dtype holds. */
static gboolean
read_arg (LsReader *r, const LsTable *t, const LsColumn *c, gint64 row, const char *text, gpointer record, LsArg *out)
{
  *out = ls_arg_none ();
  if (text && !ls_arg_parse (r->trace->ctx, text, out))
    return ls_reader_fail (r, t->name, row, "%s: \"%.64s\" is not an argument", c->name, text);
  if (out->kind == LS_ARG_FLOAT)
    *out = ls_arg_fit (dtype_of_row (t, c, record), *out);
  if (c->kind != LS_CELL_REGISTERS || !text)
    return TRUE;
  gboolean valid = out->kind == LS_ARG_INTS;
  for (guint k = 0; valid && k < out->n; k++)
    valid = out->ints[k] >= 0 && out->ints[k] < LS_NO_REGISTER;
  return valid ? TRUE : ls_reader_fail (r, t->name, row, "%s: \"%.64s\" is not a list of registers", c->name, text);
}

/* The value of a row in a column that its file is too old to have. */
static void
set_absent (const LsColumn *c, gpointer out)
{
  gpointer value = ls_column_at (c, out);
  if (ls_column_is_maybe (c))
    *(guint32 *) value = LS_NO_NODE;      /* G_MAXUINT32 also means that it is not a node */
  else if (c->kind == LS_CELL_TEXT && !(c->flags & LS_COLUMN_NULLABLE))
    *(const char **) value = "";
  else if (c->kind == LS_CELL_OP)
    *(LsOp *) value = LS_N_OPS;
  else if (c->kind == LS_CELL_DTYPE)
    *(LsDType *) value = LS_VOID;
}

/* "int.ptr(16)", before schema 8 "dtypes.int.ptr(16)" */
gboolean
ls_reader_dtype (const LsReader *r, const char *text, LsDType *out)
{
  char whole[96];
  if (r->version >= 8)
    g_snprintf (whole, sizeof whole, LS_STORE_DTYPES "%s", text);
  return ls_dtype_parse (r->version >= 8 ? whole : text, out);
}

static gboolean
read_named (LsReader *r, const LsTable *t, const LsColumn *c, gint64 row, const char *text, gpointer value)
{
  if (c->kind == LS_CELL_DTYPE)
    return ls_reader_dtype (r, text, value) ? TRUE : ls_reader_fail (r, t->name, row, "%s: there is no dtype \"%.64s\"", c->name, text);
  if (c->kind == LS_CELL_OP) {
    LsOp op = text ? ls_op_from_name (text) : LS_N_OPS;
    *(LsOp *) value = op;
    return !text || op < LS_N_OPS ? TRUE : ls_reader_fail (r, t->name, row, "%s: there is no op \"%.64s\"", c->name, text);
  }
  for (guint k = 0; c->choices[k]; k++)      /* NULL: the first */
    if (!text || g_str_equal (c->choices[k], text)) {
      *(guint *) value = k;
      return TRUE;
    }
  return ls_reader_fail (r, t->name, row, "%s cannot be \"%.64s\"", c->name, text);
}

static gboolean
read_column (LsReader *r, const LsTable *t, const LsColumn *c, gint64 row, sqlite3_stmt *query, int at, gpointer out)
{
  gpointer value = ls_column_at (c, out);
  gboolean nullable = c->flags & LS_COLUMN_NULLABLE;
  const char *text;
  const guint8 *blob;
  gsize n;
  switch (c->kind) {
  case LS_CELL_TEXT:
  case LS_CELL_OWNED:
    if (!ls_reader_text (r, t->name, row, query, at, nullable, &text))
      return FALSE;
    if (c->kind == LS_CELL_TEXT)
      *(const char **) value = ls_trace_string (r->trace, text);
    else
      *(char **) value = g_strdup (text);
    return TRUE;
  case LS_CELL_NUMBER: {
    int type = sqlite3_column_type (query, at);
    if (type != SQLITE_FLOAT && type != SQLITE_INTEGER && type != SQLITE_NULL)
      return ls_reader_fail (r, t->name, row, "%s is not a number", c->name);
    *(double *) value = type == SQLITE_NULL ? NAN : sqlite3_column_double (query, at);
    return TRUE;
  }
  case LS_CELL_ARG:
  case LS_CELL_REGISTERS:
    return ls_reader_text (r, t->name, row, query, at, nullable, &text) && read_arg (r, t, c, row, text, out, value);
  case LS_CELL_DTYPE:
  case LS_CELL_NAME:
  case LS_CELL_OP:
    return ls_reader_text (r, t->name, row, query, at, nullable, &text) && read_named (r, t, c, row, text, value);
  case LS_CELL_DIMS:
    return ls_reader_text (r, t->name, row, query, at, FALSE, &text) && read_dims (r, t, c, row, text, out);
  case LS_CELL_BLOB:
    if (!ls_reader_blob (r, t->name, row, query, at, nullable, &blob, &n))
      return FALSE;
    *(guint8 **) value = n ? g_memdup2 (blob, n) : blob ? g_malloc0 (1) : NULL;
    *(gsize *) (gpointer) ((guint8 *) out + c->size_offset) = n;
    return TRUE;
  default:
    return read_integer (r, t, c, row, query, at, value);
  }
}

/* An empty row of a table, in its container; arrays that a struct owns are there. */
static gpointer
append_row (const LsTable *t, gpointer owner)
{
  gpointer container = G_STRUCT_MEMBER (gpointer, owner, t->container);
  if (!t->by_pointer) {
    GArray *array = container;
    g_array_set_size (array, array->len + 1);
    gpointer row = array->data + (gsize) (array->len - 1) * t->row_size;
    memset (row, 0, t->row_size);
    return row;
  }
  gpointer row = g_malloc0 (t->row_size);
  gboolean is_kernel = t == &ls_store_tables[LS_TABLE_KERNELS], is_pass = t == &ls_store_tables[LS_TABLE_PASSES];
  for (guint k = 0; k < LS_N_TABLES; k++) {
    const LsTable *owned = &ls_store_tables[k];
    if ((is_kernel && owned->owner == LS_OWNER_KERNEL) || (is_pass && owned->owner == LS_OWNER_PASS))
      G_STRUCT_MEMBER (GArray *, row, owned->container) = g_array_new (FALSE, FALSE, owned->row_size);
  }
  if (is_kernel)
    ((LsKernel *) row)->passes = g_array_new (FALSE, FALSE, sizeof (guint));
  if (is_pass) {
    ((LsPass *) row)->trace = owner;
    ((LsPass *) row)->links = g_array_new (FALSE, FALSE, sizeof (LsLink));
    ((LsPass *) row)->steps = g_array_new (FALSE, FALSE, sizeof (guint32));
  }
  g_ptr_array_add (container, row);
  return row;
}

/* Whose row it is: the trace, or the kernel or pass of that number. */
static gpointer
owner_of (LsReader *r, const LsTable *t, sqlite3_stmt *query)
{
  gint64 number;
  if (t->owner == LS_OWNER_TRACE)
    return r->trace;
  gboolean is_kernel = t->owner == LS_OWNER_KERNEL;
  GPtrArray *owners = is_kernel ? r->trace->kernels : r->trace->passes;
  gint64 base = is_kernel ? 1 : 0;
  if (!ls_reader_int (r, t->name, sqlite3_column_int64 (query, 1), query, 0, base, base + (gint64) owners->len - 1, &number))
    return NULL;
  return owners->pdata[number - base];
}

gboolean
ls_reader_has_table (LsReader *r, const char *name)
{
  sqlite3_stmt *query = NULL;
  gboolean found = sqlite3_prepare_v2 (r->db, "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = ?1", -1, &query,
                                       NULL) == SQLITE_OK &&
                   sqlite3_bind_text (query, 1, name, -1, SQLITE_STATIC) == SQLITE_OK && sqlite3_step (query) == SQLITE_ROW;
  sqlite3_finalize (query);
  return found;
}

static gboolean
read_table (LsReader *r, const LsTable *t)
{
  if (t->optional && !ls_reader_has_table (r, t->name))
    return TRUE;
  g_autofree char *columns = ls_store_column_list (t, r->version);
  const char *owner_key = ls_table_owner_key (t);
  g_autofree char *order = owner_key ? g_strdup_printf ("%s, %s", owner_key, t->key) : g_strdup (t->key);
  sqlite3_stmt *query = ls_reader_query (r, t->name, columns, order);
  gboolean failed = query == NULL;
  int first = owner_key ? 1 : 0;
  while (!failed && ls_reader_next (r, t->name, query, &failed)) {
    gint64 key, row = sqlite3_column_int64 (query, first);
    gpointer owner = owner_of (r, t, query);
    gint64 expected = owner ? (gint64) t->key_base + ls_table_n_rows (t, owner) : 0;
    failed = owner == NULL || !ls_reader_int (r, t->name, row, query, first, expected, expected, &key);
    if (failed)
      break;
    gpointer out = append_row (t, owner);
    if (t->key_offset != LS_NO_KEY)
      G_STRUCT_MEMBER (guint, out, t->key_offset) = (guint) key;
    for (guint k = 0, at = (guint) first + 1; k < t->n_columns && !failed; k++)
      if (ls_column_is_in (&t->columns[k], r->version))
        failed = !read_column (r, t, &t->columns[k], key, query, (int) at++, out);
      else
        set_absent (&t->columns[k], out);
  }
  sqlite3_finalize (query);
  return !failed;
}

static gboolean
take_meta (LsReader *r, const LsColumn *c, const char *value)
{
  gpointer member = ls_column_at (c, r->trace);
  guint64 n, most = c->kind == LS_CELL_BOOL ? 1 : c->size == 4 ? G_MAXUINT32 : G_MAXINT64;
  if (c->kind == LS_CELL_OWNED) {
    g_free (*(char **) member);
    *(char **) member = g_strdup (value);
    return TRUE;
  }
  if (!value || !g_ascii_string_to_unsigned (value, 10, 0, most, &n, NULL)) {
    g_set_error (r->error, LS_ERROR, LS_ERROR_FILE, "%s: meta: %s is not a number", r->path, c->name);
    return FALSE;
  }
  ls_cell_set_int (member, c->size, (gint64) n);
  return TRUE;
}

static gboolean
read_meta (LsReader *r)
{
  gboolean failed = FALSE;
  sqlite3_stmt *query = ls_reader_query (r, "meta", "key, value", "key");
  if (query == NULL)
    return FALSE;
  for (gint64 row = 0; !failed && ls_reader_next (r, "meta", query, &failed); row++) {
    const char *key, *value;
    failed = !ls_reader_text (r, "meta", row, query, 0, FALSE, &key) || !ls_reader_text (r, "meta", row, query, 1, TRUE, &value);
    if (failed)
      break;
    for (guint k = 0; k < ls_store_meta.n_columns && !failed; k++)
      if (g_str_equal (key, ls_store_meta.columns[k].name))
        failed = !take_meta (r, &ls_store_meta.columns[k], value);
  }
  sqlite3_finalize (query);
  return !failed;
}

static gboolean
read_settings (LsReader *r)
{
  gboolean failed = FALSE;
  sqlite3_stmt *query = ls_reader_query (r, "settings", "id, text", "id");
  while (query && !failed && ls_reader_next (r, "settings", query, &failed)) {
    gint64 id, n = r->trace->settings->len;
    const char *text;
    failed = !ls_reader_int (r, "settings", n, query, 0, n, n, &id) || !ls_reader_text (r, "settings", n, query, 1, FALSE, &text);
    if (!failed)
      g_ptr_array_add (r->trace->settings, g_strdup (text));
  }
  sqlite3_finalize (query);
  return query && !failed;
}

static gboolean
read_all (LsReader *r)
{
  if (!read_meta (r) || !read_settings (r))
    return FALSE;
  LsSettings settings;
  ls_settings_init (&settings);
  for (guint i = 0; i < r->trace->settings->len; i++)
    ls_trace_take_setting (r->trace, i, &settings, NULL);
  ls_context_use_library (r->trace->ctx, !r->trace->functions || settings.TRANSCENDENTAL == 0);
  if (!ls_reader_nodes (r))
    return FALSE;
  for (guint k = 0; k < LS_N_TABLES; k++)
    if (!read_table (r, &ls_store_tables[k]))
      return FALSE;
  for (guint i = 0; i < r->trace->passes->len; i++) {
    LsKernel *kernel = ls_trace_kernel (r->trace, ((const LsPass *) r->trace->passes->pdata[i])->kernel);
    if (kernel)
      g_array_append_val (kernel->passes, i);
  }
  for (guint k = 0; k < r->trace->kernels->len; k++) {
    LsKernel *kernel = r->trace->kernels->pdata[k];
    if (kernel->same_as > 0 && kernel->source)
      return ls_reader_fail (r, "kernels", (gint64) k + 1, "has its own text and uses that of an earlier kernel");
    if (kernel->same_as > 0 && kernel->listing->len == 0)
      ls_kernel_share_text (kernel, ls_trace_kernel (r->trace, (guint) kernel->same_as));
  }
  return ls_reader_links (r) && ls_reader_check (r);
}

static gboolean
pragma_number (sqlite3 *db, const char *sql, gint64 *out)
{
  sqlite3_stmt *query = NULL;
  gboolean ok = sqlite3_prepare_v2 (db, sql, -1, &query, NULL) == SQLITE_OK && sqlite3_step (query) == SQLITE_ROW;
  if (ok)
    *out = sqlite3_column_int64 (query, 0);
  sqlite3_finalize (query);
  return ok;
}

/* Is it a recording, and of a version that this program reads? */
static gboolean
check_header (LsReader *r)
{
  gint64 application_id = 0, version = 0;
  if (!pragma_number (r->db, "PRAGMA application_id", &application_id) || application_id != LS_STORE_APPLICATION_ID) {
    int code = sqlite3_errcode (r->db) & 0xff;
    if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE || code == SQLITE_NOTADB)
      g_set_error (r->error, LS_ERROR, LS_ERROR_FILE, "%s is not a Lazyscope recording", r->path);
    else
      ls_reader_fail_sql (r, "header");
    return FALSE;
  }
  if (!pragma_number (r->db, "PRAGMA user_version", &version))
    return ls_reader_fail_sql (r, "header");
  if (version > LS_STORE_VERSION)
    g_set_error (r->error, LS_ERROR, LS_ERROR_FILE, "%s was written by a newer version (schema %" G_GINT64_FORMAT
                                                    "); this program reads up to %d",
                 r->path, version, LS_STORE_VERSION);
  else if (version < 1)
    g_set_error (r->error, LS_ERROR, LS_ERROR_FILE, "%s is empty: its program has just begun, or was stopped before it recorded "
                                                    "anything", r->path);
  r->version = version;
  return version >= 1 && version <= LS_STORE_VERSION;
}

/* Data that SQLite could not read may be complete; data that was read and is invalid is not. */
static void
say_damaged (LsReader *r)
{
  static const int elsewhere[] = { SQLITE_BUSY, SQLITE_LOCKED, SQLITE_NOMEM, SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH,
                                   SQLITE_READONLY };
  int code = sqlite3_errcode (r->db) & 0xff;
  for (gsize i = 0; i < G_N_ELEMENTS (elsewhere); i++)
    if (code == elsewhere[i])
      return;
  g_autoptr (GError) what = g_steal_pointer (r->error);
  g_set_error (r->error, what->domain, what->code, "%s; the recording is damaged or incomplete: record the program again", what->message);
}

static gboolean
open_file (LsReader *r, int flags)
{
  if (sqlite3_open_v2 (r->path, &r->db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
    return FALSE;
  sqlite3_busy_timeout (r->db, 2000);
  sqlite3_limit (r->db, SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES);
  sqlite3_limit (r->db, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit (r->db, SQLITE_LIMIT_TRIGGER_DEPTH, 1);
  sqlite3_db_config (r->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config (r->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_db_config (r->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
  sqlite3_db_config (r->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
  sqlite3_exec (r->db, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0", NULL, NULL, NULL);
  return TRUE;
}

/* A log next to the file, of a process that writes it or was killed: a reader must be allowed to write, and puts the log into the file
 * if it is the last to close it. A file that has none, but says that it may have, needs no lock. */
static gboolean
open_as_it_is (LsReader *r)
{
  gint64 unused;
  g_autofree char *log = g_strconcat (r->path, "-wal", NULL);
  if (g_file_test (log, G_FILE_TEST_EXISTS) && open_file (r, SQLITE_OPEN_READWRITE) &&
      pragma_number (r->db, "SELECT count(*) FROM sqlite_schema", &unused))
    return TRUE;
  sqlite3_close (g_steal_pointer (&r->db));
  if (!open_file (r, SQLITE_OPEN_READONLY))
    return FALSE;
  if (pragma_number (r->db, "SELECT count(*) FROM sqlite_schema", &unused) || (sqlite3_errcode (r->db) & 0xff) != SQLITE_CANTOPEN ||
      g_file_test (log, G_FILE_TEST_EXISTS))
    return TRUE;
  g_autofree char *escaped = g_uri_escape_string (r->path, "/", FALSE), *uri = g_strconcat ("file:", escaped, "?immutable=1", NULL);
  const char *path = r->path;
  sqlite3_close (g_steal_pointer (&r->db));
  r->path = uri;
  gboolean ok = open_file (r, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
  r->path = path;
  return ok;
}

/* A writer killed within a flush left a journal: SQLite takes the file back to its last flush, for which it must write. */
static gboolean
take_back (LsReader *r)
{
  gint64 unused;
  if (pragma_number (r->db, "SELECT count(*) FROM sqlite_schema", &unused) || sqlite3_extended_errcode (r->db) != SQLITE_READONLY_ROLLBACK)
    return TRUE;
  sqlite3_close (r->db);
  r->db = NULL;
  gboolean ok = open_file (r, SQLITE_OPEN_READWRITE) && pragma_number (r->db, "SELECT count(*) FROM sqlite_schema", &unused);
  if (!ok)
    return ls_reader_fail_sql (r, "its last flush is incomplete and cannot be undone");
  sqlite3_close (r->db);
  r->db = NULL;
  return open_file (r, SQLITE_OPEN_READONLY) ? TRUE : ls_reader_fail_sql (r, "open");
}

/**
 * ls_trace_load:
 * @path: a recording
 *
 * Returns: (transfer full) (nullable): the recording, or NULL with LS_ERROR_FILE
 */
LsTrace *
ls_trace_load (const char *path, GError **error)
{
  g_autoptr (LsContext) ctx = ls_context_new ();
  g_autoptr (LsTrace) trace = ls_trace_new (ctx);
  g_clear_pointer (&trace->functions, g_free);
  GError *local = NULL;
  LsReader reader = { .path = path, .trace = trace, .error = &local };
  errno = 0;
  gboolean regular = !g_file_test (path, G_FILE_TEST_EXISTS) || g_file_test (path, G_FILE_TEST_IS_REGULAR | G_FILE_TEST_IS_DIR),
           ok = regular && open_as_it_is (&reader);
  if (!regular) {
    g_set_error (&local, LS_ERROR, LS_ERROR_FILE, "%s is not a regular file", path);
  } else if (!ok) {
    int os_error = reader.db ? sqlite3_system_errno (reader.db) : 0;
    g_set_error (&local, LS_ERROR, LS_ERROR_FILE, "%s: %s", path, os_error ? g_strerror (os_error)
                                                                           : reader.db ? sqlite3_errmsg (reader.db) : "out of memory");
  }
  ok = ok && take_back (&reader);
  gboolean known = ok && check_header (&reader);
  if (known)      /* one state of a file that is written meanwhile */
    sqlite3_exec (reader.db, "BEGIN", NULL, NULL, NULL);
  trace->schema = known ? (guint) reader.version : 0;
  ok = known && read_all (&reader);
  if (ok)
    ls_trace_derive_passes (reader.trace);
  for (guint i = 0; ok && i < trace->rules->len; i++) {
    LsTraceRule *rule = trace->rules->pdata[i];
    const char *build = strstr (rule->text, "-> build ");
    g_autofree char *name = build ? g_strndup (build + strlen ("-> build "), strcspn (build + strlen ("-> build "), " (")) : NULL;
    rule->builder = name ? ls_trace_string (trace, name) : NULL;
  }
  if (local && (known || sqlite3_errcode (reader.db) == SQLITE_CORRUPT))
    say_damaged (&reader);
  sqlite3_close (reader.db);
  if (!ok)
    g_propagate_error (error, local);
  trace->path = g_strdup (path);
  return ok ? g_steal_pointer (&trace) : NULL;
}

gboolean
ls_reader_open (LsReader *r)
{
  if (!open_as_it_is (r))
    return ls_reader_fail_sql (r, "open");
  if (!check_header (r))
    return FALSE;
  sqlite3_exec (r->db, "BEGIN", NULL, NULL, NULL);
  return TRUE;
}

/* The file's table of steps against the links that were read: TRUE, or FALSE with the error set. */
static gboolean
compare_steps (LsReader *r)
{
  gboolean failed = FALSE;
  guint pass = 0, step = 0, n_derived = 0;      /* of the passes up to that one */
  sqlite3_stmt *query = ls_reader_query (r, "steps", "pass, step, rule, before, after, ns", "pass, step");
  while (query && !failed && ls_reader_next (r, "steps", query, &failed)) {
    gint64 v[6];
    for (guint i = 0; i < G_N_ELEMENTS (v) && !failed; i++)
      failed = !ls_reader_int (r, "steps", i ? v[0] : 0, query, (int) i, 0, G_MAXUINT32, &v[i]);
    if (failed)
      break;
    while (pass < r->trace->passes->len && step == ls_pass_n_rewrites (r->trace->passes->pdata[pass])) {
      n_derived += r->trace->n_derived && ((const LsPass *) r->trace->passes->pdata[pass])->in_arena;
      pass++;
      step = 0;
    }
    const LsLink *link = pass < r->trace->passes->len ? ls_pass_step_link (r->trace->passes->pdata[pass], ++step) : NULL;
    if (!link && !r->trace->complete)      /* written since it was read */
      break;
    if (!link || v[0] != pass - n_derived || v[1] != step || v[2] != link->rule || v[3] != link->before ||
        v[4] != link->after || v[5] != link->ns)
      failed = !ls_reader_fail (r, "steps", v[0], "step %" G_GINT64_FORMAT " does not match the links", v[1]);
  }
  sqlite3_finalize (query);
  while (pass < r->trace->passes->len && step == ls_pass_n_rewrites (r->trace->passes->pdata[pass])) {
    pass++;
    step = 0;
  }
  if (query && !failed && pass < r->trace->passes->len)
    failed = !ls_reader_fail (r, "steps", pass, "step %u is missing", step + 1);
  return query && !failed;
}

gboolean
ls_trace_check_steps (LsTrace *trace, GError **error)
{
  if (!trace->path)
    return TRUE;
  GError *local = NULL;
  LsReader reader = { .path = trace->path, .trace = trace, .error = &local };
  gboolean ok = ls_reader_open (&reader) && compare_steps (&reader);
  sqlite3_close (reader.db);
  if (!ok)
    g_propagate_error (error, local);
  return ok;
}
