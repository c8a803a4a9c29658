/* Seals: how they are computed, and the check of a file against its own. */
#include "store-seal.h"

#include <string.h>

#define PRIME ((G_GUINT64_CONSTANT (1) << 61) - 1)

const LsTable *
ls_seal_table (guint seal)
{
  static const LsTable *const by_hand[] = { &ls_store_nodes, &ls_store_steps, &ls_store_links, &ls_store_settings, &ls_store_meta };
  return seal < LS_N_TABLES ? &ls_store_tables[seal] : by_hand[seal - LS_N_TABLES];
}

/* --- digests of rows --- */

/* 0 to 15 bytes as two words; the order of the bytes depends on n, which is in the digest. */
static void
last_words (const guint8 *data, gsize n, guint64 word[2])
{
  word[0] = word[1] = 0;
  if (n >= 8) {
    memcpy (&word[0], data, 8);
    memcpy (&word[1], data + n - 8, 8);
  } else if (n >= 4) {
    memcpy (&word[0], data, 4);
    memcpy (&word[1], data + n - 4, 4);
  } else if (n > 0) {
    word[0] = (guint64) data[0] << 16 | (guint64) data[n / 2] << 8 | data[n - 1];
  }
}

static void
add_bytes (LsRowDigest *digest, guint kind, const guint8 *data, gsize n)
{
  guint64 d = (*digest + kind) ^ (n << 32), word[2];
  for (; n >= 16; data += 16, n -= 16) {
    memcpy (word, data, 16);
    d = ls_digest_mix (d ^ word[0], word[1]);
  }
  last_words (data, n, word);
  *digest = ls_digest_mix (d ^ word[0], word[1]);
}

void ls_row_digest_text (LsRowDigest *digest, const char *text, gsize n) { add_bytes (digest, LS_DIGEST_TEXT, (const guint8 *) text, n); }
void ls_row_digest_blob (LsRowDigest *digest, gconstpointer data, gsize n) { add_bytes (digest, LS_DIGEST_BLOB, data, n); }

/* As SQLite gives it back: it has neither NaN nor a negative zero. */
void
ls_row_digest_double (LsRowDigest *digest, double value)
{
  guint64 bits;
  if (value != value) {
    ls_row_digest_null (digest);
    return;
  }
  value = value == 0 ? 0 : value;
  memcpy (&bits, &value, sizeof bits);
  *digest = ls_digest_mix (*digest + LS_DIGEST_DOUBLE, bits);
}

/* --- seals of tables --- */

/* The remainder of a number: 2^61 is 1. */
static guint64
reduce (guint64 a)
{
  a = (a & PRIME) + (a >> 61);
  return a >= PRIME ? a - PRIME : a;
}

static guint64
times (guint64 a, guint64 b)
{
  LsWide product = (LsWide) a * b;
  return reduce ((guint64) (product & PRIME) + (guint64) (product >> 61));
}

static void
change (LsSeal *seal, guint64 place, guint64 by)
{
  seal->sum = reduce (seal->sum + by);
  seal->placed = reduce (seal->placed + times (place + 1, by));
}

void
ls_seal_add (LsSeal *seal, guint64 place, LsRowDigest row)
{
  seal->n++;
  change (seal, place, reduce (row));
}

void
ls_seal_remove (LsSeal *seal, guint64 place, LsRowDigest row)
{
  seal->n--;
  change (seal, place, PRIME - reduce (row));
}

gboolean
ls_seal_find (const LsSeal *then, const LsSeal *now, guint64 *place)
{
  guint64 by = (now->sum + PRIME - then->sum) % PRIME, placed = (now->placed + PRIME - then->placed) % PRIME, inverse = 1;
  if (by == 0)
    return FALSE;
  for (guint bit = 61; bit-- > 0;) {      /* by to the power of PRIME - 2 */
    inverse = times (inverse, inverse);
    if ((PRIME - 2) >> bit & 1)
      inverse = times (inverse, by);
  }
  *place = (times (placed, inverse) + PRIME - 1) % PRIME;
  return TRUE;
}

guint64
ls_seal_place_of_key (const char *key)
{
  guint at = 0;
  while (at < ls_store_meta.n_columns && strcmp (ls_store_meta.columns[at].name, key) != 0)
    at++;
  return at;
}

char *
ls_seal_text (const LsSeal *seal)
{
  return g_strdup_printf ("%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x", seal->sum, seal->placed);
}

char *
ls_seal_content (const LsSeal seals[LS_N_SEALS])
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  for (guint i = 0; i < LS_N_SEALS; i++) {
    g_autofree char *digest = ls_seal_text (&seals[i]),
                    *line = g_strdup_printf ("%s %" G_GUINT64_FORMAT " %s\n", ls_seal_table (i)->name, seals[i].n, digest);
    if (seals[i].n)
      g_checksum_update (sum, (const guchar *) line, -1);
  }
  return g_strdup (g_checksum_get_string (sum));
}

char *
ls_seal_chain (const char *before, guint64 flush, guint64 rows, const char *content)
{
  g_autofree char *all = g_strdup_printf ("%s %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %s", before, flush, rows, content);
  return g_compute_checksum_for_string (G_CHECKSUM_SHA256, all, -1);
}

/* --- the check of a file --- */

static void
digest_value (LsRowDigest *digest, sqlite3_stmt *query, int at)
{
  switch (sqlite3_column_type (query, at)) {
  case SQLITE_INTEGER: ls_row_digest_int (digest, sqlite3_column_int64 (query, at)); break;
  case SQLITE_FLOAT:   ls_row_digest_double (digest, sqlite3_column_double (query, at)); break;
  case SQLITE_TEXT: {
    const char *text = (const char *) sqlite3_column_text (query, at);
    ls_row_digest_text (digest, text, (gsize) sqlite3_column_bytes (query, at));
    break;
  }
  case SQLITE_BLOB: {
    const void *data = sqlite3_column_blob (query, at);
    ls_row_digest_blob (digest, data, (gsize) sqlite3_column_bytes (query, at));
    break;
  }
  default: ls_row_digest_null (digest);
  }
}

gboolean
ls_reader_seal (LsReader *r, const LsTable *t, LsSeal *out)
{
  gboolean failed = FALSE, is_meta = t == &ls_store_meta, owned = ls_table_owner_key (t) != NULL;
  g_autofree char *columns = is_meta ? g_strdup ("key, value") : ls_store_column_list (t, r->version);
  sqlite3_stmt *query = ls_reader_query (r, t->name, columns, t->key);
  *out = (LsSeal) { 0 };
  while (query && !failed && ls_reader_next (r, t->name, query, &failed)) {
    LsRowDigest digest = 0;
    for (int at = 0; at < sqlite3_column_count (query); at++)
      digest_value (&digest, query, at);
    const char *key = is_meta ? (const char *) sqlite3_column_text (query, 0) : NULL;
    ls_seal_add (out, is_meta ? ls_seal_place_of_key (key ? key : "") : ls_seal_place (owned ? sqlite3_column_int64 (query, 0) : 0,
                                                                                       sqlite3_column_int64 (query, owned ? 1 : 0)),
                                                                                       digest);
  }
  sqlite3_finalize (query);
  return query && !failed;
}

static gboolean
parse_seal (const char *text, LsSeal *seal)
{
  g_autofree char *sum = g_strndup (text, MIN (strlen (text), 16));
  return strlen (text) == 32 && g_ascii_string_to_unsigned (sum, 16, 0, PRIME, &seal->sum, NULL) &&
         g_ascii_string_to_unsigned (text + 16, 16, 0, PRIME, &seal->placed, NULL);
}

/* Reads the file's seals of its tables. */
static gboolean
read_tables (LsReader *r, LsSeal seals[LS_N_SEALS])
{
  gboolean failed = FALSE;
  gint64 row = 0;
  sqlite3_stmt *query = ls_reader_query (r, "sealed_tables", "name, rows, digest", "name");
  for (; query && !failed && ls_reader_next (r, "sealed_tables", query, &failed); row++) {
    const char *name, *text;
    gint64 n;
    guint at = 0;
    if ((failed = !ls_reader_text (r, "sealed_tables", row, query, 0, FALSE, &name) ||
         !ls_reader_int (r, "sealed_tables", row, query, 1, 0, G_MAXINT64, &n) ||
                  !ls_reader_text (r, "sealed_tables", row, query, 2, FALSE, &text)))
      break;
    while (at < LS_N_SEALS && strcmp (ls_seal_table (at)->name, name) != 0)
      at++;
    failed = at == LS_N_SEALS || !parse_seal (text, &seals[at]);
    if (failed)
      ls_reader_fail (r, "sealed_tables", row, "is not a seal of a table");
    else
      seals[at].n = (guint64) n;
  }
  sqlite3_finalize (query);
  return query && !failed;
}

/* The chain of flushes: its digest of the content at its end. */
static gboolean
read_chain (LsReader *r, guint64 *n_flushes, char **content)
{
  gboolean failed = FALSE;
  g_autofree char *before = g_strdup ("");
  sqlite3_stmt *query = ls_reader_query (r, "seals", "flush, rows, content, chain", "flush");
  while (query && !failed && ls_reader_next (r, "seals", query, &failed)) {
    gint64 flush, rows, number = (gint64) *n_flushes + 1;
    const char *now, *chain;
    if ((failed = !ls_reader_int (r, "seals", number, query, 0, number, number, &flush) ||
         !ls_reader_int (r, "seals", number, query, 1, 0, G_MAXINT64, &rows) ||
                  !ls_reader_text (r, "seals", number, query, 2, FALSE, &now) || !ls_reader_text (r, "seals", number, query, 3, FALSE,
                                                                                                  &chain)))
      break;
    g_autofree char *expected = ls_seal_chain (before, (guint64) flush, (guint64) rows, now);
    if ((failed = strcmp (expected, chain) != 0))
      ls_reader_fail (r, "seals", number, "is not the successor of the seal before it");
    g_free (before);
    before = g_steal_pointer (&expected);
    g_free (*content);
    *content = g_strdup (now);
    ++*n_flushes;
  }
  sqlite3_finalize (query);
  return query && !failed;
}

/* "table calls: row 3 was changed after it was sealed" */
static char *
what_changed (const LsTrace *trace, const LsTable *t, const LsSeal *then, const LsSeal *now)
{
  const char *how = now->n == then->n ? "was changed" : now->n < then->n ? "was deleted" : "was added";
  guint64 place, owner, number;
  gboolean owned = ls_table_owner_key (t) != NULL, one = ls_seal_find (then, now, &place);
  owner = one ? place >> 32 : 0;
  number = one ? place & G_MAXUINT32 : 0;
  guint64 most = owned ? MAX (trace->passes->len, trace->kernels->len) : 0;
  if (!one || owner > most || number > MAX (then->n, now->n) + 1)
    return g_strdup_printf ("table %s: %" G_GUINT64_FORMAT " rows, but sealed were %" G_GUINT64_FORMAT, t->name, now->n,
                            then->n);
  if (t == &ls_store_meta)
    return g_strdup_printf ("table meta: %s %s after it was sealed", number < t->n_columns ? t->columns[number].name : "an unknown key",
                            how);
  if (owned)
    return g_strdup_printf ("table %s: row %" G_GUINT64_FORMAT " of %s %" G_GUINT64_FORMAT " %s after it was sealed", t->name, number,
                            ls_table_owner_key (t), owner, how);
  return g_strdup_printf ("table %s: row %" G_GUINT64_FORMAT " %s after it was sealed", t->name, number, how);
}

/* Returns FALSE with the error set: the seals themselves are not whole, or the file cannot be read. */
static gboolean
check (LsReader *r, guint64 *n_flushes, GPtrArray *changes)
{
  LsSeal then[LS_N_SEALS] = { 0 }, now;
  g_autofree char *content = NULL, *expected = NULL;
  if (!read_chain (r, n_flushes, &content) || !read_tables (r, then))
    return FALSE;
  if (!content)      /* a process that was killed before its first flush: then nothing is there */
    content = ls_seal_content ((const LsSeal[LS_N_SEALS]) { { 0 } });
  expected = ls_seal_content (then);
  if (g_strcmp0 (content, expected) != 0)
    return ls_reader_fail (r, "sealed_tables", 0, "the seals of the tables do not match the last flush");
  for (guint i = 0; i < LS_N_SEALS; i++) {
    const LsTable *t = ls_seal_table (i);
    if (!ls_reader_seal (r, t, &now))
      return FALSE;
    if (now.n != then[i].n || now.sum != then[i].sum || now.placed != then[i].placed)
      g_ptr_array_add (changes, what_changed (r->trace, t, &then[i], &now));
  }
  return TRUE;
}

LsSealed
ls_trace_check_seals (LsTrace *trace, guint64 *n_flushes, GPtrArray *changes)
{
  GError *local = NULL;
  LsReader reader = { .path = trace->path, .trace = trace, .error = &local };
  LsSealed sealed = LS_UNSEALED;
  *n_flushes = 0;
  if (!trace->path)
    return LS_UNSEALED;
  if (ls_reader_open (&reader) && ls_reader_has_table (&reader, "seals"))
    sealed = check (&reader, n_flushes, changes) && changes->len == 0 ? LS_SEALED : LS_SEAL_BROKEN;
  if (local)
    g_ptr_array_add (changes, g_strdup (local->message));
  g_clear_error (&local);
  sqlite3_close (reader.db);
  return sealed;
}

/* --- classes --- */

static guint64
n_rows (const LsTrace *trace, guint table)
{
  const LsTable *t = ls_seal_table (table);
  guint64 n = 0;
  if (table == LS_SEAL_NODES)
    return ls_context_n_nodes (trace->ctx);
  if (table == LS_SEAL_META)
    return 1;
  if (table == LS_SEAL_SETTINGS)
    return trace->settings->len;
  if (t->owner == LS_OWNER_TRACE)
    return ls_table_n_rows (t, trace) - (t == &ls_store_tables[LS_TABLE_PASSES] ? trace->n_derived : 0);
  const GPtrArray *owners = t->owner == LS_OWNER_KERNEL ? trace->kernels : trace->passes;
  for (guint i = 0; i < owners->len; i++) {
    gboolean shared = t->of_code && ((const LsKernel *) owners->pdata[i])->same_as > 0;
    n += table == LS_SEAL_STEPS ? ((const LsPass *) owners->pdata[i])->steps->len : table == LS_SEAL_LINKS
         ? ((const LsPass *) owners->pdata[i])->links->len :
         shared ? 0 : ls_table_n_rows (t, owners->pdata[i]);
  }
  return n;
}

char *
ls_seal_row_counts (const guint64 n[LS_N_SEALS])
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < LS_N_SEALS; i++)
    if (n[i] && i != LS_SEAL_META && i != LS_SEAL_LINKS)
      g_string_append_printf (text, "%s%s %" G_GUINT64_FORMAT, text->len ? ", " : "", ls_seal_table (i)->name, n[i]);
  return g_string_free (text, FALSE);
}

char *
ls_trace_row_counts (const LsTrace *trace)
{
  guint64 n[LS_N_SEALS];
  for (guint i = 0; i < LS_N_SEALS; i++)
    n[i] = n_rows (trace, i);
  return ls_seal_row_counts (n);
}

void
ls_trace_count_class (LsTrace *trace, guint column_class, guint n_unknown, guint *n_columns, guint64 *n_values)
{
  *n_columns = 0;
  *n_values = 0;
  for (guint i = 0; i < LS_N_SEALS; i++) {
    const LsTable *t = ls_seal_table (i);
    guint64 n = n_rows (trace, i);
    for (guint k = 0; k < t->n_columns; k++) {
      gboolean of_contents = i == LS_TABLE_BUFFERS && (t->columns[k].class == LS_CLASS_DOUBLED ||
                                                       t->columns[k].offset == G_STRUCT_OFFSET (LsTraceBuffer, digest));
      if (t->columns[k].class == column_class) {
        ++*n_columns;
        *n_values += of_contents ? n - MIN (n, n_unknown) : n;
      } else if (of_contents && column_class == LS_CLASS_WITNESS) {
        *n_values += n_unknown;
      }
    }
  }
}

static const char *
digest_text (LsTrace *trace, LsRowDigest digest)
{
  char text[17];
  g_snprintf (text, sizeof text, "%016" G_GINT64_MODIFIER "x", digest);
  return ls_trace_string (trace, text);
}

/* As a file gives it back: valid, and without a difference between none and an empty one. */
static void
add_text (LsRowDigest *digest, const char *text)
{
  g_autofree char *valid = text && !g_utf8_validate (text, -1, NULL) ? g_utf8_make_valid (text, -1) : NULL;
  const char *t = valid ? valid : text ? text : "";
  ls_row_digest_text (digest, t, strlen (t));
}

const char *
ls_trace_file_digest (LsTrace *trace, const LsProgramFile *file)
{
  LsRowDigest digest = 0;
  add_text (&digest, file->name);
  add_text (&digest, file->text);
  return digest_text (trace, digest);
}

const char *
ls_trace_kernel_facts (LsTrace *trace, const LsKernel *k)
{
  const char *texts[] = { k->settings, k->compiler, k->compiler_version, k->flags, k->values_compiler, k->compile_message, k->run_error };
  LsRowDigest digest = 0;
  for (guint i = 0; i < trace->settings->len; i++)
    add_text (&digest, trace->settings->pdata[i]);
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    add_text (&digest, texts[i]);
  return digest_text (trace, digest);
}
