/* Writing a recording: one SQLite file that is readable after every flush.
 *
 * A flush is one transaction and writes rows that are new or changed since the last: of each table the writer keeps digests of the rows
 * as written, and looks for changes among the last rows (in a running program only those change) and, when it finishes, among all. Rows
 * of kernels and passes (listings, statistics, …) are only ever appended. Nodes and links are immutable.
 *
 * While it is written the file has a write-ahead log, so that readers see whole flushes and never block; at its end it is one file
 * again. With synchronous off it survives the death of the process, not of the machine: a flush then costs no wait for the disk. A
 * recording that is replaced remains until the new one, which is written next to it, is complete.
 */
#include "store-rows.h"

#include "ir/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOK_BACK 256      /* rows of a table in which a flush looks for changes */
#define MOST_ROWS 4096     /* that one statement writes: more take memory, and leave the processor's cache before they are read */
#define FEW_ROWS  256      /* for which a statement of their own is not worth preparing */

typedef struct { guint n_links, n_chunks, n_steps; } PassState;

/* A statement that takes any keys, and one for keys that continue the last row's (ls_store_rows_prepare). */
enum { BY_KEY, FOLLOWING, N_WAYS };

struct _LsTraceWriter {
  LsTrace      *trace;
  char         *path;                       /* the written data */
  char         *target;                     /* the file that it replaces at the end, or NULL */
  int           locks[2];                   /* descriptors of target and path, locked against other writers; -1: none */
  sqlite3      *db;
  char         *failure;                    /* of an earlier flush: the file is no longer written */
  gboolean      is_full;                    /* that failure was a full disk */
  guint32       n_nodes;
  guint         n_settings;
  GHashTable   *meta;                       /* key -> value as written */
  LsStoreRows  *gathered;                   /* of the table that is being written */
  GArray       *rows[LS_N_TABLES];          /* LsRowDigest of the bytes of the trace's tables' rows as written */
  GArray       *n_rows[LS_N_TABLES];        /* of kernels' and passes' tables: rows written, by owner */
  GArray       *passes;                     /* PassState */
  sqlite3_stmt *insert[LS_N_SEALS][N_WAYS];
  sqlite3_stmt *insert_link, *insert_setting, *insert_meta, *insert_seal, *insert_sealed;
  LsSeal        seals[LS_N_SEALS], sealed[LS_N_SEALS];      /* of the written rows; as they are in the file */
  GArray       *digests[LS_N_TABLES];       /* LsRowDigest of the rows of the trace's tables, which may be written again */
  GHashTable   *meta_digests;               /* key -> LsRowDigest */
  guint64       n_flushes;
  char         *chain;                      /* seal of the last flush, "" before the first */
};

/* A file that may not grow counts as a full disk. */
static gboolean
is_no_space (int os_error)
{
  return os_error == ENOSPC || os_error == EDQUOT || os_error == EFBIG;
}

/* The first failure of a flush; later calls do nothing. */
static void
fail (LsTraceWriter *w, const char *what)
{
  if (w->failure)
    return;
  int os_error = sqlite3_system_errno (w->db);
  g_autofree char *reason = g_utf8_make_valid (sqlite3_errmsg (w->db), -1);
  w->is_full = (sqlite3_errcode (w->db) & 0xff) == SQLITE_FULL || is_no_space (os_error);
  w->failure = g_strdup_printf ("%s: %s: %s%s%s%s", w->path, what, reason, os_error ? " (" : "", os_error ? g_strerror (os_error) : "",
                                os_error ? ")" : "");
}

static void
execute (LsTraceWriter *w, const char *what, const char *sql)
{
  if (!w->failure && sqlite3_exec (w->db, sql, NULL, NULL, NULL) != SQLITE_OK)
    fail (w, what);
}

static sqlite3_stmt *
prepare (LsTraceWriter *w, const char *what, const char *sql)
{
  sqlite3_stmt *statement = NULL;
  if (!w->failure && sqlite3_prepare_v3 (w->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) != SQLITE_OK)
    fail (w, what);
  return statement;
}

static void
step (LsTraceWriter *w, const char *what, sqlite3_stmt *statement)
{
  if (w->failure)
    return;
  int result = sqlite3_step (statement);
  if (result != SQLITE_DONE)
    fail (w, what);
  sqlite3_reset (statement);
}

/* Readers refuse text that is not UTF-8; a program may have printed anything. A bound value goes into the row's digest. */
static void
bind_text (sqlite3_stmt *statement, int at, const char *text, LsRowDigest *digest)
{
  g_autofree char *made = text && !g_utf8_validate (text, -1, NULL) ? g_utf8_make_valid (text, -1) : NULL;
  const char *valid = made ? made : text;
  if (valid) {
    ls_row_digest_text (digest, valid, strlen (valid));
    sqlite3_bind_text (statement, at, valid, -1, made ? SQLITE_TRANSIENT : SQLITE_STATIC);
  } else {
    ls_row_digest_null (digest);
    sqlite3_bind_null (statement, at);
  }
}

static void
bind_blob (sqlite3_stmt *statement, int at, gconstpointer data, gsize n)
{
  if (data == NULL || n > G_MAXINT32)
    sqlite3_bind_null (statement, at);
  else
    sqlite3_bind_blob (statement, at, data, (int) n, SQLITE_STATIC);
}

/* Begins to gather rows of the table. */
static void
begin_rows (LsTraceWriter *w, guint table)
{
  gboolean again = table < LS_N_TABLES && ls_store_tables[table].owner == LS_OWNER_TRACE;
  ls_store_rows_begin (w->gathered, ls_seal_table (table), &w->seals[table], again ? w->digests[table] : NULL);
}

/* The rows of a table that were gathered. */
static void
insert_rows (LsTraceWriter *w, guint table, guint way)
{
  const LsTable *t = ls_seal_table (table);
  sqlite3_stmt **insert = &w->insert[table][way];
  if (ls_store_rows_count (w->gathered) == 0 || w->failure)
    return;
  if (*insert == NULL && (*insert = ls_store_rows_prepare (w->db, t, way == FOLLOWING)) == NULL)
    fail (w, t->name);
  else
    step (w, t->name, *insert);
  if (!w->failure && way == FOLLOWING && sqlite3_last_insert_rowid (w->db) != ls_store_rows_last_key (w->gathered))
    w->failure = g_strdup_printf ("%s: %s: another program wrote to the table", w->path, t->name);
  begin_rows (w, table);
}

static void
add_row (LsTraceWriter *w, guint table, guint way, guint owner, guint number, gconstpointer row)
{
  ls_store_rows_add (w->gathered, owner, number, row);
  if (ls_store_rows_count (w->gathered) == MOST_ROWS)
    insert_rows (w, table, way);
}

/* How the rows after the last one are written; rows that were gathered by key are written before. */
static guint
way_of_following (LsTraceWriter *w, guint table, guint n)
{
  if (n < FEW_ROWS)
    return BY_KEY;
  insert_rows (w, table, BY_KEY);
  return FOLLOWING;
}

static LsRowDigest
digest_of_bytes (const LsTable *t, gconstpointer row)
{
  LsRowDigest digest = 0;
  ls_row_digest_blob (&digest, row, t->row_size);
  return digest;
}

/* New rows of one of the trace's tables, and changed ones among the rows from `first` on. */
static void
write_table (LsTraceWriter *w, guint table, gboolean all)
{
  const LsTable *t = &ls_store_tables[table];
  GArray *written = w->rows[table];
  guint n = ls_table_n_rows (t, w->trace), n_written = written->len, first = MAX (n_written, 1);      /* no row comes before the first */
  g_array_set_size (written, n);
  begin_rows (w, table);
  for (guint k = all || n_written < LOOK_BACK ? 0 : n_written - LOOK_BACK; k < MIN (n, first); k++) {
    gconstpointer row = ls_table_row (t, w->trace, k);
    LsRowDigest bytes = digest_of_bytes (t, row), *before = &g_array_index (written, LsRowDigest, k);
    if (k < n_written && bytes == *before)
      continue;
    *before = bytes;
    add_row (w, table, BY_KEY, 0, k, row);
  }
  guint way = way_of_following (w, table, n - MIN (n, first));
  for (guint k = first; k < n; k++) {
    gconstpointer row = ls_table_row (t, w->trace, k);
    g_array_index (written, LsRowDigest, k) = digest_of_bytes (t, row);
    add_row (w, table, way, 0, k, row);
  }
  insert_rows (w, table, way);
}

/* New rows of the tables that each kernel or pass has. */
static void
write_owned (LsTraceWriter *w, guint table, gboolean all)
{
  const LsTable *t = &ls_store_tables[table];
  GPtrArray *owners = t->owner == LS_OWNER_KERNEL ? w->trace->kernels : w->trace->passes;
  GArray *counts = w->n_rows[table];
  guint n_before = counts->len;
  g_array_set_size (counts, owners->len);
  begin_rows (w, table);
  for (guint k = all || n_before < LOOK_BACK ? 0 : n_before - LOOK_BACK; k < owners->len; k++) {
    gconstpointer owner = owners->pdata[k];
    if (t->of_code && ((const LsKernel *) owner)->same_as > 0)
      continue;
    guint *written = &g_array_index (counts, guint, k);
    guint number = t->owner == LS_OWNER_KERNEL ? k + 1 : k;
    for (guint n = ls_table_n_rows (t, owner); *written < n; ++*written)
      add_row (w, table, BY_KEY, number, *written, ls_table_row (t, owner, *written));
  }
  insert_rows (w, table, BY_KEY);
}

static void
write_nodes (LsTraceWriter *w)
{
  guint32 n = ls_context_n_nodes (w->trace->ctx);
  begin_rows (w, LS_SEAL_NODES);
  for (; w->n_nodes < MIN (n, 1); w->n_nodes++)      /* no row comes before the first */
    add_row (w, LS_SEAL_NODES, BY_KEY, 0, w->n_nodes, ls_context_node (w->trace->ctx, w->n_nodes));
  guint way = way_of_following (w, LS_SEAL_NODES, n - w->n_nodes);
  for (; w->n_nodes < n; w->n_nodes++)
    add_row (w, LS_SEAL_NODES, way, 0, w->n_nodes, ls_context_node (w->trace->ctx, w->n_nodes));
  insert_rows (w, LS_SEAL_NODES, way);
}

static void
write_chunk (LsTraceWriter *w, guint pass, PassState *state, const LsLink *links, guint n)
{
  g_autofree guint32 *data = g_new (guint32, (gsize) n * 4);
  for (guint k = 0; k < n; k++) {
    data[4 * k] = GUINT32_TO_LE (links[k].before);
    data[4 * k + 1] = GUINT32_TO_LE (links[k].after);
    data[4 * k + 2] = GUINT32_TO_LE ((guint32) links[k].rule);
    data[4 * k + 3] = GUINT32_TO_LE (links[k].ns);
  }
  LsRowDigest digest = 0;
  ls_row_digest_int (&digest, pass);
  ls_row_digest_int (&digest, state->n_chunks);
  ls_row_digest_blob (&digest, data, (gsize) n * 16);
  ls_seal_add (&w->seals[LS_SEAL_LINKS], ls_seal_place (pass, state->n_chunks), digest);
  sqlite3_bind_int64 (w->insert_link, 1, pass);
  sqlite3_bind_int64 (w->insert_link, 2, state->n_chunks++);
  bind_blob (w->insert_link, 3, data, (gsize) n * 16);
  step (w, "links", w->insert_link);
  sqlite3_bind_null (w->insert_link, 3);
}

static void
write_links (LsTraceWriter *w, gboolean all)
{
  guint n_before = w->passes->len;
  g_array_set_size (w->passes, w->trace->passes->len);
  begin_rows (w, LS_SEAL_STEPS);
  for (guint k = all || n_before < LOOK_BACK ? 0 : n_before - LOOK_BACK; k < w->passes->len; k++) {
    const LsPass *pass = w->trace->passes->pdata[k];
    PassState *state = &g_array_index (w->passes, PassState, k);
    while (state->n_links < pass->links->len && !w->failure) {
      guint n = MIN (pass->links->len - state->n_links, LS_STORE_LINKS_A_CHUNK);
      write_chunk (w, k, state, &g_array_index (pass->links, LsLink, state->n_links), n);
      state->n_links += n;
    }
    for (; state->n_steps < pass->steps->len; state->n_steps++)
      add_row (w, LS_SEAL_STEPS, BY_KEY, k, state->n_steps, ls_pass_step_link (pass, state->n_steps + 1));
  }
  insert_rows (w, LS_SEAL_STEPS, BY_KEY);
}

static void
write_meta (LsTraceWriter *w, const char *key, const char *value)
{
  gpointer old;
  if (g_hash_table_lookup_extended (w->meta, key, NULL, &old) && g_strcmp0 (old, value) == 0)
    return;
  LsRowDigest digest = 0, *before = g_hash_table_lookup (w->meta_digests, key);
  g_hash_table_insert (w->meta, (gpointer) key, g_strdup (value));
  bind_text (w->insert_meta, 1, key, &digest);
  bind_text (w->insert_meta, 2, value, &digest);
  step (w, "meta", w->insert_meta);
  if (before)
    ls_seal_remove (&w->seals[LS_SEAL_META], ls_seal_place_of_key (key), *before);
  ls_seal_add (&w->seals[LS_SEAL_META], ls_seal_place_of_key (key), digest);
  g_hash_table_insert (w->meta_digests, (gpointer) key, g_memdup2 (&digest, sizeof digest));
}

static void
write_all_meta (LsTraceWriter *w)
{
  const LsTrace *t = w->trace;
  for (guint k = 0; k < ls_store_meta.n_columns; k++) {
    const LsColumn *c = &ls_store_meta.columns[k];
    guint64 number = c->kind == LS_CELL_OWNED ? 0 : (guint64) ls_column_int (c, t);
    g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, c->kind == LS_CELL_BOOL ? number != 0 : number);
    write_meta (w, c->name, c->kind == LS_CELL_OWNED ? *(char *const *) ls_column_at (c, t) : text);
  }
  for (; w->n_settings < t->settings->len; w->n_settings++) {
    LsRowDigest digest = 0;
    ls_row_digest_int (&digest, w->n_settings);
    sqlite3_bind_int64 (w->insert_setting, 1, w->n_settings);
    bind_text (w->insert_setting, 2, t->settings->pdata[w->n_settings], &digest);
    step (w, "settings", w->insert_setting);
    ls_seal_add (&w->seals[LS_SEAL_SETTINGS], ls_seal_place (0, w->n_settings), digest);
  }
}

/* How many rows each table has when the run has ended: a row that is deleted later is missing. Links are stored in chunks, and steps
 * are counted against them. */
static void
write_row_counts (LsTraceWriter *w)
{
  guint64 n[LS_N_SEALS];
  for (guint i = 0; i < LS_N_SEALS; i++)
    n[i] = w->seals[i].n;
  g_free (w->trace->row_counts);
  w->trace->row_counts = ls_seal_row_counts (n);
  write_meta (w, "row_counts", w->trace->row_counts);
}

/* The rows of the flush are sealed with it. A flush that wrote nothing has no seal. */
static void
write_seals (LsTraceWriter *w)
{
  guint64 rows = 0;
  for (guint i = 0; i < LS_N_SEALS; i++) {
    if (memcmp (&w->seals[i], &w->sealed[i], sizeof w->seals[i]) == 0)
      continue;
    g_autofree char *digest = ls_seal_text (&w->seals[i]);
    sqlite3_bind_text (w->insert_sealed, 1, ls_seal_table (i)->name, -1, SQLITE_STATIC);
    sqlite3_bind_int64 (w->insert_sealed, 2, (gint64) w->seals[i].n);
    sqlite3_bind_text (w->insert_sealed, 3, digest, -1, SQLITE_STATIC);
    step (w, "sealed_tables", w->insert_sealed);
    rows += w->seals[i].n;
    w->sealed[i] = w->seals[i];
  }
  if (rows == 0)
    return;
  g_autofree char *content = ls_seal_content (w->seals), *before = w->chain;
  w->n_flushes++;
  w->chain = ls_seal_chain (before ? before : "", w->n_flushes, rows, content);
  sqlite3_bind_int64 (w->insert_seal, 1, (gint64) w->n_flushes);
  sqlite3_bind_int64 (w->insert_seal, 2, (gint64) rows);
  sqlite3_bind_text (w->insert_seal, 3, content, -1, SQLITE_STATIC);
  sqlite3_bind_text (w->insert_seal, 4, w->chain, -1, SQLITE_STATIC);
  step (w, "seals", w->insert_seal);
}

static gboolean
flush (LsTraceWriter *w, gboolean all, GError **error)
{
  execute (w, "begin", "BEGIN IMMEDIATE");
  if (!w->failure) {
    write_all_meta (w);
    write_nodes (w);
    for (guint table = 0; table < LS_N_TABLES; table++)
      if (ls_store_tables[table].owner == LS_OWNER_TRACE)
        write_table (w, table, all);
      else
        write_owned (w, table, all);
    write_links (w, all);
    if (w->trace->complete)
      write_row_counts (w);
    write_seals (w);
  }
  execute (w, "commit", "COMMIT");
  if (w->failure) {
    if (!sqlite3_get_autocommit (w->db))
      sqlite3_exec (w->db, "ROLLBACK", NULL, NULL, NULL);
    g_set_error_literal (error, LS_ERROR, LS_ERROR_FILE, w->failure);
  }
  return w->failure == NULL;
}

/* "line INTEGER NOT NULL" */
static void
append_column (GString *sql, const LsColumn *c)
{
  static const char *const types[] = {
    [LS_CELL_TEXT] = "TEXT", [LS_CELL_OWNED] = "TEXT", [LS_CELL_INT] = "INTEGER", [LS_CELL_NUMBER] = "REAL", [LS_CELL_BOOL] = "INTEGER",
    [LS_CELL_NODE] = "INTEGER", [LS_CELL_DTYPE] = "TEXT", [LS_CELL_NAME] = "TEXT", [LS_CELL_BLOB] = "BLOB", [LS_CELL_DIMS] = "TEXT",
    [LS_CELL_OP] = "TEXT", [LS_CELL_ARG] = "TEXT", [LS_CELL_REGISTERS] = "TEXT",
  };
  g_string_append_printf (sql, ", %s %s%s", c->name, types[c->kind], c->flags & LS_COLUMN_NULLABLE ? "" : " NOT NULL");
}

/* Readers that found the file before it was made ready hold it for moments, in which its kind of journal cannot be changed: that is
 * not waited for by itself. */
#define BUSY_MS 5000

static void
set_journal (LsTraceWriter *w)
{
  gint64 end = g_get_monotonic_time () + BUSY_MS * 1000;
  int result;
  while ((result = sqlite3_exec (w->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL)) == SQLITE_BUSY && g_get_monotonic_time () < end)
    g_usleep (1000);
  if (result != SQLITE_OK)
    fail (w, "journal");
}

static void
create_tables (LsTraceWriter *w)
{
  g_autofree char *name = g_strdup_printf ("PRAGMA application_id = %d", LS_STORE_APPLICATION_ID),
                  *version = g_strdup_printf ("PRAGMA user_version = %d", LS_STORE_VERSION);
  execute (w, "pragma", "PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY");
  execute (w, "pragma", name);      /* in the file itself, so that it is known as a recording even if its program is killed */
  set_journal (w);
  execute (w, "begin", "BEGIN IMMEDIATE");      /* a reader finds all tables, or no recording yet */
  execute (w, "pragma", version);
  execute (w, "tables", ls_store_special_sql);
  for (guint table = 0; table < LS_N_TABLES; table++) {
    const LsTable *t = &ls_store_tables[table];
    const char *owner = ls_table_owner_key (t);
    g_autoptr (GString) sql = g_string_new (NULL);
    g_string_printf (sql, owner ? "CREATE TABLE %s (%s INTEGER, %s INTEGER" : "CREATE TABLE %s (%s INTEGER PRIMARY KEY", t->name,
                     owner ? owner : t->key, t->key);
    for (guint k = 0; k < t->n_columns; k++)
      append_column (sql, &t->columns[k]);
    if (owner)
      g_string_append_printf (sql, ", PRIMARY KEY (%s, %s)) WITHOUT ROWID", owner, t->key);
    else
      g_string_append_c (sql, ')');
    execute (w, t->name, sql->str);
  }
  execute (w, "commit", "COMMIT");
  w->insert_link = prepare (w, "links", "INSERT INTO links (pass, chunk, data) VALUES (?, ?, ?)");
  w->insert_setting = prepare (w, "settings", "INSERT INTO settings (id, text) VALUES (?, ?)");
  w->insert_meta = prepare (w, "meta", "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)");
  w->insert_seal = prepare (w, "seals", "INSERT INTO seals (flush, rows, content, chain) VALUES (?, ?, ?, ?)");
  w->insert_sealed = prepare (w, "sealed_tables", "INSERT OR REPLACE INTO sealed_tables (name, rows, digest) VALUES (?, ?, ?)");
}

/* An earlier recording may be replaced, anything else stays. *there: there is one. */
static gboolean
may_replace (const char *path, gboolean *there, GError **error)
{
  guint8 head[72] = { 0 };
  GStatBuf info;
  *there = FALSE;
  if (g_stat (path, &info) == 0 && !S_ISREG (info.st_mode)) {
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "%s is %s; a recording cannot be written there", path,
                 S_ISDIR (info.st_mode) ? "a directory" : "not a regular file");
    return FALSE;
  }
  FILE *file = g_fopen (path, "rb");
  if (file == NULL && errno == ENOENT)
    return TRUE;
  if (file == NULL) {
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "%s: %s", path, g_strerror (errno));
    return FALSE;
  }
  gsize n = fread (head, 1, sizeof head, file);
  fclose (file);
  guint32 application_id;
  memcpy (&application_id, head + 68, sizeof application_id);
  gboolean is_recording = n == sizeof head && memcmp (head, "SQLite format 3", 16) == 0 &&
                          GUINT32_FROM_BE (application_id) == LS_STORE_APPLICATION_ID;
  *there = is_recording;
  if (n == 0 || is_recording)
    return TRUE;
  g_set_error (error, LS_ERROR, LS_ERROR_FILE, "%s exists and is not a recording; it was not overwritten", path);
  return FALSE;
}

/* Is the open file still the one of that name? Another process may have put its finished recording there. */
static gboolean
is_still (int fd, const char *path)
{
  struct stat own, named;
  return fstat (fd, &own) == 0 && stat (path, &named) == 0 && own.st_ino == named.st_ino && own.st_dev == named.st_dev;
}

/* Locks the file for this process; *fd is closed after the database is. -1: it cannot be opened. A file system without locks does not
 * prevent recording. FALSE: another process records there. */
static gboolean
lock_file (const char *path, gboolean make, int *fd, GError **error)
{
  while ((*fd = g_open (path, O_RDWR | O_CLOEXEC | (make ? O_CREAT : 0), 0666)) >= 0) {
    gboolean locked = flock (*fd, LOCK_EX | LOCK_NB) == 0, elsewhere = !locked && errno == EWOULDBLOCK;
    if (!elsewhere && is_still (*fd, path))
      return TRUE;
    close (*fd);
    *fd = -1;
    if (elsewhere) {
      g_set_error (error, LS_ERROR, LS_ERROR_FILE, "%s: another run is being recorded there; wait until it ends, or record to another file",
                   path);
      return FALSE;
    }
  }
  return TRUE;
}

/* Logs of a process that was killed must not be used for a new file. */
static void
remove_logs (const char *path)
{
  static const char *const ends[] = { "-journal", "-wal", "-shm" };
  for (gsize i = 0; i < G_N_ELEMENTS (ends); i++) {
    g_autofree char *log = g_strconcat (path, ends[i], NULL);
    g_unlink (log);
  }
}

/* Begins the file again; it is locked. */
static gboolean
empty_file (const char *path, int fd, GError **error)
{
  if (fd < 0 || ftruncate (fd, 0) != 0) {
    g_set_error (error, LS_ERROR, LS_ERROR_FILE, "%s: %s", path, g_strerror (errno));
    return FALSE;
  }
  remove_logs (path);
  return TRUE;
}

/* One file again: if a reader holds on to the log, the log's data goes into the file. */
static void
close_file (LsTraceWriter *w)
{
  sqlite3_exec (w->db, "PRAGMA wal_checkpoint(FULL); PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
  sqlite3_close (g_steal_pointer (&w->db));
}

static gboolean
put_in_place (const char *part, const char *path, GError **error)
{
  remove_logs (path);
  if (g_rename (part, path) == 0)
    return TRUE;
  g_set_error (error, LS_ERROR, LS_ERROR_FILE, "%s: %s", path, g_strerror (errno));
  return FALSE;
}

static void
finalize_statements (LsTraceWriter *w)
{
  sqlite3_stmt **others[] = { &w->insert_link, &w->insert_setting, &w->insert_meta, &w->insert_seal, &w->insert_sealed };
  for (guint k = 0; k < G_N_ELEMENTS (others); k++)
    sqlite3_finalize (g_steal_pointer (others[k]));
  for (guint table = 0; table < LS_N_SEALS; table++)
    for (guint way = 0; way < N_WAYS; way++)
      sqlite3_finalize (g_steal_pointer (&w->insert[table][way]));
}

void
ls_trace_writer_forked (LsTraceWriter *w)
{
  for (guint i = 0; i < G_N_ELEMENTS (w->locks); i++) {
    if (w->locks[i] >= 0)
      close (w->locks[i]);
    w->locks[i] = -1;
  }
}

static void
writer_free (LsTraceWriter *w)
{
  finalize_statements (w);
  for (guint table = 0; table < LS_N_TABLES; table++) {
    g_array_unref (w->rows[table]);
    g_array_unref (w->n_rows[table]);
    g_array_unref (w->digests[table]);
  }
  g_array_unref (w->passes);
  if (w->db)
    close_file (w);
  if (w->failure && w->n_flushes == 0) {      /* nothing of the recording is there */
    remove_logs (w->path);
    g_unlink (w->path);
  }
  ls_trace_writer_forked (w);
  ls_store_rows_free (w->gathered);
  g_hash_table_unref (w->meta);
  g_hash_table_unref (w->meta_digests);
  g_free (w->chain);
  g_free (w->failure);
  g_free (w->path);
  g_free (w->target);
  ls_trace_unref (w->trace);
  g_free (w);
}

/* The file behind symbolic links, which need not be there yet. */
static char *
follow_links (const char *path)
{
  char *file = g_strdup (path);
  for (guint i = 0; i < 40; i++) {
    g_autofree char *to = g_file_read_link (file, NULL), *folder = g_path_get_dirname (file);
    if (!to)
      break;
    g_free (file);
    file = g_path_is_absolute (to) ? g_strdup (to) : g_build_filename (folder, to, NULL);
  }
  return file;
}

/**
 * ls_trace_writer_new:
 * @trace: what is recorded; the writer keeps a reference
 * @path: the file; a recording that is there stays until the new one, "PATH.part", is finished
 *
 * Returns: (transfer full) (nullable): the writer, or NULL with LS_ERROR_FILE, also where another process records to that file
 */
LsTraceWriter *
ls_trace_writer_new (LsTrace *trace, const char *path, GError **error)
{
  gboolean there;
  g_autofree char *target = follow_links (path);
  if (!may_replace (target, &there, error))
    return NULL;
  g_autofree char *part = there ? g_strconcat (target, ".part", NULL) : g_strdup (target);
  int locks[2] = { -1, -1 };
  if ((there && !lock_file (target, FALSE, &locks[0], error)) || !lock_file (part, TRUE, &locks[1], error) ||
      !empty_file (part, locks[1], error)) {
    for (guint i = 0; i < 2; i++)
      if (locks[i] >= 0)
        close (locks[i]);
    return NULL;
  }
  LsTraceWriter *w = g_new0 (LsTraceWriter, 1);
  memcpy (w->locks, locks, sizeof locks);
  w->trace = ls_trace_ref (trace);
  w->path = g_steal_pointer (&part);
  w->target = there ? g_steal_pointer (&target) : NULL;
  w->meta = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  w->meta_digests = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  w->gathered = ls_store_rows_new ();
  w->passes = g_array_new (FALSE, TRUE, sizeof (PassState));
  for (guint table = 0; table < LS_N_TABLES; table++) {
    w->rows[table] = g_array_new (FALSE, TRUE, sizeof (LsRowDigest));
    w->n_rows[table] = g_array_new (FALSE, TRUE, sizeof (guint));
    w->digests[table] = g_array_new (FALSE, TRUE, sizeof (LsRowDigest));
  }
  if (sqlite3_open_v2 (w->path, &w->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK ||
      ls_store_rows_connect (w->gathered, w->db) != SQLITE_OK) {
    fail (w, "open");
  } else {
    sqlite3_busy_timeout (w->db, BUSY_MS);
    create_tables (w);
  }
  if (w->failure == NULL) {
    g_strlcpy (ls_progress->recording, w->path, sizeof ls_progress->recording);
    return w;
  }
  if (w->is_full) {      /* reported when it finishes, as a disk that fills up is */
    char *reason = g_steal_pointer (&w->failure);
    w->failure = g_strdup_printf ("%s: the program ran without being recorded", reason);
    g_free (reason);
    return w;
  }
  g_set_error_literal (error, LS_ERROR, LS_ERROR_FILE, w->failure);
  writer_free (w);
  return NULL;
}

gboolean
ls_trace_writer_flush (LsTraceWriter *writer, GError **error)
{
  if (ls_trace_is_open (writer->trace))      /* passes nested in the open pass may yet be dropped: they are written with it */
    return TRUE;
  return flush (writer, FALSE, error);
}

gboolean
ls_trace_writer_finish (LsTraceWriter *writer, GError **error)
{
  writer->trace->complete = TRUE;
  gboolean ok = flush (writer, TRUE, error);
  *ls_progress->recording = 0;
  finalize_statements (writer);
  close_file (writer);
  ok = ok && (!writer->target || put_in_place (writer->path, writer->target, error));
  writer_free (writer);
  return ok;
}

/* Written next to its destination, then moved there: a save that fails leaves the old file unchanged. */
gboolean
ls_trace_save (LsTrace *trace, const char *path, GError **error)
{
  gboolean there;
  g_autofree char *part = g_strconcat (path, ".part", NULL);
  g_unlink (part);
  LsTraceWriter *writer = may_replace (path, &there, error) ? ls_trace_writer_new (trace, part, error) : NULL;
  if (writer == NULL)
    return FALSE;
  gboolean ok = flush (writer, TRUE, error);
  writer_free (writer);
  ok = ok && put_in_place (part, path, error);
  if (!ok)
    g_unlink (part);
  return ok;
}
